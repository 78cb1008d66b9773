"""Questionnaires: the few questions that participants answer before and after their pairs."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from ..records import TandemError, option_ref

MOST_FIELDS = 20
LONGEST_QUESTION = 300
LONGEST_ANSWER = 2000
_KIND = re.compile(
    r"(?P<text>text)|choice:(?P<choices>.+)"
    r"|number(?:\s+(?P<low>-?\d+(?:\.\d+)?)\s+to\s+(?P<high>-?\d+(?:\.\d+)?))?"
)
_OPTIONAL = "(optional)"
_SIGNS = str.maketrans("٫．，−－＋", "..,--+")
_NUMBER = re.compile(r"[+-]?[0-9]{1,12}(?:[.,][0-9]{1,12})?")
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")


@dataclass(frozen=True)
class Field:
    """A question and what answers it: one of `choices`, a number from `low` to `high`, or text."""

    question: str
    kind: str
    choices: tuple[str, ...] = ()
    low: float = -math.inf
    high: float = math.inf
    is_optional: bool = False

    def check(self, answer: str) -> str:
        """Return the answer as it is kept, '' if it was left out and may be.

        Raises TandemError for an answer that does not fit the question.
        """
        answer = answer.strip()
        if not answer:
            if self.is_optional:
                return ""
            raise TandemError(f"please answer “{self.question}”")
        if self.kind == "choice" and answer not in self.choices:
            raise TandemError(f"please choose an answer to “{self.question}”")
        if self.kind == "number":
            number = read_number(answer)
            if number is None or not self.low <= number <= self.high:
                between = f" from {self.low:g} to {self.high:g}" if math.isfinite(self.low) else ""
                raise TandemError(f"please answer “{self.question}” with a number{between}")
            return format(number, "f")
        return answer[:LONGEST_ANSWER]


def read_number(text: str) -> Decimal | None:
    """Return the number that somebody typed in the digits of any script; None if it is none.

    A comma before three digits is none: it may part thousands or decimals.
    """
    digits = "".join(str(unicodedata.decimal(sign, sign)) for sign in text.translate(_SIGNS))
    if not _NUMBER.fullmatch(digits) or _THOUSANDS.fullmatch(digits):
        return None
    return Decimal(digits.replace(",", ".")).normalize() + 0


def read_fields(name: str, lines: Sequence[str]) -> list[Field]:
    """Read the fields that lines declare, as 'How old are you? | number 18 to 99'.

    Raises TandemError naming a line that declares no field.
    """
    fields = [_read_field(name, line) for line in lines]
    questions = [field.question for field in fields]
    repeated = next((one for one in questions if questions.count(one) > 1), "")
    if repeated:
        raise TandemError(f"{option_ref(name)} asks {repeated!r} twice: ask it once")
    if len(fields) > MOST_FIELDS:
        raise TandemError(f"{option_ref(name)} has {len(fields)} questions: {MOST_FIELDS} at most")
    return fields


def _read_field(name: str, line: str) -> Field:
    question, bar, kind = line.rpartition("|")
    if not bar:
        question, kind = line, "text"
    question, kind = " ".join(question.split()), kind.strip()
    is_optional = kind.endswith(_OPTIONAL)
    read = _KIND.fullmatch(kind.removesuffix(_OPTIONAL).strip())
    if not question or len(question) > LONGEST_QUESTION or not question.isprintable() or not read:
        raise TandemError(
            f"{option_ref(name)} has the line {line!r}: write a question, | and text, "
            "number 18 to 99, or choice: yes; no"
        )
    if read["text"]:
        return Field(question, "text", is_optional=is_optional)
    if read["choices"] is None:
        low = float(read["low"]) if read["low"] else -math.inf
        high = float(read["high"]) if read["high"] else math.inf
        if low > high:
            raise TandemError(
                f"{option_ref(name)} has the line {line!r}: {low:g} is above {high:g}"
            )
        return Field(question, "number", low=low, high=high, is_optional=is_optional)
    choices = tuple(choice.strip() for choice in read["choices"].split(";") if choice.strip())
    if len(choices) < 2 or len(set(choices)) < len(choices):
        raise TandemError(
            f"{option_ref(name)} has the line {line!r}: a choice needs two different answers or "
            "more, "
            "with ; between"
        )
    return Field(question, "choice", choices, is_optional=is_optional)


def check_answers(fields: Sequence[Field], answers: Mapping[str, str]) -> dict[str, str]:
    """Check all answers; return them by question. Raises TandemError for the first wrong one."""
    return {field.question: field.check(answers.get(field.question, "")) for field in fields}
