"""Questions about what stands at triples: prefixes, states and dates of support, amounts in recipes; names of code."""

from __future__ import annotations

import datetime
from collections.abc import Callable

import pytest

from graphbrick import EdgeRecord, EntityRecord
from graphbrick.core.answer import Answer
from graphbrick.graphs.build.builder import build
from graphbrick.learn.default import DEFAULT_PIPELINE
from graphbrick.pipeline.parsing import parse

Ask = Callable[[str], Answer]
IMPLEMENTS = [  # browser, feature, date, prefix, only in part
    ("Falcon", ":has()", (2023, 12, 19), None, False),
    ("Falcon", "<dialog>", (2022, 3, 8), None, False),
    ("Falcon", "hyphens", (2015, 1, 1), "-fa-", True),
    ("Osprey", ":has()", (2022, 8, 30), None, False),
    ("Osprey", "hyphens", (2012, 5, 2), "-os-", False),
    ("Osprey", "<dialog>", (2014, 8, 26), None, True),
]
NEEDS = [("Deep Chest", "Obsidian", 8), ("Deep Chest", "Pearl", 1), ("Altar", "Obsidian", 4), ("Altar", "Book", 1)]


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Ask:
    kinds = {
        "Browser": {one[0] for one in IMPLEMENTS},
        "Feature": {"popover", *(one[1] for one in IMPLEMENTS)},
        "Recipe": {one[0] for one in NEEDS},
        "Item": {one[1] for one in NEEDS},
    }
    records: list[EntityRecord | EdgeRecord] = [
        EntityRecord(name, types=(kind,), properties={"added": 2024})
        for kind, names in kinds.items()
        for name in sorted(names)
    ]
    for browser, feature, day, prefix, partial in IMPLEMENTS:
        properties = {"date": datetime.date(*day), "partial_implementation": partial}
        records.append(EdgeRecord(browser, "IMPLEMENTS", feature, properties | ({"prefix": prefix} if prefix else {})))
    records += [EdgeRecord(recipe, "NEEDS", item, {"quantity": quantity}) for recipe, item, quantity in NEEDS]
    graph, pipeline = build(records, tmp_path_factory.mktemp("support") / "support.graph"), parse(DEFAULT_PIPELINE)
    return lambda question: pipeline(graph, question)


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which features does Falcon implement with the -fa- prefix?", {"hyphens"}),
        ("Which features does Falcon implement with prefix -fa-?", {"hyphens"}),
        ("Which features does Falcon implement only partially?", {"hyphens"}),
        ("Which browsers implement <dialog> partially?", {"Osprey"}),
        ("Which browsers implement :has()?", {"Falcon", "Osprey"}),
        ("What day did Falcon start to implement :has()?", {"2023-12-19"}),
        ("When did Osprey start to implement <dialog>?", {"2014-08-26"}),
        ("Which features does Falcon lack?", {"popover"}),
        ("Which features are missing from Osprey?", {"popover"}),
        ("features that Falcon does not have", {"popover"}),
        ("How many features does Osprey not have?", {"1"}),
        ("Which browsers lack hyphens?", set()),
        ("Which recipes lack obsidian?", set()),
        ("Which recipes lack a Pearl?", {"Altar"}),
        ("Which recipe needs 8 obsidian?", {"Deep Chest"}),
        ("Which recipes need more than 3 Obsidian?", {"Deep Chest", "Altar"}),
        ("How many recipes need at most 4 obsidian?", {"1"}),
        ("Does the Altar need 8 obsidian?", {"no"}),
    ],
)
def test_what_stands_at_triples(ask: Ask, question: str, answers: set[str]) -> None:
    assert set(ask(question).texts) == answers


@pytest.mark.parametrize(
    "question",
    [
        "Which features does Falcon implement with the -os- prefix?",  # none
        "Which features does Falcon implement sadly?",
        "Which browsers implement 8 hyphens?",  # an amount, and none stands there
    ],
)
def test_what_does_not_is_left_unanswered(ask: Ask, question: str) -> None:
    assert ask(question).texts == ()
