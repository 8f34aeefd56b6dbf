"""Tables of records in JSON: arrays, lines, lists within an object, and objects by name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from faults import fails
from table_files import Reading, one_file

from graphbrick.core.errors import InputError
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.readers import ReadOptions, read_source
from graphbrick.graphs.records.records import BadRecords, EntityRecord

ANN = {"id": 1, "name": "Ann", "age": 31, "home": {"city": "Kiel"}, "tags": ["a", "b"]}
BO = {"id": 2, "name": "Bo", "boss_id": None, "tags": [1, "x", None]}
PEOPLE = [ANN, BO]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("people.json", json.dumps(PEOPLE)),
        ("people.json", json.dumps(PEOPLE, indent=1)),
        ("people.jsonl", "\n".join(map(json.dumps, PEOPLE))),
        ("people.json", "\n".join(map(json.dumps, PEOPLE))),
        ("people.json", json.dumps({"results": PEOPLE})),
        ("people.json", json.dumps({"page": {"data": PEOPLE}})),
        ("all.json", json.dumps({"people": PEOPLE})),
        ("all.json", json.dumps({"people": [{"id": 1, "properties": ANN}, BO]})),
    ],
)
def test_records_are_rows_of_a_table(tmp_path: Path, name: str, text: str) -> None:
    read = Reading(one_file(tmp_path, name, text))
    if "properties" not in text:
        home = {"age": 31, "home": '{"city": "Kiel"}', "tags": ("a", "b")}
        assert read.records[0] == EntityRecord("Person/1", "Ann", types=("Person",), properties=home)
    assert read.records[1] == EntityRecord("Person/2", "Bo", types=("Person",), properties={"tags": ("1", "x")})
    assert read.left_out.counts["nested values, kept as JSON texts"] == 1
    assert read.left_out.counts["lists of values of several kinds, kept as texts"] == 1
    assert read.left_out.counts["elements of lists without a value (null or an empty text)"] == 1
    assert read.left_out.counts["columns without values"] == 1


def test_lists_of_an_object_refer_to_each_other(tmp_path: Path) -> None:
    tables = {"version": 3, "cities": [{"id": 5, "name": "Kiel"}], "people": [{"id": 1, "name": "Ann", "city_id": 5}]}
    file = one_file(tmp_path, "all.json", json.dumps(tables))
    read = Reading(file)
    assert read.told == [
        "cities of all.json: class City, key id, name name",
        "people of all.json: class Person, key id, name name, city is City (city_id)",
    ]
    assert read.edges == [("Person/1", "city", "City/5")]
    assert read.left_out.examples["parts of all.json beside its lists of records"] == ["version"]
    assert build(file, tmp_path / "all.graph").n_triples == 1


def test_records_by_name(tmp_path: Path) -> None:
    countries = {"FR": {"name": "France", "people": 67}, "ES": {"name": "Spain"}}
    read = Reading(one_file(tmp_path, "countries.json", json.dumps(countries)))
    assert [(record.key, record.label) for record in read.nodes] == [("Country/FR", "France"), ("Country/ES", "Spain")]


def test_features_of_a_map_have_the_fields_of_their_properties(tmp_path: Path) -> None:
    feature = {"type": "Feature", "properties": {"name": "Rio"}, "geometry": {"coordinates": [1, 2]}}
    text = json.dumps({"type": "FeatureCollection", "features": [feature]})
    read = Reading(one_file(tmp_path, "rivers.geojson.json", text))
    assert [record.label for record in read.nodes] == ["Rio"]
    assert read.properties == [{"type": "Feature", "geometry": '{"coordinates": [1, 2]}'}]


@pytest.mark.parametrize(
    "value",
    [
        [*PEOPLE, {"source": 1, "target": 2}],
        {"nodes": [{"id": "a"}], "edges": [["a", "b"]]},
        {"graph": {"nodes": {"a": {}, "b": {}}, "edges": [{"source": "a", "target": "b"}]}},
        [{"type": "node", "id": "a"}, {"type": "relationship", "start": {"id": "a"}, "end": {"id": "b"}}],
        [["a", "r", "b"]],
    ],
)
def test_an_edge_anywhere_makes_a_graph(tmp_path: Path, value: object) -> None:
    read = Reading(one_file(tmp_path, "kb.json", json.dumps(value)))
    assert len(read.edges) == 1
    assert not any(record.types for record in read.nodes)


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("people.json", '{"people": [{"id": 1, "name": "Ann"}, 7]}', "related.no_record"),
        ("people.jsonl", '{"id": 1, "name": "Ann"}\n{"id": 2\n', "related.bad_json_line"),
    ],
)
def test_what_is_no_record_is_a_bad_one(tmp_path: Path, name: str, text: str, code: str) -> None:
    file = one_file(tmp_path, name, text)
    with fails(code, InputError):
        Reading(file)
    read = Reading(file, skip=True)
    assert (len(read.nodes), read.bad.count) == (1, 1)


def test_lone_nodes_that_are_added_to_a_graph_keep_their_keys(tmp_path: Path) -> None:
    file = one_file(tmp_path, "more.jsonl", '{"id": "n1", "name": "Ann"}\n')
    records = read_source(file, nodes=None, options=ReadOptions(), bad=BadRecords(), json_nodes=True)
    assert list(records) == [EntityRecord("n1", "Ann")]
