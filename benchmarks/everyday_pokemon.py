"""Make a set for `everyday.py` out of public data: Pokémon with their forms, moves, abilities, items, types, natures.

    python benchmarks/everyday_pokemon.py WORK [--dex UNPACKED]

Writes WORK/pokemon, a folder with tables of nodes and of edges whose headers are those of Neo4j's import (`:ID`,
`:LABEL`, `:START_ID`, `:TYPE`, `:END_ID`), and `questions.jsonl`, out of the questions in `everyday_pokemon.txt`. The
set «monsters» of `everyday_monsters.py` is about the same games: it has one table of nodes and one of edges, no forms
and no natures, regions and colours in their place, and other questions.

There are the 1,025 species, their mega, primal and regional forms, moves that are neither Z-moves nor max moves,
abilities, items of released games, types (without Stellar), natures, and moves learned by level in the latest
generation where a species has any.

The data come with @pkmn/dex (MIT), a package of npm. It is fetched with `npm pack` unless a path to the unpacked
package is given. The data are modules of JavaScript, and `node` reads them, so Node.js is needed; nothing is installed.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from everyday_gold import Row, as_written, larger, listed, questions
from everyday_monsters import fetched, program
from everyday_sets import Tables, save

PACKAGE = "@pkmn/dex@0.10.11"
SCRIPT = """
const {Dex} = require(process.argv[1]);
const dex = Dex.forGen(9);
const all = part => Object.keys(dex.data[part[0].toUpperCase() + part.slice(1)]).map(id => ({...dex[part].get(id)}));
(async () => {
  const out = {learnsets: {}};
  for (const part of ['species', 'moves', 'abilities', 'items', 'types', 'natures']) out[part] = all(part);
  for (const {id} of out.species) {
    const found = await dex.learnsets.get(id);
    if (found && found.learnset) out.learnsets[id] = found.learnset;
  }
  process.stdout.write(JSON.stringify(out));
})();
"""
FORMS = ("", "Mega", "Mega-X", "Mega-Y", "Primal", "Alola", "Galar", "Hisui", "Paldea")
STATS = {"atk": "Attack", "def": "Defense", "spa": "Special Attack", "spd": "Special Defense", "spe": "Speed"}
EFFECTS = {1: "SUPER_EFFECTIVE_AGAINST", 2: "NOT_VERY_EFFECTIVE_AGAINST", 3: "NO_EFFECT_ON"}
LABELS = {
    "pokemon": "Pokemon",
    "moves": "Move",
    "abilities": "Ability",
    "items": "Item",
    "types": "Type",
    "natures": "Nature",
    "egg_groups": "EggGroup",
}
Edges = Iterator[tuple[str, str, str, Row]]


def read(package: Path) -> dict[str, Any]:
    """Return the data of the package by part, without what is in no released game."""
    path = next((path for path in package.rglob("build/index.js")), None)
    if path is None:
        raise SystemExit(f"no build/index.js in {package}: is this {PACKAGE}, unpacked?")
    command = [program("node"), "-e", SCRIPT, str(path.resolve())]
    raw: dict[str, Any] = json.loads(
        subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout
    )
    for part in ("species", "moves", "abilities", "items"):
        raw[part] = [row for row in raw[part] if row.get("isNonstandard") in (None, "Past")]
    for part in ("species", "abilities", "items"):
        raw[part] = [row for row in raw[part] if row["num"] > 0]
    raw["species"] = [row for row in raw["species"] if row["forme"] in FORMS and not row.get("isCosmeticForme")]
    # Hidden Power is one move, and listed once more for each type that it may have.
    raw["moves"] = [
        row
        for row in raw["moves"]
        if not (row.get("isZ") or row.get("isMax") or re.fullmatch("Hidden Power .+", row["name"]))
    ]
    raw["types"] = [row for row in raw["types"] if row["name"] != "Stellar"]
    return raw


def key(kind: str, name: str) -> str:
    """Return the id of the node of a kind with a name."""
    return f"{kind}-{re.sub(r'[^a-z0-9]', '', name.lower().replace('é', 'e'))}"


def egg(group: str) -> str:
    """Return the id of an egg group."""
    return f"egg-{group.lower().replace(' ', '')}"


def male(species: Row) -> float | None:
    """Return the share of males, none where there is no gender."""
    gender = species.get("gender")
    if gender:
        return {"M": 1.0, "F": 0.0, "N": None}[gender]
    return float((species.get("genderRatio") or {"M": 0.5})["M"])


def creature(row: Row) -> Row:
    """Return the node of a species or of a form."""
    stats = {name.lower().replace(" ", "_"): row["baseStats"][stat] for stat, name in STATS.items()}
    return {
        ":ID": f"pokemon-{row['id']}",
        "name": row["name"],
        "dex_number": row["num"],
        "generation": row["gen"],
        "weight_kg": row["weightkg"],
        "hp": row["baseStats"]["hp"],
        **stats,
        "base_stat_total": row["bst"],
        "male_ratio": male(row),
        "tags:string[]": ";".join(row["tags"]),
    }


def move(row: Row) -> Row:
    """Return the node of a move."""
    return {
        ":ID": f"move-{row['id']}",
        "name": row["name"],
        "category": row["category"],
        "power": row["basePower"] or None,
        "accuracy": None if row["accuracy"] is True else row["accuracy"],  # it cannot miss
        "pp": row["pp"],
        "priority": row["priority"],
        "generation": row["gen"],
        "description": row["shortDesc"] or row["desc"],
    }


def item(row: Row) -> Row:
    """Return the node of an item."""
    return {
        ":ID": f"item-{row['id']}",
        "name": row["name"],
        "is_berry": "true" if row.get("isBerry") else "false",
        "generation": row["gen"],
        "fling_power": (row.get("fling") or {}).get("basePower"),
        "description": row["shortDesc"],
    }


def ability(row: Row) -> Row:
    """Return the node of an ability."""
    start = {":ID": f"ability-{row['id']}", "name": row["name"]}
    return start | {"generation": row["gen"], "description": row["shortDesc"]}


def nature(row: Row) -> Row:
    """Return the node of a nature, with the values that it raises and lowers."""
    start = {":ID": f"nature-{row['id']}", "name": row["name"]}
    return start | {"raises": STATS.get(row.get("plus", "")), "lowers": STATS.get(row.get("minus", ""))}


def node_rows(raw: dict[str, Any]) -> dict[str, list[Row]]:
    """Return the nodes by table."""
    groups = sorted({group for row in raw["species"] for group in row["eggGroups"]})
    return {
        "pokemon": [creature(row) for row in raw["species"]],
        "moves": [move(row) for row in raw["moves"]],
        "abilities": [ability(row) for row in raw["abilities"]],
        "items": [item(row) for row in raw["items"]],
        "types": [{":ID": f"type-{row['id']}", "name": row["name"]} for row in raw["types"]],
        "natures": [nature(row) for row in raw["natures"]],
        "egg_groups": [{":ID": egg(group), "name": group} for group in groups],
    }


def types(raw: dict[str, Any]) -> Edges:
    """Yield the types of Pokémon and of moves."""
    for row in raw["species"]:
        for name in row["types"]:
            yield f"pokemon-{row['id']}", "HAS_TYPE", key("type", name), {}
    for row in raw["moves"]:
        yield f"move-{row['id']}", "HAS_TYPE", key("type", row["type"]), {}


def abilities(raw: dict[str, Any]) -> Edges:
    """Yield the abilities of Pokémon."""
    for row in raw["species"]:
        for slot, name in row["abilities"].items():
            relation = "HAS_HIDDEN_ABILITY" if slot == "H" else "HAS_ABILITY"
            yield f"pokemon-{row['id']}", relation, key("ability", name), {}


def evolutions(raw: dict[str, Any]) -> Edges:
    """Yield what Pokémon evolve from, and the items that they need for it."""
    for row in raw["species"]:
        if row.get("prevo"):
            how = {"min_level": "evoLevel", "trigger": "evoType", "condition": "evoCondition"}
            more = {name: row.get(field) for name, field in how.items()}
            yield f"pokemon-{row['id']}", "EVOLVES_FROM", key("pokemon", row["prevo"]), more
    for row in raw["species"]:
        if row.get("evoItem"):
            yield f"pokemon-{row['id']}", "EVOLVES_WITH", key("item", row["evoItem"]), {}


def egg_groups(raw: dict[str, Any]) -> Edges:
    """Yield the egg groups of Pokémon."""
    for row in raw["species"]:
        for group in row["eggGroups"]:
            yield f"pokemon-{row['id']}", "IN_EGG_GROUP", egg(group), {}


def forms(raw: dict[str, Any]) -> Edges:
    """Yield the species of forms, and the items that they need."""
    found = [row for row in raw["species"] if row["forme"]]
    for row in found:
        yield f"pokemon-{row['id']}", "FORM_OF", key("pokemon", row["baseSpecies"]), {}
    for row in found:
        if row.get("requiredItem"):
            yield f"pokemon-{row['id']}", "REQUIRES_ITEM", key("item", row["requiredItem"]), {}


def matchups(raw: dict[str, Any]) -> Edges:
    """Yield which types are strong or weak against which."""
    for row in raw["types"]:
        for attacker, code in row["damageTaken"].items():
            if code in EFFECTS:
                yield key("type", attacker), EFFECTS[code], f"type-{row['id']}", {}


def learns(raw: dict[str, Any]) -> Edges:
    """Yield the moves that Pokémon learn by level, in the latest generation where they learn any."""
    for row in raw["species"]:
        levels: dict[int, list[tuple[str, int]]] = {}
        for name, codes in raw["learnsets"].get(row["id"], {}).items():
            for code in codes:  # such as 9L24: in generation 9, at level 24
                found = re.fullmatch(r"(\d)L(\d+)", code)
                if found:
                    levels.setdefault(int(found[1]), []).append((name, int(found[2])))
        for name, level in levels[max(levels)] if levels else ():
            yield f"pokemon-{row['id']}", "LEARNS", f"move-{name}", {"level": level}


def dex(package: Path) -> Tables:
    """Return the tables of the games."""
    raw = read(package)
    tables: Tables = {}
    for part, rows in node_rows(raw).items():
        table = pd.DataFrame(rows)
        table.insert(2, ":LABEL", LABELS[part])
        tables[f"nodes-{part}"] = table
    known = {node for table in tables.values() for node in table[":ID"]}
    for edges in (types, abilities, evolutions, egg_groups, forms, matchups, learns):
        tables[f"edges-{edges.__name__}"] = pd.DataFrame(
            [
                {":START_ID": start, ":TYPE": relation, ":END_ID": end, **more}
                for start, relation, end, more in edges(raw)
                if start in known and end in known  # the rest is of what was left out
            ]
        )
    return tables


def value(table: pd.DataFrame, name: str, column: str) -> str:
    """Return the value of the only row with a name."""
    (found,) = table.loc[table["name"] == name, column].dropna()
    return f"{found:g}" if isinstance(found, float) else str(found)


def number(table: pd.DataFrame, name: str, column: str) -> float:
    """Return the number of the only row with a name."""
    return float(value(table, name, column))


def top(table: pd.DataFrame, column: str) -> list[str]:
    """Return who alone has the largest value of a column."""
    (found,) = table.loc[table[column] == table[column].max(), "name"]
    return [found]


def scope(tables: Tables) -> dict[str, Any]:
    """Return what the expressions of the answers can use: the tables of nodes, and ways along the edges."""
    nodes = {
        key.removeprefix("nodes-"): table.rename(columns={":ID": "id", "tags:string[]": "tags"})
        for key, table in tables.items()
        if key.startswith("nodes-")
    }
    edges = pd.concat(table for key, table in tables.items() if key.startswith("edges-"))
    labels = {node: name for table in nodes.values() for node, name in zip(table["id"], table["name"], strict=True)}
    parts = {label.lower(): nodes[part] for part, label in LABELS.items()}
    pokemon = parts["pokemon"]
    tags = pokemon.set_index("id")["tags"].fillna("").str.split(";")

    def id_of(kind: str, name: str) -> str:
        """Return the id of the only node of a kind with a name, in upper or lower case."""
        (found,) = parts[kind].loc[parts[kind]["name"].str.casefold() == name.casefold(), "id"]
        return str(found)

    def along(relation: str, ids: str | Iterable[str], known: str, wanted: str) -> set[str]:
        chosen = edges[known].isin([ids] if isinstance(ids, str) else list(ids))
        return set(edges.loc[chosen & (edges[":TYPE"] == relation), wanted])

    def leads_to(ids: str | Iterable[str], relation: str) -> set[str]:
        """Return where the edges of a relation go from some nodes."""
        return along(relation, ids, ":START_ID", ":END_ID")

    def ends_in(ids: str | Iterable[str], relation: str, start: str = "") -> set[str]:
        """Return where the edges of a relation to some nodes come from, of the ids that start so."""
        return {node for node in along(relation, ids, ":END_ID", ":START_ID") if node.startswith(start)}

    def of_type(*names: str) -> set[str]:
        """Return the Pokémon that have all of these types."""
        return set.intersection(*(ends_in(id_of("type", name), "HAS_TYPE", "pokemon-") for name in names))

    def where(table: pd.DataFrame, mask: Any) -> set[str]:
        return set(table.loc[mask, "id"])

    def more(first: str, second: str, column: str, table: pd.DataFrame = pokemon) -> list[str]:
        """Return which of two has the larger value of a column."""
        return larger(first, second, number(table, first, column), number(table, second, column))

    functions = (value, number, top, id_of, leads_to, ends_in, of_type, where, more)
    typed = edges[(edges[":TYPE"] == "HAS_TYPE") & edges[":START_ID"].str.startswith("pokemon-")]
    return (
        parts
        | {function.__name__: function for function in functions}
        | {
            "labels": labels,
            "listed": lambda ids: listed(labels.get(node, node) for node in ids),
            "pokemon_id": partial(id_of, "pokemon"),
            "type_id": partial(id_of, "type"),
            "ultra": {node for node, found in tags.items() if "Ultra Beast" in found},
            "counts": typed.groupby(":END_ID").size(),
        }
    )


def main() -> None:
    """Write the set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--dex", type=Path, help="an unpacked @pkmn/dex")
    options = parser.parse_args()
    tables = dex(options.dex or fetched(options.work, PACKAGE))
    text = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    save(options.work / "pokemon", tables, questions(text, scope(as_written(tables))))


if __name__ == "__main__":
    main()
