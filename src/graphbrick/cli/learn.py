"""The command that learns a graph from itself; `graphbrick.cli.app` gives it its name."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from graphbrick.cli.graphs import GraphFolder, Json, chosen_embedder, open_graph


def learn(
    graph: GraphFolder,
    questions: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[QUESTIONS]...", help="Questions with answers to learn from as well; none are needed."),
    ] = None,
    call: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RELATION=NAMES",
            help="What entities with a relation are called, such as directed_by=film,movie; <-RELATION for those it "
            "points to. May be repeated.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FOLDER", help="Folder to write [GRAPH.patterns].")
    ] = None,
    n: Annotated[int, typer.Option("--questions", metavar="N", help="Questions to write.")] = 4_000,
    max_hops: Annotated[int, typer.Option(help="The longest pattern.")] = 3,
    embedder: Annotated[
        str, typer.Option(metavar="BRICK", help="What makes vectors of words and questions; USE() for other languages.")
    ] = "MiniLM()",
    form: Annotated[str, typer.Option(help="Form of the question files, such as metaqa or webqsp.")] = "auto",
    seed: Annotated[int, typer.Option(help="The same seed gives the same result.")] = 0,
    as_json: Json = False,
) -> None:
    """Learn from the graph itself which relations answer which questions; ask then uses it."""
    from graphbrick.cli.printing.terminal import console, print_json
    from graphbrick.cli.progress import progress
    from graphbrick.core.errors import InputError
    from graphbrick.evaluate.datasets import load_all
    from graphbrick.learn import learn as run
    from graphbrick.learn import learned_place
    from graphbrick.patterns.folder import WORDS

    names = {}
    for given in call or []:
        relation, equals, text = given.partition("=")
        if not equals or not text.strip(" ,"):
            raise InputError(f"--call takes RELATION=NAMES, got {given!r}; try --call directed_by=film,movie")
        names[relation.strip()] = text.split(",")
    loaded = load_all(questions, form) if questions else []
    opened, brick = open_graph(graph), chosen_embedder(embedder, "--embedder")
    with progress("learning") as shown:
        report = run(
            opened,
            out,
            questions=loaded,
            call=names,
            n=n,
            max_hops=max_hops,
            embedder=brick,
            seed=seed,
            watch=shown.step,
        )
    place = out or learned_place(opened)
    if as_json:
        print_json(report.to_dict() | {"folder": str(place)})
        return
    console().print(f"{report}\nwords and names are in {place / WORDS}; correct them and learn again", highlight=False)
    if out is None:
        console().print(f'ask it: graphbrick ask {shlex.quote(str(graph))} "your question"', highlight=False)
