"""Drafts of logical forms: reading, binding, executing, the vote, limits, and hostile servers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path as File
from typing import Any

import numpy as np
import pytest
from faults import told
from reasoning import PROSE, walk

from graphbrick import BM25, LLM, LogicalForms, Row, Subgraph, build
from graphbrick.bricks.retrieve.reasoning.forms.execute import (
    SpentError,
    Visits,
    bindings,
    execute,
    path_of,
    slots_of,
)
from graphbrick.bricks.retrieve.reasoning.forms.form import FormError, form_text, read_form, turned
from graphbrick.patterns.planned.relation_paths import relations_near
from graphbrick.testing import Reply, tiny_graph

SHILLING = '(JOIN (R currency) (JOIN capital "Nairobi"))'


def stage(**parameters: Any) -> Callable[[LLM], LogicalForms]:
    return lambda llm: LogicalForms(llm, BM25(), **parameters)


def drafts(*texts: str) -> list[str | Reply]:
    return [Reply(texts[0], others=texts[1:])]


@pytest.mark.parametrize(
    "text",
    [
        '"Kenya"',
        SHILLING,
        '(AND (JOIN directed by "Jane Roe") (JOIN (R starring) "A \\"B\\" C"))',
        '(COUNT (JOIN (R borders) "Kenya"))',
    ],
)
def test_the_text_of_a_form_is_read_back(text: str) -> None:
    form = read_form(f"Here it is: {text} and so on.") if text.startswith("(") else read_form(f"(COUNT {text})")
    assert read_form(form_text(form).replace('A "B" C', 'A \\"B\\" C')) == form


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ('(AND (JOIN directed by "X"))', '(JOIN directed by "X")'),
        ('(AND (JOIN a "X") (JOIN b "Y") (JOIN c "Z"))', '(AND (AND (JOIN a "X") (JOIN b "Y")) (JOIN c "Z"))'),
        ('(AND (JOIN a "X") (JOIN genre (JOIN (R genre) "X"))', '(AND (JOIN a "X") (JOIN genre (JOIN (R genre) "X")))'),
        ('(JOIN (R genre) (JOIN (R directed by "X")))', '(JOIN (R genre) (JOIN (R directed by) "X"))'),
        ('JOIN capital "Nairobi"', '(JOIN capital "Nairobi")'),
    ],
)
def test_what_small_models_write_is_read_as_the_one_thing_that_it_can_mean(text: str, meant: str) -> None:
    assert form_text(read_form(text)) == meant


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (PROSE, "no parenthesis"),
        ("(JOIN capital", "breaks off"),
        ('(JOIN capital "Nairobi', "breaks off"),  # the name may be cut
        ("(ARGMAX x y)", "no part 'ARGMAX'"),
        ('(AND (COUNT "a") "b")', "COUNT is inside"),
        ("(" * 50, "no part"),
        ('(JOIN (R) "a")', "neither words nor"),
        ("(JOIN)", "breaks off"),
        ("(AND ) )", "empty"),
        ('(JOIN "a")', "empty"),
        ("(COUNT " * 30 + '"a"' + ")" * 30, "deep|inside"),
    ],
)
def test_what_is_no_form_says_why(text: str, why: str) -> None:
    with pytest.raises(FormError, match=why):
        read_form(text)


def test_the_outermost_parentheses_may_be_missing() -> None:
    assert read_form('JOIN (R currency) (JOIN capital "Nairobi")') == read_form(SHILLING)
    assert read_form(' COUNT (JOIN borders "Uganda")\n') == read_form('(COUNT (JOIN borders "Uganda"))')
    assert read_form('JOIN capital "Nairobi"') == read_form('(JOIN capital "Nairobi")')


def test_names_without_quotes_are_read() -> None:
    assert form_text(read_form("(join capital Nairobi City)")) == '(JOIN capital "Nairobi City")'


def test_forms_mean_sets_of_entities() -> None:
    graph = tiny_graph()
    relations = {graph.relation_label(i): i for i in range(graph.n_relations)}

    def run(text: str) -> set[str]:
        form = read_form(text)
        binding = {
            slot: graph.entity(slot[1]) if slot[0] == "entity" else relations[slot[1]] for slot in slots_of(form)
        }
        found = execute(Subgraph(graph), form, binding, Visits(100))
        assert all(path_of(walk).nodes[-1] == node for node, walks in found.items() for walk in walks)
        return {graph.label(node) for node in found}

    assert run('(JOIN borders "Uganda")') == {"Kenya", "Rwanda"}
    assert run('(JOIN (R borders) "Uganda")') == {"Kenya"}
    assert run('(AND (JOIN borders "Uganda") (JOIN capital "Kigali"))') == {"Rwanda"}
    assert run(SHILLING) == {"Kenyan shilling"}
    assert run('(JOIN capital "Kenya")') == set()


def test_combinations_come_by_the_sum_of_their_ranks() -> None:
    slots = {("entity", "a"): [10, 11], ("relation", "b"): [20, 21, 22]}
    found = [tuple(binding.values()) for binding in bindings(slots, 10)]
    assert found == [(10, 20), (10, 21), (11, 20), (10, 22), (11, 21), (11, 22)]
    assert len(list(bindings(slots, 4))) == 4


def test_the_vote_of_the_drafts() -> None:
    other = '(JOIN (R capital) "Kenya")'
    found = walk(stage(drafts=4), drafts(other, SHILLING, PROSE, SHILLING), "Nairobi", temperature=0.3)
    assert len(found.prompts) == 1
    assert found.evidence.texts() == ["Nairobi <- capital <- Kenya -> currency -> Kenyan shilling"]
    assert found.facts == {"drafts": 3, "drafts_with_answers": 3, "unread_replies": 1}
    assert told(found.events) == [
        ("logical_forms.unread_draft", {"problem": "there is no parenthesis"}),
        ("logical_forms.votes", {"votes": 2, "drafts": 3, "form": SHILLING}),
    ]


def test_the_earlier_draft_wins_a_tie() -> None:
    other = '(JOIN (R capital) "Kenya")'
    found = walk(stage(drafts=2), drafts(other, SHILLING), "Nairobi", temperature=0.3)
    assert found.evidence.texts() == ["Kenya -> capital -> Nairobi"]


def test_relations_are_bound_to_the_nearest_that_gives_something() -> None:
    question = "What is the largest city?"
    found = walk(stage(drafts=1), ['(JOIN (R largest city) "Uganda")'], "Uganda", question=question)
    assert found.evidence.texts() == ["Uganda -> largest city -> Kampala"]
    # Kenya has no largest city, so the next relations by the scorer are tried.
    found = walk(stage(drafts=1), ['(JOIN (R largest city) "Kenya")'], "Kenya", question=question)
    assert len(found.evidence) == 1


def test_only_relations_near_the_entities_are_tried(tmp_path: File) -> None:
    graph = build([("ann", "knows", "bob"), ("bob", "likes", "cat"), ("cat", "born in", "rome")], tmp_path / "g.graph")
    ann = np.array([graph.entity("ann")], np.int32)
    near = {hops: {graph.relation_label(i) for i in relations_near(graph, ann, hops)} for hops in (1, 2, 3)}
    assert near == {1: {"knows"}, 2: {"knows", "likes"}, 3: {"knows", "likes", "born in"}}
    found = walk(stage(drafts=1), ['(JOIN (R born in) "ann")'], "ann", graph=graph, question="Where is ann born?")
    assert found.evidence.texts() == ["ann -> knows -> bob"]


def test_a_join_that_gives_nothing_is_turned_round() -> None:
    found = walk(stage(drafts=1), ['(JOIN capital "Kenya")'], "Kenya", question="What is the capital?")
    assert found.evidence.texts() == ["Kenya -> capital -> Nairobi"]
    assert told(found.events) == [
        ("logical_forms.votes", {"votes": 1, "drafts": 1, "form": '(JOIN (R capital) "Kenya")'})
    ]


def test_all_ways_round_come_once_with_the_draft_first() -> None:
    form = read_form('(AND (JOIN a (JOIN (R b) "X")) (JOIN c "Y"))')
    texts = [form_text(found) for found in turned(form)]
    assert texts[:4] == [
        '(AND (JOIN a (JOIN (R b) "X")) (JOIN c "Y"))',
        '(AND (JOIN (R a) (JOIN (R b) "X")) (JOIN c "Y"))',
        '(AND (JOIN a (JOIN b "X")) (JOIN c "Y"))',
        '(AND (JOIN (R a) (JOIN b "X")) (JOIN c "Y"))',
    ]
    assert len(set(texts)) == len(texts) == 8


def test_a_count_is_a_row_before_its_paths() -> None:
    replies = ['(COUNT (JOIN borders "Uganda"))']
    found = walk(stage(drafts=1), replies, "Uganda", question="How many countries have borders with it?")
    row = found.evidence.items[0]
    assert isinstance(row, Row)
    assert row.values[0] == "2"
    assert found.evidence.has_answers
    assert len(found.evidence.paths) == 2


def test_many_joins_are_left_out() -> None:
    deep = "(JOIN borders " * 6 + '"Uganda"' + ")" * 6
    found = walk(stage(drafts=1), [deep], "Uganda")
    assert not found.evidence.items
    assert told(found.events)[0] == ("logical_forms.too_many_joins", {})


def test_tries_are_limited() -> None:
    found = walk(stage(drafts=1, tries=2), ['(JOIN (R borders) (JOIN (R borders) "Kigali"))'], "Kigali")
    assert not found.evidence.items
    code, values = told(found.events)[0]
    assert (code, values["tries"]) == ("logical_forms.tries", 2)


def test_equal_drafts_are_executed_once_and_vote_each(monkeypatch: pytest.MonkeyPatch) -> None:
    executed: list[str] = []

    def counting(subgraph: Subgraph, form: Any, binding: Any, visits: Visits) -> Any:
        executed.append(form_text(form))
        return execute(subgraph, form, binding, visits)

    monkeypatch.setattr("graphbrick.bricks.retrieve.reasoning.logical_forms.execute", counting)
    other = '(JOIN (R capital) "Kenya")'
    found = walk(stage(drafts=5), drafts(other, SHILLING, SHILLING, other, SHILLING), "Nairobi", temperature=0.3)
    assert found.evidence.texts() == ["Nairobi <- capital <- Kenya -> currency -> Kenyan shilling"]
    assert len(executed) == len(set(executed))
    assert found.facts == {"drafts": 5, "drafts_with_answers": 5}


def test_all_drafts_share_one_budget_of_visits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphbrick.bricks.retrieve.reasoning.logical_forms._VISITS", 3)
    deep = '(JOIN (R borders) (JOIN (R borders) "Kigali"))'
    found = walk(stage(drafts=2), drafts(deep, SHILLING), "Kigali", temperature=0.3)
    assert not found.evidence.items
    assert told(found.events)[:2] == [
        ("logical_forms.visits", {"form": deep}),
        ("logical_forms.not_executed", {"form": SHILLING}),
    ]
    with pytest.raises(SpentError):
        Visits(1).take(2)


def test_a_name_is_in_the_question_as_whole_words_only(tmp_path: File) -> None:
    graph = build([("Ken Smith", "born in", "Rome"), ("Kenya", "capital", "Nairobi")], tmp_path / "k.graph")
    draft = ['(JOIN (R born in) "Ken")']
    named = walk(stage(drafts=1), draft, "Kenya", graph=graph, question="Where was Ken born?")
    assert named.evidence.items
    other = walk(stage(drafts=1), draft, "Kenya", graph=graph, question="Where in Kenya was he born?")
    assert told(other.events)[0] == ("logical_forms.no_candidate", {"kind": "entity", "name": "Ken"})


def test_at_temperature_0_it_drafts_once() -> None:
    found = walk(stage(), [SHILLING], "Nairobi")
    assert found.facts["drafts"] == 1
    assert told(found.events)[0] == ("logical_forms.one_draft", {})


def test_hostile_servers_give_events_and_no_evidence() -> None:
    prose = walk(stage(drafts=1), [PROSE], "Nairobi")
    assert not prose.evidence.items
    assert told(prose.events)[-1] == ("logical_forms.no_answer", {})
    invented = walk(stage(drafts=1), ['(JOIN (R mayor of) "Xyzzyville")'], "Nairobi")
    assert not invented.evidence.items
    assert told(invented.events)[0] == ("logical_forms.no_candidate", {"kind": "entity", "name": "Xyzzyville"})
    assert told(invented.events)[-1] == ("logical_forms.no_answer", {})
