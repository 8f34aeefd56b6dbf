"""A small graph of films with a query language: in ladybug, or in an RDF store."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from graphbrick.core.errors import GraphbrickError, LinkError
from graphbrick.core.graph import Labels, QueryLanguage
from graphbrick.core.schema import Connection, NodeClass, Property, Rows, Schema

FILMS = {"Alien": 1979, "Heat": 1995, "Blade Runner": 1982}
DIRECTED = {"Ridley Scott": ("Alien", "Blade Runner"), "Michael Mann": ("Heat",)}
E = "http://example.org/"


class FilmDatabase(Labels, QueryLanguage):
    """Films and their directors; keys are labels."""

    def __init__(self) -> None:
        self.keys = [*FILMS, *DIRECTED]
        self.queries: list[str] = []

    def label(self, entity: int) -> str:
        return self.keys[entity]

    key = label

    def types(self, entity: int) -> list[str]:
        return ["Film" if self.keys[entity] in FILMS else "Person"]

    def relation_label(self, relation: int) -> str:
        return "DIRECTED"

    def entity(self, key: str) -> int:
        if key not in self.keys:
            raise LinkError(f"no entity has the key {key!r}")
        return self.keys.index(key)

    def search(self, text: str, n: int) -> list[int]:
        return [i for i, key in enumerate(self.keys) if key.lower() in text.lower()][:n]


class CypherFilms(FilmDatabase):
    """The films in ladybug."""

    language = "Cypher"

    def __init__(self, place: Path) -> None:
        super().__init__()
        import ladybug

        self.database = ladybug.Database(str(place), buffer_pool_size=1 << 26, max_db_size=1 << 30)
        self.connection = ladybug.Connection(self.database)
        for text in (
            "CREATE NODE TABLE Film(title STRING PRIMARY KEY, year INT64)",
            "CREATE NODE TABLE Person(name STRING PRIMARY KEY)",
            "CREATE REL TABLE DIRECTED(FROM Person TO Film)",
            *(f"CREATE (:Film {{title: '{title}', year: {year}}})" for title, year in FILMS.items()),
            *(f"CREATE (:Person {{name: '{name}'}})" for name in DIRECTED),
            *(
                f"MATCH (p:Person {{name: '{name}'}}), (f:Film {{title: '{title}'}}) CREATE (p)-[:DIRECTED]->(f)"
                for name, titles in DIRECTED.items()
                for title in titles
            ),
        ):
            self.connection.execute(text)

    def close(self) -> None:
        self.connection.close()
        self.database.close()

    def query(self, text: str, parameters: Mapping[str, Any], limit: int) -> Rows:
        self.queries.append(text)
        try:
            result = self.connection.execute(text, dict(parameters))
        except RuntimeError as error:
            raise GraphbrickError(f"the database refuses the query: {error}") from error
        rows = [tuple(row) for row in result.get_all()]
        return Rows(tuple(result.get_column_names()), rows[:limit], is_cut=len(rows) > limit)

    def schema(self) -> Schema:
        return Schema(
            (
                NodeClass("Film", (Property("title", "STRING", ("Alien",)), Property("year", "INT64", ("1979",))), 3),
                NodeClass("Person", (Property("name", "STRING"),), 2),
            ),
            (Connection("Person", "DIRECTED", "Film", (), 3),),
        )


class SparqlFilms(FilmDatabase):
    """The films in an RDF store in memory."""

    language = "SPARQL"

    def __init__(self) -> None:
        super().__init__()
        import pyoxigraph as ox

        self.store = ox.Store()
        a, title = ox.NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type"), ox.NamedNode(f"{E}title")
        for name, titles in DIRECTED.items():
            person = ox.NamedNode(E + name.replace(" ", "_"))
            self.store.add(ox.Quad(person, a, ox.NamedNode(f"{E}Person")))
            label = ox.NamedNode("http://www.w3.org/2000/01/rdf-schema#label")
            self.store.add(ox.Quad(person, label, ox.Literal(name)))
            for text in titles:
                film = ox.NamedNode(E + text.replace(" ", "_"))
                self.store.add(ox.Quad(film, a, ox.NamedNode(f"{E}Film")))
                self.store.add(ox.Quad(film, title, ox.Literal(text)))
                self.store.add(ox.Quad(person, ox.NamedNode(f"{E}directed"), film))

    def query(self, text: str, parameters: Mapping[str, Any], limit: int) -> Rows:
        self.queries.append(text)
        try:
            result = self.store.query(text)
        except (SyntaxError, RuntimeError, ValueError) as error:
            raise GraphbrickError(f"the store refuses the query: {error}") from error
        columns = tuple(variable.value for variable in result.variables)
        rows = [tuple(None if cell is None else cell.value for cell in row) for row in result]
        return Rows(columns, rows[:limit], is_cut=len(rows) > limit)

    def schema(self) -> Schema:
        return Schema(
            (NodeClass(f"{E}Film", (Property(f"{E}title"),), 3), NodeClass(f"{E}Person", (), 2)),
            (Connection(f"{E}Person", f"{E}directed", f"{E}Film", (), 3),),
        )
