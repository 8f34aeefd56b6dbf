"""The pipeline over the learned patterns of a graph; loads no training code."""

from __future__ import annotations

from pathlib import Path

from graphbrick.bricks.generate.path_answer import PathAnswer
from graphbrick.bricks.link.labels import LinkLabels
from graphbrick.bricks.rerank.rank_ends import RankEnds
from graphbrick.bricks.retrieve.operators.stage import Operators
from graphbrick.bricks.retrieve.patterns.patterns import Patterns
from graphbrick.core.files.claims import recover
from graphbrick.graphs.graph import Graph
from graphbrick.patterns.model.folder import DESCRIPTION, WEIGHTS, load
from graphbrick.patterns.model.scorer import PatternScorer
from graphbrick.pipeline import Pipeline


def learned_place(graph: Graph) -> Path:
    """Return the folder of a graph's learned patterns: ``films.graph.patterns`` for ``films.graph``."""
    return graph.place.with_name(f"{graph.place.name}.patterns")


def learned_pipeline(graph: Graph) -> Pipeline | None:
    """Return the pipeline over the learned patterns of a graph; None if it was not learned.

    Raises:
        ModelError: A file of them is missing or damaged.
    """
    place = learned_place(graph)
    # Weights without their description are damage, and not a graph that was never learned.
    return pipeline_over(str(place)) if is_learned(place) or (place / WEIGHTS).exists() else None


def is_learned(place: Path) -> bool:
    """Return whether a folder holds patterns; one that a killed process left aside is put back."""
    description = place / DESCRIPTION
    return description.exists() or (recover(place) and description.exists())


def pipeline_over(folder: str) -> Pipeline:
    """Return the pipeline over learned patterns, with `RankEnds` if they have weights for ends.

    Raises:
        ModelError: The folder holds no patterns.
    """
    model, scorer = load(folder), PatternScorer(folder)
    linked = LinkLabels(readings=2, words=folder)  # patterns decide between two entities of one name
    least = 0.0 if model.calibration is None else model.calibration.min_confidence
    if model.ends is None:
        patterns = Patterns(scorer, max_hops=model.max_hops)
        return linked >> Operators(patterns) >> PathAnswer(min_confidence=least)
    ranked = RankEnds(folder)
    patterns = Patterns(scorer, n=ranked.patterns, each=1, max_hops=model.max_hops)
    return linked >> Operators(patterns) >> ranked >> PathAnswer(ends="listed", min_confidence=least)


def unlearned(graph: Graph) -> list[str]:
    """Return the relations of a graph that came after it was learned; empty if it never was."""
    place = learned_place(graph)
    if not is_learned(place):
        return []
    return list(load(str(place)).unlearned(graph))
