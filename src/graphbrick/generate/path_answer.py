"""Answers without a language model."""

from __future__ import annotations

from dataclasses import dataclass

from graphbrick.core import Answer, Evidence, Path, Query
from graphbrick.core.trace import event
from graphbrick.graphs.patterns import follow_pattern
from graphbrick.pipeline import GenerateStage


@dataclass(frozen=True, repr=False)
class PathAnswer(GenerateStage):
    """The entities at the ends of the best path's relation pattern, as a set; no language model.

    The best path is the first of the evidence that does not end at a seed. Its pattern — relations and directions —
    is followed through the whole graph from every seed whose paths in the evidence have it, so that «which films did
    she act in» gives all films although the ranking kept only some.

    Returns:
        Distinct answers: those whose paths are in the evidence first, in its order, then the others in order of
        discovery; one supporting path each. Empty where the evidence holds no such path.

    Example:
        >>> from graphbrick import BM25, Rerank, ShortestPaths
        >>> from graphbrick.testing import tiny_graph
        >>> pipeline = ShortestPaths() >> Rerank(BM25()) >> PathAnswer()
        >>> pipeline(tiny_graph(), "What is the capital of Kenya?").texts
        ('Nairobi',)
    """

    def generate(self, query: Query, evidence: Evidence) -> Answer:
        """The ends of the best pattern."""
        best = next((path for path in evidence.paths if path.end not in query.seeds), None)
        if best is None:
            without = "the evidence holds no path, only reports" if evidence.items else "the evidence is empty"
            reason = "every path of the evidence ends at a seed" if evidence.paths else without
            event(f"no answer: {reason}")
            return Answer()
        if not any(path.score for path in evidence.paths) and len({path.pattern for path in evidence.paths}) > 1:
            event("the paths are not ranked, so that the answer follows the pattern of the first of them")
        proofs: dict[int, Path] = {}
        alike = [path for path in evidence.paths if path.pattern == best.pattern]
        for path in alike:
            proofs.setdefault(path.end, path)
        for start in dict.fromkeys(path.start for path in alike):
            for path in follow_pattern(best.graph, start, best.pattern, source=repr(self)):
                proofs.setdefault(path.end, path)
        ends = [end for end in proofs if end not in query.seeds]
        return Answer(
            texts=tuple(best.graph.label(end) for end in ends),
            entities=tuple(ends),
            evidence=Evidence(tuple(proofs[end] for end in ends)),
            support=tuple((i,) for i in range(len(ends))),
        )
