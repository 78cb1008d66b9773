"""Eight people at campaigns of every design, in any order of events; counted here by hand."""

from __future__ import annotations

import json
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core import campaigns
from core.campaigns import Design, NoQuestionReason, Participation, Presentation, TakenAnswer
from core.pairing import Choice
from core.records import Answer, Outcome, TandemError
from core.store import Store
from tests.processes import forked
from tests.study import (
    DATASET,
    add_known,
    fill,
    kept_tally,
    kept_votes,
    recounted_tally,
    recounted_votes,
)

PEOPLE = tuple(f"p{number}" for number in range(8))
ANSWERS = [Answer(outcome) for outcome in Outcome] + [Answer(failure="skipped")]
ENDED = (NoQuestionReason.DONE, NoQuestionReason.QUOTA, NoQuestionReason.STOPPED)

DESIGNS = st.builds(
    Design,
    overlap=st.integers(1, 3),
    quota=st.one_of(st.none(), st.integers(1, 8)),
    repeat_share=st.sampled_from((0.0, 0.5, 1.0)),
    together=st.booleans(),
    order=st.sampled_from(("random", "item")),
    check_every=st.integers(1, 4),
    on_failure=st.sampled_from(("note", "warn", "stop")),
    failures_allowed=st.integers(0, 2),
)
CHOICES = st.builds(
    Choice,
    dataset=st.just(DATASET),
    samples=st.integers(1, 2),
    way=st.sampled_from(("random", "active")),
    budget=st.one_of(st.none(), st.integers(1, 5)),
)
CAMPAIGNS = st.tuples(CHOICES, DESIGNS, st.booleans())

ACTS = st.one_of(
    st.tuples(st.sampled_from(("look", "vote", "vote", "vote", "again")), st.integers(0, 4)),
    st.tuples(st.sampled_from(("old tab", "undo", "undo any")), st.integers(0, 9)),
    st.tuples(st.just("change"), st.integers(0, 9)),
    st.tuples(st.sampled_from(("lapse", "lapse all")), st.just(0)),
    st.tuples(st.just("status"), st.integers(0, 4)),
    st.tuples(st.just("exclude"), st.integers(0, 1)),
)
CHANGES = {
    "overlap": st.integers(1, 3),
    "quota": st.one_of(st.none(), st.integers(1, 8)),
    "together": st.booleans(),
    "repeat_share": st.sampled_from((0.0, 1.0)),
    "check_every": st.integers(1, 4),
}
EDITS = st.tuples(st.just("edit"), st.fixed_dictionaries({}, optional=CHANGES))
STEPS = st.lists(
    st.tuples(st.sampled_from(PEOPLE), st.integers(0, 1), st.one_of(ACTS, ACTS, ACTS, EDITS)),
    max_size=60,
)


