"""The golden rows of the reference simulator through the door of `csrag simulate`, and the reference itself, live."""

from __future__ import annotations

import csv
import gzip
import json
import math
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from csrag.interfaces.cli.simulate import simulate_lines
from csrag.interfaces.cli.simulate_harvest import MOVE_IN_PARAMETERS
from csrag.simulators.frcs.simulate import PACKAGE_FIELDS
from csrag.simulators.frcs.validation import PARAMETERS
from csrag.surfaces.catalog import SYSTEMS

RTOL = 1e-9
HALVES = ("totalBiomass", "feedstock")
SUMMARY = (
    "feedstockGreenTons", "coproductGreenTons", "feedstockHarvestCost", "coproductHarvestCost", "costPerGreenTon",
    "costPerBDMT",
)  # fmt: skip


def _table(folder: Path, name: str) -> list[dict[str, str]]:
    with gzip.open(folder / "golden" / "frcs" / f"{name}.csv.gz", "rt", newline="", encoding="utf-8") as handle:
        return list(csv.DictReader(handle))


def _number(cell: str) -> float | str | None:
    """A cell as a line holds it: null, a number, or the word for one that is not finite."""
    if cell == "":
        return None
    value = float(cell)
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _value(cell: str, kind: str) -> object:
    return cell if kind == "string" else cell == "true" if kind == "boolean" else _number(cell)


