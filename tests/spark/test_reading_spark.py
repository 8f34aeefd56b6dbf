"""Triples from tables and text, folders built from them, and what is told of bad ones."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from commands import Result
from faults import fails, told

from graphbrick import Graph, build
from graphbrick.core.trace import Trace, record
from graphbrick.graphs.local.extracted import ExtractedGraph
from graphbrick.graphs.records.records import EdgeRecord, EntityRecord, RelationRecord
from graphbrick.testing.graphs import TINY

pytestmark = pytest.mark.spark


def refused(result: Result, *parts: str) -> None:
    """Assert a user error in one line, after lines about the progress where the machine is slow."""
    assert (result.code, result.out) == (1, "")
    (line,) = [line for line in result.err.splitlines() if line.startswith("error: ")]
    for part in parts:
        assert part in line


def rows(spark, place: Path, **options) -> list[tuple]:
    from graphbrick.graphs.readers import ReadOptions
    from graphbrick.spark.reading import TripleSource, read_triples

    weight = options.pop("weight", None)
    found = read_triples(spark, TripleSource(str(place), ReadOptions(**options), weight))
    return [tuple(row) for row in found.collect()]


def test_formats_and_columns(spark, tmp_path) -> None:
    (tmp_path / "a.csv").write_text('head,relation,tail,w\n"Köln, Stadt", in ,Germany,1.5\n"a ""b""",r,c\\d,2\n')
    assert rows(spark, tmp_path / "a.csv", weight="w") == [
        ("Köln, Stadt", "in", "Germany", 1.5, None),
        ('a "b"', "r", "c\\d", 2.0, None),
    ]
    (tmp_path / "b.txt").write_text('Kenya|capital|"Nairobi\nKenya|borders|Uganda\n')
    assert rows(spark, tmp_path / "b.txt")[0] == ("Kenya", "capital", '"Nairobi', None, None)
    (tmp_path / "c.tsv").write_text("x\tr\ty\textra\nonly\ttwo\n")
    bad = rows(spark, tmp_path / "c.tsv", columns=("3", "2", "1"))
    assert bad[0] == ("y", "r", "x", None, None)
    assert bad[1][4] == "only\ttwo"
    table = pa.table({"source": [1.0, None], "type": ["r", "r"], "target": [2, 3]})
    (tmp_path / "parts").mkdir()
    pq.write_table(table, tmp_path / "parts" / "part-0.parquet")
    assert rows(spark, tmp_path / "parts")[0] == ("1", "r", "2", None, None)
    assert rows(spark, tmp_path / "parts")[1][4] is not None


@pytest.mark.parametrize(
    ("name", "text", "arguments", "told"),
    [
        ("a.csv", "x,y,z,w\n1,2,3,4\n", ["--columns", "x,r,z"], "there is no column 'r'; the columns are x, y, z, w"),
        ("a.csv", "head,relation,tail\na,r,b\na,,b\nc\n", [], "2 of 3 rows are not triples, such as 'a,,b'"),
        ("a.csv", "head,relation,tail\na,r,\na,,b\n", [], "2 of 2 rows are not triples, such as 'a,"),
        ("a.jsonl", '{"a": "1", "b": "2"}\n', [], "no columns known as head, relation and tail among a, b"),
        ("a.jsonl", '{"head": ["1"], "relation": "2", "tail": "3"}\n', [], "the column 'head' holds array<string>"),
        ("a.xyz", "a r b\n", [], "files with the suffix '.xyz' are not read here"),
        ("a.parquet", "this is no Parquet", [], "a.parquet: the file is damaged, or not of the format"),
        ("other.csv", "a,b,c\n", ["--conf", "nonsense"], "--conf takes NAME=VALUE"),
    ],
)
def test_what_cannot_be_read_is_an_error_that_leaves_nothing(spark, run, tmp_path, name, text, arguments, told) -> None:
    (tmp_path / name).write_text(text)
    refused(run("spark", "prepare", tmp_path / name, "--out", tmp_path / "out", *arguments), told)
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_a_missing_file_and_a_place_that_is_taken_are_errors(spark, run, tmp_path) -> None:
    refused(run("spark", "prepare", tmp_path / "none.csv", "--out", tmp_path / "out"), "no such file", "none.csv")
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "notes.txt").write_text("mine")
    done = run("spark", "prepare", tmp_path / "none.csv", "--out", tmp_path / "taken", "--overwrite")
    refused(done, "taken exists and holds no prepared graph")


