"""What is read from an SQL database: records, notes, and how the tables are understood."""

from __future__ import annotations

from typing import Any

from graphbrick.graphs.readers import ReadOptions, opened_source, read_parts, understood_files
from graphbrick.graphs.readers.reader import FileReading
from graphbrick.graphs.readers.resolve import resolved
from graphbrick.graphs.records.records import BadRecords, EdgeRecord, EntityRecord, LeftOut

COMPANY = """
CREATE TABLE people(id INTEGER PRIMARY KEY, name VARCHAR(40), born DATE, salary NUMERIC(10, 2), boss_id INTEGER
    REFERENCES people(id));
CREATE TABLE offices(country VARCHAR(2), number INTEGER, name VARCHAR(40), PRIMARY KEY (country, number));
CREATE TABLE desks(id INTEGER PRIMARY KEY, label VARCHAR(40), country VARCHAR(2), office INTEGER, owner INTEGER
    REFERENCES people(id), FOREIGN KEY (country, office) REFERENCES offices(country, number));
CREATE TABLE projects(code VARCHAR(8) PRIMARY KEY, title VARCHAR(40), begun TIMESTAMP NULL);
CREATE TABLE assignments(person_id INTEGER REFERENCES people(id), project_code VARCHAR(8) REFERENCES projects(code),
    hours INTEGER, PRIMARY KEY (person_id, project_code));
CREATE TABLE archive(id INTEGER PRIMARY KEY, line VARCHAR(40));
CREATE VIEW bosses AS SELECT * FROM people WHERE boss_id IS NULL;
INSERT INTO people VALUES (1, 'Ada Marsh', '1980-01-02', 91000.50, NULL);
INSERT INTO people VALUES (2, 'Ben Holt', '1990-03-04', 70000.00, 1);
INSERT INTO people VALUES (3, 'Zoë Ng', NULL, NULL, 1);
INSERT INTO offices VALUES ('NO', 1, 'Oslo'), ('SE', 1, 'Lund');
INSERT INTO desks VALUES (10, 'By the window', 'NO', 1, 1), (11, 'At the door', 'SE', 1, NULL);
INSERT INTO projects VALUES ('K1', 'Kettle', '2020-05-01 10:30:00'), ('L1', 'Lamp', NULL);
INSERT INTO assignments VALUES (1, 'K1', 5), (2, 'K1', 6), (2, 'L1', 7);
"""
"""A company, in SQL that all databases take: a reference to itself, keys of two columns, a join, a view, no rows."""

TOLD = [
    "table assignments: relation assignment from Person (person_id) to Project (project_code); 1 property (hours)",
    "table desks: class Desk, key id, name label, office is Office (country and office), owner is Person (owner); 2 "
    "properties (country, office)",
    "table offices: class Office, key country and number, name name; 2 properties (country, number)",
    "table people: class Person, key id, name name, boss is Person (boss_id); 2 properties (born, salary)",
    "table projects: class Project, key code, name title; 2 properties (code, begun)",
]
"""How the tables of the company are understood, whatever the database."""


class SqlReading:
    """What is read from a database.

    Args:
        address: Its address, or a DuckDB file.
        **options: Fields of `ReadOptions`.
    """

    def __init__(self, address: str, **options: Any) -> None:
        chosen = ReadOptions(**options)
        self.left_out = LeftOut()
        with opened_source(address, None, chosen) as files:
            self.name = files.name
            self.told = understood_files(files, chosen)
            reading = FileReading(chosen, BadRecords(), left_out=self.left_out)
            self.records = list(resolved(read_parts(files, reading), None))

    @property
    def properties(self) -> dict[str, dict[str, Any]]:
        """The properties of the entities by key."""
        return {one.key: dict(one.properties) for one in self.records if isinstance(one, EntityRecord)}

    @property
    def triples(self) -> list[tuple[str, str, str]]:
        """The triples in order."""
        edges = (one.triple if isinstance(one, EdgeRecord) else one for one in self.records)
        return [one for one in edges if isinstance(one, tuple)]

    def notes(self, words: str) -> list[str]:
        """Return the examples of the note that has some words in it; empty without one."""
        return next((shown for what, shown in self.left_out.examples.items() if words in what), [])
