"""The commands about graphs made from documents; `graphbrick.cli.app` gives them their names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from graphbrick.cli.llm import BudgetText, CacheFile, CacheMode, MaxTokens, limits, with_max_tokens
from graphbrick.cli.options import GraphFolder, Json
from graphbrick.cli.pipelines import NO_ENCODER

# Everything else is imported where it is used, so that help is shown at once.
if TYPE_CHECKING:
    from graphbrick.text.documents.chunks import Chunker
    from graphbrick.text.documents.store import TextStore
    from graphbrick.text.extract.extraction import Extractor
    from graphbrick.text.indexing.describe import Describe
    from graphbrick.text.sources.sitemap import Sitemap

_SHOWN = 3  # documents that a message names


def index(
    places: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE... GRAPH",
            help="Files, folders or sitemaps (https://...), and the folder of the graph to make or bring up to date.",
            show_default=False,
        ),
    ],
    text: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Tables: columns of text, as in title,sections.answer.")
    ] = None,
    title: Annotated[str | None, typer.Option(metavar="COLUMN", help="Tables: column of titles.")] = None,
    key: Annotated[str | None, typer.Option(metavar="COLUMN", help="Tables: column with a name for each row.")] = None,
    section: Annotated[str | None, typer.Option(metavar="COLUMN", help="Tables: column of headings.")] = None,
    rate: Annotated[float, typer.Option(metavar="X", help="Sitemaps: most requests a second.")] = 1.0,
    pages: Annotated[int, typer.Option(metavar="N", help="Sitemaps: most pages of each.")] = 1000,
    remove: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Remove what was read from this source, folder, file or page; may be repeated."
        ),
    ] = None,
    chunks: Annotated[
        str | None, typer.Option(metavar="BRICK", help="Cuts documents into passages [ByHeading(n=200)].")
    ] = None,
    extract: Annotated[str | None, typer.Option(metavar="BRICK", help="Finds entities [Phrases()].")] = None,
    llm: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Find triples by this language model, with OpenIE(...).")
    ] = None,
    max_tokens: MaxTokens = None,
    describe: Annotated[
        str | None,
        typer.Option(metavar="BRICK", help="Describes what many passages describe, as Describe(LLM()); or none."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be extracted and what it would cost, and change nothing.")
    ] = False,
    retry: Annotated[
        bool, typer.Option("--retry", help="Ask a language model again about passages without a result.")
    ] = False,
    skip_bad: Annotated[
        bool,
        typer.Option("--skip-bad", help="Go on without files that cannot be read, or many passages without a result."),
    ] = False,
    embed: Annotated[
        bool, typer.Option("--embed/--no-embed", help="Embed the passages, so that the first question need not wait.")
    ] = True,
    budget: BudgetText = None,
    cache: CacheMode = "off",
    cache_file: CacheFile = None,
    as_json: Json = False,
) -> None:
    """Make a graph from documents, or bring it up to date.

    It reads txt, md, html, pdf, docx, tables and sitemaps.
    """
    from graphbrick.cli.printing.indexing import encoder_note, print_estimate, print_indexed
    from graphbrick.cli.progress import progress
    from graphbrick.core.compute import part_of
    from graphbrick.core.errors import InputError
    from graphbrick.graphs.store.beside_text import has_text
    from graphbrick.models.embedders.minilm import MiniLM
    from graphbrick.models.indexes.embed_graph import embed_passages
    from graphbrick.text.indexing.estimating import estimate
    from graphbrick.text.indexing.indexing import index
    from graphbrick.text.overview.kept import topics_of_graph
    from graphbrick.text.sources.tables import SourceOptions

    sources, graph = sources_of(places[:-1], rate, pages), Path(places[-1])
    if not sources and not has_text(graph):
        raise InputError(
            f"{graph} is the only folder named; name documents too: graphbrick index docs/ {graph} "
            f"(an index of the embeddings of a graph is made by graphbrick prepare vectors {graph})"
        )
    cutter, finder, describer = (
        _chunker(chunks),
        _extractor(extract, with_max_tokens(llm, max_tokens)),
        _describer(describe),
    )
    options = SourceOptions(text, title, key, section)
    with limits(budget, cache, cache_file), progress(f"indexing {graph}") as report:
        if dry_run:
            planned = estimate(
                sources, graph, chunker=cutter, extractor=finder, describe=describer, options=options,
                remove=remove or (), skip_bad=skip_bad, retry=retry, progress=report,
            )  # fmt: skip
        else:
            done = index(
                sources, graph, chunker=cutter, extractor=finder, describe=describer, options=options,
                remove=remove or (), skip_bad=skip_bad, retry=retry, progress=report,
            )  # fmt: skip
            if embed and MiniLM().is_installed:
                embed_passages(
                    done.graph,
                    MiniLM(),
                    progress=part_of(report, "embedding; it can be asked already", done.graph.n_passages),
                )
            if embed:
                topics_of_graph(done.graph, MiniLM() if MiniLM().is_installed else None)
    if dry_run:
        print_estimate(graph, planned, as_json=as_json)
    else:
        print_indexed(graph, done, as_json=as_json)
        if not MiniLM().is_installed:
            typer.echo(NO_ENCODER, err=True)
        elif done.is_new and not as_json and (note := encoder_note(done.graph, MiniLM())):
            typer.echo(f"note: {note}", err=True)


def sources_of(places: list[str], rate: float, pages: int) -> list[Path | Sitemap]:
    """Return the sources that are named; addresses and files that end in .xml are sitemaps."""
    from graphbrick.text.sources.sitemap import Sitemap, is_address, is_sitemap_file

    return [
        Sitemap(place, rate, pages) if is_address(place) or is_sitemap_file(Path(place)) else Path(place)
        for place in places
    ]


def import_(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER",
            help="Output folder of Microsoft GraphRAG, or storage folder of LightRAG.",
            show_default=False,
        ),
    ],
    graph: Annotated[Path, typer.Argument(metavar="GRAPH", help="Folder to make.", show_default=False)],
    form: Annotated[
        str | None,
        typer.Option("--from", metavar="FORM", help="graphrag, lightrag or hipporag; recognised from the files."),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a graph that was imported earlier.")] = False,
    as_json: Json = False,
) -> None:
    """Make a graph from what another program made from text.

    It reads entities, relations, passages, communities and reports.
    """
    from graphbrick.cli.printing.terminal import print_json
    from graphbrick.cli.progress import progress
    from graphbrick.language.counting import counted
    from graphbrick.text.exchange.importing import import_graph

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
    nouns = ("entity", "triple", "passage", "claim", "community", "report")
    if as_json:
        print_json({"graph": str(graph), **counts, "notes": done.notes})
        return
    shown = (counted(count, noun) for count, noun in zip(counts.values(), nouns, strict=True))
    typer.echo(f"{graph}: {', '.join(shown)}")
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
    """List the documents of a graph, or print one of them.

    A cited part of a document can be printed alone.
    """
    from graphbrick.cli.printing.indexing import problem_line, problem_rows
    from graphbrick.cli.printing.terminal import plain, print_json
    from graphbrick.core.errors import InputError
    from graphbrick.graphs.store.beside_text import text_folder
    from graphbrick.language.counting import counted
    from graphbrick.text.documents.store import DATABASE, TextStore
    from graphbrick.text.indexing.indexing import stored_extractor

    folder = text_folder(graph)
    if not folder.is_dir():
        raise InputError(f"{graph} was not made from documents (graphbrick index)")
    if not (folder / DATABASE).exists():  # which the store would begin anew, without a document
        raise InputError(
            f"{folder / DATABASE} is missing; run graphbrick index again with the same sources",
            code="documents.no_database",
        )
    with TextStore(folder) as store:
        if address is not None:
            titled = store.document(address) or store.document(str(Path(address).absolute()))
            if titled is None:
                address = _ending(store, graph, address)
                titled = store.document(address)
            if titled is None:
                raise InputError(f"{graph} has no document {address!r}; graphbrick documents {graph} lists them")
            if start >= len(titled[1]) or (end is not None and end <= start):
                raise InputError(
                    f"{address} has the characters 0 to {len(titled[1])}, got --start {start}"
                    f"{'' if end is None else f' --end {end}'}; a citation says which to print"
                )
            text = titled[1][start:end]
            if as_json:
                print_json({"document": address, "title": titled[0], "text": text})
            else:
                typer.echo("\n".join(plain(line) for line in text.split("\n")))
            return
        listed, problems = store.documents(), store.problems()
        parts = stored_extractor(store).parts
        without = [one for part in parts for one in store.passage_problems(part.identity)]
    if as_json:
        rows = [{"document": name, "title": title, "passages": n, "note": note} for name, title, n, note in listed]
        bad = [{"file": file, "reason": reason} for file, reason in problems]
        print_json({"documents": rows, "bad": bad, "problems": problem_rows(without)})
        return
    for name, title, n, note in listed:
        typer.echo(plain(f"{name}  {title}  {counted(n, 'passage')}{f'  ({note})' if note else ''}"))
    for file, reason in problems:
        typer.echo(plain(f"{file}  not read: {reason}"))
    for one in without:
        typer.echo(plain(f"no result: {problem_line(one)}" if one.is_empty else f"not all: {problem_line(one)}"))


def _ending(store: TextStore, graph: Path, end: str) -> str:
    """Return the address of the document that ends with a part of a path; the part itself if there is none."""
    from graphbrick.core.errors import InputError

    part = end.replace("\\", "/").removeprefix("./")
    places = [name for name, *_ in store.documents() if name.replace("\\", "/").endswith(f"/{part}")]
    if len(places) > 1:
        few = ", ".join(places[:_SHOWN]) + (", ..." if len(places) > _SHOWN else "")
        raise InputError(f"{end!r} means several documents of {graph} ({few}); name one of these")
    return places[0] if places else end


def _chunker(text: str | None) -> Chunker | None:
    """Return the chunker that an option names."""
    from graphbrick.core.errors import InputError
    from graphbrick.pipeline.parsing import parse_brick
    from graphbrick.text.documents.chunks import Chunker

    brick = None if text is None else parse_brick(text)
    if brick is not None and not isinstance(brick, Chunker):
        raise InputError(f"--chunks takes a brick that cuts documents, got {brick!r}; try ByHeading(n=200)")
    return brick


def _extractor(text: str | None, llm: str | None) -> Extractor | None:
    """Return the extractor that the options name."""
    from graphbrick.core.errors import InputError
    from graphbrick.models.llm.naming import chat_model
    from graphbrick.pipeline.parsing import parse_brick
    from graphbrick.text.extract.extraction import Extractor
    from graphbrick.text.extract.open_ie import OpenIE

    if llm is not None:
        if text is not None:
            raise InputError(f"--extract names the extractor and its model, so leave out --llm {llm}")
        return OpenIE(chat_model(llm))
    brick = None if text is None else parse_brick(text)
    if brick is not None and not isinstance(brick, Extractor):
        raise InputError(f"--extract takes a brick that finds entities, got {brick!r}; try Phrases()")
    return brick


def _describer(text: str | None) -> Describe | Literal[False] | None:
    """Return what an option names to describe entities with; False for «none»."""
    from graphbrick.core.errors import InputError
    from graphbrick.pipeline.parsing import parse_brick
    from graphbrick.text.indexing.describe import Describe

    if text is None or text == "none":
        return None if text is None else False
    brick = parse_brick(text)
    if not isinstance(brick, Describe):
        raise InputError(f"--describe takes Describe(LLM()) with a model of yours, or none; got {brick!r}")
    return brick
