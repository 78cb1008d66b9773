"""What a leaderboard's sentence says, and when it names nobody. The figures are made up."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pandas as pd

from core.findings.judgements import Finding
from core.findings.leaderboard import headline

NAMES = ("x", "y", "z")


def board(
    *, votes: int = 300, items: int = 40, own: int = 100, tied: tuple[str, ...] = (), **facts: Any
) -> Finding:
    """x has 65%, y 50%, z 35% of the points."""
    rows = pd.DataFrame(
        {
            "system": NAMES,
            "rating": [0.65, 0.5, 0.35],
            "low": [0.6, 0.45, 0.3],
            "high": [0.7, 0.55, 0.4],
            "rank": [1, 2, 3],
            "judgements": own,
            "tied_with": [tied, (), ()],
        }
    )
    known = {"connected": True, "method": "win-ratio", "items": items, "kinds": ["human"]}
    return Finding(rows, "", votes, facts={**known, **facts})


def test_who_leads_and_of_how_many() -> None:
    for result, sentence in (
        (board(), "x leads with 65% by win ratio, from 300 human votes on 40 items."),
        (
            board(verdict="Settled: x leads.", verdict_is_own=True, tied=("y",), annotators=3),
            "x leads with 65% by win ratio, from 300 human votes on 40 items by these three "
            "annotators. Settled: x leads.",
        ),
        (
            board(verdict="Settled: x leads.", verdict_is_own=False, kinds=["human", "llm"]),
            "x leads with 65% by win ratio, from 300 answers on 40 items.",
        ),
        (
            board(tied=("y", "z"), kinds=["human", "llm"]),
            "x leads with 65% by win ratio, from 300 answers on 40 items. "
            "That is not certain: y and z may be as good.",
        ),
        (board(votes=300, items=300), "x leads with 65% by win ratio, from 300 human votes."),
        (
            board(of_scores=True, first_cautions=["Only 1 comparison joins x with the others."]),
            "x leads with 65% by win ratio, from 300 comparisons on 40 items. Only 1 comparison "
            "joins x with the others.",
        ),
        (
            board(kinds=["baseline"], judged_by=["baseline:longer"]),
            "x leads with 65% by win ratio, from 300 answers of "
            "baseline:longer on 40 items. Baselines follow a rule: this is nobody's opinion of the texts.",
        ),
        (
            board(votes=2, items=1),
            "2 human votes and 1 item so far; a leader is named from 30 votes and 10 items on.",
        ),
        (
            board(items=12, effective_items=1.6),
            "12 items, as good as 1.6, so far; a leader is named from 10 on.",
        ),
        (
            board(own=1),
            "x has the highest rating, but from 1 human vote only. A leader is named from 10 of "
            "its own on.",
        ),
    ):
        assert headline.headline(result) == sentence


def test_the_first_of_two_has_an_interval_and_the_first_of_more_has_none() -> None:
    """Of more than two, the first was chosen for being high. Unlinked systems have no leader."""
    two = board()
    two = replace(two, rows=two.rows.head(2))
    assert headline.headline(board(connected=False)).startswith("Nobody leads yet: ")
    assert headline.find_leaders(board(connected=False)) == []
    assert "65% (95% interval 60 to 70)" in headline.headline(two)
    assert "interval" not in headline.headline(board())


def test_methods_that_disagree_are_named_with_their_leaders() -> None:
    """As on SummEval's head-to-head answers."""
    leaders = {
        "win-ratio": {"systems": ["x"], "rating": 0.65},
        "bradley-terry": {"systems": ["z"], "rating": 1145.0},
    }
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
