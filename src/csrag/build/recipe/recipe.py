"""Reads `recipe.toml` and checks every key, so that all that is wrong with it is said at once."""

from __future__ import annotations

import difflib
import hashlib
import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from csrag.build.recipe.schema import RECIPE_FILE, SECTIONS, Key, Section
from csrag.errors import InvalidValueError

_HOW = "The sections and keys stand in docs/how-to/build-from-public-sources.md."


@dataclass
class Problems:
    """What is wrong, gathered until it is said all together."""

    found: list[str] = field(default_factory=list)

    def add(self, where: str, what: str) -> None:
        """Note one problem and the section or key where it lies."""
        self.found.append(f"{where}: {what}")

    def refuse(self, path: Path, fix: str) -> None:
        """Raise if anything was noted.

        Raises
        ------
        InvalidValueError
            With every problem, a line each.
        """
        if not self.found:
            return
        count = len(self.found)
        head = f"{path} cannot be built from, nothing was written. {count} problem{'s' * (count > 1)}:"
        lines = "".join(f"\n  - {line}" for line in self.found)
        raise InvalidValueError(f"{head}{lines}\n", fix, code="recipe_refused")


@dataclass(frozen=True)
class Part:
    """One section of a recipe, checked.

    Parameters
    ----------
    name : str
        Its name; for an exclusion also what it excludes, such as "exclusions.roadless".
    values : mapping of str to object
        Its keys; files as absolute paths. Keys that were left out are absent.
    """

    name: str
    values: Mapping[str, Any]

    def file(self, key: str) -> Path:
        """Path of a file key that is there."""
        found = self.values[key]
        assert isinstance(found, Path)
        return found

    def text(self, key: str) -> str:
        """Text of a key, empty where it was left out."""
        return str(self.values.get(key, ""))

    def words(self, key: str) -> dict[str, str]:
        """A table of words, empty where it was left out."""
        return dict(self.values.get(key, {}))

    @property
    def files(self) -> tuple[Path, ...]:
        """Every file that the section names."""
        return tuple(value for value in self.values.values() if isinstance(value, Path))


@dataclass(frozen=True)
class Recipe:
    """A checked recipe.

    Parameters
    ----------
    path : Path
        The recipe file.
    sha256 : str
        Hash of its bytes.
    parts : mapping of str to Part
        Sections that are there; "exclusions" is not among them.
    exclusions : tuple of Part
        In the order of the file.
    """

    path: Path
    sha256: str
    parts: Mapping[str, Part]
    exclusions: tuple[Part, ...]

    @property
    def all_parts(self) -> tuple[Part, ...]:
        """Every section, exclusions included, in the order in which they are read."""
        out: list[Part] = []
        for name in SECTIONS:
            if name == "exclusions":
                out += self.exclusions
            elif name in self.parts:
                out.append(self.parts[name])
        return tuple(out)


