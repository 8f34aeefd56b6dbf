"""Example questions: each is one that the graph answers, and right by the cards of its entities."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from property_graphs import shop_graph

from graphbrick import EntityRecord, PathAnswer
from graphbrick.core.compute import limited_by
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.cards import card_of
from graphbrick.graphs.export.ladybug import to_ladybug
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.opening import open as open_graph
from graphbrick.graphs.records.records import Record
from graphbrick.learn.default import default_pipeline
from graphbrick.learn.examples import KINDS, _Drafts, example_questions
from graphbrick.learn.learning import LearnReport
from graphbrick.pipeline.budget import StoppedError
from graphbrick.pipeline.composition import Sequence
from graphbrick.pipeline.parsing import parse

LONG = 600.0  # seconds, of which a slow machine does not need all


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return shop_graph(tmp_path_factory.mktemp("shop"))


def test_examples_are_of_different_kinds_and_answered(shop: Graph) -> None:
    examples = example_questions(shop, seconds=LONG)
    kinds = [one.kind for one in examples]
    assert kinds == [kind for kind in KINDS if kind in kinds]
    assert {"property", "filter", "superlative", "card"} <= {*kinds}
    for one in examples:
        answer = default_pipeline(shop)(shop, one.question)
        assert (answer.texts[:3], len(answer.texts)) == (one.answers, one.n)
        assert answer.texts


def test_a_learned_graph_without_types_is_asked_in_its_words(learned: tuple[Graph, LearnReport]) -> None:
    examples = {one.kind: one for one in example_questions(learned[0], seconds=LONG)}
    assert {"relation", "chain", "card"} <= examples.keys()
    relation = examples["relation"]
    groups = [group for one in range(learned[0].n_entities) for group in card_of(learned[0], one).groups]
    assert any({end.label for end in group.best} == {*relation.answers} for group in groups)


def test_examples_are_asked_as_people_ask(tmp_path: Path) -> None:
    """Counts have «how many», parts «is part of», and people do what a verb says."""
    records: list[Record] = [
        EntityRecord(name, types=("Ward",), properties={"beds": beds})
        for name, beds in (("Cardiology", 24), ("Oncology", 16), ("Day Ward", 4))
    ]
    records += [EntityRecord(name, types=("Doctor",)) for name in ("Frank Moss", "Grace Lin")]
    records += [EntityRecord("Olga Reed", types=("Patient",)), EntityRecord("Northgate Clinic", types=("Hospital",))]
    records += [(ward, "PART_OF", "Northgate Clinic") for ward in ("Cardiology", "Oncology", "Day Ward")]
    records += [(doctor, "TREATS", "Olga Reed") for doctor in ("Frank Moss", "Grace Lin")]
    graph = build(records, tmp_path / "hospital.graph")
    examples = {one.question: one for seed in range(3) for one in example_questions(graph, seconds=LONG, seed=seed)}
    assert examples["Which hospital has the most wards?"].answers == ("Northgate Clinic",)
    assert examples.keys() & {"How many beds does Cardiology have?", "How many beds does Oncology have?"}
    assert examples.keys() & {"How many doctors treat Olga Reed?", "How many wards are part of Northgate Clinic?"}
    assert not [text for text in examples if "treatment" in text or "parent" in text]


def test_the_same_seed_gives_the_same_examples(shop: Graph) -> None:
    assert example_questions(shop, seconds=LONG, seed=3) == example_questions(shop, seconds=LONG, seed=3)


@pytest.mark.whole
def test_what_is_not_answered_is_not_shown(shop: Graph) -> None:
    default = default_pipeline(shop)
    assert isinstance(default, Sequence)
    withholding = Sequence((*default.stages[:-1], PathAnswer(min_confidence=1.0)))
    # Answers along paths have no confidence in a graph that was not learned; all plans have one below 1.
    assert {one.kind for one in example_questions(shop, withholding, seconds=LONG)} <= {"relation", "chain"}
    near = parse("ShortestPaths() >> PathAnswer()")  # answers with what is near
    assert not {"property", "filter", "superlative"} & {one.kind for one in example_questions(shop, near, seconds=LONG)}


def test_without_time_nothing_is_asked(shop: Graph) -> None:
    assert example_questions(shop, seconds=0) == []


def test_the_budget_of_the_caller_ends_it(shop: Graph) -> None:
    def stop() -> None:
        raise StoppedError("enough")

    with limited_by(stop), pytest.raises(StoppedError):
        example_questions(shop, seconds=LONG)


@pytest.mark.whole
def test_a_database_has_examples_about_its_entities(shop: Graph, tmp_path: Path) -> None:
    to_ladybug(shop, tmp_path / "shop.lbdb")
    kinds = {one.kind for one in example_questions(open_graph(f"ladybug:{tmp_path / 'shop.lbdb'}"), seconds=LONG)}
    assert {"property", "card"} <= kinds <= {*KINDS} - {"filter", "superlative"}


def test_entities_whose_names_are_numbers_give_no_examples(tmp_path: Path) -> None:
    assert example_questions(build([("12", "r", "7")], tmp_path / "numbers.graph"), seconds=LONG) == []


def test_a_table_without_relations_has_examples(tmp_path: Path) -> None:
    rows = "name,kind,seats,maker\nFalcon,jet,90,Avian\nKite,glider,2,Raptor\nRobin,jet,120,Avian\n"
    (tmp_path / "planes.csv").write_text(rows, encoding="utf-8")
    graph = build(tmp_path / "planes.csv", tmp_path / "planes.graph")
    kinds = {question.kind for question in example_questions(graph, seconds=LONG)}
    assert {"property", "superlative", "card"} <= kinds


def test_ask_without_a_question_shows_examples(shop: Graph, run, tmp_path: Path) -> None:
    facts = json.loads(run("ask", shop.place, "--json").out)
    assert {"question", "kind", "answers", "n"} == facts["questions"][0].keys()
    shown = run("ask", shop.place).out
    assert all(f"\n  {one['question']}" in shown for one in facts["questions"])
    none = run("ask", build([("12", "r", "7")], tmp_path / "numbers.graph").place)
    assert (none.code, none.err) == (2, "")


CLUBS = """name,founded,still_played,coffee_bar,hash,postal_code_regex,titles
Alba,1899,true,true,6dcd4ce23d88,^1\\d+$,4
Bora,1923,true,true,6dcd4ce23d88,^1\\d+$,9
Cora,1957,false,true,6dcd4ce23d88,^1\\d+$,2
Dora,1961,true,true,6dcd4ce23d88,^1\\d+$,5
"""


def test_examples_ask_for_what_people_ask_for(tmp_path: Path) -> None:
    """Years follow «founded», codes and patterns are no conditions, nor is what all meet."""
    (tmp_path / "clubs.csv").write_text(CLUBS, encoding="utf-8")
    graph = build(tmp_path / "clubs.csv", tmp_path / "clubs.graph")
    examples = [one for seed in range(6) for one in example_questions(graph, seconds=LONG, seed=seed)]
    texts = {one.question for one in examples}
    assert not [text for text in texts if any(word in text for word in ("hash", "regex", "coffee", " a founded"))]
    assert any(text.startswith("When was ") and text.endswith(" founded?") for text in texts)
    assert {one.n for one in examples if one.kind == "filter"} <= {2, 3}
    assert [one for one in examples if one.kind == "filter"]


def test_examples_say_relations_as_people_say_them(tmp_path: Path) -> None:
    people = [EntityRecord(name, types=("Employees",)) for name in ("Ann Reed", "Bob Lake", "Cy Moss")]
    records: list[Record] = [*people, EntityRecord("Fast Post", types=("Shippers",))]
    records += [EntityRecord(f"Order {name}", types=("Orders",)) for name in ("Red", "Blue", "Green")]
    records += [(f"Order {name}", "SHIPPED_VIA", "Fast Post") for name in ("Red", "Blue", "Green")]
    records += [(f"Order {name}", "HANDLED_BY", "Ann Reed") for name in ("Red", "Blue", "Green")]
    records += [("Ann Reed", "ON_LOAN_TO", "Fast Post"), ("Bob Lake", "CAN_HAVE", "Order Red")]
    graph = build(records, tmp_path / "orders.graph")
    cards = [card_of(graph, graph.entity(key)) for key in ("Ann Reed", "Fast Post", "Order Red", "Bob Lake")]
    texts = {draft.text for _, drafts in _Drafts(graph, cards).by_kind() for draft in drafts}
    assert {"How many orders are shipped via Fast Post?", "How many orders did Ann Reed handle?"} <= texts
    assert "Which employee handled Order Red?" in texts or "Who handled Order Red?" in texts
    unsaid = ("loan to of", "loan tos", "handler", "can have", "employeeses", "shipped in", "orderses")
    assert not [text for text in texts if any(word in text for word in unsaid)]
