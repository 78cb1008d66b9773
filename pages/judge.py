"""Judge: let a baseline or a language model answer the same questions."""

from pages.components.frame import frame
from pages.components.judging import choose, preview, runs_at_work

with frame("Judge", title="Judge") as study:
    chosen = choose(study)
    preview(study, chosen)
    runs_at_work(study)
