"""Adding and deleting: what it reports, what it refuses, what it leaves on disk."""

from __future__ import annotations

import errno
import gzip
import json
import os
import shutil
import stat
from pathlib import Path

import numpy as np
import pytest
from faults import fails

from graphbrick.core import Subgraph
from graphbrick.core.errors import GraphFormatError, InputError, LinkError
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.changes.compact import compact
from graphbrick.graphs.changes.delta import change
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.records import EntityRecord, Record, RelationRecord
from graphbrick.graphs.store.names import NameIndex
from graphbrick.graphs.store.overlay import delta_files
from graphbrick.graphs.store.overlay.delta_files import Delta, Facts
from graphbrick.graphs.types import entities_by_type
from graphbrick.models.indexes.embed_graph import _texts

RECORDS: list[Record] = [
    EntityRecord("Q1", "Paris", ("City of Light",), ("city",), "capital of France"),
    EntityRecord("Q2", "Paris", types=("city",)),
    EntityRecord("Q3", "France"),
    RelationRecord("P17", "country"),
    ("Q1", "P17", "Q3"),
    ("Q2", "P17", "Q4"),
    ("Q3", "P36", "Q1"),
]


@pytest.fixture
def graph(tmp_path: Path) -> Graph:
    return build(RECORDS, tmp_path / "places.graph")


def held(graph: Graph) -> list[tuple[str, str, str]]:
    return sorted(graph.key_triples())


# What a change does


def test_counts(graph: Graph) -> None:
    done = change(
        graph.path,
        add=[("Q1", "P17", "Q3"), ("Q5", "P17", "Q3"), ("Q5", "P17", "Q3"), EntityRecord("Q1", "Lutetia")],
        delete=[("Q3", "P36", "Q1")],
    )
    assert (done.added, done.known, done.deleted, done.missing) == (1, 2, 1, ())
    assert (done.entities, done.described, done.bad.count) == (1, 1, 0)
    assert held(done.graph) == [("Q1", "P17", "Q3"), ("Q2", "P17", "Q4"), ("Q5", "P17", "Q3")]
    assert repr(done.graph) == "Graph('places.graph', entities=5, relations=2, triples=3)"


def test_who_has_the_graph_open_keeps_it(graph: Graph) -> None:
    before = held(graph)
    after = change(graph.path, add=[("Q5", "P17", "Q3")], delete=[("Q1", "P17", "Q3")]).graph
    assert held(graph) == before
    assert graph.n_entities == 4
    with pytest.raises(LinkError):
        graph.entity("Q5")
    assert held(after) == held(Graph.open(graph.path)) != before


def test_new_entities_and_relations_have_ids_behind_the_others(graph: Graph) -> None:
    after = change(graph.path, add=[("Q5", "P0", "Q6"), ("Q6", "P0", "Q1")]).graph
    assert [after.entity(key) for key in ("Q5", "Q6")] == [4, 5]
    assert [after.label(entity) for entity in (4, 5)] == ["Q5", "Q6"]
    assert after.relation_key(2) == after.relation_label(2) == "P0"
    assert (after.types(4), after.aliases(5), after.description(4), after.first_type(5)) == ([], [], "", "")
    assert after.describe(4) == "Q5 [Q5]"


def test_facts_add_up_and_are_found(graph: Graph) -> None:
    change(graph.path, add=[EntityRecord("Q1", aliases=("Paname",), types=("capital", "city"))])
    after = change(graph.path, add=[EntityRecord("Q1", "Ville Lumière"), EntityRecord("Q9", "Atlantis")]).graph
    paris = after.entity("Q1")
    assert (after.label(paris), after.aliases(paris)) == ("Ville Lumière", ["City of Light", "Paname"])
    assert (after.types(paris), after.description(paris)) == (["city", "capital"], "capital of France")
    assert after.named("ville lumiere") == after.named("paname") == after.named("City of light!") == [paris]
    assert after.named("Paris") == [after.entity("Q2")]
    assert after.degree(after.entity("Q9")) == 0
    found = [(match.entity, match.name) for match in after.names.near("Atlantiss", 3)]
    assert found[0] == (after.entity("Q9"), "Atlantis")
    assert (paris, "Paris") not in [(match.entity, match.name) for match in after.names.near("Pariss", 10)]
    names = after.names.exact("paname")
    assert [(after.names.name(name), after.names.entity(name)) for name in names] == [("Paname", paris)]
    label = after.names.exact("ville lumiere")
    assert label == [paris]  # a label's name is numbered as its entity


