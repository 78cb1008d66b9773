"""A judge's card: what is on it, what it is checked by, and that it asks the same judge again."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from core.findings.judgements import Selection, make_plain
from core.findings.lab import (
    LabSettings,
    check_card,
    lab,
    make_card,
    read_card,
    split_items,
)  # fmt: skip
from core.judging import make
from core.models import Options
from core.records import Kind, Prompt, TandemError
from core.reporting import write_card
from core.store import Store
from tests.cli.asked import called
from tests.findings.combine.studies import SYSTEMS
from tests.findings.lab.studies import answers, load
from tests.findings.people.voting import say
from tests.study import DATASET, fill

UNKNOWN, FAILED = "cannot tell yet", "not trusted"
SHARP = Selection(DATASET, judges=("sharp",))


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("card") / "s.sqlite3"
    with Store(path) as store:
        load(store, answers())
        fill(store, items=4, systems=SYSTEMS, dataset="other")
        lab(store, SHARP, LabSettings(open_test=True), by="Ada")
    return path


def test_a_card_holds_both_sides_and_the_surest_failures(path: Path, tmp_path: Path) -> None:
    """A failure is a pair of which `sharp` gives the wrong text .9, or 1 - .2, in both orders."""
    with Store(path) as store:
        card = make_card(store, Selection(DATASET), LabSettings(), "sharp")
        sides = [lab(store, SHARP, LabSettings(open_test=opened)) for opened in (False, True)]
        unopened = make_card(store, Selection(DATASET), LabSettings(), "fair")
    for side, found in zip(("development", "test"), sides, strict=True):
        assert card["rows"][side][0]["accuracy"] == found.rows["accuracy"].iloc[0]
    assert card["signatures"] == [found.signature for found in sides]
    assert (card["openings"], card["tried"], unopened["rows"]["test"]) == (1, 4, [])
    votes = defaultdict[str, dict[tuple[str, str], list[float]]](lambda: defaultdict(list))
    for said in answers():
        if said.judge.startswith("p"):
            votes[f"i{said.item}"][said.a, said.b].append(said.points)
    assert len(card["failures"]) == 12
    order = [one["judge"] * one["people"] for one in card["failures"]]
    assert order == sorted(order, reverse=True)
    for one in card["failures"]:
        assert one["judge"] == pytest.approx(0.85), "(.9 + 1 - .2) / 2"
        shares = [np.mean(of) for of in votes[one["item"]].values()]
        assert one["people"] in [pytest.approx(abs(share - 0.5) + 0.5) for share in shares]
    for ending in (".html", ".md", ".json"):
        file = tmp_path / f"card{ending}"
        file.write_text(write_card(card, ending))
        read, spec = read_card(file)
        assert read == json.loads(json.dumps(make_plain(card)))
        assert spec.name == "sharp"
    with pytest.raises(TandemError, match="txt"):
        write_card(card, ".txt")
    (tmp_path / "x.md").write_text("nothing")
    with pytest.raises(TandemError, match="no card"):
        read_card(tmp_path / "x.md")


def test_hostile_texts_stay_inside_a_card(path: Path, tmp_path: Path) -> None:
    with Store(path) as store:
        card = make_card(store, Selection(DATASET), LabSettings(), "sharp")
    evil = "<script>alert(1)</script> --> ``` end ----"
    card["failures"][0] |= {"better": evil, "context": evil}
    prompt = asdict(Prompt("mine", 2, evil, labels=("A", "B")))
    card["judge"] |= {"prompt": prompt, "labels": ["A", "B"]}
    for ending in (".html", ".md"):
        page = write_card(card, ending)
        (tmp_path / f"card{ending}").write_text(page)
        read, spec = read_card(tmp_path / f"card{ending}")
        assert read["failures"][0]["better"] == evil
        assert spec.prompt == Prompt("mine", 2, evil, labels=("A", "B"))
        assert page.count("-->") == (1 if ending == ".html" else 4), "texts in fences are verbatim"
    assert "<script>" not in (tmp_path / "card.html").read_text()


def test_trusted_by_the_interval_on_test_items() -> None:
    """By hand: 20 points away with 10 either way is shown. Of 5 away, (2.8 / 1.96 x 10 / 5)^2 times
    the items, 816, tell in 4 of 5 studies.
    """
    row = {"accuracy": 0.85, "accuracy_low": 0.75, "accuracy_high": 0.95}
    card = {"judge": {"name": "j"}, "test": 100, "rows": {"test": [row]}, "against": "gold"}
    for least, verdict in ((0.75, "trusted"), (0.96, FAILED), (0.8, UNKNOWN)):
        assert check_card(card, least)[0] == verdict
    assert "820 items" in check_card(card, 0.8)[1]
    row, low = {**row, "attribute": "one"}, {**row, "accuracy_low": 0.7, "attribute": "two"}
    assert check_card({**card, "rows": {"test": [row, low]}}, 0.75)[0] == UNKNOWN
    bad = {**row, "accuracy_low": 0.72, "accuracy_high": 0.74, "attribute": "three"}
    verdict, why = check_card({**card, "rows": {"test": [row, low, bad]}}, 0.75)
    assert verdict == FAILED
    assert "three" in why
    assert check_card({**card, "rows": {"test": []}}, 0.5)[0] == UNKNOWN


def test_a_card_from_the_command_line(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A baseline, asked and held against people, opened, checked, and asked elsewhere again."""
    about, card = ("--dataset", DATASET), str(tmp_path / "c.html")
    ask = partial(called, capsys, path)
    ask("judge", *about, "--judge", "baseline:longer", "--pairs", "symmetric")
    named = ("--judges", "baseline:longer", "--card", card, "--open-test")
    status, out, err = ask("lab", *about, *named)
    assert (status, err, "test items" in out) == (0, "", True)
    for least, statuses in (("0.5", {0, 3, 4}), ("1", {3})):
        status, out, _ = ask("lab", "check", "--card", card, "--min-accuracy", least, "--json")
        assert status in statuses
        assert (json.loads(out)["verdict"] == "trusted") == (status == 0)
    assert ask("judge", "--dataset", "other", "--card", card, "--pairs", "symmetric")[0] == 0
    with Store(path) as store:
        runs = store.runs.list_all(dataset="other", kind="run")
        assert runs["judge"].tolist() == [make("baseline:longer", Options()).spec.name]
    assert ask("lab", *about, "--card", card)[0] == 2
    for words in ((), ("--card", card, "--mode", "sample")):
        assert ask("judge", *about, *words)[0] == 2


