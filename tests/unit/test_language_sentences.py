"""Sentences are told once, in order, and only as far as they are right; the rest is the template's."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.model_servers import begin_events, model_server, openai_text, send_events

from csrag.ask.language.prose import write_prose
from csrag.ask.language.protocol import Assistant, Limits
from csrag.ask.language.scripted import ScriptedModel, ScriptedPlanner
from csrag.ask.results import Caveat, Claim, Fact
from csrag.ask.synthesis.render import Rendered, verify
from csrag.ask.synthesis.sentences import Teller, split_sentences

FACTS = {
    "average_delivered_cost": Fact(61.3, "usd_per_bdt", "average delivered cost"),
    "last_ton_cost": Fact(88.0, "usd_per_bdt", "last ton, the dearest cluster taken"),
}
TEMPLATE = Rendered(
    "The template says $61.30 per BDT on average. The last is $88.00 per BDT.",
    (Claim("$61.30 per BDT", "average_delivered_cost", 18), Claim("$88.00 per BDT", "last_ton_cost", 57)),
    (),
)
FIRST = "Fuel at <<place>> has an average delivered cost of {{average_delivered_cost}}. "
GOOD = FIRST + "The last ton costs {{last_ton_cost}}."
FIRST_SHOWN = "Fuel at Mt. Shasta has an average delivered cost of $61.30 per BDT."


def _write(replies: list[Any], **more: Any) -> tuple[Rendered, list[str], list[Caveat], ScriptedPlanner]:
    model, told, caveats = ScriptedPlanner([], replies, **more), list[str](), list[Caveat]()
    teller = Teller(told.append)
    rendered = write_prose(
        Assistant(model, Limits(stall_s=0.2)), TEMPLATE, FACTS, "Mt. Shasta", caveats, teller
    )  # fmt: skip
    teller.finish(rendered.text, rendered.names)
    assert "".join(told) == rendered.text
    assert verify(rendered, FACTS) == []
    return rendered, told, caveats, model


@given(
    st.text(alphabet="Aa1 .!?\n\"')", max_size=80),
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 80)), max_size=3),
)
def test_sentences_joined_are_the_text(text: str, kept: list[tuple[int, int]]) -> None:
    parts = list(split_sentences(text, kept))
    assert "".join(parts) == text
    assert all(parts)
    told: list[str] = []
    teller = Teller(told.append)
    teller.finish(text, kept)
    assert told == parts


def test_names_are_not_parted() -> None:
    text = "At Mt. Shasta it is so. And more."
    assert list(split_sentences(text, [(3, 13)])) == ["At Mt. Shasta it is so. ", "And more."]


@pytest.mark.parametrize("piece", [1, 2, 11, 400])
def test_a_good_text_in_pieces(piece: int) -> None:
    rendered, told, caveats, _ = _write([GOOD], piece=piece)
    assert told == [FIRST_SHOWN, " The last ton costs $88.00 per BDT."]
    assert [c.code for c in caveats] == ["text_by_model"]
    assert rendered.names == ((8, 18),)


BAD_SECOND = (
    "The last ton costs 88 dollars.", "The average ton costs {{last_ton_cost}}.", "The last ton costs {{no_such}}.",
    "The last ton costs {{last_ton_cost}}, double that.", "Ignore the rest.", FIRST, "The last ton costs {{last_ton_cost}",
    "# Heading\n", "\u0661\u0662 tons.", "<<secret>> {{last_ton_cost}} last ton.",
)  # fmt: skip


@pytest.mark.parametrize("second", BAD_SECOND)
@pytest.mark.parametrize("piece", [1, 400])
def test_a_bad_sentence_ends_the_stream_and_the_template_goes_on(second: str, piece: int) -> None:
    rendered, told, caveats, model = _write([FIRST + second + " The last ton costs {{last_ton_cost}}."], piece=piece)
    assert rendered.text == FIRST_SHOWN + "\n\n" + TEMPLATE.text
    assert told[0] == FIRST_SHOWN
    assert [c.code for c in caveats] == ["text_partly_by_model"]
    assert "first sentence is by the model scripted:model" in caveats[0].message
    assert 'from "The template says $61.30" on' in caveats[0].message
    assert len(model.calls) == 1, "what was told cannot be written anew"


def test_a_text_that_breaks_off_is_completed() -> None:
    for end in ("The last ton costs {{last_ton_cost}} and the", "The last ton costs {{last_ton_cost}}", "The last"):
        rendered, _, caveats, _ = _write([FIRST + end])
        assert rendered.text == FIRST_SHOWN + "\n\n" + TEMPLATE.text
        assert [c.code for c in caveats] == ["text_partly_by_model"]


def test_nothing_is_told_of_a_text_whose_first_sentence_is_bad() -> None:
    rendered, told, caveats, model = _write(["It costs 25 dollars. " + GOOD, GOOD])
    assert rendered.text.startswith(FIRST_SHOWN)
    assert [c.code for c in caveats] == ["text_by_model"]
    assert len(model.calls) == 2
    rendered, told, caveats, model = _write(["It costs 25 dollars. " + GOOD])
    assert rendered == TEMPLATE
    assert "".join(told) == TEMPLATE.text
    assert [c.code for c in caveats] == ["model_text_refused"]
    assert len(model.calls) == 2


def test_a_text_that_leaves_the_main_values_out_is_completed() -> None:
    rendered, _, caveats, _ = _write([FIRST])
    assert rendered.text == FIRST_SHOWN + "\n\n" + TEMPLATE.text
    assert "left out" in caveats[0].message


def test_a_stall_ends_the_stream() -> None:
    start = time.monotonic()
    rendered, _, caveats, _ = _write([GOOD], piece=len(FIRST) + 5, pause_s={1: 3.0})
    assert time.monotonic() - start < 2
    assert rendered.text == FIRST_SHOWN + "\n\n" + TEMPLATE.text
    assert "silent" in caveats[0].message


def test_a_model_that_cannot_stream_is_told_sentence_by_sentence_all_the_same() -> None:
    told: list[str] = []
    teller = Teller(told.append)
    rendered = write_prose(Assistant(ScriptedModel([GOOD])), TEMPLATE, FACTS, "Mt. Shasta", [], teller)
    teller.finish(rendered.text, rendered.names)
    assert told == [FIRST_SHOWN + " ", "The last ton costs $88.00 per BDT."]


def test_who_stops_listening_stops_the_model() -> None:
    """Ctrl-C arrives as an exception in the listener; the model is broken off and nothing goes on behind its back."""
    model = ScriptedPlanner(
        [], [FIRST + "The last ton costs {{last_ton_cost}}. " * 50], piece=1, pause_s={len(FIRST) + 30: 0.3}
    )

    def stop(_sentence: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_prose(Assistant(model), TEMPLATE, FACTS, "Mt. Shasta", [], Teller(stop))
    time.sleep(0.5)
    assert model.told < len(FIRST) + 40


# --- chat on a terminal's pipes ---------------------------------------------------------------------------------------

SITE_TEXT = (
    "Fuel at <<place>> has an average delivered cost of {{average_delivered_cost}}. The last ton costs {{last_ton_cost}}. "
    "Over the life of the plant the average delivered cost is {{life_average_delivered_cost}}."
)


@pytest.fixture
def chat_env(demo_layers: Path, tmp_path: Path) -> dict[str, str]:
    pytest.importorskip("pydantic_ai", reason="the extra `llm` is not installed")
    return {
        **os.environ,
        "CSRAG_DATA": str(demo_layers),
        "CSRAG_SESSIONS": str(tmp_path / "s.sqlite"),
        "CSRAG_LLM_KEY": "none",
    }


def test_chat_shows_checked_sentences(chat_env: dict[str, str]) -> None:
    with model_server(lambda handler, _: send_events(handler, openai_text(SITE_TEXT))) as (url, _):
        done = subprocess.run(
            [sys.executable, "-m", "csrag", "chat", "--llm", "openai:local"], input="12 MW at Quincy, delivered cost?\n/history\n",
            capture_output=True, text=True, env={**chat_env, "CSRAG_LLM_URL": f"{url}/v1"}, timeout=60, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Fuel at Quincy, Plumas County has an average delivered cost of $") == 1
    assert done.stdout.startswith("SYNTHETIC demonstration data")
    assert done.stdout.count("SYNTHETIC demonstration data ·") == 1
    assert "1  12 MW at Quincy" in done.stdout


@pytest.mark.skipif(os.name == "nt", reason="signals of a terminal")
def test_ctrl_c_in_the_middle_of_a_stream_leaves_the_conversation(chat_env: dict[str, str]) -> None:
    ended = threading.Event()

    def stall(handler: BaseHTTPRequestHandler, _body: dict[str, Any]) -> None:
        begin_events(handler)
        for event in openai_text(SITE_TEXT[: SITE_TEXT.index("Over")])[:-2]:
            handler.wfile.write(event)
        handler.wfile.flush()
        ended.wait(20)

    with model_server(stall) as (url, _):
        chat = subprocess.Popen(
            [sys.executable, "-m", "csrag", "chat", "--llm", "openai:local"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env={**chat_env, "CSRAG_LLM_URL": f"{url}/v1"},
        )  # fmt: skip
        assert chat.stdin is not None
        assert chat.stdout is not None
        too_long = threading.Timer(40, chat.kill)
        too_long.start()
        try:
            chat.stdin.write("12 MW at Quincy, delivered cost?\n")
            chat.stdin.flush()
            shown = ""
            while "Fuel at Quincy" not in shown:
                piece = chat.stdout.read(1)
                assert piece, "the chat ended"
                shown += piece
            chat.send_signal(signal.SIGINT)
            out, err = chat.communicate("/history\n/quit\n", timeout=30)
        finally:
            too_long.cancel()
            ended.set()
            chat.kill()
            chat.wait()
    assert chat.returncode == 0, err
    assert "Stopped; the conversation is as it was" in err
    assert "Traceback" not in err
    assert "1  12 MW" not in out, "the question that was stopped is no part of the conversation"
