"""The HTTP door over a real server on loopback: the command line's numbers, conversations apart, limits, streams."""

from __future__ import annotations

import concurrent.futures
import http.client
import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason='the HTTP door needs pip install "csrag[web]"')
uvicorn = pytest.importorskip("uvicorn", reason='the HTTP door needs pip install "csrag[web]"')

from csrag.ask.agent.session import Session  # noqa: E402
from csrag.ask.pipeline import ask  # noqa: E402
from csrag.interfaces.http.app import Limits, create_app  # noqa: E402
from csrag.interfaces.http.conversations import Conversations  # noqa: E402
from csrag.interfaces.open import open_layers  # noqa: E402
from csrag.surfaces.store import LayerStore  # noqa: E402

CHAINS = (
    ["25 MW near Quincy, fire risk matters", "and for 30 MW?", "same thing in Burney", "go back to the first one"],
    ["10 MW at Chester with diesel at 6.50", "project 20 years", "now without the diesel change"],
    ["20 MW near Susanville, 30 % weight on fire", "60 % instead", "now without the fire part", "undo"],
)


class Server:
    """A server in a thread of the test."""

    def __init__(self, app: Any) -> None:
        self._server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", lifespan="on"))
        self._thread = threading.Thread(target=self._server.run, daemon=True)

    def __enter__(self) -> Server:
        self._thread.start()
        end = time.monotonic() + 30
        while not self._server.started:
            assert time.monotonic() < end, "the server did not start"
            time.sleep(0.01)
        self.port = self._server.servers[0].sockets[0].getsockname()[1]
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join(30)

    def call(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> tuple[int, Any, dict[str, str]]:
        """Status, JSON body and headers of a request."""
        wire = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            data = None if body is None else json.dumps(body)
            wire.request(method, path, data, {"Content-Type": "application/json", **(headers or {})})
            response = wire.getresponse()
            text = response.read().decode()
            found = {name.lower(): value for name, value in response.getheaders()}
            return response.status, json.loads(text) if text else None, found
        finally:
            wire.close()

    def ask(self, question: str, session: str | None = None) -> Any:
        """The record of a question."""
        status, record, _ = self.call("POST", "/api/ask", {"question": question, "session": session})
        assert status == 200, record
        return record

    def begin(self) -> str:
        """Id of a new conversation."""
        status, body, _ = self.call("POST", "/api/sessions")
        assert status == 201
        return str(body["session"])

    def stream(self, question: str, session: str | None = None) -> list[tuple[str, Any]]:
        """Every event of a question."""
        wire = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            body = json.dumps({"question": question, "session": session})
            wire.request("POST", "/api/ask/stream", body, {"Content-Type": "application/json"})
            response = wire.getresponse()
            assert response.status == 200
            assert response.getheader("content-type", "").startswith("text/event-stream")
            blocks = [b.splitlines() for b in response.read().decode().split("\n\n") if b]
            return [(b[0].removeprefix("event: "), json.loads(b[1].removeprefix("data: "))) for b in blocks]
        finally:
            wire.close()


@pytest.fixture(scope="module")
def layers(demo_layers: Path) -> LayerStore:
    return open_layers(str(demo_layers))


@pytest.fixture(scope="module")
def server(layers: LayerStore) -> Iterator[Server]:
    with Server(create_app(lambda: layers)) as running:
        yield running


def numbers(record: Any) -> str:
    return json.dumps(
        [record[k] for k in ("status", "reason", "query", "values", "tables", "text", "claims", "warnings")]
    )


@pytest.mark.parametrize(
    "question",
    [
        "25 MW facility near Quincy, CA. Fire risk matters.",
        "Compare Quincy and Chester for 10 MW",
        "Best two sites in Plumas County for 5 MW",
        "How much SDI55 residue is in Plumas County?",
        "How is the fire score computed?",
        "10 MW near Paris",
        "300 MW at Quincy",
        "write me a poem",
    ],
)
def test_values_are_those_of_the_pipeline_byte_for_byte(server: Server, layers: LayerStore, question: str) -> None:
    assert numbers(server.ask(question)) == numbers(json.loads(json.dumps(ask(layers, question).to_json())))


def test_several_questions_of_a_message_stand_under_also(server: Server) -> None:
    record = server.ask("What does fuel cost for 10 MW at Quincy? And what for 12 MW at Chester?")
    assert len(record["also"]) == 1
    assert record["also"][0]["query"]["capacity_mw"] == 12


def test_two_clients_never_share_state(server: Server, layers: LayerStore) -> None:
    ids = [server.begin() for _ in CHAINS]
    assert len(set(ids)) == len(CHAINS)
    # Turn by turn, one client after the other: each goes on from its own last turn.
    got: list[list[str]] = [[] for _ in CHAINS]
    for turn in range(max(map(len, CHAINS))):
        for n, chain in enumerate(CHAINS):
            if turn < len(chain):
                record = server.ask(chain[turn], ids[n])
                assert record["session"] == ids[n]
                got[n].append(numbers(record))
    for chain, records in zip(CHAINS, got, strict=True):
        alone = Session(layers)
        assert records == [numbers(json.loads(json.dumps(alone.ask(q).to_json()))) for q in chain]
    # Without a conversation nothing is carried.
    assert server.ask("and for 30 MW?")["status"] == "refused"


def test_many_clients_at_once_get_their_own_answers(server: Server, layers: LayerStore) -> None:
    def client(n: int) -> list[str]:
        chain, mine = CHAINS[n % len(CHAINS)], server.begin()
        return [numbers(server.ask(q, mine)) for q in chain[:3]]

    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        got = list(pool.map(client, range(6)))
    for n, records in enumerate(got):
        alone = Session(layers)
        assert records == [numbers(json.loads(json.dumps(alone.ask(q).to_json()))) for q in CHAINS[n % len(CHAINS)][:3]]


def test_a_follow_up_reuses_what_is_kept_and_the_trace_shows_it(server: Server) -> None:
    mine = server.begin()
    server.ask("25 MW near Quincy", mine)
    record = server.ask("fire risk matters", mine)
    reads = [s["cache"] for s in record["trace"] if s["tool"].startswith("retrieve_clusters")]
    assert reads
    assert set(reads) == {"hit"}


def test_a_stream_tells_stages_and_sentences_and_ends_with_the_record(server: Server) -> None:
    question = "25 MW facility near Quincy, CA. Fire risk matters."
    events = server.stream(question)
    kinds = [kind for kind, _ in events]
    assert kinds[-1] == "record"
    assert kinds.index("stage") < kinds.index("sentence")
    record = events[-1][1]
    assert "".join(data["text"] for kind, data in events if kind == "sentence") == record["text"]
    assert numbers(record) == numbers(server.ask(question))
    told = [data["tool"] for kind, data in events if kind == "stage"]
    assert [s["tool"] for s in record["trace"]] == told


def test_a_client_that_goes_away_leaves_the_conversation_as_it_was(server: Server) -> None:
    mine = server.begin()
    first = server.ask("10 MW at Quincy", mine)
    wire = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    body = json.dumps({"question": "Best twenty sites for 5 MW in the whole set, 1 km apart", "session": mine})
    wire.request("POST", "/api/ask/stream", body, {"Content-Type": "application/json"})
    wire.getresponse().read(10)
    wire.sock.close() if wire.sock else wire.close()
    end = time.monotonic() + 60
    while True:
        status, record, _ = server.call("POST", "/api/ask", {"question": "and for 12 MW?", "session": mine})
        if status == 200:
            break
        assert status == 409
        assert time.monotonic() < end
        time.sleep(0.1)
    assert record["query"]["capacity_mw"] == 12
    assert record["query"]["locations"][0]["name"] in {first["query"]["locations"][0]["name"], "site 1 of the search"}


def test_a_busy_conversation_and_a_full_server_say_so(layers: LayerStore) -> None:
    with Server(create_app(lambda: layers, Limits(at_once=2))) as server:
        mine = server.begin()
        question = {"question": "Best five sites for 5 MW", "session": mine}
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            both = [f.result() for f in [pool.submit(server.call, "POST", "/api/ask", question) for _ in range(2)]]
        statuses = sorted(status for status, _, _ in both)
        assert statuses in ([200, 409], [200, 200])
        refused = [body for status, body, _ in both if status == 409]
        assert all(body["code"] == "session_busy" for body in refused)


def test_time_is_limited(layers: LayerStore) -> None:
    with Server(create_app(lambda: layers, Limits(wall_s=0.0))) as server:
        status, body, _ = server.call("POST", "/api/ask", {"question": "10 MW at Quincy"})
        assert (status, body["code"]) == (503, "time_up")
        assert server.stream("10 MW at Quincy")[-1] == ("error", body)


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("POST", "/api/ask", {"question": ""}, 422, "bad_request"),
        ("POST", "/api/ask", {}, 422, "bad_request"),
        ("POST", "/api/ask", {"question": "x", "colour": 1}, 422, "bad_request"),
        ("POST", "/api/ask", {"question": "x" * 10_001}, 422, "bad_request"),
        ("POST", "/api/ask", {"question": "x" * 70_000}, 413, "body_too_large"),
        ("POST", "/api/ask", {"question": "10 MW at Quincy", "session": "no"}, 404, "session_unknown"),
        ("POST", "/api/ask/stream", {"question": "10 MW at Quincy", "session": "no"}, 404, "session_unknown"),
        ("DELETE", "/api/sessions/none", None, 404, "session_unknown"),
        ("GET", "/nothing", None, 404, "not_found"),
        ("GET", "/api/ask", None, 405, "bad_request"),
        ("POST", "/api/parse", [1], 422, "bad_request"),
    ],
)
def test_wrong_requests_get_typed_errors(
    server: Server, method: str, path: str, body: Any, status: int, code: str
) -> None:
    got, problem, headers = server.call(method, path, body)
    assert (got, problem["code"]) == (status, code)
    assert problem["message"]
    assert problem["fix"]
    assert headers["x-content-type-options"] == "nosniff"
    assert "access-control-allow-origin" not in headers


