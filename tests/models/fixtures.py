"""No model hub: whatever a test loads lies in a folder. Tiny models are trained once a machine."""

import os

# Read when transformers is first imported.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from core.models import KEY
from core.models.local import loading
from tests.models import tiny
from tests.once import Once
from tests.paths import ROOT

SOURCES = [
    ROOT / "tests/models/tiny.py",
    ROOT / "core/judging/prompts.py",
    ROOT / "requirements.txt",
    *tiny.WRITTEN,
]
"""What the models follow from."""


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    with tiny.one_thread():
        yield


@pytest.fixture(autouse=True)
def full_precision(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers are compared with plain computations to 1e-5; test_loading.py tries bf16."""
    monkeypatch.setattr(loading, "fast_bf16", lambda device: False)


@pytest.fixture
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY, raising=False)


@pytest.fixture(scope="session")
def t5(once: Once) -> Path:
    return once("tiny-t5", SOURCES, tiny.make_t5)


@pytest.fixture(scope="session")
def llama(once: Once) -> Path:
    return once("tiny-llama", SOURCES, tiny.make_llama)


@pytest.fixture(scope="session")
def chat_llama(once: Once) -> Path:
    return once("tiny-chat", SOURCES, partial(tiny.make_llama, chat=True))


@pytest.fixture(params=["t5", "llama", "chat_llama"])
def model(request: pytest.FixtureRequest) -> Path:
    """Each of the three tiny models in turn."""
    folder: Path = request.getfixturevalue(request.param)
    return folder
