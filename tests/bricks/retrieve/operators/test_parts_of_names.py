"""A part of several names stands for all entities with it in their names, and says so."""

from __future__ import annotations

import pytest
from built_graphs import built_from_tables
from faults import fails, told

from graphbrick import PPR, PathAnswer, ShortestPaths
from graphbrick.core.errors import LinkError
from graphbrick.graphs.graph import Graph
from graphbrick.learn.default import default_pipeline

NODES = {
    "stop": "id,label,name,zone\n"
    "s1,Stop,Varley St N1,1\ns2,Stop,Varley St N2,2\n"
    "s3,Stop,Mill Rd - Hail and Ride,1\ns4,Stop,Oak Rd - Hail and Ride,2\n"
    "s5,Stop,New Pier,2\ns6,Stop,New Depot,1\n",
    "trip": "id,label,name,departs,date\n"
    "t1,Trip,X671 2024-05-01,08:10,2024-05-01\nt2,Trip,X671 2024-05-02,08:25,2024-05-02\n"
    "t3,Trip,Y20 2024-05-01,09:00,2024-05-01\n",
    "driver": "id,label,name,born\nd1,Driver,Ada Marsh,1980\nd2,Driver,Ada Quist,1991\nd3,Driver,Ben Okoro,1975\n",
}
EDGES = "start,end,type\n" + "".join(
    f"{trip},{end},{relation}\n"
    for trip, driver, stops in (("t1", "d1", ("s1", "s3")), ("t2", "d2", ("s2", "s5")), ("t3", "d3", ("s4", "s5")))
    for end, relation in ((driver, "DRIVEN_BY"), *((stop, "STOPS_AT") for stop in stops))
)


@pytest.fixture(scope="module")
def buses(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    tables = {f"nodes_{name}": text for name, text in NODES.items()} | {"edges": EDGES}
    return built_from_tables(tmp_path_factory.mktemp("buses"), tables)


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("stops on Varley St", {"Varley St N1", "Varley St N2"}),
        ("How many stops are on Varley St?", {"2"}),
        ("Which trips stop at Varley St?", {"X671 2024-05-01", "X671 2024-05-02"}),
        ("Who drives the X671?", {"Ada Marsh", "Ada Quist"}),
        ("Which trips did Ada drive?", {"X671 2024-05-01", "X671 2024-05-02"}),
        ("When does X671 depart?", {"08:10", "08:25"}),
        # Words that English has are a part of names beside the name of their class.
        ("How many hail and ride stops do we have?", {"2"}),
        ("Which hail and ride stops are in zone 2?", {"Oak Rd - Hail and Ride"}),
    ],
)
def test_it_stands_for_all_with_it_in_the_name(buses: Graph, question: str, answers: set[str]) -> None:
    answer = default_pipeline(buses)(buses, question)
    assert set(answer.texts) == answers
    assert [event for event in answer.trace.events if "with it in the name" in event]
    assert (answer.confidence or 0) <= 0.5


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which stops have Varley in their name?", {"Varley St N1", "Varley St N2"}),
        ("How many stops contain the word Rd in the name?", {"2"}),
        ("Which stops have no Rd in their name?", {"Varley St N1", "Varley St N2", "New Pier", "New Depot"}),
        ("Which drivers do not have Ada in their names?", {"Ben Okoro"}),
    ],
)
def test_names_are_asked_for_by_words_in_them(buses: Graph, question: str, answers: set[str]) -> None:
    assert set(default_pipeline(buses)(buses, question).texts) == answers


def test_one_that_the_rest_of_the_question_tells_is_taken(buses: Graph) -> None:
    assert default_pipeline(buses)(buses, "Who drove X671 on 2024-05-01?").texts == ("Ada Marsh",)


@pytest.mark.parametrize(
    "question",
    [
        "How many new trips are there?",  # «new» is in names of stops, and English
        "How many trips have new drivers?",
        "Who owns Varley St?",  # no word for that: not the drivers of trips that stop there
        "When was Ada married?",
    ],
)
def test_of_another_thing_nothing_is_answered(buses: Graph, question: str) -> None:
    assert default_pipeline(buses)(buses, question).texts == ()


def test_where_it_does_not_help_the_whole_names_are_shown(buses: Graph) -> None:
    answer = default_pipeline(buses)(buses, "When was Ada married?")
    values = dict(told(answer.trace.events))["operators.not_answered"]
    assert (values["part"], values["names"]) == ("Ada", ("Ada Marsh", "Ada Quist"))


def test_alone_it_asks_which_one_is_meant(buses: Graph) -> None:
    with fails("link.part_of_several", LinkError, name="Varley St"):
        default_pipeline(buses)(buses, "Varley St")


def test_a_word_that_is_not_known_is_offered_as_the_nearest_of_the_graph(buses: Graph) -> None:
    answer = default_pipeline(buses)(buses, "In which district is New Pier?")
    assert answer.texts == ()
    offered = answer.readings[0]
    assert (offered.text, offered.question, offered.answers) == (
        "In which district is New Pier? («district» as «zone»)", "In which zone is New Pier?", 1,
    )  # fmt: skip


def test_stages_that_start_from_an_entity_ask_which_one_is_meant(buses: Graph) -> None:
    answer = (PPR() >> ShortestPaths() >> PathAnswer())(buses, "Which trips stop at Varley St?")
    assert answer.texts == ()
    assert dict(told(answer.trace.events))["link.part_is_open"] == {"name": "Varley St"}
