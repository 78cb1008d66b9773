"""Crowds: the link of one, opened, changed and closed, and its terms: the names of its parameters,
its size, its questionnaire and its return.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from ..labels import join_names
from ..records import TandemError, option_ref
from ..settings import StoredChanges, check_choices, declare
from ..store import Campaign, Crowd, Store
from .links import INVITATION, new_code, write_link
from .questionnaire import read_fields

CROWD = "crowd"
"""The parameter of an address that holds the code of a crowd's link."""

RESERVED = (CROWD, INVITATION, "annotator", "dataset", "campaign")
"""Parameters of addresses that mean something else."""

NOT_ACCEPTED = "ASSIGNMENT_ID_NOT_AVAILABLE"
"""What MTurk gives as the assignment while a worker only looks at a task."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,59}")
_IDENTITY = re.compile(r"[\w.@:+=~/-]{1,128}")
"""Ids of panels. A place that the panel did not fill, such as {{%PROLIFIC_PID%}}, is no id."""
_PLACE = re.compile(r"\{([^{}]*)\}")
_FILLED = ("code", "participant", "assignment")


class Platform(NamedTuple):
    """A panel: its names for the parameters of a link, the form of the places to fill in, and a
    sentence that says who does.
    """

    label: str
    participant: str
    assignment: str
    parameters: tuple[str, ...]
    place: str
    filled_in: str
    return_to: str = ""


PLATFORMS = {
    "prolific": Platform(
        "Prolific", "PROLIFIC_PID", "SESSION_ID", ("STUDY_ID",), "{{%NAME%}}",
        "Give this link to Prolific, which fills in {places}.",
        "https://app.prolific.com/submissions/complete?cc={code}",
    ),
    "mturk": Platform(
        "MTurk", "workerId", "assignmentId", ("hitId",), "${NAME}",
        "MTurk fills in nothing by itself: the script in docs/mturk.md replaces {places}.",
    ),
    "sona": Platform(
        "SONA", "survey_code", "", (), "%SURVEY_CODE%",
        "Give this link to SONA, which fills in {places}.",
    ),
    "other": Platform(
        "another panel", "participant", "", (), "{NAME}",
        "Replace {places} in this link by what your panel fills in for each participant.",
    ),
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class CrowdTerms(StoredChanges):
    """Terms of a crowd's link, all changeable while it is open: from the next page on."""

    platform: str = declare(
        "prolific",
        "the panel, which says how parameters are called",
        label="Panel",
        choices={name: platform.label for name, platform in PLATFORMS.items()},
        more="It fills in what is left empty below.",
    )
    participant: str = declare(
        "",
        "the parameter of the address that holds a participant's id; default the panel's",
        label="Parameter with the participant's id",
        metavar="NAME",
        more="Empty: as the panel calls it.",
    )
    assignment: str = declare(
        "",
        "the parameter that holds the assignment or session; default the panel's",
        label="Parameter with the assignment",
        metavar="NAME",
        more="Empty: as the panel calls it. A return address may repeat it as {assignment}.",
    )
    parameters: tuple[str, ...] = declare(
        (),
        "further parameters to keep with each participant; default the panel's",
        label="Further parameters to keep",
        metavar="NAME",
        more="With spaces between. Empty: those of the panel.",
    )
    hash_ids: bool = declare(
        False,
        "keep a salted hash of each participant's id, and not the id",
        label="Keep only a hash of ids",
        is_switch=True,
        more="The salt is the store's own. The table for payment then shows the first digits.",
    )
    places: int | None = declare(
        None,
        "participants at most; 0 no limit",
        label="Participants",
        metavar="N",
        more="At most. Those who failed checks or went away are not counted. 0: no limit.",
    )
    away: int = declare(
        60,
        "minutes that a participant may be away before their place goes to another",
        label="Minutes away",
        metavar="N",
        least=1,
        most=10_080,
        more="After so many minutes without a press a place goes to another participant.",
    )
    code: str = declare(
        "",
        "completion code (default: another one for each participant)",
        label="Completion code",
        metavar="CODE",
        more="Shown at the end. Empty: each participant gets one of their own, which the table "
        "for payment lists.",
    )
    failed_code: str = declare(
        "",
        "code after too many failed checks; default the completion code",
        label="Code after failed checks",
        metavar="CODE",
        more="For people who failed more checks than the campaign allows. Empty: the same code.",
    )
    full_code: str = declare(
        "",
        "code where the study is full; default none",
        label="Code where the study is full",
        metavar="CODE",
        more="For people who came too late. Empty: no code, and the advice to return the task.",
    )
    return_to: str = declare(
        "",
        "https address to return to, with {code}, {participant}, {assignment}; default the panel's",
        label="Address to return to",
        metavar="URL",
        more="Begins with https://. {code}, {participant} and {assignment} are filled in.",
    )
    before: tuple[str, ...] = declare(
        (),
        "questions before the first pair: 'How old are you? | number 18 to 99'",
        label="Questions before, one per line",
        metavar="FIELD",
        more="A question, a bar and what answers it: text, number 18 to 99, or choice: yes; no. "
        "(optional) at the end lets it be left empty.",
    )
    after: tuple[str, ...] = declare(
        (),
        "questions after the last pair, in the same way",
        label="Questions after, one per line",
        metavar="FIELD",
        more="In the same way.",
    )

    def __post_init__(self) -> None:
        check_choices(self)
        for name, value in {
            "participant": self.participant_name,
            "assignment": self.assignment_name,
            **{f"parameters {given}": given for given in self.parameter_names},
        }.items():
            if (value or name == "participant") and not _NAME.fullmatch(value):
                raise TandemError(
                    f"{option_ref(name.split()[0])} {value!r} is not the name of a parameter: "
                    "it has letters, digits, _ . and -"
                )
            if value in RESERVED:
                raise TandemError(
                    f"{option_ref(name.split()[0])} {value!r} means something else here: have the "
                    "panel call it otherwise"
                )
        names = [self.participant_name, self.assignment_name, *self.parameter_names]
        repeated = next((name for name in names if name and names.count(name) > 1), "")
        if repeated:
            raise TandemError(f"the parameter {repeated!r} is named twice: name each once")
        if self.places is not None and self.places < 1:
            raise TandemError(f"{option_ref('places')} is {self.places}: it is at least 1, or none")
        for name in ("code", "failed_code", "full_code"):
            _check_code(name, getattr(self, name))
        _check_return(self.return_to)
        for name in ("before", "after"):
            read_fields(name, getattr(self, name))

    @property
    def panel(self) -> Platform:
        """Panel of these terms, with its names for the parameters."""
        return PLATFORMS[self.platform]

    @property
    def participant_name(self) -> str:
        """Name of the parameter with the participant's id."""
        return self.participant or self.panel.participant

    @property
    def assignment_name(self) -> str:
        """Name of the parameter with the assignment's id; '' for a panel without one."""
        return self.assignment or self.panel.assignment

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of the further parameters of the address to keep."""
        return self.parameters or self.panel.parameters

    @property
    def away_for(self) -> timedelta:
        """Time after which an absent participant may lose their place."""
        return timedelta(minutes=self.away)

    def identify(self, given: Mapping[str, str]) -> str:
        """Return the participant's id in an address; '' if it is missing.

        An id counts as missing, too, where the panel left its place unfilled.
        """
        identity = given.get(self.participant_name, "").strip()
        return identity if _IDENTITY.fullmatch(identity) else ""

    def keep(self, given: Mapping[str, str]) -> dict[str, str]:
        """Return the named parameters of an address to keep, up to 200 characters of each."""
        names = filter(None, (self.assignment_name, *self.parameter_names))
        return {name: given[name][:200] for name in names if given.get(name, "").isprintable()
                and name in given}  # fmt: skip

    def is_preview(self, given: Mapping[str, str]) -> bool:
        """Return whether somebody only looks at the task, and has not accepted it."""
        return given.get(self.assignment_name) == NOT_ACCEPTED

    def write_link(self, address: str, code: str) -> str:
        """Build the link to give to the panel, with the places that are filled in later."""
        places = "".join(f"&{name}={place}" for name, place in self._places().items())
        return write_link(address, "annotate", **{CROWD: code}) + places

    def explain_places(self) -> str:
        """Say who fills in the places of the link."""
        places = list(dict.fromkeys(self._places().values()))
        return self.panel.filled_in.replace("{places}", join_names(places))

    def _places(self) -> dict[str, str]:
        """Place of each parameter of the link. A panel has its own words, whatever ours are."""
        panel = self.panel
        words = {
            self.participant_name: panel.participant,
            self.assignment_name: panel.assignment or self.assignment_name,
            **{name: name for name in self.parameter_names},
        }
        return {name: panel.place.replace("NAME", word) for name, word in words.items() if name}

    def write_return(self, code: str, participant: str, assignment: str) -> str:
        """Return the address to return to; '' for a panel without one.

        The code and the two ids are filled in, quoted, and never where the address begins.
        """
        values = {"code": code, "participant": participant, "assignment": assignment}
        address = self.return_to or (self.panel.return_to if code else "")
        return _PLACE.sub(lambda place: quote(values[place[1]], safe=""), address)


def _check_code(name: str, code: str) -> None:
    if len(code) > 80 or not code.isprintable() or code != code.strip():
        raise TandemError(
            f"{option_ref(name)} {code!r} is not a code: take up to 80 letters, digits or signs"
        )


def _check_return(address: str) -> None:
    """Raise TandemError unless an address is plain https and all its places can be filled."""
    if not address:
        return
    try:
        parts = urlsplit(address)
        is_plain = parts.scheme == "https" and parts.hostname and parts.username is None
    except ValueError:
        is_plain = False
    if not is_plain or not address.isprintable() or set(address) & set(" \"'<>\\`"):
        raise TandemError(
            f"{option_ref('return_to')} {address!r} is not an address to return to: it begins "
            "with https:// and names a host"
        )
    unknown = [place for place in _PLACE.findall(address) if place not in _FILLED]
    where = address.split("?")[0].split("#")[0]
    if unknown or _PLACE.search(urlsplit(where).netloc):
        what = f"{{{unknown[0]}}}" if unknown else "a place in its host"
        raise TandemError(
            f"{option_ref('return_to')} {address!r} has {what}: what is filled in is {{code}}, "
            "{participant} and {assignment}, after the host"
        )


def open_crowd(
    store: Store, who: str, campaign: Campaign, terms: CrowdTerms, *, new_link: bool = False
) -> Crowd:
    """Let a panel's participants come to a campaign by one link. Where it has one, its terms become
    these; with a `new_link`, the one before lets nobody in any more.

    Raises TandemError for a campaign that is closed.
    """
    if campaign.is_closed:
        raise TandemError(f"campaign {campaign.name!r} is closed: resume it first")
    before = store.crowds.find_by_campaign(campaign.id)
    code = before.code if before and not new_link else new_code()
    with store.transaction(durable=True):
        store.crowds.open(campaign.id, code, terms.to_stored())
        store.audit.add(
            who, "opened to a crowd", campaign.name, dataset=campaign.dataset, panel=terms.platform
        )
    opened = store.crowds.find_by_campaign(campaign.id)
    assert opened
    return opened


def close_crowd(store: Store, who: str, campaign: Campaign) -> None:
    """Let nobody new in by a campaign's link; those who have begun go on."""
    if store.crowds.find_by_campaign(campaign.id) is None:
        raise TandemError(f"campaign {campaign.name!r} has no link for a crowd: `crowd open`")
    with store.transaction(durable=True):
        store.crowds.close(campaign.id)
        store.audit.add(who, "closed to a crowd", campaign.name, dataset=campaign.dataset)
