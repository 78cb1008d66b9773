"""The page Campaigns: a campaign is opened, changed, paused and closed there. The form of a new one
keeps what was filled in, until it is opened or discarded.
"""

from __future__ import annotations

from html import unescape
from itertools import combinations
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core import access
from core.campaigns import (
    LARGEST_FILE,
    CampaignDraft,
    Design,
    NewChecks,
    enrol,
    load_draft,
    present,
    save_draft,
)
from core.importing import importer
from core.pairing import Choice, open_default
from core.records import Answer, Dataset, JudgeSpec, Kind, Outcome, Role
from core.store import Campaign, Store
from tests import hostile
from tests.campaigns.test_drafts import FULL, write_raw
from tests.pages.drawn import draw, find, labels, press, run, words, write
from tests.pages.sentences import find_sentence, read_figures
from tests.pages.shown_links import list_destinations
from tests.study import DATASET, SYSTEMS, fill
from tests.votes import Vote, add_votes

OTHER = "other"
READ = "Read **both**."
DISCARD = "Discard draft"
KNOWN = b"item,better,worse\ni0,alpha,beta\n"


@pytest.fixture
def asked(store: Store) -> Store:
    """Two data sets, each with the campaign of all pairs."""
    for dataset in (DATASET, OTHER):
        fill(store, items=4, attributes=("coherence", "fluency"), dataset=dataset)
        open_default(store, dataset)
    return store


@pytest.fixture
def app(asked: Store) -> AppTest:
    return come()


def come(dataset: str = DATASET, **parameters: str) -> AppTest:
    """A new session, as after a reload."""
    return draw("campaigns", dataset=dataset, **parameters)


def field(app: AppTest, name: str, form: int | str = 0) -> Any:
    """A field of the form of a new campaign, by its key."""
    key = f"{name} new {form if isinstance(form, str) else f'{DATASET} {form}'}"
    kinds = ("number_input", "text_input", "text_area", "radio", "multiselect")
    [named] = [each for kind in kinds for each in app.get(kind) if each.key == key]
    return named


def set_new(app: AppTest, form: int = 0, **values: object) -> AppTest:
    for name, value in values.items():
        field(app, name, form).set_value(value)
    return run(app)


def fill_form(app: AppTest) -> AppTest:
    set_new(app, goal="crowd")
    return set_new(
        app, 1, attributes=["fluency"], budget=5, people=9, instructions=READ, name="main"
    )


def said(app: AppTest) -> str:
    return unescape(words(app))


def stored(store: Store, name: str) -> Campaign:
    campaign = store.campaigns.find(DATASET, name)
    assert campaign
    return campaign


def design_of(store: Store, name: str) -> Design:
    return Design.from_stored(stored(store, name).design)


def count_drafts(store: Store) -> int:
    return int(store.connection.value("SELECT count(*) FROM campaign_drafts"))


def load(store: Store) -> CampaignDraft:
    saved = load_draft(store, DATASET, "")
    assert saved
    return saved.draft


def test_it_opens_with_what_people_are_asked(app: AppTest) -> None:
    assert find_sentence(said(app), " 24 pairs", "“all pairs”")
    assert find_sentence(said(app), "Nobody", "answered")


def test_a_campaign_is_opened_and_the_untouched_one_pauses(app: AppTest, asked: Store) -> None:
    write(app, "number_input", "Pairs per attribute", 5)
    set_new(app, overlap=2, people=4)
    assert "4 people, about 2 min each." in said(app)
    assert read_figures(said(app), "pairs", "votes", " min ") == ["10", "20", "7", "20"]
    press(app, "Open campaign")
    assert find_sentence(said(app), " 10 pairs", "“pilot”")
    assert stored(asked, "all pairs").status == "paused"
    assert design_of(asked, "pilot") == Design(overlap=2, people=4)


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
    app: AppTest, asked: Store
) -> None:
    set_new(app, name="pilot")
    press(app, "Open campaign")
    find(app.selectbox, "Campaign").set_value("all pairs")  # and at once, in the same look:
    press(app, "Close")
    assert stored(asked, "all pairs").status == "closed"
    assert stored(asked, "pilot").status == "open"


