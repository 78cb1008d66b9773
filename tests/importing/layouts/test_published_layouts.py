"""Small files in published layouts: what is found in each, row by row, and what is said of rows that
are broken. The layouts are those of the cards and repositories that `core.importing.layouts` names.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from core.campaigns import enrol
from core.importing import importer
from core.importing.cells import UnrecognisedError
from core.records import Dataset, Kind, TandemError
from core.store import Store
from tests.published import Study, check_skipped, reasons
from tests.study import ask

Row = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """A file in a layout: what is found in it (columns of the votes, or `scores`, `texts`, `items`),
    a row in words, and the rows that are skipped with a pattern of the reason.
    """

    file: str
    layout: str
    rows: list[Any]
    found: dict[str, list[str]]
    skipped: dict[int, str] = field(default_factory=dict)
    reading: dict[str, Any] = field(default_factory=dict)


MARKS = {"coherence": 2, "relevance": 4}
ANNOTATED: Row = {
    "id": "cnn-1", "decoded": "one", "model_id": "M8", "text": "Article.", "references": ["r"],
    "expert_annotations": [MARKS, MARKS, {"coherence": 5, "relevance": 5}],
    "turker_annotations": [MARKS] * 5,
}  # fmt: skip
DECISION = {
    "response_model": "gpt-4o", "judge_name": "arena_hard", "judge_model": "o1-mini", "pair_id": "p",
    "source": "law", "label": "A>B", "decision_original_order": "A>B", "decision_swapped_order": "B>A",
}  # fmt: skip
HANNA = {"system": "GPT-2", "prompt_index": "0", "criterion": "Relevance", "human_1": "4", "human_2": "", "human_3": "x"}  # fmt: skip
UNIEVAL: Row = {
    "source": "A: hi\n", "context": "a fact", "system_id": "Argmax", "system_output": "one",
    "scores": {"overall": 3.5},
}  # fmt: skip
SINGLE: Row = {
    "question_id": 81, "model": "llama", "judge": ["gpt-4", "single-v1"], "score": 8.5,
    "user_prompt": "p", "judgment": "Rating: [[8.5]]", "turn": 1, "tstamp": 1.0,
}  # fmt: skip
CHOICE: Row = {
    "info": {"id": "t1", "post": None, "article": "An article."}, "worker": "w", "choice": 1,
    "summaries": [{"text": "s", "policy": "ref"}, {"text": "t", "policy": "sup4"}],
}  # fmt: skip
COMPLETION = {
    "model": "m", "response": "text",
    "annotations": {"honesty": {"Rating": "N/A"}, "helpfulness": {"Rating": "4"}},
}  # fmt: skip


def story(number: int, worker: str, **more: object) -> Row:
    """A row as in hanna_stories_annotations.csv (dig-team/hanna-benchmark-asg, README)."""
    return {
        "Story_ID": number, "Prompt": "A wizard grows old.", "Human": "His body was failing.",
        "Story": f"Story {number}.", "Model": "Human" if number < 96 else "BertGeneration",
        "Relevance": 3, "Coherence": 2, "Empathy": 2, "Surprise": 2, "Engagement": 2,
        "Complexity": 3, "Worker_ID": worker, "Assignment_ID": "x", "Work_time_in_seconds": 70,
        "Name": "Tawthorn", **more,
    }  # fmt: skip


def webgpt(first: float, second: float) -> Row:
    return {
        "question": {"full_text": f"Why {first}?"}, "answer_0": "zero", "answer_1": "one",
        "score_0": first, "score_1": second,
    }  # fmt: skip


def game(g1: str, g2: str, **more: Any) -> Row:
    """As fastchat/llm_judge/common.py writes it (lm-sys/FastChat)."""
    return {
        "question_id": 81, "model_1": "llama", "model_2": "vicuna", "g1_winner": g1, "g2_winner": g2,
        "judge": ["gpt-4", "pair-v2"], "g1_user_prompt": "p1", "g1_judgment": "[[A]]",
        "g2_user_prompt": "p2", "g2_judgment": "[[B]]", "turn": 1, "tstamp": 1687211111.5, **more,
    }  # fmt: skip


def games(*scores: Any, **more: Any) -> Row:
    """As gen_judgment.py writes it (lmarena/arena-hard-auto): game 1 shows the baseline as A."""
    listed = [{"user_prompt": "u", "judgment": f"[[{said}]]", "score": said} for said in scores]
    return {"question_id": "q1", "model": "llama", "judge": "gpt-4-1106-preview", "games": listed, **more}  # fmt: skip


def rank_rows(*ranks: tuple[str, str, object]) -> list[Row]:
    return [
        {"item": "q", "judge": judge, "system": system, "rank": rank, "text": f"text of {system}"}
        for judge, system, rank in ranks
    ]


VOTES, PAIRS = "item system_a system_b judge answer", "system_a system_b answer"
ONE, TWO = "gpt-4/pair-v2", "gpt-4/pair-v2-multi-turn/turn-2"
STORIES = [story(number, worker) for number in (3, 99) for worker in ("12", "7", "40")]
STORIES[4]["Coherence"] = "n/a"
BLANKS = {name.replace("_", " "): value for name, value in story(5, "1").items()}
CASES = [
    # the same layout as SummEval with numbers for ids, one reference, and a score by people
    Case("realsumm.jsonl.gz", "realsumm", [{"id": 52, "text": "Article.", "reference": "r", "systems":
         {"bart_out.txt": {"decoded": "one", "scores": {"litepyramid_recall": 0.3}}}}],
         {"items": ['52 Article. ["r"] '], "scores": ["52 bart_out.txt litepyramid_recall human 0.3"]}),
    Case("s.json", "sampled-texts", [{"summaries": ["a", 3]}, {"summaries": ["a", "b"]}],
         {"samples": ["s 2 0 a", "s 2 1 b"]}, {1: "sample 1.*summaries"}),
    Case("review_gpt35_vicuna-13b_human.txt", "faireval", ["CHATGPT", "", "GPT", "TIE"],
         {VOTES: ["1 gpt35 vicuna-13b human a", "4 gpt35 vicuna-13b human tie"]},
         {3: "'GPT'.*CHATGPT, VICUNA13B, TIE"}),
    Case("decisions.csv", "judgebench", [{**DECISION, "label": "?"}, {**DECISION, "label": "B>A"}],
         {}, {1: r"label '\?'.*A>B, B>A, A=B"}),
    Case("w.jsonl", "webgpt", [webgpt(0.5, -0.5), webgpt(0, 0), webgpt(-1, 1)],
         {PAIRS: ["answer_0 answer_1 a", "answer_0 answer_1 tie", "answer_0 answer_1 b"]}),
    Case("b.json", "summarize-feedback", [CHOICE, {**CHOICE, "choice": 2}],
         {VOTES: ["t1 ref sup4 w b"], "items": ["t1 An article. [] "]}, {2: ""}),
    Case("u.jsonl", "ultrafeedback", [{"instruction": "Do.", "models": ["m"], "completions": [COMPLETION]}],
         {"scores": ["0 m helpfulness gpt-4 4.0"], "texts": ["0 m text"]}),
    Case("hanna.csv", "hanna", [HANNA, {**HANNA, "prompt_index": ""}],
         {"texts": ["0 GPT-2 None"],
          "scores": ["0 GPT-2 relevance human-1 4.0", "0 GPT-2 relevance human-3 not-a-number"]},
         {2: "'prompt_index'.*empty"}),
    # stories 3 and 99 are written to the same prompt: 96 prompts, model by model
    Case("hanna_stories_annotations.csv", "hanna", STORIES,
         {"texts": ["3 BertGeneration Story 99.", "3 Human Story 3."],
          "items": ['3 A wizard grows old. ["His body was failing."] ']}),
    Case("hanna.csv", "hanna", [BLANKS, {**BLANKS, "Story ID": "x"}],
         {"texts": ["5 Human Story 5."]}, {2: ""}),
    # the winner of either game is told by its name; game 2 shows model_2 first
    Case("gpt-4_pair.jsonl", "fastchat", [
        game("model_1", "model_1"), game("model_2", "tie", question_id=82),
        game("error", "model_2", question_id=83),
        game("model_1", "model_2", turn=2, judge=["gpt-4", "pair-v2-multi-turn"])],
        {VOTES: [f"81 llama vicuna {ONE} a", f"81 vicuna llama {ONE} b", f"82 llama vicuna {ONE} b",
                 f"82 vicuna llama {ONE} tie", f"83 llama vicuna {ONE} unparsed",
                 f"83 vicuna llama {ONE} a", f"81 llama vicuna {TWO} a", f"81 vicuna llama {TWO} a"],
         "kind": ["llm"] * 8}),
    # a winner by two marks has no order
    Case("gpt-4_pair.jsonl", "fastchat", [game("model_2", "model_2", m1_score=4, m2_score=7)],
         {"system_a answer order_known": ["llama b 0"]}),
    Case("gpt-4_single.jsonl", "fastchat", [
        SINGLE, {**SINGLE, "score": -1, "judgment": "I cannot.", "question_id": 82},
        {**SINGLE, "score": 3, "turn": 2, "judge": ["gpt-4", "single-v1-multi-turn"]},
        {**SINGLE, "judge": "gpt-4"}],
        {"scores": ["81 llama overall gpt-4/single-v1 8.5", "82 llama overall gpt-4/single-v1 unparsed",
                    "81 llama overall gpt-4/single-v1-multi-turn/turn-2 3.0"]}, {4: "'judge'.*'gpt-4'.*list"}),
    Case("llama.jsonl", "arena-hard", [
        games("A>>B", "B>A"), games("A=B", None, question_id="q2"), games("B>>A", "A>B", question_id="q3")],
        {"item system_a system_b answer": [
            "q1 gpt-4-0314 llama a", "q1 llama gpt-4-0314 b", "q2 gpt-4-0314 llama tie",
            "q2 llama gpt-4-0314 unparsed", "q3 gpt-4-0314 llama b", "q3 llama gpt-4-0314 a"]},
        reading={"systems": ["gpt-4-0314"]}),
    # who judged may be said where a layout leaves it open
    Case("llama.jsonl", "arena-hard", [games("A>B", "A>B", baseline="o3")], {"kind": ["human"] * 2},
         reading={"kind": Kind.HUMAN}),
    *(Case("r.csv", "rankings", [{"item": "q", "ranker": "ann", "ranking": ranking}],
           {f"{PAIRS} order_known": [f"{vote} 0" for vote in votes]})
      for ranking, votes in {"b > a": ["a b b"], "a=b": ["a b tie"], '["b", "a"]': ["a b b"],
                             "c>a=b": ["a b tie", "a c b", "b c b"]}.items()),
    *(Case("r.csv", "rankings", [{"item": "q", "ranking": each} for each in ("a>b", "b>a", broken)],
           {PAIRS: ["a b a", "a b b"]}, {3: ""}) for broken in ("a", "a>a", "a>>", ">")),
    Case("r.csv", "rankings", [{"item": "q", "1st": "a", "2nd": "b=c", "3rd": ""},
                               {"item": "r", "1st": "c", "2nd": "a", "3rd": "b"}],
         {"item system_a system_b answer": ["q a b a", "q a c a", "q b c tie", "r a b a", "r a c b", "r b c b"]}),
    Case("r.csv", "rankings", rank_rows(("ann", "a", 2), ("bob", "b", 1), ("ann", "b", 1), ("bob", "a", 1.0)),
         {f"judge {PAIRS}": ["ann a b b", "bob a b tie"], "texts": ["q a text of a", "q b text of b"]}),
    Case("topical.json", "unieval", [
        {**UNIEVAL, "predict_scores": {"overall": 0.7}},
        {**UNIEVAL, "system_output": "two", "scores": {"overall": 1}},
        {**UNIEVAL, "system_id": "Human", "system_output": "three", "reference": "r"},
        {**UNIEVAL, "context": "another fact", "system_output": "four"}], {}),
    Case("M8.jsonl", "summeval-annotations", [ANNOTATED, {**ANNOTATED, "model_id": "M9", "decoded": "two"}], {}),
]  # fmt: skip


def test_what_is_found_in_each_layout(published: Study, subtests: pytest.Subtests) -> None:
    for number, case in enumerate(CASES):
        with subtests.test(case.file, number=number), published.renewed() as study:
            report = study.load(study.write(case.file, case.rows), **case.reading)
            assert set(report.layouts.values()) == {case.layout}
            check_skipped(report, case.skipped)
            for columns, expected in case.found.items():
                found = study.facts(columns)
                if case.layout == "ultrafeedback":  # its item is named by a hash
                    found, expected = ([row.partition(" ")[2] for row in each] for each in (found, expected))  # fmt: skip
                assert (sorted(found) if case.layout == "rankings" else found) == expected


BROKEN: list[tuple[str, Row, Row, str]] = [
    ("M8.jsonl", ANNOTATED, {"expert_annotations": {"coherence": 2}}, "field 'expert_annotations' is"),
    ("M8.jsonl", ANNOTATED, {"expert_annotations": [3]}, "expert_annotations .*'3'"),
    ("M8.jsonl", ANNOTATED, {"turker_annotations": None}, "'turker_annotations' is missing"),
    ("M8.jsonl", ANNOTATED, {"model_id": None}, "'model_id' is missing"),
    ("topical.json", UNIEVAL, {"system_id": None}, "no system_id"),
    ("topical.json", UNIEVAL, {"system_output": 3}, "'system_output' is '3'"),
    ("topical.json", UNIEVAL, {"scores": [1]}, r"'scores' is '\[1\]'.* dict"),
]  # fmt: skip


def test_a_broken_record_is_skipped_alone(published: Study, subtests: pytest.Subtests) -> None:
    for name, good, changed, reason in BROKEN:
        with subtests.test(reason), published.renewed() as study:
            other = (
                {**good, "id": "cnn-2"} if name == "M8.jsonl" else {**good, "system_output": "fine"}
            )
            report = study.bring(name, [{**good, **changed}, other])
            check_skipped(report, {1: reason})
            assert report.added["generations"] == 1


def test_raters_of_published_scores(published: Study) -> None:
    """SummEval's experts and crowd, HANNA's workers, UniEval's people and its own scores."""
    report = published.bring(
        "M8.jsonl", [ANNOTATED, {**ANNOTATED, "model_id": "M9", "decoded": "two"}]
    )
    assert (report.counts["judges"], report.counts["scores"]) == (8, 2 * 8 * 2)
    raters = [f"expert-{n}" for n in (1, 2, 3)] + [f"crowd-{n}" for n in (1, 2, 3, 4, 5)]
    of_m8 = [row[3:] for row in published.scores() if row[1] == "M8" and row[2] == "coherence"]
    assert of_m8 == [list(row) for row in zip(raters, [2, 2, 5, 2, 2, 2, 2, 2], strict=True)]
    with published.renewed() as study:
        study.bring("hanna_stories_annotations.csv", STORIES)
        scores = study.scores()
        assert (len(scores), {item for item, *_ in scores}) == (36, {"3"})
        workers = ["worker-12", "worker-7", "worker-40"]
        expected = [list(row) for row in product(["3"], ["Human", "BertGeneration"], ["coherence"], workers, [2])]  # fmt: skip
        expected[4][4] = "not-a-number"
        assert [row for row in scores if row[2] == "coherence"] == expected
    with published.renewed() as study:
        study.bring("topical.json", next(case.rows for case in CASES if case.layout == "unieval"))
        contexts = sorted(study.store.datasets.items("d")["context"])
        assert contexts == ["A: hi\n\na fact", "A: hi\n\nanother fact"]
        texts = study.store.texts.generations("d")[["system", "sample", "text"]]
        assert sorted(texts.itertuples(index=False, name=None)) == [
            ("Argmax", 0, "four"), ("Argmax", 0, "one"), ("Argmax", 1, "two"), ("Human", 0, "three"),
        ]  # fmt: skip
        assert [row[1:] for row in study.scores()[:3]] == [
            ["Argmax", "overall", "human", 3.5], ["Argmax", "overall", "unieval", 0.7],
            ["Argmax", "overall", "human", 1.0],
        ]  # fmt: skip


