"""The registry of layouts: to add one, write its file and name it here."""

from ..layout import Layout
from . import (
    alpacaeval,
    arena_hard,
    argilla,
    best_worst,
    counts,
    deepeval,
    faireval,
    fastchat,
    fastchat_logs,
    forms,
    generations,
    hanna,
    helm,
    inspect_ai,
    judgebench,
    label_studio,
    langsmith,
    llmbar,
    lm_eval,
    marks,
    mtbench,
    one_hot,
    pairs,
    potato,
    preference_sets,
    prodigy,
    prometheus,
    promptfoo,
    ragas,
    rankings,
    rating_sets,
    rewardbench,
    sampled_texts,
    summeval,
    trl,
    unieval,
    votes,
    webnlg,
    wmt,
)

# In the order they are tried: the particular before the general.
LAYOUTS: dict[str, Layout] = {
    layout.name: layout
    for layout in (
        potato.LAYOUT, wmt.LAYOUT, best_worst.LAYOUT,
        *summeval.LAYOUTS, unieval.LAYOUT, webnlg.LAYOUT, hanna.LAYOUT,
        rating_sets.LAYOUT, llmbar.LAYOUT, mtbench.LAYOUT, fastchat.LAYOUT, arena_hard.LAYOUT,
        alpacaeval.LAYOUT, judgebench.LAYOUT, faireval.LAYOUT, sampled_texts.LAYOUT,
        label_studio.LAYOUT, argilla.LAYOUT, langsmith.LAYOUT, lm_eval.LAYOUT, inspect_ai.LAYOUT,
        promptfoo.LAYOUT, deepeval.LAYOUT, helm.LAYOUT, prometheus.LAYOUT, rewardbench.LAYOUT,
        ragas.LAYOUT, fastchat_logs.LAYOUT, prodigy.LAYOUT, forms.LAYOUT,
        trl.LAYOUT, *preference_sets.LAYOUTS, one_hot.LAYOUT, marks.LAYOUT,
        counts.LAYOUT, rankings.LAYOUT, pairs.LAYOUT, votes.LAYOUT, generations.LAYOUT,
    )
}  # fmt: skip
