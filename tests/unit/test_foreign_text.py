"""The public check of foreign texts: own texts pass, changed figures and swapped labels are found."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import csrag
from csrag.ask.pipeline import ask
from csrag.ask.synthesis.foreign import verify_text
from csrag.ask.synthesis.foreign_numbers import numbers_of, plain_text
from csrag.errors import RequestError
from csrag.interfaces.cli import main
from csrag.interfaces.open import open_layers

QUESTIONS = [
    "25 MW facility near Quincy, CA. Fire risk matters.",
    "10 MW at Chester over 15 years, year by year",
    "Supply curve for 12 MW at Susanville, slopes under 30%, national forest land only",
    "3 MW gasifier at Portola, thin from below 40%, diesel at $6.50",
    "15 MW near Quincy within 30 km",
    "How many megawatts could Portola support if the average delivered cost has to stay under $55/BDT?",
    "I have $3 million a year for fuel in Quincy. What size plant can I run?",
    "between 10 and 20 MW at Greenville, what would it cost?",
    "80,000 BDT a year at Chester",
    "5 MW CHP at Loyalton",
    "20 MW at Quincy, no ton above $45/BDT",
    "12 MW at Quincy, average under $30/BDT",
    "How sensitive is the LCOE of a 9 MW plant in Portola to diesel?",
    "tornado for 10 MW at Quincy",
    "60 MW near Quincy within 15 km",
    "10 MW at Quincy with power sold at $120/MWh",
    "10 MW at Quincy with a subsidy of $10/BDT",
    "10 MW at Chester with a 12 km power line",
    "10 MW at Chester with existing plants",
    "10 MW at Quincy for 20 years, burned clusters lose 50% of their tons",
    "12 MW at Portola emissions",
    "12 MW at Portola by zone factors",
    "12 MW at Portola, select nearest first",
    "8 MW in 96122",
    "10 MW at 40.0, -120.9, maximise fire benefit",
    "What exactly is a circuity factor?",
    "Delivered cost for a 25 GW plant near Quincy",
    "15 MW at Los Angeles",
    "25 MW at Reno",
    "10 MW at Quincy, cluster may be treated again after 15 years, project 30 years",
]
SWAPS = [
    ("average_delivered_cost", "last_ton_cost"), ("lcoe_current", "lcoe_constant"), ("average_harvest_cost", "average_haul_cost"),
    ("unloading_cost", "move_in_cost"), ("average_haul_cost", "unloading_cost"), ("radius_km", "mean_road_km"),
    ("life_average_delivered_cost", "life_last_year_cost"), ("average_delivered_cost", "life_average_delivered_cost"),
    ("mean_burn_probability", "baseline_burn_probability"), ("selected_clusters", "candidate_clusters"),
    ("demand_bdt", "feedstock_available_bdt"), ("radius_km", "life_radius_km"), ("treated_acres", "coproduct_gt"),
    ("burn_chance_20_years_pct", "baseline_burn_chance_20_years_pct"), ("average_delivered_cost", "average_harvest_cost"),
    ("life_average_delivered_cost", "last_ton_cost"),
]  # fmt: skip
Record = dict[str, Any]


@pytest.fixture(scope="module")
def records(demo_layers: Path) -> dict[str, Record]:
    layers = open_layers(str(demo_layers))
    return {q: json.loads(json.dumps(ask(layers, q).to_json())) for q in QUESTIONS}


@pytest.fixture(scope="module")
def record(records: dict[str, Record]) -> Record:
    return records[QUESTIONS[0]]


def wrong(text: str, record: Record) -> list[tuple[str, str]]:
    return [(f.text, f.verdict) for f in verify_text(text, record) if f.verdict != "backed"]


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_product_s_own_text_is_backed(records: dict[str, Record], question: str) -> None:
    record = records[question]
    assert record["text"]
    assert wrong(record["text"], record) == []
    figures = [c for c in record["claims"] if any(d.isdigit() for d in c["text"])]
    assert len(verify_text(record["text"], record)) >= len(figures)


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_changed_digit_is_found(records: dict[str, Record], question: str) -> None:
    record, chance = records[question], random.Random(question)
    text = record["text"]
    digits = [k for k, c in enumerate(text) if c.isdigit() and text[max(0, k - 2) : k] != "CO"]
    for k in chance.sample(digits, min(8, len(digits))):
        changed = text[:k] + chance.choice("0123456789".replace(text[k], "")) + text[k + 1 :]
        assert wrong(changed, record), changed[max(0, k - 60) : k + 40]


@pytest.mark.parametrize("question", [q for q in QUESTIONS if "MW" in q][:10])
def test_swapped_labels_are_found(records: dict[str, Record], question: str) -> None:
    record = records[question]
    claims: dict[str, Record] = {}
    for claim in record["claims"]:
        claims.setdefault(claim["value_id"], claim)
    tried, text = 0, record["text"]
    for pair in SWAPS:
        if not set(pair) <= set(claims) or claims[pair[0]]["text"] == claims[pair[1]]["text"]:
            continue
        first, second = sorted((claims[i] for i in pair), key=lambda c: c["start"])
        a, b = first["start"] + len(first["text"]), second["start"] + len(second["text"])
        swapped = text[: first["start"]] + second["text"] + text[a : second["start"]] + first["text"] + text[b:]
        assert wrong(swapped, record), pair
        tried += 1
    assert tried or record["status"] == "refused"


FOREIGN = [
    ("Fuel averages ${average_delivered_cost:.2f} per BDT.", ""),
    ("Fuel averages about ${average_delivered_cost:.0f} per bone-dry ton.", ""),
    ("Electricity would cost ${lcoe_current:.0f} per MWh.", ""),
    ("A twenty-five megawatt plant", ""),
    ("a 25,000 kW plant", ""),
    ("It burns {demand_bdt:,.0f} tons a year.", ""),
    ("It burns {demand_gt:,.0f} green tons a year.", ""),
    ("Trucks bring {truck_loads:,.0f} loads a year", ""),
    ("all of it from within {radius_km:.0f} km, for one plant, half of it first", ""),
    ("The average ton costs ${last_ton_cost:.2f}.", "wrong label"),
    ("On average, fuel costs ${last_ton_cost:.2f} a bone-dry ton.", "wrong label"),
    ("The last ton costs ${average_delivered_cost:.2f}.", "wrong label"),
    ("Electricity would cost ${average_delivered_cost:.2f} per MWh.", "wrong label"),
    ("${average_delivered_cost:.2f} per green ton on average", "wrong label"),
    ("It burns {demand_bdt:,.0f} green tons a year.", "wrong label"),
    ("within {radius_km:.0f} miles", "wrong label"),
    ("Haul costs ${average_harvest_cost:.2f} per BDT.", "wrong label"),
    ("a thirty megawatt plant", "unbacked"),
    ("It costs three times as much.", "unbacked"),
    ("dozens of plants", "unbacked"),
    ("It would create 4,517 jobs.", "unbacked"),
    ("treated with TFB40", "unbacked"),
    ("a loan of $3.7 million", "unbacked"),
    ("two thirds of it", "unbacked"),
]


@pytest.mark.parametrize(("text", "verdict"), FOREIGN, ids=[t for t, _ in FOREIGN])
def test_texts_by_others(record: Record, text: str, verdict: str) -> None:
    values = {k: v["value"] for k, v in record["values"].items()}
    findings = verify_text(text.format(**values), record)
    assert findings
    assert [f.verdict for f in findings if f.verdict != "backed"] == ([verdict] if verdict else []), findings


def test_the_finding_names_the_value_and_the_span(record: Record) -> None:
    cost = record["values"]["average_delivered_cost"]["value"]
    text = f"Fuel: ${cost:.2f} per BDT, delivered."
    (finding,) = verify_text(text, record)
    assert finding.value_id == "average_delivered_cost"
    assert text[finding.start : finding.end] == f"{cost:.2f} per BDT"
    assert finding.to_json()["span"] == [finding.start, finding.end]


def test_it_is_public_and_refuses_what_is_no_record() -> None:
    assert csrag.verify_text is verify_text
    for bad in ({}, {"values": []}, []):
        with pytest.raises(RequestError):
            verify_text("25", bad)  # type: ignore[arg-type]


def test_records_of_further_questions_count(record: Record, records: dict[str, Record]) -> None:
    other = records[QUESTIONS[1]]
    assert wrong(other["text"], record)
    assert wrong(other["text"], {**record, "also": [other]}) == []


READINGS = [
    ("$1.2 million", 1.2e6, 1, "usd"), ("12 c/kWh", 12, 10, "usd/mwh"), ("$0.11 per kWh", 0.11, 1000, "usd/mwh"),
    ("sixty-one dollars per bone-dry ton", 61, 1, "usd/bdt"), ("two hundred and five acres", 205, 1, "acre"),
    ("187k BDT", 187_000, 1, "bdt"), ("14 %", 14, 1, "pct"), ("14 percent", 14, 1, "pct"), ("twice", 2, 1, "times"),
    ("a quarter", 25, 1, "pct"), ("61.30 USD per MWh", 61.3, 1, "usd/mwh"), ("29 a working day", 29, 1, "load/day"),
    ("year 14", 14, 1, "yearno"), ("٢٥ MW", 25, 1, "mw"), ("one point five hours", 1.5, 1, "hour"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value", "scale", "dimension"), READINGS, ids=[r[0] for r in READINGS])
def test_numbers_and_units_are_read(text: str, value: float, scale: float, dimension: str) -> None:
    (number,) = numbers_of(plain_text(text))
    assert (number.value, number.dimension) == (value, dimension)
    assert number.scale == pytest.approx(scale)


def test_a_range_shares_its_unit() -> None:
    for text in ("60 to 100 km", "60-100 km", "60–100 km"):
        assert [(n.value, n.dimension) for n in numbers_of(plain_text(text))] == [(60, "km"), (100, "km")]
    assert [n.dimension for n in numbers_of("$60-70 per bdt")] == ["usd/bdt", "usd/bdt"]


@given(st.text(alphabet="0123456789.,$%-– ()abkmtwyear\n½", max_size=60))
def test_every_digit_is_judged_whatever_stands_around_it(text: str) -> None:
    findings = verify_text(text, {"values": {}})
    covered = {k for f in findings for k in range(f.start, f.end)}
    assert {k for k, c in enumerate(text) if c.isdigit()} <= covered
    assert all(f.verdict == "unbacked" for f in findings)


@pytest.mark.parametrize("piece", ["25 MW and ", "12, ", "five ", "$46.90 (", "60 % a year. "])
def test_a_long_text_of_numbers_is_judged_in_time(record: Record, piece: str) -> None:
    text = (piece * 4_000)[:4_000]
    begin = time.perf_counter()
    verify_text(text, record)
    assert time.perf_counter() - begin < 20


def test_the_command(record: Record, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer, text = tmp_path / "answer.json", tmp_path / "text.txt"
    answer.write_text(json.dumps(record), encoding="utf-8")
    text.write_text(record["text"], encoding="utf-8")
    assert main(["verify-text", str(text), "--record", str(answer)]) == 0
    capsys.readouterr()
    text.write_text("It costs $1,234,567.\nAnd 25 MW.", encoding="utf-8")
    assert main(["verify-text", str(text), "--record", str(answer), "--json"]) == 2
    out = json.loads(capsys.readouterr().out)
    assert [r["verdict"] for r in out["rows"]] == ["unbacked", "backed"]
    assert out["backed"] is False
    assert main(["verify-text", str(text), "--record", str(text)]) == 2
    assert "not one JSON object" in capsys.readouterr().err
