"""Connections by SQLAlchemy: the driver, the time limits, and one read-only transaction that sees one state."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from graphbrick.core.errors import InputError
from graphbrick.graphs.readers.sql.address import DRIVERS, Driver, SqlAddress
from graphbrick.graphs.readers.sql.found import fault
from graphbrick.graphs.records.records import LeftOut

if TYPE_CHECKING:
    import sqlalchemy

_TIMEOUT = 10  # seconds for a server to answer
_LOCKED = 30  # seconds for a table that another transaction changes
_NO_SNAPSHOT = "sources that may have changed while they were read, as they offer no read-only state"
_LIBPQ = {
    "connect_timeout": _TIMEOUT,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 6,
    "application_name": "graphbrick",
    "client_encoding": "utf8",
}
_READ = 120  # seconds for a MySQL server to send more
_POSTGRESQL = {
    "lock_timeout": f"'{_LOCKED}s'",
    "idle_in_transaction_session_timeout": "0",
    "synchronize_seqscans": "off",  # rows come in the same order each time
    "intervalstyle": "postgres",
}
_ARGUMENTS: dict[str, dict[str, Any]] = {
    "psycopg": _LIBPQ,
    "psycopg2": _LIBPQ,
    "pymysql": {"connect_timeout": _TIMEOUT, "read_timeout": _READ, "charset": "utf8mb4"},
    "mysqldb": {"connect_timeout": _TIMEOUT, "charset": "utf8mb4"},
    "pyodbc": {"timeout": _TIMEOUT},
    "pymssql": {"login_timeout": _TIMEOUT},
    "oracledb": {"tcp_connect_timeout": _TIMEOUT},
}
"""What is passed to drivers unless the address says otherwise, by driver."""


def connected(address: SqlAddress) -> tuple[sqlalchemy.Connection, LeftOut]:
    """Open a connection with a transaction that only reads.

    Returns:
        The connection, and notes on what it does not offer.

    Raises:
        InputError: A package is missing, the server does not answer or refuses access, or there is no such database.
    """
    engine = _engine(address)
    from sqlalchemy.exc import SQLAlchemyError

    notes = LeftOut()
    try:
        connection = engine.connect()
        try:
            return _begun(connection, address, notes), notes
        except BaseException:
            connection.close()
            raise
    except (SQLAlchemyError, OSError, RuntimeError, TypeError, ValueError) as error:
        engine.dispose()
        raise fault(address, "the database cannot be opened", error, "sql.not_opened") from error


def _engine(address: SqlAddress) -> sqlalchemy.Engine:
    driver = DRIVERS.get(address.scheme, Driver(address.scheme, "", "graphbrick[sql]"))
    missing = [name for name in ("sqlalchemy", driver.module) if name and find_spec(name) is None]
    if missing:
        raise no_package(address, missing, driver.package)
    from sqlalchemy import create_engine, make_url
    from sqlalchemy.exc import ArgumentError, NoSuchModuleError
    from sqlalchemy.pool import NullPool

    try:
        url = make_url(f"{driver.url}://{address.place}")
        if address.file is None:
            url = url.set(username=address.user or None, password=address.password or None)
        if address.kind in ("mysql", "mariadb") and not url.database:
            reason = f"the address names no database; write {address.kind}://HOST/DATABASE"
            raise InputError(reason, str(address), code="sql.no_database")
        known = _ARGUMENTS.get(url.get_driver_name(), {})
        arguments = {name: value for name, value in known.items() if name not in url.query}
        return create_engine(url, poolclass=NullPool, connect_args=arguments, hide_parameters=True)
    except ImportError as error:
        module = error.name or driver.url.partition("+")[2]
        raise no_package(address, [module], f"graphbrick[sql] {module}") from error
    except (ArgumentError, NoSuchModuleError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        reason = (
            f"the address cannot be read as {address.kind}://USER@HOST:PORT/DATABASE, or its kind of database is not "
            f"known to SQLAlchemy"
        )
        raise InputError(reason, str(address), code="sql.bad_address") from None  # which may show the password


def no_package(address: SqlAddress, modules: list[str], package: str) -> InputError:
    """Return the error of packages that are not installed."""
    named = " ".join(f"'{one}'" if "[" in one else one for one in package.split())
    reason = f"reading {address.kind} needs {' and '.join(modules)}: pip install {named}"
    return InputError(reason, str(address), code="sql.no_package", modules=modules)


def _begun(connection: sqlalchemy.Connection, address: SqlAddress, notes: LeftOut) -> sqlalchemy.Connection:
    """Begin a transaction that writes nothing, and sees one state where the kind of database has that."""
    dialect = connection.dialect.name
    if dialect == "postgresql":
        connection = connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        for setting, value in _POSTGRESQL.items():
            connection.exec_driver_sql(f"SET LOCAL {setting} = {value}")
        if connection.dialect.driver == "psycopg":
            from graphbrick.graphs.readers.sql.postgres import keep_odd_dates

            keep_odd_dates(connection)
    elif dialect in ("mysql", "mariadb"):
        connection.exec_driver_sql(f"SET SESSION net_write_timeout = 3600, lock_wait_timeout = {_LOCKED}")
        connection.exec_driver_sql("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        connection.exec_driver_sql("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY")
    elif dialect == "oracle":
        connection.exec_driver_sql("SET TRANSACTION READ ONLY")
    elif dialect == "sqlite":
        connection.exec_driver_sql("PRAGMA query_only = ON")
        connection.exec_driver_sql("BEGIN")
    elif dialect == "mssql" and _has_snapshots(connection):
        connection.rollback()
        connection = connection.execution_options(isolation_level="SNAPSHOT")
    else:
        notes.add(_NO_SNAPSHOT, str(address))
    return connection


def _has_snapshots(connection: sqlalchemy.Connection) -> bool:
    state = "SELECT snapshot_isolation_state FROM sys.databases WHERE name = DB_NAME()"
    return connection.exec_driver_sql(state).scalar() == 1
