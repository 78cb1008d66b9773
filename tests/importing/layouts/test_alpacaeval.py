"""AlpacaEval: the order that was not written down, recovered where it can be."""

from __future__ import annotations

import gzip
import json
import math
from typing import Any

import pandas as pd
import pytest

from core.findings.judgements import Selection
from core.findings.leaderboard import RankSettings, leaderboard
from core.importing import importer
from core.records import Dataset, TandemError
from core.store import Store
from tests.evidence import DATA
from tests.published import Study, check_skipped, real

JUDGE = "weighted_alpaca_eval_gpt4_turbo"
TABLE = DATA / "alpaca_eval" / "preferences_weighted_gpt4_turbo.csv.gz"


def row(preference: Any, m: Any = "", big_m: Any = "", **changed: str) -> dict[str, str]:
    numbers = {"preference": str(preference), "logprob_m": str(m), "logprob_M": str(big_m)}
    return {
        "model_dir": "model", "instruction_index": "0", "dataset": "koala", "generator_1": "base",
        "generator_2": "model", "len_1": "9", "len_2": "9", **numbers, **changed,
    }  # fmt: skip


def logs(p: float) -> tuple[float, float]:
    return math.log(p), math.log(1 - p)


def test_the_order_is_recovered_from_the_probabilities(published: Study) -> None:
    """README: preference = 2 - P(m) where generator_1 was first, 1 + P(m) where generator_2 was."""
    nan = float("nan")
    cases: list[tuple[tuple[Any, ...], list[Any]]] = [
        ((1.8, *logs(0.2)), ["base", "model", "b", 0.2, 1]),
        ((1.2, *logs(0.2)), ["model", "base", "b", 0.2, 1]),
        ((1.5, *logs(0.5)), ["base", "model", "tie", 0.5, 0]),  # both would fit
        ((1.3, *logs(0.2)), ["base", "model", "a", 0.7, 0]),  # neither does
        ((1.7,), ["base", "model", "b", 0.3, 0]),
        ((1.0, "", -0.000005), ["base", "model", "a", 1.0, 0]),  # m not among the likeliest five
        ((1.0, -0.000003, ""), ["base", "model", "a", 1.0, 0]),
        (("", *logs(0.2)), ["base", "model", "unparsed", nan, 0]),
    ]
    rows = [row(*given, instruction_index=str(number)) for number, (given, _) in enumerate(cases)]
    report = published.bring("preferences.csv.gz", rows)
    assert report.layouts == {"preferences.csv.gz": "alpacaeval"}
    found = published.votes("system_a", "system_b", "answer", "prob_a", "order_known", "judge")
    assert [[*vote[:3], vote[4]] for vote in found] == [[*vote[:3], vote[4]] for _, vote in cases]
    probabilities = [vote[3] for vote in found]
    assert probabilities == pytest.approx([vote[3] for _, vote in cases], nan_ok=True)
    assert {vote[5] for vote in found} == {JUDGE}


def annotated(preference: float, tokens: dict[str, float], **changed: str) -> dict[str, object]:
    top = [{"token": token, "logprob": value} for token, value in tokens.items()]
    completion = {"logprobs": {"content": [{"token": "m", "top_logprobs": top}]}, "text": "m"}
    texts = {"instruction": "Do it.", "output_1": "one", "output_2": "two", "dataset": "koala"}
    who = {"generator_1": "base", "generator_2": "model", "annotator": JUDGE}
    return {**texts, **who, "preference": preference, "raw_completion": completion, **changed}


def test_annotations_with_texts_are_the_same_rows(published: Study) -> None:
    m, big_m = logs(0.2)
    published.bring("preferences.csv", [row(1.2, m, big_m)])
    report = published.bring(
        "annotations.json", [annotated(1.2, {"M": big_m, "The": -9.0, "m": m})]
    )
    assert report.layouts == {"annotations.json": "alpacaeval"}
    assert (report.counts["judgements"], report.added["judgements"]) == (1, 0)
    assert published.texts() == [["0", "base", "one"], ["0", "model", "two"]]
    # another model's file that lacks an instruction still finds the item by its words
    rows = [
        annotated(1.2, {}, instruction=text, generator_2="other") for text in ("New.", "Do it.")
    ]
    published.bring(
        "other.json", [annotated(1.2, {}, instruction="Do that.", generator_2="third"), *rows]
    )
    assert [item for item, system, _ in published.texts() if system == "other"] == ["0", "1"]


def test_broken_rows(published: Study) -> None:
    rows = [
        row(1.5), row("much"), row(1.5, generator_1="model"), row(1.5, instruction_index=""),
        row(1.5, instruction_index="7"), row(1.5, instruction_index="8"),
    ]  # fmt: skip
    report = published.bring("preferences.csv", rows)
    named = {2: "preference.*'much'.*number", 3: "'model'.*itself", 4: "'instruction_index'.*empty"}
    check_skipped(report, named)


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
