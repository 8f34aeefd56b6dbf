from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from faults import fails

from graphbrick import LLM, EntityRecord, GraphBuilder, Mention, Query, ShortestPaths
from graphbrick.bricks.link.labels import resolve_seeds
from graphbrick.bricks.link.link_with_llm import LinkWithLLM
from graphbrick.core.errors import LinkError, ModelError, PipelineError
from graphbrick.core.trace import Trace, record
from graphbrick.graphs.graph import Graph
from graphbrick.testing import Reply, Request, ScriptedLLM, check_brick, tiny_graph

# key, label, aliases, what it is
ENTITIES: tuple[tuple[str, str, tuple[str, ...], str], ...] = (
    ("london", "London", (), "capital of the United Kingdom"),
    ("london-on", "London", (), "city in Ontario"),
    ("london-ky", "London", (), "city in Kentucky"),
    ("jack", "Jack London", ("London",), "writer"),
    ("kenya", "Kenya", (), "country"),
    ("nairobi", "Nairobi", ("Nyrobi",), "city"),
    ("lion", "The Lion, the Witch and the Wardrobe", (), "novel"),
    ("heat", "Heat (1995)", (), "film"),
    ("tome", "São Tomé", (), "city"),
    ("sandy-a", "Sandy", (), "film"),
    ("sandy-b", "Sandy", (), "film"),
)
TRIPLES = (
    *((key, "in", place) for key, place in (("london", "UK"), ("london-on", "Ontario"), ("london-ky", "Kentucky"))),
    ("london", "mayor", "Mr Smith"),
    ("london", "river", "Thames"),
    ("london-ky", "founded in", "1825"),
    ("fishing contest", "held at", "london-ky"),
    ("nairobi", "in", "kenya"),
    ("call of the wild", "written by", "jack"),
    ("lion", "about", "Narnia"),
)  # fmt: skip


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    with GraphBuilder(tmp_path_factory.mktemp("link") / "names.graph", source="test") as builder:
        for key, label, aliases, description in ENTITIES:
            builder.add(EntityRecord(key, label=label, aliases=aliases, description=description))
        for triple in TRIPLES:
            builder.add(triple)
        return builder.finish()


class Linked:
    """Result of linking a question with a model that gives these replies in a row."""

    events: list[Any]

    def __init__(self, graph: Graph, question: str, *replies: str | Reply, model: dict[str, object] | None = None,
                 **parameters: object) -> None:  # fmt: skip
        with ScriptedLLM(list(replies)) as server, record(Trace(), "test", "link") as entry:
            settings = {"base_url": server.base_url, "timeout": 5.0, "retries": 0, "parallel": 1} | (model or {})
            llm = LLM("some-model", **settings)  # type: ignore[arg-type]
            try:
                query = LinkWithLLM(llm, **parameters).link(graph, Query(question, id="q"))  # type: ignore[arg-type]
                assert (query.text, query.id) == (question, "q")
                assert query.seeds == tuple(dict.fromkeys(mention.entity for mention in query.mentions))
                self.keys = [graph.key(seed) for seed in query.seeds]
                self.mentions = query.mentions
            finally:
                self.events, self.requests, self.calls = [*entry.events], server.requests, entry.calls
                self.codes = [getattr(told, "code", "") for told in self.events]
                assert all(llm.context_budget(request.body["messages"]) >= 0 for request in server.requests)


@pytest.mark.parametrize(
    ("question", "reply", "keys", "surfaces"),
    [
        ("Where is Kenya?", '{"names": ["Kenya"]}', ["kenya"], ["Kenya"]),
        ("Where is Kenya?", "Kenya", ["kenya"], ["Kenya"]),
        # The question's own spelling, its order, once each
        ("is NAIROBI in kenya", "Kenya\nNairobi\nNairobi", ["nairobi", "kenya"], ["NAIROBI", "kenya"]),
        ("Is Nyrobi or Nairobi its name?", '["Nyrobi", "Nairobi"]', ["nairobi"], ["Nyrobi", "Nairobi"]),
        ("Where is Sao Tome?", '{"names": ["São Tomé"]}', ["tome"], ["Sao Tome"]),
        # Names on one line, and names with a comma in them
        ("Is Nairobi in Kenya?", "Nairobi, Kenya", ["nairobi", "kenya"], ["Nairobi", "Kenya"]),
        ("Is Nairobi in Kenya?", "Nairobi and Kenya", ["nairobi", "kenya"], ["Nairobi", "Kenya"]),
        ("Who wrote The Lion, the Witch and the Wardrobe?", "The Lion, the Witch and the Wardrobe", ["lion"],
         ["The Lion, the Witch and the Wardrobe"]),
        ("Where is Kenya?", "Kenya (a country)", ["kenya"], ["Kenya"]),
        ("Who is in Heat (1995)?", "Heat (1995)", ["heat"], ["Heat (1995"]),
    ],
)  # fmt: skip
def test_names_of_the_question_are_looked_up(
    graph: Graph, question: str, reply: str, keys: list[str], surfaces: list[str]
) -> None:
    linked = Linked(graph, question, reply)
    assert linked.keys == keys
    assert [mention.text for mention in linked.mentions] == surfaces
    assert {mention.score for mention in linked.mentions} == {1.0}
    assert (linked.events, linked.calls) == ([], 1)


