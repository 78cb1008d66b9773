"""A data set is deleted: what goes with it is said before, and a backup is made."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from core.records import Role
from core.store import dataset_decisions
from pages.components.shared.address import forget_dataset
from pages.components.shared.faults import action
from pages.components.shared.frame import Study
from pages.components.shared.notice import notice, several, small
from pages.components.shared.stores import reopen

GONE = "gone"  # what is said of a deletion once the page is drawn anew


def show_deleted() -> None:
    """What went, and where its backup is."""
    if said := st.session_state.pop(GONE, ""):
        notice(said, kind="good")


def delete_form(study: Study) -> None:
    """For owners: what would go, and the button, once the name was typed."""
    if not study.owned:
        return
    with st.expander("Delete this data set"):
        show_deletion(study, "delete")


def show_deletion(study: Study, key: str) -> None:
    """What would go with the data set, and the button."""
    contents = dataset_decisions.count_contents(study.store, study.dataset)
    notice(
        f"With {study.dataset} go {dataset_decisions.describe_contents(contents)}. Its backup "
        "is all that is left then."
    )
    if contents["open"]:
        open_ = several(contents["open"], "open campaign")
        small(f"It has {open_}: whoever annotates there can answer no more.")
    if len(study.store.datasets.names()) == 1:
        small("It is the only data set: then you import another one, or load the sample study.")
    small(
        f"First the whole store is copied to a file beside {study.store.path.name}. The "
        "store's own file becomes no smaller: what comes later fills the room again."
    )
    if contents["running"]:
        small("A run of it waits or works: stop it first, on the Judge page.")
        return
    with st.form(f"{key}-{study.dataset}", border=False):
        typed = st.text_input("Type its name to delete it", placeholder=study.dataset)
        if st.form_submit_button("Back up and delete") and typed.strip() != study.dataset:
            notice("That is not its name: nothing was deleted.", kind="problem")
        elif typed.strip() == study.dataset:
            _delete(study.store.path, study.dataset, study.visit.who)
            st.rerun()


@action
def _delete(path: Path, dataset: str, who: str) -> None:
    with reopen(path, Role.OWNER) as store:
        gone = dataset_decisions.delete(store, who, dataset)
    st.session_state[GONE] = (
        f"{dataset} is gone, with {dataset_decisions.describe_contents(gone.contents)}. All of it "
        f"is in {gone.backup} ({gone.bytes / 2**20:,.1f} MB)."
    )
    forget_dataset()
