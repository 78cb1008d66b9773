"""Whose answers statistics leave out, and that this can be taken back."""

import pytest

from core.records import Answer, Kind, Outcome, Score, TandemError
from core.store import Store
from core.store.campaigns import PlannedPair
from tests.study import DATASET, asked_about, compare, judge

A, B = Answer(outcome=Outcome.A), Answer(outcome=Outcome.B)


@pytest.fixture
def campaign(study: Store) -> int:
    """A campaign that asks two people about each of the three pairs of i0."""
    row = asked_about(study, overlap=2)
    study.campaigns.add_pairs(row, [PlannedPair(*pair, 0) for pair in ((1, 2), (1, 3), (2, 3))])
    return study.campaigns.default(DATASET).id


def vote(store: Store, campaign: int, who: int, sides: tuple[str, str], answer: Answer = A) -> int:
    return store.judgements.add_vote(campaign, compare(store, "i0", *sides), who, answer)


def votes(store: Store) -> list[int]:
    return [row for (row,) in store.connection.rows("SELECT votes FROM campaign_pairs ORDER BY id")]


def whole(store: Store) -> bool:
    return bool(store.connection.check()["ok"])


@pytest.fixture
def voted(study: Store, campaign: int) -> tuple[int, int]:
    """Ada answers two pairs and skips the third; Bo answers the first."""
    ada, bo = judge(study, "Ada"), judge(study, "Bo")
    vote(study, campaign, ada, ("alpha", "beta"))
    vote(study, campaign, ada, ("gamma", "alpha"))
    vote(study, campaign, ada, ("beta", "gamma"), Answer(failure="skipped"))
    vote(study, campaign, bo, ("beta", "alpha"), B)
    assert votes(study) == [2, 1, 0]
    return ada, bo


def test_statistics_leave_out_who_is_excluded_until_it_is_lifted(
    study: Store, voted: tuple[int, int]
) -> None:
    frames, stamps = study.judgement_frames, [study.judgement_frames.stamp(DATASET)]
    before = frames.load_all(DATASET)
    assert study.exclusions.add(DATASET, "Ada", reason="clicks", by="Eve") == 3
    stamps.append(frames.stamp(DATASET))
    for read in (frames.load_all, frames.judges, frames.outcome_counts, frames.firsts,
                 frames.judge_traits):  # fmt: skip
        assert read(DATASET)["judge"].tolist() == ["Bo"]
    assert frames.count_answers(DATASET)[["judge", "asked"]].values.tolist() == [["Bo", 1]]
    assert sorted(frames.load_all(DATASET, excluded=True)["judge"]) == ["Ada"] * 3 + ["Bo"]
    left_out = study.exclusions.left_out
    assert left_out(DATASET).values.tolist() == [["Ada", "human", 3]]
    assert left_out(DATASET, systems=("alpha", "beta"))["votes"].tolist() == [1]
    assert left_out(DATASET, attribute="fluency").empty
    assert votes(study) == [1, 0, 0]  # others are asked again
    assert whole(study)
    assert study.exclusions.lift(DATASET, "Ada", by="Eve") == 3
    assert frames.load_all(DATASET).equals(before)
    assert len({*stamps, frames.stamp(DATASET)}) == 3
    assert votes(study) == [2, 1, 0]
    assert whole(study)


def test_what_an_excluded_person_answers_and_takes_back_counts_once_it_is_lifted(
    study: Store, campaign: int, voted: tuple[int, int]
) -> None:
    ada, _ = voted
    row = vote(study, campaign, ada, ("alpha", "gamma"))
    study.exclusions.add(DATASET, "Ada", reason="clicks", by="Eve")
    assert votes(study) == [1, 0, 0]
    assert study.judgements.withdraw(row, ada)
    vote(study, campaign, ada, ("gamma", "beta"))
    assert votes(study) == [1, 0, 0]
    assert whole(study)
    study.exclusions.lift(DATASET, "Ada", by="Eve")
    assert votes(study) == [2, 1, 1]
    assert whole(study)


def test_who_when_and_why_stay(study: Store, voted: tuple[int, int]) -> None:
    add, lift = study.exclusions.add, study.exclusions.lift
    for dataset, name, reason, says in (
        (DATASET, "Ada", " ", "say why"),
        (DATASET, "Nobody", "clicks", "nobody called 'Nobody' has judged"),
        (DATASET, "ada", "late", "nobody called 'ada'"),
        ("other", "Ada", "clicks", r"nobody .*'Ada' .*'other'"),
    ):
        with pytest.raises(TandemError, match=says):
            add(dataset, name, reason=reason, by="Eve")
    with pytest.raises(TandemError, match=r"'Ada' .*nothing.*lift"):
        lift(DATASET, "Ada", by="Eve")
    add(DATASET, "Ada", reason=" clicks ", by="Eve")
    with pytest.raises(TandemError, match=r"'Ada' .*already.*lift"):
        add(DATASET, "Ada", reason="clicks", by="Eve")
    lift(DATASET, "Ada", by="Flo")
    add(DATASET, "Ada", reason="again", by="Eve")
    rows = study.exclusions.load_all(DATASET)
    assert rows[["judge", "reason", "excluded_by", "lifted_by"]].values.tolist() == [
        ["Ada", "clicks", "Eve", "Flo"], ["Ada", "again", "Eve", ""],
    ]  # fmt: skip
    assert rows["lifted_at"].isna().tolist() == [False, True]
    assert study.exclusions.kinds(DATASET) == {"Ada": "human"}
    assert study.exclusions.kinds("other") == {}
    log = study.audit.load_all()[["who", "action", "subject"]].values.tolist()
    excluded = ["Eve", "excluded", "Ada"]
    assert log == [excluded, ["Flo", "included again", "Ada"], excluded]
    assert lift(DATASET, " Ada\u3164", by="Flo") == 3  # known as a file spells it
    assert add(DATASET, "A\u200bda\ufeff", reason="late", by="Eve") == 3


def test_marks_are_left_out_too(study: Store) -> None:
    judge(study, "expert", Kind.HUMAN)
    study.scores.add(DATASET, [Score("i0", "alpha", "coherence", "expert", 3.0)])
    study.exclusions.add(DATASET, "expert", reason="drunk", by="Eve")
    assert study.scores.load_all(DATASET).empty
    assert study.scores.scorers(DATASET).empty
    assert len(study.scores.load_all(DATASET, excluded=True)) == 1
