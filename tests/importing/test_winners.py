"""What words for winners mean, as annotation tools and forms have them."""

from __future__ import annotations

from core.importing.winners import MIRRORED, NO_ANSWER, WINNERS, meaning_of, side_key
from core.records import Outcome

A, B, TIE, BAD = Outcome.A, Outcome.B, Outcome.TIE, Outcome.BOTH_BAD


def test_words_mean_an_outcome_and_how_much_better() -> None:
    for text, outcome, strength in [
        ("Response A is much better", A, 1.0),
        ("Response A is slightly better", A, 0.5),
        ("Response B is moderately better", B, 0.75),
        ("B is a little better", B, 0.5),
        ("A (much better)", A, 1.0),
        ("A slightly better (2)", A, 0.5),
        ("1 - A much better", A, 1.0),
        ("strongly prefer response 2", B, 1.0),
        ("I prefer A", A, None),
        ("Response 1 is much better than Response 2", A, 1.0),
        ("A is slightly worse", B, 0.5),
        ("A >> B", A, 1.0),
        ("A ≪ B", B, 1.0),
        ("B > A", B, None),
        ("B", B, None),
        ("About equal", TIE, None),
        ("3: about the same", TIE, None),
        ("No preference", TIE, None),
        ("Both", TIE, None),
        ("Both are good", TIE, None),
        ("Neither is better", TIE, None),
        ("Neither", BAD, None),
        ("Both are bad", BAD, None),
        ("Cannot determine", NO_ANSWER, None),
    ]:
        meaning = meaning_of(text)
        assert meaning is not None
        assert meaning == (outcome, strength)


def test_what_nobody_knows_means_nothing() -> None:
    for text in ["1", "-3", "yes", "won", "better", "much better", "gpt-4", "A or B"]:
        assert meaning_of(text) is None


def test_every_word_for_a_side_has_its_mirror() -> None:
    for word, outcome in WINNERS.items():
        if outcome in (A, B):
            assert {outcome, WINNERS[MIRRORED[word]]} == {A, B}
            assert MIRRORED[MIRRORED[word]] == word


def test_steps_are_read_alike_for_both_sides() -> None:
    for how in ["{} is much better", "{} (slightly better)", "prefer {}", "{}"]:
        for word, outcome in WINNERS.items():
            if outcome in (A, B) and word.isalnum():
                first, second = meaning_of(how.format(word)), meaning_of(how.format(MIRRORED[word]))
                assert first
                assert second
                assert (first.outcome, first.strength) == (outcome, second.strength)
                assert side_key(how.format(word)) == word
