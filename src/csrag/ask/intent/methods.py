"""Harvesting system, conversion technology, transport mode, selection rule, feedstock and availability."""

from __future__ import annotations

import re

from csrag.ask.intent.draft import Draft
from csrag.ask.intent.rule import Rule, names_any
from csrag.surfaces.catalog import SYSTEMS

_NO = Rule(
    r"(?:\bno|\bwithout|\bnot|\bnever|\bavoid(?:ing)?|\bexclud(?:e|ing)|\binstead of|\brather than|\bsin|\bskip)(?: any|"
    r" the| using| a)? $"
)
_TAKEN_BACK = Rule(r"\b(?:forget(?: about)?|drop|remove|lift|ditch|lose|cancel|scrap)(?: the| that| any)? $")
_OR = Rule(r"(?:,? (?:or|nor|and|ni|o)(?: any| no)? | ?/ ?)")
Hit = tuple[int, int, str]
_CABLE = r"(?:cable|skyline|yarder)"
_HELI = r"(?:helicopter|heli(?![a-z])|aerial)"
_LENGTH = r"(?:cut[ -]to[ -]length|ctl)"
_MECH = r"mech(?:ani[sz]ed|anical)?"
_TREE = r"(?:whole[ -]?trees?|wt)"
_BARE = rf"\b{_TREE}[ -](?:harvest(?:ing|er)?s?|logging|systems?|methods?|yarding|skidding|operations?|extraction|removal)\b"
# The first form that matches at a place wins; exact names before words.
_SYSTEMS: list[tuple[str, Rule]] = [
    *((name, Rule(r"\b" + re.escape(name.lower()).replace(r"\-", "[ -]").replace(r"\ ", "[ -]") + r"\b", (name.lower().split()[-1],)))
      for name in sorted(SYSTEMS, key=len, reverse=True)),
    ("Helicopter CTL", Rule(rf"\b{_HELI}[ -]{_LENGTH}\b|\b{_LENGTH},?(?: by| with)? {_HELI}")),
    ("Cable CTL", Rule(rf"\b{_CABLE}(?: yarding)?[ -]{_LENGTH}\b|\b{_LENGTH},?(?: by| with)? {_CABLE}")),
    ("Cable Manual WT", Rule(rf"\b{_CABLE} (?:yarding )?(?:manual )?{_TREE}(?! ?/)\b")),
    ("Ground-Based CTL", Rule(rf"\b(?:ground[ -]based )?{_LENGTH}\b")),
    ("Ground-Based Mech WT", Rule(rf"\b(?:ground[ -]based )?(?:{_MECH} {_TREE}|{_TREE},? {_MECH})\b|\bfeller[ -]bunchers?\b")),
    ("Ground-Based Manual WT", Rule(
        rf"\b(?:ground[ -]based )?(?:manual {_TREE}|{_TREE},? manual|hand[ -]fell(?:ed|ing) {_TREE})\b")),
    ("Ground-Based Mech WT", Rule(
        rf"{_BARE}|\b{_TREE}(?= (?:and|or|vs\.?|versus|with|to) {_LENGTH})|(?:(?<=length or )|(?<=length vs )|(?<=length and )|"
        rf"(?<=ctl or )|(?<=ctl vs )|(?<=ctl and )|(?<=length versus )){_TREE}\b")),
    ("Ground-Based Manual Log", Rule(r"\b(?:ground[ -]based )?manual logs?\b|\bhand[ -]fell(?:ed|ing) logs?\b")),
    ("helicopter", Rule(
        rf"\b(?:{_HELI}|helicopters|helicopteros?)\b(?! ?(?:pad|base|tour))(?: (?:logging|yarding|"
        rf"systems?|only))?")),
    ("cable", Rule(
        rf"\b{_CABLE}s?(?:[ -](?:logging|yarding|systems?|ground|only))*\b(?! (?:tv|company|internet))|"
        rf"\bcables? aereos?\b")),
    ("ground", Rule(
        r"\bground[ -]based\b(?: (?:logging|systems?|harvesting|equipment|only))*|\b(?:tractor|skidder|ground) (?:logging|"
        r"skidding|systems?|yarding|harvesting|only)\b|\bskidders?\b|\bground\b(?= (?:or|vs\.?|versus|and) (?:cable|heli))|"
        r"(?<=cable or )ground\b|(?<=cable vs )ground\b|(?<=cable and )ground\b|(?<=helicopter or )ground\b")),
    ("auto", Rule(
        r"\b(?:any|whichever|whatever|cheapest|automatic|auto|best) (?:harvest(?:ing)? |logging )?system\b|"
        r"\bsystem (?:auto|automatic)\b")),
]  # fmt: skip

