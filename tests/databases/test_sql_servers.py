"""PostgreSQL and MariaDB: the same graph as from SQLite, their types, one state, permissions, and lost connections."""

from __future__ import annotations

import datetime
import gc
import sqlite3
import warnings
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from faults import fails
from sql_reading import COMPANY, TOLD, SqlReading
from sql_servers import PASSWORD, SqlServer, mariadb, postgresql

from graphbrick.core.errors import InputError
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.readers import ReadOptions, opened_source, read_parts
from graphbrick.graphs.readers.reader import FileReading
from graphbrick.graphs.readers.resolve import resolved
from graphbrick.graphs.readers.sql import connecting
from graphbrick.graphs.records.records import BadRecords, EntityRecord

pytestmark = [pytest.mark.databases, pytest.mark.posix]

POSTGRESQL_TYPES = """
CREATE TYPE mood AS ENUM ('happy', 'sad');
CREATE TABLE "Every Type"(id int PRIMARY KEY, "Full Name" text, "50% off" numeric(10, 2), huge numeric, flag boolean,
    day date, "at" timestamp, atz timestamptz, opens time, lasts interval, code uuid, extra jsonb, sizes int[],
    moods mood[], b bytea, cash money, ip inet, spans int4range, padded char(8), words tsvector);
INSERT INTO "Every Type" VALUES (1, 'Añé "q"', 12.50, 123456789012345678901234567890, true, '2020-01-02',
    '2020-01-02 03:04:05', '2020-01-02 03:04:05+00', '24:00', '1 year 2 mons 3 days',
    '6ba7b810-9dad-11d1-80b4-00c04fd430c8', '{"k": [1]}', '{1,2,NULL}', '{happy,sad}', '\\xdead',
    '$1,234.50', '10.0.0.1', '[1,5)', 'ab', to_tsvector('hello'));
INSERT INTO "Every Type" (id, "Full Name", day, "at", atz) VALUES
    (2, 'Odd dates', 'infinity', '-infinity', '0044-03-15 10:00:00+00 BC');
"""
PARTS = """
CREATE TABLE people(id int PRIMARY KEY, name text);
INSERT INTO people VALUES (1, 'Ann'), (2, 'Bob');
CREATE TABLE sales(id int, day date, person_id int REFERENCES people(id), PRIMARY KEY (id, day))
    PARTITION BY RANGE (day);
CREATE TABLE sales_2020 PARTITION OF sales FOR VALUES FROM ('2020-01-01') TO ('2021-01-01');
CREATE TABLE sales_2021 PARTITION OF sales FOR VALUES FROM ('2021-01-01') TO ('2022-01-01');
INSERT INTO sales VALUES (1, '2020-05-05', 1), (2, '2021-05-05', 2);
CREATE TABLE cities(id int PRIMARY KEY, name text);
CREATE TABLE capitals(country text, PRIMARY KEY (id)) INHERITS (cities);
INSERT INTO cities VALUES (1, 'Lyon');
INSERT INTO capitals VALUES (2, 'Paris', 'France');
CREATE MATERIALIZED VIEW sums AS SELECT count(*) FROM sales;
CREATE TABLE secrets(id int PRIMARY KEY, pin text);
INSERT INTO secrets VALUES (1, '1234');
CREATE TABLE wages(id int PRIMARY KEY, name text, amount int);
INSERT INTO wages VALUES (1, 'Ann', 5);
CREATE SCHEMA hr;
CREATE TABLE hr.people(id int PRIMARY KEY, name text);
INSERT INTO hr.people VALUES (1, 'Cid'), (2, 'Dee');
CREATE TABLE desks(id int PRIMARY KEY, label text, owner int REFERENCES hr.people(id));
INSERT INTO desks VALUES (1, 'Left', 2);
DROP ROLE IF EXISTS reader;
CREATE ROLE reader LOGIN PASSWORD 'of the reader';
GRANT SELECT ON people, sales, cities, capitals, desks TO reader;
GRANT SELECT (id, name) ON wages TO reader;
"""
MARIADB_TYPES = """
SET SESSION sql_mode = '';
CREATE TABLE `Every Type`(id bigint unsigned PRIMARY KEY, `Full Name` varchar(20), `50% off` decimal(10, 2),
    flag tinyint(1), level tinyint(1), b1 bit(1), b8 bit(8), day date, opens time, made year, size enum('a', 'b'),
    tags set('x', 'y', 'z'), picture blob, place point);
INSERT INTO `Every Type` VALUES (18446744073709551615, 'Ünï', 12.50, 1, 1, b'1', b'101', '2020-01-02', '10:30:00', 2020,
    'a', 'x,z', x'dead', point(1, 2));
INSERT INTO `Every Type` VALUES (2, 'Odd', NULL, 0, 5, b'0', b'0', '0000-00-00', '-100:00:00', NULL, 'b', '', NULL,
    NULL);
CREATE TABLE history(id int PRIMARY KEY, name varchar(10)) WITH SYSTEM VERSIONING;
INSERT INTO history VALUES (1, 'old');
UPDATE history SET name = 'new';
"""


