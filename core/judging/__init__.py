"""A question becomes an answer: judges that compare two texts, scorers that mark one."""

from . import probes, prompt_versions, registry
from .forms import COMPARISON_FORMS, MARK_FORMS, VerdictForm
from .judge import COMPARING_MODES, Batchable, Judge, Scorer
from .judges.readings import StoredReplies, StoredReply, parse_replies
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
from .registry import make, make_prompted, make_writer, remake
from .server_list import (
    ListedServer,
    ServerList,
    add_server,
    remove_server,
)
from .written_prompts import paraphrase_prompt, write_steps
