"""One search over a state's roads: ``python benchmarks/roads.py [--data DIR] [--nodes N] [--json]``.

Without ``--data`` the graph is SYNTHETIC: junctions scattered over California's box, the shortest links of their Delaunay
triangulation that keep it one piece and a random fifth of the others, each bent into a chain of nodes. Times of the heap
and of SciPy are taken in turn in the same run; "cold" is a process of its own that maps the stored arrays
and searches, once with the contraction stored beside them, as layer sets do, once working it out; imports of NumPy and of
the package are left out.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from csrag.build.road_layer import make_road_network
from csrag.geo import CALIFORNIA_BOX, haversine_km
from csrag.interfaces.open import open_layers
from csrag.simulators.road_contract import contract
from csrag.simulators.road_graph import RoadGraph, search, snap

SITE = (39.9368, -120.9465)
_COLD = """
import sys, time
from pathlib import Path
import numpy as np
from csrag.simulators.road_graph import RoadGraph, search
from csrag.surfaces.roads import RoadNetwork
begin = time.perf_counter()
columns = {file.stem: np.asarray(np.load(file, mmap_mode="r")) for file in Path(sys.argv[1]).glob("*.npy")}
graph = RoadGraph.from_network(RoadNetwork.from_columns(columns))
search(graph, %s, %s, float(sys.argv[2]))
print(1000 * (time.perf_counter() - begin))
assert "scipy" not in sys.modules or len(graph.contraction) > 60_000
"""


def synthetic(nodes: int, seed: int = 1) -> RoadGraph:
    """A SYNTHETIC road graph of about so many nodes, three in ten of them junctions or ends."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import minimum_spanning_tree
    from scipy.spatial import Delaunay

    rng = np.random.default_rng(seed)
    n = nodes * 3 // 10
    lat, lon = rng.uniform(*CALIFORNIA_BOX[:2], n), rng.uniform(*CALIFORNIA_BOX[2:], n)
    corners = Delaunay(np.column_stack([lon, lat])).simplices
    pairs = np.unique(
        np.sort(np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [0, 2]]]), axis=1), axis=0
    )
    length = haversine_km(lat[pairs[:, 0]], lon[pairs[:, 0]], lat[pairs[:, 1]], lon[pairs[:, 1]])
    tree = minimum_spanning_tree(csr_matrix((length, pairs.T), shape=(n, n))).tocoo()
    kept = np.isin(pairs[:, 0] * n + pairs[:, 1], np.minimum(tree.row, tree.col).astype(np.int64) * n + np.maximum(
        tree.row, tree.col)) | (rng.uniform(size=len(pairs)) < 0.2)  # fmt: skip
    pairs = pairs[kept]
    speed = rng.choice([25.0, 40.0, 60.0, 85.0], len(pairs))
    extra = max(round((nodes - n) / len(pairs)), 1)
    share = np.arange(1, extra + 1) / (extra + 1)
    bend = rng.normal(0, 0.15, (len(pairs), 1)) * np.sin(np.pi * share)
    dlat, dlon = (x[pairs[:, 1]] - x[pairs[:, 0]] for x in (lat, lon))
    inner_lat = lat[pairs[:, :1]] + share * dlat[:, None] - bend * dlon[:, None]
    inner_lon = lon[pairs[:, :1]] + share * dlon[:, None] + bend * dlat[:, None]
    chain = np.column_stack([pairs[:, 0], n + np.arange(inner_lat.size).reshape(inner_lat.shape), pairs[:, 1]])
    u, v = chain[:, :-1].ravel(), chain[:, 1:].ravel()
    lat, lon = np.concatenate([lat, inner_lat.ravel()]), np.concatenate([lon, inner_lon.ravel()])
    km = haversine_km(lat[u], lon[u], lat[v], lon[v]) * 1.1
    return RoadGraph.from_edges(lat, lon, u, v, km, km / np.repeat(speed, extra + 1))


def median_ms(call: Callable[[], object], repeats: int) -> float:
    """Median of several calls [ms]."""
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        call()
        times.append(1000 * (time.perf_counter() - begin))
    return statistics.median(times)


def cold_ms(graph: RoadGraph, reach_km: float, repeats: int, *, core: bool) -> float:
    """Median over processes of their own: map the arrays, contract where `core` is not stored, search [ms]."""
    columns = make_road_network(graph, [SITE[0]], [SITE[1]]).to_columns() | (
        graph.contraction.to_columns() if core else {}
    )
    with tempfile.TemporaryDirectory() as folder:
        for name, values in columns.items():
            np.save(Path(folder) / f"{name}.npy", values)
        code = _COLD % SITE
        runs = [
            subprocess.run(
                [sys.executable, "-c", code, folder, str(reach_km)], capture_output=True, text=True, check=True
            )
            for _ in range(repeats)
        ]
    return statistics.median(float(run.stdout) for run in runs)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="layer set with a road network; else a synthetic graph")
    parser.add_argument("--nodes", type=int, default=100_000, help="size of the synthetic graph")
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.data:
        network = open_layers(options.data).roads
        if network is None:
            print("This layer set carries no road network.", file=sys.stderr)
            return 3
        graph = RoadGraph.from_network(network)
    else:
        graph = synthetic(options.nodes)
    figures: dict[str, float] = {
        "nodes": len(graph), "edges": graph.edges, "core_nodes": len(graph.contraction),
        "contract_ms": median_ms(lambda: contract(graph.indptr, graph.neighbour, graph.km, graph.hours), options.repeats),
    }  # fmt: skip
    for reach_km in (60.0, 200.0, 500.0):
        figures[f"reached_{reach_km:g}km"] = int(np.isfinite(search(graph, *SITE, reach_km).hours).sum())
        for engine in ("heap", "scipy"):
            figures[f"{engine}_{reach_km:g}km_ms"] = median_ms(
                lambda r=reach_km, e=engine: search(graph, *SITE, r, engine=e), options.repeats
            )
    figures["cold_200km_ms"] = cold_ms(graph, 200.0, 7, core=True)
    figures["cold_200km_contracting_ms"] = cold_ms(graph, 200.0, 7, core=False)
    points = np.random.default_rng(2).uniform(CALIFORNIA_BOX[::2], CALIFORNIA_BOX[1::2], (1_080_000, 2))
    figures["snap_1080000_points_s"] = median_ms(lambda: snap(graph, points[:, 0], points[:, 1], 10.0), 1) / 1000
    print(json.dumps(figures) if options.json else "\n".join(f"{k:28} {v:12,.2f}" for k, v in figures.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
