"""Sums, groups and superlatives over triples with numbers, dates and texts, and comparisons of counts, of a vet's."""

from __future__ import annotations

from pathlib import Path

import pytest
from built_graphs import built_from_tables

from graphbrick.graphs.graph import Graph
from graphbrick.learn.default import default_pipeline

TABLES = {
    "nodes_pet": "id,label,name,species\np1,Pet,Rex,dog\np2,Pet,Tom,cat\np3,Pet,Flo,dog\np4,Pet,Mia,cat\n"
    "p5,Pet,Max,cat\np6,Pet,Bo,dog\n",
    "nodes_vet": "id,label,name,hired,salary\nv1,Vet,Ada Marsh,2015-03-01,61000\nv2,Vet,Ben Holt,2020-05-01,52000\n"
    "v3,Vet,Cleo Lund,2022-01-10,48000\n",
    "nodes_owner": "id,label,name\no1,Owner,Ida Moe\no2,Owner,Jon Ray\no3,Owner,Kim Oak\n",
    "nodes_medicine": "id,label,name,price\nm1,Medicine,Calmex,20\nm2,Medicine,Dorvin,35\n",
    "edges_owns": "start,end,type\no1,p1,OWNS\no1,p2,OWNS\no1,p3,OWNS\no2,p4,OWNS\no2,p5,OWNS\n"
    "o3,p6,OWNS\no3,p2,OWNS\n",
    "edges_takes": "start,end,type\np1,m1,TAKES\np2,m2,TAKES\n",
    "edges_reports": "start,end,type\nv2,v1,REPORTS_TO\nv3,v2,REPORTS_TO\n",
    "edges_treated": "start,end,type,fee,date,reason\np1,v1,TREATED_BY,100,2023-01-05,surgery\n"
    "p1,v2,TREATED_BY,40,2024-02-05,check-up\np2,v1,TREATED_BY,60,2024-03-05,check-up\n"
    "p2,v1,TREATED_BY,200,2024-06-05,surgery\np4,v2,TREATED_BY,50,2024-07-01,vaccination\n"
    "p3,v2,TREATED_BY,30,2023-09-01,check-up\np6,v3,TREATED_BY,80,2023-10-01,vaccination\n",
}


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return built_from_tables(tmp_path_factory.mktemp("clinic"), TABLES)


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        # Numbers of triples, with what is said of them: a time, a text, an end, what is beyond an end.
        ("total fees", {"560"}),
        ("total fees in 2024", {"350"}),
        ("sum of fees in 2024", {"350"}),
        ("What was the total fee of treatments in 2024?", {"350"}),
        ("average fee for surgery", {"150"}),
        ("average fee for a vaccination", {"65"}),
        ("average treatment fee for dogs", {"62.5"}),
        ("total fees of Ada Marsh in 2024", {"260"}),
        ("How much did Ida Moe spend on treatments?", {"430"}),
        ("how many treatments were there in total?", {"7"}),
        ("how many treatments in 2024", {"4"}),
        ("how many treatments for surgery were there in 2024", {"1"}),
        # Groups of triples.
        ("average fee per vet", {"Ada Marsh: 120", "Ben Holt: 40", "Cleo Lund: 80"}),
        ("total fees per year", {"2023: 210", "2024: 350"}),
        ("average fee by reason", {"surgery: 150", "vaccination: 65", "check-up: 43.33"}),
        ("number of treatments per reason", {"check-up: 3", "surgery: 2", "vaccination: 2"}),
        ("treatments by reason", {"check-up: 3", "surgery: 2", "vaccination: 2"}),
        ("most common reason for a treatment", {"check-up"}),
        ("What was the most common reason for treatments of dogs?", {"check-up"}),
        # The best triple, by a number or a date of it, and not by one of the vet.
        ("most expensive treatment of Rex", {"Ada Marsh"}),
        ("latest treatment of Rex", {"Ben Holt"}),
        ("Which pet had the most expensive treatment?", {"Tom"}),
        # Records are counted one by one.
        ("Which vet did the most treatments?", {"Ada Marsh", "Ben Holt"}),
        # Of which there are more.
        ("Are there more dogs than cats?", {"no"}),
        ("owners with more dogs than cats", {"Ida Moe"}),
        ("which owners have fewer dogs than cats?", {"Jon Ray"}),
        ("how many owners have more cats than dogs", {"1"}),
        ("owners with both a cat and a dog", {"Ida Moe", "Kim Oak"}),
        ("which are there more of, cats or dogs?", {"dog", "cat"}),
    ],
)
def test_numbers_at_triples(clinic: Graph, question: str, answers: set[str]) -> None:
    answer = default_pipeline(clinic).run(clinic, question).answer
    assert (set(answer.texts), answer.confidence) == (answers, 0.95)


@pytest.mark.parametrize(
    "question",
    [
        "Ben Holt's boss's salary",  # not his own
        "most expensive vet",  # no date of a vet is a price
        "how many treatments per",
    ],
)
def test_what_is_not_there_gets_no_answer(clinic: Graph, question: str) -> None:
    assert default_pipeline(clinic).run(clinic, question).answer.texts == ()


def test_groups_without_the_number_are_told(tmp_path: Path) -> None:
    treated = TABLES["edges_treated"].replace("p6,v3,TREATED_BY,80,", "p6,v3,TREATED_BY,,")
    clinic = built_from_tables(tmp_path, TABLES | {"edges_treated": treated})
    result = default_pipeline(clinic).run(clinic, "average fee per vet")
    assert result.answer.texts == ("Ada Marsh: 120", "Ben Holt: 40")
    told = [str(event) for event in result.trace.events]
    assert {"1 of 7 have no fee, and do not count", "1 more has none, and is not listed"} <= {*told}
