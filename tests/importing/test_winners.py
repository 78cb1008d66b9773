"""Who won: what cells are called, words and values, and that it does not decide whether a row is read."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from core.findings.judgements import Selection
from core.findings.leaderboard import RankSettings, rank_votes
from core.importing import Codes, Reading, UncertainError, count, described, importer, recognise
from core.importing.codes import make_uncertain_error
from core.importing.layouts.preference_sets import parse_rating_set
from core.importing.source import Source
from core.importing.winners import MIRRORED, NO_ANSWER, WINNERS, meaning_of, side_key
from core.records import Dataset, Outcome, TandemError
from core.store import Store
from tests.importing.conftest import OpenStore
from tests.paths import CASES

# ---- Who won does not decide whether a row is read: the whole column says what its cells name


# Names that are also words for a side, a tie or no answer, numbers, and some that are neither.
SPELLINGS = (
    ("Winner", "Loser"), ("winner_id", "loser_id"), ("winner_name", "loser_name"),
    ("winning_system", "losing_system"), ("preferred", "rejected"), ("preferred", "other"),
    ("better", "worse"), ("chosen", "not_chosen"), ("chosen", "other"),
    ("candidateChosen", "candidateNotChosen"), ("Winner ID", "Loser ID"), ("chosen-id", "rejected-id"),
)  # fmt: skip
Vote = tuple[str, str, bool | None]  # two systems, and whether the first won; None is a tie
Wins = Counter[tuple[str, str, float]]  # (system, other by name, points of the first by name)


def write(path: Path, head: Sequence[str], rows: Sequence[Sequence[object]]) -> Path:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([head, *rows])
    return path


def imported(path: Path, **how: Any) -> tuple[Wins, importer.ImportReport]:
    with Store(":memory:") as store:
        report = importer.load(store, [path], Dataset("d"), Reading(**how))
        frame = store.judgement_frames.load_all("d")
    return wins(frame.assign(times=1)), report


def counted(path: Path, **how: Any) -> Wins:
    return wins(count([path], reading=Reading(**how)).votes)


def wins(frame: Any) -> Wins:
    points = {"a": 1.0, "b": 0.0, "tie": 0.5, "both_bad": 0.5}
    found = Wins()
    for first, second, outcome, times in frame[
        ["system_a", "system_b", "outcome", "times"]
    ].itertuples(index=False):
        if outcome in points:
            found[oriented(first, second, points[outcome])] += int(times)
    return found


def oriented(first: str, second: str, points: float) -> tuple[str, str, float]:
    return (first, second, points) if first < second else (second, first, 1 - points)


def true_wins(votes: Sequence[Vote]) -> Wins:
    return Wins(
        oriented(first, second, 0.5 if won is None else float(won)) for first, second, won in votes
    )


def outcome_of(path: Path) -> Wins | str:
    """The wins that `import` and `rank --votes` find alike, or that both refuse."""
    try:
        found, report = imported(path)
    except TandemError:
        with pytest.raises(TandemError):
            counted(path)
        return "refused"
    assert report.skipped == []
    assert counted(path) == found
    return found


HEAD = ["item", "system_a", "system_b", "winner"]


def test_names_and_words_keep_their_wins(tmp_path: Path, subtests: pytest.Subtests) -> None:
    """A system called like a side or a word, a column for each judge, draws beside winners and
    losers (as EloRating's data have it, with the two names interchanged), and accents as
    spreadsheets and macOS write them.
    """
    cases: list[tuple[str, list[str], list[list[object]], list[Vote]]] = [
        ("B wins and loses 50 times", [*HEAD[:3], "judge", "winner"],
         [[n, "B", "C", "ann", "ab"[n % 2]] for n in range(100)],
         [("B", "C", n % 2 == 0) for n in range(100)]),
        ("judges", [*HEAD[:3], "winner:ann", "winner:bob"],
         [[1, "B", "C", "b", "B"], [2, "D", "C", "a", "C"], [3, "B", "C", "a", "C"]],
         [("B", "C", False), ("D", "C", True), ("B", "C", True),
          ("B", "C", True), ("D", "C", False), ("B", "C", False)]),
        ("draws", ["winner", "loser", "Draw"],
         [["A", "B", "FALSE"], ["B", "A", "TRUE"], ["A", "C", "FALSE"]],
         [("A", "B", True), ("A", "B", None), ("A", "C", True)]),
        ("accents", HEAD, [[n, "Zo\u00eb", "Y", "Zoe\u0308" if n % 3 else "Y"] for n in range(9)],
         [("Zo\u00eb", "Y", bool(n % 3)) for n in range(9)]),
    ]  # fmt: skip
    for name in ["N/A", "B", "tie", "none", "left", "0", "2", "model_b"]:
        rows = [[1, name, "x", name], [2, "x", name, name], [3, name, "x", "x"], [4, "y", "x", "y"]]
        votes = [(name, "x", True), ("x", name, False), (name, "x", False), ("y", "x", True)]
        cases.append((name, HEAD, rows, votes))
    for case, head, rows, votes in cases:
        with subtests.test(case):
            assert outcome_of(write(tmp_path / "v.csv", head, rows)) == true_wins(votes)


def test_what_the_column_cannot_decide_is_refused_and_can_be_said(
    store: Store, tmp_path: Path
) -> None:
    path = tmp_path / "v.csv"
    for winners in (["A", "B"], ["a", "a"], ["B", "B"]):
        rows = [[1, "B", "A", winners[0]], [2, "A", "B", winners[1]]]
        write(path, HEAD, rows)
        for read in (lambda: importer.load(store, [path], Dataset("d")), lambda: count([path])):
            with pytest.raises(UncertainError) as refused:
                read()
            assert repr(winners[0]) in refused.value.sentence
            assert [reading.means for reading in refused.value.readings] == ["system", "side"]
        assert store.datasets.names() == []
        names = [("A", "B", winner.upper() == "A") for winner in winners]
        sides = [("B", "A", winners[0].upper() == "A"), ("A", "B", winners[1].upper() == "A")]
        for means, votes in (("system", names), ("side", sides)):
            codes = Codes(means=means)
            assert imported(path, codes=codes)[0] == counted(path, codes=codes) == true_wins(votes)


def test_a_tie_that_is_also_a_system_is_asked_about(tmp_path: Path) -> None:
    """`tie` between two others is a tie, so it may be one where a system has that name."""
    rows = [[1, "tie", "x", "tie"], [2, "x", "y", "tie"], [3, "x", "y", "x"]]
    path = write(tmp_path / "v.csv", HEAD, rows)
    for read in (imported, counted):
        with pytest.raises(UncertainError, match="'tie'"):
            read(path)


def test_files_are_decided_one_by_one(tmp_path: Path) -> None:
    """One file holds sides and the other names: each is read as `import` reads it."""
    sides = write(tmp_path / "1.csv", HEAD, [[1, "B", "C", "b"], [2, "B", "C", "a"]])
    names = write(tmp_path / "2.csv", HEAD, [[1, "B", "C", "B"], [2, "D", "C", "D"]])
    both = imported(sides)[0] + imported(names)[0]
    assert wins(count([sides, names]).votes) == both
    assert both == Wins({("B", "C", 0.0): 1, ("B", "C", 1.0): 2, ("C", "D", 0.0): 1})


def test_winners_and_losers_are_recognised(tmp_path: Path, subtests: pytest.Subtests) -> None:
    rows = [["ann", "A", "B"], ["ann", "B", "C"], ["bob", "B", "A"], ["bob", "A", "N/A"]]
    votes = true_wins([(first, second, True) for _, first, second in rows])
    for winner, loser in SPELLINGS:
        with subtests.test(winner, loser=loser):
            path = write(tmp_path / "v.csv", ["judge", winner, loser], rows)
            assert recognise(path).layout == "votes"
            assert counted(path) == votes
    found, report = imported(path)
    assert (found, report.skipped, report.warnings) == (votes, [], [])
    # chosen and rejected texts stay preference pairs
    path = write(tmp_path / "v.csv", ["prompt", "chosen", "rejected"], [["P", "Yes.", "No."]])
    assert recognise(path).layout == "trl"


def test_winners_that_are_texts_are_no_systems(store: Store, tmp_path: Path) -> None:
    rows = [["P", "Yes, it is. " * 20, "No."], ["Q", "It is.\nI think.", "Perhaps."]]
    path = write(tmp_path / "v.csv", ["prompt", "preferred", "rejected"], rows)
    for read in (
        lambda: importer.load(store, [path], Dataset("d")),
        lambda: rank_votes([path], Selection(""), RankSettings("win-ratio")),
    ):
        with pytest.raises(TandemError, match=r"'preferred'.*'rejected'.*v.csv.*texts"):
            read()
    assert store.datasets.names() == []
    mapping = {"text_a": "preferred", "text_b": "rejected", "winner": "preferred"}
    found, _ = imported(path, mapping=mapping, systems=["new", "old"])
    assert found == Wins({("new", "old", 1.0): 2})


def test_preference_pairs_whose_models_are_called_like_sides(tmp_path: Path) -> None:
    """The layout says who won, whatever the models are called."""
    rows = [
        {"prompt": f"P{n}", "chosen": "Yes.", "rejected": "No.", "chosen_model": one,
         "rejected_model": other}
        for n, (one, other) in enumerate([("b", "a"), ("a", "b"), ("b", "x"), ("b", "x")])
    ]  # fmt: skip
    path = tmp_path / "v.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found, report = imported(path)
    assert report.skipped == []
    assert found == true_wins([("b", "a", True), ("a", "b", True), *[("b", "x", True)] * 2])


def test_many_winners_and_losers_are_not_odd(store: Store, tmp_path: Path) -> None:
    path = write(tmp_path / "v.csv", ["winner", "loser"], [["x", "y"], ["y", "x"]] * 15)
    assert importer.load(store, [path], Dataset("d")).warnings == count([path]).notes == []
    assert set(store.judgement_frames.load_all("d")["order_known"]) == {0}


CASE = CASES / "winner-loser"
needs_cases = pytest.mark.skipif(not CASE.exists(), reason="shared/cases is not there")
RIGHT = {
    "wl.csv": [("A", "B"), ("B", "C"), ("B", "A"), ("A", "C")],
    "wln.csv": [("15", "41"), ("4", "16"), ("41", "4"), ("16", "15")],
    "numeric_ids_winner_named.csv": [("7", "12"), ("12", "7"), ("12", "30"), ("30", "7")],
}


@needs_cases
def test_cases_of_comparative_judgement() -> None:
    for name in RIGHT:
        for is_mapped in [False, True]:
            has_losers = name.startswith("wl")
            mapping = {"system_a": "winner", "system_b": "loser", "winner": "winner"}
            how = {"mapping": mapping} if is_mapped and has_losers else {}
            found, report = imported(CASE / name, **how)
            assert (report.skipped, report.warnings, report.rows) == ([], [], 4)
            right = true_wins([(winner, loser, True) for winner, loser in RIGHT[name]])
            assert found == counted(CASE / name, **how) == right


# ---- rows that are skipped


def test_skipped_rows_that_differ_in_who_wins_are_said_first(tmp_path: Path) -> None:
    """Every loss of B lacks a probability that can be read: 50 rows go, all of one sort."""
    rows = [[n, "B", "C", "ab"[n % 2], "often" if n % 2 else 0.9] for n in range(100)]
    path = write(tmp_path / "v.csv", ["item", "system_a", "system_b", "winner", "prob_a"], rows)
    _, report = imported(path)
    assert len(report.skipped) == 50
    (alarm,) = report.alarms
    assert report.warnings[0] == alarm
    assert re.search(r"'system_a' .*\b50 of 50 .*kept.*\b0 of 50 .*skipped", alarm), alarm
    counts = count([path])
    assert counts.notes[0] == counts.alarms[0] == alarm


def test_rows_skipped_whoever_won_raise_no_alarm(tmp_path: Path) -> None:
    rows = [[n, "B", "C", "ab"[n % 2], "often" if n % 10 < 2 else ""] for n in range(100)]
    path = write(tmp_path / "v.csv", ["item", "system_a", "system_b", "winner", "prob_a"], rows)
    _, report = imported(path)
    assert len(report.skipped) == 20
    assert report.alarms == count([path]).alarms == []


def test_contradicted_rows_count_as_skipped(tmp_path: Path) -> None:
    """Rows whose judge has another kind are skipped after they were read: all that C won."""
    kept = [[n, "x", "C", "a", "human", "ann"] for n in range(40)]
    other = [[n, "x", "C", "b", "llm", "ann"] for n in range(40, 50)]
    head = ["item", "system_a", "system_b", "winner", "judge_kind", "judge"]
    _, report = imported(write(tmp_path / "v.csv", head, [*kept, *other]))
    assert len(report.skipped) == 10
    assert len(report.alarms) == 1


def test_a_system_whose_name_is_misspelt_where_it_wins_is_said_first(tmp_path: Path) -> None:
    rows = [[n, *("gpt", "koala")[:: 1 if n % 4 < 2 else -1], ["gpt", "koala-13b"][n % 2]] for n in range(40)]  # fmt: skip
    path = write(tmp_path / "v.csv", HEAD, rows)
    _, report = imported(path)
    assert re.search(r"'koala' never .*\b20 answers\b.*unknown", report.warnings[0])
    assert count([path]).notes[0] == report.warnings[0]


def test_many_rows_that_hide_who_won_are_said_first(tmp_path: Path) -> None:
    """Whoever prefers Y gives a reason, with a comma and no quotes."""
    for broken in [0, 1, 12]:
        rows = ["i,X,Y,X"] * (40 - broken) + ["i,X,Y,Y,clearer, shorter"] * broken
        path = tmp_path / "v.csv"
        path.write_text("\n".join(["item,system_a,system_b,winner", *rows]))
        said = f"v.csv: {broken} of 40 rows are not used, "
        with Store(":memory:") as store:
            report = importer.load(store, [path], Dataset("d"))
        assert len(report.skipped) == broken
        for alarms, first in (
            (report.alarms, report.warnings),
            (count([path]).alarms, count([path]).notes),
        ):
            assert [said in alarm for alarm in alarms] == ([True] if broken == 12 else [])
            assert list(first[: len(alarms)]) == list(alarms)


# ---- What winners are called: words, values, names of files, and what looks wrong among them


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


def test_the_name_of_a_rating_set_says_both_systems_or_is_asked_about() -> None:
    for stem, systems, named in [
        ("vicuna-7b_gpt-3.5-turbo-instruct_cnn_dm", (), ["vicuna-7b", "gpt-3.5-turbo-instruct", "cnn_dm"]),
        ("vicuna-7b_gpt-3.5-turbo-instruct_samsum", (), ["vicuna-7b", "gpt-3.5-turbo-instruct", "samsum"]),
        ("a_1_b_2_my_task", ("a_1", "b_2"), ["a_1", "b_2", "my_task"]),
        ("a_1_b_2_my_task", ("1", "b_2"), "not named"), ("a_1_b_2_my_task", (), "certain"),
        ("flan-t5-xxl_gpt-3.5_turbo_cnn_dm", (), "certain"), ("x_y", (), "named"), ("x__y", (), "named"),
    ]:  # fmt: skip
        source = Source(Path(f"{stem}_pref_data.csv"), (), systems=systems)
        if isinstance(named, str):
            with pytest.raises(TandemError, match=named):
                parse_rating_set(source)
        else:
            assert [*parse_rating_set(source)] == named


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
