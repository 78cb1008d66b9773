"""Published layouts: small records written by hand in each layout. The real files are in test_evidence.py."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core import datasets
from core.records import Dataset, TandemError
from core.store import Store
from tests.evidence import DATA

Load = Callable[..., tuple[Store, datasets.Report]]


@pytest.fixture
def load(tmp_path: Path, store: Store) -> Load:
    def load(name: str, rows: list[Any]) -> tuple[Store, datasets.Report]:
        path = tmp_path / name
        if name.endswith(".csv"):
            buffer = io.StringIO()
            writer = csv.DictWriter(buffer, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
            path.write_text(buffer.getvalue(), encoding="utf-8")
        elif name.endswith(".jsonl"):
            path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        else:
            path.write_text(json.dumps(rows), encoding="utf-8")
        return store, datasets.load(store, [path], Dataset("d"))

    return load


def scores(store: Store) -> list[list[Any]]:
    found = store.scores("d")[["item", "system", "sample", "attribute", "rater", "kind", "value"]]
    listed: list[list[Any]] = found.to_numpy().tolist()
    return listed


def summeval(**changed: object) -> dict[str, object]:
    systems = {
        "M0": {"decoded": "one", "scores": {"coherence": 1.5, "fluency": 5.0}},
        "M1": {"decoded": "two", "scores": {}},
    }
    return {
        "id": "cnn-1",
        "text": "Article.",
        "references": ["r1", "r2"],
        "reference": "r1",
        "systems": systems,
        **changed,
    }


def test_summeval(load: Load) -> None:
    store, report = load("summeval.jsonl", [summeval()])
    assert report.layouts == {"summeval.jsonl": "summeval"}
    assert store.items("d").to_numpy().tolist() == [["cnn-1", "Article.", '["r1", "r2"]', ""]]
    assert store.generations("d")[["system", "text"]].to_numpy().tolist() == [["M0", "one"], ["M1", "two"]]
    assert scores(store) == [
        ["cnn-1", "M0", 0, "coherence", "expert", "human", 1.5], ["cnn-1", "M0", 0, "fluency", "expert", "human", 5.0],
    ]  # fmt: skip
    coherence = store.attributes("d")[0]
    assert coherence.question == "Which summary is more coherent, so that its sentences form one well-ordered whole?"
    assert store.datasets()[["context_noun", "candidate_noun"]].to_numpy().tolist() == [["article", "summary"]]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"id": None}, "field 'id' is missing; it should be a str"),
        ({"id": 3}, "field 'id' is '3'; it should be a str"),
        ({"text": ["C"]}, "field 'text' is"),
        ({"systems": []}, "field 'systems' is '[]'; it should be a dict"),
        ({"systems": {"M0": "one"}}, "'one' should be an object with a field 'decoded'"),
        ({"systems": {"M0": {"decoded": "one"}}}, "field 'scores' is missing; it should be a dict"),
    ],
)
def test_a_broken_record_of_summeval(load: Load, changed: dict[str, object], said: str) -> None:
    _, report = load("summeval.jsonl", [summeval(**changed), summeval(id="cnn-2")])
    ((row, reason),) = [(one["row"], str(one["reason"])) for one in report.skipped]
    assert row == 1
    assert reason.startswith(said)
    assert report.held["items"] == report.added["items"] == 1


def annotated(**changed: object) -> dict[str, object]:
    marks = {"coherence": 2, "relevance": 4}
    people = {"expert_annotations": [marks, marks, {"coherence": 5, "relevance": 5}], "turker_annotations": [marks] * 5}
    return {
        "id": "cnn-1",
        "decoded": "one",
        "model_id": "M8",
        "text": "Article.",
        "references": ["r"],
        **people,
        **changed,
    }


def test_summeval_annotators(load: Load) -> None:
    store, report = load("M8.jsonl", [annotated(), annotated(model_id="M9", decoded="two")])
    assert report.layouts == {"M8.jsonl": "summeval-annotations"}
    assert report.held["judges"] == 8
    assert report.held["scores"] == 2 * 8 * 2
    raters = [f"expert-{n}" for n in (1, 2, 3)] + [f"crowd-{n}" for n in (1, 2, 3, 4, 5)]
    of_m8 = [row for row in scores(store) if row[1] == "M8" and row[3] == "coherence"]
    assert [row[4] for row in of_m8] == raters
    assert [row[6] for row in of_m8] == [2, 2, 5, 2, 2, 2, 2, 2]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"expert_annotations": {"coherence": 2}}, "field 'expert_annotations' is"),
        ({"expert_annotations": [3]}, "expert_annotations holds '3', not an object of scores"),
        ({"turker_annotations": None}, "field 'turker_annotations' is missing"),
        ({"model_id": None}, "field 'model_id' is missing"),
    ],
)
def test_a_broken_record_of_summeval_annotators(load: Load, changed: dict[str, object], said: str) -> None:
    _, report = load("M8.jsonl", [annotated(id="cnn-2"), annotated(**changed)])
    ((row, reason),) = [(one["row"], str(one["reason"])) for one in report.skipped]
    assert row == 2
    assert reason.startswith(said)
    assert report.added["generations"] == 1


def unieval(**changed: object) -> dict[str, object]:
    given = {
        "source": "A: hi\n",
        "context": "a fact",
        "system_id": "Argmax",
        "system_output": "one",
        "scores": {"overall": 3.5},
    }
    return {**given, **changed}


def test_unieval(load: Load) -> None:
    rows = [
        unieval(predict_scores={"overall": 0.7}),
        unieval(system_output="two", scores={"overall": 1}),
        unieval(system_id="Human", system_output="three", reference="r"),
        unieval(context="another fact", system_output="four"),
    ]
    store, report = load("topical.json", rows)
    assert report.layouts == {"topical.json": "unieval"}
    assert sorted(store.items("d")["context"]) == ["A: hi\n\na fact", "A: hi\n\nanother fact"]
    found = store.generations("d")[["system", "sample", "text"]].to_numpy().tolist()
    assert sorted(found) == [["Argmax", 0, "four"], ["Argmax", 0, "one"], ["Argmax", 1, "two"], ["Human", 0, "three"]]
    assert [row[1:] for row in scores(store)[:3]] == [
        ["Argmax", 0, "overall", "human", "human", 3.5],
        ["Argmax", 0, "overall", "unieval", "llm", 0.7],
        ["Argmax", 1, "overall", "human", "human", 1.0],
    ]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"system_id": None}, "it has no system_id, so it is not known whose output this is"),
        ({"system_output": 3}, "field 'system_output' is '3'"),
        ({"scores": [1]}, "field 'scores' is '[1]'; it should be a dict"),
    ],
)
def test_a_broken_record_of_unieval(load: Load, changed: dict[str, object], said: str) -> None:
    store, report = load("topical.json", [unieval(**changed), unieval(system_output="fine")])
    ((row, reason),) = [(one["row"], str(one["reason"])) for one in report.skipped]
    assert row == 1
    assert reason.startswith(said)
    assert store.generations("d")["text"].tolist() == ["fine"]


def rated(
    worker: str = "7", ids: str = "12121", prefs: tuple[int, ...] = (-1, -1, 0, 1, 1), **changed: str
) -> dict[str, str]:
    """One rater's five pairs of Vicuna (v1..v5) and GPT (g1..g5), shown as `ids` says: 1 = Vicuna in the first slot."""
    row = {"WorkerId": worker}
    for j, order in enumerate(ids, start=1):
        texts = (f"v{j}", f"g{j}") if order == "1" else (f"g{j}", f"v{j}")
        row |= {f"Input.model{slot}_summary{j}": text for slot, text in zip((1, 2), texts, strict=True)}
        row |= {f"Input.id{j}": order, f"Answer.pref{j}": str(prefs[j - 1])}
    return row | changed


