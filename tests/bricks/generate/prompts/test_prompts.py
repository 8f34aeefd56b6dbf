"""Prompts, citations and what fits the context."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from faults import fails, told
from hypothesis import given
from hypothesis import strategies as st

from graphbrick import LLM, Answer, Evidence, Generate, Query, ShortestPaths, Subgraph, build
from graphbrick.bricks.generate.answers import (
    ReplyAnswer,
    in_json,
    json_as_lines,
    key,
    read_answers,
    spellings,
    write_answers,
)
from graphbrick.bricks.generate.marks import marks_alone
from graphbrick.bricks.generate.prompts import NAMES, prompt
from graphbrick.core import Report
from graphbrick.core.errors import InputError, ModelError
from graphbrick.core.trace import StageTrace, Trace, record
from graphbrick.models.llm.chat import streaming
from graphbrick.testing import ScriptedLLM, tiny_graph

KENYA, SHILLING, NAIROBI, UGANDA, USHILLING, KAMPALA, RWANDA, KIGALI = range(8)
QUERY = Query("Which currency is used in the country whose capital is Nairobi?", seeds=(NAIROBI,))


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-0123456789")


@pytest.fixture
def evidence() -> Evidence:
    """Four paths: to Kenya, to the shilling, and two to Uganda; all pass Kenya."""
    return ShortestPaths(max_hops=2).retrieve(QUERY, Subgraph(tiny_graph()))


def generated(reply: str, evidence: Evidence, **parameters: object) -> tuple[Answer, StageTrace, list[dict[str, str]]]:
    name = str(parameters.pop("prompt", "zero"))
    with ScriptedLLM([reply]) as server, record(Trace(), "Generate", "generate") as entry:
        model = LLM(base_url=server.base_url, **parameters)  # type: ignore[arg-type]
        answer = Generate(model, prompt=name).generate(QUERY, evidence)
        return answer, entry, server.requests[0].body["messages"]


class TestCitations:
    @pytest.mark.parametrize(
        ("reply", "support", "events"),
        [
            ("Kenyan shilling [2]", [[1]], []),
            ("Uganda [4]", [[3]], []),
            ("Uganda [3, 4]\nKenyan shilling", [[2, 3], [1]], []),
            ("Uganda", [[2, 3]], []),
            ("Uganda [2]", [[2, 3]], [("generate.wrong_citation", {"answer": "Uganda", "numbers": "2"})]),
            ("Uganda [4, 9, 0]", [[3]], [("generate.wrong_citation", {"answer": "Uganda", "numbers": "9, 0"})]),
            ("Euro [2]", [[]], [("generate.unsupported_answer", {"answer": "Euro"})]),
            ('{"answers": [{"answer": "Uganda", "paths": [4]}]}', [[3]], []),
            ('{"answers": [{"answer": "Uganda", "paths": "3"}]}', [[2, 3]], []),
        ],
    )
    def test_support(self, reply: str, support: Sequence[Sequence[int]], events: list[Any], evidence: Evidence) -> None:
        answer, entry, _ = generated(reply, evidence)
        got = [[evidence.items.index(answer.evidence.items[i]) for i in places] for places in answer.support]
        assert got == support
        assert told(entry.events) == events

    def test_a_reply_in_json_that_was_cut(self, evidence: Evidence) -> None:
        answer, entry, _ = generated('{"answers": [{"answer": "Uganda", "paths": [3]}, {"answer": "Ken', evidence)
        assert answer.texts[0] == "Uganda"
        assert answer.support[0] == (0,)
        assert entry.events[0].startswith("the reply breaks off; what came before was read")

    def test_a_name_that_ends_in_brackets_is_still_found(self, tmp_path: Path) -> None:
        graph = build([("Weezer", "album", "Weezer [1994]")], tmp_path / "albums.graph")
        found = ShortestPaths().retrieve(Query("?", seeds=(0,)), Subgraph(graph))
        answer, _, _ = generated("Weezer [1994] [1]", found)
        assert (answer.texts, answer.entities, answer.support) == (("Weezer [1994]",), (1,), ((0,),))

    @pytest.mark.parametrize(
        ("reply", "texts", "support"),
        [
            ("Uganda [3], Kenyan shilling [2]", ["Uganda", "Kenyan shilling"], [[2], [1]]),
            ("Uganda [3] Kenyan shilling [2]", ["Uganda", "Kenyan shilling"], [[2], [1]]),
            ("Uganda [3] and Kenyan shilling [2].", ["Uganda", "Kenyan shilling"], [[2], [1]]),
            ("Uganda [3], Kenyan shilling", ["Uganda", "Kenyan shilling"], [[2], [1]]),
            ("Uganda [3] [4]", ["Uganda"], [[2, 3]]),
            ("[3] Uganda", ["Uganda"], [[2]]),
            ("**[3] Uganda**", ["Uganda"], [[2]]),
            ("[1] Uganda [3]\n[2] Kenyan shilling [2]", ["Uganda", "Kenyan shilling"], [[2], [1]]),
            ("[3] Uganda, [2] Kenyan shilling", ["Uganda", "Kenyan shilling"], [[2], [1]]),
            ("Answer: Uganda [3]", ["Uganda"], [[2]]),
            ("**Answer:** Uganda", ["Uganda"], [[2, 3]]),
            ("The answer is Uganda [3].", ["Uganda"], [[2]]),
            ("Answers:\nUganda [3]", ["Uganda"], [[2]]),
            ("Uganda (3)", ["Uganda"], [[2]]),
            ("Uganda (path 4)", ["Uganda"], [[3]]),
            ("Uganda [3] (a country in East Africa)", ["Uganda"], [[2]]),
            ("Uganda [3], since it shares a border with the country that has the capital", ["Uganda"], [[2]]),
            ("Uganda [3]\nNOT IN THE PATHS", ["Uganda"], [[2]]),
            ("Uganda and Kenyan shilling", ["Uganda", "Kenyan shilling"], [[2, 3], [1]]),
            ('["Uganda [3]", "Kenyan shilling [2]"]', ["Uganda", "Kenyan shilling"], [[2], [1]]),
        ],
    )
    def test_right_answers_in_other_forms(
        self, reply: str, texts: list[str], support: Sequence[Sequence[int]], evidence: Evidence
    ) -> None:
        answer, entry, _ = generated(reply, evidence)
        assert list(answer.texts) == texts
        got = [[evidence.items.index(answer.evidence.items[i]) for i in places] for places in answer.support]
        assert (got, entry.events) == (support, [])

    @pytest.mark.parametrize(
        "name", ["Weezer [1994]", "Se7en (2)", "[3] Idiots", "Rec [1] live", "Answer: Yes", "1, 2 and 3", "!!! [2]"]
    )
    def test_names_with_brackets_and_marks_stay_whole(self, name: str, tmp_path: Path) -> None:
        graph = build([("seed", "r", other) for other in (name, "Weezer", "Se7en")], tmp_path / "b.graph")
        found = ShortestPaths().retrieve(Query("?", seeds=(graph.entity("seed"),)), Subgraph(graph))
        for reply in (name, f"{name} [1]", f"{name} [1], Weezer [2]"):
            answer, _, _ = generated(reply, found)
            assert answer.texts[0] == name
            assert answer.entities[0] == graph.entity(name)
            assert len(answer.texts) == 1 + ("[2]" in reply.removeprefix(name))

    def test_names_on_one_line_are_several_answers(self, evidence: Evidence) -> None:
        answer, entry, _ = generated("Kenyan shilling, Uganda, Euro, Uganda", evidence)
        assert answer.texts == ("Kenyan shilling", "Uganda", "Euro")
        assert answer.entities == (SHILLING, UGANDA, None)
        assert told(entry.events) == [("generate.unsupported_answer", {"answer": "Euro"})]
        assert generated("Foo, Bar", evidence)[0].texts == ("Foo, Bar",)

    def test_an_answer_on_several_lines_is_given_once(self, evidence: Evidence) -> None:
        answer, _, _ = generated("Kenyan shilling, Uganda [3]\nUganda [4]\nUganda, Kenya", evidence)
        assert answer.texts == ("Kenyan shilling", "Uganda", "Kenya")
        assert [evidence.items.index(answer.evidence.items[i]) for i in answer.support[1]] == [2, 3]

    def test_another_name_of_an_entity_counts(self, tmp_path: Path) -> None:
        nodes, edges = tmp_path / "nodes.csv", tmp_path / "edges.csv"
        nodes.write_text("key,label,aliases\nus,United States,USA|America\nnyc,New York,\n")
        edges.write_text("head,relation,tail\nnyc,country,us\n")
        graph = build(tmp_path, tmp_path / "cities.graph")
        seed = graph.entity("nyc")
        found = ShortestPaths().retrieve(Query("?", seeds=(seed,)), Subgraph(graph))
        answer, entry, _ = generated("USA [1]", found)
        assert (answer.texts, answer.entities, entry.events) == (("USA",), (graph.entity("us"),), [])


@pytest.mark.parametrize(
    ("reply", "answers"),
    [
        ("Uganda [1-3]", [("Uganda", (1, 2, 3))]),
        ("Uganda [1–3, 5]", [("Uganda", (1, 2, 3, 5))]),
        ("Uganda [path 2]", [("Uganda", (2,))]),
        ("- **Uganda** [1]\n2. Kenya: [2; 3]", [("Uganda", (1,)), ("Kenya", (2, 3))]),
        ("Uganda [1]\nuganda [2]", [("Uganda", (1, 2))]),
        ('["Uganda", 7, null]', [("Uganda", ()), ("7", ())]),
        ('{"answers": []}', []),
        ('{"answers": [{"paths": [1]}]}', []),
        # JSON in another form than the schema, as servers send that do not obey it
        ('{"answers": [{"answer": "Uganda", "paths": [1]}], "reason": "It borders."}', [("Uganda", (1,))]),
        ('{"answer": "Uganda", "paths": [1, 4]}', [("Uganda", (1, 4))]),
        ('{"answer": "Uganda"}', [("Uganda", ())]),
        ('{"answers": {"answer": "Uganda", "paths": ["1", 4]}}', [("Uganda", (1, 4))]),
        ('{"answers": "Uganda"}', [("Uganda", ())]),
        ('{"answers": [{"answer": ["Uganda", "Kenya"], "paths": 2}]}', [("Uganda", (2,)), ("Kenya", (2,))]),
        ('{"answers": [], "reason": "The paths are about other countries."}', []),
        ("{}", []),
        ("NOT IN THE PATHS: they are about other countries.", []),
        ("<think>Uganda or Kenya?</think>\nKenya [2]", [("Kenya", (2,))]),
        ("", []),
    ],
)
def test_reading(reply: str, answers: list[tuple[str, tuple[int, ...]]]) -> None:
    assert read_answers(reply) == [ReplyAnswer(*answer) for answer in answers]


_NAMES = st.text("Ab1 [](:),-.é", min_size=1, max_size=12).map(lambda name: " ".join(name.split()))
_NAMES = _NAMES.filter(lambda name: name[:1] in tuple("Aé([") and name[-1:] in tuple("b1)]é"))
_NAMES = _NAMES.filter(lambda name: not marks_alone(name))  # a reply of «[1]» alone is a citation, in any graph


@given(st.lists(_NAMES, min_size=1, max_size=4, unique_by=key))
def test_known_names_are_read_as_they_were_written(names: list[str]) -> None:
    answers = [ReplyAnswer(name, (i,)) for i, name in enumerate(names, 1)]
    known = {spelling for name in names for spelling in spellings(name)}
    assert read_answers(write_answers(answers, structured=False), known, len(names)) == answers


@given(st.text('A1[]( ),:\n\u2028*"{}', max_size=60), st.sampled_from([None, 0, 3]))
def test_any_reply_is_read(reply: str, items: int | None) -> None:
    for text in (reply, json.dumps([reply])):
        read_answers(text, {"a", "a [1]", "a:"}, items)


def test_a_reply_of_citations_is_read_in_steps_that_grow_with_it() -> None:
    known = {spelling for name in ("Weezer [1994]", "Uganda") for spelling in spellings(name)}

    def steps(repeats: int) -> int:
        count = 0

        def counted(_frame: object, _event: str, _argument: object) -> None:
            nonlocal count
            count += 1

        before = sys.getprofile()
        sys.setprofile(counted)
        try:
            assert len(read_answers("Uganda [3] x " * repeats, known, 5)) == 2
        finally:
            sys.setprofile(before)
        return count

    assert steps(2_000) < 3 * steps(1_000) + 1_000


class TestPrompts:
    @pytest.mark.parametrize(("name", "roles"), [("zero", "su"), ("one", "suau"), ("few", "suauauau")])
    @pytest.mark.parametrize("structured", [False, True])
    def test_the_turns(self, name: str, roles: str, structured: bool, evidence: Evidence) -> None:
        answer, _, messages = generated("Kenyan shilling [2]", evidence, prompt=name, structured=structured)
        assert "".join(message["role"][0] for message in messages) == roles
        assert messages[-1]["content"].startswith("Paths:\n1. Nairobi <- capital <- Kenya\n2. ")
        assert QUERY.text in messages[-1]["content"]
        assert ("JSON" in messages[0]["content"]) == structured
        for message in messages:
            if message["role"] == "assistant":
                said = read_answers(message["content"])
                assert message["content"].startswith("{") == structured
                assert all(answer.cited for answer in said)
        assert answer.texts == ("Kenyan shilling",)

    @pytest.mark.parametrize("structured", [False, True])
    def test_only_the_prompt_of_published_systems_has_no_way_out(self, structured: bool, evidence: Evidence) -> None:
        refusal = '{"answers": []}' if structured else "NOT IN THE PATHS"
        for name in NAMES:
            _, entry, messages = generated(refusal, evidence, prompt=name, structured=structured)
            assert (refusal in messages[0]["content"]) == (name != "paths")
            assert ("JSON" in messages[0]["content"]) == structured
            assert entry.facts == {"refusals": 1}
        assert generated("", evidence)[1].facts == {"unread_replies": 1}

    def test_the_examples_are_right(self) -> None:
        turns = prompt("few")
        for (_, asked), (role, reply) in pairwise(turns[1:]):
            if role == "assistant":
                paths = [line for line in asked.splitlines() if line[:1].isdigit()]
                for said in read_answers(reply):
                    assert all(paths[number - 1].endswith(said.text) for number in said.cited)

    def test_a_prompt_of_ones_own(self, tmp_path: Path, evidence: Evidence) -> None:
        own = tmp_path / "own.txt"
        own.write_text('\n[user]\nQ: {question} {x} {"a": 1}\n{evidence}\n')
        _, _, messages = generated("x", evidence, prompt=str(own))
        assert [message["role"] for message in messages] == ["user"]
        assert messages[0]["content"].startswith(f'Q: {QUERY.text} {{x}} {{"a": 1}}\nPaths:\n1. ')

    def test_what_stands_in_the_question_is_no_place(self, evidence: Evidence) -> None:
        with ScriptedLLM(["x"]) as server:
            Generate(LLM(base_url=server.base_url)).generate(Query("What is {evidence}?", seeds=(NAIROBI,)), evidence)
            assert "Question: What is {evidence}?" in server.requests[0].prompt

    @pytest.mark.parametrize(
        ("text", "code"),
        [
            ("Hello\n[user]\n{evidence}{question}", "prompts.no_turn"),
            ("", "prompts.bad_last_turn"),
            ("[user]\n{question}", "prompts.bad_last_turn"),
            ("[user]\n{question}{evidence}\n[assistant]\nx", "prompts.bad_last_turn"),
        ],
    )
    def test_a_file_that_is_no_prompt(self, text: str, code: str, tmp_path: Path, evidence: Evidence) -> None:
        (tmp_path / "own.txt").write_text(text)
        with fails(code, InputError):
            generated("x", evidence, prompt=str(tmp_path / "own.txt"))

    def test_files_that_cannot_be_read(self, tmp_path: Path, evidence: Evidence) -> None:
        (tmp_path / "latin.txt").write_bytes(b"[user]\n\xff")
        for name, code in [
            ("none.txt", "prompts.no_prompt"),
            ("latin.txt", "prompts.not_utf8"),
            (".", "prompts.no_prompt"),
        ]:
            with fails(code, InputError):
                generated("x", evidence, prompt=str(tmp_path / name))
        for name in ("You are an expert. " * 300, "~nobody-of-this-name/a.txt", "a\0b"):
            with fails("prompts.no_prompt", InputError):
                generated("x", evidence, prompt=name)

    def test_a_file_in_the_home_folder(
        self, tmp_path: Path, evidence: Evidence, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("HOME", str(tmp_path))
        (tmp_path / "own.txt").write_text("[user]\nMine: {question}\n{evidence}\n")
        _, _, messages = generated("x", evidence, prompt="~/own.txt")
        assert messages[0]["content"].startswith("Mine: ")


class TestContext:
    def test_what_does_not_fit_is_left_out_from_the_end(self, evidence: Evidence) -> None:
        _, _, whole = generated("Uganda", evidence)
        context = LLM().tokens(whole) + 10 - 30  # the last paths have 20 tokens each
        answer, entry, messages = generated("Uganda", evidence, context=context, max_tokens=10)
        assert ("listing.items_cut", {"n": 2, "total": 4}) in told(entry.events)
        assert "\n2. " in messages[-1]["content"]
        assert "\n3. " not in messages[-1]["content"]
        # The model was not shown the paths to Uganda.
        assert (answer.entities, answer.support) == ((UGANDA,), ((),))

    def test_no_room_at_all(self, evidence: Evidence) -> None:
        with fails("generate.no_room", ModelError):
            generated("Uganda", evidence, context=50, max_tokens=10)

    def test_reports_are_numbered_after_the_paths(self, evidence: Evidence) -> None:
        report = Report(tiny_graph(), (UGANDA, KAMPALA), "Uganda's capital is Kampala.")
        answer, _, messages = generated("Kampala [5]", Evidence((report, *evidence.items)))
        assert "\n\nReports on parts of the graph:\n5. Uganda's capital is Kampala.\n" in messages[-1]["content"]
        assert (answer.evidence.items, answer.support) == ((report,), ((0,),))


def test_what_is_heard_of_json() -> None:
    heard: list[str] = []
    listen = json_as_lines(heard.append)
    whole = json.dumps({"answers": [{"answer": 'a "b" é', "paths": [1]}, {"answer": "c", "paths": []}]})
    for letter in whole:
        listen(letter)
    assert heard == ['a "b" é\n', "c\n"]
    assert in_json('a "b" é [1]\nc') == json.dumps(json.loads(whole), ensure_ascii=False)


def test_a_streamed_answer_in_json(evidence: Evidence) -> None:
    heard: list[str] = []
    with streaming(heard.append):
        answer, _, _ = generated('{"answers": [{"answer": "Kenyan shilling", "paths": [2]}]}', evidence)
    assert heard == ["Kenyan shilling\n"]
    assert answer.texts == ("Kenyan shilling",)


def test_the_names_are_the_files() -> None:
    assert [prompt(name)[-1][0] for name in NAMES] == ["user"] * 4
