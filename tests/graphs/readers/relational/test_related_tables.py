"""Folders of related tables: classes, keys, names, foreign keys, and tables that join two others."""

from __future__ import annotations

from pathlib import Path

import pytest
from faults import fails
from table_files import Reading, write_all

from graphbrick.core.errors import InputError
from graphbrick.core.properties.values import Raw
from graphbrick.graphs.readers.relational.references import NO_KEYS, NO_REFERENCES, SEVERAL
from graphbrick.graphs.records.records import EdgeRecord, EntityRecord

CUSTOMERS = "customer_id,name,city\n7,Alba,Oslo\n8,Boro,Voss\n"


def triples(read: Reading) -> set[tuple[str, str, str]]:
    return {edge.triple if isinstance(edge, EdgeRecord) else edge for edge in read.edges}  # type: ignore[misc]


def test_classes_keys_names_and_relations(tmp_path: Path) -> None:
    files = {
        "tblCustomers.csv": CUSTOMERS,
        "orders.csv": "order_id,customer_id,placed,total\n1,7,2020-05-01 00:00:00,9.5\n2,8,2020-06-01 00:00:00,\n"
        "3,,2020-07-01 00:00:00,4\n",
        "README.md": "about",
    }
    read = Reading(write_all(tmp_path, files))
    assert read.records == [
        EntityRecord(
            "Order/1",
            "Order 1",
            types=("Order",),
            properties={"order_id": Raw("1"), "placed": Raw("2020-05-01"), "total": Raw("9.5")},
        ),
        EntityRecord("Order/2", "Order 2", types=("Order",), properties={"order_id": Raw("2"), "placed": "2020-06-01"}),
        EntityRecord(
            "Order/3",
            "Order 3",
            types=("Order",),
            properties={"order_id": Raw("3"), "placed": "2020-07-01", "total": Raw("4")},
        ),
        ("Order/1", "customer", "Customer/7"),
        ("Order/2", "customer", "Customer/8"),
        EntityRecord("Customer/7", "Alba", types=("Customer",), properties={"customer_id": Raw("7"), "city": "Oslo"}),
        EntityRecord("Customer/8", "Boro", types=("Customer",), properties={"customer_id": Raw("8"), "city": "Voss"}),
    ]
    assert read.told == [
        "orders.csv: class Order, key order_id, name Order and key, customer is Customer (customer_id); 3 properties "
        "(order_id, placed, total)",
        "tblCustomers.csv: class Customer, key customer_id, name name; 2 properties (customer_id, city)",
    ]
    assert read.left_out.examples == {"files of the folder that are not used": ["README.md"]}


@pytest.mark.parametrize(
    ("column", "relation"),
    [
        ("customer_id", "customer"),
        ("CustomerID", "customer"),
        ("customerid", "customer"),
        ("customer", "customer"),
        ("fk_customer", "customer"),
        ("customer_ref", "customer"),
        ("billing_customer_id", "billing customer"),
        ("BillingCustomerId", "billing customer"),
    ],
)
def test_columns_named_like_another_table(tmp_path: Path, column: str, relation: str) -> None:
    files = {"customers.csv": CUSTOMERS, "orders.csv": f"id,{column}\n1,7\n2,8\n"}
    read = Reading(write_all(tmp_path, files))
    assert triples(read) == {("Order/1", relation, "Customer/7"), ("Order/2", relation, "Customer/8")}


@pytest.mark.parametrize(
    "column",
    ["buyer", "amount", "rank", "total_customers", "customers", "num_customer", "customer_since", "customer_age"],
)
def test_numbers_that_are_keys_by_accident(tmp_path: Path, column: str) -> None:
    read = Reading(write_all(tmp_path, {"customers.csv": CUSTOMERS, "orders.csv": f"id,{column}\n1,7\n2,8\n"}))
    assert not read.edges
    assert [record.properties[column] for record in read.nodes if record.types == ("Order",)] == ["7", "8"]


def test_a_column_that_puts_rows_in_order_refers_to_nothing(tmp_path: Path) -> None:
    files = {"orders.csv": "id,total\n1,5\n2,6\n", "notes.csv": "id,text,order,sort_order\n1,a,1,2\n2,b,2,1\n"}
    assert not Reading(write_all(tmp_path, files)).edges


