"""`csrag simulate` for the economic models: forms of a line, refusals, how numbers are written, every golden row."""

from __future__ import annotations

import copy
import gzip
import json
import math
import os
import random
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from csrag.economics import models
from csrag.economics.inputs import PLANT_INPUTS
from csrag.economics.schema import Field
from csrag.interfaces.cli import simulate_economics
from csrag.interfaces.cli.simulate import simulate_lines
from csrag.interfaces.cli.simulate_economics import ECONOMIC, FEW_LINES, written

Row = dict[str, Any]


def nested(table: tuple[Field, ...]) -> Row:
    """Defaults under the package's names."""
    inputs: Row = {}
    for field in table:
        group, _, key = field.path.rpartition(".")
        value = list(field.default) if field.kind == "shares" else field.default
        (inputs.setdefault(group, {}) if group else inputs)[key] = value
    return inputs


PLANTS = {model.lower(): nested(kind.table) for model, kind in PLANT_INPUTS.items()}
LINE: Row = {
    "VoltageClass": "230 kV Single Circuit", "ConductorType": "ACSS", "Structure": "Lattice",
    "LengthCategory": "3-10 miles", "NewOrReconductor": "New", "AverageTerrainMultiplier": 1,
    "Miles": {
        **dict.fromkeys(("Flat", "Wetland", "Farmland", "Desert", "Urban", "Hills", "Mountain"), 0), "Forested": 4,
        "Zone1": 1, **{f"Zone{n}": 0 for n in range(2, 13)},
    },
}  # fmt: skip
LCA: Row = {
    "technology": "GPO", "harvestDiesel": 0.001, "unloadDiesel": 0.0001, "gasoline": 0, "jetfuel": 0, "distance": 0.01,
    "construction": 0, "equipment": 0,
}  # fmt: skip
ENDS = {
    "CapitalCost": (1e6, 2e8), "BiomassFuelCost": (0, 100), "DebtRatio": (0, 100), "DebtInterestRate": (1, 15),
    "CostOfEquity": (1, 50), "NetStationEfficiency": (5, 50), "CapacityFactor": (40, 100),
}  # fmt: skip
SENSITIVITY: Row = {
    "model": "GPO", "input": PLANTS["gpo"], **{name: {"low": low, "high": high} for name, (low, high) in ENDS.items()}
}  # fmt: skip


def ask(kind: str, *lines: object) -> list[Row]:
    """Answers, from JSON in which nothing but finite numbers may stand."""

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} was written")

    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    return [json.loads(answer, parse_constant=refuse) for answer in simulate_lines(kind, texts)]


@pytest.mark.parametrize(
    ("kind", "inputs"), [*PLANTS.items(), ("transmission", LINE), ("lca", LCA), ("sensitivity", SENSITIVITY)]
)
def test_every_form_is_the_library_s_answer(kind: str, inputs: Row) -> None:
    model = kind.upper() if kind in PLANTS else kind
    lines = [inputs, {"id": 7, "inputs": inputs}, {"id": "a", "model": model, "inputs": inputs},
             {"id": "g", "kind": "draw", "note": "x", "model": model, "inputs": inputs, "outputs": {}},
             {"id": "k", "kind": kind, "input": inputs}]  # fmt: skip
    want = models.evaluate(kind, inputs).outputs
    for answers in (ask(kind, *lines), ask(kind, *lines * FEW_LINES)[-5:]):
        assert [a["id"] for a in answers] == [None, 7, "a", "g", "k"]
        assert all(a["outputs"] == want for a in answers)
        assert all(set(a) <= {"id", "outputs", "warnings"} for a in answers)


def test_lines_that_name_their_model() -> None:
    lines = [{"id": 1, "model": "GPO", "inputs": PLANTS["gpo"]}, {"id": 2, "model": "lca", "inputs": LCA},
             {"id": 3, "model": "currentLAC", "inputs": {"costOfEquity": 15, "economicLife": 20,
                                                         "totalPresentWorth": 1e8, "annualGeneration": 1e8}}]  # fmt: skip
    gpo, lca, level = ask("tea", *lines)
    assert gpo["outputs"] == models.run("gpo", PLANTS["gpo"])
    assert lca["outputs"] == models.run("lca", LCA)
    assert level["outputs"]["value"] == pytest.approx(0.15976147040574387)
    unnamed, unknown, hopeless = ask("tea", {"inputs": LCA}, {"id": 5, "model": "nuclear", "inputs": {}},
                                     {"id": 6, "model": ["GPO"], "inputs": None})  # fmt: skip
    assert '"model": "GPO"' in unnamed["error"]
    assert "Choose one of gpo" in unknown["error"]
    assert "error" in hopeless


