"""Questions about what is late, did not leave, and how long it takes, over a graph with times of day."""

from __future__ import annotations

from pathlib import Path

import pytest
from built_graphs import built_from_tables

from graphbrick.graphs.graph import Graph
from graphbrick.learn.default import default_pipeline
from graphbrick.patterns.properties.durations import unit_by_clocks

FLIGHTS = """id,label,name,date,sched_dep_time,dep_time,dep_delay,sched_arr_time,arr_time,arr_delay,air_time,distance
f1,Flight,NX10 2024-05-06,2024-05-06,08:00,08:05,5,10:00,09:55,-5,90,500
f2,Flight,NX10 2024-05-07,2024-05-07,08:00,13:10,310,10:00,15:00,300,95,500
f3,Flight,NX20 2024-05-06,2024-05-06,09:00,08:55,-5,11:00,11:40,40,120,700
f4,Flight,NX20 2024-05-07,2024-05-07,09:00,,,11:00,,,,700
f5,Flight,QF30 2024-05-06,2024-05-06,12:00,12:45,45,23:00,23:30,30,640,4000
f6,Flight,QF30 2024-05-07,2024-05-07,12:00,11:50,-10,23:00,22:50,-10,620,4000
f7,Flight,QF40 2024-05-07,2024-05-07,23:30,00:20,50,01:00,01:45,45,60,300
"""
TRIPS = """id,label,name,start_time,end_time,duration,num_stops
t1,Trip,North Run,05:50:00,06:50:00,1.0,35
t2,Trip,South Run,07:00:00,07:24:00,0.4,20
t3,Trip,East Run,08:00:00,09:30:00,1.5,40
t4,Trip,West Run,10:00:00,10:45:00,0.75,22
t5,Trip,Short Run,11:00:00,11:30:00,0.5,12
"""
AIRPORTS = "id,label,name\np1,Airport,Oslo Gard\np2,Airport,Rome Ciamp\n"
STOPS = "id,label,name\ns1,Stop,Mill Lane\ns2,Stop,Depot Road\ns3,Stop,Old Well\n"
WAYS = "start,end,type\n" + "".join(
    f"f{n},p{1 if n % 2 else 2},DEPARTS_FROM\nf{n},p{2 if n % 2 else 1},GOES_TO\n" for n in range(1, 8)
)
RUNS = "start,end,type\n" + "".join(
    f"t{n},s1,STARTS_AT\nt{n},s2,ENDS_AT\nt{n},s3,STOPS_AT\nt{n},s1,STOPS_AT\n" for n in range(1, 6)
)


