"""The frame of every page: its look, the store, the visitor, the menu and the data set."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, NoReturn
from urllib.parse import urlsplit, urlunsplit

import streamlit as st

from core import sample_study
from core.access import (
    CROWD,
    INVITATION,
    LOCAL_ADDRESS,
    DeniedError,
    Right,
    Session,
    find_address,
    has_right,
)
from core.findings.judgements import Selection
from core.findings.separability import list_measured
from core.records import FaultError, Role
from core.rendering.charts import PALETTES
from core.runs import worker
from core.store import Store
from pages.components.shared.address import (
    CAMPAIGN,
    DATASET,
    ITEM_SET,
    SECTION,
    SHARED,
    forget_dataset,
    read_parameter,
    set_dataset,
    wanted_dataset,
    write_choice,
)
from pages.components.shared.drawing_turns import drawing_turns
from pages.components.shared.notice import (
    STANDING,
    notice,
    show_faults,
    show_problem,
    show_standing,
)
from pages.components.shared.stores import open_store, show_forbidden, show_visit, store_action
from pages.components.shared.visitor import crowd_parameters, current_session, is_loopback


class MenuEntry(NamedTuple):
    """A page by its file and its name, with its icon of those that Streamlit brings along."""

    path: str
    name: str
    icon: str


MENU = {
    "": (MenuEntry("app.py", "Overview", "home"),),
    "Collect": (
        MenuEntry("pages/annotate.py", "Annotate", "compare"),
        MenuEntry("pages/judge.py", "Judge", "gavel"),
    ),
    "Understand": (
        MenuEntry("pages/leaderboard.py", "Leaderboard", "leaderboard"),
        MenuEntry("pages/judges.py", "Judges", "balance"),
        MenuEntry("pages/separability.py", "Separability", "call_split"),
        MenuEntry("pages/together.py", "Together", "join"),
    ),
    "Manage": (
        MenuEntry("pages/data.py", "Data", "database"),
        MenuEntry("pages/campaigns.py", "Campaigns", "campaign"),
        MenuEntry("pages/people.py", "People", "group"),
    ),
}
"""The pages of each section of the menu."""
PAGES = tuple(entry for entries in MENU.values() for entry in entries)
SECTIONS = {
    **dict.fromkeys(("agreement", "bias", "accuracy", "correlation"), "judges"),
    **dict.fromkeys(("plan", "budget", "share"), "together"),
    **dict.fromkeys(("compare", "lab"), "judge"),
}
"""The page of each section that links name. Some were pages, whose old addresses lead here."""
FOR_ANNOTATORS = ("Annotate",)
CHOOSE = "choose a data set"


@dataclass(frozen=True)
class Study:
    """Context of a page: an open store, the chosen data set (or ''), and the visitor."""

    store: Store
    dataset: str
    visit: Session

    @property
    def is_annotator(self) -> bool:
        """True if the visitor is here only to annotate."""
        return self.visit.role is Role.ANNOTATOR

    def may(self, right: Right) -> bool:
        """Return whether the visitor has a right."""
        return has_right(self.visit.role, right)

    @property
    def judgements_stamp(self) -> str:
        """Return a text that changes when judgements change or an item set goes."""
        stamp = self.store.judgement_frames.stamp(self.dataset)
        return f"{stamp}-{self.store.item_sets.stamp()}"

    @property
    def measured_stamp(self) -> str:
        """Return a text that changes with judgements, scores and first similarities of a metric."""
        return f"{self.scores_stamp}-{list_measured(self.store, self.dataset)}"

    @property
    def scores_stamp(self) -> str:
        """Return a text that changes when a judgement or a score is added or withdrawn."""
        return f"{self.judgements_stamp}-{self.store.scores.stamp(self.dataset)}"

    @property
    def draws_stamp(self) -> str:
        """Return a text that changes with the judgements, and with how their pairs were drawn."""
        return self.judgements_stamp + self.store.inclusions.draws_stamp(self.dataset)

    @property
    def texts_stamp(self) -> str:
        """Return a text that changes with the texts and item sets, for results of these alone."""
        return f"{self.store.datasets.identity(self.dataset)}-{self.store.item_sets.stamp()}"

    @property
    def context_noun(self) -> str:
        """Return the data set's word for the context of its texts, such as "article"."""
        return self.store.datasets.nouns(self.dataset)[0]


