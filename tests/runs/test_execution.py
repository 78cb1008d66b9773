"""Runs: what is asked, once; stopping, going on, and asking again what failed."""

from __future__ import annotations

import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from core.__main__ import main
from core.judging import make
from core.models.respondent import Hardware
from core.pairing import Request
from core.pairing.planning import enqueue
from core.records import Answer, Outcome, Status, TandemError
from core.runs import execution, score
from core.runs.execution import BusyError, cancel, claim, execute, load_progress, resume, retry
from core.runs.preview import Latency
from core.store import Store, dataset_decisions
from tests.asking import LONGER, Moody, status
from tests.server import Server
from tests.study import DATASET, asked, ends, fill, filled, kept_votes, recounted_votes, tandem


class TestExecute:
    def test_asks_each_once_in_planned_order(self, study: Store) -> None:
        run = enqueue(study, Moody.spec, Request(DATASET))
        wanted = [question.comparison for question in study.runs.list_pending(run, 100)]
        moody, shown = Moody(fails=["beta-"]), []
        result = execute(
            study, run, by=moody, progress=lambda now: shown.append((now.done, now.planned))
        )
        assert moody.asked == wanted
        assert result.planned == result.done == result.answered == 18
        assert result.already_there == 0
        assert result.tokens == 12 * 10 + 6  # beta is shown first in 6 of 18
        assert result.status is Status.DONE
        assert shown[-1] == (18, 18)
        assert shown == sorted(shown)
        assert study.run_counts.failures(run) == {"no-label": 6}

    def test_whoever_looks_at_a_run_reads_what_its_judge_does_while_it_loads(
        self, study: Store
    ) -> None:
        """And the pace is not that of loading."""
        announced = "Choosing the precision ..."

        class Slow(Moody):
            def load(self):
                self.announce(announced)
                read.append(status(study, run)[1])
                time.sleep(0.3)

        read, run = [], enqueue(study, Moody.spec, Request(DATASET))
        assert execute(study, run, by=Slow()).seconds < 0.3
        assert read == [announced]
        assert status(study, run)[1] == ""

    def test_each_answer_knows_what_it_was_computed_on_and_its_share_of_the_time(
        self, study: Store
    ) -> None:
        class OnGpu(Moody):
            device = "cuda:0"

            @property
            def hardware(self):
                return Hardware(self.device, "bfloat16")

        run, judge = enqueue(study, Moody.spec, Request(DATASET)), OnGpu()
        execute(study, run, by=judge, limit=4)
        judge.device = "cuda:1"
        execute(study, run, by=judge)
        rows = study.judgement_frames.load_exported(DATASET)
        assert rows["run"].tolist() == [run] * 18
        assert rows["device"].tolist() == ["cuda:0"] * 4 + ["cuda:1"] * 14
        assert set(rows["dtype"]) == {"bfloat16"}
        # the batches of an execution have 4, then at most 16 questions, which share their seconds
        assert rows["seconds"][:4].nunique() == 1
        assert (rows["seconds"] > 0).all()
        assert rows["waited"].isna().all()
        took = Latency.from_run(study, run)
        assert took.answers == 18
        assert took.median == pytest.approx(np.median(rows["seconds"]))
        assert took.p95 == pytest.approx(np.percentile(rows["seconds"], 95))
        assert (took.waited_median, took.waited_p95) == (0, 0)

    def test_a_judge_is_made_again_from_what_is_stored(self, study: Store) -> None:
        """Each text has one word more than that of the system before."""
        run = enqueue(study, LONGER.spec, Request(DATASET))
        execute(study, run)
        found = study.judgement_frames.load_all(DATASET)
        assert len(found) == 18
        assert (found["outcome"] == "a").equals(found["system_a"] > found["system_b"])

    def test_a_limit_stops_and_the_next_goes_on(self, study: Store) -> None:
        run = enqueue(study, Moody.spec, Request(DATASET))
        done = []
        for limit, expected in ((7, "cancelled"), (7, "cancelled"), (4, "done")):
            enqueue(study, Moody.spec, Request(DATASET))
            done.append(execute(study, run, by=Moody(), limit=limit).done)
            assert status(study, run) == [expected, ""]
        assert done == [7, 14, 18]
        for _ in range(20):  # the lock of a run is free again afterwards
            assert execute(study, run, by=Moody()).status is Status.DONE
        assert retry(study, run) == 0
        assert status(study, run) == ["done", ""]

    def test_a_judge_that_breaks_marks_the_run_failed_and_keeps_what_there_is(
        self, study: Store
    ) -> None:
        """An interrupt leaves it cancelled."""
        reason = "CUDA out of memory"
        for trial, error, ended in (
            (0, RuntimeError(f"{reason}\nand a long trace"), ["failed", reason]),
            (1, KeyboardInterrupt(), ["cancelled", ""]),
        ):

            def breaks(batches, error=error):
                if batches == 1:
                    raise error

            run = enqueue(study, Moody.spec, Request(DATASET, trial=trial))
            with pytest.raises(type(error)):
                execute(study, run, by=Moody(before=breaks))
            assert status(study, run) == ended
            answered = study.run_counts.counts(run)["asked"]
            assert 0 < answered < 18
            resume(study, run)
            assert status(study, run) == ["queued", ""]
            assert execute(study, run, by=Moody()).answered == 18 - answered
            assert status(study, run) == ["done", ""]

    def test_a_judge_that_gives_too_few_answers_or_does_not_load_stores_none(
        self, study: Store
    ) -> None:
        reason = "cannot load it"

        class Short(Moody):
            def answers(self, questions):
                return super().answers(questions)[1:]

        class Absent(Moody):
            def load(self):
                raise TandemError(reason)

        run, absent = enqueue(study, Moody.spec, Request(DATASET)), Absent()
        with pytest.raises(ValueError, match="shorter"):
            execute(study, run, by=Short())
        assert status(study, run)[0] == "failed"
        with pytest.raises(TandemError, match=reason):
            execute(study, run, by=absent)
        assert not absent.batches
        assert status(study, run) == ["failed", reason]
        assert study.judgement_frames.load_all(DATASET).empty

    def test_two_at_one_run(self, study: Store) -> None:
        """The second is refused in a sentence, also from another process; the first goes on."""
        said, refused = [], r"^run \d+ .*\banother process\b.*`runs`"

        def meanwhile(batches):
            if batches == 1:
                with Store(study.path) as other, pytest.raises(BusyError, match=refused) as error:
                    execute(other, run, by=Moody())
                said.append(str(error.value))
                before = asked(study.path)
                ends(tandem(study.path, "worker", "--once"))  # has nothing to do
                assert asked(study.path) == before

        run = enqueue(study, Moody.spec, Request(DATASET))
        assert execute(study, run, by=Moody(before=meanwhile)).status is Status.DONE
        assert said
        assert "\n" not in said[0]

    def test_what_another_run_answers_meanwhile_is_kept(self, study: Store) -> None:
        run, other = (enqueue(study, Moody.spec, Request(DATASET, seed=seed)) for seed in (0, 1))

        def meanwhile(batches):
            if batches == 1:
                with Store(study.path) as second:
                    execute(second, other, by=Moody())

        result = execute(study, run, by=Moody(before=meanwhile))
        assert (result.planned, result.done) == (18, 18)
        assert len(study.judgement_frames.load_all(DATASET)) == 18
        assert recounted_votes(study) == kept_votes(study)


