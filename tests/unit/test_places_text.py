"""Names in running text: exact runs of words, abbreviations, misspellings, and what must match nothing."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csrag.places import gazetteer as g
from csrag.places.common_words import NEVER_PLACES
from csrag.places.normal import fold


def found(text: str) -> list[str]:
    return [m.place.label for m in g.scan(text.split())]


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Mt. Shasta City", "mount shasta"), ("Ft. Jones", "fort jones"), ("St. Helena", "saint helena"),
        ("Nevada City", "nevada city"), ("Crescent City", "crescent city"), ("Redding City", "redding"),
        ("Shasta-Trinity N.F.", "shasta trinity national forest"), ("Plumas Co.", "plumas county"),
        ("La Cañada Flintridge", "la canada flintridge"), ("O’Neals", "oneals"), ("  QUINCY  ", "quincy"),
        ("N. Fork", "north fork"), ("S. Lake Tahoe", "south lake tahoe"), ("County of Plumas", "plumas county"),
        ("City of Weed", "weed"), ("Pt. Arena", "point arena"), ("", ""), ("?!", ""),
    ],
)  # fmt: skip
def test_keys(name: str, key: str) -> None:
    assert g.normalise(name) == key


@given(st.text(max_size=60))
def test_keys_are_plain_and_settled(text: str) -> None:
    key = fold(text)
    assert key == key.strip().lower()
    assert key.isascii()
    assert "  " not in key


def test_keys_in_the_table_are_those_of_the_code() -> None:
    """The index was baked with the same rules that read a question."""
    for i, line in enumerate(g.lines()):
        place = g.place(i)
        keys = line.split("\t")[0].split("|")
        assert keys == list(dict.fromkeys(k for k in map(fold, (place.name, *place.aliases)) if k)), place.name


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("12 MW at Mt. Shasta City, please", ["Mount Shasta, Siskiyou County"]),
        ("20 MW at Mt. Shasta - the town, not Shasta Lake - cost?", ["Mount Shasta, Siskiyou County", "Shasta Lake, Shasta County"]),
        ("LCOE for 20 MW at Anderson in Shasta County", ["Anderson, Shasta County"]),
        ("Loyalton vs Truckee vs Portola", ["Loyalton, Sierra County", "Truckee, Nevada County", "Portola, Plumas County"]),
        ("near Lakeview OR or Quincy", ["Lakeview, OR", "Quincy, Plumas County"]),
        ("Quincy or Chester", ["Quincy, Plumas County", "Chester, Plumas County"]),
        ("in the Plumas National Forest", ["Plumas National Forest"]),
        ("in the Sierra National Forest", ["Sierra National Forest"]),
        ("somewhere in the Sierra", ["Sierra Nevada"]),
        ("best site north of I-80", ["North of Interstate 80"]),
        ("Quincy's mill road", ["Sierra Pacific Quincy, Plumas County"]),
        ("next to the SPI mill in Quincy, delivered", ["Sierra Pacific Quincy, Plumas County"]),
        ("SPI has a mill in Weed", ["Sierra Pacific Quincy, Plumas County", "Weed, Siskiyou County"]),
        ("Truckee, Nevada City and Auburn", ["Truckee, Nevada County", "Nevada City, Nevada County", "Auburn, Placer County"]),
        ("Nevada City, Nevada County", ["Nevada City, Nevada County"]),
        ("condado de Plumas", ["Plumas County"]),
        ("what does it cost", []),
        ("10, 15 and 20 MW", []),
        ("", []),
    ],
)  # fmt: skip
def test_places_in_a_question(text: str, labels: list[str]) -> None:
    assert found(text) == labels


def test_spans_are_token_spans_and_do_not_overlap() -> None:
    tokens = ["12", "MW", "at", "Mt.", "Shasta", "City", "or", "in", "Quincy,", "CA", "by", "Lakeview", "OR"]
    matches = g.scan(tokens)
    assert [(m.start, m.end) for m in matches] == [(3, 6), (8, 10), (11, 13)]
    assert [m.text for m in matches] == [" ".join(tokens[m.start : m.end]) for m in matches]


def test_ordinary_words_ask_for_a_cue() -> None:
    cues = {
        m.place.name: m.needs_cue for m in g.scan(["stands", "likely", "to", "burn", "near", "Weed", "or", "Quincy"])
    }
    assert cues == {"Likely": True, "Weed": True, "Quincy": False}
    assert not g.scan(["Weed,", "Siskiyou", "County"])[0].needs_cue


@pytest.mark.parametrize(
    ("wrong", "label"),
    [
        ("camptonvile", "Camptonville, Yuba County"), ("Weverville", "Weaverville, Trinity County"),
        ("Reding", "Redding, Shasta County"), ("Alturus", "Alturas, Modoc County"), ("Qunicy", "Quincy, Plumas County"),
        ("Susanvile", "Susanville, Lassen County"), ("Mt Shata", "Mount Shasta, Siskiyou County"),
        ("Sacremento", "Sacramento, Sacramento County"), ("Plumas Conty", "Plumas County"), ("Burny", "Burney, Shasta County"),
        ("Lasen National Forest", "Lassen National Forest"), ("wilsyville", "Wilseyville, Calaveras County"),
        ("Medfrod", "Medford, OR"),
    ],
)  # fmt: skip
def test_misspellings(wrong: str, label: str) -> None:
    match = g.fuzzy(wrong)
    assert match is not None
    assert match.place.label == label
    assert match.score >= 80
    assert match.score - match.runner_up_score >= 5


@pytest.mark.parametrize(
    "words",
    ["poem", "solar", "cost", "truck", "trucks", "burn", "biomas", "gassifier", "forrest", "fule", "feul", "MW", "the",
     "", "x", "2500", "delivered cost", "20 mw", "stock", "plant", "dollars", "qqqqqqqq", "!!!!", "price", "pine"],
)  # fmt: skip
def test_words_that_are_no_misspelt_place(words: str) -> None:
    assert g.fuzzy(words) is None


def test_a_near_tie_is_no_match() -> None:
    # Two edits between neighbours of equal score must be asked back, never guessed.
    match = g.fuzzy("Greenvale")
    assert match is None or match.score - match.runner_up_score >= 5


def test_fuzzy_within_a_kind() -> None:
    match = g.fuzzy("Tuolume", limit_to="county")
    assert match is not None
    assert match.place.kind == "county"
    assert g.fuzzy("Wasatch", limit_to="county") is None


@pytest.mark.parametrize("word", sorted(NEVER_PLACES))
def test_the_fields_own_words_never_become_places(word: str) -> None:
    if word not in g.index():
        assert g.fuzzy(word) is None


def test_suggestions_for_an_unknown_name() -> None:
    assert [p.name for p in g.nearest_known("Weavertown")][:1] == ["Weaverville"]
    assert len(g.nearest_known("Camptontown")) <= 3
    assert g.nearest_known("zz") == []
    assert g.lookup("Weavertown") == ()


@pytest.mark.parametrize(
    "text",
    ["a" * 100_000, "Quincy " * 5_000, "mt " * 20_000, "north " * 20_000, "é" * 50_000, "'s " * 20_000, "north of i " * 5_000],
    ids=["one word", "one town", "abbreviation", "common", "accent", "possessive", "prefix"],
)  # fmt: skip
def test_long_text_takes_linear_time(text: str) -> None:
    start = time.process_time()
    g.scan(text.split())
    g.fuzzy(text)
    g.nearest_known(text)
    g.lookup(text)
    assert time.process_time() - start < 5


@given(st.lists(st.text(max_size=12), max_size=12))
def test_any_tokens_are_survived(tokens: list[str]) -> None:
    at = 0
    for match in g.scan(tokens):
        assert at <= match.start < match.end <= len(tokens)
        assert match.places
        at = match.end


@given(st.text(max_size=40))
def test_any_text_is_survived(text: str) -> None:
    match = g.fuzzy(text)
    assert match is None or match.score >= 80
    g.lookup(text)
    g.nearest_known(text)
