"""Links: the addresses they begin with, the codes in them, and how long a network waits after it
tried codes that are not known here.

Counts of guesses are in a file beside the store, so that all processes of a server count together.
It has salted hashes of networks, and forgets each an hour after its last guess. Where it cannot be
read or written nobody waits: 192 random bits are what keeps guessers out.
"""

from __future__ import annotations

import fcntl
import json
import math
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from ipaddress import ip_address
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlencode

from ..records import TandemError, option_ref
from ..store import Store

ADDRESS = "address"
"""The setting that says under which address others open this study."""

LOCAL_ADDRESS = "http://localhost:8501"

INVITATION = "invitation"
"""The parameter of an address that holds the code of a personal link."""


def find_address(store: Store, default: str = LOCAL_ADDRESS) -> str:
    """Return the address under which others open a study; the default where none is set."""
    return store.settings.get(ADDRESS) or default


def check_address(address: str) -> None:
    """Raise TandemError unless links can begin with this address."""
    if not address.startswith(("http://", "https://")):
        raise TandemError(
            f"{option_ref('address')} {address!r} does not begin with http:// or https://"
        )
    if set(address) & set("?#"):
        raise TandemError(
            f"{option_ref('address')} {address!r} holds a ? or #: give it without what follows "
            "there"
        )


def write_link(address: str, page: str = "", **parameters: str) -> str:
    """Build the link to a page of the study at this address: '' is the first page."""
    return f"{address.rstrip('/')}/{page}?{urlencode(parameters)}"


BYTES = 24  # 192 bits: nobody guesses one, however many there are


def new_code() -> str:
    """Draw a code of 32 letters, digits, - and _."""
    return secrets.token_urlsafe(BYTES)


def hash_of(code: str) -> str:
    """Hash a code, as only the hash is kept. A plain hash is enough: slow and salted ones protect
    passwords that can be guessed, and nobody can try out 192 random bits.
    """
    return sha256(code.encode()).hexdigest()


FREE = 5
"""Wrong codes of one network before it has to wait: a link is easily copied in part."""

MOST = 60.0
"""Seconds of the longest pause. Each is twice as long as the one before, beginning with one."""

CROWD = 200
"""Wrong codes of all networks together from which each wrong one costs the longest pause."""

FORGET = 3600.0
"""Seconds after its last wrong code when a network is forgotten."""

KEPT = 1000
"""Networks that are kept at most; the latest are."""

TRIES = 100
"""Times to ask for the lock, two milliseconds apart."""


class Guesses:
    """The wrong codes of links that were tried at a store. `clock` gives seconds since 1970."""

    def __init__(self, store: Path, clock: Callable[[], float] = time.time) -> None:
        self._path = Path(f"{store}.locks") / "guesses"
        self._clock = clock

    def pause(self, address: str) -> int:
        """Return the whole seconds until a code from this address is looked up again."""
        with suppress(OSError):
            kept = self._read()
            until = kept["networks"].get(_network(address, kept["salt"]), {}).get("until", 0.0)
            left = until - self._clock()
            return math.ceil(left) if 0 < left <= MOST else 0  # a clock may have been set back
        return 0

    def add(self, address: str, code_hash: str) -> None:
        """Record that an unknown code was tried from an address; repeating it is no new guess."""
        with suppress(OSError), self._update() as kept:
            networks, now = kept["networks"], self._clock()
            network = _network(address, kept["salt"])
            before = networks.pop(network, {"wrong": 0, "until": 0.0, "code": ""})
            if before["code"] == code_hash:
                networks[network] = before
                return
            wrong = before["wrong"] + 1
            crowd = sum(other["wrong"] for other in networks.values()) + wrong
            over = math.inf if crowd > CROWD else wrong - FREE
            pause = min(MOST, 2.0 ** min(over - 1, 10)) if over > 0 else 0.0
            networks[network] = {
                "wrong": wrong,
                "until": now + pause,
                "code": code_hash,
                "last": now,
            }

    @contextmanager
    def _update(self) -> Iterator[dict[str, Any]]:
        """Yield the kept guesses under a lock, and write them back when the body ends."""
        self._path.parent.mkdir(exist_ok=True)
        with self._path.with_suffix(".lock").open("w") as lock:
            _take(lock)
            kept = self._read()
            kept["networks"] = {
                network: told
                for network, told in kept["networks"].items()
                if 0 <= self._clock() - told["last"] < FORGET
            }
            yield kept
            kept["networks"] = dict(list(kept["networks"].items())[-KEPT:])
            whole = self._path.with_suffix(".new")
            whole.write_text(json.dumps(kept), encoding="utf-8")
            whole.replace(self._path)

    def _read(self) -> dict[str, Any]:
        """Read the kept guesses; nothing where nobody has guessed yet, or a file was cut off."""
        try:
            kept: dict[str, Any] = json.loads(self._path.read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return {"salt": secrets.token_hex(16), "networks": {}}
        return kept


def _take(lock: IO[str]) -> None:
    """Take the lock. Raises OSError where another process keeps it: nobody waits for a guess."""
    for _ in range(TRIES):
        with suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        time.sleep(0.002)
    raise TimeoutError


def _network(address: str, salt: str) -> str:
    """Hash the network of an address: its first 64 bits for IPv6, where one owner has 2^64."""
    with suppress(ValueError):
        number = ip_address(address)
        if number.version == 6 and not number.ipv4_mapped:
            address = str(int(number) >> 64)
    return sha256(f"{salt} {address}".encode()).hexdigest()[:16]
