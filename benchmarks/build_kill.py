"""Kills builds at random moments: the old graph or none must open, and a rerun must give the same bytes.

    python benchmarks/build_kill.py [--triples 3e7] [--kills 20] [--folder FOLDER] [--seed 0]

Every other build replaces an older graph, the others make a new one. After each kill (SIGKILL) the target must open as
the old graph (or as the new one, where the kill came after the end), or not at all where there was none. Then the build
is started again: it is taken up after the last step that was finished, and every file must be the same, byte by byte,
as from a build that was never killed. One line a kill; exit code 1 when anything does not hold.
"""

from __future__ import annotations

import argparse
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from graphbrick import Graph, build
from graphbrick.core.errors import GraphFormatError
from graphbrick.core.files.digests import sha256

_BUILD = """
import sys
from pathlib import Path
from graphbrick.graphs.build.builder import build
steps = set()
def progress(step, share, total):
    if step not in steps:
        steps.add(step)
        print(step, flush=True)
build(Path(sys.argv[1]), Path(sys.argv[2]), overwrite=True, progress=progress)
"""


def contents(folder: Path) -> dict[str, str]:
    """The checksum of every file of a graph."""
    return {file.name: sha256(file) for file in sorted(folder.iterdir())}


def opened(target: Path) -> str:
    """The hash of the graph that opens; empty for none."""
    try:
        return Graph.open(target).hash
    except GraphFormatError:
        return ""


def start(source: Path, target: Path) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", _BUILD, source, target], stdout=subprocess.PIPE, text=True)


def finish(process: subprocess.Popen[str]) -> list[str]:
    """The steps that a build began, when it has ended."""
    steps = process.communicate()[0].split("\n")
    if process.returncode not in (0, -signal.SIGKILL):
        raise SystemExit(f"a build failed with code {process.returncode}")
    return [step for step in steps if step]


def kill_once(source: Path, target: Path, old: Path | None, wait: float) -> tuple[str, str, str]:
    """Kill a build after some seconds; the step it was in, the hash of what opens then, the first step of the rerun."""
    shutil.rmtree(target, ignore_errors=True)
    if old is not None:
        shutil.copytree(old, target)
    process = start(source, target)
    time.sleep(wait)
    process.kill()
    steps = finish(process)
    found = opened(target)
    again = finish(start(source, target))
    return (steps or ["starting"])[-1], found, again[0]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--triples", default="3e7")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, default=None, help="where to work; a temporary folder by default")
    chosen = parser.parse_args()
    rng = random.Random(chosen.seed)
    if chosen.folder is not None:
        chosen.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=chosen.folder) as name:
        folder = Path(name)
        source, target, reference = folder / "kb.tsv", folder / "g.graph", folder / "reference.graph"
        generator = Path(__file__).with_name("synthetic.py")
        subprocess.run([sys.executable, generator, chosen.triples, source], check=True)
        old = build([("an", "old", "graph")], folder / "old.graph")
        begun = time.perf_counter()
        finish(start(source, reference))
        seconds = time.perf_counter() - begun
        new, expected = Graph.open(reference), contents(reference)
        print(f"{new.n_triples:,} triples built in {seconds:.0f} s, not killed", flush=True)
        failures = 0
        for number in range(chosen.kills):
            replaced = old.path if number % 2 else None
            wait = rng.uniform(0.3, 1.02 * seconds)
            step, found, again = kill_once(source, target, replaced, wait)
            opens = {"": "nothing", old.hash: "the old graph", new.hash: "the new graph"}.get(found, "another graph")
            right = found in (("", new.hash) if replaced is None else (old.hash, new.hash))
            same = contents(target) == expected
            left = [entry.name for entry in folder.iterdir() if entry.name.startswith(".")]
            failures += not (right and same and not left)
            print(
                f"{number + 1}: killed after {wait:.1f} s while {step}; {opens} opened; taken up at {again}; "
                f"{'the same bytes' if same else 'OTHER BYTES'}" + (f"; LEFT {left}" if left else ""),
                flush=True,
            )
    print("all held" if not failures else f"{failures} did not hold")
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
