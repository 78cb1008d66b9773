"""The list of servers: what may stand in it, and what a forged or old list achieves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.__main__ import main
from core.judging import ServerList, add_server, remove_server
from core.models import KEY, Options, permit_no_server
from core.models.served import OFFICIAL, Endpoint
from core.models.served.concurrent_requests import wait_for
from core.records import TandemError
from core.store import Store
from tests.listener import listening

SECRET = "gpu-1b7f30a2c5d84e96"
URL = "http://gpu-1:8000/v1"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GPU_API_KEY", SECRET)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-another-key-of-this-test")
    with Store(tmp_path / "store.sqlite3") as store:
        yield store


def listed(store: Store) -> ServerList:
    return ServerList(store.path)


def test_a_server_is_sent_the_key_that_was_paired_with_it(store: Store) -> None:
    add_server(store, "test", "GPU", URL.upper().replace("/V1", "/v1/"), key_variable="GPU_API_KEY")
    add_server(store, "test", "Ollama", "http://localhost:11434/v1")
    add_server(store, "test", "OpenAI", OFFICIAL)
    permit = listed(store).permit
    assert permit(URL).variable == "GPU_API_KEY"
    assert permit("http://localhost:11434/v1").variable == ""
    assert permit(OFFICIAL).variable == KEY
    assert set(permit("http://localhost:11434/v1").other_variables) == {KEY, "GPU_API_KEY"}
    for other in (f"{URL}/x", URL.replace("http:", "https:"), URL.replace("8000", "8001")):
        with pytest.raises(TandemError, match=rf"^{other} .*\blist\b.*`servers add`"):
            permit(other)


def test_no_key_is_in_the_list_and_nobody_else_reads_it(store: Store) -> None:
    add_server(store, "test", "GPU", URL, key_variable="GPU_API_KEY")
    path = listed(store).path
    assert SECRET not in path.read_text()
    assert path.stat().st_mode & 0o077 == 0


def test_a_list_of_somebody_who_has_not_the_key_sends_it_nowhere(store: Store) -> None:
    """Neither with an address of theirs, nor with a proof of another one, nor without any."""
    add_server(store, "test", "GPU", URL, key_variable="GPU_API_KEY")
    path = listed(store).path
    document = json.loads(path.read_text())
    for change in (
        {"address": "http://evil.example/v1"},
        {"proof": ""},
        {"key_variable": "OPENAI_API_KEY"},
        {"key_variable": "HOME"},
    ):
        forged = {"servers": [document["servers"][0] | change]}
        path.write_text(json.dumps(forged))
        address = forged["servers"][0]["address"]
        with pytest.raises(TandemError):
            listed(store).permit(address)


def test_a_key_that_has_changed_is_paired_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_server(store, "test", "GPU", URL, key_variable="GPU_API_KEY")
    monkeypatch.setenv("GPU_API_KEY", "gpu-the-next-one-5521")
    with pytest.raises(
        TandemError, match=rf"GPU_API_KEY .*paired.* {URL}\b.*--key-variable GPU_API_KEY`"
    ):
        listed(store).permit(URL)
    add_server(store, "test", "GPU", URL, key_variable="GPU_API_KEY")
    assert listed(store).permit(URL).variable == "GPU_API_KEY"


def test_a_variable_that_is_none_for_a_key_is_refused(store: Store) -> None:
    for variable in ["HOME", "PATH", "AWS_SECRET", "A B_KEY", "NOT_SET_KEY"]:
        with pytest.raises(TandemError):
            add_server(store, "test", "GPU", URL, key_variable=variable)
        assert listed(store).servers() == ()


def test_list_and_log_change_together(store: Store) -> None:
    add_server(store, "Ada", "GPU", URL)
    with pytest.raises(TandemError, match="is called"):
        add_server(store, "Ada", "GPU", "http://gpu-2:8000/v1")
    remove_server(store, "Ada", "GPU")
    with pytest.raises(TandemError, match=r"^no server .*'GPU'.*none$"):
        remove_server(store, "Ada", "GPU")
    assert listed(store).servers() == ()
    assert store.audit.load_all()["action"].tolist() == ["removed server", "listed server"]


def test_a_damaged_list_permits_nobody(store: Store) -> None:
    for text in ("", "{", "[]", '{"servers": [{"name": 1, "address": 2}]}', '{"servers": [3]}'):
        listed(store).path.write_text(text)
        with pytest.raises(TandemError, match="is damaged"):
            listed(store).permit(URL)


def test_a_server_that_is_removed_hears_nothing_more(store: Store) -> None:
    with listening() as heard:
        add_server(store, "test", "fake", heard.url)
        endpoint = Endpoint("fake", Options(base_url=heard.url, permit=listed(store).permit))
        wait_for(endpoint.complete([{"role": "user", "content": "A?"}], max_tokens=2))
        remove_server(store, "test", "fake")
        with pytest.raises(TandemError, match=rf"^{heard.url} .*\blist\b.*`servers add`"):
            wait_for(endpoint.complete([{"role": "user", "content": "A?"}], max_tokens=2))
        assert len(heard.requests) == 1


def test_nothing_is_permitted_where_no_list_is_given() -> None:
    with pytest.raises(TandemError, match=rf"^{OFFICIAL} .*\blist\b.*`servers add`"):
        permit_no_server(OFFICIAL)


def test_the_account_at_openai_is_named_to_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-this-test")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-of-this-test")
    with listening() as heard:
        endpoint = Endpoint("fake", Options(base_url=heard.url))
        wait_for(endpoint.complete([{"role": "user", "content": "A?"}], max_tokens=2))
        assert heard.requests
        assert not heard.has("org-of-this-test")
        assert not heard.has("proj-of-this-test")


def test_on_the_command_line(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    def ask(*words: str) -> dict:
        assert main(["--store", str(store.path), "servers", *words, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    assert ask("list") == {"servers": []}
    gpu = {"name": "GPU", "address": URL, "key_variable": "GPU_API_KEY", "key_set": True}
    assert ask("add", "GPU", URL, "--key-variable", "GPU_API_KEY") == gpu
    assert ask("list") == {"servers": [gpu]}
    assert ask("remove", "GPU") == gpu
    assert ask("list") == {"servers": []}
    for wrong in (["add", "GPU"], ["remove"], ["remove", "GPU"], ["list", "x"]):
        assert main(["--store", str(store.path), "servers", *wrong]) == 2
