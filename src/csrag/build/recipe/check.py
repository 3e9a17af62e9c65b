"""Opens every input of a recipe before any is read: what cannot be opened, has no place on Earth or lacks a column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from csrag.build.progress import Silent
from csrag.build.recipe.points import Points, read_plants_table, read_substations_table
from csrag.build.recipe.recipe import Part, Problems, Recipe
from csrag.build.sources.table_columns import TREATMENT_ID, TREATMENT_NAMES
from csrag.build.sources.table_read import read_batches
from csrag.errors import CsragError

GIS_EXTRA = 'pip install "csrag[gis]"'
_POINT_READERS = {"plants": read_plants_table, "substations": read_substations_table}
_MODULES = {"dem": ("rasterio",), "fire": ("rasterio",), "ownership": ("pyogrio", "shapely", "pyproj"),
            "exclusions": ("pyogrio", "shapely", "pyproj")}  # fmt: skip
_AREAS = ("Polygon", "MultiPolygon", "Polygon Z", "MultiPolygon Z", "2.5D Polygon", "2.5D MultiPolygon", "Unknown",
          "PolygonZ", "MultiPolygonZ", "PolygonM", "MultiPolygonM", "Geometry")  # fmt: skip


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
        kind = part.name.split(".")[0]
        if kind in _POINT_READERS:
            try:
                points[kind] = _POINT_READERS[kind](part.file("table"), part.words("columns"))
            except CsragError as error:
                problems.add(f"[{part.name}] table", str(error))
        elif kind == "roads":
            _check_roads(part, problems)
        elif "raster" in part.values and "rasterio" not in absent:
            _check_raster(part, problems)
        elif "polygons" in part.values and "pyogrio" not in absent:
            _check_polygons(part, problems)
    problems.refuse(recipe.path, "Mend these and run the same command again; no input has been read yet.")
    return points


def _absent_modules(recipe: Recipe) -> list[str]:
    wanted: dict[str, None] = {}
    for part in recipe.all_parts:
        kind = part.name.split(".")[0]
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
    if not {"treatments", "treatment_ids"} & set(clusters.values) and not set(TREATMENT_NAMES) & set(columns):
        problems.add(
            "[clusters]",
            f'{path.name} names treatments by id only ({TREATMENT_ID}); add treatments = "an id table" or '
            'treatment_ids = "frredss"',
        )
    if "zone" in columns and "zone_factors" not in clusters.values and "roads" not in recipe.parts:
        problems.add("[clusters]", f"{path.name} has a zone column; add zone_factors, or [roads] to fit zones")


def _check_raster(part: Part, problems: Problems) -> None:
    import rasterio
    from rasterio.errors import RasterioError

    path = part.file("raster")
    try:
        with rasterio.open(path) as raster:
            if raster.crs is None:
                problems.add(
                    f"[{part.name}] raster",
                    f"{path.name} names no coordinate system (CRS); download it again, or assign the one its metadata state",
                )
    except (RasterioError, OSError, ValueError) as error:
        problems.add(f"[{part.name}] raster", f"{path.name} cannot be opened as a raster ({_first_line(error)})")


def _check_polygons(part: Part, problems: Problems) -> None:
    import pyogrio

    path, where = part.file("polygons"), f"[{part.name}] polygons"
    try:
        layers: Sequence[Sequence[Any]] = pyogrio.list_layers(path)
        about: Mapping[str, Any] = pyogrio.read_info(path)
    except (RuntimeError, OSError, ValueError) as error:
        problems.add(where, f"{path.name} cannot be opened as a layer of polygons ({_first_line(error)})")
        return
    if len(layers) > 1:
        names = ", ".join(str(layer[0]) for layer in layers)
        problems.add(
            where, f"{path.name} holds {len(layers)} layers ({names}); export the one you mean to a file of its own"
        )
        return
    if not about["crs"]:
        companion = " (its .prj file is missing)" if path.suffix.lower() == ".shp" else ""
        problems.add(
            where, f"{path.name} names no coordinate system (CRS){companion}; download it again with all its files"
        )
    if about["geometry_type"] not in _AREAS:
        problems.add(where, f"{path.name} holds {about['geometry_type']}, not polygons")
    field, fields = part.text("field"), [str(name) for name in about["fields"]]
    if field and field not in fields:
        near = next((name for name in fields if name.lower() == field.lower()), "")
        problems.add(
            f"[{part.name}] field",
            f"{path.name} has no field {field}; it has {', '.join(fields) or 'none'}"
            + (f"; did you mean {near}?" if near else ""),
        )


def _check_roads(part: Part, problems: Problems) -> None:
    if "pbf" not in part.values:
        return
    path = part.file("pbf")
    try:
        with path.open("rb") as stream:
            start = stream.read(64)
    except OSError as error:
        problems.add(f"[{part.name}] pbf", f"{path.name} cannot be read: {error.strerror}")
        return
    # A PBF begins with the length of its first blob header, whose type is OSMHeader.
    if b"OSMHeader" not in start:
        problems.add(f"[{part.name}] pbf", f"{path.name} is no OpenStreetMap PBF; download the .osm.pbf file again")


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:160].rstrip(".")


def names_of(paths: Sequence[Path]) -> str:
    """File names in a row, for messages and provenance."""
    return ", ".join(path.name for path in paths)
