"""Planning: which comparisons a request comes to, and that the same request always asks the same."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from core.judging.registry import make
from core.pairing import planning
from core.pairing.planning import Request, enqueue, outlook
from core.records import Generation, Item, System, TandemError
from core.runs.execution import execute
from core.store import Store
from tests.asking import LONGER, Moody, plan, status
from tests.sentence_facts import list_figures
from tests.study import DATASET, fill, ids


class TestRequest:
    def test_a_wrong_one_is_refused_in_one_sentence_and_writes_nothing(self, study: Store) -> None:
        for wrong, says in (
                ({"attributes": ("coherance",)}, "unknown attribute 'coherance'; this data set has: "
                                                 "coherence"),
                ({"systems": ("alpha", "delta")}, "unknown system 'delta'; this data set has: "
                                                  "alpha, beta, gamma"),
                ({"subset": "x"}, "unknown subset 'x'; this data set has no subsets"),
                ({"strategy": "best"}, "unknown pairs 'best'; there are full, random, no-repeat, "
                                       "symmetric, ring, same-pairs, "
                 "active, pairs-greedy, pairs-beam"),
                ({"budget": 0}, "budget is 0; it is at least 1"),
                ({"samples": 0}, "samples is 0; it is at least 1"),
                ({"seed": -1}, "seed is -1; it is at least 0"),
                ({"trial": -1}, "trial is -1; it is at least 0"),
                ({"strategy": "symmetric", "budget": 3}, "symmetric asks both orders of a pair, so "
                                                         "budget 3 should be even"),
                ({"strategy": "pairs-beam", "beam_size": 0}, "beam size is 0; it is at least 1"),
                ({"strategy": "pairs-beam", "prob_gap": 0.7}, "prob gap is 0.7; it lies between 0 "
                                                              "and 0.5"),
                ({"strategy": "pairs-greedy", "beam_size": 3},
                 "beam size 3 belongs to pairs-beam, not to pairs-greedy"),
                ({"calibrate": True}, "calibrate belongs to pairs-greedy, pairs-beam, not to full"),
                ({"systems": ("alpha",)}, "data set 'tiny' has no pair of two systems' texts to "
                                          "compare among these: "
                 "import texts of at least two systems"),
            ):  # fmt: skip
            for ask in (outlook, lambda store, request: enqueue(store, LONGER.spec, request)):
                with pytest.raises(TandemError) as error:
                    ask(study, Request(DATASET, **wrong))
                assert str(error.value) == says
            assert study.runs.list_all().empty

    def test_outlook_counts_what_would_be_planned(self, study: Store) -> None:
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

    def test_a_budget_that_is_too_large_is_clipped_with_a_note(self, study: Store) -> None:
        study.datasets.add_systems(DATASET, [System("delta")])
        study.datasets.add_generations(
            DATASET, [Generation("i0", "delta", 0, "x")]
        )  # i0 has 12 ordered comparisons, the others 6
        request = Request(DATASET, "random", 10)
        found = outlook(study, request)
        assert found.comparisons == 10 + 6 + 6
        [note] = found.notes
        assert list_figures(note) == [10, 6]
        assert len(plan(study, enqueue(study, LONGER.spec, request))) == 22
        assert outlook(study, Request(DATASET, "no-repeat", 3)).notes == []
        assert len(outlook(study, Request(DATASET, "no-repeat", 4)).notes) == 1


class TestPortions:
    """A run that asks for much is planned as it goes, and asks the same as if planned at once."""

    REQUEST = Request(DATASET, "random", 4)
    ATTRIBUTES = ("coherence", "fluency")

    def planned_at_once(self, path):
        with Store(path) as store:
            fill(store, items=7, attributes=self.ATTRIBUTES)
            return plan(store, enqueue(store, LONGER.spec, self.REQUEST))

    def test_ask_the_same_in_the_same_order(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        every = self.planned_at_once(tmp_path / "whole")
        monkeypatch.setattr(planning, "PORTION", 10)
        monkeypatch.setattr(planning, "AT_ONCE", 2)
        with Store(tmp_path / "portions") as store:
            fill(store, items=7, attributes=self.ATTRIBUTES)
            run = enqueue(store, LONGER.spec, self.REQUEST)
            assert plan(store, run) == every[:16]  # the first two items
            assert store.run_counts.counts(run) == {"planned": 7 * 4 * 2, "asked": 0}
            execute(store, run, limit=20)
            assert plan(store, run) == every[:32]
            enqueue(store, LONGER.spec, self.REQUEST)
            result = execute(store, run)
            assert (result.done, result.planned) == (56, 56)
            assert plan(store, run) == every
            assert status(store, run) == ["done", ""]

    def test_a_run_that_is_done_has_as_many_as_were_asked(self, study: Store) -> None:
        """Also when more was expected, as when it is only found out later."""
        run = enqueue(study, LONGER.spec, self.REQUEST)
        study.runs.expect(run, 99)
        assert study.runs.list_all()["planned"].tolist() == [99]
        execute(study, run)
        assert study.runs.list_all()["planned"].tolist() == [12]


class TestPlan:
    def test_the_same_request_is_the_same_run(self, study: Store) -> None:
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
        assert enqueue(study, make("baseline:random").spec, request) > run

    def test_other_items_and_other_row_numbers_do_not_change_an_item_s_plan(
        self, tmp_path: Path
    ) -> None:
        request = Request(DATASET, "random", 3, samples=2)
        with Store(tmp_path / "one") as one, Store(tmp_path / "two") as two:
            fill(one, items=4, samples=2, attributes=("coherence", "fluency"))
            fill(two, dataset="another")
            systems, attributes = ("gamma", "alpha", "beta"), ("fluency", "coherence")
            fill(two, items=2, samples=2, systems=systems, attributes=attributes)
            plans = [plan(store, enqueue(store, LONGER.spec, request)) for store in (one, two)]
        assert len(plans[0]) == 4 * 3 * 2
        assert [row for row in plans[0] if row[1] in ("i0", "i1")] == plans[1]

    def test_every_attribute_of_an_item_gets_the_same_comparisons(self, study: Store) -> None:
        fill(study, attributes=("coherence", "fluency"))
        rows = plan(study, enqueue(study, LONGER.spec, Request(DATASET, "random", 2)))
        one, other = ({row[1:] for row in rows if row[0] == of} for of in ("coherence", "fluency"))
        assert one == other
        assert rows != sorted(rows, key=lambda row: row[0]), "not one attribute after the other"
        drawn = "SELECT probability FROM run_comparisons"
        assert set(study.connection.rows(drawn)) == {(2 / 6,)}, "the share drawn"

    def test_sample_j_meets_sample_j(self, study: Store) -> None:
        fill(study, samples=3)
        rows = plan(study, enqueue(study, LONGER.spec, Request(DATASET, samples=2)))
        assert Counter((a, b) for _, _, _, a, _, b in rows) == {(0, 0): 18, (1, 1): 18}

    def test_texts_that_are_not_available_are_left_out(self, study: Store) -> None:
        row = ids(study)["i0", "beta", 0]
        study.connection.execute("UPDATE generations SET text = NULL WHERE id = ?", (row,))
        rows = plan(study, enqueue(study, LONGER.spec, Request(DATASET)))
        assert Counter(row[1] for row in rows) == {"i0": 2, "i1": 6, "i2": 6}

    def test_what_was_answered_in_another_run_is_not_asked_again_and_counts(
        self, study: Store
    ) -> None:
        first = enqueue(study, Moody.spec, Request(DATASET, "random", 2))
        execute(study, first, by=Moody())
        run = enqueue(study, Moody.spec, Request(DATASET, "random", 4, seed=9))
        moody = Moody()
        result = execute(study, run, by=moody)
        counts = (result.planned, result.already_there, result.answered, result.done)
        assert counts == (12, 6, 6, 12)
        assert len(moody.asked) == len(set(moody.asked)) == 6
        assert set(plan(study, first)) <= set(plan(study, run))
        # Another trial, or another judge, asks all of them.
        other = Request(DATASET, "random", 4, seed=9, trial=1)
        again = execute(study, enqueue(study, Moody.spec, other), by=Moody())
        assert (again.already_there, again.answered) == (0, 12)

    def test_what_is_new_is_asked_by_the_same_request(self, study: Store) -> None:
        request = Request(DATASET)
        run = enqueue(study, Moody.spec, request)
        execute(study, run, by=Moody())
        study.datasets.add_items(DATASET, [Item("new")])
        study.datasets.add_systems(DATASET, [System("delta")])
        texts = (("new", "alpha", "x"), ("new", "beta", "y"), ("i0", "delta", "z"))
        study.datasets.add_generations(DATASET, [Generation(i, s, 0, text) for i, s, text in texts])
        assert enqueue(study, Moody.spec, request) == run
        assert status(study, run) == ["queued", ""]
        # Both orders on the new item, and delta against three on i0.
        assert execute(study, run, by=Moody()).answered == 2 + 6

    def test_a_new_system_does_not_raise_what_has_a_budget(self, study: Store) -> None:
        fill(study, items=20)
        request = Request(DATASET, "random", 2)
        run = enqueue(study, Moody.spec, request)
        before = plan(study, run)
        execute(study, run, by=Moody())
        other = Request(DATASET, "random", 4, seed=3)
        execute(study, enqueue(study, Moody.spec, other), by=Moody())
        study.datasets.add_systems(DATASET, [System("delta")])
        texts = [Generation(f"i{i}", "delta", 0, "z") for i in range(20)]
        study.datasets.add_generations(DATASET, texts)
        assert enqueue(study, Moody.spec, request) == run
        assert plan(study, run) == before
