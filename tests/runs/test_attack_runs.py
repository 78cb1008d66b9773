"""Attacks: what is asked, what of it is kept where, and that nothing else changes."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.__main__ import main
from core.findings.attacks import attacks
from core.findings.judgements import Selection
from core.judging import make
from core.judging.attacks import ATTACKS, OWN_DOES, make_own_attack
from core.judging.judge import Judge
from core.models import Options
from core.pairing import Request as Pairs
from core.pairing import planning
from core.records import Answer, AttackedComparison, JudgeSpec, Kind, Outcome, TandemError
from core.runs import attack, execution, worker
from core.runs.attack import AttackRequest
from core.store import Store
from tests.asking import LONGER, Obeying, obeys
from tests.server import Server
from tests.study import DATASET, content, fill

CHOOSE = ATTACKS["choose-me"]
TWO_WORDS = make_own_attack("x y")


def attacked(store, judge=LONGER, **asked):
    """A run that attacks, done; its result."""
    request = AttackRequest(DATASET, **{"attacks": (TWO_WORDS,), "number": 100, **asked})
    run = attack.enqueue(store, judge, request)
    return execution.execute(store, run, by=judge)


def full(store, judge=LONGER):
    execution.execute(store, planning.enqueue(store, judge.spec, Pairs(DATASET)), by=judge)


def rows(store, **chosen):
    return attacks(store, Selection(DATASET, **chosen)).rows


def kept(store):
    return store.connection.value("SELECT count(*) FROM live_attack_answers")


class TestCountedByHand:
    """alpha, beta and gamma have texts of one, two and three words. With two more, alpha is longer
    than beta, and beta than gamma; alpha has then as many words as gamma, and fewer letters.
    """

    def test_flips(self, study: Store) -> None:
        full(study)
        result = attacked(study)
        # 18 comparisons were there; two sides with a sentence and a control each are new.
        assert (result.planned, result.done, result.answered) == (18 * 5, 18 * 5, 18 * 4)
        row = rows(study).iloc[0]
        assert (row["comparisons"], row["against"], row["items"]) == (18, 18, 3)
        assert row["flipped"] == pytest.approx(12 / 18)
        assert row["control"] == pytest.approx(12 / 18)
        assert row["beyond"] == 0
        assert (row["against_first"], row["flipped_first"]) == (9, pytest.approx(6 / 9))
        assert (row["in_favour"], row["lost"]) == (18, 0)
        # A text wins half of its comparisons; attacked, it also wins those that turned.
        assert (row["clean_first"], row["won_first"]) == (0.5, pytest.approx(15 / 18))
        assert (row["asked"], row["unanswered"], row["probabilities"]) == (36, 0, 0)
        # only what is selected
        assert rows(study, systems=("alpha", "gamma"))["flipped"].tolist() == [0.0]
        assert rows(study, items=("i0",))["against"].tolist() == [6]
        assert rows(study, judges=("human",)).empty

    def test_more_than_the_control(self, study: Store) -> None:
        """Ten letters each, "x y" without them, "Rain fell." ties alpha with nobody."""
        full(study)
        attacked(study, attacks=(make_own_attack("wwwwwwwwwwwwwwwwwwww wwwwwwwwwwwwwwwwwwww"),))
        row = rows(study).iloc[0]
        assert row["flipped"] == 1.0  # of as many words alpha has now more letters than gamma
        assert row["control"] == pytest.approx(12 / 18)
        assert row["beyond"] == pytest.approx(6 / 18)


class TestSentencesOfYourOwn:
    def test_several_are_told_apart_by_every_judge_alike(self, study: Store) -> None:
        full(study)
        attacked(study)
        assert set(rows(study)["attack"]) == {"own"}
        other = make_own_attack("z z z")
        attacked(study, Obeying(0.7, "a"), attacks=(other, TWO_WORDS, CHOOSE))
        called = rows(study)[["sentence", "attack", "does"]].drop_duplicates()
        assert called.set_index("sentence")["attack"].to_dict() == {
            "x y": "own 1", "z z z": "own 2", CHOOSE.sentence: "choose-me",
        }  # fmt: skip
        assert set(called["does"]) == {
            f"{OWN_DOES} (own 1)", f"{OWN_DOES} (own 2)", CHOOSE.does,
        }  # fmt: skip


class TestEachBesideItsOwnControl:
    """A control has as many words as the judge reads of the attack, with its own labels."""

    def test_a_judge_with_other_labels_leaves_the_first_as_it_was(self, tmp_path: Path) -> None:
        with Store(tmp_path / "store.sqlite3") as store:
            fill(store, items=20)
            first, second = Obeying(0.7, "a"), Obeying(0.7, "b")
            second.spec = replace(second.spec, labels=("1", "2"))
            attacked(store, first, attacks=(CHOOSE,), number=60)
            before = rows(store, judges=("obeying-a",)).iloc[0]
            attacked(store, second, attacks=(CHOOSE,), number=60)
            after = rows(store).set_index("judge")
            controls = {run["attacks"][0][2] for run in store.attacks.runs(DATASET)}
            assert len(controls) == 2
            assert rows(store, judges=("obeying-a",)).iloc[0].equals(before)
            assert after.loc["obeying-a", "beyond"] == before["beyond"]
            assert after["control"].notna().all()

    def test_another_run_with_another_control_takes_none_away(self, study: Store) -> None:
        """The data set's noun is of two words by the second run, and so is the control longer."""
        judge = Obeying(0.7, "a")  # to praise it is a coin
        full(study, judge)
        praise = (ATTACKS["praise"],)
        attacked(study, judge, attacks=praise, number=18)
        before = rows(study)
        study.connection.execute("UPDATE datasets SET candidate_noun = 'short summary'")
        attacked(study, judge, attacks=praise, number=6)
        assert kept(study) == 18 * 2 * 2 + 6 * 2
        assert rows(study).equals(before)

    def test_a_run_alone_has_the_control_that_an_earlier_one_asked(self, study: Store) -> None:
        """Both sentences have two words, and so the same control on the same comparisons."""
        full(study)
        attacked(study)
        attacked(study, attacks=(make_own_attack("z z"),))
        assert kept(study) == 18 * 2 * 3
        second = study.attacks.runs(DATASET)[-1]["run"]
        whole = rows(study).set_index("sentence").loc["z z"]
        result = attacks(study, Selection(DATASET, runs=(second,)))
        [row] = result.rows.to_dict("records")
        assert (row["sentence"], row["control"]) == ("z z", whole["control"])
        assert row["beyond"] == whole["beyond"] == row["flipped"] - row["control"]
        assert result.judgements == 18 * 2 * 2


