"""The option tables of docs/cli.md, taken from the parser. `python -m tests.document_cli --write`
puts them between the page's markers; without `--write` it says whether they are up to date.

A table stands between `<!-- options: COMMAND -->` and `<!-- end -->`. `<!-- options: COMMAND - OTHER -->`
leaves out what OTHER takes in the same words. `everywhere` is the table of what narrows down a request.
Between `<!-- columns: FINDING -->` and `<!-- end -->` stand the columns of its rows.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator

from core.__main__ import parser
from core.cli.options import SELECTING
from core.findings import (
    accuracy,
    agreement,
    attacks,
    bias,
    budget,
    calibration,
    combine,
    correlation,
    items,
    jury,
    people,
    plan,
    replacement,
)
from core.findings.leaderboard import declare_columns
from core.findings.leaderboard.columns import TABLES, declare_lead
from core.findings.separability import columns as separability
from tests.paths import ROOT

PAGE = ROOT / "docs" / "cli.md"
MARKED = re.compile(r"(<!-- options: (\w+)(?: - (\w+))? -->\n).*?(<!-- end -->)", re.DOTALL)
COLUMNS = re.compile(r"(<!-- columns: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
FINDINGS = {
    "leaderboard": declare_columns("bradley-terry", "together"),
    "lead": declare_lead("win-ratio"),
    "accuracy": accuracy.COLUMNS,
    "agreement": agreement.columns.PAIRS,
    "attacks": attacks.COLUMNS,
    "bias": bias.columns.declare_columns("none"),
    **{f"bias_{name}": columns for name, columns in bias.columns.TABLES.items()},
    "budget": budget.columns.REPLAYS,
    "budget_needed": budget.columns.NEEDED,
    "budget_fewer": budget.columns.FEWER,
    "calibration": calibration.columns.COLUMNS,
    "calibration_bins": calibration.columns.BINS,
    "combine": combine.columns.declare_columns("win-ratio", "together"),
    "correlation": correlation.columns.declare_columns("pool"),
    "correlation_averages": correlation.columns.declare_averages("pool"),
    "correlation_differences": correlation.columns.DIFFERENCES,
    "combine_judges": combine.columns.JUDGES,
    "items": items.COLUMNS,
    "plan": plan.columns.COLUMNS,
    "plan_needed": plan.columns.NEEDED,
    "replacement": replacement.columns.COLUMNS,
    "replacement_annotators": replacement.columns.ANNOTATORS,
    "separability": separability.ITEMS,
    "consistency": separability.SETS,
    "consistency_figures": separability.FIGURES,
    "consistency_prediction": (*separability.PREDICTION, *separability.AGAINST),
    "rank_controls": TABLES["controls"],
    "rank_deciding": TABLES["deciding"],
    "rank_judges": TABLES["judges"],
    "rank_gain": jury.columns.GAIN,
    "annotators": people.ANNOTATORS,
    "disputes": people.DISPUTES,
    "neighbours": people.NEIGHBOURS,
    "settled": people.SETTLED,
    "promises": people.PROMISES,
}
SHARED = ("dataset", *(name.replace("_", "-") for name in SELECTING))

Rows = dict[str, tuple[str, str]]


def documented(page: str) -> str:
    """The page with every table as the parser has it now."""
    page = COLUMNS.sub(lambda found: f"{found[1]}{_table_columns(found[2])}{found[3]}", page)
    return MARKED.sub(lambda found: f"{found[1]}{_table(found[2], found[3])}{found[4]}", page)


def _table_columns(finding: str) -> str:
    """Every column of the rows of a finding, with what it means."""
    lines = ["| column | means |", "| --- | --- |"]
    for column in FINDINGS[finding]:
        ends = f", `{column.low}`, `{column.high}`" if column.low else ""
        ranged = f"its interval: {column.range_help}" if column.range_help else "with its interval"
        means = "; ".join(filter(None, [column.help.rstrip("."), ranged if ends else ""]))
        lines.append(f"| `{column.name}`{ends} | {_escaped(means)} |")
    return "\n".join(lines) + "\n"


def with_options() -> list[str]:
    """The commands that take more than what every command takes."""
    return [name for name, command in _commands().items() if _own(command)]


def _table(name: str, other: str | None) -> str:
    rows = _shared() if name == "everywhere" else _own(_commands()[name])
    same = set(_own(_commands()[other]).items()) if other else set()
    left = [(option, *rest) for option, rest in rows.items() if (option, rest) not in same]
    return "\n".join(_lines(left)) + "\n"


def _lines(rows: list[tuple[str, str, str]]) -> Iterator[str]:
    belongs = any(part for _, _, part in rows)
    yield "| option | means | belongs to |" if belongs else "| option | means |"
    yield "| --- | --- | --- |" if belongs else "| --- | --- |"
    for option, means, part in rows:
        yield f"| `{option}` | {means} | {part} |" if belongs else f"| `{option}` | {means} |"


def _own(command: argparse.ArgumentParser) -> Rows:
    """What a command takes beside --help, --json and what narrows down a request."""
    shared = _shared()
    return {option: rest for option, rest in _rows(command).items() if option not in shared}


def _shared() -> Rows:
    rows = _rows(_commands()["describe"])
    return {option: rest for option, rest in rows.items() if option.split()[0][2:] in SHARED}


def _commands() -> dict[str, argparse.ArgumentParser]:
    (found,) = [
        action for action in parser()._actions if isinstance(action, argparse._SubParsersAction)
    ]
    return dict(found.choices)


def _rows(command: argparse.ArgumentParser) -> Rows:
    """option with its value -> what it means, and what it belongs to."""
    return {
        _escaped(_called(action)): (_escaped(_means(action)), _escaped(_part(group)))
        for group in command._action_groups
        for action in group._group_actions
        if action.dest not in ("help", "json")
    }


def _part(group: argparse._ArgumentGroup) -> str:
    title = group.title or ""
    return title.removeprefix("of ") if title.startswith("of ") else ""


def _called(action: argparse.Action) -> str:
    """`--systems SYSTEM ...`"""
    named = " ".join(action.metavar) if isinstance(action.metavar, tuple) else action.metavar
    value = "" if action.nargs == 0 else named or _choices(action) or action.dest.upper()
    many = " ..." if action.nargs == "+" else ""
    return " ".join([", ".join(action.option_strings), f"{value}{many}"]).strip()


def _choices(action: argparse.Action) -> str:
    return "|".join(map(str, action.choices or ()))


def _means(action: argparse.Action) -> str:
    """The line of help, with the values to choose from and the default where it does not say so."""
    values = _choices(action).replace("|", ", ") if action.metavar else ""
    default = "" if action.default in (None, False, "", []) else f"{action.default}"
    words = [
        "needed" if action.required and action.option_strings else "",
        action.help or "",
        f"one of {values}" if values and values not in (action.help or "") else "",
        f"default {default}" if default and "default" not in (action.help or "") else "",
    ]
    return "; ".join(filter(None, words))


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


def main() -> int:
    page = PAGE.read_text(encoding="utf-8")
    new = documented(page)
    if "--write" in sys.argv[1:]:
        PAGE.write_text(new, encoding="utf-8")
    elif new != page:
        print("docs/cli.md differs from the parser: run `python -m tests.document_cli --write`")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
