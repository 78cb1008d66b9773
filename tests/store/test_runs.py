"""Plans of runs: what is still to be asked is derived from the answers."""

from typing import Any

import pytest

from core.pairing.planning import Request
from core.records import Answer, Attribute, Kind, Outcome, Status, TandemError
from core.store import Store
from tests.study import DATASET, asked_about, campaign_asking, compare, judge

SETTINGS = Request(DATASET, budget=4).settings()


@pytest.fixture
def run(study: Store) -> int:
    """The pairs (1, 2), (3, 2), (1, 3) of i0 in the order of their priority: 1, 3, 2."""
    row = begin(study, judge(study, "m", Kind.LLM), SETTINGS)
    study.runs.add_planned(row, 1, [(1, 2, 10, 0.5), (3, 2, 30, 0.5), (1, 3, 20, 0.5)])
    return row


def begin(store: Store, judge_id: int, settings: dict[str, Any], task: str = "compare") -> int:
    return store.runs.begin(DATASET, task, judge_id, settings, {"rpm": 5}, {"tandem": "1"})


def answer(store: Store, run: int, *answers: Answer) -> None:
    asked = [question.comparison for question in store.runs.list_pending(run, len(answers))]
    given = zip(asked, answers, strict=True)
    store.judgements.add_answers(run, store.judges.id_of("m"), 0, given)


def texts(store: Store, run: int) -> list[tuple[str, str]]:
    questions = store.runs.list_pending(run, 10)
    return [(one.text_a.split("-")[0], one.text_b.split("-")[0]) for one in questions]


def test_a_request_is_found_by_all_its_settings(study: Store, run: int) -> None:
    m = study.judges.id_of("m")
    assert begin(study, m, SETTINGS) == run
    assert begin(study, m, dict(reversed(SETTINGS.items()))) == run
    others = [begin(study, judge(study, "other", Kind.LLM), SETTINGS)]
    others += [begin(study, m, SETTINGS, task="score")]
    changes = {
        "budget": 5,
        "seed": 1,
        "samples": 2,
        "subset": "x",
        "systems": ("alpha",),
        "trial": 1,
    }
    others += [begin(study, m, {**SETTINGS, name: value}) for name, value in changes.items()]
    assert len({run, *others}) == 9
    assert study.runs.get(run).execution == {"rpm": 5}  # that of the latest request
    study.runs.begin(DATASET, "compare", m, SETTINGS, {"rpm": 7}, {})
    assert study.runs.get(run).execution == {"rpm": 7}


def test_what_is_pending_comes_in_planned_order_with_everything_a_judge_sees(
    study: Store, run: int
) -> None:
    assert texts(study, run) == [("alpha", "beta"), ("alpha", "gamma"), ("gamma", "beta")]
    [first] = study.runs.list_pending(run, 1)
    assert (first.text_a, first.text_b) == ("alpha-0-0", "beta-0-0 beta-0-0")
    assert first.attribute == Attribute("coherence", "coherence-ish")
    [context, *_] = study.datasets.items(DATASET)["context"]
    assert first.context == context
    assert (first.context_noun, first.candidate_noun) == ("article", "summary")
    assert study.run_counts.counts(run) == {"planned": 3, "asked": 0}


def test_a_failure_is_asked_but_can_be_asked_again(study: Store, run: int) -> None:
    answer(study, run, Answer(Outcome.A), Answer(failure="no-label"))
    assert texts(study, run) == [("gamma", "beta")]
    assert study.run_counts.counts(run) == {"planned": 3, "asked": 2}
    assert study.run_counts.failures(run) == {"no-label": 1}
    assert study.runs.withdraw_failures(run) == 1
    assert study.runs.withdraw_failures(run) == 0
    assert texts(study, run) == [("alpha", "gamma"), ("gamma", "beta")]
    assert study.run_counts.failures(run) == {}


def test_an_answer_counts_in_every_run_of_that_judge_and_trial(study: Store, run: int) -> None:
    m = study.judges.id_of("m")
    answer(study, run, Answer(Outcome.A))
    for settings, asked in (({"seed": 1}, 1), ({"trial": 1}, 0)):
        later = begin(study, m, {**SETTINGS, **settings})
        study.runs.add_planned(later, 1, [(1, 2, 1, 1.0), (1, 3, 2, 1.0)])
        assert study.run_counts.counts(later) == {"planned": 2, "asked": asked}
    other = begin(study, judge(study, "n", Kind.LLM), SETTINGS)
    study.runs.add_planned(other, 1, [(1, 2, 1, 1.0)])
    assert study.run_counts.counts(other) == {"planned": 1, "asked": 0}

    answer(study, run, Answer(Outcome.B))  # given in one run, known in the other
    assert study.run_counts.counts(2) == {"planned": 2, "asked": 2}
    assert study.connection.check()["ok"]


def test_planning_again_keeps_what_is_there(study: Store, run: int) -> None:
    assert study.runs.add_planned(run, 1, [(1, 2, 99, 1.0), (2, 1, 99, 1.0)]) == 1
    assert study.runs.planned_comparisons(run, 1) == {"i0": {(1, 2), (3, 2), (1, 3), (2, 1)}}
    assert study.runs.answered_by(study.judges.id_of("m"), 1, 0) == set()
    answer(study, run, Answer(failure="no-label"))
    assert study.runs.answered_by(study.judges.id_of("m"), 1, 0) == {(1, 2)}


def test_a_status_moves_only_from_where_it_is_expected(study: Store, run: int) -> None:
    assert not study.runs.set_status(run, Status.DONE, only_from=(Status.RUNNING,))
    assert study.runs.set_status(run, Status.RUNNING)
    assert study.runs.beat(run) is Status.RUNNING
    only_from = (Status.RUNNING, Status.QUEUED)
    assert study.runs.set_status(run, Status.FAILED, error="no memory", only_from=only_from)
    assert study.runs.get(run).status == "failed"
    told = study.runs.list_all(kind="run")[["status", "error"]]
    assert told.to_numpy().tolist() == [["failed", "no memory"]]
    assert study.run_counts.list_unfinished() == []
    assert study.runs.set_status(run, Status.QUEUED)
    assert study.run_counts.list_unfinished() == [run]
    assert study.runs.list_all()["error"].tolist() == [""]


def test_a_campaign_is_no_run(study: Store, run: int) -> None:
    first = asked_about(study)
    with pytest.raises(TandemError, match=rf"\brun {first}\b.*`runs`"):
        study.runs.get(first)
    assert not study.runs.set_status(first, Status.DONE)
    second = study.campaigns.add_attribute(study.campaigns.add(DATASET, "second"), "coherence")
    last = begin(study, judge(study, "n", Kind.LLM), {**SETTINGS, "trial": 2})
    listed = study.runs.list_all()
    numbers = {run: "run", first: "campaign", second: "campaign", last: "run"}  # none is another's
    assert dict(zip(listed["run"], listed["kind"], strict=True)) == numbers
    assert listed["run"].tolist() == sorted(numbers, reverse=True)
    study.runs.add_planned(last, 1, [(1, 2, 10, 0.5)])
    assert [question.trial for question in study.runs.list_pending(last, 5)] == [2]
    comparison = compare(study, "i0", "alpha", "beta")
    study.judgements.add_vote(campaign_asking(study), comparison, judge(study), Answer(Outcome.A))
    assert study.run_counts.counts(run) == {"planned": 3, "asked": 0}  # a person's answer is none
