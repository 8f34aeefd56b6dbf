"""Whole searches over a tiny graph."""

from __future__ import annotations

import json
import sqlite3
import time
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from faults import fails

from graphbrick import AllPaths, Graph, parse
from graphbrick.learn.writing.written_questions import DATASET, written_questions
from graphbrick.questions.question import Question
from graphbrick.recipes import recipe
from graphbrick.study.store.reader import Study
from graphbrick.study.tune.aims import Aim
from graphbrick.study.tune.clock import Clock
from graphbrick.study.tune.measuring import Measurer
from graphbrick.study.tune.questions import split
from graphbrick.study.tune.race import Candidate, Race, Scored, Why
from graphbrick.study.tune.result.result import Tuned
from graphbrick.study.tune.result.writing import recipes_text, write_files
from graphbrick.study.tune.search import STUDY, TIMES, _Search, tune
from graphbrick.study.tune.settings import Settings
from graphbrick.study.tune.space.space import Space

pytest.importorskip("optuna")

SPACE = Space(
    {
        "extract": ("", "KHop()"),
        "retrieve": ("ShortestPaths(max_hops=1)", "AllPaths()"),
        "rerank": ("", "Rerank($scorer)"),
        "generate": ("PathAnswer()",),
    },
    {"scorer": ("BM25(k1=1.2, b=0.75)", "NGram(size=3)")},
)
KNOWN = {"default": "ShortestPaths(max_hops=1) >> PathAnswer()", "broken": "RankEnds('no such folder') >> PathAnswer()"}
SETTINGS = Settings(aims=(Aim.parse("quality"), Aim.parse("latency<10s")), seconds=3_000.0, pipelines=16)


@pytest.fixture(scope="module")
def searched(
    graph: Graph, questions: tuple[Question, ...], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Tuned, Path]:
    out = tmp_path_factory.mktemp("tuned")
    return tune(graph, questions, out, known=KNOWN, space=SPACE, settings=SETTINGS), out


def rows(study: Path) -> list[tuple[object, ...]]:
    with sqlite3.connect(study) as db:
        return db.execute("SELECT run, question, sitting, metrics FROM results ORDER BY run, question").fetchall()


def test_questions_that_chose_do_not_give_the_final_figures(questions: tuple[Question, ...]) -> None:
    ours, others = split(questions, seed=3)
    assert len(ours) == len(others) == len(questions) // 2
    assert not {one.id for one in ours} & {one.id for one in others}
    assert {one.hops for one in ours[:2]} == {1, 2}  # the first few are of every hop count
    with fails("tune.too_few_questions", n=7):
        split(questions[:7], seed=0)


@pytest.mark.whole
def test_what_a_search_finds_was_measured_on_other_questions(searched: tuple[Tuned, Path]) -> None:
    found, _ = searched
    assert [one.aim for one in found.recommended] == ["quality", "latency<10s"]
    assert found.tried == 15  # one cannot start
    assert found.given_up == {"cannot start": 1}
    assert (found.choosing, found.final) == (11, 11)
    names = [one.name for one in found.measured]
    assert {"default", found.recommended[0].name} <= set(names)
    assert names == [
        one.name for one in sorted(found.measured, key=lambda one: (-one.figures.quality, one.figures.seconds))
    ]
    best = max(one.chosen.quality for one in found.measured)
    assert next(one.chosen.quality for one in found.measured if one.name == found.recommended[0].name) == best
    assert {row.second for row in found.comparisons} == {"default"}
    assert any("questions to choose by" in text for text in found.notes)


@pytest.mark.whole
def test_changes_have_one_choice_less_or_another(searched: tuple[Tuned, Path], questions: tuple[Question, ...]) -> None:
    found, out = searched
    assert found.effects
    final = {question.id for question in split(questions, seed=SETTINGS.seed)[1]}
    with Study.open(out / STUDY) as study:
        names = {one.id: one.name for one in study.questions()}
        runs = {run.recipe: run.id for run in study.runs()}
        for effect in found.effects:  # measured on questions that chose nothing
            recipe = repr(parse(effect.text))
            assert final <= {names[result.question] for result in study.results(runs[recipe])}
    assert all(effect.quality.n == 11 for effect in found.effects)
    texts = {effect.text for effect in found.effects}
    assert len(texts) == len(found.effects)
    assert not texts & {one.text for one in found.recommended}
    with Study.open(out / TIMES) as study:  # the winners are timed together with their changes
        timed = {run.recipe: {result.session for result in study.results(run.id)} for run in study.runs()}
    assert timed.keys() == {repr(parse(text)) for text in texts | {one.text for one in found.recommended}}
    assert set.intersection(*timed.values()) or len({one.text for one in found.recommended}) > 1