def test_newsroom_has_no_system_and_says_how_to_supply_it(published: Study) -> None:
    """Newsroom goes about in UniEval's layout without a system_id."""
    rows = [
        {**UNIEVAL, "system_id": None, "model": "lede"},
        {**UNIEVAL, "system_id": None, "model": "abs", "system_output": "two"},
    ]
    how = r"newsroom\.json.* map system=FIELD.*\b2 rows\b.* systems NAME1 NAME2$"
    with pytest.raises(TandemError, match=how):
        published.bring("newsroom.json", rows)
    published.load("newsroom.json", mapping={"system": "model"})
    assert [system for _, system, _ in published.texts()] == ["abs", "lede"]
    for reading, refused in [
        ({"systems": ["a", "b", "c"]}, r"\b3 systems\b.*\b2 outputs\b"),
        ({"mapping": {"item": "model"}}, r"map .*just system\b.*newsroom\.json.*UniEval"),
    ]:
        with pytest.raises(TandemError, match=refused):
            published.load("newsroom.json", **reading)
    rows = [
        {**UNIEVAL, "system_id": None, "source": source, "system_output": f"{source} {n}"}
        for source in ("one", "two")
        for n in (1, 2)
    ]
    with published.renewed() as study:  # the order within an item may stand for the systems
        study.write("newsroom.json", rows)
        study.load("newsroom.json", systems=["first", "second"])
        found = sorted((text, system) for _, system, text in study.texts())
        assert [text for text, _ in found] == ["one 1", "one 2", "two 1", "two 2"]
        assert [system for _, system in found] == ["first", "second"] * 2
        study.write("uneven.json", rows[:3])
        with pytest.raises(TandemError) as uneven:
            study.load("uneven.json")
        assert "NAME1" not in str(uneven.value)


