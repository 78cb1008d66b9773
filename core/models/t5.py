"""T5 (FLAN-T5, mT5) in fewer steps: the same sums in another order, for prompts that are read once.

transformers writes T5 for training and for long texts. A judge reads a prompt and looks at two or three places behind it, so
that here the decoder asks the encoded prompt directly, instead of making keys and values of all of it first, and on a CPU
the encoder adds its position bias within the product of queries and keys, head by head, which stays in the cache.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import nn

if TYPE_CHECKING:
    from torch import Tensor


def quicken(model: Any) -> None:
    """Replaces in a T5 what takes longer than it must. What comes out is the same but for rounding."""
    from transformers.activations import NewGELUActivation

    for block in model.decoder.block:
        block.layer[1].EncDecAttention = FewLook(block.layer[1].EncDecAttention)
    if model.device.type == "cpu":
        for block in model.encoder.block:
            block.layer[0].SelfAttention = ByHead(block.layer[0].SelfAttention)
    for block in [*model.encoder.block, *model.decoder.block]:
        dense = block.layer[-1].DenseReluDense
        if isinstance(dense.act, NewGELUActivation):
            dense.act = nn.GELU(approximate="tanh")  # the same function in one step


def halve(model: Any) -> None:
    """The encoder's products in bf16; its sums, the decoder and the label's logits stay in fp32, where p is most easily moved."""
    model.encoder.block.to(torch.bfloat16)


class ByHead(nn.Module):
    """An encoder's self-attention, one head after the other. The first layer's bias, with the mask in it, serves all."""

    def __init__(self, own: Any) -> None:
        super().__init__()
        self.own = own

    def forward(
        self, hidden_states: Tensor, mask: Tensor | None = None, position_bias: Tensor | None = None, **_: Any
    ) -> tuple[Tensor, Tensor, None]:
        own, (rows, length, _) = self.own, hidden_states.shape
        if position_bias is None:
            position_bias = _masked(own.compute_bias(length, length), mask).contiguous()
        queries, keys, values = (
            each(hidden_states).view(rows, length, own.n_heads, -1).transpose(1, 2) for each in (own.q, own.k, own.v)
        )
        found = hidden_states.new_empty((rows, length, own.n_heads, queries.shape[-1]))
        for row in range(rows):
            bias = position_bias[row % len(position_bias)]
            for head in range(own.n_heads):
                scores = torch.addmm(bias[head], queries[row, head], keys[row, head].T)
                found[row, :, head] = scores.softmax(-1) @ values[row, head]
        return own.o(found.flatten(2)), position_bias, None


class FewLook(nn.Module):
    """A decoder's attention to the encoded prompt, where few places look at many.

    With states E, (q K)(E K')' = (q K K'') E': the small side is multiplied instead of the large one, for the values alike.
    """

    def __init__(self, own: Any) -> None:
        super().__init__()
        self.own = own

    def forward(
        self,
        hidden_states: Tensor,
        mask: Tensor | None = None,
        key_value_states: Tensor | None = None,
        position_bias: Tensor | None = None,
        past_key_values: Any = None,
        **given: Any,
    ) -> tuple[Tensor, Tensor | None, None]:
        own, (rows, places, _) = self.own, hidden_states.shape
        if past_key_values is not None or places >= own.key_value_proj_dim or key_value_states is None:
            found: tuple[Tensor, Tensor, None] = own(
                hidden_states, mask, key_value_states, position_bias, past_key_values, **given
            )
            return found
        heads = own.n_heads
        key, value = (each.weight.view(heads, -1, own.d_model) for each in (own.k, own.v))
        queries = own.q(hidden_states).view(rows, places, heads, -1)
        looks = torch.einsum("rphd,hdm->rhpm", queries, key).flatten(1, 2)
        scores = (looks @ key_value_states.transpose(1, 2)).view(rows, heads, places, -1)
        seen = (_masked(scores, mask).softmax(-1).flatten(1, 2) @ key_value_states).view(rows, heads, places, -1)
        return own.o(torch.einsum("rhpm,hdm->rphd", seen, value).flatten(2)), position_bias, None


def _masked(scores: Tensor, mask: Tensor | None) -> Tensor:
    if mask is None:
        return scores
    return torch.where(mask, scores, torch.finfo(scores.dtype).min) if mask.dtype == torch.bool else scores + mask
