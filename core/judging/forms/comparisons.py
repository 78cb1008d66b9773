"""The forms in which a reply says which of two texts is better."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from ...models.served import AnswerShape
from .contradictions import LOSES
from .form import Statement, UnparsedReplyError, VerdictForm, find_objects, reasoned_shape
from .labels import GAP, MARKUP, NOUNS, Labels, narrow_characters

VERDICT_KEYS = (
    "verdict", "final_verdict", "winner", "answer", "final_answer", "choice", "preferred",
    "preference", "better", "best", "decision",
)  # fmt: skip
"""The keys of a JSON object that hold its verdict."""

VERDICT_NAME = (
    r"(?:(?:(?:my|the|your|final|overall|therefore|so|thus)\b,?\s*){0,3}"
    r"(?:verdict(?: final)?|answer|winner|choice|decision|judge?ment|preference|conclusion|result)"
    r"|(?:(?:mein|das|die|endgültiges|abschließendes) )?"
    r"(?:urteil|antwort|ergebnis|entscheidung|fazit|sieger)"
    r"|(?:最终|最終)?的?(?:结论|結論|判断|判定|答案|裁决|选择|回答|答え|勝者)"
    r"|(?:ma |la |le )?(?:réponse|décision|gagnant)"
    r"|(?:respuesta|veredicto(?: final)?|decisión|ganador)"
    r"|(?:окончательный )?(?:ответ|вердикт|решение|вывод))"
)
"""What the line of a verdict begins with."""

_LINK = rf"[\s*_]{{0,9}}(?:[:=]|\bis\b|\bist\b|是|は)(?::|{MARKUP}){{0,40}}+"
_REASON = (
    r",?\s+(?:because(?! of\b)|since|weil|denn|parce que|porque)\b|[,，]?\s*因为|[,，]?\s*потому"
)
_DENIED = re.compile(
    r"(?:(?:\b(?:not|never|cannot|nicht|pas)|n['’]t)(?:\s+(?:in good faith|be|choose|pick|select"
    r"|prefer|give|award|say|declare|go|vote|with|for)){0,3}|不是|не"
    rf"|(?:{LOSES}|\bworst\b|\b(?:loser|verlierer|perdant|perdedor)\b)"
    rf"(?:\s+(?:one|{'|'.join(NOUNS)}))?(?:\s+(?:is|was|ist|est|es)|是)?)[\s*_\"'“:]*\Z",
    re.IGNORECASE,
)
_SAID_TO_LOSE = re.compile(
    rf"\]\][\s*_]*(?:is|was|ist|est|es|是)?\s*(?:[a-zß-ÿ]+\s+){{0,2}}(?:{LOSES})", re.IGNORECASE
)
_BEFORE = 100  # characters before brackets in which they may be denied
_OR = re.compile(r"(?:\b(?:or|oder|ou|или)|或者?|または|か)[\s:,]*\Z", re.IGNORECASE)
_ENDS = " \t\n*_`#>~\"'“”„«»‘’‹›「」『』()[]{}$\\.!。"


def find_label_first(text: str, labels: Labels) -> Sequence[Statement]:
    """Find a label such as "Summary A" at the beginning of a reply; what follows gives reasons."""
    match = _label_first(labels).match(text)
    if match is None:
        return ()
    label, rest = labels.index(match), text[match.end("label") :]
    sentence = re.split(r"[.!?\n。]", rest, maxsplit=1)[0]
    if match["reason"] and re.search(LOSES, sentence, re.IGNORECASE):
        raise UnparsedReplyError("it begins with a label, of which it says that it is worse")
    is_bare = len(match["label"]) == 1 and match["name"] is None
    if is_bare and re.match(r"[*_]*\.[*_]*[^\S\n]+\S", rest):
        raise UnparsedReplyError("it begins with a list, or with initials")
    _refuse_headings(rest, label, labels, is_named=match["name"] is not None)
    return (Statement(label, match.start("label"), match.end("label"), labels.core_of(match)),)


@cache
def _label_first(labels: Labels) -> re.Pattern[str]:
    return re.compile(
        rf"(?!\W{{0,40}}\[\s\]){MARKUP}*+(?P<name>{VERDICT_NAME}{_LINK})?(?P<label>{labels.any_pattern})"
        rf"[^\S\n]*{GAP}{{0,6}}"
        rf"(?::?\s*\Z|\n|[.!;](?![A-Za-z0-9])|。|(?P<reason>{_REASON}))",
        re.IGNORECASE,
    )


def _refuse_headings(rest: str, label: int, labels: Labels, *, is_named: bool) -> None:
    """Refuse a reply whose first label is one of two headings. Raises UnparsedReplyError.

    What follows the label goes on to the other one, and did not come back to the first before.
    """
    rest = re.sub(r"\[\[[^\[\]\n]{1,60}\]\]", "", rest)  # a verdict, no heading
    ends = r"[.:!](?=\s|\Z|\*)" + ("" if ")" in "".join(labels.words) else r"|[)\]]")
    headed = rf"(?:\A|\n|[.!?;]\s){GAP}*(?:LABEL){GAP}*(?:{ends}|\n|\Z)"
    own, other = (
        re.search(headed.replace("LABEL", of), rest, re.IGNORECASE)
        for of in (labels.pattern_of(label), labels.pattern_except(label))
    )
    if other is None or (own and own.start() < other.start()):
        return
    follows_at_once = not rest[: other.start()].strip(" \n*_#.;!:")
    if not (own and follows_at_once) and not (is_named and not follows_at_once):
        raise UnparsedReplyError("it begins with one label and lists another")


def find_brackets(text: str, labels: Labels) -> Sequence[Statement]:
    """Find verdicts of the form "[[A]]" anywhere; "[[C]]" is a tie, as in FastChat.

    Raises UnparsedReplyError for a verdict that is denied, and for brackets without a label.
    """
    found = []
    for match in re.finditer(r"\[\[([^\[\]\n]{1,60})\]\]", text):
        inner = labels.match_exactly(match[1])
        shift = match.start(1)
        is_denied = _DENIED.search(text, max(0, match.start() - _BEFORE), match.start())
        if is_denied or _SAID_TO_LOSE.match(text, match.end() - 2):
            raise UnparsedReplyError("it says which verdict it does not give")
        if inner is not None:
            label, core = labels.index(inner), labels.core_of(inner)
            start, end = inner.span()
            found.append(Statement(label, shift + start, shift + end, shift + core))
        elif labels.tie is not None and match[1].strip().upper() == "C":
            found.append(Statement(labels.tie, shift, match.end(1), shift))
        elif not _strength(labels).fullmatch(match[1].strip()):
            raise UnparsedReplyError(f"it states [[{match[1].strip()[:20]}]], which is no label")
    return found


def find_verdict_last(text: str, labels: Labels) -> Sequence[Statement]:
    """Find "Verdict: Summary A" in the last line."""
    last = [one for one in find_verdict_lines(text, labels) if not text[one.end :].strip(_ENDS)]
    if last and _OR.search(text, 0, text.rfind("\n", 0, last[0].start) + 1):
        raise UnparsedReplyError("it lists the verdicts that it could give")
    return last


def find_verdict_lines(text: str, labels: Labels) -> Sequence[Statement]:
    """Find "Verdict: Summary A" as any line, or at the end of one."""
    return [
        Statement(labels.index(match), *match.span("label"), labels.core_of(match))
        for match in _verdict_line(labels).finditer(text)
    ]


@cache
def _verdict_line(labels: Labels) -> re.Pattern[str]:
    return re.compile(
        rf"(?:\A|\n|[.!?。]\s){GAP}*{VERDICT_NAME}{_LINK}(?P<label>{labels.any_pattern})"
        rf"{GAP}*+[.!。]?{GAP}*(?=\n|\Z)",
        re.IGNORECASE,
    )


def find_json(text: str, labels: Labels) -> Sequence[Statement]:
    """Find verdicts such as `{"verdict": "Summary A", ...}`, fenced or not, among other keys.

    Raises UnparsedReplyError for a verdict that is no label.
    """
    found = []
    for said, start in _verdicts(text):
        match = labels.match_exactly(said)
        if match is None:
            raise UnparsedReplyError(f"its JSON gives the verdict {said[:30]!r}, which is no label")
        begin, end = match.span()
        label, core = labels.index(match), labels.core_of(match)
        if start is None:  # in escapes: the place of its own characters is unknown
            found.append(Statement(label, 0, 0, -1))
        else:
            found.append(Statement(label, start + begin, start + end, start + core))
    return found


def _verdicts(text: str) -> Iterator[tuple[str, int | None]]:
    """Yield each JSON object's verdict and its place in the text, None where it is escaped.

    From an object that is cut off or not quite JSON, yield the verdict with which it begins. Raises
    UnparsedReplyError for an object with several verdicts.
    """
    key = rf"\"(?:{'|'.join(VERDICT_KEYS)})\"\s*:\s*\"(?P<said>[^\"\\\n]{{0,80}})\""
    for value, start, end in find_objects(text, VERDICT_KEYS):
        if value is None:
            first = re.compile(rf"\{{\s*{key}\s*(?:[,}}…\n]|\Z)", re.IGNORECASE).match(text, start)
            if first:
                yield first["said"], first.start("said")
                return
            continue
        stated = {str(value[name]) for name in VERDICT_KEYS if name in value}
        if len(stated) > 1:
            raise UnparsedReplyError("its JSON gives several verdicts")
        for said in stated:
            match = re.compile(key, re.IGNORECASE).search(text, start, end)
            yield said, match.start("said") if match and match["said"] == said else None


def find_strength(text: str, labels: Labels) -> Sequence[Statement]:
    """Find "[[A>>B]]", "[[A>B]]", "[[A=B]]" and so on, as in Arena-Hard; without brackets where it
    is all of a line.
    """
    own = _strength(labels).pattern
    pattern = (
        rf"\[\[\s*{own}\s*\]\]|(?:\A|\n){GAP}*+"
        rf"(?:{VERDICT_NAME}{_LINK})?{own.replace('?P<', '?P<bare_')}{GAP}*(?=\n|\Z)"
    )
    found = []
    for match in re.finditer(pattern, text, re.IGNORECASE):
        bare = "" if match["first"] else "bare_"
        first, sign, second = (match[bare + name] for name in ("first", "sign", "second"))
        sign = {"≫": ">>", "≪": "<<"}.get(sign, sign)
        cores = [labels.fold_case(core) for core in labels.cores[:2]]
        one, other = (cores.index(labels.fold_case(core)) for core in (first, second))
        start, end = match.start(bare + "first"), match.end(bare + "second")
        if one == other:
            raise UnparsedReplyError("it compares a text with itself")
        if "=" in sign:
            if labels.tie is None:
                raise UnparsedReplyError("it finds both equal, and no tie was offered")
            found.append(Statement(labels.tie, start, end, start, 0.0))
            continue
        winner = one if ">" in sign else other
        found.append(Statement(winner, start, end, start, 1.0 if len(sign) > 1 else 0.5))
    return found


@cache
def _strength(labels: Labels) -> re.Pattern[str]:
    case = "" if labels.ignores_case else "-i"
    text = rf"(?{case}:{'|'.join(re.escape(core) for core in labels.cores[:2])})"
    before = {
        re.escape(narrow_characters(word).removesuffix(core))
        for word, core in zip(labels.words, labels.cores, strict=True)
    }
    noun = rf"(?:(?:{'|'.join(sorted(before - {''}))})\s*)?" if any(before) else ""
    return re.compile(
        rf"{noun}(?P<first>{text})\s*(?P<sign>>>|<<|[><]|={{1,2}}|≫|≪)\s*{noun}(?P<second>{text})",
        re.IGNORECASE,
    )


def find_two_scores(text: str, labels: Labels) -> Sequence[Statement]:
    """Find "A: 6 / B: 9", or "6 9" as the first line: the higher is better."""
    first_line = re.match(
        rf"{MARKUP}*+(\d{{1,3}}(?:\.\d+)?)(?:[,;/|]?[\t ]+|[\t ]+[,;/|][\t ]*)"
        rf"(\d{{1,3}}(?:\.\d+)?){GAP}*(?:\n|\Z)",
        text,
    )
    labelled = [_labelled_scores(text, pattern) for pattern in labels.patterns[:2]]
    if not any(labelled):
        if first_line is None:
            return ()
        scores = [float(score) for score in first_line.groups()]
        return (_compare_scores(scores, first_line.start(1), first_line.end(2), labels),)
    if not (len(labelled[0]) == len(labelled[1]) == 1):
        raise UnparsedReplyError("it gives scores, and not one for each text")
    [(a, of_a)], [(b, of_b)] = labelled[0].items(), labelled[1].items()
    if a[1] != b[1]:
        raise UnparsedReplyError("its two scores are on different scales")
    if first_line and _compare_scores(
        [float(s) for s in first_line.groups()], 0, 0, labels
    ) != _compare_scores([a[0], b[0]], 0, 0, labels):
        raise UnparsedReplyError("it gives two different pairs of scores")
    return (_compare_scores([a[0], b[0]], min(of_a[0], of_b[0]), max(of_a[1], of_b[1]), labels),)


_SCORE = (
    r"(?:['’]s)?[\s*_]{0,4}(?:(?:score|rating|total|overall|points|punkte|note|得分|评分)[\s*_]{0,4})?"
    r"(?:[:=|(–—-]|is|gets|scores|receives|得分)[\s*_\"'\[(|]{0,5}"
    r"(?P<number>\d{1,3}(?:[.,]\d+)?)(?P<most>\s*\(?(?:/|out of|von|of)\s*\d{1,3}\)?)?"
    r"(?!\s*/\s*\d)(?!\.\s[^\n]*[A-Za-z][^\n]*\d)"
    r"(?![.,:]?\d|\w|…|[)?]|\s*\([^)\n]*\)\s*,\s*\d)(?!\s*(?:%|[-–]\s*\d))"
    r"(?!\s+(?!(?:and|und|vs|points?|pts|punkte|puntos)\b)(?-i:[a-z]{2,}))"
)


def _labelled_scores(text: str, label: str) -> dict[tuple[float, str], tuple[int, int]]:
    """Find the different scores of one text, each with its maximum ('' without one) and its span.

    Raises UnparsedReplyError for a score above its maximum.
    """
    found: dict[tuple[float, str], tuple[int, int]] = {}
    for match in re.finditer(rf"(?:{label}){_SCORE}", text, re.IGNORECASE):
        core = next(name for name in match.groupdict() if name.startswith("core"))
        if match[core] == "a" and not re.match(r"['’\s*_]*[:=|]", text[match.end(core) :]):
            continue  # an article: "a score is 6"
        most = re.sub(r"\D", "", match["most"] or "")
        number = float(match["number"].replace(",", "."))
        if most and number > float(most):
            raise UnparsedReplyError(f"it gives {number:g} out of {most}")
        found.setdefault((number, most), match.span())
    return found


def _compare_scores(scores: Sequence[float], start: int, end: int, labels: Labels) -> Statement:
    if scores[0] == scores[1]:
        if labels.tie is None:
            raise UnparsedReplyError("it gives both the same score, and no tie was offered")
        return Statement(labels.tie, start, end, start)
    return Statement(int(scores[1] > scores[0]), start, end, start)


COMPARISON_FORMS = {
    form.name: form
    for form in (
        VerdictForm(
            "label-first",
            "The reply begins with a label; reasons may follow.",
            "Answer with {offer}.",
            find_label_first,
            max_tokens=32,
            shape=lambda words: AnswerShape(choices=tuple(words)),
        ),
        VerdictForm(
            "brackets",
            "A label stands in double brackets: [[A]].",
            "State your verdict in double brackets: {brackets}.",
            find_brackets,
        ),
        VerdictForm(
            "verdict-last",
            'The last line is "Verdict: " and a label.',
            'End with a line of its own: "Verdict: " and {offer}.',
            find_verdict_last,
        ),
        VerdictForm(
            "json",
            'A JSON object has the label under "verdict".',
            'Answer with a JSON object: {"reason": "...", "verdict": "..."}, where the verdict is '
            "{offer}.",
            find_json,
            shape=lambda words: reasoned_shape("verdict", {"type": "string", "enum": list(words)}),
        ),
        VerdictForm(
            "strength",
            "How much better is stated as well: [[A>>B]], [[A>B]], [[B>A]] ...",
            "State your verdict in double brackets: {strengths}, where >> means much better.",
            find_strength,
            has_token=False,
        ),
        VerdictForm(
            "two-scores",
            "Each text gets a score; the higher is better.",
            "Give each a score from 1 to 10, the higher the better, each on a line of its own: "
            '"{label_a}: score", "{label_b}: score".',
            find_two_scores,
            has_token=False,
        ),
    )
}
"""The forms of comparing prompts by name; the first is that of a prompt which declares none."""
