"""The source of clusters that a recipe makes: its table, with every other input laid over the clusters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.build.progress import Progress, Silent
from csrag.build.recipe.check import check_inputs, filled_by
from csrag.build.recipe.identity import identities
from csrag.build.recipe.points import Points
from csrag.build.recipe.readers import Held, Told, lay_dem, lay_exclusion, lay_fire, lay_hazard, lay_ownership
from csrag.build.recipe.recipe import Part, Recipe
from csrag.build.recipe.roads import Roads, lay_roads
from csrag.build.sources.table import TableOptions, TableSource, read_table
from csrag.build.sources.table_finish import Filled
from csrag.errors import InvalidValueError
from csrag.surfaces.manifest import Provenance

_LAYERS = {"dem": "elevation", "fire": "fire", "hazard": "hazard", "roads": "circuity", "ownership": "ownership",
           "plants": "plants", "substations": "substations"}  # fmt: skip
"""Which layer of the set each section makes."""


class RecipeFiller:
    """Lays the inputs of a recipe over the clusters of its table; see `build.sources.table_finish.Filler`.

    Parameters
    ----------
    recipe : Recipe
        What to read.
    progress : Progress
        Told of each reader.
    """

    def __init__(self, recipe: Recipe, progress: Progress) -> None:
        self._recipe, self._progress = recipe, progress
        self.fills: Sequence[str] = filled_by(recipe)
        self.roads: Roads | None = None
        self.vintages: Mapping[str, str] = {}

    def fill(self, held: Held) -> Filled:
        """Run every reader in the order of the schema.

        Parameters
        ----------
        held : dict of str to ndarray of float64, shape (n,)
            The clusters' columns, changed in place.

        Raises
        ------
        CsragError
            With the file's name, where an input turns out unusable.
        """
        told, parts = Told(), self._recipe.parts
        for name, lay in (("dem", lay_dem), ("fire", lay_fire), ("hazard", lay_hazard), ("ownership", lay_ownership)):
            if name in parts:
                lay(parts[name], held, told, self._progress)
        for part in self._recipe.exclusions:
            lay_exclusion(part, held, told, self._progress)
        factors: tuple[float, ...] | None = None
        if "roads" in parts:
            self.roads = lay_roads(parts["roads"], held, told, self._progress)
            factors = self.roads.zone_factors
        self.vintages = told.vintages
        return Filled(factors, tuple(told.notes), told.counts)


class RecipeSource:
    """A table with public sources laid over it; offers what `build.pipeline.ClusterSource` asks for, and roads and points.

    Parameters
    ----------
    recipe : Recipe
        What was read.
    table : TableSource
        The clusters, filled.
    filler : RecipeFiller
        What filled them.
    points : mapping of str to Points
        Plants and substations.
    hashes : mapping of Path to str
        SHA-256 of every input.
    """

    seed = None

    def __init__(
        self, recipe: Recipe, table: TableSource, filler: RecipeFiller, points: Mapping[str, Points],
        hashes: Mapping[Path, str],
    ) -> None:  # fmt: skip
        output = recipe.parts["output"]
        self._recipe, self._table, self._roads, self._hashes = recipe, table, filler.roads, hashes
        self._vintages = filler.vintages
        self.name = output.text("name")
        self.synthetic = bool(output.values.get("synthetic", False))
        title = output.text("title") or f"Built from the recipe {self.name}"
        self.title = f"SYNTHETIC: {title}" if self.synthetic and "synthetic" not in title.lower() else title
        self.treatments = table.treatments
        self.zone_factors = table.zone_factors
        self.codes = table.codes
        self.data_area = table.data_area
        notes, counts = list(table.notes), dict(table.counts)
        for name, found in points.items():
            counts[name], counts[f"{name}_outside_california"] = len(found.rows), found.outside
            notes.append(f"{name}: {len(found.rows):,} in California; {found.outside:,} rows outside it left out")
        self.notes = tuple(notes)
        self.counts: Mapping[str, int] = counts
        self.points: Mapping[str, Any] | None = {name: list(p.rows) for name, p in points.items()} or None
        self.transport: Mapping[str, Any] | None = None if self._roads is None else self._roads.transport

    @property
    def report(self) -> dict[str, Any]:
        """What was read, counted and noted."""
        return {"recipe": str(self._recipe.path), "recipe_sha256": self._recipe.sha256, **self.counts,
                "notes": list(self.notes)}  # fmt: skip

    @property
    def mapping(self) -> str:
        """How a cluster becomes simulator input."""
        return self._table.mapping

    @property
    def provenance(self) -> tuple[Provenance, ...]:
        """One entry a layer, each with its file and hash, and the recipe's own."""
        by_layer = {entry.layer: entry for entry in self._table.provenance}
        clusters = self._entry("clusters", self._recipe.parts["clusters"])
        vintage = by_layer["clusters"].vintage
        by_layer["clusters"] = Provenance("clusters", clusters.source, "", vintage, clusters.note)
        by_layer["cost"] = Provenance("cost", clusters.source, "", vintage, self._said("FRCS over the table's stands"))
        for name, layer in _LAYERS.items():
            if name in self._recipe.parts:
                by_layer[layer] = self._entry(layer, self._recipe.parts[name])
        for part in self._recipe.exclusions:
            by_layer[part.name] = self._entry(f"exclusion: {part.text('name')}", part)
        recipe = self._recipe
        by_layer["recipe"] = Provenance("recipe", recipe.path.name, f"sha256 {recipe.sha256}", "", self._said(""))
        return tuple(by_layer.values())

    def _entry(self, layer: str, part: Part) -> Provenance:
        files = ", ".join(f"{path.name} (sha256 {self._hashes[path][:16]})" for path in part.files)
        named = ", ".join(path.name for path in part.files)
        vintage = part.text("vintage") or self._vintages.get(part.name) or "vintage not stated"
        return Provenance(layer, part.text("source") or named, part.text("product"), vintage, self._said(files))

    def _said(self, note: str) -> str:
        return ", ".join(word for word in ("SYNTHETIC" if self.synthetic else "", note) if word)

    def clusters(self) -> dict[str, NDArray[Any]]:
        """Every column of `catalog.CLUSTER_COLUMNS`, by cluster number."""
        return self._table.clusters()

    def removals(self, treatment: str, rows: slice) -> dict[str, NDArray[np.float32]]:
        """Removed tons of a block [BDT per acre]; NaN where the table has no record."""
        return self._table.removals(treatment, rows)

    def road_network(self) -> Any:
        """Graph and landings in the order of `clusters`, None without roads."""
        return None if self._roads is None else self._roads.network


