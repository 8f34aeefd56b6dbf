"""Addresses of SQL databases: what is one, where its password ends, and that no secret is shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from faults import fails
from sql_reading import SqlReading

import graphbrick
from graphbrick.core.errors import InputError
from graphbrick.graphs.databases.address import is_sql_address
from graphbrick.graphs.readers.sql import connecting, duck
from graphbrick.graphs.readers.sql.address import SqlAddress, sql_address


@pytest.fixture(autouse=True)
def no_login(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GRAPHBRICK_USER", "GRAPHBRICK_PASSWORD"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("text", "user", "password", "shown"),
    [
        ("postgresql://host/shop", "", "", "postgresql://host/shop"),
        ("postgresql://me@host:5432/shop", "me", "", "postgresql://host:5432/shop"),
        ("postgresql://me:pw@host/shop", "me", "pw", "postgresql://host/shop"),
        ("postgresql://me:a%2Fb%40c@host/shop", "me", "a/b@c", "postgresql://host/shop"),
        (
            "postgresql://me:a/b?c@d:e@host/shop?sslmode=require",
            "me",
            "a/b?c@d:e",
            "postgresql://host/shop?sslmode=require",
        ),
        ("mysql+mysqldb://me:p?w@host/shop", "me", "p?w", "mysql+mysqldb://host/shop"),
        ("postgresql://host:5432/shop?options=a@b", "", "", "postgresql://host:5432/shop?options=a@b"),
        ("postgresql://[::1]:5432/shop?options=a@b", "", "", "postgresql://[::1]:5432/shop?options=a@b"),
        ("postgres:///shop?user=me&password=pw&host=/run", "", "", "postgres:///shop?host=/run"),
        ("postgres:///shop?host=/run&sslkey=k&port=1", "", "", "postgres:///shop?host=/run&port=1"),
    ],
)
def test_login_is_read_and_not_shown(text: str, user: str, password: str, shown: str) -> None:
    address = SqlAddress.read(text)
    assert (address.user, address.password, str(address)) == (user, password, shown)
    assert not password or password not in repr(address)


def test_schemas_are_an_option_of_their_own() -> None:
    address = SqlAddress.read("postgresql://host/shop?schema=sales,hr%20x&sslmode=require&schema=old")
    assert (address.schemas, address.place) == (("sales", "hr x", "old"), "host/shop?sslmode=require")
    assert str(address) == "postgresql://host/shop?sslmode=require&schema=sales,hr%20x,old"
    assert SqlAddress.read(str(address)) == address
    with fails("sql.empty_schema"):
        SqlAddress.read("postgresql://host/shop?schema=")


def test_login_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHBRICK_USER", "reader")
    monkeypatch.setenv("GRAPHBRICK_PASSWORD", "of the environment")
    address = SqlAddress.read("mysql://host/shop")
    assert (address.user, address.password) == ("reader", "of the environment")
    assert SqlAddress.read("mysql://me:pw@host/shop").password == "pw"


def test_what_is_an_address(tmp_path: Path) -> None:
    for text in ("postgres://h/d", "mariadb://h/d", "mssql+pymssql://h/d", "ORACLE://h/d", "duckdb:///x.duckdb"):
        assert is_sql_address(text), text
    for text in ("bolt://h/d", "sparql+https://h/d", "https://h/d", "shop.db", "folder", "://", "ladybug:x"):
        assert not is_sql_address(text), text
    assert sql_address("sqlite:///shop.db") is None  # read as a file, without SQLAlchemy
    named = tmp_path / "text.duckdb"
    named.write_text("id,name\n1,Ann\n", encoding="utf-8")
    assert sql_address(str(named)) is None


def test_an_sql_database_is_built_from_and_not_asked() -> None:
    with fails("address.of_tables", InputError) as caught:
        graphbrick.open("postgresql://me:s3cret@host/shop")
    assert "graphbrick build" in str(caught.value)
    assert "s3cret" not in str(caught.value)
    with fails("address.unknown_scheme", scheme="posgresql") as caught:
        graphbrick.open("posgresql://me:s3cret@host/shop")
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize(
    ("address", "module", "package"),
    [
        ("postgresql://me:s3cret@host/shop", "psycopg", "'graphbrick[postgresql]'"),
        ("mariadb://me:s3cret@host/shop", "pymysql", "'graphbrick[mysql]'"),
        ("mssql://me:s3cret@host/shop", "pyodbc", "'graphbrick[sql]' pyodbc"),
        ("oracle://me:s3cret@host/shop", "oracledb", "'graphbrick[sql]' oracledb"),
        ("duckdb:///shop.duckdb", "duckdb", "'graphbrick[duckdb]'"),
    ],
)
def test_missing_packages_are_named(address: str, module: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for reader in (connecting, duck):
        monkeypatch.setattr(reader, "find_spec", lambda name: None if name == module else object())
    with fails("sql.no_package", InputError, modules=[module]) as caught:
        SqlReading(address)
    assert str(caught.value).endswith(f"pip install {package}")
    assert "s3cret" not in str(caught.value)


def test_options_of_text_files_are_refused() -> None:
    with fails("sql.options_of_text"):
        SqlReading("postgresql://host/shop", delimiter=";")
