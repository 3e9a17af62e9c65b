"""Road lengths in another unit than their column says, single lengths beyond any road, and speeds no truck drives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from csrag.build.sources.roads_read import SLOWEST_KM_PER_H, TRUCK_CAP_KM_PER_H, RoadsRead, parse_maxspeed
from csrag.build.sources.roads_table import read_tables
from csrag.errors import InvalidValueError, TableRefusedError
from csrag.geo import haversine_km

EDGES = 60


def network(
    tmp_path: Path, factor: float, column: str = "length_km", winding: float | None = None, decimals: int = 6,
    spoiled: int = EDGES, lengths: str = ".6f",
) -> RoadsRead:  # fmt: skip
    """A road of 60 edges of about 1.1 km that winds 1.05 to 1.3 times; the first `spoiled` are written `factor` times."""
    rng = np.random.default_rng(4)
    lat = np.round(39.0 + np.arange(EDGES + 1) * 0.01, decimals)
    lon = np.round(-121.0 + rng.uniform(0, 0.004, EDGES + 1), decimals)
    wind = rng.uniform(1.05, 1.3, EDGES) if winding is None else np.full(EDGES, winding)
    km = haversine_km(lat[:-1], lon[:-1], lat[1:], lon[1:]) * wind
    value = km * np.where(np.arange(EDGES) < spoiled, factor, 1.0)
    (tmp_path / "n.csv").write_text(
        "node_id,lon,lat\n" + "".join(f"{i},{x},{y}\n" for i, (x, y) in enumerate(zip(lon, lat, strict=True)))
    )
    rows = "".join(f"{i},{i + 1},{length:{lengths}}\n" for i, length in enumerate(value))
    (tmp_path / "e.csv").write_text(f"u,v,{column}\n{rows}")
    return read_tables(tmp_path / "n.csv", tmp_path / "e.csv")


@pytest.mark.parametrize(
    ("factor", "column", "unit", "mend"),
    [
        (1 / 1.609344, "km", "miles (1 mile = 1.609 km)", "convert them to km"),
        (1000, "length_km", "metres (1 km = 1000 metres)", "name the column length_m"),
        (1000 / 0.3048, "distance_km", "feet (1 km = 3281 feet)", "convert them to km"),
        (1, "length_m", "km (1 km = 1000 metres)", "name the column length_km"),
        (1 / 1.609344, "metres", "miles (1 mile = 1609 metres)", "convert them to km"),
        (1000 * 90, "length_m", None, "Check the unit"),
        (10, "length_km", None, "Check the unit"),
        (90, "length_km", None, "Check the unit"),
        (0.1, "length_km", None, "Check the unit"),
    ],
)
def test_lengths_in_another_unit_are_refused_with_the_unit(tmp_path, factor, column, unit, mend):
    with pytest.raises(TableRefusedError) as caught:
        network(tmp_path, factor, column)
    said = str(caught.value)
    assert f"column {column} of e.csv" in said
    assert (f"look like {unit}" if unit else "no usual unit explains") in said
    assert mend in caught.value.fix


@pytest.mark.parametrize(("column", "factor"), [("length_km", 1.0), ("length_m", 1000.0)])
@pytest.mark.parametrize("winding", [1.0, None, 4.5])
def test_lengths_in_their_unit_pass_and_the_median_is_told(tmp_path, column, factor, winding):
    read = network(tmp_path, factor, column, winding)
    assert read.graph.edges == EDGES
    told = next(note for note in read.notes if "at the median" in note)
    median = float(told.split("at the median ")[1].split()[0])
    assert median == pytest.approx(winding or 1.175, abs=0.06)
    assert ("feet read as metres" in told) == (median > 2.5)


def test_a_fifth_of_the_edges_may_be_short_and_more_may_not(tmp_path):
    assert network(tmp_path, 0.5, spoiled=12).counts["edges_lifted"] == 12
    with pytest.raises(TableRefusedError, match="20 of 60 edges are shorter"):
        network(tmp_path, 0.5, spoiled=20)


def test_rounded_positions_and_lengths_are_no_evidence(tmp_path):
    # Positions to 100 m and lengths to 100 m on edges of 1.1 km that do not wind at all.
    assert network(tmp_path, 1.0, winding=1.0, decimals=3, lengths=".1f").graph.edges == EDGES


def test_miles_show_only_below_a_winding_of_their_ratio(tmp_path):
    read = network(tmp_path, 1 / 1.609344, winding=1.7)
    assert "at the median 1.056" in " ".join(read.notes)
    assert "show only where" in " ".join(read.notes)


@pytest.mark.parametrize("length", ["501", "1e30", "1e300", "inf"])
def test_one_edge_beyond_any_road_is_refused_with_its_row(tmp_path, length):
    network(tmp_path, 1.0)
    edges = tmp_path / "e.csv"
    rows = edges.read_text().splitlines()
    rows[7] = f"6,7,{length}"
    edges.write_text("\n".join(rows) + "\n")
    with pytest.raises(TableRefusedError, match=r"longer than 500 km.*row 8 of e\.csv \(column length_km"):
        read_tables(tmp_path / "n.csv", edges)


def test_speeds_no_truck_drives(tmp_path):
    network(tmp_path, 1.0)
    nodes, edges = tmp_path / "n.csv", tmp_path / "e.csv"
    rows = edges.read_text().splitlines()

    def read(speed: str) -> RoadsRead:
        edges.write_text(
            "\n".join([f"{rows[0]},speed_km_per_h", *(f"{r},{30}" for r in rows[1:-1]), f"{rows[-1]},{speed}"]) + "\n"
        )
        return read_tables(nodes, edges)

    for slow in ("0.001", "4.9"):
        with pytest.raises(TableRefusedError, match=rf"below 5 km/h.*{slow} in row 61"):
            read(slow)
    assert read("5").counts["speeds_capped"] == 0
    fast = read("100000")
    assert fast.counts["speeds_capped"] == 1
    assert float((fast.graph.km / fast.graph.hours).max()) == pytest.approx(TRUCK_CAP_KM_PER_H, rel=1e-5)
    assert "1 edges said to be faster" in " ".join(fast.notes)
    assert [parse_maxspeed(text) for text in ("1", "0.5 mph", "4.9", "80;1")] == [None] * 4
    assert parse_maxspeed("5") == SLOWEST_KM_PER_H


@pytest.mark.parametrize(("which", "cut"), [("e.csv", 3), ("e.csv", 9), ("e.csv", 11), ("n.csv", 3), ("n.csv", 14)])
def test_a_table_cut_in_its_last_row_is_refused(tmp_path, which, cut):
    network(tmp_path, 1.0)
    table = tmp_path / which
    table.write_bytes(table.read_bytes().rstrip(b"\n")[:-cut])
    with pytest.raises(TableRefusedError, match=rf"{which} is cut off: its last row .* is not whole"):
        read_tables(tmp_path / "n.csv", tmp_path / "e.csv")


def test_a_table_that_only_lacks_its_last_line_end_is_whole(tmp_path):
    network(tmp_path, 1.0)
    table = tmp_path / "e.csv"
    table.write_bytes(table.read_bytes().rstrip(b"\n"))
    assert read_tables(tmp_path / "n.csv", table).graph.edges == EDGES


def test_a_folder_in_place_of_a_table_is_called_one(tmp_path):
    network(tmp_path, 1.0)
    (tmp_path / "d").mkdir()
    with pytest.raises(InvalidValueError, match="is a folder, not a table"):
        read_tables(tmp_path / "n.csv", tmp_path / "d")
