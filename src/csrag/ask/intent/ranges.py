"""Which assumptions a sensitivity is about, and over which values: "diesel from 3 to 7 in 50 cent steps"."""

from __future__ import annotations

import math
from itertools import pairwise

from csrag.ask.intent.amounts import Amount
from csrag.ask.intent.draft import Draft, number
from csrag.ask.intent.rule import Rule

RANGE_POINTS = 21
MOST_POINTS = 51
MOST_SWEPT = 4
"""More assumptions than this are shown by their ends alone."""

_PCT, _WAGE = ("pct", ""), ("usd_per_h", "usd", "")
_CUES: tuple[tuple[str, tuple[str, ...], Rule], ...] = (
    ("dual_fuel_pct", _PCT, Rule(r"dual[ -]fuel(?: share)?|diesel (?:share|pilot)|pilot fuel")),
    ("diesel_usd_per_gal", ("usd_per_gal", "usd", ""), Rule(r"diesel(?: fuel)?(?: prices?| costs?)?|fuel oil(?: price)?")),
    ("driver_benefits_pct", _PCT, Rule(r"drivers?'?s? (?:benefits|fringe)")),
    ("benefits_pct", _PCT, Rule(r"(?:labou?r |fringe |wage )?benefits|fringe")),
    ("driver_wage_usd_per_h", _WAGE,
     Rule(r"(?:truck[ -]?)?drivers?(?:'s?)?(?: wages?| pay)?|truckers?(?:'s?)?(?: wages?| pay)?|trucking wages?")),
    ("faller_wage_usd_per_h", _WAGE, Rule(r"(?:timber )?(?:faller|feller|sawyer)s?(?:'s?)?(?: wages?| pay)?")),
    ("logging_wages_usd_per_h", _WAGE,
     Rule(r"(?:logging|loggers?'?|woods|harvest(?:ing)?)(?: workers?'?| crews?'?)? (?:wages?|pay|labou?r)|labou?r(?: costs?)?")),
    ("other_wage_usd_per_h", _WAGE, Rule(r"(?:other|operators?'?|crews?'?) (?:workers?'? )?wages?")),
    ("wages_usd_per_h", _WAGE, Rule(r"wages?|hourly pay|salaries|salarios?")),
    ("moisture_pct", _PCT, Rule(r"moisture(?: contents?)?|water content|humedad")),
    ("capacity_factor_pct", _PCT, Rule(r"(?:capacity|plant|load) factors?|\bcf\b|factor de (?:capacidad|planta)")),
    ("gas_efficiency_pct", _PCT, Rule(r"(?:cold[ -])?gas(?:ifier|ification)?[ -]efficienc(?:y|ies)")),
    ("efficiency_pct", _PCT,
     Rule(r"(?:net |station |electric(?:al)? |overall |conversion |plant |thermal )*efficienc(?:y|ies)|eficiencia")),
    ("equity_return_pct", _PCT,
     Rule(r"(?:return|yield|rate of return) on (?:the )?equity|equity (?:returns?|yield|irr|rates?)|costs? of (?:equity|"
          r"capital)|\broe\b|discount(?:ing)? rates?|\bwacc\b|hurdle rates?|rates? of return|tasa de descuento")),
    ("debt_interest_pct", _PCT, Rule(r"(?:debt |loan )?interest(?: rates?)?(?: on (?:the )?(?:debt|loan))?|costs? of debt|intereses")),
    ("debt_ratio_pct", _PCT, Rule(r"debt (?:ratio|share|fraction|level)|leverage|gearing")),
    ("capital_usd", ("usd", "usd_per_mw"),
     Rule(r"capital(?: costs?| investment| outlay)?|capex|investment(?: costs?)?|(?:build|construction|building|plant) costs?|"
          r"inversion")),
    ("economic_life_y", ("year", ""), Rule(r"(?:economic|plant|project|service) li(?:fe(?:times?)?|ves)|lifetime|vida util")),
    ("ppi", ("",), Rule(r"\bppi\b|producer price index|machine prices?")),
    ("speed_km_per_h", ("km_per_h",), Rule(r"(?:truck |haul(?:ing)? |driving )?speeds?")),
    ("oil_usd_per_mile", ("usd_per_km", "usd"), Rule(r"oil (?:and (?:tires|tyres|wear))|tires|tyres")),
    ("contractor_margin_pct", _PCT, Rule(r"(?:contractor'?s?|logger'?s?) (?:margin|profit|markup)")),
)  # fmt: skip
_NAMED_TOGETHER = {"wages_usd_per_h": ("driver_wage_usd_per_h", "logging_wages_usd_per_h")}
_RANGE_GAP = Rule(r" ?(?:-|(?:up |down )?to|through|thru|hasta|a) ?(?:about |around )?$")
_AND_GAP = Rule(r" and ?$")
_BETWEEN = Rule(r"\b(?:between|entre) ?$")
_STOP = Rule(r"[.;?!](?: |$)")
_STEP_GAP = Rule(
    r"^,? ?(?:(?:in|by|at|with|using|and|a|step(?:s|[ -]size)?(?: of)?|increments? of|intervals? of|every|each)[ :]?)+ ?$"
)
_CENTS_AFTER = Rule(r"^[ -]?cents?\b")
_COUNT_AFTER = Rule(r"^ (?P<what>(?:equal |even )?(?:steps|points|values))\b")
_EITHER_WAY = Rule(
    r"(?:\+ ?/ ?-|±|\+-|plus[ /-](?:or[ -])?minus|mas o menos) ?(?P<a>\d+(?:\.\d+)?) ?(?:%|percent|pct|per cent)|"
    r"(?<!\d)(?P<b>\d{1,9}(?:\.\d+)?) ?(?:%|percent|pct|per cent) (?:either|each|both) ways?|"
    r"(?<!\d)(?P<c>\d{1,9}(?:\.\d+)?) ?(?:%|percent|pct|per cent) (?:up (?:and|or) down|in (?:both|each|either) directions?)"
)
_TORNADO = Rule(r"\btornado|\bwhat (?:drives|matters most)\b|\bwhich (?:\w+ )?(?:matters?|drives?|moves?)\b")
_REACH_BEFORE, _REACH_AFTER = 46, 24
_OWN_NUMBER = 22


