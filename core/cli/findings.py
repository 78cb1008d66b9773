"""Commands that are made of a declared finding, findings as text, the report of all, and items."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, make_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pandas as pd

from ..catalogue import ADJUSTABLE, FINDINGS, PROVENANCE, DeclaredFinding
from ..exporting import record
from ..findings.items import ItemSearch, describe_found, describe_search, find_items, save_items
from ..findings.judgements import Finding, Selection, join_tuples, name_some
from ..findings.leaderboard import RankSettings
from ..labels import list_short_judges, pluralize
from ..records import TandemError, option_ref
from ..rendering import Column, lay_out, write_text
from ..settings import declare
from ..store import ItemSet, Store
from .command import Command, Verbs
from .output import CommandAnswer, table, warn
from .settings import (
    WHO,
    add_options,
    check_parts,
    collect_given,
    flag,
    include,
    include_all,
    list_options,
)

if TYPE_CHECKING:
    from ..reporting import Report


TITLES = {"averages": "means over prompts", "differences": "differences on the same texts"}
MOST_ROWS, FIRST_ROWS = 25, 20  # of the first table: as many, or of more rows the first
MOST_NOTES = 2
ROWS, ALL = "rows", "all"


@dataclass(frozen=True)
class PrintSettings:
    """Settings of what is printed of a finding beyond its sentences, first rows and notes."""

    notes: bool = declare(False, "print all notes")
    show: tuple[str, ...] = declare(
        (),
        f"also print these tables, called as in --json; {ROWS} for all rows, {ALL} for all tables",
        metavar="TABLE",
    )


def write_answer(result: Finding, shown: PrintSettings, *lead: str) -> str:
    """Write the sentences of a finding, its first rows, notes and signature, and what is asked for.

    What a sentence says already is no note. Judges have their short names. Raises TandemError for a
    table that is not there.
    """
    said = "\n".join(filter(None, lead))
    notes = result.list_unsaid_notes(said)
    tables = {ROWS: result.rows, **result.tables}
    tables = {name: rows for name, rows in tables.items() if len(rows)}
    columns = {ROWS: result.columns, **result.table_columns}
    asked = tables if ALL in shown.show else shown.show
    if wrong := [name for name in asked if name not in tables]:
        raise TandemError(
            f"{option_ref('show')} {wrong[0]}: there is no such table here; there are "
            f"{', '.join([*tables, ALL])}"
        )
    is_cut = ROWS not in asked and len(result.rows) > MOST_ROWS
    if is_cut:
        tables[ROWS] = result.rows.head(FIRST_ROWS)
    called = list_short_judges("\n".join([said, *notes, *map(_join_words, tables.values())]))
    blocks = [
        f"{TITLES.get(name, name)}\n{text}" if name != ROWS else text
        for name in tables
        if name == ROWS or name in asked
        for text in [_write_table(tables[name], columns.get(name, ()), called)]
    ]
    read = notes if shown.notes else notes[:MOST_NOTES]
    rest = [name for name in tables if name not in (ROWS, *asked)]
    more = [
        f"--show {ROWS} for all {len(result.rows):,} rows" if is_cut else "",
        f"--show {' '.join(rest)}" if rest else "",
        f"--notes for {pluralize(len(notes) - len(read), 'note')} more" if read != notes else "",
    ]
    unanswered = ", ".join(f"{n} {reason}" for reason, n in result.unanswered.items()) or "none"
    foot = f"{result.signature}   {result.judgements:,} used, unanswered: {unanswered}"
    further = f"More: {', '.join(filter(None, more))}" if any(more) else ""
    words = [_shorten(one, called) for one in (said, *read)]
    end = "\n".join(filter(None, [*words[1:], further, foot]))
    return "\n\n".join(filter(None, [words[0], *blocks, end]))


def _join_words(rows: pd.DataFrame) -> str:
    words = join_tuples(rows).select_dtypes(exclude=["number", "bool"])
    return "\n".join(word for name in words for word in map(str, words[name].unique()))


def _shorten(text: str, called: Mapping[str, str]) -> str:
    for name in sorted(called, key=len, reverse=True):
        text = text.replace(name, called[name])
    return text


def _write_table(rows: pd.DataFrame, columns: Sequence[Column], called: Mapping[str, str]) -> str:
    def shorten(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(shorten, value))
        return _shorten(value, called) if isinstance(value, str) else value

    rows = rows.map(shorten) if called else rows
    return write_text(lay_out(rows, columns)) if columns else table(rows)


def answer_finding(result: Finding, shown: PrintSettings, *lead: str) -> CommandAnswer:
    """Answer with a finding: its document, and what `write_answer` writes of it."""
    return CommandAnswer(result.document(), write_answer(result, shown, *lead))


def make_command(declared: DeclaredFinding) -> Command:
    """The command that answers with a declared finding."""
    fields = [
        (name, kind, include_all() if name in declared.settings else include(*declared.reads))
        for name, kind in declared.requests.items()
    ]

    def run(store: Store, request: Any) -> CommandAnswer:
        asked = {name: getattr(request, name) for name in declared.requests}
        result = declared.find(store, **asked).name_settings(flag)
        return answer_finding(result, request.shown, *declared.describe(result))

    fields.append(("shown", PrintSettings, include_all()))
    run.__annotations__["request"] = make_dataclass("FindingRequest", fields, frozen=True)
    return Command(run)


class _OptionParser(argparse.ArgumentParser):
    """It refuses as everything behind the door does."""

    def error(self, message: str) -> NoReturn:
        raise TandemError(f"{self.prog}: {message}")


def read_settings(declared: DeclaredFinding, words: Sequence[str]) -> dict[str, Any]:
    """Some settings of a declared finding, by name, as its command would take them: none is needed.

    Raises:
        TandemError: an option or a value that the command would refuse.
    """
    options = {
        name: replace(option, default=None if option.default is MISSING else option.default)
        for kind in declared.settings.values()
        for name, option in list_options(kind).items()
    }
    said = Counter(word.partition("=")[0] for word in words)
    for option in options.values():
        if said[option.flag] > 1 and not option.is_many:
            raise TandemError(
                f"--set {declared.command}.{option.flag[2:]} is given {said[option.flag]} times, "
                "and takes one value: give it once"
            )
    parser = _OptionParser(prog=declared.command, add_help=False, allow_abbrev=False)
    add_options(parser, options.values())
    args, unknown = parser.parse_known_args(words)
    if unknown:
        names = ", ".join(option.flag[2:] for option in options.values())
        raise TandemError(
            f"--set {declared.command}.{unknown[0].lstrip('-')}: {declared.command} has no such "
            f"setting; it has {names}"
        )
    given = collect_given(args, options)
    warn(*check_parts(options, given))
    return given


FORMATS = ("html", "csv", "svg", "latex", "markdown", "bibtex", "json")
"""Those of a report, written down here too: only who wants one waits for the charts' packages."""


