"""Questions over the tables of a clinic and of bus routes, where records join what people ask about."""

from __future__ import annotations

import pytest
from built_graphs import built_from_tables

from graphbrick.graphs.graph import Graph
from graphbrick.learn.default import default_pipeline

NODES = {
    "patient": "id,label,name,date_of_birth,height_cm\np1,Patient,Ann Low,1950-02-03,170\n"
    "p2,Patient,Bo Hay,1980-07-01,182\np3,Patient,Cy Orr,1999-01-09,165\n",
    "staff": "id,label,name,role,specialty\ns1,Staff,Dr Fox,physician,heart\ns2,Staff,Dr Elk,physician,skin\n"
    "s3,Staff,Nurse Jay,nurse,skin\n",
    "ward": "id,label,name\nw1,Ward,3\nw2,Ward,4\n",
    "visit": "id,label,name,admission_date,discharge_date,encounter_type\n"
    "v1,Encounter,V-1,2024-02-03,2024-02-09,emergency\n"
    "v2,Encounter,V-2,2024-02-20,2024-03-01,planned\nv3,Encounter,V-3,2024-05-04,2024-05-05,emergency\n",
    "diagnosis": "id,label,name,short_name\nd1,Diagnosis,Chronic lung disease,COPD\n"
    "d2,Diagnosis,Weak bones,Osteoporosis\n",
    "route": "id,label,name,route_long_name,route_url\nr1,Route,131,City - Beach,https://a.example\n"
    "r2,Route,150,City - Hills,https://b.example\nr3,Route,150E,Hills express,https://c.example\n",
    "stop": "id,label,name,stop_lat,stop_lon\nt1,Stop,Base Hospital,1.5,2.5\nt2,Stop,Hospital Road,1.6,2.6\n"
    "t3,Stop,Beach,1.7,2.7\n",
    "trip": "id,label,name,distance,speed\nx1,Trip,X-1,35.5,50\nx2,Trip,X-2,12,61\nx3,Trip,X-3,40,30\n",
}
EDGES = """start,end,type
p1,v1,HAS_ENCOUNTER
p1,v2,HAS_ENCOUNTER
p2,v3,HAS_ENCOUNTER
v1,s1,ATTENDED_BY
v2,s2,ATTENDED_BY
v3,s1,ATTENDED_BY
v1,w1,STAYED_ON
v3,w2,STAYED_ON
p1,d1,HAS_CONDITION
p1,d2,HAS_CONDITION
p2,d1,HAS_CONDITION
x1,r1,OF_ROUTE
x2,r2,OF_ROUTE
x3,r2,OF_ROUTE
x1,t1,STOPS_AT
x1,t3,STOPS_AT
x2,t1,STOPS_AT
x3,t2,STOPS_AT
x1,t1,STARTS_AT
x2,t1,STARTS_AT
x3,t2,STARTS_AT
"""


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    tables = {f"nodes_{name}": text for name, text in NODES.items()} | {"edges": EDGES}
    return built_from_tables(tmp_path_factory.mktemp("town"), tables)


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        # Verbs that only say that two kinds of things have to do with each other, through records.
        ("Which patients has Dr Fox treated?", {"Ann Low", "Bo Hay"}),
        ("Which staff has Ann Low seen so far?", {"Dr Fox", "Dr Elk"}),
        ("how many patients were seen by Dr Elk", {"1"}),
        ("which stops does route 150 serve", {"Base Hospital", "Hospital Road"}),
        ("which stops are used by both the 131 and the 150?", {"Base Hospital"}),
        ("does the 131 stop at Hospital Road?", {"no"}),
        ("top 1 route by number of different stops", {"131", "150"}),
        # Words of one meaning, for values and classes.
        ("how many doctors are there?", {"2"}),
        ("Which doctors has Bo Hay seen?", {"Dr Fox"}),
        ("how many visits were there", {"3"}),
        # Numbers that are names.
        ("what's the long name of route 131?", {"City - Beach"}),
        ("does the 131 or the 150 have more trips?", {"150"}),
        ("how many more trips does the 150 have than the 131", {"1"}),
        ("which encounters stayed on ward 3", {"V-1"}),
        # Names of properties that are cut short, or begin with the class.
        ("dob of Bo Hay", {"1980-07-01"}),
        ("longitude of Beach", {"2.7"}),
        ("what is the website of the 150E?", {"https://c.example"}),
        # Days and months without a year, where there is only one.
        ("how many encounters were there in February?", {"2"}),
        ("number of emergency visits between February 1 and February 14", {"1"}),
        ("encounters after 1 May", {"V-3"}),
        # Values that stand for things: each of two.
        ("Who has both COPD and osteoporosis?", {"Ann Low"}),
        ("which patients have COPD and osteoporosis", {"Ann Low"}),
        ("which patients have COPD or osteoporosis", {"Ann Low", "Bo Hay"}),
        # Units tell what is measured.
        ("which trips are longer than 35 km?", {"X-1", "X-3"}),
        ("which trips go faster than 60 km/h?", {"X-2"}),
        ("how tall is Bo Hay, in cm?", {"182"}),
        # Words in names.
        ("stops with hospital in the name", {"Base Hospital", "Hospital Road"}),
        ("how many stops with Hospital in their name are there?", {"2"}),
        ("stops whose name starts with Hospital", {"Hospital Road"}),
        ("stops without hospital in the name", {"Beach"}),
        # A number is asked for that the graph lacks.
        ("What does Dr Fox earn?", set()),
        ("which trips are longer than 3500 kg", set()),
    ],
)
def test_questions_through_records(town: Graph, question: str, answers: set[str]) -> None:
    assert set(default_pipeline(town)(town, question).texts) == answers


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Which patients has Dr Fox treated?", "'treated' is read as ← ATTENDED_BY ← HAS_ENCOUNTER ← *"),
        (
            "how many encounters were there in February?",
            "the year is not said; all dates of admission_date are of 2024",
        ),
        ("how many doctors are there?", "'doctors' is read as 'physicians'"),
        ("which trips go faster than 60 km/h?", "'km/h' is not in this graph; speed is compared as it is"),
    ],
)
def test_what_is_assumed_is_told(town: Graph, question: str, said: str) -> None:
    answer = default_pipeline(town)(town, question)
    assert said in " ".join(map(str, answer.trace.events))
    assert answer.confidence is None or answer.confidence <= 0.5
