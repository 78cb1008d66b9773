"""The command about campaigns: which pairs people are asked about, how, and in which order."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from .. import campaigns
from ..campaigns import (
    CHECK_ROLES,
    GOALS,
    CampaignDraft,
    Design,
    NewChecks,
    add_checks,
    begin_with,
    copy_campaign,
    describe_workload,
    ordering,
)
from ..findings.judgements import Selection
from ..findings.leaderboard import state_verdict
from ..findings.separability import label_metrics
from ..pairing import DRAWS, REST, BySeparability, Choice, identical_note
from ..records import TandemError
from ..settings import Part, declare, redeclare
from ..store import Campaign, Store
from ..whole_files import check_is_plain
from .command import Command, Verbs
from .findings import PrintSettings, answer_finding
from .output import CommandAnswer, table, warn
from .settings import flag, include, include_changes

INFORMATIVE = "informative"


@dataclass(frozen=True, kw_only=True)
class CampaignRequest:
    """The campaign of a data set that a command is about."""

    dataset: str
    name: str = declare(
        "", "the campaign (default: the one people get now)", metavar="NAME", is_positional=True
    )

    def find(self, store: Store) -> Campaign:
        """The campaign that is named; without a name the one people get now."""
        dataset, name = self.dataset, self.name
        named = store.campaigns.find(dataset, name) if name else campaigns.current(store, dataset)
        if named:
            return named
        there = ", ".join(repr(one.name) for one in store.campaigns.list_all(dataset))
        if not there:
            raise TandemError(
                f"data set {dataset!r} has no campaign: `campaign create NAME` opens one"
            )
        which = repr(name) if name else "that people get now"
        raise TandemError(f"data set {dataset!r} has no campaign {which}; it has {there}")


def list_campaigns(store: Store, dataset: str = "") -> CommandAnswer:
    """List campaigns of a data set, or of all, with the votes given and wanted."""
    datasets = [dataset] if dataset else store.datasets.names()
    rows = [_row(store, one) for dataset in datasets for one in store.campaigns.list_all(dataset)]
    if not rows:
        return CommandAnswer([], "There is no campaign: import texts, or `campaign create NAME`.")
    columns = ["dataset", "campaign", "status", "way", "pairs", "overlap", "given", "wanted"]
    return CommandAnswer(rows, table(pd.DataFrame(rows)[columns]))


def _row(store: Store, one: Campaign) -> dict[str, Any]:
    return {
        "campaign": one.name,
        "dataset": one.dataset,
        "status": "over" if one.open and Design.from_stored(one.design).is_over() else one.status,
        "way": one.choice.get("way", "all"),
        "overlap": Design.from_stored(one.design).overlap,
        **store.campaigns.size(one.id),
        "created_at": one.created_at,
    }


def show(store: Store, chosen: CampaignRequest) -> CommandAnswer:
    """Show a campaign: its progress, attributes, choice of pairs, design and checks."""
    one = chosen.find(store)
    design = dataclasses.asdict(Design.from_stored(one.design))
    choice = Choice.from_campaign(one).departures() if one.choice else {}
    checks = store.checks.list_active(one.id)
    document = {
        **_row(store, one),
        "asks_about": store.campaigns.attributes(one.id),
        "choice": choice,
        "design": design,
        "checks": {role: sum(check.role == role for check in checks) for role in CHECK_ROLES},
    }
    lines = [
        f"{one.dataset}: {one.name} ({one.status})",
        "{given:,} of {wanted:,} votes on {pairs:,} pairs".format(**_row(store, one)),
        f"about {', '.join(document['asks_about'])}",
        *map(write_setting, [*choice.items(), *design.items()]),
        *(f"{role} checks: {count}" for role, count in document["checks"].items() if count),
    ]
    return CommandAnswer(document, "\n".join(lines))


def write_setting(setting: tuple[str, object]) -> str:
    """Write the name and value of a setting, as in a list of what holds."""
    name, value = setting
    if isinstance(value, bool):
        value = "yes" if value else "no"
    elif isinstance(value, list | tuple):
        value = ", ".join(map(str, value))
    return f"{flag(name)[2:]}: {'none' if value in (None, '') else value}"


@dataclass(frozen=True)
class CheckSettings:
    """Checks to add: a file of known answers, so many gold pairs and attention checks."""

    known: Path | None = redeclare(NewChecks, "known", metavar="FILE")
    gold: int | None = redeclare(NewChecks, "gold", default=None)
    attention: int | None = redeclare(NewChecks, "attention", default=None)
    seed: int = redeclare(Selection, "seed")

    def read(self, before: NewChecks | None = None) -> NewChecks:
        """The checks to add; of gold pairs and attention checks as many as `before` by default."""
        before = before or NewChecks()
        numbers = {"gold": self.gold, "attention": self.attention}
        changes: dict[str, Any] = {name: one for name, one in numbers.items() if one is not None}
        if self.attention is not None:
            changes["at_most"] = False
        if self.known:
            changes |= {"known": _read(self.known), "file": str(self.known)}
        return dataclasses.replace(before, seed=self.seed, **changes)


BY_METRIC = Part("--by separability", lambda values: values["way"] == "separability", "way")
BY_VALUE = Part(
    f"--by separability or {INFORMATIVE}",
    lambda values: values["way"] in ("separability", INFORMATIVE),
    "way",
)
BY_TRUST = Part(f"--by {REST}", lambda values: values["way"] == REST, "way")
OF_CHOICE = {
    **dict.fromkeys(("draw", "low", "high"), BY_METRIC),
    "encoder": BY_VALUE,
    **dict.fromkeys(("accept_error", "certainty", "signal"), BY_TRUST),
}


def _label_goals() -> dict[str, str]:
    return {name: goal.label for name, goal in GOALS.items()}


def create(
    store: Store,
    chosen: CampaignRequest,
    goal: str = declare(
        "",
        "purpose of the campaign; its settings hold unless you give others",
        choices=_label_goals,
    ),
    like: str = declare(
        "", "start from the settings of this campaign", metavar="CAMPAIGN", instead_of="goal"
    ),
    dry_run: bool = declare(False, "show the size of the campaign, and open nothing"),
    choice: Mapping[str, Any] = include_changes(Choice, parts=OF_CHOICE),
    separability: str = redeclare(
        Choice, "separability", list_choices=label_metrics, part=BY_VALUE
    ),
    attribute: str = redeclare(Selection, "attribute"),
    design: Mapping[str, Any] = include_changes(Design),
    *,
    checks: CheckSettings,
) -> CommandAnswer:
    """Open a campaign with its checks, or preview it (`--dry-run`). Warns about those it pauses.

    `choice` has the `separability`, too.
    """
    name, dataset = chosen.name, chosen.dataset
    if not name:
        raise TandemError("the campaign needs a name: `campaign create NAME`")
    if like:
        begun = copy_campaign(store, dataclasses.replace(chosen, name=like).find(store))
    else:
        begun = begin_with(goal, dataset)
    changed = dict(choice)
    if attribute:
        changed["attributes"] = (*choice.get("attributes", ()), attribute)
    draft = CampaignDraft(
        dataclasses.replace(begun.choice, **changed),
        _change_design(begun.design, design),
        checks.read(begun.checks),
    )
    if dry_run:
        return _preview_campaign(store, chosen, draft)
    before = {one.id for one in store.campaigns.list_all(dataset) if one.open}
    with store.transaction(durable=True):
        one = campaigns.open_campaign(store, name, draft.choice, draft.design)
        fewer = add_checks(store, one, draft.checks)
    warn(*identical_note(campaigns.count_identical(store, Choice.from_campaign(one))), *fewer)
    for other in store.campaigns.list_all(dataset):
        if other.id in before and not other.open:
            warn(f"campaign {other.name!r} is paused: nobody had answered a pair of it")
    return _show_one(store, one)


class _StopError(Exception):
    """Signal that ends a transaction and rolls all of it back."""


def _preview_campaign(store: Store, chosen: CampaignRequest, draft: CampaignDraft) -> CommandAnswer:
    """Estimate the workload of a campaign without opening it.

    The campaign is opened and rolled back, so that every obstacle is reported.
    """
    with suppress(_StopError), store.transaction():
        one = campaigns.open_campaign(store, chosen.name, draft.choice, draft.design)
        fewer = add_checks(store, one, draft.checks)
        checks = Counter(check.role for check in store.checks.list_active(one.id))
        raise _StopError
    outlook = campaigns.compute_outlook(store, draft)
    pace = campaigns.get_pace(store, chosen.dataset)
    workload = campaigns.estimate_workload(outlook, draft.design, seconds=pace)
    warn(*identical_note(outlook.identical), *fewer)
    document = {
        "dataset": chosen.dataset,
        "campaign": chosen.name,
        "choice": draft.choice.departures(),
        "design": draft.design.to_stored(),
        "checks": {role: checks[role] for role in CHECK_ROLES},
        **workload.document(),
    }
    return CommandAnswer(document, " ".join(describe_workload(workload, draft.design)))


def _change_design(design: Design, changes: Mapping[str, Any]) -> Design:
    texts = {
        name: read_text(changes[name]) for name in ("instructions", "consent") if name in changes
    }
    unset = {name: None for name in ("quota", "people") if changes.get(name) == 0}
    return dataclasses.replace(design, **{**changes, **texts, **unset})


def read_text(given: str) -> str:
    """A text, or that of a file: @FILE."""
    if not given.startswith("@"):
        return given
    try:
        return _read(Path(given[1:])).decode()
    except UnicodeDecodeError as error:
        raise TandemError(f"{given[1:]} is not text in UTF-8: {error}") from error


def _read(path: Path) -> bytes:
    check_is_plain(path)
    try:
        return path.read_bytes()
    except OSError as error:
        raise TandemError(f"{path} cannot be read: {error}") from error


def edit(
    store: Store,
    chosen: CampaignRequest,
    rename: str | None = declare(None, "another name", metavar="NAME"),
    budget: int | None = redeclare(Choice, "budget"),
    design: Mapping[str, Any] = include_changes(Design),
    *,
    checks: CheckSettings,
) -> CommandAnswer:
    """Change a campaign's name, design, budget or checks."""
    one = chosen.find(store)
    changed = _change_design(Design.from_stored(one.design), design)
    with store.transaction(durable=True):
        store.campaigns.edit(
            one.id,
            name=one.name if rename is None else rename,
            design=changed.to_stored(),
            overlap=changed.overlap,
        )
        if budget is not None:
            campaigns.extend(store, store.campaigns.get(one.id), budget)
        add_checks(store, one, checks.read())
    return _show_one(store, one)


