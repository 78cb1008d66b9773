"""Judges: whom they agree with, what sways them, and how often they are right."""

from pages.components.judges.accuracy import ACCURACY, CORRELATION
from pages.components.judges.agreement import AGREEMENT
from pages.components.judges.bias import BIAS
from pages.components.shared.address import choose_section
from pages.components.shared.finding import show_finding
from pages.components.shared.frame import frame

SECTIONS = {section.name: section for section in (AGREEMENT, BIAS, ACCURACY, CORRELATION)}

with frame("Judges", title="Judges") as study:
    titles = {name: name.capitalize() for name in SECTIONS}
    chosen = choose_section(titles)
    show_finding(study, SECTIONS[chosen])
