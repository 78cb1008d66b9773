"""Language models: the probability of label words after a prompt, alike for encoder-decoder and decoder-only models."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from core.records import TandemError

if TYPE_CHECKING:
    from torch import Tensor

RELATIVE_LIMIT = 2048
"""Most tokens of a prompt for models with relative positions (T5), which name no end of their own: a guard for memory."""

_SAMPLE = 1 << 16
_DESCRIBING = {".json", ".jinja", ".model", ".txt", ".safetensors", ".bin"}

LogProbabilities = tuple[float, ...]


@dataclass(frozen=True)
class Tokens:
    """A prompt and the words that may follow it, as token ids."""

    prompt: tuple[int, ...]
    labels: tuple[tuple[int, ...], ...]


class LanguageModel(Protocol):
    """`limit`: the most tokens it reads at once. `length`: how many of them a comparison takes."""

    limit: int

    def tokens(self, prompt: str, labels: Sequence[str]) -> Tokens: ...

    def length(self, tokens: Tokens) -> int: ...

    def log_probabilities(self, batch: Sequence[Tokens]) -> list[LogProbabilities]:
        """log P(label | prompt) of both labels, the sum over their teacher-forced tokens, without an end-of-text token.

        A row does not depend on its batch but for rounding.
        """
        ...


class EncoderDecoder:
    """The prompt goes to the encoder, the label to the decoder after its start token (T5, BART)."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self._model, self._tokenizer = model, tokenizer
        self._start = _decoder_start(model)
        self.limit = _limit(model.config, tokenizer)

    def tokens(self, prompt: str, labels: Sequence[str]) -> Tokens:
        found = tuple(self._label(label) for label in labels)
        return Tokens(tuple(self._tokenizer(prompt, verbose=False)["input_ids"]), _distinct(found, labels))

    def length(self, tokens: Tokens) -> int:
        return len(tokens.prompt)

    def log_probabilities(self, batch: Sequence[Tokens]) -> list[LogProbabilities]:
        ids, mask = _padded([tokens.prompt for tokens in batch], self._model.device)
        encoded = self._model.get_encoder()(input_ids=ids, attention_mask=mask)

        def logits(stems: Sequence[tuple[int, ...]]) -> Tensor:
            stem_ids, _ = _padded(stems, self._model.device)
            # Padding stands behind the stem, where a causal decoder cannot see it.
            output: Tensor = self._model(
                encoder_outputs=encoded, attention_mask=mask, decoder_input_ids=stem_ids, use_cache=False
            ).logits
            return output

        stems = [[(self._start, *tokens.labels[side][:-1]) for tokens in batch] for side in range(len(batch[0].labels))]
        return _both(batch, stems, logits, lambda row, step: (row, step))

    def _label(self, label: str) -> tuple[int, ...]:
        """With what the tokenizer puts in front of a target (nothing for T5, <s> for BART), as in training."""
        return _without_end(self._tokenizer(text_target=label)["input_ids"], self._tokenizer)


class DecoderOnly:
    """The label continues the prompt: as the assistant's reply where there is a chat template, after a space otherwise.

    Prompt and label are tokenised together, because tokens may reach across the seam; what the prompt alone and the
    prompt with either label share counts as prompt, all that follows as label.
    """

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self._model, self._tokenizer = model, tokenizer
        self._chat = bool(tokenizer.chat_template)
        self._added = frozenset(tokenizer.added_tokens_decoder)
        self.limit = _limit(model.config, tokenizer)

    def tokens(self, prompt: str, labels: Sequence[str]) -> Tokens:
        text = self._as_chat(prompt) if self._chat else prompt
        alone = self._ids(text)
        glue = "" if text[-1:].isspace() or alone[-1] in self._added else " "
        whole = [self._ids(text + glue + label) for label in labels]
        shared = _common_prefix(alone, *whole)
        return Tokens(alone[:shared], _distinct(tuple(ids[shared:] for ids in whole), labels))

    def length(self, tokens: Tokens) -> int:
        return len(tokens.prompt) + max(map(len, tokens.labels)) - 1

    def log_probabilities(self, batch: Sequence[Tokens]) -> list[LogProbabilities]:
        import torch

        starts = [len(tokens.prompt) - 1 for tokens in batch]
        steps = range(max(len(label) for tokens in batch for label in tokens.labels))
        # Logits are wanted at few places, and over a large vocabulary they are what fills the memory.
        places = sorted({start + step for start in starts for step in steps})

        def logits(stems: Sequence[tuple[int, ...]]) -> Tensor:
            # Padding stands behind the text, where a causal model cannot see it and no position moves.
            ids, mask = _padded(stems, self._model.device)
            seen = torch.tensor([place for place in places if place < ids.shape[1]], device=ids.device)
            output: Tensor = self._model(
                input_ids=ids, attention_mask=mask, use_cache=False, logits_to_keep=seen
            ).logits
            return output

        stems = [[tokens.prompt + tokens.labels[side][:-1] for tokens in batch] for side in range(len(batch[0].labels))]
        column = {place: index for index, place in enumerate(places)}
        return _both(batch, stems, logits, lambda row, step: (row, column[starts[row] + step]))

    def _as_chat(self, prompt: str) -> str:
        """`enable_thinking` closes the thoughts of models that think aloud, so that the label may follow at once."""
        text: str = self._tokenizer.apply_chat_template(
            [{"role": "user", "content": prompt}], tokenize=False, add_generation_prompt=True, enable_thinking=False
        )
        return text

    def _ids(self, text: str) -> tuple[int, ...]:
        # A chat template writes its special tokens itself.
        ids = self._tokenizer(text, add_special_tokens=not self._chat, verbose=False)["input_ids"]
        return _without_end(ids, self._tokenizer)


