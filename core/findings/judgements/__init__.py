"""Select the judgements of a question, and describe them."""

from . import calibrating, debiasing, describe, finding, minimum
from .answers import (
    JUDGING,
    POINTS,
    TRUTH,
    Comparers,
    JudgedRows,
    TextScores,
    average_marks,
    average_rater_marks,
    choose_truth,
    count_unscored,
    fill_sides,
    find_judges,
    list_comparers,
    list_selected_comparers,
    load_marks,
    load_rater_marks,
    select_answered,
    select_judgements,
    turn_marks,
)
from .debiasing import DEBIASING, JUDGED, DebiasedJudgements
from .finding import Finding, join_tuples, list_records, make_plain, unless_refused
from .judges import (
    ASKED,
    MOST_RANGED,
    WILSON,
    add_judge_info,
    choose_usual_judges,
    declare_estimate,
    describe_difference,
    find_closest,
    find_greatest,
    find_most_extreme,
    group_prompts,
    label_rows,
    name_judge,
)
from .population import (
    Population,
    code_families,
    define_population,
    describe_families,
    make_too_few_judges_error,
    note_few_items,
)
from .provenance import (
    COLLECTING,
    describe_pooled,
    describe_simulated,
    find_rest_campaigns,
    is_collecting,
    is_rest,
    mark_rest,
    note_weighed,
    pooling_notes,
)
from .selection import (
    Selection,
    add_families,
    check_selection,
    check_systems,
    keep_chosen_items,
    keep_first_trial,
    list_chosen_items,
    load_generations,
    load_judgements,
    name_some,
    note_item_set,
    selection_notes,
    write_signature,
)
from .usable_verdicts import (
    Caution,
    count_lost_verdicts,
    note_equal_texts,
    note_unanimity,
    warn_of_unusable,
)
from .verdicts import (
    WORDS,
    count_verdicts,
    find_majority,
    is_order_confounded,
    load_answers,
    measure_lengths,
    orient,
)
