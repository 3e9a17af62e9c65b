"""`csrag chat`: a conversation on the terminal; a follow-up changes only what it names."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from csrag.errors import CsragError
from csrag.interfaces.cli.ask import add_llm_option, assistant_of
from csrag.settings import user_data_folder

if TYPE_CHECKING:
    from csrag.ask.agent.session import Session

_HELP = """Ask about a site; each line after that changes only what it names:
  25 MW near Quincy, fire risk matters      and for 30 MW?      same thing in Burney      go back to the first one
Scenarios:
  save this as NAME      load NAME      list scenarios      compare NAME with NAME      delete scenario NAME
Other:
  /history  questions so far      /new  begin anew      /help      /quit (or Ctrl-D)
Ctrl-C stops a question that is being answered and leaves the conversation as it was."""
_PROMPT = "csrag> "


def add_parser(subparsers: Any) -> None:
    """Add the sub-command."""
    parser = subparsers.add_parser("chat", help="a conversation about sites",
                                   description="Ask, follow up, save and compare scenarios.")  # fmt: skip
    parser.add_argument("--session", metavar="NAME", help="go on with the session of this name, and keep it on disk")
    parser.add_argument(
        "--data", metavar="WHERE", help="layer set: a directory (default: CSRAG_DATA, else your data folder)"
    )
    parser.add_argument(
        "--plants", metavar="FILE", type=Path, help="count other plants' demand: CSV name,lat,lon,mw or bdt_per_year"
    )
    add_llm_option(parser)
    parser.set_defaults(handler=run)


def run(options: argparse.Namespace) -> int:
    """Read lines until the end; every error is said and the conversation goes on."""
    from csrag.ask.agent.questions import split_message
    from csrag.interfaces.cli.show import show_answer
    from csrag.interfaces.sessions import open_session, turn

    assistant = assistant_of(options)
    session, saved = open_session(options.session, options.data, options.plants, assistant)
    if sys.stdin.isatty():
        print("Ask about a site, or /help. Leave with /quit.")
        if session.questions:
            print(f"Going on after: {session.questions[-1]}")
    for line in _lines():
        word = line.strip().lower()
        if not word:
            continue
        if word in {"/quit", "/exit", "quit", "exit", "bye"}:
            break
        if word in {"/help", "help", "?"}:
            print(_HELP)
        elif word == "/history":
            for n, question in enumerate(session.questions, 1):
                print(f"{n:3d}  {question}")
        elif word == "/new":
            session.restore([])
            if session.name:
                saved.replace(session.name, [])
            print("A new conversation.")
        else:
            kept = list(session.questions)
            try:
                for question in (questions := split_message(line.strip())):
                    if len(questions) > 1:
                        print(f"> {question}\n")
                    with _progress(session), _told(session, streams=assistant is not None) as told:
                        answer = turn(session, saved, question)
                    show_answer(answer, told=bool(told))
            except KeyboardInterrupt:
                session.restore(kept)
                print("\nStopped; the conversation is as it was before that question.", file=sys.stderr)
            except CsragError as error:
                print(f"csrag: {error}", file=sys.stderr)
        sys.stdout.flush()
    return 0


@contextlib.contextmanager
def _progress(session: Session) -> Iterator[None]:
    """Say on a terminal's error stream which step runs, and wipe it at the end, however that comes."""
    stream = sys.stderr
    if not stream.isatty():
        yield
        return
    from csrag.ask.agent.steps import STEPS

    def told(_stage: str, tool: str) -> None:
        words = STEPS[tool].meaning if tool in STEPS else tool.replace("_", " ")
        print(f"\r\033[K{words} ...", end="", file=stream, flush=True)

    session.on_step = told
    try:
        yield
    finally:
        session.on_step = None
        print("\r\033[K", end="", file=stream, flush=True)


@contextlib.contextmanager
def _told(session: Session, *, streams: bool) -> Iterator[list[str]]:
    """Print a model's sentences as each has passed its checks; the list holds what was printed."""
    told: list[str] = []

    def tell(sentence: str) -> None:
        if not told:
            if sys.stderr.isatty():
                print("\r\033[K", end="", file=sys.stderr, flush=True)
            store = session.opened
            if store is not None and store.manifest.synthetic:
                print(f"SYNTHETIC demonstration data · {store.manifest.title}\n")
        told.append(sentence)
        print(sentence, end="", flush=True)

    session.on_sentence = tell if streams else None
    try:
        yield told
    finally:
        session.on_sentence = None
        if told:
            print("\n", flush=True)


def _lines() -> Iterator[str]:
    """Lines of the terminal with editing and history, or of a pipe."""
    if not sys.stdin.isatty():
        yield from sys.stdin
        return
    with _history():
        while True:
            try:
                yield input(_PROMPT)
            except EOFError:
                print()
                return
            except KeyboardInterrupt:
                print("  (leave with /quit)")


@contextlib.contextmanager
def _history() -> Iterator[None]:
    """Arrow keys bring back earlier lines, of earlier conversations too, where the system has readline."""
    try:
        import readline
    except ImportError:  # pragma: no cover - Windows
        yield
        return
    file = user_data_folder() / "chat-history"
    with contextlib.suppress(OSError):
        readline.read_history_file(file)
    readline.set_history_length(500)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            readline.write_history_file(file)
            file.chmod(0o600)