def test_the_same_call_again_asks_nothing_and_finds_the_same(
    graph: Graph, questions: tuple[Question, ...], searched: tuple[Tuned, Path]
) -> None:
    found, out = searched
    before = rows(out / STUDY)
    again = tune(graph, questions, out, known=KNOWN, space=SPACE, settings=SETTINGS)
    assert rows(out / STUDY) == before
    assert again == found


def test_a_changed_graph_or_other_questions_need_another_folder(
    graph: Graph, questions: tuple[Question, ...], searched: tuple[Tuned, Path]
) -> None:
    with fails("tune.other_search", differs_in=["questions"]):
        tune(graph, questions[:-1], searched[1], known=KNOWN, space=SPACE, settings=SETTINGS)


def test_results_of_another_pipeline_with_the_same_name_are_not_taken(
    graph: Graph, questions: tuple[Question, ...], tmp_path: Path
) -> None:
    measurer = Measurer(graph, tmp_path / STUDY, metric="hits_at_1", link=False, workers=1)
    there = []
    for text in ("AllPaths() >> PathAnswer()", "ShortestPaths() >> PathAnswer()"):
        there.append(Candidate("#1", text, parse(text).identity()))
        measurer.ask(there[-1:], questions[:3], each=60.0, deadline=time.monotonic() + 60)
    with Study.open(tmp_path / STUDY) as study:
        seconds = [sum(result.seconds for result in study.results(run.id)) for run in study.runs()]
    assert [sum(score.seconds for score in one.scores.values()) for one in there] == pytest.approx(seconds)


def test_files_can_be_used_as_recipes(searched: tuple[Tuned, Path]) -> None:
    found, out = searched
    assert {"tuned.toml", "tuned.json", "report.html"} <= {file.name for file in out.iterdir()}
    write_files(found, out, graph="tiny & <small>")
    own = out / "tuned.toml"
    assert list(tomllib.loads(own.read_text("utf-8"))["recipes"]) == ["quality", "latency-10s"]
    assert repr(recipe(str(own)).pipeline()) == repr(recipe(f"{own}:quality").pipeline())
    assert json.loads((out / "tuned.json").read_text("utf-8"))["tried"] == 15
    page = (out / "report.html").read_text("utf-8")
    assert "Pipelines for tiny &amp; &lt;small&gt;" in page
    assert all(effect.words() in page.replace("&#39;", "'").replace("&lt;", "<") for effect in found.effects[:1])


def test_what_answered_the_most_questions_does_not_win_by_that(tmp_path: Path, graph: Graph) -> None:
    def candidate(name: str, right: int, n: int, rung: int) -> Candidate:
        scores = {("", str(i)): Scored(float(i < right), 0.01, 0.0, 0.0) for i in range(n)}
        return Candidate(name, name, name, scores=scores, rung=rung)

    there = [candidate("default", 4, 4, 2), candidate("poor", 10, 36, 4), candidate("none", 0, 0, 0)]
    race = Race([Aim.parse("quality")], [1, 4, 12, 36], 1.0, there)
    measurer = Measurer(graph, tmp_path / STUDY, metric="hits_at_1", link=False, workers=1)
    clock = Clock(tmp_path / "steps.jsonl", 1.0, {})
    clock.used = 1.0  # no time is left
    search = _Search(measurer, clock, race, SPACE, (), SETTINGS, lambda *_: None)
    assert [one.name for one in search.winners()] == ["default", "poor"]


class Slow:
    """A measurer of candidates that take some seconds at the first question, and load a model at their first try."""

    def __init__(self) -> None:
        self.limits: list[tuple[str, float]] = []
        self.deadlines: list[float] = []
        self.ran, self.workers = 0.0, 1
        self.calls, self.left_tokens, self.left_usd = 0, 0, 0.0

    def ask(self, candidates: list[Candidate], questions: list[Question], *, each: float, deadline: float) -> None:
        one = candidates[0]
        self.limits.append((one.name, each))
        self.deadlines.append(deadline)
        if one.name != "default" and len([name for name, _ in self.limits if name == one.name]) == 1:
            one.give_up(Why.SLOW, "a model was loaded")
        else:
            one.scores |= {("", question.id): Scored(1.0, 2.0, 0.0, 0.0) for question in questions}


