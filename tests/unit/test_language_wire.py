"""The whole path over HTTP against a server on loopback that answers well, badly, in pieces, or not at all."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from csrag.ask.language.protocol import Assistant, Limits, ModelFailure
from csrag.ask.language.providers import open_model
from csrag.ask.language.reading import SCHEMA
from csrag.ask.pipeline import ask
from csrag.errors import RequestError
from csrag.interfaces.open import open_layers

pytest.importorskip("pydantic_ai", reason="the extra `llm` is not installed")
QUESTION = "25 MW facility near Quincy, CA"
KEY = "sk-not-to-be-seen"
GOOD = (
    "Fuel at <<place>> has an average delivered cost of {{average_delivered_cost}}, and the last ton costs {{last_ton_cost}}. "
    "Over the life of the plant the average delivered cost becomes {{life_average_delivered_cost}}."
)
Respond = Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]


def _completion(text: str | None, tool: str | None = None) -> bytes:
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if tool:
        message["tool_calls"] = [{"id": "1", "type": "function", "function": {"name": tool, "arguments": '{"x": 1'}}]
    return json.dumps(
        {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [
            {"index": 0, "message": message, "finish_reason": "tool_calls" if tool else "stop"}],
         "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}
    ).encode()  # fmt: skip


def _send(handler: BaseHTTPRequestHandler, body: bytes, status: int = 200, length: int | None = None) -> None:
    handler.send_response(status)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(body) if length is None else length))
    handler.end_headers()
    handler.wfile.write(body)
    handler.wfile.flush()


@contextmanager
def _server(respond: Respond) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    seen: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            seen.append({"body": body, "auth": self.headers.get("Authorization")})
            try:
                respond(self, body)
            except OSError:
                self.close_connection = True

        def log_message(self, *_: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", seen
    finally:
        server.shutdown()
        server.server_close()


def _ask(store: Any, url: str, seconds: float = 8.0) -> Any:
    model = open_model("openai:local", {"CSRAG_LLM_URL": url, "CSRAG_LLM_KEY": KEY, "OPENAI_API_KEY": "sk-of-another"})
    return ask(store, QUESTION, assistant=Assistant(model, Limits(wall_s=seconds, call_s=seconds)))


@pytest.fixture(scope="module")
def store(demo_layers: Path) -> Any:
    return open_layers(str(demo_layers))


def _good(handler: BaseHTTPRequestHandler, _body: dict[str, Any]) -> None:
    _send(handler, _completion(GOOD))


def _byte_by_byte(handler: BaseHTTPRequestHandler, _body: dict[str, Any]) -> None:
    body = _completion(GOOD)
    _send(handler, b"", length=len(body))
    for byte in body:
        handler.wfile.write(bytes([byte]))
        handler.wfile.flush()


@pytest.mark.parametrize("respond", [_good, _byte_by_byte])
def test_good_prose_over_http(store: Any, respond: Respond) -> None:
    with _server(respond) as (url, seen):
        answer = _ask(store, url)
    assert "text_by_model" in [w.code for w in answer.warnings]
    assert answer.text.startswith("Fuel at Quincy, Plumas County has an average delivered cost of $")
    body = seen[0]["body"]
    assert body["temperature"] == 0
    assert body.get("max_tokens", body.get("max_completion_tokens")) == Limits().output_tokens
    assert seen[0]["auth"] == f"Bearer {KEY}"  # never the key that was meant for another server
    assert "Quincy" not in json.dumps(body)


def _truncated(handler: BaseHTTPRequestHandler, _body: dict[str, Any]) -> None:
    _send(handler, _completion(GOOD)[:60])


def _cut_off(handler: BaseHTTPRequestHandler, _body: dict[str, Any]) -> None:
    _send(handler, _completion(GOOD)[:60], length=900)
    handler.connection.shutdown(socket.SHUT_RDWR)


def _ghost_tool(handler: BaseHTTPRequestHandler, _body: dict[str, Any]) -> None:
    _send(handler, _completion(None, "launch_rocket"))


def _looping(handler: BaseHTTPRequestHandler, _body: dict[str, Any]) -> None:
    _send(handler, _completion("the average the average " * 3000))


def _invented(handler: BaseHTTPRequestHandler, _body: dict[str, Any]) -> None:
    _send(handler, _completion("It costs 25 dollars."))


def _empty(handler: BaseHTTPRequestHandler, _body: dict[str, Any]) -> None:
    _send(handler, _completion(""))


def _error_with_key(handler: BaseHTTPRequestHandler, _body: dict[str, Any]) -> None:
    _send(handler, json.dumps({"error": {"message": f"bad key {KEY}"}}).encode(), 401)


@pytest.mark.parametrize(
    "respond",
    [_truncated, _cut_off, _ghost_tool, _looping, _invented, _empty, _error_with_key],
    ids=lambda f: f.__name__,
)
def test_every_fault_ends_in_the_templates_text_and_a_note(store: Any, respond: Respond) -> None:
    start = time.monotonic()
    with _server(respond) as (url, seen):
        answer = _ask(store, url)
    assert time.monotonic() - start < 10
    assert 1 <= len(seen) <= 4  # two attempts, each retried once at most
    assert answer.exit_code == 0
    assert answer.text == ask(store, QUESTION).text
    notes = [w.message for w in answer.warnings if w.code == "model_text_refused"]
    assert len(notes) == 1
    assert KEY not in json.dumps(answer.to_json())


def test_a_stall_in_the_middle_of_a_reply(store: Any) -> None:
    ended = threading.Event()

    def stall(handler: BaseHTTPRequestHandler, _body: dict[str, Any]) -> None:
        _send(handler, _completion(GOOD)[:60], length=900)
        ended.wait(20)

    with _server(stall) as (url, _):
        start = time.monotonic()
        answer = _ask(store, url, seconds=1.5)
        took = time.monotonic() - start
        ended.set()
    assert took < 4
    assert answer.exit_code == 0
    assert "model_text_refused" in [w.code for w in answer.warnings]


def test_a_dead_server(store: Any) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
    answer = _ask(store, f"http://127.0.0.1:{port}/v1")
    assert answer.exit_code == 0
    assert answer.text == ask(store, QUESTION).text


def test_structured_output_first_and_plain_text_where_the_server_knows_none() -> None:
    def choosy(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        if "response_format" in body:
            _send(handler, b'{"error": {"message": "no such thing"}}', 400)
        else:
            _send(handler, _completion('{"found": []}'))

    with _server(choosy) as (url, seen):
        model = open_model("openai:local", {"CSRAG_LLM_URL": url})
        assert json.loads(model.complete("read", "question", SCHEMA, 8.0)) == {"found": []}
    assert ["response_format" in s["body"] for s in seen] == [True, False]


@pytest.mark.parametrize(
    ("spec", "env", "code"),
    [
        ("gpt", {}, "llm_unknown"),
        ("nobody:model", {}, "llm_unknown"),
        ("openai:", {}, "llm_unknown"),
        ("openai:m", {}, "llm_key_missing"),
        ("anthropic:m", {"OPENAI_API_KEY": KEY}, "llm_key_missing"),
        ("openai:m", {"CSRAG_LLM_URL": "ftp://x"}, "llm_url"),
        ("openai:m", {"CSRAG_LLM_URL": f"http://user:{KEY}@127.0.0.1/v1"}, "llm_url"),
    ],
)
def test_what_cannot_be_used_is_said_before_any_work(spec: str, env: dict[str, str], code: str) -> None:
    with pytest.raises(RequestError) as caught:
        open_model(spec, env)
    assert caught.value.code == code
    assert KEY not in str(caught.value)


def test_an_anthropic_model_needs_only_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")  # nobody listens there
    model = open_model("anthropic:some-model", {"ANTHROPIC_API_KEY": KEY})
    assert model.name == "anthropic:some-model"
    assert KEY not in repr(model)
    with pytest.raises(ModelFailure) as caught:
        model.complete("a", "b", None, 3.0)
    assert KEY not in str(caught.value)


def test_nothing_of_it_is_imported_without_a_model(demo_layers: Path) -> None:
    code = (
        "import sys; from csrag.interfaces.cli import main; main(['ask', '25 MW near Quincy', '--json']); "
        "print([m for m in sys.modules if m.split('.')[0] in {'pydantic_ai', 'pydantic', 'openai', 'anthropic', 'asyncio'} "
        "or m.startswith('csrag.ask.language')], file=sys.stderr)"
    )
    env = {**os.environ, "CSRAG_DATA": str(demo_layers)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=env, timeout=60, check=False
    )
    assert done.stderr.strip().splitlines()[-1] == "[]"


def test_the_command_line_answers_over_http(demo_layers: Path) -> None:
    with _server(_good) as (url, _):
        env = {**os.environ, "CSRAG_DATA": str(demo_layers), "CSRAG_LLM_URL": url, "CSRAG_LLM_KEY": KEY}
        done = subprocess.run(
            [sys.executable, "-m", "csrag", "ask", QUESTION, "--json", "--llm", "openai:local"],
            capture_output=True, text=True, env=env, timeout=60, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert "text_by_model" in [w["code"] for w in record["warnings"]]
    assert KEY not in done.stdout + done.stderr
