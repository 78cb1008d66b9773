"""The votes of an import as they will be stored: who won, which answers of a person count, and by
what each is known when it is imported again.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence

import pyarrow as pa
from pyarrow import compute

from .cells import short_digest
from .database import Database, literal
from .reading import Repeats
from .stage import Stage
from .staged_checks import USED
from .staged_values import VOTERS, VoteKind
from .tally import Tally
from .vote_meanings import Decision

MARKED = (
    "item", "system_a", "system_b", "judge", "attribute", "order_known", "said_time", "outcome",
    "prob_a", "failure",
)  # fmt: skip
"""What a vote is known by. Stores hold 48 bits of it: what goes into them never changes."""


COMPARED = 5_000_000  # votes in files that are only counted; more take too long to compare
SIDES = (
    "least((system_a, sample_a), (system_b, sample_b)), "
    "greatest((system_a, sample_a), (system_b, sample_b)), "
    "order_known AND (system_a, sample_a) < (system_b, sample_b)"
)
"""The two sides that a question is about, whoever was shown first, and where that is known."""


def add_kinds(database: Database, decided: Sequence[Sequence[tuple[VoteKind, Decision]]]) -> None:
    """Put what the kinds of vote of each file say into the table `kinds`, and skip the rows of
    those that cannot be used.
    """
    rows = [
        (file, number, kind.system_a, kind.system_b, decision.outcome, decision.failure,
         kind.winner, decision.is_swapped, decision.strength, kind.order_known, decision.reason)
        for file, kinds in enumerate(decided)
        for number, (kind, decision) in enumerate(kinds)
    ]  # fmt: skip
    text, flag = pa.string(), pa.bool_()
    types = {
        "file": pa.int32(), "kind": pa.int32(), "system_a": text, "system_b": text,
        "outcome": text, "failure": text, "winner": text, "is_swapped": flag,
        "strength": pa.float64(), "order_known": flag, "reason": text,
    }  # fmt: skip
    database.add_table("kinds", types, rows)
    if any(row[-1] for row in rows):
        database.rows(
            """INSERT INTO skipped SELECT e.file, e.row, min(k.reason), false, true, true
            FROM entries e JOIN kinds k USING (file, kind) WHERE k.reason <> '' GROUP BY ALL"""
        )


def collect_votes(
    stage: Stage,
    sources: Sequence[tuple[str, str]],
    repeats: Repeats,
    revisable: Sequence[int],
    *,
    is_counted: bool = False,
) -> dict[int, int]:
    """Put the votes of the rows that are used into `votes`, each with its place: `source`, `mark`
    and `occurrence`. `sources` are, by file, the name that its votes are known by, and the one by
    which votes that say the same are counted. In `revisable` files a person who answers again
    revises the first answer; returns how many are left out for that, by file. Votes that are only
    counted (`is_counted`) have a row for all that are alike.
    """
    database = stage.database
    names, together = (
        " ".join(f"WHEN {file} THEN {literal(name)}" for file, name in enumerate(several))
        for several in (zip(*sources, strict=True))
    )
    columns = {
        "item": "CASE WHEN own THEN '' ELSE item END",
        "said_time": "CASE WHEN stated_time <> '' THEN stated_time ELSE created_at END",
    }
    marked = ", ".join(f"{name} := {columns.get(name, name)}" for name in MARKED)
    database.rows(
        f"""CREATE OR REPLACE TABLE votes AS SELECT *, CASE file {names} END AS source,
            own OR (starts_with(item, 'row-') AND regexp_matches(item, '^row-[0-9]')) AS itemless,
            vote_mark(struct_pack({marked})) AS mark,
            unnest(range({1 if is_counted else "times"})) AS copy,
            1::BIGINT AS occurrence
        FROM ({_SAID})"""
    )
    revised = _drop_repeats(stage, repeats, revisable)
    database.rows(
        f"""UPDATE votes SET occurrence = o.occurrence FROM (
            SELECT v.rowid, row_number() OVER (PARTITION BY CASE v.file {together} END, mark
                ORDER BY nth, copy) AS occurrence
            FROM votes v SEMI JOIN (SELECT mark FROM votes GROUP BY mark HAVING count(*) > 1)
            USING (mark)) o
        WHERE votes.rowid = o.rowid AND o.occurrence > 1"""
    )
    return revised


_FAILURE = "CASE WHEN e.failure <> '' THEN e.failure ELSE k.failure END"
_SAID = f"""SELECT e.nth, e.file, e.row, n.item, e.item AS stated_item,
    e.item = '' AND context_id IS NULL AND starts_with(n.item, 'row-') AS own,
    CASE WHEN is_swapped THEN system_b ELSE system_a END AS system_a,
    CASE WHEN is_swapped THEN b.sample ELSE a.sample END AS sample_a,
    CASE WHEN is_swapped THEN system_a ELSE system_b END AS system_b,
    CASE WHEN is_swapped THEN a.sample ELSE b.sample END AS sample_b,
    attribute, name AS judge, judge_kind, judge_model, judge_prompt, order_known,
    CASE WHEN {_FAILURE} <> '' THEN NULL WHEN NOT is_swapped THEN outcome
        WHEN outcome = 'a' THEN 'b' WHEN outcome = 'b' THEN 'a' ELSE outcome END AS outcome,
    {_FAILURE} AS failure,
    CASE WHEN {_FAILURE} <> '' THEN NULL WHEN is_swapped THEN 1 - prob_a ELSE prob_a END AS prob_a,
    CASE WHEN {_FAILURE} <> '' AND raw = '' THEN winner ELSE raw END AS raw,
    coalesce(e.strength, k.strength) AS strength, confidence, seconds, comment,
    coalesce(text_format, '') AS text_format,
    coalesce(moment, '') AS created_at, coalesce(stated, '') AS stated_time,
    coalesce(times, 1) AS times, coalesce(pending, false) AS pending, once
