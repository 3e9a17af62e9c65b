"""Entry point: one sub-command, one handler, every error in words.

Sub-commands are imported only when they are called, so that a question does not pay for the importer.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from csrag import __version__
from csrag.errors import CsragError

_COMMANDS = {
    "ask": ("csrag.interfaces.cli.ask", "answer a question"),
    "chat": ("csrag.interfaces.cli.chat", "a conversation: ask, follow up, save scenarios"),
    "parse": ("csrag.interfaces.cli.parse", "show how a question is understood"),
    "verify-text": ("csrag.interfaces.cli.verify_text", "check a text by anybody against an answer record"),
    "simulate": ("csrag.interfaces.cli.simulate", "run a reference simulator on JSON lines"),
    "serve": ("csrag.interfaces.cli.serve", "answer over HTTP, many clients, each with a conversation of its own"),
    "layers": ("csrag.interfaces.cli.layers", "build, import, inspect and verify layer sets"),
    "doctor": ("csrag.interfaces.cli.doctor", "say what is installed and what is missing"),
}

_OUTPUT_FAILS = (errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
"""What a write to stdout ends with."""


def _parser(command: str | None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="csrag",
        description="Biomass siting questions answered by computation over forest, fire and road surfaces.",
    )
    parser.add_argument("--version", action="version", version=f"csrag {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, (module, help_text) in _COMMANDS.items():
        if command == name:
            importlib.import_module(module).add_parser(subparsers)
        else:
            subparsers.add_parser(name, help=help_text, add_help=False)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments without the program's name; those of the process by default.

    Returns
    -------
    int
        0 done, 2 the request is wrong, 3 the data cannot answer it, 4 a fault of ours.
    """
    if sys.stdout is None:  # started with its output closed: there is nobody to tell
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - open until the process ends
    code = 0
    try:
        code = _run(list(sys.argv[1:] if argv is None else argv))
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader went away (a pipe into head); what was written is whole lines, and there is nobody to tell.
        _drop_output()
    except OSError as error:
        _drop_output()
        print(f"csrag: the output cannot be written: {error.strerror or error}. Free some space or write it elsewhere.",
              file=sys.stderr)  # fmt: skip
        return 3
    except SystemExit as ending:
        # rich ends the program where its reader went away.
        if not isinstance(ending.__context__, BrokenPipeError):
            raise
    return code


def _drop_output() -> None:
    """Let what is still held for stdout go nowhere, so that the end of the interpreter does not stumble over it."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(arguments: list[str]) -> int:
    command = next((a for a in arguments if not a.startswith("-")), None)
    parser = _parser(command if command in _COMMANDS else None)
    options = parser.parse_args(arguments)
    if options.command is None:
        parser.print_help()
        return 2
    try:
        return int(options.handler(options))
    except CsragError as error:
        print(f"csrag: {error}", file=sys.stderr)
        if options.command == "layers" and getattr(options, "json", False):
            from csrag.interfaces.cli.layers_place import print_json

            print_json({"error": {"code": error.code, "message": error.message, "fix": error.fix}})
        return error.exit_code
    except OSError as error:
        if error.filename is None and error.errno in _OUTPUT_FAILS:
            raise
        if error.filename is None:
            return _fault(error)
        print(
            f"csrag: {error.filename}: {error.strerror or error}. Check the path and its permissions.", file=sys.stderr
        )
        return 3
    except KeyboardInterrupt:
        print("csrag: stopped.", file=sys.stderr)
        return 130
    except Exception as error:
        return _fault(error)


def _fault(error: Exception) -> int:
    if os.environ.get("CSRAG_DEBUG"):
        raise error
    print(
        f"csrag: a fault of ours: {type(error).__name__}: {error}. Set CSRAG_DEBUG=1 to see where, and please report it.",
        file=sys.stderr,
    )
    return 4
