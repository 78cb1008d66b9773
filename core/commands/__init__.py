"""What each command does, in one module a subject, each with its options. Only here may the terminal be spoken to."""

from core.commands import data, judging, keeping, ranking, sampling, separating, trust
from core.commands.command import Command

COMMANDS: dict[str, Command] = {
    **data.COMMANDS,
    **judging.COMMANDS,
    **sampling.COMMANDS,
    **ranking.COMMANDS,
    **separating.COMMANDS,
    **trust.COMMANDS,
    **keeping.COMMANDS,
}
"""Every command by its name."""
