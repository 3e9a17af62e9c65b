"""Twenty years against a naive loop that starts from scratch every year, and laws of the years."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from csrag.ask.computation.delivered import Costs
from csrag.ask.computation.depletion import Rules, deplete
from csrag.ask.computation.move_in import tour_keys
from csrag.ask.computation.selection import Scales, scores
from csrag.surfaces.frame import ClusterFrame

SCALES = Scales(30.0, 90.0, 0.004, 0.03)


def pool(seed, n):
    rng = np.random.default_rng(seed)
    lat, lon = 40 + rng.uniform(-0.5, 0.5, n), -121 + rng.uniform(-0.5, 0.5, n)
    burn = np.where(rng.random(n) < 0.05, np.nan, rng.uniform(0.002, 0.05, n)).astype(np.float32)
    frame = ClusterFrame({
        "cluster_no": rng.permutation(n).astype(np.int64), "lat": lat, "lon": lon, "burn_probability": burn,
        "distance_km": rng.uniform(0, 60, n), "area_acres": np.full(n, 32.0, np.float32),
    })  # fmt: skip
    tons, harvest, haul = rng.uniform(5, 400, n), rng.uniform(20, 90, n), rng.uniform(1, 30, n)
    flat = np.ones(n)
    costs = Costs(
        harvest,
        haul,
        harvest + haul + 1.09,
        1.09,
        tons,
        np.zeros(n, np.int64),
        flat,
        flat,
        flat > 0,
        tour_keys(lat, lon),
    )
    return frame, costs


def naive(frame, costs, rules):
    """Every year from scratch, cluster by cluster."""
    used, radius, out = set(), rules.first_radius_km, []
    score = scores(costs.unit, frame["burn_probability"].astype(float), rules.fire_weight, SCALES)
    for year in range(1, rules.years + 1):
        left = [i for i in range(len(frame)) if i not in used]
        while year > 1 and radius < rules.widest_radius_km:
            if sum(costs.tons[i] for i in left if frame["distance_km"][i] <= radius) >= 5 * rules.demand_bdt:
                break
            radius += 1
        inside = [i for i in left if frame["distance_km"][i] <= radius]
        inside.sort(key=lambda i: (score[i], costs.unit[i], frame["cluster_no"][i]))
        taken, tons = [], 0.0
        for i in inside:
            if tons >= rules.demand_bdt:
                break
            taken.append(i)
            tons += costs.tons[i]
        if tons < rules.demand_bdt:
            return out, year
        used.update(taken)
        out.append((radius, set(taken), tons))
    return out, None


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.integers(20, 250), st.floats(0, 0.9), st.integers(100, 3000), st.integers(5, 40))
def test_years_equal_the_naive_loop(seed, n, weight, demand, first):
    frame, costs = pool(seed, n)
    rules = Rules(
        years=12,
        demand_bdt=float(demand),
        fire_weight=weight,
        ppi=284.7,
        first_radius_km=float(first),
        widest_radius_km=60.0,
    )
    fast, (slow, ends) = deplete(frame, costs, SCALES, rules), naive(frame, costs, rules)
    assert fast.exhausted_year == ends
    assert len(fast.years) == len(slow)
    for year, (radius, taken, tons) in zip(fast.years, slow, strict=True):
        assert year.radius_km == radius
        assert set(year.rows.tolist()) == taken
        assert year.tons == pytest.approx(tons, rel=1e-12)
        assert year.last_ton >= year.average or year.last_ton == pytest.approx(year.average)
    cut = [i for year in fast.years for i in year.rows.tolist()]
    assert len(cut) == len(set(cut))
    radii = [year.radius_km for year in fast.years]
    assert radii == sorted(radii)


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.integers(5, 400), st.floats(0, 1), st.integers(50, 3000), st.sampled_from([5.0, 17.3, 40.0, 60.0]),
       st.booleans(), st.booleans())  # fmt: skip
def test_the_short_way_equals_the_general_one(seed, n, weight, demand, first, grows, tied):
    frame, costs = pool(seed, n)
    tons = np.ceil(costs.tons)
    unit = np.round(costs.unit / 20) * 20 if tied else costs.unit
    costs = replace(costs, tons=tons, unit=np.where(np.arange(n) % 9 == 0, np.inf, unit))
    rules = Rules(
        years=20, demand_bdt=float(demand), fire_weight=weight, ppi=284.7, first_radius_km=first,
        widest_radius_km=60.0 if grows else first,
    )  # fmt: skip
    short = deplete(frame, costs, SCALES, rules)
    general = deplete(frame, costs, SCALES, rules, before_year=lambda _year, _tons, _there: None)
    assert short.exhausted_year == general.exhausted_year
    assert short.in_reach_bdt == general.in_reach_bdt
    assert len(short.years) == len(general.years)
    for a, b in zip(short.years, general.years, strict=True):
        assert a.rows.tolist() == b.rows.tolist()
        assert (a.radius_km, a.tons, a.average, a.move_in) == (b.radius_km, b.tons, b.average, b.move_in)
        assert a.remaining_bdt == pytest.approx(b.remaining_bdt)
