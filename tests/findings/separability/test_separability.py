"""Separability from the store: the paper's scenarios, normalisation, what is missing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.findings.judgements.selection import Selection
from core.findings.separability import chart as charts
from core.findings.separability.applications import likeness
from core.findings.separability.columns import BOUNDS, DRAWN
from core.findings.separability.compute import MEASURES, separabilities, separability
from core.findings.separability.settings import Settings
from core.records import Generation, Item, System, TandemError
from core.rendering.charts import PALETTES, picture
from core.similarity import METRICS, make_metric
from core.store import ChosenGenerations, Store
from tests.cli.asked import Call, Run
from tests.study import DATASET, add_texts, ids, measure
from tests.study import fill as fill_study
from tests.unigrams import UNIGRAM

CATS = [
    "The grey cat slept on the warm windowsill all afternoon.",
    "The grey cat slept on the warm windowsill all day.",
    "A grey cat slept on the warm windowsill all afternoon.",
]
TAXES = [
    "Parliament raised the tax on fuel by two cents a litre.",
    "Parliament has raised the tax on fuel by two cents a litre.",
    "Parliament raised the tax on fuel by three cents a litre.",
]
MIXED = [
    "Whales sing for hours.",
    "He bought seven red apples at the corner shop before noon.",
    "Snow closed both mountain passes.",
]
OTHERS = [
    "Violins need new strings every year or so.",
    "Her train to the coast was late again.",
    "Rust spreads under old paint.",
]
SCENARIOS = {  # figure 2 of the paper
    "1 both tight, apart": (CATS, TAXES),
    "2 both spread, apart": (MIXED, OTHERS),
    "3 one tight, one spread": (CATS, MIXED),
    "4 all alike": (CATS, CATS[::-1]),
}


@pytest.fixture
def unigrams(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METRICS, "unigram", UNIGRAM)


def fill(
    store: Store,
    items: dict[str, dict[str, Sequence[str | None]]],
    dataset: str = "d",
    subset: str = "",
) -> None:
    texts = [
        Generation(item, system, sample, text)
        for item, of in items.items()
        for system, samples in of.items()
        for sample, text in enumerate(samples)
    ]
    systems = sorted({text.system for text in texts})
    about = [Item(item, subset=subset) for item in items]
    add_texts(store, dataset, texts, items=about, systems=systems, attributes=())


def scenarios(store: Store, dataset: str = "d") -> None:
    fill(store, {item: {"a": one, "b": two} for item, (one, two) in SCENARIOS.items()}, dataset)


def measured(
    store: Store, metric: str = "unigram", *, dataset: str = "d", **settings: object
) -> pd.DataFrame:
    measure(store, ChosenGenerations(dataset), make_metric(metric))
    return calculated(store, dataset, metric=metric, **settings).set_index("item")


def calculated(
    store: Store, dataset: str = "d", *, metric: str = "unigram", **settings: Any
) -> pd.DataFrame:
    names = ("systems", "subset", "seed")
    selection = {name: settings.pop(name) for name in names if name in settings}
    return separabilities(store, Selection(dataset, **selection), Settings(metric, **settings))


def test_the_four_scenarios_of_the_paper(store: Store) -> None:
    scenarios(store)
    for metric in set(METRICS) - {"entity", "length"}:
        one, two, three, four = measured(store, metric)["separability"].to_numpy()
        assert min(one, three) > max(two, four) + 0.2, metric
        assert four < 0.1, metric


def by_hand(store: Store, item: str) -> tuple[float, float, float]:
    """self a, self b, cross: means over the stored values, by plain SQL."""
    kinds: dict[str, list[float]] = {}
    for one, other, value in store.connection.rows(
        """SELECT sa.name, sb.name, m.value FROM similarities m
        JOIN generations a ON a.id = m.generation_1 JOIN systems sa ON sa.id = a.system
        JOIN generations b ON b.id = m.generation_2 JOIN systems sb ON sb.id = b.system
        JOIN items i ON i.id = a.item WHERE i.key = ? AND i.dataset = 'd' AND m.metric = ?""",
        (item, "unigram|test"),
    ):
        kinds.setdefault("".join(sorted({one, other})), []).append(value)
    return tuple(float(np.mean(kinds[name])) for name in ("a", "b", "ab"))  # type: ignore[return-value]


def test_alignments_are_means_of_what_is_stored(store: Store, unigrams: None) -> None:
    scenarios(store)
    found = measured(store, over="pair")
    assert list(found.reset_index().columns) == list(MEASURES)
    hand = np.array([by_hand(store, item) for item in SCENARIOS])
    assert found[["raw_self_1", "raw_self_2", "raw_cross"]].to_numpy() == pytest.approx(hand)
    delta = hand[:, :2].max(axis=1) - hand[:, 2]
    assert found["raw_separability"].to_numpy() == pytest.approx(delta)
    low, high = hand.min(), hand.max()
    assert found["separability"].to_numpy() == pytest.approx(delta / (high - low))
    scaled = found[["self_1", "self_2", "cross"]].to_numpy()
    assert scaled == pytest.approx((hand - low) / (high - low))
    assert found["separability"].between(found["low"], found["high"]).all()
    plain = measured(store, normalise="none")
    assert plain["separability"].tolist() == plain["raw_separability"].tolist()
    assert plain["self_1"].tolist() == plain["raw_self_1"].tolist()


def test_scopes_of_normalisation(store: Store, unigrams: None) -> None:
    """Over one pair, the pairs of the systems named, the data set, and all of the store."""
    i, j = {"a": CATS, "b": TAXES, "c": MIXED}, {"a": CATS, "b": CATS, "c": CATS[::-1]}
    fill(store, {"i": i, "j": j})
    fill(store, {"k": {"a": ["yes", "yes"], "b": ["no", "no"]}}, "other")
    for dataset in ("d", "other"):
        measure(store, ChosenGenerations(dataset), make_metric("unigram"))

    found = calculated(store, "d", over="pair")
    columns = ["self_1", "self_2", "cross"]
    scales = found.groupby(["system_1", "system_2"])[columns].agg(["min", "max"])
    assert scales.min(axis=1).tolist() == [0, 0, 0], "each pair has a scale of its own"
    assert scales.max(axis=1).tolist() == [1, 1, 1]

    def scale(over: str, *systems: str) -> float:
        found = measured(store, over=over, systems=systems)
        return float((found["raw_separability"] / found["separability"]).dropna().iloc[0])

    raw = calculated(store, "d", metric="unigram", normalise="none")
    values = raw[["raw_self_1", "raw_self_2", "raw_cross"]]

    def spread(of: pd.Series | None = None) -> float:
        chosen = values if of is None else values[of]
        return float(chosen.max().max() - chosen.min().min())

    of_ab = (raw["system_1"] == "a") & (raw["system_2"] == "b")
    assert scale("pair", "a", "b") == scale("systems", "a", "b") == pytest.approx(spread(of_ab))
    for whole in (scale("dataset", "a", "b"), scale("systems"), scale("dataset")):
        assert whole == pytest.approx(spread())
    assert spread() > spread(of_ab)
    # The other data set has alignments of 0 and 1.
    assert scale("all") == scale("all", "a", "b") == pytest.approx(1)


def test_of_a_subset(store: Store, unigrams: None) -> None:
    fill(store, {"i": {"a": CATS, "b": TAXES}}, subset="news")
    fill(store, {"j": {"a": MIXED, "b": OTHERS}}, subset="talk")
    assert measured(store, subset="news")["separability"].to_dict() == {"i": pytest.approx(1)}


def test_what_has_no_separability_is_null(store: Store, unigrams: None) -> None:
    second = {"one": TAXES[:1], "none": [None, None], "unequal": [None, *TAXES[1:]], "all": TAXES}
    fill(store, {item: {"a": CATS, "b": texts} for item, texts in second.items()})
    found = measured(store)
    assert found.index.tolist() == ["one", "unequal", "all"]
    assert found[["samples_1", "samples_2"]].to_numpy().tolist() == [[3, 1], [3, 2], [3, 3]]
    assert found["separability"].isna().tolist() == [True, False, False]
    assert found[["cross", "self_1"]].notna().to_numpy().all()
    one = measured(store, samples=1)
    assert one["separability"].isna().all()
    result = separability(store, Selection("d"), Settings(metric="unigram"))
    unknown, narrow = result.notes
    assert re.match(r"1 of 3 items\b.*\bno separability\b", unknown)
    assert re.match(r"Intervals of 2 items\b", narrow)


def test_alignments_that_are_all_equal_have_no_scale(store: Store, unigrams: None) -> None:
    fill(store, {"i": {"a": ["same", "same"], "b": ["same", "same"]}})
    found = measured(store)
    assert found["raw_separability"].tolist() == [0]
    assert found[["separability", "low", "high", "self_1"]].isna().to_numpy().all()
    assert measured(store, normalise="none")["separability"].tolist() == [0]


def test_a_pair_that_is_not_measured_makes_null(store: Store, unigrams: None) -> None:
    scenarios(store)
    measured(store)
    first = store.connection.value("SELECT min(generation_1) FROM similarities")
    pair = "DELETE FROM similarities WHERE generation_1 = ? AND generation_2 = ?"
    store.connection.execute(pair, (first, first + 1))
    found = calculated(store, "d", metric="unigram")
    assert found["separability"].isna().tolist() == [True, False, False, False]


def test_drawn_cross_pairs_depend_on_the_seed_only(store: Store, unigrams: None) -> None:
    scenarios(store)
    every = measured(store)
    drawn = [measured(store, cross=4, seed=seed)["raw_cross"] for seed in (1, 1, 2)]
    assert drawn[0].tolist() == drawn[1].tolist() != drawn[2].tolist()
    fill(store, {"0 another": {"a": CATS, "b": TAXES}})
    again, all_nine = measured(store, cross=4, seed=1), measured(store, cross=9)
    assert again["raw_cross"].drop("0 another").tolist() == drawn[0].tolist()
    assert all_nine["raw_cross"].drop("0 another").tolist() == every["raw_cross"].tolist()
    # Each item has a draw of its own, whatever its texts.
    alike = [f"like {n}" for n in range(6)]
    fill(store, {item: {"a": CATS, "b": TAXES} for item in alike})
    assert measured(store, cross=4)["raw_cross"][alike].nunique() > 1


@given(
    one=st.lists(st.sampled_from([*CATS, *MIXED, ""]), min_size=1, max_size=4),
    two=st.lists(st.sampled_from([*CATS, *TAXES]), min_size=1, max_size=4),
    data=st.data(),
)
def test_names_samples_and_duplicates(one: list[str], two: list[str], data: st.DataObject) -> None:
    """Exchanging the systems mirrors, permuting the samples changes nothing, and K = 1 is null."""
    with pytest.MonkeyPatch.context() as patch, Store(":memory:") as store:
        patch.setitem(METRICS, "unigram", UNIGRAM)
        fill(store, {"i": {"a": one, "b": two}, "j": {"a": CATS, "b": MIXED}}, "there")
        fill(store, {"i": {"a": two, "b": one}, "j": {"a": MIXED, "b": CATS}}, "mirrored")
        permuted = data.draw(st.permutations(one)), data.draw(st.permutations(two))
        items = {"i": {"a": permuted[0], "b": permuted[1]}, "j": {"a": CATS, "b": MIXED}}
        fill(store, items, "permuted")
        there, mirrored, again = (
            measured(store, dataset=name, resamples=0) for name in ("there", "mirrored", "permuted")
        )
    turned = mirrored.rename(columns={"self_1": "self_2", "self_2": "self_1"})
    for column in ("self_1", "self_2", "cross", "separability"):
        expected = pytest.approx(there[column].to_numpy(), nan_ok=True)
        assert turned[column].to_numpy() == expected
        assert again[column].to_numpy() == expected
    assert np.isnan(there["separability"]["i"]) == (min(len(one), len(two)) == 1)


def test_nothing_measured_says_what_does(store: Store, unigrams: None) -> None:
    scenarios(store)
    command = r"`python -m core separability"
    with pytest.raises(TandemError, match=rf"{command}`.*\bdataset d metric rouge1\b"):
        calculated(store, "d", metric="rouge1")
    measure(store, ChosenGenerations("d", ("a", "b")), make_metric("rouge1"))
    store.datasets.add_systems("d", [System("new")])
    texts = [Generation(item, "new", n, f"New {n}.") for item in SCENARIOS for n in range(2)]
    store.datasets.add_generations("d", texts)
    scopes = r"over 'everything'.*\bpair\b.*\bsystems\b.*\bdataset\b.*\ball\b"
    for systems, over, said in (
        (("a", "new"), "dataset", rf"^no rouge1 similarities\b.*\ba and new\b.*{command}"),
        ((), "everything", scopes),
        (("x", "a"), "dataset", r"system 'x'.*: a, b, new"),
    ):
        with pytest.raises(TandemError, match=said):
            calculated(store, "d", metric="rouge1", systems=systems, over=over)


def test_the_command(store: Store, call: Call, run: Run) -> None:
    scenarios(store)
    asked = ["separability", "--metric", "rouge1", "--samples", "3"]
    found = run(*asked, "--systems", "b", "a")
    keys = {"metric", "items", "mean", "over", "signature", "judgements", "unanswered", "notes"}
    assert set(found) == keys
    assert (found["metric"], found["over"], len(found["items"])) == ("rouge1", "dataset", 4)
    sides = ("self_a", "self_b", "cross", "separability")
    assert {"item", *sides, *(f"raw_{name}" for name in sides)} <= set(found["items"][0])
    third = found["items"][2]
    assert (third["system_a"], third["system_b"]) == ("b", "a")
    assert third["self_a"] < third["self_b"], "a is tight there, and was named second"
    assert found["mean"] == pytest.approx(np.mean([one["separability"] for one in found["items"]]))
    assert run(*asked)["mean"] == found["mean"]
    out = call("separability", "--metric", "rouge1", "--samples", "1")[1]
    assert re.search(r"\bnot known\b.*: dataset$", out, re.MULTILINE)


def test_wrong_requests_write_nothing(store: Store, call: Call) -> None:
    scenarios(store)
    for arguments, said in (
        (["--systems", "a"], "--systems a is one system, and separability is about two"),
        (["--systems", "a", "z"], "unknown system 'z'; there are: a, b"),
        (["--subset", "z"], "unknown subset 'z'"),
        (["--metric", "rouge2"], "rouge2"),
        (["--metric", "bleu", "--encoder", "x"], "entity or ensemble, not to bleu: leave it out"),
        (["--samples", "0"], "'0' is not a whole number from 1"),
        (["--cross", "-1"], "'-1' is not a whole number from 1"),
    ):
        status, out, err = call("separability", *arguments)
        assert (status, out) == (2, "")
        assert said in err
        assert len(err.splitlines()) == 1
        assert store.connection.value("SELECT count(*) FROM similarities") == 0


# ---- One item opened: its texts and how alike they are, by hand


SIDES = ("gamma", "alpha")


def test_the_texts_and_every_two_of_them(store: Store) -> None:
    """A is the system named first. Two samples each: six pairs, both ways, none with itself."""
    fill_study(store, items=2, samples=3)
    measure(store, ChosenGenerations(DATASET), make_metric("rouge1"))
    found = likeness(store, DATASET, "i1", SIDES, Settings(metric="rouge1", samples=2))
    context = store.connection.value("SELECT context FROM items WHERE key = 'i1'")
    assert found.context == context
    assert found.texts[["side", "system", "sample", "label"]].to_numpy().tolist() == [
        ["A", "gamma", 0, "A0"], ["A", "gamma", 1, "A1"], ["B", "alpha", 0, "B0"], ["B", "alpha", 1, "B1"],
    ]  # fmt: skip
    assert found.texts["text"][2] == "alpha-1-0"
    matrix = found.matrix.set_index(["label_1", "label_2"])["similarity"]
    assert len(matrix) == len(set(matrix.index)) == 12
    for one, other in matrix.index:
        assert one != other
        assert matrix[one, other] == matrix[other, one]
    known = ids(store)
    pair = sorted((known["i1", "gamma", 1], known["i1", "alpha", 0]))
    stored = store.connection.value(
        "SELECT value FROM similarities WHERE generation_1 = ? AND generation_2 = ?", pair
    )
    assert matrix["A1", "B0"] == stored
    with pytest.raises(TandemError, match=r"^no bleu similarities\b.*'i1'.*\bgamma and alpha\b"):
        likeness(store, DATASET, "i1", SIDES, Settings(metric="bleu"))


# ---- Charts of separability, in which kinds of judges are told apart without a hue


KINDS = pd.DataFrame({"low": [0.0, 0.0, 0.4], "high": [0.4, 0.4, 0.9], "judges": 1, "sets": 9})
KINDS["kind"] = ["human", "llm", "human"]
for _figure in DRAWN:
    KINDS[[_figure.name, f"{_figure.name}_low", f"{_figure.name}_high"]] = [
        (0.3, 0.2, 0.4), (0.6, np.nan, np.nan), (0.8, 0.7, 0.9),
    ]  # fmt: skip


def test_people_are_filled_and_models_hollow() -> None:
    for theme in ("light", "dark"):
        for figure in DRAWN:
            chart = charts.consistency(KINDS, figure, theme=theme)
            bars = chart.to_dict()["layer"][0]["encoding"]
            palette = PALETTES[theme]
            fill = {"domain": ["people", "models"], "range": [palette.a, palette.paper]}
            assert bars["fill"]["scale"] == fill
            assert bars["stroke"]["scale"]["range"] == [palette.a] * 2
            drawn = picture(chart, "svg")
            assert drawn.count(b'aria-roledescription="bar"') == 3
            assert drawn.count(b'aria-roledescription="rule mark"') == 2  # whiskers


def test_all_judges_together_are_one_series_and_narrow_bins_are_told_apart() -> None:
    drawn = picture(charts.consistency(KINDS[KINDS["kind"] == "human"].drop(columns="kind")), "svg")
    assert drawn.count(b'aria-roledescription="bar"') == 2
    assert b"people" not in drawn
    narrow = KINDS.assign(low=[0.311, 0.311, 0.314], high=[0.314, 0.314, 0.317])
    drawn = picture(charts.consistency(narrow), "svg")
    assert (drawn.count(b">0.311 to 0.314<"), b"0.314 to 0.317" in drawn) == (1, True)


def test_the_rows_of_histograms_add_up() -> None:
    rows = pd.DataFrame({"pair": ["x / y"] * 3 + ["x / z"] * 2})
    rows["separability"] = [0.1, 0.2, 0.9, 0.31, np.nan]
    drawn = charts.histograms(rows).to_dict()["datasets"].values()
    [bars] = [pd.DataFrame(data) for data in drawn if "of" in data[0]]
    counts = bars.groupby(["pair", "of"])["items"].sum()
    assert counts.to_dict() == {
        ("x / y", "pair"): 3, ("x / y", "all"): 4, ("x / z", "pair"): 1, ("x / z", "all"): 4,
    }  # fmt: skip
    # Bins have edges where the sentence has its bounds.
    for values in ([-0.3, 0.9], [0.19, 0.21], []):
        edges = charts._edges(pd.Series(values, dtype=float).to_numpy())
        assert all(edges[0] <= value <= edges[-1] for value in values)
        assert all(at in edges for at in BOUNDS if edges[0] <= at <= edges[-1])


def test_curves_and_matrices_are_drawn() -> None:
    points = pd.DataFrame(
        {"value": [2, 3], "mean": [0.4, 0.5], "low": 0.3, "high": 0.6, "n": 4, "spearman": [0.9, 1]}
    )
    assert b"texts" in picture(charts.curve(points, "texts"), "svg")
    named = points.assign(pair=["a / b", "a / <c>"])
    assert b"a / &lt;c&gt;" in picture(charts.curve(named, "T", by="pair"), "svg")
    pairs = (points.assign(pair=f"model {n} / a model with a long name") for n in range(10))
    plain, named = charts.curve(points, "T"), charts.curve(pd.concat(pairs), "T", by="pair")
    grown = named.to_dict()["height"] - plain.to_dict()["height"]
    assert grown == 10 * 20, "what names the lines, 20 pixels each, takes nothing from the picture"
    labels = ["A0", "B0"]
    matrix = pd.DataFrame({"label_1": labels, "label_2": labels[::-1], "similarity": [0.25, 0.25]})
    assert picture(charts.likeness(matrix, labels), "svg").count(b"0.25") >= 2
