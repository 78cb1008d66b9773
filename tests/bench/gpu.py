"""A local judge, writer and encoder on a GPU beside plain transformers; --small tries it on a CPU.

Models have the shapes of published ones with random weights in bf16; prompts are all ordered pairs of
an article of SummEval. Ways are timed in turns in one process. Four minutes on an H100.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from core.models.local import Encoder, loading
from core.models.local.precision_choice import probability as p
from core.scratch import scratch
from tests.bench.judge import SUMMEVAL, questions, read, tokenizer_of
from tests.bench.measure import compare, number, seconds, table

SHAPES = {  # width, width within, layers, heads
    "llama-2-7b": (4096, 11_008, 32, 32),
    "t5-xl": (2048, 5120, 24, 32),
    "bert-large": (1024, 4096, 24, 16),
}
SMALL = (64, 64, 2, 4)


def save(name: str, folder: Path, corpus: list[str], small: bool, device: str) -> None:
    """Save a model with random weights in bf16, and a tokenizer of its kind."""
    import torch
    import transformers as hf

    width, within, layers, heads = SMALL if small else SHAPES[name]
    tokenizer = tokenizer_of("flan-t5-small" if name == "t5-xl" else "smollm2-135m", corpus)
    if name == "t5-xl":
        config: Any = hf.T5Config(  # type: ignore[call-arg]
            vocab_size=32_128, d_model=width, d_ff=within, d_kv=64, num_layers=layers,
            num_heads=heads, feed_forward_proj="gated-gelu", decoder_start_token_id=0,
        )  # fmt: skip
        kind: Any = hf.T5ForConditionalGeneration
    else:
        config, kind = hf.LlamaConfig(max_position_embeddings=8192), hf.LlamaForCausalLM
        if name == "bert-large":
            config, kind = hf.BertConfig(), hf.BertModel
            tokenizer.add_special_tokens({"cls_token": "[CLS]", "sep_token": "[SEP]"})
            tokenizer.model_max_length = 512
        config.vocab_size, config.hidden_size, config.intermediate_size = 49_152, width, within
        config.num_hidden_layers, config.num_attention_heads = layers, heads
        config.num_key_value_heads, config.head_dim = heads, width // heads
    torch.manual_seed(0)
    torch.set_default_dtype(torch.bfloat16)
    with torch.device(device):
        kind(config).save_pretrained(folder)
    torch.set_default_dtype(torch.float32)
    tokenizer.save_pretrained(folder)


def ask_plainly(model: Any, prompts: Sequence[Sequence[int]], size: int) -> None:
    """Batches of so many rows, padded on the left: the logits of the last place."""
    import torch

    order = sorted(prompts, key=len)
    for start in range(0, len(order), size):
        ids, mask = pad(order[start : start + size], model.device)
        more: dict[str, Any] = {"logits_to_keep": 1, "use_cache": False}
        if model.config.is_encoder_decoder:
            more = {"decoder_input_ids": ids[:, :3] * 0}
        with torch.inference_mode():
            float(model(input_ids=ids, attention_mask=mask, **more).logits[0, 0, 0])


def pad(rows: Sequence[Sequence[int]], device: Any) -> Any:
    import torch

    width = max(map(len, rows))
    return (
        torch.tensor([[0] * (width - len(row)) + list(row) for row in rows], device=device),
        torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in rows], device=device),
    )


def judging(name: str, folder: Path, asked: Sequence[Any]) -> Any:
    """Comparisons as Tandem comes, beside plain batches of the same precision."""
    import torch

    began: list[Any] = []
    loaded = seconds(lambda: began.append(loading.load(str(folder))))
    [ours] = began
    tokens = read(ours, asked)
    tokenised = 1e3 * seconds(lambda: read(ours, asked)) / len(asked)

    def fresh() -> list[Any]:
        ours.__dict__.pop("_tree", None)
        found: list[Any] = ours.log_probabilities(tokens)
        return found

    def plain(size: int) -> Any:
        return lambda: ask_plainly(ours._model, [one.prompt for one in tokens], size)

    title = f"{name}: {len(asked)} pairs of {len(tokens[0].prompt)} tokens, {ours.hardware}"
    ways = {"Tandem": fresh, "plain batches of 16": plain(16), "plain batches of 64": plain(64)}
    compare(title, ways, unit="ms a comparison", per=1e-3 * len(asked), times=3)
    alone = [p(one) for one in ours.log_probabilities(tokens[:8], 1)]
    apart = max(abs(a - p(b)) for a, b in zip(alone, fresh()[:8], strict=True))
    held = torch.cuda.max_memory_allocated() / 1e9 if torch.cuda.is_available() else 0.0
    print(
        f"loaded in {loaded:.1f} s; tokenising takes {tokenised:.2f} ms a comparison; at most "
        f"{held:.1f} GB; p of other batches differs by {apart:.1e} at most\n"
    )
    return ours


def writing(ours: Any, contexts: Sequence[str], most: int) -> None:
    """Eight texts a prompt by Tandem, and by transformers' `generate`."""
    prompts = [ours.tokens(text) for text in contexts]
    ids, mask = pad([one.prompt for one in prompts for _ in range(8)], ours._model.device)
    seeds, given = [list(range(8))] * len(prompts), {"max_new_tokens": most, "pad_token_id": 0}
    ways = {
        "Tandem": lambda: ours.write(prompts, seeds, most=most, temperature=1.0),
        "generate": lambda: ours._model.generate(ids, attention_mask=mask, do_sample=True, **given),
    }
    per = 1e-3 * len(ids)
    compare(f"{len(ids)} texts of {most} tokens", ways, unit="ms a text", per=per, times=3)


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("--small", action="store_true", help="tiny models, on a CPU too")
    small = parser.parse_args().small
    if not SUMMEVAL.exists():
        print(f"skipped: the articles are not at {SUMMEVAL}")
        return
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cpu" and not small:
        print("skipped: there is no GPU here; --small tries it on a CPU")
        return
    print(torch.cuda.get_device_name() if device == "cuda" else "a CPU: figures mean nothing", "\n")
    asked, corpus = questions(3 if small else 16)
    corpus = corpus[: 20 if small else 400]
    with scratch() as made:
        for name in SHAPES:
            folder = Path(made) / name
            save(name, folder, corpus, small, device)
            if name == "bert-large":
                rows = []
                for precision in ("fp32", "bf16"):
                    encoder = Encoder(str(folder), precision=precision)
                    encoder.tokens(corpus[:4])
                    took = seconds(lambda encoder=encoder: encoder.tokens(corpus[4:]))
                    rows.append([precision, encoder.hardware.device, number(len(corpus) / took)])
                table(f"{name}: {len(corpus)} texts", ["precision", "device", "texts/s"], rows)
                return
            ours = judging(name, folder, asked)
            if name == "llama-2-7b":
                writing(ours, corpus[: 1 if small else 4], 8 if small else 128)
            del ours


if __name__ == "__main__":
    main()
