"""Print the shape of source trees: lines by area, long signatures, large classes, and what a pipeline loads.

    python tools/shape.py [TREE ...] [--json]

TREE is a checkout; this one by default. Two trees are printed side by side, area by area where the names agree. A
signature is long with more than 8 parameters; those of typer commands, whose parameters are options, are counted
apart. A class is large with more than 15 methods. Lines are those of all Python files, docstrings included.
"""

from __future__ import annotations

import argparse
import ast
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

PARAMETERS, METHODS = 8, 15
PIPELINE = """
import sys
from graphbrick import BM25, PPR, PathAnswer, Rerank, ShortestPaths
from graphbrick.testing import tiny_graph
place = str(tiny_graph().path)
for name in [name for name in sys.modules if name.split(".")[0] == "graphbrick"]:
    del sys.modules[name]
from graphbrick import BM25, PPR, Graph, PathAnswer, Rerank, ShortestPaths
pipeline = PPR() >> ShortestPaths() >> Rerank(BM25()) >> PathAnswer()
assert pipeline(Graph.open(place), "What is the capital of Kenya?").texts == ("Nairobi",)
files = {module.__file__ for name, module in sys.modules.items() if name.split(".")[0] == "graphbrick"}
print(len(files), sum(open(file, encoding="utf-8").read().count("\\n") for file in files))
"""


def shape_of(tree: Path) -> dict[str, Any]:
    """Return the figures of one tree."""
    package = tree / "src" / "graphbrick"
    lines: Counter[str] = Counter()
    figures: Counter[str] = Counter()
    for path in sorted(package.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        parts = path.relative_to(package).parts
        lines[parts[0] if len(parts) > 1 else "(top)"] += text.count("\n")
        for node in ast.walk(ast.parse(text)):
            figures.update(_counted(node, is_command=parts[0] == "cli"))
    loaded = subprocess.run(
        [sys.executable, "-c", PIPELINE],
        env={"PYTHONPATH": str(tree / "src"), "PATH": "/usr/bin:/bin", "HOME": str(Path.home())},
        capture_output=True,
        text=True,
        check=True,
    )
    modules, loaded_lines = map(int, loaded.stdout.split())
    return {
        "lines": dict(lines),
        "all lines": lines.total(),
        **figures,
        "modules of a pipeline": modules,
        "lines of a pipeline": loaded_lines,
    }


def _counted(node: ast.AST, *, is_command: bool) -> list[str]:
    """Return what a node counts as."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        names = [argument.arg for argument in arguments if argument.arg not in ("self", "cls")]
        if len(names) > PARAMETERS:
            return ["long signatures of commands" if is_command else "long signatures"]
    if isinstance(node, ast.ClassDef):
        methods = [child for child in node.body if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)]
        if len(methods) > METHODS:
            return ["large classes"]
    return []


def main() -> None:
    """Print a table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])  # type: ignore[union-attr]
    parser.add_argument("trees", nargs="*", type=Path, default=[Path(__file__).parent.parent])
    parser.add_argument("--json", action="store_true", help="Print JSON.")
    given = parser.parse_args()
    shapes = [shape_of(tree.resolve()) for tree in given.trees]
    if given.json:
        print(json.dumps(dict(zip(map(str, given.trees), shapes, strict=True)), indent=2))
        return
    areas = list(dict.fromkeys(area for shape in shapes for area in shape["lines"]))
    rows = [(area, [shape["lines"].get(area, 0) for shape in shapes]) for area in sorted(areas)]
    others = dict.fromkeys(name for shape in shapes for name in shape if name != "lines")
    rows += [(name, [shape.get(name, 0) for shape in shapes]) for name in others]
    for name, numbers in rows:
        print(f"{name:30}", *(f"{number:>10,}" if number else f"{'':>10}" for number in numbers))


if __name__ == "__main__":
    main()
