"""Whether the order of the systems is settled."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from scipy.stats import norm

from core.findings.judgements import Selection
from core.findings.people import Scope, StopRule, stop
from core.records import TandemError
from tests.findings.people.voting import say
from tests.study import DATASET, fill

HERE = Scope(Selection(DATASET))


def vote(store, chances, items, attribute="coherence", seed=1):
    """One vote on each item and pair; `chances` are those of the first."""
    fill(store, items=items, attributes=("coherence", "fluency"))
    rng = np.random.default_rng(seed)
    with store.transaction():
        for pair, chance in chances.items():
            for item in range(items):
                said = "a" if rng.random() < chance else "b"
                say(store, "Ada", f"i{item}", pair, said, attribute=attribute)


CLEAR = {("alpha", "beta"): 0.85, ("beta", "gamma"): 0.85, ("alpha", "gamma"): 0.97}


def test_clear_systems_are_settled(study):
    vote(study, CLEAR, 80)
    result = stop(study, HERE)
    assert result.facts["settled"]
    assert re.match(r"Settled: .*\b3 systems\b.*\b95% .*\bwhenever\b", result.facts["sentence"])
    pairs = result.rows[["better", "worse", "is_apart"]].values.tolist()
    assert pairs == [["alpha", "beta", True], ["beta", "gamma", True]]
    assert result.tables["attributes"]["missing"].tolist() == [0]


def test_a_rule_of_certainty_asks_for_the_whole_order(study):
    vote(study, CLEAR, 80)
    result = stop(study, HERE, StopRule("certain", 0.9))
    assert re.match(r"Settled: .*\border\b.*\b3 systems\b.*\b90%", result.facts["sentence"])
    assert result.tables["attributes"]["p_order"].iloc[0] > 0.99


def test_a_close_pair_is_named_with_what_is_missing(study):
    vote(study, {**CLEAR, ("alpha", "beta"): 0.7}, 60)
    result = stop(study, HERE)
    assert not result.facts["settled"]
    said = result.facts["sentence"]
    assert said.startswith("Not settled: alpha and beta are closest. About ")
    table = result.tables["attributes"].iloc[0]
    assert 1 <= table["missing_low"] <= table["missing"] <= table["missing_high"]


def test_two_systems_against_the_closed_form(study):
    """60 of 100 items say alpha: log odds 0.405, with a standard error of about
    sqrt(1 / (100 x 0.6 x 0.4)) = 0.204, so that z is 1.99 less what half a win each way takes.
    """
    fill(study, items=100, systems=("alpha", "beta"))
    with study.transaction():
        for item in range(100):
            say(study, "Ada", f"i{item}", ("alpha", "beta"), "a" if item < 60 else "b")
    row = stop(study, HERE).rows.iloc[0]
    assert row["p_better"] == pytest.approx(norm.cdf(1.95), abs=0.01)
    assert row["diff"] == pytest.approx(400 / math.log(10) * math.log(60.5 / 40.5), rel=0.02)


def test_equal_systems_are_not_promised_to_part(study):
    fill(study, items=200, systems=("alpha", "beta"))
    with study.transaction():
        for item in range(200):
            say(study, "Ada", f"i{item}", ("alpha", "beta"), "ab"[item % 2])
    result = stop(study, HERE)
    assert re.match(
        r"Not settled\b.*\b1,000 more votes\b.*\balpha and beta\b", result.facts["sentence"]
    )
    assert not result.facts["settled"]


def test_each_attribute_is_settled_for_itself(study):
    vote(study, CLEAR, 80)
    vote(study, {**CLEAR, ("alpha", "beta"): 0.55}, 80, "fluency", seed=2)
    result = stop(study, HERE)
    table = result.tables["attributes"]
    assert table[["attribute", "settled"]].values.tolist() == [
        ["coherence", True],
        ["fluency", False],
    ]
    assert not result.facts["settled"]
    assert re.search(r"\bfluency: Not settled\b", result.facts["sentence"])
    assert "coherence: Not" not in result.facts["sentence"]


def test_who_is_excluded_settles_nothing(study):
    vote(study, CLEAR, 80)
    study.exclusions.add(DATASET, "Ada", reason="clicks", by="Eve")
    result = stop(study, HERE)
    assert not result.facts["settled"]
    assert result.facts["sentence"].startswith("Nobody ")


def test_one_item_is_too_few(study):
    say(study, "Ada", "i0", ("alpha", "beta"), "a")
    assert stop(study, HERE).facts["sentence"].startswith("Too few votes to say")


def test_what_campaigns_still_ask_for(study):
    vote(study, {**CLEAR, ("alpha", "beta"): 0.6}, 60)
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
    table = stop(study, HERE).tables["attributes"].iloc[0]
    assert table["planned"] == 3
    assert 0 <= table["planned_settle"] <= 0.5
    study.campaigns.set_status(campaign.id, "paused")
    assert stop(study, HERE).tables["attributes"].iloc[0]["planned"] == 0


@pytest.mark.parametrize(
    ("words", "says"),
    [(("never",), "unknown rule 'never'"), (("apart", 0.4), "level 0.4 is not between")],
)
def test_a_rule_that_is_none(words, says):
    with pytest.raises(TandemError, match=says):
        StopRule(*words)