@contextmanager
def frame(
    page: str,
    *,
    title: str = "",
    menu: Literal["auto", "collapsed"] = "auto",
    needed: Right = Right.WORK,
    without_data: bool = False,
) -> Iterator[Study]:
    """Set up a page for visitors with the `needed` right, and yield its Study.

    Other visitors see why they may not open the page. Errors in the body are shown as a sentence.
    """
    st.set_page_config(f"{page} · Tandem", "⚖️", layout="wide", initial_sidebar_state=menu)
    apply_style()
    st.session_state["watched"] = []
    st.session_state.pop(STANDING, None)
    votes = needed is Right.ANNOTATE
    with (
        drawing_turns().vote() if votes else drawing_turns().turn(),
        show_faults(),
        _enter_store(page, needed) as store,
    ):
        if current_session().invitation is not None and INVITATION not in st.query_params:
            st.query_params[INVITATION] = st.session_state[
                INVITATION
            ]  # a reload goes by the address alone
        if current_session().crowd and CROWD not in st.query_params:
            st.query_params.from_dict(crowd_parameters())
        _begin(store)
        dataset = _menu(store, current_session())
        if title or not dataset:
            st.title(title or page, anchor=False)
            with st.container():  # always there: what moves would close
                show_problem()
        if not dataset and store.datasets.names():
            _offer_others(store)
        if not dataset and not without_data:
            show_no_data(store, current_session())
            st.stop()
        yield Study(store, dataset, current_session())
        show_problem()  # where the page itself has not
        return
    show_problem()
    st.stop()


def _enter_store(page: str, needed: Right) -> Store:
    try:
        return open_store(needed)
    except DeniedError as denied:
        if not denied.inside:
            show_forbidden(denied)
        _lead_back(page)
        st.stop()


def _lead_back(page: str) -> None:
    with open_store(Right.ANNOTATE) as store:
        if page == "Overview":  # where a sign-in ends
            st.switch_page("pages/annotate.py", query_params=carry_parameters())
        _menu(store, current_session())
    notice(f"{page} is for the people who run this study. You are here to annotate.")
    link_to("annotate", "Go to your pairs")


def _begin(store: Store) -> None:
    show_standing(store.connection.fault)
    if not store.datasets.has_had_any():
        with st.spinner("First start: loading the sample study …"):
            sample_study.load(store)
    person = current_session().person
    if person and not store.connection.fault:
        with suppress(FaultError):  # it is not worth more than the page
            store.people.record_visit(person.id, current_session().invitation)
    if not store.connection.fault and store.run_counts.list_unfinished():
        with show_faults():
            worker.ensure(store.path)  # also when the one that was at it has died


def next_step_links(**labels: str) -> None:
    """Link to other pages as next steps; each keyword is the name of a page's file."""
    with st.container(horizontal=True):
        for page, label in labels.items():
            link_to(page, label)


def link_to(page: str, label: str, *, campaign: str = "", **about: str) -> None:
    """Link to another page by the name of its file, or to a section by its own.

    The address gets `about` and the parameters of `carry_parameters`.
    """
    if page in SECTIONS:
        page, about = SECTIONS[page], {SECTION: page, **about}
    st.page_link(
        f"pages/{page}.py", label=label, query_params={**carry_parameters(campaign), **about}
    )


def link_to_search(selection: Selection, label: str, **asked: object) -> None:
    """Link to the search on the page Data that asks for this, within an attribute and subset."""
    wanted = {**asked, "attribute": selection.attribute, "subset": selection.subset}
    link_to("data", label, **{name: write_choice(one) for name, one in wanted.items() if one})


def carry_parameters(campaign: str = "") -> dict[str, str]:
    """Return what every link to another page carries; `campaign` replaces that of the address."""
    names = (DATASET, "annotator", INVITATION)
    kept = {name: str(st.session_state[name]) for name in names if st.session_state.get(name)}
    kept |= crowd_parameters()
    named = {CAMPAIGN: campaign or read_parameter(CAMPAIGN), ITEM_SET: read_parameter(ITEM_SET)}
    named |= {name: str(st.query_params.get(name, "")) for name in SHARED}
    return kept | {which: name for which, name in named.items() if name}


def _offer_others(store: Store) -> NoReturn:
    gone = wanted_dataset()
    notice(f"There is no data set {gone} here: it was deleted or renamed. Choose another.")
    names = store.datasets.names()
    st.selectbox(
        "Go on with", names, index=None, placeholder=CHOOSE, width=320, key="other",
        on_change=_follow, args=("other",),
    )  # fmt: skip
    st.stop()


