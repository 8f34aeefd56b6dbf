"""The command line: parses arguments, calls the library, prints. Exit codes: 0 done, 1 user error, 2 nothing found."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

# Everything else is imported where it is used, so that help is shown at once.
if TYPE_CHECKING:
    from graphbrick.graphs.graph import Graph
    from graphbrick.pipeline import Pipeline

app = typer.Typer(
    name="graphbrick",
    help="Answer questions over a knowledge graph, with the path that proves each answer.",
    rich_markup_mode=None,  # plain help is shown in half the time
    add_completion=False,
    pretty_exceptions_enable=False,
)

DEFAULT_PIPELINE = "PPR(k=1000) >> ShortestPaths(max_hops=3) >> Rerank(MiniLM(), n=32, by='pattern') >> PathAnswer()"

GraphFolder = Annotated[Path, typer.Argument(metavar="GRAPH", help="Folder of the graph.", show_default=False)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


class NothingFoundError(Exception):
    """A command that worked but has nothing to give; exit code 2."""


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Answer questions over a knowledge graph, with the path that proves each answer."""
    if version:
        from graphbrick import __version__

        typer.echo(f"graphbrick {__version__}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command("build")
def build_command(
    source: Annotated[Path, typer.Argument(metavar="SOURCE", help="File of triples, or folder of nodes.* and edges.*")],
    graph: Annotated[Path, typer.Argument(metavar="GRAPH", help="Folder to make.")],
    nodes: Annotated[Path | None, typer.Option(help="Table of keys, labels, types, descriptions, aliases.")] = None,
    delimiter: Annotated[str | None, typer.Option(help="Column delimiter; recognised by default.")] = None,
    columns: Annotated[
        str | None, typer.Option(help="Head, relation and tail column, by name or number: from,type,to or 1,2,3.")
    ] = None,
    header: Annotated[
        bool | None, typer.Option("--header/--no-header", help="Whether the first row names the columns.")
    ] = None,
    language: Annotated[str, typer.Option(help="Preferred language of RDF labels.")] = "en",
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Leave bad records out, count and list them.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the graph that is there.")] = False,
    as_json: Json = False,
) -> None:
    """Build a graph folder from a file: .txt .tsv .csv .parquet .nt .ttl and others, also .gz."""
    from graphbrick.errors import InputError
    from graphbrick.graphs.builder import build
    from graphbrick.graphs.readers import ReadOptions
    from graphbrick.show import print_built, progress

    names = None
    if columns is not None:
        parts = [part.strip() for part in columns.split(",")]
        if len(parts) != 3:
            raise InputError(f"--columns takes three columns, head, relation and tail, got {columns!r}; try 1,2,3")
        names = (parts[0], parts[1], parts[2])
    options = ReadOptions(delimiter=delimiter, header=header, columns=names, language=language)
    with progress(f"building {graph}") as advance:
        built = build(
            source, graph, nodes=nodes, options=options, skip_bad=skip_bad, overwrite=overwrite, progress=advance
        )
    print_built(built, as_json=as_json)


@app.command()
def info(
    graph: GraphFolder,
    check: Annotated[bool, typer.Option("--check", help="Also compare the checksum of every file.")] = False,
    as_json: Json = False,
) -> None:
    """Show what a graph holds."""
    from graphbrick.show import print_info

    opened = _open(graph)
    if check:
        opened.check()
    print_info(opened, checked=check, as_json=as_json)


@app.command()
def ask(
    graph: GraphFolder,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="The question.", show_default=False)],
    pipeline: Annotated[str | None, typer.Option("--pipeline", "-p", help=f"Recipe text [{DEFAULT_PIPELINE}].")] = None,
    recipe: Annotated[
        str | None, typer.Option("--recipe", "-r", help="A published recipe, such as 12 (graphbrick recipes).")
    ] = None,
    parts: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="PART=BRICK", help="A part of the recipe, such as llm=\"LLM('my-model')\"."),
    ] = None,
    seed: Annotated[
        list[str] | None, typer.Option("--seed", "-s", help="Where to start: a key or label; may be repeated.")
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show subgraph, ranked paths and stages.")] = False,
    as_json: Json = False,
) -> None:
    """Answer a question over a graph."""
    from graphbrick.show import print_run, progress

    parsed = _pipeline(pipeline, recipe, parts or [])
    opened = _open(graph)
    with progress("answering (the first time, kernels are compiled)"):
        run = parsed.run(opened, question, seeds=seed or ())
    print_run(run, parsed, explain=explain, as_json=as_json)
    if not any(run.counts(run.level).values()):
        raise NothingFoundError