def test_samples_in_a_file_for_each_system_and_one_of_contexts(
    published: Study, subtests: pytest.Subtests
) -> None:
    """A list of objects with an item's texts, in the order of the contexts (dill-lab/separability)."""
    for column in ("summaries", "responses"):
        with subtests.test(column), published.renewed() as study:
            study.write("vicuna-7b.json", [{column: ["a0", "a1"]}, {column: ["b0", ""]}])
            study.write("gpt-3.5.json", [{column: ["x0", "x1"]}, {column: ["y0", "y1"]}])
            study.write("test.csv", [{"article": "It rained."}, {"article": "It snowed."}])
            report = study.load()
            assert (report.skipped, set(report.layouts.values())) == ([], {"sampled-texts"})
            assert study.facts("samples") == [
                "gpt-3.5 1 0 x0", "gpt-3.5 1 1 x1", "gpt-3.5 2 0 y0", "gpt-3.5 2 1 y1",
                "vicuna-7b 1 0 a0", "vicuna-7b 1 1 a1", "vicuna-7b 2 0 b0", "vicuna-7b 2 1 ",
            ]  # fmt: skip
            assert study.facts("items") == ["1 It rained. [] ", "2 It snowed. [] "]


def test_a_folder_of_questions_answers_and_verdicts(published: Study) -> None:
    """FairEval's; its reviews are by people."""
    for system, model, text in [("gpt35", "gpt-3.5-turbo:1", "So."), ("vicuna-13b", "vicuna-13b:2", "Thus.")]:  # fmt: skip
        answer = {"answer_id": "x", "model_id": model, "question_id": 1, "text": text}
        published.write(f"answer_{system}.jsonl", [answer])
    published.write("question.jsonl", [{"question_id": 1, "text": "How?", "category": "generic"}])
    published.write("review_gpt35_vicuna-13b_human.txt", ["CHATGPT", "TIE", "VICUNA13B"])
    published.write("notes.txt", ["something else"])
    report = published.load()
    assert set(report.layouts.values()) == {"faireval"}
    assert [one["file"] for one in report.left_out] == ["notes.txt"]
    assert published.facts("texts")[:2] == ["1 gpt35 So.", "1 vicuna-13b Thus."]
    assert published.facts(f"{VOTES} kind order_known") == [
        f"{item} gpt35 vicuna-13b human {said} human 0" for item, said in [(1, "a"), (2, "tie"), (3, "b")]
    ]  # fmt: skip
    assert published.facts("items")[0] == "1 How? [] generic"
    with pytest.raises(UnrecognisedError, match=r"verdicts\.txt .*plain.*\.jsonl"):
        published.bring("verdicts.txt", ["CHATGPT"])
    with pytest.raises(TandemError, match=r"review_human\.txt .* review_FIRST_SECOND_JUDGE\.txt"):
        published.bring("review_human.txt", ["CHATGPT"])
    path = published.write("review_x_y_human.txt", ["1: CHATGPT"])
    with pytest.raises(TandemError, match=r"kind llm .*review_x_y_human\.txt.*FairEval.*leave it"):
        published.load(path, layout="faireval", kind=Kind.LLM)


