"""`csrag layers train`, and the `--cost exact|surrogate` of `layers build` and `layers import`."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from csrag.errors import InvalidValueError, RequestError
from csrag.interfaces.open import terminal_progress

if TYPE_CHECKING:
    from csrag.build.surrogate.layer import SurrogateCost
    from csrag.build.surrogate.predict import Surrogate

RECORDS = 40_000
SEED = 1


def add_cost(parser: argparse.ArgumentParser) -> None:
    """Add `--cost` and `--model` to an action that builds layers."""
    parser.add_argument("--cost", choices=["exact", "surrogate"], default="exact",
                        help="harvest costs from the simulator, or predicted by a surrogate (default: exact)")  # fmt: skip
    parser.add_argument("--model", metavar="DIR", help="the surrogate: a directory that `csrag layers train` wrote")


def chosen_cost(options: argparse.Namespace, mapping: str) -> SurrogateCost | None:
    """The surrogate that the options name, checked before any work; None for simulated costs.

    Raises
    ------
    RequestError
        If one option comes without the other, there is no such model, or the library is missing.
    DataError
        If the model is damaged.
    """
    if options.cost == "exact":
        if options.model:
            raise RequestError(
                "--model names a surrogate, but the costs are exact.", "Add --cost surrogate, or drop --model."
            )
        return None
    if not options.model:
        raise RequestError(
            "--cost surrogate needs a model.",
            "Name it with --model DIR; `csrag layers train --demo northern-sierra --model DIR` makes one.",
        )
    from csrag.build.surrogate.layer import SurrogateCost

    return SurrogateCost.at(Path(options.model), mapping)


def add_train(actions: Any) -> None:
    """Add the action `train`."""
    train = actions.add_parser(
        "train", help="train a surrogate of the harvest simulator",
        description="Boosted trees that imitate the harvest simulator, with errors and intervals measured on other country.",
    )  # fmt: skip
    what = train.add_mutually_exclusive_group(required=True)
    what.add_argument("--demo", metavar="REGION", help="FRCS over a demonstration region (SYNTHETIC)")
    what.add_argument("--sample", metavar="FILE", help="a table of any simulator's results, CSV or Parquet: one row a record "
                      "and system; see docs/explanation/surrogate.md")  # fmt: skip
    train.add_argument("--model", metavar="DIR", required=True, help="directory of the surrogate")
    train.add_argument("--name", metavar="NAME", help="name of the surrogate (default: the directory's)")
    train.add_argument("--records", type=int, metavar="N",
                       help=f"with --demo: records drawn, each under ten systems (default: {RECORDS:,})")  # fmt: skip
    train.add_argument("--demo-seed", type=int, metavar="N", help="with --demo: root seed of the region")
    train.add_argument("--mapping", choices=["split", "fixed", "backend"], default=None,
                       help="with --demo: how a cluster becomes simulator input (default: split)")  # fmt: skip
    train.add_argument("--simulator", metavar="TEXT", help="with --sample: what gave the costs")
    train.add_argument("--source", metavar="TEXT", default="", help="with --sample: who made the table")
    train.add_argument("--synthetic", action="store_true", help="with --sample: the stands are made up")
    train.add_argument("--trees", type=int, metavar="N", help="trees of a cost model (default: 400)")
    train.add_argument(
        "--seed", type=int, metavar="N", default=SEED, help=f"seed of everything random (default: {SEED})"
    )
    train.add_argument("--json", action="store_true", help="print the model card as one JSON object")
    train.set_defaults(handler=run_train)


def run_train(options: argparse.Namespace) -> int:
    """Train a surrogate, write it, and say how good it is."""
    from csrag.build.surrogate import booster
    from csrag.build.surrogate.files import check_target, save
    from csrag.build.surrogate.train import Settings, train

    _check(options)
    booster.load()
    place = Path(options.model).expanduser()
    check_target(place)
    begin = time.perf_counter()
    settings = (
        Settings(seed=options.seed) if options.trees is None else Settings(trees=options.trees, seed=options.seed)
    )
    with terminal_progress() as progress:
        sample = _sample(options, progress)
        drawn = options.seed if options.demo else None
        surrogate = save(train(sample, options.name or place.name, drawn, settings, progress), place)
    if options.json:
        json.dump({"where": str(place), "seconds": round(time.perf_counter() - begin, 2), **surrogate.card}, sys.stdout)
        sys.stdout.write("\n")
    else:
        _show(surrogate, place, time.perf_counter() - begin)
    return 0


def _check(options: argparse.Namespace) -> None:
    """Refuse options that do not go together, and numbers that cannot be meant."""
    for_demo = {"--records": options.records, "--demo-seed": options.demo_seed, "--mapping": options.mapping}
    for_table = {"--simulator": options.simulator, "--source": options.source, "--synthetic": options.synthetic}
    idle = [name for name, value in (for_table if options.demo else for_demo).items() if value]
    if idle:
        belongs = "--sample" if options.demo else "--demo"
        raise RequestError(f"{', '.join(idle)} belongs to {belongs}.", f"Leave it out, or use {belongs}.")
    if options.sample and not options.simulator:
        raise RequestError("Say which simulator gave the costs of the sample.", 'Add --simulator "NAME AND VERSION".')
    if options.sample and options.simulator == "FRCS":
        raise RequestError(
            "A table's costs cannot be vouched for as FRCS's own.",
            'Describe them, such as --simulator "FRCS 2.0.0 by NAME".',
        )
    if options.trees is not None and not 10 <= options.trees <= 5000:
        raise InvalidValueError(f"--trees {options.trees} makes no useful model.", "Use 10 to 5000.")
    for name in ("seed", "demo_seed"):
        value = getattr(options, name)
        if value is not None and not 0 <= value < 2**31:
            raise InvalidValueError(f"--{name.replace('_', '-')} {value} is no seed.", "Use 0 to 2147483647.")


def _sample(options: argparse.Namespace, progress: Any) -> Any:
    if options.sample:
        from csrag.build.surrogate.table import read_sample

        return read_sample(
            Path(options.sample).expanduser(), options.simulator, synthetic=options.synthetic, name=options.name,
            source=options.source,
        )  # fmt: skip
    from csrag.build.sources.demo import demo_source
    from csrag.build.surrogate.sample import draw

    source = demo_source(options.demo) if options.demo_seed is None else demo_source(options.demo, options.demo_seed)
    source.watched_by(progress)
    return draw(
        source, RECORDS if options.records is None else options.records, options.seed,
        mapping=options.mapping or "split", progress=progress,
    )  # fmt: skip


def _show(surrogate: Surrogate, place: Path, seconds: float) -> None:
    card = surrogate.card
    made = "SYNTHETIC stands" if card["data"]["synthetic"] else "stands"
    print(f"Surrogate {card['name']} of {card['data']['simulator']} over {made}: {card['data']['records']:,} records, "
          f"{len(surrogate.systems)} systems, at {place}")  # fmt: skip
    print("error on country it has not seen, percent of cost" if card["holdout"]["kind"] == "spatial"
          else "error on records dealt at random (the sample has no positions), percent of cost")  # fmt: skip
    for row in card["errors"]["by_family"]:
        said = "within the targets" if row["accepted"] else "MISSES the targets of 2 and 8"
        print(f"  {row['family']:<11} median {row['median_abs_error_pct']:.2f}, 95th percentile "
              f"{row['p95_abs_error_pct']:.2f} (n {row['n']:,}): {said}")  # fmt: skip
    print(f"card {place / 'card.md'}")
    print(f"hash {surrogate.hash[:16]}, {seconds:.1f} s")
