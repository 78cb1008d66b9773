"""Runs: what is asked, once; stopping, going on and dying in between."""

import os
import random
import signal
import subprocess
import time
from collections import Counter
from contextlib import suppress

import pytest

from core import marking, planning
from core.judging import Judge, make_judge
from core.planning import Request, checked, enqueue, outlook
from core.records import Answer, Generation, Item, JudgeSpec, Kind, Outcome, Status, System, TandemError
from core.runs import cancel, execute, resume, retry, standing
from core.scoring import make_scorer
from core.store import Store
from core.worker import ensure, work
from tests.study import DATASET, asked, content, ends, fill, ids, recounted_votes, tandem, wait_for

LONGER = make_judge("baseline:longer")


class Moody(Judge):
    """Fails on every question whose first text begins as told, prefers A otherwise; remembers what it was asked.

    `before` is called before each batch with the number of batches so far, and may raise.
    """

    spec = JudgeSpec("moody", Kind.LLM, "moody:test")

    def __init__(self, fails=(), before=lambda batches: None):
        self.fails, self.before = tuple(fails), before
        self.asked, self.batches = [], 0

    def load(self):
        pass

    def answers(self, questions):
        self.before(self.batches)
        self.batches += 1
        self.asked += [question.comparison for question in questions]
        return [
            Answer(failure="no-label", tokens=1)
            if self.fails and q.text_a.startswith(self.fails)
            else Answer(Outcome.A, tokens=10)
            for q in questions
        ]


def plan(store, run):
    """(attribute, item, system A, sample, system B, sample) in planned order."""
    return store.rows(
        """SELECT t.name, i.key, sa.name, ga.sample, sb.name, gb.sample FROM planned q
        JOIN comparisons c ON c.id = q.comparison JOIN attributes t ON t.id = c.attribute JOIN items i ON i.id = c.item
        JOIN systems sa ON sa.id = c.system_a JOIN systems sb ON sb.id = c.system_b
        JOIN generations ga ON ga.id = c.generation_a JOIN generations gb ON gb.id = c.generation_b
        WHERE q.plan = ? ORDER BY q.priority, q.id""",
        (run,),
    )


def status(store, run):
    return store.plans(kind="run").set_index("run").loc[run, ["status", "error"]].tolist()


class TestRequest:
    @pytest.mark.parametrize(
        ("wrong", "says"),
        [
            ({"attributes": ("coherance",)}, "unknown attribute 'coherance'; this data set has: coherence"),
            ({"systems": ("alpha", "delta")}, "unknown system 'delta'; this data set has: alpha, beta, gamma"),
            ({"subset": "x"}, "unknown subset 'x'; this data set has no subsets"),
            ({"strategy": "best"}, "unknown strategy 'best'; there are full, random, no-repeat, symmetric, ring, "
             "active, pairs-greedy, pairs-beam"),
            ({"budget": 0}, "--budget is 0; it is at least 1"),
            ({"samples": 0}, "--samples is 0; it is at least 1"),
            ({"seed": -1}, "--seed is -1; it is at least 0"),
            ({"trial": -1}, "--trial is -1; it is at least 0"),
            ({"strategy": "symmetric", "budget": 3}, "symmetric asks both orders of a pair, so --budget 3 should be even"),
            ({"strategy": "pairs-beam", "beam_size": 0}, "--beam-size is 0; it is at least 1"),
            ({"strategy": "pairs-beam", "prob_gap": 0.7}, "--prob-gap is 0.7; it lies between 0 and 0.5"),
            ({"strategy": "pairs-greedy", "beam_size": 3},
             "--beam-size and --prob-gap belong to pairs-beam, not to pairs-greedy"),
            ({"calibrate": True}, "--calibrate belongs to pairs-greedy and pairs-beam, not to full"),
            ({"systems": ("alpha",)}, "data set 'tiny' has no pair of two systems' texts to compare among these: "
             "import texts of at least two systems"),
        ],
    )  # fmt: skip
    def test_a_wrong_one_is_refused_in_one_sentence_and_writes_nothing(self, study, wrong, says):
        for ask in (outlook, lambda store, request: enqueue(store, LONGER.spec, request)):
            with pytest.raises(TandemError) as error:
                ask(study, Request(DATASET, **wrong))
            assert str(error.value) == says
        assert study.plans().empty

    def test_outlook_counts_what_would_be_planned(self, study):
        fill(study, attributes=("coherence", "fluency"), samples=2)
        for request, comparisons in (
            (Request(DATASET), 3 * 6 * 2),
            (Request(DATASET, attributes=("fluency",)), 3 * 6),
            (Request(DATASET, samples=2), 3 * 12 * 2),
            (Request(DATASET, "random", 4), 3 * 4 * 2),
            (Request(DATASET, "no-repeat"), 3 * 3 * 2),
            (Request(DATASET, systems=("alpha", "gamma")), 3 * 2 * 2),
        ):
            found = outlook(study, request)
            assert (found.comparisons, found.notes) == (comparisons, [])
            assert len(plan(study, enqueue(study, LONGER.spec, request))) == comparisons

    def test_a_budget_that_is_too_large_is_clipped_with_a_note(self, study):
        study.add_systems(DATASET, [System("delta")])
        study.add_generations(
            DATASET, [Generation("i0", "delta", 0, "x")]
        )  # i0 has 12 ordered comparisons, the others 6
        request = Request(DATASET, "random", 10)
        found = outlook(study, request)
        assert found.comparisons == 10 + 6 + 6
        assert found.notes == ["a budget of 10 is more than some items have: they get all of theirs, at least 6"]
        assert len(plan(study, enqueue(study, LONGER.spec, request))) == 22
        assert outlook(study, Request(DATASET, "no-repeat", 3)).notes == []
        assert len(outlook(study, Request(DATASET, "no-repeat", 4)).notes) == 1