@pytest.fixture(scope="module")
def postgres() -> Iterator[SqlServer]:
    with postgresql() as server:
        yield server


@pytest.fixture(scope="module")
def maria() -> Iterator[SqlServer]:
    with mariadb() as server:
        yield server


@pytest.fixture(params=["postgres", "maria"])
def server(request: pytest.FixtureRequest) -> SqlServer:
    found: SqlServer = request.getfixturevalue(request.param)
    return found


def company(server: SqlServer) -> str:
    script = COMPANY
    if server.kind == "mysql":  # which ignores foreign keys within columns, but for newer ones
        script = script.replace("TIMESTAMP NULL", "DATETIME")
    return server.made("company", script)


def test_the_same_graph_as_from_sqlite(server: SqlServer, tmp_path: Path) -> None:
    address = company(server)
    read = SqlReading(address)
    assert read.told == TOLD
    assert read.notes("views of company") == ["bosses"]
    with closing(sqlite3.connect(tmp_path / "company.db")) as connection:
        connection.executescript(COMPANY)
    graph = build(address, tmp_path / "server.graph")
    assert graph.hash == build(tmp_path / "company.db", tmp_path / "file.graph").hash
    assert graph.manifest.source == f"{server.kind}://127.0.0.1:{server.port}/company"
    files = [file for file in (tmp_path / "server.graph").iterdir() if PASSWORD.encode() in file.read_bytes()]
    assert not files


def test_one_state_of_a_database_that_changes(server: SqlServer) -> None:
    address = company(server)
    with opened_source(address, None, ReadOptions()) as files:
        assert files.related is not None
        assert len(files.related.plan.tables) == 5
        server.run("company", "INSERT INTO people VALUES (4, 'Late', NULL, NULL, 1)", "DELETE FROM assignments")
        records = resolved(read_parts(files, FileReading(ReadOptions(), BadRecords())), None)
        keys = {record.key for record in records if isinstance(record, EntityRecord)}
        assert {"Person/1", "Person/2", "Person/3", "Project/K1"} <= keys
        assert "Person/4" not in keys
    assert len(SqlReading(address).properties) == 10


def test_a_connection_that_is_lost(server: SqlServer) -> None:
    address = company(server)
    kill = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'graphbrick'"
        if server.kind == "postgresql"
        else "BEGIN NOT ATOMIC FOR one IN (SELECT id FROM information_schema.processlist WHERE db = 'company' "
        "AND id <> connection_id()) DO KILL one.id; END FOR; END"
    )
    with opened_source(address, None, ReadOptions()) as files:
        assert files.related is not None
        assert files.related.plan
        server.run("company", kill)
        with fails("sql.lost", InputError) as caught:
            list(read_parts(files, FileReading(ReadOptions(), BadRecords())))
    message = str(caught.value)
    del caught
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # psycopg's, of a cursor that nothing can close any more
        gc.collect()
    assert "\n" not in message
    assert PASSWORD not in message


def test_a_table_that_is_dropped_meanwhile(server: SqlServer) -> None:
    address = company(server)
    with opened_source(address, None, ReadOptions()) as files:
        assert files.related is not None
        assert files.related.plan
        setting = "SET lock_timeout = '1s'" if server.kind == "postgresql" else "SET SESSION lock_wait_timeout = 1"
        with pytest.raises(Exception, match="timeout"):
            server.run("company", setting, "DROP TABLE assignments")
        assert list(read_parts(files, FileReading(ReadOptions(), BadRecords())))
    server.run("company", "DROP TABLE assignments")


def test_a_table_that_another_transaction_has_locked(postgres: SqlServer, monkeypatch: pytest.MonkeyPatch) -> None:
    import psycopg

    address = company(postgres)
    monkeypatch.setitem(connecting._POSTGRESQL, "lock_timeout", "'200ms'")
    login = {"host": "127.0.0.1", "port": postgres.port, "user": "boss", "password": PASSWORD}
    with psycopg.connect(dbname="company", **login) as other:
        other.execute("LOCK TABLE people IN ACCESS EXCLUSIVE MODE")
        with fails("sql.timeout", InputError):
            SqlReading(address)
    assert SqlReading(address).told == TOLD


