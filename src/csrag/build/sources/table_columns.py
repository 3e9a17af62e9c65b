"""Columns of a treated-cluster table as FRREDSS names them, and what its words mean."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from csrag.errors import InvalidValueError, TableRefusedError
from csrag.surfaces.catalog import FRREDSS_TREATMENT_IDS, LAND_USES, TREATMENTS, UNKNOWN_CODE

REMOVAL_SOURCES = ("stem4to6_tonsacre", "stem6to9_tonsacre", "stem9plus_tonsacre", "branch_tonsacre")
"""In the order of `catalog.REMOVAL_COLUMNS`."""
REQUIRED = ("cluster_no", "slope", "area", "mean_yarding", "land_use", "wood_density", *REMOVAL_SOURCES)
POSITIONS = (("center_lat", "center_lng"), ("landing_lat", "landing_lng"))
ELEVATIONS = ("center_elevation", "landing_elevation")
TREATMENT_ID = "treatmentid"
TREATMENT_NAMES = ("treatment", "treatment name", "treatment_name")
OPTIONAL_NUMBERS = ("year", "haz_class", "burn_probability", "zone", "circuity", "slope_pct", "wilderness")
OPTIONAL_TEXTS = ("county_name", "forest_type")
TEXTS = ("land_use", *OPTIONAL_TEXTS, *TREATMENT_NAMES)
UNUSED = ("site_class", "foliage_tonsacre")
"""Columns of the form that no layer needs; read past."""
ALL_NAMES = (
    "cluster_no", TREATMENT_ID, "year", "landing_lat", "landing_lng", "landing_elevation", "center_lat", "center_lng",
    "center_elevation", "slope", "area", "mean_yarding", "site_class", "county_name", "land_use", "forest_type",
    "haz_class", "stem4to6_tonsacre", "stem6to9_tonsacre", "stem9plus_tonsacre", "branch_tonsacre", "foliage_tonsacre",
    "wood_density",
)  # fmt: skip
"""FRREDSS's own columns, in its order."""

_LAND_WORDS = (
    ("nps", ("national park", "nps", "park service")),
    ("usfs", ("forest service", "usfs", "usda", "national forest")),
    ("blm", ("bureau of land management", "blm")),
    ("tribal", ("tribal", "tribe", "bureau of indian affairs", "bia", "reservation", "rancheria")),
    ("state", ("state", "cal fire", "calfire", "california department")),
    ("private", ("private", "industrial", "non-industrial", "nongovernment", "non-government")),
)


def needed_columns(names: Mapping[str, str], filled: Sequence[str] = ()) -> list[str]:
    """Columns to read, by lower-case name.

    Parameters
    ----------
    names : mapping of str to str
        The table's columns: lower-case name to the name as written.
    filled : sequence of str
        Of slope, elevation and land_use: what comes from elsewhere where the table lacks it.

    Raises
    ------
    TableRefusedError
        Naming every column that is missing.
    """
    missing = [name for name in REQUIRED if name not in names and name not in filled]
    if not any(all(name in names for name in pair) for pair in POSITIONS):
        missing.append("center_lat and center_lng (or landing_lat and landing_lng)")
    if not any(name in names for name in ELEVATIONS) and "elevation" not in filled:
        missing.append("center_elevation (or landing_elevation)")
    if TREATMENT_ID not in names and not any(name in names for name in TREATMENT_NAMES):
        missing.append("treatmentid (or treatment)")
    if missing:
        raise TableRefusedError(
            f"The table lacks {len(missing)} column{'s' * (len(missing) > 1)}: {', '.join(missing)}.",
            f"Write one row a cluster and treatment with FRREDSS's column names: {', '.join(ALL_NAMES)}.",
            code="columns_missing",
        )
    wanted = (
        *REQUIRED, *(name for pair in POSITIONS for name in pair), *ELEVATIONS, TREATMENT_ID, *TREATMENT_NAMES,
        *OPTIONAL_NUMBERS, *OPTIONAL_TEXTS,
    )  # fmt: skip
    return [name for name in dict.fromkeys(wanted) if name in names]


def land_use_code(text: str) -> int | None:
    """Code in `catalog.LAND_USES` of an owner's name, None where it is not recognised."""
    folded = " ".join(text.lower().replace("_", " ").split())
    if folded in LAND_USES:
        return LAND_USES.index(folded)
    words = set(folded.replace("-", " ").replace("/", " ").split())
    for name, signs in _LAND_WORDS:
        if any(sign in folded if " " in sign or "-" in sign else sign in words for sign in signs):
            return LAND_USES.index(name)
    return None


def hazard_code(values: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Codes of numeric hazard classes: 0 none, 1 moderate, 2 high, 3 very high (CAL FIRE HAZ_CODE); else unknown."""
    known = np.isfinite(values) & (values >= 0) & (values <= 3) & (values == np.floor(np.where(values > 3, 0, values)))
    return np.where(known, np.where(known, values, 0), UNKNOWN_CODE).astype(np.uint8)


def frredss_ids() -> dict[int, str]:
    """FRREDSS's own numbering, for an import that asks for it by name."""
    return {number: name for name, number in FRREDSS_TREATMENT_IDS.items()}


def read_treatment_ids(path: Path) -> dict[int, str]:
    """An id table: CSV with the columns id and name, or JSON as a list of such objects or an object {id: name}.

    Raises
    ------
    InvalidValueError
        If it cannot be read, names an unknown treatment, or gives an id or a name twice.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidValueError(
            f"The treatment table {path} cannot be read: {error}.", "Give a CSV or JSON file."
        ) from None
    try:
        pairs = _json_pairs(text) if text.lstrip()[:1] in "[{" and text.strip() else _csv_pairs(text)
        ids = [(int(number), str(name).strip().upper()) for number, name in pairs]
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InvalidValueError(
            f"The treatment table {path} is not a list of ids and names.",
            'Write CSV lines "id,name" under that header, or JSON {"1": "RMI100", ...}.',
        ) from None
    unknown = [name for _, name in ids if name not in TREATMENTS]
    if unknown or not ids:
        raise InvalidValueError(
            f"The treatment table {path} names {', '.join(unknown) or 'no treatment'}.",
            f"Treatments are {', '.join(TREATMENTS)}.",
        )
    if len({number for number, _ in ids}) != len(ids) or len({name for _, name in ids}) != len(ids):
        raise InvalidValueError(f"The treatment table {path} gives an id or a name twice.", "Give each once.")
    return dict(ids)


def _json_pairs(text: str) -> list[tuple[str, str]]:
    data = json.loads(text)
    if isinstance(data, dict):
        return list(data.items())
    return [(entry["id"], entry["name"]) for entry in data]


def _csv_pairs(text: str) -> list[tuple[str, str]]:
    rows = [{k.strip().lower(): v for k, v in row.items()} for row in csv.DictReader(text.splitlines())]
    return [(row["id"], row["name"]) for row in rows]