def test_a_graph_without_keys_gets_them(tmp_path: Path) -> None:
    graph = build([("Kenya", "capital", "Nairobi")], tmp_path / "kenya.graph")
    assert not change(graph.path, add=[("Kenya", "borders", "Uganda")]).graph.has_keys
    after = change(graph.path, add=[EntityRecord("Kenya", "Republic of Kenya")]).graph
    assert after.has_keys
    assert after.describe(after.entity("Kenya")) == "Republic of Kenya [Kenya]"
    assert after.key(after.entity("Nairobi")) == "Nairobi"


def test_an_entity_outlives_its_triples(graph: Graph) -> None:
    after = change(graph.path, delete=[record for record in RECORDS if isinstance(record, tuple)]).graph
    assert (after.n_entities, after.n_triples, held(after)) == (4, 0, [])
    assert Subgraph(after).listed().triple_texts() == Subgraph(after).triple_texts() == []
    with fails("compact.no_triple"):
        compact(graph.path)
    assert held(change(graph.path, add=[("Q1", "P17", "Q3")]).graph) == [("Q1", "P17", "Q3")]


def test_what_is_deleted_and_added_at_once_stays(graph: Graph) -> None:
    done = change(graph.path, add=[("Q1", "P17", "Q3")], delete=[("Q1", "P17", "Q3")])
    assert (done.added, done.deleted, done.graph.n_triples) == (0, 0, 3)
    assert not done.graph.changes.files


def test_a_change_that_changes_nothing_leaves_nothing(graph: Graph) -> None:
    before = sorted(graph.path.iterdir())
    done = change(graph.path, add=[("Q1", "P17", "Q3"), EntityRecord("Q1", "Paris", types=("city",))])
    assert (done.added, done.known, done.described, done.graph.hash) == (0, 1, 0, graph.hash)
    assert sorted(graph.path.iterdir()) == before


def test_the_hash_tells_every_state(graph: Graph) -> None:
    hashes = [graph.hash]
    hashes.append(change(graph.path, add=[("x", "r", "y")]).graph.hash)
    hashes.append(change(graph.path, delete=[("x", "r", "y")]).graph.hash)
    hashes.append(change(graph.path, add=[EntityRecord("x", "X")]).graph.hash)
    assert len(set(hashes)) == 4
    assert Graph.open(graph.path).hash == hashes[-1]


def test_what_only_describes_a_relation_is_no_entity(graph: Graph) -> None:
    stated = EntityRecord("P17", "land", may_be_relation=True)
    done = change(graph.path, add=[stated, RelationRecord("P17", "land"), RelationRecord("P99", "?")])
    assert (done.entities, done.graph.n_entities, done.graph.n_relations) == (0, 4, 2)
    assert done.graph.relation_label(0) == "land"


def test_an_entity_with_the_key_of_a_relation_is_added_and_outlives_compacting(graph: Graph) -> None:
    done = change(graph.path, add=[EntityRecord("P17", "a role", types=("role",))])
    assert (done.entities, done.graph.n_entities, done.graph.n_relations) == (1, 5, 2)
    after = compact(graph.path)
    assert (after.label(after.entity("P17")), after.types(after.entity("P17"))) == ("a role", ["role"])


def test_pieces_of_a_changed_graph_can_be_embedded(graph: Graph) -> None:
    after = change(graph.path, add=[("Q5", "P17", "Q3"), ("Q1", "P36", "Q5")], delete=[("Q2", "P17", "Q4")]).graph
    texts = [text for text in _texts(after, triples=True) if "->" in text]
    assert sorted(texts) == sorted(map(after.triple_text, after.triple_ids().tolist()))
    assert len(texts) == 4


def test_many_new_entities_join_the_entities_of_their_type_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = build([("a", "r", "b"), EntityRecord("a", types=("t",))], tmp_path / "g.graph")
    new = [EntityRecord(f"new {i}", types=("t", "u")) for i in range(50)]
    changed = change(graph.path, add=[EntityRecord("b", types=("u",)), *new]).graph
    copies, append = [], np.append
    monkeypatch.setattr(np, "append", lambda *parts: copies.append(1) or append(*parts))
    found = {name: entities.tolist() for name, entities in entities_by_type(changed).items()}
    ids = [changed.entity(record.key) for record in new]
    assert found == {"t": [changed.entity("a"), *ids], "u": [changed.entity("b"), *ids]}
    assert len(copies) == 2  # one copy for each type, however many entities are new


def test_advice_to_compact(graph: Graph) -> None:
    assert not graph.changes.advise_compact(graph.manifest.triples)
    after = change(graph.path, add=[("x", "r", "y")]).graph
    assert after.changes.advise_compact(3)
    assert not after.changes.advise_compact(10)
    assert after.changes.advise_compact(9)


# From files


