"""The commands of the command line: one module per subject, each with its options. Only this
package may write to the terminal.
"""

from . import (
    annotators,
    app,
    campaign,
    crowd,
    data,
    dataset,
    findings,
    generate,
    items,
    judge,
    look,
    model,
    options,
    people,
    rank,
    report,
    runs,
    separability,
    servers,
    store,
)
from .command import Command, Verbs
from .output import BrokenError, print_output, warn

COMMANDS: dict[str, Command | Verbs] = {
    **look.COMMANDS,
    **data.COMMANDS,
    **dataset.COMMANDS,
    **judge.COMMANDS,
    **runs.COMMANDS,
    **generate.COMMANDS,
    **model.COMMANDS,
    **rank.COMMANDS,
    **findings.COMMANDS,
    **separability.COMMANDS,
    **items.COMMANDS,
    **report.COMMANDS,
    **campaign.COMMANDS,
    **crowd.COMMANDS,
    **people.COMMANDS,
    **servers.COMMANDS,
    **annotators.COMMANDS,
    **store.COMMANDS,
    **app.COMMANDS,
}
"""Every command by its name."""

__all__ = ["COMMANDS", "BrokenError", "Command", "options", "print_output", "warn"]
