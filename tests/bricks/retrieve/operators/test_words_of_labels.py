"""Questions over a graph that was not learned: nouns of labels, agents of verbs, and sets that are joined or left out."""

from __future__ import annotations

import pytest
from staff import Indifferent

from graphbrick import Graph, PathAnswer, Patterns, build
from graphbrick.bricks.retrieve.operators.stage import Operators

PIPELINE = Operators(Patterns(Indifferent())) >> PathAnswer()
NATIONS = {"Ada Moss": "Finnish", "Ben Rey": "French", "Cleo Tan": "Finnish", "Dan Ito": "Dutch"}
TEAMS = {
    "Ada Moss": ["Orca Racing", "Puma Racing"],
    "Ben Rey": ["Orca Racing"],
    "Cleo Tan": ["Puma Racing", "Zebra Racing"],
    "Dan Ito": ["Zebra Racing"],
}
WON = ["Ada Moss", "Ada Moss", "Ben Rey", "Cleo Tan", "Ada Moss", "Ben Rey"]
RACING = [
    *[(driver, "nationality", nation) for driver, nation in NATIONS.items()],
    *[(driver, "DROVE_FOR", team) for driver, teams in TEAMS.items() for team in teams],
    *[(f"{2001 + i} Island Rally", "winner", driver) for i, driver in enumerate(WON)],
    *[(f"{2001 + i} Island Rally", "winningTeam", TEAMS[driver][0]) for i, driver in enumerate(WON)],
    *[(f"{2001 + i} Island Rally", "circuit", ("Long Bay", "Mill Road")[i % 2]) for i in range(len(WON))],
    *[(circuit, "country", "Malta") for circuit in ("Long Bay", "Mill Road")],
    ("Orca Racing", "based in", "Valletta"),
]


@pytest.fixture(scope="module")
def racing(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return build(RACING, tmp_path_factory.mktemp("racing") / "racing.graph")


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("How many teams are there?", ["3"]),
        ("How many circuits are in Malta?", ["2"]),
        ("How many drivers are there?", ["4"]),
        ("How many Finnish drivers are there?", ["2"]),
        ("How many rallies did Ada Moss win?", ["3"]),
        ("Which drivers drove for both Orca Racing and Puma Racing?", ["Ada Moss"]),
        ("Which drivers have driven for both Puma Racing and Zebra Racing?", ["Cleo Tan"]),
        ("Which Finnish drivers never drove for Orca Racing?", ["Cleo Tan"]),
        ("Which drivers of Puma Racing never drove for Zebra Racing?", ["Ada Moss"]),
        ("Which drivers drove for Puma Racing but not for Orca Racing?", ["Cleo Tan"]),
        ("Which drivers drove for Zebra Racing but not Orca Racing or Puma Racing?", ["Dan Ito"]),
        ("Which drivers drove for neither Orca Racing nor Puma Racing?", ["Dan Ito"]),
        ("Which drivers neither drove for Orca Racing nor for Puma Racing?", ["Dan Ito"]),
        ("Which drivers of Orca Racing except Ben Rey are there?", ["Ada Moss"]),
        ("Except Ben Rey, who drove for Orca Racing?", ["Ada Moss"]),
        ("Which drivers of Orca Racing other than those who drove for Puma Racing are there?", ["Ben Rey"]),
        ("Which drivers drove for Orca Racing or won the 2004 Island Rally?", ["Ada Moss", "Ben Rey", "Cleo Tan"]),
        ("Which drivers drove for Orca Racing or Zebra Racing?", ["Ada Moss", "Ben Rey", "Cleo Tan", "Dan Ito"]),
        ("Which drivers are not Finnish?", ["Ben Rey", "Dan Ito"]),
    ],
)
def test_a_new_graph(racing: Graph, question: str, texts: list[str]) -> None:
    assert sorted(PIPELINE(racing, question).texts) == texts
