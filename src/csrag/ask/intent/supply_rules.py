"""Rules on any supply: share of the tons from high hazard zones, shares by owner, longest haul by road."""

from __future__ import annotations

import re

from csrag.ask.intent.draft import Draft, number
from csrag.ask.intent.measures import LENGTH, SHARE, length_km, share_pct
from csrag.ask.intent.rule import Rule, names_any
from csrag.ask.intent.text import MASK

COMPLIANT_PCT = 80.0
"""Share of fuel from high hazard zones that BioMAT and BioRAM contracts ask of forest fuel [percent] (California Public
Utilities Commission, Resolution E-4770 and Decision 20-08-043)."""
_ZONE = (
    r"(?:zones?|areas?|stands?|lands?|forests?|ground|country|districts?|class(?:es)?|clusters?|wood|fuel|material|tons|chips|"
    r"biomass)"
)
HIGH_HAZARD = (
    rf"(?:hhzs?(?: {_ZONE})?|(?:the |a |any )?(?:(?:very[ -])?high(?:er|est)?[ -](?:or very high )?(?:fire[ -])?(?:hazard|"
    rf"threat|severity)|extreme hazard|(?:fire[ -])?hazard|(?:very[ -])?high[ -](?:fire[ -])?risk|tier[ -](?:1|2|one|"
    rf"two)(?: and (?:tier )?(?:2|two))?(?: high hazard)?)(?:[ -](?:severity|fire))?[ -]{_ZONE}(?: {_ZONE})?|"
    rf"high[ -](?:fire[ -])?hazard\b|"
    r"zonas? de (?:alto|muy alto) (?:riesgo|peligro)|tree[ -]mortality zones?)"
)
_OWNER = (
    r"(?P<owner>federal(?:ly)?|public|forest service|usfs|national[ -]forests?|blm|bureau of land management|private(?:ly)?|"
    r"industrial|tribal|state|federales|publicas|privad[ao]s?|servicio forestal|bosques? nacional(?:es)?)(?:[ -]?(?:owned|held|"
    r"managed|industrial|timber))?(?: (?:lands?|ground|forests?|timber(?:lands?)?|acres|stands|wood|fuel|tons|owners?|material|"
    r"owned|chips|ownership|supply|sources?))*"
)
_USE = {
    "federal": "usfs", "federally": "usfs", "federales": "usfs", "public": "usfs", "publicas": "usfs", "forest service": "usfs",
    "usfs": "usfs", "servicio forestal": "usfs", "blm": "blm", "bureau of land management": "blm", "private": "private",
    "privately": "private", "industrial": "private", "tribal": "tribal", "state": "state",
}  # fmt: skip
# What may stand between a share and what it is a share of: no other number, no new sentence.
_OF = r"(?: (?!weight|emphasis|of the (?:land|county|area|region|acres)|or (?:less|more|higher|lower) )[^\s\d.;?!$%,:]{1,16}){0,9}? "
_BOUND = (
    r"(?P<bound>(?:at least|at most|no less than|not less than|no more than|not more than|no fewer than|min(?:imum)?(?: of)?|"
    r"max(?:imum)?(?: of)?|up to|less than|under|(?<!from )below|over|(?<!from )above|more than|a majority|al menos|"
    r"como minimo|como maximo|no mas de|hasta|limit(?:ed)? to|capp?(?:ed)? at|>|<|exactly)(?: (?:the|a))? )?"
)
_TAIL = r"(?P<tail>,? (?:or (?:more|less|higher|better|fewer)|at (?:least|most)|min(?:imum)?|max(?:imum)?|tops|and (?:up|above)))?"
_SHARE_WORDS = (
    "%",
    "percent",
    "per cent",
    "pct",
    "por ciento",
    "half",
    "third",
    "quarter",
    "fourth",
    "mitad",
    "tercio",
    "cuarto",
)
_HAZARD: tuple[Rule, ...] = (
    Rule(rf"{_BOUND}{SHARE}{_TAIL}{_OF}{HIGH_HAZARD}{_TAIL.replace('tail', 'tail2')}", _SHARE_WORDS),
    Rule(
        rf"\b{HIGH_HAZARD}(?: (?:share|fraction|percentage|part|rule|quota|requirement|wood|fuel|content))?(?: (?:of|is|at|to|be|"
        rf"must|has|"
        rf"should|for|make|up|account|set|makes))*(?: ?[=:])? {_BOUND}{SHARE}(?! (?:of )?(?:weight|emphasis|fire)){_TAIL}",
        _SHARE_WORDS,
    ),
)
_ONLY_HAZARD = Rule(
    rf"\b(?:all(?: of)?(?: the| its| our| my)? (?:wood|fuel|tons|chips|supply|feedstock|biomass|material)(?: (?:must|should|"
    rf"has to|is|be|comes?|coming|to|sourced|cut|taken))* (?:from|in|out of)|only (?:use |take |cut |treat |burn |from |in |"
    rf"wood from |fuel from |wood in |stands in )+|nothing but (?:wood |fuel )?(?:from|in)|exclusively (?:from|in)|"
    rf"entirely (?:from|in)|solo (?:de|en)) {HIGH_HAZARD}",
    ("all ", "only", "nothing but", "exclusively", "entirely", "solo"),
)
_LAND: tuple[Rule, ...] = (
    Rule(rf"{_BOUND}{SHARE}{_TAIL}{_OF}{_OWNER}{_TAIL.replace('tail', 'tail2')}\b", _SHARE_WORDS),
    Rule(
        rf"\b{_OWNER}(?: (?:share|fraction|part|percentage|quota))?(?: (?:of|is|at|to|be|must|may|can|has|should|not|for|make|"
        rf"up|account|exceed|capped|limited|kept|held|no))*(?: ?[=:])? {_BOUND}{SHARE}{_TAIL}",
        _SHARE_WORDS,
    ),
)
_AT_MOST = re.compile(
    r"at most|no more|not more|max|up to|less than|under|below|como maximo|no mas|hasta|limit|capp?|<|or (?:less|fewer)|tops|exceed"
)
_STORY = re.compile(
    r"\b(?:county|area|basin|watershed|region|around here|district|land)\b[^.;?!]{0,20}? (?:is|are|was|were) $|"
    r"\b(?:thin\w*|below|above|crown|canopy|tf[ab]|understor\w+|removal|remov\w+|overstor\w+)(?: (?:at|by|of|to))?,? $"
)
_FROM = re.compile(r"\b(?:from|out of|off|comes?|coming|sourced|drawn|cut|taken|supplied|de)\b")
_MUST = re.compile(r"\b(?:must|has to|have to|should|shall|needs? to|to be|needs?|debe|required)\b")
_OF_FUEL = re.compile(
    r"\bof (?:it|them|that|what|(?:the|our|its|all|my)? ?(?:tons?|tonnage|wood|fuel|supply|feedstock|chips|biomass|material|volume|"
    r"mix))\b"
)
_SCHEME = Rule(
    r"\bbio-?(?P<name>mat|ram)s?[ -](?:program[ -]|contract[ -]|fuel[ -])?(?:complian(?:t|ce)|eligib\w+|rules?|requirements?|"
    r"criteria|standards?|qualif\w+|quotas?|terms|conform\w*|style rules?)\b|\b(?:meet(?:s|ing)?|satisf(?:y|ies|ying)|"
    r"compl(?:y|ies|ying) with|qualif(?:y|ies|ying) (?:for|under|as)|eligible (?:for|under)|according to|under|obey(?:s|ing)?|"
    r"follow(?:s|ing)?|fulfil?l?(?:s|ing)?|keep(?:s|ing)? to)(?: the)? bio-?(?P<name2>mat|ram)\b(?: (?:rules?|program(?:me)?|"
    r"terms|requirements?|contract|fuel (?:rules?|requirements?)|criteria|standards?))?"
)
_ROAD_WORD = (
    r"(?:by road|on (?:the )?roads?|over the road|one[ -]way|of (?:road|driving)|driving(?: distance)?|road distance|road "
    r"haul|each way)"
)
_HAUL: tuple[Rule, ...] = (
    Rule(
        r"\b(?:no|not any|without any?|never an?|exclude|skip|drop)(?: single| one)? (?:hauls?|truck (?:trips?|hauls?)|trips?|"
        r"drives?|loads?|trucking)"
        rf"(?: that (?:is|are)| of| to be)? (?:longer than|farther than|further than|more than|over|above|beyond|past|"
        rf"exceeding|greater than)(?: a)? {LENGTH}(?: {_ROAD_WORD})?"
    ),
    Rule(
        rf"\b(?:longest|max(?:imum)?|limit(?: on)?(?: the)?|cap(?: on)?(?: the)?)(?: one[ -]way)? (?:road|driving|"
        rf"truck) (?:haul|distance|trip|miles|length)s?(?: (?:of|is|at|to|be|should|must|under|below))*(?: ?[=:])? {LENGTH}"
    ),
    Rule(rf"\blongest (?:haul|trip)(?: (?:of|is|at|to|be|should|must|under|below|may|can))*(?: ?[=:])? {LENGTH}"),
    Rule(
        r"\b(?:haul(?:s|ing)?|trucks?|trucking|trips?|driv(?:e|es|ing)|drivers|chips|chip vans)(?: (?:distances?|may|can|must|"
        r"should|will|not|go|drive|travel|haul|be|are|is|to|only|of|run|cannot|can't|won't|no|never))* (?:at most|no more than|"
        r"more than|up to|under|below|less than|max(?:imum)?(?: of)?|within|no (?:longer|"
        rf"farther|further) than|(?:farther|further|longer) than|limited to|capped at|over|beyond|kept under|kept below|"
        rf"hasta)? ?{LENGTH},? {_ROAD_WORD}"
    ),
    Rule(
        rf"\b(?:within|inside|no (?:more|farther|further|longer) than|at most|up to|under|less than|max(?:imum)?(?: of)?|"
        rf"limit(?:ed)? to|a menos de) {LENGTH} (?:away )?{_ROAD_WORD}"
    ),
    Rule(
        r"\b(?:within|inside|no (?:more|farther|further|longer) than|at most|up to|under|less than|max(?:imum)?(?: of)?|"
        r"limit(?:ed)? to) (?P<length>\d{1,3}(?:\.\d)?[ -](?:road|driving)[ -](?:miles?|kms?|kilomet(?:er|re)s?))(?![a-z0-9])"
    ),
)  # fmt: skip
_AREA_WORDS = ("hazard", "hhz", "risk", "threat", "severity", "riesgo", "peligro", "mortality", "tier")
_OWNER_WORDS = (
    "federal",
    "public",
    "forest",
    "usfs",
    "blm",
    "bureau",
    "privat",
    "privad",
    "industrial",
    "tribal",
    "state",
    "bosque",
)
_ROAD_WORDS = ("haul", "road", "driv", "truck", "one way", "one-way", "each way", "trip")


