"""Conversations: memory, disk, commands, what is reused, and that two of them share nothing."""

from __future__ import annotations

import json
import sqlite3
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from csrag.ask.agent.commands import Command, read_command
from csrag.ask.agent.saved import SavedSessions, checked_name
from csrag.ask.agent.session import MAX_TURNS, Session
from csrag.ask.pipeline import ask
from csrag.errors import DataError, RequestError
from csrag.interfaces.open import open_layers
from csrag.interfaces.sessions import open_session, turn
from csrag.surfaces.store import LayerStore

CHAINS = [
    ["25 MW near Quincy, fire risk matters", "and for 30 MW?", "same thing in Burney", "go back to the first one"],
    ["10 MW at Chester with diesel at 6.50", "project 20 years", "now without the diesel change"],
    [
        "15 MW near Quincy within 30 km",
        "what is burn probability?",
        "and for 12 MW?",
        "40 % moisture",
        "drop the radius",
    ],
    ["20 MW near Susanville, 30 % weight on fire", "60 % instead", "now without the fire part", "undo"],
    ["12 MW near Burney on national forest land", "solar panels?", "use TFB40", "and chp?"],
]


@pytest.fixture(scope="module")
def layers(demo_layers: Path) -> LayerStore:
    return open_layers(str(demo_layers))


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, demo_layers: Path) -> Path:
    place = tmp_path / "kept" / "sessions.sqlite"
    monkeypatch.setenv("CSRAG_SESSIONS", str(place))
    monkeypatch.setenv("CSRAG_DATA", str(demo_layers))
    return place


def numbers(answer: object) -> str:
    record = answer.to_json()  # type: ignore[attr-defined]
    return json.dumps([record[k] for k in ("status", "query", "values", "tables", "text", "warnings")], sort_keys=True)


@pytest.mark.parametrize("chain", CHAINS, ids=lambda c: c[0][:30])
def test_a_session_answers_as_a_fresh_run_given_the_same_chain(layers: LayerStore, chain: list[str]) -> None:
    session = Session(layers)
    for n, question in enumerate(chain):
        assert numbers(session.ask(question)) == numbers(ask(layers, question, chain[:n]))


def test_the_catchment_is_kept_exactly_while_its_key_stays(layers: LayerStore) -> None:
    session = Session(layers)

    def retrievals(question: str) -> set[str]:
        return {s.cache for s in session.ask(question).trace if s.tool == "retrieve_clusters"}

    assert retrievals("15 MW near Quincy within 40 km") == {"miss"}
    assert retrievals("and for 12 MW?") == {"hit"}
    assert retrievals("diesel at 7 dollars") == {"hit"}
    assert retrievals("fire is important") == {"hit"}
    assert retrievals("within 41 km") == {"miss"}
    assert retrievals("use TFB40") == {"miss"}
    assert retrievals("no slopes above 30 %") == {"miss"}
    assert retrievals("go back to the first one") == {"hit"}


def test_back_to_the_first_is_the_first_to_the_cent(layers: LayerStore) -> None:
    # The complaint: Quincy, Burney, Quincy again gave a third answer.
    session = Session(layers)
    first = session.ask("10 MW near Quincy within 30 km")
    session.ask("same thing in Burney")
    again = session.ask("10 MW near Quincy within 30 km")
    assert {k: f.value for k, f in again.facts.items()} == {k: f.value for k, f in first.facts.items()}
    third = session.ask("go back to the first one")
    assert {k: f.value for k, f in third.facts.items()} == {k: f.value for k, f in first.facts.items()}


def test_two_sessions_share_nothing(layers: LayerStore) -> None:
    one, other = Session(layers, name="one"), Session(layers, name="other")
    one.ask("10 MW near Quincy")
    alone = other.ask("and for 12 MW?")
    assert not alone.query.locations
    assert one.ask("and for 12 MW?").query.locations[0].name == "Quincy"
    assert one.last is not other.last


def test_a_refused_or_foreign_turn_leaves_the_conversation_usable(layers: LayerStore) -> None:
    session = Session(layers)
    good = session.ask("10 MW near Quincy")
    for bad in ("25 GW", "", "   ", "solar panels in Reno", "x" * 20_000):
        assert session.ask(bad).status == "refused" or bad == "x" * 20_000
    after = session.ask("make it 10 MW")
    assert after.facts["average_delivered_cost"].value == good.facts["average_delivered_cost"].value


def test_a_conversation_ends_some_time(layers: LayerStore) -> None:
    session = Session(layers, earlier=["10 MW near Quincy"] * MAX_TURNS)
    with pytest.raises(RequestError, match="turns"):
        session.ask("and for 12 MW?")


