"""Make a set for `everyday.py` out of public data: the trading company Northwind.

    python benchmarks/everyday_northwind.py WORK [--package UNPACKED]

Writes WORK/northwind, a folder with a table of nodes per type, a table of edges per relation, and `questions.jsonl`,
out of the questions in `everyday_northwind.txt`.
Northwind sells food and drink: it has customers, orders with their lines,
products in categories, suppliers, shippers, and employees with territories, departments and unions.

The data come with ApiLogicServer, a package of the Python index (Apache 2.0 with the Commons Clause; Northwind itself
is a sample database of Microsoft, MIT). It is fetched with pip (70 MB, of which one file is used) unless a path to the
unpacked package is given. Its Northwind, `nw-gold.sqlite`, is a little more than that of Microsoft: the dates are
later, employees have salaries and departments, and there are a few more employees and customers. What only serves to
test that package is left out: audit, versions, locations, the columns of several clients, counters that rules keep.
Needs pandas.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pandas as pd

from everyday_gold import TOOLS, renamed, write_set
from everyday_sets import Tables

PACKAGE = "ApiLogicServer==17.5.10"
FILE = "nw-gold.sqlite"
CONTACT = "ContactName ContactTitle Address City Region PostalCode Country Phone Fax"
NODES = {  # the label, the table, and the columns: new=old under another name
    "customer": ("Customer", "Customer", f"name=CompanyName {CONTACT} Balance CreditLimit"),
    "supplier": ("Supplier", "Supplier", f"name=CompanyName {CONTACT} HomePage"),
    "shipper": ("Shipper", "Shipper", "name=CompanyName Phone"),
    "category": ("Category", "CategoryTableNameTest", "name=CategoryName_ColumnName Description"),
    "product": (
        "Product",
        "Product",
        "name=ProductName QuantityPerUnit UnitPrice UnitsInStock UnitsOnOrder ReorderLevel Discontinued",
    ),
    "order": (
        "Order",
        "Order",
        "name OrderDate RequiredDate ShippedDate Freight ShipName ShipAddress ShipCity ShipRegion ShipPostalCode"
        " ShipCountry AmountTotal",
    ),
    "employee": (
        "Employee",
        "Employee",
        "name Title TitleOfCourtesy BirthDate HireDate Address City Region PostalCode Country HomePhone Extension Email"
        " Notes EmployeeType Salary Dues",
    ),
    "department": ("Department", "Department", "name=DepartmentName SecurityLevel"),
    "union": ("Union", "Union", "name=Name"),
    "territory": ("Territory", "Territory", "name=TerritoryDescription TerritoryId=Id"),
    "region": ("Region", "Region", "name=RegionDescription"),
}
EDGES = {  # the relation, the table with both ends, the types and columns of the ends, and further columns
    "placed": ("PLACED", "Order", "customer.CustomerId", "order.Id", ""),
    "handled": ("HANDLED_BY", "Order", "order.Id", "employee.EmployeeId", ""),
    "shipped": ("SHIPPED_VIA", "Order", "order.Id", "shipper.ShipVia", ""),
    "lines": ("CONTAINS", "OrderDetail", "order.OrderId", "product.ProductId", "UnitPrice Quantity Discount Amount"),
    "supplies": ("SUPPLIES", "Product", "supplier.SupplierId", "product.Id", ""),
    "categories": ("IN_CATEGORY", "Product", "product.Id", "category.CategoryId", ""),
    "reports": ("REPORTS_TO", "Employee", "employee.Id", "employee.ReportsTo", ""),
    "departments": ("WORKS_IN", "Employee", "employee.Id", "department.WorksForDepartmentId", ""),
    "loans": ("ON_LOAN_TO", "Employee", "employee.Id", "department.OnLoanDepartmentId", ""),
    "unions": ("MEMBER_OF", "Employee", "employee.Id", "union.UnionId", ""),
    "parts": ("PART_OF", "Department", "department.Id", "department.DepartmentId", ""),
    "covers": ("COVERS", "EmployeeTerritory", "employee.EmployeeId", "territory.TerritoryId", ""),
    "regions": ("IN_REGION", "Territory", "territory.Id", "region.RegionId", ""),
}


def rows(package: Path) -> Tables:
    """Return the tables of the package, with names of employees and orders."""
    path = next(package.rglob(FILE), None)
    if path is None:
        raise SystemExit(f"no {FILE} in {package}: is this {PACKAGE}, unpacked?")
    wanted = {table for _, table, *_ in (*NODES.values(), *EDGES.values())}
    database = sqlite3.connect(path)
    found = {name: pd.read_sql(f'select * from "{name}"', database).convert_dtypes() for name in sorted(wanted)}
    database.close()
    found["Employee"]["name"] = found["Employee"]["FirstName"] + " " + found["Employee"]["LastName"]
    found["Order"]["name"] = "Order " + found["Order"]["Id"].astype(str)
    return found


def trading(package: Path) -> Tables:
    """Return the tables of nodes and edges."""
    raw = rows(package)
    tables: Tables = {}
    for key, (label, table, columns) in NODES.items():
        found = pd.DataFrame({"id": f"{key}-" + raw[table]["Id"].astype(str), "label": label})
        tables[f"nodes-{key}"] = found.assign(**{new: raw[table][old] for new, old in renamed(columns)})
    for key, (relation, table, first, second, columns) in EDGES.items():
        (source, one), (target, two) = first.split("."), second.split(".")
        given = raw[table].dropna(subset=[one, two])
        found = pd.DataFrame(
            {
                "start": f"{source}-" + given[one].astype(str),
                "end": f"{target}-" + given[two].astype(str),
                "type": relation,
            }
        )
        tables[f"edges-{key}"] = found.assign(**{new: given[old] for new, old in renamed(columns)})
    return tables


def scope(tables: Tables) -> dict[str, Any]:
    """Return what the expressions of the answers can use: the tables, with the names of what their rows belong to."""
    found = {key.removeprefix("nodes-"): table for key, table in tables.items() if key.startswith("nodes-")}
    names = {key: name for table in found.values() for key, name in zip(table["id"], table["name"], strict=True)}

    def other(key: str, known: str, wanted: str) -> dict[str, str]:
        """Return the name of the other end by the id of one end."""
        table = tables[f"edges-{key}"]
        return dict(zip(table[known], table[wanted].map(names), strict=True))

    for kind, column, key, known, wanted in (
        ("order", "customer", "placed", "end", "start"),
        ("order", "employee", "handled", "start", "end"),
        ("order", "shipper", "shipped", "start", "end"),
        ("product", "supplier", "supplies", "end", "start"),
        ("product", "category", "categories", "start", "end"),
        ("employee", "boss", "reports", "start", "end"),
        ("employee", "department", "departments", "start", "end"),
        ("employee", "loan", "loans", "start", "end"),
        ("employee", "union", "unions", "start", "end"),
        ("department", "above", "parts", "start", "end"),
        ("territory", "region", "regions", "start", "end"),
    ):
        found[kind][column] = found[kind]["id"].map(other(key, known, wanted))
    order, product = found["order"], found["product"]
    order["customer_country"] = order["customer"].map(found["customer"].set_index("name")["Country"])
    product["supplier_country"] = product["supplier"].map(found["supplier"].set_index("name")["Country"])
    line = tables["edges-lines"].drop(columns="type").rename(columns={"start": "order", "end": "product"})
    line = line.merge(
        order[["id", "name", "customer", "customer_country", "employee", "shipper", "OrderDate", "ShipCountry"]],
        left_on="order",
        right_on="id",
    )
    line["order"], line["product"] = line["name"], line["product"].map(names)
    line = line.drop(columns=["id", "name"]).merge(
        product.set_index("name")[["category", "supplier", "supplier_country", "Discontinued"]],
        left_on="product",
        right_index=True,
    )
    cover = tables["edges-covers"].merge(found["territory"], left_on="end", right_on="id")
    cover["employee"] = cover["start"].map(names)
    return found | TOOLS | {"line": line, "cover": cover}


if __name__ == "__main__":
    write_set(__file__, __doc__, PACKAGE, trading, scope)
