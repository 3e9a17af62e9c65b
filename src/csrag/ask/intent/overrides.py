"""Assumptions the user sets: each number goes to the nearest word that it can belong to."""

from __future__ import annotations

from csrag.ask.intent.amounts import Amount
from csrag.ask.intent.draft import Draft, number
from csrag.ask.intent.rule import Rule

_PCT, _WAGE = ("pct", ""), ("usd_per_h", "usd", "")
_CUES: list[tuple[str, tuple[str, ...], str]] = [
    ("moisture_pct", _PCT, r"moisture(?: contents?)?|wet basis|"
        r"wet(?!\w| (?:basis|tons?|tonnes?|winter|season|year|weather|side|line))|\bmc\b|\bwater(?: content)?\b|humedad"),
    ("capacity_factor_pct", _PCT,
        r"(?:capacity|plant|load|availability)[ -]factors?|\bcf\b|of the (?:year|time|hours)|availability(?: of)?|"
        r"factor de (?:capacidad|planta)|up[ -]?time"),
    ("gas_efficiency_pct", _PCT, r"(?:cold[ -])?gas(?:ifier|ification)?[ -]efficienc(?:y|ies)"),
    ("efficiency_pct", _PCT,
        r"(?:net |station |electric(?:al)? |overall |conversion |plant |thermal )*efficien(?:cy|cies|t)|\beff\b|eficiencia|"
        r"heat[ -]to[ -]power"),
    ("dual_fuel_pct", _PCT, r"dual[ -]fuel(?:ing)?(?: share)?|diesel (?:share|pilot)|pilot fuel"),
    ("diesel_usd_per_gal", ("usd_per_gal", "usd", ""),
     r"(?:off[ -]road )?diesel(?: fuel)?(?: price| cost)?s?|gasoil|fuel oil"),
    ("driver_wage_usd_per_h", _WAGE,
        r"(?:truck[ -]?)?driver(?:s'?|'s)?(?: wages?| pay)?|truckers?'?(?: wages?| pay)?|trucking wages?|haulers?|"
        r"camioneros?|conductores"),
    ("faller_wage_usd_per_h", _WAGE, r"(?:timber )?fallers?(?:'s?)?(?: wages?| pay)?|fellers?(?:'s?)?(?: wages?)?|sawyers?|"
        r"taladores"),
    ("other_wage_usd_per_h", _WAGE,
        r"other (?:woods |logging )?(?:workers?|crew|labou?r|wages?)(?:'s?)?(?: wages?)?|woods (?:workers?|crew)|loggers?|"
        r"(?:equipment |machine )?operators?|crews?(?: wages?)?|(?:logging )?labou?r"),
    ("_wages", _WAGE, r"wages?(?: rates?)?|hourly (?:pay|rate)|salarios?"),
    ("_wages", ("usd_per_h",), r"workers?|pay"),
    ("driver_benefits_pct", _PCT, r"drivers?'?s? (?:benefits|fringe)"),
    ("benefits_pct", _PCT, r"(?:labou?r |fringe )?benefits|fringe|overhead on wages"),
    ("debt_interest_pct", _PCT,
        r"interest(?: rates?)?(?: on (?:the )?(?:debt|loan))?|debt (?:interest|rate|cost)|(?<=debt) at(?= ?\d)|"
        r"loan (?:rate|at)|borrow(?:ed|ing)?(?: money)? at|financed at|cost of debt|interes"),
    ("debt_ratio_pct", _PCT,
        r"debt(?: (?:ratio|share|fraction|financ(?:ing|ed)|level))?|leverage|geared|gearing|loan[ -]to[ -]value|"
        r"financed (?:by|with) debt|borrowed|deuda"),
    ("equity_return_pct", _PCT,
        r"(?:return|yield|rate of return) on (?:the )?equity|equity (?:return|yield|irr|rate)s?|cost of equity|\broe\b|"
        r"return for (?:the )?(?:investors|equity)|(?:investors?|owners?) (?:want|require|expect|get)s?|rendimiento"),
    ("_equity_share", ("pct",), r"equity(?: (?:share|ratio|financing))?"),
    ("economic_life_y", ("year",),
        r"(?:economic|plant|project|service|useful|operating|design)[ -]?(?:life(?:time|span)?)|life(?:time|"
        r"span)? (?:of the plant|of)|lifetime|amorti[sz](?:ed|ation)(?: over)?|depreciat(?:ed|ion) over|vida util|"
        r"book life|loan term|\blife\b"),
    ("capital_usd", ("usd", "usd_per_mw"),
        r"capital(?: costs?| investment| outlay| expenditures?)?|capex|investment(?: cost)?s?|(?:build|construction|"
        r"building|installed|installation|plant)[ -]costs?|costs? (?:\w+ )?to build|to build|overnight cost|inversion|"
        r"price tag"),
    ("ppi", ("",), r"\bppi\b|producer price index"),
    ("oil_usd_per_mile", ("usd_per_km", "usd"), r"oil (?:and (?:tires|tyres|wear))?|tires|tyres|wear"),
    ("contractor_margin_pct", _PCT,
        r"(?:contractor(?:'?s)?|profit|logger(?:'?s)?)[ -](?:margin|profit|markup)|\bmargin\b|contractor margin|profit\b|"
        r"markup"),
]  # fmt: skip
_NEEDS: dict[str, tuple[str, ...]] = {
    "moisture_pct": ("moist", "wet", "mc", "water", "humedad"),
    "capacity_factor_pct": ("factor", "cf", "of the", "availab", "up"),
    "gas_efficiency_pct": ("efficienc",),
    "efficiency_pct": ("effic", "eff", "efic", "heat"),
    "dual_fuel_pct": ("dual", "diesel", "pilot"),
    "diesel_usd_per_gal": ("diesel", "gasoil", "fuel oil"),
    "driver_wage_usd_per_h": ("driver", "truck", "hauler", "camionero", "conductor"),
    "faller_wage_usd_per_h": ("faller", "feller", "sawyer", "talador"),
    "other_wage_usd_per_h": ("worker", "crew", "labor", "labour", "wage", "logger", "operator"),
    "driver_benefits_pct": ("benefits", "fringe"),
    "benefits_pct": ("benefits", "fringe", "overhead"),
    "debt_interest_pct": ("interes", "debt", "loan", "borrow", "financed"),
    "debt_ratio_pct": ("debt", "leverage", "gear", "loan", "borrowed", "deuda"),
    "equity_return_pct": ("equity", "roe", "return", "investor", "owner", "rendimiento"),
    "_equity_share": ("equity",),
    "economic_life_y": ("life", "amorti", "depreciat", "loan", "vida", "span"),
    "capital_usd": ("capital", "capex", "investment", "cost", "build", "inversion", "price tag"),
    "ppi": ("ppi", "producer"),
    "oil_usd_per_mile": ("oil", "tires", "tyres", "wear"),
    "contractor_margin_pct": ("contractor", "profit", "logger", "margin", "markup"),
}
"""Words without which a cue cannot stand in a text."""
_PATTERNS = [
    (
        name,
        units,
        Rule(rf"(?:\b|(?<= )){form}(?![a-z])" if not form.startswith("(?:\\b") else form, _NEEDS.get(name, ())),
    )
    for name, units, form in [(n, u, f"(?:{f})") for n, u, f in _CUES]
]
_FRACTIONS = {
    "moisture_pct",
    "capacity_factor_pct",
    "efficiency_pct",
    "gas_efficiency_pct",
    "dual_fuel_pct",
    "debt_ratio_pct",
    "contractor_margin_pct",
}
_PAID = Rule(r"wage|pay")
_HOURLY = Rule(r" ?(?:/ ?h(?:r|our)?|(?:an|per|each|la|por) hou?ra?)\b")
_STOP = Rule(r"[.;?!](?: |$)")
_SEPARATOR = Rule(r",| and | with |\(|:")
_BIG_GAP = 34
_SHIFT = Rule(
    r"\b(?:(?P<verb>up|down|rises?|rose|increases?|grows?|goes? up|drops?|falls?|decreases?|goes? down|more expensive|"
    r"cheaper|higher|lower|climbs?|jumps?)(?: by)?|(?P<twice>doubles?|doubled|twice)|(?P<half>halves|halved|half))\b"
)
_EVERYONE = ("driver_wage_usd_per_h", "faller_wage_usd_per_h", "other_wage_usd_per_h")
_DEFAULTS = {
    "diesel_usd_per_gal": 4.50,
    "driver_wage_usd_per_h": 24.71,
    "faller_wage_usd_per_h": 35.13,
    "other_wage_usd_per_h": 22.07,
}


