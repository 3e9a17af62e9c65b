"""A site of a search as the next place: the numbers of asking for its point, and those of a fresh run."""

from __future__ import annotations

import pytest

from csrag.ask.agent.session import Session
from csrag.ask.pipeline import ask

SEARCH = "best three sites in Plumas County for 5 MW"
CHAIN = [SEARCH, "the second one", "and for 8 MW?", "compare it with Chester", "compare the first and the third"]


@pytest.fixture(scope="module")
def answers(demo):
    session = Session(demo)
    return [session.ask(question) for question in CHAIN]


def test_the_second_one_is_the_second_of_the_list(answers) -> None:
    columns, row = answers[0].tables["best_sites"].columns, answers[0].tables["best_sites"].rows[1]
    listed = dict(zip(columns, row, strict=True))
    (place,) = answers[1].query.locations
    assert (place.name, place.lat, place.lon, place.rank) == (listed["name"], listed["lat"], listed["lon"], 2)
    assert answers[1].facts["average_delivered_cost"].value == pytest.approx(listed["average_usd_per_bdt"], abs=0.01)
    assert listed["name"] in answers[1].text


def test_the_place_stays_when_the_plant_grows(answers) -> None:
    assert answers[2].query.locations == answers[1].query.locations
    assert answers[2].query.capacity_mw == 8
    assert "search_again" not in [s.tool for s in answers[2].trace]


def test_found_sites_are_compared(answers) -> None:
    assert [p.rank for p in answers[3].query.locations] == [2, None]
    assert [p.rank for p in answers[4].query.locations] == [1, 3]
    assert len(answers[4].tables["comparison"].rows) == 2


def test_a_fresh_run_gives_the_same_numbers(demo, answers) -> None:
    for k in (1, 3):
        fresh = ask(demo, CHAIN[k], CHAIN[:k])
        assert fresh.query.locations == answers[k].query.locations
        assert {i: v.value for i, v in fresh.facts.items()} == {i: v.value for i, v in answers[k].facts.items()}


def test_a_rank_beyond_what_is_found_is_refused_in_words(demo) -> None:
    answer = ask(demo, "the tenth one", ["best two sites within 1 km of Quincy for 3 MW, at least 50 km apart"])
    assert answer.status == "refused"
    assert "there is no site 10" in answer.text


def test_a_number_of_sites_that_was_asked_is_no_assumption(demo, answers) -> None:
    assert "site_count" not in [i["field"] for i in answers[0].inferred]
    silent = ask(demo, "best site in Plumas County for 5 MW")
    assert "site_count" in [i["field"] for i in silent.inferred]
