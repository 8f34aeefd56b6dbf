"""Follow-ups that are the second half of a question: «since when?», «and their budgets?»; a line for each answer."""

from __future__ import annotations

import pytest
from built_graphs import built_from_tables
from served import serving

from graphbrick.graphs.graph import Graph

TABLES = {
    "people": "id,full_name,title,hired,manager_id\n1,Ines Calderon,CTO,2015,\n2,Marek Novak,Engineer,2019,1\n"
    "3,Yuki Tanaka,Engineer,2021,2\n4,Abena Mensah,Designer,2020,1\n",
    "projects": "id,code,name,budget,status\n1,PRJ-1,Atlas,120000,active\n2,PRJ-2,Borealis,45000,paused\n"
    "3,PRJ-3,Cinder,80000,active\n4,PRJ-7,Dune,30000,paused\n",
    "works_on": "person_id,project_id,since\n2,1,2021\n3,1,2022\n4,2,2020\n3,3,2023\n2,4,2024\n",
    "owns": "person_id,project_id\n1,1\n1,2\n2,3\n1,4\n",
}


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return built_from_tables(tmp_path_factory.mktemp("office"), TABLES)


@pytest.mark.parametrize(
    ("questions", "last"),
    [
        (("Who works on Atlas?", "since when?"), {"Marek Novak: 2021", "Yuki Tanaka: 2022"}),
        (("who works on Atlas", "And since when?"), {"Marek Novak: 2021", "Yuki Tanaka: 2022"}),
        (("Who manages Yuki?", "What does he work on?", "Since when?"), {"Atlas: 2021", "Dune: 2024"}),
        (("Who works on Atlas?", "since when?", "And Dune?"), {"Marek Novak: 2024"}),
        (("Which projects are active?", "and their budgets?"), {"Atlas: 120000", "Cinder: 80000"}),
        (("Which projects are paused?", "What are their codes?"), {"Borealis: PRJ-2", "Dune: PRJ-7"}),
        (("Who works on Atlas?", "list their titles"), {"Marek Novak: Engineer", "Yuki Tanaka: Engineer"}),
        # «Them» are the answers of the first question, and not the budgets.
        (("Which projects are active?", "and their budgets?", "Who owns them?"), {"Ines Calderon", "Marek Novak"}),
        (("Who works on Atlas?", "since when?", "How many are they?"), {"2"}),
    ],
)
def test_second_questions_are_about_the_answers_of_the_first(
    office: Graph, questions: tuple[str, ...], last: set[str]
) -> None:
    messages = list[dict[str, str]]()
    with serving(graphs={"office": str(office.path)}) as client:
        for question in questions:
            messages.append({"role": "user", "content": question})
            reply = client.post("/v1/chat/completions", json={"model": "office", "messages": messages}).json()
            messages.append({"role": "assistant", "content": reply["choices"][0]["message"]["content"]})
    first = messages[-1]["content"].split("\n")[0]
    assert {part.split(" [")[0].split("][")[0] for part in first.split(", ")} == last
