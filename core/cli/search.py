"""The verb of `lab` that searches for a better prompt of a judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, dataclass, replace
from functools import partial
from pathlib import Path

from ..findings.judgements import Selection, unless_refused
from ..judging import Judge, make, prompt_versions
from ..models import Options
from ..paraphrases import paraphrase_prompt
from ..prompt_search import SearchSettings, search_prompts
from ..records import Prompt, TandemError
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
        judge = make(asked.judge, replace(given, prompt=prompt))
        if not isinstance(judge, Judge) or judge.spec.prompt is None:
            raise TandemError(f"{asked.judge} compares texts by no prompt: name a model")
        return judge

    first = make_judge(given.prompt).spec.prompt
    assert first
    prompts = [first, *_list_prompts(store, asked, first, given)]
    if not (asked.prompts or asked.paraphrase):  # of those built in, the ones this judge can take
        prompts = [one for one in prompts if unless_refused(partial(make_judge, one))]
    found = search_prompts(
        store, asked.selection, prompts, make_judge, asked.settings,
        execution_options=given.execution, progress=warn, who=WHO,
    )  # fmt: skip
    found = found.name_settings(flag)
    text = write_answer(found, asked.shown, *found.facts["sentences"])
    return CommandAnswer(found.document(), text)


def _list_prompts(
    store: Store, asked: SearchRequest, first: Prompt, given: Options
) -> Sequence[Prompt]:
    """The prompts that are tried beside the first one, without repeats."""
    mode = given.mode or None
    found = [_find_prompt(store, name, mode) for name in asked.prompts]
    if asked.paraphrase:
        told = paraphrase_prompt(
            store, first, asked.paraphrase, asked.writer or asked.judge, given, mode
        )
        if why := told.describe():
            warn(f"of {asked.paraphrase} paraphrases {why}, and are left out")
        found += told.prompts
    if not found:
        there = prompt_versions.templates(store, mode)
        found = [there[name] for name in there if "@" not in name]
    unlike = dict.fromkeys(found)
    unlike.pop(first, None)
    return list(unlike)


def _find_prompt(store: Store, name: str, mode: str | None) -> Prompt:
    path = Path(name)
    if path.is_file():
        return prompt_versions.edit_prompt(store, path.stem, read_prompt(path), mode)
    return prompt_versions.template(store, name, mode)
