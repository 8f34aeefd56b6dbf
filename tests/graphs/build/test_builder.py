from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from built_graphs import TRIPLES, built, content
from faults import fails

from graphbrick.core.errors import InputError
from graphbrick.graphs.build import builder as builder_module
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.records import BadRecords, EntityRecord, Record, RelationRecord

# What is stored


def test_duplicates_are_stored_once_and_counted(tmp_path: Path) -> None:
    graph = built(tmp_path, ("a", "r", "b"), ("b", "r", "a"), ("a", "r", "b"), ("a", "r", "b"))
    assert sorted(graph.key_triples()) == [("a", "r", "b"), ("b", "r", "a")]
    manifest = graph.manifest
    assert (manifest.triples, manifest.triples_read, manifest.duplicates, manifest.skipped) == (2, 4, 2, 0)


def test_duplicates_are_found_across_flushes_of_the_buffer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builder_module, "_SPOOL", 7)
    records = [(f"n{i % 5}", "r", f"n{i % 3}") for i in range(100)]
    graph = built(tmp_path, *records)
    assert sorted(graph.key_triples()) == sorted(set(records))
    assert graph.manifest.duplicates == 100 - len(set(records))


def test_parallel_relations_are_all_kept(tmp_path: Path) -> None:
    records = [("a", "r", "b"), ("a", "s", "b"), ("a", "t", "b"), ("b", "r", "a")]
    graph = built(tmp_path, *records)
    assert sorted(graph.key_triples()) == sorted(records)
    assert len(graph.triples_from(graph.entity("a"))) == 3


def test_self_loops_are_kept(tmp_path: Path) -> None:
    graph = built(tmp_path, ("a", "r", "a"), ("a", "s", "a"), ("a", "r", "b"))
    assert sorted(graph.key_triples()) == [("a", "r", "a"), ("a", "r", "b"), ("a", "s", "a")]
    assert graph.degree(graph.entity("a")) == 5


def test_triple_ids_are_in_order_of_head_tail_relation(tmp_path: Path) -> None:
    graph = built(tmp_path, ("b", "s", "a"), ("b", "r", "a"), ("a", "r", "c"), ("b", "r", "b"))
    ids = [graph.triple(t) for t in range(graph.n_triples)]
    assert ids == sorted(ids, key=lambda triple: (triple[0], triple[2], triple[1]))
    assert [graph.key(i) for i in range(graph.n_entities)] == ["b", "a", "c"]  # in order of first appearance


def test_one_label_two_entities(tmp_path: Path) -> None:
    graph = built(tmp_path, EntityRecord("Q1", "Paris"), EntityRecord("Q2", "Paris"), ("Q1", "near", "Q2"))
    first, second = graph.entity("Q1"), graph.entity("Q2")
    assert first != second
    assert graph.label(first) == graph.label(second) == "Paris"
    assert graph.named("paris") == sorted([first, second])


def test_entity_records_add_up(tmp_path: Path) -> None:
    graph = built(
        tmp_path,
        EntityRecord("a", "First", aliases=("x", "y"), types=("T",), description="old"),
        ("a", "r", "b"),
        EntityRecord("a", "Second", aliases=("y", "z"), types=("U", "T")),
        EntityRecord("a", description="new"),
        EntityRecord("a"),
    )
    entity = graph.entity("a")
    assert graph.label(entity) == "Second"
    assert graph.aliases(entity) == ["x", "y", "z"]
    assert graph.types(entity) == ["T", "U"]
    assert graph.description(entity) == "new"
    assert graph.n_entities == 2


def test_an_alias_equal_to_the_label_is_not_stored(tmp_path: Path) -> None:
    graph = built(tmp_path, EntityRecord("a", "Paris", aliases=("Paris", "paris")), ("a", "r", "b"))
    assert graph.aliases(graph.entity("a")) == ["paris"]


def test_keys_are_the_labels_where_nothing_else_is_given(tmp_path: Path) -> None:
    graph = built(tmp_path, *TRIPLES)
    assert not graph.has_keys
    assert "keys.zst" not in content(graph.path)
    assert [graph.key(i) for i in range(3)] == [graph.label(i) for i in range(3)] == ["a", "b", "c"]


