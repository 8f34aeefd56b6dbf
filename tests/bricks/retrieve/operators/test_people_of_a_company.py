"""Questions over a database of staff: names of columns cut short, values at triples, people, work, mentors, laptops."""

from __future__ import annotations

from pathlib import Path

import pytest
from built_graphs import built_from_tables
from faults import told

from graphbrick.graphs.graph import Graph
from graphbrick.learn.default import default_pipeline
from graphbrick.patterns.lexicon import lexicon_of
from graphbrick.patterns.words.phrasebook import Phrasebook
from graphbrick.patterns.words_file import WORDS

TABLES = {
    "nodes_employee": "id,label,name,birth_dt,hire_date,emp_no,leave_entl_days\n"
    "e1,Employee,Ada Low,1980-05-01,2010-01-04,101,26\ne2,Employee,Bo Hay,1990-02-03,2005-03-01,102,28\n"
    "e3,Employee,Cy Orr,1985-11-30,2019-06-01,103,26\ne4,Employee,Di Fay,1999-01-15,2021-09-01,104,30\n",
    "nodes_department": "id,label,name,cost_ctr,budget_eur\n"
    "d1,Department,Sales,CC-1,1000\nd2,Department,Finance,CC-2,3000\n",
    "nodes_office": "id,label,name,city,addr\n"
    "o1,Office,North Point,Oslo,Fjord Road 1\no2,Office,South Hub,Rome,Via Alba 2\n",
    "nodes_skill": "id,label,name,category\ns1,Skill,Python,programming\ns2,Skill,Welding,craft\n",
    "nodes_asset": "id,label,name,category\na1,Asset,LT-1,Laptop\na2,Asset,LT-2,Laptop\na3,Asset,PH-1,Phone\n",
    "nodes_project": "id,label,name,budget_keur\np1,Project,Billing,5\np2,Project,Website,7\n",
    "edges_owned": "start,end,type\np1,d1,OWNED_BY_DEPT\np2,d2,OWNED_BY_DEPT\n",
    "nodes_position": "id,label,name,pay_type\nt1,Position,President,Monthly\nt2,Position,Clerk,Hourly\n",
    "edges_position": "start,end,type\ne2,t1,HAS_POSITION\ne3,t2,HAS_POSITION\ne4,t2,HAS_POSITION\n",
    "nodes_course": "id,label,name\nc1,Course,First Aid\n",
    "nodes_absence": "id,label,name\nx1,Absence,Sick leave\nx2,Absence,Annual leave\n",
    "edges_dept_emp": "start,end,type,from_date,to_date\ne1,d1,DEPT_EMP,2010-01-04,2015-01-01\n"
    "e1,d2,DEPT_EMP,2015-01-01,\ne2,d1,DEPT_EMP,2005-03-01,\ne3,d2,DEPT_EMP,2019-06-01,\ne4,d1,DEPT_EMP,2021-09-01,\n",
    "edges_headed_by": "start,end,type\nd1,e2,HEADED_BY\nd2,e1,HEADED_BY\n",
    "edges_based_at": "start,end,type\ne1,o1,BASED_AT\ne2,o1,BASED_AT\ne3,o2,BASED_AT\ne4,o2,BASED_AT\n",
    "edges_has_skill": "start,end,type,lvl\ne1,s1,HAS_SKILL,5\ne1,s2,HAS_SKILL,2\ne3,s1,HAS_SKILL,2\n"
    "e3,s2,HAS_SKILL,5\ne4,s1,HAS_SKILL,5\n",
    "edges_issued_to": "start,end,type\na1,e1,ISSUED_TO\na2,e3,ISSUED_TO\na3,e2,ISSUED_TO\n",
    "edges_mentors": "start,end,type\ne2,e4,MENTORS\ne1,e3,MENTORS\n",
    "edges_reports_to": "start,end,type\ne1,e2,REPORTS_TO\ne3,e1,REPORTS_TO\ne4,e2,REPORTS_TO\n",
    "edges_allocated_to": "start,end,type,hrs_alloc\ne1,p1,ALLOCATED_TO,60\ne3,p1,ALLOCATED_TO,20\n"
    "e4,p1,ALLOCATED_TO,10\n"
    "e2,p2,ALLOCATED_TO,40\n",
    "edges_project_lead": "start,end,type\np1,e1,PROJECT_LEAD\np2,e2,PROJECT_LEAD\n",
    "edges_attended": "start,end,type\ne1,c1,ATTENDED\n",
    "edges_took": "start,end,type,days\ne1,x1,TOOK_ABSENCE,3\ne1,x2,TOOK_ABSENCE,10\n"
    "e1,x1,TOOK_ABSENCE,4\ne2,x1,TOOK_ABSENCE,5\n",
}


