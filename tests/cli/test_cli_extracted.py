"""Commands over extracted subgraphs."""

from __future__ import annotations

import json

import pytest
from extractions import write_extraction
from faults import fails

from graphbrick.serve.hosting import HostedGraph
from graphbrick.testing import TINY

PIPELINE = "PPR(k=10) >> ShortestPaths() >> Rerank(BM25()) >> PathAnswer()"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    sets = {"1": (("Kenya",), TINY[:3]), "2": (("Uganda",), TINY[3:6])}
    return write_extraction(tmp_path_factory.mktemp("cli") / "extracted", sets)


def test_ask(run, folder):
    result = run("ask", folder, "Which currency has Kenya?", "-p", PIPELINE, "--json")
    assert (result.code, json.loads(result.out)["answers"][0]["text"]) == (0, "Kenyan shilling")
    result = run("ask", folder, "Which currency?", "-p", PIPELINE, "--seed", "Rwanda")
    assert result.code == 1
    assert "no subgraph of the seeds Rwanda together; it has '1' (Kenya); '2' (Uganda); extract a set" in result.err


def test_evaluate(run, folder, tmp_path):
    questions = tmp_path / "mine.jsonl"
    rows = [
        {"id": "1", "question": "Which currency has Kenya?", "seeds": ["Kenya"], "answers": ["Kenyan shilling"]},
        {"id": "2", "question": "What is the capital of Uganda?", "seeds": ["Uganda"], "answers": ["Kampala"]},
    ]
    questions.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    result = run("evaluate", folder, questions, "-p", PIPELINE, "--out", tmp_path / "runs.sqlite", "--json")
    (told,) = json.loads(result.out)["runs"]
    assert (result.code, told["done"], told["means"]["hits_at_1"]["all"]["mean"]) == (0, 2, 1.0)


def test_info(run, folder):
    result = run("info", folder, "--check")
    assert result.code == 0
    assert result.out.splitlines()[:3] == [
        f"{folder}: 2 subgraphs extracted from countries.nt",
        "settings: restart 0.2",
        "counts: sets 2",
    ]
    assert "every row could be read" in result.out
    assert json.loads(run("info", folder, "--json").out)["sets"] == {"1": ["Kenya"], "2": ["Uganda"]}


@pytest.mark.parametrize("command", [("learn",), ("query",)])
def test_commands_that_need_one_graph_say_so(run, folder, command):
    more = ["MATCH (n) RETURN n"] if command == ("query",) else []
    result = run(*command, folder, *more)
    assert result.code == 1
    assert "holds extracted subgraphs" in result.err


def test_a_server_does_not_take_them(folder):
    with fails("hosting.extracted"):
        HostedGraph("countries", str(folder), {})
