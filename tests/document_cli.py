"""The generated parts of docs/cli.md, from the parser and the declared columns.
`python -m tests.document_cli --write` puts them between the page's markers; without `--write` it
says whether they are up to date.

Each part ends with an empty line. It begins with one of

- `<!-- options: COMMAND -->`: what the command takes, by name; its --help says what each means. It
  may say how they differ from those of an earlier command.
- `<!-- options: everywhere -->`: what narrows down a request.
- `<!-- columns: FINDING -->`: the keys of its rows, first those without words. One that earlier
  rows have in the same words is among these.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import takewhile
from textwrap import wrap

from core.cli import parser
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
SHORT = 4  # words of a verb that stands beside others
MANY = 8  # options in common, from which a command is held against another
MARKED = re.compile(r"(<!-- (options|columns): (\w+) -->\n).*?(?=\n\n)", re.DOTALL)
FINDINGS = {
    "leaderboard": declare_columns("bradley-terry", "together"),
    "accuracy": accuracy.COLUMNS,
    "agreement": agreement.columns.PAIRS,
    "probes": probes.COLUMNS,
    "bias": bias.columns.declare_columns("none"),
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
SHARED = ("dataset", *(name.replace("_", "-") for name in SELECTING))


def documented(page: str) -> str:
    """The page with every part as the parser and the columns have it now."""
    findings = re.findall(r"<!-- columns: (\w+)", page)

    def render(match: re.Match[str]) -> str:
        _, kind, name = match.groups()
        if kind == "columns":
            lines = _list_columns(name, findings[: findings.index(name)])
        else:
            lines = _list_options(name)
        return match[1] + "\n".join(lines)

    return MARKED.sub(render, page)


def with_options() -> list[str]:
    """The commands that take more than what every command takes."""
    return [name for name in list_commands() if _own(name)]


@cache
def list_commands() -> dict[str, argparse.ArgumentParser]:
    (found,) = [
        action for action in parser()._actions if isinstance(action, argparse._SubParsersAction)
    ]
    return dict(found.choices)


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


def _list_options(name: str) -> list[str]:
    """What a command takes, by name, or how it differs from an earlier one: the shortest."""
    if name == "everywhere":
        return _wrap(_join(f"--{option}" for option in SHARED), "")
    if verbs := _list_verbs(list_commands()[name]):
        taken = {verb: [verb, *_own(name, verb)] for verb in verbs}
        long = {verb: words for verb, words in taken.items() if len(words) >= SHORT}
        ways = [_join_shortest(verb, long) for verb in long]
        ways.append(", ".join(_join(words) for verb, words in taken.items() if verb not in long))
        return [line for way in ways if way for line in _wrap(f"- {way}", "  ")]
    return _wrap(_join_shortest(name, {each: _own(each) for each in with_options()}), "")


def _join_shortest(name: str, taken: Mapping[str, Sequence[str]]) -> str:
    """What one takes, or how it differs from an earlier one: the shortest."""
    own = taken[name]
    ways = [_join(own)]
    for other in takewhile(lambda each: each != name, taken):
        if len({*taken[other]} & {*own}) < MANY:
            continue
        less = [option for option in taken[other] if option not in own and option != other]
        more = [option for option in own if option not in taken[other] and option != name]
        named = f"`{name}`: those" if name in own else "Those"
        without = f" without {_join(less)}" if less else ""
        also = f"; also {_join(more)}" if more else ""
        ways.append(f"{named} of `{other}`{without}{also}")
    return min(ways, key=len)


def _join(options: Iterable[str]) -> str:
    return f"`{' '.join(options)}`"


def _wrap(text: str, indent: str) -> list[str]:
    return wrap(
        text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


@cache
def _own(name: str, verb: str = "") -> list[str]:
    """What a command, or a verb of it, takes beside --help, --json and what narrows down a request."""
    shared = [option for option in _options("describe") if option[0].removeprefix("--") in SHARED]
    return [called for called, means in _options(name, verb) if (called, means) not in shared]


def _list_verbs(command: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    found = [one for one in command._actions if isinstance(one, argparse._SubParsersAction)]
    return dict(found[0].choices) if found else {}


def _options(name: str, verb: str = "") -> list[tuple[str, str | None]]:
    """Each option by its first name, and what it means."""
    command = list_commands()[name]
    return [
        ((action.option_strings or [str(action.metavar or action.dest.upper())])[0], action.help)
        for group in (_list_verbs(command)[verb] if verb else command)._action_groups
        for action in group._group_actions
        if action.dest not in ("help", "json", "notes", "show")
    ]


if __name__ == "__main__":
    sys.exit(update({PAGE: documented(PAGE.read_text(encoding="utf-8"))}))
