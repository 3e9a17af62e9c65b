"""Questions that cannot be answered: a clear message, the right exit code, no traceback, at once."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

BAD = [
    ("25 GW near Quincy", 2, "25 MW"),
    ("-5 MW near Quincy", 2, "5 MW"),
    ("25 MW in the middle of Death Valley", 3, "area"),
    ("25 MW near 89501", 2, "California"),
    ("", 2, "empty"),
    ("   ", 2, "empty"),
    ("x" * 10_000, 2, ""),
    ("25 MW near Quincy " * 560, 2, "10,000"),
    ("y" * 10_001, 2, "10,000"),
    ("25 MW near Xyzzyville", 2, "Xyzzyville"),
    ("Where is the best place for a solar farm near Quincy?", 2, "outside"),
    ("25 MW at Quincy within 900 km", 2, "radius_km"),
    ("25 MW at Quincy, capacity factor 8500%", 2, "capacity_factor_pct"),
    ("25 MW at 39.94, -140", 2, "California"),
    ("25 MW at Quincy, moisture 99%", 2, "moisture_pct"),
]


def run(demo_layers, question, *options):
    command = [sys.executable, "-m", "csrag", "ask", question, "--data", str(demo_layers), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize(("question", "code", "says"), BAD, ids=[b[0][:30] or "empty" for b in BAD])
def test_bad_question_gets_a_clear_message(demo_layers, question, code, says):
    done = run(demo_layers, question)
    assert done.returncode == code, done.stdout + done.stderr
    out = done.stdout + done.stderr
    assert says.lower() in " ".join(out.split()).lower()
    assert "Traceback" not in out


@pytest.mark.parametrize(
    ("question", "code"), [(b[0], b[1]) for b in BAD if not b[0].startswith("25 MW near Quincy 25")]
)
def test_bad_question_still_gives_one_json_record(demo_layers, question, code):
    done = run(demo_layers, question, "--json")
    assert done.returncode == code
    record = json.loads(done.stdout)
    assert record["schema"] == "csrag.answer/1"
    assert record["status"] == "refused"
    assert record["reason"]
    assert record["text"]
    assert all(record["values"][i]["value"] is None for i in ("average_delivered_cost", "lcoe_current"))


def test_no_layers_where_asked_says_how_to_get_them(tmp_path):
    done = run(tmp_path / "nothing here", "25 MW near Quincy")
    assert done.returncode == 3
    assert "csrag layers" in done.stderr + done.stdout
    assert "Traceback" not in done.stderr
