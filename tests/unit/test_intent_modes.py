"""Distance modes by their own names, and what only looks like one."""

from __future__ import annotations

import pytest

from csrag.ask.intent.parse import parse

NAMED = [
    ("25 MW near Quincy, zone", "zone"),
    ("25 MW near Quincy, transport mode zone", "zone"),
    ("25 MW near Quincy, distance mode = zone", "zone"),
    ("25 MW near Quincy, mode: stratified", "stratified"),
    ("25 MW near Quincy, transport = network", "network"),
    ("25 MW near Quincy, transport: zone", "zone"),
    ("25 MW near Quincy, network", "network"),
    ("25 MW near Quincy, stratified", "stratified"),
    ("25 MW at Quincy, mode zone, within 50 km", "zone"),
    ("25 MW at Quincy by network", "network"),
    ("25 MW near Quincy with distance mode network", "network"),
    ("transport mode is stratified, 25 MW near Quincy", "stratified"),
    ("what does 25 MW at Quincy cost? transport=zone", "zone"),
    ("25 MW near Quincy, zone, within 40 km", "zone"),
    ("25 MW near Quincy. Zone mode.", "zone"),
]
OTHER = [
    "25 MW near Quincy in the hazard zone",
    "25 MW near Quincy, fire zone",
    "25 MW near Quincy, zone 3",
    "25 MW near Quincy, time zone",
    "25 MW near Quincy, high hazard zones",
    "25 MW near Quincy, only in high hazard zones",
    "25 MW near Quincy, fire hazard severity zone",
    "25 MW near Quincy, zone of high hazard",
    "25 MW near Quincy in the snow zone",
    "25 MW near Quincy, hazard, zone 3",
    "25 MW near Quincy zone A",
    "25 MW near Quincy outside the zone",
    "25 MW near Quincy, power network access",
    "25 MW near Quincy, transport cost included",
    "what mode of transport does it use at Quincy?",
    "25 MW near Quincy, zone M-2",
    "25 MW near Quincy, not in a fire zone, cost",
    "25 MW near Quincy, wui zone",
    "25 MW near Quincy, very high fire hazard, zone",
]
STRAIGHT = (
    "25 MW near Quincy as the crow flies",
    "25 MW near Quincy, straight line distance",
    "25 MW near Quincy, straight-line distances",
    "25 MW near Quincy, transport = straight line",
    "25 MW near Quincy, haul by straight lines",
    "25 MW near Quincy, straight lines",
)


@pytest.mark.parametrize(("question", "mode"), NAMED)
def test_a_mode_is_set_by_its_own_name(question, mode):
    record = parse(question)
    assert record.transport == mode
    assert "transport" in record.explicit
    assert record.capacity_mw == 25
    assert [place.name for place in record.locations] == ["Quincy"]


@pytest.mark.parametrize("question", OTHER)
def test_other_zones_and_networks_set_none(question):
    assert parse(question).transport is None


@pytest.mark.parametrize("mode", ["zone", "stratified", "network"])
def test_a_follow_up_may_name_the_mode_alone(mode):
    assert parse(f"transport = {mode}", ["25 MW near Quincy"]).transport == mode


@pytest.mark.parametrize("question", STRAIGHT)
def test_straight_lines_are_said_to_be_no_mode(question):
    record = parse(question)
    assert record.transport is None
    assert any("straight lines are not a distance mode" in note for note in record.notes)


@pytest.mark.parametrize(
    "question",
    ["25 MW at Quincy within 30 km as the crow flies", "25 MW at Quincy, straight line depreciation",
     "25 MW at Quincy, straight line distance to the nearest substation", "25 MW at Quincy, straight power only",
     "25 MW at Quincy, straight line distance times zone factors"],
)  # fmt: skip
def test_other_straight_lines_are_left_alone(question):
    assert not any("straight lines" in note for note in parse(question).notes)
