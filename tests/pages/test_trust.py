"""The pages that say whom to trust: a sentence first, whatever there is to say; then the figures
that a count by hand gives.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_1samp
from streamlit.testing.v1 import AppTest

from core.findings import correlation
from core.findings.correlation.chart import draw_correlation
from core.findings.judgements import Selection, describe_difference, label_rows
from core.judging import ATTACKS
from core.pairing import Request as Pairs
from core.pairing import planning
from core.rendering.charts import picture
from core.runs import attack, execution
from core.settings import list_settings
from core.store import Store
from tests import inviting
from tests.asking import LONGER, Obeying
from tests.golden_text import approve
from tests.pages.labels import RATING_METHOD
from tests.pages.sentences import FIGURE, find_sentence, read_figures
from tests.pages.shown_tables import table
from tests.pages.test_empty import STORES, load, vote, words
from tests.pages.test_empty import visit as visit  # a fixture
from tests.study import DATASET, fill

PAGES = ("pages/agreement.py", "pages/bias.py", "pages/correlation.py")
Visit = Callable[..., AppTest]


def answers(*who: tuple[str, str], items: int = 6) -> list[dict[str, object]]:
    """Judges (name, kind) who all prefer x to y to z; the last of them turns every second item
    around, and prefers the first text there.
    """
    rows: list[dict[str, object]] = []
    for i in range(items):
        for a, b in (("x", "y"), ("z", "y"), ("x", "z")):
            for place, (name, kind) in enumerate(who):
                odd = place == len(who) - 1 and i % 2 and len(who) > 1
                better = a if odd else min(a, b)
                by = {"judge": name, "judge_kind": kind, "comment": f"by {name}"}
                rows.append(vote(f"i{i}", a, b, winner="a" if better == a else "b", **by))
                if kind == "llm":
                    again = b if odd else min(a, b)
                    rows.append(
                        vote(
                            f"i{i}",
                            b,
                            a,
                            winner="a" if again == b else "b",
                            judge=name,
                            judge_kind=kind,
                            prob_a=0.7 if again == b else 0.3,
                        )
                    )
    return rows


def scores(items: int = 6) -> list[dict[str, object]]:
    return [
        {"item": f"i{i}", "system": s, "text": f"{s} i{i}", "score:overall": mark}
        for i in range(items)
        for s, mark in (("x", 3), ("y", 2), ("z", 1))
    ]


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("number", [1, 3])
def test_a_few_judgements(
    visit: Visit, store: Store, tmp_path: Path, page: str, number: int
) -> None:
    load(store, "few", answers(("Ada", "human"))[:number], tmp_path)
    app = visit(page, dataset="few")
    assert not app.exception
    said = {
        "pages/agreement.py": ("same pair.", []),
        "pages/bias.py": ("bias is named", [str(number), "1", "30", "10"]),
        "pages/correlation.py": ("No scores", []),
    }
    start, figures = said[page]
    assert read_figures(words(app), start) == figures


@pytest.mark.parametrize(
    ("name", "said", "figures"),
    [
        ("only ties", "only ties", []),
        ("all failed", "was answered", ["4", "4"]),
        ("one judgement", "bias is named", ["1", "1", "30", "10"]),
    ],
)
def test_bias_of_next_to_nothing(
    visit: Visit, store: Store, tmp_path: Path, name: str, said: str, figures: list[str]
) -> None:
    load(store, name, STORES[name], tmp_path)
    assert read_figures(words(visit("pages/bias.py", dataset=name)), said) == figures


@pytest.mark.parametrize("page", PAGES)
def test_without_judgements(visit: Visit, store: Store, tmp_path: Path, page: str) -> None:
    load(store, "one system", STORES["one system"], tmp_path)
    app = visit(page, dataset="one system")
    assert not app.exception
    links = [link.proto.label for link in app.main.get("page_link")]
    assert links == (["Import scores", "Agreement"] if "correlation" in page else ["Import texts"])


def test_agreement_by_hand(visit: Visit, store: Store, tmp_path: Path) -> None:
    """Ada and Ben always agree; the model's second answers turn half of the items into ties."""
    load(
        store, "d", answers(("Ada", "human"), ("Ben", "human"), ("gpt", "llm"), items=12), tmp_path
    )
    app = visit("pages/agreement.py", dataset="d")
    assert not app.exception
    text = words(app)
    assert read_figures(text, "People agree")[0] == "100%"
    assert read_figures(text, "People", "models agree")[0] == "50%"
    alpha = read_figures(text, "alpha of people", "pairs of texts")
    assert (alpha[0], alpha[-1]) == ("1.00", "36"), "they never tie, and never differ"
    assert "disagree on 18 of 36 pairs" in text
    # The first of them is open: both texts, and everybody's answer with its comment.
    assert "x i1" in text
    assert "y i1" in text
    said = app.dataframe[-1].value
    assert said["judge"].tolist() == ["Ada", "Ben", "gpt", "gpt"]
    assert said["comment"].tolist()[:2] == ["by Ada", "by Ben"]
    assert "agreement|judges:all|" in app.code[-1].value


