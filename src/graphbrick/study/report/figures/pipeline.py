"""The figures of one pipeline of a study, for tables and charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphbrick.study.report.figures.values import Answers, Confidence, Judged, Mean, Memory, Spent, Times
from graphbrick.study.statistics.summary import Summary
from graphbrick.study.store.records import StudyRun


@dataclass(frozen=True, slots=True)
class PipelineFigures:
    """The figures of one pipeline of a study.

    Attributes:
        number: Its number in tables and charts, from 1 for the best.
        run: The run it comes from.
        results: Number of finished questions.
        answerable: Number of finished questions that the graph can answer.
        errors: Number of questions that ended in an error.
        means: Means by measure, over all finished questions and over the answerable ones.
        averages: Means by measure, over all questions that have a value; None if there are none. "n_paths" is the
            number of items of the evidence.
        by: The decisive measure by "hops", by "dataset" and by the requested property, in natural order.
        times: Times per question; None if no question is finished.
        spent_by: Time and cost of the groups of questions that ``by`` has.
        memory: Memory by figure (grown_mb, peak_mb, gpu_peak_mb) and kind of stage; none where it was not measured.
        used: Sums over questions: calls, tokens_in, tokens_out, estimated, cost, cache_hits. If the study tells
            embedders and language models apart: also embedding_calls and embedding_tokens, and the rest as llm_calls
            and llm_tokens_in.
        lost: Number of questions lost at each stage; questions without gold answers are not counted.
        scores: The decisive measure for each question of the study; None if the question is not finished or cannot be
            scored.
        answers: Quality of the answers, by every measure of answers.
        answers_by_hops: Quality of the answers for each number of hops, in natural order.
        linking: Means of the measures of linking; none if no question was linked by the pipeline itself.
        extraction: Means of the measures of the last subgraph (`EXTRACTION`); none if the pipeline extracts none.
        paths: Means of the measures of the evidence (`PATHS`); none if the pipeline retrieves none.
        queries: Means of the measures of written queries; none if the pipeline writes none, or no question has a gold
            query.
        confidence: Worth of the confidence in the answers; None if no answer has one.
        judged: Work of the study's judge on the answers; None if there is no judge.
    """

    number: int
    run: StudyRun
    results: int
    answerable: int
    errors: int
    means: Mapping[str, Summary]
    averages: Mapping[str, float | None]
    by: Mapping[str, Mapping[str, Summary]]
    spent_by: Mapping[str, Mapping[str, Spent]]
    times: Times | None
    memory: Mapping[str, Mapping[str, Memory]]
    used: Mapping[str, float]
    lost: Mapping[str, int]
    scores: Sequence[float | None]
    answers: Answers
    answers_by_hops: Mapping[str, Answers]
    linking: Mapping[str, Mean]
    extraction: Mapping[str, Mean]
    paths: Mapping[str, Mean]
    queries: Mapping[str, Mean]
    confidence: Confidence | None = None
    judged: Judged | None = None

    @property
    def name(self) -> str:
        """Its name in tables."""
        return self.run.name

    def a_question(self, name: str) -> float:
        """Return the average per question of one of ``used``; 0 if no question is finished."""
        return self.used.get(name, 0.0) / self.results if self.results else 0.0

    @property
    def llm_tokens(self) -> float | None:
        """Tokens a question that language models read and wrote; None if those of embedders are not known."""
        split = "llm_tokens_in" in self.used
        return self.a_question("llm_tokens_in") + self.a_question("tokens_out") if split else None

    @property
    def embedding_tokens(self) -> float | None:
        """Tokens a question that embedders and ranking models read; None if they are not known."""
        return self.a_question("embedding_tokens") if "embedding_tokens" in self.used else None

    def to_dict(self, by: str | None = None) -> dict[str, Any]:
        """Return the figures as plain JSON types; with ``by`` also measure and cost of each group."""
        groups = {} if by is None else {
            "by": {name: mean.to_dict() for name, mean in self.by[by].items()},
            "spent_by": {name: spent._asdict() for name, spent in self.spent_by[by].items()},
        }  # fmt: skip
        return {
            "run": self.run.id,
            "name": self.name,
            "recipe": self.run.recipe,
            "graph": {"path": self.run.graph_path, "hash": self.run.graph_hash},
            "linked": self.run.linked,
            "asked": self.run.questions,
            "done": self.results,
            "answerable": self.answerable,
            "errors": self.errors,
            "means": {name: {"pipeline": self.name} | mean.to_dict() for name, mean in self.means.items()},
            **groups,
            "answers": self.answers.to_dict(),
            "judged": None if self.judged is None else self.judged._asdict(),
            **{
                task: {name: mean._asdict() for name, mean in getattr(self, task).items()}
                for task in ("linking", "extraction", "paths", "queries")
            },
            "confidence": None if self.confidence is None else self.confidence.to_dict(),
            "averages": dict(self.averages),
            "milliseconds": None if self.times is None else self.times._asdict(),
            "memory": {
                name: {kind: own._asdict() for kind, own in kinds.items()} for name, kinds in self.memory.items()
            },
            "used": {name: self.a_question(name) for name in self.used},
            "lost": dict(self.lost),
        }
