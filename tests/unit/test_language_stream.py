"""Models over the wire, streamed: arguments in pieces, texts in pieces, silence in the middle, and keys that stay unseen."""

from __future__ import annotations

import json
import logging
import threading
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from tests.support.model_servers import (
    Respond,
    anthropic_stream,
    begin_events,
    model_server,
    openai_calls,
    openai_chunk,
    openai_text,
    send_events,
    send_json,
)

from csrag.ask.agent.planning import ask_planned
from csrag.ask.language.protocol import Assistant, Limits, Message, ModelFailure, NoToolCallingError, ToolCall
from csrag.ask.language.providers import open_model
from csrag.ask.pipeline import ask
from csrag.interfaces.open import open_layers
from csrag.surfaces.store import LayerStore

pytest.importorskip("pydantic_ai", reason="the extra `llm` is not installed")
KEY = "sk-not-to-be-seen"
SITE = "25 MW facility near Quincy, CA"
CHAIN = "Find the radius that 12 MW needs at Quincy, then use that radius at Greenville: what is the average cost?"
FIRST = "Fuel at <<place>> has an average delivered cost of {{average_delivered_cost}}. "
GOOD = (
    FIRST
    + "The last ton costs {{last_ton_cost}}. Over the life the average delivered cost is {{life_average_delivered_cost}}."
)
ARGUMENTS = '{"place": "Quincy", "capacity_mw": 12}'
TOOL = {
    "name": "find_radius",
    "description": "circle",
    "parameters": {"type": "object", "properties": {}, "required": []},
}


@pytest.fixture(scope="module")
def store(demo_layers: Path) -> LayerStore:
    return open_layers(str(demo_layers))


def _openai(url: str) -> Any:
    return open_model(
        "openai:local", {"CSRAG_LLM_URL": f"{url}/v1", "CSRAG_LLM_KEY": KEY, "OPENAI_API_KEY": "sk-of-another"}
    )


def _streamed(store: LayerStore, url: str, **limits: Any) -> tuple[Any, list[str]]:
    told: list[str] = []
    answer = ask_planned(store, SITE, assistant=Assistant(_openai(url), Limits(**limits)), on_sentence=told.append)
    assert "".join(told) == answer.text
    return answer, told


def test_arguments_split_at_every_byte() -> None:
    """Each position once, and each byte by itself: the server cuts inside names, escapes and numbers."""
    place = '{"place": "Mt. \\u0053hasta", "capacity_mw": 12.5}'
    cuts = [[place[:n], place[n:]] for n in range(1, len(place))] + [list(place)]
    at = iter(cuts)

    def respond(handler: BaseHTTPRequestHandler, _body: dict[str, Any]) -> None:
        send_events(handler, openai_calls([("find_radius", next(at)), ("geocode", ['{"place"', ': "Quincy"}'])]))

    with model_server(respond) as (url, seen):
        model = _openai(url)
        for _ in cuts:
            turn = model.turn("plan", [Message("user", "question")], [TOOL], 10.0)
            assert [c.name for c in turn.calls] == ["find_radius", "geocode"]
            assert json.loads(turn.calls[0].arguments) == {"place": "Mt. Shasta", "capacity_mw": 12.5}
            assert json.loads(turn.calls[1].arguments) == {"place": "Quincy"}
    body = seen[0]["body"]
    assert body["temperature"] == 0
    assert body["stream"] is True
    assert body["tools"][0]["function"]["name"] == "find_radius"


