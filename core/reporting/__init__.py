"""The results of a data set, as one page and as files for a paper."""

from .material import ReportScope
from .report import FORMATS, Report, archive, compile_report, page, save, save_whole, write_card
from .sections import PICTURES, draw_finding, draw_named