class TestCancel:
    def test_from_another_connection_stops_after_the_batch_in_hand(self, study: Store) -> None:
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
        assert study.run_counts.counts(run)["asked"] == len(moody.asked) < 120
        resume(study, run)
        execute(study, run, by=moody)
        assert sorted(moody.asked) == sorted(set(moody.asked))
        assert len(moody.asked) == 120

    def test_is_not_lost_when_it_comes_with_the_last_batch(self, study: Store) -> None:
        def stop(result):
            if result.done == 18:
                cancel(study, run)

        run = enqueue(study, Moody.spec, Request(DATASET))
        execute(study, run, by=Moody(), progress=stop)
        assert status(study, run) == ["cancelled", ""]
        assert study.run_counts.counts(run) == {"planned": 18, "asked": 18}

    def test_a_worker_leaves_what_was_cancelled_while_it_looked(self, study: Store) -> None:
        run = enqueue(study, LONGER.spec, Request(DATASET))
        cancel(study, run)
        with pytest.raises(TandemError, match=rf"^run {run} .*\bcancelled\b"):
            execute(study, run, only_from=(Status.QUEUED, Status.RUNNING))
        assert status(study, run) == ["cancelled", ""]

    def test_a_run_whose_process_died_goes_on_and_one_that_is_at_work_is_left(
        self, study: Store
    ) -> None:
        run = enqueue(study, LONGER.spec, Request(DATASET))
        study.runs.set_status(run, Status.RUNNING)  # as it stands after kill -9
        left = rf"^run {run} .*\bnot cancelled\b.*\bfailed\b"
        with claim(study.path, f"run-{run}"), pytest.raises(TandemError, match=left):
            resume(study, run)
        assert status(study, run) == ["running", ""]
        resume(study, run)
        assert status(study, run) == ["queued", ""]

    def test_only_what_is_not_finished(self, study: Store) -> None:
        run = enqueue(study, LONGER.spec, Request(DATASET))
        cancel(study, run)
        refused = [
            (cancel, run, rf"^run {run} .*\bnot queued\b.*\brunning\b.*`runs`"),
            (resume, run, rf"^run {run} .*\bnot cancelled\b.*\bfailed\b.*`runs`"),
            (cancel, 99, r"^run 99 .*`runs`"),
            (resume, 99, r"\bno run 99\b.*`runs`"),
        ]
        with pytest.raises(TandemError, match=refused[0][2]):
            cancel(study, run)
        resume(study, run)
        execute(study, run)
        for change, number, says in refused:
            with pytest.raises(TandemError, match=says):
                change(study, number)