@pytest.fixture(scope="module")
def staff(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return built_from_tables(tmp_path_factory.mktemp("company"), TABLES)


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        # A skill has a category as well, but none is a laptop.
        ("people in oslo without a laptop?", {"Bo Hay"}),
        ("Who has a laptop?", {"Ada Low", "Cy Orr"}),
        # What is lacking in lists, and what is said of those who lack it.
        ("employees without a laptop or a phone", {"Di Fay"}),
        ("employees without a laptop and a phone", {"Di Fay"}),
        ("people without a laptop in Sales", {"Bo Hay", "Di Fay"}),
        ("employees without a mentor in Sales", {"Bo Hay"}),
        ("employees without a mentor who work in Finance", {"Ada Low"}),
        ("Which employees work in Sales and have no laptop?", {"Bo Hay", "Di Fay"}),
        ("employees not in Finance or at South Hub", {"Bo Hay"}),
        ("how many people in Sales have no mentor", {"1"}),
        # Who has a position is meant, unless the position itself has what is asked for.
        ("Who is the president?", {"Bo Hay"}),
        ("Who are the clerks?", {"Cy Orr", "Di Fay"}),
        ("birth date of the president", {"1990-02-03"}),
        ("What is the pay type of the president?", {"Monthly"}),
        ("Who took the most days of sick leave?", {"Ada Low"}),
        # When somebody joined is a date of the triple.
        ("Who joined Finance in 2015?", {"Ada Low"}),
        ("employees who moved to Finance after 2016", {"Cy Orr"}),
        ("Who has been in Sales since 2005?", {"Bo Hay"}),
        ("Who joined Sales since 2006?", {"Ada Low", "Di Fay"}),
        # A noun after a class may name those at the end of a relation.
        ("List the department heads", {"Ada Low", "Bo Hay"}),
        ("Which department heads know Python?", {"Ada Low"}),
        ("heads of departments who know Welding", {"Ada Low"}),
        ("Who doesn't know Python or Welding?", {"Bo Hay"}),
        ("heads of departments who report to Bo Hay", {"Ada Low"}),
        ("How many project leads are based at North Point?", {"2"}),
        # Names of columns that are cut short.
        ("When is Ada Low's birthday?", {"1980-05-01"}),
        ("What is the birth date of Bo Hay?", {"1990-02-03"}),
        ("What is the address of South Hub?", {"Via Alba 2"}),
        ("What is the cost center of Finance?", {"CC-2"}),
        ("What is Cy Orr's employee number?", {"103"}),
        ("How many hours is Ada Low allocated to Billing?", {"60"}),
        # A value and a name that are said of one triple.
        ("employees with level 5 in Python", {"Ada Low", "Di Fay"}),
        ("colleagues with level 5 in Python", {"Ada Low", "Di Fay"}),
        # People are the one class of persons, and work is where they are.
        ("headcount per department", {"Sales: 2", "Finance: 2"}),
        ("the headcount of Sales", {"2"}),
        ("how many people work in sales right now?", {"2"}),
        ("who are the two youngest people in the company", {"Di Fay", "Bo Hay"}),
        ("Which offices do the people who report to Bo Hay work from?", {"North Point", "South Hub"}),
        ("Which department does Ada Low work in?", {"Finance"}),
        ("Did Ada Low ever work in Sales?", {"yes"}),
        ("Does Ada Low work in Sales?", {"no"}),
        ("Which project has the most people on it?", {"Billing"}),
        ("budget by department", {"Sales: 1000", "Finance: 3000"}),
        ("Who is the oldest person in Sales?", {"Bo Hay"}),
        ("employees in Finance hired before 2015", {"Ada Low"}),
        ("people based in Oslo who work in Finance", {"Ada Low"}),
        # The mentor of somebody mentors, and the head of a department heads.
        ("Who is Di Fay's mentor?", {"Bo Hay"}),
        ("Who does Bo Hay mentor?", {"Di Fay"}),
        ("Who does Cy Orr's mentor report to?", {"Bo Hay"}),
        ("Who is in charge of Finance?", {"Ada Low"}),
        # How long people are there.
        ("Who has been with us longest?", {"Bo Hay"}),
        ("Who's been here longer, Ada Low or Cy Orr?", {"Ada Low"}),
        ("Who joined the company first?", {"Bo Hay"}),
        ("Has Ada Low done the First Aid course?", {"yes"}),
        ("Has Bo Hay done First Aid?", {"no"}),
        ("When is Bo Hay's birthday? We want to get him a cake.", {"1990-02-03"}),
        # Each of several has a line.
        ("birthdays of Ada Low and Bo Hay", {"Ada Low: 1980-05-01", "Bo Hay: 1990-02-03"}),
        (
            "birth date and hire date of Ada Low and Bo Hay",
            {
                "Ada Low: birth date 1980-05-01, hire date 2010-01-04",
                "Bo Hay: birth date 1990-02-03, hire date 2005-03-01",
            },
        ),
        ("In which offices are Ada Low and Cy Orr?", {"Ada Low: North Point", "Cy Orr: South Hub"}),
    ],
)
def test_questions_of_an_office(staff: Graph, question: str, answers: set[str]) -> None:
    answer = default_pipeline(staff)(staff, question)
    assert set(answer.texts) == answers
    assert (answer.confidence or 0) >= 0.5


