"""What is compared and who judges: everything is added once, and nothing that is there changes."""

from __future__ import annotations

import sqlite3

import pytest

from core.records import (
    Answer,
    Attribute,
    Dataset,
    Generation,
    Item,
    JudgeSpec,
    Kind,
    Outcome,
    Prompt,
    Score,
    System,
    TandemError,
)
from core.store import Store
from tests.study import DATASET, fill, judge


def test_every_add_says_how_many_were_new(study: Store) -> None:
    datasets, summary = study.datasets, study.datasets.summary()
    counts = ["items", "systems", "generations", "attributes"]
    assert summary.iloc[0][counts].tolist() == [3, 3, 9, 1]
    fill(study)
    assert datasets.summary().to_dict() == summary.to_dict()
    ada = JudgeSpec("Ada", Kind.HUMAN)
    attributes = [Attribute(name) for name in ("coherence", "fluency", "style")]
    texts = [Generation("i9", "alpha"), Generation("i9", "delta", text="new"),
             Generation("i0", "alpha", text="changed")]  # fmt: skip
    lengths = [Generation("i9", "beta", length=5), Generation("i0", "alpha", length=9999)]
    for new, added in (
        (datasets.add(Dataset(DATASET)), 0),
        (datasets.add(Dataset("other")), 1),
        (datasets.add_items(DATASET, [Item("i0"), Item("i9"), Item("i9")]), 1),
        (datasets.add_systems(DATASET, [System("alpha"), System("delta")]), 1),
        (datasets.add_attributes(DATASET, attributes), 2),
        (datasets.add_generations(DATASET, texts), 1),  # one has no text, one is there already
        (datasets.add_generations(DATASET, [Generation("i9", "alpha", text="late")]), 1),
        (datasets.add_generations(DATASET, lengths), 0),
        (study.judges.add([ada, ada]), 1),
    ):
        assert new == added
    known = study.annotator_stats.characters(DATASET)
    assert (known == 5).sum() == 1
    assert (known != 9999).all(), "a text says its own length"


def test_what_an_item_is_and_which_marks_are_better_are_remembered(study: Store) -> None:
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


def test_what_arrives_later_fills_what_was_missing_and_replaces_nothing(study: Store) -> None:
    datasets = study.datasets
    context = datasets.items(DATASET).set_index("item").loc["i0", "context"]
    other = Item("i0", "another context", ("a reference",), "news")
    datasets.add_items(DATASET, [Item("late"), other])
    datasets.add_items(DATASET, [Item("late", "its context", ("one", "two"), "talk")])
    items = datasets.items(DATASET).set_index("item")
    assert items.loc["late"].tolist() == ["its context", '["one", "two"]', "talk", ""]
    assert items.loc["i0"].tolist() == [context, '["a reference"]', "news", ""]
    assert datasets.subsets(DATASET) == ["news", "talk"]

    def text(system: str, text: str | None, sample: int = 0) -> dict[int, str | None]:
        datasets.add_generations(DATASET, [Generation("late", system, sample, text)])
        return study.texts.list_by_sample(DATASET, "late", system)

    kept = [{0: None}, {0: "now"}, {0: "now"}]
    assert [text("alpha", given) for given in (None, "now", None)] == kept
    assert [text("beta", given) for given in ("", "no")] == [{0: ""}] * 2  # empty, not missing
    hard = "line\r\nbreak\ttab \u202eright to left\u202c <b> $x$ \x00 null \ud7ff 😀 é e\u0301 'q' \"d\""
    assert text("alpha", hard, 7)[7] == hard
    text("gamma", None, 1), text("gamma", "", 2)
    frame = study.texts.generations(DATASET, texts=False)
    frame = frame.query("item == 'late' and system == 'gamma'")
    assert frame[["sample", "available"]].values.tolist() == [[1, 0], [2, 1]]


def test_how_a_data_set_is_worded_and_its_names_are_its_own(study: Store) -> None:
    datasets = study.datasets
    for file, digest in (("a.csv", "1"), ("b.csv", "2")):
        datasets.add(Dataset(DATASET), {file: digest})
    assert datasets.summary()["files"].tolist() == ['{"a.csv":"1","b.csv":"2"}']
    worded = Dataset("other", "a paper", "MIT", "dialogue", "answer", "Read both.")
    datasets.add(worded)
    assert datasets.load_description("other") == worded
    assert datasets.first_context("other") is None
    datasets.add_items("other", [Item("z", "the first"), Item("a", "the second")])
    assert datasets.first_context("other") == "the first"
    with pytest.raises(LookupError):
        datasets.load_description("no such")
    fill(study, dataset="third", systems=("alpha", "omega"), items=1)
    assert datasets.names() == [DATASET, "other", "third"]
    systems = {"third": ["alpha", "omega"], DATASET: ["alpha", "beta", "gamma"]}
    assert {name: datasets.systems(name) for name in systems} == systems
    assert len(study.texts.generations("third")) == 2
    counts = datasets.summary().set_index("dataset")["generations"].to_dict()
    assert counts == {DATASET: 9, "other": 0, "third": 2}