def read_ranges(draft: Draft) -> None:
    """Set `sweep` from ranges of a named assumption, and `sensitivity_pct`; takes their numbers out of play.

    Parameters
    ----------
    draft : Draft
        The turn, its capacity read.
    """
    if m := _EITHER_WAY.search(draft.source.masked):
        draft.put("sensitivity_pct", float(m["a"] or m["b"] or m["c"]), m.start(), m.end())
        draft.marks.add("sweep")
        _drop(draft, m.start(), m.end())
    swept: dict[str, tuple[float, ...]] = {}
    pairs = _pairs(draft)
    cues = _cues(draft.source.masked) if pairs else []
    for first, last in pairs:
        picked = _nearest(draft, cues, first, last)
        if picked is None:
            continue
        values, end = _values(draft, picked, first, last)
        if len(values) < 2:
            continue
        swept[picked] = values
        draft.spans["sweep"] = (first.start, end)
        draft.marks |= {"sweep", f"sweep:{picked}"}
        _drop(draft, first.start, end)
    draft.values["_sweep"] = swept


def name_parameters(draft: Draft) -> None:
    """Set `tornado_parameters` and `sweep` from the assumptions that a sensitivity names; runs after the overrides."""
    swept: dict[str, tuple[float, ...]] = draft.values.pop("_sweep", {})
    if not draft.marks & {"sweep", "sensitivity"}:
        return
    taken = [span for name, span in draft.spans.items() if name.startswith("overrides.")]
    named: list[str] = []
    for start, end, name in _cues(draft.source.masked):
        beside = any(0 <= a - end <= _OWN_NUMBER or 0 <= start - b <= _OWN_NUMBER for a, b in taken)
        if name in swept or (beside and name in draft.overrides):
            continue
        named += [n for n in _NAMED_TOGETHER.get(name, (name,)) if n not in named]
    if not swept and not named:
        return
    if not _TORNADO.search(draft.source.text) and len(swept) + len(named) <= MOST_SWEPT:
        swept |= dict.fromkeys(named, ())
    span = draft.spans.get("sweep", (0, 0))
    draft.put("tornado_parameters", tuple(dict.fromkeys((*swept, *named))), *span)
    draft.put("sweep", tuple({"parameter": name, "values": values} for name, values in swept.items()), *span)


def _cues(text: str) -> list[tuple[int, int, str]]:
    """Mentions of assumptions, the longest and, of equals, the first in the table where several overlap."""
    found = []
    for rank, (name, _, rule) in enumerate(_CUES):
        for m in rule.finditer(text):
            whole = not text[m.start() - 1 : m.start()].isalnum() and not text[m.end() : m.end() + 1].isalpha()
            if whole and m.end() > m.start():
                found.append((m.start(), -m.end(), rank, name))
    out: list[tuple[int, int, str]] = []
    for start, minus_end, _, name in sorted(found):
        if not out or start >= out[-1][1]:
            out.append((start, -minus_end, name))
    return out


