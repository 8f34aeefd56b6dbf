"""``graphbrick evaluate`` and ``graphbrick compare`` as their user meets them."""

from __future__ import annotations

import json

import pytest
from cli_studies import BM25, NEAR, ROWS

from graphbrick.cli.app import main
from graphbrick.study.store.reader import Study
from graphbrick.testing import Reply, ScriptedLLM


@pytest.fixture(scope="module")
def study(tmp_path_factory, graph, questions):
    path = tmp_path_factory.mktemp("cli") / "runs.sqlite"
    with pytest.raises(SystemExit) as stopped:
        main(["evaluate", str(graph), str(questions), "-p", f"bm25: {BM25}", "-p", NEAR, "--out", str(path)])
    assert not stopped.value.code
    return path


def test_the_tables(run, graph, questions, study):
    result = run("evaluate", graph, questions, "-p", BM25, "-p", NEAR, "--out", study)
    assert (result.code, result.err) == (0, "")
    lines = [line.split() for line in result.out.splitlines()]
    assert ["1", "bm25", "4", "75.0", "[30.1,", "95.4]"] in [line[:6] for line in lines]
    assert ["2", "pipeline", "2", "4"] in [line[:4] for line in lines]
    assert "over answerable questions" in result.out
    assert f"1  bm25: {BM25}" in result.out
    lost = next(line for line in lines if len(line) == 9 and line[0] == "1")
    assert lost[1:] == ["75.0", "25.0", "0.0", "0.0", "0.0", "0.0", "0.0", "0"]


def test_json_holds_all_figures(run, graph, questions, study):
    result = run("evaluate", graph, questions, "-p", BM25, "--out", study, "--json")
    (told,) = json.loads(result.out)["runs"]
    assert (told["name"], told["recipe"], told["asked"], told["done"], told["answerable"]) == ("bm25", BM25, 4, 4, 3)
    assert told["means"]["hits_at_1"]["all"]["mean"] == 0.75
    assert told["means"]["hits_at_1"]["answerable"]["mean"] == 1
    assert told["lost"] == {"not lost": 3, "absent": 1}
    assert set(told["used"]) >= {"calls", "tokens_in", "tokens_out", "cost"}


def test_linking_is_in_the_tables_where_pipelines_link(run, graph, questions, tmp_path):
    out = tmp_path / "linked.sqlite"
    assert "linking, % of seeds" in run("evaluate", graph, questions, "-p", NEAR, "--link", "--out", out).out
    assert "recall@5" in run("compare", out).out
    added = run("evaluate", graph, questions, "-p", f"more: {NEAR.replace('=1', '=2')}", "--link", "--out", out).out
    (number,) = {line.split()[0] for line in added.splitlines() if line.split()[1:2] in (["more"], ["more:"])}
    assert number == "2"
    told = json.loads(run("compare", out, "--json").out)["linking"]
    assert set(told[0]["measures"]) == {"linking_recall_at_1", "linking_recall_at_5", "linking_precision"}
    assert run("report", out, "--html", tmp_path / "page.html").code == 0
    assert "Seeds that the pipelines found" in (tmp_path / "page.html").read_text()


def test_comparing(run, study):
    result = run("compare", study, "--baseline", "bm25", "--by", "hops")
    assert result.code == 0
    rows = [line.split() for line in result.out.splitlines()]
    assert ["all", "pipeline", "2", "bm25", "4"] in [row[:5] for row in rows]
    assert "Corrected for all 3 comparisons" in result.out
    told = json.loads(run("compare", study, "--by", "topic", "--metric", "f1", "--json").out)
    assert {row["group"] for row in told["comparisons"]} == {"", "kings", "unknown"}
    every = next(row for row in told["comparisons"] if not row["group"])
    assert (every["difference"]["n"], every["better"], every["worse"]) == (4, 3, 0)
    assert all(row["p"] <= row["p_bh"] <= row["p_holm"] for row in told["comparisons"])


def test_a_pipeline_can_be_meant_by_number_or_text(run, study):
    shown = [run("compare", study, "--baseline", meant).out for meant in ("bm25", "1", BM25)]
    assert len(set(shown)) == 1


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--baseline", "nobody"], "there is 'bm25', 'pipeline 2'"),
        (["--metric", "hits"], "there is no measure 'hits'"),
        (["--by", "colour"], "by 'colour'; there is complexity, dataset, distance, hop_group, hops, topic"),
    ],
)
def test_bad_comparisons(run, study, options, told):
    result = run("compare", study, *options)
    assert result.code == 1
    assert told in result.err
    assert result.err.count("\n") == 1


