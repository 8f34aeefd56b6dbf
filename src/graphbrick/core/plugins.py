"""Plug-ins: what installed packages add, declared as entry points of groups such as ``graphbrick.bricks``.

A plug-in that cannot be imported is left out with one warning that names it. Everything else works on.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import entry_points


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
    """Return the plug-ins of a group that can be imported, in the order in which their packages are installed.

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


def skip(group: str, name: str, source: str, reason: str) -> None:
    """Warn of a plug-in that is left out."""
    kind = group.removeprefix("graphbrick.").removesuffix("s")
    text = f"the plug-in {kind} {name} ({source}) is left out: {reason}"
    warnings.warn(text, PluginWarning, stacklevel=3)
