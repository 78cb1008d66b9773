"""Checks for rows to skip: other texts, contexts, scores or kinds of judges than are known.

Nothing is overwritten, so what came first stays: what the store has, then the first row. A row that
says otherwise is in `skipped`.
"""

from __future__ import annotations

import pyarrow as pa

from ..records import Kind
from ..store import Store
from .cells import digest_bytes
from .database import Database
from .entry import IN_ORDER, SCORE
from .raters import RaterNames
from .stage import Stage
from .staged_items import BEFORE

PORTION = 10_000
ROUNDS = 20  # in which rows that contradict each other are sorted out
USED = "NOT EXISTS (SELECT 1 FROM skipped s WHERE s.file = e.file AND s.row = e.row AND s.whole)"
"""Rows that nothing speaks against so far."""


def check_judges(database: Database, store: Store, names: RaterNames) -> None:
    """Spell the judges' names as they are known, in the table `judges` (judge, judge_kind, name),
    and skip rows of those that cannot be called so, or are known as another kind.
    """
    given = database.rows(
        """SELECT judge, judge_kind, min(nth) AS nth FROM entries e
        WHERE judge IS NOT NULL GROUP BY ALL ORDER BY nth"""
    )
    known = store.judges.load_all()
    kinds = dict(zip(known["judge"], known["kind"], strict=True))
    rows = []
    for judge, kind, _ in given:
        name, reason = judge, ""
        try:
            name = names.spell_name(judge, Kind(kind))
        except ValueError as error:
            reason = str(error)
        if not reason and name in tuple(Kind) and name != kind:
            reason = (
                f"a judge of kind {kind} cannot be named {name!r}, which means all of that kind: "
                "use another name"
            )
        if not reason and kinds.setdefault(name, kind) != kind:
            reason = f"judge {name!r} is known, but not as {kind}: use another name"
        rows.append((judge, kind, name, reason))
    columns = ("judge", "judge_kind", "name", "reason")
    database.add_table("judges", dict.fromkeys(columns, pa.string()), rows)
    if any(row[-1] for row in rows):
        _skip(
            database,
            "j.reason",
            "entries e JOIN judges j USING (judge, judge_kind) WHERE j.reason <> ''",
            contradicts=False,
        )


def check_contexts(database: Database) -> None:
    """Skip rows that give an item another context."""
    _skip_contradictions(
        database,
        f"""SELECT item, context_id AS said, place - {BEFORE} AS nth,
            NULL::INTEGER AS file, NULL::BIGINT AS row FROM known_items
        UNION ALL SELECT n.item, e.context_id, nth, e.file, e.row FROM entries e
        JOIN named n USING (nth)""",
        "item",
        "'item ' || quote(item) || ' has another context already, which is kept'",
    )


def number_samples(stage: Stage, store: Store, dataset: str) -> None:
    """Put the texts of all entries into `sides` (nth, file, row, side, item, system, sample,
    text_id, length), with a sample for each, and skip rows that give a sample another text.
    """
    database = stage.database
    database.rows(
        f"""CREATE OR REPLACE TABLE sides AS
        SELECT e.nth, e.file, e.row, 0 AS side, n.item, coalesce(e.system, k.system_a) AS system,
            e.sample, e.text_id, e.length, e.sort, e."unique" FROM entries e
        JOIN named n USING (nth) LEFT JOIN kinds k USING (file, kind)
        WHERE e.sort <> 'item' AND {USED}
        UNION ALL SELECT e.nth, e.file, e.row, 1, n.item, k.system_b, e.sample_b, e.text_b_id,
            e.length_b, e.sort, NULL FROM entries e
        JOIN named n USING (nth) JOIN kinds k USING (file, kind) WHERE {USED}"""
    )
    if "text_id" not in stage.filled and "text_b_id" not in stage.filled:
        return
    in_order, by_text = database.rows(
        f"SELECT coalesce(bool_or(sample = {IN_ORDER}), false), coalesce(bool_or(sample IS NULL), "
        "false) FROM sides"
    )[0]
    if in_order:
        database.rows(
            f"""UPDATE sides SET sample = o.sample FROM (
                SELECT nth, row_number() OVER (
                    PARTITION BY file, item, system ORDER BY nth) - 1 AS sample
                FROM sides WHERE sample = {IN_ORDER} AND sort = 'text') o
            WHERE sides.nth = o.nth AND sides.sample = {IN_ORDER}"""
        )
    if "unique" in stage.filled:
        _skip_repeated_rows(database)
    _load_known_texts(database, store, dataset)
    if by_text:
        _number_by_text(database)
    _skip_contradictions(
        database,
        """SELECT item, system, sample, text_id AS said, -1::BIGINT AS nth,
            NULL::INTEGER AS file, NULL::BIGINT AS row FROM known_texts
        UNION ALL SELECT item, system, sample, text_id, nth, file, row FROM sides e""",
        "item, system, sample",
        """'item ' || quote(item) || ', system ' || quote(system) || ', sample ' || sample
            || ' has another text already, which is kept'""",
    )


