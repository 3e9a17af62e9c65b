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
from csrag.ask.intent.site_choice import NOT_BEFORE, choose
from csrag.ask.intent.sites import LANDMARK_BEFORE, PREPOSITION, Found, is_terse, location_of
from csrag.ask.intent.slips import find_slips, find_slips_in_lists
from csrag.ask.intent.text import MASK, Source
from csrag.ask.intent.words import COMMON
from csrag.ask.records import Location
from csrag.places import gazetteer
from csrag.places.coordinates import find_coordinates
from csrag.places.counties import county_at
from csrag.places.gazetteer import Match
from csrag.places.grid_codes import ShortCode, find_grid_codes, find_short_codes
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
_RADIUS_BEFORE = Rule(
    r"\b(?:within|inside|up to|radius|no (?:further|farther|more) than|at most|drawing|limit\w*|collect\w*|under|around|"
    r"circle)\b[^.;?!]{0,40}$"
)
_INSIDE = Rule(
    r"^[\s,(]*(?:in|en|of|which is in|over in|up in|down in|part of|located in)?(?: the)?(?: northern| southern| eastern|"
    r" western)?[\s,]*$"
)
_FIRE_NAME = Rule(
    r"^ (?:fire(?! (?:department|station|weight|risk|safe|district|hall))|complex|dam|lake fire|burn scar|ranger|"
    r"timber company|lumber|university|college|times|record|bank|creek fire|act|rancheria casino)\b"
)
_LAST_WORDS = Rule(r"[a-z'-]{4,}(?: [a-z'-]{4,})?(?:, ?| \(| in | en )$")
_BORDER = Rule(r"^ (?:state )?(?:border|line|boundary)\b")
_HEAT = Rule(r"\b(?:[mkg]w|(?:mega|kilo|giga)watts?)[ -]?$")
_AT = Rule(r"\b(?:in|at|near|around|outside|en)(?: the)? $")


def read_locations(draft: Draft) -> None:
    """Fill `draft.locations`, masking their words, before any number is read."""
    source = draft.source
    short = list(find_short_codes(source.masked.replace(MASK, " ")))
    source.mask_all([code.span for code in short])
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
    elif all(f.location.kind == "county" for f in found if not f.landmark) and len(found) <= 2:
        found = _with_the_town(draft, found)
    elif len(found) <= 3:
        found = sorted(found + find_slips_in_lists(draft, found), key=lambda f: f.start)
    source.mask_all([(f.start, f.end) for f in found])
    for code in short:
        found = _completed(draft, code, found)
    found = _corrected(source, found)
    choose(draft, found)


def _with_the_town(draft: Draft, found: list[Found]) -> list[Found]:
    """A misspelt town right before its county ("Greenvile, Plumas County")."""
    out = found + find_slips_in_lists(draft, found)
    for area in found:
        if lead := _LAST_WORDS.search(draft.source.masked[: area.start]):
            notes = list(draft.notes)
            for slip in find_slips(draft, found, (lead.start(), area.start)):
                if slip.location.county == area.location.county and slip.location.kind == "place":
                    return sorted([*out, slip], key=lambda f: f.start)
            draft.notes = notes
    return sorted(out, key=lambda f: f.start)


def _corrected(source: Source, found: list[Found]) -> list[Found]:
    """Without the places that are taken back at once: "at Weed, sorry, I mean Yreka"."""
    out = list(found)
    for a, b in pairwise(found):
        if b.start - a.end <= 40 and CORRECTION.search(source.masked[a.end : b.start]):
            out.remove(a)
    return out


def _completed(draft: Draft, code: ShortCode, found: list[Found]) -> list[Found]:
    """A shortened plus code and the place it is shortened to are one point."""
    start, end = code.span
    said = draft.source.original(start, end)
    near = [f for f in found if f.location.lat is not None and f.location.lon is not None]
    if not near:
        draft.note(f"the plus code {said} is shortened: name its town, or give all ten digits")
        return found
    place = min(near, key=lambda f: (max(f.start - end, start - f.end, 0), f.start < start))
    assert place.location.lat is not None
    assert place.location.lon is not None
    lat, lon = code.near(place.location.lat, place.location.lon)
    draft.note(f"plus code {said.upper()} near {place.location.name} = {lat:.5f}, {lon:.5f}")
    point = Location(f"{lat:.5f}, {lon:.5f}", "coordinates", county_at(lat, lon), lat, lon, matched=said)
    here = Found(min(start, place.start), max(end, place.end), point, 5)
    return sorted([here if f is place else f for f in found], key=lambda f: f.start)


def _coordinates(draft: Draft) -> list[Found]:
    source = draft.source
    out: list[Found] = []
    plain = source.masked.replace(MASK, " ")
    for point in (*find_utm(plain), *find_grid_codes(plain)):
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
    mixed = source.mixed
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
    region = next((p for p in places if p.kind == "region"), None)
    if region is not None and re.search(r"\b(?:the|all of|across|throughout|el|la)(?: whole| entire)? $", before):
        # "in the Klamath" is the range, not the town at its river's mouth.
        best, places = region, (region,)
    equals = gazetteer.equal_readings(places)
    location = location_of(best, source.original(start, end), equals[1:])
    landmark = bool(_BORDER.match(after))
    if LANDMARK_BEFORE.search(before) and not (
        _RADIUS_BEFORE.search(text[max(0, start - 70) : start]) and not NOT_BEFORE.search(before)
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
