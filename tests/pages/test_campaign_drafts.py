"""The form of a new campaign keeps what was filled in: after a reload, on another day, until it is
opened or discarded.
"""

from __future__ import annotations

from html import unescape
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core import access
from core.campaigns import (
    LARGEST_FILE,
    CampaignDraft,
    Design,
    NewChecks,
    load_draft,
    save_draft,
)
from core.pairing import Choice, open_default
from core.records import Role
from core.store import Store
from tests import hostile
from tests.campaigns.test_drafts import FULL, write_raw
from tests.paths import ROOT
from tests.study import DATASET, fill

OTHER = "other"
KNOWN = b"item,better,worse\ni0,alpha,beta\n"


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "store.sqlite3"
    with Store(path) as store:
        for dataset in (DATASET, OTHER):
            fill(store, items=4, attributes=("coherence", "fluency"), dataset=dataset)
            open_default(store, dataset)
    monkeypatch.setenv("TANDEM_STORE", str(path))
    return path


def come(dataset: str = DATASET, **parameters: str) -> AppTest:
    """A new session, as after a reload."""
    app = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    app.query_params["dataset"] = dataset
    for name, value in parameters.items():
        app.query_params[name] = value
    app.switch_page("pages/campaigns.py").run()
    assert not app.exception
    return app


def find(elements: object, label: str, key: str = "") -> object:
    """The element of this label in the form of a new campaign, whichever number it has."""
    [found] = [one for one in elements if one.label == label and key in (one.key or "")]
    return found


def press(app: AppTest, label: str) -> AppTest:
    find(app.button, label).click().run()
    assert not app.exception
    return app


def said(app: AppTest) -> str:
    return unescape(" ".join(html.proto.body for html in app.get("html")))


def labels(app: AppTest) -> list[str]:
    return [button.label for button in app.button]


def count(path: Path) -> int:
    with Store(path) as store:
        return int(store.connection.value("SELECT count(*) FROM campaign_drafts"))


def fill_form(app: AppTest) -> AppTest:
    app.radio(key="goal new tiny 0").set_value("crowd").run()
    app.multiselect(key="attributes new tiny 1").set_value(["fluency"]).run()
    app.number_input(key="budget new tiny 1").set_value(5).run()
    app.number_input(key="people new tiny 1").set_value(9).run()
    app.text_area(key="instructions new tiny 1").set_value("Read **both**.").run()
    app.text_input(key="name new tiny 1").set_value("main").run()
    assert not app.exception
    return app


def test_looking_alone_saves_nothing(path: Path) -> None:
    app = come().run()
    assert count(path) == 0
    assert "Discard draft" not in labels(app)


def test_a_reload_goes_on_with_it_until_it_is_opened(path: Path) -> None:
    fill_form(come())
    with Store(path) as store:
        saved = load_draft(store, DATASET, "")
    assert saved
    app = come()
    assert f"Draft of {saved.saved_at:%H:%M}, continued." in said(app)
    assert app.radio(key="goal new tiny 0").value == "crowd"
    assert app.multiselect(key="attributes new tiny 0").value == ["fluency"]
    assert app.number_input(key="budget new tiny 0").value == 5
    assert app.number_input(key="people new tiny 0").value == 9
    assert app.number_input(key="quota new tiny 0").value == 30  # as the goal has it
    assert app.text_area(key="instructions new tiny 0").value == "Read **both**."
    assert app.text_input(key="name new tiny 0").value == "main"
    assert "Discard draft" not in labels(come(OTHER))
    press(app, "Open campaign")
    with Store(path) as store:
        campaign = store.campaigns.find(DATASET, "main")
        assert campaign
        design = Design.from_stored(campaign.design)
        assert (design.people, design.quota, design.instructions) == (9, 30, "Read **both**.")
        assert store.campaigns.attributes(campaign.id) == ["fluency"]
    assert count(path) == 0
    assert "Discard draft" not in labels(come())


def test_it_is_there_after_another_page_and_another_data_set(path: Path) -> None:
    app = fill_form(come())
    app.switch_page("pages/people.py").run()
    app.switch_page("pages/campaigns.py").run()
    assert app.text_area(key="instructions new tiny 1").value == "Read **both**."
    app.query_params["dataset"] = OTHER
    app.run()
    assert app.text_area(key="instructions new other 0").value == ""
    assert app.text_input(key="name new other 0").value == ""
    assert count(path) == 1
    app.query_params["dataset"] = DATASET
    app.run()
    assert app.text_area(key="instructions new tiny 1").value == "Read **both**."


