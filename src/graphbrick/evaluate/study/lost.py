"""The stage at which a pipeline lost the answer to a question.

An answer is followed from stage to stage: a question is lost at the first stage behind which no gold answer is left.
The places, in order, of which each question has exactly one:

none        Not lost: the first answer is right, so that the share of "none" is Hits@1. For a pipeline without a
            generate stage: an item of its evidence speaks of a gold answer; for one without evidence: its subgraph
            holds one.
absent      The graph has none of the gold answers.
linking     The search started in the wrong place, and no gold answer was met: linking failed, or none of the seeds is
            one that the file gives. (If the file gives none, any seed counts as right.)
extraction  No gold answer is in the last subgraph, after extraction and pruning.
retrieval   A gold answer is in the subgraph (without extraction: in the graph), but no retrieved item speaks of it.
ranking     A retrieved item speaks of a gold answer, but a rerank stage cut it.
generation  An item of the evidence speaks of a gold answer, but the first answer is not right. A generate stage that
            takes the first path, as PathAnswer does, loses here what a rerank stage kept but did not put first.

A path speaks of the entities after its start, as in `graphbrick.evaluate.metrics.path_metrics`; so an answer that is a
seed is met by a path that comes back to it, or that leads to it from another seed. For a union of branches that
retrieve, only their union counts: what was ranked away inside a branch counts as not retrieved.

A pipeline that failed lost the question at the stage that failed, unless it was lost before.
"""

from __future__ import annotations

from graphbrick.core import Evidence
from graphbrick.evaluate.datasets import GroundedQuestion
from graphbrick.evaluate.metrics.path_metrics import met
from graphbrick.pipeline.interpreter import Course

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
    """Return where the answer to a question was lost: one of `PLACES`, or None without gold answers.

    Args:
        question: The question with its gold answers.
        course: What the pipeline did; None where it could not start, since the graph has none of the seeds.
        right: Whether its first answer is right.

    Example:
        >>> from graphbrick import PPR, PathAnswer, ShortestPaths
        >>> from graphbrick.evaluate.datasets import Question, ground
        >>> from graphbrick.evaluate.study.prefixes import SharedStages
        >>> from graphbrick.testing import tiny_graph
        >>> asked = Question("1", "Which currency has Nairobi?", ("Nairobi",), ("Kenyan shilling",))
        >>> question = ground(tiny_graph(), [asked]).questions[0]
        >>> shared = SharedStages([PPR(k=2) >> ShortestPaths(), ShortestPaths(max_hops=1), ShortestPaths()])
        >>> [lost_at(question, course, right=False) for course in shared.run(tiny_graph(), question.query())]
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
    """Return the first stage that leaves no gold answer."""
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
    return any(not gold.isdisjoint(entities) for entities in met(evidence))


def _misled(question: GroundedQuestion, course: Course) -> bool:
    """Return whether the search started nowhere, or only at entities that are not seeds in the file."""
    seeds = course.run.query.seeds
    return not seeds or bool(question.seeds and not set(seeds) & set(question.seeds))
