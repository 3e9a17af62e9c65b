"""Wishes about many years and the plant's surroundings: re-entry, burn loss, other plants, power line, credit, emissions.

Runs before the rules on fire, years and radius, and takes its numbers and words out of play: the fifteen of "again after
15 years" is no length of a projection, and the five of "a 5 km power line" no radius.
"""

from __future__ import annotations

import re

from csrag.ask.intent.amounts import Amount
from csrag.ask.intent.draft import Draft, number
from csrag.quantities import TONNE_PER_SHORT_TON

DEFAULT_BURN_LOSS_PCT = 50.0
"""Share of its tons that a burned cluster loses where the question asks for burn loss without a figure (assumed)."""
_NEAR = 44

_REENTRY = re.compile(
    r"\b(?:re-?entr(?:y|ies|er(?:ed)?)|re-?treat(?:ed|ment)?s?|re-?harvest(?:ed)?|re-?cut|return interval|cutting cycle|"
    r"(?:treat(?:ed)?|cut|harvest(?:ed)?|thin(?:ned)?|enter(?:ed)?|use[d]?|visit(?:ed)?|taken) (?:once )?(?:again|a second time|"
    r"once more)|(?:come|go|comes|goes) back to (?:a|each|every|the same) (?:cluster|stand)s?)\b"
)
_NO_REENTRY = re.compile(
    r"\b(?:no|without(?: any)?|drop(?: the)?|never) re-?(?:entr(?:y|ies)|treat(?:ed|ment)|harvest)\b"
)
_BURN = re.compile(
    r"\b(?:burn(?:ed|t)? (?:cluster|stand|cell|area|forest)s?'?s?|burn(?:ing)? loss(?:es)?|fire loss(?:es)?|(?:wild)?fires? "
    r"(?:take|takes|destroy|destroys|consume|consumes|kill|kills|eat|eats|claim|claims|remove|removes)|"
    r"loss(?:es)? (?:to|from|by) (?:wild)?fires?|lost (?:to|in) (?:wild)?fires?)\b(?! weight)"
)
_BURN_WORDS = re.compile(
    r"\b(?P<half>half)\b|\b(?P<all>all|everything|entirely|total(?:ly)?)\b|"
    r"\b(?P<third>(?:a|one) third)\b|\b(?P<quarter>(?:a|one) quarter)\b"
)
_NO_BURN = re.compile(
    r"\b(?:no|without(?: any)?|ignore(?: the)?|drop(?: the)?) (?:burn(?:ing)? loss(?:es)?|fire loss(?:es)?)\b"
)
_OTHERS = (
    r"(?:(?:the|all|any) )?(?:other|existing|competing|rival|neighbou?ring|nearby|present|current)(?: \w+)? "
    r"(?:plants|mills|facilities|users|power stations)\b(?:'s?)?(?: (?:demands?|needs?|fuel|wood|use|consumption|supply|take))?"
)
_WITH_OTHERS = re.compile(
    rf"\b(?:count(?:ing)?|includ(?:e|ing)|consider(?:ing)?|with|account(?:ing)? for|allow(?:ing)? for|tak(?:e|ing) into account|"
    rf"assum(?:e|ing)|given|subtract(?:ing)?|deduct(?:ing)?|compet(?:e|es|ing) with|share[ds]? with|against|alongside|beside) "
    rf"(?:the (?:demand|fuel|wood|needs?) of )?{_OTHERS}|\bcompetition (?:for|from|with|by)\b(?: (?:the|other|existing|"
    r"wood|fuel|plants|mills|feedstock)){0,3}|\bwith competition\b"
)
_NO_OTHERS = re.compile(
    rf"\b(?:no|without|ignor(?:e|ing)|drop|forget|leav(?:e|ing) out|exclud(?:e|ing))(?: the)? (?:competition|{_OTHERS})"
)
_LINE = re.compile(
    r"\b(?:(?:power|transmission|grid|tie|gen-?tie|interconnection|electric(?:al)?|high[ -]voltage|hv)[ -]?(?:tie[ -]?)?lines?|"
    r"interconnect(?:ion|or)?|interconnection|(?:sub-?station|grid connection|grid tie))\b"
)
_NO_LINE = re.compile(
    r"\b(?:no|without(?: a| the| any)?|drop(?: the)?|remove(?: the)?|ignore(?: the)?) (?:power|transmission|grid|tie)[ -]?lines?\b"
)
_TO_SUBSTATION = re.compile(
    r"\b(?:(?:power|transmission|grid|tie|gen-?tie|interconnection|electric(?:al)?)[ -]?lines?|interconnection|connect(?:ed|ion|ing)?)"
    r"(?: \w+){0,2}? (?:to|into|at) (?:the |a |its )?(?:nearest |closest |next )?(?:existing )?sub-?station\b"
)
_LCFS = re.compile(
    r"\blcfs\b(?: credits?)?|\blow[ -]carbon[ -]fuel(?:s)?(?: standard)?(?: credits?)?|\bcarbon credits?\b"
)
_NO_LCFS = re.compile(
    r"\b(?:no|without|drop|ignor(?:e|ing)|remove|exclud(?:e|ing))(?: the| any)? "
    r"(?:lcfs|low[ -]carbon[ -]fuel|carbon credits?)\b[ \w]{0,10}"
)
_EMISSIONS = re.compile(
    r"\bemissions?\b|\bemit(?:s|ted)?\b|\bco2e?\b|\bghgs?\b|\bgreenhouse gas(?:es)?\b|\bcarbon (?:intensity|footprint|dioxide)\b|"
    r"\blife[ -]?cycle\b|\blca\b|\bglobal warming\b|\bnox\b|"
    r"\bair (?:quality|pollution|pollutants)\b|\bparticulates?\b|\bpm ?(?:2\.?5|10)\b"
)
_CHAR = re.compile(r"\b(?:bio-?char|char(?:coal)?)(?: sales?| price| sells?| sold)?\b")
_PLANT_WORDS = re.compile(
    r"\b(?:mw|kw|plants?|biomass|facilit(?:y|ies)|cogen\w*|chp|gasif\w+|power station|boiler|forest|wood|bdt)\b"
)
_SEPARATOR = re.compile(r",| and | with |\(|:")
_LINE_BEFORE = re.compile(
    r"[ -]?(?:(?:long|of|new|a|the|away|out|from|to|nearest|closest|next|existing|(?:high|\d+)[ -]?(?:voltage|kv))[ -])*"
)
_LINE_AFTER = re.compile(
    r"(?: ?(?:is|are|of|that|which|at|about|around|lies|sits|length|away|long|only|just|some|runs|over|for|has|,|\(|:))* ?"
)
_STOP = re.compile(r"[.;?!](?: |$)")


