"""Language models: loaded from a folder or the hub, encoder-decoder or decoder-only, in the
precision that suits.
"""

from __future__ import annotations

import hashlib
import os
import timeit
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from threading import Lock
from typing import Any

from ...installation import require_packages
from ...records import TandemError, option_ref
from ..options import DTYPES, ENGINES
from ..respondent import Family
from . import precision_choice, small_model, vllm_engine
from .cpu_speedups import attend_by_head, is_t5, speed_up_t5
from .decoder_only import DecoderOnly
from .encoder_decoder import EncoderDecoder
from .language_model import LanguageModel
from .precision_choice import (
    TORCH_NAMES,
    WORTH_KEEPING,
    PrecisionChoice,
    choice_file,
    keep_choice,
    read_choice,
)
from .prefix_cache import shareable

TOKENIZER_FILES = (
    *("tokenizer.json", "tokenizer.model", "spiece.model", "tokenizer_config.json", "vocab.json"),
    *("vocab.txt", "sentencepiece.bpe.model"),
)
"""Any of these is a tokenizer, or names one."""


class PickleError(Exception):
    """A file of weights that could hold a program, which is not read."""

    def __init__(self, file: object) -> None:
        super().__init__(Path(*Path(str(file)).parts[-2:]).as_posix())


def explain_load_error(name: str, error: Exception) -> str:
    """Say why the model or encoder `name` was not loaded, after 'cannot load ...:'."""
    folder = Path(name).expanduser()
    if isinstance(error, PickleError):
        return (
            f"{error} is not in safetensors form, and other forms could hold a program; save it "
            "with SentenceTransformer's save_pretrained"
        )
    if folder.is_dir() and not any((folder / file).is_file() for file in TOKENIZER_FILES):
        return (
            "the folder has no tokenizer for the model: copy its tokenizer files there "
            f"({' or '.join(TOKENIZER_FILES[:2])}), or save it with tokenizer.save_pretrained"
        )
    if isinstance(error, OSError) and "safetensors" in str(error):
        return (
            "its weights are not in safetensors form, and other forms could hold a program; "
            "save it with model.save_pretrained"
        )
    if isinstance(error, OSError) and not Path(name).is_dir():
        return (
            "it is neither a folder here nor on the hub; name a folder with a model, or go online"
        )
    if "trust_remote_code" in str(error):
        return (
            "it comes with Python code of its own, which Tandem never runs; give a model that "
            "transformers knows"
        )
    return f"{type(error).__name__}: {(str(error).strip().splitlines() or [''])[0][:200]}"


HF = Family(
    "hf",
    "NAME-OR-PATH",
    label="Language model on this machine",
    help="From the Hugging Face hub, or a folder. It runs here: no text leaves this machine.",
    example="google/flan-t5-base, or a folder on this machine",
    choose="Choose a model: type its name on the Hugging Face hub, or its folder.",
    fetched=(small_model.SPEC,),
)

MOVES = 0.01
"""On a CPU a model of no given precision is in bf16 if that is faster and moves p by less."""

WORTH_IT = 0.8
"""What a product in bf16 takes at most, as a share of one in fp32, where bf16 is to be chosen."""
HALF_MOVES = 0.1
"""Two right ways to read a prompt in bf16 or fp16 differ by less: sums in another order round."""

Say = Callable[[str], None]

NO_CODE: dict[str, Any] = {"trust_remote_code": False}
"""What every loading says: left open, transformers asks on standard input, and runs a model's code
when the answer is yes."""

NO_PICKLE: dict[str, Any] = {"use_safetensors": True}
"""What every loading of weights says: the older form of weights is a program that makes them."""

_LOADING = Lock()

QUIET = ("HF_HUB_DISABLE_TELEMETRY", "DISABLE_SAFETENSORS_CONVERSION")
"""Set, transformers tells nobody what it is used for, and has no model of the hub converted by a
server of somebody else's."""

for _name in QUIET:
    os.environ.setdefault(_name, "1")

# torch's threads wait for each other thousands of times a second. On a core that others use, too,
# waiting in a busy loop keeps away the very thread that is waited for.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

_SAMPLE = 1 << 16
_DESCRIBING = {".json", ".jinja", ".model", ".txt", ".safetensors", ".bin"}


def load(
    name: str, say: Say = lambda line: None, dtype: str = "", engine: str = ENGINES[0]
) -> LanguageModel:
    """Return the model in a folder or of a hub name, encoder-decoder or decoder-only as its
    configuration says.

    On a GPU where there is one, in the precision that its weights are published in. On a CPU the
    precision is chosen once on comparisons kept for that (`precision_choice`), so that a run is
    taken up again with the same on the same machine. A `dtype` beats both. `engine` is one
    of `ENGINES`. `say` gets a sentence before each step that takes seconds. Code that comes with a
    model is never run, and no pickle is read. Raises TandemError when it cannot be loaded, is no
    generative model or comes without some of its weights.
    """
    if engine == "vllm":
        vllm_engine.check_engine()
    else:
        packages = ("torch", "transformers", "accelerate")
        require_packages("models", "judging with local models", *packages)
    from transformers.utils import logging

    if dtype not in ("", *DTYPES):
        raise TandemError(f"{option_ref('dtype')} is {dtype!r}; it is one of {', '.join(DTYPES)}")
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]  # FLAN-T5's warning would have its configuration changed
    try:
        return _load(name, dtype, engine, say)
    except TandemError:
        raise
    except Exception as error:
        raise TandemError(f"cannot load 'hf:{name}': {explain_load_error(name, error)}") from error


