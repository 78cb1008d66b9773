"""Published sets of scored texts: small records written by hand, and the real files."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from core.importing import importer
from core.importing.layouts.summeval import parse_letter, parse_stars, parse_words
from core.records import Dataset, TandemError
from core.store import Store
from tests.evidence import DATA
from tests.published import Study, check_skipped, real, reasons


def webnlg(team: str = "adapt", text: str = "Fine.", **changed: str) -> dict[str, str]:
    return {
        "mr": "a | b | c<br>a | d | e", "team": team, "text": text, "category": "Food", "type": "seen",
        "bleu": "0.2", "meteor": "0.3", "ter": "90.9", "fluency": "1.5", "grammar": "2.0",
        "semantics": "2.5", **changed,
    }  # fmt: skip


def rating(worker: str, fluency: str, team: str = "adapt", text: str = "Fine.") -> dict[str, str]:
    marks = {"fluency": fluency, "grammaticality": "2", "semantic_adequacy": "3"}
    given = {"mr": "a | b | c<br>a | d | e", "team": team, "text": text, "type": "seen"}
    return {"X_unit_id": "1", "X_worker_id": worker, **given, **marks}


def test_webnlg_keeps_texts_that_are_really_empty(published: Study) -> None:
    rows = [webnlg(), webnlg("vietnam", "null", fluency="1.0"), webnlg("pipe", "")]
    rows.append(webnlg(mr="a | b | c", type="unseen"))
    report = published.bring("all_data_final_averaged.csv", rows)
    assert report.layouts == {"all_data_final_averaged.csv": "webnlg2017"}
    assert [text for _, _, text in published.texts()] == ["Fine.", "", "", "Fine."]
    assert published.store.datasets.items("d")[["context", "subset"]].to_numpy().tolist() == [
        ["a | b | c\na | d | e", "seen"], ["a | b | c", "unseen"],
    ]  # fmt: skip
    of_first = [row[1:] for row in published.scores()[:12] if row[2] in ("fluency", "semantics")]
    assert of_first == [
        ["adapt", attribute, rater, value]
        for attribute, human in (("fluency", 1.5), ("semantics", 2.5))
        for rater, value in (("human", human), ("bleu", 0.2), ("meteor", 0.3), ("ter", 90.9))
    ]


def test_webnlg_ratings_one_by_one(published: Study) -> None:
    published.bring("all_data_final_averaged.csv", [webnlg()])
    report = published.bring(
        "all_data_final_scores.csv.gz", [rating("w7", "1"), rating("w9", "2"), rating("w7", "3")]
    )
    assert report.layouts == {"all_data_final_scores.csv.gz": "webnlg2017"}
    assert report.added["generations"] == 0
    assert report.counts["scores"] == report.added["scores"] == 9
    frame = published.store.scores.load_all("d")
    of = frame[(frame["attribute"] == "fluency") & frame["rater"].str.startswith("crowd")]
    expected = [["crowd-7", 0, 1], ["crowd-9", 0, 2], ["crowd-7", 1, 3]]
    assert of[["rater", "trial", "value"]].to_numpy().tolist() == expected
    assert published.load("all_data_final_scores.csv.gz").added["scores"] == 0


@real
def test_real_webnlg_has_193_empty_texts_and_means_of_its_ratings(published: Study) -> None:
    """README, facts 1 and 3: 193 empty texts; the mean of the ratings one by one is the averaged
    file's.
    """
    importer.load(published.store, [DATA / "webnlg2017"], Dataset("d"))
    empty = [system for _, system, text in published.texts() if text == ""]
    assert (empty.count("vietnam"), empty.count("tilburg-pipe"), len(empty)) == (168, 25, 193)
    scores = published.store.scores.load_all("d")
    keys = ["item", "system", "attribute"]
    one_by_one = (
        scores[scores["rater"].str.startswith("crowd")].groupby(keys)["value"].agg(["mean", "size"])
    )
    averaged = scores[scores["rater"] == "human"].set_index(keys)["value"]
    assert (one_by_one["mean"] - averaged).abs().max() < 1e-12
    per_text = one_by_one.xs("fluency", level="attribute")["size"].value_counts()
    assert per_text.to_dict() == {3: 1644, 2: 312, 1: 193, 4: 49, 5: 26, 6: 6}


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


HEAD = "item,system,attribute,rater,kind,trial,value,failure\n"
ROWS = (
    'i1,x,coherence,anna,human,0,"4,5",\n'
    "i1,x,coherence,gpt,llm,1,2,\n"
    "i1,y,coherence,gpt,llm,0,,no-number\n"
    "i1,y,coherence,anna,human,0,good,\n"
)


def loaded(store: Store, folder: Path, text: str) -> importer.ImportReport:
    file = folder / "marks.csv"
    file.write_text(text)
    return importer.load(store, [file], Dataset("d"))


def test_each_mark_with_its_rater_or_why_there_is_none(store: Store, tmp_path: Path) -> None:
    loaded(store, tmp_path, HEAD + ROWS)
    rows = store.connection.rows(
        """SELECT y.name, w.name, w.kind, s.trial, s.value, s.failure FROM scores s
        JOIN judges w ON w.id = s.judge JOIN generations g ON g.id = s.generation
        JOIN systems y ON y.id = g.system ORDER BY s.id"""
    )
    assert rows == [
        ("x", "anna", "human", 0, 4.5, ""),
        ("x", "gpt", "llm", 1, 2.0, ""),
        ("y", "gpt", "llm", 0, None, "no-number"),
        ("y", "anna", "human", 0, None, "not-a-number"),
    ]


def test_texts_may_come_before_or_after(store: Store, tmp_path: Path) -> None:
    texts = tmp_path / "texts.csv"
    texts.write_text("item,context,system,text\ni1,C,x,One.\ni1,C,y,Two.\n")
    loaded(store, tmp_path, HEAD + ROWS)
    importer.load(store, [texts], Dataset("d"))
    loaded(store, tmp_path, HEAD + ROWS)
    generations = store.texts.generations("d")
    assert sorted(generations["text"]) == ["One.", "Two."]
    assert store.datasets.items("d")["context"].tolist() == ["C"]
    assert store.connection.value("SELECT count(*) FROM live_scores") == 4


def test_a_row_that_cannot_be_a_mark_is_skipped_with_its_reason(
    store: Store, tmp_path: Path
) -> None:
    bad = "i1,,coherence,anna,human,0,1,\ni1,x,coherence,anna,robot,0,1,\ni1,x,coherence,anna,human,-1,1,\n"
    result = loaded(store, tmp_path, HEAD + ROWS + bad)
    named = {5: r"\(the system\).*empty", 6: "'robot'.*human.*llm", 7: r"trial is -1\b.*\b0$"}
    check_skipped(result, named)


def summeval(**changed: object) -> dict[str, object]:
    systems = {
        "M0": {"decoded": "one", "scores": {"coherence": 1.5, "fluency": 5.0}},
        "M1": {"decoded": "two", "scores": {}},
    }
    return {
        "id": "cnn-1", "text": "Article.", "references": ["r1", "r2"], "reference": "r1",
        "systems": systems, **changed,
    }  # fmt: skip


def test_summeval(published: Study) -> None:
    report = published.bring("summeval.jsonl", [summeval()])
    assert report.layouts == {"summeval.jsonl": "summeval"}
    assert published.store.datasets.items("d").drop(columns="family").to_numpy().tolist() == [
        ["cnn-1", "Article.", '["r1", "r2"]', ""]
    ]
    assert published.store.texts.generations("d")[["system", "text"]].to_numpy().tolist() == [
        ["M0", "one"],
        ["M1", "two"],
    ]
    assert published.scores() == [
        ["cnn-1", "M0", "coherence", "expert", 1.5], ["cnn-1", "M0", "fluency", "expert", 5.0],
    ]  # fmt: skip
    coherence = published.store.datasets.attributes("d")[0]
    assert re.match(r"Which summary .*coherent.*\?$", coherence.question)
    assert published.store.datasets.summary()[
        ["context_noun", "candidate_noun"]
    ].to_numpy().tolist() == [["article", "summary"]]


def test_broken_records_of_summeval(published: Study) -> None:
    broken: list[tuple[dict[str, object], str]] = [
        ({"id": None}, "^field 'id' is missing.* str$"),
        ({"id": 3}, "^field 'id' is '3'.* str$"),
        ({"text": ["C"]}, "^field 'text' is"),
        ({"systems": []}, r"^field 'systems' is '\[\]'.* dict$"),
        ({"systems": {"M0": "one"}}, "^'one' .*'decoded'"),
        ({"systems": {"M0": {"decoded": "one"}}}, "^field 'scores' is missing.* dict"),
    ]
    good = [summeval(id=f"cnn-{number}") for number in range(10, 20)]
    report = published.bring("summeval.jsonl", [*(summeval(**row) for row, _ in broken), *good])
    check_skipped(report, {number: said for number, (_, said) in enumerate(broken, start=1)})
    assert report.counts["items"] == report.added["items"] == 10


def said(item: str, answer: str) -> dict[str, object]:
    return {
        "id": item, "prompt_len": 9, "total_len": 10, "resp": answer, "human_score_1": 4.5,
        "human_score_2": 3,
    }  # fmt: skip


def test_head_to_head_both_ways(published: Study) -> None:
    """README: in _toggle A means the second system of the file's name."""
    published.write("chatgpt_h2h/M8-M10_fluency.result", [said("i", "A"), said("j", "C")])
    published.write(
        "chatgpt_h2h/M8-M10_fluency_toggle.result",
        [said("i", "A"), said("j", "B: Summary #2 is more fluent.")],
    )
    report = published.load("chatgpt_h2h")
    assert set(report.layouts.values()) == {"summeval"}
    judge = "gpt-3.5-turbo-0301/h2h"
    assert published.votes() == [
        ["i", "M8", "M10", judge, "a"], ["j", "M8", "M10", judge, "tie"],
        ["i", "M10", "M8", judge, "a"], ["j", "M10", "M8", judge, "b"],
    ]  # fmt: skip
    assert published.scores() == []  # the experts' marks are in SummEval's own files
    assert published.store.datasets.attributes("d")[0].name == "fluency"


