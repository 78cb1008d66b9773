"""T5 in fewer steps and attention head by head, against transformers' own forward pass."""

from __future__ import annotations

from copy import deepcopy
from itertools import product
from pathlib import Path

import pytest
import torch

from core.models.local import loading
from core.models.local.cpu_speedups import NAME, compute_attention, is_t5
from tests.judging.judges.test_local_classifier import loaded

CLOSE = {"abs": 2e-5, "rel": 1e-4}


def gated() -> torch.nn.Module:
    """FLAN-T5's kind: a gated GELU, an own head, heads that do not add up to the width."""
    from transformers import T5Config, T5ForConditionalGeneration

    torch.manual_seed(1)
    config = T5Config(
        vocab_size=90,
        d_model=32,
        d_kv=12,
        d_ff=48,
        num_layers=3,
        num_heads=2,
        feed_forward_proj="gated-gelu",
    )
    made = T5ForConditionalGeneration(config).eval()
    made.lm_head.weight = torch.nn.Parameter(made.lm_head.weight.detach().roll(1, 0))
    return made


def rows(lengths: tuple[int, ...], places: int) -> dict[str, torch.Tensor]:
    """Prompts padded on the right, and what their decoder is given."""
    generator = torch.Generator().manual_seed(2)
    ids = torch.randint(2, 80, (len(lengths), max(lengths)), generator=generator)
    mask = torch.arange(max(lengths))[None] < torch.tensor(lengths)[:, None]
    decoder = torch.randint(2, 80, (len(lengths), places), generator=generator)
    return {"input_ids": ids, "attention_mask": mask.long(), "decoder_input_ids": decoder}


def test_the_logits_are_those_of_transformers(subtests: pytest.Subtests) -> None:
    for kind, places, lengths in product(
        ["sdpa", "eager"], [1, 3, 30], [(40,), (40, 40), (50, 21, 3), (5, 2)]
    ):
        with subtests.test(kind=kind):
            plain = gated()
            plain.set_attn_implementation(kind)
            quick = loading.speed_up_model(deepcopy(plain))
            given = rows(lengths, places)
            with torch.inference_mode():
                assert quick(**given).logits.numpy() == pytest.approx(
                    plain(**given).logits.numpy(), **CLOSE
                )


def test_a_t5_is_quickened_where_it_is_loaded(t5: Path) -> None:
    model = loading.load(str(t5))._model  # type: ignore[attr-defined]
    assert model.encoder.config._attn_implementation == NAME
    assert type(model.encoder.block[0].layer[-1].DenseReluDense.act) is torch.nn.ReLU, (
        "it has no GELU to replace"
    )
    assert not hasattr(loaded(t5)[0].decoder.block[0].layer[1].EncDecAttention.forward, "func")
    assert model.decoder.block[0].layer[1].EncDecAttention.forward.func.__name__ == "_few_looks"


def test_of_a_halved_t5_the_sums_are_whole() -> None:
    """Nearer to fp32 than bf16 throughout, which moves p most in the decoder and in the sums
    between layers.
    """
    plain, given = gated(), rows((60, 45), 2)
    quick = loading.convert_weights(loading.speed_up_model(deepcopy(plain)), "bf16")
    half = deepcopy(plain).to(torch.bfloat16)
    with torch.inference_mode():
        exact = plain(**given).logits.log_softmax(-1)
        mixed, all_half = (model(**given).logits.float().log_softmax(-1) for model in (quick, half))
    assert {part.dtype for part in quick.encoder.block.parameters()} == {torch.bfloat16}
    assert (mixed - exact).abs().mean() < (all_half - exact).abs().mean() / 2
    assert is_t5(quick)


def test_head_by_head_is_torch_s_own_attention(subtests: pytest.Subtests) -> None:
    """source: torch.nn.functional.scaled_dot_product_attention."""
    for dtype, of_key in product([torch.float32, torch.bfloat16], [1, 2]):
        with subtests.test(dtype=dtype):
            generator = torch.Generator().manual_seed(3)
            query = torch.randn((2, 4, 40, 8), generator=generator).to(dtype)
            key, value = (
                torch.randn((2, 4 // of_key, 70, 8), generator=generator).to(dtype)
                for _ in range(2)
            )
            mask = torch.where(
                torch.rand((2, 1, 40, 70), generator=generator) < 0.5, 0.0, torch.finfo(dtype).min
            ).to(dtype)
            found, _ = compute_attention(torch.nn.Module(), query, key, value, mask)
            expected = torch.nn.functional.scaled_dot_product_attention(
                query, key, value, mask, enable_gqa=True
            ).transpose(1, 2)
            near = {"abs": 1e-5} if dtype == torch.float32 else {"abs": 3e-2}
            assert found.float().numpy() == pytest.approx(expected.float().numpy(), **near)
