"""``graphbrick prepare hubs``: the scores of hubs, worked out ahead of time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from graphbrick import Graph, build
from graphbrick.bricks.extract import hubs, ppr
from graphbrick.cli.app import main


@pytest.fixture
def graph(tmp_path: Path) -> Graph:
    return build([("hub", "to", f"n{i}") for i in range(40)] + [("n1", "to", "n2")], tmp_path / "star.graph")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), out, err


def test_hubs_are_kept(graph: Graph, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(ppr, "_SMALL", 0)
    monkeypatch.setattr(hubs, "HUB_DEGREE", 30)
    code, out, _ = run(
        capsys, "prepare", "hubs", str(graph.place), "--json", "--ppr", "PPR(restart=0.8, direction='out')"
    )
    told = json.loads(out)
    assert (code, told["hubs"]) == (0, 1)
    assert told["seconds"] >= 0
    kept = [folder.name for folder in graph.place.with_name("star.graph.hubs").iterdir()]
    assert kept == [f"out-0.8-0.1-{graph.entity('hub')}-{graph.hash}"]


def test_a_small_graph_needs_none(graph: Graph, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "prepare", "hubs", str(graph.place))
    assert (code, out) == (0, "0 hubs: a graph of this size needs none\n")


def test_another_brick_is_refused(graph: Graph, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "prepare", "hubs", str(graph.place), "--ppr", "KHop()")
    assert code == 1
    assert "takes the brick PPR, got KHop()" in err
