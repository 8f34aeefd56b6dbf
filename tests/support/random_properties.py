"""Random property graphs with hostile names and values, and what they say."""

from __future__ import annotations

import datetime
import random
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from graphbrick.core.properties.values import Scalar, Value
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.changes.delta import change
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.columns import properties_text
from graphbrick.graphs.records.records import EdgeRecord, EntityRecord, Record

ZONES = (None, datetime.UTC, datetime.timezone(datetime.timedelta(hours=-3, minutes=-30)))
TEXTS = (
    *(
        "Berlin",
        "berlin",
        "",
        " padded ",
        "a;b",
        "a|b",
        "C++",
        "Ünïcode \U0001f600",
        "a\tb\nc",
        "24.5",
        "true",
        "2020-01-01",
    ),
    *("\\N", "[1]", "<&> \"'", "]]>", "x" * 70_000, "2020-01-01T10:00:00", "inf", "None"),
)
NAMES = (
    *("a", "A", "b", "c", "d", "label", "key", "id", "name", "types", "price (text)", "Größe 2", "rdf:x", "a b"),
    *("source", "relation", 'x"y', "order"),
)


def random_scalar(rng: random.Random, kind: int) -> Scalar:
    """Return a value of one of six kinds."""
    if kind == 0:
        return rng.choice(TEXTS)
    if kind == 1:
        return rng.choice((0, -1, 7, 2**53 + 1, -(2**63) + 1, 2**63 - 1, rng.randrange(1000)))
    if kind == 2:
        return rng.choice((0.0, -0.5, 1e300, 5e-324, float("inf"), -float("inf"), 24.5, rng.random()))
    if kind == 3:
        return rng.random() < 0.5
    day = datetime.date(1, 1, 2) + datetime.timedelta(days=rng.randrange(3_000_000))
    if kind == 4:
        return day
    return datetime.datetime(day.year, day.month, day.day, 3, 4, 5, rng.randrange(10**6), tzinfo=rng.choice(ZONES))


def random_value(rng: random.Random) -> Value:
    """Return a value, or a list of values of one kind."""
    kind = rng.randrange(6)
    if rng.random() < 0.25:
        return tuple(random_scalar(rng, kind) for _ in range(rng.randrange(1, 4)))
    return random_scalar(rng, kind)


def random_properties(rng: random.Random) -> dict[str, Value]:
    """Return up to four properties."""
    return {rng.choice(NAMES): random_value(rng) for _ in range(rng.randrange(5))}


def random_records(rng: random.Random, n: int) -> list[Record]:
    """Return records of entities, triples, and triples with properties."""
    records: list[Record] = []
    for _ in range(n):
        head, tail = f"n{rng.randrange(9)}", f"n{rng.randrange(9)}"
        if rng.random() < 0.4:
            types = tuple(dict.fromkeys(rng.choice(("Person", "Town", "a b")) for _ in range(rng.randrange(3))))
            said = rng.choice((None, "A place.", "x; y"))
            more = tuple(dict.fromkeys(rng.choice(("Addie", "the |x|")) for _ in range(rng.randrange(3))))
            records.append(EntityRecord(head, f"Label of {head}", more, types, said, random_properties(rng)))
        elif rng.random() < 0.6:
            records.append(EdgeRecord(head, rng.choice(("knows", "part of")), tail, random_properties(rng)))
        else:
            records.append((head, rng.choice(("knows", "part of")), tail))
    return [*records, ("n0", "knows", "n1")]


def random_property_graph(seed: int, folder: Path) -> Graph:
    """Return a graph in a folder; half of the graphs have been changed since they were built."""
    rng = random.Random(seed)
    graph = build(random_records(rng, rng.randrange(5, 60)), folder / "g.graph")
    if seed % 2:
        graph = change(graph.path, add=random_records(rng, 8), delete=list(graph.key_triples())[:1]).graph
    return graph


def property_content(
    graph: Any,
    *,
    of_entities: Callable[[Value], Value | None] = lambda value: value,
    of_triples: Callable[[Value], Value | None] = lambda value: value,
) -> tuple[dict[str, Any], Counter[Any]]:
    """Return what a graph says, whatever its ids: the facts and properties of entities, and triples with properties.

    Args:
        graph: The graph.
        of_entities: Returns a value of an entity as a format holds it; None if it holds none.
        of_triples: The same for triples.
    """
    entities = {
        graph.key(i): (
            graph.label(i),
            graph.types(i),
            sorted(graph.aliases(i)),
            graph.description(i),
            _texts(graph.own_properties(i), of_entities),
        )
        for i in range(graph.n_entities)
    }
    triples: Counter[Any] = Counter()
    for triple in graph.triple_ids().tolist():
        head, relation, tail = graph.triple(triple)
        cells = graph.key(head), graph.relation_key(relation), graph.key(tail)
        triples[cells, _texts(graph.triple_properties(triple), of_triples)] += 1
    return entities, triples


def _texts(properties: Mapping[str, Value], held: Callable[[Value], Value | None]) -> str:
    values = {name: held(value) for name, value in properties.items()}
    return properties_text({name: value for name, value in values.items() if value is not None})
