"""The generated parts of docs/cli.md, from the parser and the declared columns.
`python -m tests.document_cli --write` puts them between the page's markers; without `--write` it
says whether they are up to date.

Each part ends with an empty line. It begins with one of

- `<!-- options: everywhere -->`: what narrows down a request. A command's --help lists its options.
- `<!-- columns: FINDING -->`: the keys of its rows, first those without words. One that earlier
  rows have in the same words is among these.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from textwrap import wrap

from core.cli.settings import SELECTING
from core.findings import (
    accuracy,
    agreement,
    bias,
    budget,
    combine,
    correlation,
    items,
    lab,
    people,
    plan,
    probes,
)
from core.findings.leaderboard import declare_columns
from core.findings.leaderboard.columns import SETTLED, TABLES, declare_neighbours
from core.findings.separability import columns as separability
from core.rendering import Column
from tests.document import update
from tests.paths import ROOT

PAGE = ROOT / "docs" / "cli.md"
WIDTH = 120
MARKED = re.compile(r"(<!-- (options|columns): (\w+) -->\n).*?(?=\n\n)", re.DOTALL)
FINDINGS = {
    "leaderboard": declare_columns("bradley-terry", "together"),
    "accuracy": accuracy.COLUMNS,
    "agreement": agreement.columns.PAIRS,
    "probes": probes.COLUMNS,
    "bias": bias.columns.COLUMNS,
    **{f"bias_{name}": columns for name, columns in bias.columns.TABLES.items()},
    "budget": budget.columns.REPLAYS,
    "budget_needed": budget.columns.NEEDED,
    "budget_fewer": budget.columns.FEWER,
    "combine": combine.columns.declare_columns("win-ratio", "together"),
    "correlation": correlation.columns.declare_columns("pool"),
    "correlation_averages": correlation.columns.declare_averages("pool"),
    "correlation_differences": correlation.columns.DIFFERENCES,
    "combine_judges": combine.columns.JUDGES,
    "items": items.COLUMNS,
    "lab": lab.COLUMNS,
    **{f"lab_{name}": lab.TABLES[name] for name in ("without_labels", "systems")},
    "lab_by": lab.BY,
    "plan": plan.COLUMNS,
    "plan_needed": plan.NEEDED,
    "separability": separability.ITEMS,
    "consistency": separability.SETS,
    "consistency_figures": separability.FIGURES,
    "consistency_prediction": (*separability.PREDICTION, *separability.AGAINST),
    "rank_controls": TABLES["controls"],
    "rank_deciding": TABLES["deciding"],
    "annotators": people.ANNOTATORS,
    "disputes": people.DISPUTES,
    "neighbours": declare_neighbours("win-ratio"),
    "settled": SETTLED,
}
SHARED = " ".join(f"--{name.replace('_', '-')}" for name in ("dataset", *SELECTING))


def documented(page: str) -> str:
    """The page with every part as the parser and the columns have it now."""
    findings = re.findall(r"<!-- columns: (\w+)", page)

    def render(match: re.Match[str]) -> str:
        _, kind, name = match.groups()
        if kind == "columns":
            lines = _list_columns(name, findings[: findings.index(name)])
        else:
            lines = _wrap(f"`{SHARED}`", "")
        return match[1] + "\n".join(lines)

    return MARKED.sub(render, page)


def _list_columns(name: str, before: Iterable[str]) -> list[str]:
    """A line for each meaning, after the keys that need no words, or have them in earlier rows."""
    known = {(column.name, column.help) for each in before for column in FINDINGS[each]}
    keys: dict[str, list[str]] = {"": []}
    for column in FINDINGS[name]:
        means = "" if (column.name, column.help) in known else _shorten(column.help)
        keys.setdefault(means, []).append(_name_key(column))
    return [
        line
        for means, named in keys.items()
        if named
        for line in _wrap(f"- {', '.join(named)}{means and ': '}{means}", "  ")
    ]


def _name_key(column: Column) -> str:
    """`rating`± where its interval is in rating_low and rating_high, else with the ends' names."""
    if not column.low:
        return f"`{column.name}`"
    if (column.low, column.high) == (f"{column.name}_low", f"{column.name}_high"):
        return f"`{column.name}`±"
    return f"`{column.name}` [`{column.low}`, `{column.high}`]"


def _shorten(text: str) -> str:
    """What it says first: pages and definitions say the rest."""
    first = re.split(r"(?<=[\w)])[.] (?=[A-Z])", text)[0].rstrip(".")
    return first.partition("; ")[0]


def _wrap(text: str, indent: str) -> list[str]:
    return wrap(
        text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


if __name__ == "__main__":
    sys.exit(update({PAGE: documented(PAGE.read_text(encoding="utf-8"))}))
