"""Separability: which items tell two systems apart, and whether preferences mean anything else."""

from pages.components.separability.section import SEPARABILITY
from pages.components.shared.finding import show_finding
from pages.components.shared.frame import frame

with frame("Separability", title="Separability") as study:
    show_finding(study, SEPARABILITY)
