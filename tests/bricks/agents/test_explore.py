"""The one tool of Search-on-Graph: relations with counts, those that fit the question first, then their nodes."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphbrick import Subgraph, build
from graphbrick.bricks.agents.agent_tool import AdviceError
from graphbrick.bricks.agents.tools.explore import explore
from graphbrick.bricks.agents.workspace import Workspace
from graphbrick.testing import tiny_graph


def test_relations_of_both_directions_with_counts_then_one_of_them() -> None:
    work = Workspace("?", Subgraph(tiny_graph()))
    seen = explore.function(work, entity="Uganda")
    assert seen.text.splitlines()[0] == "Uganda has 5 relations:"
    assert {"-> capital (1)", "-> borders (1)", "<- borders (2)"} <= set(seen.text.splitlines())
    assert seen.walked == ()  # counts are no evidence
    followed = explore.function(work, entity="Uganda", relation="capital")
    assert [work.name(step.end) for step in followed.walked] == ["Kampala"]


def test_a_node_with_many_relations_shows_those_that_fit_the_question(tmp_path: Path) -> None:
    triples = [("hub", f"topic_{i}", f"leaf {i}") for i in range(40)] + [("hub", "opening_year", "1967")]
    graph = build(triples, tmp_path / "hub.graph")
    lines = explore.function(Workspace("In which opening year?", Subgraph(graph)), entity="hub").text.splitlines()
    assert lines[0] == "hub has 41 relations:"
    assert lines[1] == "-> opening_year (1)"
    assert len(lines) == 22
    assert lines[-1] == "and 21 more that fit the question less"


def test_a_node_or_relation_that_is_not_there_is_advice() -> None:
    work = Workspace("?", Subgraph(tiny_graph()))
    with pytest.raises(AdviceError):
        explore.function(work, entity="Atlantis")
    with pytest.raises(AdviceError):
        explore.function(work, entity="Kenya", relation="mayor")
