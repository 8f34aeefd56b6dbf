"""Questions over a database of tables, read as it is: through foreign keys, tables of joins, and roles."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.learn.default import default_pipeline

SHOP = """
CREATE TABLE employees(id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, manager_id INTEGER);
CREATE TABLE customers(id INTEGER PRIMARY KEY, name TEXT, country TEXT, employee_id INTEGER);
CREATE TABLE categories(id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE products(id INTEGER PRIMARY KEY, name TEXT, price REAL, category_id INTEGER);
CREATE TABLE orders(id INTEGER PRIMARY KEY, customer_id INTEGER, order_date TEXT, freight REAL);
CREATE TABLE order_details(id INTEGER PRIMARY KEY, order_id INTEGER, product_id INTEGER, quantity INTEGER);
INSERT INTO employees VALUES (1, 'Ada', 'Marsh', NULL), (2, 'Ben', 'Holt', 1), (3, 'Cleo', 'Lund', 1);
INSERT INTO customers VALUES (1, 'Alba', 'Norway', 2), (2, 'Boro', 'Norway', 2), (3, 'Cuno', 'Spain', 3);
INSERT INTO categories VALUES (1, 'Kitchen'), (2, 'Garden');
INSERT INTO products VALUES (1, 'Kettle', 24.5, 1), (2, 'Lamp', 40, 2), (3, 'Mug', 3.75, 1), (4, 'Spade', 9, 2);
INSERT INTO orders VALUES (10, 1, '2020-03-01', 5), (11, 1, '2021-05-01', 7), (12, 2, '2021-06-01', 3);
INSERT INTO order_details VALUES (1, 10, 1, 2), (2, 10, 3, 6), (3, 11, 2, 1), (4, 12, 1, 4);
"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    folder = tmp_path_factory.mktemp("shop")
    with closing(sqlite3.connect(folder / "shop.db")) as connection:
        connection.executescript(SHOP)
    return build(folder / "shop.db", folder / "shop.graph")


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("orders of Alba", {"Order 10", "Order 11"}),
        ("orders of customer Boro", {"Order 12"}),
        ("who manages Ben Holt", {"Ada Marsh"}),
        ("who is the manager of Cleo Lund", {"Ada Marsh"}),
        ("employees without a manager", {"Ada Marsh"}),
        ("how many products per category", {"Kitchen: 2", "Garden: 2"}),
        ("products of the category Kitchen", {"Kettle", "Mug"}),
        ("which products did Alba order", {"Kettle", "Mug", "Lamp"}),
        ("which products are in order 10", {"Kettle", "Mug"}),
        ("which orders contain Kettle", {"Order 10", "Order 12"}),
        ("customers who bought Kettle", {"Alba", "Boro"}),
        ("how many orders per customer", {"Alba: 2", "Boro: 1", "Cuno: 0"}),
        ("which customer has the most orders", {"Alba"}),
        ("quantity of Mug in order 10", {"6"}),
        ("total freight of the orders of Alba", {"12"}),
        ("most expensive product", {"Lamp"}),
        ("customers in Norway", {"Alba", "Boro"}),
        ("how many orders in 2021", {"2"}),
    ],
)
def test_questions_over_related_tables(shop: Graph, question: str, answers: set[str]) -> None:
    answer = default_pipeline(shop)(shop, question)
    assert set(answer.texts) == answers
    assert (answer.confidence or 0) > 0.8


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("which cars have 7 gears", {"R8", "TT"}),
        ("top 2 cars by gears", {"NSX", "R8"}),
        ("average gears per brand", {"Acura: 9", "Audi: 7"}),
        ("the newest car", {"NSX"}),
    ],
)
def test_questions_over_a_table_without_relations(tmp_path: Path, question: str, answers: set[str]) -> None:
    file = tmp_path / "cars.csv"
    file.write_text(
        "Model,Brand,Gears,Released\nNSX,Acura,9,2021-02-01\nR8,Audi,7,2020-06-30\nTT,Audi,7,2019-06-30\n",
        encoding="utf-8",
    )
    graph = build(file, tmp_path / "cars.graph")
    answer = default_pipeline(graph)(graph, question)
    assert set(answer.texts) == answers
