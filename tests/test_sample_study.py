"""The sample study: its counts, and that loading it again adds nothing."""

import re

import pytest

from core import sample_study
from core.records import FaultError
from core.runs import measure, worker
from core.similarity.request import Measured
from core.store import Chosen, Store
from tests.study import recounted_tally


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    with Store(tmp_path_factory.mktemp("sample") / "store.sqlite3") as store:
        assert sample_study.load(store) == ["sample-news", "sample-dialogues"]
        yield store


def test_it_has_what_the_demonstrations_need(loaded):
    frame = loaded.datasets.summary().set_index("dataset")
    counts = frame[["items", "systems", "generations", "attributes", "scores"]]
    # 4 systems with 5 sampled texts on each item.
    assert counts.loc["sample-news"].tolist() == [10, 4, 10 * 4 * 5, 3, 0]
    assert counts.loc["sample-dialogues"].tolist() == [8, 4, 8 * 4 * 5, 3, 0]
    assert frame[["source", "licence", "instructions"]].ne("").all(axis=None)
    for dataset in frame.index:
        assert all(
            a.adjective and a.question and a.guideline for a in loaded.datasets.attributes(dataset)
        )
        assert loaded.datasets.items(dataset)["context"].str.len().min() > 100


def test_every_text_is_one_to_three_sentences(loaded):
    for dataset in loaded.datasets.names():
        texts = loaded.datasets.generations(dataset)["text"]
        assert texts.notna().all()
        sentences = texts.map(lambda text: len(re.findall(r"[.!?…]['\"”]?(?=\s|$)", text)))
        assert sentences.between(1, 3).mean() > 0.95


def test_the_quick_baselines_have_answered_half_of_the_pairs_in_both_orders(loaded):
    """6 of the 12 comparisons of each item and attribute: 3 attributes x (10 + 8) items x 6 = 324
    for each judge.
    """
    live = loaded.connection.rows(
        """SELECT w.name, c.attribute, c.generation_a, c.generation_b FROM judgements j
        JOIN comparisons c ON c.id = j.comparison JOIN judges w ON w.id = j.judge"""
    )
    assert len(live) == len(set(live)) == 2 * 324
    assert {name for name, *_ in live} == {"baseline:longer", "baseline:random"}
    assert {(name, attribute, b, a) for name, attribute, a, b in live} == set(live)
    assert loaded.connection.check()["ok"]


def test_the_slow_one_waits_for_the_worker(loaded):
    frame = loaded.runs.plans(kind="run").set_index(["dataset", "judge"])[
        ["status", "planned", "asked"]
    ]
    assert frame.loc[("sample-news", "baseline:embedding")].tolist() == ["queued", 180, 0]
    assert frame.loc[("sample-dialogues", "baseline:embedding")].tolist() == ["queued", 144, 0]
    assert frame.loc[("sample-news", "baseline:longer")].tolist() == ["done", 180, 180]
    assert len(frame) == 6 + 4
    measures = loaded.runs.plans(kind="run").query("task == 'measure'")
    assert measures["status"].tolist() == ["queued"] * 4
    first = [loaded.runs.get(run).settings["metric"] for run in loaded.runs.unfinished()[:2]]
    assert first == ["rouge1"] * 2, "what needs no model is there at once"


def test_no_human_votes_are_made_up_and_people_are_asked_every_pair(loaded):
    assert set(loaded.judges.all()["kind"]) == {"baseline"}
    campaigns = loaded.runs.plans(kind="campaign").groupby("dataset")[["planned", "asked"]].sum()
    assert campaigns.loc["sample-news"].tolist() == [10 * 6 * 3, 0]
    assert campaigns.loc["sample-dialogues"].tolist() == [8 * 6 * 3, 0]


def test_loading_it_again_adds_nothing(loaded):
    before, tally = loaded.connection.check(), recounted_tally(loaded)
    statuses = loaded.runs.plans()["status"].tolist()
    sample_study.load(loaded)
    assert loaded.connection.check() == before
    assert recounted_tally(loaded) == tally
    assert loaded.runs.plans()["status"].tolist() == statuses


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_a_disk_that_fills_up_meanwhile_leaves_nothing_and_it_is_loaded_later(
    loaded, tmp_path, share
):
    """A page's first visit loads the study only where there is no data set."""
    pages = loaded.connection.value("PRAGMA page_count")
    with Store(tmp_path / "store.sqlite3") as store:
        empty = store.connection.value("PRAGMA page_count")
        most = empty + int(share * (pages - empty))
        store.connection.rows(f"PRAGMA max_page_count = {most}")
        with pytest.raises(FaultError):
            sample_study.load(store)
        assert store.datasets.names() == []
        store.connection.rows(f"PRAGMA max_page_count = {10 * pages}")
        sample_study.load(store)
        assert store.connection.check()["counts"] == loaded.connection.check()["counts"]


@pytest.mark.slow
def test_the_worker_completes_it(loaded, tmp_path):
    loaded.connection.backup(tmp_path / "copy.sqlite3")
    worker.work(tmp_path / "copy.sqlite3", once=True)
    with Store(tmp_path / "copy.sqlite3") as copy:
        assert set(copy.runs.plans(kind="run")["status"]) == {"done"}
        assert copy.connection.check()["counts"]["judgements"] == 3 * 324
        for metric in sample_study.METRICS:
            assert not measure.outlook(copy, Measured(Chosen("sample-news"), metric)).missing
        assert copy.connection.value("SELECT count(*) FROM judgements WHERE failure <> ''") == 0
