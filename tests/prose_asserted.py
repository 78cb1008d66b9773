"""Count the assertions that hold wording: `python -m tests.prose_asserted` prints them by file.

An assertion holds wording if a literal of three words or more is compared with, or searched for in,
what the program says: `assert`, `match=` of `pytest.raises` and `get_by_text` and its like.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.paths import ROOT

SENTENCE = re.compile(r"[^\W\d_]{2,}[,;:]? [^\W\d_]+[,;:]? [^\W\d_]{2,}")
SEARCHES = frozenset({"get_by_text", "to_have_text", "to_contain_text"})


def list_prose_assertions(source: str) -> list[int]:
    """Lines of the assertions of a file that hold wording, each once."""
    lines = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Assert):
            held = any(
                _has_sentence(part)
                for compare in ast.walk(node.test)
                if isinstance(compare, ast.Compare)
                for part in (compare.left, *compare.comparators)
            )
        elif isinstance(node, ast.Call):
            held = any(map(_has_sentence, _searched(node)))
        else:
            continue
        if held:
            lines.add(node.lineno)
    return sorted(lines)


def count_prose_assertions(root: Path = ROOT / "tests") -> dict[str, int]:
    """File below `root` -> number of its assertions that hold wording, largest first."""
    counts = {
        str(path.relative_to(root)): len(list_prose_assertions(path.read_text(encoding="utf-8")))
        for path in root.rglob("test_*.py")
    }
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def _searched(call: ast.Call) -> Iterator[ast.expr]:
    """What a call looks for in the words of the program."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    if name in {"raises", "warns"}:
        yield from (keyword.value for keyword in call.keywords if keyword.arg == "match")
    elif name in SEARCHES:
        yield from call.args


def _has_sentence(node: ast.expr) -> bool:
    """Whether a literal, or the fixed part of an f-string, has three words in a row."""
    return any(
        isinstance(part, ast.Constant)
        and isinstance(part.value, str)
        and SENTENCE.search(part.value) is not None
        for part in ast.walk(node)
    )


if __name__ == "__main__":
    found = count_prose_assertions()
    for name, count in found.items():
        if count:
            print(f"{count:5} {name}")
    print(f"{sum(found.values()):5} in all")
