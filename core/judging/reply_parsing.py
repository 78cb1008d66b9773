"""Parsing: what a model wrote becomes the answer it states, or nothing.

A wrong guess is worse than none: what is not parsed is counted and can be asked again, what is
misread never comes to light. So a reply counts only where it commits itself, to one of the labels
as its answer or to one number as its mark.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from core.judging.verdict_forms import (
    UnparsedReplyError,
    compare_scores,
    is_json,
    stated_verdict,
)
from core.models import split_thoughts, strip_thoughts

# A label is written as one letter of a dead script once it has been found: A, B, tie.
_SIGNS = "𐤀𐤁𐤂"
_L = f"[{_SIGNS}]"
_REST = f"[^{_SIGNS}]"
_EITHER_END = 4000  # characters of a long reply that are looked at: who answers, answers there
_NEITHER = 2  # the third label, and no answer where there is none
_NARROW = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)}  # full-width letters and signs

_NOT = r"(?:\b(?:not(?! only)|never|cannot|neither|nor|no)\b|n't\b)"
_GETS = (
    r"(?:better|best|superior|wins?|won|winner|prefer\w*|stronger|strongest|clearer|smoother|richer"
)
_GETS += (
    r"|tighter|closer|higher|excels?|stands "
    r"out|outperforms?|beats?|surpass(?:es)?|favou?red|chosen|the one"
)
_GETS += r"|(?:is|was|are|were|be|being|seems|appears|sounds|feels|reads|looks|flows"
_GETS += r"|provide[sd]|offer(?:s|ed)"
_GETS += rf"|gives|has)\b{_REST}{{0,40}}?\b(?:more|most))"
_LOSES = (
    r"(?:worse|worst|less|least|inferior|weaker|weakest|poorer|loses|lost|losers?|losing|rejected)"
)
_NAMES = (
    r"(?:answer|choice|verdict|winner|vote|decision|judge?ment|conclusion|preference|selection|option|response|result"
    r"|output)"
)
_PICKS = (
    r"(?:choose|choosing|chose|picks?|selects?|prefer|favou?r|go with|going with|opt for|vote "
    r"for|answer|would say|'d say"
    r"|lean(?:ing)? towards?)"
)
_LINKS = (
    r"(?:\s+(?:is|was|be|would|should|that|the|to|for|goes|of|my|final|better|best|one|as"
    r"|clearly|definitely|probably))*"
)
_STATES = rf"\b(?:{_NAMES}|{_PICKS})\b{_LINKS}\W{{0,8}}"
_IS_BETTER = rf"\b(?:{_GETS}|more|most)\b{_REST}{{0,60}}(?:\bis\b(?:\s+(?:from|that of))?|:)\W*"
_OPENS = (
    r"(?:(?:so|therefore|thus|hence|overall|finally|i think|i believe|i would "
    r"say|yes|sure|certainly|it is|it's|it would be"
    r"|my)\W+)*"
)
_THAN = (
    r"(?:\b(?:than|over|unlike|instead of|rather "
    r"than|against|versus|outperform(?:s|ed)?|beats?|surpass(?:es|ed)?"
    r"|(?:compared|superior|inferior|preferable|preferred) "
    rf"(?:to|with))\b|{_NOT})\s+(?:the\s+|that of\s+)?"
)
# What may follow a lone letter, where an article could not stand.
_NO_NOUN = (
    r"(?=\W*$|\W*\n|\s*[,.:;!?)\]–—]|\s-|\s+(?:is|was|isn't|wins?|has|does|because|as|since|due|over|than|or|and"
    r"|seems|appears|would|performs?|beats|outperforms|provides|stands|excels|but|by)\b)"
)

_SAME = re.compile(
    r"\b(?:equal(?:ly)?|tied|(?:a|an) (?:tie|draw|𐤂)|no (?:clear |real "
    r")?(?:difference|winner|preference)|the same quality"
    r"|(?:are|about|exactly|roughly|just) the same|(?:cannot|can't) "
    r"(?:decide|choose|determine|tell|say)"
    rf"|neither\b{_REST}{{0,40}}\b(?:better|more|best|superior|wins))\b"
    rf"|(?:^\W*{_OPENS}|{_STATES})(?:neither|both|none|tie|draw)(?: of (?:them|the two))?\W*$",
    re.I,
)
_TOGETHER = re.compile(
    rf"(?:{_L}\W{{0,3}},\W{{0,2}})*{_L}(?:\W*\b(?:or|and|vs|versus|nor)\b\W*|\W?/\W?){_L}|(?:^|:)\W*{_L}\W*,\W*{_L}\W*$",
    re.I,
)
_LISTED = re.compile(rf"^[^\w\n]*({_L})[^\w\n]*\n(?:[^\w\n]*(?!\1){_L}[^\w\n]*(?:\n|\Z))+", re.M)
_CONCESSION = r"while|whereas|although|though|even though|despite"
_CLAUSES = re.compile(rf",?\s*\b(?=(?:but|yet|however|{_CONCESSION})\b)|,\s+(?:and|so)\s+", re.I)
_CONCEDING = re.compile(rf"\W*(?:{_CONCESSION})\b", re.I)
_SETTING_AGAINST = re.compile(r"\W*(?:while|whereas)\b", re.I)


@dataclass(frozen=True)
class Verdict:
    """The index of the label a reply chooses, and where its words begin in the reply, None where it
    is not stated in a form of `verdict_forms`.
    """

    label: int
    place: int | None = None


def read_verdict(text: str, labels: Sequence[str], *, is_cut: bool = False) -> Verdict:
    """The verdict of a reply: as it states it in a form, else by the higher of two scores, else by
    what its sentences choose.

    `labels` are the words for A and for B and, where a tie was offered, for a tie. Of a reply that
    `is_cut` off, only a stated verdict counts.

    Raises:
        UnparsedReplyError: it states none, two different ones, or none of the labels.
    """
    whole = split_thoughts(text)
    answer = whole.blanked.translate(_NARROW)
    if not answer.strip():
        raise UnparsedReplyError("it ends while thinking" if whole.is_thinking else "it is empty")
    answer, skipped = _ends_of(answer)
    if is_cut:
        answer = f"{answer.rstrip()}…"  # what ends there may go on: "Summary B is worse"
    stated = stated_verdict(answer, labels)
    if stated is not None:
        place = stated.place + (skipped if stated.place > _EITHER_END else 0)
        return Verdict(stated.label, place)
    if is_cut:
        raise UnparsedReplyError("it was cut off before it states a verdict")
    scored = compare_scores(answer, labels)
    if is_json(answer):
        if scored is None:
            raise UnparsedReplyError("it is JSON without a verdict")
        return Verdict(scored)
    read = _read_sentences(answer, labels, scored=scored)
    if read is None:
        raise UnparsedReplyError("its sentences choose none of the labels, or more than one")
    return Verdict(read)


def choice(text: str, labels: Sequence[str]) -> int | None:
    """The index of the label a reply chooses, or None; see `read_verdict`."""
    try:
        return read_verdict(text, labels).label
    except UnparsedReplyError:
        return None


def _ends_of(text: str) -> tuple[str, int]:
    """A long reply's two ends: who answers, answers there; and how many characters are skipped."""
    skipped = len(text) - 2 * _EITHER_END
    if skipped <= 1:
        return text, 0
    return f"{text[:_EITHER_END]}\n{text[-_EITHER_END:]}", skipped - 1


