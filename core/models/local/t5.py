"""T5 (FLAN-T5, mT5) in fewer steps: the same sums in another order, for prompts that are read once.

transformers writes T5 for training and long texts. A judge reads a prompt and looks at two or three places behind it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor


def is_t5(model: Any) -> bool:
    from transformers import MT5ForConditionalGeneration, T5ForConditionalGeneration

    return isinstance(model, T5ForConditionalGeneration | MT5ForConditionalGeneration)


def quicken(model: Any) -> None:
    """Replaces in a T5 what takes longer than it must. What comes out is the same but for rounding."""
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
            dense.act = nn.GELU(approximate="tanh")  # the same function in one step instead of eight


def halve(model: Any) -> None:
    """The products of a T5's encoder in bf16. The sums between its layers stay in fp32, and so does the decoder with the
    logits of the labels: that is a small part of the work, and where rounding moves p most."""
    import torch

    model.encoder.block.to(torch.bfloat16)


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
    """A decoder's attention to the encoded prompt where few places look at many.

    With the weights Q and K of a head, places x and states E, the scores are (x Q') (E K')' = (x Q' K) E': in this order the keys
    of all E are never made, nor their values. Who writes looks again and again, and keeps keys and values for that.
    """
    import torch

    rows, places, _ = hidden_states.shape
    if past_key_values is not None or places >= own.key_value_proj_dim or key_value_states is None:
        return otherwise(hidden_states, mask, key_value_states, position_bias, past_key_values, **given)
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
