"""A stand-in for Prolific and MTurk: it fills links' places, sends people, accepts known codes."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlsplit

from core.access import CROWD, Claim, CrowdSession, authorize
from core.records import Role
from core.store import Store

_PLACE = re.compile(r"\{\{%(\w+)%\}\}|\$\{(\w+)\}|%([A-Z_]+)%")


@dataclass
class Panel:
    """`link` is what the researcher gave it. Submissions are counted by code: accepted or not."""

    link: str
    codes: dict[str, str]
    submissions: Counter[str] = field(default_factory=Counter)

    def send(self, **values: str) -> dict[str, str]:
        """The parameters of a participant's address; what has no value stays as in the link."""

        def fill(place: re.Match[str]) -> str:
            name = next(filter(None, place.groups()))
            return values.get(name, place[0])

        return dict(parse_qsl(urlsplit(_PLACE.sub(fill, self.link)).query))

    def submit(self, code: str) -> str:
        """What becomes of a submission with this code."""
        outcome = self.codes.get(code, "refused")
        self.submissions[outcome] += 1
        return outcome


def arrive(store: Store, parameters: dict[str, str]) -> CrowdSession:
    """Whoever opens an address with these parameters, as the store knows them now."""
    claim = Claim(crowd=parameters.get(CROWD, ""), parameters=tuple(parameters.items()))
    return authorize(store, claim, Role.ANNOTATOR).crowd
