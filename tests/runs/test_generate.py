"""Sampling texts as a run: what is there already, what is asked again, what is refused."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from core.judging.registry import make_writer
from core.models import Decoding
from core.models.respondent import Respondent
from core.pairing import planning
from core.pairing.planning import Request
from core.records import Draft, Generation, Status, TandemError
from core.runs.execution import execute, failures, load_progress, retry
from core.runs.generate import GenerationRequest, enqueue
from core.store import Store
from tests.study import DATASET, fill

WARM = Decoding("hf:poet", "Summarise: {context} Be brief.", temperature=0.7)


class Poet(Respondent):
    """Writes the item and the sample; fails on those it is told to."""

    def __init__(self, fails=()):
        self.fails, self.asked = set(fails), []

    def answers(self, slots):
        self.asked += [(slot.key, slot.sample) for slot in slots]
        return [
            Draft(failure="empty", raw="{}")
            if (s.key, s.sample) in self.fails
            else Draft(f"{s.key} {s.sample}", tokens=3)
            for s in slots
        ]


def texts(store, system):
    found = store.texts.generations(DATASET).query("system == @system")
    return dict(zip(zip(found["item"], found["sample"], strict=True), found["text"], strict=True))


def test_k_texts_an_item_and_more_later(study: Store) -> None:
    run = enqueue(study, GenerationRequest(DATASET, "poet", WARM, samples=2))
    assert not study.runs.get(run).served
    result = execute(study, run, by=Poet())
    assert (result.planned, result.done, result.tokens, result.status) == (6, 6, 18, Status.DONE)
    assert texts(study, "poet") == {(f"i{i}", k): f"i{i} {k}" for i in range(3) for k in range(2)}
    poet, run = Poet(), enqueue(study, GenerationRequest(DATASET, "poet", WARM, samples=3))
    more = execute(study, run, by=poet)
    assert (more.planned, more.already_there, more.answered) == (9, 6, 3)
    assert poet.asked == [(f"i{i}", 2) for i in range(3)]
    [system] = study.connection.rows(
        "SELECT base, json_extract(decoding, '$.temperature') FROM systems WHERE name = 'poet'"
    )
    assert system == ("hf:poet", 0.7)
    with pytest.raises(TandemError, match=r"'poet'.*\bother settings: .*\banother system\b"):
        enqueue(study, GenerationRequest(DATASET, "poet", Decoding("hf:poet", "Another.")))
    # They are compared like any.
    assert planning.outlook(study, Request(DATASET, systems=("poet", "alpha"))).comparisons == 6


def test_what_did_not_come_is_counted_and_asked_again(study: Store) -> None:
    run = enqueue(study, GenerationRequest(DATASET, "poet", WARM, samples=2))
    assert execute(study, run, by=Poet(fails=[("i1", 0), ("i2", 1)])).done == 6
    assert failures(study, run) == {"empty": 2}
    assert retry(study, run) == 2
    assert load_progress(study, run).done == 4
    poet = Poet()
    execute(study, run, by=poet)
    assert poet.asked == [("i1", 0), ("i2", 1)]
    assert failures(study, run) == {}
    # A text that is not available and was asked for by nobody is compared with nobody.
    assert study.connection.check()["ok"]


def test_an_import_fills_what_did_not_come(study: Store) -> None:
    run = enqueue(study, GenerationRequest(DATASET, "poet", WARM, samples=1))
    execute(study, run, by=Poet(fails=[("i0", 0)]))
    study.datasets.add_generations(DATASET, [Generation("i0", "poet", 0, "by hand")])
    assert texts(study, "poet")["i0", 0] == "by hand"
    assert failures(study, run) == {}


def test_a_wrong_request_writes_nothing(study: Store) -> None:
    before = study.datasets.systems(DATASET)
    for system, decoding, more, says in [
        ("alpha", WARM, {}, "system 'alpha' has 3 imported texts: .*own$"),
        (" ", WARM, {}, "system has no name"),
        ("poet", Decoding("hf:poet", "x", temperature=3), {}, "temperature is 3; .*0 and 2$"),
        ("poet", WARM, {"subset": "x"}, "unknown subset 'x'; .* none$"),
    ]:
        with pytest.raises(TandemError, match=says):
            enqueue(study, GenerationRequest(DATASET, system, decoding, **more))
        assert study.datasets.systems(DATASET) == before
        assert study.runs.list_all(kind="run").empty


def test_what_a_system_is_stored_with_stays_what_it_was() -> None:
    """Settings that came later are stored only where they are given."""
    assert WARM.prompt("{x} A bridge.") == "Summarise: {x} A bridge. Be brief."
    assert Decoding("hf:poet", "Summarise.").prompt("A bridge.") == "Summarise.\n\nA bridge."
    assert WARM.settings == {
        "model": "hf:poet", "instruction": "Summarise: {context} Be brief.", "temperature": 0.7,
        "max_tokens": 256, "seed": 0, "base_url": "",
    }  # fmt: skip
    brief = replace(WARM, system_prompt="Be brief.", stop=("END",), extra_body='{"top_p": 1}')
    stored = json.loads(json.dumps(brief.settings))
    assert Decoding.from_settings(stored) == brief
    assert Decoding.from_settings(WARM.settings) == WARM != brief


def test_an_empty_data_set_and_an_unknown_family(store: Store) -> None:
    fill(store, items=0)
    with pytest.raises(TandemError, match=rf"{DATASET!r}.*\bno items\b.*\bimport\b"):
        enqueue(store, GenerationRequest(DATASET, "poet", WARM))
    known = r"'gpt-4'.*: hf:NAME-OR-PATH, local:smollm2, openai:MODEL$"
    with pytest.raises(TandemError, match=known):
        make_writer("gpt-4", Decoding("gpt-4", "Write.").options())
