"""Judges whose verdicts follow the order of the texts: those of a published study, and made ones."""

from __future__ import annotations

import csv

import numpy as np
import pandas as pd
import pytest

from core.findings.judgements import Selection, select_answered
from core.findings.judgements.usable_verdicts import find_unusable_judges, warn_of_unusable
from core.importing import importer
from core.records import Dataset
from core.store import Store
from tests.paths import DATASETS

PAIRS = 40


def ask(
    first: float, *, kind: str = "llm", orders: str = "both", share: float = 1.0, pairs: int = PAIRS
) -> pd.DataFrame:
    """Answers about pairs of the systems x and y: the `first` of the points go to the first text in
    a `share` of the pairs, and x is better in the others. Orders are both, mixed, or "one": x first.
    """
    rows = []
    for pair in range(pairs):
        turns = {"both": (0, 1), "mixed": (pair % 2,), "one": (0,)}[orders]
        for turn in turns:
            sides = ("x", "y")[:: 1 - 2 * turn]
            texts = (2 * pair + turn, 2 * pair + 1 - turn)
            points = first if pair < share * pairs else float(turn == 0)
            rows.append(("q", f"i{pair}", kind, *sides, *texts, points))
    names = ["attribute", "item", "kind", "system_a", "system_b", "generation_a", "generation_b"]
    frame = pd.DataFrame(rows, columns=[*names, "points"])
    return frame.assign(judge="J", order_known=1, family=frame["item"])


def test_judges_that_follow_the_order_are_found() -> None:
    """Where x is first, and better, in every answer the judge is named, and nothing is taken from
    it: whether the texts or their order decide is not known.
    """
    mixed = {"orders": "mixed"}
    for frame, of, share, n in (
        (ask(1.0), "both orders", 1.0, PAIRS),  # always the first, asked in both orders
        (ask(0.0), "both orders", 1.0, PAIRS),
        (ask(1.0, share=0.75), "both orders", 0.75, PAIRS),
        (ask(1.0, share=0.5), "", 0, 0),  # as often as a coin that is tossed for each order
        (ask(1.0, pairs=9), "", 0, 0),
        (ask(1.0, kind="human"), "", 0, 0),  # people are the page People's
        (ask(1.0, **mixed), "first", 1.0, PAIRS),
        (ask(0.0, **mixed), "second", 1.0, PAIRS),
        (ask(0.5, **mixed), "", 0, 0),  # always a tie is a verdict
        (ask(1.0, **mixed, share=0.4), "", 0, 0),
        (ask(1.0, **mixed).assign(order_known=0), "", 0, 0),
    ):
        found, warning = find_unusable_judges(frame), warn_of_unusable(frame, "nothing follows")
        assert [(j.of, j.share, j.n) for j in found] == [(of, share, n)] * bool(of)
        assert (warning.unusable, len(warning.cautions)) == (["J"] * bool(of), bool(of))
    frame = ask(1.0, orders="one")
    warning = warn_of_unusable(frame, "nothing follows")
    assert (warning.unusable, len(warning.cautions)) == ([], 1)
    assert [judge.confounded for judge in find_unusable_judges(frame)] == [True]


def test_a_better_text_that_is_mostly_first_is_no_bias() -> None:
    """x is always better, and first in 3 of 4 answers: so is the first text."""
    second = ask(1.0, share=0, pairs=100).query("system_a == 'y'")
    item, texts = "t" + second["item"], ["generation_a", "generation_b"]
    second = second.assign(item=item, family=item)
    second[texts] += 10_000
    frame = pd.concat([ask(1.0, orders="one", share=0, pairs=300), second])
    assert np.mean(frame["points"]) == 0.75
    assert find_unusable_judges(frame) == []


@pytest.mark.shared
def test_the_published_judges_of_mt_bench(store: Store) -> None:
    """source: table 5 of the study. In English Qwen-7B is inconsistent on 951 of 1,200 valid pairs;
    the five others, and all in Korean, on fewer than half.
    """
    folder = DATASETS / "mtbench_pairwise"
    importer.load(store, [folder], Dataset("mtbench"))
    with (folder / "table5_pairwise_inconsistency.csv").open(encoding="utf-8", newline="") as file:
        [published] = [row for row in csv.DictReader(file) if row["judge"] == "Qwen-7B"]
    counts = [int(published[f"en_{name}"]) for name in ("inconsistent", "valid")]
    found = {}
    for language in ("en", "ko"):
        chosen = Selection("mtbench", subset=language, judges=("llm",))
        found[language] = find_unusable_judges(select_answered(store, chosen)[0])
    [judge] = found["en"]
    assert judge.judge == "Qwen2.5-7B-Instruct"
    assert [round(judge.share * judge.n), judge.n] == counts == [951, 1200]
    assert found["ko"] == []
