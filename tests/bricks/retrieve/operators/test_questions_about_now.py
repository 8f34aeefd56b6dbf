"""«Currently» and «still» beside relations that end: what ended counts too, which is told."""

from __future__ import annotations

import pytest
from built_graphs import built_from_tables
from faults import told

from graphbrick.graphs.graph import Graph
from graphbrick.learn.default import default_pipeline

TABLES = {
    "nodes_person": "id,label,name,status\n"
    "p0,Person,Ada Low,active\np1,Person,Bo Hay,retired\np2,Person,Cy Orr,active\n",
    "nodes_team": "id,label,name,kind\nt1,Team,Blue,sales\nt2,Team,Green,support\n",
    "edges": "start,end,type,since,until\np0,t1,WORKS_IN,2010,2015\np0,t2,WORKS_IN,2015,\np1,t1,WORKS_IN,2011,\n",
}


@pytest.fixture(scope="module")
def staff(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return built_from_tables(tmp_path_factory.mktemp("staff"), TABLES)


@pytest.mark.parametrize("question", ["Who currently works in Blue?", "Who still works in Blue?"])
def test_over_a_relation_with_ends_the_answer_is_less_sure(staff: Graph, question: str) -> None:
    answer = default_pipeline(staff)(staff, question)
    assert (set(answer.texts), answer.confidence) == ({"Ada Low", "Bo Hay"}, 0.5)
    assert dict(told(answer.trace.events))["operators.not_now"]["property"] == "until"


def test_a_state_is_one_of_now(staff: Graph) -> None:
    answer = default_pipeline(staff)(staff, "Which people are still active?")
    assert (set(answer.texts), answer.confidence) == ({"Ada Low", "Cy Orr"}, 0.95)
