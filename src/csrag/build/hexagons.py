"""Layers summed up by H3 hexagons: what a map of a whole state or a web page can bear."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.build.layer_view import cheapest, system_indices, treatment_of
from csrag.errors import InvalidValueError, RequestError
from csrag.surfaces.catalog import FEEDSTOCK_CLASS_OF, UNKNOWN_CODE
from csrag.surfaces.store import LayerStore

Floats = NDArray[np.float64]
RESOLUTIONS = (4, 5, 6)
"""Edges of about 26, 10 and 3.7 km."""
DEFAULT_RESOLUTION = 5
HIGH_HAZARD = ("high", "very high")
_COLUMNS = ("cost_usd_per_bdt", "feedstock_bdt")


@dataclass(frozen=True, eq=False)
class Hexagons:
    """One row a hexagon, in ascending order of its index.

    Parameters
    ----------
    treatment, system : str
        What the feedstock and the cost are of.
    resolution : int
        H3 resolution.
    columns : mapping of str to ndarray
        `h3` (index as text), `lat`, `lon` (centre, degrees), `clusters`, `acres`, `protected_acres`, `feedstock_bdt` (parks and
        wilderness left out), `mean_harvest_usd_per_bdt` (by tons), `mean_burn_probability` (by acres), `high_hazard_share_pct`
        (of the acres whose class is known), `unknown_burn_clusters`. NaN where nothing is known.
    rings : list of list of (float, float)
        Outline of each, longitude and latitude [degrees], closed.
    """

    treatment: str
    system: str
    resolution: int
    columns: Mapping[str, NDArray[Any]]
    rings: list[list[tuple[float, float]]]

    def __len__(self) -> int:
        """Hexagons."""
        return len(self.rings)


def require_h3() -> Any:
    """The library, or what to install.

    Raises
    ------
    RequestError
        If h3 is not installed.
    """
    try:
        import h3.api.basic_int as h3
    except ImportError:
        raise RequestError(
            "Hexagons need the library h3, which is not installed.", 'Install it with pip install "csrag[gis]".',
            code="extra_missing",
        ) from None  # fmt: skip
    return h3


def hexagon_index(lat: Floats, lon: Floats, resolution: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which hexagon each point lies in.

    Parameters
    ----------
    lat, lon : ndarray of float64, shape (n,)
        Points [degrees].
    resolution : int
        4, 5 or 6.

    Returns
    -------
    hexagons : ndarray of int64, shape (m,)
        H3 indices, ascending.
    at : ndarray of int64, shape (n,)
        Position of each point's hexagon among them.

    Raises
    ------
    RequestError
        If h3 is not installed.
    InvalidValueError
        For another resolution.
    """
    if resolution not in RESOLUTIONS:
        raise InvalidValueError(
            f"There is no resolution {resolution} here.", f"It is one of {', '.join(map(str, RESOLUTIONS))}."
        )
    h3 = require_h3()
    cells = [h3.latlng_to_cell(a, b, resolution) for a, b in zip(lat.tolist(), lon.tolist(), strict=True)]
    hexagons, at = np.unique(np.array(cells, dtype=np.int64), return_inverse=True)
    return hexagons, at.astype(np.int64)


