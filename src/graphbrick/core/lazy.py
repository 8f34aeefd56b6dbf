"""Package names that are imported when first used, so that a light module does not pull in numpy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a module's ``__getattr__`` (PEP 562).

    Args:
        package: The package's ``__name__``.
        homes: The module, below the package, that each public name lives in.

    Example:
        >>> lazy_names("graphbrick.core", {"Query": "query"})("Query").__name__
        'Query'
    """

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{homes[name]}"), name)

    return get
