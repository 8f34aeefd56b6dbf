"""Files with sets of seeds, and what is told where Spark cannot run; none of these tests needs Spark."""

from __future__ import annotations

import csv
import gzip
import json
import sys
from pathlib import Path

import pytest
from commands import refused
from faults import fails

from graphbrick.core.errors import InputError, PipelineError
from graphbrick.spark import seed_sets
from graphbrick.spark.errors import SparkError, described
from graphbrick.spark.seed_sets import SeedSet, read_seed_sets
from graphbrick.spark.session import check_installed
from graphbrick.spark.walks.extract import check_stage, read_stage


def sets(tmp_path: Path, name: str, text: str) -> list[SeedSet]:
    (tmp_path / name).write_text(text, encoding="utf-8")
    return read_seed_sets(None, str(tmp_path / name))  # type: ignore[arg-type]  # a session reads remote files only


def test_json_lines_and_csv_give_the_same_sets(tmp_path: Path) -> None:
    lines = '{"set": "q2", "seeds": ["Kenya", "Kenya"]}\n\n{"set": 1, "seeds": ["Nairobi", "Köln, Stadt"]}\n'
    table = 'seed,set\nNairobi,1\nKenya,q2\n"Köln, Stadt",1\nKenya,q2\n'
    expected = [SeedSet("1", ("Nairobi", "Köln, Stadt")), SeedSet("q2", ("Kenya",))]
    assert sets(tmp_path, "seeds.jsonl", lines) == expected
    assert sets(tmp_path, "seeds.csv", "\ufeff" + table) == expected
    assert sets(tmp_path, "seeds.tsv", "set\tseed\n1\tNairobi\n1\tKöln, Stadt\nq2\tKenya\n") == expected


def test_a_line_ends_at_line_ends_only(tmp_path: Path) -> None:
    names = ("a\u2028b", "c\u0085d", "e\x0cf")
    lines = [json.dumps({"set": str(i), "seeds": [name]}, ensure_ascii=False) for i, name in enumerate(names)]
    expected = [SeedSet(str(i), (name,)) for i, name in enumerate(names)]
    assert sets(tmp_path, "s.jsonl", "\r\n".join(lines)) == expected


def test_questions_are_sets_named_by_their_ids(tmp_path: Path) -> None:
    rows = [
        {"id": "q2", "question": "Which currency has Kenya?", "seeds": ["Kenya", "Kenya"], "answers": ["shilling"]},
        {"id": "q1", "question": "Who?", "answers": []},
    ]
    expected = [SeedSet("q1", ()), SeedSet("q2", ("Kenya",))]
    assert sets(tmp_path, "q.jsonl", "\n".join(map(json.dumps, rows))) == expected
    assert sets(tmp_path, "q.json", json.dumps(rows, indent=1)) == expected
    assert sets(tmp_path, "q.csv", "id,question,seeds,answers\nq2,Which?,Kenya,x\nq1,Who?,,y\n") == expected
    assert sets(tmp_path, "qa.txt", "which currency has [Kenya]\tshilling\n")[0].seeds == ("Kenya",)
    (tmp_path / "q.jsonl.gz").write_bytes(gzip.compress((tmp_path / "q.jsonl").read_bytes()))
    assert read_seed_sets(None, str(tmp_path / "q.jsonl.gz")) == expected  # type: ignore[arg-type]


