"""Plans that a language model writes where the rules have none."""

from __future__ import annotations

import json
from typing import Any

import pytest
from faults import told
from staff import Indifferent, plan_of, staff_graph

from graphbrick import LLM, Answer, PathAnswer, Patterns
from graphbrick.bricks.retrieve.operators.stage import Operators
from graphbrick.graphs.graph import Graph
from graphbrick.testing import ScriptedLLM

COUNTED = "How many products does Platform Team run?"  # the graph has services that are owned


@pytest.fixture(scope="module")
def staff(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return staff_graph(tmp_path_factory.mktemp("staff"))


def step(operator: str, *sets: str, attribute: str = "", numbers: tuple[float, ...] = ()) -> dict[str, Any]:
    return {"operator": operator, "sets": list(sets), "attribute": attribute, "numbers": list(numbers)}


def answered(graph: Graph, question: str, reply: object, **parameters: Any) -> tuple[Answer, ScriptedLLM]:
    """Return the answer to a question where the model replies with an object as JSON or with a text."""
    with ScriptedLLM([reply if isinstance(reply, str) else json.dumps(reply)]) as server:
        llm = LLM(base_url=server.base_url, **parameters)
        answer = (Operators(Patterns(Indifferent()), llm) >> PathAnswer())(graph, question)
    return answer, server


@pytest.mark.whole
@pytest.mark.parametrize(
    ("question", "steps", "texts", "plan"),
    [
        (COUNTED, [step("count", "which services does e0 own")], ["3"], "count of: Platform Team → owns → *"),
        (
            COUNTED,
            [step("count", "Which services does Platform Team own?")],
            ["3"],
            "",
        ),  # the name, not its placeholder
        (
            "Which of the teams has the longest list of services?",
            [step("most", "which teams are there", attribute="services")],
            ["Platform Team"],
            "largest count of * → owns → * among: every team",
        ),
        (
            "Who in Platform Team earns above sixty thousand bucks?",
            [step("more_than", "who works in e0", attribute="salary", numbers=(60_000,))],
            ["Ada Marsh"],
            "salary over 60,000 among: Platform Team ← works in ← *",
        ),
        (
            "Which folks at Platform Team take home more than Ben Okoro?",
            [step("more_than", "who works in e0", "e1", attribute="salary")],
            ["Ada Marsh"],
            "salary over 58,500 among: Platform Team ← works in ← *",
        ),
        (
            "What do Ada Marsh and Ben Okoro take home on average?",
            [step("mean", "e0 and e1", attribute="salary")],
            ["59,750 $"],
            "mean of salary of: Ada Marsh | Ben Okoro",
        ),
        (
            "Is the chief of Ben Okoro paid at least fifty grand?",
            [
                step("at_least", "who does e0 report to", attribute="salary", numbers=(50_000,)),
                step("yes_no", "#1"),
            ],
            ["yes"],
            "is there any of: salary of at least 50,000 among: Ben Okoro → reports to → *",
        ),
        (
            "How many products does the youngest squad of Engineering run?",
            [
                step("most", "which teams are part of e0", attribute="founded"),
                step("count", "which services does #1 own"),
            ],
            ["3"],
            "count of: Platform Team → owns → *",
        ),
        (
            "Which outfits were set up after 2008?",
            [step("more_than", "which teams are there", attribute="founded", numbers=(2008,))],
            ["Platform Team"],
            "founded after 2008 among: every team",
        ),
        (
            "Which teams, minus the one of Carla Diaz, have more than zero products?",
            [
                step("without", "which teams are there", "in which team does e0 work"),
                step("at_least", "#1", attribute="services", numbers=(1,)),
            ],
            ["Platform Team"],
            "",
        ),
    ],
)
def test_the_model_plans_what_the_rules_cannot(
    staff: Graph, question: str, steps: list[dict[str, Any]], texts: list[str], plan: str
) -> None:
    assert (Operators(Patterns(Indifferent())) >> PathAnswer())(staff, question).texts == ()
    answer, server = answered(staff, question, {"steps": steps})
    assert answer.trace is not None
    assert list(answer.texts) == texts, answer.trace.events
    assert len(server.requests) == 1
    assert "operators.planned_by_model" in answer.trace.event_codes
    if plan:
        assert plan_of(answer) == plan


@pytest.mark.parametrize(
    ("reply", "reason", "values"),
    [
        ("I think it is three.", "model_plan.unread_reply", {}),
        ('{"steps": [{"operator": "count", "sets": ["which services', "model_plan.unread_reply", {}),
        ({"steps": []}, "model_plan.unread_reply", {}),
        ({"steps": [step("median", "e0")]}, "model_plan.bad_operator", {"operator": "median"}),
        ({"steps": [{"operator": ["count"], "sets": ["e0"]}]}, "model_plan.bad_operator", {}),
        ({"steps": ["count"]}, "model_plan.bad_step", {}),
        ({"steps": [step("cannot")]}, "model_plan.no_plan", {}),
        (
            {"steps": [step("count", "which hospitals does e0 have")]},
            "operators.unknown_words",
            {"words": ("hospital",)},
        ),
        (
            {"steps": [step("most", "who works in e0", attribute="height")]},
            "operators.not_countable",
            {"words": ("height",)},
        ),
        ({"steps": [step("count", "which services does e7 own")]}, "model_plan.unknown_name", {"name": "e7"}),
        ({"steps": [step("count", "which teams are there")]}, "model_plan.left_out", {"names": ("e0",)}),
        ({"steps": [{**step("count", "e0"), "reason": "guess"}]}, "model_plan.bad_input", {"operator": "count"}),
        ({"steps": [step("count", "e0", numbers=(3,))]}, "model_plan.bad_input", {"operator": "count"}),
        ({"steps": [step("most", "who works in e0")]}, "model_plan.bad_input", {"operator": "most"}),
        (
            {"steps": [step("between", "who works in e0", attribute="salary", numbers=(9, 1))]},
            "model_plan.bad_comparison",
            {},
        ),
        ({"steps": [step("count", "#1")]}, "model_plan.no_earlier_step", {"step": 1}),
        ({"steps": [step("count", "e0"), step("yes_no", "#1")]}, "model_plan.no_earlier_step", {"step": 1}),
        ({"steps": [step("yes_no", "e0"), step("count", "e0")]}, "model_plan.unused_step", {"step": 1}),
        (
            {"steps": [step("both", "who works in e0", "e0"), step("count", "which services does #1 own")]},
            "operators.not_one_entity",
            {"n": 0},
        ),
    ],
)
def test_a_plan_that_the_graph_does_not_explain_is_no_answer(
    staff: Graph, reply: object, reason: str, values: dict[str, object]
) -> None:
    answer, _ = answered(staff, COUNTED, reply)
    assert answer.texts == ()
    assert answer.trace is not None
    (event,) = [event for event in answer.trace.events if told([event])[0][0] == "operators.not_answered"]
    ((_, actual),) = told([event])
    assert actual.items() >= {"reason": "operators.neither_planned", "model": reason, **values}.items()
    assert "I do not know the words 'products' and 'run' in this graph" in event  # what the rules missed is said too


@pytest.mark.parametrize("question", ["How many services does Platform Team own?", "Where does Ada Marsh live?"])
def test_the_model_is_asked_only_where_the_rules_have_no_plan(staff: Graph, question: str) -> None:
    _, server = answered(staff, question, "NONE")
    assert not server.requests


def test_the_model_is_shown_the_words_of_the_graph_as_far_as_they_fit(staff: Graph) -> None:
    _, server = answered(staff, COUNTED, {"steps": [step("cannot")]})
    prompt = server.requests[0].prompt
    for line in ("number: salary (integer in $)", "date: founded (year)", "class: team", "relation: reports to"):
        assert line in prompt
    assert "Auth Service" not in prompt
    assert "how many products does e0 run" in prompt
    used = LLM(base_url="http://localhost").tokens(server.requests[0].body["messages"])
    answer, server = answered(staff, COUNTED, {"steps": [step("cannot")]}, context=used - 10 + 200, max_tokens=200)
    assert "relation: lives in" not in server.requests[0].prompt
    assert "number: salary" in server.requests[0].prompt
    assert answer.trace is not None
    assert "model_plan.names_cut" in answer.trace.event_codes
