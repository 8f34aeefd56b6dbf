"""SQLite files: tables with declared foreign keys and without, views, binary values, locks, and broken files."""

from __future__ import annotations

import datetime
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from faults import fails
from table_files import Reading, one_file

from graphbrick.core.errors import InputError
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.readers.relational.references import BROKEN
from graphbrick.graphs.records.records import EdgeRecord, EntityRecord

SHOP = """
CREATE TABLE makers(maker INTEGER PRIMARY KEY, name TEXT, logo BLOB);
CREATE TABLE goods(good_no TEXT PRIMARY KEY, name TEXT, made_by INTEGER REFERENCES makers, cheap BOOLEAN, added DATE);
CREATE TABLE shops(country TEXT, number INTEGER, name TEXT, PRIMARY KEY (country, number));
CREATE TABLE stock(good TEXT REFERENCES goods(good_no), country TEXT, shop INTEGER, pieces INTEGER,
    FOREIGN KEY (country, shop) REFERENCES shops(country, number));
CREATE TABLE spare(id INTEGER PRIMARY KEY);
CREATE VIEW cheap_goods AS SELECT * FROM goods WHERE cheap;
INSERT INTO makers VALUES (1, 'Alba', x'ff00'), (2, 'Boro', NULL);
INSERT INTO goods VALUES ('K1', 'Kettle', 1, 1, '2020-05-01'), ('L1', 'Lamp', 9, 0, '2020-06-01 00:00:00');
INSERT INTO shops VALUES ('NO', 1, 'Oslo shop'), ('SE', 1, 'Lund shop');
INSERT INTO stock VALUES ('K1', 'NO', 1, 5), ('L1', 'SE', 1, 6), ('K1', 'SE', 1, 7);
"""


def database(file: Path, script: str) -> Path:
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(script)
    return file


@pytest.mark.parametrize("name", ["shop.db", "shop.sqlite3", "shop.data"])
def test_declared_keys(tmp_path: Path, name: str) -> None:
    read = Reading(database(tmp_path / name, SHOP))
    assert read.nodes == [
        EntityRecord(
            "Good/K1",
            "Kettle",
            types=("Good",),
            properties={"good_no": "K1", "cheap": True, "added": datetime.date(2020, 5, 1)},
        ),
        EntityRecord(
            "Good/L1",
            "Lamp",
            types=("Good",),
            properties={"good_no": "L1", "cheap": False, "added": datetime.datetime(2020, 6, 1), "made_by": 9},
        ),
        EntityRecord("Maker/1", "Alba", types=("Maker",), properties={"maker": 1}),
        EntityRecord("Maker/2", "Boro", types=("Maker",), properties={"maker": 2}),
        EntityRecord("Shop/NO/1", "Oslo shop", types=("Shop",), properties={"country": "NO", "number": 1}),
        EntityRecord("Shop/SE/1", "Lund shop", types=("Shop",), properties={"country": "SE", "number": 1}),
    ]
    assert read.edges[0] == ("Good/K1", "made by", "Maker/1")
    assert [(edge.triple, edge.properties["pieces"]) for edge in read.edges if isinstance(edge, EdgeRecord)] == [
        (("Good/K1", "stock", "Shop/NO/1"), 5),
        (("Good/L1", "stock", "Shop/SE/1"), 6),
        (("Good/K1", "stock", "Shop/SE/1"), 7),
    ]
    assert read.told == [
        "table goods: class Good, key good_no, name name, made by is Maker (made_by); 3 properties "
        "(good_no, cheap, added)",
        "table makers: class Maker, key maker, name name; 1 property (maker)",
        "table shops: class Shop, key country and number, name name; 2 properties (country, number)",
        "table stock: relation stock from Good (good) to Shop (country and shop); 3 properties (country, shop, pieces)",
    ]
    assert read.left_out.examples == {
        f"views of {name}, which are not read": ["cheap_goods"],
        "tables without rows": ["table spare"],
        "binary values of table makers, which are not kept": ["logo"],
        "values of made_by in table goods that are in no row of table makers": ["9"],
    }


