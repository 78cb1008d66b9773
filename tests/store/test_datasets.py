"""What is compared and who judges: everything is added once, and nothing that is there changes."""

import sqlite3

import pytest

from core.records import (
    Attribute,
    Dataset,
    Generation,
    Item,
    JudgeSpec,
    Kind,
    Prompt,
    Score,
    System,
    TandemError,
)
from tests.study import DATASET, fill, judge


def test_filling_again_adds_nothing(study):
    before = study.datasets.summary().to_dict()
    fill(study)
    assert study.datasets.summary().to_dict() == before
    assert study.datasets.summary().iloc[0][
        ["items", "systems", "generations", "attributes"]
    ].tolist() == [3, 3, 9, 1]


def test_every_add_says_how_many_were_new(study):
    assert study.datasets.add(Dataset(DATASET)) == 0
    assert study.datasets.add(Dataset("other")) == 1
    assert study.datasets.add_items(DATASET, [Item("i0"), Item("i9"), Item("i9")]) == 1
    assert study.datasets.add_systems(DATASET, [System("alpha"), System("delta")]) == 1
    assert (
        study.datasets.add_attributes(
            DATASET, [Attribute("coherence"), Attribute("fluency"), Attribute("style")]
        )
        == 2
    )
    assert (
        study.datasets.add_generations(
            DATASET,
            [
                Generation("i9", "alpha"),
                Generation("i9", "delta", text="new"),
                Generation("i0", "alpha", text="changed"),
            ],
        )
        == 1  # one has no text, one is there already
    )
    assert study.datasets.add_generations(DATASET, [Generation("i9", "alpha", text="late")]) == 1
    lengths = [Generation("i9", "beta", length=5), Generation("i0", "alpha", length=9999)]
    assert study.datasets.add_generations(DATASET, lengths) == 0
    known = study.annotator_stats.characters(DATASET)
    assert (known == 5).sum() == 1
    assert (known != 9999).all(), "a text says its own length"
    assert study.judges.add([JudgeSpec("Ada", Kind.HUMAN), JudgeSpec("Ada", Kind.HUMAN)]) == 1


def test_what_an_item_is_and_which_marks_are_better_are_remembered(study):
    assert study.datasets.items_are(DATASET) == ""
    study.datasets.set_items_are(DATASET, "contexts")
    assert study.datasets.items_are(DATASET) == "contexts"
    with pytest.raises(sqlite3.IntegrityError):
        study.datasets.set_items_are(DATASET, "rows")
    study.datasets.add_attributes(DATASET, [Attribute("rank", lower_is_better=True)])
    study.datasets.add_attributes(DATASET, [Attribute("rank"), Attribute("place")])
    study.datasets.set_lower_is_better(DATASET, ["place", "unknown"])
    lower = {each.name: each.lower_is_better for each in study.datasets.attributes(DATASET)}
    assert lower == {"coherence": False, "rank": True, "place": True}


def test_what_arrives_later_fills_what_was_missing_and_replaces_nothing(study):
    context = study.datasets.items(DATASET).set_index("item").loc["i0", "context"]
    study.datasets.add_items(
        DATASET, [Item("late"), Item("i0", "another context", ("a reference",), "news")]
    )
    study.datasets.add_items(DATASET, [Item("late", "its context", ("one", "two"), "talk")])
    items = study.datasets.items(DATASET).set_index("item")
    assert items.loc["late"].tolist() == ["its context", '["one", "two"]', "talk", ""]
    assert items.loc["i0"].tolist() == [context, '["a reference"]', "news", ""]
    assert study.datasets.subsets(DATASET) == ["news", "talk"]

    study.datasets.add_generations(
        DATASET, [Generation("late", "alpha"), Generation("late", "beta", text="")]
    )
    assert study.datasets.texts(DATASET, "late", "alpha") == {0: None}
    study.datasets.add_generations(
        DATASET, [Generation("late", "alpha", text="now"), Generation("late", "beta", text="no")]
    )
    study.datasets.add_generations(DATASET, [Generation("late", "alpha", text=None)])
    assert study.datasets.texts(DATASET, "late", "alpha") == {0: "now"}
    assert study.datasets.texts(DATASET, "late", "beta") == {0: ""}  # really empty, not missing


def test_texts_come_back_as_they_went_in(study):
    text = (
        "line\r\nbreak\ttab \u202eright to left\u202c <b> $x$ \x00 null \ud7ff 😀 é e\u0301 "
        "'quote' \"double\""
    )
    study.datasets.add_generations(DATASET, [Generation("i0", "alpha", 7, text)])
    assert study.datasets.texts(DATASET, "i0", "alpha")[7] == text


