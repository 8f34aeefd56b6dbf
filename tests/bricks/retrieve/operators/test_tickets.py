"""Questions over an issue tracker: several properties at once, dates by their names, hours that stand at triples."""

from __future__ import annotations

import pytest
from built_graphs import built_from_nodes_and_edges

from graphbrick.graphs.graph import Graph
from graphbrick.learn.default import default_pipeline

NODES = {
    "issue": "id,label,name,type,status,created_at,due,resolved,votes\n"
    "i1,Issue,OPS-1,Bug,open,2025-01-10,2025-03-01,,4\n"
    "i2,Issue,OPS-2,Bug,closed,2025-02-10,2025-04-15,2025-04-02,0\n"
    "i3,Issue,OPS-3,Task,closed,2025-04-20,,2025-05-05,7\n",
    "sprint": "id,label,name\ns7,Sprint,Web Sprint 7\ns8,Sprint,Web Sprint 8\n",
    "user": "id,label,name,company\nu1,User,Ada Marsh,Acme\nu2,User,Ben Holt,Globex\nu3,User,Cleo Ray,\n",
}
EDGES = {
    "in": "start,end,type\ni1,s8,IN_SPRINT\ni2,s8,IN_SPRINT\ni3,s7,IN_SPRINT\n",
    "said": "start,end,type,kind,date\n"
    "u1,i1,COMMENTED,blocker,2025-01-11\nu1,i1,COMMENTED,praise,2025-01-12\nu1,i1,COMMENTED,praise,2025-01-13\n"
    "u2,i1,COMMENTED,praise,2025-01-14\nu2,i2,COMMENTED,blocker,2025-02-11\nu3,i2,COMMENTED,praise,2025-02-12\n"
    "u3,i3,COMMENTED,praise,2025-04-21\n",
    "to": "start,end,type\ni1,u1,ASSIGNED_TO\ni2,u2,ASSIGNED_TO\n",
    "work": "start,end,type,timeSpentSeconds\n"
    "u1,i1,LOGGED_WORK,7200\nu1,i1,LOGGED_WORK,3600\nu2,i1,LOGGED_WORK,1800\nu2,i2,LOGGED_WORK,3600\nu2,i3,LOGGED_WORK,900\n",
}


@pytest.fixture(scope="module")
def tracker(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return built_from_nodes_and_edges(tmp_path_factory.mktemp("tracker"), NODES, EDGES)


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        # Each of several properties, also one that is a relation, and one that is not known.
        ("What are the type and votes of OPS-1?", {"type: Bug", "votes: 4"}),
        ("Give me type, status and due date of OPS-1", {"type: Bug", "status: open", "due date: 2025-03-01"}),
        ("OPS-2's status and votes", {"status: closed", "votes: 0"}),
        ("what is the status of OPS-1 and its due date?", {"status: open", "due date: 2025-03-01"}),
        ("name and votes of OPS-2", {"name: OPS-2", "votes: 0"}),
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
        ("Top 2 people by hours logged", {"Ada Marsh", "Ben Holt"}),
        ("the 2 users who logged the most time", {"Ada Marsh", "Ben Holt"}),
        # Comments are counted one by one, and people who commented once each.
        ("How many comments does OPS-1 have?", {"4"}),
        ("How many users commented on OPS-1?", {"2"}),
        ("Which issue has the most comments?", {"OPS-1"}),
        ("which issues have more than 3 comments", {"OPS-1"}),
        ("which issues have exactly one comment", {"OPS-3"}),
        ("which issues have more comments than OPS-2", {"OPS-1"}),
        ("Does OPS-1 have more comments than OPS-3?", {"yes"}),
        ("How many comments did Ada Marsh leave?", {"3"}),
        ("how many comments did Ada Marsh write on OPS-1", {"3"}),
        ("who wrote the most comments?", {"Ada Marsh"}),
        ("Which user left the fewest comments?", {"Ben Holt", "Cleo Ray"}),
        ("Who left a blocker comment on OPS-2?", {"Ben Holt"}),
        ("which issues did Ada Marsh leave a blocker comment on", {"OPS-1"}),
        ("did Cleo Ray leave a comment on OPS-1", {"no"}),
        # A number after what it numbers is the end of a name.
        ("How many issues are in sprint 8?", {"2"}),
        ("which issues are in sprint 7", {"OPS-3"}),
    ],
)
def test_questions_about_issues(tracker: Graph, question: str, answers: set[str]) -> None:
    assert set(default_pipeline(tracker)(tracker, question).texts) == answers


@pytest.mark.whole
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
