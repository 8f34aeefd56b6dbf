"""What Windows refuses about open files is refused here too: builds, exports and indexes must do without it."""

from __future__ import annotations

from pathlib import Path

import pytest
from faults import fails
from open_files import as_on_windows, open_here

from graphbrick import Graph, build
from graphbrick.core.errors import GraphbrickError
from graphbrick.core.files.locks import claim
from graphbrick.core.files.system import remove_lock
from graphbrick.graphs.changes.delta import change

pytestmark = [pytest.mark.posix, pytest.mark.whole]  # it reads what Linux tells of open files

TABLE = "head,relation,tail,since:int\n" + "".join(f"a{i},r{i % 3},b{i % 7},{1900 + i}\n" for i in range(60))


@pytest.fixture
def table(tmp_path: Path) -> Path:
    file = tmp_path / "facts.csv"
    file.write_text(TABLE, encoding="utf-8")
    return file


def test_the_simulation_refuses_what_windows_refuses(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with (tmp_path / "folder" / "file").open("w", encoding="utf-8") as file, as_on_windows():
        assert file.name in open_here()
        for change in ((tmp_path / "folder" / "file").unlink, lambda: (tmp_path / "folder").rename(tmp_path / "other")):
            with pytest.raises(PermissionError):
                change()
    with as_on_windows():
        (tmp_path / "folder").rename(tmp_path / "other")


def test_a_graph_is_built_replaced_and_exported(table: Path, tmp_path: Path) -> None:
    from graphbrick.graphs.export.formats import export

    with as_on_windows():
        build(table, tmp_path / "g.graph")
        graph = build(table, tmp_path / "g.graph", overwrite=True)
        assert graph.n_triples == 60
        for to in ("parquet", "ladybug", "neo4j-csv", "nt"):
            export(graph, tmp_path / f"out.{to}", to=to)
    assert sorted(file.name for file in (tmp_path / "out.parquet").iterdir()) == [
        *("edges.parquet", "nodes.parquet", "relations.parquet")
    ]
    assert [file.name for file in tmp_path.iterdir() if file.name.startswith(".")] == []


def test_a_graph_that_is_open_is_not_replaced_and_the_error_says_why(table: Path, tmp_path: Path) -> None:
    graph = build(table, tmp_path / "g.graph")
    labels = [graph.label(entity) for entity in range(graph.n_entities)]
    with as_on_windows(), fails("folder.in_use", GraphbrickError, path=tmp_path / "g.graph"):
        build(table, tmp_path / "g.graph", overwrite=True)
    again = Graph.open(tmp_path / "g.graph")
    assert [again.label(entity) for entity in range(again.n_entities)] == labels


def test_changes_are_refused_in_one_line(table: Path, tmp_path: Path) -> None:
    graph = build(table, tmp_path / "g.graph")
    with as_on_windows(), fails("delta.not_on_windows", GraphbrickError, folder=tmp_path / "g.graph"):
        change(graph.place, add=[("a0", "r0", "new")])


def test_the_file_of_a_held_lock_stays_and_can_be_locked_again(tmp_path: Path) -> None:
    with as_on_windows():
        with claim(tmp_path / ".lock"):
            remove_lock(tmp_path / ".lock")
        assert (tmp_path / ".lock").exists()
        with claim(tmp_path / ".lock"), pytest.raises(BlockingIOError):
            claim(tmp_path / ".lock")
    with claim(tmp_path / ".lock"):
        remove_lock(tmp_path / ".lock")
    assert not (tmp_path / ".lock").exists()


def test_documents_are_indexed_and_indexed_again(tmp_path: Path) -> None:
    from graphbrick import index
    from graphbrick.text.overview.documents import documents_of

    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("# Kenya\n\nNairobi is the capital of Kenya.\n", encoding="utf-8")
    with as_on_windows():
        index([folder], tmp_path / "d.graph")
        (folder / "b.md").write_text("# Uganda\n\nKampala is the capital of Uganda.\n", encoding="utf-8")
        indexed = index([folder], tmp_path / "d.graph")
    assert set(documents_of(indexed.graph).titles.values()) == {"Kenya", "Uganda"}


def test_a_graph_is_evaluated_into_a_study(table: Path, tmp_path: Path) -> None:
    from graphbrick import evaluate

    (tmp_path / "asked.jsonl").write_text(
        '{"question": "Which r1 has a1?", "seeds": ["a1"], "answers": ["b1"]}\n', encoding="utf-8"
    )
    with as_on_windows():
        graph = build(table, tmp_path / "g.graph")
        study = evaluate(
            graph, tmp_path / "asked.jsonl", {"near": "ShortestPaths() >> PathAnswer()"}, out=tmp_path / "runs.sqlite"
        )
    (run,) = study.runs()
    assert run.done == 1
