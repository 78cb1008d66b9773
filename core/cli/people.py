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
from typing import Any

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
from .settings import WHO, declare_table

NAMES: Any = declare(
    (), "people; for access: open, members or anyone", metavar="NAME", is_positional=True
)
ADDRESS: Any = declare(
    "", f"address that links begin with; default {access.LOCAL_ADDRESS}", metavar="URL"
)
ROLE: Any = declare("", "what they may do; default annotator", choices=tuple(Role))


def list_people(store: Store, names: tuple[str, ...] = NAMES) -> CommandAnswer:
    """List people with their roles, all or those who are named."""
    frame = store.people.load_all().drop(columns="id")
    if names:
        known = [access.people.person_named(store, name).name for name in names]
        frame = frame[frame["person"].isin(known)]
    times = [name for name in frame if str(name).endswith("_at")]
    shown = frame.assign(**{str(name): _minutes(frame[name]) for name in times})
    return answer_rows(frame, "Nobody is here: invite people.", shown)


def _minutes(moments: pd.Series) -> pd.Series:
    return moments.str[:16].str.replace("T", " ")


def _check_named(names: tuple[str, ...], verb: str) -> None:
    if not names:
        raise TandemError(f"nobody is named: `people {verb} NAME`")


def add(
    store: Store,
    names: tuple[str, ...] = NAMES,
    role: str = ROLE,
    email: str = declare("", "the address they sign in with", metavar="ADDRESS"),
) -> CommandAnswer:
    """Add people with a role. Warns about names like existing ones."""
    _check_named(names, "add")
    if email and len(names) > 1:
        raise TandemError(f"{email} is of one person: add each by themselves")
    with store.transaction(durable=True):
        for name in names:
            _note_alike(store, name)
            access.people.add(store, WHO, name, Role(role or Role.ANNOTATOR), email)
    return list_people(store, names)


@dataclass(frozen=True, kw_only=True)
class MailRequest:
    """People who get links, named or in a list, and the message for each of them."""

    names: tuple[str, ...] = NAMES
    address: str = ADDRESS
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
    to: Path | None = declare_table()

    def __post_init__(self) -> None:
        if self.address:
            access.check_address(self.address)

    def list_people(self, verb: str) -> dict[str, str]:
        """List everyone who is named or in the list: name -> e-mail address, '' if not given.

        Raises TandemError where that is nobody.
        """
        listed = access.read_invited(read_text(f"@{self.from_list}")) if self.from_list else []
        if self.from_list and not listed:
            raise TandemError(f"{self.from_list} names nobody: write one name a line")
        if not listed:
            _check_named(self.names, verb)
        return {**dict.fromkeys(self.names, ""), **dict(listed)}

    @property
    def works_for(self) -> int | None:
        """Days; None = until it is revoked."""
        return None if self.no_expiry else self.days


def invite(
    store: Store,
    mail: MailRequest,
    role: str = ROLE,
    campaign: str = declare("", "the only campaign the link is for", metavar="NAME"),
    dataset: str = declare(
        "", "the data set at which links for all campaigns open; default the first", metavar="NAME"
    ),
) -> CommandAnswer:
    """Invite people, and hand out their links."""
    only = _find_campaign(store, campaign) if campaign else None
    terms = LinkTerms(Role(role) if role else None, only, mail.works_for)
    people = mail.list_people("invite")
    with store.transaction(durable=True):
        for name in people:
            _note_alike(store, name)
        codes = access.invite(store, WHO, list(people), terms)
        return _hand_out(store, mail, people, codes, campaign, dataset)


def renew(store: Store, mail: MailRequest) -> CommandAnswer:
    """Give people another link for the same campaign; the one before ends."""
    people = mail.list_people("renew")
    with store.transaction(durable=True):
        codes = access.renew(store, WHO, list(people), mail.works_for)
        return _hand_out(store, mail, people, codes)


def _hand_out(
    store: Store,
    mail: MailRequest,
    people: Mapping[str, str],
    codes: dict[str, str],
    campaign: str = "",
    dataset: str = "",
) -> CommandAnswer:
    """Write links to the file or the screen, in the transaction: one that got nowhere is lost."""
    mails: dict[str, Any] = {}
    if mail.from_list or mail.text:
        about = store.people.dataset_of(_find_campaign(store, campaign)) if campaign else dataset
        mails = {
            "template": read_text(mail.text) if mail.text else access.EMAIL,
            "emails": {store.people.spelling(name): email for name, email in people.items()},
            "study": about or ", ".join(store.datasets.names()[:1]) or "texts",
        }
    links = _make_links(store, codes, mail.address, "" if campaign else dataset, **mails)
    if mail.to:
        exports.save(iter([links]), mail.to)
        return CommandAnswer(finding.list_records(links), f"{len(links)} links in {mail.to}")
    said = "\n\n".join(links["text"]) if mail.text else _render_links(links[["person", "link"]])
    return CommandAnswer(finding.list_records(links), said)


