"""Select the judgements of a question, and describe them."""

from . import calibrating, debiasing, describe, finding, minimum
from .answers import (
    JUDGING,
    POINTS,
    TRUTH,
    Comparers,
    choose_truth,
    fill_sides,
    find_judges,
    list_comparers,
    list_selected_comparers,
    load_marks,
    select_answered,
    select_judgements,
)
from .debiasing import Caution, note_equal_texts
from .finding import Finding, join_tuples, list_records, make_plain, unless_refused
from .judges import (
    STUDENT,
    WILSON,
    choose_usual_judges,
    describe_difference,
    find_closest,
    label_rows,
)
from .population import define_population, describe_families
from .provenance import COLLECTING, find_rest_campaigns, pooling_notes
from .selection import (
    Selection,
    check_selection,
    check_systems,
    keep_chosen_items,
    list_chosen_items,
    name_some,
    note_item_set,
)
from .verdicts import load_answers, orient
