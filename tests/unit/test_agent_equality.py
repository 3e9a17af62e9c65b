"""The same numbers whatever the model, the order of the questions and the state of the cache; a session is a fresh run."""

from __future__ import annotations

import contextlib
import importlib
import json
import pkgutil
import random
from pathlib import Path
from typing import Any

import pytest

import csrag.ask.agent
from csrag.ask.agent.planning import ask_planned
from csrag.ask.agent.session import Session
from csrag.ask.agent.steps import STEPS
from csrag.ask.agent.tools import TOOLS
from csrag.ask.language.protocol import Assistant
from csrag.ask.language.scripted import ScriptedModel, ScriptedPlanner
from csrag.ask.pipeline import CatchmentCache, ask
from csrag.ask.results import Answer
from csrag.ask.run import Trace
from csrag.errors import RequestError
from csrag.interfaces.open import open_layers
from csrag.surfaces.store import LayerStore

GOOD = (
    "Fuel at <<place>> has an average delivered cost of {{average_delivered_cost}}. The last ton costs {{last_ton_cost}}. "
    "Over the life of the plant the average delivered cost is {{life_average_delivered_cost}}."
)
QUESTIONS = (
    "25 MW facility near Quincy, CA. Fire risk matters.",
    "8 MW at Chester, LCOE",
    "Project 8 MW at Chester over 12 years",
    "12 MW at Greenville within 30 km, TFB40, diesel at $6.50",
    "60 MW near Quincy within 15 km",
)
MODELS: dict[str, Any] = {
    "none": None,
    "good": lambda: ScriptedModel([GOOD]),
    "streaming": lambda: ScriptedPlanner([], [GOOD]),
    "invents": lambda: ScriptedModel(["It costs 25 dollars."]),
    "half right": lambda: ScriptedPlanner([], [GOOD[:90] + " It costs 25 dollars."]),
    "wrong label": lambda: ScriptedModel([GOOD.replace("last ton", "average ton")]),
    "fails": lambda: ScriptedModel([RuntimeError("x")]),
    "silent": lambda: ScriptedModel([]),
    "bad JSON": lambda: ScriptedModel(['{"found": [']),
    "calls tools": lambda: ScriptedPlanner([[("supply_curve", '{"place": "Quincy"}')]], [GOOD], forever=True),
}


@pytest.fixture(scope="module")
def store(demo_layers: Path) -> LayerStore:
    return open_layers(str(demo_layers))


def _numbers(answer: Answer) -> str:
    record = answer.to_json()
    return json.dumps([record[part] for part in ("status", "reason", "values", "tables", "query", "inferred")])


def test_numbers_are_byte_equal_over_20_runs(store: LayerStore) -> None:
    """Every double once and again, each run in another order, on a cache of its own, a shared one, or none."""
    plain = {q: _numbers(ask(store, q)) for q in QUESTIONS}
    shared = CatchmentCache()
    for run in range(20):
        rng = random.Random(run)
        double = list(MODELS.values())[run % len(MODELS)]
        cache = rng.choice([None, shared, CatchmentCache(size=1)])
        for question in rng.sample(QUESTIONS, 3):
            assistant = Assistant(double()) if double else None
            told: list[str] = []
            answer = ask_planned(store, question, cache=cache, assistant=assistant, on_sentence=told.append)
            assert _numbers(answer) == plain[question], (run, question)
            assert "".join(told) == answer.text


def _chains(file: Path) -> list[list[str]]:
    rows = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return [[*row["after"], row["question"]] for row in rows if row.get("after")]


def _held_against_fresh_runs(store: LayerStore, chains: list[list[str]]) -> int:
    """Every chain as one session and as a fresh run of its last question; how many were answered on these layers."""
    answered = 0
    for chain in chains:
        session = Session(store)
        there = [session.ask(question) for question in chain][-1]
        fresh = ask(store, chain[-1], chain[:-1])
        assert _numbers(there) == _numbers(fresh), chain
        assert there.text == fresh.text, chain
        answered += fresh.status == "answered"
    return answered


def test_a_session_is_a_fresh_run_for_every_chain_of_the_cases(store: LayerStore, shared_dir: Path) -> None:
    chains = _chains(shared_dir / "acceptance" / "queries.jsonl")
    assert len(chains) >= 12
    assert _held_against_fresh_runs(store, chains) >= 2, "the chains prove nothing on these layers"


def test_a_session_is_a_fresh_run_for_chains_of_our_own(store: LayerStore, project_root: Path) -> None:
    files = sorted((project_root / "tests" / "acceptance").glob("*.jsonl"))
    chains = [chain for file in files for chain in _chains(file)]
    # Only the first places lie on the demonstration layers; elsewhere the refusals are compared.
    chains += [
        ["12 MW at Quincy, delivered cost?", "and for 14 MW?", "same thing in Greenville", "go back to the first one"],
        ["8 MW at Chester, fire weight 0.4", "now without the fire part", "within 30 km", "project 12 years"],
        ["10 MW at Quincy, moisture 40 %", "60 % instead", "TFB40", "what if diesel hits $6.50?", "undo that"],
    ]
    assert _held_against_fresh_runs(store, chains) >= 5


