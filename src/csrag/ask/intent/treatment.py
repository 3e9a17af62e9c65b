"""Words to treatment: codes, plain words, degree words and percentages."""

from __future__ import annotations

import re

from csrag.ask.intent.draft import Draft
from csrag.ask.intent.rule import Rule, names_any
from csrag.surfaces.catalog import TREATMENTS

DEGREES = {"light": 20, "lightly": 20, "slight": 20, "moderate": 40, "moderately": 40, "medium": 40, "heavy": 60,
           "heavily": 60, "severe": 80, "severely": 80, "intense": 80, "ligera": 20, "ligero": 20, "moderada": 40,
           "moderado": 40, "fuerte": 60, "severa": 80, "severo": 80}  # fmt: skip
_DEGREE = r"(?:very )?(light(?:ly)?|slight|moderate(?:ly)?|medium|heav(?:y|ily)|severe(?:ly)?|intense|ligera|moderada|fuerte|severa)"
_CODE = Rule(r"\b(?:(rmi)[ -]?(100)|(sdi)[ -]?(30|55)|(tfa)[ -]?(20|40|60|80)|(tfb)[ -]?(20|40|60|80))(?:\b| ?%)")
_LONE_CODE = Rule(r"\b(tfa|tfb|sdi|rmi)\b(?!-?\d)")
_BAD_CODE = Rule(r"\b(rmi|sdi|tfa|tfb)[ -]?(\d{1,3})\b")
_FORMS: list[tuple[str, Rule]] = [
    ("RMI100", Rule(
        r"\bclear[ -]?cut(?:s|ting)?\b|\bclear[ -]?fell(?:ed|ing)?\b|\b(?:complete|full|total) (?:tree )?removal\b|"
        r"\b(?:remov(?:e|ing)|cut(?:ting)?|tak(?:e|ing)) (?:all (?:the |of the )?trees|every(?:thing| tree)|all (?:the )?timber)\b|"
        r"\btalas? rasas?\b|\bcorta total\b|\btake it all\b")),
    ("SDI30", Rule(
        r"\b(?:thin(?:ned|ning)?|cut|bring|reduce|treat)?(?: (?:it|them|stands|everything))?(?: down)?(?: to)?(?: an?)?[ -]?"
        r"\blow[ -](?:stand )?density\b(?: (?:thin(?:ning)?|target|stands?))?|\bbaja densidad\b")),
    ("SDI55", Rule(
        r"\b(?:medium|moderate|mid)[ -](?:stand )?density\b(?: (?:thin(?:ning)?|target|stands?))?|\bdensidad media\b")),
    ("TFB", Rule(
        r"\bthin(?:s|ned|ning)?(?: (?:only|just|it|them|the stands?|stands?|everything))?(?: {d})? from (?:below|"
            r"beneath|under(?:neath)?)\b|"
        r"\bunder[ -]?stor(?:y|ey)(?: (?:trees?|fuels?|removal|thin(?:s|ned|ning)?|clearing|treatment|only|cut(?:ting)?))*|"
        r"\bladder[ -]fuels?(?: (?:removal|reduction|treatment|only|thin(?:ning)?))*|\blow thin(?:s|ning)?\b|"
        r"\b(?:from[ -]below|below) thin(?:s|ning)?\b|\baclareos? (?:por|desde) (?:lo )?(?:bajo|abajo)\b|\bsmall trees only\b"
        .replace("{d}", _DEGREE.replace("(light", "(?:light", 1)))),
    ("TFA", Rule(
        r"\bthin(?:s|ned|ning)?(?: (?:only|just|it|them|the stands?|stands?|everything))?(?: {d})? from (?:above|the top)\b|"
        r"\b(?:over[ -]?stor(?:y|ey)|crown|canopy|high)[ -]thin(?:s|ned|ning)?\b|\bthin(?:s|ned|"
            r"ning)? (?:of )?(?:the )?(?:crowns?|canop(?:y|ies)|overstor(?:y|ey|ies))\b|"
        r"\b(?:from[ -]above|above) thin(?:s|ning)?\b|\baclareos? (?:por|desde) (?:lo )?(?:alto|arriba)\b|"
        r"\bthin(?:s|ning)?, (?:crown|canopy)\b"
        .replace("{d}", _DEGREE.replace("(light", "(?:light", 1)))),
    ("THIN", Rule(
        rf"\b(?:{_DEGREE.replace('(light', '(?:light', 1)}) thin(?:s|ned|ning)?\b|\bthin(?:s|ned|"
        rf"ning)? {_DEGREE.replace('(light', '(?:light', 1)}\b")),
]  # fmt: skip
_BEFORE = Rule(rf"\b{_DEGREE}(?:,| and| (?:degree|level|intensity) of(?: an?)?|(?: to)?)? ?$")
_PCT_BEFORE = Rule(r"(?<![\d.])(20|40|60|80) ?(?:%|percent|pct|per cent)?(?: of(?: an?| the)?)? ?$")
_AFTER = Rule(
    rf" ?(?:[,(-] ?| and |: ?)?(?:{_DEGREE}(?:\b|ly)|(?:at |by |to |of |level )?(20|40|60|80)\b ?(?:%|percent|per cent|"
    rf"pct)?)"
)
_SHARE_INSIDE = Rule(r"\b(20|40|60|80) ?(?:%|percent|per cent|pct)")
_FROM = Rule(
    r"\b(?:thin\w*|remov\w*|cut(?:ting)?|tak(?:e|ing))(?: out)? (?:20|40|60|80) ?(?:%|percent|per cent|pct)"
    r"(?: of (?:the )?[\w ]{1,16})? from (below|beneath|above|the top)\b"
)
_CHAIN = Rule(rf"\b{_DEGREE}(?= ?(?:,|and|or|vs\.?|versus)\b| ?,)")
_CHAIN_GAP = Rule(rf"(?:{_DEGREE.replace('(light', '(?:light', 1)}(?:, | and | or | vs\.? | versus |, and |, or ))+$")
_BIG_UNIT = Rule(r" ?(?:mw|kw|gw|mega|km|kilo|mi|acre|bdt|gt|ton|year|yr|m\b)")
_PCT_AFTER_ANY = Rule(r" ?(?:[,(-] ?)?(?:at |by |to |of )?(\d{1,3}) ?(?:%|percent|per cent|pct)")
_INSTEAD = Rule(
    r"(?:\binstead of|\brather than|\bnot|\bno longer|\breplac(?:e|ing)|\bno|\bin place of|\bdrop|\bforget)(?: the|"
    r" an?)? $"
)


