"""The table of coverage in tests/coverage/results.md, by simulation. `python -m tests.document_coverage`
simulates every study and prints the table, `--write` puts it between the page's markers; with
words, only figures with one of them in their name are simulated, and the others stay as they are.
`--seed N` simulates other studies of the same kind.
"""

from __future__ import annotations

import math
import re
import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from tests.coverage import SIMULATIONS, Case, Coverage, Simulation, simulate
from tests.paths import ROOT

PAGE = ROOT / "tests" / "coverage" / "results.md"
MARKED = re.compile(r"(<!-- coverage -->\n)(.*?)(<!-- end -->)", re.DOTALL)
ERRORS = 2  # binomial errors that a row may lie outside

Rows = dict[tuple[str, str], Coverage]


def covered(simulations: Iterable[Simulation] = SIMULATIONS, seed: int = 0) -> Rows:
    """What every case of these covers, on all cores."""
    keys = [(each.figure, case.situation) for each in simulations for case in each.cases]
    with ProcessPoolExecutor() as pool:
        return dict(zip(keys, pool.map(partial(_simulated, seed=seed), keys), strict=True))


def documented(page: str, rows: Rows) -> str:
    """The page with this table."""
    return MARKED.sub(lambda match: f"{match[1]}{table(rows, sections(match[2]))}{match[3]}", page)


def sections(page: str) -> dict[str, str]:
    """The text below each figure's heading."""
    parts = re.split(r"^### (.+)\n", page, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def table(rows: Rows, before: Mapping[str, str]) -> str:
    """A section for each figure: of these rows, or as it was before."""
    parts = []
    for simulation in SIMULATIONS:
        found = {case: rows.get((simulation.figure, case.situation)) for case in simulation.cases}
        lines = "".join(f"{line}\n" for line in _lines(simulation, found))
        section = lines if any(found.values()) else before.get(simulation.figure, "").strip("\n")
        if section:
            parts.append(f"\n### {simulation.figure}\n\n{section.strip()}\n")
    return "".join(parts)


def _lines(simulation: Simulation, found: Mapping[Case, Coverage | None]) -> Iterator[str]:
    errors = [coverage.error for coverage in found.values() if coverage]
    error = f"the binomial error is at most {max([simulation.error, *errors]):.1%}"
    yield f"{simulation.printed}. {simulation.studies:,} studies a row: {error}.\n"
    beside = [simulation.beside.heading] if simulation.beside else []
    yield f"| {' | '.join(['situation', 'holds the truth', 'no interval', *beside])} | |"
    yield "|" + " --- |" * (4 + len(beside))
    for case, coverage in found.items():
        if coverage:
            yield row(simulation, case, coverage)


def row(simulation: Simulation, case: Case, coverage: Coverage) -> str:
    without = f"{coverage.without:.0%}" if coverage.without else ""
    cells = [case.situation, f"{coverage.share:.1%}", without, _mark(simulation, case, coverage)]
    if simulation.beside:
        there = not math.isnan(coverage.beside)
        cells.insert(3, simulation.beside.form.format(coverage.beside) if there else "")
    return f"| {' | '.join(cells)} |"


def _mark(simulation: Simulation, case: Case, coverage: Coverage) -> str:
    """Why a coverage is outside, where it is."""
    if coverage.passes(case):
        return ""
    by_chance = coverage.passes(case, ERRORS * simulation.error)
    return case.why or (f"within {ERRORS} binomial errors" if by_chance else "**outside**")


def _simulated(key: tuple[str, str], seed: int) -> Coverage:
    figure, situation = key
    (found,) = (
        (simulation, case)
        for simulation in SIMULATIONS
        for case in simulation.cases
        if simulation.figure == figure and case.situation == situation
    )
    return simulate(*found, seed)


def main(arguments: list[str]) -> int:
    parser = ArgumentParser(prog="python -m tests.document_coverage")
    parser.add_argument("words", nargs="*", help="only figures with one of these in their name")
    parser.add_argument("--write", action="store_true", help="write the page instead of printing")
    parser.add_argument("--seed", type=int, default=0, help="of other studies of the same kind")
    args = parser.parse_args(arguments)
    words = args.words or [""]
    chosen = (one for one in SIMULATIONS if any(word in one.figure for word in words))
    rows = covered(chosen, args.seed)
    if args.write:
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(documented(page, rows), encoding="utf-8")
    else:
        print(table(rows, {}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