def changed(path: str, value: object) -> Row:
    inputs = copy.deepcopy(PLANTS["gpo"])
    group, _, key = path.rpartition(".")
    (inputs[group] if group else inputs)[key] = value
    return inputs


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ({"id": 1, "inputs": changed("CapitalCost", "100000000")}, "without quotation marks"),
        ({"id": 1, "inputs": changed("Financing", None)}, "Financing.DebtRatio"),
        ({"id": 1, "inputs": changed("Financing", [])}, "Financing.DebtRatio"),
        ({"id": 1, "inputs": {}}, "Add them"),
        ({"id": 1, "inputs": [1]}, "Give the inputs by name"),
        ({"id": 1, "inputs": changed("ElectricalFuelBaseYear.MoistureContent", 100)}, "below 100"),
        ({"id": 1, "inputs": changed("CapitalCost", math.nan)}, "not a finite number"),
        ({"id": 1, "inputs": changed("CapitalCost", -math.inf)}, "not a finite number"),
        ({"id": 1, "inputs": changed("CapitalCost", 10**400)}, "not a finite number"),
        ({"id": 1, "inputs": changed("CapitalCost", 1e308)}, "wrong unit or exponent"),
        ({"id": 1, "inputs": changed("CapitalCost", {"$num": "NaN"})}, "not a finite number"),
        ({"id": 1, "inputs": changed("CapitalCost", True)}, "not a finite number"),
        ({"id": 1, "inputs": changed("TaxCreditFrac", [1, "0"])}, "TaxCreditFrac"),
        ({"id": 1, "inputs": changed("TaxCreditFrac", [1])}, "one share for each year"),
        ({"id": 1, "inputs": changed("IncludeCarbonCredit", 1)}, "true or false"),
        ({"id": 1, "model": "CHP", "inputs": PLANTS["gpo"]}, "csrag simulate chp"),
        ({"id": 1, "model": "currentLAC", "inputs": {}}, "csrag simulate tea"),
        ({"id": 1, "model": 3, "inputs": PLANTS["gpo"]}, "model 3"),
        ({"id": 1, "inputs": PLANTS["gpo"], "CapitalCost": 5}, "inside 'inputs'"),
        ({"id": [math.nan], **changed("CapitalCost", "x")}, "without quotation marks"),
        ("{broken", "one JSON object"),
        ('{"id": 1, "inputs": {"CapitalCost": 1e5', "one JSON object"),
    ],
)
def test_a_bad_line_says_how_to_mend_it_and_touches_no_other(line: object, part: str) -> None:
    for times in (1, FEW_LINES):
        before, refused, after = ask("gpo", *[PLANTS["gpo"], line, PLANTS["gpo"]] * times)[-3:]
        assert part in refused["error"]
        assert "outputs" not in refused
        assert before["outputs"] == after["outputs"] == models.run("gpo", PLANTS["gpo"])


def test_warnings_stand_beside_the_outputs() -> None:
    plain, warned = ask("gpo", PLANTS["gpo"], changed("ElectricalFuelBaseYear.MoistureContent", 70))
    assert "warnings" not in plain
    (warning,) = warned["warnings"]
    assert warning["code"] == "outside_model_range"
    assert "MoistureContent" in warning["message"]


def test_a_missing_key_anywhere_is_named() -> None:
    for model, inputs in PLANTS.items():
        for field in PLANT_INPUTS[model.upper()].table:
            if field.required:
                less = copy.deepcopy(inputs)
                group, _, key = field.path.rpartition(".")
                del (less[group] if group else less)[key]
                (answer,) = ask(model, less)
                assert field.path in answer["error"]


def test_whatever_stands_in_the_inputs_is_answered() -> None:
    rng = random.Random(5)
    odd: list[Any] = [
        None,
        True,
        "",
        "x",
        [],
        {},
        [[]],
        0,
        -1,
        1e308,
        -1e308,
        5e-324,
        10**30,
        math.nan,
        math.inf,
        10**400,
    ]
    whole = {**PLANTS, "transmission": LINE, "lca": LCA, "sensitivity": SENSITIVITY}
    for kind, inputs in whole.items():
        lines = []
        for _ in range(120):
            broken: Any = copy.deepcopy(inputs)
            holder = broken
            key = rng.choice(list(holder))
            while isinstance(holder[key], dict) and rng.random() < 0.9:
                holder = holder[key]
                key = rng.choice(list(holder))
            holder[key] = rng.choice(odd)
            lines.append({"id": 1, "inputs": broken})
        answers = ask(kind, *lines)
        assert all(("outputs" in a) != ("error" in a) for a in answers)
        assert {"outputs", "error"} <= {key for a in answers for key in a}