def test_the_swapped_decision_is_as_displayed(published: Study) -> None:
    """README of JudgeBench: it must be flipped before it is compared with the label. Here the judge
    says response A both times.
    """
    reward = {"judge_model": "reward", "judge_name": "reward_model"}
    said = {"decision_original_order": "A=B", "decision_swapped_order": ""}
    report = published.bring("decisions.csv.gz", [DECISION, {**DECISION, **reward, **said}])
    assert report.layouts == {"decisions.csv.gz": "judgebench"}
    assert published.facts(VOTES) == [
        "p response_A response_B gold a", "p response_A response_B arena_hard/o1-mini a",
        "p response_B response_A arena_hard/o1-mini b", "p response_A response_B reward_model/reward tie",
        "p response_B response_A reward_model/reward unparsed",
    ]  # fmt: skip
    assert published.store.datasets.subsets("d") == ["law"]
    judges = published.store.judges.load_all().set_index("judge")[["spec", "prompt"]].astype(object)
    assert judges.loc["arena_hard/o1-mini"].tolist() == ["o1-mini", "JudgeBench/arena_hard@1"]
    assert judges["spec"]["reward_model/reward"] == "reward"
    assert pd.isna(judges["prompt"]["reward_model/reward"])


def test_a_preference_has_a_side_and_a_strength(published: Study) -> None:
    """HelpSteer3's."""
    rows = [
        {
            "context": [{"role": "user", "content": f"Q{each}"}], "domain": "code", "response1": "one",
            "response2": "two", "overall_preference": each, "individual_preference": [],
        }
        for each in (-3, 0, 2, 4)
    ]  # fmt: skip
    report = published.bring("h.jsonl", rows)
    assert [row for row, _ in reasons(report)] == [4]
    assert published.facts("answer") == ["a", "tie", "b"]
    strengths = published.store.connection.rows("SELECT strength FROM judgements ORDER BY id")
    assert [each for (each,) in strengths] == pytest.approx([1, None, 2 / 3])
    assert published.store.datasets.items("d")["context"].tolist() == ["Q-3", "Q0", "Q2"]


