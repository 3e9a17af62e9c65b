"""No number without a value behind it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from csrag.ask.records import SitingQuery
from csrag.ask.results import Analysis, Claim, Fact
from csrag.ask.synthesis import template
from csrag.ask.synthesis.render import Rendered, UnbackedNumberError, clean_name, render, verify
from csrag.ask.synthesis.template import write_answer

FACTS = {
    "average_delivered_cost": Fact(61.304, "usd_per_bdt", "average delivered cost"),
    "demand_bdt": Fact(186_815.2, "bdt_per_year", "fuel demand"),
    "mean_burn_probability": Fact(0.0123, "per_year", "burn probability"),
    "lcoe_current": Fact(None, "usd_per_mwh", "levelised cost", "not computed"),
}


def test_references_become_numbers_with_units_and_claims():
    out = render("It costs {{average_delivered_cost}} at <<place>>.", FACTS, {"place": "Quincy"})
    assert out.text == "It costs $61.30 per BDT at Quincy."
    assert out.claims == (Claim("$61.30 per BDT", "average_delivered_cost", 9),)
    assert verify(out, FACTS) == []


@pytest.mark.parametrize(
    "planted",
    [
        "It costs 61.30 USD.",
        "It costs sixty dollars.",
        "Twice the cost.",
        "A dozen clusters.",
        "About ٦١ dollars.",
        "Year XII.",
    ],
)
def test_a_number_planted_in_the_wording_is_refused(planted):
    with pytest.raises(UnbackedNumberError):
        render("Fuel: {{average_delivered_cost}}. " + planted, FACTS, {})


@pytest.mark.parametrize("reference", ["{{no_such_value}}", "{{lcoe_current}}", "<<nobody>>"])
def test_a_reference_without_a_value_is_refused(reference):
    with pytest.raises(UnbackedNumberError):
        render(f"It is {reference}.", FACTS, {"place": "Quincy"})


def test_a_text_altered_after_rendering_is_caught():
    good = render("It costs {{average_delivered_cost}} at <<place>>.", FACTS, {"place": "Quincy"})
    assert verify(replace(good, text=good.text.replace("61.30", "61.31")), FACTS)
    assert verify(replace(good, text=good.text + " In all 12 MW."), FACTS)
    relabelled = replace(good, claims=(Claim("$61.30 per BDT", "demand_bdt", 9),))
    assert verify(relabelled, FACTS)


def test_a_hostile_place_name_can_neither_inject_nor_claim():
    name = "Evil {{demand_bdt}} <<place>> 99 `x`\u202e\n town"
    out = render("At <<place>>.", FACTS, {"place": name})
    assert "{{" not in out.text
    assert "\u202e" not in out.text
    assert "\n" not in out.text
    assert out.claims == ()
    assert len(clean_name("x" * 500)) <= 80


def test_a_wrong_number_in_a_template_is_refused_end_to_end(monkeypatch):
    analysis = Analysis("answered", "", FACTS, {}, ())
    monkeypatch.setattr(
        template, "_answer", lambda *_: [["Fuel costs {{average_delivered_cost}}, or $59.99 if you haggle."]]
    )
    with pytest.raises(UnbackedNumberError):
        write_answer(SitingQuery(), analysis, "Quincy")


def test_verify_reports_an_empty_text_as_fine():
    assert verify(Rendered("", (), ()), {}) == []