def test_a_first_question_that_loads_a_model_is_asked_again_and_the_default_is_waited_for(
    graph: Graph, questions: tuple[Question, ...], tmp_path: Path
) -> None:
    slow = Slow()
    race = Race(SETTINGS.aims, [1, 4, 12], 0.1)
    clock = Clock(tmp_path / "steps.jsonl", SETTINGS.seconds, {})
    search = _Search(slow, clock, race, SPACE, questions, SETTINGS, lambda *_: None)  # type: ignore[arg-type]
    search.begin({"default": KNOWN["default"]})
    assert [name for name, _ in slow.limits[:4]] == ["default", "default", "#2", "#2"]
    assert slow.limits[0][1] == SETTINGS.seconds
    assert slow.deadlines[0] > slow.deadlines[1] + 0.5 * SETTINGS.seconds  # its first answer may take most of the time
    assert race.slowest == 10.0  # five times what the default takes
    assert slow.limits[2][1] == 30.0
    assert not any(one.given_up for one in race.candidates)


def test_candidates_that_are_slow_are_asked_a_few_at_a_time(tmp_path: Path) -> None:
    race = Race(SETTINGS.aims, [1, 4, 12], 100.0)
    search = _Search(None, Clock(tmp_path / "s", 1.0, {}), race, SPACE, (), SETTINGS, lambda *_: None)  # type: ignore[arg-type]

    def batch(seconds: float) -> list[Candidate]:
        return [Candidate(str(i), "", "", {}, {("", "0"): Scored(1.0, seconds, 0, 0)}, 1) for i in range(20)]

    assert [len(search._together(batch(seconds))) for seconds in (0.1, 5.0, 50.0)] == [12, 4, 1]


def test_questions_about_something_else_are_told(graph: Graph, questions: tuple[Question, ...], tmp_path: Path) -> None:
    settings = replace(SETTINGS, pipelines=1)
    wrong = [replace(question, answers=("Atlantis",)) for question in questions[:8]]
    found = tune(graph, wrong, tmp_path / "answers", known=KNOWN, space=SPACE, settings=settings)
    assert any("No pipeline answered a question rightly" in text for text in found.notes)
    lost = [replace(question, seeds=("Nobody",)) for question in questions[:8]]
    with fails("tune.nothing_measured"):
        tune(graph, lost, tmp_path / "seeds", known=KNOWN, space=SPACE, settings=settings)


