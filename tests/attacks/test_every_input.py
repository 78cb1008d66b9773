"""One class for each kind of input: wherever its words go, on pages, by commands and in files, they
are nothing but words. What the browser makes of them is seen in tests/pages/test_hostile.py.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import ClassVar

import pytest

from core.store import Store
from tests import hostile
from tests.attacks.surfaces import (
    CONTROLS,
    DRAWN,
    PAGES,
    Surfaces,
    check_chart,
    check_html,
    check_place,
)

EVERY_PAGE = {Path(page).stem for page in PAGES}
TEXTS = {
    *("generations.csv", "generations.jsonl", "judgements.csv", "judgements.jsonl", "trl.jsonl"),
    *("argilla.json", "label-studio.json", "alpaca-eval.json", "potato.zip", "langsmith.zip"),
}
EVERY_FILE = {*TEXTS, "scores.csv", "scores.jsonl", "board.csv", "arena-hard.zip"}


@pytest.fixture(scope="module")
def surfaces(tmp_path_factory: pytest.TempPathFactory) -> Surfaces:
    return Surfaces(tmp_path_factory.mktemp("hostile"))


class Words:
    """What holds of every kind. `words` finds them, also behind backslashes; `pages`, `commands`
    and `files` are where they must be found, so that there is something to be seen there.
    """

    words: ClassVar[str]
    pages: ClassVar[set[str]] = set()
    commands: ClassVar[set[str]] = set()
    files: ClassVar[set[str]] = set()

    def has(self, text: str) -> bool:
        return re.search(self.words, text) is not None

    def test_on_every_page(self, surfaces: Surfaces) -> None:
        """No Markdown, no HTML, no expression of a chart, and nothing that is fetched."""
        on = set()
        for view, texts in surfaces.pages.items():
            for place, text in texts:
                if not self.has(text):
                    continue
                on.add(view)
                check_place(place, text)
                if place == "Html.body":
                    check_html(text, re.compile(self.words))
                elif place == "VegaLiteChart.spec":
                    check_chart(text, re.compile(self.words))
        assert self.pages <= on, self.pages - on

    def test_by_every_command(self, surfaces: Surfaces) -> None:
        """No control of a terminal, no traceback, and JSON where that was asked for."""
        by = set()
        for words, (status, out, err) in surfaces.commands.items():
            assert status in (0, 2), (words, err)
            assert not CONTROLS.search(out.replace("\r", "") + err), words
            assert "Traceback" not in err
            assert err.count("\n") <= 3, words
            if status == 0 and words.endswith("--json"):
                out = json.dumps(json.loads(out), ensure_ascii=False)
            if self.has(out):
                by.add(words)
        assert self.commands <= by, self.commands - by
        with Store(surfaces.store) as store:  # nothing of it was carried out
            talked = 4 * 2  # the run's answers
            votes = len(hostile.rows())
            assert store.connection.value("SELECT count(*) FROM judgements") == votes + talked

    def test_in_every_file(self, surfaces: Surfaces) -> None:
        """Words are what they were; for spreadsheets they are no formulas."""
        into = set()
        for name, text in surfaces.exports.items():
            if self.has(text):
                into.add(name)
        assert self.files <= into, self.files - into


class TestNames(Words):
    """Of systems, items, data sets, attributes, judges, people and campaigns."""

    words = (
        r"evil\.test|pwned|\$5 and|:material/home|__class__|\{\{7\*7|DROP TABLE|\\input\{|"
        r"\\write18|=HYPERLINK|@SUM\(|alert\(1\)|\.\./\.\./"
    )
    pages: ClassVar = EVERY_PAGE
    commands: ClassVar = {
        *("adjudicate", "agreement", "annotators", "bias", "campaign", "consistency", "datasets"),
        *("describe", "exclude", "people", "rank", "replace", "runs", "separability", "try"),
    }
    files: ClassVar = EVERY_FILE

    def test_in_tables_are_drawn_as_text(self, surfaces: Surfaces) -> None:
        """No column makes links or pictures of its cells."""
        columns = [
            text
            for texts in surfaces.pages.values()
            for place, text in texts
            if place == "Dataframe.columns" and text
        ]
        assert columns
        for kind in DRAWN:
            assert not [each for each in columns if f'"type":"{kind}"' in each.replace(" ", "")]


class TestCandidates(Words):
    words = r"candidate\\?\.test"
    pages: ClassVar = {"annotate", "judge", "agreement", "people: Annotators", "judge: a run"}
    commands: ClassVar = {"try --json"}
    files: ClassVar = TEXTS


class TestContexts(Words):
    words = r"context\\?\.test"
    pages: ClassVar = {"annotate", "judge", "agreement", "data", "people: Disagreements"}
    commands: ClassVar = {"try --json"}
    files: ClassVar = TEXTS


class TestComments(Words):
    """Of annotators, on their answers."""

    words = r"comment\\?\.test"
    pages: ClassVar = {"agreement", "people: Disagreements"}
    files: ClassVar = {"judgements.csv", "judgements.jsonl", "trl.jsonl", "potato.zip"}


class TestReplies(Words):
    """Of language models and their servers, and of these the reasons why there is no answer."""

    words = r"reply\\?\.test"
    pages: ClassVar = {"agreement", "bias", "judge: a run"}
    commands: ClassVar = {"agreement", "bias", "describe --json", "replace", "runs --json"}
    files: ClassVar = {"judgements.csv", "judgements.jsonl", "arena-hard.zip", "langsmith.zip"}


class TestReasons(Words):
    """That a campaign offers, and for which somebody was left out."""

    words = r"reason\\?\.test"
    pages: ClassVar = {"annotate", "campaigns", "people"}
    commands: ClassVar = {"campaign", "exclude"}


class TestQuestionnaires(Words):
    """Asked before the first pair; what was answered is a comment."""

    words = r"question\\?\.test"
    pages: ClassVar = {"campaigns", "annotate: a crowd"}
    commands: ClassVar = {"crowd", "crowd --json"}


class TestMessages(Words):
    """To annotators, beside what they are asked."""

    words = r"message\\?\.test"
    pages: ClassVar = {"annotate", "people: Messages"}