def _show_one(store: Store, one: Campaign) -> CommandAnswer:
    row = _row(store, store.campaigns.get(one.id))
    text = "{dataset}: campaign {campaign!r} is {status}: {given:,} of {wanted:,} votes on "
    return CommandAnswer(row, (text + "{pairs:,} pairs").format(**row))


def _declare_status(status: str, help: str) -> Command:
    def set_status(store: Store, chosen: CampaignRequest) -> CommandAnswer:
        one = chosen.find(store)
        store.campaigns.set_status(one.id, status)
        return _show_one(store, one)

    return Command(set_status, help)


def check_settled(
    store: Store, chosen: CampaignRequest, selection: Selection = include(), *, shown: PrintSettings
) -> CommandAnswer:
    """Test whether the votes of a campaign settle who leads, and the whole order."""
    result = state_verdict(store, selection, chosen.find(store).id)
    return answer_finding(result, shown, result.facts["sentence"])


ORDERED = Part("--pairs-by", lambda values: values["pairs_by"])
DRAWN = Part(
    f"--pairs-by {'|'.join(DRAWS)}", lambda values: values["pairs_by"] in DRAWS, "pairs_by"
)
BINNED = Part(
    "--pairs-by stratified", lambda values: values["pairs_by"] == "stratified", "pairs_by"
)