def _ask(kind: str, inputs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    lines = [json.dumps({"id": i, "inputs": record}, allow_nan=False) for i, record in enumerate(inputs)]
    answers = [json.loads(line) for line in simulate_lines(kind, lines)]
    assert [a["id"] for a in answers] == list(range(len(inputs)))
    return answers


def _same(got: object, want: str | object, floor: float = 0.0) -> bool:
    """Equal to rounding, or the same word; `floor` is the size below which a difference of sums is rounding."""
    if isinstance(want, str):
        want = _number(want)
    if isinstance(want, str) or isinstance(got, str):
        return got == want
    assert isinstance(got, int | float)
    assert isinstance(want, int | float)
    return math.isclose(got, want, rel_tol=RTOL, abs_tol=floor)


def frcs_record(row: dict[str, str]) -> dict[str, Any]:
    """The inputs of a golden row, damaged as its `mutation` says."""
    record = {k: _value(row[k], kind) for k, kind in PARAMETERS.items()}
    if row["mutation"]:
        damage = json.loads(row["mutation"])
        if damage["op"] == "delete":
            record.pop(damage["key"], None)
        else:
            record[damage["key"]] = damage["value"]
    return record


@pytest.mark.shared
def test_frcs_rows(shared_dir: Path) -> None:
    rows = _table(shared_dir, "public")
    wrong, finite = [], 0
    for row, answer in zip(rows, _ask("frcs", [frcs_record(r) for r in rows]), strict=True):
        if row["status"] == "error":
            message = row["error_message"].replace("\\n", "\n").strip("\n")
            if message not in answer.get("error", "") or answer["errorClass"] != row["error_class"]:
                wrong.append((row["case"], "error", answer, message))
            continue
        for half in HALVES:
            for field in PACKAGE_FIELDS:
                want, got = row[f"{half}_{field}"], answer["outputs"][half][field]
                finite += not isinstance(got, str)
                if not _same(got, want):
                    wrong.append((row["case"], f"{half}.{field}", got, want))
    assert not wrong, f"{len(wrong)} values differ, such as {wrong[:5]}"
    assert finite > 50_000
    assert {r["system"] for r in rows} >= set(SYSTEMS)


@pytest.mark.shared
def test_move_in_rows(shared_dir: Path) -> None:
    """Every row has numbers, those of unknown systems too: the package checks nothing here."""
    rows = _table(shared_dir, "public_movein")
    inputs = [{k: _value(r[k], kind) for k, kind in MOVE_IN_PARAMETERS.items()} for r in rows]
    for row, answer in zip(rows, _ask("move-in", inputs), strict=True):
        for field in ("totalCost", "residualCost", "totalDiesel", "residualDiesel"):
            assert _same(answer["outputs"][field], row[field]), (row["case"], field)
        assert ("warning" in answer) == (row["system"] not in SYSTEMS)


def cluster_record(row: dict[str, str]) -> dict[str, Any]:
    """The cluster, system, economics and variant of a golden row."""
    cluster: dict[str, Any] = {
        k[8:]: _number(v) for k, v in row.items() if k.startswith("cluster_") and "treat" not in k
    }
    cluster["treatmentid"] = json.loads(row["cluster_treatmentid"])
    econ = {k[5:]: _number(v) for k, v in row.items() if k.startswith("econ_")}
    return {"cluster": cluster, "system": row["system"], "econ": econ, "variant": row["variant"]}


@pytest.mark.shared
def test_cluster_rows(shared_dir: Path) -> None:
    rows = _table(shared_dir, "public_cluster")
    rejected = refused = 0
    for row, answer in zip(rows, _ask("cluster", [cluster_record(r) for r in rows]), strict=True):
        mapped = answer["frcsInput"] if "error" in answer else answer["outputs"]["frcsInput"]
        for key, kind in PARAMETERS.items():
            want = row[f"frcs_{key}"]
            same = _same(mapped[key], want) if kind == "number" else mapped[key] == _value(want, kind)
            assert same, (row["case"], key, mapped[key], want)
        if row["error_class"]:
            refused += 1
            assert answer["errorClass"] == row["error_class"]
            continue
        summary = answer["outputs"]["summary"]
        if row["rejected"]:
            rejected += 1
            assert summary == {"rejected": row["rejected"]}
            continue
        for field in SUMMARY:
            # Co-product is total less feedstock: where all is feedstock, what is left is rounding.
            floor = 1e-6 if field.startswith("coproduct") else 0.0
            assert _same(summary[field], row[field], floor), (row["case"], field, summary[field], row[field])
    assert rejected == 10
    assert refused == 8


@pytest.mark.oracle
@pytest.mark.shared
@pytest.mark.parametrize(("kind", "oracle_kind"), [("frcs", "frcs"), ("move-in", "movein"), ("cluster", "cluster")])
def test_the_reference_says_the_same(shared_dir: Path, kind: str, oracle_kind: str) -> None:
    """The reference and `csrag simulate` answer the same request lines, inputs shuffled between golden rows."""
    folder, node = os.environ.get("CSRAG_FRCS_ORACLE_DIR"), shutil.which("node")
    if not folder or not (Path(folder) / "oracle.js").is_file():
        pytest.skip("CSRAG_FRCS_ORACLE_DIR does not name a folder with oracle.js")
    if node is None:
        pytest.skip("Node is not installed")
    import random

    rng = random.Random(74)
    if kind == "cluster":
        pool = [cluster_record(r) for r in _table(shared_dir, "public_cluster")]
        requests: list[dict[str, Any]] = [
            {"cluster": {k: rng.choice(pool)["cluster"][k] for k in pool[0]["cluster"]}, "econ": rng.choice(pool)["econ"],
             "system": rng.choice(SYSTEMS), "variant": rng.choice(["backend", "fixed"])}
            for _ in range(2000)
        ]  # fmt: skip
    else:
        parameters = PARAMETERS if kind == "frcs" else MOVE_IN_PARAMETERS
        table = _table(shared_dir, "public" if kind == "frcs" else "public_movein")
        rows = [
            {k: _value(r[k], t) for k, t in parameters.items()}
            for r in table
            if "mutation" not in r or not r["mutation"]
        ]
        requests = [{"input": {k: rng.choice(rows)[k] for k in parameters}} for _ in range(2000)]
    lines = [json.dumps({"id": i, "kind": oracle_kind, **r}, allow_nan=False) for i, r in enumerate(requests)]
    done = subprocess.run(
        [node, "oracle.js"], cwd=folder, input="\n".join(lines), capture_output=True, text=True, check=True, timeout=300
    )
    theirs = [json.loads(line) for line in done.stdout.splitlines()]
    numbers = 0

    def compare(want: object, got: object, path: tuple[object, ...]) -> None:
        nonlocal numbers
        if isinstance(want, dict):
            assert isinstance(got, dict), path
            assert set(want) == set(got), path
            for key in want:
                compare(want[key], got[key], (*path, key))
            return
        numbers += isinstance(want, float)
        floor = 1e-5 if str(path[-1]).startswith("coproduct") else 0.0
        same = want == got if isinstance(want, bool | str) else _same(got, want, floor)
        assert same, (path, got, want)

    for want, text in zip(theirs, simulate_lines(kind, lines), strict=True):
        got = json.loads(text)
        if "error" in want:
            assert want["error"] in got["error"], got
            assert want["errorClass"] == got["errorClass"]
        else:
            body = {k: v for k, v in want.items() if k != "id"}
            compare(body if kind == "cluster" else body["output"], got["outputs"], (want["id"],))
    assert numbers > 2000
