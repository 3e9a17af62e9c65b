"""What the gazetteer hands out: places, matches in a text, matches of misspelt names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from csrag.places.states import STATE_NAMES

Kind = Literal["place", "county", "zip", "forest", "region", "plant", "outside"]


@dataclass(frozen=True)
class Place:
    """One place.

    Parameters
    ----------
    name : str
        Proper name: "Mount Shasta", "Plumas County", "Plumas National Forest", "ZIP 95971".
    kind : str
        place, county, zip, forest, region, plant, or outside (not in California).
    county : str or None
        County without the word County; None for what spans several and for what lies outside.
    lat, lon : float
        Representative point [degrees]. For a plant it is its town's (see `approximate`).
    state : str
        Two-letter state; MX for Mexico.
    population : int
        Inhabitants; 0 where unknown.
    zip_lat, zip_lon : float or None
        Point of the post office's ZIP area [degrees], kept apart from the town's centre.
    aliases : tuple of str
        Other names.
    town : str
        ZIP: its post office. Plant: its town.
    counties : tuple of str
        Member counties of a forest or region.
    note : str
        What kind of plant it is.
    common_word : bool
        The name is an ordinary English word too (Weed, Likely, Cool): take it for a place only with a cue.
    approximate : bool
        The point is that of the town, not of the thing itself.
    """

    name: str
    kind: Kind
    county: str | None
    lat: float
    lon: float
    state: str = "CA"
    population: int = 0
    zip_lat: float | None = None
    zip_lon: float | None = None
    aliases: tuple[str, ...] = ()
    town: str = ""
    counties: tuple[str, ...] = ()
    note: str = ""
    common_word: bool = False
    approximate: bool = False

    @property
    def is_state(self) -> bool:
        """Whether it is a whole state of the US other than California."""
        return self.kind == "outside" and STATE_NAMES.get(self.state) == self.name

    @property
    def label(self) -> str:
        """Name with what tells it from its namesakes: "Quincy, Plumas County", "Reno, NV"."""
        if self.kind == "outside":
            return self.name if self.is_state else f"{self.name}, {self.state}"
        if self.county and self.kind in {"place", "plant", "zip"}:
            return f"{self.name}, {self.county} County"
        return self.name


@dataclass(frozen=True)
class Match:
    """Tokens `start` up to but without `end` name one of `places`, best reading first.

    `needs_cue` is set where the words are ordinary English too, so that a preposition, a capital letter inside a
    sentence or a list of places must speak for the place.
    """

    start: int
    end: int
    text: str
    places: tuple[Place, ...]
    needs_cue: bool = False

    @property
    def place(self) -> Place:
        """The best reading."""
        return self.places[0]


@dataclass(frozen=True)
class FuzzyMatch:
    """A misspelt name, the place taken for it, its score (0 to 100), and the next best different place."""

    text: str
    place: Place
    score: float
    runner_up: Place | None = None
    runner_up_score: float = 0.0