def test_keys_that_are_not_declared_are_found(tmp_path: Path) -> None:
    script = """
    CREATE TABLE Customers(CustomerID TEXT, CompanyName TEXT);
    CREATE TABLE Orders(OrderID INTEGER, CustomerID TEXT, Total REAL);
    INSERT INTO Customers VALUES ('ALBA', 'Alba'), ('BORO', 'Boro');
    INSERT INTO Orders VALUES (1, 'ALBA', 5), (2, 'BORO', 6.5);
    """
    read = Reading(database(tmp_path / "shop.db", script))
    assert read.edges == [("Order/1", "customer", "Customer/ALBA"), ("Order/2", "customer", "Customer/BORO")]
    assert read.properties[2] == {"OrderID": 1, "Total": 5.0}


def test_foreign_keys_to_what_is_not_there_are_told(tmp_path: Path) -> None:
    script = """
    CREATE TABLE makers(id INTEGER PRIMARY KEY, code TEXT);
    CREATE TABLE goods(id INTEGER PRIMARY KEY, shop INT REFERENCES shops(id), made TEXT REFERENCES makers(code));
    INSERT INTO makers VALUES (1, 'a'), (2, 'a');
    INSERT INTO goods VALUES (1, 7, 'a');
    """
    read = Reading(database(tmp_path / "shop.db", script))
    assert (read.edges, read.properties[0]) == ([], {"shop": 7, "made": "a"})
    told = ["table goods: shop of shops", "table goods: made (values of code in table makers repeat)"]
    assert sorted(read.left_out.examples[BROKEN]) == sorted(told)


def test_a_table_that_refers_to_itself(tmp_path: Path) -> None:
    script = """
    CREATE TABLE parts(id INTEGER PRIMARY KEY, name TEXT, part_id INTEGER REFERENCES parts(id));
    INSERT INTO parts VALUES (1, 'Car', NULL), (2, 'Wheel', 1);
    """
    assert Reading(database(tmp_path / "parts.db", script)).edges == [("Part/2", "parent", "Part/1")]


def test_two_references_to_one_table(tmp_path: Path) -> None:
    script = """
    CREATE TABLE teams(id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE matches(id INTEGER PRIMARY KEY, home_team_id INT, away_team_id INT, day TEXT);
    INSERT INTO teams VALUES (1, 'Reds'), (2, 'Blues');
    INSERT INTO matches VALUES (1, 1, 2, '2020-01-05');
    """
    read = Reading(database(tmp_path / "league.db", script))
    assert read.edges == [("Match/1", "home team", "Team/1"), ("Match/1", "away team", "Team/2")]


@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
def test_a_database_that_another_connection_has_open(tmp_path: Path, mode: str) -> None:
    file = tmp_path / "shop.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(f"PRAGMA journal_mode={mode}")
        connection.executescript(SHOP)
        connection.execute("BEGIN")
        connection.execute("INSERT INTO makers VALUES (3, 'Cuno', NULL)")
        assert sum("Maker" in record.types for record in Reading(file).nodes) == 2
        connection.commit()
        assert sum("Maker" in record.types for record in Reading(file).nodes) == 3
    assert file.read_bytes()[:6] == b"SQLite"


def test_a_locked_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphbrick.graphs.readers.relational.sqlite._WAIT", 0.05)
    file = database(tmp_path / "shop.db", SHOP)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        with fails("sqlite.locked", InputError):
            Reading(file)


def test_files_that_are_no_database(tmp_path: Path) -> None:
    with fails("sqlite.not_one", InputError):
        Reading(one_file(tmp_path, "secret.sqlite", b"\x8f" * 4096))
    broken = database(tmp_path / "shop.db", SHOP)
    broken.write_bytes(broken.read_bytes()[:5000])
    with fails("sqlite.unreadable", InputError):
        Reading(broken)
    with fails("related.no_rows", InputError):
        Reading(database(tmp_path / "none.db", "CREATE TABLE a(id)"))
    with fails("related.options_of_edges", InputError):
        Reading(database(tmp_path / "shop.db3", SHOP), relation="R")


def test_the_file_is_not_changed_and_the_graph_is_built(tmp_path: Path) -> None:
    file = database(tmp_path / "shop.db", SHOP)
    before = file.read_bytes()
    graph = build(file, tmp_path / "shop.graph")
    assert (graph.n_entities, graph.n_triples) == (6, 4)
    assert graph.manifest.not_kept["tables without rows"] == {"count": 1, "examples": ["table spare"]}
    assert file.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["shop.db", "shop.graph"]
