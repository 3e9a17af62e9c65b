"""`csrag simulate`: forms of a line, lines that are refused, order, batches, files and pipes."""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from csrag.errors import InvalidValueError
from csrag.interfaces.cli import simulate
from csrag.interfaces.cli.main import main
from csrag.interfaces.cli.simulate import simulate_lines
from csrag.surfaces.catalog import SYSTEMS

FRCS: dict[str, Any] = {
    "system": "Cable Manual WT", "isPartialCut": True, "deliverToLandingDistance": 400, "slope": 30, "elevation": 5000,
    "includeLoadingCosts": True, "includeMoveInCosts": True, "area": 1, "moveInDistance": 2,
    "includeCostsCollectChipResidues": True, "woodDensityCT": 60, "woodDensitySLT": 58.6235, "woodDensityLLT": 62.1225,
    "residueFractionCT": 0, "residueFractionSLT": 0.25, "residueFractionLLT": 0.38, "hardwoodFractionCT": 0.2,
    "hardwoodFractionSLT": 0, "hardwoodFractionLLT": 0, "treesPerAcreCT": 20, "volumeCT": 50, "treesPerAcreSLT": 50,
    "volumeSLT": 70, "treesPerAcreLLT": 5, "volumeLLT": 100, "dieselFuelPrice": 3.61, "moistureContent": 50,
    "isBiomassSalvage": False, "wageFaller": 35.13, "wageOther": 22.07, "laborBenefits": 35, "ppiCurrent": 284.7,
    "residueRecovFracWT": 80, "residueRecovFracCTL": 50,
}  # fmt: skip
MOVE_IN: dict[str, Any] = {
    "system": "Cable Manual WT", "moveInDistance": 2, "dieselFuelPrice": 3.61, "isBiomassSalvage": False,
    "wageFaller": 35.13, "wageOther": 22.07, "laborBenefits": 35, "ppiCurrent": 284.7, "harvestChipTrees": True,
    "includeCostsCollectChipResidues": True,
}  # fmt: skip
CLUSTER: dict[str, Any] = {
    "cluster": {
        "treatmentid": 8, "slope": 20, "area": 32.024857, "mean_yarding": 700, "center_elevation": 4500,
        "stem4to6_tonsacre": 1.2, "stem6to9_tonsacre": 3.0, "stem9plus_tonsacre": 15, "branch_tonsacre": 4.5,
        "foliage_tonsacre": 1.5, "wood_density": 450, "cluster_no": 77,
    },
    "system": "Ground-Based Mech WT",
    "econ": {
        "dieselFuelPrice": 3.61, "moistureContent": 50, "wageFaller": 35.13, "wageOther": 22.07, "laborBenefits": 35,
        "ppiCurrent": 284.7, "residueRecovFracWT": 80, "residueRecovFracCTL": 50,
    },
    "variant": "fixed",
}  # fmt: skip
INPUTS = {"frcs": FRCS, "move-in": MOVE_IN, "cluster": CLUSTER}


def ask(kind: str, *lines: object) -> list[dict[str, Any]]:
    """Answers to lines, given as text or as what json.dumps makes into text."""
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    return [json.loads(answer) for answer in simulate_lines(kind, texts)]


def with_(kind: str, **changes: object) -> dict[str, Any]:
    return {"id": "x", "inputs": {**INPUTS[kind], **changes}}


# --- forms of a line --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", list(INPUTS))
def test_every_form_gives_the_same_outputs(kind: str) -> None:
    inputs = INPUTS[kind]
    bare, named, oracle, flat = ask(
        kind,
        inputs,
        {"id": 7, "inputs": inputs},
        {"id": "a", "kind": kind.replace("-", ""), "input": inputs},
        {"id": None, "kind": kind, **inputs},
    )
    assert bare["outputs"] == named["outputs"] == oracle["outputs"] == flat["outputs"]
    assert [a["id"] for a in (bare, named, oracle, flat)] == [None, 7, "a", None]
    assert set(named) == {"id", "outputs"}


def test_names_are_those_of_the_package() -> None:
    (frcs,) = ask("frcs", FRCS)
    assert set(frcs["outputs"]) == {"totalBiomass", "feedstock"}
    assert {"yieldPerAcre", "costPerAcre", "costPerBoleCCF", "jetFuelPerBoleCCF"} < set(frcs["outputs"]["feedstock"])
    (moved,) = ask("move-in", MOVE_IN)
    assert set(moved["outputs"]) == {"totalCost", "residualCost", "totalDiesel", "residualDiesel"}
    (cluster,) = ask("cluster", CLUSTER)
    assert set(cluster["outputs"]) == {"frcsInput", "output", "summary"}
    assert set(cluster["outputs"]["frcsInput"]) == set(FRCS)