def test_games_keep_their_words_times_and_strengths(published: Study) -> None:
    published.bring("gpt-4_pair.jsonl", [game("model_1", "model_1")])
    frame = published.store.judgement_frames.load_exported("d")
    assert frame["raw"].tolist() == ["[[A]]", "[[B]]"]
    assert frame["created_at"].str.startswith("2023-06-19").all()
    with published.renewed() as study:  # Arena-Hard, with a baseline that is named
        rows = [games("A>>B", "B>A"), games("A=B", None, question_id="q2"), games("B>>A", "A>B", question_id="q3")]  # fmt: skip
        path = study.write("llama.jsonl", rows)
        for given in ([], ["one", "two"]):
            with pytest.raises(
                TandemError, match=r"llama\.jsonl.*baseline.* systems, .*gpt-4-0314"
            ):
                study.load(path, systems=given)
        assert study.store.datasets.names() == []
        study.load(path, systems=["gpt-4-0314"])
        strengths = study.store.judgement_frames.load_exported("d")["strength"]
        assert strengths.fillna(0).tolist() == [2, 1, 0, 0, 2, 1]
    with published.renewed() as study:  # rows of version 2 name it
        two = games("A>B", "A>B", baseline="o3-mini", uid="u1", category="hard_prompt")
        del two["question_id"]
        verdict = "My final verdict is [[A>B]]"
        two["games"][0]["judgment"] = {"answer": verdict}
        report = study.bring("llama.jsonl", [two, {**two, "model": "o3-mini"}])
        check_skipped(report, {2: "'o3-mini' with itself"})
        found = study.facts("item subset system_a answer")
        assert found == ["u1 hard_prompt o3-mini a", "u1 hard_prompt llama a"]
        raw = study.store.judgement_frames.load_exported("d")["raw"]
        assert raw.tolist() == [verdict, "[[A>B]]"]


