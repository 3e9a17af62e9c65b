"""`csrag layers build --source DIR`: a layer set from a recipe and the files that it names."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from csrag.errors import InvalidValueError, RequestError
from csrag.interfaces.open import default_place

if TYPE_CHECKING:
    from csrag.build.progress import Progress
    from csrag.build.recipe.source import RecipeSource

_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,80}")


@contextmanager
def opened_sources(options: argparse.Namespace, progress: Progress) -> Iterator[tuple[RecipeSource, Path]]:
    """Check the recipe and its inputs, then read them.

    Parameters
    ----------
    options : argparse.Namespace
        Of `csrag layers build`.
    progress : Progress
        Told of each reader.

    Yields
    ------
    source : RecipeSource
        Ready to be built.
    out : Path
        Where it goes: --out, else a folder of the recipe's name beside the demonstration layers.

    Raises
    ------
    RequestError
        If the options do not go together, or with everything that is wrong with the recipe and its inputs.
    DataError
        If an input turns out unusable while it is read.
    """
    from csrag.build.layout import check_target, resolved
    from csrag.build.recipe.recipe import read_recipe
    from csrag.build.recipe.source import read_sources

    if options.demo or options.seed is not None:
        raise RequestError(
            "--demo and --seed belong to the demonstration layers, and --source names your own.",
            "Leave one of them out.",
        )
    folder = Path(options.source).expanduser()
    recipe = read_recipe(folder)
    out = Path(options.out).expanduser() if options.out else _own_place(recipe.parts["output"].text("name"))
    check_target(resolved(out))
    mapping = None if options.mapping == "split" else str(options.mapping)
    with read_sources(recipe, progress, mapping=mapping) as source:
        yield source, out


def _own_place(name: str) -> Path:
    demonstration = _is_demonstration(name)
    if demonstration or not _PLAIN_NAME.fullmatch(name):
        why = "is that of a demonstration region" if demonstration else "is no plain folder name"
        raise RequestError(f"The recipe's name {name!r} {why}.", "Say where with --out, or choose another name.")
    return default_place().with_name(name)


def _is_demonstration(name: str) -> bool:
    from csrag.build.sources.demo_region import region_named

    try:
        region_named(name)
    except InvalidValueError:
        return False
    return True
