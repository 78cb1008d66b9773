"""Is it settled? One sentence, by one method, on every page, in commands, reports and notebooks."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import core
from core import sample_study
from core.__main__ import main
from core.findings.judgements import JUDGING, TRUTH, Selection, list_comparers
from core.importing import importer
from core.records import Dataset, TandemError
from core.reporting import ReportScope, compile_report
from core.store import Store
from tests.paths import ROOT, SHARED

PAGES = ("", "leaderboard", "people", "together")
OTHERS = re.compile(
    r"settled now|clear of the second|That is not certain|told apart no|likely right|how surely"
)


def write_study(
    people: int, chance: float = 0.7, models: tuple[str, ...] = ("gpt",)
) -> Callable[[Store, Path], None]:
    """A study of three systems on 24 items: this many people answered all pairs."""

    def write(store: Store, folder: Path) -> None:
        rng = np.random.default_rng(people)
        judges = [(f"p{number}", "human") for number in range(people)]
        judges += [(name, "llm") for name in models]
        pairs = combinations(("heron", "magpie", "wren"), 2)
        with (folder / "v.csv").open("w") as file:
            lines = csv.writer(file)
            lines.writerow(["item", "left", "right", "winner", "judge", "kind"])
            for item, pair, judge in product(range(24), pairs, judges):
                lines.writerow([f"i{item}", *pair, "ab"[int(rng.random() > chance)], *judge])
        importer.load(store, [folder / "v.csv"], Dataset("d"))

    return write


def shared(name: str) -> object:
    def load(store: Store, folder: Path) -> None:
        importer.load(store, [SHARED / "datasets" / name], Dataset("d"))

    missing = pytest.mark.skipif(
        not (SHARED / "datasets" / name).exists(), reason=f"no {name} in {SHARED} (TANDEM_SHARED)"
    )
    return pytest.param(load, id=name, marks=[pytest.mark.shared, pytest.mark.slow, missing])


@pytest.mark.parametrize(
    "load",
    [
        pytest.param(lambda store, folder: sample_study.load(store), id="sample"),
        pytest.param(write_study(3), id="three people"),
        pytest.param(write_study(6, chance=0.9), id="six people"),
        pytest.param(write_study(1, models=()), id="one person alone"),
        pytest.param(write_study(0, models=("gpt", "qwen")), id="judges only"),
        shared("topicalchat"),
        shared("llmbar"),
    ],
)
def test_every_door_says_the_same(
    load: Callable[[Store, Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    path = tmp_path / "store.sqlite3"
    with Store(path) as store:
        load(store, tmp_path)
        dataset = store.datasets.names()[0]
        result = core.settled(store, dataset=dataset)
        sentence = result.facts["sentence"]
        kinds = set(list_comparers(store, dataset)["kind"])
        assert re.match(r"Settled|Not settled", sentence)
        heard = {f"notebook {name}": text for name, text in ask_notebook(store, dataset)}
        heard["report"] = read_report(store, dataset)
    monkeypatch.setenv("TANDEM_STORE", str(path))
    for page in PAGES:
        text = read_page(page)
        if re.search(r"\bleads\b|\bis ahead\b|\bSettled\b|\bNot settled\b", text):
            heard[f"page {page or 'overview'}"] = text  # others name nobody
    # Together speaks where people and judges have answered.
    has_both = bool(kinds & {*TRUTH}) and bool(kinds & {*JUDGING})
    assert ("page together" in heard) == has_both
    for command in (["rank"], ["rank", "--judges", "llm"], ["combine"], ["plan"]):
        if (status := main(["--store", str(path), "--json", *command, "--dataset", dataset])) == 0:
            facts = json.loads(capsys.readouterr().out)
            heard[" ".join(command)] = facts["verdict"]
        assert status in (0, 2)
    wrong = {door: text for door, text in heard.items() if sentence not in text}
    assert not wrong
    other = {door: OTHERS.findall(text) for door, text in heard.items() if OTHERS.search(text)}
    assert not {door: words for door, words in other.items() if door.startswith("page")}
    for door, text in heard.items():
        verdicts = re.findall(r"(?:Not settled|Settled)\b(?: by [a-z' ]+)?: ", text)
        assert {*verdicts} == {re.match(r"[A-Z][^:]*: ", sentence)[0]}, door


def ask_notebook(store: Store, dataset: str) -> Iterator[tuple[str, str]]:
    for name in ("leaderboard", "combine", "plan"):
        for judges in ((), ("llm",), ("simulated",)):
            try:
                facts = getattr(core, name)(store, dataset=dataset, judges=judges).facts
            except TandemError:
                continue
            yield f"{name} {judges}", facts["verdict"]


def read_report(store: Store, dataset: str) -> str:
    sections = compile_report(store, ReportScope(Selection(dataset))).sections
    return " ".join(" ".join([section.lead, *section.foot]) for section in sections)


def read_page(page: str) -> str:
    app = AppTest.from_file(ROOT / "app.py", default_timeout=180)
    app.query_params["section"] = "progress"
    app = app.switch_page(f"pages/{page}.py").run() if page else app.run()
    assert not app.exception
    return " ".join(html.proto.body for html in app.get("html")).replace("&#x27;", "'")
