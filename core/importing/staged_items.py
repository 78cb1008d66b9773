"""Item of each entry, decided for all files of an import together.

An entry is about the item that it names. Where contexts identify items, or nothing names one, it is
about the item with its context; with neither, the two texts of a vote are the item. Without texts
its row is one, of its file alone.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pyarrow as pa

from ..records import CONTROL, TandemError, option_ref
from ..store import Store
from .cells import as_text, digest, digest_bytes
from .database import Database, literal
from .layout import Reader, Source
from .reading import ItemsAre
from .stage import Stage
from .table_fields import is_newly_asked

PORTION = 10_000
LONGEST_SUBSET = 100  # characters; what is longer is a text
LOOKED_AT = 200  # rows
BEFORE = 2**62
"""What is known of the store comes before all entries: its `nth` is less by so much."""


def load_known_items(database: Database, store: Store, dataset: str) -> None:
    """Put the items of a store into the table `known_items`: item, context_id, place."""
    types = {"item": pa.string(), "context_id": pa.binary(16), "place": pa.int64()}
    database.add_table("known_items", types)
    place = 0
    for portion in store.texts.portions(dataset, "key, context", PORTION):
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
    said = f"the items are its {contexts:,} different contexts, which have {names:,} names there"
    return are, said if are is ItemsAre.CONTEXTS and (repeats or elsewhere) else ""


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
    named, blank = database.rows(
        f"""SELECT count(*) FILTER (item <> ''), count(*) FILTER (item <> '' IS NOT TRUE)
        FROM entries WHERE file = {file}"""
    )[0]
    if not (named and blank):
        return ""
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
            (SELECT count(*) FROM known_items) FROM votes v LEFT JOIN known_items k USING (item)
        WHERE NOT own"""
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


def check_subsets(
    database: Database, file: int, name: str, fields: Mapping[str, str], *, is_named: bool
) -> None:
    """Check that a column found for subsets says where prompts, or items that have a name, come
    from, and is no part of them.

    Raises TandemError for long texts, and where many prompts or items have several values of it.
    """
    key, what = ("item", "items") if is_named else ("context_id", "prompts")
    each, several, longest = database.rows(
        f"""SELECT count(*), count(*) FILTER (subsets > 1), max(longest) FROM (
            SELECT count(DISTINCT subset) AS subsets, max(length(subset)) AS longest
            FROM entries WHERE file = {file} AND {key} IS NOT NULL GROUP BY {key})"""
    )[0]
    if several > each / 10 or (longest or 0) > LONGEST_SUBSET:
        subset, prompt = fields["subset"], fields.get("context")
        way = "Write names that tell these apart" if is_named else (
            f"Say {option_ref('map')} context={prompt}+{subset}"
        )  # fmt: skip
        raise TandemError(
            f"column {subset!r} of {name} may be a part of its {what}: {several:,} of {each:,} "
            f"have several values of it. {way} if it is, else {option_ref('map')} subset="
        )


def check_older_contexts(database: Database, file: int, source: Source, reader: Reader) -> None:
    """Check that a data set of an older version does not know a file's items by another prompt:
    the likeliest column alone. Raises TandemError otherwise.
    """
    older, prompt = reader.older_prompt, reader.prompt
    if older == prompt or not database.value("SELECT count(*) FROM known_items"):
        return
    if database.value(
        f"SELECT count(*) FROM entries JOIN known_items USING (context_id) WHERE file = {file}"
    ):
        return
    texts = (as_text(cells.get(older)) for cells in source.cells(LOOKED_AT))
    marks = ", ".join(f"from_hex('{digest_bytes(text).hex()}')" for text in texts if text)
    if marks and database.value(f"SELECT count(*) FROM known_items WHERE context_id IN ({marks})"):
        raise TandemError(
            f"this data set knows the items of {source.path.name} by column {older!r} alone, and "
            f"the prompt is {prompt!r}. Say {option_ref('map')} context={older} to go on as "
            "before, or import into another data set"
        )


def check_older_attribute(
    database: Database, source: Source, file: int, column: str, known: Collection[str]
) -> None:
    """Check that an older version did not read this file as if it had no attributes.

    Raises TandemError where the data set has none of them.
    """
    rows = database.rows(f"SELECT DISTINCT attribute FROM entries WHERE file = {file}")
    if known and not {name for (name,) in rows} & set(known) and is_newly_asked(source, column):
        raise TandemError(
            f"this data set knows answers of {source.path.name} without what column {column!r} "
            f"says. Say {option_ref('map')} attribute= to go on as before, or import into another "
            "data set"
        )


def find_row_names(database: Database, name: str, *, is_known: bool) -> tuple[str, bool]:
    """Return what follows the number in the name of a row that is an item, and whether the data
    set has rows of this file. Version 1.0 named them by their numbers alone.
    """
    numbered = "SELECT 1 FROM known_items WHERE regexp_full_match(item, 'row-[0-9]+') LIMIT 1"
    if is_known and database.rows(numbered):
        return "", True
    ending = f" of {CONTROL.sub('', name)}"
    there = f"starts_with(item, 'row-') AND ends_with(item, {literal(ending)})"
    return ending, bool(database.rows(f"SELECT 1 FROM known_items WHERE {there} LIMIT 1"))


