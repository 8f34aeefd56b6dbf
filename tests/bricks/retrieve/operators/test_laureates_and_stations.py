"""Names without their middle names, words for a state, namesakes told apart by a class, which of two has more."""

from __future__ import annotations

import pytest
from built_graphs import built_from_tables

from graphbrick.graphs.graph import Graph
from graphbrick.learn.default import default_pipeline

LAUREATES = {
    "nodes_laureate": "id,label,name,birthdate,height_cm\n"
    "l1,Laureate,Niels Henrik David Bohr,1885-10-07,180\nl2,Laureate,Aage Niels Bohr,1922-06-19,175\n"
    "l3,Laureate,Sir Winston Leonard Spencer Churchill,1874-11-30,168\nl4,Laureate,John Albert Smith,1900-01-01,190\n"
    "l5,Laureate,John Bernard Smith,1910-01-01,170\nl6,Laureate,Mary John Smith,1920-01-01,160\n",
    "nodes_prize": "id,label,name,category\np1,Prize,Prize of 1922,physics\np2,Prize,Prize of 1953,literature\n"
    "p3,Prize,Prize of 1975,physics\n",
    "nodes_country": "id,label,name\nc1,Country,Denmark\nc2,Country,Britain\n",
    "edges_won": "start,end,type\nl1,p1,WON\nl3,p2,WON\nl2,p3,WON\n",
    "edges_born": "start,end,type\nl1,c1,BORN_IN\nl2,c1,BORN_IN\nl3,c2,BORN_IN\n",
}
STATIONS = {
    "nodes_city": "id,label,name\nc1,City,Alba\nc2,City,Berno\n",
    "nodes_state": "id,label,name\nx1,FederalState,Upland\nx2,FederalState,Lowland\n",
    "nodes_management": "id,label,name\nm1,StationManagement,Alba\nm2,StationManagement,Cord\n",
    "nodes_station": "id,label,name,hasDBLounge,hasWiFi\n"
    "s1,Station,Alba Hbf,true,true\ns2,Station,Alba Nord,false,true\ns3,Station,Berno Hbf,false,false\n"
    "s4,Station,Alba Ost,false,false\ns5,Station,Berno West,false,true\n",
    "edges_in": "start,end,type\ns1,c1,IN_CITY\ns2,c1,IN_CITY\ns4,c1,IN_CITY\ns3,c2,IN_CITY\ns5,c2,IN_CITY\n",
    "edges_state": "start,end,type\nc1,x1,IN_STATE\nc2,x2,IN_STATE\n",
    "edges_by": "start,end,type\ns1,m1,MANAGED_BY\ns3,m1,MANAGED_BY\ns5,m1,MANAGED_BY\ns2,m2,MANAGED_BY\n"
    "s4,m2,MANAGED_BY\n",
}


@pytest.fixture(scope="module")
def laureates(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return built_from_tables(tmp_path_factory.mktemp("laureates"), LAUREATES)


@pytest.fixture(scope="module")
def stations(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return built_from_tables(tmp_path_factory.mktemp("stations"), STATIONS)


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("When was Mr Churchill born?", {"1874-11-30"}),
        ("When was Professor Niels Bohr born?", {"1885-10-07"}),
        ("When was Niels Bohr born?", {"1885-10-07"}),  # not Aage Niels Bohr, though his name has both words
        ("when was niels bohr born", {"1885-10-07"}),
        ("Which prize did Aage Bohr win?", {"Prize of 1975"}),
        ("Did Winston Churchill win the literature prize?", {"yes"}),
        ("did winston churchill win the physics prize", {"no"}),
        ("How many more laureates were born in Denmark than in Britain?", {"1"}),
        ("physics prize winners", {"Niels Henrik David Bohr", "Aage Niels Bohr"}),
        ("literature prize laureates", {"Sir Winston Leonard Spencer Churchill"}),
        ("How many physics prize winners were born in Denmark?", {"2"}),
        ("How many fewer laureates were born in Britain than in Denmark?", {"1"}),
        ("Were more laureates born in Denmark or Britain?", {"Denmark"}),
        ("What is the height difference between Niels Bohr and Aage Bohr?", {"5"}),
        ("What is the difference in height between Aage Bohr and Niels Bohr?", {"5"}),
    ],
)
def test_laureates(laureates: Graph, question: str, answers: set[str]) -> None:
    assert set(default_pipeline(laureates)(laureates, question).texts) == answers


