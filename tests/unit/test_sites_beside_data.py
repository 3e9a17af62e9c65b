"""Sites outside the area of the layers: answered beside the wood, refused far from it, nothing false said in between."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.support.layers import build_small

from csrag.ask.intent import parse
from csrag.ask.records import Location
from csrag.ask.retrieval.catchment import BESIDE_DATA_KM, MAX_AUTO_RADIUS_KM, retrieve
from csrag.errors import OutsideDataError
from csrag.geo import haversine_km
from csrag.surfaces.stores.columnar import ColumnarStore

BOX = (40.0, 40.05, -121.0, -120.95)
KM_A_DEGREE = 111.195


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> ColumnarStore:
    """60 clusters within a few kilometres, in an area that is their hull and no more."""
    out = tmp_path_factory.mktemp("beside") / "set"
    build_small(out, n=60, box=BOX)
    opened = ColumnarStore(out)
    ring = ((-121.0, 40.0), (-120.95, 40.0), (-120.95, 40.05), (-121.0, 40.05), (-121.0, 40.0))
    opened._manifest = replace(opened.manifest, data_area=(ring,))
    return opened


def query():
    return replace(parse("20 MW at Quincy"), treatment="SDI55")


def site(lat: float, lon: float) -> Location:
    return Location("A mill", "coordinates", None, lat, lon)


def nearest_km(store: ColumnarStore, lat: float, lon: float) -> float:
    return float(haversine_km(lat, lon, store.column("lat"), store.column("lon")).min())


@pytest.mark.parametrize(("north", "east"), [(1.7, 0), (-1.7, 0), (0, 2.5), (25, 0)])
def test_a_site_beside_the_wood_is_answered_and_told_what_is_unknown(store, north, east):
    lat = (BOX[1] if north > 0 else BOX[0]) + north / KM_A_DEGREE
    lon = BOX[3] + east / (KM_A_DEGREE * np.cos(np.radians(lat))) if east else (BOX[2] + BOX[3]) / 2
    assert nearest_km(store, lat, lon) < BESIDE_DATA_KM
    found = retrieve(store, site(lat, lon), query(), 1e9)
    assert len(found.frame) > 0
    assert found.edge_share > 0.5
    assert found.radius_origin == "widest"
    assert found.radius_km == np.ceil(found.frame["distance_km"].max())


def test_the_widest_circle_stops_at_its_last_candidate(store):
    found = retrieve(store, site(40.025, -120.975), query(), 1e9)
    assert found.radius_origin == "widest"
    assert found.frame["distance_km"].max() <= found.radius_km < 10
    wide = retrieve(store, site(40.025, -120.975), replace(query(), radius_km=MAX_AUTO_RADIUS_KM), 1e9)
    assert sorted(found.frame["cluster_no"]) == sorted(wide.frame["cluster_no"])
    none = retrieve(store, site(40.025, -120.975), replace(query(), land_use=()), 1e9)
    assert (len(none.frame), none.radius_km) == (0, MAX_AUTO_RADIUS_KM)


@pytest.mark.parametrize(
    ("lat", "lon", "word"),
    [(41.0, -120.975, "south"), (39.3, -120.975, "north"), (40.02, -122.3, "east"), (40.02, -119.7, "west"),
     (40.8, -122.0, "south-east"), (39.3, -120.0, "north-west")],
)  # fmt: skip
def test_a_site_within_reach_is_told_the_nearest_cluster_and_no_false_zero(store, lat, lon, word):
    with pytest.raises(OutsideDataError) as caught:
        retrieve(store, site(lat, lon), query(), 1e5)
    said = caught.value.message
    assert f"{nearest_km(store, lat, lon):.0f} km to the {word}," in said
    assert " 0 MW" not in said
    assert " 0 BDT" not in said


def test_far_away_zero_is_said_and_true(store):
    lat, lon = 36.24, -116.81
    assert nearest_km(store, lat, lon) > MAX_AUTO_RADIUS_KM
    with pytest.raises(OutsideDataError, match=r"0 BDT within 200 km of this site, so 0 MW"):
        retrieve(store, site(lat, lon), query(), 1e5)
