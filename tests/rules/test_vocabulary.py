"""Rules about the shared vocabulary: columns and quantities say their unit, their meaning and a mass its basis."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from csrag.ask.results import Fact
from csrag.ask.synthesis.format import value_text
from csrag.quantities import QUANTITIES, Quantity
from csrag.surfaces.catalog import COLUMNS, Column
from csrag.values import VALUES

WITHOUT_UNIT = {"cluster_no": "a key", "zone": "a number that only names a zone"}
MASS = re.compile(r"\b(tons?|tonnes?|kg|lbs?|pounds?)\b", re.I)
BASIS = re.compile(r"\b(BDT|GT|BDMT)\b")
SUFFIX_UNITS = {
    "bdt": "BDT",
    "gt": "GT",
    "usd": "USD",
    "mw": "MW",
    "mwh": "MWh",
    "km": "km",
    "acres": "acres",
    "ft": "feet",
    "pct": "percent",
    "h": "hour",
    "gal": "gallon",
    "mile": "mile",
    "acre": "acre",
    "y": "years",
}
"""Last word of a name to the word that its unit must hold."""


def masses_say_their_basis(unit: str, meaning: str) -> bool:
    if not MASS.search(unit) or BASIS.search(unit):
        return True
    return bool(re.search(r"\b(dry|green)\b", f"{unit} {meaning}"))


@pytest.mark.parametrize("column", COLUMNS.values(), ids=lambda c: c.name)
def test_columns(column: Column) -> None:
    assert column.meaning.strip()
    assert bool(column.unit.strip()) != (column.name in WITHOUT_UNIT)
    assert masses_say_their_basis(column.unit, column.meaning)
    assert np.dtype(column.dtype).str == column.dtype, "dtypes on disk name their byte order"
    assert column.axes in {"cluster", "treatment,cluster", "treatment,system,cluster", "treatment,class,cluster"}


@pytest.mark.parametrize("quantity", QUANTITIES.values(), ids=lambda q: q.name)
def test_quantities(quantity: Quantity) -> None:
    assert quantity.meaning.strip()
    assert quantity.unit.strip()
    assert masses_say_their_basis(quantity.unit, quantity.meaning)
    assert not quantity.low > quantity.high


@pytest.mark.parametrize(
    "thing", [*COLUMNS.values(), *QUANTITIES.values()], ids=lambda t: f"{type(t).__name__}-{t.name}"
)
def test_the_suffix_is_the_unit(thing: Column | Quantity) -> None:
    last = thing.name.split("_")[-1]
    if "_" in thing.name and last in SUFFIX_UNITS:
        assert SUFFIX_UNITS[last] in thing.unit
    if "_usd_per_" in f"_{thing.name}":
        assert thing.unit.startswith("USD per ")


TEXT_UNITS = {"text"}


@pytest.mark.parametrize("name", VALUES)
def test_values_have_a_unit_that_can_be_written_and_a_label(name: str) -> None:
    unit, label = VALUES[name]
    written = value_text(Fact("diesel" if unit in TEXT_UNITS else 1.5, unit, label))
    assert written
    assert unit
    assert label.strip()
    assert "ton" not in unit.split("_"), "a mass says its basis: bdt, gt or bdmt"


def test_a_bare_ton_is_caught() -> None:
    assert not masses_say_their_basis("short tons", "feedstock of a cluster")
    assert masses_say_their_basis("short tons", "feedstock of a cluster, bone dry")


def test_reference_page_is_current(project_root: Path) -> None:
    tool = [sys.executable, str(project_root / "tools" / "make_reference.py"), "--check"]
    done = subprocess.run(tool, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
