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
    from graphbrick.graphs.readers import ReadOptions
    from graphbrick.models.embedder import Embedder
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
# What commands that read a source share
Source = Annotated[Path, typer.Argument(metavar="SOURCE", help="File of triples, or folder of nodes.* and edges.*")]
Nodes = Annotated[Path | None, typer.Option(help="Table of keys, labels, types, descriptions, aliases.")]
Delimiter = Annotated[str | None, typer.Option(help="Column delimiter; recognised by default.")]
Columns = Annotated[
    str | None, typer.Option(help="Head, relation and tail column, by name or number: from,type,to or 1,2,3.")
]
Header = Annotated[bool | None, typer.Option("--header/--no-header", help="Whether the first row names the columns.")]
Language = Annotated[str, typer.Option(help="Preferred language of RDF labels.")]
SkipBad = Annotated[bool, typer.Option("--skip-bad", help="Leave bad records out, count and list them.")]


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
    source: Source,
    graph: Annotated[Path, typer.Argument(metavar="GRAPH", help="Folder to make.")],
    nodes: Nodes = None,
    delimiter: Delimiter = None,
    columns: Columns = None,
    header: Header = None,
    language: Language = "en",
    labels: Annotated[Path | None, typer.Option(help="Table of keys and labels, for what is there.")] = None,
    label_relation: Annotated[
        list[str] | None, typer.Option(metavar="RELATION", help="Its triples are labels; may be repeated.")
    ] = None,
    include: Annotated[
        list[str] | None, typer.Option(metavar="PATTERN", help="Keep only relations such as 'people.*'; repeatable.")
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(metavar="PATTERN", help="Leave out relations such as 'common.*'; repeatable.")
    ] = None,
    preset: Annotated[str | None, typer.Option(help="Rules for a known graph: freebase.")] = None,
    near: Annotated[
        bool | None, typer.Option("--near/--no-near", help="Index near misses of names [up to 20,000,000 entities].")
    ] = None,
    skip_bad: SkipBad = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the graph that is there.")] = False,
    as_json: Json = False,
) -> None:
    """Build a graph folder from a file: .txt .tsv .csv .parquet .nt .ttl and others, also .gz and .zst."""
    from graphbrick.graphs.builder import build
    from graphbrick.graphs.rules import rules_named
    from graphbrick.show import build_progress, print_built

    options = _read_options(delimiter, columns, header, language)
    rules = rules_named(preset).with_patterns(tuple(include or ()), tuple(exclude or ()), tuple(label_relation or ()))
    with build_progress(f"building {graph}") as watch:
        built = build(
            source,
            graph,
            nodes=nodes,
            labels=labels,
            options=options,
            rules=rules,
            near=near,
            skip_bad=skip_bad,
            overwrite=overwrite,
            watch=watch,
        )
    print_built(built, as_json=as_json)


@app.command()
def add(
    graph: GraphFolder,
    source: Source,
    nodes: Nodes = None,
    delimiter: Delimiter = None,
    columns: Columns = None,
    header: Header = None,
    language: Language = "en",
    skip_bad: SkipBad = False,
    as_json: Json = False,
) -> None:
    """Add triples, and what is known of entities, to a graph that was built."""
    from graphbrick.graphs.delta import change
    from graphbrick.show import progress
    from graphbrick.show_changes import print_change

    options = _read_options(delimiter, columns, header, language)
    with progress(f"adding to {graph}") as advance:
        done = change(graph, add=source, nodes=nodes, options=options, skip_bad=skip_bad, progress=advance)
    print_change(done, as_json=as_json)


