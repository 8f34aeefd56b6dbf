"""Attributes that are computed when they are first read, as `functools.cached_property` without its lock.

Up to Python 3.11 the standard one takes a lock at every first read, which costs more than the text of a path does. Two
threads may compute a value twice here; it is the same value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from functools import cached_property as once
else:

    class once:  # noqa: N801 - used as a decorator
        """Compute an attribute when it is first read, and keep it."""

        def __init__(self, function):
            self._function, self.__doc__ = function, function.__doc__

        def __set_name__(self, owner, name):
            self._name = name

        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            value = self._function(instance)
            object.__setattr__(instance, self._name, value)  # not by __dict__: asking for it would make one
            return value


__all__ = ["once"]
