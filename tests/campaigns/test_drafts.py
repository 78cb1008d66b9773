"""Drafts of new campaigns: saved whole, one for each owner and data set."""

from __future__ import annotations

import dataclasses
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from core.campaigns import (
    GOALS,
    CampaignDraft,
    Design,
    DraftError,
    NewChecks,
    begin_with,
    load_draft,
    save_draft,
)
from core.pairing import Choice
from core.store import Check, Store, dataset_decisions
from tests.study import DATASET, fill

FULL = CampaignDraft(
    Choice(
        dataset=DATASET, attributes=("coherence",), systems=("alpha", "beta"), against="alpha",
        pairs=(("alpha", "beta"),), subset="test", samples=2, way="separability", budget=7, seed=3,
        separability="bertscore-length", encoder="small", draw="stratified", low=0.25, high=0.75,
        judge="m", gap=0.2, judges=("llm", "m"), item_set="hard", accept_error=0.2, certainty=0.9, signal="learned", settled=((1, 2),), trusted=((1, 3),), origin="before",
    ),
    Design(
        overlap=2, quota=9, people=4, deadline="2026-12-24", repeat_share=0.125, together=True,
        order="item", tie=False, both_bad=False, strength=True, confidence=False, comment=False,
        reasons=("clear, and short", "neat \U0001f600\u2028"), check_every=3, on_failure="stop",
        failures_allowed=1, instructions='Read **both**.\n"\\ \u202e', consent="Agreed?",
    ),
    NewChecks(
        b"item,better,worse\n\xff\x00", 2, 3, 4, "known.csv", True,
        (Check("gold", 1, 2, 3, "1", "Because.", 5), Check("attention", 1, 2, None, "1")),
    ),
    "crowd",
    "main",
)  # fmt: skip
"""A draft in which no field has its default."""


def write_raw(store: Store, draft: str, saved_at: str = "2026-11-27T14:02:00+00:00") -> None:
    """Put a row into the file as another program may."""
    with closing(sqlite3.connect(store.path)) as db:
        db.execute("PRAGMA ignore_check_constraints = ON")
        db.execute(
            "INSERT OR REPLACE INTO campaign_drafts VALUES (?, '', ?, ?)",
            (DATASET, draft, saved_at),
        )
        db.commit()


def read_raw(store: Store) -> dict[str, Any]:
    text = store.connection.value("SELECT draft FROM campaign_drafts")
    document: dict[str, Any] = json.loads(text)
    return document


def load(store: Store, dataset: str = DATASET, owner: str = "") -> CampaignDraft:
    return load_draft(store, dataset, owner).draft


def test_every_field_and_each_goal_comes_back(study: Store) -> None:
    for part in (FULL, FULL.choice, FULL.design, FULL.checks):
        for field in dataclasses.fields(part):
            assert getattr(part, field.name) != field.default, f"give {field.name} another value"
    drafts = {goal: begin_with(goal, DATASET) for goal in ("", *GOALS)}
    assert [draft.goal for draft in drafts.values()] == [*drafts]
    for draft in (FULL, *drafts.values()):
        save_draft(study, "Ada", draft)
        assert load(study, owner="Ada") == draft


def test_each_owner_and_data_set_has_the_last_one(study: Store) -> None:
    fill(study, dataset="other")
    first, last = begin_with("pilot", DATASET), begin_with("crowd", DATASET)
    save_draft(study, "Ada", first)
    save_draft(study, "Ada", last)
    save_draft(study, "", first)
    there = {
        (dataset, owner): found.draft
        for dataset in (DATASET, "other")
        for owner in ("Ada", "Bo", "")
        if (found := load_draft(study, dataset, owner))
    }
    assert there == {(DATASET, "Ada"): last, (DATASET, ""): first}
    study.campaign_drafts.discard(DATASET, "Ada")
    study.campaign_drafts.discard("other", "Ada")
    assert load_draft(study, DATASET, "Ada") is None
    assert load_draft(study, DATASET, "")


