"""What an annotator is asked and what becomes of the answers, of several at once, too."""

import json
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path

import pytest

from core import campaigns, records
from core.campaigns import SKIPPED, Presentation, Progress, TakenAnswer
from core.pairing import open_default
from core.records import Answer, Generation, Outcome, TandemError
from core.store import Store
from tests.processes import forked
from tests.study import (
    DATASET,
    SYSTEMS,
    ask,
    fill,
    how_far,
    ids,
    kept_tally,
    kept_votes,
    recounted_tally,
    recounted_votes,
    screen,
    together,
    vote_until_done,
)

A = Answer(Outcome.A)
SKIP = Answer(failure=SKIPPED)
ATTRIBUTES = ("coherence", "fluency", "style")


@pytest.fixture
def campaign(study: Store) -> Store:
    """9 pairs (3 of each of 3 items) in each of three attributes, and two annotators."""
    fill(study, attributes=ATTRIBUTES)
    open_default(study, DATASET)
    together(study)
    campaigns.enrol(study, "Ada")
    campaigns.enrol(study, "Bo")
    return study


def taken(store: Store, given: Answer = A, name: str = "Ada") -> TakenAnswer:
    """The answer of somebody to what they are asked."""
    return campaigns.answer(store, name, ask(store, name), given)


def pair(shown: Presentation) -> tuple[str, frozenset[int]]:
    return shown.item, frozenset((shown.generation_a, shown.generation_b))


def sides(shown: Presentation) -> tuple[object, ...]:
    return shown.generation_a, shown.generation_b, shown.text_a, shown.text_b


def overlap(store: Store, people: int) -> None:
    store.connection.execute("UPDATE campaign_attributes SET overlap = ?", (people,))


def answer_all(store: Store, name: str, given: Answer = A) -> list[Presentation]:
    """Everything that is left to this person: what was shown, in order."""
    seen = []
    while shown := ask(store, name):
        seen.append(shown)
        assert campaigns.answer(store, name, shown, given)
    return seen


class TestDefaultCampaign:
    def test_asks_every_pair_of_systems_on_every_item_once_for_each_attribute(
        self, campaign: Store, tmp_path: Path
    ) -> None:
        """All attributes of a pair together, in a seeded order that is not that of the items."""
        seen = answer_all(campaign, "Ada")
        system = {row: name for (_, name, _), row in ids(campaign).items()}
        questions = Counter(
            (one.item, one.attribute, frozenset(map(system.get, pair(one)[1]))) for one in seen
        )
        pairs = [frozenset(two) for two in combinations(SYSTEMS, 2)]
        assert questions == Counter(product(("i0", "i1", "i2"), ATTRIBUTES, pairs))
        for first in range(0, 27, 3):
            assert [one.attribute for one in seen[first : first + 3]] == list(ATTRIBUTES)
            assert len({sides(one) for one in seen[first : first + 3]}) == 1
        order = [pair(one) for one in seen][::3]
        assert [item for item, _ in order] != sorted(item for item, _ in order)
        for seed, same in ((0, True), (1, False)):
            with Store(tmp_path / f"other{seed}") as other:
                fill(other, attributes=ATTRIBUTES)
                open_default(other, DATASET, seed=seed)
                together(other)
                campaigns.enrol(other, "Bo")
                assert ([pair(one) for one in answer_all(other, "Bo")][::3] == order) is same

    def test_only_what_has_a_text_and_is_the_first_sample(self, campaign: Store) -> None:
        campaign.datasets.add_systems(DATASET, [records.System("delta")])
        texts = [Generation("i0", "delta"), Generation("i0", "alpha", 1, "x")]
        campaign.datasets.add_generations(DATASET, [*texts, Generation("i0", "beta", 1, "y")])
        open_default(campaign, DATASET)
        assert how_far(campaign, "Ada").n_left == 27

    def test_what_is_imported_later_extends_it_and_disturbs_nothing(self, campaign: Store) -> None:
        held = ask(campaign, "Ada")
        campaigns.answer(campaign, "Ada", held, A)
        second = ask(campaign, "Ada")
        before = campaign.connection.rows("SELECT * FROM campaign_pairs ORDER BY id")
        campaign.datasets.add_items(DATASET, [records.Item("i9")])
        campaign.datasets.add_systems(DATASET, [records.System("delta")])
        more = [Generation(item, "delta", 0, "new") for item in ("i0", "i1", "i2", "i9")]
        campaign.datasets.add_generations(DATASET, [*more, Generation("i9", "alpha", 0, "newer")])
        open_default(campaign, DATASET)
        assert campaign.connection.rows("SELECT * FROM campaign_pairs ORDER BY id")[:27] == before
        assert ask(campaign, "Ada") == second
        # Three new pairs on each old item and one on the new one.
        assert how_far(campaign, "Ada").n_left == 26 + (3 * 3 + 1) * 3
        assert len(answer_all(campaign, "Ada")) == 26 + 30
        open_default(campaign, DATASET)
        assert how_far(campaign, "Ada").n_left == 0

    def test_a_new_attribute_is_asked_of_every_pair(self, campaign: Store) -> None:
        answer_all(campaign, "Ada")
        campaign.datasets.add_attributes(DATASET, [records.Attribute("wit")])
        open_default(campaign, DATASET)
        assert {one.attribute for one in answer_all(campaign, "Ada")} == {"wit"}
        assert how_far(campaign, "Ada").answered == 27 + 9

    def test_without_texts_there_is_none(self, store: Store) -> None:
        store.datasets.add(records.Dataset("empty"))
        store.datasets.add_attributes("empty", [records.Attribute("overall")])
        open_default(store, "empty")
        assert store.runs.list_all().empty
        campaigns.enrol(store, "Ada")
        assert campaigns.current(store, "empty") is None


