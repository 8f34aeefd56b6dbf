"""The headline ranks pipelines only against those that were asked the same questions."""

from __future__ import annotations

from pathlib import Path

from graphbrick import build
from graphbrick.questions.question import Question
from graphbrick.study.report.writing import write_report
from graphbrick.study.runs.experiment import evaluate
from graphbrick.testing import TINY, tiny_graph

NEAR, FAR = "ShortestPaths(max_hops=1) >> PathAnswer()", "ShortestPaths() >> PathAnswer()"
KENYA = Question("k", "Which currency has Kenya?", ("Kenya",), ("Kenyan shilling",), dataset="d")
UGANDA = Question("u", "Which currency has Uganda?", ("Uganda",), ("Ugandan shilling",), dataset="d")


def headline(out: Path) -> str:
    return write_report(out, markdown=out.with_suffix(".md")).headline


def test_pipelines_of_the_same_questions_have_one_headline(tmp_path: Path) -> None:
    out = tmp_path / "runs.sqlite"
    evaluate(tiny_graph(), [KENYA, UGANDA], {"near": NEAR, "far": FAR}, out=out).close()
    assert " of 2 questions" in headline(out)
    assert headline(out).count("Hits@1") == 1


def test_pipelines_of_other_questions_have_their_own(tmp_path: Path) -> None:
    out = tmp_path / "runs.sqlite"
    evaluate(tiny_graph(), [KENYA, UGANDA], {"near": NEAR}, out=out).close()
    evaluate(tiny_graph(), [KENYA], {"far": FAR}, out=out).close()
    text = headline(out)
    assert "On 2 questions of " in text
    assert "On 1 question of " in text
    assert "the highest" not in text


def test_pipelines_on_other_graphs_have_their_own(tmp_path: Path) -> None:
    out, other = tmp_path / "runs.sqlite", build(TINY[:4], tmp_path / "other.graph")
    evaluate(tiny_graph(), [KENYA], {"near": NEAR}, out=out).close()
    evaluate(other, [KENYA], {"near": NEAR}, out=out).close()
    assert "of other.graph: near on other has Hits@1" in headline(out)
