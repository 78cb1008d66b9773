"""Simulated annotators: what they have as examples, and how sure they are together."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd
import pytest

from core.__main__ import main
from core.findings.judgements import Selection
from core.findings.share import (
    ShareSettings,
    SimulationSettings,
    share,
    simulate_annotators,
)
from core.judging import fill, make
from core.models import Options
from core.records import Attribute, Question, TandemError
from core.store import Store
from tests.findings.combine.studies import add, points, vote
from tests.findings.share.studies import ITEMS, ONE, OTHER, begin, drawn
from tests.server import Server
from tests.study import DATASET

ALL = Selection(DATASET)
GIVEN = SimulationSettings(4, 3)
SERVED = make("openai:fake", Options(mode="generate", base_url="http://127.0.0.1:1/v1")).spec
ASKED = "Answer with Summary A or Summary B.\nAnswer:"


@pytest.fixture
def two_people(store: Store) -> Store:
    """Ada prefers the first system on the even of her items, Ben the second on all of his."""
    begin(store, votes=0)
    add(store, [vote(item, OTHER, ONE, "Ada", points(float(item % 2))) for item in drawn(120)[:60]])
    add(store, [vote(item, ONE, OTHER, "Ben", points(0.0)) for item in drawn(120)[60:]])
    return store


def test_each_has_votes_of_one_person_as_examples(two_people: Store) -> None:
    judge = make("baseline:random").spec
    with pytest.raises(TandemError):
        simulate_annotators(two_people, ALL, judge, GIVEN)
    prompts = simulate_annotators(two_people, ALL, SERVED, GIVEN)
    assert [one.version for one in prompts] == [1, 2, 3, 4]
    assert simulate_annotators(two_people, ALL, SERVED, GIVEN) == prompts
    of_whom = set()
    for prompt in prompts:
        assert SERVED.prompt
        assert prompt.template.endswith(SERVED.prompt.template)
        people = set()
        for example in prompt.template.split("The context of item ")[1:]:
            item = int(example.split(".")[0])
            first = example.split("Summary A:\n")[1]
            label = example.split(f"{ASKED} ")[1].split("\n")[0]
            person = "Ada" if first.startswith(OTHER) else "Ben"
            assert label == ("Summary A" if person == "Ada" and item % 2 else "Summary B")
            people.add(person)
        assert prompt.template.count(ASKED) == GIVEN.examples
        assert len(people) == 1
        of_whom |= people
    assert of_whom == {"Ada", "Ben"}
    with pytest.raises(TandemError):
        simulate_annotators(two_people, ALL, SERVED, SimulationSettings(1, 61))


def test_words_in_braces_are_read_as_they_are(two_people: Store) -> None:
    with closing(sqlite3.connect(two_people.path)) as file, file:
        file.execute("UPDATE generations SET text = text || ' {context} {b}'")
    [prompt] = simulate_annotators(two_people, ALL, SERVED, SimulationSettings(1, 3))
    asked = Question(0, "Nowhere else.", "one", "two", Attribute("coherence"))
    assert fill(prompt, asked).count("Nowhere else.") == 1


def test_from_examples_to_what_they_are_trusted_with(
    two_people: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    def chances(prompt: str) -> dict[str, float]:
        """For one system, and surer the more examples it has in which the second was chosen."""
        sure = 0.6 + 0.1 * prompt.count(f"{ASKED} Summary B")
        is_first = prompt.split("Summary A:\n")[-1].startswith(ONE)
        return {"BA"[is_first]: sure, "AB"[is_first]: 1 - sure}

    place = ["--store", str(two_people.path)]
    with Server(chances=chances) as server:
        asked = ["judge", "--dataset", DATASET, "--judge", "openai:fake", "--base-url", server.url,
                 "--pairs", "symmetric", "--annotators", "3", "--json"]  # fmt: skip
        assert main([*place, *asked, "--budget", str(2 * ITEMS)]) == 0
    runs = json.loads(capsys.readouterr().out)["runs"]
    assert [run["done"] for run in runs] == [2 * ITEMS] * 3
    names = [run["judge"] for run in runs]
    settings = ShareSettings(0.45, 0.6, signal="annotators")
    found = share(two_people, Selection(DATASET, judges=tuple(names)), settings)
    [judge, _] = found.rows["who"]
    assert judge not in names
    assert found.facts["judges"] == [judge]
    answers = found.tables["answers"].set_index("item")["sure"]
    with closing(sqlite3.connect(two_people.path)) as file:
        rows = pd.read_sql(
            "SELECT i.key AS item, j.name AS judge, g.text AS text, x.prob_a FROM judgements x "
            "JOIN judges j ON j.id = x.judge JOIN comparisons c ON c.id = x.comparison "
            "JOIN generations g ON g.id = c.generation_a JOIN items i ON i.id = g.item",
            file,
        )
    rows = rows[rows["judge"].isin(names)]
    p = np.where(rows["text"].str.startswith(ONE), rows["prob_a"], 1 - rows["prob_a"])
    sure = (rows.assign(p=p).groupby("item")["p"].mean() - 0.5).abs() + 0.5
    known = answers.dropna()
    assert known.to_numpy() == pytest.approx(sure[known.index].to_numpy())
    shown = {
        f"i{text.split('.')[0]}"
        for prompt in two_people.judges.prompts() if "annotator" in prompt.name
        for text in prompt.template.split("The context of item ")[1:]
    }  # fmt: skip
    assert set(answers[answers.isna()].index) == shown
    with pytest.raises(TandemError):
        share(two_people, Selection(DATASET, judges=("model",)), settings)
