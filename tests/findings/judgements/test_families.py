"""Items that repeat a prompt are one in intervals, and what is no repeat stays apart."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.findings.judgements import Selection, describe_families, select_answered
from core.findings.judgements.families import group_items
from core.findings.leaderboard import RankSettings, leaderboard
from core.records import (
    Answer,
    Attribute,
    Dataset,
    Item,
    JudgeSpec,
    Kind,
    Outcome,
    System,
    TandemError,
)
from core.statistics import intervals
from core.store import Store
from core.store.wording import LONG_CONTEXT, hash_wording
from tests.votes import Vote, add_votes

STORY = "A man walks into a bar and orders a drink that costs 4 dollars. " * 3
assert len(STORY) > LONG_CONTEXT


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("What is it?", "what is  IT", True),
        ("«Was ist das?»", "Was ist das", True),
        ("ﬁne", "fine", True),
        ("什么是爱？", "什么是爱", True),
        ("What is 2 + 3?", "What is 2 + 4?", False),
        ("What is 2 + 3?", "What is 2 - 3?", False),
        ("Prompt 12", "Prompt 13", False),
        (STORY, STORY.replace("4", "17"), True),
        (STORY, f"{STORY} He pays.", False),
        ("Who won?", "Who lost?", False),
    ],
)
def test_contexts_are_the_same_by_their_words(one: str, other: str, same: bool) -> None:
    assert (hash_wording(one) == hash_wording(other)) == same


@pytest.mark.parametrize("context", ["", "  \n", "?!…"])
def test_a_context_without_words_has_no_hash(context: str) -> None:
    assert hash_wording(context) == 0


def test_a_hash_is_the_same_on_every_machine() -> None:
    """Stores keep it: BLAKE2b of "hello", by coreutils' b2sum -l 64."""
    assert hash_wording("Hello!") == int.from_bytes(
        bytes.fromhex("a7b6eda801e5347d"), "big", signed=True
    )


def group(
    contexts: list[str], how: str = "found", names: list[str] | None = None, subset: str = ""
) -> tuple[list[str], int]:
    """The family of each item, a, b .., and of how many the context is an instruction."""
    keys = [chr(ord("a") + place) for place in range(len(contexts))]
    items = pd.DataFrame({
        "item": keys, "subset": list(subset) or [""] * len(keys),
        "family": names or [""] * len(keys), "wording": [hash_wording(one) for one in contexts],
    })  # fmt: skip
    found = group_items(items, how)
    return (keys, 0) if found is None else (found.items["family"].tolist(), found.instructing)


def test_items_of_a_family_are_named_by_the_first() -> None:
    assert group(["x", "y", "X", "z", "y!"]) == (list("abadb"), 0)


def test_names_of_files_go_before_contexts() -> None:
    named = group(["x", "x", "y", "y"], names=["n", "", "n", ""])
    assert named == (["a", "b", "a", "d"], 0)
    assert group(["x", "x", "y", "y"], "named") == (list("abcd"), 0)


def test_items_without_a_context_are_no_family() -> None:
    assert group(["", "", "x", ""]) == (list("abcd"), 0)


def test_a_context_of_all_items_is_an_instruction() -> None:
    assert group(["Summarise."] * 4) == (list("abcd"), 4)


def test_a_context_of_most_items_of_a_subset_is_an_instruction() -> None:
    """Of 12 items of a subset 7 are more than half, 6 are not."""
    others = [f"prompt {chr(ord('a') + place)}" for place in range(12)]
    subset = "s" * 12 + "t" * 12
    most = group(["Summarise."] * 7 + others[:5] + others, subset=subset)
    assert most[1] == 7
    half = group(["Summarise."] * 6 + others[:6] + others, subset=subset)
    assert half[1] == 0
    assert half[0][:6] == ["a"] * 6


PROMPTS, REPEATS = 12, 5


@pytest.fixture
def repeated(store: Store) -> Store:
    """Twelve prompts, each in five items; x wins on all items of most prompts."""
    rng = np.random.default_rng(1)
    wins = np.repeat(rng.random(PROMPTS) < 0.7, REPEATS)
    items = [
        Item(f"i{place}", f"Write about {chr(97 + place // REPEATS)}{'!' * (place % REPEATS)}")
        for place in range(PROMPTS * REPEATS)
    ]
    store.datasets.add(Dataset("d"))
    store.datasets.add_attributes("d", [Attribute("overall", "good")])
    store.datasets.add_items("d", items)
    store.datasets.add_systems("d", [System("x"), System("y")])
    store.judges.add([JudgeSpec("Ada", Kind.HUMAN)])
    add_votes(
        store, "d",
        [
            Vote(item.key, "x", "y", "Ada", Answer(Outcome.A if won else Outcome.B))
            for item, won in zip(items, wins, strict=True)
        ],
    )  # fmt: skip
    return store


def test_intervals_draw_families(repeated: Store) -> None:
    """The interval is that of the prompts' shares, worked out by hand from the prompts."""
    found, apart = (
        leaderboard(repeated, Selection("d", families=how), RankSettings("win-ratio"))
        for how in ("found", "none")
    )
    frame, _ = select_answered(repeated, Selection("d"))
    prompt = frame["item"].str[1:].astype(int) // REPEATS
    by_prompt = intervals.share(frame["points"].to_numpy(float), prompt.to_numpy())
    first, beside = (board.rows.set_index("system").loc["x"] for board in (found, apart))
    assert first["rating"] == pytest.approx(by_prompt[0])
    np.testing.assert_allclose(first[["low", "high"]].astype(float), by_prompt[1:3], atol=0.05)
    assert first["high"] - first["low"] > 1.5 * (beside["high"] - beside["low"])
    assert found.facts["items"] == PROMPTS * REPEATS
    assert found.facts["effective_items"] == pytest.approx(PROMPTS)
    assert apart.facts["effective_items"] == pytest.approx(PROMPTS * REPEATS)
    assert "families:none" in apart.signature


def test_a_prompt_once_answers_as_its_repeats_do(repeated: Store) -> None:
    """Saying everything five times over adds nothing: the bounds are those of one item a prompt."""
    once = tuple(f"i{place * REPEATS}" for place in range(PROMPTS))
    bounds = [
        leaderboard(repeated, selection, RankSettings("win-ratio")).rows[["low", "high"]]
        for selection in (Selection("d"), Selection("d", items=once))
    ]
    np.testing.assert_allclose(*bounds, atol=0.03)


def test_the_number_of_families_is_said(repeated: Store) -> None:
    (note,) = describe_families(repeated, "d", "found")
    assert f"{PROMPTS * REPEATS} items" in note
    assert f"{PROMPTS} families" in note
    assert not describe_families(repeated, "d", "none")


def test_a_way_that_is_none_is_refused(repeated: Store) -> None:
    with pytest.raises(TandemError, match=r"prompts.*found, named, none"):
        select_answered(repeated, Selection("d", families="prompts"))
