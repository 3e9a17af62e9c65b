"""`csrag serve`: the HTTP door, on this machine only unless told otherwise."""

from __future__ import annotations

import argparse
import functools
import logging
import os
from pathlib import Path
from typing import Any

from csrag.errors import RequestError

TOKEN_VARIABLE = "CSRAG_TOKEN"
_GRACE_S = 20
_SLOW_CLIENT_S = 15


def add_parser(subparsers: Any) -> None:
    """Add the sub-command."""
    parser = subparsers.add_parser("serve", help="answer over HTTP",
                                   description="Serve questions and conversations over HTTP (extra web).")  # fmt: skip
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: this machine only)")
    parser.add_argument("--port", type=int, default=8000, help="port; 0 takes a free one (default: 8000)")
    parser.add_argument(
        "--data", metavar="WHERE", help="layer set: a directory (default: CSRAG_DATA, else your data folder)"
    )
    parser.add_argument("--at-once", type=int, default=8, metavar="N", help="questions answered at once (default: 8)")
    parser.add_argument(
        "--token-file", type=Path, metavar="FILE", help=f"ask for this bearer token (or set {TOKEN_VARIABLE})"
    )
    parser.set_defaults(handler=run)


def token_of(file: Path | None) -> str | None:
    """The bearer token: of a file, else of the environment, else none.

    Raises
    ------
    RequestError
        If the file cannot be read, or the token is too short to keep anybody out.
    """
    if file is None:
        token = os.environ.get(TOKEN_VARIABLE)
    else:
        try:
            token = file.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise RequestError(f"The token cannot be read from {file}: {error}.", "Name a text file.") from None
    if token is not None and (len(token) < 16 or not token.isascii() or not token.isprintable()):
        raise RequestError("The token must be at least 16 printable ASCII characters.", "Make a longer one.")
    return token


def run(options: argparse.Namespace) -> int:
    """Serve until stopped; running questions are finished first."""
    if not 0 <= options.port <= 65535:
        raise RequestError(f"--port {options.port} is no port.", "Use 0 to 65535.")
    if not 1 <= options.at_once <= 256:
        raise RequestError(f"--at-once {options.at_once} is out of range.", "Use 1 to 256.")
    token = token_of(options.token_file)
    if token is None and options.host not in {"127.0.0.1", "::1", "localhost"}:
        raise RequestError(
            f"Listening on {options.host} without a token would let anybody in the network ask.",
            f"Give --token-file, or set {TOKEN_VARIABLE}, or listen on 127.0.0.1.",
        )
    try:
        import uvicorn

        from csrag.interfaces.http.app import Limits, create_app
    except ImportError:
        raise RequestError(
            "The HTTP door needs packages that are not installed.", 'Install them with pip install "csrag[web]".',
            code="extra_missing",
        ) from None  # fmt: skip
    from csrag.interfaces.open import open_layers

    # Opened before the port is: a missing layer set is said here, not to the first client.
    layers = functools.cache(lambda: open_layers(options.data))
    layers()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    config = uvicorn.Config(
        create_app(layers, Limits(at_once=options.at_once), token), host=options.host, port=options.port, log_level="warning",
        access_log=False, server_header=False, timeout_keep_alive=_SLOW_CLIENT_S, timeout_graceful_shutdown=_GRACE_S,
    )  # fmt: skip
    server = uvicorn.Server(config)
    print(f"csrag serves on http://{options.host}:{options.port} (stop with Ctrl-C)", flush=True)
    try:
        server.run()
    except SystemExit:
        raise RequestError(
            f"Port {options.port} on {options.host} cannot be opened.", "Choose another with --port."
        ) from None
    return 0
