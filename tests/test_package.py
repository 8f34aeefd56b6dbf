"""The public names of the package, and that its documents work as they stand."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from pages import example, imported

import graphbrick
from graphbrick.pipeline.catalog import all_bricks
from graphbrick.testing import tiny_graph

ROOT = Path(__file__).parent.parent


def test_every_public_name_exists_and_is_declared_for_type_checkers():
    tree = ast.parse(Path(graphbrick.__file__).read_text(encoding="utf-8"))
    guarded = next(node for node in tree.body if isinstance(node, ast.If))
    declared = {alias.asname for node in guarded.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert declared | {"__version__"} == {*graphbrick.__all__, "open"}  # which a star must not import
    for name in graphbrick.__all__:
        assert getattr(graphbrick, name) is not None


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        graphbrick.Nothing  # noqa: B018 - the access is what is tested


def test_the_pages_and_the_project_agree_on_bricks_and_extras():
    stages = (ROOT / "docs/reference/stages.md").read_text(encoding="utf-8")
    bricks = {name for name, brick in all_bricks().items() if brick.__module__.startswith("graphbrick.")}
    assert {name for name in bricks if f"`{name}`" not in stages} == set()
    install = (ROOT / "docs/how-to/install.md").read_text(encoding="utf-8")
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert {name for name in extras if name != "dev" and f"`{name}`" not in install} == set()


def test_the_brick_of_the_contributing_page_keeps_the_contract(tmp_path, monkeypatch):
    (tmp_path / "shortest_first.py").write_text(example("CONTRIBUTING.md", "ShortestFirst"), encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    from shortest_first import ShortestFirst

    from graphbrick import PathAnswer, Query, Run, ShortestPaths, Subgraph, build
    from graphbrick.core.trace import Trace
    from graphbrick.pipeline.interpreter import execute
    from graphbrick.testing import check_brick, tiny_graph

    pipeline = ShortestPaths() >> ShortestFirst(n=1) >> PathAnswer()
    assert pipeline(tiny_graph(), "Which country has the capital Nairobi?").texts == ("Kenya",)
    check_brick(ShortestFirst(), installed=False)
    graph = build([("Ann", "spouse", "Bob"), ("Cid", "spouse", "Ann"), ("Ann", "boss", "Dan")], tmp_path / "g.graph")
    query = Query("Who is the spouse of Ann?", seeds=(graph.entity("Ann"),))
    told = replace(ShortestPaths(max_hops=1).retrieve(query, Subgraph(graph)), symmetric=frozenset({"spouse"}))
    run = Run(graph, query, linked=True, evidence=told, trace=Trace())
    assert execute(PathAnswer(), run).answer.texts == ("Bob", "Cid")
    assert execute(ShortestFirst() >> PathAnswer(), run).answer.texts == ("Bob", "Cid")


def test_the_evidence_of_the_contributing_page_is_ranked_and_joined_with_paths(tmp_path, monkeypatch):
    (tmp_path / "seed_descriptions.py").write_text(example("CONTRIBUTING.md", "Description"), encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    from seed_descriptions import Description, SeedDescriptions

    from graphbrick import BM25, Rerank, ShortestPaths, build
    from graphbrick.graphs.records.records import EntityRecord
    from graphbrick.testing import check_brick

    records = [("Kenya", "capital", "Nairobi"), EntityRecord("Nairobi", description="a city with a railway")]
    graph = build(records, tmp_path / "cities.graph")
    run = ((SeedDescriptions() | ShortestPaths()) >> Rerank(BM25(), n=1)).run(graph, "Has Nairobi a railway?")
    assert run.evidence.texts() == ["Nairobi: a city with a railway"]
    (item,) = run.evidence.items
    assert (type(item), item.source) == (Description, "SeedDescriptions()")
    check_brick(SeedDescriptions(), installed=False)


def test_the_scorer_of_the_contributing_page_keeps_the_contract(monkeypatch):
    scorer = imported("CONTRIBUTING.md", "SameStart", monkeypatch).SameStart

    from graphbrick.testing import check_brick

    assert scorer(letters=5).score("Which currencies?", ["Kenya -> currency", "Kenya -> cure", ""]).tolist() == [
        1,
        0,
        0,
    ]
    check_brick(scorer(), installed=False)


@pytest.mark.whole
def test_every_module_can_be_imported_without_what_only_posix_has():
    # Stands in for Windows: these modules and functions are missing there.
    script = """
import importlib, multiprocessing, os, pkgutil, sys, traceback
# The system's own first, and what asks which system it is on before it imports.
import numpy, numba, typer, filelock, tempfile, subprocess, asyncio, importlib.metadata, mcp
for name in ("fcntl", "termios", "resource", "pwd", "grp", "posix"):
    sys.modules[name] = None
for name in ("register_at_fork", "fork", "sched_getaffinity", "getuid", "geteuid", "statvfs", "pread", "posix_fadvise"):
    if hasattr(os, name):
        delattr(os, name)
import graphbrick
for module in pkgutil.walk_packages(graphbrick.__path__, "graphbrick."):
    if module.name.endswith((".__main__", ".serving_child")):
        continue
    try:
        importlib.import_module(module.name)
    except Exception as error:
        print(module.name, type(error).__name__, error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == ""


def test_a_pipeline_loads_few_modules(tmp_path):
    script = """
import sys
from graphbrick import BM25, PPR, Graph, PathAnswer, Rerank, ShortestPaths
pipeline = PPR() >> ShortestPaths() >> Rerank(BM25()) >> PathAnswer()
assert pipeline(Graph.open(sys.argv[1]), "What is the capital of Kenya?").texts == ("Nairobi",)
files = {module.__file__ for name, module in sys.modules.items() if name.split(".")[0] == "graphbrick"}
print(len(files), sum(open(file, encoding="utf-8").read().count("\\n") for file in files))
"""
    place = str(tiny_graph().place)
    done = subprocess.run([sys.executable, "-c", script, place], capture_output=True, text=True, check=True)
    modules, lines = map(int, done.stdout.split())
    assert modules <= 120
    assert lines <= 15_000
