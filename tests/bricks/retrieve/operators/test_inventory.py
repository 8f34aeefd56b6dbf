"""Questions over an inventory of systems: initials, versions, comparisons of two counts."""

from __future__ import annotations

import pytest
from built_graphs import built_from_tables
from faults import told

from graphbrick.graphs.graph import Graph
from graphbrick.learn.default import default_pipeline

NODES = {
    "os": "id,label,name,version,distro,release-date,eol-date\n"
    "a,OS,Alma 9,9,alma,2022-05-26,\nb,OS,Alma 8,8,alma,2021-03-30,2029-03-01\n"
    "c,OS,Puffin 7,7,puffin,1998-01-05,2003-01-01\nd,OS,Puffin 8,8,puffin,2010-04-01,2015-01-01\n"
    "e,OS,Puffin 9,9,puffin,2012-04-01,2018-01-01\n",
    "vendor": "id,label,name\nv,Vendor,Alma Foundation\nw,Vendor,Puffin Inc.\n",
    "platform": "id,label,name\np,Platform,Boxen\n",
    "device": "id,label,name\nn,Device,pcnet\n",
    "image": "id,label,name,format\ni,Image,alma-9.img,raw\nj,Image,alma-9.qcow2,qcow2\nk,Image,puffin.img,raw\n",
}
EDGES = """start,end,type
a,v,HAS_VENDOR
b,v,HAS_VENDOR
c,w,HAS_VENDOR
d,w,HAS_VENDOR
e,w,HAS_VENDOR
a,i,HAS_IMAGE
a,j,HAS_IMAGE
d,k,HAS_IMAGE
a,d,CLONES
e,n,HAS_DEVICE
p,n,HAS_DEVICE
"""


@pytest.fixture(scope="module")
def inventory(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    tables = {f"nodes_{name}": text for name, text in NODES.items()} | {"edges": EDGES}
    return built_from_tables(tmp_path_factory.mktemp("inventory"), tables)


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        # Initials that the graph has for words of the question, of a class and in a property.
        ("How many operating systems do we have?", {"5"}),
        ("What is the oldest operating system?", {"Puffin 7"}),
        ("What is the oldest system?", {"Puffin 7"}),  # «oldest system» is no OS by its initials
        ("which operating systems have no end of life date?", {"Alma 9"}),
        ("for how many operating systems do we not know the end-of-life date?", {"1"}),
        ("for how many systems is the eol date unknown?", {"1"}),
        # «Releases» and «versions» of the class that alone has such a property; «came out» of a release date.
        ("Which Puffin releases came out between 2010 and 2012?", {"Puffin 8", "Puffin 9"}),
        ("which Puffin versions were released in the nineties?", {"Puffin 7"}),
        ("Which Puffin version has the latest eol date?", {"Puffin 9"}),
        ("What was the first puffin release?", {"Puffin 7"}),
        ("Which Puffin release came out last?", {"Puffin 9"}),
        ("What was the very first Puffin system?", {"Puffin 7"}),
        ("Which systems are from 2012?", {"Puffin 9"}),
        # Of which of two there are more; the two stand in many places.
        ("Are there more systems of Alma or of Puffin?", {"puffin"}),
        ("are there more Puffin than Alma systems?", {"yes"}),
        ("Are there fewer systems of Puffin than of Alma?", {"no"}),
        ("are there more vendors or platforms?", {"vendors"}),
        ("do we have more images of Alma 9 or of Puffin 8?", {"Alma 9"}),
        ("which distro has more systems, alma or puffin?", {"puffin"}),
        ("are there more Puffin systems than Alma ones?", {"yes"}),
        ("are there more images of Alma 9 than of Puffin 8?", {"yes"}),
        ("Which vendor has brought out the most systems?", {"Puffin Inc."}),
        ("how many images does Alma 9 come with?", {"2"}),
        ("Who makes Alma 9?", {"Alma Foundation"}),
        # What clones something is a clone of it, and not the other way round.
        ("Which operating systems are clones of Puffin 8?", {"Alma 9"}),
        # The ends of a path are of the class that is asked for, where it has others as well.
        ("Which operating systems have the pcnet device?", {"Puffin 9"}),
    ],
)
def test_questions_about_an_inventory(inventory: Graph, question: str, answers: set[str]) -> None:
    assert set(default_pipeline(inventory)(inventory, question).texts) == answers


@pytest.mark.parametrize("question", ["which open source systems are there?", "How many online shops are there?"])
def test_two_letters_are_no_initials_of_any_words(inventory: Graph, question: str) -> None:
    assert default_pipeline(inventory)(inventory, question).texts == ()


def test_initials_are_told(inventory: Graph) -> None:
    run = default_pipeline(inventory).run(inventory, "How many operating systems do we have?")
    assert ("operators.initials", {"said": "operating systems", "name": "os"}) in told(run.trace.events)


@pytest.mark.parametrize(
    "question",
    [
        "Are there more systems?",
        "are there more unicorns than systems?",
        "do we have more ports than systems?",
        "Do more systems dance than sing?",
    ],
)
def test_more_is_never_left_out(inventory: Graph, question: str) -> None:
    """«Are there more X or Y» was answered by yes: there are some."""
    assert default_pipeline(inventory)(inventory, question).texts == ()
