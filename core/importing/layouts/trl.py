"""Reader of preference data as TRL and the data sets of Hugging Face have them: a prompt, the
completion that was chosen, and the one that was rejected.

Layouts: huggingface/trl, its page "Dataset formats"; the columns beside them as in
HuggingFaceH4/ultrafeedback_binarized and argilla's data sets.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import takewhile

from ...records import Outcome
from ..cells import Cells, as_text
from ..conversations import Turn, add_system_prompt, content, join_turns, transcript, turns
from ..entry import VOTE, Entry
from ..layout import Layout, Reader, Source
from ..pairs_in_tools import score_sides
from ..prompt_columns import check_prompt, join_parts, list_prompt_parts, split_columns
from ..templates import swap_sides

SIDES = ("chosen", "rejected")
_NEGATED = (
    SIDES, ("accepted", "rejected"), ("preferred", "rejected"), ("preferred", "non_preferred"),
    ("preferred", "dispreferred"),
)  # fmt: skip
_TEXTS = ("response", "output", "completion", "answer", "text", "summary", "reply")
CALLED = (
    SIDES,
    *(
        tuple(pattern.format(side, text) for side in sides)
        for sides in _NEGATED
        for text in _TEXTS
        for pattern in ("{}_{}", "{1}_{0}")
    ),
)
"""What the two columns of texts may be called, such as `preferred_output` as OpenAI has them."""
OLDER_PROMPTS = ("prompt", "question", "instruction", "input", "dialogue", "query", "context")
"""Columns of which version 1.0 took the first for the whole prompt."""
MODELS = ("{}_model", "{}-model", "model_{}", "{}_system", "system_{}", "{}_generator")
SCORES = ("score_{}", "{}_score", "{}-rating", "{}_rating", "rating_{}")
SPEAKER = "\n\nAssistant:"
"""Marker before an answer in conversations written as one text (Anthropic's)."""
SCORER = "score"
"""The judge of scores for which a file names no judge."""
OURS = ("item", "subset", "attribute", "judge", "judge_kind", "comment", "created_at")
"""Columns of Tandem's own export, of the same name as the field they fill."""


class Preferences(Reader):
    """`prompt`, `chosen` and `rejected`, as texts or as lists of messages; the prompt may be what
    both begin with, or several columns. Optional: whose texts they are (`chosen_model`,
    `rejected_model` ...), their scores (`score_chosen` ...), `system` (a system prompt), and what
    Tandem's own export adds: OURS, and `shown_first`.

    The layout says who won, and not who was shown first, so the order is not known.
    """

    def __init__(self, source: Source) -> None:
        self.kind, columns = source.kind, set(source.columns)
        self.sides = _find_sides(columns) or SIDES
        self.older_prompt = next((name for name in OLDER_PROMPTS if name in columns), "")
        self.prompt = source.mapping.get("context") or "+".join(_list_prompt(source.columns))
        check_prompt(source, self.prompt)
        self.judge = source.mapping.get("judge", "")
        self.parts = split_columns(source, self.prompt) if self.prompt else []
        self.models, self.scores = (_find_columns(names, columns) for names in (MODELS, SCORES))
        self.systems = source.systems if len(source.systems) == 2 else SIDES
        source.tally.has_known_winners = True
        if not self.models and self.systems == SIDES:
            source.tally.notes[
                "it does not say whose texts they are, so the systems are called chosen and "
                "rejected. They can test judges, but their ranking says nothing"
            ] = None

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        first = as_text(cells.get("shown_first")) or ""
        vote = {"sort": VOTE, **self.find_pair(cells), "outcome": Outcome.A}
        vote["order_known"] = first in SIDES
        yield {**swap_sides(vote), "outcome": Outcome.B} if first == "rejected" else vote
        if self.scores:
            judge = {"judge": SCORER, "judge_kind": self.kind.value}
            yield from score_sides({**vote, **judge}, map(cells.get, self.scores))

    def find_pair(self, cells: Cells) -> Entry:
        """Find the compared pair, the chosen text first."""
        context, text_a, text_b = self._find_texts(cells)
        judge = {"judge": cells.get(self.judge)} if self.judge else {}
        named = [cells[name] for name in self.models if as_text(cells.get(name))]
        system_a, system_b = named if len(named) == 2 else self.systems
        return {
            **{name: cells[name] for name in OURS if name in cells}, **judge, "context": context,
            "system_a": system_a, "text_a": text_a, "system_b": system_b, "text_b": text_b,
        }  # fmt: skip

    def _find_texts(self, cells: Cells) -> tuple[str, ...]:
        given = [cells.get(name) for name in self.sides]
        if any(text is None for text in given):
            raise ValueError("it lacks the chosen or the rejected text")
        prompts = [_read_prompt(cells[name]) for name in self.parts if cells.get(name) is not None]
        context = join_parts(map(transcript, prompts)) if prompts else None
        if all(isinstance(text, list) for text in given):
            context, *texts = _part_messages(context, prompts, list(map(turns, given)))
        else:
            texts = list(map(transcript, given))
            if context is None:
                start = _find_shared(*texts)
                return start.strip(), *(text[len(start) :] for text in texts)
        return add_system_prompt(cells.get("system"), context), *texts


def _list_prompt(columns: Sequence[str]) -> list[str]:
    others = {"question", "query"} if "prompt" in columns else set()
    return list_prompt_parts(name for name in columns if name not in others)


def _read_prompt(prompt: object) -> object:
    """Return a prompt: of OpenAI's input, of messages and tools, the messages."""
    return prompt.get("messages") if isinstance(prompt, Mapping) else prompt


def _find_sides(columns: Collection[str]) -> tuple[str, ...]:
    return next((names for names in CALLED if set(names) <= set(columns)), ())


def _find_columns(patterns: tuple[str, ...], columns: set[str]) -> tuple[str, ...]:
    called = (tuple(pattern.format(side) for side in SIDES) for pattern in patterns)
    return next((names for names in called if set(names) <= columns), ())


def _part_messages(
    context: str | None, prompts: Sequence[object], given: list[list[Turn]]
) -> tuple[str, ...]:
    """Return the prompt and both completions of conversations.

    Both conversations may begin with one of the `prompts`. Raises ValueError where one has no
    answer.
    """
    first, second = (list(map(_read_turn, side)) for side in given)
    shared = first[: _count_shared(first, second)]
    asked = max((_count_repeated(prompt, shared) for prompt in prompts), default=len(shared))
    rest = [
        [content(turn) for turn in side[asked:] if turn.get("role") not in ("user", "system")]
        for side in given
    ]
    if not all(rest):
        raise ValueError("the chosen or the rejected conversation has no answer of its own")
    return transcript(given[0][:asked]) if context is None else context, *map(join_turns, rest)


def _count_repeated(prompt: object, shared: list[tuple[str, str]]) -> int:
    if isinstance(prompt, list):
        given = [_read_turn(turn) for turn in turns(prompt)]
        return len(given) if shared[: len(given)] == given else 0
    last = next((n for n, (role, _) in enumerate(shared, start=1) if role == "user"), 0)
    return last if last and shared[last - 1][1] == prompt else 0


def _read_turn(turn: Turn) -> tuple[str, str]:
    return str(turn.get("role")), content(turn)


def _count_shared(first: Sequence[object], second: Sequence[object]) -> int:
    pairs = zip(first, second, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _find_shared(first: str, second: str) -> str:
    """Find the prompt that two texts begin with. It ends at the last speaker if they name any,
    else at the end of a word.
    """
    start = first[: _count_shared(first, second)]
    end = SPEAKER if SPEAKER in start else ""
    return start[: start.rfind(end or " ") + len(end)] if end or " " in start else ""


def _is_preferences(source: Source) -> bool:
    by_hand = {"winner", "system_a", "text_a"} & set(source.mapping)
    columns = any(name.startswith(("system:", "winner:")) for name in source.mapping)
    return bool(_find_sides(source.columns)) and not by_hand and not columns


LAYOUT = Layout(
    "trl", "preference pairs as TRL has them", {Preferences: _is_preferences},
    ("prompt", "completion"), fields=("context", "judge"), settings=("systems", "kind"),
)  # fmt: skip
