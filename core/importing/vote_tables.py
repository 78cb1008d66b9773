"""Files of votes that are counted where they lie: which they are, and their columns for DuckDB."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from ..records import Kind, TandemError, option_ref
from ..store import LONG_CONTEXT
from . import files
from .choice import recognise
from .csv_reader import NOT_FILLED
from .database import LINE, Database, literal
from .encoding_candidates import not_text
from .layout import Source
from .layouts import LAYOUTS
from .prompt_columns import split_columns
from .reading import ItemsAre, Reading
from .staged_items import check_subsets, decide_items
from .table_fields import match_columns
from .tally import Tally
from .text_encoding import ReadingPlace, suffix

COUNTED = (".parquet", ".csv", ".tsv")
LAYOUTS_COUNTED = ("votes", "one-hot")  # a row is a vote, and nothing in it is about other rows
NESTED = ("STRUCT", "MAP", "UNION")
REJECTED = {
    "MISSING COLUMNS": "fewer cells than the header has",
    "TOO MANY COLUMNS": "more cells than the header has",
    "LINE SIZE OVER MAXIMUM": "too long",
}
OTHERWISE = "not a row of the table"
ASKED = ("judge", "item", "context", "attribute", "systems", "swapped", "shown_first")
"""Fields that tell questions to a person apart, beside the two systems."""


@dataclass(frozen=True)
class VoteTable:
    """Files with the same columns. `source` is what their reader reads, `layout` whose; `types` are
    DuckDB's, and `dialect` says how text is cut into cells.
    """

    paths: tuple[Path, ...]
    layout: str
    source: Source
    types: tuple[str, ...]
    dialect: files.Dialect | None
    notes: tuple[str, ...] = ()

    def is_like(self, other: VoteTable) -> bool:
        """Return whether the two can be read as one."""
        return replace(self, paths=(), source=replace(self.source, path=other.source.path)) == (
            replace(other, paths=())
        )

    def split_files(self) -> list[VoteTable]:
        """Return each of its files as a table."""
        return [
            replace(self, paths=(path,), source=replace(self.source, path=path, tally=Tally()))
            for path in self.paths
        ]

    @cached_property
    def fields(self) -> dict[str, str]:
        """field -> column of the file."""
        return match_columns(self.source)

    def scan(self, database: Database) -> str:
        """Return its rows in SQL, the columns called c0, c1 .. in their order: each cell as import
        reads it as text, '' where there is nothing; what is nested, as a struct or NULL.
        """
        names = [f"c{place}" for place in range(len(self.types))]
        cells = map(_text, names, self.types)
        texts = ", ".join(f"{cell} AS {name}" for cell, name in zip(cells, names, strict=True))
        return f"(SELECT {texts} FROM {self._read(database, names)})"

    def _read(self, database: Database, names: Sequence[str]) -> str:
        source, dialect = database.source(self.paths), self.dialect
        if dialect is None:
            return f"read_parquet({source}, hive_partitioning = false) AS votes({', '.join(names)})"
        columns = ", ".join(f"'{name}': 'VARCHAR'" for name in names)
        return (
            f"read_csv({source}, auto_detect = false, header = false, "
            f"skip = {dialect.n_lines_above}, columns = {{{columns}}}, "
            f"delim = {literal(dialect.separator)}, quote = '\"', "
            f"escape = '\"', strict_mode = true, store_rejects = true, rejects_limit = 1000000, "
            f"max_line_size = {LINE}, hive_partitioning = false, "
            f"compression = '{'gzip' if dialect.packed else 'none'}')"
        )

    def list_rejected(self, database: Database) -> Iterator[str]:
        """Yield the reasons why scanned lines of CSV are no rows. Raises TandemError for bytes
        that are no text, and for a stray quote: the cell that it opens may have taken any number
        of rows, unreported.
        """
        for path, line, sort in database.take_rejected() if self.dialect else ():
            if sort in ("INVALID ENCODING", "INVALID UNICODE"):
                raise not_text(path)
            if sort == "UNQUOTED VALUE":
                raise TandemError(
                    f"{path.name!r} has an open quote, or text after a closing one, in the row "
                    f"of line {line:,}. Rows below may be lost. Close it, or double a quote "
                    "that belongs to the text"
                )
            yield f"line {line:,} of {path.name}: {REJECTED.get(sort, OTHERWISE)}"

    def column(self, field: str) -> str:
        """Return the column of a field that it has, in SQL."""
        return self.column_sql(self.fields[field])

    def column_sql(self, name: str) -> str:
        """Return a column of the file, or the columns of a prompt joined, in SQL."""
        cells = [f"c{place}" for place in self._places(name)]
        parts = ", ".join(f"nullif({cell}, '')" for cell in cells)
        return cells[0] if len(cells) == 1 else f"concat_ws(chr(10) || chr(10), {parts})"

    def _places(self, name: str) -> list[int]:
        return [self.source.columns.index(part) for part in split_columns(self.source, name)]

    def is_nested(self, name: str) -> bool:
        """Return whether the cells of a column of the file are no texts."""
        return any(_is_nested(self.types[place]) for place in self._places(name))

    @property
    def name(self) -> str:
        """The name of the first file, and the number of the others."""
        more = f" and {len(self.paths) - 1} more" if len(self.paths) > 1 else ""
        return self.paths[0].name + more

    @property
    def item(self) -> str:
        """The name of a row's item, in SQL: a number, NULL where no column names it."""
        flat = {
            each: self.column(each) for each in self.fields if not self.is_nested(self.fields[each])
        }
        cell = next((flat[name] for name in ("item", "context") if name in flat), None)
        if cell:
            return f"CASE WHEN {cell} <> '' THEN hash({cell}) END"
        if not {"text_a", "text_b"} <= set(flat):
            return "NULL::UBIGINT"
        both = f"{flat['text_a']}, {flat['text_b']}"
        differ = f"'' NOT IN ({both}) AND {flat['text_a']} <> {flat['text_b']}"
        return f"CASE WHEN {differ} THEN hash(least({both}), greatest({both})) END"