@pytest.fixture(scope="module")
def alone(tmp_path_factory, graph, questions):
    """A study of one pipeline."""
    path = tmp_path_factory.mktemp("cli") / "runs.sqlite"
    with pytest.raises(SystemExit) as stopped:
        main(["evaluate", str(graph), str(questions), "-p", NEAR, "--out", str(path)])
    assert not stopped.value.code
    return path


def test_one_pipeline_is_shown_with_its_interval_and_what_a_test_needs(run, alone):
    result = run("compare", alone, "--by", "dataset")
    assert (result.code, result.err) == (0, "")
    rows = [line.split() for line in result.out.splitlines()]
    assert ["all", "pipeline", "1", "4"] in [row[:4] for row in rows]
    assert ["mine", "pipeline", "1", "4"] in [row[:4] for row in rows]
    assert "a test needs a second pipeline: graphbrick evaluate adds one to this study" in result.out
    told = json.loads(run("compare", alone, "--json").out)
    assert (len(told["pipelines"]), told["comparisons"]) == (1, [])


def test_a_report_without_options_is_printed(run, alone, study):
    result = run("report", alone)
    assert (result.code, result.err) == (0, "")
    assert "answers, % [95 % interval], over all questions" in result.out
    assert f"1  pipeline 1: {NEAR}" in result.out
    assert "a test needs a second pipeline" in result.out
    result = run("report", study, "--baseline", "1")
    assert "where answers are lost" in result.out
    assert "Corrected for all 1 comparisons" in result.out
    told = json.loads(run("report", study, "--json").out)
    assert [one["name"] for one in told["runs"]] == ["bm25", "pipeline 2"]
    assert len(told["comparison"]["comparisons"]) == 1


@pytest.mark.parametrize("command", ["evaluate", "compare", "report"])
def test_figures_by_data_set_and_other_groups(run, graph, questions, study, command, tmp_path):
    begin = {
        "evaluate": ("evaluate", graph, questions, "-p", BM25, "-p", NEAR, "--out", study),
        "compare": ("compare", study),
        "report": ("report", study),
    }[command]
    assert "mine" in run(*begin, "--by", "dataset").out
    printed = run(*begin, "--by", "topic")
    assert (printed.code, printed.err) == (0, "")
    assert "kings" in printed.out
    assert "unknown" in printed.out
    wrong = run(*begin, "--by", "colour")
    assert (wrong.code, wrong.out) == (1, "")
    assert "by 'colour'; there is complexity, dataset, distance, hop_group, hops, topic" in wrong.err


def test_a_page_has_the_groups_that_are_asked_for(run, study, tmp_path):
    files = [tmp_path / "out.html", tmp_path / "out.md"]
    assert run("report", study, "--html", files[0], "--markdown", files[1], "--by", "topic").code == 0
    for file in files:
        assert "by topic" in file.read_text()
        assert "kings" in file.read_text()


