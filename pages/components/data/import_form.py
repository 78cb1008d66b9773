"""Upload a file, see what it was taken for, correct that, import it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from core.analysis.export import for_spreadsheets
from core.importing import (
    LAYOUTS,
    Reading,
    Recognised,
    Row,
    UncertainDatesError,
    UncertainError,
    file_name,
    files,
    importer,
    raters_of,
    recognise,
    usual_kind,
)
from core.labels import SOURCES
from core.records import Dataset, Kind, TandemError, plainly, setting, spoken
from core.scratch import scratch, scratch_told
from pages.components.data.import_reading import remember, settled
from pages.components.shared.address import set_dataset
from pages.components.shared.frame import Study, link_to
from pages.components.shared.notice import notice, small

AUTO = "recognise it"
NONE = "(not there)"


def upload(study: Study) -> None:
    """The whole way from a file to the store."""
    st.header("Import", anchor=False)
    small(
        "Texts of several systems, votes or scores: CSV, TSV, JSON, JSON lines or Parquet, also "
        ".gz. Nothing leaves this machine."
    )
    given = st.file_uploader(
        "File", label_visibility="collapsed", key=f"file-{st.session_state.get('imports', 0)}"
    )
    if given is None:
        if "imported" in st.session_state:
            for alarm in st.session_state.get("import-alarms", []):
                notice(alarm, kind="problem")
            notice(st.session_state["imported"], kind="good")
            for page, label in _onward(study):
                link_to(page, label)
            for warning in st.session_state.get("import-warnings", []):
                notice(warning)
            _skipped(*st.session_state.get("skipped", ([], 0)))
        return
    st.session_state.pop("imported", None)
    try:
        _take_in(study, _saved(given))
    except TandemError as error:  # the rest of the page is none the worse for a bad file
        notice(_said(error), kind="problem")


def _onward(study: Study) -> Iterator[tuple[str, str]]:
    """The pages on which what was imported is of use, and what they do with it."""
    if study.store.datasets.lacks_texts(study.dataset):
        yield "leaderboard", "See the leaderboard"
        yield "agreement", "See how the judges agree"
    else:
        yield "annotate", "Annotate it"
        yield "judge", "Run a judge over it"


def _said(error: TandemError) -> str:
    return spoken(_on_the_page(error.sentence), plainly)


def _on_the_page(sentence: str) -> str:
    """A refusal with this page's ways out in place of the command line's."""
    way_out = rf"; name (it|one|them) with {setting('map')} .*"
    sentence = re.sub(way_out, "; choose it above, under the first rows", sentence)
    sentence = re.sub(rf"{setting('map')} (\w+)=(?=[\s,;]|$)", r"\1 = (not there) above", sentence)
    sentence = re.sub(rf"{setting('map')} ([\w:]+)=", r"\1 = ", sentence)
    return sentence.replace(setting("format"), '"What is it?"')


def _take_in(study: Study, path: Path) -> None:
    seen = files.preview(path, 20)
    layout = st.selectbox(
        "What is it?",
        [AUTO, *LAYOUTS],
        format_func=lambda name: LAYOUTS[name].title if name in LAYOUTS else name,
    )
    found = recognise(path, Reading(layout="auto" if layout == AUTO else layout))
    _preview(seen, found)
    dataset, kind = _described(path, found)
    reading = replace(
        _corrected(found),
        layout=found.layout,
        kind=kind,
        kinds=_kinds(found, kind or Kind.HUMAN),
    )
    if settled_reading := settled(study.store, path, dataset, reading):
        _import(study, path, dataset, settled_reading)


def _saved(given: UploadedFile) -> Path:
    """The upload as a file of the same name, kept for this session: the importer reads it twice."""
    key, name = f"{given.file_id}", file_name(given.name)
    if st.session_state.get("upload", ("",))[0] != key:
        folder = scratch()
        with scratch_told():
            (Path(folder.name) / name).write_bytes(given.getbuffer())
        st.session_state["upload"] = (key, folder)
    return Path(st.session_state["upload"][1].name) / name


def _preview(seen: list[Row | files.Skipped], found: Recognised) -> None:
    rows = [row.cells for row in seen if isinstance(row, Row)]
    small(f"Read as: {LAYOUTS[found.layout].title}. The first rows:")
    shown = pd.DataFrame(rows).map(lambda value: str(value)[:300], na_action="ignore").fillna("")
    st.dataframe(shown, hide_index=True, height=min(38 + 35 * len(rows), 250))


def _corrected(found: Recognised) -> Reading:
    """Which column is what, and whose texts they are, as it stands on the page."""
    layout = LAYOUTS[found.layout]
    if not layout.by_hand and not {"codes", "systems", "system_name"} & {*layout.settings}:
        return Reading()
    with st.expander("Which column is what", expanded=True):
        mapping = _mapping(found, layout.by_hand)
        columns = st.columns(2)
        if "codes" in layout.settings:
            judges = columns[0].multiselect(
                "Several judges, a column each", found.columns, key=f"judges-{found.path}"
            )
            mapping |= {f"winner:{column}": column for column in judges}
        systems: list[str] = []
        if "systems" in layout.settings:
            named = columns[1].text_input(
                "Systems, where the file does not name them",
                help="In the file's order, parted by commas",
                key=f"systems-{found.path}-{found.layout}",
            )
            systems = [name.strip() for name in named.split(",") if name.strip()]
        system_name = ""
        if "system_name" in layout.settings:
            system_name = columns[0].text_input(
                "System, where all texts are of one",
                help="The name of what wrote them, where no column has it",
                key=f"system-name-{found.path}-{found.layout}",
            )
    return Reading(mapping=mapping, systems=tuple(systems), system_name=system_name)


def _mapping(found: Recognised, fields: Sequence[str]) -> dict[str, str]:
    """Which column is what; '' for what is not there. An item and a probability that were
    recognised are left to the importer: they may number rows, or be of the winner.
    """
    columns = st.columns(4)
    chosen = {}
    for place, field in enumerate(fields):
        options = [NONE, *found.columns]
        recognised = found.fields.get(field, NONE)
        chosen[field] = columns[place % 4].selectbox(
            field.replace("_", " "),
            options,
            index=options.index(recognised),
            key=f"map-{found.path}-{field}",
        )
    for field in ("item", "prob_a"):
        if chosen.get(field) == found.fields.get(field):
            chosen.pop(field, None)
    return {field: "" if column == NONE else column for field, column in chosen.items()}


def _import(study: Study, path: Path, dataset: Dataset, reading: Reading) -> None:
    asked = (str(path), repr(dataset), repr(reading))
    if not st.button("Import", type="primary"):
        # It stays until something else is asked, also when the page is drawn anew by itself.
        before, why = st.session_state.get("import-refused", ((), ""))
        if before == asked:
            notice(why, kind="problem")
        return
    bar = st.progress(0.0, "checking …")

    def progress(stage: str, done: int, of: int) -> None:
        bar.progress(
            done / of if of else 0.0, f"{stage}: {done:,}{f' of {of:,}' if of else ''} rows"
        )

    try:
        report = importer.load(study.store, [path], dataset, reading, progress=progress)
    except (UncertainError, UncertainDatesError) as doubt:
        # of a row further down than the preview looks
        remember(path, reading, doubt)
        st.rerun()
    except TandemError as error:
        st.session_state["import-refused"] = asked, _said(error)
        raise
    finally:
        bar.empty()
    _remember(report)
    st.rerun()


def _described(path: Path, found: Recognised) -> tuple[Dataset, Kind | None]:
    """What the data set is called, whose votes and scores it has (where its layout leaves that
    open), and what its texts are called.
    """
    name, who, context, candidate = st.columns(4)
    default = re.sub(r"(\.(csv|tsv|jsonl?|ndjson|parquet|gz))+$", "", path.name)
    dataset = name.text_input(
        "Name of the data set", default, help="A name that exists already is added to."
    )
    layout, kind = LAYOUTS[found.layout], None
    if "kind" in layout.settings:
        kind = who.selectbox(
            "Votes and scores are by",
            list(SOURCES),
            index=list(SOURCES).index(layout.kind),
            format_func=SOURCES.__getitem__,
            key=f"by-{found.path}-{found.layout}",
        )
    nouns = layout.nouns
    context_noun = context.text_input(
        "A context is called", nouns[0], help='Such as "article" or "question"'
    )
    candidate_noun = candidate.text_input(
        "A text is called", nouns[1], help='Such as "summary" or "answer"'
    )
    return Dataset(dataset.strip(), context_noun=context_noun, candidate_noun=candidate_noun), kind


def _kinds(found: Recognised, kind: Kind) -> dict[str, Kind]:
    """What each rater is, where a table has marks by several: a metric may stand beside people."""
    there = raters_of(found.fields)
    if len(there) < 2:
        return {}
    small("The scores of each rater are by:")
    columns, chosen = st.columns(4), dict[str, Kind]()
    for place, rater in enumerate(filter(None, there)):
        with columns[place % 4]:
            st.text(rater)  # no name in a label, which is markdown
            chosen[rater] = st.selectbox(
                "Kind of rater",
                list(SOURCES),
                index=list(SOURCES).index(usual_kind(rater, kind)),
                format_func=SOURCES.__getitem__,
                label_visibility="collapsed",
                key=f"kind-{found.path}-{kind}-{rater}",
            )
    return chosen


def _remember(report: importer.Report) -> None:
    """What is said of an import once the page is drawn anew, with its data set chosen."""
    added = (
        ", ".join(
            f"{count:,} {what[:-1] if count == 1 else what}"
            for what, count in report.added.items()
            if count
        )
        or "nothing that was not there already"
    )
    count = len(report.skipped) + report.unlisted
    skipped = f" {count:,} of {report.rows:,} rows were skipped." if count else ""
    st.session_state["imported"] = f"Added to {report.dataset}: {added}.{skipped}"
    told = report.told(plainly)
    st.session_state["skipped"] = told.skipped, told.unlisted
    st.session_state["import-alarms"] = told.alarms
    alarms = set(told.alarms)
    st.session_state["import-warnings"] = [each for each in told.warnings if each not in alarms]
    st.session_state["imports"] = st.session_state.get("imports", 0) + 1
    set_dataset(report.dataset)


def _skipped(skipped: list[dict[str, object]], unlisted: int) -> None:
    if skipped:
        first = "The first " if unlisted else ""
        with st.expander(f"{first}{len(skipped):,} skipped rows, and why"):
            frame = pd.DataFrame(skipped)
            st.dataframe(frame, hide_index=True)
            st.download_button(
                "CSV", for_spreadsheets(frame), "skipped.csv", "text/csv", on_click="ignore"
            )
