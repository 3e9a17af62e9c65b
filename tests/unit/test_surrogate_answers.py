"""Answers over costs that a surrogate predicted: whose costs they are, what cannot be computed anew, what is beyond training."""

from __future__ import annotations

import json

import pytest
from tests.support.records import codes, value
from tests.support.transport_source import Told, build_transport, opened

from csrag.ask.pipeline import ask
from csrag.surfaces.catalog import SYSTEMS

PLANT = "1 MW at 40.0, -120.9 within 60 km"
OTHER = "LogCost 3 by the county"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    out = tmp_path_factory.mktemp("surrogate") / "all"
    build_transport(out, seed=3, n=1500)
    return opened(out)


def told(store, **changes):
    method = {
        "method": "surrogate", "model": "quick", "hash": "0" * 64, "simulator": "FRCS", "feasibility": "rule",
        "interval_pct": dict.fromkeys(SYSTEMS, 6.0), "interval_level_pct": 90.0,
    }  # fmt: skip
    return Told(store, cost_method={**method, **changes})


def foreign(store, **changes):
    return told(store, simulator=OTHER, feasibility="classifier", **changes)


def asked(store, question, *earlier):
    result = ask(lambda: store, question, earlier)
    return {**json.loads(json.dumps(result.to_json(), allow_nan=False)), "exit_code": result.exit_code}


def message(record, code):
    return next(w["message"] for w in record["warnings"] if w["code"] == code)


# --- another simulator ------------------------------------------------------------------------------------------------


def test_the_answer_names_the_simulator_that_was_imitated(store):
    record = asked(foreign(store), PLANT)
    assert record["status"] == "answered"
    basis = record["values"]["average_harvest_cost"]["basis"]
    assert basis.startswith(f"a surrogate of {OTHER}, ")
    said = message(record, "surrogate_costs")
    assert OTHER in said
    assert "FRCS" not in said
    assert f"a surrogate of {OTHER}" in record["text"]
    assert "a surrogate of FRCS" in asked(told(store), PLANT)["text"]


def test_an_unknown_interval_does_not_offer_frcs_in_its_place(store):
    assert "FRCS" not in message(asked(foreign(store, interval_pct={}), PLANT), "surrogate_costs")
    assert "computed by FRCS itself" in message(asked(told(store, interval_pct={}), PLANT), "surrogate_costs")


@pytest.mark.parametrize(
    "change",
    ["diesel at $6", "45% moisture", "faller wage $40/h", "burn the whole tree",
     "what is the largest plant under $90/BDT, diesel at $6",
     "how sensitive is it to diesel"],
)  # fmt: skip
def test_what_needs_the_simulator_is_refused(store, change):
    record = asked(foreign(store), f"{PLANT}, {change}")
    assert (record["status"], record["reason"]) == ("refused", "simulator_not_at_hand")
    assert record["exit_code"] == 3
    assert OTHER in record["text"]
    assert "speed" in record["text"]
    assert asked(told(store), f"{PLANT}, {change}")["reason"] != "simulator_not_at_hand"


@pytest.mark.parametrize("change", ["truck speed 30 km/h", "driver wage $40/h"])
def test_what_only_touches_the_haul_goes_on(store, change):
    record = asked(foreign(store), f"{PLANT}, {change}")
    assert record["status"] == "answered"
    plain = asked(foreign(store), PLANT)
    assert value(record, "average_harvest_cost") == pytest.approx(value(plain, "average_harvest_cost"), rel=0.05)
    assert value(record, "average_haul_cost") > value(plain, "average_haul_cost")


def test_a_tornado_leaves_the_harvest_out_with_a_word(store):
    record = asked(foreign(store), f"{PLANT}. Tornado please")
    moved = {row[0] for row in record["tables"]["tornado"]["rows"]}
    assert moved
    assert not moved & {"diesel_usd_per_gal", "logging_wages_usd_per_h", "moisture_pct"}
    said = message(record, "simulator_not_at_hand")
    assert "diesel" in said
    assert OTHER in said
    assert "sensitivity_exact_costs" not in codes(record)


# --- beyond what was learned ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("records", "qualified"), [(0, False), (40, False), (51, True), (620, True)])
def test_the_share_beyond_training_is_said_and_qualifies_the_interval(store, records, qualified):
    outside = {"records": records, "of": 1000, "share_pct": records / 10, "by_column": {}}
    record = asked(told(store, out_of_range=outside, holdout="spatial"), PLANT)
    assert value(record, "surrogate_out_of_range_pct") == pytest.approx(records / 10)
    said = message(record, "surrogate_costs")
    assert ("None of" if not records else f"({records / 10:.1f} %)") in said
    assert ("(90 % interval)" in said) is not qualified
    assert ("true coverage is unknown" in record["text"]) is qualified
    claimed = {c["value_id"] for c in record["claims"]}
    assert ("surrogate_out_of_range_pct" in claimed) is bool(records)


def test_an_uncounted_share_is_not_taken_for_none(store):
    record = asked(told(store), PLANT)
    assert value(record, "surrogate_out_of_range_pct") is None
    assert "not known" in message(record, "surrogate_costs")


@pytest.mark.parametrize(
    ("changes", "words"),
    [({"holdout": "spatial"}, "blocks of country"), ({"holdout": "random"}, "dealt at random"),
     ({"basis": "errors and coverage measured on records dealt at random"}, "dealt at random"),
     ({"basis": "measured on other blocks of country, against"}, "blocks of country"), ({}, "does not say")],
)  # fmt: skip
def test_how_the_errors_were_measured_is_said(store, changes, words):
    assert words in message(asked(told(store, **changes), PLANT), "surrogate_costs")
