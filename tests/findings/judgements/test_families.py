"""Items that repeat a prompt are one in intervals, and what is no repeat stays apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from core.findings.judgements import Selection, describe_families, select_answered
from core.findings.judgements.families import find_families, group_items
from core.findings.leaderboard import RankSettings, leaderboard
from core.importing import importer
from core.records import Answer, Dataset, Generation, Item, JudgeSpec, Kind, Outcome, TandemError
from core.statistics import intervals
from core.store import Store
from core.store.wording import LONG_CONTEXT, hash_wording
from tests.study import add_texts
from tests.votes import Vote, add_votes

STORY = "A man walks into a bar and orders a drink that costs 4 dollars. " * 3
assert len(STORY) > LONG_CONTEXT


def test_contexts_are_the_same_by_their_words() -> None:
    for one, other, same in (
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
    ):
        assert (hash_wording(one) == hash_wording(other)) == same, one
    assert [hash_wording(context) for context in ("", "  \n", "?!…")] == [0, 0, 0]


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
    """Names of files go before contexts; a context of all items is an instruction, and so is that of
    more than half of a subset's: of 12 items 7, not 6.
    """
    assert group(["x", "y", "X", "z", "y!"]) == (list("abadb"), 0)
    assert group(["x", "x", "y", "y"], names=["n", "", "n", ""]) == (["a", "b", "a", "d"], 0)
    assert group(["x", "x", "y", "y"], "named") == (list("abcd"), 0)
    assert group(["", "", "x", ""]) == (list("abcd"), 0)
    assert group(["Summarise."] * 4) == (list("abcd"), 4)
    others = [f"prompt {letter}" for letter in "abcdefghijkl"]
    subset = "s" * 12 + "t" * 12
    assert group(["Summarise."] * 7 + others[:5] + others, subset=subset)[1] == 7
    families, instructing = group(["Summarise."] * 6 + others[:6] + others, subset=subset)
    assert (families[:6], instructing) == (["a"] * 6, 0)


PROMPTS, REPEATS = 12, 5


@pytest.fixture(scope="module")
def repeated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Twelve prompts, each in five items; x wins on all items of most prompts."""
    rng = np.random.default_rng(1)
    wins = np.repeat(rng.random(PROMPTS) < 0.7, REPEATS)
    items = [
        Item(f"i{place}", f"Write about {chr(97 + place // REPEATS)}{'!' * (place % REPEATS)}")
        for place in range(PROMPTS * REPEATS)
    ]
    votes = [
        Vote(item.key, "x", "y", "Ada", Answer(Outcome.A if won else Outcome.B))
        for item, won in zip(items, wins, strict=True)
    ]
    with Store(tmp_path_factory.mktemp("repeated") / "s.sqlite3") as store:
        add_texts(store, "d", [], items=items, systems="xy")
        store.judges.add([JudgeSpec("Ada", Kind.HUMAN)])
        add_votes(store, "d", votes)
        yield store


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
    with pytest.raises(TandemError, match=r"prompts.*\bfound\b.*\bnamed\b.*\bnone\b"):
        select_answered(repeated, Selection("d", families="prompts"))


ARTICLES = 24


def write_texts(
    store: Store, dataset: str, subjects: Sequence[int], contexts: Sequence[str]
) -> None:
    """Two systems write of each item's subject, in words of their own half of the time."""
    letters, words = list("abcdefghijklmnopqrstuvwxyz"), {}
    for subject in subjects:
        drawn = np.random.default_rng(subject).choice(letters, (30, 8))
        words[subject] = ["".join(word) for word in drawn] + ["however"] * 10
    rng = np.random.default_rng(0)
    items = [Item(f"i{place:02}", context) for place, context in enumerate(contexts)]
    texts = [
        Generation(item.key, system, text=" ".join(rng.choice(words[subject], 30)))
        for item, subject in zip(items, subjects, strict=True)
        for system in "xy"
    ]
    add_texts(store, dataset, texts, items=items)


def list_families(store: Store, dataset: str) -> list[list[int]]:
    """The places of the items of each family."""
    found = find_families(store, dataset, "found")
    if found is None:
        return [[place] for place in range(len(store.datasets.families(dataset)))]
    return [of.index.tolist() for _, of in found.items.groupby("family", sort=False)]


TASKS = ("Summarise the article.", "Translate the sentence.", "Say who is meant.")


def test_instructions_are_no_families_and_documents_with_many_items_are(store: Store) -> None:
    """Each of 24 articles has its own subject, whatever the instructions are. Also a document that
    has half of all items, or more, is a family; and one beside an instruction.
    """
    every = range(ARTICLES)
    for tasks in (1, 2, 3):
        write_texts(store, f"t{tasks}", every, [TASKS[place % tasks] for place in every])
        assert list_families(store, f"t{tasks}") == [[place] for place in every]
        assert any("instruction" in note for note in describe_families(store, f"t{tasks}", "found"))
    for documents in (2, 3, 6):
        name = f"d{documents}"
        document = [min(place // 4, documents - 1) for place in every]
        write_texts(store, name, document, [f"Document {TASKS[0] * (1 + d)}" for d in document])
        expected = [[p for p in every if document[p] == each] for each in range(documents)]
        assert list_families(store, name) == expected
        assert any("families none" in note for note in describe_families(store, name, "found"))
    contexts = [TASKS[0]] * 12 + ["The moon landing"] * 12
    write_texts(store, "both", [*range(12), *[50] * 12], contexts)
    assert list_families(store, "both") == [*[[place] for place in range(12)], list(range(12, 24))]


@pytest.mark.shared
def test_articles_under_two_instructions_and_articles_in_four_parts(
    store: Store, datasets: Path
) -> None:
    """SummEval's: half of the articles under either instruction are 100 items; twelve articles,
    each in four items of four systems, are twelve.
    """
    file = datasets / "summeval" / "summeval_100x16.jsonl.gz"
    importer.load(store, [file], Dataset("summeval"))
    texts = store.texts.generations("summeval")
    for name, parts, most in (("asked", 1, 100), ("parted", 4, 12)):
        article = pd.factorize(texts["item"])[0]
        part = texts.groupby("item").cumcount() % parts
        of = texts.assign(
            article=article, key=[f"{a}-{p}" for a, p in zip(article, part, strict=True)]
        )
        of = of[of["article"] < most]
        heads = of.drop_duplicates("key")
        context = [TASKS[a % 2] if parts == 1 else f"article {a * 'x'}" for a in heads["article"]]
        written = [Generation(row.key, row.system, text=row.text) for row in of.itertuples()]
        add_texts(store, name, written, items=map(Item, heads["key"], context))
        found = find_families(store, name, "found")
        assert found is not None
        assert found.items["family"].nunique() == most