def test_what_chatgpt_said(published: Study) -> None:
    answers = {
        "A": "a", " B.": "b", "(C)": "tie", "A: Summary #1 is more fluent.": "a", "Answer: B": "b",
        "My choice is A": "a", "A summary should be fluent.": "unparsed", "": "unparsed", "D": "unparsed",
        "Both are good.": "unparsed",
    }  # fmt: skip
    rows = [said(f"i{number}", answer) for number, answer in enumerate(answers)]
    published.bring("gpt-4-0314/M8-M9_coherence.result", rows)
    expected = [["gpt-4-0314/h2h", outcome] for outcome in answers.values()]
    assert published.votes("judge", "answer") == expected


def test_a_head_to_head_file_says_in_its_name_who_was_compared(published: Study) -> None:
    with pytest.raises(TandemError, match=r"answers\.result .*FIRST-SECOND_DIMENSION\.result"):
        published.bring("answers.result", [said("i", "A")])


def pointwise(method: str, answers: list[tuple[str, str]], **changed: str) -> dict[str, str]:
    raw = "".join(
        json.dumps({"id": item, "prompt_len": 1, "resp": answer}) + "\n" for item, answer in answers
    )
    given = {
        "judge": "gpt-4-0314", "system": "M8", "dimension": "consistency", "method": method,
        "raw": raw,
    }  # fmt: skip
    return {**given, **changed}


