"""Follow-ups that speak of all answers of an earlier question, or of it with something else in a place."""

from __future__ import annotations

import csv
from types import SimpleNamespace

import pytest
from served import serving

from graphbrick.core.items import ANSWER
from graphbrick.graphs.build.builder import build
from graphbrick.pipeline.parsing import parse
from graphbrick.serve.conversation.earlier_questions import Result, asker
from graphbrick.serve.conversation.follow_ups import FollowUps
from graphbrick.serve.conversation.turns import Turn

RECIPE = "Operators(Patterns(BM25(), max_hops=1)) >> PathAnswer()"
OFFICES = ["Berlin Office", "Paris Office"]
LANGUAGES = ["Go", "Java"]
PEOPLE = [f"Ada{i} Lind{i}" for i in range(60)]
INCIDENTS = [f"INC-{2000 + i}" for i in range(40)]
SUPPLIERS = ["Exotic Leaves", "Tokyo Trade"]
PRODUCTS = [("Chang", "19", 0), ("Aniseed", "10", 0), ("Chai", "18", 0), ("Miso", "8", 1)]


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    folder = tmp_path_factory.mktemp("company")
    nodes = [{"id": name, "type": "Office"} for name in OFFICES]
    nodes += [{"id": f"svc{i}", "type": "Service", "language": LANGUAGES[i % 3 > 0]} for i in range(9)]
    nodes += [
        {"id": name, "type": "Employee", "city": ("London", "Lyon")[i % 2], "remote": str(i % 4 == 0).lower()}
        for i, name in enumerate(PEOPLE)
    ]
    nodes += [
        {"id": name, "type": "Incident", "date": f"{2023 + i % 2}-04-{i % 28 + 1:02}", "severity": str(1 + i % 3)}
        for i, name in enumerate(INCIDENTS)
    ]
    nodes += [{"id": name, "type": "Supplier", "city": "London"} for name in SUPPLIERS]
    nodes += [{"id": name, "type": "Product", "price": price} for name, price, _ in PRODUCTS]
    edges = [(name, "works in", OFFICES[i % 3 > 1]) for i, name in enumerate(PEOPLE)]
    edges += [(SUPPLIERS[by], "supplies", name) for name, _, by in PRODUCTS]
    edges += [(name, "reports to", PEOPLE[i + 1]) for i, name in enumerate(PEOPLE[:-1])]
    with (folder / "nodes.csv").open("w", newline="") as file:
        rows = csv.DictWriter(file, ["id", "type", "city", "remote", "language", "date", "severity", "price"])
        rows.writeheader()
        rows.writerows(nodes)
    with (folder / "edges.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("head", "relation", "tail"), *edges])
    return build(folder / "edges.csv", folder / "company.graph", nodes=folder / "nodes.csv")


@pytest.fixture(scope="module")
def client(graph):
    with serving(graphs={"company": str(graph.path)}, recipes={"one": RECIPE}) as client:
        yield client


def talk(client, *questions):
    """Return how each question was read, and the texts of its answers."""
    messages, told = [], []
    for question in questions:
        messages.append({"role": "user", "content": question})
        reply = client.post("/v1/chat/completions", json={"model": "one", "messages": messages}).json()
        messages.append(reply["choices"][0]["message"])
        run = reply["graphbrick"]
        told.append((run.get("conversation", {}).get("question", ""), [one["text"] for one in run["answers"]]))
    return told


def read(graph, question, *turns):
    """Return a question as rules complete it; None if it stays as it is."""
    found = FollowUps(graph, [Turn(*turn) for turn in turns], None, asker(graph, parse(RECIPE))).completed(question)
    return None if found is None else found.question


WORKERS = ("Which employees work in Berlin Office?", "Ada0 Lind0, Ada1 Lind1, and 38 more")
INCIDENTS_OF_2023 = ("How many incidents were there in 2023?", "20")
LEAVES = ("products of Exotic Leaves", "Chang, Aniseed, Chai")
CHEAPEST = ("which of them is the cheapest?", "Aniseed")
LONDON = ("Which employees are in London?", "Ada0 Lind0, Ada2 Lind2, and 28 more")


@pytest.mark.whole
@pytest.mark.parametrize(
    ("conversation", "answers"),
    [
        (("Which employees work in Berlin Office?", "how many of them are remote?"), ["10"]),
        (("How many incidents were there in 2023?", "how many of them were severity 1?"), ["7"]),
        (("products of Exotic Leaves", "which of them is the cheapest?", "what is its price?"), ["10"]),
        (
            ("products of Exotic Leaves", "which of them is the cheapest?", "what are their prices?"),
            ["Chang: 19", "Aniseed: 10", "Chai: 18"],
        ),
        (("How many services are in Go?", "and in Java?", "list them", "how many?"), ["6"]),
        (("Which office does Ada3 Lind3 work in?", "who else is in that office?", "how many?"), ["39"]),
    ],
)
def test_all_answers_of_the_former_question_are_meant(client, conversation, answers):
    assert talk(client, *conversation)[-1][1] == answers


@pytest.mark.whole
@pytest.mark.parametrize(
    ("turns", "question", "expected"),
    [
        ([WORKERS], "how many of them are remote?", "How many of the employees that work in Berlin Office are remote?"),
        ([WORKERS], "only the remote ones", "Which of the employees that work in Berlin Office are remote?"),
        ([WORKERS], "how many are there?", "How many employees work in Berlin Office?"),
        ([WORKERS, ("Thanks", "No answer.")], "how many is that?", "How many employees work in Berlin Office?"),
        ([LEAVES], "which of these are under 15?", "Which of the products of Exotic Leaves are under 15?"),
        ([LEAVES], "only those under 15", "Which of the products of Exotic Leaves are under 15?"),
        ([LEAVES, CHEAPEST], "what is its price?", "What is the price of Aniseed?"),
        ([LEAVES, CHEAPEST], "how much are they?", "How much are the products of Exotic Leaves?"),
        ([LEAVES], "and the cheapest?", "Which of the products of Exotic Leaves is the cheapest?"),
        ([WORKERS, ("who is the oldest?", "Ada1 Lind1")], "where does she work?", "Where does Ada1 Lind1 work?"),
        ([LEAVES], "which is the cheapest?", "Which of the products of Exotic Leaves is the cheapest?"),
        ([("Who does Ada3 Lind3 report to?", "Ada4 Lind4")], "how many of them are remote?", None),
        ([INCIDENTS_OF_2023], "who are they?", "Which incidents were there in 2023?"),
        ([INCIDENTS_OF_2023], "list them", "Which incidents were there in 2023?"),
        ([INCIDENTS_OF_2023], "how many is that?", "How many incidents were there in 2023?"),
        ([INCIDENTS_OF_2023], "and in 2024?", "How many incidents were there in 2024?"),
        ([INCIDENTS_OF_2023], "what about 2024?", "How many incidents were there in 2024?"),
        ([INCIDENTS_OF_2023, ("and in 2024?", "20")], "2025?", "How many incidents were there in 2025?"),
        ([LONDON], "and in Lyon?", "Which employees are in Lyon?"),
        ([LONDON], "and the suppliers?", "Which suppliers are in London?"),
        ([("How many services are in Go?", "3")], "what about Java?", "How many services are in Java?"),
        ([("Which product is the cheapest?", "Miso")], "and the second?", "Which product is the second cheapest?"),
    ],
)  # fmt: skip
def test_follow_ups_about_lists_are_completed(graph, turns, question, expected):
    assert read(graph, question, *turns) == expected


@pytest.mark.whole
@pytest.mark.parametrize(
    "question",
    ["Tell me about Tokyo Trade", "Who is Tokyo Trade?", "What is Tokyo Trade?", "Describe Tokyo Trade",
     "tell me more about Tokyo Trade", "Where is Tokyo Trade?", "And who is Tokyo Trade?"],
)  # fmt: skip
def test_a_question_with_a_name_and_what_is_asked_is_complete(graph, question):
    assert read(graph, question, ("How many products does Exotic Leaves have?", "3")) is None


@pytest.mark.whole
@pytest.mark.parametrize(
    "question",
    [
        "Which employees left their office before 2014?",
        "Who joined their office first, Ada1 Lind1 or Ada2 Lind2?",
        "the office with the most employees, who leads it?",
        "Which office has the most employees in it?",
        "Employees of an office they do not work in",
        "I sit in Berlin Office. Which country is that?",
        "There are many ways of making green tea. Which one is it?",
        "Which languages do they speak in Berlin Office?",
        "How many of those with a salary are remote?",
        "How far is it from Berlin Office to Paris Office?",
        "who doesn't report to anybody?",
        "who reports to Oppenheimer?",
        "Is Ada2 Lind2 in Berlin Office?",
        "everything on Ada2 Lind2",
        "How many incidents were severity 1?",
    ],
)
def test_a_question_that_explains_itself_is_asked_as_it_is(graph, question):
    assert read(graph, question, ("Who does Ada3 Lind3 report to?", "Ada4 Lind4")) is None


def test_it_is_the_entity_that_a_reply_describes(graph):
    card = ("Tell me about Tokyo Trade", "Tokyo Trade (Supplier)\n- city: London\n- → supplies: Miso")
    assert read(graph, "what does it supply?", card) == "What does Tokyo Trade supply?"
    assert read(graph, "tell me about it", LEAVES, CHEAPEST) == "Tell me about Aniseed?"


def test_he_and_she_are_members_of_classes_of_people_and_it_may_be_a_company(graph):
    boss = ("Who does Ada3 Lind3 report to?", "Ada4 Lind4")
    assert read(graph, "who does she report to?", boss) == "Who does Ada4 Lind4 report to?"
    assert read(graph, "where is he?", ("Which office is the largest?", "Berlin Office")) is None
    assert read(graph, "what does it supply?", ("Who supplies Miso?", "Tokyo Trade")) == "What does Tokyo Trade supply?"


@pytest.mark.parametrize(
    ("plan", "is_taken"),
    [
        ("count of: remote among: Exotic Leaves | Tokyo Trade", True),
        ("count of: (Exotic Leaves) ∩ (remote among: Tokyo Trade)", False),  # about one of them only
        ("count of: remote among: every Supplier", False),  # about others too
    ],
)
def test_names_stand_for_them_only_if_the_answer_is_about_all_of_them(graph, plan, is_taken):
    former, asked = "Who sells tea?", "How many of Exotic Leaves and Tokyo Trade are remote?"
    both = tuple(entity for entity in range(graph.n_entities) if graph.label(entity) in SUPPLIERS)
    known = {former: Result(tuple(SUPPLIERS), both, ""), asked: Result(("1",), (), plan)}
    rules = FollowUps(graph, [Turn(former, "Exotic Leaves, Tokyo Trade")], None, known.get)
    found = rules.completed("how many of them are remote?")
    assert (found is not None and found.question == asked) == is_taken


@pytest.mark.whole
def test_a_value_is_not_counted(graph):
    assert read(graph, "how many?", ("What is the price of Miso?", "8")) is None


def test_earlier_questions_are_not_asked_again_of_a_language_model(graph):
    model = "LLM('m', base_url='http://localhost:9')"  # where nothing listens
    ask = asker(graph, parse(f"Operators(Patterns(BM25(), max_hops=1), {model}) >> PathAnswer()"))
    assert ask("products of Exotic Leaves").texts == ("Chang", "Aniseed", "Chai")
    assert ask("Which of these services would you drop first, and how many?") is None
    assert asker(graph, parse(f"ShortestPaths() >> Generate({model})")) is None


def test_the_plan_of_an_answer_is_in_the_evidence_of_the_answer_not_of_the_run(graph, monkeypatch):
    row = SimpleNamespace(columns=ANSWER, values=("20", "count of: every Incident"))
    answer = SimpleNamespace(
        texts=("20",), entities=(None,), support=((1,),), evidence=SimpleNamespace(items=(None, row)), confidence=0.9
    )
    run = SimpleNamespace(answer=answer, stopped=None, evidence=SimpleNamespace(items=()))
    monkeypatch.setattr("graphbrick.serve.conversation.earlier_questions.execute", lambda *_: run)
    result = asker(graph, parse(RECIPE))("How many incidents are there?")
    assert (result.counted, result.is_count, result.confidence) == ("every Incident", True, 0.9)


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("tell me about the second one", "Tell me about Aniseed?"),
        ("What is the price of the last one?", "What is the price of Chai?"),
        ("which supplier sells the first of them?", "Which supplier sells Chang?"),
        ("show me the first two", "Tell me about Chang and Aniseed?"),
        ("#3", "Tell me about Chai?"),
    ],
)
def test_answers_are_meant_by_their_place(graph, said, question):
    former, reply = "Which products does Exotic Leaves supply?", "Chang, Aniseed, Chai"
    order = {label: entity for entity in range(graph.n_entities) for label in [graph.label(entity)]}
    entities = tuple(order[name] for name in ("Chang", "Aniseed", "Chai"))
    rules = FollowUps(graph, [Turn(former, reply)], None, {former: Result(tuple(reply.split(", ")), entities, "")}.get)
    found = rules.completed(said)
    assert found is not None
    assert found.question == question


@pytest.mark.parametrize("said", ["tell me about the ninth one", "Who was the first one to order tea?"])
def test_a_place_that_the_list_does_not_have_means_nothing(graph, said):
    former = "Which products does Exotic Leaves supply?"
    entities = tuple(entity for entity in range(graph.n_entities) if graph.label(entity) in ("Chang", "Chai"))
    rules = FollowUps(graph, [Turn(former, "Chang, Chai")], None, {former: Result(("Chang", "Chai"), entities, "")}.get)
    found = rules.completed(said)
    assert found is None or "Ch" not in found.question


@pytest.mark.whole
@pytest.mark.parametrize("said", ["which ones cost more than 15?", "Which of them cost more than 15?"])
def test_which_ones_are_those_of_the_last_list(graph, said):
    assert read(graph, said, LEAVES) == "Which of the products of Exotic Leaves cost more than 15?"
