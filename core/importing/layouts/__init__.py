"""The registry of layouts: to add one, write its file and name it here."""

from core.importing.layout import Layout
from core.importing.layouts import (
    alpacaeval,
    arena_hard,
    faireval,
    fastchat,
    generations,
    hanna,
    judgebench,
    llmbar,
    mtbench,
    one_hot,
    pandalm,
    rating_sets,
    realsumm,
    sampled_texts,
    summeval,
    summeval_annotations,
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
        pandalm,
        one_hot,
        votes,
        generations,
    )
}
