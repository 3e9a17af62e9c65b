"""Cost-rank selection against FRREDSS's rule: ``python benchmarks/selection_rule.py --data DIR [--sites 50] [--mw 25]``.

Fifty towns drawn by a seed; at each the default answer's year one and FRREDSS's rule, and between them one change at a time: the
choice of candidates by rings, FRREDSS's harvest mapping, part-filled trucks, unloading with the woods workers' benefits, one move
of the machines a year. Every step is a whole selection anew, so that the parts add up to the whole. Prints the distribution of the
difference and of each part.
"""

from __future__ import annotations

import argparse
import json
import random
from dataclasses import dataclass

import numpy as np

from csrag.ask.computation.choose import select
from csrag.ask.computation.delivered import Costs, delivered_costs, economics
from csrag.ask.computation.need import need_of
from csrag.ask.computation.reference import first_look_years, in_rings, reference_costs
from csrag.ask.computation.selection import Scales
from csrag.ask.records import Location, SitingQuery
from csrag.ask.results import Catchment
from csrag.ask.run import Run, Trace
from csrag.errors import CsragError
from csrag.interfaces.open import open_layers
from csrag.places.table import lines, place
from csrag.surfaces.coverage import edge_share
from csrag.surfaces.store import LayerStore

STEPS = ("rings", "mapping", "part-filled trucks", "unloading", "one move a year")
SEED = 20261201
MOST_EDGE_SHARE = 0.05


@dataclass(frozen=True)
class SiteResult:
    """Averages at one site [USD per BDT]: the default's, and after each step towards FRREDSS's rule."""

    name: str
    ours: float
    after: tuple[float, ...]
    radii_km: tuple[float, float]
    parts: dict[str, tuple[float, float]]

    @property
    def total_pct(self) -> float:
        """How much dearer FRREDSS's rule is [percent of the default]."""
        return 100 * (self.after[-1] / self.ours - 1)

    @property
    def step_pct(self) -> tuple[float, ...]:
        """What each step adds [percent of the default]."""
        before = (self.ours, *self.after[:-1])
        return tuple(100 * (b - a) / self.ours for a, b in zip(before, self.after, strict=True))


def towns(store: LayerStore, count: int, radius_km: float = 40.0) -> list[Location]:
    """Towns whose surroundings the layer set covers, in seeded order: more than are needed."""
    found = {}
    for i in range(len(lines())):
        p = place(i)
        if p.kind == "place" and p.state == "CA" and p.name not in found:
            found[p.name] = Location(p.name, "place", p.county, p.lat, p.lon)
    names = sorted(found)
    random.Random(SEED).shuffle(names)
    out = []
    for name in names:
        site = found[name]
        assert site.lat is not None
        assert site.lon is not None
        if len(store.within(site.lat, site.lon, radius_km)[0]) < 2000:
            continue
        if edge_share(site.lat, site.lon, radius_km, store.manifest.data_area) > MOST_EDGE_SHARE:
            continue
        out.append(site)
        if len(out) >= count:
            break
    return out


def measure(store: LayerStore, site: Location, query: SitingQuery) -> SiteResult | None:
    """Both rules at one site, and the steps between; None where the demand is not met."""
    manifest = store.manifest
    run, need = Run(store, query, site, Trace()), need_of(query)
    econ, scales = economics(manifest, query.overrides), Scales.from_manifest(manifest.scales)
    circle = run.catchment(query, need.demand_bdt)
    wide = run.catchment(query, need.demand_bdt, years=first_look_years(query))

    def average(catchment: Catchment, costs: Costs) -> tuple[float, tuple[float, float]]:
        taken = select(catchment.frame, costs, need.demand_bdt, 0.0, scales, econ.harvest.ppi)
        if not taken.met:
            return float("nan"), (0.0, 0.0)
        return taken.average(costs), (taken.mean(costs.harvest, costs) or 0.0, taken.mean(costs.haul, costs) or 0.0)

    def reference(mapping: str, **flags: bool) -> Costs:
        return reference_costs(wide, query, manifest, econ, run.read_stand, mapping, **flags)

    target = query.expansion_factor * need.demand_bdt
    off = {"part_filled": False, "woods_benefits": False, "one_move": False}
    variants = [
        delivered_costs(wide, query, manifest, econ, run.read_stand),
        reference("fixed", **off),
        reference("fixed", **{**off, "part_filled": True}),
        reference("fixed", **{**off, "part_filled": True, "woods_benefits": True}),
        reference("fixed"),
    ]
    ours, parts = average(circle, delivered_costs(circle, query, manifest, econ, run.read_stand))
    after, last_parts, last_radius = [], (0.0, 0.0), 0.0
    for costs in variants:
        inner, inner_costs = in_rings(wide, costs, target)
        value, last_parts = average(inner, inner_costs)
        last_radius = inner.radius_km
        after.append(value)
    if not np.isfinite([ours, *after]).all():
        return None
    return SiteResult(
        site.name, ours, tuple(after), (circle.radius_km, last_radius), {"ours": parts, "frredss": last_parts}
    )


def spread(values: list[float]) -> str:
    """Least, quartiles and greatest."""
    low, q1, middle, q3, high = np.percentile(values, [0, 25, 50, 75, 100])
    return f"median {middle:+.1f}, quartiles {q1:+.1f} and {q3:+.1f}, from {low:+.1f} to {high:+.1f} %"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", help="layer set")
    parser.add_argument("--sites", type=int, default=50)
    parser.add_argument("--mw", type=float, default=25.0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    store = open_layers(options.data)
    print(f"{store.manifest.title} ({store.hash[:12]}), {options.mw:g} MW, {options.sites} towns, seed {SEED}")
    for factor in (1.0, 1.5):
        results: list[SiteResult] = []
        for site in towns(store, 3 * options.sites):
            base = SitingQuery(locations=(site,), capacity_mw=options.mw, expansion_factor=factor)
            try:
                found = measure(store, site, base)
            except CsragError:
                continue
            if found is not None:
                results.append(found)
            if len(results) == options.sites:
                break
        total = [r.total_pct for r in results]
        print(f"\nexpansion factor {factor:g}, {len(results)} towns: FRREDSS's rule costs more by {spread(total)}")
        print(f"  within 12 to 41 %: {sum(12 <= t <= 41 for t in total)}; above: {sum(t > 41 for t in total)}; "
              f"below: {sum(t < 12 for t in total)}")  # fmt: skip
        for k, step in enumerate(STEPS):
            print(f"  {step:<20} {spread([r.step_pct[k] for r in results])}")
        for part, column in (("harvest", 0), ("haul", 1)):
            gap = [100 * (r.parts["frredss"][column] - r.parts["ours"][column]) / r.ours for r in results]
            print(f"  of it in {part:<11} {spread(gap)}")
        ours, theirs = ([r.radii_km[i] for r in results] for i in (0, 1))
        print(f"  radius: ours median {np.median(ours):g} km, FRREDSS's {np.median(theirs):g} km")
        if options.json:
            for r in results:
                print(json.dumps({"site": r.name, "ours": r.ours, "after": r.after, "radii_km": r.radii_km}))


if __name__ == "__main__":
    main()
