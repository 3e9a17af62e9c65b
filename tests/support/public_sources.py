"""A small directory of public sources in their true formats: SYNTHETIC files for tests, describing no real place.

The names are those of the recipe in docs/how-to/build-from-public-sources.md: a treated-cluster table (CSV), an elevation
raster in degrees (EPSG:4269, metres), a burn-probability raster of 270 m (EPSG:5070), an OpenStreetMap extract (PBF) and
the same roads as tables, polygons of hazard, ownership and exclusions (shapefiles and GeoPackage), tables of plants and
substations.
"""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[2]
HOW_TO = ROOT / "docs" / "how-to" / "build-from-public-sources.md"
BOX = (39.70, 40.20, -121.25, -120.65)
"""lat_min, lat_max, lon_min, lon_max of the clusters [degrees]; about 55 km by 51 km around Quincy."""
CLUSTERS = 400
SEED = 20_250
TREATMENT_IDS = {"SDI55": 3, "TFB40": 9}
BURN_NODATA_BELOW_LAT = 39.72
"""South of this the burn raster holds its nodata value [degrees]."""
_MARGIN = 0.05


def recipe_of_the_page() -> str:
    """The recipe that the how-to shows."""
    found = re.search(r"^```toml\n(.*?)^```$", HOW_TO.read_text(encoding="utf-8"), re.M | re.S)
    assert found, "the how-to shows no recipe"
    return found.group(1)


def write_sources(folder: Path) -> Path:
    """Write every file and the page's recipe, marked synthetic.

    Parameters
    ----------
    folder : Path
        Made if it is not there.

    Returns
    -------
    Path
        `folder`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    write_table(folder / "treated_clusters.csv")
    write_dem(folder / "dem.tif")
    write_burn_probability(folder / "burn_probability.tif")
    write_roads(folder)
    write_polygons(folder)
    write_points(folder)
    recipe = recipe_of_the_page().replace("[output]\n", "[output]\nsynthetic = true\n", 1)
    recipe = recipe.replace('source = "', 'source = "made up in the form of ')
    (folder / "recipe.toml").write_text(recipe, encoding="utf-8")
    return folder


def cluster_points() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Centres of the clusters [degrees], rounded as the table has them."""
    rng = np.random.default_rng(SEED)
    lat = rng.uniform(BOX[0], BOX[1], CLUSTERS).round(6)
    lon = rng.uniform(BOX[2], BOX[3], CLUSTERS).round(6)
    return lat, lon


def elevation_m(lat: NDArray[Any], lon: NDArray[Any]) -> NDArray[np.float64]:
    """Height of a made-up plain that rises 20 m in every 100 m to the east, with one ridge [m]."""
    east_m = (lon - BOX[2]) * 111_195 * np.cos(np.radians(39.95))
    north_m = (lat - BOX[0]) * 111_195
    return np.asarray(600 + 0.02 * east_m + 250 * np.sin(north_m / 2500) ** 2)


def burn_probability(lat: NDArray[Any], lon: NDArray[Any]) -> NDArray[np.float64]:
    """Made-up annual burn probability, rising to the north-east [per year]."""
    return np.asarray(0.002 + 0.02 * (lat - BOX[0]) + 0.01 * (lon - BOX[2]))


def write_table(path: Path, leave_out: Sequence[str] = ()) -> None:
    """Treated-cluster table in FRREDSS's column names, some of them left out."""
    lat, lon = cluster_points()
    rng = np.random.default_rng(SEED + 1)
    stand = rng.lognormal(0.0, 0.3, CLUSTERS)
    with path.open("w", newline="", encoding="utf-8") as stream:
        rows = []
        for i in range(CLUSTERS):
            for name, number in TREATMENT_IDS.items():
                share = stand[i] * (1.0 if name == "SDI55" else 0.7)
                rows.append({
                    "cluster_no": 1000 + i, "treatmentid": number, "year": 2025, "center_lat": f"{lat[i]:.6f}",
                    "center_lng": f"{lon[i]:.6f}", "center_elevation": f"{elevation_m(lat[i], lon[i]) / 0.3048:.1f}",
                    "slope": f"{5 + i % 30:.1f}", "area": "32.025", "mean_yarding": f"{600 + i % 400:.1f}",
                    "land_use": "Private", "forest_type": "Made-up conifer", "stem4to6_tonsacre": f"{1.5 * share:.4f}",
                    "stem6to9_tonsacre": f"{3.5 * share:.4f}", "stem9plus_tonsacre": f"{14 * share:.4f}",
                    "branch_tonsacre": f"{5 * share:.4f}", "wood_density": "400",
                })  # fmt: skip
        names = [name for name in rows[0] if name not in leave_out]
        write = csv.DictWriter(stream, names, extrasaction="ignore", lineterminator="\n")
        write.writeheader()
        write.writerows(rows)


