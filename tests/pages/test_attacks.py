"""Whoever speaks to the server without its pages gets no further than with them."""

from __future__ import annotations

import ast
import asyncio
import re
import sqlite3
import urllib.request
from collections.abc import Callable, Coroutine, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from http.client import HTTPConnection
from itertools import chain, repeat
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit

import pytest

from core import access
from core.access import Access
from core.access.links import FREE
from core.records import Role
from core.store import Store
from pages.components.shared.frame import PAGES as MENU_PAGES
from pages.components.shared.headers import HEADERS
from pages.components.shared.stores import COMMAND
from tests import inviting
from tests.app_server import Server, serving
from tests.browserless import Visitor, visit
from tests.pages.test_blinding import IMPORTED, SYSTEMS, imported
from tests.paths import ROOT

PAGES = [
    entry.path.removeprefix("pages/").removesuffix(".py").replace("app", "") for entry in MENU_PAGES
]
FOR_RESEARCHERS = [page for page in PAGES if page != "annotate"]
SECRET = "sk-test-0d3f8a61c2b94e57"
READING = 0.5  # seconds before a press: quicker is not counted


def run(visiting: Coroutine[Any, Any, Any]) -> Any:
    """In a thread of its own: Playwright, once used, keeps a loop running in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, visiting).result()


def begin(path: Path) -> None:
    imported(path)
    inviting.code(path, "Maria", Role.OWNER)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    store = tmp_path_factory.mktemp("attacks") / "store.sqlite3"
    begin(store)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", SECRET)
        with serving(store) as running:
            yield running


async def opened(address: str, act: Callable[[Visitor], object], **headers: str) -> Any:
    async with visit(address, **headers) as tab:
        await tab.open()
        done = act(tab)
        return await done if asyncio.iscoroutine(done) else done


def look(address: str, act: Callable[[Visitor], object] = Visitor.received, **headers: str) -> Any:
    """What `act` gives in a tab at an address: by default all that was received."""
    return run(opened(address, act, **headers))


@pytest.fixture(scope="module")
def scripts(server: Server) -> dict[str, str]:
    """page -> the hash by which the server knows it."""
    return {page: look(server.page(page), lambda tab: tab.script) for page in PAGES}


def rows(server: Server, table: str) -> list[tuple]:
    with closing(sqlite3.connect(server.store)) as db:
        return db.execute(f"SELECT * FROM {table} ORDER BY id").fetchall()


def tells_nothing(text: str) -> bool:
    """Whether no system is named, and neither anybody who takes part nor a code."""
    return not any(word in text for word in (*SYSTEMS, "Maria", "code_hash"))


def test_every_page_of_a_server_that_has_just_started(tmp_path: Path) -> None:
    """By its address, before anybody has opened the app itself."""
    path = tmp_path / "store.sqlite3"
    begin(path)
    link = inviting.code(path, "Grace")
    with Store(path) as store:
        access.people.set_access(store, "test", Access.MEMBERS)
    with serving(path) as server:
        for page in FOR_RESEARCHERS:
            assert tells_nothing(look(server.page(page, invitation=link))), page
            outside = look(server.page(page))
            assert "personal link" in outside
            assert tells_nothing(outside), page
        assert "personal link" in look(server.page("annotate", annotator="Grace"))
        assert "tandem-question" in look(server.page("annotate", invitation=link))


def test_the_hash_of_a_script_opens_nothing(server: Server, scripts: dict[str, str]) -> None:
    """Nor does a link that was taken out of the address make anybody more."""

    async def attack(tab: Visitor) -> dict[str, str]:
        heard = {}
        for page, script in scripts.items():
            await tab.attempt(script=script)
            heard[page] = tab.received()
        await tab.attempt(script=scripts["leaderboard"], query=f"dataset={IMPORTED}")
        return {**heard, "without the link": tab.received()}

    attacks = {}
    for role in (Role.ANNOTATOR, Role.RESEARCHER):
        link = inviting.code(server.store, f"Eve the {role}", role)
        attacks[role] = look(server.page("annotate", invitation=link), attack)
    assert all(tells_nothing(text) for text in attacks[Role.ANNOTATOR].values())
    assert "Make links" not in attacks[Role.RESEARCHER]["people"]
    assert "Maria" in attacks[Role.RESEARCHER]["people"]  # who is there they may see


def test_buttons_that_an_owner_saw_do_nothing(server: Server) -> None:
    buttons, script = look(server.page("people"), lambda tab: (dict(tab.buttons), tab.script))
    assert {"Make links", "Revoke links", "Has left", "New link"} <= set(buttons)

    async def attack(tab: Visitor) -> None:
        for widget in buttons.values():
            await tab.attempt(script=script, pressed=widget)
            await tab.attempt(pressed=widget)

    for role in (Role.ANNOTATOR, Role.RESEARCHER):
        link = inviting.code(server.store, f"Mallory the {role}", role)
        before = [rows(server, table) for table in ("people", "invitations", "audit")]
        look(server.page("annotate", invitation=link), attack)
        people, invitations, audit = (
            rows(server, table) for table in ("people", "invitations", "audit")
        )
        assert (len(people), len(invitations), audit) == (*map(len, before[:2]), before[2])


def test_an_owner_who_is_none_any_more_presses_in_vain(server: Server) -> None:
    """The page with its buttons is still on their screen."""
    link = inviting.code(server.store, "Trent", Role.OWNER)

    async def attack(tab: Visitor) -> str:
        with Store(server.store) as store:
            access.people.set_role(store, "test", "Trent", Role.RESEARCHER)
        before = rows(server, "audit")
        for button in ("Make links", "Revoke links", "Has left", "New link"):
            await tab.attempt(pressed=tab.buttons[button])
        assert rows(server, "audit") == before
        return tab.received()

    heard = look(server.page("people", invitation=link), attack)
    assert "Make links" not in heard


def test_fragments_and_files_end_with_the_link(server: Server) -> None:
    link = inviting.code(server.store, "Judy", Role.RESEARCHER)

    async def attack(tab: Visitor) -> None:
        file = tab.files["Texts"]
        assert await tab.fetch(file)
        with Store(server.store) as store:
            access.revoke(store, "test", "Judy")
        assert not await tab.fetch(file)
        fragments = {frame.delta.fragment_id for frame in tab.frames} - {""}
        assert fragments
        for fragment in fragments:
            await tab.attempt(fragment=fragment)
            assert tells_nothing(tab.received())
            assert "revoked on" in tab.received()

    look(server.page("data", invitation=link), attack)


def test_the_very_next_press_after_a_revocation_is_not_saved(server: Server) -> None:
    link = inviting.code(server.store, "Wei")

    async def annotate(tab: Visitor) -> str:
        await asyncio.sleep(READING)
        await tab.press("A is better")
        before = rows(server, "judgements")
        with Store(server.store) as store:
            access.revoke(store, "test", "Wei")
        await asyncio.sleep(READING)
        await tab.attempt(pressed=tab.buttons["B is better"])
        assert rows(server, "judgements") == before != []
        return tab.received()

    heard = look(server.page("annotate", invitation=link), annotate)
    assert "not saved" in heard
    assert "revoked on" in heard


def test_a_screen_is_of_who_it_was_drawn_for(server: Server) -> None:
    """Somebody else's link in the address does not give them the answers of the one before."""
    ada, ben = (inviting.code(server.store, name) for name in ("Ada", "Ben"))

    async def annotate(tab: Visitor) -> None:
        with Store(server.store) as store:
            access.revoke(store, "test", "Ada")
        before = rows(server, "judgements")
        await asyncio.sleep(READING)
        await tab.attempt(
            pressed=tab.buttons["A is better"], query=f"dataset={IMPORTED}&invitation={ben}"
        )
        assert rows(server, "judgements") == before

    look(server.page("annotate", invitation=ada), annotate)


