"""Slots for the keys and values of tokens, which stay where they were written until given back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor

FIRST = 512  # slots to begin with, twice as many whenever they are full


class TokenSlots:
    """Slots in every layer of a model, by number. Padding is written to slot 0, which the mask
    keeps everything from seeing.
    """

    def __init__(self) -> None:
        self._free: list[int] = []
        self._count = 1
        self._layers: dict[int, SlotLayer] = {}

    @property
    def capacity(self) -> int:
        """Number of slots that there are."""
        return self._count

    @property
    def slot_bytes(self) -> int:
        """Bytes of a token in all layers; 0 before the first is written."""
        return sum(held[:, 0].nbytes for layer in self._layers.values() for held in layer.held)

    def take(self, count: int) -> list[int]:
        """Return so many free slots, those beside each other where possible."""
        if len(self._free) < count:
            more = max(FIRST, self._count, count)
            self._free = [*reversed(range(self._count, self._count + more)), *self._free]
            self._count += more
        taken = self._free[-count:] if count else []
        del self._free[len(self._free) - count :]
        return taken[::-1]

    def give_back(self, slots: Sequence[int]) -> None:
        """Let these slots be taken again."""
        self._free += reversed(slots)

    def open_cache(self, written: Tensor, read: Tensor) -> Any:
        """Return a cache for one reading of a model: it writes to the slots `written`, of shape
        (rows, new tokens), then gives what is in the slots `read`, of shape (rows, all tokens).
        """
        from transformers import DynamicCache

        cache: Any = DynamicCache()
        layers = iter(range(1 << 16))

        def open_layer() -> SlotLayer:
            layer = self._layers.setdefault(next(layers), SlotLayer(self))
            layer.written, layer.read = written.flatten(), read
            return layer

        cache.layer_class_to_replicate = open_layer
        return cache


class SlotLayer:
    """One layer's slots, as a layer of transformers' cache: `held` are keys and values, of shape
    (heads, slots, dimensions).
    """

    is_sliding = is_compileable = False

    def __init__(self, slots: TokenSlots) -> None:
        self._slots = slots
        self.held: list[Tensor] = []
        self.written: Any = None
        self.read: Any = None

    def update(self, keys: Tensor, values: Tensor, *_: Any, **__: Any) -> tuple[Tensor, Tensor]:
        """Write what is new, of shape (rows, heads, tokens, dimensions); return what is read."""
        new = (keys, values)
        if not self.held or self.held[0].shape[1] < self._slots.capacity:
            self._grow(new)
        written, read = self.written.to(keys.device), self.read.to(keys.device)
        for held, part in zip(self.held, new, strict=True):
            held.index_copy_(1, written, part.transpose(0, 1).flatten(1, 2))
        found = [
            held.index_select(1, read.flatten())
            .view(len(held), *read.shape, held.shape[-1])
            .transpose(0, 1)
            for held in self.held
        ]
        return found[0], found[1]

    def _grow(self, like: Sequence[Tensor]) -> None:
        for place, part in enumerate(like):
            shape = (part.shape[1], self._slots.capacity, part.shape[-1])
            grown = part.new_zeros(shape)
            if place < len(self.held):
                grown[:, : self.held[place].shape[1]] = self.held[place]
                self.held[place] = grown
            else:
                self.held.append(grown)

    def get_seq_length(self) -> int:
        """Return 0: positions are given, so what was read before is not asked."""
        return 0
