"""Records with their simulated cost: what a surrogate is trained and judged on.

`draw` takes them from a source of clusters and runs FRCS: clusters at random, each under a treatment and an economy of
the sample's design. Half of the records keep the layers' own economics, where most answers are asked; the rest is
spread over stated ranges, so that what-ifs lie inside what was learned. The same is done with the stands: some are
varied beyond the region, so that the next region is not strange; errors and intervals are taken from the others.
`table.read_sample` takes records from a file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.build.pipeline import ClusterSource, checked_clusters, checked_removals
from csrag.build.progress import Progress, Silent
from csrag.build.surrogate.features import CLEAR_CUT, INPUT_COLUMNS, SITE_COLUMNS, Floats
from csrag.build.surrogate.split import blocks_of
from csrag.errors import InvalidValueError, TableRefusedError
from csrag.simulators.harvest import HarvestEconomics, harvest
from csrag.surfaces.catalog import REMOVAL_COLUMNS, SITE_STAND_COLUMNS, SYSTEMS
from csrag.surfaces.frame import ClusterFrame
from csrag.surfaces.manifest import Treatment

ECONOMIC_RANGES = {
    "diesel_usd_per_gal": (2.0, 9.0),
    "faller_wage_usd_per_h": (18.0, 60.0),
    "other_wage_usd_per_h": (15.0, 45.0),
    "benefits_pct": (15.0, 70.0),
    "ppi": (180.0, 420.0),
    "moisture_pct": (25.0, 60.0),
    "residue_recovery_wt_pct": (40.0, 100.0),
    "residue_recovery_ctl_pct": (25.0, 90.0),
}
"""Ranges over which what-ifs are learned (assumed: about half to twice the defaults)."""
RECORDS_AN_ECONOMY = 8
"""Most records that share an economy, all of one block of country: the hold-out's prices are as new as its stands."""
BASE_SHARE = 0.5
"""Share of records that keep the base economics."""
VARIED_SHARE = 0.4
"""Share of records whose stand is varied; they train and are never judged by."""
_SHUFFLED = ("slope_pct", "grade_pct", "yarding_ft", "elevation_ft")
_DENSITY_KG_PER_M3 = (300.0, 700.0)
_TONS_SPREAD = 0.7
"""Standard deviation of the logarithm of the factor on each size class."""
LEAST_RECORDS, MOST_RECORDS = 2_000, 2_000_000


@dataclass(frozen=True)
class Run:
    """Results of one system.

    Parameters
    ----------
    rows : ndarray of int64, shape (k,)
        Rows of the sample's columns.
    cost_usd_per_bdt : ndarray of float64, shape (k,)
        Simulated cost [USD per BDT]; NaN infeasible.
    """

    rows: NDArray[np.int64]
    cost_usd_per_bdt: Floats


