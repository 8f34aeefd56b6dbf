"""What a source says and a graph does not keep is counted and named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from graphbrick.graphs.build.builder import build
from graphbrick.graphs.changes.compact import compact
from graphbrick.graphs.changes.delta import change
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.records import EdgeRecord, EntityRecord
from graphbrick.graphs.records.rules import Rules


def counts(not_kept: dict[str, dict[str, Any]]) -> dict[str, int]:
    return {what: row["count"] for what, row in not_kept.items()}


def test_what_another_row_of_an_entity_replaces(tmp_path: Path) -> None:
    rows = [
        EntityRecord("a", "Ann", description="one", properties={"age": 1, "city": "Bonn"}),
        EntityRecord("a", "Anna", description="two", properties={"age": 2, "city": "Bonn"}),
    ]
    graph = build([*rows, ("a", "r", "b")], tmp_path / "x.graph")
    assert graph.own_properties(graph.entity("a")) == {"age": 2, "city": "Bonn"}
    assert graph.manifest.not_kept == {
        "names of entities that another row replaces": {"count": 1, "examples": ["Ann"]},
        "descriptions of entities that have another one": {"count": 1, "examples": ["one"]},
        "values of properties that another row of the same entity replaces": {"count": 1, "examples": ["age: 1"]},
    }


def test_a_table_of_labels_brings_all_that_it_says_of_the_entities(tmp_path: Path) -> None:
    (tmp_path / "e.csv").write_text("source,type,target\na,r,b\n")
    (tmp_path / "l.csv").write_text("id,name,colour\na,Ann,red\nz,Zoe,blue\nr,knows,\n")
    graph = build(tmp_path / "e.csv", tmp_path / "x.graph", labels=tmp_path / "l.csv")
    assert (graph.label(0), graph.own_properties(0)) == ("Ann", {"colour": "red"})
    assert graph.relation_label(0) == "knows"
    what = "names, types and other facts about keys that the graph does not have"
    assert graph.manifest.not_kept == {what: {"count": 2, "examples": ["z"]}}


def test_properties_of_triples_that_state_labels(tmp_path: Path) -> None:
    records = [EdgeRecord("a", "called", "Ann", {"since": 1, "by": "Bo"}), ("a", "r", "b")]
    graph = build(records, tmp_path / "x.graph", rules=Rules(label_relations=("called",)))
    assert counts(graph.manifest.not_kept) == {"values of properties of triples that state labels": 2}


def test_a_change_tells_what_it_does_not_read_and_compaction_keeps_what_is_known(tmp_path: Path) -> None:
    (tmp_path / "e.csv").write_text("source,type,target,:IGNORE\na,r,b,x\n")
    (tmp_path / "more.csv").write_text("source,type,target,:IGNORE\na,r,c,x\n")
    built = build(tmp_path / "e.csv", tmp_path / "x.graph").manifest.not_kept
    assert built
    done = change(tmp_path / "x.graph", add=tmp_path / "more.csv")
    assert [what.replace("more.csv", "e.csv") for what in done.left_out.counts] == list(built)
    assert done.to_dict()["not_kept"] == done.left_out.to_dict()
    assert compact(tmp_path / "x.graph").manifest.not_kept == built
    assert Graph.open(tmp_path / "x.graph").n_triples == 2
