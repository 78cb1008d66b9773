"""Answers: append-only, counted by trigger as one would count them by hand."""

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


@pytest.fixture
def given_one(study):
    """A store with one answer."""
    campaign = campaign_asking(study)
    study.judgements.add_vote(
        campaign,
        compare(study, "i0", "alpha", "beta"),
        judge(study),
        Answer(Outcome.B, confidence=0.5, seconds=2),
    )
    return study


class TestAppendOnly:
    def test_nothing_but_withdrawn_at_can_change(self, given_one):
        columns = [
            name
            for (name,) in given_one.connection.rows(
                "SELECT name FROM pragma_table_info('judgements')"
            )
        ]
        assert len(columns) == 31
        before = given_one.connection.rows("SELECT * FROM judgements")
        for column in columns:
            # The most cautious way: the same value, or withdrawing in the same breath.
            other = {
                "id": "99",
                "comparison": "2",
                "judge": "2",
                "run": "1",
                "campaign": "NULL",
                "outcome": "'a'",
                "trial": "1",
            }
            value = other.get(
                column, "0.25" if column in ("prob_a", "strength", "confidence", "seconds") else "7"
            )
            attempts = [
                f"{column} = {column}",
                f"{column} = {value}",
                f"{column} = {value}, withdrawn_at = 'now'",
            ]
            for change in attempts if column != "withdrawn_at" else ["withdrawn_at = NULL"]:
                with pytest.raises(sqlite3.IntegrityError, match=r"append-only|CHECK|FOREIGN"):
                    given_one.connection.execute(f"UPDATE judgements SET {change}")
        assert given_one.connection.rows("SELECT * FROM judgements") == before

    def test_no_deleting(self, given_one):
        with pytest.raises(sqlite3.IntegrityError, match=r"^judgements .*append-only.*withdraw"):
            given_one.connection.execute("DELETE FROM judgements")
        assert given_one.connection.value("SELECT count(*) FROM judgements") == 1

    def test_a_withdrawn_row_stays_and_is_final(self, given_one):
        ada = judge(given_one)
        assert given_one.judgements.withdraw(1, ada)
        assert not given_one.judgements.withdraw(1, ada)
        stored = given_one.connection.rows(
            "SELECT outcome, confidence, seconds, withdrawn_at IS NULL FROM judgements"
        )
        assert stored == [("b", 0.5, 2.0, 0)]
        for change in ("withdrawn_at = NULL", "withdrawn_at = 'later'", "comment = 'x'"):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                given_one.connection.execute(f"UPDATE judgements SET {change}")
        assert given_one.judgement_frames.load_all(DATASET).empty
        assert given_one.judgement_frames.load_exported(DATASET).empty

    def test_only_the_judge_withdraws(self, given_one):
        assert not given_one.judgements.withdraw(1, judge(given_one, "Bo"))
        assert len(given_one.judgement_frames.load_all(DATASET)) == 1

    def test_an_answer_is_an_outcome_or_a_failure(self, study):
        comparison, ada = compare(study, "i0", "alpha", "beta"), judge(study)
        for outcome, failure in (("'a'", "skipped"), ("NULL", "")):
            with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
                study.connection.execute(
                    f"""INSERT INTO judgements (comparison, judge, outcome, failure, created_at)
                    VALUES (?, ?, {outcome}, ?, 'now')""",
                    (comparison, ada, failure),
                )


class TestComparisons:
    def test_are_ordered_and_kept_once(self, study):
        first, again, other = (
            compare(study, "i0", "alpha", "beta"),
            compare(study, "i0", "alpha", "beta"),
            compare(study, "i0", "beta", "alpha"),
        )
        assert first == again != other
        assert (
            study.connection.rows("SELECT generation_1, generation_2 FROM comparisons")
            == [(1, 2)] * 2
        )

    def test_of_a_system_with_itself_or_across_items_do_not_exist(self, study):
        row = study.datasets.attribute_id(DATASET, "coherence")
        first, second = (study.datasets.generations(DATASET)["generation"].iloc[i] for i in (0, 3))
        assert study.judgements.add_comparisons(row, [(int(first), int(second))]) == 0  # i0 and i1
        assert study.judgements.add_comparisons(row, [(int(first), int(first))]) == 0
        assert study.connection.value("SELECT count(*) FROM comparisons") == 0


