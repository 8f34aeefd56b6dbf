"""Attributes that are computed when they are first read, like `functools.cached_property` without its lock.

Up to Python 3.11, the standard version takes a lock at every first read, which costs more than computing the text of
a path. Without a lock, two threads may compute a value twice; both values are equal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

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


__all__ = ["cached_property"]