class TestPlan:
    def test_the_same_request_is_the_same_run(self, study):
        request = Request(DATASET, "random", 4)
        run = enqueue(study, LONGER.spec, request)
        before = plan(study, run)
        assert enqueue(study, LONGER.spec, request) == run
        execute(study, run)
        assert enqueue(study, LONGER.spec, request) == run
        assert plan(study, run) == before
        assert status(study, run) == ["done", ""]
        others = [
            Request(DATASET, "random", 3),
            Request(DATASET, "random", 4, seed=1),
            Request(DATASET, "random", 4, trial=1),
        ]
        assert len({run, *(enqueue(study, LONGER.spec, other) for other in others)}) == 4
        assert enqueue(study, make_judge("baseline:random").spec, request) > run

    def test_other_items_and_other_row_numbers_do_not_change_an_item_s_plan(self, tmp_path):
        request = Request(DATASET, "random", 3, samples=2)
        with Store(tmp_path / "one") as one, Store(tmp_path / "two") as two:
            fill(one, items=4, samples=2, attributes=("coherence", "fluency"))
            fill(two, dataset="another")
            fill(two, items=2, samples=2, systems=("gamma", "alpha", "beta"), attributes=("fluency", "coherence"))
            plans = [plan(store, enqueue(store, LONGER.spec, request)) for store in (one, two)]
        assert len(plans[0]) == 4 * 3 * 2
        assert [row for row in plans[0] if row[1] in ("i0", "i1")] == plans[1]

    def test_every_attribute_of_an_item_gets_the_same_comparisons(self, study):
        fill(study, attributes=("coherence", "fluency"))
        rows = plan(study, enqueue(study, LONGER.spec, Request(DATASET, "random", 2)))
        by = {name: {row[1:] for row in rows if row[0] == name} for name in ("coherence", "fluency")}
        assert by["coherence"] == by["fluency"]
        assert [row[0] for row in rows] != sorted(row[0] for row in rows)  # mixed, not one attribute after the other

    def test_the_inclusion_probability_is_the_share_drawn(self, study):
        run = enqueue(study, LONGER.spec, Request(DATASET, "random", 2))
        assert set(study.rows("SELECT probability FROM planned WHERE plan = ?", (run,))) == {(2 / 6,)}

    def test_sample_j_meets_sample_j(self, study):
        fill(study, samples=3)
        rows = plan(study, enqueue(study, LONGER.spec, Request(DATASET, samples=2)))
        assert Counter((a, b) for _, _, _, a, _, b in rows) == {(0, 0): 18, (1, 1): 18}

    def test_texts_that_are_not_available_are_left_out(self, study):
        study.execute("UPDATE generations SET text = NULL WHERE id = ?", (ids(study)["i0", "beta", 0],))
        rows = plan(study, enqueue(study, LONGER.spec, Request(DATASET)))
        assert Counter(row[1] for row in rows) == {"i0": 2, "i1": 6, "i2": 6}

    def test_what_was_answered_in_another_run_is_not_asked_again_and_counts(self, study):
        first = enqueue(study, Moody.spec, Request(DATASET, "random", 2))
        execute(study, first, by=Moody())
        run = enqueue(study, Moody.spec, Request(DATASET, "random", 4, seed=9))
        moody = Moody()
        result = execute(study, run, by=moody)
        assert (result.planned, result.already_there, result.answered, result.done) == (12, 6, 6, 12)
        assert len(moody.asked) == len(set(moody.asked)) == 6
        assert set(plan(study, first)) <= set(plan(study, run))
        # Another trial, or another judge, asks all of them.
        again = execute(study, enqueue(study, Moody.spec, Request(DATASET, "random", 4, seed=9, trial=1)), by=Moody())
        assert (again.already_there, again.answered) == (0, 12)

    def test_what_is_new_is_asked_by_the_same_request(self, study):
        request = Request(DATASET)
        run = enqueue(study, Moody.spec, request)
        execute(study, run, by=Moody())
        study.add_items(DATASET, [Item("new")])
        study.add_systems(DATASET, [System("delta")])
        study.add_generations(DATASET, [Generation("new", "alpha", 0, "x"), Generation("new", "beta", 0, "y")])
        study.add_generations(DATASET, [Generation("i0", "delta", 0, "z")])
        assert enqueue(study, Moody.spec, request) == run
        assert status(study, run) == ["queued", ""]
        # Both orders on the new item, and delta against three on i0.
        assert execute(study, run, by=Moody()).answered == 2 + 6

    def test_a_new_system_does_not_raise_what_has_a_budget(self, study):
        fill(study, items=20)
        request = Request(DATASET, "random", 2)
        run = enqueue(study, Moody.spec, request)
        before = plan(study, run)
        execute(study, run, by=Moody())
        execute(study, enqueue(study, Moody.spec, Request(DATASET, "random", 4, seed=3)), by=Moody())
        study.add_systems(DATASET, [System("delta")])
        study.add_generations(DATASET, [Generation(f"i{i}", "delta", 0, "z") for i in range(20)])
        assert enqueue(study, Moody.spec, request) == run
        assert plan(study, run) == before


