"""The lab against counts by hand, other libraries and the findings whose numbers it shows; a judge's card."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.special import betainc
from scipy.stats import kendalltau, spearmanr, ttest_rel
from sklearn.metrics import cohen_kappa_score

from core.findings.accuracy import AccuracySettings, accuracy
from core.findings.agreement import agreement
from core.findings.bias import bias
from core.findings.judgements import Finding, Selection, make_plain
from core.findings.lab import (
    LabSettings,
    check_card,
    lab,
    list_openings,
    make_card,
    read_card,
    split_items,
)
from core.findings.lab.settings import find_common_pairs
from core.judging import make
from core.models import Options
from core.records import Kind, Prompt, TandemError
from core.rendering.charts import picture
from core.reporting import draw_finding, write_card
from core.statistics.system_level import fit_decisiveness, measure_system_bias
from core.store import Store, dataset_decisions
from tests.cli.asked import called
from tests.findings.combine.studies import SYSTEMS
from tests.findings.lab.studies import JUDGES, Said, answers, load
from tests.findings.people.voting import say
from tests.study import DATASET, fill

LLM = ("llm",)


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store(tmp_path_factory.mktemp("lab") / "s.sqlite3") as store:
        yield load(store, answers())


@pytest.fixture(scope="module")
def found(study: Store) -> Finding:
    return lab(study, Selection(DATASET), LabSettings(correct=("swap",)))


def chosen(store: Store, side: str = "development") -> set[str]:
    items = split_items(store, DATASET, [f"i{n}" for n in range(80)])
    return set(items.loc[items["side"] == side, "item"])


def said_on(store: Store, judge: str) -> list[Said]:
    items = chosen(store)
    return [one for one in answers() if one.judge == judge and f"i{one.item}" in items]


def plain(found: Finding) -> pd.DataFrame:
    return found.rows[found.rows["correction"] == "none"].set_index("judge")


def majority(item: int, a: str, b: str) -> float:
    people = [one for one in answers() if one.judge[0] == "p"]
    return float(np.mean([s.points for s in people if (s.item, s.a, s.b) == (item, a, b)]) > 0.5)


def list_right(store: Store, judge: str) -> list[tuple[Said, bool]]:
    """What a judge says, each with whether most people say so, too."""
    right = []
    for one in said_on(store, judge):
        first, second = sorted((one.a, one.b))
        right.append((one, one.points == (majority(one.item, first, second) == (one.a == first))))
    return right


def test_figures_counted_by_hand(study: Store, found: Finding) -> None:
    rows, verdicts = plain(found), dict[str, dict[tuple[int, str, str], float]]()
    for judge in JUDGES:
        right, first, by_pair = [], [], dict[tuple[int, str, str], list[float]]()
        for one in said_on(study, judge):
            turned = one.a > one.b
            key = (one.item, *sorted((one.a, one.b)))
            for_first = 1 - one.points if turned else one.points
            by_pair.setdefault(key, []).append(for_first)  # type: ignore[arg-type]
            right.append(for_first == majority(*key))
            first.append((0.9 if one.points else 0.2) if judge == "sharp" else one.points)
        verdicts[judge] = {key: float(np.mean(both)) for key, both in by_pair.items()}
        row = rows.loc[judge]
        assert row["accuracy"] == pytest.approx(np.mean(right))
        same = np.mean([len(set(both)) == 1 for both in by_pair.values()])
        assert row["consistent"] == pytest.approx(same)
        assert row["fairness"] == pytest.approx(1 - 2 * abs(np.mean(first) - 0.5))
        assert row["fairness_low"] < row["fairness"] <= row["fairness_high"] <= 1
        mine = [2 * value for value in verdicts[judge].values()]
        truth = [2 * majority(*key) for key in verdicts[judge]]
        cohen = cohen_kappa_score(np.int64(mine), np.int64(truth))  # ours leaves the item out
        assert row["kappa"] == pytest.approx(cohen, abs=0.01)
    for judge, of_judge in verdicts.items():
        others = [of for name, of in verdicts.items() if name != judge]
        told = {key: [of[key] for of in others if of[key] != 0.5] for key in of_judge}
        peers = [np.mean(np.equal(told[key], of_judge[key])) for key in of_judge if told[key]]
        assert rows.loc[judge, "peers"] == pytest.approx(np.mean(peers))


def test_numbers_are_those_of_the_other_findings(study: Store, found: Finding) -> None:
    """Of the same judges on the same items: `accuracy`, `bias` and `agreement`."""
    selection = Selection(DATASET, judges=LLM, items=tuple(sorted(chosen(study))))
    for correction in ("none", "swap"):
        rows = found.rows[found.rows["correction"] == correction].set_index("judge").sort_index()
        theirs = accuracy(study, selection, AccuracySettings("human", correction)).rows
        figures = theirs.set_index("judge").sort_index()[["accuracy", "low", "high"]]
        np.testing.assert_allclose(rows[["accuracy", "accuracy_low", "accuracy_high"]], figures)
    once = lab(study, Selection(DATASET), LabSettings())
    right = accuracy(study, selection, AccuracySettings("human"))
    tested = once.tables["differences"].drop(columns="p")
    pd.testing.assert_frame_equal(tested, right.tables["differences"])
    rows, sides = plain(once).sort_index(), bias(study, selection)
    for table, name in (("lengths", "longer"), ("triples", "cyclic")):
        theirs = sides.tables[table].set_index("judge").sort_index()[name]
        np.testing.assert_allclose(rows[name], theirs)
    figures = sides.rows.set_index("judge").sort_index()[["p_first", "low", "high"]]
    np.testing.assert_allclose(rows[["p_first", "p_first_low", "p_first_high"]], figures)
    agreed = agreement(study, replace(selection, judges=("llm", "human"))).tables["majority"]
    theirs = agreed[agreed["kind"] == "llm"].set_index("judge").sort_index()
    np.testing.assert_allclose(
        rows[["kappa", "kappa_low", "kappa_high"]], theirs[["kappa", "low", "high"]]
    )


def test_answers_are_grouped_by_what_they_have_in_common(study: Store, found: Finding) -> None:
    """Counted from the plain records, by the place of the chosen text. The text of beta is twice as
    long as that of alpha, and that of gamma three times.
    """
    table = found.tables["by"].set_index(["judge", "by", "value"])
    assert set(found.tables["by"]["by"]) == {"longer", "chose", "sure"}, "one attribute"
    for judge in JUDGES:
        by_place, of_longer = defaultdict[str, list[bool]](list), list[bool]()
        for one, right in list_right(study, judge):
            by_place["first" if one.points else "second"].append(right)
            if majority(one.item, *sorted((one.a, one.b))) == 0:  # the second by name is longer
                of_longer.append(right)
        wrong = sum(not one for of in by_place.values() for one in of)
        for place, said in by_place.items():
            row = table.loc[judge, "chose", place]
            assert (row["answers"], row["accuracy"]) == (len(said), pytest.approx(np.mean(said)))
            assert row["wrong"] == sum(not one for one in said)
            assert row["of_wrong"] == pytest.approx(row["wrong"] / wrong)
        of_judge = table.loc[judge].loc["longer"]
        longer = of_judge[~of_judge.index.str.startswith("-")]
        assert longer["answers"].sum() == len(of_longer)
        assert longer["wrong"].sum() == sum(not one for one in of_longer)


def test_accuracy_by_separability_and_certainty_counted_by_hand(
    study: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The separability of an item's texts is its number: four bins hold a quarter of items each."""
    pairs = list(combinations(SYSTEMS, 2))
    measured = pd.DataFrame(
        [(f"i{n}", *pair, n / 80) for n in range(80) for pair in pairs],
        columns=["item", "system_1", "system_2", "separability"],
    )
    monkeypatch.setattr(LabSettings, "measure_items", lambda self, *_: measured)
    table = lab(study, Selection(DATASET, judges=("sharp",)), LabSettings()).tables["by"]
    items = sorted(int(name[1:]) for name in chosen(study))
    assert len(items) == 41
    bins = items[:10], items[10:20], items[20:30], items[30:]
    right, sure = defaultdict[int, list[bool]](list), defaultdict[bool, list[bool]](list)
    for one, is_right in list_right(study, "sharp"):
        place = next(place for place, of in enumerate(bins) if one.item in of)
        right[place].append(is_right)
        sure[bool(one.points)].append(is_right)
    rows = table[table["by"] == "separability"]
    assert rows["value"].tolist() == sorted(rows["value"])
    of_bins = [np.mean(right[n]) for n in range(4)]
    assert rows["accuracy"].tolist() == pytest.approx(of_bins, abs=0.03)
    assert rows["answers"].sum() == sum(map(len, right.values()))
    rows = table[table["by"] == "sure"].set_index("value")["accuracy"]
    assert rows["70% to 80%"] == pytest.approx(np.mean(sure[False])), "1 - .2"
    assert rows["80% to 90%"] == pytest.approx(np.mean(sure[True]))


