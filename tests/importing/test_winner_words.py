"""What winners are called: words, values, names of files, and what looks wrong among them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from core.importing import Codes, Reading, described, importer
from core.importing.codes import make_uncertain_error
from core.importing.layouts.rating_sets import StudyName, is_certain, split_after, split_name
from core.importing.winners import MIRRORED, NO_ANSWER, WINNERS, meaning_of, side_key
from core.records import Dataset, Outcome, TandemError
from core.store import Store
from tests.importing.conftest import OpenStore

A, B, TIE, BAD = Outcome.A, Outcome.B, Outcome.TIE, Outcome.BOTH_BAD


def test_words_mean_an_outcome_and_how_much_better() -> None:
    for text, outcome, strength in [
        ("Response A is much better", A, 1.0),
        ("Response A is slightly better", A, 0.5),
        ("Response B is moderately better", B, 0.75),
        ("B is a little better", B, 0.5),
        ("A (much better)", A, 1.0),
        ("A slightly better (2)", A, 0.5),
        ("1 - A much better", A, 1.0),
        ("strongly prefer response 2", B, 1.0),
        ("I prefer A", A, None),
        ("Response 1 is much better than Response 2", A, 1.0),
        ("A is slightly worse", B, 0.5),
        ("A >> B", A, 1.0),
        ("A ≪ B", B, 1.0),
        ("B > A", B, None),
        ("B", B, None),
        ("About equal", TIE, None),
        ("3: about the same", TIE, None),
        ("No preference", TIE, None),
        ("Both", TIE, None),
        ("Both are good", TIE, None),
        ("Neither is better", TIE, None),
        ("Neither", BAD, None),
        ("Both are bad", BAD, None),
        ("Cannot determine", NO_ANSWER, None),
    ]:
        meaning = meaning_of(text)
        assert meaning is not None
        assert meaning == (outcome, strength)


def test_what_nobody_knows_means_nothing() -> None:
    for text in ["1", "-3", "yes", "won", "better", "much better", "gpt-4", "A or B"]:
        assert meaning_of(text) is None


def test_every_word_for_a_side_has_its_mirror() -> None:
    for word, outcome in WINNERS.items():
        if outcome in (A, B):
            assert {outcome, WINNERS[MIRRORED[word]]} == {A, B}
            assert MIRRORED[MIRRORED[word]] == word


def test_steps_are_read_alike_for_both_sides() -> None:
    for how in ["{} is much better", "{} (slightly better)", "prefer {}", "{}"]:
        for word, outcome in WINNERS.items():
            if outcome in (A, B) and word.isalnum():
                first, second = meaning_of(how.format(word)), meaning_of(how.format(MIRRORED[word]))
                assert first
                assert second
                assert (first.outcome, first.strength) == (outcome, second.strength)
                assert side_key(how.format(word)) == word


def test_what_values_mean() -> None:
    for codes, values in [
        (Codes(("1",), ("0",)), {"1": A, "1.0": A, " 1 ": A, "0": B, "0,0": B, "-0": B, "2": None}),
        (Codes(("-1",), ("1",), ("0",)), {"-1": A, "-1.0": A, "1": B, "+1": B, "0": TIE}),
        (Codes(("1..4",), ("4..7",), ("4",)), {"1": A, "3,5": A, "4": TIE, "4.0": TIE, "7": B}),
        (Codes(("1..1.5",), ("1.5..2",), ("1.5",)), {"1.4999": A, "1.5": TIE, "1.9": B, "2.1": None}),
        (Codes(("-3..-1",), ("1..3",), ("0",)), {"-2": A, "3": B, "0": TIE, "0.5": None}),
        (Codes(("Links",), ("rechts",)), {"links": A, "RECHTS ": B, "gleich": None, "": None}),
    ]:  # fmt: skip
        assert {value: codes.outcome(value) for value in values} == values  # type: ignore[attr-defined]


def test_a_value_has_one_meaning() -> None:
    for told in [
        {"first": ("1",), "second": ("1.0",)},
        {"first": ("win",), "tie": ("Win",)},
        {"first": ("1..4",), "second": ("4..7",)},
        {"first": ("1..4",), "second": ("3..7",), "tie": ("3", "4")},
    ]:
        with pytest.raises(TandemError, match=r"'.+'.*two meanings"):
            Codes(**told)


def test_a_range_that_ends_before_it_begins() -> None:
    with pytest.raises(TandemError, match=r"\b3\.\.1 .*\b1\.\.3\b"):
        Codes(("3..1",))


def test_the_likely_readings() -> None:
    """Each end of a scale may be the first system; each reading says how it is chosen."""
    for values, readings in [
        (["0", "1"], ["0 = x, 1 = y", "1 = x, 0 = y"]),
        (["1", "2", ""], ["1 = x, 2 = y", "2 = x, 1 = y"]),
        (["1"], ["1 = x", "1 = y"]),
        (["0", "1", "2"], ["1 = x, 2 = y, 0 = a tie", "0 = x, 1 = y, 2 = a tie", "0 = x, 2 = y, 1 = a tie"]),
        (["-1", "0", "1", "tie"], ["-1 = x, 1 = y, 0 = a tie", "1 = x, -1 = y, 0 = a tie"]),
        (["0", "0.5", "1"], ["0 = x, 1 = y, 0.5 = a tie", "1 = x, 0 = y, 0.5 = a tie"]),
        (["0.1", "0,9", "0.4"], ["0..0.5 = x, 0.5..1 = y, 0.5 = a tie", "0.5..1 = x, 0..0.5 = y, 0.5 = a tie"]),
        (["1", "1.7", "2.0"], ["1..1.5 = x, 1.5..2 = y, 1.5 = a tie", "1.5..2 = x, 1..1.5 = y, 1.5 = a tie"]),
        (["1", "3", "7", "6"], ["1..4 = x, 4..7 = y, 4 = a tie", "4..7 = x, 1..4 = y, 4 = a tie"]),
        (["-3", "-1", "1", "2"], ["-3..0 = x, 0..3 = y, 0 = a tie", "0..3 = x, -3..0 = y, 0 = a tie"]),
        (["win", "lose"], ["win = x, lose = y", "lose = x, win = y"]),
        (["win", "lose", "no"], []),
    ]:  # fmt: skip
        refused = make_uncertain_error("f.csv", "c", values, ("x", "y"), Codes())
        assert [described(reading, ("x", "y")) for reading in refused.readings] == readings
        for reading in refused.readings:
            assert reading.settings() in refused.sentence
        assert "--" not in refused.sentence


GPT = "gpt-3.5_turbo_instruct"


def test_a_name_is_split_as_the_study_bears_out() -> None:
    for stem, others, systems, named in [
        # the public study's files
        ("vicuna-7b_gpt-3.5-turbo-instruct_cnn_dm", [], [], ("vicuna-7b", "gpt-3.5-turbo-instruct", "cnn_dm")),
        ("vicuna-7b_gpt-3.5-turbo-instruct_samsum", [], [], ("vicuna-7b", "gpt-3.5-turbo-instruct", "samsum")),
        # a name with joints in it: a known task goes first, then what other files or the study name
        (f"flan-t5-xxl_{GPT}_cnn_dm", [], [], ("flan-t5-xxl", GPT, "cnn_dm")),
        (f"flan-t5-xxl_{GPT}_cnn_dm", [f"vicuna-7b_{GPT}_samsum"], [], ("flan-t5-xxl", GPT, "cnn_dm")),
        (f"{GPT}_flan-t5-xxl_cnn_dm", [f"vicuna-7b_{GPT}_samsum"], [], (GPT, "flan-t5-xxl", "cnn_dm")),
        (f"{GPT}_flan-t5-xxl_cnn_dm", [], [GPT, "vicuna-7b"], (GPT, "flan-t5-xxl", "cnn_dm")),
        # a task that nobody knows, but other files end in
        ("a_1_b_2_my_task", ["a_1_c_my_task", "c_b_2_my_task"], [], ("a_1", "b_2", "my_task")),
        ("x_y_z", [], [], ("x", "y", "z")),
    ]:  # fmt: skip
        assert split_name(stem, others, systems) == StudyName(*named)


def test_too_few_parts() -> None:
    assert split_name("x_y") is None
    assert split_name("x__y") is None


def test_what_is_certain() -> None:
    assert is_certain("x_y_z")
    assert is_certain("vicuna-7b_gpt-3.5_cnn_dm")
    assert not is_certain(f"flan-t5-xxl_{GPT}_cnn_dm")


def test_systems_that_are_told() -> None:
    assert split_after("a_b_c_d", ["a_b", "c"]) == StudyName("a_b", "c", "d")
    assert split_after("a_b_c_d", ["b", "c"]) is None


def load(
    store: Store, folder: Path, winners: list[str], head: str = "item,left,right,winner"
) -> list[str]:
    path = folder / "v.csv"
    rows = [f"q{n},x,y,{winner}" for n, winner in enumerate(winners)]
    path.write_text("\n".join([head, *rows]) + "\n")
    return (
        importer.load(store, [path], Dataset("d")).render_reasons(lambda name: f"--{name}").warnings
    )


def test_a_side_that_never_wins(open_store: OpenStore, tmp_path: Path) -> None:
    for winners, never in [
        (["a"] * 20, "right"), (["b"] * 15 + ["tie"] * 5, "left"), (["tie"] * 20, "left or right"),
        (["a"] * 19, ""), (["a"] * 30 + ["b"], ""),
    ]:  # fmt: skip
        warnings = load(open_store(), tmp_path, winners)
        assert len(warnings) == bool(never), winners
        named = rf"\b{never} .*\b{len(winners)} votes\b"
        assert all(re.search(named, warning) for warning in warnings)


def test_sides_are_columns_whichever_was_shown_first(store: Store, tmp_path: Path) -> None:
    """A turned pair is stored turned; that the second column never wins is seen all the same."""
    winners = [f"x,{n % 2}" for n in range(20)]
    assert len(load(store, tmp_path, winners, "item,left,right,winner,swapped")) == 1
    assert set(store.judgement_frames.load_all("d")["outcome"]) == {"a", "b"}


def test_unknown_words_are_counted(store: Store, tmp_path: Path) -> None:
    (warning,) = load(store, tmp_path, ["a", "b", "a", "dunno", "dunno", "?"])
    named = r"^v\.csv: 3 answers .*unparsed.*'dunno' 2 .*'\?'.*--first_wins.*--second_wins.*--tie"
    assert re.search(named, warning)


def test_files_that_are_refused(store: Store, tmp_path: Path) -> None:
    """Most rows are lost, or a pair of columns is taken the other way round."""
    path, turned = tmp_path / "v.csv", {"system_a": "model_b", "system_b": "model_a"}
    for text, mapping, refused in [
        ("item,left,right,winner\nq,x,y,a\nr,x,x,a\ns,,y,b\n", {}, r"\b2 of 3 .*v\.csv.*row 2: .*'x'.*itself"),
        ("item,model_a,model_b,winner\nq,x,y,model_a\n", turned, r"'model_a' of v\.csv .*first\b.*'model_b'"),
    ]:  # fmt: skip
        path.write_text(text)
        with pytest.raises(TandemError, match=refused):
            importer.load(store, [path], Dataset("d"), Reading(mapping=mapping))
    assert store.datasets.names() == []


def test_in_a_folder_a_file_that_is_not_certain_is_left_out(store: Store, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("item,left,right,winner\nq,x,y,a\nr,x,y,1\n")
    (tmp_path / "b.csv").write_text("item,left,right,winner\nq,x,y,b\nr,x,y,a\n")
    report = importer.load(store, [tmp_path], Dataset("d"))
    assert [file["file"] for file in report.left_out] == ["a.csv"]
    assert report.added["judgements"] == 2
    assert store.judgement_frames.load_exported("d")["winner"].tolist() == ["b", "a"]
