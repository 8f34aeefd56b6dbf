"""Two questions in one, of which the second is about the answers of the first: a line for each, or a refusal."""

from __future__ import annotations

import pytest
from built_graphs import built_from_tables

from graphbrick.core import Answer
from graphbrick.graphs.graph import Graph
from graphbrick.learn.default import default_pipeline

TABLES = {
    "people.csv": """id,full_name,title,hired,manager_id
1,Ines Calderon,CTO,2015,
2,Marek Novak,Engineer,2019,1
3,Yuki Tanaka,Engineer,2021,2
4,Abena Mensah,Designer,2020,1
""",
    "projects.csv": """id,code,name,budget,status
1,PRJ-1,Atlas,120000,active
2,PRJ-2,Borealis,45000,paused
3,PRJ-3,Cinder,80000,active
4,PRJ-7,Dune,30000,paused
""",
    "works_on.csv": "person_id,project_id,since\n2,1,2021\n3,1,2022\n4,2,2020\n3,3,2023\n2,4,2024\n",
    "owns.csv": "person_id,project_id\n1,1\n1,2\n2,3\n1,4\n",
}


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return built_from_tables(tmp_path_factory.mktemp("office"), TABLES)


def asked(graph: Graph, question: str) -> Answer:
    run = default_pipeline(graph).run(graph, question)
    assert run.answer is not None
    return run.answer


BUDGETS = {"Atlas: 120000", "Cinder: 80000"}
OWNERS = {"Atlas: Ines Calderon", "Cinder: Marek Novak"}


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which projects are active and what is their budget?", BUDGETS),
        ("Which projects are active? What are their budgets?", BUDGETS),
        ("Which projects are active, and also what are their budgets?", BUDGETS),
        ("Who works on Atlas and when were they hired?", {"Marek Novak: 2019", "Yuki Tanaka: 2021"}),
        ("Who is Yuki's manager and what is his title?", {"Marek Novak: Engineer"}),
        ("Which projects are active? And who owns them?", OWNERS),
        ("Which project has the largest budget and who owns it?", {"Atlas: Ines Calderon"}),
        ("What does Ines own and who works on it?",
         {"Atlas: Marek Novak, Yuki Tanaka", "Borealis: Abena Mensah", "Dune: Marek Novak"}),
        ("Who works on Atlas, and since when?", {"Marek Novak: 2021", "Yuki Tanaka: 2022"}),
        ("What does Yuki Tanaka work on and since when?", {"Atlas: 2022", "Cinder: 2023"}),
        ("Yuki Tanaka: what's her title, and when was she hired?", {"her title: Engineer", "when was she hired: 2021"}),
        ("Do you know Atlas? Who owns it?", {"Ines Calderon"}),
        ("Can you help me? Which projects are paused?", {"Borealis", "Dune"}),
    ],
)  # fmt: skip
def test_both_are_answered(office: Graph, question: str, answers: set[str]) -> None:
    assert set(asked(office, question).texts) == answers


@pytest.mark.parametrize(
    "question",
    [
        "Is Marek an engineer and does he own anything?",
        "Who works on Atlas and what is their salary?",
        "Which people are engineers, and where do they live?",
        "Who owns Atlas? Since when?",
        "Who owns Atlas, and until when?",
        "Which projects are paused? Who owns Atlas?",
        "Which projects have more than one person and who funds them?",
    ],
)
def test_a_second_question_that_is_not_read_is_never_left_out(office: Graph, question: str) -> None:
    assert asked(office, question).texts == ()
