"""The results of a data set, as one page and as files for a paper."""

from .compilation import Report, compile_report
from .files import FORMATS, archive, save, save_whole
from .material import ReportScope
from .page import page, write_card
from .result_pictures import PICTURES, draw_finding, draw_named
