"""The form of a new campaign keeps what was filled in, until it is opened or discarded."""

from __future__ import annotations

from html import unescape

import pytest
from streamlit.testing.v1 import AppTest

from core import access
from core.campaigns import LARGEST_FILE, CampaignDraft, Design, NewChecks, load_draft, save_draft
from core.pairing import Choice, open_default
from core.records import Role
from core.store import Store
from tests import hostile
from tests.campaigns.test_drafts import FULL, write_raw
from tests.pages.drawn import draw, find, labels, press, run, words
from tests.study import DATASET, fill

OTHER = "other"
READ = "Read **both**."
DISCARD = "Discard draft"
KNOWN = b"item,better,worse\ni0,alpha,beta\n"


@pytest.fixture
def store(store: Store) -> Store:
    for dataset in (DATASET, OTHER):
        fill(store, items=4, attributes=("coherence", "fluency"), dataset=dataset)
        open_default(store, dataset)
    return store


def come(dataset: str = DATASET, **parameters: str) -> AppTest:
    """A new session, as after a reload."""
    return draw("campaigns", dataset=dataset, **parameters)


def value(app: AppTest, name: str, form: str = "tiny 0") -> object:
    """What a field of the form of a new campaign holds."""
    fields = [*app.radio, *app.number_input, *app.text_area, *app.text_input, *app.multiselect]
    [field] = [field for field in fields if field.key == f"{name} new {form}"]
    return field.value


def said(app: AppTest) -> str:
    return unescape(words(app))


def count(store: Store) -> int:
    return int(store.connection.value("SELECT count(*) FROM campaign_drafts"))


def load(store: Store) -> CampaignDraft:
    saved = load_draft(store, DATASET, "")
    assert saved
    return saved.draft


def fill_form(app: AppTest) -> AppTest:
    app.radio(key="goal new tiny 0").set_value("crowd").run()
    app.multiselect(key="attributes new tiny 1").set_value(["fluency"]).run()
    app.number_input(key="budget new tiny 1").set_value(5).run()
    app.number_input(key="people new tiny 1").set_value(9).run()
    app.text_area(key="instructions new tiny 1").set_value(READ).run()
    app.text_input(key="name new tiny 1").set_value("main").run()
    assert not app.exception
    return app


def set_people(app: AppTest, number: int) -> None:
    app.number_input(key="people new tiny 0").set_value(number)
    run(app)


def test_only_what_departs_is_a_draft_and_each_person_has_their_own(store: Store) -> None:
    app = run(come())
    assert count(store) == 0
    assert DISCARD not in labels(app.button)
    set_people(app, 9)
    assert count(store) == 1
    set_people(app, 3)
    assert count(store) == 0, "what was taken back is none"
    terms = access.LinkTerms(Role.RESEARCHER, None)
    links = access.invite(store, "test", ["Ada", "Bo"], terms)
    set_people(come(invitation=links["Ada"]), 9)
    assert value(come(invitation=links["Ada"]), "people") == 9
    assert value(come(invitation=links["Bo"]), "people") == 3
    assert value(come(), "people") == 3


def test_a_reload_goes_on_with_it_until_it_is_opened(store: Store) -> None:
    fill_form(come())
    saved = load_draft(store, DATASET, "")
    assert saved
    app = come()
    assert f"Draft of {saved.saved_at:%H:%M}, continued." in said(app)
    names = ("goal", "attributes", "budget", "people", "quota", "instructions", "name")
    assert [value(app, name) for name in names] == [
        "crowd", ["fluency"], 5, 9, 30, READ, "main",  # the quota as the goal has it
    ]  # fmt: skip
    assert DISCARD not in labels(come(OTHER).button)
    press(app, "Open campaign")
    campaign = store.campaigns.find(DATASET, "main")
    assert campaign
    design = Design.from_stored(campaign.design)
    assert (design.people, design.quota, design.instructions) == (9, 30, READ)
    assert store.campaigns.attributes(campaign.id) == ["fluency"]
    assert count(store) == 0
    assert DISCARD not in labels(come().button)


def test_it_is_there_after_another_page_and_another_data_set_until_it_is_discarded(
    store: Store,
) -> None:
    app = fill_form(come())
    app.switch_page("pages/people.py").run()
    app.switch_page("pages/campaigns.py").run()
    assert value(app, "instructions", "tiny 1") == READ
    app.query_params["dataset"] = OTHER
    app.run()
    assert (value(app, "instructions", "other 0"), value(app, "name", "other 0")) == ("", "")
    assert count(store) == 1
    app.query_params["dataset"] = DATASET
    app.run()
    assert value(app, "instructions", "tiny 1") == READ
    app = press(come(), DISCARD)
    assert count(store) == 0
    assert (value(app, "instructions", "tiny 1"), value(app, "goal", "tiny 1")) == ("", "pilot")
    assert "continued" not in said(app)


def test_words_are_kept_while_the_pairs_cannot_be(store: Store) -> None:
    """No model has judged here, so that none can be unsure."""
    app = come()
    app.number_input(key="budget new tiny 0").set_value(7).run()
    app.selectbox(key="way new tiny 0").select("uncertain").run()
    app.text_area(key="instructions new tiny 0").set_value(READ).run()
    app = come()
    assert (value(app, "instructions"), value(app, "budget")) == (READ, 7)


def test_a_copy_is_a_draft(store: Store) -> None:
    press(come(), "Duplicate")
    app = come()
    assert "continued" in said(app)
    assert value(app, "goal") is None


def test_its_file_is_used_unless_somebody_says_no(store: Store) -> None:
    draft = CampaignDraft(Choice(dataset=DATASET), Design(), NewChecks(known=KNOWN), name="k")
    save_draft(store, "", draft)
    press(come(), "Open campaign")
    campaign = store.campaigns.find(DATASET, "k")
    assert campaign
    assert len(store.checks.list_active(campaign.id)) == 2  # of each attribute
    save_draft(store, "", draft)
    app = come()
    find(app.toggle, "Use the file that the draft keeps").set_value(False).run()
    assert load(store).checks.known is None


def test_a_file_that_is_too_large_to_keep_is_said(store: Store) -> None:
    checks = NewChecks(known=KNOWN + b"\n" * LARGEST_FILE)
    save_draft(store, "", CampaignDraft(Choice(dataset=DATASET), Design(), checks))
    assert "1 MB" in said(come())
    assert "1 MB" not in said(come())  # the draft that is kept has none
    assert load(store).checks.known is None


def test_what_cannot_be_read_is_said_and_overwritten(store: Store) -> None:
    for text in ("{", "[]", '{"choice": {"unknown": 1}}', "[" * 100_000):
        write_raw(store, text)
        app = come()
        assert "cannot be read" in said(app)
        assert count(store) == 1  # it may be another Tandem's
        set_people(app, 9)
        assert value(come(), "people") == 9
        press(come(), DISCARD)


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


def test_no_draft_breaks_the_page(store: Store) -> None:
    for draft in STRANGE:
        save_draft(store, "", draft)
        app = come()
        assert "continued" in said(app)
        assert "Something broke" not in said(app)
        press(app, DISCARD)
        assert count(store) == 0
