"""How sure learned patterns are, and the questions that this is fitted to."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from faults import fails, told

from graphbrick import Graph, PathAnswer, Patterns, PatternScorer, Query, Subgraph, parse
from graphbrick.bricks.retrieve.operators.unordered.evidence import CONFIDENCE
from graphbrick.cli.app import main
from graphbrick.core.errors import ModelError
from graphbrick.learn.fitting.calibration import Nearby, fitted, written_cases
from graphbrick.learn.learned import learned_pipeline, learned_place
from graphbrick.learn.learning import LearnReport
from graphbrick.learn.writing.sampling import around
from graphbrick.learn.writing.writer import Writer
from graphbrick.patterns.model.confidence import FEATURES, Calibration, features_of_best, fit_features
from graphbrick.patterns.model.folder import DESCRIPTION, load, save
from graphbrick.patterns.text import masked
from graphbrick.patterns.words.phrasebook import Phrasebook
from graphbrick.questions.question import Question
from graphbrick.study.report.figures import read_figures
from graphbrick.study.runs.experiment import evaluate


@pytest.mark.whole
def test_what_the_graph_cannot_answer_is_withheld(learned: tuple[Graph, LearnReport]) -> None:
    org, _ = learned
    pipeline = learned_pipeline(org)
    assert pipeline is not None
    sure = pipeline(org, "Which services does Team 2 own?")
    assert sure.texts == ("Service 2a", "Service 2b")
    assert sure.confidence is not None
    assert sure.confidence > 0.6
    scorer = PatternScorer(str(learned_place(org)))
    unsure = Patterns(scorer) >> PathAnswer(min_confidence=0.6)
    run = unsure.run(org, "What does Ada Marsh lead?")  # she leads nothing
    assert run.answer is not None
    assert run.answer.texts == ()
    assert run.answer.confidence is not None
    assert run.answer.confidence < 0.6
    assert run.answer.withheld.startswith("Ada Marsh ")
    assert run.answer.withheld.endswith("*")
    values = {"reading": run.answer.withheld, "confidence": run.answer.confidence}
    assert told(run.trace.events) == [("withhold.low_confidence", values)]
    content = run.to_dict()
    assert (content["answers"], content["withheld"]) == ([], run.answer.withheld)
    assert content["confidence"] == run.answer.confidence
    assert (Patterns(scorer) >> PathAnswer()).run(org, "What does Ada Marsh lead?").to_dict()["answers"]


def test_a_question_whose_words_belong_to_no_relation_is_refused(learned: tuple[Graph, LearnReport]) -> None:
    org, _ = learned
    pipeline = learned_pipeline(org)
    assert pipeline is not None
    for question in ("What is the birthday of Ben Okoro?", "What is the weather in Finance?"):
        answer = pipeline(org, question)
        assert (answer.texts, answer.withheld != "") == ((), True), question
    assert pipeline(org, "Who is the chief of Finance?").texts == ("Fiona Reed",)


def test_a_noun_that_is_not_read_is_named_and_halves_the_confidence(learned: tuple[Graph, LearnReport]) -> None:
    graph = learned[0]
    pipeline = learned_pipeline(graph)
    assert pipeline is not None
    patterns = pipeline.stages[1].patterns >> PathAnswer()
    known, unknown = (patterns(graph, text) for text in ("Who works in Team 1?", "Who works in Team 1 expectancy?"))
    assert "pattern_scorer.not_read" not in known.trace.event_codes
    (told,) = (one for one in unknown.trace.events if one.code == "pattern_scorer.not_read")
    assert told.values["words"] == ["expectancy"]
    assert unknown.confidence is not None
    assert unknown.confidence <= 0.5


@pytest.mark.parametrize(
    "question", ["Who are all our people in Team 1?", "I need everyone who works in Team 1, please"]
)
def test_small_words_are_no_words_of_another_relation(learned: tuple[Graph, LearnReport], question: str) -> None:
    pipeline = learned_pipeline(learned[0])
    assert pipeline is not None
    answer = (pipeline.stages[1].patterns >> PathAnswer())(learned[0], question)
    told = [
        word for one in answer.trace.events if one.code == "pattern_scorer.not_read" for word in one.values["words"]
    ]
    assert not {"all", "our", "need", "everyone", "please"} & {*told}


def test_the_limit_is_never_above_that_of_readings_by_parts() -> None:
    rng = np.random.default_rng(1)
    features = rng.normal(size=(400, len(FEATURES)))
    features[:, 0] += 9 * np.repeat((1, -1), 200)
    found = fitted(features, np.repeat((1.0, 0.0), 200), np.repeat((True, False), 200), {})
    assert found is not None
    assert found.probability(features[0]) > 0.9
    assert found.min_confidence == CONFIDENCE


def test_confidence_is_stored_and_older_folders_have_none(learned: tuple[Graph, LearnReport], tmp_path: Path) -> None:
    org, _ = learned
    model = load(str(learned_place(org)))
    assert model.calibration is not None
    assert "supervisor" in model.calibration.words["reports to", True]
    assert not any("who" in words for words in model.calibration.words.values())  # fits every relation to people
    save(model, tmp_path / "again")
    again = load(str(tmp_path / "again")).calibration
    assert again is not None
    assert again.to_dict() == model.calibration.to_dict()
    assert model.alignment is not None
    narrower = replace(model.alignment, emission=model.alignment.emission[:, :-8])
    save(replace(model, alignment=narrower), tmp_path / "other")
    with fails("patterns.other_words", ModelError):
        load(str(tmp_path / "other"))
    save(replace(model, calibration=None), tmp_path / "old")
    description = tmp_path / "old" / DESCRIPTION
    described = json.loads(description.read_text(encoding="utf-8"))
    del described["calibration"], described["checksum"]
    description.write_text(json.dumps(described | {"version": 3}), encoding="utf-8")
    old = Patterns(PatternScorer(str(tmp_path / "old"))) >> PathAnswer(min_confidence=0.9)
    run = old.run(org, "Who leads Finance?")
    assert run.answer is not None
    assert (run.answer.texts, run.answer.confidence) == (("Fiona Reed",), None)
    assert run.trace.event_codes == ["withhold.no_confidence"]


def test_cases_without_an_answer_have_none(learned: tuple[Graph, LearnReport]) -> None:
    org, _ = learned
    writer = Writer(Phrasebook.of(org))
    embedder = load(str(learned_place(org))).embedder
    cases = list(written_cases(org, writer, embedder, n=400, max_hops=2, seed=0))
    again = written_cases(org, writer, embedder, n=400, max_hops=2, seed=0)
    assert [(case.text, case.seed) for case in cases] == [(case.text, case.seed) for case in again]
    answers, without = ([case for case in cases if (case.ends is None) is none] for none in (False, True))
    assert len(answers) > 1.5 * len(without) > 30  # of each kind without an answer there are half as many
    for case in answers:
        assert case.ends is not None
        ends = [set(ends.tolist()) for layer in around(org, case.seed, max_hops=2) for _, ends in layer]
        assert set(case.ends.tolist()) in ends
        assert org.label(case.seed) in case.text


def test_the_other_direction_of_a_step_is_no_answer(learned: tuple[Graph, LearnReport]) -> None:
    """Others report to Ada Marsh, who reports to nobody."""
    graph, _ = learned
    stage = Patterns(PatternScorer(str(learned_place(graph))))
    texts = ("Who reports to Ada Marsh?", "Who does Ada Marsh report to?")
    queries = [Query(text, (graph.entity("Ada Marsh"),)) for text in texts]
    right, wrong = (stage.retrieve(query, Subgraph(graph)).confidence for query in queries)
    assert right is not None
    assert wrong is not None
    assert right > 0.8
    assert wrong < 0.5


def test_folders_of_another_calibration_have_none(learned: tuple[Graph, LearnReport], tmp_path: Path) -> None:
    model = load(str(learned_place(learned[0])))
    save(model, tmp_path / "old")
    description = tmp_path / "old" / DESCRIPTION
    told = json.loads(description.read_text(encoding="utf-8"))
    del told["checksum"]
    description.write_text(json.dumps(told | {"version": 4}), encoding="utf-8")
    assert load(str(tmp_path / "old")).calibration is None


def test_the_fit_recovers_probabilities_and_keeps_the_signs() -> None:
    rng = np.random.default_rng(0)
    features = rng.normal(size=(4_000, len(FEATURES)))
    chance = 1 / (1 + np.exp(-(2 * features[:, 0] - features[:, 2] + 3 * features[:, 4] - 0.5)))
    right = (rng.uniform(size=4_000) < chance).astype(float)
    answerable = rng.uniform(size=4_000) < 0.9  # as often as is assumed
    found = fitted(features, right, answerable, {})
    assert found is not None
    assert found.weights[4] == 0  # more hops without words never make a pattern more likely
    assert found.weights[0] > 3 * abs(found.weights[1])
    assert found.weights[2] < 0
    sure = np.array([found.probability(row) for row in features])
    for low in (0.1, 0.4, 0.7):
        inside = (sure >= low) & (sure < low + 0.2)
        assert right[inside].mean() == pytest.approx(sure[inside].mean(), abs=0.06)
    kept = sure[answerable & (right > 0.5)] >= found.min_confidence
    assert 0.985 <= kept.mean() <= 1
    assert fitted(features[:30], right[:30], np.arange(30) < 25, {}) is None


@pytest.mark.parametrize(
    "wrong", [{"bias": float("nan")}, {"min_confidence": 2}, {"weights": dict.fromkeys(FEATURES, 1e999)}]
)
def test_a_damaged_calibration_is_refused(wrong: dict[str, object]) -> None:
    good = Calibration(np.ones(len(FEATURES)), 0.0, 0.5, {}).to_dict()
    with pytest.raises(ValueError, match="not finite, or min_confidence"):
        Calibration.from_dict(good | wrong)


def test_the_command_line_withholds_and_says_why(
    learned: tuple[Graph, LearnReport], capsys: pytest.CaptureFixture[str]
) -> None:
    place = str(learned[0].place)

    def ask(*arguments: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as stopped:
            main(["ask", place, *arguments])
        return int(stopped.value.code or 0), capsys.readouterr().out

    code, said = ask("Who leads Finance?", "--min-confidence", "0.2")
    assert code == 0
    assert said.splitlines()[0] == "Fiona Reed"
    assert re.search(r"^confidence 0\.\d\d$", said, re.MULTILINE)
    code, said = ask("Who leads Finance?", "--min-confidence", "1")
    assert code == 2
    assert said.startswith(
        "no answer found\nnot sure enough of an answer: the likeliest reading, Finance <- leads <- *, has "
    )
    code, said = ask("Who leads Finance?", "--min-confidence", "1", "--json")
    told = json.loads(said)
    assert (code, told["answers"], told["withheld"]) == (2, [], "Finance <- leads <- *")
    assert 0.2 < told["confidence"] < 1
    code, _ = ask("Who leads Finance?", "--pipeline", "ShortestPaths()", "--min-confidence", "0.5")
    assert code == 1


def test_studies_keep_the_confidence_of_every_answer(learned: tuple[Graph, LearnReport], tmp_path: Path) -> None:
    graph, _ = learned
    questions = [
        Question("1", "Who leads Finance?", ("Finance",), ("Fiona Reed",), dataset="org"),
        Question("2", "Which services does Team 2 own?", ("Team 2",), ("Service 2a", "Service 2b"), dataset="org"),
    ]
    pipeline = learned_pipeline(graph)
    assert pipeline is not None
    strict = Patterns(PatternScorer(str(learned_place(graph)))) >> PathAnswer(min_confidence=1.0)
    plain = "Patterns(BM25()) >> PathAnswer()"
    chosen = {"learned": pipeline, "strict": strict, "plain": parse(plain)}
    with evaluate(graph, questions, chosen, out=tmp_path / "runs.sqlite") as study:
        by_name = {run.name: [one.metrics["confidence"] for one in study.results(run.id)] for run in study.runs()}
        figures = {one.name: one for one in read_figures(study, study.questions(), "hits_at_1")}
    answers = [pipeline(graph, one.text, seeds=one.seeds) for one in questions]
    assert by_name["learned"] == [answer.confidence for answer in answers]
    assert by_name["strict"] == by_name["plain"] == [None, None]  # withheld, and without an estimate
    assert figures["plain"].confidence is None
    assert figures["learned"].confidence is not None
    assert figures["learned"].confidence.coverage == 1


@pytest.mark.whole
def test_all_patterns_at_once_have_the_features_of_a_search(learned: tuple[Graph, LearnReport]) -> None:
    org, _ = learned
    place = str(learned_place(org))
    model, stage, vectors = load(place), Patterns(PatternScorer(place), max_hops=2), {}
    assert model.calibration is not None
    words = model.calibration.words
    cases = list(written_cases(org, Writer(Phrasebook.of(org)), model.embedder, n=200, max_hops=2, seed=1))
    for case in cases[::7]:
        readings = stage.readings(Query(case.text, (case.seed,)), Subgraph(org))
        searched = fit_features(model, words, vectors, case.text, readings)
        prepared = model.ask(masked(case.text, org.label(case.seed)))
        best, first = Nearby.of(model, case.around).best(prepared)
        assert features_of_best(model, words, vectors, prepared, best) == pytest.approx(searched, abs=1e-5)
        assert set(case.around.all_ends[first].tolist()) == set(readings[0].ends.tolist())