TECHNOLOGY_RULES: list[tuple[str, Rule]] = [
    ("gasification", Rule(r"\bgas+[ie]f\w{2,10}\b|\bsyn[ -]?gas\b|\bproducer gas\b|\bpyrolysis gas\b")),
    ("chp", Rule(
        r"\bchps?\b|\bco-?gen(?:eration|eracion|erating|erator)?s?\b|\b(?:combined )?heat[ -](?:and|&|\+)[ -]power\b|"
        r"\bcalor y (?:electricidad|energia)\b")),
    ("combustion", Rule(
        r"\b(?:direct[ -]|conventional |plain |ordinary )?combustion\b|\bdirect[ -]fired\b|"
        r"\bsteam (?:cycle|turbine|plant)\b|\bstoker\b|\bfluidi[sz]ed bed\b|\bpower[ -]only\b|\bstraight (?:burning|"
        r"power)\b")),
]  # fmt: skip


def _mode(name: str) -> str:
    """A distance mode by its own name: "transport = zone", "mode: zone", or alone between commas; a hazard zone is none."""
    whole = rf"{name}(?! ?(?:\d|[a-z]\b|of\b|hazard|fire|line|boundar|access|map))\b"
    return (
        rf"\b(?:(?:transport(?:ation)?|distances?|haul(?:age)?|roads?|circuity) )?(?:mode|method)(?: is| as| to| "
        rf"of)? ?[:=]? ?{whole}|"
        rf"\b(?:transport(?:ation)?|distances?|haul(?:age)?)(?: (?:is|by|as|set to|via) | ?[:=] ?){whole}|"
        rf"(?:(?<!hazard)[,;]|[.(]) ?{name}(?= ?$| ?[,;.?!)])"
    )


