"""The page Campaigns: a campaign is opened, changed, paused and closed there."""

from __future__ import annotations

from html import unescape
from itertools import combinations
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.campaigns import Design, enrol, present
from core.importing import importer
from core.pairing import open_default
from core.records import Answer, Dataset, JudgeSpec, Kind, Outcome
from core.store import Campaign, Store
from tests.pages.drawn import draw, find, press, run, write
from tests.pages.sentences import find_sentence, read_figures
from tests.pages.shown_links import list_destinations
from tests.study import DATASET, SYSTEMS, fill
from tests.votes import Vote, add_votes


@pytest.fixture
def path(store: Store) -> Path:
    fill(store, items=4, attributes=("coherence", "fluency"))
    open_default(store, DATASET)
    return store.path


@pytest.fixture
def app(path: Path) -> AppTest:
    return draw("campaigns")


def set_new(app: AppTest, form: int = 0, **values: object) -> AppTest:
    """Fill in fields of the form of a new campaign, by their keys."""
    for name, value in values.items():
        key = f"{name} new tiny {form}"
        [field] = [one for one in [*app.number_input, *app.text_input, *app.text_area, *app.radio]
                   if one.key == key]  # fmt: skip
        field.set_value(value)
    return run(app)


def said(app: AppTest) -> str:
    return unescape(" ".join(html.proto.body for html in app.get("html")))


def stored(path: Path, name: str) -> Campaign:
    with Store(path) as store:
        campaign = store.campaigns.find(DATASET, name)
    assert campaign
    return campaign


def test_it_opens_with_what_people_are_asked(app: AppTest) -> None:
    assert find_sentence(said(app), " 24 pairs", "“all pairs”")
    assert find_sentence(said(app), "Nobody", "answered")


def test_a_campaign_is_opened_and_the_untouched_one_pauses(app: AppTest, path: Path) -> None:
    write(app, "number_input", "Pairs per attribute", 5)
    set_new(app, overlap=2, people=4)
    assert "4 people, about 2 min each." in said(app)
    assert read_figures(said(app), "pairs", "votes", " min ") == ["10", "20", "7", "20"]
    press(app, "Open campaign")
    assert find_sentence(said(app), " 10 pairs", "“pilot”")
    assert stored(path, "all pairs").status == "paused"
    assert Design.from_stored(stored(path, "pilot").design) == Design(overlap=2, people=4)


def test_a_crowd_is_told_how_many_checks_the_texts_allow(app: AppTest) -> None:
    """No text has eight words. 24 pairs with three answers each are 72 votes, of 9 people 8 each;
    with three checks, one after every answer, they would be 11 questions.
    """
    write(app, "radio", "What is it for?", "crowd")
    set_new(app, 1, people=9)
    set_new(app, 1, check_every=1)
    assert "0 of 3 attention checks" in said(app)
    assert "9 people, about 3 min each" in said(app)  # 8 questions of 20 s are 2.7 min, 11 are 3.7


def test_a_press_that_overtakes_the_choice_of_a_campaign_is_about_the_shown_one(
    app: AppTest, path: Path
) -> None:
    set_new(app, name="pilot")
    press(app, "Open campaign")
    find(app.selectbox, "Campaign").set_value("all pairs")  # and at once, in the same look:
    press(app, "Close")
    assert stored(path, "all pairs").status == "closed"
    assert stored(path, "pilot").status == "open"


def test_it_is_paused_changed_and_closed(app: AppTest, path: Path) -> None:
    press(app, "Pause")
    assert find_sentence(said(app), "no campaign", "open")
    assert stored(path, "all pairs").status == "paused"
    press(app, "Resume")
    assert "no campaign" not in said(app)
    reasons = ("clear, and short", "neat")
    app.text_area(key="reasons 1 0").set_value("\n".join(reasons)).run()
    press(app, "Save changes")
    assert Design.from_stored(stored(path, "all pairs").design).reasons == reasons
    press(app, "Close")
    with Store(path) as store:
        enrol(store, "Ada")
        assert present(store, stored(path, "all pairs"), "Ada") == "closed"


