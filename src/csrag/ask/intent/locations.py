"""Places of a question: coordinates, ZIP codes, names from the gazetteer, slips, and names nobody knows.

A place counts where a question uses it as a site. Towns that only describe another town ("10 miles north-west of
Mount Shasta"), places that are ruled out ("not Shasta Lake") and words that merely look like names do not.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

from csrag.ask.intent.draft import Draft
from csrag.ask.intent.rule import CORRECTION, Rule
from csrag.ask.intent.sites import LANDMARK_BEFORE, PREPOSITION, Found, is_terse, location_of
from csrag.ask.intent.slips import find_slips, find_slips_in_lists
from csrag.ask.intent.text import MASK, Source
from csrag.ask.intent.words import COMMON
from csrag.ask.records import Location
from csrag.places import gazetteer
from csrag.places.coordinates import find_coordinates
from csrag.places.counties import county_at
from csrag.places.gazetteer import Match
from csrag.places.utm import find_unread_codes, find_utm

_LETTER = Rule(r"[a-z]")
_TOKEN = Rule(r"[a-z0-9&]+(?:[.'’-][a-z0-9]+)*[.,;:!?)]*|\x01+|[^\sa-z0-9\x01]+")
_ZIP = Rule(
    r"(?<![\d.,$-])(\d{5})(?:-\d{4})?(?![\d.]*\d|,\d|-\d)(?! ?(?:mw|kw|bdt|gt|tons?|acres?|ac\b|m\b|meters|people|members|"
    r"dollars|green|short|dry|bone|feet|ft|residents|miles|km|btu|\$|a year|per year|homes|trees))"
)
_ZIP_CUE = Rule(r"\b(?:zip|zips|zipcode|postal|codigo postal|zip code|post ?code)(?: code)?s?(?: (?:of|is))?:? ?#?$")
_ZIP_PLACE_CUE = Rule(
    r"\b(?:in|at|near|around|to|for|of|from|and|vs|or|en|outside|zip|by|into|about)[ :]?$|[,;:(] ?$|^ ?$"
)
_NOT_BEFORE = Rule(
    r"\b(?:not|rather than|instead of|as opposed to|other than|except|excluding|unlike|forget|drop|remove|skip|"
    r"no longer)(?: in| at| near| for| the)? ?$"
)
_RADIUS_BEFORE = Rule(
    r"\b(?:within|inside|up to|radius|no (?:further|farther|more) than|at most|drawing|limit\w*|collect\w*|under|around|"
    r"circle)\b[^.;?!]{0,40}$"
)
_LINK = Rule(
    r"^[\s,]*(?:(?:,|and|or|&|/|vs\.?|versus|y|o|against|with|than|to|as well as|,? (?:and|or)|compared (?:to|with)|"
    r"alongside|in|at|near)[\s,]*){1,3}$"
)
_CHEAPER_THAN = Rule(
    r"[^.?!;]{0,24}\b(?:cheaper|better|dearer|costlier|pricier|worse|(?:more|less) expensive|(?:more|less)|lower|higher|beats?)\b"
    r"[^.?!;]{0,24}(?:\bthan|\bto|(?<=beat)|(?<=beats)) (?:(?:one|that|it|the one|a plant|the same plant|building|a site|for|be) )?"
    r"(?:(?:in|at|near|around) )?$"
)
_QUESTION = Rule(r"[\W\x01]*(?:is|are|would|will|does|do|could|can|should|which|what|how|compare|tell me)\b")
_INSIDE = Rule(
    r"^[\s,(]*(?:in|en|of|which is in|over in|up in|down in|part of|located in)?(?: the)?(?: northern| southern| eastern|"
    r" western)?[\s,]*$"
)
_FIRE_NAME = Rule(
    r"^ (?:fire(?! (?:department|station|weight|risk|safe|district|hall))|complex|dam|lake fire|burn scar|ranger|"
    r"timber company|lumber|university|college|times|record|bank|creek fire|act|rancheria casino)\b"
)
_FOREST_LAND = Rule(r" (?:lands?|ground|timber|stands|acres|wood|trees|only)\b")
_BORDER = Rule(r"^ (?:state )?(?:border|line|boundary)\b")
_HEAT = Rule(r"\b(?:[mkg]w|(?:mega|kilo|giga)watts?)[ -]?$")
_AT = Rule(r"\b(?:in|at|near|around|outside|en)(?: the)? $")


def read_locations(draft: Draft) -> None:
    """Fill `draft.locations`, masking their words, before any number is read."""
    source = draft.source
    found = _coordinates(draft) + _zips(draft)
    tokens = [(m.start(), m.end()) for m in _TOKEN.finditer(source.masked)]
    # What holds no letter parts names from each other and is no name itself.
    matches = gazetteer.scan([source.original(a, b) if _LETTER.search(source.masked, a, b) else "" for a, b in tokens])
    named: list[Found] = []
    for match in matches:
        start, end = tokens[match.start][0], tokens[match.end - 1][1]
        if source.text[start:end].endswith("'s"):
            end -= 2
        while (
            end > start
            and source.text[end - 1] in ".,;:!?)'"
            and source.text[start:end][-3:] not in {"mt.", "st.", "ft."}
        ):
            end -= 1
        item = _judged(draft, match, start, end)
        if item is not None:
            named.append(item)
    named = _paired(source, _merged(source, named))
    found += named
    found.sort(key=lambda f: f.start)
    if not any(not f.landmark for f in found):
        slips = find_slips(draft, found)
        if slips:
            found = sorted(found + slips, key=lambda f: f.start)
    elif len(found) <= 3:
        found = sorted(found + find_slips_in_lists(draft, found), key=lambda f: f.start)
    source.mask_all([(f.start, f.end) for f in found])
    found = _corrected(source, found)
    _choose(draft, found)


def _corrected(source: Source, found: list[Found]) -> list[Found]:
    """Without the places that are taken back at once: "at Weed, sorry, I mean Yreka"."""
    out = list(found)
    for a, b in pairwise(found):
        if b.start - a.end <= 40 and CORRECTION.search(source.masked[a.end : b.start]):
            out.remove(a)
    return out


def _coordinates(draft: Draft) -> list[Found]:
    source = draft.source
    out: list[Found] = []
    plain = source.masked.replace(MASK, " ")
    for point in find_utm(plain):
        draft.note(point.note)
        start, end = point.span
        words, name = source.original(start, end).strip(), f"{point.lat:.5f}, {point.lon:.5f}"
        county = county_at(point.lat, point.lon)
        out.append(Found(start, end, Location(name, "coordinates", county, point.lat, point.lon, matched=words), 5))
        source.mask(start, end)
    for span, note in find_unread_codes(source.masked):
        draft.note(note.format(code=source.original(*span)))
        source.mask(*span)
    plain = source.masked.replace(MASK, " ")
    for m in find_coordinates(plain):
        start, end = m.span
        for note in m.notes:
            draft.note(note)
        words = source.original(start, end)
        # A point outside stays a point: validation says where California lies.
        inside = county_at(m.lat, m.lon)
        out.append(
            Found(start, end, Location(f"{m.lat:g}, {m.lon:g}", "coordinates", inside, m.lat, m.lon, matched=words), 5)
        )
    source.mask_all([(f.start, f.end) for f in out])
    return out


def _zips(draft: Draft) -> list[Found]:
    source = draft.source
    out = []
    for m in _ZIP.finditer(source.masked):
        before = source.masked[max(0, m.start() - 20) : m.start()]
        cued = bool(_ZIP_CUE.search(before))
        if not cued and not _ZIP_PLACE_CUE.search(before):
            continue
        place = gazetteer.zip_place(m[1])
        if place is None:
            if cued:
                draft.note(f"ZIP {m[1]} is not known")
                out.append(Found(*m.span(), Location(f"ZIP {m[1]}", "unknown", matched=m[1]), 4))
            continue
        out.append(Found(*m.span(), location_of(place, source.original(*m.span())), 4 if cued else 3))
        if lead := re.search(r"(?:zip|postal)(?: ?codes?)?:? ?#?$", source.masked[: m.start()][-14:]):
            source.mask(m.start() - len(lead[0]), m.start())
    # "96013 Burney": a town beside its own ZIP is one location, the ZIP.
    source.mask_all([(f.start, f.end) for f in out])
    return out


def _judged(draft: Draft, match: Match, start: int, end: int) -> Found | None:
    """Whether a gazetteer match is a place here, and how strongly."""
    source = draft.source
    text = source.masked
    before, after = text[max(0, start - 48) : start], text[end : end + 24]
    low = source.sentence(start)[0]
    head = not text[low:start].strip(" \x01\"'(")
    mixed = not source.question.isupper() and any(c.isupper() for c in source.question[1:] if c.isalpha())
    capital = source.is_capital(start)
    cue = bool(PREPOSITION.search(before))
    if _FIRE_NAME.match(after) and (source.is_capital(end + 1) or source.question.isupper()):
        return None
    if source.text[start:end] == "thermal" and _HEAT.search(before) and not (capital and _AT.search(before)):
        return None
    places = match.places
    if match.needs_cue:
        spoken_for = (
            cue or is_terse(source, start, end)
            if not mixed
            else capital and (cue or not head or _stands_alone(source, start, end) or _heads_a_list(source, end))
        )
        # "in paradise", "of likely stands": in a text with capitals an everyday word in small letters stays a word.
        if not spoken_for and not (mixed and is_terse(source, start, end)):
            return None
    if mixed and not capital and not cue and len(source.text[start:end]) < 5:
        return None
    best = places[0]
    said_county = re.search(r"county|condado|\bco\b", source.text[start:end])
    if (
        best.kind == "county"
        and not said_county
        and mixed
        and source.is_capital(end + 1)
        and text[end : end + 1] == " "
    ):
        following = re.match(r" ([a-z]+)", text[end : end + 24])
        if following and following[1] not in COMMON:
            # "Lake Almanor" is not Lake County.
            return None
    if best.state != "CA" and not capital and (mixed or not _AT.search(before)):
        # "back to normal" is not Normal, Illinois.
        return None
    equals = gazetteer.equal_readings(places)
    location = location_of(best, source.original(start, end), equals[1:])
    landmark = bool(_BORDER.match(after))
    if LANDMARK_BEFORE.search(before) and not (
        _RADIUS_BEFORE.search(text[max(0, start - 70) : start]) and not _NOT_BEFORE.search(before)
    ):
        landmark = True
    rank = 2 + (1 if cue else 0) + (1 if capital else 0)
    if best.state != "CA" and len(best.name) <= 3:
        return None
    if best.name in {"California", "CA"} or (
        best.kind == "region" and best.name.lower() in {"california", "state of california"}
    ):
        return None
    return Found(start, end, location, rank, landmark)


def _stands_alone(source: Source, start: int, end: int) -> bool:
    """ "Weed, 10 MW" and "Weed." at the head of a sentence: a number or nothing follows."""
    high = source.sentence(start)[1]
    return bool(re.match(r"[\s,:]*\d", source.masked[end : end + 6])) or not source.text[end:high].strip(" .;?!")


def _heads_a_list(source: Source, end: int) -> bool:
    """ "Auburn, Colfax and ...": a capital name goes on to another capital name."""
    m = Rule(r"(?:,|,? (?:and|or|vs\.?|versus|to|y|o)) (?=[a-z])").match(source.text, end)
    return m is not None and source.is_capital(m.end())


def _merged(source: Source, named: list[Found]) -> list[Found]:
    """Join a town with the county or state said after it ("Anderson in Shasta County") into one location."""
    out: list[Found] = []
    for item in named:
        if out and item.location.kind in {"county", "forest", "region"} and not item.landmark:
            last = out[-1]
            between = source.text[last.end : item.start]
            towns = [p for p in gazetteer.lookup(last.location.name) if p.kind == "place"]
            if last.location.kind in {"place", "zip"} and _INSIDE.match(between):
                if item.location.kind == "county":
                    fitting = [p for p in towns if p.county == item.location.county]
                    if fitting or last.location.county == item.location.county:
                        words = source.original(last.start, item.end)
                        location = location_of(fitting[0], words) if fitting else replace(last.location, matched=words)
                        out[-1] = replace(last, end=item.end, location=location, rank=last.rank + 1)
                        continue
                elif re.search(r"\b(?:in|en|on)\b", between):
                    out[-1] = replace(last, end=item.end)
                    continue
        if (
            out
            and item.location.kind == "place"
            and out[-1].location.kind == "plant"
            and _INSIDE.match(source.text[out[-1].end : item.start])
        ):
            out[-1] = replace(item, start=out[-1].start)
            continue
        out.append(item)
    return out


def _paired(source: Source, named: list[Found]) -> list[Found]:
    """ "between Quincy and Chester": the two to choose from, or, where a third place stands, only its neighbours."""
    for i, (a, b) in enumerate(pairwise(named)):
        if re.search(r"\b(?:between|entre) $", source.text[max(0, a.start - 9) : a.start]) and source.text[
            a.end : b.start
        ] in {" and ", " y "}:
            neighbours = any(not f.landmark for f in [*named[:i], *named[i + 2 :]])
            return [*named[:i], replace(a, landmark=neighbours), replace(b, landmark=neighbours), *named[i + 2 :]]
    return named


def _choose(draft: Draft, found: list[Found]) -> None:
    """The locations that are sites: all of a list, else the best cued one."""
    source = draft.source
    sites = [f for f in found if not f.landmark]
    if not sites:
        # A landmark is better than nothing: "10 miles from Chester" without any other place.
        ruled_out = [f for f in found if _NOT_BEFORE.search(source.text[max(0, f.start - 30) : f.start])]
        sites = [f for f in found if f not in ruled_out][:1]
    unique: list[Found] = []
    for f in sites:
        twin = next((u for u in unique if _same(u.location, f.location)), None)
        if twin is None:
            unique.append(f)
        elif f.rank > twin.rank:
            unique[unique.index(twin)] = f
    # A ZIP and its own town, or a town and the county it lies in, are one place.
    for f in [f for f in unique if _contained(f, unique)]:
        unique.remove(f)
        if f.location.kind == "forest" and _FOREST_LAND.match(source.text, f.end):
            draft.values["_land"] = [("only", ("usfs",))]
            draft.spans["land_use"] = (f.start, f.end)
            draft.note(f"{f.location.name} land is read as Forest Service land around {unique[0].location.name}")
    if len(unique) > 1 and "compare" not in draft.marks:
        unique = _without_background(draft, unique)
    unique.sort(key=lambda f: f.start)
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


def _asks(source: Source, pos: int) -> bool:
    """Whether the sentence around a position is a question: "fuel at Weed is cheaper than at Yreka" only tells."""
    low, high = source.sentence(pos)
    return source.text[low:high].rstrip().endswith("?") or _QUESTION.match(source.text, low) is not None


def _same(a: Location, b: Location) -> bool:
    return a.name == b.name and a.county == b.county and a.kind == b.kind


def _contained(f: Found, others: list[Found]) -> bool:
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
