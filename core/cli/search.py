"""The verb of `lab` that searches for a better prompt of a judge."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import MISSING, dataclass, replace
from pathlib import Path

from ..findings.judgements import Selection
from ..judging import Judge, make, prompt_versions
from ..models import Options
from ..paraphrases import paraphrase_prompt
from ..prompt_search import (
    SearchSettings,
    answer_here,
    find_usable_prompts,
    require_prompt,
    search_prompts,
)  # fmt: skip
from ..records import Prompt
from ..settings import declare
from ..store import Store
from .finding_text import PrintSettings, write_answer
from .options import WHO, flag
from .output import CommandAnswer, warn
from .respondent_options import RespondentRequest, include_respondent, read_prompt
from .settings import include, include_all


@dataclass(frozen=True, kw_only=True)
class SearchRequest:
    """Options of `lab search`: the judge, the prompts, and how much may be asked."""

    selection: Selection = include()
    judge: str = declare(MISSING, "the judge whose prompt is searched for", metavar="SPEC")
    prompts: tuple[str, ...] = declare(
        (), "further prompts, by name or as files (default: those built in)", metavar="PROMPT",
    )  # fmt: skip
    paraphrase: int = declare(0, "let the writer paraphrase the prompt N times", metavar="N")
    writer: str = declare("", "model that paraphrases (default: the judge's)", metavar="SPEC")
    settings: SearchSettings = include_all()
    respondent: RespondentRequest = include_respondent("judge", ("comparisons",))
    shown: PrintSettings = include_all()


def search(store: Store, asked: SearchRequest) -> CommandAnswer:
    """Search for the prompt with which a judge is right most often, or fairest, and hold it against
    the one that you came with on test items.
    """
    given = asked.respondent.make_options(store)

    def make_judge(prompt: Prompt | None) -> Judge:
        return require_prompt(make(asked.judge, replace(given, prompt=prompt)))

    first = make_judge(given.prompt).spec.prompt
    assert first
    prompts = _list_prompts(store, asked, first, given)
    if len(prompts) == 1:  # those built in that this judge can take
        usable = find_usable_prompts(store, make_judge, given.mode or None)
        prompts += [one for one in usable.values() if one != first]

    def answer(store: Store, runs: Sequence[int], judges: Iterable[Judge]) -> None:
        for run, judge in zip(runs, judges, strict=True):
            warn(f"asking {judge.spec.name}")
            answer_here(store, [run], [judge])

    found = search_prompts(
        store, asked.selection, prompts, make_judge, asked.settings,
        execution_options=given.execution, answer=answer, who=WHO,
    )  # fmt: skip
    found = found.name_settings(flag)
    text = write_answer(found, asked.shown, *found.facts["sentences"])
    return CommandAnswer(found.document(), text)


def _list_prompts(
    store: Store, asked: SearchRequest, first: Prompt, given: Options
) -> list[Prompt]:
    """The first prompt, those that were named and its paraphrases, without repeats."""
    mode, found = given.mode or None, [first]
    for name in asked.prompts:
        if (path := Path(name)).is_file():
            found.append(prompt_versions.edit_prompt(store, path.stem, read_prompt(path), mode))
        else:
            found.append(prompt_versions.template(store, name, mode))
    if asked.paraphrase:
        writer = asked.writer or asked.judge
        told = paraphrase_prompt(store, first, asked.paraphrase, writer, given, mode)
        if why := told.describe():
            warn(f"of {asked.paraphrase} paraphrases {why}, and are left out")
        found += told.prompts
    return list(dict.fromkeys(found))