FROM entries e JOIN kinds k USING (file, kind)
JOIN named n USING (nth) JOIN judges j USING (judge, judge_kind)
JOIN sides a ON a.nth = e.nth AND a.side = 0
JOIN sides b ON b.nth = e.nth AND b.side = 1
WHERE {USED}"""
"""What the entries that are votes say."""


def _drop_repeats(stage: Stage, repeats: Repeats, revisable: Sequence[int]) -> dict[int, int]:
    same, database = f"item, judge, attribute, {SIDES}", stage.database
    if "once" in stage.filled:
        database.rows(
            f"""DELETE FROM votes v USING (SELECT nth, row_number() OVER (
                    PARTITION BY file, {same}, outcome ORDER BY nth) AS place
                FROM votes WHERE once AND copy = 0) o
            WHERE o.place > 1 AND o.nth = v.nth"""
        )
    if repeats is Repeats.ALL or not revisable:
        return {}
    asked = f"""votes WHERE judge_kind = 'human' AND NOT own AND NOT pending AND times = 1
        AND file IN ({", ".join(map(str, revisable))})"""
    revised = find_revised(database, asked, f"{same}, stated_item", repeats)
    if revised:
        database.rows("DELETE FROM votes v USING revised r WHERE r.nth = v.nth")
    return revised


def find_revised(database: Database, answers: str, same: str, repeats: Repeats) -> dict[int, int]:
    """Put the answers that do not count, as the same person gave another, into `revised`; returns
    their number by file. `answers` have a `nth`, `file`, `row` and `created_at`, and those that
    are the `same` in these columns are to one question.
    """
    latest = "DESC" if repeats is Repeats.LAST else "ASC"
    database.rows(
        f"""CREATE OR REPLACE TABLE revised AS SELECT nth, file, row, kept FROM (
            SELECT nth, file, row, row_number() OVER same AS place,
                first_value((file, row)) OVER same AS kept
            FROM {answers}
            WINDOW same AS (PARTITION BY {same}
                ORDER BY created_at = '' {latest}, created_at {latest}, nth {latest}))
        WHERE place > 1"""
    )
    return dict(database.rows("SELECT file, count(*) FROM revised GROUP BY file ORDER BY file"))


def find_interchanged(
    database: Database, files: Sequence[int], *, is_counted: bool
) -> list[tuple[int, int, int]]:
    """Return pairs of files in which a judge answers the same question about the same two systems,
    that have changed sides, and the number of such questions. A judge who is asked in both orders
    answers so, too: nothing tells the two apart. Voters without a name are several people.
    """
    votes, item, judge = "votes v", "CASE WHEN own THEN '' ELSE item END", "judge"
    wanted = f"times > 1 OR (NOT own AND judge <> '{VOTERS}')"
    if is_counted:  # what alike rows may differ in lies beside them
        votes, item = "votes v JOIN about a USING (file, row)", "a.item"
        judge = "coalesce(nullif(a.judge, ''), v.judge)"
        wanted = f"a.item <> '' AND {judge} <> '{VOTERS}'"
        if database.value("SELECT count(*) FROM about") > COMPARED:
            return []
    return database.rows(
        f"""WITH asked AS (
            SELECT DISTINCT v.file, hash({item}, {judge}, attribute) AS question,
                (system_a, sample_a) AS first, (system_b, sample_b) AS second
            FROM {votes}
            WHERE v.file IN ({", ".join(map(str, files))}) AND NOT pending AND ({wanted}))
        SELECT a.file, b.file, count(*) FROM asked a JOIN asked b USING (question)
        WHERE a.file < b.file AND a.first = b.second AND a.second = b.first
        GROUP BY ALL ORDER BY ALL"""
    )


def fill_tally(stage: Stage, file: int, tally: Tally, decided: Mapping[VoteKind, Decision]) -> None:
    """Count in a tally what the votes of a file say, each kind once for all that are of it."""
    database, kinds = stage.database, list(decided.items())
    tally.clear()
    counts = database.rows(
        f"""SELECT kind, coalesce(e.failure, '') <> '', {USED}, sum(coalesce(times, 1))
        FROM entries e WHERE file = {file} AND kind IS NOT NULL AND NOT coalesce(pending, false)
        GROUP BY ALL ORDER BY ALL"""
    )
    for number, is_failure, is_kept, times in counts:
        kind, decision = kinds[number]
        outcome = None if is_failure else decision.outcome
        tally.add_decision(
            outcome, kind.systems, unknown="" if is_failure else decision.unknown,
            is_kept=is_kept, times=int(times),
        )  # fmt: skip
    if not {"moment", "stated"} & stage.filled:
        return
    of_file = f"FROM entries e WHERE file = {file} AND kind IS NOT NULL AND {USED}"
    tally.timed = database.value(f"SELECT count(moment) {of_file}")
    untimed = database.rows(
        f"""SELECT coalesce(left(stated, 100), ''), count(*) {of_file} AND moment IS NULL
        GROUP BY ALL ORDER BY 2 DESC, 1 LIMIT 1000"""
    )
    tally.untimed = Counter(dict(untimed))


def define_mark(database: Database) -> None:
    """Define `vote_mark` in SQL: a 48-bit digest of a vote's content, the fields MARKED."""
    types = {**dict.fromkeys(MARKED, "VARCHAR"), "order_known": "BOOLEAN", "prob_a": "DOUBLE"}
    database.define_function("vote_mark", _mark_votes, types)


def _mark_votes(votes: pa.ChunkedArray) -> pa.Array:
    cells = [_write_cells(field) for field in votes.combine_chunks().flatten()]
    lists = compute.binary_join_element_wise(*cells, ", ").to_pylist()
    return pa.array([int(short_digest(f"[{cells}]"), 16) for cells in lists], pa.int64())


def _write_cells(cells: pa.Array) -> pa.Array:
    if pa.types.is_floating(cells.type) and cells.null_count < len(cells):  # 0.0 equals -0.0
        return pa.array([json.dumps(cell) for cell in cells.to_pylist()], pa.string())
    coded = cells.dictionary_encode("encode")
    return pa.array(map(json.dumps, coded.dictionary.to_pylist()), pa.string()).take(coded.indices)
