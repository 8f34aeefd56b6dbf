"""Make a set for `everyday.py` out of public data: the back office of FoodMart, a made-up chain of supermarkets.

    python benchmarks/everyday_foodmart.py WORK [--data ARCHIVE]

Writes WORK/foodmart, a folder with a table of nodes per type, a table of edges per relation, and `questions.jsonl`,
out of the questions in `everyday_foodmart.txt`.
The chain has stores in the United States, Canada and Mexico, with their regions and employees (positions, departments
and supervisors), warehouses that ship products to them (all shipments of 1997 and 1998), and accounts on which the
stores spend money each month. Its customers, sales, promotions and monthly salaries are not taken.

The data are a sample database that the tests of Mondrian use (Eclipse Public License 1.0), and come with the source
package `mondrian` of Debian, which is fetched with apt-get (run `apt-get update` before) unless a path to
`mondrian_VERSION.orig.tar.gz` is given.
Columns and values are those of the database, with its misspellings, and the classes of products and warehouses,
currencies and days joined to the rows that name them. As pandas writes columns of dates and booleans, dates have no
time, and what is true or false is written so. Needs pandas.
"""

from __future__ import annotations

import argparse
import io
import re
import sqlite3
import subprocess
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pandas as pd

from everyday_gold import TOOLS, as_written, questions
from everyday_sets import Tables, save

PACKAGE, ARCHIVE, DUMP = "mondrian", "mondrian_*.orig.tar.gz", "FoodMartCreateData"
LINE = re.compile(r'INSERT INTO "(\w+)" \((.*?)\) VALUES')
TAKEN = set(
    "account currency department employee expense_fact inventory_fact_1997 inventory_fact_1998 position product"
    " product_class region store time_by_day warehouse warehouse_class".split()
)
BOOLEANS = {
    "product": "recyclable_package low_fat".split(),
    "store": "coffee_bar video_store salad_bar prepared_food florist".split(),
}
NODES = {  # the column of names, and columns that are left out: keys of other tables, and empty ones
    "employee": "full_name position_id store_id department_id supervisor_id",
    "position": "position_title",
    "department": "department_description",
    "store": "store_name region_id",
    "region": "sales_city",
    "warehouse": "warehouse_name warehouse_class_id stores_id wa_address2 wa_address3 wa_address4 warehouse_owner_name",
    "product": "product_name product_class_id",
    "account": "account_description account_parent Custom_Members",
}
SHIPPED = "the_date units_ordered units_shipped warehouse_sales warehouse_cost supply_time store_invoice"
EDGES = {  # the table with both ends, the types and columns of the ends, and further columns
    "works_at": ("employee", "employee.employee_id", "store.store_id", ""),
    "has_position": ("employee", "employee.employee_id", "position.position_id", ""),
    "in_department": ("employee", "employee.employee_id", "department.department_id", ""),
    "reports_to": ("employee", "employee.employee_id", "employee.supervisor_id", ""),
    "in_region": ("store", "store.store_id", "region.region_id", ""),
    "serves": ("warehouse", "warehouse.warehouse_id", "store.stores_id", ""),
    "shipped": ("inventory", "warehouse.warehouse_id", "product.product_id", SHIPPED),
    "spent_on": ("expense_fact", "store.store_id", "account.account_id", "exp_date amount currency category_id"),
    "rolls_up_to": ("account", "account.account_id", "account.account_parent", ""),
}


def fetched(work: Path) -> Path:
    """Fetch the source package from where apt has its packages, and return the path of its archive."""
    folder = (work / "packages" / "mondrian").resolve()
    if not any(folder.glob(ARCHIVE)):
        (folder / "lists" / "partial").mkdir(parents=True, exist_ok=True)
        form = "deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)"
        wanted = ("Created-By: Packages", "Component: main", "Origin: Debian")
        command = ["apt-get", "indextargets", "--format", form, *wanted]
        lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
        (folder / "sources.list").write_text("\n".join(sorted(set(lines))) + "\n", encoding="utf-8")
        paths = {"Etc::SourceList": "sources.list", "Etc::SourceParts": "none", "State::Lists": "lists", "Cache": "."}
        options = [part for key, path in paths.items() for part in ("-o", f"Dir::{key}={folder / path}")]
        for rest in (["update"], ["source", "--download-only", "--tar-only", PACKAGE]):
            subprocess.run(["apt-get", "-qq", "-o", "APT::Sandbox::User=root", *options, *rest], check=True, cwd=folder)
    return next(folder.glob(ARCHIVE))


