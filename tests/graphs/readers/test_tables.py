from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from faults import fails
from pyarrow import parquet

from graphbrick.core.errors import InputError
from graphbrick.graphs.readers import ReadOptions, read_source
from graphbrick.graphs.readers import parquet as parquet_reader
from graphbrick.graphs.records.records import BadRecords, EdgeRecord, EntityRecord, Record

EDGES = "source\trelation\ttarget\na\tr\tb\n"


def write(folder: Path, name: str, content: str | bytes) -> Path:
    file = folder / name
    data = content.encode() if isinstance(content, str) else content
    file.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return file


def write_parquet(file: Path, columns: dict[str, Any]) -> Path:
    parquet.write_table(pa.table(columns), file)
    return file


def read(source: Path, nodes: Path | None = None, bad: BadRecords | None = None, **options: Any) -> list[Record]:
    return list(read_source(source, nodes=nodes, options=ReadOptions(**options), bad=bad or BadRecords()))


def read_nodes(nodes: Path, bad: BadRecords | None = None, **options: Any) -> list[Record]:
    """The records of a node table, read beside one edge."""
    *entities, edge = read(write(nodes.parent, "one-edge.tsv", EDGES), nodes, bad, **options)
    assert edge == ("a", "r", "b")
    return entities


@pytest.mark.parametrize(
    ("header", "row", "entity"),
    [
        ("id,name,kind", "g1,BRCA1,Gene", EntityRecord("g1", "BRCA1", types=("Gene",))),
        ("ID,Label,Types", "g1,BRCA1,Gene; Target|Hub", EntityRecord("g1", "BRCA1", types=("Gene", "Target", "Hub"))),
        (":ID,name:string,:LABEL", "g1,BRCA1,Gene;Target", EntityRecord("g1", "BRCA1", types=("Gene", "Target"))),
        ("geneId:ID(Gene),:LABEL,name", "g1,Gene,BRCA1", EntityRecord("g1", "BRCA1", types=("Gene",))),
        (
            "~id,~label,name:String,id",
            "g1,Gene,BRCA1,7",
            EntityRecord("g1", "BRCA1", types=("Gene",), properties={"id": "7"}),
        ),
        ("_id,_labels,title", "g1,Gene,BRCA1", EntityRecord("g1", "BRCA1", types=("Gene",))),
        ("name,curie,desc", "BRCA1,g1,a gene", EntityRecord("g1", "BRCA1", description="a gene")),
        ("mid,synonyms", "g1,RNF53| BRCAI ;", EntityRecord("g1", aliases=("RNF53", "BRCAI"))),
        ("key,label,alternate_names,comment", "g1,,x,", EntityRecord("g1", aliases=("x",))),
        ("node id,rdfs:label,rdf:type", "g1,BRCA1,Gene", EntityRecord("g1", "BRCA1", types=("Gene",))),
        ("id", "g1", EntityRecord("g1")),
    ],
)
def test_node_columns(tmp_path: Path, header: str, row: str, entity: EntityRecord) -> None:
    assert read_nodes(write(tmp_path, "nodes.csv", f"{header}\n{row}\n")) == [entity]


def test_two_columns_without_a_header_are_key_and_label(tmp_path: Path) -> None:
    expected = [EntityRecord("m.1", "Denton"), EntityRecord("m.2", "El Paso"), EntityRecord("m.3")]
    assert read_nodes(write(tmp_path, "labels.tsv.gz", "m.1\tDenton\nm.2\tEl Paso\nm.3\t\n")) == expected
    assert read_nodes(write(tmp_path, "labels.txt", "m.1|Denton\nm.2|El Paso\nm.3|\n")) == expected


def test_key_that_comes_again_is_fine(tmp_path: Path) -> None:
    nodes = write(tmp_path, "nodes.csv", "id,name,kind\ng1,BRCA1,Gene\ng1,,Target\n")
    assert read_nodes(nodes) == [EntityRecord("g1", "BRCA1", types=("Gene", "Target"))]


