"""Bias beyond the position, and what is said of it: judges are counted, and nothing is more than always."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_1samp, ttest_rel
from sklearn.linear_model import LogisticRegression

from core.findings.bias import (
    bias,
    describe_length,
    describe_position,
    describe_self_preference,
    describe_triples,
)
from core.findings.bias.tables import same_model
from core.findings.judgements import Finding, Selection, describe_difference, label_rows
from core.findings.leaderboard import RankSettings, leaderboard
from core.findings.separability.applications import BinnedSettings
from core.rendering import lay_out
from core.store import Store
from tests.findings.tables import load
from tests.golden_text import approve
from tests.sentence_facts import find_sentences, list_figures

HEAD = "item,left,right,text_a,text_b,winner,prob_a,judge,kind"


def find_bias(store: Store, rows: Sequence[str]) -> Finding:
    return bias(load(store, [HEAD, *rows]), Selection("d"))


def fit_odds(doublings: np.ndarray, won: np.ndarray) -> float:
    """scikit-learn's logarithm of the odds of one doubling of the length."""
    model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000)
    return float(model.fit(doublings[:, None], won).coef_[0, 0])


@pytest.mark.parametrize(("turned", "confounded"), [(0, True), (1, False)])
def test_position_and_system_are_told_apart_by_the_other_order(
    store: Store, turned: int, confounded: bool
) -> None:
    """x always stands first, but for `turned` items, each of which is asked about in one order."""
    orders = [(i, "y,x" if i < turned else "x,y") for i in range(12)]
    rows = [f"q{i},{order},s,t,a,,{judge},llm" for i, order in orders for judge in "mn"]
    result = find_bias(store, rows)
    assert result.rows["confounded"].tolist() == [confounded] * 2
    said = r"Each two systems\b.*\bsame order to m, n: "
    assert bool(find_sentences(result.notes, f"^{said}")) is confounded
    assert bool(find_sentences(result.notes, r"^No pair\b.*\borders by m, n")) is not confounded


def test_does_the_longer_text_win(store: Store) -> None:
    rng = np.random.default_rng(8)
    lengths = rng.integers(10, 200, size=(60, 2))
    won = rng.random(60) < 1 / (1 + np.exp(-0.5 - np.log2(lengths[:, 0] / lengths[:, 1])))
    rows = [
        f"q{i},x,y,{'w ' * a},{'w ' * b},{'a' if first else 'b'},,Ada,human"
        for i, ((a, b), first) in enumerate(zip(lengths.tolist(), won, strict=True))
    ]
    (row,) = find_bias(store, rows).document()["lengths"]
    assert (row["always"], row["unbounded"]) == ("", "")
    apart = lengths[:, 0] != lengths[:, 1]
    assert row["comparisons"] == apart.sum()
    longer = won == (lengths[:, 0] > lengths[:, 1])
    assert row["longer"] == pytest.approx(longer[apart].mean())
    theirs = fit_odds(np.log2(lengths[:, 0] / lengths[:, 1]), won)
    assert row["odds"] == pytest.approx(np.exp(theirs), rel=1e-4)
    assert row["low"] < row["odds"] < row["high"]


