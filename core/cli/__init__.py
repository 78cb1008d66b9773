"""What each command does, in one module a subject, each with its options. Only here may the
terminal be spoken to.
"""

from core.cli import (
    annotators,
    budget,
    calibrate,
    campaign,
    data,
    dataset,
    generate,
    judge,
    model,
    options,
    people,
    promise,
    rank,
    report,
    separability,
    servers,
    store,
    together,
    trust,
)
from core.cli.command import Command
from core.cli.output import BrokenError, say, warn

COMMANDS: dict[str, Command] = {
    **data.COMMANDS,
    **dataset.COMMANDS,
    **judge.COMMANDS,
    **generate.COMMANDS,
    **model.COMMANDS,
    **rank.COMMANDS,
    **budget.COMMANDS,
    **calibrate.COMMANDS,
    **separability.COMMANDS,
    **trust.COMMANDS,
    **together.COMMANDS,
    **report.COMMANDS,
    **campaign.COMMANDS,
    **people.COMMANDS,
    **promise.COMMANDS,
    **servers.COMMANDS,
    **annotators.COMMANDS,
    **store.COMMANDS,
}
"""Every command by its name."""

__all__ = ["COMMANDS", "BrokenError", "Command", "options", "say", "warn"]
