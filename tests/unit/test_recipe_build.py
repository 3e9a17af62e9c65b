"""A layer set from a recipe and small SYNTHETIC files in their true formats, and every fault a download can have."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support import public_sources as made

from csrag.build.materialize import materialize
from csrag.build.progress import Silent
from csrag.build.recipe.recipe import read_recipe
from csrag.build.recipe.source import read_sources
from csrag.geo import haversine_km
from csrag.interfaces.cli import main
from csrag.surfaces.catalog import HAZARD_CLASSES, LAND_USES, UNKNOWN_CODE
from csrag.surfaces.stores.columnar import ColumnarStore

for name in ("rasterio", "pyogrio", "shapely", "pyproj", "osmium"):
    pytest.importorskip(name, reason="reading public sources needs the extra gis")


@pytest.fixture(scope="session")
def all_sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made.write_sources(tmp_path_factory.mktemp("public") / "sources")


@pytest.fixture
def sources(all_sources: Path, tmp_path: Path) -> Path:
    """A copy of the sources that a test may spoil."""
    return Path(shutil.copytree(all_sources, tmp_path / "sources"))


@pytest.fixture(scope="session")
def built(all_sources: Path, tmp_path_factory: pytest.TempPathFactory) -> ColumnarStore:
    out = tmp_path_factory.mktemp("built") / "set"
    assert main(["layers", "build", "--source", str(all_sources), "--out", str(out), "--workers", "1"]) == 0
    return ColumnarStore(out)


def build(capsys: pytest.CaptureFixture[str], folder: Path, out: Path, *more: str) -> tuple[int, str, str]:
    capsys.readouterr()
    code = main(["layers", "build", "--source", str(folder), "--out", str(out), "--workers", "1", *more])
    said = capsys.readouterr()
    return code, said.out, said.err


def edit(folder: Path, old: str, new: str) -> None:
    path = folder / "recipe.toml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def drop(folder: Path, *sections: str) -> None:
    """Take sections out of the recipe."""
    parts = (folder / "recipe.toml").read_text(encoding="utf-8").split("\n\n")
    kept = [part for part in parts if part.split("\n")[0].strip("[]") not in sections]
    assert len(kept) < len(parts)
    (folder / "recipe.toml").write_text("\n\n".join(kept), encoding="utf-8")


# --- what is built ----------------------------------------------------------------------------------------------------


def test_every_input_reaches_the_set(built):
    lat, lon = built.column("lat"), built.column("lon")
    assert len(built) == made.CLUSTERS
    m = built.manifest
    assert m.synthetic
    assert "SYNTHETIC" in m.title
    assert m.distance_modes == ("zone", "stratified", "network")
    assert built.verify() == []

    burn = built.column("burn_probability")
    unknown = np.isnan(burn)
    assert unknown.sum() == m.counts["fire_nodata"] > 0
    assert (lat[unknown] < made.BURN_NODATA_BELOW_LAT + 0.01).all()
    assert np.allclose(burn[~unknown], made.burn_probability(lat, lon)[~unknown], rtol=0.03)

    south, north, west, east = made.BOX
    hazard = built.column("hazard_class")
    high, very_high = HAZARD_CLASSES.index("high"), HAZARD_CLASSES.index("very high")
    middle_lat, middle_lon = (south + north) / 2, (west + east) / 2
    expected = np.where(lat < middle_lat, high, np.where(lon < middle_lon, very_high, UNKNOWN_CODE))
    assert np.mean(hazard == expected) > 0.99  # edges of the projected blocks are not parallels

    use = built.column("land_use")
    in_forest = lon > middle_lon + 0.001
    assert (use[in_forest] == LAND_USES.index("usfs")).all()
    outside = (lon < middle_lon - 0.001) & (lat > middle_lat + 0.001)
    assert (use[outside] == LAND_USES.index("private")).all()
    assert (use == LAND_USES.index("other")).any(), "the water district"

    kept_out = built.column("wilderness").astype(bool)
    inside = (lat > 40.1) & (lat < 40.15) & (lon > -121.0) & (lon < -120.9)
    assert kept_out[inside].all()
    counted = {n: m.counts[f"exclusions_{n}_inside"] for n in ("wilderness", "parks", "roadless")}
    assert min(counted.values()) > 0
    assert kept_out.sum() < sum(counted.values()), "overlapping layers count a cluster once"

    assert np.isfinite(built.column("slope_pct")).all()
    assert 2 < np.median(built.column("slope_pct")) < 25
    assert np.allclose(built.column("elevation_ft"), made.elevation_m(lat, lon) / 0.3048, atol=1)


def test_roads_give_landings_zones_and_factors(built):
    network = built.roads
    assert network is not None
    assert (network.landing_node >= 0).all()
    snapped = haversine_km(
        built.column("lat"),
        built.column("lon"),
        network.node_lat[network.landing_node],
        network.node_lon[network.landing_node],
    )
    assert np.allclose(network.landing_km, 1.3 * snapped, rtol=1e-3, atol=1e-3)
    m = built.manifest
    assert all(1.0 < factor < 3.0 for factor in m.zone_factors)
    assert (built.column("zone") >= 0).all()
    assert m.transport is not None
    assert m.transport["network"]["source"].endswith("extract of Geofabrik")
    assert {row["mode"] for row in m.transport["accuracy"]} == {"zone", "stratified", "network"}


def test_provenance_names_files_hashes_and_vintages(built, all_sources):
    by_layer = {entry.layer: entry for entry in built.manifest.provenance}
    assert by_layer["recipe"].version == f"sha256 {read_recipe(all_sources).sha256}"
    assert by_layer["fire"].vintage == "landscape of the end of 2020"
    assert by_layer["clusters"].vintage == "2025", "from the table's own year column"
    assert by_layer["circuity"].vintage == "2025-01-01"
    for layer in ("elevation", "fire", "hazard", "circuity", "ownership", "plants", "substations", "exclusion: parks"):
        assert "sha256 " in by_layer[layer].note, layer
        assert "SYNTHETIC" in by_layer[layer].note, layer
        assert by_layer[layer].vintage, layer


def test_points_are_kept(built):
    points = built.manifest.points
    assert points is not None
    assert [p["name"] for p in points["plants"]] == ["Made-up Mill", "Made-up Power"]
    assert [p["kv"] for p in points["substations"]] == [60.0, None]
    assert built.manifest.counts["plants_outside_california"] == 1


def test_info_says_vintages_and_coverage(built, capsys):
    assert main(["layers", "info", "--data", built.path]) == 0
    said = capsys.readouterr().out
    for word in ("landscape of the end of 2020", "2025-01-01", "fire: covers", "97.2 %", "hazard: 288 of 400", "network",
                 "recipe.toml, sha256", "SYNTHETIC"):  # fmt: skip
        assert word in said, word


def test_the_set_answers_with_the_network(built, capsys):
    assert (
        main(["ask", "0.2 MW combustion plant at Quincy within 40 km, thin from below", "--json", "--data", built.path])
        == 0
    )
    answer = json.loads(capsys.readouterr().out)
    assert answer["status"] == "answered"
    assert answer["layers"]["synthetic"] is True
    assert answer["values"]["average_delivered_cost"]["value"] > 0
    assert "network" in answer["text"]
    assert answer["values"]["protected_excluded_bdt"]["value"] > 0


def test_same_inputs_elsewhere_give_the_same_hash(built, sources, tmp_path, capsys):
    out = tmp_path / "again"
    code, said, _ = build(capsys, sources, out, "--json")
    assert code == 0
    assert json.loads(said)["hash"] == built.hash
    assert json.loads(said)["read"]["recipe_sha256"] == read_recipe(sources).sha256
    assert build(capsys, sources, out)[0] == 0, "over itself"
    edit(sources, 'vintage = "2024"', 'vintage = "2023"')
    assert json.loads(build(capsys, sources, out, "--json")[1])["hash"] != built.hash


class StoppedError(Exception):
    """The end of a build, as a kill would bring it."""


class Stopper(Silent):
    """Watches progress and stops in a phase."""

    def __init__(self, phase: str) -> None:
        self._phase, self._now = phase, ""

    def start(self, label: str, total: int, unit: str) -> None:  # noqa: ARG002
        self._now = label

    def advance(self, count: int) -> None:
        if count and self._now == self._phase:
            raise StoppedError


@pytest.mark.parametrize("phase", ["reading roads", "computing costs", "hashing"])
def test_a_stopped_build_goes_on_to_the_same_bytes(phase, all_sources, built, tmp_path):
    out = tmp_path / "set"

    def run(progress: Any) -> None:
        with read_sources(read_recipe(all_sources), progress) as source:
            materialize(source, out, workers=1, progress=progress, block_rows=100)

    with pytest.raises(StoppedError):
        run(Stopper(phase))
    assert not out.exists()
    run(Silent())
    assert ColumnarStore(out).hash == built.hash
    assert [p.name for p in tmp_path.iterdir() if "partial" in p.name] == []


def test_a_set_of_other_data_stays_without_replace(sources, tmp_path, capsys):
    edit(sources, "synthetic = true", "synthetic = false")
    out = tmp_path / "set"
    code, said, _ = build(capsys, sources, out, "--json")
    assert code == 0
    first = json.loads(said)
    assert first["synthetic"] is False
    drop(sources, "hazard")
    code, _, err = build(capsys, sources, out)
    assert code == 2
    assert "--replace" in err
    assert ColumnarStore(out).hash == first["hash"]
    assert build(capsys, sources, out, "--replace")[0] == 0
    assert ColumnarStore(out).hash != first["hash"]


# --- less than everything ---------------------------------------------------------------------------------------------


def test_a_table_alone_is_as_imported(sources, tmp_path, capsys):
    drop(sources, "dem", "fire", "hazard", "roads", "ownership", "exclusions", "plants", "substations")
    edit(sources, "synthetic = true\n", "")
    assert build(capsys, sources, tmp_path / "a")[0] == 0
    command = ["layers", "import", str(sources / "treated_clusters.csv"), "--treatment-ids", "frredss"]
    assert main([*command, "--out", str(tmp_path / "b"), "--workers", "1"]) == 0
    a, b = ColumnarStore(tmp_path / "a"), ColumnarStore(tmp_path / "b")
    assert {n: c.sha256 for n, c in a.manifest.columns.items()} == {n: c.sha256 for n, c in b.manifest.columns.items()}
    assert a.manifest.points is None
    assert a.manifest.distance_modes == ()
    assert "points" not in a.manifest.to_json()


def test_the_dem_fills_what_the_table_lacks(sources, tmp_path, capsys, built):
    made.write_table(sources / "treated_clusters.csv", leave_out=("center_elevation", "slope", "land_use"))
    assert build(capsys, sources, tmp_path / "set")[0] == 0
    store = ColumnarStore(tmp_path / "set")
    order = np.argsort(store.column("cluster_no"))
    other = np.argsort(built.column("cluster_no"))
    elevation = store.column("elevation_ft")[order]
    assert np.allclose(elevation, built.column("elevation_ft")[other], atol=60)
    assert (store.column("grade_pct") == store.column("slope_pct")).all()
    assert store.manifest.counts["dem_filled_elevation"] == made.CLUSTERS
    assert any("stands in for it for 400 clusters" in note for note in store.manifest.notes)
    assert not any("sea level" in note or "as level" in note for note in store.manifest.notes)
    drop(sources, "dem")
    code, _, err = build(capsys, sources, tmp_path / "other")
    assert code == 2
    assert "lacks 2 columns: slope, center_elevation" in err


def test_roads_as_tables_are_the_roads_of_the_extract(sources, tmp_path, capsys, built):
    edit(sources, 'pbf = "roads.osm.pbf"', 'nodes = "road_nodes.csv"\nedges = "road_edges.csv"')
    assert build(capsys, sources, tmp_path / "set")[0] == 0
    store = ColumnarStore(tmp_path / "set")
    assert store.roads is not None
    assert built.roads is not None
    # OpenStreetMap keeps seven decimals, and the extract's reader joins nodes nearer than its spacing.
    assert np.isclose(store.roads.km.sum(), built.roads.km.sum(), rtol=0.01)
    assert store.manifest.zone_factors == pytest.approx(built.manifest.zone_factors, rel=0.05)


@pytest.mark.parametrize("suffix", [".osm", ".osm.gz", ".osm.bz2"])
def test_an_extract_may_be_xml(sources, tmp_path, capsys, built, suffix):
    import osmium

    with osmium.SimpleWriter(str(sources / f"r{suffix}")) as writer:
        for item in osmium.FileProcessor(str(sources / "roads.osm.pbf")):
            writer.add(item)
    edit(sources, 'pbf = "roads.osm.pbf"', f'pbf = "r{suffix}"')
    assert build(capsys, sources, tmp_path / "set")[0] == 0
    assert np.array_equal(ColumnarStore(tmp_path / "set").roads.km, built.roads.km)


def test_own_burn_probability_counts_only_without_a_raster(sources, tmp_path, capsys):
    path = sources / "treated_clusters.csv"
    head, *rows = path.read_text().splitlines()
    path.write_text("\n".join([f"{head},burn_probability", *(f"{row},0.5" for row in rows)]) + "\n")
    assert build(capsys, sources, tmp_path / "a")[0] == 0
    assert np.nanmax(ColumnarStore(tmp_path / "a").column("burn_probability")) < 0.1
    assert any("left aside" in note for note in ColumnarStore(tmp_path / "a").manifest.notes)
    drop(sources, "fire")
    assert build(capsys, sources, tmp_path / "b")[0] == 0
    assert (ColumnarStore(tmp_path / "b").column("burn_probability") == 0.5).all()


def test_roads_elsewhere_leave_landings_without_a_road(sources, tmp_path, capsys):
    for name, columns in (("road_nodes.csv", 3),):
        head, *rows = (sources / name).read_text().splitlines()
        cells = [row.split(",") for row in rows]
        assert len(cells[0]) == columns
        # Along the parallel, so that the lengths in the other table stay true.
        moved = [f"{a},{lat},{float(lon) + 4:.7f}" for a, lat, lon in cells]
        (sources / name).write_text("\n".join([head, *moved]) + "\n")
    edit(sources, 'pbf = "roads.osm.pbf"', 'nodes = "road_nodes.csv"\nedges = "road_edges.csv"')
    assert build(capsys, sources, tmp_path / "set")[0] == 0
    store = ColumnarStore(tmp_path / "set")
    assert store.roads is not None
    assert (store.roads.landing_node == -1).all()
    assert np.isnan(store.roads.landing_km).all()
    assert store.manifest.counts["roads_unsnapped"] == made.CLUSTERS
    said = " ".join(store.manifest.notes)
    assert "No landing joins the network either" in said
    assert "Answers use the network itself" not in said
    assert (store.column("zone") == -1).all()
    assert store.manifest.zone_factors == ()


# --- faults -----------------------------------------------------------------------------------------------------------


def cut(name: str, share: float = 0.5) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        path = folder / name
        path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])

    return spoil


def cut_in_a_row(name: str) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        rows = (folder / name).read_text().splitlines()
        (folder / name).write_text("\n".join([*rows[: len(rows) // 2], rows[-1].split(",")[0]]))

    return spoil


def in_miles(folder: Path) -> None:
    head, *rows = (folder / "road_edges.csv").read_text().splitlines()
    at = next(i for i, name in enumerate(head.split(",")) if "km" in name and "per" not in name)
    cells = [row.split(",") for row in rows]
    for row in cells:
        row[at] = f"{float(row[at]) / 1.609344:.6f}"
    (folder / "road_edges.csv").write_text("\n".join([head, *(",".join(row) for row in cells)]) + "\n")


def remove(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def write(name: str, text: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_text(text, encoding="utf-8")


def change(name: str, how: Callable[[Any, dict[str, Any]], Any]) -> Callable[[Path], None]:
    """Write a raster anew: `how` gets its values and its profile."""

    def spoil(folder: Path) -> None:
        import rasterio

        with rasterio.open(folder / name) as raster:
            values, profile = raster.read(1), dict(raster.profile)
        changed = how(values, profile)
        with rasterio.open(folder / name, "w", **profile) as out:
            out.write(values if changed is None else changed, 1)

    return spoil


def no_crs(_: Any, profile: dict[str, Any]) -> None:
    profile["crs"] = None


def swapped_axes(_: Any, profile: dict[str, Any]) -> None:
    import rasterio

    t = profile["transform"]
    profile["transform"] = rasterio.Affine(t.a, 0, t.f, 0, t.e, t.c)


def wrong_crs(_: Any, profile: dict[str, Any]) -> None:
    profile["crs"] = "EPSG:32618"


def all_nodata(values: Any, profile: dict[str, Any]) -> Any:
    return np.full_like(values, profile["nodata"])


def percent(values: Any, profile: dict[str, Any]) -> Any:
    return np.where(values == profile["nodata"], values, values * 1000)


def recipe(old: str, new: str) -> Callable[[Path], None]:
    return lambda folder: edit(folder, old, new)


def swap_columns(name: str, a: str, b: str) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        head, rest = (folder / name).read_text().split("\n", 1)
        names = {a: b, b: a}
        (folder / name).write_text(",".join(names.get(n, n) for n in head.split(",")) + "\n" + rest)

    return spoil


def polygons_without_crs(folder: Path) -> None:
    (folder / "wilderness.prj").unlink()


def tables_of_roads(*more: Callable[[Path], None]) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        edit(folder, 'pbf = "roads.osm.pbf"', 'nodes = "road_nodes.csv"\nedges = "road_edges.csv"')
        for one in more:
            one(folder)

    return spoil


FAULTS: dict[str, tuple[Callable[[Path], None], tuple[str, ...]]] = {
    "table cut off": (cut_in_a_row("treated_clusters.csv"), ("treated_clusters.csv", "cut off")),
    "table without a column": (
        lambda f: made.write_table(f / "treated_clusters.csv", leave_out=("area",)), ("treated_clusters.csv", "lacks 1 column: area"),
    ),
    "table with swapped coordinates": (
        swap_columns("treated_clusters.csv", "center_lat", "center_lng"), ("treated_clusters.csv", "swapped"),
    ),
    "table without ids": (recipe('treatment_ids = "frredss"\n', ""), ("treated_clusters.csv", "by id only")),
    "id table is none": (
        lambda f: (write("ids.csv", "number,word\n")(f), edit(f, 'treatment_ids = "frredss"', 'treatments = "ids.csv"')),
        ("ids.csv", "[clusters] treatments"),
    ),
    "dem without CRS": (change("dem.tif", no_crs), ("dem.tif", "coordinate system")),
    "dem with swapped axes": (change("dem.tif", swapped_axes), ("dem.tif", "swapped")),
    "dem of nodata": (change("dem.tif", all_nodata), ("dem.tif", "nodata")),
    "dem cut off": (cut("dem.tif"), ("dem.tif",)),
    "dem without a unit": (recipe('vertical_unit = "m"\n', ""), ("dem.tif", "metres or feet")),
    "dem in feet called metres": (
        change("dem.tif", lambda v, p: np.where(v == p["nodata"], v, v * 10)), ("dem.tif", "outside"),
    ),
    "fire without CRS": (change("burn_probability.tif", no_crs), ("burn_probability.tif", "coordinate system")),
    "fire in another CRS": (change("burn_probability.tif", wrong_crs), ("burn_probability.tif", "covers none")),
    "fire of nodata": (change("burn_probability.tif", all_nodata), ("burn_probability.tif", "nodata")),
    "fire above 1": (change("burn_probability.tif", percent), ("burn_probability.tif", "1")),
    "fire cut off": (cut("burn_probability.tif"), ("burn_probability.tif",)),
    "fire is no raster": (write("burn_probability.tif", "a page that says 404"), ("burn_probability.tif", "raster")),
    "hazard without CRS": (remove("fire_hazard.prj"), ("fire_hazard.shp", ".prj")),
    "hazard without its field": (recipe('field = "FHSZ_Descr"', 'field = "fhsz_descr"'), ("fire_hazard.shp", "mean FHSZ_Descr")),
    "hazard of an unknown class": (recipe('"High" = "high", ', ""), ("fire_hazard.shp", "high")),
    "hazard cut off": (cut("fire_hazard.shp"), ("fire_hazard.shp",)),
    "hazard without its table": (remove("fire_hazard.dbf"), ("fire_hazard.shp",)),
    "ownership of an unknown owner": (
        lambda f: made.write_blocks(f / "ownership.gpkg", [(39.6, 40.3, -121, -120.6)], {"OWN_AGENCY": ["Nobody's"]}, "EPSG:3310"),
        ("ownership.gpkg", "nobody's"),
    ),
    "ownership cut off": (cut("ownership.gpkg", 0.3), ("ownership.gpkg",)),
    "exclusion without CRS": (polygons_without_crs, ("wilderness.shp", ".prj", "[exclusions.wilderness]")),
    "exclusion is no layer": (write("parks.gpkg", "no"), ("parks.gpkg", "[exclusions.parks]")),
    "roads cut off": (cut("roads.osm.pbf"), ("roads.osm.pbf",)),
    "roads are no XML": (
        lambda folder: (write("r.osm", "<html>")(folder), edit(folder, '"roads.osm.pbf"', '"r.osm"')),
        ("r.osm", "no OpenStreetMap XML"),
    ),
    "roads are something else": (
        lambda folder: (write("r.shp", "x")(folder), edit(folder, '"roads.osm.pbf"', '"r.shp"')),
        ("r.shp", "named like no OpenStreetMap file (.osm.pbf, .osm, .osm.gz, .osm.bz2)"),
    ),
    "edges are a folder": (
        tables_of_roads(remove("road_edges.csv"), lambda folder: (folder / "road_edges.csv").mkdir()),
        ("road_edges.csv is a directory (looked at", "name the file in it",),
    ),
    "edges in miles": (tables_of_roads(in_miles), ("road_edges.csv", "look like miles")),
    "roads are no extract": (write("roads.osm.pbf", "<html>"), ("roads.osm.pbf", "no OpenStreetMap PBF")),
    "edges without lengths": (
        tables_of_roads(swap_columns("road_edges.csv", "km", "length")), ("road_edges.csv", "unit"),
    ),
    "nodes swapped": (tables_of_roads(swap_columns("road_nodes.csv", "lat", "lon")), ("road_nodes.csv", "swapped")),
    "edges cut off": (tables_of_roads(cut_in_a_row("road_edges.csv")), ("road_edges.csv",)),
    "plants swapped": (swap_columns("plants.csv", "Latitude", "Longitude"), ("plants.csv", "swapped")),
    "plants without capacity": (write("plants.csv", "name,lat,lon\nA,40,-121\n"), ("plants.csv", "mw or bdt_per_year")),
    "substations cut off": (cut_in_a_row("substations.csv"), ("substations.csv", "cut off")),
    "unknown key": (recipe("vertical_unit", "vertikal_unit"), ("[dem] vertikal_unit", "did you mean vertical_unit")),
    "missing file": (remove("parks.gpkg"), ("parks.gpkg", "is not there")),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named_and_nothing_is_written(fault, sources, tmp_path, capsys):
    spoil, words = FAULTS[fault]
    spoil(sources)
    out = tmp_path / "place" / "set"
    out.parent.mkdir()
    code, _, err = build(capsys, sources, out)
    message = err[err.index("csrag: ") :]
    assert code in (2, 3), err
    for word in words:
        assert word in message, message
    assert "Traceback" not in err
    assert list(out.parent.iterdir()) == []


def test_faults_of_the_inputs_are_said_together(sources, tmp_path, capsys):
    for name in (
        "dem without CRS",
        "hazard without CRS",
        "plants swapped",
        "roads are no extract",
        "table without ids",
    ):
        FAULTS[name][0](sources)
    code, _, err = build(capsys, sources, tmp_path / "set")
    assert code == 2
    assert "5 problems" in err
    assert "reading table" not in err
    for part in ("[dem]", "[hazard]", "[plants]", "[roads]", "[clusters]"):
        assert f"\n  - {part}" in err


def test_a_missing_extra_is_named(sources, tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "rasterio", None)
    monkeypatch.setitem(sys.modules, "osmium", None)
    code, _, err = build(capsys, sources, tmp_path / "set")
    assert code == 2
    assert 'pip install "csrag[gis]"' in err
    assert "rasterio, osmium missing" in err


def test_a_target_in_the_way_is_said_before_reading(sources, tmp_path, capsys):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("x")
    code, _, err = build(capsys, sources, tmp_path / "mine")
    assert code == 2
    assert "not a layer set" in err
    assert "reading" not in err


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data"


def test_without_out_the_set_goes_by_its_name(sources, home, capsys):
    command = ["layers", "build", "--source", str(sources), "--workers", "1"]
    edit(sources, 'name = "northern-sierra-public"', 'name = "northern-sierra"')
    assert main(command) == 2
    assert "demonstration region" in capsys.readouterr().err
    edit(sources, 'name = "northern-sierra"', 'name = "mine"')
    assert main(command) == 0
    assert len(ColumnarStore(home / "csrag" / "layers" / "mine")) == made.CLUSTERS
    assert main([*command, "--seed", "3"]) == 2
    edit(sources, "[clusters]\n", '[clusters]\nmapping = "fixed"\n')
    assert main([*command, "--mapping", "backend"]) == 2
    assert main(command) == 0
    assert ColumnarStore(home / "csrag" / "layers" / "mine").manifest.mapping == "fixed"