def read_projection(draft: Draft, *, follows: bool = False) -> None:
    """Set `reentry_years`, `burn_loss_pct`, `other_plants`, `line_km` or `line_to_substation`, `include_lcfs`, `emissions`.

    Parameters
    ----------
    draft : Draft
        The turn; amounts and words that are used leave it.
    follows : bool
        A question about a plant came before, so "what does it emit?" is about that plant.
    """
    _reentry(draft)
    _burn_loss(draft)
    _other_plants(draft)
    _line(draft)
    _credit(draft)
    _char(draft)
    m = _EMISSIONS.search(draft.source.text)
    if m and (follows or draft.locations or _PLANT_WORDS.search(draft.source.text)):
        draft.put("emissions", True, *m.span())


def _nearest(draft: Draft, unit: str, start: int, end: int) -> Amount | None:
    """The amount of a unit nearest to a cue, within its sentence; after the cue counts a little nearer than before."""
    text = draft.source.masked
    best: tuple[float, Amount] | None = None
    for a in draft.of_unit(unit):
        if a.shape:
            continue
        gap = text[end : a.start] if a.start >= end else text[a.end : start]
        distance = len(gap) + (0.0 if a.start >= end else 0.5) + 8 * len(_SEPARATOR.findall(gap))
        if distance > _NEAR or _STOP.search(gap):
            continue
        if best is None or distance < best[0]:
            best = (distance, a)
    return best[1] if best else None


def _take(draft: Draft, name: str, value: float, amount: Amount, start: int, end: int) -> None:
    """Set a field and take its number and its words out of play."""
    draft.put(name, value, amount.start, amount.end)
    draft.use(amount)
    draft.source.mask(min(start, amount.start), max(end, amount.end))


def _drop(draft: Draft, name: str, pattern: re.Pattern[str]) -> bool:
    """Take a wish back; True where the turn does so."""
    m = pattern.search(draft.source.masked)
    if m is None:
        return False
    draft.resets.append(name)
    draft.source.mask(*m.span())
    return True


