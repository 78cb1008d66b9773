"""Together: who is better by votes and judges, how far to trust a judge, whom to ask next."""

from pages.components.shared.frame import frame
from pages.components.together.choices import choices
from pages.components.together.ranking import show_asking, show_ranking
from pages.components.together.trust import show_trust

with frame("Together", title="Together") as study:
    if chosen := choices(study):
        show_ranking(study, chosen)
        show_trust(study, chosen)
        show_asking(study, chosen)
