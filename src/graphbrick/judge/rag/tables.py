"""The figures of an evaluation on documents, as rows, files of the published columns, and a page."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, median

from graphbrick.core.files.replacing import replacing
from graphbrick.judge.rag.experiment import Asked, RagStudy
from graphbrick.judge.rag.questions import DOCUMENT, GLOBAL
from graphbrick.recipes import recipe
from graphbrick.study.statistics.intervals import Interval, interval

KIND = "kind"
TRAINING, INFERENCE, RAW = "training.csv", "inference.csv", "answers.txt"
_TRAINING_COLUMNS = ("rag_system", "doc_amount", "memory_used", "training_time")
_INFERENCE_COLUMNS = (
    "rag_system", "avg_time", "doc_questions", "avg_doc_score", "global_questions", "avg_global_score",
)  # fmt: skip
_RULE = "-" * 80
_MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Scored:
    """The scores of one kind of questions.

    Attributes:
        questions: Number of questions.
        mean: Mean score from 0 to 100 of the answers that have one, with its 95 % interval; None without scores.
        unread: Replies of the judge that had no score, or failed; nobody knows what they are worth.
        least: The mean if each of these were 0; None without a judge.
        most: The mean if each of these were 100; None without a judge.
        empty: Questions without an answer; they score 0.
    """

    questions: int
    mean: Interval | None
    unread: int
    empty: int
    least: float | None = None
    most: float | None = None


@dataclass(frozen=True)
class SystemRow:
    """The figures of one system.

    Attributes:
        name: Its name.
        build_seconds: Time until it can answer.
        is_whole: Whether ``build_seconds`` is the whole time.
        peak_mb: Most memory while building, beyond what the process held before; None if unknown.
        megabytes: Size of its graph and all beside it.
        build_calls: Calls of language models while building.
        build_tokens: Tokens sent and written while building.
        documents: Number of documents.
        entities: Number of entities.
        triples: Number of triples.
        mean_seconds: Mean time of a question.
        median_seconds: Median time of a question.
        errors: Questions on which it failed.
        scores: Scores by kind of question.
        published: Published figures of its recipe, such as ``document_score``; empty for none.
    """

    name: str
    build_seconds: float
    is_whole: bool
    peak_mb: float | None
    megabytes: float
    build_calls: int
    build_tokens: int
    documents: int
    entities: int
    triples: int
    mean_seconds: float
    median_seconds: float
    errors: int
    scores: dict[str, Scored]
    published: Mapping[str, float] = field(default_factory=dict)


def rows_of(study: RagStudy) -> list[SystemRow]:
    """Return the figures of each system, in their order."""
    rows = []
    for name, built in study.built.items():
        asked, cost = study.asked[name], built.cost
        seconds = [one.seconds for one in asked] or [0.0]
        kinds = dict.fromkeys(one.question.facts.get(KIND, "") for one in asked)
        rows.append(
            SystemRow(
                name, cost.seconds, built.is_whole, cost.peak_mb, built.bytes / _MEGABYTE, cost.calls,
                cost.tokens_in + cost.tokens_out, built.documents, built.entities, built.triples, fmean(seconds),
                median(seconds), sum(bool(one.error) for one in asked),
                {kind: _scored([one for one in asked if one.question.facts.get(KIND, "") == kind]) for kind in kinds},
                recipe(study.published[name]).figures if name in study.published else {},
            )
        )  # fmt: skip
    return rows


def _scored(asked: Sequence[Asked]) -> Scored:
    scores = [one.score for one in asked if one.score is not None]
    values = [float(score.score) for score in scores if score.score is not None]
    mean = interval([value / 100 for value in values]) if values else None
    if mean is not None:
        mean = Interval(100 * mean.mean, 100 * mean.low, 100 * mean.high, mean.n)
    unread, empty = len(scores) - len(values), sum(not one.answer.strip() for one in asked)
    least, most = ((sum(values) + unread * end) / len(scores) if scores else None for end in (0, 100))
    return Scored(len(asked), mean, unread, empty, least, most)


def write_files(study: RagStudy, rows: Sequence[SystemRow]) -> list[Path]:
    """Write the two tables and the answers in the form of the published evaluation; return the files.

    ``memory_used`` is the peak of memory in bytes (there it was the size of the folder), empty where it is unknown.
    """
    files = [study.folder / name for name in (TRAINING, INFERENCE, RAW)]
    with replacing(files[0]) as out:
        csv.writer(out, lineterminator="\n").writerows(
            [
                _TRAINING_COLUMNS,
                *(
                    [row.name, row.documents, "" if row.peak_mb is None else round(row.peak_mb * _MEGABYTE),
                     round(row.build_seconds, 3)]
                    for row in rows
                ),
            ]
        )  # fmt: skip
    with replacing(files[1]) as out:
        csv.writer(out, lineterminator="\n").writerows([_INFERENCE_COLUMNS, *map(_inference, rows)])
    with replacing(files[2]) as out:
        out.writelines(_blocks(study))
    return files


def _inference(row: SystemRow) -> list[object]:
    cells: list[object] = [row.name, round(row.mean_seconds, 3)]
    for kind in (DOCUMENT, GLOBAL):
        one = row.scores.get(kind)
        cells += [one.questions if one else 0, round(one.mean.mean, 2) if one and one.mean else ""]
    return cells


def _blocks(study: RagStudy) -> Iterator[str]:
    for name, asked in study.asked.items():
        for one in asked:
            score = "" if one.score is None or one.score.score is None else one.score.score
            answer = one.answer or (f"(error: {one.error})" if one.error else "")
            yield f"System: {name}\nQuestion: {one.question.text}\nAnswer: {answer}\nScore: {score}\n{_RULE}\n"