def test_a_folder_built_by_spark_is_the_folder_built_here(spark, run, tmp_path) -> None:
    lines = ["|".join(triple) for triple in (*TINY, *TINY[:3])]
    (tmp_path / "kb.txt").write_text("\n".join([*lines, "bad line"]))
    refused(run("spark", "build", tmp_path / "kb.txt", "--out", tmp_path / "a.graph"), "1 of 14 rows are not triples")
    assert [file.name for file in tmp_path.iterdir()] == ["kb.txt"]
    done = run("spark", "build", tmp_path / "kb.txt", "--out", tmp_path / "a.graph", "--skip-bad", "--json")
    assert (done.code, json.loads(done.out)["duplicates"], json.loads(done.out)["skipped"]) == (0, 3, 1)
    spark_made, here = Graph.open(tmp_path / "a.graph"), build(TINY, tmp_path / "b.graph")
    assert list(spark_made.key_triples()) == list(here.key_triples())
    assert [spark_made.key(i) for i in range(8)] == [here.key(i) for i in range(8)]
    spark_made.check()


def test_a_prepared_graph_can_be_built_and_not_prepared(spark, run, tmp_path) -> None:
    records = [EntityRecord("Kenya", "Republic of Kenya"), RelationRecord("borders", "shares a border with"), *TINY]
    here, prepared, graph = build(records, tmp_path / "here.graph"), tmp_path / "prepared", tmp_path / "a.graph"
    assert run("spark", "prepare", here.path, "--out", prepared).code == 0
    done = run("spark", "build", prepared, "--out", graph)
    assert done.code == 0, done.err
    made = Graph.open(graph)
    assert sorted(made.key_triples()) == sorted(here.key_triples())
    assert next(iter(made.key_triples()))[0] == "Kenya"  # in the order of the keys
    assert {made.key(i): made.label(i) for i in range(8)} == {here.key(i): here.label(i) for i in range(8)}
    assert {made.relation_label(i) for i in range(4)} == {here.relation_label(i) for i in range(4)}
    refused(run("spark", "prepare", prepared, "--out", tmp_path / "b"), "prepared: it is prepared", "extract, rank")
    seeds = tmp_path / "seeds.csv"
    seeds.write_text("set,seed\nq,Kenya\n")
    for command in (("rank",), ("build",), ("extract", "--seeds", seeds)):
        done = run("spark", *command, prepared, "--out", tmp_path / "b", "--columns", "1,2,3", "--skip-bad")
        refused(done, "prepared: --columns, --skip-bad: for tables and text only", "a prepared graph")
    done = run("spark", "prepare", here.path, "--out", tmp_path / "b", "--weight", "w", "--no-header")
    refused(done, "here.graph: --header, --weight: for tables and text only", "a graph folder")
    assert not (tmp_path / "b").exists()


def test_files_that_do_not_arrive_from_a_worker_are_an_error(spark, run, tmp_path, monkeypatch) -> None:
    """A worker on another machine wrote one of two files to a disk of its own."""
    (tmp_path / "in").mkdir()
    for half in (0, 1):
        (tmp_path / "in" / f"{half}.csv").write_text("\n".join(",".join(triple) for triple in TINY[half::2]))
    writer = type(spark.range(1).write)
    write = writer.parquet

    def lose(self, path: str) -> None:
        write(self, path)
        max(Path(path.removeprefix("file:")).glob("part-*")).unlink()

    monkeypatch.setattr(writer, "parquet", lose)
    for command in ("build", "prepare"):
        done = run("spark", command, tmp_path / "in", "--out", tmp_path / "out", "--no-header")
        refused(done, "the workers wrote 10 rows, and ", "of them arrived in ", "give a folder that all workers share")
    assert not (tmp_path / "out").exists()


