"""Files in the layouts of tools and public data sets (../shared/cases). The right values were
counted with pandas or by hand: expected.txt of each folder.
"""

from __future__ import annotations

from typing import Any

import pytest

from core.importing import Reading, importer
from core.importing.reading import USUAL, with_settings
from core.records import Dataset
from core.store import Store
from tests.importing.conftest import OpenStore, count_wins
from tests.paths import CASES

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not CASES.is_dir(), reason=f"the cases are not here: {CASES}"),
]
NAMES_OF_WINNERS = [
    "answer", "better", "chosen_model", "decision", "human_pref", "human_preference", "judgement",
    "pref", "preferred_model", "preferred_response", "result", "selected",
]  # fmt: skip
FORM = {"X": 7, "Y": 7, "tie": 6}  # (row + column) % 3 of 5 x 4
RIGHT: dict[str, tuple[dict[str, Any], dict[str, int]]] = {
    "workbook/sheet_per_annotator.xlsx": ({}, {"m1": 11, "m2": 9}),
    "workbook/title_and_merged.xlsx": ({}, {"m1": 8, "m2": 2}),
    "workbook/merged.xlsx": ({}, {"m1": 8, "m2": 2}),
    "workbook/blank_items.csv": ({}, {"m1": 8, "m2": 2}),
    "qualtrics/q.csv": ({"map": {"winner": "Q1"}}, {"gpt": 4, "llama": 2, "tie": 2}),
    "mturk/Batch_1_batch_results.csv": ({}, {"gpt": 9, "llama": 3}),
    "mturk/json_answers.csv": (
        {"map": {"winner": "Answer.taskAnswers.0.better"}}, {"gpt": 9, "llama": 3}
    ),
    "prodigy/ab_options.jsonl": ({}, {"prompt1": 8, "prompt2": 3, "none": 1}),
    "human-and-judge-columns/two_judges.csv": ({}, {"m1": 12, "m2": 12}),
    **{
        f"cj-chosen/{name}.csv": ({}, dict.fromkeys(("s0", "s1", "s2", "s3"), 3))
        for name in ("Candidate-Chosen", "candidateChosen", "candidate_chosen", "chosen")
    },
    **{
        f"winner-names/{text}{name}.csv": ({}, {"m1": 4, "m2": 8})
        for text in ("", "notext_")
        for name in NAMES_OF_WINNERS
    },
    "winner-names/gold.csv": ({}, {"m1": 4, "m2": 8}),
    "winner-names/acceptedIndex.csv": (
        {"first_wins": ("0",), "second_wins": ("1",)}, {"m1": 4, "m2": 8}
    ),
    "winner-names/preference_strength.csv": (
        {"first_wins": ("-2",), "second_wins": ("2",)}, {"m1": 4, "m2": 8}
    ),
    "label-studio-min/min.json": ({}, {"gpt": 8, "llama": 4}),
    "label-studio-min/export.csv": ({}, {"gpt": 8, "llama": 4}),
    "label-studio-min/nomodels.csv": ({"systems": ("X", "Y")}, {"X": 8, "Y": 4}),
    "shp/shp.jsonl": ({"systems": ("A", "B")}, {"A": 8, "B": 4}),
    "fastchat-raw/2024-01-05-conv.json": ({}, {"m1": 6, "tie": 3, "both_bad": 3}),
    **{
        f"pandas-json/{name}.json": ({}, {"gpt": 3, "llama": 2, "tie": 1})
        for name in ("columns", "index", "split", "records", "table")
    },
    "forms-wide/form.csv": ({"systems": ("X", "Y")}, FORM),
    **{
        f"loose-names/{name}.csv": ({}, {"m1": 8, "m2": 4})
        for name in ("reason", "kind_task", "p_participant", "order12", "left_text")
    },
}  # fmt: skip


def test_public_files_have_their_right_values(
    open_store: OpenStore, subtests: pytest.Subtests
) -> None:
    for name, (settings, right) in RIGHT.items():
        with subtests.test(name):
            store = open_store()
            importer.load(store, [CASES / name], Dataset("d"), with_settings(USUAL, settings))
            assert count_wins(store) == right


PEOPLE = {"systems": ("X", "Y"), "mapping": {"judge": "annotator_index"}}
ITEMS: list[tuple[list[str], dict[str, Any], tuple[int, int, int]]] = [
    (["source-and-prompt/no_texts.csv"], {}, (12, 12, 0)),
    (["source-and-prompt/votes.csv"], {}, (12, 12, 24)),
    (["context-and-question/rag.csv"], {}, (12, 12, 24)),
    (["context-and-question/rag_ids.csv"], {}, (12, 12, 0)),
    (["context-and-question/rag_no_texts.csv"], {}, (12, 12, 0)),
    (["instruction-and-input/empty_input.json"], {}, (12, 0, 12)),
    (["instruction-and-input/human_pairs.json"], PEOPLE, (12, 12, 24)),
    (["instruction-and-input/outputs.json"], {}, (12, 0, 24)),
    (["instruction-and-input/votes_no_texts.csv"], {}, (12, 12, 0)),
    (["two-questions-long/metric.csv"], {}, (6, 12, 0)),
    (["two-questions-long/metric2.csv"], {}, (6, 12, 0)),
    (["weekly/week1.csv", "weekly/week2.csv"], {}, (20, 20, 0)),
]
"""Files, how they are read, and the numbers of items, judgements and texts."""


@pytest.mark.parametrize(("names", "said", "expected"), ITEMS, ids=lambda value: str(value)[:60])
def test_public_cases(names: list[str], said: dict[str, Any], expected: tuple[int, ...]) -> None:
    with Store(":memory:") as store:
        report = importer.load(
            store, [CASES / name for name in names], Dataset("d"), Reading(**said)
        )
    counts = report.counts
    assert (counts["items"], counts["judgements"], counts["generations"]) == expected
