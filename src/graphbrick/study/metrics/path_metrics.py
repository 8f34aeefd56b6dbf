"""Measures of the paths of a question; each path is given as the entities that it meets (see `met`).

A gold answer is one entity or a collection of alternatives, as in `evaluate.metrics.sets`. A gold answer that is not in
the graph is met by no path, but still counts. All measures lie in [0, 1]. They are 0 if there are no paths, and raise
ValueError if there are no gold answers. The order of paths is measured in
`graphbrick.study.metrics.ranking_metrics`.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable

from graphbrick.core import Evidence
from graphbrick.study.metrics.sets import Gold, gold_sets


def met(evidence: Evidence) -> list[tuple[int, ...]]:
    """Return the entities that each item of evidence meets.

    A path meets all entities after its start. The start is given with the question, so it does not count, unless the
    path returns to it.

    >>> met(Evidence())
    []
    """
    return [item.entities for item in evidence.items]


def path_precision(paths: Collection[Collection[Hashable]], gold: Gold) -> float:
    """Return the share of paths that meet a gold answer; 0 if there are no paths.

    >>> path_precision([["Kenya", "Nairobi"], ["Kenya", "Uganda"]], {"Nairobi"})
    0.5
    """
    wanted = set[Hashable]().union(*gold_sets(gold))
    return sum(not wanted.isdisjoint(path) for path in paths) / len(paths) if paths else 0.0


def path_recall(paths: Collection[Collection[Hashable]], gold: Gold) -> float:
    """Return the share of gold answers that some path meets; 0 if there are no paths.

    >>> path_recall([["Kenya", "Nairobi"], ["Kenya", "Nakuru", "Nairobi"]], {"Nairobi", "Kampala"})
    0.5
    """
    wanted = gold_sets(gold)
    reached = {entity for path in paths for entity in path}
    return sum(not alternatives.isdisjoint(reached) for alternatives in wanted) / len(wanted)


def path_f1(paths: Collection[Collection[Hashable]], gold: Gold) -> float:
    """Return the harmonic mean of `path_precision` and `path_recall` (Cao et al., LEGO-GraphRAG, VLDB 2025).

    >>> round(path_f1([["Kenya", "Nairobi"], ["Kenya", "Uganda"]], {"Nairobi"}), 3)
    0.667
    """
    p, r = path_precision(paths, gold), path_recall(paths, gold)
    return 2 * p * r / (p + r) if p + r else 0.0