def test_pointwise_marks(published: Study) -> None:
    rows = [
        pointwise("mcq", [("i", "A"), ("j", "E")]),
        pointwise("stareval", [("i", "Four stars. Good.")]),
        pointwise("rts", [("i", "It is off topic.")]),
        pointwise("guess", [("i", "5")]),
    ]
    report = published.bring("llm_pointwise_raw.jsonl.gz", rows)
    assert report.layouts == {"llm_pointwise_raw.jsonl.gz": "summeval"}
    check_skipped(report, {4: "'guess'.*rts, mcq, stareval"})
    assert published.scores() == [
        ["i", "M8", "consistency", "gpt-4-0314/mcq", 1.0], ["j", "M8", "consistency", "gpt-4-0314/mcq", 5.0],
        ["i", "M8", "consistency", "gpt-4-0314/stareval", 4.0], ["i", "M8", "consistency", "gpt-4-0314/rts", "unparsed"],
    ]  # fmt: skip


def test_the_first_of_repeated_marks_is_kept_and_the_others_are_told_of(published: Study) -> None:
    rows = [pointwise("mcq", [("i", "A"), ("j", "B"), ("i", "C"), ("j", "B")])]
    report = published.bring("llm_pointwise_raw.jsonl", rows)
    assert [row[0::4] for row in published.scores()] == [["i", 1.0], ["j", 2.0]]
    ((row, reason),) = reasons(report)
    assert (row, report.rows) == (1, 1)
    named = r"2 of .*\(M8, consistency, gpt-4-0314/mcq\).*\b1 of them.*first"
    assert re.match(named, reason), reason


# Answers copied from the reference data, and what a reader takes from them.
def test_marks_parse_words(subtests: pytest.Subtests) -> None:
    for read, answer, mark in [
        (parse_letter, "D", 4), (parse_letter, "E: 5", 5), (parse_letter, "Excellent", None), (parse_letter, "F", None),
        (parse_stars, "4 stars", 4), (parse_stars, "1 star", 1), (parse_stars, "Two stars. It has 3 facts.", 2), (parse_stars, "Good.", None),
        (parse_words, "It lacks coherence, scoring a one out of five.", 1),
        (parse_words, "resulting in a score of 3.", 3),
        (parse_words, "but lacks some context. Score: 4/5.", 4),
        (parse_words, "resulting in a score of 1.5 out of 5.", 1.5),
        (parse_words, "discussing highlights for a 0-0 draw. Final score: 5.", 5),
        (parse_words, "'finnish researchers compared the weight of more than 12,000 healthy.' I "
                   "would give it a score of 3.5.", 3.5),
        (parse_words, "states that Ross Barkley has scored 15 penalties from 16 attempts. Final "
                   "score: 2.", 2),
        (parse_words, "it is irrelevant (1).", 1),
        (parse_words, "readable on the sentence level. 5", 5),
        (parse_words, "so I would give it a 4.5 for fluency.", 4.5),
        (parse_words, "it incorrectly states that Real Madrid beat Chile 1-0 in El Clasico.", None),
        (parse_words, "Score: 7", None),
    ]:  # fmt: skip
        with subtests.test(read=read):
            assert read(answer) == mark
