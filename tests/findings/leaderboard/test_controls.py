"""What of texts is held equal: counted by hand, and what it changes on a board."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from core.findings.judgements import Selection
from core.findings.leaderboard import CONTROLS, RankSettings, candidates, controls, leaderboard
from core.importing import importer
from core.records import Dataset, TandemError
from core.store import Store

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


@pytest.fixture
def voted(store: Store, tmp_path: Path) -> Store:
    """x writes four words where y writes two, and z one; w has no texts."""
    texts = {"x": "a b c d", "y": "a **b**", "z": "a"}
    lines = ["item,system,text,score:rater:style"]
    lines += [f"i{i},{name},{text},{i % 3}" for i in range(12) for name, text in texts.items()]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    importer.load(store, [tmp_path / "t.csv"], Dataset("d"))
    rng, lines = np.random.default_rng(0), ["item,left,right,winner,judge"]
    for i in range(12):
        for a, b in ("xy", "yz", "xz"):
            lines.append(f"i{i},{a},{b},{'ab'[int(rng.random() < 0.4)]},Ada")
    lines.append("i0,x,w,a,Ada")
    (tmp_path / "v.csv").write_text("\n".join(lines))
    importer.load(store, [tmp_path / "v.csv"], Dataset("d"))
    return store


def test_differences_by_hand(voted: Store) -> None:
    """Lengths 4, 2 and 1: relative differences 1/3, 1/3 and 3/5, over their root mean square."""
    generations = voted.datasets.generations("d")
    names = generations.loc[generations["item"] == "i1"].set_index("system")["generation"]
    frame = pd.DataFrame(
        [(names[a], names[b]) for a, b in ("xy", "zy", "xz")],
        columns=["generation_a", "generation_b"],
    )
    found = controls.add_controls(voted, Selection("d"), frame, ["length", "bold"])
    apart = np.array([1 / 3, -1 / 3, 3 / 5])
    assert found.spread["length"] == pytest.approx(np.sqrt((apart**2).mean()))
    assert found.frame["control:length"].to_numpy() == pytest.approx(apart / found.spread["length"])
    # Only y has bold text; x and z have none, which is no difference.
    bold = np.array([-1.0, -1.0, 0.0]) / np.sqrt(2 / 3)
    assert found.frame["control:bold"].to_numpy() == pytest.approx(bold)


def test_a_board_says_what_it_held_equal(voted: Store) -> None:
    """Each system writes at one length: of three systems only two effects are left, and one of
    length can still be told from them, since relative differences do not add up.
    """
    settings = RankSettings(control=("length",), bootstrap=20)
    assert settings == RankSettings("bradley-terry-controlled", bootstrap=20), "length unless told"
    result = leaderboard(voted, Selection("d", attribute="overall"), settings)
    assert result.signature.startswith("bradley-terry-controlled|")
    assert "|control:length|" in result.signature
    plain = leaderboard(
        voted,
        Selection("d", attribute="overall", systems=("x", "y", "z")),
        RankSettings("bradley-terry", bootstrap=20),
    ).rows.set_index("system")["rating"]
    rows = result.rows.set_index("system")
    assert rows["uncontrolled"].to_dict() == pytest.approx(plain.to_dict())
    assert rows["change"].to_dict() == pytest.approx((rows["rating"] - plain).to_dict())
    assert (rows["change_low"] <= rows["change"]).all()
    [effect] = result.tables["controls"].to_dict("records")
    assert (effect["control"], effect["differ"]) == ("length", 36)
    assert effect["low"] < effect["effect"] < effect["high"]
    assert any(note.startswith("One standard deviation more length is") for note in result.notes)
    assert any(note.startswith("1 judgement is left out: what is con") for note in result.notes)
    quick = leaderboard(
        voted, Selection("d", attribute="overall"), RankSettings(control=("length",), bootstrap=0)
    )
    assert quick.tables["controls"]["low"].isna().all()


@pytest.mark.parametrize(
    ("control", "said"),
    [
        (
            ("lenght",),
            "unknown control 'lenght'; there are length, sentences, headings, lists, bold",
        ),
        (("headings",), "control headings: no two texts that were compared differ in it"),
        (("nobody:style",), "no scores by 'nobody' here"),
        (("rater:grace",), "control rater:grace: there is no attribute 'grace' here"),
        (("rater:style",), "control rater:style: no two texts that were compared differ in it"),
    ],
)
def test_what_cannot_be_held_equal(voted: Store, control: tuple[str, ...], said: str) -> None:
    with pytest.raises(TandemError, match=said.replace("(", r"\(")):
        leaderboard(
            voted, Selection("d", attribute="overall"), RankSettings(control=control, bootstrap=0)
        )


def test_candidates_of_an_item_have_no_style_in_common(voted: Store) -> None:
    with pytest.raises(TandemError, match=r"\bbradley-terry-controlled\b.*\ball items\b"):
        candidates(voted, Selection("d"), RankSettings(control=("length",)))
    with pytest.raises(
        TandemError, match=r"^control length\b.*\bbradley-terry-controlled\b.*\bnot to elo\b"
    ):
        RankSettings("elo", control=("length",))