def test_differences_are_tested_for_all_pairs_of_judges(study: Store) -> None:
    """source: scipy's t test of the items' means, and Holm's correction as the closed test of all
    subsets of the pairs by Bonferroni.
    """
    items = defaultdict[str, dict[int, float]](dict)
    for judge in JUDGES:
        right = defaultdict[int, list[float]](list)
        for one, is_right in list_right(study, judge):
            right[one.item].append(is_right)
        items[judge] = {item: float(np.mean(of)) for item, of in right.items()}
    frame = pd.DataFrame(items)
    pairs = list(combinations(JUDGES, 2))
    alone = [ttest_rel(frame[one], frame[other]).pvalue for one, other in pairs]
    subsets = [of for size in range(1, 7) for of in combinations(range(6), size)]
    found = lab(study, Selection(DATASET), LabSettings()).tables["differences"]
    assert len(found) == 3
    for _, row in found.iterrows():
        place = list(map(set, pairs)).index({row["judge_1"], row["judge_2"]})
        p = max(len(of) * min(alone[i] for i in of) for of in subsets if place in of)
        assert row["p"] == pytest.approx(min(p, 1), rel=1e-6)


def test_how_it_ranks_systems_counted_by_hand(study: Store, found: Finding) -> None:
    rows = plain(found)
    for judge in ("sharp", "fair"):
        wins, truth = (Counter[tuple[str, str]](), Counter[tuple[str, str]]())
        for one in said_on(study, judge):
            a, b = sorted((one.a, one.b))
            for_first = 1 - one.points if one.a > one.b else one.points
            wins[a, b] += for_first  # type: ignore[assignment]
            truth[a, b] += majority(one.item, a, b)  # type: ignore[assignment]
        size = len(said_on(study, judge)) / 3
        x, y = (np.array([of[pair] / size for pair in combinations(SYSTEMS, 2)])
                for of in (truth, wins))  # fmt: skip
        grid = np.exp(np.linspace(-3, 3, 6001))
        loss = [((betainc(alpha, alpha, x) - y) ** 2).sum() for alpha in grid]
        assert rows.loc[judge, "decisiveness"] == pytest.approx(grid[np.argmin(loss)], rel=0.01)
        left = y - betainc(rows.loc[judge, "decisiveness"], rows.loc[judge, "decisiveness"], x)
        expected = [(left[0] + left[1]) / 2, (left[2] - left[0]) / 2, (-left[1] - left[2]) / 2]
        given = found.tables["systems"].query("judge == @judge and correction == 'none'")
        np.testing.assert_allclose(given["bias"], expected, atol=1e-6)
        assert rows.loc[judge, "system_bias"] == pytest.approx(np.std(expected))
        strength = [[of[0] + of[1], 1 - of[0] + of[2], 2 - of[1] - of[2]] for of in (x, y)]
        assert rows.loc[judge, "kendall"] == pytest.approx(kendalltau(*strength).statistic)


