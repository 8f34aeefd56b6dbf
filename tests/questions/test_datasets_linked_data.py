"""Questions of QALD, LC-QuAD and SimpleQuestions in their original files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from faults import fails

from graphbrick.core.trace import Trace, record
from graphbrick.questions.loading import QuestionsWarning, load

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
    with pytest.warns(QuestionsWarning, match="1 questions have no gold answers"):
        (first,) = load(written(tmp_path, "one.json", [one]))
    assert (first.id, first.text, first.seeds, first.answers) == (
        "1501",
        "How many movies?",
        (f"{DBPEDIA}Kubrick",),
        (),
    )
    two = {"uid": 19, "question": "What periodical?", "sparql_wikidata": "select ?o { ?o wdt:P921 wd:Q8087 . }"}
    with pytest.warns(QuestionsWarning):
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


def test_simple_questions_over_wikidata_and_in_tsv(tmp_path: Path) -> None:
    (question,) = load(written(tmp_path, "wd.txt", "Q7251\tR19\tQ122744\twhere was he born\n"))
    assert (question.seeds, question.answers, question.facts) == (("Q7251",), ("Q122744",), {"relation": "R19"})
    row = "www.freebase.com/m/1\twww.freebase.com/a/b\twww.freebase.com/m/2\twhat is it\n"
    (question,) = load(written(tmp_path, "fb.tsv", row))
    assert (question.seeds, question.dataset) == (("m.1",), "simplequestions")
    table = load(written(tmp_path, "mine.tsv", "question\tanswers\nWhich?\ta|b\n"))
    assert table[0].answers == ("a", "b")
    with fails("simplequestions.bad_line") as fault:
        load(written(tmp_path, "cut.tsv", row + "Q1\tP2\n"))
    assert fault.value.line == 2


@pytest.mark.parametrize(
    ("sparql", "seeds"),
    [
        ("PREFIX res: <http://dbpedia.org/resource/> ASK { res:Nile dbo:x ?y }", (f"{DBPEDIA}Nile",)),
        ("SELECT ?x { dbr:J._R._R._Tolkien dbo:author ?x. dbr:Cow }", (f"{DBPEDIA}J._R._R._Tolkien", f"{DBPEDIA}Cow")),
        ("PREFIX : <http://dbpedia.org/resource/> SELECT ?x { :Nile dbo:x ?x }", (f"{DBPEDIA}Nile",)),
        (
            "PREFIX wd: <http://www.wikidata.org/entity/> ASK { wd:Q1 wdt:P2 ?a }",
            ("http://www.wikidata.org/entity/Q1",),
        ),
        ("PREFIX dbo: <http://dbpedia.org/ontology/> ASK { ?x dbo:Place ?y }", ()),
    ],
)
def test_entities_of_a_query(tmp_path: Path, sparql: str, seeds: tuple[str, ...]) -> None:
    value = {"questions": [{"id": 1, "question": [{"language": "en", "string": "?"}], "query": {"sparql": sparql}}]}
    assert load(written(tmp_path, "q.json", value))[0].seeds == seeds


def test_booleans_of_qald(tmp_path: Path) -> None:
    texts = [{"language": "en", "string": "Is it?"}]
    records = [{"id": i, "question": texts, "answers": [{"boolean": value}]} for i, value in enumerate([False, "true"])]
    assert [one.answers for one in load(written(tmp_path, "q.json", records))] == [("no",), ("yes",)]
    with fails("qald.bad_boolean"):
        load(written(tmp_path, "bad.json", [{"id": 1, "question": texts, "answers": [{"boolean": "perhaps"}]}]))


def test_lcquad_without_a_question_or_answers(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    sparql = {"sparql_wikidata": "ASK { wd:Q1 ?p ?o }"}
    template = {"NNQT_question": "What is {city} ?"}
    records = [
        {"uid": 1, **template, "question": None, "paraphrased_question": "Which city?", **sparql},
        {"uid": 2, **template, "question": "n/a", "paraphrased_question": [], **sparql},
        {"uid": 3, "question": "Who?", "paraphrased_question": "Who is it?", "answer": ["Q5", "Q6", "Q5"], **sparql},
    ]
    trace, file = Trace(), written(tmp_path, "lcquad.json", records)
    with record(trace, "a stage", "test"):
        one, two, three = load(file)
    with caplog.at_level("INFO"), pytest.warns(QuestionsWarning, match=f"^{file}: 2 questions have no gold answers"):
        assert load(file) == (one, two, three)
    assert trace.event_codes == ["lcquad.no_answers"]  # in a stage it is no warning
    assert [one.text, two.text, three.text] == ["Which city?", "What is city ?", "Who?"]
    assert (three.answers, three.facts["paraphrase"]) == (("Q5", "Q6"), "Who is it?")
    assert "paraphrase" not in one.facts
    assert "2 questions have no gold answers" in caplog.text
    with fails("questions.no_field"):
        load(written(tmp_path, "bad.json", [{"uid": 1, "question": None, **sparql}]))
