"""Questions over an issue tracker: several properties at once, dates by their names, hours that stand at triples."""

from __future__ import annotations

import pytest
from built_graphs import built_from_tables

from graphbrick.graphs.graph import Graph
from graphbrick.learn.default import default_pipeline

NODES = {
    "issue": "id,label,name,type,status,created_at,due,resolved,votes\n"
    "i1,Issue,OPS-1,Bug,open,2025-01-10,2025-03-01,,4\n"
    "i2,Issue,OPS-2,Bug,closed,2025-02-10,2025-04-15,2025-04-02,0\n"
    "i3,Issue,OPS-3,Task,closed,2025-04-20,,2025-05-05,7\n",
    "user": "id,label,name,company\nu1,User,Ada Marsh,Acme\nu2,User,Ben Holt,Globex\nu3,User,Cleo Ray,\n",
}
EDGES = {
    "to": "start,end,type\ni1,u1,ASSIGNED_TO\ni2,u2,ASSIGNED_TO\n",
    "work": "start,end,type,timeSpentSeconds\n"
    "u1,i1,LOGGED_WORK,7200\nu1,i1,LOGGED_WORK,3600\nu2,i1,LOGGED_WORK,1800\nu2,i2,LOGGED_WORK,3600\nu2,i3,LOGGED_WORK,900\n",
}


@pytest.fixture(scope="module")
def tracker(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    tables = {f"nodes_{name}": text for name, text in NODES.items()}
    tables |= {f"edges_{name}": text for name, text in EDGES.items()}
    return built_from_tables(tmp_path_factory.mktemp("tracker"), tables)


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        # Each of several properties, also one that is a relation, and one that is not known.
        ("What are the type and votes of OPS-1?", {"type: Bug", "votes: 4"}),
        ("Give me type, status and due date of OPS-1", {"type: Bug", "status: open", "due date: 2025-03-01"}),
        ("OPS-2's status and votes", {"status: closed", "votes: 0"}),
        ("what is the status of OPS-1 and its due date?", {"status: open", "due date: 2025-03-01"}),
        ("OPS-3: votes and due date", {"votes: 7", "due date: not known"}),
        ("type and assigned user of OPS-2", {"type: Bug", "assigned user: Ben Holt"}),
        # The noun of a verb, and a date beside the name of a date.
        ("What is the creation date of OPS-1?", {"2025-01-10"}),
        ("issues with a resolution date after 2025-05-01", {"OPS-3"}),
        ("Which issues have a due date before 1 April 2025?", {"OPS-1"}),
        ("issues whose due date is after 2025-03-05", {"OPS-2"}),
        ("which issue has the latest due date?", {"OPS-2"}),
        ("issues with no due date", {"OPS-3"}),
        # Time is added up, not counted, and told in the unit that is asked for.
        ("Who logged the most time?", {"Ada Marsh"}),
        ("who has logged the least hours?", {"Ben Holt"}),
        ("How many hours did Ada Marsh log?", {"3 hours"}),
        ("How much time was logged on OPS-1?", {"12,600 seconds"}),
        ("how many minutes were logged on OPS-3", {"15 minutes"}),
    ],
)
def test_questions_about_issues(tracker: Graph, question: str, answers: set[str]) -> None:
    assert set(default_pipeline(tracker)(tracker, question).texts) == answers


@pytest.mark.parametrize(
    "question",
    ["Has Ada Marsh logged any time on OPS-1?", "did Ben Holt log time on OPS-1?"],  # yes or no, never the seconds
)
def test_yes_or_no_is_never_answered_by_a_number(tracker: Graph, question: str) -> None:
    assert set(default_pipeline(tracker)(tracker, question).texts) <= {"yes"}


def test_one_of_several_that_nothing_is_called_is_told(tracker: Graph) -> None:
    result = default_pipeline(tracker).run(tracker, "What are the colour and votes of OPS-1?")
    assert not result.answer.texts
    assert any("colour" in str(one) for one in result.trace.events)
