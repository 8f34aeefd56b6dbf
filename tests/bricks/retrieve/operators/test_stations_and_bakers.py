"""Names of several things, columns of yes, no and partial, codes, the compass and compounds, of stations and bakers."""

from __future__ import annotations

import pytest
from built_graphs import built_from_tables

from graphbrick.graphs.graph import Graph
from graphbrick.learn.default import default_pipeline

STATIONS = {
    "nodes_station": "id,label,name,code,latitude,longitude,has_parking,hasWiFi,step_free_access,staff_from,traffic,"
    "platforms\ns1,Station,Nord,NRD,55.1,8.1,yes,yes,yes,06:00,20,4\ns2,Station,Mitte,TOP,53.2,9.9,no,yes,partial,07:00,90,8\n"
    "s3,Station,Hafen,HFN,53.9,10.4,yes,no,no,08:00,40,4\ns4,Station,Linden,LND,48.3,11.2,no,no,yes,06:30,70,12\n"
    "s5,Station,Alster,ALS,53.5,9.1,no,no,no,09:00,10,2\n",
    "nodes_state": "id,label,name\nh1,State,Hamburg\nb1,State,Bayern\n",
    "nodes_office": "id,label,name\no1,Office,Hamburg\no2,Office,Mitte\no3,Office,Bayern\n",
    "nodes_operator": "id,label,name\np1,Operator,Rail One\np2,Operator,Rail Two\n",
    "edges_in": "start,end,type\ns1,h1,LOCATED_IN\ns2,h1,LOCATED_IN\ns3,h1,LOCATED_IN\ns5,h1,LOCATED_IN\n"
    "s4,b1,LOCATED_IN\n",
    "edges_managed": "start,end,type\ns1,o1,MANAGED_BY\ns2,o1,MANAGED_BY\ns4,o3,MANAGED_BY\n",
    "edges_operated": "start,end,type\ns1,p1,OPERATED_BY\ns2,p1,OPERATED_BY\ns3,p1,OPERATED_BY\ns4,p2,OPERATED_BY\n",
}
BAKERS = {
    "nodes_baker": "id,label,name,age,hometown\nb1,Baker,Ada Marsh,30,Leeds\nb2,Baker,Ben Holt,61,York\n"
    "b3,Baker,Cleo Lund,44,Bath\n",
    "nodes_series": "id,label,name,avg_viewers\nq1,Series,Series 1,9.5\nq2,Series,Series 2,4\n",
    "nodes_episode": "id,label,name,viewers\ne1,Episode,S1 E1,9\ne2,Episode,S1 E2,10\ne3,Episode,S2 E1,4\n",
    "edges_part": "start,end,type\ne1,q1,PART_OF\ne2,q1,PART_OF\ne3,q2,PART_OF\n",
    "edges_took": "start,end,type\nb1,q1,COMPETED_IN\nb2,q1,COMPETED_IN\nb3,q2,COMPETED_IN\n",
    "edges_was": "start,end,type,result\nb1,e1,APPEARED_IN,IN\nb2,e1,APPEARED_IN,OUT\nb1,e2,APPEARED_IN,STAR BAKER\n"
    "b3,e3,APPEARED_IN,Runner-up\n",
}


@pytest.fixture(scope="module")
def stations(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return built_from_tables(tmp_path_factory.mktemp("stations"), STATIONS)


@pytest.fixture(scope="module")
def bakers(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return built_from_tables(tmp_path_factory.mktemp("bakers"), BAKERS)


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        # A name of two things is that which fits the question, or is of the class of what it is compared with.
        ("stations in Hamburg without parking but with wifi", {"Mitte"}),
        ("which one has more traffic, Mitte or Linden?", {"Mitte"}),
        ("How many stations are in the state of Hamburg?", {"4"}),
        ("Does Mitte have wifi?", {"yes"}),
        # Yes, no and what is neither; words that names join or split.
        ("Which stations have step-free access?", {"Nord", "Linden"}),
        ("How many stations have no step-free access?", {"2"}),
        ("which stations have partial step free access", {"Mitte"}),
        ("how many stations have WiFi?", {"2"}),
        ("which stations have no parking in Hamburg", {"Mitte", "Alster"}),
        # Of several verbs of one meaning, that of those who do it.
        ("Which operators run stations in Bayern?", {"Rail Two"}),
        ("which operators run more than two stations?", {"Rail One"}),
        # The compass by coordinates.
        ("northernmost station", {"Nord"}),
        ("Which station is the furthest south?", {"Linden"}),
        ("Which station is furthest south in Hamburg?", {"Mitte"}),
        ("which station is the most northern in Bayern?", {"Linden"}),
        ("two most western stations", {"Nord", "Alster"}),
        ("stations above latitude 53.8", {"Nord", "Hafen"}),
        # Numbers in compounds, and two beside each other.
        ("4-platform stations", {"Nord", "Hafen"}),
        ("Nord vs Linden traffic", {"Nord: 20", "Linden: 70"}),
        ("compare the traffic of Nord and Linden", {"Nord: 20", "Linden: 70"}),
        ("Do Nord and Hafen have the same number of platforms?", {"yes"}),
        ("do Nord and Linden have the same platforms?", {"no"}),
        ("is the traffic of Nord the same as that of Hafen?", {"no"}),
        ("how many stations does each operator run?", {"Rail One: 3", "Rail Two: 1"}),
    ],
)
def test_questions_about_stations(stations: Graph, question: str, answers: set[str]) -> None:
    assert set(default_pipeline(stations).run(stations, question).answer.texts) == answers


@pytest.mark.parametrize(
    "question",
    [
        "When was Nord built?",  # at no time of day
        "When was Hafen opened?",
        "how many train stations are there?",  # nobody «trains» what is managed
        "top stations in Hamburg",  # a code of one of them is no everyday word
    ],
)
def test_what_stations_do_not_tell(stations: Graph, question: str) -> None:
    assert default_pipeline(stations).run(stations, question).answer.texts == ()


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("average age of bakers by series", {"Series 1: 45.5", "Series 2: 44"}),  # no plural of a «serie»
        ("number of episodes by series", {"Series 1: 2", "Series 2: 1"}),
        ("oldest baker by series", {"Series 1: Ben Holt", "Series 2: Cleo Lund"}),
        ("How old were the bakers in Series 1?", {"Ada Marsh: 30", "Ben Holt: 61"}),  # of each, and no sum
        ("total viewers of Series 1", {"19"}),  # of its episodes: an average of its own is no total
        ("where is Ada Marsh from?", {"Leeds"}),
        ("who was out in S1 E1?", {"Ben Holt"}),
        ("how many bakers were out in Series 1?", {"1"}),  # in an episode of it
        ("Who were the runners-up in Series 2?", {"Cleo Lund"}),
        ("youngest contestant", {"Ada Marsh"}),  # a person, and no episode
        ("how many bakers over 60 have there been?", {"1"}),
    ],
)
def test_questions_about_bakers(bakers: Graph, question: str, answers: set[str]) -> None:
    assert set(default_pipeline(bakers).run(bakers, question).answer.texts) == answers


def test_a_preposition_is_no_result(bakers: Graph) -> None:
    told = default_pipeline(bakers).run(bakers, "who left in S1 E1?").trace.events
    assert not [str(event) for event in told if event.code == "operators.plan" and "result IN" in str(event)]