def test_keys_of_other_kinds(tmp_path: Path) -> None:
    files = {
        "states.csv": "code,name\nBY,Bavaria\nHE,Hesse\n",
        "control_centers.csv": "center_id,name\n301,Ost\n302,West\n",
        "products.csv": "sku,name\nA1,Mug\nB2,Lamp\n",
        "stations.csv": "station_id,name,state_code,center_id,product_sku\n"
        "1,Ulm,BY,301.0,A1\n2,Hof,HE,302.0,\n3,Au,,,B2\n",
    }
    read = Reading(write_all(tmp_path, files))
    assert triples(read) == {
        ("Station/1", "state", "State/BY"),
        ("Station/2", "state", "State/HE"),
        ("Station/1", "center", "ControlCenter/301"),
        ("Station/2", "center", "ControlCenter/302"),
        ("Station/1", "product", "Product/A1"),
        ("Station/3", "product", "Product/B2"),
    }


def test_names_of_the_other_table(tmp_path: Path) -> None:
    files = {"cities.csv": "id,name\n1,Oslo\n2,Voss\n", "people.csv": "id,name,city\n1,Ada,Oslo\n2,Bo,Voss\n"}
    read = Reading(write_all(tmp_path, files))
    assert triples(read) == {("Person/1", "city", "City/1"), ("Person/2", "city", "City/2")}
    assert "city is City (city, its name)" in read.told[1]


def test_roles_in_the_same_table(tmp_path: Path) -> None:
    files = {
        "employees.csv": "id,first_name,last_name,manager_id,mentor\n1,Ada,Fox,,\n2,Bo,Ray,1,1\n3,Cy,Day,1,2\n",
        "categories.csv": "id,name,parent_id\n1,All,0\n2,Food,1\n",
        "departments.csv": "id,name,manager_id,level\n1,Sales,2,1\n2,Design,3,2\n",
    }
    read = Reading(write_all(tmp_path, files))
    assert triples(read) == {
        ("Employee/2", "manager", "Employee/1"),
        ("Employee/3", "manager", "Employee/1"),
        ("Employee/2", "mentor", "Employee/1"),
        ("Employee/3", "mentor", "Employee/2"),
        ("Category/2", "parent", "Category/1"),
        ("Department/1", "manager", "Employee/2"),
        ("Department/2", "manager", "Employee/3"),
    }
    assert read.left_out.examples == {
        "values of parent_id in categories.csv that are in no row of categories.csv": ["0"]
    }
    assert next(record.label for record in read.nodes if record.key == "Employee/2") == "Bo Ray"


def test_values_in_no_row_of_the_other_table_stay(tmp_path: Path) -> None:
    rows = "".join(f"{number},7\n" for number in range(30))
    read = Reading(write_all(tmp_path, {"customers.csv": CUSTOMERS, "orders.csv": f"id,customer_id\n{rows}99,5\n"}))
    last = next(record for record in read.nodes if record.key == "Order/99")
    assert last.properties == {"customer_id": Raw("5")}
    assert len(read.edges) == 30
    what = "values of customer_id in orders.csv that are in no row of customers.csv"
    assert (read.left_out.counts, read.left_out.examples) == ({what: 1}, {what: ["5"]})


def test_a_column_with_few_keys_is_a_property_and_told(tmp_path: Path) -> None:
    files = {"customers.csv": CUSTOMERS, "orders.csv": "id,customer_id\n1,7\n2,5\n"}
    read = Reading(write_all(tmp_path, files))
    assert not read.edges
    assert read.left_out.examples == {NO_REFERENCES: ["orders.csv: customer_id (1 of 2 in customers)"]}
    read = Reading(tmp_path, references=("orders.customer_id=customers",))
    assert triples(read) == {("Order/1", "customer", "Customer/7")}


def test_two_tables_that_fit_equally(tmp_path: Path) -> None:
    files = {
        "home_addresses.csv": "id,street\n1,A\n2,B\n",
        "work_addresses.csv": "id,street\n1,C\n2,D\n",
        "visits.csv": "id,address_id\n1,1\n2,2\n",
    }
    read = Reading(write_all(tmp_path, files))
    assert not read.edges
    assert not [name for name in read.left_out.counts if name != SEVERAL]
    assert read.left_out.examples[SEVERAL] == ["visits.csv: address_id (home_addresses, work_addresses)"]
    read = Reading(tmp_path, references=("visits.address_id=work_addresses",))
    assert triples(read) == {("Visit/1", "address", "WorkAddress/1"), ("Visit/2", "address", "WorkAddress/2")}