@pytest.mark.case("A31")
def test_a31_back_to_the_first_place_is_the_first_answer(store: LayerStore) -> None:
    for double in (None, MODELS["good"], MODELS["invents"]):
        session = Session(store, assistant=Assistant(double()) if double else None)
        first = session.ask("8 MW at Quincy within 30 km, delivered cost?")
        other = session.ask("same thing in Chester within 30 km")
        again = session.ask("8 MW at Quincy within 30 km, delivered cost?")
        assert _values(again) == _values(first) != _values(other)
        assert {s.cache for s in again.trace if s.tool == "retrieve_clusters"} == {"hit"}
        assert {s.cache for s in other.trace if s.tool == "retrieve_clusters"} == {"miss"}


def _values(answer: Answer) -> str:
    return json.dumps(answer.to_json()["values"])


@pytest.mark.case("A32")
@pytest.mark.parametrize("model", ["none", "good", "calls tools"])
def test_a32_a_price_of_an_earlier_turn_holds_in_the_projection(store: LayerStore, model: str) -> None:
    double = MODELS[model]
    session = Session(store, assistant=Assistant(double()) if double else None)
    first = session.ask("12 MW at Quincy, delivered cost?")
    dear = session.ask("diesel at $6.50")
    later = session.ask("now project 20 years")
    assert later.query.overrides == {"diesel_usd_per_gal": 6.5}
    assert later.facts["average_delivered_cost"].value == dear.facts["average_delivered_cost"].value
    assert dear.facts["average_delivered_cost"].value > first.facts["average_delivered_cost"].value
    assert _values(later) == _values(ask(store, "12 MW at Quincy, diesel at $6.50, project 20 years"))


@pytest.mark.case("A51")
@pytest.mark.parametrize("model", MODELS)
def test_a51_every_number_of_a_text_is_a_claim_on_a_value(store: LayerStore, model: str) -> None:
    double = MODELS[model]
    for question in QUESTIONS:
        answer = ask_planned(store, question, assistant=Assistant(double()) if double else None)
        at = 0
        for claim in sorted(answer.claims, key=lambda c: c.start):
            assert answer.text[claim.start : claim.start + len(claim.text)] == claim.text
            assert answer.facts[claim.value_id].value is not None
            bare = answer.text[at : claim.start]
            assert not any(c.isdigit() for c in bare.replace(answer.query.treatment, "")), bare
            at = claim.start + len(claim.text)


@pytest.mark.case("A53")
def test_a53_a_model_is_asked_for_words_when_the_numbers_are_there(store: LayerStore) -> None:
    steps: list[str] = []

    def late(_instructions: str, _prompt: str) -> str:
        assert "analyse_site" in steps
        return GOOD

    answer = ask_planned(
        store, "Project 8 MW at Chester over 12 years", assistant=Assistant(ScriptedModel([late])),
        on_step=lambda _, tool: steps.append(tool),
    )  # fmt: skip
    assert "text_by_model" in [w.code for w in answer.warnings]
    assert len(answer.tables["projection"].rows) >= 12


@pytest.mark.case("A56")
def test_a56_a_larger_plant_in_the_same_circle_reads_nothing_anew(store: LayerStore) -> None:
    session = Session(store, assistant=Assistant(MODELS["good"]()))
    session.ask("12 MW at Quincy within 40 km, delivered cost?")
    answer = session.ask("and for 14 MW?")
    reads = [s for s in answer.trace if s.tool.startswith("retrieve_clusters")]
    assert [s.cache for s in reads] == ["hit"]
    assert all(s.rows for s in reads)
    assert not any(s.tool == "find_radius" for s in answer.trace)


@pytest.mark.case("A35")
def test_a35_every_listed_tool_has_a_handler_and_every_handler_a_listing() -> None:
    handlers = set()
    for module in pkgutil.iter_modules(csrag.ask.agent.__path__, "csrag.ask.agent."):
        found = importlib.import_module(module.name)
        handlers |= {
            f for f in vars(found).values()
            if callable(f) and getattr(f, "__module__", "").startswith("csrag.ask.agent")
            and getattr(f, "__annotations__", {}).get("return") == "Outcome"
        }  # fmt: skip
    listed = {tool.handler for tool in TOOLS.values()}
    assert len(handlers) >= 5
    assert handlers <= listed, [f.__name__ for f in handlers - listed]
    assert len(listed) == len(TOOLS), "no two tools share a handler"
    assert {name for step in STEPS.values() for name in step.tools} == set(TOOLS)


def test_the_steps_of_every_stage_are_in_the_trace(store: LayerStore) -> None:
    answer = ask(store, "12 MW at Quincy, delivered cost?")
    tools = [s.tool for s in answer.trace]
    assert tools[:3] == ["parse_question", "estimate_demand", "find_radius"]
    assert tools[-1] == "write_answer"
    assert next(s for s in answer.trace if s.tool == "find_radius").rows
    assert all("reason" not in s.to_json() for s in answer.trace)


def test_a_step_that_raises_is_in_the_trace_with_its_reason(store: LayerStore) -> None:
    trace = Trace()
    with contextlib.suppress(RequestError), trace.step("intent", "parse_question") as note:
        note["rows"] = 3
        raise RequestError("No.", "Ask otherwise.", code="no_place")
    assert [s.to_json() | {"ms": 0} for s in trace.steps] == [
        {"stage": "intent", "tool": "parse_question", "ms": 0, "rows": 3, "cache": "miss", "reason": "no_place"}
    ]
    far = ask(store, "12 MW at Los Angeles, delivered cost?")
    assert far.status == "refused"
    last = far.trace[-1].to_json()
    assert (last["tool"], last["reason"]) == ("find_radius", far.reason)
