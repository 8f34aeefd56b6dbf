"""Names as tables write them, one word in one name and two in another, and relations such as `BASED_ON`."""

from __future__ import annotations

from pathlib import Path

import pytest
from built_graphs import built_from_tables
from faults import told

from graphbrick.graphs.graph import Graph
from graphbrick.learn.default import default_pipeline

BROWSERS = {"b1": "Kite", "b2": "Kite Mobile", "b3": "Lark", "b4": "Merlin", "b5": "Merlin TV"}
NODES = {
    "browser": "id,label,name,hiredate,webextensions\n"
    + "".join(
        f"{key},Browser,{name},2001-02-0{at},{at % 2 == 1}\n" for at, (key, name) in enumerate(BROWSERS.items(), 1)
    ),
    "engine": "id,label,name\ne1,Engine,Reed\ne2,Engine,Sage\n",
    "release": "id,label,name,release_date,engine_version,usage_perc_y\n"
    + "".join(
        f"r{at},Release,{BROWSERS[f'b{at % 5 + 1}']} {at},{2000 + at}-03-01,{at}.{at},{at / 2}\n" for at in range(1, 26)
    ),
    "feature": "id,label,name,baseline,baseline_low_date,baseline_high_date\n"
    "f1,Feature,Grid,high,2017-03-01,2019-09-01\nf2,Feature,Popover,low,2025-01-27,\n"
    "f3,Feature,Dialog,high,2022-03-14,2024-09-14\n",
    "group": "id,label,name\ng1,Group,Style\ng2,Group,Layout\ng3,Group,Motion\ng4,Group,Input\n",
}
EDGES = (
    "start,end,type\nb2,b1,BASED_ON\nb3,b1,BASED_ON\nb5,b4,BASED_ON\ng2,g1,PARENT_GROUP\ng3,g1,PARENT_GROUP\n"
    + "".join(f"r{at},b{at % 5 + 1},RELEASE_OF\nr{at},e{at % 2 + 1},RUNS_ON\n" for at in range(1, 26))
)
IN_GROUPS = "start,end,type\nf1,g2,IN_GROUP\nf2,g4,IN_GROUP\nf3,g4,IN_GROUP\n"
SUPPORT = "start,end,type,version\nb1,f1,SUPPORTS,26\nb1,f2,SUPPORTS,≤30\nb1,f3,SUPPORTS,26\nb3,f1,SUPPORTS,12\n"


@pytest.fixture(scope="module")
def browsers(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    tables = {f"nodes_{name}": text for name, text in NODES.items()}
    tables |= {"edges": EDGES, "edges_groups": IN_GROUPS, "edges_support": SUPPORT}
    return built_from_tables(tmp_path_factory.mktemp("browsers"), tables)


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        # Names with their underscores, written together, or in two words.
        ("What is the usage_perc_y of Kite 10?", {"5"}),
        ("average usage_perc_y of all releases", {"6.5"}),
        ("which releases have a usage_perc_y over 12?", {"Kite 25"}),
        ("what is the hiredate of Lark", {"2001-02-03"}),
        ("what is the hire date of Lark", {"2001-02-03"}),
        ("Which browsers have web extensions?", {"Kite", "Lark", "Merlin TV"}),
        # «baseline» is a name of its own, and a word of longer ones; a longer name has no values inside it.
        ("What is the baseline of Popover?", {"low"}),
        ("Popover: what is its baseline?", {"low"}),
        ("What is the baseline low date of Popover?", {"2025-01-27"}),
        ("how many features have a baseline high date after 2023", {"1"}),
        ("features whose baseline low date is after 2021", {"Popover", "Dialog"}),
        # A class before a property with its name in it.
        ("number of releases for each engine", {"Reed: 12", "Sage: 13"}),
        # What is based on something is the head of `BASED_ON`.
        ("Which browsers are based on Kite?", {"Kite Mobile", "Lark"}),
        ("What is Merlin TV based on?", {"Merlin"}),
        ("Is Lark based on Kite?", {"yes"}),
        ("Is Kite based on Lark?", {"no"}),
        ("which browsers aren't based on another one?", {"Kite", "Merlin"}),
        ("list the subgroups of Style", {"Layout", "Motion"}),
        # A text of triples after its name; few texts or many.
        ("Which features does Kite support with version 26?", {"Grid", "Dialog"}),
        # Wordings.
        ("which group is the biggest by number of features?", {"Input"}),
        ("what is the usage_perc_y of all Lark releases added up?", {"30"}),
        ("which features are still low?", {"Popover"}),
    ],
)
def test_answers(browsers: Graph, question: str, answers: set[str]) -> None:
    assert set(default_pipeline(browsers)(browsers, question).texts) == answers


def test_where_all_have_as_many_none_has_the_most(browsers: Graph) -> None:
    answer = default_pipeline(browsers)(browsers, "which release is used most?")
    assert answer.texts == ()
    values = dict(told(answer.trace.events))["operators.not_answered"]
    assert (values["reason"], values["n"]) == ("operators.all_alike", 25)


MODULES = {
    "hr_employee": "id,name,department_id,job_id\n1,Ann Lee,1,1\n2,Bo Ray,1,2\n3,Cy Orr,2,1\n",
    "hr_department": "id,name\n1,Sales\n2,Legal\n",
    "hr_job": "id,name\n1,Clerk\n2,Lawyer\n",
    "hr_holidays": "id,name,employee_id,days\n1,Summer,1,10\n2,Winter,2,4\n",
    "shop_product": "id,name,list_price,category_id\n1,Lamp,40,1\n2,Desk,250,2\n",
    "shop_category": "id,name\n1,Light\n2,Wood\n",
    "shop_order": "id,name,state\n1,SO1,draft\n2,SO2,done\n",
    "shop_order_line": "id,name,order_id,product_id,product_uom_qty\n1,first,1,1,900\n2,second,2,2,1\n",
}


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("How many employees are there?", {"3"}),
        ("Which jobs are there?", {"Clerk", "Lawyer"}),
        ("How many holidays are there?", {"2"}),
        ("What is the most expensive product?", {"Desk"}),  # and no `product_uom_qty`
        ("What is the cheapest product?", {"Lamp"}),
        ("List all orders", {"SO1", "SO2"}),
    ],
)
def test_tables_of_modules_go_without_their_module(tmp_path: Path, question: str, answers: set[str]) -> None:
    graph = built_from_tables(tmp_path, MODULES)
    assert set(default_pipeline(graph)(graph, question).texts) == answers
