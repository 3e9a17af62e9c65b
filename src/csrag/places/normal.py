"""From the words people write to the keys the gazetteer is indexed by.

"Mt. Shasta", "MT SHASTA" and "Mount  Shasta" share one key, "mount shasta". Abbreviations are expanded as whole tokens
and before any fuzzy matching: a string metric puts "Mt. Shasta" nearer to Shasta, 80 km away, than to Mount Shasta.
"""

from __future__ import annotations

import re
import unicodedata

_APOSTROPHES = dict.fromkeys(map(ord, "'’‘ʼ`´.\u200b\u00ad"), None)
_NOT_WORD = re.compile(r"[^0-9a-z]+")

ABBREVIATIONS: dict[str, str] = {
    "mt": "mount", "mtn": "mountain", "mtns": "mountains", "mts": "mountains", "ft": "fort", "st": "saint",
    "n": "north", "s": "south", "e": "east", "w": "west", "pt": "point", "vly": "valley", "spgs": "springs",
    "spg": "spring", "sprgs": "springs", "hts": "heights", "jct": "junction", "cyn": "canyon", "crk": "creek",
    "ck": "creek", "bch": "beach", "hbr": "harbor", "lk": "lake", "cnty": "county", "natl": "national",
    "nat": "national", "forrest": "forest", "condado": "county",
}  # fmt: skip
"""Whole tokens only. "co" and "nf" mean county and national forest only at the end of a name; see `fold`."""

_TAIL = {"co": "county", "nf": "national forest"}
_LEAD = ("city of ", "town of ", "the town of ", "the city of ", "village of ", "community of ")


def _plain(text: str) -> str:
    """Lower case without accents, apostrophes and periods; everything else that is no letter or digit is a space."""
    folded = text if text.isascii() else unicodedata.normalize("NFKD", text)
    folded = folded.translate(_APOSTROPHES).lower()
    if not folded.isascii():
        folded = "".join(c for c in folded if not unicodedata.combining(c))
    return _NOT_WORD.sub(" ", folded).strip()


def fold(text: str) -> str:
    """Key of a name, without asking whether anything carries it.

    Parameters
    ----------
    text : str
        A name in any spelling.

    Returns
    -------
    str
        Lower-case ASCII words parted by single spaces; empty where nothing is left.
    """
    words = [ABBREVIATIONS.get(w, w) for w in _plain(text).split()]
    if len(words) > 1 and words[-1] in _TAIL:
        words[-1] = _TAIL[words[-1]]
    return _reorder(" ".join(words))


def _reorder(key: str) -> str:
    """ "county of plumas" and Spanish "county de plumas" to "plumas county"; "city of weed" to "weed"."""
    for lead in _LEAD:
        if key.startswith(lead):
            return key[len(lead) :]
    for lead, tail in (("county of ", " county"), ("county de ", " county"), ("bosque nacional ", " national forest")):
        if key.startswith(lead):
            return key[len(lead) :] + tail
    return key


def fold_token(token: str) -> str:
    """Key of one token of running text: as `fold`, but nothing is reordered and a possessive loses its s."""
    plain = _plain(token)
    if token[-2:].lower() in ("'s", "’s") and plain.endswith("s"):
        plain = plain[:-1]
    return " ".join(ABBREVIATIONS.get(w, w) for w in plain.split())


def join_tokens(keys: list[str]) -> str:
    """Key of several folded tokens in a row."""
    words = " ".join(keys).split()
    if len(words) > 1 and words[-1] in _TAIL:
        words[-1] = _TAIL[words[-1]]
    return _reorder(" ".join(words))