NAME = "vicuna_gpt_cnn_dm_pref_data.csv"


def test_rating_sets_undo_the_display_slots(load: Load) -> None:
    """README of the data: r = pref where id is 1 and -pref where it is 2, so here r = -1, 1, 0, -1, 1 for GPT."""
    store, report = load(NAME, [rated(), rated("8", ids="21212", prefs=(1, 1, 0, -1, -1))])
    assert report.layouts == {NAME: "rating-sets"}
    assert report.held == {
        "items": 1, "systems": 2, "generations": 10, "attributes": 1, "scores": 0, "judges": 2, "comparisons": 10,
        "judgements": 10,
    }  # fmt: skip
    assert store.subsets("d") == ["cnn_dm"]
    by_text = store.generations("d")[["system", "sample", "text"]].to_numpy().tolist()
    assert sorted(by_text) == sorted([s, j, f"{s[0]}{j + 1}"] for s in ("vicuna", "gpt") for j in range(5))
    frame = store.exported("d")
    of = frame[frame["judge"] == "7"]
    assert list(zip(of["text_a"], of["text_b"], of["winner"], strict=True)) == [
        ("v1", "g1", "a"), ("g2", "v2", "a"), ("v3", "g3", "tie"), ("g4", "v4", "b"), ("v5", "g5", "b"),
    ]  # fmt: skip
    # the second rater saw every pair in the other order and meant the same
    other = frame[frame["judge"] == "8"]
    assert list(other["text_a"]) == list(of["text_b"])
    assert list(other["winner"]) == ["b", "b", "tie", "a", "a"]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"Input.id3": "3"}, "Input.id3 is '3', neither 1 nor 2"),
        ({"Input.id3": ""}, "Input.id3 is '', neither 1 nor 2"),
        ({"Answer.pref5": "2"}, "Answer.pref5 is '2', none of -1, 0, 1"),
        ({"Answer.pref1": ""}, "Answer.pref1 is '', none of -1, 0, 1"),
    ],
)
def test_a_broken_rating_set(load: Load, changed: dict[str, str], said: str) -> None:
    _, report = load(NAME, [rated(**changed), rated("8")])
    assert [(one["row"], one["reason"]) for one in report.skipped] == [(1, said)]
    assert report.added["judgements"] == 5


