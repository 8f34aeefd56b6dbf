"""A small output folder as Microsoft GraphRAG writes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow
from pyarrow import parquet

TEXT = (
    "# Lakes\n\nLake Victoria borders Kenya and Uganda. Kisumu is a port on it.\n\n"
    "## Tea\n\nKericho grows tea. The tea is sold in Mombasa."
)
UNITS = (TEXT[:71], TEXT[60:98], TEXT[90:])


def tables() -> dict[str, list[dict[str, Any]]]:
    """Return the tables by name: five entities, four relationships, two communities, the first with a part."""
    entities = [
        ("LAKE VICTORIA", "GEO", "A large lake.", ["u0", "u1"]),
        ("KENYA", "GEO", "A country on Lake Victoria.", ["u0"]),
        ("KISUMU", "GEO", "A port.", ["u0", "u1"]),
        ("KERICHO", "GEO", "A town that grows tea.", ["u2"]),
        ("TEA", "PRODUCT", "A drink.", ["u2"]),
    ]
    relationships = [
        ("LAKE VICTORIA", "KENYA", "The lake borders Kenya.", 7.0, ["u0"]),
        ("KISUMU", "LAKE VICTORIA", "Kisumu is a port on the lake.", 8.0, ["u0", "u1"]),
        ("KERICHO", "TEA", "Kericho grows tea.", 9.0, ["u2"]),
        ("TEA", "MOMBASA", "Tea is sold in Mombasa.", 2.0, ["u2"]),  # an end that is no entity
    ]
    findings = [
        {"summary": "A port", "explanation": "Kisumu is a port [Data: Entities (2); Relationships (0, 1, +more)]."}
    ]
    return {
        "documents": [{"id": "d0", "human_readable_id": 0, "title": "lakes.md", "text": TEXT, "text_unit_ids": ["u0"]}],
        "text_units": [
            {"id": f"u{i}", "human_readable_id": i, "text": text, "document_ids": ["d0"]}
            for i, text in enumerate(UNITS)
        ],
        "entities": [
            {
                "id": f"e{i}",
                "human_readable_id": i,
                "title": title,
                "type": type_,
                "description": description,
                "text_unit_ids": units,
            }
            for i, (title, type_, description, units) in enumerate(entities)
        ],
        "relationships": [
            {
                "id": f"r{i}",
                "human_readable_id": i,
                "source": source,
                "target": target,
                "description": description,
                "weight": weight,
                "text_unit_ids": units,
            }
            for i, (source, target, description, weight, units) in enumerate(relationships)
        ],
        "communities": [
            {"community": 4, "level": 0, "parent": -1, "entity_ids": ["e0", "e1", "e2"]},
            {"community": 9, "level": 0, "parent": -1, "entity_ids": ["e3", "e4"]},
            {"community": 11, "level": 1, "parent": 4, "entity_ids": ["e0", "e2"]},
        ],
        "community_reports": [
            {
                "community": 9,
                "title": "Tea",
                "summary": "Tea of Kericho [Data: Sources (2)].",
                "rank": 4.0,
                "rating_explanation": "Small.",
                "findings": "[]",
            },
            {
                "community": 4,
                "title": "The lake",
                "summary": "A lake and its neighbours.",
                "rank": 7.5,
                "rating_explanation": "Large.",
                "findings": json.dumps(findings),
            },
        ],
        "covariates": [
            {
                "type": "TRADE",
                "description": "Kericho sells tea.",
                "subject_id": "KERICHO",
                "object_id": "NONE",
                "status": "TRUE",
                "start_date": "2024-01-01",
                "end_date": "NONE",
                "source_text": "Kericho grows tea.",
                "text_unit_id": "u2",
            }
        ],
    }


def write_output(folder: Path, content: dict[str, list[dict[str, Any]]] | None = None) -> Path:
    """Write tables into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in (content or tables()).items():
        parquet.write_table(pyarrow.Table.from_pylist(rows), folder / f"{name}.parquet")
    return folder
