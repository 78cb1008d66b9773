"""A local judge on SummEval: comparisons per second, one prompt at a time (the papers' code) and as
Tandem asks them; and BERTScore beside a call for each pair.

Models have the shapes of published ones with random weights, since speed does not depend on what
they have learnt; `local:smollm2` is the real one, where `./run model` has fetched it. One item with
16 candidates is asked in full, 240 ordered pairs, in shuffled order and portions as a run asks
them; of the slow ways a few comparisons are sampled between the portions, so that what else the
machine does falls on all alike.
"""

from __future__ import annotations

import gzip
import json
import os
import random
from collections.abc import Callable, Sequence
from copy import deepcopy
from itertools import permutations
from typing import Any

import numpy as np

from core.judging.prompts import DEFAULT_LABELS, PROMPTS, fill, fill_labels
from core.models.local import loading, small_model
from core.models.local.decoder_only import DecoderOnly
from core.models.local.encoder_decoder import EncoderDecoder
from core.models.local.precision_choice import probability as p
from core.models.local.tokens import Tokens
from core.records import Attribute, Question
from tests.bench import separability
from tests.bench.measure import number, ratios, read_options, seconds, table
from tests.paths import DATASETS

SUMMEVAL = DATASETS / "summeval/summeval_100x16.jsonl.gz"
COHERENT = Attribute("coherence", adjective="coherent")
REAL = small_model.SPEC
PAPERS = "one prompt at a time, fp32 (papers' code)"
SHAPES: dict[str, dict[str, Any]] = {
    "flan-t5-small": {"d_model": 512, "d_ff": 1024, "num_layers": 8, "num_heads": 6},
    "flan-t5-base": {"d_model": 768, "d_ff": 2048, "num_layers": 12, "num_heads": 12},
    "smollm2-135m": {
        "hidden_size": 576, "intermediate_size": 1536, "num_hidden_layers": 30,
        "num_attention_heads": 9,
    },
}  # fmt: skip


def questions(candidates: int) -> tuple[list[Question], list[str]]:
    """All ordered pairs of an article of middle length, shuffled; and texts for a vocabulary."""
    with gzip.open(SUMMEVAL, "rt") as lines:
        articles = [json.loads(line) for line in lines]
    article = sorted(articles, key=lambda each: len(each["text"]))[len(articles) // 2]
    texts = [system["decoded"] for system in article["systems"].values()][:candidates]
    asked = [
        Question(0, article["text"], a, b, COHERENT, (), "article", "summary")
        for a, b in permutations(texts, 2)
    ]
    random.Random(0).shuffle(asked)
    words = ["Summary A Summary B Answer: Article:"] * 100
    return asked, [each["text"] for each in articles] + words


def tokenizer_of(shape: str, texts: Sequence[str]) -> Any:
    if shape == REAL:
        from transformers import AutoTokenizer

        return AutoTokenizer.from_pretrained(small_model.find_model())
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    backend = Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=16_000, special_tokens=["<pad>", "</s>"], show_progress=False
    )
    backend.train_from_iterator(texts, trainer)
    backend.post_processor = processors.TemplateProcessing("$A </s>", special_tokens=[("</s>", 1)])
    return PreTrainedTokenizerFast(
        tokenizer_object=backend, pad_token="<pad>", eos_token="</s>", model_max_length=8192
    )


def model_of(shape: str) -> Any:
    import torch
    from torch import nn
    from transformers import LlamaConfig, LlamaForCausalLM, T5Config, T5ForConditionalGeneration

    torch.manual_seed(0)
    if shape == REAL:
        from transformers import AutoModelForCausalLM

        folder = small_model.find_model()
        return AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    if shape.startswith("flan"):
        t5 = T5Config(  # type: ignore[call-arg]
            vocab_size=32_128, d_kv=64, feed_forward_proj="gated-gelu", tie_word_embeddings=False,
            decoder_start_token_id=0, **SHAPES[shape],
        )  # fmt: skip
        made = T5ForConditionalGeneration(t5).eval()
        # Of its own, as FLAN-T5's is, and such that no label is certain.
        head = made.lm_head.weight.detach().roll(1, 0) * t5.d_model**-0.5
        made.lm_head.weight = nn.Parameter(head)
        return made
    rope = {"rope_type": "default", "rope_theta": 100_000.0}
    llama = LlamaConfig(
        vocab_size=49_152, num_key_value_heads=3, max_position_embeddings=8192,
        rope_parameters=rope, tie_word_embeddings=True, **SHAPES[shape],
    )  # fmt: skip
    return LlamaForCausalLM(llama).eval()


def ours_of(model: Any, tokenizer: Any) -> EncoderDecoder | DecoderOnly:
    if model.config.is_encoder_decoder:
        return EncoderDecoder(model, tokenizer)
    return DecoderOnly(model, tokenizer, share=True)


def read(model: EncoderDecoder | DecoderOnly, asked: Sequence[Question]) -> list[Tokens]:
    found = []
    for question in asked:
        text, labels = fill(PROMPTS["comparative"], question), fill_labels(DEFAULT_LABELS, question)
        found.append(model.tokens(text, labels))
    return found