def test_odds_that_nothing_bounds_are_of_the_side_that_won(store: Store) -> None:
    """Lena takes the longer by two words or more, and is mistaken once about one word: not always,
    yet scikit-learn's odds are beyond a million. Piet takes the first text but for the one time
    when it is the shortest, which says nothing of length.
    """
    more = np.array([2, -2, 5, -5, 9, -9, 1, -1, 1, -1] * 6)
    longer = more > 0
    lena, piet = np.where(np.arange(60) == 6, ~longer, longer), np.arange(60) > 0
    piet_more = np.where(piet, np.arange(60) - 29, -60)
    rows = [
        f"{judge}{i},x,y,{'w ' * (100 + k)},{'w ' * 100},{'ba'[int(won)]},,{judge},human"
        for judge, by, takes in (("Lena", more, lena), ("Piet", piet_more, piet))
        for i, (k, won) in enumerate(zip(by.tolist(), takes.tolist(), strict=True))
    ]
    result = find_bias(store, rows)
    by_judge = {row["judge"]: row for row in result.document()["lengths"]}
    assert fit_odds(np.log2((100 + more) / 100), lena) > np.log(1e6)
    assert by_judge["Lena"]["longer"] == pytest.approx(59 / 60)
    for who, side in (("Lena", "longer"), ("Piet", "")):
        told = [by_judge[who][name] for name in ("odds", "always", "unbounded")]
        assert told == [None, "", side]
    grid = lay_out(result.tables["lengths"], result.table_columns["lengths"])
    unbounded = [heading.label for heading in grid.headings].index("odds without bound")
    told = {row[0].text: row[unbounded].text for row in grid.rows}
    assert told == {"Lena": "longer", "Piet": "–"}


def test_odds_of_a_few_answers_may_have_no_end(store: Store) -> None:
    won = enumerate(((-12, "b"), (4, "a"), (1, "a"), (4, "b")))
    rows = [f"q{i},x,y,{'w ' * (100 + k)},{'w ' * 100},{side},,m,llm" for i, (k, side) in won]
    (row,) = find_bias(store, rows).document()["lengths"]
    assert 1e5 < row["odds"] < 1e6
    assert (row["low"], row["high"]) == (0, None)


def test_a_judge_that_is_one_of_the_systems(store: Store) -> None:
    """On q1 and q2 Ada gives gpt-4o nothing; itself it takes q1 and half of q2. q3 nobody else has
    judged.
    """
    rows = [
        "q1,GPT-4o,y,s,t,b,,Ada,human", "q2,y,GPT-4o,t,s,a,,Ada,human",
        "q1,GPT-4o,y,s,t,a,,openai:gpt-4o,llm", "q2,GPT-4o,y,s,t,tie,,openai:gpt-4o,llm",
        "q3,GPT-4o,y,s,t,a,,openai:gpt-4o,llm",
    ]  # fmt: skip
    (row,) = find_bias(store, rows).document()["own"]
    assert (row["judge"], row["system"], row["pairs"]) == ("openai:gpt-4o", "GPT-4o", 2)
    assert (row["own"], row["others"], row["difference"]) == (0.75, 0.0, 0.75)
    assert row["low"] < 0.75 < row["high"]


def test_whose_name_is_whose() -> None:
    for judge, spec, system, same in (
        ("openai:gpt-4o", "", "gpt-4o", True),
        ("hf:google/flan-t5-large", "", "Flan-T5 Large", True),
        ("my judge", "hf:mistralai/Mistral-7B", "mistral-7b", True),
        ("GPT-4", "", "gpt-4", True),
        ("GPT-4", "", "gpt-4o", False),
        ("baseline:longer", "", "", False),
    ):
        assert same_model(judge, spec, system) == same, judge


