"""Who annotates: a person becomes a judge."""

from __future__ import annotations

from core.records import JudgeSpec, Kind
from core.store import Store, check_name


def enrol(store: Store, annotator: str) -> int:
    """The row of an annotator, added when they are new. Raises TandemError for a name that cannot
    be used.
    """
    check_name(" ".join(annotator.split()))
    name = store.people.spelling(annotator)
    check_name(name)
    if store.judges.kind(name) is not Kind.HUMAN:  # known already: no write at every look at a page
        store.judges.add([JudgeSpec(name, Kind.HUMAN)])
    judge = store.judges.id_of(name)
    store.people.annotate(name, judge)
    return judge
