"""The demonstration source: a region of synthetic forest around real towns, from one root seed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.build.circuity.fit import FittedTransport, fit_transport
from csrag.build.progress import Progress, Silent
from csrag.build.sources.demo_fire import make_fire
from csrag.build.sources.demo_owner import make_owners
from csrag.build.sources.demo_region import (
    DEFAULT_SEED,
    NORTHERN_SIERRA,
    Grid,
    Region,
    region_cells,
    region_named,
)
from csrag.build.sources.demo_road_grid import RoadGrid
from csrag.build.sources.demo_roads import DemoRoads, make_roads
from csrag.build.sources.demo_stands import FOREST_TYPES, Stands, make_stands
from csrag.build.sources.demo_terrain import ROADLESS_BEYOND_M, Terrain, make_terrain, mean_yarding_ft
from csrag.build.sources.fields import FieldMaker
from csrag.places.counties import COUNTY_NAMES, county_of, outline
from csrag.places.gazetteer import Towns, towns
from csrag.quantities import CLUSTER_ACRES
from csrag.surfaces.catalog import (
    CLEAR_CUT,
    CLUSTER_COLUMNS,
    COLUMNS,
    FRREDSS_TREATMENT_IDS,
    HAZARD_CLASSES,
    LAND_USES,
    REMOVAL_COLUMNS,
    TREATMENTS,
)
from csrag.surfaces.manifest import Provenance, Treatment
from csrag.surfaces.roads import RoadNetwork

RECIPE_VERSION = "2"
FIELD_COUNT = 27
"""Correlated fields of the recipe."""
_TOWN_REACH_KM = 25.0
_FACILITIES = 400
"""Random towns, and as many random places on main roads, that the road factors are fitted to and tested on."""


@dataclass(frozen=True)
class _Made:
    """All that one seed draws."""

    clusters: dict[str, NDArray[Any]]
    stands: Stands
    roads: DemoRoads
    fitted: FittedTransport


class DemoSource:
    """Synthetic clusters of one demonstration region; offers what `build.pipeline.ClusterSource` asks for.

    Parameters
    ----------
    region : Region
        Box and parameters.
    seed : int
        Root seed. The same seed gives the same bytes with the same NumPy.

    Notes
    -----
    Nothing in it is California's truth: only county polygons and town points are real.
    """

    synthetic = True

    def __init__(self, region: Region = NORTHERN_SIERRA, seed: int = DEFAULT_SEED) -> None:
        self.region = region
        self.seed = int(seed)
        self.name = region.name
        self.title = region.title
        self._progress: Progress = Silent()

    def watched_by(self, progress: Progress) -> None:
        """Tell a watcher of the fields as they are drawn: those of a whole state take most of a minute."""
        self._progress = progress

    @property
    def treatments(self) -> tuple[Treatment, ...]:
        """The eleven treatments with FRREDSS's ids."""
        return tuple(Treatment(name, FRREDSS_TREATMENT_IDS[name], name == CLEAR_CUT) for name in TREATMENTS)

    @property
    def zone_factors(self) -> tuple[float, ...]:
        """Circuity by zone, fitted to the synthetic roads on trips under 30 km."""
        return self._made.fitted.zone_factors

    @property
    def transport(self) -> dict[str, Any]:
        """Factors by zone and band, their measured errors, and what the road network is; see `Manifest.transport`."""
        made = self._made
        return {**made.fitted.transport, "network": made.roads.told(self.seed)}

    def road_network(self) -> RoadNetwork:
        """Synthetic main roads, and the forest road from every landing to them, in the order of `clusters()`."""
        return self._made.roads.network

    @property
    def counts(self) -> dict[str, int]:
        """Clusters without a road: too far from one to be worked, or in a corner where nothing is known of roads."""
        return {"landings_without_road": int(np.count_nonzero(self._made.roads.landing_node < 0))}

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the set must know."""
        lost, n = self.counts["landings_without_road"], self._made.roads.landing_node.size
        return (
            f"SYNTHETIC roads, seed {self.seed}: they wind over random terrain between real town points and follow no real "
            f"road. {lost:,} landings ({lost / n:.1%}) have no road to them.",
        )

    @property
    def codes(self) -> dict[str, tuple[str, ...]]:
        """Names of the coded columns."""
        return {
            "land_use": LAND_USES,
            "county": COUNTY_NAMES,
            "forest_type": FOREST_TYPES,
            "hazard_class": HAZARD_CLASSES,
        }

    @property
    def data_area(self) -> list[list[tuple[float, float]]]:
        """Closed rings of (lon, lat): the box, or the state's outline where the region is clipped to it."""
        if self.region.clip_to_state:
            return [[(float(lon), float(lat)) for lon, lat in ring] for ring in outline()]
        lat_min, lat_max, lon_min, lon_max = self.region.box
        return [[(lon_min, lat_min), (lon_max, lat_min), (lon_max, lat_max), (lon_min, lat_max), (lon_min, lat_min)]]

    @property
    def provenance(self) -> tuple[Provenance, ...]:
        """One entry a layer; every made-up one says so."""
        version, vintage = f"recipe {RECIPE_VERSION}, seed {self.seed}", "no year: made up"
        made = "csrag demonstration recipe"

        def synthetic(layer: str, note: str) -> Provenance:
            return Provenance(layer, made, version, vintage, f"SYNTHETIC. {note}")

        return (
            synthetic("clusters", "Random terrain, forest, stands and removals; they resemble no real place."),
            *self._sketch_provenance(),
            synthetic("cost", "Real FRCS equations over synthetic stands."),
            synthetic("fire", "Random burn probability with the spread of published rasters; no fire was modelled."),
            synthetic("hazard_class", "A synthetic hazard class made from the synthetic burn probability and slope."),
            synthetic(
                "circuity",
                "Zones and factors fitted to synthetic roads: least-cost ways over random terrain between real "
                "town points, forest roads to the landings.",
            ),
            synthetic("land_use", "Random ownership blocks, checkerboard and wilderness; nobody's real land."),
            Provenance(
                "county", "county polygons and town points of csrag.places", note="Real; towns clear the forest."
            ),
        )

    def _sketch_provenance(self) -> tuple[Provenance, ...]:
        """What a region with a country adds: where the forest may stand is a drawing by hand."""
        if self.region.country is None:
            return ()
        made = "csrag demonstration recipe"
        note = "SYNTHETIC. Relief from rounded elevations of known places, subregions drawn by hand; belts assumed."
        return (Provenance("country", made, f"recipe {RECIPE_VERSION}", "no year: made up", note),)

    @cached_property
    def _made(self) -> _Made:
        grid = Grid.over(self.region.box)
        self._progress.start("drawing random fields", FIELD_COUNT, "fields")
        fields = grid.fields(self.seed, lambda: self._progress.advance(1))
        town = towns()
        town_km = grid.km_to_nearest(town.lat, town.lon, _TOWN_REACH_KM)
        terrain = make_terrain(self.region, grid, fields, town_km)
        stands = make_stands(grid, fields, terrain)
        fire = make_fire(self.region, grid, fields, terrain)
        owners = make_owners(grid, fields, terrain, town_km, self.region.parks)
        lat, lon = grid.lat_lon(terrain.cells)
        n = terrain.cells.size
        columns = {
            "cluster_no": grid.cluster_no(terrain.cells),
            "lat": lat,
            "lon": lon,
            "area_acres": np.full(n, CLUSTER_ACRES),
            "slope_pct": terrain.slope_pct,
            "grade_pct": terrain.grade_pct,
            "yarding_ft": mean_yarding_ft(terrain.landing_m),
            "elevation_ft": terrain.elevation_ft,
            "wood_density_kg_per_m3": stands.wood_density_kg_per_m3,
            "burn_probability": fire.burn_probability,
            "zone": np.full(n, -1),
            "land_use": owners.land_use,
            "wilderness": owners.wilderness,
            "roaded": terrain.landing_m <= ROADLESS_BEYOND_M,
            "county": county_of(lat, lon),
            "forest_type": stands.forest_type,
            "hazard_class": fire.hazard_class,
        }
        typed = {name: np.ascontiguousarray(columns[name], dtype=COLUMNS[name].dtype) for name in CLUSTER_COLUMNS}
        roads, fitted = self._roads(grid, fields, terrain, town, typed)
        typed["zone"] = fitted.zone.astype(COLUMNS["zone"].dtype)
        for values in typed.values():
            values.setflags(write=False)
        return _Made(typed, stands, roads, fitted)

    def _roads(
        self, grid: Grid, fields: FieldMaker, terrain: Terrain, town: Towns, clusters: dict[str, NDArray[Any]]
    ) -> tuple[DemoRoads, FittedTransport]:
        """Roads over the terrain, and the factors that follow from them."""
        crossable = region_cells(self.region, grid) | terrain.forest
        road_grid = RoadGrid.over(grid, crossable, terrain.slope_everywhere_pct, fields.gaussian("roads.winding", 8.0))
        joined = (clusters["roaded"] == 1) & ~terrain.unmapped
        roads = make_roads(road_grid, town.lat, town.lon, clusters["lat"], clusters["lon"], joined, self._progress)
        lat, lon = roads.facilities(fields, _FACILITIES, _FACILITIES)
        fitted = fit_transport(
            roads.network, clusters, lat, lon, seed=self.seed, unknown=terrain.unmapped, progress=self._progress
        )
        return roads, fitted

    @property
    def scar(self) -> NDArray[np.bool_]:
        """Clusters inside a burn scar: they hold no biomass, shape (n,)."""
        return self._made.stands.scar

    @property
    def standing_bdt_per_acre(self) -> NDArray[np.float64]:
        """Standing stems 4-6, 6-9, 9+ inches and branches [BDT per acre], shape (4, n)."""
        return self._made.stands.standing_bdt_per_acre

    def clusters(self) -> dict[str, NDArray[Any]]:
        """Every column of `catalog.CLUSTER_COLUMNS`, row by row of the grid from the south, read-only."""
        return dict(self._made.clusters)

    def removals(self, treatment: str, rows: slice) -> dict[str, NDArray[np.float32]]:
        """What a treatment removes.

        Parameters
        ----------
        treatment : str
            A name of `catalog.TREATMENTS`.
        rows : slice
            Rows of `clusters()`.

        Returns
        -------
        dict of str to ndarray of float32
            `catalog.REMOVAL_COLUMNS` [BDT per acre]; zero in burn scars.

        Raises
        ------
        KeyError
            If the treatment is none of the eleven.
        """
        removed = self._made.stands.removed(treatment, rows).astype(np.float32)
        return dict(zip(REMOVAL_COLUMNS, removed, strict=True))


def demo_source(region: str = NORTHERN_SIERRA.name, seed: int = DEFAULT_SEED) -> DemoSource:
    """Source of a demonstration region by name.

    Raises
    ------
    InvalidValueError
        If there is no such region.
    """
    return DemoSource(region_named(region), seed)
