"""Rules of a question: what is refused, and which candidates each rule means."""

from __future__ import annotations

import numpy as np
import pytest
from tests.support.layers import SmallSource

from csrag.ask.computation.delivered import delivered_costs, economics
from csrag.ask.computation.rules import has_rules, share_rules
from csrag.ask.computation.rules_facts import BEYOND_HAUL, within_haul
from csrag.ask.records import Location, SitingQuery
from csrag.ask.retrieval.catchment import retrieve
from csrag.build.materialize import materialize
from csrag.errors import DataError, InvalidValueError
from csrag.interfaces.open import open_layers
from csrag.surfaces.catalog import HAZARD_CLASSES, LAND_USES

SITE = Location("Middle", "coordinates", None, 40.0, -120.85)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    out = tmp_path_factory.mktemp("layers") / "set"
    materialize(SmallSource(n=600), out, workers=1, block_rows=128)
    return open_layers(str(out))


def costs_of(store, **query):
    made = SitingQuery(locations=(SITE,), radius_km=45.0, treatment="TFB40", land_use=LAND_USES, **query)
    found = retrieve(store, SITE, made, 1000.0)
    econ = economics(store.manifest, {})
    return made, found, delivered_costs(found, made, store.manifest, econ, lambda rows: store.stand(rows, "TFB40"))


def test_no_rule_is_no_rule():
    assert not has_rules(SitingQuery())
    assert not has_rules(SitingQuery(min_high_hazard_pct=0.0, max_land_share_pct={"usfs": 100.0}))
    assert has_rules(SitingQuery(max_road_km=30.0))
    assert [r.name for r in share_rules(SitingQuery(min_high_hazard_pct=80.0, min_land_share_pct={"usfs": 10.0}))] == [
        "high_hazard",
        "usfs",
    ]


@pytest.mark.parametrize(("query", "words"), [
    ({"min_land_share_pct": {"private": 60.0, "usfs": 50.0}}, "add up to 110 %"),
    ({"max_land_share_pct": {"private": 40.0, "usfs": 50.0}}, "add up to 90 %"),
    ({"min_land_share_pct": {"private": 60.0}, "max_land_share_pct": {"private": 50.0}}, "contradict"),
    ({"min_land_share_pct": {"blm": 5.0}}, "not taken"),
    ({"min_high_hazard_pct": 120.0}, "min_high_hazard_pct"),
])  # fmt: skip
def test_rules_that_no_supply_can_keep_are_refused(query, words):
    with pytest.raises(InvalidValueError, match=words):
        share_rules(SitingQuery(**query))


def test_high_hazard_means_the_classes_named_high_and_very_high(store):
    _, found, costs = costs_of(store, min_high_hazard_pct=80.0, max_land_share_pct={"usfs": 30.0})
    names = [HAZARD_CLASSES[c] for c in found.frame["hazard_class"]]
    assert list(costs.shares.member[0]) == [n in {"high", "very high"} for n in names]
    assert list(costs.shares.member[1]) == [LAND_USES[c] == "usfs" for c in found.frame["land_use"]]


def test_a_haul_limit_takes_clusters_out_and_counts_them(store):
    query, found, costs = costs_of(store, max_road_km=30.0)
    far = costs.road_km > 30.0
    assert 0 < far.sum() < len(far)
    assert np.isinf(costs.unit[far]).all()
    assert np.isfinite(costs.unit[~far]).all()
    assert costs.unworkable == 0
    near, kept = within_haul(query, found, costs, store.manifest)
    assert len(near.frame) == len(kept.tons) == (~far).sum()
    assert near.excluded_clusters[BEYOND_HAUL] == far.sum()
    assert near.excluded_bdt[BEYOND_HAUL] == pytest.approx(costs.tons[far].sum())


def test_a_hazard_rule_without_hazard_classes_is_refused(tmp_path):
    source = SmallSource(n=600)
    source._columns["hazard_class"] = np.full(600, 255, np.uint8)
    materialize(source, tmp_path / "set", workers=1, block_rows=128)
    blind = open_layers(str(tmp_path / "set"))
    query, found, costs = costs_of(blind, min_high_hazard_pct=80.0)
    with pytest.raises(DataError, match="knows no hazard class here"):
        within_haul(query, found, costs, blind.manifest)