def test_it_is_paused_changed_and_closed(app: AppTest, asked: Store) -> None:
    press(app, "Pause")
    assert find_sentence(said(app), "no campaign", "open")
    assert stored(asked, "all pairs").status == "paused"
    press(app, "Resume")
    assert "no campaign" not in said(app)
    reasons = ("clear, and short", "neat")
    app.text_area(key="reasons 1 0").set_value("\n".join(reasons)).run()
    press(app, "Save changes")
    assert design_of(asked, "all pairs").reasons == reasons
    press(app, "Close")
    enrol(asked, "Ada")
    assert present(asked, stored(asked, "all pairs"), "Ada") == "closed"


def test_saving_leaves_what_somebody_else_changed_meanwhile(app: AppTest, asked: Store) -> None:
    changed, row = {"overlap": 5, "repeat_share": 0.125}, stored(asked, "all pairs").id
    asked.campaigns.edit(row, name="main", design=changed, overlap=5)
    app.number_input(key="quota 1 0").set_value(9).run()
    press(app, "Save changes")
    design = design_of(asked, "main")
    assert (design.overlap, design.repeat_share, design.quota) == (5, 0.125, 9)


def test_what_cannot_be_is_said_and_what_was_typed_stays(app: AppTest) -> None:
    """Also after a reload. No model has judged here, so that none can be unsure."""
    find(app.text_area, "Instructions")  # of the campaign that there is
    set_new(app, name="all pairs", instructions=READ, people=9, budget=7)
    press(app, "Open campaign")
    assert find_sentence(said(app), "'tiny'", "'all pairs' already", "another name")
    write(app, "selectbox", "Pairs", "informative")
    assert find_sentence(said(app), "'tiny'", "no judgements", "coherence", "annotate", "run")
    write(app, "selectbox", "Pairs", "uncertain")
    assert find_sentence(said(app), "unsure need “Judge”", "name")
    write(app, "selectbox", "Pairs", "random")
    for shown in (app, come()):
        kept = [field(shown, name).value for name in ("instructions", "people", "budget")]
        assert kept == [READ, 9, 7]


def test_another_goal_is_another_beginning_and_a_copy_is_a_draft(app: AppTest) -> None:
    set_new(app, goal="crowd")
    assert field(app, "quota", 1).value == 30
    press(app, "Duplicate")
    assert (field(app, "goal", 2).value, field(app, "quota", 2).value) == (None, 0)
    app = come()
    assert "continued" in said(app)
    assert field(app, "goal").value is None


def test_an_item_set_of_the_address_that_is_gone_is_said(app: AppTest) -> None:
    app.query_params["set"] = "hrad"
    app.run()
    assert find_sentence(said(app), "no item set", "hrad")
    app.run()
    assert "hrad" not in said(app)


def test_pairs_are_drawn_by_what_judges_said(app: AppTest, asked: Store) -> None:
    """3 pairs of 4 items of each attribute, of which 7 are drawn."""
    asked.judges.add([JudgeSpec("m", Kind.LLM)])
    votes = [
        Vote(f"i{item}", one, other, "m", Answer(Outcome.A), Kind.LLM, attribute)
        for item in range(4)
        for one, other in combinations(SYSTEMS, 2)
        for attribute in ("coherence", "fluency")
    ]
    add_votes(asked, DATASET, votes)
    set_new(app, name="next")
    write(app, "number_input", "Pairs per attribute", 7)
    write(app, "selectbox", "Pairs", "informative")
    press(app, "Open campaign")
    assert find_sentence(said(app), " 14 pairs", "“next”")
    assert stored(asked, "next").choice["way"] == "informative"


def test_without_texts_it_leads_to_importing(store: Store) -> None:
    fill(store, systems=("alone",))
    app = come()
    assert find_sentence(said(app), "Nothing", "ask people")
    assert "data" in list_destinations(app)


def test_all_pairs_of_a_large_data_set_are_called_too_many(store: Store) -> None:
    """3 pairs of 130 items at 20 s each: 7,800 s."""
    fill(store, items=130)
    open_default(store, DATASET)
    app = come()
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
        app = come(f"many {systems}")
        assert app.dataframe[0].value["pairs chosen"].tolist() == [chosen]


def test_only_what_departs_is_a_draft_and_each_person_has_their_own(
    app: AppTest, asked: Store
) -> None:
    run(app)
    assert count_drafts(asked) == 0
    assert DISCARD not in labels(app.button)
    set_new(app, people=9)
    assert count_drafts(asked) == 1
    set_new(app, people=3)
    assert count_drafts(asked) == 0, "what was taken back is none"
    terms = access.LinkTerms(Role.RESEARCHER, None)
    links = access.invite(asked, "test", ["Ada", "Bo"], terms)
    set_new(come(invitation=links["Ada"]), people=9)
    whose = [come(invitation=links["Ada"]), come(invitation=links["Bo"]), come()]
    assert [field(each, "people").value for each in whose] == [9, 3, 3]


