"""Values, «no» and «only» beside another noun than the subject: «which actors are in no comedy»."""

from __future__ import annotations

from pathlib import Path

import pytest
from staff import Indifferent

from graphbrick import EntityRecord, LinkLabels, PathAnswer, Patterns
from graphbrick.bricks.retrieve.operators.stage import Operators
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.records import EdgeRecord, Record

PIPELINE = LinkLabels() >> Operators(Patterns(Indifferent())) >> PathAnswer()
ROOMS = [("Kiln Room", 3200), ("Wood Shop", 900), ("Loft", 1500)]  # length in metres times a hundred
TOOLS = [("Lathe", "electric"), ("Chisel", "manual"), ("Saw", "electric"), ("Press", "hydraulic"), ("Rasp", "manual")]
MEMBERS = [("Ann", "potter"), ("Bob", "carver"), ("Cid", "carver"), ("Dot", "potter"), ("Eve", "weaver")]
USES = [("Ann", "Press"), ("Bob", "Chisel"), ("Bob", "Lathe"), ("Cid", "Chisel"), ("Cid", "Rasp"), ("Dot", "Saw")]
STANDS = [("Lathe", "Wood Shop"), ("Chisel", "Wood Shop"), ("Saw", "Loft"), ("Press", "Kiln Room")]


@pytest.fixture(scope="module")
def guild(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    records: list[Record] = [EntityRecord(name, types=("Room",), properties={"length_m": m}) for name, m in ROOMS]
    records += [EntityRecord(name, types=("Tool",), properties={"drive": drive}) for name, drive in TOOLS]
    records += [EntityRecord(name, types=("Member",), properties={"craft": craft}) for name, craft in MEMBERS]
    records += [(member, "USES", tool) for member, tool in USES]
    records += [(tool, "STANDS_IN", room) for tool, room in STANDS]
    return build(records, tmp_path_factory.mktemp("guild") / "guild.graph")


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which members use electric tools?", {"Bob", "Dot"}),
        ("Which members do not use electric tools?", {"Ann", "Cid", "Eve"}),
        ("Which members never use manual tools?", {"Ann", "Dot", "Eve"}),
        ("How many members do not use electric tools?", {"3"}),
        ("Which members use electric and manual tools?", {"Bob"}),
        ("Which members use both electric and manual tools?", {"Bob"}),
        ("Which members use electric or hydraulic tools?", {"Ann", "Bob", "Dot"}),
        ("Which members use no tool?", {"Eve"}),
        ("How many members use no tool?", {"1"}),
        ("Which members use no manual tools?", {"Ann", "Dot", "Eve"}),
        ("Which tools are used by no member?", set()),
        ("Which rooms have no electric tools?", {"Kiln Room"}),
        ("Which carvers use a tool?", {"Bob", "Cid"}),
        ("Which potters use electric tools?", {"Dot"}),
        ("Which tools are only used by Cid?", {"Rasp"}),
        ("Which members only use the Chisel?", set()),
        ("Who uses only the Saw?", {"Dot"}),
        ("Which rooms have a length over 1000 m?", {"Kiln Room", "Loft"}),
        ("Which members use at least two electric tools?", set()),
        ("Which members use at least two manual tools?", {"Cid"}),
        ("Which members use only electric tools?", {"Dot"}),
        ("Which tools are used by fewer than two members?", {"Lathe", "Saw", "Press", "Rasp"}),
    ],
)
def test_the_noun_that_has_the_value_has_it(guild: Graph, question: str, answers: set[str]) -> None:
    assert set(PIPELINE(guild, question).texts) == answers


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("How many captains are there?", {"2"}),
        ("Is Ann Low a captain?", {"no"}),
        ("Is Cy Orr a captain?", {"yes"}),
        ("Which pilots are captains?", {"Bo Hay", "Cy Orr"}),
        ("Which pilots are not captains?", {"Ann Low"}),
        ("Who are the captains of Northair?", {"Bo Hay", "Cy Orr"}),
        ("Which captains fly the Heron?", set()),
    ],
)
def test_a_value_of_a_relation_is_no_other_word(tmp_path: Path, question: str, answers: set[str]) -> None:
    """A captain flies, but here it is a role: «captains» does not mean all that fly."""
    records: list[Record] = [EntityRecord(name, types=("Pilot",)) for name in ("Ann Low", "Bo Hay", "Cy Orr")]
    records += [EntityRecord(name, types=("Plane",)) for name in ("Heron", "Lynx")]
    records.append(EntityRecord("Northair", types=("Airline",)))
    records += [("Ann Low", "FLIES", "Heron"), ("Bo Hay", "FLIES", "Lynx"), ("Cy Orr", "FLIES", "Lynx")]
    roles = [("Ann Low", "first officer"), ("Bo Hay", "captain"), ("Cy Orr", "captain")]
    records += [EdgeRecord(name, "WORKS_FOR", "Northair", {"role": role}) for name, role in roles]
    assert set(PIPELINE(build(records, tmp_path / "air.graph"), question).texts) == answers
