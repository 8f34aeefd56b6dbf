"""The commands about graphs and the files beside them; `graphbrick.cli.app` gives them their names."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphbrick.cli.options import (
    Columns,
    Dates,
    Decimal,
    Delimiter,
    GraphFolder,
    GraphPlace,
    Header,
    Json,
    Key,
    Language,
    LearnAgain,
    Lenient,
    Name,
    Nodes,
    Quote,
    References,
    Relation,
    SkipBad,
    Source,
    Type,
    as_folder,
    chosen_embedder,
    open_any,
    open_graph,
    read_options,
)

# Everything else is imported where it is used, so that help is shown at once.
if TYPE_CHECKING:
    pass


def build(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="File of triples, folder of tables, SQLite or DuckDB file, workbook, or address of a database.",
        ),
    ],
    graph: Annotated[Path, typer.Argument(metavar="GRAPH", help="Folder to make.")],
    nodes: Nodes = None,
    delimiter: Delimiter = None,
    columns: Columns = None,
    header: Header = None,
    relation: Relation = None,
    name: Name = None,
    type_: Type = None,
    key: Key = None,
    quote: Quote = None,
    reference: References = None,
    decimal: Decimal = None,
    dates: Dates = None,
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
    lenient: Lenient = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the graph that is there.")] = False,
    learn: LearnAgain = False,
    as_json: Json = False,
) -> None:
    """Build a graph from a file, a folder or a database.

    Each row of related tables (CSV files with foreign keys, sheets, SQL databases) is an entity. Files may be packed.
    A database is named by its address, such as bolt://localhost:7687/films or postgresql://localhost/shop.
    """
    from graphbrick.cli.graphs.finishing import completed
    from graphbrick.cli.graphs.renewing import after_change
    from graphbrick.cli.printing.graphs import print_built, print_understood
    from graphbrick.cli.progress import note_events, progress
    from graphbrick.core.errors import InputError
    from graphbrick.graphs.build.builder import build
    from graphbrick.graphs.databases.address import is_address, is_sql_address
    from graphbrick.graphs.readers import opened_source, understood_files
    from graphbrick.graphs.records.rules import rules_named

    if is_address(source) and not is_sql_address(source):
        from graphbrick.core.trace import Trace, record
        from graphbrick.graphs.changes.copying import copy_graph

        of_tables = (relation, name, type_, key, quote is not None, reference, decimal, dates)
        of_files = (nodes, delimiter, columns, header is not None, labels, label_relation, include, exclude, preset)
        if any((*of_tables, *of_files, skip_bad, lenient)):
            raise InputError(
                f"{source} is a database, which takes only --near, --overwrite and --learn; the others are for files"
            )
        with progress(f"copying {source}") as report, record(Trace(), "copy", "build") as entry:
            copied = copy_graph(source, graph, near=near, overwrite=overwrite, progress=report)
        note_events(entry.events)
        print_built(copied, as_json=as_json, learning=learn)
        after_change(graph, learn_again=learn)
        return
    roles = {"relation": relation, "name": name, "type": type_, "key": key, "quote": quote, "lenient": lenient}
    roles |= {"decimal": decimal, "dates": dates}
    options = read_options(delimiter, columns, header, language, references=tuple(reference or ()), **roles)
    rules = rules_named(preset).with_patterns(tuple(include or ()), tuple(exclude or ()), tuple(label_relation or ()))
    with opened_source(source, nodes, options) as files:
        told = understood_files(files, options)
        if not as_json:
            print_understood(told)
        make = partial(build, files, graph, labels=labels, options=options, rules=rules, near=near)
        with progress(f"building {graph}", unit="share") as report:
            make = partial(make, skip_bad=skip_bad, overwrite=overwrite, progress=report)
            built = completed(graph, make)
    print_built(built, as_json=as_json, learning=learn, understood=told)
    after_change(graph, learn_again=learn)


def refresh(
    graph: GraphFolder,
    full: Annotated[bool, typer.Option("--full", help="Copy everything, whatever the database tells.")] = False,
    learn: LearnAgain = False,
    as_json: Json = False,
) -> None:
    """Bring a graph up to date with the database it came from.

    Only what is new is copied where that can be told.
    """
    from graphbrick.cli.graphs.renewing import after_change
    from graphbrick.cli.printing.graphs import print_refreshed
    from graphbrick.cli.progress import note_events, progress
    from graphbrick.core.trace import Trace, record
    from graphbrick.graphs.changes.refreshing import refresh_graph

    with progress(f"refreshing {graph}") as report, record(Trace(), "refresh", "build") as entry:
        done = refresh_graph(graph, full=full, progress=report)
    note_events(entry.events)
    print_refreshed(graph, done, as_json=as_json)
    after_change(graph, learn_again=learn)


def add(
    graph: GraphFolder,
    source: Source,
    nodes: Nodes = None,
    delimiter: Delimiter = None,
    columns: Columns = None,
    header: Header = None,
    relation: Relation = None,
    name: Name = None,
    type_: Type = None,
    key: Key = None,
    quote: Quote = None,
    language: Language = "en",
    skip_bad: SkipBad = False,
    lenient: Lenient = False,
    learn: LearnAgain = False,
    as_json: Json = False,
) -> None:
    """Add triples, and facts about entities, to a graph."""
    from graphbrick.cli.graphs.renewing import after_change
    from graphbrick.cli.printing.graphs import print_change
    from graphbrick.cli.progress import progress
    from graphbrick.graphs.changes.delta import change

    roles = {"relation": relation, "name": name, "type": type_, "key": key, "quote": quote}
    options = read_options(delimiter, columns, header, language, lenient=lenient, **roles)
    with progress(f"adding to {graph}") as report:
        done = change(graph, add=source, nodes=nodes, options=options, skip_bad=skip_bad, progress=report)
    print_change(done, as_json=as_json)
    after_change(graph, learn_again=learn)


def delete(
    graph: GraphFolder,
    source: Source,
    delimiter: Delimiter = None,
    columns: Columns = None,
    header: Header = None,
    relation: Relation = None,
    quote: Quote = None,
    skip_bad: SkipBad = False,
    ignore_missing: Annotated[
        bool, typer.Option("--ignore-missing", help="Pass over triples that are not there, and list them.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Delete triples from a graph; the entities stay."""
    from graphbrick.cli.printing.graphs import print_change
    from graphbrick.cli.progress import progress
    from graphbrick.graphs.changes.delta import change

    options = read_options(delimiter, columns, header, "en", relation=relation, quote=quote)
    with progress(f"deleting from {graph}") as report:
        done = change(
            graph,
            delete=source,
            options=options,
            skip_bad=skip_bad,
            ignore_missing=ignore_missing,
            progress=report,
        )
    print_change(done, as_json=as_json)


