"""Everything but Parquet works without pyarrow; whatever needs it names the extra."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from faults import fails

import graphbrick
from graphbrick.core.errors import ModelError
from graphbrick.core.files.zstd import zstd
from graphbrick.graphs.export.formats import export
from graphbrick.graphs.local.extracted_files import ExtractedFiles
from graphbrick.questions.loading import load
from graphbrick.testing import tiny_graph
from graphbrick.text.exchange.graphrag.tables import Tables
from graphbrick.text.sources.tables import SourceOptions, table_documents

TRIPLES = "Kenya|capital|Nairobi\nUganda|capital|Kampala\nKenya|borders|Uganda\n"


@pytest.fixture(autouse=True)
def without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "pyarrow"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyarrow", None)


@pytest.mark.parametrize("packed", [False, True])
def test_a_graph_is_built_and_asked(tmp_path: Path, packed: bool) -> None:
    file = tmp_path / ("kb.txt.zst" if packed else "kb.txt")
    file.write_bytes(zstd.compress(TRIPLES.encode()) if packed else TRIPLES.encode())
    graph = graphbrick.build(file, tmp_path / "kb.graph")
    pipeline = graphbrick.parse("PPR() >> ShortestPaths() >> Rerank(BM25()) >> PathAnswer()")
    assert pipeline(graph, "What is the capital of Kenya?").texts == ("Nairobi",)


def test_numbers_of_tables_are_stored(tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    folder.mkdir()
    numbers = ["1.5", "-0.25", "1e30", ".1", "12345678.9012345678", "3."]
    rows = "".join(f"n{i},Name {i},{number}\n" for i, number in enumerate(numbers))
    (folder / "nodes.csv").write_text(f"id,name,weight\n{rows}", encoding="utf-8")
    (folder / "edges.csv").write_text("head,relation,tail\nn0,near,n1\nn2,near,n3\nn4,near,n5\n", encoding="utf-8")
    graph = graphbrick.build(folder, tmp_path / "n.graph")
    stored = [graph.properties(graph.entity(f"n{i}"))["weight"] for i in range(len(numbers))]
    assert stored == [float(number) for number in numbers]


def test_what_needs_pyarrow_names_the_extra(tmp_path: Path) -> None:
    parquet, folder = tmp_path / "a.parquet", tmp_path / "extracted"
    parquet.write_bytes(b"PAR1")
    (folder / "scores").mkdir(parents=True)
    (folder / "settings.json").write_text(json.dumps({"format": 1}), encoding="utf-8")
    graph = tiny_graph()
    needing = {
        "build": lambda: graphbrick.build(parquet, tmp_path / "p.graph"),
        "questions": lambda: load(parquet),
        "documents": lambda: list(table_documents(parquet, ".parquet", SourceOptions())),
        "graphrag": lambda: Tables(tmp_path),
        "parquet": lambda: export(graph, tmp_path / "out", to="parquet"),
        "ladybug": lambda: export(graph, tmp_path / "out.ladybug", to="ladybug"),
        "extracted": lambda: ExtractedFiles(folder),
    }
    for name, needs in needing.items():
        with fails("parquet.not_installed", ModelError, package="pyarrow") as caught:
            needs()
        assert "pip install 'graphbrick[parquet]'" in str(caught.value), name
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.parquet", "extracted"]
