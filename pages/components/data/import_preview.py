"""A file as it would be read, before anything is written: rows in words, items, what is left."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from html import escape
from pathlib import Path

import streamlit as st

from core.contents import look_at_files
from core.importing import NOT_USED, ItemsAre, Preview, Reading, UnusedColumnError, preview
from core.labels import TEXT_FORMATS, capitalise, isolate_directions, pluralize
from core.records import Dataset, TextFormat, option_ref, plain_name, render_options
from core.store import Store
from pages.components.data.import_fields import heading, label_field
from pages.components.shared.notice import notice, show_caption
from pages.components.shared.settings import choose_one
from pages.components.shared.texts import show_texts

KEPT = "import-preview"
LEAD = "import-lead"
ANSWERED = "columns answered for "  # with the path of a file
FORMAT = "text format of "  # with the key of an import: how people are to see the texts
REASONS = 5  # that are listed


def preview_once(store: Store, path: Path, dataset: Dataset, reading: Reading) -> Preview:
    """Preview a file, read again only when something else is asked. Raises TandemError."""
    asked = (str(path), repr(dataset), repr(reading), store.datasets.identity(dataset.name))
    before, kept = st.session_state.get(KEPT, ((), None))
    if before != asked or kept is None:
        kept = preview(store, path, dataset, reading)
        st.session_state[KEPT] = asked, kept
    return kept  # type: ignore[no-any-return]


def show_lead(path: Path, reading: Reading, shown: Preview) -> None:
    """Show who would lead by the votes of a small file; nothing of one read in part."""
    if not shown.is_whole or not shown.winners:
        return
    asked = str(path), repr(reading)
    before, lead = st.session_state.get(LEAD, ((), ""))
    if before != asked:
        lead = look_at_files([path], reading).lead
        st.session_state[LEAD] = asked, lead
    heading("Who would lead")
    show_caption(lead)


def ask_about_column(path: Path, question: UnusedColumnError) -> None:
    """Ask what a column is that seems to hold something and is not used."""
    notice("".join(f"{capitalise(said)}. " for said in (question.fact, question.recipe) if said))
    answers = st.session_state.setdefault(f"{ANSWERED}{path}", {})
    with st.container(horizontal=True):
        what = question.field.partition(":")[0]
        label = "Another question" if what == "attribute" else label_field(what)
        named = {label: question.field}
        for label, field in {**(named if question.field else {}), "Leave it out": ""}.items():
            st.button(
                f"Use it as: {label}" if field else label,
                key=f"column-{path}-{question.column}-{field}",
                on_click=answers.update,
                args=({question.column: field},),
            )


def settle_columns(path: Path, reading: Reading) -> Reading:
    """Return the reading with what was answered about columns that were not used."""
    answers = st.session_state.get(f"{ANSWERED}{path}", {})
    mapping = {field: column for column, field in answers.items() if field}
    left_out = tuple(column for column, field in answers.items() if not field)
    return replace(
        reading,
        mapping={**mapping, **reading.mapping},
        unused=tuple(dict.fromkeys((*reading.unused, *left_out))),
    )


def choose_items(shown: Preview, given: ItemsAre | None, key: str) -> None:
    """Describe what counts as an item; ask if the file has both names and contexts.

    The choice takes effect when the page is drawn next.
    """
    heading("What an item is")
    names, contexts = pluralize(shown.item_names, "name"), pluralize(shown.contexts, "context")
    held = pluralize(shown.report.counts["items"], "item")
    where = "" if shown.is_whole else f" in the first {shown.report.rows:,} rows"
    if shown.item_names and shown.contexts and shown.item_names != shown.contexts:
        show_caption(f"{names} and {contexts} are there{where}, which makes {held}.")
        named = {
            ItemsAre.NAMES: f"a name ({shown.item_names:,})",
            ItemsAre.CONTEXTS: f"a different context ({shown.contexts:,})",
        }
        choose_one(
            st.radio, "An item is", named, shown.reading.items,
            horizontal=True, label_visibility="collapsed", key=f"items-{key}",
        )  # fmt: skip
    elif shown.item_names or shown.contexts:
        what = "names" if shown.item_names else "contexts"
        show_caption(f"The {what} tell items apart: {held}{where}.")
    else:
        show_caption(
            f"Nothing tells items apart, so each row is an item of its own: {held}{where}."
        )


def choose_text_format(store: Store, dataset: Dataset, shown: Preview, key: str) -> None:
    """Ask how people will see the texts, and show one of them so.

    The default is the format of the data set, or the detected format in a new one. The choice takes
    effect on import.
    """
    found = shown.found_format
    if not found.text:
        return
    heading("How people see the texts")
    known = dataset.name in store.datasets.names() and store.texts.has_any_text(dataset.name)
    usual = store.datasets.text_format(dataset.name) if known else found.text_format
    if found.text_format is not TextFormat.PLAIN:
        name = TEXT_FORMATS[found.text_format]
        show_caption(f"{found.count:,} of {found.looked_at:,} texts look like {name}.")
    chosen = choose_one(
        st.radio, "Texts are shown as", TEXT_FORMATS, usual,
        horizontal=True, label_visibility="collapsed", key=f"{FORMAT}{key}",
    )  # fmt: skip
    is_open = chosen is not TextFormat.PLAIN
    with st.expander("One of the texts, as people will see it", expanded=is_open):
        noun, title = dataset.context_noun, dataset.candidate_noun.capitalize()
        show_texts(
            found.context, noun, (found.text,), text_format=chosen, titles=(title,), narrow=True
        )


def show_preview(shown: Preview) -> None:
    """Show the columns that are not used, rows in words, and what would be left out and why."""
    unused = [each for each in shown.report.columns if each["use"] == NOT_USED]
    if unused:
        heading("Columns that are not used")
        show_rows([f"column *{each['column']}*: {each['values'] or 'empty'}" for each in unused])
    heading("So these rows say:")
    show_rows([say_on_page(sample.sentence) for sample in shown.samples])
    report = shown.report
    heading("What will be left out")
    where = "" if shown.is_whole else f"Among the first {report.rows:,} rows, "
    reasons = Counter(re.sub(r"\d+", "…", str(row["reason"])) for row in report.skipped)
    example = {re.sub(r"\d+", "…", str(row["reason"])): row for row in reversed(report.skipped)}
    lost = len(report.skipped) + report.unlisted
    if not lost:
        show_caption(
            f"{where}nothing." if where else f"Nothing: all {report.rows:,} rows are used."
        )
    else:
        are = "rows are" if lost > 1 else "rows is"
        show_caption(f"{where}{lost:,} of {report.rows:,} {are} left out:")
        show_rows([
            f"{pluralize(count, 'row')}, such as row {example[reason]['row']}: "
            f"{say_on_page(str(example[reason]['reason']))}"
            for reason, count in reasons.most_common(REASONS)
        ])  # fmt: skip
    alarms = set(report.alarms)
    for warning in report.warnings:
        notice(say_on_page(warning), kind="problem" if warning in alarms else "quiet")


_MEANINGS = "|".join(map(option_ref, ("first_wins", "second_wins", "tie")))
WAYS = (
    (
        rf"[;:.] [Nn]ame (it|one|them) with {option_ref('map')} .*",
        "; choose it above, under the first rows",
    ),
    (rf"say what they mean with (({_MEANINGS})(, | and | or )?)+", "choose above what they mean "),
    (rf"{option_ref('map')} (\w+)=(?=[\s,;]|$)", r"\1 = (not there) above"),
    (rf"{option_ref('map')} ([\w:]+)=", r"\1 = "),
    (option_ref("format"), '"What is it?"'),
)
"""What the command line says, and what this page says instead."""


def say_on_page(sentence: str) -> str:
    """Write a sentence of an import in the words of this page."""
    for way, instead in WAYS:
        sentence = re.sub(way, instead, sentence)
    return re.sub(r" (?=[,.;]|$)", "", render_options(sentence, plain_name))


def show_rows(lines: Sequence[str]) -> None:
    """Show sentences with the names between asterisks in italics."""
    name = re.compile(r"(?<=\s)\*(.+?)\*(?=[\s:]|$)")
    said = (name.sub(r"<em>\1</em>", escape(isolate_directions(line))) for line in lines)
    st.html(f'<ul class="tandem-rows">{"".join(f"<li>{line}</li>" for line in said)}</ul>')
