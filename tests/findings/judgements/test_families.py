"""Items that repeat a prompt are one in intervals, and what is no repeat stays apart."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from core.exporting import export
from core.findings import accuracy, agreement, correlation
from core.findings.accuracy import AccuracySettings
from core.findings.correlation import Reference
from core.findings.judgements import (
    Selection,
    answers,
    describe,
    describe_families,
    select_answered,
)
from core.findings.judgements.answers import find_judges, select_judgements
from core.findings.judgements.population import find_families, group_items
from core.findings.leaderboard import RankSettings, leaderboard
from core.importing import importer
from core.records import (
    Answer,
    Dataset,
    Generation,
    Item,
    JudgeSpec,
    Kind,
    Outcome,
    Score,
    TandemError,
)
from core.statistics import intervals
from core.store import Store
from core.store.schema import LONG_CONTEXT, hash_wording
from tests.findings.tables import load
from tests.paths import DATASETS
from tests.study import DATASET, add_texts, campaign_asking, compare, fill, judge

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
    # Stores keep it: BLAKE2b of "hello", by coreutils' b2sum -l 64.
    expected = bytes.fromhex("a7b6eda801e5347d")
    assert hash_wording("Hello!") == int.from_bytes(expected, "big", signed=True)


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
def repeated() -> Store:
    """Twelve prompts, each in five items; x wins on all items of most prompts."""
    wins = np.repeat(np.random.default_rng(1).random(PROMPTS) < 0.7, REPEATS)
    places = [divmod(place, REPEATS) for place in range(PROMPTS * REPEATS)]
    rows = [
        f"i{place},Write about {chr(97 + prompt)}{'!' * again},x,y,{'ab'[not wins[place]]},Ada"
        for place, (prompt, again) in enumerate(places)
    ]
    return load(Store(":memory:"), ["item,context,left,right,winner,judge", *rows])


def test_intervals_draw_families(repeated: Store) -> None:
    """The interval is that of the prompts' shares, worked out by hand from the prompts."""
    by_wins = RankSettings("win-ratio")
    found, apart = (
        leaderboard(repeated, Selection("d", families=how), by_wins) for how in ("found", "none")
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
    # Saying everything five times over adds nothing: the bounds are those of one item a prompt.
    once = Selection("d", items=tuple(f"i{place * REPEATS}" for place in range(PROMPTS)))
    bounds = leaderboard(repeated, once, by_wins).rows[["low", "high"]]
    np.testing.assert_allclose(found.rows[["low", "high"]], bounds, atol=0.03)
    (note,) = describe_families(repeated, "d", "found")
    assert re.search(rf"\b{PROMPTS * REPEATS} items\b.*\b{PROMPTS} families\b", note)
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
        key = [f"{a}-{p}" for a, p in zip(article, part, strict=True)]
        of = texts.assign(article=article, key=key)[article < most]
        heads = of.drop_duplicates("key")
        context = [TASKS[a % 2] if parts == 1 else f"article {a * 'x'}" for a in heads["article"]]
        written = [Generation(row.key, row.system, text=row.text) for row in of.itertuples()]
        add_texts(store, name, written, items=map(Item, heads["key"], context))
        found = find_families(store, name, "found")
        assert found is not None
        assert found.items["family"].nunique() == most


# ---- Comparisons derived from marks: by hand on a small study, and on SummEval's expert marks


SUMMEVAL = DATASETS / "summeval" / "summeval_100x16.jsonl.gz"
SCORER = JudgeSpec("scorer", Kind.LLM, "hf:x", mode="g-eval")


def marked(
    store: Store, marks: dict[str, list[float | str]], by: JudgeSpec = SCORER, sample: int = 0
) -> None:
    """System -> its marks of items i0, i1 ...; a word is why there is none."""
    store.judges.add([by])
    scores = []
    for system, of_system in marks.items():
        for item, mark in enumerate(of_system):
            value, failure = (None, mark) if isinstance(mark, str) else (mark, "")
            of = (f"i{item}", system, "coherence", by.name, value, sample)
            scores.append(Score(*of, failure=failure, kind=by.kind))
    store.scores.add(DATASET, scores)


def outcomes(frame: pd.DataFrame) -> set[tuple[str, str, str, str]]:
    """(item, system A, system B, outcome or why there is none)."""
    said = frame["outcome"].where(frame["outcome"].notna(), frame["failure"])
    return set(zip(frame["item"], frame["system_a"], frame["system_b"], said, strict=True))


@pytest.fixture
def scored(store: Store) -> Store:
    """By hand: beta has no mark of i1, and the marks of i2 are not there yet but for alpha's."""
    fill(store)
    marked(store, {"alpha": [3, 2, 5], "beta": [3, "too-long"], "gamma": [7.5, 1]})
    return store


HAND = {
    ("i0", "alpha", "beta", "tie"), ("i0", "alpha", "gamma", "b"), ("i0", "beta", "gamma", "b"),
    ("i1", "alpha", "beta", "too-long"), ("i1", "alpha", "gamma", "a"),
    ("i1", "beta", "gamma", "too-long"),
}  # fmt: skip


def test_of_marks_whose_lower_ones_are_better_the_lower_one_wins(scored: Store) -> None:
    marks = scored.scores.load_all(DATASET)
    stamp, selection = scored.scores.stamp(DATASET), Selection(DATASET, judges=("scorer",))
    before = leaderboard(scored, selection, RankSettings())
    scored.datasets.set_lower_is_better(DATASET, ["coherence"])
    assert scored.scores.stamp(DATASET) != stamp
    assert scored.datasets.attributes(DATASET)[0].lower_is_better
    assert scored.scores.load_all(DATASET)["value"].equals(marks["value"])  # as they were given
    frame, _ = select_judgements(scored, selection)
    mirrored = {"a": "b", "b": "a"}
    assert outcomes(frame) == {(*pair, mirrored.get(said, said)) for *pair, said in HAND}
    after = leaderboard(scored, selection, RankSettings())
    assert after.rows["system"].tolist() == before.rows["system"].tolist()[::-1]


def test_marks_that_a_run_here_gave_are_higher_where_the_text_is_better(scored: Store) -> None:
    scored.datasets.set_lower_is_better(DATASET, ["coherence"])
    expert = JudgeSpec("expert", Kind.HUMAN)
    marked(scored, {"alpha": [1, 1], "beta": [2, 2], "gamma": [3, 3]}, expert)
    marked(scored, {"alpha": [9, 9], "beta": [5, 5], "gamma": [4, 4]}, JudgeSpec("own", Kind.LLM))
    own = scored.judges.id_of("own")
    run = scored.runs.begin(DATASET, "score", own, {}, {}, {})
    scored.connection.execute("UPDATE scores SET run = ? WHERE judge = ?", (run, own))
    against = Reference("expert", "item", bootstrap=0)
    found = correlation.correlate(scored, Selection(DATASET), against, scores="own")
    assert found.rows["spearman"].tolist() == [1.0]


def test_the_higher_mark_wins(scored: Store) -> None:
    """And a board notices new marks."""
    frame = answers.compare_marks(scored.scores.load_all(DATASET))
    assert outcomes(frame) == HAND
    assert list(frame.columns) == list(scored.judgement_frames.load_all(DATASET).columns)
    assert frame["prob_a"].isna().all()
    assert (frame["order_known"] == 0).all()
    assert frame["judgement"].is_unique
    assert not set(frame["judgement"]) & set(range(10))  # rows of no table
    before = scored.judgement_frames.stamp(DATASET)
    marked(scored, {"beta": [1, 1, 1]}, JudgeSpec("late", Kind.LLM, mode="score"))
    assert scored.judgement_frames.stamp(DATASET) != before


def test_only_the_same_samples_meet(store: Store) -> None:
    fill(store, items=1, samples=2)
    assert answers.compare_marks(store.scores.load_all(DATASET)).empty
    marked(store, {"alpha": [1], "beta": [2]})
    marked(store, {"alpha": [9], "gamma": [8]}, sample=1)
    frame = answers.compare_marks(store.scores.load_all(DATASET))
    assert outcomes(frame) == {("i0", "alpha", "beta", "b"), ("i0", "alpha", "gamma", "a")}
    assert (frame["sample_a"] == frame["sample_b"]).all()


@given(marks=st.lists(st.integers(0, 3), min_size=2, max_size=9), seed=st.randoms())
def test_in_whatever_order_the_marks_came(marks: list[int], seed: object) -> None:
    frame = pd.DataFrame({"generation": range(len(marks)), "value": marks})
    frame = frame.assign(
        system=[f"s{n}" for n in range(len(marks))], item="i", subset="", sample=0, trial=0,
        attribute="coherence", rater="r", kind="llm", failure="",
    )  # fmt: skip
    found = answers.compare_marks(frame)
    assert len(found) == len(marks) * (len(marks) - 1) // 2
    firsts = found["system_a"].tolist()
    assert len(marks) < 8 or firsts != sorted(firsts)  # no system's comparisons in a row
    for row in found.itertuples():
        one, other = (marks[int(name[1:])] for name in (row.system_a, row.system_b))
        assert row.outcome == ("a" if one > other else "b" if one < other else "tie")
    shuffled = list(range(len(marks)))
    seed.shuffle(shuffled)  # type: ignore[attr-defined]
    pd.testing.assert_frame_equal(answers.compare_marks(frame.iloc[shuffled]), found)


def test_every_statistic_takes_them(scored: Store) -> None:
    selection = Selection(DATASET, judges=("scorer",))
    used, unanswered = select_answered(scored, selection)
    assert (len(used), unanswered) == (4, {"too-long": 2})
    board = leaderboard(scored, selection, RankSettings("win-ratio", bootstrap=0))
    # By hand: alpha tie, loss, win; beta tie, loss; gamma win, win, loss.
    assert board.rows.set_index("system")["rating"].to_dict() == pytest.approx(
        {"alpha": 1.5 / 3, "beta": 0.5 / 2, "gamma": 2 / 3}
    )
    assert (board.judgements, dict(board.unanswered)) == (4, {"too-long": 2})
    of_i0 = select_judgements(scored, replace(selection, systems=("alpha", "gamma")))[0]
    assert outcomes(of_i0) == {("i0", "alpha", "gamma", "b"), ("i1", "alpha", "gamma", "a")}
    told = describe.describe(scored, selection).tables["outcomes"].iloc[0]
    assert told[["judge", "a", "b", "tie", "failed"]].tolist() == ["scorer", 1, 2, 1, 2]
    assert pd.isna(told["p_first"])
    other = JudgeSpec("other", Kind.BASELINE, mode="metric")
    marked(scored, {"alpha": [1, 1], "beta": [2, 3], "gamma": [5, 2]}, other)
    both = agreement.agreement(scored, replace(selection, judges=("scorer", "other"))).rows
    # By hand: of the four pairs both speak of, they agree on two (gamma over alpha and over beta on
    # i0).
    found = both[["judge_1", "judge_2", "verdicts", "agreement"]].to_numpy().tolist()
    assert found == [["scorer", "other", 4, 0.5]]
    settings = AccuracySettings("scores", rater="other")
    right = accuracy.accuracy(scored, selection, settings).rows.iloc[0]
    assert right[["comparisons", "right", "tied", "accuracy"]].tolist() == [4, 2, 1, 2.5 / 4]
    against, ratio = Reference("other", "system", bootstrap=0), RankSettings("win-ratio")
    assert correlation.correlate(scored, selection, against, settings=ratio).judgements == 4
    with pytest.raises(TandemError, match=r"'scorer'.*\bcompared none\b"):
        next(export.judgements(scored, selection))


def test_a_kind_takes_in_its_scorers_but_no_marks_of_people(scored: Store) -> None:
    marked(scored, {"alpha": [1], "beta": [2]}, JudgeSpec("expert", Kind.HUMAN))
    marked(scored, {"alpha": [1], "beta": [2]}, JudgeSpec("imported", Kind.LLM))
    assert find_judges(scored, Selection(DATASET, judges=("llm",)))["judge"].tolist() == ["scorer"]
    with pytest.raises(TandemError, match=r"^no human\b.*\bjudges llm, or of scorer$"):
        find_judges(scored, Selection(DATASET))
    with pytest.raises(TandemError, match=r"^no judgements\b.*\bhuman\b"):
        find_judges(scored, Selection(DATASET, judges=("human",)))
    by_name = select_judgements(scored, Selection(DATASET, judges=("expert", "imported")))[0]
    assert set(by_name["judge"] + by_name["kind"]) == {"experthuman", "importedllm"}


def test_who_has_compared_is_asked_for_that(scored: Store) -> None:
    ada = judge(scored, "Ada")
    vote = compare(scored, "i0", "beta", "alpha")
    scored.judgements.add_vote(campaign_asking(scored), vote, ada, Answer(Outcome.A))
    marked(scored, {"alpha": [1], "beta": [2]}, JudgeSpec("Ada", Kind.HUMAN))
    frame = select_judgements(scored, Selection(DATASET, judges=("Ada",)))[0]
    assert outcomes(frame) == {("i0", "beta", "alpha", "a")}
    frame = select_judgements(scored, Selection(DATASET, judges=("Ada", "scorer")))[0]
    assert outcomes(frame) == {("i0", "beta", "alpha", "a"), *HAND}


@pytest.mark.shared
def test_the_experts_of_summeval(store: Store) -> None:
    """source: ../shared/datasets/README.md, summeval, facts 2 and 3: ties among the 12,000 pairs,
    best and worst system by mean mark (the best for coherence; for the others it is level with the
    next). Win ratios are mean ranks, by scipy.
    """
    importer.write(store, importer.survey(store, [SUMMEVAL], Dataset("summeval")))
    marks, worst = store.scores.load_all("summeval"), "M11"
    for attribute, ties, best in (
        ("coherence", 1328, "M22"), ("consistency", 8079, None), ("fluency", 6571, None),
        ("relevance", 1857, None),
    ):  # fmt: skip
        selection = Selection("summeval", attribute=attribute, judges=("expert",))
        frame, _ = select_answered(store, selection)
        assert (len(frame), (frame["outcome"] == "tie").sum()) == (12_000, ties)
        board = leaderboard(store, selection, RankSettings("win-ratio", bootstrap=0)).rows
        assert board["system"].iloc[-1] == worst
        assert best in (None, board["system"].iloc[0])
        of = marks[marks["attribute"] == attribute]
        table = of.pivot(index="item", columns="system", values="value")
        ratio = (stats.rankdata(table, axis=1).mean(axis=0) - 1) / 15
        ratings = board.set_index("system")["rating"][table.columns]
        assert ratings.to_numpy() == pytest.approx(ratio)