def _skip_contradictions(database: Database, claims: str, key: str, reason: str) -> None:
    """Skip rows that say something else of a key than what came first.

    A skipped row makes no claim. So the first rows to be skipped are those that contradict a row
    which contradicts nothing itself.
    """
    claims = f"(SELECT * FROM ({claims}) e WHERE said IS NOT NULL AND (e.file IS NULL OR {USED}))"
    for _ in range(ROUNDS):
        database.rows(  # few keys, if any: only their claims are put in order
            f"""CREATE OR REPLACE TABLE disputed AS SELECT {key} FROM {claims} GROUP BY {key}
            HAVING min(said) <> max(said)"""
        )
        if not database.value("SELECT count(*) FROM disputed"):
            return
        database.rows(
            f"""CREATE OR REPLACE TABLE contradicting AS SELECT *, {reason} AS reason FROM (
                SELECT *, first(said ORDER BY nth) OVER same AS first_said,
                    first(file ORDER BY nth) OVER same AS first_file,
                    first(row ORDER BY nth) OVER same AS first_row
                FROM {claims} SEMI JOIN disputed USING ({key}) WINDOW same AS (PARTITION BY {key}))
            WHERE file IS NOT NULL AND said <> first_said"""
        )
        _skip(
            database,
            "e.reason",
            """contradicting e WHERE NOT EXISTS (SELECT 1 FROM contradicting o
                WHERE o.file = e.first_file AND o.row = e.first_row)""",
        )
    _skip(database, "e.reason", f"contradicting e WHERE {USED}")


def _skip_repeated_rows(database: Database) -> None:
    _skip(
        database,
        """'repeats item ' || quote(e.item) || ', system ' || quote(e.system) || ', sample '
            || e.sample || ' of row ' || e.first || e.hint""",
        """(SELECT *, "unique" AS hint,
                min(row) OVER (PARTITION BY file, item, system, sample) AS first FROM sides
            WHERE "unique" IS NOT NULL) e WHERE e.row <> e.first""",
        contradicts=False,
    )


def _load_known_texts(database: Database, store: Store, dataset: str) -> None:
    types = {
        "item": pa.string(), "system": pa.string(), "sample": pa.int64(), "text_id": pa.binary(16)
    }  # fmt: skip
    database.add_table("known_texts", types)
    if not store.texts.has_any_text(dataset):
        return
    query = "SELECT DISTINCT item FROM sides SEMI JOIN known_items USING (item)"
    for portion in database.portions(query, 1000):
        texts = store.texts.texts_of_items(dataset, [item for (item,) in portion])
        rows = [(*key, digest_bytes(text)) for *key, text in texts if text is not None]
        database.append_rows("known_texts", types, rows)