def read_overrides(draft: Draft, carried: dict[str, float]) -> None:
    """Set the overrides the turn names.

    Parameters
    ----------
    draft : Draft
        The turn; amounts that are used leave it.
    carried : dict
        Overrides of earlier turns, the base of "diesel up 20 %".
    """
    source = draft.source
    _split(draft)
    text = source.masked
    _speed(draft)
    if not draft.amounts and not _SHIFT.search(text):
        return
    cues = [(m.start(), m.end(), name, units) for name, units, p in _PATTERNS for m in p.finditer(text)]
    cues = _longest(cues)
    pairs: list[tuple[float, int, int]] = []
    for i, a in enumerate(draft.amounts):
        for k, (start, end, _, units) in enumerate(cues):
            if start - a.end > _BIG_GAP or a.start - end > _BIG_GAP:
                continue
            unpaid = a.unit == "" and units is _WAGE and not _PAID.search(text[start:end])
            if a.unit not in units or (unpaid and not _HOURLY.match(text, a.end)):
                continue
            cost = _cost(text, draft, a, start, end)
            if cost is not None:
                pairs.append((cost, i, k))
    used_amounts: set[int] = set()
    used_cues: set[int] = set()
    taken: list[Amount] = []
    for _, i, k in sorted(pairs):
        if i in used_amounts or k in used_cues:
            continue
        a, name = draft.amounts[i], cues[k][2]
        if a.shape:
            draft.marks.add("sweep" if a.shape == "range" else "values")
            draft.marks.add(f"sweep:{name}")
            taken += [x for x in draft.amounts if x.group == a.group]
            used_amounts |= {j for j, x in enumerate(draft.amounts) if x.group == a.group}
            used_cues.add(k)
            continue
        if _set(draft, name, a):
            taken.append(a)
        used_amounts.add(i)
        used_cues.add(k)
    for a in taken:
        draft.use(a)
    _shifts(draft, [(s, e, n) for s, e, n, _ in cues], carried)
    _lone_prices(draft)