@pytest.mark.parametrize(
    "question",
    [
        "which physics laureates are still alive",
        "Which physics laureates are famous?",
        "What is the shoe difference between Niels Bohr and Aage Bohr?",
    ],
)
def test_a_state_that_the_graph_does_not_know_is_refused(laureates: Graph, question: str) -> None:
    assert default_pipeline(laureates)(laureates, question).texts == ()


def test_of_several_names_with_more_words_between_none_is_taken(laureates: Graph) -> None:
    run = default_pipeline(laureates).run(laureates, "Was John Smith born in Denmark?")
    assert run.answer is not None
    assert run.answer.texts == ()


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("How many stations have a DB lounge?", {"1"}),
        ("Is there a DB Lounge at Berno Hbf?", {"no"}),
        ("Which stations have a DB lounge and WiFi?", {"Alba Hbf"}),
        ("Are there more stations in Upland or in Lowland?", {"Upland"}),
        ("Are there more stations in Upland than in Lowland?", {"yes"}),
    ],
)
def test_stations(stations: Graph, question: str, answers: set[str]) -> None:
    assert set(default_pipeline(stations)(stations, question).texts) == answers


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("How many stations are there in the city of Alba?", {"3"}),
        ("In which state is the city Alba?", {"Upland"}),
        ("How many more stations are there in the city of Alba than in Berno?", {"1"}),
        ("How many stations does the station management Alba manage?", {"3"}),
    ],
)
def test_a_class_before_a_name_tells_namesakes_apart(stations: Graph, question: str, answers: set[str]) -> None:
    answer = default_pipeline(stations)(stations, question)
    assert set(answer.texts) == answers


VOLCANOES = {
    "nodes_volcano": "id,label,name,last_known_eruption\nv1,Volcano,Etna,2025 CE\nv2,Volcano,Ischia,1302 CE\n"
    "v3,Volcano,Palinuro,8040 BCE\nv4,Volcano,Vulsini,104 BCE\nv5,Volcano,Amiata,\n",
    "nodes_country": "id,label,name\nc1,Country,Italy\n",
    "nodes_region": "id,label,name\nr1,Region,North Arc\n",
    "edges_in": "start,end,type\nv1,c1,LOCATED_IN\nv2,c1,LOCATED_IN\nv3,c1,LOCATED_IN\nv4,c1,LOCATED_IN\n",
    "edges_of": "start,end,type\nv1,r1,PART_OF_REGION\nv2,r1,PART_OF_REGION\nv3,r1,PART_OF_REGION\n",
}


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which volcanoes had their last known eruption before 1900?", {"Ischia", "Palinuro", "Vulsini"}),
        ("Which volcanoes had their last known eruption after 2000?", {"Etna"}),
        ("volcanoes with a last known eruption in 2025", {"Etna"}),
        ("Which one erupted more recently: Palinuro or Vulsini?", {"Vulsini"}),
        ("What is the last known eruption of Vulsini?", {"104 BCE"}),
        ("When did Ischia last erupt?", {"1302 CE"}),
        ("When did Ischia erupt?", {"1302 CE"}),
        ("In which country is Mount Etna?", {"Italy"}),
        ("in which country is mt etna", {"Italy"}),
    ],
)
def test_years_with_an_era_are_times(
    tmp_path_factory: pytest.TempPathFactory, question: str, answers: set[str]
) -> None:
    graph = built_from_tables(tmp_path_factory.mktemp("volcanoes"), VOLCANOES)
    assert set(default_pipeline(graph)(graph, question).texts) == answers


def test_what_is_beside_a_thing_is_not_at_it(tmp_path_factory: pytest.TempPathFactory) -> None:
    graph = built_from_tables(tmp_path_factory.mktemp("volcanoes"), VOLCANOES)
    answer = default_pipeline(graph)(graph, "How many earthquakes were at Etna in 2025?")
    assert answer.texts == ()
