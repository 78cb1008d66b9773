"""Overview: what the store holds, and what to do next."""

from pages.components.frame import frame
from pages.components.overview import figures, invite, next_steps, recent_runs

with frame("Overview", title="Overview") as study:
    figures(study)
    next_steps(study)
    invite(study)
    recent_runs(study)
