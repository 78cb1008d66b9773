"""Rating sets of the separability study (Ghosh et al. 2024).

A row is one rater's five pairs on one input; each pair holds a sample of either model.

The column names say `model1` and `model2` but mean the first and second slot on the screen.
`Input.idJ` = 1 puts model #1 of the file name into the first slot, 2 model #2; `Answer.prefJ` is
about slots: -1 first, 1 second, 0 neither. The inputs themselves are not in the file, so an item is
called by its texts. The raters of each file are numbered from 1, so worker 1 of two files is two
people.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ...records import Kind, Outcome, TandemError, option_ref
from ..cells import Cells, digest, require_cell, short_digest
from ..entry import VOTE, Entry
from ..layout import Layout, Reader, Source, has_columns

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
    """Two systems and a task in the name of a file, FIRST_SECOND_TASK."""

    first: str
    second: str
    task: str

    @property
    def has_known_task(self) -> bool:
        """True if the task is one of the known TASKS."""
        return self.task.casefold() in TASKS


def split_name(
    stem: str, others: Iterable[str] = (), systems: Sequence[str] = ()
) -> StudyName | None:
    """Return the likeliest split of a name into two systems and a task; None where it has no three
    parts.

    A task that is known counts most, then how much of the name other files of the study or
    `systems` bear out: as systems, or as the task they end in. Where nothing tells, the first
    system is the first part.
    """
    names = [f"_{other}" for other in dict.fromkeys(others) if other != stem]

    def count_known(system: str) -> int:
        """Return the length of a system's name that is known or inside another name, else 0."""
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
    """Return the split of a name that begins with these two systems; None where it does not."""
    splits = _split_everywhere(stem)
    return next((split for split in splits if split[:2] == tuple(systems)), None)


def is_certain(stem: str) -> bool:
    """Return whether a name can be split in only one way, or in one that ends in a known task."""
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


SIDES = {"-1": Outcome.A, "1": Outcome.B, "0": Outcome.TIE}


class RatingSets(Reader):
    """Reader of the separability study's rating sets: five votes a row."""

    def __init__(self, source: Source) -> None:
        *self.systems, self.subset = _parse_name(source)

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        votes = [self._vote(cells, j) for j in range(1, 6)]
        texts = [{vote[f"system_{side}"]: vote[f"text_{side}"] for side in "ab"} for vote in votes]
        written = json.dumps([[pair[system] for system in self.systems] for pair in texts])
        worker = require_cell(cells, "WorkerId", str)
        fields = {
            "sort": VOTE, "item": f"{self.subset}-{digest(written)}", "subset": self.subset,
            "older_item": f"{self.subset}-{short_digest(written)}", "judge_kind": Kind.HUMAN,
            "judge": f"{self.subset}/{worker}@{'_'.join(self.systems)}",
        }  # fmt: skip
        for sample, vote in enumerate(votes):
            yield {**fields, **vote, "sample_a": sample, "sample_b": sample}

    def _vote(self, cells: Cells, j: int) -> Entry:
        texts = [require_cell(cells, f"Input.model{slot}_summary{j}", str) for slot in (1, 2)]
        order = require_cell(cells, f"Input.id{j}", str).strip()
        preference = require_cell(cells, f"Answer.pref{j}", str).strip()
        if order not in ("1", "2"):
            raise ValueError(f"Input.id{j} is {order!r}, neither 1 nor 2")
        if preference not in SIDES:
            raise ValueError(f"Answer.pref{j} is {preference!r}, none of -1, 0, 1")
        systems = self.systems if order == "1" else self.systems[::-1]
        return {
            "system_a": systems[0], "text_a": texts[0], "system_b": systems[1], "text_b": texts[1],
            "outcome": SIDES[preference],
        }  # fmt: skip


def _parse_name(source: Source) -> StudyName:
    file, stem = source.path.name, _stem(source.path.name)
    if source.systems:
        if name := split_after(stem, source.systems):
            return name
        raise TandemError(
            f"{file} is not named {'_'.join(source.systems)}_DATASET, so {option_ref('systems')} "
            "does not fit it"
        )
    others = [_stem(path.name) for path in source.path.parent.glob("*_pref_data*")]
    name = split_name(stem, others, source.study)
    if not name:
        raise TandemError(
            f"{file} should be named MODEL1_MODEL2_DATASET_pref_data.csv: "
            "the file does not say anywhere else whose texts these are"
        )
    if not is_certain(stem):
        source.tally.notes[
            f"by its name, it compares {name.first} with {name.second} on {name.task}; if "
            f"not, say {option_ref('systems')} FIRST SECOND"
        ] = None
    return name


def _stem(name: str) -> str:
    return re.sub(r"_pref_data.*$", "", name.partition(".csv")[0])


LAYOUT = Layout(
    "rating-sets", "rating sets of the separability study",
    {RatingSets: has_columns("WorkerId", "Input.id1", "Answer.pref1")}, ("source", "summary"),
    settings=("systems",),
    looks_around=True,
)  # fmt: skip
