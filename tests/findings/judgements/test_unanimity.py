"""Judges whose sampled votes always agree, and systems whose texts are all the same."""

import json
from collections.abc import Sequence

import numpy as np
import pytest

from core.__main__ import main
from core.findings.bias import bias
from core.findings.judgements import Selection, note_equal_texts, select_judgements
from core.findings.leaderboard import RankSettings, leaderboard
from core.findings.separability import Settings, separability
from core.judging.judge import Judge, Question
from core.pairing.planning import Request, enqueue
from core.records import Answer, Generation, JudgeSpec, Kind, System, TandemError
from core.runs import describe_identical_samples
from core.runs.execution import execute
from core.similarity import make_metric
from core.store import ChosenGenerations, Store
from tests.sentence_facts import find_sentences
from tests.study import DATASET, fill, measure

SELECTION = Selection(DATASET, judges=("five",))
SAID = r"^five: .*\bsampled votes agree\b.*\bwithout probabilities\b"


class Five(Judge):
    """The shares it is given, in turn."""

    spec = JudgeSpec("five", Kind.LLM, "five:test", mode="sample", votes=5, temperature=1.0)

    def __init__(self, shares: Sequence[float]) -> None:
        self.shares, self.asked = shares, 0

    def answers(self, questions: Sequence[Question]) -> list[Answer]:
        first, self.asked = self.asked, self.asked + len(questions)
        shares = (self.shares[i % len(self.shares)] for i in range(first, self.asked))
        return [Answer.from_probability(share) for share in shares]


def judged(store: Store, *shares: float, items: int = 4) -> int:
    fill(store, items=items)
    run = enqueue(store, Five.spec, Request(DATASET))
    assert execute(store, run, by=Five(shares)).failed == 0
    return run


def test_votes_that_never_differ_are_no_certainty(store: Store) -> None:
    run = judged(store, 1.0, 0.0, 1.0)
    frame, _ = select_judgements(store, SELECTION)
    assert len(frame) == 24
    assert frame["prob_a"].isna().all()
    assert frame["points"].isin([0.0, 1.0]).all()  # the decisions count
    assert find_sentences(leaderboard(store, SELECTION, RankSettings("win-ratio")).notes, SAID)
    found = bias(store, SELECTION)
    assert find_sentences(found.notes, SAID)
    assert np.isnan(found.rows["mean_prob_first"]).all()
    with pytest.raises(TandemError, match=r"\bsampled votes agree\b.*\bwin-ratio\b"):
        leaderboard(store, SELECTION, RankSettings("average-probability"))
    assert "every" in describe_identical_samples(store, run)


def test_one_vote_that_differs_is_enough(store: Store) -> None:
    run = judged(store, *[1.0, 0.0] * 11, 0.8, 0.0)
    assert select_judgements(store, SELECTION)[0]["prob_a"].notna().all()
    assert leaderboard(store, SELECTION, RankSettings("average-probability")).judgements
    assert not find_sentences(leaderboard(store, SELECTION, RankSettings("win-ratio")).notes, SAID)
    assert describe_identical_samples(store, run) == ""


def test_few_questions_tell_nothing(store: Store) -> None:
    run = judged(store, 1.0, items=3)  # 18 comparisons
    assert select_judgements(store, SELECTION)[0]["prob_a"].notna().all()
    assert describe_identical_samples(store, run) == ""


def test_a_classifier_may_be_as_sure_as_it_likes(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = JudgeSpec("five", Kind.LLM, "five:test", mode="classifier")
    monkeypatch.setattr(Five, "spec", spec)
    judged(store, 1.0, 0.0)
    assert select_judgements(store, SELECTION)[0]["prob_a"].notna().all()


def test_texts_that_are_the_same_within_every_item_are_said(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(store, items=20, samples=2)
    store.datasets.add_systems(DATASET, [System("greedy")])
    texts = [Generation(f"i{i}", "greedy", k, f"text {i}") for i in range(20) for k in range(2)]
    store.datasets.add_generations(DATASET, texts)
    assert note_equal_texts(store, DATASET, ["alpha"]) == []
    measure(store, ChosenGenerations(DATASET, samples=2), make_metric("rouge1"))
    said = r"^greedy: .*\b20 items\b.*\bnot sampled\b"
    for other, is_said in (("greedy", True), ("beta", False)):
        asked = Selection(DATASET, systems=("alpha", other))
        notes = separability(store, asked, Settings("rouge1")).notes
        assert bool(find_sentences(notes, said)) is is_said
    path = str(store.path)
    assert main(["--store", path, "separability", "--metric", "rouge1", "--json"]) == 0
    assert find_sentences(json.loads(capsys.readouterr().out)["notes"], said)
