"""JSON lines: triples, nodes and edges, and what Neo4j's APOC exports."""

from __future__ import annotations

import datetime
import gzip
from pathlib import Path

import pytest
from faults import fails
from graph_files import ENDS, read_file

from graphbrick import EntityRecord
from graphbrick.core.errors import InputError

APOC = """\
{"type":"node","id":"0","labels":["User","Person"],"properties":{"name":"Ann","born":"1990-02-03","kids":["a","b"],"id":7}}
{"type":"node","id":"1","labels":["User"],"properties":{"name":"Bo","place":{"latitude":1.0}}}
{"id":"5","type":"relationship","label":"KNOWS","properties":{"since":1999},"start":{"id":"0","labels":["User"]},"end":{"id":"1","labels":["User"]}}
{"id":"6","type":"relationship","label":"KNOWS","properties":{"since":2020},"start":{"id":"0","labels":["User"]},"end":{"id":"1","labels":["User"]}}
"""


def test_an_export_of_apoc(tmp_path: Path) -> None:
    read = read_file(tmp_path / "all.jsonl", APOC)
    ann = {"born": datetime.date(1990, 2, 3), "kids": ("a", "b"), "id": 7}
    first = read_file(tmp_path / "nodes.jsonl", "".join(APOC.splitlines(keepends=True)[:2])).nodes
    assert first == {
        "0": EntityRecord("0", "Ann", types=("User", "Person"), properties=ann),
        "1": EntityRecord("1", "Bo", types=("User",), properties={"place": '{"latitude": 1.0}'}),
    }
    assert read.edges == [("0", "KNOWS", "1", {"since": 1999}), ("0", "KNOWS", "1", {"since": 2020})]
    assert read.left_out == {"nested values, kept as JSON texts": 1, "ids of edges": 2}
    assert read_file(tmp_path / "all.json", APOC) == read


def test_triples_nodes_and_edges(tmp_path: Path) -> None:
    lines = [
        '["a", "r", "b"]',
        "",
        '{"head": "a", "relation": "r", "tail": "c", "since": 1999, "where": "Kiel"}',
        '{"subject": "a", "predicate": "p", "object": "b"}',
        '{"id": "a", "name": "Ann", "kind": "Person", "age": 31}',
        '{"name": "Bo", "start": 1990, "end": 2000}',
        '{"type": "edge", "start": "a", "end": "Bo", "label": "knows"}',
    ]
    read = read_file(tmp_path / "x.ndjson.gz", gzip.compress("\r\n".join(lines).encode()))
    assert read.nodes == {
        "a": EntityRecord("a", "Ann", types=("Person",), properties={"age": 31}),
        "Bo": EntityRecord("Bo", "Bo", properties={"start": 1990, "end": 2000}),
    }
    assert read.edges == [
        ("a", "r", "b", {}),
        ("a", "r", "c", {"since": 1999, "where": "Kiel"}),
        ("a", "p", "b", {}),
        ("a", "knows", "Bo", {}),
    ]
    assert read.left_out == {ENDS: 2}


def test_entities_and_relations_of_a_memory_of_agents(tmp_path: Path) -> None:
    lines = (
        '{"type":"entity","name":"Ann","entityType":"person","observations":["likes tea","is 31"]}\n'
        '{"type":"relation","from":"Ann","to":"Acme","relationType":"works at"}\n'
    )
    read = read_file(tmp_path / "memory.jsonl", lines)
    observed = {"observations": ("likes tea", "is 31")}
    assert read.nodes == {"Ann": EntityRecord("Ann", "Ann", types=("person",), properties=observed)}
    assert read.edges == [("Ann", "works at", "Acme", {})]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ('{"id": "a"', "json.bad_line"),
        ("[" * 100_000, "json.bad_line"),
        ('["a", "r"]', "json.not_a_triple"),
        ('{"type": "node", "age": 3}', "json.no_id"),
        ('{"source": "a", "target": ""}', "json.no_end"),
        ("7", "json.not_an_element"),
        ('{"@id": "http://e/x"}', "json.is_json_ld"),
    ],
)
def test_a_fault_has_a_code(tmp_path: Path, line: str, code: str) -> None:
    with fails(code, InputError):
        read_file(tmp_path / "x.jsonl", line + "\n")
    if code != "json.is_json_ld":
        read = read_file(tmp_path / "x.jsonl", f'["a", "r", "b"]\n{line}\n["b", "r", "c"]', skip=True)
        assert (len(read.edges), read.bad) == (2, [code])
