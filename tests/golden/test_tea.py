"""Economic models against the golden rows of `@ucdavis/tea` 1.4.3, the rule for its edges, and the program itself."""

from __future__ import annotations

import copy
import gzip
import json
import math
import os
import random
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from csrag.economics import models
from csrag.economics.inputs import PLANT_INPUTS
from csrag.errors import InvalidValueError

REL = 1e-11
OF_CAPITAL = 1e-9
Row = dict[str, Any]


def golden(shared_dir: Path, name: str) -> list[Row]:
    with gzip.open(shared_dir / "golden" / "tea" / f"{name}_public.jsonl.gz", "rt") as lines:
        return [json.loads(line) for line in lines]


def leaves(thing: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(thing, dict):
        for key, value in thing.items():
            yield from leaves(value, f"{path}.{key}" if path else key)
    elif isinstance(thing, list):
        for index, value in enumerate(thing):
            yield from leaves(value, f"{path}[{index}]")
    else:
        yield path, thing


def fails(row: Row) -> bool:
    """Whether the reference gave an exception or a number that is none."""
    return "error" in row or any(v in ("NaN", "Infinity", "-Infinity") for _, v in leaves(row["outputs"]))


def capital_of(row: Row) -> float:
    """Capital of a plant row [USD]; the project's includes the power line."""
    own = row["inputs"].get("CapitalCost") if row["model"] in PLANT_INPUTS else None
    return float(row["outputs"].get("capitalCost") or own or 1.0)


def compare(row: Row, got: dict[str, Any]) -> None:
    """Every leaf: cash-flow items to 1e-9 of the capital, all else to a relative 1e-11; the same leaves on both sides."""
    got = copy.deepcopy(got)
    if years := row.get("cashFlowYears"):  # long tables are kept as three of their years
        got["AnnualCashFlows"] = [got["AnnualCashFlows"][y - 1] for y in years]
        got["CurrentLAC"]["PresentWorth"] = [got["CurrentLAC"]["PresentWorth"][y - 1] for y in years]
    wanted, ours = dict(leaves(row["outputs"])), dict(leaves(got))
    assert wanted.keys() == ours.keys(), f"{row['id']}: {wanted.keys() ^ ours.keys()}"
    capital = capital_of(row)
    for path, want in wanted.items():
        if isinstance(want, str):
            assert ours[path] == want, f"{row['id']} {path}"
            continue
        if "cashflow" in path.lower():
            near = math.isclose(ours[path], want, rel_tol=REL, abs_tol=OF_CAPITAL * capital)
        elif "relativeChange" in path:  # percent of the base: 0 at the base itself
            near = math.isclose(ours[path], want, rel_tol=REL, abs_tol=1e-9)
        else:
            near = math.isclose(ours[path], want, rel_tol=REL, abs_tol=0)
        assert near, f"{row['id']} {path}: {ours[path]!r}, wanted {want!r}"


def must_be_finite(outputs: dict[str, Any]) -> None:
    assert all(math.isfinite(v) for _, v in leaves(outputs) if not isinstance(v, str))


# --- drawn rows -------------------------------------------------------------------------------------------------------


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "count"),
    [("tea_gpo", 246), ("tea_chp", 241), ("tea_gp", 233), ("tea_grid", 92), ("tea_finance", 100), ("tea_project", 30)],
)
def test_drawn_rows(shared_dir: Path, name: str, count: int) -> None:
    rows = [row for row in golden(shared_dir, name) if row["kind"] == "draw"]
    assert len(rows) == count
    for row in rows:
        got = models.run(row["model"], row["inputs"])
        must_be_finite(got)
        if not fails(row):
            compare(row, got)


@pytest.mark.shared
def test_sensitivity_rows_and_inputs_left_as_they_were(shared_dir: Path) -> None:
    rows = golden(shared_dir, "tea_sensitivity")
    assert len(rows) == 6
    for row in rows:
        before = copy.deepcopy(row["inputs"])
        compare(row, models.run("sensitivity", row["inputs"]))
        assert row["inputs"] == before