class TestSides:
    def test_are_drawn_for_each_annotator_and_pair(self, store: Store) -> None:
        """600 pairs x 2 people: each person and both together within 4 standard errors of one half."""
        fill(store, items=200)
        open_default(store, DATASET)
        overlap(store, 2)
        orders = []
        for name in ("Ada", "Bo"):
            campaigns.enrol(store, name)
            seen = answer_all(store, name)
            orders.append({pair(one): one.generation_a < one.generation_b for one in seen})
        ada, bo = orders
        assert len(ada) == 600
        for swapped in (sum(ada.values()), sum(bo.values()), sum(ada[p] == bo[p] for p in ada)):
            assert abs(swapped - 300) < 4 * (600 * 0.25) ** 0.5

    def test_are_stored_as_shown(self, campaign: Store) -> None:
        for shown in answer_all(campaign, "Ada"):
            [(a, b, row)] = campaign.connection.rows(
                """SELECT c.generation_a, c.generation_b, j.id FROM judgements j JOIN comparisons c
                    ON c.id = j.comparison
                WHERE c.attribute = ? AND j.campaign = ? AND json_extract(j.screen, '$.key') = ?""",
                (shown.attribute_id, shown.campaign, shown.key),
            )
            assert (a, b) == (shown.generation_a, shown.generation_b)
            shows = {"key": shown.key, "question": shown.question, "a": a, "b": b}
            assert screen(campaign, row) == shows
            texts = dict(campaign.connection.rows("SELECT id, text FROM generations"))
            assert (shown.text_a, shown.text_b) == (texts[a], texts[b])

    def test_nothing_on_the_screen_names_a_system(self, store: Store) -> None:
        fill(store, systems=("gpt-secret", "llama-secret"))
        store.connection.execute("UPDATE generations SET text = 'text ' || id")
        open_default(store, DATASET)
        campaigns.enrol(store, "Ada")
        assert "secret" not in json.dumps(vars(ask(store, "Ada")))


class TestAnswer:
    def test_a_double_press_stores_one_row(self, campaign: Store) -> None:
        shown = ask(campaign, "Ada")
        given = Answer(Outcome.BOTH_BAD, confidence=0.75, comment="both wrong", seconds=4.5)
        assert campaigns.answer(campaign, "Ada", shown, given) == TakenAnswer(1)
        assert campaigns.answer(campaign, "Ada", shown, Answer(Outcome.B)) is None
        with Store(campaign.path) as tab:
            assert campaigns.answer(tab, "Ada", shown, SKIP) is None
        [row] = campaign.judgement_frames.load_exported(DATASET).to_dict("records")
        names = ("winner", "confidence", "comment", "seconds", "judge", "judge_kind")
        kept = ["both_bad", 0.75, "both wrong", 4.5, "Ada", "human"]
        assert [row[name] for name in names] == kept

    def test_a_skip_is_a_failure_and_nobody_s_vote(self, campaign: Store) -> None:
        shown = ask(campaign, "Ada")
        assert campaigns.undo(campaign, "Ada", taken(campaign, SKIP))
        assert sides(ask(campaign, "Ada")) == sides(shown)
        assert len(answer_all(campaign, "Ada", SKIP)) == 27
        failures = campaign.judgement_frames.load_all(DATASET)["failure"]
        assert failures.tolist() == ["skipped"] * 27
        assert how_far(campaign, "Ada") == Progress(0, 27, 0, None, latest=TakenAnswer(28))
        # Not asked again, but of somebody else, at once.
        assert ask(campaign, "Ada") is None
        assert how_far(campaign, "Bo").n_left == 27
        assert len(answer_all(campaign, "Bo")) == 27


