"""The command about campaigns: which pairs people are asked about, and how."""

from __future__ import annotations

import argparse
import csv
import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from core import campaigns
from core.campaigns import Design, current, known_answers, ordering
from core.cli import options
from core.cli.command import Command
from core.cli.options import Part, file_path, number, told, whole
from core.cli.output import Answer, shown, table, warn
from core.cli.settings import add_settings, parse_settings
from core.findings.judgements import Selection
from core.findings.people import Scope, StopRule, stop
from core.pairing import DRAWS, WAYS, BySeparability, Choice, identical_note
from core.records import TandemError
from core.settings import get_default, list_settings
from core.similarity import METRICS
from core.store import Campaign, Store
from core.whole_files import check_is_plain

INFORMATIVE = "informative"
DESIGN = list_settings(Design)
FLAGS = [name for name in DESIGN if isinstance(get_default(Design, name), bool)]
"""Parts of a design that are on or off."""


def campaign(store: Store, asked: argparse.Namespace) -> Answer:
    return VERBS[asked.verb](store, asked)


def _list(store: Store, asked: argparse.Namespace) -> Answer:
    datasets = [asked.dataset] if asked.dataset else store.datasets.names()
    rows = [_row(store, one) for dataset in datasets for one in store.campaigns.of(dataset)]
    if not rows:
        return Answer([], "There is no campaign: import texts, or `campaign create NAME`.")
    columns = ["dataset", "campaign", "status", "way", "pairs", "overlap", "given", "wanted"]
    return Answer(rows, table(pd.DataFrame(rows)[columns]))


def _row(store: Store, one: Campaign) -> dict[str, Any]:
    return {
        "campaign": one.name,
        "dataset": one.dataset,
        "status": one.status,
        "way": one.choice.get("way", "all"),
        "overlap": Design.of(one.design).overlap,
        **store.campaigns.size(one.id),
        "created_at": one.created_at,
    }


def _show(store: Store, asked: argparse.Namespace) -> Answer:
    one = _campaign(store, asked)
    design = dataclasses.asdict(Design.of(one.design))
    choice = Choice.of(one).departures() if one.choice else {}
    checks = store.checks.of(one.id)
    document = {
        **_row(store, one),
        "asks_about": store.campaigns.attributes(one.id),
        "choice": choice,
        "design": {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in design.items()
        },
        "checks": {
            role: sum(check.role == role for check in checks)
            for role in ("training", "gold", "attention")
        },
    }
    lines = [
        f"{one.dataset}: {one.name} ({one.status})",
        "{given:,} of {wanted:,} votes on {pairs:,} pairs".format(**_row(store, one)),
        f"about {', '.join(document['asks_about'])}",
        *(f"{options.flag(name)[2:]}: {_plain(value)}" for name, value in choice.items()),
        *(f"{options.flag(name)[2:]}: {_plain(value)}" for name, value in design.items()),
        *(f"{role} checks: {count}" for role, count in document["checks"].items() if count),
    ]
    return Answer(document, "\n".join(lines))


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    return "none" if value in (None, "") else str(value)


def _create(store: Store, asked: argparse.Namespace) -> Answer:
    if not asked.name:
        raise TandemError("the campaign needs a name: `campaign create NAME`")
    dataset = options.dataset(store, asked)
    before = {one.id for one in store.campaigns.of(dataset) if one.open}
    with store.transaction(durable=True):
        one = campaigns.open_campaign(store, asked.name, _choice(dataset, asked), _design(asked))
        _add_checks(store, one, asked)
    warn(*identical_note(campaigns.count_identical(store, Choice.of(one))))
    for other in store.campaigns.of(dataset):
        if other.id in before and not other.open:
            warn(f"campaign {other.name!r} is paused: nobody had answered a pair of it")
    return _show_one(store, one)


def _choice(dataset: str, asked: argparse.Namespace) -> Choice:
    names = [field.name for field in dataclasses.fields(Choice)]
    given = told(asked, [name for name in names if name != "dataset"])
    given["pairs"] = tuple((one, other) for one, other in given.get("pairs", ()))
    if asked.way != "informative":
        given.pop("judges", None)
    if asked.attribute:
        given["attributes"] = (*given.get("attributes", ()), asked.attribute)
    return Choice(dataset=dataset, **given)


def _design(asked: argparse.Namespace, before: Design | None = None) -> Design:
    given = told(asked, DESIGN)
    given |= {name: False for name in FLAGS if getattr(asked, f"no_{name}")}
    if given.get("quota") == 0:
        given["quota"] = None
    for name in ("instructions", "consent"):
        if name in given:
            given[name] = _text(given[name])
    return dataclasses.replace(before or Design(), **given)


def _text(given: str) -> str:
    """A text, or that of a file: @FILE."""
    if not given.startswith("@"):
        return given
    check_is_plain(Path(given[1:]))
    try:
        return Path(given[1:]).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TandemError(f"{given[1:]} cannot be read as UTF-8 text: {error}") from error


