"""Names that are turned round at commas, companies, numbers that end names, codes, and acronyms at the beginning."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from built_graphs import built_from_nodes_and_edges

from graphbrick import GraphBuilder, LinkLabels
from graphbrick.core import Query
from graphbrick.core.errors import LinkError
from graphbrick.graphs.graph import Graph
from graphbrick.learn.default import default_pipeline

NODES = {
    "food": 'id,label,name\nf1,Food,"Apples, raw"\nf2,Food,"Oranges, raw, navels"\nf3,Food,"Kiwifruit, green, raw"\n'
    'f4,Food,"Kiwifruit, gold, raw"\nf5,Food,"Durian, raw or frozen"\nf6,Food,"Crisps, KELLO, with durian"\n'
    'f7,Food,"Crisps, KELLO, salted"\n',
    "maker": 'id,label,name,legal\nm1,Maker,"Kello, Co.",Inc\nm2,Maker,Post Foods of Ohio,Inc\n'
    'm3,Maker,"Post Foods, LLC",Inc\n',
    "sprint": "id,label,name\ns1,Sprint,Web Sprint 7\ns2,Sprint,Web Sprint 8\ns3,Sprint,App Sprint 8\n",
    "union": "id,label,name,code\nu1,Union,European Union,EU\nu2,Union,World Union,WU\n",
    "country": "id,label,name,code\nc1,Country,France,FR\nc2,Country,Norway,NO\nc3,Country,Spain,ES\n",
}
EDGES = {
    "made": "start,end,type\nf6,m1,MADE_BY\nf7,m1,MADE_BY\nf1,m3,MADE_BY\n",
    "in": "start,end,type\nc1,u1,MEMBER_OF\nc3,u1,MEMBER_OF\nc2,u2,MEMBER_OF\nc1,u2,MEMBER_OF\n",
    "planned": "start,end,type\nf1,s1,PLANNED_IN\nf2,s2,PLANNED_IN\n",
}


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return built_from_nodes_and_edges(tmp_path_factory.mktemp("names"), NODES, EDGES)


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Where do raw apples come from?", ["Apples, raw"]),
        ("how sweet is a raw apple", ["Apples, raw"]),
        ("How sweet are raw navel oranges?", ["Oranges, raw, navels"]),
        ("Is green raw kiwifruit sour?", ["Kiwifruit, green, raw"]),
        ("Who makes the food of Kello?", ["Kello, Co."]),
        ("Which foods are by Post Foods?", ["Post Foods, LLC"]),
        ("How much does a Durian weigh?", ["Durian, raw or frozen"]),
        ("What was done in sprint 7?", ["Web Sprint 7"]),
        ("EU members", ["European Union"]),
    ],
)
def test_names_in_other_forms(names: Graph, question: str, found: list[str]) -> None:
    assert [names.label(seed) for seed in LinkLabels().link(names, Query(question)).seeds] == found


@pytest.mark.parametrize("question", ["What was done in Web Sprint 9?", "Web Sprnt 77", "App Sprint 80"])
def test_another_number_is_another_name(names: Graph, question: str) -> None:
    with suppress(LinkError):
        assert LinkLabels().link(names, Query(question)).seeds == ()


def test_a_name_with_a_typing_error_keeps_its_number(names: Graph) -> None:
    query = LinkLabels().link(names, Query("What was done in Web Sprnt 7?"))
    assert [names.label(seed) for seed in query.seeds] == ["Web Sprint 7"]


def test_a_number_that_ends_several_names_is_left_open(names: Graph) -> None:
    assert LinkLabels().link(names, Query("What was done in sprint 8?")).seeds == ()


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("EU members", {"France", "Spain"}),
        ("Which EU members are not members of the World Union?", {"Spain"}),
        ("countries with the code FR", {"France"}),
    ],
)
def test_codes_of_what_they_name(names: Graph, question: str, answers: set[str]) -> None:
    assert set(default_pipeline(names)(names, question).texts) == answers


def test_a_question_word_in_capitals_is_no_acronym(names: Graph) -> None:
    assert [names.label(seed) for seed in LinkLabels().link(names, Query("WHO makes raw apples?")).seeds] == [
        "Apples, raw"
    ]


@pytest.mark.parametrize(
    ("names", "surface", "meant"),
    [
        (["Acme, Inc", "Acme Inc.", "Acme Road 5"], "Acme", {"Acme, Inc", "Acme Inc."}),
        (["Blue Fox Ltd", "Blue Fox GmbH", "Old Blue Fox"], "Blue Fox", {"Blue Fox Ltd", "Blue Fox GmbH"}),
        (
            ["Elm Holding AG", "Elm Group S.A.", *(f"Elm OS {n}" for n in range(120))],
            "elm",
            {"Elm Holding AG", "Elm Group S.A."},
        ),
    ],
)
def test_companies_that_differ_in_their_form_are_namesakes(
    tmp_path: Path, names: list[str], surface: str, meant: set[str]
) -> None:
    with GraphBuilder(tmp_path / "shops.graph", source="test") as builder:
        for name in names:
            builder.add((name, "sells", "bread"))
        graph = builder.finish()
    (mention,) = LinkLabels().link(graph, Query(f"What does {surface} sell?")).mentions
    assert {graph.label(one) for one in (mention.entity, *mention.others)} == meant
