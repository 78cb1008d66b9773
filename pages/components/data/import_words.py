"""What an import says, with this page's ways out in place of the command line's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

import streamlit as st

from core.labels import isolated
from core.records import plainly, setting, spoken

_MEANINGS = "|".join(map(setting, ("first_wins", "second_wins", "tie")))
WAYS = (
    (rf"; name (it|one|them) with {setting('map')} .*", "; choose it above, under the first rows"),
    (rf"say what they mean with (({_MEANINGS})(, | and | or )?)+", "choose above what they mean "),
    (rf"{setting('map')} (\w+)=(?=[\s,;]|$)", r"\1 = (not there) above"),
    (rf"{setting('map')} ([\w:]+)=", r"\1 = "),
    (setting("format"), '"What is it?"'),
)
"""What the command line says, and what this page says instead."""


def say_on_page(sentence: str) -> str:
    """A sentence of an import as this page says it."""
    for way, instead in WAYS:
        sentence = re.sub(way, instead, sentence)
    return re.sub(r" (?=[,.;]|$)", "", spoken(sentence, plainly))


def show_rows(lines: Sequence[str]) -> None:
    """Sentences in which names stand between asterisks, shown in italics."""
    name = re.compile(r"(?<=\s)\*(.+?)\*(?=[\s:]|$)")
    said = (name.sub(r"<em>\1</em>", escape(isolated(line))) for line in lines)
    st.html(f'<ul class="tandem-rows">{"".join(f"<li>{line}</li>" for line in said)}</ul>')