def test_references_of_the_user(tmp_path: Path) -> None:
    files = {"customers.csv": CUSTOMERS, "orders.csv": "id,buyer,customer_id\n1,Alba,7\n2,Boro,8\n"}
    read = Reading(write_all(tmp_path, files), references=("orders.buyer=customers.name", "orders.customer_id="))
    assert triples(read) == {("Order/1", "buyer", "Customer/7"), ("Order/2", "buyer", "Customer/8")}
    assert all("customer_id" in record.properties for record in read.nodes)
    for option, code in (
        ("orders=customers", "related.bad_reference"),
        ("order.buyer", "related.bad_reference"),
        ("bills.buyer=customers", "related.no_table"),
        ("orders.seller=customers", "related.no_column"),
    ):
        with fails(code, InputError):
            Reading(tmp_path, references=(option,))


def test_references_to_what_identifies_no_row(tmp_path: Path) -> None:
    files = {"customers.csv": "name,city\nAlba,Rome\nBoro,Rome\n", "orders.csv": "id,customer_id\n1,Alba\n2,Boro\n"}
    read = Reading(write_all(tmp_path, files))
    assert not read.edges
    assert read.left_out.examples == {NO_KEYS: ["orders.csv: customer_id (customers)"]}
    for option in ("orders.customer_id=customers", "orders.customer_id=customers.city"):
        with fails("related.no_key", InputError):
            Reading(tmp_path, references=(option,))
    assert len(Reading(tmp_path, references=("orders.customer_id=customers.name",)).edges) == 2


JOINED = {
    "orders.csv": "id,placed\n1,2020-05-01\n2,2020-06-01\n",
    "products.csv": "id,name\n1,Mug\n2,Lamp\n",
}


@pytest.mark.parametrize(
    ("name", "rows", "relation", "properties"),
    [
        ("order_details", "order_id,product_id,quantity\n1,1,5\n1,2,6\n", "order detail", {"quantity": "5"}),
        ("orderdetails", "order_id,product_id\n1,1\n1,2\n", "order detail", {}),
        ("order_items", "id,order_id,product_id\n10,1,1\n11,1,2\n", "order item", {"id": "10"}),
        ("Items", "ItemID,OrderID,ProductID\n10,1,1\n11,1,2\n", "item", {"ItemID": "10"}),
        ("enrolments", "id,order_id,product_id\n10,1,1\n11,1,2\n", "enrolment", {"id": "10"}),
        ("product_orders", "id,order_id,product_id\n10,1,1\n11,1,2\n", "product order", {"id": "10"}),
        ("baskets", "order_id,product_id\n1,1\n1,2\n", "basket", {}),
    ],
)
def test_tables_that_join_two_others(
    tmp_path: Path, name: str, rows: str, relation: str, properties: dict[str, str]
) -> None:
    read = Reading(write_all(tmp_path, {**JOINED, f"{name}.csv": rows}))
    assert triples(read) == {("Order/1", relation, "Product/1"), ("Order/1", relation, "Product/2")}
    first = read.edges[0]
    assert (dict(first.properties) if isinstance(first, EdgeRecord) else {}) == properties
    assert {kind for record in read.nodes for kind in record.types} == {"Order", "Product"}


@pytest.mark.parametrize(
    ("name", "rows", "key"),
    [
        ("loans", "id,order_id,product_id,day\n10,1,1,5\n11,1,2,6\n", "Loan/10"),  # a key, and a name of its own
        ("baskets", "name,order_id,product_id\nred,1,1\nblue,1,2\n", "Basket/1"),
        ("baskets", "order_id,product_id,shop_id\n1,1,1\n1,2,1\n", "Basket/1"),
        ("baskets", "order_id,product_id\n1,1\n1,2\n2,\n,2\n", "Basket/1"),  # many without one of the two
    ],
)
def test_tables_that_are_no_joins(tmp_path: Path, name: str, rows: str, key: str) -> None:
    files = {**JOINED, "shops.csv": "id,name\n1,Corner\n", f"{name}.csv": rows}
    read = Reading(write_all(tmp_path, files))
    assert key in {record.key for record in read.nodes}


def test_a_join_that_others_refer_to_is_a_class(tmp_path: Path) -> None:
    files = {**JOINED, "order_items.csv": "id,order_id,product_id\n1,1,1\n", "returns.csv": "id,order_item_id\n1,1\n"}
    read = Reading(write_all(tmp_path, files))
    assert ("Return/1", "order item", "OrderItem/1") in triples(read)
    assert ("OrderItem/1", "product", "Product/1") in triples(read)