def test_parse_layers_health_and_openapi(server: Server, layers: LayerStore) -> None:
    parsed = server.call("POST", "/api/parse", {"question": "and for 30 MW?", "after": ["20 MW at Quincy"]})[1]
    assert parsed["capacity_mw"] == 30
    assert parsed["locations"][0]["name"] == "Quincy"
    assert server.call("GET", "/api/layers")[1]["hash"] == layers.hash
    assert server.call("GET", "/api/health")[1]["status"] == "ok"
    described = server.call("GET", "/api/openapi.json")[1]
    assert {"/api/ask", "/api/ask/stream", "/api/parse", "/api/sessions", "/api/layers", "/api/health"} <= set(
        described["paths"]
    )


def test_an_ended_conversation_is_forgotten(server: Server) -> None:
    mine = server.begin()
    assert server.call("DELETE", f"/api/sessions/{mine}")[0] == 204
    assert server.call("POST", "/api/ask", {"question": "10 MW at Quincy", "session": mine})[0] == 404


def test_idle_conversations_go_first_and_never_one_that_answers(layers: LayerStore) -> None:
    now = [0.0]
    kept = Conversations(lambda: layers, most=2, idle_s=100.0, clock=lambda: now[0])
    one, two = kept.begin(), kept.begin()
    kept.get(one)
    with kept.get(one).turn:
        three = kept.begin()
        assert len(kept) == 2
        kept.get(one)
        kept.get(three)
        with pytest.raises(Exception, match="no such conversation"):
            kept.get(two)
        now[0] = 200.0
        kept.get(one)
    now[0] = 400.0
    with pytest.raises(Exception, match="idle"):
        kept.get(one)


