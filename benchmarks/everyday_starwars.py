"""Make a set for `everyday.py` out of public data: the characters, planets, films and ships of Star Wars.

    python benchmarks/everyday_starwars.py WORK [--swapi UNPACKED]

Writes WORK/starwars, a folder with a table of nodes per type (nodes_*.csv), one of edges (edges.csv), and
`questions.jsonl`, out of the questions in `everyday_starwars.txt`.

The data come with swapi-graphql (BSD 3-clause), a package of npm with what the service swapi.co answered. It is fetched
with `npm pack` unless a path to the unpacked package is given. Its answers are texts of JSON in a module of JavaScript,
which is read as text: nothing of the package runs. Needs pandas, and npm to fetch the package.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from everyday_gold import Row, as_written, larger, listed, questions
from everyday_monsters import fetched
from everyday_sets import Tables, save

PACKAGE = "swapi-graphql@0.0.6"
BLANK = {"unknown", "n/a", "N/A", "none?", "indefinite", ""}
EDGE_COLUMNS = "source relation target credit_order".split()
SPELLED = {
    "Incom corporation": "Incom Corporation",
    "Cyngus Spaceworks": "Cygnus Spaceworks",
    "Free Dac Volunteers Engineering corps.": "Free Dac Volunteers Engineering Corps",
}


def text(value: Any) -> str | None:
    """Return a text without needless spaces, none if it says that nothing is known."""
    found = re.sub(r"\s+", " ", str(value)).strip()
    return None if found in BLANK else found


def number(value: Any) -> float | None:
    """Return a number, none if it is none."""
    found = re.fullmatch(r"(-?\d+(?:\.\d+)?)(?:km)?", str(value).strip().replace(",", ""))
    if not found:
        return None
    plain = float(found[1])
    return int(plain) if plain.is_integer() else plain


def positive(value: Any) -> float | None:
    """Return a number, none for 0: a diameter of 0 is one that is not known."""
    return number(value) or None


def before(value: str) -> float | None:
    """Return the year before the Battle of Yavin, none for another year."""
    found = re.fullmatch(r"([\d.]+)BBY", value)
    return number(found[1]) if found else None


READERS: dict[str, Callable[[Any], Any]] = {"text": text, "number": number, "positive": positive, "before": before}
SHIP = "cost_credits=cost_in_credits:number crew:number passengers:number cargo_capacity_kg=cargo_capacity:number"
SHIP += " max_atmospheric_speed_kmh=max_atmosphering_speed:number"
# The part of the package, the first letters of the ids, and the columns: new=old:reader, `text` if none is named.
NODES = {
    "characters": (
        "people",
        "char",
        "gender height_cm=height:number mass_kg=mass:number birth_year_bby=birth_year:before eye_color hair_color"
        " skin_color",
    ),
    "planets": (
        "planets",
        "planet",
        "diameter_km=diameter:positive rotation_period_hours=rotation_period:number"
        " orbital_period_days=orbital_period:number climate gravity terrain surface_water_pct=surface_water:number"
        " population:number",
    ),
    "films": ("films", "film", "episode=episode_id:number release_date opening_crawl"),
    "species": (
        "species",
        "species",
        "classification designation average_height_cm=average_height:number"
        " average_lifespan_years=average_lifespan:number language eye_colors hair_colors skin_colors",
    ),
    "starships": (
        "starships",
        "ship",
        f"model starship_class length_m=length:number {SHIP} hyperdrive_rating:number mglt=MGLT:number consumables",
    ),
    "vehicles": ("vehicles", "veh", f"model vehicle_class length_m=length:number {SHIP} consumables"),
}
PREFIXES = {part: prefix for part, prefix, _ in NODES.values()}


def read(package: Path) -> dict[str, dict[str, Row]]:
    """Return the records of the package by part and number."""
    path = next(package.rglob("cachedData/cache.js"), None)
    if path is None:
        raise SystemExit(f"no cachedData/cache.js in {package}: is this {PACKAGE}, unpacked?")
    _, _, module = path.read_text(encoding="utf-8").partition("var data=")
    answers, _ = json.JSONDecoder().raw_decode(module)
    found: dict[str, dict[str, Row]] = {}
    for address, answer in answers.items():
        record = re.fullmatch(r".+/api/(\w+)/(\d+)/", address)
        if record:  # the others are pages of lists
            found.setdefault(record[1], {})[record[2]] = json.loads(answer)
    return found


def columns(spec: str) -> Iterator[tuple[str, str, Callable[[Any], Any]]]:
    """Yield the new and the old name and the reader of each column."""
    for part in spec.split():
        names, _, reader = part.partition(":")
        new, _, old = names.partition("=")
        yield new, old or new, READERS[reader or "text"]


def node_tables(raw: dict[str, dict[str, Row]]) -> Tables:
    """Return the tables of nodes, without the planet whose name is not known."""
    tables: Tables = {}
    for key, (part, prefix, spec) in NODES.items():
        rows: list[list[Any]] = []
        for identity, row in sorted(raw[part].items(), key=lambda pair: int(pair[0])):
            name = text(row.get("name") or row.get("title"))
            if name:
                values = (reader(row.get(old, "")) for _, old, reader in columns(spec))
                rows.append([f"{prefix}_{identity}", name, *values])
        names = ["id", "name", *(new for new, _, _ in columns(spec))]
        tables[f"nodes_{key}"] = pd.DataFrame(rows, columns=names, dtype=object)
    return tables


def makers(names: str) -> Iterator[str]:
    """Yield the manufacturers in a list of them."""
    for part in re.sub(r",\s*(Inc\b\.?|Incorporated)", r" \1", names.replace("/", ", ")).split(","):
        name = re.sub(r" (Inc\.?|Incorporated)$", "", re.sub(r"\s+", " ", part).strip())
        if name and name not in BLANK:
            yield SPELLED.get(name, name)


def links(raw: dict[str, dict[str, Row]]) -> Iterator[tuple[str, str, str]]:
    """Yield the edges between records: an id, a relation, and the address of the other end."""
    for key, row in raw["people"].items():
        yield f"char_{key}", "HOMEWORLD", row["homeworld"]
        for relation, fields in (
            ("IS_SPECIES", ["species"]),
            ("APPEARS_IN", ["films"]),
            ("PILOTS", ["starships", "vehicles"]),
        ):
            for field in fields:
                yield from ((f"char_{key}", relation, address) for address in row.get(field, ()))
    for key, row in raw["species"].items():
        yield f"species_{key}", "NATIVE_TO", row["homeworld"]
    for part in ("species", "starships", "vehicles"):
        for key, row in raw[part].items():
            yield from ((f"{PREFIXES[part]}_{key}", "APPEARS_IN", address) for address in row["films"])
    for key, row in raw["films"].items():
        yield from ((f"film_{key}", "SHOWS_PLANET", address) for address in row["planets"])


def makers_of(raw: dict[str, dict[str, Row]]) -> Iterator[tuple[str, str, str, int]]:
    """Yield the edges to manufacturers and film makers: an id, a relation, a name, and its place in the list."""
    for part in ("starships", "vehicles"):
        for key, row in raw[part].items():
            for place, name in enumerate(makers(row["manufacturer"]), 1):
                yield f"{PREFIXES[part]}_{key}", "MANUFACTURED_BY", name, place
    for key, row in raw["films"].items():
        for relation, field in (("DIRECTED_BY", "director"), ("PRODUCED_BY", "producer")):
            for place, name in enumerate(row[field].split(","), 1):
                yield f"film_{key}", relation, name.strip().replace("Gary Kutz", "Gary Kurtz"), place


def galaxy(package: Path) -> Tables:
    """Return the tables of Star Wars."""
    raw = read(package)
    tables = node_tables(raw)
    known = {node for table in tables.values() for node in table["id"]}
    rows: list[tuple[Any, ...]] = []
    for source, relation, address in links(raw):
        found = re.search(r"/(\w+)/(\w+)/$", address or "")
        target = f"{PREFIXES[found[1]]}_{found[2]}" if found else ""
        if target in known:
            rows.append((source, relation, target, None))
    makes: dict[str, str] = {}
    people: dict[str, str] = {}
    for source, relation, name, place in makers_of(raw):
        nodes, prefix = (makes, "mfr") if relation == "MANUFACTURED_BY" else (people, "person")
        rows.append((source, relation, nodes.setdefault(name, f"{prefix}_{len(nodes) + 1}"), place))
    for key, nodes in (("manufacturers", makes), ("filmmakers", people)):
        tables[f"nodes_{key}"] = pd.DataFrame([(node, name) for name, node in nodes.items()], columns=["id", "name"])
    edges = pd.DataFrame(rows, columns=EDGE_COLUMNS).astype({"credit_order": "Int64"})
    edges = edges.drop_duplicates(EDGE_COLUMNS[:3]).sort_values(["relation", "source", "target"])
    return tables | {"edges": edges}


def value(table: pd.DataFrame, name: str, column: str) -> str:
    """Return the value of the only row with a name."""
    (found,) = table.loc[table["name"] == name, column].dropna()
    return str(int(found)) if isinstance(found, float) and found.is_integer() else str(found)


def top(table: pd.DataFrame, column: str) -> list[str]:
    """Return who alone has the largest value of a column."""
    (found,) = table.loc[table[column] == table[column].max(), "name"]
    return [found]


def day(value: str) -> list[str]:
    """Return a day in three ways of writing it."""
    found = pd.Timestamp(value)
    return [value, f"{found.day} {found:%B} {found.year}", f"{found:%B} {found.day}, {found.year}"]


def scope(tables: Tables) -> dict[str, Any]:
    """Return what the expressions of the answers can use: the tables of nodes, and ways along the edges."""
    nodes = {key.removeprefix("nodes_"): table for key, table in tables.items() if key != "edges"}
    edges = tables["edges"]
    labels = {node: name for table in nodes.values() for node, name in zip(table["id"], table["name"], strict=True)}
    kinds = {node: kind for kind, table in nodes.items() for node in table["id"]}

    def ids(names: str | Iterable[str]) -> set[str]:
        """Return the ids of the node with a name, or the ids that are given."""
        if not isinstance(names, str):
            return set(names)
        (found,) = (node for node, name in labels.items() if name == names)
        return {found}

    def along(known: str, wanted: str, names: str | Iterable[str], relation: str, kind: str = "") -> set[str]:
        """Return the other ends of the edges of a relation, all or those of a kind."""
        found = edges.loc[edges[known].isin(ids(names)) & (edges.relation == relation), wanted]
        return {node for node in found if kind in ("", kinds[node])}

    def more(first: str, second: str, kind: str, column: str) -> list[str]:
        """Return which of two has the larger value of a column."""
        one, two = (float(value(nodes[kind], name, column)) for name in (first, second))
        return larger(first, second, one, two)

    def count(kind: str, condition: str) -> int:
        """Return how many rows of a table fulfil a condition."""
        return len(nodes[kind].query(condition))

    functions = (value, top, day, more, count, ids)
    return (
        nodes
        | {function.__name__: function for function in functions}
        | {
            "leads_to": partial(along, "source", "target"),
            "ends_in": partial(along, "target", "source"),
            "listed": lambda found: listed((labels.get(node, node) for node in found), most=40),
        }
    )


def main() -> None:
    """Write the set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--swapi", type=Path, help="an unpacked swapi-graphql")
    options = parser.parse_args()
    tables = galaxy(options.swapi or fetched(options.work, PACKAGE))
    written = as_written(tables, keep_default_na=False, na_values=[""])
    lines = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    save(options.work / "starwars", tables, questions(lines, scope(written)))


if __name__ == "__main__":
    main()
