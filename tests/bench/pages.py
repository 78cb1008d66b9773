"""The pages that say whom to trust, at 1e6 judgements: the first view, which counts, and the later ones, which are warm."""

from __future__ import annotations
