"""What a design asks for, one part at a time: quota, second answers, checks, second thoughts."""

import sqlite3
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo
from itertools import pairwise
from typing import Any

import pytest

from core import campaigns
from core.campaigns import Design, NoQuestionReason, Presentation, TakenAnswer
from core.campaigns.known_answers import shuffle_words
from core.pairing import Choice
from core.records import Answer, Outcome, TandemError
from core.store import Campaign, Store, connection
from tests.study import DATASET, add_known, fill

A, B, SKIP = Answer(Outcome.A), Answer(Outcome.B), Answer(failure="skipped")


def add_checks(store: Store, campaign: Campaign, checks: Iterable[tuple[str, str, str]]) -> None:
    names = ("item", "role", "better", "worse", "feedback")
    rows = [dict(zip(names, ("i0", *check, "longer"), strict=True)) for check in checks]
    add_known(store, campaign, rows)


def begun(
    store: Store, *, items: int = 12, checks: Iterable[tuple[str, str, str]] = (), **design: Any
) -> Campaign:
    """A campaign of three pairs an item, and who takes part."""
    fill(store, items=items)
    for name in ("Ada", "Bo"):
        campaigns.enrol(store, name)
    campaign = campaigns.open_campaign(store, "c", Choice(dataset=DATASET), Design(**design))
    add_checks(store, campaign, checks)
    return campaign


def ask(store: Store, campaign: Campaign, name: str = "Ada") -> Presentation:
    shown = campaigns.present(store, campaign, name)
    assert isinstance(shown, Presentation)
    return shown


def go_on(
    store: Store, campaign: Campaign, name: str = "Ada", most: int = 1000, given: Answer = A
) -> tuple[list[Presentation], object]:
    """Answer until there is nothing more: what was shown, and why it ended."""
    seen = []
    while isinstance(shown := campaigns.present(store, campaign, name), Presentation) and most:
        assert campaigns.answer(store, name, shown, given)
        seen.append(shown)
        most -= 1
    return seen, shown


def undo_latest(store: Store, campaign: Campaign) -> Any:
    return campaigns.undo(store, "Ada", campaigns.progress(store, campaign, "Ada").latest)


def pair(shown: Presentation) -> frozenset[int]:
    return frozenset((shown.generation_a, shown.generation_b))


def passes(shown: Presentation) -> Answer:
    """The answer that is right where the longer text is the better one."""
    return A if len(shown.text_a or "") > len(shown.text_b or "") else B


def fails(shown: Presentation) -> Answer:
    return B if passes(shown) is A else A


def find_checks(seen: list[Presentation]) -> list[int]:
    return [place for place, one in enumerate(seen) if one.check]


