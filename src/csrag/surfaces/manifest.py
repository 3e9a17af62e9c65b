"""The manifest: what a layer set holds, where it came from, and what its bytes must be."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from csrag.surfaces.catalog import COLUMNS
from csrag.surfaces.index import CellGrid

SCHEMA = "csrag.layers/1"
MANIFEST_FILE = "manifest.json"
_NOT_HASHED = ("created", "layers_hash")


@dataclass(frozen=True)
class Provenance:
    """Where one layer came from.

    Parameters
    ----------
    layer : str
        cost, fire, circuity or clusters.
    source : str
        Who made it, in words.
    version : str
        Version of the source.
    vintage : str
        What year or period the data describes.
    note : str
        What a reader must know, such as "synthetic".
    """

    layer: str
    source: str
    version: str = ""
    vintage: str = ""
    note: str = ""


@dataclass(frozen=True)
class Treatment:
    """One treatment: its name is the key, its id belongs to the data it came from."""

    name: str
    id: int
    clear_cut: bool = False


@dataclass(frozen=True)
class FixedScales:
    """Bounds of the fire-aware score, the same for every treatment and circle.

    Parameters
    ----------
    u_lo_usd_per_bdt, u_hi_usd_per_bdt : float or None
        5th and 95th percentile over clusters of harvest cost plus a 30 km haul [USD per BDT]; None where the set has
        no feasible record.
    p_lo, p_hi : float or None
        5th and 95th percentile of known burn probability [per year]; None where none is known.
    basis : str
        Treatment, systems and haul they were taken from.
    """

    u_lo_usd_per_bdt: float | None
    u_hi_usd_per_bdt: float | None
    p_lo: float | None
    p_hi: float | None
    basis: str


@dataclass(frozen=True)
class ColumnFile:
    """One file of the set: dtype, shape and the SHA-256 of all its bytes."""

    file: str
    dtype: str
    shape: tuple[int, ...]
    unit: str
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """Everything about a layer set but the columns themselves.

    Parameters
    ----------
    name, title : str
        Short name and a line for people.
    synthetic : bool
        True where the data is made up; every answer repeats it.
    source : str
        Where the clusters came from.
    seed : int or None
        Root seed of synthetic data.
    created : str
        UTC time of the build; not part of the hash.
    mapping : str
        How clusters became simulator input: split, fixed or backend.
    economics : mapping
        Harvest economics the costs were computed with.
    provenance : tuple of Provenance
        One a layer.
    treatments : tuple of Treatment
        In storage order of the treatment axis.
    systems, feedstock_classes : tuple of str
        In storage order.
    codes : mapping of str to tuple of str
        Meaning of coded columns: `codes["land_use"][value]`.
    zone_factors : tuple of float
        Road distance over straight-line distance, by zone.
    scales : FixedScales
        Bounds of the score.
    distance_modes : tuple of str
        Modes this set can serve, the default last resort first.
    data_area : tuple of rings
        Rings of (lon, lat) around the area the set covers.
    counts : mapping of str to int
        clusters, records, feasible_records, and what a source counted.
    notes : tuple of str
        What the source wants said.
    derived : tuple of str
        Columns and feedstock classes that have no file, because the store works them out; see `surfaces.derived`.
    derived_exceptions : tuple of (str, int, int, float)
        Derived values that the formula misses by a rounding: what, treatment index, row, value.
    grid : CellGrid
        Storage order.
    columns : mapping of str to ColumnFile
        Every file of the set.
    transport : mapping or None
        How road distance follows from straight-line distance beyond one factor a zone; None where only zone factors are
        known. Keys: `bands_km` (edges of the straight-line bands, the last band open), `stratified` (factors, a row a zone,
        a column a band), `band_medians` (factor a band where the zone is unknown), `network` (nodes, edges, source, snap
        cap; None without a road graph), `accuracy` (rows of mode, band_km, n, aggregate_error_pct, mape_pct), `basis`.
    cost_method : mapping or None
        None where every cost came from the simulator itself. Else `method` ("surrogate"), the model's hash and card, and
        its conformal interval by system.
    points : mapping or None
        Points that came with the clusters; None where none did. Keys, each of them optional: `plants` (rows of name, lat, lon,
        bdt_per_year, capacity_mw or None, basis) and `substations` (rows of name, lat, lon, kv or None).
    layers_hash : str
        SHA-256 over all of the above but `created`.
    """

    name: str
    title: str
    synthetic: bool
    source: str
    seed: int | None
    created: str
    mapping: str
    economics: Mapping[str, float]
    provenance: tuple[Provenance, ...]
    treatments: tuple[Treatment, ...]
    systems: tuple[str, ...]
    feedstock_classes: tuple[str, ...]
    codes: Mapping[str, tuple[str, ...]]
    zone_factors: tuple[float, ...]
    scales: FixedScales
    distance_modes: tuple[str, ...]
    data_area: tuple[tuple[tuple[float, float], ...], ...]
    counts: Mapping[str, int]
    grid: CellGrid
    columns: Mapping[str, ColumnFile]
    notes: tuple[str, ...] = ()
    derived: tuple[str, ...] = ()
    derived_exceptions: tuple[tuple[str, int, int, float], ...] = ()
    transport: Mapping[str, Any] | None = None
    cost_method: Mapping[str, Any] | None = None
    points: Mapping[str, Any] | None = None
    layers_hash: str = ""
    schema: str = field(default=SCHEMA)

    @property
    def units(self) -> dict[str, str]:
        """Unit of every column, derived ones included."""
        given = {name: column.unit for name, column in self.columns.items()}
        return {**given, **{name: COLUMNS[name].unit for name in self.derived if name in COLUMNS}}

    @property
    def treatment_names(self) -> tuple[str, ...]:
        """Names in storage order."""
        return tuple(t.name for t in self.treatments)

    def to_json(self) -> dict[str, Any]:
        """JSON object as written to `manifest.json`."""
        values = asdict(self)
        if not self.derived:
            # A set that stores everything says what it always said, and keeps its hash.
            del values["derived"], values["derived_exceptions"]
        for name in ("transport", "cost_method", "points"):
            if values[name] is None:
                del values[name]
        return values

    def compute_hash(self) -> str:
        """SHA-256 over the canonical JSON of everything but `created` and the hash itself."""
        return _hash_of(self.to_json())

    def with_hash(self) -> Manifest:
        """Copy that carries its own hash."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return Manifest(**{**values, "layers_hash": self.compute_hash()})

    def dumps(self) -> str:
        """Text of `manifest.json`."""
        return json.dumps(self.to_json(), indent=1, sort_keys=True, allow_nan=False) + "\n"

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Manifest:
        """Inverse of `to_json`.

        Raises
        ------
        KeyError, TypeError, ValueError
            If a field is missing, unknown or of the wrong form.
        """
        values = dict(data)
        values["provenance"] = tuple(Provenance(**p) for p in values["provenance"])
        values["treatments"] = tuple(Treatment(**t) for t in values["treatments"])
        values["scales"] = FixedScales(**values["scales"])
        values["grid"] = CellGrid(**values["grid"])
        values["codes"] = {k: tuple(v) for k, v in values["codes"].items()}
        values["columns"] = {k: ColumnFile(**{**v, "shape": tuple(v["shape"])}) for k, v in values["columns"].items()}
        values["data_area"] = tuple(tuple((float(x), float(y)) for x, y in ring) for ring in values["data_area"])
        for name in ("systems", "feedstock_classes", "zone_factors", "distance_modes", "notes", "derived"):
            values[name] = tuple(values.get(name, ()) if name == "derived" else values[name])
        values["derived_exceptions"] = tuple(
            (str(what), int(t), int(row), float(value)) for what, t, row, value in values.get("derived_exceptions", ())
        )
        return cls(**values)


def stored_hash_matches(data: Mapping[str, Any]) -> bool:
    """Whether a manifest read from disk still is what its hash was taken over."""
    return data.get("layers_hash") == _hash_of(data)


def _hash_of(data: Mapping[str, Any]) -> str:
    kept = {key: value for key, value in data.items() if key not in _NOT_HASHED}
    text = json.dumps(kept, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()
