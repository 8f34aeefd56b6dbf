"""Make a set for `everyday.py` out of public sample data: the tickets of a team that builds software, and its sprints.

    python benchmarks/everyday_tickets.py WORK [--package FOLDER]

Writes WORK/tickets, a folder with a table of nodes per type, a table of edges per relation, and `questions.jsonl`, out
of the questions in `everyday_tickets.txt`. There are tickets, with their types, states, story points, votes and when
they were opened, are due and were solved, the people they are assigned to and who reported them, the components that
people work on, epics and sub-tasks, sprints with their goals and boards, versions, which ticket blocks or duplicates
which, who left what kind of comment when, who logged how much time, and the pages of the wiki that tickets point to.

The data are those that a stand-in for Jira shows, the package jira820 of the Python index (MIT): none of the people
exist. It draws them from a seed and counts back from a day, which are given here, so it gives the same data each time;
it is fetched with pip unless a folder is given that has it unpacked. Only its generator is used, without its server.
Columns have the names and values of its store, such as `sp` for story points, but for those that only its answers have:
`subtask`, `emailAddress`, and `started` and `timeSpentSeconds` of a log. Days and times of comments are put together.
The name of a ticket is its key, that of a person `realName`, and a page, whose title stands in several spaces, is named
after both. Left out are texts of filler words, labels, the resolution and the priority, which are always the same, the
times of tickets, changes of states, links to pages elsewhere and repositories. Needs pandas.
"""

from __future__ import annotations

import importlib
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd

from everyday_gold import Row, tables_and_ends, write_set
from everyday_sets import Tables

PACKAGE = "jira820==0.12.0"
DATA = {"seed": "7", "project_key": "APP", "project_name": "App", "sprints_per_scrum_board": 10}
DAY = date(2025, 6, 30)
ISSUE = "type summary statusName statusCategory sp created updated resolved due watches votes subtask"
SPRINT = "state goal startDate endDate completeDate"
LINKS = {"blocks": "Blocks", "duplicates": "Duplicate", "relates_to": "Relates"}


def filled(package: Path) -> Any:
    """Return the store of the package, filled by its generator."""
    sys.path.insert(0, str(package.resolve()))
    config = importlib.import_module("jira820.config").Config(base_date=DAY, **DATA)
    return importlib.import_module("jira820.store").Store(config)


def picked(row: Row, columns: str) -> Row:
    """Return some columns of a row."""
    return {column: row.get(column) for column in columns.split()}


def nodes(label: str, rows: list[Row], columns: str) -> pd.DataFrame:
    """Return a table of nodes with a label, out of rows with keys and names, and with some columns."""
    return pd.DataFrame(
        [
            {"id": f"{label.lower()}-{row['key']}", "label": label, "name": row["name"]} | picked(row, columns)
            for row in rows
        ]
    ).convert_dtypes()


def edges(kind: str, ends: str, rows: list[tuple[Any, Any, Row]], columns: str = "") -> pd.DataFrame:
    """Return a table of edges of a kind with some columns; `ends` has the labels of both ends, as in ids."""
    start, end = ends.split()
    return pd.DataFrame(
        [
            {"start": f"{start}-{first}", "end": f"{end}-{second}", "type": kind} | picked(row, columns)
            for first, second, row in rows
        ]
    )


