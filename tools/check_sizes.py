"""Refuse files of more than 400 lines (Python and JavaScript), functions whose body has more than 60, crowded folders.

Part of ``make lint``. Files in folders called ``vendor`` are not ours.

    python tools/check_sizes.py

A body is what follows the signature and the docstring. A folder of the package has at most 16 modules side by side.
"""

from __future__ import annotations

import ast
import gc
import sys
from collections.abc import Iterator
from pathlib import Path

FOLDERS = ("src", "tests", "benchmarks", "docs", "tools")
FILE, BODY, SIDE_BY_SIDE = 400, 60, 16


def too_long(path: Path) -> Iterator[str]:
    """Yield a message for the file, and for each of its functions, that is too long."""
    text = path.read_text(encoding="utf-8")
    lines = text.count("\n")
    if lines > FILE:
        yield f"{path}: {lines} lines, at most {FILE}; split it by what its parts do"
    if path.suffix != ".py":
        return
    for node in _statements(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node) is not None else node.body
            size = (node.end_lineno or 0) - body[0].lineno + 1 if body else 0
            if size > BODY:
                yield f"{path}:{node.lineno}: the body of {node.name} has {size} lines, at most {BODY}; split it"


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield all statements inside a node: functions are nowhere else, and expressions are most of a file."""
    for name in ("body", "orelse", "finalbody", "handlers", "cases"):
        inner = getattr(node, name, None)
        for statement in inner if isinstance(inner, list) else ():
            yield statement
            yield from _statements(statement)


def crowded(package: Path) -> Iterator[str]:
    """Yield a message for each folder that has too many modules side by side."""
    for folder in sorted({path.parent for path in package.rglob("*.py")}):
        count = sum(path.name != "__init__.py" for path in folder.glob("*.py"))
        if count > SIDE_BY_SIDE:
            yield f"{folder}: {count} modules, at most {SIDE_BY_SIDE}; group them in folders by what they are for"


def main() -> None:
    """Print what is too long; exit with 1 if there is something."""
    gc.disable()  # it would go through the syntax trees again and again
    root = Path(__file__).parent.parent
    paths = [path for folder in FOLDERS for path in sorted((root / folder).rglob("*")) if path.suffix in (".py", ".js")]
    faults = [line for path in paths if "vendor" not in path.parts for line in too_long(path)]
    faults += crowded(root / "src" / "graphbrick")
    print(*faults, sep="\n", end="\n" if faults else "")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
