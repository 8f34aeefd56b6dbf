"""The command line: parses arguments, calls the library, prints.

Exit codes: 0 done, 1 user error, 2 nothing found, 3 stopped by a budget, 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import io
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Annotated, Any, TextIO, TypeAlias

import typer
from typer.core import TyperGroup

from graphbrick.cli.conversion import spare_conversions
from graphbrick.cli.helping import DOORS, help_of, write_commands
from graphbrick.core.plugins import PluginWarning, Registry

Command: TypeAlias = typer.Typer | Callable[..., object]


def _fault(value: object) -> str:
    return "" if isinstance(value, typer.Typer) or callable(value) else "it is neither a function nor a typer.Typer"


# A module is imported when its command runs, or when help shows it; `helping.GROUPS` has the order of the help.
COMMANDS: Registry[Command] = Registry(
    "graphbrick.commands",
    {
        "build": "graphbrick.cli.graphs.graphs:build",
        "info": "graphbrick.cli.graphs.graphs:info",
        "add": "graphbrick.cli.graphs.graphs:add",
        "delete": "graphbrick.cli.graphs.graphs:delete",
        "compact": "graphbrick.cli.graphs.graphs:compact",
        "refresh": "graphbrick.cli.graphs.graphs:refresh",
        "export": "graphbrick.cli.graphs.graphs:export",
        "ask": "graphbrick.cli.ask:ask",
        "bricks": "graphbrick.cli.catalog:bricks",
        "recipes": "graphbrick.cli.catalog:recipes",
        "index": "graphbrick.cli.graphs.text:index",
        "documents": "graphbrick.cli.graphs.text:documents",
        "import": "graphbrick.cli.graphs.text:import_",
        "merges": "graphbrick.cli.graphs.merges:merges",
        "query": "graphbrick.cli.graphs.queries:query",
        "schema": "graphbrick.cli.graphs.queries:schema",
        "questions": "graphbrick.cli.graphs.queries:questions",
        "learn": "graphbrick.cli.models.learn:learn",
        "feedback": "graphbrick.cli.models.learn:feedback",
        "evaluate": "graphbrick.cli.compare.evaluate:evaluate",
        "compare": "graphbrick.cli.compare.evaluate:compare",
        "tune": "graphbrick.cli.compare.tune:tune",
        "report": "graphbrick.cli.compare.report:report",
        "rag": "graphbrick.cli.compare.rag:rag",
        "serve": "graphbrick.cli.serve:serve",
        "mcp": "graphbrick.cli.serve:mcp",
        "demo": "graphbrick.cli.catalog:demo",
        "prepare": "graphbrick.cli.graphs.prepare:app",
        "models": "graphbrick.cli.models.models:app",
        "train": "graphbrick.cli.models.train:app",
        "cache": "graphbrick.cli.llm:cache",
        "judge": "graphbrick.cli.judge.group:app",
        "datasets": "graphbrick.cli.compare.datasets:app",
        "spark": "graphbrick.cli.graphs.spark:app",
    },
    _fault,
)
"""The commands by name: functions with typer's annotations, or a `typer.Typer` for a group of commands."""
MOVED = {"embed": "embeddings", "partition": "partitions", "hubs": "hubs"}
"""Earlier names of commands, and what they are called in the group ``prepare``."""


class _Tree(Mapping[str, Any]):
    """The commands as typer runs them, each made when it is looked up."""

    def __getitem__(self, name: str) -> Any:
        command = COMMANDS.find(name)
        if command is None:
            raise KeyError(name)
        return _made(name, command)

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS.names())

    def __len__(self) -> int:
        return len(COMMANDS.names())


@cache
def _made(name: str, command: Command) -> Any:
    """Return a command or group as typer reads it from its signatures, which takes a millisecond each."""
    holder = typer.Typer(rich_markup_mode=None, add_completion=False, pretty_exceptions_enable=False)
    if isinstance(command, typer.Typer):
        holder.add_typer(command, name=name)
    else:
        holder.command(name)(command)
    return spare_conversions(typer.main.get_group(holder).commands[name])


class Commands(TyperGroup):
    """The commands, which name the new place of a command that has moved."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = _Tree()  # type: ignore[assignment]

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that the arguments begin with."""
        new = MOVED.get(args[0]) if args else None
        if new is not None:
            ctx.fail(f"graphbrick {args[0]} is now graphbrick prepare {new}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands in their groups."""
        write_commands(self, ctx, formatter)


app = typer.Typer(
    name="graphbrick",
    cls=Commands,
    help="Answer questions over a knowledge graph, with the path that proves each answer.",
    rich_markup_mode=None,  # plain help is shown in half the time
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Answer questions over a knowledge graph, with the path that proves each answer."""
    if version:
        from graphbrick.core import __version__

        typer.echo(f"graphbrick {__version__}")
    elif context.invoked_subcommand is None:
        typer.echo(DOORS)


@cache
def _command() -> Any:
    """Return the tree of commands."""
    return spare_conversions(typer.main.get_command(app))


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with its code; an error prints one line on standard error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Do not stop because a terminal cannot show a letter; files and pipes get UTF-8 on Windows too.
            stream.reconfigure(encoding="utf-8" if sys.platform == "win32" else None, errors="backslashreplace")
    shown, warnings.showwarning = warnings.showwarning, _show_warning
    try:
        code = _command().main(arguments, prog_name="graphbrick", standalone_mode=False)
    except (typer.Abort, KeyboardInterrupt):
        code = 130
    except MemoryError as error:
        reason = f" ({error})" if str(error) else ""
        code = _fail(f"not enough memory{reason}; use a machine with more, or a smaller graph")
    except Exception as error:  # noqa: BLE001 - raised again unless it is for the user
        code = _code_of(error)
    finally:
        warnings.showwarning = shown
    if code == 130:  # typer gives this code for Ctrl-C, and prints nothing
        typer.echo("stopped by Ctrl-C", err=True)
    sys.exit(code if isinstance(code, int) else 0)


def _code_of(error: Exception) -> int:
    """Print an error that is for the user, and return the exit code; raise any other again."""
    from graphbrick.cli.ask import NothingFoundError
    from graphbrick.core.errors import GraphbrickError
    from graphbrick.pipeline.budget import StoppedError

    if isinstance(error, NothingFoundError):
        return 2
    if isinstance(error, StoppedError):
        typer.echo(f"stopped: {error}", err=True)
        return 3
    if isinstance(error, GraphbrickError):
        return _fail(str(error))
    # Usage errors come from click, or from the copy of it that typer brings along.
    if type(error).__name__ == "NoArgsIsHelpError":  # a group of commands by itself
        typer.echo(str(getattr(error, "message", error)))
        return 0
    if hasattr(error, "format_message"):
        return _fail(f"{error.format_message()} ({help_of(error)} shows the usage)")
    if isinstance(error, OSError):
        return _fail(f"{error.filename or 'input or output'}: {error.strerror or error}")
    raise error


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print warnings of our own as one line without a place in the code, and others as Python does."""
    if issubclass(category, PluginWarning):
        typer.echo(f"warning: {message}", err=True)
    elif category.__name__ == "QuestionsWarning":  # whose module not every command needs
        typer.echo(f"note: {message}", err=True)
    else:
        sys.stderr.write(warnings.formatwarning(message, category, filename, lineno, line))


def _fail(message: str) -> int:
    shown = "".join(c if c.isprintable() else " " for c in " ".join(message.split()))
    typer.echo(f"error: {shown}", err=True)
    return 1


if __name__ == "__main__":
    main()
