"""The section Compare: is the new system better than the old one, of a data set or of two files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from core.findings.compare import COLUMNS
from core.findings.judgements import Finding, Selection, list_comparers
from core.importing import file_name, import_versions
from core.labels import pluralize
from core.records import Kind
from core.scratch import scratch, temp_errors
from pages.components.shared.address import SECTION, bind_choice, set_choices, set_dataset
from pages.components.shared.filters import WIDE, Choices
from pages.components.shared.finding import (
    FindingSection,
    declare_dots,
    declare_table,
    show_finding,
)
from pages.components.shared.frame import Study, next_step_links
from pages.components.shared.notice import notice, show_caption, show_faults
from pages.components.shared.texts import read_pairs

NAME = "compare"
BETTER = next(column for column in COLUMNS if column.name == "better")
WAYS_ON = {"judge": "Ask a judge", "annotate": "Let people vote"}


def show_versions(study: Study) -> None:
    """Show which of two systems is better, and the form that brings two files."""
    show_finding(study, COMPARE)
    with st.expander("Compare two files"):
        _upload_versions(study)


def _upload_versions(study: Study) -> None:
    show_caption(
        "One file of each system, with a column of prompts and one of texts. Rows with the same "
        "prompt are compared; each system is called as its file."
    )
    sides = [
        place.file_uploader(f"{name} texts", key=f"{name} texts")
        for name, place in zip(("Old", "New"), st.columns(2), strict=True)
    ]
    pressed = st.button("Compare them", disabled=not all(sides))
    with show_faults():
        if pressed and sides[0] and sides[1]:
            _import(study, sides[0], sides[1])
    for note in st.session_state.get("versions", {}).get(study.dataset, ()):
        show_caption(f"{note[:1].upper()}{note[1:]}.")


def _import(study: Study, old: UploadedFile, new: UploadedFile) -> None:
    with scratch() as folder, temp_errors():
        paths = []
        for side, given in (("old", old), ("new", new)):
            path = Path(folder) / side / file_name(given.name)
            path.parent.mkdir()
            path.write_bytes(given.getbuffer())
            paths.append(path)
        imported = import_versions(study.store, (paths[0], paths[1]))
    st.session_state["versions"] = {imported.dataset: imported.notes}
    set_dataset(imported.dataset)
    set_choices({SECTION: NAME, "old": imported.old, "new": imported.new})
    st.rerun()


def _find_judges(study: Study) -> pd.DataFrame:
    every = list_comparers(study.store, study.dataset)
    judges = every[~every["by_name"] & (every["kind"] != Kind.BASELINE.value)]
    if len(study.store.datasets.systems(study.dataset)) < 2:
        notice("There is one system here. Bring the old texts and the new ones below.")
    elif judges.empty:
        notice("Nobody has compared these systems yet.")
        next_step_links(**WAYS_ON)
    return judges


def _choose_systems(study: Study, choices: Choices, selection: Selection) -> Selection:
    ids = study.store.datasets.system_ids(study.dataset)
    names = sorted(ids, key=ids.__getitem__)
    old, new = (
        choices.place().selectbox(
            f"{label} system", names, width=WIDE, **bind_choice(label.casefold(), usual, names)
        )
        for label, usual in zip(("Old", "New"), names[-2:], strict=True)
    )
    return replace(selection, systems=(old, new) if old != new else ())


def _show_pairs_to_read(
    study: Study, selection: Selection, result: Finding, names: Sequence[str]
) -> None:
    if (read := result.tables["read"]).empty:
        return
    st.header("Read these first", anchor=False)
    every = list_comparers(study.store, study.dataset)
    judges = every.loc[every["kind"] != Kind.BASELINE.value, "judge"].unique().tolist()
    shown = {
        "prompt": read["context"].map(lambda text: " ".join(text.split())),
        "why": read["why"],
        f"for {result.facts['new']}": read["prob_new"].map("{:.0%}".format),
    }
    sides = {"system_1": result.facts["old"], "system_2": result.facts["new"]}
    texts = {"generation_old": "candidate_1", "generation_new": "candidate_2"}
    pairs = read.rename(columns=texts).assign(**sides)
    read_pairs(study, pairs, shown, "read-first", judges=judges)


COMPARE = FindingSection(
    NAME,
    (
        replace(
            declare_dots(
                "versions", "How often the new one is better",
                lambda result, names: result.rows.assign(
                    judge=result.rows["by"], label=result.rows["by"]
                ),
                BETTER, "share of items on which the new system is better", ("items", "item"),
            ),
            count=lambda result, rows: pluralize(int(rows["items"].max()), "item"),
        ),
    ),
    _find_judges,
    (declare_table("Who says so"),),
    without=("new",),
    adjust=_choose_systems,
    look_closer=_show_pairs_to_read,
    ways_on=WAYS_ON,
)  # fmt: skip
