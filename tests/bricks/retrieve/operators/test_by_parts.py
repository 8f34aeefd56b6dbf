"""Questions that no rule reads, answered by their parts, whatever the order of their words."""

from __future__ import annotations

import pytest
from built_graphs import built_from_tables
from faults import told

from graphbrick.bricks.retrieve.operators.unordered.evidence import CONFIDENCE
from graphbrick.graphs.graph import Graph
from graphbrick.learn.default import default_pipeline

SHIPS = ("Heron", "Ibis", "Jay")
NODES = {
    "line": "id,label,name,code\nl1,Line,Arrow Line,AR\nl2,Line,Beacon Line,BE\n",
    "ship": "id,label,name,kind,capacity_t,launched\n"
    "s1,Ship,Heron,ferry,900,1999-04-01\ns2,Ship,Ibis,ferry,1500,2008-06-09\ns3,Ship,Jay,tanker,7000,2015-02-02\n",
    "harbour": "id,label,name,country,depth_m\n"
    "h1,Harbour,Alva,Norway,12\nh2,Harbour,Borg,Norway,9\nh3,Harbour,Cove,Iceland,20\n",
    "voyage": "id,label,name,date,distance,passengers\n"
    "v1,Voyage,V-1,2020-05-03,120,40\nv2,Voyage,V-2,2020-05-03,120,60\nv3,Voyage,V-3,2020-05-09,300,25\n"
    "v4,Voyage,V-4,2021-01-01,300,70\nv5,Voyage,V-5,2021-03-01,80,10\n",
}
EDGES = """start,end,type
v1,l1,OPERATED_BY
v2,l2,OPERATED_BY
v3,l1,OPERATED_BY
v4,l2,OPERATED_BY
v5,l2,OPERATED_BY
v1,s1,USES_SHIP
v2,s2,USES_SHIP
v3,s3,USES_SHIP
v4,s2,USES_SHIP
v5,s2,USES_SHIP
v1,h1,DEPARTS_FROM
v2,h1,DEPARTS_FROM
v3,h2,DEPARTS_FROM
v4,h3,DEPARTS_FROM
v5,h2,DEPARTS_FROM
v1,h2,GOES_TO
v2,h2,GOES_TO
v3,h3,GOES_TO
v4,h1,GOES_TO
v5,h1,GOES_TO
"""
CALLS = """start,end,type,season,since,fee
l1,h1,CALLS_AT,summer,2001,100
l1,h2,CALLS_AT,winter,2010,250
l2,h1,CALLS_AT,winter,2012,300
l2,h3,CALLS_AT,summer,2015,90
"""


@pytest.fixture(scope="module")
def harbours(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    tables = {f"nodes_{name}": text for name, text in NODES.items()} | {"edges": EDGES, "edges_calls": CALLS}
    return built_from_tables(tmp_path_factory.mktemp("harbours"), tables)


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        # Names, values, numbers and dates in any order, each of the class that has it.
        ("Which Beacon Line voyages from Borg to Alva left on 1 March 2021?", {"V-5"}),
        ("how many passengers were on voyages from Alva on 3 May 2020 altogether?", {"100"}),
        ("On 3 May 2020, which ferries left from Alva?", {"Heron", "Ibis"}),
        ("what ferries over 1000 t left Cove?", {"Ibis"}),
        ("When did the Jay leave Borg?", {"2020-05-09"}),
        # Superlatives: of a number of their own, or of how many they are joined to.
        ("what is the longest voyage that went to Alva?", {"V-4"}),
        # Triples of a relation are counted; «total» before a number, which is added up.
        ("how many calls does Beacon Line make in summer?", {"1"}),
        ("How many winter calls are there at Alva?", {"1"}),
        ("total distance of all voyages that Beacon Line made in 2021", {"380"}),
        # Yes or no, over what joins both.
        ("are there any tankers that went to Cove?", {"yes"}),
        ("did the Ibis depart from Cove in 2021?", {"yes"}),
        ("did the Heron depart from Cove in 2021?", {"no"}),
    ],
)
def test_parts_of_a_question_are_put_together_by_their_types(harbours: Graph, question: str, answers: set[str]) -> None:
    answer = default_pipeline(harbours)(harbours, question)
    assert set(answer.texts) == answers
    assert answer.trace is not None
    assert "operators.by_parts" in answer.trace.event_codes
    assert answer.confidence == CONFIDENCE


