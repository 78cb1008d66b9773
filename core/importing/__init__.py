"""Files become data sets: any of the known layouts, or a table with its columns named."""

from core.importing import dataset_changes, files, importer
from core.importing.choice import Progress
from core.importing.codes import MEANS, Codes, UncertainError, described
from core.importing.detection import Recognised, recognise
from core.importing.files import Row
from core.importing.layouts import LAYOUTS
from core.importing.names import file_name
from core.importing.raters import raters_of, usual_kind
from core.importing.reading import USUAL, ItemsAre, Reading, Repeats
from core.importing.report import COUNTS
from core.importing.staged_times import UncertainDatesError
from core.importing.vote_counts import Counted, VoteCounts, count
from core.importing.vote_kinds import SOMEBODY
from core.importing.vote_tables import are_counted, expand

__all__ = [
    "COUNTS",
    "LAYOUTS",
    "MEANS",
    "SOMEBODY",
    "USUAL",
    "Codes",
    "Counted",
    "ItemsAre",
    "Progress",
    "Reading",
    "Recognised",
    "Repeats",
    "Row",
    "UncertainDatesError",
    "UncertainError",
    "VoteCounts",
    "are_counted",
    "count",
    "dataset_changes",
    "described",
    "expand",
    "file_name",
    "files",
    "importer",
    "raters_of",
    "recognise",
    "usual_kind",
]
