"""The second lock: without the guard, hostile queries do not change a store that the engine opens to read."""

from __future__ import annotations

from pathlib import Path

import pytest

from hostile_queries import CYPHER, HOSTILE, SPARQL

_ONLY_THE_GUARD = (
    *("INSTALL", "EXTENSION", "COPY", "EXPORT", "IMPORT", "LOAD", "SERVICE", "ATTACH"),  # reach files and servers
    *("CALL THREADS", "CALL TIMEOUT"),  # change settings
    *("PROFILE", "CHECKPOINT"),  # PROFILE ends the process of ladybug 0.22, and leaves a database to be repaired
)


def _inside(language: str) -> list[str]:
    return [
        text for of, text in HOSTILE if of == language and not any(word in text.upper() for word in _ONLY_THE_GUARD)
    ]


def test_ladybug_read_only_keeps_its_data(tmp_path: Path) -> None:
    ladybug = pytest.importorskip("ladybug")
    place = str(tmp_path / "films.lbdb")
    database = ladybug.Database(place)
    connection = ladybug.Connection(database)
    connection.execute("CREATE NODE TABLE Film(title STRING PRIMARY KEY, x INT64, y INT64)")
    connection.execute("CREATE (:Film {title: 'Alien', x: 2, y: 0})")
    connection.close()
    database.close()
    database = ladybug.Database(place, read_only=True)
    connection = ladybug.Connection(database)
    connection.set_query_timeout(2_000)
    refused = 0
    for text in _inside(CYPHER):
        try:
            connection.execute(text)
        except (RuntimeError, ValueError, UnicodeError):
            refused += 1
    assert refused > 80
    assert connection.execute("MATCH (n) RETURN n.title, n.x, n.y").get_all() == [["Alien", 2, 0]]
    assert [row[1] for row in connection.execute("CALL show_tables() RETURN *").get_all()] == ["Film"]
    connection.close()
    database.close()


def test_oxigraph_queries_keep_its_data() -> None:
    pyoxigraph = pytest.importorskip("pyoxigraph")
    store = pyoxigraph.Store()
    a, b = pyoxigraph.NamedNode("urn:a"), pyoxigraph.NamedNode("urn:b")
    store.add(pyoxigraph.Quad(a, b, a))
    refused = 0
    for text in _inside(SPARQL):
        try:
            store.query(text)
        except (SyntaxError, ValueError, OSError, RuntimeError):
            refused += 1
    assert refused > 25
    assert [(quad.subject, quad.predicate, quad.object) for quad in store] == [(a, b, a)]
