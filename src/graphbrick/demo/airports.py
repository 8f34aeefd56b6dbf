"""Airports with an IATA code, the regions they lie in and the cities they serve (data: see `sources`)."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator

from graphbrick.demo.naming import LATIN, distinct, is_word
from graphbrick.demo.sources import Row, Sources
from graphbrick.graphs.records.records import EntityRecord, Records, TripleRecord
from graphbrick.language.folding import fold

MAX_KM = 80.0
"""An airport serves a city of the name given for it only within this distance."""

_NAMED_CITY = 200_000  # an airport also serves a city of so many people that is part of its name ("Toronto Pearson")
_CODE_CITY = 1_000_000  # the bare code is an alias of an airport that serves a city of so many people
_KINDS = re.compile(r"air|aéro|aero|base|field|heliport|port|landing|strip|station|RAF|CFB|Intl", re.IGNORECASE)


def kilometres(a: Row, b: Row) -> float:
    """Return the great-circle distance in km between a row with ``lat`` and ``lon`` and a city."""
    lat, lon, lat2, lon2 = (math.radians(x) for x in (a["lat"], a["lon"], b["latitude"], b["longitude"]))
    half = math.sin((lat2 - lat) / 2) ** 2 + math.cos(lat) * math.cos(lat2) * math.sin((lon2 - lon) / 2) ** 2
    return 12742 * math.asin(math.sqrt(half))


class CityFinder:
    """Cities by country and folded name in Latin script; labels before alternate names, then large before small."""

    def __init__(self, cities: list[Row]) -> None:
        self._labels: dict[tuple[str, str], list[Row]] = defaultdict(list)
        self._others: dict[tuple[str, str], list[Row]] = defaultdict(list)
        for city in cities:
            self._labels[city["countrycode"], fold(city["name"])].append(city)
            for name in city["alternatenames"]:
                # Transliterations in lower case and other scripts are most of the names, and no airport has them.
                if LATIN.match(name) and not name.islower():
                    self._others[city["countrycode"], fold(name)].append(city)

    def named(self, country: str, name: str) -> list[Row]:
        """Return the cities of a country with this label, followed by those with this alternate name."""
        key = country, fold(name)
        return [*self._labels.get(key, ()), *self._others.get(key, ())]

    def within(self, country: str, text: str, min_people: int) -> Iterator[Row]:
        """Yield the cities of at least ``min_people`` people whose label is part of a text."""
        words = fold(text).split()
        spans = {" ".join(words[i:j]) for i in range(len(words)) for j in range(i + 1, min(i + 4, len(words)) + 1)}
        for span in sorted(spans):
            for city in self._labels.get((country, span), ()):
                if city["population"] >= min_people:
                    yield city


def airport_records(sources: Sources, finder: CityFinder) -> Records:
    """Yield the entities and triples of all airports, by code; a region comes before the first airport in it."""
    regions = _regions(sources, finder)
    seen = set()
    for code, row in sources.airports.items():
        key, country = f"airport:{code}", row["country"]
        served = _served(row, finder)
        yield _airport(code, row, served, sources.countries)
        yield key, "located in", f"country:{country}"
        if row["tz"]:
            yield key, "time zone", f"timezone:{row['tz']}"
        region = regions.get((country, fold(row["subd"])))
        if region is not None:
            if region.key not in seen and region.key.startswith("region:"):
                seen.add(region.key)
                yield region
                yield region.key, "part of", f"country:{country}"
            yield key, "region", region.key
        yield from _serves(key, served)


def _airport(code: str, row: Row, served: list[Row], countries: dict[str, Row]) -> EntityRecord:
    label = row["name"]
    if not _KINDS.search(label):
        label += " Airport"
    where = (
        f"{row['city']}, {countries[row['country']]['label']}" if row["city"] else countries[row["country"]]["label"]
    )
    aliases = [f"{code} airport"]
    if not is_word(code) and any(city["population"] >= _CODE_CITY for city in served):
        aliases.append(code)
    return EntityRecord(
        f"airport:{code}", label, distinct(label, aliases), ("airport",), f"airport in {where} (IATA code {code})"
    )


def _served(row: Row, finder: CityFinder) -> list[Row]:
    """Return the distinct cities that an airport serves."""
    cities: dict[int, Row] = {}
    for name in [row["city"], *re.split(r"[/,(]", row["city"])]:
        near = [city for city in finder.named(row["country"], name) if kilometres(row, city) <= MAX_KM]
        for city in near[:1]:
            cities[city["geonameid"]] = city
    for city in finder.within(row["country"], row["name"], _NAMED_CITY):
        if kilometres(row, city) <= MAX_KM:
            cities[city["geonameid"]] = city
    return list(cities.values())


def _serves(key: str, served: list[Row]) -> Iterator[TripleRecord]:
    for city in served:
        yield key, "serves", f"city:{city['geonameid']}"


def _regions(sources: Sources, finder: CityFinder) -> dict[tuple[str, str], EntityRecord]:
    """Return the regions of ISO 3166-2 by country and folded name; those of the United States are its states."""
    regions: dict[tuple[str, str], EntityRecord] = {}
    # A name that a part and the whole share ("Kankan") means the whole, which has no parent.
    rows = sorted(sources.iso.subdivisions, key=lambda row: (row.parent_code is not None, row.code))
    for row in rows:
        country, code = row.code.split("-")
        if country not in sources.countries:
            continue
        own, *bracketed = re.split(r" *[\[(]", row.name.rstrip("])"))
        label = short = re.sub(" (Sheng|Shi)$", "", own) if country == "CN" else own
        in_us = country == "US" and code in sources.states
        text = f"{row.type.lower()} of {sources.countries[country]['label']}"
        if is_word(label) or finder.named(country, label):
            label = f"{label} {row.type.split()[-1].capitalize()}"  # "North Region"; "Lima Region" is not the city
        record = EntityRecord(f"state:{code}" if in_us else f"region:{row.code}", label, (), ("region",), text)
        for name in (own, short, row.name, *bracketed):
            regions.setdefault((country, fold(name)), record)
    return regions
