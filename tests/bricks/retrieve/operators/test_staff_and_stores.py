"""Questions over the tables of a chain of shops: its people, shops, products and shipments."""

from __future__ import annotations

import pytest
from built_graphs import built_from_tables

from graphbrick.graphs.graph import Graph
from graphbrick.learn.default import default_pipeline

NODES = {
    "employee": "id,label,name,last_name,position_title,hire_date,salary\n"
    "e1,Employee,Ann Low,Low,Shop Manager,2001-05-01,5000\n"
    "e2,Employee,Bo Baker,Baker,Night Clerk,1999-02-01,2100\n"
    "e3,Employee,Cy Orr,Orr,Day Clerk,2005-03-01,2000\n"
    "e4,Employee,Di Fox,Fox,Deputy Shop Manager,2003-03-01,4000\n",
    "position": "id,label,name,pay_type\nq1,Position,Office Chief,Monthly\nq2,Position,Door Guard,Hourly\n",
    "department": "id,label,name\nd1,Department,Sales\nd2,Department,Stock\n",
    "shop": "id,label,name,shop_state,shop_sqft,frozen_sqft,cafe\ns1,Shop,Shop 1,WA,900,80,true\n"
    "s2,Shop,Shop 2,OR,1200,60,false\ns3,Shop,Shop 3,WA,,,false\n",
    "product": "id,label,name,brand,SRP,units_per_case\np1,Product,Pearl Beer,Dollar,1.2,12\n"
    "p2,Product,Ginger Ale,Washington,2.5,24\n",
    "depot": "id,label,name\nw1,Depot,North Depot\nw2,Depot,South Depot\n",
}
EDGES = """start,end,type
e1,d1,IN_DEPARTMENT
e2,d2,IN_DEPARTMENT
e3,d2,IN_DEPARTMENT
e4,d2,IN_DEPARTMENT
e1,s1,WORKS_AT
e2,s1,WORKS_AT
e3,s2,WORKS_AT
e4,s2,WORKS_AT
e2,e1,REPORTS_TO
e3,e4,REPORTS_TO
"""
SHIPPED = """start,end,type,the_date,units_ordered,units_shipped
w1,p1,SHIPPED,1997-03-01,50,40
w1,p2,SHIPPED,1998-03-01,90,10
w2,p1,SHIPPED,1998-05-01,40,30
"""


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    tables = {f"nodes_{name}": text for name, text in NODES.items()} | {"edges": EDGES, "edges_shipped": SHIPPED}
    return built_from_tables(tmp_path_factory.mktemp("chain"), tables)


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        # «People» are the only class of persons, and «our», «for us» and «do we employ» say that they are all.
        ("How many people work for us?", {"4"}),
        ("how many people do we employ in total?", {"4"}),
        ("Which department has the most people in it?", {"Stock"}),
        ("which departments have more than 2 people?", {"Stock"}),
        ("How many people report directly to Ann Low?", {"1"}),
        ("average salary of our employees", {"3,275"}),
        # Nouns that end values: job titles of people, kinds of things; names of people have no plural.
        ("Which managers work at Shop 2?", {"Di Fox"}),
        ("who are the clerks?", {"Bo Baker", "Cy Orr"}),
        ("which clerk earns the most?", {"Bo Baker"}),
        ("which shop managers earn over 4500?", {"Ann Low"}),
        # Since when somebody has been there.
        ("Who has been with us the longest?", {"Bo Baker"}),
        ("which clerk has worked here the shortest?", {"Cy Orr"}),
        # States by name where columns have codes; a brand of the same name is no place.
        ("which shops in Washington state do not have a cafe?", {"Shop 3"}),
        ("shops in Oregon", {"Shop 2"}),
        ("Which products are of the brand Washington?", {"Ginger Ale"}),
        # Columns that are cut short: square feet, prices; the one of the class itself among several.
        ("which shop has the most floor space?", {"Shop 2"}),
        ("Which one is bigger, Shop 1 or Shop 2?", {"Shop 2"}),
        ("how big is Shop 1 in square feet?", {"900"}),
        ("total square footage of our shops", {"2,100"}),
        ("which shops are larger than 1000 square feet?", {"Shop 2"}),
        ("which product is the most expensive?", {"Ginger Ale"}),
        ("which products cost more than 2 dollars?", {"Ginger Ale"}),
        # What comes in a pack, and how somebody is paid.
        ("How many Pearl Beer come in a case?", {"12"}),
        ("how many units are in a case of Ginger Ale?", {"24"}),
        ("Which positions are paid by the hour?", {"Door Guard"}),
        # A number at the triples of a verb, also of a year.
        ("Which depot shipped the most units?", {"North Depot"}),
        ("which depot shipped the most units in 1998?", {"South Depot"}),
        ("On average, how high is the salary of the clerks?", {"2,050"}),
        ("How many different brands are in our assortment?", {"2"}),
    ],
)
def test_questions_as_people_of_a_chain_ask_them(chain: Graph, question: str, answers: set[str]) -> None:
    assert set(default_pipeline(chain)(chain, question).texts) == answers


def test_a_noun_that_ends_several_values_is_told(chain: Graph) -> None:
    run = default_pipeline(chain).run(chain, "How many clerks are there?")
    assert run.answer is not None
    assert run.answer.texts == ("2",)
    said = "'clerks' is read as position_title Day Clerk or Night Clerk"
    assert {said, "'clerks' is read as position_title Night Clerk or Day Clerk"} & set(map(str, run.trace.events))


@pytest.mark.whole
@pytest.mark.parametrize("question", ["which bakers work at Shop 2?", "how many bakers are there?"])
def test_surnames_have_no_plural(chain: Graph, question: str) -> None:
    assert default_pipeline(chain)(chain, question).texts == ()
