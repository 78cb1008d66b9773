"""Saved readings to use or keep; layout, sheet and encoding of a file; and rarer settings."""

from __future__ import annotations

import re
from dataclasses import replace
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
    render_reading,
)
from core.records import TandemError, plain_name, render_options
from pages.components.shared.notice import notice, show_caption

AUTO = "recognise it"
COUNTS = {
    Repeats.LAST: "the last answer counts",
    Repeats.FIRST: "the first answer counts",
    Repeats.ALL: "each answer counts",
}


def choose_layout(path: Path) -> Reading:
    """Ask for the layout of this file, and return the reading with it.

    The reading is one that the person uploads here, else the usual one.
    """
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
    layouts = ["auto", *LAYOUTS]
    layout = what.selectbox(
        SETTINGS["format"].label,
        layouts,
        index=layouts.index(reading.layout) if reading.layout in layouts else 0,
        format_func=lambda name: LAYOUTS[name].title if name in LAYOUTS else AUTO,
        key=f"layout-{path}-{hash(repr(reading))}",
    )
    return replace(reading, layout=layout)


def choose_text(path: Path, reading: Reading) -> Reading:
    """Ask for the sheet and the encoding if there are several; return the reading with them."""
    sheets = ["", *files.sheets(path)]
    sheet, encoding = reading.sheet, reading.encoding
    if len(sheets) > 2:
        sheet = st.selectbox(
            SETTINGS["sheet"].label,
            sheets,
            index=sheets.index(sheet) if sheet in sheets else 0,
            format_func=lambda name: name or "all with the same columns",
            key=f"sheet-{path}",
        )
    if candidates := st.session_state.get(f"encodings-{path}"):
        show_caption(
            "The file is not UTF-8 text. Choose the encoding in which its words read right:"
        )
        words = dict(candidates)
        encoding = st.radio(
            SETTINGS["encoding"].label,
            list(words),
            index=list(words).index(encoding) if encoding in words else 0,
            format_func=lambda name: f"{name}: {_escape_markdown(words[name])}",
            label_visibility="collapsed",
            key=f"encoding-{path}",
        )
    return replace(reading, sheet=sheet, encoding=encoding)


def remember_encodings(path: Path, error: EncodingError) -> bool:
    """Ask for the encoding of a file from now on; False without a choice, or if already asked."""
    key = f"encodings-{path}"
    if not error.candidates or key in st.session_state:
        return False
    st.session_state[key] = error.candidates[:6]
    return True


def choose_settings(found: RecognisedFile, reading: Reading, key: str) -> Reading:
    """Ask what only few files need, and return the reading with it.

    This is which of repeated answers count, the time zone, which columns are left out, and which
    scores are better if lower.
    """
    free = [column for column in found.source.columns if column not in found.fields.values()]
    if free:
        unused = st.multiselect(
            SETTINGS["unused"].label,
            free,
            [name for name in reading.unused if name in free],
            key=f"unused-{key}",
            width=420,
        )
        reading = replace(reading, unused=tuple(unused))
    attributes = [name.rpartition(":")[2] for name in found.fields if name.startswith("score:")]
    if "codes" in LAYOUTS[found.layout].settings:
        repeats = st.selectbox(
            SETTINGS["repeats"].label,
            list(Repeats),
            index=list(Repeats).index(reading.repeats),
            format_func=COUNTS.__getitem__,
            key=f"repeats-{key}",
            width=420,
        )
        reading = replace(reading, repeats=repeats)
    if "created_at" in found.fields:
        zones = ["", *sorted(available_timezones())]
        zone = st.selectbox(
            SETTINGS["zone"].label,
            zones,
            index=zones.index(reading.zone) if reading.zone in zones else 0,
            format_func=lambda name: name or "UTC",
            key=f"zone-{key}",
            width=420,
        )
        reading = replace(reading, zone=zone)
    if attributes:
        lower = st.multiselect(
            SETTINGS["lower_is_better"].label,
            list(dict.fromkeys(attributes)),
            [name for name in reading.lower_is_better if name in attributes],
            key=f"lower-{key}",
            width=420,
        )
        reading = replace(reading, lower_is_better=tuple(lower))
    return reading


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


def _escape_markdown(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]()#+\-.!~$:<>|])", r"\\\1", text)
