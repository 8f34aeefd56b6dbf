"""Make a set for `everyday.py` out of a machine with Debian: its packages, who maintains them, what they depend on.

    python benchmarks/everyday_packages.py OUT [--status /var/lib/dpkg/status]

Writes the folder OUT/packages: one table of nodes per type (nodes_*.csv), one of edges (edges.csv) and questions.jsonl.
The questions are in `everyday_packages.txt`, each with an expression over the tables that pandas computes.

Every machine has other packages. A question is left out, and printed, if it names a package, maintainer, section or
source that is not here, if it has no answer or more than 40, if it asks for one and there are several, or if it is of
kind `refuse` and has an answer here. Later questions then move to other lines, so the halves (odd and even lines) are
those of other machines only if no question is left out.

Needs no network: it reads the status file of dpkg and the lists of files in the folder `info` next to it.
"""

from __future__ import annotations

import argparse
import datetime
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from everyday_rulebook import compared, largest, more, most, names, smallest, value
from everyday_sets import Tables, save

Package = dict[str, str]
Row = dict[str, Any]

STATUS = Path("/var/lib/dpkg/status")
RELATIONS = {  # the fields of a package that name other packages, in the order in which their edges are written
    "Pre-Depends": "DEPENDS_ON",
    "Depends": "DEPENDS_ON",
    "Recommends": "RECOMMENDS",
    "Suggests": "SUGGESTS",
    "Conflicts": "CONFLICTS_WITH",
    "Breaks": "BREAKS",
    "Replaces": "REPLACES",
}
VIEWS = ("MAINTAINED_BY", "IN_SECTION", "BUILT_FROM", *dict.fromkeys(RELATIONS.values()))
EDGE_COLUMNS = "source relation target version_constraint control_field".split()
NAMED = re.compile(r"name == '([^']+)'")
# The titles of the sections on packages.debian.org.
TITLES = dict(
    line.split(" ", 1)
    for line in """\
admin Administration Utilities
cli-mono Mono/CLI
comm Communication Programs
database Databases
debug Debug packages
devel Development
doc Documentation
editors Editors
education Education
electronics Electronics
embedded Embedded software
fonts Fonts
games Games
gnome GNOME
gnu-r GNU R
gnustep GNUstep
graphics Graphics
hamradio Ham Radio
haskell Haskell
httpd Web Servers
interpreters Interpreters
introspection GObject Introspection
java Java
javascript JavaScript
kde KDE
kernel Kernels
libdevel Library development
libs Libraries
lisp Lisp
localization Language packs
mail Mail
math Mathematics
metapackages Meta Packages
misc Miscellaneous
net Network
news Newsgroups
ocaml OCaml
oldlibs Old Libraries
otherosfs Other OS's and file systems
perl Perl
php PHP
python Python
ruby Ruby
rust Rust
science Science
shells Shells
sound Sound
tasks Tasks
tex TeX
text Text Processing
utils Utilities
vcs Version Control Systems
video Video
web Web Software
x11 X Window System software
xfce Xfce
zope Zope/Plone Framework""".splitlines()
)


def read(status: Path) -> list[Package]:
    """Return the fields of the installed packages: the first entry if a package has several architectures."""
    if not status.is_file():
        raise SystemExit(f"no {status}: this set is made out of the packages of a machine with Debian")
    packages: dict[str, Package] = {}
    for entry in status.read_text(encoding="utf-8").split("\n\n"):
        # Continuation lines start with a space: none of the fields used here needs them.
        lines = (line.partition(":") for line in entry.split("\n") if line[:1].strip() and ":" in line)
        fields = {name: text.strip() for name, _, text in lines}
        if fields.get("Status", "").endswith(" ok installed"):
            packages.setdefault(fields["Package"], fields)
    if not packages:
        raise SystemExit(f"no installed packages in {status}: is this the status file of dpkg?")
    return list(packages.values())


def section(package: Package) -> str:
    """Return the section of a package without its area, such as contrib or non-free."""
    return package.get("Section", "unknown").rpartition("/")[2]


