"""Overview: what the store holds, and what to do next."""

from pages.components.overview.figures import figures, invite, next_steps, recent_runs
from pages.components.shared.frame import frame

with frame("Overview", title="Overview") as study:
    figures(study)
    next_steps(study)
    invite(study)
    recent_runs(study)
