"""Settings of the user: a TOML file, overridden by the environment.

The file is ``csrag/settings.toml`` in the user's configuration folder (or the one `CSRAG_SETTINGS` names); each field may
be overridden by `CSRAG_` and its name in capitals, such as `CSRAG_DATA`.
"""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from csrag.errors import InvalidValueError

_PREFIX = "CSRAG_"


@dataclass(frozen=True)
class Settings:
    """What a user may set once instead of on every command.

    Parameters
    ----------
    data : str or None
        The layer set to use: a directory.
    workers : int or None
        Processes of a build; None for all cores.
    demo : str
        Demonstration region that is built where there is no layer set.
    llm : str or None
        Language model for the wording, PROVIDER:MODEL; None for none.
    """

    data: str | None = None
    workers: int | None = None
    demo: str = "northern-sierra"
    llm: str | None = None


def _folder(env: Mapping[str, str], xdg: str, unix: str, windows: str, mac: str) -> Path:
    home = Path(env.get("HOME") or str(Path.home()))
    if given := env.get(xdg):
        return Path(given) / "csrag"
    if sys.platform == "win32":  # pragma: no cover - Windows only
        return Path(env.get(windows) or home / "AppData" / "Local") / "csrag"
    if sys.platform == "darwin":  # pragma: no cover - macOS only
        return home / "Library" / mac / "csrag"
    return home / unix / "csrag"


def user_data_folder(env: Mapping[str, str] | None = None) -> Path:
    """Where layer sets are kept by default."""
    found = os.environ if env is None else env
    return _folder(found, "XDG_DATA_HOME", ".local/share", "LOCALAPPDATA", "Application Support")


def user_config_folder(env: Mapping[str, str] | None = None) -> Path:
    """Where the settings file lies."""
    return _folder(os.environ if env is None else env, "XDG_CONFIG_HOME", ".config", "APPDATA", "Application Support")


def load_settings(env: Mapping[str, str] | None = None) -> Settings:
    """Read the settings file, then the environment.

    Parameters
    ----------
    env : mapping, optional
        Environment; that of the process by default.

    Raises
    ------
    InvalidValueError
        If the file is not TOML, or names a setting that does not exist or is of the wrong type.
    """
    found = os.environ if env is None else env
    named = found.get(_PREFIX + "SETTINGS")
    file = Path(named) if named else user_config_folder(found) / "settings.toml"
    settings = Settings()
    if file.is_file():
        try:
            values = tomllib.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise InvalidValueError(
                f"The settings file {file} cannot be read: {error}.", "Mend or remove it."
            ) from None
        for name, value in values.items():
            settings = _set(settings, name, value, f"the settings file {file}")
    elif named:
        raise InvalidValueError(f"CSRAG_SETTINGS names {named}, which is no file.", "Mend or unset it.")
    for field in fields(Settings):
        value = found.get(_PREFIX + field.name.upper())
        if value:
            settings = _set(settings, field.name, value, f"the environment variable {_PREFIX}{field.name.upper()}")
    return settings


def _set(settings: Settings, name: str, value: Any, where: str) -> Settings:
    known = [field.name for field in fields(Settings)]
    if name not in known:
        raise InvalidValueError(f"{where} sets {name!r}, which does not exist.", f"It may set {', '.join(known)}.")
    if name == "workers":
        try:
            number = int(value)
        except (TypeError, ValueError):
            number = 0
        if number < 1 or isinstance(value, bool):
            raise InvalidValueError(f"{where} sets workers to {value!r}.", "Use a whole number of 1 or more.")
        return replace(settings, workers=number)
    if not isinstance(value, str):
        raise InvalidValueError(f"{where} sets {name} to {value!r}.", "Use text.")
    if name == "llm":
        return replace(settings, llm=value)
    return replace(settings, data=value) if name == "data" else replace(settings, demo=value)
