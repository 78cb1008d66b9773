"""The vocabulary: what is stored and passed about, as frozen dataclasses and enums."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


def option_ref(name: str) -> str:
    """Mark a setting in a sentence by the name of its field.

    `render_options` replaces the mark by the name that people know there.
    """
    return f"⟦{name}⟧"


def render_options(sentence: str, called: Callable[[str], str]) -> str:
    """Replace each `option_ref` in a sentence by the name that `called` gives it."""
    return _SETTING.sub(lambda match: called(match[1]), sentence)


def plain_name(name: str) -> str:
    """Write the name of a setting in plain words: "beam size"."""
    return name.replace("_", " ")


_SETTING = re.compile(f"{option_ref('([a-z_]+)')}")


class TandemError(Exception):
    """A request that cannot be met: one sentence that names the value and the way out.

    `str` writes each `option_ref` in plain words; `render_options` writes it in other words.
    """

    @property
    def sentence(self) -> str:
        """Return the message in one printable line, with each `option_ref` as it is."""
        return sanitize_line(super().__str__())

    def __str__(self) -> str:
        return render_options(self.sentence, plain_name)


def sanitize_line(sentence: str) -> str:
    """Make a sentence that quotes a file or a person fit to be read.

    It becomes one line, without control characters. Overlong words are cut at their end, an
    overlong sentence in its middle: its end says the way out.
    """
    sentence = _UNSEEN.sub(lambda sign: ascii(sign[0])[1:-1], " ".join(sentence.splitlines()))
    sentence = _ENDLESS.sub(lambda word: f"{word[0][:80]}…", sentence)
    return sentence if len(sentence) <= LONGEST else f"{sentence[:800]} … {sentence[-400:]}"


LONGEST = 1300  # characters of a message
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_ENDLESS = re.compile(r"\S{400,}")

CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
"""Control characters, which a terminal takes for commands and no screen can show.

Tabs and line ends are allowed: a prompt may be an item's name.
"""


def has_control(name: str) -> bool:
    """Return whether a name has a control character in it."""
    return not name.isprintable() and CONTROL.search(name) is not None


class FaultError(TandemError):
    """A valid request that failed: a disk is full, the store is locked, damaged or gone.

    One sentence gives the reason and the way out; once that is mended, the same request works.
    """


class Outcome(StrEnum):
    """A judge's answer about an ordered comparison: A is the text shown first."""

    A = "a"
    B = "b"
    TIE = "tie"
    BOTH_BAD = "both_bad"

    @property
    def points(self) -> float:
        """Return the points of the first text: 1, 0, or 0.5 if neither was preferred."""
        return {Outcome.A: 1.0, Outcome.B: 0.0}.get(self, 0.5)


class TextFormat(StrEnum):
    """The format in which people see texts. Models always read them as written.

    PLAIN shows every character, MARKDOWN renders Markdown, CONVERSATION shows turns with rendered
    Markdown.
    """

    PLAIN = "plain"
    MARKDOWN = "markdown"
    CONVERSATION = "conversation"


class Kind(StrEnum):
    """The kind of a judge. Statistics never pool two kinds unless both were asked for."""

    HUMAN = "human"
    SIMULATED = "simulated"  # annotators that a program draws: never counted as people
    LLM = "llm"
    BASELINE = "baseline"
    GOLD = "gold"


def choose_voting_kind(kinds: Iterable[str]) -> Kind:
    """Choose the kind of judge whose votes a page takes as the truth.

    It is people; simulated voters only if no people have voted.
    """
    there = set(kinds)
    return Kind.SIMULATED if Kind.SIMULATED in there and Kind.HUMAN not in there else Kind.HUMAN


class Role(StrEnum):
    """The rights of a person, from the least to the most. Compare roles by `includes`, not as
    texts.

    An annotator annotates; a researcher does everything except managing people; an owner does
    everything.
    """

    ANNOTATOR = "annotator"
    RESEARCHER = "researcher"
    OWNER = "owner"

    def includes(self, needed: Role) -> bool:
        """Return whether this role includes the rights of `needed`."""
        ranks = list(Role)
        return ranks.index(self) >= ranks.index(needed)


