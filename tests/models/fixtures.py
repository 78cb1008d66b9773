"""No model hub: whatever a test loads lies in a folder. Tiny models are trained once a session."""

import os

# Read when transformers is first imported.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
# Compared with plain computations to 1e-4; test_language.py tries bf16.
os.environ["TANDEM_DTYPE"] = "fp32"

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.models import tiny


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    with tiny.one_thread():
        yield


@pytest.fixture(scope="session")
def t5(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.make_t5(tmp_path_factory.mktemp("t5") / "tiny-t5")


@pytest.fixture(scope="session")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.make_llama(tmp_path_factory.mktemp("llama") / "tiny-llama")


@pytest.fixture(scope="session")
def chat_llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.make_llama(tmp_path_factory.mktemp("chat") / "tiny-chat", chat=True)


@pytest.fixture(params=["t5", "llama", "chat_llama"])
def model(request: pytest.FixtureRequest) -> Path:
    """Each of the three tiny models in turn."""
    folder: Path = request.getfixturevalue(request.param)
    return folder
