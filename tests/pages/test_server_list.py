"""Servers that nobody listed hear nothing; a listed one is sent its own key alone."""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core import access
from core.access import Access, LinkTerms
from core.judging import ServerList, add_server, make
from core.models import Options
from core.models.served import OFFICIAL
from core.pairing import Request, planning
from core.records import Role, Status
from core.store import Store
from tests import inviting
from tests.app_server import Server, serving
from tests.browserless import Visitor, visit
from tests.listener import Heard, listening
from tests.pages.test_attacks import run
from tests.paths import ROOT
from tests.study import DATASET, fill, wait_for

SECRETS = {
    "OPENAI_API_KEY": "sk-test-7c1e5b0a9d4f4e21",
    "GPU_API_KEY": "gpu-31f0c2a7b8e94d65",
    "OTHER_PASSWORD": "pw-90aa17c3e54b4f02",
}
MODEL = "Language model behind a server"
TEXTS = ("text_input", "text_area", "selectbox")


@pytest.fixture
def heard() -> Iterator[Heard]:
    with listening() as heard:
        yield heard


@pytest.fixture(scope="module")
def keyed_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """An app that has keys in its environment, as the tests have meanwhile."""
    with pytest.MonkeyPatch.context() as patch:
        for name, secret in SECRETS.items():
            patch.setenv(name, secret)
        with serving(tmp_path_factory.mktemp("keys") / "store.sqlite3") as running:
            yield running


@pytest.fixture
def server(keyed_server: Server) -> Server:
    keyed_server.begin(fill_members)
    return keyed_server


def fill_members(path: Path) -> None:
    """A study that is open to members alone: Maria, who owns it."""
    with Store(path) as store:
        fill(store)
        access.invite(store, "test", ["Maria"], LinkTerms(Role.OWNER))
        access.people.set_access(store, "test", Access.MEMBERS)


OLGA, RITA = ("Olga", Role.OWNER), ("Rita", Role.RESEARCHER)


def act(server: Server, page: str, doing: Any, who: tuple[str, Role] = RITA) -> Any:
    """What `doing` gives in a tab of somebody who is elsewhere."""

    async def visiting() -> Any:
        address = server.page(page, invitation=inviting.code(server.store, *who))
        async with visit(address, X_Forwarded_For="203.0.113.7") as tab:
            await tab.open()
            return await doing(tab)

    return run(visiting())


def list_server(server: Server, address: str = "http://127.0.0.1:9/v1", **key: str) -> None:
    with Store(server.store) as store:
        add_server(store, "test", "fake", address, **key)


async def choose_model(tab: Visitor, model: str = "fake") -> None:
    await tab.attempt(texts={tab.widgets("selectbox")["Judge"]: MODEL})
    await tab.attempt(texts={tab.widgets("text_input")["Model"]: model})


async def press_all(tab: Visitor, labels: list[str], **state: Any) -> None:
    for label in labels:
        if label in tab.buttons:
            await tab.attempt(pressed=tab.buttons[label], **state)


async def add(tab: Visitor, name: str, address: str) -> None:
    fields = tab.widgets("text_input")
    texts = {fields["Its address"]: address, fields["Name of the server"]: name}
    await tab.attempt(pressed=tab.buttons["Add server"], texts=texts)


async def go_on(tab: Visitor) -> None:
    await tab.press("Go on")


def ended(path: Path) -> None:
    with Store(path) as store:
        wait_for(lambda: not store.run_counts.list_unfinished())


def is_silent(heard: Heard) -> bool:
    return heard.connections == 0