def _load(name: str, asked: str, engine: str, say: Say) -> LanguageModel:
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoTokenizer

    shown, called = name, identity(name)[1]
    if name == small_model.SPEC:
        name = str(small_model.find_model())
    say(f"Loading {shown} ...")
    config = AutoConfig.from_pretrained(name, **NO_CODE)
    _check_generative(name, config)
    kind: Any = AutoModelForSeq2SeqLM if config.is_encoder_decoder else AutoModelForCausalLM
    device = choose_device()
    tokenizer = AutoTokenizer.from_pretrained(name, **NO_CODE)
    is_quantised = precision_choice.is_quantised(config)
    if is_quantised and asked:
        raise TandemError(f"'hf:{name}' has quantised weights: leave out {option_ref('dtype')}")
    with torch.device("meta"):
        made = kind.from_config(config, **NO_CODE)
    parameters = sum(parameter.numel() for parameter in made.parameters())

    def choose_precision() -> str:
        published = precision_choice.find_published_precision(name, config)
        return asked or precision_choice.choose_gpu_precision(published, parameters, has_bf16=fast)

    def load_weights(dtype: str, place: Any = device) -> Any:
        model, report = kind.from_pretrained(
            name,
            dtype=getattr(torch, TORCH_NAMES.get(dtype, ""), "auto"),
            device_map=place,
            output_loading_info=True,
            **NO_CODE,
            **NO_PICKLE,
        )
        if missing := sorted(report["missing_keys"]):
            raise TandemError(
                f"cannot load 'hf:{name}': weights are missing ({missing[0]} ...); fetch the "
                "model again"
            )
        return speed_up_model(model.eval())

    def wrap_model(model: Any, choice: PrecisionChoice) -> LanguageModel:
        if config.is_encoder_decoder:
            return EncoderDecoder(model, tokenizer, batch_tokens=choice.batch_tokens)
        return DecoderOnly(model, tokenizer, share=choice.share, batch_tokens=choice.batch_tokens)

    def can_share(model: Any, most: float = MOVES) -> bool:
        """Return whether reading common beginnings once gives this model's own p."""
        if config.is_encoder_decoder or not shareable(model):
            return False
        one, other = (wrap_model(model, PrecisionChoice("", share)) for share in (True, False))
        return precision_choice.agree(one, other, most)

    fast = fast_bf16(device)
    if engine == "vllm":
        dtype = "auto" if is_quantised else TORCH_NAMES[choose_precision()]
        return vllm_engine.VllmModel(name, config, tokenizer, dtype)
    # A model of the hub has its revision; where only its name is known, nothing is kept.
    revision = "" if Path(name).is_dir() else str(getattr(config, "_commit_hash", None) or "")
    is_large = parameters >= WORTH_KEEPING
    is_kept = is_large and (bool(revision) or Path(name).is_dir())
    file = choice_file((called, revision, asked, str(MOVES)), device)
    kept = read_choice(file) if is_kept else None
    once = ", once on this machine" if is_kept else ""
    if device.type == "cuda" or is_quantised:
        precision, place = choose_precision(), device
        if device.type == "cuda":
            free, gpus = torch.cuda.mem_get_info()[0], torch.cuda.device_count()
            size = parameters * (4 if precision == "fp32" else 2)
            place = precision_choice.choose_device_map(size, free, gpus)
        model = load_weights("auto" if is_quantised else precision, place)
        if kept is None:
            if is_large:
                say(f"Timing batches of {shown}{once} ...")
            most = MOVES if precision == "fp32" and not is_quantised else HALF_MOVES
            kept = PrecisionChoice(
                precision, can_share(model, most), precision_choice.measure_batch_tokens(model)
            )
    elif (asked == "bf16" or (not asked and fast)) and 4 * parameters > 0.7 * _free_memory():
        model = load_weights("bf16")
        return wrap_model(model, PrecisionChoice("bf16", can_share(model, HALF_MOVES)))
    elif kept is not None:
        model = convert_weights(load_weights("fp32"), kept.precision)
    else:
        model = load_weights("fp32")
        if is_large:
            say(f"Choosing the precision of {shown} by six comparisons{once} ...")
        share, precision = can_share(model), asked or "fp32"
        exact = PrecisionChoice("fp32", share)
        if fast and not asked:
            ways = [precision_choice.probabilities(wrap_model(model, exact))]
            ways.append(
                precision_choice.probabilities(wrap_model(convert_weights(model, "bf16"), exact))
            )
            if precision_choice.measure_shift(*ways) < MOVES:
                precision = "bf16"
            else:
                del model  # before the weights are read again
                model = load_weights("fp32")
        else:
            convert_weights(model, precision)
        kept = PrecisionChoice(precision, share)
    if is_kept:
        keep_choice(file, kept)
    return wrap_model(model, kept)


