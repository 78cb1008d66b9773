"""The house as it stands: rooms, floors and imports, read off every file by ast. `python -m
tests.layers` prints them.

A room is a package of `core/`, `pages/`, or a module beside them; `core/findings/` has parts, which
are rooms within it. A floor is one above the highest room it imports from.
"""

from __future__ import annotations

import ast
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from tests.paths import ROOT

Arrows = Mapping[str, set[str]]


def modules(root: Path = ROOT) -> dict[str, Path]:
    """Dotted name -> file, of the program; a package goes by its own name."""
    files = [
        root / "app.py",
        *sorted(root.glob("pages/**/*.py")),
        *sorted(root.glob("core/**/*.py")),
    ]
    return {
        ".".join(file.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): file
        for file in files
    }


def read_tree(source: str, folder: str = "") -> ast.Module:
    """Parse a file of a folder, such as core/store; relative imports are written out in full."""
    tree, package = ast.parse(source), folder.split("/")
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            above = package[: len(package) + 1 - node.level]
            node.module, node.level = ".".join(filter(None, [*above, node.module])), 0
    return tree


def imported(file: Path, known: Mapping[str, Path], root: Path = ROOT) -> Iterator[str]:
    """The modules of the program that a file imports; a face where a name is taken from one."""
    folder = file.parent.relative_to(root).as_posix()
    for node in ast.walk(read_tree(file.read_text(encoding="utf-8"), folder)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found = inner if inner in known else node.module
                if found in known:
                    yield found


def room(module: str) -> str:
    """The room a module is in."""
    parts = module.split(".")
    return ".".join(parts[:2]) if parts[0] == "core" else parts[0]


def part(module: str) -> str:
    """The part of the findings a module is in; '' elsewhere."""
    parts = module.split(".")
    return parts[2] if parts[:2] == ["core", "findings"] and len(parts) > 2 else ""


@cache
def between_modules() -> Arrows:
    """module -> modules it imports; the notebooks' face looks names up only when asked."""
    known = modules()
    arrows = {name: set(imported(file, known)) - {name} for name, file in known.items()}
    return {**arrows, "core": set()}


@cache
def list_importers(root: Path = ROOT) -> Arrows:
    """File of the program or of its tests -> the files that import it, by their paths."""
    tests = {
        ".".join(file.relative_to(root).with_suffix("").parts): file
        for file in root.glob("tests/**/*.py")
    }
    known = {name: file for name, file in (modules(root) | tests).items() if file.is_file()}
    importers: defaultdict[str, set[str]] = defaultdict(set)
    for file in known.values():
        for name in imported(file, known, root):
            importers[str(known[name].relative_to(root))].add(str(file.relative_to(root)))
    return importers


def count_steps(root: Path, path: str) -> dict[str, int]:
    """Count the imports that lead from each file to a file: 1 where it imports that itself."""
    importers = list_importers(root)
    steps, waiting = {path: 0}, deque([path])
    while waiting:
        at = waiting.popleft()
        for file in importers.get(at, set()) - set(steps):
            steps[file] = steps[at] + 1
            waiting.append(file)
    return steps


def between_rooms() -> dict[str, set[str]]:
    """room -> the rooms it imports from."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for module, targets in between_modules().items():
        found[room(module)] |= {room(target) for target in targets} - {room(module), "core"}
    return dict(found)


def between_parts() -> dict[str, set[str]]:
    """part of the findings -> the parts it imports from."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for module, targets in between_modules().items():
        if part(module):
            found[part(module)] |= {part(target) for target in targets if part(target)} - {
                part(module)
            }
    return dict(found)


def circle(arrows: Arrows) -> list[str]:
    """Names that lead back to the first of them, if there are any."""
    done: set[str] = set()

    def walk(name: str, way: list[str]) -> list[str]:
        if name in way:
            return [*way[way.index(name) :], name]
        if name in done:
            return []
        for target in sorted(arrows.get(name, ())):
            if found := walk(target, [*way, name]):
                return found
        done.add(name)
        return []

    return next((found for name in sorted(arrows) if (found := walk(name, []))), [])


def floors(arrows: Arrows) -> dict[str, int]:
    """room -> its floor, from 1. Raises ValueError naming a circle."""
    if found := circle(arrows):
        raise ValueError(f"a circle: {' -> '.join(found)}")
    known: dict[str, int] = {}

    def floor(name: str) -> int:
        if name not in known:
            known[name] = 1 + max((floor(target) for target in arrows.get(name, ())), default=0)
        return known[name]

    return {name: floor(name) for name in sorted(arrows)}


def show(arrows: Arrows) -> None:
    of = floors(arrows)
    for number in range(max(of.values()), 0, -1):
        print(f"floor {number}")
        for name in sorted(name for name, floor in of.items() if floor == number):
            print(f"  {name}  <-  {', '.join(sorted(arrows[name])) or 'nothing'}")
    count = sum(map(len, arrows.values()))
    print(f"{len(arrows)} rooms, {max(of.values())} floors, {count} arrows, no circle")


def main() -> None:
    show(between_rooms())
    print("\nwithin core.findings")
    show(between_parts())
    print(f"\ncircle between files: {' -> '.join(circle(between_modules())) or 'none'}")


if __name__ == "__main__":
    main()
