"""Makes a fourth set for `benchmarks/everyday.py` out of public data: the creatures of the Pokémon games.

    python benchmarks/everyday_monsters.py WORK [--monsters UNPACKED]

Writes WORK/monsters, a folder like those that `everyday_sets.py` makes, but with one table of nodes and one of edges,
out of the questions in `everyday_monsters.txt`. There are four of each of 15 kinds, and they are written in four rounds
of one of each kind, so that the odd and the even lines have two of each.

The data come with pokemon-showdown (MIT), a package of npm. It is fetched with `npm pack` unless a path to the unpacked
package is given. The data are modules of JavaScript, and `node` reads them, so Node.js is needed; nothing is installed.
"""

from __future__ import annotations

import argparse
import itertools
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from everyday_sets import Tables, best, golds, of, save, texts

Row = dict[str, Any]

PACKAGE = "pokemon-showdown@0.11.11"
PARTS = {
    "pokedex": "Pokedex",
    "moves": "Moves",
    "abilities": "Abilities",
    "items": "Items",
    "typechart": "TypeChart",
    "learnsets": "Learnsets",
    "text/moves": "MovesText",
    "text/abilities": "AbilitiesText",
    "text/items": "ItemsText",
}
SCRIPT = """
const [folder, parts] = process.argv.slice(1);
const read = ([part, name]) => [part, require(`${folder}/${part}`)[name]];
console.log(JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(parts)).map(read))));
"""
NODE_COLUMNS = (
    "id type name number height_m weight_kg color hp attack defense special_attack special_defense speed legendary"
    " mythical power accuracy pp damage_class berry generation description"
).split()
EDGE_COLUMNS = "source relation target level method hidden".split()
STATS = {"hp": "hp", "atk": "attack", "def": "defense"}
STATS |= {"spa": "special_attack", "spd": "special_defense", "spe": "speed"}
REGIONS = {  # the last number and the generation
    "Kanto": (151, 1),
    "Johto": (251, 2),
    "Hoenn": (386, 3),
    "Sinnoh": (493, 4),
    "Unova": (649, 5),
    "Kalos": (721, 6),
    "Alola": (809, 7),
    "Galar": (898, 8),
    "Hisui": (905, 8),
    "Paldea": (1025, 9),
}
EFFECTS = {1: "SUPER_EFFECTIVE_AGAINST", 2: "NOT_VERY_EFFECTIVE_AGAINST", 3: "NO_EFFECT_ON"}
EVOLUTIONS = {
    "useItem": "item",
    "trade": "trade",
    "levelFriendship": "friendship",
    "levelMove": "level-up knowing a move",
    "levelHold": "level-up holding an item",
    "other": "other",
}
LEFT_OUT = {"CAP", "Future", "LGPE"}  # not in the games, not yet, and in some of them only
LESSONS = {"L": "level-up", "M": "machine", "E": "egg", "T": "tutor"}
NAMES = {"Nidoran-F": "Nidoran♀", "Nidoran-M": "Nidoran♂"}


def program(name: str) -> str:
    """Return the path of a program of Node.js."""
    found = shutil.which(name)
    if found is None:
        raise SystemExit(f"`{name}` is not on the PATH: install Node.js, which fetches and reads packages of npm")
    return found


def fetched(work: Path, package: str = PACKAGE) -> Path:
    """Fetch a package of npm, given with its version, and return the folder with its files."""
    folder = work / "packages" / package.rpartition("@")[0].strip("@").replace("/", "-")
    if not (folder / "package").exists():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([program("npm"), "pack", package, "--silent", "--pack-destination", str(folder)], check=True)
        shutil.unpack_archive(next(folder.glob("*.tgz")), folder)
    return folder


def read(package: Path) -> dict[str, Any]:
    """Return the data of the package by part: creatures, moves, abilities, items and types by key, and their texts."""
    folder = next(package.rglob("dist/data/pokedex.js"), None)
    if folder is None:
        raise SystemExit(f"no dist/data/pokedex.js in {package}: is this {PACKAGE}, unpacked?")
    command = [program("node"), "-e", SCRIPT, str(folder.parent.resolve()), json.dumps(PARTS)]
    text = subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout
    found: dict[str, Any] = json.loads(text)
    found["typechart"].pop("stellar")
    found["pokedex"] = {key: row for key, row in found["pokedex"].items() if row.get("num", 1) > 0}
    for part in ("moves", "abilities", "items"):
        found[part] = {
            key: row
            for key, row in found[part].items()
            if row.get("num", 0) > 0
            and row.get("isNonstandard") not in LEFT_OUT
            and not (row.get("isZ") or row.get("isMax"))
            and not re.match("hiddenpower.", key)
        }
    return found


