"""The world graph: some 48,000 countries, cities, currencies, languages, time zones and airports, and their facts.

Numbers are facts too: the people of countries and cities, and the area of countries, as texts such as «582,650 km²».

It needs no download: the data come inside three packages (``pip install 'graphbrick[demo]'``), named with their
licences in `graphbrick.demo.sources`. Facts are as in those packages, but for the few corrections below.
"""

from __future__ import annotations

import logging
import re
from collections import Counter, defaultdict
from collections.abc import Iterator

from graphbrick.demo.airports import CityFinder, airport_records
from graphbrick.demo.naming import (
    country_aliases,
    currency_label,
    distinct,
    is_clear,
    is_word,
    language_label,
)
from graphbrick.demo.sources import Row, Sources, load_sources
from graphbrick.graphs.records.records import EntityRecord, Records, TripleRecord
from graphbrick.language.folding import fold

_log = logging.getLogger(__name__)

ALIAS_PEOPLE = 200_000
"""Capitals, and cities of at least so many people, have their names in other languages as aliases."""

# Where the country table of GeoNames is empty or behind.
_CAPITALS = {"BQ": "Kralendijk", "PW": "Ngerulmud"}
_CITY_ALIASES = {5128581: ("New York", "NYC")}  # names that the rules below would leave out
_LANGUAGE_CODES = {"rmm": "rom"}  # Romani in North Macedonia; rmm is a language of Indonesia
_NOT_BORDERS = {("US", "CU"), ("CU", "US")}  # a leased naval base
# Countries in ISO 3166 and in the facts here, but not sovereign.
_TERRITORIES = (
    "AI AQ AS AW AX BL BM BQ BV CC CK CW CX EH FK FO GF GG GI GL GP GS GU HK HM IM IO JE KY MF MO MP MQ MS NC NF NU PF "
    "PM PN PR RE SH SJ SX TC TF TK UM VG VI WF YT"
)
_SHARE = 0.1  # a time zone belongs to the country with most of its cities, and to those with so much of theirs in it


def world_records() -> Records:
    """Yield the entities and triples of the world graph, always in the same order; an entity comes once.

    Raises:
        GraphbrickError: If one of the packages is not installed.

    Example::

        next(r.label for r in world_records() if isinstance(r, EntityRecord) and r.key == "currency:KES")
    """
    return _records(load_sources())


def _records(sources: Sources) -> Records:
    finder = CityFinder(sources.cities)
    capitals, missing = match_capitals(sources.countries, finder)
    if missing:
        _log.info("left out capitals that are not cities of the data: %s", ", ".join(missing))
    named: list[EntityRecord] = [
        *_continents(sources),
        *_countries(sources),
        *_currencies(sources),
        *_languages(sources),
        *_codes(sources),
    ]
    yield from named
    yield from _states(sources)
    yield from _time_zones(sources)
    taken = {fold(n) for r in named for n in [r.label or "", *r.aliases]}
    taken |= {fold(row["name"]) for row in sources.states.values()}
    yield from _cities(sources, set(capitals.values()), taken)
    yield from _country_facts(sources, capitals)
    yield from airport_records(sources, finder)


def match_capitals(countries: dict[str, Row], finder: CityFinder) -> tuple[dict[str, int], list[str]]:
    """Return the GeoNames id of each country's capital, and the capitals that are not cities of the data."""
    capitals: dict[str, int] = {}
    missing = []
    for code, row in countries.items():
        name = _CAPITALS.get(code, row["capital"].strip())
        match = finder.named(code, name)[:1] if name else []
        if match:
            capitals[code] = match[0]["geonameid"]
        elif name:
            missing.append(f"{name} ({code})")
    return capitals, missing


def _continents(sources: Sources) -> Iterator[EntityRecord]:
    for row in sources.continents:
        names = [n["name"] for n in row["alternateNames"] if len(n["lang"]) == 2 and is_clear(n["name"])]
        yield EntityRecord(
            f"continent:{row['continentCode']}", row["name"], distinct(row["name"], names), ("continent",), "continent"
        )


