"""What the rules on places share: one place in a text, the words that lead to a place, the record made of it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from csrag.ask.intent.rule import Rule
from csrag.ask.intent.text import Source
from csrag.ask.records import Location
from csrag.places.gazetteer import Place

PREPOSITION = Rule(
    r"\b(?:in|at|near|nearby|around|outside|to|into|by|beside|from|for|of|versus|vs|and|or|with|than|about|en|cerca de|"
    r"de|y|o|close to|next to|compare|try|site|town of|city of|move (?:it )?to|"
    r"serving|against|project|north of|like|add|over|plus|through|between)(?: the| downtown| central| el| la)?[ :,]*$"
)
LANDMARK_BEFORE = Rule(
    r"(?:\b(?:north|south|east|west|ne|nw|se|sw|north-?east|north-?west|south-?east|south-?west|norte|sur|upstream|"
    r"downstream|inland|uphill)(?:ern)?(?: side)? (?:of|from|de)|"
    r"(?:\d|miles?|mi|km|kilomet(?:er|re)s|minutes|hours?|drive|ride|away) (?:away )?(?:from|of|out of|outside(?: of)?|"
    r"off|past|beyond|up from|down from)|"
    r"\b(?:between|past|not|rather than|instead of|as opposed to|other than|except|excluding|unlike|formerly|called|"
    r"on the (?:road|way|highway) (?:to|from)|road (?:to|from)|off the road to|moved from|"
    r"i(?:'m| am) (?:from|based in|writing from)|we(?:'re| are) (?:from|based in)|(?:office|headquarters|headquartered|"
    r"based|live|lives|grew up|born|university|meeting|met|read) (?:is )?(?:in|at|from)))(?: the)? ?$"
)


@dataclass(frozen=True)
class Found:
    """One place in the text: where it stands, the location it gives, and how sure we are that it is a site."""

    start: int
    end: int
    location: Location
    rank: int
    landmark: bool = False
    exact: bool = True


def location_of(place: Place, words: str, others: tuple[Place, ...] = ()) -> Location:
    """The record of a gazetteer place, with the words that named it and the readings not taken."""
    outside = place.state != "CA"
    kind = "outside" if outside else place.kind
    return Location(
        place.name, kind, None if outside else place.county, place.lat, place.lon, place.state, words,
        tuple(dict.fromkeys(p.label for p in others)),
    )  # fmt: skip


def is_terse(source: Source, start: int, end: int) -> bool:
    """ "10 mw weed", "weed 10mw cost": beside the capacity an everyday word is the town."""
    text = source.masked
    return bool(
        re.search(r"\d ?(?:mw|kw)[ ,]+$", text[:start][-12:])
        or re.match(r"[ ,]+\d+(?:\.\d+)? ?(?:mw|kw)\b", text[end : end + 12])
    )