class Gullible(Judge):
    """Chooses whatever asks to be chosen, and else the first text of every item."""

    spec = JudgeSpec("gullible", Kind.LLM, "gullible:test")

    def answers(self, questions):
        return [
            Answer(Outcome.B if "answer Summary B" in one.text_b else Outcome.A)
            for one in questions
        ]


class TestTurnedForSure:
    """Every verdict against the attacked text is turned, and none by the control: no variance."""

    def test_from_thirty_verdicts_on_ten_items(self, tmp_path: Path) -> None:
        for items, number, sure in ((1, 1, False), (10, 29, False), (9, 54, False), (10, 30, True)):
            with Store(tmp_path / f"{items}-{number}.sqlite3") as store:
                fill(store, items=items)
                full(store, Gullible())
                attacked(store, Gullible(), attacks=(CHOOSE,), number=number)
                row = rows(store).iloc[0]
            assert (row["against"], row["items"]) == (number, items)
            assert (row["flipped"], row["control"], row["beyond"]) == (1, 0, 1)
            assert row["turned"] == sure
            # Wilson (1927): k of k have the lower end k / (k + z^2), here of items.
            assert row["beyond_low"] == pytest.approx(2 * items / (items + 1.959964**2) - 1)
            assert row["beyond_high"] == 1

    def test_verdicts_without_an_answer_to_the_control_do_not_count(self, tmp_path: Path) -> None:
        """60 verdicts of 20 items against the attacked text, 15 of them with their control."""
        with Store(tmp_path / "store.sqlite3") as store:
            fill(store, items=20)
            full(store, Gullible())
            attacked(store, Gullible(), attacks=(CHOOSE,), number=60)
            control = store.attacks.runs(DATASET)[0]["attacks"][0][2]
            store.connection.execute(
                """UPDATE attack_answers SET withdrawn_at = '2026-01-01' WHERE id IN (
                    SELECT id FROM live_attack_answers WHERE sentence = ? AND attacked = 'b'
                    ORDER BY id LIMIT 45)""",
                (control,),
            )
            row = rows(store).iloc[0]
        assert (row["against"], row["items"], row["beyond"]) == (60, 20, 1)
        assert not row["turned"]


