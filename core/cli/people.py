"""Manage people, roles and invitation links. Everyone who can run this command on the machine that
holds the store is trusted: this is how an owner gets in again.
"""

from __future__ import annotations

import getpass
import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass
from functools import partial
from pathlib import Path

import pandas as pd

from .. import access
from ..access import Access, LinkTerms
from ..exporting import export as exports
from ..findings.judgements import finding
from ..records import Role, TandemError
from ..settings import declare
from ..store import Store
from .campaign import read_text
from .command import Command, Verbs
from .output import CommandAnswer, answer_rows, save_rows, table, warn
from .settings import WHO


@dataclass(frozen=True, kw_only=True)
class PeopleRequest:
    """The people that a command is about."""

    names: tuple[str, ...] = declare(
        (), "people; for access: open, members or anyone", metavar="NAME", is_positional=True
    )


def list_people(store: Store, request: PeopleRequest) -> CommandAnswer:
    """List people with their roles, all or those who are named."""
    frame = store.people.load_all().drop(columns="id")
    if request.names:
        names = [access.people.person_named(store, name).name for name in request.names]
        frame = frame[frame["person"].isin(names)]
    times = [name for name in frame if str(name).endswith("_at")]
    shown = frame.assign(**{str(name): _minutes(frame[name]) for name in times})
    return answer_rows(frame, "Nobody is here: invite people.", shown)


def _minutes(moments: pd.Series) -> pd.Series:
    return moments.str[:16].str.replace("T", " ")


def _check_named(request: PeopleRequest, verb: str) -> None:
    if not request.names:
        raise TandemError(f"nobody is named: `people {verb} NAME`")


@dataclass(frozen=True, kw_only=True)
class AddPersonRequest(PeopleRequest):
    """Options of `people add`: the names, their role, and the address they sign in with."""

    role: str = declare("", "what they may do; default annotator", choices=tuple(Role))
    email: str = declare("", "the address they sign in with", metavar="ADDRESS")

    def __post_init__(self) -> None:
        _check_named(self, "add")
        if self.email and len(self.names) > 1:
            raise TandemError(f"{self.email} is of one person: add each by themselves")


def add(store: Store, request: AddPersonRequest) -> CommandAnswer:
    """Add people with a role. Warns about names like existing ones."""
    role = Role(request.role or Role.ANNOTATOR)
    with store.transaction(durable=True):
        for name in request.names:
            _note_alike(store, name)
            access.people.add(store, WHO, name, role, request.email)
    return list_people(store, request)


@dataclass(frozen=True, kw_only=True)
class LinkRequest(PeopleRequest):
    """People who get links, and the address that links begin with."""

    address: str = declare(
        "", f"address that links begin with; default {access.LOCAL_ADDRESS}", metavar="URL"
    )

    def __post_init__(self) -> None:
        if self.address:
            access.check_address(self.address)


@dataclass(frozen=True, kw_only=True)
class MailRequest(LinkRequest):
    """People who get links, named or in a list, and the message for each of them."""

    from_list: Path | None = declare(
        None,
        "a list of more people: one name per line, or a CSV with name and email",
        option="from",
        metavar="FILE",
    )
    text: str = declare(
        "",
        "text for each, with {name}, {link} and {study}, or @FILE; a column of --to",
        metavar="TEXT",
    )
    days: int = declare(access.DAYS, "how long the link works", metavar="N", least=1)
    no_expiry: bool = declare(False, "the link works until it is revoked")
    to: Path | None = declare(
        None, "write .csv, .jsonl or .parquet instead", metavar="FILE", output="file"
    )

    def list_people(self, verb: str) -> dict[str, str]:
        """List everyone who is named or in the list: name -> e-mail address, '' if not given.

        Raises TandemError where that is nobody.
        """
        listed = access.read_invited(read_text(f"@{self.from_list}")) if self.from_list else []
        if self.from_list and not listed:
            raise TandemError(f"{self.from_list} names nobody: write one name a line")
        if not listed:
            _check_named(self, verb)
        return {**dict.fromkeys(self.names, ""), **dict(listed)}

    @property
    def works_for(self) -> int | None:
        """Days; None = until it is revoked."""
        return None if self.no_expiry else self.days


