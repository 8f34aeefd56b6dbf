"""Triples that stand for several of what they are called, short names of players, and numbers of each of several."""

from __future__ import annotations

import pytest
from built_graphs import built_from_tables
from faults import told

from graphbrick.graphs.graph import Graph
from graphbrick.learn.default import default_pipeline

TABLES = {
    "nodes_player": "id,label,name,web_name,goals_scored,goals_conceded,assists,minutes\n"
    "p1,Player,Harry Kandel,Kandel,4,0,1,300\np2,Player,Ivan Tonev,Tonev,2,3,2,250\n"
    "p3,Player,Mo Salahi,Salahi,3,1,0,90\np4,Player,Al Long,Long,0,9,0,90\n",
    "nodes_team": "id,label,name\nt1,Team,Harwich\nt2,Team,Dover\n",
    "nodes_fixture": "id,label,name,kickoff_time\n"
    "f1,Fixture,Harwich v Dover,2022-08-21T13:00:00\nf2,Fixture,Dover v Harwich,2023-01-04T20:00:00\n"
    "f3,Fixture,Dover v Hythe,2023-02-04T15:00:00\n",
    "edges_own": "start,end,type,value\np3,f2,OWN_GOALS,1\np1,f3,OWN_GOALS,1\np4,f1,OWN_GOALS,2\n",
    "nodes_position": "id,label,name\nq1,Position,Forward\nq2,Position,Defender\n",
    "edges_position": "start,end,type\np1,q1,POSITION\np2,q2,POSITION\np3,q1,POSITION\np4,q2,POSITION\n",
    "edges_team": "start,end,type\np1,t1,TEAM\np2,t1,TEAM\np3,t2,TEAM\np4,t2,TEAM\n",
    "edges_goals": "start,end,type,value\np1,f1,GOALS_SCORED,3\np1,f2,GOALS_SCORED,1\np2,f1,GOALS_SCORED,1\n"
    "p2,f2,GOALS_SCORED,1\np3,f1,GOALS_SCORED,1\np3,f2,GOALS_SCORED,1\np3,f3,GOALS_SCORED,1\n",
    "edges_assists": "start,end,type,value\np1,f1,ASSISTS,1\np2,f1,ASSISTS,1\np2,f2,ASSISTS,1\n",
}


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return built_from_tables(tmp_path_factory.mktemp("league"), TABLES)


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        # Goals are added up, and not the games in which they were scored.
        ("How many goals did Harry Kandel score?", {"4"}),
        ("How many goals did Al Long score?", {"0"}),
        ("Who scored the most goals?", {"Harry Kandel"}),
        ("players with more than 3 goals?", {"Harry Kandel"}),
        ("How many goals did Harry Kandel and Ivan Tonev score?", {"Harry Kandel: 4", "Ivan Tonev: 2"}),
        (
            "How many goals did Kandel, Tonev and Salahi score?",
            {"Harry Kandel: 4", "Ivan Tonev: 2", "Mo Salahi: 3"},
        ),
        # A noun alone is the number that is usually meant: goals are scored.
        ("total goals by Harwich players?", {"6"}),
        ("sum of goals of Harwich players", {"6"}),
        ("total goals per team", {"Harwich: 6", "Dover: 3"}),
        ("anyone with 2+ goals and at least 1 assist?", {"Harry Kandel", "Ivan Tonev"}),
        ("Who conceded the most goals?", {"Al Long"}),
        # «Own» is a word of some goals, and «most» and «each» are never left out.
        ("Who scored the most own goals?", {"Al Long"}),
        ("How many own goals did Al Long score?", {"2"}),
        ("Which team scored the most goals?", {"Harwich"}),
        ("How many assists did each Harwich player get?", {"Harry Kandel: 1", "Ivan Tonev: 2"}),
        ("How many goals did Harwich score?", {"6"}),
        ("How many assists did Harwich players make?", {"3"}),
        # Forwards are those that are joined to the position, and not the position.
        ("Which forwards play for Harwich?", {"Harry Kandel"}),
        ("How many defenders does Dover have?", {"1"}),
        # Several numbers of one, which were read as what they have in common.
        ("How many goals and assists did Tonev have?", {"goals: 2", "assists: 2"}),
        ("What are Tonev's goals and assists?", {"goals: 2", "assists: 2"}),
        ("Give me Tonev's minutes, goals and assists", {"minutes: 250", "goals: 2", "assists: 2"}),
        ("teams of Kandel, Tonev and Salahi", {"Harry Kandel: Harwich", "Ivan Tonev: Harwich", "Mo Salahi: Dover"}),
        # Names that a column gives.
        ("kandel or tonev, who has more assists?", {"Ivan Tonev"}),
        ("goals, assists and minutes for salahi pls", {"goals: 3", "assists: 0", "minutes: 90"}),
        ("Which teams do Kandel and Salahi play for?", {"Harry Kandel: Harwich", "Mo Salahi: Dover"}),
        ("when was kick-off in Harwich v Dover?", {"2022-08-21T13:00:00"}),
    ],
)
def test_questions_of_fans(league: Graph, question: str, answers: set[str]) -> None:
    answer = default_pipeline(league)(league, question)
    assert set(answer.texts) == answers
    assert (answer.confidence or 0) >= 0.9


def test_a_number_of_groups_without_a_word_for_how_is_added_up(league: Graph) -> None:
    answer = default_pipeline(league)(league, "goals per team")
    assert (set(answer.texts), answer.confidence) == ({"Harwich: 6", "Dover: 3"}, 0.5)
    assert [str(one) for one in answer.trace.events if "goals are added up for each Team" in str(one)]


@pytest.mark.parametrize("question", ["most own goals", "Which team has the highest overall rating?"])
def test_a_word_that_changes_the_question_is_not_left_out(league: Graph, question: str) -> None:
    assert default_pipeline(league)(league, question).texts == ()


def test_another_name_is_told(league: Graph) -> None:
    answer = default_pipeline(league)(league, "minutes of tonev")
    assert dict(told(answer.trace.events))["link.other_name"] == {"said": "tonev", "taken": "Ivan Tonev"}
    assert answer.texts == ("250",)


def test_a_word_of_english_is_no_short_name(league: Graph) -> None:
    answer = default_pipeline(league)(league, "how long are the fixtures")
    assert "link.other_name" not in dict(told(answer.trace.events))


def test_what_stands_for_money_is_not_a_number_of_records(tmp_path_factory: pytest.TempPathFactory) -> None:
    tables = {
        "nodes_person": "id,label,name\np1,Person,Ada Low\n",
        "nodes_shop": "id,label,name\ns1,Shop,Fin\ns2,Shop,Gil\n",
        "edges": "start,end,type,value\np1,s1,PAYMENTS,120\np1,s2,PAYMENTS,30\n",
    }
    graph = built_from_tables(tmp_path_factory.mktemp("payments"), tables)
    assert default_pipeline(graph)(graph, "How many payments did Ada Low make?").texts != ("150",)
