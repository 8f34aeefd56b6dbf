"""Browsing by type and value, and questions that speak of earlier ones."""

from __future__ import annotations

import pytest
from served import serving
from starlette.testclient import TestClient

from graphbrick.graphs.build.builder import build
from graphbrick.graphs.records.records import EdgeRecord, EntityRecord

CUPS = [
    EntityRecord(f"c{i}", f"Cup {i}", (), ("Cup",), "", {"colour": "red" if i < 3 else "blue", "code": f"x{i}"})
    for i in range(5)
]
SHOP = [
    *CUPS,
    EntityRecord("ada", "Ada", (), ("Person",), "", {}),
    EdgeRecord("ada", "bought", "c4"),
    EdgeRecord("ada", "likes", "c4"),
    EdgeRecord("ada", "bought", "c3"),
]


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    place = build(SHOP, tmp_path_factory.mktemp("shop") / "shop.graph").path
    with serving(graphs={"shop": str(place)}, recipes={}) as client:
        yield client


def labels(client: TestClient, **query: object) -> list[str]:
    return [one["label"] for one in client.get("/v1/entities/browse", params=query).json()["entities"]]


def test_entities_are_browsed_by_type_those_with_the_most_triples_first(shop):
    assert labels(shop, type="Cup") == ["Cup 4", "Cup 3", "Cup 0", "Cup 1", "Cup 2"]
    assert labels(shop)[0] == "Ada"
    assert labels(shop, type="Cup", n=2, offset=1) == ["Cup 3", "Cup 0"]
    first = shop.get("/v1/entities/browse", params={"type": "Cup", "n": 2}).json()
    assert (first["count"], first["next"]) == (5, 2)


def test_values_that_several_entities_share_are_counted_and_chosen(shop):
    values = shop.get("/v1/entities/browse", params={"type": "Cup"}).json()["values"]
    assert values == [{"property": "colour", "values": [{"value": "red", "count": 3}, {"value": "blue", "count": 2}]}]
    assert labels(shop, type="Cup", property="colour", value="blue") == ["Cup 4", "Cup 3"]
    assert labels(shop, type="Cup", property="colour", value="green") == []


def test_types_are_told_with_the_relations_between_them(shop):
    told = shop.get("/v1/graphs/shop/types").json()
    assert told["classes"] == [{"name": "Cup", "count": 5}, {"name": "Person", "count": 1}]
    assert [tuple(one.values()) for one in told["connections"]] == [
        ("Person", "bought", "Cup", 2),
        ("Person", "likes", "Cup", 1),
    ]
    assert (told["more"], told["untyped"]) == (0, 0)


def test_entities_without_a_type_are_counted_in_the_map_of_types(tmp_path):
    place = build([*SHOP, ("c4", "made of", "clay"), ("c3", "made of", "glass")], tmp_path / "more.graph").path
    with serving(graphs={"more": str(place)}, recipes={}) as client:
        assert client.get("/v1/graphs/more/types").json()["untyped"] == 2


def test_an_unknown_type_is_told_with_those_there_are(shop):
    reply = shop.get("/v1/entities/browse", params={"type": "Cups"})
    assert reply.status_code == 404
    assert "Cup" in reply.json()["error"]["message"]


def test_a_follow_up_is_completed_and_another_question_stays_as_it_is(client):
    def asked(last: str) -> dict:
        said = [("user", "What is the capital of Kenya?"), ("assistant", "Nairobi"), ("user", last)]
        body = {"messages": [{"role": role, "content": text} for role, text in said]}
        return client.post("/v1/follow-up", json=body).json()

    assert asked("and of Uganda?") == {"question": "What is the capital of Uganda?", "by": "rules", "seeds": []}
    assert asked("What is the currency of Uganda?")["by"] == ""
