#!/usr/bin/env python3
"""Write docs/reference/quantities.md from the tables in the code, so that the page cannot go stale.

python tools/make_reference.py            write it
python tools/make_reference.py --check    exit 1 if the page on disk differs
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from pathlib import Path

from csrag.quantities import QUANTITIES, Quantity
from csrag.surfaces.catalog import (
    COLUMNS,
    CORE_COLUMNS,
    FEEDSTOCK_CLASS_OF,
    FEEDSTOCK_CLASSES,
    ROAD_COLUMNS,
    SYSTEMS,
    TREATMENTS,
    Column,
)
from csrag.values import VALUES

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "quantities.md"
HEAD = """# Quantities, columns and words

<!-- Made by tools/make_reference.py from csrag.quantities and csrag.surfaces.catalog: change the code, not this. -->

A name ends in its unit: `_bdt`, `_usd_per_bdt`, `_km`, `_pct`. Masses always say their basis: **BDT** is a bone-dry
short ton (907.18474 kg with no water in it), **GT** a green short ton (BDT / (1 - moisture)), **BDMT** a bone-dry
metric tonne (BDT x 0.90718474). Money is USD; the dollar years of the inputs are mixed.
"""


def table(head: list[str], rows: list[list[str]]) -> str:
    """One Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def allowed(quantity: Quantity) -> str:
    """Range of a quantity in words; empty where it is computed and has none."""
    low, high = (
        "" if math.isnan(bound) else f"{bound:,.0f}" if bound == round(bound) else f"{bound:g}"
        for bound in (quantity.low, quantity.high)
    )
    return f"{low} to {high}" if low and high else low or high


def page() -> str:
    """The whole page."""
    given = list(QUANTITIES.values())
    computed = [[f"`{name}`", f"`{unit}`", label] for name, (unit, label) in VALUES.items()]
    head = ["column", "unit", "type on disk", "axes", "meaning"]

    def rows(columns: Iterable[Column]) -> list[list[str]]:
        return [[f"`{c.name}`", c.unit or "none", f"`{c.dtype}`", c.axes, c.meaning] for c in columns]

    systems = [[name, f"`{FEEDSTOCK_CLASSES[FEEDSTOCK_CLASS_OF[name]]}`"] for name in SYSTEMS]
    parts = [
        HEAD,
        "## Quantities with a range\n\nA value outside its range is refused with exit code 2 and a message that says "
        "what is allowed.\n",
        table(
            ["name", "unit", "allowed", "meaning"],
            [[f"`{q.name}`", q.unit, allowed(q), q.meaning] for q in given],
        ),
        "\n## Values of an answer\n\nThey stand under `values` in the answer record.\n",
        table(["name", "unit", "meaning"], computed),
        "\n## Columns of a layer set\n\nAxes are given in storage order.\n",
        table(head, rows(COLUMNS.values())),
        "\n### Columns of a road network\n\nOnly in sets that carry one; see [the road network]"
        "(../explanation/roads.md). The `core_` columns follow from the others and save time.\n",
        table(head, rows([*ROAD_COLUMNS.values(), *CORE_COLUMNS.values()])),
        "\n## Treatments\n\n" + ", ".join(f"`{name}`" for name in TREATMENTS) + ".",
        "\n## Harvesting systems\n\nThe feedstock of a cluster depends on the system only through its class.\n",
        table(["system", "feedstock class"], systems),
    ]
    return "\n".join(parts) + "\n"


def main(arguments: list[str]) -> int:
    """Write or check the page."""
    text = page()
    if arguments == ["--check"]:
        if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text:
            return 0
        print("docs/reference/quantities.md is out of date: run python tools/make_reference.py", file=sys.stderr)
        return 1
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
