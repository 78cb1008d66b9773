"""A question becomes an answer: judges that compare two texts, scorers that mark one."""

from core.judging import attacks, evaluation_steps, prompt_versions, registry
from core.judging.attacks import ATTACKS, Attack, attack_of
from core.judging.judge import COMPARING_MODES, Batchable, Judge, unanswerable
from core.judging.llm_spec import departing
from core.judging.prompt_versions import edited, templates
from core.judging.prompts import HIGHEST, fill, fill_scoring, labels_of
from core.judging.registry import make, make_writer, remake
from core.judging.scorer import Scorer
from core.judging.server_list import (
    LISTED_ONLY,
    ListedServer,
    ServerList,
    add_server,
    is_cluster,
    remove_server,
)

__all__ = [
    "ATTACKS",
    "COMPARING_MODES",
    "HIGHEST",
    "LISTED_ONLY",
    "Attack",
    "Batchable",
    "Judge",
    "ListedServer",
    "Scorer",
    "ServerList",
    "add_server",
    "attack_of",
    "attacks",
    "departing",
    "edited",
    "evaluation_steps",
    "fill",
    "fill_scoring",
    "is_cluster",
    "labels_of",
    "make",
    "make_writer",
    "prompt_versions",
    "registry",
    "remake",
    "remove_server",
    "templates",
    "unanswerable",
]
