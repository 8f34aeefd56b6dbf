"""The command line: parses arguments, calls the library, prints.

Exit codes: 0 done, 1 user error, 2 nothing found, 3 stopped by a budget, 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import io
import sys
from functools import cache
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from graphbrick.cli import ask as cli_ask
from graphbrick.cli import llm as cli_llm
from graphbrick.cli import serve as cli_serve
from graphbrick.cli.ask import NothingFoundError
from graphbrick.cli.compare import datasets as cli_datasets
from graphbrick.cli.compare import evaluate as cli_evaluate
from graphbrick.cli.compare import rag as cli_rag
from graphbrick.cli.compare import report as cli_report
from graphbrick.cli.compare import tune as cli_tune
from graphbrick.cli.graphs import graphs as cli_graphs
from graphbrick.cli.graphs import merges as cli_merges
from graphbrick.cli.graphs import prepare as cli_prepare
from graphbrick.cli.graphs import queries as cli_queries
from graphbrick.cli.graphs import spark as cli_spark
from graphbrick.cli.graphs import text as cli_text
from graphbrick.cli.judge import judge_learning as cli_judge_learning
from graphbrick.cli.judge import judge_metrics as cli_judge_metrics
from graphbrick.cli.judge import judging as cli_judging
from graphbrick.cli.models import learn as cli_learn
from graphbrick.cli.models import models as cli_models
from graphbrick.cli.models import train as cli_train
from graphbrick.cli.options import Json


class Commands(TyperGroup):
    """The commands, which name the new place of a command that has moved."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that the arguments begin with."""
        new = cli_prepare.MOVED.get(args[0]) if args else None
        if new is not None:
            ctx.fail(f"graphbrick {args[0]} is now graphbrick prepare {new}")
        return super().resolve_command(ctx, args)


# Everything that is not imported above is imported where it is used, so that help is shown at once.
app = typer.Typer(
    name="graphbrick",
    cls=Commands,
    help="Answer questions over a knowledge graph, with the path that proves each answer.",
    rich_markup_mode=None,  # plain help is shown in half the time
    add_completion=False,
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
        typer.echo(context.get_help())


for _name in ("build", "info", "add", "delete", "compact", "refresh", "export"):
    app.command(_name)(getattr(cli_graphs, _name))


app.command("ask")(cli_ask.ask)


@app.command()
def bricks(
    names: Annotated[list[str] | None, typer.Argument(metavar="[BRICK]...", help="Only these, in full.")] = None,
    as_json: Json = False,
) -> None:
    """List bricks with their parameters and papers."""
    from graphbrick.cli.printing.bricks import print_bricks

    print_bricks(names or (), as_json=as_json)


@app.command()
def recipes(
    name: Annotated[str | None, typer.Argument(metavar="[RECIPE]", help="One of them, with all that is known.")] = None,
    as_json: Json = False,
) -> None:
    """List the published recipes, or show one."""
    from graphbrick.cli.printing.bricks import print_recipe, print_recipes
    from graphbrick.recipes import published
    from graphbrick.recipes import recipe as find

    if name is None:
        print_recipes(list(published().values()), as_json=as_json)
    else:
        print_recipe(find(name), as_json=as_json)


for _name in ("index", "documents"):
    app.command(_name)(getattr(cli_text, _name))
app.command("import")(cli_text.import_)
app.command("merges")(cli_merges.merges)
for _name in ("query", "schema", "questions"):
    app.command(_name)(getattr(cli_queries, _name))
app.add_typer(cli_prepare.app)

for _name in ("learn", "feedback"):
    app.command(_name)(getattr(cli_learn, _name))
app.add_typer(cli_models.app)
app.add_typer(cli_train.app)


app.add_typer(cli_llm.cache, name="cache")
for _name in ("evaluate", "compare"):
    app.command(_name)(getattr(cli_evaluate, _name))
for _name in ("metrics", "pairs", "score"):
    cli_judging.app.command(_name)(getattr(cli_judge_metrics, _name))
for _name in ("data", "train", "check"):
    cli_judging.app.command(_name)(getattr(cli_judge_learning, _name))
app.add_typer(cli_judging.app)
app.command("tune")(cli_tune.tune)
app.command("report")(cli_report.report)
app.command("rag")(cli_rag.rag)
for _name in ("serve", "mcp"):
    app.command(_name)(getattr(cli_serve, _name))
app.add_typer(cli_datasets.app)
app.add_typer(cli_spark.app)


@app.command()
def demo(
    text: Annotated[
        bool, typer.Option("--text", help="Ask documents instead: the Python language reference, with citations.")
    ] = False,
    serve: Annotated[bool, typer.Option("--serve", help="Serve the graph and its page on this machine.")] = False,
    port: cli_serve.Port = 8000,
    browse: cli_serve.Browse = False,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Build the graph again.")] = False,
) -> None:
    """Build a graph of the world and answer questions of one, two and three hops over it; --text: of documents."""
    if serve:
        from graphbrick.cli.demo import serve_demo

        serve_demo(port, rebuild=rebuild, browse=browse)
    elif text:
        from graphbrick.cli.demo_text import run_text_demo

        run_text_demo(rebuild=rebuild)
    else:
        from graphbrick.cli.demo import run_demo

        run_demo(rebuild=rebuild)


@cache
def _command() -> Any:
    """Return the tree of commands, which typer reads from the signatures of all of them: 33 ms."""
    return typer.main.get_command(app)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with its code; an error prints one line on standard error."""
    from graphbrick.core.errors import GraphbrickError
    from graphbrick.pipeline.budget import StoppedError

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # do not stop because a terminal cannot show a letter
    try:
        code = _command().main(arguments, prog_name="graphbrick", standalone_mode=False)
    except NothingFoundError:
        code = 2
    except StoppedError as error:
        typer.echo(f"stopped: {error}", err=True)
        code = 3
    except GraphbrickError as error:
        code = _fail(str(error))
    except (typer.Abort, KeyboardInterrupt):
        code = 130
    except MemoryError as error:
        reason = f" ({error})" if str(error) else ""
        code = _fail(f"not enough memory{reason}; use a machine with more, or a smaller graph")
    except Exception as error:
        # Usage errors come from click, or from the copy of it that typer brings along.
        if type(error).__name__ == "NoArgsIsHelpError":  # a group of commands by itself
            typer.echo(str(getattr(error, "message", error)))
            code = 0
        elif hasattr(error, "format_message"):
            code = _fail(f"{error.format_message()} (graphbrick --help shows the usage)")
        elif isinstance(error, OSError):
            code = _fail(f"{error.filename or 'input or output'}: {error.strerror or error}")
        else:
            raise
    if code == 130:  # typer gives this code for Ctrl-C, and prints nothing
        typer.echo("stopped by Ctrl-C", err=True)
    sys.exit(code if isinstance(code, int) else 0)


def _fail(message: str) -> int:
    shown = "".join(c if c.isprintable() else " " for c in " ".join(message.split()))
    typer.echo(f"error: {shown}", err=True)
    return 1


if __name__ == "__main__":
    main()