def read_supply_rules(draft: Draft) -> None:
    """Set `min_high_hazard_pct`, the land shares and `max_road_km`, and take their words out of play."""
    text = draft.source.masked
    if "bio" in text and (m := _SCHEME.search(text)):
        name = "BioMAT" if (m["name"] or m["name2"]) == "mat" else "BioRAM"
        draft.put("min_high_hazard_pct", COMPLIANT_PCT, *m.span())
        draft.note(
            f"{name} is read as at least {number(COMPLIANT_PCT)} % of the tons from high hazard zones; its other terms (price, "
            f"size, dates) are not checked"
        )
        draft.source.mask(*m.span())
    if names_any(text, _AREA_WORDS):
        _hazard(draft)
    if names_any(text, _OWNER_WORDS):
        _land(draft)
    if names_any(text, _ROAD_WORDS):
        _haul(draft)


def _at_most(m: re.Match[str]) -> bool:
    """Whether the words around a share make it an upper bound."""
    said = " ".join(m[g] or "" for g in ("bound", "tail", "tail2") if g in m.re.groupindex)
    inside = m[0] if m.re.groupindex.get("owner", 99) < m.re.groupindex["share"] else ""
    return bool(_AT_MOST.search(said) or re.search(r"\b(?:exceed|capped|limited|not|no)\b", inside))


