"""The state of the database that a graph was copied from, by which a refresh sees whether it has changed.

It is in ``films.graph.source.json`` beside ``films.graph``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphbrick.core.trace import event
from graphbrick.graphs.store.stored import StoredGraph


@dataclass(frozen=True)
class SourceMark:
    """The state of a source when a graph was copied.

    Attributes:
        address: Address of the source.
        graph: Hash of the graph when it was last copied or refreshed.
        mark: The mark of the source before it was copied (`DatabaseGraph.mark`); None if it has none.
        sizes: How many nodes and relations, or triples, the source had; empty if its mark is enough to see a change.
    """

    address: str
    graph: str
    mark: dict[str, Any] | None
    sizes: tuple[int, ...] = ()

    @classmethod
    def of(cls, graph: StoredGraph) -> SourceMark | None:
        """Return the state noted beside a graph; None if there is none, or, with an event, if it is damaged."""
        place = mark_file(graph.place)
        try:
            note = json.loads(place.read_text(encoding="utf-8"))
            return cls(str(note["address"]), str(note["graph"]), note["mark"], tuple(note.get("sizes", ())))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            text = f"{place} cannot be read ({error}), so nothing is known of the source at the time of the copy"
            event(text, "source_mark.unreadable", file=place)
            return None

    def write(self, place: Path) -> None:
        """Keep it beside the graph in a folder.

        Raises:
            OSError: It cannot be written.
        """
        file = mark_file(place)
        half = file.with_name(f".{file.name}.half")
        values = {"address": self.address, "graph": self.graph, "mark": self.mark, "sizes": self.sizes}
        half.write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")
        half.replace(file)


def mark_file(graph: Path) -> Path:
    """Return the file beside the folder of a graph."""
    return graph.with_name(f"{graph.name}.source.json")
