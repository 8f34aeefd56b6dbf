"""The package bm25s, imported when it is first used."""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from typing import Any


def bm25s() -> Any:
    """Return the package bm25s.

    It imports tqdm, which asks for a package of bars in a notebook; nothing here shows these bars.
    """
    if "bm25s" in sys.modules:
        return sys.modules["bm25s"]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="IProgress not found")
        return import_module("bm25s")
