"""Source files of a class outside this package, which tell whether its code has changed."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from importlib.util import find_spec, resolve_name
from pathlib import Path
from typing import Any

from graphbrick.core.errors import InputError
from graphbrick.core.files.digests import digest

_OWN, _MAIN = __name__.partition(".")[0], "__main__"
_SHARED = {"site-packages", "dist-packages"}  # folders where a module beside another one is not of the same project


@lru_cache(maxsize=256)
def sources_of(kind: Any) -> tuple[tuple[str, str], ...]:
    """Return each source file of a class outside this package with its SHA-256, in order; none for one inside.

    These are its module, and those that this imports from the same package or, outside of installed packages, from the
    same folder. A script counts as its classes, functions and constants.
    """
    module = kind.__module__
    if module.partition(".")[0] in (_OWN, "builtins"):
        return ()
    found = dict[str, str]()
    paths = list(_files(module))
    if module == _MAIN or not paths:
        found[f"{module}.{kind.__qualname__}"] = sha256(_text_of(kind).encode()).hexdigest()
    for path in paths:
        with suppress(InputError):  # the class was loaded, so a file may only be gone since
            found[str(path)] = digest(path)
    return tuple(sorted(found.items()))


def _files(module: str) -> Iterator[Path]:
    """Yield the source of a module and of those that it imports from its package or folder."""
    first = _origin(module)
    if first is None:
        return
    package = module.partition(".")[0]
    beside = first.parent if "." not in module and not _SHARED & set(first.parts) else None
    left, seen = [module], set[str]()
    while left:
        name = left.pop()
        if parent := name.rpartition(".")[0]:
            left.append(parent)  # importing a module runs the packages around it
        own = name.partition(".")[0] == package
        if name in seen or not (own or (beside is not None and "." not in name)):  # to find others would import them
            continue
        seen.add(name)
        path = _origin(name)
        if path is None or not (own or path.parent == beside):
            continue
        if name != _MAIN:
            yield path
        left += _imports(path, name)


def _origin(module: str) -> Path | None:
    """Return the source file of a module; None if there is none."""
    loaded = sys.modules.get(module)
    origin = getattr(loaded, "__file__", None)
    if loaded is None:
        with suppress(ImportError, ValueError, AttributeError):
            spec = find_spec(module)
            origin = None if spec is None else spec.origin
    path = None if origin is None else Path(origin)
    return path if path is not None and path.suffix == ".py" and path.is_file() else None


def _imports(path: Path, module: str) -> list[str]:
    """Return the names of all modules that a source may import, also inside functions."""
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return []
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    names = list[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            with suppress(ImportError):
                base = resolve_name("." * node.level + (node.module or ""), package) if node.level else node.module
                names += [base or "", *(f"{base}.{alias.name}" for alias in node.names)]
    return [name for name in names if name]


def _text_of(kind: type) -> str:
    """Return the definitions of the script that a class is in; else its own source, or its compiled code."""
    path = _origin(kind.__module__)
    with suppress(OSError, SyntaxError, ValueError):
        if path is not None:
            text = path.read_text(encoding="utf-8")
            kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Assign, ast.AnnAssign)
            parts = [node for node in ast.parse(text).body if isinstance(node, kinds)]
            return "\n".join(ast.get_source_segment(text, node) or "" for node in parts if not _runs(node))
    with suppress(OSError, TypeError):
        return inspect.getsource(kind)
    codes = {name: getattr(value, "__code__", None) for name, value in vars(kind).items()}
    return " ".join(f"{name} {code.co_code!r} {code.co_names}" for name, code in codes.items() if code is not None)


def _runs(node: ast.stmt) -> bool:
    """Return whether a statement calls something to get a value, as what a script does, not what it defines."""
    return isinstance(node, ast.Assign | ast.AnnAssign) and any(isinstance(one, ast.Call) for one in ast.walk(node))
