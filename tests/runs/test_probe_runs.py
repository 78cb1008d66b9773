"""Probes: what is asked, what of it is kept where, and that nothing else changes."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

import numpy as np
import pytest

from core.findings.judgements import Selection
from core.findings.probes import probes
from core.judging import PROBES, find_probe, make
from core.judging.judge import Judge
from core.models import Options
from core.pairing import Request as Pairs
from core.pairing import planning
from core.records import Answer, JudgeSpec, Kind, Outcome, TandemError
from core.runs import execution, probe, worker
from core.runs.probe import ProbeRequest
from core.store import Store
from tests.asking import LONGER, Obeying, answer_all, obeys
from tests.cli.asked import Run
from tests.server import Server
from tests.study import DATASET, content, fill

CHOOSE, TWO_WORDS = PROBES["choose-me"], find_probe("x y")


def probed(store, judge=LONGER, **asked):
    """A run that probes, done; its result."""
    request = ProbeRequest(DATASET, **{"probes": (TWO_WORDS,), "number": 100, **asked})
    run = probe.enqueue(store, judge, request)
    return execution.execute(store, run, by=judge)


def rows(store, **chosen):
    return probes(store, Selection(DATASET, **chosen)).rows


def kept(store):
    return store.connection.value("SELECT count(*) FROM live_attack_answers")


class TestCountedByHand:
    """alpha, beta and gamma have texts of one, two and three words. With two more, alpha is longer
    than beta, and beta than gamma; alpha has then as many words as gamma, and fewer letters.
    """

    def test_changes(self, study: Store) -> None:
        answer_all(study)
        result = probed(study)
        # Of 18 comparisons there are two sides, with a sentence and a control each.
        assert (result.planned, result.done, result.answered) == (18 * 4, 18 * 4, 18 * 4)
        row = rows(study).iloc[0]
        assert (row["answers"], row["against"], row["items"]) == (36, 18, 3)
        assert row["flipped"] == pytest.approx(12 / 18)
        assert row["control"] == pytest.approx(12 / 18)
        assert row["change"] == 0
        assert (row["asked"], row["unanswered"]) == (36, 0)
        # only what is selected
        assert rows(study, systems=("alpha", "gamma"))["flipped"].tolist() == [0.0]
        assert rows(study, items=("i0",))["against"].tolist() == [6]
        assert rows(study, judges=("human",)).empty

    def test_more_than_the_control(self, study: Store) -> None:
        """Ten letters each, "x y" without them, "Rain fell." ties alpha with nobody."""
        answer_all(study)
        probed(study, probes=(find_probe("wwwwwwwwwwwwwwwwwwww wwwwwwwwwwwwwwwwwwww"),))
        row = rows(study).iloc[0]
        assert row["flipped"] == 1.0  # of as many words alpha has now more letters than gamma
        assert row["control"] == pytest.approx(12 / 18)
        assert row["change"] == pytest.approx(6 / 36)  # of 36 texts probed, 6 win besides
        # Padding makes the loser the longer one.
        run = probed(study, probes=(PROBES["padding"],)).run
        [row] = rows(study, runs=(run,)).to_dict("records")
        assert (row["flipped"], row["change"], row["sentence"]) == (1.0, 0.5, "")
        assert np.isnan(row["control"])

    def test_a_system_is_named_as_it_is_called(self, study: Store) -> None:
        asked: list[str] = []

        class Reading(Obeying):
            def answers(self, questions):
                asked.extend(f"{one.text_a}|{one.text_b}" for one in questions)
                return super().answers(questions)

        judge = Reading(0.0, "a")
        answer_all(study, judge)
        probed(study, judge, probes=(PROBES["system-name"],))
        before = [text.split(" wrote this")[0] for text in asked if " wrote this" in text]
        assert sorted(text.split()[-1] for text in before) == sorted(
            ["alpha", "beta", "gamma"] * 12
        )


class TestEachBesideItsOwnControl:
    """A control has as many words as the judge reads of the sentence, with its own labels."""

    def test_a_judge_with_other_labels_leaves_the_first_as_it_was(self, store: Store) -> None:
        fill(store, items=20)
        first, second = Obeying(0.7, "a"), Obeying(0.7, "b")
        second.spec = replace(second.spec, labels=("1", "2"))
        for judge in (first, second):
            answer_all(store, judge)
        probed(store, first, probes=(CHOOSE,), number=60)
        before = rows(store, judges=("obeying-a",)).iloc[0]
        probed(store, second, probes=(CHOOSE,), number=60)
        assert len({run["attacks"][0][2] for run in store.probes.runs(DATASET)}) == 2  # controls
        assert rows(store, judges=("obeying-a",)).iloc[0].equals(before)
        assert rows(store)["change"].notna().all()

    def test_a_run_alone_has_the_control_that_an_earlier_one_asked(self, study: Store) -> None:
        """Both sentences have two words, and so the same control on the same comparisons."""
        answer_all(study)
        probed(study)
        probed(study, probes=(find_probe("z z"),))
        assert kept(study) == 18 * 2 * 3
        second = study.probes.runs(DATASET)[-1]["run"]
        whole = rows(study).set_index("sentence").loc["z z"]
        [row] = rows(study, runs=(second,)).to_dict("records")
        assert (row["sentence"], row["control"]) == ("z z", whole["control"])
        assert row["change"] == whole["change"]


class TestWhatIsAsked:
    def test_what_was_answered_is_taken_of_every_item_in_turn(self, study: Store) -> None:
        answer_all(study)
        probed(study, number=6)
        assert len(study.judgement_frames.load_all(DATASET)) == 18
        drawn = study.connection.rows(
            """SELECT i.key, count(*) FROM runs p JOIN run_comparisons q ON q.run = p.id
            JOIN comparisons c ON c.id = q.comparison JOIN items i ON i.id = c.item
            WHERE p.task = 'attack' GROUP BY 1"""
        )
        assert drawn == [("i0", 2), ("i1", 2), ("i2", 2)]

    def test_the_same_request_asks_nothing_again(self, study: Store) -> None:
        answer_all(study)
        first = probed(study, number=5)
        again = probed(study, number=5)
        assert (again.run, again.answered, again.done) == (first.run, 0, 20)
        other = probed(study, number=5, probes=(TWO_WORDS, CHOOSE))
        assert other.run != first.run
        assert other.already_there == 20  # a sentence is asked once a comparison

    def test_it_goes_on_where_it_was_cut_off_and_a_worker_does_it(self, study: Store) -> None:
        answer_all(study)
        request = ProbeRequest(DATASET, probes=(TWO_WORDS,), number=6)
        run = probe.enqueue(study, LONGER, request)
        for done in (7, 14, 21):
            assert execution.execute(study, run, by=LONGER, limit=7).done == done
        assert probe.enqueue(study, LONGER, request) == run
        worker.run_worker(study.path, once=True)  # by the judge that is stored
        progress = execution.load_progress(study, run)
        assert (progress.done, progress.planned) == (24, 24)
        assert kept(study) == 24

    def test_unanswered_ones_are_counted_and_asked_again(self, study: Store) -> None:
        class Refuses(Judge):
            spec = JudgeSpec("refuses", Kind.LLM, "refuses:test")
            refusing = True

            def answers(self, questions):
                return [
                    Answer(failure="refused")
                    if self.refusing and "x y" in f"{one.text_a} {one.text_b}"
                    else Answer(Outcome.A)
                    for one in questions
                ]

        judge = Refuses()
        answer_all(study, judge)
        result = probed(study, judge, number=6)
        assert (result.done, result.failed) == (24, 12)
        row = rows(study).iloc[0]
        assert (row["asked"], row["unanswered"], row["against"], row["answers"]) == (12, 12, 0, 0)
        assert np.isnan(row["flipped"])  # no answer is not a tie
        judge.refusing = False
        assert execution.retry(study, result.run) == 12
        assert execution.execute(study, result.run, by=judge).failed == 0
        assert rows(study).iloc[0]["change"] == 0

    def test_who_scores_or_has_answered_nothing_is_refused(self, study: Store) -> None:
        for judge, says in (
            (make("baseline:rouge1"), r"^baseline:rouge1\b.*\bcompares two$"),
            (LONGER, r"^baseline:longer has answered no\b.*\bjudge first$"),
        ):
            with pytest.raises(TandemError, match=says):
                probe.enqueue(study, judge, ProbeRequest(DATASET, probes=(CHOOSE,)))
        assert study.runs.list_all(kind="run").empty

    def test_swapped_texts_are_asked_only_where_nobody_has(self, study: Store) -> None:
        """Of half of the comparisons, the other half is the swapped one; what is asked is kept by
        where the texts stood.
        """
        random = make("baseline:random")
        run = planning.enqueue(study, random.spec, Pairs(DATASET, "random", 3))
        execution.execute(study, run, by=random)
        frame = study.judgement_frames.load_all(DATASET).set_index("comparison")
        shown = frame[["generation_a", "generation_b"]].apply(tuple, axis=1)
        pairs = set(shown)
        there = sum((other, one) in pairs for one, other in pairs)
        result = probed(study, random, probes=(PROBES["order"],))
        assert (result.planned, result.already_there) == (len(pairs), there)
        assert result.answered == len(pairs) - there
        assert len(study.judgement_frames.load_all(DATASET)) == len(pairs)
        answer_all(study, random)
        every = study.judgement_frames.load_all(DATASET).set_index(["generation_a", "generation_b"])
        of = {"a": "b", "b": "a", "tie": "tie"}
        for one in study.probes.load_all(DATASET).itertuples():
            first, second = shown[one.comparison]
            assert one.outcome == of[every.loc[(second, first), "outcome"]]


COMMANDS = ("datasets", "rank --judges baseline", "rank --judges baseline --method elo",
            "agreement --judges baseline", "bias --judges baseline", "describe --judges baseline")  # fmt: skip


def test_every_other_figure_is_as_before(store: Store, run: Run) -> None:
    fill(store, items=12)
    judges = LONGER, make("baseline:random")
    for judge in judges:
        answer_all(store, judge)
    before, rest = [run(command) for command in COMMANDS], content(store)
    exported = store.judgement_frames.load_exported(DATASET)
    for judge in judges:
        probed(store, judge, probes=(CHOOSE, TWO_WORDS, PROBES["order"]), number=40)
    assert kept(store) == 2 * 40 * (2 * 4 + 1)
    assert [run(command) for command in COMMANDS] == before
    after = content(store)
    assert (after["judgements"], after["tally"]) == (rest["judgements"], rest["tally"])
    assert store.judgement_frames.load_exported(DATASET).equals(exported)
    texts = store.connection.value("SELECT count(*) FROM generations WHERE text LIKE '%x y%'")
    assert texts == 0
    assert store.connection.check()["ok"]


def test_chances_of_being_asked_stay_as_they_were(study: Store) -> None:
    """A leaderboard that is re-weighted by them knows nothing of probes."""
    random = make("baseline:random")
    run = planning.enqueue(study, random.spec, Pairs(DATASET, "random", 2))
    execution.execute(study, run, by=random)
    before = study.inclusions.probabilities(DATASET)
    assert len(before) == 6
    probed(study, random, number=6)
    assert study.inclusions.probabilities(DATASET).equals(before)


def test_they_are_append_only_and_go_with_their_data_set(study: Store) -> None:
    answer_all(study)
    probed(study, number=3)
    for change in ("UPDATE attack_answers SET outcome = 'tie'", "DELETE FROM attack_answers"):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            study.connection.execute(change)
    with study.connection.uprooting():
        study.dataset_changes.delete(DATASET)
    assert study.connection.value("SELECT count(*) FROM attack_answers") == 0


def test_a_served_judge_that_obeys_now_and_then(store: Store) -> None:
    fill(store, items=30)
    with Server(reply=lambda prompt: obeys(prompt, 0.4)) as server:
        judge = make("openai:fake", Options(mode="generate", base_url=server.url, concurrency=8))
        judge.load()
        answer_all(store, judge)
        probed(store, judge, probes=(CHOOSE,), number=60)
    row = rows(store).iloc[0]
    assert row["against"] == 60
    assert row["low"] <= 0.4 <= row["high"]
    assert row["control"] == 0
    assert row["change_low"] <= 0.2 <= row["change_high"]
    assert not [one for one in server.seen if "{label}" in str(one)]
