"""Questions of QALD, LC-QuAD and SimpleQuestions in their original files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from faults import fails

from graphbrick.questions.loading import load

DBPEDIA = "http://dbpedia.org/resource/"


def written(folder: Path, name: str, value: object) -> Path:
    (folder / name).write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return folder / name


@pytest.mark.parametrize("form", ["auto", "qald"])
def test_qald(tmp_path: Path, form: str) -> None:
    bindings = [{"uri": {"type": "uri", "value": f"{DBPEDIA}Canberra"}}, {"c": {"type": "literal", "value": "7"}}]
    value = {
        "dataset": {"id": "qald-9-train-multilingual"},
        "questions": [
            {
                "id": "1",
                "question": [{"language": "de", "string": "Welche?"}, {"language": "en", "string": "Which capital?"}],
                "query": {"sparql": f"SELECT ?u {{ <{DBPEDIA}Australia> dbo:capital ?u }}"},
                "answers": [{"head": {"vars": ["uri"]}, "results": {"bindings": bindings}}],
            },
            {"id": 2, "question": [{"language": "it", "string": "È vero?"}], "answers": [{"boolean": True}]},
        ],
    }
    first, second = load(written(tmp_path, "qald.json", value), form)
    assert (first.text, first.seeds) == ("Which capital?", (f"{DBPEDIA}Australia",))
    assert first.answers == (f"{DBPEDIA}Canberra", "7")
    assert first.dataset == "qald"
    assert (second.id, second.text, second.answers) == ("2", "È vero?", ("yes",))


def test_lcquad_of_both_versions(tmp_path: Path) -> None:
    one = {
        "_id": "1501",
        "corrected_question": "How many movies?",
        "sparql_query": f"SELECT ?x {{?x p <{DBPEDIA}Kubrick>}}",
    }
    (first,) = load(written(tmp_path, "one.json", [one]))
    assert (first.id, first.text, first.seeds, first.answers) == (
        "1501",
        "How many movies?",
        (f"{DBPEDIA}Kubrick",),
        (),
    )
    two = {"uid": 19, "question": "What periodical?", "sparql_wikidata": "select ?o { ?o wdt:P921 wd:Q8087 . }"}
    (second,) = load(written(tmp_path, "two.json", [two]))
    assert (second.id, second.seeds) == ("19", ("http://www.wikidata.org/entity/Q8087",))
    assert second.facts["query"].startswith("select")


def test_simple_questions(tmp_path: Path) -> None:
    row = (
        "www.freebase.com/m/04whkz5\twww.freebase.com/book/written_work/subjects\twww.freebase.com/m/01cj3p\twhat is it"
    )
    (question,) = load(written(tmp_path, "annotated_fb_data_test.txt", row + "\n"))
    assert (question.seeds, question.answers, question.hops) == (("m.04whkz5",), ("m.01cj3p",), 1)
    assert question.facts == {"relation": "book.written_work.subjects"}
    with fails("simplequestions.bad_line"):
        load(written(tmp_path, "bad.txt", row + "\nwww.freebase.com/m/1\tx\n"))
    with fails("qald.no_question"):
        load(written(tmp_path, "q.json", [{"id": "1", "question": []}]), "qald")
