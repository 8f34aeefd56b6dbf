"""The folder of a search for pipelines with made figures."""

from __future__ import annotations

from pathlib import Path

from graphbrick.study.statistics.comparison import Comparison
from graphbrick.study.statistics.intervals import Interval
from graphbrick.study.tune.aims import Figures
from graphbrick.study.tune.result.changes import Effect
from graphbrick.study.tune.result.result import BrickFigures, Measured, Recommended, Tuned
from graphbrick.study.tune.result.writing import write_files

BEST = "PPR(k=50) >> ShortestPaths() >> Rerank(BM25(), n=8) >> PathAnswer()"
FAST = "ShortestPaths(max_hops=2) >> PathAnswer()"


def write_search(folder: Path) -> Path:
    """Write the result of a search."""
    folder.mkdir(parents=True)
    write_files(made_result(), folder, graph="made")
    return folder


def made_result() -> Tuned:
    """Return the result of a search that recommends a pipeline for quality, and a fast one that breaks its limit."""
    names = {
        "#7 <b>best</b>": (BEST, 0.8, 0.05),
        "#3": (FAST, 0.6, 0.004),
        "default": (BEST.replace("8", "32"), 0.7, 0.2),
    }
    measured = [
        Measured(
            *(name, text, Figures(quality + 0.1, seconds, 0, 0, 60), Figures(quality, seconds, 0, 0, 50)),
            *(Interval(quality, quality - 0.1, quality + 0.1, 50), 2 * seconds, name != "default"),
        )
        for name, (text, quality, seconds) in names.items()
    ]
    effects = [
        Effect("#7 <b>best</b>", "without Rerank", FAST, Interval(-0.12, -0.2, -0.04, 50), 0.01, -0.04, 0.0),
        Effect("#7 <b>best</b>", "with KHop()", f"KHop() >> {FAST}", Interval(0.0, -0.1, 0.1, 50), 0.9, 0.01, 0.0),
    ]
    comparison = Comparison("#7 <b>best</b>", "default", Interval(0.1, 0.0, 0.2, 50), 9, 4, "McNemar", 0.1, 0.2, 0.2, 0)
    recommended = (
        Recommended("quality", "quality", "#7 <b>best</b>", BEST, True),
        Recommended("latency-1ms", "latency<1ms", "#3", FAST, False),
    )
    return Tuned(
        metric="hits_at_1", recommended=recommended, measured=tuple(measured), comparisons=(comparison,),
        baseline="default", effects=tuple(effects), bricks=(BrickFigures("extract", "PPR", 4, 0.9, 0.05),),
        notes=("50 questions are few.",),
        tried=40, given_up={"fails": 2}, size=1_000_000, choosing=60, final=50, seconds=600.0, alone=900.0, ran=400.0,
        rules=("Pipelines with PPR were on average 4.0 points better than with KHop (n = 12 and 9, +1.0 to +7.0).",),
    )  # fmt: skip
