"""Forms in which a reply states its verdict: as JSON, in brackets or tags, behind a label such as
"Verdict:", or first of all.

Each form has a parser of a few lines, which finds where the verdict is stated. What a reply says
besides, such as a reason that concedes something, is not read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

NEITHER = -1
"""The verdict of a reply that states that it prefers neither, or none of the labels."""

_MOST_OBJECTS = 50  # JSON objects that are tried to be read in one reply


class UnparsedReplyError(Exception):
    """A reply states no verdict that can be counted; the message says why."""


@dataclass(frozen=True)
class Statement:
    """A verdict that a reply states: the index of a label or NEITHER, and where its words begin.

    `is_final`: it is called final or overall; None where no such word belongs to the form.
    """

    label: int
    place: int
    end: int
    is_final: bool | None = None


_QUOTES = "\"'`“”„«»‘’"
_NO_WINNER = (
    r"(?:an?\s+)?(?:tied?|draw|neither|none|both|equal(?:ly)?(?: good)?|no (?:winner|preference"
    r"|difference)|undecided|unclear|n/?a|cannot (?:decide|tell)|[C-Z]|\d{1,2})(?!\w)"
)
_FINAL_WORD = r"final|overall|ultimate|in conclusion|to conclude|therefore|thus|hence|so|conclusion"
_ADJECTIVE = (
    rf"(?:{_FINAL_WORD}|my|the|our|your|judge'?s|better|best|preferred|chosen|winning|selected"
    r"|correct|pairwise|comparison|evaluation)"
)
_NOUN = (
    r"(?:verdict|answer|winner|choice|decision|judge?ment|conclusion|preference|selection|pick"
    r"|vote|result|(?:better|best|preferred|chosen|winning|selected)"
    r"(?: (?:one|summary|response|text|output|candidate|assistant|option|answer|translation|story"
    r"|version|model|reply))?)"
)
_LINK = (
    r"(?:[^\w\n]{0,6}(?:(?:is|would be|goes to)\b[^\w\n]{0,6}|[:=→–—-][^\w\n]{0,8})"
    r"|[^\w\n]{0,8}\n\s{0,10}[^\w\n]{0,8})"
)
_LABELLED = (
    rf"(?:\A|\n|(?<=[.!?;:)])\s)[^\w\n]{{0,8}}(?P<name>(?:{_ADJECTIVE}[^\w\n]{{1,3}}){{0,4}}{_NOUN})"
    rf"(?:[^\w\n]{{0,2}}\([^)\n]{{0,40}}\))?{_LINK}"
)
_GOES_ON = (
    r"(?:because|as|since|due to|for|wins|with|by|over|than|(?:is|was) (?:the )?(?:\w+ly )?"
    r"(?:better|best|winner|superior|stronger|preferred|preferable|clearer|more \w+))\b"
)
_TAKES_BACK = re.compile(
    r"\b(?:wait|actually|on (?:second thoughts?|reflection|closer (?:look|reading|inspection))"
    r"|correction|scratch that|let me (?:reconsider|re-?evaluate|correct|revise)"
    r"|i (?:take (?:that|it) back|(?:must |have to |would )?(?:change|revise|correct) my|was wrong"
    r"|meant|misread)|sorry|oops|my mistake|no,|hold on)",
    re.IGNORECASE,
)
_TAGS = r"(?:final_)?(?:answer|verdict|winner|choice|decision|judge?ment|preference|result)"
_VERDICT_KEY = re.compile(
    r"verdict|winner|answer|choice|chosen|choose|prefer|better|best|select|decision|judge?ment"
    r"|pick|vote|conclusion|^(?:result|label|output|final|overall|response)$",
    re.IGNORECASE,
)
_OTHER_KEY = re.compile(
    r"los|worse|worst|reject|less|least|not_|un|wrong|second|initial|first|other|runner|reason"
    r"|why|expl|previous|correct_?answer",
    re.IGNORECASE,
)
_FINAL_KEY = re.compile(r"final|overall", re.IGNORECASE)


_OTHER_NOUNS = "option|choice|candidate|summary|response|text|output|answer|assistant|model"


@cache
def label_patterns(labels: tuple[str, ...]) -> tuple[str, ...]:
    """A pattern for each label: all of its words, or its last alone where no other ends so."""
    parts = [re.findall(r"\w+", label) for label in labels]
    patterns = []
    for words in parts:
        ways = [r"[\W_]{1,3}".join(map(re.escape, words))]
        if sum(other[-1].lower() == words[-1].lower() for other in parts) == 1:
            ways.append(rf"(?:(?:{_OTHER_NOUNS}) )?{re.escape(words[-1])}")
        patterns.append(rf"(?:{'|'.join(ways)})(?!\w)")
    return tuple(patterns)


def match_label(text: str, labels: Sequence[str]) -> re.Match[str] | None:
    """The label with which a text begins, or a word for none of them (the group `neither`)."""
    return _any_label(tuple(labels)).match(text)


@cache
def _any_label(labels: tuple[str, ...]) -> re.Pattern[str]:
    groups = [f"(?P<l{index}>{one})" for index, one in enumerate(label_patterns(labels))]
    return re.compile(
        rf"[^\w\n]{{0,8}}(?:{'|'.join(groups)}|(?P<neither>{_NO_WINNER}))", re.IGNORECASE
    )


def index_of(match: re.Match[str], labels: Sequence[str]) -> int:
    """Which label matched; a word for neither is the third label where there is one."""
    if match["neither"] is None:
        return int(str(match.lastgroup)[1:])
    is_tie = re.match(
        r"(?:an? )?(?:tie|draw|neither|both|equal|no )", match["neither"], re.IGNORECASE
    )
    return 2 if len(labels) > 2 and is_tie else NEITHER


def find_statements(text: str, labels: Sequence[str]) -> list[Statement]:
    """What a reply states in JSON, in brackets or tags, and behind a label, in order of place."""
    found, spans = _in_json(text, labels)
    rest = list(text)
    for start, end in spans:
        rest[start:end] = " " * (end - start)
    outside = "".join(rest)
    return sorted(
        [*found, *_in_brackets(outside, labels), *_behind_labels(outside, labels)],
        key=lambda one: one.place,
    )


def stated_verdict(text: str, labels: Sequence[str]) -> Statement | None:
    """The verdict a reply states in one of the forms, None where it uses none of them.

    Raises:
        UnparsedReplyError: it states two verdicts, none of the labels, or takes one back.
    """
    statements = find_statements(text, labels)
    if any(one.is_final for one in statements):
        statements = [one for one in statements if one.is_final is not False]
    first = label_first(text, labels)
    if first and all(one.place > first.place for one in statements):
        statements = [first, *statements]
    if not statements:
        return None
    stated = {one.label for one in statements}
    if stated == {NEITHER}:
        raise UnparsedReplyError("it states a verdict that is none of the labels")
    if len(stated) > 1:
        raise UnparsedReplyError("it states two different verdicts")
    _must_not_be_taken_back(text, statements, labels)
    return statements[0]


def _must_not_be_taken_back(
    text: str, statements: Sequence[Statement], labels: Sequence[str]
) -> None:
    """Raises UnparsedReplyError for "A. No wait, B"."""
    after = text[max(one.end for one in statements) :]
    taken = _TAKES_BACK.search(after)
    if taken:
        [label] = {one.label for one in statements}
        named = rf"(?<!\w)(?:{_others(label, labels)}|the other)"
        if re.search(named, after[taken.start() : taken.end() + 200], re.IGNORECASE):
            raise UnparsedReplyError("it takes its verdict back")


def label_first(text: str, labels: Sequence[str]) -> Statement | None:
    """ "Summary A", with which a reply begins, whatever its reason says.

    Raises:
        UnparsedReplyError: it ends by choosing another.
    """
    match = _any_label(tuple(labels)).match(text, len(text) - len(text.lstrip()))
    if match is None or match["neither"] is not None:
        return None
    label, end = index_of(match, labels), match.end()
    other = _others(label, labels)
    listed = rf"(?:(?:\A|\n)[^\w\n]*(?:{other})[^\w\n]*(?:[:.)\]]|\n|\Z)|[.!?]\s+(?:{other})[.:])"
    if re.search(listed, text[end:], re.IGNORECASE):
        return None  # both are headings, or options that were repeated
    if not _ends_there(text[end:], other) or not _STATED_FIRST.match(text[end:]):
        return None
    if re.search(_CONCLUDES.replace("OTHER", other), text[end:], re.IGNORECASE):
        raise UnparsedReplyError("it begins with one verdict and concludes with another")
    return Statement(label, match.start(str(match.lastgroup)), end)


def _others(label: int, labels: Sequence[str]) -> str:
    """A pattern of the other labels."""
    patterns = label_patterns(tuple(labels))
    return "|".join(one for index, one in enumerate(patterns) if index != label)


def _ends_there(after: str, other: str) -> bool:
    """Whether what follows a label leaves it the verdict: an end, a reason, no other label."""
    joined = rf"[\s,/|&>=<*_\"'-]{{0,6}}(?:(?:or|and|vs\.?|versus|nor)\b[^\w\n]{{0,4}})?(?:{other})"
    either = r"[^\w\n]{0,4}\b(?:or|and|vs\.?|versus|nor)\b"
    line = after.partition("\n")[0]
    if re.match(joined, line, re.IGNORECASE) or re.match(either, line, re.IGNORECASE):
        return False
    if not re.search(r"\w", line):
        return "?" not in line
    if re.match(rf"[^\w\n]{{0,4}}\s{_GOES_ON}", after, re.IGNORECASE):
        return True
    return bool(re.match(rf"[\s*_{_QUOTES}]*[.!;,)\]}}(–—-](?!\s*\d)", after))


_CONCLUDES = (
    r"(?:\b(?:therefore|so|thus|hence|in conclusion|overall|ultimately|finally)\b,? [^.!?\n]{0,40}?"
    r"\b(?:OTHER)(?: (?:is|wins|would be)(?: (?:the|clearly|slightly))* (?:better|best|winner"
    r"|superior)(?: (?:overall|choice|summary|response|text|one))?)?[^\w\n]*(?:[.!\n]|\Z)"
    r"|\bi (?:would |will |'d |must )?(?:choose|prefer|pick|select|go with)[^\w\n]{1,4}(?:OTHER))"
)
_NAME = r"(?: (?:one|summary|response|text|output|choice|option|answer|of the two))?"
_STATED_FIRST = re.compile(
    rf"[\s*_#{_QUOTES}()\[\]{{}}]*(?:\n|\Z|[.!;])"
    rf"|[*_{_QUOTES})\]]*(?:,?\s*(?:because|since|as|due to|for)\b"
    r"|\s*[–—-]\s*(?:it|this|its|because|since|as|the reason|more|better|clear\w*)\b"
    r"|\s+wins\b"
    rf"|\s+(?:is|was) (?:the )?(?:\w+ly )?(?:better|best|winner|superior|prefer(?:red|able)){_NAME}"
    r"(?: overall)?(?:\s*[.!;\n]|\s*\Z|,? (?:because|since|as|due to|than)\b)"
    r"|\s+(?:is|was) (?:\w+ly )?(?:stronger|clearer|more \w+),? (?:because|since|due to|than)\b)",
    re.IGNORECASE,
)
"""What follows a label with which a reply begins, where it is the verdict."""


def _behind_labels(text: str, labels: Sequence[str]) -> Iterator[Statement]:
    """ "Verdict: Summary A", "The winner is B", at the beginning of a line or a sentence."""
    for match in re.finditer(_LABELLED, text, re.IGNORECASE):
        before = text[: match.start("name")]
        if before.strip() and before[-1] in _QUOTES:
            continue  # somebody else's words
        found = _any_label(tuple(labels)).match(text, match.end())
        if found is None:
            continue
        label, end = index_of(found, labels), found.end()
        said = text[match.end() : end].strip(" *_#([" + _QUOTES)
        if found["neither"] is not None and len(said) < 3:  # "[[C]]", or how a sentence begins
            if not re.match(r"[^\w\n]*(?:[.\n]|\Z)", text[end:]):
                continue
        elif not _ends_there(text[end:], _others(label, labels)):
            continue
        is_final = bool(re.search(rf"\b(?:{_FINAL_WORD})\b", match["name"], re.IGNORECASE))
        yield Statement(label, found.start(str(found.lastgroup)), end, is_final)


def _in_brackets(text: str, labels: Sequence[str]) -> Iterator[Statement]:
    r""" "[[A]]", "\boxed{A}", "<answer>A</answer>"; none that an instruction merely offers."""
    forms = (
        r"\[\[(?P<in>[^\[\]\n]{1,60})\]\]",
        r"\\boxed\s*\{(?:\s*\\(?:text\w*|mathrm|mathbf)\s*\{)?(?P<in>[^{}\n]{1,60})\}",
        rf"<\s*{_TAGS}\s*>(?P<in>[^<>]{{1,80}})<\s*/\s*{_TAGS}\s*>",
        r"<\|begin_of_box\|>(?P<in>[^<>]{1,80})<\|end_of_box\|>",
    )
    for form in forms:
        for match in re.finditer(form, text, re.IGNORECASE):
            if re.match(rf"[{_QUOTES}\s]*(?:if|when|or|for an?)\b", text[match.end() :], re.I):
                continue
            found = match_label(match["in"].strip("\n "), labels)
            said = match["in"].strip()
            whole = found is not None and not re.search(r"\w", said[found.end() :])
            label = index_of(found, labels) if found is not None and whole else NEITHER
            shift = match.start("in") + match["in"].find(said)
            place = shift + (found.start(str(found.lastgroup)) if found else 0)
            yield Statement(label, place, match.end())


def _in_json(text: str, labels: Sequence[str]) -> tuple[list[Statement], list[tuple[int, int]]]:
    """What JSON objects in a reply state, fenced or not, cut off or not, and where they are."""
    found: list[Statement] = []
    spans: list[tuple[int, int]] = []
    decoder, place, tries = json.JSONDecoder(strict=False), text.find("{"), 0
    while place >= 0 and tries < _MOST_OBJECTS:
        tries += 1
        try:
            value, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            # Cut off, or not quite JSON: what stands behind its keys is read all the same.
            if re.match(r"\{\s*[\"'“]\w", text[place:]):
                end = len(text)
                found += _behind_keys(text, place, labels)
                spans.append((place, end))
                break
            place = text.find("{", place + 1)
            continue
        stated = list(_values(value, labels))
        if isinstance(value, dict) and (stated or any(isinstance(key, str) for key in value)):
            spans.append((place, end))
            final = [one for one in stated if one[2]] or stated
            for label, said, _ in final:
                at = text.find(json.dumps(said, ensure_ascii=False)[1:-1], place, end)
                key = re.search(rf":\s*\"\s*{re.escape(said)}", text[place:end])
                at = place + key.end() - len(said) if key else max(at, place)
                found.append(Statement(label, at, end))
        place = text.find("{", end)
    return found, spans


def _values(value: Any, labels: Sequence[str], key: str = "") -> Iterator[tuple[int, str, bool]]:
    """The verdicts in a JSON value: which label, in what words, and whether it is called final."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _values(inner, labels, name)
    elif isinstance(value, list):
        for inner in value:
            yield from _values(inner, labels, key)
    elif isinstance(value, str) and _VERDICT_KEY.search(key) and not _OTHER_KEY.search(key):
        said = value.strip()
        found = match_label(said, labels)
        label = NEITHER
        if found is not None:
            rest = said[found.end() :]
            if not re.search(r"\w", rest) or (
                found["neither"] is None and _STATED_FIRST.match(rest)
            ):
                label = index_of(found, labels)
        if label != NEITHER or len(said) < 60:
            yield label, said, bool(_FINAL_KEY.search(key))


