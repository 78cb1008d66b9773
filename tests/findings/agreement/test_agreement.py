"""Agreement reports: a study small enough to count by hand, and the same rows through scikit-learn."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import evalica
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logit
from scipy.stats import t
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from core.findings import accuracy, agreement
from core.findings.accuracy import AccuracySettings
from core.findings.agreement import (
    PEOPLE,
    AgreementSettings,
    explain_disagreement,
    list_disagreements,
    still_unknown,
)
from core.findings.agreement.figures import _plan_larger_number
from core.findings.judgements import Finding, Selection, load_answers
from core.findings.judgements.verdicts import count_verdicts
from core.importing import importer
from core.records import Dataset, TandemError
from core.statistics.agreement import Alpha
from core.store import Store
from tests.findings.tables import load
from tests.paths import DATASETS
from tests.sentence_facts import find_sentences, list_figures

# item | first | second | judge | kind | winner | comment; on q4 gpt takes the first text each
# way: it contradicts itself, which is no tie.
VOTES = [
    tuple(line.split("|"))
    for line in """q1|x|y|Ada|human|a|clear
q1|y|x|Ben|human|b|
q1|x|y|gpt|llm|a|
q2|x|y|Ada|human|b|
q2|x|y|Ben|human|tie|
q2|x|y|gpt|llm|b|
q3|x|y|Ada|human|a|x is funny
q3|x|y|Ben|human|a|
q3|x|y|gpt|llm|b|
q3|y|x|gpt|llm|a|
q4|x|y|gpt|llm|a|
q4|y|x|gpt|llm|a|
q4|x|y|Ada|human|both_bad|
q4|x|y|Ben|human||
q5|x|z|Cy|human|a|""".splitlines()
]


def load_votes(store: Store, rows: Sequence[tuple[Any, ...]]) -> Store:
    columns = ["item", "left", "right", "judge", "kind", "winner", "comment"]
    frame = pd.DataFrame(rows, columns=columns)
    texts = {f"text_{side}": frame["item"] + " by " + frame[name]
             for side, name in (("a", "left"), ("b", "right"))}  # fmt: skip
    return load(store, frame.assign(**texts))


@pytest.fixture(scope="module")
def voted() -> Store:
    return load_votes(Store(":memory:"), VOTES)


def test_pairs_of_judges_by_hand(voted: Store) -> None:
    rows = agreement.agreement(voted, Selection("d")).document()["pairs"]
    found = {(row["judge_1"], row["judge_2"]): row for row in rows}
    assert list(found) == [("Ada", "Ben"), ("Ada", "gpt"), ("Ben", "gpt")]
    # q1 both x, q2 y and tie, q3 both x; q4 was not answered by Ben.
    ada_ben = found["Ada", "Ben"]
    assert [ada_ben[name] for name in ("group", "items", "verdicts")] == ["human-human", 3, 3]
    # Chance: Ada decides all, Ben two of three, and half of these are for the same text.
    figures = ada_ben["agreement"], ada_ben["chance"], ada_ben["kappa"]
    assert figures == pytest.approx((2 / 3, 1 / 3, 1 / 2))
    # q1 x x, q2 y y, q3 x y, q4 a tie and a contradiction.
    ada_gpt = found["Ada", "gpt"]
    assert (ada_gpt["verdicts"], ada_gpt["agreement"], ada_gpt["group"]) == (4, 2 / 4, "human-llm")
    assert ada_gpt["agreement_low"] < 2 / 4 < ada_gpt["agreement_high"]
    ben_gpt = found["Ben", "gpt"]
    assert (ben_gpt["verdicts"], ben_gpt["agreement"]) == (3, pytest.approx(1 / 3))


def test_groups_confusion_and_majority_by_hand(voted: Store) -> None:
    document = agreement.agreement(voted, Selection("d")).document()
    groups = {row["group"]: row for row in document["groups"]}
    names = ("pairs", "verdicts", "agreement")
    assert [groups["human-human"][name] for name in names] == pytest.approx([1, 3, 2 / 3])
    assert [groups["human-llm"][name] for name in names] == pytest.approx([2, 7, 3 / 7])
    confusion = {
        (row["verdict_1"], row["verdict_2"]): row["verdicts"]
        for row in document["confusion"]
        if row["group"] == "human-llm" and row["verdicts"]
    }
    assert confusion == {
        ("first", "first"): 2, ("second", "second"): 1, ("tie", "second"): 1, ("first", "second"): 2, ("tie", "contradicts"): 1,
    }  # fmt: skip
    majority = {row["judge"]: (row["verdicts"], row["agreement"]) for row in document["majority"]}
    # Against the other annotator; gpt against both: x, a draw (y and tie) = tie, x, and Ada's
    # tie, where it contradicts itself.
    assert majority == {
        "Ada": (3, pytest.approx(2 / 3)), "Ben": (3, pytest.approx(2 / 3)), "gpt": (4, 1 / 4),
    }  # fmt: skip
    # gpt was asked in both orders on q3, where it says y both times, and on q4.
    judges = {row["judge"]: row for row in document["judges"]}
    names = ("pairs", "ties", "repeated", "contradicts")
    assert [judges["gpt"][name] for name in names] == [4, 0.0, 2, 1 / 2]
    assert [judges["Ada"][name] for name in names] == [4, 1 / 4, 0, None]
    assert 0 < judges["gpt"]["contradicts_low"] < 1 / 2 < judges["gpt"]["contradicts_high"] < 1
    assert (document["judgements"], document["unanswered"]) == (14, {"no-answer": 1})
    assert document["signature"].startswith("agreement|judges:all|attribute:all|over:items|v:")
    assert find_sentences(document["notes"], r"\bbad \(1\).*\bties\b")
    assert find_sentences(document["notes"], r"^Nobody\b.*\bCy\b")


def test_accuracy_is_that_of_the_command_accuracy(voted: Store) -> None:
    """gpt on q1 x, right; q3 y twice, wrong; the rest has no majority. One right answer of three."""
    majority = agreement.agreement(voted, Selection("d")).tables["majority"].set_index("judge")
    theirs = accuracy.accuracy(voted, Selection("d"), AccuracySettings("human")).rows
    theirs = theirs.set_index("judge").loc[majority.index]
    assert majority.loc["gpt", ["answers", "accuracy"]].tolist() == [3, pytest.approx(1 / 3)]
    ours = majority[["answers", "accuracy", "accuracy_low", "accuracy_high"]]
    np.testing.assert_array_equal(ours, theirs[["comparisons", "accuracy", "low", "high"]])


def measured(monkeypatch: pytest.MonkeyPatch, values: dict[str, float]) -> None:
    """So separable are the texts of x and y on these items."""
    frame = pd.DataFrame({"item": list(values), "system_1": "x", "system_2": "y"})
    frame["separability"] = list(values.values())
    monkeypatch.setattr(AgreementSettings, "measure_items", lambda *_: frame)


def test_bins_stand_from_low_to_high_whoever_has_verdicts_in_them(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The two people met on the upper items only, the model with one of them on all."""
    rows = [
        (f"q{i}", "x", "y", who, kind, "ab"[(i + len(who)) % 2], "")
        for i in range(8)
        for who, kind in (("Ada", "human"), ("Ben", "human"), ("model", "llm"))
        if who != "Ben" or i > 4
    ]
    load_votes(store, rows)
    measured(monkeypatch, {"q0": -0.001} | {f"q{i}": (i - 1) / 10 for i in range(1, 8)})
    by = agreement.agreement(store, Selection("d")).tables["by"]
    bins = by[by["by"] == "separability"]["value"].unique().tolist()
    assert bins == ["0.00 to 0.08", "0.08 to 0.25", "0.25 to 0.43", "0.43 to 0.60"]


