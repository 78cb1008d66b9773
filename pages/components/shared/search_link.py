"""A link from a finding to the items behind it: a search on the page Data."""

from __future__ import annotations

from core.findings.judgements import Selection
from pages.components.shared.address import write_search
from pages.components.shared.frame import link_to


def link_to_search(selection: Selection, label: str, **asked: object) -> None:
    """Link to the search that asks for this, within the attribute and subset of a selection."""
    about = {"attribute": selection.attribute, "subset": selection.subset}
    within = {name: value for name, value in about.items() if value}
    link_to("data", label, find=write_search({**asked, **within}))