def _behind_keys(text: str, start: int, labels: Sequence[str]) -> Iterator[Statement]:
    """The same of JSON that cannot be read, from its keys that are whole."""
    pattern = r"[\"'“](?P<key>\w{1,40})[\"'”]\s*:\s*[\"'“](?P<said>[^\"'“”\n]{1,60})[\"'”]"
    for match in re.finditer(pattern, text[start:]):
        if _VERDICT_KEY.search(match["key"]) and not _OTHER_KEY.search(match["key"]):
            found = match_label(match["said"], labels)
            whole = found is not None and not re.search(r"\w", match["said"][found.end() :])
            label = index_of(found, labels) if found is not None and whole else NEITHER
            yield Statement(label, start + match.start("said"), start + match.end())


def is_json(text: str) -> bool:
    """Whether a reply is, or begins as, an object of JSON: its sentences are values."""
    return bool(re.match(r"\s*(?:```\w*\s*)?[\[{]\s*[{\"'“}]", text))


_SCORED = (
    r"(?<![^\W_])(?P<label>LABEL)(?:['’]s)?[^\w\n]{0,4}_?(?:(?:score|rating|total|overall|points)[^\w\n]{0,4})?"
    r"(?:[:=|(–—]|is|gets|scores|receives|-)[^\w\n+-]{0,4}(?:an? )?(?P<number>\d{1,3}(?:\.\d+)?)"
    r"(?P<most>\s*(?:/|out of)\s*\d{1,3})?(?!\.\d)"
    r"(?=\s*(?:\Z|[\n,;.!)/|\]}*_\"–—-]|(?:points?|and|vs|but|while|whereas)\b))"
)
_LESS_IS_BETTER = re.compile(
    r"\b(?:ranks?|ranked|ranking|place|errors?|mistakes?|issues|penalt\w+|lower)\b", re.IGNORECASE
)