def _read_sentences(text: str, labels: Sequence[str], *, scored: int | None) -> int | None:
    """The label that the sentences of a reply choose, None where they choose none or contradict
    each other.

    "I prefer Summary B over Summary A", "Summary B is less coherent". That both are alike is an
    answer only where a tie was offered. A denial ("not Summary A"), two at once ("Summary A or
    Summary B") and the options repeated are no clear statements.
    """
    marked = _LISTED.sub("", _without_headings(_marked(_plain(text), tuple(labels))))
    said: list[tuple[int, int]] = []
    for number, statement in enumerate(re.split(r"(?<=[.!?;])\s+|\n+", marked)):
        if statement.rstrip().endswith("?") or _NO_CHOICE.search(statement):
            continue
        chosen = _said(statement, first=number == 0)
        if chosen is not None:
            said.append((chosen, _weight(statement, first=number == 0)))
    chosen = _settle(said)
    if not said and not re.search(
        _SCORE, marked
    ):  # without a clear statement the one label it names, unless it denies it
        named = set(re.findall(_L, marked))
        denied = re.search(
            rf"{_NOT}{_REST}*{_L}|{_L}{_REST}*{_NOT}|\bother\b|{_L}\W*\b(?:or|and|vs)\b",
            marked,
            re.I,
        )
        chosen = _SIGNS.index(named.pop()) if len(named) == 1 and not denied else None
    if scored is not None and chosen in (None, scored):
        return scored if not said or chosen == scored else None
    chosen = None if scored is not None else chosen
    return chosen if chosen is not None and chosen < len(labels) else None


