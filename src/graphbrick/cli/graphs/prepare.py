"""The commands that compute files beside a graph once: `graphbrick prepare`."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphbrick.cli.llm import BudgetText, MaxTokens, limits, with_max_tokens
from graphbrick.cli.options import GraphFolder, Json, chosen_embedder, open_graph
from graphbrick.language.counting import counted

if TYPE_CHECKING:
    from graphbrick.core.compute import Progress

# Everything else is imported where it is used, so that help is shown at once.
app = typer.Typer(
    name="prepare",
    help="Compute what questions need once, and keep it beside the graph.",
    rich_markup_mode=None,
    no_args_is_help=True,
)


@app.command()
def embeddings(
    graph: GraphFolder,
    model: Annotated[str, typer.Option("--model", "-m", help="An embedder.")] = "MiniLM()",
    triples: Annotated[bool, typer.Option("--triples", help="Also every triple, for PruneTriples.")] = False,
    as_json: Json = False,
) -> None:
    """Embed relations, labels and passages of a graph once.

    The vectors are kept beside the graph.
    """
    from graphbrick.core.errors import GraphbrickError
    from graphbrick.models.indexes.embed_graph import embed_graph, n_texts
    from graphbrick.models.vectors.store import store_of

    embedder, opened = chosen_embedder(model, "--model"), open_graph(graph)
    with _preparing(f"embedding {graph}", n_texts(opened, triples=triples)) as work:
        made = embed_graph(opened, embedder, triples=triples, progress=work.report)
        probe = [opened.relation_label(0)] if opened.n_relations else []
        if work.events and store_of(opened).missing(embedder, probe):
            raise GraphbrickError(work.events[-1])
    folder = str(store_of(opened).folder)
    shown = f"{counted(made, 'text')} embedded in {work.shown}, kept in {folder}"
    _print({"embedded": made, "folder": folder, "seconds": work.seconds}, shown, as_json=as_json)


@app.command()
def partitions(
    graph: GraphFolder,
    resolution: Annotated[float, typer.Option(help="Of modularity; the higher, the more partitions.")] = 1.0,
    size: Annotated[int, typer.Option(help="Most entities of a partition; larger ones are split again.")] = 100_000,
    seed: Annotated[int, typer.Option(help="Where the random numbers start.")] = 0,
    as_json: Json = False,
) -> None:
    """Split a graph into communities once, for Communities.

    The partitions are kept beside the graph.
    """
    from graphbrick.bricks.extract.communities import Communities
    from graphbrick.cli.printing.graphs import print_partitions
    from graphbrick.graphs.partitions import Method, folder_of, keep, part

    brick = Communities(resolution=resolution, size=size, seed=seed)  # which says what is allowed
    method, opened = Method(float(brick.resolution), brick.seed, brick.size), open_graph(graph)
    with _preparing(f"partitioning {graph}", opened.n_entities) as work:
        levels = part(opened, method, progress=work.report)
        keep(opened, method, levels)
    print_partitions(opened, levels, str(folder_of(opened, method).folder), seconds=work.seconds, as_json=as_json)


@app.command()
def communities(
    graph: GraphFolder,
    size: Annotated[int, typer.Option(min=2, help="Entities from which on a community is not divided further.")] = 10,
    seed: Annotated[int, typer.Option(min=0, help="Where the random numbers start.")] = 0,
    resolution: Annotated[
        float, typer.Option(min=0.001, help="Of modularity; the higher, the more communities.")
    ] = 1.0,
    as_json: Json = False,
) -> None:
    """Find nested communities (Leiden), for reports and searches.

    They are kept beside the graph.
    """
    from graphbrick.graphs.communities import communities_place, find_communities, keep_communities

    opened = open_graph(graph)
    with _preparing(f"finding communities of {graph}") as work:
        tree = find_communities(opened, size=size, seed=seed, resolution=resolution)
        keep_communities(opened, tree, {"size": size, "seed": seed, "resolution": resolution})
    counts = [int((tree.level == level).sum()) for level in range(tree.levels)]
    left_out = opened.n_entities - sum(len(tree.members(community)) for community in tree.children(-1))
    folder = str(communities_place(opened).folder)
    levels = ", ".join(f"{count:,} on level {level}" for level, count in enumerate(counts))
    shown = [f"{counted(len(tree), 'community')}{f' ({levels})' if levels else ''} in {work.shown}, kept in {folder}"]
    if left_out:
        shown.append(f"in no community, as no triple joins them with another one: {counted(left_out, 'entity')}")
    facts = {"communities": len(tree), "levels": counts, "without": left_out, "folder": folder, "seconds": work.seconds}
    _print(facts, *shown, as_json=as_json)


@app.command()
def reports(
    graph: GraphFolder,
    llm: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="Let a language model write: a model of this machine, one of the server that OPENAI_BASE_URL names, "
            "or LLM('gpt-4.1', max_tokens=2000). Without it, reports are sentences of the documents, or triples.",
        ),
    ] = None,
    max_tokens: MaxTokens = None,
    tokens: Annotated[int, typer.Option(min=500, help="Tokens that a report is written from.")] = 8_000,
    level: Annotated[int | None, typer.Option(min=0, help="The finest level that gets reports [all].")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what it would cost.")] = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Let sentences or triples take the place of reports by a model.")
    ] = False,
    budget: BudgetText = None,
    as_json: Json = False,
) -> None:
    """Write a report on each community of a graph.

    CommunityReports, Reports and LocalSearch read them.
    """
    from graphbrick.cli.printing.reports import print_cost, print_prepared
    from graphbrick.core.errors import InputError
    from graphbrick.graphs.communities import (
        communities_of,
        communities_place,
        earlier_method,
        find_communities,
        keep_communities,
    )
    from graphbrick.models.llm.naming import writing_model
    from graphbrick.text.reporting.extracted import WRITERS, extractor_of
    from graphbrick.text.reporting.prepare import estimate_reports, prepare_reports
    from graphbrick.text.reporting.reports import earlier_writer
    from graphbrick.text.reporting.written import reportable

    opened = open_graph(graph)
    named = with_max_tokens(llm, max_tokens)
    model = None if named is None else writing_model(named)
    if dry_run and model is None:
        raise InputError("without a language model (--llm) reports cost nothing; leave out --dry-run")
    writer = earlier_writer(opened)
    if model is None and writer not in ("", *WRITERS) and not overwrite:
        raise InputError(
            f"{graph} has reports by {writer}; name a model (--llm), or replace them by {extractor_of(opened)} with "
            "--overwrite"
        )
    start = time.perf_counter()
    if communities_place(opened).facts() is None:
        method = earlier_method(opened)
        keep_communities(opened, find_communities(opened, **method), method)
    if dry_run and model is not None:
        print_cost(estimate_reports(opened, model, tokens=tokens, level=level), as_json=as_json)
        return
    total = len(reportable(communities_of(opened), level))
    with limits(budget, "off", None), _preparing(f"writing reports on {graph}", total) as work:
        done = prepare_reports(opened, model, tokens=tokens, level=level, progress=work.report)
    print_prepared(done, seconds=round(time.perf_counter() - start, 3), as_json=as_json)


@app.command()
def vectors(
    graph: GraphFolder,
    model: Annotated[str, typer.Option("--model", "-m", help="An embedder.")] = "MiniLM()",
    triples: Annotated[bool, typer.Option("--triples", help="Over the triples, not the entities.")] = False,
    as_json: Json = False,
) -> None:
    """Index embeddings of entities or triples for VectorNeighbors.

    The index is kept beside the graph.
    """
    from graphbrick.models.indexes.vector_index import build_index, folder_of, n_texts

    embedder, opened = chosen_embedder(model, "--model"), open_graph(graph)
    unit = "triple" if triples else "entity"
    with _preparing(f"indexing {graph}", n_texts(opened, unit)) as work:
        made = build_index(opened, embedder, unit, progress=work.report)
    folder = str(folder_of(opened, embedder, unit).folder)
    shown = f"{counted(len(made), 'vector')} of {made.dimensions} dimensions indexed in {work.shown}, kept in {folder}"
    facts = {"vectors": len(made), "dimensions": made.dimensions, "folder": folder, "seconds": work.seconds}
    _print(facts, shown, as_json=as_json)


@app.command()
def sentences(
    graph: GraphFolder,
    model: Annotated[str, typer.Option("--model", "-m", help="An embedder.")] = "MiniLM()",
    only_words: Annotated[bool, typer.Option("--words", help="Index words only, without embeddings.")] = False,
    as_json: Json = False,
) -> None:
    """Index a sentence about each entity.

    Sentences are made from names, types and properties; Sentences and agents search them.
    """
    from graphbrick.models.indexes.sentences import build_words, words_place
    from graphbrick.models.indexes.vector_index import SENTENCE, build_index, folder_of

    embedder, opened = chosen_embedder(model, "--model"), open_graph(graph)
    folders = [str(words_place(opened).folder)]
    with _preparing(f"indexing sentences of {graph}", opened.n_entities) as work:
        build_words(opened, progress=work.report)
        if not only_words:
            build_index(opened, embedder, SENTENCE, progress=work.report)
            folders.append(str(folder_of(opened, embedder, SENTENCE).folder))
    by = "words" if only_words else "words and embeddings"
    _print(
        {"sentences": opened.n_entities, "folders": folders, "seconds": work.seconds},
        f"{counted(opened.n_entities, 'sentence')} indexed by {by} in {work.shown}",
        f"kept in {' and '.join(folders)}",
        as_json=as_json,
    )


@app.command()
def hubs(
    graph: GraphFolder,
    pipeline: Annotated[
        str, typer.Option("--ppr", help="PPR with the restart, direction and tolerance of the queries.")
    ] = "PPR()",
    as_json: Json = False,
) -> None:
    """Work out where walks from hubs of a large graph end, for PPR.

    It is kept beside the graph.
    """
    from graphbrick.bricks.extract.hubs import hubs_of
    from graphbrick.bricks.extract.ppr import PPR
    from graphbrick.core.errors import InputError
    from graphbrick.pipeline.parsing import parse_brick

    brick = parse_brick(pipeline)
    if not isinstance(brick, PPR):
        raise InputError(f"--ppr takes the brick PPR, got {brick!r}; try 'PPR(restart=0.2, direction=\"out\")'")
    opened = open_graph(graph)
    with _preparing(f"working out the hubs of {graph}", len(hubs_of(opened, brick.direction))) as work:
        done = brick.keep_hubs(opened, work.report)
    shown = f"{counted(done, 'hub')} in {work.shown}" if done else "0 hubs: a graph of this size needs none"
    _print({"hubs": done, "seconds": work.seconds}, shown, as_json=as_json)


@dataclass
class _Work:
    """Work of a command: takes reports of progress, and has the events so far.

    ``seconds`` is how long it took, to the millisecond, set at its end.
    """

    report: Progress
    events: list[str]
    seconds: float = 0.0

    @property
    def shown(self) -> str:
        """The time as text."""
        return f"{self.seconds:,.1f} s"


@contextmanager
def _preparing(title: str, total: float | None = None) -> Iterator[_Work]:
    """Time the work of the block and show its progress; print its events as notes unless it fails."""
    from graphbrick.cli.progress import note_events, progress
    from graphbrick.core.trace import Trace, record

    start = time.perf_counter()
    with progress(title, total) as report, record(Trace(), "prepare", "prepare") as entry:
        work = _Work(report, entry.events)
        yield work
    work.seconds = round(time.perf_counter() - start, 3)
    note_events(work.events)


def _print(facts: Mapping[str, Any], *lines: str, as_json: bool) -> None:
    """Print what was made: as JSON, or as lines."""
    from graphbrick.cli.printing.terminal import print_json

    if as_json:
        print_json(facts)
    else:
        typer.echo("\n".join(lines))
