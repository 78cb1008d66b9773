"""Rating sets from the store, and the published figures of the separability study."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from core.findings.judgements import Finding, Selection
from core.findings.separability.consistency import compare_kinds, consistency, predict
from core.findings.separability.settings import Binning, Settings
from core.records import Answer, Generation, JudgeSpec, Kind, Outcome, TandemError
from core.similarity import make_metric
from core.store import ChosenGenerations, Store
from tests import evidence
from tests.cli.asked import Call, Run
from tests.study import add_texts, measure
from tests.votes import SourceRow, Vote, add_votes

A, B, TIE = Outcome.A, Outcome.B, Outcome.TIE
FIGURES = ("mean_consistency", "share_inconsistent", "share_perfect", "mean_strength")

Voted = tuple[str, str, int, int, Outcome | None]


def votes(store: Store, given: list[Voted], judge: str = "Ada", kind: Kind = Kind.HUMAN) -> None:
    """(item, system shown first, its sample, the other's sample, outcome) of the systems x and y."""
    with store.transaction():
        store.judges.add([JudgeSpec(judge, kind)])
        every = product(dict.fromkeys(item for item, *_ in given), "xy", range(4))
        add_texts(store, "d", [Generation(item, system, n, "same") for item, system, n in every])
        rows = []
        for n, (item, first, one, other, outcome) in enumerate(given):
            answer = Answer(outcome) if outcome else Answer(failure="skipped")
            sides = (item, first, "y" if first == "x" else "x", judge, answer, kind)
            source = SourceRow(judge, n, 1)
            rows.append(Vote(*sides, sample_a=one, sample_b=other, source_row=source))
        add_votes(store, "d", rows)


def rows(store: Store, **selected: Any) -> list[list[object]]:
    found = consistency(store, Selection("d", **selected)).rows
    columns = ["item", "judge", "system_a", "system_b", "n", "consistency", "strength"]
    listed: list[list[object]] = found[columns].to_numpy().tolist()
    return listed


def bin_by_rouge1(store: Store, bins: int, normalise: str = "none") -> Finding:
    how = Settings(metric="rouge1", normalise=normalise)
    return consistency(store, Selection("d"), Binning(how, bins=bins))


def test_sets_by_hand(store: Store) -> None:
    """The same texts on both sides: pairs are told apart by samples, not by texts."""
    answered = {"perfect": (A, B, A), "mixed": (A, B, A), "partly": (B, TIE, A, None),
                "ties": (TIE, Outcome.BOTH_BAD), "one pair": (A, None)}  # fmt: skip
    turned = {("perfect", 1), ("partly", 2)}  # y is shown first
    votes(store, [
        (item, "y" if (item, n) in turned else "x", n, n, outcome)
        for item, outcomes in answered.items() for n, outcome in enumerate(outcomes)
    ])  # fmt: skip
    third = pytest.approx(1 / 3)
    assert [[row[0], *row[4:]] for row in rows(store)] == [
        ["perfect", 3, 1, 1], ["mixed", 3, 0, third],
        ["partly", 3, pytest.approx(2 / 3), pytest.approx(-2 / 3)], ["ties", 2, 0, 0],
    ]  # fmt: skip
    found = consistency(store, Selection("d"))
    figures = [found.facts[name] for name in ("sets", *FIGURES)]
    assert figures == pytest.approx([4, 5 / 12, 0.5, 0.25, 1 / 6])
    assert (found.judgements, found.unanswered) == (11, {"skipped": 2})


def test_both_orders_and_trials_of_a_pair_are_one_verdict(store: Store) -> None:
    votes(store, [
        ("i", "x", 0, 0, A), ("i", "y", 0, 0, A),  # a tie over both orders
        ("i", "x", 1, 1, A), ("i", "x", 1, 1, A), ("i", "y", 1, 1, A),  # two of three for x
    ])  # fmt: skip
    assert rows(store) == [["i", "Ada", "x", "y", 2, 0.5, 0.5]]
    assert consistency(store, Selection("d")).judgements == 5


def test_judges_are_kept_apart_and_chosen_as_everywhere(store: Store) -> None:
    votes(store, [("i", "x", 0, 0, A), ("i", "x", 1, 1, A)])
    votes(store, [("i", "x", 0, 0, B), ("i", "x", 1, 1, B)], "Judy", Kind.LLM)
    assert [row[1] for row in rows(store)] == ["Ada"]
    assert rows(store, judges=("llm",)) == [["i", "Judy", "x", "y", 2, 1, -1]]
    assert len(rows(store, judges=("llm", "human"))) == 2


def test_too_little_to_be_consistent(store: Store) -> None:
    votes(store, [("i", "x", 0, 0, A)])
    found = consistency(store, Selection("d"))
    document = found.document()
    assert (found.facts["sets"], document["rows"], document["mean_consistency"]) == (0, [], None)
    assert found.notes[0].startswith("No judge has answered two pairs")


def test_sets_without_separability_are_in_no_bin(store: Store) -> None:
    votes(store, [(item, "x", n, n, A) for item in ("i", "j") for n in (0, 1)])
    measure(store, ChosenGenerations("d"), make_metric("rouge1"))
    found = bin_by_rouge1(store, 2, Settings().normalise)
    assert found.facts["bins"] == []
    [note] = found.notes  # all texts are the same: no scale
    assert re.match(r"2 rating sets\b.*\bno separability\b", note)
    found = bin_by_rouge1(store, 2)
    (one,) = found.facts["bins"]
    figures = ("low", "high", "sets", "mean_consistency", "share_inconsistent", "share_perfect",
               "mean_strength", "mean_absolute_strength")  # fmt: skip
    assert [one[name] for name in figures] == [0, 0, 2, 1, 0, 1, 1, 1]
    # Wilson of 2 in 2: each item counts once (scipy.stats.binomtest(2, 2)).
    lows = one["share_perfect_low"], one["mean_consistency_low"]
    assert lows == pytest.approx((0.34238, 0.34238), abs=1e-5)
    assert found.document()["spearman"] is None


def test_bins_have_the_strength_with_its_sign_and_without(store: Store) -> None:
    """By hand: x is preferred on i (r = 1, 1), y on j (-1, -1), and k is split (1, 0): 1, -1 and
    1/2, in one bin.
    """
    rows = [("i", "x", n, n, A) for n in (0, 1)] + [("j", "x", n, n, B) for n in (0, 1)]
    votes(store, [*rows, ("k", "x", 0, 0, A), ("k", "x", 1, 1, TIE)])
    measure(store, ChosenGenerations("d"), make_metric("rouge1"))
    [row] = bin_by_rouge1(store, 1).facts["bins"]
    assert row["mean_strength"] == pytest.approx((1 - 1 + 0.5) / 3)
    assert row["mean_absolute_strength"] == pytest.approx(2.5 / 3)


def test_bins_nobody_has_measured(store: Store) -> None:
    votes(store, [("i", "x", n, n, A) for n in (0, 1)])
    command = r"`python -m core separability`.*\bdataset d metric bleu\b"
    with pytest.raises(TandemError, match=command):
        consistency(store, Selection("d"), Binning(Settings(metric="bleu")))
    with pytest.raises(TandemError, match=r"binning 'rank'.*\bwidth\b.*\bquantile\b"):
        Binning(Settings(), binning="rank")


def test_the_document(store: Store, call: Call, run: Run) -> None:
    """And requests that are wrong."""
    votes(store, [("i", "x", n, n, A) for n in (0, 1)])
    found = run("consistency")
    assert {"sets", *FIGURES, "rows", "bins", "signature", "judgements", "unanswered"} <= set(found)
    assert found["rows"] == [{
        "item": "i", "family": "i", "judge": "Ada", "attribute": "overall", "system_a": "x",
        "system_b": "y", "n": 2, "consistency": 1.0, "strength": 1.0, "separability": None,
    }]  # fmt: skip
    for arguments, said in (
        (["--encoder", "e"], "--encoder e belongs to --by-separability METRIC: leave it out, or"),
        (["--by-separability", "bleu", "--bins", "0"], "'0' is not a whole number from 1"),
        (["--by-separability", "nothing"], "nothing"),
        (["--judges", "llm"], "no judgements by llm here"),
    ):
        status, out, err = call("consistency", *arguments)
        assert (status, out, len(err.splitlines())) == (2, "", 1)
        assert said in err


@pytest.fixture
def published(call: Call) -> None:
    """The four files of the study."""
    files = sorted((evidence.DATA / "separability").glob("*.csv"))
    assert call("import", *map(str, files), "--dataset", "d")[0] == 0


@pytest.mark.shared
def test_what_predicts_consistency_on_the_study(published: None, call: Call, run: Run) -> None:
    """Two of the study's four files. The ceiling is pingouin 0.7.0's: intraclass_corr of the three
    raters of each of the 100 inputs has ICC(1,k) = 0.318702, whose square root is 0.564537.
    """
    for metric in ("rouge1", "length"):
        assert call("separability", "--metric", metric, "--bootstrap", "0")[0] == 0
    asked = ["consistency", "--by-separability", "rouge1", "--beside", "length"]
    found = run(*asked)
    assert (found["items"], found["pairs"], found["judges"]) == (100, 2, 3)
    assert found["ceiling"] == pytest.approx(0.564537, abs=1e-6)
    rows = pd.DataFrame(found["rows"])
    other = run("consistency", "--by-separability", "length")
    rows["length"] = [row["separability"] for row in other["rows"]]
    rows["subset"] = rows["item"].str.rpartition("-")[0]
    cells = rows.groupby(["item", "subset"])[["separability", "length", "consistency"]].mean()
    cells = cells.round(9)
    by = {name: spearmanr(cells[name], cells["consistency"]) for name in ("separability", "length")}
    assert found["spearman"] == pytest.approx(by["separability"].statistic)
    assert found["spearman_beside"] == pytest.approx(by["length"].statistic)
    assert found["difference"] == pytest.approx(found["spearman"] - found["spearman_beside"])
    parts = [part for _, part in cells.groupby("subset")]
    within = [spearmanr(of["separability"], of["consistency"]).statistic for of in parts]
    assert found["spearman_within"] == pytest.approx(np.mean(within))
    for name in ("spearman", "spearman_within", "ceiling", "difference", "mean_strength"):
        assert found[f"{name}_low"] < found[name] < found[f"{name}_high"]
    said = call(*asked)[1]
    assert "over 100 cases: " in said
    assert re.search(r"\bperfect prediction\b.*\b0\.56 \(", said)
    assert f"{found['spearman_within']:.2f}" in said


def test_differences_between_pairs_of_systems_do_not_count_within() -> None:
    """Between two pairs of systems separability tells consistency, within them nothing does."""
    rng = np.random.default_rng(7)
    n = 60
    pair = np.repeat([0, 1], n)
    item = [f"i{k}" for k in range(n)] * 2
    sets = pd.DataFrame({"item": item, "family": item, "system_a": np.where(pair, "x", "v")})
    sets = sets.assign(
        system_b="z", subset=None, separability=pair + 0.1 * rng.random(2 * n),
        consistency=pair * 0.5 + 0.1 * rng.random(2 * n),
    )  # fmt: skip
    found = predict(sets, seed=0)
    assert found["spearman"] > 0.7
    assert abs(found["spearman_within"]) < 0.25
    assert found["spearman_within_low"] < 0 < found["spearman_within_high"]
    assert np.isnan(found["ceiling"]), "one judge says nothing of another"


def test_the_rank_correlation_is_over_items(store: Store) -> None:
    """Two people's consistency on three items, 0 and 0, 1 and 1/2, 1 and 0: means of 0, 0.75 and
    0.5, so ranks 1, 3 and 2 where separability has 1, 2 and 3.
    """
    first = [("i", 0, A), ("i", 1, B), ("j", 0, A), ("j", 1, A), ("k", 0, A), ("k", 1, A)]
    other = [("i", 0, A), ("i", 1, B), ("j", 0, A), ("j", 1, TIE), ("k", 0, A), ("k", 1, B)]
    for name, given in (("Ada", first), ("Ben", other)):
        votes(store, [(item, "x", n, n, outcome) for item, n, outcome in given], name)
    key = make_metric("rouge1").signatures["rouge1"]
    across = {"i": 0.9, "j": 0.5, "k": 0.1}
    pairs = store.connection.rows(
        """SELECT a.id, i.key, a.system, b.id, b.system FROM generations a
        JOIN generations b ON b.item = a.item AND b.id > a.id JOIN items i ON i.id = a.item"""
    )
    store.similarities.add(
        (key, one, other, across[item] if of != and_ else 1.0)
        for one, item, of, other, and_ in pairs
    )
    found = bin_by_rouge1(store, 2)
    assert (found.facts["spearman"], found.facts["items"]) == (pytest.approx(0.5), 3)


def test_bins_of_kinds_are_as_wide_as_was_asked(store: Store) -> None:
    votes(store, [(item, "x", n, n, A) for item in "ijk" for n in (0, 1)])
    sets = consistency(store, Selection("d")).rows.assign(separability=[0.1, 0.2, 0.9])
    for binning, sizes in (("width", [2, 1]), ("quantile", [2, 1])):
        found = compare_kinds(store, sets, Binning(Settings(), bins=2, binning=binning))
        assert found["sets"].tolist() == sizes
        assert found["high"].tolist()[0] == pytest.approx({"width": 0.5, "quantile": 0.2}[binning])


def test_kinds_of_judges_by_bin(store: Store) -> None:
    """Hand count: two items, three rating sets on one and two on the other, in two bins."""
    near, far = [("near", "x", n, n) for n in (0, 1)], [("far", "x", n, n) for n in (0, 1)]
    votes(store, [(*near[0], A), (*near[1], B), (*far[0], A), (*far[1], A)], "Ada")
    votes(store, [(*near[0], A), (*near[1], A)], "Ben")
    of_gpt: list[Voted] = [(*near[0], TIE), (*near[1], A), (*far[0], B), (*far[1], B)]
    votes(store, of_gpt, "gpt", Kind.LLM)
    result = consistency(store, Selection("d", judges=("human", "llm")))
    sets = result.rows.assign(separability=result.rows["item"].map({"near": 0.1, "far": 0.9}))
    found = compare_kinds(store, sets, Binning(Settings(), bins=2, binning="width"))
    columns = ["low", "high", "kind", "judges", "sets", "mean_consistency", "share_inconsistent",
               "share_perfect", "mean_absolute_strength"]  # fmt: skip
    assert found[columns].to_numpy().tolist() == [
        [0.1, 0.5, "human", 2, 2, 0.5, 0.5, 0.5, 0.5], [0.1, 0.5, "llm", 1, 1, 0.5, 0, 0, 0.5],
        [0.5, 0.9, "human", 1, 1, 1.0, 0, 1, 1], [0.5, 0.9, "llm", 1, 1, 1.0, 0, 1, 1],
    ]  # fmt: skip
    # One item counts as one answer: Wilson's interval of 1 of 1 begins at 1 / (1 + z^2).
    assert found["mean_consistency_low"].tolist()[2:] == pytest.approx([1 / (1 + 1.959964**2)] * 2)
    assert found[["share_perfect_high", "share_inconsistent_high"]].to_numpy().max() <= 1
    assert compare_kinds(store, sets.assign(separability=float("nan")), Binning(Settings())).empty
