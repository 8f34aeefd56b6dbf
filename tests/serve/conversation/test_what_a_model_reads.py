"""Which messages of a conversation go to the language model, and which the rules read by themselves."""

from __future__ import annotations

import pytest
from built_graphs import built_from_nodes_and_edges

from graphbrick.pipeline.parsing import parse
from graphbrick.serve.conversation.earlier_questions import asker, without_model
from graphbrick.serve.conversation.standalone import standalone
from graphbrick.serve.conversation.turns import Conversation, Turn
from graphbrick.testing import ScriptedLLM

NODES = {
    "team": "id,label,budget,founded\nt0,Red Team,500,2014\nt1,Blue Team,700,2020\n",
    "office": "id,label,city,country\no0,Oslo Office,Oslo,Norway\no1,Lyon Office,Lyon,France\n",
    "employee": "id,label,salary,remote,hired\n"
    "p0,Ann Moor,900,true,2023-01-04\np1,Ben Hill,800,false,2021-02-03\np2,Cora Lind,700,true,2023-05-06\n"
    "p3,Dan Frey,600,false,2020-07-08\n",
    "service": "id,label,language\ns0,cart-api,Go\ns1,mail-api,Rust\ns2,tax-api,Go\n",
    "incident": "id,label,date,severity\n"
    + "".join(f"i{i},INC-{i},{2023 + i % 2}-0{i + 1}-01,{i % 2}\n" for i in range(6)),
}
EDGES = {
    "works in": "Employee,Office\np0,o0\np1,o0\np2,o0\np3,o1\n",
    "member of": "Employee,Team\np0,t0\np1,t0\np2,t1\np3,t1\n",
    "reports to": "Employee,Employee\np1,p0\np2,p0\np3,p1\n",
    "led by": "Team,Employee\nt0,p0\nt1,p2\n",
    "owns": "Team,Service\nt0,s0\nt0,s1\nt1,s2\n",
}
LEADER = ("Who leads Red Team?", "Ann Moor")
BUDGET = ("What is the budget of Red Team?", "500")
OSLO = ("Which employees work in Oslo Office?", "Ann Moor, Ben Hill, Cora Lind")
BOSS = ("Who does Ben Hill report to?", "Ann Moor")
OF_2023 = ("How many incidents were there in 2023?", "3")
OWNED = ("Which services does Red Team own?", "cart-api, mail-api")
MOST = ("Which team owns the most services?", "Red Team")
BIGGEST = ("Which team has the biggest budget?", "Blue Team")
RULES = "Operators(Patterns(BM25(), max_hops=1), reasons=True) >> Generate({llm}, first=PathAnswer())"


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    edges = {
        name: "source,target,type\n" + "".join(f"{line},{name}\n" for line in text.splitlines()[1:])
        for name, text in EDGES.items()
    }
    nodes = {
        name: "\n".join(f"{line},{'type' if at == 0 else name.title()}" for at, line in enumerate(text.splitlines()))
        for name, text in NODES.items()
    }
    return built_from_nodes_and_edges(tmp_path_factory.mktemp("company"), nodes, edges)


def read(graph, question, *turns, recipe=RULES):
    """Return how a message is read, and how often the model was asked."""
    with ScriptedLLM(lambda _: '{"question": "as the model says"}') as server:
        pipeline = parse(recipe.format(llm=f"LLM('m', base_url='{server.base_url}')"))
        found = standalone(graph, pipeline, Conversation(question, tuple(Turn(*turn) for turn in turns)))
        return found.question, found.by, len(server.requests)


@pytest.mark.parametrize(
    ("turns", "question"),
    [
        ([LEADER], "Which services does Blue Team own?"),
        ([LEADER], "How many incidents were there in 2024?"),
        ([LEADER], "Tell me about Cora Lind"),
        ([OWNED], "Which services does Blue Team own?"),
        ([OSLO], "When was Dan Frey hired?"),
    ],
)
def test_a_message_that_stands_alone_goes_on_without_a_call(graph, turns, question):
    assert read(graph, question, *turns) == (question, "", 0)


