"""Files become data sets: any of the known layouts, or a table with its columns named."""

from core.importing import files, importer
from core.importing.account import NOT_USED, UnusedColumnError
from core.importing.choice import (
    UNSETTLED,
    Progress,
    RecognisedFile,
    propose_reading,
    recognise,
)
from core.importing.codes import (
    MEANINGS,
    Codes,
    Meaning,
    UncertainError,
    decimal,
    described,
    normalise_value,
)
from core.importing.conversations import split_turns
from core.importing.encoding_candidates import EncodingError
from core.importing.files import Row
from core.importing.layouts import LAYOUTS
from core.importing.names import file_name
from core.importing.preview import Preview, preview
from core.importing.raters import raters_of, usual_kind
from core.importing.reading import (
    SETTINGS,
    USUAL,
    ItemsAre,
    Reading,
    Repeats,
    list_settings,
    with_settings,
)
from core.importing.report import COUNTS, WinnerValue
from core.importing.saved_reading import (
    load_reading,
    parse_reading,
    render_reading,
    write_reading,
)
from core.importing.staged_times import UncertainDatesError
from core.importing.text_formats import FoundFormat, find_format
from core.importing.vote_counts import CountedVotes, NotCountedError, VoteCounts, count
from core.importing.vote_kinds import SOMEBODY
from core.importing.vote_tables import are_counted, expand

__all__ = [
    "COUNTS",
    "LAYOUTS",
    "MEANINGS",
    "NOT_USED",
    "SETTINGS",
    "SOMEBODY",
    "UNSETTLED",
    "USUAL",
    "Codes",
    "CountedVotes",
    "EncodingError",
    "FoundFormat",
    "ItemsAre",
    "Meaning",
    "NotCountedError",
    "Preview",
    "Progress",
    "Reading",
    "RecognisedFile",
    "Repeats",
    "Row",
    "UncertainDatesError",
    "UncertainError",
    "UnusedColumnError",
    "VoteCounts",
    "WinnerValue",
    "are_counted",
    "count",
    "decimal",
    "described",
    "expand",
    "file_name",
    "files",
    "find_format",
    "importer",
    "list_settings",
    "load_reading",
    "normalise_value",
    "parse_reading",
    "preview",
    "propose_reading",
    "raters_of",
    "recognise",
    "render_reading",
    "split_turns",
    "usual_kind",
    "with_settings",
    "write_reading",
]  # fmt: skip