def test_named_sessions_go_on_in_another_process(file: Path) -> None:
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-m", "csrag", "ask", "--session", "board meeting", "--json", *words],
                              capture_output=True, text=True, check=False)  # fmt: skip

    first = json.loads(run("10 MW near Quincy").stdout)
    second = json.loads(run("same thing in Burney, and for 12 MW").stdout)
    assert first["session"] == second["session"] == "board meeting"
    assert second["query"]["locations"][0]["name"] == "Burney"
    assert second["query"]["capacity_mw"] == 12
    both = run("x", "--after", "y")
    assert both.returncode == 2
    assert "--after" in both.stderr
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.usefixtures("file")
def test_scenarios_are_saved_listed_compared_loaded_and_deleted() -> None:
    session, saved = open_session("work", None, None)
    assert turn(session, saved, "save this as nothing").reason == "nothing_to_save"
    turn(session, saved, "10 MW near Quincy within 40 km")
    assert turn(session, saved, "save this as base case").text == "Saved as base case."
    assert "replaced" in turn(session, saved, "Save as base case").text
    turn(session, saved, "diesel at 6.50")
    turn(session, saved, 'save it as "dear diesel 2"')
    listed = turn(session, saved, "list scenarios")
    assert {row[0] for row in listed.tables["scenarios"].rows} == {"base case", "dear diesel 2"}
    table = turn(session, saved, "compare base case with dear diesel 2").tables["comparison"]
    rows = {row[0]: row for row in table.rows}
    assert rows["diesel_usd_per_gal"][3] == 6.5
    cost = rows["average delivered cost"]
    assert cost[4] == pytest.approx(cost[3] - cost[2])
    assert cost[4] > 0
    fresh, saved_again = open_session(None, None, None)
    loaded = turn(fresh, saved_again, "load BASE CASE")
    assert loaded.facts["average_delivered_cost"].value == cost[2]
    assert turn(fresh, saved_again, "and for 11 MW?").query.radius_km == 40
    assert "Deleted" in turn(session, saved, "delete scenario base case").text
    gone = turn(session, saved, "load base case")
    assert gone.status == "refused"
    assert gone.exit_code == 2
    assert "dear diesel 2" in gone.text


@pytest.mark.usefixtures("file")
def test_every_figure_of_a_command_is_a_claim() -> None:
    session, saved = open_session(None, None, None)
    turn(session, saved, "10 MW near Quincy")
    answer = turn(session, saved, "save this as run 42 at 10 MW")
    assert [c.text for c in answer.claims] == ["42", "10"]


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("save this as base", Command("save", "base")),
        ("Save the scenario as 'Fire 20'.", Command("save", "Fire 20")),
        ("/load base", Command("load", "base")),
        ("please open the scenario called x.y", Command("load", "x.y")),
        ("show me my saved scenarios", Command("list")),
        ("compare scenario a with b c", Command("diff", "a", "b c")),
        ("diff a and b", Command("diff", "a", "b")),
        ("25 MW near Quincy", None),
        ("and for 30 MW?", None),
        ("what would it save?", None),
    ],
)
def test_commands_are_read(line: str, command: Command | None) -> None:
    assert read_command(line) == command


@pytest.mark.parametrize("name", ["", " ", "../x", "a\nb" * 40, "x" * 61, "-x", "a;b", "a'b", "{{x}}", "\u202eabc"])
def test_names_that_cannot_be_used_are_refused(name: str) -> None:
    with pytest.raises(RequestError, match="cannot be a name"):
        checked_name(name)


def test_a_file_that_is_none_is_said_and_left_alone(tmp_path: Path) -> None:
    junk = tmp_path / "s.sqlite"
    junk.write_bytes(b"not a database" * 100)
    with pytest.raises(DataError, match="cannot be used"):
        SavedSessions(junk).questions("x")
    assert junk.read_bytes() == b"not a database" * 100
    foreign = tmp_path / "f.sqlite"
    with sqlite3.connect(foreign) as db:
        db.execute("pragma user_version = 99")
    db.close()
    with pytest.raises(DataError, match="another version"):
        SavedSessions(foreign).questions("x")
    folder = tmp_path / "blocked"
    folder.write_text("a file where a folder is wanted")
    with pytest.raises(DataError, match="cannot be used"):
        SavedSessions(folder / "s.sqlite").add("x", "q")


def test_two_writers_lose_no_turn(tmp_path: Path) -> None:
    saved = SavedSessions(tmp_path / "s.sqlite")
    saved.questions("shared")

    def write(tag: str) -> None:
        for n in range(20):
            saved.add("shared", f"{tag}{n}")

    threads = [threading.Thread(target=write, args=(tag,)) for tag in "ab"]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    got = saved.questions("shared")
    assert len(got) == 40
    assert [q for q in got if q[0] == "a"] == [f"a{n}" for n in range(20)]
    assert saved.sessions()[0][:2] == ("shared", 40)


def test_chat_over_a_pipe(file: Path) -> None:
    lines = "10 MW near Quincy\nand for 12 MW?\n/history\nload nowhere\n/new\n/history\n/help\n/quit\nnever reached\n"
    done = subprocess.run([sys.executable, "-m", "csrag", "chat", "--session", "talk"], input=lines, capture_output=True,
                          text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("biomass power plant at Quincy") == 2
    assert "  2  and for 12 MW?" in done.stdout
    assert "There is no scenario called 'nowhere'" in " ".join(done.stdout.split())
    assert "A new conversation." in done.stdout
    assert "never reached" not in done.stdout
    assert SavedSessions(file).questions("talk") == []


@pytest.mark.parametrize(
    ("line", "intent"),
    [
        ("compare it with Chester", "compare"),
        ("Compare Quincy with Chester", "compare"),
        ("compare Quincy and Burney.", "compare"),
        ("compare SDI30 to TFB40", "compare"),
        ("remove the slope limit", "site"),
        ("restore the first one", "site"),
        ("keep it as it is", "site"),
        ("compare base with other", "command"),
        ("compare the scenarios Quincy and Chester", "command"),
        ("load base", "command"),
        ("load nothing of that name", "command"),
    ],
)
def test_a_line_is_a_command_only_where_scenarios_are_meant(file: Path, line: str, intent: str) -> None:
    session, saved = open_session(None, None, None)
    assert file is not None
    turn(session, saved, "10 MW at Quincy, slope under 35 %")
    turn(session, saved, "save this as base")
    answer = turn(session, saved, line)
    if line == "load base":
        assert answer.query.intent == "site"
        return
    assert answer.query.intent == intent, answer.text
    names = [s.name for s in saved.scenarios()]
    assert names == ["base"]