def test_orders_ties_and_consistent_wins_by_hand(store: Store) -> None:
    rows = [
        "q1,x,y,s,t,a,0.9,m,llm", "q1,y,x,t,s,b,0.1,m,llm",  # x both times
        "q2,x,y,s,t,a,0.8,m,llm", "q2,y,x,t,s,a,0.7,m,llm",  # the first both times
        "q3,x,y,s,t,tie,0.5,m,llm", "q3,y,x,t,s,tie,0.5,m,llm",
        "q4,z,y,u,t,b,0.31,m,llm", "q4,y,z,t,u,a,1,m,llm",  # y both times
    ]  # fmt: skip
    found = find_bias(store, rows).document()
    (row,) = found["rows"]
    assert (row["first_forward"], row["first_reverse"]) == (3, 1)  # x-y, x-y and y-z; y-x
    names = ("tie_rate", "pairs_both_orders", "consistent_both_orders")
    assert [row[name] for name in names] == [1 / 4, 4, 3]
    assert row["consistent_low"] < 3 / 4 < row["consistent_high"]
    wins = {
        cell["system"]: (cell["wins"], cell["pairs"], cell["share"]) for cell in found["consistent"]
    }
    assert wins == {"x": (1, 3, 1 / 3), "y": (1, 4, 1 / 4), "z": (0, 1, 0)}
    cells = {
        cell["low"]: cell["judgements"] for cell in found["distribution"] if cell["judgements"]
    }
    assert cells == {0.1: 1, 0.3: 1, 0.5: 2, 0.7: 1, 0.8: 1, 0.9: 1, 0.95: 1}  # 1 is in the last
    places = {(cell["system"], cell["place"]): cell for cell in found["places"]}
    # x first: won, won, tied; second: won (0.1 for the first), lost (0.7), tied.
    names = ("comparisons", "points", "probabilities")
    assert [places["x", "first"][name] for name in names] == [3, 2.5 / 3, 3]
    assert places["x", "first"]["prob"] == pytest.approx((0.9 + 0.8 + 0.5) / 3)
    assert places["x", "second"]["prob"] == pytest.approx((0.9 + 0.3 + 0.5) / 3)
    assert places["y", "second"]["points"] == pytest.approx((0 + 0 + 0.5 + 1) / 4)
    assert places["z", "second"]["points"] == 0
    # One item counts as one answer: Wilson's interval of 0 of 1 ends at z^2 / (1 + z^2).
    assert places["z", "second"]["points_low"] == 0
    assert places["z", "second"]["points_high"] == pytest.approx(1.959964**2 / (1 + 1.959964**2))
    assert places["x", "first"]["prob_low"] < 2.2 / 3 < places["x", "first"]["prob_high"]


def test_two_orders_are_merged_by_how_sure_a_judge_was(store: Store) -> None:
    """It took the first text twice, and more surely once, which no merge of points sees."""
    rows = ["q1,x,y,s,t,a,0.9,m,llm", "q1,y,x,t,s,a,0.6,m,llm"]
    load(store, [HEAD, *rows])
    settings = RankSettings("win-ratio", debias="swap", bootstrap=0)
    board = leaderboard(store, Selection("d", judges=("m",)), settings)
    assert board.rows.set_index("system")["rating"].to_dict() == {"x": 1, "y": 0}


def test_intervals_of_probabilities_and_of_all_answers(store: Store) -> None:
    prob = np.random.default_rng(5).beta(3, 2, size=80).round(3)
    rows = [f"q{i},x,y,s,t,{'ab'[int(p < 0.5)]},{p},m,llm" for i, p in enumerate(prob)]
    (row,) = find_bias(store, rows).document()["rows"]
    theirs = ttest_1samp(prob, 0).confidence_interval()
    assert (row["prob_low"], row["prob_high"]) == pytest.approx((theirs.low, theirs.high), abs=2e-3)
    assert row["share_low"] < row["first_share"] < row["share_high"]
    assert row["threshold_low"] < row["threshold"] < row["threshold_high"]
    weight = (1 - row["threshold_high"]) / row["threshold_high"]
    assert row["threshold_weight_low"] == pytest.approx(weight)


def test_one_that_only_ties_has_places_and_no_decision(store: Store) -> None:
    """Nor has a text that is not there a length."""
    rows = ["q1,x,y,,,tie,,m,llm", "q2,x,y,,,both_bad,,m,llm"]
    found = find_bias(store, rows).document()
    assert [cell["points"] for cell in found["places"]] == [0.5, 0.5]
    assert [cell["prob"] for cell in found["places"]] == [None, None]
    assert (found["rows"][0]["p_first"], found["rows"][0]["first_share"]) == (None, 0)
    assert found["lengths"] == []


