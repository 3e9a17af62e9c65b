"""Which of the places in a question are its sites: all of a list, else the one that the question asks about."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

from csrag.ask.intent.draft import Draft
from csrag.ask.intent.rule import Rule
from csrag.ask.intent.sites import Found, location_of
from csrag.ask.intent.text import Source
from csrag.ask.records import Location
from csrag.places import gazetteer

NOT_BEFORE = Rule(
    r"\b(?:not|rather than|instead of|as opposed to|other than|except|excluding|unlike|forget|drop|remove|skip|"
    r"no longer)(?: in| at| near| for| the)? ?$"
)
_DROP_BEFORE = Rule(
    r"\b(?:drop|remove|without|forget(?: about)?|skip|leave out|leaving out|take out|exclude|excluding|minus|except|lose|ditch|"
    r"quita|sin)(?: the)? ?$"
)
_LINK = Rule(
    r"^[\s,]*(?:(?:,|and|or|&|/|vs\.?|versus|y|o|against|with|than|to|as well as|,? (?:and|or)|compared (?:to|with)|"
    r"alongside|in|at|near|one|another|the other(?: one)?)[\s,]*){1,4}$"
)
_CHEAPER_THAN = Rule(
    r"[^.?!;]{0,24}\b(?:cheaper|better|dearer|costlier|pricier|worse|(?:more|less) expensive|(?:more|less)|lower|higher|beats?)\b"
    r"[^.?!;]{0,24}(?:\bthan|\bto|(?<=beat)|(?<=beats)) (?:(?:one|that|it|the one|a plant|the same plant|building|a site|for|be) )?"
    r"(?:(?:in|at|near|around) )?$"
)
_IN_IT = Rule(r"\b(?:in|within|across|throughout|en|all of)(?: all of)? $")
_TOWN_WORD = Rule(r"\b(?:town|city|downtown)(?: of)? $")
_QUESTION = Rule(r"[\W\x01]*(?:is|are|would|will|does|do|could|can|should|which|what|how|compare|tell me)\b")
_FOREST_LAND = Rule(r" (?:lands?|ground|timber|stands|acres|wood|trees|only)\b")


def choose(draft: Draft, found: list[Found]) -> None:
    """The locations that are sites: all of a list, else the best cued one."""
    source = draft.source
    sites = [f for f in found if not f.landmark]
    if not sites:
        # A landmark is better than nothing: "10 miles from Chester" without any other place.
        ruled_out = [f for f in found if NOT_BEFORE.search(source.text[max(0, f.start - 30) : f.start])]
        sites = [f for f in found if f not in ruled_out][:1]
    if "follows" in draft.marks:
        dropped = [f for f in found if _DROP_BEFORE.search(source.text[max(0, f.start - 30) : f.start])]
        sites = [f for f in sites if f not in dropped]
        if dropped:
            draft.values["_dropped"] = [f.location for f in dropped]
            draft.spans["locations"] = (dropped[0].start, dropped[-1].end)
    unique: list[Found] = []
    for f in sites:
        twin = next((u for u in unique if _same(u.location, f.location)), None)
        if twin is None:
            unique.append(f)
        elif f.rank > twin.rank:
            unique[unique.index(twin)] = f
    # A ZIP and its own town, or a town and the county it lies in, are one place.
    for f in [f for f in unique if _contained(draft, f, unique)]:
        unique.remove(f)
        if f.location.kind == "forest" and _FOREST_LAND.match(source.text, f.end):
            draft.values["_land"] = [("only", ("usfs",))]
            draft.spans["land_use"] = (f.start, f.end)
            draft.note(f"{f.location.name} land is read as Forest Service land around {unique[0].location.name}")
    unique.sort(key=lambda f: f.start)
    unique = _as_counties(source, unique)
    if {"seeking", "stock"} & draft.marks:
        unique = [_searched_county(source, f) for f in unique]
    everyone = unique
    if len(unique) > 1 and "compare" not in draft.marks:
        unique = _without_background(draft, unique)
    unique.sort(key=lambda f: f.start)
    if len(everyone) > 1:
        draft.values["_site_spans"] = [(f.start, f.end, f.location, f in unique) for f in everyone]
    draft.locations = [f.location for f in unique]
    if unique:
        draft.spans["locations"] = (unique[0].start, unique[-1].end)
    for f in unique:
        if f.location.alternatives:
            draft.note(
                f"{f.location.name}, {f.location.county} County, was taken; there is also {'; '.join(f.location.alternatives)}"
            )
        if f.location.kind == "county" and not re.search(r"(?i)county|condado", f.location.matched):
            draft.note(f"{f.location.matched} was read as {f.location.name}, California")
        if f.location.kind == "unknown":
            near = ", ".join(p.label for p in gazetteer.nearest_known(f.location.name))
            draft.note(
                f"{f.location.name} is not in the gazetteer; nearest known names: {near}"
                if near
                else f"{f.location.name} is not in the gazetteer"
            )
        elif f.location.kind == "outside":
            draft.note(f"{f.location.name} lies outside California ({f.location.state})")


def _as_counties(source: Source, sites: list[Found]) -> list[Found]:
    """Members of a list that can be counties are, where the list says so or another member can be nothing else.

    "Lassen, Shasta and Trinity", "Plumas and Sierra counties": Shasta is no hamlet there, nor Sierra a range.
    """
    out = list(sites)
    i = 0
    while i < len(out):
        k = i + 1
        while k < len(out) and _LINK.match(source.text[out[k - 1].end : out[k].start] + " "):
            k += 1
        group = out[i:k]
        counties = [_county_of_that_name(f) for f in group]
        plural = Rule(r" (?:counties|condados)\b").match(source.text, group[-1].end) is not None
        plural = plural or source.text[group[-1].start : group[-1].end].endswith(("counties", "condados"))
        plural = (
            plural
            or re.search(r"\b(?:counties|condados)(?: of| de)?:? $", source.text[: group[0].start][-18:]) is not None
        )
        sure = plural or any(f.location.kind == "county" for f in group)
        if len(group) > 1 and sure and all(c is not None for c in counties):
            out[i:k] = [replace(f, location=c) if c is not None else f for f, c in zip(group, counties, strict=True)]
        i = k
    return out


def _searched_county(source: Source, f: Found) -> Found:
    """ "the best sites in Tehama": what is searched is the county, not the hamlet of that name."""
    if f.location.kind != "place" or not _IN_IT.search(source.text[max(0, f.start - 12) : f.start]):
        return f
    if re.search(r"(?i)county|zip|,", f.location.matched) or _TOWN_WORD.search(
        source.text[max(0, f.start - 16) : f.start]
    ):
        return f
    county = _county_of_that_name(f)
    return f if county is None else replace(f, location=county)


def _county_of_that_name(f: Found) -> Location | None:
    """The county that a place shares its name with."""
    if f.location.kind == "county":
        return f.location
    if f.location.kind not in {"place", "region", "forest"}:
        return None
    found = gazetteer.county(
        re.sub(r"(?i)\W+(?:county|counties|condados?)$", "", f.location.matched or f.location.name)
    )
    return None if found is None else location_of(found, f.location.matched)


def _asks(source: Source, pos: int) -> bool:
    """Whether the sentence around a position is a question: "fuel at Weed is cheaper than at Yreka" only tells."""
    low, high = source.sentence(pos)
    return source.text[low:high].rstrip().endswith("?") or _QUESTION.match(source.text, low) is not None


def _same(a: Location, b: Location) -> bool:
    return a.name == b.name and a.county == b.county and a.kind == b.kind


_AGAINST = Rule(r",? ?(?:vs\.?|versus|against|compared (?:to|with)|contra) (?:the |all of |el )?")
_BESIDE = Rule(r",? ?(?:and|or|with|to|y|o|con)(?: with| in)? (?:the |all of |el )?")


def _set_apart(draft: Draft, a: Found, b: Found) -> bool:
    """ "Compare Plumas County and Chester": a town and its own county as two things to compare."""
    first, second = sorted((a, b), key=lambda f: f.start)
    between = draft.source.text[first.end : second.start]
    return _AGAINST.fullmatch(between) is not None or (
        "compare" in draft.marks and _BESIDE.fullmatch(between) is not None
    )


def _contained(draft: Draft, f: Found, others: list[Found]) -> bool:
    loc = f.location
    for o in others:
        if o is f:
            continue
        other = o.location
        if (
            loc.kind == "county"
            and other.kind in {"place", "zip", "plant"}
            and other.county == loc.county
            and not _linked(f, o)
            and not _set_apart(draft, f, o)
        ):
            return True
        if (
            loc.kind == "place"
            and other.kind == "zip"
            and other.county == loc.county
            and abs((loc.lat or 0) - (other.lat or 0)) < 0.3
        ):
            return True
        if loc.kind == "plant" and other.kind == "place":
            return True
        if loc.kind in {"region", "forest"} and other.kind in {"place", "coordinates", "zip"}:
            return True
    return False


def _linked(a: Found, b: Found) -> bool:
    return a.rank >= 9 or b.rank >= 9


def _without_background(draft: Draft, unique: list[Found]) -> list[Found]:
    """Places joined by commas, "and", "or", "vs" are a list; of others, the one that the question asks about."""
    text = draft.source.text
    groups: list[list[Found]] = [[unique[0]]]
    for a, b in pairwise(unique):
        gap = text[a.end : b.start]
        if (_CHEAPER_THAN.fullmatch(gap) and _asks(draft.source, b.start)) or _LINK.match(
            re.sub(r"\d[\d.,]* ?(?:mw|kw|km|mi|miles)?", "", gap) + " "
        ):
            groups[-1].append(b)
        else:
            groups.append([b])
    if len(groups) == 1 and len(unique) > 1:
        draft.marks.add("place list")
        return unique
    last_question = max((a for a, b in draft.source.sentences() if text[a:b].rstrip().endswith("?")), default=-1)

    def score(group: list[Found]) -> tuple[int, int]:
        first = group[0]
        in_question = 2 if draft.source.sentence(first.start)[0] == last_question else 0
        near_capacity = (
            1 if re.search(r"\d ?(?:mw|kw|megawatt)", text[max(0, first.start - 40) : first.end + 30]) else 0
        )
        # A reader in California names other states to describe, not to build there.
        away = 3 if all(f.location.kind == "outside" for f in group) else 0
        return len(group) + in_question + near_capacity - away + max(f.rank for f in group), -first.start

    best = max(groups, key=score)
    if len(best) > 1:
        draft.marks.add("place list")
    else:
        others = ", ".join(f.location.name for g in groups if g is not best for f in g)
        draft.marks.add("places apart")
        draft.values["_places_apart"] = [f.location for f in unique]
        draft.values["_halves"] = [(f.start, f.end, f.location.name, f is best[0]) for f in unique]
        draft.note(f"{best[0].location.name} is taken as the site, not {others}")
    return best
