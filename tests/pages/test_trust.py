"""The pages that say whom to trust: a sentence first; then the figures of a count by hand."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_1samp

from core.findings import correlation
from core.findings.chart import draw_correlation
from core.findings.judgements import Selection, describe_difference, label_rows
from core.findings.leaderboard import RankSettings
from core.judging import PROBES
from core.pairing import Request as Pairs
from core.pairing import planning
from core.rendering.charts import picture
from core.runs import execution, probe
from core.settings import list_settings
from core.store import Store
from tests import inviting
from tests.asking import LONGER, Obeying
from tests.golden_text import approve
from tests.pages.drawn import choose, draw, run, words, write
from tests.pages.labels import RATING_METHOD
from tests.pages.sentences import find_sentence, read_figures
from tests.pages.shown_links import list_destinations
from tests.pages.shown_tables import table
from tests.pages.test_empty import STORES, load, vote
from tests.study import DATASET, fill

PAGES = ("agreement", "bias", "accuracy", "correlation")
PAIRS = (("x", "y"), ("z", "y"), ("x", "z"))
Rows = list[dict[str, object]]
ADA, BEN, GPT = ("Ada", "human"), ("Ben", "human"), ("gpt", "llm")


def answers(*who: tuple[str, str], items: int = 6) -> Rows:
    """Judges (name, kind) who all prefer x to y to z, models in both orders; the last of them turns
    every second item around, and prefers the first text there.
    """
    rows: Rows = []
    for i, (a, b), (place, (name, kind)) in product(range(items), PAIRS, enumerate(who)):
        odd = place == len(who) - 1 and i % 2 and len(who) > 1
        for first, second in ((a, b), (b, a))[: 1 + (kind == "llm")]:
            wins = odd or first == min(a, b)
            by = {"judge": name, "judge_kind": kind, "comment": f"by {name}"}
            chance = {"prob_a": 0.7 if wins else 0.3} if first == b else {}
            rows.append(vote(f"i{i}", first, second, winner="a" if wins else "b", **by, **chance))
    return rows


def scores(items: int = 6) -> Rows:
    return [
        {"item": f"i{i}", "system": s, "text": f"{s} i{i}", "score:overall": mark}
        for i in range(items)
        for s, mark in (("x", 3), ("y", 2), ("z", 1))
    ]


def _at_random() -> Rows:
    """Ben answers at random: items sorted by how far the two agree differ in just that, whatever
    they are like.
    """
    rng = np.random.default_rng(3)
    return [
        vote(f"i{i}", *pair, winner=winner, judge=who, judge_kind="human")
        for i, pair in product(range(40), PAIRS)
        for who, winner in (("Ada", "a"), ("Ben", str(rng.choice(["a", "b"]))))
    ]


def _of_ada(answer: str, items: int) -> Rows:
    """What Ada says of one pair, beside scores."""
    return [vote(f"i{i}", winner=answer, judge="Ada", attribute="overall") for i in range(items)]


DATASETS: dict[str, list[Rows]] = {
    **{name: [list(STORES[name])] for name in ("only ties", "all failed", "one judgement", "one system")},
    "one": [answers(ADA)[:1]],
    "three": [answers(ADA)[:3]],
    "two people": [answers(ADA, BEN)],
    "people and a model": [answers(ADA, BEN, GPT, items=12)],
    "random": [_at_random()],
    "model": [answers(ADA, GPT)],
    "model 12": [answers(ADA, GPT, items=12)],
    "gold": [answers(("Judge", "gold"), GPT)],
    "scored model": [answers(ADA, GPT, items=24), scores(24)],
    "scored few": [answers(ADA, items=1)[:2], scores(12)],
    "scored gold": [answers(("gold", "gold"), GPT), scores()],
    "scored some": [answers(ADA, items=4), scores()],
    "scored ties": [_of_ada("tie", 4), scores(4)],
    "scored people": [answers(ADA, BEN, ("Cy", "human"), GPT, items=12), scores(12)],
    "scored constant": [
        [
            vote(f"i{i}", *pair, winner="tie" if i % 4 else "a", judge="Ada", attribute="overall")
            for i, pair in product(range(40), (("x", "y"), ("y", "z"), ("x", "z")))
        ],
        scores(40),
    ],
    "subsets": [
        [
            {**vote(f"{subset}{i}", winner=better, judge="Ada"), "subset": subset}
            for subset, better in (("en", "a"), ("ko", "b"))
            for i in range(30)
        ]
    ],
    "raters": [
        [
            {"item": f"i{i}", "system": s, "text": f"{s} i{i}", "score:r-1:q": 3 - n, "score:r-2:q": -n}
            for i in range(12)
            for n, s in enumerate("xyz")
        ]
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def studied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("trust") / "store.sqlite3"
    with Store(path) as store:
        for name, files in DATASETS.items():
            for rows in files:
                load(store, name, rows)
        fill(store, items=20)
    return path


@pytest.fixture(autouse=True)
def path(studied: Path, drawn_here: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TANDEM_STORE", str(studied))
    return studied


def test_few_or_no_judgements() -> None:
    for page, said, figures in (
        ("agreement", "same pair.", []),
        ("correlation", "No scores", []),
        ("bias", "bias is named", ["{}", "1", "30", "10"]),
    ):
        for name, number in (("one", "1"), ("three", "3")):
            told = read_figures(words(draw(page, dataset=name)), said)
            assert told == [figure.format(number) for figure in figures], (page, name)
        app = draw(page, dataset="one system")
        links = [link.proto.label for link in app.main.get("page_link")]
        assert links == (
            ["Import scores", "Agreement"] if page == "correlation" else ["Import texts"]
        )
    for name, said, figures in (
        ("only ties", "only ties", []),
        ("all failed", "was answered", ["4", "4"]),
        ("one judgement", "bias is named", ["1", "1", "30", "10"]),
    ):
        assert read_figures(words(draw("bias", dataset=name)), said) == figures


def test_agreement_by_hand() -> None:
    """Ada and Ben always agree; the model's second answers turn half of the items into ties. Their
    own disagreement is opened by two names.
    """
    app = draw("agreement", dataset="people and a model")
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
    app = choose(choose(app, "Judge", "Ada"), "Compared with", "Ben")
    assert read_figures(words(app), "Ada", "Ben", "all 36") == ["36"]


def test_two_people_alone_tell_no_share_of_few_and_not_whether_it_is_the_item() -> None:
    text = words(draw("agreement", dataset="two people"))
    assert read_figures(text, "so far", "people agree") == ["18", "6", "30", "10"]
    assert "People agree" not in text
    text = words(draw("agreement", dataset="random"))
    assert find_sentence(text, "measure separability")


def test_bias_by_hand() -> None:
    """On every second item the model takes the first text in both orders: 18 + 18 x 1/2 of 36
    pairs, so 54 of 72 answers, all of an item or half of them.
    """
    text = words(draw("bias", dataset="model 12"))
    assert read_figures(text, "gpt", "decisive")[:3] == ["54", "72", "75%"]
    assert read_figures(text, "both orders", "same verdict") == ["18", "36"]
    # x, y and z are the one triple of each item; gpt contradicts itself on half of them.
    assert read_figures(text, "triples", "so far") == ["12", "30"]


def test_what_a_system_gets_in_either_place() -> None:
    """The model takes x over y and z whatever the place on three items of six, and the first text
    on the other three; it is given .7 where it wins, on three items, and .3 on the others.
    """
    app = draw("bias", dataset="model")
    assert "gpt" in next(box for box in app.selectbox if box.key == "chosen sides").value
    shown = table(app, "Each system by position").set_index("system")
    assert re.fullmatch(r"100% \(.* to 100\)", shown.loc["x", "points when first (95%)"])
    for column in ("points", "probability"):
        assert shown.loc["x", f"{column} when second (95%)"].startswith("50% (")
    [gain] = [name for name in shown if name.startswith("gain")]  # type: ignore[attr-defined]
    assert shown[gain].tolist() == ["+50", "+50", "+50"]
    assert shown["answers"].tolist() == ["24", "24", "24"]


OWN = ("method", "debias")
"""Settings of leaderboards by which Correlation rates systems, too."""


def test_correlation_by_hand() -> None:
    """gpt says of every second item that all are alike, which leaves 12 of 24."""
    app = draw("correlation", dataset="scored model")
    of_boards = [one.label for name, one in list_settings(RankSettings).items() if name not in OWN]
    widgets = ("selectbox", "multiselect", "number_input", "toggle", "checkbox", "button_group")
    shown = {one.label for kind in widgets for one in app.main.get(kind)}
    assert RATING_METHOD in shown
    assert not shown & set(filter(None, of_boards)), "what plays no part is not asked"
    assert find_sentence(words(app), "gpt follows")
    assert read_figures(words(app), "Its", "Spearman") == ["1.00", "12"]
    assert read_figures(words(app), "comparison", "Ada") == ["1.00", "24"]
    assert "Correlated over 12 to 24 items." in words(app)
    for label, value, n in (
        ("Level", "system", "3 systems"),
        ("Position bias", "swap", "3 systems"),
        ("Level", "pool", "72 texts"),
    ):
        app = choose(app, label, value)
        assert f"Correlated over {n}." in words(app)
    choose(app, RATING_METHOD, "average-probability")


def test_what_cannot_be_correlated_is_said() -> None:
    """Two votes on one item gave "1.00 at best"; items that nobody has judged are not all alike."""
    few = words(draw("correlation", dataset="scored few"))
    assert read_figures(few, "Ada", "so far") == ["2", "1", "30", "10"]
    assert "1.00 " not in few.partition("so far")[2].partition("</p>")[0]
    some = words(draw("correlation", dataset="scored some"))
    assert read_figures(some, "(Ada)", "fewer") == ["2", "6"]
    assert "(Ada) where" not in some, "no other reason"
    ties = words(draw("correlation", dataset="scored ties"))
    assert find_sentence(ties, "too few", "correlate")
    assert read_figures(ties, "(Ada) where", "same value") == ["4", "4"]


def test_items_on_which_a_scorer_is_constant_count_as_chosen() -> None:
    """By hand: Ada orders one item of four rightly, and finds all texts of the others alike."""
    app = draw("correlation", dataset="scored constant")
    assert read_figures(words(app), "Its", "Spearman")[0] == "1.00"
    assert read_figures(words(app), "Left out: ", "(Ada)") == ["30", "40"]
    choice = next(box for box in app.selectbox if box.label.startswith("Items where a judge"))
    offered = list_settings(correlation.Reference)["constant"].choices
    assert (choice.value, choice.options) == ("drop", [offered["drop"], offered["zero"]])
    choice.set_value("zero")
    run(app)
    assert read_figures(words(app), "Its", "Spearman")[0] == "0.25"
    assert read_figures(words(app), "Counted as 0: ", "(Ada)") == ["0", "30", "40"]
    assert "|constant:zero|" in app.code[0].value
    app = choose(app, "Level", "pool")
    assert not [box for box in app.selectbox if box.label.startswith("Items where a judge")]
    assert "constant" not in app.code[0].value


def test_right_answers_without_scores_and_beside_them() -> None:
    """On half of the items the model says the same of both orders, which is right; on the others
    half of its answers are.
    """
    for name, truth, by in (
        ("gold", "gold", "gold labels"),
        ("model", "human", "majority of people"),
    ):
        app = draw("accuracy", dataset=name)
        assert read_figures(words(app), "gpt", by) == ["75%", "95%", "42", "92", "36"]
        assert read_figures(words(app), "Chance") == ["50%"]
        assert read_figures(words(app), "both orders", "right on") == ["50%", "18"]
        assert "score:ATTRIBUTE" in words(draw("correlation", dataset=name))
        assert f"accuracy|against:{truth}|" in app.code[0].value
    app = draw("accuracy", dataset="scored gold")
    assert "accuracy|against:scores|" in app.code[0].value
    app = choose(app, "Reference", "gold")
    assert "accuracy|against:gold|" in app.code[0].value


def test_people_are_the_truth_and_panels_are_not_thrown_together_unasked() -> None:
    """Also where their rater is called as their kind."""
    names, kinds = ["gpt", "uni", "human"], ["llm", "llm", "human"]
    raters = pd.DataFrame({"rater": names, "kind": kinds, "panel": names})
    assert correlation.rank_references(raters)[0] == "human"
    names = ["expert-1", "expert-2", "crowd-1", "crowd-2"]
    panels = [name.split("-")[0] for name in names]
    raters = pd.DataFrame({"rater": names, "kind": "human", "panel": panels})
    assert correlation.rank_references(raters)[:3] == ["expert", "crowd", "human"]
    assert correlation.rank_references(raters[:2])[:2] == ["human", "expert"]


def test_who_came_by_link_cannot_open_them(path: Path) -> None:
    link = inviting.code(path, "Grace")
    for page in (*PAGES, "separability"):
        app = draw(page, dataset="model", invitation=link)
        assert list_destinations(app) == ["annotate"]
        assert not app.main.get("arrow_data_frame")
        assert not app.main.selectbox


def test_subsets_of_the_leaderboard() -> None:
    """Ada prefers x, the first by name, in one language and the second in the other."""
    app = draw("leaderboard", dataset="subsets")
    app = write(app, "button_group", "View", "Subsets")
    assert read_figures(words(app), "x leads", "clear") == ["1", "2"]
    assert find_sentence(words(app), "Elsewhere", "y in ko")
    assert list(table(app, "Ratings by subset")) == ["system", "en (n = 30)", "ko (n = 30)"]
    for subset, first in (("en", "x"), ("ko", "y")):
        app = choose(app, "Subset", subset)
        assert f"{first} leads with 100%" in words(app)
        assert f"|subset:{subset}|" in app.code[-1].value


def test_two_judges_in_a_sentence() -> None:
    told = []
    for value, low, high in (
        *((0.04, 0.012, 0.068), (-0.04, -0.068, -0.002), (0.02, -0.02, 0.05)),
        *((0.0, np.nan, np.nan), (1.0, np.nan, np.nan)),
    ):
        row = {"judge_1": "X", "judge_2": "Y", "items": 60, "difference": value, "low": low}
        told.append(describe_difference(pd.Series({**row, "high": high}), "agrees with people"))
    approve("two_judges", "\n".join(told))


def test_judges_are_held_together_on_every_page() -> None:
    """People say the same; the model takes the first text on half of the items, in both orders, so
    its verdicts there are ties. 0 and 1 by turns on 12 items: scipy's t interval of the mean, for
    all six pairs of four judges together (Bonferroni). Of three pairs people take the first text of
    two, the model by turns of two and of three.
    """
    ends = ttest_1samp([0, 1] * 6, 0).confidence_interval(1 - 0.05 / 6)
    assert (round(100 * ends.low), round(100 * ends.high)) == (2, 98)
    for page, said in (
        ("agreement", r" Ada .* 50 points more .* gpt \(2 to 98\b"),
        ("bias", r" gpt .* 17 points more .* Ada \(0\.5 to 33\b"),
        ("accuracy", r" Ada .* right .* gpt\b"),
    ):
        told = find_sentence(words(draw(page, dataset="scored people")), "same 12 items")
        assert re.search(said, told), page


def test_a_perfect_judge_stands_in_the_chart(store: Store) -> None:
    """A mark for each judge beside Spearman and Pearson, none beside what it does not bound."""
    rows = [
        {"item": f"i{i}", "system": s, "text": f"{s} i{i}", "score:metric:q": i * place % 3}
        | {f"score:r-{n}:q": place + (i + n) % 2 for n in range(3)}
        for i in range(6)
        for place, s in enumerate("xyz")
    ]
    load(store, "d", rows)
    found = correlation.correlate_all(store, Selection("d"), correlation.Reference("r", "item"))
    shown = label_rows(found.rows)
    for name, marks in (("spearman", 1), ("pearson", 1), ("kendall", 0), ("pair_accuracy", 0)):
        column = next(one for one in found.columns if one.name == name)
        drawn = picture(draw_correlation(shown, column), "svg")
        assert drawn.count(b'aria-roledescription="tick"') == marks
    assert correlation.describe_ceiling(shown).startswith("A perfect judge would reach 0.")
    assert correlation.describe_ceiling(shown.assign(ceiling=np.nan)) == ""


def test_scores_are_compared_where_there_is_nothing_else() -> None:
    """Two raters of one order: of three texts of each of 12 items they say the same of all pairs."""
    app = draw("agreement", dataset="raters")
    assert read_figures(words(app), "People agree") == ["100%", "95%", "76", "100", "36", "50%"]
    assert "|scores:compared|" in app.code[-1].value
    assert "scores:compared" not in draw("agreement", dataset="scored people").code[-1].value


def test_probes_on_the_bias_page(path: Path) -> None:
    """A judge that obeys, beside one by length; before, how to find out."""
    judges = Obeying(0.7, "a"), LONGER
    with Store(path) as store:
        for judge in judges:
            execution.execute(store, planning.enqueue(store, judge.spec, Pairs(DATASET)), by=judge)
        assert find_sentence(words(draw("bias", dataset=DATASET)), "probed yet")
        for judge in judges:
            request = probe.ProbeRequest(DATASET, probes=(PROBES["choose-me"],), number=60)
            execution.execute(store, probe.enqueue(store, judge, request), by=judge)
    text = words(draw("bias", dataset=DATASET))
    assert read_figures(text, "probes", "judges", "beyond chance") == ["1", "2", "2"]
    assert find_sentence(text, "obeying-a", "gains")
    assert read_figures(text, "Based on", "changed texts")