def _follow(key: str) -> None:
    if chosen := st.session_state[key]:
        set_dataset(chosen)


def _menu(store: Store, visitor: Session) -> str:
    annotates = visitor.role is Role.ANNOTATOR
    if visitor.crowd:  # one page is all there is for them
        return _choose_dataset(store, visitor)
    with st.sidebar:
        st.html('<div class="tandem-brand">Tandem</div>')
        dataset = _choose_dataset(store, visitor) if store.datasets.names() else ""
        for section, entries in MENU.items():
            shown = [one for one in entries if not annotates or one.name in FOR_ANNOTATORS]
            if shown and section:
                st.html(f'<div class="tandem-section">{section}</div>')
            for entry in shown:
                icon = f":material/{entry.icon}:"
                st.page_link(
                    entry.path, label=entry.name, icon=icon, query_params=carry_parameters()
                )
        show_visit(visitor)
    return dataset


def _choose_dataset(store: Store, visitor: Session) -> str:
    """Return the data set of the address, else of this session, else the first; '' if it is gone.

    The choice on the page follows the address, not what it showed on the page before. A link for
    one campaign opens only its data set.
    """
    there = store.datasets.names()
    if visitor.campaign is not None:
        there = [store.people.dataset_of(visitor.campaign)]
    wanted = wanted_dataset() or there[0]
    annotates = visitor.role is Role.ANNOTATOR
    if visitor.campaign is not None or (annotates and wanted in there):
        dataset = wanted if wanted in there else there[0]
    else:
        dataset = wanted if wanted in there else None
        st.session_state["chosen"] = dataset
        gone: dict[str, Any] = {"index": None, "placeholder": CHOOSE} if dataset is None else {}
        st.selectbox("Data set", there, key="chosen", on_change=_follow, args=("chosen",), **gone)
    if dataset is None:
        st.session_state[DATASET] = wanted  # the next page says that it is gone, too
        return ""
    set_dataset(dataset)
    return dataset


def show_no_data(store: Store, visitor: Session, *, on_data: bool = False) -> None:
    """Say that no data set is left, and offer to import one or to load the sample study."""
    st.session_state.pop("chosen", None)
    forget_dataset()
    if visitor.role is Role.ANNOTATOR:
        notice("There is nothing to annotate here yet. Ask the people who run this study.")
        return
    where = "below" if on_data else "on the page Data"
    notice(f"There is no data set here. Import one {where}, or load the sample study.")
    with st.container(horizontal=True, vertical_alignment="center"):
        if not on_data:
            link_to("data", "Import a data set")
        load = store_action()(sample_study.load)
        st.button("Load the sample study", on_click=load)


CSS = Path(__file__).with_name("style.css").read_text(encoding="utf-8")


def theme() -> str:
    """ "light" or "dark", as the person's browser shows the page."""
    return "dark" if st.context.theme.type == "dark" else "light"


def apply_style() -> None:
    """Add the style sheet to the page, with the colours of its theme."""
    colours = "".join(
        f"--{name.replace('_', '-')}: {value};" for name, value in vars(PALETTES[theme()]).items()
    )
    st.html(f"<style>:root {{ {colours} }}\n{CSS}</style>")


PAGE_NAMES = {Path(entry.path).stem: entry.name for entry in PAGES if entry.path != "app.py"}
"""The names of pages in addresses, and in the menu. The first page has none in its address."""


def find_link_address(store: Store) -> str:
    """Return the address that links begin with: the study's own, or the one it is opened under."""
    return find_address(store, find_opened_address())


def find_opened_address() -> str:
    """Return the address under which this page was opened, without the page."""
    parts = urlsplit(st.context.url or LOCAL_ADDRESS)
    path = parts.path.rstrip("/")
    folder, _, page = path.rpartition("/")
    if page in PAGE_NAMES:
        path = folder
    # The framework takes a base path that ends like a page's name for that page.
    return urlunsplit((parts.scheme, parts.netloc, get_base_path() or path, "", ""))


def get_base_path() -> str:
    """Return the path under which this server serves the app; '' for none."""
    return str(st.get_option("server.baseUrlPath") or "").strip("/")


def opens_here_only(address: str) -> bool:
    """Check whether an address can be opened on this machine only."""
    return is_loopback(urlsplit(address).hostname)