def test_an_isolated_entity_is_kept(tmp_path: Path) -> None:
    graph = built(tmp_path, EntityRecord("lonely", "Lonely"), *TRIPLES)
    entity = graph.entity("lonely")
    assert entity == graph.n_entities - 1  # after those of the triples
    assert (graph.degree(entity), list(graph.triples_from(entity)), graph.triples_to(entity)) == (0, [], [])
    assert graph.named("Lonely") == [entity]


def test_only_a_record_that_may_be_about_a_relation_makes_no_entity_of_its_key(tmp_path: Path) -> None:
    stated, role = EntityRecord("r", "a relation", may_be_relation=True), EntityRecord("q", "a role", types=("role",))
    graph = built(tmp_path, stated, role, EntityRecord("s", "both"), *TRIPLES, ("s", "r", "a"), ("s", "q", "a"))
    assert [graph.key(i) for i in range(graph.n_entities)] == ["a", "b", "c", "s", "q"]
    assert [(graph.label(i), graph.types(i)) for i in (3, 4)] == [("both", []), ("a role", ["role"])]


def test_relation_labels(tmp_path: Path) -> None:
    graph = built(tmp_path, RelationRecord("s", "the label"), RelationRecord("unused", "never"), *TRIPLES)
    labels = {graph.relation_key(i): graph.relation_label(i) for i in range(graph.n_relations)}
    assert labels == {"r": "r", "s": "the label"}


def test_progress_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builder_module, "_PROGRESS", 2)
    seen: list[tuple[str, float]] = []
    build(
        [(f"n{i}", "r", "n") for i in range(5)],
        tmp_path / "g.graph",
        progress=lambda step, done, total: seen.append((step, done)),
    )
    assert seen[:2] == [("reading", 2), ("reading", 4)]


# Bad records


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        (("a", "b"), "record.not_a_triple"),
        (("a", "b", "c", "d"), "record.not_a_triple"),
        ((), "record.not_a_triple"),
        ("abc", "record.not_a_triple"),
        (None, "record.not_a_triple"),
        (7, "record.not_a_triple"),
        ({"a", "b", "c"}, "record.not_a_triple"),
        (b"abc", "record.empty_text"),
        (("a", 1, "b"), "record.empty_text"),
        (("a", None, "b"), "record.empty_text"),
        (("a", "", "b"), "record.empty_text"),
        (("a", "r", " \t"), "record.empty_text"),
    ],
)
def test_a_triple_of_wrong_shape_is_named_by_its_number(tmp_path: Path, bad: Any, code: str) -> None:
    with fails(code, InputError, line=3) as caught:
        built(tmp_path, ("a", "r", "b"), ("b", "r", "c"), bad)
    assert str(caught.value).startswith("record 3: ")
    assert repr(bad)[:20] in str(caught.value)
    assert content(tmp_path) == []


@pytest.mark.parametrize("records", [[], [EntityRecord("a", "A")], [RelationRecord("r", "R")]])
def test_nothing_usable(tmp_path: Path, records: list[Record]) -> None:
    with fails("build.no_triple", InputError, skipped=0, left_out=0):
        build(records, tmp_path / "g.graph")
    assert content(tmp_path) == []


def test_nothing_but_skipped_records(tmp_path: Path) -> None:
    with fails("build.no_triple", InputError, skipped=2):
        build([("a",), ("b",)], tmp_path / "g.graph", skip_bad=True)  # type: ignore[list-item]
    assert content(tmp_path) == []