def test_a_reload_goes_on_with_it_until_it_is_opened(app: AppTest, asked: Store) -> None:
    fill_form(app)
    saved = load_draft(asked, DATASET, "")
    assert saved
    app = come()
    assert f"Draft of {saved.saved_at:%H:%M}, continued." in said(app)
    names = ("goal", "attributes", "budget", "people", "quota", "instructions", "name")
    assert [field(app, name).value for name in names] == [
        "crowd", ["fluency"], 5, 9, 30, READ, "main",  # the quota as the goal has it
    ]  # fmt: skip
    assert DISCARD not in labels(come(OTHER).button)
    press(app, "Open campaign")
    design = design_of(asked, "main")
    assert (design.people, design.quota, design.instructions) == (9, 30, READ)
    assert asked.campaigns.attributes(stored(asked, "main").id) == ["fluency"]
    assert count_drafts(asked) == 0
    assert DISCARD not in labels(come().button)


def test_a_draft_is_there_after_another_page_and_another_data_set_until_it_is_discarded(
    app: AppTest, asked: Store
) -> None:
    fill_form(app)
    for page in ("people", "campaigns"):
        app.switch_page(f"pages/{page}.py").run()
    assert field(app, "instructions", 1).value == READ
    app.query_params["dataset"] = OTHER
    app.run()
    assert [field(app, name, "other 0").value for name in ("instructions", "name")] == ["", ""]
    assert count_drafts(asked) == 1
    app.query_params["dataset"] = DATASET
    app.run()
    assert field(app, "instructions", 1).value == READ
    app = press(come(), DISCARD)
    assert count_drafts(asked) == 0
    assert [field(app, name, 1).value for name in ("instructions", "goal")] == ["", "pilot"]
    assert "continued" not in said(app)


def test_the_file_of_a_draft_is_used_unless_somebody_says_no(asked: Store) -> None:
    draft = CampaignDraft(Choice(dataset=DATASET), Design(), NewChecks(known=KNOWN), name="k")
    save_draft(asked, "", draft)
    press(come(), "Open campaign")
    assert len(asked.checks.list_active(stored(asked, "k").id)) == 2  # of each attribute
    save_draft(asked, "", draft)
    find(come().toggle, "Use the file that the draft keeps").set_value(False).run()
    assert load(asked).checks.known is None


def test_a_file_that_is_too_large_to_keep_is_said(asked: Store) -> None:
    checks = NewChecks(known=KNOWN + b"\n" * LARGEST_FILE)
    save_draft(asked, "", CampaignDraft(Choice(dataset=DATASET), Design(), checks))
    assert "1 MB" in said(come())
    assert "1 MB" not in said(come())  # the draft that is kept has none
    assert load(asked).checks.known is None


def test_a_draft_that_cannot_be_read_is_said_and_overwritten(asked: Store) -> None:
    """Each way of being none is a DraftError: tests/campaigns/test_drafts.py."""
    write_raw(asked, '{"choice": {"unknown": 1}}')
    app = come()
    assert "cannot be read" in said(app)
    assert count_drafts(asked) == 1  # it may be another Tandem's
    set_new(app, people=9)
    assert field(come(), "people").value == 9


MOST = 2**31 - 1
STRANGE = (
    FULL,  # of systems, metrics, judges and sets that are not here
    CampaignDraft(
        Choice(dataset=DATASET, budget=MOST, samples=MOST),
        Design(quota=MOST, people=MOST, failures_allowed=MOST, deadline="9999-12-31"),
        NewChecks(gold=MOST, attention=MOST),
        name="x" * 1000,
    ),
    CampaignDraft(
        Choice(
            dataset=DATASET, way="separability", separability=hostile.MIXED, budget=1, low=7.0,
            high=-5.0,
        ),
        Design(deadline="0001-01-01", reasons=(hostile.MIXED,), instructions=hostile.HTML),
        name=hostile.TERMINAL,
    ),
)  # fmt: skip


def test_no_draft_breaks_the_page(asked: Store) -> None:
    for draft in STRANGE:
        save_draft(asked, "", draft)
        app = come()
        assert "continued" in said(app)
        assert "Something broke" not in said(app)
        press(app, DISCARD)
        assert count_drafts(asked) == 0