@dataclass
class Round:
    """What happened, as one who watches over everybody's shoulder writes it down."""

    store: Store
    campaigns: list[int]
    screens: dict = field(default_factory=dict)  # (person, key) -> presentation
    last: dict = field(default_factory=dict)  # person -> what is in front of them
    rows: Counter = field(default_factory=Counter)  # how many rows a table must have
    most: dict = field(default_factory=dict)  # campaign -> the highest overlap it ever had
    unheld: Counter = field(default_factory=Counter)  # planned -> votes of who held it no more
    excluded: set = field(default_factory=set)  # who was excluded at any time

    def campaign(self, number):
        return self.store.campaigns.get(self.campaigns[number % len(self.campaigns)])

    def design(self, campaign):
        return Design.from_stored(campaign.design)

    def look(self, who, campaign):
        """The same twice, nothing that was answered before, and the numbers beside it are right."""
        before = self._live(who)
        shown = campaigns.present(self.store, campaign, who)
        assert campaigns.present(self.store, campaign, who) == shown
        told = campaigns.progress(self.store, campaign, who)
        assert min(told.answered, told.skipped, told.n_left, told.trained) >= 0
        if isinstance(shown, NoQuestionReason):
            if shown in (NoQuestionReason.DONE, NoQuestionReason.QUOTA):
                assert told.n_left == 0
            if shown is NoQuestionReason.WAIT:
                assert told.n_left > 0
                assert self._others_hold(who, campaign)
            return shown
        self.last[who] = shown
        known = self.screens.setdefault((who, shown.key), shown)
        assert known == shown
        if not shown.check:
            pair = (shown.attribute_id, *sorted((shown.generation_a, shown.generation_b)))
            assert before[pair, shown.trial] == 0
            assert before[pair, 0] == shown.trial
        if not shown.training and campaign.choice.get("way") != "active":
            assert told.n_left > 0
        return shown

    def give(self, who, shown, given):
        """Answer what was on some screen of theirs. Whether it was taken."""
        planned = self._planned(shown)
        held = planned in self._held(who)
        taken = None
        campaign = self.store.campaigns.get(shown.campaign)
        with suppress(TandemError):
            taken = campaigns.answer(self.store, who, shown, given)
        if taken is None:
            return None
        assert taken.check == bool(shown.check)
        assert campaign.open
        self.rows["check_answers" if taken.check else "judgements"] += 1
        if not taken.check and given.outcome and not shown.trial and not held:
            self.unheld[planned] += 1
        quota = self.design(campaign).quota
        if quota is not None and not shown.training:
            assert Participation.find(self.store, campaign, who).count_given() <= quota
        assert answer_is_refused(self.store, who, shown)
        return taken

    def step(self, who, number, act, what):
        campaign = self.campaign(number)
        match act:
            case "look":
                self.look(who, campaign)
            case "vote":
                shown = self.look(who, campaign)
                if isinstance(shown, Presentation):
                    assert self.give(who, shown, ANSWERS[what])
            case "again":
                if who in self.last:
                    self.give(who, self.last[who], ANSWERS[what])
            case "old tab":
                mine = [shown for (name, _), shown in self.screens.items() if name == who]
                if mine:
                    self.give(who, mine[-1 - what % len(mine)], ANSWERS[what % 5])
            case "undo":
                self.undo_latest(who, campaign)
            case "undo any" | "change":
                self.second_thoughts(who, campaign, act, what)
            case "lapse" | "lapse all":
                self.lapse(who if act == "lapse" else None)
            case "status":
                status = ("open", "open", "open", "paused", "closed")[what]
                self.store.campaigns.set_status(campaign.id, status)
            case "exclude":
                with suppress(TandemError):
                    if what:
                        self.store.exclusions.add(DATASET, who, reason="asleep", by="owner")
                        self.excluded.add(who)
                    else:
                        self.store.exclusions.lift(DATASET, who, by="owner")
            case "edit":
                self.edit(campaign, what)

    def undo_latest(self, who, campaign):
        latest = campaigns.progress(self.store, campaign, who).latest
        if latest is None or not campaign.open:
            return
        before = self.store.connection.rows("SELECT count(*) FROM judgements")
        assert campaigns.undo(self.store, who, latest)
        assert campaigns.undo(self.store, who, latest) is None
        assert self.store.connection.rows("SELECT count(*) FROM judgements") == before

    def second_thoughts(self, who, campaign, act, what):
        judge = self.store.judges.id_of(who)
        own = self.store.progress.history(campaign.id, judge, 50)
        if not own or not campaign.open:
            return
        row = own[what % len(own)]["judgement"]
        if act == "undo any":
            assert campaigns.undo(self.store, who, TakenAnswer(row))
            return
        with suppress(TandemError):  # others have answered what was skipped
            assert campaigns.change(self.store, who, row, ANSWERS[what % 5])
            self.rows["judgements"] += 1
            assert campaigns.change(self.store, who, row, ANSWERS[0]) is None

    def lapse(self, who=None):
        judge = None if who is None else self.store.judges.id_of(who)
        self.store.connection.execute(
            "UPDATE leases SET leased_at = '2000' WHERE ?1 IS NULL OR judge = ?1", (judge,)
        )

    def edit(self, campaign, changes):
        design = replace(self.design(campaign), **changes)
        self.store.campaigns.edit(
            campaign.id, name=campaign.name, design=design.to_stored(), overlap=design.overlap
        )
        self.most[campaign.id] = max(self.most[campaign.id], design.overlap)

    def finish(self):
        """Everybody goes on until there is nothing for them. Nobody ever waits for nobody."""
        self.lapse()
        for number in self.campaigns:
            self.store.campaigns.set_status(number, "open")
        for number in self.campaigns:
            for who in PEOPLE:
                campaign = self.store.campaigns.get(number)
                while isinstance(shown := self.look(who, campaign), Presentation):
                    assert self.give(who, shown, ANSWERS[shown.generation_a % 4])
                assert shown in ENDED
                assert not {*self._held(who)} & {*self._planned_of(number)}

    def check(self):
        rows = self.store.connection.rows
        for table in ("judgements", "check_answers"):
            assert rows(f"SELECT count(*) FROM {table}") == [(self.rows[table],)]
        self._check_what_was_shown()
        self._check_numbers()
        assert kept_tally(self.store) == recounted_tally(self.store)
        if not self.excluded:
            assert kept_votes(self.store) == recounted_votes(self.store)
        report = self.store.connection.check()
        assert report["ok"], report

    def _check_what_was_shown(self):
        for who, attribute, a, b, trial, campaign, screen in self.store.connection.rows(
            """SELECT w.name, c.attribute, c.generation_a, c.generation_b, j.trial, j.campaign,
                j.screen
            FROM judgements j JOIN judges w ON w.id = j.judge
            JOIN comparisons c ON c.id = j.comparison"""
        ):
            shown = self.screens[who, json.loads(screen)["key"]]
            assert not shown.check
            assert (shown.attribute_id, shown.generation_a, shown.generation_b) == (attribute, a, b)
            assert (shown.trial, shown.campaign) == (trial, campaign)
        for (who,) in self.store.connection.rows(
            """SELECT w.name FROM live_judgements j JOIN judges w ON w.id = j.judge
            JOIN comparisons c ON c.id = j.comparison
            GROUP BY j.judge, j.trial, c.attribute, c.generation_1, c.generation_2
            HAVING count(*) > 1"""
        ):
            pytest.fail(f"{who} has answered a pair twice")

    def _check_numbers(self):
        """Each pair within its overlap and each attribute within its budget, but for who came late."""
        counted = Counter()
        late = Counter()
        for planned, asked, campaign, votes in self.store.connection.rows(
            """SELECT q.id, p.id, p.campaign, (SELECT count(*) FROM live_judgements j
                JOIN comparisons c ON c.id = j.comparison JOIN judges w ON w.id = j.judge
                WHERE j.campaign = p.campaign AND c.attribute = p.attribute AND j.trial = 0 AND j.outcome IS NOT NULL
                AND c.generation_1 = q.generation_1 AND c.generation_2 = q.generation_2
                AND w.name NOT IN (SELECT value FROM json_each(?)))
            FROM campaign_pairs q JOIN campaign_attributes p ON p.id = q.campaign_attribute""",
            (json.dumps(sorted(self.excluded)),),
        ):
            assert votes <= self.most[campaign] + self.unheld[planned]
            counted[campaign, asked] += votes
            late[asked] += self.unheld[planned]
        for (number, asked), votes in counted.items():
            choice = self.store.campaigns.get(number).choice
            if choice["way"] == "active" and choice.get("budget"):
                samples = choice.get("samples", 1)
                budget = choice["budget"] * samples * self.most[number]
                assert votes <= budget + late[asked] + samples - 1

    def _live(self, who):
        """How often this person has a live answer, of ((attribute, pair), trial)."""
        rows = self.store.connection.rows(
            """SELECT c.attribute, c.generation_1, c.generation_2, j.trial
            FROM live_judgements j JOIN comparisons c ON c.id = j.comparison WHERE j.judge = ?""",
            (self.store.judges.id_of(who),),
        )
        return Counter(((attribute, one, other), trial) for attribute, one, other, trial in rows)

    def _column(self, sql, row):
        return [value for (value,) in self.store.connection.rows(sql, (row,))]

    def _held(self, who):
        held = "SELECT pair FROM leases WHERE judge = ? AND leased_at > '2001'"
        return self._column(held, self.store.judges.id_of(who))

    def _others_hold(self, who, campaign):
        others = [self._held(other) for other in PEOPLE if other != who]
        return {*self._planned_of(campaign.id)} & {row for rows in others for row in rows}

    def _planned_of(self, campaign):
        planned = """SELECT q.id FROM campaign_attributes p
            JOIN campaign_pairs q ON q.campaign_attribute = p.id WHERE p.campaign = ?"""
        return self._column(planned, campaign)

    def _planned(self, shown):
        pair = sorted((shown.generation_a, shown.generation_b))
        return self.store.connection.value(
            """SELECT id FROM campaign_pairs
            WHERE campaign_attribute = ? AND generation_1 = ? AND generation_2 = ?""",
            (shown.campaign_attribute, *pair),
        )


