"""Points of the compass as latitudes and longitudes: «the northernmost station», «the two most western ports»."""

from __future__ import annotations

import re

from graphbrick.graphs.graph import Graph
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import stem
from graphbrick.patterns.properties.sources import Source, sources_of

_LATITUDE, _LONGITUDE = (
    frozenset(map(stem, ("latitude", "lat"))),
    frozenset(map(stem, ("longitude", "lon", "lng", "long"))),
)
_POINTS = "north|south|east|west"
_PLACED = "(?:in|of|at|on|from)"
_MOST = rf"(?:(?P<point>{_POINTS})(?:ern)?most|most (?P<most>{_POINTS})(?:ern|erly)?)"
_BEFORE = Expression(
    rf"\b(?:the )?(?:(?P<n>\d+|two|three|four|five|six|ten) )?(?:the )?{_MOST} "
    rf"(?P<noun>(?!{_PLACED}\b)[a-z]+)(?P<rest>.*)$"
)
_IS = Expression(
    r"^(?:which|what) (?P<noun>[a-z]+)(?P<rest>.*?) (?:is|are|lies|lie) (?:the )?(?:furthest|farthest|most) "
    rf"(?:to the )?(?P<point>{_POINTS})(?:ern|erly)?(?P<where> {_PLACED} .+)?$"
)
_BEYOND = Expression(r"\b(?P<how>above|below|over|under) (?P<name>latitude|longitude) (?=-?\d)")
UPWARD = ("north", "east")
"""Points of the compass towards which coordinates grow."""


def is_coordinate(source: Source, point: str) -> bool:
    """Return whether a number is the latitude or longitude that tells what lies further to a point of the compass."""
    own = {"north": _LATITUDE, "south": _LATITUDE, "east": _LONGITUDE, "west": _LONGITUDE}.get(point, frozenset())
    return source.literal is not None and not own.isdisjoint(source.stems)


def in_coordinates(graph: Graph, text: str) -> str:
    """Return a question with «highest latitude» for «northernmost», where things have coordinates.

    Args:
        graph: The graph.
        text: The question in lower case, with placeholders.
    """
    if not re.search(r"north|south|east|west|itude", text):
        return text
    names = {
        kind: next((one.spoken for one in sources_of(graph) if own & set(one.stems) and one.literal is not None), "")
        for kind, own in (("latitude", _LATITUDE), ("longitude", _LONGITUDE))
    }
    beyond = _BEYOND.search(text)
    if beyond is not None and names[beyond["name"]]:
        how = "over" if beyond["how"] in ("above", "over") else "under"
        return f"{text[: beyond.start()]}with {names[beyond['name']]} {how} {text[beyond.end() :]}"
    found = _BEFORE.search(text) or _IS.match(text)
    point = next(filter(None, (found["point"], found.groupdict().get("most"))), "") if found else ""
    name = names["latitude" if point in ("north", "south") else "longitude"] if point else ""
    if found is None or not name:
        return text
    how = "highest" if point in UPWARD else "lowest"
    if _IS.made(found):
        return f"which {found['noun']}{found['rest']}{found['where'] or ''} has the {how} {name}"
    n = f"{found['n']} " if found["n"] else ""
    lead = text[: found.start()]
    return f"{lead}the {n}{found['noun']}{found['rest']} with the {how} {name}".strip()
