"""ZIP codes: all of California's, those near its border, and the state of every other by its first three digits."""

from __future__ import annotations

import json
from functools import lru_cache

from csrag.places.records import Kind, Place
from csrag.places.table import read_text


@lru_cache(maxsize=1)
def _zips() -> dict[str, str]:
    return {line[:5]: line for line in read_text("zips.tsv").splitlines()}


@lru_cache(maxsize=1)
def _prefixes() -> dict[str, tuple[str, float, float]]:
    return {k: (v[0], v[1], v[2]) for k, v in json.loads(read_text("zip_prefixes.json")).items()}


def zip_place(code: str) -> Place | None:
    """Place of a ZIP code.

    Parameters
    ----------
    code : str
        Five digits, with or without the four that may follow.

    Returns
    -------
    Place or None
        Kind zip in California, kind outside with its state elsewhere; None where no such ZIP exists (or, outside
        California, no ZIP with these first three digits).
    """
    digits = code.strip()[:5]
    if len(digits) != 5 or not (digits.isascii() and digits.isdigit()):
        return None
    line = _zips().get(digits)
    if line is not None:
        _, town, state, county, lat, lon = line.split("\t")
        kind: Kind = "zip" if state == "CA" else "outside"
        return Place(
            f"ZIP {digits}", kind, county or None, float(lat), float(lon), state, aliases=(digits,), town=town,
            zip_lat=float(lat), zip_lon=float(lon),
        )  # fmt: skip
    state, plat, plon = _prefixes().get(digits[:3], ("CA", 0.0, 0.0))
    if state == "CA":
        return None
    return Place(f"ZIP {digits}", "outside", None, plat, plon, state, aliases=(digits,), approximate=True)
