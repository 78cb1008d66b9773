"""What of texts is held equal: counted by hand, and what it changes on a board."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from core.exporting import export
from core.findings.bias import bias
from core.findings.judgements import Selection
from core.findings.leaderboard import (
    CONTROLS,
    RankSettings,
    candidates,
    headline,
    leaderboard,
    needs,
)
from core.findings.leaderboard.needs import add_lengths
from core.findings.leaderboard.rating_input import prepare_comparisons
from core.importing import importer
from core.records import Dataset, TandemError
from core.store import Store
from tests.findings.tables import load
from tests.sentence_facts import find_sentences

TEXT = """# Title

Two *words*. Is this **bold**? Yes, __too__!

1. one
2) two
- three
  * four

```
# no heading
- no item
**no bold**
```
Version 2.5 is out
"""


def test_styles_counted_by_hand() -> None:
    counts = {name: count(TEXT) for name, count in needs.STYLES.items()}
    assert {name: counts[name] for name in ("headings", "lists", "bold")} == {
        "headings": 1, "lists": 4, "bold": 2,
    }  # fmt: skip
    assert needs.STYLES["sentences"]("One. Two? Three") == 3
    assert [needs.STYLES["sentences"](text) for text in ("", "...", "一。二！")] == [0, 0, 2]
    assert {"length", *needs.STYLES} == set(CONTROLS)


@pytest.fixture(scope="module")
def voted() -> Store:
    """x writes four words where y writes two, and z one; w has no texts."""
    texts = {"x": "a b c d", "y": "a **b**", "z": "a"}
    lines = ["item,system,text,score:rater:style"]
    lines += [f"i{i},{name},{text},{i % 3}" for i in range(12) for name, text in texts.items()]
    rng, votes = np.random.default_rng(0), ["item,left,right,winner,judge"]
    for i in range(12):
        for a, b in ("xy", "yz", "xz"):
            votes.append(f"i{i},{a},{b},{'ab'[int(rng.random() < 0.4)]},Ada")
    votes.append("i0,x,w,a,Ada")
    return load(load(Store(":memory:"), lines), votes)


def test_differences_by_hand(voted: Store) -> None:
    """Lengths 4, 2 and 1: relative differences 1/3, 1/3 and 3/5, over their root mean square."""
    generations = voted.texts.generations("d")
    names = generations.loc[generations["item"] == "i1"].set_index("system")["generation"]
    pairs = [(names[a], names[b]) for a, b in ("xy", "zy", "xz")]
    frame = pd.DataFrame(pairs, columns=["generation_a", "generation_b"])
    settings = RankSettings(control=("length", "bold"))
    found = needs.add_controls(voted, Selection("d"), frame, settings)
    spread = found.details["spread"]
    apart = np.array([1 / 3, -1 / 3, 3 / 5])
    assert spread["length"] == pytest.approx(np.sqrt((apart**2).mean()))
    assert found.frame["control:length"].to_numpy() == pytest.approx(apart / spread["length"])
    # Only y has bold text; x and z have none, which is no difference.
    bold = np.array([-1.0, -1.0, 0.0]) / np.sqrt(2 / 3)
    assert found.frame["control:bold"].to_numpy() == pytest.approx(bold)


def test_a_board_says_what_it_held_equal(voted: Store) -> None:
    """Each system writes at one length: of three systems only two effects are left, and one of
    length can still be told from them, since relative differences do not add up.
    """
    settings = RankSettings(control=("length",), bootstrap=20)
    assert settings == RankSettings("bradley-terry-controlled", bootstrap=20), "length unless told"
    overall = Selection("d", attribute="overall")
    result = leaderboard(voted, overall, settings)
    assert result.signature.startswith("bradley-terry-controlled|")
    assert "|control:length|" in result.signature
    three = Selection("d", attribute="overall", systems=("x", "y", "z"))
    plain = leaderboard(voted, three, RankSettings("bradley-terry", bootstrap=20)).rows
    plain = plain.set_index("system")["rating"]
    rows = result.rows.set_index("system")
    assert rows["uncontrolled"].to_dict() == pytest.approx(plain.to_dict())
    assert rows["change"].to_dict() == pytest.approx((rows["rating"] - plain).to_dict())
    assert (rows["change_low"] <= rows["change"]).all()
    [effect] = result.tables["controls"].to_dict("records")
    assert (effect["control"], effect["differ"]) == ("length", 36)
    assert effect["low"] < effect["effect"] < effect["high"]
    assert find_sentences(result.notes, "^One standard deviation more length is")
    assert find_sentences(result.notes, "^1 judgement is left out: what is con")
    quick = leaderboard(voted, overall, RankSettings(control=("length",), bootstrap=0))
    assert quick.tables["controls"]["low"].isna().all()


def hold_equal(store: Store, control: str) -> None:
    settings = RankSettings(control=(control,), bootstrap=0)
    leaderboard(store, Selection("d", attribute="overall"), settings)


def test_what_cannot_be_held_equal(voted: Store) -> None:
    for said, control in {
        "unknown control 'lenght'; there are length, sentences, headings, lists, bold": "lenght",
        "control headings: no two texts that were compared differ in it": "headings",
        "no scores by 'nobody' here": "nobody:style",
        "control rater:grace: there is no attribute 'grace' here": "rater:grace",
        "control rater:style: no two texts that were compared differ in it": "rater:style",
    }.items():
        with pytest.raises(TandemError, match=said):
            hold_equal(voted, control)
    with pytest.raises(TandemError, match=r"\bbradley-terry-controlled\b.*\ball items\b"):
        candidates(voted, Selection("d"), RankSettings(control=("length",)))
    with pytest.raises(TandemError, match=r"^control length\b.*-controlled\b.*\bnot to elo\b"):
        RankSettings("elo", control=("length",))


# ---- Win rates at equal length from a store: which comparisons count, against whom, and what is
# said


ITEMS = 30
LENGTHS = {"base": 200, "long": 400, "like": 200}
ASKED = RankSettings("length-controlled", bootstrap=30)


@pytest.fixture
def voted_on_lengths(store: Store) -> Store:
    """Two systems against base on every item; `long` writes twice as much."""
    rng, texts = np.random.default_rng(0), ["item,system,text"]
    votes = ["item,left,right,winner,judge"]
    for i in range(ITEMS):
        for name, mean in LENGTHS.items():
            texts.append(f"i{i},{name},{'a' * int(mean + rng.integers(-50, 50))}")
        for name, share in (("long", 0.8), ("like", 0.4)):
            left, right = (name, "base") if i % 2 else ("base", name)
            votes.append(f"i{i},{left},{right},{'ab'[(rng.random() < share) != (i % 2)]},Ada")
    return load(load(store, texts), votes)


def test_the_baseline_is_whom_all_met(voted_on_lengths: Store) -> None:
    result = leaderboard(voted_on_lengths, Selection("d"), ASKED)
    rows = result.rows.set_index("system")
    assert rows.loc["base", "rating"] == 0.5
    assert rows.loc["base", ["low", "high"]].isna().all()
    assert "|baseline:base|" in result.signature
    by_wins = RankSettings("win-ratio", bootstrap=0)
    shares = leaderboard(voted_on_lengths, Selection("d"), by_wins).rows
    others = ["long", "like"]
    plain = shares.set_index("system").loc[others, "rating"].to_dict()
    assert rows.loc[others, "uncontrolled"].to_dict() == pytest.approx(plain, abs=5e-3)
    apart = (rows["rating"] - rows["uncontrolled"]).to_dict()
    assert rows["change"].to_dict() == pytest.approx(apart)
    assert (rows.loc[others, "low"] < rows.loc[others, "rating"]).all()
    assert find_sentences(result.notes, "^Texts of long are longer nearly")
    assert not find_sentences(result.notes, "like")
    assert find_sentences(result.notes, "^With fewer than 3 systems beside base")
    frame = prepare_comparisons(voted_on_lengths, Selection("d"), ASKED).frame
    texts = voted_on_lengths.texts.generations("d").set_index("generation")["text"].str.len()
    for row in frame.itertuples():
        sides = {row.system_a: row.generation_a, row.system_b: row.generation_b}
        base = sides.pop("base")
        assert row.length == texts[next(iter(sides.values()))] - texts[base]
        assert row.baseline_first == (row.system_a == "base")


def test_comparisons_of_others_are_left_out_and_counted(voted_on_lengths: Store) -> None:
    rows = ["item,left,right,winner,judge", "i0,long,like,a,Ada", "i1,new,base,a,Ada"]
    load(voted_on_lengths, rows)
    with pytest.raises(TandemError, match=r"^no system\b.*\bevery comparison\b.*\bbaseline\b"):
        leaderboard(voted_on_lengths, Selection("d"), ASKED)
    named = RankSettings("length-controlled", baseline="base", bootstrap=0)
    result = leaderboard(voted_on_lengths, Selection("d"), named)
    assert find_sentences(result.notes, r"^1 judgement\b.*\bleft out\b.*\bcomparison with base\b")
    assert find_sentences(result.notes, r"^1 judgement\b.*\bleft out: a text\b")
    assert result.judgements == 2 * ITEMS


def test_what_cannot_be_answered(voted_on_lengths: Store) -> None:
    two = Selection("d", systems=("base", "long"))
    with pytest.raises(TandemError, match=r"^several systems\b.*\bbaseline\b"):
        leaderboard(voted_on_lengths, two, ASKED)
    unknown = RankSettings("length-controlled", baseline="nobody", bootstrap=0)
    with pytest.raises(TandemError, match=r"^baseline nobody: .*\bbase\b.*\blong\b"):
        leaderboard(voted_on_lengths, Selection("d"), unknown)
    with pytest.raises(TandemError, match=r"^baseline base\b.*-controlled\b.*\bnot to elo\b"):
        RankSettings("elo", baseline="base")
    with pytest.raises(TandemError, match=r"\blength-controlled\b.*\ball items\b"):
        candidates(voted_on_lengths, Selection("d"), ASKED)
    frame = prepare_comparisons(voted_on_lengths, Selection("d"), ASKED).frame
    alike = frame.assign(generation_b=frame["generation_a"])
    against = RankSettings("length-controlled", baseline="base")
    with pytest.raises(TandemError, match=r"\bdifferent lengths\b"):
        add_lengths(voted_on_lengths, Selection("d"), alike, against)


@pytest.fixture
def stated(voted_on_lengths: Store) -> Store:
    """The same votes as data set "lengths", of a file that has lengths and no texts."""
    frame = voted_on_lengths.judgement_frames.load_all("d")
    texts = voted_on_lengths.texts.generations("d").set_index("generation")["text"].str.len()
    rows = ["item,left,right,winner,judge,len_1,len_2"]
    for row in frame.itertuples():
        lengths = texts[row.generation_a], texts[row.generation_b]
        said = (row.item, row.system_a, row.system_b, row.outcome, row.judge, *lengths)
        rows.append(",".join(map(str, said)))
    load(voted_on_lengths, rows, "lengths")
    assert len(voted_on_lengths.judgement_frames.load_all("lengths")) == len(frame)
    return voted_on_lengths


def test_a_length_in_a_file_is_as_good_as_the_text(stated: Store) -> None:
    """Words of these texts without spaces are half their characters, so ratios are the same."""
    texts, lengths = Selection("d"), Selection("lengths")
    assert not stated.texts.has_any_text("lengths")
    for settings in (ASKED, RankSettings(control=("length",), bootstrap=30)):
        by_texts, by_lengths = (leaderboard(stated, one, settings) for one in (texts, lengths))
        columns = ["rating", "low", "high", "uncontrolled", "change"]
        assert_allclose(by_lengths.rows[columns], by_texts.rows[columns])
        assert by_lengths.judgements == by_texts.judgements == 2 * ITEMS
    odds = [bias(stated, one).tables["lengths"] for one in (texts, lengths)]
    figures = ["comparisons", "longer", "odds", "low", "high"]
    assert_allclose(odds[1][figures].to_numpy(float), odds[0][figures].to_numpy(float))
    with pytest.raises(TandemError, match=r"^control bold\b.*\bboth texts\b"):
        leaderboard(stated, lengths, RankSettings(control=("bold",)))


def test_a_text_that_comes_later_says_its_own_length(stated: Store) -> None:
    """It is of seven characters, whatever a file said; other lengths stay, and are exported."""
    load(stated, "item,system,text\ni0,base,seven..", "lengths")
    ids = stated.texts.generations("lengths").set_index(["item", "system"])["generation"]
    known = stated.annotator_stats.characters("lengths")
    assert known[ids["i0", "base"]] == 7
    assert known.notna().all()
    exported = export.join_portions(export.judgements(stated, Selection("lengths")))
    votes = exported[["system_a", "length_a", "text_a"]]
    assert votes.loc[votes["system_a"] == "long", "length_a"].between(350, 450).all()


def test_lengths_that_are_none_are_said(store: Store, tmp_path: Path) -> None:
    rows = ["item,left,right,winner,judge,length_a,length_b", "i,x,y,a,Ada,9,", "j,x,y,a,Ada,-3,"]
    (tmp_path / "votes.csv").write_text("\n".join(rows))
    report = importer.load(store, [tmp_path / "votes.csv"], Dataset("d"))
    assert (report.skipped, report.added["judgements"]) == ([], 2), "a vote counts in any case"
    assert find_sentences(report.warnings, r"\blength_a is -3\b.*\bwhole number\b")
    assert store.annotator_stats.characters("d").dropna().tolist() == [9]
    load(store, [rows[0], "i,x,y,a,Ada,8,5"])  # what came first stays
    assert store.annotator_stats.characters("d").dropna().tolist() == [9, 5]


def test_a_baseline_that_leads_is_as_certain_as_the_others_are_below_it(store: Store) -> None:
    """It has no interval; that of the second is below one half, or holds it."""
    for share, clear in ((0.1, True), (0.45, False)):
        rng, won = np.random.default_rng(1), np.arange(40) < 40 * share
        votes = ["item,left,right,winner,judge,length_a,length_b"]
        for other in ("y", "z"):
            for i, (one, two) in enumerate(rng.integers(100, 300, size=(40, 2))):
                votes.append(f"i{i},{other},base,{'ab'[not won[i]]},Ada,{one},{two}")
        load(store, votes, f"d{share}")
        settings = RankSettings("length-controlled", baseline="base")
        found = leaderboard(store, Selection(f"d{share}"), settings)
        first, second = found.rows.iloc[0], found.rows.iloc[1]
        assert (first["system"], not first["tied_with"]) == ("base", clear)
        assert (second["high"] < 0.5) == clear
        assert "without intervals" not in headline.headline(found)