class TestExecute:
    def test_asks_each_once_in_planned_order(self, study):
        run = enqueue(study, Moody.spec, Request(DATASET))
        wanted = [question.comparison for question in study.pending(run, 100)]
        moody, shown = Moody(fails=["beta-"]), []
        result = execute(study, run, by=moody, progress=lambda result: shown.append((result.done, result.planned)))
        assert moody.asked == wanted
        assert (result.planned, result.done, result.answered, result.already_there) == (18, 18, 18, 0)
        assert result.tokens == 12 * 10 + 6  # beta is shown first in 6 of 18
        assert result.status is Status.DONE
        assert shown[-1] == (18, 18)
        assert shown == sorted(shown)
        assert study.run_failures(run) == {"no-label": 6}

    def test_a_judge_is_made_again_from_what_is_stored(self, study):
        """Each text has one word more than that of the system before."""
        run = enqueue(study, LONGER.spec, Request(DATASET))
        execute(study, run)
        found = study.judgements(DATASET)
        assert len(found) == 18
        assert (found["outcome"] == "a").equals(found["system_a"] > found["system_b"])

    def test_a_limit_stops_and_the_next_goes_on(self, study):
        run = enqueue(study, Moody.spec, Request(DATASET))
        done = []
        for expected in ("cancelled", "cancelled", "done"):  # 7 + 7 + 4
            enqueue(study, Moody.spec, Request(DATASET))
            result = execute(study, run, by=Moody(), limit=7)
            done.append(result.done)
            assert status(study, run) == [expected, ""]
        assert done == [7, 14, 18]

    def test_a_limit_that_is_just_enough_is_done(self, study):
        run = enqueue(study, Moody.spec, Request(DATASET))
        assert execute(study, run, by=Moody(), limit=18).status is Status.DONE

    def test_a_judge_that_breaks_marks_the_run_failed_and_keeps_what_there_is(self, study):
        def breaks(batches):
            if batches == 1:
                raise RuntimeError("CUDA out of memory\nand a long trace")

        run = enqueue(study, Moody.spec, Request(DATASET))
        with pytest.raises(RuntimeError, match="out of memory"):
            execute(study, run, by=Moody(before=breaks))
        assert status(study, run) == ["failed", "CUDA out of memory"]
        answered = study.run_counts(run)["asked"]
        assert 0 < answered < 18
        resume(study, run)
        assert status(study, run) == ["queued", ""]
        assert execute(study, run, by=Moody()).answered == 18 - answered
        assert status(study, run) == ["done", ""]

    def test_a_judge_that_gives_too_few_answers_loses_none_and_stores_none(self, study):
        class Short(Moody):
            def answers(self, questions):
                return super().answers(questions)[1:]

        run = enqueue(study, Moody.spec, Request(DATASET))
        with pytest.raises(ValueError, match="shorter"):
            execute(study, run, by=Short())
        assert study.judgements(DATASET).empty
        assert status(study, run)[0] == "failed"

    def test_a_judge_that_does_not_load_fails_before_it_is_asked(self, study):
        class Absent(Moody):
            def load(self):
                raise TandemError("cannot load it")

        run, judge = enqueue(study, Moody.spec, Request(DATASET)), Absent()
        with pytest.raises(TandemError, match="cannot load"):
            execute(study, run, by=judge)
        assert not judge.batches
        assert status(study, run) == ["failed", "cannot load it"]

    def test_the_pace_is_not_that_of_loading(self, study):
        class Slow(Moody):
            def load(self):
                time.sleep(0.3)

        assert execute(study, enqueue(study, Moody.spec, Request(DATASET)), by=Slow()).seconds < 0.3

    def test_an_interrupt_leaves_it_cancelled(self, study):
        def interrupt(batches):
            if batches == 1:
                raise KeyboardInterrupt

        run = enqueue(study, Moody.spec, Request(DATASET))
        with pytest.raises(KeyboardInterrupt):
            execute(study, run, by=Moody(before=interrupt))
        assert status(study, run) == ["cancelled", ""]

    def test_two_at_one_run(self, study):
        """The second is refused in a sentence, also from another process, and the first is not disturbed."""
        said = []

        def meanwhile(batches):
            if batches == 1:
                with (
                    Store(study.path) as other,
                    pytest.raises(TandemError, match=f"^run {run} is being executed by another process") as error,
                ):
                    execute(other, run, by=Moody())
                said.append(str(error.value))
                before = asked(study.path)
                ends(tandem(study.path, "worker", "--once"))  # has nothing to do
                assert asked(study.path) == before

        run = enqueue(study, Moody.spec, Request(DATASET))
        assert execute(study, run, by=Moody(before=meanwhile)).status is Status.DONE
        assert said
        assert "\n" not in said[0]

    def test_the_lock_of_a_run_is_free_again_afterwards(self, study):
        run = enqueue(study, Moody.spec, Request(DATASET))
        assert [execute(study, run, by=Moody()).status for _ in range(20)] == [Status.DONE] * 20

    def test_what_another_run_answers_meanwhile_is_kept(self, study):
        run, other = (enqueue(study, Moody.spec, Request(DATASET, seed=seed)) for seed in (0, 1))

        def meanwhile(batches):
            if batches == 1:
                with Store(study.path) as second:
                    execute(second, other, by=Moody())

        result = execute(study, run, by=Moody(before=meanwhile))
        assert (result.planned, result.done) == (18, 18)
        assert len(study.judgements(DATASET)) == 18
        assert recounted_votes(study) == dict(study.rows("SELECT id, votes FROM planned"))


