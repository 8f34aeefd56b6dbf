"""The command build over tables: how it reads them, the options that say so, and what it leaves out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from table_files import write_all

from graphbrick.cli.app import main
from graphbrick.graphs.graph import Graph

Call = Callable[..., tuple[int, str]]
SHOP = {
    "nodes.csv": "id:ID,name,price:float,:LABEL\np1,Blue Kettle,24.5,Product\nv1,Orlen Trading,,Vendor\n",
    "edges.csv": ":START_ID,:END_ID,:TYPE,since:int\nv1,p1,SELLS,2019\nv1,p1,SELLS,2021\nv1,p9,SELLS,\n",
}
TOLD = [
    "nodes.csv: key id, name name, type :LABEL; 1 property (price)",
    "edges.csv: head :START_ID, relation :TYPE, tail :END_ID; 1 property (since)",
]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    def run(*arguments: object) -> tuple[int, str]:
        with pytest.raises(SystemExit) as ended:
            main(list(map(str, arguments)))
        printed = capsys.readouterr()
        return int(ended.value.code or 0), printed.out + printed.err

    return run


def test_build_says_first_how_it_reads_the_tables(call: Call, tmp_path: Path) -> None:
    code, printed = call("build", write_all(tmp_path / "shop", SHOP), tmp_path / "g.graph")
    assert code == 0
    assert printed.splitlines()[:2] == TOLD
    assert "edge ends that are in no table of nodes" in printed
    graph = Graph.open(tmp_path / "g.graph")
    assert (graph.n_entities, graph.n_triples) == (3, 3)


def test_build_says_so_in_json(call: Call, tmp_path: Path) -> None:
    _, printed = call("build", write_all(tmp_path / "shop", SHOP), tmp_path / "g.graph", "--json")
    assert json.loads(printed)["understood"] == TOLD


def test_build_by_options(call: Call, tmp_path: Path) -> None:
    files = {"nodes.csv": "id,code,city,group\n1,ATL,Atlanta,big\n", "edges.csv": "source,target\nATL,ATL\n"}
    folder = write_all(tmp_path / "air", files)
    options = ("--key", "code", "--name", "city", "--type", "group", "--relation", "route")
    code, printed = call("build", folder, tmp_path / "g.graph", *options)
    assert code == 0
    graph = Graph.open(tmp_path / "g.graph")
    assert graph.label(0) == "Atlanta"
    assert list(graph.key_triples()) == [("ATL", "route", "ATL")]
    assert "edges.csv: head source, relation route for all, tail target" in printed


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--columns", "source,target"), "--columns takes three columns"),
        (("--columns", "a,b,c,d", "--relation", "r"), "--columns takes three columns"),
        (("--relation", ""), "relation must be the name of a relation"),
        (("--name", "citty"), "did you mean 'city'?"),
        ((), "--relation NAME"),
    ],
)
def test_options_that_do_not_fit(call: Call, tmp_path: Path, options: tuple[str, ...], told: str) -> None:
    files = {"nodes.csv": "id,city\na,Rome\n", "edges.csv": "source,target\na,a\n"}
    code, printed = call("build", write_all(tmp_path / "air", files), tmp_path / "g.graph", *options)
    assert code == 1
    assert told in printed
    assert not (tmp_path / "g.graph").exists()


def test_add_takes_the_options_of_tables(call: Call, tmp_path: Path) -> None:
    call("build", write_all(tmp_path / "shop", SHOP), tmp_path / "g.graph")
    more = write_all(tmp_path / "more", {"edges.txt": "p1 v1\nv1 v1\n"}) / "edges.txt"
    code, _ = call("add", tmp_path / "g.graph", more, "--relation", "MADE_BY")
    assert code == 0
    assert ("p1", "MADE_BY", "v1") in list(Graph.open(tmp_path / "g.graph").key_triples())
    code, _ = call("delete", tmp_path / "g.graph", more, "--relation", "MADE_BY")
    assert code == 0
    assert Graph.open(tmp_path / "g.graph").n_triples == 3


def test_build_of_related_tables(call: Call, tmp_path: Path) -> None:
    files = {
        "customers.csv": "id,name\n7,Alba\n8,Boro\n",
        "orders.csv": "id,buyer,country_id\n1,7,NO\n2,8,SE\n",
        "countries.csv": "id,name\nDK,Denmark\n",
    }
    folder = write_all(tmp_path / "store", files)
    code, printed = call("build", folder, tmp_path / "g.graph", "--reference", "orders.buyer=customers")
    assert code == 0
    assert printed.splitlines()[:3] == [
        "countries.csv: class Country, key id, name name",
        "customers.csv: class Customer, key id, name name",
        "orders.csv: class Order, key id, name Order and key, buyer is Customer (buyer); 1 property (country_id)",
    ]
    assert "hold other values (read as properties): 1, such as orders.csv: country_id" in printed.replace("\n", " ")
    _, printed = call("build", folder, tmp_path / "h.graph", "--reference", "orders.buyer=customers", "--json")
    told = json.loads(printed)
    assert told["understood"][0] == "countries.csv: class Country, key id, name name"
    assert told["triples"] == 2
    code, printed = call("build", folder, tmp_path / "i.graph", "--reference", "orders.buyer=clients")
    assert code != 0
    assert "there is no table 'clients'; the tables are countries, customers, orders" in printed


def test_build_of_a_table_without_triples(call: Call, tmp_path: Path) -> None:
    file = write_all(
        tmp_path, {"cars.csv": "Model,Brand,Gears\nNSX,Acura,9\n", "wide.csv": "Model,Brand,Gears,Day\nR8,A,9,5\n"}
    )
    code, printed = call("build", file / "wide.csv", tmp_path / "g.graph")
    assert code == 0
    assert "1 entity, 0 relations, 0 triples" in printed
    assert "without a triple" not in printed
    assert "graphbrick learn" not in printed
    assert call("info", tmp_path / "g.graph", "--check")[0] == 0
