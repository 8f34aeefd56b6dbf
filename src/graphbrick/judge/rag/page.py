"""The page of an evaluation on documents: one file that needs neither a network nor a server."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from graphbrick.judge.rag.experiment import RUNS, RagStudy
from graphbrick.judge.rag.questions import DOCUMENT, GLOBAL
from graphbrick.judge.rag.tables import Scored, SystemRow
from graphbrick.study.report.charts import Part, Row, short, stacked_bars
from graphbrick.study.report.page import Figure, Page, Section, table_figure
from graphbrick.study.report.tables import NONE, Cell, Column, Table, difference_cell, name_cell, number_cell
from graphbrick.study.statistics.paired import holm, paired_bootstrap

PAGE = "report.html"
_LONGEST = 600  # characters of an answer
_NAMES = {GLOBAL: "all documents", DOCUMENT: "one document", "": "questions"}


def write_page(study: RagStudy, rows: Sequence[SystemRow]) -> Path:
    """Write the page into the folder of the evaluation; return the file."""
    sections = [
        Section("pipelines", "Answers", [_scores_note(study)], [table_figure(_answers(rows))]),
        Section("charts", "Charts", [_CHARTS], _charts(rows)),
        *_published(rows),
        *_differences(study),
        Section("building", "Building", [_BUILDING], [table_figure(_building(rows))]),
        Section("answers", "Questions and answers", [_ANSWERS], [table_figure(_listed(study))]),
    ]
    cards = [(f"{len(rows):,}", "systems"), (f"{rows[0].documents:,}", "documents"), (_questions(rows), "questions")]
    title, source = "Systems that answer from documents", str(study.folder / RUNS)
    return Page(title, headline(rows), cards, study.notes, sections, source).write(study.folder / PAGE)


_BUILDING = (
    "Seconds until the first question can be answered: reading, extraction, the graph, and all that is embedded. "
    "Systems with the same extractor and passages share this work; its time counts for each. Memory is the peak beyond "
    "what the process held before, without model servers. Size is the graph with all that is kept beside it."
)
_ANSWERS = "Every answer with its score. graphbrick report shows evidence and model calls of each."


_CHARTS = "The four figures of the paper: building, memory, time and score. Systems are numbered as in the table."


def _charts(rows: Sequence[SystemRow]) -> list[Figure]:
    """Return the charts of the paper: seconds and memory of building, seconds a question, mean score."""
    values: dict[str, list[float | None]] = {
        "Seconds of building": [row.build_seconds for row in rows],
        "Peak memory of building, MB": [row.peak_mb for row in rows],
        "Mean seconds a question": [row.mean_seconds for row in rows],
    }
    for kind in dict.fromkeys(kind for row in rows for kind in row.scores):
        means = [_mean(row, kind) for row in rows]
        values[f"Mean score, {_NAMES.get(kind, kind)}"] = [None if mean < 0 else mean for mean in means]
    figures = []
    for title, of_each in values.items():
        if any(value is not None for value in of_each):
            bars = [
                Row(number, row.name, [value], "" if value is not None else "not measured")
                for number, (row, value) in enumerate(zip(rows, of_each, strict=True), 1)
            ]
            figures.append(Figure(stacked_bars(bars, [Part(title, "extract")], shown=short), title))
    return figures


def headline(rows: Sequence[SystemRow]) -> str:
    """Return the result in a sentence.

    Args:
        rows: The figures of the systems.
    """
    scored = [(one.mean.mean, row.name, kind) for row in rows for kind, one in row.scores.items() if one.mean]
    if not scored:
        fastest = min(rows, key=lambda row: row.median_seconds)
        return f"No answer was scored. {fastest.name} answers fastest: {fastest.median_seconds:.2f} s a question."
    parts = []
    for kind in dict.fromkeys(kind for *_, kind in scored):
        top = max(mean for mean, _, of in scored if of == kind)
        names = [name for mean, name, of in scored if of == kind and mean == top]
        verb = "scores" if len(names) == 1 else "score"
        parts.append(f"{' and '.join(names)} {verb} {top:.0f} on questions about {_NAMES.get(kind, kind)}")
    return f"Best by the judge: {'; '.join(parts)}."


def _questions(rows: Sequence[SystemRow]) -> str:
    return f"{sum(one.questions for one in rows[0].scores.values()):,}"


def _scores_note(study: RagStudy) -> str:
    if not study.judge:
        return "Nothing was scored: there was no judge."
    return (
        f"Scores from 0 to 100 by {study.judge}, {_seen(study)}. Means with 95 % intervals; no answer scores 0. "
        "A reply without a score is neither 0 nor left out silently: beside the mean of the others stands the range "
        "that it may lie in; --retry asks again."
    )


def _seen(study: RagStudy) -> str:
    """Return what the judge saw beside questions and answers."""
    seen = [one.score.reference.partition(" ")[0] for asked in study.asked.values() for one in asked if one.score]
    if not any(seen):
        return "which sees question and answer only, so it cannot know whether an answer is true"
    names = {"answer": "the right answer", "document": "the text of the document that the question is about"}
    told = [f"{name} ({seen.count(kind):,} scores)" for kind, name in names.items() if kind in seen]
    rest = [f"nothing ({seen.count(''):,})"] if "" in seen else []
    return f"which sees beside question and answer {', '.join([*told, *rest])}"


def _answers(rows: Sequence[SystemRow]) -> Table:
    kinds = list(dict.fromkeys(kind for row in rows for kind in row.scores))
    columns = [Column("system", text=True)]
    for kind in kinds:
        columns += [Column("score", _NAMES.get(kind, kind)), Column("no answer", _NAMES.get(kind, kind)),
                    Column("not scored", _NAMES.get(kind, kind))]  # fmt: skip
    columns += [Column("mean", "seconds"), Column("median", "seconds"), Column("errors")]
    best = {kind: max((_mean(row, kind) for row in rows), default=0.0) for kind in kinds}
    lines = []
    for row in rows:
        line = [name_cell(row.name)]
        for kind in kinds:
            line += _score_cells(row.scores.get(kind), best[kind])
        line += [number_cell(row.mean_seconds, 2), number_cell(row.median_seconds, 2), number_cell(row.errors)]
        lines.append(line)
    return Table("answers-of-systems", "Scores and times of the systems", columns, lines)


def _mean(row: SystemRow, kind: str) -> float:
    """Return the mean score; -1 without scores."""
    one = row.scores.get(kind)
    return -1.0 if one is None or one.mean is None else one.mean.mean


def _score_cells(one: Scored | None, best: float = math.inf) -> list[Cell]:
    if one is None:
        return [NONE, NONE, NONE]
    mean, shown = one.mean, NONE
    if mean is not None:
        missing = f"; {one.least:.1f}–{one.most:.1f} by what is missing" if one.unread else ""
        strong = mean.mean == best and not one.unread
        shown = Cell(f"{mean.mean:.1f}", mean.mean, f"{mean.low:.1f}–{mean.high:.1f}{missing}", strong=strong)
    return [shown, number_cell(one.empty), number_cell(one.unread)]


def _building(rows: Sequence[SystemRow]) -> Table:
    columns = [Column("system", text=True), Column("seconds"), Column("peak MB"), Column("size MB"), Column("calls"),
               Column("tokens"), Column("documents"), Column("entities"), Column("triples")]  # fmt: skip
    lines = [
        [
            name_cell(row.name),
            Cell(f"{'' if row.is_whole else 'over '}{row.build_seconds:,.1f}", row.build_seconds),
            number_cell(row.peak_mb),
            number_cell(row.megabytes, 1),
            *map(number_cell, (row.build_calls, row.build_tokens, row.documents, row.entities, row.triples)),
        ]
        for row in rows
    ]
    return Table("building-of-systems", "What it takes to build the systems", columns, lines)


_PUBLISHED = (
    "Ours beside the figures that were published for the same recipe. They were measured on other documents and "
    "questions, with other models and another judge: compare the order of the systems, and not the values. "
    "graphbrick recipes NAME says what they were measured with."
)


def _published(rows: Sequence[SystemRow]) -> list[Section]:
    """Return the section of published figures; none if no system has any."""
    ours: dict[str, tuple[str, int, list[Cell]]] = {
        "document_score": ("score, one document", 1, [_score_cells(row.scores.get(DOCUMENT))[0] for row in rows]),
        "global_score": ("score, all documents", 1, [_score_cells(row.scores.get(GLOBAL))[0] for row in rows]),
        "build_seconds": ("seconds of building", 1, [number_cell(row.build_seconds, 1) for row in rows]),
        "query_seconds": ("seconds a question", 2, [number_cell(row.mean_seconds, 2) for row in rows]),
        "folder_mb": ("size, MB", 1, [number_cell(row.megabytes, 1) for row in rows]),
    }
    shown = {name: one for name, one in ours.items() if any(name in row.published for row in rows)}
    if not shown:
        return []
    columns = [Column("system", text=True)]
    columns += [Column(side, title) for title, *_ in shown.values() for side in ("ours", "published")]
    lines = [[name_cell(row.name)] for row in rows]
    for name, (_, digits, cells) in shown.items():
        for line, row, cell in zip(lines, rows, cells, strict=True):
            line += [cell, number_cell(row.published.get(name), digits)]
    table = Table("published-figures", "Ours beside the published figures", columns, lines)
    return [Section("published", "Published figures", [_PUBLISHED], [table_figure(table)])]


def _differences(study: RagStudy) -> list[Section]:
    """Return the section of paired differences; none without at least two systems with scores."""
    scores = {
        name: {one.question.id: float(one.score.score) for one in asked if one.score and one.score.score is not None}
        for name, asked in study.asked.items()
    }
    tests = []
    names = [name for name in scores if scores[name]]
    for i, first in enumerate(names):
        for second in names[i + 1 :]:
            common = sorted(scores[first].keys() & scores[second].keys())
            if common:
                values = [[scores[name][id_] for id_ in common] for name in (first, second)]
                tests.append((first, second, len(common), paired_bootstrap(*values)))
    if not tests:
        return []
    columns = [Column("systems", text=True), Column("difference"), Column("p"), Column("questions")]
    rows = [
        [
            Cell(f"{first} − {second}", f"{first} {second}", name=True),
            difference_cell(one.difference),
            number_cell(p, 3),
            number_cell(n),
        ]
        for (first, second, n, one), p in zip(tests, holm([one.p for *_, one in tests]), strict=True)
    ]
    note = "Differences of scores on the same questions, with 95 % intervals; p by paired bootstrap, corrected by Holm."
    table = Table("differences", "Differences between systems", columns, rows)
    return [Section("differences", "Differences", [note], [table_figure(table)])]


def _listed(study: RagStudy) -> Table:
    columns = [Column("question", text=True), Column("system", text=True), Column("answer", text=True), Column("score")]
    rows = []
    posed = next(iter(study.asked.values()), [])
    by_id = {name: {one.question.id: one for one in asked} for name, asked in study.asked.items()}
    for first in posed:
        for name, asked in by_id.items():
            one = asked.get(first.question.id)
            if one is None:
                continue
            score = None if one.score is None else one.score.score
            reason = "" if one.score is None else one.score.reason or one.score.error
            text = one.answer[:_LONGEST] + ("…" if len(one.answer) > _LONGEST else "") or one.error or "(no answer)"
            rows.append(
                [Cell(one.question.text, one.question.id), Cell(name, name), Cell(text),
                 Cell("–" if score is None else str(score), score, reason)]
            )  # fmt: skip
    return Table("all-answers", "All questions and answers", columns, rows)