def test_logins_and_databases_that_are_wrong(server: SqlServer) -> None:
    company(server)
    for address in (server.address("company", password="wr0ng"), server.address("no_such_database")):
        with fails("sql.not_opened", InputError) as caught:
            SqlReading(address)
        assert "wr0ng" not in str(caught.value)
        assert PASSWORD not in str(caught.value)


def test_the_password_of_the_environment(server: SqlServer, monkeypatch: pytest.MonkeyPatch) -> None:
    company(server)
    monkeypatch.setenv("GRAPHBRICK_USER", "boss")
    monkeypatch.setenv("GRAPHBRICK_PASSWORD", PASSWORD)
    assert SqlReading(f"{server.kind}://127.0.0.1:{server.port}/company").told == TOLD
    if server.kind == "postgresql":
        monkeypatch.delenv("GRAPHBRICK_PASSWORD")
        monkeypatch.setenv("PGPASSWORD", PASSWORD)
        assert SqlReading(f"postgres://127.0.0.1:{server.port}/company").told == TOLD


def test_types_of_postgresql(postgres: SqlServer) -> None:
    read = SqlReading(postgres.made("types", POSTGRESQL_TYPES))
    first, second = read.properties["EveryType/1"], read.properties["EveryType/2"]
    assert first.pop("atz").astimezone(datetime.UTC) == datetime.datetime(2020, 1, 2, 3, 4, 5, tzinfo=datetime.UTC)
    assert first == {
        "50% off": 12.5,
        "huge": "123456789012345678901234567890",
        "flag": True,
        "day": datetime.date(2020, 1, 2),
        "at": datetime.datetime(2020, 1, 2, 3, 4, 5),
        "opens": "24:00:00",
        "lasts": "1 year 2 mons 3 days",
        "code": "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
        "extra": '{"k": [1]}',
        "sizes": (1, 2),
        "moods": ("happy", "sad"),
        "cash": 1234.5,
        "ip": "10.0.0.1",
        "spans": "[1,5)",
        "padded": "ab",
    }
    assert second == {"day": "infinity", "at": "-infinity", "atz": "0044-03-15 10:00:00+00 BC"}
    assert read.notes("types that are not read") == ["Every Type: words (tsvector)"]
    assert read.notes("binary values") == ["b"]


def test_partitions_inheritance_permissions_and_schemas(postgres: SqlServer) -> None:
    postgres.made("parts", PARTS)
    read = SqlReading(postgres.address("parts", user="reader", password="of the reader"))
    assert {key for key in read.properties if key.startswith(("Sale", "Cit", "Capital"))} == {
        "Sale/1/2020-05-05",
        "Sale/2/2021-05-05",
        "City/1",
        "Capital/2",
    }
    assert read.notes("partitions") == ["sales_2020", "sales_2021"]
    assert read.notes("materialized views of parts") == ["sums"]
    assert read.notes("tables that cannot be read") == ["secrets (permission denied for table secrets)"]
    assert read.notes("columns that cannot be read") == ["wages: amount"]
    assert read.notes("schemas with tables") == ["hr (1 table)"]
    assert read.notes("foreign keys to tables that are not read") == ["table desks: owner of hr.people"]
    assert read.properties["Desk/1"] == {"owner": 2}  # and no person of another table with the same number
    both = SqlReading(postgres.address("parts", "?schema=public,hr"))
    assert ("Desk/1", "owner", "HrPerson/2") in both.triples
    assert {"Person/1", "HrPerson/1", "Secret/1"} <= set(both.properties)
    with fails("sql.no_schema", schema="none"):
        SqlReading(postgres.address("parts", "?schema=none"))


def test_types_of_mariadb(maria: SqlServer) -> None:
    read = SqlReading(maria.made("types", MARIADB_TYPES))
    assert read.properties["EveryType/18446744073709551615"] == {
        "50% off": 12.5,
        "flag": True,
        "level": 1,
        "b1": True,
        "b8": 5,
        "day": datetime.date(2020, 1, 2),
        "opens": "10:30:00",
        "made": 2020,
        "size": "a",
        "tags": ("x", "z"),
    }
    assert read.properties["EveryType/2"] == {
        "flag": False,
        "level": 5,
        "b1": False,
        "b8": 0,
        "opens": "-100:00:00",
        "size": "b",
    }
    assert read.notes("binary values") == ["picture", "place"]
    assert read.properties.keys() >= {"History/1"}
