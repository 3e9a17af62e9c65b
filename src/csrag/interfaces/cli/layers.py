"""`csrag layers`: build, import, inspect and verify layer sets."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from csrag.errors import InvalidValueError, LayerSetDamagedError
from csrag.interfaces.cli import layers_compare, layers_export, layers_hexagons, layers_map
from csrag.interfaces.cli.layers_accuracy import add_accuracy
from csrag.interfaces.cli.layers_engine import add_engine, chosen_engine
from csrag.interfaces.cli.layers_place import WHERE, located, print_json
from csrag.interfaces.cli.layers_source import opened_sources
from csrag.interfaces.cli.layers_surrogate import add_cost, add_train, chosen_cost
from csrag.interfaces.open import build_demo, default_place, open_directory, terminal_progress
from csrag.settings import Settings, load_settings
from csrag.surfaces.manifest import Manifest
from csrag.surfaces.written import record_written, touched_since

if TYPE_CHECKING:
    from csrag.build.progress import Progress
    from csrag.surfaces.store import SizedStore


def add_parser(subparsers: Any) -> None:
    """Add the sub-command and its four actions."""
    parser = subparsers.add_parser("layers", help="build, import, inspect and verify layer sets",
                                   description="A layer set holds cost, fire and circuity of every cluster.")  # fmt: skip
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    build = actions.add_parser("build", help="build a demonstration layer set (SYNTHETIC), or one from public sources")
    build.add_argument("--demo", metavar="REGION", nargs="?", const="northern-sierra", help="northern-sierra (105,000 clusters, 94 MB "
                       "and seconds; the default) or california (1.08 million clusters, 0.83 GB, minutes)")  # fmt: skip
    build.add_argument("--seed", type=int, metavar="N", help="root seed (default: the region's)")
    build.add_argument("--out", metavar="DIR", help="where (default: your data folder)")
    build.add_argument("--source", metavar="DIR", help="directory of your downloads with a recipe.toml that names them")
    _common(build)
    build.set_defaults(handler=run_build)

    table = actions.add_parser("import", help="import a treated-cluster table (CSV or Parquet)")
    table.add_argument(
        "file", metavar="FILE", help="table with FRREDSS's column names, one row a cluster and treatment"
    )
    table.add_argument("--out", metavar="DIR", required=True, help="directory of the new layer set")
    table.add_argument("--name", metavar="NAME", help="name of the layer set (default: the file's)")
    table.add_argument("--treatments", metavar="FILE", help="id table: CSV or JSON with id and name")
    table.add_argument("--treatment-ids", choices=["frredss"], help="take FRREDSS's own numbering of treatments")
    table.add_argument("--zone-factors", metavar="F,F,..", help="road over straight-line distance by circuity zone")
    table.add_argument("--area-unit", choices=["acres", "hectares"],
                       help="unit of the area column (default: acres; said where the table looks otherwise)")  # fmt: skip
    table.add_argument("--source", metavar="TEXT", help="who made the table", default="")
    table.add_argument("--vintage", metavar="TEXT", help="year the data describes (default: its year column)")
    _common(table)
    table.set_defaults(handler=run_import)

    add_train(actions)
    add_accuracy(actions)
    info = actions.add_parser("info", help="say what a layer set holds")
    verify = actions.add_parser("verify", help="read every byte and compare hashes")
    for action, handler in ((info, run_info), (verify, run_verify)):
        action.add_argument("--data", metavar="WHERE", help=WHERE)
        action.add_argument("--json", action="store_true", help="print one JSON object")
        action.set_defaults(handler=handler)
    layers_compare.add_parsers(actions)
    layers_map.add_parser(actions)
    layers_hexagons.add_parser(actions)
    layers_export.add_parser(actions)


def _common(parser: argparse.ArgumentParser) -> None:
    add_engine(parser)
    add_cost(parser)
    parser.add_argument("--workers", type=int, metavar="N", help="processes (default: all cores; 1 stays on one core; on a "
                        "cluster two, or the workers to wait for with --scheduler)")  # fmt: skip
    parser.add_argument("--mapping", choices=["split", "fixed", "backend"], default="split",
                        help="how a cluster becomes simulator input (default: split)")  # fmt: skip
    parser.add_argument("--replace", action="store_true", help="let an imported set at --out give way to other data")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run_build(options: argparse.Namespace) -> int:
    """Build a demonstration set, or one from public sources, and say where it is."""
    from csrag.build.pool import on_one_core

    if options.source:
        begin = time.perf_counter()
        with terminal_progress() as progress, opened_sources(options, progress) as (found, out):
            _write(options, found, out, found.mapping, progress)
        return _say_read(options, found, out, begin)
    if options.seed is not None and options.seed < 0:
        raise InvalidValueError(f"--seed {options.seed} is negative.", "Use a whole number of 0 or more.")
    settings = load_settings()
    region = options.demo or settings.demo
    cost = chosen_cost(options, options.mapping)
    name = region if cost is None else f"{region}-surrogate"
    out = Path(options.out).expanduser() if options.out else default_place(settings).with_name(name)
    begin = time.perf_counter()
    workers = _workers(options, settings)
    with chosen_engine(options) as engine, on_one_core(engine is None and workers == 1), _saying_what_gives_way(out):
        build_demo(out, region, engine=engine, seed=options.seed, workers=workers, mapping=options.mapping,
                   only_if_missing=False, replace=options.replace, cost=cost)  # fmt: skip
    return _built(out, time.perf_counter() - begin, options.json, {})


def run_import(options: argparse.Namespace) -> int:
    """Import a table and say what was read."""
    from csrag.build.sources.table import TableOptions, read_table

    chosen_cost(options, options.mapping)  # a model that cannot be used is said before the table is read
    begin = time.perf_counter()
    chosen = TableOptions(
        name=options.name,
        treatments=Path(options.treatments).expanduser() if options.treatments else None,
        treatment_ids=options.treatment_ids,
        zone_factors=_factors(options.zone_factors),
        source=options.source,
        vintage=options.vintage,
        mapping=options.mapping,
        area_unit=options.area_unit,
    )
    out = Path(options.out).expanduser()
    with terminal_progress() as progress, read_table(Path(options.file).expanduser(), chosen, progress) as source:
        _write(options, source, out, options.mapping, progress)
    return _say_read(options, source, out, begin)


def _write(options: argparse.Namespace, source: Any, out: Path, mapping: str, progress: Progress) -> None:
    """Write the set of a source that has been read."""
    from csrag.build.materialize import materialize
    from csrag.build.pool import on_one_core

    workers = _workers(options, load_settings())
    with chosen_engine(options) as engine, on_one_core(engine is None and workers == 1), _saying_what_gives_way(out):
        materialize(source, out, engine=engine, mapping=mapping, workers=workers,
                    progress=progress, replace=options.replace, cost=chosen_cost(options, mapping))  # fmt: skip


def _say_read(options: argparse.Namespace, source: Any, out: Path, begin: float) -> int:
    """Say what a source brought and where its set is."""
    if not options.json:
        for line in source.notes:
            print(line)
    return _built(out, time.perf_counter() - begin, options.json, {"read": source.report})


@contextmanager
def _saying_what_gives_way(out: Path) -> Iterator[None]:
    """Name on stderr the set that another one has replaced."""
    from csrag.build.layout import resolved, set_at

    place = resolved(out)
    before = set_at(place)
    yield
    after = set_at(place)
    if before is not None and after is not None and before.layers_hash != after.layers_hash:
        made = "SYNTHETIC" if before.synthetic else "imported"
        print(
            f"csrag: replaced the {made} layer set {before.name!r} (hash {before.layers_hash[:16]}) at {out}.",
            file=sys.stderr,
        )


def _workers(options: argparse.Namespace, settings: Settings) -> int | None:
    return settings.workers if options.workers is None else int(options.workers)


def _factors(text: str | None) -> tuple[float, ...]:
    if not text:
        return ()
    try:
        values = tuple(float(part) for part in text.split(","))
    except ValueError:
        raise InvalidValueError(f"--zone-factors {text!r} are not numbers.", "Write them as 1.3,1.5,1.7.") from None
    if not all(1 <= value <= 6 for value in values):
        raise InvalidValueError("A zone factor lies outside 1 to 6.", "It is road over straight-line distance.")
    return values


def _built(out: Path, seconds: float, as_json: bool, extra: dict[str, Any]) -> int:
    store = open_directory(out)
    if as_json:
        print_json({**_describe(store), **extra, "seconds": round(seconds, 2)})
        return 0
    m = store.manifest
    made = "SYNTHETIC demonstration layers" if m.synthetic else "Layers"
    print(f"{made} {m.name}: {m.counts['clusters']:,} clusters, {m.counts['records']:,} records at {store.path}")
    print(f"hash {store.hash[:16]}, {store.size_bytes / 1e6:,.1f} MB, {seconds:.1f} s")
    return 0


def run_info(options: argparse.Namespace) -> int:
    """Say what a set holds."""
    from csrag.interfaces.cli.layers_info import show_summary, summary

    store = open_directory(located(options.data))
    if options.json:
        print_json({**_describe(store), **summary(store)})
    else:
        _show(store)
        show_summary(store)
    return 0


def run_verify(options: argparse.Namespace) -> int:
    """Compare every byte with the manifest; 3 where something is wrong."""
    place = located(options.data)
    name, layers_hash, columns = "", "", 0
    try:
        store = open_directory(place, warn=False)
        name, layers_hash, columns = (
            store.manifest.name,
            store.hash,
            len(getattr(store, "file_names", store.manifest.columns)),
        )
        wrong, fix = store.verify(), ""
        if not wrong and touched_since(place):
            with suppress(OSError):  # a set that cannot be written stays as it is; only the warning goes on
                record_written(place)
    except LayerSetDamagedError as error:
        wrong, fix = [error.message], error.fix
    if wrong and not fix:
        fix = "Build or import the layer set again, or restore these files from a copy."
    if options.json:
        print_json(
            {"ok": not wrong, "where": str(place), "name": name, "hash": layers_hash, "damage": wrong, "fix": fix}
        )
    elif wrong:
        print(f"DAMAGED: {place}", file=sys.stderr)
        for line in wrong:
            print(f"  {line}", file=sys.stderr)
        print(fix, file=sys.stderr)
    else:
        print(f"{name} at {place}: all {columns} files are as they were made (hash {layers_hash[:16]}).")
    return 3 if wrong else 0


def _describe(store: SizedStore) -> dict[str, Any]:
    manifest = store.manifest.to_json()
    columns = manifest.pop("columns")
    manifest.pop("grid")
    return {
        "where": store.path, "hash": store.hash, "size_bytes": store.size_bytes, **manifest,
        "columns": {name: {k: v for k, v in column.items() if k != "file"} for name, column in columns.items()},
    }  # fmt: skip


def _money(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.1f}"


def _show(store: SizedStore) -> None:
    m: Manifest = store.manifest
    c = m.counts
    print(f"{m.name}: {m.title}")
    if m.synthetic:
        print("SYNTHETIC: this is made-up demonstration data, not California's forest.")
    print(f"where       {store.path} ({store.size_bytes / 1e6:,.1f} MB, made {m.created})")
    print(f"clusters    {c['clusters']:,}; records {c['records']:,}, of which {c['feasible_records']:,} feasible; "
          f"{c['missing_records']:,} missing")  # fmt: skip
    print("treatments  " + ", ".join(f"{t.name} (id {t.id})" for t in m.treatments))
    print(f"systems     {len(m.systems)}; mapping {m.mapping}; seed {m.seed if m.seed is not None else 'none'}")
    print("economics   " + ", ".join(f"{name} {value:g}" for name, value in m.economics.items()))
    s = m.scales
    p = "unknown" if s.p_lo is None or s.p_hi is None else f"{s.p_lo:.4f} to {s.p_hi:.4f} a year"
    print(f"scales      {_money(s.u_lo_usd_per_bdt)} to {_money(s.u_hi_usd_per_bdt)} USD per BDT; burn probability {p}")
    print(f"            {s.basis}")
    print(f"distance    {', '.join(m.distance_modes) or 'no circuity factors'}")
    for entry in m.provenance:
        about = ", ".join(part for part in (entry.source, entry.version, entry.vintage, entry.note) if part)
        print(f"{entry.layer:<11} {about}")
    for note in m.notes:
        print(f"note        {note}")
    print(f"hash        {store.hash}")
