"""Edge lists of two columns, and the edge tables of Gephi, APOC, KGTK, SNAP and Neptune."""

from __future__ import annotations

from pathlib import Path

import pytest
from faults import fails
from table_files import Reading, one_file, write_all

from graphbrick.core.errors import InputError
from graphbrick.core.properties.values import Raw
from graphbrick.graphs.records.records import EdgeRecord, EntityRecord


@pytest.mark.parametrize(
    ("name", "text", "edges"),
    [
        ("e.csv", "source,target\na,b\n", [("a", "KNOWS", "b")]),
        ("e.csv", "Source,Target\na,b\n", [("a", "KNOWS", "b")]),
        ("e.csv", "Source,Target,Weight\na,b,0.5\n", [EdgeRecord("a", "KNOWS", "b", {"Weight": Raw("0.5")})]),
        ("e.tsv", "Ada\tBo\nBo\tCy\n", [("Ada", "KNOWS", "Bo"), ("Bo", "KNOWS", "Cy")]),
        ("e.txt", "1 2\n2   3\n", [("1", "KNOWS", "2"), ("2", "KNOWS", "3")]),
        ("e.edgelist", "1 2 0.5\n", [EdgeRecord("1", "KNOWS", "2", {"weight": Raw("0.5")})]),
        ("e.txt", "# Nodes: 3\n# From\tTo\n1\t2\n", [("1", "KNOWS", "2")]),
        ("e.txt", "% sym\n1 2\n", [("1", "KNOWS", "2")]),
        ("e.tsv", "FromNodeId\tToNodeId\n1\t2\n", [("1", "KNOWS", "2")]),
        ("e.csv", "source,target,type\na,b,\na,b,LIKES\n", [("a", "KNOWS", "b"), ("a", "LIKES", "b")]),
    ],
)
def test_edge_lists(tmp_path: Path, name: str, text: str, edges: list[object]) -> None:
    assert Reading(one_file(tmp_path, name, text), relation="KNOWS").records == edges


@pytest.mark.parametrize(
    ("header", "rows", "ends"),
    [
        ("start,end,type,from,to", "AD,EUR,HAS,1999-01-01,\nAD,FRF,HAS,1960-01-01,2002-02-17\n", ("AD", "EUR")),
        ("from,to,type,start,end", "AD,EUR,HAS,1999,\nAD,FRF,HAS,1960,2002\n", ("AD", "EUR")),
        ("source,target,relation,from,to", "AD,EUR,HAS,01.02.1999,\nAD,FRF,HAS,17.2.1960,\n", ("AD", "EUR")),
        ("start,end,type,from,to", "1999,2002,HAS,AD,EUR\n1960,1980,HAS,AD,FRF\n", ("AD", "EUR")),
        ("from,to,type,start,end", "1990,2000,HAS,1990-01-01,2001-01-01\n", ("1990", "2000")),  # all may be dates
    ],
)
def test_of_two_pairs_of_columns_the_one_without_dates_has_the_ends(
    tmp_path: Path, header: str, rows: str, ends: tuple[str, str]
) -> None:
    first = Reading(one_file(tmp_path, "e.csv", f"{header}\n{rows}")).records[0]
    assert isinstance(first, EdgeRecord)
    assert (first.head, first.tail) == ends


@pytest.mark.parametrize(
    ("header", "row", "kept"),
    [
        ("start,end,type,amount,source", "milk,iron,HAS,3,calculated", "source"),  # where the amount comes from
        ("from,to,type,subject", "ann,bob,WROTE,holidays", "subject"),
        ("start,end,type,object", "ann,bob,SENT,a parcel", "object"),
        ("source_id,target_id,relation,head,target", "ann,bob,LEADS,yes,5", "head"),
    ],
)
def test_a_column_named_like_one_end_is_a_property_beside_a_pair_of_both(
    tmp_path: Path, header: str, row: str, kept: str
) -> None:
    read = Reading(one_file(tmp_path, "e.csv", f"{header}\n{row}\n")).records[0]
    assert isinstance(read, EdgeRecord)
    assert (read.head, read.tail) == tuple(row.split(",")[:2])
    assert kept in read.properties


