"""Questions over the records of a college: codes, grades in letters, codes of terms at triples, and what is there."""

from __future__ import annotations

import pytest
from built_graphs import built_from_tables
from faults import told

from graphbrick.graphs.graph import Graph
from graphbrick.learn.default import default_pipeline

TABLES = {
    "nodes_student": "id,label,name,mob_no,study_mode,town\n"
    "s1,Student,Ada Low,0770,FT,Terry\ns2,Student,Bo Hay,0771,EVE,Terry\ns3,Student,Cy Orr,0772,PT,Lund\n"
    "s4,Student,Di Fay,0773,FT,Lund\n",
    "nodes_course": "id,label,name,delivery\n"
    "c1,Course,Databases,ONS\nc2,Course,Web Design,ONL\nc3,Course,Drawing,HYB\nc4,Course,Pottery,ONS\n",
    "nodes_term": "id,label,name,term_code\nt1,Term,Spring 2024,S24\nt2,Term,Autumn 2023,A23\n"
    "t3,Term,Spring 2023,S23\nt4,Term,Autumn 2022,A22\nt5,Term,Spring 2022,S22\n",
    "nodes_room": "id,label,name,capacity,has_projector\nr1,Room,MH001,40,N\nr2,Room,TB107,32,Y\n",
    "nodes_exam": "id,label,name,exam_dt\nx1,Exam,DB Final,2024-12-10\nx2,Exam,WD Final,2024-12-11\n"
    "x3,Exam,DR Final,2024-12-12\n",
    "edges_enrolled": "start,end,type,term_code,grade\ns1,c1,ENROLLED_IN,S24,A\ns2,c1,ENROLLED_IN,A23,A\n"
    "s3,c1,ENROLLED_IN,S24,B\ns1,c2,ENROLLED_IN,A23,C\ns4,c2,ENROLLED_IN,S24,A\n",
    "edges_runs": "start,end,type\nc1,t1,RUNS_IN\nc1,t2,RUNS_IN\nc2,t1,RUNS_IN\nc2,t2,RUNS_IN\nc3,t2,RUNS_IN\n",
    "edges_exam": "start,end,type\nx1,c1,EXAM_FOR\nx2,c2,EXAM_FOR\nx3,c3,EXAM_FOR\n",
    "edges_held": "start,end,type\nx1,r1,HELD_IN\nx2,r2,HELD_IN\nx3,r2,HELD_IN\n",
}


@pytest.fixture(scope="module")
def college(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return built_from_tables(tmp_path_factory.mktemp("college"), TABLES)


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("what's Ada Low's mobile number", {"0770"}),
        # Words that codes are the beginning of.
        ("Which courses are online?", {"Web Design"}),
        ("evening students", {"Bo Hay"}),
        ("full time students who live in Terry please", {"Ada Low"}),
        ("How many part-time students are there?", {"1"}),
        # A letter is a grade, and no article.
        ("Who got an A in Databases?", {"Ada Low", "Bo Hay"}),
        ("Who got a B in Databases?", {"Cy Orr"}),
        ("How many students got an A in Databases?", {"2"}),
        ("students with grade A in Databases", {"Ada Low", "Bo Hay"}),
        # The term of an enrolment is that of its code; the course runs in others too.
        ("Which students were enrolled in Databases in spring 2024?", {"Ada Low", "Cy Orr"}),
        ("Who got an A in Databases in spring 2024?", {"Ada Low"}),
        ("Which courses run in autumn 2023?", {"Databases", "Web Design", "Drawing"}),
        ("How many students are doing Databases?", {"3"}),
        # What is there, and how many fit.
        ("is there a projector in MH001?", {"no"}),
        ("is there a projector in TB107?", {"yes"}),
        ("how many people fit into TB107?", {"32"}),
        ("Which exams are on the 10th or 11th of December 2024?", {"DB Final", "WD Final"}),
        ("When is the exam of Databases?", {"2024-12-10"}),
        ("When is the Web Design exam in TB107?", {"2024-12-11"}),
    ],
)
def test_questions_of_an_office(college: Graph, question: str, answers: set[str]) -> None:
    assert set(default_pipeline(college)(college, question).texts) == answers


def test_codes_and_grades_are_told(college: Graph) -> None:
    events = dict(told(default_pipeline(college)(college, "Which courses are online?").trace.events))
    assert events["operators.code"] == {"said": "online", "name": "delivery"}
    events = dict(told(default_pipeline(college)(college, "Who got an A in Databases?").trace.events))
    assert events["operators.grade"] == {"said": "got an A", "name": "grade"}