BY_COMMAND = {declared.command: name for name, declared in ADJUSTABLE.items()}
"""The findings whose settings may be chosen, by their commands."""


def report(
    store: Store,
    html: Path | None = declare(
        None, "write one page that needs no other file", metavar="FILE", output="file"
    ),
    out: Path | None = declare(
        None, "tables, figures, methods and references", metavar="FOLDER", output="folder"
    ),
    formats: tuple[str, ...] = declare((), "only these files of the folder", choices=FORMATS),
    settings: RankSettings = include("method", "bootstrap"),
    against: str = declare("", "rater whose scores are the reference for judges", metavar="RATER"),
    chosen: tuple[str, ...] = declare(
        (),
        "settings of findings by their commands, such as accuracy.against=scores; commands are "
        f"{', '.join(BY_COMMAND)}",
        metavar="COMMAND.OPTION=VALUE",
        option="set",
    ),
    names: bool = declare(False, "write people's names, not person-7; the log says so"),
    selection: Selection = include(*PROVENANCE),
) -> CommandAnswer:
    """Write a report of a data set as one page, files, or both. The report is logged."""

    from .. import reporting

    if not (html or out):
        raise TandemError("say where the report goes: --html FILE, --out FOLDER, or both")
    if formats and not out:
        raise TandemError("--formats is about the files of a folder: add --out FOLDER")
    scope = reporting.ReportScope(selection, settings, against, names, read_chosen(chosen))
    compiled = reporting.compile_report(store, scope)
    record(store, WHO, "report", compiled.dataset, names=names)
    # The folder first: it may hold files that are not to be replaced.
    written = reporting.save(compiled, out, formats or FORMATS) if out else []
    if html:
        reporting.save_whole(html, reporting.page(compiled).encode())
        written.insert(0, html)
    document = {
        "files": [str(path) for path in written],
        "left_out": dict(compiled.left_out),
        "signatures": [one for section in compiled.sections for one in section.signatures],
    }
    return CommandAnswer(document, _render_files(compiled, written))