def test_two_columns_by_name_or_number(tmp_path: Path) -> None:
    file = one_file(tmp_path, "e.csv", "x,y,z\n1,2,3\n")
    assert Reading(file, columns=("z", "x"), relation="R").records == [EdgeRecord("3", "R", "1", {"y": Raw("2")})]
    assert Reading(file, columns=("1", "2"), relation="R", header=True).records[0] == EdgeRecord(
        "1", "R", "2", {"z": Raw("3")}
    )


def test_long_edge_lists_are_read_in_blocks(tmp_path: Path) -> None:
    file = one_file(tmp_path, "e.tsv", "# c\n" + "".join(f"n{i}\té{i}\n" for i in range(2000)) + "one\n")
    read = Reading(file, relation="ré", skip=True)
    assert read.records == [(f"n{i}", "ré", f"é{i}") for i in range(2000)]
    assert [(error.line, error.code) for error in read.bad.errors] == [(2002, "reader.wrong_width")]
    assert read.left_out.counts == {"lines of comments before the first row of e.tsv": 1}


@pytest.mark.parametrize("text", ["source,target\na,b\n", "Source,Target\na,b\n", "Source,Target,Weight\na,b,1\n"])
def test_a_missing_relation_asks_for_one(tmp_path: Path, text: str) -> None:
    with fails("columns.header_in_part", InputError) as caught:
        Reading(one_file(tmp_path, "e.csv", text))
    assert "--relation NAME" in str(caught.value)


def test_two_columns_of_blanks_ask_for_a_relation(tmp_path: Path) -> None:
    with fails("reader.wrong_width", InputError, columns=2, delimiter=" ") as caught:
        Reading(one_file(tmp_path, "e.txt", "1 2\n2 3\n"))
    assert "--relation NAME" in str(caught.value)


def test_three_numbers_may_be_triples_or_weights(tmp_path: Path) -> None:
    file = one_file(tmp_path, "e.txt", "1 2 0.5\n2 3 1\n")
    with fails("reader.three_numbers", InputError):
        Reading(file)
    assert Reading(file, columns=("1", "3", "2")).records == [("1", "0.5", "2"), ("2", "1", "3")]
    assert Reading(one_file(tmp_path, "t.txt", "ada knows bo\nbo knows cy\n")).records[0] == ("ada", "knows", "bo")


@pytest.mark.parametrize(
    ("name", "mark", "kind", "relation"),
    [
        ("e.csv", ",", "Directed", "Label"),
        ("e.csv", ";", "Undirected", "Label"),
        ("e.tsv", "\t", "undirected", "Kind"),
        ("e.psv", "|", "Mutual", "Relation"),
    ],
)
def test_gephi(tmp_path: Path, name: str, mark: str, kind: str, relation: str) -> None:
    rows = [["Source", "Target", "Type", "Id", relation, "Weight"], ["ada", "bo", kind, "0", "teaches", "1.0"]]
    rows.append(["bo", "cy", "Directed", "1", "employs", "2.0"])
    file = one_file(tmp_path, name, "".join(mark.join(row) + "\n" for row in rows))
    first = {} if kind == "Directed" else {"undirected": True}
    read = Reading(file, delimiter=";") if mark == ";" else Reading(file)
    assert read.records == [
        EdgeRecord("ada", "teaches", "bo", {**first, "Id": Raw("0"), "Weight": Raw("1.0")}),
        EdgeRecord("bo", "employs", "cy", {"Id": Raw("1"), "Weight": Raw("2.0")}),
    ]


def test_gephi_without_labels(tmp_path: Path) -> None:
    file = one_file(tmp_path, "e.csv", "Source,Target,Type,Id,Label,Weight\nada,bo,Directed,0,,1.0\n")
    with fails("reader.empty_cell", InputError, cell="relation") as caught:
        Reading(file)
    assert "--relation NAME" in str(caught.value)
    assert Reading(file, relation="knows").records[0].relation == "knows"  # type: ignore[union-attr]


