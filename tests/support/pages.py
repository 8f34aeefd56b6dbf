"""Examples of the documentation, as code."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


def example(page: str, name: str) -> str:
    """Return the Python block of a page that defines the class or function ``name``."""
    blocks = (ROOT / page).read_text(encoding="utf-8").split("```python\n")[1:]
    (code,) = [block.split("```")[0] for block in blocks if f"class {name}(" in block or f"def {name}(" in block]
    return code


def imported(page: str, name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return the example of `example` as a module."""
    module = ModuleType(f"example_{name}")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(example(page, name), f"{page}:{name}", "exec"), module.__dict__)
    return module
