"""Find the nodes of a ladybug database by their names in a text, or by the value of a property.

Ladybug has an index of primary keys only. Comparing every name with a list of parts of a question takes three times as
long as looking whether the question contains the name; the few that it contains are compared with the parts here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from graphbrick.core.properties.condition import Condition
from graphbrick.core.properties.values import Kind, kind_of
from graphbrick.graphs.databases.cypher.dialect import quoted
from graphbrick.graphs.databases.cypher.properties import SIGNS, Search, time_range
from graphbrick.graphs.databases.cypher.values import type_kind
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


def table_search(table: str, column: str, declared: str, condition: Condition) -> Search | None:
    """Return the search for the nodes of a table that meet a condition, and a few more; None if none can.

    Args:
        table: The table.
        column: The column that the condition is about.
        declared: Its type in the words of ladybug.
        condition: The condition.
    """
    kind, is_list = type_kind(declared)
    family, families = kind_of(next(iter(condition.bounds.values()))), _FAMILIES.get(kind, {kind})
    place, pattern = f"n.{quoted(column)}", f"(n:{quoted(table)})"
    if family not in families:
        return None
    if declared.removesuffix("[]") not in _COMPARED:
        return Search(pattern, f"{place} IS NOT NULL", {})  # an interval equals its text
    if is_list:
        pattern, place = f"{pattern} UNWIND {place} AS value WITH n, value", "value"
    bounds = dict[str, Any](condition.bounds)
    if kind in (Kind.DATE, Kind.DATETIME):
        earliest, latest = time_range(condition)
        bounds = {name: time for name, time in (("at_least", earliest), ("at_most", latest)) if time is not None}
        if kind == Kind.DATE:
            bounds = {name: time.date() for name, time in bounds.items()}
    where = " AND ".join(f"{place} {SIGNS[name]} ${name}" for name in bounds)
    return Search(pattern, where, bounds)


_FAMILIES = {
    Kind.INTEGER: {Kind.INTEGER, Kind.NUMBER},
    Kind.NUMBER: {Kind.INTEGER, Kind.NUMBER},
    Kind.DATE: {Kind.DATE, Kind.DATETIME},
    Kind.DATETIME: {Kind.DATE, Kind.DATETIME},
}
_COMPARED = frozenset(
    "STRING BOOL DATE TIMESTAMP TIMESTAMP_TZ TIMESTAMP_NS TIMESTAMP_MS TIMESTAMP_SEC FLOAT DOUBLE SERIAL INT8 INT16 "
    "INT32 INT64 INT128 UINT8 UINT16 UINT32 UINT64".split()
)
"""Types whose values are compared with parameters; the values of others are compared after they were read."""


def has_value(place: str, kind: str, least: int = 0) -> str:
    """Return the condition that a property has a value; a list, more than ``least``."""
    return f"size({place}) > {least}" if kind.endswith("[]") else f"{place} IS NOT NULL"