def _is_nested(kind: str) -> bool:
    return kind.startswith(NESTED) or kind.endswith("]")


def _text(cell: str, kind: str) -> str:
    """Return a cell of a type of DuckDB's, as import reads it as text."""
    if _is_nested(kind):
        return f"CASE WHEN {cell} IS NOT NULL THEN {{'-': NULL}} END"
    text = f"decode({cell})" if kind == "BLOB" else f"CAST({cell} AS VARCHAR)"
    if kind in ("FLOAT", "DOUBLE"):
        whole = f"{cell} = trunc({cell}) AND abs({cell}) < 1e18"
        text = (
            f"CASE WHEN {whole} THEN CAST({cell}::BIGINT AS VARCHAR) ELSE nullif({text}, 'nan') END"
        )
    return f"coalesce({text}, '')"


def expand(patterns: Iterable[str | Path]) -> list[Path]:
    """Return the files meant by paths, folders and patterns such as votes/*.parquet, each once.

    Raises TandemError where nothing matches.
    """
    every: dict[Path, None] = {}
    for pattern in map(str, patterns):
        if "://" in pattern:
            raise TandemError(
                f"{pattern[:80]!r} is an address; votes are counted in files: download it first"
            )
        is_path = Path(pattern).exists()
        paths = [pattern] if is_path else sorted(glob.glob(pattern, recursive=True))
        if not paths:
            raise TandemError(
                f"no file matches {pattern[:200]!r}; check the spelling and the folder you are in"
            )
        every.update(dict.fromkeys(files.expand(map(Path, paths))))
    return list(every)


def are_counted(paths: Sequence[Path], reading: Reading) -> bool:
    """Return whether votes can be counted in these files where they lie. They must be flat
    tables of CSV or Parquet in which each row is a vote by itself.
    """
    return all(
        _lies_flat(path)
        and not reading.encoding
        and (taken := recognise(path, replace(reading, systems=()))).layout in LAYOUTS_COUNTED
        and all(
            set(split_columns(taken.source, column)) <= set(taken.source.columns)
            for column in taken.fields.values()
        )
        for path in paths
    )


def _lies_flat(path: Path) -> bool:
    """Return whether DuckDB reads a file as `import` does: unpacked Parquet, or CSV in UTF-8."""
    if suffix(path) == ".parquet":
        return path.suffix.lower() != ".gz"
    if suffix(path) not in COUNTED or files.dialect(path).encoding != "utf-8-sig":
        return False
    place = ReadingPlace()  # has a note where rows are left out
    next(files.rows(path, place=place), None)
    return not place.notes and files.columns(path)[-2:] != NOT_FILLED


def tables(database: Database, paths: Sequence[Path], reading: Reading) -> list[VoteTable]:
    """Return the files as tables, those with the same columns as one."""
    found: list[VoteTable] = []
    for path in paths:
        table = _find_table(database, path, reading)
        like = next((place for place, other in enumerate(found) if table.is_like(other)), None)
        if like is None:
            found.append(table)
        else:
            found[like] = replace(found[like], paths=(*found[like].paths, path))
    return found