def _hazard(draft: Draft) -> None:
    source = draft.source
    if m := _ONLY_HAZARD.search(source.masked):
        draft.put("min_high_hazard_pct", 100.0, *m.span())
        source.mask(*m.span())
        return
    for rule in _HAZARD:
        m = rule.search(source.masked)
        if m is None or re.search(r"\b(?:weight|emphasis|importance|probability)\b", m[0]):
            continue
        pct = share_pct(m)
        source.mask(*m.span())
        if _at_most(m):
            draft.note(
                f"an upper limit on tons from high hazard zones ({number(pct)} %) is not applied: a rule sets their least share"
            )
            return
        draft.put("min_high_hazard_pct", pct, *m.span())
        return


def _land(draft: Draft) -> None:
    source = draft.source
    shares: dict[str, dict[str, float]] = {"min_land_share_pct": {}, "max_land_share_pct": {}}
    spans: dict[str, tuple[int, int]] = {}
    apart: list[tuple[str, float, tuple[int, int]]] = []
    text = source.masked
    for _ in range(6):
        m = min((m for rule in _LAND if (m := rule.search(text))), key=lambda m: (m.start(), -m.end()), default=None)
        if m is None:
            break
        before = text[max(0, m.start() - 60) : m.start()]
        loose = not m["bound"] and not (m["tail"] or ("tail2" in m.re.groupindex and m["tail2"]))
        told = _STORY.search(before) or (
            loose and not (_FROM.search(m[0]) or _OF_FUEL.search(m[0]) or _MUST.search(m[0]))
        )
        most = _at_most(m)
        if told and not most:
            if not _STORY.search(before):
                apart.append((_use_of(m["owner"]), share_pct(m), m.span()))
            text = text[: m.start()] + MASK * len(m[0]) + text[m.end() :]
            continue
        use = _use_of(m["owner"])
        field = "max_land_share_pct" if most else "min_land_share_pct"
        shares[field][use] = share_pct(m)
        spans[field] = m.span()
        if m["owner"].startswith(("federal", "public")):
            draft.note(f"{m['owner']} land in a share of the tons is read as Forest Service land")
        if not most and loose:
            draft.note(f"{number(share_pct(m))} % from {use} land is read as at least that much")
        if use not in {"private", "usfs"} and not most:
            draft.values.setdefault("_land", []).append(("add", (use,)))
            draft.spans["land_use"] = m.span()
            draft.note(f"{use} land is added to the usual owners, since a share of the tons is to come from it")
        source.mask(*m.span())
        text = text[: m.start()] + MASK * len(m[0]) + text[m.end() :]
    if (
        len(apart) > 1
        and len({use for use, _, _ in apart}) == len(apart)
        and abs(sum(pct for _, pct, _ in apart) - 100) < 1
    ):
        # "half private, half federal": the parts of a whole.
        for use, pct, span in apart:
            shares["min_land_share_pct"][use] = pct
            spans["min_land_share_pct"] = span
            source.mask(*span)
        draft.note("shares that make up the whole are each read as at least that much")
    for field, found in shares.items():
        if found:
            draft.put(field, found, *spans[field])


def _use_of(owner: str) -> str:
    """Land use that an owner's name stands for; of what is federal, the Forest Service's."""
    return _USE.get(owner) or ("private" if owner.startswith("privad") else "usfs")


def _haul(draft: Draft) -> None:
    source = draft.source
    for rule in _HAUL:
        if m := rule.search(source.masked):
            draft.put("max_road_km", length_km(m), *m.span())
            source.mask(*m.span())
            return
