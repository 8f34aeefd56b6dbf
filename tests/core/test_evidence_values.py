"""Evidence as a value: what makes two of them equal."""

from __future__ import annotations

import numpy as np

from graphbrick import Evidence, Subgraph
from graphbrick.testing import tiny_graph


def test_evidence_from_another_part_of_the_graph_is_equal() -> None:
    graph = tiny_graph()
    part = Subgraph(graph, np.array([0, 1], dtype=np.int32), np.empty(0, dtype=np.int32))
    assert Evidence((), part) == Evidence(()) == Evidence((), Subgraph(graph))
    assert "subgraph" not in repr(Evidence((), part))
