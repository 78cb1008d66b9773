"""The command about people: who may come in, as what, by which link. Whoever may run it on the
machine that holds the store is trusted: this is how an owner gets in again.
"""

from __future__ import annotations

import argparse
import getpass
import json
from collections.abc import Callable
from urllib.parse import urlencode

import pandas as pd

from core import access
from core.access import Access, Terms
from core.cli.command import Command
from core.cli.options import WHO, Part, file_path, whole
from core.cli.output import Answer, table, warn
from core.exporting import export as exports
from core.findings.judgements import finding
from core.records import Role, TandemError
from core.store import Store

ADDRESS = "http://localhost:8501"


def people(store: Store, asked: argparse.Namespace) -> Answer:
    return VERBS[asked.verb](store, asked)


def _list(store: Store, asked: argparse.Namespace) -> Answer:
    frame = store.people.all().drop(columns="id")
    if asked.names:
        names = [access.people.person_named(store, name).name for name in asked.names]
        frame = frame[frame["person"].isin(names)]
    times = [name for name in frame if str(name).endswith("_at")]
    shown = frame.assign(**{str(name): _minutes(frame[name]) for name in times})
    return Answer(
        finding.records(frame), table(shown) if len(frame) else "Nobody is here: invite people."
    )


def _minutes(moments: pd.Series) -> pd.Series:
    """Short enough to be read side by side."""
    return moments.str[:16].str.replace("T", " ")


def _add(store: Store, asked: argparse.Namespace) -> Answer:
    if asked.email and len(_names(asked)) > 1:
        raise TandemError(f"{asked.email} is of one person: add each by themselves")
    with store.transaction(durable=True):
        for name in asked.names:
            _note_alike(store, name)
            access.people.add(
                store, WHO, name, Role(asked.role or Role.ANNOTATOR), asked.email or ""
            )
    return _list(store, asked)


def _invite(store: Store, asked: argparse.Namespace) -> Answer:
    days = access.DAYS if asked.days is None else asked.days
    terms = Terms(
        Role(asked.role) if asked.role else None,
        _campaign(store, asked),
        None if asked.no_expiry else days,
    )
    with store.transaction(durable=True):
        for name in _names(asked):
            _note_alike(store, name)
        codes = access.invite(store, WHO, _names(asked), terms)
        links = _links(store, asked, codes)
        if asked.to:  # before anything is kept: a link that reached no file would be lost
            exports.save(iter([links]), asked.to)
    text = f"{len(links)} links in {asked.to}" if asked.to else _said(links)
    return Answer(finding.records(links), text)


def _note_alike(store: Store, name: str) -> None:
    """Say of somebody new who is here under nearly that name: the same person may be meant."""
    spelled = store.people.spelling(name)
    alike = store.people.alike(spelled)
    if alike and store.people.named(spelled) is None:
        warn(f"{spelled} is somebody new: {', '.join(alike)} is here, too, in other capitals")


def _links(store: Store, asked: argparse.Namespace, codes: dict[str, str]) -> pd.DataFrame:
    if asked.address and not asked.address.startswith(("http://", "https://")):
        raise TandemError(f"--address {asked.address!r} does not begin with http:// or https://")
    if asked.address and set(asked.address) & set("?#"):
        raise TandemError(
            f"--address {asked.address!r} holds a ? or #: give it without what follows there"
        )
    base = (asked.address or store.settings.get("address") or ADDRESS).rstrip("/")
    if asked.dataset and asked.dataset not in store.datasets.names():
        there = ", ".join(store.datasets.names()) or "none"
        raise TandemError(f"there is no data set {asked.dataset!r}; there are: {there}")
    at = {"dataset": asked.dataset} if asked.dataset and not asked.campaign else {}
    rows = []
    for name, code in codes.items():
        annotates = access.people.person_named(store, name).role is Role.ANNOTATOR
        page = "annotate" if annotates else ""
        rows.append((name, f"{base}/{page}?{urlencode({**at, 'invitation': code})}"))
    return pd.DataFrame(rows, columns=["person", "link"])


def _said(links: pd.DataFrame) -> str:
    return "\n".join(f"{person}: {link}" for person, link in links.itertuples(index=False))


def _revoke(store: Store, asked: argparse.Namespace) -> Answer:
    with store.transaction(durable=True):
        for name in _names(asked):
            if not access.revoke(store, WHO, name):
                warn(f"{name} has no link that could be revoked")
    return _list(store, asked)


def _set_role(store: Store, asked: argparse.Namespace) -> Answer:
    if not asked.role:
        raise TandemError(f"--role is needed: {', '.join(Role)}")
    with store.transaction(durable=True):
        for name in _names(asked):
            access.people.set_role(store, WHO, name, Role(asked.role))
    return _list(store, asked)


def _email(store: Store, asked: argparse.Namespace) -> Answer:
    (name,) = _names(asked) if len(asked.names) == 1 else [""]
    if not name or asked.email is None:
        raise TandemError("one person and --email are needed: `people email NAME --email ADDRESS`")
    access.people.set_email(store, WHO, name, asked.email)
    return _list(store, asked)


