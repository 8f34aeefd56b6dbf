"""Memory that the questions of a graph take above the loaded models, instance by instance (Linux).

    python benchmarks/memory.py GRAPH QUESTIONS ... [--recipe 12 ...] [--limit 3]

Every instance gets a process of its own. What is resident when kernels, model and graph are loaded is the base; the
figure is the peak over the questions, minus the base. Pages of the graph and of kept vectors count once they are read.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from graphbrick import Graph, MiniLM, recipe
from graphbrick.testing import tiny_graph
from questions import load


def resident(figure: str) -> float:
    """VmRSS or VmHWM of this process in MB."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(figure)) / 1024


def measure(graph: Graph, name: str, files: list[Path], limit: int) -> None:
    """Print one line of the table."""
    pipeline = recipe(name).pipeline()
    pipeline.run(tiny_graph(), "Which currency is used in Kenya?", seeds=["Kenya"])
    MiniLM().encode(["a text"])
    base = resident("VmRSS")
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")  # the peak is counted from here
    questions = [question for some in load(graph, files, limit).values() for question in some]
    for question in questions:
        pipeline.run(graph, question.query())
    print(f"| No. {name} | {len(questions)} | {base:.0f} | {resident('VmHWM') - base:.0f} |", flush=True)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("graph", type=Path)
    arguments.add_argument("questions", type=Path, nargs="+")
    arguments.add_argument("--recipe", action="append", help="name of a recipe; may be repeated")
    arguments.add_argument("--limit", type=int, default=3, help="questions of each hop count")
    given = arguments.parse_args()
    names = given.recipe or ["1", "2", "6", "12", "14"]
    if len(names) == 1:
        measure(Graph.open(given.graph), names[0], given.questions, given.limit)
        return
    print("| instance | questions | base MB | above it MB |\n|---|---|---|---|", flush=True)
    for name in names:
        options = ["--recipe", name, "--limit", str(given.limit)]
        subprocess.run([sys.executable, __file__, str(given.graph), *map(str, given.questions), *options], check=True)


if __name__ == "__main__":
    main()
