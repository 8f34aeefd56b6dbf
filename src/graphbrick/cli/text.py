"""The commands about graphs made from documents; `graphbrick.cli.app` gives them their names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphbrick.cli.graphs import GraphFolder, Json

# Everything else is imported where it is used, so that help is shown at once.
if TYPE_CHECKING:
    from graphbrick.text.chunks import Chunker
    from graphbrick.text.extraction import Extractor

_SHOWN = 10


def index(
    places: Annotated[
        list[Path],
        typer.Argument(
            metavar="SOURCE... GRAPH",
            help="Files or folders of documents, and the folder of the graph to make or bring up to date.",
            show_default=False,
        ),
    ],
    text: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Tables: columns of text, as in title,sections.answer.")
    ] = None,
    title: Annotated[str | None, typer.Option(metavar="COLUMN", help="Tables: column of titles.")] = None,
    key: Annotated[str | None, typer.Option(metavar="COLUMN", help="Tables: column with a name for each row.")] = None,
    section: Annotated[str | None, typer.Option(metavar="COLUMN", help="Tables: column of headings.")] = None,
    chunks: Annotated[
        str | None, typer.Option(metavar="BRICK", help="Cuts documents into passages [ByHeading(n=200)].")
    ] = None,
    extract: Annotated[str | None, typer.Option(metavar="BRICK", help="Finds entities [Phrases()].")] = None,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Go on without files that cannot be read, and list them.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Make a graph from documents, or bring it up to date: txt, md, html, pdf, docx, rows of csv, jsonl, parquet."""
    from graphbrick.cli.printing.terminal import print_json
    from graphbrick.cli.progress import progress
    from graphbrick.core.errors import InputError
    from graphbrick.text.indexing import index
    from graphbrick.text.sources import SourceOptions

    *sources, graph = places
    if not sources and not graph.with_name(f"{graph.name}.text").is_dir():
        raise InputError(
            f"{graph} is the only folder named; name documents too: graphbrick index docs/ {graph} "
            f"(an index of the embeddings of a graph is made by graphbrick prepare vectors {graph})"
        )
    options = SourceOptions(text, title, key, section)
    with progress(f"indexing {graph}") as report:
        done = index(
            sources,
            graph,
            chunker=_chunker(chunks),
            extractor=_extractor(extract),
            options=options,
            skip_bad=skip_bad,
            progress=lambda step, at, total: report.step(step, at, total or None),
        )
    opened, reading = done.graph, done.reading
    counts = {
        "documents": done.documents,
        "added": reading.added,
        "changed": reading.changed,
        "deleted": reading.deleted,
        "passages": opened.n_passages,
        "extracted": done.extracted,
        "entities": opened.n_entities,
        "triples": opened.n_triples,
        "new": done.is_new,
    }
    if as_json:
        bad = [{"file": file, "reason": reason} for file, reason in reading.problems]
        others = [str(file) for file in reading.others]
        print_json({"graph": str(graph), **counts, "bad": bad, "other": others, "empty": done.empty})
        return
    typer.echo(
        f"{graph}: {done.documents:,} documents ({reading.added:,} new, {reading.changed:,} changed, "
        f"{reading.deleted:,} deleted), {opened.n_passages:,} passages ({done.extracted:,} read now), "
        f"{opened.n_entities:,} entities, {opened.n_triples:,} triples"
    )
    for note in _notes(reading.problems, reading.others, done.empty):
        typer.echo(f"note: {note}", err=True)
    if done.is_new and done.extractor.note:
        typer.echo(f"note: {done.extractor.note}", err=True)
    typer.echo(f'ask: graphbrick ask {graph} "..."')


def _notes(problems: list[tuple[str, str]], others: list[Path], empty: list[str]) -> list[str]:
    """Return what was left out, in sentences."""
    notes = [f"{file}: {reason}" for file, reason in problems[:_SHOWN]]
    if len(problems) > _SHOWN:
        notes.append(f"{len(problems) - _SHOWN:,} more files could not be read (graphbrick documents lists them)")
    if others:
        kinds = sorted({file.suffix or file.name for file in others})
        notes.append(f"{len(others):,} files of other kinds were left out ({', '.join(kinds[:_SHOWN])})")
    if empty:
        notes.append(f"no entity was found in {len(empty):,} documents, such as {', '.join(empty[:3])}")
    return notes