class TestVotes:
    def vote(self, **more):
        return Vote(
            **{
                "item": "i0",
                "system_a": "alpha",
                "system_b": "beta",
                "judge": "Ada",
                "answer": A,
                "attribute": "coherence",
                **more,
            }
        )

    def test_a_row_of_a_file_is_added_once(self, study):
        judge(study)
        votes = [
            self.vote(source_row=SourceRow("f", 1, 1)),
            self.vote(source_row=SourceRow("f", 2, 1), system_a="gamma"),
        ]
        assert add_votes(study, DATASET, votes) == (2, 2)
        assert add_votes(study, DATASET, votes) == (0, 0)
        assert add_votes(study, DATASET, [self.vote(source_row=SourceRow("f", 3, 1))]) == (
            0,
            1,
        )
        assert kept_tally(study) == recounted_tally(study)

    @pytest.mark.parametrize("field", ["item", "system_a", "system_b", "judge", "attribute"])
    def test_one_about_something_unknown_is_an_error_and_not_lost(self, study, field):
        judge(study)
        with pytest.raises(sqlite3.IntegrityError, match="NOT NULL"):
            add_votes(study, DATASET, [self.vote(), self.vote(**{field: "nobody's"})])
        assert study.connection.value("SELECT count(*) FROM judgements") == 0

    def test_a_withdrawn_row_is_not_imported_again(self, study):
        ada = judge(study)
        add_votes(study, DATASET, [self.vote(source_row=SourceRow("f", 1, 1))])
        study.judgements.withdraw(1, ada)
        assert add_votes(study, DATASET, [self.vote(source_row=SourceRow("f", 1, 1))]) == (
            0,
            0,
        )

    def test_a_repeated_vote_is_the_next_trial(self, study):
        judge(study)
        add_votes(
            study,
            DATASET,
            [
                self.vote(),
                self.vote(answer=Answer(Outcome.B)),
                self.vote(answer=Answer(Outcome.TIE)),
            ],
        )
        found = study.judgement_frames.load_all(DATASET)
        assert list(zip(found["trial"], found["outcome"], strict=True)) == [
            (0, "a"),
            (1, "b"),
            (2, "tie"),
        ]

    def test_of_unknown_order_are_counted_apart(self, study):
        judge(study)
        add_votes(study, DATASET, [self.vote(), self.vote(order_known=False)])
        assert study.judgement_frames.outcome_counts(DATASET)[
            ["order_known", "outcome", "count"]
        ].to_numpy().tolist() == [
            [0, "a", 1],
            [1, "a", 1],
        ]


