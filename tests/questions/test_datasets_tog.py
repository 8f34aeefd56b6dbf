"""Questions of the files of Think-on-Graph."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from faults import fails

from graphbrick.questions.loading import load

CWQ = {
    "ID": "WebQTest-832_c334",
    "compositionality_type": "composition",
    "question": "Lou Seal is the mascot for the team that last won the World Series when?",
    "sparql": "SELECT ?x { ?c ns:sports.sports_team.team_mascot ns:m.03_dwn . ?c ns:common.type ns:m.01mp }",
    "topic_entity": {"m.03_dwn": "Lou Seal"},
    "answer": "2014 World Series",
}


def written(folder: Path, name: str, *records: Any) -> Path:
    (folder / name).write_text(json.dumps(list(records), indent=4), encoding="utf-8")
    return folder / name


@pytest.mark.parametrize(("form", "dataset"), [("auto", "cwq"), ("cwq", "cwq"), ("tog", "mine")])
def test_cwq(tmp_path: Path, form: str, dataset: str) -> None:
    (question,) = load(written(tmp_path, "mine.json", CWQ), form)
    assert (question.id, question.dataset) == ("WebQTest-832_c334", dataset)
    assert question.seeds == ("m.03_dwn",)  # not the entity of the type constraint
    assert (question.answers, question.answer_names) == (("2014 World Series",), ())
    assert question.facts == {"type": "composition", "query": CWQ["sparql"], "seed_names": "Lou Seal"}


def test_answers_with_keys_and_several_names(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        "qald_10-en.json",
        {"question": "Where?", "answer": {"Q1": "New York", "Q2": ""}, "topic_entity": {"Q3": "Siemens", "Q4": None}},
        {"question": "How many?", "answer": 1.5, "topic_entity": {}},
        {"question": "Which?", "answers": ["a", "b", "a"], "topic_entity": {}},
        {"question": "Nobody knows?", "answer": None, "topic_entity": {}},
    )
    first, second, third, fourth = load(file)
    assert (first.id, first.dataset, first.seeds) == ("1", "qald_10-en", ("Q3", "Q4"))
    assert (first.answers, first.answer_names) == (("Q1", "Q2"), (("New York",), ()))
    assert first.facts == {"seed_names": "Siemens|Q4"}
    assert [one.answers for one in (second, third, fourth)] == [("1.5",), ("a", "b"), ()]
    assert second.seeds == ()
    assert second.facts == {}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"topic_entity": ["m.1"]}, "questions.not_an_object"),
        ({"answer": [True]}, "questions.not_text"),
        ({"answer": {"m.1": ["a"]}}, "questions.not_text"),
        ({"question": " "}, "questions.no_field"),
    ],
)
def test_a_bad_record_is_named_by_its_line(tmp_path: Path, change: dict[str, Any], code: str) -> None:
    with fails(code) as fault:
        load(written(tmp_path, "cwq.json", CWQ, {**CWQ, "ID": "2", **change}))
    assert fault.value.line == 12  # where the record begins


def test_neither_form_of_cwq(tmp_path: Path) -> None:
    without = {name: value for name, value in CWQ.items() if name != "answer"}
    with fails("tog.no_answer"):
        load(written(tmp_path, "cut.json", without))
    with fails("cwq.no_answers"):
        load(written(tmp_path, "other.json", {**{n: v for n, v in CWQ.items() if n != "topic_entity"}}))
