"""The demo as a newcomer sees it, and the answers of its default pipeline."""

from __future__ import annotations

import json
import re
from importlib.resources import files

import pytest

from graphbrick import Pipeline, parse
from graphbrick.cli import demo
from graphbrick.cli.app import main
from graphbrick.cli.demo import NEXT, QUESTIONS, TEXT_SEARCH_FAILS
from graphbrick.demo.graph import world_graph
from graphbrick.learn.default import DEFAULT_PIPELINE
from graphbrick.learn.fitting import calibration
from graphbrick.learn.learned import learned_pipeline, learned_place
from graphbrick.patterns.model.folder import FORMAT
from graphbrick.questions.loading import load
from graphbrick.study.metrics.sets import answer_scores


@pytest.mark.whole
@pytest.mark.usefixtures("world_cache")
def test_the_demo_learns_answers_its_questions_and_ends_with_the_next_command(capsys, monkeypatch):
    monkeypatch.setattr(demo, "WRITTEN", 400)
    monkeypatch.setattr(calibration, "_LEXICON", 60)
    place = learned_place(world_graph())  # of another version
    place.mkdir(exist_ok=True)
    for name in ("model.json", "weights.npz"):
        (place / name).write_text(json.dumps({"format": FORMAT, "version": 0}))
    with pytest.raises(SystemExit) as stopped:
        main(["demo"])
    assert not stopped.value.code
    out = capsys.readouterr().out
    assert "learning again" in out
    for question in (*QUESTIONS, TEXT_SEARCH_FAILS):
        assert question in out
    assert "Nairobi <- capital <- Kenya -> currency -> Kenyan shilling" in out
    assert re.search("Uganda (-> borders ->|<- borders <-) Kenya -> capital -> Nairobi", out)
    searched = out.split("triples as text finds")[1].split("Two triples in a row")[0]
    assert "Kenyan shilling" not in searched
    learned = learned_pipeline(world_graph())
    assert learned is not None
    answers_are_right(learned)
    last = out.rstrip().splitlines()[-1]
    assert last == f'  graphbrick ask {world_graph().path} "{NEXT}" --explain'


@pytest.mark.whole
@pytest.mark.usefixtures("world_cache")
def test_the_default_pipeline_gets_the_questions_of_the_demo_right():
    answers_are_right(parse(DEFAULT_PIPELINE))


def answers_are_right(pipeline: Pipeline) -> None:
    graph = world_graph()
    gold = {question.text: question.answers for question in load(str(files("graphbrick.demo") / "questions.jsonl"))}
    for question in (*QUESTIONS, TEXT_SEARCH_FAILS, NEXT):
        answer = pipeline(graph, question)
        assert answer.texts
        if question in gold:
            assert answer_scores([graph.key(entity) for entity in answer.entities], gold[question]).f1 == 1


@pytest.mark.parametrize("damage", ["tail.npy", "manifest.json"])
def test_a_damaged_cache_is_built_again(caplog, monkeypatch, tmp_path, damage):
    monkeypatch.setenv("GRAPHBRICK_CACHE", str(tmp_path))
    monkeypatch.setattr("graphbrick.demo.graph.world_records", lambda: [("Kenya", "capital", "Nairobi")])
    path = world_graph().path
    (path / damage).write_bytes(b"") if damage == "tail.npy" else (path / damage).unlink()
    assert world_graph().n_triples == 1
    assert "building it again" in caplog.text


@pytest.mark.usefixtures("world_cache")
def test_a_chinese_question_finds_its_seed():
    run = parse("ShortestPaths(max_hops=1)").run(world_graph(), "内罗毕是哪个国家的首都？")
    assert [run.graph.label(seed) for seed in run.query.seeds] == ["Nairobi"]
    assert any(path.text == "Nairobi <- capital <- Kenya" for path in run.evidence.items)


def test_without_the_data_packages_the_demo_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setattr("graphbrick.demo.sources.PACKAGES", ("no-such-package",))
    with pytest.raises(SystemExit) as stopped:
        main(["demo"])
    assert stopped.value.code == 1
    assert "pip install 'graphbrick[demo]'" in capsys.readouterr().err