class Status(StrEnum):
    """The state of a run: it moves from `queued` to one of the last three."""

    QUEUED = "queued"
    RUNNING = "running"
    CANCELLED = "cancelled"
    FAILED = "failed"
    DONE = "done"


@dataclass(frozen=True)
class Dataset:
    """A data set: the source of its texts, and the nouns that fill prompts and screens."""

    name: str
    source: str = ""
    licence: str = ""
    context_noun: str = "context"
    candidate_noun: str = "text"
    instructions: str = ""


class Item(NamedTuple):
    """One test instance.

    `subset` is its task, language or split. `family` names what it shares with other items, such as
    a prompt, a document or a template.
    """

    key: str
    context: str = ""
    references: tuple[str, ...] = ()
    subset: str = ""
    family: str = ""


@dataclass(frozen=True)
class System:
    """A ranked system: a model under a decoding setting. `base` groups the settings of a model."""

    name: str
    base: str = ""
    decoding: tuple[tuple[str, object], ...] = ()


class Generation(NamedTuple):
    """One sampled output.

    `text` is None if it is not available, and '' if it is really empty. `length` is its number of
    characters, if only that is known.
    """

    item: str
    system: str
    sample: int = 0
    text: str | None = None
    length: int | None = None


@dataclass(frozen=True)
class Attribute:
    """One question, asked of people and LLMs in the same words.

    `lower_is_better` is true if scores in files are better the lower they are, such as ranks;
    judges here score the better text higher. `text_format` is how people see the texts.
    """

    name: str
    adjective: str = ""
    question: str = ""
    guideline: str = ""
    lower_is_better: bool = False
    text_format: TextFormat = TextFormat.PLAIN


@dataclass(frozen=True)
class Prompt:
    """An immutable template; an edit is a new version.

    `form` is the form in which the verdict is stated ('' as the template's words ask for). `labels`
    are the words for the two texts in its language; () are the usual ones.
    """

    name: str
    version: int
    template: str
    form: str = ""
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Person:
    """A person with access to the store.

    `judge` is the row of their votes, once they have annotated. `left_at` is when their access
    ended; '' while they have it.
    """

    id: int
    name: str
    role: Role
    email: str = ""
    judge: int | None = None
    left_at: str = ""


class Scale(NamedTuple):
    """The whole scores from the worst to the best, both included."""

    low: int = 1
    high: int = 10

    @property
    def marks(self) -> tuple[int, ...]:
        """Return all scores of the scale, the lowest first."""
        return tuple(range(self.low, self.high + 1))


USUAL_SCALE = Scale()


@dataclass(frozen=True)
class JudgeSpec:
    """A judge and everything that can change its answers; not device, dtype or batch size."""

    name: str
    kind: Kind
    spec: str = ""
    prompt: Prompt | None = None
    mode: str = ""
    labels: tuple[str, ...] = ()
    votes: int = 1
    temperature: float = 0.0
    seed: int = 0
    truncation: int | None = None
    base_url: str = ""
    scale: Scale = USUAL_SCALE
    max_tokens: int | None = None
    system_prompt: str = ""
    stop: tuple[str, ...] = ()
    extra_body: str = ""
    lenient: bool = False
    provider: str = ""
    served: bool = False


@dataclass(frozen=True)
class Score:
    """An absolute score of one generation, or the reason why it is missing."""

    item: str
    system: str
    attribute: str
    judge: str
    value: float | None = None
    sample: int = 0
    trial: int = 0
    kind: Kind = Kind.HUMAN
    failure: str = ""
    raw: str = ""


@dataclass(frozen=True, kw_only=True)
class Reply:
    """The reply to one question: its content, or else a failure with its reason.

    `tokens` counts what a model read and wrote, `completion_tokens` only what it wrote. `part_read`
    is set if a server reports that it read only so many tokens of a longer prompt; 0 if it read
    all.

    `seconds` is how long the answer took: a person on the screen, or a server from request to
    reply. A model on this machine takes its share of the time of its batch. `waited` is the time
    before: for its turn, for a server's limits, and between tries.
    """

    failure: str = ""
    raw: str = ""
    tokens: int = 0
    completion_tokens: int = 0
    part_read: int = 0
    seconds: float | None = None
    waited: float | None = None

    def check(self, content: object, name: str) -> None:
        """Check for either content or a failure. Raises ValueError for both or neither."""
        if (content is None) == (not self.failure):
            raise ValueError(f"there is exactly one of {name} and failure")