def order(
    store: Store,
    chosen: CampaignRequest,
    pairs_by: str = declare(
        "", "order of the pairs (default: random)", choices=(*DRAWS, INFORMATIVE)
    ),
    separability: str = redeclare(Choice, "separability", list_choices=label_metrics, part=ORDERED),
    encoder: str = redeclare(Choice, "encoder", part=ORDERED),
    low: float = redeclare(Choice, "low", part=DRAWN),
    high: float = redeclare(Choice, "high", part=DRAWN),
    number: int | None = declare(None, "how many pairs", metavar="N", least=1, part=ORDERED),
    bins: int = redeclare(BySeparability, "bins", part=BINNED),
    judges: tuple[str, ...] = redeclare(Selection, "judges"),
    seed: int = redeclare(Selection, "seed"),
) -> CommandAnswer:
    """Set the order in which a campaign's pairs are asked."""
    if pairs_by == INFORMATIVE and number is None:
        raise TandemError(f"--pairs-by {INFORMATIVE} needs --number N: how many pairs come first")
    if pairs_by in DRAWS and not separability:
        raise TandemError(
            "--pairs-by needs --separability METRIC, such as bertscore-length, measured by "
            "`separability`"
        )
    one = chosen.find(store)
    forgotten = ordering.forgotten(store, one)
    document: dict[str, Any] = {"dataset": one.dataset, "campaign": one.name}
    if not pairs_by:
        pairs = ordering.order_at_random(store, one)
        document |= {"ordering": "random", "pairs": pairs}
        text = f"about {pairs:,} pairs in random order"
    elif pairs_by == INFORMATIVE:
        choice = Choice(
            dataset=one.dataset,
            way=INFORMATIVE,
            budget=number,
            origin=store.datasets.origin(one.dataset),
            judges=judges,
            separability=separability,
            encoder=encoder,
            seed=seed,
        )
        pairs, answered = ordering.ask_first(store, one, choice)
        document |= {"ordering": INFORMATIVE, "pairs": pairs, "answered": answered}
        already = f"; {answered:,} more of those drawn have a vote already" if answered else ""
        text = (
            f"first about {pairs - answered:,} pairs whose votes are expected to tell most, then "
            f"about the others{already}"
        )
    else:
        draws = BySeparability(pairs_by, number, low, high, bins)
        pairs, unknown = ordering.first_by_separability(
            store, one, draws, metric=separability, encoder=encoder, seed=seed
        )
        named = f"{pairs_by}|{separability}"
        document |= {"ordering": named, "pairs": pairs, "unknown": unknown}
        text = f"about {pairs:,} pairs by separability first, then about the others"
        if unknown:
            text += f"; {unknown:,} pairs have no separability and could not be drawn"
    warn(forgotten)
    return CommandAnswer(document, f"{one.dataset}: people are asked {text}")


CHOSEN = ("subset", "attribute", "systems", "seed", "item_set")


def _list_read(chosen: tuple[str, ...], name: str, values: Mapping[str, Any]) -> tuple[str, ...]:
    """Judges are read only where pairs are chosen by their value."""
    return (*chosen, "judges") if values.get(name) in (INFORMATIVE, REST) else chosen


COMMANDS = {
    "campaign": Verbs(
        {
            "list": Command(list_campaigns, "list campaigns"),
            "show": Command(show, "show one campaign"),
            "create": Command(create, "open a campaign", partial(_list_read, CHOSEN, "way")),
            "edit": Command(edit, "change a campaign"),
            "pause": _declare_status("paused", "pause a campaign until you resume it"),
            "resume": _declare_status("open", "resume a paused campaign"),
            "close": _declare_status("closed", "close a campaign: nobody is asked any more"),
            "order": Command(
                order,
                "choose which pairs come first",
                partial(_list_read, ("seed",), "pairs_by"),
            ),
            "settled": Command(
                check_settled, "check whether votes settle who leads, and the whole order", CHOSEN
            ),
        },
        default="order",
    )
}