@pytest.mark.parametrize("page", ["judge", "data"])
def test_no_widget_of_a_researcher_asks_an_address(server: Server, heard: Heard, page: str) -> None:
    """Each widget that takes a text is sent the address, by itself and with the others."""
    buttons = ["Start", "Try five", "Let the model write evaluation steps", "Write", "Measure"]

    async def attack(tab: Visitor) -> None:
        if page == "judge":
            await choose_model(tab)
            await tab.attempt(texts={tab.widgets("selectbox")["How it answers"]: "score"})
        else:
            label = "a server (OpenAI, vLLM, Ollama, llama.cpp ...)"
            await tab.attempt(texts={tab.widgets("selectbox")["Model from"]: label})
            await tab.attempt(texts={tab.widgets("text_input")["Model"]: "fake"})
        assert "Server" in tab.widgets(*TEXTS)
        there = tab.widgets(*TEXTS)
        named = {there["Model"]: "fake", there["Server"]: heard.url}
        await press_all(tab, buttons, texts=named)
        for label, widget in there.items():
            if label not in ("Data set", "Judge", "Model from", "Model", "Server"):
                await tab.attempt(texts={**named, widget: heard.url})
        assert not any(secret in tab.received() for secret in SECRETS.values())

    act(server, page, attack)
    ended(server.store)
    assert is_silent(heard)
    assert ServerList(server.store).servers() == ()


def test_a_command_in_a_choice_of_systems_asks_nobody(server: Server, heard: Heard) -> None:
    """What is tried goes by a command line: a system called like an option is no option."""
    list_server(server)

    async def attack(tab: Visitor) -> None:
        await choose_model(tab)
        systems = tab.widgets("multiselect")["Systems"]
        for words in ([f"--base-url={heard.url}"], ["--base-url", heard.url]):
            await tab.attempt(lists={systems: words})
            await press_all(tab, ["Try five", "Start"], lists={systems: words})
        await tab.attempt(lists={systems: []})
        forged = f"fake --base-url={heard.url}"
        await tab.attempt(texts={tab.widgets("text_input")["Model"]: forged})
        await press_all(tab, ["Try five"])

    act(server, "judge", attack)
    assert is_silent(heard)


def test_what_owners_have_on_the_page_is_not_for_researchers(server: Server, heard: Heard) -> None:
    list_server(server)

    async def look(tab: Visitor) -> tuple[dict[str, str], dict[str, str]]:
        return dict(tab.buttons), tab.widgets("text_input")

    buttons, fields = act(server, "judge", look, OLGA)
    assert {"Add server", "Remove"} <= set(buttons)
    before = ServerList(server.store).servers()

    async def attack(tab: Visitor) -> None:
        assert "Add server" not in tab.buttons
        forged = {fields["Its address"]: heard.url, fields["Name of the server"]: "mine"}
        for label in ("Add server", "Remove"):
            await tab.attempt(pressed=buttons[label], texts=forged)
            await tab.attempt(script=tab.script, pressed=buttons[label], texts=forged)

    act(server, "judge", attack)
    assert ServerList(server.store).servers() == before
    assert is_silent(heard)


def test_an_owner_lists_a_server_and_a_researcher_asks_it(server: Server, heard: Heard) -> None:
    """It is sent the key that was paired with it, and no other."""
    list_server(server, heard.url, key_variable="GPU_API_KEY")

    async def ask(tab: Visitor) -> None:
        await choose_model(tab)
        assert "in GPU_API_KEY." in tab.received()
        await tab.press("Try five")
        assert heard.requests
        await tab.press("Start")

    act(server, "judge", ask)
    ended(server.store)
    with Store(server.store) as store:
        assert store.runs.list_all(kind="run")["status"].tolist() == [Status.DONE]
    assert heard.authorizations == {f"Bearer {SECRETS['GPU_API_KEY']}"}
    assert not heard.has(SECRETS["OPENAI_API_KEY"])