def answer_is_refused(store, who, shown):
    try:
        return campaigns.answer(store, who, shown, Answer(Outcome.A)) is None
    except TandemError:  # it was the last that was allowed
        return True


def begun(store, wanted):
    """A round at campaigns of these designs."""
    fill(store, items=2, samples=2, attributes=("coherence", "fluency"))
    for who in PEOPLE:
        campaigns.enrol(store, who)
    here = Round(store, [])
    for number, (choice, design, checks) in enumerate(wanted):
        campaign = campaigns.open_campaign(store, f"c{number}", choice, design)
        here.campaigns.append(campaign.id)
        here.most[campaign.id] = design.overlap
        if checks:
            row = {"item": "i0", "better": "alpha", "worse": "beta"}
            add_known(store, campaign, [row | {"role": role} for role in ("training", "gold")])
    return here


def play(wanted, steps):
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "store.sqlite3") as store:
        here = begun(store, wanted)
        for who, number, (act, what) in steps:
            here.step(who, number, act, what)
        here.finish()
        here.check()


SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
ROUNDS = {"deadline": None, "suppress_health_check": SLOW}
GIVEN = given(st.lists(CAMPAIGNS, min_size=1, max_size=2), STEPS)


@settings(max_examples=25, **ROUNDS)
@GIVEN
def test_nothing_is_lost_doubled_or_over_its_bound(wanted, steps) -> None:
    play(wanted, steps)


