"""Make a set for `everyday.py` out of public data: operating systems, as a team that runs virtual machines tracks them.

    python benchmarks/everyday_osinfo.py WORK [--data UNPACKED]

Writes WORK/osinfo, a folder with a table of nodes per type, a table of edges per relation, and `questions.jsonl`,
out of the questions in `everyday_osinfo.txt`. It is the database of libosinfo of November 2022: operating systems by
release, with their vendors, dates of release and of end of life, what they upgrade, derive from and clone, what they
need on an architecture, media and cloud images to download, virtual devices they support and drivers for them, scripts
that install them, and hypervisors (platforms) with their devices.

The data come with osinfo-db, a package of Debian 12 (GPL-2+), which is fetched with apt-get (run `apt-get update`
before) unless a path to the unpacked package is given. It has a file of XML per system, or several, whose contents are
put together. Columns have the names of its elements and attributes, with hyphens, and values are as they stand there:
memory and disks in bytes, frequencies in hertz. Where an element is repeated, its values are joined with `|`. Media
and images have no names: they have that of their file, and only those are taken that can be downloaded. Translations,
trees, variants and firmware are left out. Needs pandas.
"""

from __future__ import annotations

import argparse
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pandas as pd

from everyday_gold import TOOLS, Row, as_written, questions
from everyday_sets import Tables, save

PACKAGE = "osinfo-db"
NODES = {  # the label, and the elements that are taken
    "os": (
        "OS",
        "name short-id version codename family distro release-date eol-date release-status cloud-image-username"
        " kernel-url-argument",
    ),
    "platform": ("Platform", "name short-id version release-date"),
    "device": ("Device", "name class bus-type product product-id"),
    "install-script": (
        "InstallScript",
        "name profile expected-filename injection-method path-format product-key-format avatar-format/mime-type"
        " post-install-drivers-signing-req",
    ),
}
FILES = {  # the label, and the attributes and elements that are taken
    "media": ("Media", "live installer-script", "iso/volume-id iso/publisher-id iso/volume-size url"),
    "image": ("Image", "format cloud-init", "url"),
}
LINKS = {  # the relation, the elements that point to another one, and their attributes
    "upgrades": ("UPGRADES", "upgrades", ""),
    "derives-from": ("DERIVES_FROM", "derives-from", ""),
    "clones": ("CLONES", "clones", ""),
    "devices": ("HAS_DEVICE", "devices/device", "supported"),
    "installer": ("INSTALLED_WITH", "installer/script", ""),
}
DRIVER = "arch location pre-installable signed"
RESOURCES = [
    f"{level}/{what}"
    for level in ("minimum", "recommended", "maximum", "network-install")
    for what in ("n-cpus", "cpu", "ram", "storage")
]
LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


def fetched(work: Path) -> Path:
    """Fetch the package from where apt has its packages, and return the folder with its files."""
    folder = (work / "packages" / PACKAGE).resolve()
    if not any(folder.glob("*.deb")):
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["apt-get", "-qq", "-o", "APT::Sandbox::User=root", "download", PACKAGE], check=True, cwd=folder)
        subprocess.run(["dpkg-deb", "--extract", str(next(folder.glob("*.deb"))), str(folder)], check=True)
    return folder


def texts(element: ET.Element, path: str) -> str | None:
    """Return the different texts at a path, in English, joined with `|`: nothing if there are none."""
    found = (part.text for part in element.findall(path) if LANGUAGE not in part.attrib)
    return "|".join(dict.fromkeys(text.strip() for text in found if text)) or None


def given(element: ET.Element, attributes: str) -> Row:
    """Return some attributes of an element."""
    return {name: element.get(name) for name in attributes.split()}