_WORDS = (
    "thin", "cut", "clear", "remov", "fell", "densi", "story", "storey", "ladder", "crown", "canopy", "sdi", "rmi", "tfa", "tfb",
    "aclareo", "tala", "corta", "small trees", "tak",
)  # fmt: skip


def read_treatment(draft: Draft) -> None:
    """Set `treatment`, or the variants to compare where several are named.

    Two or more names leave it to the caller whether they are compared: they stand in `draft.values["_treatments"]`.
    """
    source = draft.source
    text = source.masked
    if not names_any(text, _WORDS):
        return
    hits: list[tuple[int, int, str]] = []
    for m in _CODE.finditer(text):
        hits.append((*m.span(), "".join(g for g in m.groups() if g).upper()))
    for m in _BAD_CODE.finditer(text):
        name = (m[1] + m[2]).upper()
        if not any(a <= m.start() < b for a, b, _ in hits):
            draft.note(f"{name} is no treatment here; the eleven are {', '.join(TREATMENTS)}")
            source.mask(*m.span())
    for m in _FROM.finditer(text):
        hits.append(_graded(draft, text, *m.span(), "TFB" if m[1] in {"below", "beneath"} else "TFA"))
    for family, pattern in _FORMS:
        for m in pattern.finditer(text):
            a, b = m.span()
            if a == b or not m.group().strip() or any(x < b and a < y for x, y, _ in hits):
                continue
            hits.append(_graded(draft, text, a, b, family))
            hits += _chained(text, *hits[-1])
    for m in _LONE_CODE.finditer(text):
        if m[1] in {"tfa", "tfb"} and not any(x < m.end() and m.start() < y for x, y, _ in hits):
            hits.append(_graded(draft, text, *m.span(), m[1].upper()))
    hits.sort()
    if not hits:
        return
    source.mask_all([(a, b) for a, b, _ in hits])
    kept = [h for h in hits if not _INSTEAD.search(text[max(0, h[0] - 18) : h[0]])] or hits
    names: list[str] = []
    for _, _, name in kept:
        if name not in names:
            names.append(name)
    start, end, _ = kept[-1]
    if len(names) > 1:
        draft.values["_treatments"] = names
        draft.spans["_treatments"] = (kept[0][0], end)
    draft.put("treatment", names[-1], start, end)


def _chained(text: str, a: int, _: int, name: str) -> list[tuple[int, int, str]]:
    """The other degrees of "light, moderate and heavy crown thinning"."""
    if name[:3] not in {"TFA", "TFB"} or (gap := _CHAIN_GAP.search(text, max(0, a - 60), a)) is None:
        return []
    base = gap.start()
    return [(base + m.start(1), base + m.end(1), f"{name[:3]}{DEGREES[m[1]]}") for m in _CHAIN.finditer(text[base:a])]


def _graded(draft: Draft, text: str, a: int, b: int, family: str) -> tuple[int, int, str]:
    """Span and name of a thinning with its degree from the words or the percentage beside it."""
    if family.startswith(("RMI", "SDI")):
        return a, b, family
    degree: int | None = None
    inside = re.search(_DEGREE, text[a:b])
    share = _SHARE_INSIDE.search(text, a, b)
    before = _BEFORE.search(text[max(0, a - 34) : a])
    after = _AFTER.match(text, b)
    pct_before = _PCT_BEFORE.search(text[max(0, a - 20) : a])
    if inside:
        degree = DEGREES[inside[1]]
    elif share:
        degree = int(share[1])
    if degree is None and after and after[2] and not _BIG_UNIT.match(text, after.end()):
        degree, b = int(after[2]), after.end()
    if degree is None and before:
        degree = DEGREES[before[1]]
        a = a - (min(a, 34) - before.start())
    if degree is None and after and after[1]:
        degree, b = DEGREES[after[1]], after.end()
    if degree is None and pct_before and ("%" in pct_before[0] or "p" in pct_before[0]):
        degree = int(pct_before[1])
        a = a - (min(a, 20) - pct_before.start())
    if degree is None and (odd := _PCT_AFTER_ANY.match(text, b)) and int(odd[1]) not in {0, 100}:
        degree = min((20, 40, 60, 80), key=lambda d: (abs(d - int(odd[1])), d))
        draft.note(f"thinning of {odd[1]} % is read as the nearest layer, {degree} %")
        b = odd.end()
    if family == "THIN":
        family = "TFB"
        draft.note("thinning without a direction is read as thinning from below")
    if degree is None:
        degree = 40
        draft.note(
            f"{'thinning from below' if family == 'TFB' else 'thinning from above'} without a degree is read as 40 %"
        )
    elif inside or before:
        draft.note(f"the degree word is read as {degree} %")
    return a, b, f"{family}{degree}"
