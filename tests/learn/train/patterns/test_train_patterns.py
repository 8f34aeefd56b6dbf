from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from faults import fails
from following import follow_pattern
from onnx_models import write_embedder
from threadpoolctl import threadpool_info

from graphbrick import EmbeddingModel, GraphBuilder, PathAnswer, Query
from graphbrick.bricks.retrieve.patterns.patterns import Patterns
from graphbrick.cli.app import main
from graphbrick.core import compute
from graphbrick.core.errors import InputError, ModelError
from graphbrick.graphs.graph import Graph
from graphbrick.learn.train.patterns.pattern_course import Course, PatternParameters
from graphbrick.learn.train.patterns.pattern_examples import Examples, collect
from graphbrick.learn.train.patterns.pattern_fit import Batch
from graphbrick.learn.train.patterns.patterns import train_patterns
from graphbrick.patterns.model.folder import DESCRIPTION, WEIGHTS, load
from graphbrick.patterns.model.model import PatternModel
from graphbrick.patterns.model.question_features import many_features
from graphbrick.patterns.model.scorer import PatternScorer
from graphbrick.questions.grounding import ground
from graphbrick.questions.question import Question
from graphbrick.study.metrics.sets import answer_scores

WORDS = (
    "x who stars in year made of which film films with same actors directed by when was appeared were starring director"
    " child parent parents partner job other"
)


@pytest.fixture(scope="module")
def embedder(tmp_path_factory: pytest.TempPathFactory) -> EmbeddingModel:
    folder = tmp_path_factory.mktemp("embedder") / "tiny"
    words = list(dict.fromkeys(WORDS.split()))
    table = {word: np.eye(len(words))[i].tolist() for i, word in enumerate(words)}
    write_embedder(folder, table, output="sentence_embedding")
    return EmbeddingModel(str(folder))


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    """Sixty films, each with two of thirty actors, one of ten directors and one of seven years."""
    with GraphBuilder(tmp_path_factory.mktemp("train") / "films.graph", source="test") as builder:
        for i in range(60):
            for actor in (i % 30, (7 * i + 3) % 30):
                builder.add((f"Film{i}", "starring", f"Actor{actor}"))
            builder.add((f"Film{i}", "director", f"Boss{i % 10}"))
            builder.add((f"Film{i}", "year", f"Y{i % 7}"))
        return builder.finish()


PATTERNS = {
    "who stars in {}": (("starring", True),),
    "{} was directed by who": (("director", True),),
    "when was {} made": (("year", True),),
    "which films were directed by the director of {}": (("director", True), ("director", False)),
    "films with same actors of {}": (("starring", True), ("starring", False)),
}


def question_of(graph: Graph, number: int, wording: str, seed: str) -> Question:
    relations = {graph.relation_label(relation): relation for relation in range(graph.n_relations)}
    pattern = [(relations[label], forward) for label, forward in PATTERNS[wording]]
    answers = tuple(graph.key(path.end) for path in follow_pattern(graph, graph.entity(seed), pattern))
    return Question(str(number), wording.format(seed), (seed,), answers, hops=len(pattern))


@pytest.fixture(scope="module")
def questions(films: Graph) -> list[Question]:
    pairs = [(wording, f"Film{i}") for i in range(60) for wording in PATTERNS]
    return [question_of(films, number, *pair) for number, pair in enumerate(pairs)]


