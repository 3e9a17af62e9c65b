"""The model card: what a surrogate was made from, how well it does, and where it must not be used; JSON and Markdown."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

SCHEMA = "csrag.surrogate/1"
LOW_PCT = 87.0
"""Coverage of a terrain class below this is said among the limits [percent]; nominal is 90."""
_NOT_HASHED = ("created", "hash")


def hash_of(card: Mapping[str, Any]) -> str:
    """SHA-256 over the canonical JSON of a card but its date and hash; the model files are in it by their own hashes."""
    kept = {key: value for key, value in card.items() if key not in _NOT_HASHED}
    text = json.dumps(kept, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def limits_of(card: Mapping[str, Any]) -> list[str]:
    """What a user of the model must know, in sentences."""
    data, holdout = card["data"], card["holdout"]
    out = []
    if data["synthetic"]:
        out.append("Trained on SYNTHETIC stands: it has never seen a real forest.")
    out += [
        f"It imitates {data['simulator']} and carries that simulator's own errors; the errors here are against the simulator, "
        "not against harvest jobs.",
        "Outside the ranges below it does not extrapolate: cost stays near that of the nearest records it knows.",
        "Errors of neighbouring clusters are alike; an average over a circle is not much more certain than the block means "
        "say.",
    ]
    if holdout["kind"] == "random":
        out.append("The sample has no positions, so the hold-out is random: errors in new country may be larger.")
    if card["assumed"]:
        fixed = ", ".join(f"{name} = {value:g}" for name, value in card["assumed"].items())
        out.append(f"Not in the sample, so they do not act on cost: {fixed}.")
    low = [row for row in card["coverage"]["by_terrain"] if (row["coverage_pct"] or LOW_PCT) < LOW_PCT]
    if low:
        least = min(low, key=lambda row: float(row["coverage_pct"]))
        out.append(
            f"Intervals are calibrated by system, not by terrain: in {len(low)} of the classes below they hold less than "
            f"{LOW_PCT:g} %, least {least['coverage_pct']:g} % ({least['system']}, slope {_bounds(least['slope_pct'])} percent)."
        )
    missed = [row["family"] for row in card["errors"]["by_family"] if not row["accepted"]]
    if missed:
        out.append(f"The targets of error are NOT met by: {', '.join(missed)}.")
    return out


def markdown(card: Mapping[str, Any]) -> str:
    """The card for people."""
    data, holdout, training = card["data"], card["holdout"], card["training"]
    made = "SYNTHETIC data" if data["synthetic"] else "data"
    hold = (
        f"blocks of {holdout['block_km']:g} km" if holdout["kind"] == "spatial" else "groups of records dealt at random"
    )
    parts = ", ".join(f"{p['records']:,} records in {p['blocks']:,} blocks to {p['part']}" for p in holdout["parts"])
    errors, cover = card["errors"], card["coverage"]
    at_base = {row["system"]: row for row in errors["at_base_economics"]}
    lines = [
        f"# Surrogate {card['name']}",
        "",
        f"Harvest cost of {data['simulator']} as boosted trees, trained on {made}: {data['title']}.",
        "",
        f"- records {data['records']:,}, of them {data['at_base_economics']:,} at base economics and {data['varied_stands']:,} with "
        f"stands varied beyond the region (for training alone); mapping {data['mapping'] or 'of the sample'}, seed of the draw "
        f"{data['draw_seed']}",
        f"- hold-out by {hold}: {parts}",
        f"- {training['library']} {training['version']}, {training['trees']} trees of depth {training['depth']} a system, "
        f"learning rate {training['rate']:g}, seed {training['seed']}; target: logarithm of cost",
        f"- feasibility in layers: {_FEASIBILITY[card['feasibility']]}",
        f"- hash {card['hash']}",
        "",
        "## Limits",
        "",
        *(f"- {line}" for line in card["limits"]),
        "",
        "## Errors on the hold-out, absolute, percent of cost",
        "",
        *_table(
            ("family", "n", "median", "95th percentile", "targets"),
            (
                (r["family"], r["n"], r["median_abs_error_pct"], r["p95_abs_error_pct"], "met" if r["accepted"] else "MISSED")
                for r in errors["by_family"]
            ),
        ),
        "",
        *_table(
            ("system", "n", "median", "95th", "median at base economics", "95th at base", "mean of a block, 95th",
             "interval +-", "coverage of 90", "interval +- at base", "coverage of 90 at base"),
            (
                (r["system"], r["n"], r["median_abs_error_pct"], r["p95_abs_error_pct"],
                 at_base[r["system"]]["median_abs_error_pct"], at_base[r["system"]]["p95_abs_error_pct"],
                 b["p95_abs_mean_error_pct"], card["interval"]["half_width_pct"][r["system"]], cover["by_system"][r["system"]],
                 card["interval"]["at_base_economics_pct"][r["system"]], cover["at_base_economics"][r["system"]])
                for r, b in zip(errors["by_system"], errors["block_means"], strict=True)
            ),
        ),
        "",
        "## By terrain",
        "",
        *_table(
            ("system", "slope percent", "n", "median", "95th", "coverage of 90"),
            (
                (r["system"], _bounds(r["slope_pct"]), r["n"], r["median_abs_error_pct"], r["p95_abs_error_pct"],
                 c["coverage_pct"])
                for r, c in zip(errors["by_terrain"], cover["by_terrain"], strict=True)
            ),
        ),
        "",
        "## By decile of cost",
        "",
        *_table(
            ("system", "decile", "USD per BDT", "n", "median", "95th"),
            (
                (r["system"], r["decile"], _bounds(r["cost_usd_per_bdt"]), r["n"], r["median_abs_error_pct"],
                 r["p95_abs_error_pct"])
                for r in errors["by_cost_decile"]
            ),
        ),
        "",
        "## Feasibility on the hold-out",
        "",
        *_table(
            ("judge", "system", "n", "wrong percent", "infeasible called feasible", "feasible called infeasible"),
            (
                (judge, r["system"], r["n"], r["wrong_pct"], r["infeasible_called_feasible"], r["feasible_called_infeasible"])
                for judge, rows in card["feasibility_check"].items()
                for r in rows
            ),
        ),
        "",
        "## Features and what was seen of them",
        "",
        *_table(
            ("column", "unit", "least", "most"),
            (
                (name, c["unit"], c["low"], c["high"]) if name not in card["assumed"]
                else (name, c["unit"], f"assumed {card['assumed'][name]:g}", "")
                for name, c in card["columns"].items()
            ),
        ),
        "",
        f"Worked out of them: {', '.join(n for n in card['features'] if n not in card['columns'])}.",
        "",
        "Versions: " + ", ".join(f"{name} {value}" for name, value in card["versions"].items()) + f". Made {card['created']}.",
        "",
    ]  # fmt: skip
    return "\n".join(lines)


_FEASIBILITY = {
    "rule": "the simulator's own limits (FRCS); the classifiers are trained and judged beside them",
    "classifier": "classifiers, one a system",
}


def _bounds(pair: list[float | None]) -> str:
    return f"{pair[0]:g} and more" if pair[1] is None else f"{pair[0]:g} to {pair[1]:g}"


def _table(head: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> list[str]:
    def text(value: Any) -> str:
        if value is None:
            return "-"
        return f"{value:,.4g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)

    return [
        "| " + " | ".join(head) + " |",
        "|" + "---|" * len(head),
        *("| " + " | ".join(text(value) for value in row) + " |" for row in rows),
    ]
