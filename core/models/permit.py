"""Permits: which servers may be asked, and which key each of them is sent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..records import TandemError

KEY = "OPENAI_API_KEY"


@dataclass(frozen=True)
class KeyUse:
    """The variable of the environment whose key a server is sent ('' = no key), and the
    `other_variables` whose keys are taken out of its replies, too. `is_paired`: somebody has
    chosen it for this address.
    """

    variable: str = ""
    other_variables: tuple[str, ...] = ()
    is_paired: bool = False


Permit = Callable[[str], KeyUse]
"""Which key the server at an address is sent. Raises TandemError where it may not be asked."""


def permit_every_server(address: str) -> KeyUse:
    """Permit any server, with the key in OPENAI_API_KEY: for who starts Tandem by themselves, and
    has that key anyway.
    """
    return KeyUse(KEY)


def permit_no_server(address: str) -> KeyUse:
    """Refuse every server. Raises TandemError."""
    raise unlisted_server_error(address)


def unlisted_server_error(address: str) -> TandemError:
    """Return the refusal of a server that is not listed."""
    return TandemError(
        f"{address} is not on the list of servers, so nothing was sent: an owner adds it (page "
        "Judge, or `servers add`)"
    )