class TestCancel:
    def test_from_another_connection_stops_after_the_batch_in_hand(self, study):
        def meanwhile(batches):
            if batches == 1:
                with Store(study.path) as other:
                    cancel(other, run)

        fill(study, items=20)
        moody = Moody(before=meanwhile)
        run = enqueue(study, Moody.spec, Request(DATASET))
        result = execute(study, run, by=moody)
        assert moody.batches == 2
        assert result.status is Status.CANCELLED
        assert status(study, run) == ["cancelled", ""]
        assert study.run_counts(run)["asked"] == len(moody.asked) < 120
        resume(study, run)
        execute(study, run, by=moody)
        assert sorted(moody.asked) == sorted(set(moody.asked))
        assert len(moody.asked) == 120

    def test_is_not_lost_when_it_comes_with_the_last_batch(self, study):
        run = enqueue(study, Moody.spec, Request(DATASET))
        execute(study, run, by=Moody(), progress=lambda result: result.done == 18 and cancel(study, run))
        assert status(study, run) == ["cancelled", ""]
        assert study.run_counts(run) == {"planned": 18, "asked": 18}

    def test_a_worker_leaves_what_was_cancelled_while_it_looked(self, study):
        run = enqueue(study, LONGER.spec, Request(DATASET))
        cancel(study, run)
        with pytest.raises(TandemError, match=f"run {run} was cancelled meanwhile"):
            execute(study, run, only_from=(Status.QUEUED, Status.RUNNING))
        assert status(study, run) == ["cancelled", ""]

    def test_only_what_is_not_finished(self, study):
        run = enqueue(study, LONGER.spec, Request(DATASET))
        cancel(study, run)
        not_running = f"^run {run} is not queued or running; `runs` lists what there is$"
        with pytest.raises(TandemError, match=not_running):
            cancel(study, run)
        resume(study, run)
        execute(study, run)
        with pytest.raises(TandemError, match=not_running):
            cancel(study, run)
        with pytest.raises(TandemError, match=f"^run {run} is not cancelled or failed; `runs` lists what there is$"):
            resume(study, run)
        for change in (cancel, resume):
            with pytest.raises(TandemError, match=r"^run 99 is not"):
                change(study, 99)


