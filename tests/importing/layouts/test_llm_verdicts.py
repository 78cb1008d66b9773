"""Verdicts of LLMs as published: small records written by hand, and the real files."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pandas as pd
import pytest

from core.findings import accuracy
from core.findings.accuracy import AccuracySettings
from core.findings.judgements import Selection
from core.findings.leaderboard import RankSettings, leaderboard
from core.importing import importer
from core.judging import prompt_versions
from core.records import Dataset, JudgeSpec, Kind, TandemError
from core.store import Store
from tests.evidence import DATA
from tests.published import Study, real

TABLE = DATA / "alpaca_eval" / "preferences_weighted_gpt4_turbo.csv.gz"


def row(preference: Any, m: Any = "", big_m: Any = "", **changed: str) -> dict[str, str]:
    numbers = {"preference": str(preference), "logprob_m": str(m), "logprob_M": str(big_m)}
    return {
        "model_dir": "model", "instruction_index": "0", "dataset": "koala", "generator_1": "base",
        "generator_2": "model", "len_1": "9", "len_2": "9", **numbers, **changed,
    }  # fmt: skip


def test_a_preference_of_another_scale_is_refused(
    published: Study, subtests: pytest.Subtests
) -> None:
    """Where 0 is one of the two, 1 is the other, and not the first as it is here."""
    for preference in [0, 2.5, -1]:
        with (
            subtests.test(preference=preference),
            pytest.raises(TandemError, match=r"\b1 to 2\b.*AlpacaEval.*format votes"),
        ):
            published.bring("preferences.csv", [row(1.5), row(preference)])


@real
def test_the_real_sample_is_part_of_the_real_table(published: Study) -> None:
    rows = json.loads(
        gzip.decompress(
            (DATA / "alpaca_eval" / "sample_annotations_alpaca-7b.json.gz").read_bytes()
        )
    )
    report = importer.load(published.store, [DATA / "alpaca_eval"], Dataset("d"))
    assert report.added["judgements"] == 46_680 - 805  # the baseline against itself
    texts = {(item, system): text for item, system, text in published.texts() if text is not None}
    assert texts["804", "alpaca-7b"] == rows[804]["output_2"]
    assert len(texts) == 2 * 805
    check_lengths(published.store)
    check_rates(published.store)


def check_lengths(store: Store) -> None:
    """Every text of a comparison has the length that the file says, in itself or from the file."""
    table = pd.read_csv(TABLE)
    said = table.set_index([table["instruction_index"].astype(str), "model_dir"])["len_2"]
    every = store.texts.generations("d").set_index("generation")
    known = store.annotator_stats.characters("d").reindex(every.index)
    others = every["system"] != "gpt4_1106_preview"
    keys = pd.MultiIndex.from_frame(every.loc[others, ["item", "system"]])
    assert known[others].tolist() == said.loc[keys].tolist()
    assert known.notna().all()


def check_rates(store: Store) -> None:
    """As by the arrays of the file (`test_alpaca_eval_comes_near_the_published_rates`): 40 of the 50
    models with all their rows and a published rate come to one point.
    """
    settings = RankSettings("length-controlled", baseline="gpt4_1106_preview", bootstrap=0)
    result = leaderboard(store, Selection("d", judges=("llm",)), settings)
    assert result.judgements == 46_680 - 805
    rows = result.rows.set_index("system")
    rates = pd.read_csv(
        TABLE.parent / "weighted_alpaca_eval_gpt4_turbo_leaderboard.csv", index_col=0
    )
    published = rates["length_controlled_winrate"].reindex(rows.index)
    off = (100 * rows["rating"] - published)[rows["judgements"] == 805].dropna().abs()
    assert len(off) == 50
    assert off.mean() < 0.8
    assert (off < 1).sum() >= 38


PAIR = {"input": "Say it.", "output_1": "one", "output_2": "two", "label": 2}
FOLDER = "Dataset/LLMBar/Adversarial/Neighbor"


def judged_llmbar(
    index: int = 0, plain: str = "1", swapped: str = "2", **changed: str
) -> dict[str, str]:
    row = {
        "subset": "LLMBar/Adversarial/Neighbor", "evaluator": "GPT-4", "prompt": "CoT",
        "index": str(index), "label": "2",
    }  # fmt: skip
    return {**row, "winner_swap_false": plain, "winner_swap_true": swapped, **changed}


def test_what_an_earlier_import_did_not_say_is_filled_in(published: Study) -> None:
    published.store.judges.add(
        [JudgeSpec("GPT-4/CoT", Kind.LLM), JudgeSpec("PaLM2/CoT", Kind.LLM, "hf:palm")]
    )
    published.bring("judgements.csv", [judged_llmbar(), judged_llmbar(evaluator="PaLM2")])
    found = published.store.judges.load_all().set_index("judge")[["spec", "prompt"]].astype(object)
    assert found.loc["GPT-4/CoT"].tolist() == ["GPT-4", "LLMBar/CoT@1"]
    assert found.loc["PaLM2/CoT"].tolist()[0] == "hf:palm"
    names = prompt_versions.templates(published.store)  # its wording is not known
    assert not [name for name in names if name.startswith("LLMBar")]


def test_accuracies_are_averaged_over_the_prompts_of_a_model(published: Study) -> None:
    """Gold is output 2. CoT: wrong, right, right, right; Vanilla: right, right, unparsed, wrong;
    PaLM2 has one prompt.
    """
    rows = [judged_llmbar(0, "1", "2"), judged_llmbar(1, "2", "2")]
    rows += [
        judged_llmbar(0, "2", "2", prompt="Vanilla"),
        judged_llmbar(1, "", "1", prompt="Vanilla"),
        judged_llmbar(evaluator="PaLM2"),
    ]
    published.bring("judgements.csv", rows)
    result = accuracy.accuracy(published.store, Selection("d"), AccuracySettings("gold"))
    (average,) = result.document()["averages"]
    names = ("model", "prompts", "comparisons", "unanswered")
    assert [average[name] for name in names] == ["GPT-4", 2, 7, 1]
    assert average["accuracy"] == pytest.approx((3 / 4 + 2 / 3) / 2)
    assert average["low"] < average["accuracy"] < average["high"]
    of = result.rows.set_index("judge").loc["GPT-4/Vanilla"]
    names = ("unanswered", "right_forward", "forward", "right_reverse", "reverse")
    assert [of[name] for name in names] == [1, 1, 1, 1, 2]


def test_labels_of_another_scale_are_refused(published: Study, subtests: pytest.Subtests) -> None:
    """Where 0 is one of the two, 1 is the other, and not the first as it is here."""
    for label in [0, -1, "0", 3]:
        refused = rf"label is {label}\b.*1 or 2\b.*format votes"
        with subtests.test(label=label), pytest.raises(TandemError, match=refused):
            published.bring(f"{FOLDER}/dataset.json", [PAIR, {**PAIR, "label": label}])


@real
def test_the_real_folder_goes_together(published: Study) -> None:
    """40,413 rows in both orders and a label for each of 1,200 pairs; the sample result repeats 100
    of them.
    """
    folder = DATA / "llmbar" / "Dataset" / "LLMBar" / "Natural"
    report = importer.load(
        published.store,
        [folder, DATA / "llmbar" / "sample_result_Natural_ChatGPT_Vanilla.json"],
        Dataset("d"),
    )
    assert report.added["judgements"] == 100 + 200
    assert report.skipped == []
