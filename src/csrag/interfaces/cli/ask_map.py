"""`csrag ask --map FILE`: the answer on a map, as PNG, SVG or GeoJSON."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from csrag.errors import CsragError, RequestError

if TYPE_CHECKING:
    from csrag.ask.results import Answer

SUFFIXES = (".png", ".svg", ".geojson")


def add_option(parser: argparse.ArgumentParser) -> None:
    """Add `--map`."""
    parser.add_argument(
        "--map", metavar="FILE", help="draw the answer: .png (extra `report`), .svg or .geojson (which need nothing)"
    )


@contextmanager
def map_of(options: argparse.Namespace) -> Iterator[Callable[[Sequence[Answer]], None]]:
    """Check that a map can be written before anything is computed, and give what writes it.

    Yields
    ------
    callable
        Draws the first answer that has something to show; writes nothing where no map was asked for.

    Raises
    ------
    RequestError
        For an unknown ending, or where the extra is not installed.
    InvalidValueError
        If the file cannot be written.
    """
    if options.map is None:
        yield lambda _answers: None
        return
    name, suffix = str(options.map), Path(options.map).suffix.lower()
    if suffix not in SUFFIXES:
        raise RequestError(
            f"{Path(name).name!r} names no kind of map.",
            f"End the file in one of {', '.join(SUFFIXES)}.",
            code="map_unknown",
        )
    if suffix == ".png":
        from csrag.interfaces.maps.picture import require_matplotlib

        require_matplotlib()
    from csrag.interfaces.cli.output import writing_to

    try:
        with writing_to(name) as stream:

            def write(answers: Sequence[Answer]) -> None:
                data = _drawn(options, answers, suffix)
                stream.buffer.write(data)

            yield write
    except _NothingError as error:
        if not error.refused:
            raise error.told from None
        print(f"csrag: {error.told}", file=sys.stderr)  # the refusal itself decides the exit code


class _NothingError(Exception):
    """Nothing can be drawn: the file that was begun must not take its place."""

    def __init__(self, told: CsragError, refused: bool) -> None:
        self.told, self.refused = told, refused
        super().__init__(told.message)


def _drawn(options: argparse.Namespace, answers: Sequence[Answer], suffix: str) -> bytes:
    from csrag.interfaces.maps.answers import nothing_to_draw, scene_of
    from csrag.interfaces.open import open_layers
    from csrag.places.area_file import read_area

    area = None if options.area is None else read_area(options.area)
    store, first = open_layers(options.data), None
    for answer in answers:
        try:
            scene = scene_of(answer, store, area)
        except CsragError as error:
            first = first or error
            continue
        if suffix == ".png":
            from csrag.interfaces.maps.picture import picture_of

            data = picture_of(scene)
        elif suffix == ".svg":
            from csrag.interfaces.maps.drawing import drawing_of

            data = drawing_of(scene).encode("utf-8")
        else:
            from csrag.interfaces.maps.geojson import geojson_of

            data = geojson_of(scene).encode("utf-8")
        print(f"csrag: map written to {options.map}", file=sys.stderr)
        return data
    raise _NothingError(first or nothing_to_draw(answers[0]), all(answer.status == "refused" for answer in answers))
