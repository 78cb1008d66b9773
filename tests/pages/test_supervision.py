"""The sections of the page People about work: progress, annotators, disagreements, messages."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.campaigns import Design, open_campaign
from core.pairing import Choice, open_default
from core.store import ADJUDICATED, Store
from tests.findings.people.voting import say
from tests.pages.drawn import draw, press, run
from tests.pages.sentences import find_sentence, read_figures
from tests.study import DATASET, fill, judge

PEOPLE = {"Ada": 0.9, "Bo": 0.9, "Cy": 0.9, "Di": 0.9, "Eve": 0.1}
"""How often each prefers alpha to gamma."""
MESSAGE = "Read both to the end."


@pytest.fixture(scope="module")
def supervised(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path, rng = tmp_path_factory.mktemp("supervised") / "store.sqlite3", np.random.default_rng(2)
    with Store(path) as store:
        fill(store, items=30)
        open_default(store, DATASET)
        with store.transaction():
            for who, share in PEOPLE.items():
                for item in range(30):
                    said = "a" if rng.random() < share else "b"
                    say(store, who, f"i{item}", ("alpha", "gamma"), said)
    return path


@pytest.fixture
def store(supervised: Path, tmp_path: Path) -> Iterator[Store]:
    with Store(Path(shutil.copyfile(supervised, tmp_path / "store.sqlite3"))) as copied:
        yield copied


def opened(section: str) -> AppTest:
    return draw("people", section=section.lower())


def choose(app: AppTest, section: str) -> AppTest:
    app.segmented_control(key="chosen section").set_value(section.lower())
    return run(app)


def words(app: AppTest) -> str:
    return unescape("\n".join(element.proto.body for element in app.main.get("html")))


def test_how_far_people_are(store: Store) -> None:
    app = opened("Progress")
    assert read_figures(words(app), "people", "given", "answers") == ["5", "150"]
    assert read_figures(words(app), "Open campaigns", "votes")[:2] == ["0", "90"]
    # one of five people says the opposite, and five are few
    assert find_sentence(words(app), "Not settled", "alpha", "gamma may be")
    # everybody has somebody who says the opposite: it is half and half
    votes = store.judgement_frames.load_all(DATASET)
    with store.transaction():
        for vote in votes.itertuples():
            turned = {"a": "b", "b": "a"}[vote.outcome]
            say(store, f"no {vote.judge}", vote.item, (vote.system_a, vote.system_b), turned)
    app = opened("Progress")
    assert find_sentence(words(app), "Not settled", "alpha", "gamma")
    assert "Settled" not in words(app)


def test_a_paused_campaign_wants_nothing(store: Store) -> None:
    """The campaign of all 90 pairs is paused, as nobody has answered in it."""
    chosen = Choice(dataset=DATASET, way="random", budget=12)
    pilot = open_campaign(store, "pilot", chosen, Design(overlap=3))
    assert store.annotator_stats.progress(DATASET)["wanted"].sum() == 36
    every = next(one for one in store.campaigns.list_all(DATASET) if one.id != pilot.id)
    assert store.annotator_stats.progress(DATASET, every.id)["wanted"].sum() == 90
    said = words(opened("Progress"))
    assert read_figures(said, "Open campaigns", "votes", "pairs")[:4] == ["0", "36", "0", "12"]


def test_who_fits_badly_is_named_left_out_and_taken_in_again(store: Store) -> None:
    app = opened("Annotators")
    assert find_sentence(words(app), "Eve's votes", "expected")
    assert "30 answered, 0 skipped, on 1 day." in words(app)
    assert "Eve: 30 answered" in words(app)
    people = app.main.dataframe[0].value
    assert people["infit"].idxmax() == people.index[people["person"] == "Eve"][0]
    assert people["agrees"].between(1, 100).all(), "in percent"
    assert "gold passed" not in people, "nobody was asked one"
    assert any(f"alpha-{number}" in words(app) for number in range(3))
    press(app, "Leave out")
    assert find_sentence(words(app), "Say why", "reason")
    assert store.exclusions.kinds(DATASET) == {}
    app.text_input(key="why Eve").set_value("answers the wrong way round").run()
    press(app, "Leave out")
    assert read_figures(words(app), "Eve", "left out") == ["30"]
    assert store.exclusions.kinds(DATASET) == {"Eve": "human"}
    assert store.audit.load_all()["action"].tolist()[0] == "excluded"
    press(app, "Count their votes again")
    assert store.exclusions.kinds(DATASET) == {}


def test_a_disagreement_is_decided_without_the_systems_and_undone(store: Store) -> None:
    app = opened("Disagreements")
    assert find_sentence(words(app), "None", "is decided")
    assert "alpha" not in str(app.main.dataframe[0].value.columns.tolist())
    assert not {"A", "B"} & set(app.main.dataframe[0].value.columns)
    press(app, "A is better")
    assert read_figures(words(app), "is decided") == ["1"]
    decided = store.adjudications.load_all(DATASET)
    assert len(decided) == 1
    assert store.judges.spec(ADJUDICATED).kind == "gold"
    store.adjudications.undo(int(decided["judgement"].iloc[0]))
    assert find_sentence(words(choose(app, "Disagreements")), "None", "is decided")


def heard(store: Store, campaign: int) -> list[str]:
    messages = store.messages.for_annotator(campaign, judge(store, "Ada"))
    return [message.text for message in messages]


def test_messages_are_sent_and_withdrawn(store: Store) -> None:
    """One that is too long is kept to be shortened. They go to the campaign that is open."""
    app = opened("Messages")
    assert find_sentence(words(app), "People", "no message")
    press(app, "Send")
    assert find_sentence(words(app), "message", "empty")
    field = app.text_area(key="message text")
    field.set_value("x" * 612)
    press(app, "Send")
    assert read_figures(words(app), "characters", "shorten") == ["612", "500"]
    field = app.text_area(key="message text")
    assert field.value == "x" * 612
    assert not field.proto.max_chars  # a browser would drop the text
    field.set_value(MESSAGE)
    press(app, "Send")
    assert "People see 1 message now." in words(app)
    assert find_sentence(words(app), "To everybody")
    [old] = store.campaigns.list_all(DATASET)
    assert heard(store, old.id) == [MESSAGE]
    press(app, "Withdraw")
    assert find_sentence(words(app), "People", "no message")
    store.campaigns.set_status(old.id, "paused")
    new = store.campaigns.add(DATASET, "second").id
    app = opened("Messages")
    assert app.selectbox(key="message campaign").value == new
    app.selectbox(key="message campaign").set_value(old.id)
    app.text_area(key="message text").set_value(MESSAGE)
    press(app, "Send")
    assert find_sentence(words(app), "next pair", "once", "is open")
    assert heard(store, old.id) == [MESSAGE]


def test_nobody_has_judged_yet(tmp_path: Path) -> None:
    with Store(tmp_path / "store.sqlite3") as bare:
        fill(bare)
    app = draw("people")
    for section in ("Progress", "Annotators", "Disagreements"):
        assert find_sentence(words(choose(app, section)), "Nobody", "judged")