def test_what_the_model_is_told(graph: Graph) -> None:
    (request,) = Linked(graph, "Where\nis Kenya?", "Kenya").requests
    assert '{"names": ["Basel", "Max Frisch"]}' in request.prompt
    assert [message["role"] for message in request.body["messages"]] == ["system", *["user", "assistant"] * 2, "user"]
    assert request.body["messages"][-1]["content"] == "Text: Where is Kenya?\nNames in the text:"
    assert request.body["response_format"]["json_schema"]["schema"] == {
        "type": "object",
        "properties": {"names": {"type": "array", "items": {"type": "string"}, "maxItems": 8}},
        "required": ["names"],
        "additionalProperties": False,
    }
    (request,) = Linked(graph, "Where is Kenya?", "Kenya", model={"structured": False}).requests
    assert "\n\nBasel\nMax Frisch\n\n" in request.prompt
    assert "JSON" not in request.prompt
    assert "response_format" not in request.body


@pytest.mark.parametrize("reply", ['{"number": 3}', "3", '{"number": "3"}', "3."])
@pytest.mark.parametrize("structured", [True, False])
def test_the_model_chooses_among_entities_of_one_name(graph: Graph, reply: str, structured: bool) -> None:
    question = "When was London founded?"
    linked = Linked(graph, question, "London", reply, model={"structured": structured})
    shown = linked.requests[1].body["messages"][1]["content"]
    # By the rule of LinkLabels: labels before the alias, the best connected first.
    assert shown == (
        "Entities:\n"
        "1. London [london], capital of the United Kingdom; 3 triples; London -> in -> UK; "
        "London -> mayor -> Mr Smith\n"
        "2. London [london-ky], city in Kentucky; 3 triples; London -> founded in -> 1825; London -> in -> Kentucky\n"
        "3. London [london-on], city in Ontario; 1 triple; London -> in -> Ontario\n"
        "4. Jack London [jack], writer; 1 triple; call of the wild -> written by -> Jack London\n"
        "\nQuestion: When was London founded?\nName: London\nNumber:"
    )
    assert linked.requests[1].prompt.startswith("You are given a question and numbered entities")
    assert ("JSON" in linked.requests[1].prompt) == structured
    assert (linked.keys, linked.calls) == (["london-on"], 2)
    assert [graph.key(entity) for entity in linked.mentions[0].others] == ["london", "london-ky", "jack"]
    (told,) = linked.events
    assert told.code == "link.several_entities"
    assert told.values == {"name": "London", "n": 4, "by": "some-model", "taken": "london-on"}


@pytest.mark.parametrize("reply", ["I cannot say", "9", '{"number": 0}'])
def test_a_choice_that_cannot_be_read_is_made_by_the_rule_for_given_names(graph: Graph, reply: str) -> None:
    question = "When was London founded?"
    linked = Linked(graph, question, "London", reply)
    expected = resolve_seeds(graph, Query(question), ["London"])
    assert tuple(linked.mentions) == expected.mentions
    assert linked.codes[1:] == ["link_llm.no_choice", "link.several_entities"]  # the first is about the reply
    assert linked.events[2].values["taken"] == "london"


def test_of_several_choices_the_first_counts(graph: Graph) -> None:
    linked = Linked(graph, "When was London founded?", "London", "2, 1")
    assert linked.keys == ["london-ky"]
    assert linked.codes[0] == "link_llm.several_choices"
    assert linked.events[0].values == {"name": "London", "n": 2}


