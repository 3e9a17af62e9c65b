"""Reading one treatment's columns, whole or at the clusters of a circle; what a compact set leaves out is worked out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.surfaces.catalog import COLUMNS, FEEDSTOCK_CLASSES
from csrag.surfaces.derived import COPRODUCT, FEEDSTOCK, Read, derive_into, is_derived_class, stored_classes
from csrag.surfaces.index import Hits
from csrag.surfaces.manifest import Manifest


class StoredColumns:
    """The columns of an open set.

    Parameters
    ----------
    columns : mapping of str to ndarray
        Mapped files, clusters on the last axis.
    manifest : Manifest
        Says what has no file.
    """

    def __init__(self, columns: Mapping[str, NDArray[Any]], manifest: Manifest) -> None:
        self._columns, self._economics, self._derived = columns, manifest.economics, manifest.derived
        self._classes = stored_classes(manifest.derived)
        self._exceptions = _by_column(manifest)

    def is_derived(self, name: str) -> bool:
        """Whether a column is worked out, in part at least."""
        return name in self._derived or (name == FEEDSTOCK and len(self._classes) < len(FEEDSTOCK_CLASSES))

    def stored(self, name: str, treatment: int) -> NDArray[Any]:
        """A stored column over all clusters, clusters on the last axis."""
        return self._columns[name] if COLUMNS[name].axes == "cluster" else self._columns[name][treatment]

    def derived_tons(self, name: str, treatment: int, hits: Hits | None, read: Read) -> NDArray[np.float32]:
        """A column that is derived in part or whole, clusters on the last axis.

        Parameters
        ----------
        name : str
            Saw logs or feedstock.
        treatment : int
            Its index.
        hits : Hits, optional
            The clusters; without them all.
        read : callable
            Gives the stored columns at those clusters.
        """
        n = read("area_acres").size

        outs: dict[str, NDArray[np.float32]]
        if name == COPRODUCT:
            out = np.empty(n, dtype=np.float32)
            outs = {name: out}
        else:
            out = np.empty((len(FEEDSTOCK_CLASSES), n), dtype=np.float32)
            for slab, at in zip(self._columns[FEEDSTOCK][treatment], self._classes, strict=True):
                if hits is None:
                    out[at] = slab
                else:
                    hits.read(slab, out[at])
            outs = {f"{FEEDSTOCK}.{label}": out[i] for i, label in enumerate(FEEDSTOCK_CLASSES)
                    if is_derived_class(self._derived, label)}  # fmt: skip
        derive_into(outs, read, self._economics)
        for what, target in outs.items():
            for row, value in self._exceptions.get((what, treatment), ()):
                target[row if hits is None else hits.rows == row] = value
        return out


class CircleReader:
    """Columns of one treatment at given clusters, each read when it is asked for.

    Parameters
    ----------
    columns : StoredColumns
        Of the set.
    treatment : int
        Its index.
    hits : Hits
        The clusters.
    """

    def __init__(self, columns: StoredColumns, treatment: int, hits: Hits) -> None:
        self._columns, self._treatment, self._hits = columns, treatment, hits
        self._inputs: dict[str, NDArray[Any]] = {}

    def read(self, name: str) -> NDArray[Any]:
        """One column, clusters on the first axis."""
        if name == "row":
            return self._hits.rows
        if name == "distance_km":
            return self._hits.distance_km
        if self._columns.is_derived(name):
            return self._columns.derived_tons(name, self._treatment, self._hits, self._input).T
        values = self._input(name) if name == "area_acres" else self._at_hits(name)
        return values.T

    def take(self, rows: NDArray[np.integer[Any]]) -> CircleReader:
        """Reader of some of these clusters, by position."""
        return CircleReader(self._columns, self._treatment, self._hits.take(rows))

    def _at_hits(self, name: str) -> NDArray[Any]:
        if name in self._inputs:
            return self._inputs[name]
        return self._hits.read(self._columns.stored(name, self._treatment))

    def _input(self, name: str) -> NDArray[Any]:
        # The area goes into every derived column, and a formula asks for its inputs stretch by stretch.
        if name not in self._inputs:
            self._inputs[name] = self._at_hits(name)
        return self._inputs[name]


def _by_column(manifest: Manifest) -> dict[tuple[str, int], list[tuple[int, float]]]:
    """Rows and values of the derived exceptions, by what and treatment."""
    found: dict[tuple[str, int], list[tuple[int, float]]] = {}
    for what, treatment, row, value in manifest.derived_exceptions:
        found.setdefault((what, treatment), []).append((row, value))
    return found
