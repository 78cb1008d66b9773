"""The judge lab: judges compared on the same pairs, and the search for a better prompt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import pandas as pd
import streamlit as st

from core.findings.items import ItemSearch, save_items
from core.findings.judgements import JUDGING, Finding, Selection, label_rows, list_comparers
from core.findings.lab import (
    LabSettings,
    SearchSettings,
    find_other_prompts,
    is_open,
    list_failures,
    list_openings,
    open_test,
    search_prompts,
)
from core.judging import Judge, make_prompted
from core.labels import pluralize, shorten_judges
from core.models import Options
from core.pairing import Request
from core.records import Status
from core.runs import execution, load_respondent, worker
from core.store import Store
from pages.components.judge.active_runs import draw_while_at_work
from pages.components.judge.judge_form import ChosenJudge, choose_judge, show_prompt
from pages.components.judges.accuracy import ACCURACY
from pages.components.shared.address import bind_choice
from pages.components.shared.cached_report import cached_report
from pages.components.shared.downloads import downloads
from pages.components.shared.drawing_turns import wait_aside
from pages.components.shared.filters import WIDE, Choices, comparers_of
from pages.components.shared.finding import FindingSection, Table, declare_picture, declare_table
from pages.components.shared.frame import Study, next_step_links
from pages.components.shared.notice import (
    notice,
    show_caption,
    show_faults,
    show_headline,
)
from pages.components.shared.report import foot
from pages.components.shared.settings import choose_setting
from pages.components.shared.stores import store_action
from pages.components.shared.tables import show_rows
from pages.components.shared.texts import read_pairs

FAILS = """Pairs of development items on which it differs most surely from most people, or gold. As
a file they are examples for its prompt: none is a test item."""
_failures = cached_report("Looking where it fails …")(list_failures)
SAVED = "items of failures saved"
SHUT = "Each opening is stored with your name, counted, and part of the signature."


def _find_judges(study: Study) -> pd.DataFrame:
    judges = comparers_of(study, "The lab")
    every = list_comparers(study.store, study.dataset)
    return judges if judges.empty else every[every["kind"].isin(JUDGING)]


def _open_on_request(study: Study, choices: Choices, selection: Selection) -> Selection:
    is_shut = st.query_params.get("open_test") and not is_open(study.store, selection)
    if is_shut and st.button("Open the test items", help=SHUT):
        open_test(study.store, selection, by=study.visit.audit_name)
        st.rerun()
    return selection


def _sort_rows(result: Finding, judges: Sequence[str] = ()) -> pd.DataFrame:
    rows = label_rows(result.rows)
    return rows[rows["judge"].isin(judges)] if judges else rows


def _show_failures(
    study: Study, selection: Selection, result: Finding, names: Sequence[str]
) -> None:
    if not result.facts["against"]:
        return
    st.header("Read where it fails", anchor=False, help=FAILS)
    bound = bind_choice("judge", names[0], names)
    judge = st.selectbox("Judge", names, format_func=shorten_judges, width=WIDE, **bound)
    settings = LabSettings(against=result.facts["against"])
    found = _failures(
        study.store, (replace(selection, judges=(judge,)), settings), study.scores_stamp
    )
    if found.empty:
        show_caption("It differs from nobody on the development items.")
        return
    by = result.tables["by"]
    show_rows(by[by["judge"] == judge], result.table_columns["by"][1:], "Where it is right")
    sure, people = (found[name].map("{:.0%}".format) for name in ("judge", "people"))
    shown = {study.context_noun: found["context"], "sure": sure, "people": people}
    sides = (("better", 1), ("preferred", 2))
    names = {f"{side}_{what}": f"{to}_{n}" for side, n in sides
             for what, to in (("text", "candidate"), ("system", "system"))}  # fmt: skip
    titles = ("Right", "Preferred by the judge")
    read_pairs(study, found.rename(columns=names), shown, "lab failures", titles=titles)
    downloads("examples", {"examples": found})
    named = f"{shorten_judges(judge)} fails"
    request = replace(selection, judges=()), ItemSearch(judge=judge, differs=True)
    st.button(
        "Save these items as a set", help="For a campaign, or for any page.", on_click=_save,
        args=(named, sorted(set(found["item"])), request, study.visit.audit_name),
    )  # fmt: skip
    if st.session_state.pop(SAVED, ""):
        notice(f"They are saved as {named}.", kind="good")
        next_step_links(campaigns="Open a campaign about them", data="See all sets")


@store_action()
def _save(
    store: Store, name: str, items: list[str], request: tuple[Selection, ItemSearch], who: str
) -> None:
    save_items(store, name, items, request, by=who, are_picked=True)
    st.session_state[SAVED] = name


LAB = FindingSection(
    "lab",
    (
        declare_picture(
            "lab", _sort_rows,
            count=lambda result, rows: pluralize(rows["judge"].nunique(), "judge"),
        ),
    ),
    _find_judges,
    (
        Table("Each judge", _sort_rows, lambda result: result.columns, is_folded=False),
        declare_table("Judges held against the best", "differences"),
        declare_table("What needs no labels", "without_labels"),
        declare_table("Bias for systems", "systems"),
    ),
    offer=ACCURACY.offer,
    order=lambda result: list(dict.fromkeys(result.rows["judge"])),
    adjust=_open_on_request,
    look_closer=_show_failures,
)  # fmt: skip


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
        chosen = show_prompt(study, chosen, Request(study.dataset))
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
    if chosen.is_local or chosen.options.mode:
        return chosen.options
    judge = chosen.make()
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
        notice(" ".join([*reasons, STOPPED]), kind="problem")
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
