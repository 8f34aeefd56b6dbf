"""Questions over what ``graphbrick spark extract`` wrote."""

from __future__ import annotations

import json

import pytest

import graphbrick
from graphbrick import ExtractedGraph, build, parse
from graphbrick.questions.question import Question
from graphbrick.study.runs.experiment import evaluate
from graphbrick.testing import TINY

pytestmark = pytest.mark.spark

SETS = {"q1": ["Kenya"], "q2": ["Atlantis", "Rwanda"]}
ENDING = ">> ShortestPaths() >> Rerank(BM25()) >> PathAnswer()"


def test_questions_are_answered_as_on_the_whole_graph(spark, run, tmp_path):
    triples, file, out = tmp_path / "triples.tsv", tmp_path / "questions.jsonl", tmp_path / "extracted"
    triples.write_text("\n".join(map("\t".join, TINY)))
    texts = {"q1": "Which currency is used in Kenya?", "q2": "What is the capital of Rwanda?", "q3": "Who?"}
    rows = [{"id": i, "question": text, "seeds": SETS.get(i, []), "answers": []} for i, text in texts.items()]
    file.write_text("\n".join(map(json.dumps, rows)))
    done = run("spark", "extract", triples, "--seeds", file, "--out", out, "--extract", "PPR(k=5)", "--no-header")
    assert done.code == 0, done.err
    assert "2 sets of seeds" in done.out
    assert "left out: 1 question without seeds: q3" in done.out

    whole, extracted = build(TINY, tmp_path / "whole.graph"), graphbrick.open(out)
    assert isinstance(extracted, ExtractedGraph)
    extracted.check()
    assert extracted.sets == {name: tuple(keys) for name, keys in SETS.items()}
    for name, seed in (("q1", "Kenya"), ("q2", "Rwanda")):
        local = extracted.subgraph(name)
        view = parse("PPR(k=5)").run(whole, "?", seeds=[seed]).subgraph
        assert {local.key(entity) for entity in range(local.n_entities)} == {whole.key(int(e)) for e in view.nodes}
        texts = sorted(view.triple_texts())
        assert sorted(local.triple_text(triple) for triple in range(local.n_triples)) == texts

    questions = [
        Question("q1", "Which currency is used in Kenya?", ("Kenya",), ("Kenyan shilling",)),
        Question("q2", "What is the capital of Rwanda?", ("Rwanda",), ("Kigali",)),
    ]
    with evaluate(extracted, questions, f"PPR(k=100) {ENDING}", out=tmp_path / "runs.sqlite") as study:
        answers = [detail.answers[0].text for detail in study.details(study.runs()[0].id)]
    assert answers == [
        parse(f"PPR(k=5) {ENDING}")(whole, question.text, seeds=question.seeds).texts[0] for question in questions
    ]