def test_who_was_passed_on_or_led_here_by_a_trick_is_not_at_this_machine(server: Server) -> None:
    """A page whose name means this machine now (DNS rebinding). A link works from elsewhere."""
    address = server.page("leaderboard", annotator="Maria")
    for headers in (
        {"X_Forwarded_For": "203.0.113.7"},
        {"X_Forwarded_For": "127.0.0.1"},  # anybody can write that
        {"Forwarded": "for=127.0.0.1"},
        {"X_Real_IP": "127.0.0.1"},
        {"Via": "1.1 proxy"},
    ):
        heard = look(address, **headers)
        assert tells_nothing(heard), headers
        assert "personal link" in heard
        assert COMMAND in heard
    heard = look(server.page("people"), called="evil.example:8501")
    assert tells_nothing(heard)
    assert "personal link" in heard
    link = server.page("annotate", invitation=inviting.code(server.store, "Grace"))
    assert "tandem-question" in look(link, X_Forwarded_For="203.0.113.7")


def test_who_tries_out_codes_waits_and_others_come_in(server: Server) -> None:
    def try_code(code: str, address: str) -> str:
        return str(look(server.page("annotate", invitation=code), X_Forwarded_For=address))

    link = inviting.code(server.store, "Grace")
    heard = [try_code(f"guess {number}", "203.0.113.9") for number in range(FREE + 2)]
    assert all("not known" in text for text in heard)
    waits = [re.search(r"Wait \d+ second", text) for text in heard]
    assert waits[-1]
    assert not any(waits[:-1])
    assert tells_nothing(heard[-1])
    assert "tandem-question" in try_code(link, "198.51.100.9")