def load(name: str) -> LanguageModel:
    """The model in a folder or of a hub name, encoder-decoder or decoder-only as its configuration says.

    On a GPU in bfloat16 where it has it, otherwise in float32. Code that comes with a model is never run.
    Raises TandemError when it cannot be loaded, is no generative model or comes without some of its weights.
    """
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoTokenizer
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    device = "cuda" if torch.cuda.is_available() else "cpu"
    dtype = torch.bfloat16 if device == "cuda" and torch.cuda.is_bf16_supported() else torch.float32
    try:
        config = AutoConfig.from_pretrained(name)
        _check_generative(name, config)
        kind: Any = AutoModelForSeq2SeqLM if config.is_encoder_decoder else AutoModelForCausalLM
        model, report = kind.from_pretrained(name, dtype=dtype, output_loading_info=True)
        tokenizer = AutoTokenizer.from_pretrained(name)
    except TandemError:
        raise
    except Exception as error:
        raise TandemError(f"cannot load 'hf:{name}': {reason(name, error)}") from error
    if missing := sorted(report["missing_keys"]):
        raise TandemError(f"cannot load 'hf:{name}': weights are missing ({missing[0]} ...); fetch the model again")
    model = model.to(device).eval()
    return EncoderDecoder(model, tokenizer) if config.is_encoder_decoder else DecoderOnly(model, tokenizer)


def identity(name: str) -> tuple[str, str]:
    """(SPEC, short name) of a model. A folder is known by its full path and by its name with a hash of what is in it.

    Large files are hashed in samples: to make a judge must stay cheap, and two trained models differ everywhere.
    """
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
    """A file's size and bytes, of a large one evenly spaced samples."""
    size = path.stat().st_size
    with path.open("rb") as file:
        if size <= samples * _SAMPLE:
            return size.to_bytes(8, "big") + file.read()
        parts = [size.to_bytes(8, "big")]
        for index in range(samples):
            file.seek(index * (size - _SAMPLE) // (samples - 1))
            parts.append(file.read(_SAMPLE))
    return b"".join(parts)


def reason(name: str, error: Exception) -> str:
    if isinstance(error, OSError) and not Path(name).is_dir():
        return "not a folder here and the hub did not give it; give a folder with a model, or a hub name when online"
    return f"{type(error).__name__}: {(str(error).strip().splitlines() or [''])[0][:200]}"


def _check_generative(name: str, config: Any) -> None:
    """An encoder such as BERT would load, with nothing but a warning, and then answer nonsense."""
    from transformers.models.auto import modeling_auto

    known: set[str] = set()
    for names in (
        modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
        modeling_auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES,
    ):
        known |= set(names.values())
    architectures = config.architectures or []
    if architectures and not known & set(architectures):
        raise TandemError(f"'hf:{name}' is a {architectures[0]}, which does not write text; give a generative model")


def _decoder_start(model: Any) -> int:
    for config in (model.generation_config, model.config):
        for key in ("decoder_start_token_id", "bos_token_id"):
            if config is not None and getattr(config, key, None) is not None:
                return int(getattr(config, key))
    raise TandemError(f"'hf:{model.name_or_path}' names no decoder_start_token_id; add it to its config.json")


def _limit(config: Any, tokenizer: Any) -> int:
    """What a model can read at once: where its positions end, or for relative positions `RELATIVE_LIMIT`."""
    text = config.get_text_config()
    if hasattr(text, "relative_attention_num_buckets"):
        return RELATIVE_LIMIT
    positions = getattr(text, "max_position_embeddings", None) or RELATIVE_LIMIT
    return int(min(positions, tokenizer.model_max_length))


def _padded(rows: Sequence[tuple[int, ...]], device: Any) -> tuple[Tensor, Tensor]:
    """Token ids padded on the right, and the mask of what is not padding."""
    import torch

    width = max(map(len, rows))
    ids = torch.zeros((len(rows), width), dtype=torch.long)
    mask = torch.zeros_like(ids)
    for index, row in enumerate(rows):
        ids[index, : len(row)] = torch.tensor(row)
        mask[index, : len(row)] = 1
    return ids.to(device), mask.to(device)


def _both(batch: Sequence[Tokens], stems: Any, logits: Any, place: Any) -> list[LogProbabilities]:
    """Scores both labels; in one pass where they differ only in their last token."""
    import torch

    with torch.inference_mode():
        read = [logits(of_side) for of_side in stems]
        return [
            tuple(_score(seen, label, row, place) for seen, label in zip(read, tokens.labels, strict=True))
            for row, tokens in enumerate(batch)
        ]


def _score(logits: Tensor, label: tuple[int, ...], row: int, place: Any) -> float:
    return float(sum(logits[place(row, step)].float().log_softmax(-1)[token] for step, token in enumerate(label)))


def _distinct(found: tuple[tuple[int, ...], ...], labels: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    if len(found) == 2 and _common_prefix(*found) == min(map(len, found)):
        raise TandemError(f"to this model the label words {labels[0]!r} and {labels[1]!r} begin alike; give other ones")
    return found


def _without_end(ids: Iterable[int], tokenizer: Any) -> tuple[int, ...]:
    kept = tuple(ids)
    return kept[:-1] if kept and kept[-1] == tokenizer.eos_token_id else kept


def _common_prefix(*rows: tuple[int, ...]) -> int:
    shared = 0
    for column in zip(*rows, strict=False):
        if len(set(column)) > 1:
            break
        shared += 1
    return shared
