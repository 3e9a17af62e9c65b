"""The cost layer by a surrogate: what the build asks of it, block by block, and what the manifest says of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.build.surrogate.features import CLEAR_CUT, INPUT_COLUMNS, SITE_COLUMNS, Floats
from csrag.build.surrogate.files import load
from csrag.build.surrogate.predict import Surrogate
from csrag.build.surrogate.rule import within_limits
from csrag.errors import DataError, RequestError
from csrag.simulators.harvest import HarvestEconomics
from csrag.surfaces.catalog import FEEDSTOCK_CLASS_OF, REMOVAL_COLUMNS, SYSTEMS
from csrag.surfaces.manifest import Manifest, Provenance, Treatment

METHOD = "surrogate"
_ROWS = 262_144


@lru_cache(maxsize=2)
def _loaded(place: str, wanted_hash: str) -> Surrogate:
    model = load(Path(place))
    if model.hash != wanted_hash:
        raise DataError(
            f"The surrogate at {place} is no longer the one the build began with.",
            "Run the build again; it starts anew with the model that is there.",
            code="model_changed",
        )
    return model


@dataclass(frozen=True)
class SurrogateCost:
    """A cost layer predicted by a surrogate.

    Parameters
    ----------
    place : str
        Directory of the model, absolute: the processes of the build read it there.
    hash : str
        The model's hash; part of what a build must match to be resumed.
    """

    place: str
    hash: str

    @classmethod
    def at(cls, place: Path, mapping: str) -> SurrogateCost:
        """The surrogate in a directory, checked for a build.

        Parameters
        ----------
        place : Path
            Its directory.
        mapping : str
            Mapping of the build.

        Raises
        ------
        RequestError
            If there is none, the library is missing, or it learned FRCS under another mapping.
        DataError
            If it is damaged.
        """
        absolute = place.expanduser().resolve()
        model = load(absolute)
        learned = model.card["data"]["mapping"]
        if learned is not None and learned != mapping:
            raise RequestError(
                f"The surrogate {model.card['name']} learned the mapping {learned}, and the layers are built with {mapping}.",
                f"Build with --mapping {learned}, or train a surrogate with --mapping {mapping}.",
                code="mapping_differs",
            )
        return cls(str(absolute), model.hash)

    def job(self) -> dict[str, str]:
        """What the job file says of it."""
        return {"method": METHOD, "model": self.place, "hash": self.hash}

    def costs(
        self, stand: Mapping[str, Floats], feedstock_bdt: Floats, systems: Sequence[str], economics: HarvestEconomics,
        mapping: str, clear_cut: bool,
    ) -> Floats:  # fmt: skip
        """Cost of one block.

        Parameters
        ----------
        stand : mapping of str to ndarray, shape (n,)
            Site and removal columns of the catalog.
        feedstock_bdt : ndarray of float64, shape (classes, n)
            Feedstock [BDT per cluster]: without any there is no cost.
        systems : sequence of str
            FRCS names.
        economics : HarvestEconomics
            The layer's.
        mapping : str
            split, fixed or backend.
        clear_cut : bool
            The treatment is a clear cut.

        Returns
        -------
        ndarray of float64, shape (systems, n)
            [USD per BDT]; NaN where infeasible: no road, no feedstock, beyond the simulator's limits (FRCS), or so judged by
            the classifier (any other simulator).
        """
        model = _loaded(self.place, self.hash)
        columns = _columns(stand, economics, clear_cut)
        allowed = within_limits(stand, systems, economics, mapping) if model.card["feasibility"] == "rule" else None
        cost = model.cost_usd_per_bdt(columns, systems, allowed)
        tons = np.stack([feedstock_bdt[FEEDSTOCK_CLASS_OF[system]] for system in systems])
        return np.where((tons > 0) & (stand["roaded"] != 0), cost, np.nan)

    def stamped(self, manifest: Manifest, column: Callable[[str], NDArray[Any]]) -> Manifest:
        """A finished build's manifest that says whose costs these are: title, provenance, notes, `cost_method`.

        Parameters
        ----------
        manifest : Manifest
            As for simulated costs.
        column : callable
            Gives an input column of the build.

        Returns
        -------
        Manifest
            Without its hash.
        """
        method = self.describe(column, manifest.treatments, manifest.economics)
        return replace(
            manifest,
            title=f"{manifest.title}; harvest cost by surrogate",
            provenance=_provenance(manifest.provenance, method),
            notes=(*manifest.notes, _note(method)),
            cost_method=method,
        )

    def describe(
        self, column: Callable[[str], NDArray[Any]], treatments: Sequence[Treatment], economics: Mapping[str, float]
    ) -> dict[str, Any]:
        """`manifest.cost_method` of a finished build.

        Parameters
        ----------
        column : callable
            Gives an input column of the build: shape (n,), or (treatments, n) for removals.
        treatments : sequence of Treatment
            In storage order.
        economics : mapping
            The layer's economics.

        Returns
        -------
        dict
            method, model, hash, simulator, feasibility, holdout (spatial or random), interval_pct and coverage_pct by system,
            accuracy rows (these three at the base economics where the layer has them), out_of_range counts, basis.
        """
        model = _loaded(self.place, self.hash)
        card = model.card
        at_base = all(np.isclose(economics[name], value) for name, value in card["base_economics"].items())
        width, which = ("at_base_economics_pct", "at_base_economics") if at_base else ("half_width_pct", "by_system")
        return {
            "method": METHOD,
            "model": card["name"],
            "hash": card["hash"],
            "simulator": card["data"]["simulator"],
            "feasibility": card["feasibility"],
            "holdout": card["holdout"]["kind"],
            "systems": list(model.systems),
            "interval_level_pct": card["interval"]["level_pct"],
            "judged_at": "the layer's own economics" if at_base else "economics over the ranges of the card",
            "interval_pct": dict(card["interval"][width]),
            "coverage_pct": dict(card["coverage"][which]),
            "accuracy": [
                {name: row[name] for name in ("system", "n", "median_abs_error_pct", "p95_abs_error_pct")}
                for row in card["errors"][which]
            ],
            "families": [dict(row) for row in card["errors"]["by_family"]],
            "block_means": [dict(row) for row in card["errors"]["block_means"]],
            "out_of_range": _out_of_range(model, column, treatments, economics),
            "basis": _basis(card),
        }


def _columns(
    stand: Mapping[str, NDArray[Any]], economics: HarvestEconomics, clear_cut: bool
) -> dict[str, NDArray[Any]]:
    n = len(stand[REMOVAL_COLUMNS[0]])
    fixed = {CLEAR_CUT: float(clear_cut), **asdict(economics)}
    return {name: np.full(n, fixed[name]) if name in fixed else np.asarray(stand[name]) for name in INPUT_COLUMNS}


def _out_of_range(
    model: Surrogate,
    column: Callable[[str], NDArray[Any]],
    treatments: Sequence[Treatment],
    economics: Mapping[str, float],
) -> dict[str, Any]:
    """Records with something removed on a road that lie outside what was learned, in all and by column."""
    n = column("roaded").shape[0]
    records, outside_any, by_column = (
        0,
        0,
        {name: 0 for name in model.card["columns"] if name not in model.card["assumed"]},
    )
    prices = HarvestEconomics(**economics)
    for t, treatment in enumerate(treatments):
        for start in range(0, n, _ROWS):
            rows = slice(start, min(start + _ROWS, n))
            stand = {name: column(name)[rows] for name in (*SITE_COLUMNS, "roaded")}
            stand |= {name: column(name)[t, rows] for name in REMOVAL_COLUMNS}
            tons = sum((stand[name] for name in REMOVAL_COLUMNS), np.zeros(rows.stop - rows.start, dtype=np.float32))
            counted = (stand["roaded"] != 0) & (tons > 0)
            found = model.out_of_range(_columns(stand, prices, treatment.clear_cut))
            anywhere = np.zeros_like(counted)
            for name, outside in found.items():
                by_column[name] += int(np.count_nonzero(outside & counted))
                anywhere |= outside & counted
            records += int(np.count_nonzero(counted))
            outside_any += int(np.count_nonzero(anywhere))
    return {
        "records": outside_any,
        "of": records,
        "share_pct": round(100 * outside_any / records, 3) if records else None,
        "by_column": {name: count for name, count in by_column.items() if count},
    }


def _basis(card: Mapping[str, Any]) -> str:
    data = card["data"]
    made = "SYNTHETIC stands" if data["synthetic"] else "stands"
    hold = "other blocks of country" if card["holdout"]["kind"] == "spatial" else "records dealt at random"
    return (
        f"Boosted trees that imitate {data['simulator']}, trained on {data['records']:,} records of {made}; errors and "
        f"coverage measured on {hold}, against the simulator."
    )


def _provenance(entries: Sequence[Provenance], method: Mapping[str, Any]) -> tuple[Provenance, ...]:
    """A source's provenance with the cost layer's entry replaced."""
    made_up = any(p.layer == "cost" and p.note.startswith("SYNTHETIC") for p in entries)
    cost = Provenance(
        layer="cost",
        source=f"surrogate {method['model']} of {method['simulator']}",
        version=f"hash {str(method['hash'])[:16]}",
        note=("SYNTHETIC. " if made_up else "") + f"PREDICTED, not simulated. {method['basis']}",
    )
    return (*(p for p in entries if p.layer != "cost"), cost)


def _note(method: Mapping[str, Any]) -> str:
    """One sentence or two for the manifest's notes."""
    outside = method["out_of_range"]
    share = "none" if not outside["records"] else f"{outside['records']:,} of {outside['of']:,}"
    said = [
        f"Harvest costs are predicted by the surrogate {method['model']} of {method['simulator']}, with "
        f"{method['interval_level_pct']:g} % intervals by system; records outside what it was trained on: {share}."
    ]
    if len(method["systems"]) < len(SYSTEMS):
        said.append(f"It knows {len(method['systems'])} of the {len(SYSTEMS)} systems; the others have no cost.")
    missed = [row["family"] for row in method["families"] if not row["accepted"]]
    if missed:
        said.append(f"The targets of error are not met by {', '.join(missed)}.")
    return " ".join(said)
