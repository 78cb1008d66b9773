"""LLMBar: who was shown first in either order, and texts, labels and judgements that arrive in any
order.
"""

from __future__ import annotations

import pytest

from core.findings import accuracy
from core.findings.accuracy import AccuracySettings
from core.findings.judgements.selection import Selection
from core.importing import importer
from core.judging import prompt_versions
from core.records import Dataset, JudgeSpec, Kind, TandemError
from tests.evidence import DATA
from tests.published import Study, check_skipped, real

PAIR = {"input": "Say it.", "output_1": "one", "output_2": "two", "label": 2}
FOLDER = "Dataset/LLMBar/Adversarial/Neighbor"


def judged(index: int = 0, plain: str = "1", swapped: str = "2", **changed: str) -> dict[str, str]:
    row = {
        "subset": "LLMBar/Adversarial/Neighbor",
        "evaluator": "GPT-4",
        "prompt": "CoT",
        "index": str(index),
        "label": "2",
    }
    return {**row, "winner_swap_false": plain, "winner_swap_true": swapped, **changed}


def test_a_subset_is_the_name_of_its_folder(published: Study) -> None:
    report = published.bring(f"{FOLDER}/dataset.json", [PAIR, {**PAIR, "label": 1}])
    assert report.layouts == {"dataset.json": "llmbar"}
    assert published.store.datasets.subsets("d") == ["Neighbor"]
    assert published.texts()[:2] == [
        ["Neighbor/0", "output_1", "one"],
        ["Neighbor/0", "output_2", "two"],
    ]
    assert published.votes("item", "system_a", "judge", "kind", "answer", "order_known") == [
        ["Neighbor/0", "output_1", "gold", "gold", "b", 0], ["Neighbor/1", "output_1", "gold", "gold", "a", 0],
    ]  # fmt: skip


def test_a_dataset_json_anywhere_else_does_not_say_its_subset(published: Study) -> None:
    with pytest.raises(TandemError, match=r"dataset\.json .*subset.*LLMBar/Natural/dataset\.json"):
        published.bring("somewhere/dataset.json", [PAIR])
    published.bring("somewhere/Natural.json", [PAIR])
    assert published.store.datasets.subsets("d") == ["Natural"]


def test_winners_are_outputs_and_the_order_is_what_was_shown(published: Study) -> None:
    """README: with swap_true output_2 was shown first, and both winners are already outputs."""
    report = published.bring(
        "judgements.csv.gz", [judged(0, "1", "1"), judged(1, "2", ""), judged(0, prompt="Swap")]
    )
    assert report.layouts == {"judgements.csv.gz": "llmbar"}
    assert published.votes() == [
        ["Neighbor/0", "output_1", "output_2", "gold", "b"],
        ["Neighbor/0", "output_1", "output_2", "GPT-4/CoT", "a"],
        ["Neighbor/0", "output_2", "output_1", "GPT-4/CoT", "b"],
        ["Neighbor/1", "output_1", "output_2", "gold", "b"],
        ["Neighbor/1", "output_1", "output_2", "GPT-4/CoT", "b"],
        ["Neighbor/1", "output_2", "output_1", "GPT-4/CoT", "unparsed"],
        ["Neighbor/0", "output_1", "output_2", "GPT-4/Swap", "a"],
        ["Neighbor/0", "output_2", "output_1", "GPT-4/Swap", "a"],
    ]
    assert report.counts["judgements"] == report.added["judgements"] == 8


def test_a_judge_is_a_model_asked_with_a_prompt(published: Study) -> None:
    published.bring(
        "judgements.csv", [judged(), judged(prompt="Vanilla"), judged(evaluator="PaLM2")]
    )
    asked = (
        published.store.judges.load_all()
        .query("kind == 'llm'")
        .set_index("judge")[["spec", "prompt"]]
    )
    assert asked.T.to_dict("list") == {
        "GPT-4/CoT": ["GPT-4", "LLMBar/CoT@1"],
        "GPT-4/Vanilla": ["GPT-4", "LLMBar/Vanilla@1"],
        "PaLM2/CoT": ["PaLM2", "LLMBar/CoT@1"],
    }
    assert not [
        name for name in prompt_versions.templates(published.store) if name.startswith("LLMBar")
    ]  # wording unknown


