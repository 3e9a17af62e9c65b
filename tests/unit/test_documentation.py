"""Questions of method: passages, search, abstention, and the answer that quotes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from csrag.ask.pipeline import ask
from csrag.documentation.pages import all_passages, page_names, page_text, passages_of
from csrag.documentation.search import COVERED_AT_LEAST, DocumentationIndex, documentation
from csrag.documentation.synonyms import GROUPS

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "acceptance" / "methodology.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]
ANSWERABLE = [c for c in CASES if c["answers"]]
FOREIGN = [c for c in CASES if not c["answers"]]


def never() -> None:
    raise AssertionError("a question of method opened the layers")


def is_found(index: DocumentationIndex, case: dict[str, object]) -> bool:
    wanted = case["answers"]
    assert isinstance(wanted, list)
    return any(
        f.passage.anchor in wanted or f.passage.page in wanted for f in index.search(str(case["question"]), limit=3)
    )


def test_every_expected_answer_exists() -> None:
    known = (
        {p.anchor for p in all_passages()}
        | set(page_names())
        | {"explanation/transport-method", "explanation/circuity"}
    )
    stray = {a for c in ANSWERABLE for a in c["answers"]} - known
    assert not stray, stray


def test_recall_at_three_and_what_synonyms_are_for() -> None:
    with_synonyms = sum(is_found(documentation(), c) for c in ANSWERABLE)
    without = sum(is_found(DocumentationIndex(all_passages(), ()), c) for c in ANSWERABLE)
    assert len(ANSWERABLE) >= 60
    assert with_synonyms >= 0.75 * len(ANSWERABLE)
    assert with_synonyms > without


def test_it_abstains_on_what_the_pages_do_not_speak_of() -> None:
    answered = [
        c["question"]
        for c in FOREIGN
        if any(f.covered >= COVERED_AT_LEAST for f in documentation().search(c["question"]))
    ]
    assert len(answered) <= 1, answered


@pytest.mark.parametrize(
    "question", ["", "?", "the of and", '"; drop table passage; --', "NEAR(a b) OR * AND ^", "ü" * 5000]
)
def test_no_question_breaks_the_search(question: str) -> None:
    for found in documentation().search(question):
        assert 0 <= found.covered <= 1


def test_passages_are_plain_words_with_their_place() -> None:
    text = (
        "# Page\n\nIntro with [a link](x.md).\n\n## Part one\n\n| a | b |\n|---|---|\n| `x` | 5 |\n\n- item *one*\n\n"
    )
    text += "```console\n$ csrag ask x\n```\n\n```\ny  =  2 * x\n```\n"
    got = passages_of("explanation/page", text)
    assert [p.heading for p in got] == ["Page", "Page: Part one"]
    assert got[0].text == "Intro with a link."
    assert got[1].text == "a; b. x; 5. item one y = 2 x" or got[1].text == "a; b. x; 5. item one y = 2 * x"
    assert got[1].anchor == "explanation/page#part-one"


def test_long_sections_are_cut_and_nothing_is_lost() -> None:
    paragraphs = [f"Paragraph {n} " + "word " * 40 for n in range(12)]
    got = passages_of("p", "# T\n\n" + "\n\n".join(paragraphs))
    assert len(got) > 2
    joined = " ".join(p.text for p in got)
    assert all(f"Paragraph {n} " in joined for n in range(12))


def test_synonyms_are_lower_case_and_stand_in_one_group() -> None:
    words = [word for group in GROUPS for word in group]
    assert all(word == word.lower() for word in words)
    twice = {word for word in words if words.count(word) > 1}
    assert not twice


@pytest.mark.parametrize("page", page_names())
def test_every_page_gives_passages(page: str) -> None:
    assert page_text(page).startswith(("#", "<!--"))
    assert passages_of(page, page_text(page))


def test_the_answer_quotes_cites_and_computes_nothing() -> None:
    answer = ask(never, "How is the fire score computed?")  # type: ignore[arg-type]
    record = answer.to_json()
    assert record["status"] == "answered"
    assert answer.exit_code == 0
    assert any(source.startswith("docs/explanation/fire-score") for source in record["sources"])
    assert [step["tool"] for step in record["trace"]] == ["parse_question", "explain_method"]
    assert all(value.startswith("quoted_") for value in record["values"])
    # Every figure of the text is a claim, at its place.
    at = {(c["start"], c["text"]) for c in record["claims"]}
    for figure in re.finditer(r"\d[\d,.]*\d|\d", record["text"]):
        assert (figure.start(), figure.group(0)) in at


def test_what_is_not_in_the_pages_is_refused_without_a_number() -> None:
    answer = ask(never, "Explain how the zebrafish lateral line is computed")  # type: ignore[arg-type]
    assert answer.status == "refused"
    assert answer.exit_code == 2
    assert answer.reason in {"not_in_documentation", "out_of_scope"}


@pytest.mark.parametrize(
    "question", ["What is the delivered cost for 25 MW at Quincy?", "How much does fuel cost near Burney for 10 MW?"]
)
def test_a_question_for_a_number_is_never_answered_from_a_passage(question: str, demo_layers: Path) -> None:
    from csrag.interfaces.open import open_layers

    answer = ask(open_layers(str(demo_layers)), question)
    assert "average_delivered_cost" in answer.facts
    assert not any(step.tool == "explain_method" for step in answer.trace)
