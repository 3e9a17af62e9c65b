"""A sample of any simulator as a table: the case where the simulator itself cannot be called.

One row a record and system, CSV or Parquet, columns named as in `COLUMN_HELP`. An empty or NaN cost means infeasible.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.build.surrogate.features import CLEAR_CUT, ECONOMIC_COLUMNS, INPUT_COLUMNS, UNITS, Floats
from csrag.build.surrogate.sample import Run, Sample
from csrag.build.surrogate.split import blocks_of
from csrag.errors import RequestError, TableRefusedError
from csrag.quantities import CLUSTER_ACRES
from csrag.simulators.harvest import HarvestEconomics
from csrag.surfaces.catalog import REMOVAL_COLUMNS, SYSTEMS

SYSTEM, COST = "system", "cost_usd_per_bdt"
LAT, LON, CLUSTER = "lat", "lon", "cluster_no"
REQUIRED = (SYSTEM, COST, "slope_pct", "yarding_ft", *REMOVAL_COLUMNS)
ASSUMED = {
    "grade_pct": 0.0, "elevation_ft": 5000.0, "wood_density_kg_per_m3": 400.0, "area_acres": CLUSTER_ACRES, CLEAR_CUT: 0.0,
    **asdict(HarvestEconomics()),
}  # fmt: skip
"""Constants for columns that a table may lack; such a column then does not act on cost."""
COLUMN_HELP = {
    SYSTEM: f"one of {', '.join(SYSTEMS)}", COST: "USD per BDT of feedstock; empty or NaN: infeasible",
    **UNITS,
    LAT: "degrees WGS 84, for the blocks of the hold-out", LON: "degrees WGS 84",
    CLUSTER: "keeps records of one cluster on one side of the hold-out",
}  # fmt: skip
"""Every column that a sample may have, with its unit."""
_BOUNDS = {
    COST: (0.0, 1e6), "slope_pct": (0.0, 500.0), "grade_pct": (-500.0, 500.0), "yarding_ft": (0.0, 50_000.0),
    "elevation_ft": (-500.0, 30_000.0), "wood_density_kg_per_m3": (100.0, 1_300.0), "area_acres": (0.001, 100_000.0),
    **dict.fromkeys(REMOVAL_COLUMNS, (0.0, 1_000.0)), CLEAR_CUT: (0.0, 1.0), "diesel_usd_per_gal": (0.0, 50.0),
    "faller_wage_usd_per_h": (0.0, 500.0), "other_wage_usd_per_h": (0.0, 500.0), "benefits_pct": (0.0, 300.0),
    "ppi": (1.0, 2_000.0), "moisture_pct": (0.0, 80.0), "residue_recovery_wt_pct": (0.0, 100.0),
    "residue_recovery_ctl_pct": (0.0, 100.0), LAT: (-90.0, 90.0), LON: (-180.0, 180.0),
}  # fmt: skip
"""What a value in the right unit cannot leave."""
_SHARES = ("moisture_pct", "residue_recovery_wt_pct", "residue_recovery_ctl_pct", "benefits_pct")
"""Percentages that a table in shares would hold between 0 and 1."""
_MOST_ROWS = 5_000_000


def read_sample(
    file: Path, simulator: str, *, synthetic: bool = False, name: str | None = None, source: str = ""
) -> Sample:
    """Read a sample.

    Parameters
    ----------
    file : Path
        CSV (.csv, .csv.gz) or Parquet (.parquet).
    simulator : str
        What gave the costs, in words.
    synthetic : bool
        The stands are made up.
    name : str, optional
        Short name; the file's by default.
    source : str
        Who made the table.

    Returns
    -------
    Sample
        Columns that the table lacks at the constants of `ASSUMED`.

    Raises
    ------
    RequestError
        If the file cannot be read as a table.
    TableRefusedError
        If a column is missing, in another unit, not numeric or out of bounds, or a system is unknown.
    """
    table = _read(file)
    _require(file, list(table))
    n = len(table[COST])
    if n == 0:
        raise TableRefusedError(f"{file.name} has no rows.", "Give a row a record and system.", code="too_few_rows")
    columns = {c: _numbers(file, c, table[c]) for c in (COST, *INPUT_COLUMNS, LAT, LON, CLUSTER) if c in table}
    for column, values in columns.items():
        _check_bounds(file, column, values)
    unknown = [c for c in REQUIRED[2:] if np.isnan(columns[c]).all()]
    if unknown:
        raise TableRefusedError(f"{file.name} has no value at all in {', '.join(unknown)}.", "Fill the columns.")
    for column in REMOVAL_COLUMNS:
        holes = int(np.count_nonzero(np.isnan(columns[column])))
        if holes:
            raise TableRefusedError(
                f"{holes:,} rows of {file.name} have no {column}.",
                "Write 0 where nothing is removed, or leave them out.",
            )
    runs = _runs(file, table[SYSTEM], columns.pop(COST))
    lat, lon, cluster = columns.pop(LAT, None), columns.pop(LON, None), columns.pop(CLUSTER, None)
    one = lat if lat is not None else lon
    if one is not None and (lat is None or lon is None or np.isnan(lat + lon).any()):
        raise TableRefusedError(
            f"{file.name} gives some positions without their other half.",
            f"Give {LAT} and {LON} in every row, or neither.",
        )
    block, block_km = (_groups(columns, cluster), None) if lat is None or lon is None else blocks_of(lat, lon)
    assumed = {c: float(v) for c, v in ASSUMED.items() if c not in columns}
    base = {c: float(np.nanmedian(columns[c])) if c in columns else assumed[c] for c in ECONOMIC_COLUMNS}
    at_base = np.logical_and.reduce([np.isclose(columns[c], base[c]) for c in ECONOMIC_COLUMNS if c in columns] or [
        np.ones(n, dtype=np.bool_)])  # fmt: skip
    return Sample(
        columns={c: columns.get(c, np.full(n, assumed.get(c, 0.0))) for c in INPUT_COLUMNS},
        runs=runs, block=block, block_km=block_km, at_base=at_base, varied=np.zeros(n, dtype=np.bool_),
        about={
            "name": name or file.name.split(".")[0], "title": f"sample in {file.name}", "source": source or file.name,
            "synthetic": synthetic, "seed": None, "simulator": simulator, "mapping": None,
        },
        base_economics=base, assumed=assumed,
    )  # fmt: skip


def _read(file: Path) -> Mapping[str, Any]:
    """Columns of a file as NumPy arrays."""
    import pyarrow as pa
    import pyarrow.csv as pa_csv
    import pyarrow.parquet as pa_parquet

    known = file.name.lower().endswith((".csv", ".csv.gz", ".parquet"))
    if not known:
        raise RequestError(
            f"{file.name} is neither CSV nor Parquet.", "Use a .csv, .csv.gz or .parquet file.", code="bad_path"
        )
    if not file.is_file():
        raise RequestError(f"There is no file {file}.", "Name the sample with --sample FILE.", code="bad_path")
    try:
        if file.name.lower().endswith(".parquet"):
            table = pa_parquet.read_table(file)
        else:
            # Types of the columns that matter are checked afterwards, with the row named.
            table = pa_csv.read_csv(file, convert_options=pa_csv.ConvertOptions(strings_can_be_null=True))
    except (pa.ArrowException, OSError) as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise RequestError(
            f"{file.name} cannot be read: {first}.", "Is it cut off? Write it again.", code="table_unreadable"
        ) from None
    if table.num_rows > _MOST_ROWS:
        raise TableRefusedError(
            f"{file.name} has {table.num_rows:,} rows.", f"Sample it down to {_MOST_ROWS:,}: more teaches little."
        )
    return {c: table.column(c).combine_chunks() for c in table.column_names}


def _require(file: Path, given: list[str]) -> None:
    missing = [c for c in REQUIRED if c not in given]
    if not missing:
        return
    said = []
    for column in missing:
        other = _in_another_unit(column, given)
        unit = COLUMN_HELP[column]
        said.append(f"{column} ({unit})" + (f"; it has {other}, which is another unit or basis" if other else ""))
    raise TableRefusedError(
        f"{file.name} lacks {'; '.join(said)}.",
        "Name and convert the columns: USD per BDT = USD per green ton / (1 - moisture), slope percent = 100 tan(degrees).",
        code="missing_columns",
    )


def _in_another_unit(column: str, given: list[str]) -> str | None:
    """A column that seems to mean the same under another unit: it begins with the same word or words."""
    stem = column.split("_usd")[0].split("_bdt")[0].rsplit("_pct", 1)[0].rsplit("_ft", 1)[0]
    return next((g for g in given if g not in COLUMN_HELP and (g == stem or g.startswith(f"{stem}_"))), None)


def _numbers(file: Path, column: str, array: Any) -> Floats:
    import pyarrow as pa

    try:
        values = array.cast(pa.float64()).to_numpy(zero_copy_only=False)
    except pa.ArrowException as error:
        first = str(error).splitlines()[0]
        raise TableRefusedError(
            f"{column} of {file.name} is not a number everywhere: {first}.", "Mend those rows."
        ) from None
    return np.asarray(values, dtype=np.float64)


def _check_bounds(file: Path, column: str, values: Floats) -> None:
    if column not in _BOUNDS:
        return
    low, high = _BOUNDS[column]
    bad = int(np.count_nonzero((values < low) | (values > high) | np.isinf(values)))
    if bad:
        raise TableRefusedError(
            f"{bad:,} values of {column} in {file.name} lie outside {low:g} to {high:g} ({COLUMN_HELP[column]}).",
            "Check the unit and those rows; an infeasible record has an empty cost.",
            code="out_of_bounds",
        )
    top = np.nanmax(values) if np.isfinite(values).any() else np.nan
    if column in _SHARES and 0 < top <= 1:
        raise TableRefusedError(
            f"{column} of {file.name} is at most {top:g}: that is a share, not a percentage.",
            "Multiply it by 100.",
            code="wrong_unit",
        )


def _runs(file: Path, array: Any, cost: Floats) -> dict[str, Run]:
    names = np.asarray(array.to_pylist(), dtype=object)
    strange = sorted({str(s) for s in set(names) if s not in SYSTEMS})
    if strange:
        raise TableRefusedError(
            f"{file.name} names systems that the layers do not have: {', '.join(strange[:3])}.",
            f"Give each row the system it corresponds to: {', '.join(SYSTEMS)}.",
            code="unknown_system",
        )
    rows = {system: np.flatnonzero(names == system) for system in SYSTEMS}
    return {system: Run(at, cost[at]) for system, at in rows.items() if at.size}


def _groups(columns: Mapping[str, Floats], cluster: Floats | None) -> NDArray[np.int64]:
    """Rows that belong together: of one cluster, else with the same terrain."""
    key = columns["slope_pct"] * 1e6 + columns["yarding_ft"] if cluster is None else cluster
    return np.unique(key, return_inverse=True)[1].astype(np.int64)
