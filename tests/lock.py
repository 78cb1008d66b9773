"""The lock files: all that `pyproject.toml` names, with what that brings along, in the versions that
are installed here. `python -m tests.lock --write` writes them; without `--write` it says whether they
are up to date.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.paths import ROOT

FIRST_LINE = (
    "# Written by `python -m tests.lock --write` from pyproject.toml: every package pinned."
)
FILES = {  # file -> the extras it holds, and those of another file that it is installed beside
    "requirements.txt": (("", "all"), ()),
    "requirements-ray.txt": (("ray",), ("", "all")),
}


@cache
def read_dependencies() -> dict[str, list[Requirement]]:
    """Extra -> what it takes; "" = what every installation takes."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = {"": project["dependencies"], **project["optional-dependencies"]}
    return {extra: [Requirement(line) for line in lines] for extra, lines in named.items()}


def list_named(extras: Iterable[str]) -> dict[str, Requirement]:
    """The packages that these extras name, by canonical name, in the order of pyproject.toml."""
    named: dict[str, Requirement] = {}
    for extra in extras:
        for requirement in read_dependencies()[extra]:
            if requirement.name == "tandem":
                named |= list_named(sorted(requirement.extras, key=list(read_dependencies()).index))
            else:
                named[canonicalize_name(requirement.name)] = requirement
    return named


def list_brought(requirements: Iterable[Requirement]) -> set[str]:
    """Canonical names of these packages and of all that they bring along, as installed here."""
    done: set[tuple[str, str]] = set()
    waiting = [(one.name, extra) for one in requirements for extra in ("", *one.extras)]
    while waiting:
        name, extra = waiting.pop()
        if (name, extra) in done or name == "pip":  # what installs the others is there before
            continue
        done.add((name, extra))
        for line in distribution(name).requires or []:
            needed = Requirement(line)
            if needed.marker is None or needed.marker.evaluate({"extra": extra}):
                waiting += [(needed.name, each) for each in ("", *needed.extras)]
    return {canonicalize_name(name) for name, _ in done}


def pin(name: str) -> str:
    """A line of a lock file; the build of a version, such as +cpu, is left to each machine."""
    installed = distribution(name)
    return f"{installed.metadata['Name']}=={installed.version.partition('+')[0]}"


def render(file: str) -> str:
    """The text of a lock file. Raises PackageNotFoundError where a package is not installed."""
    extras, beside = FILES[file]
    named = list_named(extras)
    there = list_brought(list_named(beside).values())
    brought = list_brought(named.values()) - set(named) - there
    lines = [
        FIRST_LINE,
        *map(pin, named),
        "",
        "# What those bring along.",
        *map(pin, sorted(brought)),
    ]
    return "\n".join(lines) + "\n"


def main() -> int:
    stale = [file for file in FILES if (ROOT / file).read_text(encoding="utf-8") != render(file)]
    if "--write" in sys.argv[1:]:
        for file in stale:
            Path(ROOT / file).write_text(render(file), encoding="utf-8")
        return 0
    print("\n".join(f"{file} is out of date" for file in stale) or "up to date")
    return int(bool(stale))


if __name__ == "__main__":
    sys.exit(main())