def key_of(name: str) -> str:
    """Return the key of a name."""
    return re.sub(r"[^a-z0-9]+", "", name.lower())


def creatures(data: dict[str, Any]) -> dict[str, Row]:
    """Return the creatures in the order of their numbers, without their other forms."""
    kept = {key: row for key, row in data["pokedex"].items() if not row.get("forme")}
    return dict(sorted(kept.items(), key=lambda pair: int(pair[1]["num"])))


def species(data: dict[str, Any]) -> dict[str, str]:
    """Return the key of the creature that each name stands for, those of other forms too."""
    return {row["name"]: key_of(row.get("baseSpecies") or row["name"]) for row in data["pokedex"].values()}


def description(text: Row) -> str | None:
    """Return what a move, an ability or an item does."""
    return text.get("desc") or text.get("shortDesc") or None


def node_rows(data: dict[str, Any]) -> Iterator[Row]:
    """Yield the nodes."""
    for kind in data["typechart"]:
        yield {"id": f"type:{kind}", "type": "Type", "name": kind.capitalize()}
    for name, (_, generation) in REGIONS.items():
        yield {"id": f"region:{key_of(name)}", "type": "Region", "name": name, "generation": generation}
    for name in sorted({name for row in creatures(data).values() for name in row["eggGroups"]}):
        yield {"id": f"egg:{key_of(name)}", "type": "EggGroup", "name": name}
    for key, row in data["moves"].items():
        text, fixed = data["text/moves"].get(key, {}), row["category"] != "Status" and row["basePower"] > 1
        yield {
            "id": f"move:{key}",
            "type": "Move",
            "name": text.get("name") or row["name"],
            "power": row["basePower"] if fixed else None,
            "accuracy": None if row["accuracy"] is True else row["accuracy"],  # it cannot miss
            "pp": row["pp"],
            "damage_class": row["category"].lower(),
            "description": description(text),
        }
    for key, row in data["abilities"].items():
        text = description(data["text/abilities"].get(key, {}))
        yield {"id": f"ability:{key}", "type": "Ability", "name": row["name"], "description": text}
    for key, row in data["items"].items():
        text = description(data["text/items"].get(key, {}))
        more = {"berry": bool(row.get("isBerry")), "generation": row.get("gen"), "description": text}
        yield {"id": f"item:{key}", "type": "Item", "name": row["name"]} | more
    for key, row in creatures(data).items():
        tags = set(row.get("tags", ()))
        yield {
            "id": f"pokemon:{key}",
            "type": "Pokemon",
            "name": NAMES.get(row["name"], row["name"]),
            "number": row["num"],
            "height_m": row["heightm"],
            "weight_kg": row["weightkg"],
            "color": row["color"].lower(),
            **{name: row["baseStats"][stat] for stat, name in STATS.items()},
            "legendary": bool(tags & {"Sub-Legendary", "Restricted Legendary"}),
            "mythical": "Mythical" in tags,
        }


def edge(source: str, relation: str, target: str, **more: Any) -> Row:
    """Return a row of the table of edges."""
    return {"source": source, "relation": relation, "target": target} | more


def lessons(data: dict[str, Any], key: str) -> Iterator[Row]:
    """Yield the moves that a creature learns, in the last generation where it learns any by level or machine."""
    moves = data["learnsets"].get(key, {}).get("learnset", {})
    last = max((int(code[0]) for codes in moves.values() for code in codes if code[1] in "LM"), default=0)
    for move in filter(data["moves"].__contains__, moves):
        ways: dict[tuple[str, int | None], None] = {}
        for code in moves[move]:  # such as 9L24: in generation 9, at level 24
            if int(code[0]) == last and code[1] in LESSONS:
                level = int(code[2:]) if code[1] == "L" and code[2:] else None
                ways["evolution" if level == 0 else LESSONS[code[1]], level or None] = None
        for method, level in ways:
            yield edge(f"pokemon:{key}", "LEARNS", f"move:{move}", method=method, level=level)