# ---- wins that are counted: a pair a row, and square matrices


def wins(study: Study) -> Counter[tuple[str, ...]]:
    """(winner, loser), or (tie, first, second)."""
    rows = study.votes("system_a", "system_b", "outcome")
    sides = {"a": lambda a, b: (a, b), "b": lambda a, b: (b, a)}
    return Counter(sides.get(said, lambda a, b: ("tie", a, b))(a, b) for a, b, said in rows)


def test_counted_wins_are_votes(published: Study, subtests: pytest.Subtests) -> None:
    one = {"model_a": "x", "model_b": "y", "wins_a": 1, "wins_b": 0}
    matrix = [
        {"winner": "x", "x": "", "y": 3, "z": 2}, {"winner": "y", "x": 1, "y": 0, "z": 0},
        {"winner": "z", "x": 0, "y": 5, "z": 0},
    ]  # fmt: skip
    counted = [("x", "y", 3, 1), ("y", "z", 0, 2), ("x", "z", "2.0", "")]
    tables = [
        ([dict(zip(names.split(), row, strict=True)) for row in counted], "xy3 yx1 zy2 xz2", [])
        for names in ("player1 player2 win1 win2", "model_a model_b wins_a wins_b", "item1 item2 wins1 wins2")
    ]  # fmt: skip
    for rows, expected, skipped in [
        *tables, (matrix, "xy3 xz2 yx1 zy5", []), ([{**one, "ties": 2}], "xy1 tiexy2", []),
        ([one, {**one, "wins_b": 0.5}, {**one, "wins_a": 4}], "xy5", [2]),  # half a win is none
    ]:  # fmt: skip
        with subtests.test(expected, columns=list(rows[0])), published.renewed() as study:
            path = study.write("w.csv", rows)
            assert [each["row"] for each in study.load(path).skipped] == skipped
            told = {f"{''.join(pair)}{times}" for pair, times in wins(study).items()}
            assert told == set(expected.split())
            assert not study.store.judgement_frames.load_all("d")["order_known"].any()
            assert study.load(path).added["judgements"] == 0
    too_many = [
        {"player1": "A", "player2": "B", "win1": 9_000_000_000_000, "win2": 1},
        {"player1": "B", "player2": "C", "win1": 3, "win2": 4},
    ]
    with pytest.raises(TandemError, match="9,000,000,000,008 votes"):
        published.bring("c.csv", too_many)


