"""Make a set for `everyday.py` out of real public data: which languages, scripts, money and calendars are used where.

    python benchmarks/everyday_languages.py WORK

Writes WORK/languages, a folder with a table of nodes per type, a table of edges per relation, and `questions.jsonl`,
out of the questions in `everyday_languages.txt`. There are countries and territories with their populations, economies
and habits, what part of them speaks or writes which languages and what status these have there, the scripts of
languages with how they are written and where they are from, the money of each place since when and until when, its
calendars, regions and unions.

The data are those of the Common Locale Data Repository of Unicode, CLDR 48.2, as three packages of npm have them,
cldr-core, cldr-localenames-full and cldr-bcp47 (all Unicode-3.0), which are fetched unless WORK/packages has them.
Columns have the names of the source, without the underscore before them. `code` is the key of an entry, `name` its
English name, or what describes a currency or a calendar, `age` the version of Unicode with a script, `coverageLevel`
how much CLDR has for a language, `pluralForms` and `ordinalForms` how many rules for these, and `order` the place of a
calendar in the list of a territory. YES and NO are true and false but for `shapingReq`, UNKNOWN and a density of -1 are
nothing. What the source tells of the world holds for territories of which it tells nothing else; money is tender unless
that is denied. Languages told with a script in a territory have it on the edge. Left out are languages and scripts
without an English name, languages of no territory, overlapping regions, time zones and more codes. Needs pandas, npm.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from everyday_gold import Row, as_written, questions, tables_and_ends, with_known_ends
from everyday_sets import Tables, save, unpacked_from_npm

PACKAGES = ("cldr-core@48.2.0", "cldr-localenames-full@48.2.0", "cldr-bcp47@48.2.0")
UNIONS, OVERLAPPING = ("EU", "EZ", "UN"), ("003", "202", "419")
WEEK = "firstDay weekendStart weekendEnd minDays"
HABITS = "measurementSystem paperSize"
MONEY = "digits rounding cashDigits cashRounding"
FLAGS = {"YES": True, "NO": False, "UNKNOWN": None}
SPOKEN = "populationPercent writingPercent literacyPercent officialStatus"
NUMBERS = f"population gdp minDays density rank {MONEY} populationPercent writingPercent literacyPercent".split()
SCRIPT = "rank age sampleChar idUsage rtl lbLetters hasCase shapingReq ime density"


def read(folder: Path, path: str, *keys: str) -> Any:
    """Return what is in a file of a package under some keys."""
    found = json.loads((folder / f"{path}.json").read_text(encoding="utf-8"))
    for key in keys:
        found = found[key]
    return found


def picked(row: Row, columns: str) -> Row:
    """Return some columns of an entry: numbers as numbers, flags as such."""
    found = {column: row.get(f"_{column}", row.get(column)) for column in columns.split()}
    for column, value in found.items():
        if column in NUMBERS and value is not None:
            found[column] = float(value) if float(value) >= 0 else None
        elif value in FLAGS and column != "shapingReq":
            found[column] = FLAGS[value]
    return found


def nodes(label: str, names: dict[str, str], rows: dict[str, Row]) -> pd.DataFrame:
    """Return a table of nodes with a label, out of what is told of codes that have a name."""
    told = [
        {"id": f"{label.lower()}-{code}", "label": label, "code": code, "name": names[code]} | row
        for code, row in rows.items()
        if code in names
    ]
    return pd.DataFrame(told).convert_dtypes()


def edges(kind: str, ends: str, rows: Iterable[tuple[str, str, Row]]) -> pd.DataFrame:
    """Return a table of edges of a kind between nodes of two kinds, the `ends`."""
    first, second = ends.split()
    told = [{"start": f"{first}-{one}", "end": f"{second}-{two}", "type": kind} | row for one, two, row in rows]
    return pd.DataFrame(told).convert_dtypes()


def territories(core: Path, places: Row) -> dict[str, Row]:
    """Return what is told of each territory: its numbers, its codes and its habits."""
    codes, hours = (read(core, f"supplemental/{part}", "supplemental", part) for part in ("codeMappings", "timeData"))
    usual = {"preferred": {code: row["_preferred"] for code, row in hours.items()}}
    for part, columns in (("weekData", WEEK), ("measurementData", HABITS)):
        usual |= {key: read(core, f"supplemental/{part}", "supplemental", part, key) for key in columns.split()}
    return {
        code: picked(codes.get(code, {}), "alpha3 numeric")
        | picked(row, "population gdp literacyPercent")
        | {key: told.get(code, told["001"]) for key, told in usual.items()}
        for code, row in places.items()
        if code != "ZZ"
    }


def spoken(core: Path, codes: Iterable[str]) -> dict[str, Row]:
    """Return what is told of each language that is spoken: how far it is covered, and its numbers of forms."""
    level = read(core, "coverageLevels", "coverageLevels")
    rules = {
        "pluralForms": read(core, "supplemental/plurals", "supplemental", "plurals-type-cardinal"),
        "ordinalForms": read(core, "supplemental/ordinals", "supplemental", "plurals-type-ordinal"),
    }
    return {
        code: {"coverageLevel": level.get(code)} | {key: len(told.get(code, ())) or None for key, told in rules.items()}
        for code in sorted(set(codes) - {"und"})
    }


def languages(core: Path, english: Path, keywords: Path) -> Tables:
    """Return the tables of nodes and edges of the three packages."""
    parts = "territoryInfo currencyData languageData calendarPreferenceData territoryContainment"
    places, money, ways, calendars, groups = (
        read(core, f"supplemental/{part}", "supplemental", part) for part in parts.split()
    )
    signs = read(core, "scriptMetadata", "scriptMetadata")
    for row in signs.values():
        row["age"] = "{}.{}".format(*divmod(row["age"]["m_version_"] >> 16, 256))
    areas, names, scripts = (
        read(english, f"main/en/{kind}", "main", "en", "localeDisplayNames", kind)
        for kind in ("territories", "languages", "scripts")
    )
    currency = read(keywords, "bcp47/currency", "keyword", "u", "cu")
    calendar = read(keywords, "bcp47/calendar", "keyword", "u", "ca")
    people = [
        (code, key.partition("_")[0], picked(row, SPOKEN) | {"script": scripts.get(key.partition("_")[2])})
        for code, told in places.items()
        for key, row in told.get("languagePopulation", {}).items()
    ]
    paid = [
        (code, key, picked(row, "from to") | {"tender": "_tender" not in row})
        for code, told in money["region"].items()
        for entry in told
        for key, row in entry.items()
    ]
    dates = [(code, key, {"order": place}) for code, told in calendars.items() for place, key in enumerate(told, 1)]
    written = [
        (code.partition("-")[0], script, {"secondary": "-" in code})
        for code, told in ways.items()
        for script in told.get("_scripts", ())
    ]
    origins = [(code, row["originCountry"], {}) for code, row in signs.items()]
    inside = [(part, key, {}) for key in groups if "-" not in key for part in groups[key]["_contains"]]
    regions = [row for row in inside if row[1] not in (*UNIONS, *OVERLAPPING)]
    coins = {key: picked(money["fractions"].get(key, money["fractions"]["DEFAULT"]), MONEY) for _, key, _ in paid}
    kinds = {code.upper(): row for code, row in currency.items()} | calendar | {"gregorian": calendar["gregory"]}
    described = {code: row["_description"] for code, row in kinds.items() if isinstance(row, dict)}
    tables = {
        "nodes_territory": nodes("Territory", areas, territories(core, places)),
        "nodes_region": nodes("Region", areas, {row[1]: {} for row in regions}),
        "nodes_union": nodes("Union", areas, {code: {} for code in UNIONS}),
        "nodes_language": nodes("Language", names, spoken(core, [row[1] for row in people])),
        "nodes_script": nodes("Script", scripts, {code: picked(row, SCRIPT) for code, row in signs.items()}),
        "nodes_currency": nodes("Currency", described, coins),
        "nodes_calendar": nodes("Calendar", described, {row[1]: {} for row in dates}),
        "edges_speaks": edges("SPEAKS", "territory language", people),
        "edges_written_in": edges("WRITTEN_IN", "language script", written),
        "edges_uses_currency": edges("USES_CURRENCY", "territory currency", paid),
        "edges_uses_calendar": edges("USES_CALENDAR", "territory calendar", dates),
        "edges_in_region": edges("IN_REGION", "territory region", regions),
        "edges_part_of": edges("PART_OF", "region region", regions),
        "edges_member_of": edges("MEMBER_OF", "territory union", inside),
        "edges_origin_country": edges("ORIGIN_COUNTRY", "script territory", origins),
    }
    return with_known_ends(tables)


def main() -> None:
    """Write the set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    work = parser.parse_args().work
    tables = languages(*(unpacked_from_npm(package, work) for package in PACKAGES))
    text = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    save(work / "languages", tables, questions(text, tables_and_ends(as_written(tables))))


if __name__ == "__main__":
    main()
