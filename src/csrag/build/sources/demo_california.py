"""A loose sketch of California for the state-wide demonstration: relief, subregions, how much forest, which fires.

The relief rests on rounded elevations of known places (good to some hundred feet there, to a thousand or two between);
the subregions are polygons drawn by hand along familiar lines. Shares of forest, belts, vigour and ruggedness are assumed
so that the forest lies where California's forest roughly lies. Only the places of towns and counties are real: a cluster
of these layers is still drawn at random and stands for no real stand.
"""

from __future__ import annotations

from csrag.build.sources.demo_country import Country, Subregion
from csrag.build.sources.demo_region import FireRegime, Region

NORTH_COAST_FIRE = FireRegime("North Coast", 0.003, 0.81)
KLAMATH_FIRE = FireRegime("Klamath", 0.010, 0.665)
EASTSIDE_FIRE = FireRegime("eastside", 0.006, 0.73)
SUBALPINE_FIRE = FireRegime("subalpine", 0.002, 0.97)
FOOTHILL_FIRE = FireRegime("foothills", 0.013, 0.70)
NORTHERN_SIERRA_FIRE = FireRegime("northern Sierra", 0.012, 0.60)

# Longitude, latitude, elevation [ft], rounded.
RELIEF_FT: tuple[tuple[float, float, float], ...] = (
    # North Coast and Klamath
    (-124.2, 41.75, 50), (-124.15, 40.80, 50), (-124.3, 40.3, 900), (-123.8, 39.45, 100), (-123.72, 38.95, 100),
    (-123.05, 38.32, 100), (-122.72, 38.44, 160), (-122.5, 37.85, 300), (-123.9, 41.3, 1800), (-123.85, 40.6, 1600),
    (-123.7, 40.0, 1500), (-123.35, 39.4, 1400), (-123.2, 39.15, 650), (-122.9, 39.03, 1400), (-123.3, 38.75, 1300),
    (-122.75, 39.4, 5200), (-122.9, 39.9, 5400), (-123.05, 40.2, 5200), (-123.5, 40.75, 3600), (-123.0, 40.98, 6600),
    (-122.94, 40.73, 2100), (-123.4, 41.3, 4800), (-123.55, 41.8, 4500), (-123.1, 41.6, 4600), (-122.7, 41.3, 5800),
    (-122.64, 41.73, 2700), (-122.6, 41.95, 3600), (-122.9, 41.45, 2800), (-122.45, 38.75, 1500), (-122.35, 38.3, 200),
    # Cascades and Modoc
    (-122.19, 41.41, 9500), (-122.31, 41.31, 3700), (-122.3, 41.2, 3300),
    (-122.0, 41.75, 5000), (-121.6, 41.6, 6500), (-121.67, 40.88, 3200),
    (-121.5, 40.48, 7500), (-121.24, 40.3, 4600), (-121.9, 40.45, 3500), (-121.0, 41.7, 4600), (-120.54, 41.48, 4400),
    (-120.23, 41.4, 7800), (-120.2, 41.9, 6000), (-121.1, 41.2, 4600), (-120.8, 40.9, 5300), (-120.3, 40.9, 5200),
    (-120.1, 40.5, 4300), (-120.65, 40.42, 4300), (-122.1, 41.0, 3500), (-122.0, 40.75, 2300),
    # Great Valley
    (-122.39, 40.58, 550), (-122.24, 40.18, 310), (-121.84, 39.73, 210), (-122.2, 39.5, 130), (-121.6, 39.13, 60),
    (-121.49, 38.58, 30), (-121.29, 37.96, 20), (-121.0, 37.64, 90), (-120.48, 37.3, 170), (-119.79, 36.74, 300),
    (-119.29, 36.33, 330), (-119.02, 35.37, 400), (-119.6, 36.0, 220), (-120.4, 36.8, 160), (-118.95, 35.05, 700),
    (-122.0, 38.9, 60), (-121.9, 38.2, 30), (-119.3, 35.6, 320),
    # Sierra Nevada, foothills to crest to the east side
    (-121.55, 39.51, 300), (-121.3, 39.9, 3600), (-120.95, 39.94, 3500), (-120.6, 39.8, 4900), (-120.4, 40.1, 5600),
    (-120.24, 39.68, 4950), (-120.8, 39.57, 4300), (-121.06, 39.22, 2400), (-121.08, 38.9, 1300), (-120.8, 38.73, 1850),
    (-120.33, 39.32, 7200), (-120.18, 39.33, 5900), (-120.3, 39.0, 7200), (-120.04, 38.95, 6300), (-119.95, 38.69, 8400),
    (-120.05, 38.48, 7500), (-120.4, 38.3, 4200), (-120.75, 38.35, 1000), (-120.38, 37.98, 1800), (-119.97, 37.48, 1950),
    (-119.95, 38.0, 5000), (-119.65, 38.33, 9600), (-119.3, 38.0, 10800), (-119.6, 37.75, 6800), (-119.6, 37.3, 5000),
    (-119.05, 37.65, 9800), (-118.97, 37.64, 7900), (-119.0, 37.25, 7400), (-119.35, 36.95, 1800), (-118.7, 37.15, 11200),
    (-118.4, 37.36, 4150), (-118.2, 36.6, 4000), (-118.3, 36.6, 12300), (-118.55, 36.9, 10500), (-118.9, 36.85, 6000),
    (-118.95, 36.45, 2200), (-118.65, 36.4, 8000), (-118.3, 36.2, 8800), (-118.7, 36.05, 6000), (-118.95, 36.05, 1200),
    (-118.3, 35.75, 5200), (-118.0, 36.0, 7000), (-118.6, 35.6, 4500), (-118.42, 35.7, 2700), (-118.45, 35.3, 6200),
    (-118.45, 35.13, 4000), (-119.2, 38.25, 6500), (-119.0, 38.0, 6700), (-118.2, 37.6, 9500), (-117.9, 37.2, 6000),
    (-119.45, 38.55, 6300),
    # Central Coast and Diablo Range
    (-122.05, 37.1, 1700), (-122.3, 37.5, 700), (-122.0, 36.97, 50), (-121.65, 37.35, 2500), (-121.6, 37.0, 250),
    (-121.4, 36.85, 400), (-121.65, 36.67, 60), (-121.6, 36.3, 3300), (-121.4, 36.05, 2900), (-121.1, 36.2, 400),
    (-120.9, 36.4, 3300), (-121.2, 37.1, 2200), (-121.45, 37.75, 400), (-120.69, 35.63, 750), (-120.6, 35.3, 1400),
    (-120.4, 34.95, 300), (-120.3, 35.9, 1800), (-119.9, 35.3, 2000), (-121.05, 35.6, 900), (-122.25, 37.85, 500),
    # Transverse and Peninsular Ranges
    (-119.95, 34.75, 4200), (-119.7, 34.45, 400), (-119.4, 34.65, 4200), (-119.1, 34.78, 6800), (-118.85, 34.6, 3500),
    (-118.7, 34.82, 4000), (-119.2, 34.3, 200), (-118.25, 34.05, 250), (-118.0, 34.33, 6000), (-117.65, 34.29, 8300),
    (-117.45, 34.3, 3500), (-117.1, 34.23, 6000), (-116.88, 34.2, 7700), (-116.6, 34.15, 4500), (-117.3, 34.1, 1050),
    (-116.68, 33.78, 7300), (-116.55, 33.83, 500), (-116.6, 33.55, 4500), (-116.9, 33.35, 5000), (-116.57, 32.95, 5000),
    (-116.42, 32.87, 5800), (-116.6, 33.08, 4200), (-117.1, 32.75, 100), (-117.5, 33.65, 3000), (-117.2, 33.2, 500),
    (-117.9, 33.7, 100), (-116.2, 32.65, 3000), (-118.7, 34.1, 1300), (-117.0, 33.7, 1600),
    # Deserts
    (-118.15, 34.7, 2350), (-117.0, 34.9, 2100), (-117.3, 34.5, 2700), (-117.7, 35.6, 2300), (-116.9, 36.45, 0),
    (-117.1, 36.1, 7000), (-116.0, 35.3, 2000), (-114.6, 34.8, 500), (-115.5, 32.8, 0), (-116.0, 33.3, 0),
    (-114.6, 33.6, 300), (-115.5, 34.2, 1500), (-115.5, 35.3, 4500), (-117.4, 37.0, 4500), (-116.2, 36.0, 2500),
    # Outside the state, so that the sketch ends well
    (-119.8, 39.5, 4500), (-119.7, 41.0, 5000), (-121.5, 42.3, 4500), (-123.3, 42.3, 1500), (-124.6, 42.2, 100),
    (-118.5, 38.5, 5500), (-116.5, 37.3, 4500), (-125.0, 40.4, 0), (-124.3, 39.0, 0), (-123.2, 37.6, 0),
    (-122.3, 36.3, 0), (-121.3, 35.2, 0), (-120.9, 34.4, 0), (-119.3, 33.7, 0), (-117.8, 32.8, 0), (-116.5, 32.2, 2500),
    (-114.3, 35.8, 2500), (-114.2, 33.0, 500),
)  # fmt: skip