_TRANSPORT: list[tuple[str, Rule]] = [
    *((name, Rule(_mode(name))) for name in ("network", "stratified", "zone")),
    ("network", Rule(
        r"\bby (?:the )?network\b(?! of)|"
        r"\broad[ -]network\b|\b(?:actual|real|existing|true) (?:road|driving|route|highway)s?(?: (?:distances?|"
            r"network|miles|times?|routes?))?\b|"
        r"\bnetwork (?:distances?|routing|mode|transport)\b|\b(?:driving|road|routed?) (?:distances?|times?|routing)\b|\bosrm\b|"
        r"\brout(?:e|ed|ing) (?:trucks |it |everything |them )?(?:over|on|along|by|through) (?:the )?(?:actual |"
            r"real )?roads?\b|\bred (?:de carreteras|vial)\b")),
    ("stratified", Rule(r"\bstratified\b|\bdistance[ -](?:band(?:ed|s)?|stratified)\b|\bbanded (?:circuity|factors?)\b")),
    ("zone", Rule(
        r"\bzon(?:e|al)(?:[ -](?:factors?|distances?|circuity|mode|average|wise|transport|based))+\b|\b(?:one|single|"
        r"flat) (?:circuity )?factor (?:a|per|for each|by) zone\b|\bcircuity by zone\b|\bby zone\b|"
        r"\bper[ -]zone (?:factors?|circuity)\b")),
]  # fmt: skip
_STRAIGHT = Rule(
    r"(?<!km )(?<!kilometers )(?<!kilometres )(?<!miles )(?<!mile )(?<!mi )\bas (?:the|a) crow flies\b|"
    r"\bstraight[ -]lines? (?:distances?|haul\w*|transport\w*|mode|routes?|trips?|trucks?)\b(?! to (?:the |a )?(?:nearest |"
    r"closest )?(?:substation|grid|power|line))|"
    r"\b(?:mode|transport|distances?|trucks?|haul\w*|roads?)(?: (?:is|are|in|by|as|along))?(?: a| "
    r"the)? ?[:=]? ?straight[ -]lines?\b|"
    r"(?:^|[,;.] ?)(?:in |use |with |using )?straight[ -]lines?(?= ?$| ?[,;.?!])|\b(?:euclidean|great[ -]circle) distances?\b"
)
_STRAIGHT_NOTE = (
    "straight lines are not a distance mode: trucks follow roads; road distances (network, stratified, zone) are used"
)
_SELECTION: list[tuple[str, Rule]] = [
    ("proximity", Rule(
        r"\b(?:nearest|closest)(?: (?:wood|stands?|clusters?|cells?|ones?|forest|timber|trees|ground|"
            r"to the plant))*[ -]first\b|\bproximity\b|"
        r"\b(?:as|like|the way) (?:in )?(?:frredss|cecdss)(?: does| do)?\b|\bfrredss(?:'s|')?[ -](?:rule|style|way|"
            r"method|selection|like)\b|"
        r"\b(?:in )?order of (?:distance|proximity)\b|\bby distance\b|\bmas cercanos? primero\b|\b(?:start|starting|"
            r"work|working|begin) (?:from|with) the (?:nearest|closest)\b|\boutward\b|\binside out\b")),
    ("cost", Rule(
        r"\b(?:cheapest|least[ -]cost|lowest[ -]cost)(?: (?:wood|stands?|clusters?|cells?))?[ -]first\b|"
        r"(?<=vs )(?:yours|ours|your own|csrag(?:'s)?)\b|(?<=versus )(?:yours|ours|your own|csrag(?:'s)?)\b|(?<=against )(?:yours|"
        r"ours|your own|"
        r"csrag(?:'s)?)\b|(?<=and )yours\b|(?<=with )yours\b|(?<=to )yours\b|\b(?:your|our|csrag'?s?|the usual|the default|"
        r"cost[ -]rank(?:ed|ing)?|"
        r"cheapest) (?:own )?(?:rule|selection|method|way of choosing)\b|\bby cost\b|"
        r"\bcost[ -]rank(?:ed|ing)?\b|\bselection by cost\b|\bin order of cost\b")),
]  # fmt: skip
_LOGS = r"(?:saw[ -]?logs?|logs|round[ -]?wood|saw[ -]?timber|merchantable (?:wood|logs|timber)|pulp[ -]?wood)"
_NO_SYSTEM = rf"(?!,? (?:and )?(?:{_MECH}|manual|harvest|logging|system|method|yard|skid|cable|ctl|operation|removal))"
_BARE_SYSTEM = Rule(rf"(?<!mechanised )(?<!mechanized )(?<!mech )(?<!manual )(?<!cable ){_BARE}")
_WHOLE_TREE = Rule(
    r"\b(?:burn(?:s|ing)?|chip(?:ping|s)?|us(?:e|ing)|fuel(?:led|ed)? (?:with|by)|tak(?:e|ing)|feed(?:ing)?|send(?:ing)?)"
    r" (?:the |up )?(?:whole|entire|full)[ -]trees?\b|\b(?:whole|entire)[ -]trees? (?:to|into|at) the (?:plant|mill|"
    r"boiler|gasifier|chipper|facility)\b|"
    r"\bwhole[ -]trees? (?:as )?(?:fuel|feedstock|chips?)\b|\bfeedstock:? whole[ -]tree\b|"
    rf"\b{_LOGS} (?:too|as well|also|included|as fuel)\b|"
    rf"\b(?:includ(?:e|es|ing)|plus|and also|along with|also|and burn) (?:the )?{_LOGS}\b|"
    # Standing alone between commas it is what is burned; "whole-tree harvesting" is how it is cut.
    rf"(?:^|[,;:.(] ?|\b(?:with|using|from|mw) |\x01 )(?:the )?(?:whole|entire|full)[ -]trees?"
    rf"(?=\W*$| ?[,;.?!)]| (?:fuel|feedstock|too|please|"
    rf"used|burn\w*|utili[sz]ation|at|in|within|from|near)\b){_NO_SYSTEM}"
)
_PRACTICAL = Rule(
    r"\b(?:practical(?:ly)?|realistic(?:ally)?)[ -](?:availab(?:ility|le)|supply|shares?|potential|harvest levels?)\b|"
    r"\bavailability practical\b|"
    r"\b(?:practically|realistically) available\b"
)
_PHYSICAL = Rule(
    r"\b(?:physical|full|technical|theoretical)[ -](?:availability|potential)\b|\bavailability (?:physical|1(?:\.0)?)\b"
)
_RESIDUE = Rule(r"\bresidues? only\b|\bonly (?:the )?residues?\b|\bfeedstock residue\b|\bno saw ?logs\b")


_WORDS = {
    "system": (
        "ground",
        "cable",
        "skyline",
        "yard",
        "heli",
        "aerial",
        "cut to",
        "cut-to",
        "ctl",
        "mech",
        "whole",
        "wt",
        "feller",
        "manual",
        "hand",
        "tractor",
        "skid",
        "system",
    ),
    "technology": (
        "gas",
        "chp",
        "co-gen",
        "cogen",
        "heat",
        "calor",
        "combust",
        "direct",
        "steam",
        "stoker",
        "fluid",
        "power only",
        "power-only",
        "straight",
    ),
    "transport": ("road", "network", "driving", "route", "osrm", "red ", "stratif", "band", "zon", "circuity"),
    "selection": (
        "first",
        "proxim",
        "frredss",
        "cecdss",
        "order",
        "distance",
        "cercano",
        "nearest",
        "closest",
        "outward",
        "inside out",
        "by cost",
        "cost rank",
        "cost-rank",
        "yours",
        "rule",
        "selection",
    ),
    "tree": ("tree", "log", "feedstock", "residue", "wood", "timber"),
    "availab": ("availab", "realistic", "practical", "physical", "theoretical", "technical", "full pot"),
}


