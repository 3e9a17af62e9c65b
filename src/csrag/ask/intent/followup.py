"""What a follow-up does to the earlier question: take back, restore, and bare values that need the earlier field."""

from __future__ import annotations

import re
from collections.abc import Sequence

from csrag.ask.intent.draft import Draft, number
from csrag.ask.intent.money import EACH_TON
from csrag.ask.intent.rule import Rule
from csrag.ask.intent.treatment import DEGREES
from csrag.ask.records import DEFAULT_CAPACITY_MW, SitingQuery

_NOUNS: list[tuple[str, str]] = [
    ("max_cost_usd_per_bdt", r"(?:cost |price |delivered[ -]cost )?(?:cap|ceiling)|(?:cost|price) limit|tope"),
    ("budget_usd_per_year", r"(?:fuel |annual |yearly )?budget(?: limit)?|presupuesto"),
    ("radius_km",
        r"(?:procurement |supply |haul )?radius(?: limit| restriction)?|distance limit|(?:haul|distance) (?:cap|"
        r"restriction)|radio"),
    ("min_high_hazard_pct", r"(?:high[ -])?hazard (?:rule|share|limit|requirement|quota|minimum|constraint|zone rule)|bio-?(?:mat|"
        r"ram)(?: rules?)?|hhz (?:rule|share)"),
    ("_shares", r"(?:land|owner(?:ship)?) (?:shares?|quotas?)|(?:private|federal|forest service|usfs|blm|public)(?: land)? "
        r"(?:shares?|quota|cap|limit|rule|minimum|maximum)"),
    ("max_road_km", r"(?:haul|road|trucking|driving)(?: (?:length|distance|miles))? (?:limit|cap|rule|maximum|restriction)|haul "
        r"limit"),
    ("min_separation_km", r"(?:min(?:imum)? )?(?:separation|spacing|distance between (?:them|sites))(?: (?:limit|rule))?"),
    ("portfolio", r"(?:no[ -]compet\w+|competition) (?:rule|constraint|condition)|portfolio"),
    ("site_candidates", r"candidate (?:list|restriction|limit)"),
    ("max_km_to_substation", r"substation (?:limit|distance|rule|constraint|requirement)"),
    ("max_km_to_road", r"road distance(?: limit| rule| constraint)?|road (?:constraint|requirement)"),
    ("max_km_to_plant", r"plant distance(?: limit| rule| constraint)?"),
    ("max_site_slope_pct", r"(?:flat(?:ness)?|site slope|ground slope|pad slope) (?:limit|rule|constraint|requirement)"),
    ("max_extra_cost_pct", r"extra[ -]cost (?:limit|cap)|cost premium"),
    ("expansion_factor", r"expansion factor"),
    ("max_slope_pct", r"(?:max(?:imum)? )?slope(?: limit| cap| restriction| filter| constraint| maximum)?|steepness limit|"
        r"pendiente"),
    ("min_burn_probability",
        r"(?:burn|burn probability|fire probability)(?: probability)? (?:threshold|limit|minimum|filter|floor|cut-?off)"),
    ("land_use",
        r"(?:land|owner(?:ship)?|land[ -]use|land owner(?:ship)?)(?: restriction| filter| limit| constraint| rule)s?|ownership"),
    ("years", r"(?:\d+[ -]year )?projection|years"),
    ("system", r"(?:harvest(?:ing)? |logging )?system(?: restriction| limit| filter)?|(?:cable|ground|helicopter) restriction"),
    ("treatment", r"treatment"),
    ("technology", r"technology"),
    ("transport", r"(?:road network|network distances|transport mode|transport setting)"),
    ("selection", r"(?:nearest[ -]first|proximity)(?: rule| selection)?"),
    ("feedstock", r"whole[ -]trees?"),
    ("availability", r"practical availability|availability"),
    ("compare", r"comparison"),
    ("capacity_mw", r"(?:plant )?(?:capacity|size)"),
    ("demand_bdt", r"demand"),
    ("locations", r"(?:place|site|town|location|spot|city)"),
    ("fire_weight", r"fire[ -]weight(?:ing)?|weight(?: on fire)?|alpha"),
    ("overrides.diesel_usd_per_gal", r"diesel(?: price| change| assumption| override| increase| hike)?"),
    ("overrides.moisture_pct", r"moisture(?: content| assumption| change| override)?"),
    ("overrides.capacity_factor_pct", r"capacity factor(?: assumption| override)?"),
    ("overrides.efficiency_pct", r"efficiency(?: assumption| override)?"),
    ("overrides.driver_wage_usd_per_h", r"driver'?s?'? wages?"),
    ("overrides.capital_usd", r"capital(?: cost)?(?: assumption| override)?"),
    ("overrides", r"overrides|assumptions|what[ -]?ifs?|(?:all )?(?:my |the )?changes"),
]  # fmt: skip
_ALL_NOUNS = "|".join(f"(?P<n{i}>{form})" for i, (_, form) in enumerate(_NOUNS))
_DROP = Rule(
    rf"\b(?:drop|remove|forget(?: about)?|lift|clear|cancel|lose|ditch|delete|take (?:off|away|out)|get rid of|undo|"
    rf"scrap|quita|elimina|reset|without|no)(?: the| that| any| my| all| this| el| la)?(?: \$?\d[\d.,]*(?: ?%| ?km|"
    rf" miles?)?)? (?:{_ALL_NOUNS})\b(?! (?:at|of|is|to|=|\$?\d))"
)
_KEEP = Rule(
    rf"\b(?:keep(?:ing)?|leave|leaving|hold|same|retain|maintain|don't (?:change|touch)|with the same)"
    rf"(?: the| that| this| my)? (?:{_ALL_NOUNS})\b(?! (?:at|of|to|is|=|\$?\d))"
)
_ALSO = Rule(
    rf"\b(?:drop|remove|forget|without|no|lift|clear)\b[^.;?!]{{1,40}}\b(?:and|or) (?:the |no |any )?(?:{_ALL_NOUNS})\b"
    r"(?! (?:at|of|to|is|=|\$?\d))"
)
_NORMAL = Rule(
    rf"\b(?:{_ALL_NOUNS}) (?:back )?to (?:the |its )?(?:normal|default|usual|standard|automatic)(?: value| level)?\b"
)
_USUAL = Rule(rf"\b(?:default|usual|standard|normal|automatic)(?: (?:value of )?(?:the )?)? ?(?:{_ALL_NOUNS})\b")
_ORDINAL = {
    "first": 0,
    "original": 0,
    "initial": 0,
    "starting": 0,
    "second": 1,
    "third": 2,
    "fourth": 3,
    "primera": 0,
    "primer": 0,
}
_BACK = Rule(
    rf"\b(?:(?:go(?:ing)? |switch(?:ing)? |change |come |vuelve |volver )?(?:back|return|revert|restore|regresa(?:r)?|"
    rf"a) (?:to |a )?(?:what (?:it|we) (?:was|had)|(?:the |my |our |la |el )?(?P<ord>very first|first|original|initial|"
    rf"starting|earlier|previous|last|prior|second|third|fourth|old|primera?)(?: (?:{_ALL_NOUNS}|one|question|scenario|"
    rf"case|run|query|version|setup|set-?up|settings?|plant|answer|result))?)|"
    rf"(?:the )?(?P<ord2>first|original|initial|previous|earlier) (?:one|question|scenario|case|run|version|setup|"
    rf"{_ALL_NOUNS.replace('?P<n', '?P<m')}) again|restore the (?P<ord3>first|original|previous)(?: (?:one|question|"
    rf"scenario|case))?)\b|^\W*(?:use |take |with )?(?:the )?(?P<ord4>original|initial|first) (?:settings?|set-?up|question|"
    rf"scenario|case|version)\b(?=,?(?: please)?\W*$)"
)
_UNDO = Rule(
    r"^\W*(?:no,? ?)?(?:undo(?: that| this| it)?|go back|scratch that|take that back|never ?mind(?: that)?|"
    r"as (?:it was )?before|back)\W*$"
)
_RESTART = Rule(
    r"^\W*(?:start (?:over|again|afresh)|reset(?: everything| all)?\W*$|new (?:question|session|case)|from scratch|"
    r"forget (?:all (?:of )?that|everything)|clear (?:all|everything))\b"
)
_INSTEAD_DEGREE = Rule(
    r"^\W*(?:(?:make it|now|and|try|rather|no|better|what about|how about|a|with|then|only|or) ?,? ?)*(light(?:ly)?|"
    r"moderate(?:ly)?|heav(?:y|ily)|severe(?:ly)?)\b"
)


