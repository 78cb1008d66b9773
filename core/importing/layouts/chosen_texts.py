"""A chosen text and a rejected one: TRL's preference data, and RewardBench."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product, takewhile
from typing import TypeGuard

from ...records import Kind, Outcome
from ...scratch import is_scratch
from ..cells import Cells, as_mark, as_text, as_whole, read_name, require_cell
from ..conversations import Turn, content, join_turns, transcript, turns
from ..entry import VOTE, Entry, is_score
from ..joint_columns import check_prompt, join_parts, list_prompt_parts, split_columns
from ..layout import GOLD, Layout, Reader, Source, has_columns, has_one_of
from ..pairs_in_tools import prefer_higher, score_sides
from ..templates import FunctionReader, swap_sides
from ..values import find_text
from ..winner_columns import tables_near
from ..winners import NO_ANSWER

# Reader of preference data as TRL and the data sets of Hugging Face have them: a prompt, the
# completion that was chosen, and the one that was rejected. Layouts: huggingface/trl, its page
# "Dataset formats"; the columns beside them as in HuggingFaceH4/ultrafeedback_binarized and
# argilla's data sets.

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
        others = {"question", "query"} if "prompt" in columns else set()
        parts = list_prompt_parts(name for name in source.columns if name not in others)
        self.prompt = source.mapping.get("context") or "+".join(parts)
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
        for pair in self.find_pairs(number, cells):
            vote = {"sort": VOTE, **pair, "outcome": Outcome.A, "order_known": first in SIDES}
            yield {**swap_sides(vote), "outcome": Outcome.B} if first == "rejected" else vote
            if self.scores:
                judge = {"judge": SCORER, "judge_kind": self.kind.value}
                yield from score_sides({**vote, **judge}, map(cells.get, self.scores))

    def find_pairs(self, number: int, cells: Cells) -> Iterator[Entry]:
        """Find the compared pairs, the chosen text first: of lists of texts each two are one, and
        all are of one ranking.
        """
        given = [cells.get(name) for name in self.sides]
        lists = [text if _are_texts(text) else [text] for text in given]
        of_one = {"ranking": str(number)} if any(len(each) > 1 for each in lists) else {}
        judge = {"judge": cells.get(self.judge)} if self.judge else {}
        named = [cells[name] for name in self.models if as_text(cells.get(name))]
        system_a, system_b = named if len(named) == 2 else self.systems
        said = {**{name: cells[name] for name in OURS if name in cells}, **judge, **of_one}
        for texts in product(*lists):
            context, text_a, text_b = self._find_texts(cells, texts)
            yield {
                **said, "context": context,
                "system_a": system_a, "text_a": text_a, "system_b": system_b, "text_b": text_b,
            }  # fmt: skip

    def _find_texts(self, cells: Cells, given: Sequence[object]) -> tuple[str, ...]:
        if any(text is None for text in given):
            raise ValueError("it lacks the chosen or the rejected text")
        given_prompts = [cells[name] for name in self.parts if cells.get(name) is not None]
        prompts = [  # of OpenAI's input, of messages and tools, the messages
            each.get("messages") if isinstance(each, Mapping) else each for each in given_prompts
        ]
        context = join_parts(map(transcript, prompts)) if prompts else None
        if all(isinstance(text, list) for text in given):
            context, *texts = _part_messages(context, prompts, list(map(turns, given)))
        else:
            texts = list(map(transcript, given))
            if context is None:
                start = _find_shared(*texts)
                return start.strip(), *(text[len(start) :] for text in texts)
        system = as_text(cells.get("system")) or ""
        return f"System: {system}\n\nUser: {context}" if system.strip() else context, *texts


def _are_texts(value: object) -> TypeGuard[list[str]]:
    return isinstance(value, list) and bool(value) and all(isinstance(text, str) for text in value)


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
    by_hand = re.compile("(winner|system_a|text_a)$|system:|winner:")
    return bool(_find_sides(source.columns)) and not any(map(by_hand.match, source.mapping))


TRL = Layout(
    "trl", "preference pairs as TRL has them", {Preferences: _is_preferences},
    ("prompt", "completion"), fields=("context", "judge"), settings=("systems", "kind"),
)  # fmt: skip


# Readers of RewardBench: its pairs with the text known to be better, and reward models' scores.
# Layout: allenai/reward-bench, README.md (columns of the data set) and rewardbench/rewardbench.py
# (JSON lines of scores); eval-set-scores on the hub have a column a key.

PAIR = ("prompt", "chosen", "rejected", "chosen_model", "rejected_model")
"""What a row of the data set says of its pair."""


LENGTHS = {"chosen": "num_correct", "rejected": "num_incorrect"}


def _give_gold(preferences: Preferences, number: int, cells: Cells) -> Iterator[Entry]:
    """`prompt`, `chosen` and `rejected` with whose texts they are: a gold label a row. The item is
    SUBSET/id, since subsets share prompts. In RewardBench 2, `chosen` and `rejected` are lists of
    texts of these LENGTHS, and nothing says which of its `models` wrote which text.
    """
    for name, column in LENGTHS.items():
        if column in cells:
            texts, said = require_cell(cells, name, list), as_whole(cells[column], column)
            if said != len(texts):
                raise ValueError(f"{column} is {said}, and {name} has {len(texts)} texts")
    subset = read_name(cells, "subset")
    gold = {"judge": GOLD, "judge_kind": Kind.GOLD, "outcome": Outcome.A, "subset": subset}
    for pair in preferences.find_pairs(number, cells):
        yield {**_name_apart(pair), **gold, "item": f"{subset}/{read_name(cells, 'id')}"}


class RewardBenchScores(Reader):
    """`scores_chosen` and `scores_rejected` of one reward model: a vote for the higher one, and
    both as scores. The judge is the file's `model`, else what its path says. Whose texts they are,
    a file of the pairs near it says.
    """

    def __init__(self, source: Source) -> None:
        table = next(tables_near(source.path, *PAIR, "subset", "id"), iter(()))
        self.pairs = {_find_key(cells): {name: cells.get(name) for name in PAIR} for cells in table}
        self.pairs.pop("", None)
        columns = (*source.columns, *(PAIR if self.pairs else ()))
        self.preferences = Preferences(replace(source, columns=columns))
        # ORG/MODEL of where it lies: ORG/MODEL_outputs.jsonl, or eval-set-scores/ORG/MODEL
        name, folder = source.stem.removesuffix("_outputs"), source.path.resolve().parent
        named = f"{folder.name}/{name}" if folder.name and not is_scratch(folder) else name
        self.judge = "" if "model" in source.columns else named

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        key = _find_key(cells)
        texts = {side: cells.get(side, cells.get(f"text_{side}")) for side in SIDES}
        pairs = self.preferences.find_pairs(number, {**cells, **self.pairs.get(key, texts)})
        vote = {**_name_apart(next(pairs)), **({"item": key} if key else {})}
        vote |= {"judge": self.judge or read_name(cells, "model"), "judge_kind": Kind.LLM}
        scores = [_find_score(cells, side) for side in SIDES]
        there = [score for score in scores if score is not None]
        yield vote | ({"outcome": prefer_higher(*there)} if there[1:] else {"failure": NO_ANSWER})
        yield from score_sides(vote, scores)


def _name_apart(pair: Entry) -> Entry:
    """Return the vote on a pair. An author of both texts gets two names: none is beside itself."""
    first, second = pair["system_a"], pair["system_b"]
    if first == second:
        first, second = (f"{first} ({side})" for side in SIDES)
    return {"sort": VOTE, **pair, "system_a": first, "system_b": second, "order_known": False}


def _find_key(cells: Cells) -> str:
    subset, number = find_text(cells, "subset"), find_text(cells, "id")
    return f"{subset}/{number}" if subset and number else ""


def _find_score(cells: Cells, side: str) -> float | None:
    value = cells.get(f"scores_{side}")
    value = value[0] if isinstance(value, list) and value else value
    return as_mark(value) if is_score(value) else None


REWARDBENCH = Layout(
    "rewardbench", "RewardBench's pairs, or the scores of a reward model", {
        lambda source: FunctionReader(partial(_give_gold, Preferences(source))):
            has_one_of((*PAIR, "subset", "id"), (*SIDES, "subset", "id", "num_correct")),
        RewardBenchScores: has_columns("results", "scores_chosen", "scores_rejected"),
    }, ("prompt", "completion"), settings=("systems",), looks_around=True,
)  # fmt: skip