def speed_up_model(model: Any) -> Any:
    """Return the model, with what transformers does in more steps than it must replaced; p is the
    same but for rounding.
    """
    attend_by_head(model)
    if is_t5(model):
        speed_up_t5(model)
    return model


def convert_weights(model: Any, precision: str) -> Any:
    """Return the model in this precision, or as much of it as p bears."""
    import torch

    if precision == "fp32":
        return model
    dtype = getattr(torch, TORCH_NAMES[precision])
    if is_t5(model):
        # The sums between the encoder's layers stay in fp32, and so does the decoder with the
        # logits of the labels: a small part of the work, where rounding moves p most.
        model.encoder.block.to(dtype)
        return model
    # As transformers loads one in bf16: what no file of weights holds, as the frequencies of rotary
    # positions, stays exact. Rounded, it puts a token hundreds of places on at another place.
    stored = model.state_dict(keep_vars=True)
    for tensor in stored.values():
        if tensor.is_floating_point():
            tensor.data = tensor.data.to(dtype)
    return model


def choose_device() -> Any:
    """Return the device of models: the first GPU, else Apple's, else the CPU."""
    import torch

    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("mps" if torch.backends.mps.is_available() else "cpu")


def fast_bf16(device: Any) -> bool:
    """Return whether this hardware multiplies faster in bf16: AMX, such a GPU, or a processor with
    AVX512-BF16 on which a product shows it.
    """
    import torch

    if device.type == "cpu":
        if torch.cpu._is_amx_tile_supported():
            return True
        return bool(torch.cpu._is_avx512_bf16_supported()) and _time_product() < WORTH_IT
    return bool(device.type == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False))


@cache
def _time_product() -> float:
    """Return how long a product in bf16 takes on this processor, as a multiple of one in fp32."""
    import torch

    def time_best(dtype: Any) -> float:
        rows, weights = torch.ones(256, 576, dtype=dtype), torch.ones(1536, 576, dtype=dtype)
        once = partial(torch.nn.functional.linear, rows, weights)
        return min(timeit.repeat(once, number=1, repeat=10))

    return time_best(torch.bfloat16) / time_best(torch.float32)


def _free_memory() -> int:
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def identity(name: str) -> tuple[str, str]:
    """Return (SPEC, short name) of a model.

    A folder is known by its full path and by its name with a hash of what is in it.

    Large files are hashed in samples: to make a judge must stay cheap, and two trained models
    differ everywhere. The model that Tandem fetches is known by its own SPEC and the hash of its
    package, wherever it lies; raises TandemError when it is not there.
    """
    if name == small_model.SPEC:
        small_model.find_model()
        return small_model.SPEC, small_model.NAME
    folder = Path(name).expanduser()
    if not folder.is_dir():
        return f"hf:{name}", f"hf:{name}"
    folder = folder.resolve()
    digest = hashlib.blake2b(digest_size=4)
    for path in sorted(folder.iterdir()):
        if path.suffix in _DESCRIBING and path.is_file():
            digest.update(path.name.encode())
            digest.update(_content(path))
    return f"hf:{folder}", f"hf:{folder.name}-{digest.hexdigest()}"


def _content(path: Path, samples: int = 16) -> bytes:
    """Return a file's size and bytes, of a large one evenly spaced samples."""
    size = path.stat().st_size
    with path.open("rb") as file:
        if size <= samples * _SAMPLE:
            return size.to_bytes(8, "big") + file.read()
        parts = [size.to_bytes(8, "big")]
        for index in range(samples):
            file.seek(index * (size - _SAMPLE) // (samples - 1))
            parts.append(file.read(_SAMPLE))
    return b"".join(parts)


@contextmanager
def refuse_pickle() -> Iterator[None]:
    """Refuse all files inside but safetensors, in any code that loads one.

    A library that has no option for this would read an older file if that is the only one. Only one
    thread can be inside at a time.
    """
    import torch

    def refuse(f: Any, *_: Any, **__: Any) -> Any:
        raise PickleError(f)

    with _LOADING:
        load, torch.load = torch.load, refuse
        try:
            yield
        finally:
            torch.load = load


def _check_generative(name: str, config: Any) -> None:
    """An encoder such as BERT would load, with nothing but a warning, and then answer nonsense."""
    from transformers.models.auto import modeling_auto

    known = {
        *modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.values(),
        *modeling_auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES.values(),
    }
    architectures = config.architectures or []
    if architectures and not known & set(architectures):
        raise TandemError(
            f"'hf:{name}' is a {architectures[0]}, which does not write text; give a generative "
            "model"
        )
