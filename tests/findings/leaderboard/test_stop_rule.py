"""The one verdict: whether votes settle who leads, and the whole order."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from core.findings.judgements import Finding, Selection, choose_usual_judges, list_comparers
from core.findings.leaderboard import state_verdict
from core.records import Kind
from core.store import Store
from tests.findings.people.voting import say
from tests.study import DATASET, fill

HERE = Selection(DATASET)
CLEAR = {("alpha", "beta"): 0.85, ("beta", "gamma"): 0.85, ("alpha", "gamma"): 0.97}
LEADING = {("alpha", "beta"): 0.97, ("beta", "gamma"): 0.5, ("alpha", "gamma"): 0.97}
CLOSE = {**CLEAR, ("alpha", "beta"): 0.6}


def vote(
    store: Store,
    chances: Mapping[tuple[str, str], float],
    items: int,
    attribute: str = "coherence",
    seed: int = 1,
    named: Mapping[str, str] | None = None,
) -> None:
    """One vote of Ada on each item and pair; `chances` of the first, `named` as systems are."""
    fill(store, items=items, attributes=("coherence", "fluency"))
    rng = np.random.default_rng(seed)
    with store.transaction():
        for pair, chance in chances.items():
            sides = tuple(named[name] if named else name for name in pair)
            for item in range(items):
                said = "a" if rng.random() < chance else "b"
                say(store, "Ada", f"i{item}", sides, said, attribute=attribute)


def vote_on_two(store: Store, items: int, wins: Callable[[int], bool], who: str = "Ada") -> None:
    fill(store, items=items, systems=("alpha", "beta"))
    with store.transaction():
        for item in range(items):
            say(store, who, f"i{item}", ("alpha", "beta"), "a" if wins(item) else "b")


def overall(result: Finding) -> dict[str, Any]:
    return result.tables["attributes"].iloc[0].to_dict()


@pytest.mark.parametrize(
    ("chances", "says", "leader_settled", "all_settled"),
    [
        (CLEAR, "Settled: alpha leads, and all three systems are told apart.", True, True),
        (LEADING, "Settled: alpha leads. ", True, False),
        (CLOSE, "Not settled: alpha is ahead, and beta may be as good. ", False, False),
    ],
)
def test_a_leader_is_settled_before_the_whole_order_is(
    study: Store,
    chances: dict[tuple[str, str], float],
    says: str,
    leader_settled: bool,
    all_settled: bool,
) -> None:
    vote(study, chances, 80)
    result = state_verdict(study, HERE)
    facts, row = result.facts, overall(result)
    assert facts["sentence"].startswith(says)
    assert (facts["leader_settled"], facts["settled"]) == (leader_settled, all_settled)
    assert (row["leader_missing"] == 0, row["missing"] == 0) == (leader_settled, all_settled)
    assert row["leader_missing_low"] <= row["leader_missing"] <= row["leader_missing_high"]
    assert row["missing_low"] <= row["missing"] <= row["missing_high"]
    assert row["leader_missing"] <= row["missing"]
    assert result.rows["is_apart"].all() == all_settled


def test_two_systems_against_the_closed_form(study: Store) -> None:
    """60 of 100 items say alpha: 60% less 40%, standard error 2 sqrt(0.6 x 0.4 / 100)."""
    vote_on_two(study, 100, lambda item: item < 60)
    row = state_verdict(study, HERE).rows.iloc[0]
    assert row["p_better"] == pytest.approx(norm.cdf(0.2 / 0.098), abs=0.01)
    assert (row["diff"], row["is_apart"]) == (pytest.approx(0.2), False)


def test_who_wins_every_item_is_settled_after_twenty(study: Store) -> None:
    """Bradley-Terry alone would never say so: the strengths have no bound."""
    vote_on_two(study, 20, lambda item: True)
    facts = state_verdict(study, HERE).facts
    assert not facts["settled"]
    assert re.match(r"Not settled\b.*\b20\b", facts["sentence"])
    vote_on_two(study, 20, lambda item: True, "Ben")
    facts = state_verdict(study, HERE).facts
    assert (facts["leader"], facts["settled"]) == ("alpha", True)
    assert re.match(r"Settled\b.*\balpha\b.*\bbeta\b", facts["sentence"])


def test_equal_systems_are_not_expected_to_part(study: Store) -> None:
    vote_on_two(study, 200, lambda item: item % 2 == 0)
    facts = state_verdict(study, HERE).facts
    assert not facts["settled"]
    assert "1,000 more votes" in facts["sentence"]


def test_each_attribute_has_its_row_after_all_together(study: Store) -> None:
    vote(study, CLEAR, 80)
    vote(study, {**CLEAR, ("alpha", "beta"): 0.55}, 80, "fluency", seed=2)
    result = state_verdict(study, HERE)
    table = result.tables["attributes"]
    assert table["attribute"].tolist()[1:] == ["coherence", "fluency"]
    assert table["settled"].tolist()[1:] == [True, False]
    assert result.facts["settled"] == table["settled"].iloc[0]
    for name in ("coherence", "fluency"):
        alone = overall(state_verdict(study, Selection(DATASET, attribute=name)))
        row = table[table["attribute"] == name].iloc[0]
        assert alone["missing"] == row["missing"], "a filter changes no verdict"


@pytest.mark.parametrize("seed", range(3))
def test_a_settled_leader_is_first_and_ahead_of_all_and_names_do_not_matter(
    tmp_path: Path, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    names = ("alpha", "beta", "gamma")
    pairs = (("alpha", "beta"), ("beta", "gamma"), ("alpha", "gamma"))
    chances = dict(zip(pairs, rng.uniform(0.45, 0.95, 3), strict=True))
    verdicts = []
    for number, called in enumerate(list(permutations(names))[:: 3 if seed else 1]):
        with Store(tmp_path / f"{seed}-{number}.sqlite3") as store:
            vote(store, chances, 60, seed=seed, named=dict(zip(names, called, strict=True)))
            result = state_verdict(store, HERE)
        back = dict(zip(called, names, strict=True))
        order = [back[name] for name in [*result.rows["better"], *result.rows["worse"].iloc[-1:]]]
        facts = result.facts
        assert back[facts["leader"]] == order[0]
        assert facts["leader_settled"] >= facts["settled"]
        assert facts["settled"] == result.rows["is_apart"].all()
        assert not facts["leader_settled"] or result.rows["is_apart"].iloc[0]
        verdicts.append((order, facts["leader_settled"], facts["settled"]))
    assert all(verdict == verdicts[0] for verdict in verdicts)


def test_who_is_excluded_settles_nothing_and_one_item_is_too_few(study: Store) -> None:
    say(study, "Ada", "i0", ("alpha", "beta"), "a")
    assert state_verdict(study, HERE).facts["sentence"].startswith("Not settled: ")
    study.exclusions.add(DATASET, "Ada", reason="clicks", by="Eve")
    facts = state_verdict(study, HERE).facts
    assert re.match(r"Nobody\b", facts.pop("sentence"))  # type: ignore[attr-defined]
    assert facts == {"leader": None, "leader_settled": False, "settled": False}


def test_people_come_before_models_and_what_campaigns_ask_for_is_counted(study: Store) -> None:
    vote(study, CLOSE, 60)
    assert choose_usual_judges(list_comparers(study, DATASET)) == (Kind.HUMAN,)
    db = study.connection
    with study.transaction():
        campaign = study.campaigns.add(DATASET, "second")
        db.execute(
            """INSERT INTO campaign_attributes (campaign, attribute, strategy, overlap, created_at)
            VALUES (?, 1, 'full', 2, 'now')""",
            (campaign.id,),
        )
        for other, votes in ((2, 0), (3, 1)):
            db.execute(
                """INSERT INTO campaign_pairs (campaign_attribute, generation_1, generation_2,
                    priority, votes) VALUES (1, 1, ?, 0, ?)""",
                (other, votes),
            )
    row = overall(state_verdict(study, HERE))
    assert row["planned"] == 3
    assert 0 <= row["planned_settle"] <= 0.5
    study.campaigns.set_status(campaign.id, "paused")
    assert overall(state_verdict(study, HERE))["planned"] == 0
    assert state_verdict(study, HERE, campaign.id).judgements == 0