_ASPECT, _PICK, _CONCLUSION = range(3)
_SCORE = rf"{_L}\W{{0,4}}(?:\w+ )?\d"
_NO_CHOICE = re.compile(  # scores, and what is said before one has looked closely
    rf"{_SCORE}|"
    r"\b(?:initially|at first(?: glance| sight)?|first impression|on first reading"
    r"|my first thought|one might (?:say|think|argue)|some (?:would|might|may))\b",
    re.I,
)
_CONCEDES = re.compile(
    r"\b(?:admittedly|to be fair|granted|albeit|though|on the other hand|that said|still"
    r"|nevertheless|nonetheless|in terms of|when it comes to)\b",
    re.I,
)
_CONCLUDES = re.compile(
    r"^\W*(?:so|therefore|thus|hence|overall|finally|ultimately|in (?:conclusion|summary|the end"
    r"|sum|short)|to (?:conclude|sum up)|all in all|on balance|all things considered"
    r"|taking everything|given (?:this|these|all)|based on|considering|for these reasons"
    rf"|my|the (?:final )?{_NAMES})\b",
    re.I,
)
_PICKS_ONE = re.compile(
    rf"\b(?:better|best|superior|wins?|won|winner|preferable|{_PICKS}|{_NAMES})\b", re.I
)


def _weight(statement: str, *, first: bool) -> int:
    """Whether a statement compares in an aspect ("is more concise"), picks one, or concludes."""
    if _CONCEDES.search(statement):
        return _ASPECT
    if _CONCLUDES.search(statement) and not first:
        return _CONCLUSION
    return _PICK if _PICKS_ONE.search(statement) else _ASPECT


def _settle(said: Sequence[tuple[int, int]]) -> int | None:
    """What statements choose together: all the same, else what those say that conclude, else the
    only pick. A pick that others contradict is none.
    """
    every = {chosen for chosen, _ in said}
    if len(every) <= 1:
        return next(iter(every), None)
    for weight in (_CONCLUSION, _PICK):
        of_weight = [chosen for chosen, own in said if own == weight]
        if of_weight:
            is_clear = len(set(of_weight)) == 1 and (
                weight == _CONCLUSION or said[0] == (of_weight[0], _PICK)
            )
            opened = said[0][1] != _PICK or said[0][0] == of_weight[0]
            return of_weight[0] if is_clear and opened else None
    return None