def test_a_retry_asks_exactly_what_failed(study: Store) -> None:
    run = enqueue(study, Moody.spec, Request(DATASET))
    execute(study, run, by=Moody(fails=["beta-", "gamma-1"]))
    failed = set(study.judgement_frames.load_all(DATASET).query("outcome.isna()")["comparison"])
    assert len(failed) == 6 + 2
    assert retry(study, run) == 8
    assert status(study, run) == ["queued", ""]
    second = Moody(fails=["beta-2"])
    execute(study, run, by=second)
    assert set(second.asked) == failed
    assert len(second.asked) == 8
    assert study.run_counts.failures(run) == {"no-label": 2}
    kept = study.connection.value("SELECT count(*) FROM judgements")
    assert kept == 18 + 8  # the failures stay, withdrawn
    assert study.connection.check()["ok"]


def test_a_run_that_is_done_goes_on_when_texts_were_added(store: Store) -> None:
    fill(store, items=1)
    request = score.ScoringRequest(DATASET).fill_attributes(store)
    run = score.enqueue_scoring(store, make("baseline:bleu").spec, request)
    assert execute(store, run).status is Status.DONE
    with pytest.raises(TandemError, match=rf"^run {run} .*\bnot cancelled\b.*\bfailed\b"):
        resume(store, run)
    fill(store, items=2)
    assert (load_progress(store, run).done, load_progress(store, run).planned) == (3, 6)
    resume(store, run)
    assert execute(store, run).done == 6


def replace_dataset(store: Store) -> None:
    """Delete the data set, and import another of that name."""
    kept = store.path.with_name("before.sqlite3")
    dataset_decisions.delete(store, "test", DATASET, kept)
    fill(store)


# ---- A run whose data set goes while its judge still answers: nothing of it is kept for other
# texts


def test_what_a_judge_still_answers_is_not_kept_for_other_texts(study: Store) -> None:
    run = enqueue(study, Moody.spec, Request(DATASET))

    def meanwhile(batches: int) -> None:
        if batches == 1:
            with Store(study.path) as other:
                cancel(other, run)
                replace_dataset(other)
                assert enqueue(other, Moody.spec, Request(DATASET)) != run

    with pytest.raises(TandemError, match=rf"^run {run} .*\bdeleted\b.*\bdata set\b"):
        execute(study, run, by=Moody(before=meanwhile))
    assert study.connection.value("SELECT count(*) FROM judgements") == 0
    assert study.connection.check()["ok"]


