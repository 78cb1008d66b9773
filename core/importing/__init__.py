"""Files become data sets: any of the known layouts, or a table with its columns named."""

from . import files, importer
from .account import NOT_USED, UnusedColumnError
from .alike_rows import CountedVotes, NotCountedError
from .attributes import make_attribute
from .cells import quote_value
from .choice import Progress, RecognisedFile, propose_reading, recognise
from .codes import MEANINGS, Codes, Meaning, UncertainError, decimal, described, normalise_value
from .conversations import split_turns
from .encoding_candidates import EncodingError
from .files import Row, file_name
from .importer import Preview, preview
from .layouts import LAYOUTS
from .raters import raters_of, usual_kind
from .reading import SETTINGS, USUAL, ItemsAre, Reading, Repeats, list_settings, with_settings
from .recipes import TOOLS
from .report import COUNTS, WinnerValue
from .saved_reading import load_reading, parse_reading, render_reading, write_reading
from .staged_values import UncertainDatesError
from .table_fields import list_names
from .text_formats import FoundFormat, find_format
from .versions import ImportedVersions, import_versions
from .vote_counts import SOMEBODY, VoteCounts, count, expand, find_paths