def _pairs(draft: Draft) -> list[tuple[Amount, Amount]]:
    """Two numbers next to each other that read as a range."""
    text, amounts = draft.source.masked, draft.amounts
    out, skip = [], False
    for first, last in pairwise(amounts):
        gap = text[first.end : last.start]
        between = _BETWEEN.search(text[max(0, first.start - 10) : first.start])
        if skip or not (_RANGE_GAP.fullmatch(gap) or (between and _AND_GAP.fullmatch(gap))):
            skip = False
            continue
        out.append((first, last))
        skip = True
    return out


def _nearest(draft: Draft, cues: list[tuple[int, int, str]], first: Amount, last: Amount) -> str | None:
    """The assumption that a range belongs to, by distance; None where the unit fits none nearby."""
    text = draft.source.masked
    units = {name: u for name, u, _ in _CUES}
    best: tuple[float, str] | None = None
    for start, end, name in cues:
        if not {first.unit, last.unit} <= {*units[name], ""}:
            continue
        if last.unit == "" and "" not in units[name]:
            continue
        before = end <= first.start
        gap = text[end : first.start] if before else text[last.end : start] if start >= last.end else None
        if gap is None or len(gap) > (_REACH_BEFORE if before else _REACH_AFTER) or _STOP.search(gap):
            continue
        distance = len(gap) + (0.0 if before else 6.0)
        if best is None or distance < best[0]:
            best = (distance, name)
    return best[1] if best else None


def _scale(draft: Draft, name: str, first: Amount, last: Amount) -> float:
    """Factor from what was written to the assumption's own unit."""
    if name == "capital_usd" and last.unit == "usd_per_mw":
        capacity = draft.values.get("capacity_mw") or draft.values.get("_carried_capacity_mw")
        if capacity is None:
            draft.note("a capital cost per kW needs the plant's capacity; the range was left out")
            return math.nan
        return float(capacity)
    if name.endswith("_pct") and last.unit == "" and 0 <= first.value <= 1 and 0 < last.value <= 1:
        return 100.0
    if name == "oil_usd_per_mile" and last.unit == "usd_per_km":
        return 1.609344
    return 1.0


def _values(draft: Draft, name: str, first: Amount, last: Amount) -> tuple[tuple[float, ...], int]:
    """Values of a range, low to high, and where its words end."""
    scale = _scale(draft, name, first, last)
    low, high = sorted((first.value * scale, last.value * scale))
    step, count, end = _step(draft, last, scale)
    if not (math.isfinite(low) and math.isfinite(high)) or low == high:
        return (), last.end
    if count is None and (step is None or step <= 0 or step > high - low):
        count = RANGE_POINTS
    if count is None:
        assert step is not None
        count = math.floor((high - low) / step + 1e-9) + 1
    else:
        step = (high - low) / (count - 1)
    if count > MOST_POINTS:
        draft.note(f"{number(count)} steps are too many for one table; {MOST_POINTS} values are shown")
        count, step = MOST_POINTS, (high - low) / (MOST_POINTS - 1)
    values = tuple(round(low + k * step, 10) for k in range(count))
    if name == "economic_life_y":
        values = tuple(sorted({float(round(v)) for v in values}))
    return values, end


def _step(draft: Draft, last: Amount, scale: float) -> tuple[float | None, int | None, int]:
    """Step or number of values after a range, and where its words end."""
    text = draft.source.masked
    after = [a for a in draft.amounts if a.start >= last.end]
    if not after or not _STEP_GAP.match(text[last.end : after[0].start]):
        return None, None, last.end
    a = after[0]
    rest = text[a.end : a.end + 24]
    if (m := _COUNT_AFTER.match(rest)) and a.unit == "" and a.value == int(a.value) and a.value >= 2:
        return None, int(a.value) + (1 if m["what"].endswith("steps") else 0), a.end + m.end()
    if a.unit == "" and (m := _CENTS_AFTER.match(rest)):
        return a.value / 100, None, a.end + m.end()
    # "by 2030" or "in 20 MW" is no step.
    if a.unit not in {"", last.unit, "usd", "pct"}:
        return None, None, last.end
    return a.value * scale, None, a.end


def _drop(draft: Draft, start: int, end: int) -> None:
    for a in list(draft.amounts):
        if a.start < end and a.end > start:
            draft.use(a)
    draft.source.mask(start, end)
