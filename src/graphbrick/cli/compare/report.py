"""The command that reports a study; `graphbrick.cli.app` gives it its name."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphbrick.cli.compare.evaluate import By, MinRecall
from graphbrick.cli.options import Json

# Everything else is imported where it is used, so that help is shown at once.


def report(
    runs: Annotated[
        Path, typer.Argument(metavar="RUNS", help="File that graphbrick evaluate wrote.", show_default=False)
    ],
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a page that needs nothing else.")] = None,
    markdown: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the tables as Markdown.")] = None,
    csv: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write every result, a row a pipeline and question.")
    ] = None,
    metric: Annotated[str, typer.Option(help="Order and compare pipelines by it.")] = "hits_at_1",
    baseline: Annotated[
        str | None, typer.Option(metavar="PIPELINE", help="Compare all others with this one [every pair].")
    ] = None,
    by: By = None,
    min_recall: MinRecall = None,
    title: Annotated[str | None, typer.Option(help="What stands above it [the name of the file].")] = None,
    details: Annotated[
        str, typer.Option(metavar="N|all", help="Questions with answers and paths in the page, evenly spread.")
    ] = "1000",
    no_exchanges: Annotated[
        bool, typer.Option("--no-exchanges", help="Leave the prompts and replies of language models out of the page.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Report a study: a page, Markdown, CSV, or on the terminal.

    The page has tables, charts and every question.
    """
    from graphbrick.cli.printing.terminal import plain, print_json
    from graphbrick.cli.progress import progress
    from graphbrick.study.report.writing import write_report

    if html is None and markdown is None and csv is None:
        _print(runs, metric, baseline, by, min_recall, as_json=as_json)
        return
    total = _runs(runs)
    with progress(f"reading {runs}", total) as shown:
        written = write_report(
            runs,
            html=html,
            markdown=markdown,
            csv=csv,
            metric=metric,
            baseline=baseline,
            by=by,
            min_recall=min_recall,
            title=title,
            details=_count(details),
            exchanges=not no_exchanges,
            progress=shown,
        )
    if as_json:
        files = {kind: {"path": str(path), "bytes": path.stat().st_size} for kind, path in written.files.items()}
        counts = {name: getattr(written, name) for name in ("runs", "questions", "results", "detailed", "headline")}
        print_json({"files": files, **counts})
        return
    typer.echo(plain(written.headline))
    for path in written.files.values():
        typer.echo(f"{plain(str(path))}: {path.stat().st_size / 1e6:,.1f} MB")
    if html is not None and written.detailed < written.questions:
        typer.echo(
            f"answers and paths of {written.detailed:,} of {written.questions:,} questions are in the page; "
            "--details all takes in all"
        )


def _print(
    runs: Path, metric: str, baseline: str | None, by: str | None, min_recall: float | None, *, as_json: bool
) -> None:
    """Print the figures of a study and how its pipelines compare."""
    from graphbrick.cli.printing.studies import print_summary, print_tests
    from graphbrick.cli.printing.terminal import console, print_json
    from graphbrick.study.report.summary import compare_study, require_share, summarize_study
    from graphbrick.study.store.reader import Study

    with Study.open(runs) as study:
        summary = summarize_study(study, metric=metric, by=by, min_recall=min_recall)
        require_share(summary.figures, metric)
        comparison = compare_study(study, baseline=baseline, metric=metric, by=by, min_recall=min_recall)
    if as_json:
        print_json(summary.to_dict() | {"comparison": comparison.to_dict()})
        return
    print_summary(summary, metric=metric)
    out = console()
    out.print()
    print_tests(out, comparison)


def _runs(path: Path) -> int:
    """Return the number of runs of a study."""
    from graphbrick.study.store.reader import Study

    with Study.open(path) as study:
        return len(study.runs())


def _count(text: str) -> int | None:
    """Return the number of questions that a text means; None for all."""
    from graphbrick.core.errors import InputError

    if text == "all":
        return None
    if not text.isdecimal():
        raise InputError(f"--details takes a number of questions or all, got {text!r}; try --details 5000")
    return int(text)