def use_device() -> str:
    """Make the GPU, where there is one, the device of every model and tensor; return its name."""
    import torch

    if not torch.cuda.is_available():
        return f"{torch.get_num_threads()} threads"
    torch.set_default_device("cuda")
    return torch.cuda.get_device_name()


def plainly(model: Any, tokens: Tokens) -> float:
    """p(A) as the papers' code has it: a prompt, a forward pass, the logits of the last tokens."""
    import torch

    (*stem, a), (*_, b) = tokens.labels
    if model.config.is_encoder_decoder:
        logits = model(
            input_ids=torch.tensor([tokens.prompt]), decoder_input_ids=torch.tensor([[0, *stem]])
        ).logits[0, -1]
    else:
        logits = model(input_ids=torch.tensor([[*tokens.prompt, *stem]])).logits[0, -1]
    return float(logits[[a, b]].detach().float().softmax(-1)[0])


def without_gradients(work: Callable[[Any, Tokens], float], model: Any, tokens: Tokens) -> float:
    import torch

    with torch.no_grad():
        return work(model, tokens)


def bench(shape: str, candidates: int, portion: int, *, most: int | None = None) -> None:
    import torch

    device = use_device()
    asked, corpus = questions(candidates)
    tokenizer, model = tokenizer_of(shape, corpus), model_of(shape)
    half = deepcopy(model).to(torch.bfloat16)
    quick = loading.convert_weights(loading.speed_up_model(deepcopy(model)), "bf16")
    fast = ours_of(quick, tokenizer)
    exact = ours_of(loading.speed_up_model(deepcopy(model)), tokenizer)
    asked = asked[:most]
    batch = read(exact, asked)
    for way in (exact, fast):  # the first call starts CUDA, where it is used
        way.log_probabilities(batch[:1])
    counted: list[int] = []
    reader = quick.get_encoder() if quick.config.is_encoder_decoder else quick
    reads = reader.register_forward_pre_hook(
        lambda module, args, given: counted.append(given["input_ids"].numel()), with_kwargs=True
    )
    few: dict[str, Callable[[Tokens], object]] = {
        PAPERS: lambda tokens: plainly(model, tokens),
        "the same without gradients": lambda tokens: without_gradients(plainly, model, tokens),
        "one prompt at a time, bf16": lambda tokens: without_gradients(plainly, half, tokens),
    }
    ways = {"ours, bf16": fast, "ours, fp32": exact}
    took = {name: [0.0, 0] for name in [*ways, *few]}
    scores: dict[str, list[float]] = {name: [] for name in ways}
    seen = 0
    for turn, start in enumerate(range(0, len(batch), portion)):
        part = asked[start : start + portion]
        for name, way in sorted(ways.items(), reverse=bool(turn % 2)):
            counted.clear()
            took[name][0] += seconds(
                lambda way=way, part=part, name=name: scores[name].extend(
                    p(both) for both in way.log_probabilities(read(way, part))
                )
            )
            took[name][1] += len(part)
            seen += sum(counted) if name == "ours, bf16" else 0
        for name, work in few.items():
            took[name][0] += seconds(lambda work=work, start=start: work(batch[start]))
            took[name][1] += 1
    reads.remove()
    plain = np.array([without_gradients(plainly, model, tokens) for tokens in batch[::portion]])
    rows = []
    for name, (spent, count) in took.items():
        tokens = seen / len(batch) if name in ways else sum(map(exact.length, batch)) / len(batch)
        rows.append([name, number(count / spent), number(tokens), str(count)])
    table(
        f"{shape}: {len(batch)} ordered pairs of an article, {device}",
        ["way", "comparisons/s", "tokens read each", "timed"],
        rows,
    )
    each = {name: spent / count for name, (spent, count) in took.items()}
    for mine in ways:
        ratios(mine, each[mine], {name: each[name] for name in few})
    exactly, quickly = np.array(scores["ours, fp32"]), np.array(scores["ours, bf16"])
    apart, moved = abs(plain - exactly[::portion]).max(), abs(quickly - exactly).max()
    print(f"p: ours in fp32 is {apart:.1e} from the plain computation at most; "
          f"bf16 moves it by {moved:.1e} at most\n")  # fmt: skip


def main() -> None:
    shapes = {"choices": [*SHAPES, REAL], "action": "append", "help": "only these shapes"}
    asked = read_options("the smallest shape, 3 candidates", model=shapes)
    if not SUMMEVAL.exists():
        print(f"skipped: the articles are not at {SUMMEVAL}")
        return
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    if asked.small:
        bench("flan-t5-small", 3, 3)
        return
    there = [*SHAPES, REAL] if small_model.is_fetched() else list(SHAPES)
    if REAL not in there:
        print(f"{REAL} is not here: fetch it with ./run model")
    for shape in asked.model or there:
        # Where prompts share nothing a few comparisons tell as much as all.
        bench(shape, 16, 24) if "smollm" in shape else bench(shape, 16, 12, most=36)
    if not asked.model:
        ours = {"fp32": separability.Ours(), "bf16": separability.Ours("bf16")}
        separability.compare_bertscore(separability.samples(10), 1, 3, separability.Peers(), ours)


if __name__ == "__main__":
    main()
