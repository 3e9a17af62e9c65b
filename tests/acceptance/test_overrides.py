"""What-ifs: a value equal to the default changes no byte; any other acts on haul and harvest alike."""

from __future__ import annotations

import numpy as np
import pytest
from tests.support.records import value

from csrag.ask.computation import delivered
from csrag.ask.intent import parse
from csrag.ask.retrieval import retrieve
from csrag.surfaces.catalog import TREATMENTS

DEFAULTS = (
    "diesel at $4.50 a gallon", "50% moisture", "capacity factor 80%", "efficiency 20%", "truckers earn $24.71 an hour",
    "economic life 20 years",
)  # fmt: skip


@pytest.mark.parametrize("said", DEFAULTS)
def test_an_override_equal_to_the_default_changes_no_byte(answer, said):
    plain, same = answer("8 MW at Chester, fire matters"), answer(f"8 MW at Chester, fire matters, {said}")
    assert same["query"]["overrides"], said
    assert {k: v["value"] for k, v in plain["values"].items()} == {k: v["value"] for k, v in same["values"].items()}
    assert plain["selected"] == same["selected"]
    assert plain["tables"]["supply_curve"] == same["tables"]["supply_curve"]
    assert plain["tables"]["cash_flow"] == same["tables"]["cash_flow"]


@pytest.mark.parametrize("treatment", TREATMENTS)
def test_recomputing_at_the_layers_own_prices_gives_the_layers_bytes(demo, treatment):
    query = parse(f"10 MW at Quincy within 20 km, {treatment}")
    catchment = retrieve(demo, query.locations[0], query, 74_726.0)
    econ = delivered.economics(demo.manifest, {})
    assert not econ.recomputed
    layer = catchment.frame["cost_usd_per_bdt"]
    stand = demo.stand(catchment.frame["row"], treatment)
    again = delivered._recomputed(stand, query, econ, demo.manifest, layer)
    np.testing.assert_array_equal(again[:, :8], layer[:, :8])


@pytest.mark.parametrize(
    ("said", "parts"),
    [
        ("diesel at $6.50 a gallon", ("average_harvest_cost", "average_haul_cost")),
        ("truckers earn $35 an hour", ("average_haul_cost", "unloading_cost")),
        ("faller wage $60 an hour and cable only", ("average_harvest_cost",)),
    ],
)
def test_a_dearer_price_is_dearer_everywhere_it_acts(answer, said, parts):
    system = ", cable only" if "cable" in said else ""
    plain, dear = (
        answer(f"3 MW at Chester within 30 km, TFB80{system}"),
        answer(f"3 MW at Chester within 30 km, TFB80, {said}"),
    )
    assert value(dear, "average_delivered_cost") > value(plain, "average_delivered_cost")
    for part in parts:
        assert value(dear, part) > value(plain, part), part
    assert value(dear, "lcoe_current") is None or value(dear, "lcoe_current") > value(plain, "lcoe_current")
    assert value(dear, "demand_bdt") == value(plain, "demand_bdt")