def test_a_study_that_cannot_be_used_is_one_line(run, graph, questions, study, tmp_path):
    damaged = tmp_path / "runs.sqlite"
    whole = study.read_bytes()
    damaged.write_bytes(whole[: len(whole) // 3])
    commands = [("compare", damaged), ("report", damaged), ("evaluate", graph, questions, "-p", NEAR, "--out", damaged)]
    for command in commands:
        result = run(*command)
        assert (result.code, result.out, result.err.count("\n")) == (1, "", 1)
        assert "damaged" in result.err


def test_recipes_with_parts(run, graph, questions, tmp_path):
    out = tmp_path / "runs.sqlite"
    result = run("evaluate", graph, questions, "-r", "12", "-r", "1", "--set", "embedder=BM25()", "--out", out)
    assert result.code == 0
    with Study.open(out) as study:
        assert [(one.name, one.recipe) for one in study.runs()] == [
            ("recipe 12, embedder=BM25()", "PPR(k=1000) >> ShortestPaths() >> Rerank(BM25(), n=32) >> PathAnswer()"),
            ("recipe 1", "PPR(k=1000) >> ShortestPaths() >> RandomSample(n=32) >> PathAnswer()"),
        ]
    refused = run("evaluate", graph, questions, "-r", "1", "--set", "embedder=BM25()", "--out", out)
    assert "is a part of none of the recipes" in refused.err


def test_a_budget_that_ends_is_exit_code_3_and_the_same_command_goes_on(run, graph, questions, tmp_path, monkeypatch):
    out = tmp_path / "runs.sqlite"
    with ScriptedLLM(lambda request: "Nairobi") as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        text = "ShortestPaths(max_hops=1) >> Generate(LLM('m', max_tokens=20, parallel=1))"
        command = ("evaluate", graph, questions, "-p", text, "--out", out)
        result = run(*command, "--budget", "tokens=600")
        assert result.code == 3
        assert "stopped: the budget of 600 tokens does not hold the next call" in result.err
        assert "answers are left, and the same call goes on with them" in result.err
        assert " of 4 " in result.out
        done = len(server.requests)
        assert 0 < done < 4
        assert run(*command).code == 0
        assert len(server.requests) == 4


def test_kept_replies_can_be_replayed(run, graph, questions, tmp_path, monkeypatch):
    with ScriptedLLM(lambda request: "Nairobi") as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        text = "ShortestPaths(max_hops=1) >> Generate(LLM('m', max_tokens=20))"
        command = ["evaluate", graph, questions, "-p", text, "--cache-file", tmp_path / "replies.sqlite"]
        assert run(*command, "--out", tmp_path / "a.sqlite", "--cache", "record").code == 0
        assert run(*command, "--out", tmp_path / "b.sqlite", "--cache", "replay").code == 0
        assert len(server.requests) == 4
    with Study.open(tmp_path / "a.sqlite") as a, Study.open(tmp_path / "b.sqlite") as b:
        assert [result.metrics for result in a.results(1)] == [result.metrics for result in b.results(1)]
        assert sum(result.ledger["cache_hits"] for result in b.results(1)) == 4


def test_ctrl_c_is_exit_code_130(run, graph, questions, tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("graphbrick.study.runs.recorder.Recorder.put", interrupted)
    assert run("evaluate", graph, questions, "-p", NEAR, "--out", tmp_path / "runs.sqlite").code == 130


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["missing.jsonl"], "there is no such file"),
        (["--limit", "0"], "limit must be a whole number"),
        (["-p", "PRP()"], "did you mean PPR?"),
        (["-p", BM25, "-p", f"twice: {BM25}"], "is there twice"),
        (["-p", f"mine: {BM25}", "-p", f"mine: {NEAR}"], "two pipelines are called 'mine'"),
        (["-p", BM25, "--by", "colour"], "by 'colour'; there is complexity, dataset, distance, hop_group, hops, topic"),
        (["-p", "Rerank(BM25())"], "cannot start a run"),
        (["-r", "99"], "there is no recipe '99'"),
        (["--cache", "maybe"], "--cache is one of"),
    ],
)
def test_bad_input(run, graph, questions, tmp_path, arguments, told):
    files = [] if arguments[0].endswith(".jsonl") else [questions]
    result = run("evaluate", graph, *files, *arguments, "--out", tmp_path / "runs.sqlite")
    assert result.code == 1
    assert told in result.err
    assert result.err.count("\n") == 1
    assert not (tmp_path / "runs.sqlite").exists()


def test_scores_as_published_beside_those_of_here(run, graph, questions, tmp_path, monkeypatch):
    out = tmp_path / "runs.sqlite"
    with ScriptedLLM(lambda request: "City of Nairobi") as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        text = "told: ShortestPaths(max_hops=1) >> Generate(LLM('m'))"
        assert run("evaluate", graph, questions, "-p", text, "-p", BM25, "--out", out).code == 0
    result = run("compare", out, "--by", "hops", "--published")
    rows = [line.split() for line in result.out.splitlines()]
    assert ["#", "pipeline", "Hits@1", "accuracy", "hit", "precision", "recall", "F1"] in rows
    assert ["2", "told", "0", "25.0", "25.0", "25.0", "25.0", "25.0"] in rows  # RoG takes a part of a text for right
    assert ["2", "told", "0", "25.0"] in rows
    assert "note: ToG: no exact match: " in result.out
    assert [
        "hops",
        "#",
        "pipeline",
        "questions",
        "(answerable)",
        "Hit",
        "Hits@1",
        "EM",
        "precision",
        "recall",
        "F1",
        "F1",
        "of",
        "means",
    ] in rows
    assert ["1", "2", "told", "3", "(2)", "0", "0", "0", "0", "0", "0", "0"] in rows
    assert "note: ToG" not in run("compare", out).out
    told = json.loads(run("compare", out, "--metric", "rog_hit", "--json").out)
    assert [one["all"]["mean"] for one in told["pipelines"]] == [0.75, 0.25]
    assert told["answers"][1]["measures"]["tog_exact_match"] == {
        "all": 0.25, "answerable": 1 / 3, "scored": 4, "scored_answerable": 3,
    }  # fmt: skip