def test_a_column_type_with_other_values_is_the_relation(tmp_path: Path) -> None:
    assert Reading(one_file(tmp_path, "e.csv", "source,target,type\na,b,directed\na,c,acted\n")).records == [
        ("a", "directed", "b"),
        ("a", "acted", "c"),
    ]


@pytest.mark.parametrize("header", ["x_id,relation,y_id", "e1,rel,e2", "gene,predicate,disease", "a,metaedge,b"])
def test_a_header_with_a_column_of_relations_is_no_triple(tmp_path: Path, header: str) -> None:
    with fails("columns.header_in_part", InputError) as caught:
        Reading(one_file(tmp_path, "e.csv", f"{header}\nParis,capital of,France\n"))
    assert f"--columns {header}" in str(caught.value)


def test_words_of_headers_that_are_data_too(tmp_path: Path) -> None:
    text = "Rome,relation,Italy\nOslo,relation,Norway\n"
    assert Reading(one_file(tmp_path, "e.csv", text)).records[0] == ("Rome", "relation", "Italy")
    assert Reading(one_file(tmp_path, "e.csv", "x,rel,y\n"), header=False).records == [("x", "rel", "y")]


def test_sssom(tmp_path: Path) -> None:
    text = "#curie_map:\n#  x: http://x/\nsubject_id\tpredicate_id\tobject_id\tconfidence\na\tskos:exactMatch\tb\t0.9\n"
    edge = EdgeRecord("a", "skos:exactMatch", "b", {"confidence": Raw("0.9")})
    assert Reading(one_file(tmp_path, "m.sssom.tsv", text)).records == [edge]


def test_python_tuples_are_refused(tmp_path: Path) -> None:
    for text in ('("Paris", "capital of", "France")\n', "('a', 'r', 'b')\n('c', 'r', 'd')\n"):
        with fails("reader.python_tuples", InputError):
            Reading(one_file(tmp_path, "t.txt", text))
    assert Reading(one_file(tmp_path, "t.txt", "(a),r,b\n")).records == [("(a)", "r", "b")]


def test_apoc_in_one_file(tmp_path: Path) -> None:
    text = (
        "_id,_labels,name,born,_start,_end,_type,since\n"
        "0,:Person,Ada,1970,,,,\n1,:Person:Actor,Bo,,,,,\n,,,,0,1,KNOWS,1999\n,,,,1,7,KNOWS,\n"
    )
    read = Reading(one_file(tmp_path, "all.csv", text))
    assert read.records == [
        EntityRecord("0", "Ada", types=("Person",), properties={"born": Raw("1970")}),
        EntityRecord("1", "Bo", types=("Person", "Actor")),
        EdgeRecord("0", "KNOWS", "1", {"since": Raw("1999")}),
        ("1", "KNOWS", "7"),
    ]
    assert list(read.left_out.counts) == ["edge ends that are in no table of nodes"]


def test_apoc_with_own_columns(tmp_path: Path) -> None:
    text = '_id,_labels,id,name,tags,type,_start,_end,_type,type\n5,:A,x,N,"[""a"",""b""]",t,,,,\n,,,,,,5,5,R,u\n'
    read = Reading(one_file(tmp_path, "all.csv", text))
    assert read.nodes == [
        EntityRecord("5", "N", types=("A",), properties={"id": "x", "tags": '["a","b"]', "type": "t"})
    ]
    assert read.edges == [EdgeRecord("5", "R", "5", {"type (2)": Raw("u")})]


def test_apoc_row_that_is_neither(tmp_path: Path) -> None:
    read = Reading(
        one_file(tmp_path, "all.csv", "_id,_labels,_start,_end,_type\n0,:A,,,\n,,0,,R\n,,0,0,R\n"), skip=True
    )
    assert [error.code for error in read.bad.errors] == ["reader.neither_node_nor_edge"]
    assert read.edges == [("0", "R", "0")]


def test_a_direction_in_the_first_column(tmp_path: Path) -> None:
    file = one_file(tmp_path, "e.tsv", "Type\tSource\tTarget\tLabel\nUndirected\ta\tb\tr\nDirected\ta\tb\tr\n")
    assert Reading(file).records == [EdgeRecord("a", "r", "b", {"undirected": True}), ("a", "r", "b")]