@pytest.mark.parametrize("header", ["gene,name,kind", "gene,symbol,class", "gene,name", "title"])
def test_no_key_column(tmp_path: Path, header: str) -> None:
    nodes = write(tmp_path, "nodes.csv", f"{header}\n{header}\n")
    with fails("columns.unknown", InputError, columns=header.split(","), advice="call it id, or name it with --key"):
        read_nodes(nodes, BadRecords(skip=True))


def test_names_that_differ_are_keys_where_there_is_no_other_key(tmp_path: Path) -> None:
    nodes = write(tmp_path, "nodes.csv", "name,type\nKenya,country\nNairobi,city\n")
    assert read_nodes(nodes) == [
        EntityRecord("Kenya", "Kenya", types=("country",)), EntityRecord("Nairobi", "Nairobi", types=("city",))
    ]  # fmt: skip
    with fails("columns.unknown", InputError, columns=["name", "type"], advice="call it id, or name it with --key"):
        read_nodes(write(tmp_path, "twice.csv", "name,type\nParis,city\nParis,person\n"))


def test_the_type_in_the_name_of_the_file_goes_before_another_column_of_types(tmp_path: Path) -> None:
    content = "id,type,name,kind\nm1,Monster,Lich,undead\nm2,Monster,Badger,beast\n"
    assert read_nodes(write(tmp_path, "nodes_monster.csv", content)) == [
        EntityRecord("m1", "Lich", types=("Monster",), properties={"kind": "undead"}),
        EntityRecord("m2", "Badger", types=("Monster",), properties={"kind": "beast"}),
    ]
    assert [one.types for one in read_nodes(write(tmp_path, "nodes.csv", content))] == [("undead",), ("beast",)]


def test_a_label_in_the_name_of_the_file_goes_before_a_column_of_types_where_there_are_names(tmp_path: Path) -> None:
    content = "id,label,name,type\np1,Plane,N1,glider\np2,Plane,N2,jet\n"
    assert read_nodes(write(tmp_path, "nodes-planes.csv", content)) == [
        EntityRecord("p1", "N1", types=("Plane",), properties={"type": "glider"}),
        EntityRecord("p2", "N2", types=("Plane",), properties={"type": "jet"}),
    ]
    assert [one.types for one in read_nodes(write(tmp_path, "nodes.csv", content))] == [("glider",), ("jet",)]
    without = "id,label,type\np1,Plane,glider\n"
    assert read_nodes(write(tmp_path, "planes.csv", without)) == [EntityRecord("p1", "Plane", types=("glider",))]


def test_a_key_column_beside_properties(tmp_path: Path) -> None:
    nodes = write(tmp_path, "nodes.csv", "id,lable\nK,Kenya\n")
    assert read_nodes(nodes) == [EntityRecord("K", properties={"lable": "Kenya"})]
    assert read_nodes(write(tmp_path, "keys.csv", "id\nK\n")) == [EntityRecord("K")]


def test_bad_rows(tmp_path: Path) -> None:
    nodes = write(tmp_path, "nodes.tsv", b"id\tname\n\tno key\na\tA\n\xff\tx\nb\nc\tC\n")
    bad = BadRecords(skip=True)
    assert read_nodes(nodes, bad) == [EntityRecord("a", "A"), EntityRecord("c", "C")]
    assert [(error.line, error.code) for error in bad.errors] == [
        (2, "reader.empty_key"),
        (4, "reader.not_text"),
        (5, "reader.wrong_width"),
    ]
    with fails("reader.empty_key", InputError, line=2):
        read_nodes(nodes)


def test_wrong_delimiter_of_a_table_without_header(tmp_path: Path) -> None:
    nodes = write(tmp_path, "labels.tsv", "m.1|Denton\n")
    with fails("reader.wrong_width", InputError, columns=1, width=2, delimiter="\t", fits="|"):
        read_nodes(nodes)


def test_given_delimiter_is_for_the_node_table_that_holds_it(tmp_path: Path) -> None:
    edges = write(tmp_path, "edges.csv", "source;relation;target\na;r;b\n")
    for name, content in {"nodes.csv": "id;name\na;A, the first\n", "nodes.tsv": "id\tname\na\tA, the first\n"}.items():
        records = read(edges, write(tmp_path, name, content), delimiter=";")
        assert records == [EntityRecord("a", "A, the first"), ("a", "r", "b")]


