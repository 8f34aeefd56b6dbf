"""What happens when it is first used: imports of names, computed attributes, and how values look."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

# Up to Python 3.11, `functools.cached_property` takes a lock at every first read, which costs more than computing the
# text of a path. Without a lock, two threads may compute a value twice; both values are equal.
if TYPE_CHECKING:
    from functools import cached_property
else:

    class cached_property:  # noqa: N801 - used as a decorator
        """Compute an attribute when it is first read, and keep it."""

        def __init__(self, function):
            self._function, self.__doc__ = function, function.__doc__

        def __set_name__(self, owner, name):
            self._name = name

        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            value = self._function(instance)
            object.__setattr__(instance, self._name, value)  # not through __dict__, because reading it would create it
            return value


def repr_html(value: object) -> str | None:
    """Return how a value looks in a notebook; None if its ``repr`` says all."""
    return cast("str | None", import_module("graphbrick.core.showing.html").html(value))


class Shown:
    """A value with a ``repr`` of one line and a view in notebooks, which `graphbrick.core.showing` makes when asked."""

    __slots__ = ()
    _repr_html_ = repr_html

    def __repr__(self) -> str:
        return str(import_module("graphbrick.core.showing.texts").text(self))


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


__all__ = ["Shown", "cached_property", "lazy_names", "repr_html"]