def test_names_are_chosen_at_the_same_time_and_each_for_itself(graph: Graph) -> None:
    def script(request: Request) -> str | Reply:
        if request.prompt.endswith("Names in the text:"):
            return '{"names": ["Sandy", "London"]}'
        name = re.search(r"Name: (.*)\n", request.prompt)
        assert name
        return Reply('{"number": 2}', delay=0.2 if name.group(1) == "Sandy" else 0)

    with ScriptedLLM(script) as server:
        run = (LinkWithLLM(LLM(base_url=server.base_url, retries=0)) >> ShortestPaths()).run(graph, "Sandy of London?")
    assert [graph.key(seed) for seed in run.query.seeds] == ["sandy-b", "london-ky"]
    assert run.trace.stages[0].calls == 3


def test_a_near_miss_is_told(graph: Graph) -> None:
    linked = Linked(graph, "Is Nairobbi large?", '{"names": ["Nairobbi"]}')
    assert linked.keys == ["nairobi"]
    assert linked.mentions[0].score == pytest.approx(0.93, abs=0.01)
    assert linked.codes == ["link_llm.near_miss"]
    assert linked.events[0].values == {"name": "Nairobbi", "taken": "nairobi"}
    # The model chooses among several near misses too.
    linked = Linked(graph, "Who made Sandyy?", "Sandyy", "2")
    assert linked.keys == ["sandy-b"]
    assert linked.mentions[0].score < 1
    with pytest.raises(LinkError):
        Linked(graph, "Is Nairobbi large?", "Nairobbi", min_score=0.95)


def test_a_name_that_the_model_made_up_is_told_and_comes_last(graph: Graph) -> None:
    linked = Linked(graph, "Which city is the capital of Kenya?", '{"names": ["Nairobi", "Kenya"]}')
    assert linked.keys == ["kenya", "nairobi"]
    assert linked.codes == ["link_llm.not_in_question"]
    assert linked.events[0].values == {"names": ["Nairobi"]}


def test_what_is_made_up_is_looked_up_nearly_only_where_nothing_else_is_found(graph: Graph) -> None:
    linked = Linked(graph, "Is Nairobi the capital?", "Kenyan\nNairobi", min_score=0.6)
    assert linked.keys == ["nairobi"]
    assert linked.codes == ["link_llm.not_in_question", "link_llm.unknown_name"]
    assert linked.events[1].values["nearest"].startswith("Kenya")
    linked = Linked(graph, "Where do they speak?", "Kenyan", min_score=0.6)
    assert linked.keys == ["kenya"]
    assert linked.codes == ["link_llm.not_in_question", "link_llm.near_miss"]


def test_what_names_no_entity_is_told(graph: Graph) -> None:
    linked = Linked(graph, "Is Nairobi a capital?", "capital\nNairobi")
    assert linked.keys == ["nairobi"]
    assert linked.codes == ["link_llm.unknown_name"]
    assert linked.events[0].values["name"] == "capital"


@pytest.mark.parametrize(
    ("reply", "names"),
    [
        ("NONE", []),
        ('{"names": []}', []),
        ("", []),
        ("Zzyzx\nAtlantis", ["Zzyzx", "Atlantis"]),
        ('{"names": ["Zzyzx", "Atl', ["Zzyzx"]),
    ],
)
def test_no_entity_is_an_error_that_says_what_was_tried(graph: Graph, reply: str, names: list[str]) -> None:
    with fails("link_llm.no_entity", LinkError, names=names) as caught:
        Linked(graph, "Where is Zzyzx or Atlantis?", reply)
    assert "try LinkLabels()" in str(caught.value)
    assert len(str(caught.value)) < 400


def test_no_more_names_than_asked_for(graph: Graph) -> None:
    linked = Linked(graph, "Nairobi or Kenya?", "Kenya\nNairobi\nKENYA", n=1)
    assert linked.keys == ["kenya"]
    assert linked.codes == ["link_llm.too_many_names"]
    assert linked.events[0].values == {"n": 2, "at_most": 1}


def test_no_more_entities_of_a_name_than_asked_for(graph: Graph) -> None:
    linked = Linked(graph, "When was London founded?", "London", "2", candidates=2)
    assert "\n2. " in linked.requests[1].prompt
    assert "\n3. " not in linked.requests[1].prompt
    assert linked.codes[0] == "link_llm.entities_cut"
    assert linked.events[0].values == {"name": "London", "shown": 2, "n": 4}
    assert len(linked.mentions[0].others) == 3