def test_two_judges_are_held_together_on_what_both_decided(store: Store) -> None:
    """scipy's paired t-test over the comparisons that both decided, a pair of texts an item; what
    one saw in the other order, or left a tie, is not in it.
    """
    rng = np.random.default_rng(12)
    first = {"gpt": rng.random(50) < 0.8, "Ada": rng.random(50) < 0.5}
    rows = [
        f"q{i},x,y,{'long ' * (1 + i % 2)},{'long ' * (2 - i % 2)},{'ab'[not won]},,{judge},human"
        for judge, firsts in first.items()
        for i, won in enumerate(firsts)
    ]
    rows += ["r,x,y,s,tt,a,,gpt,human", "r,y,x,tt,s,b,,Ada,human"]
    rows += ["t,x,y,s,tt,tie,,gpt,human", "t,x,y,s,tt,a,,Ada,human"]
    found = find_bias(store, rows).tables["differences"].set_index("of")
    theirs = ttest_rel(first["gpt"].astype(float), first["Ada"]).confidence_interval()
    of = found.loc["p_first"]
    assert (of["judge_1"], of["judge_2"], of["items"], of["pairs"]) == ("gpt", "Ada", 50, 50)
    assert of["difference"] == pytest.approx(first["gpt"].mean() - first["Ada"].mean())
    assert (of["low"], of["high"]) == pytest.approx((theirs.low, theirs.high))
    # The first text is the longer one where i is odd.
    longer = {judge: won == (np.arange(50) % 2 == 1) for judge, won in first.items()}
    one, other = found.loc["longer", ["judge_1", "judge_2"]]
    theirs = ttest_rel(longer[one].astype(float), longer[other]).confidence_interval()
    assert found.loc["longer", ["low", "high"]].tolist() == pytest.approx([theirs.low, theirs.high])


def test_the_judge_farthest_from_one_half_stands_first(store: Store) -> None:
    """Ben takes the second text always, Ada the first in three of four."""
    rows = [f"q{i},x,y,s,t,b,,Ben,human" for i in range(4)]
    rows += [f"q{i},x,y,s,t,{'ab'[i == 0]},,Ada,human" for i in range(4)]
    (row,) = find_bias(store, rows).tables["differences"].to_dict("records")
    assert (row["judge_1"], row["judge_2"], row["difference"]) == ("Ben", "Ada", -0.75)


def test_no_share_leaves_its_range(store: Store) -> None:
    """Few items and lopsided judges: each mean of points or probabilities is within 0 to 1, and so
    is its interval (Student's would end at 1.09 for four times .95 and once .6).
    """
    prob = [0.95, 0.95, 0.95, 0.95, 0.6]
    assert ttest_1samp(prob, 0).confidence_interval().high > 1
    result = find_bias(store, [f"q{i},x,y,s,t,a,{p},m,llm" for i, p in enumerate(prob)])
    for rows in (result.rows, *(result.tables[name] for name in ("places", "consistent"))):
        ends = [name for name in rows if name == "low" or name.endswith("_low")]  # type: ignore[attr-defined]
        for low in (name for name in ends if not name.startswith("alpha")):  # type: ignore[attr-defined]
            both = rows[[low, low.replace("low", "high")]].to_numpy(float)  # type: ignore[attr-defined]
            assert ((both >= 0) & (both <= 1) | np.isnan(both)).all(), low
    assert result.rows.loc[0, "prob_high"] > 0.88


SYSTEMS = "wxyz"
ITEMS = 15


Answers = list[tuple[str, str, str, str, Any]]


def votes(seed: int) -> Answers:
    """item, left, right, outcome, probability: four texts of 15 items, each pair in both orders."""
    rng = np.random.default_rng(seed)
    return [
        (f"q{item}", a, b, str(rng.choice(["a", "b", "tie"], p=[0.6, 0.3, 0.1])), rng.integers(1, 8) / 8)
        for item in range(ITEMS) for a, b in permutations(SYSTEMS, 2)
    ]  # fmt: skip


