"""Make a set for `everyday.py` out of public data: web browsers and what they support, as web developers keep them.

    python benchmarks/everyday_browsers.py WORK [--packages FOLDER]

Writes WORK/browsers, a folder with a table of nodes per type, a table of edges per relation, and `questions.jsonl`, out
of the questions in `everyday_browsers.txt`. There are browsers and what they are built on, their releases with days,
engines and shares of use, features of the web platform with their groups, the browsers that support them and since
when, the specifications that define them with the working groups behind those, and the properties of CSS with the
versions of browsers that support them, some of them in part or under a prefix.

The data come with four packages of npm, which are fetched with `npm pack` unless a folder is given that has them
unpacked in `packages/NAME`: @mdn/browser-compat-data (CC0 1.0) has browsers, releases, engines and properties;
web-features (Apache 2.0) has features and groups; web-specs (CC0 1.0) has specifications and working groups; caniuse-db
(CC BY 4.0) has the shares of use, in percent, of releases on desktops and of features with one entry there. Columns
have the names and values that they have there, but `name` is that of MDN for browsers and the title for
specifications, `release_status` and `nightly_status` are the status of two editions of a specification, `discouraged`
tells whether there is advice against a feature, and a day that is known as «or earlier» is taken as the day. Support
that needs a flag is left out, and so is that of preview versions. Needs pandas and npm.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from everyday_gold import TOOLS, Row, as_written, questions
from everyday_sets import Tables, save, unpacked_from_npm, with_ends

PACKAGES = {  # the file that has the data
    "@mdn/browser-compat-data@8.1.9": "data.json",
    "web-features@3.40.0": "data.json",
    "web-specs@4.16.0": "index.json",
    "caniuse-db@1.0.30001813": "data.json",
}
USED = ("chrome", "edge", "firefox", "ie", "opera", "safari")  # the browsers with a share of use per release
BROWSER = "name type preview_name pref_url accepts_flags accepts_webextensions"
RELEASE = "release_date status engine_version release_notes"
SPEC = "shortname shortTitle url organization seriesComposition seriesVersion standing"
PROPERTY = "mdn_url source_file"
STATUS = "deprecated experimental standard_track"
SUPPORT = "version_added version_removed version_last prefix alternative_name partial_implementation"


def fetched(package: str, work: Path) -> Any:
    """Fetch a package and return its data."""
    return json.loads((unpacked_from_npm(package, work) / PACKAGES[package]).read_text(encoding="utf-8"))


def kept(row: Row, columns: str) -> Row:
    """Return some columns of a row, none where the row has none."""
    return {column: row.get(column) for column in columns.split()}


def edges(kind: str, rows: list[Row]) -> pd.DataFrame:
    """Return a table of edges of a kind."""
    return pd.DataFrame([{"start": row["start"], "end": row["end"], "type": kind} | row for row in rows])


def browsers(compat: Row, usage: Row) -> Tables:
    """Return the tables of browsers, releases and engines."""
    browser, release, based, of, runs = ([] for _ in range(5))
    for key, told in compat["browsers"].items():
        browser.append({"id": f"browser-{key}"} | kept(told, BROWSER))
        if "upstream" in told:
            based.append({"start": f"browser-{key}", "end": f"browser-{told['upstream']}"})
        share = usage["agents"][key]["usage_global"] if key in USED else {}
        for version, row in told["releases"].items():
            node = f"release-{key}-{version}"
            names = {"id": node, "name": f"{told['name']} {version}", "version": version}
            release.append(names | kept(row, RELEASE) | {"usage_global": share.get(version)})
            of.append({"start": node, "end": f"browser-{key}"})
            if "engine" in row:
                runs.append({"start": node, "end": f"engine-{row['engine']}"})
    engines = sorted({row["end"] for row in runs})
    return {
        "nodes_browser": pd.DataFrame(browser),
        "nodes_release": pd.DataFrame(release),
        "nodes_engine": pd.DataFrame({"id": engines, "name": [key.partition("-")[2] for key in engines]}),
        "edges_release_of": edges("RELEASE_OF", of),
        "edges_runs_on": edges("RUNS_ON", runs),
        "edges_based_on": edges("BASED_ON", based),
    }


def specs(every: list[Row]) -> Tables:
    """Return the tables of specifications and working groups."""
    spec, group, worked = [], {}, []
    for row in every:
        node = f"spec-{row['shortname']}"
        states = {f"{edition}_status": row.get(edition, {}).get("status") for edition in ("release", "nightly")}
        spec.append({"id": node, "name": row["title"]} | kept(row, SPEC) | states)
        for told in row["groups"]:
            group[told["name"]] = {"id": f"wg-{told['name']}", "name": told["name"], "url": told["url"]}
            worked.append({"start": node, "end": f"wg-{told['name']}"})
    return {
        "nodes_spec": pd.DataFrame(spec),
        "nodes_working_group": pd.DataFrame(group.values()),
        "edges_developed_by": edges("DEVELOPED_BY", worked),
    }


def addresses(every: list[Row]) -> Iterator[tuple[str, str]]:
    """Yield addresses of specifications with their short names."""
    for row in every:
        nightly = row.get("nightly", {})
        editions = (row["url"], nightly.get("url"), row.get("release", {}).get("url"))
        for address in (*editions, *nightly.get("alternateUrls", []), *nightly.get("pages", [])):
            if address:
                yield address.partition("#")[0].rstrip("/"), row["shortname"]


def features(web: Row, every: list[Row], usage: Row) -> Tables:
    """Return the tables of features and their groups."""
    known = dict(reversed(list(addresses(every))))
    day = {(key, row["version"]): row["date"] for key, told in web["browsers"].items() for row in told["releases"]}
    feature, supported, grouped, defined = ([] for _ in range(4))
    for key, told in web["features"].items():
        if told["kind"] != "feature":
            continue
        node, status, entries = f"feature-{key}", told["status"], told.get("caniuse", [])
        days = {
            column: status.get(column, "").lstrip("≤") or None for column in ("baseline_low_date", "baseline_high_date")
        }
        share = usage["data"][entries[0]]["usage_perc_y"] if len(entries) == 1 else None
        more = {"discouraged": "discouraged" in told, "usage_perc_y": share}
        base = {"baseline": str(status["baseline"]).lower()}
        feature.append({"id": node, "key": key} | kept(told, "name description") | base | days | more)
        for browser, version in status["support"].items():
            row = {"version": version, "date": day.get((browser, version.lstrip("≤")))}
            supported.append({"start": f"browser-{browser}", "end": node} | row)
        grouped += [{"start": node, "end": f"group-{group}"} for group in told.get("group", [])]
        for address in told["spec"]:
            short = address.partition("#")[0].rstrip("/")
            while short not in known and "/" in short.removeprefix("https://"):
                short = short.rpartition("/")[0]
            if short in known:
                defined.append({"start": node, "end": f"spec-{known[short]}"})
    groups = web["groups"].items()
    return {
        "nodes_feature": pd.DataFrame(feature),
        "nodes_group": pd.DataFrame([{"id": f"group-{key}", "name": told["name"]} for key, told in groups]),
        "edges_supports": edges("SUPPORTS", supported),
        "edges_in_group": edges("IN_GROUP", grouped),
        "edges_parent": edges(
            "PARENT_GROUP",
            [{"start": f"group-{key}", "end": f"group-{told['parent']}"} for key, told in groups if "parent" in told],
        ),
        "edges_defined_in": edges("DEFINED_IN", defined).drop_duplicates(),
    }


def properties(compat: Row) -> Tables:
    """Return the tables of the properties of CSS."""
    found, part, supported = [], [], []
    for name, row in compat["css"]["properties"].items():
        told, node = row["__compat"], f"property-{name}"
        found.append({"id": node, "name": name} | kept(told, PROPERTY) | kept(told["status"], STATUS))
        for tag in told.get("tags", []):
            part.append({"start": node, "end": "feature-" + tag.partition(":")[2]})
        for browser, rows in told["support"].items():
            for version in rows if isinstance(rows, list) else [rows]:
                if version["version_added"] not in (False, "preview") and "flags" not in version:
                    ends = {"start": f"browser-{browser}", "end": node}
                    more = kept({"partial_implementation": False} | version, SUPPORT)
                    supported.append(ends | more)
    return {
        "nodes_property": pd.DataFrame(found),
        "edges_part_of": edges("PART_OF", part),
        "edges_implements": edges("IMPLEMENTS", supported),
    }


def web_platform(work: Path) -> Tables:
    """Return the tables of nodes and edges."""
    compat, web, every, usage = (fetched(package, work) for package in PACKAGES)
    tables = browsers(compat, usage) | specs(every) | features(web, every, usage) | properties(compat)
    known = set(pd.concat([table["id"] for key, table in tables.items() if key.startswith("nodes_")]))
    for key, table in tables.items():
        if key.startswith("nodes_"):
            rest = table.drop(columns=["id", "name"])
            label = key[6:].title().replace("_", "")
            tables[key] = table[["id"]].assign(label=label, name=table["name"]).join(rest)
        else:
            tables[key] = table[table["start"].isin(known) & table["end"].isin(known)]
    return tables


def scope(tables: Tables) -> dict[str, Any]:
    """Return what the expressions of the answers can use: the nodes by their kinds, and edges with both ends.

    Edges have their own columns, those of their start with `from_` before them, and those of their end with `to_`. A
    release has its `browser` and `engine`.
    """
    nodes = {key[6:]: table.drop(columns="label") for key, table in tables.items() if key.startswith("nodes_")}
    told = with_ends(tables)
    release = nodes["release"]
    names = pd.concat(nodes.values()).set_index("id")["name"]
    for column, relation in (("browser", "release_of"), ("engine", "runs_on")):
        ends = tables[f"edges_{relation}"].set_index("start")["end"]
        release = release.assign(**{column: release["id"].map(ends).map(names)})
    return nodes | told | {"release": release} | TOOLS


def main() -> None:
    """Write the set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--packages", type=Path, help="a folder that has the unpacked packages in packages/NAME")
    options = parser.parse_args()
    tables = web_platform(options.packages or options.work)
    text = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    written = as_written(tables, keep_default_na=False, na_values=[""], dtype={"version": str, "shortname": str})
    save(options.work / "browsers", tables, questions(text, scope(written)))


if __name__ == "__main__":
    main()
