"""Named entities by a spaCy model. spaCy is no requirement: without it the rules of
`core/entities.py` are used.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from ..records import TandemError

MODELS = ("en_core_web_trf", "en_core_web_lg", "en_core_web_md", "en_core_web_sm", "xx_ent_wiki_sm")
"""spaCy's own models, the best first."""

NUMBERS = {"DATE", "TIME", "PERCENT", "MONEY", "QUANTITY", "ORDINAL", "CARDINAL"}
"""What spaCy marks but is no name."""


def installed_models() -> list[str]:
    """List those of MODELS that can be loaded, the best first."""
    return [name for name in MODELS if _version(name)] if _version("spacy") else []


class SpacyEntities:
    """The names a spaCy model finds. Raises TandemError when that model is not installed."""

    def __init__(self, name: str) -> None:
        number = _version(name) if _version("spacy") else ""
        if not number:
            there = ", ".join(["rules", *installed_models()])
            raise TandemError(
                f"the spaCy model {name!r} is not installed: `pip install spacy` and "
                f"`python -m spacy download {name}`, or take one of: {there}"
            )
        self._name = name
        self.signature = f"{name}:{number}"

    def load(self) -> None:
        """Load the spaCy model."""
        _ = self._model

    @cached_property
    def _model(self) -> Any:
        import spacy

        try:
            return spacy.load(self._name)
        except Exception as error:  # a package that is no model, or one made for another spaCy
            said = (str(error).strip().splitlines() or [""])[0][:200]
            raise TandemError(f"cannot load the spaCy model {self._name!r}: {said}") from error

    def entities(self, texts: Sequence[str]) -> list[list[str]]:
        """Extract the names in each text, without numbers; half characters are replaced."""
        readable = [text.encode(errors="replace").decode() for text in texts]
        return [
            [entity.text for entity in read.ents if entity.label_ not in NUMBERS]
            for read in self._model.pipe(readable)
        ]


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
