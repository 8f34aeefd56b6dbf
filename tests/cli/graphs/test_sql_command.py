"""`graphbrick build` from an SQL database: what it prints, and what refuses such an address."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from commands import Run, refused
from sql_reading import COMPANY, TOLD

pytest.importorskip("sqlalchemy", reason="SQLAlchemy is not installed: pip install 'graphbrick[sql]'")


@pytest.fixture
def address(tmp_path: Path) -> str:
    file = tmp_path / "company.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(COMPANY)
    return f"sqlite+pysqlite:///{file}"


def test_a_build_tells_how_tables_are_read(run: Run, address: str, tmp_path: Path) -> None:
    done = run("build", address, str(tmp_path / "company.graph"), "--reference", "desks.owner=")
    assert done.code == 0, done.err
    told = done.out.splitlines()
    assert told[0] == TOLD[0]
    assert told[1].startswith("table desks: class Desk, key id, name label, office is Office")
    assert "owner is" not in told[1]
    manifest = json.loads((tmp_path / "company.graph" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["source"] == address


def test_options_of_text_files_are_refused(run: Run, address: str, tmp_path: Path) -> None:
    refused(run("build", address, str(tmp_path / "x.graph"), "--delimiter", ";"), "an SQL database takes no --columns")
    refused(run("build", address, str(tmp_path / "x.graph"), "--nodes", "nodes.csv"), "no table of nodes")
    assert not (tmp_path / "x.graph").exists()


def test_an_address_is_not_asked_and_not_refreshed(run: Run, address: str, tmp_path: Path) -> None:
    place = str(tmp_path / "company.graph")
    assert run("build", address, place).code == 0
    refused(run("refresh", place), "was built from tables, which are not refreshed; build it again")
    refused(run("add", place, "postgresql://me:s3cret@host/shop"), "this command reads files and folders")
    assert "s3cret" not in run("add", place, "postgresql://me:s3cret@host/shop").err
    refused(run("ask", "postgresql://me:s3cret@host/shop", "Who is Ada?"), "graphbrick build ADDRESS my.graph")
    refused(run("learn", "postgresql://me:s3cret@host/shop"), "graphbrick build ADDRESS my.graph")
