"""What the actions of `csrag layers` share: finding a set, one JSON object on stdout, writing a picture."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from csrag.errors import LayerSetMissingError
from csrag.interfaces.cli.output import writing_to
from csrag.interfaces.open import default_place, find_layers

WHERE = "layer set: a directory (default: CSRAG_DATA, else your data folder)"


def located(where: str | None) -> Path:
    """The directory that an action reads.

    Raises
    ------
    LayerSetMissingError
        If none is named and none has been built yet.
    """
    place = find_layers(where)
    if place is None:
        raise LayerSetMissingError(
            f"There is no layer set yet at {default_place()}.",
            "Build the demonstration with `csrag layers build`, or import a table with `csrag layers import`.",
        )
    return place


def print_json(value: dict[str, Any]) -> None:
    """One JSON object and a line feed on stdout."""
    json.dump(value, sys.stdout, allow_nan=False)
    sys.stdout.write("\n")


def write_bytes(name: str, data: bytes) -> None:
    """Write a file that is whole or not there.

    Raises
    ------
    InvalidValueError
        If the path is a directory or cannot be written.
    DataError
        If the disk is full.
    """
    with writing_to(name) as stream:
        stream.buffer.write(data)
