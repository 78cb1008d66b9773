"""UniEval: small records written by hand in its layout."""

from __future__ import annotations

import pytest

from core.records import TandemError
from tests.published import Study


def unieval(**changed: object) -> dict[str, object]:
    given = {
        "source": "A: hi\n",
        "context": "a fact",
        "system_id": "Argmax",
        "system_output": "one",
        "scores": {"overall": 3.5},
    }
    return {**given, **changed}


def test_unieval(published: Study) -> None:
    rows = [
        unieval(predict_scores={"overall": 0.7}),
        unieval(system_output="two", scores={"overall": 1}),
        unieval(system_id="Human", system_output="three", reference="r"),
        unieval(context="another fact", system_output="four"),
    ]
    report = published.bring("topical.json", rows)
    assert report.layouts == {"topical.json": "unieval"}
    assert sorted(published.store.datasets.items("d")["context"]) == [
        "A: hi\n\na fact",
        "A: hi\n\nanother fact",
    ]
    found = (
        published.store.datasets.generations("d")[["system", "sample", "text"]].to_numpy().tolist()
    )
    assert sorted(found) == [
        ["Argmax", 0, "four"],
        ["Argmax", 0, "one"],
        ["Argmax", 1, "two"],
        ["Human", 0, "three"],
    ]
    assert [row[1:] for row in published.scores()[:3]] == [
        ["Argmax", "overall", "human", 3.5],
        ["Argmax", "overall", "unieval", 0.7],
        ["Argmax", "overall", "human", 1.0],
    ]


def test_a_broken_record_of_unieval(published: Study, subtests: pytest.Subtests) -> None:
    for changed, said in [
        ({"system_id": None}, "it has no system_id, so it is not known whose output this is"),
        ({"system_output": 3}, "field 'system_output' is '3'"),
        ({"scores": [1]}, "field 'scores' is '[1]'; it should be a dict"),
    ]:
        with subtests.test(said=said), published.renewed() as study:
            report = study.bring(
                "topical.json", [unieval(**changed), unieval(system_output="fine")]
            )
            ((row, reason),) = [(one["row"], str(one["reason"])) for one in report.skipped]
            assert row == 1
            assert reason.startswith(said)
            assert study.store.datasets.generations("d")["text"].tolist() == ["fine"]


def test_newsroom_has_no_system_and_says_how_to_supply_it(published: Study) -> None:
    """Newsroom goes about in this layout without a system_id."""
    rows = [
        {**unieval(model="lede"), "system_id": None},
        {**unieval(model="abs", system_output="two"), "system_id": None},
    ]
    how = (
        r"newsroom\.json has no system_id, .* with map system=FIELD; every item has 2 rows: if "
        r"their order is always the same, name the systems with systems NAME1 NAME2$"
    )
    with pytest.raises(TandemError, match=how):
        published.bring("newsroom.json", rows)
    published.load("newsroom.json", mapping={"system": "model"})
    assert [system for _, system, _ in published.texts()] == ["abs", "lede"]
    with pytest.raises(TandemError, match=r"\b3 systems\b.*\b2 outputs\b"):
        published.load("newsroom.json", systems=["a", "b", "c"])
    with pytest.raises(TandemError, match=r"map .*just system\b.*newsroom\.json.*UniEval"):
        published.load("newsroom.json", mapping={"item": "model"})


def test_the_order_within_an_item_may_stand_for_the_systems(published: Study) -> None:
    rows = [
        {**unieval(source=source, system_output=f"{source} {n}"), "system_id": None}
        for source in ("one", "two")
        for n in (1, 2)
    ]
    published.write("newsroom.json", rows)
    published.load("newsroom.json", systems=["first", "second"])
    assert sorted((text, system) for _, system, text in published.texts()) == [
        ("one 1", "first"), ("one 2", "second"), ("two 1", "first"), ("two 2", "second"),
    ]  # fmt: skip
    published.write("uneven.json", rows[:3])
    with pytest.raises(TandemError) as refused:
        published.load("uneven.json")
    assert "NAME1 NAME2" not in str(refused.value)