def test_rows_that_join_nothing_are_told(tmp_path: Path) -> None:
    rows = "".join(f"1,1,{number}\n" for number in range(40))
    read = Reading(write_all(tmp_path, {**JOINED, "lines.csv": f"order_id,product_id,n\n{rows}1,,41\n1,9,42\n"}))
    assert len(read.edges) == 40
    assert read.left_out.counts["rows of lines.csv that do not join two rows"] == 2


def test_rows_without_a_key_are_numbered(tmp_path: Path) -> None:
    files = {"visits.csv": "day,customer_id\n2020-01-01,7\n2020-01-01,7\n", "customers.csv": CUSTOMERS}
    read = Reading(write_all(tmp_path, files))
    assert [record.key for record in read.nodes if "Visit" in record.types] == ["Visit/1", "Visit/2"]
    assert "rows are numbered" in read.told[1]


@pytest.mark.parametrize(
    ("rows", "label"),
    [
        ("id,CompanyName,ContactName\n1,Alba,Ada Fox\n", "Alba"),
        ("id,FirstName,LastName,Title\n1,Ada,Fox,Boss\n", "Ada Fox"),
        ("id,surname,forename\n1,Fox,Ada\n", "Ada Fox"),
        ("id,title,year\n1,Heat,1995\n", "Heat"),
        ("id,username,age\n1,ada,7\n", "ada"),
        ("id,thing_description,age\n1,Kettle,7\n", "Kettle"),
        ("code,size\nA-1,5\nB-2,6\n", "A-1"),
        ("id,ship_name,ship_city,ship_street\n1,Ann,Oslo,A 1\n2,Bea,Rome,B 2\n", "Thing 1"),
        ("id,notes,amount\n1,first,5\n2,second,6\n", "Thing 1"),
    ],
)
def test_names_of_rows(tmp_path: Path, rows: str, label: str) -> None:
    assert Reading(write_all(tmp_path, {"things.csv": rows})).nodes[0].label == label


def test_parts_of_a_table_and_two_tables_of_the_same_class(tmp_path: Path) -> None:
    files = {
        "order-1.csv": "id,total\n1,5\n",
        "order-2.csv": "id,total\n2,6\n",
        "customer.csv": "id,name\n1,Ada\n",
        "customers.csv": "id,name,city\n1,Bo,Oslo\n",
        "blank.csv": "id,name\n",
        "empty.csv": "",
    }
    read = Reading(write_all(tmp_path, files))
    assert [record.key for record in read.nodes] == ["Customer/1", "Customers/1", "Order/1", "Order/2"]
    assert read.left_out.examples == {
        "files of the folder that are not used": ["empty.csv"],
        "tables without rows": ["blank.csv"],
    }


def test_semicolons_nulls_and_columns_without_values(tmp_path: Path) -> None:
    files = {
        "kunden.csv": "id;name;fax\n1;Alba;\n2;Boro;NULL\n",
        "orders.csv": "id;kunde_id;paid\n1;1;yes\n2;NULL;\\N\n",
    }
    read = Reading(write_all(tmp_path, files), references=("orders.kunde_id=kunden",))
    assert triples(read) == {("Order/1", "kunde", "Kunden/1")}
    assert read.properties == [{}, {}, {"paid": "yes"}, {}]
    assert read.left_out.examples == {"columns without values": ["kunden.csv: fax"]}


def test_options_name_keys_names_and_types(tmp_path: Path) -> None:
    files = {"planes.csv": "tail,nick,model\nN1,Ann,A320\nN2,Bea,B747\n", "seats.csv": "id,tail,row\n1,N1,5\n"}
    read = Reading(write_all(tmp_path, files), key="tail", name="nick", type="model")
    assert read.nodes[0] == EntityRecord("Plane/N1", "Ann", types=("A320",), properties={"tail": Raw("N1")})
    with fails("columns.no_name", InputError, near="nick"):
        Reading(tmp_path, name="nicks")


def test_the_class_of_a_table_of_nodes_is_its_column_of_types(tmp_path: Path) -> None:
    read = Reading(write_all(tmp_path, {"nodes.csv": "id,name,type\n1,Ada,Person\n2,Oslo,City\n"}))
    assert [record.types for record in read.nodes] == [("Person",), ("City",)]


def test_a_folder_without_rows(tmp_path: Path) -> None:
    with fails("related.no_rows", InputError):
        Reading(write_all(tmp_path, {"a.csv": "id,name\n", "b.csv": "id,name\n"}))
    with fails("reader.no_edges", InputError):
        Reading(write_all(tmp_path / "none", {"notes.md": "x"}))
