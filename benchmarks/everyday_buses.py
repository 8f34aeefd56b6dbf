"""Make a set for `everyday.py` out of public data: the timetable of the buses of Cairns in Australia.

    python benchmarks/everyday_buses.py WORK [--package UNPACKED]

Writes WORK/buses, a folder with a table of nodes per type, a table of edges per relation, and `questions.jsonl`, out of
the questions in `everyday_buses.txt`.
It is the transit feed (GTFS) of 2014, of which 13 of 22 routes are taken: those to the northern beaches, Raintrees and
Gordonvale, some at night, with all trips of the year, the stops they call at, the services (on which days of the week
a trip runs) and the public holidays on which another service runs. Length, duration and speed of the trips come from a
table that stands beside the feed: kilometres, hours, and kilometres per hour. Columns have their names in the feed.
Short names are made for trips and services, dates are written with hyphens, and columns without values are left out.

The data come with gtfs-kit, a package of the Python index (MIT); the feed itself is open data of the State of
Queensland. Only the source distribution has it, which is fetched with pip unless a path to the unpacked package is
given. Needs pandas.
"""

from __future__ import annotations

import os
import zipfile
from pathlib import Path
from typing import Any

import pandas as pd

from everyday_gold import TOOLS, renamed, write_set
from everyday_sets import Tables

PACKAGE = "gtfs-kit==13.0.1"
FEED, STATS = "cairns_gtfs.zip", "cairns_trip_stats.csv"
ROUTES = "110 110N 112 113 120 120N 130 131 131N 140N 143W 150 150E".split()
DAYS = "monday tuesday wednesday thursday friday saturday sunday"
NODES = {  # the label, the key, and the columns: new=old under another name
    "agency": ("Agency", "key", "name=agency_name agency_url agency_timezone agency_lang agency_phone"),
    "route": (
        "Route",
        "route_id",
        "name=route_short_name route_id route_long_name route_type route_color route_text_color",
    ),
    "trip": (
        "Trip",
        "trip_id",
        "name trip_id trip_headsign direction_id shape_id"
        " num_stops start_time end_time is_loop duration distance speed",
    ),
    "stop": ("Stop", "stop_id", "name=stop_name stop_id stop_lat stop_lon location_type"),
    "service": ("Service", "service_id", f"name service_id {DAYS} start_date end_date"),
    "date": ("CalendarDate", "date", "name=date date"),
}
EDGES = {  # the relation, the table with both ends, the types and columns of the ends, and further columns
    "operated_by": ("OPERATED_BY", "route", "route.route_id", "agency.agency", ""),
    "of_route": ("OF_ROUTE", "trip", "trip.trip_id", "route.route_id", ""),
    "runs_on": ("RUNS_ON", "trip", "trip.trip_id", "service.service_id", ""),
    "starts_at": ("STARTS_AT", "trip", "trip.trip_id", "stop.start_stop_id", ""),
    "ends_at": ("ENDS_AT", "trip", "trip.trip_id", "stop.end_stop_id", ""),
    "stops_at": (
        "STOPS_AT",
        "stop_time",
        "trip.trip_id",
        "stop.stop_id",
        "stop_sequence arrival_time departure_time pickup_type drop_off_type",
    ),
    "added_on": ("ADDED_ON", "added", "service.service_id", "date.date", ""),
    "removed_on": ("REMOVED_ON", "removed", "service.service_id", "date.date", ""),
}


