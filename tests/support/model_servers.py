"""Servers on loopback that speak the wire of a language model: whole replies, or events of a stream, cut however a test likes."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Respond = Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]


@contextmanager
def model_server(respond: Respond) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A server's address and what it was sent, headers beside bodies."""
    seen: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            seen.append({"body": body, "headers": {k.lower(): v for k, v in self.headers.items()}, "path": self.path})
            try:
                respond(self, body)
            except OSError:
                self.close_connection = True

        def log_message(self, *_: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", seen
    finally:
        server.shutdown()
        server.server_close()


def send_events(handler: BaseHTTPRequestHandler, events: Sequence[bytes]) -> None:
    """A stream of events to its end."""
    begin_events(handler)
    for event in events:
        handler.wfile.write(event)
        handler.wfile.flush()


def begin_events(handler: BaseHTTPRequestHandler) -> None:
    """Headers of a stream of events; it ends with the connection."""
    handler.send_response(200)
    handler.send_header("Content-Type", "text/event-stream")
    handler.send_header("Connection", "close")
    handler.end_headers()
    handler.close_connection = True


def send_json(handler: BaseHTTPRequestHandler, record: dict[str, Any], status: int = 200) -> None:
    """A whole reply."""
    body = json.dumps(record).encode()
    handler.send_response(status)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def openai_chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
    """One event of an OpenAI-compatible stream."""
    record = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m",
              "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}  # fmt: skip
    return f"data: {json.dumps(record)}\n\n".encode()


def openai_text(text: str, piece: int = 5) -> list[bytes]:
    """A text as a stream."""
    parts = [openai_chunk({"role": "assistant", "content": ""})]
    parts += [openai_chunk({"content": text[i : i + piece]}) for i in range(0, len(text), piece)]
    return [*parts, openai_chunk({}, "stop"), b"data: [DONE]\n\n"]


def openai_calls(calls: Sequence[tuple[str, Sequence[str]]]) -> list[bytes]:
    """Calls of tools as a stream: of each the name, and the arguments in the pieces given."""
    out = [openai_chunk({"role": "assistant", "content": None})]
    for n, (name, pieces) in enumerate(calls):
        head = {"index": n, "id": f"c{n}", "type": "function", "function": {"name": name, "arguments": ""}}
        out.append(openai_chunk({"tool_calls": [head]}))
        out += [openai_chunk({"tool_calls": [{"index": n, "function": {"arguments": p}}]}) for p in pieces]
    return [*out, openai_chunk({}, "tool_calls"), b"data: [DONE]\n\n"]


def anthropic_event(kind: str, **record: Any) -> bytes:
    """One event of an Anthropic stream."""
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **record})}\n\n".encode()


def anthropic_stream(blocks: Sequence[tuple[dict[str, Any], Sequence[dict[str, Any]]]], stop: str) -> list[bytes]:
    """Content blocks, each with its deltas."""
    out = [anthropic_event("message_start", message={
        "id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None, "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1}})]  # fmt: skip
    for n, (block, deltas) in enumerate(blocks):
        out.append(anthropic_event("content_block_start", index=n, content_block=block))
        out += [anthropic_event("content_block_delta", index=n, delta=d) for d in deltas]
        out.append(anthropic_event("content_block_stop", index=n))
    end = anthropic_event(
        "message_delta", delta={"stop_reason": stop, "stop_sequence": None}, usage={"output_tokens": 2}
    )
    return [*out, end, anthropic_event("message_stop")]
