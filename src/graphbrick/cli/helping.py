"""The first page, and the list of commands in groups."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

GROUPS: dict[str, tuple[str, ...]] = {
    "Graphs": (
        *("build", "info", "add", "delete", "compact", "refresh", "export", "query", "schema", "prepare", "spark"),
    ),
    "Documents": ("index", "documents", "import", "merges"),
    "Ask": ("ask", "learn", "feedback", "recipes", "bricks", "demo"),
    "Compare": ("questions", "datasets", "evaluate", "compare", "tune", "report", "judge", "rag"),
    "Serve": ("serve", "mcp"),
    "Models": ("models", "train", "cache"),
}
"""The commands of graphbrick by what they are for; those of plug-ins come after them."""

_PLUG_INS = "From plug-ins"
_LONGEST = 1000  # characters of a summary: it is wrapped, never cut

DOORS = """\
Answers to questions over graphs and documents, each with its proof.

I have a graph
  graphbrick build films.csv films.graph        a table, RDF, or a database
  graphbrick ask films.graph "Who directed Inception?"
  graphbrick learn films.graph                  better answers, without labels

I have documents
  graphbrick index notes/ notes.graph           text, Markdown, HTML, PDF, Word
  graphbrick ask notes.graph "What does the budget limit?"

I compare methods
  graphbrick recipes                            the published pipelines
  graphbrick evaluate films.graph questions.jsonl --recipe 1 --recipe P0
  graphbrick report runs.sqlite --html report.html

No data at hand:      graphbrick demo
All commands:         graphbrick --help
Help of one command:  graphbrick ask --help"""
"""What `graphbrick` prints without arguments."""


def grouped(names: Iterable[str]) -> dict[str, list[str]]:
    """Return the names of commands by group, in the order of `GROUPS`; groups without a command are left out.

    >>> grouped(["ask", "mine", "build"])
    {'Graphs': ['build'], 'Ask': ['ask'], 'From plug-ins': ['mine']}
    """
    names = list(names)
    own = {name for members in GROUPS.values() for name in members}
    groups = {group: [name for name in members if name in names] for group, members in GROUPS.items()}
    groups[_PLUG_INS] = [name for name in names if name not in own]
    return {group: members for group, members in groups.items() if members}


def write_commands(group: Any, context: Any, formatter: Any) -> None:
    """Write the commands of a group with their summaries, which are wrapped where the terminal is narrow."""
    commands = {name: group.get_command(context, name) for name in group.list_commands(context)}
    width = max(map(len, commands))
    for title, names in grouped(commands).items():
        with formatter.section(title):
            formatter.write_dl([(name.ljust(width), commands[name].get_short_help_str(_LONGEST)) for name in names])


def help_of(error: Exception) -> str:
    """Return the command whose help belongs to a usage error, such as ``graphbrick ask --help``."""
    context: Any = getattr(error, "ctx", None)
    return f"{'graphbrick' if context is None else context.command_path} --help"