def test_the_cluster_door_is_the_mapping_then_frcs() -> None:
    (cluster,) = ask("cluster", CLUSTER)
    (frcs,) = ask("frcs", cluster["outputs"]["frcsInput"])
    assert cluster["outputs"]["output"] == frcs["outputs"]
    feedstock, summary = frcs["outputs"]["feedstock"], cluster["outputs"]["summary"]
    assert summary["feedstockGreenTons"] == pytest.approx(feedstock["yieldPerAcre"] * 32.024857)
    per_gt = feedstock["costPerAcre"] / feedstock["yieldPerAcre"]
    assert summary["costPerGreenTon"] == pytest.approx(per_gt)
    assert summary["costPerBDMT"] == pytest.approx(per_gt * 1.10231 / 0.5)


def test_variants_of_the_mapping_differ() -> None:
    answers = ask("cluster", *({"inputs": {**CLUSTER, "variant": v}} for v in ("backend", "fixed", "split")))
    fractions = [a["outputs"]["frcsInput"]["residueFractionSLT"] for a in answers]
    assert fractions[0] == fractions[1] == 0
    assert fractions[2] > 0, "split gives saw-log tops to the saw logs"
    clear = {**CLUSTER, "cluster": {**CLUSTER["cluster"], "treatmentid": 1}}
    cuts = [
        a["outputs"]["frcsInput"]["isPartialCut"]
        for a in ask("cluster", *({"inputs": {**clear, "variant": v}} for v in ("backend", "fixed", "split")))
    ]
    assert cuts == [True, False, False]


def test_each_line_has_its_own_prices() -> None:
    dear = {**CLUSTER, "econ": {**CLUSTER["econ"], "wageOther": 60, "moistureContent": 30}}
    together = ask("cluster", CLUSTER, dear, CLUSTER)
    assert together[1]["outputs"] == ask("cluster", dear)[0]["outputs"]
    assert together[0]["outputs"] == together[2]["outputs"] == ask("cluster", CLUSTER)[0]["outputs"]


def test_words_for_numbers_that_are_not_finite() -> None:
    (nan,) = ask("frcs", with_("frcs", slope="NaN"))
    assert nan["outputs"]["totalBiomass"]["costPerAcre"] == "NaN"
    assert math.isfinite(nan["outputs"]["totalBiomass"]["yieldPerAcre"])
    (infinite,) = ask("frcs", with_("frcs", treesPerAcreSLT="Infinity"))
    assert infinite["outputs"]["totalBiomass"]["yieldPerAcre"] == "Infinity"
    (negative,) = ask("move-in", with_("move-in", moveInDistance="-Infinity"))
    assert negative["outputs"]["totalCost"] == "-Infinity"
    # Branches without small stems: the backend's residue fraction is infinite.
    branches = {**CLUSTER["cluster"], "stem4to6_tonsacre": 0, "stem6to9_tonsacre": 0}
    (unknown,) = ask("cluster", {**CLUSTER, "cluster": branches, "variant": "backend"})
    assert unknown["outputs"]["frcsInput"]["residueFractionCT"] == "Infinity"
    assert unknown["outputs"]["summary"] == {"rejected": "Invalid feedstock calculation: NaN"}


def test_a_number_too_big_for_a_float_is_infinite() -> None:
    (answer,) = ask("frcs", json.dumps(FRCS).replace('"slope": 30', f'"slope": {"9" * 400}'))
    assert "Slope should not be greater than 100\n" in answer["error"]


# --- lines that are refused -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("{broken", "bad json"),
        ("", "bad json"),
        ("[1, 2]", "not an object"),
        ("3", "not an object"),
        ('"text"', "not an object"),
        ("null", "not an object"),
        ("[" * 100_000, "bad json"),
        ('{"id": 1, "inputs": 5}', "Give the inputs by name"),
        ('{"id": 1, "inputs": null}', "Give the inputs by name"),
        ('{"id": 1, "kind": "lca", "input": {}}', "kind 'lca'"),
        ('{"id": 1, "inputs": {}, "system": "Cable CTL"}', "inside 'inputs'"),
    ],
)
@pytest.mark.parametrize("kind", list(INPUTS))
def test_no_request(kind: str, line: str, part: str) -> None:
    before, refused, after = ask(kind, INPUTS[kind], line, INPUTS[kind])
    assert part in refused["error"]
    assert set(refused) >= {"id", "error"}
    assert "outputs" not in refused
    assert before["outputs"] == after["outputs"]