def test_the_files_of_a_data_set_add_up(study):
    study.datasets.add(Dataset(DATASET), {"a.csv": "1"})
    study.datasets.add(Dataset(DATASET), {"b.csv": "2"})
    assert study.datasets.summary()["files"].tolist() == ['{"a.csv":"1","b.csv":"2"}']


def test_how_a_data_set_is_worded_and_its_first_context(study):
    worded = Dataset("other", "a paper", "MIT", "dialogue", "answer", "Read both.")
    study.datasets.add(worded)
    assert study.datasets.load_description("other") == worded
    assert study.datasets.first_context("other") is None
    study.datasets.add_items("other", [Item("z", "the first"), Item("a", "the second")])
    assert study.datasets.first_context("other") == "the first"
    with pytest.raises(LookupError):
        study.datasets.load_description("no such")


def test_names_belong_to_their_data_set(study):
    fill(study, dataset="other", systems=("alpha", "omega"), items=1)
    assert study.datasets.names() == [DATASET, "other"]
    assert study.datasets.systems("other") == ["alpha", "omega"]
    assert study.datasets.systems(DATASET) == ["alpha", "beta", "gamma"]
    assert len(study.datasets.generations("other")) == 2
    assert study.datasets.summary().set_index("dataset")["generations"].to_dict() == {
        DATASET: 9,
        "other": 2,
    }


def test_generations_without_texts_say_whether_there_is_one(study):
    study.datasets.add_generations(
        DATASET, [Generation("i0", "alpha", 1, None), Generation("i0", "alpha", 2, "")]
    )
    frame = study.datasets.generations(DATASET, texts=False).query(
        "item == 'i0' and system == 'alpha'"
    )
    assert list(zip(frame["sample"], frame["available"], strict=True)) == [(0, 1), (1, 0), (2, 1)]


class TestPrompts:
    def test_a_stored_version_cannot_be_reworded(self, store):
        row = store.judges.add_prompt(Prompt("mine", 1, "Which?"))
        assert store.judges.add_prompt(Prompt("mine", 1, "Which?")) == row
        with pytest.raises(TandemError, match=r"mine@1 .*new version"):
            store.judges.add_prompt(Prompt("mine", 1, "Who?"))


class TestJudges:
    def test_everything_that_can_change_an_answer_comes_back(self, store):
        spec = JudgeSpec(
            "m", Kind.LLM, "hf:m", Prompt("p", 3, "T"), "classifier", ("A", "B"), 5, 0.7, 512
        )
        store.judges.add([spec])
        assert store.judges.spec("m") == spec
        assert store.judges.load_all().iloc[0].tolist() == ["m", "llm", "hf:m", "classifier", "p@3"]

    def test_a_name_is_of_one_kind(self, store):
        judge(store, "Ada", Kind.HUMAN)
        with pytest.raises(TandemError, match=r"'Ada' .*\bhuman\b.*\bllm\b.*another name"):
            store.judges.add([JudgeSpec("Bo", Kind.HUMAN), JudgeSpec("Ada", Kind.LLM)])
        assert store.judges.load_all()["judge"].tolist() == ["Ada"]

    def test_an_unknown_one_is_named(self, store):
        for ask in (store.judges.spec, store.judges.id_of):
            with pytest.raises(TandemError, match="unknown judge 'Zoe'"):
                ask("Zoe")


class TestScores:
    def test_a_mark_that_is_there_stays(self, study):
        judge(study, "expert")
        score = Score("i0", "alpha", "coherence", "expert", 4.5)
        assert (
            study.scores.add(
                DATASET,
                [score, Score("i1", "alpha", "coherence", "expert", None, failure="refused")],
            )
            == 2
        )
        assert (
            study.scores.add(DATASET, [score, Score("i0", "alpha", "coherence", "expert", 1.0)])
            == 0
        )
        frame = study.scores.load_all(DATASET)
        assert frame["value"].iloc[0] == 4.5
        assert frame["value"].isna().tolist() == [False, True]
        assert frame["failure"].tolist() == ["", "refused"]

    @pytest.mark.parametrize("value", [None, float("nan")])
    def test_a_mark_without_value_or_reason_is_not_dropped_silently(self, study, value):
        judge(study, "expert")
        with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
            study.scores.add(DATASET, [Score("i0", "alpha", "coherence", "expert", value)])
