"""`csrag ask`: one question, one answer, on the terminal or as the answer record."""

from __future__ import annotations

import argparse
import functools
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from csrag.interfaces.cli import ask_map

if TYPE_CHECKING:
    from csrag.ask.language.protocol import Assistant
    from csrag.ask.results import Answer


def add_parser(subparsers: Any) -> None:
    """Add the sub-command."""
    parser = subparsers.add_parser("ask", help="answer a question", description="Answer one question about a site.")
    parser.add_argument("question", help='the question, such as "25 MW facility near Quincy, CA. Fire risk matters."')
    parser.add_argument(
        "--after", action="append", default=[], metavar="QUESTION", help="an earlier question (repeatable)"
    )
    parser.add_argument(
        "--data", metavar="WHERE", help="layer set: a directory (default: CSRAG_DATA, else your data folder)"
    )
    parser.add_argument(
        "--plants", metavar="FILE", type=Path, help="count other plants' demand: CSV name,lat,lon,mw or bdt_per_year"
    )
    parser.add_argument(
        "--area",
        metavar="FILE",
        type=Path,
        help="look or count inside these polygons (GeoJSON; other formats: extra gis)",
    )
    parser.add_argument("--sites", metavar="FILE", type=Path, help="search among these points: CSV name,lat,lon")
    parser.add_argument(
        "--seed-compatible",
        action="store_true",
        help="take the published description's simplifications, to measure them (cost of one site only)",
    )
    add_llm_option(parser)
    parser.add_argument("--session", metavar="NAME", help="go on with the session of this name, and keep it on disk")
    ask_map.add_option(parser)
    parser.add_argument("--json", action="store_true", help="print the answer record as one JSON object")
    parser.set_defaults(handler=run)


def add_llm_option(parser: argparse.ArgumentParser) -> None:
    """Add `--llm`."""
    parser.add_argument(
        "--llm",
        metavar="PROVIDER:MODEL",
        help="a language model for gaps and wording (openai:..., anthropic:..., none)",
    )


def assistant_of(options: argparse.Namespace) -> Assistant | None:
    """The language model that the option or the settings name; none by default, and then nothing of it is imported.

    Raises
    ------
    RequestError
        If it cannot be used: unknown, without a key, or without the extra.
    """
    from csrag.settings import load_settings

    spec = options.llm or load_settings().llm
    if not spec or spec == "none":
        return None
    from csrag.ask.language.protocol import Assistant
    from csrag.ask.language.providers import open_model

    return Assistant(open_model(spec))


def run(options: argparse.Namespace) -> int:
    """Answer, print, return the exit code."""
    from csrag.ask.agent.questions import split_message

    with ask_map.map_of(options) as draw:
        answers = _answers(options, split_message(options.question))
        _print(options, answers)
        draw(answers)
    return max(answer.exit_code for answer in answers)


def _print(options: argparse.Namespace, answers: list[Answer]) -> None:
    if options.json:
        record = answers[0].to_json()
        if len(answers) > 1:
            record["also"] = [answer.to_json() for answer in answers[1:]]
        json.dump(record, sys.stdout, ensure_ascii=False, allow_nan=False)
        sys.stdout.write("\n")
        return
    from csrag.interfaces.cli.show import show_answers

    show_answers(answers)


def _answers(options: argparse.Namespace, questions: list[str]) -> list[Answer]:
    """Each question in turn, as one conversation."""
    if options.seed_compatible:
        return _seed_compatible(options, questions)
    if options.session is not None:
        return _in_session(options, questions)
    from csrag.ask.agent.session import answering
    from csrag.ask.pipeline import CatchmentCache
    from csrag.interfaces.open import open_layers

    assistant = assistant_of(options)
    layers, cache = functools.cache(lambda: open_layers(options.data)), CatchmentCache()
    return [
        answering(assistant)(
            layers,
            question,
            [*options.after, *questions[:n]],
            cache,
            options.plants,
            assistant=assistant,
            area_file=options.area,
            sites_file=options.sites,
        )
        for n, question in enumerate(questions)
    ]


def _seed_compatible(options: argparse.Namespace, questions: list[str]) -> list[Answer]:
    from csrag.ask.pipeline import ask
    from csrag.errors import RequestError
    from csrag.interfaces.open import open_layers

    if options.session is not None:
        raise RequestError("--seed-compatible answers single questions.", "Leave out --session.")
    layers = functools.cache(lambda: open_layers(options.data))
    return [
        ask(layers, question, [*options.after, *questions[:n]], None, options.plants, seed_compatible=True)
        for n, question in enumerate(questions)
    ]


def _in_session(options: argparse.Namespace, questions: list[str]) -> list[Answer]:
    from csrag.errors import RequestError
    from csrag.interfaces.sessions import open_session, turn

    if options.after:
        raise RequestError("--session and --after both name earlier questions.", "Use one of them.")
    session, saved = open_session(
        options.session, options.data, options.plants, assistant_of(options), options.area, options.sites
    )
    return [turn(session, saved, question) for question in questions]
