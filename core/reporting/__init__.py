"""The results of a data set, as one page and as files for a paper."""

from core.reporting.compilation import Report, compile_report
from core.reporting.files import FORMATS, archive, save, save_whole
from core.reporting.material import ReportScope
from core.reporting.page import page
from core.reporting.result_pictures import draw_finding

__all__ = [
    "FORMATS",
    "Report",
    "ReportScope",
    "archive",
    "compile_report",
    "draw_finding",
    "page",
    "save",
    "save_whole",
]