def hexagons(store: LayerStore, treatment: str | None = None, system: str = "auto",
             resolution: int = DEFAULT_RESOLUTION) -> Hexagons:  # fmt: skip
    """Every layer of a set summed up by hexagon, for any treatment.

    Parameters
    ----------
    store : LayerStore
        The set.
    treatment : str, optional
        TFB40 by default.
    system : str
        A system, or a family, of which each cluster's cheapest feasible one counts.
    resolution : int
        4, 5 or 6.

    Raises
    ------
    RequestError
        If h3 is not installed.
    InvalidValueError
        For an unknown treatment, system or resolution.
    """
    h3, name = require_h3(), treatment_of(store, treatment)
    among = system_indices(store, system)
    index, at = hexagon_index(store.column("lat"), store.column("lon"), resolution)
    size = len(index)

    def total(weights: Floats, some: NDArray[np.bool_]) -> Floats:
        return np.asarray(np.bincount(at[some], weights=weights[some], minlength=size), dtype=np.float64)

    manifest = store.manifest
    everyone = np.ones(len(store), dtype=np.bool_)
    acres = store.column("area_acres").astype(np.float64)
    land = manifest.codes["land_use"]
    parks = store.column("land_use") == land.index("nps") if "nps" in land else ~everyone
    protected = store.column("wilderness").astype(bool) | parks
    frame = store.clusters_at(np.arange(len(store), dtype=np.int64), name, _COLUMNS)
    cost, which = cheapest(frame["cost_usd_per_bdt"].T, among)
    of_class = np.array([FEEDSTOCK_CLASS_OF[s] for s in manifest.systems])[np.maximum(which, 0)]
    tons = frame["feedstock_bdt"][np.arange(len(store)), of_class].astype(np.float64)
    usable = (which >= 0) & (tons > 0) & ~protected
    feedstock = total(tons, usable)
    burn = store.column("burn_probability").astype(np.float64)
    known = np.isfinite(burn)
    hazard, classes = store.column("hazard_class"), manifest.codes.get("hazard_class", ())
    classed = hazard != UNKNOWN_CODE
    high = classed & np.isin(hazard, [i for i, word in enumerate(classes) if word in HIGH_HAZARD])
    centres = [h3.cell_to_latlng(cell) for cell in index.tolist()]
    columns = {
        "h3": np.array([h3.int_to_str(cell) for cell in index.tolist()]),
        "lat": np.array([c[0] for c in centres], dtype=np.float64), "lon": np.array([c[1] for c in centres], dtype=np.float64),
        "clusters": np.bincount(at, minlength=size), "acres": total(acres, everyone),
        "protected_acres": total(acres, protected), "feedstock_bdt": feedstock,
        "mean_harvest_usd_per_bdt": _over(total(np.where(usable, cost * tons, 0.0), usable), feedstock),
        "mean_burn_probability": _over(total(np.where(known, burn * acres, 0.0), known), total(acres, known)),
        "high_hazard_share_pct": 100 * _over(total(acres, high), total(acres, classed)),
        "unknown_burn_clusters": np.bincount(at[~known], minlength=size),
    }  # fmt: skip
    rings = [[(lon, lat) for lat, lon in (*ring, ring[0])] for ring in (h3.cell_to_boundary(c) for c in index.tolist())]
    return Hexagons(name, system, resolution, columns, rings)


def _over(sums: Floats, weights: Floats) -> Floats:
    return np.asarray(np.divide(sums, weights, out=np.full(sums.shape, np.nan), where=weights > 0), dtype=np.float64)


def rows_of(found: Hexagons) -> list[dict[str, Any]]:
    """The hexagons as plain rows; None where nothing is known."""
    names = list(found.columns)
    plain = [
        [None if isinstance(v, float) and not np.isfinite(v) else v for v in found.columns[n].tolist()] for n in names
    ]
    return [dict(zip(names, values, strict=True)) for values in zip(*plain, strict=True)]


def hexagons_geojson(found: Hexagons, store: LayerStore) -> str:
    """GeoJSON text of the hexagons, with the layer set's name and hash and whether it is synthetic."""
    head = {
        "type": "FeatureCollection", "name": f"{store.manifest.name}: {found.treatment}, H3 resolution {found.resolution}",
        "synthetic": store.manifest.synthetic, "layers_hash": store.hash,
    }  # fmt: skip
    parts = []
    for ring, row in zip(found.rings, rows_of(found), strict=True):
        shape = {"type": "Polygon", "coordinates": [[[round(x, 6), round(y, 6)] for x, y in ring]]}
        row = {**row, "treatment": found.treatment, "synthetic": store.manifest.synthetic}
        parts.append(json.dumps({"type": "Feature", "geometry": shape, "properties": row}, allow_nan=False))
    return json.dumps(head)[:-1] + ', "features": [\n' + ",\n".join(parts) + "\n]}\n"
