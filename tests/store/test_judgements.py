"""Answers: append-only, counted by trigger as one would count them by hand."""

from __future__ import annotations

import sqlite3
import tempfile
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import campaigns
from core.campaigns import TakenAnswer
from core.findings.judgements import list_records
from core.pairing import open_default, planning
from core.pairing.planning import Request
from core.records import Answer, JudgeSpec, Kind, Outcome, Prompt
from core.runs import execution
from core.store import Store
from tests.study import (
    DATASET,
    ask,
    campaign_asking,
    compare,
    fill,
    judge,
    kept_tally,
    kept_votes,
    recounted_tally,
    recounted_votes,
)
from tests.votes import SourceRow, Vote, add_votes

A = Answer(Outcome.A)


def vote(**more: object) -> Vote:
    given = {"item": "i0", "system_a": "alpha", "system_b": "beta", "judge": "Ada", "answer": A}
    return Vote(**{**given, "attribute": "coherence", **more})


def of_row(mark: int, **more: object) -> Vote:
    return vote(source_row=SourceRow("f", mark, 1), **more)


OTHER_VALUES = {"id": "99", "comparison": "2", "judge": "2", "run": "1", "campaign": "NULL",
    "outcome": "'a'", "trial": "1", "prob_a": "0.25", "strength": "0.25", "confidence": "0.25",
    "seconds": "0.25"}  # fmt: skip


def test_a_stored_answer_can_only_be_withdrawn_once_by_its_judge(study: Store) -> None:
    db, ada, answer = study.connection, judge(study), Answer(Outcome.B, confidence=0.5, seconds=2)
    campaign, comparison = campaign_asking(study), compare(study, "i0", "alpha", "beta")
    study.judgements.add_vote(campaign, comparison, ada, answer)
    before = db.rows("SELECT * FROM judgements")
    columns = [name for (name,) in db.rows("SELECT name FROM pragma_table_info('judgements')")]
    assert len(columns) == 31
    changes = ["withdrawn_at = NULL"]
    for column in {*columns} - {"withdrawn_at"}:
        value = OTHER_VALUES.get(column, "7")
        # The most cautious ways: the same value, or withdrawing in the same breath.
        changes += [f"{column} = {column}", f"{column} = {value}"]
        changes += [f"{column} = {value}, withdrawn_at = 'now'"]
    for change in changes:
        with pytest.raises(sqlite3.IntegrityError, match=r"append-only|CHECK|FOREIGN"):
            db.execute(f"UPDATE judgements SET {change}")
    with pytest.raises(sqlite3.IntegrityError, match=r"^judgements .*append-only.*withdraw"):
        db.execute("DELETE FROM judgements")
    assert not study.judgements.withdraw(1, judge(study, "Bo"))
    assert len(study.judgement_frames.load_all(DATASET)) == 1
    assert db.rows("SELECT * FROM judgements") == before

    assert study.judgements.withdraw(1, ada)
    assert not study.judgements.withdraw(1, ada)
    kept = "SELECT outcome, confidence, seconds, withdrawn_at IS NULL FROM judgements"
    assert db.rows(kept) == [("b", 0.5, 2.0, 0)]
    for change in ("withdrawn_at = NULL", "withdrawn_at = 'later'", "comment = 'x'"):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            db.execute(f"UPDATE judgements SET {change}")
    assert study.judgement_frames.load_all(DATASET).empty
    assert study.judgement_frames.load_exported(DATASET).empty
    for values in ("'a', 'skipped'", "NULL, ''"):  # an answer is an outcome or a failure
        with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
            db.execute(
                f"""INSERT INTO judgements (comparison, judge, outcome, failure, created_at)
                VALUES ({comparison}, {ada}, {values}, 'now')"""
            )


def test_comparisons_are_ordered_and_kept_once(study: Store) -> None:
    row = study.datasets.attribute_id(DATASET, "coherence")
    pairs = "SELECT count(*) FROM comparisons"
    first, of_i1 = (int(study.texts.generations(DATASET)["generation"].iloc[i]) for i in (0, 3))
    for second in (of_i1, first):  # across items, or of a system with itself
        assert study.judgements.add_comparisons(row, [(first, second)]) == 0
    assert study.connection.value(pairs) == 0
    sides = [("alpha", "beta"), ("alpha", "beta"), ("beta", "alpha")]
    one, again, other = (compare(study, "i0", *two) for two in sides)
    assert one == again != other
    kept = study.connection.rows("SELECT generation_1, generation_2 FROM comparisons")
    assert kept == [(1, 2)] * 2


