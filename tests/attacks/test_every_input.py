"""A row for each kind of input: wherever its words go, they are nothing but words."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass, field

import pytest

from core.store import Store
from tests import hostile
from tests.attacks.surfaces import (
    CONTROLS,
    DRAWN,
    STEMS,
    Surfaces,
    check_chart,
    check_html,
    check_place,
)
from tests.paths import ROOT

TEXTS = {
    *("generations.csv", "generations.jsonl", "judgements.csv", "judgements.jsonl", "trl.jsonl"),
    *("argilla.json", "label-studio.json", "alpaca-eval.json", "potato.zip", "langsmith.zip"),
}
EVERY_FILE = {*TEXTS, "scores.csv", "scores.jsonl", "board.csv", "arena-hard.zip"}


@pytest.fixture(scope="module")
def surfaces(tmp_path_factory: pytest.TempPathFactory) -> Surfaces:
    return Surfaces(tmp_path_factory.mktemp("hostile"))


@dataclass(frozen=True)
class Kind:
    """`words` finds it; `pages`, `commands` and `files` are where it must be found."""

    words: str
    pages: set[str] = field(default_factory=set)
    commands: set[str] = field(default_factory=set)
    files: set[str] = field(default_factory=set)

    def has(self, text: str) -> bool:
        return re.search(self.words, text) is not None


# Of systems, items, data sets, attributes, judges, people and campaigns.
NAMES = Kind(
    r"evil\.test|pwned|\$5 and|:material/home|__class__|\{\{7\*7|DROP TABLE|\\input\{|"
    r"\\write18|=HYPERLINK|@SUM\(|alert\(1\)|\.\./\.\./",
    set(STEMS),
    {
        *("adjudicate", "agreement", "annotators", "bias", "campaign", "consistency", "datasets"),
        *("describe", "exclude", "people", "rank", "runs", "separability", "try"),
    },
    EVERY_FILE,
)
KINDS = {
    "names": NAMES,
    "candidates": Kind(
        r"candidate\\?\.test",
        {"annotate", "judge", "judges: agreement", "people: annotators", "judge: a run"},
        {"try --json"},
        TEXTS,
    ),
    "contexts": Kind(
        r"context\\?\.test",
        {"annotate", "judge", "judges: agreement", "data", "people: disagreements"},
        {"try --json"},
        TEXTS,
    ),
    "comments of annotators": Kind(
        r"comment\\?\.test",
        {"judges: agreement", "people: disagreements"},
        files={"judgements.csv", "judgements.jsonl", "trl.jsonl", "potato.zip"},
    ),
    # Of language models and their servers, and of these the reasons why there is no answer.
    "replies": Kind(
        r"reply\\?\.test",
        {"judges: agreement", "judges: bias", "judge: a run"},
        {"agreement", "bias", "describe --json", "runs --json"},
        {"judgements.csv", "judgements.jsonl", "arena-hard.zip", "langsmith.zip"},
    ),
    # That a campaign offers, and for which somebody was left out.
    "reasons": Kind(
        r"reason\\?\.test", {"annotate", "campaigns", "people"}, {"campaign", "exclude"}
    ),
    "questionnaires": Kind(
        r"question\\?\.test", {"campaigns", "annotate: a crowd"}, {"crowd", "crowd --json"}
    ),
    "messages": Kind(r"message\\?\.test", {"annotate", "people: messages"}),
}


def test_on_every_page_words_are_nothing_but_words(surfaces: Surfaces) -> None:
    """No Markdown, no HTML, no expression of a chart, and nothing that is fetched."""
    for name, kind in KINDS.items():
        on, words = set(), re.compile(kind.words)
        for view, texts in surfaces.pages.items():
            for place, text in texts:
                if not kind.has(text):
                    continue
                on.add(view)
                check_place(place, text)
                if place == "Html.body":
                    check_html(text, words)
                elif place == "VegaLiteChart.spec":
                    check_chart(text, words)
        assert kind.pages <= on, (name, kind.pages - on)


def test_by_every_command_no_control_of_a_terminal_and_no_traceback(surfaces: Surfaces) -> None:
    """JSON where that was asked for; nothing of it was carried out."""
    printed = {}
    for words, (status, out, err) in surfaces.commands.items():
        assert status in (0, 2), (words, err)
        assert not CONTROLS.search(out.replace("\r", "") + err), words
        assert "Traceback" not in err
        assert err.count("\n") <= 3, words
        is_json = status == 0 and words.endswith("--json")
        printed[words] = json.dumps(json.loads(out), ensure_ascii=False) if is_json else out
    for name, kind in KINDS.items():
        by = {words for words, out in printed.items() if kind.has(out)}
        assert kind.commands <= by, (name, kind.commands - by)
    with Store(surfaces.store) as store:
        talked = 4 * 2  # the run's answers
        votes = len(hostile.rows())
        assert store.connection.value("SELECT count(*) FROM judgements") == votes + talked


def test_in_every_file_words_are_what_they_were(surfaces: Surfaces) -> None:
    """For spreadsheets they are no formulas."""
    for name, kind in KINDS.items():
        into = {file for file, text in surfaces.exports.items() if kind.has(text)}
        assert kind.files <= into, (name, kind.files - into)


def test_names_in_tables_are_drawn_as_text(surfaces: Surfaces) -> None:
    """No column makes links or pictures of its cells."""
    texts = [each for view in surfaces.pages.values() for each in view]
    columns = [text for place, text in texts if place == "Dataframe.columns" and text]
    assert columns
    for kind in DRAWN:
        assert not [each for each in columns if f'"type":"{kind}"' in each.replace(" ", "")]


# ---- Every pattern and reader of strangers' texts is linear, so that no text stops everybody


def test_no_text_takes_the_square_of_its_length() -> None:
    """A process of its own, as a pattern that has begun cannot be ended from outside."""
    words = [sys.executable, "-m", "tests.attacks.repeated_characters"]
    ran = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    outcome = json.loads(ran.stdout.splitlines()[-1])
    assert outcome["patterns"] > 150
    assert outcome["slow"] == []
    # made while they run: a reader here must come by, or OURS says why not
    assert outcome["unread"] == []
