"""Make a set for `everyday.py` out of public data: the Premier League of 2022/23, as Fantasy Premier League tells it.

    python benchmarks/everyday_league.py WORK [--package UNPACKED]

Writes WORK/league, a folder with a table of nodes per type, a table of edges per relation, and `questions.jsonl`, out
of the questions in `everyday_league.txt`. There are the clubs with their ratings, all players with their positions
and the figures of their season, the fixtures with when they began and how they ended, and the events, which are the
rounds of the season. Edges tell who scored, assisted, saved, was booked, sent off or got a bonus in which fixture and
how often, what kept whom from playing and when, and whom the managers of fantasy teams chose in a round.

The data come with airsenal (MIT, by The Alan Turing Institute): its copies of what the interface of Fantasy Premier
League gave after the season, ratings of clubs in the games of FIFA, and absences that it took from Transfermarkt. The
results and the people are real. It is fetched with pip unless a path to an unpacked one is passed. Columns, relations
and values are named as there, but `name` is the whole name of players and made of both clubs for fixtures, numbers that
are texts there are numbers, and times have no zone (they are in UTC). Prices (`now_cost`) are in tenths, as there. Left
out are pictures, ranks, figures per 90 minutes, points for the bonus system, columns that are the same in all rows, and
absences of players that have other names there. Needs pandas.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from everyday_gold import Row, tables_and_ends, write_set
from everyday_sets import Tables

PACKAGE = "airsenal==1.17.0"
SEASON = "2223"
STRENGTHS = "strength_attack_home strength_attack_away strength_defence_home strength_defence_away"
PLAYED = "minutes starts goals_scored assists clean_sheets goals_conceded own_goals saves bonus"
KICKS = "penalties_saved penalties_missed yellow_cards red_cards"
EXPECTED = "expected_goals expected_assists"
PRICES = "now_cost cost_change_start total_points points_per_game selected_by_percent transfers_in transfers_out"
PLAYER = f"web_name status news {PRICES} {PLAYED} {KICKS} {EXPECTED} ict_index dreamteam_count penalties_order"
FIXTURE = "kickoff_time team_h_score team_a_score team_h_difficulty team_a_difficulty"
EVENT = "deadline_time average_entry_score highest_score transfers_made"
POSITION = "plural_name singular_name_short squad_select squad_min_play squad_max_play"
CHOICES = "most_selected most_transferred_in top_element most_captained most_vice_captained"
NUMBERS = f"points_per_game selected_by_percent {EXPECTED} ict_index".split()
LEFT_OUT = "bps"
FULL_NAMES = {
    "Brighton": "Brighton & Hove Albion",
    "Leicester": "Leicester City",
    "Leeds": "Leeds United",
    "Man City": "Manchester City",
    "Man Utd": "Manchester United",
    "Newcastle": "Newcastle United",
    "Nott'm Forest": "Nottingham Forest",
    "Spurs": "Tottenham Hotspur",
    "West Ham": "West Ham United",
    "Wolves": "Wolverhampton Wanderers",
}
"""The names that the table of ratings has for clubs."""


def nodes(label: str, rows: Iterable[Row], columns: str, name: str = "{name}") -> pd.DataFrame:
    """Return a table of nodes with a label and some columns; `name` is a pattern for their names."""
    found = []
    for row in rows:
        kept = {column: row.get(column) for column in columns.split()}
        for column, value in kept.items():
            if column.endswith("_time") and value:
                kept[column] = value[:19]
            elif column in NUMBERS:
                kept[column] = float(value)
        found.append({"id": f"{label.lower()}-{row['id']}", "label": label, "name": name.format(**row)} | kept)
    return pd.DataFrame(found).replace("", None).convert_dtypes()


def edges(kind: str, ends: str, rows: Iterable[Row], columns: str = "") -> pd.DataFrame:
    """Return a table of edges of a kind with some columns.

    `ends` has the kinds and the columns of both ends, such as `player.id team.team`.
    """
    (start, start_key), (end, end_key) = (part.split(".") for part in ends.split())
    return pd.DataFrame(
        [
            {"start": f"{start}-{row[start_key]}", "end": f"{end}-{row[end_key]}", "type": kind}
            | {column: row.get(column) for column in columns.split()}
            for row in rows
            if row[end_key] is not None
        ]
    ).convert_dtypes()


def happened(fixtures: list[Row]) -> dict[str, list[Row]]:
    """Return what players did in fixtures, by what it was."""
    found: dict[str, list[Row]] = {}
    for fixture in fixtures:
        for stat in fixture["stats"]:
            rows = [{"fixture": fixture["id"]} | row for row in stat["h"] + stat["a"]]
            found.setdefault(stat["identifier"], []).extend(rows)
    return {kind: rows for kind, rows in found.items() if rows and kind != LEFT_OUT}


def absences(path: Path, players: list[Row]) -> pd.DataFrame:
    """Return the absences of players whose whole names, or short ones that no other has, are known."""
    names = pd.Series([row["web_name"] for row in players]).value_counts()
    known = {row["web_name"]: row["id"] for row in players if names[row["web_name"]] == 1}
    known |= {row["name"]: row["id"] for row in players}
    table = pd.read_csv(path).drop_duplicates()
    table = table.assign(player=table["player"].map(known)).dropna(subset=["player", "details"])
    table = table[~table["details"].str.startswith("Transferred")]
    return table.astype({"player": int}).sort_values(["player", "from"])


def league(package: Path) -> Tables:
    """Return the tables of nodes and edges."""
    data = next(package.rglob(f"FPL_{SEASON}.json")).parent
    raw: dict[str, Any] = json.loads((data / f"FPL_{SEASON}.json").read_text(encoding="utf-8"))
    fixtures: list[Row] = json.loads((data / f"fixture_data_{SEASON}.json").read_text(encoding="utf-8"))
    ratings = pd.read_csv(data / f"fifa_team_ratings_{SEASON}.csv").set_index("team_name").to_dict("index")
    teams = [row | ratings[FULL_NAMES.get(row["name"], row["name"])] for row in raw["teams"]]
    clubs = {row["id"]: row["name"] for row in teams}
    for row in fixtures:
        row["name"] = f"{clubs[row['team_h']]} v {clubs[row['team_a']]}"
    players = [row | {"name": f"{row['first_name']} {row['second_name']}"} for row in raw["elements"]]
    positions = [row | {"name": row["singular_name"]} for row in raw["element_types"]]
    absent = absences(data / f"absences_{SEASON}.csv", players)
    details = {name: number for number, name in enumerate(sorted(absent["details"].unique()), 1)}
    missing = absent.assign(detail=absent["details"].map(details)).astype(object)
    reasons = absent.drop_duplicates("details").set_index("details")["reason"]
    tables = {
        "nodes_team": nodes("Team", teams, f"short_name att mid defn ovr strength {STRENGTHS}"),
        "nodes_player": nodes("Player", players, PLAYER),
        "nodes_fixture": nodes("Fixture", fixtures, FIXTURE),
        "nodes_event": nodes("Event", raw["events"], EVENT),
        "nodes_element_type": nodes("Element_type", positions, POSITION),
        "nodes_absence": nodes(
            "Absence",
            [{"id": number, "name": name, "reason": reasons[name]} for name, number in details.items()],
            "reason",
        ),
        "edges_team": edges("TEAM", "player.id team.team", players),
        "edges_element_type": edges("ELEMENT_TYPE", "player.id element_type.element_type", players),
        "edges_team_h": edges("TEAM_H", "fixture.id team.team_h", fixtures),
        "edges_team_a": edges("TEAM_A", "fixture.id team.team_a", fixtures),
        "edges_event": edges("EVENT", "fixture.id event.event", fixtures),
        "edges_absent_with": edges(
            "ABSENT_WITH", "player.player absence.detail", missing.to_dict("records"), "from until days games"
        ),
    }
    for kind, rows in happened(fixtures).items():
        tables[f"edges_{kind}"] = edges(kind.upper(), "player.element fixture.fixture", rows, "value")
    for choice in CHOICES.split():
        tables[f"edges_{choice}"] = edges(choice.upper(), f"event.id player.{choice}", raw["events"])
    return tables


if __name__ == "__main__":
    write_set(__file__, __doc__, PACKAGE, league, tables_and_ends)