def import_(
    source: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Output folder of Microsoft GraphRAG.", show_default=False)
    ],
    graph: Annotated[Path, typer.Argument(metavar="GRAPH", help="Folder to make.", show_default=False)],
    form: Annotated[
        str | None, typer.Option("--from", metavar="FORM", help="graphrag; recognised from the files by default.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a graph that was imported earlier.")] = False,
    as_json: Json = False,
) -> None:
    """Make a graph from what another program made from text: entities, relations, passages, communities, reports."""
    from graphbrick.cli.printing.terminal import print_json
    from graphbrick.cli.progress import progress
    from graphbrick.text.importing import import_graph

    with progress(f"importing {source}"):
        done = import_graph(source, graph, form=form, overwrite=overwrite)
    opened = done.graph
    counts = {
        "entities": opened.n_entities,
        "triples": opened.n_triples,
        "passages": opened.n_passages,
        "claims": done.claims,
        "communities": done.communities,
        "reports": done.reports,
    }
    if as_json:
        print_json({"graph": str(graph), **counts, "notes": done.notes})
        return
    typer.echo(f"{graph}: {', '.join(f'{count:,} {name}' for name, count in counts.items())}")
    for note in done.notes:
        typer.echo(f"note: {note}", err=True)
    typer.echo(f'ask: graphbrick ask {graph} "..."')


def documents(
    graph: GraphFolder,
    address: Annotated[str | None, typer.Argument(metavar="[DOCUMENT]", help="Print the text of this one.")] = None,
    start: Annotated[int, typer.Option(min=0, help="First character to print.")] = 0,
    end: Annotated[int | None, typer.Option(min=0, help="Character to stop before.")] = None,
    as_json: Json = False,
) -> None:
    """List the documents that a graph was made from, or print one of them, or a cited part of it."""
    from graphbrick.cli.printing.terminal import plain, print_json
    from graphbrick.core.errors import InputError
    from graphbrick.text.store import TextStore, text_folder

    folder = text_folder(graph)
    if not folder.is_dir():
        raise InputError(f"{graph} was not made from documents (graphbrick index)")
    with TextStore(folder) as store:
        if address is not None:
            found = store.document(address) or store.document(str(Path(address).absolute()))
            if found is None:
                raise InputError(f"{graph} has no document {address!r}; graphbrick documents {graph} lists them")
            text = found[1][start:end]
            if as_json:
                print_json({"document": address, "title": found[0], "text": text})
            else:
                typer.echo("\n".join(plain(line) for line in text.split("\n")))
            return
        listed, problems = store.documents(), store.problems()
    if as_json:
        rows = [{"document": name, "title": title, "passages": n, "note": note} for name, title, n, note in listed]
        print_json({"documents": rows, "bad": [{"file": file, "reason": reason} for file, reason in problems]})
        return
    for name, title, n, note in listed:
        typer.echo(plain(f"{name}  {title}  {n:,} passages{f'  ({note})' if note else ''}"))
    for file, reason in problems:
        typer.echo(plain(f"{file}  not read: {reason}"))


def _chunker(text: str | None) -> Chunker | None:
    """Return the chunker that an option names."""
    from graphbrick.core.errors import InputError
    from graphbrick.pipeline.parsing import parse_brick
    from graphbrick.text.chunks import Chunker

    brick = None if text is None else parse_brick(text)
    if brick is not None and not isinstance(brick, Chunker):
        raise InputError(f"--chunks takes a brick that cuts documents, got {brick!r}; try ByHeading(n=200)")
    return brick


def _extractor(text: str | None) -> Extractor | None:
    """Return the extractor that an option names."""
    from graphbrick.core.errors import InputError
    from graphbrick.pipeline.parsing import parse_brick
    from graphbrick.text.extraction import Extractor

    brick = None if text is None else parse_brick(text)
    if brick is not None and not isinstance(brick, Extractor):
        raise InputError(f"--extract takes a brick that finds entities, got {brick!r}; try Phrases()")
    return brick