def maintainer(package: Package) -> tuple[str, str]:
    """Return the name and the e-mail address of the maintainer of a package."""
    text = package.get("Maintainer", "unknown")
    match = re.match(r'"?(.*?)"?\s*<(.*)>', text)
    return (match[1], match[2]) if match else (text, "")


def source(package: Package) -> tuple[str, str]:
    """Return the name and the version of the source that a package was built from."""
    name, _, version = package.get("Source", package["Package"]).partition(" ")
    return name, version.strip("() ") or package["Version"]


def files(package: Package, info: Path) -> Row:
    """Return the number of files of a package, without folders, and the day on which it was installed (UTC)."""
    name = package["Package"]
    lists = [info / f"{name}.list", info / f"{name}:{package.get('Architecture')}.list"]
    path = next((path for path in lists if path.exists()), None)
    if path is None:
        return {"file_count": None, "installed_on": ""}
    paths = set(path.read_text(encoding="utf-8", errors="surrogateescape").split("\n")) - {"", "/."}
    changed = datetime.datetime.fromtimestamp(path.stat().st_mtime, datetime.UTC)
    folders = {path.rpartition("/")[0] for path in paths}
    return {"file_count": len(paths - folders), "installed_on": f"{changed:%Y-%m-%d}"}


def package_row(package: Package, info: Path) -> Row:
    """Return the node of a package."""
    size = package.get("Installed-Size")
    return {
        "id": f"pkg:{package['Package']}",
        "name": package["Package"],
        "version": package["Version"],
        "architecture": package.get("Architecture", ""),
        "section": section(package),
        "priority": package.get("Priority", ""),
        "installed_size_kb": int(size) if size else None,
        **files(package, info),
        "essential": package.get("Essential", "no"),
        "multi_arch": package.get("Multi-Arch", ""),
        "homepage": package.get("Homepage", ""),
        "summary": package.get("Description", ""),
    }


def references(package: Package, known: set[str]) -> Iterator[tuple[str, str, str]]:
    """Yield field, name and version constraint of every installed package that the fields of a package name."""
    for field in RELATIONS:
        for part in re.split(r"[,|]", package.get(field, "")):
            match = re.match(r"\s*([^\s(:]+)(?::\S+)?\s*(?:\((.*?)\))?", part)
            if match and match[1] in known - {package["Package"]}:
                yield field, match[1], match[2] or ""


def edge_rows(packages: list[Package], maintainers: dict[tuple[str, str], str]) -> list[Row]:
    """Return the edges: one per relation and pair of ends, with all version constraints."""
    rows: dict[tuple[str, ...], Row] = {}
    known = {package["Package"] for package in packages}

    def add(start: str, relation: str, end: str, constraint: str = "", field: str = "") -> None:
        row = rows.setdefault(
            (start, relation, end), dict(zip(EDGE_COLUMNS, (start, relation, end, constraint, field), strict=True))
        )
        constraints = row["version_constraint"].split(", ")
        if constraint not in constraints:
            row["version_constraint"] = ", ".join(filter(None, [*constraints, constraint]))

    for package in packages:
        node = f"pkg:{package['Package']}"
        add(node, "MAINTAINED_BY", maintainers[maintainer(package)])
        add(node, "IN_SECTION", f"sec:{section(package)}")
        add(node, "BUILT_FROM", f"src:{source(package)[0]}")
        for field, name, constraint in references(package, known):
            add(node, RELATIONS[field], f"pkg:{name}", constraint, field)
    return list(rows.values())


