"""Trade-offs of layers that know no fire, or the same everywhere; the chart of a front; what a question may not ask."""

from __future__ import annotations

import numpy as np
import pytest
from tests.support.layers import SmallSource

from csrag.ask.decisions import analyse_intent
from csrag.ask.recording import place_words, write
from csrag.ask.records import Location, SitingQuery
from csrag.ask.results import Table
from csrag.ask.run import Run, Trace
from csrag.build.materialize import materialize
from csrag.interfaces.cli.front_chart import front_chart
from csrag.interfaces.open import open_layers

SITE = Location("Middle", "coordinates", None, 40.0, -120.85)


class Burning(SmallSource):
    """The small source with a burn probability of its own, and hazard classes all unknown where asked."""

    def __init__(self, burn, *, hazard=None, **changes):
        super().__init__(n=600, **changes)
        self._columns["burn_probability"] = np.full(600, burn, np.float32)
        self._columns["wilderness"] = np.zeros(600, self._columns["wilderness"].dtype)
        if hazard is not None:
            self._columns["hazard_class"] = np.full(600, hazard, np.uint8)


def asked(tmp_path, source, **query):
    materialize(source, tmp_path / "set", workers=1, block_rows=128)
    store = open_layers(str(tmp_path / "set"))
    made = SitingQuery(locations=(SITE,), radius_km=40.0, demand_bdt=1500.0, treatment="TFB40", **query)
    analysis, _ = analyse_intent(Run(store, made, SITE, Trace()), [])
    return analysis, write(made, analysis, SITE).text


@pytest.mark.parametrize(("burn", "reason", "words"), [
    (np.nan, "no_burn_probability", "know no burn probability here"), (0.01, "flat_burn_probability", "the same at every candidate"),
])  # fmt: skip
def test_an_empty_or_flat_fire_layer_is_said_and_not_plotted(tmp_path, burn, reason, words):
    analysis, text = asked(tmp_path, Burning(burn), intent="pareto")
    assert (analysis.status, analysis.reason) == ("partial", reason)
    assert "pareto" not in analysis.tables
    assert "pareto_points" not in analysis.tables
    assert words in text.split(". ")[0]
    assert reason in {w.code for w in analysis.warnings}
    assert analysis.facts["average_delivered_cost"].value is not None


def test_unknown_hazard_classes_leave_the_acres_out(tmp_path):
    source = Burning(0.01, hazard=255)
    source._columns["burn_probability"] = np.linspace(0.001, 0.04, 600).astype(np.float32)
    analysis, text = asked(tmp_path, source, intent="pareto")
    assert analysis.status == "answered"
    assert analysis.facts["cost_only_high_hazard_acres"].value is None
    assert all(row[6] is None for row in analysis.tables["pareto"].rows)
    assert "No hazard class is known here" in text
    assert place_words(SITE) in text


def test_a_front_is_drawn_with_its_ends_in_the_corners():
    columns = ("average_delivered_cost_usd_per_bdt", "burn_probability", "on_front")
    table = Table(columns, ((40.0, 0.01, True), (41.0, 0.02, True), (50.0, 0.03, True), (55.0, 0.01, False)))
    points = Table(
        ("point", *columns[:2]), (("cost only", 40.0, 0.01), ("knee", 41.0, 0.02), ("fire alone", 50.0, 0.03))
    )
    lines = front_chart(table, points, width=21, height=5)
    body = [line[10:] for line in lines[:5]]
    assert body[0].rstrip() == " " * 20 + "C"
    assert body[-1].rstrip() == "A"
    assert "B" in body[2]
    assert lines[0].strip().startswith("3.00 %")
    assert lines[4].strip().startswith("1.00 %")
    assert "$40.00" in lines[-1]
    assert "$50.00 per BDT" in lines[-1]


def test_a_front_of_one_point_is_not_drawn():
    columns = ("average_delivered_cost_usd_per_bdt", "burn_probability", "on_front")
    table = Table(columns, ((40.0, 0.01, True), (40.0, 0.01, True)))
    assert front_chart(table, Table(("point", *columns[:2]), ())) == []