def test_an_owner_elsewhere_lists_no_address_of_this_machine(server: Server, heard: Heard) -> None:
    own = [
        *(heard.url, "http://localhost:22/v1", "http://2130706434:80/v1", "ftp://8.8.8.8/x"),
        *("http://[::ffff:127.0.0.2]:80/v1", "http://169.254.169.254/latest/v1"),
        *("http://10.0.0.1/v1", "http://user:pw@203.0.113.9/v1"),
    ]

    async def attack(tab: Visitor) -> None:
        for url in own:
            await add(tab, "mine", url)
        await choose_model(tab)
        for url in own:
            await tab.attempt(texts={tab.widgets("selectbox")["Server"]: url})

    act(server, "judge", attack, OLGA)
    assert ServerList(server.store).servers() == ()

    async def add_others(tab: Visitor) -> None:
        for name, url in (("far", "https://8.8.8.8/v1"), ("OpenAI", OFFICIAL)):
            await add(tab, name, url)

    act(server, "judge", add_others, OLGA)
    listed = {one.name: one.key_variable for one in ServerList(server.store).servers()}
    assert listed == {"far": "", "OpenAI": "OPENAI_API_KEY"}
    with Store(server.store) as store:
        log = store.audit.load_all()
    assert log.loc[log["action"] == "listed server", "who"].tolist() == ["Olga", "Olga"]
    assert is_silent(heard)


def test_who_sits_at_this_machine_types_an_address(server: Server, heard: Heard) -> None:
    with Store(server.store) as store:
        access.people.set_access(store, "test", Access.OPEN)

    async def ask() -> None:
        async with visit(server.page("judge")) as tab:
            await tab.open()
            await choose_model(tab)
            await tab.attempt(texts={tab.widgets("selectbox")["Server"]: heard.url})
            assert "no key." in tab.received()
            await tab.press("Start")

    run(ask())
    ended(server.store)
    [listed] = ServerList(server.store).servers()
    assert (listed.address, listed.key_variable) == (heard.url, "")
    assert heard.requests
    assert not any(heard.has(secret) for secret in SECRETS.values())


def test_runs_of_before_go_on_once_their_server_is_listed(server: Server, heard: Heard) -> None:
    """As an earlier Tandem has left them, or a store that somebody else made."""
    with Store(server.store) as store:
        judge = make("openai:fake", Options(base_url=heard.url, mode="generate"))
        request = planning.check_request(store, Request(DATASET))
        number = planning.enqueue(store, judge.spec, request, {})

    async def look(tab: Visitor) -> None:
        await asyncio.sleep(0)

    async def again(tab: Visitor) -> None:
        assert f"{heard.url} is not" in tab.received()
        await go_on(tab)

    for doing in (look, again):
        act(server, "judge", doing)
        ended(server.store)
    assert is_silent(heard)
    with Store(server.store) as store:
        assert store.runs.get(number).status == Status.FAILED
    list_server(server, heard.url)
    act(server, "judge", go_on)
    ended(server.store)
    with Store(server.store) as store:
        assert store.runs.get(number).status == Status.DONE
    assert heard.authorizations == {"Bearer none"}


MAKERS = {"make", "make_writer", "remake"}


def test_no_page_makes_who_answers_without_the_list() -> None:
    """A model's name or stored judge is permitted listed servers alone."""
    for path in (ROOT / "pages").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        names = {alias.name for node in imports for alias in node.names}
        if names & MAKERS:
            assert "ServerList" in names, path


def test_a_researcher_lists_no_provider(server: Server) -> None:
    """Its address is offered to owners alone; a choice of it, forged, lists nothing."""
    url = "https://openrouter.ai/api/v1"

    async def choose_provider(tab: Visitor) -> None:
        await choose_model(tab)
        await tab.attempt(texts={tab.widgets("selectbox")["Provider"]: "OpenRouter"})
        await tab.attempt(texts={tab.widgets("selectbox")["Server"]: url})
        assert not any(secret in tab.received() for secret in SECRETS.values())

    act(server, "judge", choose_provider)
    assert ServerList(server.store).servers() == ()
    act(server, "judge", choose_provider, OLGA)
    [listed] = ServerList(server.store).servers()
    assert (listed.name, listed.address, listed.key_variable) == ("OpenRouter", url, "")