_INSTEAD_OF = Rule(r"\b(?:instead of|rather than|not) (?:the |a |on )?[\w -]{1,20}")
_SCALED = ("capacity_mw", "radius_km", "budget_usd_per_year", "demand_bdt")
_TIMES = Rule(
    r"\b(?:(?P<two>double|twice)|(?P<three>triple)|(?P<half>halve|half))(?: of)?(?: the| that| its| as)? "
    r"(?:(?P<capacity_mw>(?:plant )?(?:capacity|size|plant|megawatts|mw|big|large))|(?P<radius_km>(?:\w+ )?(?:radius|distance))|"
    r"(?P<budget_usd_per_year>(?:\w+ )?budget)|(?P<demand_bdt>demand|tonnage|volume))\b"
)


def _noun(m: re.Match[str]) -> str | None:
    groups = m.groupdict()
    for i, (field, _) in enumerate(_NOUNS):
        if groups.get(f"n{i}") or groups.get(f"m{i}"):
            return field
    return None


def read_takebacks(draft: Draft) -> None:
    """Mark the fields a turn takes back to their defaults, and mask the words."""
    source = draft.source
    for pattern in (_KEEP, _NORMAL, _ALSO, _DROP, _USUAL):
        for m in list(pattern.finditer(source.masked)):
            field = _noun(m)
            if field is None or (field in {"treatment", "technology", "locations", "capacity_mw"} and pattern is _DROP):
                continue
            if pattern is _KEEP:
                source.mask(*m.span())
                continue
            if pattern is _ALSO:
                # Only the second noun: the first is read by the rule below, or by the fire words.
                draft.resets.append(field)
                noun = next(k for k, v in m.groupdict().items() if v)
                source.mask(*m.span(noun))
                continue
            if field == "fire_weight":
                draft.put("fire_weight", 0.0, *m.span())
            elif field == "_shares":
                draft.resets += ["min_land_share_pct", "max_land_share_pct"]
            else:
                draft.resets.append(field)
            source.mask(*m.span())


