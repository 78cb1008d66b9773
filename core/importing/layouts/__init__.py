"""The registry of layouts: to add one, write its file and name it here."""

from core.importing.layout import Layout
from core.importing.layouts import (
    alpacaeval,
    faireval,
    generations,
    hanna,
    judgebench,
    llmbar,
    mtbench,
    one_hot,
    pandalm,
    rating_sets,
    realsumm,
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
        alpacaeval,
        judgebench,
        faireval,
        pandalm,
        one_hot,
        votes,
        generations,
    )
}
