"""A local judge, writer and encoder on a GPU beside plain transformers; --small tries it on a CPU.

Models have the shapes of published ones with random weights in bf16; prompts are all ordered pairs of
an article of SummEval. Ways are timed in turns in one process. Four minutes on an H100.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from core.models.local import Encoder, loading
from core.models.local.precision_choice import probability as p
from core.scratch import scratch
from tests.bench.judge import SUMMEVAL, questions, read, tokenizer_of
from tests.bench.measure import compare, number, seconds, table

LLAMA = {
    "llama-2-7b": (4096, 11_008, 32, 32),
    "tiny": (64, 64, 2, 4),
}
"""Width, width within, layers and heads."""
T5 = {"t5-xl": (2048, 5120, 24, 32), "tiny": (128, 128, 2, 2)}
BERT = {"bert-large": (1024, 4096, 24, 16), "tiny": (64, 64, 2, 4)}
WRITTEN = 128  # tokens of a text


def use(device: str, make: Callable[[], Any]) -> Any:
    """A model with random weights, made in bf16 where it is used."""
    import torch

    torch.manual_seed(0)
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.bfloat16)
    try:
        with torch.device(device):
            return make().eval()
    finally:
        torch.set_default_dtype(before)


def llama(shape: str, device: str) -> Any:
    from transformers import LlamaConfig, LlamaForCausalLM

    width, within, layers, heads = LLAMA[shape]
    config = LlamaConfig(
        vocab_size=49_152, hidden_size=width, intermediate_size=within, num_hidden_layers=layers,
        num_attention_heads=heads, max_position_embeddings=8192, bos_token_id=1, eos_token_id=1,
    )  # fmt: skip
    return use(device, lambda: LlamaForCausalLM(config))


def t5(shape: str, device: str) -> Any:
    from transformers import T5Config, T5ForConditionalGeneration

    width, within, layers, heads = T5[shape]
    config = T5Config(  # type: ignore[call-arg]
        vocab_size=32_128, d_model=width, d_ff=within, d_kv=64, num_layers=layers, num_heads=heads,
        feed_forward_proj="gated-gelu", tie_word_embeddings=False, decoder_start_token_id=0,
    )  # fmt: skip
    return use(device, lambda: T5ForConditionalGeneration(config))


def ask_plainly(model: Any, prompts: Sequence[Sequence[int]], rows: int) -> None:
    """Plain batches: padded on the left, the logits of the last place."""
    import torch

    order = sorted(prompts, key=len)
    for start in range(0, len(order), rows):
        part = order[start : start + rows]
        width = max(map(len, part))
        ids = torch.tensor([[0] * (width - len(row)) + list(row) for row in part])
        mask = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in part])
        more: dict[str, Any] = {"logits_to_keep": 1, "use_cache": False}
        if model.config.is_encoder_decoder:
            more = {"decoder_input_ids": torch.zeros((len(part), 3), dtype=torch.long)}
        more = {key: of.to(model.device) if hasattr(of, "to") else of for key, of in more.items()}
        with torch.inference_mode():
            float(
                model(
                    input_ids=ids.to(model.device), attention_mask=mask.to(model.device), **more
                ).logits[0, 0, 0]
            )


def judging(name: str, folder: Path, corpus: list[str], asked: Sequence[Any], device: str) -> Any:
    """Comparisons as Tandem comes, beside plain batches of the same precision; how they are loaded."""
    import torch

    is_t5 = folder.name == "t5"
    made = (t5 if is_t5 else llama)(name, device)
    made.save_pretrained(folder)
    tokenizer_of("flan-t5-small" if is_t5 else "smollm2-135m", corpus).save_pretrained(folder)
    del made
    lines: list[str] = []
    took = seconds(lambda: lines.append(str(loading.load(str(folder)).hardware)))
    ours: Any = loading.load(str(folder))
    tokens = read(ours, asked)
    tokenised = seconds(lambda: read(ours, asked)) / len(asked)
    prompts = [one.prompt for one in tokens]
    fresh = partial(ours.log_probabilities, tokens)
    ways: dict[str, Callable[[], object]] = {
        "Tandem as it comes": lambda: (ours.__dict__.pop("_tree", None), fresh()),
        "plain batches of 16": lambda: ask_plainly(ours._model, prompts, 16),
        "plain batches of 64": lambda: ask_plainly(ours._model, prompts, 64),
    }
    title = f"{name}: {len(asked)} ordered pairs of {len(prompts[0])} tokens, {lines[0]}"
    compare(title, ways, unit="ms a comparison", per=1e-3 * len(asked), times=3)
    alone = [p(one) for one in ours.log_probabilities(tokens[:8], 1)]
    apart = max(abs(a - p(b)) for a, b in zip(alone, fresh(), strict=False))
    held = torch.cuda.max_memory_allocated() / 1e9 if torch.cuda.is_available() else 0.0
    print(
        f"loaded in {took:.1f} s; tokenising takes {1e3 * tokenised:.2f} ms a comparison; at most "
        f"{held:.1f} GB; p of other batches differs by {apart:.1e} at most\n"
    )
    return ours


def writing(ours: Any, contexts: Sequence[str], most: int) -> None:
    """Eight texts a prompt by Tandem, and by transformers' `generate`."""
    import torch

    prompts = [ours.tokens(text) for text in contexts]
    rows = [list(one.prompt) for one in prompts for _ in range(8)]
    width = max(map(len, rows))
    ids, mask = (
        torch.tensor([[0] * (width - len(row)) + [fill or of for of in row] for row in rows])
        for fill in (0, 1)
    )

    def generate() -> None:
        ours._model.generate(
            input_ids=ids.to(ours._model.device), attention_mask=mask.to(ours._model.device),
            max_new_tokens=most, do_sample=True, pad_token_id=0,
        )  # fmt: skip

    ways = {
        "Tandem": lambda: ours.write(
            prompts, [list(range(8))] * len(prompts), most=most, temperature=1.0
        ),
        "generate": generate,
    }
    compare(
        f"{len(rows)} texts of {most} tokens", ways, unit="ms a text", per=1e-3 * len(rows), times=3
    )


