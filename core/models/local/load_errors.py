"""Why a model could not be loaded, in words that say the way out."""

from __future__ import annotations

from pathlib import Path

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
            f"{error} is not in safetensors form, and Tandem reads no other, as it could hold a "
            "program; save the model anew with SentenceTransformer's save_pretrained"
        )
    if folder.is_dir() and not any((folder / file).is_file() for file in TOKENIZER_FILES):
        return (
            "the folder has no tokenizer, so the model cannot read: copy its tokenizer files there "
            f"({' or '.join(TOKENIZER_FILES[:2])}), or save it with tokenizer.save_pretrained"
        )
    if isinstance(error, OSError) and "safetensors" in str(error):
        return (
            "its weights are not in safetensors form, and Tandem reads no other, as it could hold "
            "a program; save it anew with model.save_pretrained"
        )
    if isinstance(error, OSError) and not Path(name).is_dir():
        return (
            "not a folder here and the hub did not give it; give a folder with a model, or a "
            "hub name when online"
        )
    if "trust_remote_code" in str(error):
        return (
            "it comes with Python code of its own, which Tandem never runs; give a model that "
            "transformers knows"
        )
    return f"{type(error).__name__}: {(str(error).strip().splitlines() or [''])[0][:200]}"