@pytest.fixture(scope="module")
def trained(
    films: Graph, questions: list[Question], embedder: EmbeddingModel, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    out = tmp_path_factory.mktemp("patterns") / "films.patterns"
    learned = [question for question in questions if not question.seeds[0].endswith(("5", "7"))]
    train_patterns(films, learned, out, max_hops=2, embedder=embedder, rounds=12)
    return out


@pytest.mark.whole
def test_new_seeds_are_answered(films: Graph, questions: list[Question], trained: Path) -> None:
    pipeline = Patterns(PatternScorer(str(trained)), max_hops=2) >> PathAnswer()
    kept = [question for question in questions if question.seeds[0].endswith(("5", "7"))]
    assert len(kept) == 60
    scores = [answer_scores(pipeline(films, q.text, seeds=q.seeds).texts, set(q.answers)).f1 for q in kept]
    assert np.mean(scores) > 0.99


def test_labels_are_the_f1_of_what_the_pattern_leads_to(films: Graph, questions: list[Question]) -> None:
    some = ground(films, questions[:25]).questions
    found = collect(films, some, max_hops=2, most=2_000, seed=0)
    assert found.cut == 0
    patterns = list(found.patterns)
    assert [example.question for example in found.all] == list(range(25))
    for example, question in zip(found.all, some, strict=True):
        gold = set(question.answers)
        for row, pattern in enumerate(example.pattern):
            numbers = [~number if number < 0 else number for number in patterns[pattern]]
            steps = [(number >> 1, bool(number & 1)) for number in numbers]
            back = min(patterns[pattern]) < 0
            ends = {path.end for path in follow_pattern(films, question.seeds[0], steps, back=back)}
            assert ends
            assert example.f1[row] == pytest.approx(answer_scores(sorted(ends), gold).f1)
            assert example.precision[row] == pytest.approx(len(ends & gold) / len(ends))
            begun = [
                example.f1[i]
                for i, other in enumerate(example.pattern)
                if patterns[other][: len(steps)] == patterns[pattern]
            ]
            assert example.promise[row] == pytest.approx(max(begun))
        assert example.f1.max() == 1


def test_what_cannot_be_learned_is_counted(films: Graph) -> None:
    masked = [
        Question("1", "who stars in Film0", ("Film0",), ("Actor0", "Actor3")),
        Question("2", "who stars in Film99", ("Film99",), ("Actor0",)),  # no such seed
        Question("3", "who stars in Film1", ("Film1",), ("Nobody",)),  # no such answer
        Question("4", "who is Film1", ("Film1",), ("Film1",)),  # the seed itself
        Question("5", "how far", ("Film0",), ("Y3",)),  # too far
    ]
    found = collect(films, ground(films, masked).questions, max_hops=1, most=2_000, seed=0)
    counts = found.questions, found.unseeded, found.unanswered, found.unreached
    assert counts == (5, 1, 1, 2)
    assert [example.question for example in found.all] == [0, 3, 4]


FAMILY_QUESTIONS = {
    "who are parents of child of {}": ("Ann{}", "Bob{}"),
    "who are other parents of child of {}": ("Bob{}",),
    "which is job of partner of partner of {}": ("job {}",),
    "who is partner of {}": ("Bob{}",),
}


@pytest.fixture(scope="module")
def families(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    """Thirty couples, each with one child; the partner is stored in both directions."""
    with GraphBuilder(tmp_path_factory.mktemp("train") / "families.graph", source="test") as builder:
        for i in range(30):
            one, two, child = f"Ann{i}", f"Bob{i}", f"Cid{i}"
            builder.add((one, "child", child))
            for triple in (
                (child, "parent", one),
                (child, "parent", two),
                (one, "partner", two),
                (two, "partner", one),
            ):
                builder.add(triple)
            builder.add((one, "job", f"job {i}"))
            builder.add((two, "job", f"job {30 + i}"))
        return builder.finish()


@pytest.mark.whole
def test_answers_that_are_seeds_are_learned_and_given(
    families: Graph, embedder: EmbeddingModel, tmp_path: Path
) -> None:
    questions = [
        Question(f"{i}", text.format(f"Ann{i}"), (f"Ann{i}",), tuple(answer.format(i) for answer in answers), hops=3)
        for i in range(30)
        for text, answers in FAMILY_QUESTIONS.items()
    ]
    learned, kept = questions[:100], questions[100:]
    found = collect(families, ground(families, learned).questions, max_hops=3, most=2_000, seed=0)
    assert (found.unanswered, found.unreached) == (0, 0)
    assert all(example.f1.max() == 1 for example in found.all)
    train_patterns(families, learned, tmp_path / "families", max_hops=3, embedder=embedder, rounds=60)
    pipeline = Patterns(PatternScorer(str(tmp_path / "families"))) >> PathAnswer()
    for question in kept:
        run = pipeline.run(families, question.text, seeds=question.seeds)
        assert run.answer is not None
        assert set(run.answer.texts) == set(question.answers), question.text


def test_where_there_are_too_many_patterns_those_that_lead_to_answers_stay(films: Graph) -> None:
    masked = ground(films, [question_of(films, 0, "who stars in {}", "Film4")]).questions
    whole = collect(films, masked, max_hops=2, most=2_000, seed=0)
    few = collect(films, masked, max_hops=2, most=3, seed=0)
    assert (whole.cut, few.cut) == (0, 1)
    assert len(few.all[0].pattern) == 3
    assert few.all[0].f1.max() == whole.all[0].f1.max() == 1


@pytest.mark.whole
def test_the_same_seed_gives_the_same_bytes(
    films: Graph, questions: list[Question], embedder: EmbeddingModel, tmp_path: Path
) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        train_patterns(films, questions[:100], tmp_path / name, max_hops=2, embedder=embedder, rounds=2, seed=seed)
    files = {name: [(tmp_path / name / file).read_bytes() for file in (WEIGHTS, DESCRIPTION)] for name in "abc"}
    assert files["a"] == files["b"]
    assert files["a"][0] != files["c"][0]


@pytest.mark.whole
def test_training_helps_and_says_by_how_much(
    films: Graph, questions: list[Question], embedder: EmbeddingModel, tmp_path: Path
) -> None:
    # One wording a question, so that wordings can be kept apart.
    varied = [
        Question(q.id, f"{q.text} {'who ' * (i % 40)}", q.seeds, q.answers, hops=q.hops)
        for i, q in enumerate(questions)
    ]
    report = train_patterns(films, varied, tmp_path / "out", max_hops=2, embedder=embedder, rounds=8)
    assert report.untrained is not None
    assert report.trained is not None
    assert report.questions == 300
    assert report.learned == 300
    assert 0 < report.trained.questions < 60
    assert report.trained.f1 > max(0.9, report.untrained.f1)
    assert "kept apart" in str(report)
    about = load(str(tmp_path / "out")).about
    assert about["graph"] == films.hash
    assert about["report"]["trained"]["f1"] == report.trained.f1


def test_small_matrices_are_multiplied_by_one_thread(
    films: Graph, questions: list[Question], embedder: EmbeddingModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in compute._VARIABLES:
        monkeypatch.delenv(name, raising=False)
    threads: set[int] = set()

    def progress(what: str, done: float, total: float | None) -> None:
        if what == "rounds of training":
            threads.update(one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas")

    train_patterns(films, questions[:40], tmp_path / "out", max_hops=1, embedder=embedder, rounds=1, progress=progress)
    assert threads == {1}


def test_questions_without_seeds_are_linked(films: Graph, embedder: EmbeddingModel, tmp_path: Path) -> None:
    masked = [Question(str(i), f"who stars in Film{i}", (), (f"Actor{i % 30}",)) for i in range(12)]
    masked.append(Question("none", "who stars in it all", (), ("Actor1",)))
    report = train_patterns(films, masked, tmp_path / "out", max_hops=1, embedder=embedder, rounds=1)
    assert (report.questions, report.unseeded, report.learned) == (13, 1, 12)


@pytest.mark.whole
def test_what_cannot_be_done_is_said_before_the_work(
    films: Graph, questions: list[Question], embedder: EmbeddingModel, trained: Path, tmp_path: Path
) -> None:
    with fails("place.taken", ModelError):
        train_patterns(films, questions, trained, embedder=embedder)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").write_text("dear", encoding="utf-8")
    with fails("place.other_contents", ModelError):
        train_patterns(films, questions, tmp_path / "other", embedder=embedder, overwrite=True)
    strange = [Question("1", "who?", ("Nobody",), ("Noone",))]
    with fails("train_patterns.no_pattern", InputError, n=1):
        train_patterns(films, strange, tmp_path / "out", embedder=embedder)
    for wrong in ({"max_hops": 0}, {"max_hops": 11}, {"rounds": 0}, {"rounds": True}, {"seed": -1}):
        with fails("train.bad_whole_number", InputError, name=next(iter(wrong))):
            train_patterns(films, questions, tmp_path / "out", embedder=embedder, **wrong)
    assert not (tmp_path / "out").exists()


def test_the_folder_is_replaced_whole(
    films: Graph, questions: list[Question], embedder: EmbeddingModel, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    train_patterns(films, questions[:40], out, max_hops=1, embedder=embedder, rounds=1)
    before = load(str(out))
    train_patterns(films, questions[:40], out, max_hops=2, embedder=embedder, rounds=1, overwrite=True)
    assert (before.max_hops, load(str(out)).max_hops) == (1, 2)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["out"]


def test_the_scorer_scores_as_the_training_did(
    films: Graph, questions: list[Question], embedder: EmbeddingModel, tmp_path: Path
) -> None:
    found: Examples = collect(films, ground(films, questions[:40]).questions, max_hops=2, most=2_000, seed=0)
    steps = found.steps(films)
    masked = many_features(embedder, list(found.masked))
    how = PatternParameters(embedder=embedder, max_hops=2, rounds=1, seed=0)
    course = Course(how, masked, steps, lambda what, done, total: None)
    weights, relations, patterns = course.weights(found.all)
    rng = np.random.default_rng(3)
    for name, value in weights.values.items():
        weights.values[name] = rng.normal(size=value.shape).astype(np.float32)
    model = PatternModel(
        embedder=embedder, relations=relations, patterns=patterns, about={}, **weights.values
    )  # fmt: skip
    for example in found.all[::7]:
        expected, _ = weights.scores(Batch([example], masked))
        text = list(found.masked)[example.masked[0]]
        scores = model.score(model.ask(text), [steps[pattern] for pattern in example.pattern])
        assert np.allclose(scores, expected, rtol=1e-3, atol=1e-3)


# The command


@pytest.mark.whole
def test_the_command_trains_and_prints(
    films: Graph,
    questions: list[Question],
    embedder: EmbeddingModel,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "questions.jsonl"
    lines = [{"question": q.text, "seeds": list(q.seeds), "answers": list(q.answers)} for q in questions[:60]]
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    out = tmp_path / "out"
    command = ["train", "patterns", str(films.path), str(file), "--out", str(out), "--embedder", repr(embedder)]
    with pytest.raises(SystemExit) as stopped:
        main([*command, "--max-hops", "1", "--json"])
    assert stopped.value.code == 0
    assert json.loads(capsys.readouterr().out)["questions"] == 60
    assert load(str(out)).max_hops == 1
    with pytest.raises(SystemExit):
        main([*command, "--max-hops", "1", "--overwrite"])
    patterns = f"Operators(Patterns(PatternScorer({str(out)!r}), n=32, max_hops=1))"
    said = f"use it as LinkLabels(readings=2, words={str(out)!r}) >> {patterns} >> PathAnswer()"
    assert said in capsys.readouterr().out
    with pytest.raises(SystemExit) as stopped:
        main(command)
    assert stopped.value.code == 1
    assert "--overwrite" in capsys.readouterr().err
    with pytest.raises(SystemExit) as stopped:
        main([*command[:-1], "BM25()"])
    assert stopped.value.code == 1
    assert "--embedder takes an embedder" in capsys.readouterr().err


def test_a_beam_search_follows_the_beginnings(films: Graph, questions: list[Question], trained: Path) -> None:
    from graphbrick import BeamSearch, Subgraph

    kept = [q for q in questions if q.hops == 2 and q.seeds[0].endswith("5")]
    stage = BeamSearch(PatternScorer(str(trained)), beam_width=2, max_hops=2)
    for question in kept:
        query = Query(question.text, tuple(films.entity(seed) for seed in question.seeds))
        best = stage.retrieve(query, Subgraph(films)).paths[0]
        assert films.key(best.end) in question.answers
