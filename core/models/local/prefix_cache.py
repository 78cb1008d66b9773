"""Prefixes: what prompts have in common is read once.

A comparison's prompt is context, first text, second text, question, so that all prompts of an item
begin alike, and those with the same first text go on alike. The token ids alone show this for any
template. Prompts form a tree: every piece is computed once, and its keys and values stay in their
slots, where they were written, as long as there is room.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

from .tokens import Ids, batches, common_prefix

if TYPE_CHECKING:
    from torch import Tensor

COLUMNS = 8
"""Tokens that a batch looks back at, at most, for each token that it may read anew."""


@dataclass(eq=False)
class Piece:
    """Tokens that follow `parent`, at position `start`, with the slots of their keys and values
    once they are read.
    """

    ids: Ids
    parent: Piece | None
    start: int
    children: dict[int, Piece] = field(default_factory=dict)
    slots: list[int] | None = None
    used: float = 0

    @property
    def end(self) -> int:
        """The position behind the last token of the piece."""
        return self.start + len(self.ids)

    def path(self) -> list[Piece]:
        """Return the pieces from the beginning to this one."""
        found, piece = [], self
        while piece.parent is not None:
            found.append(piece)
            piece = piece.parent
        return found[::-1]


class PrefixTree:
    """The beginnings of a model's latest prompts.

    At most `room` bytes of keys and values are kept, the latest used. If `packed`, a batch is one
    row in which every token sees only its own prompt (a block mask): a CPU gains nothing from rows.
    Else it has a row for each continuation, so that no time goes to what the mask leaves out.
    """

    def __init__(self, model: Any, room: int, *, packed: bool) -> None:
        self._model, self._room, self._packed = model, room, packed
        self._root = Piece((), None, 0, slots=[])
        self._slots = TokenSlots()
        self._clock = 0
        self._held = 0

    def insert(self, ids: Ids) -> Piece:
        """Return the piece at which these tokens end, new ones made for what is not there."""
        piece, at = self._root, 0
        while at < len(ids):
            child = piece.children.get(ids[at])
            if child is None:
                child = piece.children[ids[at]] = Piece(ids[at:], piece, at)
                return child
            shared = common_prefix(child.ids, ids[at : at + len(child.ids)])
            if shared < len(child.ids):
                child = self._split(child, shared)
            piece, at = child, at + shared
        return piece

    def _split(self, piece: Piece, at: int) -> Piece:
        """Return the first `at` tokens as a piece of their own; the rest stays the same piece."""
        parent = piece.parent
        assert parent is not None
        head = Piece(piece.ids[:at], parent, piece.start, used=piece.used)
        if piece.slots is not None:
            head.slots, piece.slots = piece.slots[:at], piece.slots[at:]
        parent.children[head.ids[0]] = head
        piece.ids, piece.parent, piece.start = piece.ids[at:], head, piece.start + at
        head.children[piece.ids[0]] = piece
        return head

    def logits(self, asks: Sequence[tuple[Piece, Ids]], most: int) -> list[Tensor]:
        """Return the logits after every token of each continuation of a piece, shape (tokens,
        vocabulary), about `most` tokens read at once.

        What several of them need is read first, level by level of the tree.
        """
        self._clock += 1
        tails = [Piece(ids, after, after.end) for after, ids in asks]
        paths = [tail.path() for tail in tails]
        users = Counter(part for path in paths for part in path if part.slots is None)
        for part in chain(*paths):
            part.used = self._clock
        while level := [
            part
            for part, count in users.items()
            if count > 1 and part.slots is None and part.parent and part.parent.slots is not None
        ]:
            for group in batches([len(part.ids) for part in level], most):
                self._read([[level[index]] for index in group])
        rows = [[part for part in path if part.slots is None] for path in paths]
        found: dict[int, Tensor] = {}
        for group in self._groups(rows, most):
            scores = self._read([rows[index] for index in group], [tails[index] for index in group])
            found |= zip(group, scores, strict=True)
            self._forget([part for index in group for part in rows[index][:-1]])
        self._clock += 1  # nothing is in use any more
        self._forget()
        return [found[index] for index in range(len(asks))]

    def _groups(self, rows: Sequence[Sequence[Piece]], most: int) -> Iterator[list[int]]:
        """Yield the rows that are read together: next to each other where they are packed, since
        they look back at the same then, else of about one length.
        """
        lengths = [sum(len(part.ids) for part in row) for row in rows]
        if self._packed:
            group, size = list[int](), 0
            for index, length in enumerate(lengths):
                if group and size + length > most:
                    yield group
                    group, size = [], 0
                group.append(index)
                size += length
            if group:
                yield group
            return
        longest = max((row[-1].end for row in rows), default=1)
        for group in batches(lengths, most):
            few = max(1, COLUMNS * most // longest)
            yield from (group[start : start + few] for start in range(0, len(group), few))

    def _read(self, rows: Sequence[Sequence[Piece]], tails: Sequence[Piece] = ()) -> list[Tensor]:
        """Read new pieces, row by row behind their parents, and return the logits of `tails`, whose
        keys and values are not kept.
        """
        new = [part for row in rows for part in row]
        for part in new:
            part.slots = self._slots.take(len(part.ids))
        try:
            found = self._forward([new] if self._packed else rows, tails)
        except BaseException:  # the memory may be full
            for part in new:
                self._slots.give_back(part.slots or ())
                part.slots = None
            raise
        for tail in tails:
            self._slots.give_back(tail.slots or ())
        self._held += sum(len(part.ids) for part in new) - sum(len(tail.ids) for tail in tails)
        return found

    def _forward(self, rows: Sequence[Sequence[Piece]], tails: Sequence[Piece]) -> list[Tensor]:
        """Let each token see those of its own path that are not behind it. Rows are padded on the
        left, so that what is asked is at their ends.
        """
        import torch

        device = self._model.device
        seen = [list(dict.fromkeys(chain(*(part.path() for part in row)))) for row in rows]
        number = {part: place for place, part in enumerate(dict.fromkeys(chain(*seen)), start=1)}
        of_path = torch.zeros((len(number) + 1, len(number) + 1), dtype=torch.bool)
        columns = {}
        for part, place in number.items():
            of_path[place, [number[above] for above in part.path()]] = True
            columns[part] = torch.tensor(
                [
                    part.ids,
                    part.slots,
                    [place] * len(part.ids),
                    [*range(part.start, part.start + len(part.ids))],
                ]
            )
        query, key = (
            _pad_left([torch.cat([columns[part] for part in row], 1) for row in of]).to(device)
            for of in (rows, seen)
        )
        visible = of_path.to(device)[query[2][:, :, None], key[2][:, None, :]]
        visible &= key[3][:, None, :] <= query[3][:, :, None]
        dtype = self._model.dtype
        mask = torch.zeros(visible.shape, dtype=dtype, device=device)
        mask.masked_fill_(~visible, torch.finfo(dtype).min)
        width = query.shape[-1]
        spans = {}
        for line, row in enumerate(rows):
            end = width - sum(len(part.ids) for part in row)
            for part in row:
                spans[part] = line, range(end, end := end + len(part.ids))
        wanted = sorted({place for tail in tails for place in spans[tail][1]}) or [width - 1]
        logits = self._model(
            input_ids=query[0],
            attention_mask=mask[:, None],
            position_ids=query[3],
            past_key_values=self._slots.open_cache(query[1], key[1]),
            use_cache=True,
            logits_to_keep=torch.tensor(wanted, device=device),
        ).logits
        at = {place: index for index, place in enumerate(wanted)}
        return [
            logits[line, at[span[0]] : at[span[0]] + len(span)]
            for line, span in (spans[tail] for tail in tails)
        ]

    def _forget(self, answered: Sequence[Piece] = ()) -> None:
        """Make room: the ends that were not used for longest go first, of those in use none but
        what is `answered`.
        """
        for part in answered:
            part.used = self._clock - 0.5
        while self._held * self._slots.slot_bytes > self._room:
            ends = [
                part
                for part in self._walk_pieces()
                if not part.children and part.slots is not None and part.used < self._clock
            ]
            if not ends:
                return
            for part in sorted(ends, key=lambda part: part.used):
                if self._held * self._slots.slot_bytes > self._room and part.parent:
                    self._held -= len(part.ids)
                    self._slots.give_back(part.slots or ())
                    part.slots = None
                    del part.parent.children[part.ids[0]]

    def _walk_pieces(self) -> Iterator[Piece]:
        waiting = list(self._root.children.values())
        while waiting:
            piece = waiting.pop()
            waiting += piece.children.values()
            yield piece


def _pad_left(rows: Sequence[Tensor]) -> Tensor:
    """Return rows of shape (features, tokens) as (features, rows, tokens), zeros on the left."""
    width = max(row.shape[1] for row in rows)
    padded = rows[0].new_zeros((len(rows[0]), len(rows), width))
    for line, row in enumerate(rows):
        padded[:, line, width - row.shape[1] :] = row
    return padded


FIRST = 512  # slots to begin with, twice as many whenever they are full


class TokenSlots:
    """Slots in every layer of a model, by number. Padding is written to slot 0, which the mask
    keeps everything from seeing.
    """

    def __init__(self) -> None:
        self.capacity = 1
        self._free: list[int] = []
        self._layers: dict[int, SlotLayer] = {}

    @property
    def slot_bytes(self) -> int:
        """Bytes of a token in all layers; 0 before the first is written."""
        return sum(held[:, 0].nbytes for layer in self._layers.values() for held in layer.held)

    def take(self, count: int) -> list[int]:
        """Return so many free slots, those beside each other where possible."""
        if len(self._free) < count:
            more = max(FIRST, self.capacity, count)
            self._free = [*reversed(range(self.capacity, self.capacity + more)), *self._free]
            self.capacity += more
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
        new = keys, values
        if not self.held or self.held[0].shape[1] < self._slots.capacity:
            self._grow(new)
        written, read = self.written.to(keys.device), self.read.to(keys.device)
        for held, part in zip(self.held, new, strict=True):
            held.index_copy_(1, written, part.transpose(0, 1).flatten(1, 2))
        keys, values = (
            held.index_select(1, read.flatten())
            .view(len(held), *read.shape, held.shape[-1])
            .transpose(0, 1)
            for held in self.held
        )
        return keys, values

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


def shareable(model: Any) -> bool:
    """Return whether a block mask over a growing cache can describe a model's attention.

    It cannot for windows, states or positions of the model's own making (Mamba, ALiBi). Such models
    read each prompt as a whole. GPT-Neo makes its windows itself, regardless of the mask; its kind
    of cache does not show that.
    """
    import inspect

    from transformers import DynamicCache
    from transformers.cache_utils import DynamicLayer

    if "local" in getattr(model.config, "attention_layers", ()):
        return False
    known = inspect.signature(model.forward).parameters
    layers = DynamicCache(config=model.config).layers
    return {"position_ids", "logits_to_keep"} <= set(known) and all(
        type(layer) is DynamicLayer for layer in layers
    )


def stateful(model: Any) -> bool:
    """Return whether a model keeps a state that all it has read goes into (Mamba, LFM2). The texts
    of such a model may not be padded.
    """
    from transformers import DynamicCache
    from transformers.cache_utils import LinearAttentionCacheLayerMixin

    layers = DynamicCache(config=model.config).layers
    return any(isinstance(layer, LinearAttentionCacheLayerMixin) for layer in layers)
