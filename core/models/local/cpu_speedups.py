"""Sums in an order that takes a CPU fewer steps: attention head by head, and T5's looks at its
prompt.

torch's own attention gains nothing from bf16 on a processor with AVX512-BF16 and without AMX; plain
products of one head's queries and keys do, and the scores of one head stay in the cache.
transformers writes T5 for training and long texts; a judge reads a prompt and looks at two or three
places behind it. tests/bench/results.md has the figures.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor

NAME = "by_head"
FEW = 16
"""Queries below which going through the heads one by one costs more than it saves: while writing
there is one.
"""


def attend_by_head(model: Any) -> None:
    """Let a model on a CPU use `compute_attention`: torch's attention, but for rounding."""
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.masking_utils import eager_mask

    if model.device.type == "cpu" and model.config._attn_implementation == "sdpa":
        AttentionInterface.register(NAME, compute_attention)
        AttentionMaskInterface.register(NAME, eager_mask)
        model.set_attn_implementation(NAME)


def compute_attention(
    module: Any,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float | None = None,
    position_bias: Tensor | None = None,
    **given: Any,
) -> tuple[Tensor, None]:
    """Compute attention head by head.

    Shapes are (rows, heads, tokens, dimensions); out comes (rows, tokens, heads, dimensions). Mask
    and bias are added.
    """
    import torch
    from transformers.integrations.sdpa_attention import sdpa_attention_forward

    rows, heads, length, dimensions = query.shape
    mask = attention_mask if attention_mask is None else attention_mask.to(query.dtype)
    if length < FEW or (mask is None and getattr(module, "is_causal", True)):
        found: tuple[Tensor, None] = sdpa_attention_forward(
            module, query, key, value, mask, scaling=scaling, position_bias=position_bias, **given
        )
        return found
    scale = dimensions**-0.5 if scaling is None else scaling
    of_key = heads // key.shape[1]  # so many heads share one of keys and values
    out = query.new_empty((rows, length, heads, value.shape[-1]))
    for row in range(rows):
        masked = None if mask is None else mask[row % len(mask), 0]
        for head in range(heads):
            keys, values = key[row, head // of_key], value[row, head // of_key]
            bias = position_bias
            added = masked if bias is None else bias[row % len(bias), head]
            if added is None:
                scores = query[row, head] @ keys.T * scale
            else:
                scores = torch.addmm(added, query[row, head], keys.T, alpha=scale)
            if position_bias is not None and masked is not None:
                scores += masked
            out[row, :, head] = scores.softmax(-1) @ values
    return out, None


def is_t5(model: Any) -> bool:
    """Return whether a model is a T5 or an mT5 with a decoder."""
    from transformers import MT5ForConditionalGeneration, T5ForConditionalGeneration

    return isinstance(model, T5ForConditionalGeneration | MT5ForConditionalGeneration)


def speed_up_t5(model: Any) -> None:
    """Replace in a T5 what takes longer than it must; the output is equal but for rounding."""
    from torch import nn
    from transformers.activations import NewGELUActivation

    for block in model.decoder.block:
        look = block.layer[1].EncDecAttention
        look.forward = partial(_few_looks, look, look.forward)
    first = model.encoder.block[0].layer[0].SelfAttention
    bias = first.compute_bias
    # Every layer adds it; as it comes, the numbers of one head lie far apart.
    first.compute_bias = lambda *lengths, **given: bias(*lengths, **given).contiguous()
    for block in [*model.encoder.block, *model.decoder.block]:
        dense = block.layer[-1].DenseReluDense
        if isinstance(dense.act, NewGELUActivation):
            # The same function in one step instead of eight
            dense.act = nn.GELU(approximate="tanh")


def _few_looks(
    own: Any,
    otherwise: Callable[..., Any],
    hidden_states: Tensor,
    mask: Tensor | None = None,
    key_value_states: Tensor | None = None,
    position_bias: Tensor | None = None,
    past_key_values: Any = None,
    **given: Any,
) -> Any:
    """Return a decoder's attention to the encoded prompt where few places look at many.

    With the weights Q and K of a head, places x and states E, the scores are (x Q') (E K')' = (x Q'
    K) E': in this order the keys of all E are never made, nor their values. Who writes looks again
    and again, and keeps keys and values for that.
    """
    import torch

    rows, places, _ = hidden_states.shape
    if past_key_values is not None or places >= own.key_value_proj_dim or key_value_states is None:
        return otherwise(
            hidden_states, mask, key_value_states, position_bias, past_key_values, **given
        )
    states, heads = key_value_states, own.n_heads
    key, value = (each.weight.view(heads, -1, own.d_model) for each in (own.k, own.v))
    queries = own.q(hidden_states).view(rows, places, heads, -1)
    looks = torch.einsum("rphd,hdm->rhpm", queries, key).flatten(1, 2)
    scores = (looks @ states.transpose(1, 2)).view(rows, heads, places, -1)
    if mask is not None and mask.dtype == torch.bool:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    elif mask is not None:
        scores = scores + mask
    seen = (scores.softmax(-1).flatten(1, 2) @ states).view(rows, heads, places, -1)
    return own.o(torch.einsum("rhpm,hdm->rphd", seen, value).flatten(2)), position_bias, None