def test_a_mended_rating_set_keeps_the_items(load: Load, tmp_path: Path) -> None:
    """The name of an input does not depend on which rows before it could be used."""
    load(
        NAME,
        [
            rated(**{"Answer.pref1": "?"}),
            rated("8", ids="11111", prefs=(0, 0, 0, 0, 0), **{"Input.model1_summary1": "w"}),
        ],
    )
    _, report = load(NAME, [rated(), rated("8", ids="11111", prefs=(0, 0, 0, 0, 0), **{"Input.model1_summary1": "w"})])
    assert report.skipped == []
    assert report.added["judgements"] == 5
    assert report.added["items"] == 1


def test_a_rating_set_says_its_systems_in_its_name(load: Load, store: Store) -> None:
    with pytest.raises(TandemError, match=r"should be named MODEL1_MODEL2_DATASET_pref_data\.csv"):
        load("data.csv", [rated()])
    assert store.dataset_names() == []


@pytest.mark.skipif(not DATA.is_dir(), reason="the reference data sets are not here: ../shared/datasets")
def test_real_texts_are_on_one_side_only(store: Store) -> None:
    """The README's evidence for its reading: once the slots are undone no text is on both sides of one input."""
    name = "vicuna-7b_gpt-3.5-turbo-instruct_cnn_dm_pref_data.csv"
    datasets.load(store, [DATA / "separability" / name], Dataset("d"))
    sides = store.generations("d").groupby(["item", "text"])["system"].nunique()
    assert len(sides) > 400
    assert sides.max() == 1
