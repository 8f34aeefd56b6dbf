"""Names in experiment files that stand for graphs and questions of the caller."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from graphbrick.core.compute import Progress
from graphbrick.graphs.graph import Graph


@dataclass(frozen=True)
class Place:
    """A graph and questions that a name in an experiment file stands for.

    Attributes:
        graph: Opens the graph, or makes it first.
        questions: The file of questions.
    """

    graph: Callable[[Progress], Graph]
    questions: Path


Places = Mapping[str, Place]
"""What names in an experiment file stand for."""
