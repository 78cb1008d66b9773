"""The judge lab: judges compared on the same pairs, and what the best of them fails at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from core.findings.items import ItemSearch, save_items
from core.findings.judgements import JUDGING, Finding, Selection, label_rows, list_comparers
from core.findings.lab import (
    LabSettings,
    is_open,
    list_failures,
    open_test,
)
from core.labels import pluralize, shorten_judges
from core.store import Store
from pages.components.judges.accuracy import ACCURACY
from pages.components.shared.address import bind_choice
from pages.components.shared.cached_report import cached_report
from pages.components.shared.downloads import downloads
from pages.components.shared.filters import WIDE, Choices, comparers_of
from pages.components.shared.finding import FindingSection, Table, declare_picture, declare_table
from pages.components.shared.frame import Study, next_step_links
from pages.components.shared.notice import (
    notice,
    show_caption,
)
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
