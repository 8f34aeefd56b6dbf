"""Learning a graph from itself, end to end."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from _pytest.capture import CaptureResult
from faults import fails
from organisation import PEOPLE, TRIPLES

from graphbrick import Graph, MiniLM, build, change
from graphbrick.cli.app import main
from graphbrick.core.errors import InputError
from graphbrick.learn.fitting.tagging import tagged
from graphbrick.learn.learned import learned_pipeline, learned_place, unlearned
from graphbrick.learn.learning import LearnReport, learn
from graphbrick.learn.renewal import renew
from graphbrick.learn.train.patterns.patterns import train_patterns
from graphbrick.patterns.alignment.alignment_table import LEFT_OVER, MISSING, MISSING_BACK
from graphbrick.patterns.model.folder import LEARNED_WORDS, load
from graphbrick.patterns.several_steps import ALIKE
from graphbrick.patterns.text import Steps, words_of
from graphbrick.patterns.words_file import WORDS
from graphbrick.pipeline import Pipeline
from graphbrick.questions.question import Question


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which team does Ben Okoro work in?", {"Team 1"}),
        ("Who does Dev Patel report to?", {"Ben Okoro"}),
        ("Who reports to Ben Okoro?", {"Carla Diaz", "Dev Patel"}),
        ("Who leads Finance?", {"Fiona Reed"}),
        ("Which services does Team 2 own?", {"Service 2a", "Service 2b"}),
        ("Who leads the department that Team 1 is part of?", {"Fiona Reed"}),
    ],
)
def test_questions_that_nobody_labelled(learned: tuple[Graph, LearnReport], question: str, answers: set[str]) -> None:
    pipeline = learned_pipeline(learned[0])
    assert pipeline is not None
    assert set(pipeline(learned[0], question).texts) == answers


def test_what_is_written_down(learned: tuple[Graph, LearnReport]) -> None:
    graph, report = learned
    assert report.written == 200
    assert report.unreadable == []
    place = learned_place(graph)
    assert "supervisor" in (place / WORDS).read_text(encoding="utf-8")
    model = load(str(place))
    assert model.alignment is not None
    assert set(model.alignment.relations) == {"works in", "reports to", "part of", "leads", "owns"}
    assert str(report).startswith("200 questions written from 5 relations, 0 given")
    many = str(replace(report, nameless=[["owns", "part of"]] * 300))
    assert many.count("--call") == 1
    assert "300 kinds of entities" in many


@pytest.mark.whole
def test_the_same_seed_learns_the_same_and_corrected_words_are_kept(tmp_path: Path) -> None:
    graph = build(TRIPLES[:12], tmp_path / "org.graph")
    given = [Question("1", "who is the head of Team 0?", ("Team 0",), ("Ada Marsh",))]
    one, two = tmp_path / "one", tmp_path / "two"
    reports = [learn(graph, place, n=100, max_hops=1, questions=given) for place in (one, two)]
    assert [report.given for report in reports] == [1, 1]
    for name in ("weights.npz", "model.json", WORDS):
        assert (one / name).read_bytes() == (two / name).read_bytes(), name
    change(graph.place, add=[("Team 0", "sits in", "Oslo")])
    (tmp_path / "one").rename(learned_place(graph))
    with fails("learn.questions_not_kept", InputError):
        renew(Graph.open(graph.place))
    words = (two / WORDS).read_text(encoding="utf-8")
    (two / WORDS).write_text(words.replace('"boss"', '"chieftain"'), encoding="utf-8")
    report = learn(graph, two, n=0, max_hops=1, questions=given)
    assert not report.edited
    assert "chieftain" in (two / WORDS).read_text(encoding="utf-8")

    def edit(what: str, done: float, total: float | None) -> None:
        (two / WORDS).write_text(words.replace('"boss"', '"duchess"'), encoding="utf-8")

    report = learn(graph, two, n=0, max_hops=1, questions=given, progress=edit)
    assert "words.toml was changed meanwhile, and stays so; this was learned with words.learned.toml" in str(report)
    assert "duchess" in (two / WORDS).read_text(encoding="utf-8")
    assert "chieftain" in (two / LEARNED_WORDS).read_text(encoding="utf-8")


@pytest.mark.whole
def test_learning_again_embeds_only_what_is_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph, embedded = build(TRIPLES[:20], tmp_path / "org.graph"), list[str]()
    encode = MiniLM.encode

    def counting(model: MiniLM, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        embedded.extend(texts)
        return encode(model, texts)

    monkeypatch.setattr(MiniLM, "encode", counting)
    counts = []
    for _ in range(3):
        embedded.clear()
        learn(graph, n=100, max_hops=2)
        counts.append(len(embedded))
        words = learned_place(graph) / WORDS
        if len(counts) == 2:  # before the last one
            words.write_text(words.read_text(encoding="utf-8").replace('"supervisor"', '"overseer"'), encoding="utf-8")
    assert counts[0] > 100
    assert counts[1] == 0
    assert 0 < counts[2] < counts[0]


@pytest.mark.whole
def test_what_is_learned_after_an_edit_is_what_would_be_learned_from_nothing(tmp_path: Path) -> None:
    again, fresh = (build(TRIPLES[:20], tmp_path / name / "org.graph") for name in ("again", "fresh"))
    learn(again, n=100, max_hops=2)
    words = learned_place(again) / WORDS
    words.write_text(words.read_text(encoding="utf-8").replace('"supervisor"', '"overseer"'), encoding="utf-8")
    shutil.copytree(learned_place(again), learned_place(fresh))  # without the vectors that are beside the graph
    for graph in (again, fresh):
        learn(graph, n=100, max_hops=2)
    for name in ("weights.npz", "model.json", WORDS):
        assert (learned_place(again) / name).read_bytes() == (learned_place(fresh) / name).read_bytes(), name


@pytest.mark.whole
def test_a_word_that_no_question_has_is_read_as_a_noun_of_the_graph(tmp_path: Path) -> None:
    """«Better half» is a spouse; neither the label nor the file of words says so."""
    people = [f"{first} {last}" for first in ("Ann", "Bea", "Cem") for last in ("Holt", "Ito", "Reed")]
    pairs = list(pairwise(people))
    graph = build(
        [(a, "spouse", b) for a, b in pairs] + [(a, "child", c) for (a, _), (_, c) in pairwise(pairs)],
        tmp_path / "people.graph",
    )
    learn(graph, n=100, max_hops=1)
    model = load(str(learned_place(graph)))
    assert model.near_words.nouns["better half"] == "spouse"
    spouse, child = (("spouse", True),), (("child", True),)
    asked = model.ask("who is the better half of X")
    assert [token.word for token in asked.tokens[0]] == ["spouse", "who"]
    assert model.score(asked, [spouse, child]).argmax() == 0
    assert model.score(asked, [spouse]) == model.score(model.ask("who is the spouse of X"), [spouse])
    assert model.alignment is not None
    assert model.alignment.weights[LEFT_OVER] < -1.5


def test_nonsense_is_refused_before_any_work(tmp_path: Path) -> None:
    graph = build(TRIPLES[:12], tmp_path / "org.graph")
    with fails("learn.too_few", InputError, n=5):
        learn(graph, n=5)
    with fails("train.bad_whole_number", InputError, name="seed"):
        learn(graph, n=100, seed=-1)
    with fails("phrasebook.no_relation", InputError, label="sings"):
        learn(graph, n=100, call={"sings": ["x"]})
    build(TRIPLES[:1], tmp_path / "empty.graph")
    change(tmp_path / "empty.graph", delete=TRIPLES[:1])
    empty = Graph.open(tmp_path / "empty.graph")
    with fails("learn.no_triples", InputError):
        learn(empty, n=100)
    codes = build([("a", "CbG", "b"), ("b", "GiG", "c")], tmp_path / "codes.graph")
    with fails("learn.no_words", InputError, labels=("CbG", "GiG")):
        learn(codes)
    for untouched in (graph, codes):
        assert not learned_place(untouched).exists()
        assert learned_pipeline(untouched) is None


@pytest.mark.whole
def test_relations_that_came_later_are_told_and_learned(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "org.graph"
    graph = build(TRIPLES[:12], place)
    assert unlearned(graph) == []
    learn(graph, n=400, max_hops=1, seed=3)
    assert unlearned(graph) == []
    assert renew(graph) is None
    rows = tmp_path / "more.csv"
    rows.write_text(
        "head,relation,tail\nTeam 0,sits in,Oslo\nTeam 1,sits in,Rome\nTeam 1,posts on X,News\n", encoding="utf-8"
    )
    said = command(capsys, "add", str(place), str(rows))
    assert "2 relations came after the graph was learned (posts on X, sits in); run graphbrick learn again" in said.err
    assert unlearned(Graph.open(place)) == ["posts on X", "sits in"]
    said = command(capsys, "ask", str(place), "Which team does Ben Okoro work in?")
    assert said.out.splitlines()[0] == "Team 1"
    assert "2 relations came after the graph was learned (posts on X, sits in)" in " ".join(said.out.split())
    answer = pipeline_of(Graph.open(place))(Graph.open(place), "Which team does Ben Okoro work in?")
    assert answer.trace is not None
    assert any("came after the graph was learned (posts on X, sits in)" in text for text in answer.trace.events)
    said = command(capsys, "add", str(place), str(rows), "--learn")
    assert "400 questions written from" in said.err
    renewed = Graph.open(place)
    assert unlearned(renewed) == []
    assert load(str(learned_place(renewed))).about["seed"] == 3
    assert pipeline_of(renewed)(renewed, "Where does Team 1 sit?").texts == ("Rome",)
    assert pipeline_of(renewed)(renewed, "What does Team 1 post on?").texts == ("News",)


def command(capsys: pytest.CaptureFixture[str], *words: str) -> CaptureResult[str]:
    """Return what a command prints."""
    with pytest.raises(SystemExit) as stopped:
        main(list(words))
    assert not stopped.value.code
    return capsys.readouterr()


def pipeline_of(graph: Graph) -> Pipeline:
    pipeline = learned_pipeline(graph)
    assert pipeline is not None
    return pipeline


def test_given_questions_alone_are_the_same_training(tmp_path: Path) -> None:
    graph = build(TRIPLES, tmp_path / "org.graph")
    given = [
        Question(str(at), f"who is the chieftain of {person}?", (person,), (PEOPLE[at // 2],))
        for at, person in enumerate(PEOPLE)
        if at
    ]
    report = learn(graph, questions=given, n=0, max_hops=2)
    assert (report.written, report.given) == (0, len(given))
    train_patterns(graph, given, tmp_path / "trained", max_hops=2)
    weights = [(place / "weights.npz").read_bytes() for place in (learned_place(graph), tmp_path / "trained")]
    assert weights[0] == weights[1]
    assert unlearned(graph) == []
    with fails("learn.too_few", InputError, n=0):
        learn(graph, n=0)


@pytest.mark.whole
def test_words_of_given_questions_are_aligned(tmp_path: Path) -> None:
    graph = build(TRIPLES[:15], tmp_path / "org.graph")
    given = [
        Question(str(at), f"which zzyzx pays {person}?", (person,), (f"Team {at % 3}",))
        for at, person in enumerate(PEOPLE)
    ]
    scores = []
    for questions in ([], given):
        learn(graph, tmp_path / "one", n=400, max_hops=1, questions=questions, seed=1)
        alignment = load(str(tmp_path / "one")).alignment
        assert alignment is not None
        patterns = [(("works in", True),), (("reports to", True),), (("reports to", False),)]
        scores.append(alignment.score("the zzyzx of X", patterns))
    assert scores[1].argmax() == 0
    assert scores[1][0] - scores[1][1:].max() > scores[0][0] - scores[0][1:].max() + 0.5


def test_hops_are_plain_numbers_so_that_they_can_be_stored(learned: tuple[Graph, LearnReport]) -> None:
    model = load(str(learned_place(learned[0]))).alignment
    assert model is not None
    steps = model.steps((("works in", True), ("works in", False)))
    assert steps is not None
    _, tokens = tagged(model, model.read(words_of(f"the employee in the {ALIKE} team as X")), steps)
    assert {type(token.hop) for side in tokens for token in side} <= {int}


@pytest.mark.parametrize("text", ["who leads the department that X works in", "X's boss's team", "the boss of zzyzx X"])
@pytest.mark.parametrize(
    "pattern", [(("works in", True), ("leads", False)), (("reports to", True), ("works in", True))]
)
def test_the_best_tags_are_found(learned: tuple[Graph, LearnReport], text: str, pattern: Steps) -> None:
    model = load(str(learned_place(learned[0]))).alignment
    assert model is not None
    weights = model.weights.copy()
    weights[[MISSING, MISSING_BACK, LEFT_OVER]] = [-12, -6, -3]  # every word and hop counts
    steps = model.steps(pattern)
    assert steps is not None
    score, tokens = tagged(model, model.read(words_of(text)), steps)
    assert score == pytest.approx(replace(model, weights=weights).score(text, [pattern])[0])
    assert {token.hop for side in tokens for token in side} <= {-1, 0, 1}


@pytest.mark.whole
def test_ends_of_several_patterns_count_where_many_relations_were_learned_without_labels(tmp_path: Path) -> None:
    triples = [(f"e{i % 20}", f"group.kind_{i % 7}.thing_{i}", f"e{(3 * i + 1) % 20}") for i in range(70)]
    graph = build(triples, tmp_path / "many.graph")
    learn(graph, n=100, max_hops=1)
    assert load(str(learned_place(graph))).ends is not None
    assert "RankEnds(" in repr(learned_pipeline(graph))
