"""The stage at which a pipeline lost the answer to a question.

The gold answers are followed from stage to stage: a question is lost at the first stage whose output contains no gold
answer. Each question has exactly one of these places, in order:

none        Not lost: the first answer is right, so that the share of "none" is Hits@1. For a pipeline without a
            generate stage: an item of its evidence meets a gold answer. For a pipeline without evidence: its subgraph
            contains one.
absent      None of the gold answers is in the graph.
linking     The search started in the wrong place, and no gold answer was met: linking failed, or none of the seeds is
            in the file. (If the file gives no seeds, any seed counts as right.)
extraction  No gold answer is in the last subgraph, after extraction and pruning.
retrieval   A gold answer is in the subgraph (without extraction: in the graph), but no retrieved item meets it.
ranking     A retrieved item meets a gold answer, but a rerank stage removed it.
generation  An item of the evidence meets a gold answer, but the first answer is wrong. If the generate stage takes the
            first path, as PathAnswer does, this includes answers that a rerank stage kept but did not put first.

A path meets the entities after its start, as in `graphbrick.study.metrics.ranking_metrics`. A gold answer that is a
seed is therefore met by a path that returns to it, or that leads to it from another seed. If branches retrieve and are
merged by a union, only the union counts: an item removed by ranking inside a branch counts as not retrieved.

A pipeline that failed lost the question at the stage that failed, unless it was lost before.
"""

from __future__ import annotations

from graphbrick.core import Evidence
from graphbrick.pipeline.interpreter import Course
from graphbrick.questions.grounding import GroundedQuestion

PLACES = ("none", "absent", "linking", "extraction", "retrieval", "ranking", "generation")
"""The places where an answer is lost, in order."""

_PLACE_OF = {
    "link": "linking",
    "extract": "extraction",
    "prune": "extraction",
    "retrieve": "retrieval",
    "union": "retrieval",
    "expand": "extraction",
    "repeat": "retrieval",
    "rerank": "ranking",
    "generate": "generation",
}


def lost_at(question: GroundedQuestion, course: Course | None, *, right: bool) -> str | None:
    """Return where the answer was lost: one of `PLACES`, or None if there are no gold answers.

    Args:
        question: The question with its gold answers.
        course: The pipeline's run; None if it could not start because none of the seeds is in the graph.
        right: Whether its first answer is right.

    Example:
        >>> from graphbrick import PPR, PathAnswer, ShortestPaths
        >>> from graphbrick.questions.question import Question
        >>> from graphbrick.questions.grounding import ground
        >>> from graphbrick.study.runs.prefixes import SharedStages
        >>> from graphbrick.testing import tiny_graph
        >>> question = Question("1", "Which currency has Nairobi?", ("Nairobi",), ("Kenyan shilling",))
        >>> grounded = ground(tiny_graph(), [question]).questions[0]
        >>> shared = SharedStages([PPR(k=2) >> ShortestPaths(), ShortestPaths(max_hops=1), ShortestPaths()])
        >>> [lost_at(grounded, course, right=False) for course in shared.run(tiny_graph(), grounded.query())]
        ['extraction', 'retrieval', 'none']
    """
    if not question.gold:
        return None
    if right:
        return "none"
    gold = set(question.answers)
    if not gold:
        return "absent"
    if course is None:
        return "linking"
    place = _lost(gold, course)
    if place in ("extraction", "retrieval") and _misled(question, course):
        return "linking"
    return place


def _lost(gold: set[int], course: Course) -> str:
    """Return the first stage after which no gold answer is left."""
    run = course.run
    if run.subgraph is not None and not run.subgraph.local(gold):
        return "extraction"
    evidences = [run.evidence for run in course.runs if run.evidence is not None]
    if evidences and not _meets(evidences[-1], gold):
        return "ranking" if any(_meets(evidence, gold) for evidence in evidences[:-1]) else "retrieval"
    if course.error is not None:
        return _PLACE_OF[course.failed]
    return "none" if run.answer is None else "generation"


def _meets(evidence: Evidence, gold: set[int]) -> bool:
    return any(not gold.isdisjoint(item.entities) for item in evidence.items)


def _misled(question: GroundedQuestion, course: Course) -> bool:
    """Return whether the search started nowhere, or only at entities that are not seeds in the file."""
    seeds = course.run.query.seeds
    if not seeds:  # a stage that writes queries needs none
        return bool(question.seeds) or any(stage.kind == "link" for _, stage in course.run.trace.walk())
    return bool(question.seeds and not set(seeds) & set(question.seeds))
