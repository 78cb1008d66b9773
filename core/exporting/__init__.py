"""What leaves the house: answers, texts and figures as files, also in the layouts of other tools,
and what stands for people's names in them.
"""

from core.exporting import export
from core.exporting.export import (
    InFormat,
    NothingError,
    as_csv,
    for_spreadsheets,
    in_format,
    save,
    save_in_format,
)
from core.exporting.formats import FORMATS
from core.exporting.pseudonyms import hide, hide_in, hide_in_words, names_in, record

__all__ = [
    "FORMATS",
    "InFormat",
    "NothingError",
    "as_csv",
    "export",
    "for_spreadsheets",
    "hide",
    "hide_in",
    "hide_in_words",
    "in_format",
    "names_in",
    "record",
    "save",
    "save_in_format",
]
