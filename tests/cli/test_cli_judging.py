"""`graphbrick judge` with labels: rating, reports, samples, agreement and the number of labels to buy."""

from __future__ import annotations

import csv
import json

import pytest
from made_study import Madeup, write_study

from graphbrick.judge.report.tables import headline
from graphbrick.study.store.reader import Study
from graphbrick.testing import ScriptedLLM


@pytest.fixture
def study(tmp_path):
    return write_study(tmp_path / "runs.sqlite", [Madeup("first", right=0.8), Madeup("<b>second", right=0.4)], 40)


def kind_judge(request):
    """A judge that cannot be read for one answer in ten, and else follows the number of the entity."""
    return "no idea" if "Entity 7" in request.prompt else json.dumps({"reason": "so", "verdict": "yes"})


@pytest.mark.whole
def test_a_study_is_rated_and_reported(run, study, tmp_path, monkeypatch):
    page = tmp_path / "judged.html"
    with ScriptedLLM(kind_judge) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        call = ("judge", study, "--judge", "gpt-4.1", "--label", "correctness", "--labels", "gold", "--n", 40)
        result = run(*call, "--html", page)
        assert result.code == 0
        asked = len(server.requests)
        again = json.loads(run(*call, "--json").out)
        assert len(server.requests) == asked
        only = run("judge", study, "--labels", "gold")  # the judge that is there
        refused = run("judge", study, "--judge", "another", "--label", "correctness")
        several = run("judge", study, "--labels", "gold")
    assert "correctness, %" in result.out
    assert "PPI++" in result.out
    assert "warning: correctness: the judge " in result.out
    assert "note: judge: gpt-4.1 (RubricJudge(LLM(model='gpt-4.1')" in result.out
    assert "note: the labels are no judgements of people" in result.out
    assert asked < 80  # equal answers of two systems are asked once, and those equal to a gold answer not at all
    (label,) = again["labels"]
    assert [(row["system"], row["group"]) for row in label["systems"]][::3] == [("first", "all"), ("<b>second", "all")]
    assert label["systems"][0]["tuned"]["n"] == 20
    assert label["quality"]["missing"] > 0
    assert "PPI++" in only.out
    assert refused.code == 0
    assert "several judges rated this study; name one with --judge: gpt-4.1, another" in several.err
    text = page.read_text("utf-8")
    assert "&lt;b&gt;second" in text
    assert "<b>second" not in text.replace("&lt;", "")
    assert "right probabilities" in text


def test_a_budget_that_ends_before_the_first_verdict_is_said_to_be_used_up(run, study, monkeypatch):
    with ScriptedLLM(kind_judge) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        call = ("judge", study, "--judge", "gpt-4.1", "--label", "context_relevance", "--budget", "tokens=50")
        result = run(*call)
        wrong = run(*call, "--level", 95)
    assert (result.code, server.requests) == (3, [])
    assert "stopped: the budget of 50 tokens does not hold the next call" in result.err
    assert (wrong.code, "--level must be in" in wrong.err) == (1, True)


def test_labels_by_people(run, study, tmp_path):
    table = tmp_path / "labels.csv"
    drawn = run("judge", "sample", study, "--n", 12, "--label", "context_relevance", "-o", table)
    assert drawn.code == 0
    assert f"12 answers to label are in {table}" in drawn.out
    assert "may have labels" in run("judge", "sample", study, "--n", 12, "-o", table).err
    with table.open(encoding="utf-8", newline="") as text:
        header, *rows = csv.reader(text)
    for place, row in enumerate(rows):
        row[-1] = ("1", "0", "skip")[place % 3]
    with table.open("w", encoding="utf-8", newline="") as text:
        csv.writer(text).writerows([header, *rows])
    result = run("judge", study, "--labels", table)
    assert (result.code, result.err) == (0, "")
    assert "labels alone" in result.out
    assert "judge alone" not in result.out
    assert "note: 0 cells of the labels are empty, and 4 say skip" in result.out
    other = tmp_path / "other.csv"
    rows[0][-1] = "0"
    with other.open("w", encoding="utf-8", newline="") as text:
        csv.writer(text).writerows([header, *rows])
    (agreed,) = json.loads(run("judge", "agree", table, other, "--json").out)
    assert (agreed["n"], agreed["same"], agreed["apart"]) == (8, 0.875, [rows[0][0]])
    assert "0.75" in run("judge", "agree", table, other).out
    needed = json.loads(run("judge", "power", study, "--labels", table, "--width", 0.5, "--json").out)
    assert [one["system"] for one in needed] == ["first", "<b>second"]
    rows[0][-1] = "perhaps"
    with other.open("w", encoding="utf-8", newline="") as text:
        csv.writer(text).writerows([header, *rows])
    wrong = run("judge", study, "--labels", other)
    assert (wrong.code, wrong.err.count("\n")) == (1, 1)
    assert f"{other}, line 2: context_relevance is 'perhaps'" in wrong.err


