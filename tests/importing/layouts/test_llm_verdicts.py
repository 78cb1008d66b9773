"""Verdicts of LLMs as published: small records written by hand, and the real files."""

from __future__ import annotations

import gzip
import json
import math
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
from tests.published import Study, check_skipped, real

QUESTION = {
    "question_id": 81, "category": "writing", "turns": ["Write.", "Rewrite."], "reference": ["so", "or so"],
}  # fmt: skip
VOTES = "item system_a system_b judge answer"


def answer(model: str, *turns: str) -> dict[str, object]:
    choices = [{"index": 0, "turns": list(turns)}]
    return {"question_id": 81, "model_id": model, "choices": choices, "tstamp": 1.5}


def judged_mtbench(ab: str, ba: str, **changed: str) -> dict[str, str]:
    return {
        "language": "en", "judge": "gpt/judge", "judge_id": "gpt-4o-mini", "question_id": "81",
        "category": "writing", "turn": "2", "model_a": "x", "model_b": "y", "winner_ab": ab,
        "winner_ba": ba, "winner": "?", **changed,
    }  # fmt: skip


def test_winner_ba_is_about_the_places_of_the_second_order(published: Study) -> None:
    """README: in winner_ba A is the answer shown first there, model_b. A language is a subset with
    questions of its own.
    """
    report = published.bring(
        "judgements.csv.gz",
        [judged_mtbench("A", "A"), judged_mtbench("tie", "error", question_id="82")],
    )
    assert report.layouts == {"judgements.csv.gz": "mtbench"}
    assert published.facts(VOTES) == [
        "81 x y gpt-4o-mini a", "81 y x gpt-4o-mini a",
        "82 x y gpt-4o-mini tie", "82 y x gpt-4o-mini unparsed",
    ]  # fmt: skip
    with published.renewed() as study:
        study.bring(
            "judgements.csv", [judged_mtbench("A", "B"), judged_mtbench("B", "B", language="ko")]
        )
        assert study.store.datasets.subsets("d") == ["en", "ko"]
        assert study.store.datasets.items("d")["item"].tolist() == ["81", "ko/81"]


def test_questions_answers_and_judgements_in_any_order(
    published: Study, subtests: pytest.Subtests
) -> None:
    for order in [(0, 1, 2), (2, 1, 0), (1, 2, 0)]:
        with subtests.test(order=order), published.renewed() as study:
            files = [
                study.write("questions.jsonl", [QUESTION]),
                study.write("answers/x.jsonl", [answer("x", "first", "second")]),
                study.write("judgements.csv", [judged_mtbench("A", "B")]),
            ]
            for place in order:
                study.load(files[place])
            said = r"[Turn 1]\nso\n\n[Turn 2]\nor so"
            context = "[Turn 1]\nWrite.\n\n[Turn 2]\nRewrite."
            assert study.facts("items") == [f'81 {context} ["{said}"] en']
            told = ["81 x [Turn 1]\nfirst\n\n[Turn 2]\nsecond", "81 y None"]
            assert study.facts("texts") == told


def test_a_sample_of_the_table_adds_only_its_own(published: Study) -> None:
    published.bring("judgements.csv", [judged_mtbench("A", "B")])
    sample: dict[str, object] = dict(judged_mtbench("A", "B"), judgment_ab="Because ...")
    del sample["language"], sample["judge"]
    report = published.bring("x_vs_y.jsonl", [{**sample, "tstamp": 1.5, "question_id": 81}])
    assert report.layouts == {"x_vs_y.jsonl": "mtbench"}
    assert report.counts["judgements"] == 2
    assert (report.added["judgements"], report.added["items"]) == (0, 0)


def test_grades(published: Study) -> None:
    """-1, with a mean left out, is what could not be parsed."""
    row = {"judge": "qwen/judge", "question_id": 81, "judge_id": "Qwen", "category": "writing"}
    rows = [
        {**row, "model_id": "x", "score_turn1": 8.0, "score_turn2": 7.0, "avg_score": 7.5},
        {**row, "model_id": "y", "score_turn1": -1, "score_turn2": 9.0, "avg_score": None},
    ]
    report = published.bring("single_grades.jsonl.gz", rows)
    assert report.layouts == {"single_grades.jsonl.gz": "mtbench"}
    judges = ["Qwen/single", "Qwen/single-turn-1", "Qwen/single-turn-2"]
    marks = {"x": [7.5, 8.0, 7.0], "y": ["unparsed", "unparsed", 9.0]}
    assert published.scores() == [
        ["81", system, "overall", judge, mark]
        for system, listed in marks.items()
        for judge, mark in zip(judges, listed, strict=True)
    ]


def test_broken_rows_of_mtbench(published: Study) -> None:
    changes = [{}, {"model_b": "x"}, {"question_id": ""}, {"judge_id": ""}]
    changes += [{"question_id": "82"}, {"question_id": "83"}]
    report = published.bring(
        "judgements.csv", [judged_mtbench("A", "B", **each) for each in changes]
    )
    empty = {3: "'question_id' is empty", 4: "'judge_id' is empty"}
    check_skipped(report, {2: "'x' with itself", **empty})
    broken = {**QUESTION, "turns": "Write."}
    report = published.bring("questions.jsonl", [broken, {**QUESTION, "question_id": 82}])
    check_skipped(report, {1: r"'turns'.*'Write\.'.*list"})


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


def test_broken_rows_of_alpacaeval(published: Study) -> None:
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
        "judgements.csv.gz",
        [judged_llmbar(0, "1", "1"), judged_llmbar(1, "2", ""), judged_llmbar(0, prompt="Swap")],
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
        "judgements.csv",
        [judged_llmbar(), judged_llmbar(prompt="Vanilla"), judged_llmbar(evaluator="PaLM2")],
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
    published.bring("judgements.csv", [judged_llmbar(), judged_llmbar(evaluator="PaLM2")])
    found = published.store.judges.load_all().set_index("judge")[["spec", "prompt"]].astype(object)
    assert found.loc["GPT-4/CoT"].tolist() == ["GPT-4", "LLMBar/CoT@1"]
    assert found.loc["PaLM2/CoT"].tolist()[0] == "hf:palm"


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
                study.write("judgements.csv", [judged_llmbar()]),
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
    published.bring("judgements.csv", [judged_llmbar()])
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
