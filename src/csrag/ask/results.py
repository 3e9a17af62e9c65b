"""What the stages hand on after the query: Catchment, facts, Analysis, Answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from csrag.ask.records import Location, SitingQuery
from csrag.surfaces.frame import ClusterFrame

SCHEMA = "csrag.answer/1"
_FIGURE = re.compile(r"\d[\d,.]*\d|\d")


@dataclass(frozen=True)
class Caveat:
    """A caveat: a stable code and a sentence in the user's words. Added by code, never by a model."""

    code: str
    message: str

    def to_json(self) -> dict[str, str]:
        """JSON object of the contract."""
        return {"code": self.code, "message": self.message}


@dataclass(frozen=True)
class Fact:
    """One computed value.

    Parameters
    ----------
    value : float, int, str or None
        The value; None where it does not apply, and then `basis` says why.
    unit : str
        Unit as in the record (usd_per_bdt, bdt, km, acres, ...).
    label : str
        What it is, in words.
    basis : str
        How it was computed, or why there is none.
    """

    value: float | int | str | None
    unit: str
    label: str
    basis: str = ""

    def to_json(self) -> dict[str, Any]:
        """JSON object of the contract."""
        return {"value": self.value, "unit": self.unit, "label": self.label, "basis": self.basis}


@dataclass(frozen=True)
class RoadTrips:
    """One-way road trips to clusters.

    Parameters
    ----------
    km, hours : ndarray of float64, shape (n,)
        Road distance [km] and driving time [hours]; NaN where the network knows no way.
    lifted : int
        Roads that were shorter than the straight line by more than rounding, and were lifted to it.
    """

    km: NDArray[np.float64]
    hours: NDArray[np.float64]
    lifted: int


@dataclass(frozen=True)
class RoadPace:
    """How fast a layer set's road network is as a whole, whatever the candidates.

    Parameters
    ----------
    km_per_h : float
        Its length over the hours to drive all of it [km/h].
    leg_km, leg_hours : float
        Mean leg from a landing to the network, and the site's own: length [km] and driving time [hours].
    """

    km_per_h: float
    leg_km: float
    leg_hours: float


class RoadDistances(Protocol):
    """One site on the road network of its layer set."""

    def off_network(self) -> str:
        """Why the site itself does not lie on the network; empty where it does."""
        ...

    def pace(self) -> RoadPace:
        """How fast the network is as a whole."""
        ...

    def to(self, rows: NDArray[np.int64], straight_km: NDArray[np.float64]) -> RoadTrips:
        """Trips to given rows, at a straight-line distance of `straight_km` [km]."""
        ...


@dataclass(frozen=True)
class RetrievalKey:
    """Everything a retrieval depends on; equal keys mean the same Catchment."""

    layer_hash: str
    lat: float
    lon: float
    radius_km: float | None
    treatment: str
    system: str
    land_use: tuple[str, ...]
    max_slope_pct: float | None
    min_burn_probability: float | None
    target_bdt: float | None


@dataclass(frozen=True)
class Catchment:
    """Stage 2's result: the clusters of one circle, joined over the layers and filtered.

    Parameters
    ----------
    key : RetrievalKey
        What was asked of the store.
    site : Location
        The plant's place.
    radius_km : float
        Radius used [km].
    radius_origin : str
        given, automatic, or widest (the automatic radius ran into its limit).
    frame : ClusterFrame
        Candidates: clusters that the filters leave and at least one allowed system can work.
    system_index : ndarray of int64
        Column of `cost_usd_per_bdt` that is cheapest under the layer's own economics, per candidate.
    rows_read : int
        Clusters inside the circle before any filter.
    excluded_bdt : mapping
        Feedstock [BDT] left out, by reason.
    excluded_clusters : mapping
        Clusters left out, by reason.
    edge_share : float
        Share of the circle outside the data area [0 to 1].
    roads : RoadDistances or None
        The site on the layer set's road network; None where it has none. No part of the key: whether a question uses it
        is a matter of computation.
    """

    key: RetrievalKey
    site: Location
    radius_km: float
    radius_origin: str
    frame: ClusterFrame
    system_index: Any
    rows_read: int
    excluded_bdt: Mapping[str, float]
    excluded_clusters: Mapping[str, int]
    edge_share: float
    roads: RoadDistances | None = None