@pytest.mark.parametrize(
    ("turns", "question", "expected"),
    [
        ([LEADER], "and of Blue Team?", "Who leads Blue Team?"),
        ([LEADER], "and Blue Team?", "Who leads Blue Team?"),
        ([BUDGET], "And the Blue Team?", "What is the budget of Blue Team?"),
        ([LEADER], "and the budget?", "What is the budget of Red Team?"),
        ([LEADER], "what is its budget?", "What is the budget of Red Team?"),
        ([LEADER], "where does she work?", "Where does Ann Moor work?"),
        ([OF_2023], "and in 2024?", "How many incidents were there in 2024?"),
        ([OSLO], "how many of them are remote?", "How many of the employees that work in Oslo Office are remote?"),
        ([OSLO], "how many?", "How many employees work in Oslo Office?"),
        ([BIGGEST], "and the smallest?", "Which team has the smallest budget?"),
        ([OWNED], "who owns the first one?", "Who owns cart-api?"),
    ],
)
def test_what_the_rules_complete_with_certainty_is_not_asked_of_the_model(graph, turns, question, expected):
    assert read(graph, question, *turns) == (expected, "rules", 0)


@pytest.mark.parametrize(
    ("turns", "question"),
    [
        ([LEADER], "why?"),
        ([LEADER], "is that a lot?"),
        ([LEADER], "more details please"),
        ([LEADER], "who leads the team?"),
        ([LEADER], "and before?"),
        ([LEADER], "Does the leader work in Oslo Office?"),
        ([LEADER], "Wer leitet Blue Team?"),
        ([OSLO], "Which employees were hired after 2022?"),
        ([OSLO], "How many in Lyon?"),
        ([OSLO], "and the average salary?"),
        ([OSLO], "and the managers?"),
        ([OSLO], "the second one's salary?"),  # the reply does not show them in the order of the rules
        ([OSLO], "who is a member of Red Team?"),
        ([OSLO], "Is Ann Moor the oldest?"),
        ([BOSS], "when was she hired?"),
        ([BOSS], "Is Cora Lind older than her?"),
        ([OF_2023], "and since 2024?"),
        ([OF_2023], "who set them up?"),
        ([OF_2023], "How many were severity 1?"),
        ([BIGGEST], "and the oldest?"),
        ([BIGGEST], "how much is it?"),
        ([MOST], "how many does it own?"),
        ([MOST], "which are they?"),
        ([MOST], "list them"),
        ([OWNED], "How many does Blue Team own?"),
        ([OWNED], "and Oslo Office?"),
        ([BUDGET], "compared to Blue Team?"),
        ([BUDGET], "what about the other team"),
    ],
)
def test_what_the_rules_cannot_read_for_certain_goes_to_the_model(graph, turns, question):
    assert read(graph, question, *turns) == ("as the model says", "m", 1)


def test_a_question_that_the_rules_do_not_answer_goes_to_the_model(graph):
    assert read(graph, "What is the phone number of Blue Team?", LEADER)[1:] == ("m", 1)
    assert read(graph, "and the phone number?", LEADER)[1:] == ("m", 1)


def test_a_word_of_an_earlier_question_than_the_last_goes_to_the_model(graph):
    assert read(graph, "what is its budget?", LEADER, OF_2023)[1:] == ("m", 1)
    assert read(graph, "and in Lyon?", ("Which employees are in Oslo?", "None"), OF_2023)[1:] == ("m", 1)


def test_without_rules_in_the_pipeline_only_what_names_something_new_stands_alone(graph):
    recipe = "ShortestPaths() >> Generate({llm})"
    assert read(graph, "Which services does Blue Team own?", LEADER, recipe=recipe)[1:] == ("", 0)
    assert read(graph, "Which services does Red Team own?", LEADER, recipe=recipe)[1:] == ("m", 1)
    assert read(graph, "and Blue Team?", LEADER, recipe=recipe)[1:] == ("m", 1)
    assert read(graph, "How many incidents were there in 2024?", LEADER, recipe=recipe)[1:] == ("m", 1)


def test_the_rules_of_a_pipeline_are_what_answers_before_its_model(graph):
    model = "LLM('m', base_url='http://localhost:9')"
    first = parse(f"Operators(Patterns(BM25()), {model}) >> Generate({model}, first=PathAnswer())")
    assert repr(without_model(first)) == repr(parse("Operators(Patterns(BM25())) >> PathAnswer()"))
    assert asker(graph, first)("Who leads Red Team?").texts == ("Ann Moor",)
    assert asker(graph, parse(f"ShortestPaths() >> Generate({model})")) is None
    assert asker(graph, parse(f"ShortestPaths() >> Rerank(LLMPointwiseScorer({model})) >> PathAnswer()")) is None