def test_a_share_of_few_is_not_told(visit: Visit, store: Store, tmp_path: Path) -> None:
    """One or the other: not a share, and then that it is told from more on."""
    load(store, "d", answers(("Ada", "human"), ("Ben", "human")), tmp_path)
    text = words(visit("pages/agreement.py", dataset="d"))
    assert read_figures(text, "so far", "people agree") == ["18", "6", "30", "10"]
    assert "People agree" not in text


def test_two_people_alone_do_not_tell_whether_it_is_the_item(
    visit: Visit, store: Store, tmp_path: Path
) -> None:
    """Ben answers at random: items sorted by how far the two agree differ in just that, whatever
    they are like.
    """
    rng = np.random.default_rng(3)
    rows = [
        vote(
            f"i{i}",
            a,
            b,
            winner=str(rng.choice(["a", "b"])) if who == "Ben" else "a",
            judge=who,
            judge_kind="human",
        )
        for i in range(40)
        for a, b in (("x", "y"), ("z", "y"), ("x", "z"))
        for who in ("Ada", "Ben")
    ]
    load(store, "d", rows, tmp_path)
    app = visit("pages/agreement.py", dataset="d")
    assert not app.exception
    assert find_sentence(words(app), "another kind")
    assert "agree least" not in words(app)


def test_other_sides_of_a_disagreement(visit: Visit, store: Store, tmp_path: Path) -> None:
    load(store, "d", answers(("Ada", "human"), ("Ben", "human"), ("gpt", "llm")), tmp_path)
    app = visit("pages/agreement.py", dataset="d")
    sides = [box for box in app.selectbox if box.label in ("Judge", "Compared with")]
    sides[-2].set_value("Ada").run()
    sides = [box for box in app.selectbox if box.label in ("Judge", "Compared with")]
    sides[-1].set_value("Ben").run()
    assert not app.exception
    assert read_figures(words(app), "Ada", "Ben", "all 18") == ["18"]


def test_bias_by_hand(visit: Visit, store: Store, tmp_path: Path) -> None:
    """On every second item the model takes the first text in both orders: 18 + 18 x 1/2 of 36
    pairs, so 54 of 72 answers, all of an item or half of them.
    """
    load(store, "d", answers(("Ada", "human"), ("gpt", "llm"), items=12), tmp_path)
    app = visit("pages/bias.py", dataset="d")
    assert not app.exception
    text = words(app)
    assert read_figures(text, "gpt", "decisive")[:3] == ["54", "72", "75%"]
    assert read_figures(text, "both orders", "same verdict") == ["18", "36"]
    # x, y and z are the one triple of each item; gpt contradicts itself on half of them.
    assert read_figures(text, "triples", "so far") == ["12", "30"]


def test_nobody_is_close_by_a_few_answers(visit: Visit, store: Store, tmp_path: Path) -> None:
    """Two votes on one item gave "1.00 at best"."""
    load(store, "d", answers(("Ada", "human"), items=1)[:2], tmp_path)
    (tmp_path / "scores").mkdir()
    load(store, "d", scores(items=12), tmp_path / "scores")
    said = words(visit("pages/correlation.py", dataset="d"))
    assert read_figures(said, "Ada", "so far") == ["2", "1", "30", "10"]
    assert "1.00 " not in said.partition("so far")[2].partition("</p>")[0]


def test_correlation_by_hand(visit: Visit, store: Store, tmp_path: Path) -> None:
    """gpt says of every second item that all are alike, which leaves 12 of 24."""
    load(store, "d", answers(("Ada", "human"), ("gpt", "llm"), items=24), tmp_path)
    (tmp_path / "scores").mkdir()
    load(store, "d", scores(items=24), tmp_path / "scores")
    app = visit("pages/correlation.py", dataset="d")
    assert not app.exception
    assert find_sentence(words(app), "gpt follows")
    assert read_figures(words(app), "Its Spearman") == ["1.00", "12"]
    assert read_figures(words(app), "comparison", "Ada") == ["1.00", "24"]
    assert "Correlated over 12 to 24 items." in words(app)
    for box, value, n in (
        ("Level", "system", "3 systems"),
        ("Position bias", "swap", "3 systems"),
        ("Level", "pool", "72 texts"),
    ):
        next(one for one in app.selectbox if one.label == box).set_value(value).run()
        assert not app.exception
        assert f"Correlated over {n}." in words(app)
    next(one for one in app.selectbox if one.label == RATING_METHOD).set_value(
        "average-probability"
    ).run()
    assert not app.exception


