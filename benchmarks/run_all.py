"""Run every benchmark that the data at hand allows and print the figures; ``make bench``.

MetaQA is looked for in the folder that GRAPHBRICK_DATA names, or in ``../shared/data``: ``metaqa/kb.txt.gz`` and
``metaqa/dev_{1,2,3}hop.jsonl.gz``. The world graph needs only the ``demo`` extra.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
import time
from importlib.resources import files
from pathlib import Path

from graphbrick import build
from graphbrick.demo.graph import world_graph

HERE = Path(__file__).parent
DATA = Path(os.environ.get("GRAPHBRICK_DATA") or HERE.parent.parent / "shared" / "data") / "metaqa"


def show(title: str, script: str, *arguments: str) -> None:
    """Run one script under a heading."""
    print(f"\n## {title}\n", flush=True)
    subprocess.run([sys.executable, str(HERE / script), *arguments], check=True)


def main() -> None:
    print(f"{platform.platform()}, Python {platform.python_version()}, {os.cpu_count()} processors")
    show("Start-up, opening, memory", "footprint.py")
    world = str(world_graph().path)
    show("World graph", "questions.py", world, str(files("graphbrick.demo") / "questions.jsonl"))
    if not DATA.is_dir():
        print(f"\nno MetaQA in {DATA}; set GRAPHBRICK_DATA to the folder that holds metaqa/")
        return
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        graph = build(DATA / "kb.txt.gz", Path(folder) / "metaqa.graph")
        print(f"\nbuilt {graph} in {time.perf_counter() - start:.1f} s")
        questions = [str(DATA / f"dev_{hops}hop.jsonl.gz") for hops in (1, 2, 3)]
        show("MetaQA", "questions.py", str(graph.path), *questions)
        few = ["--recipe", "1", "--recipe", "14", "--limit", "5"]  # of a model's, what a processor embeds in a minute
        show("Published instances", "instances.py", str(graph.path), *questions, *few)
        show("Memory", "memory.py", str(graph.path), *questions, "--recipe", "1", "--recipe", "14")


if __name__ == "__main__":
    main()
