"""Every value of an answer once: its unit and its label.

The unit is a code: masses say their basis (`bdt` bone-dry short tons, `gt` green short tons, `bdmt` bone-dry metric tonnes),
money what it is per. Quantities that a user may set, with their ranges, stand in `csrag.quantities`.

An answer over several places, variants or plants holds the same value once for each, under a numbered id: `option_2_lcoe_current`
is `lcoe_current` of the second option of a comparison, `best_1_...` belongs to the first site of a search, `plant_3_...` to the
third plant of a portfolio, `area_1_...` to the first area of a stock-taking.
"""

from __future__ import annotations

import re

from csrag.values import compare, lookup, pareto, reference, rules, search, site, uncertainty

SITE_VALUES = site.SITE_VALUES
VALUES: dict[str, tuple[str, str]] = {
    **site.TABLE, **rules.TABLE, **pareto.TABLE, **compare.TABLE, **search.TABLE, **lookup.TABLE, **uncertainty.TABLE,
    **reference.TABLE,
}  # fmt: skip
"""Id to unit and label."""
NUMBERED = ("option", "best", "plant", "area")
"""What a numbered id may begin with."""
_NUMBERED = re.compile(rf"(?:{'|'.join(NUMBERED)})_[1-9][0-9]?_(?P<plain>[a-z0-9_]+)")


def plain_id(value_id: str) -> str:
    """The id without its number: `lcoe_current` for `option_2_lcoe_current`; the id itself where it has none."""
    if value_id in VALUES:
        return value_id
    found = _NUMBERED.fullmatch(value_id)
    return value_id if found is None else found["plain"]


def unit_and_label(value_id: str) -> tuple[str, str] | None:
    """Unit and usual label of a value, numbered or not; None where there is no such value."""
    return VALUES.get(plain_id(value_id))