@pytest.mark.parametrize(
    ("changes", "message", "mend"),
    [
        ({"slope": "steep"}, "wrong type for slope (should be number, was string) \n", "JSON numbers"),
        ({"slope": True}, "wrong type for slope (should be number, was boolean) \n", "JSON numbers"),
        ({"slope": None}, "wrong type for slope (should be number, was object) \n", "JSON numbers"),
        ({"slope": [3]}, "wrong type for slope (should be number, was object) \n", "JSON numbers"),
        ({"isPartialCut": 1}, "wrong type for isPartialCut (should be boolean, was number) \n", "true or false"),
        ({"isPartialCut": "true"}, "wrong type for isPartialCut (should be boolean, was string) \n", "true or false"),
        ({"system": "Shovel"}, "unidentified System type\n", "Helicopter CTL"),
        ({"system": ""}, "unidentified System type\n", "Helicopter CTL"),
        ({"system": 4}, "wrong type for system (should be string, was number) \n", "Helicopter CTL"),
        ({"system": []}, "wrong type for system (should be string, was object) \n", "true or false"),
        ({"slope": 101}, "Slope should not be greater than 100\n", "another system|works on this slope"),
        ({"deliverToLandingDistance": 1301}, "DeliverDist should not be greater than 1300\n", "reaches this far"),
        ({"volumeCT": 81, "volumeSLT": 81}, "TreeVolCT should not be greater than 80\n", "large log trees"),
        ({"volumeSLT": 81}, "TreeVolSLT should not be greater than 80\n", "large log trees"),
        ({"yarding": 1}, "Cannot read properties of undefined (reading 'value')", "Leave out"),
    ],
)
def test_frcs_refuses_with_the_package_s_message(changes: dict[str, Any], message: str, mend: str) -> None:
    before, refused, after = ask("frcs", FRCS, with_("frcs", **changes), FRCS)
    assert message in refused["error"]
    assert any(word in refused["error"] for word in mend.split("|"))
    assert refused["id"] == "x"
    assert before["outputs"] == after["outputs"]


def test_an_unknown_key_is_named() -> None:
    (refused,) = ask("frcs", with_("frcs", yarding=1))
    assert "yarding" in refused["error"]


def test_keys_for_the_user_s_own_equations_are_let_through() -> None:
    (answer,) = ask("frcs", with_("frcs", UserNote="x"))
    assert answer["outputs"] == ask("frcs", FRCS)[0]["outputs"]


@pytest.mark.parametrize("kind", ["frcs", "move-in"])
def test_every_missing_input_is_named(kind: str) -> None:
    for key in INPUTS[kind]:
        (refused,) = ask(kind, {k: v for k, v in INPUTS[kind].items() if k != key})
        assert f"missing param {key}\n" in refused["error"]


def test_move_in_checks_types_and_warns_of_an_unknown_system() -> None:
    text, flag, extra, unknown = ask(
        "move-in",
        with_("move-in", moveInDistance="far"),
        with_("move-in", harvestChipTrees=1),
        with_("move-in", distance=3),
        with_("move-in", system="Shovel"),
    )
    assert "wrong type for moveInDistance (should be number, was string)" in text["error"]
    assert "wrong type for harvestChipTrees (should be boolean, was number)" in flag["error"]
    assert "unknown param distance" in extra["error"]
    assert unknown["outputs"]["totalCost"] == 0
    assert unknown["outputs"]["residualCost"] > 0
    assert all(name in unknown["warning"] for name in SYSTEMS)


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"cluster": 5}, "must be JSON objects"),
        ({"econ": None}, "must be JSON objects"),
        ({"variant": "mine"}, "backend, fixed, split"),
        ({"system": "Helicopter Manual WT"}, "Helicopter Manual Log"),
        ({"radius": 3}, "unknown key 'radius'"),
        ({"cluster": {**CLUSTER["cluster"], "slope": "steep"}}, "wrong type for slope"),
        ({"cluster": {**CLUSTER["cluster"], "area": None}}, "wrong type for area (should be number, was object)"),
        (
            {"cluster": {k: v for k, v in CLUSTER["cluster"].items() if k != "wood_density"}},
            "missing param wood_density",
        ),
        (
            {"econ": {**CLUSTER["econ"], "ppiCurrent": False}},
            "wrong type for ppiCurrent (should be number, was boolean)",
        ),
        ({"econ": {**CLUSTER["econ"], "ppi": 3}}, "unknown param ppi"),
        ({"cluster": {**CLUSTER["cluster"], "slope": 50}}, "Slope should not be greater than 40\n"),
    ],
)
def test_cluster_refuses(changes: dict[str, Any], part: str) -> None:
    before, refused, after = ask("cluster", CLUSTER, with_("cluster", **changes), CLUSTER)
    assert part in refused["error"]
    assert before["outputs"] == after["outputs"]


