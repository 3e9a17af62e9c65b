"""Roads from OpenStreetMap extracts and from tables: what is taken, at what speed, and what is refused."""

from __future__ import annotations

import bz2
import gzip
import itertools
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.support.roads import lattice, write_osm

from csrag.build.sources.roads_osm import SPACING_KM, is_osm, read_osm
from csrag.build.sources.roads_read import (
    CLASS_KM_PER_H,
    DEFAULT_KM_PER_H,
    TRUCK_CAP_KM_PER_H,
    RoadsRead,
    parse_maxspeed,
    read_roads,
)
from csrag.build.sources.roads_table import read_tables
from csrag.errors import CsragError, DataError, InvalidValueError, TableRefusedError
from csrag.geo import haversine_km
from csrag.simulators.road_graph import RoadGraph, search

SHARED_ROADS = Path(__file__).resolve().parents[3] / "shared" / "data" / "roads"
LINE = [(40.0, -121.0 + 0.001 * i) for i in range(101)]


def speeds(read: RoadsRead) -> list[float]:
    return sorted({round(float(s), 1) for s in read.graph.km / read.graph.hours})


def one_way(tmp_path: Path, **tags: str) -> RoadsRead:
    """The line as one way with these tags, and a plain road so that something is always left."""
    ways = [(range(101), tags), ([0, 101], {"highway": "primary"})]
    return read_osm(write_osm(tmp_path / "one.osm.pbf", [*LINE, (40.1, -121.0)], ways))


@pytest.fixture
def osmium() -> None:
    pytest.importorskip("osmium", reason='OpenStreetMap files need pip install "csrag[gis]"')


