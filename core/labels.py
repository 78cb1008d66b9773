"""Labels that pages and commands share.

Members of a registry (metrics, rating methods, pairing strategies, judges) have a label and a help
of their own. This module has the labels of everything else.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from .records import Attribute, Kind, Outcome, TextFormat

# Judges of a kind, in a sentence or a legend.
KINDS: dict[str, str] = {
    Kind.HUMAN: "people",
    Kind.SIMULATED: "simulated voters",
    Kind.LLM: "models",
    Kind.BASELINE: "baselines",
    Kind.GOLD: "gold labels",
}
# All judges of a kind together, as something to choose.
POOLS: dict[Kind, str] = {
    Kind.HUMAN: "people",
    Kind.LLM: "all language models",
    Kind.GOLD: "gold labels",
    Kind.BASELINE: "all baselines",
    Kind.SIMULATED: "simulated voters",
}
# Sources of the votes or scores in a file.
SOURCES: dict[Kind, str] = {
    Kind.HUMAN: "people",
    Kind.SIMULATED: "a simulation of annotators",
    Kind.LLM: "a language model",
    Kind.BASELINE: "a metric or rule",
    Kind.GOLD: "gold labels",
}
OUTCOMES: dict[str, str] = {
    Outcome.A: "A",
    Outcome.B: "B",
    Outcome.TIE: "tie",
    Outcome.BOTH_BAD: "both bad",
}
# How texts are shown to people.
TEXT_FORMATS: dict[str, str] = {
    TextFormat.PLAIN: "plain text",
    TextFormat.MARKDOWN: "Markdown",
    TextFormat.CONVERSATION: "conversations",
}
# What an answer of somebody of a kind is called, where it is a vote.
VOTES: dict[str, str] = {Kind.HUMAN: "human vote", Kind.SIMULATED: "simulated vote"}
# How judgements are corrected for position bias.
DEBIASING = {
    "none": "not corrected",
    "swap": "mean of both orders",
    "threshold": "threshold correction",
}

OVER = {
    "": "chosen by the data",
    "items": "these judges only, on new items",
    "judges": "new judges like these, on these items",
    "both": "new judges like these, on new items",
    "judgements": "new judgements, each independent of its item and its judge",
}
"""What intervals speak of."""
# What the intervals of a picture or table are, by what they are of.
INTERVALS = {
    "share": "95% intervals: Wilson, effective sample size.",
    "mean": "95% intervals: Student's, over items.",
    "item": "95% intervals: bootstrap over items.",
}


def pluralize(number: int, noun: str) -> str:
    """Write a count with its noun: "1 item", "2 items", "1,200 items"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


def name_these(number: int, noun: str) -> str:
    """Name a few as those that are meant: "this judge", "these three judges"."""
    if number == 1:
        return f"this {noun}"
    return f"these {NUMBERS[number] if number < len(NUMBERS) else f'{number:,}'} {noun}s"


def describe_left_out(number: int, noun: str, which: str = "") -> str:
    """Say how many are left out: "2 judgements with no known order are left out"."""
    verb = "is" if number == 1 else "are"
    return " ".join(filter(None, (pluralize(number, noun), which, verb, "left out")))