class TestAnswers:
    def test_the_first_answer_stays(self, study):
        comparison = compare(study, "i0", "alpha", "beta")
        llm = judge(study, "m", Kind.LLM)
        run = study.runs.begin(DATASET, "compare", llm, Request(DATASET).settings(), {}, {})
        assert study.judgements.add_answers(run, llm, 0, [(comparison, A)]) == 1
        assert study.judgements.add_answers(run, llm, 0, [(comparison, Answer(Outcome.B))]) == 0
        assert study.judgements.add_answers(run, llm, 1, [(comparison, Answer(Outcome.B))]) == 1
        assert study.judgement_frames.load_all(DATASET)["outcome"].tolist() == ["a", "b"]

    def test_one_that_breaks_a_rule_is_not_dropped_silently(self, study):
        """Dropped, it would be asked again for ever."""
        comparison = compare(study, "i0", "alpha", "beta")
        llm = judge(study, "m", Kind.LLM)
        run = study.runs.begin(DATASET, "compare", llm, Request(DATASET).settings(), {}, {})
        wrong = Answer(Outcome.A)
        object.__setattr__(wrong, "prob_a", 1.5)
        with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
            study.judgements.add_answers(run, llm, 0, [(comparison, A), (comparison, wrong)])
        assert study.judgement_frames.load_all(DATASET).empty

    def test_a_vote_that_points_nowhere_is_an_error_not_a_double_press(self, study):
        campaign, ada = campaign_asking(study), judge(study)
        with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
            study.judgements.add_vote(campaign, 99, ada, A)

    def test_ratings_take_runs_in_their_planned_order(self, study):
        """Never in the order of completion: here the last planned is answered first."""
        judge(study, "m", Kind.LLM)
        run = planning.enqueue(
            study, JudgeSpec("m", Kind.LLM, "baseline:longer"), Request(DATASET, seed=5)
        )
        planned = [question.comparison for question in study.runs.list_pending(run, 100)]
        assert len(planned) == 18
        assert planned != sorted(planned)
        for comparison in reversed(planned):
            study.judgements.add_answers(run, study.judges.id_of("m"), 0, [(comparison, A)])
        add_votes(
            study,
            DATASET,
            [Vote("i0", "alpha", "beta", "m", A, Kind.LLM, "coherence", created_at="2020-01-01")],
        )
        found = study.judgement_frames.load_all(DATASET)
        assert found["comparison"].tolist()[1:] == planned
        assert found["judgement"].iloc[0] == 19  # added last, but given in 2020

    def test_read_in_numbers_they_say_what_the_export_says(self, study):
        """The export joins names in SQL; the bulk read puts them in afterwards."""
        fill(
            study,
            attributes=("coherence", "fluency"),
            systems=("alpha", "beta", "delta"),
            samples=2,
        )
        answers = [
            A,
            Answer(Outcome.TIE, prob_a=0.5),
            Answer(failure="refused"),
            Answer(Outcome.BOTH_BAD, seconds=2.0),
        ]
        judge(study, "m", Kind.LLM)
        judge(study, "Ada")
        votes = [
            Vote(
                f"i{k % 3}",
                *pair,
                who,
                answers[k % 4],
                kind,
                attribute,
                sample_b=k % 2,
                order_known=k % 5 > 0,
            )
            for k, (pair, attribute) in enumerate(
                product([("alpha", "delta"), ("delta", "beta")] * 3, ("coherence", "fluency"))
            )
            for who, kind in (("m", Kind.LLM), ("Ada", Kind.HUMAN))
        ]
        assert add_votes(study, DATASET, votes)[1] == len(votes)
        columns = [
            "attribute",
            "item",
            "subset",
            "system_a",
            "system_b",
            "sample_a",
            "sample_b",
            "judge",
            "trial",
        ]
        columns += ["prob_a", "failure", "seconds", "order_known"]
        read, exported = (
            study.judgement_frames.load_all(DATASET).sort_values("judgement"),
            study.judgement_frames.load_exported(DATASET),
        )
        for name in columns:
            assert read[name].fillna(-1).tolist() == exported[name].fillna(-1).tolist(), name
        assert read["outcome"].fillna("").tolist() == exported["winner"].fillna("").tolist()
        assert read["kind"].tolist() == exported["judge_kind"].tolist()
        only = study.judgement_frames.load_all(DATASET, attribute="fluency")
        assert sorted(only["judgement"]) == sorted(
            read.loc[read["attribute"] == "fluency", "judgement"]
        )
        assert study.judgement_frames.load_all(DATASET, subset="none").empty
        two = ("beta", "delta")
        between = read[read[["system_a", "system_b"]].isin(two).all(axis=1)]
        assert 0 < len(between) < len(read)
        found = study.judgement_frames.load_all(DATASET, systems=two)
        assert found["judgement"].tolist() == between["judgement"].tolist()
        assert study.judgement_frames.outcome_counts(DATASET, two)["count"].sum() == len(between)
        answered = study.judgement_frames.count_answers(DATASET).set_index("judge")
        by = read.groupby("judge")
        assert answered["kind"].to_dict() == by["kind"].first().to_dict()
        assert answered["asked"].to_dict() == by.size().to_dict()
        assert answered["failed"].to_dict() == by["outcome"].agg(lambda o: o.isna().sum()).to_dict()

    def test_everything_recorded_is_exported(self, study):
        campaign = campaign_asking(study)
        answer = Answer(
            Outcome.BOTH_BAD,
            0.25,
            votes=4,
            strength=2.0,
            confidence=0.5,
            comment="hm",
            reasons=("tidy", "kürzer"),
            seconds=3.5,
            raw="r",
            screen="s",
            text_format="markdown",
        )
        study.judgements.add_vote(
            campaign, compare(study, "i1", "gamma", "alpha"), judge(study), answer
        )
        context = study.datasets.items(DATASET).set_index("item").loc["i1", "context"]
        [row] = list_records(study.judgement_frames.load_exported(DATASET))
        assert (row.pop("judgement"), bool(row.pop("created_at"))) == (1, True)
        assert row == {
            "dataset": DATASET,
            "attribute": "coherence",
            "item": "i1",
            "subset": "",
            "context": context,
            "system_a": "gamma",
            "system_b": "alpha",
            "sample_a": 0,
            "sample_b": 0,
            "text_a": "gamma-1-0 gamma-1-0 gamma-1-0",
            "text_b": "alpha-1-0",
            "judge": "Ada",
            "judge_kind": "human",
            "trial": 0,
            "winner": "both_bad",
            "prob_a": 0.25,
            "votes": 4,
            "failure": "",
            "strength": 2.0,
            "confidence": 0.5,
            "comment": "hm",
            "reasons": '["tidy", "kürzer"]',
            "campaign": "all pairs",
            "seconds": 3.5,
            "raw": "r",
            "screen": "s",
            "text_format": "markdown",
            "order_known": 1,
            "excluded": 0,
            "source_row": "",
            "inclusion_probability": 1.0,
            "tokens": 0,
            "completion_tokens": 0,
            "context_cut": 0,
            "part_read": 0,
            "judge_spec": "",
            "judge_mode": "",
            "judge_labels": "[]",
            "judge_votes": 1,
            "judge_temperature": 0.0,
            "judge_seed": 0,
            "judge_base_url": "",
            "judge_system_prompt": "",
            "judge_stop": "[]",
            "judge_extra_body": "",
            "judge_lenient": 0,
            "judge_provider": "",
            **dict.fromkeys(
                ("length_a", "length_b", "waited", "run", "judge_truncation", "judge_prompt", "judge_prompt_version",
                 "judge_prompt_text", "judge_prompt_form", "judge_max_tokens", "device", "dtype")
            ),
        }  # fmt: skip

    def test_what_a_model_was_asked_with_is_exported(self, study):
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
        study.judgements.add_answers(
            run, model, 0, [(question.comparison, answer)], execution=execution
        )
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
STEPS = st.one_of(
    st.tuples(st.just("vote"), st.sampled_from(PEOPLE), st.sampled_from(OUTCOMES)),
    st.tuples(st.just("double"), st.sampled_from(PEOPLE), st.sampled_from(OUTCOMES)),
    st.tuples(st.just("undo"), st.sampled_from(PEOPLE), st.integers(0, 5)),
    st.tuples(
        st.just("run"),
        st.integers(0, 1),
        st.lists(st.sampled_from(OUTCOMES), min_size=1, max_size=6),
    ),
    st.tuples(st.just("retry"), st.integers(0, 1), st.none()),
    st.tuples(st.just("import"), st.sampled_from(PEOPLE), st.sampled_from(OUTCOMES)),
    st.tuples(st.just("plan"), st.integers(0, 1), st.none()),
)