def restored(draft: Draft, history: Sequence[SitingQuery]) -> tuple[SitingQuery | None, list[tuple[str, SitingQuery]]]:
    """The earlier question a turn goes back to, and single fields that it takes from earlier turns."""
    source = draft.source
    text = source.masked
    if not history:
        return None, []
    if _RESTART.match(text):
        draft.marks.add("restart")
        return None, []
    if _UNDO.match(text):
        draft.marks.add("restored")
        return history[-2] if len(history) > 1 else history[-1], []
    whole: SitingQuery | None = None
    single: list[tuple[str, SitingQuery]] = []
    for m in list(_BACK.finditer(text)):
        word = m["ord"] or m["ord2"] or m["ord3"] or m["ord4"] or "previous"
        word = word.removeprefix("very ")
        field = _noun(m)
        k = _ORDINAL.get(word)
        if k is None:
            k = len(history) - 2
        target = history[min(max(k, 0), len(history) - 1)]
        if field is None:
            whole = target
            draft.marks.add("restored")
        else:
            if word in {"previous", "last", "earlier", "prior", "old"}:
                now = history[-1]
                target = next((q for q in reversed(history) if _value(q, field) != _value(now, field)), target)
            single.append((field, target))
        source.mask(*m.span())
    return whole, single


def _value(query: SitingQuery, field: str) -> object:
    if field.startswith("overrides."):
        return query.overrides.get(field.removeprefix("overrides."))
    return getattr(query, field, None)


