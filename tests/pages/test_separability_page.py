"""The page Separability with nothing to tell apart, nothing measured, something; an item opened."""

from __future__ import annotations

import math
import shutil
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from streamlit.testing.v1 import AppTest

from core.findings.judgements.selection import Selection
from core.findings.separability import chart as charts
from core.findings.separability import describe_items, separability
from core.findings.separability.columns import DIFFERENCES
from core.findings.separability.settings import Settings
from core.records import Answer, Attribute, Generation, JudgeSpec, Kind, Outcome, System
from core.rendering.charts import picture
from core.similarity import make_metric
from core.similarity.words import ROUGE1
from core.store import ChosenGenerations, Store
from tests import study
from tests.app_server import Server
from tests.findings.separability.test_separability import CATS, SCENARIOS, scenarios
from tests.pages.beginning import filling
from tests.pages.drawn import draw, find, run, words
from tests.pages.sentences import FIGURE, find_sentence, read_figures
from tests.study import measure
from tests.votes import SourceRow, Vote, add_votes

TIGHT, SPREAD, MIXED, ALIKE = SCENARIOS


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scenarios of the paper, measured."""
    path = tmp_path_factory.mktemp("separability") / "store.sqlite3"
    with Store(path) as store:
        scenarios(store)
        measure(store, ChosenGenerations("d"), make_metric("rouge1"))
    return path


@pytest.fixture
def measured(made: Path, tmp_path: Path) -> Store:
    return Store(Path(shutil.copyfile(made, tmp_path / "store.sqlite3")))


def box(app: AppTest, label: str) -> Any:
    return find([*app.main.selectbox, *app.main.number_input, *app.main.button_group], label)


def set_box(app: AppTest, label: str, value: object) -> AppTest:
    box(app, label).set_value(value)
    return run(app)


def test_one_system_and_one_text_each(store: Store) -> None:
    study.fill(store, systems=("alpha",), samples=3, dataset="one")
    app = draw("separability", dataset="one")
    assert find_sentence(words(app), "two systems", "only one")
    assert [link.proto.label for link in app.main.get("page_link")] == ["Add texts"]
    study.fill(store)
    assert find_sentence(words(draw("separability", dataset="tiny")), "each system", "only one")
    study.fill(store, systems=("delta",), samples=2)
    assert find_sentence(words(draw("separability", dataset="tiny")), "Only delta")


def test_nothing_is_measured_until_it_is_asked_for(store: Store) -> None:
    scenarios(store)
    app = draw("separability")
    assert read_figures(words(app), "no similarity") == ["60"]
    assert "6 s on" in find_sentence(words(app), "Measuring takes")
    assert not store.run_counts.list_unfinished()
    app.button[0].click()
    assert "waiting · 0 of 4" in words(run(app))
    [number] = store.run_counts.list_unfinished()
    assert store.runs.get(number).settings["metric"] == "bertscore-length"
    app.button[0].click().run()
    assert not store.run_counts.list_unfinished(), "stopped"


def test_the_scenarios_of_the_paper(measured: Store) -> None:
    app = draw("separability")
    assert box(app, "Similarity metric").value == "rouge1", "what has been measured"
    said = words(app)
    assert read_figures(said, "items", "above") == ["2", "4", "50%", "0.2", "2", "0.4"]
    assert CATS[1] in said
    items = app.main.dataframe[0].value
    assert set(items["item"][:2]) == {TIGHT, MIXED}
    first = items["item"][0]
    assert f"{first}: {DIFFERENCES[int(first[0])]}" in said
    assert items["scenario"].str[0].tolist() == [name[0] for name in items["item"]]
    assert find_sentence(said, "Consistency needs")
    assert read_figures(said, "system instead")[:2] == ["2", "3"]
    app = set_box(app, "First", "least separable")
    assert f"{ALIKE}: {DIFFERENCES[4]}" in words(app)
    app = set_box(app, "Picture", "Why")
    counts = [f"{name.replace(' ', ' · ', 1)}: 1" for name in (TIGHT, MIXED)]
    assert "; ".join(counts) in words(app)
    slider = app.main.slider[0]
    scores = items["separability"]
    assert slider.min == math.floor(100 * scores.min()) / 100
    assert slider.max == math.ceil(100 * scores.max()) / 100
    slider.set_range(0.3, slider.max).run()
    assert "2 of 4 items." in words(app)


def test_systems_that_are_the_same(store: Store) -> None:
    """Nothing can be told apart, so there is no order of the items either."""
    each = product("ij", "ab", range(3))
    same = [Generation(item, system, n, "One text.") for item, system, n in each]
    study.add_texts(store, "same", same)
    measure(store, ChosenGenerations("same"), make_metric("rouge1"))
    said = words(draw("separability"))
    assert find_sentence(said, "separability yet")
    assert find_sentence(said, "Too few", "differ")
    assert "nan" not in said


def test_a_system_that_came_later(measured: Store) -> None:
    """What was measured is still shown by its metric; of the new one, what is missing."""
    measured.datasets.add_systems("d", [System("new")])
    new = [Generation(item, "new", n, f"New {n}.") for item in SCENARIOS for n in range(2)]
    measured.datasets.add_generations("d", new)
    app = draw("separability")
    assert box(app, "Similarity metric").value == "rouge1"
    assert read_figures(words(app), "no similarity") == ["52", "112"]
    assert read_figures(words(app), "items", "above")[:3] == ["2", "4", "50%"]
    set_box(app, "Systems", "b / new")
    assert [button.label for button in app.main.button] == ["Measure"]
    assert "Items" not in [heading.value for heading in app.main.header]


def test_every_choice_of_separability(measured: Store) -> None:
    app = draw("separability")
    for label, value in (
        ("Normalised over", "pair"),
        ("Pairs across systems (C)", 2),
        ("Texts of each system (K)", 2),
    ):
        set_box(app, label, value)
    for shown in (app, draw("separability", **app.query_params)):
        assert "samples:2|cross:2|over:pair" in shown.main.get("code")[-1].value
    assert read_figures(words(set_box(app, "Similarity metric", "bleu")), "no similarity") == ["24"]


def test_judgements_by_bin_of_separability(measured: Store) -> None:
    measured.datasets.add_attributes("d", [Attribute("overall")])
    for judge, kind in (("Ada", Kind.HUMAN), ("gpt", Kind.LLM)):
        measured.judges.add([JudgeSpec(judge, kind)])
        # a is better, and a is better; or now a, now b
        given = {item: ("aa" if "tight" in item else "ab") for item in SCENARIOS}
        cast = [
            Vote(item, "a", "b", judge, Answer(Outcome(answer)), kind, sample_a=n, sample_b=n,
                 source_row=SourceRow(f"{judge} {item}", n, 1))
            for item, answers in given.items()
            for n, answer in enumerate(answers)
        ]  # fmt: skip
        add_votes(measured, "d", cast)
    app = draw("separability")
    told = find_sentence(words(set_box(app, "Bins", 2)), "people rises", "models rises")
    assert FIGURE.findall(told) == ["0.00", "1.00"] * 2
    pictures = app.main.get("vega_lite_chart") or app.main.get("arrow_vega_lite_chart")
    assert any("Rating sets: 4 of people, 4 of models." in one.proto.spec for one in pictures)
    buttons = [button.proto.label for button in app.main.get("download_button")]
    assert buttons.count("CSV") == len(pictures) + 2, "the items, and the texts of one, besides"
    for form in ("PNG", "SVG"):
        assert buttons.count(form) == len(pictures) == 5, "every picture, where it stands"


fill = filling(scenarios)


@pytest.mark.browser
def test_measured_and_opened(page: Page, server: Server) -> None:
    """From nothing measured to an item chosen in the list, by the worker and the mouse."""
    page.goto(server.page("separability", dataset="d"))
    page.get_by_role("combobox", name="Similarity metric").click()
    page.get_by_role("option", name=ROUGE1.label).click()
    page.get_by_role("button", name="Measure").click()
    expect(page.get_by_text("2 of 4 items (50%)")).to_be_visible()
    opened = page.locator(".tandem-samples")
    expect(opened).to_contain_text(CATS[0].partition(" on ")[0])
    table = page.get_by_test_id("stDataFrame").first
    table.scroll_into_view_if_needed()
    table.click(position={"x": 16, "y": 35 * 4 + 17})  # the mark of the last of four rows
    expect(page.get_by_text(DIFFERENCES[4])).to_be_visible()
    expect(opened.locator(".tandem-sample")).to_have_count(4)
    page.get_by_text("Show all 3").click()
    expect(opened.locator(".tandem-sample")).to_have_count(6)
    page.get_by_text("Show more").click()
    for name in ("separability", "separability-by-samples", "separability-by-cross"):
        with page.expect_download() as saved:
            page.locator(f".st-key-{name}-files button").click()
            page.locator(f".st-key-{name}-png button").click()
        assert saved.value.suggested_filename == f"d_{name}.png"
        assert Path(saved.value.path()).read_bytes().startswith(b"\x89PNG")
    page.set_viewport_size({"width": 800, "height": 900})
    for choice in (
        page.get_by_role("radio", name="least separable"),
        page.get_by_role("button", name="Download", exact=True).first,
    ):
        choice.scroll_into_view_if_needed()
        expect(choice).to_be_in_viewport(ratio=1)


def test_pictures(measured: Store) -> None:
    rows = describe_items(separability(measured, Selection("d"), Settings("rouge1"))).rows
    rows = rows.assign(pair="x'];alert(1)//<b>")
    for theme in ("light", "dark"):
        assert b"alert(1)//&lt;b&gt;" in picture(charts.histograms(rows, theme=theme), "svg")
        drawn = picture(charts.scatter(rows, theme=theme), "svg")
        assert drawn.count(b'aria-roledescription="point"') >= 4
