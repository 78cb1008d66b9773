"""UniEval, the rating sets, WebNLG and HANNA: small records written by hand in each layout. The
real files are in test_evidence.py.
"""

from __future__ import annotations

import pytest

from core.importing import importer
from core.records import Dataset, TandemError
from core.store import Store
from tests.evidence import DATA
from tests.published import Study, real, reasons


def unieval(**changed: object) -> dict[str, object]:
    given = {
        "source": "A: hi\n",
        "context": "a fact",
        "system_id": "Argmax",
        "system_output": "one",
        "scores": {"overall": 3.5},
    }
    return {**given, **changed}


def test_unieval(published: Study) -> None:
    rows = [
        unieval(predict_scores={"overall": 0.7}),
        unieval(system_output="two", scores={"overall": 1}),
        unieval(system_id="Human", system_output="three", reference="r"),
        unieval(context="another fact", system_output="four"),
    ]
    report = published.bring("topical.json", rows)
    assert report.layouts == {"topical.json": "unieval"}
    assert sorted(published.store.datasets.items("d")["context"]) == [
        "A: hi\n\na fact",
        "A: hi\n\nanother fact",
    ]
    found = (
        published.store.datasets.generations("d")[["system", "sample", "text"]].to_numpy().tolist()
    )
    assert sorted(found) == [
        ["Argmax", 0, "four"],
        ["Argmax", 0, "one"],
        ["Argmax", 1, "two"],
        ["Human", 0, "three"],
    ]
    assert [row[1:] for row in published.scores()[:3]] == [
        ["Argmax", "overall", "human", 3.5],
        ["Argmax", "overall", "unieval", 0.7],
        ["Argmax", "overall", "human", 1.0],
    ]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"system_id": None}, "it has no system_id, so it is not known whose output this is"),
        ({"system_output": 3}, "field 'system_output' is '3'"),
        ({"scores": [1]}, "field 'scores' is '[1]'; it should be a dict"),
    ],
)
def test_a_broken_record_of_unieval(
    published: Study, changed: dict[str, object], said: str
) -> None:
    report = published.bring("topical.json", [unieval(**changed), unieval(system_output="fine")])
    ((row, reason),) = [(one["row"], str(one["reason"])) for one in report.skipped]
    assert row == 1
    assert reason.startswith(said)
    assert published.store.datasets.generations("d")["text"].tolist() == ["fine"]


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
    assert report.held == {
        "items": 1, "systems": 2, "generations": 10, "attributes": 1, "scores": 0, "judges": 2, "comparisons": 10,
        "judgements": 10,
    }  # fmt: skip
    assert published.store.datasets.subsets("d") == ["cnn_dm"]
    by_text = (
        published.store.datasets.generations("d")[["system", "sample", "text"]].to_numpy().tolist()
    )
    assert sorted(by_text) == sorted(
        [s, j, f"{s[0]}{j + 1}"] for s in ("vicuna", "gpt") for j in range(5)
    )
    frame = published.store.judgement_frames.exported("d")
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
    assert published.load().held["judges"] == 4


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"Input.id3": "3"}, "Input.id3 is '3', neither 1 nor 2"),
        ({"Input.id3": ""}, "Input.id3 is '', neither 1 nor 2"),
        ({"Answer.pref5": "2"}, "Answer.pref5 is '2', none of -1, 0, 1"),
        ({"Answer.pref1": ""}, "Answer.pref1 is '', none of -1, 0, 1"),
    ],
)
def test_a_broken_rating_set(published: Study, changed: dict[str, str], said: str) -> None:
    report = published.bring(NAME, [rated(**changed), rated("8")])
    assert [(one["row"], one["reason"]) for one in report.skipped] == [(1, said)]
    assert report.added["judgements"] == 5


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
    with pytest.raises(TandemError, match=r"should be named MODEL1_MODEL2_DATASET_pref_data\.csv"):
        published.bring("data.csv", [rated()])
    assert published.store.datasets.names() == []


def test_newsroom_has_no_system_and_says_how_to_supply_it(published: Study) -> None:
    """Newsroom goes about in this layout without a system_id."""
    rows = [
        {**unieval(model="lede"), "system_id": None},
        {**unieval(model="abs", system_output="two"), "system_id": None},
    ]
    how = (
        r"no row of newsroom\.json can be used \(row 1: it has no system_id, .* with --map "
        r"system=FIELD\)"
    )
    with pytest.raises(TandemError, match=how):
        published.bring("newsroom.json", rows)
    published.load("newsroom.json", mapping={"system": "model"})
    assert [system for _, system, _ in published.texts()] == ["abs", "lede"]
    with pytest.raises(
        TandemError, match=r"--map can name just system, and newsroom\.json is read as UniEval"
    ):
        published.load("newsroom.json", mapping={"item": "model"})


def webnlg(team: str = "adapt", text: str = "Fine.", **changed: str) -> dict[str, str]:
    marks = {
        "bleu": "0.2",
        "meteor": "0.3",
        "ter": "90.9",
        "fluency": "1.5",
        "grammar": "2.0",
        "semantics": "2.5",
    }
    return {
        "mr": "a | b | c<br>a | d | e",
        "team": team,
        "text": text,
        "category": "Food",
        "type": "seen",
        **marks,
        **changed,
    }