@dataclass(frozen=True)
class Table:
    """A result table: column names with units, and rows.

    `whole` holds all rows for a map where the record shows a part of them; it is never part of the JSON.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    note: str = ""
    whole: tuple[tuple[Any, ...], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """JSON object of the contract."""
        out: dict[str, Any] = {"columns": list(self.columns), "rows": [list(r) for r in self.rows]}
        if self.note:
            out["note"] = self.note
        return out


@dataclass(frozen=True)
class Analysis:
    """Stage 3's result: every number of the answer, and nothing in words but labels.

    Parameters
    ----------
    status : str
        answered, partial or refused.
    reason : str
        Stable code of a refusal or partial answer, empty otherwise.
    facts : mapping of str to Fact
        By value id.
    tables : mapping of str to Table
        By name.
    warnings : tuple of Caveat
        Caveats.
    selected : tuple of int
        Cluster keys taken, in the order taken.
    names : mapping of str to str
        Data words that the text may name: places, treatments, areas.
    """

    status: str
    reason: str
    facts: Mapping[str, Fact]
    tables: Mapping[str, Table]
    warnings: tuple[Caveat, ...]
    selected: tuple[int, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Claim:
    """A piece of the text and the value it states."""

    text: str
    value_id: str
    start: int

    def to_json(self) -> dict[str, Any]:
        """JSON object of the contract, with the offset into the text."""
        return {"text": self.text, "value_id": self.value_id, "start": self.start}


@dataclass(frozen=True)
class TraceStep:
    """One step of the pipeline: what ran, how long, how many rows, and whether it was kept from before.

    `reason` says why a step did not come to its end; `call` numbers the calls of a model's plan.
    """

    stage: str
    tool: str
    ms: float
    rows: int | None = None
    cache: str = "miss"
    reason: str = ""
    call: int | None = None

    def to_json(self) -> dict[str, Any]:
        """JSON object of the contract; `reason` and `call` only where they say something."""
        out = {"stage": self.stage, "tool": self.tool, "ms": round(self.ms, 3), "rows": self.rows, "cache": self.cache}
        return out | ({"reason": self.reason} if self.reason else {}) | ({"call": self.call} if self.call else {})


@dataclass(frozen=True)
class Answer:
    """The answer record of the contract."""

    status: str
    question: str
    query: SitingQuery
    session: str | None = None
    reason: str = ""
    inferred: tuple[Mapping[str, Any], ...] = ()
    facts: Mapping[str, Fact] = field(default_factory=dict)
    tables: Mapping[str, Table] = field(default_factory=dict)
    text: str = ""
    claims: tuple[Claim, ...] = ()
    warnings: tuple[Caveat, ...] = ()
    trace: tuple[TraceStep, ...] = ()
    layers: Mapping[str, Any] = field(default_factory=dict)
    sources: tuple[str, ...] = ()
    selected: tuple[int, ...] = ()
    exit_code: int = 0

    def to_json(self) -> dict[str, Any]:
        """JSON object of the contract."""
        return {
            "schema": SCHEMA,
            "status": self.status,
            "reason": self.reason,
            "question": self.question,
            "session": self.session,
            "query": self.query.to_json(),
            "inferred": [dict(i) for i in self.inferred],
            "values": {k: f.to_json() for k, f in self.facts.items()},
            "tables": {k: t.to_json() for k, t in self.tables.items()},
            "text": self.text,
            "claims": [c.to_json() for c in self.claims],
            "warnings": [w.to_json() for w in self.warnings],
            "trace": [t.to_json() for t in self.trace],
            "layers": dict(self.layers),
            "sources": list(self.sources),
        }


def unique_caveats(warnings: Iterable[Caveat]) -> tuple[Caveat, ...]:
    """Drop repeated warnings, first kept."""
    return tuple(dict.fromkeys(warnings))


def stated_figures(text: str, prefix: str, label: str) -> tuple[dict[str, Fact], tuple[Claim, ...]]:
    """Facts and claims for the figures of a text that computes nothing: each is a quotation, and listed as one.

    Parameters
    ----------
    text : str
        What is shown.
    prefix : str
        Value ids are this, an underscore and a running number.
    label : str
        What the figures are, in words.
    """
    facts: dict[str, Fact] = {}
    claims: list[Claim] = []
    for n, figure in enumerate(_FIGURE.finditer(text), start=1):
        facts[f"{prefix}_{n}"] = Fact(figure.group(0), "as written", label, "quoted, not computed for this question")
        claims.append(Claim(figure.group(0), f"{prefix}_{n}", figure.start()))
    return facts, tuple(claims)