def _reentry(draft: Draft) -> None:
    if _drop(draft, "reentry_years", _NO_REENTRY):
        return
    for m in _REENTRY.finditer(draft.source.masked):
        a = _nearest(draft, "year", *m.span())
        if a is not None and a.value == int(a.value) and a.value >= 1:
            _take(draft, "reentry_years", int(a.value), a, *m.span())
            return
    if alone := re.search(r"\bre-?entry\b", draft.source.masked):
        draft.note("re-entry needs a number of years; it was left out")
        draft.source.mask(*alone.span())


def _burn_loss(draft: Draft) -> None:
    if _drop(draft, "burn_loss_pct", _NO_BURN):
        return
    text = draft.source.masked
    for m in _BURN.finditer(text):
        a = _nearest(draft, "pct", *m.span())
        if a is not None:
            _take(draft, "burn_loss_pct", a.value, a, *m.span())
            # "... of a burned cluster's tons": the rest of the phrase is no fire weight either.
            for rest in _BURN.finditer(draft.source.masked):
                draft.source.mask(*rest.span())
            return
        low, high = draft.source.sentence(m.start())
        near = text[max(low, m.start() - _NEAR) : min(high, m.end() + _NEAR)]
        word = _BURN_WORDS.search(near)
        shares = {"half": 50.0, "all": 100.0, "third": 100 / 3, "quarter": 25.0}
        if (
            word
            and word.lastgroup
            and not m.group().startswith(("burned area", "burnt area", "burned forest", "burnt forest"))
        ):
            draft.put("burn_loss_pct", shares[word.lastgroup], *m.span())
        elif "loss" in m.group() or "lost" in m.group():
            draft.put("burn_loss_pct", DEFAULT_BURN_LOSS_PCT, *m.span())
            draft.note(
                f"burn loss without a figure: a burned cluster is taken to lose {number(DEFAULT_BURN_LOSS_PCT)} % of its tons"
            )
        else:
            continue
        draft.source.mask(*m.span())
        return


def _other_plants(draft: Draft) -> None:
    if _drop(draft, "other_plants", _NO_OTHERS):
        return
    if m := _WITH_OTHERS.search(draft.source.masked):
        draft.put("other_plants", "built-in", *m.span())
        draft.source.mask(*m.span())


def _line(draft: Draft) -> None:
    if _drop(draft, "line_km", _NO_LINE):
        draft.resets.append("line_to_substation")
        return
    for m in _LINE.finditer(draft.source.masked):
        a = _nearest(draft, "km", *m.span())
        if a is not None:
            text = draft.source.masked
            before, after = text[a.end : m.start()], text[m.end() : a.start]
            if not (_LINE_BEFORE.fullmatch(before) if a.end <= m.start() else _LINE_AFTER.fullmatch(after)):
                a = None
        if a is None:
            if to := _TO_SUBSTATION.search(draft.source.masked):
                draft.resets.append("line_km")
                draft.put("line_to_substation", True, *to.span())
                draft.source.mask(*to.span())
                return
            if not draft.values.get("line_km") and m.group().endswith(("line", "lines")):
                draft.note("a power line needs a length; it was left out")
            continue
        if a.label != "km":
            draft.note(f"{number(a.said)} {a.label} = {number(a.value)} km of power line")
        draft.resets.append("line_to_substation")
        _take(draft, "line_km", a.value, a, *m.span())
        return


def _credit(draft: Draft) -> None:
    if _drop(draft, "include_lcfs", _NO_LCFS):
        return
    if m := _LCFS.search(draft.source.masked):
        draft.put("include_lcfs", True, *m.span())
        draft.source.mask(*m.span())


def _char(draft: Draft) -> None:
    for m in _CHAR.finditer(draft.source.masked):
        a = _nearest(draft, "usd_per_bdt", *m.span())
        if a is None:
            continue
        metric = "tonne" in a.label or "metric" in a.label
        price = a.said if metric else a.said / TONNE_PER_SHORT_TON
        if not metric:
            draft.note(f"${number(a.said)} a short ton of char = ${number(price)} a tonne")
        draft.put_override("char_usd_per_t", price, a.start, a.end)
        draft.use(a)
        draft.source.mask(min(m.start(), a.start), max(m.end(), a.end))
        return