@dataclass(frozen=True)
class Sample:
    """Inputs and costs.

    Parameters
    ----------
    columns : mapping of str to ndarray of float64, shape (n,)
        `features.INPUT_COLUMNS`.
    runs : mapping of str to Run
        Results by system.
    block : ndarray of int64, shape (n,)
        Block of country, or whatever else must not stand on both sides of the hold-out; numbered from 0.
    block_km : float or None
        Side of a block [km]; None where the sample has no positions.
    at_base : ndarray of bool, shape (n,)
        The record carries the base economics.
    varied : ndarray of bool, shape (n,)
        The stand was varied: for training only.
    assumed : mapping of str to float
        Columns that the sample did not have, and the constant each was given.
    about : mapping of str to str, int, bool or None
        name, title, source, synthetic, seed, simulator, mapping.
    base_economics : mapping of str to float
        What `at_base` refers to.
    """

    columns: Mapping[str, Floats]
    runs: Mapping[str, Run]
    block: NDArray[np.int64]
    block_km: float | None
    at_base: NDArray[np.bool_]
    varied: NDArray[np.bool_]
    about: Mapping[str, Any]
    base_economics: Mapping[str, float]
    assumed: Mapping[str, float] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Number of records."""
        return int(self.block.size)


def economies(rng: np.random.Generator) -> Iterator[HarvestEconomics]:
    """Economies spread evenly over `ECONOMIC_RANGES`, without end (scrambled Sobol sequence, Owen 1998)."""
    from scipy.stats import qmc

    low, high = np.array(list(ECONOMIC_RANGES.values())).T
    sequence = qmc.Sobol(len(ECONOMIC_RANGES), seed=rng)
    while True:
        # Portions of a power of two keep the sequence balanced.
        for point in sequence.random(1024):
            values = (float(v) for v in low + point * (high - low))
            yield HarvestEconomics(**dict(zip(ECONOMIC_RANGES, values, strict=True)))


def draw(
    source: ClusterSource,
    records: int,
    seed: int,
    *,
    mapping: str = "split",
    economics: HarvestEconomics | None = None,
    base_share: float = BASE_SHARE,
    varied_share: float = VARIED_SHARE,
    progress: Progress | None = None,
) -> Sample:
    """Records of a source with their FRCS costs under all ten systems.

    Parameters
    ----------
    source : ClusterSource
        Clusters and removals.
    records : int
        How many (cluster, treatment) pairs, spread evenly over the treatments; fewer where the source has fewer.
    seed : int
        Seed of the draw.
    mapping : str
        split, fixed or backend.
    economics : HarvestEconomics, optional
        Base economics; the defaults of the layers.
    base_share : float
        Share of records that keep them.
    varied_share : float
        Share of records whose stand is varied.
    progress : Progress, optional
        Told of the records.

    Returns
    -------
    Sample
        Without clusters that no road reaches and records from which nothing is removed: they have no cost whatever the
        system, and no model is needed to know it.

    Raises
    ------
    InvalidValueError
        For a number of records outside 2,000 to 2,000,000.
    TableRefusedError
        If the source's columns are not usable, or nothing is left to sample.
    """
    if not LEAST_RECORDS <= records <= MOST_RECORDS:
        raise InvalidValueError(
            f"{records:,} records cannot be sampled.",
            f"Use {LEAST_RECORDS:,} to {MOST_RECORDS:,}; 40,000 is the default.",
        )
    base, watcher = economics or HarvestEconomics(), progress or Silent()
    clusters = checked_clusters(source)
    rng = np.random.default_rng(seed)
    others = economies(rng)
    block, block_km = blocks_of(clusters["lat"], clusters["lon"])
    per_treatment = -(-records // len(source.treatments))
    watcher.start("simulating a sample", per_treatment * len(source.treatments), "records")
    parts = []
    for treatment in source.treatments:
        stand, rows = _records(source, treatment, clusters, per_treatment, rng)
        varied = _vary(stand, varied_share, rng)
        parts += [
            _simulated(stand, rows, varied, at, economy, treatment, mapping, economy is base)
            for economy, at in _dealt(base, others, block[rows], base_share)
        ]
        watcher.advance(per_treatment)
    joined = {name: np.concatenate([p[name] for p in parts], axis=-1) for name in (parts[0] if parts else ())}
    if not parts or joined["row"].size == 0:
        raise TableRefusedError(f"Nothing is removed anywhere in {source.name}.", "Sample a source with removals.")
    row = joined["row"]
    every = np.arange(row.size)
    return Sample(
        columns={name: joined[name] for name in INPUT_COLUMNS},
        runs={system: Run(every, joined["cost"][i]) for i, system in enumerate(SYSTEMS)},
        block=np.unique(block[row], return_inverse=True)[1].astype(np.int64),
        block_km=block_km,
        at_base=joined["at_base"],
        varied=joined["varied"],
        about={
            "name": source.name, "title": source.title, "synthetic": source.synthetic, "seed": source.seed,
            "source": source.provenance[0].source if source.provenance else source.name, "simulator": "FRCS",
            "mapping": mapping,
        },
        base_economics=asdict(base),
    )  # fmt: skip


def _records(
    source: ClusterSource, treatment: Treatment, clusters: Mapping[str, NDArray[Any]], count: int,
    rng: np.random.Generator,
) -> tuple[dict[str, Floats], NDArray[np.int64]]:  # fmt: skip
    """Stand columns and source rows of some records of one treatment."""
    n = clusters["lat"].size
    removed = checked_removals(source, treatment.name, slice(0, n), n)
    tons = sum((removed[name] for name in REMOVAL_COLUMNS), np.zeros(n, dtype=np.float32))
    # NaN tons, no record, compare as false.
    usable = np.flatnonzero((clusters["roaded"] == 1) & (tons > 0))
    rows = rng.choice(usable, min(count, usable.size), replace=False)
    stand = {name: clusters[name][rows].astype(np.float64) for name in SITE_STAND_COLUMNS}
    return stand | {name: removed[name][rows].astype(np.float64) for name in REMOVAL_COLUMNS}, rows


def _vary(stand: dict[str, Floats], share: float, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Vary some stands in place: terrain shuffled column by column, density drawn anew, tons of each class scaled."""
    n = stand["slope_pct"].size
    varied = rng.random(n) < share
    at = np.flatnonzero(varied)
    for name in _SHUFFLED:
        stand[name][at] = stand[name][rng.permutation(at)]
    stand["wood_density_kg_per_m3"][at] = rng.uniform(*_DENSITY_KG_PER_M3, at.size)
    for name in REMOVAL_COLUMNS:
        stand[name][at] *= np.exp(_TONS_SPREAD * rng.standard_normal(at.size))
    return varied


def _dealt(
    base: HarvestEconomics, others: Iterator[HarvestEconomics], block: NDArray[np.int64], base_share: float
) -> Iterator[tuple[HarvestEconomics, NDArray[np.int64]]]:
    """Each economy with the records that have it; none but the base in two blocks."""
    at_base = round(base_share * block.size)
    if at_base:
        yield base, np.arange(at_base)
    rest = np.arange(at_base, block.size)
    rest = rest[np.argsort(block[rest], kind="stable")]
    for inside in np.split(rest, np.flatnonzero(np.diff(block[rest])) + 1):
        for start in range(0, inside.size, RECORDS_AN_ECONOMY):
            yield next(others), inside[start : start + RECORDS_AN_ECONOMY]


def _simulated(
    stand: Mapping[str, Floats], rows: NDArray[np.int64], varied: NDArray[np.bool_], at: NDArray[np.int64],
    economy: HarvestEconomics, treatment: Treatment, mapping: str, at_base: bool,
) -> dict[str, NDArray[Any]]:  # fmt: skip
    block = {name: values[at] for name, values in stand.items()}
    out = harvest(ClusterFrame(block), SYSTEMS, economy, clear_cut=treatment.clear_cut, mapping=mapping)
    fixed = {CLEAR_CUT: float(treatment.clear_cut), **asdict(economy)}
    return {
        **{name: block[name] for name in (*SITE_COLUMNS, *REMOVAL_COLUMNS)},
        **{name: np.full(at.size, value) for name, value in fixed.items()},
        "row": rows[at], "varied": varied[at], "at_base": np.full(at.size, at_base), "cost": out.cost_usd_per_bdt,
    }  # fmt: skip
