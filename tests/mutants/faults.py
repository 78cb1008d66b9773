"""Faults that can be planted in the program, one at a time, and a draw of them by a seed."""

from __future__ import annotations

import ast
import random
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOMS = ("core", "pages")
TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
ORDERLESS = {"min", "max", "isinstance"}
VALID_VOTE = re.compile(rb"(?:\w+\.)?withdrawn_at IS NULL", re.IGNORECASE)
"""The condition of a query that leaves out votes that were taken back."""


@dataclass(frozen=True)
class Fault:
    """A place of a file, from `start` to `end` in bytes, and the `code` that stands there then."""

    path: str
    line: int
    kind: str
    start: int
    end: int
    was: str
    code: str

    @property
    def room(self) -> str:
        """The package in which it is: core/findings/bias, pages/components/annotate, core."""
        return str(Path(self.path).parent)

    def plant(self, source: bytes) -> bytes:
        """Return the file with the fault."""
        return source[: self.start] + self.code.encode() + source[self.end :]


def draw_faults(root: Path, seed: int, many: int) -> list[Fault]:
    """Draw so many faults, of kinds and rooms in turn, at most one a file."""
    rng = random.Random(seed)
    by_kind: dict[str, dict[str, list[Fault]]] = defaultdict(lambda: defaultdict(list))
    for path in sorted(path for room in ROOMS for path in (root / room).rglob("*.py")):
        for fault in list_faults(path.relative_to(root), path.read_bytes()):
            by_kind[fault.kind][fault.room].append(fault)
    drawn: list[Fault] = []
    seen: set[str] = set()
    while len(drawn) < many:
        for kind in sorted(by_kind):
            room = rng.choice(sorted(by_kind[kind]))
            fault = rng.choice(by_kind[kind][room])
            if fault.path not in seen and len(drawn) < many:
                seen.add(fault.path)
                drawn.append(fault)
    return drawn


def list_faults(path: Path, source: bytes) -> list[Fault]:
    """List the faults that can be planted in a file."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = set()
    for node, kind, code in _list_changes(ast.parse(source)):
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        was = source[start:end].decode()
        found.add(Fault(str(path), node.lineno, kind, start, end, was, code))
    for condition in VALID_VOTE.finditer(source):
        number = source.count(b"\n", 0, condition.start()) + 1
        was = condition.group().decode()
        found.add(Fault(str(path), number, "withdrawn votes read", *condition.span(), was, "1"))
    return sorted(found, key=lambda fault: (fault.start, fault.kind, fault.code))


def _list_changes(tree: ast.Module) -> Iterator[tuple[ast.expr, str, str]]:
    """Expressions in functions, and what each is turned into."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            for node in (each for statement in function.body for each in _walk(statement)):
                yield from _change(node)


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """Walk through code, but for what stands in f-strings: before Python 3.12 it has no place."""
    yield node
    if not isinstance(node, ast.JoinedStr):
        for child in ast.iter_child_nodes(node):
            yield from _walk(child)


def _change(node: ast.AST) -> Iterator[tuple[ast.expr, str, str]]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        turned = ast.Compare(node.left, [TURNED[type(node.ops[0])]()], node.comparators)
        yield node, "comparison turned", f"({ast.unparse(turned)})"
    elif isinstance(node, (ast.If, ast.IfExp)):
        yield node.test, "branch left out", "False"
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield node, "constant moved", f"({node.value!r} + 1)"
    elif isinstance(node, ast.Call) and len(node.args) > 1:
        first, second, *rest = node.args
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        starred = any(isinstance(each, ast.Starred) for each in node.args)
        if not starred and name not in ORDERLESS and ast.dump(first) != ast.dump(second):
            swapped = ast.Call(node.func, [second, first, *rest], node.keywords)
            yield node, "arguments swapped", ast.unparse(swapped)
