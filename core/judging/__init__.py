"""A question becomes an answer: judges that compare two texts, scorers that mark one."""

from . import evaluation_steps, probes, prompt_versions, registry
from .forms import COMPARISON_FORMS, MARK_FORMS, MarkForm, VerdictForm
from .judge import COMPARING_MODES, Batchable, Judge, unanswerable
from .llm_spec import list_unusual_settings
from .probes import OWN, PROBES, Probe, find_probe
from .prompt_versions import (
    asks_in_any_form,
    declared_form,
    edit_prompt,
    expected_budget,
    forms_of,
    templates,
)
from .prompts import (
    HIGHEST,
    check_system_prompt,
    fill,
    fill_labels,
    fill_scoring,
    fill_system,
    find_placeholders,
    labels_of,
)
from .registry import make, make_writer, remake
from .scorer import Scorer
from .server_list import (
    LISTED_ONLY,
    ListedServer,
    ServerList,
    add_server,
    is_cluster,
    remove_server,
)
from .stored_replies import StoredReplies, StoredReply, parse_replies

__all__ = [
    "COMPARING_MODES",
    "COMPARISON_FORMS",
    "HIGHEST",
    "LISTED_ONLY",
    "MARK_FORMS",
    "OWN",
    "PROBES",
    "Batchable",
    "Judge",
    "ListedServer",
    "MarkForm",
    "Probe",
    "Scorer",
    "ServerList",
    "StoredReplies",
    "StoredReply",
    "VerdictForm",
    "add_server",
    "asks_in_any_form",
    "check_system_prompt",
    "declared_form",
    "edit_prompt",
    "evaluation_steps",
    "expected_budget",
    "fill",
    "fill_labels",
    "fill_scoring",
    "fill_system",
    "find_placeholders",
    "find_probe",
    "forms_of",
    "is_cluster",
    "labels_of",
    "list_unusual_settings",
    "make",
    "make_writer",
    "parse_replies",
    "probes",
    "prompt_versions",
    "registry",
    "remake",
    "remove_server",
    "templates",
    "unanswerable",
]