def creature_edges(data: dict[str, Any], key: str, row: Row) -> Iterator[Row]:
    """Yield the edges of a creature."""
    abilities, items = ({row["name"]: key for key, row in data[part].items()} for part in ("abilities", "items"))
    node = f"pokemon:{key}"
    for kind in row["types"]:
        yield edge(node, "HAS_TYPE", f"type:{kind.lower()}")
    for slot, name in row["abilities"].items():
        if slot in "01H" and name in abilities:
            yield edge(node, "HAS_ABILITY", f"ability:{abilities[name]}", hidden=slot == "H")
    for name in row["eggGroups"]:
        yield edge(node, "IN_EGG_GROUP", f"egg:{key_of(name)}")
    region = next(name for name, (last, _) in REGIONS.items() if row["num"] <= last)
    yield edge(node, "NATIVE_TO", f"region:{key_of(region)}")
    if row.get("prevo"):
        method, former = EVOLUTIONS.get(row.get("evoType", ""), "level-up"), species(data)[row["prevo"]]
        yield edge(f"pokemon:{former}", "EVOLVES_INTO", node, level=row.get("evoLevel"), method=method)
        if row.get("evoItem") in items:
            yield edge(node, "EVOLVES_WITH", f"item:{items[row['evoItem']]}")
    yield from lessons(data, key)


def edge_rows(data: dict[str, Any]) -> Iterator[Row]:
    """Yield the edges."""
    for key, row in data["moves"].items():
        yield edge(f"move:{key}", "MOVE_TYPE", f"type:{row['type'].lower()}")
    for key, row in creatures(data).items():
        yield from creature_edges(data, key, row)
    known = species(data)
    for key, row in data["items"].items():
        for user in sorted({known[name] for name in row.get("itemUser", ()) if name in known}):
            yield edge(f"item:{key}", "MADE_FOR", f"pokemon:{user}")
    for target, row in data["typechart"].items():
        for source in data["typechart"]:
            effect = row["damageTaken"][source.capitalize()]
            if effect:
                yield edge(f"type:{source}", EFFECTS[effect], f"type:{target}")


def parts_of(nodes: pd.DataFrame, edges: pd.DataFrame) -> Tables:
    """Return one table per kind of nodes and per relation, each with the columns that it has values in."""
    groups = {f"nodes_{kind}": table for kind, table in nodes.groupby(nodes.id.str.partition(":")[0])}
    groups |= {f"edges_{name.lower()}": table for name, table in edges.groupby("relation")}
    return {
        key: table.drop(columns="type" if key[0] == "n" else "relation").dropna(axis=1, how="all").convert_dtypes()
        for key, table in groups.items()
    }


def value(view: pd.DataFrame, condition: str, column: str) -> float:
    """Return the number in the only row that fulfils a condition."""
    (found,) = view.query(condition)[column]
    return float(found)


def top(view: pd.DataFrame, column: str, name: str = "name") -> str:
    """Return who alone has the largest value of a column."""
    (found,) = best(view, column, name)
    return found


def facts(view: pd.DataFrame, condition: str, columns: str) -> list[str]:
    """Return the values of some columns, one column after another, in the rows that fulfil a condition."""
    return [fact for column in columns.split() for fact in sorted(of(view, condition, column))]


def compared(gold: Any) -> tuple[list[str], str]:
    """Return gold answers as texts, and how an answer is compared with them: the type of the gold answers says that."""
    if isinstance(gold, bool):
        return texts(gold), "yesno"
    if isinstance(gold, str):
        return [gold], "any"
    if isinstance(gold, list):
        return gold, "card"
    if isinstance(gold, set | tuple):
        return texts(gold), "set" if gold else "refuse"
    return texts(round(float(gold), 2)), "number"


def questions(text: str, tables: Tables) -> list[Row]:
    """Return the questions with their answers, in rounds of one of each kind."""
    rows: list[Row] = []
    for kind, question, gold in golds(text, tables, value=value, top=top, facts=facts):
        answers, compare = compared(gold)
        rows.append({"question": question, "answers": answers, "compare": compare, "kind": kind})
    kinds = [list(group) for _, group in itertools.groupby(rows, key=lambda row: str(row["kind"]))]
    return [row for turn in zip(*kinds, strict=True) for row in turn]


def main() -> None:
    """Write the set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--monsters", type=Path, help="an unpacked pokemon-showdown")
    options = parser.parse_args()
    data = read(options.monsters or fetched(options.work))
    nodes = pd.DataFrame(list(node_rows(data)), columns=NODE_COLUMNS, dtype=object)
    nodes = nodes.astype(dict.fromkeys(("legendary", "mythical", "berry"), "boolean"))
    edges = pd.DataFrame(list(edge_rows(data)), columns=EDGE_COLUMNS, dtype=object).astype({"hidden": "boolean"})
    text = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    rows = questions(text, parts_of(nodes, edges))
    save(options.work / "monsters", {"nodes": nodes, "edges": edges}, rows)


if __name__ == "__main__":
    main()
