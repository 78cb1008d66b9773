"""The registry of layouts: to add one, write its file and name it here."""

from core.importing.layout import Layout
from core.importing.layouts import (
    alpacaeval,
    arena_hard,
    argilla,
    counts,
    deepeval,
    faireval,
    fastchat,
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
)

# In the order they are tried: the particular before the general.
LAYOUTS: dict[str, Layout] = {
    layout.name: layout
    for module in (
        potato, summeval, unieval, webnlg, hanna, rating_sets, llmbar, mtbench, fastchat,
        arena_hard, alpacaeval, judgebench, faireval, sampled_texts, label_studio, argilla,
        langsmith, lm_eval, inspect_ai, promptfoo, deepeval, helm, prometheus, rewardbench, ragas,
        trl, preference_sets, one_hot, marks, counts, rankings, pairs, votes, generations,
    )
    for layout in getattr(module, "LAYOUTS", None) or (module.LAYOUT,)
}  # fmt: skip