def join_names(names: Sequence[str]) -> str:
    """Join names in a sentence: "A, B and C"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


LISTED = 4  # names in a sentence or a cell


def join_few_names(names: Sequence[str]) -> str:
    """Join names as `join_names` does; of many the first, and how many more there are."""
    if len(names) > LISTED:
        return f"{', '.join(names[: LISTED - 1])} and {len(names) - LISTED + 1:,} more"
    return join_names(names)


def capitalise(label: str) -> str:
    """Return a label with a capital first letter, as in headings."""
    return label[:1].upper() + label[1:]


def name_group(group: str) -> str:
    """Name the two groups that are compared: "people with models" for human-llm."""
    one, _, other = group.partition("-")
    return f"{KINDS[one]} with {KINDS[other]}"


def name_members(group: str) -> str:
    """Name the members of a group: "people and models" for human-llm, "people" for human-human."""
    one, _, other = group.partition("-")
    return KINDS[one] if one == other else f"{KINDS[one]} and {KINDS[other]}"


def file_name(dataset: str, what: str, form: str) -> str:
    """Name a file about a data set, such as `summeval_leaderboard.svg`.

    Letters and digits of any script stay; other characters of the data set's name become "-".
    """
    about = re.sub(r"[^\w.]+", "-", dataset).strip("-.")
    return f"{about or 'data'}_{what}.{form}"


def percent(value: float, low: float | None = None, high: float | None = None) -> str:
    """Write a share in percent: "72% (95% interval 68 to 76)", never "-0%"."""
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return f"{_points(value)}%"
    return f"{_points(value)}% (95% interval {_points(low)} to {_points(high)})"


def round_up_to_two_digits(number: float) -> float:
    """Round an estimate from 1 on up to two digits: more would claim too much.

    0, NaN and infinity are returned as they are.
    """
    if not 0 < number < math.inf:
        return number
    digits = 10.0 ** max(math.floor(math.log10(number)) - 1, 0)
    return math.ceil(number / digits - 1e-9) * digits


def _points(share: float) -> str:
    return f"{round(100 * share) + 0:d}"


_MODEL_JUDGE = re.compile(
    r"""(?x) (?<![\w-]) [a-z][\w-]*+ : (?P<model> [^\s|]{1,200}? ) (?: -[0-9a-f]{8} )?
    \| (?P<prompt> [\w.-]+ @ \d+ ) (?P<settings> (?: \| [^\s|,;()]*[^\s|,;().] )* )"""
)
_DEFAULT_PROMPT = "comparative@1"


def list_short_judges(text: str) -> dict[str, str]:
    """List the names of models in a text, each with its short name.

    `local:smollm2-bcc81830|comparative@1|classifier` is "smollm2 · classifier" in short. There are
    none if two of them would become equal. Servers are named where models are equal without.
    """
    models = {found[0]: found for found in _MODEL_JUDGE.finditer(text)}
    for with_server in (False, True):
        called = {name: _label_model(found, with_server) for name, found in models.items()}
        if len(set(called.values())) == len(called):
            return called
    return {}


def shorten_judges(text: str) -> str:
    """Shorten the names of models in a sentence or label, as `list_short_judges` says."""
    called = list_short_judges(text)
    return _MODEL_JUDGE.sub(lambda found: called.get(found[0], found[0]), text)


def _label_model(found: re.Match[str], with_server: bool) -> str:
    settings = found["settings"].split("|")[1:]
    shown = [one for one in settings if with_server or not one.startswith("at:")]
    asked = [found["model"], *shown]
    return " · ".join(asked if found["prompt"] == _DEFAULT_PROMPT else [*asked, found["prompt"]])


JOINTS = "-_/ .:|"


def short_names(names: Sequence[str], most: int = 16) -> dict[str, str]:
    """Map names to short labels, all different.

    The beginning that all names share is cut off. If labels are still longer than `most`
    characters, the ending that all share is cut off, then the middle of each. A label keeps its
    middle if it would become equal to another.
    """
    begun = _count_shared(names)
    joint = max(names[0].rfind(sign, 0, begun) for sign in JOINTS) + 1
    cut = {name: name[joint:] or name for name in names}
    ended = _cut_end(cut) if max(map(len, cut.values())) > most else cut
    few = {name: _cut_middle(label, most, most // 2) for name, label in ended.items()}
    times = Counter(few.values())
    return {name: label if times[label] == 1 else ended[name] for name, label in few.items()}


def _count_shared(names: Iterable[str]) -> int:
    """Count the characters that all names begin with."""
    first, last = min(names), max(names)
    pairs = enumerate(zip(first, last, strict=False))
    return next((at for at, pair in pairs if len(set(pair)) > 1), 0)


def _cut_end(labels: Mapping[str, str]) -> dict[str, str]:
    """Replace the ending that all labels share, from a joint on, by "…".

    The labels stay whole if one of them would have nothing left.
    """
    [one, *_] = labels.values()
    shared = _count_shared([label[::-1] for label in labels.values()])
    places = [place for sign in JOINTS if (place := one.find(sign, len(one) - shared)) > 0]
    gone = len(one) - min(places) if places else 0
    short = {name: f"{label[:-gone]}…" for name, label in labels.items()} if gone > 1 else {}
    return short if all(len(label) > 1 for label in short.values()) and short else dict(labels)


def _cut_middle(label: str, most: int, tail: int) -> str:
    if len(label) <= most:
        return label
    return f"{label[: most - tail - 1]}…{label[-tail:]}"


class LabelledMember(Protocol):
    """A member of a registry, as people see it."""

    @property
    def label(self) -> str:
        """Name of the member in a choice."""

    @property
    def help(self) -> str:
        """Explanation of the member, without a full stop."""


def glossary(members: Iterable[LabelledMember]) -> str:
    """Explain each member, as Markdown for the help beside a choice."""
    return " ".join(
        f"**{member.label[0].upper()}{member.label[1:]}**: {member.help}." for member in members
    )


_CONTROLS = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_LETTERS = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"  # Hebrew, Arabic and their neighbours
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]")
_OTHER_WAY = re.compile(rf"(?<![^\s{_CONTROLS}])[^\s{_CONTROLS}]*[{_CONTROLS}{_LETTERS}]\S*")
_ISOLATES = re.compile("[\u2066-\u2069]")


def isolate_directions(text: str) -> str:
    """Isolate words that run from right to left, so that they do not reorder the text around them.

    Each is put between FIRST STRONG ISOLATE and POP DIRECTIONAL ISOLATE (Unicode Annex 9). Words
    with direction marks are isolated, too. A replacement character replaces each control character.
    """
    text = _FORBIDDEN.sub("\ufffd", text)
    return _OTHER_WAY.sub(lambda word: f"\u2068{_ISOLATES.sub('', word[0])}\u2069", text)


_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def escape_unprintable(text: str) -> str:
    """Escape the control characters of a text for a terminal, such as \\u001b for Esc.

    They would move its cursor, change colours or reverse what follows. Line breaks stay.
    """
    return _UNPRINTABLE.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)


def wording(attribute: Attribute, candidate_noun: str = "text") -> str:
    """Return the question in words, the same for people and LLMs.

    It is the attribute's own question, else one with its adjective ("Which summary is more
    coherent?"), else "Which summary is better?".
    """
    return attribute.question or f"Which {candidate_noun} is {_render_comparative(attribute)}?"


def _render_comparative(attribute: Attribute) -> str:
    return f"more {attribute.adjective}" if attribute.adjective else "better"


def describe_duration(seconds: float) -> str:
    """Write a duration as people say it: "40 s", "12 min", "3.5 h"; "1 s" for less than that."""
    if seconds < 90:
        return f"{max(seconds, min(math.ceil(seconds), 1)):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
