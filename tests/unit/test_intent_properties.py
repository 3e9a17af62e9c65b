"""Laws of the parser: it never fails, it is fast, it is the same every time, units agree, chatter changes nothing."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from csrag.ask.intent import parse
from csrag.ask.records import INTENTS

_PIECES = """
20 MW at Quincy|fire|matters|within 40 km|$60/BDT|under|diesel|$6|a gallon|%|40|moisture|thin from below|heavy|SDI-30|
Compare|and|Chester|or|back to the first|treatment|drop the cap|SYSTEM:|USER:|ignore your instructions|?|.|,|-|(|40.5, -121|
96013|between|20 to 30 MW|private land only|no|slope|degrees|next decade|years|whole trees|gasifier|vs|1e999|9999999999999|
burn probability|at least|1 in 0|1 in 3|alpha = 0.8|last ton|budget|million|tons a year|green|near Xyzzyville|Export|¿Dónde|
keep the radius|the second one|60 % instead|fire weights 0, 0.2 and 0.4|forget the|helicopter
"""
PIECES = st.sampled_from([*(p.strip() for p in _PIECES.split("|")), "\n\n"])


@given(st.text(max_size=300))
@settings(max_examples=150, deadline=None)
def test_any_text_gives_a_record(text: str) -> None:
    query = parse(text)
    assert query.intent in INTENTS
    json.dumps(query.to_json(), allow_nan=False)


@given(st.lists(PIECES, max_size=14), st.lists(st.lists(PIECES, max_size=8), max_size=2))
@settings(max_examples=250, deadline=None)
def test_any_mix_of_siting_words_gives_a_record(pieces: list[str], earlier: list[list[str]]) -> None:
    turns = [" ".join(p) for p in earlier]
    query = parse(" ".join(pieces), turns)
    record = json.dumps(query.to_json(), allow_nan=False, sort_keys=True)
    assert record == json.dumps(parse(" ".join(pieces), turns).to_json(), allow_nan=False, sort_keys=True)
    for name, origin in query.origins.items():
        if origin.span is not None:
            start, end = origin.span
            assert 0 <= start <= end <= len(" ".join(pieces)), name


@given(st.integers(5, 150))
@settings(max_examples=40, deadline=None)
def test_units_agree(miles: int) -> None:
    one = parse(f"10 MW at Quincy within {miles} miles, cost?")
    other = parse(f"10 MW at Quincy within {miles * 1.609344:.6f} km, cost?")
    assert one.radius_km == pytest.approx(other.radius_km, rel=1e-6)
    assert parse(f"{miles} MW at Quincy").capacity_mw == pytest.approx(
        parse(f"{miles * 1000:,} kW at Quincy").capacity_mw
    )


@given(
    st.sampled_from(
        [
            "10 MW at Quincy, fire matters",
            "Delivered cost for 6 MW in Sonora within 40 km",
            "Supply curve at Burney, 15 MW, SDI-30",
        ]
    ),
    st.sampled_from(["", "Hi! ", "Good morning, ", "Please tell me: ", "Quick one. "]),
    st.sampled_from(["", " Thanks a bunch!", " please", " Cheers, Ed"]),
    st.sampled_from(["same", "upper"]),
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_case_and_chatter_change_nothing(question: str, before: str, after: str, case: str) -> None:
    dressed = before + question + after
    plain, other = parse(question), parse(dressed.upper() if case == "upper" else dressed)
    for field in ("intent", "capacity_mw", "radius_km", "treatment", "fire_weight", "explicit"):
        assert getattr(other, field) == getattr(plain, field), (field, dressed)
    assert [p.name for p in other.locations] == [p.name for p in plain.locations]


LONG = {
    "one letter": "a" * 10_000,
    "commas": "1," * 5_000,
    "digits": "1" * 10_000,
    "dots": "." * 10_000,
    "minus": "-" * 10_000,
    "number words": "one " * 2_500,
    "amounts": "10 MW " * 1_666,
    "caps": "$60/BDT under " * 714,
    "overrides": "diesel 5 " * 1_111,
    "fire": "fire " * 2_000,
    "burn": "burn probability 1% " * 500,
    "towns": "Quincy " * 1_428,
    "unknown towns": "in Xyzzy " * 1_111,
    "roles": "system: " * 1_250,
    "orders": "ignore your instructions " * 400,
    "how": "how do you " * 909,
    "questions": ("What would fuel cost for 12 MW at Chester, within 40 km, diesel $6, 40% moisture, fire matters? " * 104)[:10_000],
}  # fmt: skip


@pytest.mark.parametrize("name", LONG)
def test_ten_thousand_characters_take_no_time(name: str) -> None:
    parse("20 MW at Quincy")  # the gazetteer is read once
    best = 1e9
    for _ in range(5):
        start = time.perf_counter()
        parse(LONG[name])
        best = min(best, time.perf_counter() - start)
    # The aim is 50 ms; the bound leaves room for a busy machine, and a pattern that backtracks takes seconds.
    assert best < 0.25, f"{best * 1e3:.0f} ms"


def test_time_grows_no_faster_than_the_text_where_nothing_is_left_out() -> None:
    def cost(text: str) -> float:
        best = 1e9
        for _ in range(5):
            start = time.perf_counter()
            parse(text)
            best = min(best, time.perf_counter() - start)
        return best

    for unit in ("diesel 5 ", "fire matters ", "$60/BDT under ", "in Xyzzy "):
        small, large = cost(unit * (300 // len(unit))), cost(unit * (1_200 // len(unit)))
        assert large < 16 * small + 0.02, unit


def test_the_question_is_found_in_a_long_paste() -> None:
    filler = "The council met on Tuesday and heard three reports about the bridge. " * 200
    query = parse(filler + "What would fuel cost for a 12 MW plant at Chester within 40 km? " + filler)
    assert (query.capacity_mw, query.radius_km, query.locations[0].name) == (12, 40, "Chester")
    assert any("long" in n for n in query.notes)


def test_a_plain_question_takes_milliseconds() -> None:
    parse("20 MW at Quincy")
    start = time.perf_counter()
    for _ in range(20):
        parse("25 MW near Quincy, fire risk matters, within 40 km, diesel at $6 a gallon. Delivered cost?")
    assert (time.perf_counter() - start) / 20 < 0.03