@pytest.mark.usefixtures("osmium")
class TestOpenStreetMap:
    @pytest.mark.parametrize("suffix", [".osm.pbf", ".osm", ".osm.gz", ".osm.bz2"])
    def test_lengths_follow_the_way_and_nodes_lie_close_enough_to_join(self, tmp_path, suffix):
        points, ways = lattice(6, 3)
        tagged = [(nodes, {"highway": kind}) for nodes, kind in ways]
        read = read_osm(write_osm(tmp_path / f"net{suffix}", points, tagged))
        lat, lon = np.array(points).T
        whole = sum(
            float(haversine_km(lat[n[:-1]], lon[n[:-1]], lat[n[1:]], lon[n[1:]]).sum())
            for n in (np.array(w) for w, _ in ways)
        )
        assert read.graph.km.sum() / 2 == pytest.approx(whole, rel=1e-5)
        assert read.graph.km.max() <= SPACING_KM * 1.0001
        assert read.counts["ways"] == len(ways)
        crossings = np.bincount(np.concatenate([[w[0], w[-1]] for w, _ in ways]), minlength=len(points))
        # Every crossing of three or more ways is a node of as many roads; nothing else is.
        assert sorted(np.diff(read.graph.indptr)[np.diff(read.graph.indptr) > 2]) == sorted(crossings[crossings > 2])

    def test_the_way_between_two_places_equals_a_graph_of_every_node(self, tmp_path):
        points, ways = lattice(7, 8)
        read = read_osm(write_osm(tmp_path / "net.osm.pbf", points, [(n, {"highway": k}) for n, k in ways]))
        lat, lon = np.array(points).T
        u = np.concatenate([n[:-1] for n, _ in ways])
        v = np.concatenate([n[1:] for n, _ in ways])
        km = haversine_km(lat[u], lon[u], lat[v], lon[v])
        each = np.concatenate([[CLASS_KM_PER_H[k]] * (len(n) - 1) for n, k in ways])
        full = RoadGraph.from_edges(lat, lon, u, v, km, km / each)
        found, wanted = (search(g, *points[0], 400) for g in (read.graph, full))
        for place in range(7 * 7):
            a, b = (int(np.argmin(haversine_km(*points[place], g.node_lat, g.node_lon))) for g in (read.graph, full))
            if np.isfinite(wanted.hours[b]):
                assert found.hours[a] == pytest.approx(wanted.hours[b], rel=1e-5, abs=1e-6)
                assert found.road_km[a] == pytest.approx(wanted.road_km[b], rel=1e-5, abs=1e-5)

    @pytest.mark.parametrize(
        ("tags", "speed"),
        [
            ({"highway": "secondary"}, CLASS_KM_PER_H["secondary"]),
            ({"highway": "secondary", "maxspeed": "35 mph"}, 56.3),
            ({"highway": "secondary", "maxspeed": "45"}, 45.0),
            ({"highway": "secondary", "maxspeed": "80;30"}, 30.0),
            ({"highway": "secondary", "maxspeed": "signals"}, CLASS_KM_PER_H["secondary"]),
            ({"highway": "motorway", "maxspeed": "70 mph"}, TRUCK_CAP_KM_PER_H),
            ({"highway": "track"}, CLASS_KM_PER_H["track"]),
            ({"highway": "track", "tracktype": "grade5"}, 12.0),
            ({"highway": "track", "tracktype": "grade9"}, CLASS_KM_PER_H["track"]),
            ({"highway": "residential", "tracktype": "grade5"}, CLASS_KM_PER_H["residential"]),
            ({"highway": "track", "access": "private"}, CLASS_KM_PER_H["track"]),
            ({"highway": "unclassified", "motor_vehicle": "private"}, CLASS_KM_PER_H["unclassified"]),
            ({"highway": "tertiary", "access": "no", "motor_vehicle": "yes"}, CLASS_KM_PER_H["tertiary"]),
            ({"highway": "tertiary", "oneway": "yes"}, CLASS_KM_PER_H["tertiary"]),
        ],
    )
    def test_speeds(self, tmp_path, tags, speed):
        read = one_way(tmp_path, **tags)
        assert speeds(read) == sorted({round(speed, 1), CLASS_KM_PER_H["primary"]})

    @pytest.mark.parametrize(
        ("tags", "count"),
        [
            ({"highway": "footway"}, "ways_other_class"),
            ({"highway": "construction"}, "ways_other_class"),
            ({"highway": "primary", "route": "ferry"}, "ways_other_class"),
            ({"highway": "service", "service": "driveway"}, "ways_other_class"),
            ({"highway": "tertiary", "access": "no"}, "ways_closed"),
            ({"highway": "tertiary", "hgv": "no"}, "ways_closed"),
            ({"highway": "track", "motor_vehicle": "no"}, "ways_closed"),
            ({"highway": "residential", "access": "private"}, "ways_private"),
        ],
    )
    def test_what_trucks_do_not_drive_is_left_out_and_counted(self, tmp_path, tags, count):
        read = one_way(tmp_path, **tags)
        assert read.counts[count] == 1
        assert read.counts["ways"] == 1
        assert speeds(read) == [CLASS_KM_PER_H["primary"]]

    def test_a_ferry_without_a_highway_is_no_road(self, tmp_path):
        assert one_way(tmp_path, route="ferry").counts["ways"] == 1

    def test_a_loop_on_one_junction_and_two_ways_between_two_junctions_survive(self, tmp_path):
        points = [(40.0, -121.0), (40.0, -120.99), (40.01, -120.985), (40.0, -120.98), (40.02, -121.0)]
        ways = [([0, 1], "primary"), ([1, 2, 3, 1], "track"), ([0, 4, 1], "track")]
        read = read_osm(write_osm(tmp_path / "l.osm.pbf", points, [(n, {"highway": k}) for n, k in ways]))
        lat, lon = np.array(points).T
        whole = sum(
            float(haversine_km(lat[a], lon[a], lat[b], lon[b])) for n, _ in ways for a, b in itertools.pairwise(n)
        )
        assert read.graph.km.sum() / 2 == pytest.approx(whole, rel=1e-5)

    def test_nodes_outside_the_extract_cut_a_way_and_are_counted(self, tmp_path):
        path = write_osm(tmp_path / "cut.osm.pbf", LINE, [(range(101), {"highway": "primary"})], absent=[40, 41])
        read = read_osm(path)
        assert read.counts["way_nodes_lost"] == 2
        assert "positions of 2 of 101 road nodes (2.0%) are not in the file" in " ".join(read.notes)
        assert read.graph.km.sum() / 2 == pytest.approx(97 * float(haversine_km(*LINE[0], *LINE[1])), rel=1e-5)

    def test_without_positions_there_is_no_network(self, tmp_path):
        path = write_osm(tmp_path / "n.osm.pbf", LINE, [(range(101), {"highway": "primary"})], absent=range(1, 100))
        with pytest.raises(TableRefusedError, match="positions of 99 of 101 road nodes"):
            read_osm(path)

    @pytest.mark.parametrize(("lost", "refused"), [(0, False), (20, False), (21, True), (50, True)])
    def test_up_to_a_fifth_of_the_positions_may_be_lost(self, tmp_path, lost, refused):
        path = write_osm(
            tmp_path / "n.osm.pbf", LINE, [(range(101), {"highway": "primary"})], absent=range(40, 40 + lost)
        )
        if refused:
            with pytest.raises(TableRefusedError, match=f"positions of {lost} of 101 road nodes"):
                read_osm(path)
        else:
            assert any("not in the file" in note for note in read_osm(path).notes) == (lost > 0)

    def test_a_posted_walking_pace_is_ignored_and_counted(self, tmp_path):
        read = one_way(tmp_path, highway="secondary", maxspeed="1 mph")
        assert speeds(read) == [CLASS_KM_PER_H["secondary"], CLASS_KM_PER_H["primary"]]
        assert read.counts["speeds_unread"] == 1
        assert "(1 that name no speed from 5 km/h on are ignored)" in " ".join(read.notes)

    @pytest.mark.parametrize("suffix", [".osm.pbf", ".osm", ".osm.gz"])
    @pytest.mark.parametrize("share", [0.0, 0.4, 0.97])
    def test_a_file_cut_off_is_refused(self, tmp_path, suffix, share):
        points, ways = lattice(8, 1)
        path = write_osm(tmp_path / f"net{suffix}", points, [(n, {"highway": k}) for n, k in ways])
        path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])
        with pytest.raises(TableRefusedError, match=r"cut off|is empty") as caught:
            read_osm(path)
        assert "Download it again" in caught.value.fix

    @pytest.mark.parametrize("text", ["<html><body>Not found</body></html>", "plain words"])
    @pytest.mark.parametrize("suffix", [".osm.pbf", ".osm"])
    def test_what_is_no_openstreetmap_file_is_refused(self, tmp_path, suffix, text):
        path = tmp_path / f"net{suffix}"
        path.write_text(text)
        with pytest.raises(TableRefusedError, match="no OpenStreetMap file"):
            read_osm(path)

    def test_an_extract_without_roads_swapped_or_abroad_is_refused(self, tmp_path):
        with pytest.raises(TableRefusedError, match="holds no road"):
            read_osm(write_osm(tmp_path / "a.osm.pbf", LINE, [(range(101), {"waterway": "river"})]))
        turned = [(lon + 60, lat) for lat, lon in LINE]  # -61 N, 40 E: neither California nor California swapped
        with pytest.raises(TableRefusedError, match="holds no road with a length inside California"):
            read_osm(write_osm(tmp_path / "b.osm.pbf", turned, [(range(101), {"highway": "primary"})]))

    def test_a_history_file_is_refused(self, tmp_path):
        import osmium

        path = tmp_path / "h.osh.pbf"
        osmium.SimpleWriter(str(path)).close()
        with pytest.raises(TableRefusedError, match="history"):
            read_osm(path)

    def test_a_large_file_keeps_its_nodes_on_disk_and_gives_the_same(self, tmp_path, monkeypatch):
        points, ways = lattice(6, 2)
        path = write_osm(tmp_path / "net.osm.pbf", points, [(n, {"highway": k}) for n, k in ways])
        small = read_osm(path)
        monkeypatch.setattr("csrag.build.sources.roads_osm._ON_DISK_BYTES", 0)
        large = read_osm(path)
        assert np.array_equal(small.graph.hours, large.graph.hours)
        assert np.array_equal(small.graph.node_lat, large.graph.node_lat)

    def test_a_missing_file_is_said(self, tmp_path):
        with pytest.raises(InvalidValueError, match="There is no file"):
            read_osm(tmp_path / "none.osm.pbf")


