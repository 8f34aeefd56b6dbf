"""Questions of a shop, a ward and a town: nouns in names, discounts, beds, further questions, pairs of places."""

from __future__ import annotations

import pytest
from built_graphs import built_from_tables

from graphbrick.graphs.graph import Graph
from graphbrick.learn.default import default_pipeline

SHOP = {
    "nodes-product": """id,label,name,UnitPrice,UnitsInStock
p1,Product,Lamb Pie,12.5,0
p2,Product,Crab Meat,18.0,20
p3,Product,Duck Roll,4.0,7
p4,Product,Plum Jam,3.0,0
""",
    "nodes-category": "id,label,name\nc1,Category,Meat/Poultry\nc2,Category,Seafood\nc3,Category,Spreads\n",
    "nodes-order": """id,label,name,OrderDate,ShipCountry
o1,Order,Order 11,2024-01-03,Germany
o2,Order,Order 12,2024-02-10,Peru
o3,Order,Order 13,2024-05-20,Norway
""",
    "nodes-customer": "id,label,name,Country\nk1,Customer,Anna Holm,Germany\nk2,Customer,Olaf Berg,Norway\n"
    "k3,Customer,Ida Stein,Germany\n",
    "nodes-employee": """id,label,name,Title
e1,Employee,Ada Fox,Sales Representative
e2,Employee,Bo Reed,Sales Representative
e3,Employee,Cy Low,Accountant
""",
    "nodes-department": "id,label,name\nd1,Department,Sales\nd2,Department,Books\n",
    "edges-in": "start,end,type\np1,c1,IN_CATEGORY\np2,c2,IN_CATEGORY\np3,c1,IN_CATEGORY\np4,c3,IN_CATEGORY\n",
    "edges-lines": """start,end,type,Quantity,Discount
o1,p1,CONTAINS,30,0.0
o1,p2,CONTAINS,5,0.1
o2,p1,CONTAINS,4,0.2
o3,p4,CONTAINS,40,0.0
""",
    "edges-placed": "start,end,type\nk1,o1,PLACED\nk1,o2,PLACED\nk2,o3,PLACED\n",
    "edges-works": "start,end,type\ne1,d1,WORKS_IN\ne2,d1,WORKS_IN\ne3,d2,WORKS_IN\n",
}
WARD = {
    "nodes-ward": "id,label,name,beds\nw1,Ward,East,10\nw2,Ward,West,8\nw3,Ward,Day,\n",
    "nodes-patient": """id,label,name,age,city
a1,Patient,Ann Low,81,Boston
a2,Patient,Ben Ode,9,Quincy
a3,Patient,Cat Fay,44,Boston
""",
    "nodes-allergen": "id,label,name\nl1,Allergen,Wheat\nl2,Allergen,Egg\nl3,Allergen,Pollen\n",
    "nodes-diagnosis": "id,label,name\ng1,Diagnosis,Dementia in old age\ng2,Diagnosis,Broken arm\n",
    "nodes-visit": "id,label,name,visit_type\nv1,Visit,V-1,planned\nv2,Visit,V-2,planned\nv3,Visit,V-3,urgent\n",
    "edges-stay": "start,end,type\na1,w1,STAYED_ON\na2,w2,STAYED_ON\n",
    "edges-allergic": "start,end,type\na1,l1,ALLERGIC_TO\na3,l2,ALLERGIC_TO\n",
    "edges-has": "start,end,type\na1,g1,HAS_CONDITION\na2,g2,HAS_CONDITION\n",
    "edges-visit": "start,end,type\na1,v1,HAD_VISIT\na1,v2,HAD_VISIT\na2,v3,HAD_VISIT\n",
}
TOWN = {
    "nodes-stop": """id,label,name,long_name,lat,lon,iata
s1,Stop,S1,Mill Lane,-16.9,145.7,MIL
s2,Stop,S2,Depot Road (Mill),-16.7,145.6,DEP
s3,Stop,S3,Old Well,-16.8,145.8,OLD
""",
    "nodes-route": "id,label,name\nr1,Route,Red Line\nr2,Route,Blue Line\n",
    "nodes-trip": "id,label,name\nt1,Trip,Red early\nt2,Trip,Blue early\n",
    "edges-of": "start,end,type\nt1,r1,OF_ROUTE\nt2,r2,OF_ROUTE\n",
    "edges-stops": "start,end,type\nt1,s1,STOPS_AT\nt1,s2,STOPS_AT\nt2,s2,STOPS_AT\nt2,s3,STOPS_AT\n",
}