def test_saving_leaves_what_somebody_else_changed_meanwhile(app: AppTest, path: Path) -> None:
    with Store(path) as store:
        campaign = stored(path, "all pairs")
        store.campaigns.edit(
            campaign.id, name="main", design={"overlap": 5, "repeat_share": 0.125}, overlap=5
        )
    app.number_input(key="quota 1 0").set_value(9).run()
    press(app, "Save changes")
    design = Design.from_stored(stored(path, "main").design)
    assert (design.overlap, design.repeat_share, design.quota) == (5, 0.125, 9)


def test_what_cannot_be_is_said_where_one_looks(app: AppTest, path: Path) -> None:
    set_new(app, name="all pairs")
    press(app, "Open campaign")
    assert find_sentence(said(app), "'tiny'", "'all pairs' already", "another name")
    write(app, "selectbox", "Pairs", "uncertain")
    assert find_sentence(said(app), "unsure need “Judge”", "name")
    write(app, "selectbox", "Pairs", "informative")
    assert find_sentence(said(app), "'tiny'", "no judgements", "coherence", "annotate", "run")
    assert not app.exception


def test_an_item_set_of_the_address_that_is_gone_is_said(app: AppTest) -> None:
    app.query_params["set"] = "hrad"
    app.run()
    assert find_sentence(said(app), "no item set", "hrad")
    app.run()
    assert "hrad" not in said(app)


def test_pairs_are_drawn_by_what_judges_said(app: AppTest, path: Path) -> None:
    """3 pairs of 4 items of each attribute, of which 7 are drawn."""
    with Store(path) as store:
        store.judges.add([JudgeSpec("m", Kind.LLM)])
        votes = [
            Vote(f"i{item}", one, other, "m", Answer(Outcome.A), Kind.LLM, attribute)
            for item in range(4)
            for one, other in combinations(SYSTEMS, 2)
            for attribute in ("coherence", "fluency")
        ]
        add_votes(store, DATASET, votes)
    set_new(app, name="next")
    write(app, "number_input", "Pairs per attribute", 7)
    write(app, "selectbox", "Pairs", "informative")
    press(app, "Open campaign")
    assert find_sentence(said(app), " 14 pairs", "“next”")
    assert stored(path, "next").choice["way"] == "informative"


def test_without_texts_it_leads_to_importing(store: Store) -> None:
    fill(store, systems=("alone",))
    app = draw("campaigns")
    assert find_sentence(said(app), "Nothing", "ask people")
    assert "data" in list_destinations(app)


def test_all_pairs_of_a_large_data_set_are_called_too_many(store: Store) -> None:
    """3 pairs of 130 items at 20 s each: 7,800 s."""
    fill(store, items=130)
    open_default(store, DATASET)
    app = draw("campaigns")
    assert read_figures(said(app), "One person", " h.") == ["2.2"]
    assert find_sentence(said(app), "smaller campaign")


def test_how_the_pairs_were_chosen_is_said_also_where_there_are_too_many_for_all(
    store: Store,
) -> None:
    table = store.path.with_name("many.csv")
    for systems, chosen in ((41, "All"), (42, "40 others a text")):
        rows = "".join(f"i,s{system},text {system}\n" for system in range(systems))
        table.write_text(f"item,system,text\n{rows}")
        importer.load(store, [table], Dataset(f"many {systems}"))
        app = draw("campaigns", dataset=f"many {systems}")
        assert app.dataframe[0].value["pairs chosen"].tolist() == [chosen]


def test_what_was_typed_stays_through_an_error_and_another_goal_is_another_beginning(
    app: AppTest,
) -> None:
    find(app.text_area, "Instructions")  # of the campaign that there is
    instructions = "Read **both**."
    set_new(app, instructions=instructions, people=9)
    write(app, "selectbox", "Pairs", "uncertain")
    assert find_sentence(said(app), "unsure need “Judge”", "name")
    write(app, "selectbox", "Pairs", "random")
    assert app.text_area(key="instructions new tiny 0").value == instructions
    assert app.number_input(key="people new tiny 0").value == 9
    set_new(app, goal="crowd")
    assert app.number_input(key="quota new tiny 1").value == 30
    press(app, "Duplicate")
    assert app.radio(key="goal new tiny 2").value is None
    assert app.number_input(key="quota new tiny 2").value == 0
