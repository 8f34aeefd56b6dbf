"""Properties of the nodes of `everyday_rulebook.py`, read from the rows of its package."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

Row = dict[str, Any]

ABILITIES = "strength dexterity constitution intelligence wisdom charisma".split()
ABILITY_OF = {name[:3]: name.capitalize() for name in ABILITIES}
TYPES = {  # the type of nodes, by its table in the package
    "monsters": "Monster",
    "spells": "Spell",
    "classes": "Class",
    "races": "Race",
    "languages": "Language",
    "magic_schools": "School",
    "damage_types": "DamageType",
    "conditions": "Condition",
    "equipment": "Equipment",
    "magic_items": "MagicItem",
}


def text_of(value: Any) -> str | None:
    """Return a description as one text."""
    return "\n".join(value) if isinstance(value, list) else value


def number_in(value: Any) -> float | None:
    """Return the first number in a text, such as 40 in '40 ft.'."""
    found = re.search(r"\d+", str(value))
    return int(found[0]) if found else None


def prefix(table: str) -> str:
    """Return what the keys of the nodes of a table start with."""
    return TYPES[table].lower()


def monster(row: Row) -> Row:
    """Return the properties of a monster."""
    speed, senses = row["speed"], row["senses"]
    telepathy = re.search(r"telepathy (\d+)", row["languages"])
    return {
        "size": row["size"],
        "kind": re.sub("^swarm.*", "swarm", row["type"]),
        "subtype": row.get("subtype"),
        "alignment": row["alignment"],
        "challenge_rating": row["challenge_rating"],
        "xp": row["xp"],
        "armor_class": row["armor_class"][0]["value"],
        "hit_points": row["hit_points"],
        **{name: row[name] for name in ABILITIES},
        **{f"{way}_speed_ft": number_in(speed.get(way)) for way in ("walk", "fly", "swim", "climb", "burrow")},
        "darkvision_ft": number_in(senses.get("darkvision")),
        "passive_perception": senses["passive_perception"],
        "telepathy_ft": int(telepathy[1]) if telepathy else None,
        "legendary": bool(row.get("legendary_actions")),
    }


def spell(row: Row) -> Row:
    """Return the properties of a spell."""
    saving = row.get("dc", {}).get("dc_type", {}).get("index")
    area = row.get("area_of_effect", {})
    return {
        "level": row["level"],
        "casting_time": row["casting_time"],
        "range": row["range"],
        "duration": row["duration"],
        "concentration": row["concentration"],
        "ritual": row["ritual"],
        "verbal": "V" in row["components"],
        "somatic": "S" in row["components"],
        "material": row.get("material"),
        "saving_throw": ABILITY_OF.get(saving),
        "area_shape": area.get("type"),
        "area_size_ft": area.get("size"),
        "description": text_of(row["desc"]),
    }


def equipment(row: Row) -> Row:
    """Return the properties of a piece of equipment."""
    kinds = ("weapon_category", "armor_category", "gear_category", "tool_category", "vehicle_category")
    kind = next((row[key] for key in kinds if row.get(key)), None)
    armor, properties = row.get("armor_class", {}), {part["index"] for part in row.get("properties", ())}
    weapon = row["equipment_category"]["index"] == "weapon"
    return {
        "category": row["equipment_category"]["name"],
        "subcategory": kind["name"] if isinstance(kind, dict) else kind,
        "cost_gp": row["cost"]["quantity"] / {"cp": 100, "sp": 10, "gp": 1}[row["cost"]["unit"]],
        "weight_lb": row.get("weight"),
        "weapon_range": row.get("weapon_range"),
        "damage_dice": row.get("damage", {}).get("damage_dice"),
        "range_ft": row["range"]["normal"] if row.get("weapon_range") == "Ranged" else None,
        **{
            name.replace("-", "_"): name in properties if weapon else None
            for name in ("two-handed", "finesse", "thrown")
        },
        "armor_class": armor.get("base"),
        "minimum_strength": row.get("str_minimum") or None,
        "stealth_disadvantage": row.get("stealth_disadvantage"),
    }


def magic_item(row: Row) -> Row:
    """Return the properties of a magic item."""
    description = text_of(row["desc"]) or ""
    return {
        "category": row["equipment_category"]["name"],
        "rarity": row["rarity"]["name"].lower(),
        "attunement": "requires attunement" in description.partition("\n")[0],
        "description": description,
    }


def properties(table: str, row: Row) -> Row:
    """Return the properties of a node, other than its name."""
    if table in ("monsters", "spells", "equipment", "magic_items"):
        return {"monsters": monster, "spells": spell, "equipment": equipment, "magic_items": magic_item}[table](row)
    if table == "classes":
        casting = row.get("spellcasting", {}).get("spellcasting_ability", {}).get("index")
        saves = [ABILITY_OF[part["index"]] for part in row["saving_throws"]]
        more = {"spellcasting_ability": ABILITY_OF.get(casting)}
        return {"hit_die": row["hit_die"], "saving_throws": ", ".join(saves)} | more
    if table == "races":
        return {"size": row["size"], "speed_ft": row["speed"], "age": row["age"], "alignment": row["alignment"]}
    if table == "languages":
        speakers = ", ".join(row.get("typical_speakers", ())) or None
        kind = str(row["type"]).lower() if row.get("type") else None
        return {"kind": kind, "script": row.get("script"), "typical_speakers": speakers}
    return {"description": text_of(row["desc"])}


def tongues(text: str) -> tuple[list[str], list[str]]:
    """Return the languages that a monster speaks and those that it only understands."""
    text = re.sub(r"\([^)]*\)|telepathy [^,]*| plus .*", "", text)
    parts = [part.strip() for part in text.partition("understands ")[::2]]
    found = []
    for part in parts:
        part = re.sub(r"\s*\b(but|,? ?understands)\b.*", "", part)
        words = [word.strip() for word in re.split(r",| and ", re.sub(r", and ", ", ", part))]
        named = [word for word in words if word and (word[0].isupper() or word == "infernal")]
        found.append([word if word[0].isupper() else word.capitalize() for word in named])
    return found[0], found[1]


def harms(text: str, known: list[str]) -> Iterator[tuple[str, str | None]]:
    """Yield the kinds of damage in an entry such as 'fire', and what it is limited to."""
    kinds, _, limit = text.partition(" from ")
    for kind in known:
        if re.search(rf"\b{kind}\b", kinds):
            yield kind, limit or None


def damages(value: Any) -> Iterator[str]:
    """Yield the keys of the kinds of damage anywhere in a value."""
    if isinstance(value, dict):
        if "damage_type" in value:
            yield value["damage_type"]["index"]
        for part in value.values():
            yield from damages(part)
    elif isinstance(value, list):
        for part in value:
            yield from damages(part)
