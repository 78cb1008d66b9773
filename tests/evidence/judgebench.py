"""JudgeBench."""

from __future__ import annotations

from collections.abc import Iterator

from tests.evidence.facts import Absent, Commands, Fact, fact


def judgebench(run: Commands) -> Iterator[Fact | Absent]:
    line = "import $D/judgebench --dataset judgebench"
    held = run(line)
    yield fact(
        "decisions (2,370 rows in both orders) and labels (620 pairs)",
        "5,360",
        [held["judgements"]],
        line,
    )
    line = "describe --dataset judgebench --judges arena_hard/claude-3-haiku-20240307"
    (row,) = run(line)["outcomes"]
    yield fact(
        "answers of claude-3-haiku to 270 pairs in both orders",
        "540",
        [sum(row[name] for name in ("a", "b", "tie", "failed"))],
        line,
    )
    line = "accuracy --dataset judgebench --against gold"
    rows = {row["judge"]: row for row in run(line)["rows"]}
    for judge, published in {
        "arena_hard/o1-mini-2024-09-12": "0.7086 / 0.7457",
        "reward_model/Skywork_Skywork-Reward-Gemma-2-27B": "0.6429 / 0.6514",
        "reward_model/internlm_internlm2-20b-reward": "0.6343 / 0.6343",
        "arena_hard/claude-3-haiku-20240307": "0.2963 / 0.3296",
    }.items():
        row, of = rows[judge], 270 if "haiku" in judge else 350
        values = [row[name] / of for name in ("right_forward", "right_reverse")]
        note = (
            f"right of all {of} pairs, ties and unanswered ones being wrong; our accuracy "
            "gives a tie half"
        )
        yield fact(
            f"accuracy in the original and the swapped order: {judge}",
            published,
            values,
            line,
            note,
        )
    row = rows["arena_hard/o1-mini-2024-09-12"]
    wrong = row["reverse"] - row["right_reverse"] - row["tied_reverse"]
    note = "those that are wrong when flipped: reverse - right_reverse - tied_reverse, of 350"
    yield fact(
        "accuracy in the swapped order if not flipped: o1-mini", "0.2057", [wrong / 350], line, note
    )
    ties = rows["arena_hard/claude-3-haiku-20240307"]["tied_forward"]
    yield fact("ties in the original order: claude-3-haiku", "101", [ties], line)
