"""The frame of every page: its set-up, the store, who is there, the menu, the data set chosen."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

import streamlit as st

from core import sample_study
from core.runs import worker
from core.store import Store
from pages.components.shared import style
from pages.components.shared.faults import STANDING, show_problem, show_standing, told
from pages.components.shared.notice import notice
from pages.components.shared.stores import open_store

MENU = {
    "": {"app.py": "Overview"},
    "Collect": {"pages/annotate.py": "Annotate", "pages/judge.py": "Judge"},
    "Understand": {
        "pages/separability.py": "Separability",
        "pages/agreement.py": "Agreement",
        "pages/bias.py": "Bias",
        "pages/correlation.py": "Correlation",
        "pages/leaderboard.py": "Leaderboard",
    },
    "Manage": {"pages/data.py": "Data"},
}
FOR_ANNOTATORS = ("Annotate",)


@dataclass(frozen=True)
class Study:
    """What a page works on: an open store, the chosen data set ('' while there is none), and
    whether the person came by an annotator's link.
    """

    store: Store
    dataset: str
    invited: bool

    @property
    def judgements_stamp(self) -> str:
        """A text that changes whenever a judgement is added or withdrawn."""
        return self.store.judgement_frames.stamp(self.dataset)

    @property
    def scores_stamp(self) -> str:
        """A text that changes whenever a judgement or a score is added or withdrawn."""
        return f"{self.judgements_stamp}-{self.store.scores.stamp(self.dataset)}"

    @property
    def draws_stamp(self) -> str:
        """A text that changes with the judgements, and with how their pairs were drawn."""
        return self.judgements_stamp + self.store.inclusions.draws_stamp(self.dataset)

    @property
    def context_noun(self) -> str:
        """What this data set calls the text its candidates are about, such as "article"."""
        return self.store.datasets.nouns(self.dataset)[0]


@contextmanager
def frame(
    page: str, *, title: str = "", menu: Literal["auto", "collapsed"] = "auto"
) -> Iterator[Study]:
    """Set a page up and yield what it works on. What breaks in the body is said in a sentence on
    the page; see `faults`.
    """
    st.set_page_config(f"{page} · Tandem", "⚖️", layout="wide", initial_sidebar_state=menu)
    style.apply()
    st.session_state["watched"] = False
    _remember("invited")
    _remember("annotator")
    st.session_state.pop(STANDING, None)
    with told(), open_store() as store:
        _begin(store)
        invited = "invited" in st.session_state
        dataset = _menu(store, invited)
        if invited and page not in FOR_ANNOTATORS:
            notice(f"{page} is for the people who run this study. Your link is for annotators.")
            st.page_link("pages/annotate.py", label="Go to your pairs", query_params=_carried())
            st.stop()
        if title:
            st.title(title, anchor=False)
            show_problem()
        yield Study(store, dataset, invited)
        show_problem()  # where the page itself has not
        return
    show_problem()
    st.stop()


def _begin(store: Store) -> None:
    """The sample study, when there is nothing yet; a worker, when there is something to do."""
    show_standing(store.connection.fault)
    if not store.datasets.names():
        with st.spinner("First start: loading the sample study …"):
            sample_study.load(store)
    if not store.connection.fault and store.runs.unfinished():
        with told():
            worker.ensure(store.path)  # also when the one that was at it has died


def ways_on(**labels: str) -> None:
    """Links to other pages, by the names of their files: what to do next, where there is nothing to
    see yet.
    """
    with st.container(horizontal=True):
        for page, label in labels.items():
            st.page_link(f"pages/{page}.py", label=label, query_params=_carried(), width="content")


def _remember(name: str) -> None:
    """A link's parameters outlive the first page: the menu and a click on a widget would lose
    them."""
    if name in st.query_params:
        st.session_state[name] = st.query_params[name]


def _carried() -> dict[str, str]:
    """What every link of the menu carries on."""
    names = ("dataset", "annotator", "invited")
    return {name: str(st.session_state[name]) for name in names if st.session_state.get(name)}


def _menu(store: Store, invited: bool) -> str:
    with st.sidebar:
        st.html('<div class="tandem-brand">Tandem</div>')
        dataset = _choose_dataset(store)
        for section, pages in MENU.items():
            shown = {
                path: name for path, name in pages.items() if not invited or name in FOR_ANNOTATORS
            }
            if shown and section:
                st.html(f'<div class="tandem-section">{section}</div>')
            for path, name in shown.items():
                st.page_link(path, label=name, query_params=_carried())
    return dataset


def _choose_dataset(store: Store) -> str:
    """The data set of the address, else of this session, else the first. It stays chosen from page
    to page.
    """
    there = store.datasets.names()
    wanted = st.query_params.get("dataset") or st.session_state.get("dataset")
    if st.session_state.get("chosen") not in there:
        st.session_state.pop("chosen", None)
    if "chosen" not in st.session_state:
        st.session_state["chosen"] = wanted if wanted in there else there[0]
    named_by_link = "invited" in st.session_state and wanted in there
    dataset = str(wanted) if named_by_link else st.selectbox("Data set", there, key="chosen")
    st.session_state["dataset"] = dataset
    if st.query_params.get("dataset") != dataset:
        st.query_params["dataset"] = dataset
    return dataset