# ---- pairs that nobody has judged yet: just these are asked about


def pair(prompt: str, a: str, b: str, **more: str) -> dict[str, str]:
    return {
        "prompt": prompt, "model_a": a, "response_a": f"{a} on {prompt}", "model_b": b,
        "response_b": f"{b} on {prompt}", **more,
    }  # fmt: skip


def planned(store: Store) -> list[str]:
    """The systems of the pairs to ask, by name."""
    rows = store.connection.rows(
        """SELECT s.name, t.name FROM campaign_pairs p JOIN generations a ON a.id = p.generation_1
        JOIN generations b ON b.id = p.generation_2 JOIN systems s ON s.id = a.system
        JOIN systems t ON t.id = b.system"""
    )
    return sorted("".join(sorted(each)) for each in rows)


def test_of_three_texts_just_the_listed_pairs_are_asked(published: Study) -> None:
    rows = [pair("q", "x", "y"), pair("q", "z", "y")]
    path = published.write("p.csv", rows)
    published.load(path)
    assert (planned(published.store), len(published.texts())) == (["xy", "yz"], 3)
    assert published.votes() == []
    assert set(published.load(path).added.values()) == {0}  # the same pairs again
    assert planned(published.store) == ["xy", "yz"]
    enrol(published.store, "Ada")
    shown = ask(published.store, "Ada", "d")
    assert shown is not None
    assert {shown.text_a, shown.text_b} in [{"x on q", "y on q"}, {"z on q", "y on q"}]


