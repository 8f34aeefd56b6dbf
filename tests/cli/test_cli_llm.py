"""The command line with a language model: which one answers, what it may cost, what is kept."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import Result, Run

from graphbrick import build, index, parse
from graphbrick.cli.pipelines import chosen_pipeline
from graphbrick.testing import TINY, Reply, Request, ScriptedLLM, tiny_graph

QUESTION = "Where would a tourist in Kenya exchange money?"  # too much for the rules alone
KEY = "sk-secret-0123456789"


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("cli") / "africa.graph"
    build(TINY, path)
    return str(path)


NAMES = "Kenyan shilling\nEuro"
QUERY = "MATCH (:Entity {label: 'Kenya'})-[:currency]->(money) RETURN money.label"


def replied(request: Request) -> str:
    """Return a query to who asks for one, else names."""
    return QUERY if "Cypher" in request.prompt else NAMES


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedLLM]:
    with ScriptedLLM(replied) as scripted:
        monkeypatch.setenv("OPENAI_BASE_URL", scripted.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        yield scripted


@pytest.fixture
def run(run: Run) -> Run:
    def call(*arguments: str) -> Result:
        result = run(*arguments)
        assert KEY not in result.out + result.err
        return result

    return call


@pytest.mark.whole
def test_the_longest_reply_can_be_named(run, graph, server, tmp_path):
    assert run("ask", graph, QUESTION, "--llm", "gpt-4.1", "--max-tokens", "700").code == 0
    assert run("ask", graph, QUESTION, "--llm", "LLM('gpt-4.1', temperature=0.2)", "--max-tokens", "9").code == 0
    assert [request.body["max_tokens"] for request in server.requests] == [700, 9]
    (tmp_path / "q.jsonl").write_text(json.dumps({"question": QUESTION, "answers": ["Kenyan shilling"]}))
    asked = (graph, str(tmp_path / "q.jsonl"), "--out", str(tmp_path / "runs.sqlite"), "--llm", "gpt-4.1")
    assert run("evaluate", *asked, "--max-tokens", "800").code == 0
    assert server.requests[-1].body["max_tokens"] == 800
    without = run("ask", graph, QUESTION, "--max-tokens", "700")
    assert (without.code, "name the model too" in without.err) == (1, True)


def test_a_model_answers(run, graph, server):
    result = run("ask", graph, QUESTION, "--llm", "some-model", "--explain")
    assert result.code == 0
    assert server.requests[0].body["model"] == "some-model"
    assert "otherwise=TextToQuery(LLM(model='some-model'), n=1000, declines=True))" in result.out
    assert "Kenyan shilling" in result.out.splitlines()
    assert f"note: query: {QUERY}" in result.out.splitlines()


def test_a_model_answers_from_paths(run, graph, server, monkeypatch):
    """As it does where the library of the embedded database is not installed."""
    monkeypatch.setattr("graphbrick.learn.default.find_spec", lambda name: None)
    result = run("ask", graph, QUESTION, "--llm", "some-model", "--explain")
    assert result.code == 0
    assert "Generate(LLM(model='some-model'), first=PathAnswer(min_confidence=0.3))" in result.out
    assert "pip install 'graphbrick[ladybug]'" in result.err
    lines = result.out.splitlines()
    assert lines[lines.index("Kenyan shilling") + 1] == "  Kenya -> currency -> Kenyan shilling"
    assert lines[lines.index("Euro") + 1] == "  on no path of the evidence: the model may have made it up"
    assert "note: the answer 'Euro' stands on no path of the evidence" in lines


def test_a_model_in_a_recipe(run, graph, server):
    result = run("ask", graph, QUESTION, "--recipe", "13", "--llm", "some-model", "--json")
    assert result.code == 0
    facts = json.loads(result.out)
    assert facts["pipeline"].count("LLM(model='some-model')") == 2
    assert [stage["calls"] for stage in facts["trace"]["stages"] if "LLM(" in stage["stage"]] == [1, 1]
    assert facts["trace"]["ledger"]["tokens_in"] > 0
    assert [(answer["text"], len(answer["support"])) for answer in facts["answers"]] == [
        ("Kenyan shilling", 1),
        ("Euro", 0),
    ]
    exchange = facts["trace"]["stages"][-1]["exchanges"][0]
    assert exchange["reply"] == "Kenyan shilling\nEuro"
    assert QUESTION in exchange["messages"][-1]["content"]


def test_a_budget_stops_with_exit_code_3(run, graph, server):
    result = run("ask", graph, QUESTION, "--llm", "some-model", "--budget", "tokens=50")
    assert result.code == 3
    assert result.err.startswith(
        "stopped: the budget of 50 tokens does not hold the next call: 0 are used, and it takes"
    )
    assert "left undone: Generate(LLM(model='some-model'), first=" in result.err
    assert "Kenya -> currency -> Kenyan shilling" in result.out  # what was found so far
    assert server.requests == []


def test_a_folder_is_no_file_without_replies(run, tmp_path):
    for command in ("info", "clear"):
        result = run("cache", command, "--cache-file", tmp_path)
        assert (result.code, result.out, result.err.count("\n")) == (1, "", 1)
        assert str(tmp_path) in result.err
        assert run("cache", command, "--cache-file", tmp_path / "none.sqlite").code == 0


@pytest.mark.whole
@pytest.mark.posix
def test_record_and_replay(run, graph, server, tmp_path):
    cache = ("--cache-file", str(tmp_path / "replies.sqlite"))
    options = ("ask", graph, QUESTION, "--llm", "some-model", "--json", *cache)
    first = json.loads(run(*options, "--cache", "record").out)
    again = json.loads(run(*options, "--cache", "replay").out)
    assert len(server.requests) == 1
    assert first["answers"] == again["answers"]
    (stage,) = (stage for stage in again["trace"]["stages"] if stage["stage"].startswith("Generate"))
    assert (stage["calls"], stage["cache_hits"]) == (0, 1)
    assert run("cache", "info", *cache).out.startswith("1 replies, ")
    assert run("cache", "export", str(tmp_path / "all.jsonl"), *cache).out.startswith("1 replies written to ")
    over = run("cache", "export", str(tmp_path / "replies.sqlite"), *cache)
    assert (over.code, "would overwrite the recorded replies; name another file" in over.err) == (1, True)
    kept = run("cache", "export", str(tmp_path / "all.jsonl"), *cache)
    assert (kept.code, "exists; replace it with --overwrite" in " ".join(kept.err.split())) == (1, True)
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "all.jsonl")
    assert run("cache", "export", str(tmp_path / "link.jsonl"), "--overwrite", *cache).code == 0
    assert (tmp_path / "link.jsonl").is_symlink()
    assert run("cache", "export", "/dev/null", *cache).code == 0
    assert Path("/dev/null").is_char_device()
    assert run("cache", "clear", *cache).out.startswith("1 replies removed")
    missing = run(*options, "--cache", "replay")
    assert (missing.code, "replaying makes no calls" in missing.err) == (1, True)
    assert run("cache", "import", str(tmp_path / "all.jsonl"), *cache).out.startswith("1 new replies in ")
    assert json.loads(run(*options, "--cache", "replay").out)["answers"] == first["answers"]
    assert json.loads(run("cache", "info", "--json", *cache).out)["replies"] == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--llm", "m", "--pipeline", "KHop() >> ShortestPaths()"],
            "--llm is for recipes and the default pipeline; write LLM(",
        ),
        (["--llm", " "], "LLM model must be a text that is not empty"),
        (["--llm", "none.gguf"], "none.gguf"),
        (["--llm", "m", "--budget", "much"], "try tokens=20000,usd=0.05,seconds=60"),
        (["--llm", "m", "--cache-file", "replies.sqlite"], "--cache-file is for --cache record or replay; give it too"),
        (["--llm", "m", "--cache", "on"], "--cache is one of record, replay, off, got 'on'"),
        (
            ["--llm", "m", "--cache", "replay", "--cache-file", "/none/replies.sqlite"],
            "there are no recorded replies to replay",
        ),
    ],
)
def test_what_is_refused(run, graph, server, options, message):
    result = run("ask", graph, QUESTION, *options)
    assert result.code == 1
    assert message in result.err
    assert result.err.count("\n") == 1
    assert server.requests == []


def test_a_server_that_refuses_is_one_line(run, graph, monkeypatch):
    with ScriptedLLM([Reply(f"bad key {KEY}", status=401)]) as scripted:
        monkeypatch.setenv("OPENAI_BASE_URL", scripted.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        result = run("ask", graph, QUESTION, "--llm", "some-model")
    assert (result.code, result.out) == (1, "")
    assert result.err == f"error: {scripted.base_url} refused the key; check OPENAI_API_KEY\n"


def test_a_model_answers_from_what_learned_patterns_find(monkeypatch):
    learned = parse("Operators(Patterns(BM25())) >> RankEnds() >> PathAnswer(ends='listed', min_confidence=0.3)")
    monkeypatch.setattr("graphbrick.learn.learned.learned_pipeline", lambda graph: learned)
    chosen = chosen_pipeline(None, None, [], "some-model", tiny_graph())
    model, first = "LLM(model='some-model')", "PathAnswer(ends='listed', min_confidence=0.3)"
    query = f"TextToQuery({model}, n=1000, declines=True)"
    stages = ("LinkLabels(required=False)", "Operators(Patterns(BM25(), n=32), reasons=True)", "RankEnds(n=32)")
    assert repr(chosen) == " >> ".join((*stages, f"Generate({model}, first={first}, otherwise={query})"))


def test_a_model_is_not_asked_for_what_the_rules_answer(run, graph, server):
    """A model that reads a count out of paths, or lists a few of many, loses what a plan has exactly."""
    for question in ("Which countries border Kenya?", "How many countries border Kenya?"):
        exact = json.loads(run("ask", graph, question, "--json").out)["answers"]
        assert json.loads(run("ask", graph, question, "--llm", "some-model", "--json").out)["answers"] == exact
    assert server.requests == []
    sure = run("ask", graph, "Which countries border Kenya?", "--llm", "some-model", "--min-confidence", "1")
    assert (sure.code, len(server.requests)) == (0, 1)


def test_a_model_writes_an_answer_from_passages_of_documents(run, monkeypatch, tmp_path):
    (tmp_path / "lakes.txt").write_text("Kisumu is a port on Lake Victoria.")
    notes = tmp_path / "notes.graph"
    index([tmp_path / "lakes.txt"], notes)
    monkeypatch.setattr("graphbrick.learn.default.TEXT_PIPELINE", "Passages(n=10) >> Quote(BM25(), n=3)")
    with ScriptedLLM(["It is a port [1]."]) as scripted:
        monkeypatch.setenv("OPENAI_BASE_URL", scripted.base_url)
        result = run("ask", notes, "What is Kisumu?", "--llm", "some-model")
    assert "It is a port [1]." in result.out
    assert "a short answer" in scripted.requests[0].prompt
