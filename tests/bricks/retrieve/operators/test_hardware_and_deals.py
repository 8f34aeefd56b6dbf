"""Questions over graphics cards and deals: heads of class names, units as nouns, counts in tables, spans of months."""

from __future__ import annotations

import pytest
from built_graphs import built_from_nodes_and_edges

from graphbrick.graphs.graph import Graph
from graphbrick.learn.default import default_pipeline

NODES = {
    "card": "id,label,name,release_date,memory_size_gb,memory_clock_mhz,power_draw_w,board_length_mm\n"
    "g1,GraphicsCard,Ray 80,2020-09-01,10,1188,320,285\ng2,GraphicsCard,Ray 90,2020-10-05,24,1219,350,313\n"
    "g3,GraphicsCard,Voo 4,2000-10-13,0.03,166,25,200\n",
    "maker": "id,label,name\nm1,Manufacturer,Nivada\nm2,Manufacturer,3dfy\n",
    "chip": "id,label,name\nh1,Chip,GA9\nh2,Chip,VSA\n",
    "company": "id,label,name,created_at,nb_deals\nk1,Company,Yost Inc,2024-07-20,2\nk2,Company,Olson,2024-11-02,9\n",
    "deal": "id,label,name,stage,amount,expected_closing_date\n"
    "d1,Deal,Porro,won,100,2025-05-01\nd2,Deal,Velit,won,250,2025-06-01\nd3,Deal,Minus,lost,40,2025-07-01\n",
    "contact": "id,label,name,email,phone_type\nc1,Contact,Ada Marsh,ada@yost.test,Work\nc2,Contact,Ben Holt,,Home\n",
    "rep": "id,label,name\nr1,SalesRep,Jane Doe\n",
}
EDGES = {
    "made": "start,end,type\ng1,m1,MADE_BY\ng2,m1,MADE_BY\ng3,m2,MADE_BY\n",
    "uses": "start,end,type\ng1,h1,USES_CHIP\ng2,h1,USES_CHIP\ng3,h2,USES_CHIP\n",
    "with": "start,end,type\nd1,k1,DEAL_WITH\nd2,k2,DEAL_WITH\nd3,k1,DEAL_WITH\n",
    "of": "start,end,type\nd1,r1,DEAL_OF\nd2,r1,DEAL_OF\n",
    "works": "start,end,type\nc1,k1,WORKS_AT\nc2,k1,WORKS_AT\n",
    "involves": "start,end,type\nd1,c1,INVOLVES\nd2,c1,INVOLVES\n",
}


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return built_from_nodes_and_edges(tmp_path_factory.mktemp("records"), NODES, EDGES)


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        # The last word of GraphicsCard names its things; a name may begin with a digit.
        ("Which cards have more than 5 GB of memory?", {"Ray 80", "Ray 90"}),
        ("How many cards did 3dfy make?", {"1"}),
        ("List every card built around the GA9 chip.", {"Ray 80", "Ray 90"}),
        ("What was the very last card by Nivada?", {"Ray 90"}),
        # A unit says which number is asked for; how much is a size rather than a clock.
        ("How many watts does the Ray 80 draw?", {"320"}),
        ("how many gigabytes of memory does the Ray 80 have", {"10"}),
        ("how many millimetres is the Ray 80 long", {"285"}),
        ("how much memory does the Ray 80 have?", {"10"}),
        ("On average, how much power do cards of Nivada take?", {"335"}),
        # `nb_deals` of companies is no number of deals that something is said of.
        ("How many deals have we won so far?", {"2"}),
        ("If I add up all the deals of Jane Doe, how much money is that?", {"350"}),
        ("What's the total value of the deals that we lost?", {"40"}),
        # «works» is the relation, not the phone of the type Work; contacts are people.
        ("Who works at Yost Inc?", {"Ada Marsh", "Ben Holt"}),
        ("I need the email of Ada Marsh please", {"ada@yost.test"}),
        ("When do we expect to close Porro?", {"2025-05-01"}),
        ("Which companies were created between July and September 2024?", {"Yost Inc"}),
        ("Which companies were created between 1 and 10 November 2024?", {"Olson"}),
    ],
)
def test_questions_of_catalogues_and_sales(records: Graph, question: str, answers: set[str]) -> None:
    assert set(default_pipeline(records)(records, question).texts) == answers


def test_several_numbers_in_a_unit_are_not_guessed(records: Graph) -> None:
    assert default_pipeline(records)(records, "How many megahertz does Jane Doe have?").texts == ()


def test_a_sentence_before_a_colon_only_introduces_the_question(records: Graph) -> None:
    result = default_pipeline(records).run(records, "I'm new here, so bear with me: who works at Yost Inc?")
    assert set(result.answer.texts) == {"Ada Marsh", "Ben Holt"}
    assert "operators.lead_in" in result.trace.event_codes


def test_what_may_restrict_stays_before_a_colon(records: Graph) -> None:
    result = default_pipeline(records).run(records, "Our Yost Inc deals: which are won?")
    assert "operators.lead_in" not in result.trace.event_codes
