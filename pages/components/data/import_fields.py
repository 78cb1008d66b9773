"""Assign columns to fields, above the first rows of the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from html import escape

import streamlit as st

from core.importing import (
    LAYOUTS,
    SETTINGS,
    UNSETTLED,
    Reading,
    RecognisedFile,
    raters_of,
    usual_kind,
)
from core.labels import SOURCES, isolate_directions
from core.records import Kind
from pages.components.data.import_reading import choose_settings
from pages.components.shared.notice import show_caption
from pages.components.shared.settings import choose_one

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
        if column != found.fields.get(field, NONE) or (column != NONE and field not in UNSETTLED)
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
