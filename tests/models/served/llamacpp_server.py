"""llama.cpp's own server over a tiny Llama, or over the numbers of a quantized GGUF file: `python
llamacpp_server.py FOLDER-OR-GGUF PORT`. `python llamacpp_server.py dequantize GGUF TARGET` writes
one whose numbers are not quantized.

A program of its own, as it may run in a Python that has xllamacpp and gguf and nothing of Tandem.
"""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path
from typing import Any

NAMES = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}
PARTS = {
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}


def convert(folder: Path) -> Path:
    """The model in a folder as one GGUF file."""
    import gguf
    from safetensors.numpy import load_file

    config, tokenizer = (
        json.loads((folder / name).read_text()) for name in ("config.json", "tokenizer.json")
    )
    path, heads = folder / "tiny.gguf", config["num_attention_heads"]
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(heads)
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_freq_base(config["rope_parameters"]["rope_theta"])
    writer.add_rope_dimension_count(config["head_dim"])
    writer.add_vocab_size(config["vocab_size"])
    _add_tokenizer(writer, tokenizer, (folder / "chat_template.jinja").read_text())
    for name, values in load_file(folder / "model.safetensors").items():
        writer.add_tensor(*_tensor(name, values, heads))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _add_tokenizer(writer: Any, tokenizer: dict[str, Any], template: str) -> None:
    import gguf

    vocabulary = tokenizer["model"]["vocab"]
    special = {token["content"] for token in tokenizer["added_tokens"]}
    tokens = sorted(vocabulary, key=vocabulary.get)
    kinds = gguf.TokenType
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types([kinds.CONTROL if t in special else kinds.NORMAL for t in tokens])
    writer.add_token_merges([" ".join(pair) for pair in tokenizer["model"]["merges"]])
    writer.add_bos_token_id(vocabulary["<s>"])
    writer.add_eos_token_id(vocabulary["</s>"])
    writer.add_add_bos_token(False)
    writer.add_chat_template(template)


def _tensor(name: str, values: Any, heads: int) -> tuple[str, Any]:
    """Its name and values in GGUF, where the halves of a head's rotation lie beside each other."""
    stem = name.removesuffix(".weight")
    if stem in NAMES:
        return f"{NAMES[stem]}.weight", values
    _, _, layer, part = stem.split(".", 3)
    if PARTS[part] in ("attn_q", "attn_k"):
        rows, columns = values.shape
        halves = values.reshape(heads, 2, rows // heads // 2, columns)
        values = halves.swapaxes(1, 2).reshape(rows, columns).copy()
    return f"blk.{layer}.{PARTS[part]}.weight", values


def dequantize(source: Path, target: Path) -> Path:
    """A GGUF file with the same numbers as another, in fp32: over quantized ones llama.cpp rounds
    what it multiplies them with to 8 bits, which moves p by up to 0.05.
    """
    import gguf

    reader = gguf.GGUFReader(source)
    writer = gguf.GGUFWriter(target, reader.fields["general.architecture"].contents())
    own = ("general.architecture", "general.file_type", "general.quantization_version")
    for field in reader.fields.values():
        if field.name.startswith("GGUF.") or field.name in own:
            continue
        kind, *inner = field.types
        writer.add_key_value(
            field.name, field.contents(), kind, sub_type=inner[-1] if inner else None
        )
    for tensor in reader.tensors:
        writer.add_tensor(tensor.name, gguf.dequantize(tensor.data, tensor.tensor_type))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return target


def main(source: str, port: str) -> None:
    import xllamacpp

    options, path = xllamacpp.CommonParams(), Path(source)
    room = 512 if path.is_dir() else 1024
    options.model.path = str(convert(path) if path.is_dir() else path)
    options.model_alias, options.hostnames, options.port = ["tiny"], ["127.0.0.1"], int(port)
    options.n_parallel, options.n_ctx = 2, 2 * room  # two slots of so many tokens
    server = xllamacpp.Server(options)
    threading.Event().wait()
    del server


if __name__ == "__main__":
    if sys.argv[1] == "dequantize":
        dequantize(Path(sys.argv[2]), Path(sys.argv[3]))
    else:
        main(*sys.argv[1:])
