"""A small table of people and teams, and a scorer that has no opinion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from graphbrick import Answer
from graphbrick.core import Row
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.models.scorers.scorer import Scorer

STAFF = """Ada Marsh,works in,Platform Team
Ben Okoro,works in,Platform Team
Carla Diaz,works in,Billing Team
Ada Marsh,reports to,Carla Diaz
Ben Okoro,reports to,Ada Marsh
Platform Team,part of,Engineering
Billing Team,part of,Finance
Platform Team,owns,Auth Service
Platform Team,owns,Deploy Service
Platform Team,owns,Search Service
Billing Team,owns,Invoice Service
Ada Marsh,lives in,Oslo
Carla Diaz,lives in,Bergen
Ada Marsh,salary,"$61,000"
Ben Okoro,salary,"$58,500"
Carla Diaz,salary,"$72,250"
Ada Marsh,birth date,1984-05-02
Ben Okoro,birth date,1990-11-30
Carla Diaz,birth date,1979-01-15
Platform Team,founded,2012
Billing Team,founded,2008"""


@dataclass(frozen=True, repr=False)
class Indifferent(Scorer):
    """Gives every pattern the same score, so that the words and classes of a question decide alone."""

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return zeros."""
        return np.zeros(len(texts))


def staff_graph(folder: Path) -> Graph:
    """Build the graph in a folder."""
    rows = [line.split(",", 2) for line in STAFF.splitlines()]
    return build([(head, relation, tail.strip('"')) for head, relation, tail in rows], folder / "staff.graph")


def plan_of(answer: Answer) -> str:
    """Return the plan of a computed answer; empty for none."""
    return next((item.values[1] for item in answer.evidence.items if isinstance(item, Row)), "")
