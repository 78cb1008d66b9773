"""Tokens as text: the tokens of a reply, as a server writes them, cut so that together they are
exactly its text.

Servers write tokens in several notations: as text, as bytes, with the marks of the vocabulary (Ġ,
▁, <0x41>), without spaces, or as ids. Some also tell those of the thoughts before the text and of
the marks behind it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

from .completion import Position

ROUNDING = 1e-3  # how far above 0 a log-probability may come out

AS_IDS = "tokens came as ids: start the server without --return-tokens-as-token-ids"
NAMELESS = "the likeliest tokens came without text: the server tells their probabilities alone"
UNLIKE = "the tokens that came with probabilities are not those of the text"
UNMATCHED = (AS_IDS, NAMELESS, UNLIKE)
"""Why the tokens of a reply are of no use."""

_ID = re.compile(r"token_id:\d+")  # docs.vllm.ai, --return-tokens-as-token-ids
_MARK = re.compile(
    r"\s*|<\|[^|]*\|>|<｜[^｜]*｜>|</?s>|<(?:eos|bos|pad|end_of_turn|end_of_utterance)>|\[/?INST\]"
)  # of the end of a reply, which is no part of its text
_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")

Token = dict[str, Any]
Spell = Callable[[Token], bytes]


def _byte_level() -> dict[str, int]:
    """Return the signs that byte-level vocabularies (GPT-2's) write bytes with."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    return {chr(byte): byte for byte in plain} | {
        chr(256 + place): byte for place, byte in enumerate(others)
    }


_BYTE_OF = _byte_level()


def _spell_text(token: Token) -> bytes:
    return str(token["token"]).encode("utf-8", "surrogatepass")


def _spell_bytes(token: Token) -> bytes:
    told = token.get("bytes")
    return bytes(told) if isinstance(told, (list, tuple)) else _spell_text(token)


def _spell_byte_level(token: Token) -> bytes:
    signs = str(token["token"])
    if all(sign in _BYTE_OF for sign in signs):
        return bytes(_BYTE_OF[sign] for sign in signs)
    return _spell_text(token)


def _spell_pieces(token: Token) -> bytes:
    """SentencePiece's: ▁ is a space, <0x41> a byte."""
    text = str(token["token"])
    if match := _BYTE.fullmatch(text):
        return bytes([int(match[1], 16)])
    return text.replace("▁", " ").encode("utf-8", "surrogatepass")


SPELLINGS: tuple[Spell, ...] = (_spell_text, _spell_bytes, _spell_byte_level, _spell_pieces)
"""How a token may be written; the first by which the tokens make up the text is the server's."""


Alignment = tuple[int, list[int]]
"""From which token on the tokens make up the text, and where in the text each ends."""


def match_tokens(text: str, given: Sequence[Token]) -> tuple[tuple[Position, ...], str]:
    """Match tokens with their alternatives to a text, in order, so that they make it up.

    Returns the positions and '', or () and the reason. An empty text has the token that ends it.
    Raises ValueError for a number that is no log-probability, and TypeError or LookupError for an
    invalid token.
    """
    for token in given:
        for other in token.get("top_logprobs") or ():
            logprob_of(other["logprob"])
    if not given or not any(token.get("top_logprobs") for token in given):
        return (), ""
    if any(_ID.fullmatch(str(token["token"])) for token in given):
        return (), AS_IDS
    if not text:  # the last token ends the reply
        return _positions(text, given[-1:], [0], _spell_text)
    for align in (_align, _align_words):
        for spell in SPELLINGS:
            if aligned := align(text, [spell(token) for token in given]):
                start, ends = aligned
                return _positions(text, given[start:], ends, spell)
    return (), UNLIKE


def _align(text: str, pieces: Sequence[bytes]) -> Alignment | None:
    """Align pieces that end with the text, but for marks behind it."""
    wanted = text.encode("utf-8", "surrogatepass")
    last = len(pieces)
    whole = b"".join(pieces)
    while not whole.endswith(wanted):
        if not last or not _MARK.fullmatch(pieces[last - 1].decode("utf-8", "replace")):
            return None
        last -= 1
        whole = whole[: len(whole) - len(pieces[last])]
    begins = len(whole) - len(wanted)
    bounds = list(accumulate(map(len, pieces[:last])))
    start = bisect_right(bounds, begins)
    characters = list(accumulate(len(sign.encode("utf-8", "surrogatepass")) for sign in text))
    ends = [bisect_right(characters, bound - begins) for bound in bounds[start:last]]
    return start, ends


def _align_words(text: str, pieces: Sequence[bytes]) -> Alignment | None:
    """Align pieces that make up a text except for its spaces (ggml-org/llama.cpp#11728).

    Spaces go with the piece behind them.
    """
    left, place, ends = text.rstrip(), len(pieces), list[int]()
    while left and place:
        place -= 1
        piece = pieces[place].decode("utf-8", "replace").strip()
        if piece and left.endswith(piece):
            ends.append(len(left))
            left = left[: len(left) - len(piece)].rstrip()
        elif piece and not (not ends and _MARK.fullmatch(piece)):
            return None
        elif ends:
            ends.append(len(left))  # white space alone: it is the next piece's
    if left or not ends:
        return None
    ends.reverse()
    ends[-1] = len(text)
    return place, ends


def _positions(
    text: str, given: Sequence[Token], ends: Sequence[int], spell: Spell
) -> tuple[tuple[Position, ...], str]:
    """Return the tokens as pieces of the text, with their alternatives in the same spelling."""
    positions, begin = [], 0
    for token, end in zip(given, ends, strict=False):
        others = token.get("top_logprobs") or ()
        piece, begin = text[begin:end], end
        if not others and not piece and text:
            continue  # of what ends a reply (vllm-project/vllm#17637)
        if not others:
            return (), ""
        told = [
            (spell(other).decode("utf-8", "replace"), logprob_of(other["logprob"]))
            for other in others
        ]
        if all(not name for name, _ in told):
            return (), NAMELESS
        space = piece[: len(piece) - len(piece.lstrip())]
        if space and piece.strip() and not any(name[:1].isspace() for name, _ in told):
            told = [(space + name, logprob) for name, logprob in told]  # they have lost theirs
        positions.append(Position(piece, tuple(told)))
    return tuple(positions), ""


def logprob_of(told: Any) -> float:
    """Return a log-probability, at most 0: rounding may take it above 0 by a little.

    Raises ValueError for a number that is no log-probability.
    """
    logprob = float(told)
    if not logprob <= ROUNDING:
        raise ValueError(f"a log-probability of {logprob:g}")
    return min(logprob, 0.0)
