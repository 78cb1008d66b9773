"""Runs that sort: what they ask is known only as they go."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from core.judging.registry import make
from core.pairing import planning
from core.pairing.planning import Request, enqueue, outlook
from core.records import Status, TandemError
from core.runs.execution import execute, retry
from core.store import Store
from tests.asking import LONGER, Moody, asked_pairs, kill_at_random, nine, status
from tests.study import DATASET, asked, content, ends, fill, ids, tandem


class TestPairS:
    """What a sort asks is known only as it goes; `longer` has a perfect order, gamma > beta >
    alpha.
    """

    @pytest.mark.parametrize("strategy", ["pairs-greedy", "pairs-beam"])
    @pytest.mark.parametrize("calibrate", [False, True])
    def test_sorts_by_what_the_judge_says(self, store: Store, strategy, calibrate) -> None:
        systems, attributes = [f"s{i:02}" for i in range(16)], ("coherence", "fluency")
        fill(store, items=4, systems=systems, attributes=attributes)
        request = planning.check_request(store, Request(DATASET, strategy, calibrate=calibrate))
        run, generation, shown = enqueue(store, LONGER.spec, request), ids(store), []
        result = execute(store, run, progress=lambda now: shown.append((now.done, now.planned)))
        assert planning.ranking(store, run) == {
            (attribute, f"i{i}"): [
                tuple(generation[f"i{i}", name, 0] for name in reversed(systems))
            ]
            for attribute in attributes
            for i in range(4)
        }
        assert result.status is Status.DONE
        assert result.planned == result.done == result.answered
        assert result.planned == store.run_counts.counts(run)["planned"]
        # It never claims to be done before it is.
        assert all(done <= planned for done, planned in shown)
        assert shown == sorted(shown)
        assert shown[-1][0] == result.done
        # A perfect judge leaves the beam nothing to look at twice: 16 log2 16 - 16 + 1 pairs on
        # each of 8.
        assert result.done <= 8 * 49 * (1 + calibrate) <= outlook(store, request).comparisons
        orders = Counter(
            (attribute, frozenset((a, b))) for attribute, a, b in asked_pairs(store, run)
        )
        assert set(orders.values()) == {1 + calibrate}
        assert enqueue(store, LONGER.spec, request) == run
        assert status(store, run) == ["done", ""]

    def test_a_budget_is_an_upper_bound(self, study: Store) -> None:
        fill(study, systems=[f"s{i}" for i in range(9)])
        run = enqueue(study, LONGER.spec, Request(DATASET, "pairs-greedy", 7))
        assert execute(study, run).done == 3 * 7
        assert status(study, run) == ["done", ""]
        assert {len(order) for [order] in planning.ranking(study, run).values()} == {12}

    def test_what_was_answered_before_is_used_and_not_asked(self, store: Store) -> None:
        execute(store, enqueue(nine(store), LONGER.spec, Request(DATASET)))
        run, generation = enqueue(store, LONGER.spec, Request(DATASET, "pairs-greedy")), ids(store)
        result = execute(store, run)
        assert result.answered == 0
        assert result.done == result.planned > 0
        longest = {orders[0][0] for orders in planning.ranking(store, run).values()}
        assert longest == {generation[f"i{i}", "s8", 0] for i in range(3)}

    def test_where_one_order_has_no_answer_the_other_is_asked(self, study: Store) -> None:
        run = enqueue(study, Moody.spec, Request(DATASET, "pairs-greedy"))
        moody = Moody(fails=["beta-"])
        result = execute(study, run, by=moody)
        assert result.status is Status.DONE
        pairs = {(a, b) for _, a, b in asked_pairs(study, run)}
        assert {(b, a) for a, b in pairs if a[1] == "beta"} <= pairs

    def test_a_judge_that_answers_nothing_ends(self, study: Store) -> None:
        run = enqueue(study, Moody.spec, Request(DATASET, "pairs-beam", beam_size=3, prob_gap=0.2))
        assert execute(study, run, by=Moody(fails=["alpha", "beta", "gamma"])).status is Status.DONE
        assert retry(study, run) > 0
        assert execute(study, run, by=Moody()).status is Status.DONE
        assert study.run_counts.failures(run) == {}

    def test_a_limit_ends_anywhere_and_goes_on_to_the_same_end(
        self, store: Store, tmp_path: Path
    ) -> None:
        """Random probabilities, so that what comes next depends on every answer."""
        spec = make("baseline:random").spec
        request = planning.check_request(nine(store), Request(DATASET, "pairs-beam", seed=4))
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

    def test_only_a_sort_has_a_ranking_of_its_own(self, study: Store) -> None:
        run = enqueue(study, LONGER.spec, Request(DATASET))
        says = rf"^run {run} .*\bfull; .*\bpairs-greedy\b.*\bpairs-beam\b"
        with pytest.raises(TandemError, match=says):
            planning.ranking(study, run)

    @pytest.mark.parametrize(
        "which",
        [["--pairs", "pairs-beam", "--calibrate"], ["--pairs", "active", "--budget", "22"]],
        ids=lambda w: w[1],
    )
    @pytest.mark.parametrize("kills", [3, pytest.param(20, marks=pytest.mark.slow)])
    def test_killed_at_random_it_ends_with_the_same_store(
        self, tmp_path: Path, kills, which
    ) -> None:
        path, other = tmp_path / "store.sqlite3", tmp_path / "undisturbed.sqlite3"
        for name in (path, other):
            with Store(name) as store:
                fill(store, items=60, systems=[f"s{i}" for i in range(9)])
        command = ["judge", "--judge", "baseline:random", *which, "--seed", "2", "--json"]
        ends(tandem(other, *command))
        assert kill_at_random(path, asked(other)[0], command, kills) >= 1
        ends(tandem(path, *command))
        with Store(path) as store, Store(other) as uninterrupted:
            assert content(store) == content(uninterrupted)
            if "active" not in which:
                assert planning.ranking(store, 1) == planning.ranking(uninterrupted, 1)