def _said(statement: str, *, first: bool) -> int | None:
    """What a statement chooses, `_NEITHER` where it says that it prefers neither, None where it is
    not clear.
    """
    main, conceded, against = None, None, None
    statement = _TOGETHER.sub("these", statement)
    if _CONCEDING.match(statement):  # what is conceded first ends at its comma
        statement = statement.replace(", ", ", so ", 1)
    clauses = [clause for clause in _CLAUSES.split(statement) if clause.strip()]
    for number, clause in enumerate(clauses):
        said = _clause(clause, first=first and number == 0, alone=len(clauses) == 1)
        if said is None:
            continue
        if not _CONCEDING.match(clause):
            main = said
        else:
            conceded = said
            if number and _SETTING_AGAINST.match(clause):
                against = said
    if against is not None and main is not None and against != main:
        return None  # "A is more coherent, while B is more concise"
    return main if main is not None else conceded


def _clause(clause: str, *, first: bool, alone: bool) -> int | None:
    kept = re.sub(rf"({_THAN}){_L}", r"\1it", clause, flags=re.I)
    start = rf"^\W*{_OPENS}"
    found = set[int]()
    for index, sign in enumerate(_SIGNS):
        if re.search(rf"{_NOT}[^{_SIGNS},:]{{0,60}}{sign}|{sign}[^{_SIGNS},:]*{_NOT}", kept, re.I):
            continue
        if index < 2 and re.search(
            rf"{sign}[^{_SIGNS}:]*\b{_LOSES}\b|\b{_LOSES}\b{_REST}*(?:\bis\W+|:\W*){sign}",
            kept,
            re.I,
        ):
            found.add(1 - index)
            continue
        stated = [
            rf"{_STATES}{sign}",
            rf"{_IS_BETTER}{sign}",
            rf":\W*{sign}\W*$",
            rf"{sign}(?:(?!\bother\b|,\s+(?:the|my|i)\b){_REST})*?\b{_GETS}\b",
            rf"\[\[\W*{sign}\W*\]\]|boxed\W+{sign}",
        ]
        if alone:
            stated.append(rf"{start}{sign}\W*$")
        if first:
            stated.append(rf"{start}{sign}\W*(?:[,.:)\]–—-]{_REST}*$|\b(?:because|as|since|due)\b)")
        if any(re.search(pattern, kept, re.I) for pattern in stated):
            found.add(index)
    if found:
        return found.pop() if len(found) == 1 else None
    same = _SAME.search(kept)
    if same and not re.search(
        rf"(?:{_NOT}|\bnot\b)\W+(?:\w+\W+){{0,2}}$", kept[: same.start()], re.I
    ):
        return _NEITHER if not re.search(f"[{_SIGNS[:2]}]", kept) else None
    return None


def _marked(text: str, labels: tuple[str, ...]) -> str:
    """The text with one sign for each label, wherever it names the label or stands for it as an
    answer.
    """
    for pattern, sign in _patterns(labels):
        text = pattern.sub(rf"\g<before>{sign}", text)
    return text


def _without_headings(marked: str) -> str:
    """Without the candidates repeated under their labels, and without what follows one label as a
    heading.
    """
    headings = re.findall(rf"^\W*({_L})[^\w\n]*:", marked, re.M)
    if len(set(headings)) > 1:
        return re.sub(rf"^\W*{_L}[^\w\n]*:.*(?:\n[^\n{_SIGNS}]+)?$", "", marked, flags=re.M)
    return re.sub(rf"(?:^\W*|(?<=\n)\W*){_L}[^\w\n]*:[ \t]*\n.*|(?<=\n){_L}[^\w\n]*:.*", "", marked)