def test_numbers_read_back_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(9)
    numbers = [rng.uniform(-1, 1) * 10.0 ** rng.randint(-320, 307) for _ in range(20_000)]
    numbers += [0.0, -0.0, 1.0, 5e-324, 1.7976931348623157e308, 1e-5, 1e15, 1e16, 2.0**53, 123456789012345.0, 0.1, 3]
    rows = [("[%s, %s]", numbers[i : i + 2]) for i in range(0, len(numbers), 2)]
    in_bulk = [json.loads(text) for text in written(rows)]
    monkeypatch.setattr(simulate_economics, "FEW_LINES", len(rows) + 1)
    one_by_one = [json.loads(text) for text in written(rows)]
    assert in_bulk == one_by_one == [row for _, row in rows]
    assert [[type(v) for v in row] for row in in_bulk] == [[type(v) for v in row] for row in one_by_one]


def test_answers_of_different_shape_keep_apart() -> None:
    lines: list[Row] = []
    for life in (1, 2, 7, 20, 7, 2):
        inputs = changed("Financing.EconomicLife", life)
        lines.append({"id": life, "inputs": inputs})
    answers = ask("gpo", *lines * 4)
    for answer, line in zip(answers, lines * 4, strict=True):
        assert len(answer["outputs"]["AnnualCashFlows"]) == line["id"]
        assert answer["outputs"] == models.run("gpo", line["inputs"])


@pytest.mark.slow
@pytest.mark.parametrize("kind", list(PLANTS))
def test_ten_thousand_lines_take_seconds(kind: str) -> None:
    lines = [json.dumps({"id": i, "inputs": {**PLANTS[kind], "CapitalCost": 1e7 + 1009.7 * i}}) for i in range(10_000)]
    start = time.process_time()
    answered = sum('"outputs": {' in line for line in simulate_lines(kind, lines))
    assert answered == 10_000
    assert time.process_time() - start < 20


# --- golden rows and the program, through this door -------------------------------------------------------------------

GOLDEN = {"tea_gpo": 300, "tea_chp": 300, "tea_gp": 300, "tea_grid": 100, "tea_finance": 100, "tea_sensitivity": 6,
          "tea_project": 30, "lca": 200}  # fmt: skip
REFUSED_BY_RULE = {
    "life 21, credit list 20", "life 0", "life 20.5", "life '20'", "life '10'", "federal tax 100", "state tax text",
    "no credit list", "empty credit list", "no carbon block", "no labour", "moisture 100", "capacity factor 0",
    "efficiency 0", "capacity 0", "no fuel escalation", "no heat escalation", "no combustible gas", "char all carbon",
    "char sold, all carbon", "gas efficiency 0", "0 miles", "inflation '2.6'", "no first year, credit on",
    "capital text", "labour text", "capacity text", "moisture 110", "gas over 100 %", "unknown class",
    "unknown conductor", "unknown technology", "text", "missing",
}  # fmt: skip
"""Notes of edge rows whose inputs have no meaning: an error, whatever the reference makes of them."""
LIMIT_BY_RULE = {"debt interest 0", "debt interest 0 and no debt", "equity return 0", "equity return = inflation",
                 "equity return 1e-9"}  # fmt: skip
"""Notes of edge rows where the reference has no number, or half of one: the limit."""