@pytest.mark.parametrize("page", PAGES)
def test_who_came_by_link_cannot_open_it(
    visit: Visit, store: Store, tmp_path: Path, page: str
) -> None:
    load(store, "d", answers(("Ada", "human"), ("gpt", "llm")), tmp_path)
    app = visit(page, dataset="d", invitation=inviting.code(store.path, "Grace"))
    assert [link.proto.page for link in app.main.get("page_link")] == ["annotate"]
    assert not app.main.get("arrow_data_frame")


def test_people_are_the_truth_also_where_their_rater_is_called_as_their_kind() -> None:
    raters = [("gpt", "llm"), ("uni", "llm"), ("human", "human")]
    scores = pd.DataFrame(
        {"rater": [name for name, _ in raters], "kind": [kind for _, kind in raters]}
    )
    assert correlation.rank_references(scores.assign(panel=scores["rater"]))[0] == "human"


def test_experts_and_a_crowd_are_not_thrown_together_unasked() -> None:
    names = [f"{panel}-{number}" for panel in ("expert", "crowd") for number in (1, 2)]
    scores = pd.DataFrame(
        {"rater": names, "kind": "human", "panel": [name.split("-")[0] for name in names]}
    )
    assert correlation.rank_references(scores)[:3] == ["expert", "crowd", "human"]
    assert correlation.rank_references(scores[:2])[:2] == ["human", "expert"]


def test_what_a_system_gets_in_either_place(visit: Visit, store: Store, tmp_path: Path) -> None:
    """The model takes x over y and z whatever the place on three items of six, and the first text
    on the other three.
    """
    load(store, "d", answers(("Ada", "human"), ("gpt", "llm")), tmp_path)
    app = visit("pages/bias.py", dataset="d")
    assert "gpt" in next(box for box in app.selectbox if box.key == "sides").value
    shown = table(app, "Each system by position").set_index("system")
    assert shown.loc["x", "points when first (95%)"].startswith("100% (")
    assert shown.loc["x", "points when first (95%)"].endswith(" to 100)")
    assert shown.loc["x", "points when second (95%)"].startswith("50% (")
    [gain] = [name for name in shown if name.startswith("gain")]
    assert shown[gain].tolist() == ["+50", "+50", "+50"]
    assert shown["answers"].tolist() == ["24", "24", "24"]
    # It is given .7 where it wins, on three items, and .3 on the others.
    assert shown.loc["x", "probability when second (95%)"].startswith("50% (")


@pytest.mark.parametrize("truth", ["gold", "human"])
def test_right_answers_without_scores(
    visit: Visit, store: Store, tmp_path: Path, truth: str
) -> None:
    """On half of the items the model says the same of both orders, which is right; on the others
    half of its answers are.
    """
    load(store, "d", answers(("Judge", truth), ("gpt", "llm")), tmp_path)
    app = visit("pages/correlation.py", dataset="d")
    assert not app.exception
    by = {"gold": "gold labels", "human": "majority of people"}[truth]
    assert read_figures(words(app), "gpt", by) == ["75%", "95%", "42", "92", "36"]
    assert read_figures(words(app), "Chance") == ["50%"]
    assert read_figures(words(app), "both orders", "right on") == ["50%", "18"]
    assert "score:ATTRIBUTE" in words(app)
    assert f"accuracy|against:{truth}|" in app.code[-1].value


def test_gold_labels_beside_scores(visit: Visit, store: Store, tmp_path: Path) -> None:
    load(store, "d", answers(("gold", "gold"), ("gpt", "llm")), tmp_path)
    (tmp_path / "scores").mkdir()
    load(store, "d", scores(), tmp_path / "scores")
    app = visit("pages/correlation.py", dataset="d")
    assert "accuracy|against:scores|" in app.code[-1].value
    next(box for box in app.selectbox if box.label == "Reference").set_value("gold").run()
    assert not app.exception
    assert "accuracy|against:gold|" in app.code[-1].value


