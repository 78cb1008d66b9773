"""The command about one data set: rename, delete or reword it, withdraw simulated answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass
from pathlib import Path

from ..labels import TEXT_FORMATS
from ..records import TandemError, TextFormat
from ..settings import declare
from ..store import Store, dataset_decisions
from .command import Command, Verbs
from .options import WHO
from .output import CommandAnswer
from .settings import include_changes


@dataclass(frozen=True, kw_only=True)
class DatasetRequest:
    """The data set that a command is about."""

    name: str = declare(MISSING, "the data set", metavar="NAME", is_positional=True)


@dataclass(frozen=True, kw_only=True)
class DeleteRequest(DatasetRequest):
    """The data set that goes, once its name is confirmed."""

    confirm: str | None = declare(
        None, "the data set's name again; without it, show what would go", metavar="NAME"
    )
    backup_to: Path | None = declare(
        None, "file that the store is copied to before", metavar="FILE", output="new file"
    )


def delete(store: Store, request: DeleteRequest) -> CommandAnswer:
    """Delete a data set after a backup; without `--confirm NAME`, count what would be lost."""
    if request.confirm is None:
        contents = dataset_decisions.count_contents(store, request.name)
        text = (
            f"with {request.name} go {dataset_decisions.describe_contents(contents)}; nothing was "
            f"deleted: add --confirm NAME, with its name"
        )
        return CommandAnswer({"deleted": False, **contents}, text)
    if request.confirm != request.name:
        raise TandemError(
            f"--confirm {request.confirm!r} is not {request.name!r}: nothing was deleted"
        )
    gone = dataset_decisions.delete(store, WHO, request.name, request.backup_to)
    text = (
        f"{request.name} is gone, with {dataset_decisions.describe_contents(gone.contents)}; "
        f"{gone.backup} has all of it ({gone.bytes:,} bytes). The store's own file keeps its "
        "size, and fills again"
    )
    document = {"deleted": True, **gone.contents, "backup": str(gone.backup), "bytes": gone.bytes}
    return CommandAnswer(document, text)


def withdraw_simulated(store: Store, request: DatasetRequest) -> CommandAnswer:
    """Withdraw the votes and marks of a data set's simulated annotators."""
    number = dataset_decisions.withdraw_simulated(store, WHO, request.name)
    text = (
        f"{number:,} votes and scores of simulated annotators of {request.name} are withdrawn: "
        "they stay in the store, and count nowhere"
    )
    return CommandAnswer({"withdrawn": number}, text)


@dataclass(frozen=True, kw_only=True)
class RenameRequest(DatasetRequest):
    """The new name of a data set."""

    to: str = declare(MISSING, "the new name", metavar="NEW")


def rename(store: Store, request: RenameRequest) -> CommandAnswer:
    """Rename a data set."""
    dataset_decisions.rename(store, WHO, request.name, request.to)
    name = request.to.strip()
    return CommandAnswer(
        {"dataset": name, "before": request.name}, f"{request.name} is now called {name}"
    )


@dataclass(frozen=True, kw_only=True)
class Wording:
    """The wording of a data set: instructions, nouns, source and licence."""

    instructions: str = declare("", "guidelines for annotators", metavar="TEXT")
    context_noun: str = declare("", 'such as "article"', metavar="WORD")
    candidate_noun: str = declare("", 'such as "summary"', metavar="WORD")
    source: str = declare("", "source of the data", metavar="TEXT")
    licence: str = declare("", "licence of the data", metavar="TEXT")


@dataclass(frozen=True, kw_only=True)
class QuestionWording:
    """The wording of the question about an attribute."""

    adjective: str = declare("", "of the attribute, such as coherent", metavar="WORD")
    question: str = declare("", "of the attribute", metavar="TEXT")
    guideline: str = declare("", "of the attribute", metavar="TEXT")


@dataclass(frozen=True, kw_only=True)
class RewordRequest(DatasetRequest):
    """The words of a data set, or of the question about an attribute, that change."""

    wording: Mapping[str, str] = include_changes(Wording)
    attribute: str = declare("", "the attribute to reword", metavar="NAME")
    asked: Mapping[str, str] = include_changes(QuestionWording)
    text_format: str = declare(
        "", "how people see the texts, for --attribute or for all", choices=TEXT_FORMATS
    )

    def __post_init__(self) -> None:
        if self.asked and not self.attribute:
            raise TandemError(
                f"--{next(iter(self.asked))} is of an attribute: name it with --attribute"
            )
        if not self.wording and not self.asked and not self.text_format:
            raise TandemError("nothing to edit: give --instructions, --question or another wording")


def reword(store: Store, request: RewordRequest) -> CommandAnswer:
    """Change the wording or text format of a data set or attribute, all or nothing."""
    with store.transaction(durable=True):
        changed = dataset_decisions.reword(store, WHO, request.name, request.wording)
        if request.asked:
            changed += dataset_decisions.reword_attribute(
                store, WHO, request.name, request.attribute, request.asked
            )
        if request.text_format:
            chosen = TextFormat(request.text_format)
            formatted = dataset_decisions.set_text_format(
                store, WHO, request.name, chosen, request.attribute
            )
            changed += ["text_format"] * bool(formatted)
    text = f"changed: {', '.join(changed)}" if changed else "the wording was the same already"
    return CommandAnswer({"changed": changed}, text)


VERBS = {
    "rename": Command(rename, "give it another name", RenameRequest, reads=None),
    "delete": Command(delete, "delete it with all it holds", DeleteRequest, reads=None),
    "withdraw-simulated": Command(
        withdraw_simulated, "withdraw the votes of simulated annotators", DatasetRequest, reads=None
    ),
    "edit": Command(reword, "word it otherwise", RewordRequest, reads=None),
}
COMMANDS = {"dataset": Verbs(VERBS)}
