"""The table of coverage in docs/evidence.md, by simulation. `python -m tests.document_coverage
--write` simulates every study anew and puts the table between the page's markers; with words, only
figures with one of them in their name are simulated, and printed.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor

from tests.coverage import SIMULATIONS, Case, Coverage, Simulation, simulate
from tests.paths import ROOT

PAGE = ROOT / "docs" / "evidence.md"
MARKED = re.compile(r"(<!-- coverage -->\n).*?(<!-- end -->)", re.DOTALL)

Rows = dict[tuple[str, str], Coverage]


def covered(simulations: Iterable[Simulation] = SIMULATIONS) -> Rows:
    """What every case of these covers, on all cores."""
    keys = [(s.figure, case.situation) for s in simulations for case in s.cases]
    with ProcessPoolExecutor() as pool:
        return dict(zip(keys, pool.map(_simulated, keys), strict=True))


def documented(page: str, rows: Rows) -> str:
    """The page with this table."""
    return MARKED.sub(lambda match: f"{match[1]}{table(rows)}{match[2]}", page)


def table(rows: Rows) -> str:
    return "\n".join(_lines(rows)) + "\n"


def _lines(rows: Rows) -> Iterator[str]:
    for simulation in SIMULATIONS:
        found = {case: rows.get((simulation.figure, case.situation)) for case in simulation.cases}
        if not any(found.values()):
            continue
        yield f"\n### {simulation.figure}\n"
        yield f"{simulation.printed}. {simulation.studies:,} studies a row.\n"
        yield "| situation | holds the truth | no interval | |"
        yield "| --- | --- | --- | --- |"
        for case, coverage in found.items():
            if coverage:
                yield _row(case, coverage)


def _row(case: Case, coverage: Coverage) -> str:
    without = f"{coverage.without:.0%}" if coverage.without else ""
    mark = "" if coverage.passes(case) else case.why or "**outside**"
    return f"| {case.situation} | {coverage.share:.1%} | {without} | {mark} |"


def _simulated(key: tuple[str, str]) -> Coverage:
    figure, situation = key
    (found,) = (
        (simulation, case)
        for simulation in SIMULATIONS
        for case in simulation.cases
        if simulation.figure == figure and case.situation == situation
    )
    return simulate(*found)


def main(words: list[str]) -> int:
    chosen = [
        simulation
        for simulation in SIMULATIONS
        if not words or any(word in simulation.figure for word in words)
    ]
    rows = covered(chosen)
    print(table(rows))
    return 0


def write() -> int:
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(documented(page, covered()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    arguments = sys.argv[1:]
    sys.exit(write() if arguments == ["--write"] else main(arguments))
