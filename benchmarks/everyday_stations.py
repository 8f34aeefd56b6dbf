"""Make a set for `everyday.py` out of public data: the railway stations of Germany.

    python benchmarks/everyday_stations.py WORK [--package UNPACKED]

Writes WORK/stations, a folder with a table of nodes per type, a table of edges per relation, and `questions.jsonl`, out
of the questions in `everyday_stations.txt`. There are the stations of the categories 1 to 5, of 7, with what they have
for travellers, the cities that they are in and their federal states, the authorities that order the regional trains
there, the management of each station and the regional division that it belongs to.

The data come with a package of npm, db-stations (ISC), which has them from the open data of Deutsche Bahn (CC BY 4.0).
It is fetched with npm unless a path to it is given. Columns have the names and values that they have there, but texts
have no needless spaces, and `segment` and `productLine` are left empty where they have a number. Needs pandas.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

import pandas as pd

from everyday_gold import as_written, questions, tables_and_ends
from everyday_sets import Tables, save, unpacked_from_npm

PACKAGE = "db-stations@5.0.2"
LARGEST = 5
SERVICES = """hasParking hasBicycleParking hasLocalPublicTransport hasPublicFacilities hasLockerSystem hasTaxiRank
hasTravelNecessities hasSteplessAccess hasMobilityService hasWiFi hasTravelCenter hasRailwayMission hasDBLounge
hasLostAndFound hasCarRental"""
STATION = f"nr ril100 weight category priceCategory street zipcode latitude longitude productLine segment {SERVICES}"


def key(kind: str, name: str) -> str:
    """Return the id of a node."""
    return kind + "-" + re.sub(r"\W+", "-", name.lower()).strip("-")


def nodes(label: str, ids: pd.Series, **columns: pd.Series) -> pd.DataFrame:
    """Return a table of nodes, each of them once."""
    made = pd.DataFrame({"id": ids, "label": label} | columns)
    return made.drop_duplicates("id").sort_values("id").convert_dtypes()


def edges(kind: str, starts: pd.Series, ends: pd.Series) -> pd.DataFrame:
    """Return a table of edges, each of them once."""
    return pd.DataFrame({"start": starts, "end": ends, "type": kind}).drop_duplicates()


def stations(package: Path) -> Tables:
    """Return the tables of nodes and edges."""
    lines = next(package.rglob("full.ndjson")).read_text(encoding="utf-8").splitlines()
    table = pd.json_normalize([json.loads(line) for line in lines])
    table = table[table["category"] <= LARGEST]
    table = table.rename(columns={"productLine.productLine": "productLine", "productLine.segment": "segment"})
    table = table.rename(columns=lambda column: re.sub(r"^(?:address|location)\.", "", column))
    texts = ["name", "city", "street"]
    table[texts] = table[texts].apply(lambda column: column.str.split().str.join(" "))
    line = ["productLine", "segment"]
    table[line] = table[line].where(~table[line].apply(lambda column: column.str.isdigit()))
    ids = "station-" + table["id"]
    state = table["federalState"].map(lambda name: key("state", name))
    city = (table["city"] + " " + table["federalState"]).map(lambda name: key("city", name))
    operator = table["operator.id"].map(lambda name: key("operator", name))
    management = "management-" + table["stationManagement.number"].astype(str)
    division = "regionalbereich-" + table["regionalbereich.number"].astype(str)
    return {
        "nodes_station": nodes("Station", ids, name=table["name"], **{name: table[name] for name in STATION.split()}),
        "nodes_city": nodes("City", city, name=table["city"]),
        "nodes_federal_state": nodes("FederalState", state, name=table["federalState"]),
        "nodes_operator": nodes("Operator", operator, name=table["operator.name"]),
        "nodes_station_management": nodes(
            "StationManagement",
            management,
            name=table["stationManagement.name"],
            number=table["stationManagement.number"],
        ),
        "nodes_regionalbereich": nodes(
            "Regionalbereich", division, name=table["regionalbereich.name"], number=table["regionalbereich.number"]
        ),
        "edges_in_city": edges("IN_CITY", ids, city),
        "edges_in_state": edges("IN_STATE", city, state),
        "edges_operated_by": edges("OPERATED_BY", ids, operator),
        "edges_managed_by": edges("MANAGED_BY", ids, management),
        "edges_belongs_to": edges("BELONGS_TO", management, division),
    }


def main() -> None:
    """Write the set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--package", type=Path, help="an unpacked db-stations")
    options = parser.parse_args()
    tables = stations(options.package or unpacked_from_npm(PACKAGE, options.work))
    text = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    save(options.work / "stations", tables, questions(text, tables_and_ends(as_written(tables))))


if __name__ == "__main__":
    main()
