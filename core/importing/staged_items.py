"""Item of each entry, decided for all files of an import together.

An entry is about the item that it names. Where contexts identify items, or nothing names one, it is
about the item with its context; with neither, its row is the item.
"""

from __future__ import annotations

import pyarrow as pa

from core.importing.cells import digest, digest_bytes
from core.importing.database import Database
from core.importing.reading import ItemsAre
from core.importing.stage import Stage
from core.records import TandemError, option_ref
from core.store import Store

PORTION = 10_000
ORDER = "(e.file::HUGEINT << 80) + (e.row::HUGEINT << 20) + e.part"
"""The order of entries: of files, rows and within a row."""


def load_known_items(database: Database, store: Store, dataset: str) -> None:
    """Put the items of a store into the table `known_items`: item, context_id, place."""
    types = {"item": pa.string(), "context_id": pa.binary(16), "place": pa.int64()}
    database.add_table("known_items", types)
    place = 0
    for portion in store.datasets.portions(dataset, "key, context", PORTION):
        rows = [
            (key, digest_bytes(context) if context else None, place + nth)
            for nth, (key, context) in enumerate(portion)
        ]
        database.append_rows("known_items", types, rows)
        place += len(portion)


def decide_items(
    database: Database, file: int, known: ItemsAre | None, *, is_votes: bool
) -> tuple[ItemsAre | None, str]:
    """Decide whether names or contexts identify the items of a table that has both.

    Returns the decision and a sentence for it; None means that both give the same items. `known` is
    what was said, or holds for the data set.

    Contexts identify them where a file of votes has fewer contexts than names. So they do where no
    name is repeated although contexts are: then the names number rows. So they do where the
    contexts are known by other names.
    """
    names, contexts, entries, elsewhere = database.rows(
        f"""SELECT count(DISTINCT item), count(DISTINCT context_id), count(DISTINCT row),
            count(DISTINCT e.context_id) FILTER (e.context_id IN (
                SELECT k.context_id FROM known_items k WHERE k.context_id IS NOT NULL)
                AND e.item NOT IN (SELECT k.item FROM known_items k))
        FROM entries e WHERE file = {file} AND item <> '' AND context_id IS NOT NULL"""
    )[0]
    repeats = contexts < names and (is_votes or names == entries)
    are = known or (ItemsAre.CONTEXTS if repeats or elsewhere else None)
    if are is not ItemsAre.CONTEXTS and contexts < names:
        return ItemsAre.NAMES, ""
    if are is ItemsAre.CONTEXTS and (repeats or elsewhere):
        return are, describe_contexts(contexts, names)
    return are, ""


def describe_contexts(contexts: int, names: int) -> str:
    """Say that a file's items are its contexts."""
    return f"the items are its {contexts:,} different contexts, which have {names:,} names there"


def strip_decimals(database: Database, file: int) -> None:
    """Write the names of a table's items as whole numbers where all of them are: 81.0 is 81, as
    pandas writes a column of numbers with a gap in it.
    """
    there, whole = database.rows(
        f"""SELECT count(*), count(*) FILTER (regexp_full_match(item, '-?[0-9]+[.]0+'))
        FROM entries WHERE file = {file} AND item <> ''"""
    )[0]
    if there and there == whole:
        database.rows(
            f"UPDATE entries SET item = regexp_replace(item, '[.]0+$', '') WHERE file = {file}"
        )


def fill_items_down(database: Database, file: int) -> str:
    """Give rows that name no item the item above, where a file looks like a sheet: all its items
    have as many rows, and the first of them alone names it. Return a note on rows without a name.
    """
    database.rows(
        f"""CREATE OR REPLACE TABLE blocks AS
        SELECT row, item, context, sum((item <> '')::INT) OVER (ORDER BY row) AS block FROM (
            SELECT row, coalesce(max(item), '') AS item, count(context_id) AS context
            FROM entries WHERE file = {file} GROUP BY row)"""
    )
    blank, rows, contexts, names, blocks, least, most = database.rows(
        """SELECT (SELECT count(*) FILTER (item = '') FROM blocks), sum(n), sum(context),
            count(DISTINCT item), count(*), min(n), max(n) FROM (
            SELECT block, max(item) AS item, count(*) AS n, sum(context) AS context
            FROM blocks GROUP BY block)"""
    )[0]
    if not blank or blank == rows or contexts:
        return ""
    if not (least == most and names == blocks > 1):
        return f"{blank:,} rows name no item: each is about one of its own"
    database.rows(
        f"""UPDATE entries SET item = b.item FROM (
            SELECT row, max(item) OVER (PARTITION BY block) AS item FROM blocks) b
        WHERE entries.file = {file} AND entries.row = b.row"""
    )
    return f"the first of {most} rows each names their item: it holds for those below it"


def describe_unmet(database: Database) -> list[str]:
    """Say where a data set has items, and none of those that votes are about is one of them."""
    if not database.value("SELECT count(*) FROM known_items"):
        return []
    voted, known, theirs = database.rows(
        """SELECT count(DISTINCT v.item), count(DISTINCT k.item),
            (SELECT count(*) FROM known_items) FROM votes v LEFT JOIN known_items k USING (item)"""
    )[0]
    if voted and theirs and not known:
        return [
            f"none of the {voted:,} items of these votes is among the data set's {theirs:,}: "
            "compare how both are named"
        ]
    return []