def test_a_row_of_a_file_is_added_once_also_when_it_was_withdrawn(study: Store) -> None:
    ada, votes = judge(study), [of_row(1), of_row(2, system_a="gamma")]
    assert add_votes(study, DATASET, votes) == (2, 2)
    assert add_votes(study, DATASET, votes) == (0, 0)
    assert add_votes(study, DATASET, [of_row(3)]) == (0, 1)
    assert kept_tally(study) == recounted_tally(study)
    study.judgements.withdraw(1, ada)
    assert add_votes(study, DATASET, votes[:1]) == (0, 0)


def test_a_vote_about_something_unknown_is_an_error_and_not_lost(study: Store) -> None:
    ada = judge(study)
    for field in ("item", "system_a", "system_b", "judge", "attribute"):
        with pytest.raises(sqlite3.IntegrityError, match="NOT NULL"):
            add_votes(study, DATASET, [vote(), vote(**{field: "nobody's"})])
    with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):  # not a double press
        study.judgements.add_vote(campaign_asking(study), 99, ada, A)
    assert study.connection.value("SELECT count(*) FROM judgements") == 0


def test_a_repeated_vote_is_the_next_trial_and_unknown_order_is_counted_apart(study: Store) -> None:
    judge(study)
    answers = [A, Answer(Outcome.B), Answer(Outcome.TIE)]
    add_votes(study, DATASET, [vote(answer=answer) for answer in answers])
    frame = study.judgement_frames.load_all(DATASET)
    assert frame[["trial", "outcome"]].values.tolist() == [[0, "a"], [1, "b"], [2, "tie"]]
    add_votes(study, DATASET, [vote(order_known=False)])
    counts = study.judgement_frames.outcome_counts(DATASET).query("outcome == 'a'")
    assert counts[["order_known", "count"]].values.tolist() == [[0, 1], [1, 1]]


def test_the_first_answer_of_a_trial_stays_and_a_wrong_one_is_no_silent_loss(study: Store) -> None:
    comparison, llm = compare(study, "i0", "alpha", "beta"), judge(study, "m", Kind.LLM)
    run = study.runs.begin(DATASET, "compare", llm, Request(DATASET).settings(), {}, {})
    wrong = Answer(Outcome.A)
    object.__setattr__(wrong, "prob_a", 1.5)
    with pytest.raises(sqlite3.IntegrityError, match="CHECK"):  # dropped, it is asked for ever
        study.judgements.add_answers(run, llm, 0, [(comparison, A), (comparison, wrong)])
    assert study.judgement_frames.load_all(DATASET).empty
    for trial, outcome, new in ((0, Outcome.A, 1), (0, Outcome.B, 0), (1, Outcome.B, 1)):
        answers = [(comparison, Answer(outcome))]
        assert study.judgements.add_answers(run, llm, trial, answers) == new
    assert study.judgement_frames.load_all(DATASET)["outcome"].tolist() == ["a", "b"]


def test_ratings_take_runs_in_their_planned_order(study: Store) -> None:
    """Never in the order of completion: here the last planned is answered first."""
    judge(study, "m", Kind.LLM)
    spec = JudgeSpec("m", Kind.LLM, "baseline:longer")
    run = planning.enqueue(study, spec, Request(DATASET, seed=5))
    planned = [question.comparison for question in study.runs.list_pending(run, 100)]
    assert len(planned) == 18
    assert planned != sorted(planned)
    for comparison in reversed(planned):
        study.judgements.add_answers(run, study.judges.id_of("m"), 0, [(comparison, A)])
    early = Vote("i0", "alpha", "beta", "m", A, Kind.LLM, "coherence", created_at="2020-01-01")
    add_votes(study, DATASET, [early])
    found = study.judgement_frames.load_all(DATASET)
    assert found["comparison"].tolist()[1:] == planned
    assert found["judgement"].iloc[0] == 19  # added last, but given in 2020


