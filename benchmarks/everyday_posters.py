"""Make a set for `everyday.py` out of public sample data: the orders of a web shop that sells posters.

    python benchmarks/everyday_posters.py WORK [--data JSON]

Writes WORK/posters, a folder with a table of nodes per type, a table of edges per relation, and `questions.jsonl`, out
of the questions in `everyday_posters.txt`. There are customers, with where they live, when they were seen, and the
segments that the shop sorts them into, the posters with their sizes, prices and stocks in categories, orders with their
dates, amounts and states, which posters they contain and how many, invoices, and who reviewed which poster when.

The data are the sample shop of react-admin, «Posters Galore», as a package of npm makes it, data-generator-retail
(MIT), with @faker-js/faker (MIT) and date-fns (MIT): none of the people exist. The package draws at random and counts
back from today, so it is run with a seed and on a fixed day, the last one of 2024, and gives the same data each time.
It is fetched with `npm install` and run with Node unless a path to what it gave is passed. Columns have the names and
values that they have there, but `name` is the `reference` of posters and orders and the whole name of customers, times
are in seconds and amounts in cents. Left out are pictures, texts of filler words, the birthdays, which are all of the
last two months there, and `has_ordered`, which is also true of eight customers without an order. Reviews are edges;
those of one poster by one customer in several orders are several edges. Needs pandas, npm and Node 20.19 or later.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pandas as pd

from everyday_gold import Row, as_written, questions, tables_and_ends
from everyday_sets import Tables, from_node, save

PACKAGES = ("data-generator-retail@5.15.4", "@faker-js/faker@10.0.0", "date-fns@3.6.0")
RUN = """
const now = Date.parse("2024-12-31T12:00:00Z");
globalThis.Date = class extends Date {
    constructor(...given) { super(...(given.length ? given : [now])); }
    static now() { return now; }
};
const { faker } = await import("@faker-js/faker");
faker.seed(20241231);
const { default: generate } = await import("data-generator-retail");
process.stdout.write(JSON.stringify(generate()));
"""
PLACE = "email address zipcode city stateAbbr"
CUSTOMER = f"{PLACE} first_seen last_seen latest_purchase has_newsletter nb_orders total_spent"
PRODUCT = "width height price stock sales"
AMOUNTS = "total_ex_taxes delivery_fees tax_rate taxes total"
TIMES = ("date", "first_seen", "last_seen", "latest_purchase")


def generated(work: Path) -> Path:
    """Run the package and return the path of the file with what it gives."""
    folder = (work / "packages" / "data-generator-retail").resolve()
    return from_node(folder, PACKAGES, RUN)


def picked(row: Row, columns: str) -> Row:
    """Return some columns of a row: times in seconds, and amounts in cents."""
    found = {column: row.get(column) for column in columns.split()}
    for column, value in found.items():
        if column in TIMES and value:
            found[column] = value[:19]
        elif isinstance(value, float):
            found[column] = round(value, 2)
    return found


def nodes(kind: str, rows: list[Row], name: str, columns: str = "") -> pd.DataFrame:
    """Return a table of nodes of a kind with some columns; `name` is a pattern for their names."""
    label = kind.title()
    return pd.DataFrame(
        [
            {"id": f"{kind}-{row['id']}", "label": label, "name": name.format(**row)} | picked(row, columns)
            for row in rows
        ]
    ).convert_dtypes()


def edges(kind: str, ends: str, rows: list[Row], columns: str = "") -> pd.DataFrame:
    """Return a table of edges of a kind with some columns.

    `ends` has the kinds and the columns of both ends, such as `order.id product.product_id`.
    """
    (start, start_key), (end, end_key) = (part.split(".") for part in ends.split())
    return pd.DataFrame(
        [
            {"start": f"{start}-{row[start_key]}", "end": f"{end}-{row[end_key]}", "type": kind} | picked(row, columns)
            for row in rows
        ]
    )


def shop(raw: Row) -> Tables:
    """Return the tables of nodes and edges."""
    customers, orders, invoices = raw["customers"], raw["orders"], raw["invoices"]
    lines = [{"id": order["id"]} | line for order in orders for line in order["basket"]]
    sorted_in = [{"id": row["id"], "group": group} for row in customers for group in row["groups"]]
    groups = [{"id": group} for group in sorted({row["group"] for row in sorted_in})]
    return {
        "nodes_customer": nodes("customer", customers, "{first_name} {last_name}", CUSTOMER),
        "nodes_segment": nodes("segment", groups, "{id}"),
        "nodes_category": nodes("category", raw["categories"], "{name}"),
        "nodes_product": nodes("product", raw["products"], "{reference}", PRODUCT),
        "nodes_order": nodes("order", orders, "{reference}", f"date status returned {AMOUNTS}"),
        "nodes_invoice": nodes("invoice", invoices, "Invoice {id}", f"date {AMOUNTS}"),
        "edges_in_group": edges("IN_GROUP", "customer.id segment.group", sorted_in),
        "edges_in_category": edges("IN_CATEGORY", "product.id category.category_id", raw["products"]),
        "edges_placed": edges("PLACED", "customer.customer_id order.id", orders),
        "edges_contains": edges("CONTAINS", "order.id product.product_id", lines, "quantity"),
        "edges_invoice_for": edges("INVOICE_FOR", "invoice.id order.order_id", invoices),
        "edges_reviewed": edges(
            "REVIEWED", "customer.customer_id product.product_id", raw["reviews"], "date rating status"
        ),
    }


def main() -> None:
    """Write the set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--data", type=Path, help="what data-generator-retail gave, as this file runs it")
    options = parser.parse_args()
    raw = json.loads((options.data or generated(options.work)).read_text(encoding="utf-8"))
    tables = shop(raw)
    text = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    save(options.work / "posters", tables, questions(text, tables_and_ends(as_written(tables))))


if __name__ == "__main__":
    main()
