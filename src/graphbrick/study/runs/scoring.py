"""The stored result of one question in one run: measures of every stage, answers and paths.

The measures by name, as in `Result.metrics`:

- ``linking_recall_at_1``, ``linking_recall_at_5``, ``linking_precision``: the seeds that the pipeline found in the
  text, compared with those of the file (`graphbrick.study.metrics.linking_metrics`).
- ``hit``, ``hits_at_1``, ``exact_match``, ``precision``, ``recall``, ``f1``: the answers by text, because a language
  model answers in words (`graphbrick.study.metrics.answers`); with the prefix ``entity_``, the answers by entity
  (`graphbrick.study.metrics.sets`).
- ``confidence``: the probability that the first answer is right, as the pipeline estimates it; None if it gave no
  answer or no estimate.
- ``rog_hit``, ``rog_f1``, ``tog_exact_match``, ``lego_hit`` and others: the answers by text as RoG, ToG and
  LEGO-GraphRAG score them, flaws included (`graphbrick.study.metrics.published`).
- ``subgraph_recall``, ``subgraph_precision``, ``subgraph_f1``, ``nodes``, ``triples``, ``components``: the last
  subgraph, if the pipeline extracts one (`graphbrick.study.metrics.subgraph_metrics`).
- ``path_precision``, ``path_recall``, ``path_f1``, ``path_hit``, ``recall_at_1``, ``recall_at_10``, ``recall_at_32``,
  ``hit_at_1``, ``hit_at_10``, ``hit_at_32``, ``mrr``, ``ndcg_at_10``: the last evidence, if the pipeline retrieves any
  (`graphbrick.study.metrics.ranking_metrics`).

A failed pipeline scores 0 in every measure of its stages, and has no sizes. A measure is None if it cannot be scored:
all but the sizes and linking if there are no gold answers, linking if the file gives no seeds or the pipeline was given
them, and the measures of stages that the pipeline does not have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace

from graphbrick.core import Answer, Evidence, Subgraph
from graphbrick.core.memory.meter import FIGURES
from graphbrick.core.trace import StageTrace
from graphbrick.graphs.graph import Graph
from graphbrick.language.folding import answer_form
from graphbrick.pipeline import Pipeline
from graphbrick.pipeline.interpreter import Course
from graphbrick.pipeline.run import Level
from graphbrick.questions.grounding import GroundedQuestion
from graphbrick.study.metrics.answers import gold_forms, text_scores
from graphbrick.study.metrics.linking_metrics import LINKING_METRICS, linking_scores
from graphbrick.study.metrics.published import PUBLISHED_METRICS, as_published
from graphbrick.study.metrics.ranking_metrics import hit_at, ndcg_at, precision_at, recall_at, reciprocal_rank
from graphbrick.study.metrics.sets import answer_scores, harmonic
from graphbrick.study.metrics.subgraph_metrics import subgraph_scores
from graphbrick.study.runs.lost import lost_at
from graphbrick.study.runs.query_scoring import QUERY_METRICS
from graphbrick.study.store.exchanges import exchanges_of
from graphbrick.study.store.records import Detail, Result, StoredAnswer, StoredPath

ANSWERS_KEPT, SUPPORT_KEPT, PATHS_KEPT = 20, 2, 32
"""Numbers stored per question: answers, supporting paths of an answer, and evidence items, which judges see."""

_ANSWER = ("hit", "hits_at_1", "exact_match", "precision", "recall", "f1")
_SUBGRAPH = ("subgraph_recall", "subgraph_precision", "subgraph_f1")
SIZES = ("nodes", "triples", "components")
CONFIDENCE = "confidence"
_DEPTHS = (1, 10, 32)
_PATHS = (
    *("path_precision", "path_recall", "path_f1", "path_hit"),
    *(f"recall_at_{n}" for n in _DEPTHS),
    *(f"hit_at_{n}" for n in _DEPTHS),
    *("mrr", "ndcg_at_10"),
)
METRICS = (
    *LINKING_METRICS,
    *_ANSWER,
    *(f"entity_{name}" for name in _ANSWER),
    CONFIDENCE,
    *PUBLISHED_METRICS,
    *_SUBGRAPH,
    *SIZES,
    *_PATHS,
    *QUERY_METRICS,
)
"""Names of all measures."""


def levels_of(pipeline: Pipeline) -> frozenset[Level]:
    """Return the levels that a pipeline reaches, such as the subgraph if it extracts one."""
    return frozenset(stage.gives for stage in pipeline.stages_within())


def score(question: GroundedQuestion, course: Course | None, levels: frozenset[Level]) -> dict[str, float | None]:
    """Return all measures of one question for one pipeline, with every name in `METRICS`.

    Args:
        question: The question with its gold answers.
        course: The pipeline's run; None if it could not start.
        levels: The levels that the pipeline reaches when it does not fail (`levels_of`).
    """
    failed = course is None or course.error is not None
    answer = course.run.answer if course and not failed else None
    scores: dict[str, float | None] = dict.fromkeys(METRICS)
    if course is not None and not course.runs[0].linked and question.question.seeds:
        scores |= _of_linking(question, course)
    if Level.ANSWER in levels and question.gold:
        scores |= dict.fromkeys((*_ANSWER, *(f"entity_{name}" for name in _ANSWER), *PUBLISHED_METRICS), 0.0)
        if answer is not None:
            scores |= text_scores(answer.texts, question.names)._asdict()
            scores |= as_published(answer.texts, question.names)
            by_entity = answer_scores(answer.entities, question.gold)._asdict()
            scores |= {f"entity_{name}": value for name, value in by_entity.items()}
    if answer is not None and answer.texts:
        scores[CONFIDENCE] = answer.confidence
    if Level.SUBGRAPH in levels:
        subgraph = course.run.subgraph if course and not failed else None
        scores |= _of_subgraph(question, subgraph)
    if Level.EVIDENCE in levels and question.gold:
        evidence = course.run.evidence if course and not failed else None
        scores |= _of_paths(question, evidence or Evidence())
    return scores


def _of_linking(question: GroundedQuestion, course: Course) -> dict[str, float | None]:
    gold = [*question.seeds, *(None for _ in question.missing_seeds)]
    return dict(zip(LINKING_METRICS, linking_scores(course.run.query, gold), strict=True))


def _of_subgraph(question: GroundedQuestion, subgraph: Subgraph | None) -> dict[str, float | None]:
    if subgraph is None:
        return dict.fromkeys(_SUBGRAPH, 0.0 if question.gold else None)
    scores = subgraph_scores(subgraph, question.gold or (None,))
    sizes = {"nodes": scores.nodes, "triples": scores.triples, "components": scores.components}
    values = zip(_SUBGRAPH, (scores.recall, scores.precision, scores.f1), strict=True)
    return sizes | {name: value if question.gold else None for name, value in values}


def _of_paths(question: GroundedQuestion, evidence: Evidence) -> dict[str, float | None]:
    items, gold = [item.entities for item in evidence.items], question.gold
    precision, recall = precision_at(items, gold), recall_at(items, gold)
    return {
        "path_precision": precision,
        "path_recall": recall,
        "path_f1": harmonic(precision, recall),
        "path_hit": float(precision > 0),
        **{f"recall_at_{n}": recall_at(items, gold, n) for n in _DEPTHS},
        **{f"hit_at_{n}": hit_at(items, gold, n) for n in _DEPTHS},
        "mrr": reciprocal_rank(items, gold),
        "ndcg_at_10": ndcg_at(items, gold, 10),
    }


def result_of(
    question: GroundedQuestion,
    course: Course | None,
    levels: frozenset[Level],
    *,
    error: str | None = None,
    numbers: tuple[int, int, int],
    of_query: Mapping[str, float | None],
) -> Result:
    """Return the result of a question in figures.

    Args:
        question: The question.
        course: The pipeline's run; None if it could not start.
        levels: The levels that the pipeline reaches (`levels_of`).
        error: Why the pipeline could not start.
        numbers: Numbers of run, question and session.
        of_query: Measures of the query that the pipeline wrote (`evaluate.study.query_scoring`).
    """
    run, number, session = numbers
    metrics = {**score(question, course, levels), **of_query, **_memory(course)}
    ledger: Mapping[str, float] = {}
    stages: tuple[tuple[str, str, float], ...] = ()
    n_answers = n_paths = 0
    if course is not None:
        trace, answer, evidence = course.run.trace, course.run.answer, course.run.evidence
        ledger, error = trace.ledger, None if course.error is None else str(course.error)
        stages = tuple((stage.stage, stage.kind, stage.seconds) for stage in trace.stages)
        n_answers, n_paths = len((answer or Answer()).texts), len(evidence or Evidence())
    return Result(
        run=run,
        question=number,
        session=session,
        error=error,
        lost_at=lost_at(question, course, right=metrics["hits_at_1"] == 1),
        seconds=sum(seconds for _, _, seconds in stages),
        metrics=metrics,
        ledger=ledger,
        stage_seconds=stages,
        n_answers=n_answers,
        n_paths=n_paths,
    )


def _memory(course: Course | None) -> dict[str, float | None]:
    """Return the peaks of memory of each kind of stage, in MB; nothing where they were not measured."""
    peaks: dict[str, float | None] = {}
    for stage in () if course is None else course.run.trace.stages:
        for name in FIGURES:
            if name in stage.facts:
                key = f"{name}_{stage.kind}"
                peaks[key] = max(peaks.get(key) or 0.0, stage.facts[name])
    return peaks


def detail_of(
    question: GroundedQuestion,
    course: Course | None,
    numbers: tuple[int, int],
    *,
    exchanges: bool = True,
) -> Detail:
    """Return the result of a question in words.

    Args:
        question: The question.
        course: The pipeline's run; None if it could not start.
        numbers: Numbers of run and question.
        exchanges: Whether to keep prompts and replies of language models.
    """
    if course is None:
        return Detail(*numbers, seeds=(), answers=(), paths=(), stages=())
    run, graph = course.run, course.run.graph
    gold, forms = set(question.answers), frozenset[str]().union(*gold_forms(question.names))
    stages = [stage for _, stage in run.trace.walk()]
    items = (run.evidence or Evidence()).items[:PATHS_KEPT]
    return Detail(
        *numbers,
        seeds=tuple((graph.key(seed), graph.label(seed)) for seed in run.query.seeds),
        answers=_answers(graph, run.answer or Answer(), forms if question.gold else None),
        paths=tuple(
            StoredPath(
                item.text, float(item.score), item.source, not gold.isdisjoint(item.entities) if question.gold else None
            )
            for item in items
        ),
        stages=tuple(_stored_trace(stage) for stage in stages),
        exchanges=exchanges_of(stages) if exchanges else (),
    )


def _stored_trace(stage: StageTrace) -> dict[str, object]:
    """Return the trace of a stage for storage, without exchanges and children, stored apart."""
    trace = asdict(replace(stage, exchanges=[], children=[]))
    return {name: value for name, value in trace.items() if name not in ("exchanges", "children")}


def _answers(graph: Graph, answer: Answer, forms: frozenset[str] | None) -> tuple[StoredAnswer, ...]:
    support = answer.support or ((),) * len(answer.texts)
    rows = list(zip(answer.texts, answer.entities, support, strict=True))[:ANSWERS_KEPT]
    return tuple(
        StoredAnswer(
            text,
            None if entity is None else graph.key(entity),
            None if forms is None else answer_form(text) in forms,
            tuple(answer.evidence.items[place].text for place in places[:SUPPORT_KEPT]),
        )
        for text, entity, places in rows
    )