def rows(package: Path) -> Tables:
    """Return the tables of the feed for the routes that are taken, with names."""
    path = next(package.rglob(FEED), None)
    if path is None:
        raise SystemExit(f"no {FEED} in {package}: is this {PACKAGE}, unpacked?")
    with zipfile.ZipFile(path) as feed:
        raw = {Path(name).stem: pd.read_csv(feed.open(name), dtype=str) for name in feed.namelist()}
    agency = raw["agency"].assign(key="qconnect")
    route = raw["routes"][raw["routes"]["route_short_name"].isin(ROUTES)].assign(agency="qconnect")
    stats = pd.read_csv(path.with_name(STATS), dtype={"start_stop_id": str, "end_stop_id": str})
    stats = stats.drop(columns=["route_id", "route_short_name", "route_type", "direction_id", "shape_id"])
    trip = raw["trips"].merge(route[["route_id", "route_short_name"]]).merge(stats, on="trip_id")
    trip["name"] = named(trip)
    calls = raw["stop_times"][raw["stop_times"]["trip_id"].isin(trip["trip_id"])]
    stop = raw["stops"][raw["stops"]["stop_id"].isin(calls["stop_id"])]
    service = raw["calendar"].assign(name=raw["calendar"]["service_id"].map(short))
    service = service.assign(**{column: written(service[column]) for column in ("start_date", "end_date")})
    exception = raw["calendar_dates"].assign(date=written(raw["calendar_dates"]["date"]))
    parts = {"added": exception[exception["exception_type"] == "1"]}
    parts["removed"] = exception[exception["exception_type"] == "2"]
    nodes = {"agency": agency, "route": route, "trip": trip, "stop": stop, "service": service}
    return nodes | parts | {"date": exception[["date"]].drop_duplicates(), "stop_time": calls}


def short(service: str) -> str:
    """Return the part of the id of a service that tells services apart."""
    return service.removeprefix("CNS2014-CNS_MUL-").replace("-00", "", 1)


def named(trip: pd.DataFrame) -> pd.Series:
    """Return names of trips: route, service and time, which are different."""
    return trip["route_short_name"] + " " + trip["service_id"].map(short) + " " + trip["start_time"].str[:5]


def written(dates: pd.Series) -> pd.Series:
    """Return dates such as 20140526 with hyphens."""
    return pd.to_datetime(dates, format="%Y%m%d").dt.strftime("%Y-%m-%d")


def buses(package: Path) -> Tables:
    """Return the tables of nodes and edges."""
    raw = rows(package)
    tables: Tables = {}
    for key, (label, column, columns) in NODES.items():
        found = pd.DataFrame({"id": f"{key}-" + raw[key][column], "label": label})
        tables[f"nodes-{key}"] = found.assign(**{new: raw[key][old] for new, old in renamed(columns)})
    for key, (relation, table, first, second, columns) in EDGES.items():
        (source, start), (target, end) = first.split("."), second.split(".")
        given = raw[table]
        found = pd.DataFrame({"start": f"{source}-" + given[start], "end": f"{target}-" + given[end], "type": relation})
        tables[f"edges-{key}"] = found.assign(**{new: given[old] for new, old in renamed(columns)})
    return tables


def scope(tables: Tables) -> dict[str, Any]:
    """Return what the expressions of the answers can use: the tables, and calls at stops with all that belongs to them.

    A trip has its route, service and ends, a call has its trip and stop, an exception has its service, date and sort.
    """
    found = {key.removeprefix("nodes-"): table for key, table in tables.items() if key.startswith("nodes-")}
    names = {key: name for table in found.values() for key, name in zip(table["id"], table["name"], strict=True)}
    trip = found["trip"]
    for column, key in (("route", "of_route"), ("service", "runs_on"), ("origin", "starts_at"), ("last", "ends_at")):
        trip[column] = trip["id"].map(tables[f"edges-{key}"].set_index("start")["end"]).map(names)
    trip = trip.merge(found["route"][["name", "route_long_name"]].rename(columns={"name": "route"}), how="left")
    days = found["service"].drop(columns=["id", "label", "service_id"]).rename(columns={"name": "service"})
    found["trip"] = trip = trip.merge(days, how="left")
    call = tables["edges-stops_at"].drop(columns="type").rename(columns={"start": "trip_key", "end": "stop_key"})
    call["stop"] = call["stop_key"].map(names)
    ends = trip.drop(columns=["label"]).rename(columns={"id": "trip_key", "name": "trip"})
    place = found["stop"][["id", "stop_lat", "stop_lon"]].rename(columns={"id": "stop_key"})
    call = call.merge(ends, on="trip_key").merge(place, on="stop_key")
    parts = [tables[f"edges-{key}"] for key in ("added_on", "removed_on")]
    exception = pd.concat(parts).assign(service=lambda table: table["start"].map(names))
    exception["date"] = exception["end"].map(names)
    return found | TOOLS | {"call": call, "exception": exception}


if __name__ == "__main__":
    os.environ.setdefault("PIP_NO_BINARY", PACKAGE.partition("=")[0])  # the data are in the source distribution
    write_set(__file__, __doc__, PACKAGE, buses, scope)
