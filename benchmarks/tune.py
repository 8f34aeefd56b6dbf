"""The search for a pipeline against published recipes, the default and random search with the same time.

    python benchmarks/tune.py FOLDER [--data DATA] [--graph world ...] [--kind searched ...] [--time 1800]
        [--json FILE]

DATA (or GRAPHBRICK_DATA, or ``../shared/data``) holds ``metaqa`` and ``freebase``; the world graph comes with packages.
Each graph is searched in three ways (or those that ``--kind`` names) at once, each in a process of its own, so that all
have the same share of the machine:

- «searched»: `graphbrick.study.tune.tune`
- «even draws»: the same, but pipelines are drawn evenly instead of by optuna; what the race brings remains
- «random»: pipelines drawn evenly, each asked the first 100 questions to choose by; the best mean wins. There are no
  known pipelines to begin with, and all of the time is for choosing

Then what they recommend, the default and recipes 1 to 15 that need no language model answer the same questions, which
chose nothing: quality with intervals, the p-value against the default (corrected by Holm), and milliseconds. FOLDER
keeps all, and the same call goes on.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from graphbrick import Graph
from graphbrick.cli.pipelines import default_pipeline
from graphbrick.core.errors import GraphbrickError
from graphbrick.pipeline.budget import Budget, StoppedError, spending
from graphbrick.pipeline.parsing import parse
from graphbrick.questions.question import Question
from graphbrick.questions.sampling import sample, sample_each
from graphbrick.study.runs.experiment import evaluate
from graphbrick.study.statistics.comparison import compare
from graphbrick.study.statistics.intervals import interval
from graphbrick.study.store.reader import Study
from graphbrick.study.tune.aims import Aim
from graphbrick.study.tune.questions import split
from graphbrick.study.tune.search import tune
from graphbrick.study.tune.settings import Settings
from graphbrick.study.tune.space.default_space import default_space, known_pipelines
from graphbrick.study.tune.space.space import readable
from unlabelled import DATA, GRAPHS

_EACH = 300  # questions of each hop count that take part
_RANDOM = 100  # questions that random search asks each pipeline
_SLOWEST = 2.0  # seconds a question that it tolerates, as the search does
KINDS = ("searched", "even draws", "random")


def searched(kind: str, name: str, folder: Path, data: Path, settings: Settings) -> dict[str, Any]:
    """Search a graph in one of the ways, or go on with it; return the recipe texts by aim, and figures."""
    graph, loaded = GRAPHS[name](data, folder)
    questions = list(sample_each(loaded, _EACH, seed=settings.seed))
    place = folder / kind.replace(" ", "-")
    place.mkdir(exist_ok=True)
    if kind == "random":
        return _random(graph, questions, place, settings)
    settings = replace(settings, at_random=kind == "even draws")
    known = known_pipelines(graph, default=default_pipeline(graph))
    result = tune(graph, questions, place, known=known, settings=settings)
    return {"recipes": {one.aim: one.text for one in result.recommended}, "tried": result.tried, "size": result.size,
            "seconds": result.seconds, "saved": result.saved, "given_up": result.given_up,
            "effects": [effect.words() for effect in sorted(result.effects, key=lambda one: one.p)[:6]]}  # fmt: skip


def _random(graph: Graph, questions: list[Question], place: Path, settings: Settings) -> dict[str, Any]:
    """Draw pipelines evenly, ask each the same questions, and return the best for each aim."""
    choosing, space, rng = split(questions, seed=settings.seed)[0][:_RANDOM], default_space(graph), random.Random(0)
    start = time.monotonic()
    while (left := settings.seconds - (time.monotonic() - start)) > 0:
        text = space.draw(lambda _, texts: rng.choice(list(texts)))
        if readable(text) is None:
            continue
        seconds = min(left, _SLOWEST * len(choosing))
        with suppress(GraphbrickError), spending(Budget(seconds=seconds)):
            evaluate(graph, choosing, {text: text}, out=place / "study.sqlite", exchanges=False).close()
    found: list[tuple[str, float, float]] = []
    with Study.open(place / "study.sqlite") as study:
        runs = study.runs()
        for run in runs:
            results = study.results(run.id)
            if len(results) == len(choosing):
                mean = sum(float(one.metrics["hits_at_1"] or 0) for one in results) / len(results)
                found.append((run.recipe, mean, sorted(one.seconds for one in results)[len(results) // 2]))
    recipes = {}
    for aim in settings.aims:
        fit = [one for one in found if one[2] < aim.limits.get("seconds", 1e9)]
        if fit:
            recipes[aim.text] = min(fit, key=lambda one: (-one[1], one[2]))[0]
    return {"recipes": recipes, "tried": len(runs), "size": space.size, "seconds": settings.seconds, "saved": 0.0,
            "given_up": {"too slow or failed": len(runs) - len(found)}, "effects": []}  # fmt: skip


def table(
    graph: Graph, final: tuple[Question, ...], found: dict[str, dict[str, Any]], folder: Path, seconds: float
) -> list[dict[str, Any]]:
    """Return figures of all pipelines on the questions that chose nothing."""
    known = known_pipelines(graph, default=default_pipeline(graph))
    names = {repr(parse(text)): name for name, text in known.items() if not name.startswith("recipe P")}
    for kind, result in found.items():
        for aim, recipe in result["recipes"].items():
            text = repr(parse(recipe))  # as studies write it
            names[text] = f"{names[text]} = {kind}, {aim}" if text in names else f"{kind}, {aim}"
    for text, name in names.items():
        limit = None if name.startswith("default") else seconds  # the others are compared with the default
        with suppress(StoppedError), spending(Budget(seconds=limit)):
            evaluate(graph, final, {name: text}, out=folder / "final.sqlite", exchanges=False).close()
    rows, scores = [], {}
    with Study.open(folder / "final.sqlite") as study:
        for run in study.runs():
            results = study.results(run.id) if run.recipe in names else []  # else of an earlier call
            if not results:
                continue
            times = sorted(one.seconds for one in results)
            row = {"pipeline": names[run.recipe], "recipe": run.recipe, "n": len(results),
                   "ms": 1000 * times[len(times) // 2], "ms_95": 1000 * times[int(0.95 * len(times))]}  # fmt: skip
            if len(results) == len(final):
                scores[names[run.recipe]] = [float(one.metrics["hits_at_1"] or 0) for one in results]
                quality = interval(scores[names[run.recipe]])
                row |= {"hits_at_1": quality.mean, "low": quality.low, "high": quality.high}
            rows.append(row)
    baseline = next(name for name in scores if name.startswith("default"))
    p = {row.first: row.p_holm for row in compare(scores, baseline=baseline)}
    rows = [{**row, "p": p.get(str(row["pipeline"]))} for row in rows]
    return sorted(rows, key=lambda row: -float(row.get("hits_at_1", -1)))


def show(name: str, rows: list[dict[str, Any]], found: dict[str, dict[str, Any]]) -> None:
    """Print the table of a graph, and what the searches did."""
    print(f"\n{name}: {rows[0]['n']} questions that chose nothing")
    print("| pipeline | Hits@1 | p | ms | ms, 95 % |\n|---|---|---|---|---|")
    for row in rows:
        quality = f"{row['hits_at_1']:.3f} ({row['low']:.3f} to {row['high']:.3f})" if "low" in row else "too slow"
        p = "" if row["p"] is None else f"{row['p']:.2g}"
        print(f"| {row['pipeline']} | {quality} | {p} | {row['ms']:.1f} | {row['ms_95']:.1f} |")
    for kind, result in found.items():
        print(f"{kind}: {result['tried']} of {result['size']:,} tried in {result['seconds']:.0f} s")
        print(f"  given up: {result['given_up']}; shared beginnings saved {result['saved']:.0%} of the work")
        for aim, text in result["recipes"].items():
            print(f"  {aim}: {text}")
        for words in result["effects"]:
            print(f"  {words}")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--data", type=Path, default=DATA)
    arguments.add_argument("--graph", action="append", choices=["world", "metaqa", "freebase"])
    arguments.add_argument("--kind", action="append", choices=KINDS)
    arguments.add_argument("--time", type=float, default=1_800.0, help="seconds for each search")
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--final", type=int, default=400, help="questions for the table, at most")
    arguments.add_argument("--each", type=float, default=600.0, help="seconds for a pipeline of the table, at most")
    arguments.add_argument("--json", type=Path)
    given = arguments.parse_args()
    every = {}
    for name in given.graph or ["world", "metaqa", "freebase"]:
        folder = given.folder / name
        folder.mkdir(parents=True, exist_ok=True)
        graph, loaded = GRAPHS[name](given.data, folder)
        aims = (Aim.parse("quality"), Aim.parse("latency<20ms"))
        settings = Settings(aims=aims, seconds=given.time, seed=given.seed)
        done = folder / "found.json"
        if done.exists():
            found = json.loads(done.read_text("utf-8"))
        else:
            kinds = given.kind or KINDS
            with ProcessPoolExecutor(len(kinds), get_context("spawn")) as processes:
                started = {kind: processes.submit(searched, kind, name, folder, given.data, settings) for kind in kinds}
                found = {kind: future.result() for kind, future in started.items()}
            done.write_text(json.dumps(found), encoding="utf-8")
        final = split(sample_each(loaded, _EACH, seed=given.seed), seed=given.seed)[1]
        rows = table(
            graph, tuple(sample(final, min(len(final), given.final), seed=given.seed)), found, folder, given.each
        )
        show(name, rows, found)
        every[name] = {"rows": rows, **found}
        if given.json:
            given.json.write_text(json.dumps(every, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
