"""The lab: judges compared on the same pairs, test items opened, cards written and checked."""

from __future__ import annotations

from dataclasses import MISSING, dataclass
from pathlib import Path

from ..catalogue import FINDINGS, PROVENANCE
from ..findings.judgements import Selection
from ..findings.lab import LabSettings, check_card, make_card, read_card
from ..output_files import write_output
from ..records import TandemError
from ..settings import declare
from ..store import Store
from .command import Command, Verbs
from .finding_text import PrintSettings, write_answer
from .options import WHO, flag
from .output import CommandAnswer
from .search import SearchRequest, search
from .settings import include, include_all

STATUS = {"trusted": 0, "not trusted": 3, "cannot tell yet": 4}


@dataclass(frozen=True)
class LabRequest:
    """Options of `lab`: the judges, how they are compared, and the file of one's card."""

    selection: Selection = include(*PROVENANCE)
    settings: LabSettings = include_all()
    shown: PrintSettings = include_all()
    card: Path | None = declare(
        None, "write the card of the judge that --judges names (.html, .md, .json)",
        metavar="FILE", output="file",
    )  # fmt: skip


def compare_judges(store: Store, request: LabRequest) -> CommandAnswer:
    """Compare judges on development items, or open the test items for them; write a card."""
    selection, settings, file = request.selection, request.settings, request.card
    if file and len(selection.judges) != 1:
        raise TandemError("--card is of one judge: name it with --judges")
    found = FINDINGS["lab"].find(store, selection, settings, by=WHO).name_settings(flag)
    text = write_answer(found, request.shown, *FINDINGS["lab"].describe(found))
    if file:
        from ..reporting import write_card  # altair takes a while to import

        card = write_card(make_card(store, selection, settings, selection.judges[0]), file.suffix)
        with write_output(file) as part:
            part.write_text(card, encoding="utf-8")
        text = f"{text}\n{file} is written"
    return CommandAnswer(found.document(), text)


@dataclass(frozen=True)
class CheckRequest:
    """Options of `lab check`: the card, and how often its judge should be right."""

    card: Path = declare(MISSING, "the card that `lab --card` wrote", metavar="FILE")
    min_accuracy: float = declare(0.8, "share of right answers", metavar="A", least=0.5, most=1)


def check(store: Store, request: CheckRequest) -> CommandAnswer:
    """Check a card by its test items: exit status 0 is trusted, 3 not, 4 cannot tell yet."""
    verdict, why = check_card(read_card(request.card)[0], request.min_accuracy)
    document = {"verdict": verdict, "reason": why}
    return CommandAnswer(document, f"{verdict}: {why}", STATUS[verdict])


COMMANDS = {
    "lab": Verbs(
        {
            "compare": Command(compare_judges, "compare judges", request=LabRequest),
            "check": Command(
                check, "say whether the judge of a card is trusted", CheckRequest, None,
                needs_no_store=lambda given: True,
            ),
            "search": Command(
                search, "search for a better prompt", SearchRequest,
                ("subset", "attribute", "systems", "seed"),
            ),
        },
        default="compare",
    )
}  # fmt: skip