def test_read_in_numbers_they_say_what_the_export_says(study: Store) -> None:
    """The export joins names in SQL; the bulk read puts them in afterwards."""
    attributes, systems = ("coherence", "fluency"), ("alpha", "beta", "delta")
    fill(study, attributes=attributes, systems=systems, samples=2)
    answers = [A, Answer(Outcome.TIE, prob_a=0.5), Answer(failure="refused"),
               Answer(Outcome.BOTH_BAD, seconds=2.0)]  # fmt: skip
    judge(study, "m", Kind.LLM)
    judge(study, "Ada")
    asked = product([("alpha", "delta"), ("delta", "beta")] * 3, attributes)
    votes = [
        Vote(f"i{k % 3}", *pair, who, answers[k % 4], kind, attribute, sample_b=k % 2, order_known=k % 5 > 0)
        for k, (pair, attribute) in enumerate(asked)
        for who, kind in (("m", Kind.LLM), ("Ada", Kind.HUMAN))
    ]  # fmt: skip
    assert add_votes(study, DATASET, votes)[1] == len(votes)
    frames = study.judgement_frames
    read = frames.load_all(DATASET).sort_values("judgement")
    renamed = {"winner": "outcome", "judge_kind": "kind"}
    exported = frames.load_exported(DATASET).rename(columns=renamed)
    columns = "attribute item subset system_a system_b sample_a sample_b judge kind trial outcome "
    for name in (columns + "prob_a failure seconds order_known").split():
        one, other = (frame[name].astype(object).fillna(-1).tolist() for frame in (read, exported))
        assert one == other, name
    only = frames.load_all(DATASET, attribute="fluency")
    fluency = read.loc[read["attribute"] == "fluency", "judgement"]
    assert sorted(only["judgement"]) == sorted(fluency)
    assert frames.load_all(DATASET, subset="none").empty
    two = ("beta", "delta")
    between = read[read[["system_a", "system_b"]].isin(two).all(axis=1)]
    assert 0 < len(between) < len(read)
    narrowed = frames.load_all(DATASET, systems=two)
    assert narrowed["judgement"].tolist() == between["judgement"].tolist()
    assert frames.outcome_counts(DATASET, two)["count"].sum() == len(between)
    answered = frames.count_answers(DATASET).set_index("judge")
    by = read.groupby("judge")
    assert answered["kind"].to_dict() == by["kind"].first().to_dict()
    assert answered["asked"].to_dict() == by.size().to_dict()
    assert answered["failed"].to_dict() == by["outcome"].agg(lambda o: o.isna().sum()).to_dict()


UNUSED = {
    "": "subset failure source_row judge_spec judge_mode judge_base_url judge_system_prompt "
    "judge_extra_body judge_provider",
    "[]": "judge_labels judge_stop",
    0: "sample_a sample_b trial excluded tokens completion_tokens context_cut part_read "
    "judge_temperature judge_seed judge_lenient",
    1: "order_known inclusion_probability judge_votes",
    None: "length_a length_b waited run judge_truncation judge_prompt judge_prompt_version "
    "judge_prompt_text judge_prompt_form judge_max_tokens device dtype",
}
"""What an export says where a person's vote has nothing to say: the value -> its columns."""


def test_everything_recorded_is_exported(study: Store) -> None:
    answer = Answer(
        Outcome.BOTH_BAD, 0.25, votes=4, strength=2.0, confidence=0.5, comment="hm",
        reasons=("tidy", "kürzer"), seconds=3.5, raw="r", screen="s", text_format="markdown",
    )  # fmt: skip
    comparison = compare(study, "i1", "gamma", "alpha")
    study.judgements.add_vote(campaign_asking(study), comparison, judge(study), answer)
    context = study.datasets.items(DATASET).set_index("item").loc["i1", "context"]
    [row] = list_records(study.judgement_frames.load_exported(DATASET))
    assert (row.pop("judgement"), bool(row.pop("created_at"))) == (1, True)
    assert row == {
        "dataset": DATASET, "attribute": "coherence", "item": "i1", "context": context,
        "system_a": "gamma", "system_b": "alpha", "text_a": "gamma-1-0 gamma-1-0 gamma-1-0",
        "text_b": "alpha-1-0", "judge": "Ada", "judge_kind": "human", "winner": "both_bad",
        "prob_a": 0.25, "votes": 4, "strength": 2.0, "confidence": 0.5, "comment": "hm",
        "reasons": '["tidy", "kürzer"]', "campaign": "all pairs", "seconds": 3.5, "raw": "r",
        "screen": "s", "text_format": "markdown",
        **{name: value for value, names in UNUSED.items() for name in names.split()},
    }  # fmt: skip


