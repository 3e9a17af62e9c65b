#!/usr/bin/env python3
"""Write docs/reference/economics.md from the tables in the code, so that the page cannot go stale.

python tools/make_economics_reference.py            write it
python tools/make_economics_reference.py --check    exit 1 if the page on disk differs
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from csrag.economics import closed_forms, grid_tables, lca, models, project, tables
from csrag.economics.inputs import ADVISED_CAPITAL_USD_PER_KW, ADVISED_COST_TIMES, PLANT_INPUTS
from csrag.economics.schema import ANY, Field, Interval

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "economics.md"
MARK = "<!-- Made by tools/make_economics_reference.py from csrag.economics: change the code, not this. -->"

HEAD = f"""# Economics: plant, power line, life cycle

{MARK}

The plant models follow `@ucdavis/tea` 1.4.3 and the life-cycle model `@ucdavis/lca` 1.6.8, written anew from their
formulas and compared with them row by row. GPO is `combustion`, CHP is `chp`, GP is `gasification`. Every rate is in
percent. Fuel masses are green metric tonnes inside the models and BDT in answers.

## From Python

```python
from csrag.economics.plant import lcoe

plant = lcoe("combustion", 25, 61.3, 186_815)  # 25 MW, 61.30 USD per BDT in year one, 186,815 BDT a year
assert round(plant.lcoe_current_usd_per_mwh) == 170
assert round(plant.lcoe_constant_usd_per_mwh) == 143
assert len(plant.rows) == 20
```

* The delivered cost of each year takes the place of the form's fuel price, as in the FRREDSS yearly loop. A single
  number is the cost of year one and grows by general inflation: 2.6 % a year, gasification 2.1 %.
* Capital and yearly costs other than fuel are the defaults below times (capacity / reference)^{tables.SCALE_EXPONENT}, to a
  whole dollar; reference 25,000 kW, gasification 500 kW. Ash disposal scales with the others; the FRREDSS form leaves it.
* One USD per BDT moves a 25 MW combustion plant by 1.23 USD per MWh (current dollars, cost growing 2.6 % a year).
* The power line is left out unless asked for. The carbon credit is left out.

The packages' own names: `csrag.economics.models.run(kind, inputs)`. Kinds: {{kinds}}.
`models.evaluate` gives the cautions beside the outputs.

## How a cost of electricity comes about

```
R(y)     = equity recovery + debt payment + fuel + dual fuel + other costs + taxes + reserve
           - capacity payment - reserve interest - heat - char - carbon credit (if counted)
PW       = sum of R(y) / (1 + return on equity)^y
current  = PW x CRF(return on equity, life) / kWh a year
constant = PW x CRF((1 + return on equity) / (1 + inflation) - 1, life) / kWh a year
CRF(i,N) = i (1 + i)^N / ((1 + i)^N - 1);  1/N at i = 0
```

## Readings of the reference that are kept

| what | consequence |
| --- | --- |
| everything is discounted at the return on equity | the weighted cost of money is reported and never used |
| the capacity payment of 166 USD per kW and year is a default (GPO, CHP) | worth 23.7 USD per MWh at 25 MW; optimistic, \
so answers state it |
| depreciation is straight below 20 years and a fixed 16-year table from 20 on | the cost jumps between 19 and 20 |
| the production tax credit is deducted from taxable income | worth t/(1-t) = 0.72 of itself at the default taxes; a true \
credit would be worth 1.72 |
| the loan lasts as long as the plant; one debt payment is held in reserve from year one to the last | with a life of one \
year it is never returned |
| ash in percent of dry matter is applied to wet fuel | ash and char are too high by 1/(1 - moisture) |
| the composition of the gas (GP) sets its flow and heating value | it never touches cost or fuel demand |
| a mile of power line costs 1.5 (under 3 miles), 1.2 (3 to 10) or 1 times the base | 2.99 miles cost more than 3, 10 more \
than 10.01 |
| conversion emissions count biogenic CO2 | carbon intensity is 280 to 530 g/MJ: the carbon credit of the yearly loop is 0 \
unless the energy economy ratio is above 3.2 to 5.3 |
| a substation part without a price at the chosen voltage counts as 0 USD | computed with the caution \
`part_without_price` |

## Where the reference fails

| the reference gives | here |
| --- | --- |
| NaN at 0 % debt interest or 0 % return on equity | the limit: recovery factor 1/N |
| NaN for constant dollars where the return on equity equals inflation | the limit: recovery factor 1/N |
| NaN or wrong digits at tiny rates such as 1e-9 % | right to the last digits (`expm1`, `log1p`) |
| NaN or 0 taxes where the credit list is shorter than the life | refused |
| NaN, Infinity or an exception: life 0 or 20.5, capacity 0, capacity factor 0, efficiency 0, moisture 100 %, taxes \
100 %, char all carbon, a gas that does not burn, 0 miles, a missing input | refused |
| a number that means nothing: moisture above 100 %, gas above 100 %, texts for numbers (`"3000000"` is glued on, not \
added), no first year, an unknown line class, conductor or LCA technology counted as 0 | refused |

