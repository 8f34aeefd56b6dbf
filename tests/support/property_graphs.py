"""Two small graphs with properties: a shop and a clinic."""

from __future__ import annotations

import datetime
from pathlib import Path

from graphbrick.core.properties.values import Value
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.records import EdgeRecord, EntityRecord, Record, RelationRecord


def _day(text: str) -> datetime.date:
    return datetime.date.fromisoformat(text)


def _entity(name: str, kind: str, description: str = "", **properties: Value) -> EntityRecord:
    return EntityRecord(name, name, (), (kind,), description or None, properties)


def _edges(relation: str, pairs: str) -> list[Record]:
    """Return triples from lines such as «Orlen Trading > Blue Kettle, Red Toaster»."""
    records: list[Record] = [RelationRecord(relation, relation)]
    for line in pairs.strip().splitlines():
        head, _, tails = line.strip().partition(" > ")
        records += [(head, relation, tail) for tail in tails.split(", ")]
    return records


def shop_records() -> list[Record]:
    """Return products, vendors and customers with prices, colours, dates and booleans."""
    rows = [
        ("Blue Kettle", 24.5, True, "blue", "2021-03-04", 4.5, 1.2),
        ("Red Toaster", 39.0, False, "red", "2022-11-20", 3.9, 2.5),
        ("Steel Pan", 18.0, True, "silver", "2019-06-01", 4.8, 1.9),
        ("Oak Board", 31.5, True, "brown", "2023-01-15", 4.1, 3.0),
        ("Glass Jug", 12.0, False, "clear", "2020-08-08", 4.0, 0.8),
        ("Copper Pot", 89.0, True, "red", "2018-05-30", 4.9, 2.2),
    ]
    records: list[Record] = [
        _entity(
            name,
            "Product",
            "A kettle with a whistle." if name == "Blue Kettle" else "",
            price=price,
            inStock=in_stock,
            colour=colour,
            launched=_day(launched),
            rating=rating,
            weight_kg=weight,
        )
        for name, price, in_stock, colour, launched, rating, weight in rows
    ]
    for name, founded, country in (
        ("Orlen Trading", 1998, "Poland"),
        ("Bergmann & Co", 1972, "Germany"),
        ("Nord Supply", 2011, "Norway"),
    ):
        records.append(_entity(name, "Vendor", founded=founded, country=country, tags=("wholesale", country.lower())))
    for name, country, born, vip in (
        ("Ada Rowe", "Norway", "1970-01-02", True),
        ("Bo Lind", "Germany", "1985-07-19", False),
    ):
        records.append(
            _entity(
                name,
                "Customer",
                country=country,
                email=f"{name[:2].lower()}@post.example",
                birthday=_day(born),
                vip=vip,
            )
        )
    records.append(RelationRecord("SELLS", "SELLS"))
    for vendor, product, since in (
        ("Orlen Trading", "Blue Kettle", 2019),
        ("Orlen Trading", "Red Toaster", 2021),
        ("Bergmann & Co", "Steel Pan", 2015),
        ("Bergmann & Co", "Copper Pot", 2018),
        ("Nord Supply", "Oak Board", 2022),
        ("Nord Supply", "Glass Jug", 2020),
    ):
        records.append(EdgeRecord(vendor, "SELLS", product, {"since": since}))
    records += _edges("BOUGHT", "Ada Rowe > Blue Kettle, Copper Pot\nBo Lind > Steel Pan, Red Toaster")
    return records


def clinic_records() -> list[Record]:
    """Return doctors, wards, patients and medicines with salaries, beds, blood types and date-times."""
    records: list[Record] = []
    for name, born, speciality, salary, part_time in (
        ("Ines Moreau", "1968-04-12", "cardiology", 9200, False),
        ("Paul Okoro", "1981-09-30", "neurology", 8100, True),
        ("Lena Fuchs", "1975-01-05", "cardiology", 8800, True),
        ("Sam Adeyemi", "1990-06-17", "surgery", 10100, False),
    ):
        records.append(
            _entity(name, "Doctor", born=_day(born), speciality=speciality, salary=salary, part_time=part_time)
        )
    for name, beds, floor in (("North Ward", 24, 1), ("South Ward", 40, 2), ("Garden Ward", 12, 1)):
        records.append(_entity(name, "Ward", beds=beds, floor=floor))
    for name, born, blood_type, insured, admitted in (
        ("Tom Hale", "1950-02-03", "A+", True, "2024-03-01T08:30:00"),
        ("Mia Berg", "1999-11-21", "0-", False, "2024-03-02T14:00:00"),
        ("Ugo Silva", "1972-07-07", "B+", True, "2024-02-11T09:15:00"),
        ("Eva Roth", "1961-05-19", "AB-", False, "2024-01-30T11:00:00"),
    ):
        moment = datetime.datetime.fromisoformat(admitted)
        records.append(
            _entity(name, "Patient", born=_day(born), blood_type=blood_type, insured=insured, admitted=moment)
        )
    for name, dose in (("Cardolin", 50), ("Painex", 400)):
        records.append(_entity(name, "Medicine", dose_mg=dose, prescription_only=dose == 50))
    records.append(RelationRecord("works_on", "works_on"))
    for doctor, ward, since in (
        ("Ines Moreau", "North Ward", "2015-01-01"),
        ("Paul Okoro", "South Ward", "2018-05-01"),
        ("Lena Fuchs", "North Ward", "2020-10-01"),
        ("Sam Adeyemi", "Garden Ward", "2022-03-15"),
    ):
        records.append(EdgeRecord(doctor, "works_on", ward, {"from": _day(since)}))
    records += _edges("treats", "Ines Moreau > Tom Hale, Ugo Silva\nPaul Okoro > Mia Berg\nLena Fuchs > Eva Roth")
    lies_on = "Tom Hale > North Ward\nMia Berg > South Ward\nUgo Silva > North Ward\nEva Roth > South Ward"
    records += _edges("lies_on", lies_on)
    records += _edges("takes", "Tom Hale > Cardolin\nMia Berg > Painex\nUgo Silva > Cardolin\nEva Roth > Painex")
    return records


def shop_graph(folder: Path) -> Graph:
    """Return the shop as a folder graph."""
    return build(shop_records(), folder / "shop.graph")


def clinic_graph(folder: Path) -> Graph:
    """Return the clinic as a folder graph."""
    return build(clinic_records(), folder / "clinic.graph")
