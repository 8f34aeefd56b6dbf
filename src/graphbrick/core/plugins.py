"""Plug-ins: values of installed packages, declared as entry points such as ``graphbrick.bricks``.

A plug-in that cannot be imported is left out with one warning that names it. Everything else works on. A `Registry`
finds the package's own readers, databases, exports and commands by a table of the same form, and plug-ins beside them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any, Generic, TypeVar, cast

T = TypeVar("T")


class PluginWarning(UserWarning):
    """An installed plug-in that cannot be used."""


@dataclass(frozen=True)
class Plugin:
    """A plug-in that was imported.

    Attributes:
        name: The name of the entry point.
        source: Module and object, such as ``my_package.bricks:ShortestFirst``.
        value: The object.
    """

    name: str
    source: str
    value: object


@lru_cache
def plugins(group: str) -> tuple[Plugin, ...]:
    """Return the plug-ins of a group that can be imported, in the order of installation.

    Each one that cannot is a `PluginWarning`, once in a process.

    Args:
        group: A group of entry points, such as "graphbrick.bricks".
    """
    loaded = []
    for point in entry_points(group=group):
        try:
            loaded.append(Plugin(point.name, point.value, point.load()))
        except Exception as error:  # noqa: BLE001 - importing runs code of others
            skip(group, point.name, point.value, f"it cannot be imported: {type(error).__name__}: {error}")
    return tuple(loaded)


def entry_points(group: str) -> Any:
    """Return the entry points of a group."""
    from importlib import metadata  # takes 25 ms, and most runs use no plug-in

    return metadata.entry_points(group=group)


def skip(group: str, name: str, source: str, reason: str) -> None:
    """Warn of a plug-in that is left out."""
    kind = group.removeprefix("graphbrick.").removesuffix("s")
    text = f"the plug-in {kind} {name} ({source}) is left out: {reason}"
    warnings.warn(text, PluginWarning, stacklevel=3)


class Registry(Generic[T]):
    """The values of one kind by name: built-in ones from a table, others from entry points.

    A module is imported when its value is looked up, and the metadata of installed packages are only read for a name
    that the table lacks. A plug-in that breaks the contract, or has a name that is taken, is left out with a warning.

    Args:
        group: The group of entry points, such as "graphbrick.readers".
        own: The table: name to ``module:object``, written as in an entry point.
        fault: Returns how a value of a plug-in breaks the contract; empty if it keeps it.
    """

    def __init__(self, group: str, own: Mapping[str, str], fault: Callable[[Any], str]) -> None:
        self.group, self.own, self.fault = group, own, fault

    def find(self, name: str) -> T | None:
        """Return the value with a name; None if there is none."""
        return self._own(name) if name in self.own else cast("T | None", _accepted(self).get(name))

    def names(self) -> list[str]:
        """Return all names, those of plug-ins last."""
        return [*self.own, *_accepted(self)]

    def all(self) -> dict[str, T]:
        """Return all values by name, those of plug-ins last. This imports all of them."""
        return {name: self._own(name) for name in self.own} | cast("dict[str, T]", _accepted(self))

    def _own(self, name: str) -> T:
        module, _, attribute = self.own[name].partition(":")
        return cast("T", getattr(import_module(module), attribute))


@lru_cache
def _accepted(registry: Registry[Any]) -> dict[str, object]:
    """Return the values of plug-ins that keep the contract, by name."""
    accepted: dict[str, object] = {}
    for plugin in plugins(registry.group):
        fault = registry.fault(plugin.value)
        if plugin.name in accepted or plugin.name in registry.own:
            fault = "the name is taken; rename it"
        if fault:
            skip(registry.group, plugin.name, plugin.source, fault)
        else:
            accepted[plugin.name] = plugin.value
    return accepted