@dataclass(frozen=True, kw_only=True)
class InviteRequest(MailRequest):
    """Options of `people invite`: people, their role, and their links' campaign and duration."""

    role: str = declare("", "what they may do; default annotator", choices=tuple(Role))
    campaign: str = declare("", "the only campaign the link is for", metavar="NAME")
    dataset: str = declare(
        "", "the data set at which links for all campaigns open; default the first", metavar="NAME"
    )


def invite(store: Store, request: InviteRequest) -> CommandAnswer:
    """Invite people, and hand out their links."""
    terms = LinkTerms(
        Role(request.role) if request.role else None,
        _find_campaign(store, request.campaign) if request.campaign else None,
        request.works_for,
    )
    people = request.list_people("invite")
    with store.transaction(durable=True):
        for name in people:
            _note_alike(store, name)
        codes = access.invite(store, WHO, list(people), terms)
        return _hand_out(store, request, people, codes)


def renew(store: Store, request: MailRequest) -> CommandAnswer:
    """Give people another link for the same campaign; the one before ends."""
    people = request.list_people("renew")
    with store.transaction(durable=True):
        codes = access.renew(store, WHO, list(people), request.works_for)
        return _hand_out(store, request, people, codes)


def _hand_out(
    store: Store, request: MailRequest, people: Mapping[str, str], codes: dict[str, str]
) -> CommandAnswer:
    """Write links to the file or the screen, in the transaction: one that got nowhere is lost."""
    campaign, dataset = getattr(request, "campaign", ""), getattr(request, "dataset", "")
    links = _make_links(store, codes, request.address, "" if campaign else dataset)
    if request.from_list or request.text:
        emails = {store.people.spelling(name): email for name, email in people.items()}
        template = read_text(request.text) if request.text else access.EMAIL
        about = store.people.dataset_of(_find_campaign(store, campaign)) if campaign else dataset
        study = about or ", ".join(store.datasets.names()[:1]) or "texts"
        links = links.assign(
            email=[emails.get(name, "") for name in links["person"]],
            text=[
                access.write_email(template, name, link, study)
                for name, link in links[["person", "link"]].itertuples(index=False)
            ],
        )
    if request.to:
        exports.save(iter([links]), request.to)
        return CommandAnswer(finding.list_records(links), f"{len(links)} links in {request.to}")
    said = "\n\n".join(links["text"]) if request.text else _render_links(links[["person", "link"]])
    return CommandAnswer(finding.list_records(links), said)


def _note_alike(store: Store, name: str) -> None:
    """Say of somebody new who is here under nearly that name: the same person may be meant."""
    spelled = store.people.spelling(name)
    alike = store.people.list_similar_names(spelled)
    if alike and store.people.find_by_name(spelled) is None:
        warn(f"{spelled} is a new person: {', '.join(alike)} is here, too, in other capitals")


def _make_links(
    store: Store, codes: dict[str, str], address: str, dataset: str = ""
) -> pd.DataFrame:
    if dataset and dataset not in store.datasets.names():
        there = ", ".join(store.datasets.names()) or "none"
        raise TandemError(f"there is no data set {dataset!r}; there are: {there}")
    begin = address or access.find_address(store)
    links = access.write_personal_links(store, codes, begin, dataset)
    return pd.DataFrame(links.items(), columns=["person", "link"])


def _render_links(links: pd.DataFrame) -> str:
    return "\n".join(f"{person}: {link}" for person, link in links.itertuples(index=False))


def _change_each(
    verb: str, change: Callable[[Store, str, str], object], store: Store, request: PeopleRequest
) -> CommandAnswer:
    _check_named(request, verb)
    with store.transaction(durable=True):
        for name in request.names:
            change(store, WHO, name)
    return list_people(store, request)


def _revoke(store: Store, who: str, name: str) -> None:
    if not access.revoke(store, who, name):
        warn(f"{name} has no link to revoke")


@dataclass(frozen=True, kw_only=True)
class RoleRequest(PeopleRequest):
    """Options of `people role`: the people, and their new role."""

    role: str = declare(MISSING, access.describe_roles(), choices=tuple(Role))


def set_role(store: Store, request: RoleRequest) -> CommandAnswer:
    """Change the role of people."""
    change = partial(access.people.set_role, role=Role(request.role))
    return _change_each("role", change, store, request)