@contextmanager
def read_sources(
    recipe: Recipe, progress: Progress | None = None, *, mapping: str | None = None
) -> Iterator[RecipeSource]:
    """Check the inputs of a recipe, then read them; nothing is written.

    Parameters
    ----------
    recipe : Recipe
        As `csrag.build.recipe.recipe.read_recipe` gives it.
    progress : Progress, optional
        Told of each reader.
    mapping : str, optional
        How a cluster becomes simulator input, where the recipe leaves it open.

    Yields
    ------
    RecipeSource
        Ready to be built.

    Raises
    ------
    InvalidValueError
        With everything that is wrong with the inputs at their opening.
    DataError
        If an input turns out unusable while it is read.
    """
    progress = progress or Silent()
    chosen = _options(recipe, mapping)
    points = check_inputs(recipe)
    hashes = identities([path for part in recipe.all_parts for path in part.files], progress)
    filler = RecipeFiller(recipe, progress)
    with read_table(recipe.parts["clusters"].file("table"), chosen, progress, filler) as table:
        yield RecipeSource(recipe, table, filler, points, hashes)


def _options(recipe: Recipe, mapping: str | None) -> TableOptions:
    clusters = recipe.parts["clusters"]
    own = clusters.text("mapping")
    if own and mapping and own != mapping:
        raise InvalidValueError(
            f"The recipe's mapping is {own!r} and --mapping says {mapping!r}.",
            "Leave --mapping out, or change the recipe.",
        )
    return TableOptions(
        name=recipe.parts["output"].text("name"),
        treatments=clusters.values.get("treatments"),
        treatment_ids=clusters.text("treatment_ids") or None,
        zone_factors=tuple(clusters.values.get("zone_factors", ())),
        source=clusters.text("source"),
        vintage=clusters.text("vintage") or None,
        mapping=own or mapping or "split",
        area_unit=clusters.text("area_unit") or None,
    )
