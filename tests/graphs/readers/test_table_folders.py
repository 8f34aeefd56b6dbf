"""Folders of tables: a file for each label or type, headers in files apart, ID spaces, and files that are not used."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa
import pytest
from faults import fails
from pyarrow import parquet
from table_files import Reading, write_all

from graphbrick.core.errors import InputError
from graphbrick.core.properties.values import Raw
from graphbrick.graphs.records.records import EdgeRecord, EntityRecord

UNUSED = "files of the folder that are not used"


def test_neo4j_admin_folder_with_headers_apart_and_id_spaces(tmp_path: Path) -> None:
    files = {
        "person-header.csv": "personId:ID(Person),name,age:int,:LABEL\n",
        "person-part1.csv": "1,Ada,7,Person\n",
        "person-part2.csv": "2,Bo,,Person;Actor\n",
        "film-header.csv": ":ID(Film),title,year:int\n",
        "film.csv": "1,Heat,1995\n",
        "acted_in-header.csv": ":START_ID(Person),role,:END_ID(Film)\n",
        "acted_in.csv": "1,Vincent,1\n2,Neil,1\n",
        "knows.csv": ":START_ID(Person),:END_ID(Person),:TYPE\n1,2,KNOWS\n1,9,KNOWS\n",
        "README.md": "about",
        "years.csv": "year,amount\n1,2\n",
    }
    (tmp_path / "more").mkdir()
    read = Reading(write_all(tmp_path, files))
    assert read.records == [
        EntityRecord("Film/1", "Heat", types=("film",), properties={"year": 1995}),
        EntityRecord("Person/1", "Ada", types=("Person",), properties={"personId": Raw("1"), "age": 7}),
        EntityRecord("Person/2", "Bo", types=("Person", "Actor"), properties={"personId": Raw("2")}),
        EdgeRecord("Person/1", "acted_in", "Film/1", {"role": Raw("Vincent")}),
        EdgeRecord("Person/2", "acted_in", "Film/1", {"role": Raw("Neil")}),
        ("Person/1", "KNOWS", "Person/2"),
        ("Person/1", "KNOWS", "Person/9"),
    ]
    assert read.left_out.examples[UNUSED] == ["README.md", "more/", "years.csv"]
    assert read.left_out.examples["edge ends that are in no table of nodes"] == ["Person/9"]
    assert read.told[0] == (
        "film.csv: key :ID, name title, type film (the name of the file), keys begin with Film/; 1 property (year)"
    )
    assert read.told[1].endswith("keys begin with Person/; 2 properties (personId, age)")


@pytest.mark.parametrize("name", ["questions.jsonl", "notes.csv", "nodes_ghosts.csv"])
def test_a_file_without_content_is_named_and_no_fault(tmp_path: Path, name: str) -> None:
    files = {"nodes_a.csv": "id,name\nx,Ada\n", "edges_b.csv": "start,end,type\nx,x,KNOWS\n", name: ""}
    read = Reading(write_all(tmp_path, files))
    assert read.records == [EntityRecord("x", "Ada"), ("x", "KNOWS", "x")]
    assert read.left_out.examples[UNUSED] == [name]


def test_the_only_table_of_edges_has_to_have_content(tmp_path: Path) -> None:
    with fails("reader.empty_file"):
        Reading(write_all(tmp_path, {"nodes.csv": "id,name\nx,Ada\n", "edges.csv": ""}))


def test_one_id_space_leaves_the_keys_as_they_are(tmp_path: Path) -> None:
    files = {
        "people.csv": "personId:ID(Person),name\n1,Ada\n",
        "knows.csv": ":START_ID(Person),:END_ID(Person)\n1,1\n",
    }
    read = Reading(write_all(tmp_path, files))
    assert read.records == [EntityRecord("1", "Ada"), ("1", "knows", "1")]
    assert read.told[0] == "people.csv: key personId, name name"


def test_a_file_for_each_label_and_type(tmp_path: Path) -> None:
    files = {
        "nodes_person.csv": "id,name\np1,Ada\n",
        "city_nodes.csv": "id,name\nc1,Berlin\n",
        "edges_lives_in.csv": "source,target,since\np1,c1,2020\n",
        "KNOWS.csv": "from,to\np1,p1\n",
    }
    read = Reading(write_all(tmp_path, files))
    assert read.records == [
        EntityRecord("c1", "Berlin", types=("city",)),
        EntityRecord("p1", "Ada", types=("person",)),
        ("p1", "KNOWS", "p1"),
        EdgeRecord("p1", "lives_in", "c1", {"since": Raw("2020")}),
    ]
    assert Reading(tmp_path, relation="R").edges[0] == ("p1", "R", "p1")


def test_names_of_types_and_parts(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    parquet.write_table(pa.table({"id": ["a"], "type": ["T"]}), tmp_path / "Thing-1.parquet")
    parquet.write_table(pa.table({"id": ["b"], "type": ["T"]}), tmp_path / "Thing-2.parquet")
    (tmp_path / "Other.tsv.gz").write_bytes(gzip.compress(b"id\tname\nc\tC\n"))
    parquet.write_table(pa.table({"head": ["a"], "relation": ["r"], "tail": ["c"]}), tmp_path / "triples.parquet")
    assert Reading(tmp_path).records == [
        EntityRecord("c", "C", types=("Other",)),
        EntityRecord("a", types=("T",)),
        EntityRecord("b", types=("T",)),
        ("a", "r", "c"),
    ]


@pytest.mark.parametrize("nodes", ["nodes.csv", "Vertices.csv", "entities.csv"])
@pytest.mark.parametrize("edges", ["edges.csv", "Relationships.csv", "links.csv", "relations.csv"])
def test_names_of_the_two_tables(tmp_path: Path, nodes: str, edges: str) -> None:
    read = Reading(
        write_all(tmp_path, {nodes: "id,name\na,A\n", edges: "source,type,target\na,r,a\n", "notes.txt": "x"})
    )
    assert read.records == [EntityRecord("a", "A"), ("a", "r", "a")]
    assert read.left_out.examples == {UNUSED: ["notes.txt"]}


def test_edges_wins_over_relations(tmp_path: Path) -> None:
    files = {
        "nodes.csv": "id,name\na,A\n",
        "edges.csv": "source,type,target\na,r,a\n",
        "relations.csv": "key,label\nr,relates to\n",
    }
    read = Reading(write_all(tmp_path, files))
    assert read.edges == [("a", "r", "a")]
    assert read.left_out.examples == {UNUSED: ["relations.csv"]}


def test_faults(tmp_path: Path) -> None:
    folder = write_all(tmp_path, {"people.csv": "id,name\na,A\n"})
    with fails("reader.no_edges", InputError):
        Reading(folder, folder / "people.csv")
    write_all(tmp_path, {"knows.csv": "source,target\na,a\n"})
    other = write_all(tmp_path / "other", {"more.csv": "id,name\nb,B\n"}) / "more.csv"
    with fails("reader.two_node_tables", InputError, own="people.csv"):
        Reading(folder, other)
    (tmp_path / "people.csv").unlink()
    with fails("reader.no_table_of_nodes", InputError, edges="knows.csv"):
        Reading(folder)
    assert Reading(folder, other).records == [EntityRecord("b", "B"), ("a", "knows", "a")]


@pytest.mark.whole
def test_ends_and_names_are_counted(tmp_path: Path) -> None:
    nodes = "id,name\n" + "".join(f"n{i},{'' if i % 10 == 0 else f'Name {i}'}\n" for i in range(40_000)) + "n0,Zero\n"
    edges = "".join(f"n{i}\tr\t{'x' if i % 4 == 0 else 'n'}{i}\n" for i in range(40_000))
    for name in ("edges.tsv", "edges.csv"):  # in blocks, and row by row
        folder = write_all(tmp_path / name, {"nodes.csv": nodes})
        write_all(folder, {name: edges.replace("\t", "," if name.endswith("csv") else "\t")})
        counts = Reading(folder).left_out.counts
        assert counts == {
            "nodes without a name": 3999,
            "edge ends that are in no table of nodes": 10_000,
        }


def test_examples_of_ends_and_names(tmp_path: Path) -> None:
    files = {"nodes.csv": "id,name\na,\nb,B\na,A\nc,\n", "edges.csv": "source,type,target\na,r,z\nz,r,y\n"}
    read = Reading(write_all(tmp_path, files))
    assert list(read.left_out.to_dict().values()) == [
        {"count": 1, "examples": ["c"]},
        {"count": 2, "examples": ["z", "y"]},
    ]


def test_options_tell_which_table_holds_nodes(tmp_path: Path) -> None:
    files = {
        "airports.csv": "icao,iata,name\nEDDB,BER,Berlin\n",
        "flights.csv": "start_airport,airline,end_airport\nEDDB,LH,EDDB\n",
    }
    folder = write_all(tmp_path, files)
    with fails("reader.no_edges", InputError):
        Reading(folder, columns=("a", "b", "c"))
    related = [("Airport/EDDB", "flight", "Airport/EDDB", {"airline": "LH"})]  # without columns they are related tables
    assert [(*edge.triple, dict(edge.properties)) for edge in Reading(folder, key="icao").edges] == related
    columns = ("start_airport", "airline", "end_airport")
    read = Reading(folder, key="icao", columns=columns)
    assert read.records == [EntityRecord("EDDB", "Berlin", properties={"iata": "BER"}), ("EDDB", "LH", "EDDB")]
    with fails("reader.no_table_of_nodes", InputError) as caught:
        Reading(folder, columns=columns)
    assert "if airports.csv holds nodes" in str(caught.value)
