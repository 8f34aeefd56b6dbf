"""What tools/mutations.py changes of a file, and what it leaves alone."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

TOOL = Path(__file__).parent.parent / "tools" / "mutations.py"


@pytest.fixture(scope="module")
def mutations() -> Any:
    spec = importlib.util.spec_from_file_location("mutations", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["mutations"] = module  # where dataclasses look for it
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("source", "changed"),
    [
        ("a < 3", ["a <= 3", "a < 4"]),
        ("(a) not in (b)", ["(a) in (b)"]),
        ("é = a + b", ["é = a - b"]),
        ("x = not a and b", ["x = (a) and b", "x = not a or b"]),
        ("def f():\n    'Text.'\n    return a", ["def f():\n    'Text.'\n    return None"]),
        ("if a:\n    stop()", ["if a:\n    pass"]),
        ("def f():\n    return False", ["def f():\n    return True"]),
        ("def f():\n    return ''", ["def f():\n    return None"]),
        ("zip(a, strict=False)", ["zip(a, strict=True)"]),
        ("x += y", ["pass"]),
        ("q = 'INSERT OR IGNORE INTO t'", ["q = 'INSERT OR REPLACE INTO t'"]),
    ],
)
def test_a_file_is_changed_in_small_ways(mutations: Any, source: str, changed: list[str]) -> None:
    found = [mutant.changed(source) for mutant in mutations.mutants_of(Path("a.py"), source)]
    assert [text for text in changed if text not in found] == []
    assert source not in found


def test_a_returned_constant_is_changed_into_another(mutations: Any) -> None:
    for value, other in (("True", "False"), ("3", "4")):
        (mutant,) = mutations.mutants_of(Path("a.py"), f"def f():\n    return {value}\n")
        assert mutant.text == other


@pytest.mark.parametrize(
    "source",
    [
        '"""Text of 3 lines."""',
        "x: int | None",
        "@jit\ndef f(a):\n    return a + 1",
        "if TYPE_CHECKING:\n    x = 1",
        "raise_ = f'{a + 1}'",
        "return_ = 'Ignore and replace'",
        "@dataclass(frozen=True)\nclass A:\n    pass",
        "x = zip(a, b, strict=True)",
        "def f():\n    return None",
    ],
)
def test_some_code_is_left_alone(mutations: Any, source: str) -> None:
    assert mutations.mutants_of(Path("a.py"), source) == []