def test_the_same_readers_as_for_building(graph: Graph, tmp_path: Path) -> None:
    (tmp_path / "nodes.csv").write_text("id,label,types\nQ7,Lyon,city\n")
    (tmp_path / "edges.csv").write_text("head,relation,tail\nQ7,P17,Q3\n")
    edges = change(graph.path, add=tmp_path / "edges.csv", nodes=tmp_path / "nodes.csv").graph
    assert edges.describe(edges.entity("Q7")) == "Lyon [Q7], city"
    with gzip.open(tmp_path / "gone.txt.gz", "wt") as file:
        file.write("Q7|P17|Q3\nQ1|P17|Q3\n")
    done = change(graph.path, delete=tmp_path / "gone.txt.gz")
    assert (done.deleted, held(done.graph)) == (2, [("Q2", "P17", "Q4"), ("Q3", "P36", "Q1")])


def test_rdf_does_not_rename_what_has_a_name(tmp_path: Path) -> None:
    def ttl(name: str, text: str) -> Path:
        (tmp_path / name).write_text(f"@prefix ex: <http://ex.org/> . {text}")
        return tmp_path / name

    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    graph = build(ttl("a.ttl", f'ex:q1 {label} "Kenya" ; ex:p ex:q2 . ex:p {label} "has capital" .'), tmp_path / "g")
    after = change(
        graph.path, add=ttl("b.ttl", f'ex:q1 ex:p ex:q3 . ex:q2 {label} "Nairobi" . ex:q3 ex:r ex:q1 .')
    ).graph
    said = {after.label(entity) for entity in range(after.n_entities)}
    assert said == {"Kenya", "Nairobi", "q3"}
    assert [after.relation_label(relation) for relation in range(2)] == ["has capital", "r"]


def test_bad_records(graph: Graph, tmp_path: Path) -> None:
    (tmp_path / "more.txt").write_text("Q5|P17|Q3\nQ5|P17\n")
    with fails("reader.wrong_width", InputError, line=2):
        change(graph.path, add=tmp_path / "more.txt")
    assert Graph.open(graph.path).hash == graph.hash
    done = change(graph.path, add=tmp_path / "more.txt", skip_bad=True)
    assert (done.added, done.bad.count) == (1, 1)
    with fails("record.not_a_triple", InputError, line=1):
        change(graph.path, add=[("a", "b")])  # type: ignore[list-item]
    with fails("change.nodes_for_files", InputError):
        change(graph.path, add=[("a", "r", "b")], nodes=tmp_path / "more.txt")


def test_a_missing_triple_stops_the_change(graph: Graph) -> None:
    missing = [("Q1", "P17", "Q4"), ("Q1", "P99", "Q3"), ("nobody", "P17", "Q3")]
    with fails("change.missing_triples", triples=missing):
        change(graph.path, add=[("x", "r", "y")], delete=[("Q1", "P17", "Q3"), *missing])
    assert Graph.open(graph.path).hash == graph.hash
    done = change(graph.path, delete=[("Q1", "P17", "Q3"), *missing], ignore_missing=True)
    assert (done.deleted, list(done.missing)) == (1, missing)
    again = change(graph.path, delete=[("Q1", "P17", "Q3")], ignore_missing=True)
    assert again.missing == (("Q1", "P17", "Q3"),)


def test_no_graph(tmp_path: Path) -> None:
    with fails("graph.no_folder", GraphFormatError):
        change(tmp_path / "none.graph", add=[("a", "r", "b")])
    (tmp_path / "folder").mkdir()
    with fails("graph.no_manifest", GraphFormatError):
        compact(tmp_path / "folder")
    assert list((tmp_path / "folder").iterdir()) == []


# On disk


def files_of(graph: Graph) -> list[Path]:
    return delta_files.delta_files(graph.path)


@pytest.fixture
def changed(graph: Graph) -> Graph:
    change(graph.path, add=[("Q5", "P17", "Q3"), EntityRecord("Q5", "內罗毕\ud800")])
    return change(graph.path, delete=[("Q1", "P17", "Q3")]).graph


def test_the_files(changed: Graph) -> None:
    assert [file.name for file in files_of(changed)] == ["delta-000001.changes", "delta-000002.changes"]
    assert changed.label(changed.entity("Q5")) == "內罗毕\ud800"
    changed.check()


@pytest.mark.whole
def test_every_torn_or_changed_file_is_told(changed: Graph) -> None:
    for file in files_of(changed):
        data = file.read_bytes()
        for end in range(0, len(data), 7):
            file.write_bytes(data[:end])
            with fails("delta.damaged", GraphFormatError, file=file):
                Graph.open(changed.path)
        for at in range(0, len(data), 11):
            file.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
            with fails("delta.damaged", GraphFormatError, file=file):
                changed.check()
        file.write_bytes(data)
    Graph.open(changed.path).check()


