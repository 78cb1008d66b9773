"""Parts of the data page: what is held, exports, backups, and taking a data set away."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from shlex import quote

import streamlit as st

from core.access import Right
from core.exporting import FORMATS, export
from core.findings.judgements import Selection
from core.importing import COUNTS
from core.installation import command_to_run
from core.labels import pluralize
from core.records import Kind
from core.rendering import COUNT, Column
from core.scratch import scratch
from core.store import Store, backups, dataset_decisions
from pages.components.shared.address import forget_dataset
from pages.components.shared.downloads import NAMES, NAMES_HELP, Taker, taker
from pages.components.shared.filters import Choices, choose_answers
from pages.components.shared.frame import Study
from pages.components.shared.notice import notice, show_caption, show_done, show_headline
from pages.components.shared.stores import store_action
from pages.components.shared.tables import first_rows, show_rows

WORDS = {
    "judgements": "Judgements, with texts and everything recorded",
    "generations": "Texts",
    "scores": "Scores of single texts",
    "leaderboard": "Leaderboard by human votes, or by the judges of the runs chosen under More",
    "checks": "Answers to practice pairs, gold pairs and attention checks",
}

MOST = 500_000  # judgements, marks and texts of a store that a browser is to take in one piece
CALLED = {"dataset": "data set", "generations": "texts"}
HELP = {
    "items": "What the systems were given, one by one: an article, a dialogue, a question",
    "systems": "Who wrote the texts: models, or people",
    "generations": "What the systems wrote; a system may have several samples of an item",
    "attributes": "What is asked about the texts, such as coherence",
    "scores": "Scores of single texts",
    "judges": "People and models who have compared texts",
    "comparisons": "Pairs of texts in an order, about one attribute, that somebody has been "
    "asked about",
    "judgements": "Answers to them",
}


def show_datasets(study: Study) -> None:
    """Show the store's totals and each data set's counts."""
    frame = study.store.datasets.summary()
    sets, texts, judgements = len(frame), frame["generations"].sum(), frame["judgements"].sum()
    in_all = f"{sets:,} data sets are" if sets != 1 else "One data set is"
    held = f"{pluralize(int(texts), 'text')} and {pluralize(int(judgements), 'judgement')}"
    show_headline(f"{in_all} here, with {held}.")
    columns = [Column(name, CALLED.get(name, name), COUNT, HELP[name]) for name in COUNTS]
    shown = first_rows(frame, "dataset", "data set", "held")
    show_rows(shown, [Column("dataset", CALLED["dataset"]), *columns], "Data sets")


def exports(study: Study) -> None:
    """Offer everything as CSV."""
    st.header("Export", anchor=False)
    show_caption(
        f"What {study.dataset} holds, as CSV. The command line writes JSON lines and Parquet, too."
    )
    raw = st.checkbox(
        "Texts exactly as they are, to import them again",
        help="Otherwise a text that begins with = + - or @ gets an apostrophe, and no "
        "spreadsheet runs it.",
    )
    names = bool(study.store.people.pseudonyms()) and st.checkbox(NAMES, help=NAMES_HELP)
    if study.store.datasets.volume() > MOST:
        show_caption(
            "It is too much to go through a browser. Write it to a file on the command line:"
        )
        st.code(
            command_to_run(
                f"export --dataset {quote(study.dataset)} --what judgements --to judgements.csv"
            ),
            language=None,
        )
        return
    selection = choose_answers(study, Selection(study.dataset), Choices())
    kinds = set(study.store.judgement_frames.judges(study.dataset)["kind"])
    marks = not study.store.scores.scorers(study.dataset).empty
    there = {
        "generations": True,
        "scores": marks,
        "leaderboard": Kind.HUMAN in kinds or bool(selection.runs),
        "checks": not study.store.annotator_stats.checks(study.dataset).empty,
    }  # the others need a judgement
    with st.container(horizontal=True):
        for what in export.EXPORTS:
            st.download_button(
                CALLED.get(what, what).capitalize(),
                partial(csv, taker(names), what, selection, raw=raw),
                f"{study.dataset}-{what}.csv",
                "text/csv",
                help=WORDS[what],
                on_click="ignore",
                disabled=not there.get(what, bool(kinds)),
            )
    _for_other_tools(study, selection, names, disabled=not kinds)


def _for_other_tools(study: Study, selection: Selection, names: bool, *, disabled: bool) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox(
            "For another tool",
            list(FORMATS),
            format_func=lambda name: FORMATS[name].title,
            help="Judgements in its layout. What that cannot tell is left out.",
            width=260,
        )
        suffix = FORMATS[name].suffixes[0]
        st.download_button(
            "Download",
            partial(export_in_format, taker(names), name, selection),
            f"{study.dataset}-{name}{suffix}",
            on_click="ignore",
            disabled=disabled,
        )


def export_in_format(files: Taker, name: str, selection: Selection) -> bytes:
    """Return judgements in the file format of another tool, for a browser to download."""
    with files.open_store() as (store, who), scratch() as folder:
        path = Path(folder) / f"export{FORMATS[name].suffixes[0]}"
        export.save_in_format(
            export.convert_to_format(store, name, selection, who=who, names=files.names), path
        )
        return path.read_bytes()


def csv(files: Taker, what: str, selection: Selection, *, raw: bool) -> str:
    """Return an export in one piece, for a browser."""
    text = export.as_csv if raw else export.for_spreadsheets
    with files.open_store() as (store, who):
        portions = export.export(store, what, selection, who=who, names=files.names)
        return "".join(text(frame, header=not number) for number, frame in enumerate(portions))


GONE = "gone"  # the message after a deletion, until the page is redrawn


def delete_form(study: Study) -> None:
    """Show owners what deleting removes, and the button once the name is typed."""
    if not study.may(Right.DATASETS):
        return
    with st.expander("Delete this data set"):
        _show_deletion(study)


def _show_deletion(study: Study) -> None:
    contents = dataset_decisions.count_contents(study.store, study.dataset)
    notice(
        f"With {study.dataset} go {dataset_decisions.describe_contents(contents)}. Its backup "
        "is all that is left then."
    )
    if contents["open"]:
        open_ = pluralize(contents["open"], "open campaign")
        show_caption(f"It has {open_}: people who annotate there can answer no more.")
    if len(study.store.datasets.names()) == 1:
        show_caption(
            "It is the only data set: then you import another one, or load the sample study."
        )
    show_caption(
        f"First the whole store is copied to a file beside {study.store.path.name}. The "
        "store's own file becomes no smaller: what comes later fills the room again."
    )
    if contents["running"]:
        show_caption("A run of it waits or works: stop it first, on the Judge page.")
        return
    with st.form(f"delete-{study.dataset}", border=False):
        typed = st.text_input("Type its name to delete it", placeholder=study.dataset)
        if st.form_submit_button("Back up and delete") and typed.strip() != study.dataset:
            notice("That is not its name: nothing was deleted.", kind="problem")
        elif typed.strip() == study.dataset:
            _delete(study.dataset, study.visit.audit_name)
            st.rerun()


@store_action(Right.DATASETS)
def _delete(store: Store, dataset: str, who: str) -> None:
    gone = dataset_decisions.delete(store, who, dataset)
    st.session_state[GONE] = (
        f"{dataset} is gone, with {dataset_decisions.describe_contents(gone.contents)}. All of it "
        f"is in {gone.backup} ({gone.bytes / 2**20:,.1f} MB)."
    )
    forget_dataset()


BACKED_UP = "said of backups"  # shown when the page is redrawn


def backups_form(study: Study) -> None:
    """Let owners back up the whole store."""
    if not study.may(Right.BACKUPS):
        return
    show_done(BACKED_UP)
    with st.expander("Back up the whole store"):
        folder = backups.find_backup_folder(study.store.path)
        show_caption(
            f"A copy goes to the folder {folder.name}: it takes seconds, and people vote on "
            "meanwhile. On the command line, restore FILE goes back to one."
        )
        st.button("Back up now", on_click=_back_up)


@store_action(Right.BACKUPS)
def _back_up(store: Store) -> None:
    made = backups.back_up(store)
    st.session_state[BACKED_UP] = f"{made['file']} has all {made['judgements']:,} judgements."
