"""Questions for a number of each group, or for what each has, beside groups made by plain Python."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from statistics import fmean, median

import pytest
from built_graphs import built_from_tables

from graphbrick.bricks.retrieve.operators.amounts import shown_number
from graphbrick.core import Answer
from graphbrick.graphs.graph import Graph
from graphbrick.learn.default import default_pipeline

TICKETS = """id,label,name,severity,opened,hours
t1,Ticket,T-1,high,2023-01-09,5
t2,Ticket,T-2,low,2023-01-20,1.5
t3,Ticket,T-3,high,2023-02-13,8
t4,Ticket,T-4,medium,2024-03-04,2
t5,Ticket,T-5,high,2024-03-05,
t6,Ticket,T-6,,2024-03-12,3
"""
AGENTS = "id,label,name,city\na1,Agent,Ada Low,Oslo\na2,Agent,Bo Hay,Bergen\na3,Agent,Cy Orr,Oslo\n"
TEAMS = "id,label,name\nm1,Team,Network\nm2,Team,Billing\n"
EDGES = """start,end,type
t1,a1,HANDLED_BY
t2,a1,HANDLED_BY
t3,a2,HANDLED_BY
t4,a2,HANDLED_BY
t5,a2,HANDLED_BY
t1,a2,REVIEWED_BY
a1,m1,MEMBER_OF
a2,m1,MEMBER_OF
a3,m2,MEMBER_OF
"""
Rows = list[dict[str, str]]
GIVEN = [row for row in csv.DictReader(io.StringIO(TICKETS)) if row["severity"]]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    tables = {"nodes-t": TICKETS, "nodes-a": AGENTS, "nodes-m": TEAMS, "edges": EDGES}
    return built_from_tables(tmp_path_factory.mktemp("desk"), tables)


def _tickets() -> Rows:
    """Return the tickets, each with its agent, city and team."""
    rows, nodes = list(csv.DictReader(io.StringIO(TICKETS))), {}
    for table in (AGENTS, TEAMS):
        nodes |= {row["id"]: row for row in csv.DictReader(io.StringIO(table))}
    for edge in csv.DictReader(io.StringIO(EDGES)):
        if edge["type"] == "MEMBER_OF":
            nodes[edge["start"]]["team"] = nodes[edge["end"]]["name"]
    for edge in csv.DictReader(io.StringIO(EDGES)):
        for row in rows:
            if row["id"] == edge["start"] and edge["type"] == "HANDLED_BY":
                agent = nodes[edge["end"]]
                row |= {"agent": agent["name"], "city": agent["city"], "team": agent["team"]}
    return rows


def _each(key: Callable[[dict[str, str]], str], how: Callable[[list[float]], float], column: str = "") -> set[str]:
    """Return «group: number» of the tickets, by a plain loop."""
    groups = defaultdict(list)
    for row in _tickets():
        if key(row) and (not column or row[column]):
            groups[key(row)].append(float(row[column]) if column else 1.0)
    return {f"{name}: {shown_number(how(numbers), '')}" for name, numbers in groups.items()}


def notes(answer: Answer) -> str:
    return " ".join(map(str, answer.trace.events))


def by(name: str) -> Callable[[dict[str, str]], str]:
    return lambda row: row.get(name, "")


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        # By a property, a class one or two relations away, a property of that, and parts of the one date.
        ("how many tickets per severity", _each(by("severity"), sum)),
        ("How many tickets of each severity are there?", _each(by("severity"), sum)),
        ("how many tickets do we have for each severity", _each(by("severity"), sum)),
        ("number of tickets per severity there are", _each(by("severity"), sum)),
        ("How many tickets of every severity do we have?", _each(by("severity"), sum)),
        ("number of tickets by severity", _each(by("severity"), sum)),
        ("average hours by severity", _each(by("severity"), fmean, "hours")),
        ("What is the total of hours for each team?", _each(by("team"), sum, "hours")),
        ("how many tickets per agent city", _each(by("city"), sum)),
        ("count of tickets by year", _each(lambda row: row["opened"][:4], sum)),
        ("total hours per month", _each(lambda row: row["opened"][:7], sum, "hours")),
        ("number of tickets per weekday", {"Monday: 3", "Friday: 1", "Tuesday: 2"}),
        ("what are the maximum hours per severity", _each(by("severity"), max, "hours")),
        ("lowest hours by team", _each(by("team"), min, "hours")),
        ("break down the tickets by severity", _each(by("severity"), sum)),
        ("for each severity, how many tickets are there?", _each(by("severity"), sum)),
        # The verb tells which of two relations is meant; members without any are groups of a count.
        ("how many tickets did each agent handle", {*_each(by("agent"), sum), "Cy Orr: 0"}),
        ("how many tickets were reviewed by each agent", {"Bo Hay: 1", "Ada Low: 0", "Cy Orr: 0"}),
        ("total hours of tickets handled by each agent", _each(by("agent"), sum, "hours")),
        # Conditions stay, before the groups or after them.
        ("how many high severity tickets per year", {"2023: 2", "2024: 1"}),
        ("how many tickets per severity in 2023", {"high: 2", "low: 1"}),
        ("number of agents per city", {"Oslo: 2", "Bergen: 1"}),
        # The best of each group; a ticket without a date or severity does not count.
        ("the latest ticket of each severity", {"high: T-5", "low: T-2", "medium: T-4"}),
        ("oldest ticket per team", {"Network: T-1"}),
        ("Which ticket is the latest in each severity?", {"high: T-5", "low: T-2", "medium: T-4"}),
        ("two latest tickets per severity", {"high: T-5, T-3", "low: T-2", "medium: T-4"}),
        ("last ticket for each agent", {"Ada Low: T-2", "Bo Hay: T-5"}),
        # The best group, and the mean of all.
        ("which severity has the most tickets", {"high"}),
        ("which city has the fewest agents?", {"Bergen"}),
        ("in which severity are the average hours highest", {"high"}),
        ("which agent city has the lowest total hours?", {"Oslo"}),
        ("what city do most of our agents live in", {"Oslo"}),
        ("average number of agents per city", {"1.5"}),
        ("on average, how many tickets per agent", {"1.67"}),
        ("how many tickets does the average agent handle?", {"1.67"}),
        ("median hours per year", _each(lambda row: row["opened"][:4], median, "hours")),
        # What each has, beside its name.
        ("agents and their teams", {"Ada Low: Network", "Bo Hay: Network", "Cy Orr: Billing"}),
        ("list the agents with their cities", {"Ada Low: Oslo", "Bo Hay: Bergen", "Cy Orr: Oslo"}),
        ("what is the severity of each ticket?", {f"{row['name']}: {row['severity']}" for row in GIVEN}),
        ("each agent's tickets", {"Ada Low: T-1, T-2", "Bo Hay: T-3, T-4, T-5"}),
        # Of all, without groups.
        ("median hours", {"3"}),
        ("total hours in 2023", {"14.5"}),
    ],
)
def test_a_number_of_each_group(question: str, answers: set[str], desk: Graph) -> None:
    assert set(default_pipeline(desk)(desk, question).texts) == answers


def test_the_largest_comes_first_and_what_is_in_no_group_is_told(desk: Graph) -> None:
    answer = default_pipeline(desk)(desk, "how many tickets per severity")
    assert answer.texts[0] == "high: 3"
    assert "1 of 6 have no severity, and do not count" in notes(answer)
    years = default_pipeline(desk)(desk, "how many tickets per year")
    assert years.texts == ("2023: 3", "2024: 3")


def test_a_list_in_an_order_or_by_somebody_is_no_number_of_groups(desk: Graph) -> None:
    ask = default_pipeline(desk)
    assert ask(desk, "the two shortest tickets by hours").texts == ("T-2", "T-4")
    for question in ("list the tickets by agent", "number of tickets by agents of Network", "tickets per shift"):
        assert not any(":" in text for text in ask(desk, question).texts)


def test_a_plain_noun_by_another_is_an_assumption(desk: Graph) -> None:
    answer = default_pipeline(desk)(desk, "tickets by severity")
    assert set(answer.texts) == _each(by("severity"), sum)
    assert "'tickets' are counted for each severity" in notes(answer)


def test_every_group_has_something_that_shows_it(tmp_path: Path) -> None:
    crowd = "".join(f"p{n},Person,P {n},{'Oslo' if n < 40 else 'Bergen' if n < 45 else 'Bodo'}\n" for n in range(47))
    tables = {"nodes-p": f"id,label,name,city\n{crowd}", "edges": "start,end,type\np0,p1,KNOWS\n"}
    answer = default_pipeline(graph := built_from_tables(tmp_path, tables))(graph, "number of persons per city")
    assert answer.texts == ("Oslo: 40", "Bergen: 5", "Bodo: 2")
    shown = {graph.properties(entity)["city"] for item in answer.evidence.items for entity in item.entities}
    assert shown == {"Oslo", "Bergen", "Bodo"}


def test_of_several_best_of_a_group_those_that_are_left_out_are_told(tmp_path: Path) -> None:
    plants = "id,label,name,bed,height\np1,Plant,Aloe,north,5\np2,Plant,Basil,north,7\np3,Plant,Chive,north,5\n"
    tables = {"nodes-p": f"{plants}p4,Plant,Dill,south,4\n", "edges": "start,end,type\np1,p2,BESIDE\n"}
    graph = built_from_tables(tmp_path, tables)
    answer = default_pipeline(graph)(graph, "two tallest plants per bed")
    assert set(answer.texts) == {"north: Basil, Aloe", "south: Dill"}
    assert "1 more have the same height" in notes(answer)


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Who handled each ticket?", ["T-1: Ada Low", "T-2: Ada Low", "T-3: Bo Hay", "T-4: Bo Hay", "T-5: Bo Hay"]),
        ("Which team is each agent in?", ["Ada Low: Network", "Bo Hay: Network", "Cy Orr: Billing"]),
        ("Which team is every agent in?", ["Ada Low: Network", "Bo Hay: Network", "Cy Orr: Billing"]),
        ("Which tickets did each agent handle?", ["Ada Low: T-1, T-2", "Bo Hay: T-3, T-4, T-5"]),
        ("Which agents are members of each team?", ["Network: Ada Low, Bo Hay", "Billing: Cy Orr"]),
        ("Which agents are in each team?", ["Network: Ada Low, Bo Hay", "Billing: Cy Orr"]),
        ("What city is each agent in?", ["Ada Low: Oslo", "Bo Hay: Bergen", "Cy Orr: Oslo"]),
        ("What severity is each ticket?", ["T-1: high", "T-2: low", "T-3: high", "T-4: medium", "T-5: high"]),
    ],
)
def test_a_line_for_each(question: str, answers: list[str], desk: Graph) -> None:
    answer = default_pipeline(desk)(desk, question)
    assert list(answer.texts) == answers
    assert (answer.confidence or 0) > 0.9


def test_what_says_nothing_of_each_is_no_answer(desk: Graph) -> None:
    pipeline = default_pipeline(desk)
    assert pipeline(desk, "Which agent is a member of every team?").texts == ()  # nobody is
    assert all(": " in text for text in pipeline(desk, "Which agents worry about each team?").texts)
    assert len(pipeline(desk, "List each ticket of Bo Hay").texts) == 3
