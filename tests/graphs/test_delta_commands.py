"""graphbrick add, delete and compact, as their user meets them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import Run

from graphbrick import build
from graphbrick.graphs.graph import Graph


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    build([(f"n{i}", "r", "hub") for i in range(30)], "g.graph")
    (tmp_path / "more.txt").write_text("n1|r|hub\nnew|r|hub\n")
    (tmp_path / "gone.txt").write_text("n1|r|hub\nn2|r|hub\nnobody|r|hub\n")
    return tmp_path


def test_add(run: Run, folder: Path) -> None:
    code, out, _ = run("add", "g.graph", "more.txt")
    assert code == 0
    assert out.splitlines() == [
        "g.graph: 1 triple added, 0 deleted, 1 entity new, 0 described anew; it has 31 triples now",
        "there already, or given more than once: 1 triple",
    ]
    assert Graph.open("g.graph").n_triples == 31


def test_delete_stops_at_a_missing_triple(run: Run, folder: Path) -> None:
    code, out, err = run("delete", "g.graph", "gone.txt")
    assert (code, out) == (1, "")
    assert err.startswith("error: 1 of the triples to delete are not in g.graph, such as nobody -> r -> hub; nothing")
    assert err.count("\n") == 1
    code, out, _ = run("delete", "g.graph", "gone.txt", "--ignore-missing")
    assert code == 0
    assert out.splitlines() == [
        "g.graph: 0 triples added, 2 deleted, 0 entities new, 0 described anew; it has 28 triples now",
        "not there to delete: 1 triple",
        "  nobody -> r -> hub",
    ]


def test_json(run: Run, folder: Path) -> None:
    _, out, _ = run("delete", "g.graph", "gone.txt", "--ignore-missing", "--json")
    done = json.loads(out)
    assert (done["deleted"], done["missing"], done["skipped"]) == (2, [["nobody", "r", "hub"]], 0)
    assert done["graph"]["triples"] == 28
    (folder / "bad.txt").write_text("x|r|hub\nx|r\n")
    _, out, _ = run("add", "g.graph", "bad.txt", "--skip-bad", "--json")
    done = json.loads(out)
    assert (done["added"], done["entities"], done["known"], done["skipped"]) == (1, 1, 0, 1)
    assert "line 2" in done["reasons"][0]


def test_info_and_compact(run: Run, folder: Path) -> None:
    assert "changes" not in json.loads(run("info", "g.graph", "--json")[1])
    run("add", "g.graph", "more.txt")
    _, out, _ = run("info", "g.graph", "--check")
    assert "changed since it was built: 1 triple and 1 entity added, 0 triples deleted" in out
    assert "graphbrick compact" not in out
    run("delete", "g.graph", "gone.txt", "--ignore-missing")
    (folder / "three.csv").write_text("head,relation,tail\nn3,s,n4\n")
    code, out, _ = run("add", "g.graph", "three.csv")
    assert code == 0
    assert out.splitlines()[-1].endswith("fold them in: graphbrick compact g.graph")
    _, out, _ = run("info", "g.graph", "--json")
    facts = json.loads(out)
    assert facts["changes"] == {
        "files": 3, "triples_added": 2, "triples_deleted": 2, "entities_added": 1, "entities_described": 0,
        "compact_advised": True,
    }  # fmt: skip
    assert (facts["triples"], facts["relations"], facts["entities"]) == (30, 2, 32)
    assert facts["top_relations"] == [{"label": "r", "triples": 29}, {"label": "s", "triples": 1}]
    code, out, _ = run("compact", "g.graph")
    assert code == 0
    assert out.startswith("g.graph: 32 entities, 2 relations, 30 triples")
    assert "changes" not in json.loads(run("info", "g.graph", "--json")[1])


def test_a_changed_graph_is_asked(run: Run, folder: Path) -> None:
    (folder / "more.txt").write_text("Atlantis|lies in|the sea\n")
    run("add", "g.graph", "more.txt")
    code, out, _ = run("ask", "g.graph", "Where is Atlantis?", "-p", "PPR(k=10) >> ShortestPaths() >> PathAnswer()")
    assert code == 0
    assert out.splitlines()[:2] == ["the sea", "  Atlantis -> lies in -> the sea"]


@pytest.mark.parametrize("command", ["add", "delete"])
def test_bad_input(run: Run, folder: Path, command: str) -> None:
    for arguments, part in [
        (["none.graph", "more.txt"], "does not exist; build a graph with"),
        (["g.graph", "none.txt"], "there is no such file"),
        (["g.graph", "more.txt", "--columns", "1,2"], "--columns takes three columns"),
    ]:
        code, out, err = run(command, *arguments)
        assert (code, out) == (1, "")
        assert part in err
    assert not Graph.open("g.graph").changes.files