@cache
def _patterns(labels: tuple[str, ...]) -> list[tuple[re.Pattern[str], str]]:
    """How a label may be written, the whole label first, and the sign for it."""
    whole, short = [], []
    parts = [re.findall(r"\w+", label) for label in labels]
    for words, sign in zip(parts, _SIGNS, strict=False):
        last = re.escape(words[-1])
        letter = len(words[-1]) == 1
        if len(words) > 1 or not letter:
            stem = r"\W{1,3}".join(map(re.escape, words[:-1]))
            stem = rf"(?i:\b{stem}\W{{1,3}})" if stem else r"\b"
            # "Summary A" names it whatever follows; in "the summary a reader likes" it is an
            # article.
            end = (
                rf"(?:{last.upper()}\b|(?i:{last})(?=\))|(?i:{last})\b{_NO_NOUN})"
                if letter
                else rf"(?i:{last})\b"
            )
            whole.append((re.compile(rf"(?P<before>){stem}{end}", re.M), sign))
        if sum(other[-1].lower() == words[-1].lower() for other in parts) == 1:
            end = rf"\b{_NO_NOUN}" if letter else r"\b"
            short += [
                (re.compile(pattern, re.M | re.I), sign)
                for pattern in (
                    rf"(?P<before>^\W*){last}(?=\W*$)",
                    rf"(?P<before>\[\[\s*|boxed\W+){last}\b",
                    rf"(?P<before>(?<=[.!?:])\s\W*){last}(?=[\W]*(?:$|\n))",
                    rf"(?P<before>\A\W*){last}{end}(?=\s*[,.:;)\]–—-]|\s+(?:because|as|since|due|is|wins)\b)",
                    rf"(?P<before>{_IS_BETTER}){last}{end}",
                    rf"(?P<before>\b(?:{_NAMES}|{_PICKS})\b{_LINKS}\W{{1,8}}){last}{end}",
                )
            ]
            if letter:  # "B is more coherent"
                short.append(
                    (
                        re.compile(
                            rf"(?P<before>(?:^|[\s,(]))(?-i:{last.upper()})(?=\)?(?: is| "
                            r"was|'s| wins)\b)",
                            re.M,
                        ),
                        sign,
                    )
                )
    # What stands beside a label that was found: "Answer: A or B".
    for words, sign in zip(parts, _SIGNS, strict=False):
        beside = (
            rf"(?P<before>{_L}\)?(?:,?\s(?:or|and|over|than)\s|\s?/\s?)\W?){re.escape(words[-1])}\b"
        )
        short.append((re.compile(beside, re.I), sign))
    return whole + short


def _plain(text: str) -> str:
    """Without thoughts, tags, markdown, quotation marks and blank lines."""
    text = re.sub(rf"[{_SIGNS}]", "", text)
    text = _ends_of(strip_thoughts(text))[0]
    text = re.sub(r"\s*\n\s*", "\n", text.replace("’", "'").replace("‘", "'").strip())
    text = re.sub(r"</?[a-z]\w*/?>", "\n", text, flags=re.I)
    text = re.sub(
        r"[*`\"“”„«»{}$\\]+|(?<!\w)'|'(?!\w)|(?<!\w)_+|_+(?!\w)|^\s*(?:#+|>|[-•])\s+",
        " ",
        text,
        flags=re.M,
    )
    text = re.sub(r"\s*\n\s*", "\n", re.sub(r"[^\S\n]+", " ", text)).strip()
    # Lines of punctuation say nothing, and from each a pattern would look through all after it.
    return re.sub(r"(?:\n[^\w\n]*){4,}(?=\n|\Z)", "\n", text)