def _leave(store: Store, asked: argparse.Namespace) -> Answer:
    with store.transaction(durable=True):
        for name in _names(asked):
            access.people.leave(store, WHO, name)
    return _list(store, asked)


def _return(store: Store, asked: argparse.Namespace) -> Answer:
    with store.transaction(durable=True):
        for name in _names(asked):
            access.people.come_back(store, WHO, name)
    return _list(store, asked)


def _access(store: Store, asked: argparse.Namespace) -> Answer:
    """Who may come in. Where nobody could decide about people any more, an owner's link first."""
    wanted = asked.names[0] if asked.names else access.access_of(store)
    if len(asked.names) > 1 or wanted not in list(Access):
        raise TandemError(
            f"access {' '.join(asked.names)!r} is none of {', '.join(Access)}: give one of them"
        )
    with store.transaction(durable=True):
        links = pd.DataFrame(columns=["person", "link"])
        if wanted == Access.MEMBERS and not access.people.owners(store):
            links = _links(store, asked, _owner(store))
        access.people.set_access(store, WHO, Access(wanted))
    document = {"access": str(wanted), "links": finding.records(links)}
    text = "\n".join(filter(None, [_said(links), f"{wanted}: {access.WORDS[Access(wanted)]}"]))
    return Answer(document, text)


def _owner(store: Store) -> dict[str, str]:
    """A link that does not end, for whoever is at the command line."""
    try:
        name = getpass.getuser()
    except (KeyError, OSError):  # a container may know no names
        name = "owner"
    if store.people.named(name):
        access.people.come_back(store, WHO, name)
        access.people.set_role(store, WHO, name, Role.OWNER)
    return access.invite(store, WHO, [name], Terms(Role.OWNER, days=None))


def _log(store: Store, asked: argparse.Namespace) -> Answer:
    from core.reporting import sentences

    log = store.audit.all()
    if asked.to:
        rows = exports.save(iter([log]), asked.to)
        return Answer({"rows": rows, "file": str(asked.to)}, f"{rows:,} rows in {asked.to}")
    document = [{**row, "details": json.loads(row["details"])} for row in finding.records(log)]
    shown = log.assign(
        at=_minutes(log["at"]),
        action=log["action"].map(sentences.action),
        details=[sentences.decision(row["details"]) for row in document],
    )
    return Answer(document, table(shown) if len(log) else "Nothing has been decided yet.")


VERBS: dict[str, Callable[[Store, argparse.Namespace], Answer]] = {
    "list": _list,
    "add": _add,
    "invite": _invite,
    "revoke": _revoke,
    "role": _set_role,
    "email": _email,
    "leave": _leave,
    "return": _return,
    "access": _access,
    "log": _log,
}


def _names(asked: argparse.Namespace) -> list[str]:
    if not asked.names:
        raise TandemError(f"nobody is named: `people {asked.verb} NAME`")
    return list(asked.names)


def _campaign(store: Store, asked: argparse.Namespace) -> int | None:
    if asked.campaign is None:
        return None
    campaigns = store.people.campaigns()
    rows = [row for row, name in campaigns.items() if asked.campaign in (name, name.split(": ")[1])]
    if len(rows) != 1:
        there = ", ".join(campaigns.values()) or "none"
        wrong = "several are called" if rows else "there is no open campaign"
        raise TandemError(f"{wrong} {asked.campaign!r}; there are: {there}")
    return rows[0]


def _options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("verb", choices=tuple(VERBS), metavar="VERB", help="what to do")
    sub.add_argument(
        "names", nargs="*", metavar="NAME", help="people; of access: open, members or anyone"
    )

    def part(*verbs: str) -> Part:
        return Part(sub, ", ".join(verbs), lambda asked: asked.verb in verbs, "verb")

    part("add", "invite", "role").add(
        "--role", choices=tuple(Role), help="what they may do; default annotator"
    )
    part("add", "email").add("--email", metavar="ADDRESS", help="the address they sign in with")
    invited = part("invite")
    invited.add("--campaign", metavar="NAME", help="the only campaign the link is for")
    invited.add(
        "--dataset",
        metavar="NAME",
        help="the data set at which links for all campaigns open; default the first",
    )
    invited.add(
        "--days",
        type=whole(1),
        metavar="N",
        help=f"how long the link works; default {access.DAYS}",
    )
    invited.add("--no-expiry", action="store_true", help="the link works until it is revoked")
    part("invite", "access").add(
        "--address", metavar="URL", help=f"what links begin with; default {ADDRESS}"
    )
    part("invite", "log").add(
        "--to", type=file_path, metavar="FILE", help="write .csv, .jsonl or .parquet instead"
    )


COMMANDS = {
    "people": Command(
        people, "say who may come in, as what and by which link", _options, reads=None
    )
}
