"""What the command `tune` hands to the search, and what it prints; no search is run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from commands import Run, refused
from made_search import made_result

from graphbrick.testing import tiny_graph


@pytest.fixture
def handed(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the last search was asked for."""
    last: dict[str, Any] = {}

    def tune(graph: object, questions: object, out: Path, **options: Any) -> object:
        last.update(options, questions=questions, out=out)
        return made_result()

    monkeypatch.setattr("graphbrick.study.tune.search.tune", tune)
    return last


@pytest.mark.whole
def test_bricks_left_out_are_left_out_of_published_recipes_too(
    run: Run, handed: dict[str, Any], tmp_path: Path
) -> None:
    graph = str(tiny_graph().place)
    shown = run("tune", graph, "--without", "PPR", "--out", str(tmp_path))
    assert shown.code == 0
    assert handed["questions"] is None
    assert not any("PPR(" in text for name, text in handed["known"].items() if name != "default")
    assert "recipe P1" in handed["known"]
    assert handed["settings"].only_compared is ("PPR(" in handed["known"]["default"])
    assert "rules of thumb:" in shown.out
    assert "points better than with KHop (n = 12 and 9" in shown.out


@pytest.mark.parametrize("option", ["Rerank(", "foo bar", "Rerank(BM25(), n=x)", "Rerank($nope)"])
def test_an_option_that_cannot_be_read(run: Run, handed: dict[str, Any], option: str) -> None:
    shown = run("tune", str(tiny_graph().place), "--only", f"rerank={option}")
    assert (shown.code, handed) == (1, {})
    assert shown.err.startswith("error: ")


def test_a_stage_that_is_restricted_restricts_published_recipes_too(run: Run, handed: dict[str, Any]) -> None:
    graph = str(tiny_graph().place)
    assert run("tune", graph, "--only", "extract=KHop()").code == 0
    assert set(handed["known"]) == {"default"}
    refused(run("tune", graph, "--workers", "0"), "workers of a search must be 1 to 1024, got 0", "try 1")