def _split(draft: Draft) -> None:
    """ "65/35 debt to equity"."""
    if m := _DEBT_EQUITY.search(draft.source.masked):
        first, second = float(m[1]), float(m[2])
        if abs(first + second - 100) < 1e-9:
            draft.put_override("debt_ratio_pct", first if m[3].startswith("debt") else second, *m.span())
            draft.source.mask(*m.span())
            draft.amounts = [a for a in draft.amounts if not m.start() <= a.start < m.end()]


_DEBT_EQUITY = Rule(
    r"(?<![\d.,$])(\d{1,2})(?: ?%)? ?[/:-] ?(\d{1,2})(?: ?%)? (?:split (?:of |between )?)?"
    r"(debt(?: ?[/:-] ?| to | and | )equity|equity(?: ?[/:-] ?| to | and | )debt)(?: (?:split|ratio|mix|financing))?\b"
)


def _longest(cues: list[tuple[int, int, str, tuple[str, ...]]]) -> list[tuple[int, int, str, tuple[str, ...]]]:
    """Keep the longest cue where several overlap ("debt at" over "debt", "return on equity" over "equity")."""
    kept: list[tuple[int, int, str, tuple[str, ...]]] = []
    last_end = -1
    for cue in sorted(cues, key=lambda c: (c[0], c[0] - c[1])):
        if cue[0] >= last_end:
            kept.append(cue)
            last_end = cue[1]
    return kept


def _cost(text: str, draft: Draft, a: Amount, start: int, end: int) -> float | None:
    """How far a number is from a cue; None where they cannot belong together."""
    if a.end <= start:
        gap = text[a.end : start]
        penalty = 0.0
    elif end <= a.start:
        gap = text[end : a.start]
        penalty = 0.5
    else:
        return None
    if len(gap) > _BIG_GAP or _STOP.search(gap):
        return None
    low, high = min(a.end, end), max(a.start, start)
    if any(
        low <= b.start < high and b.start != a.start and (b.group == -1 or b.group != a.group) for b in draft.amounts
    ):
        return None
    if a.unit == "" and len(gap) > 16:
        return None
    return len(gap) + penalty + 8 * len(_SEPARATOR.findall(gap))