def test_what_never_works_is_exit_code_1(run, graph, questions, tmp_path, monkeypatch):
    out, text = tmp_path / "runs.sqlite", "told: ShortestPaths(max_hops=1) >> Generate(LLM('m', retries=0))"
    with ScriptedLLM(lambda request: Reply("wrong key", status=401)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        result = run("evaluate", graph, questions, "-p", text, "-p", BM25, "--out", out)
        assert (result.code, result.err.count("\n")) == (1, 1)
        assert result.err.startswith("error: told failed on all of its 4 questions, 4 times with: ")
        assert "OPENAI_API_KEY" in result.err
        assert run("evaluate", graph, questions, "-p", NEAR, "--out", out).code == 0  # of this command all went well
        judged = run("judge", out, "--llm", "LLM('j', retries=0)")
    assert (judged.code, judged.err.count("\n")) == (1, 1)
    assert "the judge failed on all of " in judged.err


def test_a_group_of_commands_by_itself_shows_its_help(run):
    result = run("datasets")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("Usage: graphbrick datasets [OPTIONS] COMMAND [ARGS]...\n")


def test_a_data_set_by_its_name(run, graph, questions, tmp_path, monkeypatch):
    monkeypatch.setenv("GRAPHBRICK_DATASETS", str(tmp_path / "sets"))
    command = ("evaluate", graph, "cwq:dev", "-p", NEAR, "--out", tmp_path / "runs.sqlite")
    assert "cwq must be fetched by hand" in run(*command).err
    assert "run: graphbrick datasets fetch webqsp --split test" in run("evaluate", graph, "webqsp:test").err
    assert "name one of its splits, such as webqsp:test" in run("evaluate", graph, "webqsp").err
    place = tmp_path / "sets" / "cwq" / "ComplexWebQuestions_dev.json"
    place.parent.mkdir(parents=True)
    answers = [{"answer_id": "Nairobi", "answer": "Nairobi", "aliases": []}]
    row = {
        "ID": "1",
        "question": "Where is Nairobi?",
        "sparql": "",
        "compositionality_type": "conjunction",
        "answers": answers,
    }
    place.write_text(json.dumps([row]))
    assert run(*command).code == 0
    with Study.open(tmp_path / "runs.sqlite") as study:
        assert [(file.path, file.questions) for file in study.files()] == [(str(place), 1)]


def test_a_file_that_is_no_study(run, graph, questions, tmp_path):
    (tmp_path / "mine.csv").write_text("question,answers\n" * 50)
    assert "not a study" in run("evaluate", graph, questions, "-p", NEAR, "--out", tmp_path / "mine.csv").err
    assert "not a study" in run("compare", tmp_path / "mine.csv").err
    assert "there is no such file" in run("compare", tmp_path / "none.sqlite").err
    assert "this is a folder" in run("compare", tmp_path).err


def test_a_name_may_have_parentheses(run, graph, questions, tmp_path):
    out = tmp_path / "runs.sqlite"
    assert run("evaluate", graph, questions, "-p", f"near (1 hop): {NEAR}", "--out", out).code == 0
    with Study.open(out) as study:
        assert [(one.name, one.recipe) for one in study.runs()] == [("near (1 hop)", NEAR)]


def test_a_column_that_is_added_later_groups_the_results(run, graph, tmp_path):
    file, out = tmp_path / "mine.jsonl", tmp_path / "runs.sqlite"
    command = ("evaluate", graph, file, "-p", NEAR, "--out", out)
    file.write_text("\n".join(json.dumps(row) for row in ROWS))
    assert run(*command).code == 0
    file.write_text("\n".join(json.dumps(row | {"colour": "red"}) for row in ROWS))
    result = run(*command, "--by", "colour")
    assert (result.code, result.err) == (0, "")
    assert "red" in result.out
    told = json.loads(run("compare", out, "--by", "topic", "--json").out)
    assert [one["group"] for one in told["pipelines"]] == ["", "kings", "unknown"]


def test_sizes_are_no_shares(run, graph, questions, tmp_path):
    out = tmp_path / "runs.sqlite"
    assert run("evaluate", graph, questions, "-p", f"six: {BM25}", "-p", f"three: {BM25.replace('6', '3')}", "--out",
               out).code == 0  # fmt: skip
    result = run("compare", out, "--metric", "nodes")
    lines = [line.split() for line in result.out.splitlines()]
    assert "nodes [95 % interval]" in result.out
    assert ["six", "4", "6.0", "[6.0,", "6.0]"] in [line[:5] for line in lines]
    assert ["six", "three", "4", "+3.0", "[+3.0,", "+3.0]"] in [line[:6] for line in lines]
    refused = run("report", out, "--metric", "nodes")
    assert (refused.code, refused.out) == (1, "")
    assert "pipelines cannot be ranked by nodes, which is a size" in refused.err


def test_a_name_goes_before_a_number(run, graph, questions, tmp_path):
    out = tmp_path / "runs.sqlite"
    assert run("evaluate", graph, questions, "-p", f"2: {BM25}", "-p", f"1: {NEAR}", "--out", out).code == 0
    (row,) = json.loads(run("compare", out, "--baseline", "1", "--json").out)["comparisons"]
    assert (row["first"], row["second"]) == ("2", "1")
