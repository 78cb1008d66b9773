"""Who tries codes that are not known waits ever longer; nobody else does."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from core import access
from core.access import Claim, DeniedError, LinkTerms, authorize
from core.access.links import CROWD, FORGET, FREE, KEPT, MOST, Guesses, hash_of, new_code
from core.records import Role
from core.store import Store
from tests.processes import forked

EVE, ADA = "203.0.113.7", "198.51.100.4"


@dataclass
class Clock:
    now: float = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def guesses(tmp_path: Path, clock: Clock) -> Guesses:
    return Guesses(tmp_path / "store.sqlite3", clock)


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """The file of the guesses."""
    return tmp_path / "store.sqlite3.locks" / "guesses"


def guess(guesses: Guesses, address: str, times: int) -> None:
    for _ in range(times):
        guesses.add(address, hash_of(new_code()))


def test_pauses_double_up_to_the_longest(guesses: Guesses, clock: Clock) -> None:
    guess(guesses, EVE, FREE)
    assert guesses.pause(EVE) == 0
    pauses = []
    for _ in range(9):
        guess(guesses, EVE, 1)
        pauses.append(guesses.pause(EVE))
        clock.now += pauses[-1]
        assert guesses.pause(EVE) == 0
    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60]


def test_others_do_not_wait_and_an_hour_forgets(guesses: Guesses, clock: Clock) -> None:
    guess(guesses, EVE, FREE + 5)
    assert guesses.pause(ADA) == 0
    guess(guesses, ADA, 1)
    assert guesses.pause(ADA) == 0
    clock.now += FORGET
    guess(guesses, EVE, 1)
    assert guesses.pause(EVE) == 0


def test_an_outdated_link_that_is_drawn_again_and_again_is_one_guess(guesses: Guesses) -> None:
    for _ in range(10 * FREE):
        guesses.add(EVE, hash_of("an old link"))
    assert guesses.pause(EVE) == 0


def test_many_networks_together_wait_from_the_first(guesses: Guesses) -> None:
    for number in range(CROWD):
        guess(guesses, f"192.0.{number // 256}.{number % 256}", 1)
    assert guesses.pause("192.0.0.7") == 0
    guess(guesses, EVE, 1)
    assert guesses.pause(EVE) == MOST
    assert guesses.pause(ADA) == 0


def test_one_home_has_many_addresses(guesses: Guesses) -> None:
    """A line of IPv6 has 2^64 of them (RFC 6177)."""
    for number in range(FREE + 1):
        guess(guesses, f"2001:db8:1:2::{number:x}", 1)
    assert guesses.pause("2001:db8:1:2:ffff::1") == 1
    assert guesses.pause("2001:db8:1:3::1") == 0


def test_a_clock_set_back_keeps_nobody_out(guesses: Guesses, clock: Clock) -> None:
    guess(guesses, EVE, FREE + 9)
    clock.now -= 3600
    assert guesses.pause(EVE) == 0


def test_the_file_stays_small_and_names_no_address(guesses: Guesses, kept: Path) -> None:
    for number in range(KEPT + 50):
        guess(guesses, f"10.0.{number // 256}.{number % 256}", 1)
    text = kept.read_text(encoding="utf-8")
    assert text.count('"wrong"') == KEPT
    assert "10.0." not in text


def test_a_file_that_was_cut_off_is_begun_anew(guesses: Guesses, kept: Path) -> None:
    for broken in ("", "{", '{"salt": "x", "netw'):
        guess(guesses, EVE, FREE + 2)
        kept.write_text(broken, encoding="utf-8")
        assert guesses.pause(EVE) == 0
        guess(guesses, EVE, FREE + 1)
        assert guesses.pause(EVE) == 1


def _guess_there(path: Path) -> None:
    guess(Guesses(path, Clock()), EVE, 20)


def test_processes_count_together(guesses: Guesses, tmp_path: Path, kept: Path) -> None:
    with ProcessPoolExecutor(2, mp_context=forked()) as pool:
        list(pool.map(_guess_there, [tmp_path / "store.sqlite3"] * 2))
    assert guesses.pause(EVE) == MOST
    assert '"wrong": 40' in kept.read_text(encoding="utf-8")


def test_who_guesses_is_told_to_wait_and_nobody_else_is(store: Store) -> None:
    first, second = access.invite(store, "test", ["Ada", "Ben"], LinkTerms()).values()
    at_home = Claim(code=first, address=EVE)
    assert authorize(store, at_home, Role.ANNOTATOR).name == "Ada"
    said = []
    for _ in range(FREE + 3):
        with pytest.raises(DeniedError) as denied:
            authorize(store, Claim(code=new_code(), address=EVE), Role.ANNOTATOR)
        said.append(str(denied.value))
    assert said[FREE].startswith("This link is not known here")
    assert "Wait 1 second, then reload the page" in said[-1]
    with pytest.raises(DeniedError, match="Wait"):  # a right code would be told by its answer
        authorize(store, Claim(code=second, address=EVE), Role.ANNOTATOR)
    assert authorize(store, Claim(code=second, address=ADA), Role.ANNOTATOR).name == "Ben"
    assert authorize(store, at_home, Role.ANNOTATOR).name == "Ada"
    assert authorize(store, Claim(code=second), Role.ANNOTATOR).name == "Ben"  # hidden


def test_a_link_that_was_let_in_is_looked_up_again_each_time(store: Store) -> None:
    code = access.invite(store, "test", ["Ada"], LinkTerms())["Ada"]
    claim = Claim(code=code, address=EVE)
    assert authorize(store, claim, Role.ANNOTATOR)
    access.revoke(store, "test", "Ada")
    with pytest.raises(DeniedError, match="was revoked"):
        authorize(store, claim, Role.ANNOTATOR)


def test_a_code_has_192_random_bits() -> None:
    codes = {new_code() for _ in range(1000)}
    assert len(codes) == 1000
    assert {len(code) for code in codes} == {32}  # 6 bits each
    signs = {sign for code in codes for sign in code}
    assert len(signs) == 64
