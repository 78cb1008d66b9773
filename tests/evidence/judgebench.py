"""JudgeBench."""

from __future__ import annotations

from collections.abc import Iterator

from tests.evidence.facts import Commands, Fact, by_judge

NOTE = "right of all {} pairs, ties and unanswered ones being wrong; our accuracy gives a tie half"
O1, HAIKU = "arena_hard/o1-mini-2024-09-12", "arena_hard/claude-3-haiku-20240307"
PUBLISHED = {
    O1: "0.7086 / 0.7457",
    "reward_model/Skywork_Skywork-Reward-Gemma-2-27B": "0.6429 / 0.6514",
    "reward_model/internlm_internlm2-20b-reward": "0.6343 / 0.6343",
    HAIKU: "0.2963 / 0.3296",
}


def judgebench(run: Commands) -> Iterator[Fact]:
    run("import $D/judgebench --dataset judgebench")
    what = "decisions (2,370 rows in both orders) and labels (620 pairs)"
    yield run.fact(what, "5,360", "judgements")
    (row,) = run(f"describe --dataset judgebench --judges {HAIKU}")["outcomes"]
    said = [sum(row[name] for name in ("a", "b", "tie", "failed"))]
    yield run.fact("answers of claude-3-haiku to 270 pairs in both orders", "540", said)
    rows = by_judge(run("accuracy --dataset judgebench --against gold"))
    for judge, published in PUBLISHED.items():
        of = 270 if judge == HAIKU else 350
        values = [rows[judge][f"right_{order}"] / of for order in ("forward", "reverse")]
        what = f"accuracy in the original and the swapped order: {judge}"
        yield run.fact(what, published, values, NOTE.format(of))
    row = rows[O1]
    wrong = row["reverse"] - row["right_reverse"] - row["tied_reverse"]
    note = "those that are wrong when flipped: reverse - right_reverse - tied_reverse, of 350"
    what = "accuracy in the swapped order if not flipped: o1-mini"
    yield run.fact(what, "0.2057", [wrong / 350], note)
    ties = rows[HAIKU]["tied_forward"]
    yield run.fact("ties in the original order: claude-3-haiku", "101", [ties])