def read_bare_values(draft: Draft, history: Sequence[SitingQuery]) -> None:
    """ "60 % instead", "and 30?", "heavy instead": a value without its field belongs to what was named last."""
    if not history:
        return
    base = history[-1]
    graded = base.treatment[:3] in {"TFA", "TFB"}
    text = draft.source.text
    if graded and "treatment" not in draft.values and (m := _INSTEAD_DEGREE.match(text)):
        draft.put("treatment", f"{base.treatment[:3]}{DEGREES[m[1]]}", *m.span(1))
    if base.max_cost_usd_per_bdt is not None and not {"max_cost_usd_per_bdt", "_cap"} & set(draft.values):
        m = _INSTEAD_OF.search(text)
        stays = text[: m.start()] + " " * len(m[0]) + text[m.end() :] if m else text
        if m := EACH_TON.search(stays):
            draft.put("max_cost_kind", "last_ton", *m.span())
        elif m := re.search(r"\b(?:on|the|an) average\b|^\W*average\b(?= )", stays):
            draft.put("max_cost_kind", "average", *m.span())
    if (m := _TIMES.search(text)) and (scaled := next(f for f in _SCALED if m[f])) not in draft.values:
        times = 2.0 if m["two"] else 3.0 if m["three"] else 0.5
        now = getattr(base, scaled)
        if now is None and scaled == "capacity_mw" and base.demand_bdt is None and base.capacity_range_mw is None:
            now = DEFAULT_CAPACITY_MW
        if now is not None:
            draft.put(scaled, now * times, *m.span())
            draft.note(f"{scaled} is now {number(now * times)}, {times:g} times {number(now)}")
    if len(text) > 60:
        return
    for a in list(draft.amounts):
        if a.shape:
            continue
        if a.unit == "pct":
            field = _last_percentage(history, graded) or ("max_extra_cost_pct" if base.intent == "pareto" else None)
            if field == "treatment" and int(a.value) in {20, 40, 60, 80}:
                draft.put("treatment", f"{base.treatment[:3]}{int(a.value)}", a.start, a.end)
            elif field == "fire_weight":
                draft.put("fire_weight", a.value / 100, a.start, a.end)
            elif field == "min_burn_probability":
                draft.put("min_burn_probability", a.value / 100, a.start, a.end)
            elif field == "min_average_burn_probability":
                draft.put(field, a.value / 100, a.start, a.end)
            elif field in {"min_land_share_pct", "max_land_share_pct"} and len(getattr(base, field)) == 1:
                draft.put(field, dict.fromkeys(getattr(base, field), a.value), a.start, a.end)
            elif field in {"max_slope_pct", "max_site_slope_pct", "min_high_hazard_pct", "max_extra_cost_pct"}:
                draft.put(field, a.value, a.start, a.end)
            elif field and field.startswith("overrides."):
                draft.put_override(field.removeprefix("overrides."), a.value, a.start, a.end)
            else:
                continue
            draft.note(f"{number(a.value)} % is read as the new {field}")
            draft.use(a)
        elif a.unit == "usd" and "diesel_usd_per_gal" in base.overrides and a.value < 30:
            draft.put_override("diesel_usd_per_gal", a.value, a.start, a.end)
            draft.note(f"${number(a.value)} is read as the new diesel price")
            draft.use(a)
        elif a.unit == "usd" and base.max_cost_usd_per_bdt is not None and a.value < 1000:
            draft.put("max_cost_usd_per_bdt", a.value, a.start, a.end)
            draft.values.setdefault("max_cost_kind", base.max_cost_kind)
            draft.note(f"${number(a.value)} is read as the new cap in dollars per BDT")
            draft.use(a)
        elif (
            a.unit == ""
            and not _says_more(draft)
            and not draft.overrides
            and not draft.locations
            and 0 < a.value <= 1000
            and "_" not in text
        ):
            if 0 < a.value < 1 and ("fire_weight" in base.explicit or "fire" in text):
                draft.put("fire_weight", a.value, a.start, a.end)
                draft.note(f"{a.value:g} is read as the new fire weight")
            elif base.capacity_mw is not None:
                draft.put("capacity_mw", a.value, a.start, a.end)
                draft.note(f"{number(a.value)} is read as MW")
            else:
                continue
            draft.use(a)


def _says_more(draft: Draft) -> bool:
    return any(not k.startswith("_carried") for k in draft.values)


def _last_percentage(history: Sequence[SitingQuery], graded: bool) -> str | None:
    """The percentage field that the user named most recently."""
    fields = (
        "treatment", "fire_weight", "max_slope_pct", "min_burn_probability", "min_high_hazard_pct", "min_land_share_pct",
        "max_land_share_pct", "max_extra_cost_pct", "min_average_burn_probability", "max_site_slope_pct",
    )  # fmt: skip
    for query in reversed(history):
        named = [(o.span, f) for f, o in query.origins.items() if o.source == "user" and o.span is not None]
        usable = [
            f
            for _, f in sorted(named, reverse=True)
            if (f in fields and (f != "treatment" or graded)) or (f.startswith("overrides.") and f.endswith("_pct"))
        ]
        if usable:
            return usable[0]
    return None
