"""What is compared and who judges: everything is added once, and nothing that is there changes."""

import sqlite3

import pytest

from core.records import Attribute, Dataset, Generation, Item, JudgeSpec, Kind, Prompt, Score, System, TandemError
from tests.study import DATASET, fill, judge


def test_filling_again_adds_nothing(study):
    before = study.datasets().to_dict()
    fill(study)
    assert study.datasets().to_dict() == before
    assert study.datasets().iloc[0][["items", "systems", "generations", "attributes"]].tolist() == [3, 3, 9, 1]


def test_every_add_says_how_many_were_new(study):
    assert study.add_dataset(Dataset(DATASET)) == 0
    assert study.add_dataset(Dataset("other")) == 1
    assert study.add_items(DATASET, [Item("i0"), Item("i9"), Item("i9")]) == 1
    assert study.add_systems(DATASET, [System("alpha"), System("delta")]) == 1
    assert study.add_attributes(DATASET, [Attribute("coherence"), Attribute("fluency"), Attribute("style")]) == 2
    assert study.add_generations(DATASET, [Generation("i9", "delta"), Generation("i0", "alpha", text="changed")]) == 1
    assert study.add_judges([JudgeSpec("Ada", Kind.HUMAN), JudgeSpec("Ada", Kind.HUMAN)]) == 1


def test_what_arrives_later_fills_what_was_missing_and_replaces_nothing(study):
    study.add_items(DATASET, [Item("late"), Item("i0", "another context", ("a reference",), "news")])
    study.add_items(DATASET, [Item("late", "its context", ("one", "two"), "talk")])
    items = study.items(DATASET).set_index("item")
    assert items.loc["late"].tolist() == ["its context", '["one", "two"]', "talk"]
    assert items.loc["i0"].tolist() == ["The context of item 0.", '["a reference"]', "news"]
    assert study.subsets(DATASET) == ["news", "talk"]

    study.add_generations(DATASET, [Generation("late", "alpha"), Generation("late", "beta", text="")])
    assert study.texts(DATASET, "late", "alpha") == {0: None}
    study.add_generations(DATASET, [Generation("late", "alpha", text="now"), Generation("late", "beta", text="no")])
    study.add_generations(DATASET, [Generation("late", "alpha", text=None)])
    assert study.texts(DATASET, "late", "alpha") == {0: "now"}
    assert study.texts(DATASET, "late", "beta") == {0: ""}  # really empty, not missing


def test_texts_come_back_as_they_went_in(study):
    text = "line\r\nbreak\ttab \u202eright to left\u202c <b> $x$ \x00 null \ud7ff 😀 é e\u0301 'quote' \"double\""
    study.add_generations(DATASET, [Generation("i0", "alpha", 7, text)])
    assert study.texts(DATASET, "i0", "alpha")[7] == text


def test_the_files_of_a_data_set_add_up(study):
    study.add_dataset(Dataset(DATASET), {"a.csv": "1"})
    study.add_dataset(Dataset(DATASET), {"b.csv": "2"})
    assert study.datasets()["files"].tolist() == ['{"a.csv":"1","b.csv":"2"}']


def test_names_belong_to_their_data_set(study):
    fill(study, dataset="other", systems=("alpha", "omega"), items=1)
    assert study.dataset_names() == [DATASET, "other"]
    assert study.systems("other") == ["alpha", "omega"]
    assert study.systems(DATASET) == ["alpha", "beta", "gamma"]
    assert len(study.generations("other")) == 2
    assert study.datasets().set_index("dataset")["generations"].to_dict() == {DATASET: 9, "other": 2}


def test_generations_without_texts_say_whether_there_is_one(study):
    study.add_generations(DATASET, [Generation("i0", "alpha", 1, None), Generation("i0", "alpha", 2, "")])
    frame = study.generations(DATASET, texts=False).query("item == 'i0' and system == 'alpha'")
    assert list(zip(frame["sample"], frame["available"], strict=True)) == [(0, 1), (1, 0), (2, 1)]


class TestPrompts:
    def test_a_stored_version_cannot_be_reworded(self, store):
        row = store.add_prompt(Prompt("mine", 1, "Which?"))
        assert store.add_prompt(Prompt("mine", 1, "Which?")) == row
        with pytest.raises(TandemError, match="mine@1 is stored with another wording: save the edit as a new version"):
            store.add_prompt(Prompt("mine", 1, "Who?"))


class TestJudges:
    def test_everything_that_can_change_an_answer_comes_back(self, store):
        spec = JudgeSpec("m", Kind.LLM, "hf:m", Prompt("p", 3, "T"), "classifier", ("A", "B"), 5, 0.7, 512)
        store.add_judges([spec])
        assert store.judge("m") == spec
        assert store.judges().iloc[0].tolist() == ["m", "llm", "hf:m", "classifier", "p@3"]

    def test_a_name_is_of_one_kind(self, store):
        judge(store, "Ada", Kind.HUMAN)
        with pytest.raises(TandemError, match="'Ada' is already known as a human judge, not llm: use another name"):
            store.add_judges([JudgeSpec("Bo", Kind.HUMAN), JudgeSpec("Ada", Kind.LLM)])
        assert store.judges()["judge"].tolist() == ["Ada"]

    def test_an_unknown_one_is_named(self, store):
        for ask in (store.judge, store.judge_id):
            with pytest.raises(TandemError, match="unknown judge 'Zoe'"):
                ask("Zoe")


class TestScores:
    def test_a_mark_that_is_there_stays(self, study):
        judge(study, "expert")
        score = Score("i0", "alpha", "coherence", "expert", 4.5)
        assert (
            study.add_scores(DATASET, [score, Score("i1", "alpha", "coherence", "expert", None, failure="refused")])
            == 2
        )
        assert study.add_scores(DATASET, [score, Score("i0", "alpha", "coherence", "expert", 1.0)]) == 0
        frame = study.scores(DATASET)
        assert frame["value"].iloc[0] == 4.5
        assert frame["value"].isna().tolist() == [False, True]
        assert frame["failure"].tolist() == ["", "refused"]

    @pytest.mark.parametrize("value", [None, float("nan")])
    def test_a_mark_without_value_or_reason_is_not_dropped_silently(self, study, value):
        judge(study, "expert")
        with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
            study.add_scores(DATASET, [Score("i0", "alpha", "coherence", "expert", value)])
