"""What a model reads out of a question counts only where it stands there and the grammar has not read it."""

from __future__ import annotations

import json

import pytest

from csrag.ask.intent import parse
from csrag.ask.language.evidence import numbers_in, supported
from csrag.ask.language.protocol import Assistant, ModelFailure
from csrag.ask.language.reading import fill_gaps, has_gap
from csrag.ask.language.scripted import ScriptedModel
from csrag.ask.records import SitingQuery
from csrag.ask.results import Caveat

QUESTION = "A plant near Quincy whose wood is wet, moisture about 47, diesel at $6.50, twenty-five megawatts"


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("25 MW", [25.0]),
        ("1,200.5 tons", [1200.5]),
        ("twenty-five or thirty", [25.0, 30.0]),
        ("40k", [40_000.0]),
        ("nothing here", []),
        ("v2 rocket", []),
    ],
)
def test_numbers_are_read_as_whole_tokens(text: str, numbers: list[float]) -> None:
    assert numbers_in(text) == numbers


@pytest.mark.parametrize(
    ("field", "value", "quote", "kept"),
    [
        ("overrides.moisture_pct", 47, "moisture about 47", True),
        ("capacity_mw", 25, "twenty-five megawatts", True),
        ("overrides.moisture_pct", 48, "moisture about 47", False),  # another number
        ("overrides.moisture_pct", 4, "moisture about 4", False),  # a piece of a token
        ("overrides.moisture_pct", 47, "47", False),  # no word says what it is
        ("capacity_mw", 47, "moisture about 47", False),  # the wrong field
        ("capacity_mw", 30, "30 MW", False),  # not in the question
        ("overrides.moisture_pct", True, "moisture about 47", False),
        ("overrides.moisture_pct", 47, None, False),
        ("no_such_field", 47, "moisture about 47", False),
        ("max_slope_pct", 6.5, "diesel at $6.50", False),
    ],
)
def test_evidence_filter(field: str, value: object, quote: object, kept: bool) -> None:
    found = supported(QUESTION, [], field, value, quote)
    assert (found is not None) == kept
    if found is not None:
        assert found[0] == value


def test_what_the_grammar_has_read_is_not_read_again() -> None:
    at = QUESTION.index("moisture about 47")
    assert supported(QUESTION, [(at, at + 17)], "overrides.moisture_pct", 47, "moisture about 47") is None


def test_values_out_of_range_are_dropped() -> None:
    assert supported("make it 900 MW", [], "capacity_mw", 900, "900 MW") is None


def _gap_query(question: str) -> SitingQuery:
    return SitingQuery(question=question)


def test_a_gap_is_filled_with_its_origin_and_a_note() -> None:
    query = _gap_query("the wood has a moisture near 47")
    reply = json.dumps({"found": [{"field": "overrides.moisture_pct", "value": 47, "quote": "moisture near 47"}]})
    caveats: list[Caveat] = []
    filled = fill_gaps(query, Assistant(ScriptedModel([reply])), caveats)
    assert filled.overrides == {"moisture_pct": 47.0}
    assert filled.origins["overrides.moisture_pct"].source == "model"
    assert "moisture near 47" in filled.notes[0]
    assert filled.explicit == ("overrides.moisture_pct",)
    assert caveats == []


def test_the_grammars_reading_stands_against_a_model() -> None:
    query = parse("25 MW near Quincy within 30 miles, and 12 of something")
    assert query.capacity_mw == 25
    reply = json.dumps(
        {"found": [{"field": "capacity_mw", "value": 12, "quote": "12"}, {"field": "locations", "value": "Burney",
                   "quote": "Burney"}, {"field": "radius_km", "value": 30, "quote": "30 miles"}]}
    )  # fmt: skip
    assert fill_gaps(query, Assistant(ScriptedModel([reply])), []) == query


def test_a_question_without_a_gap_asks_no_model() -> None:
    query = parse("25 MW near Quincy")
    assert not has_gap(query)
    model = ScriptedModel(["never read"])
    assert fill_gaps(query, Assistant(model), []) == query
    assert model.calls == []


@pytest.mark.parametrize(
    "bad",
    ['{"found": [{"field": "capa', "[]", '{"found": 3}', "", "The plant has 47 MW.", '{"found": ["x"]}', "{" * 5000],
)
def test_two_bad_structured_answers_leave_the_grammars_reading_and_a_note(bad: str) -> None:
    query = _gap_query("the wood has a moisture near 47")
    model, caveats = ScriptedModel([bad]), list[Caveat]()
    assert fill_gaps(query, Assistant(model), caveats) == query
    assert len(model.calls) == 2
    assert [c.code for c in caveats] == ["model_not_used"]


def test_a_bad_and_then_a_good_answer_is_used() -> None:
    reply = json.dumps({"found": [{"field": "overrides.moisture_pct", "value": 47, "quote": "moisture near 47"}]})
    filled = fill_gaps(_gap_query("a moisture near 47"), Assistant(ScriptedModel(["{", reply])), [])
    assert filled.overrides == {"moisture_pct": 47.0}


def test_a_failing_model_says_no_more_than_its_class() -> None:
    secret = "sk-secret-value"
    with pytest.raises(ModelFailure) as caught:
        Assistant(ScriptedModel([RuntimeError(secret)])).ask("", "")
    assert secret not in str(caught.value)
    assert "RuntimeError" in str(caught.value)