@pytest.fixture(scope="module")
def flights(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    tables = {"nodes-f": FLIGHTS, "nodes-p": AIRPORTS, "edges": WAYS}
    return built_from_tables(tmp_path_factory.mktemp("flights"), tables)


@pytest.fixture(scope="module")
def trips(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return built_from_tables(tmp_path_factory.mktemp("trips"), {"nodes-t": TRIPS, "nodes-p": STOPS, "edges": RUNS})


def test_times_tell_the_unit_of_a_length(flights: Graph, trips: Graph, tmp_path: Path) -> None:
    names = ("dep_delay", "arr_delay", "air_time", "distance")
    assert [unit_by_clocks(flights, name) for name in names] == ["minutes", "minutes", "minutes", ""]
    assert [unit_by_clocks(trips, name) for name in ("duration", "num_stops")] == ["hours", ""]
    alone = TRIPS.replace(":00:00", "").replace(":", ".")
    untold = built_from_tables(tmp_path, {"nodes-t": alone, "nodes-p": STOPS, "edges": RUNS})
    assert unit_by_clocks(untold, "duration") == ""


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        # Late and early are delays; another unit is converted.
        ("which flights left more than 5 hours late?", {"NX10 2024-05-07"}),
        ("which flights arrived early", {"NX10 2024-05-06", "QF30 2024-05-07"}),
        ("how many flights departed late?", {"4"}),
        ("which flights arrived at least 45 minutes late", {"NX10 2024-05-07", "QF40 2024-05-07"}),
        ("which flights landed late in Rome Ciamp on 6 May 2024", {"NX20 2024-05-06", "QF30 2024-05-06"}),
        ("which flights left on 2024-05-06 with a delay of more than half an hour", {"QF30 2024-05-06"}),
        ("how late did QF30 2024-05-06 leave", {"45"}),
        ("how many hours late did NX10 2024-05-07 arrive?", {"5 hours"}),
        ("did NX10 2024-05-07 arrive more than four hours late?", {"yes"}),
        ("did NX20 2024-05-06 leave late?", {"no"}),
        # A day that is in a name tells which one is meant, wherever it stands.
        ("did NX10 arrive more than four hours late on 7 May 2024?", {"yes"}),
        ("how many minutes late did NX10 leave on 2024-05-07", {"310"}),
        ("how late did QF30 leave on May 6th, 2024?", {"45"}),
        # What did not take place has no time.
        ("which flights did not depart?", {"NX20 2024-05-07"}),
        ("how many flights on 7 May 2024 never took off", {"1"}),
        ("how many flights departed on 2024-05-07", {"3"}),
        ("how many flights departed from Rome Ciamp on 2024-05-07", {"2"}),
        ("how many flights are there on 2024-05-07", {"4"}),
        ("did NX20 2024-05-07 depart?", {"no"}),
        # What is planned has one.
        ("when was NX20 of 7 May 2024 supposed to land?", {"11:00"}),
        ("what time should QF40 2024-05-07 have left", {"23:30"}),
        ("when did QF40 2024-05-07 leave", {"00:20"}),
        ("flights with an air time over 10 hours", {"QF30 2024-05-06", "QF30 2024-05-07"}),
        ("flights with an arrival delay below -5", {"QF30 2024-05-07"}),
        ("how long was QF30 2024-05-06 in the air?", {"640"}),
        ("flights that were in the air for more than ten hours", {"QF30 2024-05-06", "QF30 2024-05-07"}),
    ],
)
def test_delays(flights: Graph, question: str, answers: set[str]) -> None:
    answer = default_pipeline(flights)(flights, question)
    assert set(answer.texts) == answers
    assert (answer.confidence or 0) >= 0.8


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("which trips take more than an hour?", {"East Run"}),
        ("trips that take under 30 minutes", {"South Run"}),
        ("trips with a duration of at least 90 minutes", {"East Run"}),
        ("which trips take between 40 and 70 minutes", {"North Run", "West Run"}),
        ("how many minutes does the North Run take?", {"60 minutes"}),
        ("what is the average duration of trips in minutes", {"49.8 minutes"}),
        ("what is the shortest trip in terms of time", {"South Run"}),
        # Where journeys go is where they end; they may stop elsewhere.
        ("where does the North Run go?", {"Depot Road"}),
        ("where does the North Run come from?", {"Mill Lane"}),
        ("where is the North Run headed?", {"Depot Road"}),
        ("where does the North Run stop?", {"Old Well", "Mill Lane"}),
    ],
)
def test_lengths_and_ways(trips: Graph, question: str, answers: set[str]) -> None:
    assert set(default_pipeline(trips)(trips, question).texts) == answers


def test_where_a_flight_goes(flights: Graph) -> None:
    assert default_pipeline(flights)(flights, "where was NX10 2024-05-06 headed?").texts == ("Rome Ciamp",)


def test_what_cannot_be_read_is_refused(flights: Graph, trips: Graph) -> None:
    assert default_pipeline(flights)(flights, "which flights did not arrive late?").texts == ()
    assert default_pipeline(trips)(trips, "who was driving the North Run?").texts == ()
    assert default_pipeline(trips)(trips, "trips that take more than 2 kilograms").texts == ()