@given(st.lists(STEPS, max_size=30))
def test_what_triggers_count_is_what_one_counts_by_hand(steps):
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "store.sqlite3") as store:
        fill(store, items=2, attributes=("coherence", "fluency"))
        open_default(store, DATASET)
        store.connection.execute("UPDATE campaign_attributes SET overlap = 2")
        for name in PEOPLE:
            judge(store, name)
        spec = JudgeSpec("m", Kind.LLM, "baseline:longer")
        # The same judge twice: what it answers in one run counts as asked in the other.
        requests = [
            Request(DATASET, attributes=("coherence",)),
            Request(DATASET, "symmetric", budget=2),
        ]
        planned = [planning.enqueue(store, spec, requests[0])]
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
                    own = store.progress.latest(
                        store.campaigns.default(DATASET).id, store.judges.id_of(who)
                    )
                    if what < len(own):
                        assert campaigns.undo(store, who, TakenAnswer(own[what][0]))
                        assert not campaigns.undo(store, who, TakenAnswer(own[what][0]))
                case "run" if who < len(planned):
                    asked = [
                        question.comparison
                        for question in store.runs.list_pending(planned[who], len(what))
                    ]
                    store.judgements.add_answers(
                        planned[who], store.judges.id_of("m"), 0, zip(asked, what, strict=False)
                    )
                case "retry" if who < len(planned):
                    execution.retry(store, planned[who])
                case "import":
                    add_votes(
                        store,
                        DATASET,
                        [Vote("i0", "beta", "alpha", who, what, attribute="fluency")],
                    )
                case "plan":
                    run = planning.enqueue(store, spec, requests[who])
                    planned += [run] if run not in planned else []
        assert kept_tally(store) == recounted_tally(store)
        assert kept_votes(store) == recounted_votes(store)
        assert store.connection.check()["ok"]