def issues(store: Any) -> Tables:
    """Return the tables of tickets and what they have one or more of."""
    every = [row | {"name": row["key"], "subtask": row["type"] == "Sub-task"} for row in store.issues.values()]

    def to(kind: str, label: str, column: str) -> pd.DataFrame:
        """Return the edges to what a column has, one or several keys."""
        several = [(row["key"], row[column] if isinstance(row[column], list) else [row[column]]) for row in every]
        found = [(key, other, {}) for key, others in several for other in others if other is not None]
        return edges(kind, f"issue {label}", found)

    versions = [(row["key"], version["id"], {}) for row in every for version in row["fixVersions"]]
    linked = [(row["key"], link) for row in every for link in row["links"] if link["dir"] == "outward"]
    return {
        "nodes_issue": nodes("Issue", every, ISSUE),
        "edges_assigned_to": to("ASSIGNED_TO", "user", "assignee"),
        "edges_reported_by": to("REPORTED_BY", "user", "reporter"),
        "edges_in_component": to("IN_COMPONENT", "component", "component"),
        "edges_in_epic": to("IN_EPIC", "issue", "epicKey"),
        "edges_subtask_of": to("SUBTASK_OF", "issue", "parentKey"),
        "edges_in_sprint": to("IN_SPRINT", "sprint", "sprints"),
        "edges_fix_version": edges("FIX_VERSION", "issue version", versions),
    } | {
        f"edges_{name}": edges(
            name.upper(), "issue issue", [(key, link["key"], {}) for key, link in linked if link["type"] == kind]
        )
        for name, kind in LINKS.items()
    }


def work(store: Any) -> Tables:
    """Return the tables of comments and logs of work."""
    comments = [
        (row["author"], key, row | {"created": f"{row['created']} {row['tcreated']}"})
        for key, issue in store.issues.items()
        for row in issue["comments"]
    ]
    logs = [
        (row["author"], key, {"started": f"{row['date']} {row['time']}", "timeSpentSeconds": row["seconds"]})
        for key, issue in store.issues.items()
        for row in issue["worklog"]
    ]
    return {
        "edges_commented": edges("COMMENTED", "user issue", comments, "kind created"),
        "edges_logged_work": edges("LOGGED_WORK", "user issue", logs, "started timeSpentSeconds"),
    }


def pages(store: Any) -> Tables:
    """Return the tables of the pages of the wiki, who did something with them and which tickets point to them."""
    title = "{title} ({spaceName})".format_map
    every = store.confluence_pages()
    key = {title(row): row["id"] for row in every}
    touched = [(user, key[title(row)], row) for user, rows in store.confluence.items() for row in rows]
    told = [
        (issue["key"], page, link)
        for issue in store.issues.values()
        for link in issue.get("remotelinks", [])
        for page in key.values()
        if f"/pages/{page}/" in link["url"]
    ]
    every = [row | {"key": row["id"], "name": title(row), "folder": " / ".join(row["ancestors"])} for row in every]
    return {
        "nodes_page": nodes("Page", every, "title space spaceName folder"),
        "edges_edited": edges("EDITED", "user page", touched, "action date"),
        "edges_documented_in": edges("DOCUMENTED_IN", "issue page", told, "relationship"),
    }


def tickets(package: Path) -> Tables:
    """Return the tables of nodes and edges."""
    store = filled(package)
    users = [
        row | {"key": key, "name": row["realName"], "emailAddress": store.serializer.user_obj(key)["emailAddress"]}
        for key, row in store.users.items()
    ]
    sprints, boards = ([row | {"key": key} for key, row in rows.items()] for rows in (store.sprints, store.boards))
    members = [(user, module, {}) for module, team in store.module_users.items() for user in team]
    return issues(store) | {
        "nodes_user": nodes("User", users, "displayName emailAddress company"),
        "nodes_component": nodes("Component", [{"key": name, "name": name} for name in store.config.components], ""),
        "nodes_sprint": nodes("Sprint", sprints, SPRINT),
        "nodes_board": nodes("Board", boards, "type filterId"),
        "nodes_version": nodes("Version", [row | {"key": row["id"]} for row in store.versions], "released releaseDate"),
        "edges_works_on": edges("WORKS_ON", "user component", members),
        "edges_on_board": edges("ON_BOARD", "sprint board", [(row["key"], row["boardId"], {}) for row in sprints]),
        **work(store),
        **pages(store),
    }


if __name__ == "__main__":
    write_set(__file__, __doc__, PACKAGE, tickets, tables_and_ends)
