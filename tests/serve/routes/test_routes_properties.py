"""Properties of entities and triples in the REST routes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from property_databases import ADA, TOWN, make_ladybug
from served import serving
from shop import LONG, shop
from starlette.testclient import TestClient

from graphbrick.core.errors import GraphbrickError
from graphbrick.core.properties.values import json_value
from graphbrick.graphs.databases.cypher.cypher import CypherGraph
from graphbrick.testing import tiny_graph


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder = tmp_path_factory.mktemp("shop")
    with serving(graphs={"shop": str(shop(folder).path), "tiny": str(tiny_graph().path)}) as client:
        yield client


def where(client: TestClient, **parameters: Any) -> Any:
    return client.get("/v1/entities/where", params=parameters)


def test_an_entity_has_its_properties_as_json(client):
    own = {"unit_price": 24.5, "stock": 7, "tags": ["kitchen", "steel"], "added": "2020-05-31", "sold": True}
    one = client.get("/v1/entities/one", params={"key": "kettle"}).json()
    assert (one["properties"], one["properties_cut"]) == (own, False)
    (row,) = client.get("/v1/entities", params={"q": "kettle", "n": 1}).json()["entities"]
    assert row["properties"] == own
    (row,) = client.get("/v1/entities", params={"q": "kettle", "n": 1, "properties": False}).json()["entities"]
    assert "properties" not in row
    lee = client.get("/v1/entities/one", params={"key": "lee"}).json()
    assert (lee["properties"], lee["properties_cut"]) == ({}, False)


def test_long_texts_are_cut_and_large_numbers_are_exact(client):
    lamp = client.get("/v1/entities/one", params={"key": "lamp"}).json()
    assert lamp["properties_cut"]
    assert lamp["properties"]["note"] == f"{LONG[:2000]}... ({len(LONG):,} characters)"
    assert lamp["properties"]["code"] == str(2**60)  # a program that reads numbers as float64 would round it


@pytest.mark.parametrize("n", [1, 2, 50])
def test_parallel_triples_have_their_own_properties_on_every_page(client, n):
    triples, offset = [], 0
    while offset is not None:
        page = client.get("/v1/entities/neighbours", params={"key": "lee", "n": n, "offset": offset}).json()
        triples += page["triples"]
        offset = page["next"]
    told = sorted((one["relation"]["label"], one["properties"].get("on", "")) for one in triples)
    assert told == [("bought", "2021-01-02"), ("bought", "2022-03-04"), ("likes", "")]
    entering = client.get("/v1/entities/neighbours", params={"key": "kettle", "n": n, "direction": "in"}).json()
    assert entering["triples"][0]["properties"] == {"on": "2021-01-02"}


def test_steps_of_paths_have_the_properties_of_parallel_triples(client):
    (path,) = client.get("/v1/paths", params={"start": "kettle", "end": "lamp"}).json()["paths"]
    assert [step["properties"] for step in path["steps"]] == [[{"on": "2021-01-02"}, {"on": "2022-03-04"}], [{}]]


@pytest.mark.parametrize(
    ("bounds", "keys"),
    [
        ({"property": "unit_price", "equals": "40"}, {"lamp", "box"}),
        ({"property": "unit_price", "equals": "40.0", "type": "Package"}, {"box"}),
        ({"property": "Unit Price", "above": "24.5"}, {"lamp", "box"}),
        ({"property": "unit_price", "at_least": "24.5", "below": "40"}, {"kettle"}),
        ({"property": "added", "at_most": "2020-05-31"}, {"kettle"}),
        ({"property": "added", "above": "2020-05-31T00:00:00Z"}, set()),
        ({"property": "tags", "equals": "steel"}, {"kettle"}),
        ({"property": "sold", "equals": "true"}, {"kettle"}),
        ({"property": "stock", "equals": "none"}, {"box"}),
        ({"property": "stock", "above": "3"}, {"kettle"}),
        ({"property": "code", "equals": str(2**60)}, {"lamp"}),
    ],
)
def test_entities_are_found_by_a_property(client, bounds, keys):
    reply = where(client, **bounds).json()
    assert {entity["key"] for entity in reply["entities"]} == keys
    assert (reply["count"], reply["next"]) == (len(keys), None)
    assert all(reply["property"] in entity["properties"] for entity in reply["entities"])


def test_pages_of_matches_follow_each_other(client):
    first = where(client, property="unit_price", above="1", n=2).json()
    second = where(client, property="unit_price", above="1", n=2, offset=first["next"]).json()
    assert (first["count"], first["next"], second["next"]) == (3, 2, None)
    assert len({entity["key"] for page in (first, second) for entity in page["entities"]}) == 3


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ({"property": "price", "above": "3"}, "did you mean unit_price"),
        ({"property": "colour", "above": "3"}, "there are "),
        ({"property": "unit_price", "above": "cheap"}, "unit_price is a number, and 'cheap' is not"),
        ({"property": "added", "above": "2020"}, "write it like 2020-05-31"),
        ({"property": "unit_price"}, "needs a bound"),
        ({"property": "unit_price", "above": " "}, "needs a bound"),
        ({"property": "unit_price", "above": "3", "graph": "tiny"}, "has no properties"),
    ],
)
def test_a_condition_that_cannot_be_is_told(client, bounds, message):
    reply = where(client, **bounds)
    assert reply.status_code == 400
    assert message in reply.json()["error"]["message"]


def test_a_graph_lists_its_properties_and_what_the_build_did_not_keep(client):
    info = client.get("/v1/graphs/shop").json()["info"]
    listed = {(row["name"], row["kind"], row["count"]) for row in info["properties"]}
    assert {("unit_price", "number", 1), ("unit_price", "whole number", 2), ("tags", "list of text", 1)} <= listed
    assert [row["name"] for row in info["triple_properties"]] == ["on"]
    (note,) = (row for row in info["properties"] if row["name"] == "note")
    assert note["examples"] == [f"{LONG[:200]}... ({len(LONG):,} characters)"]
    assert info["more_properties"] == 0
    assert isinstance(info["not_kept"], dict)


@pytest.mark.whole
def test_a_database_lists_its_properties_or_tells_why_not(tmp_path, monkeypatch):
    address = make_ladybug(tmp_path / "town", *TOWN)
    with serving(graphs={"town": address}, recipes={}) as client:
        info = client.get("/v1/graphs/town").json()["info"]
        assert (info["more_properties"], info["problem"]) == (0, None)
        listed = {row["name"]: (row["kind"], row["count"], row["examples"]) for row in info["properties"]}
        assert listed["marks"] == ("list of whole number", 2, ["3, 9", "1"])
        assert set(listed) == {*ADA, "population"}

        def fail(_: Any) -> None:
            raise GraphbrickError(f"ladybug:{tmp_path / 'town'} does not answer")

        monkeypatch.setattr(CypherGraph, "property_columns", fail)
        info = client.get("/v1/graphs/town").json()["info"]
        assert (info["properties"], info["problem"]) == ([], "town does not answer")


@pytest.mark.whole
def test_properties_of_a_database_are_served_alike(tmp_path):
    address = make_ladybug(tmp_path / "town", *TOWN)
    with serving(graphs={"town": address}, recipes={}) as client:
        one = client.get("/v1/entities/one", params={"key": "1", "graph": "town"}).json()
        assert one["properties"] == {name: json_value(value) for name, value in ADA.items()}
        matches = where(client, property="born", below="1980-01-01").json()
        assert [entity["label"] for entity in matches["entities"]] == ["Ada Rowe"]
        matches = where(client, property="born", equals="n/a").json()
        assert [entity["label"] for entity in matches["entities"]] == ["Quill Town"]
        assert where(client, property="langs", equals="de").json()["count"] == 2