def test_power_names_the_judges_that_there_are_and_takes_as_many_labels_as_wished(run, study):
    assert run("judge", study, "--judge", "length", "--label", "context_relevance").code == 0
    other = run("judge", "power", study, "--labels", "gold", "--judge", "words")
    assert (other.code, other.err.count("\n")) == (1, 1)
    assert "the judge words has rated no answer of this study; judges that have: length; " in other.err
    few = run("judge", "power", study, "--labels", "gold", "--judge", "length", "--n", 6)
    assert "6 labels are too few for 4 strata" in few.err
    found = json.loads(run("judge", "power", study, "--labels", "gold", "--judge", "length", "--n", 24, "--json").out)
    assert {one["labels"] for one in found} == {12}


def test_the_number_of_labels_without_a_study(run):
    options = ("--width", 0.1, "--correlation", 0.7, "--answers", 2000, "--label-cost", 1, "--rating-cost", 0.01)
    (need,) = json.loads(run("judge", "power", *options, "--json").out)
    assert need["alone"] == 385 > need["judged"] >= need["purchase"]["n"] > 150
    assert "cheapest mixture" in run("judge", "power", *options).out


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--labels", "gold", "--label", "truth"), "--label is one of context_relevance"),
        (("--labels", "none.csv"), "none.csv: it cannot be read"),
        (("--llm", "m", "--labels", "gold"), "--llm is for Judge@1 alone"),
        (("--llm", "m", "--html", "page.html"), "--llm is for Judge@1 alone"),
        (("--labels", "gold", "--retry"), "--fresh and --retry are for a judge; name it with --judge or --llm"),
        (("--labels", "gold", "--fresh"), "--fresh and --retry are for a judge; name it with --judge or --llm"),
        (("--labels", "gold", "--level", "2"), "--level must be in"),
        (("--labels", "gold", "--by", "colour"), "cannot be grouped by 'colour'"),
        ((), "neither a label nor a verdict of any kind"),
    ],
)
def test_errors(run, study, arguments, reason):
    result = run("judge", study, *arguments)
    assert (result.code, result.err.count("\n")) == (1, 1)
    assert reason in result.err


def test_commands_and_options_that_are_no_study(run, study):
    assert run("judge").code == 0
    assert "sample" in run("judge", "--help").out
    assert run("judge", "study", study, "--labels", "gold", "--json").code == 0
    assert run("judge", "--labels", "gold", study, "--json").code == 0
    assert "there is no such file" in run("judge", "simple", "--labels", "gold").err
    assert "--labels is needed with a study" in run("judge", "power", study).err
    assert "--labels and --judge are of a study; name its file" in run("judge", "power", "--labels", "gold").err
    assert "--width" in run("judge", "power", "--help").out


@pytest.mark.parametrize(("option", "number"), [("--passages", -3), ("--searched", 0), ("--each", -1)])
def test_data_is_made_of_one_passage_and_question_at_least(run, tmp_path, option, number):
    (tmp_path / "a.txt").write_text("The treaty was signed in Nairobi by the ministers of Kenya. It rained in Mombasa.")
    result = run("judge", "data", tmp_path / "a.txt", "-o", tmp_path / "made", option, number)
    assert (result.code, result.err) == (1, f"error: {option} must be at least 1, got {number}\n")
    assert not (tmp_path / "made").exists()


def test_nothing_is_written_over_the_study_or_its_labels(run, study, tmp_path):
    table, before = tmp_path / "labels.csv", study.read_bytes()
    assert run("judge", "sample", study, "--n", 12, "--label", "context_relevance", "-o", table).code == 0
    labels = table.read_bytes()
    for arguments, reason in (
        (("judge", study, "--labels", "gold", "--html", study), f"--html {study} would overwrite the study"),
        (("judge", study, "--labels", table, "--html", table), f"--html {table} would overwrite the labels"),
        (("judge", study, "--labels", "gold", "--html", tmp_path), f"{tmp_path} is a folder; name a file for --html"),
        (("judge", "sample", study, "--n", 12, "--overwrite", "-o", study), f"--out {study} would overwrite the study"),
    ):
        result = run(*arguments)
        assert (result.code, result.out, result.err.count("\n")) == (1, "", 1)
        assert reason in result.err
    assert (study.read_bytes(), table.read_bytes()) == (before, labels)


def test_the_headline_says_that_nothing_is_corrected(study):
    from graphbrick.judge.report.judged import JudgeReport

    with Study.open(study) as opened:
        report = JudgeReport(str(opened.path), None, "", 0.95, pooled=False, labels=(), notes=())
    assert headline(report) == "No system has labels, so that nothing is corrected."
