"""The lab: judges compared on the same pairs, test items opened, cards written and checked, and a
better prompt of a judge searched for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import MISSING
from functools import partial
from pathlib import Path
from shlex import quote

from ..catalogue import FINDINGS, PROVENANCE
from ..findings.judgements import Selection
from ..findings.lab import (
    LabSettings,
    SearchSettings,
    check_card,
    find_other_prompts,
    make_card,
    read_card,
    search_prompts,
)
from ..judging import Judge, make_prompted, paraphrase_prompt, prompt_versions
from ..output_files import write_output
from ..records import Prompt, TandemError
from ..runs import execution
from ..settings import declare
from ..store import Store
from .command import Command, Verbs
from .findings import PrintSettings, write_answer
from .output import CommandAnswer, warn
from .respondent_options import RespondentRequest, include_respondent, read_prompt
from .settings import WHO, flag, include

STATUS = {"trusted": 0, "not trusted": 3, "cannot tell yet": 4}


def compare_judges(
    store: Store,
    selection: Selection = include(*PROVENANCE),
    *,
    settings: LabSettings,
    shown: PrintSettings,
    card: Path | None = declare(
        None,
        "write the card of the judge that --judges names (.html, .md, .json)",
        metavar="FILE",
        output="file",
    ),
) -> CommandAnswer:
    """Compare judges on development items, or open the test items for them; write a card."""
    if card and len(selection.judges) != 1:
        raise TandemError("--card is of one judge: name it with --judges")
    found = FINDINGS["lab"].find(store, selection, settings, by=WHO).name_settings(flag)
    text = write_answer(found, shown, *FINDINGS["lab"].describe(found))
    if card:
        from ..reporting import write_card  # altair takes a while to import

        made = write_card(make_card(store, selection, settings, selection.judges[0]), card.suffix)
        with write_output(card) as part:
            part.write_text(made, encoding="utf-8")
        text = f"{text}\n{card} is written"
    return CommandAnswer(found.document(), text)


def check(
    store: Store,
    card: Path = declare(MISSING, "the card that `lab --card` wrote", metavar="FILE"),
    min_accuracy: float = declare(0.8, "share of right answers", metavar="A", least=0.5, most=1),
) -> CommandAnswer:
    """Check a card by its test items: exit status 0 is trusted, 3 not, 4 cannot tell yet."""
    verdict, why = check_card(read_card(card)[0], min_accuracy)
    document = {"verdict": verdict, "reason": why}
    return CommandAnswer(document, f"{verdict}: {why}", STATUS[verdict])


def search(
    store: Store,
    selection: Selection = include(),
    judge: str = declare(MISSING, "the judge whose prompt is searched for", metavar="SPEC"),
    prompts: tuple[str, ...] = declare(
        (), "further prompts, by name or as files (default: those built in)", metavar="PROMPT"
    ),
    paraphrase: int = declare(0, "let the writer paraphrase the prompt N times", metavar="N"),
    writer: str = declare("", "model that paraphrases (default: the judge's)", metavar="SPEC"),
    *,
    settings: SearchSettings,
    respondent: RespondentRequest = include_respondent("judge", ("comparisons",)),
    shown: PrintSettings,
) -> CommandAnswer:
    """Search for the prompt with which a judge is right most often, or fairest, and hold it against
    the one that you came with on test items.
    """
    given = respondent.make_options(store)
    mode, make_judge = given.mode or None, partial(make_prompted, judge, given)
    first = make_judge(given.prompt).spec.prompt
    assert first
    tried = [first, *(_find_prompt(store, name, mode) for name in prompts)]
    if paraphrase:
        by = writer or judge
        written, left_out = paraphrase_prompt(store, first, paraphrase, by, given, mode)
        if why := ", ".join(f"{count} {reason}" for reason, count in left_out.items()):
            warn(f"of {paraphrase} paraphrases {why}, and are left out")
        tried += written
    if len(tried) == 1:  # those built in that this judge can take
        tried += find_other_prompts(store, first, make_judge, given.mode).values()

    def answer(store: Store, runs: Sequence[int], judges: Iterable[Judge]) -> None:
        for run, asked in zip(runs, judges, strict=True):
            warn(f"asking {asked.spec.name}")
            execution.execute(store, run, by=asked)

    found = search_prompts(
        store, selection, list(dict.fromkeys(tried)), make_judge, settings,
        answer=answer, execution=given.execution, who=WHO,
    ).name_settings(flag)  # fmt: skip
    text = write_answer(found, shown, *found.facts["sentences"])
    card = f"`lab --judges {quote(found.facts['winner'])} --card FILE` writes its card."
    return CommandAnswer(found.document(), f"{text}\n{card}")


def _find_prompt(store: Store, name: str, mode: str | None) -> Prompt:
    """Find a prompt by its name, or make one of the file of that name."""
    if (path := Path(name)).is_file():
        return prompt_versions.edit_prompt(store, path.stem, read_prompt(path), mode)
    return prompt_versions.template(store, name, mode)


COMMANDS = {
    "lab": Verbs(
        {
            "compare": Command(compare_judges, "compare judges"),
            "check": Command(
                check,
                "say whether the judge of a card is trusted",
                needs_no_store=lambda given: True,
            ),
            "search": Command(
                search, "search for a better prompt", ("subset", "attribute", "systems", "seed")
            ),
        },
        default="compare",
    )
}
