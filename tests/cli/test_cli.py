"""The command line as its user meets it: output, exit codes, and what bad input says."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from commands import refused

from graphbrick import EntityRecord, Graph, MiniLM, Session, build
from graphbrick.models.vectors.store import store_of
from graphbrick.recipes import published
from graphbrick.testing import TINY

QUESTION = "Which currency is used in the country whose capital is Nairobi?"
BM25 = "PPR(k=1000) >> ShortestPaths() >> Rerank(BM25(), n=32) >> PathAnswer()"


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("cli") / "africa.graph"
    records = [*TINY, EntityRecord("Atlantis", description="an island without triples"), ("内罗毕", "means", "Nairobi")]
    build(records, path)
    return str(path)


def test_answers_with_the_path_that_proves_it(run, graph):
    result = run("ask", graph, QUESTION, "--pipeline", BM25)
    assert result.code == 0
    assert result.out.splitlines() == [
        "Kenyan shilling",
        "  Nairobi <- capital <- Kenya -> currency -> Kenyan shilling",
    ]


def test_explain_shows_subgraph_paths_answers_and_stages(run, graph):
    result = run("ask", graph, QUESTION, "--pipeline", BM25, "--explain")
    lines = result.out.splitlines()
    assert lines[0] == f"pipeline   {BM25}".replace("Rerank(BM25(), n=32)", "Rerank(BM25(), n=32)")
    assert "seeds      Nairobi" in lines
    assert "subgraph   9 entities, 11 triples" in lines
    assert any(line.startswith("1 ") and "Kenyan shilling" in line for line in lines)
    for stage in ("LinkLabels()", "PPR(k=1000)", "ShortestPaths()", "Rerank(BM25()", "PathAnswer()"):
        assert stage in result.out


def test_json_is_complete_and_parses(run, graph):
    result = run("ask", graph, QUESTION, "--pipeline", BM25, "--json")
    told = json.loads(result.out)
    assert [answer["text"] for answer in told["answers"]] == ["Kenyan shilling"]
    seed = {"key": "Nairobi", "label": "Nairobi", "text": "Nairobi", "mention": "Nairobi", "score": 1.0, "others": []}
    assert told["seeds"] == [seed]
    assert told["support"][0]["triples"] == [["Kenya", "capital", "Nairobi"], ["Kenya", "currency", "Kenyan shilling"]]
    assert told["support"][0]["forward"] == [False, True]
    assert [stage["kind"] for stage in told["trace"]["stages"]] == ["link", "extract", "retrieve", "rerank", "generate"]
    assert told["pipeline"] == BM25


def test_a_partial_pipeline_shows_its_paths(run, graph):
    result = run("ask", graph, QUESTION, "--pipeline", "ShortestPaths(max_hops=1)", "--explain")
    assert result.code == 0
    assert "Nairobi <- capital <- Kenya" in result.out


def test_a_given_seed_overrides_the_question(run, graph):
    result = run("ask", graph, QUESTION, "--seed", "kampala", "--pipeline", BM25)
    assert result.out.splitlines()[0] == "Ugandan shilling"


def test_nothing_found_is_exit_code_2(run, graph):
    result = run("ask", graph, "What is there?", "--seed", "Atlantis", "--pipeline", BM25)
    assert result.code == 2
    assert "no answer found" in result.out
    assert "seed Atlantis, an island without triples has no triple" in result.out
    told = json.loads(run("ask", graph, "What is there?", "--seed", "Atlantis", "--pipeline", BM25, "--json").out)
    assert told["answers"] == []


def test_a_question_without_a_seed_shows_the_nearest_labels(run, graph):
    refused(run("ask", graph, "Who rules Kenyya Shiling?", "--pipeline", BM25, "--seed", "Kenyya"), "'Kenyya'", "Kenya")
    refused(
        run("ask", graph, "Which qqqq is zzzz?", "--pipeline", BM25),
        "I do not know the words 'qqqq' and 'zzzz' in this graph",
        "no name is near",
    )


@pytest.mark.parametrize("question", ["", "   ", "\t\n"])
def test_an_empty_question(run, graph, question):
    refused(run("ask", graph, question, "--pipeline", BM25), "the question is empty")


def test_a_long_question(run, graph):
    result = run("ask", graph, "word and " * 1_000 + QUESTION, "--pipeline", BM25)
    assert (result.code, result.out.splitlines()[0]) == (0, "Kenyan shilling")
    refused(run("ask", graph, "word and " * 12_000 + QUESTION), "108,063 characters; at most 10,000")


def test_a_chinese_question(run, graph):
    result = run("ask", graph, "内罗毕是哪个国家的首都?", "--pipeline", "ShortestPaths(max_hops=1) >> PathAnswer()")
    assert result.code == 0
    assert result.out.splitlines()[1] == "  内罗毕 -> means -> Nairobi"


@pytest.mark.parametrize(
    ("recipe", "told"),
    [
        ("PRP(k=10) >> ShortestPaths() >> PathAnswer()", "did you mean PPR?"),
        ("PPR(k=10) >> PathAnswer()", "put a retrieve stage such as ShortestPaths() between them"),
        ("PPR(kk=10) >> ShortestPaths() >> PathAnswer()", "did you mean k?"),
        ("PPR(restart=17) >> ShortestPaths() >> PathAnswer()", "PPR restart must be in [0.001, 1), got 17; try 0.2"),
        ("PPR().__class__", "is not allowed"),
        ("__import__('os').system('touch hacked')", "is not the name of a brick"),
        ("PPR(k=10 >> ShortestPaths()", "cannot be read"),
        ("", "the pipeline is empty"),
        ("Rerank(BM25())", "cannot start a run"),
    ],
)
def test_a_bad_pipeline_is_refused(run, graph, recipe, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused(run("ask", graph, QUESTION, "--pipeline", recipe), told)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "content", "parts"),
    [
        ("empty.txt", b"", ["empty.txt", "empty"]),
        ("one.tsv", b"a\nb\n", ["one.tsv, line 1", "1 column"]),
        ("wrong.tsv", b"a|r|b\n", ["wrong.tsv, line 1", "--delimiter '|'"]),
        ("latin.tsv", "a\tr\tb\nb\tr\tcafé\n".encode("latin-1"), ["latin.tsv, line 2", "UTF-8"]),
        ("long.tsv", b"a\tr\tb\n" + b"x" * 10_000_000 + b"\tr\tc\n", ["long.tsv, line 2", "longer than"]),
        ("cut.tsv.gz", gzip.compress(b"a\tr\tb\n" * 999, mtime=0)[:-9], ["cut.tsv.gz", "truncated"]),
        ("table.ods", b"PK", ["table.ods", "not supported"]),
    ],
)
def test_bad_sources(run, tmp_path, name, content, parts):
    (tmp_path / name).write_bytes(content)
    refused(run("build", str(tmp_path / name), str(tmp_path / "out.graph")), *parts)
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_skip_bad_counts_and_lists(run, tmp_path):
    source = tmp_path / "some.tsv"
    source.write_bytes(b"a\tr\tb\nonly one\na\t\tc\nb\tr\tc\nb\tr\tc\n")
    result = run("build", str(source), str(tmp_path / "out.graph"), "--skip-bad")
    assert result.code == 0
    assert "3 entities, 1 relation, 2 triples" in result.out
    assert "given more than once, and stored once: 1 triple" in result.out
    assert "left out: 2 bad records" in result.out
    assert "line 2: 1 column" in result.out
    assert "line 3: the relation is empty" in result.out
    told = json.loads(run("info", str(tmp_path / "out.graph"), "--json").out)
    assert (told["skipped"], told["duplicates"]) == (2, 1)


def test_lenient_mends_and_counts(run, tmp_path):
    source, graph = tmp_path / "dump.nt", str(tmp_path / "out.graph")
    source.write_text('<a:a|b> <a:p> <a:c> .\n<a:a|b> <a:p> <a:cut\n<a:c> <a:p> "x"@zh_min_nan .\n')
    refused(run("build", str(source), graph), "line 1", "--lenient")
    assert run("build", str(source), graph, "--lenient").code == 0
    kinds = json.loads(run("info", graph, "--json").out)["not_kept"]
    assert sorted(kind["count"] for kind in kinds.values()) == [1, 1, 1]


def test_info(run, graph):
    result = run("info", graph, "--check")
    assert result.code == 0
    assert "entities" in result.out
    assert "every file has the checksum it was built with" in result.out


def test_damaged_graphs(run, tmp_path):
    path = tmp_path / "tiny.graph"
    build(TINY, path)
    (path / "tail.npy").write_bytes((path / "tail.npy").read_bytes()[:-4])
    refused(run("ask", str(path), QUESTION), "tail.npy", "build it again")
    build(TINY, path, overwrite=True)
    manifest = path / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"version": 2', '"version": 99'))
    refused(run("info", str(path)), "version 99", "build the graph again")
    refused(run("info", str(tmp_path / "none")), "does not exist", "graphbrick build")


def test_usage_errors_are_user_errors(run):
    refused(run("ask"), "Missing argument")
    refused(run("asc"), "asc")
    refused(run("info", "--wrong"), "--wrong")


def test_stages_within_a_stage_are_indented(run, graph):
    text = "Repeat(Expand() >> ShortestPaths(), until=EnoughPaths(n=4), at_most=4) >> PathAnswer()"
    lines = run("ask", graph, QUESTION, "--pipeline", text, "--explain").out.splitlines()
    assert any(line.startswith("Repeat(") for line in lines)
    assert [line.split()[0] for line in lines if line.startswith("  Expand()")] == ["Expand()", "Expand()"]
    told = json.loads(run("ask", graph, QUESTION, "--pipeline", text, "--json").out)
    (repeat,) = [stage for stage in told["trace"]["stages"] if stage["kind"] == "repeat"]
    assert [child["kind"] for child in repeat["children"]] == ["expand", "retrieve"] * 2


def test_bricks_lists_every_parameter(run):
    rows = json.loads(run("bricks", "--json").out)
    assert {"LinkLabels", "PPR", "ShortestPaths", "Rerank", "PathAnswer", "Generate", "BM25", "MiniLM", "LLM"} <= {
        row["name"] for row in rows
    }
    undocumented = [(row["name"], p["name"]) for row in rows for p in row["parameters"] if not p["doc"]]
    assert undocumented == []
    assert "restart: float = 0.2" in run("bricks").out


def test_bricks_shows_the_bricks_that_are_named(run):
    told = run("bricks", "Patterns", "BM25").out
    assert [line.split()[0] for line in told.splitlines() if not line.startswith(" ")] == ["Patterns", "BM25"]
    assert "beam_width: int = 64" in told
    assert "a whole number of at least 1; worth trying: 16, 64, 256" in told
    (row,) = json.loads(run("bricks", "Rerank", "--json").out)
    assert row["kinds"] == ["RerankStage", "Stage"]
    scorer, n, by, _ = row["parameters"]
    assert (scorer["parts"], scorer["default"], scorer["example"]) == (["Scorer"], None, "BM25()")
    assert (n["at_least"], n["search"]) == (1, ["8", "16", "32", "64"])
    assert by["choices"] == ["path", "pattern"]


@pytest.mark.parametrize(("name", "nearest"), [("Pattern", "Patterns"), ("ppr", "PPR"), ("ReRank", "Rerank")])
def test_bricks_proposes_the_nearest_name(run, name, nearest):
    refused(run("bricks", "PPR", name), f"there is no brick '{name}'; did you mean {nearest}?")


def test_help_imports_nothing_heavy():
    script = (
        "import sys; from graphbrick.cli.app import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "heavy = ('numpy', 'numba', 'pyarrow', 'bm25s', 'onnxruntime', 'openai', 'rich.console')\n"
        "print([m for m in heavy if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_labels_are_never_read_as_markup(run, tmp_path):
    build([("[red]a[/red]", "r[bold]", "[/x]")], tmp_path / "m.graph")
    result = run(
        "ask", str(tmp_path / "m.graph"), "what?", "-s", "[red]a[/red]", "-p", "ShortestPaths() >> PathAnswer()"
    )
    assert result.out.splitlines() == ["[/x]", "  [red]a[/red] -> r[bold] -> [/x]"]


@pytest.mark.whole
def test_the_module_runs_as_a_program(tmp_path: Path):
    done = subprocess.run(
        [sys.executable, "-m", "graphbrick.cli.app", "info", str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr


def test_a_recipe_without_a_generate_stage_shows_what_it_found(run, graph):
    assert "Nairobi <- capital <- Kenya" in run("ask", graph, QUESTION, "-p", "ShortestPaths(max_hops=1)").out
    assert run("ask", graph, QUESTION, "-p", "PPR(k=3)").out.startswith("1 seeds, 3 nodes")


def test_control_characters_do_not_reach_the_terminal(run, tmp_path):
    build([("a", "r", "Evil\x1b[31m\x07\nline")], tmp_path / "c.graph")
    out = run("ask", str(tmp_path / "c.graph"), "?", "-s", "a", "-p", "ShortestPaths() >> PathAnswer()").out
    assert out.splitlines()[0] == "Evil\\x1b[31m\\x07\\nline"
    err = run("ask", str(tmp_path / "c.graph"), "?", "-s", "Evil line").err
    assert "\x1b" not in err


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_any_terminal_encoding(run, tmp_path, monkeypatch, encoding):
    build([("Amélie", "means", "内罗毕")], tmp_path / "e.graph")
    ask = (
        "ask",
        tmp_path / "e.graph",
        "what is Amélie \udcff",
        "-s",
        "Amélie",
        "-p",
        "ShortestPaths() >> PathAnswer()",
    )
    printed = []
    for options in ([], ["--json"]):
        terminal = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="strict")
        monkeypatch.setattr(sys, "stdout", terminal)
        assert run(*ask, *options).code == 0
        terminal.flush()
        printed.append(terminal.buffer.getvalue())
    assert printed[0].strip()
    assert json.loads(printed[1])["answers"][0]["text"] == "内罗毕"


def test_skip_bad_says_how_many_it_lists(run, tmp_path):
    source = tmp_path / "many.tsv"
    source.write_text("a\tr\tb\n" + "bad\n" * 1500)
    result = run("build", str(source), str(tmp_path / "m.graph"), "--skip-bad")
    assert "left out: 1,500 bad records" in result.out
    assert "lists the first 1,000 of them" in result.out


def test_nodes_of_another_graph_are_noticed(run, tmp_path):
    (tmp_path / "e.tsv").write_text("a\tr\tb\n")
    (tmp_path / "n.tsv").write_text("id\tname\n" + "".join(f"x{i}\tname {i}\n" for i in range(9)))
    result = run("build", str(tmp_path / "e.tsv"), str(tmp_path / "n.graph"), "--nodes", str(tmp_path / "n.tsv"))
    assert "without a triple: 9 entities; are these the nodes of these edges?" in result.out


def test_a_misspelt_name_is_found_beside_a_word_of_a_relation(run, tmp_path):
    build([("Inception", "directed_by", "Nolan"), ("Redirected", "directed_by", "Somebody")], tmp_path / "f.graph")
    out = run("ask", str(tmp_path / "f.graph"), "who directed inceptoin?", "-p", "ShortestPaths() >> PathAnswer()").out
    assert out.splitlines()[0] == "Nolan"


def test_a_label_without_letters_can_be_a_seed(run, tmp_path):
    build([("k1", "r", "b"), EntityRecord("k1", "🎉🎉")], tmp_path / "p.graph")
    out = run("ask", str(tmp_path / "p.graph"), "What?", "-s", "🎉🎉", "-p", "ShortestPaths() >> PathAnswer()").out
    assert out.splitlines() == ["b", "  🎉🎉 -> r -> b"]


def test_a_path_with_spaces_is_quoted_in_the_advice(run, tmp_path):
    (tmp_path / "e.tsv").write_text("a\tr\tb\n")
    assert "ask '" in run("build", str(tmp_path / "e.tsv"), str(tmp_path / "sp ace.graph")).out


# Recipes


def test_recipes_lists_all_and_shows_one(run):
    told = json.loads(run("recipes", "--json").out)
    assert len(told) == len(published())
    assert told[11]["figures"] == {"webqsp": 75.6, "cwq": 61.7, "path_seconds": 0.28, "embedding_tokens": 24531}
    listed = run("recipes").out
    assert all(f"\n{entry['recipe']} " in listed for entry in told)
    assert "WebQSP 75.6, CWQ 61.7" in listed
    assert "Hetionet 0.921 / 0.688" in listed
    one = run("recipes", "12")
    assert "PPR(k=1000) >> ShortestPaths() >> Rerank(MiniLM(), n=32) >> PathAnswer()" in one.out
    assert "tuned_llm (must be set)" in run("recipes", "p14").out
    refused(run("recipes", "38"), "there is no recipe '38'", "graphbrick recipes lists them")


def test_ask_by_recipe_with_another_part(run, graph):
    result = run("ask", graph, QUESTION, "--recipe", "12", "--set", "embedder=BM25()", "--json")
    assert json.loads(result.out)["pipeline"] == BM25
    assert result.code == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--recipe", "12", "--pipeline", BM25], "--pipeline and --recipe exclude each other"),
        (["--set", "embedder=BM25()"], "--set sets a part of a recipe; give --recipe too"),
        (["--recipe", "12", "--set", "BM25()"], "--set takes PART=BRICK, got 'BM25()'"),
        (["--recipe", "12", "--set", "llm=LLM()"], "recipe 12 has no part 'llm'; it has embedder, answer"),
        (["--recipe", "P5"], "recipe P5 needs tuned_embedder; set it to a model fine-tuned on the graph"),
    ],
)
def test_what_does_not_fit_a_recipe_is_refused(run, graph, options, message):
    refused(run("ask", graph, QUESTION, *options), message)


def test_embed_keeps_the_vectors_of_a_graph_beside_it(run, tmp_path):
    graph = tmp_path / "africa.graph"
    build(TINY, graph)
    told = json.loads(run("prepare", "embeddings", str(graph), "--json").out)
    assert told | {"seconds": 0} == {"embedded": 12, "folder": f"{graph}.vectors", "seconds": 0}  # 4 and 8 texts
    assert "0 texts embedded" in run("prepare", "embeddings", str(graph)).out
    assert json.loads(run("prepare", "embeddings", str(graph), "--triples", "--json").out)["embedded"] == len(TINY)
    with Session():  # with nothing opened, as in another process
        assert store_of(Graph.open(graph)).missing(MiniLM(), ["Kenya", "borders", "Atlantis"]) == ["Atlantis"]
    refused(run("prepare", "embeddings", str(graph), "--model", "BM25()"), "--model takes an embedder, got BM25()")


@pytest.mark.parametrize("limit", ["0", ""])
def test_embed_says_when_nothing_is_kept(run, tmp_path, monkeypatch, limit):
    graph = tmp_path / "africa.graph"
    build(TINY, graph)
    if limit:
        monkeypatch.setenv("GRAPHBRICK_VECTORS_MB", limit)
    else:
        (tmp_path / "africa.graph.vectors").write_text("a file")
    refused(run("prepare", "embeddings", str(graph)), "not kept" if limit else "vectors cannot be kept in")