def leaves(thing: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    pairs = thing.items() if isinstance(thing, dict) else enumerate(thing) if isinstance(thing, list) else None
    if pairs is None:
        yield path, thing
        return
    for key, value in pairs:
        yield from leaves(value, f"{path}.{key}")


def compare(row: Row, got: Row) -> int:
    """Cash-flow items to 1e-9 of the capital, percent changes to 1e-9 of a percent, the rest to a relative 1e-11."""
    if years := row.get("cashFlowYears"):
        got["AnnualCashFlows"] = [got["AnnualCashFlows"][y - 1] for y in years]
        got["CurrentLAC"]["PresentWorth"] = [got["CurrentLAC"]["PresentWorth"][y - 1] for y in years]
    wanted, ours = dict(leaves(row["outputs"])), dict(leaves(got))
    assert wanted.keys() == ours.keys(), row["id"]
    capital = float(row["outputs"].get("capitalCost") or row["inputs"].get("CapitalCost", 1.0)) if (
        row["model"] in (*PLANT_INPUTS, "project")) else 1.0  # fmt: skip
    for path, want in wanted.items():
        if isinstance(want, str):
            assert ours[path] == want, (row["id"], path)
            continue
        slack = 1e-9 * capital if "cashflow" in path.lower() else 1e-9 if "relativeChange" in path else 0.0
        assert math.isclose(ours[path], want, rel_tol=1e-11, abs_tol=slack), (row["id"], path, ours[path], want)
    return len(wanted)


@pytest.mark.shared
@pytest.mark.parametrize(("name", "count"), list(GOLDEN.items()))
def test_golden_rows(shared_dir: Path, name: str, count: int) -> None:
    with gzip.open(shared_dir / "golden" / "tea" / f"{name}_public.jsonl.gz", "rt") as text:
        rows = [json.loads(line) for line in text]
    assert len(rows) == count
    answers = ask("tea", *rows)
    for row, answer in zip(rows, answers, strict=True):
        note = row.get("note")
        assert answer["id"] == row["id"]
        if note in REFUSED_BY_RULE:
            assert "error" in answer, row["id"]
            continue
        assert "outputs" in answer, (row["id"], note, answer)
        words = any(v in ("NaN", "Infinity", "-Infinity") for _, v in leaves(row.get("outputs", {})))
        if note not in LIMIT_BY_RULE and not words:
            assert compare(row, answer["outputs"]) > 0
        elif words:
            assert note in LIMIT_BY_RULE or row["id"] == "pub20251-CHP-0131", row["id"]  # return equals inflation
    for kind in {row["model"].casefold() for row in rows} & ECONOMIC.keys():
        own = [(row, answer) for row, answer in zip(rows, answers, strict=True) if row["model"].casefold() == kind]
        direct = ask(kind, *(row for row, _ in own))
        assert [sorted(a) for a in direct] == [sorted(a) for _, a in own]
        assert [a.get("error") for a in direct] == [a.get("error") for _, a in own]


@pytest.mark.oracle
@pytest.mark.shared
def test_the_program_says_the_same(shared_dir: Path) -> None:
    """The reference's own program and `csrag simulate tea` read the same lines, inputs shuffled between golden rows."""
    folder, node = os.environ.get("CSRAG_TEA_ORACLE_DIR"), shutil.which("node")
    if not folder or not (Path(folder) / "oracle.js").is_file():
        pytest.skip("CSRAG_TEA_ORACLE_DIR does not name a folder with oracle.js")
    if node is None:
        pytest.skip("Node is not installed")
    rng = random.Random(41)
    requests: list[Row] = []
    for name, model in (("tea_gpo", "GPO"), ("tea_chp", "CHP"), ("tea_gp", "GP"), ("lca", "lca"),
                        ("tea_grid", "transmission"), ("tea_grid", "substation"), ("tea_project", "project"),
                        ("tea_sensitivity", "sensitivity")):  # fmt: skip
        with gzip.open(shared_dir / "golden" / "tea" / f"{name}_public.jsonl.gz", "rt") as text:
            pool = [r["inputs"] for r in map(json.loads, text) if r["kind"] == "draw" and r["model"] == model]
        for _ in range(20 if name in ("tea_project", "tea_sensitivity") else 200):
            inputs = copy.deepcopy(rng.choice(pool))
            for key in inputs:  # whole numbers and groups that carry over from row to row
                if key in ("CapitalCost", "ExpensesBaseYear", "CarbonCredit", "harvestDiesel", "distance", "equipment"):
                    inputs[key] = copy.deepcopy(rng.choice(pool)[key])
            requests.append({"id": len(requests), "model": model, "inputs": inputs})
    lines = [json.dumps(request) for request in requests]
    done = subprocess.run(
        [node, "oracle.js"], cwd=folder, input="\n".join(lines), capture_output=True, text=True, check=True, timeout=300
    )
    compared = 0
    for request, theirs, ours in zip(requests, done.stdout.splitlines(), simulate_lines("tea", lines), strict=True):
        want, got = json.loads(theirs), json.loads(ours)
        if "error" not in want and not any(v in ("NaN", "Infinity", "-Infinity") for _, v in leaves(want["outputs"])):
            compared += compare({**request, **want}, got["outputs"])
    assert compared > 100_000
