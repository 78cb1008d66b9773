"""How many more votes settle the ranks, on a small study: what a plan must hold to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest

from core.findings.chart import PLAN_PICTURE as PICTURE
from core.findings.combine import CombineSettings, combine
from core.findings.judgements import Finding, Selection
from core.findings.plan import PlanSettings, _describe_votes_alone, plan
from core.records import Kind, TandemError
from core.store import Store
from tests.findings.combine.studies import SYSTEMS, begin, vote_all
from tests.study import DATASET, fill


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store(tmp_path_factory.mktemp("study") / "s.sqlite3") as store:
        yield begin(store)


def planned(store: Store, **settings: Any) -> Finding:
    return plan(store, Selection(DATASET), PlanSettings(**settings))


def settle(store: Store, wins: dict[tuple[str, str], float], otherwise: float) -> None:
    """Ada and a model on all pairs of 40 items: how often the first of two systems wins."""
    fill(store, items=40, systems=SYSTEMS)
    for pair in combinations(SYSTEMS, 2):
        for who, kind in (("Ada", Kind.HUMAN), ("model", Kind.LLM)):
            vote_all(store, who, range(40), [pair], wins.get(pair, otherwise), kind)


def test_judges_never_cost_votes_and_more_votes_settle_more(study: Store) -> None:
    """45 of 120 pairs have votes: beyond 75 more it takes new items."""
    result = planned(study, top=1)
    curve, needed = result.rows, result.tables["needed"].set_index("way")
    both, alone = (curve[curve["way"] == way].reset_index() for way in ("together", "people"))
    rows = combine(study, Selection(DATASET), CombineSettings()).rows
    assert rows["rank_low"].iloc[0] == 1 < rows["rank_high"].iloc[0]
    assert result.facts["now"] == 0
    assert (needed.loc[["together", "judges"], ["low", "more"]].to_numpy() > 0).all()
    assert (both["settled"] >= alone["settled"]).all()
    assert (both["votes"] - both["more"] == 45).all()
    assert both["new_items"].tolist() == (both["more"] > 75).tolist()
    assert both["settled"].iloc[-1] > both["settled"].iloc[0] == result.facts["now"]
    assert needed.loc["together", "more"] <= needed.loc["people", "more"]
    low, middle, high = needed.loc["together", ["low", "more", "high"]]
    assert low <= middle <= high
    assert (needed["more_always"] > needed["more"])["people"], "looking often costs votes"
    assert (curve["settled_always"] <= curve["settled"] + 0.02).all()
    with pytest.raises(TandemError, match=r"^top is 9\b.*\b3 systems\b.*\b1 to 3\b"):
        planned(study, top=9)


def test_what_is_settled_now_says_so_and_what_never_is_too(store: Store) -> None:
    """Everybody prefers gamma on all 40 items, and alpha and beta are as good as each other."""
    settle(store, {("alpha", "gamma"): 0.0, ("beta", "gamma"): 0.0}, 0.5)
    alone = planned(store, top=1).facts
    verdict, one = alone["sentences"]
    assert verdict == alone["verdict"]
    assert re.search(r"\bno more votes for rank 1 at 95%", one)
    result = planned(store)
    verdict, *said = result.facts["sentences"]
    assert verdict.startswith("Settled: gamma leads. ")
    assert re.search(r"\bnot expected\b.*\branks 1 to 3 at 95%", said[0])
    assert re.match(r"With votes alone\b.*\bnot expected\b.* 0%\.$", said[1])
    assert re.match(r"Without more votes\b.*\bjudges\b.*\bnot expected\b.* 0%\.$", said[2])
    never = pd.Series({"more": np.inf, "chance": 0.36, "most": 2400})
    told = _describe_votes_alone(never)  # a chance that stays below one half
    assert re.match(r"With votes alone\b.*\b2,400 more votes\b.*\bonly 36%\.$", told)


def test_systems_that_always_win_are_settled_as_combine_ranks_them(store: Store) -> None:
    """gamma beats alpha on all 40 items: a win ratio of 1 and one of 0, without any variance."""
    settle(store, {}, 0.0)
    result = planned(store)
    verdict, said = result.facts["sentences"]
    assert verdict == result.facts["verdict"]
    assert re.search(r"\bno more votes for ranks 1 to 3 at 95%", said)
    assert (result.rows["settled"] == 1).all()
    needed = result.tables["needed"]
    assert needed["way"].tolist() == ["together", "people", "judges"]
    assert (needed[["more", "chance"]].to_numpy() == [0, 1]).all()
    two = Selection(DATASET, systems=SYSTEMS[:2])
    assert (plan(store, two, PlanSettings()).rows["settled"] == 1).all()


def test_a_plan_has_a_picture_and_refuses_what_makes_no_sense() -> None:
    rows = pd.DataFrame({"way": ["together", "people"], "votes": 10, "more": 0, "answers": 0})
    rows = rows.assign(settled=[0.5, 0.4], new_items=[False, True])
    assert "at 95%" in str(PICTURE.draw(rows, {}, "dark").to_dict())
    with pytest.raises(TandemError, match=r"^top is 0\b.*\bleast 1$"):
        PlanSettings(top=0)