def find_triples(store: Store, rows: Answers) -> dict[str, pd.DataFrame]:
    lines = [
        f"{item},{a},{b},{a} {item},{b} {item},{won},{p},gpt,llm" for item, a, b, won, p in rows
    ]
    return find_bias(store, lines).tables


def counted(rows: Answers, items: set[str]) -> dict[str, float]:
    """Triples, and the shares that are cyclic and violate strong transitivity, one by one."""
    points: dict[Any, list[float]] = defaultdict(list)
    probs: dict[Any, list[float]] = defaultdict(list)
    for item, a, b, won, p in rows:
        value = {"a": 1.0, "b": 0.0, "tie": 0.5}[won]
        for x, y, of, prob in ((a, b, value, p), (b, a, 1 - value, 1 - p)):
            points[item, x, y].append(of)
            probs[item, x, y].append(prob)
    told = []
    for item in items:
        for three in combinations(SYSTEMS, 3):
            mean = {(x, y): np.mean(points[item, x, y]) for x, y in permutations(three, 2)}
            p = {(x, y): np.mean(probs[item, x, y]) for x, y in permutations(three, 2)}
            chains = list(permutations(three))
            decided = all(value != 0.5 for value in mean.values())
            cycles = [min(mean[x, y], mean[y, z], mean[z, x]) > 0.5 for x, y, z in chains]
            strong = [
                min(p[x, y], p[y, z]) >= 0.5 and p[x, z] < max(p[x, y], p[y, z]) - 1e-9
                for x, y, z in chains
            ]
            told.append((decided, decided and any(cycles), any(strong)))
    decided, cyclic, strong = np.sum(told, axis=0)
    return {"triples": len(told), "cyclic": cyclic / decided, "strong": strong / len(told)}