def test_a_missing_extra_is_named(tmp_path, monkeypatch):
    (tmp_path / "net.osm.pbf").write_bytes(b"x")
    monkeypatch.setitem(sys.modules, "osmium", None)
    with pytest.raises(DataError, match=r"csrag\[gis\]"):
        read_osm(tmp_path / "net.osm.pbf")


@pytest.mark.parametrize(
    ("text", "km_per_h"),
    [
        ("55 mph", 88.5), ("30mph", 48.3), ("90", 90), ("50 km/h", 50), ("12.5", 12.5), ("80; 55 mph", 80), ("10 knots", 18.5),
        ("none", None), ("RU:urban", None), ("", None), ("0", None), ("-20", None), ("55 mph;signals", 88.5),
    ],
)  # fmt: skip
def test_posted_speeds(text, km_per_h):
    found = parse_maxspeed(text)
    assert (found is None) if km_per_h is None else found == pytest.approx(km_per_h, abs=0.05)


NODES = "node_id,lon,lat\n7,-121.0,40.0\n8,-121.0,40.1\n9,-121.0,40.2\n"
EDGES = "u,v,length_km,class\n7,8,12,secondary\n8,9,15,track\n"


def tables(tmp_path: Path, nodes: str = NODES, edges: str = EDGES) -> RoadsRead:
    (tmp_path / "nodes.csv").write_text(nodes)
    (tmp_path / "edges.csv").write_text(edges)
    return read_roads(tmp_path / "nodes.csv", tmp_path / "edges.csv")


