"""The package bm25s, imported when it is first used."""

from __future__ import annotations

import warnings
from importlib import import_module
from threading import Lock
from typing import Any

_IMPORTING = Lock()
_imported: list[Any] = []


def bm25s() -> Any:
    """Return the package bm25s, whole: a thread waits while another one imports it.

    It imports tqdm, which asks for a package of bars in a notebook; nothing here shows these bars.
    """
    if not _imported:
        with _IMPORTING, warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="IProgress not found")
            _imported.append(import_module("bm25s"))
    return _imported[0]
