"""A build that fails or is killed leaves nothing behind, and the old graph as it was."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest
from built_graphs import TRIPLES, built, content
from faults import fails
from forks import run_until_killed

from graphbrick.core.errors import GraphFormatError
from graphbrick.graphs.build.builder import GraphBuilder, build
from graphbrick.graphs.changes.delta import change
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.records import Record

pytestmark = pytest.mark.posix


class SourceFailedError(Exception):
    """What a source that breaks off raises."""


def broken() -> Iterator[Record]:
    yield from TRIPLES
    raise SourceFailedError


def test_an_exception_midway_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(SourceFailedError):
        build(broken(), tmp_path / "new" / "g.graph")
    assert content(tmp_path / "new") == []


def test_an_exception_midway_leaves_an_existing_graph_untouched(tmp_path: Path) -> None:
    before = built(tmp_path, ("x", "r", "y"))
    with pytest.raises(SourceFailedError):
        build(broken(), before.path, overwrite=True)
    assert content(tmp_path) == ["g.graph"]
    after = Graph.open(before.path)
    after.check()
    assert list(after.key_triples()) == [("x", "r", "y")]


def test_a_failing_rename_puts_the_old_graph_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = built(tmp_path, ("x", "r", "y"))
    rename = Path.rename

    def failing(self: Path, target: Path) -> Path:
        if ".building-" in self.name:
            raise OSError("the disk is away")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", failing)
    with fails("build.not_written", reason="the disk is away"):
        build(TRIPLES, before.path, overwrite=True)
    assert content(tmp_path) == ["g.graph"]
    assert Graph.open(before.path).hash == before.hash


def test_leaving_the_builder_without_finish_leaves_nothing(tmp_path: Path) -> None:
    with GraphBuilder(tmp_path / "g.graph", source="test") as builder:
        builder.add(("a", "r", "b"))
        assert len(content(tmp_path)) == 1
    assert content(tmp_path) == []


KILLED_WHILE = {
    "reading": """
        def records():
            yield from (("n%d" % i, "r", "m") for i in range(1000))
            die()
        module._SPOOL = 10
        build(records(), target, overwrite=True)
    """,
    "writing": """
        module.Manifest.write = die
        build([("n", "r", "m")], target, overwrite=True)
    """,
    "renaming": """
        from graphbrick.core.files import folders
        folders.exchange = lambda one, other: False
        rename = Path.rename
        Path.rename = lambda self, to: die() if ".building-" in self.name and not to.exists() else rename(self, to)
        build([("n", "r", "m")], target, overwrite=True)
    """,
    "tidying": """
        import shutil
        shutil.rmtree = die
        build([("n", "r", "m")], target, overwrite=True)
    """,
}


def kill_a_build(target: Path, moment: str) -> None:
    """Build in another process that is killed at a given moment."""
    start = """
        from pathlib import Path
        from graphbrick.graphs.build import builder as module
        from graphbrick.graphs.build.builder import build
        target = Path(arguments[0])
    """
    run_until_killed(textwrap.dedent(start) + textwrap.dedent(KILLED_WHILE[moment]), target)


@pytest.mark.parametrize("moment", ["reading", "writing", "renaming"])
def test_a_killed_build_leaves_nothing_that_opens(tmp_path: Path, moment: str) -> None:
    target = tmp_path / "g[1].graph"  # brackets mean something to glob
    kill_a_build(target, moment)
    (left,) = tmp_path.iterdir()
    assert left.name.startswith(".g[1].graph.building-")
    with fails("graph.no_folder", GraphFormatError):
        Graph.open(target)
    graph = build(TRIPLES, target)
    graph.check()
    assert content(tmp_path) == ["g[1].graph"]


@pytest.mark.parametrize("moment", ["reading", "writing"])
def test_a_killed_build_leaves_an_existing_graph_untouched(tmp_path: Path, moment: str) -> None:
    before = built(tmp_path, *TRIPLES)
    kill_a_build(before.path, moment)
    Graph.open(before.path).check()
    assert Graph.open(before.path).hash == before.hash
    built(tmp_path, *TRIPLES, overwrite=True)
    assert content(tmp_path) == ["g.graph"]


def test_a_build_killed_between_the_two_renames_loses_nothing(tmp_path: Path) -> None:
    before = built(tmp_path, *TRIPLES)
    kill_a_build(before.path, "renaming")
    assert not before.path.exists()
    with fails("place.taken"):
        built(tmp_path, ("x", "r", "y"))
    assert content(tmp_path) == ["g.graph"]
    assert Graph.open(before.path).hash == before.hash


def test_opening_a_graph_brings_it_back_after_a_kill_between_the_two_renames(tmp_path: Path) -> None:
    before = built(tmp_path, *TRIPLES)
    kill_a_build(before.path, "renaming")
    assert not before.path.exists()
    assert Graph.open(before.path).hash == before.hash
    kill_a_build(before.path, "renaming")
    assert change(before.path, add=[("n", "r", "m")]).added == 1


def test_a_build_killed_after_the_renames_leaves_the_new_graph(tmp_path: Path) -> None:
    before = built(tmp_path, *TRIPLES)
    kill_a_build(before.path, "tidying")
    assert list(Graph.open(before.path).key_triples()) == [("n", "r", "m")]
    built(tmp_path, *TRIPLES, overwrite=True)
    assert content(tmp_path) == ["g.graph"]


def test_the_work_of_a_running_build_is_left_alone(tmp_path: Path) -> None:
    import fcntl

    running = tmp_path / ".g.graph.building-1-0"
    stranger = tmp_path / ".g.graph.building-notes"
    running.mkdir()
    stranger.mkdir()
    lock = os.open(running, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    built(tmp_path, *TRIPLES)
    os.close(lock)
    assert running.exists()
    assert stranger.exists()


def test_two_builds_of_one_process_do_not_disturb_each_other(tmp_path: Path) -> None:
    with GraphBuilder(tmp_path / "g.graph", source="first") as first:
        first.add(("a", "r", "b"))
        with GraphBuilder(tmp_path / "g.graph", source="second") as second:
            second.add(("c", "r", "d"))
            assert list(second.finish().key_triples()) == [("c", "r", "d")]
        with fails("place.taken"):
            first.finish()
    assert content(tmp_path) == ["g.graph"]


def test_a_link_as_target_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link.graph").symlink_to(tmp_path / "real")
    build(TRIPLES, tmp_path / "link.graph")
    assert (tmp_path / "link.graph").is_symlink()
    assert Graph.open(tmp_path / "real").n_triples == len(set(TRIPLES))
