"""Make a set for `everyday.py` out of public data: the items, blocks and creatures of the game Minecraft.

    python benchmarks/everyday_minecraft.py WORK [--packages FOLDER]

Writes WORK/minecraft, a folder with a table of nodes per type, a table of edges per relation, and `questions.jsonl`,
out of the questions in `everyday_minecraft.txt`. There are items, with what they are worth as food, how long they last
and what mends them, the recipes that make them with how many of what they need, blocks with their materials, the tools
that a block needs and those that are fast on a material, what blocks and entities drop and with what chance,
enchantments with the items that can have them and those that exclude each other, and biomes with their dimensions.

The data come with a package of npm, minecraft-data (MIT), which is fetched with `npm pack` unless a folder is given
that has it unpacked in `packages/minecraft-data`. It is version 1.20 of the edition for Java, the last one that has a
file of its own for all that is used. Columns have the names and values that they have there, but `name` is the
`displayName` and the ids have the `name`, `stackSizeMin` and `stackSizeMax` are the two ends of `stackSizeRange`,
`desc` is the line that the game shows below the name of an item, `quantity` counts how often a recipe has an
ingredient, and a recipe, which has no name there, is named after what it makes. Needs pandas and npm.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

import pandas as pd

from everyday_gold import Row, as_written, questions, tables_and_ends, with_known_ends
from everyday_sets import Tables, save, unpacked_from_npm

PACKAGE = "minecraft-data@3.119.0"
DATA = "minecraft-data/data/pc/1.20"
ITEM = "stackSize maxDurability"
FOOD = "foodPoints saturation effectiveQuality saturationRatio"
BLOCK = "hardness resistance stackSize diggable transparent emitLight filterLight boundingBox"
ENTITY = "width height type category"
ENCHANTMENT = "category maxLevel weight treasureOnly curse tradeable discoverable"
BIOME = "category temperature has_precipitation color"
DROP = {"silkTouch": False, "noSilkTouch": False, "playerKill": False, "blockAge": None}


def nodes(kind: str, rows: list[Row], columns: str) -> pd.DataFrame:
    """Return a table of nodes of a kind with some columns, none where a row has none."""
    label = kind.title()
    return pd.DataFrame(
        [
            {"id": f"{kind}-{row['name']}", "label": label, "name": row.get("displayName", row["name"])}
            | {column: row.get(column) for column in columns.split()}
            for row in rows
        ]
    ).convert_dtypes()


def edges(kind: str, rows: list[Row]) -> pd.DataFrame:
    """Return a table of edges of a kind."""
    return pd.DataFrame([{"start": row["start"], "end": row["end"], "type": kind} | row for row in rows])


def recipes(raw: Row, item: dict[int, Row]) -> Tables:
    """Return the tables of recipes, what they make and what they need."""
    recipe, makes, needs = [], [], []
    for key, every in raw["recipes"].items():
        made = item[int(key)]
        for number, row in enumerate(every, 1):
            short = f"{made['name']}-{number}"
            name = f"{made['displayName']} recipe" + (f" {number}" if len(every) > 1 else "")
            recipe.append({"name": short, "displayName": name, "shaped": "inShape" in row})
            count = {"count": row["result"]["count"]}
            makes.append({"start": f"recipe-{short}", "end": f"item-{made['name']}"} | count)
            cells = [cell for line in row["inShape"] for cell in line] if "inShape" in row else row["ingredients"]
            for part, quantity in Counter(cell for cell in cells if cell is not None).items():
                ends = {"start": f"recipe-{short}", "end": f"item-{item[part]['name']}"}
                needs.append(ends | {"quantity": quantity})
    return {
        "nodes_recipe": nodes("recipe", recipe, "shaped"),
        "edges_makes": edges("MAKES", makes),
        "edges_needs": edges("NEEDS", needs),
    }


def blocks(raw: Row, item: dict[int, Row]) -> Tables:
    """Return the tables of blocks, their materials, and the tools for them."""
    made, tools, speeds = [], [], []
    for row in raw["blocks"]:
        node = f"block-{row['name']}"
        made.append({"start": node, "end": f"material-{row['material']}"})
        for key in row.get("harvestTools", {}):
            tools.append({"start": node, "end": f"item-{item[int(key)]['name']}"})
    for material, told in raw["materials"].items():
        for key, speed in told.items():
            ends = {"start": f"item-{item[int(key)]['name']}", "end": f"material-{material}"}
            speeds.append(ends | {"speed": speed})
    return {
        "nodes_block": nodes("block", raw["blocks"], BLOCK),
        "nodes_material": nodes("material", [{"name": name} for name in raw["materials"]], ""),
        "edges_has_material": edges("HAS_MATERIAL", made),
        "edges_harvest_tool": edges("HARVEST_TOOL", tools),
        "edges_digs": edges("DIGS", speeds),
    }


def drops(raw: Row) -> pd.DataFrame:
    """Return the table of what blocks and entities drop."""
    rows = []
    for kind in ("block", "entity"):
        for told in raw[f"{kind}Loot"]:
            for row in told["drops"]:
                least, largest = row["stackSizeRange"]
                size = {"dropChance": row["dropChance"], "stackSizeMin": least, "stackSizeMax": largest}
                more = {column: row.get(column, usual) for column, usual in DROP.items()}
                rows.append({"start": f"{kind}-{told[kind]}", "end": f"item-{row['item']}"} | size | more)
    return edges("DROPS", rows).convert_dtypes()


def enchantments(raw: Row) -> Tables:
    """Return the tables of enchantments, what can have them and what they exclude."""
    can, excludes = [], []
    for row in raw["enchantments"]:
        node = f"enchantment-{row['name']}"
        excludes += [{"start": node, "end": f"enchantment-{other}"} for other in row["exclude"]]
        for item in raw["items"]:
            if row["category"] in item.get("enchantCategories", []):
                can.append({"start": f"item-{item['name']}", "end": node})
    return {
        "nodes_enchantment": nodes("enchantment", raw["enchantments"], ENCHANTMENT),
        "edges_can_have": edges("CAN_HAVE", can),
        "edges_excludes": edges("EXCLUDES", excludes),
    }


def minecraft(folder: Path) -> Tables:
    """Return the tables of nodes and edges."""
    files = "items blocks entities foods recipes materials blockLoot entityLoot enchantments biomes language"
    raw = {name: json.loads((folder / f"{name}.json").read_text(encoding="utf-8")) for name in files.split()}
    food = {row["name"]: row for row in raw["foods"]}
    item = {row["id"]: row for row in raw["items"]}
    items = [
        food.get(row["name"], {}) | row | {"desc": raw["language"].get(f"item.minecraft.{row['name']}.desc")}
        for row in raw["items"]
    ]
    repair = [
        {"start": f"item-{row['name']}", "end": f"item-{other}"}
        for row in raw["items"]
        for other in row.get("repairWith", [])
        if other != row["name"]
    ]
    lands = [{"start": f"biome-{row['name']}", "end": f"dimension-{row['dimension']}"} for row in raw["biomes"]]
    worlds = sorted({row["dimension"] for row in raw["biomes"]})
    tables = {
        "nodes_item": nodes("item", items, f"{ITEM} {FOOD} desc"),
        "nodes_entity": nodes("entity", raw["entities"], ENTITY),
        "nodes_biome": nodes("biome", raw["biomes"], BIOME),
        "nodes_dimension": nodes("dimension", [{"name": name} for name in worlds], ""),
        "edges_drops": drops(raw),
        "edges_repair_with": edges("REPAIR_WITH", repair),
        "edges_in_dimension": edges("IN_DIMENSION", lands),
    }
    tables |= recipes(raw, item) | blocks(raw, item) | enchantments(raw)
    return with_known_ends(tables)


def main() -> None:
    """Write the set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--packages", type=Path, help="a folder that has the package in packages/minecraft-data")
    options = parser.parse_args()
    tables = minecraft(unpacked_from_npm(PACKAGE, options.packages or options.work) / DATA)
    text = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    save(options.work / "minecraft", tables, questions(text, tables_and_ends(as_written(tables))))


if __name__ == "__main__":
    main()
