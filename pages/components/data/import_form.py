"""Upload a file, see what it was taken for, correct that, import it."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from core.exporting import for_spreadsheets
from core.importing import (
    LAYOUTS,
    Codes,
    EncodingError,
    ItemsAre,
    Preview,
    Reading,
    RecognisedFile,
    Row,
    UncertainDatesError,
    UncertainError,
    UnusedColumnError,
    file_name,
    files,
    importer,
    recognise,
)
from core.labels import SOURCES
from core.records import Dataset, Kind, TandemError, TextFormat, plain_name
from core.runs import Pace
from core.scratch import scratch, temp_errors
from core.store import dataset_decisions
from pages.components.data.import_fields import (
    Rows,
    choose_fields,
    choose_kinds,
    choose_layout,
    choose_text,
    heading,
    remember_encodings,
    save_reading,
)
from pages.components.data.import_preview import (
    FORMAT,
    ask_about_column,
    choose_items,
    choose_text_format,
    preview_once,
    say_on_page,
    settle_columns,
    show_lead,
    show_preview,
)
from pages.components.data.import_winners import (
    choose_codes,
    choose_dates,
    is_open,
    remember_doubt,
    show_still_open,
    show_winners,
)
from pages.components.shared.address import set_dataset
from pages.components.shared.frame import Study, link_to
from pages.components.shared.notice import notice, show_caption
from pages.components.shared.settings import choose_one


def upload(study: Study) -> None:
    """Show the whole way from a file to the store."""
    st.header("Import", anchor=False)
    show_caption(
        "Texts of several systems, votes or scores: CSV, TSV, Excel, JSON, JSON lines or Parquet, "
        "also .gz. Nothing leaves this machine."
    )
    given = st.file_uploader(
        "File", label_visibility="collapsed", key=f"file-{st.session_state.get('imports', 0)}"
    )
    if given is None:
        if st.session_state.get("imported-into") in study.store.datasets.names():
            for alarm in st.session_state.get("import-alarms", []):
                notice(alarm, kind="problem")
            notice(st.session_state["imported"], kind="good")
            with st.container(horizontal=True, vertical_alignment="center"):
                if study.store.texts.lacks_texts(study.dataset):
                    link_to("leaderboard", "See the leaderboard")
                    link_to("agreement", "See how the judges agree")
                else:
                    link_to("annotate", "Annotate it")
                    link_to("judge", "Run a judge over it")
            for warning in st.session_state.get("import-warnings", []):
                notice(warning)
            _show_skipped(*st.session_state.get("skipped", ([], 0)))
        return
    st.session_state.pop("imported-into", None)
    try:
        _take_in(study, _save_upload(given))
    except TandemError as error:  # the rest of the page is none the worse for a bad file
        notice(say_on_page(error.sentence), kind="problem")


def _take_in(study: Study, path: Path) -> None:
    try:
        reading = settle_columns(path, choose_text(path, choose_layout(path)))
        found = recognise(path, reading)
    except EncodingError as error:
        if not remember_encodings(path, error):
            raise
        st.rerun()
    rows = _show_first_rows(path, found, reading)
    key = f"{path}-{found.layout}-{hash(repr(reading))}"
    form, checks, into = st.container(), st.container(), st.container()
    with into:
        dataset, kind = _describe_dataset(path, found, reading)
    with form:
        reading = replace(reading, layout=found.layout, kind=kind)
        reading = choose_fields(found, reading, rows, key)
        kinds = choose_kinds(found, kind or Kind.HUMAN, key)
        reading = replace(reading, kinds={**reading.kinds, **kinds})
    with checks:
        try:
            key = f"{key}-{sorted(reading.mapping.items())}"
            settled = _check(study, path, dataset, found, reading, key)
        except TandemError as error:  # beside what may mend it
            notice(say_on_page(error.sentence), kind="problem")
            return
    if settled is not None:
        with into:
            _import(study, path, dataset, settled, key)


def _check(
    study: Study, path: Path, dataset: Dataset, found: RecognisedFile, reading: Reading, key: str
) -> Reading | None:
    """Return the reading with the meaning of winners and dates; None while that is open.

    Then the rows are shown as they would be read. Raises TandemError if the file is refused.
    """

    def say_rows(codes: Codes) -> Sequence[str]:
        try:
            return importer.examples(study.store, path, dataset, replace(reading, codes=codes))
        except TandemError:  # it does not explain every value, or what comes first in dates
            return []

    items = st.session_state.get(f"items-{key}", reading.items)
    reading = replace(
        reading,
        dates=choose_dates(key) or reading.dates,
        codes=choose_codes(key, reading.codes, say_rows),
        items=ItemsAre(items) if items else None,
    )
    shown = None if is_open(key) else _preview(study, path, dataset, reading, key)
    if shown is None:
        return None
    columns = found.fields
    sides = columns.get("system_a", "the first one"), columns.get("system_b", "the second one")
    show_winners(shown, reading.systems[:2] or sides, key)  # type: ignore[arg-type]
    choose_items(shown, reading.items, key)
    choose_text_format(study.store, dataset, shown, key)
    show_preview(shown)
    show_lead(path, reading, shown)
    return reading


def _preview(
    study: Study, path: Path, dataset: Dataset, reading: Reading, key: str
) -> Preview | None:
    """Return the preview of a file; None while a person must resolve a doubt."""
    try:
        return preview_once(study.store, path, dataset, reading)
    except UnusedColumnError as question:
        ask_about_column(path, question)
        return None
    except (UncertainError, UncertainDatesError) as doubt:
        if remember_doubt(key, doubt):
            st.rerun()
        show_still_open(key, doubt)
        return None
    except EncodingError as error:
        if not remember_encodings(path, error):
            raise
        st.rerun()


def _save_upload(given: UploadedFile) -> Path:
    """Save the upload under its name for this session, as it is read twice; return the path."""
    key, name = f"{given.file_id}", file_name(given.name)
    if st.session_state.get("upload", ("",))[0] != key:
        folder = scratch()
        with temp_errors():
            (Path(folder.name) / name).write_bytes(given.getbuffer())
        st.session_state["upload"] = (key, folder)
    return Path(st.session_state["upload"][1].name) / name


def _show_first_rows(path: Path, found: RecognisedFile, reading: Reading) -> Rows:
    seen = files.preview(path, 20, encoding=reading.encoding, sheet=reading.sheet)
    rows = [row.cells for row in seen if isinstance(row, Row)]
    show_caption(f"Read as: {LAYOUTS[found.layout].title}. The first rows:")
    shown = pd.DataFrame(rows).map(lambda value: str(value)[:300], na_action="ignore").fillna("")
    st.dataframe(shown, hide_index=True, height=min(38 + 35 * len(rows), 215))
    return rows


def _import(study: Study, path: Path, dataset: Dataset, reading: Reading, key: str) -> None:
    asked = (str(path), repr(dataset), repr(reading))
    with st.container(horizontal=True, vertical_alignment="center"):
        is_asked = st.button("Import", type="primary")
        save_reading(path, reading)
    if not is_asked:
        # It stays until something else is asked, also when the page redraws itself.
        before, why = st.session_state.get("import-refused", ((), ""))
        if before == asked:
            notice(why, kind="problem")
        return
    bar, pace = st.progress(0.0, "checking …"), Pace()

    def progress(stage: str, done: int, of: int) -> None:
        left = pace.estimate(stage, done, of, time.monotonic())
        far = f"{done:,}{f' of {of:,}' if of else ''}{f', {left}' if left else ''}"
        bar.progress(min(done / of, 1.0) if of else 0.0, f"{stage}: {far}")

    try:
        report = importer.load(study.store, [path], dataset, reading, progress=progress)
        if chosen := st.session_state.get(f"{FORMAT}{key}"):
            who = study.visit.audit_name
            dataset_decisions.set_text_format(study.store, who, report.dataset, TextFormat(chosen))
    except (UncertainError, UncertainDatesError) as doubt:
        # of a row further down than the preview looks
        if not remember_doubt(key, doubt):
            st.session_state["import-refused"] = asked, say_on_page(doubt.sentence)
        st.rerun()
    except TandemError as error:
        st.session_state["import-refused"] = asked, say_on_page(error.sentence)
        st.rerun()
    finally:
        bar.empty()
    _remember(report)
    st.rerun()


def _describe_dataset(
    path: Path, found: RecognisedFile, reading: Reading
) -> tuple[Dataset, Kind | None]:
    heading("Import as")
    name, who, context, candidate = st.columns(4)
    default = re.sub(r"(\.(csv|tsv|txt|xlsx|jsonl?|ndjson|parquet|gz))+$", "", path.name)
    dataset = name.text_input(
        "Name of the data set", default, help="A name that exists already is added to."
    )
    layout, kind = LAYOUTS[found.layout], None
    if "kind" in layout.settings:
        kind = choose_one(
            who.selectbox, "Votes and scores are by", SOURCES, reading.kind or layout.kind,
            key=f"by-{found.source.path}-{found.layout}",
        )  # fmt: skip
    nouns = layout.nouns
    context_noun = context.text_input(
        "A context is called", nouns[0], help='Such as "article" or "question"'
    )
    candidate_noun = candidate.text_input(
        "A text is called", nouns[1], help='Such as "summary" or "answer"'
    )
    return Dataset(dataset.strip(), context_noun=context_noun, candidate_noun=candidate_noun), kind


def _remember(report: importer.ImportReport) -> None:
    """Keep the messages about an import for the next drawing, and choose its data set."""
    counts = {what: count for what, count in report.added.items() if count}
    added = [f"{count:,} {what[:-1] if count == 1 else what}" for what, count in counts.items()]
    new = ", ".join(added) or "nothing that was not there already"
    count = len(report.skipped) + report.unlisted
    skipped = f" {count:,} of {report.rows:,} rows were skipped." if count else ""
    st.session_state["imported-into"] = report.dataset
    st.session_state["imported"] = f"Added to {report.dataset}: {new}.{skipped}"
    told = report.render_reasons(plain_name)
    st.session_state["skipped"] = told.skipped, told.unlisted
    st.session_state["import-alarms"] = told.alarms
    alarms = set(told.alarms)
    st.session_state["import-warnings"] = [each for each in told.warnings if each not in alarms]
    st.session_state["imports"] = st.session_state.get("imports", 0) + 1
    set_dataset(report.dataset)


def _show_skipped(skipped: list[dict[str, object]], unlisted: int) -> None:
    if not skipped:
        return
    first, frame = "The first " if unlisted else "", pd.DataFrame(skipped)
    with st.expander(f"{first}{len(skipped):,} skipped rows, and why"):
        st.dataframe(frame, hide_index=True)
        content = for_spreadsheets(frame)
        st.download_button("CSV", content, "skipped.csv", "text/csv", on_click="ignore")