def _find_table(database: Database, path: Path, reading: Reading) -> VoteTable:
    given = replace(reading, systems=())
    taken = recognise(path, given)
    if len(reading.systems) == 2 and not {"system_a", "systems"} & set(taken.fields):
        given = replace(given, systems=reading.systems)  # no column names them
        taken = recognise(path, given)
    layout = LAYOUTS[taken.layout]
    if taken.layout not in LAYOUTS_COUNTED:
        raise TandemError(
            f"{path.name} is read as {layout.title}, which are not counted where they lie: import "
            "it"
        )
    source = taken.source
    layout.reader(source)  # refuses what import refuses
    types, dialect = ["VARCHAR"] * len(taken.source.columns), None
    if suffix(path) == ".parquet":
        query = f"DESCRIBE SELECT * FROM read_parquet({database.source((path,))})"
        kinds = [str(kind) for _, kind, *_ in database.rows(query)]
        types = ["VARCHAR" if kind.startswith("ENUM") else kind for kind in kinds]
    else:
        dialect = files.dialect(path)
    table = VoteTable((path,), taken.layout, source, tuple(types), dialect)
    return _choose_items(database, table, reading.items)


def _choose_items(database: Database, table: VoteTable, items: ItemsAre | None) -> VoteTable:
    """With a mapping that says what its items are, as import finds it."""
    fields, given = table.fields, table.source.mapping
    if "conversation_a" in fields and not {"item", "context"} & set(fields) and "item" not in given:
        raise TandemError(
            f"the items of {table.source.path.name} are in its conversations, which are not "
            f"read here. Name their column with {option_ref('map')} item=COLUMN, or say "
            f"{option_ref('map')} item= to make each vote an item"
        )
    chosen, notes = {"conversation_a": "", "conversation_b": "", **given}, table.notes
    flat = {name: table.column(name) for name in fields if not table.is_nested(fields[name])}
    if "context" in flat:
        item, subset = flat.get("item", "''"), flat.get("subset", "''")
        database.rows("CREATE OR REPLACE TEMP TABLE known_items (item TEXT, context_id TEXT)")
        database.rows(
            f"""CREATE OR REPLACE TEMP VIEW entries AS SELECT 0 AS file, 0 AS row, {item} AS item,
            {subset} AS subset, nullif({flat["context"]}, '') AS context_id
            FROM {table.scan(database)}"""
        )
    by_context = items is ItemsAre.CONTEXTS
    if {"item", "context"} <= set(fields) and "item" not in given:
        are, note = None, ""
        if {"item", "context"} <= set(flat):
            are, note = decide_items(database, 0, items, is_votes=True)
        by_context = are is ItemsAre.CONTEXTS or by_context
        # The column is taken at its word, so that nothing is looked up again.
        chosen["item"] = "" if by_context else fields["item"]
        notes = (note,) if note else ()
    is_named = "item" in fields and not by_context
    if {"subset", "context"} <= set(flat) and "subset" not in given and not is_named:
        check_subsets(database, 0, table.source.path.name, fields)
    return replace(table, source=replace(table.source, mapping=chosen), notes=notes)


def has_revised_answers(database: Database, table: VoteTable) -> bool:
    """Return whether a person answers the same question several times in a table. Then not all
    rows count, and `import` has to find out which.
    """
    fields = table.fields
    if "judge" not in fields or "trial" in {name.casefold() for name in table.source.columns}:
        return False
    if table.source.kind is not Kind.HUMAN or not {"item", "context"} & set(fields):
        return False
    same = [table.column(name) for name in ASKED if name in fields]
    systems = [table.column(name) for name in ("system_a", "system_b") if name in fields]
    if fields.get("winner") in (fields.get("system_a"), fields.get("system_b")):
        systems = [f"least({', '.join(systems)})", f"greatest({', '.join(systems)})"]
    where = f"WHERE {table.column('judge')} <> ''"
    if "judge_kind" in fields:
        where += f" AND {table.column('judge_kind')} IN ('', 'human')"
    rows, different = database.rows(
        f"""SELECT count(*), count(DISTINCT hash({", ".join([*same, *systems])}))
        FROM {table.scan(database)} {where}"""
    )[0]
    return bool(different < rows)


def has_families(database: Database, table: VoteTable, families: str) -> bool:
    """Return whether items of a table may be a family: by its column for that, or, if families
    are `found`, because several have much the same context.
    """
    scan = table.scan(database)
    flat = {name for name, column in table.fields.items() if not table.is_nested(column)}
    if families != "none" and "family" in flat:
        cell = table.column("family")
        if database.rows(f"SELECT 1 FROM {scan} WHERE {cell} <> '' LIMIT 1"):
            return True
    if families != "found" or "context" not in flat:
        return False
    # As import takes contexts for the same, or more of them: it is import that decides then.
    plain = f"lower({table.column('context')})"
    letters = rf"regexp_replace({plain}, '[^\p{{L}}]', '', 'g')"
    words = rf"regexp_replace({plain}, '[^\p{{L}}\p{{N}}]', '', 'g')"
    same = f"CASE WHEN length({letters}) < {LONG_CONTEXT} THEN {words} ELSE {letters} END"
    repeated = database.rows(
        f"""SELECT {same} AS wording FROM {scan} GROUP BY wording
        HAVING wording <> '' AND count(DISTINCT {table.item}) > 1 LIMIT 1"""
    )
    return bool(repeated)