def read_recipe(folder: Path) -> Recipe:
    """Read and check the recipe of a directory; the files that it names must exist.

    Parameters
    ----------
    folder : Path
        Directory that holds `recipe.toml`; relative paths in the recipe start there.

    Raises
    ------
    InvalidValueError
        With everything that is wrong: sections and keys that do not exist, values of another kind, files that are not
        there.
    """
    path = folder / RECIPE_FILE
    try:
        raw = path.read_bytes()
    except OSError as error:
        what = f"has no {RECIPE_FILE}" if folder.is_dir() else f"is no directory with a {RECIPE_FILE}"
        why = "" if isinstance(error, FileNotFoundError | NotADirectoryError) else f" ({error.strerror})"
        raise InvalidValueError(
            f"{folder} {what}{why}.", f"Write one beside your downloads. {_HOW}", code="recipe_missing"
        ) from None
    try:
        data = tomllib.loads(raw.decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidValueError(f"{path} is not TOML: {error}.", "Mend that line.", code="recipe_not_toml") from None
    problems = Problems()
    parts, exclusions = _parts(data, folder, problems)
    _relations(parts, exclusions, problems)
    problems.refuse(path, _HOW)
    return Recipe(path, hashlib.sha256(raw).hexdigest(), parts, tuple(exclusions))


def _parts(data: Mapping[str, Any], folder: Path, problems: Problems) -> tuple[dict[str, Part], list[Part]]:
    for name in data:
        if name not in SECTIONS:
            problems.add(f"[{name}]", f"there is no such section{_meant(name, SECTIONS)}")
    parts: dict[str, Part] = {}
    exclusions: list[Part] = []
    for name, section in SECTIONS.items():
        if name not in data:
            if section.required:
                needed = ", ".join(key for key, about in section.keys.items() if about.required)
                problems.add(f"[{name}]", f"the section is missing; it needs {needed}")
            continue
        given = data[name]
        if section.repeated:
            if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
                problems.add(f"[{name}]", f"write it as [[{name}]], once for each layer")
                continue
            for number, one in enumerate(given, start=1):
                label = one.get("name")
                shown = label if isinstance(label, str) and label else str(number)
                exclusions.append(Part(f"{name}.{shown}", _values(f"{name}.{shown}", section, one, folder, problems)))
        elif not isinstance(given, dict):
            problems.add(f"[{name}]", "write it as a section with keys")
        else:
            parts[name] = Part(name, _values(name, section, given, folder, problems))
    return parts, exclusions


def _values(name: str, section: Section, given: Mapping[str, Any], folder: Path, problems: Problems) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, value in given.items():
        if key not in section.keys:
            problems.add(f"[{name}] {key}", f"there is no such key{_meant(key, section.keys)}")
            continue
        read = _value(section.keys[key], value, folder)
        if isinstance(read, _Wrong):
            for what in read.what:
                problems.add(f"[{name}] {key}", what)
        else:
            values[key] = read
    for key, about in section.keys.items():
        if about.required and key not in given:
            problems.add(f"[{name}]", f"{key} is missing ({about.meaning})")
    for group in section.one_of:
        there = [key for key in group if key in given]
        if len(there) != 1:
            said = " and ".join(there) if there else f"neither {' nor '.join(group)}"
            problems.add(f"[{name}]", f"{said} given; give exactly one of {', '.join(group)}")
    return values


def _relations(parts: Mapping[str, Part], exclusions: Sequence[Part], problems: Problems) -> None:
    """Keys that go together or exclude each other."""
    clusters = parts.get("clusters")
    if clusters is not None and {"treatments", "treatment_ids"} <= set(clusters.values):
        problems.add("[clusters]", "treatments and treatment_ids are both given; give one of them")
    if clusters is not None and "roads" in parts and "zone_factors" in clusters.values:
        problems.add("[clusters] zone_factors", "zones are fitted on [roads]; leave one of the two out")
    hazard = parts.get("hazard")
    if hazard is not None and "polygons" in hazard.values and "field" not in hazard.values:
        problems.add("[hazard]", "field is missing (field of the polygons that holds the class)")
    if hazard is not None:
        for key, goes_with in (("field", "polygons"), ("layer", "polygons"), ("band", "raster")):
            if key in hazard.values and goes_with not in hazard.values:
                problems.add(f"[hazard] {key}", f"it goes with {goes_with}")
    roads = parts.get("roads")
    if roads is not None and "edges" in roads.values and "nodes" not in roads.values:
        problems.add("[roads]", "nodes is missing (table of road nodes)")
    if roads is not None and "pbf" in roads.values and "nodes" in roads.values:
        problems.add("[roads]", "nodes goes with edges, not with pbf")
    names = [part.text("name").lower() for part in exclusions]
    for name in sorted({n for n in names if names.count(n) > 1}):
        problems.add("[[exclusions]]", f"{name!r} is there twice; give each a name of its own")


@dataclass(frozen=True)
class _Wrong:
    what: tuple[str, ...]


def _value(key: Key, value: Any, folder: Path) -> Any:
    """A value of the kind that its key asks for, or what is wrong with it."""
    read = {"text": _text, "file": _file, "number": _number, "band": _band, "flag": _flag, "numbers": _numbers, "words": _words,
            "columns": _columns}[key.kind]  # fmt: skip
    return read(key, value, folder)


def _text(key: Key, value: Any, _: Path) -> str | _Wrong:
    # A year may stand there as a number.
    if isinstance(value, bool) or not isinstance(value, str | int):
        return _Wrong((f"{value!r} is no text",))
    text = str(value).strip()
    if not text or not text.isprintable():
        return _Wrong((f"{value!r} is empty or holds characters that cannot be shown",))
    if key.choices and text not in key.choices:
        return _Wrong((f"{text!r} is none of {', '.join(key.choices)}{_meant(text, key.choices)}",))
    return text


def _file(_: Key, value: Any, folder: Path) -> Path | _Wrong:
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        return _Wrong((f"{value!r} is no file name",))
    place = (folder / Path(value).expanduser()).absolute()
    try:
        # A file geodatabase is a directory.
        if place.is_file() or (place.is_dir() and place.suffix.lower() == ".gdb"):
            return place
        found = [p.name for p in place.parent.iterdir()] if place.parent.is_dir() else []
    except OSError as error:
        return _Wrong((f"{value} cannot be read: {error.strerror}",))
    if place.is_dir():
        return _Wrong((f"the file {value} is a directory (looked at {place}); name the file in it",))
    return _Wrong((f"the file {value} is not there (looked at {place}){_meant(place.name, found)}",))


def _number(key: Key, value: Any, _: Path) -> float | _Wrong:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return _Wrong((f"{value!r} is no number",))
    if not key.low <= value <= key.high:
        return _Wrong((f"{value:g} lies outside {key.low:g} to {key.high:g}",))
    return float(value)


def _band(key: Key, value: Any, folder: Path) -> int | str | _Wrong:
    if isinstance(value, int) and not isinstance(value, bool):
        return value if value >= 1 else _Wrong((f"{value} is no band; they count from 1",))
    return _text(key, value, folder)


def _flag(_: Key, value: Any, __: Path) -> bool | _Wrong:
    return value if isinstance(value, bool) else _Wrong((f"{value!r} is neither true nor false",))


def _numbers(key: Key, value: Any, folder: Path) -> tuple[float, ...] | _Wrong:
    if not isinstance(value, list) or not value:
        return _Wrong((f"{value!r} is no list of numbers",))
    read = [_number(key, one, folder) for one in value]
    wrong = [one for each in read if isinstance(each, _Wrong) for one in each.what]
    return _Wrong(tuple(wrong)) if wrong else tuple(one for one in read if not isinstance(one, _Wrong))


def _words(key: Key, value: Any, folder: Path) -> dict[str, str] | _Wrong:
    if not isinstance(value, dict) or not value:
        return _Wrong(('it is a table, such as { "word in the file" = "meaning" }',))
    read = {word: _text(key, meaning, folder) for word, meaning in value.items()}
    wrong = [f"{word!r}: {one}" for word, each in read.items() if isinstance(each, _Wrong) for one in each.what]
    return _Wrong(tuple(wrong)) if wrong else {w: m for w, m in read.items() if not isinstance(m, _Wrong)}


def _columns(key: Key, value: Any, _: Path) -> dict[str, str] | _Wrong:
    if not isinstance(value, dict) or not value:
        return _Wrong(('it is a table, such as { name = "PLANT_NAME" }',))
    wrong = [
        f"{w!r} is none of {', '.join(key.choices)}{_meant(w, key.choices)}" for w in value if w not in key.choices
    ]
    wrong += [f"{w}: {name!r} is no column name" for w, name in value.items() if not isinstance(name, str) or not name]
    return _Wrong(tuple(wrong)) if wrong else dict(value)


def _meant(word: str, known: Sequence[str] | Mapping[str, Any]) -> str:
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"; did you mean {near[0]}?" if near else ""
