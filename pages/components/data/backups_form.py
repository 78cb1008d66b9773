"""Backups of the whole store: make one, see those there are, go back to one."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import streamlit as st

from core.labels import pluralize
from core.records import Role
from core.reporting import sentences
from core.store import Store, archive, backup_preview, backups, restoring
from pages.components.shared.drawing_turns import wait_aside
from pages.components.shared.faults import action, fragment
from pages.components.shared.frame import Study
from pages.components.shared.notice import notice, show_caption, show_findings
from pages.components.shared.stores import reopen, store_action
from pages.components.shared.tables import show_written

SAID = "said of backups"  # shown when the page is redrawn
PREVIEW = "preview of a restoration"
WITH_PEOPLE = "Let these people in"
WITH_PEOPLE_HELP = (
    "Their roles, sign-ins and links work here, too. Otherwise only names stay, with votes."
)


def _show_said() -> None:
    """Show once what was backed up or restored."""
    if said := st.session_state.pop(SAID, ""):
        notice(said, kind="good")


def backups_form(study: Study) -> None:
    """Show owners the backups of the whole store."""
    if study.is_owner:
        _show_said()
        with st.expander("Backups of the whole store"):
            _backups(study.store.path, study.visit.audit_name)


@fragment
def _backups(path: Path, who: str) -> None:
    _show_said()
    copies = backups.list_copies(backups.find_backup_folder(path), path)
    if copies:
        newest = f"The newest is of {copies[0].at:%Y-%m-%d %H:%M} UTC."
        show_caption(
            f"{pluralize(len(copies), 'backup')} in {backups.find_backup_folder(path)}. {newest}"
        )
        _table(copies)
    else:
        notice("There is no backup yet. Make one: it takes seconds, and people vote on meanwhile.")
    show_caption(
        "On the command line, backup --every 24 makes one a day. It keeps the last of each of "
        f"{backups.DAILY} days and {backups.WEEKLY} weeks. These buttons delete none."
    )
    with st.container(horizontal=True):
        st.button("Back up now", on_click=_back_up, args=(path,))
        st.button(
            "Write an archive",
            on_click=_archive,
            args=(path,),
            help="The whole store as plain text, people and links included: a zip of JSON "
            "lines, for other programs. The command line reads it back: restore FILE.",
        )
    if copies:
        _go_back(path, who, copies)


def _table(copies: list[backups.Backup]) -> None:
    rows = {
        "made (UTC)": [f"{copy.at:%Y-%m-%d %H:%M:%S}" for copy in copies],
        "size": [f"{copy.bytes / 2**20:,.1f} MB" for copy in copies],
    }
    show_written(pd.DataFrame(rows), "Backups")


def _go_back(path: Path, who: str, copies: list[backups.Backup]) -> None:
    chosen = st.selectbox(
        "Go back to the backup of",
        [copy.file for copy in copies],
        index=None,
        placeholder="choose one",
        format_func=_dates(copies).get,
        width=320,
    )
    preview: backup_preview.RestorationPreview | None = st.session_state.get(PREVIEW)
    if chosen is None:
        return
    if preview is None or preview.backup != chosen:
        st.button("What would change?", on_click=_preview, args=(path, chosen))
        return
    show_findings(
        [
            *sentences.restoration(preview),
            *sentences.left_behind(preview),
            *sentences.people_of_backup(preview),
        ]
    )
    changes = sentences.restoration_table(preview)
    if len(changes):
        show_written(changes.rename(columns={"dataset": "data set"}), "What would change")
    show_caption(
        "First the store is copied as it is. People and links stay as they are now. People who "
        "have a page open are asked to reload it."
    )
    with st.form("restore", border=False):
        typed = st.text_input("Type the name of the store to restore it", placeholder=path.name)
        asked = not preview.own and len(preview.newcomers) > 0
        people = asked and st.checkbox(WITH_PEOPLE, help=WITH_PEOPLE_HELP)
        pressed = st.form_submit_button("Back up and restore")
    if pressed and typed.strip() != path.name:
        notice("That is not its name: nothing was restored.", kind="problem")
    elif pressed:
        with wait_aside("Restoring …"):
            _restore(path, chosen, who, people)
        st.rerun()


def _dates(copies: list[backups.Backup]) -> dict[Path, str]:
    return {copy.file: f"{copy.at:%Y-%m-%d %H:%M:%S} UTC" for copy in copies}


@store_action(Role.OWNER)
def _back_up(store: Store) -> None:
    made = backups.add(store, backups.find_backup_folder(store.path))
    st.session_state[SAID] = f"{made.backup.file.name} has all {made.judgements:,} judgements."


@store_action(Role.OWNER)
def _archive(store: Store) -> None:
    file, _ = backups.find_free_path(
        store.path, backups.find_backup_folder(store.path), archive.SUFFIX
    )
    made = archive.write(store.connection, file)
    st.session_state[SAID] = f"{file} has all {made['judgements']:,} judgements."


@action
def _preview(path: Path, chosen: Path) -> None:
    _check(path)
    st.session_state[PREVIEW] = backup_preview.preview(path, chosen)


@action
def _restore(path: Path, chosen: Path, who: str, with_people: bool) -> None:
    _check(path)
    made = restoring.restore(path, chosen, who, with_people=with_people)
    for name in (PREVIEW, "store"):  # the owner's own pages are of the store as it is now
        st.session_state.pop(name, None)
    lines = [
        f"The store is again what {chosen.name} holds. As it was before, it is kept in "
        f"{made.before}.",
        *sentences.left_behind(made.preview),
        *sentences.people_of_backup(made.preview, taken=made.people),
    ]
    st.session_state[SAID] = " ".join(lines)


def _check(path: Path) -> None:
    """Raise DeniedError if the person who clicks is no longer an owner."""
    with reopen(path, Role.OWNER):
        pass
