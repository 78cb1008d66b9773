"""Rankings in their forms: the pairs that follow, ties, and what is no ranking."""

from __future__ import annotations

import pytest

from core.importing import importer
from core.records import Dataset, TandemError
from tests.published import Study

PAIRS = ("system_a", "system_b", "outcome")


def test_a_ranking_in_a_cell(published: Study, subtests: pytest.Subtests) -> None:
    for ranking, votes in [
        ("b > a", [["a", "b", "b"]]),
        ("a=b", [["a", "b", "tie"]]),
        ("c>a=b", [["a", "b", "tie"], ["a", "c", "b"], ["b", "c", "b"]]),
        ('["b", "a"]', [["a", "b", "b"]]),
    ]:
        with subtests.test(ranking=ranking), published.renewed() as study:
            study.bring(
                "r.csv", [{"item": "q", "ranker": "ann", "ranking": each} for each in [ranking]]
            )
            assert sorted(study.votes(*PAIRS)) == votes
            assert not study.store.judgement_frames.load_all("d")["order_known"].any()


def test_places_in_columns_may_be_shared_and_left_open(published: Study) -> None:
    rows = [
        {"item": "q", "1st": "a", "2nd": "b=c", "3rd": ""},
        {"item": "r", "1st": "c", "2nd": "a", "3rd": "b"},
    ]
    published.bring("r.csv", rows)
    assert published.votes("item", *PAIRS) == [
        ["q", "a", "b", "a"], ["q", "a", "c", "a"], ["q", "b", "c", "tie"],
        ["r", "a", "b", "a"], ["r", "a", "c", "b"], ["r", "b", "c", "b"],
    ]  # fmt: skip


def rank_rows(*ranks: tuple[str, str, object]) -> list[dict[str, object]]:
    return [
        {"item": "q", "judge": judge, "system": system, "rank": rank, "text": f"text of {system}"}
        for judge, system, rank in ranks
    ]


def test_ranks_in_rows_need_no_order_of_rows(published: Study) -> None:
    published.bring(
        "r.csv", rank_rows(("ann", "a", 2), ("bob", "b", 1), ("ann", "b", 1), ("bob", "a", 1.0))
    )
    assert sorted(published.votes("judge", *PAIRS)) == [
        ["ann", "a", "b", "b"],
        ["bob", "a", "b", "tie"],
    ]
    assert published.texts() == [["q", "a", "text of a"], ["q", "b", "text of b"]]


def test_a_system_once_more_begins_another_ranking(published: Study) -> None:
    rows = rank_rows(("ann", "a", 1), ("ann", "b", 2), ("ann", "b", 1), ("ann", "a", 2))
    path = published.write("r.csv", rows)
    survey = importer.survey(published.store, [path], Dataset("d"))
    votes = survey.stage.database.rows("SELECT DISTINCT ranking, kind FROM entries ORDER BY 1")
    assert len(votes) == 2


def test_every_pair_says_which_ranking_it_is_of(published: Study) -> None:
    rows = [{"item": "q", "ranker": who, "ranking": "a>b>c"} for who in ("ann", "bob")]
    survey = importer.survey(published.store, [published.write("r.csv", rows)], Dataset("d"))
    counted = "SELECT ranking, count(*) FROM entries GROUP BY 1 ORDER BY 1"
    assert survey.stage.database.rows(counted) == [("1", 3), ("2", 3)]


def test_what_is_no_ranking_is_skipped(published: Study, subtests: pytest.Subtests) -> None:
    for ranking in ["a", "a>a", "a>>", ">"]:
        with subtests.test(ranking=ranking), published.renewed() as study:
            rows = [{"item": "q", "ranking": each} for each in ("a>b", "b>a", ranking)]
            report = study.bring("r.csv", rows)
            assert [row["row"] for row in report.skipped] == [3]
            assert len(study.votes()) == 2


def test_of_ranked_texts_the_systems_are_asked_for(published: Study) -> None:
    rows = [{"question": "q", "answer": f"A long\nanswer {n}", "rank": n} for n in (1, 2)]
    with pytest.raises(TandemError, match="system=COLUMN"):
        published.bring("r.csv", rows)


def test_who_is_first_by_name_does_not_follow_who_won(published: Study) -> None:
    rows = [{"item": f"q{n}", "ranking": ranking} for n, ranking in enumerate(["a>b", "b>a"])]
    published.bring("r.csv", rows)
    assert published.votes("system_a", "system_b", "outcome") == [["a", "b", "a"], ["a", "b", "b"]]