def test_a_text_that_comes_later_is_not_asked_about_by_itself(published: Study) -> None:
    published.bring("p.csv", [pair("q", "x", "y")])
    published.bring("more.csv", [{"prompt": "q", "model": "w", "response": "w on q"}])
    assert planned(published.store) == ["xy"]
    rows = [{"prompt": "r", "model": name, "response": name} for name in "xyw"]
    published.bring("other.csv", rows)
    assert set(planned(published.store)) == {"xy", "wx", "wy"}


def test_votes_names_and_texts_that_a_table_of_pairs_may_lack(published: Study) -> None:
    rows = [pair("q", "x", "y", winner=""), pair("r", "x", "y", winner="model_a")]
    published.bring("v.csv", rows)  # a vote in one row makes it a table of votes
    assert published.facts("answer") == ["no-answer", "a"]
    with published.renewed() as study:
        report = study.bring(
            "p.csv", [pair("q", "x", "y"), {**pair("r", "x", "y"), "response_b": ""}]
        )
        assert [row["row"] for row in report.skipped] == [2]
    with pytest.raises(TandemError, match="systems"):
        published.bring("n.csv", [{"id": "1", "response_a": "one", "response_b": "two"}])
    rows = [{"question": "q", "answer": f"A long\nanswer {n}", "rank": n} for n in (1, 2)]
    with pytest.raises(TandemError, match="system=COLUMN"):
        published.bring("r.csv", rows)


def test_every_pair_says_which_ranking_it_is_of(published: Study) -> None:
    """And a system once more begins another ranking."""
    rows = [{"item": "q", "ranker": who, "ranking": "a>b>c"} for who in ("ann", "bob")]
    ranks = rank_rows(("ann", "a", 1), ("ann", "b", 2), ("ann", "b", 1), ("ann", "a", 2))
    for name, table, pairs in [("r.csv", rows, [3, 3]), ("s.csv", ranks, [1, 1])]:
        path: Path = published.write(name, table)
        survey = importer.survey(published.store, [path], Dataset("d"))
        counted = "SELECT count(*) FROM entries GROUP BY ranking ORDER BY ranking"
        assert [each for (each,) in survey.stage.database.rows(counted)] == pairs
