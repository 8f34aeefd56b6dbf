"""Questions about now beside relations that end: what has ended counts only where the question speaks of the past."""

from __future__ import annotations

import datetime

import pytest
from built_graphs import built_from_tables
from faults import told

from graphbrick.bricks.retrieve.operators.triples.now import asks_of_now
from graphbrick.graphs.graph import Graph
from graphbrick.learn.default import default_pipeline

NEXT_YEAR = datetime.datetime.now(datetime.UTC).year + 1
TABLES = {
    "nodes_person": "id,label,name,status,birth_date\n"
    "p0,Person,Ada Low,active,1970-01-01\np1,Person,Bo Hay,retired,1980-01-01\np2,Person,Cy Orr,active,1990-01-01\n",
    "nodes_team": "id,label,name,kind\nt1,Team,Blue,sales\nt2,Team,Green,support\nt3,Team,Red,sales\n",
    "edges": "start,end,type,since,until\n"
    "p0,t1,WORKS_IN,2010,2015\np0,t2,WORKS_IN,2015,\np1,t1,WORKS_IN,2011,\n"
    f"p2,t3,WORKS_IN,2012,{NEXT_YEAR}\np2,t1,WORKS_IN,2005,2011\n",
}
CURRENT = {"Bo Hay"}
EVER = {"Ada Low", "Bo Hay", "Cy Orr"}


@pytest.fixture(scope="module")
def staff(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return built_from_tables(tmp_path_factory.mktemp("staff"), TABLES)


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Who currently works in Blue?", CURRENT),
        ("Who still works in Blue?", CURRENT),
        ("Who works in Blue?", CURRENT),
        ("Who works in Blue right now?", CURRENT),
        ("Who is in Blue?", CURRENT),
        ("Who works in Red?", {"Cy Orr"}),  # until next year
        ("Who worked in Blue?", EVER),
        ("Who has ever worked in Blue?", EVER),
        ("Which team does Ada Low work in?", {"Green"}),
        ("In which teams has Ada Low worked?", {"Blue", "Green"}),
        ("How many people work in Blue?", {"1"}),
        ("How many people have ever worked in Blue?", {"3"}),
        ("Does Ada Low work in Blue?", {"no"}),
        ("Did Ada Low work in Blue?", {"yes"}),
        ("Who is the oldest person in Blue?", CURRENT),
        ("people in Blue born before 1985", CURRENT),
        ("Number of people per team", {"Blue: 1", "Green: 1", "Red: 1"}),
    ],
)
def test_what_has_ended_counts_only_in_the_past(staff: Graph, question: str, answers: set[str]) -> None:
    answer = default_pipeline(staff)(staff, question)
    assert set(answer.texts) == answers
    assert (answer.confidence or 0) >= 0.9


@pytest.mark.parametrize(
    "question",
    [
        "Who left Blue?",
        "Who has left Blue?",
        "Who is no longer in Blue?",
        "Who used to work in Blue?",
        "former people of Blue",
    ],
)
def test_who_left_is_who_is_no_longer_there(staff: Graph, question: str) -> None:
    answer = default_pipeline(staff)(staff, question)
    assert set(answer.texts) == {"Ada Low", "Cy Orr"}
    assert dict(told(answer.trace.events))["operators.only_ended"]["n"] == 2


def test_what_does_not_count_is_told(staff: Graph) -> None:
    said = dict(told(default_pipeline(staff)(staff, "Who works in Blue?").trace.events))["operators.ended"]
    assert said == {"n": 2, "relation": "WORKS_IN", "property": "until"}
    events = dict(told(default_pipeline(staff)(staff, "Who worked in Blue?").trace.events))
    assert "operators.ended" not in events


def test_a_relation_of_which_nothing_goes_on_is_of_the_past(tmp_path_factory: pytest.TempPathFactory) -> None:
    ended = TABLES | {"edges": "start,end,type,since,until\np0,t1,WORKS_IN,2010,2015\np1,t1,WORKS_IN,2011,2012\n"}
    graph = built_from_tables(tmp_path_factory.mktemp("ended"), ended)
    answer = default_pipeline(graph)(graph, "Who works in Blue?")
    assert set(answer.texts) == {"Ada Low", "Bo Hay"}


@pytest.mark.parametrize(
    ("question", "is_now"),
    [
        ("who works in e0", True),
        ("which?", True),
        ("", True),
        ("the department of e0", True),
        ("projects owned by e0", True),
        ("the oldest person in e0", True),
        ("highest paid person in e0", True),
        ("people in e0 with the earliest birth date", True),
        ("people in e0 born before 1980", True),
        ("how many people in e0 were born before 1980", True),
        ("who is employed by e0", True),
        ("who worked in e0", False),
        ("who was in e0", False),
        ("was e0 ever in e1", False),
        ("who has left e0", False),
        ("when did e0 start in e1", False),
        ("who is in e0 since 2010", False),
        ("the first team of e0", False),
    ],
)
def test_the_tense_of_a_question(staff: Graph, question: str, is_now: bool) -> None:
    assert asks_of_now(staff, question) == is_now


def test_a_state_is_one_of_now(staff: Graph) -> None:
    answer = default_pipeline(staff)(staff, "Which people are still active?")
    assert (set(answer.texts), answer.confidence) == ({"Ada Low", "Cy Orr"}, 0.95)


def test_a_name_keeps_its_now_and_other_graphs_their_formerly(tmp_path_factory: pytest.TempPathFactory) -> None:
    tables = {
        "nodes_film": "id,label,name,current_price\nf1,Film,Apocalypse Now,5\nf2,Film,Still Life,7\n",
        "nodes_person": "id,label,name\np1,Person,Ada Low\np2,Person,Bo Hay\n",
        "edges": "start,end,type,since,until\np1,f1,MANAGES,2001,2002\np2,f1,MANAGES,2002,\np1,f2,MANAGES,2003,\n",
    }
    films = built_from_tables(tmp_path_factory.mktemp("films"), tables)
    pipeline = default_pipeline(films)
    assert pipeline(films, "Who manages Apocalypse Now?").texts == ("Bo Hay",)
    assert pipeline(films, "What is the current price of Still Life?").texts == ("7",)
    plain = built_from_tables(tmp_path_factory.mktemp("plain"), tables | {"edges": "start,end,type\np1,f1,MANAGES\n"})
    assert default_pipeline(plain)(plain, "Who was formerly a manager of Apocalypse Now?").texts == ()


def test_current_is_told_where_nothing_tells_what_has_ended(tmp_path_factory: pytest.TempPathFactory) -> None:
    tables = TABLES | {
        "nodes_project": "id,label,name\nj1,Project,Bridge\n",
        "edges_on": "start,end,type\np0,j1,ASSIGNED_TO\n",
    }
    graph = built_from_tables(tmp_path_factory.mktemp("assigned"), tables)
    answer = default_pipeline(graph)(graph, "Which projects is Ada Low currently assigned to?")
    assert (answer.texts, answer.confidence) == (("Bridge",), 0.5)
    assert dict(told(answer.trace.events))["operators.now_left_out"]["word"] == "currently"
