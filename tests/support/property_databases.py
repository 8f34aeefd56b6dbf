"""Databases whose nodes and relations have properties of every type."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from pathlib import Path

from graphbrick.core.properties.values import Value

TOWN = (
    "CREATE NODE TABLE Person(id INT64 PRIMARY KEY, name STRING, born DATE, height DOUBLE, married BOOL, "
    "seen TIMESTAMP, langs STRING[], marks INT64[], pay DECIMAL(10, 2), shift INTERVAL, "
    "home STRUCT(x INT64, y STRING), grid INT64[][], aliases STRING[])",
    "CREATE NODE TABLE City(id INT64 PRIMARY KEY, name STRING, population INT64, born STRING)",
    "CREATE REL TABLE LIVES_IN(FROM Person TO City, since INT64, flat STRING)",
    "CREATE REL TABLE KNOWS(FROM Person TO Person, since INT64)",
    "CREATE (:Person {id: 1, name: 'Ada Rowe', born: date('1970-01-02'), height: 1.75, married: true, "
    "seen: timestamp('2020-01-02 03:04:05'), langs: ['en', 'de'], marks: [3, 9], pay: 24.10, "
    "shift: interval('1 day 2 hours'), home: {x: 1, y: 'a'}, grid: [[1], [2]], aliases: ['Addie']})",
    "CREATE (:Person {id: 2, name: 'Bo Lind', born: date('1985-06-30'), married: false, langs: ['de'], marks: [1]})",
    "CREATE (:City {id: 1, name: 'Quill Town', population: 52000, born: 'n/a'})",
    "MATCH (p:Person {id: 1}), (c:City {id: 1}) CREATE (p)-[:LIVES_IN {since: 1999, flat: '2b'}]->(c)",
    "MATCH (p:Person {id: 1}), (q:Person {id: 2}) CREATE (p)-[:KNOWS {since: 1999}]->(q)",
    "MATCH (p:Person {id: 1}), (q:Person {id: 2}) CREATE (p)-[:KNOWS {since: 2020}]->(q)",
)
"""Statements of ladybug; two relations KNOWS are parallel."""

ADA: Mapping[str, Value] = {
    "born": datetime.date(1970, 1, 2),
    "height": 1.75,
    "married": True,
    "seen": datetime.datetime(2020, 1, 2, 3, 4, 5),
    "langs": ("en", "de"),
    "marks": (3, 9),
    "pay": 24.1,
    "shift": "P1DT2H",
    "home": '{"x": 1, "y": "a"}',
    "grid": "[[1], [2]]",
}
"""The properties of Ada Rowe."""


def make_ladybug(file: Path, *statements: str) -> str:
    """Write to a database of ladybug, made if it is not there, and return its address."""
    import ladybug

    with ladybug.Database(str(file), buffer_pool_size=1 << 26, max_db_size=1 << 34) as database:
        connection = ladybug.Connection(database)
        for text in statements:
            connection.execute(text)
        connection.close()
    return f"ladybug:{file}"