def test_a_key_and_the_codes_of_links_are_kept_nowhere(server: Server, tmp_path: Path) -> None:
    """Not in what pages send to an owner, in the store and its log, in a backup, in the server's
    log, nor in the list of processes. A code is in its own tab's address, and there alone.
    """
    codes = [inviting.code(server.store, name) for name in ("Grace", "Heidi")]
    owner = inviting.code(server.store, "Olga", Role.OWNER)
    secrets = [SECRET, SECRET[3:], *codes]
    look(server.page("annotate", invitation=codes[0]), lambda tab: None)
    told = [look(server.page(page, invitation=owner)) for page in PAGES]
    with Store(server.store) as store:
        store.connection.backup(tmp_path / "backup.sqlite3")
    folders = (server.store.parent, tmp_path)
    files = [file for folder in folders for file in folder.rglob("*") if file.is_file()]
    assert any(file.name.endswith(".server.log") for file in files)
    told += [file.read_bytes().decode("latin-1") for file in files]
    assert not any(owner in text for text in told[len(PAGES) :])
    for commandline in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            told.append(commandline.read_bytes().decode("latin-1"))
    for secret in secrets:
        assert not [text[:200] for text in told if secret in text]


FORM = '--x\r\nContent-Disposition: form-data; name="f"; filename="f.csv"\r\n\r\n'


def upload(
    server: Server, parts: Iterable[bytes] = (b"a",), length: int = 0, **words: str
) -> tuple[int, str]:
    """What is answered to a file of these parts; its `length` may lie, and 0 is not said."""

    async def put(tab: Visitor) -> tuple[int, str]:
        address = f"/_stcore/upload_file/{tab.session}/a"
        return await asyncio.to_thread(sent, server, address, parts, length)

    return look(server.page("data", **words), put, X_Forwarded_For="203.0.113.7")


def sent(
    server: Server, path: str, parts: Iterable[bytes] = (b"a",), length: int = 0
) -> tuple[int, str]:
    with urllib.request.urlopen(f"{server.url}/_stcore/health") as health:
        cookie = health.headers["Set-Cookie"].partition(";")[0]
    headers = {
        "Content-Type": "multipart/form-data; boundary=x",
        "Cookie": cookie,
        "X-Xsrftoken": cookie.partition("=")[2],
    } | ({"Content-Length": str(length)} if length else {})
    body = chain([FORM.encode()], parts, [b"\r\n--x--\r\n"])
    with closing(HTTPConnection(urlsplit(server.url).netloc, timeout=60)) as connection:
        with suppress(BrokenPipeError, ConnectionResetError):  # what is refused is not read
            connection.request("PUT", path, body, headers, encode_chunked=not length)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


def test_files_are_taken_from_researchers_and_owners_alone(server: Server) -> None:
    refused = (403, "Only researchers and owners may upload.")
    assert upload(server) == refused
    assert upload(server, invitation=inviting.code(server.store, "Ann")) == refused
    for name, role in (("Rita", Role.RESEARCHER), ("Otto", Role.OWNER)):
        link = inviting.code(server.store, name, role)
        assert upload(server, invitation=link) == (204, "")
    assert sent(server, "/_stcore/upload_file/nobody/a") == refused


MB = 1 << 20


def test_a_file_beyond_200_mb_is_refused_and_fills_nothing(server: Server) -> None:
    """2 GB, as its length says, and 300 MB of which nobody says how long they are."""
    owner = inviting.code(server.store, "Olga", Role.OWNER)
    sizes: tuple[tuple[Iterable[bytes], int], ...] = (([], 2048 * MB), (repeat(bytes(MB), 300), 0))
    for parts, length in sizes:
        assert upload(server, invitation=owner) == (204, "")
        memory = most_memory(server.process)
        status, reason = upload(server, parts, length, invitation=owner)
        assert status == 413
        assert "large" in reason
        assert most_memory(server.process) - memory < 50 * MB
        kept = (server.store.parent / "temporary").rglob("*")
        assert not [file for file in kept if file.is_file()]
    assert upload(server, invitation=owner) == (204, "")


def most_memory(process: int) -> int:
    """The most bytes of memory that a process has held so far."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


PATHS = (
    "", "annotate", "people", "favicon.png", "_stcore/health", "_stcore/metrics", "no/such",
    "../etc/passwd",
)  # fmt: skip


def test_every_answer_has_the_headers_and_nobody_is_told_the_load(server: Server) -> None:
    statuses = {}
    for path in PATHS:
        try:
            answer = urllib.request.urlopen(f"{server.url}/{path}")
        except HTTPError as refused:
            answer = refused
        with answer:
            sent = {name.lower(): value for name, value in answer.headers.items()}
            statuses[path] = answer.status
        assert {name.lower(): value for name, value in HEADERS.items()}.items() <= sent.items()
    assert statuses["_stcore/metrics"] == 404


CHECKED = {"stores.py": "asks who is there", "downloads.py": "asks again", "counting.py": "counts"}
"""Where a page's code may open a store by itself, and why it may."""


def test_no_page_opens_a_store_without_asking_who_is_there() -> None:
    for path in (ROOT / "pages").rglob("*.py"):
        calls = [
            node
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "Store"
        ]
        assert bool(calls) == (path.name in CHECKED), path