def test_a_stored_prompt_or_judge_is_not_another_later(store: Store) -> None:
    row = store.judges.add_prompt(Prompt("mine", 1, "Which?"))
    assert store.judges.add_prompt(Prompt("mine", 1, "Which?")) == row
    with pytest.raises(TandemError, match=r"mine@1 .*new version"):
        store.judges.add_prompt(Prompt("mine", 1, "Who?"))
    prompt = Prompt("p", 3, "T")
    spec = JudgeSpec("m", Kind.LLM, "hf:m", prompt, "classifier", ("A", "B"), 5, 0.7, 512)
    store.judges.add([spec])
    assert store.judges.spec("m") == spec
    assert store.judges.load_all().iloc[0].tolist() == ["m", "llm", "hf:m", "classifier", "p@3"]
    judge(store, "Ada", Kind.HUMAN)
    with pytest.raises(TandemError, match=r"'Ada' .*\bhuman\b.*\bllm\b.*another name"):
        store.judges.add([JudgeSpec("Bo", Kind.HUMAN), JudgeSpec("Ada", Kind.LLM)])
    assert set(store.judges.load_all()["judge"]) == {"Ada", "m"}
    for ask in (store.judges.spec, store.judges.id_of):
        with pytest.raises(TandemError, match="unknown judge 'Zoe'"):
            ask("Zoe")


def test_a_mark_that_is_there_stays(study: Store) -> None:
    judge(study, "expert")
    score = Score("i0", "alpha", "coherence", "expert", 4.5)
    refused = Score("i1", "alpha", "coherence", "expert", None, failure="refused")
    assert study.scores.add(DATASET, [score, refused]) == 2
    later = Score("i0", "alpha", "coherence", "expert", 1.0)
    assert study.scores.add(DATASET, [score, later]) == 0
    frame = study.scores.load_all(DATASET)
    assert frame["value"].fillna(-1).tolist() == [4.5, -1]
    assert frame["failure"].tolist() == ["", "refused"]
    for value in (None, float("nan")):  # without value or reason, it is not dropped silently
        with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
            study.scores.add(DATASET, [Score("i2", "alpha", "coherence", "expert", value)])


def comparison_in(study: Store, dataset: str) -> int:
    attribute = study.datasets.attribute_id(dataset, "coherence")
    pair = study.connection.rows(
        """SELECT min(g.id), max(g.id) FROM generations g JOIN items i ON i.id = g.item
        WHERE i.dataset = ? AND i.key = 'i0'""",
        (dataset,),
    )[0]
    study.judgements.add_comparisons(attribute, [pair])
    return study.judgements.comparison_id(attribute, *pair)


def test_an_answer_changes_the_stamp_of_its_data_set_alone(store: Store) -> None:
    for dataset in ("mine", "others"):
        fill(store, dataset=dataset)
    ada = judge(store)
    store.judges.add([JudgeSpec("expert", Kind.HUMAN)])

    def vote(dataset: str, outcome: Outcome = Outcome.A) -> int:
        return store.judgements.add_vote(None, comparison_in(store, dataset), ada, Answer(outcome))

    def withdraw() -> None:
        assert store.judgements.withdraw(latest["mine"], ada)

    def mark(dataset: str) -> None:
        store.scores.add(dataset, [Score("i0", "alpha", "coherence", "expert", 3.0)])

    campaign = store.campaigns.add("mine", "more")
    latest = {dataset: vote(dataset) for dataset in ("mine", "others")}
    seen = [store.judgement_frames.stamp("mine")]
    for change, is_mine in (
        (lambda: store.judgements.withdraw(latest["others"], ada), False),
        (lambda: vote("others", Outcome.B), False),
        (lambda: mark("others"), False),
        (withdraw, True),
        (lambda: vote("mine"), True),  # the same answer anew: all counts are as before
        (lambda: mark("mine"), True),
        (lambda: store.campaigns.set_status(campaign.id, "paused"), True),
        (lambda: store.campaigns.set_status(campaign.id, "closed"), True),
    ):
        before = store.judgement_frames.stamp("mine")
        change()
        after = store.judgement_frames.stamp("mine")
        assert (after != before) == is_mine
        seen += [after] * is_mine
    assert len(set(seen)) == len(seen)
