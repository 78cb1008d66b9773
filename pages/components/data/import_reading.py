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
