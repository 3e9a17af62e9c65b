"""The harvest models behind `csrag simulate`: FRCS, move-in, and a treated cluster through both.

Each answerer takes the inputs of many lines and gives one `Answer` a line. Lines of one system are computed together;
a line that is refused says why and does not touch the others. Names are those of `@ucdavis/frcs` 2.0.0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from csrag.simulators.frcs.mapping import VARIANTS, frcs_inputs, is_clear_cut, is_level, trees_and_wood
from csrag.simulators.frcs.simulate import PACKAGE_FIELDS, FrcsOutputs, simulate
from csrag.simulators.frcs.systems import SYSTEM_TABLE
from csrag.simulators.frcs.validation import PARAMETERS, problems, type_name
from csrag.simulators.harvest import HarvestEconomics
from csrag.simulators.move_in import move_in
from csrag.surfaces.catalog import SYSTEMS

Record = dict[str, Any]

WORDS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
"""How a number that is not finite is written in JSON."""
SHORT_TON_PER_TONNE = 1.10231

MOVE_IN_PARAMETERS = {
    "system": "string",
    "moveInDistance": "number",
    "dieselFuelPrice": "number",
    "isBiomassSalvage": "boolean",
    "wageFaller": "number",
    "wageOther": "number",
    "laborBenefits": "number",
    "ppiCurrent": "number",
    "harvestChipTrees": "boolean",
    "includeCostsCollectChipResidues": "boolean",
}
"""Inputs of the move-in model with their types."""
CLUSTER_KEYS = ("cluster", "system", "econ", "variant")
CLUSTER_NUMBERS = {
    "slope": "grade_pct",
    "area": "area_acres",
    "mean_yarding": "yarding_ft",
    "center_elevation": "elevation_ft",
    "stem4to6_tonsacre": "stem_4_6_bdt_per_acre",
    "stem6to9_tonsacre": "stem_6_9_bdt_per_acre",
    "stem9plus_tonsacre": "stem_9_plus_bdt_per_acre",
    "branch_tonsacre": "branch_bdt_per_acre",
    "wood_density": "wood_density_kg_per_m3",
}
"""Fields of a treated cluster that the mapping reads, and the catalog's names for them."""
ECON_NUMBERS = (
    "dieselFuelPrice", "moistureContent", "wageFaller", "wageOther", "laborBenefits", "ppiCurrent",
    "residueRecovFracWT", "residueRecovFracCTL",
)  # fmt: skip

_MEND = {
    "missing_param": "Give every input by the package's name.",
    "wrong_type": 'Numbers are JSON numbers (or the words "NaN", "Infinity", "-Infinity"), switches true or false.',
    "type_error_unexpected_key": "Leave out what is not an input, or mend its spelling.",
    "unknown_system": f"The systems are: {', '.join(SYSTEMS)}.",
    "elevation_required": "Give the elevation in feet, 0 or more.",
    "limit_volume_ct": "Chip trees are at most 80 ft3 each: count bigger ones as large log trees (LLT).",
    "limit_volume_slt": "Small log trees are at most 80 ft3 each: count bigger ones as large log trees (LLT).",
    "limit_slope": "Choose a system that works on this slope.",
    "limit_yarding": "Choose a system that reaches this far, or a nearer landing (feet).",
}
_PACKAGE_TYPE_ERROR = "Cannot read properties of undefined (reading 'value')"
"""What the package says of an unknown key."""


class Answer(NamedTuple):
    """Answer to one line.

    Parameters
    ----------
    outputs : dict or None
        Results; None where the line is refused.
    error : str
        Why it is refused and how to mend it.
    extra : dict
        More fields of the output line.
    text : str
        Results already written as JSON, in place of `outputs`.
    """

    outputs: Record | None
    error: str = ""
    extra: Mapping[str, Any] = {}
    text: str = ""


def spell(value: float) -> float | str:
    """A number, or the word for it where it is not finite."""
    return value if math.isfinite(value) else "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _column(values: NDArray[Any]) -> list[Any]:
    """A column as Python values ready for JSON."""
    plain: list[Any] = values.tolist()
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        return [spell(v) for v in plain]
    return plain


