"""Run the notebooks in examples/notebooks and store or compare their outputs.

    python tools/notebooks.py              run them here, without Jupyter, and store the outputs
    python tools/notebooks.py --check      run them here, and fail where an output is not the stored one
    python tools/notebooks.py --jupyter    run them in a kernel of Jupyter, and compare too (make notebooks)

A cell with the tag ``varies`` has times or other outputs that differ from run to run: it is run, not compared. One with
a tag such as ``needs-pandas`` is left out where that module is not installed.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import os
import re
import sys
import tempfile
import types
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from importlib.util import find_spec
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent.parent / "examples" / "notebooks"
VARIES, NEEDS = "varies", "needs-"
_LONGEST = 300  # characters of an output in a message

Cell = dict[str, Any]


def notebooks() -> list[Path]:
    """Return the notebooks, in the order of their names."""
    return sorted(FOLDER.glob("*.ipynb"))


def run_here(path: Path) -> list[Cell]:
    """Return the cells of a notebook with the outputs of running them in this process, in an empty folder.

    What a cell prints is one output, and its last expression another, as in Jupyter.
    """
    module = types.ModuleType(f"notebook_{path.stem}")  # a module, so that its classes can be pickled
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    with tempfile.TemporaryDirectory() as folder, _inside(Path(folder), module):
        for number, cell in enumerate(cells, 1):
            if cell["cell_type"] == "code" and not _is_left_out(cell):
                cell["outputs"] = _outputs("".join(cell["source"]), f"{path.name}, cell {number}", vars(module))
    return list(cells)


def run_in_jupyter(path: Path) -> list[Cell]:
    """Return the cells of a notebook with the outputs of running them in a kernel of Jupyter, in an empty folder."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        NotebookClient(notebook, timeout=300, resources={"metadata": {"path": folder}}).execute()
    return list(json.loads(nbformat.writes(notebook))["cells"])


def differences(path: Path, cells: list[Cell]) -> list[str]:
    """Return where the outputs of cells are not those that the notebook has, in words."""
    stored = json.loads(path.read_text(encoding="utf-8"))["cells"]
    faults = []
    for number, (before, now) in enumerate(zip(stored, cells, strict=True), 1):
        tags = before["metadata"].get("tags", [])
        if before["cell_type"] != "code" or VARIES in tags or _is_left_out(before):
            continue
        if compared(before) != compared(now):
            faults.append(f"{path.name}, cell {number}: stored {_short(before)}, now {_short(now)}")
    return faults


def compared(cell: Cell) -> list[str]:
    """Return the outputs of a cell as texts: what was printed, and each value as text and as HTML."""
    texts = []
    for output in cell["outputs"]:
        if output["output_type"] == "stream":
            texts.append("".join(output["text"]))
        else:
            data = output["data"]
            texts += ["".join(data[kind]) for kind in ("text/plain", "text/html") if kind in data]
    return [" ".join(text.split()) for text in texts]  # Jupyter breaks the lines of long values


def _short(cell: Cell) -> list[str]:
    return [text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..." for text in compared(cell)]


def links(text: str) -> list[str]:
    """Return the files that a text of Markdown links to.

    >>> links("See [this](2_documents.ipynb) and [that](https://example.org).")
    ['2_documents.ipynb']
    """
    return [link for link in re.findall(r"\]\(([^)#]+)", text) if "://" not in link]


def store(path: Path, cells: list[Cell]) -> None:
    """Write the cells into a notebook, one line of text a line of the file."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for cell in cells:
        if cell["cell_type"] == "code":
            cell["execution_count"] = None
    notebook["cells"] = cells
    path.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _is_left_out(cell: Cell) -> bool:
    needed = [tag.removeprefix(NEEDS) for tag in cell["metadata"].get("tags", []) if tag.startswith(NEEDS)]
    return any(find_spec(module) is None for module in needed)


def _outputs(source: str, name: str, names: dict[str, Any]) -> list[dict[str, Any]]:
    """Run one cell and return its outputs."""
    tree = ast.parse(source, name)
    last = ast.Expression(tree.body.pop().value) if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(tree, name, "exec"), names)
        value = None if last is None else eval(compile(last, name, "eval"), names)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": _lines(printed.getvalue())})
    if value is not None:
        data = {"text/plain": _lines(repr(value))}
        html = value._repr_html_() if hasattr(value, "_repr_html_") and not isinstance(value, type) else None
        if html is not None:
            data = {"text/html": _lines(html), **data}
        outputs.append({"data": data, "execution_count": None, "metadata": {}, "output_type": "execute_result"})
    return outputs


def _lines(text: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", text)


@contextmanager
def _inside(folder: Path, module: types.ModuleType) -> Iterator[None]:
    """Make a folder the working one, and a module one that can be imported."""
    before = Path.cwd()
    os.chdir(folder)
    sys.modules[module.__name__] = module
    try:
        yield
    finally:
        del sys.modules[module.__name__]
        os.chdir(before)


def main() -> int:
    """Run the notebooks; return 1 if an output differs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these, without .ipynb")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--check", action="store_true", help="compare, and write nothing")
    how.add_argument("--jupyter", action="store_true", help="run them in Jupyter and compare")
    options = parser.parse_args()
    faults = []
    for path in notebooks():
        if options.names and path.stem not in options.names:
            continue
        cells = run_in_jupyter(path) if options.jupyter else run_here(path)
        if options.check or options.jupyter:
            faults += differences(path, cells)
        else:
            store(path, cells)
        print(f"{path.name}: {sum(cell['cell_type'] == 'code' for cell in cells)} cells")
    print(*faults, sep="\n", end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
