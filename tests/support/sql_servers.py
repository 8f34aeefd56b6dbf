"""PostgreSQL and MariaDB for tests: servers of their own, on ports of their own, which end with the tests."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import pytest

PASSWORD = "s3cret/p@ss"
"""A password with characters that separate the parts of an address."""

_WAIT = 60.0  # seconds for a server to start


@dataclass(frozen=True)
class SqlServer:
    """A server that runs.

    Attributes:
        kind: "postgresql" or "mysql".
        port: Its port.
        folder: The folder of its data.
        process: Its process.
    """

    kind: str
    port: int
    folder: Path
    process: subprocess.Popen[bytes]

    def address(self, database: str, options: str = "", user: str = "boss", password: str = PASSWORD) -> str:
        """Return the address of a database, with the password as it is."""
        return f"{self.kind}://{user}:{password}@127.0.0.1:{self.port}/{database}{options}"

    def run(self, database: str, *statements: str, user: str = "boss", password: str = PASSWORD) -> None:
        """Run statements, each in a transaction of its own."""
        import sqlalchemy

        driver = {"postgresql": "postgresql+psycopg", "mysql": "mysql+pymysql"}[self.kind]
        url = f"{driver}://{user}:{quote(password, safe='')}@127.0.0.1:{self.port}/{database}"
        engine = sqlalchemy.create_engine(url, isolation_level="AUTOCOMMIT", poolclass=sqlalchemy.pool.NullPool)
        with engine.connect() as connection:
            for statement in statements:
                connection.exec_driver_sql(statement.replace("%", "%%"))
        engine.dispose()

    def made(self, database: str, script: str) -> str:
        """Make a database anew with the statements of a script, and return its address."""
        first = "postgres" if self.kind == "postgresql" else "mysql"
        self.run(first, f"DROP DATABASE IF EXISTS {database}")
        self.run(first, f"CREATE DATABASE {database}")
        self.run(database, *(statement for statement in script.split(";\n") if statement.strip()))
        return self.address(database)


def _found(name: str, *folders: str) -> str | None:
    places = [str(place) for folder in folders for place in sorted(Path("/").glob(folder.lstrip("/")))]
    return shutil.which(name, path=os.pathsep.join([*places, os.environ.get("PATH", ""), "/usr/sbin"]))


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


@contextmanager
def _folder(user: str) -> Iterator[tuple[Path, str | None]]:
    """Yield a folder, and the user that owns it: servers refuse to run as root."""
    folder = Path(tempfile.mkdtemp(prefix="graphbrick-sql-"))
    owner = user if os.geteuid() == 0 else None
    try:
        if owner is not None:
            try:
                os.chown(folder, pwd.getpwnam(owner).pw_uid, -1)
            except KeyError:
                pytest.skip(f"the server does not run as root, and there is no user {owner}")
        yield folder, owner
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _running(command: list[str], owner: str | None, is_up: Callable[[], object]) -> Iterator[subprocess.Popen[bytes]]:
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, user=owner, **quiet)  # type: ignore[call-overload]
    try:
        end = time.monotonic() + _WAIT
        while True:
            try:
                is_up()
                break
            except Exception:
                if process.poll() is not None or time.monotonic() > end:
                    raise
                time.sleep(0.1)
        yield process
    finally:
        with suppress(ProcessLookupError):
            process.send_signal(signal.SIGQUIT if "postgres" in command[0] else signal.SIGKILL)
        process.wait()


@contextmanager
def postgresql() -> Iterator[SqlServer]:
    """Start PostgreSQL, or skip the test where it or the driver is not installed."""
    pytest.importorskip("psycopg", reason="psycopg is not installed: pip install 'graphbrick[postgresql]'")
    initdb, server = (_found(name, "/usr/lib/postgresql/*/bin") for name in ("initdb", "postgres"))
    if initdb is None or server is None:
        pytest.skip("PostgreSQL is not installed here; on Debian: apt-get install postgresql")
    with _folder("postgres") as (folder, owner):
        data, secret = folder / "data", folder / "secret"
        secret.write_text(PASSWORD, encoding="utf-8")
        secret.chmod(0o644)
        options = ["-A", "scram-sha-256", f"--pwfile={secret}", "-U", "boss", "-E", "UTF8", "--locale=C", "-N"]
        subprocess.run([initdb, "-D", data, *options], check=True, capture_output=True, user=owner)
        port = _free_port()
        settings = {"port": port, "listen_addresses": "127.0.0.1", "unix_socket_directories": folder, "fsync": "off"}
        command = [server, "-D", str(data), *(f"--{name}={value}" for name, value in settings.items())]
        starting = SqlServer("postgresql", port, folder, None)  # type: ignore[arg-type]
        with _running(command, owner, lambda: starting.run("postgres", "SELECT 1")) as process:
            yield SqlServer("postgresql", port, folder, process)


@contextmanager
def mariadb() -> Iterator[SqlServer]:
    """Start MariaDB or MySQL, or skip the test where it or the driver is not installed."""
    pytest.importorskip("pymysql", reason="PyMySQL is not installed: pip install 'graphbrick[mysql]'")
    install, server = _found("mariadb-install-db"), _found("mariadbd")
    if install is None or server is None:
        pytest.skip("MariaDB is not installed here; on Debian: apt-get install mariadb-server")
    with _folder("mysql") as (folder, owner):
        data, first = folder / "data", folder / "first.sql"
        first.write_text(
            f"CREATE USER boss@'127.0.0.1' IDENTIFIED BY '{PASSWORD}';\n"
            "GRANT ALL ON *.* TO boss@'127.0.0.1' WITH GRANT OPTION;\n",
            encoding="utf-8",
        )
        first.chmod(0o644)
        made = [install, "--no-defaults", f"--datadir={data}", "--skip-test-db"]
        subprocess.run([*made, *([f"--user={owner}"] if owner else [])], check=True, capture_output=True)
        port = _free_port()
        command = [server, "--no-defaults", f"--datadir={data}", f"--port={port}", "--bind-address=127.0.0.1"]
        command += [f"--socket={folder}/socket", "--skip-name-resolve", f"--init-file={first}"]
        command += ["--character-set-server=utf8mb4"]
        starting = SqlServer("mysql", port, folder, None)  # type: ignore[arg-type]
        with _running(command, owner, lambda: starting.run("mysql", "SELECT 1")) as process:
            yield SqlServer("mysql", port, folder, process)