@pytest.mark.shared
def test_the_only_drawn_row_that_the_reference_cannot_do_has_equal_return_and_inflation(shared_dir: Path) -> None:
    failed = [
        r for n in ("gpo", "chp", "gp") for r in golden(shared_dir, f"tea_{n}") if r["kind"] == "draw" and fails(r)
    ]
    assert [r["id"] for r in failed] == ["pub20251-CHP-0131"]
    row = failed[0]
    life = row["inputs"]["Financing"]["EconomicLife"]
    got, want = models.run("CHP", row["inputs"]), row["outputs"]
    generation = want["ElectricalAndFuelBaseYear"]["AnnualGeneration"]
    assert got["ConstantLAC"]["CapitalRecoveryFactorConstant"] == 1 / life
    assert got["ConstantLAC"]["ConstantLACofEnergy"] == pytest.approx(
        want["CurrentLAC"]["TotalPresentWorth"] / life / generation, rel=REL
    )
    assert got["CurrentLAC"]["CurrentLACofEnergy"] == pytest.approx(want["CurrentLAC"]["CurrentLACofEnergy"], rel=REL)


# --- edges: our rule, as a table --------------------------------------------------------------------------------------

REFUSED = {
    "life 21, credit list 20": "TaxCreditFrac",
    "life 0": "EconomicLife",
    "life 20.5": "EconomicLife",
    "life '20'": "EconomicLife",
    "life '10'": "EconomicLife",
    "federal tax 100": "tax",
    "state tax text": "StateTaxRate",
    "no credit list": "TaxCreditFrac",
    "empty credit list": "TaxCreditFrac",
    "no carbon block": "CarbonCredit",
    "no labour": "LaborCost",
    "moisture 100": "MoistureContent",
    "capacity factor 0": "CapacityFactor",
    "efficiency 0": "NetStationEfficiency",
    "capacity 0": "NetElectricalCapacity",
    "no fuel escalation": "EscalationBiomassFuel",
    "no heat escalation": "EscalationHeatSales",
    "no combustible gas": "burns",
    "char all carbon": "CarbonConcentration",
    "char sold, all carbon": "CarbonConcentration",
    "gas efficiency 0": "HHVEfficiency",
    "0 miles": "0 miles",
    # the reference computes these, and the figure means nothing
    "inflation '2.6'": "GeneralInflation",
    "no first year, credit on": "FirstYear",
    "capital text": "CapitalCost",
    "labour text": "LaborCost",
    "capacity text": "NetElectricalCapacity",
    "moisture 110": "MoistureContent",
    "gas over 100 %": "122 %",
    "unknown class": "VoltageClass",
    "unknown conductor": "ConductorType",
}
"""Note of an edge row to a word that the refusal must name."""
LIMIT = {"debt interest 0", "debt interest 0 and no debt", "equity return 0", "equity return = inflation"}
"""Recovery factor 1/N in place of 0/0."""
BETTER = {"equity return 1e-9"}
"""Computed by both; the reference has lost half of its digits."""


@pytest.mark.shared
@pytest.mark.parametrize("name", ["tea_gpo", "tea_chp", "tea_gp", "tea_grid"])
def test_edges_follow_the_table(shared_dir: Path, name: str) -> None:
    rows = [row for row in golden(shared_dir, name) if row["kind"] == "edge"]
    assert rows
    for row in rows:
        note = row["note"]
        if note in REFUSED:
            with pytest.raises(InvalidValueError, match=REFUSED[note]) as refusal:
                models.run(row["model"], row["inputs"])
            assert refusal.value.fix, f"{row['id']}: a refusal says how to mend it"
            continue
        got = models.run(row["model"], row["inputs"])
        must_be_finite(got)
        if note in LIMIT or note in BETTER:
            assert fails(row) == (note in LIMIT)
        else:
            assert not fails(row), f"{row['id']} {note}: the reference fails and no rule is stated"
            compare(row, got)