def built(packages: list[Package], info: Path) -> Tables:
    """Return the tables to write."""
    owners = dict.fromkeys(map(maintainer, packages))
    maintainers = {owner: f"mnt:{number}" for number, owner in enumerate(owners, 1)}
    sources: dict[str, str] = {}
    for package in packages:
        sources.setdefault(*source(package))
    sections = sorted(set(map(section, packages)))
    table = pd.DataFrame([package_row(package, info) for package in packages])
    return {
        "nodes_package": table.astype({"installed_size_kb": "Int64", "file_count": "Int64"}),
        "nodes_maintainer": pd.DataFrame(
            [(key, *owner) for owner, key in maintainers.items()], columns=["id", "name", "email"]
        ),
        "nodes_section": pd.DataFrame(
            [(f"sec:{name}", name, TITLES.get(name, name)) for name in sections], columns=["id", "name", "title"]
        ),
        "nodes_source": pd.DataFrame(
            [(f"src:{name}", name, version) for name, version in sorted(sources.items())],
            columns=["id", "name", "version"],
        ),
        "edges": pd.DataFrame(edge_rows(packages, maintainers), columns=EDGE_COLUMNS),
    }


def views(tables: Tables) -> dict[str, Any]:
    """Return the tables for expressions: one per type of node, one per relation with the names of both ends."""
    found: dict[str, Any] = {key.removeprefix("nodes_"): table for key, table in tables.items() if key != "edges"}
    labels = pd.concat(list(found.values())).set_index("id")["name"]
    edges = tables["edges"].assign(s_name=lambda table: table.source.map(labels))
    edges = edges.assign(t_name=edges.target.map(labels))
    return found | {relation.lower(): edges[edges.relation == relation] for relation in VIEWS}


def only(labels: set[Any]) -> Any:
    """Return the only element of a set. Raise `ValueError` if there is not exactly one."""
    (label,) = labels
    return label


def larger(table: pd.DataFrame, megabytes: int, condition: str | None = None) -> set[Any]:
    """Return the packages over a size, among the rows that fulfil a condition.

    Raise `ValueError` if a megabyte of 1,000 and one of 1,024 kilobytes give different packages.
    """
    part = table.query(condition) if condition else table
    decimal, binary = (names(part, f"installed_size_kb > {megabytes * unit}") for unit in (1000, 1024))
    if decimal != binary:
        raise ValueError(f"the size of {sorted(decimal - binary)} is too close to {megabytes} MB")
    return decimal


def answers_of(kind: str, expression: str, scope: dict[str, Any], known: set[str]) -> tuple[list[str], str]:
    """Return the gold answers of a question and how to compare them. Raise `ValueError` to leave the question out."""
    if kind != "refuse" and (unknown := set(NAMED.findall(expression)) - known):
        raise ValueError(f"not on this machine: {sorted(unknown)}")
    gold = eval(expression, scope)
    if kind == "refuse":
        if gold:
            raise ValueError("the question has an answer on this machine")
        return [], "refuse"
    answers, compare = ([str(fact) for fact in gold], "card") if kind == "card" else compared(gold)
    if not all(answers) or answers == ["0"]:
        raise ValueError("no answer on this machine")
    return answers, compare


def questions(text: str, tables: Tables) -> tuple[list[Row], list[str]]:
    """Return the questions with their answers, and the questions that are left out."""
    functions = (names, value, most, largest, smallest, more, only, larger)
    scope = views(tables) | {function.__name__: function for function in functions}
    known = {name for key, table in tables.items() if key != "edges" for name in table["name"]}
    rows: list[Row] = []
    left_out: list[str] = []
    kind = question = ""
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if re.fullmatch(r"\[.+\]", line):
            kind = line[1:-1]
        elif line[0] != " ":
            question = line
        else:
            try:
                answers, compare = answers_of(kind, line.strip(), scope, known)
            except (ValueError, TypeError):  # TypeError: a size or a number of files is missing
                left_out.append(question)
                continue
            rows.append({"question": question, "answers": answers, "kind": kind, "compare": compare})
    return rows, left_out


def main() -> None:
    """Write the set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--status", type=Path, default=STATUS, help=f"the status file of dpkg (default: {STATUS})")
    options = parser.parse_args()
    tables = built(read(options.status), options.status.parent / "info")
    rows, left_out = questions(Path(__file__).with_suffix(".txt").read_text(encoding="utf-8"), tables)
    save(options.out / "packages", tables, rows)
    if left_out:
        print(f"left out {len(left_out)} questions that have no answer on this machine: {' | '.join(left_out)}")


if __name__ == "__main__":
    main()