@app.command()
def bricks(as_json: Json = False) -> None:
    """List every brick with its parameters and paper."""
    from graphbrick.show import print_bricks

    print_bricks(as_json=as_json)


@app.command()
def recipes(
    name: Annotated[str | None, typer.Argument(metavar="[RECIPE]", help="One of them, with all that is known.")] = None,
    as_json: Json = False,
) -> None:
    """List the published recipes, or show one."""
    from graphbrick.recipes import published
    from graphbrick.recipes import recipe as find
    from graphbrick.show import print_recipe, print_recipes

    if name is None:
        print_recipes(list(published().values()), as_json=as_json)
    else:
        print_recipe(find(name), as_json=as_json)


@app.command()
def embed(
    graph: GraphFolder,
    model: Annotated[str, typer.Option("--model", "-m", help="An embedder.")] = "MiniLM()",
    triples: Annotated[bool, typer.Option("--triples", help="Also every triple, for PruneTriples.")] = False,
    as_json: Json = False,
) -> None:
    """Embed the relation names and labels of a graph once, and keep the vectors beside it."""
    from graphbrick.errors import GraphbrickError, InputError
    from graphbrick.models.embed_graph import embed_graph, n_texts
    from graphbrick.models.embedder import Embedder
    from graphbrick.models.vectors import store_of
    from graphbrick.parsing import parse_brick
    from graphbrick.show import print_json, progress_bar
    from graphbrick.trace import Trace, record

    embedder = parse_brick(model)
    if not isinstance(embedder, Embedder):
        raise InputError(f"--model takes an embedder, got {embedder!r}; try MiniLM() or EmbeddingModel('folder')")
    opened = _open(graph)
    with (
        progress_bar(f"embedding {graph}", n_texts(opened, triples=triples)) as advance,
        record(Trace(), "embed", "embed") as entry,
    ):
        made = embed_graph(opened, embedder, triples=triples, progress=advance)
    if entry.events and store_of(opened).missing(embedder, [opened.relation_label(0)] if opened.n_relations else []):
        raise GraphbrickError(entry.events[-1])
    for event in entry.events:
        typer.echo(f"note: {event}", err=True)
    folder = str(store_of(opened).folder)
    if as_json:
        print_json({"embedded": made, "folder": folder})
    else:
        typer.echo(f"{made:,} texts embedded, kept in {folder}")


@app.command()
def demo(
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Build the world graph again.")] = False,
) -> None:
    """Build a graph of the world and answer questions of one, two and three hops over it."""
    from graphbrick.demo.run import run_demo

    run_demo(DEFAULT_PIPELINE, rebuild=rebuild)


def _pipeline(text: str | None, recipe: str | None, parts: list[str]) -> Pipeline:
    """The pipeline that the options of ``ask`` name."""
    from graphbrick.errors import InputError
    from graphbrick.parsing import parse
    from graphbrick.recipes import recipe as find

    if recipe is None:
        if parts:
            raise InputError("--set sets a part of a recipe; give --recipe too, or write the brick into --pipeline")
        return parse(DEFAULT_PIPELINE if text is None else text)
    if text is not None:
        raise InputError(
            "--pipeline and --recipe exclude each other; graphbrick recipes NAME prints the text to change"
        )
    chosen = {}
    for part in parts:
        name, equals, brick = part.partition("=")
        if not equals:
            raise InputError(f'--set takes PART=BRICK, got {part!r}; try --set "embedder=BM25()"')
        chosen[name.strip()] = brick
    return find(recipe).pipeline(**chosen)


def _open(path: Path) -> Graph:
    from graphbrick.graphs.graph import Graph

    return Graph.open(path)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with its code: 0 done, 1 user error (one line on stderr), 2 nothing found."""
    from graphbrick.errors import GraphbrickError

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that cannot show a letter is no reason to stop
    command = typer.main.get_command(app)
    try:
        code = command.main(arguments, prog_name="graphbrick", standalone_mode=False)
    except NothingFoundError:
        code = 2
    except GraphbrickError as error:
        code = _fail(str(error))
    except typer.Abort:
        code = 130
    except Exception as error:
        # Usage errors come from click, or from the copy of it that typer brings along.
        if hasattr(error, "format_message"):
            code = _fail(f"{error.format_message()} (graphbrick --help shows the usage)")
        elif isinstance(error, OSError):
            code = _fail(f"{error.filename or 'input or output'}: {error.strerror or error}")
        else:
            raise
    sys.exit(code if isinstance(code, int) else 0)


def _fail(message: str) -> int:
    shown = "".join(c if c.isprintable() else " " for c in " ".join(message.split()))
    typer.echo(f"error: {shown}", err=True)
    return 1


if __name__ == "__main__":
    main()
