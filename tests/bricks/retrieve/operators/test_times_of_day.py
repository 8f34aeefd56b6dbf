"""Times of day: texts such as 07:30 in columns, asked for, compared and in order."""

from __future__ import annotations

import pytest
from built_graphs import built_from_tables

from graphbrick.graphs.graph import Graph
from graphbrick.learn.default import default_pipeline

TRAINS = """id,label,name,date,sched_dep_time,dep_time,arr_time
t1,Train,IC-1,2024-05-06,05:15,05:20,07:05
t2,Train,IC-2,2024-05-06,09:00,09:30,12:10
t3,Train,IC-3,2024-05-07,05:45,05:45,08:00
t4,Train,IC-4,2024-05-07,22:30,,
t5,Train,IC-5,2024-05-07,18:00,18:05,21:00
"""
SHOPS = """id,label,name,opening_time,closing_time
s1,Shop,Corner Shop,06:30:00,22:00:00
s2,Shop,Night Shop,18:00:00,26:00:00
s3,Shop,Old Shop,09:00:00,17:30:00
"""
CITIES = "id,label,name\nc1,City,Basel\nc2,City,Genoa\n"
EDGES = """start,end,type
t1,c1,GOES_TO
t2,c1,GOES_TO
t3,c2,GOES_TO
t4,c2,GOES_TO
t5,c2,GOES_TO
s1,c1,IN
s2,c1,IN
s3,c2,IN
"""


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    tables = {"nodes-t": TRAINS, "nodes-s": SHOPS, "nodes-c": CITIES, "edges": EDGES}
    return built_from_tables(tmp_path_factory.mktemp("times"), tables)


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        # What is planned is another column than what was.
        ("which trains left before 5:30?", {"IC-1"}),
        ("which trains were due to leave before 5:50 am", {"IC-1", "IC-3"}),
        ("which trains arrived after noon?", {"IC-2", "IC-5"}),
        ("trains that left after half past nine in the morning", {"IC-5"}),
        ("how many trains departed between 5 am and 9:30 am?", {"3"}),
        ("trains after 6 pm to Genoa", {"IC-5"}),
        ("trains that left between 5 and 9 am", {"IC-1", "IC-3"}),
        ("shops that open from 6 to 7 am", {"Corner Shop"}),
        ("which trains left before 6 am on 7 May 2024", {"IC-3"}),
        ("which shops open at 9 o'clock?", {"Old Shop"}),
        ("shops that close after midnight", {"Night Shop"}),
        ("shops that close before 10 pm", {"Old Shop"}),
        # Asked for.
        ("at what time did IC-2 leave?", {"09:30"}),
        ("when did IC-2 arrive", {"12:10"}),
        ("what time does Night Shop open?", {"18:00:00"}),
        # In their order: a day with its time of day.
        ("the last train to Genoa", {"IC-5"}),
        ("first train on 2024-05-07", {"IC-3"}),
        ("which shop opens the earliest?", {"Corner Shop"}),
        ("which shop closes the latest", {"Night Shop"}),
        # A number is no time of day, and a time of day no number.
        ("trains before 2025", {"IC-1", "IC-2", "IC-3", "IC-4", "IC-5"}),
    ],
)
def test_times_of_day(town: Graph, question: str, answers: set[str]) -> None:
    assert set(default_pipeline(town)(town, question).texts) == answers


def test_what_has_no_time_is_told(town: Graph) -> None:
    answer = default_pipeline(town)(town, "which trains left before 5:30?")
    assert "1 of 5 have no dep_time, and do not count" in " ".join(map(str, answer.trace.events))
