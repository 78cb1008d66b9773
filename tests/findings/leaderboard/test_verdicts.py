"""What a leaderboard says: its sentence, the one verdict, and which method it takes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from core.findings.judgements import Finding, Selection, choose_usual_judges, list_comparers
from core.findings.leaderboard import RankSettings, candidates, headline, leaderboard, state_verdict
from core.records import Kind
from core.store import Store
from tests.findings.leaderboard.test_cautions import voted
from tests.findings.people.voting import say, say_all
from tests.findings.tables import load
from tests.golden_text import approve
from tests.sentence_facts import find_sentences
from tests.study import DATASET, fill

# ---- What a leaderboard's sentence says, and when it names nobody. The figures are made up


NAMES = ("x", "y", "z")


def board(
    *, votes: int = 300, items: int = 40, own: int = 100, tied: tuple[str, ...] = (), **facts: Any
) -> Finding:
    """x has 65%, y 50%, z 35% of the points."""
    rows = pd.DataFrame({
        "system": NAMES, "rating": [0.65, 0.5, 0.35], "low": [0.6, 0.45, 0.3],
        "high": [0.7, 0.55, 0.4], "rank": [1, 2, 3], "judgements": own, "tied_with": [tied, (), ()],
    })  # fmt: skip
    known = {"connected": True, "method": "win-ratio", "items": items, "kinds": ["human"]}
    return Finding(rows, "", votes, facts={**known, **facts})


def test_who_leads_and_of_how_many() -> None:
    settled, both = {"verdict": "Settled: x leads."}, ["human", "llm"]
    cases = {
        "three systems": board(),
        "three annotators": board(**settled, verdict_is_own=True, tied=("y",), annotators=3),
        "people and models": board(**settled, verdict_is_own=False, kinds=both),
        "ties": board(tied=("y", "z"), kinds=both),
        "an item a vote": board(votes=300, items=300),
        "scores": board(
            of_scores=True, first_cautions=["Only 1 comparison joins x with the others."]
        ),
        "a baseline": board(kinds=["baseline"], judged_by=["baseline:longer"]),
        "two votes": board(votes=2, items=1),
        "repeated items": board(items=12, effective_items=1.6),
        "one vote of its own": board(own=1),
    }
    said = [f"{case}: {headline.headline(result)}" for case, result in cases.items()]
    approve("headlines", "\n".join(said))


def test_the_first_of_two_has_an_interval_and_the_first_of_more_has_none() -> None:
    """Of more than two, the first was chosen for being high. Unlinked systems have no leader."""
    two = board()
    two = replace(two, rows=two.rows.head(2))
    assert headline.headline(board(connected=False)).startswith("Nobody leads yet: ")
    assert headline.find_leaders(board(connected=False)) == []
    assert "65% (95% interval 60 to 70)" in headline.headline(two)
    assert "interval" not in headline.headline(board())
    # Methods that disagree are named, as on SummEval's head-to-head answers.
    ratio, strength = {"systems": ["x"], "rating": 0.65}, {"systems": ["z"], "rating": 1145.0}
    leaders = {"win-ratio": ratio, "bradley-terry": strength}
    assert headline.headline(board(leaders=leaders)).endswith(
        " Methods disagree about who leads: x by win ratio (65%); z by Bradley-Terry (1,145)."
    )
    agreeing = {**leaders, "bradley-terry": {"systems": ["x"], "rating": 1145.0}}
    assert "disagree" not in headline.headline(board(leaders=agreeing))


def test_people_and_judges_are_compared_only_where_both_have_enough() -> None:
    judges = board(kinds=["llm"])
    assert re.search(r"\bboth\b.*\bx first\b", headline.compare_headlines(board(), judges))
    judges.rows["system"] = ["z", "y", "x"]
    said = headline.compare_headlines(board(), judges)
    assert re.search(r"\bPeople\b.*\bx first, judges z\b", said)
    assert headline.compare_headlines(board(votes=29), judges) == ""


def test_votes_decide_only_where_the_other_one_could_lead() -> None:
    """A leader is named from ten answers of its own on; and where nobody leads, no votes decide it."""
    fact = {"votes": 2, "of": 300, "leader": "x", "instead": "y"}
    for facts, is_said in (
        ({}, True), ({"own": 9}, False), ({"connected": False}, False), ({"votes": 2}, False),
    ):  # fmt: skip
        result = board(**facts, deciding_votes=fact)
        assert bool(headline.describe_deciding(result)) == is_said
    few = board(deciding_votes=fact)
    few.rows.loc[1, "judgements"] = 9
    assert not headline.describe_deciding(few)


# ---- The one verdict: whether votes settle who leads, and the whole order


HERE = Selection(DATASET)
Chances = Mapping[tuple[str, str], float]
CLEAR = {("alpha", "beta"): 0.85, ("beta", "gamma"): 0.85, ("alpha", "gamma"): 0.97}
LEADING = {("alpha", "beta"): 0.97, ("beta", "gamma"): 0.5, ("alpha", "gamma"): 0.97}
CLOSE = {**CLEAR, ("alpha", "beta"): 0.6}


def vote(
    store: Store,
    chances: Chances,
    items: int,
    attribute: str = "coherence",
    seed: int = 1,
    named: Mapping[str, str] | None = None,
) -> None:
    """One vote of Ada on each item and pair; `chances` of the first, `named` as systems are."""
    fill(store, items=items, attributes=("coherence", "fluency"))
    rng = np.random.default_rng(seed)
    for pair, chance in chances.items():
        sides = tuple(named[name] if named else name for name in pair)
        said = np.where(rng.random(items) < chance, "a", "b").tolist()
        say_all(store, "Ada", range(items), sides, said.__getitem__, attribute=attribute)


def vote_on_two(store: Store, items: int, wins: Callable[[int], bool], who: str = "Ada") -> None:
    fill(store, items=items, systems=("alpha", "beta"))
    say_all(store, who, range(items), ("alpha", "beta"), lambda item: "ba"[wins(item)])


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
    study: Store, chances: Chances, says: str, leader_settled: bool, all_settled: bool
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
    """60 of 100 items say alpha: 60% less 40%."""
    vote_on_two(study, 100, lambda item: item < 60)
    row = state_verdict(study, HERE).rows.iloc[0]
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
    chances = dict(zip(CLEAR, rng.uniform(0.45, 0.95, 3), strict=True))
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
    with study.transaction():
        campaign = study.campaigns.add(DATASET, "second")
        study.campaigns.add_attribute(campaign, "coherence", overlap=2)
        for other, votes in ((2, 0), (3, 1)):
            study.connection.execute(
                """INSERT INTO campaign_pairs (campaign_attribute, generation_1, generation_2,
                    priority, votes) VALUES (1, 1, ?, 0, ?)""", (other, votes),
            )  # fmt: skip
    row = overall(state_verdict(study, HERE))
    assert row["planned"] == 3
    assert 0 <= row["planned_settle"] <= 0.5
    study.campaigns.set_status(campaign.id, "paused")
    assert overall(state_verdict(study, HERE))["planned"] == 0
    assert state_verdict(study, HERE, campaign.id).judgements == 0


# ---- Which method the comparisons choose, and whether methods agree about who leads


QUICK = RankSettings(bootstrap=0)


def test_win_ratio_where_all_met_each_other_equally_often(store: Store) -> None:
    voted(store, [("x", "y", "a", 10), ("y", "z", "a", 10), ("z", "x", "a", 11)])
    result = leaderboard(store, Selection("d"), QUICK)
    assert result.signature.startswith("win-ratio|")
    assert (result.facts["method"], result.facts["suited"]) == ("win-ratio", "win-ratio")
    assert "equally often" in result.facts["because"]
    assert result.facts["unevenness"] == pytest.approx(11 / 21 - 1 / 2)
    assert not [note for note in result.notes if note.startswith("Systems met")]


def test_bradley_terry_where_systems_met_different_opponents(store: Store) -> None:
    """x beats the weak w nine times of ten, and loses to y two times of three. By hand: win ratios
    10/13 of x, 2/3 of y; macro (9/10 + 1/3) / 2 = 0.62 of x, so y leads; strengths by 400 log10 of
    the odds of each link: w, w + 381.7, w + 502.1, with mean 1000.
    """
    votes = [("x", "w", "a", 9), ("x", "w", "b", 1), ("y", "x", "a", 2), ("y", "x", "b", 1)]
    voted(store, votes)
    result = leaderboard(store, Selection("d"), QUICK)
    assert result.signature.startswith("bradley-terry|")
    assert "different opponents" in result.facts["because"]
    leaders = {method: leader["systems"] for method, leader in result.facts["leaders"].items()}
    assert leaders == {"win-ratio": ["x"], "macro-win-ratio": ["y"], "bradley-terry": ["y"]}
    assert result.facts["leaders"]["win-ratio"]["rating"] == 10 / 13
    assert result.facts["leaders_agree"] is False
    [note] = find_sentences(result.notes, r"\bdisagree\b")
    assert re.search(r"\bx by win ratio \(77%\)", note)
    assert re.search(r"\by by macro win ratio \(67%\) and Bradley-Terry \(1,208\)", note)
    chosen = leaderboard(store, Selection("d"), RankSettings("win-ratio", bootstrap=0))
    assert (chosen.facts["because"], chosen.facts["suited"]) == (None, "bradley-terry")
    assert find_sentences(
        chosen.notes, r"\bdifferent opponents\b.*\bwin ratio\b.*\bBradley-Terry\b"
    )


def test_candidates_choose_by_item(store: Store) -> None:
    head = "item,left,right,text_a,text_b,winner,judge"
    for added, method in (
        (["i,x,y,1,2,a,Ada", "i,y,z,2,3,a,Ada", "i,x,z,1,3,a,Ada", "j,x,y,1,2,a,Ada"], "win-ratio"),
        (["j,y,z,2,3,a,Ada"], "bradley-terry"),
    ):
        load(store, [head, *added])
        assert candidates(store, Selection("d"), QUICK).facts["method"] == method


def test_both_bad_is_counted_for_itself(store: Store) -> None:
    """By hand: x in 5 comparisons, 2 of them both bad; y in 4 with 2; z in 3 with none."""
    bad = ("x", "y", "both_bad", 2)
    voted(store, [bad, ("x", "y", "a", 1), ("x", "z", "tie", 2), ("z", "y", "b", 1)])
    rows = leaderboard(store, Selection("d"), QUICK).rows.set_index("system")
    assert rows[["both_bad", "both_bad_n"]].T.to_dict("list") == {
        "x": [2, 5], "y": [2, 4], "z": [0, 3],
    }  # fmt: skip
    assert rows["both_bad_share"].to_dict() == {"x": 0.4, "y": 0.5, "z": 0.0}
    assert rows["ties"].to_dict() == {"x": 4, "y": 2, "z": 2}, "it is a tie as well"
    assert (rows["both_bad_low"] <= rows["both_bad_share"]).all()
    assert 0 < rows.loc["z", "both_bad_high"] < 1, "of three answers nothing is certain"
    # Without ties the figure is the same: it is of all answers.
    dropped = leaderboard(store, Selection("d"), RankSettings(ties="drop", bootstrap=0)).rows
    assert dropped.set_index("system").loc["x", ["both_bad", "both_bad_n"]].tolist() == [2, 5]
    rows = leaderboard(store, Selection("d", systems=("x", "z")), QUICK).rows
    assert rows["both_bad"].tolist() == [0, 0]
    assert rows["both_bad_share"].isna().all(), "it may not have been offered"