def test_alpha_is_of_people_unless_judges_are_chosen(voted: Store) -> None:
    of_people = agreement.agreement(voted, Selection("d")).facts
    assert (of_people["alpha_of"], of_people["units"]) == ("human", 3)
    # Each pair both ways: x 5 of 12 values, y 5, tie 2; observed disagreement 4; 1 - 11 * 4 / (144 -
    # 54).
    assert of_people["alpha"] == pytest.approx(1 - 11 * 4 / 90)
    of_both = agreement.agreement(voted, Selection("d", judges=("Ada", "gpt"))).facts
    assert (of_both["alpha_of"], of_both["units"]) == ("human+llm", 4)
    alone = agreement.agreement(voted, Selection("d", judges=("gpt",)))
    assert (alone.facts["alpha_of"], len(alone.rows)) == (None, 0)
    assert "same pair" in alone.notes[0]


def test_by_what_one_disagrees(voted: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    measured(monkeypatch, {"q1": 0.1, "q2": 0.2, "q3": 0.6})
    by = agreement.agreement(voted, Selection("d")).tables["by"]
    of = {(row["by"], row["value"], row["group"]): row for row in by.to_dict("records")}
    assert of["systems", "x / y", "human-human"]["verdicts"] == 3
    assert of["attribute", "overall", "human-llm"]["agreement"] == pytest.approx(3 / 7)
    bins = by[(by["by"] == "separability") & (by["group"] == "human-human")]
    assert (bins["verdicts"].sum(), set(bins["agreement"])) == (3, {0.0, 1.0})


def test_items_are_blamed_only_where_half_of_them_are_a_coin_toss(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Four people are right on each item with the given probability; the upper half is separable."""
    everywhere, half = np.full(300, 0.75), np.repeat([0.5, 0.97], 150)
    measured(monkeypatch, {f"q{item}": item / 300 for item in range(300)})
    for shares, is_blamed in ((everywhere, False), (half, True)):
        rng = np.random.default_rng(1)
        rows = [
            (f"q{item}", "x", "y", f"person {n}", "human", "ab"[int(rng.random() >= right)], "")
            for item, right in enumerate(shares)
            for n in range(4)
        ]
        with Store(":memory:") as store:
            by = agreement.agreement(load_votes(store, rows), Selection("d")).tables["by"]
        said = explain_disagreement(by[by["by"] == "separability"])
        assert said.startswith("Much of") == is_blamed


def test_disagreements_show_what_was_said(voted: Store) -> None:
    rows, counts = list_disagreements(voted, Selection("d"), "Ada", "gpt")
    assert counts == {"verdicts": 4, "differ": 2}
    assert rows[["verdict_1", "verdict_2"]].to_numpy().tolist()[1] == ["tie", "contradicts"]
    row = rows.iloc[0]
    verdicts = row[["item", "system_1", "verdict_1", "verdict_2"]]
    assert verdicts.tolist() == ["q3", "x", "first", "second"]
    said = load_answers(voted, "d", row["attribute"], row["candidate_1"], row["candidate_2"])
    assert said[["judge", "shown_first", "better", "comment"]].to_numpy().tolist() == [
        ["Ada", 1, "1", "x is funny"], ["Ben", 1, "1", ""], ["gpt", 1, "2", ""], ["gpt", 2, "2", ""],
    ]  # fmt: skip
    texts = voted.texts.pair_texts(row["candidate_1"], row["candidate_2"])
    assert texts == ("", "q3 by x", "q3 by y")
    rows, counts = list_disagreements(voted, Selection("d"), PEOPLE, "gpt")
    assert counts == {"verdicts": 4, "differ": 3}
    assert rows["item"].tolist() == ["q3", "q2", "q4"]  # opposite verdicts first
    # Of an annotator the others are the people: Ada differs from Ben on q2 alone.
    assert list_disagreements(voted, Selection("d"), PEOPLE, "Ada")[0]["item"].tolist() == ["q2"]
    with pytest.raises(TandemError, match=r"no judgements\b.*'Dee'"):
        list_disagreements(voted, Selection("d"), "Dee", "gpt")


WINNERS = ("a", "b", "tie", "both_bad", "")
TURNED = {"a": "b", "b": "a"}


THREE = st.lists(st.sampled_from(WINNERS), min_size=3, max_size=3)


@settings(max_examples=10, deadline=None)
@given(
    table=st.lists(st.tuples(st.sampled_from("xyz"), THREE), min_size=1, max_size=8),
    turned=st.lists(st.booleans(), min_size=24, max_size=24),
    names=st.permutations(["x", "y", "z", "aa", "zz"]),
)
def test_kappa_is_scikit_learns_and_no_name_changes_it(
    table: list[tuple[str, list[str]]], turned: list[bool], names: list[str]
) -> None:
    """From the file to the figure: incomplete tables of three judges on random system pairs, in
    whatever order shown. The same study with A and B swapped, or with the systems renamed, has the
    same figures and intervals. scikit-learn reads each pair both ways.
    """
    answers, swapped, renamed, expected = [], [], [], {}
    called = dict(zip("xyz", names, strict=False))
    for number, (left_out, winners) in enumerate(table):
        one, other = sorted({"x", "y", "z"} - {left_out})
        for who, winner in enumerate(winners):
            sides = (other, one) if turned[number * 3 + who] else (one, other)
            item, judge = f"q{number}", (f"j{who}", "human")
            answers.append((item, *sides, *judge, winner, ""))
            swapped.append((item, *sides[::-1], *judge, TURNED.get(winner, winner), ""))
            renamed.append((item, *(called[side] for side in sides), *judge, winner, ""))
            better = {"a": sides[0], "b": sides[1]}.get(winner, "tie")
            if winner:
                expected[who, number] = {one: "first", other: "second"}.get(better, "tie")
    found = []
    for rows in (answers, swapped, renamed):
        with Store(":memory:") as store:
            load_votes(store, rows)
            if not expected:
                return
            found.append(agreement.agreement(store, Selection("d")))
    for row in found[0].rows.to_dict("records"):
        one, other = int(row["judge_1"][1]), int(row["judge_2"][1])
        both = [n for n in range(len(table)) if (one, n) in expected and (other, n) in expected]
        labels = [[expected[who, number] for number in both] for who in (one, other)]
        assert row["verdicts"] == len(both)
        assert row["agreement"] == pytest.approx(np.mean(np.equal(*labels)))
        if {*labels[0], *labels[1]} != {"tie"}:
            assert row["kappa"] == pytest.approx(find_kappa(*labels), abs=1e-9)
        else:
            assert np.isnan(row["kappa"])
    for other in found[1:]:
        pd.testing.assert_frame_equal(found[0].rows, other.rows)  # type: ignore[attr-defined]
        for name in ("groups", "alphas", "majority", "judges", "differences"):
            pd.testing.assert_frame_equal(found[0].tables[name], other.tables[name])  # type: ignore[attr-defined]


def find_kappa(one: Sequence[str], other: Sequence[str]) -> float:
    """scikit-learn's kappa of verdicts on pairs that are each read both ways."""
    turned = {"first": "second", "second": "first", "tie": "tie", "a": "b", "b": "a"}
    both = ([*side, *(turned[word] for word in side)] for side in (one, other))
    return float(cohen_kappa_score(*both))


def test_a_verdict_is_the_mean_over_orders_and_trials(voted: Store) -> None:
    frame = voted.judgement_frames.load_all("d")
    points = frame["outcome"].map({"a": 1.0, "b": 0.0, "tie": 0.5, "both_bad": 0.5})
    frame = frame.assign(family=frame["item"], points=points).dropna(subset="points")
    found = count_verdicts(frame).set_index(["judge", "item"])
    assert found.loc[("gpt", "q4"), ["points", "judgements"]].tolist() == [0.5, 2]
    assert found.loc[("gpt", "q3"), ["points", "verdict"]].tolist() == [0.0, 2]
    assert found.loc[("Ben", "q1"), ["system_1", "system_2", "points"]].tolist() == ["x", "y", 1.0]
    assert found.loc[("Ada", "q4"), "both_bad"] == 1


def load_people(store: Store, judges: int, items: int = 12) -> None:
    rows = [
        (f"q{item}", "x", "y", "ab"[(item + judge) % 3 == 0], f"r{judge}", "human")
        for item in range(items)
        for judge in range(judges)
    ]
    load(store, ["item,left,right,winner,judge,kind", *map(",".join, rows)])


@pytest.mark.parametrize(("judges", "by"), [(2, "cohen"), (4, "fleiss")])
def test_the_kappa_of_a_group_is_one_that_others_have(store: Store, judges: int, by: str) -> None:
    """scikit-learn's Cohen's kappa of two people, which is that of their pair, and statsmodels'
    Fleiss' of four, where each pair is read both ways.
    """
    load_people(store, judges, items=31)
    frame = store.judgement_frames.load_all("d")
    table = frame.pivot_table("outcome", "item", "judge", aggfunc="first")
    result = agreement.agreement(store, Selection("d"))
    (row,) = result.tables["groups"].to_dict("records")
    if judges == 2:
        theirs = find_kappa(*table.to_numpy().T)
        assert row["kappa"] == result.rows["kappa"].item()
    else:
        twice = pd.concat([table, table.replace({"a": "b", "b": "a"})])
        theirs = fleiss_kappa(aggregate_raters(twice.to_numpy())[0])
    assert (row["kappa_by"], row["kappa"]) == (by, pytest.approx(theirs))


@pytest.mark.parametrize(("judges", "over"), [(2, "items"), (4, "items"), (5, "both")])
def test_fewer_than_five_people_speak_of_themselves(store: Store, judges: int, over: str) -> None:
    load_people(store, judges)

    def agree(over: Any) -> Finding:
        return agreement.agreement(store, Selection("d"), AgreementSettings(over=over))

    result, alone = agreement.agreement(store, Selection("d")), agree("items")
    assert (result.facts["alpha_over"], result.tables["groups"]["over"].tolist()) == (over, [over])
    widths = [found.facts["alpha_high"] - found.facts["alpha_low"] for found in (result, alone)]
    assert (widths[0] > widths[1]) == (over == "both")
    if judges < 5:
        assert re.match(r"Intervals\b.*\bthese judges only\b.*\b5 of a kind\b", result.notes[0])
        for new in ("judges", "both"):
            with pytest.raises(TandemError, match=f"over {new} needs 5 judges"):
                agree(new)
        return
    assert re.match(r"Intervals of alpha\b.*\b5 judges\b.*\bnew judges\b", result.notes[0])
    of_judges = agree("judges")
    [note] = of_judges.notes
    assert re.search(r"\balpha\b.*\b5 judges\b.*\bnew judges\b.*\bnew items\b", note)
    assert of_judges.tables["groups"]["over"].tolist() == ["judges"]
    assert of_judges.facts["alpha_over"] == "judges"
    assert "|over:judges|" in of_judges.signature


@pytest.mark.shared
def test_scores_take_part_when_that_is_asked_for(store: Store) -> None:
    """TopicalChat's scores by people (means of three raters) and by UniEval, as comparisons.

    source: the file itself, each two replies to a context by hand; kappa by scikit-learn, alpha by
    evalica, of each pair both ways.
    """
    path = DATASETS / "topicalchat" / "topical_chat_unieval_result.json"
    importer.load(store, [path], Dataset("d"))
    with pytest.raises(TandemError, match=r"no judgements\b.*\boverall\b"):
        agreement.agreement(store, Selection("d", attribute="overall"))
    found = agreement.agreement(store, Selection("d", attribute="overall", scores=True))
    contexts: dict[str, list[dict[str, Any]]] = {}
    for row in json.loads(path.read_text()):
        contexts.setdefault(f"{row['source']} {row['context']}", []).append(row)
    pairs = [
        sorted(two, key=lambda row: str(row["system_id"]))
        for rows in contexts.values()
        for two in combinations(rows, 2)
    ]
    human, metric = (
        [turn * int(np.sign(one[name]["overall"] - other[name]["overall"]))
         for turn in (1, -1) for one, other in pairs]
        for name in ("scores", "predict_scores")
    )  # fmt: skip
    (row,) = found.rows.to_dict("records")
    assert (row["judge_1"], row["judge_2"], row["verdicts"]) == ("human", "unieval", 60 * 15)
    assert row["agreement"] == pytest.approx(np.mean(np.equal(human, metric)))
    assert row["kappa"] == pytest.approx(cohen_kappa_score(human, metric))
    both = Selection("d", attribute="overall", judges=("human", "unieval"), scores=True)
    theirs = evalica.alpha(pd.DataFrame([human, metric]))
    assert agreement.agreement(store, both).facts["alpha"] == pytest.approx(theirs.alpha)
    assert re.search(r"^Scores of 2 raters\b.*\bhigher\b.*\btie\b", found.notes[0])
    assert "|scores:compared|" in found.signature


def test_means_of_raters_do_not_agree_with_the_raters(store: Store) -> None:
    raters = ("expert", "expert-1", "expert-2", "human")
    rows = [
        {"item": f"i{i}", "system": s, "text": f"{s}{i}"}
        | {f"score:{who}:q": (i + place) % 3 for who in raters}
        for i in range(4)
        for place, s in enumerate("xy")
    ]
    found = agreement.agreement(load(store, rows), Selection("d", scores=True))
    assert found.tables["judges"]["judge"].tolist() == ["expert-1", "expert-2"]


def test_an_alpha_says_what_it_takes_to_tell_something(store: Store) -> None:
    """Two people on four items: their interval is Student's on 3 degrees of freedom. Over n items
    with the same spread it is t(n - 1) / t(3) x sqrt(4 / n) as wide.
    """
    load_people(store, 2, items=4)
    result = agreement.agreement(store, Selection("d"))
    facts = result.facts
    assert find_sentences(result.notes, r"\b4 items\b.*\brough\b")
    assert (facts["alpha_needs"], facts["alpha_items"]) == ("items", 4)
    alpha, n = facts["alpha"], facts["alpha_enough"]
    above = logit((facts["alpha_high"] + 1) / 2) - logit((alpha + 1) / 2)
    half = above * (1 - alpha**2) / 2
    halves = [t.ppf(0.975, m - 1) / t.ppf(0.975, 3) * np.sqrt(4 / m) * half for m in (n - 1, n)]
    assert halves[0] >= 1 / 3 > halves[1]
    said = still_unknown(facts)
    low, high = round(facts["alpha_low"], 2), round(facts["alpha_high"], 2)
    assert list_figures(said) == [4, low, high, 0, n]
    assert "Krippendorff" in said
    load_people(store, 2, items=40)  # the first four, and more
    facts = agreement.agreement(store, Selection("d")).facts
    assert (facts["alpha_needs"], facts["alpha_enough"]) == ("", 0)
    part = (1 / 3 / t.ppf(0.975, 40)) ** 2 * 41 / 40 * 0.999  # narrow enough with one item more
    nearly = Alpha(0.3, -0.1, 0.6, 40, False, 40, 2, part, 0.0)
    assert _plan_larger_number(nearly) == ("items", 41)
