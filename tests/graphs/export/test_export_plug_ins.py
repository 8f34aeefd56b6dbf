"""Formats of other packages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from commands import Run, refused
from faults import fails
from pages import imported
from plug_ins import Install

from graphbrick import Export
from graphbrick.core.errors import InputError
from graphbrick.core.plugins import PluginWarning
from graphbrick.graphs.export.formats import EXPORTS, export
from graphbrick.testing import tiny_graph


def test_the_export_of_the_contributing_page_is_a_format_of_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, install: Install, run: Run
) -> None:
    install("exports", dot=imported("CONTRIBUTING.md", "to_dot", monkeypatch).EXPORT)
    graph = tiny_graph()
    arguments = ["export", graph.place, tmp_path / "tiny.dot", "--to", "dot"]
    assert run(*arguments).out == f"{tmp_path / 'tiny.dot'}: 8 entities, 10 triples\n"
    lines = (tmp_path / "tiny.dot").read_text(encoding="utf-8").splitlines()
    assert '"Kenya" -> "Nairobi" [label="capital"];' in lines
    assert len(lines) == 12
    refused(run(*arguments), "--overwrite")
    assert run(*arguments, "--overwrite").code == 0


def test_an_export_is_called_with_what_it_takes_and_nothing_else(tmp_path: Path, install: Install) -> None:
    calls: list[dict[str, Any]] = []

    def write(graph: object, target: Path, **options: Any) -> Path:
        calls.append(options)
        return target

    install("exports", plain=Export(write), iris=Export(write, takes=("base", "progress")))
    graph = tiny_graph()
    assert export(graph, tmp_path / "x", "plain").folder == tmp_path / "x"
    export(graph, tmp_path / "x", "iris", base="http://e/")
    assert [sorted(options) for options in calls] == [["overwrite"], ["base", "overwrite", "progress"]]
    with fails("export.no_option", InputError, option="base"):
        export(graph, tmp_path / "x", "plain", base="http://e/")
    with fails("export.no_format", InputError, format="xml") as caught:
        export(graph, tmp_path / "x", "xml")
    assert str(caught.value).endswith("lightrag, plain, iris")


def test_a_function_alone_is_no_export(install: Install) -> None:
    install("exports", plain=print)
    with pytest.warns(PluginWarning, match=r"it is not an export; declare a graphbrick\.Export\(write\)"):
        assert EXPORTS.find("plain") is None