@dataclass(frozen=True, kw_only=True)
class EmailRequest(PeopleRequest):
    """The address that one person signs in with."""

    email: str | None = declare(None, "the address they sign in with", metavar="ADDRESS")

    def __post_init__(self) -> None:
        if len(self.names) != 1 or not self.names[0] or self.email is None:
            raise TandemError(
                "one person and --email are needed: `people email NAME --email ADDRESS`"
            )


def set_email(store: Store, request: EmailRequest) -> CommandAnswer:
    """Set or clear a person's e-mail address."""
    access.people.set_email(store, WHO, request.names[0], request.email or "")
    return list_people(store, request)


def set_access(store: Store, request: LinkRequest) -> CommandAnswer:
    """Set who may come in. If nobody could manage people any more, first link an owner."""
    wanted = request.names[0] if request.names else access.access_of(store)
    if len(request.names) > 1 or wanted not in list(Access):
        named = " ".join(request.names)
        raise TandemError(f"access {named!r} is not one of {', '.join(Access)}: give one of them")
    with store.transaction(durable=True):
        links = pd.DataFrame(columns=["person", "link"])
        if wanted == Access.MEMBERS and not access.people.owners(store):
            links = _make_links(store, _invite_owner(store), request.address)
        access.people.set_access(store, WHO, Access(wanted))
    document = {"access": str(wanted), "links": finding.list_records(links)}
    lines = filter(None, [_render_links(links), f"{wanted}: {access.WORDS[Access(wanted)]}"])
    return CommandAnswer(document, "\n".join(lines))


def _invite_owner(store: Store) -> dict[str, str]:
    """Create an owner's link without an end date for the user of the command line: name -> code."""
    try:
        name = getpass.getuser()
    except (KeyError, OSError):  # a container may know no names
        name = "owner"
    if store.people.find_by_name(name):
        access.people.come_back(store, WHO, name)
        access.people.set_role(store, WHO, name, Role.OWNER)
    return access.invite(store, WHO, [name], LinkTerms(Role.OWNER, days=None))


@dataclass(frozen=True, kw_only=True)
class LogRequest:
    """Options of `people log`: the file to write the log of decisions to."""

    to: Path | None = declare(
        None, "write .csv, .jsonl or .parquet instead", metavar="FILE", output="file"
    )


def show_log(store: Store, request: LogRequest) -> CommandAnswer:
    """Show the log of decisions, or save it to a file."""

    from ..reporting import sentences

    log = store.audit.load_all()
    if request.to:
        return save_rows(log, request.to)
    document = [{**row, "details": json.loads(row["details"])} for row in finding.list_records(log)]
    shown = log.assign(
        at=_minutes(log["at"]),
        action=log["action"].map(sentences.action),
        details=[sentences.decision(row["details"]) for row in document],
    )
    return CommandAnswer(document, table(shown) if len(log) else "Nothing has been decided yet.")


def _find_campaign(store: Store, wanted: str) -> int:
    campaigns = store.people.campaigns()
    rows = [row for row, name in campaigns.items() if wanted in (name, name.split(": ")[1])]
    if len(rows) != 1:
        there = ", ".join(campaigns.values()) or "none"
        wrong = "several are called" if rows else "there is no open campaign"
        raise TandemError(f"{wrong} {wanted!r}; there are: {there}")
    return rows[0]


def _declare_change(verb: str, help: str, change: Callable[[Store, str, str], object]) -> Command:
    run = partial(_change_each, verb, change)
    return Command(run, help, request=PeopleRequest, reads=None)


VERBS = {
    "list": Command(list_people, "who is here", PeopleRequest, reads=None),
    "add": Command(add, "add people", AddPersonRequest, reads=None),
    "invite": Command(invite, "give people links", InviteRequest, reads=None),
    "renew": Command(renew, "give people new links", MailRequest, reads=None),
    "revoke": _declare_change("revoke", "take links back", _revoke),
    "role": Command(set_role, "set what people may do", RoleRequest, reads=None),
    "email": Command(set_email, "set how a person signs in", EmailRequest, reads=None),
    "leave": _declare_change("leave", "let people go", access.people.leave),
    "return": _declare_change("return", "let them in again", access.people.come_back),
    "access": Command(set_access, "set who may come in", LinkRequest, reads=None),
    "log": Command(show_log, "list decisions about people", LogRequest, reads=None),
}
COMMANDS = {"people": Verbs(VERBS)}
