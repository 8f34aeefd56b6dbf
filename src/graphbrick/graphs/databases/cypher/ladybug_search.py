"""Find the nodes of a ladybug database whose names occur in a text, by one quick scan for each property with names.

Ladybug has an index of primary keys only. Comparing every name with a list of parts of a question takes three times as
long as looking whether the question contains the name; the few that it contains are compared with the parts here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from graphbrick.graphs.databases.cypher.cypher import quoted
from graphbrick.graphs.databases.names import spans
from graphbrick.language.folding import nfc

if TYPE_CHECKING:
    from graphbrick.graphs.databases.cypher.ladybug import LadybugGraph

_CONTAINED = 1_000  # names; the longest ones, since short ones are contained in many words


def handles_named_in(graph: LadybugGraph, text: str, names: Sequence[str], *, aliases: bool, n: int) -> list[Any]:
    """Return the handles of at most ``n`` nodes that have a part of a text as name, those with long names first.

    Args:
        graph: The graph.
        text: The text, such as a question.
        names: The properties with names.
        aliases: Whether to look into the lists of aliases, too.
        n: Most nodes.
    """
    patterns = [
        f"MATCH (n) WHERE n.{name} IS NOT NULL WITH n, CAST(n.{name}, 'STRING') AS name" for name in map(quoted, names)
    ]
    if aliases:
        patterns.append("MATCH (n) WHERE size(n.aliases) > 0 UNWIND n.aliases AS name WITH n, name")
    forms, lengths = set(spans(text)), dict[Any, int]()
    for pattern in patterns:
        query = (
            f"{pattern} WHERE size(name) > 0 AND contains($text, lower(name)) "
            f"RETURN id(n), name ORDER BY size(name) DESC LIMIT {_CONTAINED}"
        )
        for place, name in graph.fetch(query, {"text": nfc(text).lower()}, _CONTAINED).rows:
            if nfc(name).lower() in forms:
                lengths.setdefault((place["table"], place["offset"]), len(name))
    return sorted(lengths, key=lambda handle: (-lengths[handle], handle))[:n]
