"""A surrogate as a directory: card.json, card.md and a file a model, every byte hashed."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from csrag.build.surrogate import booster
from csrag.build.surrogate.card import SCHEMA, hash_of, markdown
from csrag.build.surrogate.predict import Surrogate
from csrag.errors import DataError, RequestError

CARD_FILE, CARD_TEXT = "card.json", "card.md"
_AGAIN = "Train it again with `csrag layers train`, or restore the directory from a copy."


def _stem(number: int, system: str) -> str:
    return f"{number:02d}-{re.sub(r'[^a-z0-9]+', '-', system.lower()).strip('-')}"


def is_model_dir(place: Path) -> bool:
    """Whether a directory holds a surrogate of ours, whole or not."""
    try:
        card = json.loads((place / CARD_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(card, dict) and str(card.get("schema", "")).split("/")[0] == SCHEMA.split("/")[0]


def check_target(place: Path) -> None:
    """Refuse to replace what is no surrogate, before any work is done.

    Raises
    ------
    RequestError
        If the place is a file, or a directory that holds something else.
    """
    try:
        taken = place.is_file() or (place.is_dir() and any(place.iterdir()) and not is_model_dir(place))
    except OSError as error:
        raise _unwritable(place, error) from None
    if taken:
        raise RequestError(
            f"{place} is something else than a surrogate; it would be replaced.",
            "Name a new or empty directory with --model.",
            code="target_not_model",
        )


def _unwritable(place: Path, error: OSError) -> DataError:
    return DataError(
        f"{place} cannot be written: {error.strerror or error}.",
        "Choose another place with --model.",
        code="not_writable",
    )


def save(surrogate: Surrogate, place: Path) -> Surrogate:
    """Write a surrogate; an older one at the place is replaced at the end.

    Parameters
    ----------
    surrogate : Surrogate
        As trained.
    place : Path
        Its directory.

    Returns
    -------
    Surrogate
        The same with hashes in its card.

    Raises
    ------
    RequestError
        If the place holds something else.
    DataError
        If it cannot be written.
    """
    place = place.expanduser()
    check_target(place)
    blobs: dict[str, bytes] = {}
    models: dict[str, dict[str, Any]] = {}
    for number, system in enumerate(surrogate.systems):
        cost = f"{_stem(number, system)}.cost.cbm"
        blobs[cost] = booster.to_bytes(surrogate.cost_models[system])
        feasible = surrogate.feasibility_models[system]
        if not isinstance(feasible, bool):
            blobs[f"{_stem(number, system)}.feasible.cbm"] = booster.to_bytes(feasible)
            feasible = f"{_stem(number, system)}.feasible.cbm"
        models[system] = {"cost": cost, "feasible": feasible}
    card: dict[str, Any] = {
        **surrogate.card, "models": models,
        "files": {name: {"bytes": len(b), "sha256": hashlib.sha256(b).hexdigest()} for name, b in blobs.items()},
    }  # fmt: skip
    card["hash"] = hash_of(card)
    blobs[CARD_FILE] = (json.dumps(card, indent=1, allow_nan=False) + "\n").encode()
    blobs[CARD_TEXT] = markdown(card).encode()
    work, old = (place.with_name(f".csrag-{what}-{place.name}") for what in ("partial", "old"))
    try:
        shutil.rmtree(work, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)
        work.mkdir(parents=True)
        for name, blob in blobs.items():
            (work / name).write_bytes(blob)
        if place.exists():
            place.rename(old)
        work.rename(place)
        shutil.rmtree(old, ignore_errors=True)
    except OSError as error:
        raise _unwritable(place, error) from None
    return replace(surrogate, card=card)


def read_card(place: Path) -> dict[str, Any]:
    """The card of a surrogate, its hash checked.

    Raises
    ------
    RequestError
        If there is no surrogate.
    DataError
        If the card is damaged or of another version.
    """
    file = place.expanduser() / CARD_FILE
    try:
        card = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise RequestError(
            f"There is no surrogate at {place}: {CARD_FILE}: {error.strerror}.",
            "Name the directory that `csrag layers train --model DIR` wrote.",
            code="model_missing",
        ) from None
    except ValueError:
        raise _damaged(place, f"{CARD_FILE} is cut off or altered") from None
    if not isinstance(card, dict) or card.get("schema") != SCHEMA:
        raise _damaged(place, f"{CARD_FILE} is not a card of this version ({SCHEMA})")
    if card.get("hash") != hash_of(card):
        raise _damaged(place, f"{CARD_FILE} was altered: its hash does not fit")
    return card


def load(place: Path) -> Surrogate:
    """Read a surrogate, every byte compared with its card.

    Parameters
    ----------
    place : Path
        Its directory.

    Returns
    -------
    Surrogate
        Ready to predict.

    Raises
    ------
    RequestError
        If there is no surrogate, or the library is not installed.
    DataError
        If a file is missing, cut off or altered.
    """
    place = place.expanduser()
    card = read_card(place)
    booster.load()
    blobs = {name: _checked(place, name, entry) for name, entry in card["files"].items()}
    cost: dict[str, Any] = {}
    feasible: dict[str, Any] = {}
    for system in card["systems"]:
        names = card["models"][system]
        cost[system] = _model(place, names["cost"], blobs, classify=False)
        said = names["feasible"]
        feasible[system] = said if isinstance(said, bool) else _model(place, said, blobs, classify=True)
    return Surrogate(card, cost, feasible)


def _model(place: Path, name: str, blobs: Mapping[str, bytes], *, classify: bool) -> Any:
    try:
        return booster.from_bytes(blobs[name], classify)
    except Exception as error:  # the library's own errors share no base class
        raise _damaged(
            place, f"{name} cannot be read by this {booster.LIBRARY} {booster.version()} ({error})"
        ) from None


def _checked(place: Path, name: str, entry: Mapping[str, Any]) -> bytes:
    try:
        blob = (place / name).read_bytes()
    except OSError as error:
        raise _damaged(place, f"{name}: {error.strerror}") from None
    if len(blob) != entry["bytes"]:
        raise _damaged(place, f"{name} has {len(blob):,} bytes instead of {entry['bytes']:,}")
    if hashlib.sha256(blob).hexdigest() != entry["sha256"]:
        raise _damaged(place, f"{name} was altered: its hash does not fit")
    return blob


def _damaged(place: Path, what: str) -> DataError:
    return DataError(f"The surrogate at {place} is damaged: {what}.", _AGAIN, code="model_damaged")