@app.command()
def delete(
    graph: GraphFolder,
    source: Source,
    delimiter: Delimiter = None,
    columns: Columns = None,
    header: Header = None,
    skip_bad: SkipBad = False,
    ignore_missing: Annotated[
        bool, typer.Option("--ignore-missing", help="Pass over triples that are not there, and list them.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Delete triples from a graph; the entities stay."""
    from graphbrick.graphs.delta import change
    from graphbrick.show import progress
    from graphbrick.show_changes import print_change

    options = _read_options(delimiter, columns, header, "en")
    with progress(f"deleting from {graph}") as advance:
        done = change(
            graph, delete=source, options=options, skip_bad=skip_bad, ignore_missing=ignore_missing, progress=advance
        )
    print_change(done, as_json=as_json)


@app.command("compact")
def compact_command(graph: GraphFolder, as_json: Json = False) -> None:
    """Fold what was added and deleted into a graph, by building it anew."""
    from graphbrick.graphs.compact import compact
    from graphbrick.show import print_built, progress

    with progress(f"compacting {graph}") as advance:
        built = compact(graph, progress=advance)
    print_built(built, as_json=as_json)


def _read_options(delimiter: str | None, columns: str | None, header: bool | None, language: str) -> ReadOptions:
    """How to read a source, as the command line says it."""
    from graphbrick.errors import InputError
    from graphbrick.graphs.readers import ReadOptions

    names = None
    if columns is not None:
        parts = [part.strip() for part in columns.split(",")]
        if len(parts) != 3:
            raise InputError(f"--columns takes three columns, head, relation and tail, got {columns!r}; try 1,2,3")
        names = (parts[0], parts[1], parts[2])
    return ReadOptions(delimiter=delimiter, header=header, columns=names, language=language)


@app.command()
def info(
    graph: GraphFolder,
    check: Annotated[bool, typer.Option("--check", help="Also check checksums, and that all files fit.")] = False,
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
    from graphbrick.errors import GraphbrickError
    from graphbrick.models.embed_graph import embed_graph, n_texts
    from graphbrick.models.vectors import store_of
    from graphbrick.show import print_json, progress_bar
    from graphbrick.trace import Trace, record

    embedder, opened = _embedder(model), _open(graph)
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
def partition(
    graph: GraphFolder,
    resolution: Annotated[float, typer.Option(help="Of modularity; the higher, the more partitions.")] = 1.0,
    size: Annotated[int, typer.Option(help="Entities; a partition of more is parted again.")] = 100_000,
    seed: Annotated[int, typer.Option(help="Where the random numbers start.")] = 0,
    as_json: Json = False,
) -> None:
    """Part a graph into communities once, for Communities, and keep the partitions beside it."""
    from graphbrick.extract.communities import Communities
    from graphbrick.graphs.partitions import Method, keep, kept, part
    from graphbrick.show import print_partitions, progress_bar

    brick = Communities(resolution=resolution, size=size, seed=seed)  # which says what is allowed
    method, opened = Method(float(brick.resolution), brick.seed, brick.size), _open(graph)
    with progress_bar(f"partitioning {graph}", opened.n_entities) as advance:
        found = part(opened, method, progress=advance)
    keep(opened, method, found)
    print_partitions(found, str(kept(opened, method).folder), as_json=as_json)


@app.command()
def index(
    graph: GraphFolder,
    model: Annotated[str, typer.Option("--model", "-m", help="An embedder.")] = "MiniLM()",
    triples: Annotated[bool, typer.Option("--triples", help="Over the triples, not the entities.")] = False,
    as_json: Json = False,
) -> None:
    """Index the embeddings of a graph's entities, or of its triples, for VectorNeighbors, and keep that beside it."""
    from graphbrick.models.vector_index import build_index, kept, n_texts
    from graphbrick.show import print_json, progress_bar
    from graphbrick.trace import Trace, record

    embedder, opened = _embedder(model), _open(graph)
    unit = "triple" if triples else "entity"
    with (
        progress_bar(f"indexing {graph}", n_texts(opened, unit)) as advance,
        record(Trace(), "index", "index") as entry,
    ):
        made = build_index(opened, embedder, unit, progress=advance)
    for event in entry.events:
        typer.echo(f"note: {event}", err=True)
    folder = str(kept(opened, embedder, unit).folder)
    if as_json:
        print_json({"vectors": len(made), "dimensions": made.dimensions, "folder": folder})
    else:
        typer.echo(f"{len(made):,} vectors of {made.dimensions} dimensions indexed, kept in {folder}")


@app.command()
def hubs(
    graph: GraphFolder,
    pipeline: Annotated[
        str, typer.Option("--ppr", help="PPR with the restart, direction and tolerance of the queries.")
    ] = "PPR()",
    as_json: Json = False,
) -> None:
    """Work out where walks from the hubs of a large graph end, for PPR, and keep it beside the graph."""
    from graphbrick.errors import InputError
    from graphbrick.extract.hubs import hubs_of
    from graphbrick.extract.ppr import PPR
    from graphbrick.parsing import parse_brick
    from graphbrick.show import print_json, progress_bar

    brick = parse_brick(pipeline)
    if not isinstance(brick, PPR):
        raise InputError(f"--ppr takes the brick PPR, got {brick!r}; try 'PPR(restart=0.2, direction=\"out\")'")
    opened = _open(graph)
    with progress_bar(f"working out the hubs of {graph}", len(hubs_of(opened, brick.direction))) as advance:
        done = brick.keep_hubs(opened, advance)
    if as_json:
        print_json({"hubs": done})
    else:
        typer.echo(f"{done:,} hubs" if done else "0 hubs: a graph of this size needs none")


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


def _embedder(text: str) -> Embedder:
    """The model that ``--model`` names."""
    from graphbrick.errors import InputError
    from graphbrick.models.embedder import Embedder
    from graphbrick.parsing import parse_brick

    embedder = parse_brick(text)
    if not isinstance(embedder, Embedder):
        raise InputError(f"--model takes an embedder, got {embedder!r}; try MiniLM() or EmbeddingModel('folder')")
    return embedder


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
