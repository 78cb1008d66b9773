"""Meanings of the values of a winner column that does not explain them itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

from ..records import Outcome, TandemError, option_ref
from .cells import quote_value

_NUMBER = r"[+-]?(?:\d++(?:[.,]\d+)?|[.,]\d+)"
_RANGE = re.compile(rf"\s*({_NUMBER})\.\.({_NUMBER})\s*")
# Words that say that somebody won, but not who.
UNCERTAIN = frozenset(
    ("win", "wins", "won", "winner", "lose", "loses", "lost", "loss", "loser", "better", "worse",
     "yes", "no", "true", "false", "y", "n", "w", "l", "+", "-", ">", "<", "chosen", "rejected",
     "positive", "negative", "good", "bad", "preferred")
)  # fmt: skip
SHOWN = 8  # values that a sentence repeats
SYSTEM, SIDE, TEXT = "system", "side", "text"
MEANS = {SYSTEM: "systems", SIDE: "sides", TEXT: "texts"}
"""What a winner column may hold."""
NO_ANSWER = "no-answer"
Meaning = Outcome | str
"""What a cell of a winner column says: an outcome, or NO_ANSWER."""
MEANINGS: dict[str, Meaning] = {
    "first": Outcome.A,
    "second": Outcome.B,
    "tie": Outcome.TIE,
    "both_bad": Outcome.BOTH_BAD,
    "no_answer": NO_ANSWER,
}
"""The lists of values of Codes, and what these mean."""
SETTINGS = {"first": "first_wins", "second": "second_wins"}  # others are called as their lists are


@dataclass(frozen=True)
class Codes:
    """The values that mean that the first system won, that the second did, a tie, that both are
    bad, and that nobody answered; and what the other values name: one of MEANS, where they could be
    read as two of them.

    A value is a word, a number, or a range of numbers such as `1..3` with both its ends; a value
    listed on its own takes precedence over a range. Raises TandemError where a value has two
    meanings.
    """

    first: tuple[str, ...] = ()
    second: tuple[str, ...] = ()
    tie: tuple[str, ...] = ()
    means: str = ""
    both_bad: tuple[str, ...] = ()
    no_answer: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.means not in ("", *MEANS):
            raise TandemError(
                f"{option_ref('winner_means')} is {self.means!r}, which is none of "
                f"{', '.join(MEANS)}"
            )
        single = self._single
        for (value, low, high, meaning), (_, other_low, other_high, other) in permutations(
            self._ranges, 2
        ):
            begin, end = max(low, other_low), min(high, other_high)
            is_settled = begin == end and normalise_value(f"{begin:.12g}") in single
            if other != meaning and begin <= end and not is_settled:
                self._refuse(value)

    def __bool__(self) -> bool:
        return any(getattr(self, name) for name in MEANINGS)

    def outcome(self, text: str) -> Meaning | None:
        """Return the meaning of a cell, or None if no meaning was given."""
        meaning, value = self._single.get(normalise_value(text)), decimal(text)
        if meaning is not None or value is None:
            return meaning
        meant = {outcome for _, low, high, outcome in self._ranges if low <= value <= high}
        return meant.pop() if len(meant) == 1 else None

    def settings(self) -> str:
        """Return the option that gives each value its meaning, named by `option_ref`."""
        means = [f"{option_ref('winner_means')} {self.means}"] if self.means else []
        values = (
            f"{option_ref(SETTINGS.get(name, name))}{'=' if value.startswith('-') else ' '}"
            + (value if re.fullmatch(r"[\w.,+=-]+", value) else f'"{value}"')
            for name in MEANINGS
            for value in getattr(self, name)
        )
        return " ".join([*values, *means])

    def _list_values(self) -> Iterator[tuple[str, Meaning]]:
        for name, meaning in MEANINGS.items():
            for value in getattr(self, name):
                yield value, meaning

    @cached_property
    def _single(self) -> dict[str, Meaning]:
        single: dict[str, Meaning] = {}
        for value, outcome in self._list_values():
            if (
                not _RANGE.fullmatch(value)
                and single.setdefault(normalise_value(value), outcome) != outcome
            ):
                self._refuse(value)
        return single

    @cached_property
    def _ranges(self) -> list[tuple[str, float, float, Meaning]]:
        ranges = []
        for value, outcome in self._list_values():
            if match := _RANGE.fullmatch(value):
                low, high = (decimal(bound) or 0.0 for bound in match.groups())
                if low > high:
                    raise TandemError(
                        f"the range {value} ends before it begins; write {high:g}..{low:g}"
                    )
                ranges.append((value, low, high, outcome))
        return ranges

    def _refuse(self, value: str) -> None:
        raise TandemError(
            f"{value!r} has two meanings in {self.settings()}; give each value one of them"
        )


class UncertainError(TandemError):
    """A winner column whose `values` may mean this or that. `readings` are the likely ones; `sides`
    is what to call the two systems.
    """

    def __init__(
        self,
        sentence: str,
        sides: tuple[str, str],
        readings: Sequence[Codes] = (),
        values: Iterable[str] = (),
    ) -> None:
        super().__init__(sentence)
        self.sides, self.readings, self.values = sides, tuple(readings), tuple(values)


def make_uncertain_error(
    file: str,
    column: str,
    values: Iterable[str],
    sides: tuple[str, str],
    codes: Codes,
    means: Sequence[str] = (),
) -> UncertainError:
    """Return the refusal of a column that holds these values, with the likely readings of them and
    how each is chosen. `sides` is what to call the two systems; `codes` what was said already.
    Where the values can be read in several ways that disagree, these are `means`, of MEANS.
    """
    stated = dict.fromkeys(value.strip() for value in values)
    distinct = [value for value in stated if value and (means or not codes.outcome(value))]
    numbers = sorted({number for value in distinct if (number := decimal(value)) is not None})
    words = [value for value in distinct if decimal(value) is None]
    of_sides = _read_numbers(numbers) if numbers else []
    if means:
        readings = [
            reading
            for each in means
            for reading in (of_sides if each == SIDE and of_sides else [Codes(means=each)])
        ]
    elif codes:
        readings = []
    else:
        readings = of_sides or (_list_both_ways(*words) if len(words) == 2 else [])
    shown = [f"{number:g}" for number in numbers] if numbers and not means else []
    shown = shown or [quote_value(word) for word in (distinct if means else words)]
    listed = ", ".join(shown[:SHOWN]) + (" ..." if len(shown) > SHOWN else "")
    ways = "; ".join(
        f"if {described(reading, sides)}: {reading.settings()}" for reading in readings
    ) or (
        f"say it with {option_ref('first_wins')} VALUE, {option_ref('second_wins')} VALUE and "
        f"{option_ref('tie')} VALUE"
    )
    nouns = " or ".join(MEANS[each] for each in means)
    question = (
        f"{'whether' if means else 'what'} {listed} in column {quote_value(column)} mean {nouns}"
    )
    sentence = f"{file}: {question.rstrip()} is not certain; {ways}"
    return UncertainError(sentence, sides, readings, distinct)


def described(codes: Codes, sides: tuple[str, str]) -> str:
    """Return a reading in words: "1 = model_a, 0 = model_b"."""
    if codes.means:
        return f"they name {MEANS[codes.means]}"
    names = (*sides, "a tie", "both bad", "no answer")
    values = (getattr(codes, meaning) for meaning in MEANINGS)
    said = zip(names, values, strict=True)
    return ", ".join(f"{' or '.join(each)} = {name}" for name, each in said if each)


def normalise_value(text: str) -> str:
    """Return a value without what people write differently: "1.0" and "1" are one, so are "Win" and
    "win ".
    """
    value = decimal(text)
    return text.strip().casefold() if value is None else f"{value + 0.0:.12g}"


def decimal(text: str) -> float | None:
    """Return the number a cell holds, with a point or a comma; None where it holds none."""
    if not re.fullmatch(rf"\s*(?:{_NUMBER}|\d++\.)(?:[eE][+-]?\d+)?\s*", text):
        return None
    return float(text.replace(",", ".")) or 0.0


def _read_numbers(numbers: Sequence[float]) -> list[Codes]:
    low, high = numbers[0], numbers[-1]
    if len(numbers) == 1:
        return [Codes(first=(f"{low:g}",)), Codes(second=(f"{low:g}",))]
    if set(numbers) == {0, 1, 2}:
        orders = (("1", "2", "0"), ("0", "1", "2"), ("0", "2", "1"))
        return [Codes((first,), (second,), (tie,)) for first, second, tie in orders]
    if len(numbers) == 2:
        return _list_both_ways(f"{low:g}", f"{high:g}")
    if low < 0:
        low, high = -max(high, -low), max(high, -low)
    elif high <= 1:
        low, high = 0.0, 1.0
    elif low >= 1 and high <= 2:
        low, high = 1.0, 2.0
    middle = (low + high) / 2
    if len(numbers) == 3 and numbers[1] == middle:
        return _list_both_ways(f"{low:g}", f"{high:g}", f"{middle:g}")
    return _list_both_ways(f"{low:g}..{middle:g}", f"{middle:g}..{high:g}", f"{middle:g}")


def _list_both_ways(one: str, other: str, *tie: str) -> list[Codes]:
    return [Codes((one,), (other,), tie), Codes((other,), (one,), tie)]