def test_a_token_is_asked_for_and_questions_are_not_logged(
    layers: LayerStore, caplog: pytest.LogCaptureFixture
) -> None:
    token = "a-token-of-enough-letters"
    with caplog.at_level(logging.DEBUG), Server(create_app(lambda: layers, token=token)) as server:
        assert server.call("GET", "/api/health")[0] == 200
        for wrong in ({}, {"Authorization": "Bearer no"}, {"Authorization": token}):
            assert server.call("GET", "/api/layers", None, wrong)[0] == 401
        right = {"Authorization": f"Bearer {token}"}
        assert server.call("POST", "/api/ask", {"question": "7 MW at Quincy, secretly"}, right)[0] == 200
    assert "secretly" not in caplog.text
    assert token not in caplog.text
    assert '"path": "/api/ask"' in caplog.text


def test_the_command_serves_and_stops_when_asked(demo_layers: Path) -> None:
    command = [sys.executable, "-m", "csrag", "serve", "--port", "0", "--data", str(demo_layers)]
    refused = subprocess.run([*command, "--host", "0.0.0.0"], capture_output=True, text=True, check=False, timeout=60)
    assert refused.returncode == 2
    assert "token" in refused.stderr
    if os.name == "nt":
        return
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert running.stdout is not None
        assert "csrag serves on http://127.0.0.1" in running.stdout.readline()
        time.sleep(1.0)
        running.send_signal(signal.SIGTERM)
        running.communicate(timeout=60)
        assert running.returncode in {0, -signal.SIGTERM}
    finally:
        running.kill()
