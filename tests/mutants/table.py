"""The table of what each tier notices: `python -m tests.mutants.table BEFORE FIRST ALL`."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.mutants.__main__ import UNNOTICED
from tests.paths import ROOT

HEAD = "| fault | at | before | first tier | `--all` |\n| --- | --- | --- | --- | --- |\n"


def write_table(before: Path, first: Path, whole: Path) -> str:
    """Write a Markdown table, a fault a row, below the shares of what was noticed before."""
    rounds = [json.loads(path.read_text()) for path in (before, first, whole)]
    rows, seen = [], {"first": 0, "all": 0, "before": 0}
    for old, quick, every in zip(*rounds, strict=False):
        known = is_noticed(old)
        seen["before"] += known
        seen["first"] += known and is_noticed(quick)
        seen["all"] += known and (is_noticed(quick) or is_noticed(every))
        cells = [old["kind"], f"`{old['path']}:{old['line']}`", *map(_name, (old, quick, every))]
        rows.append(f"| {' | '.join(cells)} |\n")
    share = ", ".join(
        f"{name} {seen[name]} ({seen[name] / max(seen['before'], 1):.0%})"
        for name in ("first", "all")
    )
    counted = (
        f"Of {len(rows)} faults the suite before noticed {seen['before']}; of these: {share}.\n"
    )
    return f"{counted}\n{HEAD}{''.join(rows)}"


def is_noticed(row: Mapping[str, Any]) -> bool:
    """Return whether a test failed by this fault."""
    return row["noticed"] not in UNNOTICED


def _name(row: Mapping[str, Any]) -> str:
    """Name the test that noticed, without its folder and case."""
    return row["noticed"].rpartition("/")[2].partition("[")[0].replace("::", ": ")


if __name__ == "__main__":
    print(write_table(*(ROOT / name for name in sys.argv[1:])))