def write_dem(path: Path, crs: str | None = "EPSG:4269") -> None:
    """Elevation raster in degrees, three arc-seconds, metres."""
    import rasterio

    step = 1 / 1200
    left, top = BOX[2] - _MARGIN, BOX[1] + _MARGIN
    rows, columns = round((BOX[1] - BOX[0] + 2 * _MARGIN) / step), round((BOX[3] - BOX[2] + 2 * _MARGIN) / step)
    lon, lat = np.meshgrid(left + (np.arange(columns) + 0.5) * step, top - (np.arange(rows) + 0.5) * step)
    form = {"driver": "GTiff", "dtype": "float32", "nodata": -999999.0, "compress": "deflate", "tiled": True}
    transform = rasterio.Affine(step, 0, left, 0, -step, top)
    with rasterio.open(path, "w", width=columns, height=rows, count=1, crs=crs, transform=transform, **form) as out:
        out.write(elevation_m(lat, lon).astype(np.float32), 1)


def write_burn_probability(path: Path, crs: str | None = "EPSG:5070") -> None:
    """Burn probability of 270 m in CONUS Albers, nodata in the south."""
    import pyproj
    import rasterio

    forth = pyproj.Transformer.from_crs("EPSG:4326", "EPSG:5070", always_xy=True)
    back = pyproj.Transformer.from_crs("EPSG:5070", "EPSG:4326", always_xy=True)
    corner_lon, corner_lat = np.meshgrid((BOX[2], BOX[3]), (BOX[0], BOX[1]))
    x, y = forth.transform(corner_lon.ravel(), corner_lat.ravel())
    left, top = np.floor(min(x) / 270) * 270 - 1350, np.ceil(max(y) / 270) * 270 + 1350
    columns, rows = int((max(x) + 1350 - left) // 270) + 1, int((top - min(y) + 1350) // 270) + 1
    px, py = np.meshgrid(left + (np.arange(columns) + 0.5) * 270, top - (np.arange(rows) + 0.5) * 270)
    lon, lat = back.transform(px, py)
    values = np.where(lat < BURN_NODATA_BELOW_LAT, -9999.0, burn_probability(lat, lon)).astype(np.float32)
    transform = rasterio.Affine(270, 0, left, 0, -270, top)
    with rasterio.open(
        path, "w", driver="GTiff", width=columns, height=rows, count=1, dtype="float32", nodata=-9999.0, crs=crs,
        transform=transform,
    ) as out:  # fmt: skip
        out.write(values, 1)


def road_lattice() -> tuple[NDArray[np.float64], NDArray[np.float64], list[list[int]], list[str]]:
    """Winding roads between crossings every 0.05 degrees: node positions, nodes of each way, class of each way."""
    rng = np.random.default_rng(SEED + 2)
    lats = np.arange(BOX[0] - _MARGIN, BOX[1] + _MARGIN + 1e-9, 0.05)
    lons = np.arange(BOX[2] - _MARGIN, BOX[3] + _MARGIN + 1e-9, 0.05)
    grid = np.array([(a, b) for a in lats for b in lons]) + rng.uniform(-0.008, 0.008, (lats.size * lons.size, 2))
    points, ways, classes = [tuple(p) for p in grid], [], []
    kinds = ("secondary", "tertiary", "unclassified", "track")

    def at(i: int, j: int) -> int:
        return i * lons.size + j

    for i in range(lats.size):
        for j in range(lons.size):
            for k, m in ((i + 1, j), (i, j + 1)):
                if k >= lats.size or m >= lons.size or rng.uniform() < 0.08:
                    continue
                a, b = grid[at(i, j)], grid[at(k, m)]
                sway = rng.uniform(0.003, 0.012)
                inner = []
                for t in np.linspace(0, 1, 12)[1:-1]:
                    across = np.array([b[1] - a[1], a[0] - b[0]]) / np.hypot(*(b - a))
                    inner.append(len(points))
                    points.append(tuple(a + t * (b - a) + across * sway * np.sin(2 * np.pi * t)))
                ways.append([at(i, j), *inner, at(k, m)])
                classes.append("secondary" if i % 4 == 0 and k == i else kinds[int(rng.integers(0, 4))])
    where = np.array(points)
    return where[:, 0], where[:, 1], ways, classes


def write_roads(folder: Path) -> None:
    """The same roads as an OpenStreetMap extract and as tables of nodes and edges."""
    import osmium
    from osmium.osm.mutable import Node, Way

    from csrag.geo import haversine_km

    lat, lon, ways, classes = road_lattice()
    pbf = folder / "roads.osm.pbf"
    pbf.unlink(missing_ok=True)
    writer = osmium.SimpleWriter(str(pbf))
    for i in range(lat.size):
        writer.add_node(Node(id=i + 1, location=(float(lon[i]), float(lat[i]))))
    for number, (way, kind) in enumerate(zip(ways, classes, strict=True), start=1):
        writer.add_way(Way(id=number, nodes=[i + 1 for i in way], tags={"highway": kind}))
    writer.close()
    with (folder / "road_nodes.csv").open("w", newline="") as stream:
        out = csv.writer(stream, lineterminator="\n")
        out.writerow(["node", "lat", "lon"])
        out.writerows([i + 1, f"{lat[i]:.7f}", f"{lon[i]:.7f}"] for i in range(lat.size))
    with (folder / "road_edges.csv").open("w", newline="") as stream:
        out = csv.writer(stream, lineterminator="\n")
        out.writerow(["from", "to", "km", "highway"])
        for way, kind in zip(ways, classes, strict=True):
            for a, b in itertools.pairwise(way):
                km = float(haversine_km(lat[a], lon[a], lat[b], lon[b]))
                out.writerow([a + 1, b + 1, f"{km:.5f}", kind])


def write_polygons(folder: Path, crs: str = "EPSG:3310") -> None:
    """Hazard, ownership, wilderness, parks and roadless areas as blocks of the box."""
    south, north, west, east = BOX
    middle_lat, middle_lon = (south + north) / 2, (west + east) / 2
    out = _MARGIN
    write_blocks(
        folder / "fire_hazard.shp",
        [(south - out, middle_lat, west - out, east + out), (middle_lat, north + out, west - out, middle_lon)],
        {"FHSZ_Descr": ["High", "Very High"]}, crs,
    )  # fmt: skip
    write_blocks(
        folder / "ownership.gpkg",
        [(south - out, north + out, middle_lon, east + out), (south - out, middle_lat, west - out, west + 0.1)],
        {"OWN_AGENCY": ["United States Forest Service", "Made-up Water District"]}, crs,
    )  # fmt: skip
    write_blocks(
        folder / "wilderness.shp", [(40.1, 40.15, -121.0, -120.9)], {"NAME": ["Made-up Wilderness"]}, "EPSG:4269"
    )
    write_blocks(folder / "parks.gpkg", [(39.75, 39.8, -120.8, -120.7)], {"UNIT_NAME": ["Made-up Park"]}, crs)
    write_blocks(folder / "roadless.gpkg", [(40.12, 40.19, -121.0, -120.95)], {"NAME": ["Made-up Roadless"]}, crs)


def write_blocks(
    path: Path, boxes: Sequence[tuple[float, float, float, float]], fields: dict[str, list[str]], crs: str | None
) -> None:
    """Boxes (south, north, west, east) [degrees] as polygons in a coordinate system."""
    import pyogrio
    import pyproj
    import shapely

    forth = pyproj.Transformer.from_crs("EPSG:4326", crs or "EPSG:4326", always_xy=True)
    shapes = shapely.segmentize([shapely.box(w, s, e, n) for s, n, w, e in boxes], 0.01)
    moved = shapely.transform(shapes, lambda xy: np.column_stack(forth.transform(xy[:, 0], xy[:, 1])))
    for old in path.parent.glob(f"{path.stem}.*"):
        old.unlink()
    pyogrio.raw.write(
        path, shapely.to_wkb(moved), [np.array(v, dtype=object) for v in fields.values()], list(fields),
        geometry_type="Polygon", crs=crs,
    )  # fmt: skip


def write_points(folder: Path) -> None:
    """Plants and substations, one of each outside California."""
    (folder / "plants.csv").write_text(
        "Plant Name,Latitude,Longitude,Nameplate Capacity (MW)\n"
        "Made-up Mill,39.95,-120.95,0.1\n"
        "Made-up Power,40.15,-121.1,0.2\n"
        "Made-up Elsewhere,45.0,-120.0,10\n",
        encoding="utf-8",
    )
    (folder / "substations.csv").write_text(
        "NAME,LATITUDE,LONGITUDE,MAX_VOLT\n"
        "MADE-UP EAST,39.94,-120.85,60\n"
        "MADE-UP WEST,39.94,-121.2,-999999\n"
        "MADE-UP ABROAD,45.0,-120.0,230\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    import sys

    print(write_sources(Path(sys.argv[1])))