def test_decisiveness_is_the_one_that_made_the_win_rates() -> None:
    """Also where a judge is biased for one system: that is told apart from what others get."""
    rate = np.array([0.55, 0.7, 0.85])
    for alpha in (0.4, 1.0, 3.0):
        made = betainc(alpha, alpha, rate)
        fitted = fit_decisiveness(np.full(3, 9.0), 9 * rate, 9 * made)
        assert fitted == pytest.approx(alpha, rel=1e-3)
    first, second = np.array([0, 0, 0, 1, 1, 2]), np.array([1, 2, 3, 2, 3, 3])
    points, even = np.where(first == 0, 0.8, 0.5), np.full(6, 0.5)
    told = measure_system_bias(first, second, points, even, np.arange(6), np.ones((40, 6)))
    np.testing.assert_allclose(told.bias, [0.3, -0.1, -0.1, -0.1], atol=1e-9)


def test_repeats_and_what_was_not_answered(store: Store, study: Store) -> None:
    """Of three answers to one comparison, two alike: one pair of three agrees."""
    load(store, answers(20))
    for trial, outcome in ((1, "a"), (2, "b")):
        store.connection.execute(
            """INSERT INTO judgements (comparison, judge, trial, outcome, order_known, created_at)
            SELECT comparison, judge, ?, ?, 1, created_at FROM live_judgements
            WHERE judge = (SELECT id FROM judges WHERE name = 'fair') AND trial = 0""",
            (trial, outcome),
        )
    rows = lab(store, Selection(DATASET), LabSettings()).rows.set_index("judge")
    assert rows.loc["fair", "repeats"] == pytest.approx(1 / 3)
    assert rows["repeats"].isna().sum() == rows["unanswered"].eq(0).sum() - 1 == 3