def _add_checks(store: Store, one: Campaign, asked: argparse.Namespace) -> None:
    checks = []
    if asked.known:
        checks += known_answers.from_rows(store, one, _rows(asked.known))
    if asked.attention:
        checks += known_answers.attention(store, one, asked.attention, seed=asked.seed or 0)
    if asked.gold:
        checks += known_answers.gold(store, one, asked.gold, seed=asked.seed or 0)
    known_answers.add(store, one, checks)


def _rows(path: Path) -> list[dict[str, str]]:
    check_is_plain(path)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise TandemError(f"{path} cannot be read as CSV: {error}") from error
    if not rows:
        raise TandemError(f"{path} has no rows: it takes the columns {known_answers.COLUMNS}")
    return rows


def _edit(store: Store, asked: argparse.Namespace) -> Answer:
    one = _campaign(store, asked)
    design = _design(asked, Design.of(one.design))
    with store.transaction(durable=True):
        store.campaigns.edit(
            one.id,
            name=one.name if asked.rename is None else asked.rename,
            design=design.stored(),
            overlap=design.overlap,
        )
        if asked.budget is not None:
            campaigns.extend(store, store.campaigns.get(one.id), asked.budget)
        _add_checks(store, one, asked)
    return _show_one(store, one)


def _set_status(status: str) -> Callable[[Store, argparse.Namespace], Answer]:
    def set_status(store: Store, asked: argparse.Namespace) -> Answer:
        one = _campaign(store, asked)
        store.campaigns.set_status(one.id, status)
        return _show_one(store, one)

    return set_status


def _show_one(store: Store, one: Campaign) -> Answer:
    row = _row(store, store.campaigns.get(one.id))
    text = "{dataset}: campaign {campaign!r} is {status}: {given:,} of {wanted:,} votes on "
    return Answer(row, (text + "{pairs:,} pairs").format(**row))


def _order(store: Store, asked: argparse.Namespace) -> Answer:
    one = _campaign(store, asked)
    if asked.pairs_by == INFORMATIVE:
        return _order_by_value(store, one, asked)
    forgotten = ordering.forgotten(store, one)
    if asked.pairs_by is None:
        pairs = ordering.at_random(store, one)
        warn(forgotten)
        return Answer(
            {"dataset": one.dataset, "campaign": one.name, "ordering": "random", "pairs": pairs},
            f"{one.dataset}: people are asked about {pairs:,} pairs in random order",
        )
    if asked.separability is None:
        raise TandemError(
            "--pairs-by needs --separability METRIC, such as bertscore-length, measured by "
            "`separability`"
        )
    drawn, unknown = ordering.first_by_separability(
        store,
        one,
        BySeparability(asked.pairs_by, **told(asked, ["number", "low", "high", "bins"])),
        metric=asked.separability,
        encoder=asked.encoder or "",
        seed=asked.seed or 0,
    )
    warn(forgotten)
    left_out = f"; {unknown:,} pairs have no separability and could not be drawn" if unknown else ""
    document = {
        "dataset": one.dataset,
        "campaign": one.name,
        "ordering": f"{asked.pairs_by}|{asked.separability}",
        "pairs": drawn,
        "unknown": unknown,
    }
    return Answer(
        document,
        f"{one.dataset}: people are asked about {drawn:,} pairs by separability first, then about "
        f"the others{left_out}",
    )


def _order_by_value(store: Store, one: Campaign, asked: argparse.Namespace) -> Answer:
    if asked.number is None:
        raise TandemError(f"--pairs-by {INFORMATIVE} needs --number N: how many pairs come first")
    forgotten = ordering.forgotten(store, one)
    given = told(asked, ["judges", "separability", "encoder", "seed"])
    choice = Choice(dataset=one.dataset, way=INFORMATIVE, budget=asked.number,
                    origin=store.datasets.origin(one.dataset), **given)  # fmt: skip
    drawn, answered = campaigns.informative.ask_first(store, one, choice)
    warn(forgotten)
    document = {
        "dataset": one.dataset,
        "campaign": one.name,
        "ordering": INFORMATIVE,
        "pairs": drawn,
        "answered": answered,
    }
    already = f"; {answered:,} more of those drawn have a vote already" if answered else ""
    return Answer(
        document,
        f"{one.dataset}: people are asked first about {drawn - answered:,} pairs whose votes are "
        f"expected to tell most, then about the others{already}",
    )


def _campaign(store: Store, asked: argparse.Namespace) -> Campaign:
    """The campaign that is named; without a name the one people get now."""
    dataset = options.dataset(store, asked)
    named = store.campaigns.find(dataset, asked.name) if asked.name else current(store, dataset)
    if named:
        return named
    there = ", ".join(repr(one.name) for one in store.campaigns.of(dataset))
    if not there:
        raise TandemError(f"data set {dataset!r} has no campaign: `campaign create NAME` opens one")
    which = repr(asked.name) if asked.name else "that people get now"
    raise TandemError(f"data set {dataset!r} has no campaign {which}; it has {there}")


