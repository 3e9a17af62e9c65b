"""The keys of `recipe.toml`: what each section may hold, of what kind, and what it means."""

from __future__ import annotations

from dataclasses import dataclass

from csrag.surfaces.catalog import HAZARD_CLASSES, LAND_USES

RECIPE_FILE = "recipe.toml"


@dataclass(frozen=True)
class Key:
    """One key of a section.

    Parameters
    ----------
    kind : str
        text, file, number, band (a number or a name), flag, numbers (a list), words (a table of word to one of `choices`)
        or columns (a table of a column's meaning, one of `choices`, to its name in the file).
    meaning : str
        One line.
    required : bool
        Whether the section needs it.
    choices : tuple of str
        Allowed values of a text, allowed right sides of `words`, allowed left sides of `columns`.
    low, high : float
        Bounds of a number, or of each of `numbers`, in the unit that the key's name says.
    """

    kind: str
    meaning: str
    required: bool = False
    choices: tuple[str, ...] = ()
    low: float = float("-inf")
    high: float = float("inf")


@dataclass(frozen=True)
class Section:
    """One section: its keys, and groups of keys of which exactly one must be given."""

    keys: dict[str, Key]
    one_of: tuple[tuple[str, ...], ...] = ()
    required: bool = False
    repeated: bool = False


_SOURCE = Key("text", "who published it: title, publisher, identifier")
_BAND = Key("band", "band of the raster, by number or description, where it has several")
_LAYER = Key("text", "layer of the file, where it has several")
_VINTAGE = Key("text", "year or period that it describes")

SECTIONS: dict[str, Section] = {
    "output": Section(
        {
            "name": Key("text", "short name of the layer set", required=True),
            "title": Key("text", "one line for people"),
            "synthetic": Key("flag", "true where the clusters are made up; every answer repeats it"),
        },
        required=True,
    ),
    "clusters": Section(
        {
            "table": Key("file", "treated-cluster table, CSV or Parquet", required=True),
            "treatments": Key("file", "id table, CSV or JSON with id and name"),
            "treatment_ids": Key("text", "whose numbering the treatment ids follow", choices=("frredss",)),
            "area_unit": Key("text", "unit of the area column", choices=("acres", "hectares")),
            "mapping": Key("text", "how a cluster becomes simulator input", choices=("split", "fixed", "backend")),
            "zone_factors": Key(
                "numbers", "road over straight-line distance of each circuity zone of the table", low=1, high=6
            ),
            "source": _SOURCE,
            "vintage": _VINTAGE,
        },
        required=True,
    ),
    "dem": Section(
        {
            "raster": Key("file", "elevation raster", required=True),
            "band": _BAND,
            "vertical_unit": Key("text", "unit of its values, where the file does not say", choices=("m", "ft")),
            "source": _SOURCE,
            "vintage": _VINTAGE,
        }
    ),
    "fire": Section(
        {
            "raster": Key("file", "raster of annual burn probability", required=True),
            "band": _BAND,
            "scale": Key("number", "what its values are multiplied by, where the file does not say", low=1e-9, high=1),
            "product": Key("text", "name of the product and its resolution"),
            "source": _SOURCE,
            "vintage": _VINTAGE,
        }
    ),
    "hazard": Section(
        {
            "raster": Key("file", "raster of hazard classes"),
            "band": _BAND,
            "polygons": Key("file", "polygons of hazard classes"),
            "layer": _LAYER,
            "field": Key("text", "field of the polygons that holds the class"),
            "classes": Key("words", "class of each value in the file", required=True, choices=HAZARD_CLASSES),
            "source": _SOURCE,
            "vintage": _VINTAGE,
        },
        one_of=(("raster", "polygons"),),
    ),
    "roads": Section(
        {
            "pbf": Key("file", "OpenStreetMap extract (.osm.pbf, or XML as .osm, .osm.gz, .osm.bz2)"),
            "nodes": Key("file", "table of road nodes"),
            "edges": Key("file", "table of road edges"),
            "snap_cap_km": Key(
                "number", "landings farther than this from any road stay without one", low=0.01, high=50
            ),
            "source": _SOURCE,
            "vintage": _VINTAGE,
        },
        one_of=(("pbf", "edges"),),
    ),
    "ownership": Section(
        {
            "polygons": Key("file", "polygons of land ownership", required=True),
            "layer": _LAYER,
            "field": Key("text", "field that names the owner", required=True),
            "mapping": Key("words", "land use of each owner in the file; common names are known", choices=LAND_USES),
            "unknown": Key("text", "what to do with owners that nothing explains", choices=("refuse", "other")),
            "outside": Key(
                "text", "land use of clusters in no polygon; the table's own where left out", choices=LAND_USES
            ),
            "source": _SOURCE,
            "vintage": _VINTAGE,
        }
    ),
    "exclusions": Section(
        {
            "name": Key("text", "what it is, such as wilderness, parks or roadless", required=True),
            "polygons": Key("file", "polygons in which nothing is cut", required=True),
            "layer": _LAYER,
            "source": _SOURCE,
            "vintage": _VINTAGE,
        },
        repeated=True,
    ),
    "plants": Section(
        {
            "table": Key("file", "CSV of plants that take forest wood", required=True),
            "columns": Key("columns", "names of the columns", choices=("name", "lat", "lon", "mw", "bdt_per_year")),
            "source": _SOURCE,
            "vintage": _VINTAGE,
        }
    ),
    "substations": Section(
        {
            "table": Key("file", "CSV of substations", required=True),
            "columns": Key("columns", "names of the columns", choices=("name", "lat", "lon", "kv")),
            "source": _SOURCE,
            "vintage": _VINTAGE,
        }
    ),
}
"""Every section in the order in which it is read."""