def test_null_is_zero_to_the_reference_and_unknown_to_split() -> None:
    level = {**CLUSTER, "cluster": {**CLUSTER["cluster"], "slope": None}}
    fixed, split = ask("cluster", level, {**level, "variant": "split"})
    assert fixed["outputs"]["frcsInput"]["slope"] == 0
    assert split["outputs"]["frcsInput"]["slope"] == "NaN"
    bare = {**CLUSTER, "cluster": {**CLUSTER["cluster"], "branch_tonsacre": None}}
    fixed, split = ask("cluster", bare, {**bare, "variant": "split"})
    assert fixed["outputs"]["frcsInput"]["residueFractionCT"] == 0
    assert "wrong type for branch_tonsacre" in split["error"]


# --- order, batches, files, pipes -------------------------------------------------------------------------------------


def test_order_is_kept_over_batches_and_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulate, "BATCH_LINES", 7)
    lines = [
        json.dumps({"id": i, "inputs": {**MOVE_IN, "system": SYSTEMS[i % 10], "moveInDistance": i}}) for i in range(50)
    ]
    lines[11] = "{"
    answers = [json.loads(line) for line in simulate_lines("move-in", lines)]
    assert [a["id"] for a in answers] == [None if i == 11 else i for i in range(50)]
    alone = [json.loads(next(iter(simulate_lines("move-in", [line])))) for line in lines]
    assert answers == alone


def test_lines_are_taken_as_they_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """An endless source is answered: no more than a batch is held."""
    monkeypatch.setattr(simulate, "BATCH_LINES", 5)
    taken = 0

    def endless() -> Any:
        nonlocal taken
        while True:
            taken += 1
            yield json.dumps(MOVE_IN)

    answers = simulate_lines("move-in", endless())
    for _ in range(12):
        assert "outputs" in json.loads(next(answers))
    assert taken == 15


def test_an_unknown_model_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="frcs, move-in, cluster"):
        next(simulate_lines("weather", []))
    with pytest.raises(SystemExit) as stopped:
        main(["simulate", "weather"])
    assert stopped.value.code == 2
    with pytest.raises(InvalidValueError):
        simulate.run(argparse.Namespace(kind="weather", source=None, target=None))


def test_files(tmp_path: Path) -> None:
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_bytes(b"\xef\xbb\xbf" + json.dumps({"id": "é", "inputs": FRCS}).encode() + b"\r\n" + b'{"id": \xff}')
    assert main(["simulate", "frcs", "--in", str(source), "--out", str(target)]) == 0
    first, second = target.read_text(encoding="utf-8").splitlines()
    assert json.loads(first)["id"] == "é"
    assert "outputs" in json.loads(first)
    assert "bad json" in json.loads(second)["error"]


def test_a_missing_file_is_the_request_s_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "frcs", "--in", str(tmp_path / "nothing.jsonl")]) == 2
    said = capsys.readouterr()
    assert "nothing.jsonl" in said.err
    assert said.out == ""


def _program(*arguments: str, **options: Any) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", "import sys; from csrag.interfaces.cli.main import main; sys.exit(main())"]
    return subprocess.Popen([*command, *arguments], text=True, encoding="utf-8", **options)


def test_a_pipe_is_answered_line_by_line() -> None:
    """A program that waits for each answer before it asks again gets it."""
    pipe = subprocess.PIPE
    with _program("simulate", "move-in", stdin=pipe, stdout=pipe) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        for i in range(3):
            running.stdin.write(json.dumps({"id": i, "inputs": MOVE_IN}) + "\n")
            running.stdin.flush()
            assert json.loads(running.stdout.readline())["id"] == i
        running.stdin.close()
        assert running.wait(timeout=30) == 0


def test_a_reader_that_goes_away_is_no_fault(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text((json.dumps(FRCS) + "\n") * 5000, encoding="utf-8")
    pipe = subprocess.PIPE
    with _program("simulate", "frcs", "--in", str(source), stdout=pipe, stderr=pipe) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert "outputs" in json.loads(running.stdout.readline())
        running.stdout.close()
        assert running.stderr.read() == ""
        assert running.wait(timeout=60) == 0


@pytest.mark.slow
def test_ten_thousand_lines_take_seconds() -> None:
    lines = [
        json.dumps({"id": i, "inputs": {**FRCS, "system": SYSTEMS[i % 10], "slope": i % 40}}) for i in range(10_000)
    ]
    start = time.process_time()
    answered = sum("outputs" in json.loads(line) for line in simulate_lines("frcs", lines))
    assert answered == 10_000
    assert time.process_time() - start < 10
