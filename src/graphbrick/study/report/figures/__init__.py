"""Figures of each pipeline of a study: means, times, cost and losses for tables and charts."""

from __future__ import annotations

from graphbrick.study.report.figures.judges import JudgeAgreement, judge_agreements
from graphbrick.study.report.figures.pipeline import PipelineFigures
from graphbrick.study.report.figures.reading import place_name, read_figures, recall_note, with_recall
from graphbrick.study.report.figures.values import (
    ANSWERED,
    NOT_LOST,
    RECALL_THRESHOLD,
    RISK,
    SEED,
    STRATA,
    Answers,
    Confidence,
    Judged,
    Mean,
    Memory,
    Spent,
    Times,
)

__all__ = [
    "ANSWERED",
    "NOT_LOST",
    "RECALL_THRESHOLD",
    "RISK",
    "SEED",
    "STRATA",
    "Answers",
    "Confidence",
    "JudgeAgreement",
    "Judged",
    "Mean",
    "Memory",
    "PipelineFigures",
    "Spent",
    "Times",
    "judge_agreements",
    "place_name",
    "read_figures",
    "recall_note",
    "with_recall",
]
