"""Writer of study reports; an existing file is replaced only by a complete one."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from graphbrick.core.compute import Progress, silent
from graphbrick.core.errors import InputError
from graphbrick.core.files.replacing import replacing
from graphbrick.study.report.browser import Listing, blocks, spread
from graphbrick.study.report.exports import CsvRows, markdown_page
from graphbrick.study.report.figures import judge_agreements, read_figures, recall_note, with_recall
from graphbrick.study.report.headlines import data_of
from graphbrick.study.report.origin import cards, datasets_table, setup, warnings
from graphbrick.study.report.overview import STAGES, Results, compared
from graphbrick.study.report.page import Page, Section, table_figure
from graphbrick.study.report.papers.reading import read_papers
from graphbrick.study.report.sections import sections_of
from graphbrick.study.report.summary import groups_of, name_of, require_share
from graphbrick.study.store.reader import Study
from graphbrick.study.store.records import Result, StudyRun

DETAILS = 1_000


@dataclass(frozen=True, slots=True)
class Written:
    """The files of a report.

    Attributes:
        files: The path of each kind ("html", "markdown", "csv").
        runs: Pipelines of the study.
        questions: Its questions.
        results: Its results.
        detailed: Questions whose answers and paths are in the page; 0 without a page.
        headline: The result of the study in a sentence or two.
    """

    files: dict[str, Path]
    runs: int
    questions: int
    results: int
    detailed: int
    headline: str


def write_report(
    study: str | os.PathLike[str],
    *,
    html: str | os.PathLike[str] | None = None,
    markdown: str | os.PathLike[str] | None = None,
    csv: str | os.PathLike[str] | None = None,
    metric: str = "hits_at_1",
    baseline: str | None = None,
    by: str | None = None,
    min_recall: float | None = None,
    title: str | None = None,
    details: int | None = DETAILS,
    exchanges: bool = True,
    progress: Progress = silent,
) -> Written:
    """Write the report of a study.

    Args:
        study: The file that `graphbrick evaluate` wrote, or still writes.
        html: The page to write.
        markdown: The file for the tables as Markdown.
        csv: The file for every result, one row for each pipeline and question.
        metric: The measure that pipelines are ordered and compared by; choose it before you see results.
        baseline: The pipeline that all others are compared with; None for every pair.
        by: Group questions by "hops", "dataset", "distance" or one of their facts; None for hops and data set.
        min_recall: Leave out pipelines whose mean subgraph recall is lower; None for none.
        title: The title of page and tables; None for the name of the file.
        details: Number of questions whose answers and paths are in the page, evenly spread; None for all.
        exchanges: Whether the page holds prompts and replies of language models, of the questions with details.
        progress: Called with the number of runs read.

    Raises:
        InputError: Nothing is to be written, the file is not a study, or there is no such metric or baseline, or no
            pipeline has the least recall.
        OSError: A file cannot be written.
    """
    paths = {"html": html, "markdown": markdown, "csv": csv}
    files = {kind: Path(path) for kind, path in paths.items() if path is not None}
    if details is not None and details < 0:
        raise InputError(
            f"details must be at least 0, got {details}; try {DETAILS}", code="report.bad_details", details=details
        )
    _check(files, Path(study))
    with Study.open(study) as opened:
        questions = opened.questions()
        if by is not None:
            groups_of(questions, by, opened)
        listing = Listing(questions, spread(len(questions), details) if "html" in files else [], exchanges=exchanges)
        metrics: dict[str, None] = {}
        kinds = dict.fromkeys(part.name for part in STAGES[:-1])

        def watch(run: StudyRun, results: Sequence[Result]) -> None:
            if "html" in files:
                listing.take(run, results)
            for names in dict.fromkeys(tuple(result.metrics) for result in results):
                metrics.update(dict.fromkeys(names))
            kinds.update(dict.fromkeys(kind for result in results for _, kind, _ in result.stage_seconds))

        figures = read_figures(opened, questions, metric, by=by, watch=watch, progress=progress)
        require_share(figures, metric)
        figures, left_out = with_recall(figures, min_recall)
        comparisons = compared(figures, baseline=name_of([one.run for one in figures], baseline))
        told = opened.plans()
        name = title or next((plan.title for plan in told[-1:] if plan.title), f"Study {opened.path.stem}")
        about = " ".join(plan.about for plan in told if plan.about)
        results = Results(name, figures, comparisons, metric, by, opened.judge,
            min_recall, left_out, questions, read_papers(opened, questions), judge_agreements(opened),
            about, data_of(told, [one.run for one in figures]))  # fmt: skip
        if "csv" in files:
            with replacing(files["csv"]) as out:
                rows = CsvRows(out, questions, list(metrics), list(kinds))
                for one in figures:
                    rows.write(one.run, opened.results(one.run.id))
        if "markdown" in files:
            with replacing(files["markdown"]) as out:
                out.writelines(markdown_page(results))
        if "html" in files:
            with replacing(files["html"]) as out:
                out.writelines(_page(results, opened, listing))
        count = sum(one.results for one in figures)
        return Written(files, len(figures), len(questions), count, len(listing.detailed), results.headline)


def _page(results: Results, study: Study, listing: Listing) -> Iterator[str]:
    """Return the page, piece by piece."""
    figures = results.figures
    page = Page(
        results.title, f"{results.about} {results.headline}".strip(), cards(study, listing, figures),
        [*recall_note(results.left_out, results.min_recall), *warnings(study, figures)],
        [*sections_of(results, listing), *_datasets(results), setup(study, figures)], study.path.name,
    )  # fmt: skip
    return page.pieces(blocks(study, listing, figures) if listing.questions and figures else ())


def _datasets(results: Results) -> list[Section]:
    """Return the section with the counts of the data sets; none without questions."""
    if not results.questions:
        return []
    return [Section("datasets", "Data sets", [], [table_figure(datasets_table(results.questions))])]


def _check(files: dict[str, Path], study: Path) -> None:
    """Refuse to write nothing, or to overwrite the study or another file of the report."""
    if not files:
        raise InputError(
            "nothing would be written; name a file with --html, --markdown or --csv", code="report.no_file_named"
        )
    taken: dict[Path, str] = {study.resolve(): "the study"}
    for kind, path in files.items():
        if path.is_dir():
            raise InputError(f"{path} is a folder; name a file for --{kind}", code="report.is_a_folder", option=kind)
        if path.resolve() in taken:
            raise InputError(
                f"--{kind} {path} would overwrite {taken[path.resolve()]}; name another file",
                code="report.would_overwrite",
                option=kind,
            )
        taken[path.resolve()] = f"--{kind}"
