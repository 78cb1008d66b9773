"""Campaigns: what people are asked, how far they are, and asking something else."""

from pages.components.campaigns.manage import manage, show_campaigns
from pages.components.campaigns.new_campaign import new_campaign
from pages.components.shared.frame import frame

with frame("Campaigns", title="Campaigns") as study:
    chosen = show_campaigns(study)
    if chosen:
        manage(study, chosen)
    new_campaign(study)