def compare_scores(text: str, labels: Sequence[str]) -> int | None:
    """The label with the higher score of "A: 6 / B: 9", None where a reply gives no scores.

    Raises:
        UnparsedReplyError: there is a score for one alone, there are several, or the two are equal.
    """
    scores: dict[int, set[tuple[float, str]]] = {0: set(), 1: set()}
    for index, pattern in enumerate(label_patterns(tuple(labels))[:2]):
        label = pattern.replace(r"(?!\w)", r"(?![^\W_])")
        for match in re.finditer(_SCORED.replace("LABEL", label), text, re.IGNORECASE):
            if match["label"] == "a" and text[match.end("label")] == " ":
                continue  # "gets a 6"
            most = re.sub(r"\s+", "", match["most"] or "")
            scores[index].add((float(match["number"]), most))
    if not scores[0] and not scores[1]:
        return None
    if not (len(scores[0]) == len(scores[1]) == 1):
        raise UnparsedReplyError("it gives scores, and not one for each")
    [(a, of_a)], [(b, of_b)] = scores[0], scores[1]
    if of_a != of_b or _LESS_IS_BETTER.search(text):
        raise UnparsedReplyError("it gives two scores, and not which way is better")
    if a == b:
        if len(labels) > 2:
            return 2
        raise UnparsedReplyError("it gives both the same score")
    return int(b > a)
