"""The best sites of a search, each answered in full as if it had been asked about alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from csrag.ask.computation.search_rank import objective
from csrag.ask.computation.selection import Scales
from csrag.ask.computation.set_points import with_points
from csrag.ask.decisions.search_names import location_of
from csrag.ask.decisions.search_sites import Searched
from csrag.ask.decisions.search_store import StoreWithout
from csrag.ask.records import Location
from csrag.ask.results import Analysis, Catchment, Caveat
from csrag.ask.routes import analyse
from csrag.ask.run import Run, Trace
from csrag.errors import DataError
from csrag.surfaces.store import LayerStore


@dataclass(frozen=True)
class FoundSite:
    """A site that a search found.

    Parameters
    ----------
    location : Location
        Where it is; a question about it alone has these coordinates.
    at : int
        Position among the sites searched.
    search_rank : int
        1 for the best by the search, among the sites that stand far enough apart.
    search_average_usd_per_bdt : float
        Average delivered cost by the search [USD per BDT].
    available_bdt : float
        All candidates of its circle [BDT].
    mean_burn_probability : float
        Of what the search takes; NaN unknown [per year].
    full : Analysis or None
        The full answer; None before it was asked for, and where there is none.
    rows : ndarray of int64 or None
        Layer rows that the full answer takes.
    why_not : str
        Why there is no full answer.
    """

    location: Location
    at: int
    search_rank: int
    search_average_usd_per_bdt: float
    available_bdt: float
    mean_burn_probability: float
    full: Analysis | None = None
    rows: NDArray[np.int64] | None = None
    why_not: str = ""

    @property
    def supplied(self) -> bool:
        """Whether the full answer keeps the demand and every limit."""
        return self.full is not None and not self.why_not

    def value(self, value_id: str) -> float | None:
        """A value of the full answer, in its own unit; None where there is none."""
        fact = None if self.full is None else self.full.facts.get(value_id)
        return None if fact is None or fact.value is None or isinstance(fact.value, str) else float(fact.value)


def found_site(searched: Searched, at: int, rank: int) -> FoundSite:
    """A site as the search knows it.

    Parameters
    ----------
    searched : Searched
        The search.
    at : int
        Which [position].
    rank : int
        Its rank there, from 1.
    """
    costs = searched.costs
    assert costs is not None
    return FoundSite(
        location_of(searched.sites, at), at, rank, float(costs.average_usd_per_bdt[at]), float(costs.available_bdt[at]),
        float(costs.mean_burn_probability[at]),
    )  # fmt: skip


def evaluate(run: Run, searched: Searched, found: FoundSite, gone: Sequence[NDArray[np.int64]] = ()) -> FoundSite:
    """Answer one site in full: best distance mode, move-in, the plant's life, electricity.

    Parameters
    ----------
    run : Run
        The question.
    searched : Searched
        What the search was to do.
    found : FoundSite
        The site.
    gone : sequence of ndarray of int64
        Layer rows that other plants of a portfolio have taken.
    """
    query = searched.plan.query.with_(
        intent="site", locations=(found.location,), capacity_mw=searched.plan.need.capacity_mw,
        capacity_range_mw=None, compare=(), area=None,
    )  # fmt: skip
    if query.line_to_substation and "line_km" not in query.explicit:
        query = query.with_(line_km=None)
    store: LayerStore = StoreWithout(run.store, np.concatenate(list(gone))) if gone else run.store
    said: list[Caveat] = []
    own = Trace()
    try:
        query, plants = with_points(query, run.plants, store.manifest, found.location, said)
        alone = replace(run, store=store, query=query, site=found.location, trace=own, cache=None, plants=plants)
        analysis, catchment = analyse(alone, said)
    except DataError as error:
        return replace(found, why_not=error.message)
    rows = _rows(catchment, analysis)
    answered = replace(found, full=replace(analysis, warnings=(*said, *analysis.warnings)), rows=rows)
    return replace(answered, why_not=_why_not(answered, searched.plan.query.min_average_burn_probability))


def _why_not(site: FoundSite, least_burn: float | None) -> str:
    """What limit of the question a full answer does not keep; empty where it keeps all. The burn probability is per year."""
    if site.full is None or site.full.status != "answered":
        return "" if site.full is None else site.full.reason.replace("_", " ")
    burn = site.value("mean_burn_probability")
    short = least_burn is not None and (burn is None or burn < least_burn)
    return "its fuel burns less often than asked for" if short else ""


def _rows(catchment: Catchment, analysis: Analysis) -> NDArray[np.int64]:
    """Layer rows of the clusters taken."""
    keys = catchment.frame["cluster_no"]
    order = np.argsort(keys, kind="stable")
    wanted = np.asarray(analysis.selected, dtype=np.int64)
    at = order[np.searchsorted(keys, wanted, sorter=order)] if len(wanted) else np.zeros(0, dtype=np.int64)
    return np.asarray(catchment.frame["row"][at], dtype=np.int64)


@contextmanager
def evaluating(run: Run, count: int) -> Iterator[Callable[[int], None]]:
    """One step of the trace over all sites evaluated; what it gives is told which one begins, for a display of progress.

    Parameters
    ----------
    run : Run
        The question.
    count : int
        Sites [count].
    """
    told = run.trace.on_step

    def begin(number: int) -> None:
        if told is not None:
            told("computation", f"evaluate_sites {number} of {count}")

    with run.trace.step("computation", "evaluate_sites") as note:
        note["rows"] = count
        yield begin


def reranked(run: Run, found: Sequence[FoundSite]) -> list[FoundSite]:
    """Sites by their full answers, best first; those that full evaluation does not supply come last, in the search's order.

    Parameters
    ----------
    run : Run
        Fire weight, scales.
    found : sequence of FoundSite
        In the order of the search.
    """
    scales, weight = Scales.from_manifest(run.store.manifest.scales), run.query.fire_weight

    def key(site: FoundSite) -> tuple[bool, float, float, int]:
        average = site.value("average_delivered_cost")
        if not site.supplied or average is None:
            return True, 0.0, 0.0, site.search_rank
        burn = site.value("mean_burn_probability")
        score = objective(np.array([average]), np.array([np.nan if burn is None else burn]), weight, scales)
        return False, float(score[0]), average, site.search_rank

    return sorted(found, key=key)
