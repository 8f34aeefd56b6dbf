"""Questions over places, unions and languages: places in something, ways there and back, marks around names."""

from __future__ import annotations

import pytest
from built_graphs import built_from_nodes_and_edges

from graphbrick.graphs.graph import Graph
from graphbrick.learn.default import default_pipeline

NODES = {
    "region": "id,label,name\nr1,Region,Americas\nr2,Region,South America\n",
    "country": "id,label,name,population,area\nc1,Territory,Brazil,200,850\nc2,Territory,Guyana,1,21\n"
    "c3,Territory,Chile,19,75\nc4,Territory,Latvia,2,6\nc5,Territory,Malta,1,1\nc6,Territory,Spain,47,50\n",
    "union": "id,label,name\nu1,Union,Eurozone\n",
    "script": "id,label,name\nx1,Script,Old Castilian\n",
    "currency": "id,label,name\nm1,Currency,Euro\n",
    "language": "id,label,name\nl1,Language,Spanish\nl2,Language,Russian\nl3,Language,Maltese\n",
}
EDGES = {
    "origin": "start,end,type\nx1,c6,ORIGIN_COUNTRY\n",
    "uses": "start,end,type\nc4,m1,USES_CURRENCY\nc5,m1,USES_CURRENCY\nc6,m1,USES_CURRENCY\n",
    "part": "start,end,type\nr2,r1,PART_OF\n",
    "in": "start,end,type\nc1,r2,IN_REGION\nc2,r2,IN_REGION\nc3,r2,IN_REGION\n",
    "member": "start,end,type\nc4,u1,MEMBER_OF\nc5,u1,MEMBER_OF\nc6,u1,MEMBER_OF\n",
    "speaks": "start,end,type,percent\nc3,l1,SPEAKS,99\nc6,l1,SPEAKS,98\nc4,l2,SPEAKS,36\nc5,l3,SPEAKS,96\n",
}


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return built_from_nodes_and_edges(tmp_path_factory.mktemp("places"), NODES, EDGES)


@pytest.mark.parametrize(
    ("question", "wrong"),
    [
        ("Where in South America isn't Spanish spoken?", {"Americas"}),  # what it is a part of is no place in it
        ("Which countries use the Euro?", {"Old Castilian"}),  # what one of them is the origin country of
        ("Which Eurozone members have Russian speakers?", {"Malta", "Spain"}),  # members beside one that speaks it
    ],
)
def test_no_path_there_and_back_answers(places: Graph, question: str, wrong: set[str]) -> None:
    assert not wrong.intersection(default_pipeline(places)(places, question).texts)


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which territories in South America don't speak Spanish?", {"Brazil", "Guyana"}),
        ("Which members of the Eurozone speak Russian?", {"Latvia"}),
        ('Which has more people, "Brazil" or "Chile"?', {"Brazil"}),
        ("Does «Chile» have more people than «Guyana»?", {"yes"}),
        ("Which territory is the widest?", set()),  # nothing here says how wide
        ("How big is the population of Spain?", {"47"}),
        ("How many percent of people in Latvia speak Russian?", {"36"}),
        ("what share of the inhabitants of Malta speaks Maltese", {"96"}),
        ("What are the population, area and languages of Chile?", {"population: 19", "area: 75", "languages: Spanish"}),
        ("region and languages of Chile", {"region: South America", "languages: Spanish"}),
    ],
)
def test_questions_about_places(places: Graph, question: str, answers: set[str]) -> None:
    assert set(default_pipeline(places)(places, question).texts) == answers
