"""Attention on a CPU, head by head.

What torch offers (`scaled_dot_product_attention`) gains nothing from bf16 on a processor with AVX512-BF16 and without AMX; plain
products of one head's queries and keys do, and the scores of one head stay in the cache. docs/performance.md has the figures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor

NAME = "by_head"
FEW = 16
"""Queries below which going through the heads one by one costs more than it saves: while writing there is one."""


def attend_by_head(model: Any) -> None:
    """Has a model that lies on a CPU and would use torch's attention use `by_head`: the same but for rounding."""
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.masking_utils import eager_mask

    if model.device.type == "cpu" and model.config._attn_implementation == "sdpa":
        AttentionInterface.register(NAME, by_head)
        AttentionMaskInterface.register(NAME, eager_mask)
        model.set_attn_implementation(NAME)


def by_head(
    module: Any,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float | None = None,
    position_bias: Tensor | None = None,
    **given: Any,
) -> tuple[Tensor, None]:
    """Shapes (rows, heads, tokens, dimensions); out comes (rows, tokens, heads, dimensions). Mask and bias are added."""
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
            added = masked if position_bias is None else position_bias[row % len(position_bias), head]
            if added is None:
                scores = query[row, head] @ keys.T * scale
            else:
                scores = torch.addmm(added, query[row, head], keys.T, alpha=scale)
            if position_bias is not None and masked is not None:
                scores += masked
            out[row, :, head] = scores.softmax(-1) @ values
    return out, None