def test_empty_node_tables(tmp_path: Path) -> None:
    with fails("reader.empty_file", InputError):
        read_nodes(write(tmp_path, "empty.csv", ""))
    with fails("reader.no_rows", InputError):
        read_nodes(write(tmp_path, "blank.csv", "\n\n"))
    assert read_nodes(write(tmp_path, "header.csv", "id,name\n")) == []
    with fails("reader.unsupported", InputError, ending="nt"):
        read_nodes(write(tmp_path, "nodes.nt", "<a:a> <b:b> <c:c> ."))


@pytest.mark.parametrize(("nodes", "edges"), [("nodes.csv", "edges.tsv.gz"), ("Nodes.CSV", "Edges.tsv")])
def test_folder(tmp_path: Path, nodes: str, edges: str) -> None:
    folder = tmp_path / "export"
    folder.mkdir()
    write(folder, nodes, ":ID,name,:LABEL\na,A,X\n")
    write(folder, edges, ":START_ID\t:END_ID\t:TYPE\na\tb\tKNOWS\n")
    write(folder, "edges.md", "about the edges")
    write(folder, "nodes.old.csv", "an older table")
    assert read(folder) == [EntityRecord("a", "A", types=("X",)), ("a", "KNOWS", "b")]


def test_folder_faults(tmp_path: Path) -> None:
    def fault(nodes: Path | None = None) -> tuple[str, object]:
        with pytest.raises(InputError) as caught:
            read(tmp_path, nodes)
        assert caught.value.file == tmp_path
        return caught.value.code, {name: value for name, value in caught.value.values.items() if name != "file"}

    assert fault() == ("reader.no_edges", {})
    edges = write(tmp_path, "edges.tsv", EDGES)
    assert fault() == ("reader.no_nodes", {"edges": "edges.tsv"})
    other = write(tmp_path, "other.csv", "id,name\na,A\n")
    assert read(tmp_path, other) == [EntityRecord("a", "A"), ("a", "r", "b")]
    write(tmp_path, "nodes.csv", "id,name\na,A\n")
    assert fault(other) == ("reader.two_node_tables", {"own": "nodes.csv"})
    write(tmp_path, "edges.csv", EDGES)
    assert fault() == ("reader.several_tables", {"tables": ["edges.csv", "edges.tsv"]})
    assert read(edges) == [("a", "r", "b")]


def test_parquet_triples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_reader, "_BATCH_ROWS", 2)
    columns = {
        "id": list(range(5)),
        "target": pa.array(["b", " c ", "d", None, "f"]).dictionary_encode(),
        "source": pa.array([1.0, 2.0, 3.5, 4.0, float("nan")]),
        "type": [b"r", b"r", b"s", b"s", b"s"],
    }
    file = write_parquet(tmp_path / "edges.parquet", columns)
    bad = BadRecords(skip=True)
    assert read(file, bad=bad) == [
        EdgeRecord("1", "r", "b", {"id": 0}),
        EdgeRecord("2", "r", "c", {"id": 1}),
        EdgeRecord("3.5", "s", "d", {"id": 2}),
    ]
    assert [(error.line, error.code) for error in bad.errors] == [(4, "reader.empty_end"), (5, "reader.empty_end")]
    with fails("reader.empty_end", InputError, line=4):
        read(file)


def test_parquet_columns(tmp_path: Path) -> None:
    file = write_parquet(tmp_path / "kb.parquet", {"who": ["a"], "what": ["r"], "whom.id": ["b"]})
    assert read(file, columns=("who", "what", "whom.id")) == [("a", "r", "b")]
    assert read(file, columns=("1", "2", "3")) == [("a", "r", "b")]
    assert read(file, header=True) == [("a", "r", "b")]
    with fails("columns.unknown", InputError, columns=["who", "what", "whom.id"]):
        read(file)
    with fails("columns.no_name", InputError, column="wat", near="what"):
        read(file, columns=("who", "wat", "whom.id"))