def test_it_goes_along_with_a_new_name_and_goes_with_its_data_set(study: Store) -> None:
    save_draft(study, "", FULL)
    dataset_decisions.rename(study, "Eve", DATASET, "renamed")
    assert load(study, "renamed").choice == dataclasses.replace(FULL.choice, dataset="renamed")
    assert DATASET not in json.dumps(read_raw(study)["choice"])
    dataset_decisions.delete(study, "Eve", "renamed")
    save_draft(study, "", begin_with("pilot", "nowhere"))
    assert study.connection.value("SELECT count(*) FROM campaign_drafts") == 0


def test_one_of_before_a_field_was_there_has_its_default(study: Store) -> None:
    write_raw(study, '{"choice": {"dataset": ""}, "design": {"people": 4}}')
    assert load(study) == CampaignDraft(Choice(dataset=DATASET), Design(people=4))


NO_DRAFTS = ["", "{", "nonsense", "[]", "null", "{}", "1", '"text"', "\x00", "[" * 100_000,
     '{"choice":' * 5_000 + "1" + "}" * 5_000, "1" * 10_000]  # fmt: skip


def test_what_is_no_draft_or_of_no_moment_is_refused(study: Store) -> None:
    save_draft(study, "", FULL)
    full = json.dumps(read_raw(study))
    moments = ("", "yesterday", "0001-01-01T00:00:00+23:00")
    for row in (*((text,) for text in NO_DRAFTS), *((full, moment) for moment in moments)):
        write_raw(study, *row)
        with pytest.raises(DraftError):
            load_draft(study, DATASET, "")


NO_VALUES = [
        ("choice", "attributes", "coherence"), ("choice", "attributes", [1]),
        ("choice", "pairs", ["ab"]), ("choice", "pairs", [["a"]]), ("choice", "pairs", [["a", "a"]]),
        ("choice", "pairs", {"a": "b"}), ("choice", "way", "nowhere"), ("choice", "budget", 0),
        ("choice", "budget", 10**30), ("choice", "budget", 2.5), ("choice", "seed", True),
        ("choice", "low", float("nan")), ("choice", "low", float("inf")), ("choice", "gap", "0.1"),
        ("choice", "attributes", None), ("choice", "subset", "\ud800"), ("choice", "nothing", 1),
        ("design", "people", -1), ("design", "people", "4"), ("design", "deadline", "soon"),
        ("design", "overlap", 1001), ("design", "tie", 1), ("design", "reasons", ["a", "a"]),
        ("design", "on_failure", "scold"), ("design", "instructions", {"a": 1}),
        ("checks", "known", "no base64"), ("checks", "known", 1), ("checks", "gold", -1),
        ("checks", "copied", [{}]), ("checks", "copied", [{"role": "gold", "unlike": 1}]),
        ("checks", "copied", [[["a"]]]),
    ]  # fmt: skip


NO_PARTS: list[Callable[[dict[str, Any]], Any]] = [
    *(
        lambda document, more=more: document.update(more)
        for more in ({"goal": "gold rush"}, {"goal": ["pilot"]}, {"unknown": 1}, {"design": []})
    ),
    *(
        lambda document, p=part, n=name, v=value: document[p].update({n: v})
        for part, name, value in NO_VALUES
    ),
    lambda document: document.pop("choice"),
    lambda document: document["choice"].pop("dataset"),
]


def test_a_value_or_part_that_cannot_be_is_refused(study: Store) -> None:
    save_draft(study, "", FULL)
    whole = json.dumps(read_raw(study))
    for change in NO_PARTS:
        write_raw(study, whole)
        assert load(study) == FULL
        document = json.loads(whole)
        change(document)
        write_raw(study, json.dumps(document))
        with pytest.raises(DraftError):
            load_draft(study, DATASET, "")
    with pytest.raises(sqlite3.IntegrityError):  # by the front door
        study.campaign_drafts.save(DATASET, "", "{")
