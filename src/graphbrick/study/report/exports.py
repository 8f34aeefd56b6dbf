"""A report as Markdown, and as CSV for other programs."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from typing import TextIO

from graphbrick.study.report.against.sweeps import sweeps_of, sweeps_table
from graphbrick.study.report.answers import (
    answers_table,
    judge_notes,
    judges_table,
    published_notes,
    published_table,
    rows_by_hops,
    rows_of,
)
from graphbrick.study.report.confidence import NOTE, confidence_table, curve_table, reliability_table
from graphbrick.study.report.costs.memory import MEMORY_NOTE, memory_table
from graphbrick.study.report.costs.spent import spent_table
from graphbrick.study.report.figures import PipelineFigures, recall_note
from graphbrick.study.report.markup import visible
from graphbrick.study.report.origin import datasets_table
from graphbrick.study.report.overview import (
    QUALITY_GROUPS,
    Results,
    comparison_table,
    group_name,
    groups_shown,
    measure_name,
    pipelines_table,
    strata_table,
)
from graphbrick.study.report.papers.sections import left_out, paper_tables
from graphbrick.study.report.stage_tables import task_tables
from graphbrick.study.report.tables import columns_of, markdown, table_markdown
from graphbrick.study.store.records import Result, StudyQuestion, StudyRun
from graphbrick.study.store.showing import fact_columns

_ABOUT = ("pipeline", "dataset", "question", "text", "hops", "distance", "answerable", "error", "lost_at", "ms")
_QUALITY = ("#", "pipeline", "questions")  # beside what is in its groups
_LEDGER = ("calls", "tokens_in", "tokens_out", "estimated", "waited", "cost", "cache_hits")
_OF_EMBEDDING = ("embedding_calls", "embedding_tokens")  # which studies of older versions lack
_COUNTS = ("n_answers", "n_paths")


def markdown_page(results: Results) -> Iterator[str]:
    """Yield the tables of a report, piece by piece."""
    figures, metric = results.figures, results.metric
    yield f"# {markdown(results.title)}\n\n{f'{markdown(results.about)}{chr(10) * 2}' * bool(results.about)}"
    yield f"{markdown(results.headline)}\n"
    yield from (f"\n{markdown(line)}\n" for line in recall_note(results.left_out, results.min_recall))
    if not figures:
        return
    table = pipelines_table(figures)
    yield "\n## Quality\n\nMeans in percent with 95 % intervals.\n\n"
    yield table_markdown(columns_of(table, lambda column: column.title in _QUALITY or column.group in QUALITY_GROUPS))
    yield "\n## Stages and cost\n\nMeans over questions.\n\n"
    always = ("#", "pipeline")
    yield table_markdown(
        columns_of(table, lambda c: c.title in always or (c.title not in _QUALITY and c.group not in QUALITY_GROUPS))
    )
    yield "\n" + "".join(f"{one.number}. {markdown(one.name)}: {_code(one.run.recipe)}\n" for one in figures)
    yield from _papers(results)
    yield from _answers(figures, results)
    for task in task_tables({"": figures}):
        yield f"\n## {task.title}\n\n{task.note}\n\n{table_markdown(task.table)}"
    yield from _confidence(figures)
    for group in groups_shown(results.by):
        strata = strata_table(figures, group, metric)
        if strata is not None:
            yield f"\n## {measure_name(metric)} by {group_name(group)}\n\n{table_markdown(strata)}"
        spent = spent_table(figures, group) if group == results.by else None
        if spent is not None:
            yield f"\n## Time and cost by {group_name(group)}\n\n{table_markdown(spent)}"
    memory = memory_table(figures)
    if memory is not None:
        yield f"\n## Memory by stage\n\n{markdown(MEMORY_NOTE)}\n\n{table_markdown(memory)}"
    sweeps = sweeps_table(sweeps_of(figures))
    if sweeps is not None:
        yield f"\n## Sweeps of one parameter\n\n{sweeps.caption}.\n\n{table_markdown(sweeps)}"
    if results.questions:
        yield f"\n## Data sets\n\n{table_markdown(datasets_table(results.questions))}"
    if results.comparisons:
        yield f"\n## Comparison by {measure_name(metric)}\n\n"
        yield table_markdown(comparison_table(results.comparisons, figures, metric))


def _papers(results: Results) -> Iterator[str]:
    """Yield the tables of papers, and a line for each that cannot be made."""
    for title, note, table in paper_tables(results.papers, results.questions):
        yield f"\n## {markdown(title)}\n\n{markdown(note)}{chr(10) * 2 * bool(note)}{table_markdown(table)}"
    lines = left_out(results.papers, results.questions)
    if lines:
        yield "\n## Tables of papers that are not here\n\n" + "".join(f"- {markdown(line)}\n" for line in lines)


def _answers(figures: Sequence[PipelineFigures], results: Results) -> Iterator[str]:
    """Yield the tables of answers."""
    table = answers_table(rows_of(figures))
    if table is None:
        return
    yield f"\n## Answers\n\nMeans in percent.\n\n{table_markdown(table)}"
    notes = judge_notes(figures, results.judge)
    yield "\n" * bool(notes) + "".join(f"- {markdown(line)}\n" for line in notes)
    judges = judges_table(results.agreements)
    if judges is not None:
        yield f"\n## How far the judges agree\n\n{judges.caption}.\n\n{table_markdown(judges)}"
    by_hops, others = answers_table(rows_by_hops(figures), by="hops"), published_table(figures)
    if by_hops is not None:
        yield f"\n## Answers by hops\n\n{table_markdown(by_hops)}"
    if others is not None:
        yield "\n## Answers as published\n\n" + "".join(f"- {markdown(line)}\n" for line in published_notes())
        yield f"\n{table_markdown(others)}"


def _confidence(figures: Sequence[PipelineFigures]) -> Iterator[str]:
    """Yield the tables of confidence; the curve has one row for each pipeline and tenth of the questions."""
    tables = [confidence_table(figures), curve_table(figures), reliability_table(figures)]
    if tables[0] is not None:
        yield f"\n## Confidence\n\n{NOTE} In percent.\n"
        yield from (f"\n{table_markdown(table)}" for table in tables if table is not None)


def _code(text: str) -> str:
    """Return a text as Markdown code; the text may contain backticks."""
    line = " ".join(visible(text).split())
    longest = max((len(run) for run in "".join(c if c == "`" else " " for c in line).split()), default=0)
    mark = "`" * (longest + 1)
    space = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{mark}{space}{line}{space}{mark}"


class CsvRows:
    """CSV writer of results, with one row per pipeline and question, run by run.

    Args:
        out: The output file.
        questions: All questions of the study.
        metrics: The columns of measures.
        kinds: The kinds of stages that have a column with milliseconds.
    """

    def __init__(
        self, out: TextIO, questions: Sequence[StudyQuestion], metrics: Sequence[str], kinds: Sequence[str] = ()
    ) -> None:
        self.metrics, self.kinds = metrics, kinds
        self.questions = {question.id: question for question in questions}
        # Left to itself, the writer quotes no carriage return, and readers then begin a row there.
        self.writer = csv.writer(out, lineterminator="\n")
        self.quoting = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)
        names = [*_ABOUT, *(f"ms_{kind}" for kind in kinds), *metrics, *_LEDGER, *_OF_EMBEDDING, *_COUNTS]
        self.facts = dict.fromkeys(fact for question in questions for fact in question.facts)
        self.writer.writerow([*names, *fact_columns(self.facts, names)])

    def write(self, run: StudyRun, results: Sequence[Result]) -> None:
        """Write the results of a run, without questions added to the study since it was opened."""
        for result in results:
            if result.question not in self.questions:
                continue
            question = self.questions[result.question]
            about = (
                run.name,
                question.dataset,
                question.name,
                question.text,
                question.hops,
                question.distance,
                int(question.answerable),
            )
            row: list[object] = [*about, result.error, result.lost_at, f"{1000 * result.seconds:.3f}"]
            row += _stage_milliseconds(result, self.kinds)
            row += [result.metrics.get(name) for name in self.metrics]
            row += [result.ledger.get(name, 0) for name in _LEDGER]
            row += [result.ledger.get(name) for name in _OF_EMBEDDING]
            row += [result.n_answers, result.n_paths, *(question.facts.get(fact) for fact in self.facts)]
            has_return = any(isinstance(cell, str) and "\r" in cell for cell in row)
            (self.quoting if has_return else self.writer).writerow(row)


def _stage_milliseconds(result: Result, kinds: Sequence[str]) -> list[str | None]:
    """Return the milliseconds of each kind of stage; None for kinds that did not run."""
    spent: dict[str, float] = {}
    for _, kind, seconds in result.stage_seconds:
        spent[kind] = spent.get(kind, 0.0) + 1000 * seconds
    return [f"{spent[kind]:.3f}" if kind in spent else None for kind in kinds]
