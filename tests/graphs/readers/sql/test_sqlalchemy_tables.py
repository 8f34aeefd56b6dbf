"""Databases that are read by SQLAlchemy, by way of SQLite: the same graph as from the file, and what goes wrong."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from faults import fails
from sql_reading import COMPANY, TOLD, SqlReading

from graphbrick.core.errors import InputError
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.readers import ReadOptions, opened_source
from graphbrick.graphs.readers.sql.address import SqlAddress
from graphbrick.graphs.readers.sql.alchemy import AlchemyDatabase

pytest.importorskip("sqlalchemy", reason="SQLAlchemy is not installed: pip install 'graphbrick[sql]'")


@pytest.fixture
def company(tmp_path: Path) -> Path:
    file = tmp_path / "company.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(COMPANY)
    return file


def test_the_same_graph_as_from_the_file(company: Path, tmp_path: Path) -> None:
    read = SqlReading(f"sqlite+pysqlite:///{company}")
    assert read.told == TOLD
    assert read.notes("views of company.db") == ["bosses"]
    assert read.notes("tables without rows") == ["table archive"]
    assert ("Person/2", "boss", "Person/1") in read.triples
    assert ("Desk/10", "office", "Office/NO/1") in read.triples
    own = build(company, tmp_path / "own.graph")
    assert build(f"sqlite+pysqlite:///{company}", tmp_path / "other.graph").hash == own.hash
    assert build(f"sqlite:///{company}", tmp_path / "file.graph").hash == own.hash


def test_names_that_have_to_be_quoted(tmp_path: Path) -> None:
    file = tmp_path / "odd.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(
            'CREATE TABLE "Order"(id INTEGER PRIMARY KEY, "50% off" REAL, "a:b" INT, "Full ""Name""" TEXT, born DATE);'
            "INSERT INTO \"Order\" VALUES (1, 2.5, 3, 'x', '2020-01-02');"
        )
    read = SqlReading(f"sqlite+pysqlite:///{file}")
    (only,) = read.properties.values()
    assert (only["50% off"], only["a:b"], str(only["born"])) == (2.5, 3, "2020-01-02")


def test_nothing_can_be_written(company: Path) -> None:
    database = AlchemyDatabase(SqlAddress.read(f"sqlite+pysqlite:///{company}"))
    try:
        with pytest.raises(InputError, match="attempt to write a readonly database"), database._reporting("x", "y"):
            database._connection.exec_driver_sql("INSERT INTO archive VALUES (1, 'x')")
    finally:
        database.close()


def test_a_database_that_is_none(tmp_path: Path) -> None:
    file = tmp_path / "text.db"
    file.write_text("no database" * 100, encoding="utf-8")
    with fails("sql.not_listed", InputError) as caught:
        SqlReading(f"sqlite+pysqlite:///{file}")
    assert "\n" not in str(caught.value)


def test_addresses_that_cannot_be_read(tmp_path: Path) -> None:
    pytest.importorskip("psycopg", reason="psycopg is not installed: pip install 'graphbrick[postgresql]'")
    with fails("sql.bad_address", InputError) as caught:
        SqlReading("postgresql://me:s3cret@host:54x/shop")
    assert "s3cret" not in str(caught.value)
    with fails("sql.not_opened", InputError) as caught:
        SqlReading("postgresql://me:s3cret@127.0.0.1:9/shop")
    assert "s3cret" not in str(caught.value)


def test_mysql_needs_the_name_of_a_database() -> None:
    pytest.importorskip("pymysql", reason="PyMySQL is not installed: pip install 'graphbrick[mysql]'")
    with fails("sql.no_database"):
        SqlReading("mysql://me@127.0.0.1/")


def test_no_table_of_nodes(company: Path) -> None:
    address = f"sqlite+pysqlite:///{company}"
    with fails("sql.nodes"), opened_source(address, company, ReadOptions()):
        pass


def test_a_build_that_fails_leaves_no_transaction(company: Path, tmp_path: Path) -> None:
    (tmp_path / "there.graph").mkdir()
    (tmp_path / "there.graph" / "file").write_text("x", encoding="utf-8")
    with pytest.raises(Exception, match="there"):
        build(f"sqlite+pysqlite:///{company}", tmp_path / "there.graph")
    with closing(sqlite3.connect(company, timeout=0)) as connection:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("INSERT INTO archive VALUES (1, 'x')")
        connection.commit()