def _note_alike(store: Store, name: str) -> None:
    """Say of somebody new who is here under nearly that name: the same person may be meant."""
    spelled = store.people.spelling(name)
    alike = store.people.list_similar_names(spelled)
    if alike and store.people.find_by_name(spelled) is None:
        warn(f"{spelled} is a new person: {', '.join(alike)} is here, too, in other capitals")


def _make_links(
    store: Store, codes: dict[str, str], address: str, dataset: str = "", **mails: Any
) -> pd.DataFrame:
    if dataset and dataset not in store.datasets.names():
        there = ", ".join(store.datasets.names()) or "none"
        raise TandemError(f"there is no data set {dataset!r}; there are: {there}")
    begin = address or access.find_address(store)
    links = access.write_personal_links(store, codes, begin, dataset, **mails)
    made = pd.DataFrame(links, columns=access.PersonalLink._fields)
    return made if mails else made[["person", "link"]]


def _render_links(links: pd.DataFrame) -> str:
    return "\n".join(f"{person}: {link}" for person, link in links.itertuples(index=False))


def _change_each(
    store: Store, names: tuple[str, ...], verb: str, change: Callable[[Store, str, str], object]
) -> CommandAnswer:
    _check_named(names, verb)
    with store.transaction(durable=True):
        for name in names:
            change(store, WHO, name)
    return list_people(store, names)


def _declare_change(verb: str, help: str, change: Callable[[Store, str, str], object]) -> Command:
    def run(store: Store, names: tuple[str, ...] = NAMES) -> CommandAnswer:
        return _change_each(store, names, verb, change)

    return Command(run, help)


def _revoke(store: Store, who: str, name: str) -> None:
    if not access.revoke(store, who, name):
        warn(f"{name} has no link to revoke")


def set_role(
    store: Store,
    names: tuple[str, ...] = NAMES,
    role: str = declare(MISSING, access.describe_roles(), choices=tuple(Role)),
) -> CommandAnswer:
    """Change the role of people."""
    return _change_each(store, names, "role", partial(access.people.set_role, role=Role(role)))


def set_email(
    store: Store,
    names: tuple[str, ...] = NAMES,
    email: str | None = declare(None, "the address they sign in with", metavar="ADDRESS"),
) -> CommandAnswer:
    """Set or clear a person's e-mail address."""
    if len(names) != 1 or not names[0] or email is None:
        raise TandemError("one person and --email are needed: `people email NAME --email ADDRESS`")
    access.people.set_email(store, WHO, names[0], email)
    return list_people(store, names)


def set_access(
    store: Store, names: tuple[str, ...] = NAMES, address: str = ADDRESS
) -> CommandAnswer:
    """Set who may come in. If nobody could manage people any more, first link an owner."""
    if address:
        access.check_address(address)
    wanted = names[0] if names else access.access_of(store)
    if len(names) > 1 or wanted not in list(Access):
        named = " ".join(names)
        raise TandemError(f"access {named!r} is not one of {', '.join(Access)}: give one of them")
    with store.transaction(durable=True):
        links = pd.DataFrame(columns=["person", "link"])
        if wanted == Access.MEMBERS and not access.people.owners(store):
            links = _make_links(store, _invite_owner(store), address)
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


def show_log(store: Store, to: Path | None = declare_table()) -> CommandAnswer:
    """Show the log of decisions, or save it to a file."""

    from ..reporting import sentences

    log = store.audit.load_all()
    if to:
        return save_rows(log, to)
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


VERBS = {
    "list": Command(list_people, "who is here"),
    "add": Command(add, "add people"),
    "invite": Command(invite, "give people links"),
    "renew": Command(renew, "give people new links"),
    "revoke": _declare_change("revoke", "take links back", _revoke),
    "role": Command(set_role, "set what people may do"),
    "email": Command(set_email, "set how a person signs in"),
    "leave": _declare_change("leave", "let people go", access.people.leave),
    "return": _declare_change("return", "let them in again", access.people.come_back),
    "access": Command(set_access, "set who may come in"),
    "log": Command(show_log, "list decisions about people"),
}
COMMANDS = {"people": Verbs(VERBS)}
