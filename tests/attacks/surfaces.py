"""What a store of hostile words is shown on: views, commands and files, made once."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import re
import sqlite3
import zipfile
from collections.abc import Iterator
from contextlib import closing
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.message import Message
from lxml import html
from streamlit.testing.v1 import AppTest

from core.__main__ import main
from core.access import CROWD
from core.cli import COMMANDS
from core.exporting import FORMATS
from pages.components.annotate.answers import CODE
from pages.components.shared.frame import PAGES as MENU_PAGES
from pages.components.shared.frame import SECTIONS
from pages.components.shared.texts import FORMULAS
from tests import hostile
from tests.figures import count_in_place
from tests.pages.drawn import draw, run

STEMS = [Path(entry.path).stem for entry in MENU_PAGES]
VERBATIM = {
    *("Html.body", "PageLink.query_string", "PageLink.icon", "Code.code_text", "Text.body"),
    *("Selectbox.options", "Selectbox.raw_value", "MultiSelect.options", "MultiSelect.raw_values"),
    *("TextInput.default", "TextInput.placeholder", "TextArea.default", "TextArea.placeholder"),
    *("VegaLiteChart.spec", "Block.form.form_id", "Table"),
}
"""Where Streamlit shows text as it is; of HTML see below. Everything else it sends may be Markdown,
which fetches pictures, sets formulas and has links.
"""
ESCAPED = {"ButtonGroup.options.content", "TextInput.label"}
"""Markdown in which every sign that means something stands behind a backslash."""
MEANING = re.compile(r"[*_`\[\]<>$:~|!#]")
TAGS = {
    *("b", "br", "button", "details", "div", "h1", "h2", "h3", "i", "input", "li", "p", "section"),
    *("span", "style", "summary", "table", "tbody", "td", "th", "thead", "tr", "ul", "wbr"),
    *("blockquote", "code", "em", "hr", "ol", "pre", "s", "strong"),  # of Markdown
}
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
FORMULA = re.compile(r"'*[=+\-@\t\r]")
NUMBER = re.compile(r"[+-]?[\d.]+(e[+-]?\d+)?")
EXPRESSIONS = ("expr", "calculate", "test", "filter", "signal")
DRAWN = ("link", "image", "markdown", "html", "json")
"""Kinds of column that make more of a cell than its text."""

ON_DATA = ["--dataset", hostile.DATASET, "--attribute", hostile.ATTRIBUTES[0]]
ASKED: dict[str, list[str]] = {
    "rank": [*ON_DATA, "--bootstrap", "0"],
    "correlate": [
        *("--dataset", hostile.DATASET, "--attribute", hostile.ATTRIBUTES[1], "--level", "pool"),
        *("--method", "win-ratio", "--against", "human"),
    ],
    "budget": [*ON_DATA, "--replays", "2", "--bootstrap", "0"],
    "separability": [*ON_DATA, "--metric", "length", "--bootstrap", "0"],
    "accuracy": [*ON_DATA, "--against", "human"],
    "campaign": ["show", *ON_DATA[:2]],
    "crowd": ["answers", hostile.CAMPAIGN, *ON_DATA[:2]],
    "people": ["list"],
    "adjudicate": [*ON_DATA, "--named"],
    "try": [*ON_DATA, "--judge", "baseline:longer"],
    "exclude": ON_DATA[:2],
}
"""command -> what it is asked here, where that is more than a data set and an attribute."""
WRITING = {
    *("import", "dataset", "judge", "worker", "generate", "steps", "sample"),
    "app",  # which becomes the server of the pages
    *("backup", "restore", "export", "report"),
}
"""Commands that change something, or whose files are looked at by themselves."""
READING = {
    name: ASKED.get(name, ON_DATA if getattr(command, "is_about_data", False) else [])
    for name, command in COMMANDS.items()
    if name not in WRITING
}
EVE = {"annotator": "Eve", "dataset": hostile.DATASET}
OF_PEOPLE = ("members", "progress", "annotators", "disagreements", "messages")
WHATS = ("judgements", "generations", "scores")


class Surfaces:
    """All that shows one hostile store. What is asked for is made then, and once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = folder / "store.sqlite3"
        hostile.fill(self.store)

    @cached_property
    def pages(self) -> dict[str, list[tuple[str, str]]]:
        """view -> each (place, text) that the server sends of it."""
        with closing(sqlite3.connect(self.store)) as db:
            [(number,)] = db.execute("SELECT min(id) FROM runs").fetchall()
            [(code,)] = db.execute("SELECT code FROM crowds").fetchall()
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("TANDEM_STORE", str(self.store))
            patch.setenv("TANDEM_TRACEBACK", "1")
            count_in_place(patch)
            views = {stem: strings(draw(stem.removeprefix("app"), **EVE)) for stem in STEMS}
            for section, page in {**SECTIONS, **dict.fromkeys(OF_PEOPLE, "people")}.items():
                views[f"{page}: {section}"] = strings(draw(page, **EVE, section=section))
            opened = draw("judge", **EVE)
            opened.session_state["opened"] = number
            views["judge: a run"] = strings(run(opened))
            came = {CROWD: code, "PROLIFIC_PID": "p2"}
            views["annotate: a crowd"] = strings(draw("annotate", **came))
        return views

    @cached_property
    def commands(self) -> dict[str, tuple[int, str, str]]:
        """Words of a command -> (status, what it prints, what it warns of)."""
        return {
            " ".join([command, *form]): said(self.store, command, *words, *form)
            for command, words in READING.items()
            for form in ([], ["--json"])
        }

    @cached_property
    def exports(self) -> dict[str, str]:
        """The texts in every file that `export` writes, by its name; CSV is for spreadsheets."""
        to = self.folder / "exports"
        to.mkdir()
        for what in WHATS:
            self._export(to / f"{what}.csv", "--what", what, "--for-spreadsheets")
            self._export(to / f"{what}.jsonl", "--what", what)
        self._export(to / "board.csv", "--what", "leaderboard", *ON_DATA[2:], "--for-spreadsheets")
        for name, form in FORMATS.items():
            self._export(to / f"{name}{form.suffixes[0]}", "--format", name)
        return {file.name: content(file) for file in sorted(to.rglob("*")) if file.is_file()}

    def _export(self, to: Path, *words: str) -> None:
        status, _, err = said(self.store, "export", *ON_DATA[:2], *words, "--to", str(to))
        assert status in (0, 2), err
        assert err.count("\n") <= 3
        assert not CONTROLS.search(err)


