"""Reading golden rows and asking the live reference simulator; shared by the FRCS golden tests."""

from __future__ import annotations

import csv
import gzip
import json
import math
import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from csrag.simulators.frcs.validation import PARAMETERS

RTOL = 1e-9
GOLDEN = Path("golden") / "frcs"
WORDS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def read(path: Path) -> list[dict[str, str]]:
    """Rows of a gzipped CSV file."""
    with gzip.open(path, "rt", newline="") as handle:
        return list(csv.DictReader(handle))


def record(row: Mapping[str, str]) -> dict[str, Any]:
    """The 34 inputs of a golden row, damaged as its `mutation` says."""
    out: dict[str, Any] = {}
    for key, kind in PARAMETERS.items():
        text = row[key]
        out[key] = text if kind == "string" else text == "true" if kind == "boolean" else float(text or "nan")
    if row["mutation"]:
        how = json.loads(row["mutation"])
        if how["op"] == "delete":
            del out[how["key"]]
        else:
            value = how["value"]
            out[how["key"]] = WORDS.get(value, value) if isinstance(value, str) else value
    return out


def columns(rows: Iterable[Mapping[str, Any]]) -> dict[str, NDArray[Any]]:
    """Records as columns of one system's run."""
    rows = list(rows)
    return {
        key: np.array([r[key] for r in rows], dtype=bool if kind == "boolean" else float)
        for key, kind in PARAMETERS.items()
        if key != "system"
    }


def differences(want: NDArray[np.float64], got: NDArray[np.float64]) -> NDArray[np.int64]:
    """Rows where two columns differ: another NaN or infinity, or beyond `RTOL`."""
    finite = np.isfinite(want) & np.isfinite(got)
    same = finite | (np.isnan(want) & np.isnan(got)) | (want == got)
    target = np.where(finite, want, 0.0)
    gap = np.abs(np.where(finite, got, 0.0) - target)
    return np.flatnonzero(~same | (gap > RTOL * np.abs(target)))


def oracle_dir() -> Path:
    """Folder of the reference simulator; the test is skipped where it or Node is missing."""
    given = os.environ.get("CSRAG_FRCS_ORACLE_DIR", "")
    if not given:
        pytest.skip("CSRAG_FRCS_ORACLE_DIR is not set: no live reference simulator")
    folder = Path(given)
    if not (folder / "oracle.js").is_file() or not (folder / "node_modules" / "@ucdavis" / "frcs").is_dir():
        pytest.skip("CSRAG_FRCS_ORACLE_DIR holds no oracle.js with node_modules/@ucdavis/frcs")
    if shutil.which("node") is None:
        pytest.skip("Node is not installed")
    return folder


def _spell(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def _revive(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _revive(v) for k, v in value.items()}
    return WORDS.get(value, value) if isinstance(value, str) else value


def ask_oracle(requests: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Answers of the reference simulator, in order."""
    lines = "\n".join(
        json.dumps({k: {n: _spell(x) for n, x in v.items()} if isinstance(v, dict) else v for k, v in r.items()})
        for r in requests
    )
    done = subprocess.run(
        ["node", "oracle.js"], cwd=oracle_dir(), input=lines, capture_output=True, text=True, check=True
    )
    return [_revive(json.loads(line)) for line in done.stdout.splitlines()]