def test_a_card_puts_the_figures_of_one_attribute_together(tmp_path: Path) -> None:
    """The judge is right on `one` on development items, on `two` on test items; two attributes'
    rows come in the order of their accuracy on each side.
    """
    with Store(tmp_path / "store.sqlite3") as store:
        fill(store, items=80, systems=("alpha", "beta"), attributes=("one", "two"))
        items = [f"i{n}" for n in range(80)]
        side = split_items(store, DATASET, items).set_index("item")["side"]
        with store.transaction():
            for item in items:
                for attribute in ("one", "two"):
                    say(store, "Ada", item, ("alpha", "beta"), "a", attribute=attribute)
                    is_right = (attribute == "one") == (side[item] == "development")
                    for sides, right in ((("alpha", "beta"), "a"), (("beta", "alpha"), "b")):
                        said = right if is_right else {"a": "b", "b": "a"}[right]
                        say(store, "gpt", item, sides, said, attribute=attribute, kind=Kind.LLM)
        about, settings = Selection(DATASET, judges=("gpt",)), LabSettings()
        lab(store, about, replace(settings, open_test=True), by="Ada")
        card = make_card(store, about, settings, "gpt")
    rows = card["rows"]
    assert [row["attribute"] for row in rows["development"]] == ["one", "two"]
    assert [row["attribute"] for row in rows["test"]] == ["one", "two"]
    assert [row["accuracy"] for row in rows["development"]] == [1, 0]
    assert [row["accuracy"] for row in rows["test"]] == [0, 1]
    assert {one["attribute"] for one in card["failures"]} == {"two"}
