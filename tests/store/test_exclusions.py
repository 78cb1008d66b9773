"""Whose answers statistics leave out, and that this can be taken back."""

import pytest

from core.records import Answer, Kind, Outcome, Score, TandemError
from core.store import Store
from core.store.campaigns import PlannedPair
from tests.study import DATASET, asked_about, compare, judge

A, B = Answer(outcome=Outcome.A), Answer(outcome=Outcome.B)


@pytest.fixture
def campaign(study):
    """A campaign that asks two people about each of the three pairs of i0."""
    row = asked_about(study, overlap=2)
    study.campaigns.add_pairs(row, [PlannedPair(*pair, 0) for pair in ((1, 2), (1, 3), (2, 3))])
    return study.campaigns.default(DATASET).id


def vote(store: Store, campaign: int, who: int, sides: tuple[str, str], answer: Answer = A) -> int:
    row = store.judgements.add_vote(campaign, compare(store, "i0", *sides), who, answer)
    assert row is not None
    return row


def votes(store: Store) -> list[int]:
    return [row for (row,) in store.connection.rows("SELECT votes FROM campaign_pairs ORDER BY id")]


def whole(store: Store) -> bool:
    return bool(store.connection.check()["ok"])


@pytest.fixture
def voted(study, campaign):
    """Ada answers two pairs and skips the third; Bo answers the first."""
    ada, bo = judge(study, "Ada"), judge(study, "Bo")
    vote(study, campaign, ada, ("alpha", "beta"))
    vote(study, campaign, ada, ("gamma", "alpha"))
    vote(study, campaign, ada, ("beta", "gamma"), Answer(failure="skipped"))
    vote(study, campaign, bo, ("beta", "alpha"), B)
    assert votes(study) == [2, 1, 0]
    return ada, bo


def test_statistics_leave_out_who_is_excluded_until_it_is_lifted(study, voted):
    before = study.judgement_frames.load_all(DATASET)
    assert study.exclusions.add(DATASET, "Ada", reason="clicks", by="Eve") == 3
    frames = study.judgement_frames
    assert frames.load_all(DATASET)["judge"].tolist() == ["Bo"]
    assert frames.judges(DATASET)["judge"].tolist() == ["Bo"]
    assert frames.count_answers(DATASET)[["judge", "asked"]].values.tolist() == [["Bo", 1]]
    assert frames.outcome_counts(DATASET)["judge"].tolist() == ["Bo"]
    assert frames.firsts(DATASET)["judge"].tolist() == ["Bo"]
    assert frames.judge_traits(DATASET)["judge"].tolist() == ["Bo"]
    assert sorted(frames.load_all(DATASET, excluded=True)["judge"]) == ["Ada"] * 3 + ["Bo"]
    assert study.exclusions.lift(DATASET, "Ada", by="Eve") == 3
    assert frames.load_all(DATASET).equals(before)


def test_others_are_asked_again_about_what_an_excluded_person_answered(study, campaign, voted):
    study.exclusions.add(DATASET, "Ada", reason="clicks", by="Eve")
    assert votes(study) == [1, 0, 0]
    assert whole(study)
    study.exclusions.lift(DATASET, "Ada", by="Eve")
    assert votes(study) == [2, 1, 0]
    assert whole(study)


def test_what_an_excluded_person_answers_and_takes_back_counts_once_it_is_lifted(
    study, campaign, voted
):
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


def test_only_of_that_data_set(study, voted):
    with pytest.raises(TandemError, match=r"nobody .*'Ada' .*'other'"):
        study.exclusions.add("other", "Ada", reason="clicks", by="Eve")
    assert study.exclusions.kinds("other") == {}


def test_caches_notice(study, voted):
    stamps = [study.judgement_frames.stamp(DATASET)]
    study.exclusions.add(DATASET, "Ada", reason="clicks", by="Eve")
    stamps.append(study.judgement_frames.stamp(DATASET))
    study.exclusions.lift(DATASET, "Ada", by="Eve")
    stamps.append(study.judgement_frames.stamp(DATASET))
    assert len(set(stamps)) == 3


def test_who_when_and_why_stay(study, voted):
    study.exclusions.add(DATASET, "Ada", reason=" clicks ", by="Eve")
    study.exclusions.lift(DATASET, "Ada", by="Flo")
    study.exclusions.add(DATASET, "Ada", reason="again", by="Eve")
    rows = study.exclusions.load_all(DATASET)
    assert rows[["judge", "reason", "excluded_by", "lifted_by"]].values.tolist() == [
        ["Ada", "clicks", "Eve", "Flo"],
        ["Ada", "again", "Eve", ""],
    ]
    assert rows["lifted_at"].isna().tolist() == [False, True]
    assert study.exclusions.kinds(DATASET) == {"Ada": "human"}
    log = study.audit.load_all()[["who", "action", "subject"]].values.tolist()
    assert log == [
        ["Eve", "excluded", "Ada"],
        ["Flo", "included again", "Ada"],
        ["Eve", "excluded", "Ada"],
    ]


def test_how_many_votes_are_left_out(study, voted):
    study.exclusions.add(DATASET, "Ada", reason="clicks", by="Eve")
    assert study.exclusions.left_out(DATASET).values.tolist() == [["Ada", "human", 3]]
    some = study.exclusions.left_out(DATASET, systems=("alpha", "beta"))
    assert some["votes"].tolist() == [1]
    assert study.exclusions.left_out(DATASET, attribute="fluency").empty


def test_marks_are_left_out_too(study):
    study.judges.add([])
    judge(study, "expert", Kind.HUMAN)
    study.scores.add(DATASET, [Score("i0", "alpha", "coherence", "expert", 3.0)])
    study.exclusions.add(DATASET, "expert", reason="drunk", by="Eve")
    assert study.scores.load_all(DATASET).empty
    assert study.scores.scorers(DATASET).empty
    assert len(study.scores.load_all(DATASET, excluded=True)) == 1


@pytest.mark.parametrize(
    ("name", "reason", "says"),
    [
        ("Ada", " ", "say why"),
        ("Nobody", "clicks", "nobody called 'Nobody' has judged"),
    ],
)
def test_what_cannot_be_excluded(study, voted, name, reason, says):
    with pytest.raises(TandemError, match=says):
        study.exclusions.add(DATASET, name, reason=reason, by="Eve")


def test_neither_twice(study, voted):
    with pytest.raises(TandemError, match=r"'Ada' .*nothing.*lift"):
        study.exclusions.lift(DATASET, "Ada", by="Eve")
    study.exclusions.add(DATASET, "Ada", reason="clicks", by="Eve")
    with pytest.raises(TandemError, match=r"'Ada' .*already.*lift"):
        study.exclusions.add(DATASET, "Ada", reason="clicks", by="Eve")
    assert votes(study) == [1, 0, 0]


def test_a_name_is_known_as_a_file_spells_it(study, voted):
    assert study.exclusions.add(DATASET, "A\u200bda\ufeff", reason="late", by="test") == 3
    assert study.exclusions.lift(DATASET, " Ada\u3164", by="test") == 3
    with pytest.raises(TandemError, match="nobody called 'ada'"):
        study.exclusions.add(DATASET, "ada", reason="late", by="test")