def test_a_plan_over_http_from_the_question_to_the_text(store: LayerStore) -> None:
    def respond(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        results = [m for m in body["messages"] if m["role"] == "tool"]
        if "tools" not in body:
            send_events(handler, openai_text(
                "At <<call_1>> the radius needed is {{call_1_radius_needed_km}}. At <<call_2>> the average delivered cost is "
                "{{call_2_average_delivered_cost}}."))  # fmt: skip
        elif not results:
            send_events(handler, openai_calls([("find_radius", list(ARGUMENTS))]))
        elif len(results) == 1:
            km = json.loads(results[0]["content"])["values"]["radius_needed_km"]["value"]
            asked = json.dumps({"place": "Greenville", "capacity_mw": 12, "radius_km": km})
            send_events(handler, openai_calls([("supply_curve", list(asked))]))
        else:
            send_events(handler, openai_text("Done."))

    told: list[str] = []
    with model_server(respond) as (url, seen):
        answer = ask_planned(store, CHAIN, assistant=Assistant(_openai(url)), on_sentence=told.append)
    assert answer.text.startswith("At Quincy (12 MW) the radius needed is ")
    assert "".join(told) == answer.text
    assert len(told) >= 2
    steps = [s for s in answer.trace if s.call]
    assert [(s.tool, s.call) for s in steps] == [("find_radius", 1), ("supply_curve", 2)]
    assert steps[1].rows
    assert {s["headers"]["authorization"] for s in seen} == {f"Bearer {KEY}"}
    plain = ask(store, CHAIN)
    assert {i: answer.facts[i] for i in plain.facts} == dict(plain.facts)


@pytest.mark.parametrize("piece", [1, 3, 50, 5000])
def test_sentences_are_told_as_they_pass(store: LayerStore, piece: int) -> None:
    with model_server(lambda handler, _: send_events(handler, openai_text(GOOD, piece))) as (url, _):
        answer, told = _streamed(store, url)
    assert "text_by_model" in [w.code for w in answer.warnings]
    assert len(told) == 3
    assert told[0].startswith("Fuel at Quincy, Plumas County has an average delivered cost of $")


def test_a_sentence_is_told_before_the_reply_is_over(store: LayerStore) -> None:
    heard = threading.Event()

    def slowly(handler: BaseHTTPRequestHandler, _body: dict[str, Any]) -> None:
        begin_events(handler)
        for event in openai_text(FIRST + "The"):
            if b'finish_reason": "stop' not in event and b"DONE" not in event:
                handler.wfile.write(event)
        handler.wfile.flush()
        assert heard.wait(10)  # nothing more is sent until the first sentence was told
        for event in openai_text(GOOD.removeprefix(FIRST + "The"))[1:]:
            handler.wfile.write(event)
        handler.wfile.flush()

    told: list[str] = []

    def hear(sentence: str) -> None:
        told.append(sentence)
        heard.set()

    with model_server(slowly) as (url, _):
        answer = ask_planned(store, SITE, assistant=Assistant(_openai(url)), on_sentence=hear)
    assert "".join(told) == answer.text
    assert "text_by_model" in [w.code for w in answer.warnings]


def test_a_stall_in_the_middle_of_a_stream(store: LayerStore) -> None:
    ended = threading.Event()

    def stall(handler: BaseHTTPRequestHandler, _body: dict[str, Any]) -> None:
        begin_events(handler)
        for event in openai_text(FIRST + "The last ")[:-2]:
            handler.wfile.write(event)
        handler.wfile.flush()
        ended.wait(20)

    plain = ask(store, SITE)
    with model_server(stall) as (url, seen):
        start = time.monotonic()
        answer, told = _streamed(store, url, stall_s=0.5)
        took = time.monotonic() - start
        ended.set()
    assert took < 4
    assert len(seen) == 1
    assert answer.exit_code == 0
    assert answer.text.endswith(plain.text)
    assert told[0].startswith("Fuel at Quincy")
    notes = [w.message for w in answer.warnings if w.code == "text_partly_by_model"]
    assert len(notes) == 1
    assert "first sentence is by the model" in notes[0]
    assert "silent" in notes[0]
    assert [answer.facts[i] for i in plain.facts] == list(plain.facts.values())


def _cut(handler: BaseHTTPRequestHandler, _body: dict[str, Any]) -> None:
    send_events(handler, openai_text(FIRST + "The last ton costs {{last_ton")[:-2])


def _garbage(handler: BaseHTTPRequestHandler, _body: dict[str, Any]) -> None:
    send_events(handler, [*openai_text(FIRST + "More.")[:3], b'data: {"choices": [{\n\n', b"data: [DONE]\n\n"])


def _number(handler: BaseHTTPRequestHandler, _body: dict[str, Any]) -> None:
    send_events(handler, openai_text(FIRST + "That is about sixty dollars. The last ton costs {{last_ton_cost}}."))


def _label(handler: BaseHTTPRequestHandler, _body: dict[str, Any]) -> None:
    send_events(handler, openai_text(FIRST + "The average harvest cost is {{last_ton_cost}}. And more."))


def _loop(handler: BaseHTTPRequestHandler, _body: dict[str, Any]) -> None:
    send_events(handler, openai_text(FIRST * 400, 500))


def _forever(handler: BaseHTTPRequestHandler, _body: dict[str, Any]) -> None:
    begin_events(handler)
    end = time.monotonic() + 20
    while time.monotonic() < end:  # ends at the first piece that nobody takes
        handler.wfile.write(openai_chunk({"content": "word word. " * 20}))


def _refuse(handler: BaseHTTPRequestHandler, _body: dict[str, Any]) -> None:
    send_json(handler, {"error": {"message": f"bad key {KEY}"}}, 401)


def _ghost(handler: BaseHTTPRequestHandler, _body: dict[str, Any]) -> None:
    send_events(handler, openai_calls([("launch_rocket", ['{"x": 1'])]))


@pytest.mark.parametrize(
    "respond", [_cut, _garbage, _number, _label, _loop, _forever, _refuse, _ghost], ids=lambda f: f.__name__
)
def test_a_stream_that_goes_wrong_goes_on_with_the_templates_text(store: LayerStore, respond: Respond) -> None:
    plain = ask(store, SITE)
    with model_server(respond) as (url, seen):
        start = time.monotonic()
        answer, told = _streamed(store, url, wall_s=8.0, call_s=4.0)
    assert time.monotonic() - start < 10
    assert len(seen) <= 4
    assert answer.text.endswith(plain.text)
    assert answer.exit_code == 0
    assert "sixty" not in answer.text
    codes = [w.code for w in answer.warnings]
    if answer.text == plain.text:
        assert "model_text_refused" in codes
    else:
        assert "text_partly_by_model" in codes
        assert told[0].startswith("Fuel at Quincy, Plumas County has an average delivered cost of $")
        assert answer.text.count("Fuel at Quincy, Plumas County has") == 1
    assert KEY not in json.dumps(answer.to_json())


@pytest.mark.parametrize(
    ("status", "kind"), [(400, NoToolCallingError), (501, NoToolCallingError), (500, ModelFailure)]
)
def test_a_server_without_tools_is_told_apart(status: int, kind: type[ModelFailure]) -> None:
    def respond(handler: BaseHTTPRequestHandler, _body: dict[str, Any]) -> None:
        send_json(handler, {"error": {"message": "no"}}, status)

    with model_server(respond) as (url, _), pytest.raises(ModelFailure) as caught:
        _openai(url).turn("plan", [Message("user", "q")], [TOOL], 5.0)
    assert type(caught.value) is kind


def _anthropic(monkeypatch: pytest.MonkeyPatch, url: str) -> Any:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
    return open_model("anthropic:some-model", {"ANTHROPIC_API_KEY": KEY})


def test_the_wire_of_anthropic(store: LayerStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def respond(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        results = [
            p for m in body["messages"] for p in m["content"] if isinstance(p, dict) and p["type"] == "tool_result"
        ]
        if "tools" in body and not results:
            block = {"type": "tool_use", "id": "t1", "name": "find_radius", "input": {}}
            deltas = [{"type": "input_json_delta", "partial_json": c} for c in ARGUMENTS]
            send_events(handler, anthropic_stream([(block, deltas)], "tool_use"))
            return
        text = "Done." if "tools" in body else "At <<call_1>> the radius needed is {{call_1_radius_needed_km}}."
        deltas = [{"type": "text_delta", "text": c} for c in text]
        send_events(handler, anthropic_stream([({"type": "text", "text": ""}, deltas)], "end_turn"))

    told: list[str] = []
    with model_server(respond) as (url, seen):
        model = _anthropic(monkeypatch, url)
        answer = ask_planned(store, CHAIN, assistant=Assistant(model), on_sentence=told.append)
    assert answer.text.startswith("At Quincy (12 MW) the radius needed is ")
    assert "planned_by_model" in [w.code for w in answer.warnings]
    assert all(s["path"].startswith("/v1/messages") for s in seen)
    # By whichever header the library's version uses.
    assert all(KEY in s["headers"].get("x-api-key", "") + s["headers"].get("authorization", "") for s in seen)
    assert seen[0]["body"]["temperature"] == 0
    assert seen[1]["body"]["messages"][-1]["content"][0]["tool_use_id"] == "t1"


def test_keys_are_in_no_log_and_no_message(
    store: LayerStore,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    caplog.set_level(logging.DEBUG)
    for respond in (_refuse, _cut, _ghost, lambda h, _: send_events(h, openai_text(GOOD))):
        with model_server(respond) as (url, _):
            for model in (_openai(url), _anthropic(monkeypatch, url)):
                assert KEY not in repr(model) + str(vars(model).keys())
                for question in (SITE, CHAIN):
                    record = ask_planned(store, question, assistant=Assistant(model)).to_json()
                    assert KEY not in json.dumps(record)
    said = capfd.readouterr()
    assert KEY not in caplog.text + said.out + said.err
    assert caplog.records, "nothing was logged at all: the test would prove nothing"


def test_arguments_that_are_no_object_are_not_sent_back() -> None:
    def respond(handler: BaseHTTPRequestHandler, _body: dict[str, Any]) -> None:
        send_events(handler, openai_text("Done."))

    bad = ToolCall("find_radius", '{"place": "Qui', "c1")
    with model_server(respond) as (url, seen):
        messages = [Message("user", "q"), Message("model", calls=(bad,)), Message("tool", "refused", call=bad)]
        assert _openai(url).turn("plan", messages, [TOOL], 5.0).calls == ()
    sent = seen[0]["body"]["messages"]
    assert json.loads(sent[2]["tool_calls"][0]["function"]["arguments"]) == {}
    assert sent[3]["tool_call_id"] == "c1"
