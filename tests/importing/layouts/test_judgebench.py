"""JudgeBench: the swapped decision is as displayed."""

from __future__ import annotations

import pandas as pd

from tests.published import Study, check_skipped


def row(label: str, original: str, swapped: str, **changed: str) -> dict[str, str]:
    given = {
        "response_model": "gpt-4o",
        "judge_name": "arena_hard",
        "judge_model": "o1-mini",
        "pair_id": "p",
        "source": "law",
    }
    return {
        **given,
        "label": label,
        "decision_original_order": original,
        "decision_swapped_order": swapped,
        **changed,
    }


def test_the_swapped_decision_is_as_displayed(published: Study) -> None:
    """README: it must be flipped before it is compared with the label. Here the judge says response
    A both times.
    """
    rows = [
        row("A>B", "A>B", "B>A"),
        row("A>B", "A=B", "", judge_model="reward", judge_name="reward_model"),
    ]
    report = published.bring("decisions.csv.gz", rows)
    assert report.layouts == {"decisions.csv.gz": "judgebench"}
    assert published.votes() == [
        ["p", "response_A", "response_B", "gold", "a"],
        ["p", "response_A", "response_B", "arena_hard/o1-mini", "a"],
        ["p", "response_B", "response_A", "arena_hard/o1-mini", "b"],
        ["p", "response_A", "response_B", "reward_model/reward", "tie"],
        ["p", "response_B", "response_A", "reward_model/reward", "unparsed"],
    ]
    assert published.store.datasets.subsets("d") == ["law"]
    asked = (
        published.store.judges.load_all()
        .query("kind == 'llm'")
        .set_index("judge")[["spec", "prompt"]]
        .astype(object)
    )
    assert asked.loc["arena_hard/o1-mini"].tolist() == ["o1-mini", "JudgeBench/arena_hard@1"]
    assert asked["spec"]["reward_model/reward"] == "reward"
    assert pd.isna(asked["prompt"]["reward_model/reward"])


def test_a_pair_without_a_label(published: Study) -> None:
    report = published.bring("decisions.csv", [row("?", "A>B", "B>A"), row("B>A", "A>B", "B>A")])
    check_skipped(report, {1: r"label '\?'.*A>B, B>A, A=B"})
