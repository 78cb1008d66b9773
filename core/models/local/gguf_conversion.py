"""Converts a GGUF file to a folder of safetensors, tokenizer and chat template: `python -m
core.models.local.gguf_conversion SOURCE TARGET`.

A process of its own: it needs packages that are installed for it alone, and much memory.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any


def convert_gguf(source: Path, target: Path) -> None:
    """Write the model of a GGUF file in fp32, which holds what its quantized numbers say."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer: Any = AutoTokenizer.from_pretrained(str(source.parent), gguf_file=source.name)
    model: Any = AutoModelForCausalLM.from_pretrained(
        str(source.parent), gguf_file=source.name, dtype=torch.float32
    )
    # Left in, both would have the numbers saved as if they were quantized still.
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    model.hf_quantizer = None
    model.save_pretrained(target)
    tokenizer.save_pretrained(target)


if __name__ == "__main__":
    convert_gguf(Path(sys.argv[1]), Path(sys.argv[2]))