@pytest.fixture(scope="module")
def graphs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Graph]:
    tables = {"shop": SHOP, "ward": WARD, "town": TOWN}
    return {name: built_from_tables(tmp_path_factory.mktemp(name), one) for name, one in tables.items()}


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        # A noun before a class, or after «with», that is a part of one name of another class.
        ("how many meat products do we have", {"2"}),
        ("which meat products cost less than 5 dollars?", {"Duck Roll"}),
        ("which meat products are sold out?", {"Lamb Pie"}),
        ("list all poultry products", {"Lamb Pie", "Duck Roll"}),
        # A value is no name of a part of it.
        ("how many sales representatives are there?", {"2"}),
        ("who works in sales?", {"Ada Fox", "Bo Reed"}),
        # What stands at triples.
        ("which orders contain Lamb Pie with a discount", {"Order 12"}),
        ("which orders contain Lamb Pie without a discount", {"Order 11"}),
        ("which orders contain Lamb Pie", {"Order 11", "Order 12"}),
        ("which orders contain more than 25 units of the same product", {"Order 11", "Order 13"}),
        ("which orders contain more than 25 units of Plum Jam", {"Order 13"}),
        # Weeks, quarters and halves of years; «at least once», «we sell».
        ("which customers placed an order in the first week of January 2024?", {"Anna Holm"}),
        ("how many orders were placed in the first quarter of 2024", {"2"}),
        ("orders in the second half of 2024", set()),
        ("how many customers have ordered Lamb Pie at least once?", {"1"}),
        ("what is the most expensive product we sell", {"Crab Meat"}),
        # A value with the verb in its name.
        ("which countries have we shipped Lamb Pie to?", {"Germany", "Peru"}),
        ("to which country was Order 13 shipped", {"Norway"}),
        # What only makes it polite.
        ("Sorry to bother you, could you please find out which employees work in Books? Thanks a lot!", {"Cy Low"}),
        # A further question asks for names, or how many.
        ("are there German customers that never ordered? which ones?", {"Ida Stein"}),
        ("do we have customers from Germany, and if so how many?", {"2"}),
    ],
)
def test_questions_of_a_shop(graphs: dict[str, Graph], question: str, answers: set[str]) -> None:
    assert set(default_pipeline(graphs["shop"])(graphs["shop"], question).texts) == answers


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("how many beds are there?", {"18"}),
        ("how many beds do our wards have", {"18"}),
        ("how many different beds are there", {"2"}),
        ("what are our patients allergic to?", {"Wheat", "Egg"}),
        ("list of things that our patients are allergic to", {"Wheat", "Egg"}),
        ("which patients are allergic to wheat", {"Ann Low"}),
        ("names of everybody with dementia", {"Ann Low"}),
        ("show me everyone who lives in Boston", {"Ann Low", "Cat Fay"}),
        ("how many kids under 10 are among the patients?", {"1"}),
        ("how many people over 40 from Boston do we have as patients", {"2"}),
        ("visits by type, please, just the numbers", {"planned: 2", "urgent: 1"}),
        ("is there a patient over 80, and if so who?", {"Ann Low"}),
        ("is there a patient over 80?", {"yes"}),
    ],
)
def test_questions_of_a_ward(graphs: dict[str, Graph], question: str, answers: set[str]) -> None:
    assert set(default_pipeline(graphs["ward"])(graphs["ward"], question).texts) == answers


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("which lies further north: S1 or S2?", {"S2"}),
        ("S1 or S3, which is further west?", {"S1"}),
        ("which is farther from S1, S2 or S3?", {"S2"}),
        ("which stops have a latitude above -16.85", {"S2", "S3"}),
        ("which stops have mill in the name?", {"S1", "S2"}),
        ("what is the code of S2", {"DEP"}),
        ("stop code of S3", {"OLD"}),
        ("what is the lowest latitude", {"-16.9"}),
        ("stops of the Blue Line where the Red Line does not stop", {"S3"}),
    ],
)
def test_questions_of_a_town(graphs: dict[str, Graph], question: str, answers: set[str]) -> None:
    assert set(default_pipeline(graphs["town"])(graphs["town"], question).texts) == answers


@pytest.mark.parametrize(
    ("name", "question"),
    [
        ("shop", "list all vegan products"),  # not all products
        ("shop", "which orders have jam problems"),  # not those with Plum Jam
        ("shop", "which customers have pie"),  # a part that begins a name would be one
        ("town", "which stop has the shortest trips"),  # not the fewest
        ("town", "what is the secret code of S2"),
        ("shop", "which countries have we shipped fresh fish to?"),
        ("ward", "what service wards do we have"),
    ],
)
def test_what_is_not_known_is_refused(graphs: dict[str, Graph], name: str, question: str) -> None:
    assert default_pipeline(graphs[name])(graphs[name], question).texts == ()