def check_names_meet(database: Database, file: int, name: str) -> None:
    """Check that a file with names alone names items that are known.

    Call it where contexts identify the items. Raises TandemError where some names, but not all, are
    known.
    """
    every, unknown = database.rows(
        f"""SELECT count(DISTINCT item), count(DISTINCT item) FILTER (
            item NOT IN (SELECT k.item FROM known_items k))
        FROM entries WHERE file = {file} AND item <> '' AND context_id IS NULL"""
    )[0]
    if 0 < unknown < every:
        raise TandemError(
            f"{unknown:,} of {every:,} names of items in {name} are not items here. This data "
            "set knows items by their contexts, and this file has none. Name its column with "
            f"{option_ref('map')} context=COLUMN, or say {option_ref('items')} names to make "
            "new items"
        )


def check_contexts_meet(database: Database, file: int, name: str) -> None:
    """Check that a file's contexts do not merge items that are known by names and have votes.

    Raises TandemError otherwise.
    """
    known, contexts = database.rows(
        f"""SELECT count(DISTINCT e.item), count(DISTINCT e.context_id) FROM entries e
        JOIN known_items k ON k.item = e.item AND k.context_id IS NULL
        WHERE e.file = {file} AND e.context_id IS NOT NULL"""
    )[0]
    if known > contexts:
        raise TandemError(
            f"{known:,} names in {name} are items here, but with {contexts:,} different "
            f"contexts. Say {option_ref('items')} names to keep them apart, or import this file "
            "first, into another data set"
        )


def name_items(stage: Stage, by_context: list[int]) -> None:
    """Name the item of every entry, in the table `named` (file, row, part, item).

    In the files `by_context`, contexts identify the items. A context has the name of the item that
    is known with it, else the first name beside it unless another context has that, else one by its
    digest.
    """
    database = stage.database
    if "context_id" not in stage.filled:
        database.rows(
            f"""CREATE OR REPLACE TABLE named AS SELECT e.file, e.row, e.part,
                {_OLDER} WHEN e.item <> '' THEN e.item ELSE 'row-' || e.row END AS item
            FROM entries e"""
        )
        return
    files = ", ".join(map(str, by_context)) or "-1"
    database.rows(
        f"""CREATE OR REPLACE TABLE contexts AS
        SELECT context_id, arg_min(coalesce(fallback_item, nullif(item, '')), {ORDER}) AS wish,
            arg_min(coalesce(named_by, ''), {ORDER}) AS named_by, min({ORDER}) AS nth
        FROM entries e
        WHERE context_id IS NOT NULL AND (item = '' OR file IN ({files})) GROUP BY context_id"""
    )
    database.rows(
        f"""CREATE OR REPLACE TABLE taken AS
        SELECT item, context_id, place::HUGEINT - (1::HUGEINT << 90) AS nth FROM known_items
        UNION ALL SELECT item, any_value(context_id), min({ORDER}) FROM entries e
        WHERE item <> '' AND file NOT IN ({files}) GROUP BY item"""
    )
    database.rows(
        """CREATE OR REPLACE TABLE context_names AS
        WITH known AS (
            SELECT context_id, arg_min(item, nth) AS item FROM taken
            WHERE context_id IS NOT NULL GROUP BY context_id),
        wished AS (
            SELECT c.*, k.item AS known, row_number() OVER (
                PARTITION BY c.wish, k.item IS NULL ORDER BY c.nth) AS claim
            FROM contexts c LEFT JOIN known k USING (context_id))
        SELECT context_id, named_by, coalesce(known, CASE WHEN claim = 1 AND wish NOT IN (
                SELECT item FROM taken WHERE context_id IS NOT NULL) THEN wish END) AS item
        FROM wished"""
    )
    _name_by_digest(database)
    database.rows(
        f"""CREATE OR REPLACE TABLE named AS SELECT e.file, e.row, e.part, {_OLDER}
            WHEN e.context_id IS NOT NULL AND (e.item = '' OR e.file IN ({files})) THEN n.item
            WHEN e.item <> '' THEN e.item ELSE 'row-' || e.row END AS item
        FROM entries e LEFT JOIN context_names n USING (context_id)"""
    )


_OLDER = "CASE WHEN e.older_item IN (SELECT item FROM known_items) THEN e.older_item"


def _name_by_digest(database: Database) -> None:
    """Name contexts by their own digest, or by that of the text they were made of."""
    database.rows(
        """UPDATE context_names SET item = 'context-' || lower(hex(context_id))
        WHERE item IS NULL AND named_by = ''"""
    )
    if texts := database.rows("SELECT DISTINCT named_by FROM context_names WHERE item IS NULL"):
        names = [(text, f"context-{digest(text)}") for (text,) in texts]
        database.add_table("digests", {"named_by": pa.string(), "item": pa.string()}, names)
        database.rows(
            """UPDATE context_names SET item = d.item FROM digests d
            WHERE context_names.item IS NULL AND d.named_by = context_names.named_by"""
        )


def describe_repeats(stage: Stage) -> list[str]:
    """Say where items have the same context, or one that differs in signs and spaces alone."""
    if "context_id" not in stage.filled:
        return []
    items, contexts, alike = stage.database.rows(
        r"""SELECT count(DISTINCT n.item), count(DISTINCT e.context_id),
            count(DISTINCT hash(lower(regexp_replace(e.context, '[\s\p{P}\p{S}]+', '', 'g'))))
        FROM named n JOIN entries e USING (file, row, part) WHERE e.context_id IS NOT NULL"""
    )[0]
    if contexts < items:
        return [f"{items:,} items have {contexts:,} different contexts"]
    if 0 < alike < contexts:
        return [
            f"{items:,} items have {alike:,} contexts that differ in more than signs, spaces and "
            "capital letters"
        ]
    return []