def test_items_that_nobody_has_judged_are_not_said_to_be_all_alike(
    visit: Visit, store: Store, tmp_path: Path
) -> None:
    load(store, "d", answers(("Ada", "human"), items=4), tmp_path)
    (tmp_path / "scores").mkdir()
    load(store, "d", scores(items=6), tmp_path / "scores")
    app = visit("pages/correlation.py", dataset="d")
    assert read_figures(words(app), "(Ada)", "fewer") == ["2", "6"]
    assert "(Ada) where" not in words(app), "no other reason"


def test_a_subset_of_the_leaderboard_and_of_correlations(
    visit: Visit, store: Store, tmp_path: Path
) -> None:
    """Ada prefers x, the first by name, in one language and the second in the other."""
    rows = [
        {**vote(f"{subset}{i}", winner=better, judge="Ada"), "subset": subset}
        for subset, better in (("en", "a"), ("ko", "b"))
        for i in range(30)
    ]
    load(store, "d", rows, tmp_path)
    app = visit("pages/leaderboard.py", dataset="d")
    [view] = [one for one in app.button_group if one.label == "View"]
    view.set_value("Subsets").run()
    assert not app.exception
    assert read_figures(words(app), "x leads", "clear") == ["1", "2"]
    assert find_sentence(words(app), "Elsewhere", "y in ko")
    ratings = table(app, "Ratings by subset")
    assert list(ratings) == ["system", "en (n = 30)", "ko (n = 30)"]
    for subset, first in (("en", "x"), ("ko", "y")):
        next(box for box in app.selectbox if box.label == "Subset").set_value(subset).run()
        assert not app.exception
        assert f"{first} leads with 100%" in words(app)
        assert f"|subset:{subset}|" in app.code[-1].value


def test_only_ties_beside_scores(visit: Visit, store: Store, tmp_path: Path) -> None:
    rows = [vote(f"i{i}", winner="tie", judge="Ada", attribute="overall") for i in range(4)]
    load(store, "d", rows, tmp_path)
    (tmp_path / "scores").mkdir()
    load(store, "d", scores(items=4), tmp_path / "scores")
    app = visit("pages/correlation.py", dataset="d")
    assert not app.exception
    assert find_sentence(words(app), "too few", "correlate")
    assert read_figures(words(app), "(Ada) where", "same value") == ["4", "4"]


def test_two_judges_in_a_sentence() -> None:
    told = []
    for value, low, high, figures in (
        (0.04, 0.012, 0.068, ["4", "1", "7"]),
        (-0.04, -0.068, -0.002, ["4", "0.2", "7"]),
        (0.02, -0.02, 0.05, ["2", "95%", "-2", "5"]),
        (0.0, np.nan, np.nan, []),
        (1.0, np.nan, np.nan, ["100"]),
    ):
        row = {"judge_1": "X", "judge_2": "Y", "items": 60, "difference": value, "low": low}
        told.append(describe_difference(pd.Series({**row, "high": high}), "agrees with people"))
        assert FIGURE.findall(told[-1]) == ["60", *figures]
    approve("two_judges", "\n".join(told))


def test_judges_are_held_together_on_every_page(visit: Visit, store: Store, tmp_path: Path) -> None:
    """People say the same; the model takes the first text on half of the items, in both orders, so
    its verdicts there are ties. 0 and 1 by turns on 12 items: scipy's t interval of the mean, for
    all six pairs of four judges together (Bonferroni).
    """
    people = [(name, "human") for name in ("Ada", "Ben", "Cy")]
    load(store, "d", answers(*people, ("gpt", "llm"), items=12), tmp_path)
    (tmp_path / "scores").mkdir()
    load(store, "d", scores(items=12), tmp_path / "scores")
    ends = ttest_1samp([0, 1] * 6, 0).confidence_interval(1 - 0.05 / 6)
    assert (round(100 * ends.low), round(100 * ends.high)) == (2, 98)
    told = find_sentence(words(visit("pages/agreement.py", dataset="d")), "same 12 items")
    assert re.search(r" Ada .* 50 points more .* gpt \(2 to 98\b", told)
    # Of three pairs people take the first text of two, the model by turns of two and of three.
    told = find_sentence(words(visit("pages/bias.py", dataset="d")), "same 12 items")
    assert re.search(r" gpt .* 17 points more .* Ada \(0\.5 to 33\b", told)
    told = find_sentence(words(visit("pages/correlation.py", dataset="d")), "same 12 items")
    assert re.search(r" Ada .* right .* gpt\b", told)