def test_kgtk(tmp_path: Path) -> None:
    text = (
        "id\tnode1\tlabel\tnode2\nE1\tQ1\tP31\tQ5\nE2\tQ1\tlabel\t'Ada Rowe'@en\nE3\tQ1\tlabel\t'Ада'@ru\n"
        "E4\tE1\tP585\t^2020-01-02T00:00:00Z/11\nE5\tQ1\tP569\t^1970-00-00T00:00:00Z/9\n"
        'E6\tE5\tP1\t"a"\nE7\tE5\tP1\t"b"\nE8\tQ1\tdescription\t\'a coder\'@en\n\tQ1\tP2\t"x"\n'
    )
    read = Reading(one_file(tmp_path, "k.tsv", text))
    assert read.records == [
        EntityRecord("Q1", "Ada Rowe"),
        EntityRecord("Q1", aliases=("Ада",)),
        EntityRecord("Q1", description="a coder"),
        ("Q1", "P2", "x"),
        EdgeRecord("Q1", "P31", "Q5", {"id": Raw("E1"), "P585": Raw("2020-01-02")}),
        EdgeRecord("Q1", "P569", "1970", {"id": Raw("E5"), "P1": ("a", "b")}),
    ]
    assert read.left_out.counts == {"ids and properties of names, descriptions and qualifiers": 6}


def test_kgtk_keeps_edges_with_the_same_id(tmp_path: Path) -> None:
    text = "id\tnode1\tlabel\tnode2\nE1\tQ1\tP31\tQ5\nE1\tQ2\tP31\tQ5\n"
    assert [edge.triple for edge in Reading(one_file(tmp_path, "k.tsv", text)).records] == [
        ("Q1", "P31", "Q5"),
        ("Q2", "P31", "Q5"),
    ]


def test_kgtk_that_names_no_edges(tmp_path: Path) -> None:
    read = Reading(one_file(tmp_path, "k.tsv", "node1\tlabel\tnode2\nQ1\tP31\tQ5\nQ1\t\tQ5\n"), skip=True)
    assert read.records == [("Q1", "P31", "Q5")]
    assert [error.code for error in read.bad.errors] == ["reader.empty_cell"]


@pytest.mark.parametrize("columns", [4, 7, 12])
def test_another_delimiter_is_advised_whatever_the_number_of_columns(tmp_path: Path, columns: int) -> None:
    file = one_file(tmp_path, "e.csv", ";".join("abcdefghijkl"[:columns]) + "\n")
    with fails("reader.wrong_width", InputError, columns=1, fits=";"):
        Reading(file)
    nodes = write_all(
        tmp_path / "n", {"nodes.csv": "id;name;price\n1;A;2\n", "edges.csv": "source,type,target\n1,r,1\n"}
    )
    with fails("reader.wrong_width", InputError, columns=1, fits=";"):
        Reading(nodes)


def test_neptune(tmp_path: Path) -> None:
    files = {
        "vertices.csv": "~id,~label,name:String(single),age:Int,tags:String[]\na,Person;Actor,Ann,7,x;y\n",
        "edges.csv": "~id,~from,~to,~label,weight:Double\ne1,a,a,knows,0.5\n",
    }
    read = Reading(write_all(tmp_path, files))
    assert read.records == [
        EntityRecord("a", "Ann", types=("Person", "Actor"), properties={"age": 7, "tags": ("x", "y")}),
        EdgeRecord("a", "knows", "a", {"id": Raw("e1"), "weight": 0.5}),
    ]


@pytest.mark.parametrize("other", ["p", "r", "edge", "property", "s", "o", "t", "h"])
def test_short_names_give_way_to_longer_ones(tmp_path: Path, other: str) -> None:
    read = Reading(one_file(tmp_path, "e.csv", f"{other},from,to,type\n0.5,a,b,cites\n"))
    assert read.records == [EdgeRecord("a", "cites", "b", {other: Raw("0.5")})]
    assert Reading(one_file(tmp_path, "t.csv", "s,p,o\na,r,b\n")).records == [("a", "r", "b")]
