"""Thoughts: what models write before their answer, and the marks that set it apart.

One table for judges, scorers and writers of texts. Servers and templates drop marks at either end:
a thought may lack its beginning (the template wrote it), or its end (the model was cut off).
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class ThoughtMark:
    """Marks of the beginning and end of a thought. `answer` ends one even if its beginning is
    missing; by default `end` does this, too.
    """

    begin: re.Pattern[str]
    end: re.Pattern[str]
    answer: re.Pattern[str]


def _mark(begin: str, end: str, answer: str = "") -> ThoughtMark:
    return ThoughtMark(*(re.compile(one, re.IGNORECASE) for one in (begin, end, answer or end)))


_TAG = (
    r"(?:\w+:)?(?:(?:ant)?thinking|think(?:_never_used_\w+)?|(?:internal_)?thoughts?|reasoning"
    r"|reflection|scratchpad|analysis)"
)
_HEADER = r"[^<\n]{0,80}(?:<\|constrain\|>[^<\n]{0,40})?<\|message\|>"
_FINAL = rf"<\|channel\|>\s*final\b{_HEADER}"

MARKS = (
    _mark(rf"<\s*{_TAG}\s*>", rf"<\s*/\s*{_TAG}\s*>"),  # DeepSeek, Qwen, GLM, EXAONE, Seed, MiniMax
    _mark(r"\[THINK\]", r"\[/THINK\]"),  # Mistral
    _mark(r"◁think▷", r"◁/think▷"),  # Kimi
    _mark(r"<\|begin_of_thought\|>", r"<\|end_of_thought\|>"),  # OpenThinker
    _mark(r"<\|START_THINKING\|>", r"<\|END_THINKING\|>"),  # Cohere
    _mark(r"<\|channel>\s*thought\b", r"<channel\|>"),  # Gemma 4
    _mark(r"<unused94>\s*thought\b", r"<unused95>"),  # MedGemma
    _mark(  # gpt-oss, with its control tokens
        rf"<\|channel\|>\s*(?:analysis|commentary)\b{_HEADER}",
        rf"{_FINAL}|<\|end\|>|<\|call\|>",
        _FINAL,
    ),
    # gpt-oss, decoded without its control tokens: "analysisThe user asks...assistantfinalSummary A"
    _mark(r"\A\s*analysis(?=[A-Z\"'“(\d])", r"assistant\s?final(?=\S)|assistantfinal"),
    _mark(  # Granite
        r"\A\s*Here(?:'s| is) my (?:thought|thinking) process:",
        r"(?<=\n)[^\S\n]*Here(?:'s| is) my response:",
        r"(?!)",
    ),
)
"""How models mark what is not yet their answer."""

_CONTROL = re.compile(
    rf"<\|start\|>(?:assistant)?|{_FINAL}|<\|(?:end|return|call|message|channel)\|>", re.IGNORECASE
)


@dataclass(frozen=True)
class ModelReply:
    """Text that a model wrote. `blanked` is its answer at the place it has in the whole, with
    line breaks for thoughts and control tokens. `is_thinking`: a thought was begun and never
    ended. `has_open_thought`: more were begun than ended, so that one may hold all of the rest.
    """

    blanked: str
    is_thinking: bool = False
    has_open_thought: bool = False

    @property
    def answer(self) -> str:
        """Return the text that is left without thoughts."""
        return self.blanked.strip()


def split_thoughts(text: str) -> ModelReply:
    """Tell the answer of a reply from the thoughts before, after or within it."""
    spans, is_thinking, has_open_thought = [], False, False
    for mark in MARKS:
        found, is_open = _spans(text, mark)
        spans += found
        is_thinking = is_thinking or is_open
        has_open_thought |= len(mark.begin.findall(text)) > len(mark.end.findall(text))
    spans += [match.span() for match in _CONTROL.finditer(text)]
    if not spans:
        return ModelReply(text)
    signs = list(text)
    for start, end in spans:
        signs[start:end] = "\n" * (end - start)
    return ModelReply("".join(signs), is_thinking, has_open_thought)


def _spans(text: str, mark: ThoughtMark) -> tuple[list[tuple[int, int]], bool]:
    """Find the thoughts of one kind of mark, and whether the last has no end."""
    begins = [match.span() for match in mark.begin.finditer(text)]
    ends = [match.span() for match in mark.end.finditer(text)]
    answers = [match.end() for match in mark.answer.finditer(text)]
    if not begins and not answers:
        return [], False
    after = answers[-1] if answers else max((end for _, end in ends), default=0)
    spans: list[tuple[int, int]] = []
    before = [start for start, _ in begins if start < after]
    if before or answers:
        # A mark inside a thought is part of it: from the first beginning to the last end, unless
        # they take turns with an answer between them.
        marks = sorted(
            [(start, "begin") for start in before]
            + [(end, "end") for _, end in ends if end <= after]
        )
        kinds = [kind for _, kind in marks]
        if kinds == ["begin", "end"] * len(before):
            places = [place for place, _ in marks]
            spans += zip(places[::2], places[1::2], strict=True)
        else:
            first = before[0] if kinds and kinds[0] == "begin" else 0
            spans.append((first, after))
    begun = [start for start, _ in begins if start >= after]
    if begun:
        spans.append((begun[0], len(text)))
    return spans, bool(begun)