@pytest.mark.shared
@pytest.mark.parametrize("model", ["gpo", "chp", "gp"])
def test_limits_are_the_values_on_either_side(shared_dir: Path, model: str) -> None:
    """0 % must lie where the reference's own formula leads to: between +-0.001 %, to a part in a million."""
    rows = {row["note"]: row["inputs"] for row in golden(shared_dir, f"tea_{model}") if row["kind"] == "edge"}
    for note in sorted(LIMIT):
        base = rows[note]
        field = "InterestRateOnDebt" if note.startswith("debt") else "CostOfEquity"

        def at(step: float, base: Row = base, field: str = field) -> list[float]:
            inputs = copy.deepcopy(base)
            inputs["Financing"][field] += step
            return list(models.run(model, inputs)["SensitivityAnalysis"].values())

        for low, here, high in zip(at(-1e-3), at(0), at(1e-3), strict=True):
            assert min(low, high) <= here <= max(low, high), note
            assert here == pytest.approx((low + high) / 2, rel=1e-6)
    tiny = models.run(model, rows["equity return 1e-9"])["Financing"]["CapitalRecoveryFactorEquity"]
    assert tiny == pytest.approx(1 / 20 * (1 + 21 / 2 * 1e-11), rel=1e-14)  # series of the factor, N = 20


# --- the reference program itself -------------------------------------------------------------------------------------


def _oracle(requests: list[Row]) -> list[Row]:
    folder = os.environ.get("CSRAG_TEA_ORACLE_DIR")
    if not folder:
        pytest.skip("CSRAG_TEA_ORACLE_DIR is not set: no folder with oracle.js and its node_modules")
    if shutil.which("node") is None:
        pytest.skip("Node is not installed")
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    done = subprocess.run(
        ["node", "oracle.js"], cwd=folder, input=lines, capture_output=True, text=True, check=True, timeout=120
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def _drawn_plant(model: str, rng: random.Random) -> Row:
    """Inputs inside the advised ranges, under the package's names."""
    inputs: Row = {}
    life = rng.randint(2, 40)
    for field in PLANT_INPUTS[model].table:
        low, high = field.advised.low, field.advised.high
        value: Any = field.default
        if field.kind == "shares":
            value = [rng.choice((0, 0.5, 1)) for _ in range(life)]
        elif field.kind == "flag":
            value = rng.random() < 0.5
        elif field.kind == "integer":
            value = rng.randint(int(low), int(high))
        elif math.isfinite(low) and math.isfinite(high):
            value = round(rng.uniform(low, high), 4)
        elif field.default:
            value = round(field.default * rng.uniform(0.3, 3))
        group, _, key = field.path.rpartition(".")
        (inputs.setdefault(group, {}) if group else inputs)[key] = value
    inputs["Financing"]["EconomicLife"] = life
    if model == "GP":
        inputs["ElectricalFuelBaseYear"] |= {"CO": 20, "H2": 12, "Hydrocarbons": 5, "CO2": 12, "O2": 0}
    return inputs


@pytest.mark.oracle
@pytest.mark.parametrize("model", list(PLANT_INPUTS))
def test_plants_against_the_program(model: str) -> None:
    rng = random.Random(f"tea {model}")
    requests = [{"id": k, "model": model, "inputs": _drawn_plant(model, rng)} for k in range(200)]
    for request, answer in zip(requests, _oracle(requests), strict=True):
        compare(request | answer, models.run(model, request["inputs"]))


@pytest.mark.oracle
def test_lines_and_scaling_against_the_program() -> None:
    rng = random.Random("lines")
    line = {"ConductorType": "ACSR", "Structure": "Tubular Steel", "NewOrReconductor": "New"}
    requests: list[Row] = []
    for k in range(40):
        miles = {t: round(rng.uniform(0, 9), 3) for t in ("Forested", "Flat", "Wetland", "Farmland", "Desert", "Urban",
                                                          "Hills", "Mountain")}  # fmt: skip
        miles |= {f"Zone{n}": round(rng.uniform(0, 3), 3) for n in range(1, 13)}
        voltage = rng.choice(("230 kV Double Circuit", "345 kV Single Circuit", "500 kV HVDC Circuit"))
        inputs: Row = line | {"VoltageClass": voltage, "LengthCategory": "> 10 miles", "Miles": miles}
        requests.append({"id": k, "model": "transmission", "inputs": inputs})
        scale = {"referenceCapacity": 25_000, "capacity": rng.randint(300, 90_000), "referenceCost": 3_000_000}
        requests.append({"id": k, "model": "scaledCost", "inputs": scale})
    for request, answer in zip(requests, _oracle(requests), strict=True):
        compare(request | answer, models.run(request["model"], request["inputs"]))