class TestUndo:
    def test_shows_that_pair_next(self, campaign: Store) -> None:
        shown = ask(campaign, "Ada")
        row = taken(campaign)
        assert ask(campaign, "Ada") != shown
        assert not campaigns.undo(campaign, "Bo", row)
        assert len(campaign.judgement_frames.load_all(DATASET)) == 1
        assert campaigns.undo(campaign, "Ada", row)
        assert not campaigns.undo(campaign, "Ada", row)
        assert not campaigns.undo(campaign, "Ada", TakenAnswer(999))
        # a press on the screen from before
        assert campaigns.answer(campaign, "Ada", shown, A) is None
        assert how_far(campaign, "Ada").answered == 0
        again = ask(campaign, "Ada")
        assert again.key != shown.key
        assert replace(again, key=shown.key, round=0) == shown
        assert campaigns.answer(campaign, "Ada", again, Answer(Outcome.B))
        assert campaign.judgement_frames.load_all(DATASET)["outcome"].tolist() == ["b"]
        rows = campaign.connection.value("SELECT count(*) FROM judgements")
        assert rows == 2  # the first stays, withdrawn

    def test_several_in_a_row_lead_back_step_by_step(self, campaign: Store) -> None:
        seen = [(ask(campaign, "Ada"), taken(campaign)) for _ in range(7)]
        ask(campaign, "Ada")
        for shown, row in reversed(seen):
            assert campaigns.undo(campaign, "Ada", row)
            assert replace(ask(campaign, "Ada"), key=shown.key, round=0) == shown
        # And forward again, in the order they were asked.
        for shown, _ in seen:
            again = ask(campaign, "Ada")
            assert (again.attribute, sides(again)) == (shown.attribute, sides(shown))
            campaigns.answer(campaign, "Ada", again, Answer(Outcome.B))
        assert how_far(campaign, "Ada").answered == 7

    def test_of_the_last_answer_reopens_a_finished_campaign(self, campaign: Store) -> None:
        [*_, last] = answer_all(campaign, "Ada")
        assert campaigns.undo(campaign, "Ada", how_far(campaign, "Ada").latest)
        assert how_far(campaign, "Ada").n_left == 1
        assert sides(ask(campaign, "Ada")) == sides(last)

    def test_comes_before_what_another_holds_meanwhile(self, campaign: Store) -> None:
        overlap(campaign, 2)
        shown = ask(campaign, "Ada")
        row, bo = taken(campaign, SKIP), campaign.judges.id_of("Bo")
        held = "INSERT INTO leases SELECT id, ?, '9999' FROM campaign_pairs"
        campaign.connection.execute(held, (bo,))
        assert campaigns.undo(campaign, "Ada", row)
        assert sides(ask(campaign, "Ada")) == sides(shown)


class TestSeveralPeople:
    def test_get_different_pairs_at_once(self, campaign: Store) -> None:
        names = [f"p{i}" for i in range(9)]
        for name in names:
            campaigns.enrol(campaign, name)
        assert len({pair(ask(campaign, name)) for name in names}) == 9
        assert ask(campaign, "Ada") is None  # all are in somebody's hands

    def test_the_attributes_of_a_pair_stay_in_one_hand(self, campaign: Store) -> None:
        ada, bo = [], []
        for _ in range(6):
            for name, seen in (("Ada", ada), ("Bo", bo)):
                seen.append(pair(ask(campaign, name)))
                taken(campaign, A, name)
        assert ada[:3] == [ada[0]] * 3
        assert bo[3:] == [bo[3]] * 3
        assert not set(ada) & set(bo)

    def test_taking_over_one_attribute_takes_no_other_from_who_is_at_it(
        self, campaign: Store
    ) -> None:
        """Ada skips the first question of a pair and is at the second, when Bo comes."""
        first = ask(campaign, "Ada")
        taken(campaign, SKIP)
        second, other = ask(campaign, "Ada"), ask(campaign, "Bo")
        assert pair(first) == pair(second) == pair(other)
        assert (second.attribute, other.attribute) == ("fluency", "coherence")
        taken(campaign, A, "Bo")
        assert pair(ask(campaign, "Bo")) != pair(first)
        assert ask(campaign, "Ada") == second

    @pytest.mark.parametrize("people", [1, 2, 3])
    def test_each_pair_gets_its_overlap_from_different_people(
        self, campaign: Store, people: int
    ) -> None:
        overlap(campaign, people)
        for name in ("Ada", "Bo", "Cy", "Di"):
            campaigns.enrol(campaign, name)
            assert len(answer_all(campaign, name)) == (27 if people else 0)
            people -= people > 0
        counts = campaign.connection.rows(
            """SELECT count(*), count(DISTINCT j.judge) FROM judgements j JOIN comparisons c ON c.id
                = j.comparison
            GROUP BY c.attribute, c.generation_1, c.generation_2"""
        )
        assert len(counts) == 27
        assert all(votes == persons for votes, persons in counts)

    @pytest.mark.parametrize("voters", [4, pytest.param(16, marks=pytest.mark.slow)])
    def test_voting_at_once_lose_and_double_nothing(
        self, store: Store, tmp_path: Path, voters: int
    ) -> None:
        # Enough to outlast the longest that SQLite lets one writer wait before it tries again.
        items = 40 * voters
        fill(store, items=items, attributes=("coherence", "fluency"))
        open_default(store, DATASET)
        overlap(store, 2)
        (tmp_path / "ready").mkdir()
        names = [f"voter-{i}" for i in range(voters)]
        with ProcessPoolExecutor(voters, mp_context=forked()) as pool:
            jobs = [
                (name, pool.submit(vote_until_done, store.path, name, tmp_path / "ready", voters))
                for name in names
            ]
            told = {(name, *row) for name, job in jobs for row in job.result(timeout=300)}
        stored = {*store.connection.rows(
            """SELECT w.name, j.id, t.name, c.generation_a, c.generation_b, j.outcome
            FROM judgements j JOIN judges w ON w.id = j.judge
            JOIN comparisons c ON c.id = j.comparison JOIN attributes t ON t.id = c.attribute"""
        )}  # fmt: skip
        assert stored == told
        assert len(stored) == items * 3 * 2 * 2
        per_person = Counter((name, about, frozenset(two)) for name, _, about, *two, _ in stored)
        assert set(per_person.values()) == {1}
        assert {*Counter((about, two) for _, about, two in per_person).values()} == {2}
        assert {name for name, *_ in stored} == {*names}  # nobody was locked out
        for _, row, _, a, b, _ in stored:
            assert (screen(store, row)["a"], screen(store, row)["b"]) == (a, b)
        assert kept_tally(store) == recounted_tally(store)
        assert kept_votes(store) == recounted_votes(store)
        assert store.connection.check()["ok"]


