"""Two systems and a task in the name of a file, FIRST_SECOND_TASK."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

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

    @property
    def has_known_task(self) -> bool:
        return self.task.casefold() in TASKS


def split_name(
    stem: str, others: Iterable[str] = (), systems: Sequence[str] = ()
) -> StudyName | None:
    """The likeliest split of a name into two systems and a task; None where it has no three parts.

    A task that is known counts most, then how much of the name other files of the study or
    `systems` bear out: as systems, or as the task they end in. Where nothing tells, the first
    system is the first part.
    """
    names = [f"_{other}" for other in dict.fromkeys(others) if other != stem]

    def count_known(system: str) -> int:
        """Letters of a system that is known, or stands in another name before its last part."""
        known = system in systems or any(f"_{system}_" in name for name in names)
        return len(system) if known else 0

    def rate(split: StudyName) -> tuple[int, ...]:
        shared = sum(name.endswith(f"_{split.task}") for name in names) * len(split.task)
        return (
            len(split.task) if split.has_known_task else 0,
            count_known(split.first) + count_known(split.second) + shared,
            shared,
            -len(split.first),
            -len(split.task),
        )

    return max(_split_everywhere(stem), key=rate, default=None)


def split_after(stem: str, systems: Sequence[str]) -> StudyName | None:
    """The split of a name that begins with these two systems; None where it does not."""
    splits = _split_everywhere(stem)
    return next((split for split in splits if split[:2] == tuple(systems)), None)


def is_certain(stem: str) -> bool:
    """Whether a name can be split in one way only, or in one that ends in a known task."""
    splits = _split_everywhere(stem)
    tasks = [split.task for split in splits if split.has_known_task]
    return len(splits) == 1 or tasks.count(max(tasks, key=len, default="")) == 1


def _split_everywhere(stem: str) -> list[StudyName]:
    parts = stem.split("_")
    return [
        StudyName("_".join(parts[:i]), "_".join(parts[i:j]), "_".join(parts[j:]))
        for i in range(1, len(parts) - 1)
        for j in range(i + 1, len(parts))
        if all(parts)
    ]
