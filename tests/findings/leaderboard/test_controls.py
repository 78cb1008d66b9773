"""What of texts is held equal: counted by hand, and what it changes on a board."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest

from core.findings.judgements import Selection
from core.findings.leaderboard import CONTROLS, RankSettings, candidates, controls, leaderboard
from core.importing import importer
from core.records import Dataset, TandemError
from core.store import Store
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
    counts = {name: count(TEXT) for name, count in controls.STYLES.items()}
    assert {name: counts[name] for name in ("headings", "lists", "bold")} == {
        "headings": 1, "lists": 4, "bold": 2,
    }  # fmt: skip
    assert controls.STYLES["sentences"]("One. Two? Three") == 3
    assert [controls.STYLES["sentences"](text) for text in ("", "...", "一。二！")] == [0, 0, 2]
    assert {"length", *controls.STYLES} == set(CONTROLS)


@pytest.fixture(scope="module")
def voted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """x writes four words where y writes two, and z one; w has no texts."""
    texts = {"x": "a b c d", "y": "a **b**", "z": "a"}
    lines = ["item,system,text,score:rater:style"]
    lines += [f"i{i},{name},{text},{i % 3}" for i in range(12) for name, text in texts.items()]
    rng, votes = np.random.default_rng(0), ["item,left,right,winner,judge"]
    for i in range(12):
        for a, b in ("xy", "yz", "xz"):
            votes.append(f"i{i},{a},{b},{'ab'[int(rng.random() < 0.4)]},Ada")
    votes.append("i0,x,w,a,Ada")
    path = tmp_path_factory.mktemp("voted") / "rows.csv"
    with Store(path.with_name("s.sqlite3")) as store:
        for rows in (lines, votes):
            path.write_text("\n".join(rows))
            importer.load(store, [path], Dataset("d"))
        yield store


def test_differences_by_hand(voted: Store) -> None:
    """Lengths 4, 2 and 1: relative differences 1/3, 1/3 and 3/5, over their root mean square."""
    generations = voted.texts.generations("d")
    names = generations.loc[generations["item"] == "i1"].set_index("system")["generation"]
    pairs = [(names[a], names[b]) for a, b in ("xy", "zy", "xz")]
    frame = pd.DataFrame(pairs, columns=["generation_a", "generation_b"])
    found = controls.add_controls(
        voted, Selection("d"), frame, RankSettings(control=("length", "bold"))
    )
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
