"""What a server's likeliest tokens say about the label words, by sums done by hand."""

from __future__ import annotations

import math

import pytest

from core.judging.forms import read_verdict
from core.judging.judges.readings import (
    decide_by_probabilities,
    decide_by_votes,
    label_probabilities,
)
from core.models.served.completion import Position
from core.records import Outcome

LABELS = ("Summary A", "Summary B")


def reply(*tokens):
    """Each token with what else could have stood there: "x" or ("x", {"x": 0.6, "y": 0.3})."""
    positions = []
    for token in tokens:
        said, top = (token, {token: 1.0}) if isinstance(token, str) else token
        positions.append(Position(said, tuple((other, math.log(p)) for other, p in top.items())))
    return positions


def probabilities_of(positions, labels=LABELS, form="label-first"):
    wrote = "".join(position.token for position in positions) or "Summary A"
    return label_probabilities(positions, read_verdict(wrote, labels, form), labels)


def test_by_hand() -> None:
    reason = (".", " Summary", (" B", {" B": 1}), " rhymes.")
    for positions, p in [
        # The whole label; its last word decides.
        (reply("Summary", (" A", {" A": 0.7, " B": 0.2, " C": 0.1})), [0.7, 0.2]),
        (reply("Summary", (" B", {" B": 0.7, " A": 0.2})), [0.2, 0.7]),
        # Tokens that say the same are summed.
        (reply("Summary", (" A", {" A": 0.5, " A.": 0.1, " A**": 0.05, " B": 0.2, " b": 0.1})),
         [0.65, 0.3]),
        # The letter alone, also in ways the others say it; what does not decide counts for nobody.
        (reply(("A", {"A": 0.4, "B": 0.3, " B": 0.1, "Summary": 0.15, "The": 0.05})), [0.4, 0.4]),
        (reply(("A", {"A": 0.6, "As": 0.2, "Both": 0.1, "B": 0.1}), "."), [0.6, 0.1]),
        # Markdown, an introduction, an end of text.
        (reply("**", "Summary", (" A", {" A": 0.7, " B": 0.2}), "**"), [0.7, 0.2]),
        # A reason that names the other label after it, and a verdict that is stated last.
        (reply("Summary", (" A", {" A": 0.842, " B": 0.158}), *reason), [0.842, 0.158]),
        (reply("Answer", ":", (" B", {" B": 0.8, " A": 0.2})), [0.2, 0.8]),
        # No other label among the likeliest: it has probability 0.
        (reply("Summary", (" A", {" A": 0.999})), [0.999, 0.0]),
        # No probabilities where it is stated, or not stated within what came.
        ([], None),
        ([Position("Summary A", ())], None),
    ]:  # fmt: skip
        assert probabilities_of(positions) == (None if p is None else pytest.approx(p))


def test_of_the_verdicts_own_token_in_every_form() -> None:
    for form, positions, p in [
        ("verdict-last", reply("Summary", " A", " is", " livelier", ".\n", "Verdict", ":", " Summary",
                               (" B", {" B": 0.7, " A": 0.3})), [0.3, 0.7]),
        ("brackets", reply("B is short. ", "[[", ("A", {"A": 0.9, "B": 0.1}), "]]"), [0.9, 0.1]),
        ("brackets", reply("so ", ("[[A", {"[[A": 0.6, "[[B": 0.4}), "]]"), [0.6, 0.4]),
        ("json", reply('{"reason": "B rhymes", ', '"verdict": "', "Summary",
                       (" B", {" B": 0.8, " A": 0.2}), '"}'), [0.2, 0.8]),
    ]:  # fmt: skip
        assert probabilities_of(positions, form=form) == pytest.approx(p)


def test_a_tie_is_told_from_both_by_an_earlier_token() -> None:
    positions = reply(("Summary", {"Summary": 0.8, "Tie": 0.2}), (" A", {" A": 0.75, " B": 0.25}))
    found = probabilities_of(positions, (*LABELS, "Tie"))
    assert found == pytest.approx([0.6, 0.2, 0.2])


def test_of_other_labels() -> None:
    first = ("Pos", {"Pos": 0.6, "Neg": 0.3, "Ne": 0.05, "P": 0.02, "The": 0.03})
    found = probabilities_of(reply(first, ("itive", {"itive": 1.0})), ("Positive", "Negative"))
    assert found == pytest.approx([0.62, 0.35])
    # A beginning that both share decides nothing.
    positions = reply(("un", {"un": 1.0}), ("clear", {"clear": 0.7, "even": 0.3}))
    assert probabilities_of(positions, ("unclear", "uneven")) == pytest.approx([0.7, 0.3])
    # Mirrored labels mirror the answer.
    positions = reply("Summary", (" A", {" A": 0.7, " B": 0.2}))
    assert probabilities_of(positions, LABELS[::-1]) == probabilities_of(positions)[::-1]


# ---- What chosen labels come to, counted by hand


A, B, TIE = 0, 1, 2


def test_votes() -> None:
    for votes, outcome, p in [
        ([A, A, B], Outcome.A, 2 / 3),
        ([B], Outcome.B, 0.0),
        ([A, B], Outcome.TIE, 0.5),
        ([A, TIE, TIE], Outcome.TIE, 2 / 3),
        ([A, A, TIE], Outcome.A, 5 / 6),
        ([A, A, B, TIE, TIE], Outcome.A, 0.6),
        ([TIE], Outcome.TIE, 0.5),
    ]:
        answer = decide_by_votes(votes)
        assert (answer.outcome, answer.votes) == (outcome, len(votes))
        assert answer.prob_a == pytest.approx(p)
        swapped = decide_by_votes([{A: B, B: A}.get(vote, vote) for vote in votes])
        assert swapped.prob_a == pytest.approx(1 - p)
        assert swapped.outcome.points == 1 - outcome.points
    with pytest.raises(ValueError, match="no vote"):
        decide_by_votes([])


def test_probabilities() -> None:
    for chances, outcome, p in [
        ((0.3, 0.1), Outcome.A, 0.75),
        ((0.2, 0.2), Outcome.TIE, 0.5),
        ((0.0, 0.4), Outcome.B, 0.0),
        ((0.3, 0.1, 0.2), Outcome.A, 0.75),
        ((0.3, 0.1, 0.5), Outcome.TIE, 0.75),
        ((0.0, 0.0, 0.5), Outcome.TIE, None),
    ]:
        answer = decide_by_probabilities(*chances)
        assert (answer.outcome, answer.prob_a) == (outcome, p if p is None else pytest.approx(p))
