"""Planning: which comparisons a request comes to, and that the same request always asks the same."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from core import campaigns
from core.importing import importer
from core.judging import make
from core.pairing import Choice, Request, default_campaign, identical_note, planning
from core.pairing.planning import enqueue, outlook
from core.pairing.strategies import STRATEGIES
from core.records import Answer, Dataset, Generation, Item, Outcome, System, TandemError
from core.runs.execution import execute
from core.store import Store
from tests.asking import LONGER, Moody, plan, status
from tests.sentence_facts import list_figures
from tests.study import DATASET, fill, ids, judge


def add_delta(store: Store, *texts: tuple[str, str, str]) -> None:
    """Another system, and these texts: item, system, text."""
    store.datasets.add_systems(DATASET, [System("delta")])
    every = [Generation(item, system, 0, text) for item, system, text in texts]
    store.datasets.add_generations(DATASET, every)


class TestRequest:
    def test_a_wrong_one_is_refused_in_one_sentence_and_writes_nothing(self, study: Store) -> None:
        for wrong, says in (
                ({"attributes": ("coherance",)},
                 "unknown attribute 'coherance'; this data set has: coherence"),
                ({"systems": ("alpha", "delta")},
                 "unknown system 'delta'; this data set has: alpha, beta, gamma"),
                ({"subset": "x"}, "unknown subset 'x'; this data set has no subsets"),
                ({"strategy": "best"}, f"unknown pairs 'best'; there are {', '.join(STRATEGIES)}"),
                ({"budget": 0}, "budget is 0; it is at least 1"),
                ({"samples": 0}, "samples is 0; it is at least 1"),
                ({"seed": -1}, "seed is -1; it is at least 0"),
                ({"trial": -1}, "trial is -1; it is at least 0"),
                ({"strategy": "symmetric", "budget": 3},
                 "symmetric asks both orders of a pair, so budget 3 should be even"),
                ({"strategy": "pairs-beam", "beam_size": 0}, "beam size is 0; it is at least 1"),
                ({"strategy": "pairs-beam", "prob_gap": 0.7},
                 "prob gap is 0.7; it lies between 0 and 0.5"),
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
        add_delta(study, ("i0", "delta", "x"))  # i0 has 12 ordered comparisons, the others 6
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

    def test_ask_the_same_in_the_same_order(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with Store(tmp_path / "whole") as whole, Store(tmp_path / "portions") as store:
            for each in (whole, store):
                fill(each, items=7, attributes=("coherence", "fluency"))
            every = plan(whole, enqueue(whole, LONGER.spec, self.REQUEST))
            monkeypatch.setattr(planning, "PORTION", 10)
            monkeypatch.setattr(planning, "AT_ONCE", 2)
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
        others = [{"budget": 3}, {"seed": 1}, {"trial": 1}]
        changed = (replace(request, **other) for other in others)
        assert len({run, *(enqueue(study, LONGER.spec, other) for other in changed)}) == 4
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
        add_delta(study, ("new", "alpha", "x"), ("new", "beta", "y"), ("i0", "delta", "z"))
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
        add_delta(study, *((f"i{i}", "delta", "z") for i in range(20)))
        assert enqueue(study, Moody.spec, request) == run
        assert plan(study, run) == before


# ---- A judge asked about the very pairs that people have answered


REQUEST = Request(DATASET, strategy="same-pairs")
A = Answer(outcome=Outcome.A)


def answer(store, who, item, sides, attribute="coherence", given=A, sample=0):
    known, row = ids(store), store.datasets.attribute_id(DATASET, attribute)
    pair = tuple(known[item, side, sample] for side in sides)
    store.judgements.add_comparisons(row, [pair])
    store.connection.execute(
        """INSERT INTO judgements (comparison, judge, outcome, failure, created_at)
        VALUES (?, ?, ?, ?, 'now')""",
        (
            store.judgements.comparison_id(row, *pair), judge(store, who), given.outcome,
            given.failure,
        ),
    )  # fmt: skip


def asked(store, run):
    """(attribute, item, system shown first, other) of all that a run plans."""
    return sorted(
        store.connection.rows(
            """SELECT a.name, i.key, sa.name, sb.name FROM run_comparisons q
            JOIN comparisons c ON c.id = q.comparison JOIN attributes a ON a.id = c.attribute
            JOIN items i ON i.id = c.item JOIN systems sa ON sa.id = c.system_a
            JOIN systems sb ON sb.id = c.system_b WHERE q.run = ?""",
            (run,),
        )
    )


@pytest.fixture
def answered(study: Store) -> Store:
    fill(study, attributes=("coherence", "fluency"))
    answer(study, "Ada", "i0", ("beta", "alpha"))
    answer(study, "Bo", "i0", ("alpha", "beta"))
    answer(study, "Ada", "i1", ("gamma", "alpha"), "fluency")
    answer(study, "Ada", "i2", ("gamma", "alpha"), given=Answer(failure="skipped"))
    return study


def test_each_pair_people_answered_in_both_orders_of_that_attribute(answered: Store) -> None:
    """The same request again asks what people have answered since."""
    run = enqueue(answered, LONGER.spec, REQUEST)
    assert asked(answered, run) == [
        ("coherence", "i0", "alpha", "beta"),
        ("coherence", "i0", "beta", "alpha"),
        ("fluency", "i1", "alpha", "gamma"),
        ("fluency", "i1", "gamma", "alpha"),
    ]
    assert outlook(answered, REQUEST).comparisons == 4
    execute(answered, run, by=LONGER)
    answer(answered, "Cy", "i2", ("beta", "gamma"))
    assert enqueue(answered, LONGER.spec, REQUEST) == run
    assert len(asked(answered, run)) == 6


def test_narrowed_down(answered: Store) -> None:
    """Whom statistics leave out is not followed."""
    for narrow in ({"attributes": ("fluency",)}, {"systems": ("alpha", "beta")}):
        request = Request(DATASET, strategy="same-pairs", **narrow)
        assert outlook(answered, request).comparisons == 2
    answered.exclusions.add(DATASET, "Ada", reason="clicks", by="Eve")
    run = enqueue(answered, LONGER.spec, REQUEST)
    assert [row[1] for row in asked(answered, run)] == ["i0", "i0"]


def test_other_samples_too(study: Store) -> None:
    fill(study, samples=2)
    answer(study, "Ada", "i0", ("alpha", "beta"), sample=1)
    assert outlook(study, REQUEST).comparisons == 2
    questions = planning.preview_questions(study, REQUEST, 5)
    assert {question.text_a for question in questions} == {"alpha-0-1", "beta-0-1 beta-0-1"}


def test_only_answers_of_people_count(study: Store) -> None:
    answer(study, "Ada", "i0", ("alpha", "beta"), given=Answer(failure="skipped"))
    with pytest.raises(TandemError, match=r"^people\b.*\bno pair\b.*'tiny'"):
        outlook(study, REQUEST)


# ---- The campaign a data set has by itself: every pair, or as many of each text where these are
# many


def texts(path: Path, systems: range, items: int = 2) -> Path:
    rows = [f"i{item},s{system:03},text {system}\n" for item in range(items) for system in systems]
    path.write_text("item,system,text\n" + "".join(rows))
    return path


def planned(store: Store) -> dict[str, dict[tuple[str, str], float]]:
    """Item -> the pairs of systems that are planned, and how likely each was."""
    found: dict[str, dict[tuple[str, str], float]] = {}
    for item, first, second, probability in store.connection.rows(
        """SELECT i.key, s.name, t.name, p.probability FROM campaign_pairs p
        JOIN generations g ON g.id = p.generation_1 JOIN systems s ON s.id = g.system
        JOIN generations h ON h.id = p.generation_2 JOIN systems t ON t.id = h.system
        JOIN items i ON i.id = g.item"""
    ):
        found.setdefault(item, {})[min(first, second), max(first, second)] = probability
    return found


def test_identical_texts_are_not_asked_about_and_that_is_said(store: Store, tmp_path: Path) -> None:
    """x and y are alike on i0; on i1 x and z are, but for a sign."""
    rows = (
        "item,system,text",
        "i0,x,same",
        "i0,y,same",
        "i0,z,other",
        "i1,x,a",
        "i1,y,b",
        "i1,z,a.",
    )
    (tmp_path / "t.csv").write_text("\n".join(rows))
    report = importer.load(store, [tmp_path / "t.csv"], Dataset("d"))
    pairs = planned(store)
    assert set(pairs["i0"]) == {("x", "z"), ("y", "z")}
    assert set(pairs["i1"]) == {("x", "y"), ("x", "z"), ("y", "z")}
    assert identical_note(1) == [note for note in report.warnings if "identical" in note]


def test_a_campaign_leaves_out_identical_texts_but_asks_about_rating_sets_whole(
    store: Store, tmp_path: Path
) -> None:
    rows = "".join(f"i0,{s},{n},{s if n else 'same'}\n" for s in "xy" for n in range(3))
    (tmp_path / "t.csv").write_text("item,system,sample,text\n" + rows)
    importer.load(store, [tmp_path / "t.csv"], Dataset("d"))
    one, whole = Choice(dataset="d"), Choice(dataset="d", samples=3)
    assert campaigns.count_identical(store, one) == 1
    for choice, pairs in ((one, 0), (whole, 3)):
        draft = campaigns.CampaignDraft(choice, campaigns.Design())
        assert campaigns.compute_outlook(store, draft).pairs == pairs


def test_of_more_than_41_texts_each_is_compared_with_40_others(
    store: Store, tmp_path: Path
) -> None:
    with Store(tmp_path / "few.sqlite3") as few:
        importer.load(few, [texts(tmp_path / "few.csv", range(41))], Dataset("d"))
        for pairs in planned(few).values():
            assert (len(pairs), set(pairs.values())) == (41 * 40 / 2, {1.0})
    importer.load(store, [texts(tmp_path / "t.csv", range(90))], Dataset("d"))
    first, second = planned(store).values()
    for pairs in (first, second):
        assert set(Counter(system for pair in pairs for system in pair).values()) == {40}
        assert set(pairs.values()) == {40 / 89}
    assert first.keys() != second.keys(), "each item has an order of its own"
    both = len(first.keys() & second.keys())
    expected = 1800 * 40 / 89  # pairs that two independent draws share
    assert abs(both - expected) < 150
    before = planned(store)
    importer.load(store, [texts(tmp_path / "more.csv", range(90, 92))], Dataset("d"))
    for item, pairs in planned(store).items():
        assert before[item].keys() < pairs.keys(), "what is planned stays planned"
        count = Counter(system for pair in pairs for system in pair)
        assert count["s090"] >= 40
        assert len(pairs) <= 1800 + 2 * 40


def test_cut_off_between_two_portions_the_same_import_plans_the_rest(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(default_campaign, "PORTION", 100)
    path, add = texts(tmp_path / "t.csv", range(20)), store.campaigns.add_pairs

    def dies(plan: int, pairs: list[object]) -> int:
        if planned(store):
            raise KeyboardInterrupt
        return add(plan, pairs)  # type: ignore[arg-type]

    with monkeypatch.context() as dying:
        dying.setattr(store.campaigns, "add_pairs", dies)
        with pytest.raises(KeyboardInterrupt):
            importer.load(store, [path], Dataset("d"))
    assert sum(map(len, planned(store).values())) == 100, "people can vote between portions"
    importer.load(store, [path], Dataset("d"))
    assert sum(map(len, planned(store).values())) == 380