@pytest.mark.slow
@settings(max_examples=1000, **ROUNDS)
@GIVEN
def test_nor_in_many_more_rounds(wanted, steps) -> None:
    play(wanted, steps)


AT_ONCE = {
    "two votes a pair, checks": ({}, {"overlap": 2, "check_every": 2}),
    "sets of samples, all attributes in a row": ({"samples": 2}, {"together": True}),
    "a budget where least certain": ({"way": "active", "budget": 20}, {"overlap": 2}),
    "asked twice, a quota": ({}, {"repeat_share": 0.5, "quota": 12}),
}


@pytest.mark.parametrize("what", AT_ONCE)
def test_processes_that_answer_at_once_keep_every_bound(store: Store, tmp_path: Path, what) -> None:
    """Eight processes, each a person; no lease runs out, so that no bound may be passed by one."""
    choice, design = AT_ONCE[what]
    fill(store, items=12, samples=2, attributes=("coherence", "fluency"))
    asked = Choice(dataset=DATASET, **choice)
    campaign = campaigns.open_campaign(store, "c", asked, Design(**design))
    add_known(store, campaign, [{"item": "i0", "better": "alpha", "worse": "beta"}])
    (tmp_path / "ready").mkdir()
    with ProcessPoolExecutor(len(PEOPLE), mp_context=forked()) as pool:
        jobs = [
            pool.submit(answer_until_done, store.path, who, campaign.id, tmp_path / "ready")
            for who in PEOPLE
        ]
        taken = [row for job in jobs for row in job.result(timeout=300)]
    rows = store.connection.rows("SELECT id FROM judgements ORDER BY id")
    assert sorted(taken) == [row for (row,) in rows]
    overlap = design.get("overlap", 1)  # type: ignore[attr-defined]
    votes = dict(store.connection.rows("SELECT id, votes FROM campaign_pairs"))
    assert max(votes.values()) == overlap
    if "budget" in choice:
        given_to = "SELECT sum(votes) FROM campaign_pairs GROUP BY campaign_attribute"
        assert store.connection.rows(given_to) == [(40,), (40,)]
    elif "quota" not in design:
        assert {*votes.values()} == {overlap}
    else:
        for who in PEOPLE:
            assert Participation.find(store, campaign, who).count_given() <= 12
    report = store.connection.check()
    assert report["ok"], report


def answer_until_done(path, who, number, ready):
    """The rows of what one person answered; all begin at the same time."""
    (ready / who).touch()
    while len(list(ready.iterdir())) < len(PEOPLE):
        time.sleep(0.005)
    rows = []
    with Store(path) as store:
        campaigns.enrol(store, who)
        campaign = store.campaigns.get(number)
        while (shown := campaigns.present(store, campaign, who)) not in ENDED:
            if shown is NoQuestionReason.WAIT:
                time.sleep(0.002)
                continue
            taken = campaigns.answer(store, who, shown, Answer(Outcome.A))
            rows += [] if taken.check else [taken.row]
    return rows
