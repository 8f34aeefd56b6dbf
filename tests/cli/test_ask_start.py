"""What `graphbrick ask` loads in a new process before it answers."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from commands import Run

from graphbrick import build
from graphbrick.testing import TINY

ASK = """
import sys
from graphbrick.cli.app import main
try:
    main(sys.argv[1:])
except SystemExit as stopped:
    print(stopped.code, *(name for name in ("numba", "pyarrow", "scipy", "openai", "torch") if name in sys.modules))
"""


def test_one_question_is_answered_without_loading_numba(tmp_path: Path) -> None:
    build(TINY, tmp_path / "tiny.graph")
    run = [sys.executable, "-c", ASK, "ask", str(tmp_path / "tiny.graph"), "What is the capital of Kenya?"]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Nairobi\n")
    assert done.stdout.endswith("\n0\n")


def test_what_a_graph_holds_is_shown_without_loading_numba(tmp_path: Path) -> None:
    build(TINY, tmp_path / "tiny.graph")
    run = [sys.executable, "-c", ASK, "info", str(tmp_path / "tiny.graph")]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    assert "triples" in done.stdout
    assert done.stdout.endswith("\n0\n")


@pytest.mark.whole
def test_what_a_question_embedded_is_kept_by_the_process_that_ends(run: Run, tmp_path: Path) -> None:
    graph = tmp_path / "africa.graph"
    build(TINY, graph)
    pipeline = "ShortestPaths(max_hops=2) >> Rerank(MiniLM(), n=3) >> PathAnswer()"
    ask = [
        "ask",
        str(graph),
        "Which currency is used in the country whose capital is Nairobi?",
        "-p",
        pipeline,
        "--json",
    ]
    ended = subprocess.run([sys.executable, "-m", "graphbrick.cli.app", *ask], capture_output=True, check=True)
    first, second = json.loads(ended.stdout), json.loads(run(*ask).out)
    assert first["evidence"] == second["evidence"]
    ranked = [told["trace"]["stages"][-2] for told in (first, second)]
    assert ranked[0]["cache_hits"] == 0
    assert ranked[1]["cache_hits"] == ranked[0]["counts_in"]["paths"]
    assert ranked[1]["calls"] == 1  # the question
