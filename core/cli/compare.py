"""The command that compares an old system with a new one: two files, or two systems of a store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from ..catalogue import FINDINGS
from ..findings.compare import ASKED, BETTER, UNKNOWN, WORSE, CompareSettings
from ..findings.judgements import Finding, Selection, unless_refused
from ..importing import import_versions
from ..judging import registry
from ..pairing import PairSettings, TextRequest
from ..prices import Prices
from ..records import TandemError
from ..settings import Part, declare, redeclare
from ..store import Store
from .command import Command, find_dataset
from .findings import PrintSettings, write_answer
from .judge import answer_live, enqueue_live
from .output import CommandAnswer, ProgressLine, warn
from .reading import ReadingOptions, parse_settings
from .respondent_options import (
    AskingRequest,
    ItemSettings,
    RespondentRequest,
    include_respondent,
    list_judges,
)
from .settings import flag, include_all, include_changes

STATUSES = {BETTER: 0, WORSE: 3, UNKNOWN: 4}
"""What the command ends with, for a pipeline."""
BY_JUDGE = Part("--judge SPEC", lambda given: given["judge"])
IN_FILES = Part("files", lambda given: given["paths"])
STORED = Part("systems of a data set, without files", lambda given: not given["paths"])


def compare(
    store: Store,
    paths: tuple[Path, ...] = declare(
        (), "the old texts and the new ones, a file each", metavar="OLD NEW", is_positional=True
    ),
    name: str = declare(
        "", 'the data set; of files by default "OLD vs NEW"', option="dataset", metavar="NAME"
    ),
    attribute: str | None = redeclare(Selection, "attribute"),
    systems: tuple[str, ...] = redeclare(Selection, "systems", part=STORED),
    seed: int = redeclare(Selection, "seed"),
    settings: CompareSettings = include_all(part=STORED),
    reading: Mapping[str, Any] = include_changes(
        ReadingOptions, "map", "encoding", "sheet", part=IN_FILES
    ),
    judge: str = declare(
        "",
        lambda: f"who is asked, in both orders (default: people): {list_judges()}",
        metavar="SPEC",
    ),
    samples: int = redeclare(TextRequest, "samples", part=BY_JUDGE),
    limit: int | None = declare(None, "stop after N answers", metavar="N", least=1, part=BY_JUDGE),
    respondent: RespondentRequest = include_respondent("judge", registry.JUDGING, spreads=True),
    *,
    shown: PrintSettings,
) -> CommandAnswer:
    """Import two files if they are given, ask the judge if there is one, and say which system is
    better. Status: better 0, worse 3, cannot tell 4.
    """
    if paths and len(paths) != 2:
        raise TandemError(
            f"compare takes two files, old texts and new ones, and got {len(paths)}: "
            "bring more files of one system with `import`"
        )
    selection = Selection(name, attribute=attribute, systems=systems, seed=seed)
    counted, came = dict[str, Any](), ""
    if paths:
        old, new = paths
        imported = import_versions(
            store, (old, new), parse_settings(reading), dataset=name,
            attribute=attribute or "", progress=ProgressLine(),
        )  # fmt: skip
        warn(*imported.notes)
        counted, came = imported.count(), imported.describe()
        both = (imported.old, imported.new)
        selection = replace(selection, dataset=imported.dataset, systems=both)
    else:
        selection = replace(selection, dataset=find_dataset(store, name))
    selection = replace(selection, systems=settings.find_systems(store, selection))
    if judge:
        asked = AskingRequest(
            selection=selection,
            judge=judge,
            samples=samples,
            respondent=respondent,
            pairs=PairSettings(),
            items=ItemSettings(),
        )
        selection = replace(selection, judges=(*ASKED, _ask(store, asked, limit)))
    declared = FINDINGS["compare"]
    found: Finding | None = unless_refused(partial(declared.find, store, selection, settings))
    if found is None:
        if judge:
            raise TandemError(f"{judge} answered nothing; `runs` says why")
        said, waiting = _wait_for_people(store, selection)
        text = "\n".join(filter(None, [came, said]))
        return CommandAnswer(waiting | counted, text, STATUSES[UNKNOWN])
    found = found.name_settings(flag)
    also = ["read"] * bool(len(found.tables["read"]))
    shown = replace(shown, show=tuple(dict.fromkeys((*shown.show, *also))))
    text = write_answer(found, shown, *declared.describe(found))
    document = {"dataset": selection.dataset, **found.document(), **counted}
    text = "\n\n".join(filter(None, [came, text]))
    return CommandAnswer(document, text, STATUSES[found.facts["verdict"]])


def _ask(store: Store, asked: AskingRequest, limit: int | None) -> str:
    """Ask the judge about every pair of the two systems in both orders, and return its name; what
    it has answered before is not asked again.
    """
    given = asked.respondent.make_options(store)
    answering = asked.make_judge(given)
    run = enqueue_live(store, asked.plan(store, answering), answering, given.execution)
    answer_live(store, run, answering, Prices.from_execution(given.execution), limit)
    return answering.spec.name


def _wait_for_people(store: Store, selection: Selection) -> tuple[str, dict[str, Any]]:
    """Say that nobody has judged yet and that the pairs wait for people, and count these."""
    counted = store.campaigns.size(store.campaigns.default(selection.dataset).id)
    old, new = selection.systems
    said = (
        f"Nobody has judged yet: {counted['pairs']:,} pairs are open for people. They vote on the "
        f"pages that `app` opens. Then ask again, or name a judge with {flag('judge')}."
    )
    about = {"dataset": selection.dataset, "old": old, "new": new, "verdict": UNKNOWN}
    return said, {**about, **counted}


COMMANDS = {"compare": Command(compare, begins=lambda given: given.get("paths"))}
