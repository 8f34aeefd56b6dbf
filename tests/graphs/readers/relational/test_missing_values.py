"""Keys and values that are missing or blank in related tables, and columns called as a declared key."""

from __future__ import annotations

import gc
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from faults import fails
from table_files import Reading, one_file

from graphbrick.core.errors import InputError
from graphbrick.core.properties.values import Raw
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.build.prefetch import prefetched
from graphbrick.graphs.readers import ReadOptions

KEYS = """
CREATE TABLE unit(code TEXT PRIMARY KEY, name TEXT);
INSERT INTO unit VALUES ('m', 'metre'), (NULL, 'foot'), ('', 'mile');
CREATE TABLE usage(auth TEXT, code TEXT, what TEXT, PRIMARY KEY(auth, code));
INSERT INTO usage VALUES ('a', 'b', 'x'), (NULL, 'b', 'y');
"""


def _database(file: Path, script: str) -> Path:
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(script)
    return file


def test_rows_without_their_declared_key_are_numbered(tmp_path: Path) -> None:
    read = Reading(_database(tmp_path / "units.db", KEYS))
    assert [(record.key, record.label) for record in read.nodes if record.types == ("Unit",)] == [
        ("Unit/m", "metre"),
        ("Unit/row 2", "foot"),
        ("Unit/row 3", "mile"),
    ]
    assert [record.key for record in read.nodes if record.types == ("Usage",)] == ["Usage/a/b", "Usage/row 2"]
    assert read.left_out.counts["rows of table unit without the key code, which are numbered"] == 2
    assert read.left_out.counts["rows of table usage without the key auth and code, which are numbered"] == 1


def test_an_empty_key_that_is_chosen_is_a_bad_record(tmp_path: Path) -> None:
    file = one_file(tmp_path, "rows.csv", "code,name,size,kind\nm,metre,1,x\n,foot,2,x\n")
    with pytest.raises(InputError, match=r"the key code of rows\.csv is empty; choose another column with --key"):
        Reading(file, key="code")
    assert len(Reading(file, key="code", skip=True).nodes) == 1


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
def test_a_failed_build_of_a_database_closes_it(tmp_path: Path) -> None:
    file = _database(tmp_path / "units.db", KEYS)
    with fails("reader.empty_key", InputError):
        build(file, tmp_path / "units.graph", options=ReadOptions(key="auth"))
    gc.collect()


def test_what_is_read_ahead_is_closed_early() -> None:
    closed = []

    def values() -> object:
        try:
            yield from range(100)
        finally:
            closed.append(True)

    ahead = prefetched(values())  # type: ignore[var-annotated, arg-type]
    assert next(ahead) == 0
    ahead.close()  # type: ignore[attr-defined]
    assert closed == [True]


def test_blanks_of_texts_are_told(tmp_path: Path) -> None:
    script = "CREATE TABLE decays(id INTEGER PRIMARY KEY, name TEXT, mode TEXT, relation TEXT);"
    read = Reading(
        _database(tmp_path / "d.db", f"{script} INSERT INTO decays VALUES (1, 'x', 'A ', '  '), (2, 'y', 'B', '=');")
    )
    assert read.properties == [{"mode": "A"}, {"mode": "B", "relation": "="}]
    assert read.left_out.examples["texts of table decays of blanks alone (no values)"] == ["relation"]
    assert read.left_out.examples["texts of table decays with blanks around them, which are cut off"] == ["mode"]


def test_texts_that_stand_for_a_missing_value(tmp_path: Path) -> None:
    rows = "id,name,age,born,city\n1,Ann,34,2020-01-02,Oslo\n2,Bo,N/A,-,None\n3,Cy,?,NaN,Rome\n4,Di,41,2021-03-04,-\n"
    read = Reading(one_file(tmp_path, "people.csv", rows))
    assert read.properties[1] == {"city": Raw("None")}
    assert read.properties[2] == {"city": Raw("Rome")}
    missing = read.left_out.examples["cells of people.csv that say that a number or date is missing"]
    assert missing == ["age: N/A", "born: -", "age: ?", "born: NaN"]
    kept = read.left_out.examples["texts of people.csv that may say that a value is missing (kept as they are)"]
    assert kept == ["city: None", "city: -"]


def test_a_column_called_as_a_declared_key_refers_to_it(tmp_path: Path) -> None:
    script = """
    CREATE TABLE elements(atomic_number INTEGER PRIMARY KEY, name TEXT);
    INSERT INTO elements VALUES (1, 'Hydrogen'), (2, 'Helium');
    CREATE TABLE phases(id INTEGER PRIMARY KEY, atomic_number INTEGER, boiling REAL);
    INSERT INTO phases VALUES (1, 2, 4.2), (2, 1, 20.3);
    """
    read = Reading(_database(tmp_path / "elements.db", script))
    assert read.edges == [("Phase/1", "atomic", "Element/2"), ("Phase/2", "atomic", "Element/1")]


def test_xml_that_is_no_graph(tmp_path: Path) -> None:
    file = one_file(tmp_path, "books.xml", "<?xml version='1.0'?><catalog><book id='b1'/></catalog>")
    with fails("reader.other_xml", InputError, root="catalog"):
        Reading(file)
