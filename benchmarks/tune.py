"""The search for a pipeline against published recipes, the default and random search with the same time.

    python benchmarks/tune.py FOLDER [--data DATA] [--graph world ...] [--time 1800] [--json FILE]

DATA (or GRAPHBRICK_DATA, or ``../shared/data``) holds ``metaqa`` and ``freebase``; the world graph comes with packages.
Each graph is searched twice, by `graphbrick.tune.tune` and with pipelines drawn at random, over the same questions and
in the same time. Then the winners, the default and recipes 1 to 15 that need no language model answer the same other
questions: quality with intervals, milliseconds, and how much of the time shared beginnings saved. FOLDER keeps all, and
the same call goes on.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from graphbrick import Graph
from graphbrick.cli.pipelines import default_pipeline
from graphbrick.evaluate import evaluate
from graphbrick.evaluate.datasets import Question, sample_each
from graphbrick.evaluate.statistics.intervals import interval
from graphbrick.tune import Aim, Settings, Tuned, tune
from graphbrick.tune.default_space import known_pipelines
from graphbrick.tune.search import split
from graphbrick.tune.writing import write_files
from unlabelled import DATA, GRAPHS

_EACH = 300  # questions of each hop count that take part


def searched(graph: Graph, questions: list[Question], folder: Path, settings: Settings) -> Tuned:
    """Search, or go on with a search, and write its files."""

    def watch(step: str, done: int, total: int) -> None:
        print(f"\r{step}: {done} of {total} s   ", end="", flush=True)

    known = known_pipelines(graph, default=default_pipeline(graph))
    result = tune(graph, questions, folder, known=known, settings=settings, watch=watch)
    print()
    write_files(result, folder, graph=folder.parent.name)
    return result


def table(
    graph: Graph, questions: list[Question], found: dict[str, Tuned], folder: Path, seed: int
) -> list[dict[str, Any]]:
    """Return figures of all pipelines on the questions that chose nothing."""
    pipelines = dict(known_pipelines(graph, default=default_pipeline(graph)))
    pipelines = {name: text for name, text in pipelines.items() if not name.startswith("recipe P")}
    for name, result in found.items():
        pipelines |= {
            f"{name}, {one.aim}": one.text for one in result.recommended if one.text not in pipelines.values()
        }
    _, final = split(questions, seed=seed)
    rows = []
    with evaluate(graph, final, pipelines, out=folder / "final.sqlite", exchanges=False) as study:
        for run in study.runs():
            results = study.results(run.id)
            quality = interval([float(one.metrics["hits_at_1"] or 0) for one in results])
            times = sorted(one.seconds for one in results)
            rows.append({
                "pipeline": run.name, "recipe": run.recipe, "n": len(results), "hits_at_1": quality.mean,
                "low": quality.low, "high": quality.high, "ms": 1000 * times[len(times) // 2],
                "ms_95": 1000 * times[int(0.95 * len(times))],
            })  # fmt: skip
    return sorted(rows, key=lambda row: -row["hits_at_1"])


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--data", type=Path, default=DATA)
    arguments.add_argument("--graph", action="append", choices=["world", "metaqa", "freebase"])
    arguments.add_argument("--time", type=float, default=1_800.0, help="seconds for each search")
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--json", type=Path)
    given = arguments.parse_args()
    every = {}
    for name in given.graph or ["world", "metaqa", "freebase"]:
        folder = given.folder / name
        folder.mkdir(parents=True, exist_ok=True)
        graph, loaded = GRAPHS[name](given.data, folder)
        questions = list(sample_each(loaded, _EACH, seed=given.seed))
        aims = (Aim.parse("quality"), Aim.parse("latency<20ms"))
        settings = Settings(aims=aims, seconds=given.time, seed=given.seed)
        found = {
            "searched": searched(graph, questions, folder / "searched", settings),
            "at random": searched(graph, questions, folder / "at-random", replace(settings, at_random=True)),
        }
        rows = table(graph, questions, found, folder, given.seed)
        print(f"\n{name}: {rows[0]['n']} questions that chose nothing")
        print("| pipeline | Hits@1 | ms | 95 % |\n|---|---|---|---|")
        for row in rows:
            quality = f"{row['hits_at_1']:.3f} ({row['low']:.3f} to {row['high']:.3f})"
            print(f"| {row['pipeline']} | {quality} | {row['ms']:.1f} | {row['ms_95']:.1f} |")
        for kind, result in found.items():
            saved = 1 - result.seconds / result.alone if result.alone else 0
            print(f"{kind}: {result.tried} of {result.size:,} tried in {result.seconds:.0f} s")
            print(f"  given up: {result.given_up}; shared beginnings saved {saved:.0%}")
            for effect in sorted(result.effects, key=lambda one: one.p)[:6]:
                print(f"  {effect.of}: {effect.words()}")
        every[name] = {"rows": rows, **{kind: result.to_json() for kind, result in found.items()}}
        if given.json:
            given.json.write_text(json.dumps(every, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
