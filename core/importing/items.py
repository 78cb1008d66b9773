"""Which item a row is about: what repeats across systems, not the row."""

from __future__ import annotations

from functools import cached_property

from core.importing import files
from core.importing.cells import Cells, Row, as_references
from core.importing.conversations import conversation
from core.importing.hashed import Distinct, Numbers
from core.importing.layout import Source, name_item
from core.importing.table_fields import Fields
from core.records import Item


class Items:
    """The items of a table's rows, by their name or else by their context.

    Where no two rows have the same name although their contexts repeat, the names number rows: all
    rows with a context are one item then, called as in the first of them. A mapping that names the
    item's column is taken at its word.
    """

    def __init__(self, source: Source, fields: Fields) -> None:
        self.source, self.fields = source, fields
        self._bare = not {"context", "reference", "subset", "conversation_a"} & {*fields.columns}
        self._last = Item("")
        self._in_conversations = "context" not in fields and "conversation_a" in fields

    def item(self, cells: Cells) -> Item:
        """The item of a row. Raises ValueError where nothing names it."""
        fields, key = self.fields, self.fields.text(cells, "item")
        if "item" in fields and not key:
            raise ValueError(f"{fields.column('item')} (the item) is empty")
        if self._bare and key:
            if key != self._last.key:  # rows of one item often follow each other
                self._last = Item(key)
            return self._last
        context = self.context(cells)
        if not key and not context:
            raise ValueError(
                f"{fields.column('context')} (the context, which tells the items apart) is empty"
            )
        if not key:
            key = name_item(self.source, context)
        elif context and self._number_rows and not self.source.has_item(key):
            key = self.source.item_of(context) or key
        references = as_references(fields.cell(cells, "reference"))
        return Item(key, context, references, fields.text(cells, "subset"))

    def context(self, cells: Cells) -> str:
        """The context of a row; of a conversation, what the user said."""
        if self._in_conversations:
            return conversation(self.fields.cell(cells, "conversation_a"))[0]
        return self.fields.text(cells, "context")

    @cached_property
    def _number_rows(self) -> bool:
        columns = self.fields.columns
        context = columns.get("context") or columns.get("conversation_a")
        if not context or "item" not in columns or "item" in self.source.mapping:
            return False
        names, contexts, rows = Numbers(), Distinct(), 0
        for row in files.rows(self.source.path):
            if isinstance(row, Row):
                rows += 1
                name = str(row.cells.get(columns["item"]))
                if name in names:
                    return False
                names.put(name, rows)
                contexts.add([self._compared(row.cells)])
        if number := len(contexts) < rows:
            self.source.tally.notes[
                f"column {columns['item']!r} numbers rows, so the items are the {len(contexts):,} "
                f"different texts of column {context!r}"
            ] = None
        return number

    def _compared(self, cells: Cells) -> str:
        try:
            return self.context(cells)
        except ValueError:  # the row is skipped when it is its turn
            return ""


class ItemFields:
    """The item of a table's rows.

    `are_open`: the table has names and contexts, and nobody said which of the two an item is. A
    mapping that names the item's column is taken at its word.
    """

    def __init__(self, source: Source, fields: Fields) -> None:
        self.source, self.fields = source, fields
        self._in_conversations = "context" not in fields and "conversation_a" in fields
        has_context = "context" in fields or self._in_conversations
        self.are_open = has_context and "item" in fields and "item" not in source.mapping
        self._noted = [name for name in ("reference", "subset") if name in fields]

    def about(self, cells: Cells) -> dict[str, object]:
        """The fields of an entry that say which item a row is about."""
        about: dict[str, object] = {name: self.fields.cell(cells, name) for name in self._noted}
        about["item"] = self.fields.text(cells, "item")
        about["context"] = self.context(cells)
        return about

    def context(self, cells: Cells) -> str:
        """The context of a row; of a conversation, what the user said."""
        if self._in_conversations:
            return conversation(self.fields.cell(cells, "conversation_a"))[0]
        return self.fields.text(cells, "context")
