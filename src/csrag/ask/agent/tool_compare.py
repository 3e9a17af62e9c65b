"""The tool that sets options side by side: places, and what may differ at them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from csrag.ask.agent.tool_handlers import place_of, query_of, run_of
from csrag.ask.agent.toolbox import Outcome
from csrag.ask.records import TECHNOLOGIES
from csrag.ask.results import Caveat
from csrag.ask.run import Trace
from csrag.errors import InvalidValueError
from csrag.quantities import QUANTITIES
from csrag.surfaces.catalog import FAMILIES, LAND_USES, SYSTEMS, TREATMENTS

if TYPE_CHECKING:
    from csrag.ask.agent.tools import Toolbox

VARIED: dict[str, tuple[str, ...]] = {
    "treatment": TREATMENTS, "technology": TECHNOLOGIES, "system": (*FAMILIES, *SYSTEMS), "land_use": LAND_USES,
    "transport": ("zone", "stratified", "network"), "selection": ("cost", "proximity"), "capacity_mw": (), "radius_km": (),
    "fire_weight": (), "diesel_usd_per_gal": (), "moisture_pct": (),
}  # fmt: skip
"""What may differ between options, and its values; none for a number."""
_SHOWN = 8
"""Options whose values are given one by one; the table has all."""
RETURNS = (
    "compared_options", "answered_options", "tied_options", "best_option", "comparison_measure", "demand_bdt", "draws",
    *(
        f"option_{n}_{value_id}"
        for n in range(1, _SHOWN + 1)
        for value_id in ("average_delivered_cost", "lcoe_current", "life_average_delivered_cost", "rank", "difference_to_best",
                         "tie_margin", "cheaper_draws_pct")
    ),
)  # fmt: skip


def compare_options(box: Toolbox, arguments: Mapping[str, Any], trace: Trace) -> Outcome:
    """Places or variants side by side.

    Raises
    ------
    InvalidValueError
        For a value that the field cannot take, or a field without values.
    RequestError
        For fewer than two options, or too many.
    """
    from csrag.ask.decisions.compare import compare

    plain = {k: v for k, v in arguments.items() if k not in {"places", "vary", "values"}}
    places = tuple(place_of(text) for text in arguments["places"].split(";") if text.strip())
    query = query_of(plain, "compare").with_(locations=places, compare=variants(arguments))
    caveats: list[Caveat] = []
    analysis, _ = compare(run_of(box, query, trace, caveats), caveats)
    return Outcome(
        analysis.facts, analysis.status, analysis.reason, handles=box.keep(analysis.tables, "comparison"),
        warnings=(*caveats, *analysis.warnings),
    )  # fmt: skip


def variants(arguments: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
    """Variants of a call: its `values`, a semicolon between them, of the field that it varies.

    Parameters
    ----------
    arguments : mapping
        `vary` and `values`, both or neither.

    Raises
    ------
    InvalidValueError
        Where one of the two is missing, or the field cannot take a value.
    """
    name, listed = arguments.get("vary"), arguments.get("values")
    if name is None and listed is None:
        return ()
    if name is None or listed is None:
        raise InvalidValueError("vary and values belong together.", "Give both, or neither.")
    out: list[dict[str, Any]] = []
    for text in (part.strip() for part in str(listed).split(";")):
        if text and not VARIED[name]:
            try:
                out.append({name: QUANTITIES[name].check(float(text))})
            except ValueError as error:
                raise InvalidValueError(f"{text!r:.60} is no number.", f"Give values of {name} as numbers.") from error
        elif text and text not in VARIED[name]:
            raise InvalidValueError(f"{name} = {text!r:.60} is unknown.", f"Choose among {', '.join(VARIED[name])}.")
        elif text:
            out.append({name: text})
    return tuple(out)