def rows(archive: Path) -> Tables:
    """Return the tables of the database that are taken."""
    with tarfile.open(archive) as source:
        name = next(name for name in source.getnames() if name.endswith(f"{DUMP}.zip"))
        packed = source.extractfile(name)
        assert packed is not None
        dump = zipfile.ZipFile(io.BytesIO(packed.read())).read(f"{DUMP}.sql").decode("ascii")
    base = sqlite3.connect(":memory:")
    made: set[str] = set()
    for line in dump.splitlines():
        found = LINE.match(line)
        if found and found[1] in TAKEN:
            if found[1] not in made:
                base.execute(f'CREATE TABLE "{found[1]}" ({found[2]})')
                made.add(found[1])
            base.execute(line)
    return {name: pd.read_sql(f'SELECT * FROM "{name}"', base) for name in sorted(made)}


def joined(raw: Tables) -> Tables:
    """Return the tables with days, classes and currencies joined, and dates and booleans as pandas writes them."""
    inventory = pd.concat([raw["inventory_fact_1997"], raw["inventory_fact_1998"]])
    currency = raw["currency"][["currency_id", "currency"]].drop_duplicates()
    tables = raw | {
        "inventory": inventory.merge(raw["time_by_day"][["time_id", "the_date"]]),
        "product": raw["product"].merge(raw["product_class"]),
        "warehouse": raw["warehouse"].merge(raw["warehouse_class"]).rename(columns={"description": "warehouse_class"}),
        "expense_fact": raw["expense_fact"].merge(currency),
    }
    for name, table in tables.items():
        dates = [column for column in table if str(column).endswith("_date")]
        fixed = {column: pd.to_datetime(table[column], format="ISO8601").dt.strftime("%Y-%m-%d") for column in dates}
        flags = {column: table[column].astype(bool) for column in BOOLEANS.get(name, [])}
        tables[name] = table.assign(**fixed, **flags)
    return tables


def foodmart(archive: Path) -> Tables:
    """Return the tables of nodes and edges."""
    raw = joined(rows(archive))
    tables: Tables = {}
    for key, columns in NODES.items():
        name, *rest = columns.split()
        found = pd.DataFrame({"id": f"{key}-" + raw[key][f"{key}_id"].astype(str), "label": key.title()})
        tables[f"nodes-{key}"] = found.assign(name=raw[key][name]).join(raw[key].drop(columns=[name, *rest]))
    for key, (table, first, second, columns) in EDGES.items():
        (source, start), (target, end) = first.split("."), second.split(".")
        given = raw[table][raw[table][end].isin(raw[target][f"{target}_id"])]  # the president reports to nobody
        found = pd.DataFrame({"start": f"{source}-" + given[start].astype(str)})
        found = found.assign(end=f"{target}-" + given[end].astype(int).astype(str), type=key.upper())
        tables[f"edges-{key}"] = found.join(given[columns.split()])
    return tables


def scope(tables: Tables) -> dict[str, Any]:
    """Return what the expressions of the answers can use: the tables by their kinds, with the rows they are linked to.

    An employee has store, department, boss and pay_type, a store has region and warehouse, a warehouse has its store,
    and shipments and expenses have both ends.
    """
    found = {key.removeprefix("nodes-"): table for key, table in tables.items() if key.startswith("nodes-")}
    names = {key: name for table in found.values() for key, name in zip(table["id"], table["name"], strict=True)}

    def linked(kind: str, edges: str) -> pd.Series:
        return found[kind]["id"].map(tables[f"edges-{edges}"].drop_duplicates("start").set_index("start")["end"])

    warehouse = found["warehouse"].assign(store=linked("warehouse", "serves").map(names))
    region = found["region"].drop(columns=["label", "name", "id"])
    store = found["store"].assign(region_id=linked("store", "in_region").str[7:].astype(int)).merge(region)
    store["warehouse"] = store["name"].map(warehouse.set_index("store")["name"])
    employee = found["employee"].merge(
        found["position"], left_on="position_title", right_on="name", suffixes=("", "_y")
    )
    for column, key in (("store", "works_at"), ("department", "in_department"), ("boss", "reports_to")):
        employee[column] = employee["id"].map(dict(zip(found["employee"]["id"], linked("employee", key), strict=True)))
        employee[column] = employee[column].map(names)
    at_store = store.drop(columns=["id", "label", "warehouse"]).rename(columns={"name": "store"})
    found |= {"store": store, "employee": employee.merge(at_store), "warehouse": warehouse.merge(at_store)}
    for view, key, first, second in (
        ("shipment", "shipped", "warehouse", "product"),
        ("expense", "spent_on", "store", "account"),
    ):
        parts = [found[kind].drop(columns="label").rename(columns={"name": kind}) for kind in (first, second)]
        view_of = tables[f"edges-{key}"].merge(parts[0], left_on="start", right_on="id", suffixes=("", "_first"))
        found[view] = view_of.merge(parts[1], left_on="end", right_on="id", suffixes=("", "_second"))
    return found | TOOLS


def main() -> None:
    """Write the set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--data", type=Path, help=f"the archive {ARCHIVE} of the source package")
    options = parser.parse_args()
    tables = foodmart(options.data or fetched(options.work))
    text = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    save(options.work / "foodmart", tables, questions(text, scope(as_written(tables))))


if __name__ == "__main__":
    main()
