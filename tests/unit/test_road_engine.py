"""The search beside a routing engine: Routino (Debian package `routino`), where it is installed."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from tests.support.roads import lattice, write_osm

from csrag.build.sources.roads_osm import read_osm
from csrag.build.sources.roads_read import CLASS_KM_PER_H
from csrag.geo import haversine_km
from csrag.simulators.road_graph import search

KINDS = ("primary", "secondary", "tertiary")
TOTAL = re.compile(r"([\d.]+) km\s+(\d+) min\s+Waypt#2")


@pytest.mark.skipif(
    not (shutil.which("planetsplitter") and shutil.which("routino-router")),
    reason="the package routino is not installed",
)
@pytest.mark.parametrize("seed", [3, 4])
def test_km_and_minutes_of_the_quickest_ways_are_those_of_routino(tmp_path: Path, seed: int):
    pytest.importorskip("osmium", reason='OpenStreetMap files need pip install "csrag[gis]"')
    rows = 9
    points, ways = lattice(rows, seed, KINDS)
    path = write_osm(tmp_path / "net.osm", points, [(nodes, {"highway": kind}) for nodes, kind in ways])
    subprocess.run(["planetsplitter", f"--dir={tmp_path}", "--prune-none", str(path)], check=True, capture_output=True)
    graph = read_osm(path).graph
    origin = 0
    reach = search(graph, *points[origin], 500)
    compared = 0
    for target in (rows - 1, rows * rows // 2, rows * (rows - 1), rows * rows - 1):
        node = int(np.argmin(haversine_km(*points[target], graph.node_lat, graph.node_lon)))
        if not np.isfinite(reach.road_km[node]):
            continue
        command = [
            "routino-router", f"--dir={tmp_path}", "--transport=motorcar", "--profile=motorcar", "--quickest", "--quiet",
            "--output-text", f"--lat1={points[origin][0]}", f"--lon1={points[origin][1]}", f"--lat2={points[target][0]}",
            f"--lon2={points[target][1]}", *[f"--highway-{kind}=100" for kind in KINDS],
            *[f"--speed-{kind}={CLASS_KM_PER_H[kind]:g}" for kind in KINDS],
        ]  # fmt: skip
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
        found = TOTAL.search((tmp_path / "quickest.txt").read_text())
        assert found is not None
        # Routino measures on a sphere of its own and prints tenths of a km and whole minutes.
        assert reach.road_km[node] == pytest.approx(float(found[1]), rel=0.003, abs=0.1)
        assert reach.hours[node] * 60 == pytest.approx(float(found[2]), rel=0.01, abs=0.6)
        compared += 1
    assert compared >= 3