def read_methods(draft: Draft) -> None:
    """Set the method fields that the turn names."""
    source = draft.source
    if names_any(source.masked, _WORDS["tree"]):
        if m := _WHOLE_TREE.search(source.masked):
            draft.put("feedstock", "whole_tree", *m.span())
            source.mask(*m.span())
        elif m := _RESIDUE.search(source.masked):
            draft.put("feedstock", "residue", *m.span())
    if names_any(source.masked, _WORDS["availab"]):
        if m := _PRACTICAL.search(source.masked):
            draft.put("availability", "practical", *m.span())
            source.mask(*m.span())
        elif m := _PHYSICAL.search(source.masked):
            draft.put("availability", "physical", *m.span())
    bare = names_any(source.masked, ("tree", "wt")) and _BARE_SYSTEM.search(source.masked)
    _named(draft, "system", _SYSTEMS, many="_systems")
    if bare and "Ground-Based Mech WT" in (draft.values.get("system"), *draft.values.get("_systems", ())):
        draft.note("whole-tree harvesting without more is read as the system Ground-Based Mech WT")
    _named(draft, "technology", TECHNOLOGY_RULES, many="_technologies")
    straight = names_any(source.masked, ("crow", "straight", "euclid", "great")) and _STRAIGHT.search(source.masked)
    _named(draft, "transport", _TRANSPORT, many="_transports")
    if straight and "transport" not in draft.values:
        draft.note(_STRAIGHT_NOTE)
    _named(draft, "selection", _SELECTION, many="_selections")


def _shares_the_no(text: str, hit: Hit, hits: list[Hit], kept: list[Hit]) -> bool:
    """ "no helicopters or cable": the second name stands under the first one's negation."""
    if hit[2] == "auto" or re.search(r"\bonly\b", text[hit[0] : hit[1] + 6]):
        return False
    return any(h not in kept and _OR.fullmatch(text[h[1] : hit[0]]) for h in hits if h[1] <= hit[0])


def _named(draft: Draft, field: str, table: list[tuple[str, Rule]], many: str = "") -> None:
    """Set `field` to the name whose words stand in the text; the last one said wins, a negated one does not count."""
    source = draft.source
    if not names_any(source.masked, _WORDS[field]):
        return
    hits: list[Hit] = []
    for name, pattern in table:
        for m in pattern.finditer(source.masked):
            a, b = m.span()
            if not any(x < b and a < y for x, y, _ in hits):
                hits.append((a, b, name))
    if not hits:
        return
    hits.sort()
    text = source.masked
    kept = [
        h
        for h in hits
        for before in (text[max(0, h[0] - 24) : h[0]],)
        if not _NO.search(before) and not _TAKEN_BACK.search(before)
    ]
    kept = [h for h in kept if not _shares_the_no(text, h, hits, kept)]
    source.mask_all([(a, b) for a, b, _ in hits])
    if not kept and _TAKEN_BACK.search(text[max(0, hits[0][0] - 24) : hits[0][0]]):
        draft.resets.append(field)
        return
    if field == "system" and not kept:
        # "no cable" leaves the other family; helicopters are left out by default.
        dropped = {name for _, _, name in hits}
        if "cable" in dropped:
            draft.put(field, "ground", *hits[0][:2])
        elif "ground" in dropped:
            draft.put(field, "cable", *hits[0][:2])
        elif dropped != {"helicopter"}:
            draft.resets.append(field)
        return
    if not kept:
        # "forget the gasifier" takes the field back to its default.
        draft.resets.append(field)
        return
    names = list(dict.fromkeys(name for _, _, name in kept))
    if field == "system" and len(names) > 1:
        # A family beside one of its own systems only repeats it ("ground-based, cut to length").
        exact = [n for n in names if n in SYSTEMS]
        names = [n for n in names if n in exact or not any(e.lower().startswith(n) for e in exact)]
    if many and len(names) > 1:
        draft.values[many] = names
        draft.spans[many] = (kept[0][0], kept[-1][1])
    a, b, _ = next(h for h in reversed(kept) if h[2] == names[-1])
    draft.put(field, names[-1], a, b)