@dataclass(frozen=True)
class Answer(Reply):
    """The reply to one comparison.

    `prob_a` is the probability that A is better, `votes` the number of sampled answers behind it.
    `strength` is how much better the better text is, 0 to 1. `reasons` are those that a person
    chose, as they were worded. `text_format` is how the texts were shown to them; '' if unknown.
    `context_cut` is the number of characters of the context that did not fit.
    """

    outcome: Outcome | None = None
    prob_a: float | None = None
    votes: int = 1
    strength: float | None = None
    confidence: float | None = None
    comment: str = ""
    reasons: tuple[str, ...] = ()
    screen: str = ""
    text_format: str = ""
    context_cut: int = 0

    def __post_init__(self) -> None:
        self.check(self.outcome, "outcome")
        if self.prob_a is not None and not 0.0 <= self.prob_a <= 1.0:
            raise ValueError(f"prob_a is {self.prob_a}; a probability lies between 0 and 1")

    @classmethod
    def from_probability(cls, prob_a: float, *, raw: str = "", tokens: int = 0) -> Answer:
        """Build the answer that a probability implies: above 1/2 A, below B, exactly 1/2 a tie."""
        outcome = Outcome.TIE if prob_a == 0.5 else Outcome.A if prob_a > 0.5 else Outcome.B
        return cls(outcome=outcome, prob_a=prob_a, raw=raw, tokens=tokens)


class Vote(NamedTuple):
    """One answer as a file gives it; A is the text shown first.

    `mark` is a 48-bit hash of its contents, and `occurrence` numbers votes with the same contents.
    `itemless` is true if the row itself is the item.
    """

    item: str
    system_a: str
    system_b: str
    judge: str
    attribute: str = "overall"
    sample_a: int = 0
    sample_b: int = 0
    outcome: Outcome | None = None
    failure: str = ""
    order_known: bool = True
    prob_a: float | None = None
    raw: str = ""
    strength: float | None = None
    confidence: float | None = None
    seconds: float | None = None
    comment: str = ""
    created_at: str = ""  # the instant, as UTC text of one form (`core.moments`)
    mark: int | None = None
    occurrence: int | None = None
    itemless: bool = False
    text_format: str = ""


@dataclass(frozen=True)
class Question:
    """One comparison with everything a judge may read. A text is None if it is not available."""

    comparison: int
    context: str
    text_a: str | None
    text_b: str | None
    attribute: Attribute
    references: tuple[str, ...] = ()
    context_noun: str = "context"
    candidate_noun: str = "text"
    item: str = ""
    subset: str = ""
    trial: int = 0  # which repeat of the same comparison this is: what is random is drawn anew


@dataclass(frozen=True)
class ProbedComparison(Question):
    """A comparison in which text A or B was changed, the `probed` side.

    `asked` is the name of the change, or the sentence added, as declared in core/judging/probes.py.
    """

    probed: Outcome = Outcome.A
    asked: str = ""


@dataclass(frozen=True)
class Candidate:
    """One text to be scored on its own, with everything a scorer may read.

    The text is None if it is not available.
    """

    generation: int
    context: str
    text: str | None
    attribute: Attribute
    references: tuple[str, ...] = ()
    context_noun: str = "context"
    candidate_noun: str = "text"
    item: str = ""
    subset: str = ""


@dataclass(frozen=True)
class Mark(Reply):
    """The reply about one candidate: its score. `context_cut` is as in an `Answer`."""

    value: float | None = None
    context_cut: int = 0

    def __post_init__(self) -> None:
        self.check(self.value, "value")


@dataclass(frozen=True)
class Slot:
    """A text a model is to write: a sample of one item."""

    item: int
    key: str
    sample: int
    context: str


@dataclass(frozen=True)
class Draft(Reply):
    """The reply for one slot: a text, which may be empty."""

    text: str | None = None

    def __post_init__(self) -> None:
        self.check(self.text, "text")
