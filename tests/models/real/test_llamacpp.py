"""The small model behind llama.cpp's own server, which reads the same GGUF file by code of its own,
against the same model on this machine.

The server needs the packages of tests/requirements-llamacpp.txt, in this Python or in the one at
the whole path $TANDEM_SERVERS_PYTHON. Where they are not, these tests are skipped.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.judging import make
from core.models import Options
from tests.models.served.test_real_servers import PYTHON, installed, running
from tests.once import Once
from tests.paths import ROOT
from tests.real_weights import sample_questions

SERVER = ROOT / "tests" / "models" / "served" / "llamacpp_server.py"
LABELS = ("A", "B")
"""Of one token each, so that the server's first token decides."""


@pytest.fixture(scope="module")
def address(gguf: Path, once: Once) -> Iterator[str]:
    installed("xllamacpp", "gguf")

    def dequantize(target: Path) -> None:
        words = [PYTHON, str(SERVER), "dequantize", str(gguf), str(target)]
        subprocess.run(words, check=True, timeout=120)

    exact = once("smollm2-fp32.gguf", [SERVER], dequantize)
    with running(str(SERVER), str(exact), "PORT") as port:
        yield f"http://127.0.0.1:{port}/v1"


def test_p_is_that_of_the_model_on_this_machine(address: str, smollm2: str) -> None:
    """What it does not state as asked has no p there; of two items in both orders, most do."""
    questions = sample_questions(3)[2:]
    reached = Options(base_url=address, mode="classifier", labels=LABELS, timeout=120)
    served = make("openai:tiny", reached)
    served.load()
    answers = served.answers(questions)
    here = make(smollm2, Options(labels=LABELS)).answers(questions)
    both = [(one.prob_a, two.prob_a) for one, two in zip(answers, here, strict=True)]  # type: ignore[attr-defined]
    read = [pair for pair in both if pair[0] is not None]
    assert len(read) >= 3, [(answer.failure, answer.raw) for answer in answers]
    assert [there for there, _ in read] == pytest.approx([own for _, own in read], abs=2e-3)
    assert max(own for _, own in read) - min(own for _, own in read) > 0.02, "ten times that"
