"""What a table says of the item of a row: its name, its context, or both."""

from __future__ import annotations

from core.importing.cells import Cells
from core.importing.conversations import conversation
from core.importing.entry import Entry
from core.importing.source import Source
from core.importing.table_fields import Fields


class ItemFields:
    """The item of a table's rows.

    `have_both`: the table has names and contexts. `are_open`: nobody said which of the two an item
    is. A mapping that names the item's column is taken at its word.
    """

    def __init__(self, source: Source, fields: Fields) -> None:
        self.fields = fields
        self._in_conversations = "context" not in fields and "conversation_a" in fields
        has_context = "context" in fields or self._in_conversations
        self.have_both = has_context and "item" in fields
        self.are_open = self.have_both and "item" not in source.mapping
        self._noted = [name for name in ("reference", "subset") if name in fields]

    def about(self, cells: Cells) -> Entry:
        """The fields of an entry that say which item a row is about."""
        about: Entry = {name: self.fields.cell(cells, name) for name in self._noted}
        about["item"] = self.fields.text(cells, "item")
        if self._in_conversations:  # of one, what the user said
            about["context"] = conversation(self.fields.cell(cells, "conversation_a"))[0]
        else:
            about["context"] = self.fields.text(cells, "context")
        return about
