"""Columns of a file and their fields, its layout and encoding, and readings that were saved."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from zoneinfo import available_timezones

import streamlit as st

from core.importing import (
    LAYOUTS,
    SETTINGS,
    USUAL,
    EncodingError,
    Reading,
    RecognisedFile,
    Repeats,
    files,
    parse_reading,
    propose_reading,
    raters_of,
    render_reading,
    usual_kind,
)
from core.labels import SOURCES, isolate_directions
from core.records import Kind, TandemError, plain_name, render_options
from pages.components.shared.notice import notice, show_caption
from pages.components.shared.settings import choose_one

AUTO = "recognise it"
WIDE = 420  # pixels
MARKS, BEHIND = re.compile(r"([\\`*_{}\[\]()#+\-.!~$:<>|])"), r"\\\1"
"""Signs of Markdown, and what stands for each."""
COUNTS = {
    Repeats.LAST: "the last answer counts",
    Repeats.FIRST: "the first answer counts",
    Repeats.ALL: "each answer counts",
}


def choose_layout(path: Path) -> Reading:
    """Return the reading that is uploaded, else the usual one, with the layout that is chosen."""
    what, use = st.columns([2, 1], vertical_alignment="bottom")
    with use, st.popover("Use a saved reading"):
        given = st.file_uploader(
            "A saved reading (TOML)",
            type="toml",
            key=f"reading-{path}",
            help="How a file like this one was read before, as you saved it",
        )
    reading = USUAL
    if given:
        try:
            reading = parse_reading(given.getvalue(), given.name)
        except TandemError as error:
            notice(render_options(error.sentence, plain_name), kind="problem")
    titles = {"auto": AUTO, **{name: layout.title for name, layout in LAYOUTS.items()}}
    key = f"layout-{path}-{hash(repr(reading))}"
    label = SETTINGS["format"].label
    layout = choose_one(what.selectbox, label, titles, reading.layout, key=key)
    return replace(reading, layout=layout)


def choose_text(path: Path, reading: Reading) -> Reading:
    """Ask for the sheet and the encoding if there are several; return the reading with them."""
    sheets = {"": "all with the same columns", **{name: name for name in files.sheets(path)}}
    sheet, encoding = reading.sheet, reading.encoding
    if len(sheets) > 2:
        label = SETTINGS["sheet"].label
        sheet = choose_one(st.selectbox, label, sheets, sheet, key=f"sheet-{path}")
    if candidates := st.session_state.get(f"encodings-{path}"):
        show_caption(
            "The file is not UTF-8 text. Choose the encoding in which its words read right:"
        )
        words = {name: f"{name}: {MARKS.sub(BEHIND, shown)}" for name, shown in candidates}
        encoding = choose_one(
            st.radio, SETTINGS["encoding"].label, words, encoding,
            label_visibility="collapsed", key=f"encoding-{path}",
        )  # fmt: skip
    return replace(reading, sheet=sheet, encoding=encoding)


def remember_encodings(path: Path, error: EncodingError) -> bool:
    """Ask for the encoding of a file from now on; False without a choice, or if already asked."""
    key = f"encodings-{path}"
    if not error.candidates or key in st.session_state:
        return False
    st.session_state[key] = error.candidates[:6]
    return True


def choose_settings(found: RecognisedFile, reading: Reading, key: str) -> Reading:
    """Ask what only few files need, and return the reading with it."""
    free = [column for column in found.source.columns if column not in found.fields.values()]
    if free:
        reading = _choose_names("unused", free, reading, key)
    attributes = [name.rpartition(":")[2] for name in found.fields if name.startswith("score:")]
    if "codes" in LAYOUTS[found.layout].settings:
        label, value = SETTINGS["repeats"].label, reading.repeats
        repeats = choose_one(st.selectbox, label, COUNTS, value, key=f"repeats-{key}", width=WIDE)
        reading = replace(reading, repeats=repeats)
    if "created_at" in found.fields:
        zones = {"": "UTC", **{name: name for name in sorted(available_timezones())}}
        label, value = SETTINGS["zone"].label, reading.zone
        zone = choose_one(st.selectbox, label, zones, value, key=f"zone-{key}", width=WIDE)
        reading = replace(reading, zone=zone)
    if attributes:
        reading = _choose_names("lower_is_better", attributes, reading, key)
    return reading


def _choose_names(setting: str, names: list[str], reading: Reading, key: str) -> Reading:
    before = [name for name in getattr(reading, setting) if name in names]
    chosen = st.multiselect(
        SETTINGS[setting].label, list(dict.fromkeys(names)), before,
        key=f"{setting}-{key}", width=WIDE,
    )  # fmt: skip
    return replace(reading, **{setting: tuple(chosen)})


def save_reading(path: Path, reading: Reading) -> None:
    """Offer the reading of the file as a download."""
    st.download_button(
        "Save this reading",
        render_reading(propose_reading(path, reading)),
        f"{path.name.partition('.')[0]}.toml",
        "application/toml",
        help="A small text file that says how this file is read. Cite it, or read other files "
        "with it, here or by import --reading",
        on_click="ignore",
    )


NONE = "(not there)"
FIRST_SHOWN = 12  # fields before something is folded
PATHS = 200  # places within cells that are offered
OFTEN = ("created_at", "shown_first", "comment", "confidence", "subset", "reference")
"""Fields that are offered besides those of a layout."""

LABELS = {"judge": "Who judged", "prob_a": "Probability of A", "created_at": "Time"}

Rows = Sequence[Mapping[str, object]]


def choose_fields(found: RecognisedFile, given: Reading, rows: Rows, key: str) -> Reading:
    """Ask for the column of each field and for the systems; return the reading with them."""
    layout = LAYOUTS[found.layout]
    heading("Which column is what")
    if not layout.by_hand:
        show_caption(f"A file of this kind says itself what is what: {layout.title}.")
    fields, more = _split_fields(found)
    with st.container(key="tandem-rows-fields", gap="xsmall"):
        chosen = {field: _choose_column(field, found, rows, key) for field in fields}
    systems, system_name = given.systems, given.system_name
    if "systems" in layout.settings and not {"system_a", "systems"} & set(found.fields):
        typed = st.text_input(
            SETTINGS["systems"].label, ", ".join(given.systems), key=f"systems-{key}",
            help="In the file's order, parted by commas",
        )  # fmt: skip
        systems = tuple(name.strip() for name in typed.split(",") if name.strip())
    if "system_name" in layout.settings and "system" not in found.fields:
        system_name = st.text_input(
            SETTINGS["system_name"].label, given.system_name, key=f"system-name-{key}",
            help="The name of what wrote them, where no column has it",
        )  # fmt: skip
    with st.expander("More fields and settings"):
        with st.container(key="tandem-rows-more", gap="xsmall"):
            chosen |= {field: _choose_column(field, found, rows, key) for field in more}
        if "codes" in layout.settings:
            judges = st.multiselect(
                "Several judges, a column each", found.source.columns, key=f"judges-{key}"
            )
            chosen |= {f"winner:{column}": column for column in judges}
        given = choose_settings(found, given, key)
    mapping = {**given.mapping, **_list_changes(chosen, found)}
    return replace(given, mapping=mapping, systems=systems, system_name=system_name)


def choose_kinds(found: RecognisedFile, kind: Kind, key: str) -> dict[str, Kind]:
    """Ask for the kind of each rater in a table with several, such as a metric beside people."""
    there = raters_of(found.fields)
    if len(there) < 2:
        return {}
    show_caption("The scores of each rater are by:")
    columns, chosen = st.columns(4), dict[str, Kind]()
    for place, rater in enumerate(filter(None, there)):
        with columns[place % 4]:
            st.text(rater)  # no name in a label, which is markdown
            chosen[rater] = choose_one(
                st.selectbox, SETTINGS["kinds"].label, SOURCES, usual_kind(rater, kind, there),
                label_visibility="collapsed", key=f"kind-{key}-{kind}-{rater}",
            )  # fmt: skip
    return chosen


def heading(text: str) -> None:
    """Show the heading of a part of the form."""
    st.html(f'<h3 class="tandem-part">{escape(text)}</h3>')


def label_field(field: str) -> str:
    """Return the label of a field on the page, such as "System A" or "Shown first"."""
    if field in LABELS:
        return LABELS[field]
    words = field.replace("_", " ")
    words = words[:-1] + words[-1].upper() if words.endswith((" a", " b")) else words
    return words[:1].upper() + words[1:]


def _split_fields(found: RecognisedFile) -> tuple[list[str], list[str]]:
    by_hand = LAYOUTS[found.layout].by_hand
    if not by_hand:
        return [], []
    every = [*by_hand, *found.fields, *OFTEN]
    there = [name for name in every if name in found.fields or name in NEEDED & {*by_hand}]
    fields = list(dict.fromkeys(there))[:FIRST_SHOWN]
    return fields, [name for name in dict.fromkeys(every) if name not in fields]


def _list_changes(chosen: Mapping[str, str], found: RecognisedFile) -> dict[str, str]:
    """Return the columns that were changed, by field; '' for a field without a column."""
    return {
        field: "" if column == NONE else column
        for field, column in chosen.items()
        if column != found.fields.get(field, NONE)
    }


NEEDED = frozenset(("item", "judge", "system_a", "system_b", "winner", "system", "text"))
"""Fields that are shown although no column was found for them."""


def _choose_column(field: str, found: RecognisedFile, rows: Rows, key: str) -> str:
    name, choice, example = st.columns([2, 3, 6], vertical_alignment="center", gap="small")
    recognised = found.fields.get(field, NONE)
    options = list(dict.fromkeys([NONE, *found.source.columns, recognised, *_list_paths(rows)]))
    label = label_field(field)
    with name:
        st.html(f'<p class="tandem-field">{escape(isolate_directions(label))}</p>')
    with choice:
        column = st.selectbox(
            "Column of a field" if ":" in field else label,  # a label is markdown
            options, options.index(recognised),
            label_visibility="collapsed", key=f"map-{key}-{field}",
        )  # fmt: skip
    with example:
        cells = (str(row[column]) for row in rows if row.get(column) not in (None, ""))
        values = [
            cell if len(cell) <= 40 else cell[:40].rstrip() + "…" for cell in dict.fromkeys(cells)
        ]
        shown = " · ".join(values[:3]) + (" …" if len(values) > 3 else "")
        st.html(f'<p class="tandem-small tandem-example">{escape(isolate_directions(shown))}</p>')
    return str(column)


def _list_paths(rows: Rows) -> list[str]:
    """List the paths in nested cells of the first rows: question.id, messages[0].content."""
    paths = dict[str, None]()
    for row in rows[:5]:
        for column, cell in row.items():
            if isinstance(cell, dict | list):
                paths.update(dict.fromkeys(_walk(column, cell, depth=4)))
    return list(paths)[:PATHS]


def _walk(path: str, cell: object, depth: int) -> Iterator[str]:
    yield path
    if isinstance(cell, dict) and depth:
        for name, inner in cell.items():
            yield from _walk(f"{path}.{name}", inner, depth - 1)
    elif isinstance(cell, list) and cell and depth:
        yield from _walk(f"{path}[0]", cell[0], depth - 1)
        yield from _walk(f"{path}[-1]", cell[-1], depth - 1)
