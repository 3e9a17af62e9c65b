"""Intervals of the headline costs: what is measured moves them, what is not is said, and nothing is made up."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from tests.support.records import codes, value
from tests.support.transport_source import BANDS_KM, Told, accuracy, build_transport, opened

from csrag.ask.computation.uncertainty import deviate_of, interval, road_error, spread_of
from csrag.ask.computation.uncertainty_facts import HEADLINES
from csrag.ask.pipeline import ask
from csrag.surfaces.catalog import SYSTEMS
from csrag.surfaces.manifest import Manifest

PLANT = "0.2 MW at 40.0, -120.9 within 60 km, TFB40"
ENDS = [(value_id, f"{value_id}_low", f"{value_id}_high") for value_id in HEADLINES]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    out = tmp_path_factory.mktemp("uncertainty") / "all"
    build_transport(out, seed=3, n=1500)
    return opened(out)


def facilities(p90_pct=20.0, modes=("zone", "stratified")):
    return [
        {"mode": mode, "band_km": [BANDS_KM[i], BANDS_KM[i + 1]], "facilities": 200, "median_abs_pct": p90_pct / 2.5,
         "p90_abs_pct": p90_pct}
        for mode in modes
        for i in range(len(BANDS_KM) - 1)
    ]  # fmt: skip


def unbiased(mape_pct=15.0, modes=("zone", "stratified")):
    return [
        {"mode": mode, "band_km": [BANDS_KM[i], BANDS_KM[i + 1]], "n": 500, "mape_pct": mape_pct, "aggregate_error_pct": 0.0}
        for mode in modes
        for i in range(len(BANDS_KM) - 1)
    ]  # fmt: skip


def measured(store, p90_pct=20.0, **changes):
    changes = {"accuracy": unbiased(), "facility_error": facilities(p90_pct), **changes}
    return Told(store, transport={**store.manifest.transport, **changes})


def surrogate(store, pct=6.0, level=90.0):
    method = {
        "method": "surrogate", "model": "quick", "hash": "0" * 64, "simulator": "FRCS", "feasibility": "rule",
        "interval_pct": dict.fromkeys(SYSTEMS, pct), "interval_level_pct": level,
    }  # fmt: skip
    values = {name: getattr(store.manifest, name) for name in Manifest.__dataclass_fields__}
    return Told(store, **{**values, "cost_method": method})


def asked(store, question=PLANT + ", stratified distances", *earlier):
    result = ask(lambda: store, question, earlier)
    return json.loads(json.dumps(result.to_json(), allow_nan=False))


def basis(record, value_id):
    return record["values"][value_id]["basis"]


# --- the error of one facility's haul ---------------------------------------------------------------------------------


def test_an_unbiased_facility_error_moves_the_haul_to_its_quantiles(store):
    record = asked(measured(store, 20.0))
    haul = value(record, "average_haul_cost")
    low, high = value(record, "average_haul_cost_low"), value(record, "average_haul_cost_high")
    # Both ends are quantiles of a lognormal factor of middle one: their product is the haul squared.
    assert low * high == pytest.approx(haul**2, rel=1e-9)
    spread = spread_of(0.0, 0.20)
    assert high / haul == pytest.approx(math.exp(deviate_of(90) * spread), rel=1e-9)
    for name in ("average_delivered_cost", "average_haul_cost"):
        assert value(record, f"{name}_high") - value(record, name) == pytest.approx(high - haul, abs=1e-9)
    assert value(record, "interval_level_pct") == 90
    assert "not averaged away" in basis(record, "average_delivered_cost_low")


def test_a_zero_error_has_no_width(store):
    record = asked(measured(store, 0.0))
    for plain, low, high in ENDS:
        assert value(record, low) == pytest.approx(value(record, plain), rel=1e-12), plain
        assert value(record, high) == pytest.approx(value(record, plain), rel=1e-12), plain


def test_a_wider_error_widens_every_interval(store):
    narrow, wide = asked(measured(store, 10.0)), asked(measured(store, 30.0))
    for _, low, high in ENDS:
        assert value(wide, low) < value(narrow, low), low
        assert value(wide, high) > value(narrow, high), high


def test_every_interval_holds_its_headline_where_the_mode_is_unbiased(store):
    record = asked(measured(store))
    for plain, low, high in ENDS:
        assert value(record, low) < value(record, plain) < value(record, high), plain
    assert value(record, "last_ton_cost_low") > value(record, "average_delivered_cost_low")
    assert "interval_beside_average" not in codes(record)


def test_a_mode_that_is_too_long_in_sum_shifts_the_interval_down_and_says_so(store):
    rows = [{**row, "aggregate_error_pct": 40.0} for row in unbiased(45.0)]
    record = asked(measured(store, 45.0, accuracy=rows))
    assert value(record, "average_delivered_cost_high") < value(record, "average_delivered_cost")
    said = next(w["message"] for w in record["warnings"] if w["code"] == "interval_beside_average")
    assert "too long" in said


def test_the_error_is_common_so_more_clusters_do_not_narrow_it(store):
    """Half width of the haul in percent: a plant of eight times the size has the same one."""
    told = measured(store, 20.0)
    shares = []
    for capacity in (0.1, 3):
        record = asked(told, f"{capacity} MW at 40.0, -120.9 within 60 km, TFB40, stratified distances")
        assert record["status"] == "answered"
        shares.append(value(record, "average_haul_cost_high") / value(record, "average_haul_cost"))
        clusters = value(record, "selected_clusters")
    assert clusters > 20
    assert shares[0] == pytest.approx(shares[1], rel=1e-12)


def test_electricity_moves_with_the_fuel_only(store):
    record = asked(measured(store))
    slope = value(record, "lcoe_usd_per_mwh_per_usd_per_bdt")
    fuel = value(record, "life_average_delivered_cost_high") - value(record, "life_average_delivered_cost_low")
    power = value(record, "lcoe_current_high") - value(record, "lcoe_current_low")
    # The haul, and so its error, grows over the years, while early years count more in electricity.
    assert 0.8 * slope < power / fuel <= slope
    assert "only the fuel moves" in basis(record, "lcoe_current_low")


def test_bands_without_a_measurement_take_the_nearest_one(store):
    rows = facilities(20.0)
    for row in rows:
        if row["band_km"][0] == 20:
            row["p90_abs_pct"] = row["median_abs_pct"] = None
            row["facilities"] = 0
    told = measured(store, facility_error=rows)
    error = road_error(told.manifest, "stratified")
    assert np.isfinite(error.spread).all()
    assert error.spread[2] in {error.spread[1], error.spread[3]}
    assert value(asked(told), "average_haul_cost_low") is not None


def test_trips_alone_give_a_wide_interval_that_says_what_it_is(store):
    told = Told(store, transport={**store.manifest.transport, "accuracy": accuracy()})
    record = asked(told)
    assert "interval_from_trips" in codes(record)
    assert "single trips" in basis(record, "average_delivered_cost_low")
    error = road_error(told.manifest, "stratified")
    assert error.measured_on == "trips"
    assert error.spread[0] == pytest.approx(0.08 * math.sqrt(math.pi / 2))


# --- nothing measured, and costs of a surrogate ------------------------------------------------------------------------


@pytest.mark.parametrize("question", [PLANT, PLANT + ", network distances"])
def test_the_reference_itself_has_no_interval_and_says_why(store, question):
    record = asked(measured(store), question)
    assert value(record, "transport_mode") == "network"
    for _, low, high in ENDS:
        assert value(record, low) is None
        assert value(record, high) is None
        assert "not measured" in basis(record, low)
    assert "No interval is given" in record["text"]
    assert "no_interval" in codes(record)


@pytest.mark.parametrize(
    "transport", [{"accuracy": [], "facility_error": []}, {"accuracy": None, "facility_error": None}]
)
def test_a_set_that_measured_nothing_has_none(store, transport):
    record = asked(Told(store, transport={**store.manifest.transport, **transport}))
    assert value(record, "average_delivered_cost_low") is None
    assert "does not say how far" in basis(record, "average_delivered_cost_low")


def test_a_surrogate_alone_gives_its_own_interval_and_not_the_roads(store):
    record = asked(surrogate(store), PLANT)
    half = (value(record, "average_delivered_cost_high") - value(record, "average_delivered_cost_low")) / 2
    own = (value(record, "average_harvest_cost_high") - value(record, "average_harvest_cost_low")) / 2
    stand_ins = (value(record, "average_haul_cost_high") - value(record, "average_haul_cost_low")) / 2
    assert own > 0
    assert own <= half <= math.hypot(own, stand_ins) * 1.1
    said = next(w["message"] for w in record["warnings"] if w["code"] == "interval_leaves_out")
    assert "road network's own error" in said


def test_a_surrogate_at_another_level_is_brought_to_ninety(store):
    at_90, at_50 = asked(surrogate(store, 6.0, 90.0), PLANT), asked(surrogate(store, 6.0, 50.0), PLANT)
    widths = [value(r, "average_delivered_cost_high") - value(r, "average_delivered_cost_low") for r in (at_90, at_50)]
    assert widths[1] > widths[0] * 1.5


def test_two_errors_are_put_together_as_independent(store):
    roads = asked(measured(store))
    both = asked(surrogate(measured(store)))
    cut = (value(both, "average_harvest_cost_high") - value(both, "average_harvest_cost_low")) / 2
    above = value(roads, "average_delivered_cost_high") - value(roads, "average_delivered_cost")
    assert value(both, "average_delivered_cost_high") - value(both, "average_delivered_cost") == pytest.approx(
        math.hypot(cut, above), rel=1e-6
    )


def test_a_surrogate_without_an_interval_is_said(store):
    told = surrogate(measured(store))
    told = Told(told, cost_method={**told.manifest.cost_method, "interval_pct": {}})
    record = asked(told)
    assert value(record, "average_delivered_cost_low") is not None
    said = next(w["message"] for w in record["warnings"] if w["code"] == "interval_leaves_out")
    assert "surrogate gives no interval" in said
    assert "surrogate gives no interval" in basis(asked(told, PLANT), "average_delivered_cost_low")


def test_prices_of_ones_own_take_the_surrogates_error_away(store):
    told = surrogate(measured(store))
    own = asked(told, PLANT + ", stratified distances, diesel $6 a gallon")
    assert value(own, "interval_basis") == "road distances"
    assert value(asked(told), "interval_basis") == "road distances and harvest costs of the surrogate"


def test_the_interval_is_said_in_text_and_never_for_a_refusal(store):
    record = asked(measured(store))
    assert "in 90 % of cases" in record["text"]
    assert {"average_delivered_cost_low", "lcoe_current_high"} <= {c["value_id"] for c in record["claims"]}
    refused = asked(measured(store), "150 MW at 40.0, -120.9 within 10 km, stratified distances")
    assert refused["status"] == "refused"
    assert "interval" not in refused["text"]


def test_a_cap_prices_the_clusters_as_they_are(store):
    record = asked(measured(store), PLANT + ", stratified distances, no ton over $90 per BDT")
    assert record["status"] == "answered", record["text"]
    assert "supply stays as chosen" in basis(record, "last_ton_cost_low")
    assert "chosen anew" in basis(asked(measured(store)), "last_ton_cost_low")


# --- the error model ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("centre", "within"), [(0.0, 0.05), (0.0, 0.3), (-0.13, 0.25), (0.1, 0.4), (0.0, 1.4)])
def test_the_spread_reproduces_the_share_that_was_measured(centre, within):
    spread = spread_of(centre, within)
    drawn = np.exp(-(centre + spread * np.random.default_rng(1).standard_normal(400_000))) - 1
    assert np.mean(np.abs(drawn) <= within) == pytest.approx(0.90, abs=0.003)


def test_a_middle_beyond_nine_tenths_is_left_out_of_account():
    assert spread_of(0.5, 0.1) == spread_of(0.0, 0.1)
    assert spread_of(0.0, 0.0) == 0.0


def test_interval_of_no_error_is_a_point(store):
    told = measured(store)
    from csrag.ask.computation.uncertainty import Errors

    still = Errors(None, False, None, "network")
    assert not still.known
    assert interval(lambda z, w: 7.0 + z + w, still) == (7.0, 7.0)
    moved = replace(still, harvest=np.full(len(SYSTEMS), 0.1))
    low, high = interval(lambda z, w: 7.0 + z + w, moved)
    assert (low, high) == (pytest.approx(7 - deviate_of(90)), pytest.approx(7 + deviate_of(90)))
    assert road_error(told.manifest, "network") is None
