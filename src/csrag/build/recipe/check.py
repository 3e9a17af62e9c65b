"""Opens every input of a recipe before any is read: what cannot be opened, has no place on Earth or lacks a column."""

from __future__ import annotations

from importlib import import_module

from csrag.build.progress import Silent
from csrag.build.recipe.points import Points, read_plants_table, read_substations_table
from csrag.build.recipe.recipe import Part, Problems, Recipe
from csrag.build.sources.table_columns import TREATMENT_ID, TREATMENT_NAMES, read_treatment_ids
from csrag.build.sources.table_read import read_batches
from csrag.errors import CsragError

GIS_EXTRA = 'pip install "csrag[gis]"'
_POINT_READERS = {"plants": read_plants_table, "substations": read_substations_table}
_MODULES = {"dem": ("rasterio", "pyproj"), "fire": ("rasterio", "pyproj"), "ownership": ("pyogrio", "shapely", "pyproj"),
            "exclusions": ("pyogrio", "shapely", "pyproj")}  # fmt: skip
_HOLDS = {"dem": "elevation", "fire": "burn probability", "hazard": "hazard classes"}


def filled_by(recipe: Recipe) -> tuple[str, ...]:
    """What the table may lack because another input brings it: of slope, elevation and land_use."""
    ownership = recipe.parts.get("ownership")
    out = ("slope", "elevation") if "dem" in recipe.parts else ()
    return (*out, "land_use") if ownership is not None and ownership.text("outside") else out


def check_inputs(recipe: Recipe) -> dict[str, Points]:
    """Open every input and read the tables of points.

    Parameters
    ----------
    recipe : Recipe
        Checked by itself.

    Returns
    -------
    dict of str to Points
        Tables of `plants` and `substations` where the recipe names them.

    Raises
    ------
    InvalidValueError
        With everything that is wrong with any input.
    """
    problems = Problems()
    _check_table(recipe, problems)
    absent = _absent_modules(recipe)
    if absent:
        problems.add("this installation", f"{', '.join(absent)} missing, which these inputs need: {GIS_EXTRA}")
    points: dict[str, Points] = {}
    for part in recipe.all_parts:
        kind = _kind(part)
        if kind in _POINT_READERS:
            try:
                points[kind] = _POINT_READERS[kind](part.file("table"), part.words("columns"))
            except CsragError as error:
                problems.add(f"[{part.name}] table", str(error))
        elif kind == "roads":
            _check_roads(part, problems)
        elif "raster" in part.values and not {"rasterio", "pyproj"} & set(absent):
            _check_raster(part, problems)
        elif "polygons" in part.values and not {"pyogrio", "shapely", "pyproj"} & set(absent):
            _check_polygons(part, problems)
    problems.refuse(recipe.path, "Mend these and run the same command again; no input has been read yet.")
    return points


def _kind(part: Part) -> str:
    return part.name.split(".")[0]


def _absent_modules(recipe: Recipe) -> list[str]:
    wanted: dict[str, None] = {}
    for part in recipe.all_parts:
        kind = _kind(part)
        if kind == "hazard":
            kind = "fire" if "raster" in part.values else "ownership"
        wanted.update(dict.fromkeys(_MODULES.get(kind, ())))
        if "pbf" in part.values:
            wanted["osmium"] = None
    out = []
    for name in wanted:
        try:
            import_module(name)
        except ImportError:
            out.append(name)
    return out


def _check_table(recipe: Recipe, problems: Problems) -> None:
    clusters = recipe.parts["clusters"]
    path = clusters.file("table")
    try:
        columns, _ = read_batches(path, Silent(), filled_by(recipe))
    except CsragError as error:
        problems.add("[clusters] table", f"{path.name}: {error}")
        return
    if "treatments" in clusters.values:
        try:
            read_treatment_ids(clusters.file("treatments"))
        except CsragError as error:
            problems.add("[clusters] treatments", str(error))
    if not {"treatments", "treatment_ids"} & set(clusters.values) and not set(TREATMENT_NAMES) & set(columns):
        problems.add(
            "[clusters]",
            f'{path.name} names treatments by id only ({TREATMENT_ID}); add treatments = "an id table" or '
            'treatment_ids = "frredss"',
        )
    if "zone" in columns and "zone_factors" not in clusters.values and "roads" not in recipe.parts:
        problems.add("[clusters]", f"{path.name} has a zone column; add zone_factors, or [roads] to fit zones")


def _check_raster(part: Part, problems: Problems) -> None:
    from csrag.build.sources.raster_open import open_band
    from csrag.build.sources.spatial import vertical_unit_of

    try:
        with open_band(part.file("raster"), part.values.get("band"), _HOLDS[_kind(part)]) as raster:
            stated = part.text("vertical_unit") or vertical_unit_of(raster.unit) or raster.projection.vertical_unit
        if part.name == "dem" and not stated:
            problems.add(
                "[dem]",
                f'{part.file("raster").name} does not state whether its elevations are metres or feet; add vertical_unit = "m" '
                'or "ft" (USGS 3DEP: m)',
            )
    except CsragError as error:
        problems.add(f"[{part.name}] raster", str(error))


def _check_polygons(part: Part, problems: Problems) -> None:
    from csrag.build.sources.polygons_read import open_layer

    try:
        with open_layer(part.file("polygons"), part.values.get("layer"), part.values.get("field")):
            pass
    except CsragError as error:
        problems.add(f"[{part.name}] polygons", str(error))


def _check_roads(part: Part, problems: Problems) -> None:
    from csrag.build.sources.roads_osm import READ_AS, is_osm

    if "pbf" not in part.values:
        _check_road_tables(part, problems)
        return
    path = part.file("pbf")
    try:
        with path.open("rb") as stream:
            start = stream.read(64)
    except OSError as error:
        problems.add(f"[{part.name}] pbf", f"{path.name} cannot be read: {error.strerror}")
        return
    if not is_osm(path):
        problems.add(f"[{part.name}] pbf", f"{path.name} is named like no OpenStreetMap file ({', '.join(READ_AS)})")
        return
    # A PBF begins with the length of its first blob header, whose type is OSMHeader.
    if path.name.lower().endswith(".pbf") and b"OSMHeader" not in start:
        problems.add(f"[{part.name}] pbf", f"{path.name} is no OpenStreetMap PBF; download the .osm.pbf file again")
    elif not _begins_as_named(path.name.lower(), start):
        problems.add(f"[{part.name}] pbf", f"{path.name} is no OpenStreetMap XML; download it again")


def _begins_as_named(name: str, start: bytes) -> bool:
    """Whether XML, plain or compressed, begins with what its name promises."""
    if name.endswith(".gz"):
        return start.startswith(b"\x1f\x8b")
    if name.endswith(".bz2"):
        return start.startswith(b"BZh")
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    return not name.endswith((".osm", ".xml")) or text.startswith((b"<?xml", b"<osm"))


def _check_road_tables(part: Part, problems: Problems) -> None:
    from csrag.build.sources.roads_table import read_tables

    try:
        # They are small beside the rasters, so they are read through now and once more in their turn.
        read_tables(part.file("nodes"), part.file("edges"))
    except CsragError as error:
        problems.add(f"[{part.name}]", str(error))
