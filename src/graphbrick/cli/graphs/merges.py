"""The command about names that are one entity; `graphbrick.cli.app` gives it its name."""

from __future__ import annotations

from typing import Annotated

import typer

from graphbrick.cli.options import GraphFolder, Json, chosen_embedder

# Everything else is imported where it is used, so that help is shown at once.


def merges(
    graph: GraphFolder,
    merge: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="NAME ENTITY", help='Let a name mean this entity, as in --merge UN "United Nations".'),
    ] = None,
    undo: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Take back what you said of a name; may be repeated.")
    ] = None,
    apart: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Keep a name an entity of its own; may be repeated.")
    ] = None,
    propose: Annotated[bool, typer.Option("--propose", help="Propose names that may mean the same.")] = False,
    at_least: Annotated[float, typer.Option(min=0.01, max=1.0, help="Lowest cosine of proposals.")] = 0.85,
    embedder: Annotated[str, typer.Option(metavar="BRICK", help="Compares names for proposals.")] = "MiniLM()",
    n: Annotated[int, typer.Option("-n", min=1, help="Most rows of each kind to print.")] = 50,
    as_json: Json = False,
) -> None:
    """Show or change which names in documents are one entity.

    A change brings the graph up to date.
    """
    from graphbrick.cli.printing.terminal import plain, print_json
    from graphbrick.cli.progress import progress
    from graphbrick.language.counting import counted
    from graphbrick.text.indexing.merging import change_merges, merges_of, proposed_merges

    if merge or undo or apart:
        with progress(f"indexing {graph}") as report:
            done = change_merges(
                graph,
                merge=[merge] if merge else (),
                undo=undo or (),
                apart=apart or (),
                progress=report,
            )
        counts = {"entities": done.graph.n_entities, "triples": done.graph.n_triples}
        if as_json:
            print_json({"graph": str(graph), **counts})
        else:
            typer.echo(f"{graph}: {counted(counts['entities'], 'entity')}, {counted(counts['triples'], 'triple')}")
        return
    listed = merges_of(graph)
    proposals = (
        proposed_merges(graph, chosen_embedder(embedder, "--embedder"), at_least=at_least, n=n) if propose else []
    )
    if as_json:
        print_json(
            {
                "folded": [one._asdict() for one in listed.folded],
                "merged": [{"alias": alias, "name": name} for alias, name in listed.merged],
                "apart": listed.apart,
                "proposed": [one._asdict() for one in proposals],
            }
        )
        return
    rows = {
        "merged by folding": [f"{one.name} = {', '.join(one.spellings)}" for one in listed.folded],
        "merged by you": [f"{alias} -> {name}" for alias, name in listed.merged],
        "kept apart by you": listed.apart,
        "proposed": [f"{one.cosine:.2f}  {one.alias} -> {one.name}" for one in proposals],
    }
    for title, lines in rows.items():
        if lines:
            typer.echo(f"{title}:")
            for line in lines[:n]:
                typer.echo(f"  {plain(line)}")
            if len(lines) > n:
                typer.echo(f"  and {len(lines) - n:,} more (-n)")
    if not any(rows.values()):
        why = (
            f"no two are as similar as {at_least} (--at-least)" if propose else "--propose compares them by embeddings"
        )
        typer.echo(f"no names are merged; {why}")
