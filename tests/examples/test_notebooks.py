"""The notebooks: every cell runs, and its output is the one that is stored for readers."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from pages import ROOT

sys.path.insert(0, str(ROOT / "tools"))
import notebooks

NAMES = [path.stem for path in notebooks.notebooks()]


def test_there_are_five() -> None:
    assert [name[0] for name in NAMES] == ["1", "2", "3", "4", "5"]


@pytest.mark.whole
@pytest.mark.parametrize("path", notebooks.notebooks(), ids=lambda path: path.stem)
def test_a_notebook_gives_what_it_shows(path: Path) -> None:
    cells = notebooks.run_here(path)
    assert notebooks.differences(path, cells) == []


@pytest.mark.parametrize("path", notebooks.notebooks(), ids=lambda path: path.stem)
def test_a_notebook_is_stored_whole_and_its_links_lead_somewhere(path: Path) -> None:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids)
    outputs = [cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert sum(map(bool, outputs)) >= 3
    text = json.dumps(notebook, ensure_ascii=False)
    assert "/tmp/" not in text
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            for link in notebooks.links("".join(cell["source"])):
                assert (path.parent / link).exists(), link


def test_a_changed_output_is_noticed() -> None:
    path = notebooks.notebooks()[0]
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert notebooks.differences(path, cells) == []
    shown = [cell for cell in cells if cell["cell_type"] == "code" and cell["outputs"] and not cell["metadata"]]
    shown[0]["outputs"][0]["data"]["text/plain"] = ["Graph('other.graph')"]
    (fault,) = notebooks.differences(path, cells)
    assert "other.graph" in fault
