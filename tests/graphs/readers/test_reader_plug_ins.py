"""Readers of other packages."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest
from faults import fails
from pages import imported
from plug_ins import Install

from graphbrick import EntityRecord, FileReading, Reader, ReadOptions, build, change
from graphbrick.core.errors import InputError
from graphbrick.core.plugins import PluginWarning
from graphbrick.graphs.readers import READERS, naming_of, read_source
from graphbrick.graphs.records.records import BadRecords

DOT = 'digraph {\n"Kenya" -> "Nairobi" [label="capital"];\n"Kenya" -> "Uganda";\n}\n'


def test_the_reader_of_the_contributing_page_builds_and_changes_a_graph(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, install: Install
) -> None:
    install("readers", dot=imported("CONTRIBUTING.md", "read_dot", monkeypatch).DOT)
    file = tmp_path / "kenya.dot.gz"
    file.write_bytes(gzip.compress(DOT.encode()))
    with pytest.raises(InputError, match=r"kenya\.dot\.gz, line 3: the edge has no label"):
        build(file, tmp_path / "kenya.graph")
    shares: list[float] = []
    graph = build(file, tmp_path / "kenya.graph", skip_bad=True, progress=lambda step, done, total: shares.append(done))
    assert (list(graph.key_triples()), graph.manifest.skipped) == ([("Kenya", "capital", "Nairobi")], 1)
    (tmp_path / "more.dot").write_text('"Uganda" -> "Kampala" [label="capital"]\n', encoding="utf-8")
    assert change(graph.path, add=tmp_path / "more.dot").added == 1


def yields(*records: object) -> Reader:
    def read(file: Path, reading: FileReading) -> Iterator[object]:
        yield from records

    return Reader(read)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("record", "fault"),
    [
        (("a", "b"), "record.not_a_triple"),
        (("a", "b", ""), "record.empty_text"),
        (EntityRecord("a", types="city"), "record.bad_fact"),  # type: ignore[arg-type]
    ],
)
def test_a_record_that_is_none_names_the_reader(tmp_path: Path, install: Install, record: object, fault: str) -> None:
    install("readers", odd=yields(("a", "r", "b"), record))
    (tmp_path / "x.odd").touch()
    (tmp_path / "x.odd").write_text("x")
    with fails("reader.contract", InputError, fault=fault) as error:
        build(tmp_path / "x.odd", tmp_path / "x.graph")
    assert "yields.<locals>.read breaks its contract: " in str(error.value)


def test_a_reader_that_fails_is_an_error_with_its_name(tmp_path: Path, install: Install) -> None:
    def read(file: Path, reading: FileReading) -> Iterator[tuple[str, str, str]]:
        raise KeyError("edges")

    install("readers", odd=Reader(read))
    (tmp_path / "x.odd").write_text("x")
    with fails("reader.failed", InputError) as error:
        build(tmp_path / "x.odd", tmp_path / "x.graph")
    assert "read failed: KeyError: 'edges'" in str(error.value)


def test_lists_are_triples_and_names_and_node_tables_are_those_of_the_reader(tmp_path: Path, install: Install) -> None:
    reader = yields(["http://e/a", "r", "http://e/b"])
    nodes = yields(EntityRecord("http://e/a", label="A")).read
    install("readers", odd=Reader(reader.read, nodes, naming=lambda key: key.rpartition("/")[2]))
    for name in ("edges.odd", "nodes.odd"):
        (tmp_path / name).write_text("x")
    graph = build(tmp_path, tmp_path / "x.graph")
    assert sorted(map(graph.label, range(graph.n_entities))) == ["A", "b"]
    assert naming_of(tmp_path / "edges.odd") is not None


def test_an_ending_that_is_taken_and_a_value_that_is_no_reader_are_left_out(tmp_path: Path, install: Install) -> None:
    install("readers", tsv=yields(), odd=print)
    with pytest.warns(PluginWarning, match="is left out: ") as warned:
        assert READERS.find("odd") is None
    assert [str(one.message).partition(": ")[2] for one in warned] == [
        "the name is taken; rename it",
        "it is not a reader; declare a graphbrick.Reader(read)",
    ]
    (tmp_path / "x.tsv").write_text("a\tr\tb\n")
    records = read_source(tmp_path / "x.tsv", nodes=None, options=ReadOptions(), bad=BadRecords())
    assert list(records) == [("a", "r", "b")]


def test_the_error_about_an_unknown_ending_lists_all_readers(tmp_path: Path, install: Install) -> None:
    install("readers", tgf=yields())
    (tmp_path / "x.odd").write_text("x")
    with fails("reader.unsupported", InputError, ending="odd") as error:
        build(tmp_path / "x.odd", tmp_path / "x.graph")
    supported = error.value.values["supported"]
    assert (supported[0], supported[-1]) == ("txt", "tgf")  # type: ignore[index]