def compact(graph: GraphFolder, as_json: Json = False) -> None:
    """Rebuild a graph with all its changes folded in."""
    from graphbrick.cli.printing.graphs import print_built
    from graphbrick.cli.progress import progress
    from graphbrick.graphs.changes.compact import compact

    with progress(f"compacting {graph}") as report:
        built = compact(graph, progress=report)
    print_built(built, as_json=as_json)


def info(
    graph: GraphPlace,
    check: Annotated[bool, typer.Option("--check", help="Also check checksums, and that all files fit.")] = False,
    as_json: Json = False,
) -> None:
    """Show what a graph holds."""
    from graphbrick.cli.printing.graphs import print_extracted, print_info, print_schema
    from graphbrick.graphs.databases.graph import DatabaseGraph
    from graphbrick.graphs.local.extracted import ExtractedGraph

    opened = open_any(graph)
    if isinstance(opened, DatabaseGraph):
        if check:
            as_folder(graph)
        print_schema(opened, as_json=as_json)
        return
    if isinstance(opened, ExtractedGraph):
        if check:
            opened.check()
        print_extracted(opened, checked=check, as_json=as_json)
        return
    if check:
        from graphbrick.cli.graphs.checking import check_all
        from graphbrick.cli.progress import note_events

        note_events(check_all(opened))
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
    """Write a graph for other programs: a database, tables, RDF.

    Also GraphML, JSON, and the files of GraphRAG and LightRAG.
    """
    from graphbrick.cli.printing.properties import print_not_kept
    from graphbrick.cli.printing.terminal import console, print_json
    from graphbrick.cli.progress import progress
    from graphbrick.graphs.export.formats import EXPORTS, export
    from graphbrick.language.counting import counted

    opened, form = open_graph(graph), EXPORTS.find(to)
    options: dict[str, object] = {} if base is None else {"base": base}
    if form is not None and "embedder" in form.takes:
        options["embedder"] = chosen_embedder(embedder, "--embedder")
    with progress(f"exporting {graph}") as report:
        written = export(opened, target, to, overwrite=overwrite, progress=report, **options)
    counts = {"entities": opened.n_entities, "triples": opened.n_triples}
    if written.relations is not None:
        counts = {"entities": opened.n_entities, "relations": written.relations}
    left_out = written.left_out.to_dict() if written.left_out is not None else {}
    if as_json:
        print_json({"target": str(target), **counts, **({"left_out": left_out} if left_out else {})})
        return
    nouns = {"entities": "entity", "triples": "triple", "relations": "relation"}
    typer.echo(f"{target}: {', '.join(counted(count, nouns[name]) for name, count in counts.items())}")
    print_not_kept(console(), left_out)
