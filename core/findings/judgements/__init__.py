"""Select the judgements of a question, and describe them."""

from core.findings.judgements import (
    calibrating,
    debiasing,
    describe,
    finding,
    minimum,
    selection,
    unanimity,
)
from core.findings.judgements.chosen_items import (
    keep_chosen_items,
    list_chosen_items,
    note_item_set,
)
from core.findings.judgements.collecting import COLLECTING, is_collecting
from core.findings.judgements.debiasing import DEBIASING, JUDGED, DebiasedJudgements
from core.findings.judgements.families import code_families, describe_families
from core.findings.judgements.finding import Finding, join_tuples, list_records, make_plain
from core.findings.judgements.judge_columns import WILSON
from core.findings.judgements.judge_info import ASKED, add_judge_info, group_prompts
from core.findings.judgements.judge_sentences import (
    MOST_RANGED,
    describe_difference,
    find_closest,
    find_greatest,
    find_most_extreme,
    label_rows,
    name_judge,
)
from core.findings.judgements.orientation import is_order_confounded, orient
from core.findings.judgements.population import (
    Population,
    define_population,
    make_too_few_judges_error,
    note_few_items,
    note_few_judges,
)
from core.findings.judgements.provenance import (
    Provenance,
    describe_pooled,
    describe_simulated,
    pooling_notes,
)
from core.findings.judgements.refusal import unless_refused
from core.findings.judgements.selection import (
    POINTS,
    Comparers,
    JudgedRows,
    Selection,
    TextScores,
    add_families,
    average_marks,
    average_rater_marks,
    check_selection,
    check_systems,
    count_unscored,
    find_judges,
    list_comparers,
    load_marks,
    load_rater_marks,
    name_some,
    select_answered,
    select_judgements,
    selection_notes,
    turn_marks,
    write_signature,
)
from core.findings.judgements.text_lengths import measure_lengths
from core.findings.judgements.usable_verdicts import Caution, warn_of_unusable
from core.findings.judgements.usual_judges import choose_usual_judges
from core.findings.judgements.verdicts import WORDS, count_verdicts, find_majority

__all__ = [
    "ASKED",
    "COLLECTING",
    "DEBIASING",
    "JUDGED",
    "MOST_RANGED",
    "POINTS",
    "WILSON",
    "WORDS",
    "Caution",
    "Comparers",
    "DebiasedJudgements",
    "Finding",
    "JudgedRows",
    "Population",
    "Provenance",
    "Selection",
    "TextScores",
    "add_families",
    "add_judge_info",
    "average_marks",
    "average_rater_marks",
    "calibrating",
    "check_selection",
    "check_systems",
    "choose_usual_judges",
    "code_families",
    "count_unscored",
    "count_verdicts",
    "debiasing",
    "define_population",
    "describe",
    "describe_difference",
    "describe_families",
    "describe_pooled",
    "describe_simulated",
    "find_closest",
    "find_greatest",
    "find_judges",
    "find_majority",
    "find_most_extreme",
    "finding",
    "group_prompts",
    "is_collecting",
    "is_order_confounded",
    "join_tuples",
    "keep_chosen_items",
    "label_rows",
    "list_chosen_items",
    "list_comparers",
    "list_records",
    "load_marks",
    "load_rater_marks",
    "make_plain",
    "make_too_few_judges_error",
    "measure_lengths",
    "minimum",
    "name_judge",
    "name_some",
    "note_few_items",
    "note_few_judges",
    "note_item_set",
    "orient",
    "pooling_notes",
    "select_answered",
    "select_judgements",
    "selection",
    "selection_notes",
    "turn_marks",
    "unanimity",
    "unless_refused",
    "warn_of_unusable",
    "write_signature",
]
