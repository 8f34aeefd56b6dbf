"""Examples of the documentation, as code."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]


def example(page: str, name: str) -> str:
    """Return the Python block of a page that defines the class ``name``."""
    blocks = (ROOT / page).read_text(encoding="utf-8").split("```python\n")[1:]
    (code,) = [block.split("```")[0] for block in blocks if f"class {name}(" in block]
    return code
