"""The stages as tools: listed with a handler and a schema, bounded, short, and the same numbers as the pipeline."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from csrag.ask.agent.steps import STEPS
from csrag.ask.agent.toolbox import MAX_CALLS, CallBudget, Tool
from csrag.ask.agent.tools import MAX_ROWS, TOOLS, Toolbox, tool_list
from csrag.ask.pipeline import ask
from csrag.errors import CsragError, RequestError
from csrag.interfaces.open import open_layers
from csrag.surfaces.store import LayerStore
from csrag.values import unit_and_label

CALLS: dict[str, dict[str, Any]] = {
    "geocode": {"place": "Quincy"},
    "estimate_demand": {"capacity_mw": 25},
    "find_radius": {"place": "Quincy", "capacity_mw": 12},
    "retrieve_clusters": {"place": "Quincy", "capacity_mw": 12, "radius_km": 30},
    "supply_curve": {"place": "Quincy", "capacity_mw": 12, "fire_weight": 0.2},
    "lcoe": {"place": "Quincy", "capacity_mw": 12},
    "project": {"place": "Quincy", "capacity_mw": 12, "years": 15},
    "sensitivity": {"place": "Quincy", "capacity_mw": 12},
    "max_capacity": {"place": "Quincy", "max_cost_usd_per_bdt": 55},
    "compare": {"places": "Quincy; Chester", "capacity_mw": 12},
    "pareto": {"place": "Quincy", "capacity_mw": 12, "max_extra_cost_pct": 3, "min_high_hazard_pct": 60},
    "search": {"area": "Plumas County", "capacity_mw": 4, "site_count": 2},
    "lookup": {"areas": "Plumas County; Lassen County", "treatment": "TFB40"},
    "explain_method": {"question": "What is a circuity factor?"},
}
STAGES = {"intent", "retrieval", "computation", "synthesis"}


@pytest.fixture(scope="module")
def layers(demo_layers: Path) -> LayerStore:
    return open_layers(str(demo_layers))


@pytest.fixture
def box(layers: LayerStore) -> Toolbox:
    return Toolbox(layers)


def test_the_list_is_what_can_be_called() -> None:
    assert set(CALLS) == set(TOOLS)
    assert [t["name"] for t in tool_list()] == list(TOOLS)
    json.dumps(tool_list(), allow_nan=False)


@pytest.mark.parametrize("tool", TOOLS.values(), ids=list(TOOLS))
def test_every_tool_has_a_handler_a_schema_and_units(tool: Tool) -> None:
    assert callable(tool.handler)
    assert tool.meaning
    assert "\n" not in tool.meaning
    schema = tool.schema()
    assert schema["additionalProperties"] is False
    for name, part in schema["properties"].items():
        assert part["description"], name
        assert part["type"] in {"number", "integer", "string"}, "flat"
        if part["type"] != "string":
            assert {"minimum", "maximum"} <= set(part), f"{name} has no bounds"
        else:
            assert part.get("enum") or part["maxLength"]
    assert all(unit_and_label(i) or i in {"latitude", "longitude"} for i in tool.returns)
    assert all(tool.units().values())


@pytest.mark.parametrize("name", CALLS)
def test_every_tool_runs_on_the_demonstration(box: Toolbox, name: str) -> None:
    result = box.call(name, CALLS[name])
    assert result.status == "answered"
    assert result.values or result.text
    tool = TOOLS[name]
    if tool.returns:
        assert set(result.values) <= set(tool.returns)
        assert any(f.value is not None for f in result.values.values())
        for value_id, fact in result.values.items():
            assert fact.unit == tool.units()[value_id]
    text = json.dumps(result.to_json(), allow_nan=False)
    assert len(text) < 12_000, "a result is short, whatever was computed"
    assert result.trace
    for step in result.trace:
        assert step.tool in STEPS
        assert STEPS[step.tool].stage == step.stage
        assert name in STEPS[step.tool].tools
        assert step.ms >= 0
        assert step.cache in {"hit", "miss"}
    assert all(s.rows for s in result.trace if s.tool.startswith("retrieve_clusters"))


def test_one_table_names_every_step_of_the_source(project_root: Path) -> None:
    found: set[tuple[str, str]] = set()
    for path in (project_root / "src" / "csrag" / "ask").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        found |= set(re.findall(r'\.step\(\s*"(\w+)",\s*"(\w+)"', text))
        found |= {("retrieval", name) for name in re.findall(r'"(retrieve_clusters\w*)"', text)}
    assert len(found) > 8
    names = {name for _, name in found}
    assert names <= set(STEPS)
    assert all(name.endswith("_with_model") for name in set(STEPS) - names), (
        "only the optional model may have steps elsewhere"
    )
    assert all(STEPS[name].stage == stage and stage in STAGES for stage, name in found)
    assert {t for step in STEPS.values() for t in step.tools} == set(TOOLS)


@pytest.mark.parametrize(
    ("name", "question", "ids"),
    [
        (
            "supply_curve",
            "Supply curve for 12 MW at Quincy, fire weight 0.2",
            ("average_delivered_cost", "last_ton_cost"),
        ),
        ("lcoe", "LCOE for 12 MW at Quincy", ("lcoe_current", "lcoe_constant", "life_average_delivered_cost")),
        ("project", "Project 12 MW at Quincy over 15 years", ("projection_last_cost", "projection_radius_km")),
        ("sensitivity", "Tornado for 12 MW at Quincy", ("largest_driver_lcoe_swing", "lcoe_current")),
        (
            "max_capacity",
            "Largest plant at Quincy with an average under $55/BDT",
            ("max_capacity_mw", "max_capacity_bdt"),
        ),
        ("estimate_demand", "25 MW at Quincy", ("demand_bdt", "truck_loads")),
    ],
)
def test_a_tool_gives_the_numbers_of_the_question(
    layers: LayerStore, box: Toolbox, name: str, question: str, ids: tuple[str, ...]
) -> None:
    answer, result = ask(layers, question), box.call(name, CALLS[name])
    for value_id in ids:
        assert result.values[value_id].value == answer.facts[value_id].value is not None


def test_the_steps_of_a_question_are_those_of_the_tools(layers: LayerStore) -> None:
    for question in (
        "25 MW near Quincy",
        "What is a circuity factor?",
        "Tornado for 12 MW at Quincy",
        "60 MW near Quincy within 15 km",
    ):
        for step in ask(layers, question).trace:
            assert STEPS[step.tool].stage == step.stage


def test_calls_share_what_was_read(box: Toolbox) -> None:
    first = box.call("retrieve_clusters", CALLS["retrieve_clusters"])
    again = box.call("supply_curve", {"place": "Quincy", "capacity_mw": 10, "radius_km": 30})
    assert [s.cache for s in first.trace if s.tool == "retrieve_clusters"] == ["miss"]
    assert [s.cache for s in again.trace if s.tool == "retrieve_clusters"] == ["hit"]


def test_long_tables_stand_behind_handles(box: Toolbox) -> None:
    result = box.call("supply_curve", CALLS["supply_curve"])
    handle = result.handles["supply_curve"]
    table = box.rows(handle, count=10_000)
    assert 1 < len(table.rows) <= MAX_ROWS
    assert box.rows(handle, start=1, count=1).rows == table.rows[1:2]
    with pytest.raises(RequestError, match="no table"):
        box.rows("table:supply_curve:000000000000")
    assert result.handles == box.call("supply_curve", CALLS["supply_curve"]).handles


def test_a_refusal_is_a_result_with_what_is_possible(box: Toolbox) -> None:
    result = box.call("supply_curve", {"place": "Quincy", "capacity_mw": 60, "radius_km": 15})
    assert (result.status, result.reason) == ("refused", "demand_not_met")
    assert result.values["largest_capacity_mw"].value
    assert result.values["average_delivered_cost"].value is None


BAD: list[tuple[str, dict[str, Any]]] = [
    ("pareto", {}), ("search", {"place": "Quincy"}), ("__class__", {}), ("", {}),
    ("geocode", {}), ("geocode", {"place": ""}), ("geocode", {"place": 5}), ("geocode", {"place": "x" * 501}),
    ("geocode", {"place": "Quincy", "extra": 1}), ("geocode", {"place": "Atlantis"}), ("geocode", {"place": "Reno, Nevada"}),
    ("geocode", {"place": "Quincy and Chester"}), ("geocode", {"place": None}), ("estimate_demand", {"capacity_mw": 25_000}),
    ("estimate_demand", {"capacity_mw": "25"}), ("estimate_demand", {"capacity_mw": True}),
    ("estimate_demand", {"capacity_mw": float("nan")}), ("estimate_demand", {"capacity_mw": [25]}),
    ("estimate_demand", {"technology": "solar"}), ("project", {"place": "Quincy"}), ("project", {"place": "Quincy", "years": 2.5}),
    ("project", {"place": "Quincy", "years": 400}), ("lcoe", {"place": "Quincy", "treatment": "SDI56"}),
    ("lcoe", {"place": "Quincy", "fire_weight": 1.5}), ("lcoe", {"place": "Los Angeles"}), ("explain_method", {"question": "zzz qqq"}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "arguments"), BAD, ids=[f"{n}-{str(a)[:40]}" for n, a in BAD])
def test_what_is_not_listed_or_out_of_bounds_is_refused(box: Toolbox, name: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(CsragError) as caught:
        box.call(name, arguments)
    assert caught.value.exit_code in {2, 3}
    assert str(caught.value)


def test_eight_calls_and_no_more(box: Toolbox) -> None:
    budget = CallBudget()
    for n in range(MAX_CALLS):
        if n % 2:
            with pytest.raises(RequestError):
                box.call("nothing", {}, budget)  # a call that is refused counts too
        else:
            box.call("estimate_demand", {"capacity_mw": 10 + n}, budget)
    with pytest.raises(RequestError) as caught:
        box.call("estimate_demand", {"capacity_mw": 50}, budget)
    assert caught.value.code == "tool_limit"
    assert budget.spent == MAX_CALLS == 8


def test_an_identical_call_is_stopped_however_it_is_written(box: Toolbox) -> None:
    budget = CallBudget()
    box.call("retrieve_clusters", {"place": "Quincy", "capacity_mw": 12}, budget)
    for same in ({"capacity_mw": 12.0, "place": " quincy "}, {"place": "Quincy", "capacity_mw": 12, "radius_km": None}):
        with pytest.raises(RequestError) as caught:
            box.call("retrieve_clusters", same, budget)
        assert caught.value.code == "tool_repeated"
    box.call("retrieve_clusters", {"place": "Quincy", "capacity_mw": 13}, budget)
    box.call("supply_curve", {"place": "Quincy", "capacity_mw": 12}, budget)
    box.call("retrieve_clusters", {"place": "Quincy", "capacity_mw": 12}, CallBudget())


def test_progress_is_told_as_steps_begin(layers: LayerStore) -> None:
    told: list[tuple[str, str]] = []
    answer = ask(layers, "25 MW near Quincy", on_step=lambda stage, tool: told.append((stage, tool)))
    assert told == [(s.stage, s.tool) for s in answer.trace]
    again: list[str] = []
    result = Toolbox(layers, on_step=lambda _, tool: again.append(tool)).call("lcoe", CALLS["lcoe"])
    assert again == [s.tool for s in result.trace]
