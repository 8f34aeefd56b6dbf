"""Columns of further names, such as the official or native name, are aliases and stay properties."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from built_graphs import built_from_tables, content_of

from graphbrick import EntityRecord, LinkLabels, Query, build, change
from graphbrick.graphs.build import value_ingest
from graphbrick.graphs.graph import Graph
from graphbrick.learn.default import default_pipeline

COUNTRIES = [
    ("c1", "Andorra", "Principality of Andorra", "Andorra (ca)"),
    ("c2", "Kenya", "Republic of Kenya", "Jamhuri ya Kenya"),
    ("c3", "Peru", "Republic of Peru", "Perú"),
]


def _nodes(folder: Path) -> Graph:
    rows = "".join(f"{key},Country,{name},{full},{own}\n" for key, name, full, own in COUNTRIES)
    tables = {
        "nodes_country": f"id,label,name,name_official,nativeName\n{rows}",
        "edges": "start,end,type\nc1,c2,KNOWS\nc2,c3,KNOWS\n",
    }
    return built_from_tables(folder, tables)


def _related(folder: Path) -> Graph:
    rows = "".join(f"{key},{name},{full},{own}\n" for key, name, full, own in COUNTRIES)
    tables = {"country": f"id,name,official_name,local_name\n{rows}", "knows": "country_id,other\nc1,Bo\nc2,Cy\n"}
    return built_from_tables(folder, tables)


def _json(folder: Path) -> Graph:
    nodes = [
        {"id": key, "label": "Country", "name": name, "fullName": full, "aka": own}
        for key, name, full, own in COUNTRIES
    ]
    links = [{"source": "c1", "target": "c2", "label": "KNOWS"}, {"source": "c2", "target": "c3", "label": "KNOWS"}]
    (folder / "graph.json").write_text(json.dumps({"nodes": nodes, "links": links}), encoding="utf-8")
    return build(folder / "graph.json", folder / "json.graph")


@pytest.mark.parametrize("made_of", [_nodes, _related, _json])
@pytest.mark.parametrize(
    ("text", "name"),
    [("Tell me about the Republic of Kenya", "Kenya"), ("the republic of peru", "Peru"), ("Jamhuri ya Kenya", "Kenya")],
)
def test_columns_of_names_name_the_entity(tmp_path: Path, made_of: object, text: str, name: str) -> None:
    graph = made_of(tmp_path)  # type: ignore[operator]
    assert [graph.label(seed) for seed in LinkLabels().link(graph, Query(text)).seeds] == [name]


def test_they_stay_properties(tmp_path: Path) -> None:
    graph = _nodes(tmp_path)
    andorra = graph.entity("c1")
    assert graph.properties(andorra)["name_official"] == "Principality of Andorra"
    assert sorted(graph.aliases(andorra)) == ["Andorra (ca)", "Principality of Andorra"]
    answer = default_pipeline(graph)(graph, "What is the official name of Andorra?")
    assert answer.texts == ("Principality of Andorra",)


def test_names_of_something_else_are_none(tmp_path: Path) -> None:
    table = "id,name,home_team_short_name,file_name,first_name\n1,Final,Reds,final.txt,Ann\n2,Semi,Blues,semi.txt,Bo\n"
    graph = built_from_tables(tmp_path, {"match": table})
    assert [graph.aliases(entity) for entity in range(graph.n_entities)] == [[]] * graph.n_entities


def test_a_change_adds_them_as_a_build_does(tmp_path: Path) -> None:
    build([("a", "r", "b"), EntityRecord("a", "Ann")], tmp_path / "one.graph")
    added = EntityRecord("a", "Ann", properties={"nickname": "Annie", "age": 3})
    changed = change(tmp_path / "one.graph", add=[added]).graph
    whole = build([("a", "r", "b"), added], tmp_path / "two.graph")
    assert changed.aliases(changed.entity("a")) == whole.aliases(whole.entity("a")) == ["Annie"]
    assert content_of(changed) == content_of(whole)


@pytest.mark.parametrize("at_most", [1 << 18, 64])
def test_names_that_several_have_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_most: int) -> None:
    """A common name that two plants share is a value; of many values a sample tells."""
    monkeypatch.setattr(value_ingest, "_MOST_HASHES", at_most)
    rows = "".join(f"{n},Plant {n},tree {n // 2},Planta {n}\n" for n in range(400))
    graph = built_from_tables(tmp_path, {"plant": f"id,name,common_name,scientific_name\n{rows}"})
    (plant,) = (entity for entity in range(graph.n_entities) if graph.label(entity) == "Plant 7")
    assert graph.aliases(plant) == ["Planta 7"]
    assert graph.properties(plant)["common_name"] == "tree 3"