class TestProgress:
    def test_counts_questions_and_what_others_have_done_is_not_left(self, campaign: Store) -> None:
        assert how_far(campaign, "Ada") == Progress(0, 0, 27, None, latest=None)
        rows = [taken(campaign, given) for given in (A, SKIP, A, A)]
        now = how_far(campaign, "Ada")
        assert (now.answered, now.skipped, now.n_left, now.total) == (3, 1, 23, 27)
        assert how_far(campaign, "Bo").n_left == 24
        campaigns.undo(campaign, "Ada", rows.pop())
        number, ada = campaign.campaigns.default(DATASET).id, campaign.judges.id_of("Ada")
        own = campaign.progress.latest(number, ada, limit=2)  # the newest first
        assert own == [(one.row, None) for one in rows[:0:-1]]
        assert how_far(campaign, "Ada").latest == rows[-1]
        assert how_far(campaign, "Bo") == Progress(0, 0, 25, None, latest=None)
        overlap(campaign, 2)
        assert how_far(campaign, "Bo").n_left == 27

    def test_time_left_is_the_median_pace_times_what_is_left(self, campaign: Store) -> None:
        """2, 4, 300 and 6 seconds: the median is 5, and 23 questions are left."""
        for seconds, left in ((2.0, None), (4.0, None), (300.0, 4.0 * 24), (6.0, 5.0 * 23)):
            taken(campaign, Answer(Outcome.TIE, seconds=seconds))
            assert how_far(campaign, "Ada").seconds_left == left


TAKEN = "human, simulated, llm, baseline, gold"


def test_a_name_is_one_person(store: Store) -> None:
    for name in ("", "   ", "x" * 81, "a\x00b", "a\u202eb", "a\u200bb", "\ud800"):
        with pytest.raises(TandemError, match=r"^[^\n]* 1 to 80 [^\n]*$"):
            campaigns.enrol(store, name)
    for name in ("human", "llm", "baseline:longer", "a:b", " gold "):
        with pytest.raises(TandemError, match=f"taken: .* colon .*{TAKEN}"):
            campaigns.enrol(store, name)
    assert store.judges.load_all().empty
    assert campaigns.enrol(store, "  Ada \t Lovelace ") == campaigns.enrol(store, "Ada Lovelace")
    assert campaigns.enrol(store, "ada lovelace") != campaigns.enrol(store, "Ada Lovelace")
    assert store.judges.spec("Ada Lovelace").kind is records.Kind.HUMAN
    assert campaigns.enrol(store, "李 雷 é 😀")
    store.judges.add([records.JudgeSpec("gpt", records.Kind.LLM)])
    with pytest.raises(TandemError, match=r"'gpt' .*\bllm judge"):
        campaigns.enrol(store, "gpt")
    fill(store)
    open_default(store, DATASET)
    with pytest.raises(TandemError, match="unknown judge 'Zoe'"):
        ask(store, "Zoe")
