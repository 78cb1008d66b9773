"""`python -m tests.bench [NAME] [options]`: side-by-side timings; without a name, which there are."""

from __future__ import annotations

import ast
import sys
from importlib import import_module
from pathlib import Path

NO_BENCH = {"measure", "test_bench"}
BENCHES = sorted({path.stem for path in Path(__file__).parent.glob("[!_]*.py")} - NO_BENCH)


def title(name: str) -> str:
    """The first line of a bench's docstring, without importing what it compares."""
    text = (
        ast.get_docstring(
            ast.parse(Path(__file__).with_name(f"{name}.py").read_text(encoding="utf-8"))
        )
        or ""
    )
    return text.partition("\n")[0]


def main() -> None:
    if len(sys.argv) == 1:
        for name in BENCHES:
            print(f"{name:14}{title(name)}")
        return
    name = sys.argv.pop(1)
    if name not in BENCHES:
        sys.exit(f"unknown bench {name!r}; there are: {', '.join(BENCHES)}")
    sys.argv[0] = f"bench {name}"
    import_module(f"tests.bench.{name}").main()


if __name__ == "__main__":
    main()