_NORTH_COAST = (
    (-124.7, 42.1), (-123.85, 42.1), (-123.8, 41.3), (-123.6, 40.6), (-123.4, 40.0), (-123.25, 39.5), (-123.0, 39.1),
    (-122.75, 38.75), (-122.4, 38.55), (-122.3, 38.2), (-122.5, 37.75), (-123.2, 37.8), (-124.0, 38.9), (-124.8, 40.3),
)  # fmt: skip
_KLAMATH = (
    (-123.85, 42.1), (-122.45, 42.1), (-122.45, 41.2), (-122.15, 40.95), (-122.45, 40.65), (-122.65, 40.2), (-122.6, 39.4),
    (-122.35, 38.8), (-122.4, 38.55), (-122.75, 38.75), (-123.0, 39.1), (-123.25, 39.5), (-123.4, 40.0), (-123.6, 40.6),
    (-123.8, 41.3),
)  # fmt: skip
_CASCADES = (
    (-122.45, 42.1), (-121.5, 42.1), (-121.3, 41.3), (-121.1, 40.6), (-121.05, 40.2), (-121.55, 40.05), (-121.95, 40.15),
    (-122.15, 40.55), (-122.15, 40.95), (-122.45, 41.2),
)  # fmt: skip
_MODOC = (
    (-121.5, 42.1), (-119.9, 42.1), (-119.9, 40.75), (-120.6, 40.5), (-121.05, 40.4), (-121.1, 40.6), (-121.3, 41.3),
)  # fmt: skip
_NORTHERN_SIERRA = (
    (-121.55, 40.05), (-121.05, 40.2), (-121.05, 40.4), (-120.6, 40.5), (-120.4, 40.0), (-120.3, 39.5), (-120.05, 39.3),
    (-119.9, 38.75), (-120.55, 38.1), (-121.1, 38.5), (-121.45, 39.2), (-121.7, 39.7),
)  # fmt: skip
_SOUTHERN_SIERRA = (
    (-119.9, 38.75), (-119.55, 38.3), (-119.2, 37.95), (-118.95, 37.6), (-118.6, 37.1), (-118.35, 36.7), (-118.15, 36.2),
    (-117.95, 35.7), (-118.2, 35.3), (-118.45, 34.95), (-118.75, 35.15), (-118.8, 35.6), (-119.0, 36.1), (-119.3, 36.75),
    (-119.8, 37.2), (-120.55, 38.1),
)  # fmt: skip
_EASTSIDE = (
    (-120.6, 40.5), (-119.9, 40.75), (-119.9, 39.0), (-118.9, 38.3), (-118.2, 37.75), (-118.1, 37.4), (-118.5, 37.35),
    (-118.75, 37.4), (-118.95, 37.6), (-119.2, 37.95), (-119.55, 38.3), (-119.9, 38.75), (-120.05, 39.3), (-120.3, 39.5),
    (-120.4, 40.0),
)  # fmt: skip
_CENTRAL_COAST = (
    (-122.65, 37.75), (-122.1, 37.75), (-121.9, 37.4), (-121.5, 37.6), (-121.15, 37.2), (-120.6, 36.3), (-120.3, 35.7),
    (-120.1, 35.2), (-120.6, 34.95), (-120.9, 35.2), (-121.5, 35.6), (-122.1, 36.3), (-122.5, 37.0),
)  # fmt: skip
_TRANSVERSE = (
    (-120.6, 34.95), (-120.1, 35.2), (-119.3, 34.95), (-118.6, 34.85), (-118.1, 34.5), (-117.6, 34.45), (-117.2, 34.4),
    (-116.7, 34.35), (-116.55, 34.05), (-117.2, 34.05), (-117.7, 34.12), (-118.3, 34.22), (-119.0, 34.3), (-119.7, 34.4),
    (-120.5, 34.45),
)  # fmt: skip
_PENINSULAR = (
    (-117.25, 34.05), (-116.55, 34.05), (-116.45, 33.5), (-116.25, 33.0), (-116.2, 32.5), (-116.9, 32.5), (-117.1, 33.2),
    (-117.6, 33.6), (-117.65, 33.85), (-117.2, 33.8),
)  # fmt: skip

