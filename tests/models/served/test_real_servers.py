"""Judges, marks and texts from real servers over a tiny model: `transformers serve` and llama.cpp's.

They need the packages of tests/requirements-servers.txt, in this Python or in the one at the whole
path $TANDEM_SERVERS_PYTHON; CONTRIBUTING.md says how to run them. Elsewhere they are skipped.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from core.judging.registry import make, make_writer
from core.models import Decoding
from core.models.respondent import Options
from core.records import Candidate, Slot, TandemError
from tests.judging.judges.test_local_classifier import plain_probability
from tests.models import tiny
from tests.paths import ROOT
from tests.study import wait_for

pytestmark = pytest.mark.slow
PYTHON = os.environ.get("TANDEM_SERVERS_PYTHON", sys.executable)
QUESTIONS = tiny.pairs(seed=3, count=6) + [tiny.swapped(q) for q in tiny.pairs(seed=4, count=6)]


def installed(*packages: str) -> None:
    code = f"import {', '.join(packages)}"
    if subprocess.run([PYTHON, "-c", code], capture_output=True).returncode:
        pytest.skip(f"{PYTHON} has not all of {', '.join(packages)}")


@contextmanager
def running(*command):
    """The port at which a server listens, that long."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [str(port) if word == "PORT" else word for word in command]
    process = subprocess.Popen(
        [PYTHON, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd="/",
        env={**os.environ, "HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": ""},
    )  # fmt: skip

    def listens():
        assert process.poll() is None, process.stdout.read().decode()
        with socket.socket() as one:
            return one.connect_ex(("127.0.0.1", port)) == 0

    try:
        wait_for(listens, seconds=120)
        yield port
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def folder(chat_llama: Path, tmp_path_factory: pytest.TempPathFactory):
    """The tiny chat model, less sure of itself, as one that never differs does not show that it
    samples; and as ready to end as to go on, which it has not learnt.
    """
    from safetensors.numpy import load_file, save_file

    folder = tmp_path_factory.mktemp("served") / "soft"
    shutil.copytree(chat_llama, folder)
    weights = load_file(folder / "model.safetensors")
    head = weights["lm_head.weight"] / 2.5
    ids = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
    head[ids["</s>"]] = (head[ids["ĠA"]] + head[ids["ĠB"]]) / 2
    weights["lm_head.weight"] = head
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


@pytest.fixture(scope="module")
def llamacpp(folder):
    installed("xllamacpp", "gguf", "safetensors")
    script = ROOT / "tests" / "models" / "served" / "llamacpp_server.py"
    with running(str(script), str(folder), "PORT") as port:
        yield "tiny", Options(base_url=f"http://127.0.0.1:{port}/v1", timeout=120)


@pytest.fixture(scope="module")
def transformers(folder):
    installed("transformers", "fastapi", "uvicorn", "torch")
    serve = "from transformers.cli.transformers import main; main()"
    arguments = ("serve", str(folder), "--port", "PORT", "--host", "127.0.0.1", "--device", "cpu")
    with running("-c", serve, *arguments) as port:
        yield str(folder), Options(base_url=f"http://127.0.0.1:{port}/v1", timeout=120)


@pytest.fixture(params=["llamacpp", "transformers"])
def served(request: pytest.FixtureRequest):
    """The model's name and the options that reach it, of each server in turn."""
    return request.getfixturevalue(request.param)


def judge(served, **options):
    model, reached = served
    return make(f"openai:{model}", replace(reached, **options))


def test_classifier_is_what_the_model_says_itself(llamacpp, folder) -> None:
    answers = judge(llamacpp, mode="classifier").answers(QUESTIONS)
    expected = [plain_probability(folder, question, tiny.LABELS) for question in QUESTIONS]
    assert [answer.prob_a for answer in answers] == pytest.approx(expected, abs=0.02)


def test_what_has_no_probabilities_is_refused_as_a_classifier(transformers) -> None:
    with pytest.raises(TandemError, match=r"no probabilities .*mode classifier\b.*mode sample\b"):
        judge(transformers, mode="classifier").load()


def test_left_open_it_is_what_the_server_can(served, request: pytest.FixtureRequest) -> None:
    asking = judge(served)
    kind = "classifier" if "llamacpp" in request.node.callspec.id else "sample"
    assert asking.spec.mode == kind
    [answer] = asking.answers(QUESTIONS[:1])
    assert answer.failure in ("", "unparsed")  # so tiny a model also writes neither label
    assert answer.raw


def test_generate_reads_what_is_written(served) -> None:
    answers = judge(served, mode="generate").answers(QUESTIONS[:2])
    assert all(json.loads(answer.raw)["text"] for answer in answers)
    assert {answer.failure for answer in answers} <= {"", "unparsed"}


def test_sampled_votes_differ(served) -> None:
    """`transformers serve` draws none unless its own form of settings says so."""
    answers = judge(served, mode="sample", votes=4).answers(QUESTIONS[:4])
    texts = [json.loads(answer.raw)["texts"] for answer in answers]
    assert all(len(replies) == 4 for replies in texts)
    assert any(len(set(replies)) > 1 for replies in texts)


def test_marks_are_asked_for(served) -> None:
    question = QUESTIONS[0]
    candidate = Candidate(1, question.context, question.text_a, tiny.ATTRIBUTE, (), "article", "s")
    [mark] = judge(served, mode="score").answers([candidate])
    assert mark.failure in ("", "unparsed")  # it has never learnt to mark
    assert json.loads(mark.raw)["text"]


def test_sampled_texts_differ(served) -> None:
    model, reached = served
    decoding = Decoding(model, "Write.", temperature=1.0, max_tokens=12, base_url=reached.base_url)
    writer = make_writer(f"openai:{model}", decoding.options({"timeout": 120}))
    writer.load()
    drafts = writer.answers([Slot(1, "i", sample, "the river") for sample in range(5)])
    assert [draft.failure for draft in drafts] == [""] * 5
    assert len({draft.text for draft in drafts}) > 1


def test_a_prompt_beyond_its_slot_is_shortened(llamacpp) -> None:
    long = replace(QUESTIONS[0], context="water " * 900)
    [answer] = judge(llamacpp, mode="classifier").answers([long])
    assert answer.failure == ""
    assert answer.context_cut > 0