def _settled(store: Store, asked: argparse.Namespace) -> Answer:
    one = _campaign(store, asked)
    chosen = told(asked, ["attribute", "subset", "systems", "seed"])
    scope = Scope(Selection(one.dataset, **chosen), one.id)
    result = stop(store, scope, parse_settings(asked, StopRule))
    return Answer(result.document(), f"{result.facts['sentence']}\n{shown(result)}")


VERBS: dict[str, Callable[[Store, argparse.Namespace], Answer]] = {
    "list": _list,
    "show": _show,
    "create": _create,
    "edit": _edit,
    "pause": _set_status("paused"),
    "resume": _set_status("open"),
    "close": _set_status("closed"),
    "order": _order,
    "settled": _settled,
}


def _options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "verb", nargs="?", choices=tuple(VERBS), metavar="VERB", default="order", help="what to do"
    )
    sub.add_argument(
        "name", nargs="?", metavar="NAME", help="the campaign; default the one people get now"
    )

    def part(*verbs: str) -> Part:
        return Part(sub, " and ".join(verbs), lambda asked: asked.verb in verbs, "verb")

    _choice_options(part("create"))
    part("edit").add("--rename", metavar="NAME", help="another name")
    both = part("create", "edit")
    both.add("--budget", type=whole(1), metavar="N", help="pairs for each attribute at most")
    _design_options(both)
    both.add("--known", type=file_path, metavar="FILE", help="CSV of pairs whose answer is known")
    both.add(
        "--gold", type=whole(1), metavar="N", help="so many pairs whose answer gold labels know"
    )
    both.add("--attention", type=whole(1), metavar="N", help="so many attention checks")
    settled = part("settled")
    add_settings(settled.add, StopRule, "rule", "level")
    _separability_options(sub)


def _choice_options(part: Part) -> None:
    part.add("--attributes", nargs="+", metavar="A", help="what to ask about (default: all)")
    part.add("--by", dest="way", choices=tuple(WAYS), help="how pairs are chosen (default random)")
    part.add("--against", metavar="SYSTEM", help="only pairs with this system")
    part.add(
        "--pair",
        dest="pairs",
        nargs=2,
        action="append",
        metavar="SYSTEM",
        help="only pairs of these two systems; may be given again",
    )
    part.add(
        "--samples", type=whole(1), metavar="N", help="texts of each system on an item (default 1)"
    )
    part.add("--judge", metavar="NAME", help="of --by uncertain: whose probabilities count")
    part.add("--gap", type=number(0), metavar="X", help="their distance from 1/2 (default 0.1)")
    part.add("--draw", choices=tuple(DRAWS), help="of --by separability (default proportional)")


def _design_options(part: Part) -> None:
    add_settings(part.add, Design, *(name for name in DESIGN if name not in FLAGS))
    for name in FLAGS:
        usual = get_default(Design, name)
        for flag, is_usual, help in (
            (name, usual, DESIGN[name].help),
            (f"no_{name}", not usual, "the opposite"),
        ):
            default = " (default)" if is_usual else ""
            part.add(options.flag(flag), action="store_true", help=f"{help}{default}")


def _separability_options(sub: argparse.ArgumentParser) -> None:
    Part(sub, "order", lambda asked: asked.verb == "order", "verb").add(
        "--pairs-by", choices=(*DRAWS, INFORMATIVE), help="order of the pairs (default: random)"
    )
    drawn = Part(
        sub,
        f"--by separability, or order --pairs-by {'|'.join(DRAWS)}",
        lambda asked: asked.pairs_by in DRAWS or asked.way == "separability",
    )
    measured = Part(
        sub,
        f"--by separability or {INFORMATIVE}, or order --pairs-by",
        lambda asked: asked.pairs_by or asked.way in ("separability", INFORMATIVE),
    )
    measured.add(
        "--separability",
        choices=tuple(METRICS),
        metavar="METRIC",
        help="the metric of separability, measured before",
    )
    measured.add("--encoder", metavar="NAME", help="encoder of the metric, where it has one")
    drawn.add("--from", type=float, dest="low", metavar="D", help="minimum separability")
    drawn.add("--to", type=float, dest="high", metavar="D", help="maximum separability")
    ordered = Part(sub, "--pairs-by", lambda asked: asked.pairs_by)
    ordered.add("--number", type=whole(1), metavar="N", help="how many pairs")
    binned = Part(
        sub, "--pairs-by stratified", lambda asked: asked.pairs_by == "stratified", "pairs_by"
    )
    binned.add("--bins", type=whole(1), metavar="N", help="how many bins (default 5)")


def _reads(asked: argparse.Namespace) -> Sequence[str]:
    chosen = ("subset", "attribute", "systems", "seed")
    by_value = ("judges",) if INFORMATIVE in (asked.way, asked.pairs_by) else ()
    reads = {"create": (*chosen, *by_value), "settled": chosen, "order": ("seed", *by_value)}
    return reads.get(asked.verb, ())


COMMANDS = {
    "campaign": Command(
        campaign, "say which pairs people are asked about, and how", _options, _reads
    )
}
