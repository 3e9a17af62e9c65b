"""Checks of one input record, with the classes and messages of the package."""

from __future__ import annotations

import math
from collections.abc import Mapping

from csrag.errors import InvalidValueError
from csrag.simulators.frcs.systems import HELICOPTERS, SYSTEM_TABLE, TREE_LIMIT_FT3

PARAMETERS: dict[str, str] = {
    "system": "string",
    "isPartialCut": "boolean",
    "deliverToLandingDistance": "number",
    "slope": "number",
    "elevation": "number",
    "includeLoadingCosts": "boolean",
    "includeMoveInCosts": "boolean",
    "area": "number",
    "moveInDistance": "number",
    "includeCostsCollectChipResidues": "boolean",
    "woodDensityCT": "number",
    "woodDensitySLT": "number",
    "woodDensityLLT": "number",
    "residueFractionCT": "number",
    "residueFractionSLT": "number",
    "residueFractionLLT": "number",
    "hardwoodFractionCT": "number",
    "hardwoodFractionSLT": "number",
    "hardwoodFractionLLT": "number",
    "treesPerAcreCT": "number",
    "volumeCT": "number",
    "treesPerAcreSLT": "number",
    "volumeSLT": "number",
    "treesPerAcreLLT": "number",
    "volumeLLT": "number",
    "dieselFuelPrice": "number",
    "moistureContent": "number",
    "isBiomassSalvage": "boolean",
    "wageFaller": "number",
    "wageOther": "number",
    "laborBenefits": "number",
    "ppiCurrent": "number",
    "residueRecovFracWT": "number",
    "residueRecovFracCTL": "number",
}
"""The 34 inputs of FRCS with their types, in the package's order."""


class FrcsInputError(InvalidValueError):
    """Inputs that FRCS refuses.

    Parameters
    ----------
    problems : list of (str, str)
        Class and message of each problem, in the package's order.
    """

    default_code = "frcs_input"

    def __init__(self, problems: list[tuple[str, str]]) -> None:
        self.problems = tuple(problems)
        self.error_class = ";".join(name for name, _ in problems)
        super().__init__(
            "FRCS refuses the inputs: " + "; ".join(text.strip() for _, text in problems) + ".",
            "Give all 34 inputs of FRCS with the right type and within the limits of the system.",
        )

    @property
    def package_message(self) -> str:
        """The message as the package words it, one problem a line."""
        return "".join(f"{text}\n" for _, text in self.problems)


def type_name(value: object) -> str:
    """What JavaScript's typeof says of a JSON value."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    return "string" if isinstance(value, str) else "object"


def _number(record: Mapping[str, object], key: str) -> float:
    """A value as it enters a comparison in the package: what is no number compares as NaN."""
    value = record.get(key, math.nan)
    if value is None:
        return 0.0
    if isinstance(value, bool | int | float):
        return float(value)
    try:
        return float(str(value))
    except ValueError:
        return math.nan


def problems(record: Mapping[str, object]) -> list[tuple[str, str]]:
    """What is wrong with a record: (class, message) pairs, empty if nothing is.

    Unknown keys end the search, as in the package (there by an exception), unless their name contains "User".
    """
    found = [("missing_param", f"missing param {key}") for key in PARAMETERS if key not in record]
    for key, value in record.items():
        if "User" in key:
            continue
        if key not in PARAMETERS:
            return [("type_error_unexpected_key", f"unknown param {key}")]
        want, got = PARAMETERS[key], type_name(value)
        if want != got:
            found.append(("wrong_type", f"wrong type for {key} (should be {want}, was {got}) "))
    name = record.get("system")
    system = SYSTEM_TABLE.get(name) if isinstance(name, str) else None
    if name and system is None:
        found.append(("unknown_system", "unidentified System type"))
    elif name in HELICOPTERS and _number(record, "elevation") < 0:
        found.append(
            (
                "elevation_required",
                "elevation is required to be a valid number for the system you have selected",
            )
        )
    # Without a known system every limit but that of distance is 0.
    tree = TREE_LIMIT_FT3 if system else 0.0
    slope, distance = (system.slope_limit_pct, system.distance_limit_ft) if system else (0.0, 0.0)
    if _number(record, "volumeCT") > tree:
        found.append(("limit_volume_ct", f"TreeVolCT should not be greater than {tree:g}"))
    elif _number(record, "volumeSLT") > tree:
        found.append(("limit_volume_slt", f"TreeVolSLT should not be greater than {tree:g}"))
    if _number(record, "slope") > slope:
        found.append(("limit_slope", f"Slope should not be greater than {slope:g}"))
    if distance > 0 and _number(record, "deliverToLandingDistance") > distance:
        found.append(("limit_yarding", f"DeliverDist should not be greater than {distance:g}"))
    return found


def check_record(record: Mapping[str, object]) -> None:
    """Check one record.

    Raises
    ------
    FrcsInputError
        With everything that is wrong.
    """
    found = problems(record)
    if found:
        raise FrcsInputError(found)
