"""Visitor of the page: the claim they bring, by which the store decides about access.

The framework's own addresses, which programs can call without a page, are guarded here as well.
"""

from __future__ import annotations

import re
from ipaddress import ip_address
from urllib.parse import urlsplit

import streamlit as st
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit.runtime import Runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.access import CROWD, INVITATION, Claim, CrowdSession, Session
from core.records import Role

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
    """Return what this visitor presents to be let in.

    A link's code is in the address of the tab; the session keeps it in case a click drops it.
    """
    for name in (INVITATION, "annotator"):
        if name in st.query_params:
            st.session_state[name] = st.query_params[name]
    if CROWD in st.query_params:
        st.session_state[CROWD] = st.query_params.to_dict()
    crowd = crowd_parameters()
    user = st.user if st.user.get("is_logged_in") else {}
    return Claim(
        code=str(st.session_state.get(INVITATION) or ""),
        crowd=crowd.get(CROWD, ""),
        parameters=tuple(crowd.items()),
        signed_in=bool(user),
        email=str(user.get("email") or ""),
        verified=user.get("email_verified") in (True, "true"),
        name=" ".join(str(st.session_state.get("annotator") or "").split()),
        is_remote=is_elsewhere(),
        address=_address(),
    )


def crowd_parameters() -> dict[str, str]:
    """Return the address parameters of a participant from a panel; {} for others."""
    return dict(st.session_state.get(CROWD) or {})


def crowd_visit() -> CrowdSession:
    """Return the crowd participant's address parameters, and their current record in the store."""
    crowd = current_session().crowd
    assert crowd
    return crowd


def _address() -> str:
    """Return the visitor's network address; '' if a proxy on this machine hides it."""
    address = st.context.ip_address
    if isinstance(address, str):
        return address
    return "" if is_elsewhere() else "this machine"


def remember(visit: Session) -> None:
    """Keep the visitor's session in the state of this browser tab."""
    st.session_state[_VISIT] = visit


def is_invited() -> bool:
    """Check whether this visitor is here only to annotate, even if the store cannot be opened."""
    admitted: Session | None = st.session_state.get(_VISIT)
    if admitted:
        return admitted.role is Role.ANNOTATOR
    return INVITATION in st.query_params or CROWD in st.query_params


def current_session() -> Session:
    """Return the visit that this page, callback or fragment was admitted as."""
    admitted: Session = st.session_state[_VISIT]
    return admitted


def providers() -> list[str]:
    """Return the names of sign-in providers: [""] for a single one, [] if sign-in is not set up."""
    if not st.secrets.load_if_toml_exists() or "auth" not in st.secrets:
        return []
    auth = st.secrets["auth"]
    named = [name for name in auth if hasattr(auth[name], "get") and auth[name].get("client_id")]
    return named or [""]


def is_elsewhere() -> bool:
    """Check whether this visitor may sit at another machine than the server's.

    Headers of browsers and proxies can only count against them, since only the connection's origin
    cannot be forged. The agent interface gives no address, so with it nobody counts as local.
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
    """Check whether this page was requested through a proxy."""
    headers = st.context.headers  # built on every access: read it once
    return any(name in headers for name in FORWARDED)


def is_loopback(name: str | None) -> bool:
    """Check whether a host name or IP address means this machine itself."""
    if name is None:
        return False
    try:
        number = ip_address(name)
    except ValueError:
        return name == "localhost" or name.endswith(".localhost")
    return (getattr(number, "ipv4_mapped", None) or number).is_loopback


_UPLOAD = re.compile(r"/_stcore/upload_file(?:/([^/]*))?")
_METRICS = "/_stcore/metrics"

_uploaders = set[str]()
"""The sessions of those who may upload, in this process: an upload comes where its session is."""


def let_upload(may: bool) -> None:
    """Allow or forbid file uploads in the current session, and forget sessions that have ended."""
    context = get_script_run_ctx()
    if context is None:
        return
    for session in tuple(_uploaders):
        if not (Runtime.exists() and Runtime.instance().is_active_session(session)):
            _uploaders.discard(session)
    if may:
        _uploaders.add(context.session_id)
    else:
        _uploaders.discard(context.session_id)


class Gate:
    """Server that takes files only from people who may upload, and tells nobody its load."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = _refusal(scope) if scope["type"] == "http" else None
        await (answer or self._app)(scope, receive, send)


def _refusal(scope: Scope) -> PlainTextResponse | None:
    """Return the answer to a refused request, before any of its body is read."""
    path = scope["path"]
    if _METRICS in path:
        return PlainTextResponse("Not Found", status_code=404)
    upload = _UPLOAD.search(path)
    if upload and scope["method"] in ("PUT", "POST") and upload[1] not in _uploaders:
        return PlainTextResponse("Only researchers and owners may upload.", status_code=403)
    return None