class TestTables:
    def test_lengths_and_classes_are_read(self, tmp_path):
        read = tables(tmp_path)
        assert read.graph.edges == 2
        assert sorted(set(np.round(read.graph.km, 3).tolist())) == [12.0, 15.0]
        assert speeds(read) == [CLASS_KM_PER_H["track"], CLASS_KM_PER_H["secondary"]]

    @pytest.mark.parametrize("form", ["gzip", "bz2", "parquet", "aliases", "metres"])
    def test_other_forms_give_the_same(self, tmp_path, form):
        plain = tables(tmp_path).graph
        nodes, edges = tmp_path / "nodes.csv", tmp_path / "edges.csv"
        if form in ("gzip", "bz2"):
            pack = gzip.compress if form == "gzip" else bz2.compress
            for path in (nodes, edges):
                path.write_bytes(pack(path.read_bytes()))
        elif form == "parquet":
            import pyarrow.csv as pc
            import pyarrow.parquet as pq

            for path in (nodes, edges):
                pq.write_table(pc.read_csv(path), path)
        elif form == "aliases":
            nodes.write_text(NODES.replace("node_id,lon,lat", "OSMID,Longitude,Latitude"))
            edges.write_text(EDGES.replace("u,v,length_km,class", "From, To,km,highway"))
        else:
            edges.write_text("u,v,length_m,class\n7,8,12000,secondary\n8,9,15000,track\n")
        found = read_tables(nodes, edges).graph
        assert np.array_equal(found.hours, plain.hours)
        assert np.array_equal(found.node_lat, plain.node_lat)

    def test_a_speed_goes_before_a_class_and_neither_means_the_default(self, tmp_path):
        edges = "u,v,length_km,class,speed_km_per_h\n7,8,12,secondary,33\n8,9,15,,\n7,9,40,primary,200\n"
        read = tables(tmp_path, edges=edges)
        assert speeds(read) == [33.0, DEFAULT_KM_PER_H, TRUCK_CAP_KM_PER_H]
        assert read.counts["edges_without_speed"] == 1
        assert "1 of 3 edges say no speed" in " ".join(read.notes)

    def test_what_is_unknown_or_impossible_is_counted_never_free(self, tmp_path):
        nodes = NODES + "10,,40.3\n11,-100.0,40.0\n12,-121.0,40.3\n"
        edges = EDGES + (
            "7,9,0,track\n7,9,-4,track\n7,9,,track\n9,10,3,track\n9,11,3,track\n8,12,1,track\n7,7,2,track\n8,7,40,track\n"
            "7,12,90,footway\n"
        )
        read = tables(tmp_path, nodes, edges)
        wanted = {
            "edges_without_length": 3, "nodes_without_position": 1, "nodes_outside_california": 1,
            "edges_outside_california": 2, "edges_lifted": 1, "edges_loops": 1, "edges_parallel": 1, "edges_other_class": 1,
        }  # fmt: skip
        assert {name: read.counts[name] for name in wanted} == wanted
        assert read.graph.edges == 3
        straight = float(haversine_km(40.1, -121, 40.3, -121))
        assert float(read.graph.km.max()) == pytest.approx(straight, rel=1e-6)
        assert "3 edges without a length" in " ".join(read.notes)

    @pytest.mark.parametrize(
        ("nodes", "edges", "message"),
        [
            (NODES.replace("lon,lat", "lat,lon"), EDGES, "look swapped"),
            (NODES.replace("lat", "height"), EDGES, "no column lat"),
            (NODES, EDGES.replace("u,v", "a,v"), "no column u"),
            (NODES, EDGES.replace("length_km", "length"), "whose name says the unit"),
            (NODES, "u,v,length_km\n7,8,12000\n8,9,15000\n", "like metres"),
            (NODES, "u,v,length_km\n7,8,12\n8,99,15\n", "1 of 2 edges of edges.csv end at a node"),
            (NODES + "7,-121.0,40.5\n", EDGES, "1 node numbers of nodes.csv appear twice"),
            (NODES, EDGES.replace("12,", "long,"), "holds text"),
            (NODES.replace("7,", "7.5,"), EDGES, "empty or not whole"),
            (NODES, EDGES.replace("secondary", "A").replace("track", "B"), "No class of edges.csv"),
            (NODES.replace("-121.0", "-90.0"), EDGES, "inside California's bounds"),
            (NODES, "u,v,length_km\n", "holds no rows"),
            (NODES, "", "is empty"),
            (NODES, EDGES + "9,7\n", "cut off"),
        ],
    )
    def test_gates(self, tmp_path, nodes, edges, message):
        with pytest.raises(TableRefusedError, match=message) as caught:
            tables(tmp_path, nodes, edges)
        assert caught.value.fix

    @pytest.mark.parametrize("share", [0.3, 0.9])
    def test_a_compressed_table_cut_off_is_refused(self, tmp_path, share):
        (tmp_path / "nodes.csv").write_text(NODES)
        rows = "".join(f"{7 + i % 3},{7 + (i + 1) % 3},{12 + i * 0.001:.3f},track\n" for i in range(5000))
        data = gzip.compress(f"u,v,length_km,class\n{rows}".encode())
        (tmp_path / "edges.csv.gz").write_bytes(data[: int(len(data) * share)])
        with pytest.raises(TableRefusedError, match="cut off"):
            read_tables(tmp_path / "nodes.csv", tmp_path / "edges.csv.gz")

    def test_a_missing_file_or_a_missing_half_is_said(self, tmp_path):
        with pytest.raises(InvalidValueError, match="cannot be read"):
            read_tables(tmp_path / "none.csv", tmp_path / "none.csv")
        with pytest.raises(InvalidValueError, match="no OpenStreetMap file"):
            read_roads(tmp_path / "nodes.csv")
        with pytest.raises(CsragError, match="is not needed"):
            read_roads(tmp_path / "net.osm.pbf", tmp_path / "edges.csv")
        assert is_osm(Path("California-latest.OSM.PBF"))


@pytest.mark.shared
def test_the_real_main_roads_are_read():
    if not SHARED_ROADS.is_dir():
        pytest.skip("the shared main-road network is not beside the project")
    read = read_roads(SHARED_ROADS / "cal_nodes.csv", SHARED_ROADS / "cal_edges.csv")
    assert (len(read.graph), read.graph.edges) == (21_048, 21_693)
    assert read.counts["edges_lifted"] == 0
    assert speeds(read) == [DEFAULT_KM_PER_H]
