"""Whole answers: ``python benchmarks/answers.py [--data DIR] [--json] [--rounds N]``.

Every figure stands beside a baseline of the same run: a vectorised NumPy float64 haversine over all clusters, which is what
the simplest system would do first for any question. Cold processes are timed as a user sees them, from command to exit.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from csrag.ask.computation.choose import select
from csrag.ask.computation.delivered import delivered_costs, economics
from csrag.ask.computation.need import need_of
from csrag.ask.computation.selection import Scales
from csrag.ask.intent import parse
from csrag.ask.pipeline import CatchmentCache, ask
from csrag.ask.retrieval import retrieve
from csrag.geo import haversine_km
from csrag.interfaces.open import open_layers
from csrag.surfaces.store import LayerStore

QUESTIONS = {
    "site, 25 MW Quincy, fire": "25 MW facility near Quincy, CA. Fire risk matters.",
    "site, 3 MW Chester": "3 MW at Chester",
    "site, diesel what-if": "25 MW facility near Quincy, CA. Fire risk matters. Diesel at $6.50 a gallon.",
    "projection, 20 years": "Project 25 MW at Quincy over 20 years",
    "largest plant under a cap": "Largest plant at Quincy with an average under $50/BDT?",
    "tornado, nine parameters": "Tornado chart for 25 MW at Quincy",
}
PUBLISHED_S = 11.4
"""The published system's figure for this question with five tools and a hosted model [s]."""


def milliseconds(call: Callable[[], object], rounds: int) -> float:
    """Median of `rounds` calls [ms]."""
    taken = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        taken.append((time.perf_counter() - start) * 1000)
    return statistics.median(taken)


def projection_from_scratch(store: LayerStore, years: int = 20) -> None:
    """The same 20 years with nothing kept: every year reads its circle, costs it, scores it and selects again."""
    query = parse(QUESTIONS["projection, 20 years"])
    demand, used, radius = need_of(query).demand_bdt, np.zeros(0, dtype=np.int64), 10
    for _ in range(years):
        while True:
            circle = retrieve(store, query.locations[0], query.with_(radius_km=float(radius)), demand)
            keep = ~np.isin(circle.frame["cluster_no"], used)
            left = replace(circle, frame=circle.frame.filter(keep), system_index=circle.system_index[keep])
            econ = economics(store.manifest, {})
            costs = delivered_costs(left, query, store.manifest, econ, lambda rows: store.stand(rows, query.treatment))
            if costs.tons.sum() >= 5 * demand:
                break
            radius += 1
        taken = select(left.frame, costs, demand, 0.0, Scales.from_manifest(store.manifest.scales), econ.harvest.ppi)
        used = np.concatenate([used, left.frame["cluster_no"][taken.rows]])


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    store = open_layers(options.data)
    lat, lon = np.asarray(store.column("lat")), np.asarray(store.column("lon"))
    base = milliseconds(lambda: haversine_km(39.9368, -120.9465, lat, lon), options.rounds)
    rows = []
    for name, question in QUESTIONS.items():
        steps = {}
        warm = milliseconds(lambda q=question: ask(store, q), options.rounds)
        for step in ask(store, question).trace:
            steps[step.tool] = round(step.ms, 2)
        rows.append({"what": name, "warm_ms": warm, "over_haversine": warm / base, "steps_ms": steps})
    cache, first = CatchmentCache(), QUESTIONS["site, 25 MW Quincy, fire"]
    ask(store, first, cache=cache)
    follow = milliseconds(lambda: ask(store, "What if diesel hits $6.50?", [first], cache), options.rounds)
    rows.append(
        {"what": "follow-up, kept catchment", "warm_ms": follow, "over_haversine": follow / base, "steps_ms": {}}
    )
    scratch = milliseconds(lambda: projection_from_scratch(store), 3)
    rows.append(
        {"what": "projection from scratch", "warm_ms": scratch, "over_haversine": scratch / base, "steps_ms": {}}
    )
    command = [sys.executable, "-m", "csrag", "ask", first, "--json", "--data", str(store.path)]
    cold = milliseconds(lambda: subprocess.run(command, check=True, capture_output=True), options.rounds)
    trace = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["trace"]
    rows.append({"what": "cold process", "warm_ms": cold, "over_haversine": cold / base,
                 "steps_ms": {t["tool"]: t["ms"] for t in trace}})  # fmt: skip
    report = {
        "clusters": len(store),
        "haversine_over_all_ms": base,
        "rows": rows,
        "published_over_cold": PUBLISHED_S * 1000 / cold,
        "published_over_warm": PUBLISHED_S * 1000 / rows[0]["warm_ms"],
    }
    if options.json:
        print(json.dumps(report))
        return 0
    print(f"{report['clusters']:,} clusters; float64 haversine over all of them {base:.2f} ms")
    for row in rows:
        print(f"{row['what']:28s} {row['warm_ms']:9.1f} ms   {row['over_haversine']:8.1f} x   {row['steps_ms']}")
    print(
        f"published 11.4 s: {report['published_over_cold']:.0f} x the cold process, {report['published_over_warm']:.0f} x warm"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
