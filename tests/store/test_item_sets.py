"""Item sets: saved under a name, never changed, deleted only where nobody asks about them."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from core.campaigns import Design, open_campaign
from core.pairing import Choice
from core.records import Answer, Generation, Kind, Outcome, TandemError
from core.store import ItemSet, Sought, Store, dataset_decisions
from core.store.backups import restore
from tests.study import DATASET, compare, fill, judge


def save(store: Store, name: str, *items: str, dataset: str = DATASET) -> ItemSet:
    return store.item_sets.save(
        dataset, name, items, search={"split": True}, by_answers=True, by="Eve"
    )


REFUSED = {"hard": ["i1"], "": ["i1"], "x" * 61: ["i1"], "a\nb\x00": ["i1"], "new": [],
           "wrong": ["i1", "no item"]}  # fmt: skip


def test_it_is_kept_as_it_was_saved_and_never_changes(study: Store) -> None:
    save(study, " two   words ", "i2", "i0", "i0")
    one = study.item_sets.get(DATASET, "two words")
    assert study.item_sets.items(DATASET, "two words") == ["i0", "i2"]
    assert (one.size, one.by_answers, one.created_by) == (2, True, "Eve")
    assert one.search == {"split": True}
    save(study, "hard", "i0")
    for name, items in REFUSED.items():
        with pytest.raises(TandemError):
            save(study, name, *items)
    for change in ("name = 'other'", "search = '{}'", "by_answers = 0"):
        with pytest.raises(sqlite3.IntegrityError, match="never change"):
            study.connection.execute(f"UPDATE item_sets SET {change}")
    assert sorted(study.item_sets.names(DATASET)) == ["hard", "two words"]
    assert study.item_sets.items(DATASET, "hard") == ["i0"]


def test_another_data_set_has_sets_of_its_own_that_go_along_when_it_is_renamed(
    study: Store, tmp_path: Path
) -> None:
    fill(study, dataset="other")
    save(study, "hard", "i0")
    save(study, "hard", "i1", dataset="other")
    assert study.item_sets.items(DATASET, "hard") == ["i0"]
    study.item_sets.delete("other", "hard")
    assert study.item_sets.names(DATASET) == ["hard"]
    with pytest.raises(TandemError, match="none"):
        study.item_sets.get("other", "hard")
    study.connection.backup(tmp_path / "backup.sqlite3")
    restore(tmp_path / "again.sqlite3", tmp_path / "backup.sqlite3", "Eve")
    with Store(tmp_path / "again.sqlite3") as again:
        assert again.item_sets.get(DATASET, "hard") == study.item_sets.get(DATASET, "hard")
        assert again.item_sets.items(DATASET, "hard") == ["i0"]
    dataset_decisions.rename(study, "Eve", DATASET, "renamed")
    assert study.item_sets.items("renamed", "hard") == ["i0"]


def test_a_deleted_name_may_be_used_again_under_another_stamp(study: Store) -> None:
    save(study, "hard", "i0")
    before = study.item_sets.stamp()
    save(study, "easy", "i1")
    assert study.item_sets.stamp() == before
    study.item_sets.delete(DATASET, "hard")
    assert study.item_sets.stamp() != before
    save(study, "hard", "i2")
    assert study.item_sets.items(DATASET, "hard") == ["i2"]
    assert study.item_sets.stamp() != before


def test_a_campaign_asks_about_its_items_alone_and_keeps_it(study: Store) -> None:
    save(study, "hard", "i2", "i0")
    campaign = open_campaign(study, "look", Choice(dataset=DATASET, item_set="hard"), Design())
    asked = study.connection.rows(
        """SELECT i.key, count(*) FROM campaign_pairs q
        JOIN campaign_attributes p ON p.id = q.campaign_attribute AND p.campaign = ?
        JOIN generations g ON g.id = q.generation_1 JOIN items i ON i.id = g.item
        GROUP BY i.key ORDER BY i.key""",
        (campaign.id,),
    )
    assert asked == [("i0", 3), ("i2", 3)]  # of three systems, each two
    assert Choice.from_campaign(study.campaigns.get(campaign.id)).item_set == "hard"
    with pytest.raises(TandemError, match="look"):
        study.item_sets.delete(DATASET, "hard")
    with pytest.raises(TandemError, match="hard"):
        open_campaign(study, "more", Choice(dataset=DATASET, item_set="hrad"), Design())


def test_a_deletion_says_that_it_goes(study: Store) -> None:
    save(study, "hard", "i0")
    gone = dataset_decisions.delete(study, "Eve", DATASET)
    assert gone.contents["item_sets"] == 1
    assert "1 item set" in dataset_decisions.describe_contents(gone.contents).split(", ")


@pytest.fixture
def voted(study: Store) -> Store:
    """Ada has preferred alpha to beta on i0, and a model gamma to alpha; i1 has a text of beta
    alone that says otter.
    """
    ada, model = judge(study, "Ada"), judge(study, "gpt", Kind.LLM)
    for who, a, b, answer in (
        (ada, "alpha", "beta", Answer(Outcome.A, comment="clearer")),
        (model, "alpha", "gamma", Answer(Outcome.B, prob_a=0.25, raw='{"text": "B"}')),
    ):
        study.connection.execute(
            """INSERT INTO judgements (comparison, judge, outcome, prob_a, comment, raw, created_at)
            VALUES (?, ?, ?, ?, ?, ?, 'now')""",
            (compare(study, "i0", a, b), who, answer.outcome, answer.prob_a, answer.comment, answer.raw),
        )  # fmt: skip
    fill(study, dataset="other")
    study.datasets.add_generations(DATASET, [Generation("i1", "beta", 1, "An OTTER swam.")])
    return study


def test_a_page_of_items_with_their_counts(voted: Store) -> None:
    frame = voted.browsing.items(Sought(DATASET), limit=2)
    assert frame.attrs["all"] == 3
    assert frame[["item", "texts", "votes", "answers"]].to_numpy().tolist() == [
        ["i0", 3, 1, 1], ["i1", 4, 0, 0],
    ]  # fmt: skip
    assert voted.browsing.items(Sought(DATASET), limit=2, offset=2)["item"].tolist() == ["i2"]
    assert voted.browsing.items(Sought("other"), limit=9)["votes"].sum() == 0


SEARCHES = (
    ({"text": "otter"}, ["i1"]),
    ({"text": "I2"}, ["i2"]),
    ({"text": "context of item 0"}, ["i0"]),
    ({"text": "%"}, []),
)


def test_items_are_searched(voted: Store) -> None:
    for sought, items in SEARCHES:
        frame = voted.browsing.items(Sought(DATASET, **sought), limit=9)
        assert (frame["item"].tolist(), frame.attrs["all"]) == (items, len(items)), sought


def test_all_that_is_known_of_an_item(voted: Store) -> None:
    texts = voted.browsing.texts(Sought(DATASET), "i1")
    assert texts[["system", "sample"]].to_numpy().tolist() == [
        ["alpha", 0], ["beta", 0], ["beta", 1], ["gamma", 0],
    ]  # fmt: skip
    answers = voted.browsing.answers(Sought(DATASET), "i0")
    assert answers[["judge", "system_a", "system_b", "outcome", "comment"]].to_numpy().tolist() == [
        ["Ada", "alpha", "beta", "a", "clearer"], ["gpt", "alpha", "gamma", "b", ""],
    ]  # fmt: skip
    assert voted.browsing.answers(Sought(DATASET, attribute="fluency"), "i0").empty