def encoding(shape: str, folder: Path, corpus: list[str]) -> None:
    """Texts with the states of their tokens, by Tandem's encoder in each precision."""
    from tokenizers import BertWordPieceTokenizer
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    words = BertWordPieceTokenizer()
    words.train_from_iterator(corpus, vocab_size=8000, show_progress=False)
    special = {
        f"{name}_token": f"[{name.upper()}]" for name in ("cls", "sep", "pad", "unk", "mask")
    }
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=words._tokenizer, model_max_length=512, **special
    )
    width, within, layers, heads = BERT[shape]
    config = BertConfig(
        vocab_size=8000, hidden_size=width, num_hidden_layers=layers, num_attention_heads=heads,
        intermediate_size=within,
    )  # fmt: skip
    BertModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    rows = []
    for precision in ("fp32", "bf16"):
        encoder = Encoder(str(folder), precision=precision)
        encoder.tokens(corpus[:4])
        took = seconds(lambda encoder=encoder: encoder.tokens(corpus[4:]))
        rows.append([precision, encoder.hardware.device, number(len(corpus[4:]) / took)])
    table(f"{shape}: {len(corpus[4:])} texts", ["precision", "device", "texts/s"], rows)


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("--small", action="store_true", help="tiny models, on a CPU too")
    small = parser.parse_args().small
    if not SUMMEVAL.exists():
        print(f"skipped: the articles are not at {SUMMEVAL}")
        return
    import torch

    if not torch.cuda.is_available() and not small:
        print("skipped: there is no GPU here; --small tries it on a CPU")
        return
    device = "cuda" if torch.cuda.is_available() else "cpu"
    print(torch.cuda.get_device_name() if device == "cuda" else "a CPU: figures mean nothing", "\n")
    asked, corpus = questions(3 if small else 16)
    corpus = corpus[:20] if small else corpus
    with scratch() as made:
        folder = Path(made)
        for name, of in (("llama", "llama-2-7b"), ("t5", "t5-xl")):
            ours = judging("tiny" if small else of, folder / name, corpus, asked, device)
            if name == "llama":
                writing(ours, corpus[:1] if small else corpus[:4], 8 if small else WRITTEN)
            del ours
            if device == "cuda":
                torch.cuda.empty_cache()
        encoding("tiny" if small else "bert-large", folder / "bert", corpus)


if __name__ == "__main__":
    main()