def said(store: Path, *words: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(["--store", str(store), *words])
    return status, out.getvalue(), err.getvalue()


def strings(app: AppTest) -> list[tuple[str, str]]:
    """Each (place, text) of a page; the cells of its tables are in the place "Table"."""
    protos = (getattr(node, "proto", None) for node in _nodes(app._tree))
    messages = [proto for proto in protos if isinstance(proto, Message)]
    every = [each for proto in messages for each in _strings(proto, type(proto).__name__)]
    tables = [table.value.reset_index() for table in app.dataframe]
    rows = [row for table in tables for row in [table.columns, *table.to_numpy()]]
    return every + [("Table", str(cell)) for row in rows for cell in row]


def _nodes(block: Any) -> Iterator[Any]:
    for child in block.children.values():
        yield child
        if hasattr(child, "children"):
            yield from _nodes(child)


def _strings(message: Message, path: str) -> Iterator[tuple[str, str]]:
    for field, value in message.ListFields():
        name = f"{path}.{field.name}"
        for each in value if field.is_repeated else [value]:
            if isinstance(each, Message):
                yield from _strings(each, name)
            elif isinstance(each, str):
                yield name, each


def check_place(place: str, text: str) -> None:
    """Hostile words of a page stand where nothing is made of them."""
    if place in ESCAPED:
        assert not MEANING.search(re.sub(r"\\.", "", text)), text
    elif not place.endswith((".id", ".form_id")):
        assert place in VERBATIM, place


def check_html(body: str, words: re.Pattern[str]) -> None:
    """Words in HTML are its text, and nothing that a browser fetches or runs."""
    if "tandem-text" not in body:
        assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", body)
    for element in html.fragment_fromstring(body, create_parent="p").iter():
        if element.tag == "script":
            assert element.text in (CODE, FORMULAS)
            continue
        assert element.tag in TAGS
        assert element.tag != "style" or not words.search(element.text or "")
        for name, value in element.attrib.items():
            assert not name.startswith("on")
            assert name not in ("href", "src", "srcset", "action", "formaction")
            assert name != "style" or not words.search(value)


def check_chart(spec: str, words: re.Pattern[str]) -> None:
    """In an expression of Vega's, words stand between quotes, and nothing has an address."""
    for key, text in _values(json.loads(spec)):
        assert key not in ("url", "href", "$schema_url"), key
        if key.lower().endswith(EXPRESSIONS):
            bare = re.sub(r'"(\\.|[^"\\])*"', '""', text)
            assert not words.search(bare), text
            assert '"__proto__":' not in text, "Vega draws nothing"


def _values(spec: Any, key: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(spec, dict):
        for name, value in spec.items():
            yield from _values(value, name)
    elif isinstance(spec, list):
        for value in spec:
            yield from _values(value, key)
    elif isinstance(spec, str):
        yield key, spec


def content(file: Path) -> str:
    """The texts in a file, as whoever reads its form gets them."""
    if file.suffix == ".zip":
        with zipfile.ZipFile(file) as packed:
            names = packed.namelist()
            for name in names:
                assert not {"..", ""} & set(Path(name).parts)
                assert not name.startswith(("/", "\\"))
                assert not CONTROLS.search(name)
            return "\n".join(packed.read(name).decode() for name in names)
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".json":
        return json.dumps(json.loads(text), ensure_ascii=False)
    if file.suffix == ".jsonl":
        rows = [json.loads(line) for line in text.split("\n") if line]
        return json.dumps(rows, ensure_ascii=False)
    if file.suffix == ".csv":
        _check_cells(text)
    return text


def _check_cells(text: str) -> None:
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert len(rows) > 1
    for cell in (cell for row in rows for cell in row):
        plain = cell.startswith("'") or not FORMULA.match(cell) or NUMBER.fullmatch(cell)
        assert plain, cell