class Database:
    """The nodes and edges of the database, as they are read.

    Attributes:
        nodes: The rows of each kind, by their ids.
        edges: The rows of each relation.
    """

    def __init__(self) -> None:
        self.nodes: dict[str, dict[str, Row]] = {}
        self.edges: dict[str, list[Row]] = {}

    def node(self, kind: str, key: str, label: str, **more: Any) -> str:
        """Add a node, or what is not known of it yet, and return its id."""
        row = self.nodes.setdefault(kind, {}).setdefault(key, {"id": key, "label": label})
        row |= {name: value for name, value in more.items() if row.get(name) is None}
        return key

    def edge(self, relation: str, kind: str, start: str, end: str, **more: Any) -> None:
        """Add an edge."""
        self.edges.setdefault(relation, []).append({"start": start, "end": end, "type": kind} | more)

    def architecture(self, name: str | None) -> str:
        """Add an architecture, if it is new, and return its id."""
        return self.node("arch", f"arch/{name}", "Arch", name=name)

    def add(self, kind: str, element: ET.Element) -> None:
        """Add what is told about a system, platform, device or script."""
        label, columns = NODES[kind]
        row = {column.replace("/", "-"): texts(element, column) for column in columns.split()}
        key = self.node(kind, element.attrib["id"], label, **row)
        if self.nodes[kind][key]["name"] is None:
            self.nodes[kind][key]["name"] = key.partition("//")[2].partition("/")[2]
        vendor = texts(element, "vendor")
        if vendor and not any(edge["start"] == key for edge in self.edges.get("vendor", [])):
            self.edge("vendor", "HAS_VENDOR", key, self.node("vendor", f"vendor/{vendor}", "Vendor", name=vendor))
        for relation, (name, path, attributes) in LINKS.items():
            for part in element.findall(path):
                self.edge(relation, name, key, part.attrib["id"], **given(part, attributes))
        for part in element.findall("driver"):
            for device in part.findall("device"):
                self.edge("driver", "HAS_DRIVER_FOR", key, device.attrib["id"], **given(part, DRIVER))
        for part in element.findall("resources"):
            needs = {path.replace("/", "-"): texts(part, path) for path in RESOURCES}
            self.edge("resources", "REQUIRES", key, self.architecture(part.get("arch")), **needs)
        for relation in FILES:
            for part in element.findall(relation):
                self.add_file(relation, key, part)

    def add_file(self, kind: str, system: str, element: ET.Element) -> None:
        """Add a medium or an image of a system, if it can be downloaded."""
        label, attributes, columns = FILES[kind]
        row = {column.replace("/", "-"): texts(element, column) for column in columns.split()}
        if row["url"]:
            row |= given(element, attributes) | {"name": row["url"].rstrip("/").rpartition("/")[2]}
            key = self.node(kind, row["url"], label, **row)
            self.edge(kind, f"HAS_{label.upper()}", system, key)
            self.edge("arch", "FOR_ARCH", key, self.architecture(element.get("arch")))

    def tables(self) -> Tables:
        """Return the tables, without columns that have no values, and without edges to what is not known."""
        known = {key for rows in self.nodes.values() for key in rows}
        tables = {f"nodes-{kind}": pd.DataFrame(rows.values()) for kind, rows in self.nodes.items()}
        for relation, rows in self.edges.items():
            tables[f"edges-{relation}"] = pd.DataFrame([row for row in rows if row["end"] in known]).drop_duplicates()
        return {key: table.dropna(axis="columns", how="all") for key, table in tables.items()}


def systems(package: Path) -> Tables:
    """Return the tables of nodes and edges."""
    database = Database()
    folder = next(package.rglob("share/osinfo"))
    for kind in NODES:
        for path in sorted(folder.glob(f"{kind}/**/*.xml")):
            for element in ET.parse(path).getroot():
                database.add(kind, element)
    return database.tables()


def scope(tables: Tables) -> dict[str, Any]:
    """Return what the expressions of the answers can use: the nodes by their kinds, and edges with both ends.

    Edges have the columns of their start, and those of their end with `to_` before them. Columns have no hyphens. An
    operating system has its `vendor`.
    """
    plain = {key: table.rename(columns=lambda name: name.replace("-", "_")) for key, table in tables.items()}
    nodes = {key[6:].replace("-", "_"): table for key, table in plain.items() if key.startswith("nodes-")}
    vendors = plain["edges-vendor"].set_index("start")["end"].str.removeprefix("vendor/")
    for kind in ("os", "platform"):
        nodes[kind] = nodes[kind].assign(vendor=nodes[kind]["id"].map(vendors))
    every = pd.concat(nodes.values()).drop(columns="label").set_index("id")
    edges = {}
    for key, table in plain.items():
        if key.startswith("edges-"):
            found = table.drop(columns="type").join(every, on="start")
            edges["e_" + key[6:].replace("-", "_")] = found.join(every.add_prefix("to_"), on="end")
    return nodes | edges | TOOLS


def main() -> None:
    """Write the set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--data", type=Path, help=f"an unpacked {PACKAGE}")
    options = parser.parse_args()
    tables = systems(options.data or fetched(options.work))
    text = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    save(options.work / "osinfo", tables, questions(text, scope(as_written(tables, dtype={"version": str}))))


if __name__ == "__main__":
    main()
