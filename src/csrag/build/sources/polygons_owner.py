"""Who owns the land, in the words of ownership layers."""

from __future__ import annotations

from collections.abc import Mapping

from csrag.build.sources.table_columns import land_use_code
from csrag.errors import InvalidValueError
from csrag.surfaces.catalog import LAND_USES

KNOWN_OWNERS: dict[str, tuple[str, ...]] = {
    "usfs": ("usfs", "usda forest service", "united states forest service", "us forest service", "forest service",
             "u.s. forest service"),
    "blm": ("blm", "bureau of land management", "united states bureau of land management",
            "us bureau of land management", "u.s. bureau of land management"),
    "nps": ("nps", "national park service", "united states national park service", "us national park service",
            "u.s. national park service"),
    "state": ("state", "sta", "sdnr", "sdol", "sfw", "spr", "sdc", "slb", "dpr", "dfw", "cal fire", "calfire",
              "ca dept. of parks and recreation", "ca dept. of fish and wildlife", "ca dept. of forestry and fire protection",
              "ca dept. of forestry and fire", "california department of parks and recreation",
              "california department of fish and wildlife", "california department of forestry and fire protection",
              "california state lands commission", "california department of water resources"),
    "tribal": ("tribal", "trib", "bia", "bureau of indian affairs", "united states bureau of indian affairs",
               "us bureau of indian affairs", "native american", "tribal land", "tribal lands"),
    "private": ("private", "pvt", "prv", "industrial", "non-industrial", "home owners association", "undesignated private"),
    "other": ("local", "loc", "local government", "county", "city", "cnty", "reg", "special district", "regional",
              "non profit", "nonprofit", "non-profit", "ngo", "land trust", "joint", "fws", "usfws", "usbr", "dod", "usace",
              "bor", "doe", "tva", "us fish and wildlife service", "u.s. fish and wildlife service",
              "united states fish and wildlife service", "us bureau of reclamation", "bureau of reclamation",
              "united states bureau of reclamation", "department of defense", "us department of defense",
              "united states department of defense", "united states army corps of engineers", "us army corps of engineers"),
}  # fmt: skip
"""Words, letter case aside, of the agency fields of CAL FIRE's ownership layer (Own_Level, Own_Agency, Own_Group), CPAD
(AGNCY_NAME, AGNCY_LEV, MNG_AG_LEV, AGNCY_TYP) and PAD-US (Mang_Name, Mang_Type, Own_Name, Own_Type)."""

AMBIGUOUS = {
    "federal": "which agency is not said",
    "fed": "which agency is not said",
    "unk": "unknown",
    "unknown": "unknown",
    "desg": "a designation, no owner",
}
"""Words that no single land use stands for: a level above the agency, or no owner."""

_CODE_OF = {word: LAND_USES.index(use) for use, words in KNOWN_OWNERS.items() for word in words}


def owner_code(word: str) -> int | None:
    """Code in `catalog.LAND_USES` of an owner's name, folded to lower case; None where it is not recognised."""
    if word in AMBIGUOUS:
        return None
    if word in _CODE_OF:
        return _CODE_OF[word]
    # A city's or county's land is not the state's, even where "state" is in its name.
    if any(sign in word.split() for sign in ("city", "county", "district", "university", "town")):
        return LAND_USES.index("other")
    return land_use_code(word)


def owner_codes(mapping: Mapping[str, str], fold: Mapping[str, str]) -> dict[str, int]:
    """Codes of a recipe's mapping from owners to land uses.

    Parameters
    ----------
    mapping : mapping of str to str
        Land use of each owner.
    fold : mapping of str to str
        Each of its keys, folded as the file's values are.

    Raises
    ------
    InvalidValueError
        If it names another land use.
    """
    strange = sorted({str(use) for use in mapping.values()} - set(LAND_USES))
    if strange:
        raise InvalidValueError(
            f"{', '.join(repr(use) for use in strange)}: no such land use.", f"Land uses are {', '.join(LAND_USES)}."
        )
    return {fold[owner]: LAND_USES.index(use) for owner, use in mapping.items()}