_DIGITS = r"[-−]?\d+(?:\.\d+)?"
_OVERLONG = re.compile(r"(\d{40})\d+")  # as large with fewer; what follows tries each of its ends
_UNCLEAR = re.compile(
    # Dates, times, versions, thousands; ranges; percentages, amounts, ordinals, list numbers;
    # months' days and years.
    rf"(?!\d+\.\d+/\d+\b(?![/.]\d))\d+(?:[-/.:,]\d+){{2,}}|\d+[:,]\d+|\b(?:between\s+)?{_DIGITS}\s*(?:[-–—]|to|or|and)\s*{_DIGITS}\b(?!\s*/)"
    rf"|[$€£#]\s?\d+[\d.,]{{0,90}}|\d[\d.,]{{0,90}}(?:\s?(?:%|percent|[$€£])|st\b|nd\b|rd\b|th\b)"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+\d+|\d+\s+(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b",
    re.I,
)
_STATED = (
    r"\b(?:scores?|scored|rating|rated?|rates?|marks?|grades?|answer|result|deserves?|gives?"
    r"|give it|assign|verdict|overall|earns)\b(?:\s+(?:it|this|the|summary|text|response|is|of"
    r"|as|an?|would|be|with|at"
    r"|final|overall|score|rating|to))*"
    r"\W{0,6}NUMBER",
    r"[:=]\s*NUMBER\W*$",  # "Coherence: 4"
    r"^\W*NUMBER\W*$",
    r"\A\W*NUMBER(?=[.,:;)\s]|$)",
    r"NUMBER\s*stars?\b",
)
_COUNTS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


_MARK_STATED = re.compile(
    r"\{[^{}]*?[\"'](?:final_|overall_)?(?:score|rating|mark|grade)[\"']\s*:\s*[\"']?(\d{1,9}(?:\.\d{1,9})?)"
    r"[\"']?\s*(?:[,}\n])"
    r"|\A[\s*#_]*(\d{1,9}(?:\.\d{1,9})?)[ *_.]*\n\s*\S",
    re.I,
)
_MARK_LABELLED = re.compile(
    r"\b(?:score|rating|mark|grade)\b\W{0,8}\d{1,9}(?:\.\d+)?(?:\s*(?:/|out of)\s*\d+)?[\s.,;*)]",
    re.I,
)


def mark(text: str, low: float, high: float, *, is_cut: bool = False) -> float | None:
    """The number a reply gives as its mark, or None when it gives none or one outside [low, high].

    The last clear one counts: "Score: 8.5", "7/10", "I'd give it an 8 out of 10", "Three stars", a
    number that is all of a line or begins the reply; without such the only number there is. Ranges
    ("7-8"), shares of another whole ("4/5" where 10 is the most), dates, times, percentages,
    amounts and ordinals are no marks. In JSON, and in a reply that begins with its mark alone on a
    line, it is the mark whatever follows; of a reply that `is_cut` off only these count, and
    "Score: 8" with something behind it.
    """
    answer = split_thoughts(text).blanked
    own = _MARK_STATED.search(answer[:_EITHER_END])
    if own:
        value = float(own[1] or own[2])
        return value if low <= value <= high else None
    if is_cut and not _MARK_LABELLED.search(answer):
        return None
    plain = _UNCLEAR.sub(" ", _OVERLONG.sub(r"\1", _plain(text)))
    # Every number becomes a sign with its place, so that patterns need not know how numbers are
    # written.
    found: list[float] = []

    def note(match: re.Match[str]) -> str:
        if match["most"] and _number(match["most"]) != high:
            return " "
        found.append(_number(match["number"]))
        return f" {_SIGNS[0]}{len(found) - 1}{_SIGNS[1]}"

    share = r"\s*(?:/|out of|of)\s*(?P<most>\d+(?:\.\d+)?|five\b|ten\b)"
    begins, ends = (
        r"(?:(?<=\A)|(?<=\n)|(?<=[:.]\s)|(?<=\ba\s)|(?<=\bof\s))",
        r"(?=\W*$|\.|\s+(?:stars?|out of)\b)",
    )
    spelled = rf"{begins}(?:{'|'.join(_COUNTS)})\b{ends}"
    number = rf"(?P<number>(?<![\w.,/]){_DIGITS}|{spelled})(?:{share}|(?![\w,/]|\.\d))"
    signed = re.sub(number, note, plain, flags=re.I | re.M)
    sign = rf"{_SIGNS[0]}(\d+){_SIGNS[1]}"
    stated = [
        (match.start(1), value)
        for pattern in _STATED
        for match in re.finditer(pattern.replace("NUMBER", sign), signed, re.I | re.M)
        if low <= (value := found[int(match[1])]) <= high
    ]
    if stated:
        return max(stated)[1]
    return found[0] if len(set(found)) == 1 and low <= found[0] <= high else None


def _number(written: str) -> float:
    return float(
        _COUNTS.index(written.lower()) if written.lower() in _COUNTS else written.replace("−", "-")
    )