def _countries(sources: Sources) -> Iterator[EntityRecord]:
    continents = {row["continentCode"]: row["name"] for row in sources.continents}
    labels = {code: row["label"] for code, row in sources.countries.items()}
    taken = {
        fold(row["name"])
        for row in [*sources.states.values(), *(c for c in sources.cities if c["population"] >= 100_000)]
    }
    aliases = country_aliases(sources.iso.countries, labels, sources.iso.LOCALES_DIR, taken)
    for code, row in sources.countries.items():
        kinds = ("country", "territory") if code in _TERRITORIES.split() else ("country",)
        text = f"{kinds[-1]} in {continents[row['continentcode']]}{_people(row)}"
        yield EntityRecord(f"country:{code}", row["label"], aliases[code], kinds, text)


def _currencies(sources: Sources) -> Iterator[EntityRecord]:
    used = {row["currencycode"]: row["currencyname"] for row in sources.countries.values() if row["currencycode"]}
    for code, short in used.items():
        iso = sources.iso.currencies.get(alpha_3=code)
        label = currency_label(code, iso.name if iso else short)
        names = [n for n in [iso.name if iso else "", code] if not is_word(n)]
        yield EntityRecord(f"currency:{code}", label, distinct(label, names), ("currency",), f"currency (code {code})")


def _languages(sources: Sources) -> Iterator[EntityRecord]:
    for code, name in _spoken(sources).items():
        label = language_label(code, name)
        plain = [n for n in [re.sub(r" *\(.*", "", name), f"{label} language"] if is_clear(n)]
        yield EntityRecord(f"language:{code}", label, distinct(label, plain), ("language",), "language")


def _spoken(sources: Sources) -> dict[str, str]:
    """Return the ISO names of all languages of countries; families of languages are left out, but for Berber."""
    names: dict[str, str] = {}
    for row in sources.countries.values():
        for code in _language_codes(row):
            language = sources.iso.languages.get(**{f"alpha_{len(code)}": code})
            if language or code == "ber":
                names[code] = language.name if language else "Berber"
    return names


def _language_codes(row: Row) -> list[str]:
    """Return the languages of a country ("en-KE,sw-KE") without repeats, the most spoken first."""
    codes = [part.strip().split("-")[0] for part in row["languages"].split(",")]
    return list(dict.fromkeys(_LANGUAGE_CODES.get(code, code) for code in codes if len(code) in (2, 3)))


def _codes(sources: Sources) -> Iterator[EntityRecord]:
    """Yield internet domains and calling codes."""
    rows = sources.countries.values()
    for domain in dict.fromkeys(row["tld"].strip() for row in rows):
        if domain:
            yield EntityRecord(f"domain:{domain[1:]}", domain, (), ("internet domain",), "internet domain")
    for code in dict.fromkeys(code for row in rows for code in _calling_codes(row)):
        yield EntityRecord(f"calling-code:{code}", f"+{code}", (), ("calling code",), "telephone calling code")


def _calling_codes(row: Row) -> list[str]:
    """Return the calling codes of a country, as "254"; a field may hold two ("+1-787 and 1-939")."""
    return [part.strip().lstrip("+") for part in row["phone"].split(" and ") if part.strip()]


def _states(sources: Sources) -> Records:
    """Yield the states and counties of the United States; the territories' counties are part of these."""
    for code, row in sources.states.items():
        names = (f"{row['name']} State", f"State of {row['name']}")
        yield EntityRecord(f"state:{code}", row["name"], names, ("state",), "state of the United States")
        yield f"state:{code}", "part of", "country:US"
    for row in sources.counties:
        key, code = f"county:{row['fips']}", row["state"]
        whole = sources.states.get(code) or {"name": sources.countries[code]["label"]}
        where = whole["name"]
        yield EntityRecord(key, row["name"], (f"{row['name']}, {where}",), ("county",), f"county of {where}")
        yield key, "county of", f"state:{code}" if code in sources.states else f"country:{code}"


