"""The commands that train models; `graphbrick.cli` gives them their name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphbrick.cli_graphs import GraphFolder, Json, open_graph

# Everything else is imported where it is used, so that help is shown at once.
if TYPE_CHECKING:
    from graphbrick.models.embedder import Embedder

app = typer.Typer(
    name="train",
    help="Train what a pipeline ranks with, on questions and answers of your own.",
    rich_markup_mode=None,
    no_args_is_help=True,
)


@app.callback()
def start() -> None:
    """Train what a pipeline ranks with, on questions and answers of your own."""


@app.command()
def patterns(
    graph: GraphFolder,
    questions: Annotated[
        list[Path], typer.Argument(metavar="QUESTIONS...", help="Files of questions with answers.", show_default=False)
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FOLDER", help="Folder to make.", show_default=False)],
    form: Annotated[str, typer.Option(help="Form of the files, such as metaqa or webqsp.")] = "auto",
    max_hops: Annotated[int, typer.Option(help="The longest pattern.")] = 3,
    embedder: Annotated[str, typer.Option(metavar="BRICK", help="What makes vectors of questions.")] = "MiniLM()",
    seed: Annotated[int, typer.Option(help="The same seed gives the same weights.")] = 0,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the patterns that are there.")] = False,
    as_json: Json = False,
) -> None:
    """Learn which relation patterns answer a question; Patterns(PatternScorer('FOLDER')) then ranks by them."""
    from graphbrick.evaluate.datasets import load
    from graphbrick.show import build_progress, console, print_json
    from graphbrick.train import train_patterns

    asked = [question for file in questions for question in load(file, form)]
    opened, brick = open_graph(graph), _embedder(embedder)
    with build_progress("training") as watch:
        report = train_patterns(
            opened, asked, out, max_hops=max_hops, embedder=brick, seed=seed, overwrite=overwrite,
            watch=lambda what, done, total: watch(what, done / total),
        )  # fmt: skip
    if as_json:
        print_json(report.to_dict())
    else:
        console().print(f"{report}\nuse it as Patterns(PatternScorer({str(out)!r})) >> PathAnswer()")


@app.command()
def sizes(
    graph: GraphFolder,
    questions: Annotated[
        list[Path], typer.Argument(metavar="QUESTIONS...", help="Files of questions with answers.", show_default=False)
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="File to write.", show_default=False)],
    form: Annotated[str, typer.Option(help="Form of the files, such as metaqa or webqsp.")] = "auto",
    most: Annotated[int, typer.Option("--most", metavar="K", help="Entities that are ranked at most.")] = 2000,
    seed: Annotated[int, typer.Option(help="Which questions are held back.")] = 0,
    as_json: Json = False,
) -> None:
    """Learn how many entities a question needs; SizedPPR(LearnedSizer('FILE')) then cuts subgraphs by it."""
    from graphbrick.evaluate.datasets import ground, load
    from graphbrick.extract import PPR
    from graphbrick.show import build_progress, console, print_json
    from graphbrick.train.sizes import train_sizes

    asked = [question for file in questions for question in load(file, form)]
    opened, ppr = open_graph(graph), PPR(k=most)
    with build_progress("learning") as watch:
        grounded = ground(opened, asked, watch=lambda n: watch("finding the questions", n / len(asked))).questions
        report = train_sizes(
            opened, grounded, out, ppr=ppr, seed=seed, watch=lambda n: watch("ranking", n / len(asked))
        )
    if as_json:
        reached = {"recall": report.recall.tolist(), "size": report.size.tolist()}
        print_json({"learned_from": report.learned_from, "held_back": report.held_back, **reached})
        return
    lines = [f"learned from {report.learned_from:,} questions; {report.held_back:,} held back:"]
    for aim in (0.5, 0.6, 0.75, 0.9, 0.95):
        at = int((report.recall >= aim).argmax()) if (report.recall >= aim).any() else len(report.recall) - 1
        lines.append(f"  recall {report.recall[at]:.3f} with {report.size[at]:,.0f} entities on average")
    console().print("\n".join(lines))
    console().print(f"use it as SizedPPR(LearnedSizer({str(out)!r}, recall=0.9), {ppr!r})")


def _embedder(text: str) -> Embedder:
    """The embedder that a recipe text names."""
    from graphbrick.errors import PipelineError
    from graphbrick.models.embedder import Embedder
    from graphbrick.parsing import parse_brick

    brick = parse_brick(text)
    if not isinstance(brick, Embedder):
        raise PipelineError(f"--embedder must be a model that makes vectors, got {brick!r}; try MiniLM()")
    return brick
