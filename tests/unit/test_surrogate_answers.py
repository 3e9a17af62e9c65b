"""Answers over costs that a surrogate predicted: whose costs they are, what cannot be computed anew, what is beyond training."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from tests.support.records import codes, value
from tests.support.transport_source import Told, build_transport, opened

from csrag.ask.computation.choose import select
from csrag.ask.computation.delivered import delivered_costs, economics
from csrag.ask.computation.selection import Scales
from csrag.ask.pipeline import ask
from csrag.ask.records import Location, SitingQuery
from csrag.ask.retrieval.catchment import retrieve
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


def costed(store, **overrides):
    query = SitingQuery(treatment="TFB40", radius_km=60.0, overrides=overrides)
    catchment = retrieve(store, Location("here", "coordinates", lat=40.0, lon=-120.9), query, 1000.0)
    econ = economics(store.manifest, overrides)
    stand = lambda rows: store.stand(rows, "TFB40")  # noqa: E731
    return catchment, delivered_costs(catchment, query, store.manifest, econ, stand)


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


# --- called feasible by a classifier, infeasible by the simulator -----------------------------------------------------


@pytest.fixture(scope="module")
def hopeful(tmp_path_factory):
    """A set whose layer has a cost where FRCS finds that no system can work, as a classifier's judgement may have it."""
    out = tmp_path_factory.mktemp("hopeful") / "all"
    build_transport(out, seed=3, n=1500)
    cost = np.load(out / "cost_usd_per_bdt.npy")
    roaded = np.load(out / "roaded.npy")
    # Steeper than any ground or cable system works, yet cheap by the layer: these would be taken first.
    steep = np.load(out / "slope_pct.npy")
    wrong = (np.arange(len(roaded)) % 3 == 0) & (roaded != 0)
    slope = np.where(wrong, np.float32(160.0), steep)
    np.save(out / "slope_pct.npy", slope.astype(steep.dtype))
    axis = cost.shape.index(len(roaded))
    shaped = wrong.reshape([-1 if i == axis else 1 for i in range(cost.ndim)])
    np.save(out / "cost_usd_per_bdt.npy", np.where(shaped & np.isfinite(cost), np.float32(20.0), cost))
    return told(opened(out), feasibility="classifier")


@pytest.mark.parametrize(
    "change",
    ["diesel at $6", "diesel at $6, fire weight 0.5", "diesel at $6, all about fire", "demand not met",
     "diesel at $6, 10 year projection", "diesel at $6, count other plants", "diesel at $6, whole tree burned",
     "what is the largest plant under $90/BDT, diesel at $6", "Tornado please", "diesel at $6, last ton under $80"],
)  # fmt: skip
def test_what_the_simulator_cannot_work_is_left_out_and_counted(hopeful, change):
    question = (
        "190 MW at 40.0, -120.9 within 60 km, diesel at $6" if change == "demand not met" else f"{PLANT}, {change}"
    )
    record = asked(hopeful, question)
    assert record["exit_code"] != 4, record["text"]
    said = message(record, "no_cost_anew")
    assert int(said.split()[0].replace(",", "")) > 10
    if "Tornado" in change or record["status"] == "refused":
        return
    pool = record["tables"]["pool_curve"]
    for row in pool["rows"]:
        assert all(np.isfinite(v) for v in row if isinstance(v, float))
    assert value(record, "cheapest_ton_cost") > 20.0


def test_what_is_left_out_changes_nothing_else(hopeful):
    """The candidates without them give the same selection."""
    catchment, costs = costed(hopeful, diesel_usd_per_gal=6.0)
    gone = ~np.isfinite(costs.unit)
    assert 10 < gone.sum() == costs.unworkable < len(gone)
    assert (costs.tons[gone] == 0).all()
    assert (catchment.frame["slope_pct"][gone] == 160).all()
    kept = replace(catchment, frame=catchment.frame.filter(~gone), system_index=catchment.system_index[~gone])
    scales = Scales.from_manifest(hopeful.manifest.scales)
    econ = economics(hopeful.manifest, {"diesel_usd_per_gal": 6.0})
    alone = delivered_costs(kept, SitingQuery(), hopeful.manifest, econ, lambda rows: hopeful.stand(rows, "TFB40"))
    for weight in (0.0, 0.5, 1.0):
        one = select(catchment.frame, costs, 9000.0, weight, scales, 284.7)
        two = select(kept.frame, alone, 9000.0, weight, scales, 284.7)
        assert one.met
        assert list(catchment.frame["cluster_no"][one.rows]) == list(kept.frame["cluster_no"][two.rows])
        assert one.average(costs) == pytest.approx(two.average(alone), rel=1e-12)
