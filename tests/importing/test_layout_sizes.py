"""No layout has more than 40 lines of its own, but those listed, whose numbers may only fall.

A layout's own code is its row (`NAME = Layout(...)`) and what its module uses for it alone: classes,
functions and values that no other layout and no other module of importing uses; what several use is
engine. Counted are lines with code: neither blank nor comments nor docstrings.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

from core import importing
from core.importing import layouts

HERE = Path(layouts.__file__).parent
MOST = 40
LARGER = {
    "rankings": 119, "argilla": 113, "counts": 111, "potato": 107, "generations": 88,
    "summeval": 80, "rewardbench": 51, "label-studio": 56, "alpacaeval": 50,
}  # fmt: skip


def find_names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} | {
        each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)
    }


def count_lines(node: ast.stmt, text: list[str]) -> int:
    lines = set(range(node.lineno, (node.end_lineno or 0) + 1))
    for decorator in getattr(node, "decorator_list", ()):
        lines |= set(range(decorator.lineno, node.lineno))
    for each in ast.walk(node):
        if isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant):
            lines -= set(range(each.lineno, (each.end_lineno or 0) + 1))
    return sum(text[line - 1].strip()[:1] not in ("", "#") for line in lines)


def count_own_lines(path: Path) -> dict[str, int]:
    """Return how many lines each layout of a file has by itself."""
    text = path.read_text(encoding="utf-8")
    defined, roots = dict[str, list[ast.stmt]](), dict[str, str]()
    for node in ast.parse(text).body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        names = [node.name] if isinstance(node, ast.FunctionDef | ast.ClassDef) else [
            name for target in targets if target for name in find_names(target)
        ]  # fmt: skip
        for name in names:
            defined.setdefault(name, []).append(node)
            value = getattr(node, "value", None)
            if isinstance(value, ast.Call) and ast.unparse(value.func) == "Layout":
                roots[name] = ast.literal_eval(value.args[0])
    uses = {name: find_names(ast.Module(nodes, [])) for name, nodes in defined.items()}
    reached = {root: {root} for root in roots}
    for names in reached.values():
        while more := {one for name in names for one in uses[name] & set(defined)} - names:
            names |= more
    elsewhere = {
        name
        for other in Path(importing.__file__).parent.rglob("*.py")
        if other != path
        for names in re.findall(rf"from \S*\b{path.stem} import (\([^)]*\)|.*)", other.read_text())
        for name in re.findall(r"\w+", names)
    }
    shared = {name for name in defined if sum(name in names for names in reached.values()) > 1}
    taken = {
        one for name in elsewhere - set(roots) if name in defined for one in {name, *uses[name]}
    }
    return {
        roots[root]: sum(
            count_lines(node, text.splitlines())
            for node in {
                id(node): node for name in names - shared - taken for node in defined[name]
            }.values()
        )
        for root, names in reached.items()
    }


def test_no_layout_grows() -> None:
    sizes = {
        name: size for path in HERE.glob("*.py") for name, size in count_own_lines(path).items()
    }
    assert set(sizes) == set(layouts.LAYOUTS)
    assert {name: size for name, size in sizes.items() if size > MOST} == LARGER
