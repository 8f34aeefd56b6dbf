"""Arguments and options that several commands share, and the objects that they name."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

# Everything else is imported where it is used, so that help is shown at once.
if TYPE_CHECKING:
    from graphbrick.graphs.databases.graph import DatabaseGraph
    from graphbrick.graphs.graph import Graph
    from graphbrick.graphs.local.extracted import ExtractedGraph
    from graphbrick.graphs.readers import ReadOptions
    from graphbrick.models.embedders.embedder import Embedder

ANSWERS_SHOWN = 20
"""Answers that are printed, unless --limit says otherwise."""


def as_folder(text: str) -> Path:
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


def as_file(text: str) -> Path:
    """Return the file or folder of a source; an address is an error, which does not show its password."""
    from graphbrick.graphs.databases.address import is_address, is_sql_address

    if is_address(text) or is_sql_address(text):
        from graphbrick.core.errors import InputError

        kind = text.partition(":")[0]
        raise InputError(f"this command reads files and folders, not an address such as {kind}:...; build takes one")
    return Path(text)


GraphFolder = Annotated[
    Path, typer.Argument(metavar="GRAPH", help="Folder of the graph.", show_default=False, parser=as_folder)
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
Source = Annotated[
    Path,
    typer.Argument(metavar="SOURCE", help="File of triples, or folder of nodes.* and edges.*", parser=as_file),
]
Nodes = Annotated[
    Path | None, typer.Option(help="Table of nodes: keys, names, types, descriptions, aliases, properties.")
]
Delimiter = Annotated[str | None, typer.Option(help="Column delimiter; recognised by default.")]
Columns = Annotated[
    str | None,
    typer.Option(
        help="Head, relation and tail column, by name or number: from,type,to or 1,2,3; with --relation: from,to."
    ),
]
Relation = Annotated[
    str | None, typer.Option(metavar="NAME", help="Relation of edges whose table has no column of relations.")
]
Name = Annotated[str | None, typer.Option("--name", metavar="COLUMN", help="Node tables: column of names.")]
Type = Annotated[str | None, typer.Option("--type", metavar="COLUMN", help="Node tables: column of types.")]
Key = Annotated[str | None, typer.Option("--key", metavar="COLUMN", help="Node tables: column of keys.")]
References = Annotated[
    list[str] | None,
    typer.Option(
        "--reference",
        metavar="TABLE.COLUMN=TABLE",
        help="Related tables: what a column refers to; repeatable. With nothing after =, a column refers to nothing.",
    ),
]
Quote = Annotated[
    bool | None, typer.Option("--quote/--no-quote", help="Whether cells may stand in quotes; recognised by default.")
]
Header = Annotated[bool | None, typer.Option("--header/--no-header", help="Whether the first row names the columns.")]
Language = Annotated[str, typer.Option(help="Preferred language of RDF labels.")]
Lenient = Annotated[
    bool, typer.Option("--lenient", help="Mend lines of RDF dumps, and count those that cannot be mended.")
]
Decimal = Annotated[
    str | None,
    typer.Option(metavar="MARK", help="Mark for decimals in columns such as 1,234 that leave it open: . or ,"),
]
Dates = Annotated[
    str | None, typer.Option(metavar="ORDER", help="Order in dates such as 5/6/2021 that leave it open: dmy or mdy.")
]
LearnAgain = Annotated[
    bool, typer.Option("--learn", help="Then learn the graph, if it was not learned or has new relations since.")
]
SkipBad = Annotated[bool, typer.Option("--skip-bad", help="Leave bad records out, count and list them.")]


def read_options(
    delimiter: str | None, columns: str | None, header: bool | None, language: str, **others: Any
) -> ReadOptions:
    """Return how to read a source, from the options of a command.

    Args:
        delimiter: The text between columns.
        columns: The columns of head, relation and tail, separated by commas; head and tail for one relation.
        header: Whether the first row names the columns.
        language: Preferred language of RDF labels.
        **others: Further fields of `ReadOptions`.
    """
    from graphbrick.core.errors import InputError
    from graphbrick.graphs.readers import ReadOptions

    names: Any = None
    if columns is not None:
        names = tuple(part.strip() for part in columns.split(","))
        if len(names) != 3 and not (len(names) == 2 and others.get("relation")):
            raise InputError(
                f"--columns takes three columns, head, relation and tail, got {columns!r}; try 1,2,3, or with "
                "--relation NAME two, head and tail"
            )
    return ReadOptions(delimiter=delimiter, header=header, columns=names, language=language, **others)


def chosen_embedder(text: str, option: str) -> Embedder:
    """Return the embedder that an option names."""
    from graphbrick.core.errors import InputError
    from graphbrick.models.embedders.embedder import Embedder
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
    from graphbrick.graphs.local.extracted import ExtractedGraph

    opened = open_any(place)
    if isinstance(opened, ExtractedGraph):
        raise InputError(
            f"{place} holds extracted subgraphs, which ask, evaluate and info take, and this command needs one graph; "
            "build one from the source of the extraction"
        )
    return opened


def open_any(place: str | Path) -> Graph | DatabaseGraph | ExtractedGraph:
    """Open the graph of any kind that a command names."""
    from graphbrick.graphs import opening

    return opening.open(place)
