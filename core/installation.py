"""The installation: where the program is, as a clone or installed by pip, and what it lacks.

Optional packages are extras of `pyproject.toml`, such as `models`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from .records import TandemError

_ENGINE = Path(__file__).parent
_INSTALLED = _ENGINE / "program"
PROGRAM = _INSTALLED if _INSTALLED.is_dir() else _ENGINE.parent
"""The folder that holds `app.py`, `pages` and the sample study, and in which `core` is found."""
PACKAGES = [PROGRAM / "core", *([_ENGINE] if _INSTALLED.is_dir() else [])]
"""The folders of the engine, for machines that lack it; installed, it is `tandem`, too."""


class MissingPackageError(TandemError):
    """A package is needed that is not installed; an extra has it."""


def is_clone() -> bool:
    """Return whether the program runs from a clone, and was not installed by pip."""
    return (PROGRAM / "pyproject.toml").is_file()


def default_store() -> Path:
    """Return the path of the default store: in `data` of a clone, else the user's data folder."""
    if is_clone():
        return PROGRAM / "data" / "tandem.sqlite3"
    data = os.environ.get("XDG_DATA_HOME", "")
    # The standard says that a relative path there is ignored.
    base = Path(data) if os.path.isabs(data) else Path("~/.local/share").expanduser()
    return base / "tandem" / "tandem.sqlite3"


def is_installed(package: str) -> bool:
    """Return whether there is a package, by the name it is imported by, without importing it."""
    return find_spec(package) is not None


def command_to_run(command: str) -> str:
    """Return the shell command for a command of Tandem, such as `app`, in a clone or installed."""
    if not is_clone():
        return f"tandem {command}"
    # `./run` installs first what these two need.
    is_script = command.split()[0] in ("app", "model")
    return f"{'./run' if is_script else 'python -m core'} {command}"


def command_to_install(extra: str) -> str:
    """Return the command that installs the packages of an extra."""
    if not is_clone():
        return f"pip install 'tandem[{extra}]'"
    of_its_own = f"requirements-{extra}.txt"
    if (PROGRAM / of_its_own).is_file():
        return f".venv/bin/python -m pip install -r {of_its_own}"
    return "./run setup"


def require_packages(extra: str, task: str, *packages: str) -> None:
    """Check that these packages of an extra are installed.

    `task` begins the error sentence, such as "judging with local models". Raises
    MissingPackageError, which names the command that installs what is missing.
    """
    missing = [package for package in packages if not is_installed(package)]
    if missing:
        raise MissingPackageError(
            f"{task} needs {' and '.join(missing)}: {command_to_install(extra)}"
        )


def read_versions(distributions: Iterable[str]) -> dict[str, str]:
    """Return the versions of those packages that are installed, by their names in pip."""
    versions = {}
    for name in distributions:
        with suppress(PackageNotFoundError):
            versions[name] = version(name)
    return versions