def test_triples_one_by_one(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = votes(3)
    separability = pd.DataFrame({"item": [f"q{i}" for i in range(ITEMS)], "system_1": "w"})
    separability = separability.assign(system_2="x", separability=np.arange(ITEMS) / ITEMS)
    monkeypatch.setattr(BinnedSettings, "measure_items", lambda *_: separability)
    tables = find_triples(store, rows)
    (row,) = tables["triples"].to_dict("records")
    by_hand = counted(rows, {f"q{i}" for i in range(ITEMS)})
    assert {name: row[name] for name in by_hand} == pytest.approx(by_hand)
    assert row["low"] < row["cyclic"] < row["high"]
    # In bins of separability from low to high: these of the first are counted again.
    by = tables["triples_by"]
    assert (len(by), by["triples"].sum()) == (4, row["triples"])
    first = counted(rows, {f"q{i}" for i in range(int(by["items"].iloc[0]))})
    assert {name: by.iloc[0][name] for name in first} == pytest.approx(first)


def test_two_systems_make_no_triple_and_a_few_claim_nothing(store: Store) -> None:
    two = [row for row in votes(0) if {row[1], row[2]} == {"w", "x"}]
    triples = find_triples(store, two)["triples"]
    assert triples.empty
    assert describe_triples(triples) == ""
    said = describe_triples(find_triples(store, votes(1)[:24])["triples"])
    assert re.search(r"\bso far\b.*\bfrom 30\b", said)


def test_what_is_said(store: Store) -> None:
    """w over x, x over y and y over w in both orders on every item; z loses, and of two orders with
    it the text that is first wins against w.
    """
    beats = {("w", "x"), ("x", "y"), ("y", "w"), ("x", "z"), ("y", "z")}
    rows = [
        (f"q{i}", a, b, "b" if (b, a) in beats else "a", "")
        for i in range(ITEMS) for a, b in permutations(SYSTEMS, 2)
    ]  # fmt: skip
    said = describe_triples(find_triples(store, rows)["triples"])
    # wxy is cyclic, xyz is not; of wxz and wyz, which have a coin in them, wxz is where z beats w.
    assert re.match(r"[^.]*\bgpt\b[^.]*: 50% \(95% interval [^.]*\bof 30 triples\b", said)
    assert list_figures(said)[-2:] == [38, 12]


Position = tuple[str, str, float, float, float]


def positions(
    *rows: Position,
    answers: int = 60,
    items: int = 10,
    confounded: str = "",
    p: float | None = None,
) -> Finding:
    columns = ["judge", "attribute", "p_first", "low", "high"]
    frame = pd.DataFrame(rows, columns=columns).assign(
        decisive=answers, comparisons=answers, items=items,
        pairs_both_orders=answers // 2, consistent_both_orders=answers // 4,
    )  # fmt: skip
    frame["confounded"] = frame["judge"].isin(list(confounded))
    frame["p"] = np.where(frame["low"] > 0.5, 0.0001, 0.9) if p is None else p
    return Finding(frame, "", answers * len(rows))


NOTHING = float("nan")
FAIR, FIRST = (0.5, 0.4, 0.6), (0.8, 0.7, 0.9)


def test_the_sentences_about_position() -> None:
    """Judges are counted, however many attributes each was asked about: never nine of anything.
    A p-value of 0.03 says something of one judge, and nothing of the farthest of ten. Nobody is
    biased who saw each two systems in one order: the first text is always of the same one.
    """
    rows = [("x", "q", *FIRST), ("y", "q", *FIRST)]
    one, fair = [("x", "q", *FIRST)], [("z", "q", *FAIR)]
    ten = [(f"judge{number}", "q", 0.62, 0.51, 0.73) for number in range(10)]

    def of_three(*biased: str) -> Finding:
        names = [(judge, attribute) for judge in "xyz" for attribute in "qrs"]
        return positions(
            *((*name, *(FIRST if "".join(name) in biased else FAIR)) for name in names)
        )

    cases = {
        "one judge": positions(*one),
        "one of two judges": positions(*one, *fair),
        "both judges": positions(*rows),
        "one judge without evidence": positions(*fair),
        "two judges without evidence": positions(*fair, ("y", "q", *FAIR)),
        "one order of all": positions(*rows, confounded="xy"),
        "one order of some": positions(*rows, *fair, confounded="xy"),
        "few answers": positions(("x", "q", 1.0, 0.6, 1.0), answers=6, items=3),
        "nobody on three attributes": of_three(),
        "one judge on one of three": of_three("xq"),
        "one judge on two of three": of_three("xq", "xr"),
        "two judges on one of three": of_three("xq", "yr"),
        "one judge of p 0.03": positions(ten[0], p=0.03),
        "ten judges of p 0.03": positions(*ten, p=0.03),
    }
    said = [f"{case}: {describe_position(found)}" for case, found in cases.items()]
    approve("position_bias", "\n".join(said))


def lengths(*rows: dict[str, Any]) -> pd.DataFrame:
    plain = {"attribute": "q", "comparisons": 60, "items": 10, "decisive": 60, "always": ""}
    plain |= {"low": float("nan"), "high": float("nan"), "p": float("nan")}
    frame = pd.DataFrame([{**plain, **row} for row in rows])
    clear = (frame["low"] > 1) | (frame["high"] < 1)
    frame["p"] = frame["p"].fillna(pd.Series(np.where(clear, 0.001, 0.5)))
    return label_rows(frame.assign(unbounded=frame.get("unbounded", frame["always"])))


SWAYED = {"judge": "x", "odds": 11.94, "low": 1.2, "high": 98.0}
LONGEST = {"judge": "longest", "odds": NOTHING, "always": "longer"}
STEEP = {
    "judge": "steep", "odds": NOTHING, "always": "", "unbounded": "shorter", "decisive": 595,
    "longer": 24 / 595, "longer_low": 0.02504, "longer_high": 0.06436,
}  # fmt: skip
UNCLEAR = {**SWAYED, "always": "", "unbounded": "", "low": 0.5}


def test_the_sentences_about_length() -> None:
    """A judge that always takes the longer has odds without bound: no finite ones are the most.
    Odds without a bound are named, and are not no evidence: as `baseline:longer` had it on
    TopicalChat, turned round.
    """
    cases = {
        "one judge": [SWAYED],
        "one always": [SWAYED, LONGEST, {**SWAYED, "judge": "y", "odds": 2.0}],
        "always on two attributes": [{**LONGEST, "attribute": name} for name in "qr"],
        "ten judges without evidence": [{**SWAYED, "judge": f"judge{n}", "p": 0.03} for n in range(10)],
        "one judge with the same": [{**SWAYED, "p": 0.03}],
        "no bound": [STEEP, UNCLEAR],
        "few answers": [{**SWAYED, "decisive": 9, "items": 9}],
        "length goes with position": [{"judge": "x", "odds": NOTHING}],
    }  # fmt: skip
    said = [f"{case}: {' '.join(describe_length(lengths(*rows)))}" for case, rows in cases.items()]
    approve("length_bias", "\n".join(said))
    assert describe_length(lengths({**LONGEST, "decisive": 9})) == []


def test_self_preference_is_named_from_a_stated_minimum_on() -> None:
    shares = {"own": 0.7, "own_low": 0.6, "own_high": 0.8, "difference": 0.15}
    row = {"judge": "gpt", "system": "GPT", **shares}
    for pairs, low, p, said in (
        (0, NOTHING, NOTHING, r"Nobody else\b"),
        (29, 0.05, 0.01, r"29 pairs\b.*\bfrom 30 on\.$"),
        (30, 0.05, 0.01, r"\+5 to \+25\)\. It prefers\b"),
        (30, -0.25, 0.9, r"-25 to \+25\)\. .*\bno evidence\b"),
    ):
        more = {"pairs": pairs, "others": 0.55, "low": low, "high": 0.25, "p": p}
        [sentence] = describe_self_preference(pd.DataFrame([row | more]))
        assert re.match(r"gpt .*\(GPT\) 70% \(95% interval 60 to 80\)", sentence)
        assert re.search(said, sentence)
    # Holm (1979) by hand: .01 * 3 is below .05, and .03 * 2 is not.
    shares = {"own": 0.7, "own_low": 0.6, "own_high": 0.8, "others": 0.55, "difference": 0.15}
    rows = pd.DataFrame(
        {"judge": list("abc"), "system": list("abc"), "pairs": 99, **shares, "low": 0.05,
         "high": 0.25, "p": [0.03, 0.01, 0.04]}
    )  # fmt: skip
    named = ["It prefers" in said for said in describe_self_preference(rows)]
    assert named == [False, True, False]


def test_a_difference_that_is_nearly_nothing_has_no_minus() -> None:
    """Of judges that copy each other there is no interval."""
    row = {"judge_1": "m", "judge_2": "n", "items": 60, "difference": 0.05}
    said = describe_difference(pd.Series({**row, "low": -0.0002, "high": 0.1}), "is right")
    assert said.endswith("(difference 5 points, 95% interval 0 to 10).")
    nothing = {"difference": 0.0, "low": NOTHING, "high": NOTHING}
    said = describe_difference(pd.Series({**row, **nothing}), "is right")
    assert re.search(r"\b60 items\b.*\bm and n\b.*\bnot differ\b", said)
    assert list_figures(said) == [60]


def test_where_nobody_answered_the_failures_are_counted_by_reason() -> None:
    """7 asked, none answered; with one answer that was a tie it is another sentence."""
    failed = {"unparsed": 5, "refused": 2}
    said = describe_position(Finding(positions().rows, "", 0, failed))
    assert list_figures(said) == [7, 5, 2]
    assert "unparsed" in said
    assert "unparsed" not in describe_position(Finding(positions().rows, "", 1, failed))
