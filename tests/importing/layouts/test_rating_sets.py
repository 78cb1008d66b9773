"""Rating sets: small records written by hand, and the real files."""

from __future__ import annotations

import pytest

from core.importing import importer
from core.records import Dataset, TandemError
from core.store import Store
from tests.evidence import DATA
from tests.published import Study, check_skipped, real


def rated(
    worker: str = "7",
    ids: str = "12121",
    prefs: tuple[int, ...] = (-1, -1, 0, 1, 1),
    **changed: str,
) -> dict[str, str]:
    """One rater's five pairs of Vicuna (v1..v5) and GPT (g1..g5), shown as `ids` says: 1 = Vicuna
    in the first slot.
    """
    row = {"WorkerId": worker}
    for j, order in enumerate(ids, start=1):
        texts = (f"v{j}", f"g{j}") if order == "1" else (f"g{j}", f"v{j}")
        row |= {
            f"Input.model{slot}_summary{j}": text for slot, text in zip((1, 2), texts, strict=True)
        }
        row |= {f"Input.id{j}": order, f"Answer.pref{j}": str(prefs[j - 1])}
    return row | changed


NAME = "vicuna_gpt_cnn_dm_pref_data.csv"


def test_rating_sets_undo_the_display_slots(published: Study) -> None:
    """README of the data: r = pref where id is 1 and -pref where it is 2, so here r = -1, 1, 0, -1,
    1 for GPT.
    """
    report = published.bring(NAME, [rated(), rated("8", ids="21212", prefs=(1, 1, 0, -1, -1))])
    assert report.layouts == {NAME: "rating-sets"}
    assert report.counts == {
        "items": 1, "systems": 2, "generations": 10, "attributes": 1, "scores": 0, "judges": 2, "comparisons": 10,
        "judgements": 10,
    }  # fmt: skip
    assert published.store.datasets.subsets("d") == ["cnn_dm"]
    by_text = (
        published.store.texts.generations("d")[["system", "sample", "text"]].to_numpy().tolist()
    )
    assert sorted(by_text) == sorted(
        [s, j, f"{s[0]}{j + 1}"] for s in ("vicuna", "gpt") for j in range(5)
    )
    frame = published.store.judgement_frames.load_exported("d")
    of = frame[frame["judge"] == "cnn_dm/7@vicuna_gpt"]
    assert list(zip(of["text_a"], of["text_b"], of["winner"], strict=True)) == [
        ("v1", "g1", "a"), ("g2", "v2", "a"), ("v3", "g3", "tie"), ("g4", "v4", "b"), ("v5", "g5", "b"),
    ]  # fmt: skip
    # the second rater saw every pair in the other order and meant the same
    other = frame[frame["judge"] == "cnn_dm/8@vicuna_gpt"]
    assert list(other["text_a"]) == list(of["text_b"])
    assert list(other["winner"]) == ["b", "b", "tie", "a", "a"]


def test_raters_of_two_files_are_two_people(published: Study) -> None:
    """README, fact 6: 17 and 14 raters, numbered from 1 in either file."""
    published.write("vicuna_gpt_cnn_dm_pref_data.csv", [rated("1"), rated("2")])
    published.write("vicuna_gpt_samsum_pref_data.csv", [rated("1")])
    published.write("vicuna_flan_samsum_pref_data.csv", [rated("1")])
    assert published.load().counts["judges"] == 4


def test_a_broken_rating_set(published: Study) -> None:
    broken = {
        "Input.id3 is '3', .*1 .*2": {"Input.id3": "3"},
        "Input.id3 is '', .*1 .*2": {"Input.id3": ""},
        "Answer.pref5 is '2', .*-1, 0, 1": {"Answer.pref5": "2"},
        "Answer.pref1 is '', .*-1, 0, 1": {"Answer.pref1": ""},
    }
    good = [rated(str(number)) for number in range(10, 18)]
    report = published.bring(NAME, [*(rated(**row) for row in broken.values()), *good])
    check_skipped(report, dict(enumerate(broken, start=1)))
    assert report.added["judgements"] == 8 * 5


def test_a_mended_rating_set_keeps_the_items(published: Study) -> None:
    """The name of an input does not depend on which rows before it could be used."""
    published.bring(
        NAME,
        [
            rated(**{"Answer.pref1": "?"}),
            rated("8", ids="11111", prefs=(0, 0, 0, 0, 0), **{"Input.model1_summary1": "w"}),
        ],
    )
    report = published.bring(
        NAME,
        [rated(), rated("8", ids="11111", prefs=(0, 0, 0, 0, 0), **{"Input.model1_summary1": "w"})],
    )
    assert report.skipped == []
    assert report.added["judgements"] == 5
    assert report.added["items"] == 1


def test_a_rating_set_says_its_systems_in_its_name(published: Study) -> None:
    with pytest.raises(TandemError, match=r"^data\.csv .* MODEL1_MODEL2_DATASET_pref_data\.csv"):
        published.bring("data.csv", [rated()])
    assert published.store.datasets.names() == []


@real
def test_real_texts_are_on_one_side_only(store: Store) -> None:
    """The README's evidence for its reading: once the slots are undone no text is on both sides of
    one input.
    """
    name = "vicuna-7b_gpt-3.5-turbo-instruct_cnn_dm_pref_data.csv"
    importer.load(store, [DATA / "separability" / name], Dataset("d"))
    sides = store.texts.generations("d").groupby(["item", "text"])["system"].nunique()
    assert len(sides) > 400
    assert sides.max() == 1
