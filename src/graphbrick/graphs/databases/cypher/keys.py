"""Keys of nodes that are unique, where the values that they are made of are not."""

from __future__ import annotations

import threading
from typing import Any

from graphbrick.graphs.databases.cypher.around import hashable


class Keys:
    """The keys of the nodes of a database that were read, each for one node. Safe for threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._handles: dict[str, Any] = {}

    def own(self, key: str, handle: Any, label: str) -> str:
        """Return the key of a node that no other node has.

        The first node that is read has the key as it is. Ids are often unique within a label only, so another one has
        its label before it; a second of that label its internal id instead of the key.

        Args:
            key: The value of its property that holds keys.
            handle: Its internal id.
            label: Its first label; empty for none.
        """
        place = hashable(handle)
        with self._lock:
            for one in (key, f"{label}:{key}"):
                if self._handles.setdefault(one, place) == place:
                    return one
        return f"{label}:{place}"
