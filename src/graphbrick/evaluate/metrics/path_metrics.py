"""Measures of the paths of a question, each path given as the entities that it meets; see `met`.

A gold answer is one entity or a collection of alternatives, as in `evaluate.metrics.sets`; one that is not in the
graph is met by no path and counts. All measures lie in [0, 1]. Without paths they are 0; without gold they raise
ValueError. What an order of paths is worth is measured in `graphbrick.evaluate.metrics.ranking_metrics`.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable

from graphbrick.core import Evidence
from graphbrick.evaluate.metrics.sets import Gold, gold_sets


def met(evidence: Evidence) -> list[tuple[int, ...]]:
    """Return the entities that each item of evidence speaks of.

    Those of a path are all after its start: the start was given with the question, so that meeting it is no merit. A
    path that comes back to its start meets it.

    >>> met(Evidence())
    []
    """
    return [item.entities for item in evidence.items]


def path_precision(paths: Collection[Collection[Hashable]], gold: Gold) -> float:
    """Return the share of paths that meet an answer; 0 where there is no path.

    >>> path_precision([["Kenya", "Nairobi"], ["Kenya", "Uganda"]], {"Nairobi"})
    0.5
    """
    wanted = set[Hashable]().union(*gold_sets(gold))
    return sum(not wanted.isdisjoint(path) for path in paths) / len(paths) if paths else 0.0


def path_recall(paths: Collection[Collection[Hashable]], gold: Gold) -> float:
    """Return the share of gold answers that a path meets; 0 where there is no path.

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