# Forest is the assumed share of the ground, inside the belt of elevation, under trees of any kind, oak woodland and juniper
# included. Reasons, from what is generally known of the land cover; no share was fitted to a map or to a circle:
#   North Coast          redwood and Douglas-fir nearly throughout; prairies, vineyards and towns the rest
#   Klamath              the most closed mountain forest of the state; brush fields, rock and a few farmed valleys
#   Cascades             conifers on most of it; lava, meadows and the blue-oak foothills' grass
#   Modoc Plateau        sagebrush and dry lake beds over more than half; juniper and pine on the rest
#   northern Sierra      Plumas to El Dorado, mixed conifer nearly closed; meadows, reservoirs, brush after fires
#   southern Sierra      the same belt, with more granite, chaparral and oak savanna
#   eastside             sagebrush over more than half; Jeffrey pine, pinyon and juniper
#   Central Coast        redwood and oak beside as much grass and chaparral
#   Transverse, Peninsular  chaparral first; oaks in the canyons, pines on the tops
# Together they make about the state's third under forest, which is what 1.08 million cells of 32 acres are.
SUBREGIONS = (
    Subregion("North Coast", _NORTH_COAST, NORTH_COAST_FIRE, forest=0.90, low_ft=-800, high_ft=9000, roughness=0.3,
              vigour=0.8, oak_below_ft=250, fir_above_ft=6500, wet=2.6, foothill_ft=-500),
    Subregion("Klamath", _KLAMATH, KLAMATH_FIRE, forest=0.92, low_ft=700, high_ft=8000, roughness=0.6,
              vigour=0.3, oak_below_ft=1700, fir_above_ft=6200, wet=1.8, klamath=True, foothill_ft=1500),
    Subregion("Cascades", _CASCADES, NORTHERN_SIERRA_FIRE, forest=0.80, low_ft=800, high_ft=8200, roughness=-0.2,
              vigour=0.1, oak_below_ft=2300, fir_above_ft=6400, wet=0.1, foothill_ft=2200),
    Subregion("Modoc Plateau", _MODOC, EASTSIDE_FIRE, forest=0.45, low_ft=4200, high_ft=8500, roughness=-0.7,
              vigour=-0.5, oak_below_ft=0, fir_above_ft=7000, wet=-2.0, foothill_ft=0),
    Subregion("northern Sierra", _NORTHERN_SIERRA, NORTHERN_SIERRA_FIRE, forest=0.88, low_ft=400, high_ft=8700,
              roughness=0.2, vigour=0.3, oak_below_ft=2600, fir_above_ft=6700, wet=0.1, foothill_ft=2600),
    Subregion("southern Sierra", _SOUTHERN_SIERRA, NORTHERN_SIERRA_FIRE, forest=0.74, low_ft=800, high_ft=10200,
              roughness=0.3, vigour=0.0, oak_below_ft=3800, fir_above_ft=7500, wet=-0.4, foothill_ft=3600),
    Subregion("eastside", _EASTSIDE, EASTSIDE_FIRE, forest=0.45, low_ft=4900, high_ft=9800, roughness=-0.2,
              vigour=-0.4, oak_below_ft=0, fir_above_ft=7900, wet=-2.2, foothill_ft=0),
    Subregion("Central Coast", _CENTRAL_COAST, FOOTHILL_FIRE, forest=0.55, low_ft=300, high_ft=9000, roughness=0.1,
              vigour=-0.6, oak_below_ft=2300, fir_above_ft=9000, wet=0.7, foothill_ft=9000),
    Subregion("Transverse Ranges", _TRANSVERSE, FOOTHILL_FIRE, forest=0.40, low_ft=2000, high_ft=9500, roughness=0.5,
              vigour=-0.7, oak_below_ft=4300, fir_above_ft=8300, wet=-0.8, foothill_ft=9000),
    Subregion("Peninsular Ranges", _PENINSULAR, FOOTHILL_FIRE, forest=0.35, low_ft=2300, high_ft=9500, roughness=0.1,
              vigour=-0.7, oak_below_ft=4500, fir_above_ft=8300, wet=-0.8, foothill_ft=9000),
)  # fmt: skip

CALIFORNIA = Region(
    name="california",
    title="California demonstration region (synthetic)",
    box=(32.5, 42.05, -124.5, -114.1),
    forest_share=0.0,
    fire=(((32.5, 42.05, -124.5, -114.1), NORTHERN_SIERRA_FIRE),),
    clip_to_state=True,
    country=Country(
        subregions=SUBREGIONS, relief_ft=RELIEF_FT, foothill_fire=FOOTHILL_FIRE, subalpine_fire=SUBALPINE_FIRE,
        density=1_080_000 / 3_162_586,
    ),
    parks=4,
)  # fmt: skip
"""The whole state. Its country, not a share of the box, decides where the forest is."""
