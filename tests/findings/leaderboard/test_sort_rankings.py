"""`rank --method pairs`: the mean place of each system in the rankings PairS made, counted by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from core.findings import correlation
from core.findings.correlation import Reference
from core.findings.judgements.selection import Selection
from core.findings.leaderboard import candidates, leaderboard
from core.findings.leaderboard.needs import load_sorted_pairs
from core.findings.leaderboard.settings import RankSettings
from core.judging.judge import Judge
from core.pairing import planning
from core.pairing.planning import Request
from core.records import Answer, JudgeSpec, Kind, Outcome, Question, Score, Status, TandemError
from core.runs import execution
from core.store import Store
from tests.sentence_facts import find_sentences
from tests.study import DATASET, fill, ids

PAIRS = RankSettings("pairs", bootstrap=20)


class Mixed(Judge):
    """Prefers the longer text, on item i2 the shorter one; says nothing to what begins as told."""

    def __init__(self, name: str = "mixed", silent: str = "nothing") -> None:
        self.spec, self.silent = JudgeSpec(name, Kind.LLM, f"{name}:test"), silent

    def load(self) -> None:
        pass

    def prefers_first(self, question: Question) -> bool:
        longer = len(question.text_a.split()) > len(question.text_b.split())
        return longer is not question.context.endswith("item 2.")

    def answers(self, questions: Sequence[Question]) -> list[Answer]:
        return [
            Answer(failure="refused")
            if q.text_a.startswith(self.silent) or q.text_b.startswith(self.silent)
            else Answer(Outcome.A if self.prefers_first(q) else Outcome.B)
            for q in questions
        ]


def sort(store: Store, judge: Judge, **request: Any) -> int:
    asked = planning.check_request(store, Request(DATASET, "pairs-greedy", **request))
    run = planning.enqueue(store, judge.spec, asked)
    assert execution.execute(store, run, by=judge).status is Status.DONE
    return run


def chosen(**settings: Any) -> Selection:
    return Selection(DATASET, judges=("mixed",), **settings)


def ratings(store: Store, selection: Selection) -> dict[str, float]:
    rows = leaderboard(store, selection, PAIRS).rows
    return dict(zip(rows["system"], rows["rating"], strict=True))


def test_the_rating_is_the_mean_place(study: Store) -> None:
    """gamma is longest: 1, 1 and, on i2, 0; beta in the middle; 3 rankings take 2 or 3 answers."""
    sort(study, Mixed())
    result = leaderboard(study, chosen(), PAIRS)
    rows = result.rows.set_index("system")
    expected = {"gamma": 2 / 3, "beta": 1 / 2, "alpha": 1 / 3}
    assert rows["rating"].to_dict() == pytest.approx(expected)
    assert rows["rank"].tolist() == [1, 2, 3]
    answered = study.connection.value("SELECT count(*) FROM judgements")
    assert result.judgements == answered
    assert rows["judgements"].sum() == 2 * answered
    assert rows["wins"].sum() == rows["losses"].sum() == answered
    # beta is in the middle of every item, and yet its interval has a width.
    assert rows.loc["beta", "low"] < 0.5 < rows.loc["beta", "high"]
    assert rows.loc["gamma", "low"] < rows.loc["gamma", "high"]
    signed = "pairs|judges:mixed|attribute:all|run:1|boot:20|over:items|seed:0|v:"
    assert result.signature.startswith(signed)
    two = ratings(study, chosen(systems=("alpha", "gamma")))
    assert two == pytest.approx({"gamma": 2 / 3, "alpha": 1 / 3}), "the order among them counts"
    places = candidates(study, chosen(), PAIRS).rows.set_index(["item", "system"])["rating"]
    for item in ("i0", "i1", "i2"):
        best = ("gamma", "beta", "alpha")[:: -1 if item == "i2" else 1]
        assert [places[item, system] for system in best] == [1.0, 0.5, 0.0]
    study.judges.add([JudgeSpec("marks", Kind.HUMAN)])
    worth = {"alpha": 1.0, "beta": 2.0, "gamma": 3.0}
    marks = [Score(i, s, "coherence", "marks", worth[s]) for i, s, _ in ids(study)]
    study.scores.add(DATASET, marks)
    for level, spearman in (("item", 1 / 3), ("system", 1.0)):  # of items 1, 1 and -1
        found = correlation.correlate(study, chosen(), Reference("human", level), settings=PAIRS)
        assert found.rows["spearman"].tolist() == pytest.approx([spearman])


def test_the_newest_ranking_of_an_item_counts_and_every_trial(study: Store) -> None:
    sort(study, Mixed(), seed=1)
    sort(study, Mixed(), seed=2)
    assert ratings(study, chosen())["gamma"] == pytest.approx(2 / 3)
    assert len(load_sorted_pairs(study, chosen()).pairs) == 3 * 3
    sort(study, Mixed(), trial=1)
    assert len(load_sorted_pairs(study, chosen()).pairs) == 2 * 3 * 3


class Cycle(Mixed):
    """Prefers alpha to beta, beta to gamma and gamma to alpha: the beginning decides the end."""

    def prefers_first(self, question: Question) -> bool:
        one, other = ("abg".index(text[0]) for text in (question.text_a, question.text_b))
        return (other - one) % 3 == 1


def test_of_rankings_that_differ_the_newest_counts(study: Store) -> None:
    sorts = [planning.ranking(study, sort(study, Cycle(), seed=seed)) for seed in range(4)]
    assert len({str(orders) for orders in sorts}) > 1
    pairs = load_sorted_pairs(study, chosen()).pairs
    for (_, item), [order] in sorts[-1].items():
        above = pairs[pairs["item"] == item].groupby("generation_a").size()
        assert [above.get(generation, 0) for generation in order] == [2, 1, 0]


def test_every_ranking_counts_once_however_long(store: Store) -> None:
    """i0 ranks gamma, beta, alpha; i1 has beta and alpha alone: beta is above half, then all."""
    fill(store, items=1)
    fill(store, items=2, systems=("alpha", "beta"))
    sort(store, Mixed())
    assert ratings(store, chosen()) == pytest.approx({"gamma": 1.0, "beta": 0.75, "alpha": 0.0})


def test_rankings_by_others_and_of_one_system_are_no_rankings_here(store: Store) -> None:
    """Of alpha and gamma, i1 has alpha alone, about which its judge said nothing."""
    fill(store, items=1)
    fill(store, items=2, systems=("alpha", "beta"))
    sort(store, Mixed(silent="alpha-1"))
    sort(store, Mixed("other"))
    found = load_sorted_pairs(store, chosen(systems=("alpha", "gamma")))
    assert found.notes == ()
    assert found.pairs[["judge", "item"]].to_numpy().tolist() == [["mixed", "i0"]]


def test_what_was_not_answered_is_counted_and_ranks_nobody(study: Store) -> None:
    """All pairs with alpha on i0 fail in both orders; where every pair fails there is no ranking."""
    sort(study, Mixed(silent="alpha-0"))
    result = leaderboard(study, chosen(), PAIRS)
    count = "SELECT count(*) FROM judgements WHERE failure"
    failed = study.connection.value(f"{count} <> ''")
    assert failed > 0
    assert result.unanswered == {"refused": failed}
    assert result.judgements == study.connection.value(f"{count} = ''")
    sort(study, Mixed("mute", silent=""))
    with pytest.raises(TandemError, match=r"\bjudge answered no\b"):
        leaderboard(study, Selection(DATASET, judges=("mute",)), PAIRS)


def test_items_without_an_answer_are_left_out_and_told(store: Store) -> None:
    fill(store, systems=("alpha", "beta"))
    sort(store, Mixed(silent="alpha-0"))
    result = leaderboard(store, chosen(), PAIRS)
    assert result.rows["rating"].tolist() == [0.5, 0.5]
    assert find_sentences(result.notes, r"\b1 ranking\b.*\bleft out\b")


def test_settings_that_make_no_sense_for_rankings() -> None:
    value: Any
    for name, value, said in (
        ("ties", "drop", "pairs takes no ties drop"),
        ("over", "judgements", "pairs takes no over judgements"),
        ("debias", "swap", "pairs takes no debias swap: ask with `judge calibrate` instead"),
        ("position_term", True, "product-of-experts, not to pairs"),
        ("separability", "bleu", "separability bleu belongs to sep-elo, not to pairs"),
    ):
        with pytest.raises(TandemError, match=said):
            RankSettings("pairs", **{name: value})


def test_without_a_finished_sort_there_are_no_rankings(study: Store) -> None:
    judge = Mixed()
    full = planning.check_request(study, Request(DATASET, "full"))
    execution.execute(study, planning.enqueue(study, judge.spec, full), by=judge)
    with pytest.raises(TandemError, match=r"^no PairS run\b.*\bmixed\b"):
        leaderboard(study, chosen(), PAIRS)
    greedy = planning.check_request(study, Request(DATASET, "pairs-greedy", seed=4, trial=3))
    begun = planning.enqueue(study, judge.spec, greedy)
    with pytest.raises(TandemError, match=rf"\brun {begun}\b.*\bnot finished\b"):
        leaderboard(study, chosen(), PAIRS)


class Shorter(Mixed):
    def prefers_first(self, question: Question) -> bool:
        return len(question.text_a) <= len(question.text_b)


def test_rankings_of_one_trial_alone(study: Store) -> None:
    """gamma is longest; the second trial sorts the other way round."""
    sort(study, Mixed())
    sort(study, Shorter(), trial=1)
    assert ratings(study, chosen(trials=(1,))) == {"alpha": 1.0, "beta": 0.5, "gamma": 0.0}