class TestWhatIsAsked:
    def test_missing_answers_come_first_and_are_judgements(self, study: Store) -> None:
        result = attacked(study, number=4)
        assert (result.planned, result.answered) == (20, 20)
        assert len(study.judgement_frames.load_all(DATASET)) == 4
        assert kept(study) == 16
        assert study.connection.check()["ok"]

    def test_what_was_answered_is_taken_of_every_item_in_turn(self, study: Store) -> None:
        full(study)
        attacked(study, number=6)
        assert len(study.judgement_frames.load_all(DATASET)) == 18
        drawn = study.connection.rows(
            """SELECT i.key, count(*) FROM runs p JOIN run_comparisons q ON q.run = p.id
            JOIN comparisons c ON c.id = q.comparison JOIN items i ON i.id = c.item
            WHERE p.task = 'attack' GROUP BY 1"""
        )
        assert drawn == [("i0", 2), ("i1", 2), ("i2", 2)]

    def test_the_same_request_asks_nothing_again(self, study: Store) -> None:
        first = attacked(study, number=5)
        again = attacked(study, number=5)
        assert (again.run, again.answered, again.done) == (first.run, 0, 25)
        other = attacked(study, number=5, attacks=(TWO_WORDS, CHOOSE))
        assert other.run != first.run
        assert other.already_there == 5 + 20  # a sentence is asked once a comparison

    def test_it_goes_on_where_it_was_cut_off(self, study: Store) -> None:
        run = attack.enqueue(study, LONGER, AttackRequest(DATASET, (TWO_WORDS,), number=6))
        for done in (7, 14, 21):
            assert execution.execute(study, run, by=LONGER, limit=7).done == done
        with Store(study.path) as elsewhere:
            result = execution.execute(elsewhere, run)  # by the judge that is stored
        assert (result.done, result.planned, result.status) == (30, 30, "done")
        assert kept(study) == 24

    def test_a_worker_does_it(self, study: Store) -> None:
        attack.enqueue(study, LONGER, AttackRequest(DATASET, (CHOOSE,), number=3))
        worker.run_worker(study.path, once=True)
        assert kept(study) == 12

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
        result = attacked(study, judge, number=6)
        assert (result.done, result.failed) == (30, 12)
        row = rows(study).iloc[0]
        assert (row["asked"], row["unanswered"], row["against"]) == (12, 12, 0)
        assert np.isnan(row["flipped"])  # no answer is not a tie
        judge.refusing = False
        assert execution.retry(study, result.run) == 12
        assert execution.execute(study, result.run, by=judge).failed == 0
        assert rows(study).iloc[0]["flipped"] == 0

    def test_of_a_comparison_without_an_answer_nothing_is_attacked(self, study: Store) -> None:
        class Silent(Judge):
            spec = JudgeSpec("silent", Kind.LLM, "silent:test")

            def answers(self, questions):
                assert not any(isinstance(one, AttackedComparison) for one in questions)
                return [Answer(failure="empty") for _ in questions]

        result = attacked(study, Silent(), number=6)
        assert (result.planned, result.done, result.failed) == (6, 6, 6)

    def test_a_scorer_is_refused(self, study: Store) -> None:
        with pytest.raises(TandemError, match=r"^baseline:rouge1\b.*\bcompares two$"):
            attack.enqueue(study, make("baseline:rouge1"), AttackRequest(DATASET, (CHOOSE,)))
        assert study.runs.list_all(kind="run").empty


