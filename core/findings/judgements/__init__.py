"""Which judgements a question is about, and what they say before any statistic."""

from core.findings.judgements import (
    calibrating,
    debiasing,
    describe,
    finding,
    minimum,
    selection,
    unanimity,
)
from core.findings.judgements.collecting import COLLECTING, is_collecting
from core.findings.judgements.debiasing import DEBIASING, JUDGED, Debiased
from core.findings.judgements.families import code_families, describe_families
from core.findings.judgements.finding import Finding, joined, plain, records
from core.findings.judgements.judge_columns import WILSON
from core.findings.judgements.judge_info import ASKED, described, over_prompts
from core.findings.judgements.judge_sentences import (
    describe_difference,
    find_closest,
    find_greatest,
    label_rows,
    name_judge,
)
from core.findings.judgements.orientation import oriented
from core.findings.judgements.population import (
    OVER,
    Population,
    few_items,
    few_judges,
    population,
    too_few_judges,
)
from core.findings.judgements.provenance import Provenance, pooled
from core.findings.judgements.refusal import unless_refused
from core.findings.judgements.selection import (
    POINTS,
    Selection,
    add_families,
    averaged,
    check,
    check_systems,
    chosen_judges,
    chosen_scores,
    comparers,
    higher_is_better,
    judged,
    rater_marks,
    scored,
    selected,
    selection_notes,
    signature,
    some,
    unscored,
)
from core.findings.judgements.verdicts import WORDS, others_say, verdicts

__all__ = [
    "ASKED",
    "COLLECTING",
    "DEBIASING",
    "JUDGED",
    "OVER",
    "POINTS",
    "WILSON",
    "WORDS",
    "Debiased",
    "Finding",
    "Population",
    "Provenance",
    "Selection",
    "add_families",
    "averaged",
    "calibrating",
    "check",
    "check_systems",
    "chosen_judges",
    "chosen_scores",
    "code_families",
    "comparers",
    "debiasing",
    "describe",
    "describe_difference",
    "describe_families",
    "described",
    "few_items",
    "few_judges",
    "find_closest",
    "find_greatest",
    "finding",
    "higher_is_better",
    "is_collecting",
    "joined",
    "judged",
    "label_rows",
    "minimum",
    "name_judge",
    "oriented",
    "others_say",
    "over_prompts",
    "plain",
    "pooled",
    "population",
    "rater_marks",
    "records",
    "scored",
    "selected",
    "selection",
    "selection_notes",
    "signature",
    "some",
    "too_few_judges",
    "unanimity",
    "unless_refused",
    "unscored",
    "verdicts",
]
