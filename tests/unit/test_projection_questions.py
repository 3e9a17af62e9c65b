"""Words for many years and a plant's surroundings, to values of the query record."""

from __future__ import annotations

import pytest

from csrag.ask.intent import parse

FIELDS = ("reentry_years", "burn_loss_pct", "other_plants", "line_km", "include_lcfs", "emissions")
SILENT = dict(zip(FIELDS, (None, None, "none", None, False, False), strict=True))


@pytest.mark.parametrize(
    ("question", "want"),
    [
        ("25 MW near Quincy over 20 years, clusters can be treated again after 15 years", {"reentry_years": 15}),
        ("25 MW at Quincy over 30 years, re-entry every 10 years", {"reentry_years": 10}),
        ("15 year re-entry at Quincy, 25 MW", {"reentry_years": 15}),
        ("25 MW at Quincy, stands may be cut again in 12 years", {"reentry_years": 12}),
        ("20 year projection at Quincy, assume fires take 50 % of a burned cluster's tons", {"burn_loss_pct": 50.0}),
        ("25 MW at Quincy; fires destroy half of a burned cluster", {"burn_loss_pct": 50.0}),
        ("25 MW at Quincy, 20 years, burn loss of 30%", {"burn_loss_pct": 30.0}),
        ("25 MW at Quincy. Project 20 years with burn loss.", {"burn_loss_pct": 50.0}),
        ("25 MW at Quincy, count the other plants' demand", {"other_plants": "built-in"}),
        ("25 MW at Quincy with existing plants", {"other_plants": "built-in"}),
        ("25 MW at Quincy with competition for wood", {"other_plants": "built-in"}),
        ("25 MW near Quincy with a 5 km power line", {"line_km": 5.0}),
        ("25 MW at Quincy, 3 miles from the substation", {"line_km": 4.828032}),
        ("25 MW at Quincy, the substation is 3 miles away", {"line_km": 4.828032}),
        ("25 MW at Quincy with LCFS credit", {"include_lcfs": True}),
        ("25 MW at Quincy with the low-carbon fuel standard credit", {"include_lcfs": True}),
        ("What are the emissions of a 25 MW plant at Quincy?", {"emissions": True}),
        ("carbon intensity of 25 MW at Quincy", {"emissions": True}),
        ("CO2 per MWh of 25 MW at Quincy", {"emissions": True}),
        ("25 MW near Quincy", {}),
        ("25 MW at Quincy, fire risk matters, high burn areas first", {}),
        ("Burn probability above 1 % only, 25 MW Quincy", {}),
        ("12 MW near Loyalton, within 25 miles, near the power line", {}),
        ("20 MW at Burney without other plants", {}),
        ("25 MW at Quincy, no power line, no LCFS", {}),
        ("two plants at Quincy, 10 MW", {}),
    ],
)
def test_words_to_values(question, want):
    query = parse(question)
    got = {f: getattr(query, f) for f in FIELDS}
    assert got == SILENT | want
    assert query.intent not in {"out_of_scope", "methodology"}
    assert set(want) <= set(query.explicit)


def test_numbers_of_these_wishes_are_no_radius_no_length_and_no_weight():
    query = parse(
        "25 MW at Quincy over 30 years, 5 km power line, re-entry after 12 years, fires take 40 % of a burned stand"
    )
    assert (query.years, query.radius_km, query.fire_weight) == (30, None, 0.0)
    assert (query.line_km, query.reentry_years, query.burn_loss_pct) == (5.0, 12, 40.0)
    both = parse("25 MW at Quincy within 40 km with a 3 km power line and 40 % weight on fire")
    assert (both.radius_km, both.line_km, both.fire_weight) == (40.0, 3.0, 0.4)


def test_wishes_are_carried_and_taken_back():
    first = "25 MW near Quincy with a 5 km power line, count other plants, cut again after 15 years, burn loss 20 %, with LCFS"
    more = parse("and for 30 MW?", [first])
    assert (more.capacity_mw, more.line_km, more.other_plants) == (30.0, 5.0, "built-in")
    assert (more.reentry_years, more.burn_loss_pct, more.include_lcfs) == (15, 20.0, True)
    for words, field in (
        ("drop the power line", "line_km"),
        ("without other plants", "other_plants"),
        ("no re-entry", "reentry_years"),
        ("ignore burn loss", "burn_loss_pct"),
        ("without LCFS", "include_lcfs"),
    ):
        after = parse(words, [first])
        assert getattr(after, field) == SILENT[field], words
        assert field not in after.explicit
        others = [f for f in FIELDS if f not in {field, "emissions"}]
        assert [getattr(after, f) for f in others] == [getattr(more, f) for f in others]


def test_emissions_are_asked_for_by_one_turn_only():
    assert parse("what does it emit?", ["25 MW plant near Quincy"]).emissions
    assert not parse("and for 30 MW?", ["what are the emissions of a 25 MW plant near Quincy?"]).emissions


@pytest.mark.parametrize(
    "question", ["CO2 emissions of my car?", "What is the weather in Quincy, with emissions of what?"]
)
def test_emissions_alone_bring_nothing_into_scope(question):
    assert parse(question).capacity_mw is None
    assert parse("CO2 emissions of my car?").intent == "out_of_scope"


def test_the_price_of_char():
    assert parse("3 MW gasification at Quincy, char sells at $200 per tonne").overrides == {"char_usd_per_t": 200.0}
    short = parse("3 MW gasifier at Quincy, sell the biochar for $200 a ton")
    assert short.overrides["char_usd_per_t"] == pytest.approx(200 / 0.90718474)
    assert short.max_cost_usd_per_bdt is None
    assert any("short ton of char" in n for n in short.notes)
