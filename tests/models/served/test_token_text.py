"""Tokens as servers write them, after the threads that report each notation."""

from __future__ import annotations

import math

import pytest

from core.models.served.token_text import AS_IDS, NAMELESS, UNLIKE, match_tokens


def token(name, top=None, told=None):
    """A token of the protocol, with its alternatives and what else is told of it."""
    others = {name: -0.1, **(top or {})}
    return {
        "token": name,
        "logprob": -0.1,
        **({"bytes": list(told)} if told is not None else {}),
        "top_logprobs": [{"token": other, "logprob": p} for other, p in others.items()],
    }


def texts(positions):
    return [position.token for position in positions]


NOTATIONS = {
    "OpenAI: as text": [token("Summary"), token(" A", {" B": -2.4})],
    "vllm#16838: the marks of a byte-level vocabulary": [token("Summary"), token("ĠA", {"ĠB": -2.4})],
    "SentencePiece's marks": [token("▁Summary"), token("▁A", {"▁B": -2.4})],
    "llama.cpp#11728: without spaces": [token("Summary"), token("A", {"B": -2.4})],
    "a mark of the end behind it": [token("Summary"), token(" A", {" B": -2.4}), token("<|eot_id|>")],
    "vllm#17637: an empty token at the end": [
        token("Summary"), token(" A", {" B": -2.4}),
        {"token": "", "logprob": -9999.0, "bytes": [], "top_logprobs": []},
    ],
    "sglang#25055: the thoughts before it": [
        token("<think>"), token("Summary"), token(" B"), token("?"), token("</think>"),
        token("\n\n"), token("Summary"), token(" A", {" B": -2.4}),
    ],
}  # fmt: skip


def test_tokens_make_up_the_text() -> None:
    for given in NOTATIONS.values():
        positions, why = match_tokens("Summary A", given)
        assert (texts(positions), why) == (["Summary", " A"], "")
        assert dict(positions[1].top) == {" A": -0.1, " B": -2.4}


def test_alternatives_without_the_space_of_their_token() -> None:
    """llama.cpp#11728: " os" was written, and "os" is told among the likeliest."""
    given = token(" os", told=b" os") | {
        "top_logprobs": [
            {"token": "os", "bytes": [111, 115], "logprob": -2.07},
            {"token": "math", "bytes": list(b"math"), "logprob": -2.2},
        ]
    }
    [_, second], _ = match_tokens("import os", [token("import"), given])
    assert dict(second.top) == {" os": -2.07, " math": -2.2}


def test_pieces_of_characters_and_of_white_space() -> None:
    for text, given, pieces in [
        # SentencePiece's byte tokens
        ("é!", [token("<0xC3>"), token("<0xA9>"), token("!")], ["", "é", "!"]),
        # A character in two tokens, told by their bytes (OpenAI)
        ("文", [token("\\xe6\\x96", told=b"\xe6\x96"), token("\\x87", told=b"\x87")], ["", "文"]),
        # GPT-2's signs for the bytes of 文
        ("文本", [token("æĸĩ"), token("æľ¬")], ["文", "本"]),
        ("A\nB", [token("A"), token("Ċ"), token("B")], ["A", "\n", "B"]),
        # The text was stripped, the tokens were not
        ("A", [token("\n\n"), token(" A"), token("\n")], ["A"]),
        ("A  b", [token("A"), token("b")], ["A", "  b"]),
        ("a a", [token("a"), token("a")], ["a", " a"]),
    ]:
        positions, why = match_tokens(text, given)
        assert (texts(positions), why) == (pieces, "")
        assert "".join(texts(positions)) == text


def test_what_cannot_be_matched_says_the_way_out() -> None:
    for given, why in [
        ([token("token_id:9370"), token("token_id:319")], AS_IDS),  # vLLM, tokens as ids
        ([token("Another"), token(" text")], UNLIKE),
        ([token("Summary"), token(" A") | {"top_logprobs": [{"token": "", "logprob": -0.1}]}],
         NAMELESS),  # ai-dynamo/dynamo#8911
        ([], ""),
        ([{"token": "Summary", "top_logprobs": []}, {"token": " A", "top_logprobs": []}], ""),
    ]:  # fmt: skip
        assert match_tokens("Summary A", given) == ((), why)


def test_what_is_the_logarithm_of_no_probability() -> None:
    for logprob in [math.nan, 5.0]:
        with pytest.raises(ValueError, match="a log-probability of"):
            match_tokens("A", [token("A", {"B": logprob})])
