"""The commands of the command line, in the groups of its help. The module of a command is imported
when it is asked for: all of them take seconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .command import Command, Verbs


class Entry(NamedTuple):
    """A command in the help: its module, what it does in a line, and its words in an example."""

    module: str
    help: str
    example: str


GROUPS: dict[str, dict[str, Entry]] = {
    "Data": {
        "look": Entry(
            "reading", "say what files hold, who would lead and what to do next; store nothing",
            "look votes.csv",
        ),
        "import": Entry("data", "import files into the store", "import votes.csv --dataset news"),
        "datasets": Entry("data", "list the data sets", "datasets"),
        "describe": Entry("data", "summarise judgements and scores", "describe --dataset news"),
        "dataset": Entry(
            "data", "rename, delete or reword a data set, or withdraw its simulated votes",
            "dataset rename news --to news-2026",
        ),
        "export": Entry("data", "export what the store holds, also for other tools",
            "export --dataset news --what judgements --to votes.csv"),
        "sample": Entry("upkeep", "load the sample study and run the baselines on it", "sample"),
    },
    "Ask": {
        "judge": Entry("judge", "run a judge on pairs; repeat the command to continue",
            "judge --dataset news --judge openai:gpt-4o-mini --pairs symmetric"),
        "try": Entry("judge", "try a judge on a few pairs without saving the answers",
            "try --dataset news --judge local:smollm2"),
        "generate": Entry(
            "generate", "generate K texts an item; repeat the command to continue",
            "generate --dataset news --model openai:gpt-4o-mini --system mini "
            "--instruction 'Summarise the text.'",
        ),
        "steps": Entry(
            "generate", "let a model write the steps by which it then scores texts (G-Eval)",
            "steps --dataset news --model openai:gpt-4o-mini --attribute coherence",
        ),
        "model": Entry("upkeep", "fetch a small model to try judging with (local:smollm2, 93 MB)",
            "model"),
        "runs": Entry("runs", "list runs and campaigns", "runs"),
        "worker": Entry("runs", "execute queued runs", "worker"),
        "servers": Entry(
            "runs", "list, add and remove the servers that pages and worker may use",
            "servers add lab http://localhost:8000/v1",
        ),
    },
    "Understand": {
        "compare": Entry("compare", "say whether the new system is better than the old one",
            "compare old.csv new.csv --judge openai:gpt-4o-mini"),
        "rank": Entry("rank", "make a leaderboard of the systems", "rank --dataset news"),
        "agreement": Entry("findings", "say how far judges agree", "agreement --dataset news"),
        "bias": Entry("findings", "show position and length bias of each judge, and contradictions",
            "bias --dataset news --judges llm"),
        "probes": Entry(
            "findings", "show what changes of a text move a judge (`judge --probe` asks)",
            "probes --dataset news",
        ),
        "accuracy": Entry("findings", "say how often judges are right",
            "accuracy --dataset news --against human"),
        "correlate": Entry("rank", "correlate ratings or scores with other scores",
            "correlate --dataset news --table win-ratio --against human"),
        "separability": Entry("separability", "measure which items can tell systems apart",
            "separability --dataset news"),
        "consistency": Entry(
            "separability", "show how consistent preferences are over an item's texts",
            "consistency --dataset news",
        ),
        "combine": Entry("findings", "rank by few human votes and many judges together",
            "combine --dataset news"),
        "share": Entry("findings", "say what judges may answer alone, and what people answer",
            "share --dataset news --accept-error 0.1"),
        "lab": Entry("lab", "compare judges on the same pairs, and say whether to trust one",
            "lab --dataset news"),
        "plan": Entry("findings", "say how many more votes the combined estimate needs",
            "plan --dataset news"),
        "budget": Entry("findings", "say how few comparisons would have done",
            "budget --dataset news"),
        "drift": Entry("findings", "test whether a judge has changed since its first answers",
            "drift --dataset news"),
        "items": Entry(
            "findings", "find items worth another look, and save them as a set for --item-set",
            "items --dataset news --save hard",
        ),
        "report": Entry("findings", "write a page and files for a paper",
            "report --dataset news --html report.html"),
    },
    "People": {
        "campaign": Entry(
            "campaign", "open and manage campaigns: which pairs people judge, and how",
            "campaign create news-1 --dataset news",
        ),
        "annotators": Entry(
            "findings", "show how each person judges: pace, sides, agreement, misfit",
            "annotators --dataset news",
        ),
        "adjudicate": Entry("annotators", "list pairs on which people disagree, and decide them",
            "adjudicate --dataset news"),
        "exclude": Entry(
            "annotators", "leave a person's votes out of statistics, or count them again",
            "exclude Ada --dataset news --reason 'clicks without reading'",
        ),
        "people": Entry("people", "manage people, roles and invitation links", "people invite Ada"),
        "crowd": Entry(
            "annotators", "invite a panel's participants by one link, and list their payments",
            "crowd payments --dataset news",
        ),
    },
    "Upkeep": {
        "app": Entry(
            "upkeep", "open the pages in the browser; Streamlit takes all further options", "app",
        ),
        "backup": Entry("upkeep", "copy the store into a file, even while it is in use",
            "backup news.sqlite3"),
        "restore": Entry("upkeep", "make the store what a backup holds; keep it as it was",
            "restore news.sqlite3"),
        "check": Entry("upkeep", "check the store and change nothing", "check"),
        "completion": Entry("upkeep",
            "write the script by which a shell completes commands and options", "completion bash"),
    },
}  # fmt: skip
ENTRIES = {name: entry for group in GROUPS.values() for name, entry in group.items()}
"""Every command by its name."""


class CommandTable(Mapping[str, "Command | Verbs"]):
    """The commands by name, each loaded when it is taken."""

    def __getitem__(self, name: str) -> Command | Verbs:
        module = import_module(f".{ENTRIES[name].module}", __package__)
        command: Command | Verbs = module.COMMANDS[name]
        return command

    def __iter__(self) -> Iterator[str]:
        return iter(ENTRIES)

    def __len__(self) -> int:
        return len(ENTRIES)


COMMANDS = CommandTable()
