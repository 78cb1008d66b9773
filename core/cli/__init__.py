"""What each command does, in one module a subject, each with its options. Only here may the terminal be spoken to."""

from core.cli import data, generate, judge, rank, separability, store, trust
from core.cli.command import Command

COMMANDS: dict[str, Command] = {
    **data.COMMANDS,
    **judge.COMMANDS,
    **generate.COMMANDS,
    **rank.COMMANDS,
    **separability.COMMANDS,
    **trust.COMMANDS,
    **store.COMMANDS,
}
"""Every command by its name."""