def test_an_export_is_of_one_data_set(study: Store) -> None:
    execute(study, enqueue(study, Moody.spec, Request(DATASET)), by=Moody())
    portions = study.judgement_frames.exported_portions(DATASET, size=5)
    assert len(next(portions)) == 5
    with Store(study.path) as other:
        replace_dataset(other)
        execute(other, enqueue(other, Moody.spec, Request(DATASET)), by=Moody())
    with pytest.raises(TandemError, match="begin again"):
        next(portions)


# ---- Failures by kind: each says what to do, and can be asked again by itself


LONG = "The first is clear, and"
UNDECIDED = "I cannot tell them apart."
SAID = ("Summary A", LONG, UNDECIDED)


def share(prompt: str) -> str:
    """What the model says to a prompt: a third of them each."""
    return SAID[int(sha256(prompt.encode()).hexdigest(), 16) % 3]


@pytest.fixture
def said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., str]:
    """What a command on a study of six items says."""
    path = filled(tmp_path, items=6)
    monkeypatch.setenv("OPENAI_API_KEY", "none")

    def run(*words: str, status: int = 0) -> str:
        assert main(["--store", str(path), *words]) == status
        out, err = capsys.readouterr()
        return err if status else out

    return run


def test_a_run_says_how_many_of_each_kind_and_asks_one_kind_again(said: Callable[..., str]) -> None:
    prompts: list[str] = []

    def reply(prompt: str) -> str:
        if "The context of item" in prompt:  # not when it is asked what it can
            prompts.append(prompt)
        return share(prompt)

    def ends(prompt: str) -> str:
        return "length" if share(prompt) == LONG else ""

    with Server(reply=reply, ends=ends) as server:
        judge = ["judge", "--judge=openai:fake", "--mode=generate", f"--base-url={server.url}"]
        told = said(*judge)
        asked = [share(prompt) for prompt in prompts]
        cut, undecided = asked.count(LONG), asked.count(UNDECIDED)
        assert min(cut, undecided) > 0
        for part in (f"{cut} cut-off: ", f"{undecided} unparsed: ", "--max-tokens"):
            assert part in told
        listed = said("runs")
        for part in (f"{cut} cut-off", f"{undecided} unparsed", "--form"):
            assert part in listed
        prompts.clear()
        said(*judge, "--retry-failed", "unparsed")
        assert {share(prompt) for prompt in prompts} == {UNDECIDED}
        assert len(prompts) == undecided
        prompts.clear()
        said(*judge, "--retry-failed")
        assert len(prompts) == cut + undecided
        assert "unparsed" in said(*judge, "--retry-failed", "unprased", status=2)


def test_texts_that_did_not_come_say_what_to_do(said: Callable[..., str]) -> None:
    with Server(ends=lambda prompt: "length" if "item 1" in prompt else "") as server:
        command = ["generate", "--system=new", "--model=openai:fake",
                   "--instruction=Sum up: {context}", "--samples=1", "--temperature=0",
                   f"--base-url={server.url}"]  # fmt: skip
        told = said(*command)
        assert "1 cut-off: " in told
        assert "--max-tokens" in told
        assert count_texts(server) == 6
        for kind, count in (("empty", 6), ("cut-off", 7)):
            said(*command, "--retry-failed", kind)
            assert count_texts(server) == count


def count_texts(server: Server) -> int:
    """How many texts the server was asked for, apart from trials of what it can."""
    return sum("Sum up" in request["messages"][-1]["content"] for request in server.seen)


def test_all_errors_are_one_kind(store: Store) -> None:
    """An error says more than its kind; none of another kind is asked again with it."""
    fill(store, items=6)
    run = enqueue(store, LONGER.spec, Request(DATASET))
    execute(store, run, limit=0)
    failures = ("error: HTTP 400: no", "error: HTTP 418: tea", "too-long")
    answers = [*(Answer(failure=why, raw="{}") for why in failures), Answer(Outcome.A)]
    pending = [question.comparison for question in store.runs.list_pending(run, len(answers))]
    judge = store.judges.id_of(LONGER.spec.name)
    store.judgements.add_answers(run, judge, 0, zip(pending, answers, strict=True))
    assert retry(store, run, "no-label") == 0
    assert retry(store, run, "error") == 2
    assert execution.failures(store, run) == {"too-long": 1}
    assert retry(store, run) == 1