def test_statistics_and_duplicates(spark, run, tmp_path) -> None:
    (tmp_path / "kb.csv").write_text("\n".join(",".join(triple) for triple in (*TINY, *TINY[:3])))
    done = json.loads(run("spark", "prepare", tmp_path / "kb.csv", "--out", tmp_path / "out", "--json").out)
    assert done["counts"] == {"read": 13, "bad": 0, "triples": 10, "entities": 8}
    found = done["statistics"]
    assert (found["relations"], found["largest_degree"], found["without_outgoing"]) == (4, 6, 5)
    assert found["hubs"][0] == {"entity": "Uganda", "degree": 6}
    assert found["top_relations"][0] == {"relation": "borders", "triples": 4}
    shown = run("spark", "prepare", tmp_path / "kb.csv", "--out", tmp_path / "out", "--overwrite")
    assert "given more than once, and kept once: 3 triples" in shown.out


def test_a_file_that_is_gone_is_named(spark, run, tmp_path) -> None:
    (tmp_path / "kb.csv").write_text("\n".join(",".join(triple) for triple in TINY))
    (tmp_path / "seeds.csv").write_text("set,seed\nq,Kenya\n")
    assert run("spark", "prepare", tmp_path / "kb.csv", "--out", tmp_path / "prepared").code == 0
    seeds, out = tmp_path / "seeds.csv", tmp_path / "out"
    arguments = ("spark", "extract", tmp_path / "prepared", "--seeds", seeds, "--out", out)
    shutil.rmtree(tmp_path / "prepared" / "rows-both")
    refused(run(*arguments), "prepared/rows-both: there is no such file or folder")
    (tmp_path / "prepared" / "settings.json").write_text("{")
    refused(run(*arguments), "settings.json: the file was changed after it was written, or is damaged")
    assert not out.exists()


def test_a_file_that_goes_while_it_is_read_is_named(spark, tmp_path) -> None:
    from graphbrick.spark.errors import SparkError, plain_errors

    place = tmp_path / "numbers"
    spark.range(10).write.parquet(str(place))
    opened = spark.read.parquet(str(place))
    for file in place.glob("part-*"):
        file.unlink()
    with fails("spark.file_gone", SparkError), plain_errors():
        opened.collect()


def test_what_spark_does_not_carry_along_is_counted(spark, run, tmp_path: Path) -> None:
    records = [
        EntityRecord("p1", "Kettle", ("Pot",), ("Product",), "Boils water.", {"price": 24.5, "new": True}),
        EntityRecord("p2", "Toaster", types=("Product",), properties={"price": 39.0}),
        EdgeRecord("v1", "sells", "p1", {"since": 2019}),
        ("v1", "sells", "p2"),
    ]
    graph = build(records, tmp_path / "shop.graph")
    expected = {
        "values of properties of entities": 3,
        "values of properties of triples": 1,
        "types of entities": 2,
        "table of descriptions of entities": 1,
        "table of aliases of entities": 1,
    }
    done = run("spark", "build", graph.path, "--out", tmp_path / "again.graph")
    assert done.code == 0, done.err
    assert "values of properties of entities: 3, such as price, new" in done.out
    not_kept = Graph.open(tmp_path / "again.graph").manifest.not_kept
    assert {what: row["count"] for what, row in not_kept.items()} == expected
    (tmp_path / "seeds.jsonl").write_text('{"set": "one", "seeds": ["v1"]}\n')
    done = run(
        *("spark", "extract", graph.path, "--seeds", tmp_path / "seeds.jsonl", "--out", tmp_path / "out"),
        *("--extract", "KHop(1)"),
    )
    assert done.code == 0, done.err
    assert "values of properties of triples: 1, such as since" in done.out
    extracted = ExtractedGraph(tmp_path / "out")
    assert {what: row["count"] for what, row in extracted.left_out.items()} == expected
    with record(Trace(), "open", "step") as stage:
        extracted.subgraph("one")
    assert [code for code, _ in told(stage.events)] == ["extracted.left_out"]


def test_columns_that_are_not_read_are_named(spark, run, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("head,relation,tail,since,why\na,r,b,2019,x\n")
    done = run("spark", "build", tmp_path / "a.csv", "--out", tmp_path / "a.graph", "--json")
    assert done.code == 0, done.err
    not_kept = Graph.open(tmp_path / "a.graph").manifest.not_kept
    assert not_kept == {"columns of the table": {"count": 2, "examples": ["since", "why"]}}
