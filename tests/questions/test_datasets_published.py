"""The published files of each data set, in samples written by hand that have their layout."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from faults import fails

from graphbrick.core.errors import InputError
from graphbrick.questions.loading import load
from graphbrick.questions.question import Question

NS = "PREFIX ns: <http://rdf.freebase.com/ns/>\nSELECT DISTINCT ?x\nWHERE {\n"

WEBQSP = {
    "Version": "1.0",
    "FreebaseVersion": "2015-08-09",
    "Questions": [
        {
            "QuestionId": "WebQTrn-196",
            "RawQuestion": "who did ben stiller play in megamind?",
            "ProcessedQuestion": "who did ben stiller play in megamind",
            "Parses": [
                {
                    "ParseId": "WebQTrn-196.P0",
                    "AnnotatorId": 1,
                    "AnnotatorComment": {"ParseQuality": "Complete", "QuestionQuality": "Good", "Confidence": "Normal"},
                    "Sparql": NS + "FILTER (?x != ns:m.0mdqp)\nns:m.0mdqp ns:film.actor.film ?y .\n}\n",
                    "PotentialTopicEntityMention": "ben stiller",
                    "TopicEntityName": "Ben Stiller",
                    "TopicEntityMid": "m.0mdqp",
                    "InferentialChain": ["film.actor.film", "film.performance.character"],
                    "Constraints": [{"Operator": "Equal", "ArgumentType": "Entity", "Argument": "m.05229c_"}],
                    "Time": None,
                    "Order": None,
                    "Answers": [{"AnswerType": "Entity", "AnswerArgument": "m.0fndhvs", "EntityName": "Bernard"}],
                },
                {
                    "ParseId": "WebQTrn-196.P1",
                    "AnnotatorComment": {"ParseQuality": "Complete", "QuestionQuality": "Good"},
                    "TopicEntityMid": "m.05229c_",
                    "InferentialChain": ["film.film.starring", "film.performance.character"],
                    "Answers": [
                        {"AnswerType": "Entity", "AnswerArgument": "m.0fndhvs", "EntityName": "Bernard"},
                        {"AnswerType": "Value", "AnswerArgument": "2010-10-28", "EntityName": None},
                    ],
                },
            ],
        },
        {
            "QuestionId": "WebQTrn-200",
            "RawQuestion": "why is it so?",
            "ProcessedQuestion": "why is it so",
            "Parses": [
                {
                    "AnnotatorComment": {"ParseQuality": "Partial", "QuestionQuality": "Bad"},
                    "TopicEntityMid": None,
                    "InferentialChain": None,
                    "Answers": [],
                }
            ],
        },
    ],
}


@pytest.mark.parametrize("indent", [None, 2])
def test_webqsp(tmp_path: Path, indent: int | None) -> None:
    file = tmp_path / "WebQSP.train.json"
    file.write_text(json.dumps(WEBQSP, indent=indent), encoding="utf-8")
    megamind, why = load(file)
    assert megamind == Question(
        "WebQTrn-196",
        "who did ben stiller play in megamind?",
        seeds=("m.0mdqp", "m.05229c_"),
        answers=("m.0fndhvs", "2010-10-28"),
        answer_names=(("Bernard",), ()),
        hops=2,
        dataset="webqsp",
        facts={"quality": "good", "chain": "film.actor.film film.performance.character"},
    )
    assert megamind.names == (("Bernard",), ("2010-10-28",))
    assert why == Question("WebQTrn-200", "why is it so?", dataset="webqsp", facts={"quality": "partial"})


def test_webqsp_tells_where_a_parse_is_wrong(tmp_path: Path) -> None:
    file = tmp_path / "WebQSP.test.json"
    file.write_text('{"Questions": [\n{"QuestionId": "a", "RawQuestion": "?",\n "Parses": {}}\n]}', encoding="utf-8")
    with fails("questions.not_a_list", InputError, field="Parses", line=2):
        load(file)


def test_cwq(tmp_path: Path) -> None:
    asked = {
        "ID": "WebQTest-832_c334509bb5e02cacae1ba2e80c176499",
        "answers": [
            {
                "aliases": ["2014 Fall Classic", "World Series XX"],
                "answer": "2014 World Series",
                "answer_id": "m.0117q3yz",
            },
            {"aliases": [], "answer": None, "answer_id": "m.09gnk2r"},
        ],
        "composition_answer": "san francisco giants",
        "compositionality_type": "composition",
        "created": "2018-02-13T04:12:57",
        "machine_question": "when is the last time the the team has a team moscot named Lou Seal won the world series",
        "question": "Lou Seal is the mascot for the team that last won the World Series when?",
        "sparql": NS
        + "FILTER (?x != ?c)\nFILTER (!isLiteral(?x) OR lang(?x) = '' OR langMatches(lang(?x), 'en'))\n"
        + "?c ns:sports.sports_team.team_mascot ns:m.03_dwn . \n?c ns:common.topic.notable_types ns:m.01m9 .\n"
        + "?c ns:sports.x ns:g.125_cx1_ .\n?c ns:sports.sports_team.team_mascot ns:m.03_dwn .\n}\nLIMIT 1\n",
        "webqsp_ID": "WebQTest-832",
        "webqsp_question": "when is the last time the giants won the world series",
    }
    secret = {key: value for key, value in asked.items() if key not in ("answers", "composition_answer")} | {"ID": "s"}
    file = tmp_path / "ComplexWebQuestions_test.json"
    file.write_text(json.dumps([asked, secret], indent=1), encoding="utf-8")
    seal, kept = load(file)
    assert seal.id == "WebQTest-832_c334509bb5e02cacae1ba2e80c176499"
    assert seal.seeds == ("m.03_dwn", "m.01m9", "g.125_cx1_")
    assert seal.answers == ("m.0117q3yz", "m.09gnk2r")
    assert seal.answer_names == (("2014 World Series", "2014 Fall Classic", "World Series XX"), ())
    assert (seal.hops, seal.dataset, seal.facts) == (None, "cwq", {"type": "composition"})
    assert kept.answers == ()
    assert kept.seeds == seal.seeds


def test_grailqa(tmp_path: Path) -> None:
    asked = {
        "qid": 2102902009000,
        "question": "oxybutynin chloride 5 extended release film coated tablet is the ingredients of what routed drug?",
        "answer": [
            {"answer_type": "Entity", "answer_argument": "m.0hqs1x_", "entity_name": "Oxybutynin oral tablet"},
            {"answer_type": "Value", "answer_argument": "5.0", "entity_name": ""},
        ],
        "function": "none",
        "num_node": 3,
        "num_edge": 2,
        "graph_query": {
            "nodes": [
                {"nid": 0, "node_type": "class", "id": "medicine.routed_drug", "class": "medicine.routed_drug",
                 "friendly_name": "Routed Drug", "question_node": 1, "function": "none"},
                {"nid": 1, "node_type": "literal", "id": "5^^http://www.w3.org/2001/XMLSchema#float",
                 "class": "type.float", "friendly_name": "5", "question_node": 0, "function": "none"},
                {"nid": 2, "node_type": "entity", "id": "m.0hqs1x_5", "class": "medicine.drug_ingredient",
                 "friendly_name": "Oxybutynin", "question_node": 0, "function": "none"},
            ],
            "edges": [{"start": 0, "end": 2, "relation": "medicine.x", "friendly_name": "x"}],
        },
        "sparql_query": "SELECT ...",
        "domains": ["medicine"],
        "level": "zero-shot",
        "s_expression": "(AND medicine.routed_drug (JOIN medicine.x m.0hqs1x_5))",
    }  # fmt: skip
    file = tmp_path / "grailqa_v1.0_dev.json"
    file.write_text(json.dumps([asked]), encoding="utf-8")
    (found,) = load(file)
    assert found == Question(
        "2102902009000",
        asked["question"],  # type: ignore[arg-type]
        seeds=("m.0hqs1x_5",),
        answers=("m.0hqs1x_", "5.0"),
        answer_names=(("Oxybutynin oral tablet",), ()),
        dataset="grailqa",
        facts={"level": "zero-shot", "function": "none", "num_edge": "2"},
    )


def test_grailqa_keeps_its_answers_secret_in_the_public_test(tmp_path: Path) -> None:
    file = tmp_path / "grailqa_v1.0_test_public.json"
    file.write_text('[{"qid": 1, "question": "what is it?"}]', encoding="utf-8")
    assert load(file) == (Question("1", "what is it?", dataset="grailqa"),)


def test_webquestions(tmp_path: Path) -> None:
    rows = [
        {
            "url": "http://www.freebase.com/view/en/jamaica",
            "targetValue": '(list (description "Jamaican Creole English Language") (description "Jamaican English"))',
            "utterance": "what does jamaican people speak?",
        },
        {
            "url": "http://www.freebase.com/view/en/jamarcus_russell",
            "targetValue": "(list (description Mobile))",
            "utterance": "where is jamarcus russell from?",
        },
        {
            "url": "http://www.freebase.com/view/en/weird_al",
            "targetValue": r'(list (description "\"Weird Al\" (Alfred) Yankovic") (description 11/3/1973))',
            "utterance": "who?",
        },
    ]
    file = tmp_path / "webquestions.examples.train.json"
    file.write_text(json.dumps(rows), encoding="utf-8")
    found = load(file)
    assert [question.id for question in found] == ["train-0", "train-1", "train-2"]
    assert [question.answers for question in found] == [
        ("Jamaican Creole English Language", "Jamaican English"),
        ("Mobile",),
        ('"Weird Al" (Alfred) Yankovic', "11/3/1973"),
    ]
    assert found[1] == Question(
        "train-1", "where is jamarcus russell from?", (), ("Mobile",), dataset="webquestions",
        facts={"page": "jamarcus_russell"},
    )  # fmt: skip


@pytest.mark.parametrize("value", ["Mobile", "(list (description Mobile)", "(list (name Mobile))", "(description)"])
def test_webquestions_with_answers_that_cannot_be_read(tmp_path: Path, value: str) -> None:
    file = tmp_path / "webquestions.json"
    file.write_text(json.dumps([{"url": "u", "targetValue": value, "utterance": "who?"}]), encoding="utf-8")
    with fails("webquestions.bad_target", InputError, line=1):
        load(file)


METAQA = "what movies did [Temuera Morrison] act in\tOnce Were Warriors|Tracker\nwho directed [[REC] 2 (2009)]\tA, B\n"


def test_metaqa_in_its_folders(tmp_path: Path) -> None:
    folder = tmp_path / "2-hop" / "vanilla"
    folder.mkdir(parents=True)
    (folder / "qa_dev.txt").write_text(METAQA, encoding="utf-8")
    (folder.parent / "qa_dev_qtype.txt").write_text("actor_to_movie\nmovie_to_director\n", encoding="utf-8")
    assert load(folder / "qa_dev.txt") == (
        Question(
            "dev-2-0", "what movies did Temuera Morrison act in", ("Temuera Morrison",),
            ("Once Were Warriors", "Tracker"), hops=2, dataset="metaqa", facts={"pattern": "actor_to_movie"},
        ),
        Question(
            "dev-2-1", "who directed [REC] 2 (2009)", ("[REC] 2 (2009)",), ("A, B",), hops=2, dataset="metaqa",
            facts={"pattern": "movie_to_director"},
        ),
    )  # fmt: skip


def test_metaqa_alone(tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("is [A] like [B]\tC|D|C\nno seed\t\n", encoding="utf-8")
    assert load(file) == (
        Question("mine-0", "is A like B", ("A", "B"), ("C", "D"), dataset="metaqa"),
        Question("mine-1", "no seed", dataset="metaqa"),
    )


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("who is [A]\tB\nwho is [B]\n", "metaqa.bad_line", 2),
        ("who is [A]\tB\tC\n", "metaqa.bad_line", 1),
        ("who is [A\tB\n", "metaqa.bad_brackets", 1),
        ("who is A]\tB\n", "metaqa.bad_brackets", 1),
        ("who is []\tB\n", "metaqa.bad_brackets", 1),
        ("who is [A]\tB||C\n", "metaqa.empty_answer", 1),
        ("\tB\n", "metaqa.no_question", 1),
    ],
)
def test_metaqa_that_cannot_be_read(tmp_path: Path, text: str, code: str, line: int) -> None:
    file = tmp_path / "qa_test.txt"
    file.write_text(text, encoding="utf-8")
    with fails(code, InputError, line=line):
        load(file)


@pytest.mark.parametrize("types", ["one\n", "one\ntwo\nthree\n"])
def test_metaqa_with_types_of_another_file(tmp_path: Path, types: str) -> None:
    (tmp_path / "qa_dev.txt").write_text(METAQA, encoding="utf-8")
    (tmp_path / "qa_dev_qtype.txt").write_text(types, encoding="utf-8")
    with fails("metaqa.other_types", InputError, n=types.count(chr(10))):
        load(tmp_path / "qa_dev.txt")


ROG = {
    "id": "WebQTest-0",
    "question": "what does jamaican people speak",
    "answer": ["Jamaican English", "Jamaican Creole English Language"],
    "q_entity": ["Jamaica"],
    "a_entity": ["Jamaican English"],
    "graph": [["Jamaica", "location.country.languages_spoken", "Jamaican English"]],
    "choices": [],
}


def test_rog_as_json_lines_and_as_parquet(tmp_path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    lines, table = tmp_path / "rog.jsonl", tmp_path / "test-00000-of-00001.parquet"
    lines.write_text(json.dumps(ROG) + "\n", encoding="utf-8")
    parquet.write_table(pyarrow.Table.from_pylist([ROG]), table)
    expected = Question(
        "WebQTest-0", "what does jamaican people speak", ("Jamaica",),
        ("Jamaican English", "Jamaican Creole English Language"), dataset="rog",
    )  # fmt: skip
    assert load(lines) == load(table) == (expected,)


def test_questions_over_passages(tmp_path: Path) -> None:
    hotpot = {"_id": "5a7", "question": "q?", "answer": "yes", "type": "bridge", "level": "easy", "context": []}
    musique = {
        "id": "2hop__1_2", "question": "q?", "answer": "G. Stanley Hall", "answer_aliases": ["Stanley Hall"],
        "answerable": True, "paragraphs": [], "question_decomposition": [{"id": 1}, {"id": 2}],
    }  # fmt: skip
    (tmp_path / "h.json").write_text(json.dumps([hotpot]), encoding="utf-8")
    (tmp_path / "m.jsonl").write_text(json.dumps(musique), encoding="utf-8")
    assert load(tmp_path / "h.json") == (
        Question("5a7", "q?", (), ("yes",), dataset="hotpotqa", facts={"level": "easy", "type": "bridge"}),
    )
    assert load(tmp_path / "m.jsonl") == (
        Question(
            "2hop__1_2", "q?", (), ("G. Stanley Hall",), (("G. Stanley Hall", "Stanley Hall"),), hops=2,
            dataset="musique", facts={"answerable": "true"},
        ),
    )  # fmt: skip
