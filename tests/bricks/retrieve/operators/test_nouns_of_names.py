"""«A part of X» against the way of its relation, «of A, B and C», and pronouns that stand for nothing in a question."""

from __future__ import annotations

import pytest
from built_graphs import built_from_tables

from graphbrick import Graph, build
from graphbrick.core.errors import LinkError
from graphbrick.learn.default import default_pipeline

TRIPLES = [
    ("Engine", "part of", "Car"), ("Piston", "part of", "Engine"), ("Paris", "capital of", "France"),
    ("Lyon", "located in", "France"), ("Ann", "parent of", "Bob"), ("Acme", "subsidiary of", "Globex"),
    ("Dog", "subClassOf", "Mammal"), ("Cat", "subClassOf", "Mammal"), ("Mammal", "subClassOf", "Animal"),
]  # fmt: skip
STAFF = "id,label,name,salary,city\n" + "".join(
    f"e{i},Employee,{name},{salary},{city}\n"
    for i, (name, salary, city) in enumerate(
        [("Ada Low", 50, "Oslo"), ("Bo Hay", 70, "Rome"), ("Cy Orr", 90, "Oslo"), ("Di Fay", 60, "Rome")]
    )
)
TEAMS = "id,label,name,founded\nt1,Team,Red,1990\nt2,Team,Blue,2005\n"
EDGES = "start,end,type\ne0,t1,WORKS_IN\ne1,t1,WORKS_IN\ne2,t2,WORKS_IN\ne3,t2,WORKS_IN\ne1,e0,REPORTS_TO\n"


@pytest.fixture(scope="module")
def things(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return build(TRIPLES, tmp_path_factory.mktemp("things") / "things.graph")


@pytest.fixture(scope="module")
def staff(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return built_from_tables(tmp_path_factory.mktemp("staff"), {"nodes-e": STAFF, "nodes-t": TEAMS, "edges": EDGES})


def asked(graph: Graph, question: str) -> set[str]:
    try:
        return set(default_pipeline(graph)(graph, question).texts)
    except LinkError:
        return set()


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Is Engine a part of Car?", {"yes"}),
        ("Is Car a part of Engine?", {"no"}),
        ("Is Paris the capital of France?", {"yes"}),
        ("Is France the capital of Paris?", {"no"}),
        ("Is Bob a parent of Ann?", {"no"}),
        ("Is Globex a subsidiary of Acme?", {"no"}),
        ("Is Lyon located in France?", {"yes"}),
        ("Is Dog a subclass of Mammal?", {"yes"}),
        ("Is Mammal a subclass of Dog?", {"no"}),
        ("What are the subclasses of Mammal?", {"Dog", "Cat"}),
        ("What is Mammal a subclass of?", {"Animal"}),
        ("What are the parts of Engine?", {"Piston"}),
        ("What are the subsidiaries of Acme?", set()),
        ("What is the capital of Paris?", set()),
    ],
)
def test_a_noun_of_a_name_goes_the_way_of_its_relation(question: str, answers: set[str], things: Graph) -> None:
    assert asked(things, question) == answers


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which of Ada Low, Bo Hay and Cy Orr earn more than 60?", {"Bo Hay", "Cy Orr"}),
        ("How many of Ada Low, Bo Hay and Cy Orr have a salary over 60?", {"2"}),
        ("How many of Ada Low, Bo Hay and Di Fay work in Red?", {"2"}),
        ("Which of Ada Low and Di Fay works in Blue?", {"Di Fay"}),
        ("Which of Ada Low, Bo Hay and Di Fay are from Rome?", {"Bo Hay", "Di Fay"}),
        ("Which of Red and Blue was founded after 2000?", {"Blue"}),
        ("How many of Red and Blue were founded before 1980?", {"0"}),
    ],
)
def test_what_is_said_of_several_names_holds_of_all_of_them(question: str, answers: set[str], staff: Graph) -> None:
    assert asked(staff, question) == answers


@pytest.mark.parametrize(
    "question",
    [
        "Who does he report to?",
        "What is her salary?",
        "What are their salaries?",
        "Which team does she work in?",
        "Who works there?",
        "Who works in that team?",
        "How many employees do they have?",
        "Who reports to him?",
    ],
)
def test_a_pronoun_without_a_name_is_not_left_out(question: str, staff: Graph) -> None:
    assert asked(staff, question) == set()


def test_a_pronoun_may_stand_for_what_the_question_names(staff: Graph) -> None:
    assert asked(staff, "employees and their teams") == {"Ada Low: Red", "Bo Hay: Red", "Cy Orr: Blue", "Di Fay: Blue"}
    assert asked(staff, "Who does Bo Hay report to?") == {"Ada Low"}
    assert asked(staff, "Who has the highest salary in there?") == {"Cy Orr"}
