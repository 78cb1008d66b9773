"""Who annotates: a person becomes a judge."""

from __future__ import annotations

from core.records import JudgeSpec, Kind, TandemError
from core.store import Store


def enrol(store: Store, annotator: str) -> int:
    """The row of an annotator, added when they are new. Raises TandemError for a name that cannot
    be used.
    """
    name = " ".join(annotator.split())
    if not name or len(name) > 80 or not name.isprintable():
        raise TandemError("please give a name of 1 to 80 letters, digits or signs")
    if name in list(Kind) or ":" in name:
        raise TandemError(
            f"{name!r} is taken: a name may not contain a colon or be one of {', '.join(Kind)}"
        )
    if store.judges.kind(name) is not Kind.HUMAN:  # known already: no write at every look at a page
        store.judges.add([JudgeSpec(name, Kind.HUMAN)])
    return store.judges.id_of(name)
