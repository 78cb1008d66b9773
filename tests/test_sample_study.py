"""The sample study: its counts, and that loading it again adds nothing."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core import sample_study
from core.catalogue import FINDINGS
from core.findings.accuracy import AccuracySettings
from core.findings.agreement import AgreementSettings, agreement
from core.findings.combine import CombineSettings, combine
from core.findings.judgements import Selection
from core.findings.leaderboard import RankSettings, headline, leaderboard
from core.judging import make
from core.models.local import small_model
from core.records import FaultError, JudgeSpec, Kind, Outcome, TandemError, Vote
from core.reporting import ReportScope
from core.reporting.material import Material
from core.reporting.results import report_agreement
from core.runs import measure
from core.similarity import MeasurementRequest
from core.store import ChosenGenerations, Store, dataset_decisions
from tests import simulate_annotators
from tests.record_sample_measures import ANSWERS, SIMILARITIES, ask_encoder, measure_texts
from tests.sentence_facts import list_figures
from tests.simulate_annotators import TRUTH, VOTES
from tests.study import recounted_tally


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store(tmp_path_factory.mktemp("sample") / "store.sqlite3") as store:
        assert sample_study.load(store) == ["sample-news", "sample-dialogues"]
        yield store


def test_it_has_what_the_demonstrations_need(loaded: Store) -> None:
    frame = loaded.datasets.summary().set_index("dataset")
    counts = frame[["items", "systems", "generations", "attributes", "scores"]]
    # 4 systems with 5 sampled texts on each item.
    assert counts.loc["sample-news"].tolist() == [24, 4, 24 * 4 * 5, 3, 24 * 3 * 4]
    assert counts.loc["sample-dialogues"].tolist() == [8, 4, 8 * 4 * 5, 3, 8 * 3 * 4]
    assert frame[["source", "licence", "instructions"]].ne("").all(axis=None)
    for dataset in frame.index:
        attributes = loaded.datasets.attributes(dataset)
        assert all(a.adjective and a.question and a.guideline for a in attributes)
        assert loaded.datasets.items(dataset)["context"].str.len().min() > 100
        texts = loaded.texts.generations(dataset)["text"]
        assert texts.notna().all()
        sentences = texts.map(lambda text: len(re.findall(r"[.!?…]['\"”]?(?=\s|$)", text)))
        assert sentences.between(1, 3).mean() > 0.95
    asked = loaded.runs.list_all(kind="campaign").groupby("dataset")[["planned", "asked"]].sum()
    assert asked.loc["sample-news"].tolist() == [24 * 6 * 3, 0]  # of people, every pair
    assert asked.loc["sample-dialogues"].tolist() == [8 * 6 * 3, 0]


def test_the_baselines_have_answered_half_of_the_pairs_in_both_orders(loaded: Store) -> None:
    """6 of the 12 comparisons of each item and attribute: 3 attributes x (24 + 8) items x 6 = 576
    for each judge. Nothing is left to compute.
    """
    live = loaded.connection.rows(
        """SELECT w.name, c.attribute, c.generation_a, c.generation_b FROM judgements j
        JOIN comparisons c ON c.id = j.comparison JOIN judges w ON w.id = j.judge
        WHERE w.kind = 'baseline'"""
    )
    assert len(live) == len(set(live)) == 3 * 576
    assert {name for name, *_ in live} == {*sample_study.QUICK, sample_study.RECORDED}
    assert {(name, attribute, b, a) for name, attribute, a, b in live} == set(live)
    assert loaded.connection.check()["ok"]
    assert loaded.run_counts.list_unfinished() == []
    assert set(loaded.runs.list_all(kind="run")["status"]) == {"done"}
    for dataset in loaded.datasets.names():
        for metric in sample_study.METRICS:
            wanted = MeasurementRequest(ChosenGenerations(dataset), metric)
            assert not measure.outlook(loaded, wanted).n_missing


def test_recorded_similarities_and_answers_are_what_the_encoder_gives(tmp_path: Path) -> None:
    """source: the encoder and ROUGE, asked again about the dialogues."""
    name = "sample-dialogues"
    with Store(tmp_path / "store.sqlite3") as store:
        sample_study.load_texts(store)
        answers = ask_encoder(store, name)
        metrics = sample_study.METRICS
        measured = [row for metric in metrics for row in measure_texts(store, name, metric)]
    recorded = [json.loads(line) for line in SIMILARITIES.read_text("utf-8").splitlines()]
    of = {(row["dataset"], row["item"], row["metric"]): row["values"] for row in recorded}
    for row in measured:
        assert row["values"] == pytest.approx(of[name, row["item"], row["metric"]], abs=1e-3)
    kept = [row for row in read_csv(ANSWERS) if row["dataset"] == name]
    assert [{**row, "prob_a": ""} for row in answers] == [{**row, "prob_a": ""} for row in kept]
    for again, row in zip(answers, kept, strict=True):
        assert float(again["prob_a"]) == pytest.approx(float(row["prob_a"]), abs=1e-3)


def test_the_recorded_judge_is_the_small_model(
    weights_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TANDEM_MODELS", str(weights_folder))
    assert sample_study._read_judge() == make(small_model.SPEC).spec


def test_the_same_simulation_gives_the_same_votes() -> None:
    for path, text in simulate_annotators.simulate().items():
        assert path.read_text(encoding="utf-8") == text


def test_expected_shares_are_those_of_many_votes() -> None:
    """source: a million votes drawn by hand from Rao and Kupper's model (1967): a text wins where
    its utility and logistic noise exceed the other's by more than the tie threshold.
    """
    rng = np.random.default_rng(1)
    better, shares = 0.8, []
    for annotator in simulate_annotators.ANNOTATORS:
        for sign in (1, -1):
            lean = annotator.slope * sign * better + annotator.left
            noise = rng.logistic(size=200_000)
            first, second = lean + noise > annotator.tie, lean + noise < -annotator.tie
            share = np.mean(first + 0.5 * (~first & ~second))
            shares.append(share if sign == 1 else 1 - share)
    assert simulate_annotators._expect_share(better) == pytest.approx(np.mean(shares), abs=0.005)


def test_simulated_annotators_are_a_kind_of_their_own(loaded: Store) -> None:
    judges = loaded.judges.load_all().set_index("judge")["kind"]
    mine = judges[judges == "simulated"].index.tolist()
    assert sorted(mine) == sorted([*sample_study.ANNOTATORS, sample_study.TRUTH])
    assert "human" not in set(judges)
    with pytest.raises(TandemError, match=r"human.*simulated"):
        leaderboard(loaded, Selection("sample-news"), RankSettings())
    result = leaderboard(loaded, Selection("sample-news", judges=("simulated",)), RankSettings())
    votes = sum(row["dataset"] == "sample-news" for row in read_csv(VOTES))
    assert result.judgements == votes
    assert headline.name_answers(result) == "simulated vote"
    assert any(note.startswith(f"Simulated: {votes:,} of {votes:,}") for note in result.notes)


SMALL = "local:smollm2-bcc81830|comparative@1|classifier"
BY_MODEL = Selection("sample-news", judges=(SMALL,))


DOORS: dict[str, dict[str, Any]] = {
    "agreement": {}, "bias": {}, "accuracy": {"against": "simulated"},
    "combine": {"people": ("simulated",)}, "leaderboard": {},
}  # fmt: skip


def test_a_model_that_follows_the_order_has_no_verdict_at_any_door(
    loaded: Store, subtests: pytest.Subtests
) -> None:
    """The small model's stored answers: 413 of 432 pairs lose their verdict in the other order. So
    nothing agrees with it, is weighed by it or led by it, and the notebook's notes say it too.
    """
    for name, settings in DOORS.items():
        with subtests.test(name):
            declared = FINDINGS[name]
            selection = Selection("sample-news") if name == "agreement" else BY_MODEL
            result = declared.find(loaded, selection, **declared.make_settings(settings))
            told = " ".join(declared.describe(result))
            if name == "leaderboard":
                told = headline.headline(result)
                assert told.startswith(result.notes[0])
                assert headline.find_leaders(result) == []
            assert result.facts["unusable"] == [SMALL]
            [caution] = result.facts["cautions"]
            assert caution.startswith(f"{SMALL} gives no verdict that survives both orders")
            assert list_figures(caution.removeprefix(SMALL))[:2] == [413, 432]
            assert caution in told
            assert result.notes[0] == caution
            assert not re.search(r"models agree|counts \d|may replace", told)
            if name == "agreement":
                mine = result.rows[["judge_1", "judge_2"]].eq(SMALL).any(axis=1)
                assert result.rows.loc[mine, ["agreement", "kappa"]].isna().all(axis=None)
                assert result.rows.loc[~mine, "agreement"].notna().all()
                assert "simulated-llm" not in set(result.tables["groups"]["group"])


def test_the_judges_list_and_the_report_quote_the_same_caution(loaded: Store) -> None:
    listed = FINDINGS["accuracy"].find(loaded, BY_MODEL, AccuracySettings("simulated")).facts
    assert listed["unusable"] == [SMALL]
    [section] = report_agreement(Material(loaded, ReportScope(Selection("sample-news"))))
    assert listed["cautions"][0].partition(", so")[0] in section.lead
    assert not re.search(r"models agree", section.lead)


def test_their_votes_are_never_counted_with_those_of_people(loaded: Store, tmp_path: Path) -> None:
    loaded.connection.backup(tmp_path / "copy.sqlite3")
    with Store(tmp_path / "copy.sqlite3") as store:
        store.judges.add([JudgeSpec("ada", Kind.HUMAN)])
        frame = store.judgement_frames.load_all("sample-news").query("judge == 'simulated-careful'")
        votes = [
            Vote(row.item, row.system_a, row.system_b, "ada", row.attribute, outcome=Outcome.A)
            for row in frame[frame["sample_a"] == 0].head(40).itertuples()
        ]
        store.imported_votes.add("sample-news", votes)
        people = leaderboard(store, Selection("sample-news"), RankSettings())
        assert (people.judgements, people.facts["kinds"]) == (40, ["human"])
        of_both = Selection("sample-news", judges=("human", "simulated"))
        both = leaderboard(store, of_both, RankSettings())
        assert headline.name_answers(both) == "answer"
        assert any(note.startswith("Simulated: ") for note in both.notes)
        found = agreement(store, Selection("sample-news"), AgreementSettings())
        assert found.facts["alpha_of"] == "simulated", "one person has nobody to agree with"
        most = found.tables["majority"].set_index("judge")["verdicts"]
        assert "ada" not in most, "most people say nothing beside her"


def test_the_known_truth_lies_in_the_intervals_of_votes_and_judges(loaded: Store) -> None:
    """source: the expected shares of the model that drew the votes, over the judged pairs."""
    settings = CombineSettings(("simulated",))
    rows = [row for row in read_csv(TRUTH) if row["dataset"] == "sample-news"]
    for attribute in ("coherence", "faithfulness", "informativeness"):
        result = combine(loaded, Selection("sample-news", attribute=attribute), settings)
        truth = result.rows.set_index("system")["truth"]
        for system in simulate_annotators.SYSTEMS:
            mine = (row for row in rows if (row["system"], row["attribute"]) == (system, attribute))
            shares = [float(row["share"]) for row in mine]
            assert truth[system] == pytest.approx(np.mean(shares))
        low, high = (result.rows[f"combined_{end}"] for end in ("low", "high"))
        assert result.rows["truth"].between(low, high).sum() >= 3


def test_withdrawn_simulated_votes_stay_and_do_not_come_back(loaded: Store, tmp_path: Path) -> None:
    loaded.connection.backup(tmp_path / "copy.sqlite3")
    with Store(tmp_path / "copy.sqlite3") as store:
        rows = store.connection.value("SELECT count(*) FROM judgements")
        kept = len(store.judgement_frames.load_all("sample-dialogues"))
        others = len(store.judgement_frames.load_all("sample-news").query("kind != 'simulated'"))
        number = dataset_decisions.withdraw_simulated(store, "ada", "sample-news")
        withdrawn = [
            store.connection.value(f"SELECT count(*) FROM {table} WHERE withdrawn_at IS NOT NULL")
            for table in ("judgements", "scores")
        ]
        assert number == sum(withdrawn)
        sample_study.load(store)
        frame = store.judgement_frames.load_all("sample-news")
        assert len(frame) == others
        assert "simulated" not in set(frame["kind"])
        assert store.scores.load_all("sample-news").empty
        assert len(store.judgement_frames.load_all("sample-dialogues")) == kept
        assert store.connection.value("SELECT count(*) FROM judgements") == rows
        assert store.connection.check()["ok"]
        assert store.audit.load_all()["action"].tolist()[0] == dataset_decisions.WITHDRAWN
        with pytest.raises(TandemError, match=r"'sample-news'.*simulated"):
            dataset_decisions.withdraw_simulated(store, "ada", "sample-news")


def test_loading_it_again_adds_nothing(loaded: Store) -> None:
    before, tally = loaded.connection.check(), recounted_tally(loaded)
    statuses = loaded.runs.list_all()["status"].tolist()
    sample_study.load(loaded)
    assert loaded.connection.check() == before
    assert recounted_tally(loaded) == tally
    assert loaded.runs.list_all()["status"].tolist() == statuses


def test_a_disk_that_fills_up_meanwhile_leaves_nothing_and_it_is_loaded_later(
    loaded: Store, store: Store
) -> None:
    """A page's first visit loads the study only where there is no data set."""
    pages, empty = (one.connection.value("PRAGMA page_count") for one in (loaded, store))
    for share in (0.2, 0.5, 0.9):
        most = empty + int(share * (pages - empty))
        store.connection.rows(f"PRAGMA max_page_count = {most}")
        with pytest.raises(FaultError):
            sample_study.load(store)
        assert store.datasets.names() == []
    store.connection.rows(f"PRAGMA max_page_count = {10 * pages}")
    sample_study.load(store)
    assert store.connection.check()["counts"] == loaded.connection.check()["counts"]