def test_it_is_discarded(path: Path) -> None:
    fill_form(come())
    app = press(come(), "Discard draft")
    assert count(path) == 0
    assert app.text_area(key="instructions new tiny 1").value == ""
    assert app.radio(key="goal new tiny 1").value == "pilot"
    assert "continued" not in said(app)


def test_what_was_taken_back_is_no_draft(path: Path) -> None:
    app = come()
    app.number_input(key="people new tiny 0").set_value(9).run()
    assert count(path) == 1
    app.number_input(key="people new tiny 0").set_value(3).run()
    assert count(path) == 0


def test_words_are_kept_while_the_pairs_cannot_be(path: Path) -> None:
    """No model has judged here, so that none can be unsure."""
    app = come()
    app.number_input(key="budget new tiny 0").set_value(7).run()
    app.selectbox(key="way new tiny 0").select("uncertain").run()
    app.text_area(key="instructions new tiny 0").set_value("Read **both**.").run()
    app = come()
    assert app.text_area(key="instructions new tiny 0").value == "Read **both**."
    assert app.number_input(key="budget new tiny 0").value == 7


def test_each_person_has_their_own(path: Path) -> None:
    with Store(path) as store:
        terms = access.LinkTerms(Role.RESEARCHER, None)
        links = access.invite(store, "test", ["Ada", "Bo"], terms)
    app = come(invitation=links["Ada"])
    app.number_input(key="people new tiny 0").set_value(9).run()
    assert come(invitation=links["Ada"]).number_input(key="people new tiny 0").value == 9
    assert come(invitation=links["Bo"]).number_input(key="people new tiny 0").value == 3
    assert come().number_input(key="people new tiny 0").value == 3


def test_a_copy_is_a_draft(path: Path) -> None:
    press(come(), "Duplicate")
    app = come()
    assert "continued" in said(app)
    assert app.radio(key="goal new tiny 0").value is None


def test_its_file_is_used_unless_somebody_says_no(path: Path) -> None:
    with Store(path) as store:
        draft = CampaignDraft(Choice(dataset=DATASET), Design(), NewChecks(known=KNOWN), name="k")
        save_draft(store, "", draft)
    press(come(), "Open campaign")
    with Store(path) as store:
        campaign = store.campaigns.find(DATASET, "k")
        assert campaign
        assert len(store.checks.list_active(campaign.id)) == 2  # of each attribute
        save_draft(store, "", draft)
    app = come()
    find(app.toggle, "Use the file that the draft keeps").set_value(False).run()
    with Store(path) as store:
        saved = load_draft(store, DATASET, "")
        assert saved
        assert saved.draft.checks.known is None


def test_a_file_that_is_too_large_to_keep_is_said(path: Path) -> None:
    large = KNOWN + b"\n" * LARGEST_FILE
    with Store(path) as store:
        checks = NewChecks(known=large)
        save_draft(store, "", CampaignDraft(Choice(dataset=DATASET), Design(), checks))
    assert "1 MB" in said(come())
    assert "1 MB" not in said(come())  # the draft that is kept has none
    with Store(path) as store:
        saved = load_draft(store, DATASET, "")
        assert saved
        assert saved.draft.checks.known is None


@pytest.mark.parametrize("text", ["{", "[]", '{"choice": {"unknown": 1}}', "[" * 100_000])
def test_what_cannot_be_read_is_said_and_overwritten(path: Path, text: str) -> None:
    with Store(path) as store:
        write_raw(store, text)
    app = come()
    assert "cannot be read" in said(app)
    assert count(path) == 1  # it may be another Tandem's
    app.number_input(key="people new tiny 0").set_value(9).run()
    assert come().number_input(key="people new tiny 0").value == 9


MOST = 2**31 - 1


@pytest.mark.parametrize(
    "draft",
    [
        FULL,  # of systems, metrics, judges and sets that are not here
        CampaignDraft(
            Choice(dataset=DATASET, budget=MOST, samples=MOST),
            Design(quota=MOST, people=MOST, failures_allowed=MOST, deadline="9999-12-31"),
            NewChecks(gold=MOST, attention=MOST),
            name="x" * 1000,
        ),
        CampaignDraft(
            Choice(
                dataset=DATASET, way="separability", separability=hostile.MIXED, budget=1,
                low=7.0, high=-5.0,
            ),
            Design(deadline="0001-01-01", reasons=(hostile.MIXED,), instructions=hostile.HTML),
            name=hostile.TERMINAL,
        ),
    ],
)  # fmt: skip
def test_no_draft_breaks_the_page(path: Path, draft: CampaignDraft) -> None:
    with Store(path) as store:
        save_draft(store, "", draft)
    app = come()
    assert "continued" in said(app)
    assert "Something broke" not in said(app)
    press(app, "Discard draft")
    assert count(path) == 0
