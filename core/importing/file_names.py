"""Two systems and a task in the name of a file, FIRST_SECOND_TASK."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

JOINT = "_"
# Tasks with joints in their names, and those that studies of generated text have most.
TASKS = frozenset(
    ("cnn_dm", "cnn_dailymail", "cnndm", "cnn", "samsum", "xsum", "newsroom", "dialogsum",
     "topical_chat", "topicalchat", "persona_chat", "summeval", "realsumm", "gigaword", "tldr",
     "reddit_tldr", "multi_news", "wikihow", "govreport", "gov_report", "mt_bench", "alpaca_eval",
     "alpaca_farm", "vicuna_bench", "writing_prompts", "roc_stories", "eli5", "squad", "hotpot_qa",
     "natural_questions", "web_nlg", "webnlg", "e2e", "e2e_nlg", "common_gen", "wmt", "gsm8k",
     "truthful_qa", "human_eval", "slf5k", "just_eval", "wmt19", "wmt20", "wmt21", "wmt22",
     "wmt23", "flores", "iwslt", "narrative_qa", "qmsum", "arxiv", "pubmed", "big_patent", "slt")
)  # fmt: skip


class StudyName(NamedTuple):
    """What a file's name says."""

    first: str
    second: str
    task: str


def split_name(
    stem: str, others: Iterable[str] = (), systems: Sequence[str] = ()
) -> StudyName | None:
    """The likeliest split of a name into two systems and a task; None where it has no three parts.

    A task that is known counts most, then how much of the name other files of the study or
    `systems` bear out: as systems, or as the task they end in. Where nothing tells, the first
    system is the first part.
    """
    names = [other.split(JOINT) for other in dict.fromkeys(others) if other != stem]

    def count_known(system: str) -> int:
        parts = system.split(JOINT)
        known = system in systems or any(_holds(name, parts) for name in names)
        return len(system) if known else 0

    def likelihood(split: StudyName) -> tuple[int, ...]:
        task = split.task.split(JOINT)
        shared = sum(name[-len(task) :] == task for name in names)
        return (
            len(split.task) if split.task.casefold() in TASKS else 0,
            count_known(split.first) + count_known(split.second) + shared * len(split.task),
            shared * len(split.task),
            -len(split.first),
            -len(split.task),
        )

    return max(_splits(stem), key=likelihood, default=None)


def split_after(stem: str, systems: Sequence[str]) -> StudyName | None:
    """The split of a name that begins with these two systems; None where it does not."""
    return next(
        (split for split in _splits(stem) if [split.first, split.second] == list(systems)), None
    )


def is_certain(stem: str) -> bool:
    """Whether a name can be split in one way only, or in one that ends in a known task."""
    splits = _splits(stem)
    tasks = [split.task for split in splits if split.task.casefold() in TASKS]
    longest = max(tasks, key=len, default="")
    return len(splits) == 1 or [split.task for split in splits].count(longest) == 1


def _splits(stem: str) -> list[StudyName]:
    parts = stem.split(JOINT)
    return [
        StudyName(JOINT.join(parts[:i]), JOINT.join(parts[i:j]), JOINT.join(parts[j:]))
        for i in range(1, len(parts) - 1)
        for j in range(i + 1, len(parts))
        if all(parts)
    ]


def _holds(name: Sequence[str], system: Sequence[str]) -> bool:
    """Whether the parts of another file's name hold those of a system, before its last part."""
    size = len(system)
    return any(list(name[at : at + size]) == list(system) for at in range(len(name) - size))