def rating(worker: str, fluency: str, team: str = "adapt", text: str = "Fine.") -> dict[str, str]:
    marks = {"fluency": fluency, "grammaticality": "2", "semantic_adequacy": "3"}
    given = {"mr": "a | b | c<br>a | d | e", "team": team, "text": text, "type": "seen"}
    return {"X_unit_id": "1", "X_worker_id": worker, **given, **marks}


def test_webnlg_keeps_texts_that_are_really_empty(published: Study) -> None:
    rows = [
        webnlg(),
        webnlg("vietnam", "null", fluency="1.0"),
        webnlg("pipe", ""),
        webnlg(mr="a | b | c", type="unseen"),
    ]
    report = published.bring("all_data_final_averaged.csv", rows)
    assert report.layouts == {"all_data_final_averaged.csv": "webnlg2017"}
    assert [text for _, _, text in published.texts()] == ["Fine.", "", "", "Fine."]
    assert published.store.datasets.items("d")[["context", "subset"]].to_numpy().tolist() == [
        ["a | b | c\na | d | e", "seen"], ["a | b | c", "unseen"],
    ]  # fmt: skip
    of_first = [row[1:] for row in published.scores()[:12] if row[2] in ("fluency", "semantics")]
    assert of_first == [
        ["adapt", "fluency", "human", 1.5], ["adapt", "fluency", "bleu", 0.2], ["adapt", "fluency", "meteor", 0.3],
        ["adapt", "fluency", "ter", 90.9], ["adapt", "semantics", "human", 2.5], ["adapt", "semantics", "bleu", 0.2],
        ["adapt", "semantics", "meteor", 0.3], ["adapt", "semantics", "ter", 90.9],
    ]  # fmt: skip


def test_webnlg_ratings_one_by_one(published: Study) -> None:
    published.bring("all_data_final_averaged.csv", [webnlg()])
    report = published.bring(
        "all_data_final_scores.csv.gz", [rating("w7", "1"), rating("w9", "2"), rating("w7", "3")]
    )
    assert report.layouts == {"all_data_final_scores.csv.gz": "webnlg2017"}
    assert report.added["generations"] == 0
    assert report.held["scores"] == report.added["scores"] == 9
    frame = published.store.scores.all("d")
    of = frame[(frame["attribute"] == "fluency") & frame["rater"].str.startswith("crowd")]
    assert of[["rater", "trial", "value"]].to_numpy().tolist() == [
        ["crowd-7", 0, 1],
        ["crowd-9", 0, 2],
        ["crowd-7", 1, 3],
    ]
    assert published.load("all_data_final_scores.csv.gz").added["scores"] == 0


def test_hanna_has_marks_without_stories(published: Study) -> None:
    row = {
        "system": "GPT-2",
        "prompt_index": "0",
        "criterion": "Relevance",
        "human_1": "4",
        "human_2": "",
        "human_3": "x",
    }
    report = published.bring("hanna.csv", [row, {**row, "prompt_index": ""}])
    assert report.layouts == {"hanna.csv": "hanna"}
    assert reasons(report) == [(2, "field 'prompt_index' is empty")]
    assert published.texts() == [["0", "GPT-2", None]]
    assert published.scores() == [
        ["0", "GPT-2", "relevance", "human-1", 4.0], ["0", "GPT-2", "relevance", "human-3", "not-a-number"],
    ]  # fmt: skip


@real
def test_real_texts_are_on_one_side_only(store: Store) -> None:
    """The README's evidence for its reading: once the slots are undone no text is on both sides of
    one input.
    """
    name = "vicuna-7b_gpt-3.5-turbo-instruct_cnn_dm_pref_data.csv"
    importer.load(store, [DATA / "separability" / name], Dataset("d"))
    sides = store.datasets.generations("d").groupby(["item", "text"])["system"].nunique()
    assert len(sides) > 400
    assert sides.max() == 1


@real
def test_real_webnlg_has_193_empty_texts_and_means_of_its_ratings(published: Study) -> None:
    """README, facts 1 and 3: 193 empty texts; the mean of the ratings one by one is the averaged
    file's.
    """
    importer.load(published.store, [DATA / "webnlg2017"], Dataset("d"))
    empty = [system for _, system, text in published.texts() if text == ""]
    assert (empty.count("vietnam"), empty.count("tilburg-pipe"), len(empty)) == (168, 25, 193)
    scores = published.store.scores.all("d")
    keys = ["item", "system", "attribute"]
    one_by_one = (
        scores[scores["rater"].str.startswith("crowd")].groupby(keys)["value"].agg(["mean", "size"])
    )
    averaged = scores[scores["rater"] == "human"].set_index(keys)["value"]
    assert (one_by_one["mean"] - averaged).abs().max() < 1e-12
    per_text = one_by_one.xs("fluency", level="attribute")["size"].value_counts()
    assert per_text.to_dict() == {3: 1644, 2: 312, 1: 193, 4: 49, 5: 26, 6: 6}