def test_skipped_records_are_counted_and_listed(tmp_path: Path) -> None:
    bad: list[Any] = [("a",), ("x", "", "\udce9\u20ac\n")]
    graph = built(tmp_path, TRIPLES[0], bad[0], TRIPLES[1], bad[1], skip_bad=True)
    assert graph.n_triples == 2
    assert graph.manifest.skipped == 2
    rows = [json.loads(line) for line in (graph.path / "skipped.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["line"] for row in rows] == [2, 4]
    assert [row["text"] for row in rows] == [repr(record) for record in bad]
    assert all(row["reason"] and row["file"] == "" for row in rows)
    graph.check()


def test_skipped_lines_of_a_file_are_listed_with_file_and_line(tmp_path: Path) -> None:
    source = tmp_path / "kb.tsv"
    source.write_text("a\tr\tb\nbroken\nb\tr\tc\n")
    graph = build(source, tmp_path / "g.graph", skip_bad=True)
    (row,) = (json.loads(line) for line in (graph.path / "skipped.jsonl").read_text().splitlines())
    assert (row["file"], row["line"], row["text"]) == (str(source), 2, "broken")
    with fails("reader.wrong_width", InputError, line=2):
        build(source, tmp_path / "strict.graph")
    assert not (tmp_path / "strict.graph").exists()


def test_no_list_without_skipped_records(tmp_path: Path) -> None:
    assert "skipped.jsonl" not in content(built(tmp_path, *TRIPLES, skip_bad=True).path)


def test_at_most_so_many_skipped_records_are_kept_but_all_are_counted() -> None:
    bad = BadRecords(skip=True, keep=2)
    for number in range(5):
        bad.add(InputError("bad", line=number))
    assert (bad.count, [error.line for error in bad.errors]) == (5, [0, 1])


# The target


def test_what_is_not_the_graph_is_never_deleted(tmp_path: Path) -> None:
    web = tmp_path / "web"
    web.mkdir()
    (web / "manifest.json").write_text('{"name": "app"}')
    with fails("place.other_contents", path=web):
        build(TRIPLES, web, overwrite=True)
    graph = built(tmp_path, *TRIPLES)
    (graph.path / "notes.txt").write_text("precious")
    with fails("place.other_files", file="notes.txt"):
        build(TRIPLES, graph.path, overwrite=True)
    assert (graph.path / "notes.txt").read_text() == "precious"


@pytest.mark.parametrize(
    "fields",
    [
        {"key": ""},
        {"types": "country"},
        {"types": (None,)},
        {"aliases": "b"},
        {"aliases": None},
        {"aliases": iter("bc")},
        {"label": 5},
        {"description": b"about"},
    ],
)
def test_records_that_are_no_records(tmp_path: Path, fields: dict[str, Any]) -> None:
    record = EntityRecord(**{"key": "a", **fields})
    with fails("record.bad_fact", InputError, line=1):
        build([record, ("a", "r", "b")], tmp_path / "x.graph")
    graph = build([record, ("a", "r", "b")], tmp_path / "x.graph", skip_bad=True)
    assert (graph.manifest.skipped, graph.label(0)) == (1, "a")


def test_records_that_are_for_something_else(tmp_path: Path) -> None:
    with fails("record.bad_fact", InputError, line=1):
        build([RelationRecord("r", 3), ("a", "r", "b")], tmp_path / "x.graph")  # type: ignore[arg-type]
    with fails("build.options_for_files", InputError):
        build(TRIPLES, tmp_path / "x.graph", nodes="nodes.tsv")


def test_a_graph_is_replaced_only_when_asked(tmp_path: Path) -> None:
    before = built(tmp_path, *TRIPLES)
    with fails("place.taken", path=before.path):
        built(tmp_path, ("x", "r", "y"))
    assert Graph.open(before.path).hash == before.hash
    after = built(tmp_path, ("x", "r", "y"), overwrite=True)
    assert list(after.key_triples()) == [("x", "r", "y")]
    assert content(tmp_path) == ["g.graph"]


@pytest.mark.parametrize("overwrite", [False, True])
def test_what_is_no_graph_is_never_replaced(tmp_path: Path, overwrite: bool) -> None:
    folder, file = tmp_path / "folder", tmp_path / "file"
    folder.mkdir()
    (folder / "letters.txt").write_text("dear")
    file.write_text("diary")
    for target in (folder, file):
        with fails("place.other_contents", path=target):
            build(TRIPLES, target, overwrite=overwrite)
    assert (folder / "letters.txt").read_text() == "dear"
    assert file.read_text() == "diary"
    assert content(tmp_path) == ["file", "folder"]


def test_an_empty_folder_may_become_a_graph(tmp_path: Path) -> None:
    (tmp_path / "g.graph").mkdir()
    assert built(tmp_path, *TRIPLES).n_triples == 3
    assert content(tmp_path) == ["g.graph"]


@pytest.mark.parametrize("is_graph", [True, False])
def test_what_appears_at_the_target_meanwhile_is_not_replaced(tmp_path: Path, is_graph: bool) -> None:
    target, other = tmp_path / "g.graph", tmp_path / "other.graph"
    build([("x", "r", "y")], other)

    def records() -> Iterator[Record]:
        yield from TRIPLES
        if is_graph:
            other.rename(target)
        else:
            target.write_text("diary")

    with fails("place.taken" if is_graph else "place.other_contents"):
        build(records(), target)
    if is_graph:
        assert list(Graph.open(target).key_triples()) == [("x", "r", "y")]
    else:
        assert target.read_text() == "diary"
    assert not [name for name in content(tmp_path) if name.startswith(".")]


def test_missing_parents_are_made(tmp_path: Path) -> None:
    assert build(TRIPLES, tmp_path / "a" / "b" / "g.graph").n_triples == 3


def test_a_parent_that_is_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("diary")
    with fails("build.place_not_writable"):
        build(TRIPLES, tmp_path / "file" / "g.graph")


def test_a_parent_that_is_not_writable_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # By hand, as permissions do not hold for root.
    def refuse(self: Path, *args: Any, **options: Any) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "mkdir", refuse)
    with fails("build.place_not_writable", reason="Permission denied"):
        build(TRIPLES, tmp_path / "g.graph")


@pytest.mark.posix
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="permissions do not hold for root")
def test_a_read_only_parent_is_told(tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    try:
        with fails("build.place_not_writable"):
            build(TRIPLES, tmp_path / "g.graph")
    finally:
        tmp_path.chmod(0o755)


def everything(graph: Graph) -> dict[str, Any]:
    entities = range(graph.n_entities)
    return {
        "triples": list(graph.key_triples()),
        "labels": [graph.label(e) for e in entities],
        "aliases": [graph.aliases(e) for e in entities],
        "types": [graph.types(e) for e in entities],
        "descriptions": [graph.description(e) for e in entities],
        "found": [graph.entity(graph.key(e)) for e in entities],
        "named": [graph.named(graph.label(e)) for e in entities],
        "near": [graph.names.near(graph.label(e) + "x", 3) for e in entities],
    }


def test_an_open_graph_stays_whole_when_it_is_overwritten(tmp_path: Path) -> None:
    old = built(
        tmp_path,
        EntityRecord("a", "Alpha", aliases=("first",), types=("letter",), description="the first"),
        EntityRecord("b", "Beta", aliases=("second",), types=("letter", "other")),
        *TRIPLES,
    )
    untouched = Graph.open(old.path)
    expected = everything(old)
    new = built(
        tmp_path,
        EntityRecord("z", "Zeta", aliases=("last", "end"), types=("sign",), description="the last"),
        *((f"n{i}", "q", "z") for i in range(50)),
        overwrite=True,
    )
    assert everything(untouched) == everything(old) == expected
    assert Graph.open(new.path).hash == new.hash != old.hash
    assert content(tmp_path) == ["g.graph"]


# The hash


def test_the_same_source_gives_the_same_hash(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    graphs = []
    for folder in (tmp_path / "one", tmp_path / "two"):
        source = folder / f"{folder.name}.tsv"
        source.write_text("a\tr\tb\nbroken\nb\tr\tc\n")
        graphs.append(build(source, folder / f"{folder.name}.graph", skip_bad=True))
    assert graphs[0].hash == graphs[1].hash == build([("a", "r", "b"), ("b", "r", "c")], tmp_path / "p.graph").hash
    assert len(graphs[0].hash) == 16


@pytest.mark.parametrize(
    "records",
    [
        [*TRIPLES, ("a", "r", "d")],
        [("a", "r", "b"), ("b", "r", "c"), ("c", "t", "a")],
        [EntityRecord("a", "A"), *TRIPLES],
        [EntityRecord("a", aliases=("A",)), *TRIPLES],
        [EntityRecord("a", types=("A",)), *TRIPLES],
        [EntityRecord("a", description="A"), *TRIPLES],
        [RelationRecord("r", "R"), *TRIPLES],
    ],
)
def test_another_content_gives_another_hash(tmp_path: Path, records: list[Record]) -> None:
    assert build(records, tmp_path / "a.graph").hash != build(TRIPLES, tmp_path / "b.graph").hash


@pytest.mark.posix
def test_a_source_whose_name_is_no_text(tmp_path: Path) -> None:
    source = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.tsv"))
    try:
        source.write_text("a\tr\tb\n", encoding="utf-8")
    except OSError:
        pytest.skip("this file system has names in UTF-8 only")
    graph = build(source, tmp_path / "g.graph")
    assert graph.manifest.source == str(source)
