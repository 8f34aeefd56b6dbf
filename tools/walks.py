"""Walk four commands through the code: which files run, and how often the path goes from one file to another.

    python tools/walks.py [TREE ...]

For each tree (this checkout by default) and for `ask`, `index`, `learn` and one question to `serve`, it prints the
number of files of the package in which a function ran, and the number of calls that lead into another file. Only what
runs in the main process counts, threads included. The graph is the tiny one of `graphbrick.testing`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

WALK = """
import json, os, sys, tempfile, threading
from pathlib import Path
from graphbrick.testing import tiny_graph

name = sys.argv[1]
work = Path(tempfile.mkdtemp())
os.environ["GRAPHBRICK_CACHE"] = str(work / "cache")
graph = str(tiny_graph().path)
ran, local = set(), threading.local()
changes = [0]

def watch(frame, event, argument):
    if event == "call":
        file = frame.f_code.co_filename
        # Flags of a function: the bodies of modules and classes run when they are imported, not when they are used.
        if "/graphbrick/" in file and frame.f_code.co_flags & 1:
            ran.add(file)
            changes[0] += file != getattr(local, "last", file)
            local.last = file

def call(*arguments):
    from graphbrick.cli.app import main
    try:
        main(list(arguments))
    except SystemExit as stopped:
        assert not stopped.code, stopped.code

question = "What is the capital of Kenya?"
if name == "serve":
    from starlette.testclient import TestClient
    from graphbrick.serve.app import create_app
    from graphbrick.serve.options import ServeOptions
    with TestClient(create_app(ServeOptions(graphs={"tiny": graph})), base_url="http://localhost") as client:
        threading.setprofile(watch), sys.setprofile(watch)
        reply = client.post("/v1/ask", json={"graph": "tiny", "question": question})
        sys.setprofile(None), threading.setprofile(None)
        assert reply.status_code == 200, reply.text
else:
    notes = work / "notes"
    notes.mkdir()
    (notes / "kenya.txt").write_text("Nairobi is the capital of Kenya. The Kenyan shilling is used in Kenya.")
    arguments = {
        "ask": ("ask", graph, question),
        "index": ("index", str(notes), str(work / "notes.graph")),
        "learn": ("learn", graph, "--questions", "200"),
    }[name]
    threading.setprofile(watch), sys.setprofile(watch)
    call(*arguments)
    sys.setprofile(None), threading.setprofile(None)
print(json.dumps([len(ran), changes[0]]), file=sys.stderr)
"""
COMMANDS = ("ask", "index", "learn", "serve")


def walk(tree: Path, command: str) -> tuple[int, int]:
    """Return the number of files that ran, and of calls into another file."""
    environment = os.environ | {"PYTHONPATH": str(tree / "src")}
    done = subprocess.run([sys.executable, "-c", WALK, command], env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command} in {tree} failed:\n{done.stderr}")
    files, changes = json.loads(done.stderr.splitlines()[-1])
    return files, changes


def main() -> None:
    """Print a line for each command, with the files and changes of each tree."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])  # type: ignore[union-attr]
    parser.add_argument("trees", nargs="*", type=Path, default=[Path(__file__).parent.parent])
    trees = [tree.resolve() for tree in parser.parse_args().trees]
    for command in COMMANDS:
        walks = [walk(tree, command) for tree in trees]
        print(f"{command:6}", *(f"{files:>6} files {changes:>9,} changes" for files, changes in walks), flush=True)


if __name__ == "__main__":
    main()