def read_chosen(words: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The settings of each finding, of words such as accuracy.against=scores.

    Raises:
        TandemError: a command that is no part of a report, or an option that it would refuse.
    """
    options: dict[str, list[str]] = {}
    for word in words:
        command, _, option = word.partition(".")
        options.setdefault(command, []).append(f"--{option}")
    if wrong := [command for command in options if command not in BY_COMMAND]:
        there = ", ".join(BY_COMMAND)
        raise TandemError(f"--set {wrong[0]}: no report has its settings; there are {there}")
    return {
        BY_COMMAND[command]: read_settings(ADJUSTABLE[BY_COMMAND[command]], given)
        for command, given in options.items()
    }


def _render_files(compiled: Report, written: list[Path]) -> str:
    leads = [f"{one.title}: {one.lead}" for one in compiled.sections if one.lead]
    left_out = [f"without {part}: {why}" for part, why in compiled.left_out.items()]
    many = "1 file" if len(written) == 1 else f"{len(written)} files, the first"
    return "\n".join([*leads, *left_out, f"{many} {written[0]}"])


MOST_KEYS = 50  # for people; --json has them all


def find_some(
    store: Store,
    selection: Selection = include(),
    *,
    search: ItemSearch,
    shown: PrintSettings,
    save: str = declare("", "save these items as a set of this name", metavar="NAME"),
) -> CommandAnswer:
    """Find items by a search, and save them as an item set if asked to."""
    result = find_items(store, selection, search)
    document, lead = result.document(), [describe_found(result)]
    if save:
        items = result.rows["item"].unique().tolist()
        saved = save_items(store, save, items, (selection, search), by=WHO)
        document["saved"] = _list_facts(saved)
        lead.append(f"Saved as the item set {saved.name!r}; `--item-set` takes it")
    return CommandAnswer(document, write_answer(result, shown, *lead))


def list_sets(store: Store, dataset: str) -> CommandAnswer:
    """List the item sets of a data set."""
    sets = [_list_facts(one) for one in store.item_sets.list_all(dataset)]
    if not sets:
        return CommandAnswer([], "There is no item set: `items --save NAME` saves one.")
    shown = pd.DataFrame(sets).assign(found_by=[_describe_asked(one["search"]) for one in sets])
    columns = ["set", "items", "by_answers", "found_by", "created_by", "created_at"]
    return CommandAnswer(sets, table(shown[columns]))


def _describe_asked(search: Mapping[str, Any]) -> str:
    return "; ".join(describe_search(dict(search))) or "all items"


def _list_facts(one: ItemSet) -> dict[str, Any]:
    return {
        "set": one.name,
        "dataset": one.dataset,
        "items": one.size,
        "by_answers": one.by_answers,
        "search": dict(one.search),
        "created_by": one.created_by,
        "created_at": one.created_at,
    }


SET: Any = declare("", "the item set", metavar="NAME", is_positional=True)


def show_set(store: Store, dataset: str, name: str = SET) -> CommandAnswer:
    """Show an item set: its search and the keys of its items."""
    one = store.item_sets.get(dataset, name)
    items = store.item_sets.items(dataset, name)
    text = f"{one.name}: {_describe_asked(one.search)}\n{name_some(items, MOST_KEYS)}"
    return CommandAnswer({**_list_facts(one), "keys": items}, text)


def delete_set(store: Store, dataset: str, name: str = SET) -> CommandAnswer:
    """Delete an item set; its items stay."""
    gone = store.item_sets.delete(dataset, name)
    return CommandAnswer(_list_facts(gone), f"Item set {gone.name!r} is deleted; its items stay")


ITEMS = {
    "find": Command(
        find_some,
        "find items that meet all conditions",
        reads=("subset", "attribute", "systems", "item_set"),
    ),
    "sets": Command(list_sets, "list the item sets"),
    "show": Command(show_set, "list the items of a set"),
    "delete": Command(delete_set, "delete a set"),
}
COMMANDS: dict[str, Command | Verbs] = {
    "report": Command(report),
    "items": Verbs(ITEMS, default="find"),
    **{
        declared.command: make_command(declared)
        for declared in FINDINGS.values()
        if declared.command and declared.is_plain
    },
}