def test_what_needs_no_labels_beside_accuracy(study: Store, found: Finding) -> None:
    """source: scipy, over the judges of the table."""
    rows, table = plain(found), found.tables["without_labels"].set_index("figure")
    assert set(table.index) == {"fairness", "consistent", "peers"}
    for figure, row in table.iterrows():
        assert row["spearman"] == pytest.approx(spearmanr(rows[figure], rows["accuracy"]).statistic)
        assert row["low"] <= row["spearman"] <= row["high"]
        assert row["best"] == rows[figure].idxmax()
        best = rows.loc[row["best"], "accuracy"]
        assert row["lost"] == pytest.approx(rows["accuracy"].max() - best)
    three = lab(study, Selection(DATASET, judges=("sharp", "fair", "coin")), LabSettings())
    assert three.tables["without_labels"].empty


def test_without_votes_the_fairest_judge_is_named(store: Store) -> None:
    load(store, [one for one in answers() if one.judge in JUDGES])
    result = lab(store, Selection(DATASET), LabSettings(correct=("swap",)))
    assert result.facts["against"] == ""
    assert result.rows["accuracy"].isna().all()
    assert result.rows["judge"].iloc[0] == result.rows.set_index("judge")["fairness"].idxmax()
    assert b"fairness" in picture(draw_finding(result), "svg")


def test_a_judge_of_development_items_alone_takes_no_test_items_from_others(store: Store) -> None:
    load(store, [one for one in answers(people=0) if one.judge in ("fair", "coin")])
    whole = find_common_pairs(store, Selection(DATASET, judges=("llm",)))
    sides = split_items(store, DATASET, [f"i{n}" for n in range(80)]).set_index("item")["side"]
    late = [one._replace(judge="late") for one in answers(people=0) if one.judge == "sharp"]
    load(store, [one for one in late if sides[f"i{one.item}"] == "development"])
    common = find_common_pairs(store, Selection(DATASET, judges=("llm",)))
    assert common.judges["test", "coherence"] == ("coin", "fair")
    assert "late" in common.judges["development", "coherence"]
    assert len(common.pairs) == len(whole.pairs)


def test_items_of_a_family_are_on_one_side_and_stay_there(store: Store) -> None:
    load(store, answers())
    items = [f"i{n}" for n in range(80)]
    before = split_items(store, DATASET, items[:40]).set_index("item")["side"]
    after = split_items(store, DATASET, items).set_index("item")["side"]
    assert (after[before.index] == before).all()
    assert 20 < (after == "test").sum() < 60
    store.connection.execute("UPDATE items SET family = 'one' WHERE key < 'i4' AND length(key) = 2")
    again = split_items(store, DATASET, items)
    assert again[again["item"].isin(items[:4])]["side"].nunique() == 1
    dataset_decisions.rename(store, "Ada", DATASET, "other")
    renamed = split_items(store, "other", items)
    assert renamed["side"].tolist() == again["side"].tolist()


def test_test_items_are_shut_until_somebody_opens_them(store: Store) -> None:
    load(store, answers())
    shut = Selection(DATASET, judges=("sharp",))
    with pytest.raises(TandemError, match="shut"):
        lab(store, shut, LabSettings(open_test=True))
    opened = lab(store, shut, LabSettings(open_test=True), by="Ada")
    assert (opened.facts["openings"], opened.facts["side"]) == (1, "test")
    assert "|openings:1|" in opened.signature
    lab(store, shut, LabSettings(open_test=True))
    for other in (Selection(DATASET), Selection(DATASET, judges=("fair",))):
        with pytest.raises(TandemError, match="shut"):
            lab(store, other, LabSettings(open_test=True))
    dataset_decisions.rename(store, "Ada", DATASET, "other")
    lab(store, Selection("other"), LabSettings(open_test=True), by="Ben")
    assert [(row["who"], row["judges"]) for row in list_openings(store, "other")] == [
        ("Ben", ["coin", "fair", "first", "sharp"]), ("Ada", ["sharp"]),
    ]  # fmt: skip
    both = lab(store, Selection("other"), LabSettings())
    assert both.facts["openings"] == 2
    assert both.facts["development"] + both.facts["test"] == 80
    load(store, answers(), dataset="second")
    assert lab(store, Selection("second"), LabSettings()).facts["openings"] == 0