@pytest.mark.whole
def test_a_brick_with_a_fault_ends_no_search(
    graph: Graph, questions: tuple[Question, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("a fault")

    monkeypatch.setattr(AllPaths, "retrieve", fail)
    settings = replace(SETTINGS, pipelines=6)
    found = tune(graph, questions, tmp_path, known={"default": KNOWN["default"]}, space=SPACE, settings=settings)
    assert found.given_up["fails"] >= 1
    assert "AllPaths" not in found.recommended[0].text
    assert any("failed with ZeroDivisionError: a fault" in text and "AllPaths" in text for text in found.notes)


@pytest.mark.whole
def test_no_more_pipelines_are_tried_than_allowed(
    graph: Graph, questions: tuple[Question, ...], tmp_path: Path
) -> None:
    known = {"default": KNOWN["default"], "all": "AllPaths() >> PathAnswer()", "third": "AllPaths(max_hops=1)"}
    found = tune(graph, questions, tmp_path, known=known, space=SPACE, settings=replace(SETTINGS, pipelines=2))
    assert found.tried == 2


def test_files_are_written_where_nothing_was_measured(searched: tuple[Tuned, Path], tmp_path: Path) -> None:
    write_files(replace(searched[0], measured=(), comparisons=(), final=0), tmp_path, graph="tiny")
    assert "was not measured on others" in (tmp_path / "report.html").read_text("utf-8")


def test_final_figures_are_not_replaced_by_none(searched: tuple[Tuned, Path], tmp_path: Path) -> None:
    found, _ = searched
    assert write_files(found, tmp_path, graph="tiny")
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assert not write_files(replace(found, measured=(), comparisons=(), final=0), tmp_path, graph="tiny")
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before
    (tmp_path / "tuned.json").write_text("damaged", encoding="utf-8")
    assert write_files(replace(found, measured=(), comparisons=(), final=0), tmp_path, graph="tiny")


def test_one_aim_in_other_words_is_one_recipe(searched: tuple[Tuned, Path]) -> None:
    found, _ = searched
    twice = replace(found, recommended=(*found.recommended, replace(found.recommended[1], aim="latency <= 10s")))
    assert list(tomllib.loads(recipes_text(twice, "tiny"))["recipes"]) == ["quality", "latency-10s"]


def test_a_path_with_a_dollar_sign_is_read_again(searched: tuple[Tuned, Path], tmp_path: Path) -> None:
    first, *others = searched[0].recommended
    text = "ShortestPaths() >> Rerank(PatternScorer('/data/$mine/films.patterns'), n=8) >> PathAnswer()"
    found = replace(searched[0], recommended=(replace(first, text=text), *others))
    (tmp_path / "tuned.toml").write_text(recipes_text(found, "tiny"), encoding="utf-8")
    assert repr(recipe(str(tmp_path / "tuned.toml")).pipeline()) == text


def test_without_questions_the_graph_writes_them_and_the_result_says_so(
    graph: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graphbrick.study.tune.search._WRITTEN", 16)
    settings = Settings(seconds=3_000.0, pipelines=2)
    space = Space({"retrieve": ("ShortestPaths(max_hops=1, keep='all')",), "generate": ("PathAnswer()",)}, {})
    found = tune(
        graph, None, tmp_path, known={"default": "AllPaths(max_hops=1) >> PathAnswer()"}, space=space, settings=settings
    )
    assert any("written from the graph itself" in text for text in found.notes)
    assert all(question.dataset == DATASET for question in written_questions(graph, 3))


def test_a_search_without_time_says_that_nothing_was_measured(
    graph: Graph, questions: tuple[Question, ...], tmp_path: Path
) -> None:
    with fails("tune.nothing_measured", which="pipeline"):
        tune(graph, questions, tmp_path, known=KNOWN, space=SPACE, settings=Settings(seconds=1e-6))


@pytest.mark.whole
def test_a_measure_that_pipelines_do_not_have_is_no_zero(
    graph: Graph, questions: tuple[Question, ...], tmp_path: Path
) -> None:
    known = {"default": "KHop() >> AllPaths() >> PathAnswer()", "whole": "AllPaths() >> PathAnswer()"}
    settings = replace(SETTINGS, metric="subgraph_recall", pipelines=2)
    found = tune(graph, questions, tmp_path, known=known, space=SPACE, settings=settings)
    assert found.given_up == {"fails": 1}
    assert any("subgraph_recall cannot be measured on question" in text for text in found.notes)


@pytest.mark.whole
def test_what_is_only_compared_is_measured_and_not_recommended(
    graph: Graph, questions: tuple[Question, ...], tmp_path: Path
) -> None:
    known = {"default": KNOWN["default"], "poor": "ShortestPaths(max_hops=1) >> RandomSample(n=1) >> PathAnswer()"}
    settings = replace(SETTINGS, pipelines=2, only_compared=True)
    found = tune(graph, questions, tmp_path, known=known, space=SPACE, settings=settings)
    assert {one.name for one in found.recommended} == {"poor"}
    assert {one.name for one in found.measured} == {"poor", "default"}
    assert not any("Use default" in text for text in found.notes)
    settings = replace(settings, pipelines=1)
    with fails("tune.nothing_measured", which="pipeline but default"):
        tune(graph, questions, tmp_path / "one", known=known, space=SPACE, settings=settings)


def test_what_is_no_search_is_never_written_over(graph: Graph, questions: tuple[Question, ...], tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text("mine")
    with fails("tune.foreign_file", name="report.html"):
        tune(graph, questions, tmp_path, known=KNOWN, space=SPACE, settings=SETTINGS)
    with fails("tune.is_a_file"):
        tune(graph, questions, tmp_path / "report.html", known=KNOWN, space=SPACE, settings=SETTINGS)
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]
    assert (tmp_path / "report.html").read_text() == "mine"
