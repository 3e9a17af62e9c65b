"""Many years: laws of depletion, re-entry, fires and other plants, on small made-up pools."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from csrag.ask.computation.burn_loss import REPEATS, Fires, Risk, quantile, run_histories, seed_of
from csrag.ask.computation.competition import SUPPLY_KM, Rival, Takings, rivals_in_reach, share_in_reach
from csrag.ask.computation.delivered import Costs, Economics
from csrag.ask.computation.depletion import Depletion, Rules, deplete
from csrag.ask.computation.fuel_credit import credits_usd
from csrag.ask.computation.life import supply_years
from csrag.ask.computation.move_in import tour_keys
from csrag.ask.computation.power_line import line_usd, step_message
from csrag.ask.computation.selection import Scales
from csrag.ask.records import Location, SitingQuery
from csrag.ask.results import Catchment, RetrievalKey
from csrag.economics.carbon import standard_g_per_mj
from csrag.economics.grid import MILES_PER_KM
from csrag.economics.plant import PlantEconomics
from csrag.errors import CsragError
from csrag.places.wood_plants import BDT_PER_MW_YEAR, WoodPlant, built_in_plants, read_plants
from csrag.simulators.harvest import HarvestEconomics
from csrag.simulators.truck import TruckEconomics
from csrag.surfaces.frame import ClusterFrame

LAT, LON = 39.94, -120.95
SCALES = Scales(30.0, 90.0, 0.004, 0.03)
ECON = Economics(HarvestEconomics(), TruckEconomics(), 0.0, recomputed=False)
Pool = tuple[ClusterFrame, Costs]


def pool(n: int, seed: int, tons: float | None = None) -> Pool:
    draw = np.random.default_rng(seed)
    away, turn = 60 * np.sqrt(draw.random(n)), draw.random(n) * 2 * np.pi
    lat = LAT + np.degrees(away * np.cos(turn) / 6371.0088)
    lon = LON + np.degrees(away * np.sin(turn) / 6371.0088) / np.cos(np.radians(LAT))
    burn = np.where(draw.random(n) < 0.1, np.nan, draw.random(n) * 0.05).astype(np.float32)
    keys = draw.permutation(n).astype(np.int64) * 3 + 11
    frame = ClusterFrame({
        "cluster_no": keys, "lat": lat, "lon": lon, "distance_km": away, "burn_probability": burn,
        "area_acres": np.full(n, 32.0, dtype=np.float32), "feedstock_bdt": np.full((n, 4), 100.0, dtype=np.float32),
    })  # fmt: skip
    harvest, haul = 20 + 40 * draw.random(n), 0.4 * away
    weights = np.full(n, tons) if tons else 40 + 160 * draw.random(n)
    costs = Costs(
        harvest, haul, harvest + haul + 1.0, 1.0, weights, np.zeros(n, dtype=np.int64), away * 1.3, np.full(n, 1.3),
        np.ones(n, dtype=bool), tour_keys(lat, lon),
    )  # fmt: skip
    return frame, costs


def rules(years: int = 20, demand: float = 2000.0, **changes: object) -> Rules:
    given: dict[str, object] = {"fire_weight": 0.0, "ppi": 284.7, "first_radius_km": 20.0, "widest_radius_km": 60.0}
    return Rules(years=years, demand_bdt=demand, **given | changes)  # type: ignore[arg-type]


def taken_keys(years: Depletion, frame: ClusterFrame) -> list[list[int]]:
    return [frame["cluster_no"][y.rows].tolist() for y in years.years]


def same(one: Depletion, other: Depletion, frame: ClusterFrame) -> bool:
    return taken_keys(one, frame) == taken_keys(other, frame) and [y.average for y in one.years] == [
        y.average for y in other.years
    ]


# --- depletion --------------------------------------------------------------------------------------------------------


@given(st.integers(0, 10_000), st.integers(30, 500), st.floats(0, 1), st.floats(300, 5000))
def test_years_never_reuse_a_cluster_and_the_circle_never_shrinks(seed, n, weight, demand):
    frame, costs = pool(n, seed)
    run = deplete(frame, costs, SCALES, rules(demand=demand, fire_weight=weight))
    flat = [k for year in taken_keys(run, frame) for k in year]
    assert len(flat) == len(set(flat))
    radii = [y.radius_km for y in run.years]
    assert radii == sorted(radii)
    for y in run.years:
        assert y.tons >= demand
        assert y.tons - costs.tons[y.rows[-1]] < demand
        assert frame["distance_km"][y.rows].max() <= y.radius_km
    assert len(run.years) == 20 or run.exhausted_year == len(run.years) + 1


@given(st.integers(0, 10_000), st.integers(2, 12))
def test_reentry_never_lowers_the_supply(seed, again):
    frame, costs = pool(300, seed, tons=100.0)  # equal tons: whole clusters then waste the same either way
    once = deplete(frame, costs, SCALES, rules(demand=2000.0, years=30))
    back = deplete(frame, costs, SCALES, rules(demand=2000.0, years=30, reentry_years=again))
    assert len(back.years) >= len(once.years)
    last: dict[int, int] = {}
    for year, keys in enumerate(taken_keys(back, frame), start=1):
        for k in keys:
            assert year - last.get(k, -1000) >= again
            last[k] = year


def test_reentry_after_more_years_than_the_run_is_no_reentry():
    frame, costs = pool(400, 3)
    assert same(deplete(frame, costs, SCALES, rules()), deplete(frame, costs, SCALES, rules(reentry_years=21)), frame)


def test_a_shorter_run_is_the_beginning_of_a_longer_one():
    frame, costs = pool(700, 5)
    long, short = deplete(frame, costs, SCALES, rules(years=20)), deplete(frame, costs, SCALES, rules(years=8))
    assert taken_keys(long, frame)[:8] == taken_keys(short, frame)


def test_what_others_cut_comes_back_too():
    frame, costs = pool(60, 2, tons=100.0)

    def all_of_it(year, _tons, there):
        if year == 1:
            there[20:] = False

    never = deplete(frame, costs, SCALES, rules(demand=1500.0, years=4, first_radius_km=60.0), all_of_it)
    back = deplete(
        frame, costs, SCALES, rules(demand=1500.0, years=4, first_radius_km=60.0, reentry_years=1), all_of_it
    )
    assert never.exhausted_year == 2
    assert back.exhausted_year is None


# --- fires ------------------------------------------------------------------------------------------------------------


def histories(frame: ClusterFrame, costs: Costs, share: float, seed: int = 7, **changes: object) -> Depletion:
    risk = Risk(frame["burn_probability"].astype(np.float64), frame["cluster_no"])
    return run_histories(
        lambda before: deplete(frame, costs, SCALES, rules(**changes), before),  # type: ignore[arg-type]
        lambda k: Fires(risk, share, seed, k), 20, any_loss=share > 0,
    )  # fmt: skip


def test_a_loss_of_nothing_is_no_loss():
    frame, costs = pool(600, 8)
    plain = deplete(frame, costs, SCALES, rules())
    assert same(histories(frame, costs, 0.0), plain, frame)
    risk = Risk(frame["burn_probability"].astype(np.float64), frame["cluster_no"])
    assert same(deplete(frame, costs, SCALES, rules(), Fires(risk, 0.0, 7, 3)), plain, frame)


def test_fires_tell_from_year_two_and_a_larger_share_takes_more():
    frame, costs = pool(900, 9)
    plain = deplete(frame, costs, SCALES, rules())
    some, all_of_it = histories(frame, costs, 0.3), histories(frame, costs, 1.0)
    assert taken_keys(some, frame)[0] == taken_keys(plain, frame)[0]
    assert taken_keys(some, frame) != taken_keys(plain, frame)
    assert len(some.repeats) == REPEATS
    for little, much in zip(some.repeats, all_of_it.repeats, strict=True):
        assert 0 < little.lost_bdt < much.lost_bdt
        assert len(much.years.years) <= len(little.years.years) <= len(plain.years)


def test_the_middle_is_one_of_the_repeats_and_lies_between_the_ends():
    frame, costs = pool(900, 10)
    run = histories(frame, costs, 0.5)
    assert same(run, run.repeats[run.middle].years, frame)
    full = [r.years.average() for r in run.repeats if len(r.years.years) == 20]
    assert len(full) == REPEATS
    assert sorted(full)[(REPEATS - 1) // 2] == run.average() == quantile(full, 0.5)
    assert quantile(full, 0.05) <= run.average() <= quantile(full, 0.95)
    assert quantile(full, 0.05) < quantile(full, 0.95)


@given(st.integers(0, 1000))
def test_fires_do_not_depend_on_row_order(seed):
    frame, costs = pool(200, seed)
    order = np.random.default_rng(seed + 1).permutation(200)
    burned = []
    for rows in (np.arange(200), order):
        mixed = frame.take(rows)
        fires = Fires(Risk(mixed["burn_probability"].astype(np.float64), mixed["cluster_no"]), 0.5, seed, 0)
        tons = costs.tons[rows].copy()
        for year in (1, 2, 3):
            fires(year, tons, np.ones(200, dtype=bool))
        burned.append(dict(zip(mixed["cluster_no"].tolist(), tons.tolist(), strict=True)))
    assert burned[0] == burned[1]


def test_clusters_burn_at_their_own_probability():
    n, years = 4000, 60
    p = np.repeat([0.0, 0.01, 0.05, np.nan], n // 4)
    fires = Fires(Risk(p, np.arange(n)), 1.0, 5, 0)
    counts = np.zeros(n)
    for year in range(2, years + 2):
        tons = np.ones(n)
        fires(year, tons, np.ones(n, dtype=bool))
        counts += tons == 0
    each = counts.reshape(4, -1).sum(axis=1) / (n / 4 * years)
    assert each[0] == each[3] == 0
    assert each[1] == pytest.approx(0.01, abs=4 * (0.01 / (n / 4 * years)) ** 0.5)
    assert each[2] == pytest.approx(0.05, abs=4 * (0.05 / (n / 4 * years)) ** 0.5)


def test_a_certain_fire_burns_everything():
    fires = Fires(Risk(np.ones(50), np.arange(50)), 1.0, 1, 0)
    tons = np.ones(50)
    fires(2, tons, np.ones(50, dtype=bool))
    assert tons.sum() == 0
    assert fires.lost_bdt == 50


def test_the_seed_follows_the_question_not_its_wording():
    one = SitingQuery(question="a", locations=(Location("Quincy", "place", lat=LAT, lon=LON),), capacity_mw=25.0)
    assert seed_of(one, "h") == seed_of(one.with_(question="b", burn_loss_pct=80.0, years=20, intent="projection"), "h")
    assert seed_of(one, "h") != seed_of(one.with_(capacity_mw=20.0), "h")
    assert seed_of(one, "h") != seed_of(one, "g")


def test_quantiles_are_values_that_were_drawn():
    assert quantile([3.0, 1.0, 2.0], 0.5) == 2.0
    assert quantile([1.0], 0.95) == 1.0
    assert quantile([float(k) for k in range(1, 41)], 0.05) == 2.0
    assert quantile([float(k) for k in range(1, 41)], 0.95) == 38.0


def test_the_pool_of_a_life_grows_with_losses_and_rivals():
    plain = SitingQuery()
    assert supply_years(plain, 0.03) == supply_years(plain.with_(burn_loss_pct=0.0), 0.03) == 25.0
    assert supply_years(plain.with_(burn_loss_pct=50.0), 0.03) > 25.0
    assert supply_years(plain.with_(burn_loss_pct=50.0), None) == 25.0
    assert supply_years(plain, 0.03, 1000.0, 1000.0) == 45.0


# --- other plants -----------------------------------------------------------------------------------------------------


def catchment(frame: ClusterFrame, radius_km: float = 60.0, site: str = "Quincy", kind: str = "place") -> Catchment:
    key = RetrievalKey("h", LAT, LON, None, "SDI55", "auto", ("private",), None, None, 1.0)
    return Catchment(key, Location(site, kind, lat=LAT, lon=LON), radius_km, "automatic", frame,
                     np.zeros(len(frame), dtype=np.int64), len(frame), {}, {}, 0.0)  # fmt: skip


def mill(name: str = "Mill", lat: float = LAT, lon: float = LON, bdt: float = 3000.0) -> WoodPlant:
    return WoodPlant(name, lat, lon, bdt, None, "test")


def test_no_other_plants_change_nothing():
    frame, costs = pool(500, 12)
    plain = deplete(frame, costs, SCALES, rules())
    assert same(deplete(frame, costs, SCALES, rules(), Takings((), frame, costs, ECON)), plain, frame)


@given(st.integers(0, 5000), st.floats(10, 5000), st.floats(-0.3, 0.3))
def test_a_rival_takes_its_demand_cheapest_for_itself(seed, demand, north):
    frame, costs = pool(200, seed)
    rival = Rival(mill(lat=LAT + north, bdt=demand), 0.0, 1.0)
    takings = Takings([rival], frame, costs, ECON)
    there = np.ones(200, dtype=bool)
    takings(1, costs.tons.copy(), there)
    gone = costs.tons[~there]
    assert gone.sum() == pytest.approx(takings.taken_bdt[0][1])
    assert gone.sum() >= demand
    assert gone.sum() - gone.max() < demand
    from csrag.geo import haversine_km
    from csrag.simulators.truck import haul_usd_per_bdt_km

    away = haversine_km(LAT + north, LON, frame["lat"], frame["lon"])
    own = costs.harvest + haul_usd_per_bdt_km(ECON.truck) * np.maximum(1.0, away * costs.circuity)
    near = away <= SUPPLY_KM
    assert own[~there].max() <= own[there & near].min(initial=np.inf)


def test_rivals_make_the_supply_end_sooner_never_later():
    frame, costs = pool(700, 14)
    plain = deplete(frame, costs, SCALES, rules())
    rival = Takings([Rival(mill(), 0.0, 1.0)], frame, costs, ECON)
    beside = deplete(frame, costs, SCALES, rules(), rival)
    assert len(beside.years) < len(plain.years)
    assert beside.years[0].average > plain.years[0].average


def test_share_of_a_circle_in_reach_and_in_the_data():
    frame, _ = pool(5, 1)
    wide = catchment(frame, 400.0)
    assert share_in_reach(mill(), wide, ()) == 1.0
    assert share_in_reach(mill(), catchment(frame, 40.0), ()) == pytest.approx(0.25, abs=0.01)
    box = [(LON, 30.0), (LON, 45.0), (-110.0, 45.0), (-110.0, 30.0)]
    assert share_in_reach(mill(), wide, (box,)) == pytest.approx(0.5, abs=0.01)
    assert share_in_reach(mill(lat=33.0), catchment(frame, 60.0), ()) == 0.0


def test_the_plant_asked_about_is_no_rival_of_itself():
    frame, _ = pool(5, 1)
    plants = (mill("Collins Pine Chester"), mill("Other"))
    at_plant = catchment(frame, site="Collins Pine Chester", kind="plant")
    assert [r.plant.name for r in rivals_in_reach(plants, at_plant, ())] == ["Other"]
    assert len(rivals_in_reach(plants, catchment(frame), ())) == 2


# --- tables of plants -------------------------------------------------------------------------------------------------


def test_the_built_in_plants_are_assumed_and_lie_in_california():
    plants = built_in_plants()
    assert len(plants) >= 15
    assert len({p.name for p in plants}) == len(plants)
    for p in plants:
        assert p.basis.startswith("assumed")
        assert p.capacity_mw is not None
        assert 0 < p.bdt_per_year <= p.capacity_mw * BDT_PER_MW_YEAR
    assert round(BDT_PER_MW_YEAR * 25) == 186_815


@pytest.mark.shared
def test_built_in_capacities_are_near_the_register(shared_dir: Path):
    import csv

    rows = csv.DictReader((shared_dir / "data" / "plants" / "ca_wood_biomass_plants.csv").read_text().splitlines())
    register = [(float(r["latitude"]), float(r["longitude"]), float(r["capacity_mw"])) for r in rows]
    near = 0
    for p in built_in_plants():
        assert p.capacity_mw is not None
        close = [mw for lat, lon, mw in register if abs(lat - p.lat) < 0.25 and abs(lon - p.lon) < 0.3]
        near += any(abs(mw - p.capacity_mw) <= max(0.35 * p.capacity_mw, 4) for mw in close)
    assert near >= 0.6 * len(built_in_plants())


def table(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "plants.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_table_of_ones_own(tmp_path: Path):
    text = "\ufeffName, lat ,LON,mw,bdt_per_year\nA,39.9,-120.9,2,\n\nB,40.0,-121.0,5,1234\n"
    one, other = read_plants(table(tmp_path, text))
    assert one.bdt_per_year == pytest.approx(2 * BDT_PER_MW_YEAR)
    assert other.bdt_per_year == 1234
    assert (other.name, other.capacity_mw) == ("B", None)
    assert read_plants(table(tmp_path, "name,lat,lon,mw\n")) == ()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "lacks name, lat, lon"),
        ("name,lat,lon\nA,39.9,-120.9\n", "mw or bdt_per_year"),
        ("name,lat,lon,mw\nA,39.9,-120.9,many\n", "Line 2"),
        ("name,lat,lon,mw\nA,39.9,-120.9,nan\n", "mw = 'nan'"),
        ("name,lat,lon,mw\nA,39.9,-120.9,-5\n", "-5"),
        ("name,lat,lon,mw\nA,39.9,-120.9,5\nB,-120.9,39.9,5\n", "Line 3"),
        ("name,lat,lon,mw\nA,45.9,-120.9,5\n", "outside California"),
        ("name,lat,lon,mw\n,39.9,-120.9,5\n", "no name"),
        ("name,lat,lon,mw\nA,39.9\n", "lon = ''"),
    ],
)
def test_a_table_that_cannot_be_used_says_why(tmp_path: Path, text: str, says: str):
    with pytest.raises(CsragError) as caught:
        read_plants(table(tmp_path, text))
    assert says in str(caught.value)
    assert caught.value.fix
    assert caught.value.exit_code == 2


def test_no_file_no_folder_no_binary(tmp_path: Path):
    binary = tmp_path / "b.csv"
    binary.write_bytes(b"\xff\xfe\x00\x01")
    for path in (tmp_path / "none.csv", tmp_path, binary):
        with pytest.raises(CsragError, match="table of plants"):
            read_plants(path)


# --- power line, credit -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("miles", [0.5, 2.3, 4.0, 8.0, 12.5, 40.0])
def test_lengths_away_from_a_step_have_no_warning(miles):
    assert step_message(miles / MILES_PER_KM) == ""


@pytest.mark.parametrize(
    ("miles", "figures"),
    [(2.99, ("13.22", "10.61")), (3.2, ("13.22", "10.61")), (9.9, ("35.37", "29.50")), (11.0, ("35.37", "29.50"))],
)
def test_a_length_near_a_step_shows_both_sides(miles, figures):
    message = step_message(miles / MILES_PER_KM)
    assert "not monotonic" in message
    assert all(f in message for f in figures)


@given(st.floats(0.2, 60), st.floats(0.2, 60))
def test_wherever_a_longer_line_is_cheaper_one_of_the_two_is_warned_of(one, other):
    short, long = sorted((one, other))
    if line_usd(long / MILES_PER_KM) < line_usd(short / MILES_PER_KM):
        assert step_message(short / MILES_PER_KM) or step_message(long / MILES_PER_KM)


def test_the_credit_is_zero_above_the_standard_and_grows_below_it():
    inputs = PlantEconomics.of("combustion", 25.0).inputs
    assert credits_usd(inputs, [534.0, 460.0], 175_200.0) == [0.0, 0.0]
    low = credits_usd(inputs, [40.0] * 3, 175_200.0)
    want = (standard_g_per_mj(2025) - 40.0) / 1e6 * 3.6 * 196.0 * 175_200_000
    assert low[0] == pytest.approx(want, rel=1e-12)
    assert all(v > 0 for v in low)
