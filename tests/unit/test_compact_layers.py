"""Compact layer sets: fewer files, the same columns to the last bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.layers import SmallSource

from csrag.build import compact as compact_module
from csrag.build.compact import derivable
from csrag.build.materialize import materialize
from csrag.errors import LayerSetDamagedError
from csrag.simulators.harvest import HarvestEconomics, harvest
from csrag.surfaces.catalog import COLUMNS, SYSTEMS
from csrag.surfaces.derived import DERIVABLE, derive
from csrag.surfaces.store import CATCHMENT_COLUMNS
from csrag.surfaces.stores.columnar import ColumnarStore


def build(out: Path, *, compact: bool | None, **options: object) -> ColumnarStore:
    materialize(SmallSource(n=900), out, workers=1, compact=compact, **options)  # type: ignore[arg-type]
    return ColumnarStore(out)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[ColumnarStore, ColumnarStore]:
    folder = tmp_path_factory.mktemp("both")
    return build(folder / "full", compact=False), build(folder / "small", compact=True)


def test_it_is_smaller_and_whole(both):
    full, small = both
    assert small.manifest.derived == DERIVABLE
    assert full.manifest.derived == ()
    assert "derived" not in full.manifest.to_json()
    assert full.size_bytes - small.size_bytes > 0.9 * 2 * 900 * 4 * 3
    assert small.verify() == []
    assert full.manifest.units.keys() == small.manifest.units.keys()
    assert full.manifest.counts == small.manifest.counts


@pytest.mark.parametrize("name", COLUMNS)
def test_every_column_is_the_same_to_the_last_bit(both, name):
    full, small = both
    assert small.column(name).dtype == full.column(name).dtype
    assert small.column(name).shape == full.column(name).shape
    assert small.column(name).tobytes() == full.column(name).tobytes()


@given(radius=st.floats(0.0, 80.0), lat=st.floats(39.4, 40.6), lon=st.floats(-121.6, -120.1))
def test_every_circle_is_the_same_to_the_last_bit(both, radius, lat, lon):
    full, small = both
    for treatment in full.manifest.treatment_names:
        ours, theirs = (store.catchment(lat, lon, radius, treatment) for store in (small, full))
        for name in CATCHMENT_COLUMNS:
            assert ours[name].shape == theirs[name].shape
            assert np.ascontiguousarray(ours[name]).tobytes() == np.ascontiguousarray(theirs[name]).tobytes(), name


def test_a_what_if_gives_the_stored_bytes(both):
    _, small = both
    stand = small.stand(np.arange(len(small)), "TFB40")
    known = np.isfinite(stand["branch_bdt_per_acre"])
    result = harvest(stand.filter(known), SYSTEMS, HarvestEconomics(), clear_cut=False)
    at = small.manifest.treatment_names.index("TFB40")
    for name, values in (("cost_usd_per_bdt", result.cost_usd_per_bdt), ("feedstock_bdt", result.feedstock_bdt),
                         ("coproduct_bdt", result.coproduct_bdt)):  # fmt: skip
        stored = small.column(name)[at][..., known]
        assert stored.tobytes() == values.astype(np.float32).tobytes()


def test_a_rounding_the_formula_misses_is_listed_and_read(tmp_path, monkeypatch, both):
    full, _ = both

    def off_by_a_hair(what, read, economics):
        values = derive(what, read, economics)
        return np.nextafter(values, np.float32(np.inf)) if what == "coproduct_bdt" else values

    # The builder sees a formula that is wrong in every value, as a rounding is in a few.
    monkeypatch.setattr(compact_module, "derive", off_by_a_hair)
    monkeypatch.setattr(compact_module, "MOST_EXCEPTIONS", 10_000)
    store = build(tmp_path / "odd", compact=True)
    assert len(store.manifest.derived_exceptions) > 500
    # Reading with the same wrong formula, only the listed values can make it right.
    monkeypatch.setattr("csrag.surfaces.derived.derive", off_by_a_hair)
    ours, theirs = (s.catchment(40.0, -120.9, 25.0, "TFB40")["coproduct_bdt"] for s in (store, full))
    np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(store.column("coproduct_bdt"), full.column("coproduct_bdt"))


def test_another_mapping_keeps_what_its_formula_does_not_give(tmp_path):
    full = build(tmp_path / "full", compact=False, mapping="backend")
    small = build(tmp_path / "small", compact=True, mapping="backend")
    for name in COLUMNS:
        assert small.column(name).tobytes() == full.column(name).tobytes()


def test_a_column_that_is_another_quantity_stays(both):
    full, _ = both
    columns = {name: np.array(full.column(name)) for name in COLUMNS}
    columns["coproduct_bdt"] *= np.float32(1.01)
    derived, exceptions = derivable(columns, full.manifest.economics)
    assert "coproduct_bdt" not in derived
    assert exceptions == ()


def test_small_sets_stay_as_they_were(tmp_path):
    assert build(tmp_path / "plain", compact=None).manifest.derived == ()


def test_a_manifest_that_derives_what_nobody_can_is_refused(tmp_path):
    from dataclasses import replace

    store = build(tmp_path / "set", compact=True)
    wrong = replace(store.manifest, derived=(*store.manifest.derived, "cost_usd_per_bdt")).with_hash()
    (tmp_path / "set" / "manifest.json").write_text(wrong.dumps())
    with pytest.raises(LayerSetDamagedError, match="cannot be derived"):
        ColumnarStore(tmp_path / "set")