def set_back(monkeypatch: pytest.MonkeyPatch, by: timedelta) -> None:
    """The clock by which the store records what is done."""

    class SetBack(datetime):
        @classmethod
        def now(cls, zone: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return datetime.now(zone) - by

    monkeypatch.setattr(connection, "datetime", SetBack)


GOLD = (("gold", "gamma", "alpha"), ("gold", "beta", "alpha"), ("gold", "gamma", "beta"))


REFUSED: tuple[tuple[dict[str, Any], str], ...] = (
    ({"overlap": 0}, r"overlap .*\b0\b.* 1 .* 1,000"),
    ({"check_every": 0}, r"check every .*\b0\b.* 1 .* 1,000"),
    ({"quota": 0}, r"quota .*\b0\b.* 1\b"),
    ({"failures_allowed": -1}, r"failures allowed .*-1\b.* 0\b"),
    ({"repeat_share": 1.5}, r"repeat share .*1\.5\b.* 0 and 1"),
    ({"on_failure": "shout"}, r"on failure 'shout'.* note, warn, stop"),
    ({"order": "length"}, r"order 'length'.* random, item"),
    ({"reasons": ("a", " ")}, "reasons .*empty"),
    ({"reasons": ("a", "a ")}, "reasons .*same"),
)


class TestDesign:
    def test_what_is_stored_comes_back(self) -> None:
        assert Design.from_stored(Design().to_stored()) == Design()
        assert Design().to_stored() == {}
        other = Design(overlap=3, quota=7, reasons=("wrong", "too long"), tie=False)
        assert Design.from_stored(other.to_stored()) == other
        for part, said in REFUSED:
            with pytest.raises(TandemError, match=f"^[^\\n]*{said}[^\\n]*$"):
                Design(**part)

    def test_only_what_is_offered_is_taken(self, store: Store) -> None:
        campaign = begun(store, tie=False, both_bad=False)
        shown = ask(store, campaign)
        for outcome in (Outcome.TIE, Outcome.BOTH_BAD):
            with pytest.raises(TandemError, match="does not offer"):
                campaigns.answer(store, "Ada", shown, Answer(outcome))
        assert campaigns.answer(store, "Ada", shown, A)
        for row, said in (
            ({"worse": "beta"}, "row 1 .*'beta' twice"),
            ({"tie": "yes"}, "row 1 .*tie.* not offer"),
        ):
            known = {"item": "i0", "better": "beta", "worse": "alpha", **row}
            attributes = store.campaigns.attributes(campaign.id)
            with pytest.raises(TandemError, match=said):
                campaigns.known_answers.from_rows(store, campaign, [known], attributes)


class TestQuota:
    def test_ends_in_the_middle_of_a_pair_and_lets_go_of_the_rest(self, store: Store) -> None:
        fill(store, items=1, attributes=("coherence", "fluency", "style"))
        for name in ("Ada", "Bo"):
            campaigns.enrol(store, name)
        design = Design(together=True, quota=2)
        campaign = campaigns.open_campaign(store, "c", Choice(dataset=DATASET), design)
        seen, hold = go_on(store, campaign)
        assert (len(seen), hold) == (2, NoQuestionReason.QUOTA)
        assert campaigns.progress(store, campaign, "Ada").n_left == 0
        assert len({pair(one) for one in seen}) == 1
        other = ask(store, campaign, "Bo")
        assert (pair(other), other.attribute) == (pair(seen[0]), "style")

    def test_holds_for_an_old_tab_too(self, store: Store) -> None:
        campaign = begun(store, quota=1)
        first = ask(store, campaign)
        store.connection.execute("UPDATE leases SET leased_at = '2000'")
        other = ask(store, campaign, "Bo")
        second = ask(store, campaign)
        assert pair(other) == pair(first) != pair(second)
        assert campaigns.answer(store, "Ada", second, A)
        with pytest.raises(TandemError, match="asks each person 1 questions at most"):
            campaigns.answer(store, "Ada", first, A)

    def test_one_more_may_follow_an_undo(self, store: Store) -> None:
        campaign = begun(store, quota=3)
        seen, _ = go_on(store, campaign)
        assert undo_latest(store, campaign)
        assert pair(ask(store, campaign)) == pair(seen[-1])
        for _ in range(2):
            assert go_on(store, campaign)[1] is NoQuestionReason.QUOTA


class TestAskedTwice:
    def test_comes_once_after_ten_to_thirty_others_or_at_the_end(self, store: Store) -> None:
        seen, hold = go_on(store, begun(store, items=20, repeat_share=1.0))
        assert (len(seen), hold) == (120, NoQuestionReason.DONE)
        first = {pair(one): place for place, one in enumerate(seen) if not one.trial}
        second = {pair(one): place for place, one in enumerate(seen) if one.trial}
        assert first.keys() == second.keys()
        assert len(first) == 60
        between = [second[two] - first[two] - 1 for two in first]
        new = max(first.values())
        for two in first:
            assert second[two] - first[two] - 1 >= 10 or second[two] > new
        assert min(between[:20]) >= 10
        assert len({*between}) > 5

    def test_sides_are_drawn_anew(self, store: Store) -> None:
        """Of 150 pairs the share with other sides is within 4 standard errors of one half."""
        seen, _ = go_on(store, begun(store, items=50, repeat_share=1.0))
        sides = {(pair(one), one.trial): one.generation_a for one in seen}
        other = sum(sides[two, 0] != sides[two, 1] for two, trial in sides if trial)
        assert len(sides) == 300
        assert abs(other - 75) < 4 * (150 * 0.25) ** 0.5

    def test_about_the_share_that_is_wanted(self, store: Store) -> None:
        seen, _ = go_on(store, begun(store, items=60, repeat_share=0.25))
        assert abs(sum(one.trial for one in seen) - 45) < 4 * (180 * 0.25 * 0.75) ** 0.5

    def test_counts_are_no_vote_of_the_pair_and_undone_it_comes_at_once(self, store: Store) -> None:
        campaign = begun(store, items=10, repeat_share=1.0)
        while not (shown := ask(store, campaign)).trial:
            assert campaigns.answer(store, "Ada", shown, A)
        assert campaigns.answer(store, "Ada", shown, B)
        assert ask(store, campaign)
        assert store.connection.value("SELECT max(votes) FROM campaign_pairs") == 1
        assert undo_latest(store, campaign).outcome is Outcome.B
        again = ask(store, campaign)
        assert (pair(again), again.trial) == (pair(shown), 1)

    def test_ten_others_are_counted_anew_after_an_undo(self, store: Store) -> None:
        campaign = begun(store, items=20, repeat_share=1.0)
        first = ask(store, campaign)
        row = campaigns.answer(store, "Ada", first, A)
        go_on(store, campaign, most=9)
        assert campaigns.undo(store, "Ada", row)
        assert pair(ask(store, campaign)) == pair(first)
        seen, _ = go_on(store, campaign, most=40)
        places = [place for place, one in enumerate(seen) if pair(one) == pair(first)]
        assert len(places) == 2
        assert places[1] - places[0] > 10

    def test_is_not_asked_any_more_when_it_is_no_longer_wanted(self, store: Store) -> None:
        campaign = begun(store, items=10, repeat_share=1.0)
        go_on(store, campaign, most=9)
        store.campaigns.edit(campaign.id, name="c", design={}, overlap=1)
        campaign = store.campaigns.get(campaign.id)
        seen, hold = go_on(store, campaign)
        assert not any(one.trial for one in seen)
        assert hold is NoQuestionReason.DONE
        assert campaigns.progress(store, campaign, "Ada").n_left == 0

    def test_the_first_answer_that_is_taken_back_is_asked_for_again(self, store: Store) -> None:
        campaign = begun(store, items=4, repeat_share=1.0)
        go_on(store, campaign)
        own = store.progress.history(campaign.id, store.judges.id_of("Ada"), 50)
        assert len(own) == 24
        first = own[-1]
        assert campaigns.undo(store, "Ada", TakenAnswer(first["judgement"]))
        shown = ask(store, campaign)
        assert (pair(shown), shown.trial) == ({first["generation_a"], first["generation_b"]}, 0)


class TestChecks:
    def test_training_comes_first_and_says_what_is_right(self, store: Store) -> None:
        campaign = begun(store, checks=(("training", "gamma", "alpha"),), check_every=1)
        shown = ask(store, campaign)
        assert shown.training
        told = campaigns.answer(store, "Ada", shown, fails(shown)).feedback
        assert (told.passed, told.expected, told.text) == (False, passes(shown).outcome, "longer")
        assert not ask(store, campaign).check
        assert campaigns.progress(store, campaign, "Ada").trained == 1

    @pytest.mark.parametrize("back", [False, True])
    def test_one_comes_after_every_so_many_answers(
        self, store: Store, monkeypatch: pytest.MonkeyPatch, back: bool
    ) -> None:
        """Also when the clock is set back, and when they were added later: not all at once."""
        campaign = begun(store, checks=GOLD, check_every=3)
        first, _ = go_on(store, campaign, most=6)  # two answers after a check
        if back:
            set_back(monkeypatch, timedelta(hours=1))
        seen, _ = go_on(store, campaign)
        assert find_checks([*first, *seen]) == [3, 7, 11]

    @pytest.mark.parametrize("last", ["check", "pair"])
    def test_the_latest_answer_is_taken_back_when_the_clock_is_set_back(
        self, store: Store, monkeypatch: pytest.MonkeyPatch, last: str
    ) -> None:
        campaign = begun(store, checks=GOLD, check_every=1)
        go_on(store, campaign, most=2 if last == "pair" else 3)  # ends with the other
        set_back(monkeypatch, timedelta(hours=1))
        [shown], _ = go_on(store, campaign, most=1)
        assert bool(shown.check) == (last == "check")
        assert campaigns.progress(store, campaign, "Ada").latest.check == (last == "check")

    def test_those_added_later_do_not_come_all_at_once(self, store: Store) -> None:
        campaign = begun(store, check_every=2)
        go_on(store, campaign, most=20)
        add_checks(store, campaign, GOLD)
        assert campaigns.progress(store, campaign, "Ada").n_left == 36 - 20 + 3
        seen, _ = go_on(store, campaign)
        checks = find_checks(seen)
        assert len(checks) == 3
        assert min(b - a for a, b in pairwise(checks)) == 3

    def test_none_is_a_judgement_and_none_is_in_the_history(self, store: Store) -> None:
        campaign = begun(store, checks=GOLD, check_every=1)
        go_on(store, campaign, most=6)
        assert len(store.judgement_frames.load_all(DATASET)) == 3
        assert len(campaigns.history(store, campaign, "Ada")) == 3

    def test_an_answer_to_one_is_final(self, store: Store) -> None:
        """Not even withdrawing it may change what it says."""
        campaign = begun(store, checks=GOLD[:1], check_every=1)
        go_on(store, campaign, most=2)
        before = store.connection.rows("SELECT * FROM check_answers")
        assert len(before) == 1
        statements = [
            f"UPDATE check_answers SET {values}{also}"
            for values in ("passed = 1 - passed", "outcome = NULL, seconds = NULL")
            for also in ("", ", withdrawn_at = 'now'")
        ]
        for statement in (*statements, "DELETE FROM check_answers"):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                store.connection.execute(statement)
        assert store.connection.rows("SELECT * FROM check_answers") == before

    def test_an_answer_to_one_says_in_which_format_its_texts_were_read(self, store: Store) -> None:
        campaign = begun(store, checks=(("training", "gamma", "alpha"), *GOLD[:2]), check_every=1)
        formats = iter(("markdown", "plain", ""))  # the last is a door that does not say
        while isinstance(shown := campaigns.present(store, campaign, "Ada"), Presentation):
            given = replace(fails(shown), text_format=next(formats)) if shown.check else A
            assert campaigns.answer(store, "Ada", shown, given)
        kept = store.connection.rows("SELECT text_format FROM check_answers ORDER BY id")
        assert kept == [("markdown",), ("plain",), (None,)]
        rows = store.checks.load_answers(DATASET)
        is_right = (rows["outcome"] == "a") == (rows["system_a"] == rows["better"])
        assert (rows["passed"] == is_right).all(), "no side is forgotten"
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            store.connection.execute("UPDATE check_answers SET text_format = 'plain'")
        row, bo = store.checks.list_active(campaign.id)[0].id, store.judges.id_of("Bo")
        with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
            store.checks.answer(row, bo, replace(A, text_format="html"), passed=True)

    def test_who_fails_more_than_allowed_is_asked_no_more(self, store: Store) -> None:
        campaign = begun(store, checks=GOLD, check_every=1, on_failure="stop", failures_allowed=1)
        while isinstance(shown := campaigns.present(store, campaign, "Ada"), Presentation):
            last = shown
            assert campaigns.answer(store, "Ada", shown, fails(shown) if shown.check else A)
        assert shown is NoQuestionReason.STOPPED
        assert last.check
        # what they were stopped for cannot be taken back
        assert not campaigns.progress(store, campaign, "Ada").latest.check
        row = store.connection.value("SELECT max(id) FROM check_answers")
        assert campaigns.undo(store, "Ada", TakenAnswer(row, check=True)) is None
        assert ask(store, campaign, "Bo")

    @pytest.mark.parametrize(("on_failure", "again"), [("note", True), ("warn", False)])
    def test_one_is_taken_back_unless_it_was_told_of(
        self, store: Store, on_failure: str, again: bool
    ) -> None:
        campaign = begun(store, checks=GOLD[:1], check_every=1, on_failure=on_failure)
        go_on(store, campaign, most=1)
        check = ask(store, campaign)
        taken = campaigns.answer(store, "Ada", check, fails(check))
        assert (taken.feedback is None) == (on_failure == "note")
        assert ask(store, campaign)
        latest = campaigns.progress(store, campaign, "Ada").latest
        assert latest.check == again
        assert campaigns.undo(store, "Ada", latest)
        counts = store.checks.count_results(campaign.id, store.judges.id_of("Ada"))
        assert counts["answered"] != again
        shown = ask(store, campaign)
        assert (shown.check == check.check) == again
        assert not again or (shown.text_a, shown.text_b) == (check.text_a, check.text_b)

    def test_words_in_disorder_are_the_same_words(self) -> None:
        text = "The council met on Monday and put the matter off"
        mixed = shuffle_words(text, 1)
        assert sorted(mixed.split()) == sorted(text.split())
        assert mixed != text
        assert shuffle_words(text, 1) == mixed != shuffle_words(text, 2)
        assert sorted(shuffle_words("会议在星期一举行", 1)) == sorted("会议在星期一举行")
        assert shuffle_words(None, 1) == ""


class TestSecondThoughts:
    def test_a_change_keeps_the_old_answer_and_what_was_shown(self, store: Store) -> None:
        campaign = begun(store)
        shown = ask(store, campaign)
        row = campaigns.answer(store, "Ada", shown, Answer(Outcome.A, comment="short")).row
        new = campaigns.change(store, "Ada", row, Answer(Outcome.TIE, comment="no"))
        [mine] = campaigns.history(store, campaign, "Ada")
        answered = mine.answer
        assert (mine.judgement, answered.outcome, answered.comment) == (new, Outcome.TIE, "no")
        assert (mine.text_a, mine.text_b) == (shown.text_a, shown.text_b)
        rows = store.connection.rows("SELECT outcome, withdrawn_at IS NULL, screen FROM judgements")
        assert [row[:2] for row in rows] == [("a", 0), ("tie", 1)]
        assert rows[0][2] == rows[1][2]
        assert campaigns.change(store, "Ada", row, B) is None
        assert campaigns.change(store, "Bo", new, B) is None

    def test_a_skip_becomes_an_answer_unless_others_have_the_pair(self, store: Store) -> None:
        campaign = begun(store, items=1)
        rows = [campaigns.answer(store, "Ada", ask(store, campaign), SKIP).row for _ in range(3)]
        assert campaigns.change(store, "Ada", rows[0], B)
        bo = ask(store, campaign, "Bo")
        with pytest.raises(TandemError, match="others have answered what you skipped"):
            campaigns.change(store, "Ada", rows[1], B)
        assert campaigns.answer(store, "Bo", bo, A)
        store.campaigns.set_status(campaign.id, "paused")
        assert campaigns.change(store, "Ada", rows[2], A)
        store.campaigns.set_status(campaign.id, "closed")
        with pytest.raises(TandemError, match="is closed: answers can no longer be changed"):
            campaigns.change(store, "Ada", rows[1], B)


def test_consent_is_to_a_text(store: Store) -> None:
    campaign = begun(store, consent="I take part.")
    assert campaigns.present(store, campaign, "Ada") is NoQuestionReason.CONSENT
    campaigns.consent(store, campaign, "Ada")
    assert ask(store, campaign)
    assert campaigns.present(store, campaign, "Bo") is NoQuestionReason.CONSENT
    other = replace(campaign, design={"consent": "I take part, and am filmed."})
    assert campaigns.present(store, other, "Ada") is NoQuestionReason.CONSENT