@pytest.mark.whole
@pytest.mark.parametrize(
    "question",
    [
        "Which ships of harbours have the highest capacity?",  # no class is dropped
        "Who owns the Heron?",  # a verb that no relation is called by may say anything
        "Which ships did Arrow Line paint?",
        "which voyages never left from Alva?",  # words that change what is asked
        "what is the price of the Heron?",  # and not that of what is near
        "When was the Heron leased?",  # and not when it was launched
        "Is there a voyage with more passengers?",
        "For the mascot: which lines go to harbours in Iceland?",
    ],
)
def test_a_word_without_a_part_is_never_dropped(harbours: Graph, question: str) -> None:
    assert not default_pipeline(harbours)(harbours, question).texts


def test_the_question_without_such_a_word_is_offered(harbours: Graph) -> None:
    run = default_pipeline(harbours).run(harbours, "For the mascot: which lines go to harbours in Iceland?")
    assert run.answer is not None
    first = run.answer.readings[0]
    assert first.text == "Which lines go to harbours in Iceland? (without «mascot»)"
    assert first.answers == 1


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        # What triples say of themselves is a condition on them, and never left out.
        ("Which harbours in Norway does Beacon Line call at in winter?", {"Alva"}),
        ("summer harbours of Beacon Line please", {"Cove"}),
        ("winter lines of Alva", {"Beacon Line"}),
    ],
)
def test_texts_of_triples(harbours: Graph, question: str, answers: set[str]) -> None:
    assert set(default_pipeline(harbours)(harbours, question).texts) == answers


@pytest.mark.parametrize(
    ("question", "answers", "names"),
    [
        ("We ship through Cove. Which lines call there?", {"Beacon Line"}, ["Cove"]),
        ("I missed the Jay, what is its capacity?", {"7000"}, ["Jay"]),
        ("A parcel is in Alva, which country is that?", {"Norway"}, ["Alva"]),
        ("Our cargo is on the Heron. Which lines use it?", {"Arrow Line"}, ["Heron"]),
        ("We sell to Alva and Borg. Which lines go there?", {"Arrow Line", "Beacon Line"}, ["Alva", "Borg"]),
        (
            "We own the Heron, the Ibis and the Jay. Which of them are ferries?",
            {"Heron", "Ibis"},
            ["Heron", "Ibis", "Jay"],
        ),
        (
            "We own the Heron and the Ibis. When were they launched?",
            {"Heron: 1999-04-01", "Ibis: 2008-06-09"},
            ["Heron", "Ibis"],
        ),
    ],
)
def test_a_sentence_before_a_question_names_what_it_speaks_of(
    harbours: Graph, question: str, answers: set[str], names: list[str]
) -> None:
    answer = default_pipeline(harbours)(harbours, question)
    assert set(answer.texts) == answers
    assert answer.trace is not None
    assert [values["names"] for code, values in told(answer.trace.events) if code == "operators.context"] == [names]


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("In 2021, how many voyages were there?", {"2"}),
        ("In May 2020, which voyages went to Borg?", {"V-1", "V-2"}),
        ("On 3 May 2020, how many voyages left Alva?", {"2"}),
    ],
)
def test_a_time_may_stand_before_the_question(harbours: Graph, question: str, answers: set[str]) -> None:
    assert set(default_pipeline(harbours)(harbours, question).texts) == answers


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("which lines other than Beacon Line sail from Borg on 9 May 2020?", {"Arrow Line"}),
        ("Which lines except Beacon Line call at Alva?", {"Arrow Line"}),
        ("How many harbours apart from Alva are in Norway?", {"1"}),
    ],
)
def test_all_but_a_name_before_what_is_said_of_them(harbours: Graph, question: str, answers: set[str]) -> None:
    assert set(default_pipeline(harbours)(harbours, question).texts) == answers
