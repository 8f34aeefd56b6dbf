"""Documents that were deleted leave the graph, whatever named them."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import Run

from graphbrick import index
from graphbrick.core.errors import InputError
from graphbrick.graphs.corpus import TextGraph


def write(folder: Path, **texts: str) -> list[Path]:
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    return [folder / f"{name}.txt" for name in texts]


def test_a_file_that_was_named_and_deleted_leaves(tmp_path: Path, run: Run) -> None:
    a, b = write(tmp_path / "d", a="The safe code of Rosa Lund is 4711 in Galway.", b="Peter Hale leads Ennis.")
    place = tmp_path / "g.graph"
    index([a, b], place)
    a.unlink()
    report = index([a, b], place)
    assert (report.reading.deleted, report.documents) == (1, 1)
    assert any(note.startswith(f"{a} is not there any more") for note in report.notes)
    assert "4711" not in "".join(TextGraph.open(place).passage_texts())
    assert "4711" not in run("ask", place, "What is the safe code of Rosa Lund?").out
    assert index([b], place).reading.deleted == 0


@pytest.mark.whole
@pytest.mark.parametrize("remove_folder", [False, True])
def test_an_emptied_folder_leaves_nothing(tmp_path: Path, run: Run, remove_folder: bool) -> None:
    files = write(tmp_path / "d", a="Alma Berg founded Fjord Ferries in Bergen.", b="Alma Berg lives in Oslo.")
    place = tmp_path / "h.graph"
    index([tmp_path / "d"], place)
    for file in files:
        file.unlink()
    if remove_folder:
        (tmp_path / "d").rmdir()
    assert index([tmp_path / "d"], place).reading.deleted == 2
    said = run("ask", place, "Who founded Fjord Ferries?")
    assert "Alma" not in said.out
    assert "all have been deleted" in " ".join((said.out + said.err).split())
    write(tmp_path / "d", c="Olav Berg painted Voss in Norway.")
    assert index([tmp_path / "d"], place).reading.added == 1
    assert "Olav Berg" in run("ask", place, "Who painted Voss?").out


def test_a_file_that_was_never_read_is_an_error(tmp_path: Path) -> None:
    (a,) = write(tmp_path / "d", a="Alma Berg founded Fjord Ferries in Bergen.")
    index([a], tmp_path / "g.graph")
    with pytest.raises(InputError, match="there is no such file or folder"):
        index([tmp_path / "other.txt"], tmp_path / "g.graph")
