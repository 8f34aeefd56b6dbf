"""How far places are apart, where journeys lead, and what the records of a thing tell."""

from __future__ import annotations

import math

import numpy as np
import pytest
from built_graphs import built_from_tables

from graphbrick.bricks.retrieve.operators.grammar.places.measures import distance_from
from graphbrick.bricks.retrieve.operators.sets import Place
from graphbrick.core import Subgraph
from graphbrick.graphs.graph import Graph
from graphbrick.learn.default import default_pipeline

NODES = {
    "port": "id,label,name,geo_lat,geo_lon\no1,Port,Oslo,59.91,10.75\no2,Port,Bergen,60.39,5.32\n"
    "o3,Port,Kiel,54.32,10.14\no4,Port,Tallinn,59.44,24.75\no5,Port,Unknown Bay,,\n",
    "line": "id,label,name\nl1,Line,Nordlinje\nl2,Line,Balt Ferries\n",
    "sailing": "id,label,name,date\nt1,Sailing,N1,2024-05-01\nt2,Sailing,N2,2024-05-02\nt3,Sailing,B1,2024-05-02\n"
    "t4,Sailing,B2,2024-05-03\n",
    "patient": "id,label,name\na1,Patient,Amber Walker\na2,Patient,Ben Stone\n",
    "visit": "id,label,name,visit_type,admission_date,discharge_date\nv1,Visit,V1,inpatient,2024-05-28,2024-06-02\n"
    "v2,Visit,V2,outpatient,2024-06-12,\nv3,Visit,V3,outpatient,2024-03-03,2024-03-04\n",
    "ward": "id,label,name\nr1,Ward,3E\nr2,Ward,3W\n",
    "doctor": "id,label,name\nd1,Doctor,Mia Rose\n",
    "test": "id,label,name\nx1,LabTest,Creatinine\nx2,LabTest,Sodium\n",
}
EDGES = """start,end,type
t1,l1,SAILED_BY
t2,l1,SAILED_BY
t3,l2,SAILED_BY
t4,l2,SAILED_BY
t1,o1,DEPARTS_FROM
t1,o3,DESTINATION
t2,o2,DEPARTS_FROM
t2,o1,DESTINATION
t3,o1,DEPARTS_FROM
t3,o4,DESTINATION
t4,o4,DEPARTS_FROM
t4,o3,DESTINATION
a1,v1,HAS_VISIT
a1,v2,HAS_VISIT
a2,v3,HAS_VISIT
v1,r1,STAYED_ON
v3,r2,STAYED_ON
v1,d1,ATTENDED_BY
v2,d1,ATTENDED_BY
v3,d1,ATTENDED_BY
"""
LINES = """start,end,type,value
v1,x1,LAB_RESULT,1.5
v2,x1,LAB_RESULT,2.5
v3,x1,LAB_RESULT,2.0
v3,x2,LAB_RESULT,140
"""
ROUTES = """start,end,type,distance
o1,o3,ROUTE_TO,700
"""


@pytest.fixture(scope="module")
def coast(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    tables = {f"nodes_{name}": text for name, text in NODES.items()} | {"edges": EDGES, "edges_routes": ROUTES}
    tables["edges_results"] = LINES
    return built_from_tables(tmp_path_factory.mktemp("coast"), tables)


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        # By coordinates, where more of the places have these than routes.
        ("Which port is nearest to Oslo?", {"Bergen"}),
        ("what is the farthest port from Oslo?", {"Tallinn"}),
        ("the two closest ports to Oslo", {"Bergen", "Kiel"}),
        ("ports within 400 km of Oslo", {"Bergen"}),
        ("which ports are more than 400 miles away from Oslo?", {"Tallinn"}),
        ("How far is it from Oslo to Bergen?", {"305.14 km"}),
        ("how many miles is it from Bergen to Oslo?", {"189.6 miles"}),
        # By the number of a route, in either direction.
        ("How far is it from Oslo to Kiel?", {"700"}),
        ("what is the distance between Kiel and Oslo?", {"700"}),
        # Where journeys lead, and where they begin.
        ("Where does Nordlinje sail?", {"Kiel", "Oslo"}),
        ("where does Balt Ferries sail to from Oslo?", {"Tallinn"}),
        ("Which ports does Balt Ferries go to?", {"Tallinn", "Kiel"}),
        ("where does Nordlinje sail to Oslo from?", {"Bergen"}),
        ("from which ports does Balt Ferries sail to Kiel?", {"Tallinn"}),
        ("destinations of Nordlinje", {"Kiel", "Oslo"}),
        ("how many destinations does Balt Ferries have?", {"2"}),
        ("where can you sail to from Oslo?", {"Kiel", "Tallinn"}),
        ("which lines sail to Kiel from Tallinn?", {"Balt Ferries"}),
        ("What is the farthest destination you can go to from Oslo?", {"Tallinn"}),
        # When, how often and whether, of what the records of a patient tell.
        ("When was Amber Walker admitted?", {"2024-05-28", "2024-06-12"}),
        ("When was Amber Walker admitted to 3E?", {"2024-05-28"}),
        ("When was Amber Walker last admitted?", {"2024-06-12"}),
        ("when was Amber Walker first admitted?", {"2024-05-28"}),
        ("when was Ben Stone discharged from 3W?", {"2024-03-04"}),
        ("How often was Amber Walker admitted?", {"2"}),
        ("how many times was Amber Walker discharged?", {"1"}),
        ("how many times was Amber Walker admitted in June?", {"1"}),
        ("Was Amber Walker ever admitted as an inpatient?", {"yes"}),
        ("was Ben Stone admitted as an inpatient?", {"no"}),
        ("was Ben Stone ever admitted to 3E?", {"no"}),
        # Numbers at the triples of records: of whom the records are, and not who attended to them.
        ("Who had the highest creatinine value?", {"Amber Walker"}),
        ("which patient had the lowest value of creatinine?", {"Amber Walker"}),
        ("Which visit had the lowest creatinine value?", {"V1"}),
        ("What is the average creatinine value?", {"2"}),
        ("what was the highest value of sodium?", {"140"}),
    ],
)
def test_questions_about_places_and_records(coast: Graph, question: str, answers: set[str]) -> None:
    assert set(default_pipeline(coast)(coast, question).texts) == answers


@pytest.mark.parametrize("question", ["Where does Nordlinje dance?", "How far is it from Oslo to Unknown Bay?"])
def test_what_the_graph_does_not_tell_is_refused(coast: Graph, question: str) -> None:
    assert default_pipeline(coast)(coast, question).texts == ()


def test_distances_are_those_of_the_law_of_cosines(coast: Graph) -> None:
    """Another formula for the same great circle: cos d = sin a sin b + cos a cos b cos (difference of longitudes)."""
    place = Place(coast, Subgraph(coast), {}, frozenset())
    entities = np.sort(np.array([coast.entity(key) for key in ("o2", "o3", "o4", "o5")]))
    measure = distance_from(place, coast.entity("o1"), entities)
    assert measure is not None
    here = coast.properties(coast.entity("o1"))
    for entity, found in zip(entities.tolist(), measure.of(place, entities).tolist(), strict=True):
        there = coast.properties(entity)
        if "geo_lat" not in there:
            assert math.isnan(found)
            continue
        a, b = math.radians(here["geo_lat"]), math.radians(there["geo_lat"])
        east = math.radians(there["geo_lon"] - here["geo_lon"])
        cosine = math.sin(a) * math.sin(b) + math.cos(a) * math.cos(b) * math.cos(east)
        assert found == pytest.approx(6371.0088 * math.acos(cosine), rel=1e-6)