def test_only_pairs_that_all_were_asked_in_both_orders_count(store: Store) -> None:
    """One judge was asked one order, one about a few items; `fair` was not about item 0."""
    said = [one for one in answers() if not (one.judge == "fair" and one.item == 0)]
    said = [one for one in said if one.judge != "coin" or one.a < one.b]
    said = [one for one in said if one.judge != "first" or one.item < 10]
    load(store, said)
    result = lab(store, Selection(DATASET), LabSettings())
    assert set(result.rows["judge"]) == {"sharp", "fair"}
    assert result.facts["development"] + result.facts["test"] == 79
    with pytest.raises(TandemError, match="both orders"):
        lab(store, Selection(DATASET, judges=("coin",)), LabSettings())


def test_too_few_items_and_wrong_settings(store: Store) -> None:
    load(store, answers(8))
    facts = lab(store, Selection(DATASET), LabSettings()).facts
    told = " ".join(facts["sentences"])
    assert all(f"{30 - facts[side]} items" in told for side in ("development", "test"))
    with pytest.raises(TandemError):
        LabSettings(against="nobody")


UNKNOWN, FAILED = "cannot tell yet", "not trusted"
SHARP = Selection(DATASET, judges=("sharp",))


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("card") / "s.sqlite3"
    with Store(path) as store:
        load(store, answers())
        fill(store, items=4, systems=SYSTEMS, dataset="other")
        lab(store, SHARP, LabSettings(open_test=True), by="Ada")
    return path


def test_a_card_holds_both_sides_and_the_surest_failures(path: Path, tmp_path: Path) -> None:
    """A failure is a pair of which `sharp` gives the wrong text .9, or 1 - .2, in both orders."""
    with Store(path) as store:
        card = make_card(store, Selection(DATASET), LabSettings(), "sharp")
        sides = [lab(store, SHARP, LabSettings(open_test=opened)) for opened in (False, True)]
        unopened = make_card(store, Selection(DATASET), LabSettings(), "fair")
    for side, found in zip(("development", "test"), sides, strict=True):
        assert card["rows"][side][0]["accuracy"] == found.rows["accuracy"].iloc[0]
    assert card["signatures"] == [found.signature for found in sides]
    assert (card["openings"], card["tried"], unopened["rows"]["test"]) == (1, 4, [])
    votes = defaultdict[str, dict[tuple[str, str], list[float]]](lambda: defaultdict(list))
    for said in answers():
        if said.judge.startswith("p"):
            votes[f"i{said.item}"][said.a, said.b].append(said.points)
    assert len(card["failures"]) == 12
    order = [one["judge"] * one["people"] for one in card["failures"]]
    assert order == sorted(order, reverse=True)
    for one in card["failures"]:
        assert one["judge"] == pytest.approx(0.85), "(.9 + 1 - .2) / 2"
        shares = [np.mean(of) for of in votes[one["item"]].values()]
        assert one["people"] in [pytest.approx(abs(share - 0.5) + 0.5) for share in shares]
    with pytest.raises(TandemError, match="txt"):
        write_card(card, ".txt")
    (tmp_path / "x.md").write_text("nothing")
    with pytest.raises(TandemError, match="no card"):
        read_card(tmp_path / "x.md")


def test_hostile_texts_stay_inside_a_card(path: Path, tmp_path: Path) -> None:
    with Store(path) as store:
        card = make_card(store, Selection(DATASET), LabSettings(), "sharp")
    evil = "<script>alert(1)</script> --> ``` end ----"
    card["failures"][0] |= {"better": evil, "context": evil}
    prompt = asdict(Prompt("mine", 2, evil, labels=("A", "B")))
    card["judge"] |= {"prompt": prompt, "labels": ["A", "B"]}
    for ending, ends in ((".html", 1), (".md", 4), (".json", 3)):  # texts in fences are verbatim
        page = write_card(card, ending)
        (tmp_path / f"card{ending}").write_text(page)
        read, spec = read_card(tmp_path / f"card{ending}")
        assert read == json.loads(json.dumps(make_plain(card)))
        assert (spec.name, spec.prompt) == ("sharp", Prompt("mine", 2, evil, labels=("A", "B")))
        assert page.count("-->") == ends
    assert "<script>" not in (tmp_path / "card.html").read_text()


