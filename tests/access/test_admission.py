"""Who is let in, and as what."""

from __future__ import annotations

import itertools
import sqlite3

import pytest

from core import access
from core.access import Access, Claim, DeniedError, LinkTerms, Right, authorize, has_right
from core.records import JudgeSpec, Kind, Role, Score, TandemError
from core.store import Store
from tests.study import fill

HERE = Claim(is_remote=False)
ELSEWHERE = Claim(is_remote=True)


def role(store: Store, claim: Claim) -> Role | None:
    try:
        return authorize(store, claim, Role.ANNOTATOR).role
    except DeniedError:
        return None


def test_without_a_link(store: Store) -> None:
    """A wrong link makes nobody owner when it is over; a name is nothing from elsewhere."""
    access.invite(store, "test", ["Maria"], LinkTerms(Role.OWNER))
    assert role(store, Claim(name="Maria")) is None
    assert role(store, Claim(code="no such", is_remote=False)) is None
    for setting, here, elsewhere in (
        (Access.OPEN, Role.OWNER, None),
        (Access.MEMBERS, None, None),
        (Access.ANYONE, Role.OWNER, Role.OWNER),
    ):
        access.people.set_access(store, "test", setting)
        assert (role(store, HERE), role(store, ELSEWHERE)) == (here, elsewhere), setting


def test_the_log_tells_a_person_from_a_name_that_was_given(store: Store) -> None:
    code = access.invite(store, "test", ["Maria"], LinkTerms(Role.OWNER))["Maria"]
    assert authorize(store, Claim(code=code), Role.OWNER).audit_name == "Maria"
    named = Claim(name="Maria", is_remote=False)
    assert authorize(store, named, Role.OWNER).audit_name == "Maria, this machine"
    assert authorize(store, HERE, Role.OWNER).audit_name == "this machine"
    access.people.set_access(store, "test", Access.ANYONE)
    assert authorize(store, ELSEWHERE, Role.OWNER).audit_name == "anyone"


def test_a_link_gives_its_persons_role_which_covers_those_below_it(store: Store) -> None:
    for (low, given), (high, needed) in itertools.product(enumerate(Role), repeat=2):
        assert given.includes(needed) == (low >= high)
        [code] = access.invite(store, "test", [f"Ada {given}"], LinkTerms(given)).values()
        claim = Claim(code=code)
        if given.includes(needed):
            assert authorize(store, claim, needed).role is given
            continue
        with pytest.raises(DeniedError, match=f"and you are .* {given} here") as denied:
            authorize(store, claim, needed)
        assert denied.value.inside


def test_a_link_ends_by_time_by_a_new_one_or_by_a_revocation_that_is_taken_back(
    store: Store,
) -> None:
    first, second = (access.invite(store, "test", ["Ada"], LinkTerms())["Ada"] for _ in range(2))
    assert role(store, Claim(code=first)) is None
    assert role(store, Claim(code=second)) is Role.ANNOTATOR
    ended = access.revoke(store, "test", "Ada")
    assert role(store, Claim(code=second)) is None
    access.restore(store, "test", "Ada", ended)
    assert role(store, Claim(code=second)) is Role.ANNOTATOR
    code = access.invite(store, "test", ["Ben"], LinkTerms(days=1))["Ben"]
    assert role(store, Claim(code=code))
    store.connection.execute("UPDATE invitations SET expires_at = '2026-05-03T00:00:00'")
    with pytest.raises(DeniedError, match="ended on 3 May 2026"):
        authorize(store, Claim(code=code), Role.ANNOTATOR)


def test_a_sign_in_counts_when_the_address_is_theirs(store: Store) -> None:
    access.people.add(store, "test", "Ada", Role.RESEARCHER, "Ada@example.org")
    email = "ada@EXAMPLE.org"
    assert role(store, Claim(signed_in=True, email=email, verified=True)) is Role.RESEARCHER
    unknown = Claim(signed_in=True, email="eve@example.org", verified=True)
    with pytest.raises(DeniedError, match=r"does not confirm that ada@EXAMPLE.org is yours"):
        authorize(store, Claim(signed_in=True, email=email), Role.ANNOTATOR)
    with pytest.raises(DeniedError, match=r"Nobody with the address eve@example.org"):
        authorize(store, unknown, Role.ANNOTATOR)


def test_nobody_takes_over_the_votes_of_a_file(store: Store) -> None:
    fill(store)
    people = [JudgeSpec(name, Kind.HUMAN) for name in ("free", "expert-1")]
    store.judges.add([*people, JudgeSpec("gpt", Kind.LLM)])
    access.invite(store, "test", ["free"], LinkTerms())  # nobody has voted under it
    attribute = store.datasets.attributes("tiny")[0].name
    store.scores.add("tiny", [Score("i0", "alpha", attribute, "expert-1", 4.0)])
    for name in ("expert-1", "gpt"):
        with pytest.raises(TandemError, match="rater of a file or a judge"):
            access.invite(store, "test", [name], LinkTerms())


def test_the_log_is_never_changed(store: Store) -> None:
    access.invite(store, "test", ["Ada"], LinkTerms())
    for statement in ("UPDATE audit SET who = 'x'", "DELETE FROM audit"):
        with pytest.raises(sqlite3.DatabaseError, match="append-only"):
            store.connection.execute(statement)
    assert store.audit.load_all()["who"].tolist() == ["test", "test"]


def test_each_role_has_the_rights_of_those_before_it_and_its_own() -> None:
    rights = [{right for right in Right if has_right(role, right)} for role in Role]
    assert rights == [{Right.ANNOTATE}, {Right.ANNOTATE, Right.WORK, Right.UPLOAD}, {*Right}]
    said = access.describe_roles()
    assert [said.count(right.words) for right in Right] == [1] * len(Right)
