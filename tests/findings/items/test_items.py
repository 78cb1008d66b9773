"""Items that are worth another look, counted by hand; and what a set of them does to findings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from core.findings.agreement import PEOPLE, agreement, list_disagreements
from core.findings.items import ItemSearch, describe_found, find_items, save_items
from core.findings.judgements import Selection, describe
from core.findings.leaderboard import RankSettings, leaderboard
from core.findings.separability import Settings, separabilities
from core.records import Item, Kind, Score, TandemError
from core.settings import encode_changes
from core.similarity import make_metric
from core.store import ChosenGenerations, Store
from tests.findings.people.voting import say
from tests.sentence_facts import find_sentences
from tests.study import DATASET, SYSTEMS, compare, fill, ids, measure

HERE = Selection(DATASET)
AB = ("alpha", "beta")
BA = ("beta", "alpha")


def answer(store: Store, who: str, item: str, sides: tuple[str, str], said: str) -> None:
    """What a language model says of two systems, the first of which is shown first."""
    say(store, who, item, sides, said, kind=Kind.LLM)


@pytest.fixture
def judged(study: Store) -> Store:
    """On i0 two people say alpha and one beta, on i1 one says each, on i2 all three say alpha. The
    model takes whatever is first on i0, alpha on i1 and beta on i2.
    """
    people = {"i0": (AB, "aab"), "i1": (AB, "ab"), "i2": (BA, "bbb")}
    with study.transaction():
        for item, (sides, answers) in people.items():
            for who, said in zip(("Ada", "Bo", "Cy"), answers, strict=False):
                say(study, who, item, sides, said)
        for item, first, second in (("i0", "a", "a"), ("i1", "a", "b"), ("i2", "b", "a")):
            answer(study, "model", item, AB, first)
            answer(study, "model", item, BA, second)
    return study


def found(store: Store, about: Selection = HERE, **asked: Any) -> list[str]:
    return find_items(store, about, ItemSearch(**asked)).rows["item"].tolist()


def test_people_are_split_the_most_evenly_first(judged: Store) -> None:
    rows = find_items(judged, HERE, ItemSearch(split=True)).rows
    columns = ["item", "system_1", "system_2", "people", "for_1", "for_2"]
    counts = rows[columns].to_numpy().tolist()
    assert counts == [["i1", *AB, 2, 1, 1], ["i0", *AB, 3, 2, 1]]
    assert rows["share_1"].tolist() == pytest.approx([1 / 2, 2 / 3])
    known = ids(judged)
    for row in rows.itertuples():
        assert row.candidate_1 == known[row.item, row.system_1, 0]
        assert row.candidate_2 == known[row.item, row.system_2, 0]
    assert "item_set" not in encode_changes(HERE), "without a set nothing of it is stored"
    say(judged, "Ada", "i0", ("alpha", "gamma"), "a")
    say(judged, "Bo", "i0", ("alpha", "gamma"), "b")
    facts = find_items(judged, HERE, ItemSearch(split=True)).facts
    assert (facts["found"], facts["items_in_scope"], facts["pairs"]) == (2, 3, 3)


def test_a_judge_contradicts_itself_or_says_the_same_in_both_orders(judged: Store) -> None:
    rows = find_items(judged, HERE, ItemSearch(judge="model", contradicts=True)).rows
    told = rows[["item", "shown_1", "shown_2", "verdict"]].to_numpy().tolist()
    assert told == [["i0", "alpha", "beta", "contradicts itself"]]
    rows = find_items(judged, HERE, ItemSearch(judge="model")).rows.set_index("item")
    verdicts = rows.loc[["i2", "i1"], ["verdict", "shown_1", "shown_2"]]
    assert verdicts.to_numpy().tolist() == [["beta"] * 3, ["alpha"] * 3]


def test_what_a_judge_has_not_answered_is_no_tie(judged: Store) -> None:
    say(judged, "Ada", "i0", ("alpha", "gamma"), "a")
    rows = find_items(judged, HERE, ItemSearch(judge="model")).rows
    assert "gamma" not in {*rows["system_1"], *rows["system_2"]}
    judged.connection.execute("UPDATE judgements SET withdrawn_at = 'now' WHERE comparison = ?",
                              (compare(judged, "i1", *BA),))  # fmt: skip
    rows = find_items(judged, HERE, ItemSearch(judge="model")).rows.set_index("item")
    assert rows.loc["i1", ["shown_1", "shown_2"]].tolist() == ["alpha", None]


def test_all_that_is_asked_for_holds(judged: Store) -> None:
    """People and a judge differ as agreement lists them; an excluded person splits nobody."""
    # Words stand in a name, a context or a text.
    context = judged.connection.value("SELECT context FROM items WHERE key = 'i2'")
    assert found(judged, text=context.upper()) == ["i2"]
    assert found(judged, text="gamma-1-0") == ["i1"]
    assert found(judged, text="%") == []
    listed, _ = list_disagreements(judged, HERE, PEOPLE, "model")
    assert sorted(found(judged, judge="model", differs=True)) == sorted(listed["item"])
    assert "i2" in found(judged, judge="model", differs=True)
    assert found(judged, split=True, judge="model", contradicts=True) == ["i0"]
    assert found(judged, split=True, text="item 1") == ["i1"]
    assert found(judged, Selection(DATASET, systems=("alpha", "gamma")), split=True) == []
    judged.exclusions.add(DATASET, "Cy", reason="clicks", by="Eve")
    assert found(judged, split=True) == ["i1"]
    judged.datasets.add_items(DATASET, [Item("i9", "A context.")])
    assert found(judged, unanswered=True) == ["i9"]
    about_gamma = Selection(DATASET, systems=("beta", "gamma"))
    assert found(judged, about_gamma, unanswered=True) == ["i0", "i1", "i2", "i9"]


def test_a_subset_and_an_attribute_narrow_it_down(study: Store) -> None:
    """A tie against a preference is no split, and nothing to read finds nothing."""
    result = find_items(study, HERE, ItemSearch(split=True))
    assert result.rows.empty
    assert (result.facts["found"], result.facts["items_in_scope"]) == (0, 3)
    assert describe_found(result)
    even = [Item("i0", "", subset="even"), Item("i2", "", subset="even")]
    study.datasets.add_items(DATASET, even)
    assert found(study, Selection(DATASET, subset="even")) == ["i0", "i2"]
    for item, said in (("i0", "b"), ("i1", "tie")):
        say(study, "Ada", item, AB, "a")
        say(study, "Bo", item, AB, said)
    assert found(study, Selection(DATASET, attribute="coherence"), split=True) == ["i0"]


def test_separability_lies_between_two_values(store: Store) -> None:
    fill(store, samples=3, systems=AB, items=6)
    with pytest.raises(TandemError, match=r"\brouge1\b.*\bmeasured\b"):
        found(store, separability="rouge1")
    measure(store, ChosenGenerations(DATASET, samples=10), make_metric("rouge1"))
    measured = separabilities(store, HERE, Settings("rouge1", resamples=0))
    values = measured.set_index("item")["separability"]
    middle = float(values.median())
    above = sorted(values.index[values >= middle])
    assert sorted(found(store, separability="rouge1", low=middle)) == above
    assert found(store, separability="rouge1", low=-1.0) == values.index.tolist()


def test_what_cannot_be_is_refused(judged: Store) -> None:
    refused: tuple[dict[str, Any], ...] = (
        {"judge": "nobody"}, {"contradicts": True}, {"differs": True}, {"separability": "no metric"},
        {"separability": "rouge1", "low": 0.5, "high": 0.2},
    )  # fmt: skip
    for asked in refused:
        with pytest.raises(TandemError):
            found(judged, **asked)


def test_a_set_knows_whether_answers_chose_it(judged: Store) -> None:
    asked: dict[str, Any]
    for number, (asked, expected) in enumerate((
        ({"split": True}, True), ({"judge": "model", "contradicts": True}, True),
        ({"judge": "model", "differs": True}, True), ({"judge": "model"}, False),
        ({"unanswered": True}, False), ({"text": "i0"}, False),
    )):  # fmt: skip
        request = HERE, ItemSearch(**asked)
        saved = save_items(judged, f"some {number}", ["i0"], request, by="Eve")
        assert saved.by_answers is expected
        within = Selection(DATASET, item_set=f"some {number}"), ItemSearch(text="i0")
        within_it = save_items(judged, f"within {number}", ["i0"], within, by="Eve")
        assert within_it.by_answers is expected
        name = f"picked {number}"
        assert save_items(judged, name, ["i0"], request, by="Eve", are_picked=True).by_answers


def test_findings_on_a_set_count_its_items_alone(judged: Store) -> None:
    """And marks are."""
    save_items(judged, "hard", ["i1"], (HERE, ItemSearch(split=True)), by="Eve")
    about = Selection(DATASET, item_set="hard", judges=("human",))
    board = leaderboard(judged, about, RankSettings())
    assert board.judgements == 2
    assert "set:hard" in board.signature.split("|")
    assert board.rows["wins"].tolist() == [1, 1]
    whole = leaderboard(judged, Selection(DATASET, judges=("human",)), RankSettings())
    assert whole.judgements == 8
    assert "set:" not in whole.signature
    everybody = agreement(judged, Selection(DATASET, item_set="hard"))
    assert everybody.judgements == 4  # of two people, and of the model in both orders
    told = describe.describe(judged, Selection(DATASET, item_set="hard")).tables["outcomes"]
    counted = told.set_index("judge")[["a", "b"]].sum(axis=1).to_dict()
    assert counted == {"Ada": 1, "Bo": 1, "model": 2}
    for item in ("i0", "i1"):
        judged.scores.add(DATASET, [Score(item, name, "coherence", "Ada", 1.0) for name in SYSTEMS])
    marks = describe.describe(judged, Selection(DATASET, item_set="hard")).rows
    assert marks.loc[marks["system"].isna(), "n"].tolist() == [3]


def test_a_note_says_that_answers_chose_the_items(judged: Store) -> None:
    save_items(judged, "split", ["i1"], (HERE, ItemSearch(split=True)), by="Eve")
    save_items(judged, "words", ["i1"], (HERE, ItemSearch(text="i1")), by="Eve")

    def notes(name: str) -> list[str]:
        about = Selection(DATASET, item_set=name, judges=("human",))
        return find_sentences(leaderboard(judged, about, RankSettings()).notes, "by their answers")

    assert (len(notes("split")), len(notes("words"))) == (1, 0)


def test_of_an_unknown_set_the_names_are_said(judged: Store) -> None:
    """And where there is no item it is not said that all are here."""
    result = find_items(judged, HERE, ItemSearch())
    none = replace(result, facts={**result.facts, "found": 0, "items_in_scope": 0})
    assert describe_found(none).startswith("There are no items")
    save_items(judged, "hard", ["i1"], (HERE, ItemSearch()), by="Eve")
    with pytest.raises(TandemError, match=r"item set 'hrad'.*\bhard\b"):
        leaderboard(judged, Selection(DATASET, item_set="hrad"), RankSettings())
    with pytest.raises(TandemError, match=r"^no item set\b.*\bhard\b"):
        judged.item_sets.get(DATASET, "")
