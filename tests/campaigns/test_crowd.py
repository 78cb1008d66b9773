"""A crowd, end to end: a panel's stand-in sends people, who answer, and it checks their codes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import replace
from datetime import timedelta
from itertools import product
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from core import campaigns
from core.access import CrowdSession, CrowdTerms, DeniedError, close_crowd, open_crowd, read_fields
from core.campaigns import (
    CrowdStep,
    Design,
    NoQuestionReason,
    ParticipantState,
    Presentation,
    open_campaign,
    present,
)
from core.pairing import Choice
from core.records import Answer, Outcome, TandemError
from core.store import Campaign, Store, connection, crowds
from tests.campaigns.panels import Panel, arrive
from tests.study import DATASET, add_known, fill

ADDRESS = "https://study.example.org"
TERMS = CrowdTerms(code="DONE1", failed_code="FAIL1", full_code="FULL1", places=2)
CODES = {"DONE1": "approved", "FAIL1": "screened out", "FULL1": "over quota"}
ADA, BO, CY = "5f0000000000000000000ada", "5f00000000000000000000b0", "5f00000000000000000000c1"


def open_study(
    store: Store, terms: CrowdTerms = TERMS, *, gold: bool = False, **design: object
) -> tuple[Campaign, Panel]:
    """A campaign of 36 pairs, of which each person gets four, and the panel that sends them."""
    fill(store, items=12)
    how = Design(**({"quota": 4, "overlap": 2, "check_every": 1} | design))
    campaign = open_campaign(store, "c", Choice(dataset=DATASET), how)
    if gold:
        row = {"better": "alpha", "worse": "beta", "role": "gold", "feedback": ""}
        add_known(store, campaign, [row | {"item": f"i{item}"} for item in range(6)])
    crowd = open_crowd(store, "test", campaign, terms)
    return campaign, Panel(terms.write_link(ADDRESS, crowd.code), CODES)


def send(store: Store, panel: Panel, identity: str, session: str = "s1") -> CrowdSession:
    address = panel.send(PROLIFIC_PID=identity, SESSION_ID=session, STUDY_ID="st")
    return arrive(store, address)


def start(store: Store, panel: Panel, identity: str) -> CrowdSession:
    """Somebody who has agreed and begun."""
    visit = send(store, panel, identity)
    assert campaigns.find_step(store, visit) is CrowdStep.WELCOME
    assert campaigns.begin(store, visit, "")
    return send(store, panel, identity)


def work(store: Store, visit: CrowdSession, most: int = 100, prefer: str = "") -> int:
    """Answer all that is asked: how many votes and checks were taken."""
    campaign, name = store.campaigns.get(visit.crowd.campaign), visit.participant.name
    taken = 0
    while taken < most and isinstance(shown := present(store, campaign, name), Presentation):
        first = len(str(shown.text_a)) > len(str(shown.text_b))
        if prefer:
            first = str(shown.text_a).startswith(prefer)
        assert campaigns.answer(store, name, shown, Answer(Outcome.A if first else Outcome.B))
        taken += 1
    return taken


def end(store: Store, panel: Panel, identity: str) -> str:
    """Finish, and what the panel makes of the code."""
    campaigns.finish(store, send(store, panel, identity))
    return panel.submit(send(store, panel, identity).participant.code)


def votes(store: Store) -> int:
    return int(store.connection.value("SELECT count(*) FROM live_judgements"))


Later = Callable[[timedelta], None]


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Later:
    """Make time pass: for what is written, and for who was away."""
    passed = [timedelta()]
    before, since = connection.make_timestamp, campaigns.crowd._time_since

    def make_timestamp(*, ago: timedelta = timedelta()) -> str:
        return before(ago=ago - passed[0])

    for module in (connection, crowds):
        monkeypatch.setattr(module, "make_timestamp", make_timestamp)
    monkeypatch.setattr(campaigns.crowd, "_time_since", lambda at: since(at) + passed[0])

    def pass_(by: timedelta) -> None:
        passed[0] += by

    return pass_


PROLIFIC = "{{%PROLIFIC_PID%}}&SESSION_ID={{%SESSION_ID%}}&STUDY_ID={{%STUDY_ID%}}"
PLACES = (
    (TERMS, f"PROLIFIC_PID={PROLIFIC}"),
    (CrowdTerms(participant="uid"), f"uid={PROLIFIC}"),
    (CrowdTerms(platform="mturk"), "workerId=${workerId}&assignmentId=${assignmentId}&hitId=${hitId}"),
    (CrowdTerms(platform="sona"), "survey_code=%SURVEY_CODE%"),
    (CrowdTerms(platform="other", assignment="task"), "participant={participant}&task={task}"),
)  # fmt: skip


def test_a_link_has_the_places_that_the_panel_fills() -> None:
    """They are named beside it, and nobody is identified by one that was not filled."""
    for terms, places in PLACES:
        link = terms.write_link(f"{ADDRESS}/lab/", "C")
        assert link == f"{ADDRESS}/lab/annotate?crowd=C&{places}"
        for place in (part.partition("=")[2] for part in places.split("&")):
            assert place in terms.explain_places()
        assert terms.identify(dict(parse_qsl(urlsplit(link).query))) == ""


def test_from_link_to_code_and_all_votes_are_there(store: Store) -> None:
    campaign, panel = open_study(store)
    for identity in (ADA, BO):
        assert work(store, start(store, panel, identity)) == 4
        assert end(store, panel, identity) == "approved"
    assert votes(store) == 8
    columns = ["participant", "questions", "code", "state", "SESSION_ID"]
    assert campaigns.pay(store, campaign)[columns].values.tolist() == [
        [identity, 4, "DONE1", "finished", "s1"] for identity in (ADA, BO)
    ]


def test_who_comes_twice_goes_on_as_the_same(store: Store) -> None:
    """In another session of the panel, too (deliberate-lab #1009, psiTurk #184)."""
    campaign, panel = open_study(store)
    work(store, start(store, panel, ADA), most=3)
    again = send(store, panel, f" {ADA} ", session="s2")
    assert campaigns.find_step(store, again) is CrowdStep.PAIRS
    assert campaigns.begin(store, again, ""), "a second press on the button"
    assert work(store, again) == 1
    assert end(store, panel, ADA) == "approved"
    assert campaigns.find_step(store, send(store, panel, ADA)) is CrowdStep.END
    assert len(campaigns.pay(store, campaign)) == 1
    assert votes(store) == 4


def test_two_campaigns_know_the_same_person(store: Store) -> None:
    """So nobody is asked about a pair twice, and nobody agrees with themselves as two."""
    first, panel = open_study(store)
    work(store, start(store, panel, ADA))
    second = open_campaign(store, "d", Choice(dataset=DATASET), Design(quota=4))
    link = TERMS.write_link(ADDRESS, open_crowd(store, "test", second, TERMS).code)
    other = start(store, Panel(link, CODES), ADA)
    assert other.participant.name == campaigns.pay(store, first)["person"][0]


def test_without_an_id_nobody_begins(store: Store) -> None:
    """Nor with a place that the panel did not fill (lab.js #206)."""
    _, panel = open_study(store)
    for identity in ["", "{{%PROLIFIC_PID%}}", "${workerId}", "<b>", "x" * 129, "a b", "%PID%"]:
        visit = send(store, panel, identity)
        assert campaigns.find_step(store, visit) is CrowdStep.NOBODY
        with pytest.raises(TandemError):
            campaigns.begin(store, visit, "")
        assert store.connection.value("SELECT count(*) FROM participants") == 0
    address = panel.send(PROLIFIC_PID=ADA)
    del address["PROLIFIC_PID"]
    assert campaigns.find_step(store, arrive(store, address)) is CrowdStep.NOBODY
    with pytest.raises(DeniedError):
        arrive(store, address | {"crowd": "forged"})


def test_a_full_study_turns_people_away_with_its_code(store: Store) -> None:
    """They are told how to return, and take no place (Dallinger #1342)."""
    campaign, panel = open_study(store)
    for identity in (ADA, BO):
        start(store, panel, identity)
    late = send(store, panel, CY)
    assert not campaigns.begin(store, late, ""), "who read the page while there was a place"
    for _ in range(2):  # a reload
        assert campaigns.find_step(store, send(store, panel, CY)) is CrowdStep.END
    row = summarize(store, campaign, panel, CY)
    assert row == (ParticipantState.LATE, 0, "FULL1")
    assert panel.submit(row[2]) == "over quota"
    assert store.crowds.count(campaign.id, TERMS.away_for) == 2


def test_who_gets_no_code_where_it_is_full_is_not_kept(store: Store) -> None:
    campaign, panel = open_study(store, replace(TERMS, full_code="", places=1))
    start(store, panel, ADA)
    assert campaigns.find_step(store, send(store, panel, BO)) is CrowdStep.END
    assert campaigns.pay(store, campaign)["participant"].tolist() == [ADA]


def test_failed_checks_give_another_code_and_the_place_back(store: Store) -> None:
    campaign, panel = open_study(store, gold=True, on_failure="note", failures_allowed=1)
    # where alpha meets beta, beta is longer: A of neither
    for identity, prefer in ((ADA, "gamma"), (BO, "alpha")):
        work(store, start(store, panel, identity), prefer=prefer)
    outcomes = {identity: end(store, panel, identity) for identity in (ADA, BO)}
    table = campaigns.pay(store, campaign).set_index("participant")
    for identity, row in table.iterrows():
        failed = row["checks_failed"] > 1
        assert outcomes[str(identity)] == ("screened out" if failed else "approved")
        assert row["state"] == ("failed checks" if failed else "finished")
    assert outcomes[BO] == "approved"
    assert table.loc[BO, ["checks_failed", "checks_passed"]].tolist() == [0, 2]


def test_who_is_stopped_by_checks_ends_at_once(store: Store) -> None:
    campaign, panel = open_study(store, gold=True, on_failure="stop", failures_allowed=0, quota=20)
    visit = start(store, panel, ADA)
    work(store, visit, prefer="beta")
    assert present(store, campaign, visit.participant.name) is NoQuestionReason.STOPPED
    assert end(store, panel, ADA) == "screened out"
    assert campaigns.find_step(store, send(store, panel, CY)) is CrowdStep.WELCOME


def test_nobody_finishes_before_the_last_pair(store: Store) -> None:
    _, panel = open_study(store)
    work(store, start(store, panel, ADA), most=3)
    with pytest.raises(TandemError):
        campaigns.finish(store, send(store, panel, ADA))
    assert send(store, panel, ADA).participant.code == ""


def summarize(
    store: Store, campaign: Campaign, panel: Panel, identity: str
) -> tuple[str, int, str]:
    """What a participant's last page reads, which is their one row of all payments."""
    own = campaigns.pay(store, campaign, key=send(store, panel, identity).key)
    rows = campaigns.pay(store, campaign)
    [row] = rows[rows["participant"] == identity].to_dict("records")
    assert own.to_dict("records") == [row]
    return row["state"], row["questions"], row["code"]


BEFORE_LEAVING = {"none": 0, "some": 2, "all": 4, "stopped": 20, "finished": 4}
"""What ADA does before she leaves, and how many questions she answers then at most."""
BACK = {
    "after 10 minutes": "began began finished failed finished",
    "after 61 minutes": "began began finished failed finished",
    "taken": "late lost finished failed finished",
    "paused": "away away away away finished",
    "closed": "late finished finished failed finished",
    "over": "late finished finished failed finished",
}
"""What she then is, by what happened meanwhile. In the last four she was away for 61 minutes, and
somebody else has the place, unless she had finished."""
GIVEN = {"late": "FULL1", "lost": "FULL1", "finished": "DONE1", "failed": "FAIL1"}


def test_who_comes_back_has_one_state_and_one_row(
    tmp_path: Path, later: Later, subtests: pytest.Subtests
) -> None:
    for before, meanwhile in product(BEFORE_LEAVING, BACK):
        name = f"{before} {meanwhile}"
        with subtests.test(name), Store(tmp_path / f"{name}.sqlite3") as store:
            come_back(store, later, before, meanwhile)


def come_back(store: Store, later: Later, before: str, meanwhile: str) -> None:
    stops = {"gold": True, "on_failure": "stop", "failures_allowed": 0, "quota": 20}
    how = stops if before == "stopped" else {}
    campaign, panel = open_study(store, replace(TERMS, places=1), **how)
    answered = work(store, start(store, panel, ADA), BEFORE_LEAVING[before], prefer="beta")
    if before == "finished":
        end(store, panel, ADA)
    later(timedelta(minutes=10 if meanwhile == "after 10 minutes" else 61))
    if not meanwhile.startswith("after") and before != "finished":
        start(store, panel, BO)
    if meanwhile in ("paused", "closed"):
        store.campaigns.set_status(campaign.id, meanwhile)
    if meanwhile == "over":
        design = {**campaign.design, "deadline": "2020-01-01"}
        store.campaigns.edit(campaign.id, name="c", design=design, overlap=2)

    campaigns.find_step(store, send(store, panel, ADA, session="s2"))
    with suppress(TandemError):  # as "Finish" would, if no question is left
        campaigns.finish(store, send(store, panel, ADA))

    word = BACK[meanwhile].split()[list(BEFORE_LEAVING).index(before)]
    state = ParticipantState[word.upper()]
    assert summarize(store, campaign, panel, ADA) == (state, answered, GIVEN.get(word, ""))
    later(timedelta(minutes=90))  # others go: whoever was given a code stays what they were told
    if word in GIVEN:
        assert campaigns.find_step(store, send(store, panel, ADA)) is CrowdStep.END
        assert summarize(store, campaign, panel, ADA)[0] == state
    elif meanwhile != "paused":
        assert campaigns.find_step(store, send(store, panel, ADA)) is CrowdStep.PAIRS


def test_what_another_tab_still_saves_is_counted(store: Store, later: Later) -> None:
    """A pair that was on a screen is taken there, though another tab has said that it is over."""
    campaign, panel = open_study(store, replace(TERMS, places=1))
    visit = start(store, panel, ADA)
    work(store, visit, most=1)
    name = visit.participant.name
    on_screen = present(store, campaign, name)
    later(timedelta(minutes=61))
    start(store, panel, BO)
    assert campaigns.find_step(store, send(store, panel, ADA)) is CrowdStep.END
    assert campaigns.answer(store, name, on_screen, Answer(failure=campaigns.SKIPPED))
    assert campaigns.find_step(store, visit) is CrowdStep.END, "it came before that"
    assert summarize(store, campaign, panel, ADA) == (ParticipantState.LOST, 2, "FULL1")


def test_a_preview_records_nothing(store: Store) -> None:
    """MTurk gives no worker then (Dallinger #2582)."""
    terms = replace(TERMS, platform="mturk")
    campaign, panel = open_study(store, terms)
    address = panel.send(assignmentId="ASSIGNMENT_ID_NOT_AVAILABLE")
    assert campaigns.find_step(store, arrive(store, address)) is CrowdStep.PREVIEW
    shown = campaigns.show_example(store, campaign)
    assert all((shown.text_a, shown.text_b))
    for table in ("participants", "leases", "judges", "people"):
        assert store.connection.value(f"SELECT count(*) FROM {table}") == 0


def test_of_a_hashed_id_nothing_is_kept(store: Store, tmp_path: Path) -> None:
    campaign, panel = open_study(store, replace(TERMS, hash_ids=True))
    work(store, start(store, panel, ADA))
    assert end(store, panel, ADA) == "approved"
    dump = "\n".join(store.connection._db.iterdump())
    assert ADA not in dump
    [shown] = campaigns.pay(store, campaign)["participant"]
    assert shown not in (ADA, "")
    with Store(tmp_path / "other.sqlite3") as other:
        assert other.secrets.hash("participant", ADA) != store.secrets.hash("participant", ADA)


def test_each_gets_a_code_of_their_own_where_none_is_given(store: Store) -> None:
    campaign, panel = open_study(store, CrowdTerms())
    for identity in (ADA, BO):
        work(store, start(store, panel, identity))
        end(store, panel, identity)
    codes = campaigns.pay(store, campaign)["code"]
    assert codes.str.fullmatch("[A-Z2-7]{10}").all()
    assert codes.nunique() == 2


def test_questions_before_and_after(store: Store) -> None:
    terms = replace(
        TERMS,
        before=("How old are you? | number 18 to 99", "Do you read news? | choice: yes; no"),
        after=("Anything to add? | text (optional)",),
    )
    campaign, panel = open_study(store, terms)
    visit = start(store, panel, ADA)
    assert campaigns.find_step(store, visit) is CrowdStep.BEFORE
    old, news = "How old are you?", "Do you read news?"
    for answers in ({}, {old: "17", news: "yes"}, {old: "30", news: "perhaps"}):
        with pytest.raises(TandemError):
            campaigns.answer_questionnaire(store, visit, "before", answers)
    answers, more = {old: "30", news: "no"}, {"Anything to add?": "Fine."}
    campaigns.answer_questionnaire(store, visit, "before", answers)
    assert campaigns.find_step(store, visit) is CrowdStep.PAIRS
    work(store, visit)
    campaigns.answer_questionnaire(store, visit, "after", more)
    assert end(store, panel, ADA) == "approved"
    kept = store.crowds.questionnaire(campaign.id)
    assert dict(zip(kept["question"], kept["answer"], strict=True)) == answers | more


SPELLINGS = [
        ("34", "34"), ("٣٤", "34"), ("２５", "25"), ("३४", "34"), (" +034 ", "34"), ("100", "100"),
        ("3,50", "3.5"), ("３．５", "3.5"), ("−0", "0"), ("1000", "1000"), ("0,125", "0.125"),
        ("1,000", None), ("3_4", None), ("1e1", None), ("3²", None), ("¾", None), ("三", None),
        ("nan", None), ("inf", None), ("3 4", None), ("9" * 400, None), ("", None),
    ]  # fmt: skip


def test_a_number_is_kept_in_one_spelling_or_refused() -> None:
    [field] = read_fields("before", ["Age? | number"])
    for typed, kept in SPELLINGS:
        with nullcontext() if kept else pytest.raises(TandemError, match="Age"):
            assert field.check(typed) == kept


def test_consent_is_what_was_read(store: Store) -> None:
    campaign, panel = open_study(store, consent="Old.")
    visit = send(store, panel, ADA)
    design = {**campaign.design, "consent": "New."}
    store.campaigns.edit(campaign.id, name="c", design=design, overlap=2)
    assert not campaigns.begin(store, visit, "Old.")
    assert campaigns.begin(store, visit, "New.")
    assert store.connection.rows("SELECT text FROM consents") == [("New.",)]


def test_a_closed_link_lets_nobody_new_in(store: Store) -> None:
    campaign, panel = open_study(store)
    begun = start(store, panel, ADA)
    close_crowd(store, "test", campaign)
    assert campaigns.find_step(store, send(store, panel, BO)) is CrowdStep.END
    assert work(store, begun) == 4
    assert end(store, panel, ADA) == "approved"
    open_crowd(store, "test", campaign, TERMS, new_link=True)
    with pytest.raises(DeniedError):
        send(store, panel, BO)


def test_where_nothing_is_left_people_come_too_late(store: Store) -> None:
    """Who finished the rest waits for nobody."""
    _, panel = open_study(store, replace(TERMS, places=None), quota=None, overlap=1)
    assert work(store, start(store, panel, ADA)) == 36
    assert campaigns.find_step(store, send(store, panel, BO)) is CrowdStep.END
    assert end(store, panel, ADA) == "approved"


def test_what_is_filled_in_stays_a_value() -> None:
    """SONA needs the id in the address (JATOS #224); Prolific's is .com (Potato #150)."""
    terms = CrowdTerms(platform="sona", return_to="https://u.sona-systems.com/c?s={participant}#e")
    assert terms.write_return("", "a&b#c/../d", "") == (
        "https://u.sona-systems.com/c?s=a%26b%23c%2F..%2Fd#e"
    )
    prolific = CrowdTerms(code="C1").write_return("C1", ADA, "s")
    assert prolific == "https://app.prolific.com/submissions/complete?cc=C1"
    assert CrowdTerms(platform="other").write_return("C1", ADA, "s") == ""


RETURNS = """http://app.prolific.com/x?cc={code}
javascript:alert(1)
https://{code}.example.org/
https://user@example.org/
https://example.org/{STUDY_ID}
https:///x
//example.org
https://exa mple.org"""
NO_TERMS = (
    *({"return_to": address} for address in RETURNS.splitlines()),
    {"participant": "crowd"}, {"participant": "a b"}, {"assignment": "PROLIFIC_PID"}, {"places": 0},
    {"code": " x"}, {"before": ("How old? | number 9 to 1",)}, {"before": ("How old? | age",)},
    {"before": ("Yes? | choice: yes",)}, {"before": ("Twice?", "Twice?")},
    {"platform": "clickworker"},
)  # fmt: skip


def test_terms_that_cannot_be_and_others_come_back(store: Store) -> None:
    """Only https and known places to return to."""
    for terms in NO_TERMS:
        with pytest.raises(TandemError):
            CrowdTerms(**terms)
    terms = replace(TERMS, before=("Age? | number",), parameters=("A", "B"), hash_ids=True)
    campaign, _ = open_study(store, terms)
    assert CrowdTerms.from_stored(store.crowds.find_by_campaign(campaign.id).terms) == terms
