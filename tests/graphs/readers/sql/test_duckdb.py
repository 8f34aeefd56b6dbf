"""DuckDB files: by path and by address, their types, schemas and views, and that they are only read."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pytest
from faults import fails
from sql_reading import COMPANY, TOLD, SqlReading

from graphbrick.core.errors import InputError
from graphbrick.graphs.build.builder import build

duckdb: Any = pytest.importorskip("duckdb", reason="DuckDB is not installed: pip install 'graphbrick[duckdb]'")

TYPES = """
CREATE SCHEMA hr;
CREATE TABLE hr.badges(id INTEGER PRIMARY KEY, label VARCHAR);
INSERT INTO hr.badges VALUES (7, 'Red');
CREATE TABLE things(id INTEGER PRIMARY KEY, "Full Name" VARCHAR, sizes INTEGER[], box STRUCT(x INTEGER, y VARCHAR),
    price DECIMAL(10, 2), whole DECIMAL(38, 0), picture BLOB, lasts INTERVAL, opens TIME, day DATE, seen TIMESTAMP,
    code UUID, mood ENUM('happy', 'sad'), fits BOOLEAN, extra JSON);
INSERT INTO things VALUES
    (1, 'Kettle', [1, NULL, 2], {'x': 1, 'y': 'k'}, 12.5, 7, '\\xAA'::BLOB, INTERVAL '1 year 2 months', '10:30',
     '2020-01-02', '2020-01-02 03:04:05', '6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'happy', true, '{"a": 1}'),
    (2, 'Lamp', [], NULL, NULL, 8, NULL, NULL, NULL, 'infinity', NULL, NULL, NULL, false, '[1, 2]');
"""


def made(file: Path, script: str) -> Path:
    with duckdb.connect(str(file)) as connection:
        connection.execute(script)
    return file


def test_a_file_by_its_path(tmp_path: Path) -> None:
    file = made(tmp_path / "company.data", COMPANY.replace("TIMESTAMP NULL", "TIMESTAMP"))
    read = SqlReading(str(file))
    assert read.told == TOLD
    assert read.notes("views of company.data") == ["bosses"]
    assert ("Desk/10", "office", "Office/NO/1") in read.triples
    assert read.properties["Person/1"] == {"born": datetime.date(1980, 1, 2), "salary": 91000.5}
    graph = build(str(file), tmp_path / "company.graph")
    assert graph.manifest.source == str(file)
    assert build(f"duckdb:///{file}", tmp_path / "other.graph").hash == graph.hash


def test_types_and_schemas(tmp_path: Path) -> None:
    file = made(tmp_path / "things.duckdb", TYPES)
    read = SqlReading(str(file))
    assert read.notes("tables of other schemas") == ["hr.badges"]
    assert read.notes("binary values") == ["picture"]
    kettle, lamp = read.properties["Thing/1"], read.properties["Thing/2"]
    assert kettle == {
        "sizes": (1, 2),
        "box": '{"x": 1, "y": "k"}',
        "price": 12.5,
        "whole": 7,
        "lasts": "1 year 2 months",
        "opens": "10:30:00",
        "day": datetime.date(2020, 1, 2),
        "seen": datetime.datetime(2020, 1, 2, 3, 4, 5),
        "code": "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
        "mood": "happy",
        "fits": True,
        "extra": '{"a": 1}',
    }
    assert lamp == {"whole": 8, "day": "infinity", "fits": False, "extra": (1, 2)}
    assert SqlReading(f"duckdb:///{file}?schema=hr").told == ["table hr.badges: class Badge, key id, name label"]
    with fails("sql.no_schema", InputError, schema="none"):
        SqlReading(f"duckdb:///{file}?schema=none")


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    with fails("sql.no_file"):
        SqlReading(f"duckdb:///{tmp_path}/none.duckdb")
    file = made(tmp_path / "damaged.duckdb", "CREATE TABLE x(id INTEGER PRIMARY KEY)")
    with file.open("r+b") as stream:
        stream.seek(4096)
        stream.write(b"\xff" * 8192)
    with fails("sql.not_opened", InputError) as caught:
        SqlReading(str(file))
    assert "\n" not in str(caught.value)
