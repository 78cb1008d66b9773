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
    helpsteer,
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
    pandalm,
    potato,
    prometheus,
    promptfoo,
    ragas,
    rankings,
    rating_sets,
    realsumm,
    rewardbench,
    sampled_texts,
    summarize_feedback,
    summeval,
    summeval_annotations,
    trl,
    ultrafeedback,
    unieval,
    votes,
    webgpt,
    webnlg,
)

# In the order they are tried: the particular before the general.
LAYOUTS: dict[str, Layout] = {
    module.LAYOUT.name: module.LAYOUT
    for module in (
        potato, realsumm, summeval, summeval_annotations, unieval, webnlg, hanna, rating_sets,
        llmbar, mtbench, fastchat, arena_hard, alpacaeval, judgebench, faireval, sampled_texts,
        label_studio, argilla, langsmith, lm_eval, inspect_ai, promptfoo, deepeval, helm,
        prometheus, rewardbench, ragas, pandalm, trl, webgpt, helpsteer, summarize_feedback,
        ultrafeedback, one_hot, marks, counts, rankings, pairs, votes, generations,
    )
}  # fmt: skip
