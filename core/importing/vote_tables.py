"""Files of votes that are counted where they lie: which they are, and their columns for DuckDB."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from core.importing import files
from core.importing.choice import recognise
from core.importing.database import LINE, Database, literal
from core.importing.layout import Source
from core.importing.layouts import LAYOUTS
from core.importing.reading import ItemsAre, Reading
from core.importing.staged_items import describe_contexts
from core.importing.table_fields import matched
from core.importing.tally import Tally
from core.importing.text_encoding import suffix
from core.records import Kind, TandemError, setting

COUNTED = (".parquet", ".csv", ".tsv")
LAYOUTS_COUNTED = ("votes", "one-hot")  # a row is a vote, and nothing in it is about other rows
UNREAD = ("created_at", "comment", "raw", "conversation_a", "conversation_b")
"""Fields that say nothing of who was preferred to whom."""
NESTED = ("STRUCT", "MAP", "UNION")


@dataclass(frozen=True)
class Table:
    """Files with the same columns. `source` is what their reader reads, `layout` whose; `types` are
    DuckDB's, and `dialect` says how text is cut into cells.
    """

    paths: tuple[Path, ...]
    layout: str
    source: Source
    types: tuple[str, ...]
    dialect: files.Dialect | None
    notes: tuple[str, ...] = ()

    def like(self, other: Table) -> bool:
        """Whether the two can be read as one."""
        return replace(self, paths=(), source=replace(self.source, path=other.source.path)) == (
            replace(other, paths=())
        )

    def apart(self) -> list[Table]:
        """Each of its files as a table."""
        return [
            replace(self, paths=(path,), source=replace(self.source, path=path, tally=Tally()))
            for path in self.paths
        ]

    def scan(self, database: Database, paths: Sequence[Path] = ()) -> str:
        """Its rows in SQL, the columns called c0, c1 .. in their order."""
        source, dialect = database.source(paths or self.paths), self.dialect
        names = [f"c{place}" for place in range(len(self.types))]
        if dialect is None:
            return f"read_parquet({source}, hive_partitioning = false) AS votes({', '.join(names)})"
        columns = ", ".join(f"'{name}': 'VARCHAR'" for name in names)
        return (
            f"read_csv({source}, auto_detect = false, header = false, skip = {dialect.above}, "
            f"columns = {{{columns}}}, delim = {literal(dialect.separator)}, quote = '\"', "
            f"escape = '\"', strict_mode = true, store_rejects = true, rejects_limit = 1000000, "
            f"max_line_size = {LINE}, hive_partitioning = false, "
            f"compression = '{'gzip' if dialect.packed else 'none'}')"
        )

    def column(self, field: str) -> str:
        """The column of a field, in SQL; '' where it has none."""
        name = matched(self.source).get(field)
        return "" if name is None else self.named(name)

    def named(self, name: str) -> str:
        """A column of the file, in SQL."""
        return f"c{self.source.columns.index(name)}"

    def type(self, column: str) -> str:
        return self.types[int(column[1:])]

    def text(self, column: str) -> str:
        """A cell as import reads it as text, '' where there is nothing."""
        kind = self.type(column)
        if kind in ("FLOAT", "DOUBLE"):
            whole = f"{column} = trunc({column}) AND abs({column}) < 1e18"
            text = (
                f"CASE WHEN isnan({column}) THEN NULL WHEN {whole} "
                f"THEN CAST({column}::BIGINT AS VARCHAR) ELSE CAST({column} AS VARCHAR) END"
            )
        else:
            text = f"decode({column})" if kind == "BLOB" else f"CAST({column} AS VARCHAR)"
        return f"coalesce({text}, '')"

    def is_nested(self, column: str) -> bool:
        """Whether its cells are no texts."""
        return self.type(column).startswith(NESTED) or self.type(column).endswith("]")


def expand(patterns: Iterable[str | Path]) -> list[Path]:
    """The files that are meant by paths, folders and patterns such as votes/*.parquet, each once.
    Raises TandemError where there are none.
    """
    every: dict[Path, None] = {}
    for pattern in map(str, patterns):
        if "://" in pattern:
            raise TandemError(
                f"{pattern[:80]!r} is an address; votes are counted in files: download it first"
            )
        paths = [Path(pattern)] if Path(pattern).exists() else _matching(pattern)
        every.update(dict.fromkeys(files.expand(paths)))
    return list(every)


def are_counted(paths: Sequence[Path], reading: Reading) -> bool:
    """Whether votes can be counted in these files where they lie: flat tables of CSV or Parquet, of
    which each row is a vote by itself.
    """
    return all(
        _lies_flat(path)
        and not reading.encoding
        and (taken := recognise(path, replace(reading, systems=()))).layout in LAYOUTS_COUNTED
        and set(taken.fields.values()) <= set(taken.source.columns)
        for path in paths
    )


def _lies_flat(path: Path) -> bool:
    """Whether DuckDB reads a file as `import` does: Parquet that is not packed, or CSV in UTF-8."""
    if suffix(path) == ".parquet":
        return path.suffix.lower() != ".gz"
    return suffix(path) in COUNTED and files.dialect(path).encoding == "utf-8-sig"


def _matching(pattern: str) -> list[Path]:
    matching = sorted(Path(name) for name in glob.glob(pattern, recursive=True))
    if not matching:
        raise TandemError(
            f"no file matches {pattern[:200]!r}; check the spelling and the folder you are in"
        )
    return matching


def tables(database: Database, paths: Sequence[Path], reading: Reading) -> list[Table]:
    """The files as tables, those with the same columns as one."""
    found: list[Table] = []
    for path in paths:
        table = _table(database, path, reading)
        like = next((place for place, other in enumerate(found) if table.like(other)), None)
        if like is None:
            found.append(table)
        else:
            found[like] = replace(found[like], paths=(*found[like].paths, path))
    return found


def _table(database: Database, path: Path, reading: Reading) -> Table:
    given = replace(reading, systems=())
    taken = recognise(path, given)
    if len(reading.systems) == 2 and not {"system_a", "systems"} & set(taken.fields):
        given = replace(given, systems=reading.systems)  # no column names them
        taken = recognise(path, given)
    if taken.layout not in LAYOUTS_COUNTED:
        raise TandemError(
            f"{path.name} is read as {LAYOUTS[taken.layout].title}, which are not counted where "
            "they lie: import it"
        )
    LAYOUTS[taken.layout].reader(taken.source)  # refuses what import refuses
    table = Table((path,), taken.layout, taken.source, (), _dialect(path))
    table = replace(table, types=_types(database, table))
    return _with_items(database, table, reading.items)


def has_revised_answers(database: Database, table: Table) -> bool:
    """Whether a person answers the same question several times in a table: then it is not the rows
    that count, and which of them do is for `import` to find out.
    """
    fields = matched(table.source)
    if "judge" not in fields or "trial" in {name.casefold() for name in table.source.columns}:
        return False
    if table.source.kind is not Kind.HUMAN or not {"item", "context"} & set(fields):
        return False
    same = [
        table.column(name)
        for name in ("judge", "item", "context", "attribute", "systems", "swapped", "shown_first")
        if name in fields
    ]
    systems = [table.column(name) for name in ("system_a", "system_b") if name in fields]
    if fields.get("winner") in (fields.get("system_a"), fields.get("system_b")):
        systems = [f"least({', '.join(systems)})", f"greatest({', '.join(systems)})"]
    where = f"WHERE {table.text(table.column('judge'))} <> ''"
    if "judge_kind" in fields:
        where += f" AND {table.text(table.column('judge_kind'))} IN ('', 'human')"
    rows, different = database.rows(
        f"""SELECT count(*), count(DISTINCT hash({", ".join([*same, *systems])}))
        FROM {table.scan(database)} {where}"""
    )[0]
    return bool(different < rows)


def _dialect(path: Path) -> files.Dialect | None:
    return None if suffix(path) == ".parquet" else files.dialect(path)


def _types(database: Database, table: Table) -> tuple[str, ...]:
    if table.dialect is not None:
        return ("VARCHAR",) * len(table.source.columns)
    described = database.rows(
        f"DESCRIBE SELECT * FROM read_parquet({database.source(table.paths)})"
    )
    return tuple("VARCHAR" if str(row[1]).startswith("ENUM") else str(row[1]) for row in described)


def _with_items(database: Database, table: Table, items: ItemsAre | None) -> Table:
    """With a mapping that says what its items are, as import finds it, and leaves out what says
    nothing of the votes.
    """
    fields, given = matched(table.source), table.source.mapping
    if "conversation_a" in fields and not {"item", "context"} & set(fields) and "item" not in given:
        raise TandemError(
            f"the items of {table.source.path.name} are in its conversations, which are not read "
            f"where they lie: name their column with {setting('map')} item=COLUMN, or say with "
            f"{setting('map')} item= that every vote is on its own"
        )
    fixed, notes = {**given, **dict.fromkeys(set(UNREAD) - set(given), "")}, table.notes
    if "item" in fields and "context" in fields and "item" not in given:
        names, contexts = _count_names(database, table)
        if items is ItemsAre.CONTEXTS or (items is None and contexts < names):
            fixed["item"] = ""
            notes = (describe_contexts(contexts, names),) if contexts < names else ()
        else:
            fixed["item"] = fields["item"]  # at its word, so that nothing is looked up again
    return replace(table, source=replace(table.source, mapping=fixed), notes=notes)


def _count_names(database: Database, table: Table) -> tuple[int, int]:
    """How many names of items and how many different contexts a table has."""
    item, context = table.column("item"), table.column("context")
    if table.is_nested(item) or table.is_nested(context):
        return 0, 0
    name, text = table.text(item), table.text(context)
    names, contexts = database.rows(
        f"""SELECT count(DISTINCT {name}), count(DISTINCT {text}) FROM {table.scan(database)}
        WHERE {name} <> '' AND {text} <> ''"""
    )[0]
    return int(names), int(contexts)
