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


ENTITIES = [
    ("LAKE VICTORIA", "GEO", "A large lake.", ["u0", "u1"]),
    ("KENYA", "GEO", "A country on Lake Victoria.", ["u0"]),
    ("KISUMU", "GEO", "A port.", ["u0", "u1"]),
    ("KERICHO", "GEO", "A town that grows tea.", ["u2"]),
    ("TEA", "PRODUCT", "A drink.", ["u2"]),
]
RELATIONSHIPS = [
    ("LAKE VICTORIA", "KENYA", "The lake borders Kenya.", 7.0, ["u0"]),
    ("KISUMU", "LAKE VICTORIA", "Kisumu is a port on the lake.", 8.0, ["u0", "u1"]),
    ("KERICHO", "TEA", "Kericho grows tea.", 9.0, ["u2"]),
    ("TEA", "MOMBASA", "Tea is sold in Mombasa.", 2.0, ["u2"]),  # an end that is no entity
]
FINDING = {"summary": "A port", "explanation": "Kisumu is a port [Data: Entities (2); Relationships (0, 1, +more)]."}
CLAIM = {
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


def tables() -> dict[str, list[dict[str, Any]]]:
    """Return the tables by name: five entities, four relationships, two communities, the first with a part."""
    entity = ("title", "type", "description", "text_unit_ids")
    relationship = ("source", "target", "description", "weight", "text_unit_ids")
    community = ("community", "level", "parent", "entity_ids")
    report = ("community", "title", "summary", "rank", "rating_explanation", "findings")
    rows = {
        "documents": _rows("d", ("title", "text", "text_unit_ids"), [("lakes.md", TEXT, ["u0"])]),
        "text_units": _rows("u", ("text", "document_ids"), [(text, ["d0"]) for text in UNITS]),
        "entities": _rows("e", entity, ENTITIES),
        "relationships": _rows("r", relationship, RELATIONSHIPS),
        "communities": _rows(
            "c", community, [(4, 0, -1, ["e0", "e1", "e2"]), (9, 0, -1, ["e3", "e4"]), (11, 1, 4, ["e0", "e2"])]
        ),
        "community_reports": _rows(
            "p",
            report,
            [
                (9, "Tea", "Tea of Kericho [Data: Sources (2)].", 4.0, "Small.", "[]"),
                (4, "The lake", "A lake and its neighbours.", 7.5, "Large.", json.dumps([FINDING])),
            ],
        ),
    }
    return {**rows, "covariates": [dict(CLAIM)]}


def early_tables(*, version: int) -> dict[str, list[dict[str, Any]]]:
    """Return `tables` as version 0.3 (0) or 1.0 (1) names them: members of communities stand in the table of nodes."""
    content = tables()
    titles = [row["title"] for row in content["entities"]]
    members = {int(row["community"]): row for row in content["communities"]}
    levels = sorted({row["level"] for row in members.values()})
    nodes = []
    for level in levels:
        for i, title in enumerate(titles):
            inside = [n for n, row in members.items() if row["level"] == level and f"e{i}" in row["entity_ids"]]
            number = inside[0] if inside else None if version == 0 else -1
            shown = f'"{title}"' if version == 0 else title
            community = None if number is None else str(number) if version == 0 else number
            nodes.append({"title": shown, "level": level, "community": community, "id": f"n{i}"})
    for row in content["communities"]:
        del row["entity_ids"], row["parent"]
    if version == 0:
        for row in content["communities"]:
            row["id"] = str(row.pop("community"))
        for row in content["entities"]:
            row["name"] = f'"{row.pop("title")}"'
        for row in content["relationships"]:
            row["source"], row["target"] = f'"{row["source"]}"', f'"{row["target"]}"'
        for row in content["documents"]:
            row["raw_content"] = row.pop("text")
        for row in content["community_reports"]:
            row["community"], row["rank_explanation"] = str(row["community"]), row.pop("rating_explanation")
            row["findings"] = json.loads(row["findings"])
        for row in content["text_units"]:
            del row["human_readable_id"]
    return {f"create_final_{name}": rows for name, rows in {**content, "nodes": nodes}.items()}


def _rows(prefix: str, columns: tuple[str, ...], rows: list[Any]) -> list[dict[str, Any]]:
    """Return rows of a table with the ids that GraphRAG gives them."""
    return [
        {"id": f"{prefix}{i}", "human_readable_id": i, **dict(zip(columns, row, strict=True))}
        for i, row in enumerate(rows)
    ]


def write_output(folder: Path, content: dict[str, list[dict[str, Any]]] | None = None) -> Path:
    """Write tables into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in (content or tables()).items():
        parquet.write_table(pyarrow.Table.from_pylist(rows), folder / f"{name}.parquet")
    return folder