Refused means `InvalidValueError` with every problem and how to mend it. No model returns NaN or Infinity.

## Cautions

| code | when |
| --- | --- |
| `outside_model_range` | an input lies outside its advised range; computed all the same |
| `tax_credit_as_deduction` | a production tax credit is given |
| `reserve_not_returned` | the life is one year |
| `length_class_mismatch` | the length class is not that of the miles given |
| `part_without_price` | a substation part has no price at this voltage |
| `unknown_model` | `energyRevenueRequired` for a model that is none of the three |
| `small_plant_optimistic` | combustion or chp below 10 MW |
| `demand_differs_from_plant` | the fuel bought is more than 10 % off what the plant burns |
"""


def table(head: list[str], rows: list[list[str]]) -> str:
    """One Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def shown(value: Any) -> str:
    """A default in words."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return "five 1, then 0"
    if isinstance(value, str):
        return value
    return f"{value:g}" if value != round(value) else f"{value:.0f}" if abs(value) < 10_000 else f"{value:,.0f}"


def interval(value: Interval) -> str:
    """A range in words, empty where there is none."""
    return "" if value == ANY else str(value)


def plant_rows() -> list[list[str]]:
    """Every input of the plant models once, with the three defaults."""
    seen: dict[str, dict[str, Field]] = {}
    for model, kind in PLANT_INPUTS.items():
        for field in kind.table:
            seen.setdefault(field.name, {})[model] = field
    rows = []
    for name, by_model in seen.items():
        paths = list(dict.fromkeys(f.path for f in by_model.values()))
        any_one = next(iter(by_model.values()))
        advised = list(dict.fromkeys(interval(f.advised) for f in by_model.values()))
        defaults = [shown(by_model[m].default) if m in by_model else "-" for m in PLANT_INPUTS]
        what = " / ".join(f"`{p}`" for p in paths)
        rows.append([
            f"`{name}`", what, any_one.unit, *defaults, interval(any_one.allowed), "; ".join(advised), any_one.meaning,
        ])  # fmt: skip
    return rows


def simple_rows(fields: tuple[Field, ...]) -> list[list[str]]:
    """Inputs of one of the small models."""
    return [
        [
            f"`{f.name}`",
            f"`{f.path}`",
            f.unit if f.kind != "word" else "one of " + ", ".join(f"`{w}`" for w in f.words),
            shown(f.default),
            interval(f.allowed),
            f.meaning,
        ]
        for f in fields
    ]


def page() -> str:
    """The whole page."""
    low, high = ADVISED_CAPITAL_USD_PER_KW
    small = ["ours", "package's name", "unit", "default", "allowed", "meaning"]
    parts = [
        HEAD.replace("{kinds}", ", ".join(f"`{k}`" for k in models.KINDS)),
        "## Inputs of the plant models\n\nAn input outside *allowed* is refused, outside *advised* computed with "
        f"`outside_model_range`. Advised besides: capital {low:,.0f} to {high:,.0f} USD per kW; yearly costs "
        f"{ADVISED_COST_TIMES[0]:g} to {ADVISED_COST_TIMES[1]:g} times the scaled default; gross capacity 1 to 1.3 times "
        "net. Inputs that a model does not use are left alone. All others must be given to "
        "`models.run` but `IncludeCarbonCredit`.\n",
        table(
            ["ours", "package's name", "unit", "GPO", "CHP", "GP", "allowed", "advised", "meaning"],
            plant_rows(),
        ),
        "\n## Inputs of the power line (`transmission`)\n",
        table(small, simple_rows(grid_tables.LINE)),
        "\n## Inputs of the substation\n",
        table(small, simple_rows(grid_tables.SUBSTATION)),
        "\n## Inputs of the life cycle (`lca`)\n",
        table(small, simple_rows(lca.TABLE)),
        "\n## One year of the yearly loop (`project`)\n\nBeside `teaModel`, `teaInputs`, `transmission` and "
        "`distanceMetres`, under `years`.\n",
        table(small, simple_rows(project.YEAR)),
        "\n## Closed forms\n",
        *(
            f"`{name}`\n\n{table(small, simple_rows(fields))}\n"
            for name, fields in {
                "currentLAC": closed_forms.CURRENT_LAC,
                "constantLAC": closed_forms.CONSTANT_LAC,
                "presentWorth": closed_forms.PRESENT_WORTH,
                "carbonCredit": closed_forms.CARBON_CREDIT,
                "scaledCost": closed_forms.SCALED_COST,
            }.items()
        ),
    ]
    return "\n".join(parts).rstrip() + "\n"


def main(arguments: list[str]) -> int:
    """Write or check the page."""
    text = page()
    if arguments == ["--check"]:
        if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text:
            return 0
        print(
            "docs/reference/economics.md is out of date: run python tools/make_economics_reference.py", file=sys.stderr
        )
        return 1
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
