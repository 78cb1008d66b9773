"""Prefixes: what prompts have in common is read once.

A comparison's prompt is context, first text, second text, question, so that all prompts of an item
begin alike, and those with the same first text go on alike. The token ids alone show this for any
template. Prompts form a tree: every piece is computed once, and its keys and values are kept as
long as there is room.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .tokens import Ids, common_prefix

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(eq=False)
class Piece:
    """Tokens that follow `parent`, at position `start`, with the keys and values of every layer
    once computed.
    """

    ids: Ids
    parent: Piece | None
    start: int
    children: dict[int, Piece] = field(default_factory=dict)
    values: list[tuple[Tensor, Tensor]] | None = None
    used: int = 0

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

    def bytes(self) -> int:
        """Count the bytes of the keys and values that are kept."""
        return sum(tensor.nbytes for pair in self.values or () for tensor in pair)


@dataclass(frozen=True)
class Ask:
    """Tokens that are read after a piece and forgotten again: the end of a prompt, with a label."""

    after: Piece
    ids: Ids


class PrefixTree:
    """The beginnings of a model's latest prompts.

    `logits` reads several continuations in one row, in which every token sees what comes before it
    in its own prompt (a block mask), at its own position. At most `room` bytes are kept, the latest
    used.
    """

    def __init__(self, model: Any, room: int) -> None:
        self._model, self._room = model, room
        self._root = Piece((), None, 0)
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
        if piece.values is not None:
            # Cloned, so that one can be forgotten without the other.
            head.values = [
                (k[..., :at, :].clone(), v[..., :at, :].clone()) for k, v in piece.values
            ]
            piece.values = [
                (k[..., at:, :].clone(), v[..., at:, :].clone()) for k, v in piece.values
            ]
        parent.children[head.ids[0]] = head
        piece.ids, piece.parent, piece.start = piece.ids[at:], head, piece.start + at
        head.children[piece.ids[0]] = piece
        return head

    def rows(self, asked: Sequence[tuple[Piece, int]], most: int) -> Iterator[list[int]]:
        """Yield indices of (piece, tokens after it) that are read in one row of about `most` new
        tokens.
        """
        row: list[int] = []
        new, size = set[Piece](), 0
        for index, (piece, after) in enumerate(asked):
            lacking = [part for part in piece.path() if part.values is None and part not in new]
            more = sum(len(part.ids) for part in lacking) + after
            if row and size + more > most:
                yield row
                row, new, size = [], set(), 0
                lacking = [part for part in piece.path() if part.values is None]
                more = sum(len(part.ids) for part in lacking) + after
            row.append(index)
            new |= set(lacking)
            size += more
        if row:
            yield row

    def logits(self, asks: Sequence[Ask]) -> list[Tensor]:
        """Return the logits after every token of each ask, shape (tokens, vocabulary)."""
        import torch
        from transformers import DynamicCache

        self._clock += 1
        paths = [ask.after.path() for ask in asks]
        pieces = list(dict.fromkeys(piece for path in paths for piece in path))
        known = [piece for piece in pieces if piece.values is not None]
        new = [piece for piece in pieces if piece.values is None]
        past, columns = 0, {}
        for piece in known:
            columns[piece] = past
            past += len(piece.ids)
        # New pieces go into one row, each after its parent, then the continuations.
        ids: list[int] = []
        for piece in new:
            columns[piece] = past + len(ids)
            ids += piece.ids
        firsts = []
        for ask in asks:
            firsts.append(len(ids))
            ids += ask.ids
        device = self._model.device
        seen = torch.zeros((len(ids), past + len(ids)), dtype=torch.bool)
        positions = torch.zeros(len(ids), dtype=torch.long)

        def fill_rows(first: int, length: int, start: int, before: Sequence[Piece]) -> None:
            rows = slice(first, first + length)
            positions[rows] = torch.arange(start, start + length)
            for piece in before:
                seen[rows, columns[piece] : columns[piece] + len(piece.ids)] = True
            seen[rows, past + first : past + first + length] = torch.ones(
                (length, length), dtype=torch.bool
            ).tril()

        for piece in new:
            fill_rows(columns[piece] - past, len(piece.ids), piece.start, piece.path()[:-1])
        for ask, first, path in zip(asks, firsts, paths, strict=True):
            fill_rows(first, len(ask.ids), ask.after.end, path)
        cache: Any = DynamicCache()
        if known:
            layers = zip(*(piece.values or () for piece in known), strict=True)
            for layer, parts in enumerate(layers):
                keys, values = zip(*parts, strict=True)
                cache.update(torch.cat(keys, -2), torch.cat(values, -2), layer)
        dtype = self._model.dtype
        blocked = torch.zeros(seen.shape, dtype=dtype).masked_fill_(~seen, torch.finfo(dtype).min)
        wanted = [
            first + step
            for ask, first in zip(asks, firsts, strict=True)
            for step in range(len(ask.ids))
        ]
        output = self._model(
            input_ids=torch.tensor([ids], device=device),
            attention_mask=blocked[None, None].to(device),
            position_ids=positions[None].to(device),
            past_key_values=cache,
            use_cache=True,
            logits_to_keep=torch.tensor(wanted, device=device),
        )
        for piece in new:
            span = slice(columns[piece], columns[piece] + len(piece.ids))
            piece.values = [
                (layer.keys[..., span, :].clone(), layer.values[..., span, :].clone())
                for layer in cache.layers
            ]
            self._held += piece.bytes()
        for piece in pieces:
            piece.used = self._clock
        self._forget()
        return list(output.logits[0].split([len(ask.ids) for ask in asks]))

    def _forget(self) -> None:
        """Make room: the ends that were not used for longest go first."""
        while self._held > self._room:
            ends = [
                piece
                for piece in self._walk_pieces()
                if not piece.children and piece.values is not None
            ]
            if not ends:
                return
            self._drop(min(ends, key=lambda piece: piece.used))

    def _drop(self, piece: Piece) -> None:
        self._held -= piece.bytes()
        piece.values = None
        if piece.parent is not None:
            del piece.parent.children[piece.ids[0]]

    def _walk_pieces(self) -> Iterator[Piece]:
        waiting = list(self._root.children.values())
        while waiting:
            piece = waiting.pop()
            waiting += piece.children.values()
            yield piece


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
