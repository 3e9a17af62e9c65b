"""The only place where a store is chosen and, where there is none, the demonstration layers are built."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from csrag.errors import CsragError, DataError, LayerSetMissingError, RequestError
from csrag.settings import Settings, load_settings, user_data_folder
from csrag.surfaces.exported import is_export
from csrag.surfaces.manifest import MANIFEST_FILE
from csrag.surfaces.store import LayerStore, SizedStore
from csrag.surfaces.stores.columnar import ColumnarStore
from csrag.surfaces.written import touched_since

if TYPE_CHECKING:
    from csrag.build.materialize import Engine
    from csrag.build.progress import Progress
    from csrag.build.surrogate.layer import SurrogateCost

_BUILD_WAIT_S = 1800.0
CANNOT_BE_BUILT = (
    "Name a layer set with --data DIR or CSRAG_DATA=DIR (make one with `csrag layers build --out DIR`), or make your data "
    "folder writable (XDG_DATA_HOME moves it)."
)
"""What helps where the demonstration layers have no place."""


def default_place(settings: Settings | None = None) -> Path:
    """Where the demonstration layers lie unless the user says otherwise."""
    return user_data_folder() / "layers" / (settings or load_settings()).demo


def find_layers(where: str | None = None) -> Path | None:
    """The directory that `open_layers` would open, without building anything.

    Parameters
    ----------
    where : str or None
        A directory, or None for the settings' one and then the user's data folder.

    Returns
    -------
    Path or None
        None where nothing is named and nothing has been built yet.

    Raises
    ------
    RequestError
        For a database address: that door comes with a later extra.
    """
    settings = load_settings()
    named = where or settings.data
    if named:
        if named.startswith(("postgresql://", "postgres://")):
            raise RequestError(
                "This version reads layer sets from a directory, not from a database.",
                "Give a directory; the database door comes with the extra `postgis` of a later version.",
                code="store_not_available",
            )
        return Path(named).expanduser()
    place = default_place(settings)
    if not _has_manifest(place):
        from csrag.build.layout import interrupted_replacement

        return place if interrupted_replacement(place) else None
    return place


def _has_manifest(place: Path) -> bool:
    try:
        return (place / MANIFEST_FILE).is_file()
    except OSError as error:
        raise _unreadable(place, error) from None


def _unreadable(place: Path, error: OSError) -> LayerSetMissingError:
    return LayerSetMissingError(
        f"There is no layer set that can be read at {place}: {error.strerror or error}.",
        "Name the directory of a layer set with --data or CSRAG_DATA, or mend its permissions.",
    )


def open_layers(where: str | None = None) -> LayerStore:
    """Open a layer set; build the demonstration layers where none is named and none is there.

    Parameters
    ----------
    where : str or None
        A directory. None: the environment variable `CSRAG_DATA` or the settings file, then the user's data folder, then
        the bundled demonstration is built there, which takes seconds and is said on stderr.

    Returns
    -------
    LayerStore
        Ready to read.

    Raises
    ------
    LayerSetMissingError, LayerSetDamagedError
        If there is no set at the place named, or it cannot be trusted.
    RequestError
        For a database address.
    """
    place = find_layers(where)
    if place is not None:
        return open_directory(place)
    settings = load_settings()
    place = default_place(settings)
    print(
        f"No layer set yet: building the SYNTHETIC demonstration layers {settings.demo!r} at {place}.", file=sys.stderr
    )
    try:
        build_demo(place, settings.demo, workers=settings.workers)
    except CsragError as error:
        if error.code in {"not_writable", "disk_full"}:
            raise DataError(error.message, CANNOT_BE_BUILT, code=error.code) from None
        raise
    return open_directory(place)


def open_directory(place: Path, *, warn: bool = True) -> SizedStore:
    """Open the layer set in a directory, or an export of one; a replacement of ours that was cut off is finished.

    Parameters
    ----------
    place : Path
        The directory.
    warn : bool
        Say on stderr where columns were written to after the set was made.

    Raises
    ------
    LayerSetMissingError, LayerSetDamagedError
        If there is none, or it cannot be trusted.
    RequestError
        If an export needs a library that is not installed.
    """
    try:
        if is_export(place):
            from csrag.surfaces.stores.parquet import ParquetStore

            return ParquetStore(place)
        try:
            store = ColumnarStore(place)
        except LayerSetMissingError:
            from csrag.build.layout import interrupted_replacement

            if not interrupted_replacement(place):
                raise
            store = _mended(place)
    except OSError as error:
        raise _unreadable(place, error) from None
    touched = touched_since(place) if warn else []
    if touched:
        print(
            f"csrag: warning: {', '.join(touched[:3])}{' and others' * (len(touched) > 3)} in {place} "
            f"{'was' if len(touched) == 1 else 'were'} written to after the set was made; run: csrag layers verify --data "
            f"{place}", file=sys.stderr,
        )  # fmt: skip
    return store


def _mended(place: Path) -> ColumnarStore:
    from csrag.build.layout import mend_replacement, old_dir

    try:
        mend_replacement(place)
    except CsragError as error:
        out = place.resolve()
        raise LayerSetMissingError(
            f"The replacement of the layer set at {out} was cut off, and it cannot be finished: {error.message}",
            f"Rename {old_dir(out)} to {out.name}, or make {out.parent} writable.",
        ) from None
    return ColumnarStore(place)


def build_demo(
    place: Path, region: str, *, seed: int | None = None, workers: int | None = None, mapping: str = "split",
    only_if_missing: bool = True, replace: bool = False, engine: Engine | None = None, cost: SurrogateCost | None = None,
) -> None:  # fmt: skip
    """Build a demonstration region at a place, one process at a time.

    Parameters
    ----------
    place : Path
        Directory of the layer set.
    region : str
        Name of the region.
    seed : int, optional
        Root seed; the region's default.
    workers : int, optional
        Processes; all cores by default.
    mapping : str
        split, fixed or backend.
    only_if_missing : bool
        Do nothing if another process finished the same place while this one waited.
    replace : bool
        Whether an imported set at the place may give way.
    engine : callable, optional
        Computes the blocks elsewhere; see `build.materialize.materialize`.
    cost : SurrogateCost, optional
        Predicts the costs; by default the simulator computes them.

    Raises
    ------
    InvalidValueError
        For an unknown region.
    RequestError
        If something else is at the place.
    DataError
        If the place cannot be written.
    """
    from csrag.build.materialize import materialize
    from csrag.build.sources.demo import demo_source

    def waiting(process_id: str) -> None:
        print(f"Another process (id {process_id}) is building {place}; waiting for it.", file=sys.stderr)

    source = demo_source(region) if seed is None else demo_source(region, seed)
    with terminal_progress() as progress:
        materialize(
            source, place, workers=workers, mapping=mapping, progress=progress, lock_wait_s=_BUILD_WAIT_S, on_wait=waiting,
            skip_if=(lambda: (place / MANIFEST_FILE).is_file()) if only_if_missing else None, replace=replace,
            engine=engine, cost=cost,
        )  # fmt: skip


@contextmanager
def terminal_progress() -> Iterator[Progress]:
    """A bar on a terminal, plain lines elsewhere; always on stderr."""
    from csrag.build.progress import PlainProgress, TerminalProgress

    if sys.stderr.isatty():
        with TerminalProgress() as bar:
            yield bar
    else:
        yield PlainProgress()
