"""Questions that depend on today's date: «this year», «in the last 30 days», «two years ago», and ages."""

from __future__ import annotations

import datetime

import pytest
from built_graphs import built_from_tables
from faults import told

from graphbrick.bricks.retrieve.operators.today import in_dates
from graphbrick.graphs.graph import Graph
from graphbrick.learn.default import default_pipeline
from graphbrick.patterns.lexicon import lexicon_of

TODAY = datetime.date(2024, 3, 31)  # a Sunday, at the end of a quarter; a month before it was the last day of February
TABLES = {
    "nodes_employee": "id,label,name,birth_date,hire_date\n"
    "e1,Employee,Ada Low,1964-05-01,2010-01-04\ne2,Employee,Bo Hay,1990-02-03,2023-03-01\n"
    "e3,Employee,Cy Orr,1980-03-31,2024-02-01\ne4,Employee,Di Fay,1999-01-15,2024-03-25\n",
    "nodes_team": "id,label,name\nt1,Team,Sales\nt2,Team,Design\n",
    "nodes_laptop": "id,label,name,bought\nl1,Laptop,LT-1,2016-01-01\nl2,Laptop,LT-2,2023-01-01\n",
    "edges_in": "start,end,type\ne1,t1,IN_TEAM\ne2,t1,IN_TEAM\ne3,t2,IN_TEAM\ne4,t2,IN_TEAM\n",
    "edges_has": "start,end,type\ne1,l1,HAS_LAPTOP\ne2,l2,HAS_LAPTOP\n",
}
DEAD = {
    "nodes_composer": "id,label,name,born,died\nc1,Composer,Bela Bartok,1881-03-25,1945-09-26\n"
    "c2,Composer,Arvo Part,1935-09-11,\n",
    "nodes_work": "id,label,name\nw1,Work,Fratres\n",
    "edges_wrote": "start,end,type\nc2,w1,WROTE\n",
}


@pytest.fixture(scope="module")
def staff(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return built_from_tables(tmp_path_factory.mktemp("staff"), TABLES)


@pytest.fixture(scope="module")
def composers(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return built_from_tables(tmp_path_factory.mktemp("composers"), DEAD)


@pytest.fixture(autouse=True)
def _on_that_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphbrick.bricks.retrieve.operators.today.today", lambda: TODAY)


@pytest.mark.parametrize(
    ("text", "read_as"),
    [
        ("hired this year", "hired in 2024"),
        ("hired during the last year", "hired in 2023"),
        ("hired in the past year", "hired between 2023-03-31 and 2024-03-31"),
        ("hired last month", "hired in 2024-02"),
        ("hired next month", "hired in 2024-04"),
        ("hired this quarter", "hired between 2024-01-01 and 2024-03-31"),
        ("hired last quarter", "hired between 2023-10-01 and 2023-12-31"),
        ("hired this week", "hired between 2024-03-25 and 2024-03-31"),
        ("hired last week", "hired between 2024-03-18 and 2024-03-24"),
        ("hired in the last 30 days", "hired in 2024-03"),
        ("hired in the last 10 days", "hired between 2024-03-21 and 2024-03-31"),
        ("hired within the past two years", "hired between 2022-03-31 and 2024-03-31"),
        ("due in the next couple of weeks", "due between 2024-03-31 and 2024-04-14"),
        ("hired since last year", "hired since 2023-01-01"),
        ("hired before this year", "hired before 2024-01-01"),
        ("hired today", "hired on 2024-03-31"),
        ("hired since yesterday", "hired since 2024-03-30"),
        ("yesterday's hires", "hires on 2024-03-30"),
        ("hired 2 years ago", "hired in 2022"),
        ("hired a month ago", "hired in 2024-02"),
        ("hired more than five years ago", "hired before 2019-03-31"),
        ("hired less than 6 months ago", "hired since 2023-09-30"),
        ("anyone older than 50", "anyone born before 1974-03-31"),
        ("employees aged 40", "employees born between 1983-04-01 and 1984-03-31"),
        ("employees in their thirties", "employees born between 1984-04-01 and 1994-03-31"),
        ("employees over 50", "employees born before 1974-03-31"),
        # No such time or age is meant.
        ("last year in which one was hired", "last year in which one was hired"),
        ("last week of june", "last week of june"),
        ("employees over 50 km away", "employees over 50 km away"),
        ("employees over 50 000", "employees over 50 000"),
        ("employees as of today", "employees as of today"),
    ],
)
def test_times_are_dates(staff: Graph, text: str, read_as: str) -> None:
    assert in_dates(staff, text, lexicon_of(staff)) == read_as


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Who was hired this year?", {"Cy Orr", "Di Fay"}),
        ("Who was hired last year?", {"Bo Hay"}),
        ("Who was hired in the past two weeks?", {"Di Fay"}),
        ("employees hired in the last 7 days", {"Di Fay"}),
        ("How many employees were hired last month?", {"1"}),
        ("Which employees were hired more than ten years ago?", {"Ada Low"}),
        ("How many employees were hired yesterday?", {"0"}),
        ("How old is Ada Low?", {"59 years"}),
        ("What is the age of Cy Orr?", {"44 years"}),
        ("What is the average age in Design?", {"34.5 years"}),
        ("Who is older than 50?", {"Ada Low"}),
        ("employees under 40 in Sales", {"Bo Hay"}),
        ("Which employees are at least 44?", {"Ada Low", "Cy Orr"}),
        ("employees aged 30 to 45", {"Bo Hay", "Cy Orr"}),
        ("Is Ada Low older than 60?", {"no"}),
        ("laptops older than 5 years", {"LT-1"}),
    ],
)
def test_questions_are_answered_by_todays_date(staff: Graph, question: str, answers: set[str]) -> None:
    answer = default_pipeline(staff)(staff, question)
    assert set(answer.texts) == answers
    assert (answer.confidence or 0) > 0.9
    assert answer.trace is not None
    assert any("2024-03-31" in event for event in answer.trace.events)


def test_where_people_have_died_no_age_is_told(composers: Graph) -> None:
    pipeline = default_pipeline(composers)
    for question in ("How old is Bela Bartok?", "composers older than 50", "average age of composers"):
        assert not {"143 years", "Bela Bartok"} & set(pipeline(composers, question).texts), question
    answer = pipeline(composers, "How old is Bela Bartok?")
    assert answer.trace is not None
    reasons = [values.get("reason") for _, values in told(answer.trace.events)]
    assert "operators.needs_age" in reasons
