"""Rules about names and docstrings, read from the source without importing it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from csrag.quantities import QUANTITIES
from csrag.surfaces.catalog import COLUMNS

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "csrag"
NUMBERS_LIVE_IN = ("geo.py", "quantities.py", "simulators/", "ask/computation/")
"""Where a parameter without a unit is a wrong answer waiting to happen."""

UNIT_WORDS = frozenset({
    "km", "m", "m2", "m3", "ft", "ft3", "in", "in2", "cm", "mile", "miles", "acre", "acres", "ha", "hectares",
    "deg", "degrees", "pct", "percent", "bdt", "gt", "bdmt", "kg", "lb", "lbs", "ccf", "usd", "cents", "mw", "mwh", "kwh",
    "gj", "h", "hr", "hours", "min", "minutes", "s", "y", "years", "year", "gal", "ton", "load", "loads",
})  # fmt: skip
"""A name that ends in one of these carries its unit."""

PLAIN_WORDS = re.compile(
    r"\[[^\]]+\]|dimensionless|\bcount|\bnumber of\b|\bindex|\bindices\b|\bshare\b|\bfactor\b|\bfraction\b|\bratio\b"
    r"|\bprobabilit|\bseed\b|\bweight\b|\b0 (to|or) 1\b|\bcode|\bnumbers?\b|\bsame unit|\bany unit",
    re.I,
)
"""How a description says the unit, or that there is none."""

UNIT_ELSEWHERE = {
    ("quantities.py", "check", "value"): "its unit is that of the quantity named by the first parameter",
    ("ask/computation/choose.py", "Selection.mean", "values"): "any column; the result has its unit",
    ("simulators/frcs/cable_yarder.py", "Mix.add", "weight"): "relevance of one equation, told at the module's head",
}

SOURCES = sorted(PACKAGE.rglob("*.py"))
IDS = [p.relative_to(PACKAGE).as_posix() for p in SOURCES]
Function = ast.FunctionDef | ast.AsyncFunctionDef


def public_things(tree: ast.Module) -> Iterator[tuple[str, Function | ast.ClassDef]]:
    """Public functions and classes of a module, and the public methods of those classes."""
    for node in tree.body:
        if not isinstance(node, (*Function.__args__, ast.ClassDef)) or node.name.startswith("_"):  # type: ignore[attr-defined]
            continue
        yield node.name, node
        if isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef) and not inner.name.startswith("_"):
                    yield f"{node.name}.{inner.name}", inner


def is_numeric(annotation: ast.expr | None) -> bool:
    """A number or an array of numbers; row numbers (integer arrays), flags and containers are none."""
    text = "" if annotation is None else ast.unparse(annotation)
    if re.match(r"(collections\.abc\.)?(Mapping|Callable|Sequence|Iterable|dict|list|tuple|set)\b", text):
        return False
    return bool(re.search(r"\b(float|ArrayLike|NDArray|Vector|Floats|Array)\b", text)) and not re.search(
        r"bool|np\.u?int", text
    )


def parameters_section(doc: str) -> dict[str, str]:
    """Name to description of a numpydoc Parameters section."""
    found: dict[str, str] = {}
    match = re.search(r"^Parameters\n-+\n(.*?)(?=^\S[^\n]*\n-{3,}$|\Z)", doc, re.S | re.M)
    names: list[str] = []
    for line in match.group(1).splitlines() if match else ():
        if line and not line[0].isspace():
            head, _, kind = line.partition(" : ")
            names = [n.strip().lstrip("*") for n in head.split(",")]
            for name in names:
                found[name] = kind
        else:
            for name in names:
                found[name] += " " + line.strip()
    return found


def carries_unit(name: str) -> bool:
    return name in QUANTITIES or name in COLUMNS or name.lower().split("_")[-1] in UNIT_WORDS


@pytest.mark.parametrize("path", SOURCES, ids=IDS)
def test_public_things_say_what_they_are(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    if tree.body:  # an empty __init__.py has nothing to say
        assert ast.get_docstring(tree), "the module has no docstring"
    silent = [name for name, node in public_things(tree) if not (ast.get_docstring(node) or "").strip()]
    assert not silent, f"without a docstring: {silent}"


@pytest.mark.parametrize(
    "path", [p for p, i in zip(SOURCES, IDS, strict=True) if i.startswith(NUMBERS_LIVE_IN)], ids=str
)
def test_numeric_parameters_say_their_unit(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    where = path.relative_to(PACKAGE).as_posix()
    bare = []
    for name, node in public_things(tree):
        if isinstance(node, ast.ClassDef):
            continue
        doc = ast.get_docstring(node) or ""
        described = parameters_section(doc)
        for argument in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]:
            known = carries_unit(argument.arg) or (where, name, argument.arg) in UNIT_ELSEWHERE
            if is_numeric(argument.annotation) and not known:
                text = described.get(argument.arg, "") if described else doc
                if not PLAIN_WORDS.search(text) and not re.search(r"\bof bool\b", text):
                    bare.append(f"{name}({argument.arg})")
    assert not bare, f"name or docstring must say the unit, or that there is none: {bare}"


def test_the_rule_catches_a_bare_parameter() -> None:
    doc = (
        "Do.\n\nParameters\n----------\nlength : float\n    How long.\nwidth : float\n    How wide [m].\n\n"
        "Returns\n-------\nfloat\n    It [m]."
    )
    described = parameters_section(doc)
    assert set(described) == {"length", "width"}
    assert not PLAIN_WORDS.search(described["length"])
    assert PLAIN_WORDS.search(described["width"])
    assert carries_unit("radius_km")
    assert carries_unit("cost_usd_per_bdt")
    assert not carries_unit("radius")