@pytest.mark.whole
@pytest.mark.parametrize(
    "question",
    [
        "How many days has Ada Low been off sick altogether?",  # are no `leave_entl_days`
        "Who works on weekends in Sales?",
    ],
)
def test_what_is_not_read_is_not_answered(staff: Graph, question: str) -> None:
    assert default_pipeline(staff)(staff, question).texts == ()


def test_why_it_is_asked_is_told(staff: Graph) -> None:
    answer = default_pipeline(staff)(staff, "When is Bo Hay's birthday? We want to get him a cake.")
    assert dict(told(answer.trace.events))["operators.lead_out"] == {"text": "We want to get him a cake."}


def test_people_are_not_patients_beside_staff(tmp_path_factory: pytest.TempPathFactory) -> None:
    tables = {
        "nodes_patient": "id,label,name\np1,Patient,Ada Low\np2,Patient,Bo Hay\n",
        "nodes_staff": "id,label,name\ns1,Staff,Cy Orr\n",
        "nodes_ward": "id,label,name\nw1,Ward,Blue\n",
        "edges": "start,end,type\np1,w1,LIES_IN\np2,w1,LIES_IN\ns1,w1,SERVES_IN\n",
    }
    graph = built_from_tables(tmp_path_factory.mktemp("ward"), tables)
    assert lexicon_of(graph, None).class_of_people == ""
    assert default_pipeline(graph)(graph, "How many patients are there?").texts == ("2",)


def test_words_that_were_learned_are_names_of_the_same_classes(staff: Graph, tmp_path: Path) -> None:
    """A file of words names the classes that the nodes have: «employee» is no further class beside `Employee`."""
    book = Phrasebook.of(staff)
    person = next(one for one in book.classes if "employee" in one.names)
    person.names.append("colleague")
    (tmp_path / WORDS).write_text(book.to_toml(), encoding="utf-8")
    learned, plain = lexicon_of(staff, str(tmp_path)), lexicon_of(staff)
    assert set(learned.classes) == {*plain.classes, "colleague"}
    assert learned.class_of_people == plain.class_of_people == "Employee"