def test_parquet_folder(tmp_path: Path) -> None:
    nodes = {
        "id": [1, 2, None],
        "name": ["A", None, "nobody"],
        "labels": [["X", "Y|Z"], [], None],
        "aliases": ["a1|a2", "", None],
    }
    write_parquet(tmp_path / "nodes.parquet", nodes)
    write_parquet(tmp_path / "edges.parquet", {"src": [1], "dst": [2], "label": ["KNOWS"]})
    bad = BadRecords(skip=True)
    assert read(tmp_path, bad=bad) == [
        EntityRecord("1", "A", aliases=("a1", "a2"), types=("X", "Y|Z")),
        EntityRecord("2"),
        ("1", "KNOWS", "2"),
    ]
    assert [(error.line, error.code) for error in bad.errors] == [(3, "reader.empty_key")]


def test_parquet_faults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    two = {"a": ["x"], "b": ["y"]}
    write_parquet(tmp_path / "nodes.parquet", two)
    edges = write(tmp_path, "edges.tsv", EDGES)
    with fails("columns.unknown", InputError, columns=["a", "b"], advice="call it id, or name it with --key"):
        read(edges, tmp_path / "nodes.parquet")
    whole = (tmp_path / "nodes.parquet").read_bytes()
    for name, content, code in [
        ("text.parquet", b"a,b,c\n", "reader.not_parquet"),
        ("cut.parquet", whole[:-20], "reader.not_parquet"),
        ("packed.parquet.gz", whole, "reader.packed_parquet"),
    ]:
        with fails(code, InputError):
            read(write(tmp_path, name, content))
    empty = pa.table(
        {"head": pa.array([], pa.string()), "relation": pa.array([], pa.string()), "tail": pa.array([], pa.string())}
    )
    parquet.write_table(empty, tmp_path / "empty.parquet")
    with fails("reader.no_rows", InputError):
        read(tmp_path / "empty.parquet")


@pytest.mark.whole
@pytest.mark.shared
def test_hetionet(data_dir: Path) -> None:
    records = read(data_dir / "hetionet")
    kinds: Counter[str] = Counter(type(record).__name__ for record in records)
    assert kinds == {"EntityRecord": 38_584, "tuple": 1_444_474}
    keys = {record.key for record in records if isinstance(record, EntityRecord)}
    assert {key for record in records if isinstance(record, tuple) for key in (record[0], record[2])} <= keys
    assert records[0] == EntityRecord(
        "Biological Process::GO:0000002", "mitochondrial genome maintenance", types=("Biological Process",)
    )


@pytest.mark.whole
@pytest.mark.shared
def test_freebase_labels(data_dir: Path) -> None:
    folder = data_dir / "freebase"
    records = read(folder / "triples.tsv.gz", folder / "labels.tsv.gz")
    entities = [record for record in records if isinstance(record, EntityRecord)]
    assert entities[0] == EntityRecord("m.010016", "Denton")
    assert len({record.key for record in entities if record.label}) == 14_558
    assert len(records) - len(entities) == 381_186


def test_parquet_values_that_python_cannot_hold_as_they_are(tmp_path: Path) -> None:
    keys = [bytes([255, i]) for i in range(3)]
    times = pa.array([1, 2, 3], pa.timestamp("ns"))
    table = pa.table({"head": pa.array(keys), "relation": ["at"] * 3, "tail": times})
    parquet.write_table(table, tmp_path / "t.parquet")
    options = ReadOptions()
    triples = list(read_source(tmp_path / "t.parquet", nodes=None, options=options, bad=BadRecords()))
    assert [head for head, _, _ in triples] == ["ff00", "ff01", "ff02"]
    assert triples[0][2].startswith("1970-01-01 00:00:00.000000001")


def test_parquet_with_a_column_twice(tmp_path: Path) -> None:
    column = pa.array(["a"])
    table = pa.Table.from_arrays([column] * 4, names=["head", "head", "relation", "tail"])
    parquet.write_table(table, tmp_path / "t.parquet")
    with fails("reader.column_twice", InputError, column="head"):
        list(read_source(tmp_path / "t.parquet", nodes=None, options=ReadOptions(), bad=BadRecords()))