def _number(value: object) -> object:
    """A number that fits a float, or the value of a word for one; anything else as it is."""
    if isinstance(value, str):
        return WORDS.get(value, value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 2**1023:
        return math.inf if value > 0 else -math.inf
    return value


def _revive(record: Mapping[str, Any], parameters: Mapping[str, str] = PARAMETERS) -> Record:
    """Words for non-finite numbers made numbers; keys that the package ignores left out."""
    return {k: v if parameters.get(k) == "string" else _number(v) for k, v in record.items() if "User" not in k}


def _refuse(found: Sequence[tuple[str, str]], extra: Mapping[str, Any] | None = None) -> Answer:
    """The package's message line by line, then how to mend it."""
    classes = list(dict.fromkeys(name for name, _ in found))
    # Every limit of an unknown system is 0: telling the user to mind them would mislead.
    helpful = [c for c in classes if "unknown_system" not in classes or not c.startswith("limit_")]
    text = "".join(f"{message}\n" for _, message in found)
    mend = " ".join(_MEND[c] for c in helpful if c in _MEND)
    return Answer(None, text + mend, {"errorClass": ";".join(name for name, _ in found), **(extra or {})})


def _types_of(record: Mapping[str, Any], parameters: Mapping[str, str]) -> list[tuple[str, str]]:
    """Missing and unknown inputs and wrong types, as the package words them."""
    found = [("missing_param", f"missing param {k}") for k in parameters if k not in record]
    for key, value in record.items():
        if key not in parameters:
            found.append(("type_error_unexpected_key", f"unknown param {key}"))
        elif type_name(value) != parameters[key]:
            found.append(("wrong_type", f"wrong type for {key} (should be {parameters[key]}, was {type_name(value)}) "))
    return found


def _stack(records: Sequence[Mapping[str, Any]], parameters: Mapping[str, str]) -> dict[str, NDArray[Any]]:
    """Checked records as columns."""
    kinds = {"number": np.float64, "boolean": np.bool_}
    return {k: np.array([r[k] for r in records], dtype=kinds[kind]) for k, kind in parameters.items() if kind in kinds}


def _by_system(
    records: Sequence[Record | None], run: Callable[[str, list[int]], None], key: Callable[[Record], str]
) -> None:
    """Call `run(system, lines)` for the lines of each system."""
    groups: dict[str, list[int]] = {}
    for i, record in enumerate(records):
        if record is not None:
            groups.setdefault(key(record), []).append(i)
    for system, lines in groups.items():
        run(system, lines)


# --- frcs -------------------------------------------------------------------------------------------------------------


def _summaries(system: str, columns: Mapping[str, NDArray[Any]]) -> tuple[list[Record], FrcsOutputs]:
    """Outputs row by row in the package's nesting, and as arrays."""
    result = simulate(system, columns)
    named = result.as_package_names()
    halves = []
    for half in ("totalBiomass", "feedstock"):
        rows = zip(*(_column(named[f"{half}.{f}"]) for f in PACKAGE_FIELDS), strict=True)
        halves.append([dict(zip(PACKAGE_FIELDS, row, strict=True)) for row in rows])
    return [{"totalBiomass": total, "feedstock": fuel} for total, fuel in zip(*halves, strict=True)], result


def _frcs_problems(record: Record) -> list[tuple[str, str]]:
    """What the package says of a record that it refuses, and of an empty system name, which it answers with zeros."""
    if "system" in record and not record["system"]:
        if record["system"] == "":
            return [("unknown_system", "unidentified System type"), *problems(record)]
        record = {**record, "system": None}
    found = problems(record)
    return [(c, f"{m}: {_PACKAGE_TYPE_ERROR}" if c == "type_error_unexpected_key" else m) for c, m in found]


def answer_frcs(lines: Sequence[Record]) -> list[Answer]:
    """Answer the 34 inputs of `getFrcsOutputs` with its two halves."""
    answers: list[Answer | None] = [None] * len(lines)
    checked: list[Record | None] = []
    for i, line in enumerate(lines):
        record = _revive(line)
        # The limits of well-formed records are left to the arrays; only a refused line is looked at again.
        well_formed = not _types_of(record, PARAMETERS) and record["system"] in SYSTEM_TABLE
        if not well_formed:
            answers[i] = _refuse(_frcs_problems(record))
        checked.append(record if well_formed else None)

    def run(system: str, rows: list[int]) -> None:
        records = [r for i in rows if (r := checked[i]) is not None]
        outputs, result = _summaries(system, _stack(records, PARAMETERS))
        for i, record, output, code in zip(rows, records, outputs, result.codes, strict=True):
            answers[i] = _refuse(problems(record)) if code else Answer(output)

    _by_system(checked, run, lambda r: str(r["system"]))
    return [a for a in answers if a is not None]


# --- move-in ----------------------------------------------------------------------------------------------------------


def answer_move_in(lines: Sequence[Record]) -> list[Answer]:
    """Answer the 10 inputs of `getMoveInOutputs`.

    The package checks nothing here. Types are checked; a system it does not know keeps its answer (a total of 0, the
    chipper alone in the residue half) and gets a warning.
    """
    answers: list[Answer | None] = [None] * len(lines)
    checked: list[Record | None] = []
    for i, line in enumerate(lines):
        record = _revive(line, MOVE_IN_PARAMETERS)
        found = _types_of(record, MOVE_IN_PARAMETERS)
        if found:
            answers[i] = _refuse(found)
        checked.append(None if found else record)

    def run(system: str, rows: list[int]) -> None:
        columns = _stack([r for i in rows if (r := checked[i]) is not None], MOVE_IN_PARAMETERS)
        result = move_in(
            system,
            columns["moveInDistance"],
            columns["ppiCurrent"],
            harvest_chip_trees=columns["harvestChipTrees"],
            collect_residues=columns["includeCostsCollectChipResidues"],
            salvage=columns["isBiomassSalvage"],
        )
        named = {
            "totalCost": result.total_cost_usd,
            "residualCost": result.residual_cost_usd,
            "totalDiesel": result.total_diesel_gal,
            "residualDiesel": result.residual_diesel_gal,
        }
        warning = f"unidentified System type: no machine but the chipper is counted. {_MEND['unknown_system']}"
        extra = {} if system in SYSTEM_TABLE else {"warning": warning}
        for i, row in zip(rows, zip(*(_column(c) for c in named.values()), strict=True), strict=True):
            answers[i] = Answer(dict(zip(named, row, strict=True)), extra=extra)

    _by_system(checked, run, lambda r: str(r["system"]))
    return [a for a in answers if a is not None]


# --- cluster ----------------------------------------------------------------------------------------------------------


def _check_cluster(line: Record) -> tuple[Record | None, Answer | None]:
    """The parts of a cluster line, words made numbers, or the refusal."""
    unknown = [k for k in line if k not in CLUSTER_KEYS]
    cluster, econ = line.get("cluster"), line.get("econ")
    variant = line.get("variant") or "backend"
    if unknown or not isinstance(cluster, dict) or not isinstance(econ, dict):
        what = f"unknown key {unknown[0]!r}" if unknown else "cluster and econ must be JSON objects"
        return None, Answer(
            None, f'{what}. Give {{"cluster": {{..}}, "system": "..", "econ": {{..}}, "variant": ".."}}.'
        )
    if variant not in VARIANTS:
        return None, Answer(None, f"unknown mapping variant {variant}. It must be one of {', '.join(VARIANTS)}.")
    cluster = {k: v if k == "treatmentid" else _number(v) for k, v in cluster.items()}
    econ = {k: _number(v) for k, v in econ.items()}
    found = [("missing_param", f"missing param {k}") for k in ("treatmentid", *CLUSTER_NUMBERS) if k not in cluster]
    # These reach FRCS as they are, under its own name.
    handed_on = {"area": "area"}
    if is_level(str(line.get("system")), variant):
        handed_on["mean_yarding"] = "deliverToLandingDistance"
    for key in CLUSTER_NUMBERS:
        value = cluster.get(key, 0.0)
        # A null of the database is 0 to the reference, except where FRCS gets it as it is. To `split` it is unknown.
        nullable = key in ("slope", "center_elevation") if variant == "split" else key not in handed_on
        if value is None and nullable:
            cluster[key] = math.nan if variant == "split" else 0.0
        elif type_name(value) != "number":
            name = handed_on.get(key, key)
            found.append(("wrong_type", f"wrong type for {name} (should be number, was {type_name(value)}) "))
    found += _types_of(econ, dict.fromkeys(ECON_NUMBERS, "number"))
    if line.get("system") not in SYSTEMS:
        found.append(("unknown_system", "unidentified System type"))
    if found:
        return None, _refuse(found)
    return {"cluster": cluster, "econ": econ, "system": line["system"], "variant": variant}, None


def _map_clusters(records: Sequence[Record]) -> dict[str, NDArray[Any]]:
    """FRCS inputs of clusters of one system and variant, each with its own economics."""
    system, variant = records[0]["system"], records[0]["variant"]
    stand = {
        ours: np.array([r["cluster"][theirs] for r in records], dtype=np.float64)
        for theirs, ours in CLUSTER_NUMBERS.items()
    }
    # The record has one slope, the grade to the landing; terrain slope is unknown.
    stand["slope_pct"] = np.full(len(records), np.nan)
    econ = {k: np.array([r["econ"][k] for r in records], dtype=np.float64) for k in ECON_NUMBERS}
    clear = np.array([is_clear_cut(r["cluster"]["treatmentid"], variant) for r in records])
    inputs = frcs_inputs(stand, system, HarvestEconomics(), clear_cut=clear, variant=variant)
    # Prices differ from line to line: what depends on them is laid over the defaults.
    moisture: Any = econ["moistureContent"]
    with np.errstate(all="ignore"):
        inputs |= trees_and_wood(stand, moisture, variant)
    inputs |= econ
    return {k: np.broadcast_to(v, (len(records),)) for k, v in inputs.items()}


def _cluster_summary(tons: float, coproduct: float, cost: float, coproduct_cost: float, moisture_pct: float) -> Record:
    """What siting keeps of one cluster: tons and dollars of the whole cluster, or why it is left out."""
    if math.isnan(tons):
        return {"rejected": "Invalid feedstock calculation: NaN"}
    if tons == 0:
        return {"rejected": "Cluster feedstock was: 0"}
    per_gt = cost / tons
    with np.errstate(all="ignore"):
        per_bdmt = float(np.float64(per_gt * SHORT_TON_PER_TONNE) / (1 - moisture_pct / 100))
    values = {
        "feedstockGreenTons": tons,
        "coproductGreenTons": coproduct,
        "feedstockHarvestCost": cost,
        "coproductHarvestCost": coproduct_cost,
        "costPerGreenTon": per_gt,
        "costPerBDMT": per_bdmt,
    }
    return {k: spell(v) for k, v in values.items()}


def answer_cluster(lines: Sequence[Record]) -> list[Answer]:
    """Answer a treated cluster with its FRCS inputs, FRCS outputs and the summary that siting keeps."""
    answers: list[Answer | None] = [None] * len(lines)
    checked: list[Record | None] = []
    for i, line in enumerate(lines):
        record, refusal = _check_cluster(line)
        answers[i] = refusal
        checked.append(record)

    def run(key: str, rows: list[int]) -> None:
        system = key.partition("|")[2]
        columns = _map_clusters([r for i in rows if (r := checked[i]) is not None])
        outputs, result = _summaries(system, columns)
        spelled = [_column(columns[k]) for k in PARAMETERS if k != "system"]
        numbers = [columns[k].tolist() for k in PARAMETERS if k != "system"]
        names = [k for k in PARAMETERS if k != "system"]
        area, total, feedstock = columns["area"], result.total_biomass, result.feedstock
        with np.errstate(all="ignore"):
            kept = (
                feedstock.yield_gt_per_acre * area,
                (total.yield_gt_per_acre - feedstock.yield_gt_per_acre) * area,
                feedstock.cost_usd_per_acre * area,
                (total.cost_usd_per_acre - feedstock.cost_usd_per_acre) * area,
                columns["moistureContent"],
            )
        for j, (i, summary) in enumerate(zip(rows, zip(*(c.tolist() for c in kept), strict=True), strict=True)):
            mapped = {"system": system, **{n: c[j] for n, c in zip(names, spelled, strict=True)}}
            if result.codes[j]:
                plain = {"system": system, **{n: c[j] for n, c in zip(names, numbers, strict=True)}}
                answers[i] = _refuse(problems(plain), {"frcsInput": mapped})
            else:
                answers[i] = Answer({"frcsInput": mapped, "output": outputs[j], "summary": _cluster_summary(*summary)})

    _by_system(checked, run, lambda r: f"{r['variant']}|{r['system']}")
    return [a for a in answers if a is not None]