def test_a_change_that_is_missing_or_of_another_graph(changed: Graph, tmp_path: Path) -> None:
    first, second = files_of(changed)
    content = first.read_bytes()
    first.unlink()
    with fails("delta.missing", GraphFormatError, number=1):
        Graph.open(changed.path)
    shutil.copy(second, first)
    with fails("delta.of_another_graph", GraphFormatError, file=first):
        Graph.open(changed.path)
    other = build([("x", "r", "y")], tmp_path / "other.graph")
    first.write_bytes(content)
    shutil.copy(first, other.path)
    with fails("delta.of_another_graph", GraphFormatError):
        Graph.open(other.path)


def test_a_newer_format(changed: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delta_files, "VERSION", 2)
    with fails("delta.other_version", GraphFormatError, version=1):
        Graph.open(changed.path)


@pytest.mark.parametrize(
    "content", [b"", b"[]\n", b"{}\n", b"not JSON\n{}", b'{"format": "graphbrick-delta", "version": 1}\n', b"\xff\n"]
)
def test_a_file_that_is_no_change(graph: Graph, content: bytes) -> None:
    import hashlib

    (graph.path / "delta-000001.changes").write_bytes(content + hashlib.sha256(content).hexdigest().encode())
    with fails("delta.not_a_change", GraphFormatError):
        Graph.open(graph.path)


def test_a_change_comes_back_as_it_was_written(tmp_path: Path) -> None:
    triples = np.arange(12, dtype=np.int32).reshape(4, 3)
    facts = {3: Facts("l", ["a"], None, "d"), 9: Facts(types=["t"])}
    given = Delta("b", "p", triples[:3], triples[3:], ["k\n", "\ud800"], ["r"], facts, {1: "x"})
    back, _ = Delta.decode(given.encode(), tmp_path)
    assert back.added.tolist() == given.added.tolist()
    assert back.deleted.tolist() == given.deleted.tolist()
    assert {entity: vars(said) for entity, said in back.facts.items()} == {e: vars(said) for e, said in facts.items()}
    assert (back.base, back.parent, back.entities, back.relations) == ("b", "p", given.entities, ["r"])
    assert back.relation_labels == {1: "x"}


def test_a_changed_graph_can_be_replaced(changed: Graph) -> None:
    (changed.path / ".delta-000003.changes.17").write_bytes(b"half")
    after = build([("a", "r", "b")], changed.path, overwrite=True)
    assert held(after) == [("a", "r", "b")]
    assert files_of(after) == []


def test_what_a_killed_writer_left_is_cleared(changed: Graph) -> None:
    left = changed.path / ".delta-000003.changes.17"
    left.write_bytes(b"half")
    assert held(Graph.open(changed.path)) == held(changed)
    change(changed.path, add=[("x", "r", "y")])
    assert not left.exists()
    assert len(files_of(changed)) == 3


def test_a_disk_that_is_full(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    before = sorted(graph.path.iterdir())
    monkeypatch.setattr("os.fsync", full)
    with fails("delta.not_written", reason="No space left on device"):
        change(graph.path, add=[("x", "r", "y")])
    assert sorted(graph.path.iterdir()) == before


def test_a_file_system_that_cannot_sync_folders(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    sync = os.fsync

    def of_files_only(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "Invalid argument")
        sync(descriptor)

    monkeypatch.setattr("os.fsync", of_files_only)
    assert change(graph.path, add=[("x", "r", "y")]).added == 1
    assert ("x", "r", "y") in held(Graph.open(graph.path))


def test_a_graph_that_is_replaced_while_it_is_changed(graph: Graph, tmp_path: Path) -> None:
    def records() -> object:
        yield ("x", "r", "y")
        build([("a", "r", "b")], graph.path, overwrite=True)

    with fails("delta.graph_replaced"):
        change(graph.path, add=records())  # type: ignore[arg-type]
    assert held(Graph.open(graph.path)) == [("a", "r", "b")]
    assert files_of(graph) == []


def test_names_that_share_a_hash(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphbrick.graphs.store.overlay.overlay.span_hash", lambda folded: 7)
    after = change(graph.path, add=[EntityRecord("Q1", "Lutetia"), EntityRecord("Q3", "Gallia")]).graph
    assert after.named("Lutetia") == [after.entity("Q1")]
    assert after.named("Gallia") == [after.entity("Q3")]
    assert isinstance(graph.names, NameIndex)


def test_json_of_facts_holds_what_changed_only(graph: Graph) -> None:
    change(graph.path, add=[EntityRecord("Q1", description="a city")])
    (file,) = files_of(graph)
    header, _, rest = file.read_bytes().partition(b"\n")
    said = json.loads(rest[: json.loads(header)["texts"]])["facts"]
    assert said == {str(graph.entity("Q1")): {"description": "a city"}}
