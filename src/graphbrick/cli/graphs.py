"""The commands about graphs and the files beside them; `graphbrick.cli.app` gives them their names."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

# Everything else is imported where it is used, so that help is shown at once.
if TYPE_CHECKING:
    from graphbrick.embedders.embedder import Embedder
    from graphbrick.graphs.databases.graph import DatabaseGraph
    from graphbrick.graphs.extracted import ExtractedGraph
    from graphbrick.graphs.graph import Graph
    from graphbrick.graphs.readers import ReadOptions


def _folder(text: str) -> Path:
    """Return the folder of a graph; an address is an error that says to build one."""
    from graphbrick.graphs.databases.address import Address, is_address

    if is_address(text):
        from graphbrick.core.errors import InputError

        address = Address.read(text)
        raise InputError(
            f"{address} is a database, and this command needs a folder; build one first: "
            f"graphbrick build {shlex.quote(text)} my.graph"
        )
    return Path(text)


GraphFolder = Annotated[
    Path, typer.Argument(metavar="GRAPH", help="Folder of the graph.", show_default=False, parser=_folder)
]
GraphPlace = Annotated[
    str,
    typer.Argument(
        metavar="GRAPH",
        help="Folder of the graph, or its address, such as bolt://localhost:7687/films.",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
# Shared by the commands that read a source
Source = Annotated[Path, typer.Argument(metavar="SOURCE", help="File of triples, or folder of nodes.* and edges.*")]
Nodes = Annotated[Path | None, typer.Option(help="Table of keys, labels, types, descriptions, aliases.")]
Delimiter = Annotated[str | None, typer.Option(help="Column delimiter; recognised by default.")]
Columns = Annotated[
    str | None, typer.Option(help="Head, relation and tail column, by name or number: from,type,to or 1,2,3.")
]
Header = Annotated[bool | None, typer.Option("--header/--no-header", help="Whether the first row names the columns.")]
Language = Annotated[str, typer.Option(help="Preferred language of RDF labels.")]
LearnAgain = Annotated[
    bool, typer.Option("--learn", help="Then learn the graph, if it was not learned or has new relations since.")
]
SkipBad = Annotated[bool, typer.Option("--skip-bad", help="Leave bad records out, count and list them.")]


def build(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE", help="File of triples, folder of nodes.* and edges.*, or address of a database."
        ),
    ],
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
    learn: LearnAgain = False,
    as_json: Json = False,
) -> None:
    """Build a graph folder from a file, also .gz and .zst, or from a database, such as bolt://localhost:7687/films."""
    from graphbrick.cli.printing.graphs import print_built
    from graphbrick.cli.progress import progress
    from graphbrick.cli.renewing import after_change
    from graphbrick.core.errors import InputError
    from graphbrick.graphs.builder import build
    from graphbrick.graphs.databases.address import is_address
    from graphbrick.graphs.rules import rules_named

    if is_address(source):
        from graphbrick.core.trace import Trace, record
        from graphbrick.graphs.copying import copy_graph

        if any(
            (nodes, delimiter, columns, header is not None, labels, label_relation, include, exclude, preset, skip_bad)
        ):
            raise InputError(
                f"{source} is a database, which takes only --near, --overwrite and --learn; the others are for files"
            )
        with progress(f"copying {source}") as report, record(Trace(), "copy", "build") as entry:
            copied = copy_graph(source, graph, near=near, overwrite=overwrite, progress=report.step)
        for event in entry.events:
            typer.echo(f"note: {event}", err=True)
        print_built(copied, as_json=as_json, learning=learn)
        after_change(graph, learn_again=learn)
        return
    options = read_options(delimiter, columns, header, language)
    rules = rules_named(preset).with_patterns(tuple(include or ()), tuple(exclude or ()), tuple(label_relation or ()))
    with progress(f"building {graph}") as report:
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
            watch=report.share,
        )
    print_built(built, as_json=as_json, learning=learn)
    after_change(graph, learn_again=learn)


def refresh(
    graph: GraphFolder,
    full: Annotated[bool, typer.Option("--full", help="Copy everything, whatever the database tells.")] = False,
    learn: LearnAgain = False,
    as_json: Json = False,
) -> None:
    """Bring a graph up to date with the database it was copied from; copies only what is new where that can be told."""
    from graphbrick.cli.printing.graphs import print_refreshed
    from graphbrick.cli.progress import progress
    from graphbrick.cli.renewing import after_change
    from graphbrick.core.trace import Trace, record
    from graphbrick.graphs.refreshing import refresh_graph

    with progress(f"refreshing {graph}") as report, record(Trace(), "refresh", "build") as entry:
        done = refresh_graph(graph, full=full, progress=report.step)
    for event in entry.events:
        typer.echo(f"note: {event}", err=True)
    print_refreshed(graph, done, as_json=as_json)
    after_change(graph, learn_again=learn)


def add(
    graph: GraphFolder,
    source: Source,
    nodes: Nodes = None,
    delimiter: Delimiter = None,
    columns: Columns = None,
    header: Header = None,
    language: Language = "en",
    skip_bad: SkipBad = False,
    learn: LearnAgain = False,
    as_json: Json = False,
) -> None:
    """Add triples, and what is known of entities, to a graph that was built."""
    from graphbrick.cli.printing.graphs import print_change
    from graphbrick.cli.progress import progress
    from graphbrick.cli.renewing import after_change
    from graphbrick.graphs.delta import change

    options = read_options(delimiter, columns, header, language)
    with progress(f"adding to {graph}") as report:
        done = change(graph, add=source, nodes=nodes, options=options, skip_bad=skip_bad, progress=report.count)
    print_change(done, as_json=as_json)
    after_change(graph, learn_again=learn)


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
    from graphbrick.cli.printing.graphs import print_change
    from graphbrick.cli.progress import progress
    from graphbrick.graphs.delta import change

    options = read_options(delimiter, columns, header, "en")
    with progress(f"deleting from {graph}") as report:
        done = change(
            graph,
            delete=source,
            options=options,
            skip_bad=skip_bad,
            ignore_missing=ignore_missing,
            progress=report.count,
        )
    print_change(done, as_json=as_json)