def test_what_an_earlier_import_did_not_say_is_filled_in(published: Study) -> None:
    published.store.judges.add(
        [JudgeSpec("GPT-4/CoT", Kind.LLM), JudgeSpec("PaLM2/CoT", Kind.LLM, "hf:palm")]
    )
    published.bring("judgements.csv", [judged(), judged(evaluator="PaLM2")])
    found = published.store.judges.load_all().set_index("judge")[["spec", "prompt"]].astype(object)
    assert found.loc["GPT-4/CoT"].tolist() == ["GPT-4", "LLMBar/CoT@1"]
    assert found.loc["PaLM2/CoT"].tolist()[0] == "hf:palm"


def test_accuracies_are_averaged_over_the_prompts_of_a_model(published: Study) -> None:
    """Gold is output 2. CoT: wrong, right, right, right; Vanilla: right, right, unparsed, wrong;
    PaLM2 has one prompt.
    """
    rows = [judged(0, "1", "2"), judged(1, "2", "2")]
    rows += [
        judged(0, "2", "2", prompt="Vanilla"),
        judged(1, "", "1", prompt="Vanilla"),
        judged(evaluator="PaLM2"),
    ]
    published.bring("judgements.csv", rows)
    result = accuracy.accuracy(published.store, Selection("d"), AccuracySettings("gold"))
    (average,) = result.document()["averages"]
    assert (
        average["model"],
        average["prompts"],
        average["comparisons"],
        average["unanswered"],
    ) == ("GPT-4", 2, 7, 1)
    assert average["accuracy"] == pytest.approx((3 / 4 + 2 / 3) / 2)
    assert average["low"] < average["accuracy"] < average["high"]
    of = result.rows.set_index("judge").loc["GPT-4/Vanilla"]
    assert (
        of["unanswered"],
        of["right_forward"],
        of["forward"],
        of["right_reverse"],
        of["reverse"],
    ) == (1, 1, 1, 1, 2)


def test_texts_and_judgements_fill_the_same_rows(
    published: Study, subtests: pytest.Subtests
) -> None:
    for texts_first in [True, False]:
        with subtests.test(texts_first=texts_first), published.renewed() as study:
            files = [
                study.write(f"{FOLDER}/dataset.json", [PAIR]),
                study.write("judgements.csv", [judged()]),
            ]
            added = [study.load(file).added for file in (files if texts_first else files[::-1])]
            assert [one["items"] for one in added] == [1, 0]
            assert (
                sum(one["judgements"] for one in added) == 3
            )  # the label is in both files, and counts once
            assert study.texts() == [
                ["Neighbor/0", "output_1", "one"],
                ["Neighbor/0", "output_2", "two"],
            ]
            assert study.store.datasets.items("d")["context"].tolist() == ["Say it."]


def test_a_result_says_again_what_the_table_says(published: Study) -> None:
    results = [{"swap = False": {"winner": "1"}, "swap = True": {"winner": "2"}}]
    published.bring("judgements.csv", [judged()])
    for name in (
        "sample_result_Neighbor_GPT-4_CoT.json",
        "Neighbor/evaluators/GPT-4/CoT/result.json",
    ):
        report = published.bring(name, [{**PAIR, "results": results}])
        assert report.counts["judgements"] == 3
        assert report.added["judgements"] == 0
    assert published.texts()[0] == ["Neighbor/0", "output_1", "one"]
    with pytest.raises(
        TandemError, match=r"result\.json .*SUBSET/evaluators/EVALUATOR/PROMPT/result\.json"
    ):
        published.bring("result.json", [{**PAIR, "results": results}])


def test_a_broken_pair(published: Study) -> None:
    broken: dict[str, dict[str, object]] = {
        "label 'both' .*1 .*2": {"label": "both"},
        "label 'None' .*1 .*2": {"label": None},
        "'output_2' is missing.* str": {"output_2": None},
    }
    rows = [{**PAIR, **changed} for changed in broken.values()]
    report = published.bring(f"{FOLDER}/dataset.json", [*rows, *[PAIR] * 4])
    check_skipped(report, dict(enumerate(broken, start=1)))
    assert [item for item, *_ in published.votes()] == [f"Neighbor/{n}" for n in range(3, 7)]


def test_labels_of_another_scale_are_refused(published: Study, subtests: pytest.Subtests) -> None:
    """Where 0 is one of the two, 1 is the other, and not the first as it is here."""
    for label in [0, -1, "0", 3]:
        refused = rf"label is {label}\b.*1 or 2\b.*LLMBar.*format votes"
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