class TestRetry:
    def test_asks_exactly_what_failed(self, study):
        run = enqueue(study, Moody.spec, Request(DATASET))
        first = Moody(fails=["beta-", "gamma-1"])
        execute(study, run, by=first)
        failed = set(study.judgements(DATASET).query("outcome.isna()")["comparison"])
        assert len(failed) == 6 + 2
        assert retry(study, run) == 8
        assert status(study, run) == ["queued", ""]
        second = Moody(fails=["beta-2"])
        execute(study, run, by=second)
        assert set(second.asked) == failed
        assert len(second.asked) == 8
        assert study.run_failures(run) == {"no-label": 2}
        assert study.value("SELECT count(*) FROM judgements") == 18 + 8  # the failures stay, withdrawn
        assert study.check()["ok"]

    def test_of_nothing(self, study):
        run = enqueue(study, LONGER.spec, Request(DATASET))
        execute(study, run)
        assert retry(study, run) == 0
        assert status(study, run) == ["done", ""]


class TestWorker:
    def test_once_does_all_that_is_queued(self, study, capsys):
        wanted = [
            enqueue(study, make_judge(f"baseline:{name}").spec, Request(DATASET)) for name in ("longer", "random")
        ]
        broken = enqueue(study, JudgeSpec("gone", Kind.LLM, "baseline:gone"), Request(DATASET))
        stopped = enqueue(study, make_judge("baseline:random", seed=1).spec, Request(DATASET))
        cancel(study, stopped)
        last = enqueue(study, make_judge("baseline:random", seed=2).spec, Request(DATASET))
        work(study.path, once=True)
        assert [status(study, run)[0] for run in (*wanted, broken, stopped, last)] == [
            "done",
            "done",
            "failed",
            "cancelled",
            "done",
        ]
        assert "unknown judge 'baseline:gone'" in status(study, broken)[1]
        assert f"run {broken}: unknown judge" in capsys.readouterr().err
        assert len(study.judgements(DATASET)) == 3 * 18

    def test_takes_up_what_a_dead_process_left_running(self, study):
        run = enqueue(study, LONGER.spec, Request(DATASET))
        study.set_status(run, Status.RUNNING)
        work(study.path, once=True)
        assert status(study, run) == ["done", ""]

    def test_is_started_once_whoever_asks_and_does_what_comes_later(self, study):
        run = enqueue(study, LONGER.spec, Request(DATASET))
        pids = set()
        try:
            for _ in range(5):
                ensure(study.path)  # as each page does, also while the worker is still loading
                pids |= workers(study.path)
            wait_for(lambda: status(study, run)[0] == "done")
            later = enqueue(study, make_judge("baseline:random").spec, Request(DATASET))
            ensure(study.path)
            pids |= workers(study.path)
            wait_for(lambda: status(study, later)[0] == "done")
            assert len(pids) == 1
            [pid] = pids
            work(study.path)  # a second one ends at once
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            ensure(study.path)  # the dead one holds nothing
            pids |= workers(study.path)
            assert len(pids) == 2
        finally:
            for pid in pids | workers(study.path):
                with suppress(ProcessLookupError, ChildProcessError):
                    os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)