def compact(graph: GraphFolder, as_json: Json = False) -> None:
    """Fold what was added and deleted into a graph, by building it anew."""
    from graphbrick.cli.printing.graphs import print_built
    from graphbrick.cli.progress import progress
    from graphbrick.graphs.compact import compact

    with progress(f"compacting {graph}") as report:
        built = compact(graph, progress=report.count)
    print_built(built, as_json=as_json)


def read_options(delimiter: str | None, columns: str | None, header: bool | None, language: str) -> ReadOptions:
    """Return how to read a source, from the options of a command."""
    from graphbrick.core.errors import InputError
    from graphbrick.graphs.readers import ReadOptions

    names = None
    if columns is not None:
        parts = [part.strip() for part in columns.split(",")]
        if len(parts) != 3:
            raise InputError(f"--columns takes three columns, head, relation and tail, got {columns!r}; try 1,2,3")
        names = (parts[0], parts[1], parts[2])
    return ReadOptions(delimiter=delimiter, header=header, columns=names, language=language)


def info(
    graph: GraphPlace,
    check: Annotated[bool, typer.Option("--check", help="Also check checksums, and that all files fit.")] = False,
    as_json: Json = False,
) -> None:
    """Show what a graph holds."""
    from graphbrick.cli.printing.graphs import print_extracted, print_info, print_schema
    from graphbrick.graphs.databases.graph import DatabaseGraph
    from graphbrick.graphs.extracted import ExtractedGraph

    opened = open_any(graph)
    if isinstance(opened, DatabaseGraph):
        if check:
            _folder(graph)
        print_schema(opened, as_json=as_json)
        return
    if isinstance(opened, ExtractedGraph):
        if check:
            opened.check()
        print_extracted(opened, checked=check, as_json=as_json)
        return
    if check:
        opened.check()
    print_info(opened, checked=check, as_json=as_json)


def export(
    graph: GraphFolder,
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="File or folder to make.", show_default=False)],
    to: Annotated[
        str, typer.Option("--to", help="ladybug, neo4j-csv, parquet, nt, graphml, networkx, graphrag or lightrag.")
    ],
    base: Annotated[str | None, typer.Option(help="nt: what IRIs of other keys begin with [urn:graphbrick:].")] = None,
    embedder: Annotated[str, typer.Option(metavar="MODEL", help="lightrag: what it embeds by.")] = "MiniLM()",
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace what is there.")] = False,
    as_json: Json = False,
) -> None:
    """Write a graph for other programs: a database, tables, RDF, GraphML, JSON, GraphRAG, LightRAG."""
    from graphbrick.cli.printing.terminal import print_json
    from graphbrick.cli.progress import progress
    from graphbrick.core.counting import counted
    from graphbrick.graphs.export.formats import export
    from graphbrick.text.exporting import TEXT_FORMATS, export_text

    opened = open_graph(graph)
    counts = {"entities": opened.n_entities, "triples": opened.n_triples}
    with progress(f"exporting {graph}") as report:
        if to in TEXT_FORMATS:
            model = chosen_embedder(embedder, "--embedder")
            written = export_text(opened, target, to, embedder=model, overwrite=overwrite)
            counts = {"entities": opened.n_entities, "relations": written.relations}
        else:
            export(opened, target, to, base=base, overwrite=overwrite, progress=report.step)
    if as_json:
        print_json({"target": str(target), **counts})
        return
    nouns = {"entities": "entity", "triples": "triple", "relations": "relation"}
    typer.echo(f"{target}: {', '.join(counted(count, nouns[name]) for name, count in counts.items())}")


def chosen_embedder(text: str, option: str) -> Embedder:
    """Return the embedder that an option names."""
    from graphbrick.core.errors import InputError
    from graphbrick.embedders.embedder import Embedder
    from graphbrick.pipeline.parsing import parse_brick

    embedder = parse_brick(text)
    if not isinstance(embedder, Embedder):
        raise InputError(f"{option} takes an embedder, got {embedder!r}; try MiniLM() or EmbeddingModel('folder')")
    return embedder


def open_graph(path: Path) -> Graph:
    """Open the graph folder that a command names.

    Raises:
        InputError: It holds extracted subgraphs, and the command needs one graph.
    """
    from graphbrick.graphs.databases.graph import DatabaseGraph

    opened = open_place(str(path))
    assert not isinstance(opened, DatabaseGraph)
    return opened


def open_place(place: str) -> Graph | DatabaseGraph:
    """Open the folder or the database that a command names.

    Raises:
        InputError: It holds extracted subgraphs, and the command needs one graph.
    """
    from graphbrick.core.errors import InputError
    from graphbrick.graphs.extracted import ExtractedGraph

    opened = open_any(place)
    if isinstance(opened, ExtractedGraph):
        raise InputError(
            f"{place} holds extracted subgraphs, which ask, evaluate and info take, and this command needs one graph; "
            "build one from the source of the extraction"
        )
    return opened


def open_any(place: str | Path) -> Graph | DatabaseGraph | ExtractedGraph:
    """Open the graph of any kind that a command names."""
    from graphbrick.graphs.opening import open_graph

    return open_graph(place)
