"""A changed brick of another package begins another run, and the study says so."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphbrick import PathAnswer, ShortestPaths
from graphbrick.core.files.sources import sources_of
from graphbrick.pipeline import Pipeline
from graphbrick.pipeline.identity import without_code
from graphbrick.questions.question import Question
from graphbrick.study.report.summary import summarize_study
from graphbrick.study.runs.environment import _packages, versions
from graphbrick.study.runs.experiment import evaluate
from graphbrick.study.runs.recorder import Recorder
from graphbrick.study.store.identity import Identity, identity_of
from graphbrick.study.store.reader import Study
from graphbrick.testing import tiny_graph

GRAPH = tiny_graph()
QUESTION = Question("1", "Which currency has Kenya?", ("Kenya",), ("Kenyan shilling",), dataset="d")
CODE = '''"""A plug-in."""
from dataclasses import dataclass
from graphbrick import Evidence, RerankStage

@dataclass(frozen=True, repr=False)
class Cut(RerankStage):
    """Keeps one item."""

    def rerank(self, query, evidence):
        return Evidence(evidence.items[{cut}])
'''


class _Plugin:
    """A module with one brick, whose code can be written again."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "cut_plug_in.py"

    def pipeline(self, cut: str) -> Pipeline:
        """Write the code, load it, and return a pipeline with the brick."""
        self.file.write_text(CODE.format(cut=cut))
        sys.modules.pop("cut_plug_in", None)
        importlib.invalidate_caches()
        return ShortestPaths() >> importlib.import_module("cut_plug_in").Cut() >> PathAnswer()


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[_Plugin]:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield _Plugin(tmp_path)
    sys.modules.pop("cut_plug_in", None)


@pytest.mark.whole
def test_changed_code_begins_another_run_and_unchanged_code_does_not(plugin: _Plugin, tmp_path: Path) -> None:
    out = tmp_path / "runs.sqlite"
    for cut in (":1", ":1", ":0"):
        evaluate(GRAPH, [QUESTION], {"x": plugin.pipeline(cut)}, out=out).close()
    with Study.open(out) as study:
        first, second = study.runs()
        assert [study.results(run.id)[0].n_paths for run in (first, second)] == [1, 0]
        (note,) = [note for note in summarize_study(study).notes[second.id] if "another run" in note]
        assert first.name in note
        assert str(plugin.file) in note


def test_a_run_of_an_older_version_goes_on(plugin: _Plugin, tmp_path: Path) -> None:
    pipeline, out = plugin.pipeline(":1"), tmp_path / "runs.sqlite"
    old = Identity(without_code(pipeline.identity()))
    assert old.text == repr(pipeline) != pipeline.identity()
    with Recorder(out) as recorder:
        assert recorder.run("x", repr(pipeline), GRAPH, linked=False, identity=old) == 1
        assert recorder.run("x", repr(pipeline), GRAPH, linked=False, identity=identity_of(pipeline)) == 1
        changed = identity_of(plugin.pipeline(":2"))
        assert recorder.run("x", repr(pipeline), GRAPH, linked=False, identity=changed) == 2


def test_code_is_known_by_its_contents_not_its_folder(
    plugin: _Plugin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = plugin.pipeline(":1").identity()
    (tmp_path / "moved").mkdir()
    plugin.file = tmp_path / "moved" / plugin.file.name
    monkeypatch.syspath_prepend(plugin.file.parent)
    (tmp_path / plugin.file.name).unlink()
    moved = plugin.pipeline(":1")
    assert str(plugin.file) in dict(sources_of(type(moved.stages[1])))  # type: ignore[attr-defined]
    assert moved.identity() == before


def test_a_study_has_the_version_of_the_package_of_a_plug_in(plugin: _Plugin, tmp_path: Path) -> None:
    info = tmp_path / "cuts-3.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: cuts\nVersion: 3.1\n")
    (info / "entry_points.txt").write_text("[graphbrick.bricks]\nCut = cut_plug_in:Cut\n")
    _packages.cache_clear()
    assert versions([plugin.pipeline(":1")])["cuts"] == "3.1"
    assert "cuts" not in versions([ShortestPaths() >> PathAnswer()])
