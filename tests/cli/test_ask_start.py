"""What `graphbrick ask` loads in a new process before it answers."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from commands import Run

from graphbrick import build
from graphbrick.cli import pipelines
from graphbrick.models.embedders.minilm import MiniLM
from graphbrick.testing import TINY

ASK = """
import sys
from graphbrick.cli.app import main
try:
    main(["ask", sys.argv[1], "What is the capital of Kenya?"])
except SystemExit as stopped:
    print(stopped.code, *(name for name in ("numba", "pyarrow", "scipy", "openai", "torch") if name in sys.modules))
"""


def test_one_question_is_answered_without_loading_numba(tmp_path: Path) -> None:
    build(TINY, tmp_path / "tiny.graph")
    run = [sys.executable, "-c", ASK, str(tmp_path / "tiny.graph")]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Nairobi\n")
    assert done.stdout.endswith("\n0\n")


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the models that were loaded early, in the thread of the caller."""
    names: list[str] = []

    class AtOnce:
        def __init__(self, *_: object, **__: object) -> None: ...

        def submit(self, load) -> None:
            load()

        def shutdown(self, *, wait: bool) -> None: ...

    monkeypatch.setattr(pipelines, "ThreadPoolExecutor", AtOnce)
    monkeypatch.setattr(MiniLM, "load", lambda self: names.append(repr(self)))
    return names


@pytest.mark.parametrize(
    ("text", "recipe", "expected"),
    [
        (None, None, True),
        ("Patterns(MiniLM()) >> PathAnswer()", None, True),
        ("Patterns(BM25()) >> PathAnswer()", None, False),
        (None, "12", False),
    ],
)
def test_the_encoder_is_loaded_early_if_the_pipeline_has_it(
    tmp_path: Path, loaded: list[str], text: str | None, recipe: str | None, expected: bool
) -> None:
    pipelines.load_encoder_early(tmp_path / "none.graph", text, recipe)
    assert not loaded
    pipelines.load_encoder_early(tmp_path, text, recipe)
    assert bool(loaded) == expected


@pytest.mark.parametrize(
    ("described", "expected"), [('{"embedder": "MiniLM()"}', True), ('{"embedder": "USE()"}', False), ("[", False)]
)
def test_the_encoder_of_a_learned_graph_is_read_from_its_patterns(
    tmp_path: Path, loaded: list[str], described: str, expected: bool
) -> None:
    (tmp_path / "films.graph").mkdir()
    (tmp_path / "films.graph.patterns").mkdir()
    (tmp_path / "films.graph.patterns" / "model.json").write_text(described, encoding="utf-8")
    pipelines.load_encoder_early(tmp_path / "films.graph", None, None)
    assert bool(loaded) == expected


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