def test_a_remote_file_is_read_as_a_local_one(tmp_path: Path, monkeypatch) -> None:
    class Store:
        def __init__(self, spark, place) -> None:
            pass

        def exists(self, place) -> bool:
            return place == "s3a://b/s.jsonl"

        def read_bytes(self, place) -> bytes:
            return content

    monkeypatch.setattr(seed_sets, "Storage", Store)
    content = b'\xef\xbb\xbf{"set": "a", "seeds": ["x"]}'
    assert read_seed_sets(None, "s3a://b/s.jsonl") == [SeedSet("a", ("x",))]  # type: ignore[arg-type]
    content = b'{"set": "a", "seeds": []}'
    with fails("seed_sets.bad_seeds", InputError, line=1) as caught:
        read_seed_sets(None, "s3a://b/s.jsonl")  # type: ignore[arg-type]
    assert str(caught.value).startswith("s3a://b/s.jsonl, line 1: ")
    with fails("seed_sets.no_file", InputError):
        read_seed_sets(None, "s3a://b/other.jsonl")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "text", "code", "line"),
    [
        ("s.jsonl", '{"set": "a", "seeds": ["  "]}', "seed_sets.bad_seeds", 1),
        ("q.jsonl", '{"question": "Who?", "answers": []}', "seed_sets.no_seeds", None),
        ("s.jsonl", '{"set": "a", "seeds": ["x"]}\nnonsense', "seed_sets.not_a_set", 2),
        ("s.jsonl", '{"set": "a", "seeds": []}', "seed_sets.bad_seeds", 1),
        ("s.jsonl", '{"set": "a", "seeds": "x"}', "seed_sets.bad_seeds", 1),
        ("s.jsonl", '{"set": "", "seeds": ["x"]}', "seed_sets.bad_name", 1),
        ("s.jsonl", '{"set": "a", "seeds": ["x"]}\n{"set": "a", "seeds": ["y"]}', "seed_sets.twice", 2),
        ("s.csv", "name,seed\na,b\n", "seed_sets.columns", 1),
        ("s.csv", "set,seed\na,\n", "seed_sets.empty", 2),
        ("s.csv", "set,seed\n", "seed_sets.none", None),
        ("s.csv", "set,seed\nq1,Nairobi\nq2,Köln, Stadt\n", "seed_sets.more_cells", 3),
        ("s.tsv", "set\tseed\tseed\nq1\tNairobi\tKampala\n", "seed_sets.columns", 1),
        ("s.csv", f"set,seed\nq1,{'x' * 200_000}\n", "seed_sets.not_csv", 2),
    ],
)
def test_a_bad_file_is_an_error_with_its_line(
    tmp_path: Path, name: str, text: str, code: str, line: int | None
) -> None:
    with fails(code, InputError) as caught:
        sets(tmp_path, name, text)
    assert caught.value.values.get("line") == line


def test_a_question_with_another_column_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="call it 'seeds'"):
        sets(tmp_path, "q.jsonl", '{"question": "Who?", "seed": ["x"], "answers": []}')


def test_blank_cells_at_the_end_of_a_row_are_no_seeds(tmp_path: Path) -> None:
    assert sets(tmp_path, "s.csv", "set,seed\nq1,Nairobi,, \n") == [SeedSet("q1", ("Nairobi",))]


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with fails("reader.unreadable", InputError):
        read_seed_sets(None, str(tmp_path / "none.jsonl"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("RandomWalk()", "other_brick"),
        ("PPR(seeds='each')", "each_seed"),
        ("PPR(solver=FORA())", "solver"),
        ("KHop(seeds='each')", "each_seed"),
    ],
)
def test_what_spark_cannot_do_is_an_error(text: str, code: str) -> None:
    with fails(f"extract.{code}", PipelineError):
        check_stage(read_stage(text))


def test_without_pyspark_the_command_says_what_to_install(run, monkeypatch, tmp_path) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    done = run("spark", "extract", "triples.parquet", "--seeds", "seeds.csv", "--out", tmp_path / "out")
    refused(done, "Spark needs the package pyspark: pip install 'graphbrick[spark]'")


@pytest.mark.parametrize("home", ["/no/such/java", None])
def test_without_java_the_error_says_what_to_install(monkeypatch, tmp_path, home) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", sys)
    monkeypatch.setitem(sys.modules, "pyspark.sql", sys)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    if home:
        monkeypatch.setenv("JAVA_HOME", home)
    with fails("spark.no_java", SparkError, java_home=home):
        check_installed()


STACK = "\n\tat org.apache.spark.Task.run(Task.scala:1)\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"org.apache.spark.SparkException: Job aborted{STACK}Caused by: java.io.IOException: No space left on device"
         f"{STACK}", "a disk is full; make space"),
        ("[PATH_NOT_FOUND] Path does not exist: file:/d/x.csv. SQLSTATE: 42K03", "file:/d/x.csv: there is"),
        (f'org.apache.hadoop.fs.UnsupportedFileSystemException: No FileSystem for scheme "gs"{STACK}', "for gs://"),
        (f"Job aborted due to stage failure: ... ExecutorLostFailure (executor 1 exited){STACK}", "lost its workers"),
        (f"java.lang.OutOfMemoryError: Java heap space{STACK}", "spark.driver.memory"),
        (f"org.apache.spark.SparkException: a{STACK}Caused by: x.y.BadError: the column is odd{STACK}",
         "Spark failed: the column is odd"),
        ("", "Spark failed: no reason given"),
    ],
)  # fmt: skip
def test_errors_of_spark_are_told_in_one_line(text: str, told: str) -> None:
    assert told in described(text)
    assert "\n" not in described(text)
    assert "\tat " not in described(text)


def test_a_cell_is_too_long_whatever_limit_the_process_has(tmp_path: Path) -> None:
    before = csv.field_size_limit(10_000_000)  # as a reader of tables leaves it while it is read
    try:
        with fails("seed_sets.not_csv", InputError):
            sets(tmp_path, "s.csv", f"set,seed\nq1,{'x' * 200_000}\n")
    finally:
        csv.field_size_limit(before)