def workers(path):
    """The processes that work for this store."""
    shown = subprocess.run(["ps", "-ewwo", "pid,stat,args"], capture_output=True, text=True, check=True).stdout
    lines = [line.split(None, 2) for line in shown.splitlines()[1:]]
    return {
        int(pid) for pid, state, args in lines if args.endswith(f"--store {path} worker") and not state.startswith("Z")
    }


class TestPairS:
    """What a sort asks is known only as it goes; `longer` has a perfect order, gamma > beta > alpha."""

    @pytest.mark.parametrize("strategy", ["pairs-greedy", "pairs-beam"])
    @pytest.mark.parametrize("calibrate", [False, True])
    def test_sorts_by_what_the_judge_says(self, store, strategy, calibrate):
        systems = [f"s{i:02}" for i in range(16)]
        fill(store, items=4, systems=systems, attributes=("coherence", "fluency"))
        request = planning.checked(store, Request(DATASET, strategy, calibrate=calibrate))
        run = enqueue(store, LONGER.spec, request)
        result = execute(store, run)
        generation = ids(store)
        best_first = [(attribute, f"i{i}") for attribute in ("coherence", "fluency") for i in range(4)]
        assert planning.ranking(store, run) == {
            (attribute, item): [tuple(generation[item, name, 0] for name in reversed(systems))]
            for attribute, item in best_first
        }
        assert result.status is Status.DONE
        assert result.planned == result.done == result.answered == store.run_counts(run)["planned"]
        # A perfect judge leaves the beam nothing to look at twice: 16 log2 16 - 16 + 1 pairs on each of 8.
        assert result.done <= 8 * 49 * (1 + calibrate) <= outlook(store, request).comparisons
        orders = Counter((attribute, frozenset((a, b))) for attribute, a, b in asked_pairs(store, run))
        assert set(orders.values()) == {1 + calibrate}
        assert enqueue(store, LONGER.spec, request) == run
        assert status(store, run) == ["done", ""]

    def test_progress_never_claims_to_be_done_before_it_is(self, study):
        fill(study, systems=[f"s{i}" for i in range(9)])
        shown = []
        run = enqueue(study, LONGER.spec, Request(DATASET, "pairs-greedy"))
        result = execute(study, run, progress=lambda result: shown.append((result.done, result.planned)))
        assert all(done <= planned for done, planned in shown)
        assert shown == sorted(shown)
        assert shown[-1][0] == result.done

    def test_a_budget_is_an_upper_bound(self, study):
        fill(study, systems=[f"s{i}" for i in range(9)])
        run = enqueue(study, LONGER.spec, Request(DATASET, "pairs-greedy", 7))
        assert execute(study, run).done == 3 * 7
        assert status(study, run) == ["done", ""]
        assert {len(order) for [order] in planning.ranking(study, run).values()} == {12}

    def test_what_was_answered_before_is_used_and_not_asked(self, study):
        fill(study, systems=[f"s{i}" for i in range(9)])
        execute(study, enqueue(study, LONGER.spec, Request(DATASET)))
        run = enqueue(study, LONGER.spec, Request(DATASET, "pairs-greedy"))
        result = execute(study, run)
        assert result.answered == 0
        assert result.done == result.planned > 0
        generation = ids(study)
        longest = {orders[0][0] for orders in planning.ranking(study, run).values()}
        assert longest <= {generation[f"i{i}", name, 0] for i in range(3) for name in ("s8", "gamma", "beta", "alpha")}

    def test_where_one_order_has_no_answer_the_other_is_asked(self, study):
        run = enqueue(study, Moody.spec, Request(DATASET, "pairs-greedy"))
        moody = Moody(fails=["beta-"])
        result = execute(study, run, by=moody)
        assert result.status is Status.DONE
        pairs = {(a, b) for _, a, b in asked_pairs(study, run)}
        assert {(b, a) for a, b in pairs if a[1] == "beta"} <= pairs

    def test_a_judge_that_answers_nothing_ends(self, study):
        run = enqueue(study, Moody.spec, Request(DATASET, "pairs-beam", beam_size=3, prob_gap=0.2))
        assert execute(study, run, by=Moody(fails=["alpha", "beta", "gamma"])).status is Status.DONE
        assert retry(study, run) > 0
        assert execute(study, run, by=Moody()).status is Status.DONE
        assert study.run_failures(run) == {}

    def test_a_limit_ends_anywhere_and_goes_on_to_the_same_end(self, store, tmp_path):
        """Random probabilities, so that what comes next depends on every answer."""
        spec = make_judge("baseline:random").spec
        request = planning.checked(nine(store), Request(DATASET, "pairs-beam", seed=4))
        with Store(tmp_path / "other.sqlite3") as other:
            nine(other)
            undisturbed = enqueue(other, spec, request)
            execute(other, undisturbed)
            run = enqueue(store, spec, request)
            while execute(store, run, limit=1).status is Status.CANCELLED:
                pass
            assert content(store)["judgements"] == content(other)["judgements"]
            assert content(store)["planned"] == content(other)["planned"]
            assert planning.ranking(store, run) == planning.ranking(other, undisturbed)

    def test_only_a_sort_has_a_ranking_of_its_own(self, study):
        run = enqueue(study, LONGER.spec, Request(DATASET))
        with pytest.raises(TandemError, match="asked full; only pairs-greedy and pairs-beam sort"):
            planning.ranking(study, run)

    @pytest.mark.parametrize(
        "which", [["--pairs", "pairs-beam", "--calibrate"], ["--pairs", "active", "--budget", "22"]], ids=lambda w: w[1]
    )
    @pytest.mark.parametrize("kills", [3, pytest.param(20, marks=pytest.mark.slow)])
    def test_killed_at_random_it_ends_with_the_same_store(self, tmp_path, kills, which):
        path, other, chance = tmp_path / "store.sqlite3", tmp_path / "undisturbed.sqlite3", random.Random(kills)
        for name in (path, other):
            with Store(name) as store:
                fill(store, items=60, systems=[f"s{i}" for i in range(9)])
        command = ["judge", "--judge", "baseline:random", *which, "--seed", "2", "--json"]
        ends(tandem(other, *command))
        total, halfway = asked(other)[0], 0
        for left in range(kills, 0, -1):
            before = asked(path)[0]
            process = tandem(path, *command)
            goal = before + chance.randrange(max(1, (total - before) // (left + 1)))
            wait_for(lambda goal=goal: asked(path)[0] > goal)
            kill(process)
            halfway += before < asked(path)[0] < total
        ends(tandem(path, *command))
        assert halfway >= 1
        with Store(path) as store, Store(other) as uninterrupted:
            assert content(store) == content(uninterrupted)
            if "active" not in which:
                assert planning.ranking(store, 1) == planning.ranking(uninterrupted, 1)


def nine(store):
    fill(store, items=3, systems=[f"s{i}" for i in range(9)])
    return store


def asked_pairs(store, run):
    """(attribute, (item, system A), (item, system B)) of what a run has planned."""
    return [(attribute, (item, a), (item, b)) for attribute, item, a, _, b, _ in plan(store, run)]


REQUESTS = [Request("big"), Request("big", "symmetric", budget=20, samples=2, seed=3)]


@pytest.fixture(scope="module")
def big(tmp_path_factory):
    """A store with 12,000 comparisons to ask and nothing asked, and its content when all is asked in one go."""
    folder = tmp_path_factory.mktemp("big")
    with Store(folder / "start.sqlite3") as store:
        fill(
            store,
            dataset="big",
            items=60,
            systems=[f"s{i}" for i in range(7)],
            samples=2,
            attributes=("coherence", "fluency"),
        )
        store.backup(folder / "undisturbed.sqlite3")
    with Store(folder / "undisturbed.sqlite3") as store:
        enqueue_all(store)
        work(store.path, once=True)
        return folder / "start.sqlite3", content(store)


def enqueue_all(store):
    """42 ordered comparisons of sample 0 and 20 of both samples on 60 items for 2 attributes, some of them the same."""
    for request in REQUESTS:
        for spec in ("baseline:random", "baseline:longer"):
            enqueue(store, make_judge(spec).spec, request)


def kill(process):
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL


@pytest.mark.parametrize("kills", [3, pytest.param(10, marks=pytest.mark.slow)])
def test_a_worker_killed_at_random_ends_with_the_same_store(big, tmp_path, kills):
    start, undisturbed = big
    path, chance = tmp_path / "store.sqlite3", random.Random(kills)
    with Store(start) as store:
        store.backup(path)
    with Store(path) as store:
        enqueue_all(store)
    planned, halfway = asked(path)[1], 0
    for left in range(kills, 0, -1):
        before = asked(path)[0]
        process = tandem(path, "worker", "--once")
        # Within the next share of the work, at a moment of its own: in a batch, in a write, between two runs.
        goal = before + chance.randrange((planned - before) // (left + 1))
        wait_for(lambda goal=goal: asked(path)[0] > goal)
        time.sleep(chance.random() * 0.02)
        kill(process)
        halfway += before < asked(path)[0] < planned
        with Store(path) as store:
            assert store.check()["ok"]
    ends(tandem(path, "worker", "--once"))
    assert halfway >= kills - 1
    with Store(path) as store:
        assert content(store) == undisturbed
        assert store.check()["ok"]


@pytest.mark.parametrize("kills", [3, pytest.param(10, marks=pytest.mark.slow)])
def test_the_judge_command_killed_at_random_and_repeated_ends_with_the_same_store(big, tmp_path, kills):
    start, _ = big
    command = ["judge", "--judge", "baseline:random", "--samples", "2", "--json"]
    path, other, chance = tmp_path / "store.sqlite3", tmp_path / "undisturbed.sqlite3", random.Random(kills)
    with Store(start) as store:
        store.backup(path)
        store.backup(other)
    ends(tandem(other, *command))
    planned, halfway, planning = 60 * 42 * 2 * 2, 0, 0
    assert asked(other) == (planned, planned)
    for left in range(kills, 0, -1):
        before, there = asked(path)
        process = tandem(path, *command)
        if there < planned:  # while it plans; what is planned in one transaction is the comparisons of one attribute
            wait_for(lambda there=there: asked(path)[1] > there)
        else:
            goal = before + chance.randrange((planned - before) // (left + 1))
            wait_for(lambda goal=goal: asked(path)[0] > goal)
            time.sleep(chance.random() * 0.02)
        kill(process)
        halfway += before < asked(path)[0] < planned
        planning += there < asked(path)[1] < planned
        with Store(path) as store:
            assert store.check()["ok"]
    ends(tandem(path, *command))
    assert halfway >= 1
    assert planning + halfway >= kills - 1
    with Store(path) as store, Store(other) as uninterrupted:
        assert content(store) == content(uninterrupted)
        assert checked(store, Request("big")).attributes == ("coherence", "fluency")


def test_a_run_that_is_done_goes_on_when_texts_were_added(store: Store) -> None:
    fill(store, items=1)
    run = marking.enqueue_scoring(
        store, make_scorer("baseline:bleu").spec, marking.checked(store, marking.Request(DATASET))
    )
    assert execute(store, run).status is Status.DONE
    with pytest.raises(TandemError, match="is not cancelled or failed"):
        resume(store, run)
    fill(store, items=2)
    assert (standing(store, run).done, standing(store, run).planned) == (3, 6)
    resume(store, run)
    assert execute(store, run).done == 6