def _set(draft: Draft, name: str, a: Amount) -> bool:
    """Give the number to the override; False where it makes no sense there."""
    value = a.value
    text = draft.source.masked
    if name == "_equity_share":
        draft.note(f"{number(value)} % equity is read as {number(100 - value)} % debt")
        draft.put_override("debt_ratio_pct", 100 - value, a.start, a.end)
        return True
    if name == "_wages" and a.unit != "usd_per_h" and (a.per or not 5 <= value <= 200):
        draft.note(f"a wage of ${number(value)} is not one by the hour; it was left out")
        return False
    if name == "_wages":
        for wage in _EVERYONE:
            if wage not in draft.overrides:
                draft.put_override(wage, value, a.start, a.end)
        draft.note(f"a wage of ${number(value)} an hour is read as everyone's: drivers, fallers and other workers")
        return True
    if (name in _FRACTIONS and a.unit == "" and 0 < value <= 1) or (
        name.endswith("_pct")
        and a.unit == ""
        and 0 < value < 1
        and name in {"debt_interest_pct", "equity_return_pct", "benefits_pct", "driver_benefits_pct"}
    ):
        draft.note(f"{name.removesuffix('_pct').replace('_', ' ')} {value:g} is read as {number(value * 100)} %")
        value *= 100
    if name == "diesel_usd_per_gal":
        if a.unit == "usd" and value > 100:
            return False
        if "litre" in a.label:
            draft.note(f"${number(a.said)} a litre = ${number(value)} a gallon")
    if name == "capital_usd" and a.unit == "usd_per_mw":
        capacity = draft.values.get("capacity_mw") or draft.values.get("_carried_capacity_mw")
        if capacity is None:
            draft.note("a capital cost per kW needs the plant's capacity; it was left out")
            return False
        value *= capacity
        draft.note(f"${number(a.value / 1000)} per kW at {number(capacity)} MW = ${number(value)}")
    if name.endswith("_wage_usd_per_h") and a.unit == "" and not 5 <= value <= 200:
        return False
    if name == "oil_usd_per_mile" and a.unit == "usd_per_km":
        value *= 1.609344
    shift = _SHIFT.search(text[max(0, a.start - 24) : a.end + 22])
    if shift and a.unit == "pct" and not name.endswith("_pct"):
        return False
    draft.put_override(name, value, a.start, a.end)
    return True


def _speed(draft: Draft) -> None:
    for a in draft.of_unit("km_per_h"):
        if a.label != "km/h":
            draft.note(f"{number(a.said)} mph = {number(a.value)} km/h")
        draft.put_override("speed_km_per_h", a.value, a.start, a.end)
        draft.use(a)


def _shifts(draft: Draft, cues: list[tuple[int, int, str]], carried: dict[str, float]) -> None:
    """ "diesel up 20 %", "if diesel doubles": a change of what stood before, or of the default."""
    text = draft.source.masked
    for start, end, cue in cues:
        # "wages up 10 %" are everyone's; "pay" alone is as often what a mill pays.
        everyone = cue == "_wages" and text[start:end] != "pay"
        names = [n for n in (_EVERYONE if everyone else (cue,)) if n in _DEFAULTS and n not in draft.overrides]
        if not names:
            continue
        near = text[max(0, start - 22) : end + 30]
        m = _SHIFT.search(near)
        if m is None:
            continue
        if m["twice"] or m["half"]:
            factor = 2.0 if m["twice"] else 0.5
        else:
            pct = [a for a in draft.of_unit("pct") if start - 22 <= a.start <= end + 30]
            if not pct:
                continue
            down = m["verb"].startswith(
                ("down", "drop", "fall", "decrease", "goes down", "go down", "cheaper", "lower")
            )
            factor = 1 - pct[0].value / 100 if down else 1 + pct[0].value / 100
            draft.use(pct[0])
        for name in names:
            base = carried.get(name, _DEFAULTS[name])
            draft.note(f"{name.split('_')[0]}: {number(base)} x {factor:g} = {number(base * factor)}")
            draft.put_override(name, round(base * factor, 6), start, end)


def _lone_prices(draft: Draft) -> None:
    """Dollars a gallon can only be diesel."""
    for a in draft.of_unit("usd_per_gal"):
        if not a.shape and "diesel_usd_per_gal" not in draft.overrides:
            draft.put_override("diesel_usd_per_gal", a.value, a.start, a.end)
            draft.use(a)
