"""The forms in which a reply gives one text a mark."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...models.served import AnswerShape
from ...records import Scale
from .form import Statement, UnparsedReplyError, VerdictForm, find_objects, reasoned_shape
from .labels import GAP, MARKUP

MARK_KEYS = ("score", "rating", "mark", "grade")
"""The keys of a JSON object that hold its mark."""

_NAME = (
    r"(?:(?:my|the|final|overall|total)\s+){0,3}(?:score|rating|mark|grade|answer|verdict|result"
    r"|note|bewertung|punktzahl|得分|评分|分数|分數|評価|スコア|оценка|puntuación)"
)
_ITEM = r"\d{1,2}[.)][\t ]+\S"  # of a list
_NUMBER = (
    r"(?<![<>~])(?P<number>[-−]?\d{1,9}(?:\.\d{1,9})?)"
    r"(?:\s*(?:/|out of|von|sur|de)\s*(?P<most>\d{1,9}))?"
)
_WHOLE = r"(?![\d/]|[.,:]\d|\s*(?:[-–—]|to|or)\s*\d|\s*(?:%|percent|stars? of))"
_LABELLED = (
    rf"{_NAME}(?:\s*\([^)\n]{{0,30}}\))?[\s*_]{{0,9}}(?:[:=]|\bis\b|\bof\b|是)"
    rf"(?::|{MARKUP}){{0,40}}+"
)


def find_mark_first(text: str, scale: Scale) -> Sequence[Statement]:
    """Find "8", "8/10" or "Score: 8" at the beginning of a reply."""
    if re.match(rf"\s*+{_ITEM}", text) and re.search(rf"\n[\t ]*{_ITEM}", text):
        return ()
    match = re.match(
        rf"(?![\s*]*[>~]\S){MARKUP}*+(?:{_LABELLED})?{_NUMBER}{_WHOLE}{GAP}*"
        r"(?:points|stars|Punkte|分)?(?=\s*(?:\Z|\n|[.;:!。；–—-]\s|,\s(?!\d)|[.!。]?\Z|[,，]?\s*(?:because|since|weil|因为)))",
        text,
        re.IGNORECASE,
    )
    if match is None:
        return ()
    last = re.fullmatch(r"[^\n]*[.!?] +(\d{1,3})[.!]?\s*", text)
    if last and float(last[1]) != float(match["number"].replace("−", "-")):
        raise UnparsedReplyError("it begins with one number and ends with another")
    return (_statement(match, scale),)


def find_mark_brackets(text: str, scale: Scale) -> Sequence[Statement]:
    """Find scores of the form "[[7]]" anywhere.

    Raises UnparsedReplyError for brackets without a score.
    """
    found = [
        re.fullmatch(rf"\s*(?:{_LABELLED})?{_NUMBER}\s*", match[1], re.IGNORECASE) or match[1]
        for match in re.finditer(r"\[\[([^\[\]\n]{1,40})\]\]", text)
    ]
    places = [match.start(1) for match in re.finditer(r"\[\[([^\[\]\n]{1,40})\]\]", text)]
    if odd := [one for one in found if isinstance(one, str)]:
        raise UnparsedReplyError(f"it states [[{odd[0][:20]}]], which is not a score")
    return [
        _statement(match, scale, shift)
        for match, shift in zip(found, places, strict=True)
        if isinstance(match, re.Match)
    ]


def find_mark_last(text: str, scale: Scale) -> Sequence[Statement]:
    """Find "Score: 7" in the last line."""
    match = re.search(
        rf"(?:\A|\n){GAP}*{_LABELLED}{_NUMBER}{_WHOLE}{GAP}*(?:points|分)?[.!。]?{MARKUP}*+\Z",
        text,
        re.IGNORECASE,
    )
    return (_statement(match, scale),) if match else ()


def find_mark_lines(text: str, scale: Scale) -> Sequence[Statement]:
    """Find "Score: 7" in any line."""
    return [
        _statement(match, scale)
        for match in re.finditer(
            rf"(?:\A|\n)[*_#\t ]*{_LABELLED}{_NUMBER}{_WHOLE}[*_.\t ]*(?=\n|\Z)", text, re.I
        )
    ]


def find_mark_json(text: str, scale: Scale) -> Sequence[Statement]:
    """Find `{"score": 7, ...}`, fenced or not."""
    found: list[Statement] = []
    key = re.compile(rf"\"(?:{'|'.join(MARK_KEYS)})\"\s*:\s*\"?{_NUMBER}\s*\"?\s*(?=[,}}\n])", re.I)
    for value, start, end in find_objects(text, MARK_KEYS):
        if value is None:
            match = re.compile(rf"\{{\s*{key.pattern}", re.I).match(text, start)
            if match:
                return [*found, _statement(match, scale)]
            continue
        given = {str(value[name]) for name in MARK_KEYS if name in value}
        if not given:
            continue
        # The object's own score: a criterion within it may have one, too.
        stated = [
            match for match in key.finditer(text, start, end) if _is_given_number(match, given)
        ]
        if len(given) > 1 or not stated:
            raise UnparsedReplyError("its JSON gives a score that is no number, or several")
        found.append(_statement(stated[-1], scale))
    return found


def _is_given_number(match: re.Match[str], given: set[str]) -> bool:
    """Return whether a number in the text is one that its JSON object gives."""
    number, most = match["number"], match["most"]
    return any(
        said.replace(" ", "") == f"{number}/{most}" if most else _is_same(said, number)
        for said in given
    )


def _is_same(said: str, number: str) -> bool:
    try:
        return float(said) == float(number)
    except ValueError:
        return said.strip() == number


def _statement(match: re.Match[str], scale: Scale, shift: int = 0) -> Statement:
    """Return the mark of a match. Raises UnparsedReplyError for one that is not on the scale."""
    mark, most = float(match["number"].replace("−", "-")), match["most"]
    if most and float(most) != scale.high:
        raise UnparsedReplyError(f"it gives a score out of {most}, not out of {scale.high}")
    if not scale.low <= mark <= scale.high:
        raise UnparsedReplyError(f"it gives the score {mark:g}, which is not on the scale")
    start, end = (shift + place for place in match.span("number"))
    return Statement(mark, start, end, start)


MARK_FORMS = {
    form.name: form
    for form in (
        VerdictForm(
            "mark-first",
            "The reply begins with the score; reasons may follow.",
            "Answer with the number alone.",
            find_mark_first,
            max_tokens=32,
            shape=lambda scale: AnswerShape(choices=tuple(map(str, scale.marks))),
        ),
        VerdictForm(
            "mark-brackets",
            "The score is in double brackets: [[7]].",
            "State the score in double brackets, such as [[{low}]].",
            find_mark_brackets,
        ),
        VerdictForm(
            "mark-last",
            'The last line is "Score: " and the score.',
            'End with a line of its own: "Score: " and the number.',
            find_mark_last,
        ),
        VerdictForm(
            "mark-json",
            'A JSON object has the score under "score".',
            'Answer with a JSON object: {"reason": "...", "score": number}.',
            find_mark_json,
            shape=lambda scale: reasoned_shape(
                "score", {"type": "integer", "enum": list(scale.marks)}
            ),
        ),
    )
}
"""The forms of scoring prompts by name; the first is that of a prompt which declares none."""
