"""The commands that prepare a graph for Communities and VectorNeighbors, as their user meets them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from commands import Run, refused
from forks import run_in_fork

from graphbrick.bricks.extract.communities import Communities
from graphbrick.bricks.extract.vector_neighbors import VectorNeighbors
from graphbrick.core import Query
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.testing import TINY


@pytest.fixture
def graph(tmp_path: Path) -> str:
    build(TINY, tmp_path / "tiny.graph")
    return str(tmp_path / "tiny.graph")


def events(graph: str, brick: Communities | VectorNeighbors) -> list[str]:
    opened = Graph.open(graph)
    return brick.run(opened, Query("which country?", seeds=(opened.entity("Kenya"),))).trace.events


def test_partition(run: Run, graph: str) -> None:
    told = json.loads(run("prepare", "partitions", graph, "--json").out)
    assert told["entities"] == sum(told["largest"]) == 8
    assert told["partitions"] == len(told["largest"])
    assert Path(told["folder"]).parent == Path(f"{graph}.partitions")
    assert events(graph, Communities()) == []
    text = run("prepare", "partitions", graph, "--resolution", "2", "--size", "4", "--seed", "7").out
    assert "partitions, the largest of" in text
    assert re.search(r"entities, modularity 0\.\d{3}, in \d+\.\d s, kept in", text)
    assert told["seconds"] > 0
    assert 0 < told["modularity"] < 1
    assert events(graph, Communities(resolution=2, size=4, seed=7)) == []
    assert len(events(graph, Communities(resolution=2))) == 1


def test_what_partition_refuses(run: Run, graph: str, tmp_path: Path) -> None:
    refused(run("prepare", "partitions", graph, "--resolution", "0"), "resolution must be a number above 0", "try 1.0")
    refused(run("prepare", "partitions", graph, "--size", "1"), "size must be a whole number of at least 2")
    refused(run("prepare", "partitions", graph, "--seed", "-1"), "seed must be a whole number of at least 0")
    refused(run("prepare", "partitions", str(tmp_path / "none")), "does not exist; build a graph with")
    Path(f"{graph}.partitions").write_text("a file", encoding="utf-8")
    refused(run("prepare", "partitions", graph), "tiny.graph.partitions")


def test_index(run: Run, graph: str) -> None:
    told = json.loads(run("prepare", "vectors", graph, "--json").out)
    folder = Path(told.pop("folder"))
    assert folder.parent == Path(f"{graph}.index")
    assert told.pop("seconds") > 0
    assert told == {"vectors": 8, "dimensions": 384}
    assert events(graph, VectorNeighbors(n=2)) == []
    assert len(events(graph, VectorNeighbors(n=2, unit="triple"))) == 1
    assert run("prepare", "vectors", graph, "--triples").out.startswith("10 vectors of 384 dimensions indexed in ")
    # Over again, also where it is damaged.
    (folder / "vectors.faiss").write_bytes(b"")
    assert json.loads(run("prepare", "vectors", graph, "--json").out)["vectors"] == 8
    assert events(graph, VectorNeighbors(n=2)) == []


def test_what_index_refuses(run: Run, graph: str, tmp_path: Path) -> None:
    refused(
        run("prepare", "vectors", graph, "--model", "BM25()"), "--model takes an embedder, got BM25(); try MiniLM()"
    )
    refused(run("prepare", "vectors", graph, "--model", "MiniML()"), "did you mean MiniLM?")
    refused(run("prepare", "vectors", str(tmp_path / "none")), "does not exist; build a graph with")
    Path(f"{graph}.index").write_text("a file", encoding="utf-8")
    refused(run("prepare", "vectors", graph), "the index of", "cannot be kept in")


AT_ONCE = """
    import io, os, sys
    from graphbrick.cli.app import main
    import graphbrick.graphs.partitions, graspologic_native, numba

    graph = arguments[0]
    for _ in range(2):  # with nothing there, and over what is there
        started = []
        for number in range(2):
            child = os.fork()
            started.append(child)
            if not child:
                sys.stdout, sys.stderr = open(f"{graph}.out{number}", "w"), open(f"{graph}.err{number}", "w")
                try:
                    main(["prepare", "partitions", graph, "--json"])
                except SystemExit as stopped:
                    sys.stdout.close()
                    sys.stderr.close()
                    os._exit(int(stopped.code or 0))
        assert [os.waitpid(child, 0)[1] for child in started] == [0, 0]
"""


@pytest.mark.posix
def test_processes_that_prepare_at_once_do_not_clash(graph: str) -> None:
    assert run_in_fork(AT_ONCE, graph) == 0
    first, second, *errors = (
        Path(f"{graph}.{name}").read_text(encoding="utf-8") for name in ("out0", "out1", "err0", "err1")
    )
    told = [{**json.loads(text), "seconds": None} for text in (first, second)]
    assert told[0] == told[1]
    assert errors == ["", ""]
    assert len(list(Path(f"{graph}.partitions").iterdir())) == 1
    assert events(graph, Communities()) == []


def test_after_a_change_of_the_graph_both_are_made_anew(run: Run, graph: str) -> None:
    run("prepare", "partitions", graph)
    run("prepare", "vectors", graph)
    build([*TINY, ("Kenya", "borders", "Ethiopia")], Path(graph), overwrite=True)
    assert "are of an older version of the graph" in events(graph, Communities())[0]
    assert "is of an older version of the graph" in events(graph, VectorNeighbors(n=2))[0]
    assert events(graph, Communities()) == events(graph, VectorNeighbors(n=2)) == []


@pytest.mark.parametrize(("old", "new"), [("hubs", "hubs"), ("partition", "partitions"), ("embed", "embeddings")])
def test_an_old_name_says_the_new_one(run: Run, graph: str, old: str, new: str) -> None:
    refused(run(old, graph), f"graphbrick {old} is now graphbrick prepare {new}")
