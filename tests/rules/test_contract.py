"""The names that others rely on, held against the code. tests/rules/contract.json is the frozen list."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from csrag import errors, quantities
from csrag.ask import records
from csrag.surfaces import catalog
from csrag.values import SITE_VALUES

Contract = dict[str, Any]


def csrag(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the installed command as a user would."""
    script = Path(sys.executable).with_name("csrag.exe" if os.name == "nt" else "csrag")
    return subprocess.run(
        [str(script), *arguments], capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )


def test_query_fields(contract: Contract) -> None:
    given = records.SitingQuery().to_json()
    assert set(contract["query_fields"]) <= set(given)
    json.dumps(given)


def test_location_fields(contract: Contract) -> None:
    given = records.Location("Quincy", "place", "Plumas", 39.94, -120.95).to_json()
    assert set(contract["location_fields"]) <= set(given)


def test_words_of_the_query(contract: Contract) -> None:
    assert set(contract["intents"]) <= set(records.INTENTS)
    assert set(contract["technologies"]) <= set(records.TECHNOLOGIES)
    assert set(contract["treatments"]) <= set(catalog.TREATMENTS)
    assert set(contract["systems"]) <= set(catalog.SYSTEMS)
    assert set(contract["system_words"]) <= set(catalog.FAMILIES)
    assert set(contract["land_uses"]) <= set(catalog.LAND_USES)


def test_overrides_are_quantities(contract: Contract) -> None:
    assert set(contract["override_fields"]) <= set(quantities.QUANTITIES)


def test_promised_values_are_in_the_table(contract: Contract) -> None:
    missing = set(contract["site_values"]) - set(SITE_VALUES)
    assert not missing, f"not in the table that the reference page is made from: {sorted(missing)}"


def test_exit_codes(contract: Contract) -> None:
    codes = contract["exit_codes"]
    assert errors.RequestError("x").exit_code == codes["request"]
    assert errors.DataError("x").exit_code == codes["data"]
    assert errors.InternalError("x").exit_code == codes["fault"]


@pytest.mark.shared
def test_the_frozen_list_is_the_published_contract(contract: Contract, shared_dir: Path) -> None:
    text = (shared_dir / "spec" / "contract.md").read_text(encoding="utf-8")
    for group in (
        "query_fields", "location_fields", "override_fields", "answer_fields", "site_values", "statuses", "intents",
        "treatments",
    ):  # fmt: skip
        missing = [name for name in contract[group] if f"`{name}`" not in text and f'"{name}"' not in text]
        assert not missing, f"{group}: not in the contract: {missing}"
    for name in [*contract["commands"]["built"], *contract["commands"]["promised"]]:
        assert f"csrag {name}" in text


def test_commands_exist(contract: Contract) -> None:
    done = csrag("--help")
    assert done.returncode == 0, done.stderr
    for name in contract["commands"]["built"]:
        assert name in done.stdout
        assert csrag(name, "--help").returncode == 0, name


def test_layers_and_simulate_commands_exist(contract: Contract) -> None:
    layers, simulate = csrag("layers", "--help"), csrag("simulate", "--help")
    assert [n for n in contract["layers_commands"] if n not in layers.stdout] == []
    assert [n for n in contract["simulate_models"]["built"] if n not in simulate.stdout] == []


def test_options_exist(contract: Contract) -> None:
    for command, options in contract["options"]["built"].items():
        shown = csrag(*command.split(), "--help", COLUMNS="200").stdout
        assert [o for o in options if o not in shown] == [], command


def test_a_wrong_command_is_the_request_s_fault(contract: Contract) -> None:
    done = csrag("no-such-command")
    assert done.returncode == contract["exit_codes"]["request"]
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


def test_site_answer_has_every_value(contract: Contract, demo_layers: Path) -> None:
    question = "25 MW facility near Quincy, CA. Fire risk matters."
    done = csrag("ask", question, "--json", "--data", str(demo_layers))
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["schema"] == contract["schema"]
    assert answer["status"] in contract["statuses"]
    assert set(contract["answer_fields"]) <= set(answer) | {"session"}
    assert set(contract["query_fields"]) <= set(answer["query"])
    assert set(contract["site_values"]) <= set(answer["values"])
    for name, fact in answer["values"].items():
        assert set(contract["value_fields"]) <= set(fact), name
        assert fact["unit"], name
        assert fact["value"] is not None or fact["basis"], f"{name} is null without a reason"
    for claim in answer["claims"]:
        assert claim["value_id"] in answer["values"]
        assert claim["text"] in answer["text"]


def test_no_layers_is_exit_3(contract: Contract, tmp_path: Path) -> None:
    done = csrag("ask", "25 MW near Quincy", "--data", str(tmp_path / "nothing"))
    assert done.returncode == contract["exit_codes"]["data"]
    assert "Traceback" not in done.stderr
