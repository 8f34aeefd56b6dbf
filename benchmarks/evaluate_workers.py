"""What workers cost and bring in `graphbrick evaluate`: processor seconds a question and a worker, memory, speed-up.

    python benchmarks/evaluate_workers.py [--workers 1 2] [--questions 33 99] [--repeat 3] [-p PIPELINE ...]

The questions of the demo over the world graph, in a new process for each number of workers and of questions. Processor
time is that of the process that was called, and that of its workers; their slope over the number of questions is the
cost of a question, and what is left of it the cost of a start. Memory is the proportional share (PSS) of all processes
together, so that mapped files count once. `speed-up` compares seconds of the clock and says something only on a
machine that does nothing else; the processor's bound is printed beside it: the share of the work that workers can do.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict, dataclass
from importlib.resources import files

from graphbrick import evaluate
from graphbrick.demo.graph import world_graph
from graphbrick.questions.loading import load as load_questions
from server_process import processes_below, proportional_memory

PIPELINES = (
    "PPR(k=1000) >> ShortestPaths() >> Rerank(BM25()) >> PathAnswer()",
    "PPR(k=1000) >> PruneEdges(MiniLM(), n=64) >> ShortestPaths() >> Rerank(MiniLM(), n=32) >> PathAnswer()",
)


@dataclass(frozen=True)
class Cost:
    """What one evaluation took.

    Attributes:
        clock: Seconds of the clock, without the start of Python.
        own: Processor seconds of the process that was called.
        workers: Processor seconds of its workers together.
        memory: Highest proportional memory of all its processes, MB.
    """

    clock: float
    own: float
    workers: float
    memory: float = 0.0


def _used(who: int) -> float:
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def answer(workers: int, questions: int, pipeline: str) -> Cost:
    """Evaluate in this process."""
    graph = world_graph()
    asked = load_questions(str(files("graphbrick.demo") / "questions.jsonl"))[:questions]
    start, before = time.perf_counter(), _used(resource.RUSAGE_SELF)
    with tempfile.TemporaryDirectory() as folder:
        evaluate(graph, asked, {"a": pipeline}, out=f"{folder}/runs.sqlite", workers=workers)
    own = _used(resource.RUSAGE_SELF) - before
    return Cost(time.perf_counter() - start, own, _used(resource.RUSAGE_CHILDREN))


def measured(workers: int, questions: int, pipeline: str) -> Cost:
    """Evaluate in a new process."""
    command = [sys.executable, __file__, "--one", "--workers", str(workers), "--questions", str(questions)]
    with subprocess.Popen([*command, "-p", pipeline], stdout=subprocess.PIPE, text=True) as process:
        peaks = [0.0]

        def watch() -> None:
            while process.poll() is None:
                peaks.append(proportional_memory(processes_below(process.pid)))
                time.sleep(0.5)

        watching = threading.Thread(target=watch)
        watching.start()
        output, _ = process.communicate()
        watching.join()
    if process.returncode:
        raise SystemExit(process.returncode)
    return Cost(**json.loads(output.splitlines()[-1]) | {"memory": max(peaks)})


def compare(pipeline: str, counts: list[int], workers: list[int], repeat: int) -> None:
    """Print the costs of a pipeline; of repeated runs the cheapest counts."""
    print(f"\n{pipeline}\n\n| workers | questions | clock s | own processor s | workers' processor s | PSS MB |")
    print("|---|---|---|---|---|---|", flush=True)
    slopes: dict[int, tuple[float, float, float]] = {}
    for number in workers:
        costs = []
        for count in counts:
            runs = [measured(number, count, pipeline) for _ in range(repeat)]
            cost = min(runs, key=lambda run: run.own + run.workers)
            costs.append(Cost(min(run.clock for run in runs), cost.own, cost.workers, cost.memory))
            shown = f"{cost.own:.2f} | {cost.workers:.2f} | {cost.memory:.0f}"
            print(f"| {number} | {count} | {costs[-1].clock:.2f} | {shown} |", flush=True)
        few, many, more = costs[0], costs[-1], counts[-1] - counts[0]
        slopes[number] = tuple(
            (getattr(many, name) - getattr(few, name)) / more for name in ("clock", "own", "workers")
        )
        clock, own, theirs = (1000 * slope for slope in slopes[number])
        start = (few.own + few.workers) - (own + theirs) * counts[0] / 1000
        print(f"\n{number} workers: {own:.1f} + {theirs:.1f} ms of the processor a question, {start:.2f} s to start")
        if number > 1 and 1 in slopes:
            alone = slopes[1][0], sum(slopes[1][1:])
            print(
                f"speed-up {1000 * alone[0] / clock:.2f} a question by the clock; "
                f"{number * 1000 * alone[1] / (own + theirs):.2f} if only the processor counted"
            )
        print(flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--questions", type=int, nargs="+", default=[33, 99])
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("-p", "--pipeline", action="append")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    pipelines = options.pipeline or PIPELINES
    if options.one:
        print(json.dumps(asdict(answer(options.workers[0], options.questions[0], pipelines[0]))))
        return
    world_graph()
    for pipeline in pipelines:
        compare(pipeline, options.questions, options.workers, options.repeat)


if __name__ == "__main__":
    main()
