"""Search for a better prompt: what is asked, each try, and the winner on test items once opened."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import streamlit as st

from core.findings.judgements import Finding, Selection
from core.findings.lab import (
    SearchSettings,
    find_other_prompts,
    list_openings,
    open_test,
    search_prompts,
)
from core.judging import Judge, make, make_prompted
from core.models import Options
from core.pairing import Request
from core.records import Status
from core.runs import execution, load_respondent, worker
from core.store import Store
from pages.components.judge.judge_form import ChosenJudge, choose_judge, show_prompt
from pages.components.judge.lab import SHUT
from pages.components.judge.request_form import first_of
from pages.components.shared.drawing_turns import wait_aside
from pages.components.shared.faults import show_faults
from pages.components.shared.frame import Study
from pages.components.shared.notice import capitalise_reason, notice, show_caption, show_headline
from pages.components.shared.report import foot
from pages.components.shared.runs_table import draw_while_at_work
from pages.components.shared.settings import choose_setting
from pages.components.shared.tables import show_rows

SEARCH = "prompt search"
HELP = """All prompts are asked about few development items; the better half about more, until one
is left. All answers are kept: the same search goes on where it was stopped."""
STOPPED = "The search was stopped. Search again to go on."


@dataclass
class Search:
    """A search of this session: what it is about, `search_prompts` with what was chosen, the `runs`
    it waits for, and what was `found`, when the test items had been opened so often.
    """

    selection: Selection
    go_on: Callable[..., Finding]
    runs: Sequence[int] = ()
    found: tuple[int, Finding] | None = None


class WaitingError(Exception):
    """Runs of a search were queued, and are not done."""


def show_search(study: Study) -> None:
    """Show the form of a search and, once one was started, how far it is or what it found."""
    if not st.toggle("Search for a better prompt", help=HELP):
        return
    form, beside = st.columns([6, 7], gap="large")
    with form:
        chosen = choose_judge(study)
        attributes = [one.name for one in study.store.datasets.attributes(study.dataset)]
        about = st.selectbox("Attribute", attributes)
        budget = choose_setting(st.container(), SearchSettings, "budget")
    if chosen.options.prompt is None or chosen.marks:
        show_caption("Choose a model that compares two texts.")
        return
    with beside, show_faults():
        first = next(iter(first_of(study, Request(study.dataset, "full"), 1)), None)
        chosen = show_prompt(study, chosen, first)
    if not chosen.is_named:
        show_caption(chosen.lacking)
        return
    own, make_judge = chosen.options.prompt, partial(make_prompted, chosen.judge, chosen.options)
    usable = find_other_prompts(study.store, own, make_judge, chosen.options.mode)
    names = st.multiselect("Prompts beside it", list(usable), list(usable))
    if st.button("Search", type="primary", disabled=not names):
        st.session_state.pop(SEARCH, None)
        with show_faults():
            options = _find_mode(study, chosen)
            make_judge = partial(make_prompted, chosen.judge, options)
            usable = find_other_prompts(study.store, own, make_judge, options.mode)
            prompts = [own, *(usable[name] for name in names if name in usable)]
            go_on = partial(
                search_prompts, prompts=prompts, make_judge=make_judge,
                settings=SearchSettings(int(budget)), execution=options.execution,
            )  # fmt: skip
            selection = Selection(study.dataset, attribute=about)
            st.session_state[SEARCH] = Search(selection, go_on)
    asked = st.session_state.get(SEARCH)
    if asked and asked.selection.dataset == study.dataset:
        _go_on(study, asked)


def _find_mode(study: Study, chosen: ChosenJudge) -> Options:
    """Return the options with the way in which a server can answer, where none was chosen."""
    if chosen.is_local or chosen.options.mode:
        return chosen.options
    judge = make(chosen.judge, chosen.options)
    with wait_aside("Asking the server how it answers …"):
        load_respondent(study.store, judge)
    return replace(chosen.options, mode=judge.spec.mode)


def _go_on(study: Study, asked: Search) -> None:
    """Wait for what is queued, else ask what comes next, or show what was found."""

    def queue(store: Store, runs: Sequence[int], judges: Iterable[Judge]) -> None:
        asked.runs = runs
        if any(store.runs.get(run).status != Status.DONE for run in runs):
            worker.ensure(store.path)
            raise WaitingError

    def draw(store: Store) -> None:
        found = [execution.load_progress(store, run) for run in asked.runs]
        done, planned = (sum(getattr(one, name) for one in found) for name in ("done", "planned"))
        st.progress(done / max(planned, 1), f"{done:,} of {planned:,} comparisons of this round")

    runs = study.store.runs.list_all(dataset=study.dataset, kind="run")
    runs = runs[runs["run"].isin(asked.runs)]
    if runs["status"].isin([Status.QUEUED, Status.RUNNING]).any():
        draw_while_at_work(study.store, draw)
        return
    if (stopped := runs[runs["status"] != Status.DONE]).size:
        reasons = [f"{reason}." for reason in stopped["error"].unique() if reason]
        notice(capitalise_reason(" ".join([*reasons, STOPPED])), kind="problem")
        return
    openings = len(list_openings(study.store, study.dataset))
    with show_faults():
        if asked.found is None or asked.found[0] != openings:
            try:
                with wait_aside("Comparing prompts …"):
                    found = asked.go_on(study.store, asked.selection, answer=queue)
                    asked.found = openings, found
            except WaitingError:
                st.rerun()
        _show_found(study, asked, asked.found[1])


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
