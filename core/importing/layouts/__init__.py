"""The registry of layouts: to add one, write its file and name it here."""

from core.importing.layout import Layout
from core.importing.layouts import (
    alpacaeval,
    arena_hard,
    argilla,
    faireval,
    fastchat,
    generations,
    hanna,
    inspect_ai,
    judgebench,
    label_studio,
    langsmith,
    llmbar,
    lm_eval,
    mtbench,
    one_hot,
    pandalm,
    potato,
    rating_sets,
    realsumm,
    sampled_texts,
    summeval,
    summeval_annotations,
    trl,
    unieval,
    votes,
    webnlg,
)

# In the order they are tried: the particular before the general.
LAYOUTS: dict[str, Layout] = {
    module.LAYOUT.name: module.LAYOUT
    for module in (
        realsumm,
        summeval,
        summeval_annotations,
        unieval,
        webnlg,
        hanna,
        rating_sets,
        llmbar,
        mtbench,
        fastchat,
        arena_hard,
        alpacaeval,
        judgebench,
        faireval,
        sampled_texts,
        label_studio,
        argilla,
        potato,
        langsmith,
        lm_eval,
        inspect_ai,
        pandalm,
        trl,
        one_hot,
        votes,
        generations,
    )
}