def _time_zones(sources: Sources) -> Iterator[EntityRecord]:
    zones = {row["timezone"] for row in sources.cities} | {row["tz"] for row in sources.airports.values()}
    for zone in sorted(zones - {""}):
        place = zone.rpartition("/")[2].replace("_", " ")
        yield EntityRecord(f"timezone:{zone}", zone, (f"{place} time",), ("time zone",), "time zone")


def _cities(sources: Sources, capitals: set[int], taken: set[str]) -> Records:
    """Yield the cities by falling population, each with its facts; an alias goes to the first city that claims it.

    Args:
        sources: The raw rows.
        capitals: GeoNames ids of capitals.
        taken: Folded names of countries, currencies and so on, which no city may have as alias ("Mexico").
    """
    taken = set(taken)
    for row in sources.cities:
        key, country, label = f"city:{row['geonameid']}", row["countrycode"], row["name"]
        state = sources.states.get(row["admin1code"]) if country == "US" else None
        where = (
            f"{state['name']}, {sources.countries[country]['label']}" if state else sources.countries[country]["label"]
        )
        names = [*_CITY_ALIASES.get(row["geonameid"], ()), *([f"{label}, {state['name']}"] if state else [])]
        taken.add(fold(label))
        if row["geonameid"] in capitals or row["population"] >= ALIAS_PEOPLE:
            alternates = distinct(label, filter(is_clear, row["alternatenames"]), taken)
            taken.update(map(fold, alternates))
            names.extend(alternates)
        aliases = distinct(label, names)
        yield EntityRecord(key, label, aliases, ("city",), f"city in {where}{_people(row)}")
        yield key, "country", f"country:{country}"
        yield key, "time zone", f"timezone:{row['timezone']}"
        if state:
            yield key, "state", f"state:{state['code']}"
        if row["population"]:
            yield key, "population", f"{row['population']:,}"


def _country_facts(sources: Sources, capitals: dict[str, int]) -> Iterator[TripleRecord]:
    spoken, zones = _spoken(sources), _zones_of_countries(sources)
    for code, row in sources.countries.items():
        key = f"country:{code}"
        yield key, "continent", f"continent:{row['continentcode']}"
        if code in capitals:
            yield key, "capital", f"city:{capitals[code]}"
        if row["currencycode"]:
            yield key, "currency", f"currency:{row['currencycode']}"
        for language in _language_codes(row):
            if language in spoken:
                yield key, "language", f"language:{language}"
        for neighbour in row["neighbours"].split(","):
            if neighbour in sources.countries and (code, neighbour) not in _NOT_BORDERS:
                yield key, "borders", f"country:{neighbour}"
        for zone in zones.get(code, ()):
            yield key, "time zone", f"timezone:{zone}"
        if row["population"]:
            yield key, "population", f"{row['population']:,}"
        if row["areakm2"]:
            yield key, "area", f"{row['areakm2']:,} km²"
        if row["tld"].strip():
            yield key, "internet domain", f"domain:{row['tld'].strip()[1:]}"
        for calling in _calling_codes(row):
            yield key, "calling code", f"calling-code:{calling}"


def _zones_of_countries(sources: Sources) -> dict[str, list[str]]:
    """Return the time zones of each country's cities; a lone city with the zone of a neighbour does not count."""
    pairs = Counter((row["timezone"], row["countrycode"]) for row in sources.cities)
    people = Counter(row["countrycode"] for row in sources.cities)
    most = {zone: country for (zone, country), _ in reversed(pairs.most_common())}
    zones = defaultdict(list)
    for (zone, country), count in sorted(pairs.items()):
        if most[zone] == country or count >= _SHARE * people[country]:
            zones[country].append(zone)
    return zones


def _people(row: Row) -> str:
    return f", {row['population']:,} people" if row["population"] else ""
