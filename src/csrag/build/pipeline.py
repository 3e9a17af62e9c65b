"""What a source of clusters must offer, and the columns it hands over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from csrag.errors import TableRefusedError
from csrag.surfaces.catalog import CLUSTER_COLUMNS, COLUMNS, REMOVAL_COLUMNS
from csrag.surfaces.manifest import Provenance, Treatment

Ring = Sequence[tuple[float, float]]


class ClusterSource(Protocol):
    """Clusters with their terrain and fire columns, and what each treatment removes from them.

    A source is read in its own row order; the builder sorts. `removals` may be called block by block, in any order, and
    must not depend on how the rows are cut into blocks.
    """

    @property
    def name(self) -> str:
        """Short name of the layer set, such as "northern-sierra"."""
        ...

    @property
    def title(self) -> str:
        """One line for people; says SYNTHETIC where it is."""
        ...

    @property
    def synthetic(self) -> bool:
        """Whether the data is made up."""
        ...

    @property
    def seed(self) -> int | None:
        """Root seed of synthetic data, else None."""
        ...

    @property
    def provenance(self) -> Sequence[Provenance]:
        """One entry a layer: clusters, cost, fire, circuity."""
        ...

    @property
    def treatments(self) -> Sequence[Treatment]:
        """Treatments with their ids in this source; only RMI100 is a clear cut."""
        ...

    @property
    def zone_factors(self) -> Sequence[float]:
        """Road over straight-line distance by circuity zone; empty where unknown."""
        ...

    @property
    def codes(self) -> Mapping[str, Sequence[str]]:
        """Meanings of the coded columns land_use, county, forest_type, hazard_class."""
        ...

    @property
    def data_area(self) -> Sequence[Ring]:
        """Rings of (lon, lat) around the area the source covers."""
        ...

    def clusters(self) -> Mapping[str, NDArray[Any]]:
        """Every column of `catalog.CLUSTER_COLUMNS`, each of shape (n,)."""
        ...

    def removals(self, treatment: str, rows: slice) -> Mapping[str, NDArray[Any]]:
        """Every column of `catalog.REMOVAL_COLUMNS` for a block of rows, source order; NaN where no record is."""
        ...


def checked_clusters(source: ClusterSource) -> dict[str, NDArray[Any]]:
    """The source's cluster columns in the catalog's types.

    Parameters
    ----------
    source : ClusterSource
        Where they come from.

    Returns
    -------
    dict of str to ndarray, shape (n,)
        `catalog.CLUSTER_COLUMNS`, in source order.

    Raises
    ------
    TableRefusedError
        If a column is missing or of another length, a position is not finite, a cluster number appears twice, or a
        code has no meaning in `source.codes`.
    """
    given = source.clusters()
    missing = [name for name in CLUSTER_COLUMNS if name not in given]
    if missing:
        raise TableRefusedError(f"The source {source.name} lacks the columns {', '.join(missing)}.", "Add them.")
    out = {name: np.asarray(given[name]).astype(COLUMNS[name].dtype, copy=False) for name in CLUSTER_COLUMNS}
    n = out["cluster_no"].shape[0]
    uneven = [name for name, values in out.items() if values.shape != (n,)]
    if uneven:
        raise TableRefusedError(
            f"The columns {', '.join(uneven)} of {source.name} are not {n} values long.",
            "Make all columns equally long.",
        )
    if n == 0:
        raise TableRefusedError(f"The source {source.name} holds no clusters.", "Check its filters and its extent.")
    if not (np.isfinite(out["lat"]).all() and np.isfinite(out["lon"]).all()):
        raise TableRefusedError(f"Some clusters of {source.name} have no position.", "Fill or remove them.")
    twice = n - np.unique(out["cluster_no"]).size
    if twice:
        raise TableRefusedError(f"{twice} cluster numbers of {source.name} appear twice.", "Make them unique.")
    for name in ("land_use", "county", "forest_type", "hazard_class"):
        known = len(source.codes.get(name, ()))
        stray = int(np.count_nonzero((out[name] >= known) & (out[name] != 255)))
        if stray:
            raise TableRefusedError(
                f"{stray} clusters of {source.name} carry a {name} code without a meaning.",
                f"Name {known} codes or more.",
            )
    return out


def checked_removals(source: ClusterSource, treatment: str, rows: slice, n: int) -> dict[str, NDArray[np.float32]]:
    """The source's removals of one block as float32, shape-checked, negative tons refused.

    Raises
    ------
    TableRefusedError
        If a column is missing, of another length, infinite or negative.
    """
    given = source.removals(treatment, rows)
    length = len(range(*rows.indices(n)))
    out: dict[str, NDArray[np.float32]] = {}
    for name in REMOVAL_COLUMNS:
        if name not in given or np.shape(given[name]) != (length,):
            raise TableRefusedError(f"The source {source.name} gives no {name} for {treatment}.", "Add the column.")
        values = np.asarray(given[name], dtype=np.float32)
        bad = int(np.count_nonzero(np.isinf(values) | (values < 0)))
        if bad:
            raise TableRefusedError(
                f"{bad} values of {name} ({treatment}) in {source.name} are negative or infinite.",
                "Removed tons are zero or more; leave unknown ones out.",
            )
        out[name] = values
    return out