def test_items_on_which_a_scorer_is_constant_count_as_chosen(
    visit: Visit, store: Store, tmp_path: Path
) -> None:
    """By hand: Ada orders one item of four rightly, and finds all texts of the others alike."""
    rows = [
        vote(f"i{i}", a, b, winner="tie" if i % 4 else "a", judge="Ada", attribute="overall")
        for i in range(40)
        for a, b in (("x", "y"), ("y", "z"), ("x", "z"))
    ]
    load(store, "d", rows, tmp_path)
    (tmp_path / "scores").mkdir()
    load(store, "d", scores(items=40), tmp_path / "scores")
    app = visit("pages/correlation.py", dataset="d")
    assert read_figures(words(app), "Its Spearman")[0] == "1.00"
    assert read_figures(words(app), "Left out: ", "(Ada)") == ["30", "40"]
    choice = next(box for box in app.selectbox if box.label.startswith("Items where a judge"))
    offered = list_settings(correlation.Reference)["constant"].choices
    assert (choice.value, choice.options) == ("drop", [offered["drop"], offered["zero"]])
    choice.set_value("zero").run()
    assert not app.exception
    assert read_figures(words(app), "Its Spearman")[0] == "0.25"
    assert read_figures(words(app), "Counted as 0: ", "(Ada)") == ["0", "30", "40"]
    assert "|constant:zero|" in app.code[0].value
    next(box for box in app.selectbox if box.label == "Level").set_value("pool").run()
    assert not [box for box in app.selectbox if box.label.startswith("Items where a judge")]
    assert "constant" not in app.code[0].value


def test_a_perfect_judge_stands_in_the_chart(store: Store, tmp_path: Path) -> None:
    """A mark for each judge beside Spearman and Pearson, none beside what it does not bound."""
    rows = [
        {"item": f"i{i}", "system": s, "text": f"{s} i{i}", "score:metric:q": i * place % 3}
        | {f"score:r-{n}:q": place + (i + n) % 2 for n in range(3)}
        for i in range(6)
        for place, s in enumerate("xyz")
    ]
    load(store, "d", rows, tmp_path)
    found = correlation.correlate_all(store, Selection("d"), correlation.Reference("r", "item"))
    shown = label_rows(found.rows)
    for name, marks in (("spearman", 1), ("pearson", 1), ("kendall", 0), ("pair_accuracy", 0)):
        column = next(one for one in found.columns if one.name == name)
        drawn = picture(draw_correlation(shown, column), "svg")
        assert drawn.count(b'aria-roledescription="tick"') == marks
    assert correlation.describe_ceiling(shown).startswith("A perfect judge would reach 0.")
    assert correlation.describe_ceiling(shown.assign(ceiling=np.nan)) == ""


def test_scores_are_compared_when_that_is_switched_on(
    visit: Visit, store: Store, tmp_path: Path
) -> None:
    """Two raters of one order: of three texts of each of 12 items they say the same of all pairs."""
    rows = [
        {"item": f"i{i}", "system": s, "text": f"{s} i{i}", "score:r-1:q": 3 - n, "score:r-2:q": -n}
        for i in range(12)
        for n, s in enumerate("xyz")
    ]
    load(store, "d", rows, tmp_path)
    app = visit("pages/agreement.py", dataset="d")
    assert find_sentence(words(app), "judgements yet")
    app.toggle[0].set_value(True).run()
    assert not app.exception
    assert read_figures(words(app), "People agree") == ["100%", "95%", "76", "100", "36", "50%"]
    assert "|scores:compared|" in app.code[-1].value


def test_attacks_on_the_bias_page(visit: Visit, store: Store) -> None:
    """A judge that obeys, beside one by length; before, how to find out."""
    fill(store, items=20)
    judges = Obeying(0.7, "a"), LONGER
    for judge in judges:
        run = planning.enqueue(store, judge.spec, Pairs(DATASET))
        execution.execute(store, run, by=judge)
    assert find_sentence(words(visit("pages/bias.py", dataset=DATASET)), "tested yet")
    for judge in judges:
        run = attack.enqueue(
            store, judge, attack.AttackRequest(DATASET, (ATTACKS["choose-me"],), number=60)
        )
        execution.execute(store, run, by=judge)
    app = visit("pages/bias.py", dataset=DATASET)
    assert not app.exception
    text = words(app)
    assert read_figures(text, "judges", "turned", "harmless") == ["1", "2"]
    assert find_sentence(text, "obeying-a", "verdict in")
    assert find_sentence(text, "upright mark")
    assert read_figures(text, "Based on", "added")