def test_what_a_model_was_asked_with_is_exported(study: Store) -> None:
    spec = JudgeSpec(
        "m", Kind.LLM, "openai:m", Prompt("short", 3, "Which?", "json"), "sample",
        ("A", "B"), votes=7, temperature=0.5, seed=11, truncation=900,
        base_url="http://localhost:1/v1", max_tokens=90, system_prompt="Be fair.",
        stop=("END",), extra_body='{"top_p": 1}', lenient=True, provider="vllm",
    )  # fmt: skip
    run = planning.enqueue(study, spec, Request(DATASET))
    model = study.judges.id_of("m")
    [question] = study.runs.list_pending(run, 1)
    execution = study.runs.begin_execution(run, "cuda:0", "bfloat16", {})
    answer = Answer(Outcome.A, tokens=30, completion_tokens=4, context_cut=5, part_read=6,
                    seconds=0.75, waited=2.5)  # fmt: skip
    given = [(question.comparison, answer)]
    study.judgements.add_answers(run, model, 0, given, execution=execution)
    [row] = study.judgement_frames.load_exported(DATASET).to_dict("records")
    told = {
        "tokens": 30, "completion_tokens": 4, "context_cut": 5, "part_read": 6,
        "seconds": 0.75, "waited": 2.5, "run": run, "judge_spec": "openai:m",
        "judge_mode": "sample", "judge_labels": '["A", "B"]', "judge_votes": 7,
        "judge_temperature": 0.5, "judge_seed": 11, "judge_truncation": 900,
        "judge_base_url": "http://localhost:1/v1", "judge_prompt": "short",
        "judge_prompt_version": 3, "judge_prompt_text": "Which?",
        "judge_prompt_form": "json", "judge_max_tokens": 90,
        "judge_system_prompt": "Be fair.", "judge_stop": '["END"]',
        "judge_extra_body": '{"top_p": 1}', "judge_lenient": 1, "judge_provider": "vllm",
        "device": "cuda:0",
        "dtype": "bfloat16",
    }  # fmt: skip
    assert {name: row[name] for name in told} == told


PEOPLE = ("Ada", "Bo", "Cy")
OUTCOMES = [Answer(outcome) for outcome in Outcome] + [Answer(failure="skipped")]
WHO, WHAT, RUN = st.sampled_from(PEOPLE), st.sampled_from(OUTCOMES), st.integers(0, 1)
STEPS = st.one_of(
    *(st.tuples(st.just(step), WHO, WHAT) for step in ("vote", "double", "import")),
    st.tuples(st.just("undo"), WHO, st.integers(0, 5)),
    st.tuples(st.just("run"), RUN, st.lists(WHAT, min_size=1, max_size=6)),
    *(st.tuples(st.just(step), RUN, st.none()) for step in ("retry", "plan")),
)


@given(st.lists(STEPS, max_size=30))
def test_what_triggers_count_is_what_one_counts_by_hand(steps) -> None:
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "store.sqlite3") as store:
        fill(store, items=2, attributes=("coherence", "fluency"))
        open_default(store, DATASET)
        store.connection.execute("UPDATE campaign_attributes SET overlap = 2")
        for name in PEOPLE:
            judge(store, name)
        spec = JudgeSpec("m", Kind.LLM, "baseline:longer")
        # The same judge twice: what it answers in one run counts as asked in the other.
        some = Request(DATASET, attributes=("coherence",))
        requests = [some, Request(DATASET, "symmetric", budget=2)]
        planned = [planning.enqueue(store, spec, some)]
        last = {}
        for step, who, what in steps:
            match step:
                case "vote":
                    shown = last[who] = ask(store, who)
                    if shown:
                        assert campaigns.answer(store, who, shown, what)
                case "double":
                    if last.get(who):
                        campaigns.answer(store, who, last[who], what)
                case "undo":
                    campaign = store.campaigns.default(DATASET).id
                    own = store.progress.latest(campaign, store.judges.id_of(who))
                    if what < len(own):
                        assert campaigns.undo(store, who, TakenAnswer(own[what][0]))
                        assert not campaigns.undo(store, who, TakenAnswer(own[what][0]))
                case "run" if who < len(planned):
                    pending = store.runs.list_pending(planned[who], len(what))
                    given = zip((each.comparison for each in pending), what, strict=False)
                    store.judgements.add_answers(planned[who], store.judges.id_of("m"), 0, given)
                case "retry" if who < len(planned):
                    execution.retry(store, planned[who])
                case "import":
                    vote = Vote("i0", "beta", "alpha", who, what, attribute="fluency")
                    add_votes(store, DATASET, [vote])
                case "plan":
                    run = planning.enqueue(store, spec, requests[who])
                    planned += [run] if run not in planned else []
        assert kept_tally(store) == recounted_tally(store)
        assert kept_votes(store) == recounted_votes(store)
        assert store.connection.check()["ok"]