def test_entities_that_do_not_fit_the_context_are_not_shown(tmp_path: Path) -> None:
    with GraphBuilder(tmp_path / "long.graph", source="test") as builder:
        for key in "abcd":
            builder.add(EntityRecord(key, label="Jo", description=f"the {key} " + "of many words " * 20))
            builder.add((key, "r" * 300, "x"))
        long = builder.finish()
    model: dict[str, object] = {"context": 600, "max_tokens": 50}
    linked = Linked(long, "Who is Jo?", "Jo", "2", model=model)
    assert (linked.keys, linked.calls) == (["b"], 2)
    assert "\n2. Jo [b], the b of many words" in linked.requests[1].prompt
    assert "\n4. " not in linked.requests[1].prompt
    assert linked.codes[0] == "link_llm.entities_cut"
    assert linked.events[0].values["shown"] in (2, 3)
    # Of one there is nothing to choose.
    linked = Linked(long, "Who is Jo?", "Jo", "2", model=model | {"context": 350})
    assert (linked.keys, linked.calls) == (["a"], 1)
    assert linked.codes[0] == "link_llm.no_room"


def test_what_is_shown_of_an_entity_is_what_the_question_asks_about(tmp_path: Path) -> None:
    rows = [("a", f"r{i:03}", f"x{i}") for i in range(60)] + [("a", "birthplace", "Paris"), ("b", "r", "c")]
    with GraphBuilder(tmp_path / "two.graph", source="test") as builder:
        for key in "ab":
            builder.add(EntityRecord(key, label="Jo"))
        for row in [("zz", "birthplace", "a"), *rows]:
            builder.add(row)
        graph = builder.finish()
    linked = Linked(graph, "What is the birthplace of Jo?", "Jo", "1")
    assert "1. Jo [a]; 62 triples; zz -> birthplace -> Jo; Jo -> " in linked.requests[1].prompt


@pytest.mark.parametrize("name", ["", "  ", "!!", "a" * 100_000, "内罗毕", "\ud800", "names\u2028Kenya"])
def test_strange_names_break_nothing(graph: Graph, name: str) -> None:
    linked = Linked(graph, "Where is Kenya?", json.dumps({"names": [name, "Kenya"]}))
    assert linked.keys == ["kenya"]
    assert all(len(event) < 600 for event in linked.events)


def test_a_fault_of_the_server_is_raised(graph: Graph) -> None:
    with pytest.raises(ModelError, match="status 400"):
        Linked(graph, "Where is Kenya?", Reply("no", status=400))


@pytest.mark.parametrize(
    ("parameters", "allowed"),
    [
        ({"llm": "gpt"}, "a chat model"),
        ({"n": 0}, "a whole number of at least 1"),
        ({"candidates": 1}, "a whole number of at least 2"),
        ({"min_score": 1}, "in (0, 1)"),
    ],
)
def test_wrong_parameters(parameters: dict[str, object], allowed: str) -> None:
    with fails("parameter.not_allowed", PipelineError, name=next(iter(parameters)), allowed=allowed):
        LinkWithLLM(**({"llm": LLM()} | parameters))  # type: ignore[arg-type]


@pytest.mark.parametrize("reply", ['{"names": ["Nairobi"]}', "Nairobi\nKenya", "NONE", "I do not know"])
def test_the_contract(reply: str) -> None:
    with ScriptedLLM([reply]) as server:
        check_brick(LinkWithLLM(LLM(base_url=server.base_url)), installed=False)


def test_no_seed_is_lost_or_added(graph: Graph) -> None:
    """Whatever names of the graph a question holds, the seeds are the entities of those that the model names."""
    labels = [label for _, label, _, _ in ENTITIES if label not in ("London", "Sandy")]
    rng = np.random.default_rng(0)
    for _ in range(20):
        shown = [labels[i] for i in rng.permutation(len(labels))[: int(rng.integers(1, 5))]]
        named = [shown[i] for i in rng.permutation(len(shown))[: int(rng.integers(1, len(shown) + 1))]]
        linked = Linked(graph, "Say something of " + " or ".join(shown) + "!", "\n".join(named))
        assert [graph.label(m.entity) for m in linked.mentions] == [label for label in shown if label in named]
        assert all(isinstance(mention, Mention) for mention in linked.mentions)


def test_in_a_pipeline() -> None:
    with ScriptedLLM(['{"names": ["Nairobi"]}']) as server:
        pipeline = LinkWithLLM(LLM(base_url=server.base_url)) >> ShortestPaths(max_hops=2)
        run = pipeline.run(tiny_graph(), "Which currency is used in the country whose capital is Nairobi?")
    assert [stage.kind for stage in run.trace.stages] == ["link", "retrieve"]
    assert run.evidence is not None
    assert len(run.evidence) > 0