def _number_by_text(database: Database) -> None:
    # One after the other, and in order only where a system has several texts: windows over all of
    # some millions do not fit into memory.
    database.rows(
        """CREATE OR REPLACE TABLE known AS SELECT item, system, sample, text_id FROM known_texts
            UNION SELECT item, system, sample, text_id FROM sides
            WHERE sample IS NOT NULL AND text_id IS NOT NULL;
        CREATE OR REPLACE TABLE new AS SELECT item, system, text_id, min(nth) AS nth FROM sides
            WHERE sample IS NULL GROUP BY ALL;
        CREATE OR REPLACE TABLE several AS SELECT item, system FROM known
            UNION SELECT item, system FROM new GROUP BY ALL HAVING count(*) > 1;
        CREATE OR REPLACE TABLE numbered AS
        WITH same AS (SELECT item, system, text_id, min(sample) AS sample FROM known GROUP BY ALL),
        most AS (SELECT item, system, max(sample) + 1 AS next FROM known GROUP BY ALL)
        SELECT item, system, text_id, coalesce(s.sample, row_number() OVER (
            PARTITION BY item, system, s.sample IS NULL ORDER BY n.nth) - 1 + coalesce(next, 0)
            ) AS sample
        FROM new n SEMI JOIN several USING (item, system)
        LEFT JOIN same s USING (item, system, text_id) LEFT JOIN most USING (item, system);
        UPDATE sides SET sample = n.sample FROM numbered n
        WHERE sides.sample IS NULL AND n.item = sides.item AND n.system = sides.system
            AND n.text_id = sides.text_id;
        UPDATE sides SET sample = 0 WHERE sample IS NULL"""
    )


def check_scores(stage: Stage, store: Store, dataset: str) -> None:
    """Number the trials that come in order, and skip rows that give a text another score."""
    database = stage.database
    database.rows(
        f"""CREATE OR REPLACE TABLE scores AS
        SELECT e.nth, e.file, e.row, n.item, e.system, d.sample, e.attribute, j.name AS judge,
            j.judge_kind, CASE WHEN e.trial = {IN_ORDER} THEN row_number() OVER (
                PARTITION BY e.file, n.item, e.system, d.sample, e.attribute, j.name, e.trial
                ORDER BY e.nth) - 1 ELSE e.trial END AS trial,
            e.value + 0.0 AS value, e.failure, e.raw
        FROM entries e JOIN named n USING (nth) JOIN judges j USING (judge, judge_kind)
        JOIN sides d USING (nth)
        WHERE e.sort = 'score' AND {USED}"""
    )
    if SCORE not in stage.sorts:
        return
    text, whole = pa.string(), pa.int64()
    types = {
        "item": text, "system": text, "sample": whole, "attribute": text, "rater": text,
        "trial": whole, "value": pa.float64(),
    }  # fmt: skip
    known = store.scores.load_all(dataset, excluded=True)[list(types)].astype(object)
    rows = known.where(known.notna(), None).itertuples(index=False)
    database.add_table("known_scores", types, rows)
    same = "item, system, sample, attribute, judge, trial"
    _skip(
        database,
        """quote(e.judge) || ' has given item ' || quote(e.item) || ', system ' || quote(e.system)
            || ', sample ' || e.sample || ' another score for ' || quote(e.attribute)
            || ' already, which is kept'""",
        f"""(SELECT *, first_value(struct_pack(value := value)) OVER (
                PARTITION BY {same} ORDER BY nth) AS first FROM (
            SELECT -1::BIGINT AS nth, NULL::INTEGER AS file, NULL::BIGINT AS row,
                * RENAME (rater AS judge) FROM known_scores UNION ALL BY NAME
            SELECT nth, file, row, {same}, value FROM scores e)) e
        WHERE e.file IS NOT NULL AND e.value IS DISTINCT FROM e.first.value""",
    )
    database.rows(f"DELETE FROM scores e WHERE NOT ({USED})")


def _skip(database: Database, reason: str, of: str, *, contradicts: bool = True) -> None:
    database.rows(
        f"""INSERT INTO skipped SELECT file, row, min(reason), {contradicts}, true, true FROM (
            SELECT e.file AS file, e.row AS row, {reason} AS reason FROM {of}) GROUP BY file, row"""
    )