def check_older_rows(database: Database, file: int, name: str, column: str) -> None:
    """Check that a column names items that are known, where an older version took the rows of this
    file for items. Raises TandemError otherwise.
    """
    named = f"FROM entries e WHERE file = {file} AND item <> ''"
    known = f"{named} AND EXISTS (SELECT 1 FROM known_items k WHERE k.item = e.item)"
    if database.rows(f"SELECT 1 {named} LIMIT 1") and not database.rows(
        f"SELECT 1 {known} LIMIT 1"
    ):
        raise TandemError(
            f"this data set knows the items of {name} by their rows, and column {column!r} names "
            f"them. Say {option_ref('map')} item= to go on as before, or import into another data "
            "set"
        )


def describe_own_items(database: Database, file: int, *, is_alone: bool) -> list[str]:
    """Say that texts are the items of a file that names none; or rows, unless it is alone."""
    pairs, rows = database.rows(
        f"""SELECT count(DISTINCT item) FILTER (starts_with(item, 'texts-')),
            count(DISTINCT item) FILTER (starts_with(item, 'row-')) FROM named JOIN
            (SELECT nth FROM entries WHERE file = {file} AND item = '' AND context_id IS NULL)
            USING (nth)"""
    )[0]
    notes = [f"nothing names its items: they are its {pairs:,} different pairs of texts"]
    more = "nothing names its items: each of {:,} rows is one, and no other file meets it"
    return notes * bool(pairs) + [more.format(rows)] * bool(rows and not is_alone)


def name_items(
    stage: Stage, by_context: list[int], row_names: Mapping[int, tuple[str, bool]]
) -> None:
    """Name the item of every entry, in the table `named` (nth, item).

    `row_names` are, by file, those that `find_row_names` returns.

    In the files `by_context`, contexts identify the items. A context has the name of the item that
    is known with it, else the first name beside it unless another context has that, else one by its
    digest.
    """
    database = stage.database
    ends = "".join(f" WHEN {file} THEN {literal(end)}" for file, (end, _) in row_names.items())
    by_row = ", ".join(str(file) for file, (_, are_known) in row_names.items() if are_known)
    both = "hex(e.text_id), hex(e.text_b_id)"
    own = f"""WHEN e.item <> '' THEN e.item
        WHEN e.sort = 'vote' AND e.ranking IS NULL AND e.text_id <> e.text_b_id
            AND e.file NOT IN ({by_row or -1})
        THEN 'texts-' || md5(least({both}) || greatest({both}))
        ELSE 'row-' || e.row || CASE e.file{ends} END END AS item"""
    if "context_id" not in stage.filled:
        database.rows(
            f"""CREATE OR REPLACE TABLE named AS SELECT e.nth, {_OLDER} {own}
            FROM entries e"""
        )
        return
    files = ", ".join(map(str, by_context)) or "-1"
    database.rows(
        f"""CREATE OR REPLACE TABLE contexts AS
        SELECT context_id, arg_min(coalesce(fallback_item, nullif(item, '')), nth) AS wish,
            arg_min(coalesce(named_by, ''), nth) AS named_by, min(nth) AS nth
        FROM entries e
        WHERE context_id IS NOT NULL AND (item = '' OR file IN ({files})) GROUP BY context_id"""
    )
    database.rows(
        f"""CREATE OR REPLACE TABLE taken AS
        SELECT item, context_id, place - {BEFORE} AS nth FROM known_items
        UNION ALL SELECT item, any_value(context_id), min(nth) FROM entries e
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
        f"""CREATE OR REPLACE TABLE named AS SELECT e.nth, {_OLDER}
            WHEN e.context_id IS NOT NULL AND (e.item = '' OR e.file IN ({files})) THEN n.item {own}
        FROM entries e LEFT JOIN context_names n USING (context_id)"""
    )


_OLDER = "CASE WHEN e.older_item IN (SELECT item FROM known_items) THEN e.older_item"


def _name_by_digest(database: Database) -> None:
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
        FROM named n JOIN entries e USING (nth) WHERE e.context_id IS NOT NULL"""
    )[0]
    if contexts < items:
        return [f"{items:,} items have {contexts:,} different contexts"]
    if 0 < alike < contexts:
        return [
            f"{items:,} items have {alike:,} contexts that differ in more than signs, spaces and "
            "capital letters"
        ]
    return []


def describe_alike_systems(database: Database) -> list[str]:
    """Say which systems are called the same but for capital letters, spaces and dashes."""
    alike = database.rows(
        r"""SELECT list(system ORDER BY system) FROM (SELECT DISTINCT system FROM sides)
        GROUP BY lower(regexp_replace(system, '[\s_-]+', '', 'g')) HAVING count(*) > 1 ORDER BY 1"""
    )
    return [
        f"systems {' and '.join(map(repr, names))} differ in capital letters, spaces or dashes "
        "alone: they count as different systems"
        for (names,) in alike
    ]