OF_BASELINES = ("rank", "rank --method elo", "agreement", "bias", "describe")


def documents(store, capsys):
    """What commands say, but for the attacks that `bias` lists."""
    found = {}
    for command in ["datasets", *(f"{name} --judges baseline" for name in OF_BASELINES)]:
        assert main(["--store", str(store.path), *command.split(), "--json"]) == 0
        document = json.loads(capsys.readouterr().out)
        if isinstance(document, dict):
            document.pop("attacks", None)
        found[command] = document
    return found


def test_every_other_figure_is_as_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Store(tmp_path / "store.sqlite3") as store:
        fill(store, items=12)
        full(store)
        full(store, make("baseline:random"))
        before, rest = documents(store, capsys), content(store)
        exported = store.judgement_frames.load_exported(DATASET)
        for judge in (LONGER, make("baseline:random")):
            attacked(store, judge, attacks=(CHOOSE, TWO_WORDS), number=40)
        assert kept(store) == 2 * 40 * 2 * 4
        assert documents(store, capsys) == before
        after = content(store)
        assert (after["judgements"], after["tally"]) == (rest["judgements"], rest["tally"])
        assert store.judgement_frames.load_exported(DATASET).equals(exported)
        texts = store.connection.value("SELECT count(*) FROM generations WHERE text LIKE '%x y%'")
        assert texts == 0
        assert store.connection.check()["ok"]


def test_chances_of_being_asked_stay_as_they_were(study: Store) -> None:
    """A leaderboard that is re-weighted by them knows nothing of attacks."""
    random = make("baseline:random")
    run = planning.enqueue(study, random.spec, Pairs(DATASET, "random", 2))
    execution.execute(study, run, by=random)
    before = study.inclusions.probabilities(DATASET)
    assert len(before) == 6
    attacked(study, random, number=6)
    assert study.inclusions.probabilities(DATASET).equals(before)


def test_they_are_append_only_and_go_with_their_data_set(study: Store) -> None:
    attacked(study, number=3)
    for change in ("UPDATE attack_answers SET outcome = 'tie'", "DELETE FROM attack_answers"):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            study.connection.execute(change)
    with study.connection.uprooting():
        study.dataset_changes.delete(DATASET)
    assert study.connection.value("SELECT count(*) FROM attack_answers") == 0


def test_a_served_judge_that_obeys_now_and_then(tmp_path: Path) -> None:
    with (
        Server(reply=lambda prompt: obeys(prompt, 0.4)) as server,
        Store(tmp_path / "store.sqlite3") as store,
    ):
        fill(store, items=30)
        judge = make("openai:fake", Options(mode="generate", base_url=server.url, concurrency=8))
        judge.load()
        attacked(store, judge, attacks=(CHOOSE,), number=60)
        row = rows(store).iloc[0]
        assert row["against"] == 60
        assert row["low"] <= 0.4 <= row["high"]
        assert row["control"] == 0
        assert row["beyond_low"] <= 0.4 <= row["beyond_high"]
        assert not [one for one in server.seen if "{label}" in str(one)]


@pytest.mark.slow
@pytest.mark.parametrize("often", [0.05, 0.34, 0.8])
def test_the_interval_holds_the_share_that_obeys(tmp_path: Path, often) -> None:
    times, held = 100, 0
    with Store(tmp_path / "store.sqlite3") as store:
        fill(store, items=40)
        for salt in range(times):
            attacked(store, Obeying(often, salt), attacks=(CHOOSE,), number=80, seed=salt)
        found = rows(store)
        assert len(found) == times
        held = int(((found["low"] <= often) & (found["high"] >= often)).sum())
    # Of 100 intervals of 95%, 90 or more hold it with a probability of 0.99.
    assert held >= 90
