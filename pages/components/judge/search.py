"""Search for a better prompt: what is asked, each try, and the winner on test items once opened."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import streamlit as st

from core.findings.judgements import Finding, Selection
from core.findings.lab import list_openings, open_test
from core.judging import Judge, make, templates
from core.models import Options
from core.prompt_search import SearchSettings, make_prompted, search_prompts
from core.records import Prompt, Status
from core.runs import load_respondent, worker
from core.store import Store
from pages.components.judge.active_runs import runs_now
from pages.components.judge.judge_form import ChosenJudge, choose_judge, show_prompt
from pages.components.judge.lab import SHUT
from pages.components.shared.drawing_turns import wait_aside
from pages.components.shared.faults import show_faults
from pages.components.shared.filters import WIDE
from pages.components.shared.frame import Study
from pages.components.shared.notice import notice, show_caption, show_headline
from pages.components.shared.report import foot
from pages.components.shared.settings import choose_number
from pages.components.shared.tables import show_rows

SEARCH = "prompt search"
HELP = """All prompts are asked about few development items; the better half about more, until one
is left. All answers are kept: the same search goes on where it was stopped."""
STOPPED = "The search was stopped. Search again to go on."


@dataclass
class Search:
    """A search of this session: what is asked, the `runs` it waits for, and what was `found`, when
    the test items had been opened so often.
    """

    judge: str
    options: Options
    prompts: list[Prompt]
    selection: Selection
    settings: SearchSettings
    runs: Sequence[int] = ()
    found: tuple[int, Finding] | None = field(default=None)


class WaitingError(Exception):
    """Runs of a search were queued, and are not done."""


def show_search(study: Study) -> None:
    """Show the form of a search and, once one was started, how far it is or what it found."""
    if not st.toggle("Search for a better prompt", help=HELP):
        return
    chosen = choose_judge(study)
    if chosen.options.prompt is None or chosen.marks:
        show_caption("Choose a model that compares two texts.")
        return
    chosen = show_prompt(study, chosen, None)
    names = [name for name in templates(study.store, chosen.member.mode) if "@" not in name]
    attributes = [one.name for one in study.store.datasets.attributes(study.dataset)]
    about = st.selectbox("Attribute", attributes, width=WIDE)
    beside = st.multiselect("Beside it", names, names)
    budget = choose_number(st.container(), SearchSettings, "budget", width=WIDE)
    if st.button("Search", type="primary", disabled=not (chosen.is_named and beside)):
        selection = Selection(study.dataset, attribute=about)
        st.session_state[SEARCH] = _begin(study, chosen, beside, selection, int(budget))
    asked = st.session_state.get(SEARCH)
    if asked and asked.selection.dataset == study.dataset:
        _go_on(study, asked)


def _begin(
    study: Study, chosen: ChosenJudge, beside: Sequence[str], selection: Selection, budget: int
) -> Search:
    options = chosen.options
    if not chosen.is_local and not options.mode:
        with wait_aside("Asking the server how it answers …"):
            judge = make(chosen.judge, options)
            load_respondent(study.store, judge)
            options = replace(options, mode=judge.spec.mode)
    there = templates(study.store, chosen.member.mode)
    assert options.prompt
    prompts = list(dict.fromkeys([options.prompt, *(there[name] for name in beside)]))
    return Search(chosen.judge, options, prompts, selection, SearchSettings(budget))


def _go_on(study: Study, asked: Search) -> None:
    """Wait for what is queued, else ask what comes next, or show what was found."""
    states = {Status(study.store.runs.get(run).status) for run in asked.runs}
    runs_now(study, tasks=("compare",))
    if states & {Status.QUEUED, Status.RUNNING}:
        return
    if states - {Status.DONE}:
        notice(STOPPED, kind="problem")
        return
    openings = len(list_openings(study.store, study.dataset))
    with show_faults():
        if asked.found is None or asked.found[0] != openings:
            try:
                with wait_aside("Comparing prompts …"):
                    asked.found = openings, _search(study, asked)
            except WaitingError:
                st.rerun()
        _show_found(study, asked, asked.found[1])


def _search(study: Study, asked: Search) -> Finding:
    def queue(store: Store, runs: Sequence[int], judges: Iterable[Judge]) -> None:
        asked.runs = [*asked.runs, *(run for run in runs if run not in asked.runs)]
        if any(store.runs.get(run).status != Status.DONE for run in runs):
            worker.ensure(store.path)
            raise WaitingError

    return search_prompts(
        study.store, asked.selection, asked.prompts,
        partial(make_prompted, asked.judge, asked.options), asked.settings,
        execution_options=asked.options.execution, answer=queue, who="",
    )  # fmt: skip


def _show_found(study: Study, asked: Search, found: Finding) -> None:
    headline, *further = found.facts["sentences"]
    show_headline(headline)
    show_caption(" ".join(further))
    show_rows(found.rows, found.columns, "Each prompt")
    both = (found.facts["winner"], found.facts["first"])
    if found.rows["test"].isna().all() and st.button("Open the test items", help=SHUT):
        open_test(study.store, replace(asked.selection, judges=both), by=study.visit.audit_name)
        st.rerun()
    tables = {"search": found.rows, **found.tables}
    foot(found, found.interval, name="search-tables", tables=tables)
