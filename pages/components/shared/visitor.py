"""Who is in front of the page: what they bring along, as the store is to judge it."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

import streamlit as st

from core.access import CROWD, Claim, CrowdVisit, Visit
from core.records import Role

LINK = "invitation"
"""The parameter of an address that holds the code of a personal link."""

FORWARDED = (
    "Forwarded",
    "Via",
    "X-Forwarded-For",
    "X-Forwarded-Host",
    "X-Forwarded-Proto",
    "X-Real-IP",
)
"""Headers with which a proxy says that it passes on what somebody else asks."""

_VISIT = "visit"


def claim() -> Claim:
    """What this visitor brings along now. The code of a link is in the address of their tab, and
    the session keeps it where a click lost it.
    """
    for name in (LINK, "annotator"):
        if name in st.query_params:
            st.session_state[name] = st.query_params[name]
    if CROWD in st.query_params:
        st.session_state[CROWD] = st.query_params.to_dict()
    crowd = crowd_parameters()
    user = st.user if st.user.get("is_logged_in") else {}
    return Claim(
        code=str(st.session_state.get(LINK) or ""),
        crowd=crowd.get(CROWD, ""),
        parameters=tuple(crowd.items()),
        signed_in=bool(user),
        email=str(user.get("email") or ""),
        verified=user.get("email_verified") in (True, "true"),
        name=" ".join(str(st.session_state.get("annotator") or "").split()),
        elsewhere=is_elsewhere(),
        address=_address(),
    )


def crowd_parameters() -> dict[str, str]:
    """The address by which a participant of a panel came; {} of everybody else."""
    return dict(st.session_state.get(CROWD) or {})


def crowd_visit() -> CrowdVisit:
    """What the address of this participant says, and who they are here, as the store has it now."""
    crowd = visit().crowd
    assert crowd
    return crowd


def _address() -> str:
    """Where this visitor is on the network; '' behind a proxy on this machine that does not say."""
    address = st.context.ip_address
    if isinstance(address, str):
        return address
    return "" if is_elsewhere() else "this machine"


def remember(visit: Visit) -> None:
    st.session_state[_VISIT] = visit


def is_invited() -> bool:
    """Whether this visitor is here to annotate, and for nothing else, as far as it is known: the
    store may be what cannot be had.
    """
    admitted: Visit | None = st.session_state.get(_VISIT)
    if admitted:
        return admitted.role is Role.ANNOTATOR
    return LINK in st.query_params or CROWD in st.query_params


def visit() -> Visit:
    """Who this page, callback or fragment was let in for, when it opened the store."""
    admitted: Visit = st.session_state[_VISIT]
    return admitted


def providers() -> list[str]:
    """The names of what one may sign in with: [""] for a single one, [] where none is set up."""
    if not st.secrets.load_if_toml_exists() or "auth" not in st.secrets:
        return []
    auth = st.secrets["auth"]
    named = [name for name in auth if hasattr(auth[name], "get") and auth[name].get("client_id")]
    return named or [""]


def is_elsewhere() -> bool:
    """Whether this visitor may sit at another machine than the server's. What a browser or a proxy
    says counts against them only; where the connection comes from is what cannot be invented. The
    agent interface tells no address, so with it nobody is known to be here.
    """
    headers = st.context.headers
    names = [urlsplit(f"//{headers['Host']}").hostname] if "Host" in headers else []
    names += [urlsplit(headers["Origin"]).hostname] if "Origin" in headers else []
    address = st.context.ip_address  # None: this machine's own
    return (
        is_forwarded()
        or not all(is_loopback(name) for name in names)
        or (isinstance(address, str) and not is_loopback(address))
        or bool(st.get_option("server.enableAgentApi"))
    )


def is_forwarded() -> bool:
    """Whether this page comes by way of a proxy."""
    headers = st.context.headers  # made anew whenever it is asked for
    return any(name in headers for name in FORWARDED)


def is_loopback(name: str | None) -> bool:
    """Whether the name or number of a machine means the machine itself."""
    if name is None:
        return False
    try:
        number = ip_address(name)
    except ValueError:
        return name == "localhost" or name.endswith(".localhost")
    return (getattr(number, "ipv4_mapped", None) or number).is_loopback
