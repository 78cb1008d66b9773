"""The campaign a data set has by itself: every pair, or as many of each text where these are many."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from core import campaigns
from core.importing import importer
from core.pairing import Choice, default_campaign, identical_note
from core.records import Dataset
from core.store import Store


def texts(path: Path, systems: range, items: int = 2) -> Path:
    rows = [f"i{item},s{system:03},text {system}\n" for item in range(items) for system in systems]
    path.write_text("item,system,text\n" + "".join(rows))
    return path


def planned(store: Store) -> dict[str, dict[tuple[str, str], float]]:
    """Item -> the pairs of systems that are planned, and how likely each was."""
    found: dict[str, dict[tuple[str, str], float]] = {}
    for item, first, second, probability in store.connection.rows(
        """SELECT i.key, s.name, t.name, p.probability FROM campaign_pairs p
        JOIN generations g ON g.id = p.generation_1 JOIN systems s ON s.id = g.system
        JOIN generations h ON h.id = p.generation_2 JOIN systems t ON t.id = h.system
        JOIN items i ON i.id = g.item"""
    ):
        found.setdefault(item, {})[min(first, second), max(first, second)] = probability
    return found


def test_identical_texts_are_not_asked_about_and_that_is_said(store: Store, tmp_path: Path) -> None:
    """x and y are alike on i0; on i1 x and z are, but for a sign."""
    (tmp_path / "t.csv").write_text(
        "item,system,text\ni0,x,same\ni0,y,same\ni0,z,other\ni1,x,a\ni1,y,b\ni1,z,a.\n"
    )
    report = importer.load(store, [tmp_path / "t.csv"], Dataset("d"))
    pairs = planned(store)
    assert set(pairs["i0"]) == {("x", "z"), ("y", "z")}
    assert set(pairs["i1"]) == {("x", "y"), ("x", "z"), ("y", "z")}
    assert identical_note(1) == [note for note in report.warnings if "identical" in note]


def test_a_campaign_leaves_out_identical_texts_but_asks_about_rating_sets_whole(
    store: Store, tmp_path: Path
) -> None:
    rows = "".join(f"i0,{s},{n},{s if n else 'same'}\n" for s in "xy" for n in range(3))
    (tmp_path / "t.csv").write_text("item,system,sample,text\n" + rows)
    importer.load(store, [tmp_path / "t.csv"], Dataset("d"))
    one, whole = Choice(dataset="d"), Choice(dataset="d", samples=3)
    assert campaigns.count_identical(store, one) == 1
    for choice, pairs in ((one, 0), (whole, 3)):
        draft = campaigns.CampaignDraft(choice, campaigns.Design())
        assert campaigns.compute_outlook(store, draft).pairs == pairs


def test_of_more_than_41_texts_each_is_compared_with_40_others(
    store: Store, tmp_path: Path
) -> None:
    with Store(tmp_path / "few.sqlite3") as few:
        importer.load(few, [texts(tmp_path / "few.csv", range(41))], Dataset("d"))
        for pairs in planned(few).values():
            assert (len(pairs), set(pairs.values())) == (41 * 40 / 2, {1.0})
    importer.load(store, [texts(tmp_path / "t.csv", range(90))], Dataset("d"))
    first, second = planned(store).values()
    for pairs in (first, second):
        assert set(Counter(system for pair in pairs for system in pair).values()) == {40}
        assert set(pairs.values()) == {40 / 89}
    assert first.keys() != second.keys(), "each item has an order of its own"
    both = len(first.keys() & second.keys())
    expected = 1800 * 40 / 89  # pairs that two independent draws share
    assert abs(both - expected) < 150
    before = planned(store)
    importer.load(store, [texts(tmp_path / "more.csv", range(90, 92))], Dataset("d"))
    for item, pairs in planned(store).items():
        assert before[item].keys() < pairs.keys(), "what is planned stays planned"
        count = Counter(system for pair in pairs for system in pair)
        assert count["s090"] >= 40
        assert len(pairs) <= 1800 + 2 * 40


def test_cut_off_between_two_portions_the_same_import_plans_the_rest(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(default_campaign, "PORTION", 100)
    path, add = texts(tmp_path / "t.csv", range(20)), store.campaigns.add_pairs

    def dies(plan: int, pairs: list[object]) -> int:
        if planned(store):
            raise KeyboardInterrupt
        return add(plan, pairs)  # type: ignore[arg-type]

    with monkeypatch.context() as dying:
        dying.setattr(store.campaigns, "add_pairs", dies)
        with pytest.raises(KeyboardInterrupt):
            importer.load(store, [path], Dataset("d"))
    assert sum(map(len, planned(store).values())) == 100, "people can vote between portions"
    importer.load(store, [path], Dataset("d"))
    assert sum(map(len, planned(store).values())) == 380