def test_trusted_by_the_interval_on_test_items() -> None:
    """By hand: 20 points away with 10 either way is shown. Of 5 away, (2.8 / 1.96 x 10 / 5)^2 times
    the items, 816, tell in 4 of 5 studies.
    """
    row = {"accuracy": 0.85, "accuracy_low": 0.75, "accuracy_high": 0.95}
    card = {"judge": {"name": "j"}, "test": 100, "rows": {"test": [row]}, "against": "gold"}
    for least, verdict in ((0.75, "trusted"), (0.96, FAILED), (0.8, UNKNOWN)):
        assert check_card(card, least)[0] == verdict
    assert "820 items" in check_card(card, 0.8)[1]
    row, low = {**row, "attribute": "one"}, {**row, "accuracy_low": 0.7, "attribute": "two"}
    assert check_card({**card, "rows": {"test": [row, low]}}, 0.75)[0] == UNKNOWN
    bad = {**row, "accuracy_low": 0.72, "accuracy_high": 0.74, "attribute": "three"}
    verdict, why = check_card({**card, "rows": {"test": [row, low, bad]}}, 0.75)
    assert verdict == FAILED
    assert "three" in why
    assert check_card({**card, "rows": {"test": []}}, 0.5)[0] == UNKNOWN


def test_a_card_from_the_command_line(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A baseline, asked and held against people, opened, checked, and asked elsewhere again."""
    about, card = ("--dataset", DATASET), str(tmp_path / "c.html")
    ask = partial(called, capsys, path)
    ask("judge", *about, "--judge", "baseline:longer", "--pairs", "symmetric")
    named = ("--judges", "baseline:longer", "--card", card, "--open-test")
    status, out, err = ask("lab", *about, *named)
    assert (status, err, "test items" in out) == (0, "", True)
    for least, statuses in (("0.5", {0, 3, 4}), ("1", {3})):
        status, out, _ = ask("lab", "check", "--card", card, "--min-accuracy", least, "--json")
        assert status in statuses
        assert (json.loads(out)["verdict"] == "trusted") == (status == 0)
    assert ask("judge", "--dataset", "other", "--card", card, "--pairs", "symmetric")[0] == 0
    with Store(path) as store:
        runs = store.runs.list_all(dataset="other", kind="run")
        assert runs["judge"].tolist() == [make("baseline:longer", Options()).spec.name]
    assert ask("lab", *about, "--card", card)[0] == 2
    for words in ((), ("--card", card, "--mode", "sample")):
        assert ask("judge", *about, *words)[0] == 2


def test_a_card_puts_the_figures_of_one_attribute_together(store: Store) -> None:
    """The judge is right on `one` on development items, on `two` on test items; two attributes'
    rows come in the order of their accuracy on each side.
    """
    fill(store, items=80, systems=("alpha", "beta"), attributes=("one", "two"))
    items = [f"i{n}" for n in range(80)]
    side = split_items(store, DATASET, items).set_index("item")["side"]
    with store.transaction():
        for item in items:
            for attribute in ("one", "two"):
                say(store, "Ada", item, ("alpha", "beta"), "a", attribute=attribute)
                is_right = (attribute == "one") == (side[item] == "development")
                for sides, right in ((("alpha", "beta"), "a"), (("beta", "alpha"), "b")):
                    said = right if is_right else {"a": "b", "b": "a"}[right]
                    say(store, "gpt", item, sides, said, attribute=attribute, kind=Kind.LLM)
    about, settings = Selection(DATASET, judges=("gpt",)), LabSettings()
    lab(store, about, replace(settings, open_test=True), by="Ada")
    card = make_card(store, about, settings, "gpt")
    for part, accurate in (("development", [1, 0]), ("test", [0, 1])):
        assert [row["attribute"] for row in card["rows"][part]] == ["one", "two"]
        assert [row["accuracy"] for row in card["rows"][part]] == accurate
    assert {one["attribute"] for one in card["failures"]} == {"two"}
