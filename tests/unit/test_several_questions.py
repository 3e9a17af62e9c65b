"""Several questions in one message: where they are taken apart, where not, and how they are answered."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csrag.ask.agent.questions import MAX_QUESTIONS, split_message, split_questions
from csrag.interfaces.cli import main

SEVERAL = {
    "What does fuel cost at Quincy for 10 MW? And at Burney?": 2,
    "What does fuel cost at Quincy for 10 MW? And at Burney? And with diesel at 6.50?": 3,
    "1. What does fuel cost at Quincy for 10 MW?\n2. And at Burney?\n3. How is circuity defined?": 3,
    "1) fuel cost at Quincy for 10 MW 2) same at Burney 3) how is circuity defined?": 3,
    "25 MW near Quincy. Also, how is circuity defined?": 2,
    "25 MW facility near Quincy, CA. Fire risk matters. Also, how is circuity defined?": 2,
    "What is a circuity factor? What does fuel cost at Chester for 12 MW?": 2,
    "What would 12 MW at Mt. Shasta cost? And what is burn probability?": 2,
    "How big a plant can Burney feed under $60/BDT? Then compare Quincy and Chester for 20 MW.": 2,
    "Compare Quincy and Chester for 20 MW. Project Burney, 10 MW, over 15 years.": 2,
    "- Fuel cost for 10 MW at Quincy?\n- LCOE for 5 MW at Chester?": 2,
    "25 MW at Quincy, cost? Fire risk matters. And at Burney?": 2,
    "What does 10 MW at Quincy cost? We also own a lot in Burney. What would 5 MW there cost?": 2,
    "¿Cuánto costaría el combustible para 12 MW en Redding? ¿Y en Burney?": 2,
    "a) What does fuel cost at Quincy for 10 MW? b) What about Burney?": 2,
    "Fuel cost for 10 MW at Quincy? What about 20 MW? How is the fire score computed?": 3,
    "10 MW at Quincy, cost? Explain how haul cost is computed.": 2,
    "25 MW near Quincy. 10 MW at Burney.": 2,
    "Who owns the forest within 20 miles of Happy Camp? How much residue is there in Tuolumne County?": 2,
    "For 10 MW at Quincy: 1. what does fuel cost? 2. what is the LCOE?": 2,
}
"""Message to the number of its questions."""
ONE = [
    "25 MW facility near Quincy, CA. Fire risk matters.",
    "20 MW at Mt. Shasta, U.S. 97. Cost?",
    "What does fuel cost at St. Helena for 10.5 MW? Fire risk matters.",
    "15 MW at Quincy? Delivered cost?",
    "Hi, how are you? What would fuel cost at Chester for 12 MW?",
    "Can you help me? What does 12 MW at Chester cost?",
    "What does 12 MW at Chester cost? Thanks!",
    "What does 12 MW at Chester cost, please? Is that ok?",
    "1. 25 MW 2. near Quincy 3. fire matters",
    "- 25 MW\n- Quincy\n- fire risk matters\nDelivered cost?",
    "20 MW at Weed. The nearest plant is 25 MW at Anderson. Cost?",
    "Explain why 25 MW needs about 187,000 BDT a year. Which formula do you use?",
    "We own land in Burney. What would 10 MW there cost?",
    "What would 12 MW at Weed need? Delivered cost.",
    "12 MW at Weed, diesel at $6.50. Slopes under 35%. Private land only. What does the fuel cost?",
    "How sensitive is LCOE to diesel at Chester, 15 MW? Use TFB40.",
    "Who owns it?",
    "and for 30 MW?",
    "save this as base case",
    "25 MW near Quincy e.g. at the mill. Cost?",
    "No. 1 priority is fire. 20 MW at Burney?",
    "What does fuel cost for 20 MW at Burney? Ignore fire.",
    "What does fuel cost for 20 MW at Burney? Only national forest land, please.",
    "",
    "?",
    "Dr. Smith of the U.S. Forest Service asks: 20 MW at Mt. Shasta, cost?",
]


@pytest.mark.parametrize(("message", "count"), SEVERAL.items(), ids=[m[:50] for m in SEVERAL])
def test_questions_of_their_own_are_taken_apart(message: str, count: int) -> None:
    parts = split_questions(message)
    assert len(parts) == count
    assert all(part.strip() for part in parts)


@pytest.mark.parametrize("message", ONE)
def test_what_qualifies_a_question_stays_with_it(message: str) -> None:
    assert split_questions(message) == [message]


def test_the_qualifier_goes_with_its_question_and_the_lead_with_the_next() -> None:
    cost, other = split_questions("25 MW at Quincy, cost? Fire risk matters. And at Burney?")
    assert cost == "25 MW at Quincy, cost? Fire risk matters."
    assert other == "And at Burney?"
    first, second = split_questions(
        "What does 10 MW at Quincy cost? We also own a lot in Burney. What would 5 MW there cost?"
    )
    assert first == "What does 10 MW at Quincy cost?"
    assert second == "We also own a lot in Burney. What would 5 MW there cost?"
    lead, _ = split_questions("For 10 MW at Quincy: 1. what does fuel cost? 2. what is the LCOE?")
    assert lead == "For 10 MW at Quincy: what does fuel cost?"


@pytest.mark.shared
def test_every_published_question_is_one(shared_dir: Path) -> None:
    lines = (shared_dir / "acceptance" / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [q for line in lines for q in (json.loads(line)["question"], *(json.loads(line).get("after") or []))]
    assert len(questions) > 100
    assert [q for q in questions if split_questions(q) != [q]] == []


def test_a_command_is_never_taken_apart() -> None:
    assert split_message('save this as "What? And what?"') == ['save this as "What? And what?"']


def test_no_more_than_a_dozen_and_nothing_is_lost() -> None:
    message = " ".join(f"What does fuel cost at Quincy for {n} MW?" for n in range(1, 31))
    parts = split_questions(message)
    assert len(parts) == MAX_QUESTIONS
    assert " ".join(parts) == message


@given(
    st.lists(
        st.sampled_from(["And at Burney?", "Fire matters.", "10 MW at Quincy.", "Mt.", "What?", "\n\n", "1.", "2."]),
        max_size=8,
    )
)
def test_no_letter_of_a_message_is_lost(pieces: list[str]) -> None:
    message = " ".join(pieces)
    kept = "".join(c for part in split_questions(message) for c in part if c.isalpha())
    assert sorted(kept) == sorted(c for c in message if c.isalpha())


def test_the_record_of_several_holds_the_others(demo_layers: Path, capsys: pytest.CaptureFixture[str]) -> None:
    message = "What does fuel cost at Quincy for 10 MW? And for 12 MW? What is a circuity factor?"
    assert main(["ask", message, "--json", "--data", str(demo_layers)]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["query"]["capacity_mw"] == 10
    assert [r["query"]["intent"] for r in record["also"]] == ["site", "methodology"]
    assert record["also"][0]["query"]["capacity_mw"] == 12
    assert record["also"][0]["question"] == "And for 12 MW?"
    assert (
        main(
            [
                "ask",
                "And for 12 MW?",
                "--after",
                "What does fuel cost at Quincy for 10 MW?",
                "--json",
                "--data",
                str(demo_layers),
            ]
        )
        == 0
    )
    alone = json.loads(capsys.readouterr().out)
    assert "also" not in alone
    assert alone["values"] == record["also"][0]["values"]


def test_one_refused_question_shows_in_the_exit_code(demo_layers: Path, capsys: pytest.CaptureFixture[str]) -> None:
    message = "What does fuel cost at Quincy for 10 MW? And for 25 GW?"
    assert main(["ask", message, "--data", str(demo_layers)]) == 2
    out = capsys.readouterr().out
    assert "1 of 2" in out
    assert "2 of 2" in out
    assert "No answer" in out


def test_a_session_keeps_each_question(
    demo_layers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from csrag.ask.agent.saved import SavedSessions

    file = tmp_path / "sessions.sqlite"
    monkeypatch.setenv("CSRAG_SESSIONS", str(file))
    arguments = ["--session", "two", "--json", "--data", str(demo_layers)]
    assert main(["ask", "What does fuel cost at Quincy for 10 MW? And for 12 MW?", *arguments]) == 0
    record = json.loads(capsys.readouterr().out)
    assert SavedSessions(file).questions("two") == ["What does fuel cost at Quincy for 10 MW?", "And for 12 MW?"]
    assert record["session"] == record["also"][0]["session"] == "two"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("stream", [Terminal, io.StringIO])
def test_chat_answers_each_and_shows_its_steps_on_a_terminal_only(
    demo_layers: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], stream: type[io.StringIO]
) -> None:
    shown = stream()
    monkeypatch.setattr("sys.stderr", shown)
    monkeypatch.setattr("sys.stdin", io.StringIO("What does fuel cost at Quincy for 10 MW? And for 12 MW?\n"))
    assert main(["chat", "--data", str(demo_layers)]) == 0
    out = capsys.readouterr().out
    assert "> And for 12 MW?" in out
    assert out.index("a 10 MW biomass") < out.index("a 12 MW biomass")
    if stream is Terminal:
        assert shown.getvalue().count("reading the question ...") == 2
        assert "reading the clusters of the circle ..." in shown.getvalue()
        assert shown.getvalue().endswith("\r\033[K")
    else:
        assert shown.getvalue() == ""
    assert "reading the question" not in out
