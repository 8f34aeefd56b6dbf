"""The command that compares systems on documents; `graphbrick.cli.app` gives it its name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphbrick.cli.llm import BudgetText, CacheFile, CacheMode, LLMName, MaxTokens, limits, with_max_tokens
from graphbrick.cli.options import Json

# Everything else is imported where it is used, so that help is shown at once.
if TYPE_CHECKING:
    from graphbrick.judge.rag.systems import RagSystem
    from graphbrick.judge.rag.tables import Scored, SystemRow


def rag(
    sources: Annotated[
        list[Path], typer.Argument(metavar="SOURCE...", help="Files or folders of documents.", show_default=False)
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for everything that is made.")] = Path("rag-study"),
    systems: Annotated[
        Path | None,
        typer.Option(
            help="A TOML file of [[system]] with name, pipeline, extract, chunks, communities, reports, published."
        ),
    ] = None,
    recipe: Annotated[
        list[str] | None, typer.Option("--recipe", "-r", help="A published recipe as a system; may be repeated.")
    ] = None,
    pipeline: Annotated[
        list[str] | None, typer.Option("--pipeline", "-p", metavar="NAME:TEXT", help="A system; may be repeated.")
    ] = None,
    parts: Annotated[
        list[str] | None, typer.Option("--set", metavar="PART=BRICK", help="A part of the recipes.")
    ] = None,
    extract: Annotated[
        str | None, typer.Option(metavar="BRICK", help="Finds entities for recipes and pipelines [that of the recipe].")
    ] = None,
    chunks: Annotated[
        str | None, typer.Option(metavar="BRICK", help="Cuts documents for recipes and pipelines [that of the recipe].")
    ] = None,
    questions: Annotated[
        Path | None, typer.Option(help="A file of questions; else --llm writes some.", show_default=False)
    ] = None,
    overall: Annotated[int, typer.Option("--global", min=0, help="Questions about all documents to write.")] = 50,
    single: Annotated[int, typer.Option("--single", min=0, help="Questions about single documents to write.")] = 100,
    seed: Annotated[int, typer.Option(help="Which documents are drawn for questions.")] = 0,
    llm: LLMName = None,
    max_tokens: MaxTokens = None,
    judge: Annotated[
        str | None, typer.Option(metavar="MODEL", help="A language model that scores answers from 0 to 100.")
    ] = None,
    text: Annotated[str | None, typer.Option(metavar="COLUMN", help="Tables: columns of text.")] = None,
    title: Annotated[str | None, typer.Option(metavar="COLUMN", help="Tables: column of titles.")] = None,
    key: Annotated[str | None, typer.Option(metavar="COLUMN", help="Tables: column with a name for each row.")] = None,
    section: Annotated[str | None, typer.Option(metavar="COLUMN", help="Tables: column of headings.")] = None,
    no_reference: Annotated[
        bool,
        typer.Option("--no-reference", help="Do not show the judge the right answer, or the document asked about."),
    ] = False,
    retry: Annotated[bool, typer.Option("--retry", help="Judge again where no score could be read.")] = False,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Go on without documents that cannot be read.")] = False,
    budget: BudgetText = None,
    cache: CacheMode = "off",
    cache_file: CacheFile = None,
    as_json: Json = False,
) -> None:
    """Compare systems that answer from documents.

    They are compared by cost of building, seconds a question, and a judge's score.

    Without --systems, --recipe and --pipeline: passages by words, by meaning, and by walks. After a kill, Ctrl-C or the
    end of the budget, the same command goes on. Writes report.html and the tables into the folder.
    """
    from graphbrick.cli.compare.ending import model_of
    from graphbrick.cli.printing.terminal import print_json
    from graphbrick.cli.progress import progress
    from graphbrick.judge.rag.building import Documents
    from graphbrick.judge.rag.experiment import evaluate_rag
    from graphbrick.judge.rag.page import headline, write_page
    from graphbrick.judge.rag.questions import QuestionWriting
    from graphbrick.judge.rag.tables import rows_of, write_files
    from graphbrick.models.llm.naming import chat_model
    from graphbrick.study.store.encoding import plain_json
    from graphbrick.text.sources.tables import SourceOptions

    llm = with_max_tokens(llm, max_tokens)
    chosen = _systems(systems, recipe or [], pipeline or [], parts or [], llm, extract, chunks)
    with limits(budget, cache, cache_file), progress() as report:
        writing = None if llm is None else QuestionWriting(chat_model(llm), overall, single, seed)
        study = evaluate_rag(
            Documents(sources, SourceOptions(text, title, key, section), skip_bad), chosen, out,
            questions=questions or writing, judge=None if judge is None else model_of(judge),
            reference=not no_reference, retry=retry, progress=report,
        )  # fmt: skip
    rows = rows_of(study)
    files = [write_page(study, rows), *write_files(study, rows)]
    if as_json:
        print_json({"systems": plain_json(rows), "judge": study.judge, "notes": study.notes,
                    "files": [str(file) for file in files]})  # fmt: skip
        return
    _print(rows)
    for note in study.notes:
        typer.echo(f"note: {note}", err=True)
    typer.echo(headline(rows))
    typer.echo(f"written: {', '.join(map(str, files))}")


def _systems(
    file: Path | None,
    recipes: list[str],
    texts: list[str],
    parts: list[str],
    llm: str | None,
    extract: str | None,
    chunks: str | None,
) -> list[RagSystem]:
    """Return the systems that the options name."""
    from graphbrick.cli.compare.evaluate import chosen_pipelines
    from graphbrick.cli.pipelines import parts_of_each, recipe_parts
    from graphbrick.judge.rag.systems import RagSystem, default_systems, read_systems
    from graphbrick.models.llm.naming import model_text
    from graphbrick.study.experiments.shipped import shipped_or

    systems = [] if file is None else read_systems(shipped_or(file), llm)
    for named, own in parts_of_each(recipes, parts):
        chosen = recipe_parts(named.name, own, llm)
        made = named.indexing(**chosen)
        systems.append(
            RagSystem.of_text(
                named.name, named.pipeline(**chosen), extract=extract or made.get("extract", ""),
                chunks=chunks or made.get("chunks", ""), communities="communities" in made,
                reports=made.get("reports", False), published=named.name,
            )
        )  # fmt: skip
    for name, pipeline in chosen_pipelines([], texts, [], None).items() if texts else ():
        systems.append(RagSystem.of_text(name, pipeline, extract=extract or "", chunks=chunks or ""))
    if systems:
        return systems
    answer = "Quote(MiniLM())" if llm is None else f"WriteAnswer({model_text(llm)}, form='a short answer')"
    return [
        RagSystem.of_text(one.name, one.pipeline, extract=extract or "", chunks=chunks or "")
        for one in default_systems(answer)
    ]


def _print(rows: list[SystemRow]) -> None:
    """Print a line for each system."""
    from rich.table import Table

    from graphbrick.cli.printing.terminal import console

    kinds = list(dict.fromkeys(kind for row in rows for kind in row.scores))
    table = Table(
        "system", "build s", "peak MB", "size MB", "s a question", *(f"{kind} score" for kind in kinds), "errors"
    )
    for row in rows:
        scores = (row.scores.get(kind) for kind in kinds)
        table.add_row(
            row.name, f"{'' if row.is_whole else 'over '}{row.build_seconds:,.1f}",
            "-" if row.peak_mb is None else f"{row.peak_mb:,.0f}", f"{row.megabytes:,.1f}", f"{row.median_seconds:.2f}",
            *map(_score, scores), str(row.errors),
        )  # fmt: skip
    console().print(table)


def _score(one: Scored | None) -> str:
    """Write a mean score, with the range that unreadable replies allow."""
    if one is None or one.mean is None:
        return "-"
    return f"{one.mean.mean:.1f}" + f" ({one.unread} unread: {one.least:.1f} to {one.most:.1f})" * bool(one.unread)
